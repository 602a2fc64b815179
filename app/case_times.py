"""The clocks of each case as rows, so that what is due is one look into an index and not a walk through all events.

They are derived: written anew with each event, and counted anew for all when the Village settles how time is counted.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import registers
from app.case_tables import case_clocks, cases
from app.casebook import KINDS, matters_of
from app.casework import Clock, Kind, Matter
from app.clocks import Counting

AT_ONCE = 500
COUNTED = "1"
"""Raised when the rules of counting change in the software, so that clocks counted before are counted anew."""
_OF_CASE = sa.delete(case_clocks).where(case_clocks.c.case_id == sa.bindparam("case"))
_ADDED = sa.insert(case_clocks)


def write(connection: Connection, kind: Kind, matter: Matter) -> None:
    """Write the clocks of a case anew.

    Parameters
    ----------
    connection
        Of the transaction in which its events changed.
    kind, matter
        Of the case, with its events as they are now.
    """
    connection.execute(_OF_CASE, {"case": matter.case["id"]})
    rows = _rows(kind, matter)
    if rows:
        connection.execute(_ADDED, rows)


def _rows(kind: Kind, matter: Matter) -> list[dict[str, Any]]:
    how, running = basis(matter.counting), kind.running(matter)
    return [_row(matter, clock, how, runs=clock in running) for clock in kind.clocks(matter)]


def _row(matter: Matter, clock: Clock, how: str, *, runs: bool) -> dict[str, Any]:
    due = clock.deadline
    readings = (clock.reading, due.reading, due.alternative_reading)
    return {
        "case_id": matter.case["id"],
        "key": clock.key,
        "title": clock.title,
        "section": due.section,
        "sense": due.sense,
        "office": clock.office,
        "due_on": due.day,
        "due_at": due.due_at,
        "over_at": due.over_at,
        "counted": due.counted,
        "reading": " ".join(part for part in readings if part),
        "running": runs,
        "done_at": clock.done,
        "basis": how,
    }


def basis(counting: Counting) -> str:
    """Return by what the counting of two clocks is told to be the same."""
    said = (COUNTED, counting.skip_rule, sorted(counting.closures), counting.elections)
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def stale(connection: Connection, counting: Counting) -> bool:
    """Say whether clocks of open cases were counted in another way, or not at all, as by an earlier release."""
    other = (case_clocks.c.running) & (case_clocks.c.basis != basis(counting))
    if connection.execute(sa.select(case_clocks.c.id).where(other).limit(1)).first():
        return True
    counted = sa.select(case_clocks.c.id).where(case_clocks.c.case_id == cases.c.id).exists()
    never = cases.c.closed_at.is_(None) & cases.c.due_at.is_not(None) & ~counted
    return connection.execute(sa.select(cases.c.id).where(never).limit(1)).first() is not None


def recount(connection: Connection, now: datetime) -> int:
    """Count the clocks of every open case anew, as the Village counts time now.

    Parameters
    ----------
    connection
        Of a transaction that writes.
    now
        The instant.

    Returns
    -------
    int
        How many cases were counted.
    """
    done = last = 0
    while some := registers.rows(connection, cases, cases.c.closed_at.is_(None), cases.c.id > last, limit=AT_ONCE):
        for matter in matters_of(connection, some, now):
            kind = KINDS[matter.case["kind"]]
            write(connection, kind, matter)
            _write_end(connection, kind, matter)
        last = some[-1]["id"]
        done += len(some)
    return done


def _write_end(connection: Connection, kind: Kind, matter: Matter) -> None:
    """Write when the clock of the state ends where it is counted otherwise now."""
    clock = kind.clock(matter)
    due, over = (clock.deadline.due_at, clock.deadline.over_at) if clock else (None, None)
    if (matter.case["due_at"], matter.case["over_at"]) != (due, over):
        changed = sa.update(cases).where(cases.c.id == matter.case["id"]).values(due_at=due, over_at=over)
        connection.execute(changed)
