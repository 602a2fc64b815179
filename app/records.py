"""The register's records as API and pages give them: what the public sees, and what an officer sees beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.adoption import not_conforming
from app.auth import Permission, Person
from app.feed import PARTS
from app.tables import addresses, map_edits
from app.village import Village

Json = dict[str, Any]

ACTS = {
    "assign": "assigned",
    "confirm": "confirmed",
    "correct": "corrected",
    "retire": "retired",
    "restore": "restored",
    "renumber": "renumbered",
    "rename street": "street renamed",
    "vacate street": "street vacated",
    "adopt map": "map adopted",
    "decide doubt": "doubt decided",
    "undo": "undone",
    "import": "brought in",
}
"""What an act is called in a history."""


def brief(row: Mapping[str, Any]) -> Json:
    """Return an address as lists have it.

    Parameters
    ----------
    row
        An address with its location.

    Returns
    -------
    dict
        Its number, street, status and place.
    """
    return {
        "id": row["id"],
        "address": row["full"],
        "usps": row["usps"],
        "status": row["status"],
        "number": row["number"],
        "fraction": row["fraction"],
        "suffix": row["suffix"],
        "street": row["street"],
        "half": row["half"],
        "conforms": row["conforms"],
        "lon": row["location_lon"],
        "lat": row["location_lat"],
        "replaced_by": row["replaced_by"],
    }


def full(connection: Connection, village: Village, address_id: int, *, officer: bool) -> Json:
    """Return one address whole.

    Parameters
    ----------
    connection
        To the register.
    village
        For its CRS.
    address_id
        The address.
    officer
        Whether who asks may see who did what and why.

    Returns
    -------
    dict
        As `brief`, with parts, place, reasons and what replaced it.

    Raises
    ------
    app.registers.NotFoundError
        There is none.
    """
    row = registers.located(connection, address_id)
    made = {
        **brief(row),
        "parts": {name: row[name] for name in PARTS},
        "computed_number": row["computed_number"],
        "map_version": row["map_version"],
        "law_date": row["law_date"].isoformat(),
        "assigned_at": row["made_at"].isoformat(),
        "retired_at": row["retired_at"].isoformat() if row["retired_at"] else None,
        "findings": [*row["findings"], *not_conforming(village, row)],
        "set_back": row["set_back"],
        "place": place(village, row),
        "explanation": _explained(registers.explanation(connection, row["explanation"]), officer=officer),
        "replaced_by": _link(connection, row["replaced_by"]),
        "replaces": _replaced(connection, address_id),
        "decisions": [_decision(d, officer=officer) for d in row["decisions"]],
    }
    if officer:
        made |= {"reason": row["reason"], "assigned_by": row["made_by"], "retired_reason": row["retired_reason"]}
        made |= {"doubt": row["doubt_id"], "location": row["location_id"]}
        made["history"] = [entry(e) for e in past(connection, row) if e["kind"] == "addresses" or e["before"]]
    return made


def past(connection: Connection, row: Mapping[str, Any]) -> list[registers.Row]:
    """Return the audit's entries of an address and of its place, the latest first."""
    entries = registers.history(connection, "addresses", row["id"])
    acts = {entry["act"] for entry in entries}
    placed = registers.history(connection, "locations", row["location_id"])
    own = (entry for entry in placed if entry["before"] or entry["act"] in acts)
    return sorted([*entries, *own], key=lambda entry: -int(entry["seq"]))


WORDLESS = {
    "officer": "An officer chose {number} instead of {computed}.",
    "clerk": "The Clerk-Treasurer determined {number}.",
}
"""What the public is told of a step that ends with the reason a person typed, by what it decided."""


def _explained(explanation: Json, *, officer: bool) -> Json:
    """Return an explanation as it was issued, or for the public without the reasons that persons typed."""
    if officer:
        return explanation
    steps = [
        {**step, "text": WORDLESS[step["decided"]].format(**step["values"])} if step["decided"] in WORDLESS else step
        for step in explanation["steps"]
    ]
    return {**explanation, "steps": steps}


def _decision(decision: Json, *, officer: bool) -> Json:
    return decision if officer else {k: v for k, v in decision.items() if k not in {"by", "reason"}}


def _link(connection: Connection, address_id: int | None) -> Json | None:
    if address_id is None:
        return None
    row = registers.get(connection, addresses, address_id)
    return {"id": row["id"], "address": row["full"], "status": row["status"]}


def _replaced(connection: Connection, address_id: int) -> list[Json]:
    rows = registers.rows(connection, addresses, addresses.c.replaced_by == address_id)
    return [{"id": row["id"], "address": row["full"], "status": row["status"]} for row in rows]


def place(village: Village, row: Mapping[str, Any]) -> Json:
    """Return where an address is, and how well that is known; `row` has its location."""
    access = (row["location_access_lon"], row["location_access_lat"])
    return {
        "lon": row["location_lon"],
        "lat": row["location_lat"],
        "placement": row["location_placement"],
        "accuracy_ft": row["location_accuracy_ft"],
        "access": list(access) if None not in access else None,
        "access_note": row["location_access_note"],
        "doors": row["location_doors"],
        "building": village.outline(row["location_building"]) if row["location_building"] else None,
        "lot": village.outline(row["location_lot"]) if row["location_lot"] else None,
    }


PRIVATE = frozenset({"cases", "case_events", "documents"})
"""Records that may name an owner or occupant."""


def discreet(row: Mapping[str, Any], person: Person) -> Mapping[str, Any]:
    """Return an entry of the audit as a person may read it.

    Parameters
    ----------
    row
        The entry.
    person
        Who reads: of a record that may name an owner or occupant, an administrator sees that it was changed, by whom
        and when, and not what it holds.

    Returns
    -------
    Mapping
        The entry, or the same without what its record holds.
    """
    if row["kind"] not in PRIVATE or person.may(Permission.READ_RECORDS):
        return row
    return {**row, "before": None, "after": None, "reason": ""}


def entry(row: Mapping[str, Any]) -> Json:
    """Return an entry of the audit as it is shown.

    Parameters
    ----------
    row
        The entry.

    Returns
    -------
    dict
        With ``changes``: each field that differs, before and after.
    """
    before, after = (json.loads(row[name]) if row[name] else {} for name in ("before", "after"))
    skipped = {"explanation", "findings", "id"}
    changes = [
        {"field": name, "before": before.get(name), "after": after.get(name)}
        for name in after
        if before and name not in skipped and before.get(name) != after.get(name)
    ]
    return {
        "seq": row["seq"],
        "act": row["act"],
        "at": row["at"].isoformat(),
        "actor": row["actor"],
        "acting_for": row["acting_for"],
        "what": row["what"],
        "kind": row["kind"],
        "subject": row["subject"],
        "reason": row["reason"],
        "changes": changes,
        "hash": row["hash"],
    }


def doubt(row: Mapping[str, Any]) -> Json:
    """Return a doubt as it is shown to officers."""
    return {
        **{name: row[name] for name in ("id", "status", "kind", "question", "street", "half", "lon", "lat")},
        **{name: row[name] for name in ("findings", "opened_by", "decided_by", "decision", "reason", "address_id")},
        "opened_at": row["opened_at"].isoformat(),
        "decided_at": row["decided_at"].isoformat() if row["decided_at"] else None,
        "wanted": row["request"],
    }


def version(row: Mapping[str, Any], edits: Sequence[Mapping[str, Any]] = (), in_force: int = 0) -> Json:
    """Return a version of the map as it is shown."""
    names = [str(c.name) for c in map_edits.c if c.name not in {"map_version", "made_at", "withdrawn_at"}]
    return {
        "version": row["version"],
        "status": row["status"],
        "in_force": row["version"] == in_force,
        "law_date": row["law_date"].isoformat(),
        "placeholders": row["placeholders"],
        "reason": row["reason"],
        "made_at": row["made_at"].isoformat(),
        "made_by": row["made_by"],
        "adopted_on": row["adopted_on"].isoformat() if row["adopted_on"] else None,
        "act": row["act"],
        "adoption_reason": row["adoption_reason"],
        "adopted_by": row["adopted_by"],
        "edits": [{**{n: edit[n] for n in names}, "made_at": edit["made_at"].isoformat()} for edit in edits],
    }
