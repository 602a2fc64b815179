"""What is done to an address after it was assigned: confirmed, corrected, renumbered, retired, restored, and undone.

Nothing is lost by any of them: a number that goes is retired with what replaced it, and every entry of the audit holds
the row before and after.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.acts import as_json, numbered
from app.assign import into_feet, polygon
from app.audit import Act, Actor
from app.considered import TakenError, WrongParityError, about_holder
from app.map_versions import Atlas
from app.tables import PLACEMENTS, addresses, instant, locations
from app.village import LONLAT, Village
from gis.errors import StreetsError
from gis.lots import embraced
from gis.numbering import Held, candidates

Json = dict[str, Any]


class StateError(StreetsError):
    """A record that is not in the state an act needs, such as a retired address that is to be retired."""


class DependsError(StreetsError):
    """An act that cannot be undone, or a record that cannot go, because something depends on it."""

    def __init__(self, message: str, dependents: Sequence[Json] = ()) -> None:
        super().__init__(message)
        self.dependents = list(dependents)


def needs_reason(reason: str) -> str:
    """Return a reason, refusing none: an act without one is not recorded."""
    if not reason.strip():
        raise StreetsError.of("reason", "nothing", "why it is done; it is recorded with the act")
    return " ".join(reason.split())


def _active(connection: Connection, address_id: int) -> registers.Row:
    row = registers.get(connection, addresses, address_id)
    if row["status"] == "retired":
        raise StateError.of("id", f"{row['full']}, retired", "an address that is active")
    return row


def confirm(atlas: Atlas, connection: Connection, actor: Actor, address_id: int, reason: str) -> registers.Row:
    """Confirm a proposed number: what was left to a person's choice is as it stands."""
    row = _active(connection, address_id)
    if row["status"] != "proposed":
        raise StateError.of("id", f"{row['full']}, {row['status']}", "an address that is proposed")
    edition = atlas.now(connection).edition
    status = "official" if edition and edition.adopted else "provisional"
    act = Act(connection, actor, needs_reason(reason))
    decision = {"by": actor.name, "at": instant(act.at), "decision": "confirmed", "reason": act.reason}
    return registers.update(
        act, "confirm", addresses, row, {"status": status, "decisions": [*row["decisions"], decision]}
    )


def retire(connection: Connection, actor: Actor, address_id: int, reason: str) -> registers.Row:
    """Retire an address: its number is free again, the record stays."""
    row = _active(connection, address_id)
    act = Act(connection, actor, needs_reason(reason))
    return registers.update(
        act, "retire", addresses, row, {"status": "retired", "retired_at": act.at, "retired_reason": act.reason}
    )


def restore(connection: Connection, actor: Actor, address_id: int, reason: str) -> registers.Row:
    """Restore a retired address with the status it had, where its number has not been given again."""
    row = registers.get(connection, addresses, address_id)
    if row["status"] != "retired":
        raise StateError.of("id", f"{row['full']}, {row['status']}", "an address that is retired")
    if row["replaced_by"]:
        instead = registers.get(connection, addresses, row["replaced_by"])
        message = f"{row['full']} was replaced by {instead['full']}: undo that, or renumber {instead['full']}."
        raise DependsError(message, [{"id": instead["id"], "address": instead["full"], "status": instead["status"]}])
    act = Act(connection, actor, needs_reason(reason))
    before = {"status": _status_before(connection, row), "retired_at": None, "retired_reason": ""}
    return _or_taken(connection, row, lambda: registers.update(act, "restore", addresses, row, before))


def _status_before(connection: Connection, row: registers.Row) -> str:
    for entry in registers.history(connection, "addresses", row["id"]):
        before = json.loads(entry["before"]) if entry["before"] else {}
        if before.get("status") not in {None, "retired"}:
            return str(before["status"])
    return "provisional"


def _or_taken(connection: Connection, row: registers.Row, write: Any) -> registers.Row:
    """Write an address; where the database refuses its number, say who holds it."""
    check_free(connection, row)
    made: registers.Row = write()
    return made


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
    row = _active(connection, address_id)
    place = registers.get(connection, locations, row["location_id"])
    village = atlas.now(connection)
    act = Act(connection, actor, needs_reason(reason))
    moved = _place_changes(village, place, wanted)
    named = _number_changes(row, wanted)
    if not moved and not named:
        raise StreetsError.of("body", "nothing to correct", "a field whose value is another than recorded")
    if moved:
        place = registers.update(act, "correct", locations, place, moved)
    if moved.keys() & {"x_ft", "y_ft", "lot"}:
        computed = computed_of(village, row, place)
        named |= {"computed_number": computed[0], "station_ft": computed[1]}
    if named:
        check_free(connection, {**row, **named})
        row = registers.update(act, "correct", addresses, row, named)
    return row


def _place_changes(village: Village, place: registers.Row, wanted: Mapping[str, Any]) -> Json:
    crs = wanted.get("crs") or LONLAT
    found: Json = {name: wanted[name] for name in PLACE_FIELDS if wanted.get(name) is not None}
    if found.get("placement") and found["placement"] not in PLACEMENTS:
        raise StreetsError.of("placement", found["placement"], f"one of {', '.join(PLACEMENTS)}")
    if (wanted.get("x") is None) != (wanted.get("y") is None):
        raise StreetsError.of("x, y", "one of two", "both coordinates")
    if wanted.get("x") is not None:
        east, north = into_feet(village, wanted["x"], wanted["y"], crs)
        lon, lat = village.out_of_feet(LONLAT)(east, north)
        found |= {"x_ft": round(east, 3), "y_ft": round(north, 3)}
        found |= {"lon": round(float(lon), 8), "lat": round(float(lat), 8)}
    for name in ("building", "lot"):
        if wanted.get(name):
            found[name] = as_json(polygon(village, wanted[name], crs, name))
    return {name: value for name, value in found.items() if place[name] != value}


def _number_changes(row: registers.Row, wanted: Mapping[str, Any]) -> Json:
    number = row["number"] if wanted.get("number") is None else wanted["number"]
    suffix = row["suffix"] if wanted.get("suffix") is None else wanted["suffix"].strip().upper()
    if (number, suffix) == (row["number"], row["suffix"]):
        return {}
    if (number % 2 == 0) != row["even"]:
        raise WrongParityError(f"{number} is not of this side of the street (§ 288-15 E).")
    return renamed_columns(row, row["street"], number=number, suffix=suffix)


def renamed_columns(row: Mapping[str, Any], street: str, *, number: int = 0, suffix: str | None = None) -> Json:
    """Return the columns of an address under another street name, number or suffix; its other parts stay."""
    parts = {name: row[name] for name in ("number_prefix", "fraction", "unit_type", "unit")}
    letter = row["suffix"] if suffix is None else suffix
    return numbered(street, row["half"], number or row["number"], letter, parts)


def computed_of(village: Village, row: Mapping[str, Any], place: Mapping[str, Any]) -> tuple[int | None, float | None]:
    """Return the number and station that a map gives an address's entrance; None where it gives none."""
    if row["street"] not in village.frontages.names:
        return None, None
    street, held = village.street_id(row["street"]), None
    door = candidates(village.frontages, place["x_ft"], place["y_ft"], street)[0]
    if place["lot"]:
        lot = polygon(village, place["lot"], village.files.settings.working_crs.text)
        fronts = [e.frontage for e in embraced(village.frontages, lot, street)]
        held = next((f.held for f in fronts if f.half == door.half and f.even == bool(door.even)), None)
    if isinstance(held, Held):
        door = candidates(village.frontages, place["x_ft"], place["y_ft"], street, held)[0]
    if door.half < 0 or village.map.rows[door.row].side != row["half"]:
        return None, None
    return door.number or None, door.station


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
    halves = {(old["street_key"], old["half"]) for old, _ in olds}
    if len(halves) != 1:
        raise StreetsError.of("changes", f"addresses of {len(halves)} half-streets", "addresses of one half-street")
    edition = atlas.now(connection).edition
    for old, number in olds:
        if (number % 2 == 0) != old["even"]:
            raise WrongParityError(f"{number} is not of the side of {old['full']} (§ 288-15 E).")
    retired = [
        registers.update(
            act, "renumber", addresses, old, {"status": "retired", "retired_at": act.at, "retired_reason": act.reason}
        )
        for old, _ in olds
    ]
    return [_moved(act, old, before, number, edition) for old, (before, number) in zip(retired, olds, strict=True)]


def _moved(act: Act, retired: registers.Row, before: registers.Row, number: int, edition: Any) -> registers.Row:
    columns = renamed_columns(before, before["street"], number=number)
    check_free(act.connection, columns)
    kept = {k: v for k, v in before.items() if k != "id"}
    made = registers.insert(
        act,
        "renumber",
        addresses,
        {
            **kept,
            **columns,
            "map_version": edition.version if edition else before["map_version"],
            "reason": act.reason,
            "conforms": number == before["computed_number"],
            "made_at": act.at,
            "made_by": act.actor.name,
        },
    )
    registers.update(act, "renumber", addresses, retired, {"replaced_by": made["id"]})
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
    for old in list(olds):
        if old["suffix"] or old["unit"] or old["unit_type"]:
            continue
        for other in registers.holders(connection, old["street_key"], old["half"], old["number"]):
            if other["id"] not in numbers and (other["suffix"] or other["unit"] or other["unit_type"]):
                numbers[other["id"]] = numbers[old["id"]]
                olds.append(registers.get(connection, addresses, other["id"]))
    return [(old, numbers[old["id"]]) for old in olds if numbers[old["id"]] != old["number"]]
