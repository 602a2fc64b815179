"""Streets of a file, read and held to the rules that an officer's edits of the map are held to.

A file is often a whole county's: what lies outside the village is left out and said, and so are roads without a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString, MultiLineString
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app.import_addresses import Tick
from app.import_cells import rows_named
from app.import_places import DECLARE, Known
from app.import_report import Report
from app.import_shapes import shapes_told
from app.import_tables import Sheet
from app.map_versions import vacated
from app.settings import tidy
from app.street_names import as_street_name, check_halves, doubled
from app.streets import DataError, pieces_of
from app.village import Village
from gis.address import split_street_name, street_key
from gis.errors import AddressError, EditError, StreetsError
from gis.network import Piece
from gis.street_edits import DRAW, MET_FT, NEAR_FT, StreetEdit, check_street_edit

TOP_FT = 10.0
"""Two streets so near each other lie on one another."""
STRETCH_FT = 100.0
"""Streets that meet or cross at an acute angle lie on one another for less than this."""
_ANY = "a street"
_CLASSES = {"S1730": "alley", "S1740": "private", "S1710": "path", "S1720": "path", "S1820": "path", "S1830": "path"}
_CLASSES |= {"service": "private", "track": "private"}
"""Kinds of streets by the feature class of TIGER or the highway tag of OpenStreetMap; the others are streets."""
_Found = list[tuple[int, Piece]]


@dataclass(frozen=True, eq=False)
class Lines:
    """Streets ready to be stored.

    Parameters
    ----------
    pieces
        Their pieces, under the names the map has or will have.
    new, gone
        Names that the map has not yet, and names of the map that the file has not.
    left_out, unnamed
        How many rows lie outside the village, and how many have no name.
    """

    pieces: Sequence[Piece] = ()
    new: Sequence[str] = ()
    gone: Sequence[str] = ()
    left_out: int = 0
    unnamed: int = 0

    def __len__(self) -> int:
        return len(self.pieces)


def classes(sheet: Sheet) -> list[str]:
    """Return the column of classes, TIGER's or OpenStreetMap's, that tell a street's kind; none where there is none."""
    return [name for name in sheet.columns if name.upper() in {"MTFCC", "HIGHWAY"}][:1]


def lines(
    village: Village,
    connection: Connection,
    sheet: Sheet,
    mapping: Mapping[str, str],
    crs: Known,
    report: Report,
    tick: Tick,
) -> Lines:
    """Read a file's streets; every fault goes to the report.

    A name that the map has in another spelling is taken as the map has it. A name it has not is kept, and called
    inferred until an officer confirms it.

    Parameters
    ----------
    village
        The village in force.
    connection
        To the register, read only.
    sheet
        The file.
    mapping
        A field for each column that has one.
    crs
        Of its coordinates.
    report
        Takes faults and warnings.
    tick
        Told how far it is.

    Returns
    -------
    Lines
        What can be stored, where the report has no fault.
    """
    columns = {field: column for column, field in mapping.items()}
    tick("reading streets", 0, len(sheet))
    shapes = shapes_told(sheet, columns, report)
    if "name" not in columns:
        report.fault(0, "columns", ", ".join(sheet.columns)[:200] or "none", "a column of street names; map it")
    if shapes is None or "name" not in columns:
        return Lines()
    texts = [tidy(cell) for cell in sheet.cells(columns["name"])]
    bare = _unnamed(texts, report)
    found = _placed(village, sheet, columns, shapes, [k for k, text in enumerate(texts) if text], crs, report)
    if found is None:
        return Lines()
    inside, out = _within(village, found, report)
    tick("comparing with the map", len(sheet), len(sheet))
    kept = _under_names(village, connection, texts, sheet.cells(columns.get("name_status")), inside, report)
    _check_lines(kept, report)
    _warn_on_top(kept, report)
    names, now = {piece.name for _, piece in kept}, set(village.network.by_name)
    _check_bases(village, names, bool(out) and not kept, report)
    return Lines(tuple(piece for _, piece in kept), sorted(names - now), sorted(now - names), len(out), len(bare))


def _unnamed(texts: Sequence[str], report: Report) -> list[int]:
    """Warn of rows without a name; returns them."""
    bare = [row for row, text in enumerate(texts, 1) if not text]
    if bare:
        report.warn(0, "name", _counted(bare, "without a name"), f"left out: {rows_named(bare, report)}")
    return bare


def _counted(rows: Sequence[int], what: str) -> str:
    return f"{len(rows):,} row{'' if len(rows) == 1 else 's'} {what}"


def _check_bases(village: Village, names: set[str], all_out: bool, report: Report) -> None:
    made = village.files.settings
    if all_out:
        report.fault(0, "geometry", f"every street outside {made.name}", DECLARE)
        return
    for base in (made.base_ew, made.base_ns):
        if base not in names:
            report.fault(0, "name", f"no {base}", "the streets of both base lines, by the names the map has")


# --- where they lie ---


def _placed(
    village: Village,
    sheet: Sheet,
    columns: Mapping[str, str],
    shapes: NDArray[np.object_],
    rows: Sequence[int],
    crs: Known,
    report: Report,
) -> _Found | None:
    """Return each line of some rows in the working CRS, named later; None where one is at fault."""
    at: list[int] = []
    parts: list[BaseGeometry | None] = []
    for k in rows:
        own = _parts(shapes[k])
        at += [k] * len(own)
        parts += own
    table = {name: [cells[k] for k in at] for name, cells in _cells(sheet, columns).items()}
    table["name"] = [_ANY] * len(at)
    wkb = shapely.to_wkb(np.array(parts, dtype=object)).tolist() if parts else []
    try:
        pieces = pieces_of(table, wkb, crs.text, village.files.settings.working_crs)
    except DataError as error:
        told = set()
        for fault in error.faults:
            row, _, field = fault.field.removeprefix("row ").partition(": ")
            known = (at[int(row) - 1] + 1 if row.isdigit() else 0, field or fault.field, fault.found, fault.expected)
            if known not in told:
                report.fault(*known)
            told.add(known)
        return None
    return [(k + 1, piece) for k, piece in zip(at, pieces, strict=True)]


def _parts(shape: BaseGeometry | None) -> list[BaseGeometry | None]:
    if not isinstance(shape, MultiLineString):
        return [shape]
    return [part for part in shapely.get_parts(shape).tolist() if not part.is_empty] or [shape]


def _cells(sheet: Sheet, columns: Mapping[str, str]) -> dict[str, Sequence[Any]]:
    """Return the columns that the reader of streets takes, but for the names."""
    kept = {field: sheet.cells(column) for field, column in columns.items() if field not in {"name", "wkt"}}
    if "kind" not in kept and (own := classes(sheet)):
        kept["kind"] = [_CLASSES.get(cell, "street") for cell in sheet.columns[own[0]]]
    return kept


def _within(village: Village, found: _Found, report: Report) -> tuple[_Found, list[int]]:
    """Keep what lies in the village; returns it, and the rows of which nothing does.

    A road that leaves the village is kept as far as the village's streets reach, so that the next file of the same
    county makes the village no larger.
    """
    kept: _Found = []
    edge = village.network.edge
    shapely.prepare(edge)
    reach: BaseGeometry | None = None
    for row, piece in found:
        if edge.covers(piece.line):
            kept.append((row, piece))
        elif edge.intersects(piece.line):
            reach = reach or _reach(village)
            parts = shapely.get_parts(piece.line.intersection(reach)).tolist()
            own = [part for part in parts if isinstance(part, LineString) and part.length > MET_FT]
            kept += [(row, replace(piece, line=part)) for part in own]
            if own:
                past = piece.line.length - sum(part.length for part in own)
                expected = "left out: it is kept as far as the village's streets reach"
                report.warn(row, "geometry", f"{past:,.0f} ft of it outside {village.files.settings.name}", expected)
    inside = {row for row, _ in kept}
    out = sorted({row for row, _ in found} - inside)
    if out:
        words = _counted(out, f"outside {village.files.settings.name}")
        report.warn(0, "geometry", words, f"left out: {rows_named(out, report)}")
    return kept, out


def _reach(village: Village) -> BaseGeometry:
    """Return how far the village's streets reach; past the ends of none."""
    own = MultiLineString([piece.line for piece in village.network.pieces])
    return shapely.union(village.network.hull, shapely.buffer(own, NEAR_FT, cap_style="flat"))


# --- their names ---


def _under_names(
    village: Village,
    connection: Connection,
    texts: Sequence[str],
    statuses: Sequence[str],
    found: _Found,
    report: Report,
) -> _Found:
    """Give each line the name that the map has or will have; a name that no street may have is a fault of its rows."""
    known = {piece.name: piece.name_status for piece in village.network.pieces}
    gone = vacated(connection)
    read = {text: _street(village, text) for text in dict.fromkeys(texts[row - 1] for row, _ in found)}
    spelt: dict[str, str] = {}
    named: _Found = []
    told: set[int] = set()
    for row, piece in found:
        text = texts[row - 1]
        name, words, is_new = read[text]
        if is_new and (first := spelt.setdefault(street_key(name), name)) != name:
            name, words = first, f"taken as {first}, as another row has it"
        if row not in told and words:
            report.warn(row, "name", text, words)
        if row not in told and street_key(name) in gone:
            report.warn(row, "name", f"{name}, vacated", "not on the map that is made of the file")
        told.add(row)
        status = piece.name_status if statuses[row - 1] else "inferred" if is_new else known.get(name, "confirmed")
        named.append((row, replace(piece, name=name, name_status=status)))
    _check_new(village, list(spelt.values()), named, report)
    return named


def _street(village: Village, text: str) -> tuple[str, str, bool]:
    """Return the name under which a street is brought in, why it is another than the file's, and whether it is new."""
    try:
        parts = split_street_name(text)
    except AddressError:
        parts = None
    bare = parts.street if parts and parts.pre_directional else ""
    for spelling in filter(None, (text, bare)):
        try:
            name = village.street_name(spelling)
        except StreetsError:
            continue
        words = []
        if spelling != text:
            words.append("the direction is a half, no part of the name")
        if street_key(spelling) != street_key(name):
            words.append("as named since")
        if not words and name != text:
            words.append("as the map has it")
        return name, f"taken as {name}, {' and '.join(words)}" if words else "", False
    full = f"{parts.pre_directional} {parts.street}".strip() if parts else text
    return full, f"taken as {full}, in full words" if full != text else "", True


def _check_new(village: Village, names: Sequence[str], found: _Found, report: Report) -> None:
    """Refuse names that no edit of the map could give."""
    wrong: dict[str, StreetsError] = {}
    for name in names:
        try:
            as_street_name(name)
            if other := doubled(village, name) or _doubled_beside(name, names):
                raise StreetsError.of("name", name, f"a name that no other street has; {other} has it")
            check_halves(village, name, beside=[other for other in names if other != name])
        except StreetsError as error:
            wrong[name] = error
    for row, name in dict.fromkeys((row, piece.name) for row, piece in found):
        for fault in wrong[name].faults if name in wrong else ():
            words = fault.found if name in fault.found else f"{name}: {fault.found}"
            report.fault(row, "name", words, fault.expected)


def _doubled_beside(name: str, names: Iterable[str]) -> str:
    """Return another name of the file that is this one with a type; ``""`` where none is."""
    for other in names:
        try:
            kind = split_street_name(other).street_post_type
        except AddressError:
            continue
        if other != name and kind and street_key(f"{name} {kind}") == street_key(other):
            return other
    return ""


# --- their lines ---


def _check_lines(found: _Found, report: Report) -> None:
    """Refuse lines that no officer could draw; a short one is fine where its street is longer."""
    lengths: dict[str, float] = {}
    for _, piece in found:
        lengths[piece.name] = lengths.get(piece.name, 0.0) + piece.line.length
    for row, piece in found:
        if piece.line.length <= MET_FT < lengths[piece.name]:
            continue
        line = tuple((x, y) for x, y in piece.line.coords)
        known = {"block_line": piece.block_line, "name_status": piece.name_status, "accuracy_ft": piece.accuracy_ft}
        try:
            check_street_edit(StreetEdit(DRAW, piece.name, to=piece.kind, line=line, **known))  # type: ignore[arg-type]
        except EditError as error:
            for fault in error.faults:
                report.fault(row, "geometry" if fault.field == "line" else fault.field, fault.found, fault.expected)
    _check_twice(found, report)


def _check_twice(found: _Found, report: Report) -> None:
    """Refuse a line that its street has already in another row."""
    tree = shapely.STRtree([piece.line for _, piece in found])
    for k, (row, piece) in enumerate(found):
        there = piece.line.buffer(MET_FT)
        for j in sorted(tree.query(there, predicate="intersects").tolist()):
            before, other = found[j]
            if j >= k or other.name != piece.name:
                continue
            shared = other.line.intersection(there).length
            if shared > max(4 * MET_FT, min(piece.line.length, other.line.length) / 2):
                words = f"a line that {piece.name} has already in {report.name(before)}"
                report.fault(row, "geometry", words, "each line of a street once")
                break


def _warn_on_top(found: _Found, report: Report) -> None:
    """Warn of streets that lie on one another for more than a short stretch, naming both."""
    own: dict[str, list[tuple[int, Piece]]] = {}
    for row, piece in found:
        own.setdefault(piece.name, []).append((row, piece))
    names = list(own)
    shapes = [MultiLineString([piece.line for _, piece in own[name]]) for name in names]
    pairs = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=TOP_FT).T if shapes else ()
    for a, b in sorted((int(a), int(b)) for a, b in pairs if a < b):
        short, long = sorted((shapes[a], shapes[b]), key=lambda shape: shape.length)
        shared = short.intersection(long.buffer(TOP_FT)).length
        if shared > max(2 * TOP_FT, min(STRETCH_FT, short.length / 2)):
            rows = [own[name][0][0] for name in (names[a], names[b])]
            words = f"{names[b]} lies on {names[a]} for {shared:,.0f} ft"
            both = f"{report.name(rows[0])} and {report.name(rows[1])}"
            report.warn(max(rows), "geometry", words, f"both are brought in: see whether both are there, {both}")
