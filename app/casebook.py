"""Every kind of case and permit, and reading them: their rows, their events, and what these make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy.engine import Connection

from app import decided, registers
from app.case_numbering import NUMBERING
from app.case_tables import case_events, cases
from app.casework import UNDO, Kind, Matter, Step
from app.clocks import LOCAL, Counting
from app.improvement import IMPROVEMENT
from app.obstruction import OBSTRUCTION
from app.permit_opening import OPENING
from app.permit_privilege import PRIVILEGE
from app.permit_sidewalk import SIDEWALK
from app.registers import Row
from app.repaving import REPAVING
from app.tables import addresses
from app.walk_order import WALK
from gis.errors import StreetsError

Json = dict[str, Any]
_EVERY = (
    NUMBERING,
    *(OBSTRUCTION, WALK, REPAVING, IMPROVEMENT),
    *(OPENING, PRIVILEGE, SIDEWALK),
)
KINDS: Mapping[str, Kind] = MappingProxyType({kind.key: kind for kind in _EVERY})
"""Every kind of case and permit, by name."""


class CaseStateError(StreetsError):
    """A step that the case's state does not allow, or that something rests on."""


class NoCaseError(StreetsError):
    """There is no such case, kind of case or step."""


def kind_of(name: object) -> Kind:
    """Return a kind of case by its name.

    Raises
    ------
    NoCaseError
        There is none.
    """
    found = KINDS.get(name) if isinstance(name, str) else None
    if found is None:
        raise NoCaseError.of("kind", str(name)[:60] or "nothing", f"one of {', '.join(KINDS)}")
    return found


def events_of(connection: Connection, case_id: int) -> list[Row]:
    """Return the events of a case in the order they were recorded, those undone too."""
    return registers.rows(connection, case_events, case_events.c.case_id == case_id)


def matter_of(connection: Connection, case: Row, now: datetime, events: Sequence[Row] | None = None) -> Matter:
    """Return a case with its address and where its events have led it, its time counted as the Village does now."""
    address = registers.find(connection, addresses, case["address_id"]) if case["address_id"] else None
    own = events_of(connection, case["id"]) if events is None else events
    return Matter(case, address, KINDS[case["kind"]].course(own), _counting(connection, now))


def _counting(connection: Connection, now: datetime) -> Counting:
    return decided.counting(connection, now.astimezone(LOCAL).date())


def matters_of(connection: Connection, rows: Sequence[Row], now: datetime) -> list[Matter]:
    """Return many cases as `matter_of` does, with two statements for all."""
    if not rows:
        return []
    mine = case_events.c.case_id.in_([row["id"] for row in rows])
    events: dict[int, list[Row]] = {row["id"]: [] for row in rows}
    for event in registers.rows(connection, case_events, mine):
        events[event["case_id"]].append(event)
    ids = {row["address_id"] for row in rows}
    on = {row["id"]: row for row in registers.rows(connection, addresses, addresses.c.id.in_(ids))}
    courses = [KINDS[row["kind"]].course(events[row["id"]]) for row in rows]
    how = _counting(connection, now)
    return [Matter(row, on.get(row["address_id"]), course, how) for row, course in zip(rows, courses, strict=True)]


def get(connection: Connection, case_id: int) -> Row:
    """Return a case.

    Raises
    ------
    NoCaseError
        There is none.
    """
    found = registers.find(connection, cases, case_id)
    if found is None:
        raise NoCaseError.of("id", str(case_id), "the id of a case")
    return found


def open_on(connection: Connection, kind: str, address_id: int) -> Row | None:
    """Return the open case of a kind on an address; there is one at most."""
    mine = (cases.c.kind == kind) & (cases.c.address_id == address_id) & cases.c.closed_at.is_(None)
    return next(iter(registers.rows(connection, cases, mine)), None)


def step_of(kind: Kind, name: str) -> Step:
    """Return a step that a person may take, by its name.

    Raises
    ------
    NoCaseError
        There is none.
    """
    found = kind.steps.get(name)
    if found is None or found.permission is None:
        names = [key for key, step in kind.steps.items() if step.permission]
        raise NoCaseError.of("step", name[:60], f"one of {', '.join(names)}, {UNDO}")
    return found
