"""Lots and buildings of a file, read and held against the village."""

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

from app.import_addresses import AT_ONCE, Tick
from app.import_ground import check_ground, covered
from app.import_places import DECLARE, Known, shapes_of
from app.import_report import Report
from app.import_tables import Sheet
from app.lots import as_polygon
from app.positions import MOST_VERTICES
from app.village import Village
from gis.crs import looks_like_degrees
from gis.linework import Floats

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
    covered
        Ids of what stands under other labels and lies under these.
    """

    kind: str
    rows: Sequence[int]
    labels: Sequence[str]
    shapes: Sequence[Json]
    bounds: Floats
    left_out: int
    covered: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.labels)


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
    shapes = shapes_told(sheet, columns, report)
    labels = _labels(kind, sheet, columns, report)
    if shapes is None or not projected(shapes, crs, report):
        return Outlines(kind, [], [], [], np.zeros((0, 4)), 0)
    rows, found, left_out = _inside(village, shapes, labels, report, tick)
    tick("comparing with the register", len(shapes), len(shapes))
    bounds = np.asarray(shapely.bounds(found), dtype=np.float64).reshape(-1, 4)
    own, named = [k + 1 for k in rows], [labels[k] for k in rows]
    over = check_ground(connection, kind, own, named, found, report)
    return Outlines(kind, own, named, [_json(part) for part in found], bounds, left_out, over)


def _inside(
    village: Village, shapes: NDArray[np.object_], labels: Sequence[str], report: Report, tick: Tick
) -> tuple[list[int], list[Polygon], int]:
    """Return the polygons that touch the village with the place of each one's row, and how many rows lie outside."""
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
    return rows, found, left_out


def covered_now(connection: Connection, found: Outlines) -> frozenset[int]:
    """Return the ids of what stands now and lies under the shapes of a file."""
    return frozenset(covered(connection, found.kind, found.labels, [as_polygon(shape) for shape in found.shapes]))


def shapes_told(sheet: Sheet, columns: Mapping[str, str], report: Report) -> NDArray[np.object_] | None:
    """Return the shapes of a file; a file that has none is at fault."""
    shapes = shapes_of(sheet, columns, report)
    if shapes is None:
        report.fault(0, "columns", ", ".join(sheet.columns)[:200] or "none", "shapes, or a column of them as WKT")
    return shapes


def projected(shapes: NDArray[np.object_], crs: Known, report: Report) -> bool:
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
