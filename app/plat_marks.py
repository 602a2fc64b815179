"""What a strip of the plat book is made of: lines, boxes and texts in points, and what is written on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 504.0
"""Of a strip, points: between the margins of a letter page."""
_EM = 0.66
"""How wide a sign is, of its size: the widest of the fonts that the strip is drawn in."""


@dataclass(frozen=True)
class Line:
    """A straight line in points, and what it stands for."""

    x1: float
    y1: float
    x2: float
    y2: float
    role: str


@dataclass(frozen=True)
class Box:
    """A rectangle in points, and what it stands for."""

    x: float
    y: float
    width: float
    height: float
    role: str


@dataclass(frozen=True)
class Text:
    """A text in points: its baseline's place, its size, how it is set there, whether it reads upward, and its role."""

    x: float
    y: float
    text: str
    size: float
    role: str = ""
    anchor: str = "start"
    upward: bool = False
    link: str = ""


Mark = Line | Box | Text


@dataclass(frozen=True)
class Given:
    """A number in use, where its entrance stands on its row.

    Parameters
    ----------
    id
        Of the address.
    text
        The number as it is written on the strip.
    full, status
        The address, and what it is.
    half, even, station_ft
        Where it stands; -1 where it stands on no half-street.
    """

    id: int
    text: str
    full: str
    status: str
    half: int
    even: bool
    station_ft: float


@dataclass(frozen=True)
class LotFront:
    """A lot's frontage on one side of a half-street, with the numbers it embraces.

    Parameters
    ----------
    parcel
        The lot.
    half, even, from_ft, to_ft
        Its frontage.
    numbers
        The numbers whose unit starts within it, outward.
    shared
        The number that begins on the neighbour's lot and reaches into this one; None for none.
    given
        The numbers in use whose entrance stands on it.
    """

    parcel: str
    half: int
    even: bool
    from_ft: float
    to_ft: float
    numbers: tuple[int, ...]
    shared: int | None
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class Strip:
    """A stretch of a half-street, ready to be drawn.

    Parameters
    ----------
    title
        Which stretch it is.
    height
        In points; the width is `WIDTH`.
    marks
        In the order they are drawn.
    unwritten
        The numbers in use for which there was no room.
    described
        What is to be seen, for those who cannot.
    written
        Ids of the addresses whose numbers stand on it.
    """

    title: str
    height: float
    marks: tuple[Mark, ...]
    unwritten: tuple[str, ...]
    described: str
    written: tuple[int, ...] = ()


def most_wide(text: str, size: float) -> float:
    """Return how wide a text is at most, points."""
    return len(text) * size * _EM


def spread(wanted: Sequence[float], low: float, high: float, gap: float) -> list[float] | None:
    """Move places apart as little as is needed, in order, between two ends.

    Parameters
    ----------
    wanted
        Rising places.
    low, high
        Between which they stay.
    gap
        How far they stand apart at least.

    Returns
    -------
    list of float or None
        The places; None where so many do not fit.

    Examples
    --------
    >>> spread([10.0, 11.0, 30.0], 0.0, 40.0, 4.0)
    [8.5, 12.5, 30.0]
    >>> spread([1.0, 2.0, 3.0], 0.0, 5.0, 4.0) is None
    True
    """
    if not wanted or (len(wanted) - 1) * gap > high - low + 1e-9:
        return None if wanted else []
    # without the gaps it is the nearest rising sequence: runs that would fall share their mean
    runs: list[list[float]] = []
    for k, x in enumerate(wanted):
        runs.append([x - k * gap, 1.0])
        while len(runs) > 1 and runs[-2][0] > runs[-1][0]:
            value, count = runs.pop()
            runs[-1] = [(runs[-1][0] * runs[-1][1] + value * count) / (runs[-1][1] + count), runs[-1][1] + count]
    flat = [value for value, count in runs for _ in range(int(count))]
    last = high - (len(wanted) - 1) * gap
    return [min(max(value, low), last) + k * gap for k, value in enumerate(flat)]
