"""The checks of an NG9-1-1 package that ask where things lie: points and centerlines, against centerlines.

Places are held against each other in feet, after the coordinates that go out are projected back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import shapely

from app.exports.nena_fields import BOUNDARY, POINTS, ROADS, named
from app.exports.nena_package import Layer, Package, Shapes
from app.exports.nena_report import NOTICE, Found, found
from app.exports.nena_roads import meets
from gis.linework import Floats

NAME = ("St_PreMod", "St_PreDir", "St_PreTyp", "St_PreSep", "St_Name", "St_PosTyp", "St_PosDir", "St_PosMod")
FAR_FT = 200.0
"""A07: a centerline of the street is nearer than this."""
SHARP_DEG = 55.0
"""R07: a centerline turns by no sharper angle."""
ENDS_FT = 5.0
"""R11: so near to its end a centerline is met at its end; and segments whose ends are so near are connected."""
SAME_FT = 0.5
"""Segments are as near to a point as one another within this."""
SLIVER_SQFT = 10.0
"""B01: a gap or an overlap smaller than this is of the rounding of coordinates."""
Side = tuple[int | None, int | None, str | None]


@dataclass(frozen=True, eq=False)
class Roads:
    """The centerlines of a package, as points are matched to them.

    Parameters
    ----------
    layer
        Their layer.
    lines
        Their lines in feet, shape (n,).
    names
        What a point must share with each: the parts of the street's name and the community.
    sides
        From, to and parity of the left and the right side of each.
    by_name
        Which centerlines bear each name.
    """

    layer: Layer
    lines: Shapes
    names: Sequence[tuple[Any, ...]]
    sides: Sequence[tuple[Side, Side]]
    by_name: dict[tuple[Any, ...], list[int]]

    def holding(self, members: Sequence[int], number: int) -> list[int]:
        """Return those of some centerlines that have a range with a number."""
        return [k for k in members if any(holds(side, number) for side in self.sides[k])]


def holds(side: Side, number: int) -> bool:
    """Whether the range of one side has a number: between its ends, and of its parity."""
    low, high, parity = side
    if low is None or high is None or parity not in {"O", "E", "B"}:
        return False
    return min(low, high) <= number <= max(low, high) and (parity == "B" or (number % 2 == 1) == (parity == "O"))


def roads(package: Package) -> Roads:
    """Return the centerlines of a package, found out once."""
    if "roads" not in package.kept:
        package.kept["roads"] = _roads(package)
    made: Roads = package.kept["roads"]
    return made


def _roads(package: Package) -> Roads:
    layer = package.layers.get(ROADS) or Layer(ROADS, (), np.empty(0, dtype=object))
    community = named(package.profile, ROADS, "A3_L")
    names = list(zip(*(layer.values(part) for part in (*NAME, community)), strict=True))
    left, right = (
        list(zip(*(layer.values(f"{part}_{side}") for part in ("FromAddr", "ToAddr", "Parity")), strict=True))
        for side in "LR"
    )
    by_name: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    lines = package.in_feet(ROADS)
    for k, name in enumerate(names):
        if lines[k] is not None:
            by_name[name].append(k)
    return Roads(layer, lines, names, list(zip(left, right, strict=True)), by_name)


# --- address points ---


@dataclass(frozen=True)
class Matched:
    """An address point and the centerlines of its street.

    Parameters
    ----------
    k
        The point.
    own
        Its NGUID.
    number
        Its number.
    road
        The centerline nearest to it that holds its number; -1 where none does.
    """

    k: int
    own: str
    number: int
    road: int


def _points(package: Package) -> Iterator[Found]:
    """A02 to A07: find the centerline of every point, and say where there is none, or another, or its other side."""
    layer, net = package.layers.get(POINTS), roads(package)
    if layer is None:
        return
    places, ids, numbers = package.in_feet(POINTS), layer.ids(), layer.values("Add_Number")
    community = named(package.profile, POINTS, "A3")
    by_name: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for k, name in enumerate(zip(*(layer.values(part) for part in (*NAME, community)), strict=True)):
        if places[k] is not None and numbers[k] is not None:
            by_name[name].append(k)
    matched: list[Matched] = []
    for name, members in by_name.items():
        lines = net.by_name.get(name, [])
        away = shapely.distance(places[members][:, None], net.lines[lines][None, :])
        for k, far in zip(members, away, strict=True):
            one = Matched(k, ids[k], numbers[k], _nearest(net.holding(lines, numbers[k]), lines, far))
            yield from _of_point(net, one, lines, far, name)
            if one.road >= 0:
                matched.append(one)
    yield from _sides(net, places, matched)
    yield from _in_order(net, places, matched)


def _nearest(holding: Sequence[int], lines: Sequence[int], far: Floats) -> int:
    return min(holding, key=lambda k: far[lines.index(k)], default=-1)


def _of_point(net: Roads, one: Matched, lines: Sequence[int], far: Floats, name: tuple[Any, ...]) -> Iterator[Found]:
    street = " ".join(str(part) for part in name[:-1] if part)
    about = (POINTS, one.own, "Add_Number")
    holding = net.holding(lines, one.number)
    if not holding:
        which = "has a range with it" if lines else "bears its street's name in its community"
        yield found("A02", *about, f"{one.number} {street}: no centerline {which}.")
    elif far.min() + SAME_FT < far[lines.index(one.road)]:
        near = net.layer.ids()[lines[int(far.argmin())]]
        yield found("A04", *about, f"{one.number} {street} lies at {near}, whose ranges do not have it.")
    if len(holding) > 1:
        several = ", ".join(net.layer.ids()[k] for k in holding)
        yield found("A03", *about, f"{one.number} {street} is in the ranges of {several}.")
    if not lines or far.min() > FAR_FT:
        yield found("A07", POINTS, one.own, "St_Name", f"No centerline of {street} lies within {FAR_FT:g} ft.")


def _sides(net: Roads, places: Shapes, matched: Sequence[Matched]) -> Iterator[Found]:
    """A05: say which points lie on the other side of their centerline than their number."""
    for one in matched:
        left, right = (holds(side, one.number) for side in net.sides[one.road])
        if left == right:
            continue
        offset = _offset(net.lines[one.road], places[one.k])
        if offset and (offset > 0) != left:
            text = f"{one.number} lies {'left' if offset > 0 else 'right'} of its centerline and is of the other side."
            yield found("A05", POINTS, one.own, "Add_Number", text)


def _offset(line: Any, place: Any) -> float:
    """Return how far left of a line a point lies; negative where it lies right."""
    at = line.project(place)
    start, end = (line.interpolate(max(min(at + step, line.length), 0.0)) for step in (-0.5, 0.5))
    return float((end.x - start.x) * (place.y - start.y) - (end.y - start.y) * (place.x - start.x))


def _in_order(net: Roads, places: Shapes, matched: Sequence[Matched]) -> Iterator[Found]:
    """A06: say where the points of one side do not rise along their segment."""
    by_side: dict[tuple[int, bool], list[tuple[float, Matched]]] = defaultdict(list)
    for one in matched:
        at = net.lines[one.road].project(places[one.k])
        by_side[one.road, holds(net.sides[one.road][0], one.number)].append((at, one))
    for (road, left), members in by_side.items():
        low, high, _ = net.sides[road][0 if left else 1]
        up = 1 if (low or 0) <= (high or 0) else -1
        members.sort(key=lambda pair: (round(pair[0], 2), up * pair[1].number))
        for (_, before), (_, after) in pairwise(members):
            if up * before.number > up * after.number:
                text = f"{after.number} stands past {before.number} along {net.layer.ids()[road]}."
                yield found("A06", POINTS, after.own, "Add_Number", text)


def _admin(package: Package) -> Iterator[Found]:
    """A08: hold the community and the ESN of a point against those of the village that it lies in."""
    layer = package.layers.get(POINTS)
    if layer is None:
        return
    within = _inside(package, POINTS)
    for level in ("A3", "ESN"):
        name, wanted = named(package.profile, POINTS, level), package.expected.get(level) or None
        for own, value, inside in zip(layer.ids(), layer.values(name), within, strict=True):
            if inside and value != wanted:
                text = f"{name} is {value or 'empty'}; within the boundary it is {wanted or 'empty'}."
                yield found("A08", POINTS, own, name, text)


# --- centerlines ---


def _ranges(package: Package) -> Iterator[Found]:
    """R03 and R06: say where ranges of one street overlap, or are the same."""
    net = roads(package)
    for members in net.by_name.values():
        spans = [
            (min(low, high), max(low, high), parity, k)
            for k in members
            for low, high, parity in net.sides[k]
            if low is not None and high is not None and parity in {"O", "E", "B"}
        ]
        for one, other in combinations(sorted(spans, key=lambda span: span[:2]), 2):
            apart = other[0] > one[1] or ({one[2], other[2]} == {"O", "E"})
            if apart:
                continue
            ids, same = net.layer.ids(), one[:3] == other[:3]
            text = f"{one[0]} to {one[1]} of {ids[one[3]]} {'is also' if same else 'overlaps with'} "
            text += f"{other[0]} to {other[1]} of {ids[other[3]]}."
            yield found("R06" if same else "R03", ROADS, ids[other[3]], "FromAddr_L", text)


def _connected(package: Package) -> Iterator[Found]:
    """R04 and R05: hold the ranges of each segment against those of the segment that it goes on from."""
    net = roads(package)
    even, odd, hundred = package.first_numbers
    ids = net.layer.ids()
    for members in net.by_name.values():
        for before in members:
            end = shapely.Point(net.lines[before].coords[-1])
            for after in members:
                if after == before or end.distance(shapely.Point(net.lines[after].coords[0])) > ENDS_FT:
                    continue
                for side, was, now in zip("LR", net.sides[before], net.sides[after], strict=True):
                    about = (ROADS, ids[after], f"FromAddr_{side}")
                    if {was[2], now[2]} == {"O", "E"}:
                        yield found("R05", *about, f"The parity is {now[2]}; that of {ids[before]} is {was[2]}.")
                    elif now[0] and was[1] and now[0] != was[1] + 2 and now[0] % hundred not in {even, odd}:
                        yield found("R04", *about, f"It begins with {now[0]}; {ids[before]} ends with {was[1]}.")


def _cutbacks(package: Package) -> Iterator[Found]:
    """R07: say where a centerline turns back."""
    net = roads(package)
    for own, line in zip(net.layer.ids(), net.lines, strict=True):
        steps = np.diff(shapely.get_coordinates(line), axis=0) if line is not None else np.empty((0, 2))
        lengths = np.hypot(steps[:, 0], steps[:, 1])
        steps, lengths = steps[lengths > 0], lengths[lengths > 0]
        cosines = -(steps[:-1] * steps[1:]).sum(axis=1) / (lengths[:-1] * lengths[1:])
        sharpest = float(np.degrees(np.arccos(np.clip(cosines, -1, 1))).min(initial=180.0))
        if sharpest < SHARP_DEG:
            yield found("R07", ROADS, own, "", f"The line turns back by an angle of {sharpest:.0f} degrees.")


def _outside(package: Package) -> Iterator[Found]:
    """R08: say which ranges are of segments beyond the boundary."""
    net = roads(package)
    middles = [None if line is None else line.interpolate(0.5, normalized=True) for line in net.lines]
    within = _covered(package, np.array(middles, dtype=object))
    for own, sides, inside in zip(net.layer.ids(), net.sides, within, strict=True):
        if not inside and any(low or high for low, high, _ in sides):
            yield found("R08", ROADS, own, "FromAddr_L", "It lies outside the boundary and has numbers.")


def _broken(package: Package) -> Iterator[Found]:
    """R11: say where a centerline runs on past another that it meets."""
    net = roads(package)
    usable = np.array([k for k, line in enumerate(net.lines) if line is not None], dtype=np.int64)
    told: set[tuple[int, int]] = set()
    for k, at in meets(net.lines[usable], ENDS_FT):
        place = int(usable[k]), round(at)
        if place not in told:
            told.add(place)
            text = f"It is met {at:,.0f} ft along by another and is not broken there."
            yield found("R11", ROADS, net.layer.ids()[place[0]], "", text)


# --- the boundary ---


def _inside(package: Package, name: str) -> Sequence[bool]:
    return _covered(package, package.in_feet(name))


def _covered(package: Package, shapes: Shapes) -> Sequence[bool]:
    """Say of each geometry in feet whether the boundary covers it; what is not there is not outside."""
    valid = [shape for shape in package.in_feet(BOUNDARY) if shape is not None]
    if not valid:  # there is none to lie outside of, which is told by itself
        return [True] * len(shapes)
    whole = shapely.buffer(shapely.union_all(valid), SAME_FT)
    shapely.prepare(whole)
    made: list[bool] = (shapely.covers(whole, shapes) | shapely.is_missing(shapes)).tolist()
    return made


def _beyond(package: Package) -> Iterator[Found]:
    """T09: say what lies outside the boundary."""
    for name, severity in ((ROADS, ""), (POINTS, NOTICE)):
        layer = package.layers.get(name)
        for own, inside in zip(layer.ids(), _inside(package, name), strict=True) if layer else ():
            if not inside:
                yield found("T09", name, own, "", "It does not lie within the provisioning boundary.", severity)


def _boundary(package: Package) -> Iterator[Found]:
    """B01: say where provisioning polygons overlap or leave a gap."""
    layer = package.layers.get(BOUNDARY)
    if layer is None:
        return
    shapes, ids = package.in_feet(BOUNDARY), layer.ids()
    valid = [k for k, shape in enumerate(shapes) if shape is not None]
    for one, other in combinations(valid, 2):
        area = shapes[one].intersection(shapes[other]).area
        if area > SLIVER_SQFT:
            yield found("B01", BOUNDARY, ids[other], "", f"It overlaps {ids[one]} on {area:,.0f} square feet.")
    for part in shapely.get_parts(shapely.union_all([shapes[k] for k in valid])):
        for ring in part.interiors:
            area = shapely.Polygon(ring).area
            if area > SLIVER_SQFT:
                yield found("B01", BOUNDARY, "", "", f"Within the boundary there is a gap of {area:,.0f} square feet.")


PLACE_CHECKS: tuple[Callable[[Package], Iterator[Found]], ...] = (
    *(_beyond, _points, _admin, _ranges, _connected, _cutbacks, _outside, _broken, _boundary),
)
"""Checks of a whole package, each giving what it found."""
