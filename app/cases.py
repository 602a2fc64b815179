"""Cases and permits: opened, joined, led from state to state by recorded events, undone; the same for every kind.

An event says what happened, when it happened in the world (`at`) and when it was recorded (`made_at`). The state of a
case is what its standing events make of it, so that undoing one is an event of its own and nothing is ever lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import case_times, case_works, registers
from app.audit import Act
from app.auth import Person
from app.case_facts import Facts, read_at, read_facts
from app.case_tables import case_events, cases
from app.casebook import KINDS, CaseStateError, NoCaseError, get, kind_of, matter_of, open_on, step_of
from app.casework import UNDO, Course, Kind, Matter, State, Step, Taken
from app.clocks import LOCAL, said_day, said_instant
from app.db import Database
from app.once import once
from app.registers import Row
from app.settings import plain
from app.tables import addresses, locations
from gis.errors import StreetsError

Json = dict[str, Any]
OF_STEP = ("at", "reason")
"""What a request says beside the facts of its step."""
OF_CASE = (*OF_STEP, "kind", "address_id")
"""What it says beside the facts of the step that opens a case."""
PLACE = ("geometry", "crs", "datum", "epoch", "accuracy_ft")
"""What a request says of an outline, where it is read as the fact ``place``."""
AT_ONCE = timedelta(minutes=1)
"""What is recorded within this time of its happening is not dated back."""


def open_case(
    database: Database,
    person: Person,
    given: Mapping[str, Any],
    now: datetime,
    key: str = "",
    known: Callable[[Connection], Facts] | None = None,
) -> Json:
    """Open a case of a kind, or join the one that is open on the same address where the kind is of addresses.

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
    known
        Returns facts that do not come from who asks, such as where it is and what was measured there.

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
        _check_desk(kind, known)
        address = _address(connection, given.get("address_id"), needed=kind.joins)
        case = open_on(connection, kind.key, address["id"]) if kind.joins and address else None
        act = Act(connection, person.actor, read_reason(given.get("reason"), needed=False), now)
        joined = case is not None
        case = case or _new(act, kind, address)
        event = _record(act, person, kind, case, kind.opening, given, known(connection) if known else {})
        return {"id": case["id"], "number": case["number"], "event": event["id"], "joined": joined}

    return _acted(database, person, key, {"open": dict(given)}, do)


def take(
    database: Database,
    person: Person,
    case_id: int,
    name: str,
    given: Mapping[str, Any],
    now: datetime,
    key: str = "",
    known: Callable[[Connection], Facts] | None = None,
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
    known
        As `open_case` takes it.

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
        _check_desk(kind, known)
        if kind.book == "permit" and name == kind.opening:
            raise CaseStateError.of("step", name, "an amendment: the permit was applied for")
        if step.document:
            raise CaseStateError.of("step", name, "to be issued as a document, not recorded")
        act = Act(connection, person.actor, read_reason(given.get("reason"), needed=step.reason), now)
        event = _record(act, person, kind, case, name, given, known(connection) if known else {})
        return {"id": case_id, "event": event["id"]}

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
        act = Act(connection, person.actor, read_reason(reason, needed=True), now)
        last, why = last_event(matter_of(connection, case, now))
        if why or last is None:
            raise CaseStateError(why)
        permission = KINDS[case["kind"]].steps[last["what"]].permission
        assert permission is not None
        person.require(permission)
        event = add_event(act, "case undo", case, UNDO, now, {"event": last["id"]})
        settle(act, "case undo", case)
        return {"id": case_id, "event": event["id"]}

    return _acted(database, person, key, {"case": case_id, "step": UNDO, "reason": reason}, do)


def last_event(matter: Matter) -> tuple[Row | None, str]:
    """Return the last standing event of a case, and why it cannot be undone where it cannot."""
    every = (*matter.course.earlier, *matter.course.events)
    if not every:
        return None, "Nothing was recorded."
    last, step = every[-1], KINDS[matter.case["kind"]].steps[every[-1]["what"]]
    if len(every) == 1:
        return last, "What opened it is not undone: withdraw it, or close it by another step."
    if step.document:
        return last, f"{last['facts'].get('number', 'A document')} was issued and stays as issued; issue a new one."
    return last, "" if step.undoable else "It follows from an act on the address: undo that act."


def _check_desk(kind: Kind, known: Callable[[Connection], Facts] | None) -> None:
    """Refuse to act on a permit without what is measured for it, as if it were a case of another kind."""
    if kind.book == "permit" and known is None:
        raise NoCaseError.of("kind", kind.title.lower(), "a case: permits are acted on at /api/v1/permits")


def _acted(database: Database, person: Person, key: str, asked: Json, do: Callable[[Connection], Json]) -> Json:
    with database.write() as connection:
        return once(connection, person.actor, key, asked, lambda: do(connection))


def read_reason(value: object, *, needed: bool) -> str:
    """Read why a step is taken.

    Raises
    ------
    StreetsError
        It is needed and not given, or too long.
    """
    text = " ".join(plain(value, "reason").split()) if isinstance(value, str) else ""
    if needed and not text:
        raise StreetsError.of("reason", "nothing", "why it is done; it is recorded with it")
    if len(text) > 2000:
        raise StreetsError.of("reason", f"{len(text)} characters", "at most 2000")
    return text


def _address(connection: Connection, value: object, *, needed: bool) -> Row | None:
    if value is None and not needed:
        return None
    number = value if isinstance(value, int) and not isinstance(value, bool) else 0
    row = registers.find(connection, addresses, number) if 0 < number <= 2_000_000_000 else None
    if row is None:
        raise StreetsError.of("address_id", str(value)[:60] if value else "nothing", "the id of an address")
    if row["status"] == "retired":
        raise CaseStateError.of("address_id", f"{row['full']}, retired", "an address that is in use")
    return row


def _new(act: Act, kind: Kind, address: Row | None) -> Row:
    values: Json = {"kind": kind.key, "state": kind.first, "facts": {}, "place": "", "address_id": None}
    if address is not None:
        place = registers.get(act.connection, locations, address["location_id"])
        values |= {"place": address["full"], "address_id": address["id"], "street": address["street"]}
        values |= {"lon": place["lon"], "lat": place["lat"]}
    values |= {"number": _number(act, kind.prefix) if kind.prefix else None}
    return registers.insert(act, "case open", cases, {**values, "opened_at": act.at, "opened_by": act.actor.name})


def _number(act: Act, prefix: str) -> str:
    """Return the next number of a kind in the year, such as ``SO-2026-0007``."""
    begun = f"{prefix}-{act.at.astimezone(LOCAL).year}-"
    asked = sa.select(cases.c.number).where(cases.c.number.like(f"{begun}%")).order_by(cases.c.id.desc()).limit(1)
    last = act.connection.execute(asked).scalar_one_or_none()
    return f"{begun}{int(last.rpartition('-')[2]) + 1 if last else 1:04d}"


def _record(act: Act, person: Person, kind: Kind, case: Row, name: str, given: Mapping[str, Any], known: Facts) -> Row:
    """Check a step and record its event."""
    step = step_of(kind, name)
    assert step.permission is not None
    person.require(step.permission)
    matter = matter_of(act.connection, case, act.at)
    check_state(kind, step, matter, act.at)
    at, day_only = read_at(given.get("at"), act.at)
    _check_when(kind, step, matter, person, at, act.at)
    own = OF_CASE if name == kind.opening else OF_STEP
    aside = (*own, *(PLACE if "place" in known else ()))
    facts = read_facts(step.asks, {key: value for key, value in given.items() if key not in aside})
    facts = step.check(Taken(act.connection, matter, {**facts, **known}, at, act.reason, person, act.at, day_only))
    if day_only:
        facts["day_only"] = True
    if name == kind.opening and kind.book == "permit" and not given.get("at"):
        facts["undated"] = True  # a paper application may be entered long after it came in
    event = add_event(act, f"case {name}", case, name, at, facts)
    settle(act, f"case {name}", case)
    return event


def _check_when(kind: Kind, step: Step, matter: Matter, person: Person, at: datetime, now: datetime) -> None:
    """Refuse a step that did not happen when it may, or that is dated back by who may not do so."""
    earlier = now - at > AT_ONCE
    same_day = at.astimezone(LOCAL).date() == now.astimezone(LOCAL).date()
    if kind.backdating and earlier and not (step.any_time and same_day):
        person.require(kind.backdating)
    if not step.any_time:
        _check_order(matter.course, at)
    clock = kind.clock(matter) if step.before_clock else None
    if clock is not None and clock.deadline.over(at):
        end = clock.deadline.day or clock.deadline.at
        last = said_instant(end) if isinstance(end, datetime) else said_day(end) if end else ""
        expected = f"a time until {last}, to {_does(step)}: {clock.title.lower()} (§ {clock.deadline.section})"
        raise CaseStateError.of("at", said_instant(at), expected)


def check_state(kind: Kind, step: Step, matter: Matter, now: datetime) -> None:
    """Refuse a step in a state that does not allow it; states are told by the names that a case's page has."""
    if matter.course.state not in step.states:
        found = kind.named(matter, now)[1].title
        every = [title for state in sorted(step.states) for title in _titles(kind, step, kind.states[state])]
        titles = dict.fromkeys(every)
        expected = f"“{'” or “'.join(titles)}”, to {_does(step)}"
        raise CaseStateError.of("state", f"“{found}”", expected)


def _titles(kind: Kind, step: Step, state: State) -> list[str]:
    """Return what a state is called while its clock runs and when that is over, as far as a step is allowed then."""
    over = [kind.over[state.over].title] if state.over and not step.before_clock else []
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


def add_event(act: Act, does: str, case: Row, what: str, at: datetime, facts: Facts) -> Row:
    """Record an event of a case; who adds one settles the case too."""
    values = {"case_id": case["id"], "what": what, "at": at, "facts": facts, "reason": act.reason}
    return registers.insert(act, does, case_events, {**values, "made_at": act.at, "made_by": act.actor.name})


def settle(act: Act, does: str, case: Row, moved: Mapping[str, Any] | None = None) -> Row:
    """Write what a case's events now make of it: its state, its clocks, its columns, and its work on the works map.

    Parameters
    ----------
    act
        Which it belongs to.
    does
        What the act is called in the audit.
    case
        The case's row as it was read in this transaction.
    moved
        Columns that change for another reason.

    Returns
    -------
    dict
        The row as it is now.
    """
    kind, now = KINDS[case["kind"]], {**case, **(moved or {})}
    matter = matter_of(act.connection, now, act.at)
    is_open = kind.states[matter.course.state].open
    if is_open and case["closed_at"] is not None and kind.joins:
        _check_alone(act.connection, matter)
    clock = kind.clock(matter)
    changes = {
        **(moved or {}),
        **kind.columns(matter),
        "state": matter.course.state,
        "closed_at": None if is_open else case["closed_at"] or act.at,
        "due_at": clock.deadline.due_at if clock else None,
        "over_at": clock.deadline.over_at if clock else None,
    }
    if kind.work is not None:
        changes["object_id"] = case_works.put(act, does, now, kind.work(matter))
    case_times.write(act.connection, kind, matter)
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
