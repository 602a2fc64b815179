"""Straight segments as tables: points projected on them, and segments crossed; of one or of many by the same formula.

Coordinates are planar, in US survey feet of the working CRS.
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

from gis.linework import Floats, Ints


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
