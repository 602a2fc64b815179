"""Permits as pages and API give them: what stands in the way, what was measured, and what the public may know."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from app import case_records, casebook, permits, street_issuing
from app.auth import Person
from app.casebook import KINDS
from app.casework import Matter
from app.opening_works import standing, told
from app.permit_model import application, granted
from app.registers import Row

Json = dict[str, Any]


def full(connection: Connection, permit_id: int, person: Person, now: datetime) -> Json:
    """Return one permit whole.

    Parameters
    ----------
    connection
        To the register.
    permit_id
        The permit.
    person
        Who asks: what may be done now depends on it.
    now
        The instant it is asked for.

    Returns
    -------
    dict
        As `app.case_records.full`, with its ``application``, what was ``measured`` of it and when, the ``conflicts``,
        ``in_the_way`` of approving it, and how each thing was found last (``inspected``).

    Raises
    ------
    app.casebook.NoCaseError
        There is none.
    """
    row = permits.get(connection, permit_id)
    matter = casebook.matter_of(connection, row, now)
    measured = permits.latest(matter)
    stands = permits.in_the_way(matter, now)
    return {
        **case_records.full(connection, permit_id, person, now),
        "application": {key: value for key, value in application(matter).items() if key != "place"},
        "outline": _outline(matter),
        "measured": measured.get("checks") or {},
        "measured_at": measured["at"].isoformat() if measured else None,
        "conflicts": measured.get("conflicts") or [],
        "in_the_way": [
            {"key": one.key, "section": one.section, "found": one.found, "cure": one.cure} for one in stands
        ],
        "inspected": {key: facts["result"] for key, facts in standing(matter.course).items()},
        "judged": [line for event in matter.course.events for line in told(event["facts"])],
        "work": row["object_id"],
        "documents": street_issuing.kept(connection, permit_id),
        "fee": _fee(matter),
    }


def _outline(matter: Matter) -> Json | None:
    place = application(matter).get("place")
    return {key: place[key] for key in ("shape", "accuracy_ft", "position")} if place else None


def _fee(matter: Matter) -> Json | None:
    """Return the fee of the permit as it was when it was approved."""
    approved = granted(matter.course)
    if approved is None:
        return None
    facts = approved["facts"]
    known = {key: facts.get(key) for key in ("fee_due_cents", "paid_cents", "receipt")}
    return {**known, "told": facts.get("fee", "")}


def public(connection: Connection, row: Row, now: datetime) -> Json:
    """Return what anybody may know of a permit by its number: no names, no reasons.

    Parameters
    ----------
    connection
        To the register.
    row
        The permit.
    now
        The instant it is asked for.

    Returns
    -------
    dict
        ``number, kind_title, section, state, state_title, state_text, place, street, starts_on, ends_on, valid``.
    """
    matter = casebook.matter_of(connection, row, now)
    told_of = case_records.brief(matter, now)
    kept = ("number", "kind", "kind_title", "section", "state", "state_title", "state_text", "place", "street")
    clocks = [case_records.told_clock(one, now) for one in KINDS[row["kind"]].clocks(matter)]
    holds = told_of["state"] in {"approved", "active", "expired"}
    ends = [one for one in clocks if one["sense"] in {"ends", "from"} and holds]
    found = {key: told_of[key] for key in (*kept, "starts_on", "ends_on", "as_of")}
    if told_of["state"] == "draft":  # nobody has looked at what it says
        found |= {"place": "", "street": "", "starts_on": None, "ends_on": None}
    if not told_of["open"]:
        found["ends_on"] = None
    return {**found, "clocks": [{key: one[key] for key in ("title", "due", "section", "counted")} for one in ends]}
