"""Lots, buildings and streets of a file, read and held against the village."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry
from shapely.validation import explain_validity
from sqlalchemy.engine import Connection

from app.assign import MOST_VERTICES
from app.import_addresses import AT_ONCE, Prepared, Tick
from app.import_places import DECLARE, Known, shapes_of
from app.import_report import Report
from app.import_tables import Sheet
from app.streets import DataError, pieces_of
from app.village import Village
from gis.address import split_street_name, street_key
from gis.crs import looks_like_degrees
from gis.errors import AddressError, StreetsError
from gis.linework import Floats
from gis.network import Piece

Json = dict[str, Any]
MOST_ROUND_FT = 100_000
LONGEST_LABEL = 100


@dataclass(frozen=True, eq=False)
class Outlines:
    """Lots or buildings ready to be stored, by column; each part of a lot that lies in several has a row of its own.

    Parameters
    ----------
    kind
        lots or buildings.
    rows
        The row of each in the file.
    labels
        Parcel numbers or building codes.
    shapes
        GeoJSON polygons in the working CRS, to a thousandth of a foot.
    bounds
        West, south, east, north of each, feet, shape (n, 4).
    left_out
        How many rows lie outside the village.
    """

    kind: str
    rows: Sequence[int]
    labels: Sequence[str]
    shapes: Sequence[Json]
    bounds: Floats
    left_out: int

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, eq=False)
class Lines:
    """Streets ready to be stored.

    Parameters
    ----------
    pieces
        Their pieces, under the names the map has or will have.
    new, gone
        Names that the map has not yet, and names of the map that the file has not.
    """

    pieces: Sequence[Piece]
    new: Sequence[str]
    gone: Sequence[str]

    def __len__(self) -> int:
        return len(self.pieces)


def counts(village: Village, content: Prepared | Outlines | Lines) -> Json:
    """Return in numbers what would be stored.

    Parameters
    ----------
    village
        The village it was held against.
    content
        What was found without fault.

    Returns
    -------
    dict
        ``stored`` and what belongs to the kind.
    """
    if isinstance(content, Prepared):
        agree = sum(content.computed(village, k) == content.parts[k].number for k in range(len(content)))
        return {"stored": len(content), "skipped": content.same, "not_conforming": len(content) - agree}
    if isinstance(content, Outlines):
        return {"stored": len(content), "left_out": content.left_out}
    return {"stored": len(content), "new_streets": list(content.new)[:200], "missing_streets": list(content.gone)[:200]}


def outlines(
    village: Village,
    connection: Connection,
    kind: str,
    sheet: Sheet,
    mapping: Mapping[str, str],
    crs: Known,
    report: Report,
    tick: Tick,
) -> Outlines:
    """Read a file's lots or buildings; every fault goes to the report.

    Parameters
    ----------
    village
        The village in force.
    connection
        To the register, read only.
    kind
        lots or buildings.
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
    Outlines
        What can be stored, where the report has no fault.
    """
    columns = {field: column for column, field in mapping.items()}
    shapes = _shapes(sheet, columns, report)
    labels = _labels(kind, sheet, columns, report)
    if shapes is None or not _projected(shapes, crs, report):
        return Outlines(kind, [], [], [], np.zeros((0, 4)), 0)
    rows, found = [], []
    left_out = 0
    shapely.prepare(village.network.edge)
    for k, shape in enumerate(shapes):
        if k % AT_ONCE == 0:
            tick("reading shapes", k, len(shapes))
        parts = _polygons(shape, k + 1, report)
        inside = [part for part in parts if village.network.edge.intersects(part)]
        if parts and not inside:
            left_out += 1
            report.warn(k + 1, "geometry", f"outside {village.files.settings.name}", "left out")
        if len(inside) > 1:
            report.warn(k + 1, "geometry", f"{len(inside)} parts", f"each part of {labels[k]} has a row of its own")
        rows += [k] * len(inside)
        found += inside
    if left_out == len(shapes):
        report.fault(0, "geometry", f"every row outside {village.files.settings.name}", DECLARE)
    bounds = np.asarray(shapely.bounds(found), dtype=np.float64).reshape(-1, 4)
    return Outlines(kind, [k + 1 for k in rows], [labels[k] for k in rows], [_json(p) for p in found], bounds, left_out)


def _shapes(sheet: Sheet, columns: Mapping[str, str], report: Report) -> NDArray[np.object_] | None:
    shapes = shapes_of(sheet, columns, report)
    if shapes is None:
        report.fault(0, "columns", ", ".join(sheet.columns)[:200] or "none", "shapes, or a column of them as WKT")
    return shapes


def _projected(shapes: NDArray[np.object_], crs: Known, report: Report) -> bool:
    """Put shapes into the working CRS, in their place; a fault of the CRS itself is told once."""
    xy = shapely.get_coordinates(shapes)
    known = xy[np.isfinite(xy).all(axis=1)]
    if not crs.degrees and len(known) and looks_like_degrees((*known.min(axis=0), *known.max(axis=0))):
        report.fault(0, "crs", f"{crs.text[:60]}, with coordinates that look like degrees", DECLARE)
        return False
    if len(xy):
        shapely.set_coordinates(shapes, np.column_stack(crs.project(xy[:, 0], xy[:, 1])))
    return True


def _labels(kind: str, sheet: Sheet, columns: Mapping[str, str], report: Report) -> list[str]:
    field = "parcel" if kind == "lots" else "code"
    if field not in columns and kind == "lots":
        report.fault(0, "columns", ", ".join(sheet.columns)[:200] or "none", "a column of parcel numbers; map it")
        return [""] * len(sheet)
    if field not in columns:
        report.warn(0, "code", "no column of codes", "a later import without codes takes the place of this one")
        return [""] * len(sheet)
    first: dict[str, int] = {}
    labels = [" ".join(cell.split()) for cell in sheet.cells(columns[field])]
    for row, label in enumerate(labels, start=1):
        if not label or len(label) > LONGEST_LABEL or not label.isprintable():
            report.fault(row, field, label, f"1 to {LONGEST_LABEL} letters, digits and signs")
        elif first.setdefault(label, row) != row:
            both = f"{report.name(first[label])} and {report.name(row)}"
            report.fault(row, field, f"{label} in {both}", f"each {field} once")
    return labels


def _polygons(shape: BaseGeometry | None, row: int, report: Report) -> list[Polygon]:
    """Return the polygons of a row; none where it is at fault. Nothing is repaired."""
    if shape is None or shape.is_empty or shape.geom_type not in {"Polygon", "MultiPolygon"}:
        found = "no geometry" if shape is None or shape.is_empty else f"a {shape.geom_type}"
        report.fault(row, "geometry", found, "a polygon")
        return []
    wrong = ""
    if not np.isfinite(shapely.get_coordinates(shape)).all():
        wrong = "a coordinate that is no finite number, or beyond the working CRS"
    elif not shape.is_valid:
        wrong = explain_validity(shape)
    elif shape.area <= 0:
        wrong = "a shape without area"
    elif shape.length > MOST_ROUND_FT or shapely.get_num_coordinates(shape) > MOST_VERTICES:
        wrong = f"{shape.length:,.0f} ft round, of {shapely.get_num_coordinates(shape):,} vertices"
    if wrong:
        report.fault(row, "geometry", wrong, f"a valid polygon, {MOST_ROUND_FT:,} ft round at most")
        return []
    return [part for part in shapely.get_parts(shape).tolist() if isinstance(part, Polygon)]


def _json(shape: Polygon) -> Json:
    rings = [shape.exterior, *shape.interiors]
    return {"type": "Polygon", "coordinates": [shapely.get_coordinates(ring).round(3).tolist() for ring in rings]}


# --- streets ---

_ALLEY = {"S1730": "alley", "S1740": "private", "S1710": "path", "S1720": "path", "S1820": "path", "S1830": "path"}
"""Kinds of streets by the feature class of TIGER; the others are streets."""


def lines(village: Village, sheet: Sheet, mapping: Mapping[str, str], crs: Known, report: Report, tick: Tick) -> Lines:
    """Read a file's streets; every fault goes to the report.

    A name that the map has in another spelling is taken as the map has it. A name it has not is kept, and called
    inferred until an officer confirms it.

    Parameters
    ----------
    village
        The village in force.
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
    shapes = _shapes(sheet, columns, report)
    if "name" not in columns:
        report.fault(0, "columns", ", ".join(sheet.columns)[:200] or "none", "a column of street names; map it")
    if shapes is None or "name" not in columns:
        return Lines((), (), ())
    named = [_street(village, cell, row, report) for row, cell in enumerate(sheet.cells(columns["name"]), start=1)]
    table = _cells(village, sheet, columns, [name for name, _ in named], [status for _, status in named])
    try:
        pieces = pieces_of(table, shapely.to_wkb(shapes).tolist(), crs.text, village.files.settings.working_crs)
    except DataError as error:
        for fault in error.faults:
            row, _, field = fault.field.removeprefix("row ").partition(": ")
            report.fault(int(row) if row.isdigit() else 0, field or fault.field, fault.found, fault.expected)
        return Lines((), (), ())
    made = village.files.settings
    names = {piece.name for piece in pieces}
    for base in (made.base_ew, made.base_ns):
        if base not in names:
            report.fault(0, "name", f"no {base}", "the streets of both base lines, by the names the map has")
    if not any(piece.line.intersects(village.network.edge) for piece in pieces):
        report.fault(0, "geometry", f"every street outside {made.name}", DECLARE)
    now = set(village.network.by_name)
    return Lines(pieces, sorted(names - now), sorted(now - names))


def _street(village: Village, cell: str, row: int, report: Report) -> tuple[str, str]:
    """Return the name and its status under which a street is brought in."""
    text = " ".join(cell.split())
    try:
        parts = split_street_name(text) if text else None
    except AddressError:
        parts = None
    for spelling in (text, parts.street if parts else ""):
        try:
            name = village.street_name(spelling)
        except StreetsError:
            continue
        if name != text and street_key(name) != street_key(text):
            report.warn(row, "name", text, f"taken as {name}: the direction is a half, no part of the name")
        elif name != text:
            report.warn(row, "name", text, f"taken as {name}, as the map has it")
        return name, ""
    full = f"{parts.pre_directional} {parts.street}".strip() if parts else text
    if full != text:
        report.warn(row, "name", text, f"taken as {full}, in full words")
    return full, "inferred"


def _cells(
    village: Village, sheet: Sheet, columns: Mapping[str, str], names: Sequence[str], statuses: Sequence[str]
) -> dict[str, Sequence[Any]]:
    """Return the columns that the reader of streets takes."""
    known = {piece.name: piece.name_status for piece in village.network.pieces}
    kept = {field: sheet.cells(column) for field, column in columns.items() if field not in {"name", "wkt"}}
    given = kept.get("name_status", [""] * len(sheet))
    own = [
        cell or status or known.get(name, "confirmed")
        for cell, status, name in zip(given, statuses, names, strict=True)
    ]
    classes = next((cells for name, cells in sheet.columns.items() if name.upper() == "MTFCC"), None)
    if "kind" not in kept and classes is not None:
        kept["kind"] = [_ALLEY.get(cell, "street") for cell in classes]
    return {**kept, "name": list(names), "name_status": own}
