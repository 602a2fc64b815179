"""Cases as pages and API give them: one with its time line and what may be done now, and lists searched and sorted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import casebook, cases, registers
from app.auth import Person, offices_of
from app.case_facts import Asked, dollars
from app.case_tables import cases as table
from app.casebook import KINDS
from app.casework import UNDO, Clock, Kind, Matter, Step
from app.clocks import said_day, said_instant
from app.registers import Row
from app.settings import plain
from gis.errors import StreetsError

Json = dict[str, Any]
SORTS = ("due", "opened", "place", "state")
DUES = ("overdue", "week", "running", "none")
SOON = timedelta(days=7)


# --- one case ---


def full(connection: Connection, case_id: int, person: Person, now: datetime) -> Json:
    """Return one case whole.

    Parameters
    ----------
    connection
        To the register.
    case_id
        The case.
    person
        Who asks: what may be done now depends on it.
    now
        The instant it is asked for.

    Returns
    -------
    dict
        As `brief`, with its clocks, events, remarks, and what ``may`` be done.

    Raises
    ------
    app.casebook.NoCaseError
        There is none.
    """
    row = casebook.get(connection, case_id)
    events = casebook.events_of(connection, case_id)
    matter = casebook.matter_of(connection, row, now, events)
    kind = KINDS[row["kind"]]
    last, why = cases.last_event(matter)
    undone = {event["facts"]["event"]: event["id"] for event in events if event["what"] == UNDO}
    return {
        **brief(matter, now),
        "clocks": [told_clock(clock, now) for clock in kind.clocks(matter)],
        "events": [_event(kind, event, undone) for event in events],
        "remarks": kind.remarks(connection, matter),
        "may": _offers(kind, matter, person, now),
        "undo": {
            "event": last["id"] if last else None,
            "title": _done(kind, last),
            "why_not": why or _not_his(kind, last, person),
        },
    }


def brief(matter: Matter, now: datetime) -> Json:
    """Return a case as lists have it.

    Parameters
    ----------
    matter
        The case.
    now
        The instant it is asked for.

    Returns
    -------
    dict
        Its kind, state, place, and when its clock ends; ``undecided`` where the readings of the law differ on whether
        it has ended.
    """
    case, address, kind = matter.case, matter.address, KINDS[matter.case["kind"]]
    key, state, undecided = kind.named(matter, now)
    clock = kind.clock(matter)
    return {
        "id": case["id"],
        "number": case["number"],
        "book": kind.book,
        "kind": case["kind"],
        "kind_title": kind.title,
        "section": kind.section,
        "state": key,
        "state_title": state.title,
        "state_text": state.text,
        "undecided": undecided,
        "open": state.open,
        "place": address["full"] if address else case["place"],
        "address_id": case["address_id"],
        "address_status": address["status"] if address else None,
        "street": case["street"],
        "assigned_to": case["assigned_to"],
        "starts_on": case["starts_on"].isoformat() if case["starts_on"] else None,
        "ends_on": case["ends_on"].isoformat() if case["ends_on"] else None,
        "lon": case["lon"],
        "lat": case["lat"],
        "opened_at": case["opened_at"].isoformat(),
        "opened_by": case["opened_by"],
        "closed_at": case["closed_at"].isoformat() if case["closed_at"] else None,
        "due": told_clock(clock, now) if clock else None,
        "overdue": bool(clock and clock.deadline.sense == "by" and clock.deadline.passed(now)),
        "as_of": now.isoformat(),
    }


def told_clock(clock: Clock, now: datetime) -> Json:
    """Return a clock with its deadline, how it was counted, and the other reading where it differs."""
    deadline = clock.deadline
    over = deadline.over(now)
    return {
        "key": clock.key,
        "title": clock.title,
        "due": _iso(deadline.day or deadline.at),
        "section": deadline.section,
        "sense": deadline.sense,
        "office": clock.office,
        "done": clock.done.isoformat() if clock.done else None,
        "counted": deadline.counted,
        "reading": " ".join(part for part in (clock.reading, deadline.reading) if part),
        "due_words": _words(deadline.day or deadline.at),
        "alternative": _iso(deadline.alternative),
        "alternative_words": _words(deadline.alternative),
        "alternative_reading": deadline.alternative_reading,
        "over": over,
        "undecided": over is None,
    }


def _words(when: date | datetime | None) -> str:
    """Write a last day, or a last instant, as people here do."""
    if isinstance(when, datetime):
        return said_instant(when)
    return said_day(when) if when else ""


def _iso(when: date | datetime | None) -> str | None:
    return when.isoformat() if when else None


def _event(kind: Kind, event: Row, undone: Mapping[int, int]) -> Json:
    step = kind.steps.get(event["what"])
    asks = {asked.key: asked for asked in step.asks} if step else {}
    facts = event["facts"]
    told = [
        {"key": key, "label": asked.label, "value": written(asked, facts[key])}
        for key, asked in asks.items()
        if key in facts
    ]
    return {
        "id": event["id"],
        "what": event["what"],
        "title": step.done if step else "Undone",
        "section": step.section if step else "",
        "at": event["at"].isoformat(),
        "day_only": bool(facts.get("day_only")),
        "facts": {key: value for key, value in facts.items() if key != "day_only"},
        "told": told,
        "reason": event["reason"],
        "made_at": event["made_at"].isoformat(),
        "made_by": event["made_by"],
        "backdated": event["made_at"] - event["at"] > timedelta(minutes=1),
        "undone_by": undone.get(event["id"]),
    }  # fmt: skip


WRITTEN: Mapping[str, Callable[[Any], str]] = {
    "in": lambda value: f"{value:g} in",
    "ft": lambda value: f"{value:g} ft",
    "percent": lambda value: f"{value:g} %",
    "count": str,
    "degrees": str,
    "cents": dollars,
    "day": lambda value: said_day(date.fromisoformat(value)),
    "instant": lambda value: said_instant(datetime.fromisoformat(value)),
}
"""How a fact of each type is written."""


def written(asked: Asked, value: Any) -> str:
    """Write a fact as people read it."""
    if asked.type:
        return WRITTEN[asked.type](value)
    return asked.choices.get(value, str(value)) if asked.choices else str(value)


def _done(kind: Kind, event: Row | None) -> str:
    return kind.steps[event["what"]].done if event else ""


def _not_his(kind: Kind, event: Row | None, person: Person) -> str:
    permission = kind.steps[event["what"]].permission if event else None
    if permission is None or person.may(permission):
        return ""
    offices = offices_of(permission)
    return f"Only who may {permission.value} can take it back: {offices}. Ask there if it was a mistake."


def _offers(kind: Kind, matter: Matter, person: Person, now: datetime) -> list[Json]:
    """Return the steps that a person may take now, the likely one first."""
    clock = kind.clock(matter)
    likely = kind.likely(matter, clock.deadline.over(now) if clock else False)
    runs = bool(clock and clock.deadline.over(now) is False)
    once = kind.opening if kind.book == "permit" else ""  # a permit is applied for once, and amended after
    steps = {name: step for name, step in kind.steps.items() if name != once}
    names = [name for name, step in steps.items() if _offered(step, matter, person, runs=runs)]
    found = [
        _may(name, kind.steps[name]) for name in sorted(names, key=lambda name: (name != likely, name == kind.opening))
    ]
    return [{**one, "title": "Add a further report"} if one["step"] == kind.opening else one for one in found]


def _offered(step: Step, matter: Matter, person: Person, *, runs: bool) -> bool:
    return not (runs and step.after_clock) and bool(
        step.permission and person.may(step.permission) and matter.course.state in step.states
    )


def _may(name: str, step: Step) -> Json:
    return {
        "step": name,
        "title": step.title,
        "section": step.section,
        "needs_reason": step.reason,
        "document": step.document or None,
        "facts": [told_fact(asked) for asked in step.asks],
    }


def told_kind(kind: Kind) -> Json:
    """Return a kind of case, for programs: its states, and what each step that a person may take needs."""
    named = {**kind.states, **kind.over}
    steps = {name: step for name, step in kind.steps.items() if step.permission}
    return {
        "kind": kind.key,
        "title": kind.title,
        "section": kind.section,
        "opens_with": kind.opening,
        "states": [{"state": key, "title": state.title, "open": state.open} for key, state in named.items()],
        "steps": [
            {**_may(name, step), "states": sorted(step.states), "permission": step.permission.value}
            for name, step in steps.items()
            if step.permission
        ],
    }


def told_fact(asked: Asked) -> Json:
    """Return what a step asks for, for programs."""
    return {
        "key": asked.key,
        "label": asked.label,
        "needed": asked.needed,
        "choices": dict(asked.choices) or None,
        "unit": asked.type or None,
    }


# --- lists ---


@dataclass(frozen=True)
class Sieve:
    """Which cases are wanted; what is empty leaves all.

    Parameters
    ----------
    q
        Words of the place, or the case's number.
    kind, state
        ``open`` and ``closed`` are states too; ``""`` is every one.
    book
        ``case``, ``permit`` or ``project``, or several with a space between; ``""`` for all.
    street
        Its official name; ``""`` for all.
    due
        One of `DUES`.
    sort
        One of `SORTS`, with ``-`` before it for descending.
    address_ids
        Addresses that `q` means, beside those whose words it has.
    """

    q: str = ""
    kind: str = ""
    state: str = ""
    due: str = ""
    sort: str = ""
    address_ids: tuple[int, ...] = ()
    book: str = ""
    street: str = ""

    def conditions(self, now: datetime) -> list[Any]:
        """Return what the cases fulfil.

        Raises
        ------
        StreetsError
            A kind, state or due that is none.
        """
        for name in ("q", "street"):
            plain(getattr(self, name), name)  # PostgreSQL takes no NUL, and finds nothing by other control characters
        made = [self._state(now)] if self.state else []
        if self.kind:
            made.append(table.c.kind == casebook.kind_of(self.kind).key)
        if self.book:
            made.append(table.c.kind.in_([kind.key for kind in _of_books(self.book)]))
        if self.street:
            made.append(table.c.street == self.street)
        if self.due:
            made.append(self._due(now))
        if self.q.strip():
            made.append(self._words())
        return made

    def _words(self) -> Any:
        words = [table.c.place.icontains(word, autoescape=True) for word in self.q.split()[:10]]
        found = sa.and_(*words)
        found = found | (table.c.number == self.q.strip().upper())
        number = self.q.strip().lower().removeprefix("case").strip()
        if number.isascii() and number.isdigit() and len(number) <= 9:
            found = found | (table.c.id == int(number))
        return found | table.c.address_id.in_(self.address_ids) if self.address_ids else found

    def _state(self, now: datetime) -> Any:
        if self.state in {"open", "closed"}:
            return table.c.closed_at.is_(None) if self.state == "open" else table.c.closed_at.is_not(None)
        over = table.c.over_at <= now
        conditions = []
        for kind in KINDS.values():
            own = table.c.kind == kind.key
            for key, state in kind.states.items():
                if key == self.state:
                    running = table.c.over_at.is_(None) | (table.c.over_at > now)
                    conditions.append(own & (table.c.state == key) & (running if state.over else sa.true()))
                elif state.over == self.state:
                    conditions.append(own & (table.c.state == key) & over)
        if not conditions:
            raise StreetsError.of("state", self.state[:60], f"one of {', '.join(states(self.book))}")
        return sa.or_(*conditions)

    def _due(self, now: datetime) -> Any:
        due = table.c.due_at
        match self.due:
            case "overdue":
                return due <= now
            case "week":
                return (due > now) & (due <= now + SOON)
            case "running":
                return due > now
            case "none":
                return due.is_(None)
        raise StreetsError.of("due", self.due[:60], f"one of {', '.join(DUES)}")

    def order(self) -> list[Any]:
        """Return the columns it is sorted by: what is due first where nothing else is asked for.

        Raises
        ------
        StreetsError
            A column that is none.
        """
        name = self.sort.removeprefix("-") or "due"
        if name not in SORTS:
            raise StreetsError.of("sort", self.sort[:60], f"one of {', '.join(SORTS)}")
        column = {"due": table.c.due_at, "opened": table.c.opened_at, "place": table.c.place, "state": table.c.state}[
            name
        ]
        first = [table.c.closed_at.is_not(None)] if name == "due" else []
        given = column.desc() if self.sort.startswith("-") else column
        return [*first, column.is_(None), given, table.c.id.desc()]


def _of_books(books: str) -> list[Kind]:
    """Return the kinds of some books, or every kind."""
    return [kind for kind in KINDS.values() if not books or kind.book in books.split()]


def states(books: str = "") -> dict[str, str]:
    """Return every state that a case of some books may be shown in, with its title."""
    found: dict[str, str] = {}
    for kind in _of_books(books):
        for key, state in kind.states.items():
            found[key] = state.title
            if state.over:
                found[state.over] = kind.over[state.over].title
    return found


def listed(
    connection: Connection, sieve: Sieve, now: datetime, *, limit: int = 0, offset: int = 0
) -> tuple[list[Json], int]:
    """Return cases and how many there are in all.

    Parameters
    ----------
    connection
        To the register.
    sieve
        Which.
    now
        The instant it is asked for.
    limit, offset
        At most so many, after so many; 0 for all.

    Returns
    -------
    tuple
        As `brief` gives them; the count.
    """
    conditions, asked = sieve.conditions(now), sa.select(table)
    asked = asked.where(*conditions).order_by(*sieve.order()).offset(offset)
    rows = [dict(row) for row in connection.execute(asked.limit(limit) if limit else asked).mappings()]
    found: list[Json] = []
    for start in range(0, len(rows), registers.AT_ONCE):
        some: Sequence[Row] = rows[start : start + registers.AT_ONCE]
        found += [brief(matter, now) for matter in casebook.matters_of(connection, some, now)]
    return found, registers.counted(connection, table, *conditions)


def waiting(connection: Connection, now: datetime, books: str = "") -> tuple[int, int]:
    """Return how many open cases of some books have a clock that has ended, and how many one that ends in a week."""
    over, soon = (
        registers.counted(connection, table, *Sieve(state="open", due=due, book=books).conditions(now))
        for due in ("overdue", "week")
    )
    return over, soon
