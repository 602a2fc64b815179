"""A backup: one file that holds the register whole, as lines of JSON by table, and restores into either database.

It is a ZIP with a `TABLE.jsonl` for each table, one row a line, and at the end `manifest.json`: the schema's revision,
each table's columns, rows and SHA-256, and the audit's head. It is read and written row by row.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.audit import FIRST
from app.columns import instant
from app.db import Database, StorageError
from app.schema import own_tables, revision

FORMAT = "benton-streets register, 1"
LEFT_OUT = frozenset({"one_time_links", "sessions", "sign_in_attempts"})
"""Tables no backup holds: a session that was ended must not be open again after a restore."""
AT_ONCE = 200
MANIFEST = "manifest.json"


class ArchiveError(StorageError):
    """A file that is no backup of the register, or a damaged one."""


@dataclass(frozen=True)
class Kept:
    """What a backup holds of one table.

    Parameters
    ----------
    columns
        The kind of each column, by name, in order: ``int``, ``float``, ``bool``, ``bytes`` or ``text``.
    rows
        How many.
    sha256
        Of its lines.
    """

    columns: dict[str, str]
    rows: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a backup says of itself.

    Parameters
    ----------
    format
        `FORMAT`.
    made_at
        When, in UTC.
    revision
        Of the schema.
    audit_head
        The hash of the audit's last entry.
    audit_entries
        How many entries the audit has.
    tables
        Each table, in an order in which none refers to a later one.
    """

    format: str
    made_at: str
    revision: str
    audit_head: str
    audit_entries: int
    tables: dict[str, Kept]


def write_archive(database: Database, path: Path, *, force: bool = False) -> Manifest:
    """Back the register up into a file, which appears whole or not at all; the service may write meanwhile.

    Parameters
    ----------
    database
        Of any release: what is there is kept as it is.
    path
        The file.
    force
        Whether a file that is there may be replaced.

    Returns
    -------
    Manifest
        What it holds; it was read back and checked.

    Raises
    ------
    StorageError
        There is no register, it cannot be read, or the file is there or cannot be written.
    """
    with appearing(path, replace=force) as part:
        with database.read() as connection, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as file:
            made = _written(connection, file)
        read_manifest(part)
    return made


def _written(connection: Connection, file: zipfile.ZipFile) -> Manifest:
    found = revision(connection)
    if found is None:
        raise StorageError("The database holds no register that could be backed up.")
    reflected = sa.MetaData()
    reflected.reflect(connection, only=own_tables(connection))
    tables: dict[str, Kept] = {}
    for table in reflected.sorted_tables:
        if table.name not in LEFT_OUT:
            with file.open(f"{table.name}.jsonl", "w", force_zip64=True) as lines:
                tables[table.name] = _lines(connection, table, lines)
    entries = tables["audit"].rows if "audit" in tables else 0
    made = Manifest(FORMAT, instant(datetime.now(UTC)), found, _head(connection), entries, tables)
    file.writestr(MANIFEST, json.dumps(asdict(made), indent=1))
    return made


def _head(connection: Connection) -> str:
    last = connection.execute(sa.text("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1")).scalar_one_or_none()
    return last or FIRST


def _lines(connection: Connection, table: sa.Table, lines: IO[bytes]) -> Kept:
    digest, rows = hashlib.sha256(), 0
    asked = sa.select(table).order_by(*table.primary_key.columns).execution_options(yield_per=AT_ONCE)
    with connection.execute(asked) as found:
        for row in found:
            line = json.dumps([_plain(value) for value in row], separators=(",", ":")).encode() + b"\n"
            digest.update(line)
            lines.write(line)
            rows += 1
    return Kept({c.name: _kind(c.type) for c in table.columns}, rows, digest.hexdigest())


def _kind(kind: Any) -> str:
    for found, name in _KINDS:
        if isinstance(kind, found):
            return name
    return "text"


_KINDS = ((sa.Boolean, "bool"), (sa.Integer, "int"), (sa.Float, "float"), (sa.LargeBinary, "bytes"))


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes | memoryview) else value


@contextmanager
def appearing(path: Path, *, replace: bool) -> Iterator[Path]:
    """Give a file to write that becomes another one when the block ends without error.

    Parameters
    ----------
    path
        The file it becomes, whole or not at all; only its owner may read it.
    replace
        Whether one that is there is replaced.

    Yields
    ------
    Path
        The file to write, empty.

    Raises
    ------
    StorageError
        The file is there and not to be replaced, it is no file but a device, a pipe, a folder or a link, or it cannot
        be written.
    """
    part: Path | None = None
    try:
        _check_place(path, replace=replace)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        part = Path(name)
        os.close(descriptor)
        yield part
        _sync(part)
        _check_place(path, replace=replace)
        part.replace(path)
        _sync(path.parent)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _check_place(path: Path, *, replace: bool) -> None:
    """Refuse a place that something else holds: only a file is ever replaced, and none by a link to it."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    kind = next((kind for test, kind in _KINDS_OF_FILE if test(mode)), "")
    if kind:
        raise StorageError.of("FILE", f"{kind} called {path.name}", "a file, or a name that nothing has yet")
    if not replace:
        raise StorageError.of("FILE", str(path), "a file that is not there yet; --force replaces it")


_KINDS_OF_FILE = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (lambda mode: not stat.S_ISREG(mode), "a device or socket"),
)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- reading ---


def read_manifest(path: Path) -> Manifest:
    """Read a backup through, and check all of it against its manifest.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Manifest
        What it holds.

    Raises
    ------
    ArchiveError
        It is no backup of the register, or it is damaged.
    """
    with _opened(path) as file:
        made = _manifest(file, path)
        for name, kept in made.tables.items():
            rows = sum(1 for _ in _rows(file, name, kept))
            if rows != kept.rows:
                raise ArchiveError(f"{path} is damaged: {name} has {rows} rows and should have {kept.rows}.")
        return made


def _manifest(file: zipfile.ZipFile, path: Path) -> Manifest:
    if MANIFEST not in file.namelist():
        raise ArchiveError(f"{path} is no backup of the register: it has no {MANIFEST}.")
    content = json.loads(file.read(MANIFEST))
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ArchiveError(f"{path} is no backup of this release's register: it is not of the form {FORMAT!r}.")
    tables = {name: Kept(**kept) for name, kept in content.pop("tables").items()}
    made = Manifest(**content, tables=tables)
    expected = sorted([MANIFEST, *(f"{name}.jsonl" for name in tables)])
    if sorted(file.namelist()) != expected:
        raise ArchiveError(f"{path} is damaged: it does not hold the tables that its manifest names.")
    return made


def archived_rows(path: Path, made: Manifest, table: str) -> Iterator[list[Any]]:
    """Give a table's rows as the database holds them, in the order of the manifest's columns.

    Parameters
    ----------
    path
        The backup.
    made
        Its manifest.
    table
        The table.

    Yields
    ------
    list
        A row.

    Raises
    ------
    ArchiveError
        What was read is not what the manifest says: the transaction it is read for must not be kept.
    """
    with _opened(path) as file:
        yield from _rows(file, table, made.tables[table])


def _rows(file: zipfile.ZipFile, name: str, kept: Kept) -> Iterator[list[Any]]:
    digest = hashlib.sha256()
    as_kept: Sequence[Callable[[Any], Any]] = [_READ.get(kind, _same) for kind in kept.columns.values()]
    with file.open(f"{name}.jsonl") as lines:
        for line in lines:
            digest.update(line)
            values = json.loads(line)
            yield [None if value is None else read(value) for read, value in zip(as_kept, values, strict=True)]
    if digest.hexdigest() != kept.sha256:
        raise ArchiveError(f"{file.filename} is damaged: {name} is not what was written.")


def _same(value: Any) -> Any:
    return value


_READ: dict[str, Callable[[Any], Any]] = {"bytes": base64.b64decode, "bool": bool, "float": float}


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as file:
            yield file
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror or error}") from error
    except zipfile.BadZipFile as error:
        raise ArchiveError(f"{path} is no backup of the register, or a damaged one: {error}.") from error
    except (ValueError, KeyError, TypeError, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        raise ArchiveError(f"{path} is damaged: {error}.") from error
