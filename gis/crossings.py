"""Where half-streets meet block lines: the extended streets of the other family, and built junctions of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString

from gis.halves import SAME_FT, Half
from gis.linework import Floats, Ints, chord
from gis.network import Network, Street
from gis.segments import crossing

_SLACK_DEG = 1e-6  # so that noise does not decide a junction of just the angle


class Crossing(NamedTuple):
    """A place where a half-street meets a block line.

    `station` is along the half; `street` indexes the network; `built` whether it is on the ground; `accuracy_ft`
    that of the poorer of the two lines there.
    """

    station: float
    street: int
    built: bool
    accuracy_ft: float


@dataclass(frozen=True, eq=False)
class BlockLines:
    """Every street that may make blocks, extended, as a table of segments.

    Columns have one entry a segment: its ends, its street, whether it is on the ground and its accuracy.
    """

    start: Floats
    step: Floats
    street: Ints
    physical: NDArray[np.bool_]
    accuracy_ft: Floats
    tree: shapely.STRtree


def block_lines(net: Network) -> BlockLines:
    """Tabulate the block lines of a village: streets of kind ``street`` not ruled out, extended.

    Parameters
    ----------
    net
        The village's streets.

    Returns
    -------
    BlockLines
        The table with its spatial index.
    """
    rows: list[tuple[Floats, Floats, int, bool, float]] = []
    for index, street in enumerate(net.streets):
        coords, made = street.chain.coords, street.makes_blocks
        for k in np.flatnonzero(made):
            ground = bool(street.chain.physical[k])
            rows.append((coords[k], coords[k + 1] - coords[k], index, ground, street.accuracy_ft[k]))
        for which, at in ((0, 0), (1, -1)):
            stop = street.stops[which]
            if stop is not None and made[at]:
                end = coords[at]
                rows.append((end, stop - end, index, False, street.accuracy_ft[at]))
    start, step, owner, physical, accuracy = (np.array(column) for column in zip(*rows, strict=True))
    tree = shapely.STRtree([LineString(ends) for ends in np.stack([start, start + step], axis=1)])
    return BlockLines(start, step, owner, physical, accuracy, tree)


def crossings(net: Network, half: Half, lines: BlockLines) -> list[Crossing]:
    """Collect the crossings of a half-street with block lines, from the base line outward (§ 288-15 D).

    The other family's block lines, extended, count; of its own family only built junctions at the reading's
    `junction_deg` or more. An end within `noded_ft` meets.

    Parameters
    ----------
    net
        The village's streets.
    half
        The half-street.
    lines
        The village's block lines.

    Returns
    -------
    list of Crossing
        By station.
    """
    met = _crossed(net, half, lines)
    for index in _ends_near(net, half, lines):
        met = _with_ends(net, half, lines, index, met)
    return sorted(_far_base(net, half, c) for c in met if _counts(net, half, c))


def _crossed(net: Network, half: Half, lines: BlockLines) -> list[Crossing]:
    steps = np.diff(half.coords, axis=0)
    walked = shapely.linestrings(np.stack([half.coords[:-1], half.coords[1:]], axis=1))
    # a little reach, so that a line whose end just touches is not lost to rounding
    i, j = lines.tree.query(walked, predicate="dwithin", distance=1e-6)
    other = lines.street[j] != half.street
    i, j = i[other], j[other]
    along, _ = crossing(half.coords[i], steps[i], lines.start[j], lines.step[j])
    met: dict[tuple[int, int], Crossing] = {}
    for k in np.flatnonzero(~np.isnan(along)):
        at = half.stations[i[k]] + along[k] * np.hypot(*steps[i[k]])
        built = bool(half.physical[i[k]] and lines.physical[j[k]])
        street = int(lines.street[j[k]])
        if not built:
            point = half.coords[i[k]] + steps[i[k]] * along[k]
            built = _both_on_ground(net, half, street, point)
        key = (street, round(float(at) / SAME_FT / 2))
        if key not in met or built > met[key].built:
            met[key] = Crossing(float(at), street, built, _accuracy(net, half, lines.accuracy_ft[j[k]]))
    return list(met.values())


def _both_on_ground(net: Network, half: Half, other: int, point: Floats) -> bool:
    shape, near_ft = shapely.Point(point), net.reading.noded_ft
    return bool(
        net.streets[half.street].physical_line().distance(shape) <= near_ft
        and net.streets[other].physical_line().distance(shape) <= near_ft
    )


def _accuracy(net: Network, half: Half, other_ft: float) -> float:
    return float(max(net.streets[half.street].accuracy_ft.max(), other_ft))


def _ends_near(net: Network, half: Half, lines: BlockLines) -> list[int]:
    """Streets with block lines within reach of the half: those whose ends, or whose line at its ends, may meet."""
    near = lines.tree.query(LineString(half.coords), predicate="dwithin", distance=net.reading.noded_ft)
    return sorted({int(lines.street[k]) for k in near} - {half.street})


def _with_ends(net: Network, half: Half, lines: BlockLines, index: int, met: list[Crossing]) -> list[Crossing]:
    """Take in the ends that meet: the other street's on this half, and this half's own on the other street."""
    other, near_ft = net.streets[index], net.reading.noded_ft
    walked = LineString(half.coords)
    own_ground, other_ground = net.streets[half.street].physical_line(), other.physical_line()
    for at in () if other.chain.closed else (0, -1):
        end = shapely.Point(other.chain.coords[at])
        if other.makes_blocks[at] and walked.distance(end) <= near_ft:
            accuracy = _accuracy(net, half, other.accuracy_ft[at])
            built = own_ground.distance(end) <= near_ft
            met = _met_at(net, met, Crossing(walked.project(end), index, built, accuracy))
    for station in _own_ends(net, half):
        end = shapely.Point(half.point(station))
        if other_ground.distance(end) <= near_ft and _makes_there(other, end):
            accuracy = _accuracy(net, half, float(other.accuracy_ft.max()))
            met = _met_at(net, met, Crossing(station, index, True, accuracy))
    return met


def _met_at(net: Network, met: list[Crossing], end: Crossing) -> list[Crossing]:
    """Take in the meeting of an end: the crossing it belongs to is built; where there is none it is one itself."""
    away = [abs(m.station - end.station) if m.street == end.street else np.inf for m in met]
    nearest = int(np.argmin(away)) if met else -1
    if nearest < 0 or away[nearest] >= net.reading.jog_ft:
        return [*met, end]
    there = met[nearest]
    return [*met[:nearest], there._replace(built=there.built or end.built), *met[nearest + 1 :]]


def _own_ends(net: Network, half: Half) -> list[float]:
    """Stations of the ends of the street on this half, its meeting with the base line aside."""
    if net.streets[half.street].chain.closed:
        return []
    ends = [half.end_station] if half.dead_end else []
    return [*([half.way_ft] if half.way is not None else []), *ends]


def _makes_there(street: Street, point: shapely.Point) -> bool:
    at = street.chain.line.project(point)
    k = int(np.clip(np.searchsorted(street.chain.stations, at, side="right") - 1, 0, len(street.makes_blocks) - 1))
    return bool(street.makes_blocks[k])


def _far_base(net: Network, half: Half, met: Crossing) -> Crossing:
    """Make the far end of a piece between two crossings of its base line a built block line."""
    base = net.bases[net.streets[half.street].family].street
    is_far = met.street == base and not half.dead_end and abs(met.station - half.end_station) < SAME_FT
    return met._replace(built=met.built or is_far)


def _counts(net: Network, half: Half, met: Crossing) -> bool:
    """Whether a crossing is a block line: the other family's, or a built junction of its own at an angle."""
    own, other = net.streets[half.street], net.streets[met.street]
    if other.family != own.family:
        return True
    if not met.built:
        return False
    point = half.point(met.station)
    reach = net.reading.chord_ft
    mine = chord(own.chain.coords, own.chain.line.project(shapely.Point(point)), reach)
    theirs = chord(other.chain.coords, other.chain.line.project(shapely.Point(point)), reach)
    across = abs(mine[0] * theirs[1] - mine[1] * theirs[0])
    return bool(np.degrees(np.arctan2(across, abs(mine @ theirs))) >= net.reading.junction_deg - _SLACK_DEG)
