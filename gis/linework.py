"""Linework: stations and offsets along a street's line, and the chaining of its pieces to one line.

Coordinates are planar, in US survey feet of the working CRS; arrays of points have the shape (n, 2).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import shapely
import shapely.ops
from numpy.typing import NDArray
from shapely import LineString

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BRIDGE = -1
"""Piece index of a segment that bridges a gap."""


@dataclass(frozen=True, eq=False)
class Chain:
    """A street's pieces as one line.

    Parameters
    ----------
    coords
        Vertices, shape (n, 2), US survey feet.
    piece
        Index of the piece each of the n - 1 segments comes from; `BRIDGE` where it bridges a gap.
    closed
        Whether the line ends where it begins.
    """

    coords: Floats
    piece: Ints
    closed: bool = False

    @property
    def steps(self) -> Floats:
        """Segment vectors, shape (n - 1, 2), feet."""
        return np.diff(self.coords, axis=0)

    @property
    def stations(self) -> Floats:
        """Distance of each vertex along the line from its start, shape (n,), feet."""
        return np.concatenate([[0.0], np.cumsum(np.hypot(*self.steps.T))])

    @property
    def length(self) -> float:
        """Length of the line, feet."""
        return float(np.hypot(*self.steps.T).sum())

    @property
    def line(self) -> LineString:
        """The line as a geometry."""
        return LineString(self.coords)

    @property
    def physical(self) -> NDArray[np.bool_]:
        """Whether each segment exists on the ground (does not bridge a gap), shape (n - 1,)."""
        return self.piece != BRIDGE

    def reversed(self) -> Chain:
        """Return the same line drawn the other way."""
        return Chain(self.coords[::-1], self.piece[::-1], self.closed)

    def started_at(self, station: float) -> Chain:
        """Return a closed chain cut at `station` (feet), beginning and ending there."""
        coords, piece = _cut(self.coords, self.piece, [station])
        if len(coords) == 1:
            return self
        return Chain(np.vstack([coords[1], coords[0][1:]]), np.concatenate([piece[1], piece[0]]), closed=self.closed)


def point_at(coords: Floats, station: float) -> Floats:
    """Return the point at a station of a line.

    Parameters
    ----------
    coords
        Vertices, shape (n, 2), feet.
    station
        Distance along the line, feet; held to the line's ends.

    Returns
    -------
    numpy.ndarray
        The point, shape (2,), feet.

    Examples
    --------
    >>> point_at(np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 50.0]]), 120).tolist()
    [100.0, 20.0]
    """
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(coords, axis=0).T))])
    return np.array([np.interp(station, along, coords[:, 0]), np.interp(station, along, coords[:, 1])])


def chord(coords: Floats, station: float, reach_ft: float) -> Floats:
    """Return the chord of a line about a station, clipped at the line's ends.

    Parameters
    ----------
    coords
        Vertices, shape (n, 2), feet.
    station
        Distance along the line, feet.
    reach_ft
        How far before and after the station the chord reaches, feet.

    Returns
    -------
    numpy.ndarray
        The chord's vector, shape (2,), feet.
    """
    before, after = point_at(coords, max(station - reach_ft, 0.0)), point_at(coords, station + reach_ft)
    return np.asarray(after - before)


def end_direction(coords: Floats, chord_ft: float, *, at_end: bool) -> Floats:
    """Return the unit direction in which a line runs straight on past one of its ends.

    Parameters
    ----------
    coords
        Vertices, shape (n, 2), feet.
    chord_ft
        The direction is that of the chord over this much of the end, or over the whole line if shorter.
    at_end
        Whether past the last vertex (or the first).

    Returns
    -------
    numpy.ndarray
        Unit vector, shape (2,); the last step's direction where the chord closes on itself.

    Examples
    --------
    >>> end_direction(np.array([[0.0, 0.0], [0.0, 10.0]]), 300, at_end=True).tolist()
    [0.0, 1.0]
    """
    ordered = coords if at_end else coords[::-1]
    vector = ordered[-1] - point_at(ordered[::-1], chord_ft)
    if np.hypot(*vector) < 1e-6:
        vector = ordered[-1] - ordered[-2]
    return np.asarray(vector / np.hypot(*vector))


def axial_bearing(steps: Floats) -> tuple[float, float]:
    """Return the length-weighted axial mean bearing of segments and the strength of the mean.

    Angles are doubled, averaged and halved, so that a line drawn either way has one bearing.

    Parameters
    ----------
    steps
        Segment vectors, shape (n, 2), feet.

    Returns
    -------
    bearing_deg : float
        Clockwise from grid north, 0 <= bearing < 180.
    resultant : float
        1 for a straight line, 0 where the directions cancel.

    Examples
    --------
    >>> axial_bearing(np.array([[10.0, 0.0], [-5.0, 0.0]]))
    (90.0, 1.0)
    """
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    doubled = 2 * np.arctan2(steps[:, 0], steps[:, 1])
    mean = (lengths * np.exp(1j * doubled)).sum() / lengths.sum()
    return float(np.degrees(np.angle(mean) / 2) % 180), float(abs(mean))


def axial_difference(first_deg: float, second_deg: float) -> float:
    """Return the acute angle between two bearings, 0 to 90 degrees.

    Parameters
    ----------
    first_deg, second_deg
        Bearings in degrees; a bearing and its reverse are the same.

    Returns
    -------
    float
        Degrees.

    Examples
    --------
    >>> axial_difference(10, 175)
    15.0
    """
    apart = abs(first_deg - second_deg) % 180
    return float(min(apart, 180 - apart))


@dataclass(frozen=True, eq=False)
class Segments:
    """Straight segments of many lines as columns of shape (n,), ready to project points on; US survey feet.

    Parameters
    ----------
    x, y
        First vertex of each segment.
    dx, dy
        Vector of each segment.
    length
        Length of each segment.
    station
        Station of the segment's first vertex along its line.
    owner
        Index of the line the segment belongs to.
    start_left_x, start_left_y, end_left_x, end_left_y
        Unit vectors to the left of the line at each vertex: the mean of both sides' at a bend.
    open_start, open_end
        Whether the line ends there (or a gap begins).
    """

    x: Floats
    y: Floats
    dx: Floats
    dy: Floats
    length: Floats
    station: Floats
    owner: Ints
    start_left_x: Floats
    start_left_y: Floats
    end_left_x: Floats
    end_left_y: Floats
    open_start: NDArray[np.bool_]
    open_end: NDArray[np.bool_]

    @classmethod
    def of(cls, lines: Sequence[tuple[Floats, NDArray[np.bool_], bool]]) -> Segments:
        """Tabulate lines given as (vertices, which segments to keep, whether closed)."""
        tables = [_tabulated(owner, *line) for owner, line in enumerate(lines)]
        return cls(*(np.concatenate(column) for column in zip(*tables, strict=True)))

    def lines(self) -> NDArray[np.object_]:
        """Return the segments as geometries, shape (n,)."""
        ends = np.stack([self.x, self.y, self.x + self.dx, self.y + self.dy], axis=1)
        return np.asarray(shapely.linestrings(ends.reshape(-1, 2, 2)))

    def project(self, index: Any, x: Any, y: Any) -> Projection:
        """Project a point on a segment, or many points each on its own.

        Parameters
        ----------
        index
            Segment of each point: a whole number, or shape (m,).
        x, y
            The points, feet: numbers, or shape (m,).

        Returns
        -------
        Projection
            Where each point meets its segment and on which side it lies: numbers, or shape (m,).
        """
        kind = kind_of(x)
        sx, sy, dx, dy, length = self.x[index], self.y[index], self.dx[index], self.dy[index], self.length[index]
        along = ((x - sx) * dx + (y - sy) * dy) / length
        share = kind.minimum(kind.maximum(along, 0.0), length) / length
        foot_x, foot_y = sx + share * dx, sy + share * dy
        at_start, at_end = along <= 0.0, along >= length
        left_x = kind.where(
            at_start, self.start_left_x[index], kind.where(at_end, self.end_left_x[index], -dy / length)
        )
        left_y = kind.where(at_start, self.start_left_y[index], kind.where(at_end, self.end_left_y[index], dx / length))
        past = kind.where(at_start & self.open_start[index], -along, 0.0)
        past = kind.where(at_end & self.open_end[index], along - length, past)
        off_x, off_y = x - foot_x, y - foot_y
        square = off_x * left_x + off_y * left_y
        offset = kind.where(past > 0, square, kind.copysign(kind.hypot(off_x, off_y), square))
        return Projection(foot_x, foot_y, self.station[index] + share * length, offset, past, left_x, left_y)


class Projection(NamedTuple):
    """Points projected on segments: numbers, or columns of shape (m,); feet.

    `offset` is positive left of the line as drawn; past an open end it is measured from the end's tangent.
    `past` is how far beyond an open end the point lies, 0 elsewhere. `left_x`, `left_y` point left at the foot.
    """

    foot_x: Any
    foot_y: Any
    station: Any
    offset: Any
    past: Any
    left_x: Any
    left_y: Any


class Numbers:
    """Arithmetic on single numbers, by the names `Columns` has for arrays: a formula is written once for both."""

    minimum, maximum, hypot, copysign = min, max, math.hypot, math.copysign

    @staticmethod
    def where(condition: Any, yes: Any, no: Any) -> Any:
        """Return one of two values."""
        return yes if condition else no

    @staticmethod
    def hundredths(value: Any) -> int:
        """Round to whole hundredths, halves to even."""
        return round(value * 100)

    @staticmethod
    def last_at(keys: Any, value: Any) -> int:
        """Return the place of the last key not above a value."""
        return bisect_right(keys, value) - 1


class Columns:
    """Arithmetic on arrays of shape (n,)."""

    minimum, maximum, hypot, copysign, where = np.minimum, np.maximum, np.hypot, np.copysign, np.where

    @staticmethod
    def hundredths(value: Floats) -> Ints:
        """Round to whole hundredths, halves to even."""
        return np.rint(value * 100).astype(np.int64)

    @staticmethod
    def last_at(keys: Any, value: Any) -> Ints:
        """Return the place of the last key not above each value."""
        return np.asarray(np.searchsorted(keys, value, side="right") - 1)


def kind_of(value: Any) -> Any:
    """Return `Columns` for an array, `Numbers` for a number."""
    return Columns if isinstance(value, np.ndarray) else Numbers


def _tabulated(owner: int, coords: Floats, kept: NDArray[np.bool_], closed: bool) -> tuple[NDArray[np.generic], ...]:
    steps = np.diff(coords, axis=0)
    length = np.hypot(*steps.T)
    index = np.flatnonzero(kept & (length > 0))
    station = np.concatenate([[0.0], np.cumsum(length)])[:-1]
    left = np.zeros_like(steps)
    left[index] = np.stack([-steps[index, 1], steps[index, 0]], axis=1) / length[index, None]
    before, after = index - 1, index + 1
    if closed:
        before, after = before % len(steps), after % len(steps)
    has_before, has_after = np.isin(before, index), np.isin(after, index)
    at_start = _unit_or(left[index] + np.where(has_before[:, None], left[before], 0), left[index])
    at_end = _unit_or(left[index] + np.where(has_after[:, None], left[after % len(steps)], 0), left[index])
    return (
        *coords[index].T,
        *steps[index].T,
        length[index],
        station[index],
        np.full(len(index), owner, dtype=np.int64),
        *at_start.T,
        *at_end.T,
        ~has_before,
        ~has_after,
    )


def _unit_or(vectors: Floats, fallback: Floats) -> Floats:
    """Scale vectors to length 1; a line folded back on itself has none and keeps its own."""
    size = np.hypot(*vectors.T)
    folded = size < 1e-9
    return np.where(folded[:, None], fallback, vectors / np.where(folded, 1, size)[:, None])


def crossing(start: Floats, step: Floats, other_start: Floats, other_step: Floats) -> tuple[Floats, Floats]:
    """Intersect segments pairwise.

    Parameters
    ----------
    start, step, other_start, other_step
        First vertices and vectors of the segments, shape (n, 2), feet.

    Returns
    -------
    along, other_along : numpy.ndarray
        Fractions of each segment at which they cross, shape (n,); nan where they do not, or run parallel.

    Examples
    --------
    >>> crossing(*np.array([[[0., 0.]], [[10., 0.]], [[2., -1.]], [[0., 4.]]]))
    (array([0.2]), array([0.25]))
    """
    gap = other_start - start
    across = step[:, 0] * other_step[:, 1] - step[:, 1] * other_step[:, 0]
    size, other_size = np.hypot(*step.T), np.hypot(*other_step.T)
    parallel = np.abs(across) <= 1e-9 * size * other_size
    across = np.where(parallel, 1, across)
    along = (gap[:, 0] * other_step[:, 1] - gap[:, 1] * other_step[:, 0]) / across
    other_along = (gap[:, 0] * step[:, 1] - gap[:, 1] * step[:, 0]) / across
    slack, other_slack = 1e-6 / np.maximum(size, 1e-6), 1e-6 / np.maximum(other_size, 1e-6)
    missed = parallel | (along < -slack) | (along > 1 + slack)
    missed |= (other_along < -other_slack) | (other_along > 1 + other_slack)
    return np.where(missed, np.nan, along), np.where(missed, np.nan, other_along)


def chain(lines: Sequence[LineString], noded_ft: float, chord_ft: float) -> tuple[Chain, ...]:
    """Chain the pieces of one name to as few lines as they make.

    Ends within `noded_ft` of another piece are noded to it; at a branch the straightest pair continues; gaps are
    bridged straight between the nearest free ends first.

    Parameters
    ----------
    lines
        The pieces, in any order and direction, feet.
    noded_ft
        Ends and lines within this distance meet, feet.
    chord_ft
        Straightness at a branch is measured on chords of this length, feet.

    Returns
    -------
    tuple of Chain
        One chain, or several where the street branches; the longest first.
    """
    parts = _snapped(_noded(lines), noded_ft)
    paths = _paths(parts, chord_ft)
    return tuple(sorted(_bridged(paths), key=lambda path: -path.length))


class _Part(NamedTuple):
    coords: Floats
    piece: Ints


def _noded(lines: Sequence[LineString]) -> list[_Part]:
    """Split lines wherever they touch, drop doubled ones, and rejoin what runs on undivided."""
    merged = shapely.line_merge(shapely.unary_union(list(lines)))
    tree = shapely.STRtree(list(lines))
    parts = []
    for line in shapely.get_parts(merged):
        coords = shapely.get_coordinates(line)
        middles = shapely.points((coords[:-1] + coords[1:]) / 2)
        parts.append(_Part(coords, np.asarray(tree.nearest(middles), dtype=np.int64)))
    return sorted(parts, key=lambda part: part.coords.tolist())


def _snapped(parts: list[_Part], noded_ft: float) -> list[_Part]:
    """Move ends that lie within `noded_ft` of another end, or else of another part's line, onto it."""
    parts = _joined_ends(parts, noded_ft)
    cuts: dict[int, list[float]] = defaultdict(list)
    moves: list[tuple[int, int, int, float]] = []
    for index, end in _free_ends(parts):
        hit = _touched(parts, index, end, noded_ft)
        if hit:
            moves.append((index, end, *hit))
            cuts[hit[0]].append(hit[1])
    for index, end, other, station in moves:
        parts[index].coords[end] = point_at(parts[other].coords, station)
    cut = []
    for index, part in enumerate(parts):
        for coords, piece in zip(*_cut(part.coords, part.piece, cuts.get(index, [])), strict=True):
            cut.append(_Part(coords, piece))
    return cut


def _joined_ends(parts: list[_Part], noded_ft: float) -> list[_Part]:
    """Bring ends within `noded_ft` of each other to one point: a junction's own, else their middle."""
    ends = [(i, end) for i in range(len(parts)) for end in (0, -1)]
    points = np.array([parts[i].coords[end] for i, end in ends])
    free = set(_free_ends(parts))
    cluster = list(range(len(ends)))
    for a, b in combinations(range(len(ends)), 2):
        short = ends[a][0] == ends[b][0] and _length(parts[ends[a][0]].coords) <= 2 * noded_ft
        if not short and np.hypot(*(points[a] - points[b])) <= noded_ft:
            cluster = [cluster[a] if c == cluster[b] else c for c in cluster]
    for label in set(cluster):
        members = [k for k, c in enumerate(cluster) if c == label]
        fixed = [k for k in members if ends[k] not in free]
        target = points[fixed or members].mean(axis=0)
        for k in members:
            parts[ends[k][0]].coords[ends[k][1]] = target
    return [part for part in parts if _length(part.coords) > 0]


def _free_ends(parts: list[_Part]) -> list[tuple[int, int]]:
    """List (part, end) of the ends that no other end shares."""
    seen: dict[tuple[float, float], list[tuple[int, int]]] = defaultdict(list)
    for index, part in enumerate(parts):
        for end in (0, -1):
            seen[_key(part.coords[end])].append((index, end))
    return [users[0] for users in seen.values() if len(users) == 1]


def _touched(parts: list[_Part], index: int, end: int, noded_ft: float) -> tuple[int, float] | None:
    """Return (part, station) of the nearest line within `noded_ft` of an end, its own far side included."""
    point = shapely.Point(parts[index].coords[end])
    best: tuple[float, int, float] | None = None
    for other, part in enumerate(parts):
        line, skipped = LineString(part.coords), 0.0
        if other == index:
            if line.length <= 6 * noded_ft:
                continue
            near, far = (3 * noded_ft, line.length) if end == 0 else (0.0, line.length - 3 * noded_ft)
            line, skipped = shapely.ops.substring(line, near, far), near
        away = line.distance(point)
        if away <= noded_ft and (best is None or away < best[0]):
            best = (away, other, skipped + line.project(point))
    return best[1:] if best else None


def _cut(coords: Floats, piece: Ints, stations: Sequence[float]) -> tuple[list[Floats], list[Ints]]:
    """Cut a line at stations inside it; returns its parts in order."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(coords, axis=0).T))])
    inside = sorted({s for s in stations if 1e-6 < s < along[-1] - 1e-6})
    lines, pieces = [], []
    for near, far in zip([0.0, *inside], [*inside, along[-1]], strict=True):
        kept = (along > near + 1e-9) & (along < far - 1e-9)
        lines.append(np.vstack([point_at(coords, near), coords[kept], point_at(coords, far)]))
        first = int(np.searchsorted(along, near + 1e-9, side="right")) - 1
        pieces.append(piece[first : first + len(lines[-1]) - 1])
    return lines, pieces


def _paths(parts: list[_Part], chord_ft: float) -> list[tuple[Chain, tuple[bool, bool], int]]:
    """Walk parts through their nodes: each path with which of its ends are free and its component."""
    at_node: dict[tuple[float, float], list[tuple[int, int]]] = defaultdict(list)
    for index, part in enumerate(parts):
        for end in (0, -1):
            at_node[_key(part.coords[end])].append((index, end))
    partner: dict[tuple[int, int], tuple[int, int]] = {}
    for ends in at_node.values():
        for a, b in _continuing(parts, ends, chord_ft):
            partner[a], partner[b] = b, a
    free = {ends[0] for ends in at_node.values() if len(ends) == 1}
    component = _components(len(parts), at_node.values())
    paths = []
    left = set(range(len(parts)))
    starts = [(i, end) for i in range(len(parts)) for end in (0, -1) if (i, end) not in partner]
    for start in [*starts, *((i, 0) for i in range(len(parts)))]:
        if start[0] in left:
            walked = _walk(parts, partner, start, left)
            last = walked[-1][0], -1 if walked[-1][1] == 0 else 0
            coords, piece = _joined([_oriented(parts[i], end) for i, end in walked])
            closed = bool(start in partner)
            paths.append((Chain(coords, piece, closed), (start in free, last in free), component[start[0]]))
    return paths


def _continuing(
    parts: list[_Part], ends: list[tuple[int, int]], chord_ft: float
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Pair the ends at a node: two run on; of more, the straightest pair, then any other that turns under 90."""
    if len(ends) == 2:
        return [(ends[0], ends[1])]
    away = {end: _leaving(parts[end[0]], end[1], chord_ft) for end in ends}
    pairs: list[tuple[tuple[int, int], tuple[int, int]]] = []
    left = list(ends)
    while len(left) > 1:
        turned = [(_turn_deg(away[a], away[b]), a, b) for a, b in combinations(left, 2)]
        straightest = min(turn for turn, _, _ in turned)
        if pairs and straightest >= 90:
            break
        tied = [(a, b) for turn, a, b in turned if turn <= straightest + 0.1]
        best = max(tied, key=lambda pair: sum(_length(parts[i].coords) for i, _ in pair))
        pairs.append(best)
        left = [end for end in left if end not in best]
    return pairs


def _leaving(part: _Part, end: int, chord_ft: float) -> Floats:
    """Direction in which a part leaves its end, on a chord of `chord_ft`."""
    coords = part.coords if end == 0 else part.coords[::-1]
    return np.asarray(point_at(coords, chord_ft) - coords[0])


def _turn_deg(leaving: Floats, other: Floats) -> float:
    """Angle turned in passing from one part to another at a node; 0 runs straight through."""
    cross, dot = leaving[0] * other[1] - leaving[1] * other[0], leaving @ other
    return float(180 - np.degrees(np.arctan2(abs(cross), dot)))


def _components(count: int, nodes: object) -> list[int]:
    label = list(range(count))
    for ends in nodes:  # type: ignore[attr-defined]
        for index, _ in ends[1:]:
            label = [label[ends[0][0]] if c == label[index] else c for c in label]
    return label


def _walk(
    parts: list[_Part],
    partner: dict[tuple[int, int], tuple[int, int]],
    start: tuple[int, int],
    left: set[int],
) -> list[tuple[int, int]]:
    """Follow partners from an end; returns (part, entered end) in order and takes the parts from `left`."""
    walked, at = [], start
    while at[0] in left:
        left.discard(at[0])
        walked.append(at)
        onward = partner.get((at[0], -1 if at[1] == 0 else 0))
        if onward is None:
            break
        at = onward
    return walked


def _oriented(part: _Part, entered: int) -> _Part:
    return part if entered == 0 else _Part(part.coords[::-1], part.piece[::-1])


def _joined(parts: Sequence[_Part]) -> tuple[Floats, Ints]:
    coords = np.vstack([parts[0].coords, *(part.coords[1:] for part in parts[1:])])
    return coords, np.concatenate([part.piece for part in parts])


def _bridged(paths: list[tuple[Chain, tuple[bool, bool], int]]) -> list[Chain]:
    """Bridge gaps between components, nearest free ends first, until none is left that can be."""
    while True:
        ends = [(k, e) for k, (_, free, _) in enumerate(paths) for e in (0, 1) if free[e]]
        gaps = [
            (np.hypot(*(_end(paths[a[0]], a[1]) - _end(paths[b[0]], b[1]))), a, b)
            for a, b in combinations(ends, 2)
            if paths[a[0]][2] != paths[b[0]][2]
        ]
        if not gaps:
            return [path for path, _, _ in paths]
        _, (i, e), (j, f) = min(gaps)
        first, second = paths[i], paths[j]
        head = first[0] if e == 1 else first[0].reversed()
        tail = second[0] if f == 0 else second[0].reversed()
        chained = Chain(np.vstack([head.coords, tail.coords]), np.concatenate([head.piece, [BRIDGE], tail.piece]))
        freed = (first[1][1 - e], second[1][1 - f])
        paths = [
            (path, free, first[2] if component == second[2] else component)
            for k, (path, free, component) in enumerate(paths)
            if k not in (i, j)
        ]
        paths.append((chained, freed, first[2]))


def _end(path: tuple[Chain, tuple[bool, bool], int], end: int) -> Floats:
    return np.asarray(path[0].coords[0 if end == 0 else -1])


def _length(coords: Floats) -> float:
    return float(np.hypot(*np.diff(coords, axis=0).T).sum())


def _key(point: Floats) -> tuple[float, float]:
    return round(float(point[0]), 3), round(float(point[1]), 3)
