"""Acts of the Village Board that the Director records: each has its day and its name; the survey's completion is one.

"The Village Board shall cause the necessary survey to be made ... When the said survey shall have been completed and
each house and building has been assigned its respective number" (§ 288-15 G(1)) owners place their numbers.
"""

from __future__ import annotations

from datetime import date

from sqlalchemy.engine import Connection

from app import registers
from app.audit import Act, Actor
from app.changes import StateError, needs_reason
from app.law import today
from app.settings import plain
from app.tables import surveys
from gis.errors import StreetsError

FIRST_YEAR = 1900
"""Acts before are not recorded here: a year in two or three figures is a slip."""


def act_of_board(day: date, act: str) -> tuple[date, str]:
    """Return the day and name of a body's act, refusing a day to come and an act without a name."""
    if not day.year >= FIRST_YEAR or day > today():
        raise StreetsError.of("date", day.isoformat(), f"a day from {FIRST_YEAR} to today, {today()}")
    if not act.strip():
        raise StreetsError.of("act", "nothing", "the Board's act, such as Resolution 2026-14")
    return day, " ".join(plain(act, "act").split())


def record_survey(connection: Connection, actor: Actor, day: date, act: str, reason: str) -> registers.Row:
    """Record that the survey of § 288-15 G(1) is completed.

    Parameters
    ----------
    connection
        Of the transaction.
    actor
        Who records it.
    day, act
        The day it was completed, by which act of the Board.
    reason
        Why it is recorded.

    Returns
    -------
    dict
        The record.

    Raises
    ------
    StateError
        It is recorded already; that record can be undone.
    StreetsError
        A day to come, no act, no reason.
    """
    day, act = act_of_board(day, act)
    before = survey(connection)
    if before is not None:
        told = f"completed on {before['completed_on']} ({before['act']})"
        raise StateError.of("survey", told, "a survey whose completion is not recorded yet; undo that record first")
    made = Act(connection, actor, needs_reason(reason))
    values = {"completed_on": day, "act": act, "reason": made.reason, "made_at": made.at, "made_by": actor.name}
    return registers.insert(made, "record survey", surveys, values)


def survey(connection: Connection) -> registers.Row | None:
    """Return the record of the survey's completion, or None before it is completed."""
    return next(iter(registers.standing(connection, surveys)), None)
