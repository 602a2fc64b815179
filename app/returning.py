"""Addresses that come back, restored or by an undoing: under their street's present name, held as an assignment is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import letters, registers
from app.audit import Act, Actor
from app.changes import StateError, agrees, check_free, considered_anew, needs_reason, renamed_columns
from app.considered import refuse_vacated
from app.map_versions import Atlas
from app.registers import DependsError
from app.tables import addresses, audit, locations, renamings
from app.village import Village

Json = dict[str, Any]


def restore(atlas: Atlas, connection: Connection, actor: Actor, address_id: int, reason: str) -> registers.Row:
    """Restore a retired address where its number has not been given again; it is held against the map in force.

    It comes back under the name its street has now.
    """
    row = registers.get(connection, addresses, address_id)
    if row["status"] != "retired":
        raise StateError.of("id", f"{row['full']}, {row['status']}", "an address that is retired")
    instead = _successor(connection, row)
    if instead is not None:
        message = f"{row['full']} was replaced by {instead['full']}: undo that, or renumber {instead['full']}."
        raise DependsError(message, [letters.about(instead)])
    act, village = Act(connection, actor, needs_reason(reason)), atlas.now(connection)
    again = coming_back(act, village, row, _status_before(connection, row))
    row_now = registers.update(act, "restore", addresses, row, {**again, "replaced_by": None})
    letters.check(connection, [(row, row_now)])
    return row_now


def _successor(connection: Connection, row: registers.Row) -> registers.Row | None:
    """Return the active address that a retired one was replaced by, if need be at several removes."""
    seen: set[int] = set()
    while row["replaced_by"] and row["id"] not in seen:
        seen.add(row["id"])
        row = registers.get(connection, addresses, row["replaced_by"])
        if row["status"] != "retired":
            return row
    return None


def coming_back(act: Act, village: Village, row: registers.Row, was: str, ignoring: Sequence[int] = ()) -> Json:
    """Return the columns of an address that comes back, by a restoring or an undoing; refuse one that may not.

    Parameters
    ----------
    act
        The act by which it comes back.
    village
        The village in force.
    row
        The address as it was recorded last.
    was
        The status it had.
    ignoring
        Ids of addresses that come back or go by the same act.

    Returns
    -------
    dict
        Its status, and its street and forms where the street was renamed since.

    Raises
    ------
    app.considered.VacatedError
        Its street was vacated.
    TakenError
        Its number was given again.
    StreetsError
        The map in force has no such street, or the entrance lies on the other half or side.
    """
    connection = act.connection
    street = present_street(act, row)
    refuse_vacated(connection, street)
    if street not in village.frontages.names:
        raise StateError.of("street", street, "a street of the map in force")
    named = {**row, **renamed_columns(row, street)}
    check_free(connection, named)
    place = registers.get(connection, locations, row["location_id"])
    found = considered_anew(connection, village, named, place, act.reason, ignoring=ignoring)
    fits = agrees(connection, village, named)
    adopted = village.edition is not None and village.edition.adopted
    stands = was == "official" and (adopted or registers.brought_in(connection, row["id"]))
    status = "official" if stands or (adopted and fits) else "provisional"
    if was == "proposed" or any(f["code"] == "SAME_PLACE" for f in found.findings):
        status = "proposed"
    again = {"status": status, "conforms": fits or not adopted, "retired_at": None, "retired_reason": ""}
    return again | {name: value for name, value in named.items() if row[name] != value}


def present_street(act: Act, row: Mapping[str, Any]) -> str:
    """Return the present name of an address's street: that of its record, followed through the renamings since.

    A name that another street has taken meanwhile is therefore not mistaken for its own.
    """
    told = (audit.c.kind == "addresses") & (audit.c.subject == str(row["id"])) & (audit.c.act != act.number)
    last = sa.select(sa.func.max(audit.c.seq)).where(told).scalar_subquery()
    made = (audit.c.kind == "renamings") & (audit.c.subject == sa.cast(renamings.c.id, sa.String))
    later = made & audit.c.before.is_(None) & (audit.c.seq > last) & renamings.c.undone_at.is_(None)
    name = str(row["street"])
    asked = sa.select(renamings.c.old, renamings.c.new).join(audit, later).order_by(renamings.c.id)
    for old, new in act.connection.execute(asked):
        name = new if old == name else name
    return name


def _status_before(connection: Connection, row: registers.Row) -> str:
    for entry in registers.history(connection, "addresses", row["id"]):
        before = json.loads(entry["before"]) if entry["before"] else {}
        if before.get("status") not in {None, "retired"}:
            return str(before["status"])
    return "provisional"
