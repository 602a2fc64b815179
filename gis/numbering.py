"""§ 288-15 D and E: the number of a door, of one or of a million by the same function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from gis.blocks import NumberingMap, Row
from gis.findings import CATALOGUE, Finding
from gis.halves import Half
from gis.linework import Floats, Ints, Segments
from gis.network import NS

FIND_STREET = -1
"""Street of a door whose street is to be found."""
NO_STREET = -2
"""Street of a door that names a street not in the linework."""

Bools = NDArray[np.bool_]

_BIT = {code: 1 << k for k, code in enumerate(CATALOGUE)}
_AT_BASE_FT = 0.005
_SEARCH_FT = 200.0
_ROW_SPAN = 1 << 40  # hundredths of a foot set aside for the stations of one half


@dataclass(frozen=True, eq=False)
class Doors:
    """Numbered doors, as columns of shape (n,) or (n, 2); US survey feet.

    Parameters
    ----------
    points
        The entrances as given.
    street
        Index of the street's path in the network; -1 where there is none.
    half, row
        Indices in the map; -1 where there is none.
    number
        The number, 0 where there is none.
    block, hundred, unit_ft
        The block counted from the base line, its hundred and its unit of frontage.
    block_from_ft
        Station of the block's beginning.
    station, into_ft
        Station of the entrance and its distance into the block, from stations rounded to 0.01 ft.
    unit
        k, the unit the entrance lies in: 0 is the first.
    even
        Whether it lies on the even side.
    foot, offset, past, normal
        The entrance's foot on the street, its offset (left of the street as drawn is positive), how far past an end
        of the street it lies, and the direction left at the foot.
    bits
        The findings as bits; `codes` reads them.
    near_door, near_street
        Pairs of a door found ambiguous and another street about as near, nearest first.
    """

    points: Floats
    street: Ints
    half: Ints
    row: Ints
    number: Ints
    block: Ints
    hundred: Ints
    unit_ft: Ints
    block_from_ft: Floats
    station: Floats
    into_ft: Floats
    unit: Ints
    even: Bools
    foot: Floats
    offset: Floats
    past: Floats
    normal: Floats
    bits: Ints
    near_door: Ints
    near_street: Ints

    def codes(self, door: int) -> tuple[str, ...]:
        """Return the codes of a door's findings, those of its row and street included."""
        bits = int(self.bits[door])
        return tuple(code for code, bit in _BIT.items() if bits & bit)

    def others(self, door: int) -> list[int]:
        """Return the other streets about as near as a door's own, nearest first, as network indices."""
        low, high = np.searchsorted(self.near_door, [door, door + 1])
        return [int(k) for k in self.near_street[low:high]]


class Held(NamedTuple):
    """A lot's own frontage on a half-street, from and to stations in feet, that an entrance is held to."""

    half: int
    from_ft: float
    to_ft: float


@dataclass(frozen=True, eq=False)
class Frontages:
    """A Street Numbering Map laid out for numbering: made once, used for every door.

    Parameters
    ----------
    map
        The map it was made of.
    names
        Names of the streets; a street's place here is its id in `number`.
    segments
        The lines of all streets on the ground; `owner` is the path's index in the network.
    findable
        Indices of the segments of streets that a door may be found on (a footpath fronts nothing).
    tree
        Spatial index of the findable segments.
    named, name_of
        Segments of each name, as bounds of shape (names + 1,), and the name of each path.
    path_key
        Where each path begins on one long line of all paths, feet.
    halves, rows
        Columns of the half-streets and of the rows.
    """

    map: NumberingMap
    names: tuple[str, ...]
    segments: Segments
    findable: Ints
    tree: shapely.STRtree
    named: Ints
    name_of: Ints
    path_key: Floats
    halves: _Halves
    rows: _Rows

    @classmethod
    def of(cls, numbering: NumberingMap) -> Frontages:
        """Lay out a map."""
        net = numbering.network
        segments = Segments.of([(s.chain.coords, s.chain.physical, s.chain.closed) for s in net.streets])
        suits = np.array([any(net.pieces[p].kind != "path" for p in s.chain.piece if p >= 0) for s in net.streets])
        findable = np.flatnonzero(suits[segments.owner])
        names = tuple(net.by_name)
        name_of = np.array([names.index(s.name) for s in net.streets])
        lengths = np.array([s.chain.length for s in net.streets])
        path_key = np.concatenate([[0.0], np.cumsum(lengths + 1000.0)])[:-1]
        return cls(
            map=numbering,
            names=names,
            segments=segments,
            findable=findable,
            tree=shapely.STRtree(segments.lines()[findable]),
            named=np.searchsorted(name_of[segments.owner], np.arange(len(names) + 1)),
            name_of=name_of,
            path_key=path_key,
            halves=_Halves.of(numbering, path_key),
            rows=_Rows.of(numbering.rows),
        )

    def ids(self, names: Sequence[str | None]) -> Ints:
        """Return the ids of streets by their exact names: `FIND_STREET` for None, `NO_STREET` for unknown ones."""
        known: dict[str | None, int] = {name: k for k, name in enumerate(self.names)}
        known[None] = FIND_STREET
        return np.array([known.get(name, NO_STREET) for name in names], dtype=np.int64)


class _Halves(NamedTuple):
    key: Floats
    at_low: Ints
    at_high: Ints
    low: Floats
    high: Floats
    origin: Floats
    direction: Ints
    way_ft: Floats
    even_is_left: Bools
    axis: Floats
    bits: Ints

    @classmethod
    def of(cls, numbering: NumberingMap, path_key: Floats) -> _Halves:
        members = numbering.halves
        net = numbering.network
        at_low, at_high = _preferred(members)
        axis = {NS: net.east, "EW": net.north}
        low = np.array([path_key[h.street] + h.taken[0] for h in members])
        return cls(
            key=low,
            at_low=at_low,
            at_high=at_high,
            low=low,
            high=np.array([path_key[h.street] + h.taken[1] for h in members]),
            origin=np.array([path_key[h.street] + h.origin for h in members]),
            direction=np.array([h.direction for h in members]),
            way_ft=np.array([h.way_ft for h in members]),
            even_is_left=np.array([h.even_is_left for h in members]),
            axis=np.array([axis[net.streets[h.street].family] for h in members]),
            bits=np.array([_bits(h.findings) for h in members]),
        )


def _preferred(members: Sequence[Half]) -> tuple[Ints, Ints]:
    """Which half takes a door just at each half's low and high end: the one on the ground, else north or east."""
    low, high = np.arange(len(members)), np.arange(len(members))
    for k, (first, second) in enumerate(zip(members[:-1], members[1:], strict=True)):
        if first.street == second.street:
            ranks = [(_on_ground_at(h, first.taken[1]), h.name in {"North", "East"}) for h in (first, second)]
            chosen = k if ranks[0] >= ranks[1] else k + 1
            high[k], low[k + 1] = chosen, chosen
    return low, high


def _on_ground_at(half: Half, along: float) -> bool:
    """Whether the street is on the ground just inside a half, at one of its ends."""
    starts_here = abs(half.origin - along) <= abs(half.outer - along)
    return bool(half.physical[0] if starts_here else half.physical[-1])


class _Rows(NamedTuple):
    key: Ints
    start: Ints
    block: Ints
    hundred: Ints
    unit_ft: Ints
    open: Bools
    bits: Ints

    @classmethod
    def of(cls, rows: Sequence[Row]) -> _Rows:
        start = np.array([round(r.from_ft * 100) for r in rows], dtype=np.int64)
        return cls(
            key=np.array([r.half for r in rows], dtype=np.int64) * _ROW_SPAN + start,
            start=start,
            block=np.array([r.block for r in rows]),
            hundred=np.array([r.hundred for r in rows]),
            unit_ft=np.array([r.unit_ft for r in rows]),
            open=np.array([r.virtual for r in rows]),
            bits=np.array([_bits(r.findings) for r in rows]),
        )


def _bits(found: Sequence[Finding]) -> int:
    total = 0
    for finding in found:
        total |= _BIT[finding.code]
    return total


def number(frontages: Frontages, points: ArrayLike, street: ArrayLike = FIND_STREET, held: Held | None = None) -> Doors:
    """Number doors (§ 288-15 C to F).

    "One number shall be assigned to each unit of frontage within said block, square or space" (D), "each commencing
    with the hundred eleven assigned to that block" on the south and west side and "the hundred ten" on the north and
    east side (E). Read as: the k-th unit of a side holds its start and not its end; each side steps by two.

    Parameters
    ----------
    frontages
        The map to number under.
    points
        The entrances, shape (2,) or (n, 2), working CRS, US survey feet.
    street
        Ids of their streets in ``frontages.names``, shape () or (n,), or `FIND_STREET` or `NO_STREET`. A street found is
        the nearest and only a suggestion.
    held
        A lot's own frontage that entrances on its half-street are held to.

    Returns
    -------
    Doors
        One entry a door, in order; a door that cannot be numbered has number 0 and a finding that says why.
    """
    given = np.atleast_2d(np.asarray(points, dtype=np.float64))
    ids = np.broadcast_to(np.asarray(street, dtype=np.int64), len(given))
    bits = _unusable(frontages, given, ids)
    usable = np.flatnonzero(bits == 0)
    if len(usable) == len(given):
        return _numbered(frontages, given, ids, held)
    doors = _numbered(frontages, given[usable], ids[usable], held)
    return _spread(doors, given, usable, bits)


def _unusable(frontages: Frontages, points: Floats, ids: Ints) -> Ints:
    """Return the findings that stop a door before it is numbered, as bits."""
    net = frontages.map.network
    finite = np.isfinite(points).all(axis=1)
    bits = np.where(finite, 0, _BIT["BAD_COORDINATE"])
    x, y = points[:, 0], points[:, 1]
    outside = np.flatnonzero(finite & ~shapely.contains_xy(net.hull, x, y))
    if len(outside):
        away = shapely.distance(shapely.points(points[outside]), net.hull)
        bits[outside[away > net.reading.edge_ft]] |= _BIT["OUT_OF_VILLAGE"]
    bits[ids == NO_STREET] |= _BIT["UNKNOWN_STREET"]
    return bits


def _spread(doors: Doors, points: Floats, usable: Ints, bits: Ints) -> Doors:
    """Put numbered doors back in their places among those that cannot be numbered."""
    columns = {}
    for column in fields(Doors):
        values = getattr(doors, column.name)
        blank = -1 if column.name in {"street", "half", "row"} else 0
        full = np.full((len(points), *values.shape[1:]), blank, dtype=values.dtype)
        full[usable] = values if column.name not in {"near_door", "near_street"} else 0
        columns[column.name] = full
    columns["points"] = points
    columns["bits"] |= bits
    columns["near_door"], columns["near_street"] = usable[doors.near_door], doors.near_street
    return Doors(**columns)


def _numbered(frontages: Frontages, points: Floats, ids: Ints, held: Held | None) -> Doors:
    segment, near_door, near_street = _located(frontages, points, ids)
    on = frontages.segments.project(segment, points)
    street = frontages.segments.owner[segment]
    bits = np.zeros(len(points), dtype=np.int64)
    bits[near_door] |= _BIT["AMBIGUOUS_FRONTAGE"]
    key = frontages.path_key[street] + on.station
    half = _half_at(frontages.halves, key)
    station, outside = _stations(frontages.halves, key, half, held)
    even, literal = _sides(frontages.halves, half, on.offset, on.normal)
    undecided = np.abs(on.offset) <= frontages.map.network.reading.side_ft
    bits |= np.where(on.past > 0.01, _BIT["PAST_END"], 0)
    bits |= np.where(literal & ~undecided, _BIT["SIDE_CARRIED"], 0)
    bits |= np.where(undecided, _BIT["SIDE_UNDETERMINED"], 0)
    bits |= np.where(outside, _BIT["OUTSIDE_FRONTAGE"], 0)
    placed = _placed(frontages, half, station)
    law = frontages.map.law
    over = placed.unit > law.last_unit
    unit = np.minimum(placed.unit, law.last_unit)
    bits |= np.where(over, _BIT["UNIT_OVERFLOW"], 0)
    bits |= frontages.rows.bits[placed.row] | frontages.halves.bits[half]
    first = np.where(even, law.first_even, law.first_odd)
    return Doors(
        points=points,
        street=street,
        half=half,
        row=placed.row,
        number=np.where(undecided, 0, placed.hundred + first + 2 * unit),
        block=placed.block,
        hundred=placed.hundred,
        unit_ft=placed.unit_ft,
        block_from_ft=placed.start / 100,
        station=station / 100,
        into_ft=(station - placed.start) / 100,
        unit=unit,
        even=even,
        foot=on.foot,
        offset=on.offset,
        past=on.past,
        normal=on.normal,
        bits=bits,
        near_door=near_door,
        near_street=near_street,
    )


def _half_at(halves: _Halves, key: Floats) -> Ints:
    """Return the half each place belongs to; just at a base line the one the street occupies, north or east first."""
    half = np.searchsorted(halves.key, key, side="right") - 1
    at_low = key <= halves.low[half] + _AT_BASE_FT
    at_high = key >= halves.high[half] - _AT_BASE_FT
    return np.where(at_low, halves.at_low[half], np.where(at_high, halves.at_high[half], half))


def _stations(halves: _Halves, key: Floats, half: Ints, held: Held | None) -> tuple[Ints, Bools]:
    """Return stations in whole hundredths of a foot, and whether a lot's frontage held one back."""
    station = halves.way_ft[half] + halves.direction[half] * (key - halves.origin[half])
    hundredths = np.rint(np.maximum(station, 0.0) * 100).astype(np.int64)
    if held is None:
        return hundredths, np.zeros(len(half), dtype=bool)
    low, high = np.ceil(held.from_ft * 100 - 0.5), np.ceil(held.to_ft * 100 - 0.5) - 1
    inside = np.where(half == held.half, np.clip(hundredths, low, max(low, high)), hundredths).astype(np.int64)
    return inside, np.abs(inside - hundredths) > 1


def _sides(halves: _Halves, half: Ints, offset: Floats, normal: Floats) -> tuple[Bools, Bools]:
    """Return whether doors lie on the even side, and whether the literal side at that place differs.

    The side is decided once for the half-street, looking outward, so that parity never flips in a bend.
    """
    left_outward = (offset > 0) == (halves.direction[half] > 0)
    even = left_outward == halves.even_is_left[half]
    toward = (normal * halves.axis[half]).sum(axis=1) * np.sign(offset)
    return even, (np.abs(toward) > 0.02) & ((toward > 0) != even)


class _Placed(NamedTuple):
    row: Ints
    start: Ints
    block: Ints
    hundred: Ints
    unit_ft: Ints
    unit: Ints


def _placed(frontages: Frontages, half: Ints, station: Ints) -> _Placed:
    """Find the block and the unit of stations; stations and starts are whole hundredths of a foot."""
    rows, law = frontages.rows, frontages.map.law
    row = np.searchsorted(rows.key, half * _ROW_SPAN + station, side="right") - 1
    # open blocks follow on: a door at the very end of the last row is in the block after it
    further = np.where(rows.open[row], (station - rows.start[row]) // (law.open_block_ft * 100), 0)
    start = rows.start[row] + further * law.open_block_ft * 100
    unit_ft = rows.unit_ft[row]
    unit = (station - start) // (unit_ft * 100)
    return _Placed(row, start, rows.block[row] + further, rows.hundred[row] + further * law.hundred, unit_ft, unit)


def _located(frontages: Frontages, points: Floats, ids: Ints) -> tuple[Ints, Ints, Ints]:
    """Return each door's segment, and the pairs of a door and another street about as near."""
    segment = np.zeros(len(points), dtype=np.int64)
    for name in np.unique(ids):
        if name != FIND_STREET:
            doors = np.flatnonzero(ids == name)
            low, high = frontages.named[name], frontages.named[name + 1]
            segment[doors] = low + _nearest_of(frontages.segments, slice(low, high), points[doors])
    doors = np.flatnonzero(ids == FIND_STREET)
    if not len(doors):
        none = np.zeros(0, dtype=np.int64)
        return segment, none, none
    segment[doors], near_door, near_street = _found(frontages, points[doors])
    return segment, doors[near_door], near_street


def _nearest_of(segments: Segments, which: slice, points: Floats) -> Ints:
    """Return the place of the nearest of some segments to each point."""
    start, step, length = segments.start[which], segments.step[which], segments.length[which]
    square = length * length
    nearest = np.empty(len(points), dtype=np.int64)
    for low in range(0, len(points), max(1, 2_000_000 // len(length))):
        part = slice(low, low + max(1, 2_000_000 // len(length)))
        x, y = points[part, 0, None] - start[:, 0], points[part, 1, None] - start[:, 1]
        along = np.clip((x * step[:, 0] + y * step[:, 1]) / square, 0, 1)
        x -= along * step[:, 0]
        y -= along * step[:, 1]
        nearest[part] = np.argmin(x * x + y * y, axis=1)
    return nearest


def _found(frontages: Frontages, points: Floats) -> tuple[Ints, Ints, Ints]:
    """Find the nearest street's segment to each point, and the other streets within the ambiguous ratio."""
    ratio = frontages.map.network.reading.ambiguous_ratio
    door, segment, away = _within(frontages, points, np.full(len(points), _SEARCH_FT))
    nearest, first = _first_of(door, away, len(points))
    poor = np.flatnonzero(nearest * ratio > _SEARCH_FT)
    if len(poor):
        # few doors lie so far from any street: their own distance is found first
        shapes = shapely.points(points[poor])
        hits, far = frontages.tree.query_nearest(shapes, return_distance=True, all_matches=False)
        reach = np.zeros(len(poor))
        reach[hits[0]] = far * ratio + 0.001
        more = _within(frontages, points[poor], reach)
        kept = ~np.isin(door, poor)
        door = np.concatenate([door[kept], poor[more[0]]])
        segment = np.concatenate([segment[kept], more[1]])
        away = np.concatenate([away[kept], more[2]])
        nearest, first = _first_of(door, away, len(points))
    chosen = segment[first]
    name = frontages.name_of[frontages.segments.owner]
    near = (away <= ratio * nearest[door]) & (name[segment] != name[chosen[door]])
    return chosen, *_distinct(door[near], frontages.segments.owner[segment[near]], away[near])


def _within(frontages: Frontages, points: Floats, reach: Floats) -> tuple[Ints, Ints, Floats]:
    """Return pairs of a point and a findable segment within its reach, with their distances."""
    segments = frontages.segments
    pairs = frontages.tree.query(shapely.points(points), predicate="dwithin", distance=reach)
    door, segment = pairs[0], frontages.findable[pairs[1]]
    off = points[door] - segments.start[segment]
    step, length = segments.step[segment], segments.length[segment]
    along = np.clip((off[:, 0] * step[:, 0] + off[:, 1] * step[:, 1]) / (length * length), 0, 1)
    off -= along[:, None] * step
    return door, segment, np.hypot(off[:, 0], off[:, 1])


def _first_of(door: Ints, away: Floats, count: int) -> tuple[Floats, Ints]:
    """Return each door's least distance (inf where it has no pair) and the pair that has it."""
    order = np.lexsort((away, door))
    starts = np.searchsorted(door[order], np.arange(count))
    has = np.zeros(count, dtype=bool)
    has[door] = True
    first = order[np.minimum(starts, max(0, len(order) - 1))] if len(order) else np.zeros(count, dtype=np.int64)
    return np.where(has, away[first] if len(away) else np.inf, np.inf), first


def _distinct(door: Ints, street: Ints, away: Floats) -> tuple[Ints, Ints]:
    """Keep each pair of a door and a street once, nearest first."""
    if not len(door):
        return door, street
    order = np.lexsort((away, street, door))
    door, street, away = door[order], street[order], away[order]
    fresh = np.concatenate([[True], (door[1:] != door[:-1]) | (street[1:] != street[:-1])])
    door, street, away = door[fresh], street[fresh], away[fresh]
    order = np.lexsort((away, door))
    return door[order], street[order]


def findings(frontages: Frontages, doors: Doors, door: int) -> tuple[Finding, ...]:
    """Return a door's findings with their values: its own, its row's and its street's.

    Parameters
    ----------
    frontages
        The map it was numbered under.
    doors
        Numbered doors.
    door
        Which of them.

    Returns
    -------
    tuple of Finding
        The gravest reasons first: what stops a number, then the door's own, the row's and the street's.
    """
    numbering = frontages.map
    own = [Finding(code, _values(frontages, doors, door, code)) for code in doors.codes(door) if code in _OWN]
    row = numbering.rows[doors.row[door]].findings if doors.row[door] >= 0 else ()
    half = numbering.halves[doors.half[door]].findings if doors.half[door] >= 0 else ()
    return (*own, *row, *half)


_OWN = {
    "UNIT_OVERFLOW",
    "PAST_END",
    "OUTSIDE_FRONTAGE",
    "SIDE_CARRIED",
    "SIDE_UNDETERMINED",
    "AMBIGUOUS_FRONTAGE",
    "UNKNOWN_STREET",
    "BAD_COORDINATE",
    "OUT_OF_VILLAGE",
}


def _values(frontages: Frontages, doors: Doors, door: int, code: str) -> dict[str, object]:
    net, law = frontages.map.network, frontages.map.law
    if code == "UNIT_OVERFLOW":
        past = doors.into_ft[door] - (law.last_unit + 1) * doors.unit_ft[door]
        return {"past_ft": float(past), "last": int(doors.number[door])}
    if code == "SIDE_CARRIED":
        sides = side_names(net.streets[doors.street[door]].family)
        even = bool(doors.even[door])
        return {"literal": sides[not even], "carried": sides[even]}
    if code == "SIDE_UNDETERMINED":
        return {"limit_ft": net.reading.side_ft}
    if code == "AMBIGUOUS_FRONTAGE":
        streets = [doors.street[door], *doors.others(door)]
        return {"streets": " and ".join(dict.fromkeys(net.streets[k].name for k in streets))}
    if code == "OUTSIDE_FRONTAGE":
        along = np.hypot(*(doors.foot[door] - frontages.map.halves[doors.half[door]].point(doors.station[door])))
        return {"off_ft": float(along)}
    if code == "OUT_OF_VILLAGE":
        away = shapely.distance(shapely.Point(doors.points[door]), net.hull)
        return {"beyond_ft": float(away - net.reading.edge_ft), "edge_ft": net.reading.edge_ft}
    return {"street": "The street named"} if code == "UNKNOWN_STREET" else {}


def side_names(family: str) -> tuple[str, str]:
    """Return the names of a street's odd and even sides: west and east, or south and north (§ 288-15 E).

    Parameters
    ----------
    family
        ``"NS"`` or ``"EW"``.

    Returns
    -------
    tuple of str
        The odd side, the even side.

    Examples
    --------
    >>> side_names("NS")
    ('west', 'east')
    """
    return ("west", "east") if family == NS else ("south", "north")
