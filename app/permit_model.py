"""What every permit for the street has: its states and common steps, what stands in its way, and what is measured.

A permit is led draft -> complete -> approved or refused -> active -> closed, expired or revoked. That it has expired is
read off its clock and never recorded. What the law leaves to an officer or a body is a recorded decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from app.auth import Permission, offices_of
from app.case_facts import Asked, Facts
from app.casework import Course, Matter, State, Step, Taken, day_of, happened_at, stays, to
from app.clock_rules import LATEST_YEAR
from app.clocks import LOCAL
from app.law import Law, law_on
from app.registers import Row
from gis.errors import Fault, StreetsError

Json = dict[str, Any]
DRAFT, COMPLETE, APPROVED, ACTIVE = "draft", "complete", "approved", "active"
OPEN = frozenset({DRAFT, COMPLETE, APPROVED, ACTIVE})
PENDING = frozenset({DRAFT, COMPLETE})
GRANTED = frozenset({APPROVED, ACTIVE})
CLOSED = frozenset({"refused", "withdrawn", "closed", "revoked"})
APPLICATION = ("apply", "amend")
"""Steps whose facts together are the application."""
YES = {"yes": "yes"}
YES_NO = {"yes": "yes", "no": "no"}
BODIES = {
    "board": "The Village Board",
    "designee": "The Board’s designee",
    "committee": "The Streets Committee",
    "director": "The Director of Public Works",
    "clerk": "The Village Clerk-Treasurer",
    "police": "The Chief of Police / Officer in Charge",
    "inspector": "The Building Inspector",
}
_OF_OFFICE = {
    "director": Permission.AS_DIRECTOR,
    "clerk": Permission.AS_CLERK,
    "police": Permission.AS_POLICE,
    "inspector": Permission.AS_INSPECTOR,
}
SIDES = {"both": "both", "north": "northbound", "south": "southbound", "east": "eastbound", "west": "westbound"}


# --- what stands in the way ---


@dataclass(frozen=True)
class Hindrance:
    """One thing that stands in the way of a step, the section it stands on, and what would cure it.

    Parameters
    ----------
    key
        Its name: the field of the fault.
    section
        Of the law, without the sign.
    found
        What was found.
    cure
        What would cure it.
    """

    key: str
    section: str
    found: str
    cure: str

    @property
    def fault(self) -> Fault:
        """The fault that a refused request names."""
        return Fault(self.key, self.found, f"{self.cure} (§ {self.section})")


class HinderedError(StreetsError):
    """The law does not allow a step as things are; each fault names the section and what would cure it."""


def refuse_if(hindrances: Iterable[Hindrance], told: str) -> None:
    """Refuse a step that something stands in the way of.

    Raises
    ------
    HinderedError
        Naming all of it.
    """
    faults = [one.fault for one in hindrances]
    if faults:
        raise HinderedError(told, faults)


def lacking(facts: Mapping[str, Any], asks: Sequence[Asked], keys: Mapping[str, str]) -> list[Hindrance]:
    """Return what an application lacks, each with the section that asks for it."""
    labels = {asked.key: asked.label for asked in asks}
    return [
        Hindrance(key, section, "nothing", f"{labels[key].lower()}: the application is to say it")
        for key, section in keys.items()
        if not facts.get(key)
    ]


# --- decisions ---


@dataclass(frozen=True)
class Decision:
    """A discretion that the law gives somebody, to be recorded.

    Parameters
    ----------
    title
        What is decided, in words.
    section
        Of the law.
    by
        Who may decide it; keys of `BODIES`.
    """

    title: str
    section: str
    by: tuple[str, ...]


def check_decision(decisions: Mapping[str, Decision]) -> Callable[[Taken], Facts]:
    """Return the check of a recorded decision: made by who may make it, and recorded by that officer or for a body."""

    def check(taken: Taken) -> Facts:
        decision, by = decisions[taken.facts["decision"]], taken.facts["by"]
        if by not in decision.by:
            expected = " or ".join(BODIES[one] for one in decision.by)
            raise StreetsError.of("by", BODIES[by], f"{expected} (§ {decision.section})")
        check_office(taken, by)
        return taken.facts

    return check


def check_office(taken: Taken, by: str) -> None:
    """Refuse that somebody records an officer's own act who is not that officer; a body's act is recorded for it.

    Raises
    ------
    StreetsError
        Naming who may.
    """
    own = _OF_OFFICE.get(by)
    if own is not None and not taken.person.may(own):
        held = ", ".join(sorted(taken.person.roles)) or "no role"
        raise StreetsError.of(
            "by", f"{BODIES[by]}, recorded by {taken.person.name} ({held})", f"who may {own.value}: {offices_of(own)}"
        )


def decided(course: Course, what: str, by: datetime | None = None) -> Row | None:
    """Return the last standing decision of a kind; of those made by a day where that of an act is given."""
    found = [one for one in course.of("decide") if one["facts"]["decision"] == what and (by is None or was_by(one, by))]
    return max(found, key=happened_at, default=None)


def was_by(event: Row, at: datetime) -> bool:
    """Say whether something had happened when another thing did, or happened on the same day."""
    return day_of(event) <= at.astimezone(LOCAL).date()


def decide_step(decisions: Mapping[str, Decision], states: frozenset[str]) -> Step:
    """Return the step that records a decision."""
    return Step(
        "Record a decision",
        "Decided",
        Permission.PERMITS,
        states,
        stays,
        asks=(
            Asked(
                "decision", "What is decided", choices={key: one.title for key, one in decisions.items()}, needed=True
            ),
            Asked("by", "Who decides", choices={key: BODIES[key] for key in _deciders(decisions)}, needed=True),
            Asked("text", "The decision, in words", "With its conditions, if it has any", long=True),
            Asked("cents", "An amount it names", "In dollars, where it is of one", type="cents", aside=True),
        ),
        check=check_decision(decisions),
        reason=True,
        any_time=True,
        help="What the law leaves to an officer or a body is recorded with the day, who decided, and why.",
    )


def _deciders(decisions: Mapping[str, Decision]) -> list[str]:
    named = {by for one in decisions.values() for by in one.by}
    return [key for key in BODIES if key in named]


# --- fees ---

NOT_SET = "fee not set (§ 173-1)"


# --- the common steps ---

NOTE = Asked("note", "Note", long=True, needed=True, private=True)
APPLICANT = (
    Asked("applicant", "Applicant", "Name and address; a line each", long=True, private=True, most=606, lines=6),
    Asked("contact", "Telephone or e-mail", private=True, most=200),
)
WHERE = (
    Asked("location", "General location of the work", "Such as: 100 block, west side, in front of 145", most=300),
    Asked("starts_on", "First day of the work", "As it is planned", type="day"),
    Asked("ends_on", "Last day of the work", "As it is planned", type="day"),
)
DAYS = ("starts_on", "ends_on", "loss_at")
"""What an application says is planned."""
PLACED = ("lon", "lat", "street", "shape", "west_ft", "south_ft", "east_ft", "north_ft")
"""What the place of an application has, put into columns of the permit."""


def application(matter: Matter) -> Facts:
    """Return what the application says now: the first form and every amendment, the last word on each fact.

    An application on paper may be entered long after it came in: what amends it counts after it, whenever that was.
    """
    return {**matter.course.said(APPLICATION[0]), **matter.course.said(APPLICATION[1])}


def check_days(taken: Taken) -> Facts:
    """Refuse a last day before the first, and days that no clock can be counted from."""
    facts = {**application(taken.matter), **taken.facts}
    first, last = facts.get("starts_on"), facts.get("ends_on")
    for key in DAYS:
        if key in taken.facts:
            _check_counted(taken.facts[key], key)
    if first and last and last < first:
        raise StreetsError.of("ends_on", last, f"a day from {first} on, the first day of the work")
    return taken.facts


def _check_counted(text: str, key: str) -> None:
    day = date.fromisoformat(text[:10])
    if day.year >= LATEST_YEAR:
        raise StreetsError.of(key, text, f"a day before the year {LATEST_YEAR}")
    try:
        law_on(day)
    except StreetsError as error:
        raise StreetsError(error.message, [replace(fault, field=key) for fault in error.faults]) from error


def granted(course: Course) -> Row | None:
    """Return the event of approval."""
    return course.latest("approve")


def states(*, expires: bool, words: Mapping[str, tuple[str, str]] | None = None) -> dict[str, State]:
    """Return the states of a permit; those after approval have a clock where the permit expires."""
    over = "expired" if expires else ""
    found = {
        DRAFT: State("Draft", "The application is being written; it is not applied for yet."),
        COMPLETE: State("Complete", "Sufficient information was submitted: it waits to be approved or refused."),
        APPROVED: State("Approved", "The work has not begun.", over=over),
        ACTIVE: State("Active", "The work has begun.", over=over),
        "refused": State("Refused", "The reason names the section and what would cure it.", open=False),
        "withdrawn": State("Withdrawn", "The applicant took the application back.", open=False),
        "closed": State("Closed", "The work is done and what was to be restored is restored.", open=False),
    }
    return found | {key: State(*text) for key, text in (words or {}).items()}


EXPIRED = {
    "expired": State("Expired", "Its days are over. What it opened or occupied is still to be restored or left.")
}


def common_steps(asks: tuple[Asked, ...], decisions: Mapping[str, Decision], *, section: str) -> dict[str, Step]:
    """Return the steps that permits of every kind have.

    Parameters
    ----------
    asks
        What the application says.
    decisions
        What may be decided.
    section
        Of the law: who asks for the application.

    Returns
    -------
    dict
        By name: apply, amend, return, decide, refuse, withdraw, note, assign.
    """
    clerk = Permission.PERMITS
    steps = {
        "apply": Step("Apply", "Applied", clerk, frozenset({DRAFT}), stays, section, asks, check_days, any_time=True),
        "amend": Step(
            "Amend the application", "Amended", clerk, frozenset({DRAFT}), stays, section, asks, check_days,
            any_time=True,
        ),
        "return": Step(
            "Return it to the applicant", "Returned", clerk, frozenset({COMPLETE}), to(DRAFT), section, reason=True,
            help="The reason says what is missing.",
        ),
        "refuse": Step(
            "Refuse it", "Refused", clerk, frozenset({COMPLETE}), to("refused"), section,
            (
                Asked("under", "Section it is refused under", "Such as § 288-6 A", needed=True, most=80),
                Asked("cure", "What would cure it", long=True, needed=True),
            ),
            reason=True,
        ),
        "withdraw": Step(
            "Withdraw the application", "Withdrawn", clerk, frozenset({DRAFT, COMPLETE, APPROVED}), to("withdrawn"),
            reason=True,
        ),
        "issue": Step(
            "Issue the permit’s document", "Document issued", Permission.ISSUE, GRANTED, stays, section,
            undoable=False, document="permit", help="It is kept as issued; a later correction is a new document.",
        ),
        "note": Step("Add a note", "Noted", Permission.INSPECT, OPEN | CLOSED, stays, asks=(NOTE,), any_time=True),
        "assign": Step(
            "Give it to somebody", "Given to", clerk, OPEN, stays,
            asks=(Asked("to", "To whom", "The name of an officer", needed=True, most=100),), any_time=True,
        ),
    }  # fmt: skip
    if decisions:
        steps["decide"] = decide_step(decisions, OPEN)
    return steps


def columns(matter: Matter) -> Json:
    """Read what lists and maps look for off a permit's events."""
    facts, given = application(matter), matter.course.latest("assign")
    place = facts.get("place") or {}
    found: Json = {
        "place": str(facts.get("location") or place.get("told") or (matter.address or {}).get("full") or "")[:300],
        "assigned_to": given["facts"]["to"] if given else "",
        "starts_on": _day(facts.get("starts_on")),
        "ends_on": _day(facts.get("ends_on")),
    }
    if place:
        found |= {name: place[name] for name in PLACED}
    elif matter.case["shape"] is not None:  # the amendment that drew it was undone
        found |= _unplaced(matter)
    return found


def _unplaced(matter: Matter) -> Json:
    """Return the columns of a permit whose outline was taken back; near its address it stays on the map."""
    found: Json = dict.fromkeys(("shape", "west_ft", "south_ft", "east_ft", "north_ft"))
    if matter.address is not None:
        return found | {"street": matter.address["street"]}
    return found | {"street": "", "lon": None, "lat": None}


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def work(matter: Matter, kind: str, until: date | None, done: Row | None, what: str) -> Json | None:
    """Return the work that a permit puts on the works map; None where it has none, or no outline.

    Parameters
    ----------
    matter
        The permit.
    kind
        ``opening`` or ``obstruction``.
    until
        The last day that it may be there.
    done
        The event with which it was restored or left.
    what
        What the permit is, as the right of the work cites it.

    Returns
    -------
    dict or None
        Columns of the work.
    """
    facts, course = application(matter), matter.course
    place, begun, approved = facts.get("place"), course.first("start"), granted(course)
    if not place:
        return None
    planned = (_day(facts.get("starts_on")), _day(facts.get("ends_on")))
    first = day_of(begun) if begun else planned[0] or (day_of(approved) if approved else None)
    last = until if begun or planned[1] is None else min(filter(None, (planned[1], until)))
    if first and last and last < first:  # it was planned for days that the permit does not reach
        last = planned[1] or first
    right = None
    if approved and until:
        right = {
            "kind": what,
            "act": matter.case["number"],
            "from": day_of(approved).isoformat(),
            "until": until.isoformat(),
        }
    box = {
        name: place[name] for name in ("lon", "lat", "street", "shape", "west_ft", "south_ft", "east_ft", "north_ft")
    }
    told = {"permit": matter.case["number"]} | {key: facts[key] for key in ("direction",) if facts.get(key)}
    return {
        **box,
        "kind": kind,
        "label": matter.case["number"],
        "accuracy_ft": place.get("accuracy_ft"),
        "facts": told,
        "emergency": facts.get("emergency") == "yes",
        "starts_on": first,
        "ends_on": last,
        "restored_on": day_of(done) if done else None,
        "authorisation": right,
    }


def said_law(law: Law, key: str) -> str:
    """Return the sentence of a number of the law."""
    return f"“{law[key].quotation}”"
