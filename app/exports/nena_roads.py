"""Road centerlines of the NG9-1-1 model: the blocks of the Street Numbering Map that are on the ground, with ranges.

A block is one segment. Where another street, or an alley that makes no block, joins it between its ends, or where the
street has a gap, it is cut there, and each part has the numbers whose units of frontage begin along it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from shapely import LineString

from app.exports.nena_package import Shapes
from app.maps import along
from app.village import LONLAT, Village
from gis.address import Address, on_street
from gis.blocks import Row
from gis.faces import face
from gis.halves import Half
from gis.usps import without_accents

TOUCH_FT = 0.5
"""Lines nearer to one another than this meet."""
SHORTEST_FT = 0.1
CLASSES = {"alley": "Alley", "private": "Private", "path": "Walkway/Pedestrian Trail"}
"""Road classes by the kind of street; of a street nothing says whether it is primary, secondary or local."""
DIGITS = 7
Range = tuple[int, int]


@dataclass(frozen=True)
class Segment:
    """A part of a block on the ground.

    Parameters
    ----------
    row
        The block.
    local
        What names it within its NGUID.
    line
        Its line in feet, outward from the base line.
    left, right
        The lowest and the highest number of each side, as the line runs; 0 and 0 where there is none.
    parity_left, parity_right
        ``"O"``, ``"E"``, or ``"Z"`` where there is none.
    road_class
        A value of the domain; None where it is not known.
    """

    row: Row
    local: str
    line: LineString
    left: Range
    right: Range
    parity_left: str
    parity_right: str
    road_class: str | None

    @property
    def parts(self) -> Address:
        """The street's name in its parts, with the half's direction before it (§ 288-15 C)."""
        return _parts(self.row.side, self.row.street)


@lru_cache(maxsize=4096)
def _parts(side: str, street: str) -> Address:
    return on_street(1, side, street)


def segments(village: Village) -> list[Segment]:
    """Return every part of a block that is on the ground.

    Parameters
    ----------
    village
        With its map.

    Returns
    -------
    list of Segment
        By half-street, outward.
    """
    halves = village.map.halves
    runs = [(row, *run) for row in village.map.rows for run in _on_ground(halves[row.half], row)]
    lines = np.array([LineString(along(halves[row.half], low, high)) for row, low, high in runs], dtype=object)
    cuts: dict[int, set[float]] = defaultdict(set)
    for k, station in meets(lines, village.network.reading.noded_ft):
        cuts[k].add(round(station, 2))
    by_row: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for k, (row, low, high) in enumerate(runs):
        ends = [low, *(low + at for at in sorted(cuts[k])), high]
        by_row[id(row)] += list(pairwise(ends))
    used: Counter[str] = Counter()
    return [one for row in village.map.rows for one in _of_row(village, row, by_row.get(id(row), []), used)]


def _on_ground(half: Half, row: Row) -> Iterator[tuple[float, float]]:
    """Give the stations between which a block is on the ground, outward."""
    near, far = np.maximum(half.stations[:-1], row.from_ft), np.minimum(half.stations[1:], row.to_ft)
    start = end = None
    for low, high, built in zip(near.tolist(), far.tolist(), half.physical.tolist(), strict=True):
        if high <= low:
            continue
        if built and end is not None and start is not None and low - end < SHORTEST_FT:
            end = high
        elif built:
            if start is not None and end is not None and end - start > SHORTEST_FT:
                yield start, end
            start, end = low, high
    if start is not None and end is not None and end - start > SHORTEST_FT:
        yield start, end


def meets(lines: Shapes, near_ft: float) -> Iterator[tuple[int, float]]:
    """Give each place between its ends at which a line meets another.

    Parameters
    ----------
    lines
        Lines in feet, shape (n,); None is met by nothing.
    near_ft
        So near to its end a line is met at its end.

    Yields
    ------
    tuple of (int, float)
        The line, and how far along it, feet.
    """
    first, second = shapely.STRtree(lines).query(lines, predicate="dwithin", distance=TOUCH_FT)
    others = first != second
    first, second = first[others], second[others]
    places, of = shapely.get_coordinates(shapely.intersection(lines[first], lines[second]), return_index=True)
    found = [(first[of], places)]
    for end in (0, -1):
        tips = shapely.get_point(lines[second], end)
        touching = shapely.distance(lines[first], tips) < TOUCH_FT
        found.append((first[touching], shapely.get_coordinates(tips[touching])))
    own = np.concatenate([k for k, _ in found])
    at = shapely.line_locate_point(lines[own], shapely.points(np.concatenate([xy for _, xy in found])))
    within = (near_ft < at) & (at < shapely.length(lines[own]) - near_ft)
    yield from zip(own[within].tolist(), at[within].tolist(), strict=True)


def _of_row(village: Village, row: Row, parts: Sequence[tuple[float, float]], used: Counter[str]) -> Iterator[Segment]:
    half = village.map.halves[row.half]
    starts = [-np.inf, *(low for low, _ in parts[1:]), np.inf]
    for k, (low, high) in enumerate(parts):
        odd, even = (
            _range([n.number for n in face(row, village.map, even=is_even) if starts[k] <= n.from_ft < starts[k + 1]])
            for is_even in (False, True)
        )
        sides = [(odd, "O"), (even, "E")][:: -1 if half.even_is_left else 1]
        (left, of_left), (right, of_right) = [(ends, parity if ends[1] else "Z") for ends, parity in sides]
        line, name = LineString(along(half, low, high)), _local(row)
        used[name] += 1
        local = name if used[name] == 1 else f"{name}-{used[name]}"
        made = _road_class(village, half, (low + high) / 2)
        yield Segment(row, local, line, left, right, of_left, of_right, made)


def _range(numbers: Sequence[int]) -> Range:
    return (numbers[0], numbers[-1]) if numbers else (0, 0)


def _local(row: Row) -> str:
    path = f" path {row.path}" if row.path else ""
    return re.sub(r"[^A-Za-z0-9]+", "-", without_accents(f"{row.side} {row.street} {row.hundred}{path}")).strip("-")


def _road_class(village: Village, half: Half, station: float) -> str | None:
    """Return the class of the street at a station."""
    chain = village.network.streets[half.street].chain
    at = half.origin + half.direction * (station - half.way_ft)
    segment = int(np.clip(np.searchsorted(chain.stations, at, side="right") - 1, 0, len(chain.piece) - 1))
    return CLASSES.get(village.network.pieces[int(chain.piece[segment])].kind)


def in_degrees(village: Village, shapes: Sequence[Any]) -> Shapes:
    """Return geometries in feet as longitude and latitude, rounded to a hundredth of a metre."""
    project = village.out_of_feet(LONLAT)

    def degrees(places: Any) -> Any:
        return np.stack(project(places[:, 0], places[:, 1]), axis=1).round(DIGITS)

    made: Shapes = shapely.transform(np.array(shapes, dtype=object), degrees)
    return made
