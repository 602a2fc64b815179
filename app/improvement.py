"""A request for an improvement (§ 288-12): presented on or before August 1 it is considered for the following year.

"Requests or petitions by Village property owners for new streets, street resurfacing, curb and gutter, storm sewers,
utility work and sidewalks shall be presented to the Village Board on or before August 1 to be considered for
installation in the following year."
"""

from __future__ import annotations

from sqlalchemy.engine import Connection

from app.auth import Permission
from app.case_facts import Asked, Facts
from app.casework import Clock, Kind, Matter, State, Step, Taken, day_of, stays, to
from app.clock_rules import RULES, considered_for, due
from app.expense import Json
from gis.errors import StreetsError

WHAT = {
    "street": "A new street",
    "resurfacing": "Street resurfacing",
    "curb": "Curb and gutter",
    "storm_sewer": "Storm sewers",
    "utility": "Utility work",
    "sidewalk": "Sidewalks",
}
OPEN = frozenset({"requested", "granted"})


def _request(taken: Taken) -> Facts:
    facts = dict(taken.facts)
    if taken.matter.address is None and not facts.get("where"):
        raise StreetsError.of("where", "nothing", "where it is wanted: in words, or an address")
    year, other = considered_for(taken.day, taken.matter.counting)
    return facts | {"considered_for": year} | ({"considered_for_other": other} if other else {})


def clocks(matter: Matter) -> list[Clock]:
    """Read the clock of a request: the August 1 by which it counts for the following year; met by its presenting."""
    asked = matter.course.first("request")
    if asked is None:
        return []
    deadline = due("improvement_request", day_of(asked), matter.counting)
    return [Clock("presented", RULES["improvement_request"].title, "", deadline, "", "owner", asked["at"])]


def remarks(_connection: Connection, matter: Matter) -> list[str]:
    """Say for which year the request is considered, and the other one where the reading is open."""
    asked = matter.course.first("request")
    if asked is None:
        return []
    year, other = considered_for(day_of(asked), matter.counting)
    told = [f"Considered for installation in {year} (§ 288-12)."]
    if other:
        told.append(f"If Wis. Stat. § 990.001(4) governs, for {other}: the last day to ask fell on a day that moves.")
    return told


def columns(matter: Matter) -> Json:
    """Read what lists look for off a request's events."""
    facts, given = matter.course.said("request", "amend"), matter.course.latest("assign")
    found: Json = {"assigned_to": given["facts"]["to"] if given else ""}
    if matter.address is None:
        found["place"] = str(facts.get("where", ""))[:300]
    return found


_DECIDED = {"granted": "Granted", "denied": "Denied", "deferred": "Deferred"}
STEPS = {
    "request": Step(
        "Record a request", "Presented", Permission.PERMITS, frozenset({"requested"}), stays, "288-12",
        (
            Asked("what", "What is asked for", choices=WHAT, needed=True),
            Asked("where", "Where", most=300),
            Asked("by", "Who asks", "Village property owners", long=True, private=True),
            Asked("note", "What it says", long=True, private=True),
        ),
        _request, any_time=True,
    ),
    "decide": Step(
        "Record the Board’s decision", "Decided", Permission.PERMITS, frozenset({"requested"}),
        lambda course, event: (
            stays if event["facts"]["decision"] == "deferred" else to(event["facts"]["decision"])
        )(course, event),
        "288-12", (Asked("decision", "What the Village Board decided", choices=_DECIDED, needed=True),), reason=True,
    ),
    "withdraw": Step(
        "Withdraw it", "Withdrawn", Permission.PERMITS, frozenset({"requested"}), to("withdrawn"), reason=True
    ),
    "close": Step("Close it: installed", "Installed", Permission.PERMITS, frozenset({"granted"}), to("installed")),
    "note": Step(
        "Add a note", "Noted", Permission.PERMITS, OPEN, stays,
        asks=(Asked("note", "Note", long=True, needed=True, private=True),), any_time=True,
    ),
    "assign": Step(
        "Give it to somebody", "Given to", Permission.PERMITS, OPEN, stays,
        asks=(Asked("to", "To whom", "The name of an officer", needed=True, most=100),), any_time=True,
    ),
}  # fmt: skip

IMPROVEMENT = Kind(
    "improvement",
    "Request for an improvement",
    "§ 288-12",
    "requested",
    "request",
    {
        "requested": State("Presented", "The Village Board considers it for the year that is said."),
        "granted": State("Granted", "It is to be installed."),
        "denied": State("Closed: denied", "The Village Board denied it.", open=False),
        "installed": State("Closed: installed", "It was installed.", open=False),
        "withdrawn": State("Closed: withdrawn", "Who asked took it back.", open=False),
    },
    {},
    STEPS,
    clocks,
    remarks,
    book="project",
    columns=columns,
    backdating=Permission.BACKDATE,
)
