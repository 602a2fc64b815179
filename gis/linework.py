"""Linework: stations and offsets along a street's line, and the chaining of its pieces to one line.

Coordinates are planar, in US survey feet of the working CRS; arrays of points have the shape (n, 2).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import shapely
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
        return np.asarray(self.piece != BRIDGE)

    def reversed(self) -> Chain:
        """Return the same line drawn the other way.

        Returns
        -------
        Chain
            The line reversed.
        """
        return Chain(self.coords[::-1], self.piece[::-1], self.closed)

    def started_at(self, station: float) -> Chain:
        """Return a closed chain that begins and ends at another place.

        Parameters
        ----------
        station
            Where it is cut, feet along the chain.

        Returns
        -------
        Chain
            The chain from there once round.
        """
        coords, piece = cut(self.coords, self.piece, [station])
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
        """Tabulate lines.

        Parameters
        ----------
        lines
            Vertices (shape (n, 2), feet), which segments to keep, and whether closed, of each.

        Returns
        -------
        Segments
            The table.
        """
        tables = [_tabulated(owner, *line) for owner, line in enumerate(lines)]
        return cls(*(np.concatenate(column) for column in zip(*tables, strict=True)))

    def lines(self) -> NDArray[np.object_]:
        """Return the segments as geometries.

        Returns
        -------
        numpy.ndarray
            Line strings, shape (n,).
        """
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
        """Return one of two values.

        Parameters
        ----------
        condition
            Whether the first.
        yes, no
            The values.

        Returns
        -------
        Any
            `yes` where the condition holds, else `no`.
        """
        return yes if condition else no

    @staticmethod
    def hundredths(value: Any) -> int:
        """Round to whole hundredths, halves to even.

        Parameters
        ----------
        value
            A length in feet.

        Returns
        -------
        int
            Hundredths of a foot.
        """
        rounded: int = round(value * 100)
        return rounded

    @staticmethod
    def last_at(keys: Any, value: Any) -> int:
        """Return the place of the last key not above a value.

        Parameters
        ----------
        keys
            In ascending order.
        value
            The value.

        Returns
        -------
        int
            Its place; -1 where the value is below all.
        """
        place: int = bisect_right(keys, value)
        return place - 1


class Columns:
    """Arithmetic on arrays of shape (n,)."""

    minimum, maximum, hypot, copysign, where = np.minimum, np.maximum, np.hypot, np.copysign, np.where

    @staticmethod
    def hundredths(value: Floats) -> Ints:
        """Round to whole hundredths, halves to even.

        Parameters
        ----------
        value
            Lengths in feet, shape (n,).

        Returns
        -------
        numpy.ndarray
            Hundredths of a foot, shape (n,).
        """
        return np.rint(value * 100).astype(np.int64)

    @staticmethod
    def last_at(keys: Any, value: Any) -> Ints:
        """Return the place of the last key not above each value.

        Parameters
        ----------
        keys
            In ascending order.
        value
            The values, shape (n,).

        Returns
        -------
        numpy.ndarray
            Their places, shape (n,); -1 where a value is below all.
        """
        return np.asarray(np.searchsorted(keys, value, side="right") - 1)


def kind_of(value: Any) -> Any:
    """Return the arithmetic that suits a value.

    Parameters
    ----------
    value
        A number or an array.

    Returns
    -------
    type
        `Columns` for an array, `Numbers` for a number.
    """
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


def cut(coords: Floats, piece: Ints, stations: Sequence[float]) -> tuple[list[Floats], list[Ints]]:
    """Cut a line at stations inside it.

    Parameters
    ----------
    coords
        Vertices, shape (n, 2), feet.
    piece
        Piece of each segment, shape (n - 1,).
    stations
        Where to cut, feet along the line; those at its ends or outside cut nothing.

    Returns
    -------
    coords, piece : list of numpy.ndarray
        The parts in order.
    """
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(coords, axis=0).T))])
    inside = sorted({s for s in stations if 1e-6 < s < along[-1] - 1e-6})
    lines, pieces = [], []
    for near, far in zip([0.0, *inside], [*inside, along[-1]], strict=True):
        kept = (along > near + 1e-9) & (along < far - 1e-9)
        lines.append(np.vstack([point_at(coords, near), coords[kept], point_at(coords, far)]))
        first = int(np.searchsorted(along, near + 1e-9, side="right")) - 1
        pieces.append(piece[first : first + len(lines[-1]) - 1])
    return lines, pieces
