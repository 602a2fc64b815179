"""Cases: opened, joined, led from state to state by recorded events, undone, listed; the same for every kind.

An event says what happened, when it happened in the world (`at`) and when it was recorded (`made_at`). The state of a
case is what its standing events make of it, so that undoing one is an event of its own and nothing is ever lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.audit import Act
from app.auth import Person
from app.case_facts import Facts, read_at, read_facts
from app.case_numbering import NUMBERING
from app.case_tables import case_events, cases
from app.casework import UNDO, Course, Kind, Matter, State, Step, Taken
from app.clocks import LOCAL, said_day, said_instant
from app.db import Database
from app.once import once
from app.registers import Row
from app.settings import plain
from app.tables import addresses, locations
from gis.errors import StreetsError

Json = dict[str, Any]
KINDS: Mapping[str, Kind] = MappingProxyType({NUMBERING.key: NUMBERING})
"""Every kind of case, by name."""
OF_CASE = ("at", "reason", "kind", "address_id")
"""What a request says beside the facts of its step."""


class CaseStateError(StreetsError):
    """A step that the case's state does not allow, or that something rests on."""


class NoCaseError(StreetsError):
    """There is no such case, kind of case or step."""


# --- reading ---


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


def matter_of(connection: Connection, case: Row, events: Sequence[Row] | None = None) -> Matter:
    """Return a case with its address and where its events have led it."""
    address = registers.find(connection, addresses, case["address_id"]) if case["address_id"] else None
    own = events_of(connection, case["id"]) if events is None else events
    return Matter(case, address, KINDS[case["kind"]].course(own))


def matters_of(connection: Connection, rows: Sequence[Row]) -> list[Matter]:
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
    return [Matter(row, on.get(row["address_id"]), course) for row, course in zip(rows, courses, strict=True)]


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


# --- acting ---


def open_case(database: Database, person: Person, given: Mapping[str, Any], now: datetime, key: str = "") -> Json:
    """Open a case of a kind, or join the one that is open on the same address.

    Parameters
    ----------
    database
        The register.
    person
        Who reports.
    given
        ``kind``, ``address_id``, perhaps ``at``, and the facts of the kind's opening step.
    now
        The instant it is recorded.
    key
        Of the request: the same one sent twice is done once.

    Returns
    -------
    dict
        ``id`` of the case, ``event``, and whether it ``joined`` an open one.

    Raises
    ------
    app.auth.NotAllowedError
        The person may not report.
    StreetsError
        An address that is not there or retired; facts that are missing or none; a time still to come.
    """

    def do(connection: Connection) -> Json:
        kind = kind_of(given.get("kind"))
        address = _address(connection, given.get("address_id"))
        case = open_on(connection, kind.key, address["id"])
        act = Act(connection, person.actor, _reason(given.get("reason"), needed=False), now)
        joined = case is not None
        case = case or _new(act, kind, address)
        event = _record(act, person, kind, case, kind.opening, given)
        return {"id": case["id"], "event": event["id"], "joined": joined}

    return _acted(database, person, key, {"open": dict(given)}, do)


def take(
    database: Database, person: Person, case_id: int, name: str, given: Mapping[str, Any], now: datetime, key: str = ""
) -> Json:
    """Take a step of a case: record what happened.

    Parameters
    ----------
    database
        The register.
    person
        Who records it.
    case_id
        The case.
    name
        The step, such as ``serve``.
    given
        The step's facts, perhaps ``at`` and ``reason``.
    now
        The instant it is recorded.
    key
        Of the request: the same one sent twice is done once.

    Returns
    -------
    dict
        ``id`` of the case and ``event``.

    Raises
    ------
    app.auth.NotAllowedError
        The person may not take this step.
    CaseStateError
        The case is in no state that allows it.
    StreetsError
        What the step needs is missing or refused by the law.
    """

    def do(connection: Connection) -> Json:
        case = get(connection, case_id)
        kind = KINDS[case["kind"]]
        step = step_of(kind, name)
        if step.document:
            raise CaseStateError.of("step", name, "to be issued as a document, not recorded")
        act = Act(connection, person.actor, _reason(given.get("reason"), needed=step.reason), now)
        return {"id": case_id, "event": _record(act, person, kind, case, name, given)["id"]}

    return _acted(database, person, key, {"case": case_id, "step": name, **given}, do)


def undo(database: Database, person: Person, case_id: int, reason: str, now: datetime, key: str = "") -> Json:
    """Undo the last event of a case, where nothing rests on it; that is an event too.

    Parameters
    ----------
    database
        The register.
    person
        Who undoes: who may take a step may undo it.
    case_id
        The case.
    reason
        Why.
    now
        The instant it is recorded.
    key
        Of the request: the same one sent twice is done once.

    Returns
    -------
    dict
        ``id`` of the case and ``event``.

    Raises
    ------
    CaseStateError
        There is nothing that can be undone.
    """

    def do(connection: Connection) -> Json:
        case = get(connection, case_id)
        act = Act(connection, person.actor, _reason(reason, needed=True), now)
        last, why = last_event(matter_of(connection, case))
        if why or last is None:
            raise CaseStateError(why)
        permission = KINDS[case["kind"]].steps[last["what"]].permission
        assert permission is not None
        person.require(permission)
        event = _event(act, "case undo", case, UNDO, now, {"event": last["id"]})
        _settle(act, "case undo", case)
        return {"id": case_id, "event": event["id"]}

    return _acted(database, person, key, {"case": case_id, "step": UNDO, "reason": reason}, do)


def last_event(matter: Matter) -> tuple[Row | None, str]:
    """Return the last standing event of a case, and why it cannot be undone where it cannot."""
    every = (*matter.course.earlier, *matter.course.events)
    if not every:
        return None, "Nothing was recorded."
    last, step = every[-1], KINDS[matter.case["kind"]].steps[every[-1]["what"]]
    if len(every) == 1:
        return last, "The report that opened the case is not undone: withdraw it."
    if step.document:
        return last, f"{last['facts'].get('number', 'A document')} was issued and stays as issued; issue a new one."
    return last, "" if step.undoable else "It follows from an act on the address: undo that act."


def _acted(database: Database, person: Person, key: str, asked: Json, do: Callable[[Connection], Json]) -> Json:
    with database.write() as connection:
        return once(connection, person.actor, key, asked, lambda: do(connection))


def _reason(value: object, *, needed: bool) -> str:
    text = " ".join(plain(value, "reason").split()) if isinstance(value, str) else ""
    if needed and not text:
        raise StreetsError.of("reason", "nothing", "why it is done; it is recorded with it")
    if len(text) > 2000:
        raise StreetsError.of("reason", f"{len(text)} characters", "at most 2000")
    return text


def _address(connection: Connection, value: object) -> Row:
    number = value if isinstance(value, int) and not isinstance(value, bool) else 0
    row = registers.find(connection, addresses, number) if 0 < number <= 2_000_000_000 else None
    if row is None:
        raise StreetsError.of("address_id", str(value)[:60] if value else "nothing", "the id of an address")
    if row["status"] == "retired":
        raise CaseStateError.of("address_id", f"{row['full']}, retired", "an address that is in use")
    return row


def _new(act: Act, kind: Kind, address: Row) -> Row:
    place = registers.get(act.connection, locations, address["location_id"])
    values: Json = {"kind": kind.key, "state": kind.first, "place": address["full"], "address_id": address["id"]}
    values |= {"lon": place["lon"], "lat": place["lat"], "facts": {}}
    return registers.insert(act, "case open", cases, {**values, "opened_at": act.at, "opened_by": act.actor.name})


def _record(
    act: Act,
    person: Person,
    kind: Kind,
    case: Row,
    name: str,
    given: Mapping[str, Any],
) -> Row:
    """Check a step and record its event."""
    step = step_of(kind, name)
    assert step.permission is not None
    person.require(step.permission)
    matter = matter_of(act.connection, case)
    check_state(kind, step, matter, act.at)
    at, day_only = read_at(given.get("at"), act.at)
    if not step.any_time:
        _check_order(matter.course, at)
    facts = read_facts(step.asks, {key: value for key, value in given.items() if key not in OF_CASE})
    facts = step.check(Taken(act.connection, matter, facts, at, act.reason))
    if day_only:
        facts["day_only"] = True
    event = _event(act, f"case {name}", case, name, at, facts)
    _settle(act, f"case {name}", case)
    return event


def check_state(kind: Kind, step: Step, matter: Matter, now: datetime) -> None:
    """Refuse a step in a state that does not allow it; states are told by the names that a case's page has."""
    if matter.course.state not in step.states:
        found = kind.named(matter, now)[1].title
        titles = [title for state in sorted(step.states) for title in _titles(kind, step, kind.states[state])]
        expected = f"“{'” or “'.join(titles)}”, to {_does(step)}"
        raise CaseStateError.of("state", f"“{found}”", expected)


def _titles(kind: Kind, step: Step, state: State) -> list[str]:
    """Return what a state is called while its clock runs and when that is over, as far as a step is allowed then."""
    over = [kind.over[state.over].title] if state.over else []
    return over if over and step.after_clock else [state.title, *over]


def _does(step: Step) -> str:
    return f"{step.title[:1].lower()}{step.title[1:]}"


def check_time(kind: Kind, step: Step, matter: Matter, now: datetime) -> None:
    """Refuse to begin a step that the law allows only after the case's clock, while that runs; say when it ends."""
    clock = kind.clock(matter) if step.after_clock else None
    if clock is not None and clock.deadline.over(now) is False:
        ends = [clock.deadline.day, clock.deadline.alternative]
        last = min((day for day in ends if isinstance(day, date) and not isinstance(day, datetime)), default=None)
        expected = f"a day after {said_day(last) if last else 'the days that run'}, to {_does(step)} (§ {step.section})"
        raise CaseStateError.of("date", said_day(now.astimezone(LOCAL).date()), expected)


def _check_order(course: Course, at: datetime) -> None:
    """Refuse what would have happened on a day before that of what led to the state."""
    since = course.since
    if since is not None and at.astimezone(LOCAL).date() < since.astimezone(LOCAL).date():
        expected = f"on or after {said_day(since.astimezone(LOCAL).date())}, when the case came to where it is"
        raise StreetsError.of("at", said_instant(at), expected)


def _event(act: Act, does: str, case: Row, what: str, at: datetime, facts: Facts) -> Row:
    values = {"case_id": case["id"], "what": what, "at": at, "facts": facts, "reason": act.reason}
    return registers.insert(act, does, case_events, {**values, "made_at": act.at, "made_by": act.actor.name})


def _settle(act: Act, does: str, case: Row, moved: Mapping[str, Any] | None = None) -> Row:
    """Write what a case's events now make of it: its state, whether it is closed, and when its clock ends."""
    kind, now = KINDS[case["kind"]], {**case, **(moved or {})}
    matter = matter_of(act.connection, now)
    state, clock = matter.course.state, kind.clock(matter)
    is_open = kind.states[state].open
    if is_open and case["closed_at"] is not None:
        _check_alone(act.connection, matter)
    changes = {
        **(moved or {}),
        "state": state,
        "closed_at": None if is_open else case["closed_at"] or act.at,
        "due_at": clock.deadline.due_at if clock else None,
        "over_at": clock.deadline.over_at if clock else None,
    }
    changed = {name: value for name, value in changes.items() if case[name] != value}
    return registers.update(act, does, cases, case, changed) if changed else case


def _check_alone(connection: Connection, matter: Matter) -> None:
    """Refuse that a case is open again where its address is retired or has another open one."""
    address = matter.address
    if address is None:
        return
    if address["status"] == "retired":
        raise CaseStateError.of("address", f"{address['full']}, retired", "a case on an address that is in use")
    other = open_on(connection, matter.case["kind"], address["id"])
    if other:
        raise CaseStateError.of("address", f"case {other['id']}, open on {address['full']}", "no other open case on it")


# --- what follows from acts on addresses ---


def follow(act: Act, old: Row, new: Row) -> None:
    """Lead the open cases of a renumbered address over to its new number, with the clock of the new assigning.

    A notice that was served required the old number, so it has lapsed; the case begins anew.

    Parameters
    ----------
    act
        The renumbering.
    old, new
        The address retired, and the one that replaces it.
    """
    facts = {"from": old["id"], "from_address": old["full"], "to": new["id"], "to_address": new["full"]}
    for case in _open_cases(act.connection, old["id"]):
        _event(act, "renumber", case, "renumber", act.at, facts)
        _settle(act, "renumber", case, {"address_id": new["id"], "place": new["full"]})


def close_retired(act: Act, address: Row, does: str = "retire") -> None:
    """Close the open cases of an address that is retired and that nothing replaces."""
    for case in _open_cases(act.connection, address["id"]):
        _event(act, does, case, "retire", act.at, {"address": address["full"]})
        _settle(act, does, case)


def take_back(act: Act, event: Row) -> None:
    """Undo the event of a case that followed from an act on its address, with that act."""
    case = get(act.connection, event["case_id"])
    _event(act, "undo", case, UNDO, act.at, {"event": event["id"]})


def _open_cases(connection: Connection, address_id: int) -> list[Row]:
    return registers.rows(connection, cases, cases.c.address_id == address_id, cases.c.closed_at.is_(None))


def on_address(connection: Connection, address_id: int) -> list[Row]:
    """Return the cases on an address, the open one first, then the latest."""
    order = [cases.c.closed_at.is_not(None), cases.c.id.desc()]
    return registers.rows(connection, cases, cases.c.address_id == address_id, order=order)


# --- a document that a step issues ---


def check_document(
    connection: Connection, person: Person, case_id: int, given: Mapping[str, Any], now: datetime
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
    given
        The facts of the step that issues it, perhaps a ``reason``.
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
    step = next(step for step in kind.steps.values() if step.document)
    assert step.permission is not None
    person.require(step.permission)
    matter = matter_of(connection, case)
    check_state(kind, step, matter, now)
    facts = read_facts(step.asks, {key: value for key, value in given.items() if key not in OF_CASE})
    return step.check(Taken(connection, matter, facts, now, _reason(given.get("reason"), needed=step.reason)))


def record_document(act: Act, case_id: int, facts: Facts) -> Row:
    """Record that a document of a case was issued, in the transaction that keeps it."""
    case = get(act.connection, case_id)
    name = next(name for name, step in KINDS[case["kind"]].steps.items() if step.document)
    return _event(act, f"case {name}", case, name, act.at, facts)
