"""What is done to an address after it was assigned: confirmed, corrected, renumbered, retired, restored, and undone.

Nothing is lost by any of them: a number that goes is retired with what replaced it, and every entry of the audit holds
the row before and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.engine import Connection

from app import case_following, letters, registers
from app.acts import as_json, because, numbered
from app.answers import listed
from app.assign import check_inside
from app.audit import Act, Actor
from app.columns import instant
from app.considered import Considered, TakenError, Wanted, about_holder, check_outlines, consider, letter
from app.map_versions import Atlas
from app.positions import into_feet, polygon
from app.registers import DependsError
from app.settings import plain
from app.tables import PLACEMENTS, addresses, doubts, locations
from app.village import LONLAT, Village
from gis.errors import StreetsError
from gis.findings import Finding
from gis.locate import FIND_STREET
from gis.lots import embraced
from gis.numbering import Doors, Held, candidates

Json = dict[str, Any]


class StateError(StreetsError):
    """A record that is not in the state an act needs, such as a retired address that is to be retired."""


def needs_reason(reason: str) -> str:
    """Return a reason, refusing none: an act without one is not recorded."""
    if not reason.strip():
        raise StreetsError.of("reason", "nothing", "why it is done; it is recorded with the act")
    return " ".join(plain(reason, "reason").split())


def _active(connection: Connection, address_id: int) -> registers.Row:
    row = registers.get(connection, addresses, address_id)
    if row["status"] == "retired":
        raise StateError.of("id", f"{row['full']}, retired", "an address that is active")
    return row


def confirm(atlas: Atlas, connection: Connection, actor: Actor, address_id: int, reason: str) -> registers.Row:
    """Confirm a number as it stands: one proposed, or one provisional while a map is adopted.

    Under an adopted map it becomes official; where the map would number it otherwise it is marked so.
    """
    row, village = _active(connection, address_id), atlas.now(connection)
    adopted = village.edition is not None and village.edition.adopted
    if row["status"] == "official" or (row["status"] == "provisional" and not adopted):
        expected = "an address that is proposed, or provisional under an adopted map"
        raise StateError.of("id", f"{row['full']}, {row['status']}", expected)
    act = Act(connection, actor, needs_reason(reason))
    decision: Json = {"by": actor.name, "at": instant(act.at), "decision": "Confirmed.", "reason": act.reason}
    changed: Json = {"status": "provisional"}
    if adopted and village.edition:
        decision["map_version"] = village.edition.version
        changed = {"status": "official", "conforms": agrees(connection, village, row)}
    return registers.update(act, "confirm", addresses, row, {**changed, "decisions": [*row["decisions"], decision]})


def agrees(connection: Connection, village: Village, row: registers.Row) -> bool:
    """Whether a map gives an address the number it holds, or the computed one that an officer departed from."""
    place = registers.get(connection, locations, row["location_id"])
    computed = computed_of(village, row, place)[0]
    return computed is not None and computed in {row["number"], chosen_over(row)}


def chosen_over(row: registers.Row) -> int | None:
    """Return the computed number that a number was chosen over; one that was brought in was chosen over none."""
    return int(row["number"]) if existed(row) else row["computed_number"]


def existed(row: registers.Row) -> bool:
    """Whether a number was there before and brought in: nobody chose it over the computed one."""
    return any(finding["code"] == EXISTED for finding in row["findings"])


EXISTED = "EXISTING_NUMBER"


def retire(
    connection: Connection, actor: Actor, address_id: int, reason: str, *, with_letters: bool = False
) -> list[registers.Row]:
    """Retire an address: its number is free again, the record stays.

    Parameters
    ----------
    connection
        Of the transaction.
    actor
        Who retires it.
    address_id
        The address.
    reason
        Why.
    with_letters
        Whether the lettered doors and units of its number are retired with it.

    Returns
    -------
    list of dict
        The addresses retired.

    Raises
    ------
    DependsError
        Lettered doors or units depend on its number; they are listed, and nothing is done.
    """
    row = _active(connection, address_id)
    left = letters.parts_of(connection, row)
    if left and not with_letters:
        names = ", ".join(other["full"] for other in left)
        told = [letters.about(other) for other in left]
        raise DependsError(f"{names} would be left without {row['full']}: retire them first, or with it.", told)
    act = Act(connection, actor, needs_reason(reason))
    gone = {"status": "retired", "retired_at": act.at, "retired_reason": act.reason}
    plain_rows = [row, *(registers.get(connection, addresses, other["id"]) for other in left)]
    for one in plain_rows:
        case_following.close_retired(act, one)
    return [registers.update(act, "retire", addresses, one, gone) for one in plain_rows]


def considered_anew(
    connection: Connection,
    village: Village,
    row: registers.Row,
    place: registers.Row,
    reason: str,
    *,
    number: int = 0,
    suffix: str | None = None,
    ignoring: Sequence[int] = (),
) -> Considered:
    """Consider an address's entrance anew, as if its number, or another, were asked for now."""
    wanted = Wanted(
        place["x_ft"],
        place["y_ft"],
        village.files.settings.working_crs.text,
        row["street"],
        number or row["number"],
        row["suffix"] if suffix is None else suffix,
        reason,
        place["building"],
        place["lot"],
        place["accuracy_ft"],
        place["doors"],
        parity_decided=_parity_stands(connection, row, number or row["number"]),
    )
    found = consider(village, connection, wanted, frozenset({row["id"], *ignoring}))
    if found.number is None:
        raise StateError.of("x, y", "an entrance on the street's own line", "an entrance on one side of it")
    if found.row is None or found.row.side != row["half"]:
        where = found.row.side if found.row else "no half"
        raise StateError.of("x, y", f"an entrance on the {where} half", f"one on the {row['half']} half")
    return found


def _parity_stands(connection: Connection, row: registers.Row, number: int) -> bool:
    """Whether a number may be of the other side: by the Clerk's decision of a doubt, or as it was brought in."""
    if row["doubt_id"] is not None:
        decision = registers.get(connection, doubts, row["doubt_id"])["decision"] or {}
        if decision.get("number") == number:
            return True
    return bool(number == row["number"] and registers.brought_in(connection, row["id"]))


def check_free(connection: Connection, row: Mapping[str, Any]) -> None:
    """Refuse a number that another active address holds.

    Raises
    ------
    TakenError
        Naming the holder.
    """
    same = ("number_prefix", "fraction", "suffix", "unit_type", "unit")
    for holder in registers.holders(connection, row["street_key"], row["half"], row["number"]):
        if holder["id"] != row.get("id") and all(holder[name] == row[name] for name in same):
            raise TakenError(f"{holder['full']} is held ({holder['status']}).", about_holder(holder))


PLACE_FIELDS = ("placement", "accuracy_ft", "access_lon", "access_lat", "access_note", "doors")


def correct(
    atlas: Atlas, connection: Connection, actor: Actor, address_id: int, wanted: Mapping[str, Any], reason: str
) -> registers.Row:
    """Correct what was recorded wrongly of an address or its place; its number stays unless it is corrected itself.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        Of the transaction.
    actor
        Who corrects.
    address_id
        The address.
    wanted
        What is corrected: ``number``, ``suffix``, ``x`` and ``y`` with ``crs``, ``building``, ``lot``, or one of
        `PLACE_FIELDS`.
    reason
        Why.

    Returns
    -------
    dict
        The address as it is now.

    Raises
    ------
    StreetsError
        Nothing to correct, a field that cannot be, no reason, a number that is held or of the other side.
    """
    row, village = _active(connection, address_id), atlas.now(connection)
    place = registers.get(connection, locations, row["location_id"])
    act = Act(connection, actor, needs_reason(reason))
    moved = _place_changes(village, place, wanted)
    number = row["number"] if wanted.get("number") is None else wanted["number"]
    suffix = row["suffix"] if wanted.get("suffix") is None else letter(wanted["suffix"])
    same = (number, suffix) == (row["number"], row["suffix"])
    if not moved and same:
        raise StreetsError.of("body", "nothing to correct", "a field whose value is another than recorded")
    if moved:
        place = registers.update(act, "correct", locations, place, moved)
    if same and not moved.keys() & BEARING:  # it says nothing of the number: why it is so stays as it was issued
        return _with_doors(act, row, place) if "doors" in moved else row
    under = _given_under(atlas, connection, village, row) if same else village
    found = considered_anew(connection, under, row, place, act.reason, number=number, suffix=suffix)
    if moved.keys() & {"x_ft", "building", "lot"}:
        check_outlines(village, found)
    parts = {name: row[name] for name in KEPT_PARTS}
    columns = because(connection, under, found, _clerk_s(connection, row, number), parts, stays=same)
    adopted = village.edition is not None and village.edition.adopted
    if same:
        columns |= _stands(connection, village, row, columns)
    elif row["status"] == "official" and not adopted:  # as one brought in was before
        columns["status"] = "provisional"
    check_free(connection, {**row, **columns})
    changed = {name: value for name, value in columns.items() if row[name] != value}
    now = registers.update(act, "correct", addresses, row, changed) if changed else row
    letters.check(connection, [(row, now)])
    return now


def _given_under(atlas: Atlas, connection: Connection, village: Village, row: registers.Row) -> Village:
    """Return the village of the map that a number was given under; the one in force where that has not its street."""
    given = atlas.at(connection, row["map_version"])  # no map was written in this transaction
    return given if row["street"] in given.frontages.names else village


def _stands(connection: Connection, village: Village, row: registers.Row, columns: Json) -> Mapping[str, Any]:
    """Return the columns that a correction of the place leaves to the number as it was given, or holds anew."""
    findings = [*(finding for finding in row["findings"] if finding["code"] == EXISTED), *columns["findings"]]
    conforms = row["conforms"]
    if village.edition is not None and village.edition.adopted:
        conforms = agrees(connection, village, {**row, **columns, "findings": findings})
    elif existed(row):
        conforms = columns["computed_number"] == row["number"]
    return {"law_date": row["law_date"], "findings": findings, "conforms": conforms}


def _with_doors(act: Act, row: registers.Row, place: registers.Row) -> registers.Row:
    """Say of an address that its owner differentiates its doors, or no longer (§ 288-15 H)."""
    others = [finding for finding in row["findings"] if finding["code"] != "OWNER_DIFFERENTIATES"]
    several = place["doors"] > 1 and not row["suffix"]
    findings = [*others, *listed([Finding("OWNER_DIFFERENTIATES", {"doors": place["doors"]})] if several else [])]
    return registers.update(act, "correct", addresses, row, {"findings": findings})


def _clerk_s(connection: Connection, row: registers.Row, number: int) -> str:
    """Return why the Clerk-Treasurer determined an address's number; ``""`` where that officer did not."""
    doubt = registers.get(connection, doubts, row["doubt_id"]) if row["doubt_id"] is not None else None
    return str(doubt["reason"] or "") if doubt and (doubt["decision"] or {}).get("number") == number else ""


BEARING = frozenset({"x_ft", "y_ft", "building", "lot"})
"""What of a place bears on its number."""
KEPT_PARTS = ("number_prefix", "fraction", "unit_type", "unit")
"""Parts of an old number that no correction or renumbering changes."""


def _place_changes(village: Village, place: registers.Row, wanted: Mapping[str, Any]) -> Json:
    crs = wanted.get("crs") or LONLAT
    found: Json = {name: wanted[name] for name in PLACE_FIELDS if wanted.get(name) is not None}
    found |= {name: None for name in ACCESS if name in wanted and wanted[name] is None}  # taken away
    if found.get("placement") and found["placement"] not in PLACEMENTS:
        raise StreetsError.of("placement", found["placement"], f"one of {', '.join(PLACEMENTS)}")
    if (wanted.get("x") is None) != (wanted.get("y") is None):
        raise StreetsError.of("x, y", "one of two", "both coordinates")
    if wanted.get("x") is not None:
        east, north = into_feet(village, wanted["x"], wanted["y"], crs)
        lon, lat = village.out_of_feet(LONLAT)(east, north)
        found |= {"x_ft": east, "y_ft": north}
        found |= {"lon": round(float(lon), 8), "lat": round(float(lat), 8)}
    _check_access(village, {**place, **found}, found)
    if found.get("access_note"):
        found["access_note"] = plain(found["access_note"], "access_note")
    for name in ("building", "lot"):
        if wanted.get(name):
            found[name] = as_json(polygon(village, wanted[name], crs, name))
    return {name: value for name, value in found.items() if place[name] != value}


ACCESS = ("access_lon", "access_lat")


def _check_access(village: Village, place: Mapping[str, Any], changed: Mapping[str, Any]) -> None:
    """Refuse half an access point, and one that is not in the village."""
    lon, lat = (place[name] for name in ACCESS)
    if (lon is None) != (lat is None):
        raise StreetsError.of("access_lon, access_lat", "one of two", "both coordinates of the access point")
    if lon is not None and changed.keys() & set(ACCESS):
        east, north = into_feet(village, lon, lat, LONLAT)
        door = candidates(village.frontages, east, north, FIND_STREET)[0]
        check_inside(village, door, lon, lat, "access_lon, access_lat")


def renamed_columns(row: Mapping[str, Any], street: str) -> Json:
    """Return the columns of an address under another street name; its number and other parts stay."""
    parts = {name: row[name] for name in KEPT_PARTS}
    return numbered(street, row["half"], row["number"], row["suffix"], parts)


def computed_of(village: Village, row: Mapping[str, Any], place: Mapping[str, Any]) -> tuple[int | None, float | None]:
    """Return the number and station that a map gives an address's entrance; None where it gives none."""
    door = door_of(village, row, place)
    if door is None or door.half < 0 or village.map.rows[door.row].side != row["half"]:
        return None, None
    return door.number or None, door.station


def door_of(village: Village, row: Mapping[str, Any], place: Mapping[str, Any]) -> Doors | None:
    """Return an address's entrance numbered on its street, held to its lot's frontage; None off every street."""
    if row["street"] not in village.frontages.names:
        return None
    street, held = village.street_id(row["street"]), None
    door = candidates(village.frontages, place["x_ft"], place["y_ft"], street)[0]
    if place["lot"]:
        lot = polygon(village, place["lot"], village.files.settings.working_crs.text)
        fronts = [e.frontage for e in embraced(village.frontages, lot, street)]
        held = next((f.held for f in fronts if f.half == door.half and f.even == bool(door.even)), None)
    if isinstance(held, Held):
        door = candidates(village.frontages, place["x_ft"], place["y_ft"], street, held)[0]
    return door


# --- renumbering ---


def renumber(
    atlas: Atlas, connection: Connection, actor: Actor, wanted: Sequence[Mapping[str, Any]], reason: str
) -> list[registers.Row]:
    """Give addresses of one half-street other numbers, all of them or none: 11 becomes 13, 13 becomes 15.

    The location of each is kept; the old number is retired and names what replaced it. Units and lettered doors of a
    number follow it.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        Of the transaction.
    actor
        Who renumbers.
    wanted
        Each with ``id`` and ``number``.
    reason
        Why.

    Returns
    -------
    list of dict
        The new addresses.

    Raises
    ------
    TakenError
        A number is held by an address that does not move.
    StreetsError
        An address twice, or of other streets; a number of the other side; no reason.
    """
    act = Act(connection, actor, needs_reason(reason))
    olds = _with_followers(connection, wanted)
    if not olds:
        raise StreetsError.of("changes", "the numbers that they have", "another number for one of them at least")
    halves = {(old["street_key"], old["half"]) for old, _ in olds}
    if len(halves) != 1:
        raise StreetsError.of("changes", f"addresses of {len(halves)} half-streets", "addresses of one half-street")
    village = atlas.now(connection)
    gone = {"status": "retired", "retired_at": act.at, "retired_reason": act.reason}
    retired = [registers.update(act, "renumber", addresses, old, gone) for old, _ in olds]
    made = [_moved(act, village, old, was, number) for old, (was, number) in zip(retired, olds, strict=True)]
    letters.check(connection, [*((old, None) for old, _ in olds), *((None, new) for new in made)])
    return made


WARNED_OF = frozenset({"OTHER_BLOCK", "OUT_OF_ORDER", "SHARED_UNIT"})
"""What is told of a new number before it is given."""


def doubtful(village: Village, connection: Connection, moves: Mapping[int, int]) -> list[str]:
    """Say what is doubtful about the numbers that addresses would be given, before they are.

    Parameters
    ----------
    village
        The village in force.
    connection
        To the register.
    moves
        The new number of each address, by its id.

    Returns
    -------
    list of str
        One sentence for each doubt or refusal, naming the address.
    """
    told = []
    for address_id, number in moves.items():
        row = registers.get(connection, addresses, address_id)
        place = registers.get(connection, locations, row["location_id"])
        try:
            found = considered_anew(connection, village, row, place, "", number=number, ignoring=tuple(moves))
        except StreetsError as error:
            told.append(f"{row['full']}: {error.message}")
            continue
        told += [f"{row['full']}: {one['message']}" for one in found.findings if one["code"] in WARNED_OF]
    return told


def _moved(act: Act, village: Village, retired: registers.Row, before: registers.Row, number: int) -> registers.Row:
    """Give the place of a retired address its new number, with the reasons that this has now."""
    place = registers.get(act.connection, locations, before["location_id"])
    found = considered_anew(act.connection, village, before, place, act.reason, number=number)
    columns = because(act.connection, village, found, parts={name: before[name] for name in KEPT_PARTS})
    check_free(act.connection, columns)
    kept = {name: value for name, value in before.items() if name != "id"}
    adopted = village.edition is not None and village.edition.adopted
    status = "proposed" if before["status"] == "proposed" else "official" if adopted else "provisional"
    signed = {"status": status, "reason": act.reason, "made_at": act.at, "made_by": act.actor.name}
    made = registers.insert(act, "renumber", addresses, {**kept, **columns, **signed})
    registers.update(act, "renumber", addresses, retired, {"replaced_by": made["id"]})
    case_following.follow(act, before, made)
    return made


def _with_followers(connection: Connection, wanted: Sequence[Mapping[str, Any]]) -> list[tuple[registers.Row, int]]:
    """Return each address with its new number; units and lettered doors of a number follow it."""
    if not wanted:
        raise StreetsError.of("changes", "nothing", "addresses and their new numbers")
    numbers: dict[int, int] = {}
    for k, change in enumerate(wanted):
        if change["id"] in numbers:
            raise StreetsError.of(f"changes[{k}].id", str(change["id"]), "each address once")
        if not 1 <= change["number"] <= 999_999:
            raise StreetsError.of(f"changes[{k}].number", str(change["number"]), "1 to 999999")
        numbers[change["id"]] = change["number"]
    olds = [_active(connection, address_id) for address_id in numbers]
    named: dict[Any, str] = {}
    for k, old in enumerate(olds):
        wanted_number = (old["street_key"], old["half"], numbers[old["id"]], *(old[name] for name in _APART))
        if wanted_number in named:
            found = f"{numbers[old['id']]} for {old['full']} and for {named[wanted_number]}"
            raise StreetsError.of(f"changes[{k}].number", found, "a number of its own for each")
        named[wanted_number] = old["full"]
    for old in list(olds):
        for other in letters.parts_of(connection, old):
            if other["id"] not in numbers:
                numbers[other["id"]] = numbers[old["id"]]
                olds.append(registers.get(connection, addresses, other["id"]))
    return [(old, numbers[old["id"]]) for old in olds if numbers[old["id"]] != old["number"]]


_APART = ("number_prefix", "fraction", "suffix", "unit_type", "unit")
"""What tells two addresses of one number apart."""
