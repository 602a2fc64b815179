"""Locating doors: the nearest point of a named street, or of the nearest street and of those about as near."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from gis.linework import Floats, Ints
from gis.segments import Segments

FIND_STREET = -1
"""Street of a door whose street is to be found."""

_SEARCH_FT = 300.0
_FEW = 1000
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Locator:
    """The streets' lines, indexed.

    Parameters
    ----------
    segments
        The lines of all streets on the ground; `owner` is the path's index in the network.
    tree
        Spatial index of the segments.
    named
        Bounds of each name's segments, shape (names + 1,).
    name_of
        The name of each segment's street.
    ambiguous_ratio
        Another street within this many times the distance of the nearest is about as near.
    few
        Whether the segments are so few that one door is found sooner by looking at each.
    """

    segments: Segments
    tree: shapely.STRtree
    named: Ints
    name_of: Ints
    ambiguous_ratio: float
    few: bool

    @classmethod
    def of(cls, segments: Segments, name_of: Ints, names: int, ambiguous_ratio: float) -> Locator:
        """Index the streets' segments.

        Parameters
        ----------
        segments
            The segments, in the order of the names.
        name_of
            The name of each, ascending, shape (n,).
        names
            How many names there are.
        ambiguous_ratio
            See the class.

        Returns
        -------
        Locator
            The index.
        """
        lines = segments.lines()
        tree = shapely.STRtree(lines)
        named = np.searchsorted(name_of, np.arange(names + 1))
        return cls(segments, tree, named, name_of, ambiguous_ratio, few=len(lines) <= _FEW)


class Located(NamedTuple):
    """Each door's segment, and pairs of a door and the segment of another street about as near, nearest first."""

    segment: Ints
    near_door: Ints
    near_segment: Ints


def locate(locator: Locator, x: Floats, y: Floats, ids: Ints) -> Located:
    """Locate doors on their streets, or on the nearest.

    Parameters
    ----------
    locator
        The streets.
    x, y
        The entrances, shape (n,), feet.
    ids
        Names of their streets as places among the locator's names, or `FIND_STREET`, shape (n,).

    Returns
    -------
    Located
        Segments, and for doors whose street was found the other streets about as near.
    """
    names = np.unique(ids) if len(ids) > 1 else ids
    if len(names) == 1 and names[0] == FIND_STREET:
        return _found(locator, x, y)
    segment, near = np.zeros(len(x), dtype=np.int64), (_NONE, _NONE)
    for name in names:
        doors = np.flatnonzero(ids == name)
        if name == FIND_STREET:
            found = _found(locator, x[doors], y[doors])
            segment[doors], near = found.segment, (doors[found.near_door], found.near_segment)
        else:
            low, high = locator.named[name], locator.named[name + 1]
            segment[doors] = low + _nearest_of(locator.segments, slice(low, high), x[doors], y[doors])
    return Located(segment, *near)


def locate_one(locator: Locator, x: float, y: float, name: int) -> list[int]:
    """Locate one door on its street, or on the nearest and on those about as near.

    Parameters
    ----------
    locator
        The streets.
    x, y
        The entrance, feet.
    name
        Its street's place among the locator's names, or `FIND_STREET`.

    Returns
    -------
    list of int
        Its segment, and where its street was found those of the other streets about as near: what `locate` gives.
    """
    segments, ratio = locator.segments, locator.ambiguous_ratio
    if name != FIND_STREET:
        low, high = locator.named[name : name + 2].tolist()
        return [low + int(_squared(segments, slice(low, high), x, y).argmin())]
    which: Any = slice(None)
    if not locator.few:
        which = locator.tree.query(shapely.Point(x, y), predicate="dwithin", distance=_SEARCH_FT)
    square = _squared(segments, which, x, y)
    reach = ratio**2 * square.min(initial=math.inf)
    if not locator.few and reach > _SEARCH_FT**2:
        found = _found(locator, np.array([x]), np.array([y]))
        return [*found.segment.tolist(), *found.near_segment.tolist()]
    near = np.flatnonzero(square <= reach)
    segment = near if locator.few else which[near]
    found_on: dict[int, int] = {}
    pairs = zip(square[near].tolist(), locator.name_of[segment].tolist(), segment.tolist(), strict=True)
    for _, name_of, at in sorted(pairs):
        found_on.setdefault(name_of, at)
    return list(found_on.values())


def _nearest_of(segments: Segments, which: slice, x: Floats, y: Floats) -> Ints:
    """Return the place of the nearest of some segments to each point."""
    every = np.arange(which.start, which.stop)
    at_once = max(1, 2_000_000 // len(every))
    nearest = [
        _squared(segments, every, x[low : low + at_once, None], y[low : low + at_once, None]).argmin(axis=1)
        for low in range(0, len(x), at_once)
    ]
    return np.concatenate(nearest)


def _squared(segments: Segments, index: Ints | slice, x: float | Floats, y: float | Floats) -> Floats:
    """Return squared distances of points from segments."""
    dx, dy, length = segments.dx[index], segments.dy[index], segments.length[index]
    off_x, off_y = x - segments.x[index], y - segments.y[index]
    share = np.minimum(np.maximum((off_x * dx + off_y * dy) / (length * length), 0.0), 1.0)
    off_x, off_y = off_x - share * dx, off_y - share * dy
    return np.asarray(off_x * off_x + off_y * off_y)


def _found(locator: Locator, x: Floats, y: Floats) -> Located:
    """Find the nearest street's segment to each point, and the other streets within the ambiguous ratio."""
    ratio = locator.ambiguous_ratio
    shapes = np.asarray(shapely.points(x, y))
    door, segment, square = _within(locator, x, y, shapes, _SEARCH_FT)
    nearest, chosen = _first_of(door, segment, square, len(x))
    poor = np.flatnonzero(nearest * ratio**2 > _SEARCH_FT**2)
    if len(poor):
        # few doors lie so far from any street: their own distance is found first
        _, far = locator.tree.query_nearest(shapes[poor], return_distance=True, all_matches=False)
        more = _within(locator, x[poor], y[poor], shapes[poor], far * ratio + 0.001)
        kept = ~np.isin(door, poor)
        door = np.concatenate([door[kept], poor[more[0]]])
        segment, square = np.concatenate([segment[kept], more[1]]), np.concatenate([square[kept], more[2]])
        nearest, chosen = _first_of(door, segment, square, len(x))
    near = (square <= ratio**2 * nearest[door]) & (locator.name_of[segment] != locator.name_of[chosen][door])
    return Located(chosen, *_nearest_each(locator, door[near], segment[near], square[near]))


def _within(
    locator: Locator, x: Floats, y: Floats, shapes: NDArray[np.object_], reach_ft: float | Floats
) -> tuple[Ints, Ints, Floats]:
    """Return pairs of a point and a segment within its reach, with their squared distances."""
    hits = locator.tree.query(shapes, predicate="dwithin", distance=reach_ft)
    door, segment = hits
    return door, segment, _squared(locator.segments, segment, x[door], y[door])


def _first_of(door: Ints, segment: Ints, square: Floats, count: int) -> tuple[Floats, Ints]:
    """Return each door's least squared distance (inf where it has no pair) and its segment, of equal ones the first."""
    nearest = np.full(count, np.inf)
    np.minimum.at(nearest, door, square)
    least = square <= nearest[door]
    first = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(first, door[least], segment[least])
    return nearest, first


def _nearest_each(locator: Locator, door: Ints, segment: Ints, square: Floats) -> tuple[Ints, Ints]:
    """Keep of each pair of a door and a street its nearest segment; nearest streets first."""
    if not len(door):
        return _NONE, _NONE
    name = locator.name_of[segment]
    order = np.lexsort((segment, square, name, door))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (np.diff(door[order]) != 0) | (np.diff(name[order]) != 0)
    kept = order[fresh]
    kept = kept[np.lexsort((name[kept], square[kept], door[kept]))]
    return door[kept], segment[kept]
