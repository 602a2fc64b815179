"""Positions and shapes as people send them, read into the working CRS: what is none is refused by its place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
import shapely
from shapely import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from app.village import LONLAT, Village
from gis.crs import check_feet, check_lonlat, is_geographic
from gis.datum import DATUMS, GPS, NAD83_2011, Shift, decimal_year, is_of_gps, shifted
from gis.errors import GeometryError
from gis.linework import Floats
from gis.lots import check_polygon

Json = dict[str, Any]

MOST_VERTICES = 10_000
"""A shape with more vertices is refused."""
MOST_ACROSS_FT = 5280.0
"""A thing that is measured is at most a mile across; what is longer was meant for something else."""
POLYGONS = ("Polygon", "MultiPolygon")
LINES = ("LineString", "MultiLineString")
SHAPES = ("Point", *LINES, *POLYGONS)
_LEAST = {"LineString": 2, "Polygon": 4}


def into_feet(village: Village, x: float, y: float, crs: str) -> tuple[float, float]:
    """Return a position in the working CRS, US survey feet, refusing what is no position there."""
    for name, value in (("x", x), ("y", y)):
        if not math.isfinite(value):
            raise GeometryError.of(name, value, "a finite number")
    project = village.into_feet(crs)
    if is_geographic(crs):
        check_lonlat(x, y, field="x, y", working=village.files.settings.working_crs)
    east, north = project(x, y)
    if not is_geographic(crs):
        check_feet(east, north, bounds=village.network.edge.bounds, field="x, y")
    return float(east), float(north)


@dataclass(eq=False)
class Positions:
    """How the positions of one request come in: their CRS, and whether they are of GPS.

    Parameters
    ----------
    village
        The village.
    crs
        Of the coordinates.
    datum
        ``"gps"``, ``"nad83-2011"``, or ``""``: GPS where the CRS is that of GPS.
    epoch
        When they were taken, decimal year; None for the day given.
    day
        The day of the request.
    bounded
        Whether a shape that reaches far out of the village, or is more than a mile across, is refused.

    Raises
    ------
    StreetsError
        An unknown CRS or datum.
    """

    village: Village
    crs: str = LONLAT
    datum: str = ""
    epoch: float | None = None
    day: date | None = None
    bounded: bool = True
    _read: bool = False
    _moved: list[Floats] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.datum not in ("", *DATUMS):
            raise GeometryError.of("datum", self.datum, f"one of {', '.join(DATUMS)}")
        if not self.datum:
            self.datum = GPS if is_of_gps(self.crs) else NAD83_2011
        if self.epoch is None:
            self.epoch = decimal_year(self.day or date.today())

    @property
    def shift(self) -> Shift | None:
        """How far the positions read so far were moved; None where they are not of GPS, or none was read."""
        if self.datum != GPS or not self._moved:
            return None
        east, north = np.concatenate(self._moved).mean(axis=0)
        assert self.epoch is not None
        return Shift(float(east), float(north), self.epoch)

    @property
    def told(self) -> Json:
        """What is said of the datum in an answer."""
        shift = self.shift
        if not self._read:
            return {"datum": self.datum, "shifted": False, "east_ft": 0.0, "north_ft": 0.0, "epoch": None,
                    "note": "No position was given."}  # fmt: skip
        if shift is None:
            return {"datum": self.datum, "shifted": False, "east_ft": 0.0, "north_ft": 0.0, "epoch": None,
                    "note": "Taken as NAD83(2011): not shifted."}  # fmt: skip
        ways = ("east" if shift.east_ft >= 0 else "west", "north" if shift.north_ft >= 0 else "south")
        away = math.hypot(shift.east_ft, shift.north_ft)
        note = (
            f"The position is from GPS (WGS 84): it was moved {abs(shift.east_ft):.2f} ft {ways[0]} and "
            f"{abs(shift.north_ft):.2f} ft {ways[1]}, {away:.1f} ft in all, into NAD83(2011), epoch {shift.epoch:.2f}."
        )
        return {"datum": GPS, "shifted": True, "east_ft": round(shift.east_ft, 2),
                "north_ft": round(shift.north_ft, 2), "epoch": round(shift.epoch, 3), "note": note}  # fmt: skip

    def point(self, x: float, y: float, field: str = "x, y") -> Point:
        """Read a position.

        Raises
        ------
        StreetsError
            It is no position in the village.
        """
        place = Point(self._placed([np.array([[float(x), float(y)]])], field)[0][0])
        self._inside(place, field)
        return place

    def shape(self, content: Any, field: str, kinds: Sequence[str] = POLYGONS, *, moved: bool = True) -> BaseGeometry:
        """Read a GeoJSON geometry, or a Feature that has one, into the working CRS.

        Parameters
        ----------
        content
            The GeoJSON.
        field
            The input's name, for the message.
        kinds
            Kinds of geometry that are taken.
        moved
            Whether positions of GPS are shifted; a surveyed layer is held in NAD83(2011) already.

        Returns
        -------
        BaseGeometry
            Valid, in the village, US survey feet.

        Raises
        ------
        StreetsError
            Naming the place of the fault; nothing is repaired.
        """
        kind, parts = _parts(content, field, kinds)
        rings = [ring for part in parts for ring in part]
        for shape in _made(kind, parts):  # a fault is told in the caller's own coordinates
            _check(shape, field)
        placed = iter(self._placed(rings, field, moved=moved))
        made = _made(kind, [[next(placed) for _ in part] for part in parts])
        whole = made[0]
        if len(made) > 1:
            joined: Any = shapely.multipolygons(made) if kind == "MultiPolygon" else shapely.multilinestrings(made)
            whole = joined
        for shape in (*made, whole):
            _check(shape, field)
        self._inside(whole, field)
        if self.bounded:
            self._within_bounds(whole, field, moved=moved)
        return whole

    def _within_bounds(self, shape: BaseGeometry, field: str, *, moved: bool) -> None:
        west, south, east, north = shape.bounds
        around = self.village.network.edge.bounds
        beyond = max(around[0] - west, around[1] - south, east - around[2], north - around[3])
        across = max(east - west, north - south)
        if beyond > MOST_ACROSS_FT or (moved and shape.area and across > MOST_ACROSS_FT):
            expected = f"a shape in {self.village.files.settings.name}, at most {MOST_ACROSS_FT:,.0f} ft across"
            raise GeometryError.of(field, f"a shape {across:,.0f} ft across", expected)

    def _inside(self, shape: BaseGeometry, field: str) -> None:
        if shape.distance(self.village.network.edge) > 0:
            found = f"a {shape.geom_type.lower()} outside the village"
            raise GeometryError.of(field, found, f"a {field} in {self.village.files.settings.name}")

    def _placed(self, rings: Sequence[Floats], field: str, *, moved: bool = True) -> list[Floats]:
        """Project vertices, shift them where they are of GPS, and refuse what lies outside the village."""
        self._read = self._read or moved
        sizes = np.cumsum([len(ring) for ring in rings])[:-1]
        x, y = np.concatenate(rings).T
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise GeometryError.of(field, "a position that is no finite number", "two finite numbers")
        project = self.village.into_feet(self.crs)
        one = len(x) == 1  # whose fault needs no place in a list
        if is_geographic(self.crs):
            working = self.village.files.settings.working_crs
            check_lonlat(x[0] if one else x, y[0] if one else y, field=field, working=working)
        east, north = project(x, y)
        if not is_geographic(self.crs):
            bounds = self.village.network.edge.bounds
            check_feet(east[0] if one else east, north[0] if one else north, bounds=bounds, field=field)
        if not (np.isfinite(east).all() and np.isfinite(north).all()):
            raise GeometryError.of(field, "a position the working CRS cannot place", "positions in the village")
        if moved and self.datum == GPS:
            assert self.epoch is not None
            at = shifted(east, north, self.epoch, self.village.files.settings.working_crs)
            self._moved.append(np.stack([at[0] - east, at[1] - north], axis=1))
            east, north = at
        return np.split(np.stack([east, north], axis=1), sizes)


def polygon(village: Village, content: Json, crs: str, field: str = "lot") -> Polygon:
    """Read a GeoJSON polygon into the working CRS as it stands, without a shift of the datum.

    Parameters
    ----------
    village
        The village.
    content
        The GeoJSON.
    crs
        Its CRS.
    field
        The input's name, for the message.

    Returns
    -------
    Polygon
        Valid, in the village, US survey feet.

    Raises
    ------
    StreetsError
        Naming the place of the fault; nothing is repaired.
    """
    shape = Positions(village, crs, NAD83_2011, bounded=False).shape(content, field, ("Polygon",))
    assert isinstance(shape, Polygon)
    return shape


def _made(kind: str, parts: Sequence[Sequence[Floats]]) -> list[BaseGeometry]:
    if kind == "Point":
        return [Point(part[0][0]) for part in parts]
    if kind in LINES:
        return [LineString(part[0]) for part in parts]
    return [Polygon(part[0], part[1:]) for part in parts]


def _check(shape: BaseGeometry, field: str) -> None:
    if isinstance(shape, Polygon):
        check_polygon(shape, field)
    elif isinstance(shape, LineString) and shape.length == 0:
        raise GeometryError.of(field, "a line without length", "a line of two or more distinct vertices")
    elif not shape.is_valid:
        raise GeometryError.of(field, shapely.is_valid_reason(shape), "a valid shape")


def _parts(content: Any, field: str, kinds: Sequence[str]) -> tuple[str, list[list[Floats]]]:
    """Return a geometry's kind and its parts, each as its rings of vertices, shape (n, 2)."""
    found = content.get("geometry") if isinstance(content, dict) and content.get("type") == "Feature" else content
    kind = found.get("type") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(kind, str) or kind not in kinds:
        expected = f"a GeoJSON {' or '.join(kinds)}"
        raise GeometryError.of(
            f"{field}.type" if isinstance(found, dict) else field, kind or found or "nothing", expected
        )
    coordinates, where = found.get("coordinates"), f"{field}.coordinates"
    if not isinstance(coordinates, list) or not coordinates:
        raise GeometryError.of(where, coordinates, "a list of rings" if kind == "Polygon" else "coordinates")
    if _count(coordinates) > 2 * MOST_VERTICES:
        raise GeometryError.of(where, "too many vertices", f"at most {MOST_VERTICES}")
    match kind:
        case "Point":
            return kind, [[_vertices([coordinates], where, 1)]]
        case "LineString":
            return kind, [[_vertices(coordinates, where, 2)]]
        case "MultiLineString":
            return kind, [[_vertices(line, f"{where}[{k}]", 2)] for k, line in enumerate(coordinates)]
        case "Polygon":
            return kind, [[_vertices(ring, f"{where}[{k}]", 4) for k, ring in enumerate(coordinates)]]
    return kind, [_rings(part, f"{where}[{k}]") for k, part in enumerate(coordinates)]


def _rings(part: Any, field: str) -> list[Floats]:
    if not isinstance(part, list) or not part:
        raise GeometryError.of(field, part, "a list of rings")
    return [_vertices(ring, f"{field}[{k}]", 4) for k, ring in enumerate(part)]


def _count(coordinates: Any) -> int:
    """Return how many numbers nested lists hold; more than are taken are not counted to the end."""
    count, left = 0, [coordinates]
    while left and count <= 3 * MOST_VERTICES:
        for one in left.pop():
            if isinstance(one, list):
                left.append(one)
            else:
                count += 1
    return count


def _vertices(ring: Any, field: str, least: int) -> Floats:
    what = {1: "an [x, y] position", 2: "a line of [x, y] positions", 4: "a ring of [x, y] positions"}[least]
    try:
        if any(isinstance(n, bool | str) for one in ring for n in one):
            raise TypeError
        vertices = np.array([[float(x), float(y)] for x, y, *_ in ring]).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError) as error:
        raise GeometryError.of(field, ring, what) from error
    if len(vertices) < least:
        expected = {1: what, 2: "two or more positions", 4: "four or more positions, the last the first"}[least]
        raise GeometryError.of(field, f"{len(vertices)} positions", expected)
    if not np.isfinite(vertices).all():
        place = int(np.flatnonzero(~np.isfinite(vertices).all(axis=1))[0])
        raise GeometryError.of(f"{field}[{place}]", str(vertices[place].tolist()), "finite numbers")
    if least == 4 and not np.array_equal(vertices[0], vertices[-1]):
        raise GeometryError.of(field, "a ring that is open", "a ring whose last position is its first")
    return vertices
