"""§ 288-15 D and E: the number of a door, of one or of a million by the same function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import ArrayLike

from gis.findings import Finding
from gis.frontages import BIT, NO_STREET, ROW_SPAN, Frontages, HalfTable, RowTable
from gis.linework import Floats, Ints
from gis.locate import FIND_STREET, locate, locate_one
from gis.network import NS, Network
from gis.rules import NumberingLaw
from gis.segments import Columns, kind_of

_AT_BASE_FT = 0.005
_PAST_FT = 0.01


class Doors(NamedTuple):
    """A numbered door, each field a number; or many, each field a column of shape (n,). US survey feet.

    Parameters
    ----------
    x, y
        The entrance as given.
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
        Station of the entrance and its distance into the block, both from stations rounded to 0.01 ft.
    unit
        k, the unit the entrance lies in: 0 is the first.
    even
        Whether it lies on the even side.
    foot_x, foot_y, offset, past
        The entrance's foot on the street, its offset (left of the street as drawn is positive) and how far past an
        end of the street it lies.
    bits
        The findings as bits; `codes` reads them.
    """

    x: Any
    y: Any
    street: Any
    half: Any
    row: Any
    number: Any
    block: Any
    hundred: Any
    unit_ft: Any
    block_from_ft: Any
    station: Any
    into_ft: Any
    unit: Any
    even: Any
    foot_x: Any
    foot_y: Any
    offset: Any
    past: Any
    bits: Any

    def at(self, door: int) -> Doors:
        """Return one of many doors.

        Parameters
        ----------
        door
            Its place among them.

        Returns
        -------
        Doors
            The door, each field a number.
        """
        return Doors(*(column[door].item() for column in self))

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of one door's findings, those of its row and street included."""
        return codes(int(self.bits))


def codes(bits: int) -> tuple[str, ...]:
    """Return the codes of findings kept as bits.

    Parameters
    ----------
    bits
        An entry of `Doors.bits`.

    Returns
    -------
    tuple of str
        In the catalogue's order.
    """
    return tuple(code for code, bit in BIT.items() if bits & bit) if bits else ()


class Held(NamedTuple):
    """A lot's own frontage on a half-street, from and to stations in feet, that an entrance is held to."""

    half: int
    from_ft: float
    to_ft: float


def number(frontages: Frontages, x: ArrayLike, y: ArrayLike, street: ArrayLike = FIND_STREET) -> Doors:
    """Number one door or many (§ 288-15 C to F).

    "One number shall be assigned to each unit of frontage within said block, square or space" (D), "each commencing
    with the hundred eleven assigned to that block" on the south and west side and "the hundred ten" on the north and
    east side (E). Read as: the k-th unit of a side holds its start and not its end; each side steps by two.

    Parameters
    ----------
    frontages
        The map to number under.
    x, y
        The entrances, working CRS, US survey feet: numbers, or shape (n,).
    street
        Ids of their streets in ``frontages.names``, or `FIND_STREET` or `NO_STREET`: a number, or shape (n,). A street
        found is the nearest and only a suggestion.

    Returns
    -------
    Doors
        One door, or one entry a door in order. A door that cannot be numbered has number 0 and a finding that says why.
    """
    if np.ndim(x) == 0:
        return candidates(frontages, float(x), float(y), int(street))[0]  # type: ignore[arg-type]
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    ids = np.broadcast_to(np.asarray(street, dtype=np.int64), xs.shape)
    bits = _unusable(frontages, xs, ys, ids)
    usable = np.flatnonzero(bits == 0)
    located = locate(frontages.locator, xs[usable], ys[usable], ids[usable])
    doors = _numbered(frontages, xs[usable], ys[usable], located.segment)
    doors.bits[located.near_door] |= BIT["AMBIGUOUS_FRONTAGE"]
    return doors if len(usable) == len(xs) else _spread(doors, xs, ys, usable, bits)


def candidates(
    frontages: Frontages, x: float, y: float, street: int = FIND_STREET, held: Held | None = None
) -> list[Doors]:
    """Number one door, on its street or on every street about as near as the nearest (§ 288-15 E).

    "Buildings fronting two or more streets shall have a number assigned only to the main entrance." Which street that
    is, a person decides.

    Parameters
    ----------
    frontages
        The map to number under.
    x, y
        The entrance, working CRS, US survey feet.
    street
        Id of its street, or `FIND_STREET`, or `NO_STREET`.
    held
        A lot's own frontage that the entrance is held to.

    Returns
    -------
    list of Doors
        The nearest street's number first, then one for each other street within the reading's `ambiguous_ratio`; one
        entry with a finding where the point cannot be numbered.
    """
    doors = []
    if street != NO_STREET and abs(x) <= _FARTHEST_FT and abs(y) <= _FARTHEST_FT:  # and so no nan
        doors = [_numbered(frontages, x, y, at, held) for at in locate_one(frontages.locator, x, y, street)]
    if not doors or not _surely_inside(frontages, doors[0]):
        bits = int(_unusable(frontages, np.array([x]), np.array([y]), np.array([street]))[0])
        if bits:
            return [_blank(x, y, bits)]
    if len(doors) == 1:
        return doors
    return [door._replace(bits=door.bits | BIT["AMBIGUOUS_FRONTAGE"]) for door in doors]


def _surely_inside(frontages: Frontages, door: Doors) -> bool:
    """Whether a door is in the village because it is so near to a street that the village's hull is drawn round."""
    away = math.hypot(door.x - door.foot_x, door.y - door.foot_y)
    return bool(away <= frontages.map.network.reading.edge_ft and frontages.in_hull[door.street])


def _unusable(frontages: Frontages, x: Floats, y: Floats, ids: Ints) -> Ints:
    """Return the findings that stop a door before it is numbered, as bits."""
    net = frontages.map.network
    bits: Ints = np.where(ids == NO_STREET, BIT["UNKNOWN_STREET"], 0)
    outside = np.flatnonzero(~shapely.contains_xy(net.hull, x, y))
    if len(outside):
        finite = np.isfinite(x[outside]) & np.isfinite(y[outside])
        bits[outside[~finite]] |= BIT["BAD_COORDINATE"]
        outside = outside[finite]
        away = _beyond_hull(net, x[outside], y[outside])
        bits[outside[away > net.reading.edge_ft]] |= BIT["OUT_OF_VILLAGE"]
    return bits


_FARTHEST_FT = 1e9


def _beyond_hull(net: Network, x: Any, y: Any) -> Any:
    """Return distances from the village's hull; anything unearthly counts as very far."""
    x, y = np.clip(x, -_FARTHEST_FT, _FARTHEST_FT), np.clip(y, -_FARTHEST_FT, _FARTHEST_FT)
    return shapely.distance(shapely.points(x, y), net.hull)


_BLANK: dict[str, Any] = dict.fromkeys(Doors._fields, 0) | {"street": -1, "half": -1, "row": -1, "even": False}


def _blank(x: float, y: float, bits: int) -> Doors:
    return Doors(**{**_BLANK, "x": x, "y": y, "bits": bits})


def _spread(doors: Doors, x: Floats, y: Floats, usable: Ints, bits: Ints) -> Doors:
    """Put numbered doors back in their places among those that cannot be numbered."""
    columns = {}
    for name, blank in _BLANK.items():
        values = getattr(doors, name)
        columns[name] = np.full(len(x), blank, dtype=values.dtype)
        columns[name][usable] = values
    return Doors(**{**columns, "x": x, "y": y, "bits": columns["bits"] | bits})


def _numbered(frontages: Frontages, x: Any, y: Any, segment: Any, held: Held | None = None) -> Doors:
    """Number doors on the segments they were located on: a number each, or columns."""
    kind, law, reading = kind_of(x), frontages.map.law, frontages.map.network.reading
    tables = frontages.columns if kind is Columns else frontages.plain
    on = tables.segments.project(segment, x, y)
    street = tables.segments.owner[segment]
    key = tables.path_key[street] + on.station
    half = _half_at(tables.halves, kind, key)
    station, outside = _station(tables.halves, kind, key, half, held)
    even, carried = _side(tables.halves, kind, half, on)
    placed = _placed(tables.rows, kind, half, station, law)
    undecided = abs(on.offset) <= reading.side_ft
    unit = kind.minimum(placed.unit, law.last_unit)
    first = kind.where(even, law.first_even, law.first_odd)
    bits = tables.rows.bits[placed.row]
    for code, raised in (
        ("PAST_END", on.past > _PAST_FT),
        ("SIDE_CARRIED", carried & (undecided ^ True)),
        ("SIDE_UNDETERMINED", undecided),
        ("OUTSIDE_FRONTAGE", outside),
        ("UNIT_OVERFLOW", placed.unit > law.last_unit),
    ):
        bits = bits | raised * BIT[code]
    return Doors(
        x=x,
        y=y,
        street=street,
        half=half,
        row=placed.row,
        number=kind.where(undecided, 0, placed.hundred + first + 2 * unit),
        block=placed.block,
        hundred=placed.hundred,
        unit_ft=placed.unit_ft,
        block_from_ft=placed.start / 100,
        station=station / 100,
        into_ft=(station - placed.start) / 100,
        unit=unit,
        even=even,
        foot_x=on.foot_x,
        foot_y=on.foot_y,
        offset=on.offset,
        past=on.past,
        bits=bits,
    )


def _half_at(halves: HalfTable, kind: Any, key: Any) -> Any:
    """Return the half a place belongs to; just at a base line the one the street occupies, north or east first."""
    half = kind.last_at(halves.low, key)
    at_low = key <= halves.low[half] + _AT_BASE_FT
    at_high = key >= halves.high[half] - _AT_BASE_FT
    return kind.where(at_low, halves.at_low[half], kind.where(at_high, halves.at_high[half], half))


def _station(halves: HalfTable, kind: Any, key: Any, half: Any, held: Held | None) -> tuple[Any, Any]:
    """Return a station in whole hundredths of a foot, and whether a lot's frontage held it back."""
    station = halves.way_ft[half] + halves.direction[half] * (key - halves.origin[half])
    hundredths = kind.hundredths(kind.maximum(station, 0.0))
    if held is None or half != held.half:
        return hundredths, 0
    low, high = round(held.from_ft * 100), round(held.to_ft * 100) - 1
    inside = min(max(hundredths, low), max(low, high))
    return inside, abs(inside - hundredths) > 1


def _side(halves: HalfTable, kind: Any, half: Any, on: Any) -> tuple[Any, Any]:
    """Return whether a door lies on the even side, and whether the literal side at that place is the other.

    The side is decided once for the half-street, looking outward, so that parity never flips in a bend.
    """
    left_outward = (on.offset > 0) == (halves.direction[half] > 0)
    even = left_outward == halves.even_is_left[half]
    toward = on.left_x * halves.axis_x[half] + on.left_y * halves.axis_y[half]
    toward = kind.where(on.offset > 0, toward, -toward)
    return even, (abs(toward) > _LITERAL) & ((toward > 0) != even)


_LITERAL = 0.02  # where the street runs this square to its axis it has no literal side


class _Placed(NamedTuple):
    row: Any
    start: Any
    block: Any
    hundred: Any
    unit_ft: Any
    unit: Any


def _placed(rows: RowTable, kind: Any, half: Any, station: Any, law: NumberingLaw) -> _Placed:
    """Find the block and the unit of a station; stations and starts are whole hundredths of a foot."""
    row = kind.last_at(rows.key, half * ROW_SPAN + station)
    # open blocks follow on: a door at the very end of the last row is in the block after it
    further = kind.where(rows.open[row], (station - rows.start[row]) // (law.open_block_ft * 100), 0)
    start = rows.start[row] + further * law.open_block_ft * 100
    unit_ft = rows.unit_ft[row]
    unit = (station - start) // (unit_ft * 100)
    return _Placed(row, start, rows.block[row] + further, rows.hundred[row] + further * law.hundred, unit_ft, unit)


def findings(frontages: Frontages, door: Doors, others: Sequence[Doors] = (), street: str = "") -> tuple[Finding, ...]:
    """Return one door's findings with their values: its own, its row's and its street's.

    Parameters
    ----------
    frontages
        The map it was numbered under.
    door
        One numbered door.
    others
        The other candidates of an ambiguous door.
    street
        The street as the caller named it, for `UNKNOWN_STREET`.

    Returns
    -------
    tuple of Finding
        The door's own first, then the row's and the street's.
    """
    numbering = frontages.map
    own = [Finding(code, _values(frontages, door, code, others, street)) for code in door.codes if code in _OWN]
    if door.row < 0:
        return tuple(own)
    return (*own, *(_of_door(numbering.law, door, found) for found in numbering.rows[door.row].findings))


def _of_door(law: NumberingLaw, door: Doors, found: Finding) -> Finding:
    """Say of a row's open unit what this door's number would be under each."""
    if found.code != "UNIT_SENSITIVE" or not door.number:
        return found
    first = door.hundred + (law.first_even if door.even else law.first_odd)
    units = [int(unit) for unit in found.values["units"].split(" or ")]
    numbers = [first + 2 * min(int(door.into_ft // unit), law.last_unit) for unit in units]
    told = " or ".join(str(n) for n in numbers)
    return Finding(found.code, {**found.values, "numbers": f"; the number would be {told}"})


_OWN = frozenset(
    {
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
)


def _values(frontages: Frontages, door: Doors, code: str, others: Sequence[Doors], street: str) -> dict[str, object]:
    net, law = frontages.map.network, frontages.map.law
    values: dict[str, object] = {}
    match code:
        case "UNIT_OVERFLOW":
            values = {"past_ft": door.into_ft - (law.last_unit + 1) * door.unit_ft, "last": door.number}
        case "SIDE_CARRIED":
            sides = side_names(net.streets[door.street].family)
            values = {"literal": sides[not door.even], "carried": sides[door.even]}
        case "SIDE_UNDETERMINED":
            values = {"limit_ft": net.reading.side_ft}
        case "AMBIGUOUS_FRONTAGE":
            streets = [net.streets[d.street].name for d in (door, *others)]
            values = {"streets": " and ".join(dict.fromkeys(streets))}
        case "OUTSIDE_FRONTAGE":
            held_at = frontages.map.halves[door.half].point(door.station)
            values = {"off_ft": float(np.hypot(door.foot_x - held_at[0], door.foot_y - held_at[1]))}
        case "OUT_OF_VILLAGE":
            away = _beyond_hull(net, door.x, door.y)
            values = {"beyond_ft": float(away - net.reading.edge_ft), "edge_ft": net.reading.edge_ft}
        case "UNKNOWN_STREET":
            values = {"street": street or "The street named"}
    return values


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
