"""The obstruction case (§ 288-7 A, D, E, F): seen, noticed, removed within 24 hours or by the Village, charged.

"No person shall encroach upon or in any way obstruct or encumber any street, alley, sidewalk, public grounds or land
dedicated to public use, or any part thereof, or permit such encroachment or encumbrance to be placed or remain on any
public way adjoining the premises of which he/she is the owner or occupant". Who is notified follows from the place: of
a sidewalk the owner or occupant (D), of anything else the property owner (E).

A sidewalk that a street privilege permit allowed to be obstructed has a way of its own (§ 288-8 F): the Board's notice,
the Board's removal, and the next annual tax roll; no bill, no 10 and no 60 days.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy.engine import Connection

from app import expense, registers, slips
from app.auth import Permission
from app.case_facts import Asked, Facts, dollars
from app.case_words import HOW
from app.casework import Clock, Course, Kind, Matter, State, Step, Taken, back, day_of, happened_at, stays, to
from app.clock_rules import RULES, due
from app.clocks import said_day, said_instant
from app.expense import ABATED, Json
from app.registers import Row
from app.street_tables import street_objects
from gis.errors import StreetsError

PLACES = {
    "sidewalk": "A sidewalk",
    "street": "A street",
    "alley": "An alley",
    "ground": "Public grounds",
    "dedicated": "Land dedicated to public use",
}
PATHS = {
    "unlawful": "Unlawful: § 288-7",
    "permit": "A sidewalk obstructed under a street privilege permit: § 288-8 F",
}
TO = {"owner": "The property owner", "occupant": "The occupant"}
OPEN = frozenset({"reported", "notified", ABATED})
CLOSED = frozenset({"removed", "paid", "rolled", "dismissed"})
_E = (
    "the property owner: “issue a written notice to the property owner of the premises which adjoins the obstructed "
    "public area” (§ 288-7 E)"
)


# --- what each step needs ---


def _report(taken: Taken) -> Facts:
    facts = dict(taken.facts)
    facts.setdefault("path", "unlawful")
    if facts["path"] == "permit" and facts["place"] != "sidewalk":
        raise StreetsError.of("place", PLACES[facts["place"]], "a sidewalk: § 288-8 F is of obstructed sidewalks")
    if ("lon" in facts) != ("lat" in facts):
        missing = "lat" if "lon" in facts else "lon"
        raise StreetsError.of(missing, "nothing", "both lon and lat, or neither")
    if "object_id" in facts:
        row = registers.find(taken.connection, street_objects, facts["object_id"])
        if row is None or row["retired_at"] is not None:
            raise StreetsError.of("object_id", facts["object_id"], "the id of an object that is on record")
        facts |= {"lon": row["lon"], "lat": row["lat"], "checked": row["checked"]}
    if taken.matter.address is None and not facts.get("where") and "lon" not in facts:
        raise StreetsError.of("where", "nothing", "where it is: in words, an address, or a position")
    return facts


def seen(matter: Matter) -> Facts:
    """Return what was reported, the last word on each fact."""
    return matter.course.said("report")


def _to_whom(taken: Taken) -> Facts:
    """Refuse a notice to the wrong addressee: D takes the owner or occupant, E only the property owner."""
    place, whom = seen(taken.matter)["place"], taken.facts["to"]
    if place != "sidewalk" and whom != "owner":
        raise StreetsError.of("to", f"{TO[whom].lower()}, of {PLACES[place].lower()}", _E)
    return taken.facts


def _serve(taken: Taken) -> Facts:
    facts = dict(_to_whom(taken))
    if seen(taken.matter).get("path") == "permit" and not facts.get("act"):
        expected = "the act of the Village Board: “after such notice from the Village Board to do so” (§ 288-8 F)"
        raise StreetsError.of("act", "nothing", expected)
    if taken.day_only:
        raise StreetsError.of("at", said_day(taken.day), "the time of day too: 24 hours are counted from the service")
    by_then = [one for one in taken.matter.course.of("issue") if one["at"] <= taken.at]
    issued = max(by_then, key=happened_at, default=None)
    if issued is None and not taken.reason:
        raise StreetsError.of(
            "reason", "nothing", "the notice to be issued here first, or which one, written elsewhere"
        )
    return facts | ({"notice": issued["facts"].get("number")} if issued else {"elsewhere": True})


def _remove(taken: Taken) -> Facts:
    clock = _notice_clock(taken.matter)
    assert clock is not None
    over, end = clock.deadline.over(taken.at), clock.deadline.due_at
    if over is False:
        expected = f"after {said_instant(end)}, when the 24 hours are over (§ {clock.deadline.section})"
        raise StreetsError.of("at", said_instant(taken.at), expected)
    if over is None and not taken.reason:
        told = f"why it is removed already: under the other reading {clock.deadline.alternative_reading}"
        raise StreetsError.of("reason", "nothing", told)
    return taken.facts


def _lawful_path(step: Step) -> Step:
    """Refuse a step of the bill where the Board removed it: there is none (§ 288-8 F)."""

    def check(taken: Taken) -> Facts:
        if seen(taken.matter).get("path") == "permit":
            found = "a sidewalk obstructed under a permit"
            raise StreetsError.of("path", found, "no bill: the cost is entered on the next annual tax roll (§ 288-8 F)")
        return step.check(taken)

    return replace(step, check=check)


def _enter(taken: Taken) -> Facts:
    if seen(taken.matter).get("path") != "permit":
        return expense.enter(taken)
    owed = expense.balance(taken.matter.course)
    if owed <= 0:
        raise StreetsError.of("cents", dollars(owed), "the costs and expenses of the removal (§ 288-8 F)")
    expense.check_roll(taken)
    return taken.facts | {"cents": owed, "basis": "288-8 F"}


def _found(course: Course, event: Row) -> Course:
    """Close the case when somebody saw that it is gone and nobody saw it there later."""
    gone = event["facts"]["found"] == "removed"
    later = [one for one in course.events if one["what"] in {"report", "inspect"} and one["at"] > event["at"]]
    return to("removed")(course, event) if gone and not later else stays(course, event)


# --- clocks ---


def _notice_clock(matter: Matter) -> Clock | None:
    served = matter.course.latest("serve")
    if served is None:
        return None
    rule = "board_removal" if seen(matter).get("path") == "permit" else "remove_obstruction"
    deadline = due(rule, served["at"], matter.counting)
    if rule == "remove_obstruction":
        letter = "D" if seen(matter)["place"] == "sidewalk" else "E"
        deadline = replace(deadline, section=f"288-7 {letter}")
    gone = matter.course.latest("inspect", found="removed") if matter.course.state == "removed" else None
    done = matter.course.first("remove") or gone
    return Clock("remove", RULES[rule].title, "notified", deadline, "", "owner", done["at"] if done else None)


def clocks(matter: Matter) -> list[Clock]:
    """Read the clocks of an obstruction: 24 hours from the service, then the bill's and the tax roll's.

    Parameters
    ----------
    matter
        The case.

    Returns
    -------
    list of Clock
        Those that have begun.
    """
    notice = _notice_clock(matter)
    found = [notice] if notice else []
    return found if seen(matter).get("path") == "permit" else [*found, *expense.clocks(matter)]


# --- what is said beside it ---


def remarks(_connection: Connection, matter: Matter) -> list[str]:
    """Say what an obstruction case leans on, and where the text is obscure."""
    facts, course, told = seen(matter), matter.course, list[str]()
    checked = facts.get("checked") or {}
    if checked.get("verdict") == "undecided":
        told.append("The check of the place is undecided: its position is too poor to say that it obstructs.")
    if checked.get("stale"):
        told.append("The object was moved since it was checked.")
    if course.state in {ABATED, "paid"}:
        told.append(f"The account stands at {dollars(expense.total(course))}, of which {dollars(expense.paid(course))} "
                    f"is paid and {dollars(expense.balance(course))} is not.")  # fmt: skip
    if course.state == ABATED:
        told += [f"{slip.title}: {slip.told}" for slip in slips.of("288-7 F(1)")]
    if facts.get("path") == "permit":
        told += [f"{slip.title}: {slip.told}" for slip in slips.of("288-8 F")]
    for event in sorted(course.of("enter"), key=happened_at):
        told += event["facts"].get("findings", ())
    return told


def likely(matter: Matter, over: bool | None) -> str:
    """Return the step that is likely next."""
    course = matter.course
    if course.state == "reported":
        return "serve" if course.of("issue") else "issue"
    if course.state == "notified":
        return "inspect" if not over or not course.of("inspect") else "remove"
    if not expense.lines(course):
        return "expense"
    if seen(matter).get("path") == "permit":
        return "enter"
    bill = expense.payable(matter)
    return ("enter" if bill and over else "paid") if course.of("bill") else "bill"


def columns(matter: Matter) -> Json:
    """Read what lists and maps look for off an obstruction's events."""
    facts, given = seen(matter), matter.course.latest("assign")
    found: Json = {"assigned_to": given["facts"]["to"] if given else ""}
    if matter.address is None:
        found["place"] = str(facts.get("where") or "a position on the map")[:300]
    if "lon" in facts:
        found |= {"lon": facts["lon"], "lat": facts["lat"]}
    return found


# --- the kind ---

_official = Permission.NOTICE_REMOVAL
_TO = Asked(
    "to", "To whom", "A sidewalk: owner or occupant; anything else: the property owner", choices=TO, needed=True
)
_account = expense.steps()
STEPS = {
    "report": Step(
        "Report an obstruction", "Reported", Permission.REPORT_VIOLATION, OPEN, stays, "288-7 A",
        (
            Asked("what", "What is in the way", needed=True, most=200),
            Asked("place", "What it obstructs", choices=PLACES, needed=True),
            Asked("where", "Where it is", "In words, if it has no address", most=300),
            Asked("path", "Is it unlawful?", "Unlawful where left empty", choices=PATHS, aside=True),
            Asked("owner", "Owner of the adjoining premises", long=True, private=True, most=606, lines=6, aside=True),
            Asked("occupant", "Occupant of the adjoining premises", long=True, private=True, most=606, lines=6,
                  aside=True),
            Asked("object_id", "Number of the recorded object", "With its check as it was", type="count", aside=True),
            Asked("lon", "Longitude", "Decimal degrees", type="degrees", aside=True),
            Asked("lat", "Latitude", "Decimal degrees", type="degrees", aside=True),
            Asked("note", "What was seen", long=True, private=True),
        ),
        _report, any_time=True,
    ),
    "issue": Step(
        "Issue the notice to remove it", "Notice issued", _official, frozenset({"reported", "notified"}), stays,
        "288-7 D, E",
        (
            _TO,
            Asked("addressee", "Name, and where it goes", "A line each", long=True, private=True, most=606, lines=6),
        ),
        _to_whom, undoable=False, document="removal",
        help="“directing that the obstruction be removed within 24 hours”: they begin with its service.",
    ),
    "serve": Step(
        "Record the service of the notice", "Notice served", _official, frozenset({"reported"}), to("notified"),
        "288-7 D, E",
        (
            _TO,
            Asked("how", "How it was served", choices=HOW, needed=True),
            Asked("on", "On whom", "A name if it is known", private=True, most=200),
            Asked("by", "By whom", "If it was not you", private=True, most=200),
            Asked("act", "The Village Board’s act", "Of its notice under § 288-8 F", most=300, aside=True),
        ),
        _serve, offers_reason=True, help="The day and the time of day: 24 hours are counted from it.",
    ),
    "inspect": Step(
        "Record an inspection", "Inspected", Permission.INSPECT, OPEN - {ABATED}, _found, "288-7 F(1)",
        (
            Asked("found", "What was found", needed=True,
                  choices={"removed": "It is removed", "there": "It is still there"}),
            Asked("note", "What was seen", long=True, private=True),
        ),
        any_time=True,
    ),
    "remove": Step(
        "Record that the Village removed it", "Removed by the Village", _official, frozenset({"notified"}), to(ABATED),
        "288-7 F(1)", (Asked("note", "What was done", long=True, private=True),), _remove, after_clock=True,
        offers_reason=True, help="“any Village enforcement official shall cause the removal of the obstruction”",
    ),
    **{name: _lawful_path(_account[name]) for name in ("bill", "mailed", "received", "paid")},
    **{name: _account[name] for name in ("expense", "strike")},
    "enter": replace(_account["enter"], check=_enter),
    "note": Step(
        "Add a note", "Noted", Permission.REPORT_VIOLATION, OPEN | CLOSED, stays,
        asks=(Asked("note", "Note", long=True, needed=True, private=True),), any_time=True,
    ),
    "assign": Step(
        "Give it to somebody", "Given to", Permission.REPORT_VIOLATION, OPEN, stays,
        asks=(Asked("to", "To whom", "The name of an officer", needed=True, most=100),), any_time=True,
    ),
    "dismiss": Step(
        "Dismiss the case", "Dismissed", Permission.CLOSE_CASE, frozenset({"reported", "notified"}), to("dismissed"),
        reason=True,
    ),
    "reopen": Step("Reopen the case", "Reopened", Permission.CLOSE_CASE, CLOSED - {"rolled"}, back, reason=True),
}  # fmt: skip

OBSTRUCTION = Kind(
    "obstruction",
    "Obstruction or encroachment",
    "§ 288-7",
    "reported",
    "report",
    {
        "reported": State("Reported", "Nobody was notified yet."),
        "notified": State("Notice served, 24 hours running", "It is to be removed before they end.", over="unremoved"),
        ABATED: State("Removed by the Village", "Its expenses are charged to the property owner until they are paid."),
        "removed": State("Closed: removed", "It was seen to be gone.", open=False),
        "paid": State("Closed: paid", "The expenses were paid.", open=False),
        "rolled": State("Closed: on the tax roll", "The unpaid charges were entered on the tax roll.", open=False),
        "dismissed": State("Closed: dismissed", "It was closed without a removal.", open=False),
    },
    {
        "unremoved": State(
            "24 hours over",
            "If it is still there, “any Village enforcement official shall cause the removal of the obstruction”.",
        ),
    },
    STEPS,
    clocks,
    remarks,
    likely,
    columns=columns,
    backdating=Permission.BACKDATE,
)


def served_at(matter: Matter) -> datetime | None:
    """Return when the notice was served; None before it was."""
    served = matter.course.latest("serve")
    return served["at"] if served else None


def removed_on(matter: Matter) -> str:
    """Say on which day the Village removed it; ``""`` where it did not."""
    removed = matter.course.latest("remove")
    return said_day(day_of(removed)) if removed else ""
