"""Streets renamed and vacated by acts of the Board: every address follows or goes, none is left behind."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.audit import Act, Actor
from app.board import act_of_board
from app.changes import DependsError, StateError, needs_reason, renamed_columns
from app.considered import sound_alike
from app.map_versions import Atlas, vacated
from app.settings import tidy
from app.tables import addresses, renamings, vacations
from app.village import Village
from gis.address import LONGEST_TEXT, split_street_name, street_key
from gis.errors import StreetsError

Json = dict[str, Any]


_ADDRESS = re.compile(r"\d+\s")
_DIRECTIONS = frozenset({"north", "south", "east", "west"})


def on_street(connection: Connection, street: str) -> list[registers.Row]:
    """Return the active addresses of a street."""
    return registers.located_many(connection, registers.IS_ACTIVE, addresses.c.street_key == street_key(street))


def rename(
    atlas: Atlas, connection: Connection, actor: Actor, street: str, new: str, day: date, act: str, reason: str
) -> Json:
    """Record that a street was renamed; its addresses are rewritten, each in the audit, and the old name is an alias.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        Of the transaction.
    actor
        Who records it.
    street
        Its present name, however spelt.
    new
        Its new name.
    day, act
        The Board's act and its day.
    reason
        Why.

    Returns
    -------
    dict
        ``old``, ``new``, the ``addresses`` rewritten, ``sound_alike`` a street whose name sounds like it.

    Raises
    ------
    StreetsError
        No such street; a name that is none, or another street's; no act or reason.
    """
    village = atlas.now(connection)
    old = village.street_name(street)
    if street_key(old) in vacated(connection):
        raise StateError.of("street", f"{old}, vacated", "a street that is open")
    day, act = act_of_board(day, act)
    name = _new_name(village, old, new)
    made = Act(connection, actor, needs_reason(reason))
    values = {"old": old, "new": name, "decided_on": day, "act": act, "reason": made.reason}
    registers.insert(made, "rename street", renamings, {**values, "made_at": made.at, "made_by": actor.name})
    changed = [
        registers.update(
            made,
            "rename street",
            addresses,
            registers.get(connection, addresses, row["id"]),
            renamed_columns(row, name),
        )
        for row in on_street(connection, old)
    ]
    told = [{"id": row["id"], "address": row["full"], "status": row["status"]} for row in changed]
    return {"old": old, "new": name, "addresses": told, "act": made.number}


def _new_name(village: Village, old: str, new: str) -> str:
    name = tidy(new)
    if not name or len(name) > LONGEST_TEXT // 2:
        raise StreetsError.of("name", name or "nothing", f"a street's name of at most {LONGEST_TEXT // 2} letters")
    parts = split_street_name(name)
    if not any(c.isalpha() for c in parts.street_name) and not name[-1].isalpha():
        raise StreetsError.of("name", name, "a name with a word in it, not a number alone")
    if _ADDRESS.match(name) or street_key(name) in _DIRECTIONS:
        raise StreetsError.of("name", name, "a street's name, not an address or a direction")
    if name == old:
        raise StreetsError.of("name", name, "another name than the street has")
    for other in village.streets:
        same = {street_key(name), street_key(f"{name} {split_street_name(other.name).street_post_type}")}
        if other.name != old and street_key(other.name) in same:
            raise StreetsError.of("name", name, f"a name that no other street has; {other.name} has it")
    return name


def vacate(
    atlas: Atlas, connection: Connection, actor: Actor, street: str, day: date, act: str, reason: str, *, retire: bool
) -> Json:
    """Record that a street was vacated: no number is given on it, and the next proposal leaves it out.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        Of the transaction.
    actor
        Who records it.
    street
        Its name, however spelt.
    day, act
        The Board's act and its day.
    reason
        Why.
    retire
        Whether the addresses that are left on it are retired in the same act.

    Returns
    -------
    dict
        ``street`` and the ``addresses`` retired.

    Raises
    ------
    DependsError
        Addresses depend on the street; they are listed, and nothing is done.
    StreetsError
        No such street, one vacated already or a base line; no act or reason.
    """
    village = atlas.now(connection)
    name = village.street_name(street)
    day, act = act_of_board(day, act)
    if street_key(name) in vacated(connection):
        raise StateError.of("street", f"{name}, vacated", "a street that is open")
    if name in {village.files.settings.base_ew, village.files.settings.base_ns}:
        raise StreetsError.of(
            "street", f"{name}, a base line (§ 288-15 C(1))", "a street that numbers do not count from"
        )
    left = on_street(connection, name)
    if left and not retire:
        told = [{"id": row["id"], "address": row["full"], "status": row["status"]} for row in left]
        raise DependsError(f"{len(left)} addresses depend on {name}: renumber them elsewhere or retire them.", told)
    made = Act(connection, actor, needs_reason(reason))
    values = {"street": name, "decided_on": day, "act": act, "reason": made.reason}
    registers.insert(made, "vacate street", vacations, {**values, "made_at": made.at, "made_by": actor.name})
    gone = {"status": "retired", "retired_at": made.at, "retired_reason": f"{name} was vacated: {made.reason}"}
    for row in left:
        registers.update(made, "vacate street", addresses, registers.get(connection, addresses, row["id"]), gone)
    return {
        "street": name,
        "addresses": [{"id": row["id"], "address": row["full"]} for row in left],
        "act": made.number,
    }


def warnings(village: Village, name: str) -> str:
    """Return what an officer is warned of about a street's name; ``""`` for nothing."""
    other = sound_alike(village, name) if name in village.frontages.names else ""
    return f"{name} sounds like {other}: callers may mistake one for the other." if other else ""
