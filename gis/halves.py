"""Half-streets: from the base line outward, each with its stations and what crosses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString
from shapely.ops import substring

from gis.extension import ray_to
from gis.findings import Finding
from gis.linework import Floats, Ints, chord, crossing, point_at
from gis.network import NS, Network, Street

SAME_FT = 0.01


@dataclass(frozen=True, eq=False)
class Half:
    """One half of a street: what lies on one side of its base line, walked outward.

    Parameters
    ----------
    street
        Index of the street's path in the network.
    name
        ``"North"``, ``"South"``, ``"East"`` or ``"West"``.
    origin, outer
        Where the half begins and ends on the street's chain, feet along the chain.
    taken
        The part of the chain whose doors belong to the half: `origin` to `outer`, an overshoot included.
    way
        Vertices from the base line to the chain where the street does not meet it, else None.
    way_ft
        Length of the way, feet.
    reached_by
        ``"meets"``, ``"extended"`` (carried on straight) or ``"nearest"`` (to the base line's nearest point).
    built_base
        Whether the street meets the base line on the ground.
    coords, stations
        The whole line walked: way, street and outward extension; station 0 is at the base line.
    physical
        Whether each segment of `coords` exists on the ground.
    end_station
        Station of the street's own outward end, feet.
    dead_end
        Whether that end is an end of the street (and not the next crossing of its base line).
    findings
        What is doubtful about the half as a whole.
    """

    street: int
    name: str
    origin: float
    outer: float
    taken: tuple[float, float]
    way: Floats | None
    way_ft: float
    reached_by: str
    built_base: bool
    coords: Floats
    stations: Floats
    physical: NDArray[np.bool_]
    end_station: float
    dead_end: bool
    findings: tuple[Finding, ...] = ()

    @property
    def direction(self) -> int:
        """1 where outward is the way the chain is drawn, else -1."""
        return 1 if self.outer >= self.origin else -1

    @property
    def even_is_left(self) -> bool:
        """Whether the even side is left, looking outward (§ 288-15 E: north and east even)."""
        return self.name in {"South", "East"}

    def station(self, along: Floats) -> Floats:
        """Return stations of places on the chain (feet along it); an overshoot past the base line counts as 0."""
        return np.maximum(self.way_ft + self.direction * (along - self.origin), 0.0)

    def point(self, station: float) -> Floats:
        """Return the point at a station, shape (2,), feet."""
        return point_at(self.coords, station)


class Crossing(NamedTuple):
    """A place where a half-street meets a block line.

    `station` is along the half; `street` indexes the network; `built` whether it is on the ground; `accuracy_ft`
    that of the poorer of the two lines there.
    """

    station: float
    street: int
    built: bool
    accuracy_ft: float


def halves(net: Network) -> tuple[Half, ...]:
    """Cut every street at its base line and find how each half reaches it (§ 288-15 C(1), F).

    "All streets not extending through to the base line shall be assigned the same relative number as if the said
    street had extended to the said base line." Read as: carried on straight, without stopping, from the end that
    reaches the base line sooner; where neither does, the straight line from the nearer end.

    Parameters
    ----------
    net
        The village's streets.

    Returns
    -------
    tuple of Half
        In the order of the network's streets.
    """
    return tuple(half for index in range(len(net.streets)) for half in _halves_of(net, index))


def _halves_of(net: Network, index: int) -> list[Half]:
    street = net.streets[index]
    base = net.bases[street.family]
    meets = _meets(net, street, base.line)
    length = street.chain.length
    if not meets:
        return [_reaching(net, index)]
    spans = _spans(net, street, meets)
    found = []
    if len(meets) > 1:
        found = [
            Finding(
                "BASE_RECROSSED",
                {"street": street.name, "base": net.base_name(street.family), "times": len(meets)},
            )
        ]
    low, high = min(min(span) for span in spans), max(max(span) for span in spans)
    made = []
    for origin, outer in spans:
        near, far = sorted((origin, outer))
        taken = (0.0 if near == low else near, length if far == high else far)
        ends = {end for end, at in ((0, 0.0), (1, length)) if abs(outer - at) < SAME_FT}
        stop = street.stops[ends.pop()] if ends and not street.chain.closed else None
        dead_end = not any(abs(outer - m) < SAME_FT for m in meets)
        made.append(_half(net, index, origin, outer, taken, None, "meets", stop if dead_end else None, dead_end, found))
    return made


def _meets(net: Network, street: Street, base: LineString) -> list[float]:
    """Places along a chain where it crosses its base line, or else ends within reach of it."""
    coords, near_ft = street.chain.coords, net.reading.noded_ft
    stations = street.chain.stations
    merged = [s for s, _ in _crossings_of(coords, stations, shapely.get_coordinates(base))]
    for at in (0.0, stations[-1]):
        touches = base.distance(shapely.Point(point_at(coords, at))) <= near_ft
        if touches and not any(_stays_near(coords, m, at, base, near_ft) for m in merged):
            merged.append(float(at))
    return sorted(merged)


def _crossings_of(coords: Floats, stations: Floats, others: Floats) -> list[tuple[float, Floats]]:
    """Return (station, point) of each crossing of two lines, once each."""
    a, b = len(coords) - 1, len(others) - 1
    i, j = np.repeat(np.arange(a), b), np.tile(np.arange(b), a)
    steps, other_steps = np.diff(coords, axis=0), np.diff(others, axis=0)
    along, _ = crossing(coords[i], steps[i], others[j], other_steps[j])
    hit = np.flatnonzero(~np.isnan(along))
    at = stations[i[hit]] + along[hit] * np.hypot(*steps[i[hit]].T)
    points = coords[i[hit]] + steps[i[hit]] * along[hit, None]
    found: list[tuple[float, Floats]] = []
    for k in np.argsort(at):
        if not found or at[k] - found[-1][0] > SAME_FT:
            found.append((float(np.clip(at[k], 0, stations[-1])), points[k]))
    return found


def _stays_near(coords: Floats, first: float, second: float, base: LineString, near_ft: float) -> bool:
    """Whether the part of a line between two stations stays within `near_ft` of another line."""
    if abs(first - second) < SAME_FT:
        return True
    near, far = sorted((first, second))
    part = substring(LineString(coords), near, far)
    vertices = shapely.points(shapely.get_coordinates(part))
    return bool((shapely.distance(vertices, base) <= near_ft).all())


def _spans(net: Network, street: Street, meets: list[float]) -> list[tuple[float, float]]:
    """Return (origin, outer) along the chain of each half; overshoots make none."""
    base, near_ft, length = net.bases[street.family].line, net.reading.noded_ft, street.chain.length
    coords = street.chain.coords
    spans = []
    if not _stays_near(coords, 0.0, meets[0], base, near_ft):
        spans.append((meets[0], 0.0))
    for first, second in pairwise(meets):
        if _stays_near(coords, first, second, base, near_ft):
            continue
        away = [np.hypot(*(point_at(coords, at) - net.crossing)) for at in (first, second)]
        spans.append((first, second) if away[0] <= away[1] + SAME_FT else (second, first))
    if not _stays_near(coords, meets[-1], length, base, near_ft):
        spans.append((meets[-1], length))
    return spans or [(meets[0], 0.0 if meets[0] > length / 2 else length)]


def _reaching(net: Network, index: int) -> Half:
    """Make the half of a street that does not meet its base line."""
    street = net.streets[index]
    coords, length = street.chain.coords, street.chain.length
    target = net.bases[street.family].coords
    xmin, ymin, xmax, ymax = net.edge.bounds
    far = 2 * float(np.hypot(xmax - xmin, ymax - ymin))
    ways = []
    for at_end in (False, True):
        reached = ray_to(coords, target, net.reading.extension_chord_ft, far, at_end=at_end)
        if reached is not None:
            ways.append((at_end, reached))
    reached_by, found = "extended", []
    if not ways:
        reached_by = "nearest"
        ways = [(e, _nearest(coords[-1 if e else 0], net.bases[street.family].line)) for e in (False, True)]
        values = {"street": street.name, "base": net.base_name(street.family)}
        found = [Finding("EXTENSION_MISSES_BASELINE", values)]
    at_end, reached = _sooner(net, street, ways)
    if street.chain.closed:
        at_end = False
    origin, outer = (length, 0.0) if at_end else (0.0, length)
    way = np.vstack([reached, coords[-1 if at_end else 0]])
    stop = None if street.chain.closed else street.stops[0 if at_end else 1]
    return _half(net, index, origin, outer, (0.0, length), way, reached_by, stop, True, found)


def _nearest(point: Floats, base: LineString) -> Floats:
    return np.asarray(shapely.get_coordinates(shapely.shortest_line(base, shapely.Point(point)))[0])


def _sooner(net: Network, street: Street, ways: list[tuple[bool, Floats]]) -> tuple[bool, Floats]:
    """Choose the end that reaches sooner; within reach of equal the nearer the crossing, then south or west."""
    ends = [street.chain.coords[-1 if at_end else 0] for at_end, _ in ways]
    lengths = [float(np.hypot(*(end - reached))) for end, (_, reached) in zip(ends, ways, strict=True)]
    if len(ways) == 1 or abs(lengths[0] - lengths[1]) > net.reading.noded_ft:
        return ways[int(np.argmin(lengths))]
    away = [float(np.hypot(*(end - net.crossing))) for end in ends]
    if abs(away[0] - away[1]) > net.reading.noded_ft:
        return ways[int(np.argmin(away))]
    south = [float(end @ net.north) for end in ends]
    west = [float(end @ net.east) for end in ends]
    rank = south if abs(south[0] - south[1]) > net.reading.noded_ft else west
    return ways[int(np.argmin(rank))]


def _half(
    net: Network,
    index: int,
    origin: float,
    outer: float,
    taken: tuple[float, float],
    way: Floats | None,
    reached_by: str,
    stop: Floats | None,
    dead_end: bool,
    found: Sequence[Finding],
) -> Half:
    street = net.streets[index]
    part, physical = _part(street, origin, outer)
    if way is not None:
        part, physical = np.vstack([way[:1], part]), np.concatenate([[False], physical])
    way_ft = 0.0 if way is None else float(np.hypot(*(way[1] - way[0])))
    if stop is not None:
        part, physical = np.vstack([part, stop]), np.concatenate([physical, [False]])
    lengths = np.hypot(*np.diff(part, axis=0).T)
    return Half(
        street=index,
        name=_half_name(net, street, origin, outer),
        origin=origin,
        outer=outer,
        taken=taken,
        way=way,
        way_ft=way_ft,
        reached_by=reached_by,
        built_base=way is None and _on_ground(net, street, origin),
        coords=part,
        stations=np.concatenate([[0.0], np.cumsum(lengths)]),
        physical=physical,
        end_station=way_ft + abs(outer - origin),
        dead_end=dead_end,
        findings=(*street.findings, *found),
    )


def _part(street: Street, origin: float, outer: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return vertices from origin to outer along a chain and which segments between them are physical."""
    coords, along = street.chain.coords, street.chain.stations
    near, far = sorted((origin, outer))
    kept = (along > near + 1e-6) & (along < far - 1e-6)
    part = np.vstack([point_at(coords, near), coords[kept], point_at(coords, far)])
    middles = np.concatenate([[near], along[kept], [far]])
    middles = (middles[:-1] + middles[1:]) / 2
    segment = np.clip(np.searchsorted(along, middles, side="right") - 1, 0, len(coords) - 2)
    physical = street.chain.physical[segment]
    return (part, physical) if origin <= outer else (part[::-1], physical[::-1])


def _half_name(net: Network, street: Street, origin: float, outer: float) -> str:
    """Name the side of the base line that a half lies on, seen from its point farthest from the base line."""
    base = net.bases[street.family]
    part, _ = _part(street, origin, outer)
    middles = (part[:-1] + part[1:]) / 2
    points = np.vstack([part, middles])
    farthest = points[int(np.argmax(shapely.distance(shapely.points(points), base.line)))]
    left = base.is_left(farthest)
    if street.family == NS:
        return "North" if left else "South"
    return "West" if left else "East"


def _on_ground(net: Network, street: Street, along: float) -> bool:
    """Whether a street and its base line are both on the ground where they meet."""
    point = shapely.Point(point_at(street.chain.coords, along))
    base = net.streets[net.bases[street.family].street]
    near_ft = net.reading.noded_ft
    return bool(street.physical_line().distance(point) <= near_ft and base.physical_line().distance(point) <= near_ft)


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
    return bool(np.degrees(np.arctan2(across, abs(mine @ theirs))) >= net.reading.junction_deg)
