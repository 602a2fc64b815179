"""What number an entrance gets: the computed one, or what the register leaves of its face (numbering of § 288-15).

`consider` decides and writes nothing: preview, assignment and the Clerk's decision all ask it, so that what an officer
was shown is what is done.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shapely import Point, Polygon
from sqlalchemy.engine import Connection

from app import registers
from app.answers import listed
from app.assign import check_inside
from app.clocks import local_day
from app.letters import is_part
from app.lots import of_place
from app.map_versions import vacated
from app.positions import into_feet, polygon
from app.set_back import from_street_line
from app.settings import plain
from app.sounds import sound_alike
from app.tables import addresses
from app.village import LONLAT, Village
from gis.address import street_key
from gis.blocks import Row
from gis.errors import GeometryError, StreetsError
from gis.faces import choose, face, out_of_order
from gis.findings import Finding
from gis.locate import FIND_STREET
from gis.lots import Frontage, embraced
from gis.numbering import Doors, candidates, findings
from gis.setback import Display

Json = dict[str, Any]
SAME_PLACE_FT = 0.5
"""An entrance nearer than this to another is the same."""


class RefusedError(StreetsError):
    """A number that may not be given. `code` says why, for programs."""

    code = "REFUSED"


class WrongParityError(RefusedError):
    """A number of the other side of the street."""

    code = "WRONG_PARITY"


class VacatedError(RefusedError):
    """A street that was vacated."""

    code = "STREET_VACATED"


class TakenError(StreetsError):
    """A number that is held."""

    def __init__(self, message: str, holder: Json) -> None:
        super().__init__(message)
        self.holder = holder


class SamePlaceError(TakenError):
    """A further number for an entrance that has one."""


@dataclass(frozen=True)
class Wanted:
    """What is asked for: an entrance's number.

    Parameters
    ----------
    x, y, crs
        The main entrance.
    street
        The street it fronts on, however spelt; None leaves it to the lot or the nearest.
    number, suffix
        The number wanted, and a letter; None and ``""`` where it is to be computed.
    reason
        Why, where it is another than the computed one.
    building, lot
        GeoJSON polygons in `crs`.
    accuracy_ft
        Of the entrance's position, 95 %; None where it is not known.
    doors
        How many doors serve separate occupants.
    parity_decided
        Whether the Clerk-Treasurer has decided a doubt, so that the other side's parity may stand.
    """

    x: float
    y: float
    crs: str = LONLAT
    street: str | None = None
    number: int | None = None
    suffix: str = ""
    reason: str = ""
    building: Json | None = None
    lot: Json | None = None
    accuracy_ft: float | None = None
    doors: int = 1
    parity_decided: bool = False


@dataclass(frozen=True, eq=False)
class Considered:
    """What was decided of an entrance.

    Parameters
    ----------
    wanted
        What was asked.
    door, others
        The entrance as numbered on its street, and on others about as near.
    row
        The block; None where it lies on no street.
    east, north
        The entrance, working CRS, feet.
    building, lot
        In the working CRS; None where not given.
    number
        The number it gets; None where there is none to give.
    suggested
        The number it gets without an officer's choice.
    in_order
        Whether the number keeps the row in order.
    findings
        Everything doubtful about it.
    why
        Why it is another than the computed one, or none, in words; ``""`` where it is the computed one.
    confirm
        What a person must still confirm; ``""`` for nothing.
    taken
        Id, number, suffix and station of the active addresses on its side of the half-street, as they stand.
    holder
        Whoever holds the computed number; None where nobody does.
    set_back
        Its distance from the street line (§ 288-15 G(3)); None where it lies on no side of a street.
    """

    wanted: Wanted
    door: Doors
    others: tuple[Doors, ...]
    row: Row | None
    east: float
    north: float
    building: Polygon | None
    lot: Polygon | None
    number: int | None
    suggested: int | None
    in_order: bool
    findings: tuple[Json, ...]
    why: str
    confirm: str
    taken: tuple[registers.Row, ...] = field(repr=False)
    holder: registers.Row | None = field(default=None, repr=False)
    set_back: Json | None = None

    @property
    def computed(self) -> int | None:
        """The number § 288-15 gives the entrance; None where it gives none."""
        return self.door.number or None


def consider(
    village: Village, connection: Connection, wanted: Wanted, ignoring: frozenset[int] = frozenset()
) -> Considered:
    """Decide which number an entrance gets; nothing is written.

    Parameters
    ----------
    village
        The village under the map in force.
    connection
        To the register; inside a write's transaction the answer stands until it ends.
    wanted
        What is asked for.
    ignoring
        Ids of addresses whose numbers do not count as held: those that the act itself changes.

    Returns
    -------
    Considered
        The number, or why there is none.

    Raises
    ------
    StreetsError
        A place, street, polygon or number that cannot be used.
    TakenError
        The number asked for is held.
    WrongParityError, VacatedError
        The number or street may not be used.
    """
    wanted = replace(wanted, suffix=letter(wanted.suffix), reason=plain(wanted.reason, "reason"))
    placed = _placed(village, connection, wanted)
    if not ignoring:  # asked for now: what was recorded before is corrected, not refused
        check_outlines(village, placed)
    if placed.row is None or not placed.door.number:
        return placed
    key, half = street_key(placed.row.street), placed.row.side
    refuse_vacated(connection, placed.row.street)
    side = registers.on_side(connection, key, half, even=bool(placed.door.even))
    here = [row for row in _at_place(connection, placed) if row["id"] not in ignoring]
    beside = frozenset(row["id"] for row in here if row["suffix"] and not wanted.suffix)  # its own lettered doors
    taken = tuple(row for row in side if row["id"] not in ignoring | beside)
    holder = next((row for row in taken if row["number"] == placed.door.number), None)
    placed = replace(placed, taken=taken, holder=holder and registers.get(connection, addresses, holder["id"]))
    if wanted.suffix and wanted.number is None:  # a letter for a building that has a number here is of that one
        own = [row["number"] for row in here if (row["street_key"], row["half"]) == (key, half)]
        placed = replace(placed, wanted=replace(wanted, number=next(iter(own), None)))
    if placed.wanted.number is None:
        chosen = _chosen(village, placed)
    else:
        chosen = _asked(village, connection, placed, ignoring | beside)
    return _finished(village, chosen, next(iter(here), None))


def refuse_vacated(connection: Connection, street: str) -> None:
    """Refuse a street that was vacated.

    Raises
    ------
    VacatedError
        Naming the Board's act.
    """
    act = vacated(connection).get(street_key(street))
    if act is not None:
        day = act["decided_on"].isoformat()
        raise VacatedError(f"{street} was vacated on {day} ({act['act']}): no number is given on it.")


def letter(text: str) -> str:
    """Return the letter of a door, refusing anything else (§ 288-15 H)."""
    text = text.strip().upper()
    if text and not re.fullmatch("[A-Z]", text):
        raise StreetsError.of("suffix", text, 'one letter: § 288-15 H has the suffix "A," "B," "C," etc.')
    return text


def _placed(village: Village, connection: Connection, wanted: Wanted) -> Considered:
    """Find the entrance's street, side and unit, held to its lot's frontage where that is known."""
    east, north = into_feet(village, wanted.x, wanted.y, wanted.crs)
    building = polygon(village, wanted.building, wanted.crs, "building") if wanted.building else None
    name = village.street_name(wanted.street) if wanted.street else None
    own = None if wanted.lot else of_place(village, connection, east, north, name)
    lot = polygon(village, wanted.lot, wanted.crs) if wanted.lot else own and own.shape
    fronts = (
        [e.frontage for e in embraced(village.frontages, lot, village.street_id(name) if name else None)] if lot else []
    )
    if lot and not fronts:
        raise GeometryError.of(
            "lot", "a lot that fronts on no street" + (f" named {name}" if name else ""), "the entrance's lot"
        )
    streets = {front.street for front in fronts}
    if name is None and len(streets) == 1:
        name = next(iter(streets))
    asked = village.street_id(name) if name else FIND_STREET
    doors = candidates(village.frontages, east, north, asked)
    check_inside(village, doors[0], wanted.x, wanted.y)
    held = _frontage(fronts, doors[0])
    if held:
        doors = [candidates(village.frontages, east, north, village.street_id(held.street), held.held)[0], *doors[1:]]
    door, others = doors[0], tuple(doors[1:])
    row = village.map.rows[door.row] if door.row >= 0 else None
    away = math.hypot(door.x - door.foot_x, door.y - door.foot_y)
    unsure = row is not None and bool(door.number) and (wanted.accuracy_ft or 0.0) > away
    doubtful = [Finding("SIDE_UNSURE", {"distance_ft": away, "accuracy_ft": wanted.accuracy_ft})] if unsure else []
    doubtful += [Finding("LOT_OF_REGISTER", {"parcel": own.parcel})] if own else []
    found = [*listed(doubtful), *listed(findings(village.frontages, door, others))]
    confirm = "which side of the street the entrance lies on" if unsure else ""
    confirm = "which street the main entrance fronts on" if others else confirm
    return Considered(
        wanted, door, others, row, east, north, building, lot, None, None, True, tuple(found), "", confirm, ()
    )  # fmt: skip


def check_outlines(village: Village, placed: Considered) -> None:
    """Refuse a building or lot that is not the entrance's: that neither holds it nor comes near it.

    Parameters
    ----------
    village
        For the reading, which has the limit.
    placed
        The entrance and the outlines.

    Raises
    ------
    GeometryError
        Naming the outline, how far off it is and how far it may be.
    """
    limit = village.network.reading.outline_ft + (placed.wanted.accuracy_ft or 0.0)
    for name, shape in (("building", placed.building), ("lot", placed.lot)):
        away = shape.distance(Point(placed.east, placed.north)) if shape is not None else 0.0
        if away > limit:
            expected = f"an outline that holds the entrance, or comes within {limit:,.0f} ft of it"
            raise GeometryError.of(name, f"one {away:,.0f} ft from the entrance", expected)


def _frontage(fronts: Sequence[Frontage], door: Doors) -> Frontage | None:
    """Return the lot's frontage on the door's side of its half-street."""
    return next((f for f in fronts if f.half == door.half and f.even == bool(door.even)), None)


def numbers_of(village: Village, door: Doors, lot: Polygon | None) -> list[int]:
    """Return the numbers an entrance may get: of its lot's frontage, or of its face where the lot is not known."""
    row = village.map.rows[door.row]
    if lot is not None:
        found = embraced(village.frontages, lot, village.street_id(row.street))
        own = [e for e in found if e.frontage.half == door.half and e.frontage.even == bool(door.even)]
        return sorted({number for e in own for number in e.numbers})
    law = village.map.law
    if row.virtual:
        first = door.hundred + (law.first_even if door.even else law.first_odd)
        return [first + 2 * k for k in range(law.last_unit + 1)]
    return [f.number for f in face(row, village.map, even=bool(door.even))]


def _chosen(village: Village, placed: Considered) -> Considered:
    """Choose the number nobody asked for by name: the computed one, else the nearest free one in the row's order."""
    door, codes = placed.door, placed.door.codes
    allowed = numbers_of(village, door, placed.lot)
    taken = _stations(placed)
    held = door.number in taken
    if held and "UNIT_OVERFLOW" in codes:
        return replace(placed, why=f"{door.number}, the last number of its block, is given once, and it is held.")
    if held and "PAST_END" in codes and placed.lot is None:
        return _round_bulb(village, placed, allowed, taken)
    choice = choose(door.number, door.station, allowed, taken)
    more = []
    if placed.lot is None and held:
        more.append(Finding("LOT_UNKNOWN"))
    if placed.lot is not None and door.number not in allowed:
        more.append(Finding("SHARED_UNIT", {"computed": door.number, "number": choice.number or "none"}))
    return replace(
        placed,
        number=choice.number,
        suggested=choice.number,
        in_order=choice.in_order,
        why=choice.why if choice.number != door.number else "",
        findings=(*_holders(placed), *listed(more), *placed.findings),
    )


def _round_bulb(
    village: Village, placed: Considered, allowed: Sequence[int], taken: Mapping[int, float | None]
) -> Considered:
    """Past a dead end the doors take the following free numbers outward: their own side's, then the other's."""
    door, law = placed.door, village.map.law
    block = range(door.hundred + law.first_even, door.hundred + law.hundred)
    beyond = [n for n in block if n > door.number and n not in taken]
    own_side_first = sorted(beyond, key=lambda n: ((n % 2 == 0) != bool(door.even), n))
    number = next(iter(own_side_first), None)
    bulb = listed([Finding("BULB")]) if number else []
    return replace(
        placed,
        number=number,
        suggested=number,
        why="It lies past the street's end: the following free number outward."
        if number
        else "No number outward is free.",
        confirm="the number round the street's end" if number else "",
        findings=(*_holders(placed), *bulb, *placed.findings),
    )


def _asked(village: Village, connection: Connection, placed: Considered, ignoring: frozenset[int]) -> Considered:
    """Judge the number an officer asks for: refuse, or warn."""
    wanted, door, row = placed.wanted, placed.door, placed.row
    assert wanted.number is not None
    assert row is not None
    number, law = wanted.number, village.map.law
    if not 1 <= number <= 999_999:
        raise StreetsError.of("number", str(number), "1 to 999999")
    every = registers.holders(connection, street_key(row.street), row.side, number)
    holders = [holder for holder in every if holder["id"] not in ignoring]
    same = [h for h in holders if h["suffix"] == wanted.suffix and not h["fraction"] and not h["unit"]]
    if same or (holders and not wanted.suffix):
        raise _taken((same or holders)[0])
    if (number % 2 == 0) != bool(door.even) and not wanted.parity_decided:
        side, parity = ("even", "north and east") if number % 2 == 0 else ("odd", "south and west")
        raise WrongParityError(
            f"{number} is {side}, a number of the {parity} side (§ 288-15 E), and the entrance lies on the other: "
            "only the Clerk-Treasurer can give it, by deciding a doubt (§ 288-15 J)."
        )
    suggested = _chosen(village, placed)
    crossed = out_of_order(number, door.station, _stations(placed))
    found = []
    if holders:
        found.append(Finding("SUFFIX_BUILDING", {"number": number, "holder": holders[0]["full"]}))
    if not door.hundred + min(law.first_even, law.first_odd) <= number < door.hundred + law.hundred:
        found.append(Finding("OTHER_BLOCK", {"number": number, "hundred": door.hundred}))
    if crossed:
        found.append(Finding("OUT_OF_ORDER", {"number": number, "others": ", ".join(map(str, crossed))}))
    if placed.lot is not None and number == door.number and number not in numbers_of(village, door, placed.lot):
        found.append(Finding("SHARED_UNIT", {"computed": door.number, "number": number}))
    if number != door.number:
        difference = abs(number - door.number)
        found.append(Finding("NOT_COMPUTED", {"number": number, "computed": door.number, "difference": difference}))
    why = "" if number in {door.number, suggested.number} else "An officer chose it."
    if number == suggested.number and number != door.number:
        return replace(suggested, number=number)
    return replace(
        placed,
        number=number,
        suggested=suggested.number,
        in_order=not crossed,
        why=why,
        findings=(*listed(found), *placed.findings),
    )


def _taken(holder: registers.Row) -> TakenError:
    told = f"{holder['full']} is held since {local_day(holder['made_at'])} ({holder['status']})."
    return TakenError(told, about_holder(holder))


def about_holder(holder: registers.Row) -> Json:
    """Return what is told of whoever holds a number."""
    return {
        "id": holder["id"],
        "address": holder["full"],
        "status": holder["status"],
        "assigned_at": holder["made_at"].isoformat(),
        "lon": holder["location_lon"],
        "lat": holder["location_lat"],
    }


def _stations(placed: Considered) -> dict[int, float | None]:
    """Return the numbers held on the entrance's side, each with its entrance's station."""
    held = {row["number"]: row["station_ft"] for row in placed.taken}
    if placed.wanted.suffix:  # a further door of a number is no other building's number
        ours = placed.wanted.number
        held = {number: station for number, station in held.items() if number != ours}
    return held


def _holders(placed: Considered) -> tuple[Json, ...]:
    holder = placed.holder
    if holder is None:
        return ()
    values = {"address": holder["full"], "holder": f"address {holder['id']}, {holder['status']}"}
    return tuple(listed([Finding("NUMBER_TAKEN", values)]))


def numbered_here(connection: Connection, found: Considered) -> registers.Row | None:
    """Return the active address that has the same entrance or building, if any; its lettered doors do not count."""
    return next((row for row in _at_place(connection, found) if not is_part(row)), None)


def _at_place(connection: Connection, placed: Considered) -> list[registers.Row]:
    """Return the active addresses that have the same entrance, or whose entrance lies in the building."""
    shape = placed.building.bounds if placed.building else (placed.east, placed.north) * 2
    west, south, east, north = shape
    near = registers.at_place(connection, west - 1, south - 1, east + 1, north + 1)
    return [
        row
        for row in near
        if math.hypot(row["location_x_ft"] - placed.east, row["location_y_ft"] - placed.north) <= SAME_PLACE_FT
        or (placed.building and placed.building.contains(Point(row["location_x_ft"], row["location_y_ft"])))
    ]


def _finished(village: Village, chosen: Considered, same: registers.Row | None) -> Considered:
    """Add what the register says beside the number."""
    row, found = chosen.row, []
    assert row is not None
    shape = chosen.building or Point(chosen.east, chosen.north)
    back = from_street_line(village, chosen.door.street, shape, chosen.wanted.accuracy_ft)
    if back["display"] == Display.MEASURE_IT:
        known = ("distance_ft", "uncertainty_ft", "limit_ft")
        measured = {"measured": "entrance" if back["from_door"] else "building"}
        found.append(Finding("MEASURE_SET_BACK", measured | {name: back[name] for name in known}))
    if same is not None and not chosen.wanted.suffix:
        found.append(Finding("SAME_PLACE", {"holder": same["full"]}))
        chosen = replace(chosen, confirm=chosen.confirm or f"that it is another building than {same['full']}")
    if chosen.wanted.doors > 1 and not chosen.wanted.suffix:
        found.append(Finding("OWNER_DIFFERENTIATES", {"doors": chosen.wanted.doors}))
    alike = sound_alike(village, row.street)
    if alike:
        found.append(Finding("SOUND_ALIKE", {"street": row.street, "other": alike}))
    return replace(chosen, set_back=back, findings=(*listed(found), *chosen.findings))
