"""What a case is, whatever its kind: states, steps between them, clocks, and what recorded events make of it.

A kind of case is data: its states, the steps that lead from one to another, what each needs and who may take it, and
one small function that reads its clocks off its events. `app.cases` records the events; nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy.engine import Connection

from app.auth import PUBLIC, Permission, Person
from app.case_facts import Asked, Facts
from app.clocks import LOCAL, Counting, Deadline
from app.registers import Row

UNSETTLED = Counting()
BEFORE = datetime.min.replace(tzinfo=UTC)
UNDO = "undo"
"""The event that takes another back."""


# --- what events make of a case ---


@dataclass(frozen=True)
class Course:
    """Where the standing events have led a case.

    Parameters
    ----------
    state
        The state they led to.
    events
        Those since the case began, or began anew, in the order they were recorded.
    before
        The state before it was closed.
    since
        When what led to the state happened; None before the first event.
    earlier
        Standing events of rounds before this one.
    """

    state: str
    events: tuple[Row, ...] = ()
    before: str = ""
    since: datetime | None = None
    earlier: tuple[Row, ...] = ()

    def last(self, what: str) -> Row | None:
        """Return the last event of a kind in this round."""
        return next((event for event in reversed(self.events) if event["what"] == what), None)

    def of(self, what: str) -> list[Row]:
        """Return the events of a kind in this round."""
        return [event for event in self.events if event["what"] == what]

    def latest(self, what: str, **facts: Any) -> Row | None:
        """Return the event of a kind, with these facts, that happened last, in whatever order they were recorded."""
        return max(self._with(what, facts), key=happened_at, default=None)

    def first(self, what: str, **facts: Any) -> Row | None:
        """Return the event of a kind, with these facts, that happened first, in whatever order they were recorded."""
        return min(self._with(what, facts), key=happened_at, default=None)

    def _with(self, what: str, facts: Mapping[str, Any]) -> list[Row]:
        return [one for one in self.of(what) if all(one["facts"].get(key) == value for key, value in facts.items())]

    def said(self, *whats: str) -> Facts:
        """Return the facts of the events of some kinds together; of each fact that of who said it last."""
        told: Facts = {}
        for event in sorted((one for one in self.events if one["what"] in whats), key=happened_at):
            told |= {key: value for key, value in event["facts"].items() if key != "day_only"}
        return told


Leads = Callable[[Course, Row], Course]


def happened_at(event: Row) -> tuple[datetime, int]:
    """Return by what events are in the order in which they happened."""
    return event["at"], event["id"]


def day_of(event: Row) -> date:
    """Return the village's day on which an event happened."""
    day: date = event["at"].astimezone(LOCAL).date()
    return day


def stays(course: Course, event: Row) -> Course:
    """Add an event that leaves the state as it is; the first one says since when, unless it was entered undated."""
    first = not course.events and not course.earlier and not event["facts"].get("undated")
    since = course.since or (event["at"] if first else None)
    return replace(course, events=(*course.events, event), since=since)


def to(state: str) -> Leads:
    """Return what an event does that leads to a state."""

    def lead(course: Course, event: Row) -> Course:
        return replace(course, state=state, before=course.state, since=event["at"], events=(*course.events, event))

    return lead


def anew(state: str) -> Leads:
    """Return what an event does with which the case begins anew in a state: earlier events count no more."""

    def lead(course: Course, event: Row) -> Course:
        return Course(state, (event,), course.state, event["at"], (*course.earlier, *course.events))

    return lead


def back(course: Course, event: Row) -> Course:
    """Lead back to the state before the case was closed."""
    return replace(course, state=course.before, before=course.state, since=event["at"], events=(*course.events, event))


def looked_later(course: Course, event: Row, looks: Collection[str]) -> Row | None:
    """Return the last of those who looked, recorded before an event, and who looked later than it did.

    Parameters
    ----------
    course
        Of the case.
    event
        What was seen, and when.
    looks
        Names of the events in which somebody looked.

    Returns
    -------
    dict or None
        The event; None where nobody had looked later.
    """
    others = (one for one in course.events if one["what"] in looks and one["id"] != event["id"])
    return max((one for one in others if _later(one, event)), key=lambda one: one["at"], default=None)


def _later(one: Row, other: Row) -> bool:
    """Whether one was later: by its day; on the same day by its time, where both are known."""
    days = [event["at"].astimezone(LOCAL).date() for event in (one, other)]
    known = not (one["facts"].get("day_only") or other["facts"].get("day_only"))
    return bool(days[0] > days[1] or (days[0] == days[1] and known and one["at"] > other["at"]))


@dataclass(frozen=True)
class Matter:
    """A case with what it is about.

    Parameters
    ----------
    case
        Its row.
    address
        The address it is on; None where it is on none.
    course
        Where its events have led it.
    counting
        How the Village counts time.
    """

    case: Row
    address: Row | None
    course: Course
    counting: Counting = UNSETTLED


@dataclass(frozen=True)
class Clock:
    """A time the law gives, that runs while a case is in a state, or until what it asks for is done.

    Parameters
    ----------
    key, title
        Its name in the API; what must be done by then.
    state
        The state in which it runs; ``""`` where it does not depend on the state.
    deadline
        When it ends, and how it was counted.
    reading
        How the law was read as to what begins it.
    office
        Who must act: ``clerk``, ``director``, ``board``, ``permittee``, ``owner``; ``""`` for whoever has the case.
    done
        When it was done; None where it was not. A clock without a state runs until it is done, or the case is closed.
    lasting
        Whether it runs on, until it is done, though the case is closed.
    """

    key: str
    title: str
    state: str
    deadline: Deadline
    reading: str = ""
    office: str = ""
    done: datetime | None = None
    lasting: bool = False


@dataclass(frozen=True)
class State:
    """A state of a case.

    Parameters
    ----------
    title, text
        What it is called, and what it means.
    open
        Whether the case is open in it.
    over
        The name it has when its clock has ended; ``""`` where it keeps its own.
    """

    title: str
    text: str = ""
    open: bool = True
    over: str = ""


@dataclass(frozen=True)
class Taken:
    """A step about to be recorded.

    Parameters
    ----------
    connection
        To the register.
    matter
        The case; its course does not have the step yet.
    facts
        What was given.
    at
        When it happened.
    reason
        Why it is done, or ``""``.
    person
        Who records it.
    now
        The instant it is recorded.
    day_only
        Whether only the day on which it happened is known.
    """

    connection: Connection
    matter: Matter
    facts: Facts
    at: datetime
    reason: str
    person: Person = PUBLIC
    now: datetime = BEFORE
    day_only: bool = False

    @property
    def day(self) -> date:
        """The village's day on which it happened."""
        return self.at.astimezone(LOCAL).date()


def unchecked(taken: Taken) -> Facts:
    """Let a step pass with the facts it was given."""
    return taken.facts


@dataclass(frozen=True)
class Step:
    """What may be done to a case.

    Parameters
    ----------
    title, done
        What its button says, and what the time line says of it.
    permission
        Who may; None for what only follows from another act of the register.
    states
        The states it may be taken in.
    leads
        What it makes of the case.
    section
        The section it stands on, or ``""``.
    asks
        The facts it records.
    check
        Refuses what the law or the record does not allow; returns the facts to be kept.
    reason
        Whether it needs a reason.
    undoable
        Whether it can be undone where nothing rests on it.
    any_time
        Whether it may have happened before what led to the state; else it did not happen before that.
    document
        The kind of document that is issued with it, or ``""``.
    offers_reason
        Whether its form offers a reason though none may be needed.
    help
        What is said above its form.
    after_clock
        Whether it is refused while the clock of the state still runs under every reading.
    before_clock
        Whether it is refused when the clock of the state has ended before it happened.
    """

    title: str
    done: str
    permission: Permission | None
    states: frozenset[str]
    leads: Leads
    section: str = ""
    asks: tuple[Asked, ...] = ()
    check: Callable[[Taken], Facts] = unchecked
    reason: bool = False
    undoable: bool = True
    any_time: bool = False
    document: str = ""
    offers_reason: bool = False
    help: str = ""
    after_clock: bool = False
    before_clock: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of case.

    Parameters
    ----------
    key, title, section
        Its name in the API, on pages, and the section it stands on.
    first, opening
        The state before the first event, and the step that opens a case or joins an open one.
    states, steps
        By name.
    over
        What is said of a state whose clock has ended, by the name it has then.
    clocks
        Reads the clocks of this round off the events.
    remarks
        What must be said beside it: what is assumed, unknown or undecided.
    likely
        The step that is likely next, of a case whose clock is over, is not, or None where the readings differ.
    book
        ``case``, ``permit`` or ``project``: on which pages it is.
    prefix
        What its numbers begin with, such as ``SO``; ``""`` where its id is its number.
    columns
        Reads what lists and maps look for off its events: columns of its row.
    work
        Reads the work that it puts on the works map off its events; None where it has none.
    joins
        Whether it is of an address, and a further report joins the open one.
    backdating
        Who may record a step that happened earlier; None where everybody may who may take it.
    """

    key: str
    title: str
    section: str
    first: str
    opening: str
    states: Mapping[str, State]
    over: Mapping[str, State]
    steps: Mapping[str, Step]
    clocks: Callable[[Matter], list[Clock]]
    remarks: Callable[[Connection, Matter], list[str]] = lambda *_: []
    likely: Callable[[Matter, bool | None], str] = lambda *_: ""
    book: str = "case"
    prefix: str = ""
    columns: Callable[[Matter], dict[str, Any]] = lambda _: {}
    work: Callable[[Matter], dict[str, Any] | None] | None = None
    joins: bool = False
    backdating: Permission | None = None

    def course(self, events: Iterable[Row]) -> Course:
        """Return where events lead, those left out that were undone."""
        every = list(events)
        gone = {event["facts"]["event"] for event in every if event["what"] == UNDO}
        course = Course(self.first)
        for event in every:
            if event["what"] != UNDO and event["id"] not in gone:
                course = self.steps[event["what"]].leads(course, event)
        return course

    def clock(self, matter: Matter) -> Clock | None:
        """Return the clock that runs in the case's state."""
        return next((clock for clock in self.clocks(matter) if clock.state == matter.course.state), None)

    def running(self, matter: Matter) -> list[Clock]:
        """Return the clocks that run now: that of the state, and those whose end nothing has met yet."""
        state = matter.course.state
        is_open = self.states[state].open
        every = [one for one in self.clocks(matter) if is_open or one.lasting]
        return [one for one in every if (one.state == state if one.state else one.done is None)]

    def named(self, matter: Matter, now: datetime) -> tuple[str, State, bool]:
        """Return the state by the name it has at an instant, what it is, and whether that is undecided."""
        key = matter.course.state
        state, clock = self.states[key], self.clock(matter)
        over = clock.deadline.over(now) if clock else False
        if state.over and over:
            return state.over, self.over[state.over], False
        return key, state, over is None
