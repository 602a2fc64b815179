"""The document that a step of a case issues: what it is checked against, and that it was issued."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from app.audit import Act
from app.auth import Person
from app.case_facts import Facts, read_facts
from app.casebook import KINDS, CaseStateError, get, matter_of, step_of
from app.cases import OF_STEP, add_event, check_state, read_reason, settle
from app.casework import Taken
from app.registers import Row
from gis.errors import StreetsError


def check_document(
    connection: Connection, person: Person, case_id: int, name: str, given: Mapping[str, Any], now: datetime
) -> Facts:
    """Return the facts of a case's document, refused as recording it would be.

    Parameters
    ----------
    connection
        To the register.
    person
        Who would issue it.
    case_id
        The case.
    name
        The step that issues it.
    given
        The facts of that step, perhaps a ``reason``.
    now
        The instant it would be issued.

    Returns
    -------
    dict
        What was given, read.

    Raises
    ------
    StreetsError
        The state, the address or the facts do not allow it.
    """
    case = get(connection, case_id)
    kind = KINDS[case["kind"]]
    step = step_of(kind, name)
    if not step.document:
        raise CaseStateError.of("step", name, "a step that issues a document")
    assert step.permission is not None
    person.require(step.permission)
    matter = matter_of(connection, case, now)
    check_state(kind, step, matter, now)
    if given.get("at"):
        raise StreetsError.of("at", str(given["at"])[:60], "nothing: a document bears the time at which it is issued")
    facts = read_facts(step.asks, {key: value for key, value in given.items() if key not in OF_STEP})
    why = read_reason(given.get("reason"), needed=step.reason)
    return step.check(Taken(connection, matter, facts, now, why, person, now))


def record_document(act: Act, case_id: int, name: str, facts: Facts) -> Row:
    """Record that a step issued a document of a case, in the transaction that keeps it."""
    case = get(act.connection, case_id)
    event = add_event(act, f"case {name}", case, name, act.at, facts)
    settle(act, f"case {name}", case)
    return event
