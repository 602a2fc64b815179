"""Half-streets: from the base line outward, each with its stations and what crosses it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString
from shapely.ops import substring

from gis.extension import ray_to
from gis.findings import Finding
from gis.linework import Floats, cut, point_at
from gis.network import NS, Network, Street
from gis.segments import crossing

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
    base_part
        Vertices of the base line about station 0, feet.
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
    base_part: Floats
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
        """Return the stations of places on the chain; an overshoot past the base line counts as 0.

        Parameters
        ----------
        along
            Feet along the chain, shape (n,).

        Returns
        -------
        numpy.ndarray
            Stations from the base line, shape (n,), feet.
        """
        return np.maximum(self.way_ft + self.direction * (along - self.origin), 0.0)

    def point(self, station: float) -> Floats:
        """Return the point at a station.

        Parameters
        ----------
        station
            Feet from the base line.

        Returns
        -------
        numpy.ndarray
            The point, shape (2,), feet.
        """
        stations, x, y = self._walk
        k = min(max(bisect_right(stations, station) - 1, 0), len(stations) - 2)
        first, last = stations[k], stations[k + 1]
        if station <= first or station >= last:
            at = k if station <= first else k + 1
            return np.array([x[at], y[at]])
        ahead = station - first
        step = last - first
        return np.array([(x[k + 1] - x[k]) / step * ahead + x[k], (y[k + 1] - y[k]) / step * ahead + y[k]])

    @cached_property
    def _walk(self) -> tuple[list[float], list[float], list[float]]:
        """The vertices as lists: a map asks for thousands of single points, which arrays answer ten times slower."""
        steps = np.hypot(*np.diff(self.coords, axis=0).T)
        stations = np.concatenate([[0.0], np.cumsum(steps)])
        return stations.tolist(), self.coords[:, 0].tolist(), self.coords[:, 1].tolist()


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
        nearer = net.nearer_crossing(np.array([point_at(coords, at) for at in (first, second)]))
        spans.append((second, first) if nearer else (first, second))
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
        base_part=_about(net.bases[street.family].coords, part[0], net.reading.extension_chord_ft),
        findings=(*street.findings, *found),
    )


def _about(coords: Floats, point: Floats, reach_ft: float) -> Floats:
    """Return the part of a line within reach of the place nearest a point."""
    at = LineString(coords).project(shapely.Point(point))
    parts, _ = cut(coords, np.zeros(len(coords) - 1, dtype=np.int64), [at - reach_ft, at + reach_ft])
    return parts[1 if at > reach_ft else 0]


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
