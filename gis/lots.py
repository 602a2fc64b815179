"""The numbers "belonging or embraced within the limits" of a lot (§ 288-15 J)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry
from shapely.validation import explain_validity

from gis.blocks import NumberingMap, Row
from gis.errors import GeometryError
from gis.faces import face
from gis.frontages import Frontages
from gis.linework import Floats, Ints
from gis.numbering import Doors, Held, number

_PARALLEL = np.cos(np.radians(45.0))
_STEP_FT = 10.0
_MOST_ROUND_FT = 100_000
_INSIDE_FT = 0.05  # the sight line begins on the boundary itself


@dataclass(frozen=True)
class Frontage:
    """A lot's frontage on one side of a half-street.

    Parameters
    ----------
    half
        Index of the half-street in the map.
    street
        The street's name.
    even
        Whether the lot lies on its even side.
    from_ft, to_ft
        Stations of the frontage's ends from the base line, feet.
    distance_ft
        Distance of the lot's front from the street's line, feet.
    """

    half: int
    street: str
    even: bool
    from_ft: float
    to_ft: float
    distance_ft: float

    @property
    def held(self) -> Held:
        """The frontage as entrances are held to it."""
        return Held(self.half, self.from_ft, self.to_ft)


@dataclass(frozen=True)
class Embraced:
    """The numbers a lot embraces on one frontage.

    Parameters
    ----------
    frontage
        The frontage.
    side
        The half: ``"North"`` and so on.
    numbers
        Numbers whose unit starts within the frontage, outward.
    shared
        The number whose unit begins on the neighbour's lot and reaches into this one: the neighbour's. None if none.
    tail_ft
        Length of the frontage past the last unit of its block that has a number, feet.
    """

    frontage: Frontage
    side: str
    numbers: tuple[int, ...]
    shared: int | None
    tail_ft: float


def embraced(frontages: Frontages, lot: Polygon, street: int | None = None) -> tuple[Embraced, ...]:
    """Return the numbers a lot embraces on each street it fronts on (§ 288-15 J).

    "It shall be the duty of the Village Clerk-Treasurer to inform any party applying therefor, of the number or
    numbers belonging or embraced within the limits of said lot or property." Read as: a lot embraces the numbers whose
    unit starts within its frontage; a unit shared with the neighbour goes to the lot that holds its start.

    Parameters
    ----------
    frontages
        The map to number under.
    lot
        The lot, working CRS, US survey feet.
    street
        Id of the one street asked about, or None for every street the lot fronts on.

    Returns
    -------
    tuple of Embraced
        One entry a frontage, nearest first; empty where the lot fronts on no street.

    Raises
    ------
    GeometryError
        The polygon is empty or invalid; the message names the place of the fault.
    """
    check_polygon(lot, "lot")
    if lot.length > _MOST_ROUND_FT:
        raise GeometryError.of(
            "lot", f"a polygon {lot.length:,.0f} ft round", f"a lot of at most {_MOST_ROUND_FT:,} ft"
        )
    found = [
        frontage
        for name in range(len(frontages.names))
        if street in {None, name}
        for frontage in _fronting(frontages, lot, name)
    ]
    found.sort(key=lambda f: (f.distance_ft, f.half, f.from_ft))
    return tuple(_embraced(frontages.map, frontage) for frontage in found)


def check_polygon(shape: Polygon, field: str) -> None:
    """Refuse a polygon that is empty, not finite or invalid.

    Parameters
    ----------
    shape
        The polygon.
    field
        The input's name, for the message.

    Raises
    ------
    GeometryError
        Naming the place of the fault; nothing is repaired.
    """
    if shape.is_empty:
        raise GeometryError.of(field, "an empty shape", "a polygon with an area")
    if not np.isfinite(shapely.get_coordinates(shape)).all():
        raise GeometryError.of(field, "a vertex that is not a finite number", "finite coordinates")
    if not shape.is_valid:
        raise GeometryError.of(field, explain_validity(shape), "a valid polygon")
    if shape.area <= 0:
        raise GeometryError.of(field, "a shape without area", "a polygon with an area")


@dataclass(frozen=True, eq=False)
class _Edges:
    """Pieces of a lot's boundary: their middles, directions and halves of their lengths, shape (n, 2) or (n,)."""

    middle: Floats
    ends: Floats
    direction: Floats


class _StreetLine(NamedTuple):
    """A street's line, and the areas within reach of it and just beside it, prepared: made once for all lots."""

    own: BaseGeometry
    within: BaseGeometry
    beside: BaseGeometry


_LINES: WeakKeyDictionary[Frontages, dict[int, _StreetLine]] = WeakKeyDictionary()


def _line_of(frontages: Frontages, name: int) -> _StreetLine:
    known = _LINES.setdefault(frontages, {})
    if name not in known:
        known[name] = _made_line(frontages, name)
    return known[name]


def _made_line(frontages: Frontages, name: int) -> _StreetLine:
    low, high = frontages.locator.named[name], frontages.locator.named[name + 1]
    own = shapely.union_all(frontages.locator.tree.geometries[low:high])
    made = _StreetLine(own, own.buffer(frontages.map.network.reading.frontage_reach_ft + 1.0), own.buffer(1.0))
    shapely.prepare(made)
    return made


def _fronting(frontages: Frontages, lot: Polygon, name: int) -> list[Frontage]:
    """Find the parts of a lot's boundary that run along a street and face it."""
    net = frontages.map.network
    line = _line_of(frontages, name)
    if line.own.distance(lot) > net.reading.frontage_reach_ft:
        return []
    edges = _edges(lot, line.within)
    doors = _numbered(frontages, edges.middle, name)
    faces = np.flatnonzero(_faces(frontages, lot, edges, doors, line.beside))
    ends = _numbered(frontages, edges.ends[faces].reshape(-1, 2), name)
    away = np.hypot(doors.x - doors.foot_x, doors.y - doors.foot_y)[faces].tolist()
    spans: dict[tuple[int, bool], list[tuple[float, float, float]]] = {}
    for at, stretches in enumerate(_stretches(frontages.map, ends)):
        for key, near, far in stretches:
            spans.setdefault(key, []).append((near, far, away[at]))
    return [
        Frontage(half, frontages.names[name], even, near, far, away)
        for (half, even), members in spans.items()
        for near, far, away in _joined(members)
    ]


def _numbered(frontages: Frontages, points: Floats, name: int) -> Doors:
    return number(frontages, points[:, 0], points[:, 1], np.full(len(points), name))


_Stretch = tuple[tuple[int, bool], float, float]
"""(half, even), from, to: a stretch of one side of a half-street."""


def _stretches(numbering: NumberingMap, ends: Doors) -> Iterator[list[_Stretch]]:
    """Yield the stretches of short edges given by pairs of ends; an edge across a base line has one on each half."""
    columns = (np.reshape(column, (-1, 2)).tolist() for column in (ends.half, ends.even, ends.station))
    for halves, even, stations in zip(*columns, strict=True):
        if halves[0] == halves[1]:
            found = [((halves[0], even[0]), min(stations), max(stations))]
        else:
            found = [
                ((half, side), *((0.0, at) if at <= _STEP_FT else (at, numbering.halves[half].end_station)))
                for half, side, at in zip(halves, even, stations, strict=True)
            ]
        yield [(key, near, far) for key, near, far in found if far - near > _INSIDE_FT]


def _edges(lot: Polygon, within: BaseGeometry) -> _Edges:
    """Cut a lot's outer boundary near a street in short straight pieces, each along one stretch of it."""
    ring = shapely.get_coordinates(shapely.segmentize(lot.exterior, _STEP_FT))
    ring = ring[np.concatenate([[True], np.hypot(*np.diff(ring, axis=0).T) > 1e-6])]
    steps = np.diff(ring, axis=0)
    direction = steps / np.hypot(*steps.T)[:, None]
    middle = (ring[:-1] + ring[1:]) / 2
    near = shapely.contains_xy(within, middle[:, 0], middle[:, 1])
    return _Edges(middle[near], np.stack([ring[:-1], ring[1:]], axis=1)[near], direction[near])


def _faces(frontages: Frontages, lot: Polygon, edges: _Edges, doors: Doors, beside: BaseGeometry) -> NDArray[np.bool_]:
    """Say which edges front on the street: along it, near it, and with nothing of the lot or another street between."""
    foot = np.stack([doors.foot_x, doors.foot_y], axis=1)
    sight = foot - edges.middle
    away = np.hypot(*sight.T)
    square = np.abs((sight * edges.direction).sum(axis=1)) <= np.maximum(away, 1e-9) * (1 - _PARALLEL**2) ** 0.5
    lines = np.asarray(shapely.linestrings(np.stack([edges.middle, foot], axis=1)))
    inside = lot.buffer(-_INSIDE_FT)
    shapely.prepare(inside)
    faces = square & ~shapely.intersects(inside, lines) & (away <= frontages.map.network.reading.frontage_reach_ft)
    seen = np.flatnonzero(faces)
    faces[seen[_behind(frontages, lines[seen], beside)]] = False
    return np.asarray(faces & (doors.offset != 0) & (doors.half >= 0))


def _behind(frontages: Frontages, sights: NDArray[np.object_], beside: BaseGeometry) -> Ints:
    """Return which sight lines to a street are crossed by another."""
    tree = frontages.locator.tree
    sight, segment = tree.query(sights, predicate="intersects")
    return np.unique(sight[~shapely.intersects(beside, tree.geometries[segment])])


def _joined(spans: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Join spans of stations that touch; returns (from, to, distance)."""
    joined: list[tuple[float, float, float]] = []
    for near, far, away in sorted(spans):
        if joined and near <= joined[-1][1] + 0.05:
            last = joined[-1]
            joined[-1] = (last[0], max(last[1], far), min(last[2], away))
        else:
            joined.append((near, far, away))
    return joined


def _embraced(numbering: NumberingMap, frontage: Frontage) -> Embraced:
    numbers: list[int] = []
    shared, tail = None, 0.0
    for row in numbering.rows:
        if row.half == frontage.half:
            within, split, past = _in_row(numbering, row, frontage)
            numbers.extend(within)
            shared = split if split is not None else shared
            tail += past
    return Embraced(frontage, numbering.halves[frontage.half].name, tuple(numbers), shared, tail)


def _in_row(numbering: NumberingMap, row: Row, frontage: Frontage) -> tuple[list[int], int | None, float]:
    """Return the numbers of one row that start within a frontage, the one shared, and the length of its tail."""
    low, high = round(frontage.from_ft * 100), round(frontage.to_ft * 100)
    start, end, unit = round(row.from_ft * 100), round(row.to_ft * 100), row.unit_ft * 100
    if low >= end or high <= start:
        return [], None, 0.0
    starts = [(start + place.k * unit, place.number) for place in face(row, numbering, even=frontage.even)]
    within = [n for at, n in starts if low <= at < high]
    split = next((n for at, n in starts if at < low < min(at + unit, end)), None)
    tail = min(high, end) - max(low, start + (numbering.law.last_unit + 1) * unit)
    return within, split, max(0, tail) / 100
