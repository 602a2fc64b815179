"""Bringing in what exists: a file is checked, and then stored whole or not at all, in one transaction.

All that takes long (reading, parsing, numbering) is done before the transaction, so that others' writes wait no longer
than the rows take to be written.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import import_addresses, import_layers, import_shapes, import_streets, registers
from app.audit import Act, Actor, head
from app.columns import canonical
from app.import_addresses import Prepared, Tick
from app.import_cells import left_directions
from app.import_columns import FIELDS, check_kind, digest_of, guess, mapped
from app.import_files import read_file
from app.import_layers import Pieces, check_whole
from app.import_places import Known, known_crs
from app.import_report import Report
from app.import_shapes import Outlines
from app.import_storing import store_addresses, store_lines, store_outlines, store_pieces
from app.import_streets import Lines
from app.import_tables import Sheet, only
from app.map_versions import Atlas, MapStateError, vacated
from app.settings import plain
from app.tables import import_mappings, imports
from app.village import Village
from gis.errors import CrsError

Json = dict[str, Any]
CACHE_KB = 65_536
SAMPLES = 5
"""As many rows are shown of a file."""


def no_tick(doing: str, done: int, total: int) -> None:
    """Tell nobody how far it is."""


@dataclass(frozen=True)
class Asked:
    """A file that is to be brought in.

    Parameters
    ----------
    kind
        addresses, lots, buildings, streets or layers.
    path
        The file on this machine.
    name
        What it is called.
    mapping
        A field, or ``""`` for none, for columns that a person mapped.
    crs
        Of its coordinates, where the file does not say it.
    layer
        Of the file, where several could be meant.
    reason
        Why it is brought in.
    job
        The job that does it; ``""`` for none.
    trusted
        Whether who asks may read any file of this machine.
    whole
        Of layers: what is said of all of the file, by field.
    """

    kind: str
    path: Path
    name: str
    mapping: Mapping[str, str] = field(default_factory=dict)
    crs: str = ""
    layer: str = ""
    reason: str = ""
    job: str = ""
    trusted: bool = False
    whole: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Checked:
    """A file that was checked; nothing of it is stored yet.

    Parameters
    ----------
    asked
        What was asked.
    sha256
        Of the file.
    about
        The file as it is told: format, layer, columns, mapping, samples, CRS.
    report
        Faults and warnings.
    content
        What can be stored; None where the file could not be read so far.
    village
        What it was held against.
    gone
        Keys of the streets that were vacated then.
    seen
        The register's audit head then.
    """

    asked: Asked
    sha256: str
    about: Json
    report: Report
    content: Prepared | Outlines | Lines | Pieces | None
    village: Village
    gone: frozenset[str]
    seen: str

    def json(self, most: int = 200) -> Json:
        """Return what was found as API and pages tell it."""
        can = self.content is not None and not self.report.counts["faults"]
        found = self._counts() if self.content is not None else {}
        count = len(self.content) if can and self.content is not None else 0
        return {"kind": self.asked.kind, "file": self.asked.name, **self.about, **found, **self.report.json(most),
                "can_be_stored": can, "storable": count, "stored": 0}  # fmt: skip

    def _counts(self) -> Json:
        """Return what was found in numbers."""
        content = self.content
        if isinstance(content, Prepared):
            agree = sum(content.computed(self.village, k) == content.parts[k].number for k in range(len(content)))
            return {"skipped": content.same, "not_conforming": len(content) - agree}
        if isinstance(content, Outlines):
            return {"left_out": content.left_out}
        if isinstance(content, Pieces):
            return {"whole": dict(self.asked.whole)}
        assert content is not None
        names = {"new_streets": list(content.new)[:200], "missing_streets": list(content.gone)[:200]}
        return {"left_out": content.left_out, "unnamed": content.unnamed, **names}


def check(atlas: Atlas, asked: Asked, tick: Tick = no_tick) -> Checked:
    """Read a file and hold it against the map and the register; nothing is stored.

    Parameters
    ----------
    atlas
        The village and its register.
    asked
        The file.
    tick
        Told how far it is.

    Returns
    -------
    Checked
        With every fault by row.

    Raises
    ------
    StreetsError
        A file that cannot be read at all, or a mapping that cannot be used.
    """
    check_kind(asked.kind)
    asked = replace(asked, reason=plain(asked.reason, "reason"), name=file_name(asked.name),
                    whole=check_whole(asked.kind, asked.whole))  # fmt: skip
    tick("reading the file", 0, 0)
    with tempfile.TemporaryDirectory(prefix="benton-import-") as folder:
        sheet = read_file(asked.path, Path(folder), asked.kind, asked.layer, asked.name, trusted=asked.trusted)
    with atlas.database.read() as connection:
        return _checked(atlas, connection, asked, sheet, tick)


def _checked(atlas: Atlas, connection: Connection, asked: Asked, sheet: Sheet, tick: Tick) -> Checked:
    village = atlas.now(connection)
    offered, origin = offer(connection, asked.kind, list(sheet.columns), sheet.columns)
    mapping = mapped(asked.kind, list(sheet.columns), asked.mapping, offered)
    report = Report(sheet.lines)
    for row, found, expected in sheet.faults:
        report.fault(row, "row", found, expected)
    about = _about(sheet, mapping, "given" if asked.mapping else origin)
    left = left_directions(sheet, mapping, report) if asked.kind == "addresses" else []
    left += [name for name in import_streets.classes(sheet) if asked.kind == "streets" and name not in mapping]
    sheet = only(sheet, [*mapping, *left])
    try:
        crs = known_crs(village, sheet, asked.crs)
    except CrsError as error:
        for fault in error.faults:
            report.fault(0, fault.field, fault.found, fault.expected)
        crs = None
    content = _content(village, connection, asked, sheet, mapping, crs, report, tick) if crs else None
    about |= {"crs": crs.text[:200] if crs else "", "crs_said": crs.said if crs else ""}
    gone = frozenset(vacated(connection))
    return Checked(asked, _sha256(asked.path), about, report, content, village, gone, head(connection))


def _content(
    village: Village,
    connection: Connection,
    asked: Asked,
    sheet: Sheet,
    mapping: Mapping[str, str],
    crs: Known,
    report: Report,
    tick: Tick,
) -> Prepared | Outlines | Lines | Pieces:
    kind = asked.kind
    if kind == "addresses":
        return import_addresses.prepare(village, connection, sheet, mapping, crs, report, tick)
    if kind == "streets":
        return import_streets.lines(village, connection, sheet, mapping, crs, report, tick)
    if kind == "layers":
        return import_layers.pieces(village, connection, sheet, mapping, crs, report, tick, asked.whole)
    return import_shapes.outlines(village, connection, kind, sheet, mapping, crs, report, tick)


def file_name(name: str) -> str:
    """Return a file's own name, without its folder and without signs that cannot be seen."""
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return "".join(c for c in last if c.isprintable())[-200:] or "a file"


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    for part in sorted(path.iterdir()) if path.is_dir() else [path]:
        if part.is_file():
            with part.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()


def _about(sheet: Sheet, mapping: Mapping[str, str], origin: str) -> Json:
    rows = range(min(SAMPLES, len(sheet)))
    return {
        "format": sheet.format,
        "layer": sheet.layer,
        "layers": list(sheet.layers),
        "rows": len(sheet),
        "columns": list(sheet.columns),
        "mapping": dict(mapping),
        "mapping_is": origin,
        "samples": [{name: cells[k][:80] for name, cells in sheet.columns.items()} for k in rows],
        "shapes": sheet.shapes is not None,
    }


def offer(
    connection: Connection, kind: str, columns: list[str], cells: Mapping[str, Sequence[str]] | None = None
) -> tuple[dict[str, str], str]:
    """Return the mapping of columns used the last time, else one that is guessed, and which of both it is.

    Parameters
    ----------
    connection
        To the register.
    kind
        Of import.
    columns
        Of the file.
    cells
        What they hold.

    Returns
    -------
    tuple of (dict, str)
        A field for each column that has one; ``"remembered"`` or ``"guessed"``.
    """
    mine = (import_mappings.c.kind == kind) & (import_mappings.c.columns == digest_of(columns))
    row = connection.execute(sa.select(import_mappings.c.mapping).where(mine)).first()
    if row is None:
        return guess(kind, columns, cells), "guessed"
    spelt = {column.casefold(): column for column in columns}
    known = {spelt[c.casefold()]: f for c, f in row.mapping.items() if c.casefold() in spelt and f in FIELDS[kind]}
    return known, "remembered"


# --- storing ---


def bring_in(atlas: Atlas, actor: Actor, checked: Checked, tick: Tick = no_tick) -> Json:
    """Store what was checked, whole or not at all.

    Parameters
    ----------
    atlas
        The village and its register.
    actor
        Who brings it in.
    checked
        By `check`.
    tick
        Told how far it is; what it raises before the end leaves nothing stored.

    Returns
    -------
    dict
        The import's row in the register.

    Raises
    ------
    app.import_report.ImportFaultsError
        The file has faults, or the register has changed since so that it has some.
    MapStateError
        The map is another than the file was held against.
    """
    checked.report.raise_any(checked.asked.name)
    assert checked.content is not None
    ready = _ready(checked)
    tick("waiting for other writes", 0, 0)
    with atlas.database.write() as connection:
        if head(connection) != checked.seen:
            _recheck(atlas, connection, checked)
        _make_room(connection)
        act = Act(connection, actor, checked.asked.reason or f"Brought in from {checked.asked.name}.")
        row = ready(atlas, act, tick)
        _remember(act, checked)
    return row


def _make_room(connection: Connection) -> None:
    """Let SQLite keep more of its pages in memory: rows of a large file fall anywhere among those there are."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA cache_size = -{CACHE_KB}")


def _ready(checked: Checked) -> Callable[[Atlas, Act, Tick], Json]:
    """Return what stores a file; all that can be done before the transaction is done."""
    values: Json = {
        "kind": checked.asked.kind,
        "file": checked.asked.name,
        "sha256": checked.sha256,
        "layer": checked.about["layer"][:200],
        "crs": checked.about["crs"],
        "mapping": checked.about["mapping"],
        "source": checked.about["format"],
        "accuracy_ft": None,
        "rows": checked.about["rows"],
        "report": {"job": checked.asked.job, "warnings": checked.report.counts["warnings"]},
        "content": None,
        "undone_at": None,
    }
    content, village = checked.content, checked.village
    if isinstance(content, Prepared):
        return store_addresses(village, content, values)
    if isinstance(content, Outlines):
        return store_outlines(content, values)
    if isinstance(content, Pieces):
        values["report"] |= {"whole": dict(checked.asked.whole)}
        return store_pieces(content, values)
    assert isinstance(content, Lines)
    return store_lines(content, values)


def _recheck(atlas: Atlas, connection: Connection, checked: Checked) -> None:
    """See, inside the transaction, that what was checked is still so."""
    if atlas.now(connection) is not checked.village or frozenset(vacated(connection)) != checked.gone:
        raise MapStateError("The map or a street was changed while the file was checked: bring it in again.")
    if isinstance(checked.content, Prepared):
        import_addresses.recheck(connection, checked.content, checked.report)
        checked.report.raise_any(checked.asked.name)
    content = checked.content
    if isinstance(content, Outlines | Pieces):
        if isinstance(content, Outlines):
            now = import_shapes.covered_now(connection, content)
        else:
            now = frozenset(import_layers.covered(connection, content.pieces))
        if now != content.covered:
            raise MapStateError(
                f"Other {checked.asked.kind} were brought in while the file was checked: check it again."
            )


def _remember(act: Act, checked: Checked) -> None:
    """Keep the mapping for the next file with these columns."""
    key = {"kind": checked.asked.kind, "columns": digest_of(checked.about["columns"])}
    mine = sa.and_(*(import_mappings.c[name] == value for name, value in key.items()))
    act.connection.execute(sa.delete(import_mappings).where(mine))
    known = {"mapping": checked.about["mapping"], "crs": checked.asked.crs[:200]}
    made = {"made_at": act.at, "made_by": act.actor.name}
    act.connection.execute(sa.insert(import_mappings), {**key, **known, **made})


def listed(connection: Connection, *, limit: int = 0) -> list[Json]:
    """Return what was brought in, the newest first.

    Parameters
    ----------
    connection
        To the register.
    limit
        At most so many; 0 for all.

    Returns
    -------
    list of dict
        Their rows.
    """
    return registers.rows(connection, imports, order=[imports.c.id.desc()], limit=limit)


def told(row: Mapping[str, Any]) -> Json:
    """Return an import as API and pages tell it."""
    known = ("id", "kind", "file", "sha256", "layer", "crs", "mapping", "source", "rows", "reason", "made_by")
    days = {name: row[name].isoformat() if row[name] else None for name in ("made_at", "undone_at")}
    return {**{name: row[name] for name in known}, **days, **{k: v for k, v in row["report"].items() if k != "job"}}


def of_job(connection: Connection, job: str) -> Json | None:
    """Return the import that a job stored; None where it stored nothing."""
    mark = sa.cast(imports.c.report, sa.Text).contains(canonical({"job": job})[1:-1], autoescape=True)
    found = registers.rows(connection, imports, mark, limit=1)
    return found[0] if found else None


def run(
    atlas: Atlas, actor: Actor, asked: Asked, *, dry_run: bool, tick: Tick = no_tick
) -> tuple[Checked, Json | None]:
    """Check a file, and store it where it has no fault and that is wanted.

    Parameters
    ----------
    atlas
        The village and its register.
    actor
        Who asks.
    asked
        The file.
    dry_run
        Whether nothing is to be stored in any case.
    tick
        Told how far it is.

    Returns
    -------
    tuple of Checked, dict or None
        What was found, and the import's row where it was stored.

    Raises
    ------
    StreetsError
        What `check` and `bring_in` refuse; a file with faults is no error of a dry run.
    """
    checked = check(atlas, asked, tick)
    if dry_run or checked.report.counts["faults"] or checked.content is None:
        return checked, None
    if not len(checked.content):
        return checked, None
    return checked, bring_in(atlas, actor, checked, tick)
