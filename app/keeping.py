"""Keeping the register: restore, upgrade, the nightly backup. Each leaves it whole, as it was or as it shall be.

`app.archive` says what a backup is, `app.verify` what whole is, `app.schema` what a release needs.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.archive import ArchiveError, Manifest, appearing, archived_rows, read_manifest, write_archive
from app.columns import instant, metadata
from app.db import Database, StorageError, prepare
from app.schema import drop_register, ensure_schema, head, known, migrate, require_head, revision
from app.settings import Settings
from app.tables import GUARDED
from app.verify import verify

__all__ = ["ensure_schema", "last_backup", "nightly", "restore", "upgrade", "verify", "write_archive"]

LATEST = "last_backup.json"
MOST_TOLD = 20
"""As many breaks are told in one message."""


class BrokenError(StorageError):
    """A register that is not whole.

    Parameters
    ----------
    message
        What was not done, or done nevertheless.
    breaks
        Each break.
    """

    def __init__(self, message: str, breaks: list[str]) -> None:
        more = [f"and {len(breaks) - MOST_TOLD} more"] if len(breaks) > MOST_TOLD else []
        super().__init__("\n".join([message, *breaks[:MOST_TOLD], *more]))
        self.breaks = breaks


# --- restore ---


@dataclass(frozen=True)
class Restored:
    """What a restore did.

    Parameters
    ----------
    manifest
        Of the backup.
    kept
        Where the register is kept that was there before; None where there was none.
    breaks
        What is broken in the register now, and was when the backup was made.
    """

    manifest: Manifest
    kept: Path | None
    breaks: list[str]


def restore(database: Database, path: Path, folder: Path, *, broken: bool = False) -> Restored:
    """Replace the register by a backup, whole or not at all; a running service goes on with what was restored.

    Parameters
    ----------
    database
        Of either kind, empty or not.
    path
        The backup, made from either kind by this release or an older one.
    folder
        Where a backup of what is there now is put first.
    broken
        Whether a backup may be restored whose register was already broken.

    Returns
    -------
    Restored
        What was done.

    Raises
    ------
    ArchiveError
        The file is no backup of the register, is damaged, or is of a newer release. Nothing was changed.
    BrokenError
        What was backed up is not whole. Nothing was changed.
    StorageError
        The database cannot be written. Nothing was changed.
    """
    made = read_manifest(path)
    if made.revision not in known():
        raise ArchiveError(
            f"{path} has schema {made.revision}, of a newer release than this (schema {head()}): install that release."
        )
    if not database.is_sqlite:
        with database.write() as connection:
            kept = _keep(database, folder)
            _emptied(connection, made)
            breaks = _filled(connection, path, made)
            _accept(breaks, path, broken)
        return Restored(made, kept, breaks)
    with tempfile.TemporaryDirectory(dir=database.file.parent, prefix=".restoring-") as scratch:
        fresh = Path(scratch) / "register.db"
        breaks = _made_anew(fresh, path, made)
        _accept(breaks, path, broken)
        with database.turn():
            kept = _keep(database, folder)
            _pour(fresh, database)
    return Restored(made, kept, breaks)


def _accept(breaks: list[str], path: Path, broken: bool) -> None:
    if breaks and not broken:
        raise BrokenError(
            f"{path} was not restored: the register in it was already broken. --broken restores it nevertheless.",
            breaks,
        )


def _made_anew(file: Path, path: Path, made: Manifest) -> list[str]:
    """Make a SQLite database of a backup, and say what is broken in it."""
    with closing(Database(f"sqlite:///{file}", file.parent)) as fresh, fresh.write(referring=False) as connection:
        return _filled(connection, path, made)


def _keep(database: Database, folder: Path) -> Path | None:
    """Back up what a restore is about to replace; a SQLite file that cannot be read is put aside."""
    try:
        with database.read() as connection:
            found = revision(connection)
        if found is None:
            return None
        kept = folder / f"before-restore-{_stamp()}.zip"
        folder.mkdir(parents=True, exist_ok=True)
        write_archive(database, kept)
    except StorageError as error:
        if not database.is_sqlite:
            raise
        if not database.changes.alone:
            raise StorageError(
                f"{error.message}\nThe register cannot be read: stop the service, then restore."
            ) from error
        return _put_aside(database)
    return kept


def _put_aside(database: Database) -> Path:
    database.forget_file()
    aside = database.file.with_name(f"{database.file.name}.before-restore-{_stamp()}")
    for ending in ("-wal", "-shm", ""):
        part = database.file.with_name(database.file.name + ending)
        if part.exists():
            part.replace(aside.with_name(aside.name + ending))
    return aside


def _pour(fresh: Path, database: Database) -> None:
    """Give a SQLite database another's content in one transaction; whoever has it open sees the one or the other."""
    try:
        with closing(sqlite3.connect(fresh)) as source, closing(sqlite3.connect(database.file)) as target:
            prepare(target, database.file)
            with database.changes.moving():
                source.backup(target)
    except sqlite3.Error as error:
        raise StorageError(f"The database cannot be written: {error}") from error


def _emptied(connection: Connection, made: Manifest) -> None:
    """Take everything out of a PostgreSQL database; readers see it until the transaction ends."""
    if not revision(connection) == made.revision == head():
        drop_register(connection)
        return
    with _unguarded(connection):
        for table in reversed(metadata.sorted_tables):
            connection.execute(sa.delete(table))


@contextmanager
def _unguarded(connection: Connection) -> Iterator[None]:
    for act in ("DISABLE", "ENABLE"):
        for name in GUARDED:
            connection.execute(sa.text(f"ALTER TABLE {name} {act} TRIGGER USER"))
        if act == "DISABLE":
            yield


def _filled(connection: Connection, path: Path, made: Manifest) -> list[str]:
    """Fill an empty database from a backup, bring it to this release, and say what is broken in it."""
    migrate(connection, made.revision)
    reflected = sa.MetaData()
    reflected.reflect(connection)
    for name, kept in made.tables.items():
        there = [column.name for column in reflected.tables[name].columns] if name in reflected.tables else []
        if sorted(there) != sorted(kept.columns):
            raise ArchiveError(f"{path} is damaged: its table {name} is not that of schema {made.revision}.")
        _load(connection, name, list(kept.columns), archived_rows(path, made, name))
    if connection.dialect.name == "postgresql":
        _count_on(connection, reflected)
    migrate(connection)
    return list(verify(connection, made.audit_head))


def _load(connection: Connection, name: str, columns: list[str], rows: Iterator[list[Any]]) -> None:
    quote = connection.dialect.identifier_preparer.quote
    into = f"{quote(name)} ({', '.join(map(quote, columns))})"
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(columns))
        while some := [tuple(row) for row in islice(rows, 200)]:
            connection.exec_driver_sql(f"INSERT INTO {into} VALUES ({marks})", some)
        return
    raw: Any = connection.connection.dbapi_connection
    with raw.cursor() as cursor, cursor.copy(f"COPY {into} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _count_on(connection: Connection, reflected: sa.MetaData) -> None:
    """Let PostgreSQL give the ids after the last that was loaded."""
    for table in reflected.sorted_tables:
        for column in table.primary_key.columns:
            asked = sa.text("SELECT pg_get_serial_sequence(:name, :column)")
            sequence = connection.execute(asked, {"name": f'"{table.name}"', "column": column.name}).scalar_one()
            if sequence:
                last = connection.execute(sa.select(sa.func.max(column))).scalar_one()
                # not setval, which would stay when the transaction does not
                connection.execute(sa.text(f"ALTER SEQUENCE {sequence} RESTART WITH {int(last or 0) + 1}"))


# --- upgrade ---


@dataclass(frozen=True)
class Upgraded:
    """What an upgrade did.

    Parameters
    ----------
    was, now
        The schema before and after.
    backup
        The backup made first; None where there was nothing to do.
    """

    was: str
    now: str
    backup: Path | None


def upgrade(database: Database, folder: Path) -> Upgraded:
    """Bring the register to this release: back up, migrate and verify, in one turn and one transaction.

    Parameters
    ----------
    database
        Of this release or an older one.
    folder
        Where the backup is put.

    Returns
    -------
    Upgraded
        What was done.

    Raises
    ------
    StorageError
        The service is running, there is no register, it is of a newer release, or it was broken afterwards. Nothing was
        changed.
    """
    with database.read() as connection:
        was = revision(connection)
        if was is None or was == head() or was not in known():
            require_head(connection)
            return Upgraded(head(), head(), None)
    if not database.changes.alone:
        raise StorageError("Something has the register open: stop the service, then upgrade.")
    folder.mkdir(parents=True, exist_ok=True)
    backup = folder / f"before-upgrade-{was}-{_stamp()}.zip"
    with database.write(referring=False) as connection:
        write_archive(database, backup)
        migrate(connection)
        breaks = list(verify(connection))
        if breaks:
            raise BrokenError(
                f"The upgrade from schema {was} to {head()} was undone: the register was not whole after it. "
                f"Nothing was changed; the backup {backup} is kept.",
                breaks,
            )
    return Upgraded(was, head(), backup)


# --- every night ---


def nightly(database: Database, settings: Settings, folder: Path, keep: int) -> Path:
    """Make a backup, prove it by restoring it aside, and remove the oldest.

    Parameters
    ----------
    database
        The register's.
    settings
        For the directory in which the last proven backup is noted.
    folder
        Where the backups are.
    keep
        How many of them stay.

    Returns
    -------
    Path
        The backup.

    Raises
    ------
    BrokenError
        The register is broken: the backup is there, but no older one was removed for it.
    StorageError
        The backup could not be made or restored.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _tidy(folder)
    made_at = datetime.now(UTC)
    path = folder / f"register-{_stamp(made_at)}.zip"
    made = write_archive(database, path)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".proving-") as scratch:
        breaks = _made_anew(Path(scratch) / "register.db", path, made)
    if breaks:
        raise BrokenError(f"The backup {path} was made, but the register in it is not whole.", breaks)
    note = {"at": instant(made_at), "file": str(path.absolute()), "audit_head": made.audit_head}
    with appearing(settings.state_dir / LATEST, replace=True) as file:
        file.write_text(json.dumps(note))
    for old in sorted(folder.glob("register-*.zip"))[:-keep]:
        old.unlink()
    return path


def last_backup(settings: Settings) -> datetime | None:
    """Return when the last proven backup was made; None where there is none."""
    try:
        note = json.loads((settings.state_dir / LATEST).read_bytes())
        return datetime.strptime(note["at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _stamp(at: datetime | None = None) -> str:
    return (at or datetime.now(UTC)).strftime("%Y%m%dT%H%M%S%fZ")


def _tidy(folder: Path) -> None:
    """Remove what a backup that was killed has left behind."""
    for left in [*folder.glob(".register-*.part"), *folder.glob(".proving-*")]:
        if left.stat().st_mtime < time.time() - 86_400:
            shutil.rmtree(left) if left.is_dir() else left.unlink()
