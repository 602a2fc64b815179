"""A repaving or permanent improvement of a street (§ 288-6 I): determination, clearing, five years without openings.

"Whenever the Village Board determines to provide for the permanent improvement or repaving of any street, such
determination shall be made not less than 30 days before the work of improvement or repaving shall begin. Immediately
after such determination by the Village Board, the Village Clerk-Treasurer shall notify each person, utility or other
agency owning or controlling any sewer, water main, conduit or other utility in or under said street or any real
property abutting said street, that all such excavation work in such street must be completed within 30 days."
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.auth import Permission
from app.case_facts import Asked, Facts
from app.casework import Clock, Kind, Matter, State, Step, Taken, day_of, stays, to
from app.clock_rules import RULES, due
from app.clocks import said_day
from app.expense import Json
from app.tables import addresses
from gis.address import street_key
from gis.errors import StreetsError

OPEN = frozenset({"determined", "notified", "working", "improved"})
CLOSED = frozenset({"ended", "dropped"})
TERRACES = (
    "“Every effort shall be made to place gas, electric, telephone and television cable lines in street terraces.” "
    "(§ 288-6 I)"
)


CLOSED_STREET = (
    "“no permit shall be issued to open or excavate said street for a period of five years after the date of "
    "improvement or repaving unless, in the opinion of the Village Board or its designee, conditions exist which make "
    "it absolutely essential that the permit be issued” (§ 288-6 I)"
)


@dataclass(frozen=True)
class Improved:
    """An improvement that was made: the street, its limits in words, and the day from which five years run."""

    street: str
    limits: str
    on: date


def determined(matter: Matter) -> Facts:
    """Return what the Board determined, the last word on each fact."""
    return matter.course.said("determine", "amend")


def improvement_of(matter: Matter) -> Improved | None:
    """Return the improvement that was made; None before it was."""
    made, facts = matter.course.latest("improved"), determined(matter)
    return Improved(facts["street"], facts.get("limits", ""), day_of(made)) if made else None


def utilities(matter: Matter) -> list[str]:
    """Return who owns or controls a utility there, a line each."""
    return [line.strip() for line in determined(matter).get("utilities", "").splitlines() if line.strip()]


def abutting(connection: Connection, street: str) -> Iterator[str]:
    """Give the addresses in use on a street: their owners are notified as those of abutting real property."""
    own = addresses.c
    on = (own.street_key == street_key(street)) & own.status.in_(("official", "provisional"))
    yield from connection.execute(sa.select(own.full).where(on).order_by(own.half, own.number, own.id)).scalars()


# --- what each step needs ---


def _determine(taken: Taken) -> Facts:
    facts = taken.facts
    begins = facts.get("begins_on")
    findings = _too_soon(taken, date.fromisoformat(begins)) if begins else []
    return facts | ({"findings": findings} if findings else {})


def _too_soon(taken: Taken, begins: date) -> list[str]:
    made = taken.matter.course.first("determine")
    first = due("repaving_from", day_of(made) if made else taken.day, taken.matter.counting)
    assert first.day is not None
    if begins >= first.day:
        return []
    told = f"Work from {said_day(begins)} is sooner than {said_day(first.day)}"
    return [f"{told}: “not less than 30 days before the work of improvement or repaving” (§ {first.section})."]


def _begin(taken: Taken) -> Facts:
    findings = _too_soon(taken, taken.day)
    return taken.facts | ({"findings": findings} if findings else {})


def _improved(taken: Taken) -> Facts:
    """Tell of an improvement that is itself sooner than its work may begin, where no beginning is on record."""
    return _begin(taken) if taken.matter.course.first("begin") is None else taken.facts


def _end(taken: Taken) -> Facts:
    """Refuse to end the five years on one of their days, whenever that is recorded."""
    clock = REPAVING.clock(taken.matter)
    assert clock is not None
    assert clock.deadline.day is not None
    if not clock.deadline.passed(taken.at):
        expected = f"a day after {said_day(clock.deadline.day)}, the last of the five years (§ 288-6 I)"
        raise StreetsError.of("at", said_day(taken.day), expected)
    return taken.facts


def _notified(taken: Taken) -> Facts:
    to_whom = taken.facts["to"]
    if to_whom == "one" and not taken.facts.get("whom"):
        raise StreetsError.of("whom", "nothing", "who was notified")
    return taken.facts


# --- clocks ---


def clocks(matter: Matter) -> list[Clock]:
    """Read the clocks of I: the Clerk-Treasurer's notice, the clearing, the first day of the work, the five years.

    Parameters
    ----------
    matter
        The project.

    Returns
    -------
    list of Clock
        Those that have begun.
    """
    course = matter.course
    made = course.first("determine")
    if made is None:
        return []
    told, begun, improved = course.first("notified", to="all"), course.first("begin"), course.latest("improved")
    started = begun or improved
    found = [
        _clock(matter, "notify", "repaving_notify", made["at"], "clerk", told),
        _clock(matter, "work_from", "repaving_from", day_of(made), "board", started),
    ]
    if told is not None:
        found.append(_clock(matter, "clearing", "clearing", day_of(told), "permittee", started))
    if improved is not None:
        deadline = due("moratorium", day_of(improved), matter.counting)
        found.append(Clock("moratorium", RULES["moratorium"].title, "improved", deadline, office="board"))
    return found


def _clock(matter: Matter, key: str, rule: str, start: date | datetime, office: str, done: Json | None) -> Clock:
    deadline = due(rule, start, matter.counting)
    return Clock(key, RULES[rule].title, "", deadline, "", office, done["at"] if done else None)


def remarks(connection: Connection, matter: Matter) -> list[str]:
    """Say what a project found, and who is to be notified."""
    told = [text for event in matter.course.events for text in event["facts"].get("findings", ())]
    street = determined(matter)["street"]
    if matter.course.state == "determined":
        count, named = sum(1 for _ in abutting(connection, street)), len(utilities(matter))
        told.append(f"To be notified: {named} utilities named here, and the owners of {count} addresses on {street}; "
                    "owners of abutting property without an address are not in the register.")  # fmt: skip
        told.append(TERRACES)
    if matter.course.state == "improved":
        told.append(CLOSED_STREET)
    return told


def likely(matter: Matter, _over: bool | None) -> str:
    """Return the step that is likely next."""
    course = matter.course
    if course.state == "determined":
        return "notified" if course.of("notify") else "notify"
    return {"notified": "begin", "working": "improved"}.get(course.state, "end")


def columns(matter: Matter) -> Json:
    """Read what lists look for off a project's events."""
    facts, given = determined(matter), matter.course.latest("assign")
    limits = f", {facts['limits']}" if facts.get("limits") else ""
    place = f"{facts['street']}{limits}"[:300]
    made = improvement_of(matter)
    found: Json = {"place": place, "street": facts["street"], "assigned_to": given["facts"]["to"] if given else ""}
    return found | {"starts_on": made.on if made else None}


_WHAT = (
    Asked("street", "Street", "Its official name", needed=True, most=200),
    Asked("limits", "From where to where", "Such as: First to Third", most=200),
    Asked("work", "What is made", choices={"repaving": "Repaving", "improvement": "Permanent improvement"}),
    Asked("begins_on", "Day on which the work is to begin", type="day"),
    Asked("act", "The Board’s act", "Such as: motion of Jan 12, item 4", most=300),
    Asked("utilities", "Who owns or controls a utility there", "A line each", long=True),
)
STEPS = {
    "determine": Step(
        "Record the Board’s determination", "Determined", Permission.PERMITS, frozenset({"determined"}), stays,
        "288-6 I", _WHAT, _determine, any_time=True,
    ),
    "amend": Step(
        "Amend it", "Amended", Permission.PERMITS, frozenset({"determined", "notified"}), stays, "288-6 I", _WHAT,
        _determine, any_time=True, reason=True,
    ),
    "notify": Step(
        "Issue the clearing notices", "Notices issued", Permission.ISSUE, frozenset({"determined", "notified"}), stays,
        "288-6 I",
        (Asked("addressee", "To", "Empty: one letter for all", long=True, private=True, most=606, lines=6),),
        undoable=False, document="repaving",
        help="“Immediately after such determination”: the list goes with each notice.",
    ),
    "notified": Step(
        "Record that they were notified", "Notified", Permission.PERMITS, frozenset({"determined", "notified"}),
        lambda course, event: (to("notified") if event["facts"]["to"] == "all" else stays)(course, event), "288-6 I",
        (
            Asked("to", "Who was notified", choices={"all": "All on the list", "one": "One of them"}, needed=True),
            Asked("whom", "Whom", private=True, most=300),
        ),
        _notified,
    ),
    "begin": Step(
        "Record that the work has begun", "Work begun", Permission.PERMITS, frozenset({"determined", "notified"}),
        to("working"), "288-6 I", check=_begin,
    ),
    "improved": Step(
        "Record the improvement", "Improved", Permission.PERMITS, frozenset({"determined", "notified", "working"}),
        to("improved"), "288-6 I", check=_improved,
        help="The day of the improvement or repaving: the five years are counted from it.",
    ),
    "end": Step(
        "Close it: the five years are over", "Five years over", Permission.PERMITS, frozenset({"improved"}),
        to("ended"), "288-6 I", check=_end, after_clock=True,
    ),
    "drop": Step(
        "Drop it", "Dropped", Permission.PERMITS, frozenset({"determined", "notified"}), to("dropped"), reason=True
    ),
    "note": Step(
        "Add a note", "Noted", Permission.PERMITS, OPEN | CLOSED, stays,
        asks=(Asked("note", "Note", long=True, needed=True, private=True),), any_time=True,
    ),
    "assign": Step(
        "Give it to somebody", "Given to", Permission.PERMITS, OPEN, stays,
        asks=(Asked("to", "To whom", "The name of an officer", needed=True, most=100),), any_time=True,
    ),
}  # fmt: skip

REPAVING = Kind(
    "repaving",
    "Repaving or improvement of a street",
    "§ 288-6 I",
    "determined",
    "determine",
    {
        "determined": State("Determined", "All concerned are to be notified immediately."),
        "notified": State("Notified", "Excavation in the street is to be completed within 30 days."),
        "working": State("Work begun", "The date of the improvement is to be recorded."),
        "improved": State("Improved: five years run", "No permit to open the street is issued.", over="free"),
        "ended": State("Closed: five years over", "The street may be opened again.", open=False),
        "dropped": State("Closed: dropped", "The improvement was not made.", open=False),
    },
    {"free": State("Five years over", "Permits to open the street may be issued again.")},
    STEPS,
    clocks,
    remarks,
    likely,
    book="project",
    columns=columns,
    backdating=Permission.BACKDATE,
)
