"""The numbering case (§ 288-15 L, M): a building that shows no proper number, the Director's notice, and two clocks.

"If the owner or occupant of any building required to be numbered by this section shall neglect for the period of 20
days to duly attach and maintain the proper number on such building, the Director of Public Works shall serve upon him a
notice requiring such owner or occupant to properly number the same, and if he neglects to do so for 10 days after the
service of such notice, he shall be deemed to have violated this section."

Read so: who never duly attached the number neglects it from the assigning on, with the 20 days of G(2); who attached it
and does not maintain it, from the day on which that was first seen. The first report of a case decides which.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import registers
from app.auth import Permission
from app.case_facts import ADDRESSEE_LINES, MOST_ADDRESSEE, Asked, Facts
from app.case_tables import case_events, cases
from app.case_words import DEFECTS, HOW, IN_USE_AGAIN, NOT_MAINTAINED, PAYS, PENALTY, SURVEY, YES_NO
from app.casework import Clock, Course, Kind, Matter, State, Step, Taken, anew, back, looked_later, stays, to
from app.clock_rules import due
from app.clocks import LOCAL, said_day, said_instant
from app.law import law_on
from app.tables import surveys
from gis.errors import Fault, StreetsError
from gis.measure import Measured, Verdict, judge

SECTION = "288-15 M"


# --- what each step needs ---


def _report(taken: Taken) -> Facts:
    """Keep with a first report what its clock rests on: whether the number was displayed before, or brought in."""
    address = taken.matter.address
    assert address is not None
    old = registers.brought_in(taken.connection, address["id"])
    if not old and _day(taken.at) < _day(address["made_at"]):
        expected = f"on or after {said_day(_day(address['made_at']))}, when {address['full']} was assigned"
        raise StreetsError.of("at", said_day(_day(taken.at)), expected)
    if taken.facts["defect"] == "wrong" and not taken.facts.get("shown"):
        raise StreetsError.of("shown", "nothing", "the number that is shown")
    return taken.facts | ({"existing": True} if old else {}) | _displayed_before(taken, address["id"])


def _displayed_before(taken: Taken, address_id: int) -> Facts:
    mine = (cases.c.kind == NUMBERING.key) & (cases.c.address_id == address_id) & (cases.c.state == "displayed")
    asked = sa.select(case_events.c.at).join(cases).where(mine, case_events.c.what == "inspect")
    last = taken.connection.execute(asked.order_by(case_events.c.at.desc()).limit(1)).scalar_one_or_none()
    return {"displayed_before": _day(last).isoformat()} if last else {}


def _inspect(taken: Taken) -> Facts:
    """Refuse to find done what the law says is not (§ 288-15 G(2), G(3))."""
    facts = taken.facts
    if facts["found"] != "displayed":
        return facts
    since = taken.matter.course.since
    if since is not None and _day(taken.at) < _day(since):
        expected = f"on or after {said_day(_day(since))}, when the case came to where it is"
        raise StreetsError.of("at", said_instant(taken.at), expected)
    faults = [*_too_small(taken), *_misplaced(taken)]
    if faults:
        raise StreetsError("What was found is not the number duly attached.", faults)
    return facts


def _too_small(taken: Taken) -> list[Fault]:
    if "height_in" not in taken.facts:
        return []
    law = law_on(_day(taken.at))["number_height_in"]
    if height(taken.facts, float(law.value)) is not Verdict.VIOLATES:
        return []
    return [Fault("height_in", f"{taken.facts['height_in']:g} inches", f"“{law.quotation}” ({law.section})")]


def height(facts: Facts, least_in: float) -> Verdict:
    """Judge a number's measured height against the least the law allows.

    Parameters
    ----------
    facts
        With ``height_in`` and perhaps ``height_within_in``; an accuracy that was not given is not counted.
    least_in
        Inches.

    Returns
    -------
    Verdict
        Undecided where the accuracy leaves it open.
    """
    measured = Measured(facts["height_in"] / 12, facts.get("height_within_in", 0.0) / 12)
    return judge(measured, least_in / 12, at_most=False)


def _misplaced(taken: Taken) -> list[Fault]:
    facts, address = taken.facts, taken.matter.address
    if facts.get("street_line") == "yes":
        return []
    back_ft = (address or {}).get("set_back") or {}
    if back_ft.get("display") == "at_street_line" and facts.get("street_line") == "no":
        found = f"no number at the street line, {back_ft['distance_ft']:,.0f} ft from the building"
        return [Fault("street_line", found, "the number at the street line: the building is more than 50 feet from it "
                      "(§ 288-15 G(3))")]  # fmt: skip
    wrong = [key for key in ("at_door", "plain") if facts.get(key) == "no"]
    expected = {
        "at_door": "“conspicuously placed immediately above, on or at the side of the proper door”, or at the street "
        "line (§ 288-15 G(3))",
        "plain": "“so that the number can be seen plainly from the street”, or at the street line (§ 288-15 G(3))",
    }
    return [Fault(key, "no", expected[key]) for key in wrong]


def _served(taken: Taken) -> Facts:
    """Refuse a service before the 20 days of neglect are over, or of another notice than this case's own.

    A notice that was written on paper elsewhere has no number here: the reason says what was served.
    """
    _after_neglect(taken)
    every = taken.matter.course.of("issue")
    issued = [event["facts"]["number"] for event in every if _day(event["at"]) <= _day(taken.at)]
    facts = dict(taken.facts)
    if "notice" in facts and facts["notice"] not in issued:
        known = f"{' or '.join(issued)}, issued in this case" if issued else "nothing: none was issued in this case"
        expected = f"{known} by {said_day(_day(taken.at))}; one written elsewhere is told in the reason"
        raise StreetsError.of("notice", facts["notice"][:60], expected)
    if "notice" not in facts and issued:
        facts["notice"] = issued[-1]
    if "notice" not in facts:
        if not taken.reason:
            found = f"nothing: no notice was issued in this case by {said_day(_day(taken.at))}"
            expected = (
                "the notice to be issued here first, or a reason that says which notice, written elsewhere, it was"
            )
            raise StreetsError.of("notice", found, expected)
        facts["elsewhere"] = True
    if facts["how"] == "other" and not taken.reason:
        raise StreetsError.of("reason", "nothing", "how it was served")
    return facts


def _after_neglect(taken: Taken, field: str = "at", does: str = "served") -> None:
    clock = NUMBERING.clock(taken.matter)
    assert clock is not None
    over = clock.deadline.over(taken.at)
    end = said_day(clock.deadline.day) if clock.deadline.day else ""
    if over is False:
        expected = f"after {end}: the notice is for who neglected the number “for the period of 20 days” (§ {SECTION})"
        raise StreetsError.of(field, said_day(_day(taken.at)), expected)
    if over is None and not taken.reason:
        told = f"why it is {does} already: the 20 days ended {end}, but {clock.deadline.alternative_reading}"
        raise StreetsError.of("reason", "nothing", told)


def _to_issue(taken: Taken) -> Facts:
    address = taken.matter.address
    if address is None or address["status"] not in {"provisional", "official"}:
        found = f"{address['full']}, {address['status']}" if address else "none"
        raise StreetsError.of("address", found, "an address that is provisional or official")
    _after_neglect(taken, "issue", "issued")
    before = taken.matter.course.last("issue")
    if before and not taken.reason:
        found = f"{before['facts']['number']}, issued on {said_day(_day(before['at']))}"
        raise StreetsError.of("reason", found, "why a further notice is issued: one notice is served for a neglect")
    return taken.facts | ({"why": taken.reason} if taken.reason else {})


# --- clocks ---


def _day(at: Any) -> date:
    day: date = at.astimezone(LOCAL).date()
    return day


def clocks(matter: Matter) -> list[Clock]:
    """Read the clocks of M: 20 days of neglect, and 10 from the service of the notice.

    Parameters
    ----------
    matter
        The case.

    Returns
    -------
    list of Clock
        The first always; the second once a notice was served. Each with both readings where § 990.001(4) differs.
    """
    if matter.address is None or not matter.course.events:
        return []
    start, key, why = neglected_from(matter)
    if key == "place_within_days":
        neglect = replace(due("number_placed", start, matter.counting), section="288-15 G(2), M")
    else:
        neglect = due("number_neglect", start, matter.counting)
    found = [Clock("place", "The number is to be in place", "reported", neglect, why)]
    served = matter.course.last("serve")
    if served:
        comply = due("number_comply", _day(served["at"]), matter.counting)
        found.append(Clock("comply", "The notice is to be complied with", "notified", comply))
    return found


def neglected_from(matter: Matter) -> tuple[date, str, str]:
    """Return the day from which the number is neglected, the key of the law's days, and how that was read.

    Parameters
    ----------
    matter
        With its address and at least one event.

    Returns
    -------
    tuple
        The day; ``place_within_days`` or ``neglect_days``; a sentence.
    """
    assert matter.address is not None
    assigned, first = _day(matter.address["made_at"]), matter.course.events[0]
    since = f"counted from the assigning of the number on {said_day(assigned)}, for it was not duly attached since"
    if first["what"] == "renumber":
        return (
            assigned,
            "place_within_days",
            f"Read so: {since}; the case came over from {first['facts']['from_address']}.",
        )
    if first["what"] == "reopen":
        seen = max(_day(first["at"]), assigned)
        return seen, "neglect_days", f"Read so: counted from {said_day(seen)}, for it was found displayed before."
    if first["facts"].get("existing"):
        seen = _day(first["at"])
        why = "It is an existing number, brought into the register; when it was assigned is not known."
        return seen, "neglect_days", f"{why} Read so: counted from {said_day(seen)}, when it was first seen missing."
    if first["facts"]["defect"] not in NOT_MAINTAINED and "displayed_before" not in first["facts"]:
        return assigned, "place_within_days", f"Read so: {since}."
    seen = max(_day(first["at"]), assigned)
    return seen, "neglect_days", f"Read so: counted from {said_day(seen)}, when it was first seen not maintained."


def remarks(connection: Connection, matter: Matter) -> list[str]:
    """Say what a numbering case leans on that is assumed, not known or not decided."""
    told, address = [], matter.address
    if not registers.counted(connection, surveys, surveys.c.undone_at.is_(None)):
        told.append(SURVEY)
    if address and address["status"] == "provisional":
        told.append("The number is provisional: no map that has it is adopted, so it is not an official number yet.")
    if address and address["status"] == "proposed":
        told.append("The number is only proposed: an officer confirms it before a notice can be issued.")
    if address and address["status"] == "retired":
        told.append("The address is retired.")
    elif _in_use_again(matter):
        told.append(IN_USE_AGAIN)
    told += _overtaken(matter.course)
    lapsed = matter.course.events and matter.course.events[0]["what"] == "renumber"
    if lapsed and any(event["what"] == "serve" for event in matter.course.earlier):
        told.append(
            f"The notice that was served required {matter.course.events[0]['facts']['from_address']}: it has lapsed."
        )
    if matter.course.state == "notified":
        told.append(PENALTY)
    return told


def _in_use_again(matter: Matter) -> bool:
    last = matter.course.events[-1] if matter.course.events else None
    return bool(last and last["what"] == "retire" and matter.address and matter.address["status"] != "retired")


def _overtaken(course: Course) -> list[str]:
    """Tell of inspections that found the number up, and that a later look overtakes."""
    if course.state not in OPEN:
        return []
    found = [event for event in course.of("inspect") if event["facts"]["found"] == "displayed"]
    return [
        f"The inspection of {said_day(_day(event['at']))} found the number up; somebody looked again on "
        f"{said_day(_day(later['at']))}: the later look decides."
        for event in found
        if (later := looked_later(course, event, LOOKS))
    ]


def likely(matter: Matter, over: bool | None) -> str:
    """Return the step that is likely next: the notice once the 20 days are over, else an inspection."""
    if _in_use_again(matter):
        return "reopen"
    if matter.course.state != "reported" or over is False:
        return "inspect"
    return "serve" if matter.course.last("issue") else "issue"


# --- the kind ---

OPEN = frozenset({"reported", "notified"})
LOOKS = frozenset({"report", "inspect"})
"""Events in which somebody saw the building."""
CLOSED = frozenset({"displayed", "withdrawn", "dismissed"})
_MEASURED = (
    Asked("height_in", "Height of the number, inches", "If it was measured, such as 2 1/2", type="in", aside=True),
    Asked(
        "height_within_in",
        "Measured to within, inches",
        "Such as 1/16; not counted where left empty",
        type="in",
        aside=True,
    ),
)
_NOTE = Asked("note", "What was seen", "In a sentence, if there is more to say", long=True, private=True)


def _closes(state: str) -> Any:
    def lead(course: Course, event: registers.Row) -> Course:
        closes = event["facts"]["found"] == "displayed" and looked_later(course, event, LOOKS) is None
        return to(state)(course, event) if closes else stays(course, event)

    return lead


def _reopens(course: Course, event: registers.Row) -> Course:
    """Begin anew where the number had been found displayed; else go on where the case was closed."""
    return anew("reported")(course, event) if course.state == "displayed" else back(course, event)


STEPS = {
    "report": Step(
        "Report a violation",
        "Reported",
        Permission.REPORT_VIOLATION,
        OPEN,
        stays,
        "288-15 L",
        (
            Asked("defect", "What is wrong", choices=DEFECTS, needed=True),
            Asked("shown", "The number that is shown", "If it is another one", most=40),
            *_MEASURED,
            _NOTE,
            Asked("by", "Who saw it", "If it was not you", private=True, aside=True, most=200),
        ),
        _report,
        any_time=True,
    ),
    "inspect": Step(
        "Record an inspection",
        "Inspected",
        Permission.INSPECT,
        OPEN,
        _closes("displayed"),
        "288-15 G(3)",
        (
            Asked(
                "found",
                "What was found",
                choices={
                    "displayed": "The proper number is duly attached",
                    "not_displayed": "The proper number is not duly attached",
                },
                needed=True,
            ),
            Asked("at_door", "Is it immediately above, on or at the side of the proper door?", choices=YES_NO),
            Asked("plain", "Can it be seen plainly from the street?", choices=YES_NO),
            Asked("street_line", "Is it displayed at the street line too?", choices=YES_NO),
            Asked("street_edge", "Is it on the street edge of the property (§ 288-16)?", choices=YES_NO),
            *_MEASURED,
            _NOTE,
        ),
        _inspect,
        any_time=True,
        help="What was not looked at is left open.",
    ),
    "issue": Step(
        "Issue the violation notice",
        "Notice issued",
        Permission.ISSUE,
        frozenset({"reported"}),
        stays,
        SECTION,
        (
            Asked(
                "addressee",
                "To",
                "Name of owner, occupant or agent if known, and where it goes; a line each",
                long=True,
                private=True,
                most=MOST_ADDRESSEE * ADDRESSEE_LINES + ADDRESSEE_LINES,
                lines=ADDRESSEE_LINES,
            ),
            Asked("pays", "Who pays for the number (§ 288-15 G(2))", choices=PAYS, needed=True),
        ),
        _to_issue,
        undoable=False,
        document="violation",
        offers_reason=True,
        after_clock=True,
        help="The notice is kept as issued. The 10 days begin when the Director records its service.",
    ),
    "serve": Step(
        "Record the service of the notice",
        "Notice served",
        Permission.SERVE_NOTICE,
        frozenset({"reported"}),
        to("notified"),
        SECTION,
        (
            Asked("how", "How it was served", choices=HOW, needed=True),
            Asked("on", "On whom", "Owner or occupant; a name if it is known", private=True, most=200),
            Asked("by", "By whom", "If it was not you", private=True, most=200),
            Asked("notice", "Number of the notice", "The one issued last in this case where left empty", most=40),
        ),
        _served,
        offers_reason=True,
        after_clock=True,
        help="“the Director of Public Works shall serve upon him a notice”. The section does not say how.",
    ),
    "note": Step(
        "Add a note",
        "Noted",
        Permission.REPORT_VIOLATION,
        OPEN | CLOSED,
        stays,
        asks=(Asked("note", "Note", long=True, needed=True, private=True),),
        any_time=True,
    ),
    "withdraw": Step(
        "Withdraw the report",
        "Withdrawn",
        Permission.REPORT_VIOLATION,
        frozenset({"reported"}),
        to("withdrawn"),
        reason=True,
    ),
    "dismiss": Step("Dismiss the case", "Dismissed", Permission.CLOSE_CASE, OPEN, to("dismissed"), reason=True),
    "reopen": Step(
        "Reopen the case",
        "Reopened",
        Permission.CLOSE_CASE,
        CLOSED,
        _reopens,
        reason=True,
        help="A case closed because the number was up begins anew with 20 days; another goes on where it was.",
    ),
    "renumber": Step("", "The address was renumbered", None, OPEN, anew("reported"), undoable=False),
    "retire": Step("", "The address was retired", None, OPEN, to("dismissed"), undoable=False),
}

NUMBERING = Kind(
    "numbering",
    "Number not displayed",
    "§ 288-15 L, M",
    "reported",
    "report",
    {
        "reported": State("20 days running", "The number is to be in place before they end.", over="neglect"),
        "notified": State(
            "Notice served, 10 days running", "The number is to be up before they end.", over="violation"
        ),
        "displayed": State(
            "Closed: number displayed", "An inspection found the proper number duly attached.", open=False
        ),
        "withdrawn": State("Closed: report withdrawn", "Whoever reported it took it back.", open=False),
        "dismissed": State("Closed: dismissed", "It was closed without the number.", open=False),
    },
    {
        "neglect": State(
            "Neglected 20 days",
            "The Director of Public Works shall serve a notice, unless the number is up meanwhile.",
        ),
        "violation": State(
            "Violation",
            "Whoever neglected the number for 10 days after the service is deemed to have violated the section. If "
            "no inspection was recorded since, one should say whether the number is up.",
        ),
    },
    STEPS,
    clocks,
    remarks,
    likely,
    joins=True,
)
