"""The sidewalk permit (§ 288-4 C): obtained seven days before the work, without a fee.

"No person shall hereafter lay, remove, replace or repair any public sidewalks within the Village of Benton unless he
is under contract with the Village to do such work or has obtained a permit from the Village at least seven days before
work is proposed to be undertaken. No fee shall be charged for such permits."
"""

from __future__ import annotations

from datetime import date

from sqlalchemy.engine import Connection

from app import slips
from app.auth import Permission
from app.case_facts import Asked, Facts
from app.casework import Clock, Kind, Matter, Step, Taken, day_of, to
from app.clock_rules import RULES, due
from app.clocks import said_day
from app.permit_model import (
    ACTIVE,
    APPLICANT,
    APPROVED,
    BODIES,
    COMPLETE,
    DRAFT,
    GRANTED,
    WHERE,
    YES,
    Decision,
    Hindrance,
    application,
    columns,
    common_steps,
    decided,
    granted,
    lacking,
    refuse_if,
    states,
)

WORK = {"lay": "Lay", "remove": "Remove", "replace": "Replace", "repair": "Repair"}
STANDARD = "Standard Specifications for Public Works"
DECISIONS = {"contract": Decision("The work is under contract with the Village", "288-4 C", ("board", "clerk"))}
ASKS = (
    *APPLICANT,
    Asked("does", "What is done to the sidewalk", choices=WORK),
    *WHERE,
    Asked("nature", "What the work is", long=True),
)
NEEDED = {"applicant": "288-4 C", "does": "288-4 C", "location": "288-4 C"}


def _complete(taken: Taken) -> Facts:
    refuse_if(lacking(application(taken.matter), ASKS, NEEDED), "The application is not complete.")
    return taken.facts


def _start(taken: Taken) -> Facts:
    """Refuse work before the seventh day after the permit was obtained, unless the Village's contract has it done."""
    first = _from(taken.matter)
    if first is not None and taken.day < first and not decided(taken.matter.course, "contract", taken.at):
        cure = f"{said_day(first)} or later: “has obtained a permit from the Village at least seven days before work”"
        refuse_if([Hindrance("at", "288-4 C", said_day(taken.day), cure)], "The work may not begin yet.")
    return taken.facts


def _close(taken: Taken) -> Facts:
    """Refuse to close a sidewalk that is not to the standard: it is no legal sidewalk (§ 288-4 D, F)."""
    if taken.matter.course.first("start") is not None and taken.facts.get("standard") != "yes":
        found = taken.facts.get("standard", "nothing")
        cure = (
            "yes, or the sidewalk made so; one built contrary to the section is ordered replaced as a case of its own"
        )
        refuse_if([Hindrance("standard", "288-4 D, F", found, cure)], "The permit cannot be closed as things are.")
    return taken.facts


def _from(matter: Matter) -> date | None:
    obtained = granted(matter.course)
    return due("sidewalk_work_from", day_of(obtained), matter.counting).day if obtained else None


def clocks(matter: Matter) -> list[Clock]:
    """Read the clock of C: from when the work may begin, seven days after the permit was obtained."""
    obtained, begun = granted(matter.course), matter.course.first("start")
    if obtained is None:
        return []
    deadline = due("sidewalk_work_from", day_of(obtained), matter.counting)
    title = RULES["sidewalk_work_from"].title
    return [Clock("work_from", title, "", deadline, "", "permittee", begun["at"] if begun else None)]


def remarks(_connection: Connection, matter: Matter) -> list[str]:
    """Say which specifications bind the work, and where the section contradicts itself."""
    told = [
        f"The work is to be in accordance with the publication “{STANDARD},” on file in the office of the Village "
        "Clerk-Treasurer (§ 288-4 D).",
        "No fee shall be charged (§ 288-4 C).",
    ]
    planned, first = application(matter).get("starts_on"), _from(matter)
    if planned and first and date.fromisoformat(planned) < first and matter.course.state == APPROVED:
        told.append(
            f"Planned to begin on {said_day(date.fromisoformat(planned))}, before {said_day(first)}: too early."
        )
    return told + [f"{slip.title}: {slip.told}" for slip in slips.of("288-4 A")]


def likely(matter: Matter, _over: bool | None) -> str:
    """Return the step that is likely next."""
    return {DRAFT: "complete", COMPLETE: "approve", APPROVED: "start"}.get(matter.course.state, "close")


_common = common_steps(ASKS, DECISIONS, section="288-4 C")
STEPS = {
    **_common,
    "complete": Step(
        "Record it as complete", "Complete", Permission.PERMITS, frozenset({DRAFT}), to(COMPLETE), "288-4 C",
        (Asked("sufficient", "Is the application sufficient?", choices=YES),), _complete,
    ),
    "approve": Step(
        "Issue it", "Obtained", Permission.PERMITS, frozenset({COMPLETE}), to(APPROVED), "288-4 C",
        (Asked("by", "Who issues it", choices={key: BODIES[key] for key in ("clerk", "director")}),),
        help="The seven days are counted from the day on which the permit is obtained, not applied for.",
    ),
    "start": Step(
        "Record that work has begun", "Work begun", Permission.PERMITS, frozenset({APPROVED}), to(ACTIVE), "288-4 C",
        check=_start,
    ),
    "close": Step(
        "Close it", "Closed", Permission.PERMITS, GRANTED, to("closed"), "288-4 D",
        (
            Asked("standard", f"Is it in accordance with the {STANDARD}?", choices={"yes": "yes", "no": "no"}),
            Asked("note", "What was seen", long=True, private=True),
        ),
        _close,
    ),
}  # fmt: skip

SIDEWALK = Kind(
    "sidewalk",
    "Sidewalk permit",
    "§ 288-4 C",
    DRAFT,
    "apply",
    states(expires=False),
    {},
    STEPS,
    clocks,
    remarks,
    likely,
    book="permit",
    prefix="SW",
    columns=columns,
    backdating=Permission.BACKDATE,
)
