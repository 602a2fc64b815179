"""The places of a file's rows: its coordinate reference system, and its points in the working CRS."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import MultiPoint, Point
from shapely.geometry.base import BaseGeometry

from app.import_report import Report
from app.import_tables import Sheet
from app.village import Village
from gis.crs import Projector, is_geographic, looks_like_degrees, to_working
from gis.errors import CrsError
from gis.linework import Floats

TAKEN = "a point; one inside the shape was taken, with the placement Parcel where the file says no other"
DECLARE = "the CRS of the file: EPSG:4326 for longitude and latitude of GPS, EPSG:7608 for county feet"


@dataclass(frozen=True)
class Known:
    """The CRS of a file, and the way into the working CRS.

    Parameters
    ----------
    text
        The CRS.
    said
        Who says so, in words.
    degrees
        Whether its coordinates are longitude and latitude.
    project
        Into US survey feet.
    """

    text: str
    said: str
    degrees: bool
    project: Projector


def known_crs(village: Village, sheet: Sheet, given: str) -> Known:
    """Return the CRS that a file declares or a person gives; it is never guessed.

    Parameters
    ----------
    village
        For the working CRS.
    sheet
        The file.
    given
        By the person; ``""`` where nothing is.

    Returns
    -------
    Known
        Ready to project.

    Raises
    ------
    CrsError
        Neither says it, both say it and differ, or it cannot be used.
    """
    own = sheet.crs if not (given and sheet.crs_assumed) else None
    if not own and not given.strip():
        raise CrsError.of("crs", "none in the file, and none given", DECLARE)
    text = (own or given).strip()
    project = to_working(text, village.files.settings.working_crs)
    if own and given.strip():
        there = to_working(given.strip(), village.files.settings.working_crs)
        if given.strip() != own and there is not project and not _alike(own, given.strip()):
            raise CrsError.of("crs", f"{given.strip()[:60]} given, and {own[:60]} in the file", "one of them")
    said = "given" if not own else sheet.crs_assumed or "the file says so"
    return Known(text, said, is_geographic(text), project)


def _alike(one: str, other: str) -> bool:
    from pyproj import CRS

    return bool(CRS.from_user_input(one).equals(CRS.from_user_input(other), ignore_axis_order=True))


def shapes_of(sheet: Sheet, columns: Mapping[str, str], report: Report) -> NDArray[np.object_] | None:
    """Return the file's own shapes, or those that a column of texts holds; None where it has none.

    Parameters
    ----------
    sheet
        The file.
    columns
        The column of each field.
    report
        Takes what cannot be read.

    Returns
    -------
    ndarray or None
        A geometry or None for each row.
    """
    if "wkt" not in columns:
        return sheet.shapes
    made = np.empty(len(sheet), dtype=object)
    with np.errstate(invalid="ignore"):
        texts = np.asarray([cell or None for cell in sheet.cells(columns["wkt"])], dtype=object)
        made[:] = shapely.from_wkt(texts, on_invalid="ignore")
    for k, (text, shape) in enumerate(zip(texts, made, strict=True), start=1):
        if text is not None and shape is None:
            report.fault(k, "wkt", text, "a shape as well-known text, such as POLYGON ((...))")
    return made


def points(village: Village, sheet: Sheet, columns: Mapping[str, str], crs: Known, report: Report) -> Floats:
    """Return the place of each row in the working CRS; a row whose place is at fault is NaN.

    Parameters
    ----------
    village
        Where the places must lie.
    sheet
        The file.
    columns
        The column of each field.
    crs
        Of the file.
    report
        Takes the faults.

    Returns
    -------
    ndarray, shape (n, 2)
        US survey feet.
    """
    shapes = shapes_of(sheet, columns, report) if not {"x", "y"} <= columns.keys() or sheet.shapes is not None else None
    xy = _typed(sheet, columns, report) if shapes is None else _of_shapes(shapes, report)
    known = np.isfinite(xy).all(axis=1)
    if not crs.degrees and known.any() and looks_like_degrees((*xy[known].min(axis=0), *xy[known].max(axis=0))):
        report.fault(0, "crs", f"{crs.text[:60]}, with coordinates that look like degrees", DECLARE)
        return np.full_like(xy, np.nan)
    feet = np.full_like(xy, np.nan)
    feet[known] = np.column_stack(crs.project(xy[known, 0], xy[known, 1]))
    inside = np.array(np.isfinite(feet).all(axis=1))
    shapely.prepare(village.network.edge)
    inside[inside] = shapely.contains_xy(village.network.edge, feet[inside, 0], feet[inside, 1])
    for k in np.flatnonzero(known & ~inside).tolist():
        report.fault(k + 1, "position", _pair(xy[k]), _expected(village, crs, xy[k]))
    feet[~inside] = np.nan
    return feet


def _pair(xy: Sequence[float]) -> str:
    return f"({float(xy[0])!r}, {float(xy[1])!r})"


def _expected(village: Village, crs: Known, xy: Sequence[float]) -> str:
    there = f"a place in {village.files.settings.name}"
    if crs.degrees and abs(xy[0]) <= 90:
        east, north = crs.project(np.array([xy[1]]), np.array([xy[0]]))
        if np.isfinite(east).all() and shapely.contains_xy(village.network.edge, east, north).all():
            return f"longitude before latitude: x is the longitude, and {there}"
    return there


def _typed(sheet: Sheet, columns: Mapping[str, str], report: Report) -> Floats:
    """Read columns of coordinates."""
    xy = np.full((len(sheet), 2), np.nan)
    missing = [name for name in ("x", "y") if name not in columns]
    if missing:
        had = ", ".join(sheet.columns)[:200] or "none"
        report.fault(0, "columns", f"no place of the rows: {had}", f"columns for {' and '.join(missing)}, or shapes")
        return xy
    for at, name in enumerate(("x", "y")):
        for k, cell in enumerate(sheet.cells(columns[name])):
            try:
                xy[k, at] = float(cell.replace(",", ".") if cell.count(",") == 1 and "." not in cell else cell)
            except ValueError:
                xy[k, at] = math.nan
            if not math.isfinite(xy[k, at]):
                xy[k, at] = math.nan
                report.fault(k + 1, columns[name], cell, "a coordinate: an address without a place is not brought in")
    return xy


def _of_shapes(shapes: NDArray[np.object_], report: Report) -> Floats:
    xy = np.full((len(shapes), 2), np.nan)
    for k, shape in enumerate(shapes):
        point = _point(shape)
        if point is None or not (math.isfinite(point.x) and math.isfinite(point.y)):
            found = "no geometry" if shape is None or shape.is_empty else f"a {shape.geom_type} without a place"
            report.fault(k + 1, "geometry", found, "a point, or a shape that holds one, with finite coordinates")
            continue
        xy[k] = point.x, point.y
        if not isinstance(shape, Point):
            report.warn(k + 1, "geometry", f"a {shape.geom_type}", TAKEN)
    return xy


def area_rows(sheet: Sheet, columns: Mapping[str, str]) -> frozenset[int]:
    """Return the rows, counted from 1, whose place was taken inside an area."""
    if {"x", "y"} <= columns.keys() and sheet.shapes is None:
        return frozenset()
    shapes = shapes_of(sheet, columns, Report())
    if shapes is None:
        return frozenset()
    return frozenset((np.flatnonzero(np.isin(shapely.get_type_id(shapes), (3, 6))) + 1).tolist())


def _point(shape: BaseGeometry | None) -> Point | None:
    if shape is None or shape.is_empty:
        return None
    if isinstance(shape, Point):
        return shape
    if isinstance(shape, MultiPoint):
        return shape.geoms[0] if len(shape.geoms) == 1 else None
    with np.errstate(invalid="ignore"):
        if not np.isfinite(shapely.get_coordinates(shape)).all():
            return None
        inside = shapely.point_on_surface(shape)
    return inside if isinstance(inside, Point) and not inside.is_empty else None
