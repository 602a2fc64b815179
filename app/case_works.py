"""The work that a permit puts on the works map: an opening or obstruction of the register, kept as the permit is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app import registers
from app.audit import Act
from app.registers import Row
from app.street_tables import street_objects

FOLLOWS = ("label", "emergency", "starts_on", "ends_on", "restored_on", "authorisation")
"""What of a work follows its permit; where it is may be corrected in the street and stays."""
PLACED = ("lon", "lat", "street", "shape", "west_ft", "south_ft", "east_ft", "north_ft", "accuracy_ft", "facts")
"""What follows only where the permit's own outline was drawn anew, or its work comes back to the map."""


def put(act: Act, does: str, case: Row, work: Mapping[str, Any] | None) -> int | None:
    """Put the work of a permit on the works map, change it, or take it off.

    Parameters
    ----------
    act
        The act on the permit.
    does
        What it is called in the audit.
    case
        The permit's row.
    work
        Columns of the work, as its events make them; None where there is none now.

    Returns
    -------
    int or None
        The work's id; None where the permit never had one.
    """
    old = registers.get(act.connection, street_objects, case["object_id"]) if case["object_id"] else None
    if old is None:
        return registers.insert(act, does, street_objects, _new(act, case, work))["id"] if work else None
    wanted = {name: work[name] for name in FOLLOWS} if work else {}
    wanted |= {"retired_at": None, "retired_reason": ""} if work else _off(act, old)
    if work and (old["retired_at"] or case["shape"] != work["shape"]):
        wanted |= {name: work[name] for name in PLACED}
    changes = {name: value for name, value in wanted.items() if old[name] != value}
    if changes:
        registers.update(act, does, street_objects, old, changes)
    return int(old["id"])


def _off(act: Act, old: Row) -> Row:
    return {} if old["retired_at"] else {"retired_at": act.at, "retired_reason": act.reason or "Its permit was undone."}


def _new(act: Act, case: Row, work: Mapping[str, Any]) -> Row:
    start: Row = {"state": "", "address_id": case["address_id"], "street": case["street"], "checked": None}
    start |= {"retired_at": None, "retired_reason": "", "accuracy_ft": None, "facts": {}}
    start |= {"reason": act.reason, "made_at": act.at, "made_by": act.actor.name}
    return {**start, **work}
