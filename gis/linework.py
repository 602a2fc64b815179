"""Linework: stations, chords and bearings along a street's line.

Coordinates are planar, in US survey feet of the working CRS; arrays of points have the shape (n, 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
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
    bearing = float(np.degrees(np.angle(mean) / 2) % 180)
    return bearing if bearing < 180 else 0.0, float(abs(mean))


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
