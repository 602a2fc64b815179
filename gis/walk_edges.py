"""The two edges of a sidewalk and its two ends, found in its outline.

All coordinates are in the working CRS, US survey feet; an outline's vertices run counter-clockwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString, Polygon, STRtree

from gis.errors import GeometryError
from gis.linework import Floats, Ints

_STRAIGHT_RAD = 1e-6  # a vertex that turns less lies on a straight line
_END_TURNS_RAD = np.radians(150.0)  # an end turns the outline by 180 degrees; less where the walk narrows towards it
_END_TURNS_MOST_RAD = np.radians(190.0)
_ROUNDED = 0.4  # a round end meets the edges with half the turn it has within
_PARALLEL = np.cos(np.radians(30.0))
_MOST_ENDS = 24
_SAMPLES = 64
_NOISE_FT = 1e-6


@dataclass(frozen=True, eq=False)
class WalkEdges:
    """A walk's edges and ends. The edges run opposite ways: counter-clockwise round the walk.

    Parameters
    ----------
    edges
        The two edges along the walk.
    ends
        The two ends across it.
    """

    edges: tuple[LineString, LineString]
    ends: tuple[LineString, LineString]


@dataclass(frozen=True, eq=False)
class _Outline:
    """The outer ring: vertices without the last, shape (n, 2), the turn at each, and the length of each side."""

    coords: Floats
    turns: Floats
    lengths: Floats

    @classmethod
    def of(cls, walk: Polygon) -> _Outline:
        coords = shapely.get_coordinates(shapely.orient_polygons(walk).exterior)[:-1]
        kept = np.abs(_turns(coords)) > _STRAIGHT_RAD
        coords = coords[kept] if kept.sum() >= 3 else coords
        steps = np.roll(coords, -1, axis=0) - coords
        return cls(coords, _turns(coords), np.hypot(*steps.T))

    @property
    def size(self) -> int:
        return len(self.coords)

    @property
    def perimeter(self) -> float:
        return float(self.lengths.sum())

    def vertices(self, first: int, last: int) -> Ints:
        """The vertices from one to another, counter-clockwise; `last` may run past the size."""
        return np.arange(first, last + 1) % self.size

    def length(self, first: int, last: int) -> float:
        return float(self.lengths[np.arange(first, last) % self.size].sum())

    def chord(self, first: int, last: int) -> float:
        return float(np.hypot(*(self.coords[last % self.size] - self.coords[first % self.size])))

    def line(self, first: int, last: int) -> LineString:
        return LineString(self.coords[self.vertices(first, last)])

    def cut(self, one: tuple[int, int], other: tuple[int, int]) -> WalkEdges | None:
        """Take two ends off; None where they meet or overlap."""
        (i, j), (k, m) = one, other
        n = self.size
        k, m = k + n * ((j - k + n - 1) // n), m + n * ((j - k + n - 1) // n)  # the other end follows the first
        if not (j < k and m < i + n):
            return None
        return WalkEdges((self.line(j, k), self.line(m, i + n)), (self.line(i, j), self.line(k, m)))


def _turns(coords: Floats) -> Floats:
    """The turn at each vertex of a ring, radians, to the left above 0."""
    after = np.roll(coords, -1, axis=0) - coords
    before = np.roll(after, 1, axis=0)
    across = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return np.asarray(np.arctan2(across, (before * after).sum(axis=1)))


def walk_edges(walk: Polygon, along: LineString | None = None) -> WalkEdges:
    """Find the two edges of a sidewalk.

    Along a line, such as the curb, the ends are where the outline's stations on that line are least and greatest.
    Without one they are two short parts of the outline that each turn it back, chosen so that what is left of it is
    two edges that run beside one another, each longer than a quarter of the outline.

    Parameters
    ----------
    walk
        The sidewalk, valid; its holes do not matter. Working CRS, US survey feet.
    along
        A line along the walk; it may be shorter than the walk.

    Returns
    -------
    WalkEdges
        The edges and the ends.

    Raises
    ------
    GeometryError
        No two edges can be told apart: a line along the walk is then asked for.
    """
    outline = _Outline.of(walk)
    found = _beside_one_another(outline, walk) if along is None else _along(outline, along)
    if found is None:
        told = "a shape without two edges that run beside one another" if along is None else "a line across the walk"
        raise GeometryError.of(
            "along", told, "a line along the walk, such as the curb, from one of its ends to the other"
        )
    return found


# --- ends by a line along the walk -----------------------------------------------------------------------------


def _along(outline: _Outline, along: LineString) -> WalkEdges | None:
    stations = shapely.line_locate_point(_run_on(along, outline.coords), shapely.points(outline.coords))
    steep = np.abs(np.roll(stations, -1) - stations) / outline.lengths
    ends = [_end_about(outline, steep, int(at)) for at in (np.argmin(stations), np.argmax(stations))]
    return outline.cut(*ends)


def _run_on(along: LineString, coords: Floats) -> LineString:
    """Run a line straight on past both ends until it has passed every point."""
    line = shapely.get_coordinates(along)
    line = line[np.append(True, np.hypot(*np.diff(line, axis=0).T) > 0)]
    if len(line) < 2:
        raise GeometryError.of("along", "a line without length", "a line along the walk")
    reach = np.hypot(*np.ptp(np.vstack([line, coords]), axis=0))
    start, end = line[0] - line[1], line[-1] - line[-2]
    return LineString([line[0] + start / np.hypot(*start) * reach, *line, line[-1] + end / np.hypot(*end) * reach])


def _end_about(outline: _Outline, steep: Floats, at: int) -> tuple[int, int]:
    """The sides about a vertex that run across the line rather than along it; the one that does most at least."""
    first = last = at
    most = outline.perimeter / 4
    while steep[last % outline.size] < _PARALLEL and outline.length(first, last + 1) <= most:
        last += 1
    while steep[(first - 1) % outline.size] < _PARALLEL and outline.length(first - 1, last) <= most:
        first -= 1
    if first == last:
        last += int(steep[at] <= steep[at - 1])
        first -= int(first == last)
    return _rounded(outline, first, last)


# --- ends by the outline alone ---------------------------------------------------------------------------------


def _beside_one_another(outline: _Outline, walk: Polygon) -> WalkEdges | None:
    room = Polygon(walk.exterior).buffer(_NOISE_FT, join_style="mitre")
    shapely.prepare(room)
    best, least = None, np.inf
    for one, other in combinations(_ends(outline), 2):
        cut = outline.cut(one, other)
        if cut is None or min(e.length for e in cut.edges) <= outline.perimeter / 4 * (1 + 1e-9):
            continue
        if sum(end.length for end in cut.ends) >= least:
            continue
        far_ft = 2 * room.area / (sum(e.length for e in cut.edges) / 2)  # twice the width that the area has
        stray = sum(_stray(edge, facing, room, far_ft) for edge, facing in (cut.edges, cut.edges[::-1]))
        cost = stray + sum(end.length for end in cut.ends)
        if cost < least and stray <= sum(e.length for e in cut.edges) / 2:
            best, least = cut, cost
    return best


def _ends(outline: _Outline) -> list[tuple[int, int]]:
    """The parts of an outline that may be an end, shortest first, none within another."""
    found = sorted(_turning_back(outline), key=lambda end: outline.length(*end))
    kept: list[tuple[int, int]] = []
    for first, last in found:
        inside = [(i - first) % outline.size + (j - i) <= last - first for i, j in kept]
        if not any(inside):
            kept.append((first, last))
    return [_rounded(outline, *end) for end in kept[:_MOST_ENDS]]


def _turning_back(outline: _Outline) -> Iterator[tuple[int, int]]:
    """From each vertex that turns left, the shortest part that turns the outline back."""
    n, most = outline.size, outline.perimeter / 4
    turned = np.concatenate([[0.0], np.cumsum(np.tile(outline.turns, 2))])
    station = np.concatenate([[0.0], np.cumsum(np.tile(outline.lengths, 2))])
    for first in np.flatnonzero(outline.turns > _STRAIGHT_RAD):
        reach = min(int(np.searchsorted(station, station[first] + most, side="right")), int(first) + n)
        turns = turned[first + 2 : reach + 1] - turned[first]
        enough = np.flatnonzero(turns >= _END_TURNS_RAD)
        if len(enough):
            yield int(first), int(first) + 1 + int(enough[0])


def _rounded(outline: _Outline, first: int, last: int) -> tuple[int, int]:
    """Take the whole of a rounded end, which goes on turning by short sides."""
    if last - first < 2:
        return first, last
    turned = float(outline.turns[outline.vertices(first, last)].sum())
    for onward in (True, False):
        while True:
            vertex, side = ((last + 1), last) if onward else ((first - 1), first - 1)
            turn = float(outline.turns[vertex % outline.size])
            short = outline.lengths[side % outline.size] <= outline.chord(first, last) / 2
            alike = turn >= _ROUNDED * turned / (last - first + 1)
            if not (alike and short and turned + turn <= _END_TURNS_MOST_RAD):
                break
            first, last, turned = (first, last + 1, turned + turn) if onward else (first - 1, last, turned + turn)
    return first, last


def _stray(edge: LineString, facing: LineString, room: Polygon, far_ft: float) -> float:
    """How much of an edge does not run beside another edge across the walk, and near it, feet."""
    coords, other = shapely.get_coordinates(edge), shapely.get_coordinates(facing)
    at = (np.arange(_SAMPLES) + 0.5) * edge.length / _SAMPLES
    points = shapely.line_interpolate_point(edge, at)
    station = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(coords, axis=0).T))])
    side = np.clip(np.searchsorted(station, at, side="right") - 1, 0, len(coords) - 2)
    tree = STRtree(sides_of(other))
    sample, near = tree.query_nearest(points, all_matches=True)
    lines = shapely.shortest_line(points[sample], tree.geometries[near])
    cosine = np.abs((_unit(coords)[side[sample]] * _unit(other)[near]).sum(axis=1))
    beside = (cosine >= _PARALLEL) & (shapely.length(lines) <= far_ft) & shapely.covers(room, lines)
    return edge.length * (1 - len(np.unique(sample[beside])) / _SAMPLES)


def sides_of(coords: Floats) -> NDArray[np.object_]:
    """Return the sides of a line.

    Parameters
    ----------
    coords
        Vertices, shape (n, 2), feet.

    Returns
    -------
    numpy.ndarray
        Lines of two vertices, shape (n - 1,).
    """
    return np.ravel(np.asarray(shapely.linestrings(np.stack([coords[:-1], coords[1:]], axis=1)), dtype=object))


def _unit(coords: Floats) -> NDArray[np.float64]:
    steps = np.diff(coords, axis=0)
    return np.asarray(steps / np.hypot(*steps.T)[:, None])
