"""Streets renamed and vacated by acts of the Board: every address follows or goes, none is left behind."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy.engine import Connection

from app import case_following, registers
from app.audit import Act, Actor
from app.board import act_of_board
from app.changes import StateError, needs_reason, renamed_columns
from app.map_versions import Atlas, vacated
from app.registers import DependsError
from app.sounds import sound_alike
from app.street_names import as_street_name, check_halves, doubled
from app.tables import addresses, renamings, vacations
from app.village import Village
from gis.address import street_key
from gis.errors import StreetsError

Json = dict[str, Any]


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
    name = as_street_name(new)
    if name == old:
        raise StreetsError.of("name", name, "another name than the street has")
    other = doubled(village, name, old)
    if other:
        raise StreetsError.of("name", name, f"a name that no other street has; {other} has it")
    check_halves(village, name, old)
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
        case_following.close_retired(made, row, "vacate street")
        registers.update(made, "vacate street", addresses, registers.get(connection, addresses, row["id"]), gone)
    return {
        "street": name,
        "addresses": [{"id": row["id"], "address": row["full"]} for row in left],
        "act": made.number,
    }


def warnings(village: Village, name: str) -> list[str]:
    """Return what an officer is warned of about a street's name.

    Parameters
    ----------
    village
        The village, under that name.
    name
        A street's present name.

    Returns
    -------
    list of str
        A street whose name sounds alike, and streets that had this name before; nothing where it is plain.
    """
    other = sound_alike(village, name) if name in village.frontages.names else ""
    told = [f"{name} sounds like {other}: callers may mistake one for the other."] if other else []
    before = village.formerly.get(street_key(name), ())
    return told + [
        f"{street} was called {name} before: that name now means this street, and whoever still says it of {street} "
        "is sent here."
        for street in before
    ]
