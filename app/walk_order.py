"""A sidewalk ordered built, repaired or replaced (§ 288-4 A, B, D, E, F): criteria, who decides, and who pays.

The criteria are measured; that a sidewalk is defective the Streets Committee determines: "The existence of any one or
more of the hereinafter enumerated characteristics shall determine whether a sidewalk is defective or insufficient".
"""

from __future__ import annotations

from sqlalchemy.engine import Connection

from app import expense, slips
from app.auth import Permission
from app.case_facts import Asked, Facts, dollars
from app.casework import Kind, Matter, State, Step, Taken, day_of, stays, to
from app.clocks import said_day
from app.expense import ABATED, Json
from app.permit_measures import Limit, held
from app.permit_sidewalk import STANDARD
from gis.errors import StreetsError

WHY = {
    "build": "No sidewalk is there: it is to be built (A)",
    "repair": "It is unsafe, defective or insufficient (E)",
    "damage": "The owner, an agent or a contractor damaged it (B)",
    "illegal": "It was constructed contrary to the section (F)",
}
OPEN = frozenset({"reported", "determined", "ordered", ABATED})
CLOSED = frozenset({"done", "paid", "rolled", "dismissed"})
LIMITS = (
    Limit("vertical_in", "walk_vertical_in", at_most=True),
    Limit("gap_in", "walk_gap_in", at_most=True),
    Limit("surface_in", "walk_surface_in", at_most=True),
)
"""At these measures and above the sidewalk is defective: each is read as "or more"."""
BUILDS = (
    "“It shall be the duty of the abutting owner to build and construct sidewalks along or upon any street, alley or "
    "highway of the Village of Benton and to pay the entire cost thereof as required by the Common Council.” "
    "(§ 288-4 A)"
)
DAMAGED = (
    "“the property owner shall be responsible for sidewalks damaged by the property owner, agent or contractor working "
    "on behalf of the property owner” (§ 288-4 B)"
)
EXEMPT = (
    "“the owner of tax-exempt property shall continue to bear the responsibility for sidewalk repairs, maintenance and "
    "construction” (§ 288-4 B)"
)
MAINTAINS = (
    "“It shall be the responsibility of the Village to maintain, replace and repair damaged sidewalk.” (§ 288-4 B)"
)


def criteria(facts: Facts, taken: Taken) -> list[Json]:
    """Judge each measured criterion of E: defective from its number on, sound below, undecided within the tolerance."""
    told = []
    for one in held(facts, LIMITS, taken.day):
        value, limit, within = one["value"], one["limit"], one["within"]
        verdict = "defective" if value - within >= limit else "sound" if value + within < limit else "undecided"
        told.append({**one, "found": verdict})
    return told


def responsible(matter: Matter) -> tuple[str, str]:
    """Return who bears it, and why (§ 288-4 A, B).

    Parameters
    ----------
    matter
        The case.

    Returns
    -------
    tuple of str
        ``owner`` or ``village``; the reason, with its subsection.
    """
    facts, waived = said(matter), matter.course.latest("waive")
    exempt = facts.get("tax_exempt") == "yes"
    if facts["why"] == "damage":
        return "owner", DAMAGED
    if exempt and waived is not None and facts["why"] in {"build", "repair"}:
        return "village", f"{EXEMPT} The Village Board waived the exempt owner’s duty in this case."
    if facts["why"] in {"build", "illegal"}:
        return "owner", BUILDS
    return ("owner", EXEMPT) if exempt else ("village", MAINTAINS)


def said(matter: Matter) -> Facts:
    """Return what was reported, the last word on each fact."""
    return matter.course.said("report", "measure", "waive")


# --- what each step needs ---


def _report(taken: Taken) -> Facts:
    facts = dict(taken.facts)
    if taken.matter.address is None and not facts.get("where"):
        raise StreetsError.of("where", "nothing", "where it is: in words, or an address")
    return facts | {"judged": criteria(facts, taken)}


def _measure(taken: Taken) -> Facts:
    judged = criteria(taken.facts, taken)
    if not judged:
        raise StreetsError.of("vertical_in", "nothing", "one of vertical_in, gap_in, surface_in: what was measured")
    return taken.facts | {"judged": judged}


def _close(taken: Taken) -> Facts:
    """Refuse to close a case while what the owner bears is unpaid; the statute collects it otherwise (A)."""
    owed = expense.balance(taken.matter.course)
    if owed > 0 and responsible(taken.matter)[0] == "owner":
        expected = (
            "a payment of it, or its collection “in the manner set forth in § 66.0907(3), Wis. Stats.” (§ 288-4 A)"
        )
        raise StreetsError.of("expense", f"{dollars(owed)} unpaid by the owner", expected)
    return taken.facts


def _collect(taken: Taken) -> Facts:
    owed, (bears, why) = expense.balance(taken.matter.course), responsible(taken.matter)
    if owed <= 0 or bears != "owner":
        found = dollars(owed) if bears == "owner" else f"borne by the Village: {why}"
        raise StreetsError.of("expense", found, "a cost that the owner bears and has not paid")
    return taken.facts | {"cents": owed}


def _waive(taken: Taken) -> Facts:
    """Refuse to waive what binds only the owner of tax-exempt property (B)."""
    exempt = (said(taken.matter) | taken.facts).get("tax_exempt", "nothing")
    if exempt != "yes":
        raise StreetsError.of("tax_exempt", exempt, "yes: only the duty of the owner of tax-exempt property is waived")
    return taken.facts


def _order(taken: Taken) -> Facts:
    bears, why = responsible(taken.matter)
    return taken.facts | {"bears": bears, "because": why}


# --- what is said beside it ---


def remarks(_connection: Connection, matter: Matter) -> list[str]:
    """Say what was measured, who bears it and why, and where the section slips."""
    told = []
    for event in matter.course.events:
        for one in event["facts"].get("judged", ()):
            told.append(f"{said_day(day_of(event))}: {one['key'].removesuffix('_in')} {one['value']:g} in, "
                        f"{one['found']} from {one['limit']:g} in (§ {one['section']}).")  # fmt: skip
    if matter.course.state == "reported" and told:
        told.append("What was measured is a proposal: the Streets Committee determines (§ 288-4 E).")
    bears, why = responsible(matter)
    told.append(f"Borne by {'the abutting owner' if bears == 'owner' else 'the Village'}: {why}.")
    told.append(f"To be in accordance with the publication “{STANDARD},” (§ 288-4 D).")
    if matter.course.state == ABATED:
        told.append(f"The account stands at {dollars(expense.total(matter.course))}. “The cost may be collected in the "
                    "manner set forth in § 66.0907(3), Wis. Stats.” (§ 288-4 A)")  # fmt: skip
    return told + [f"{slip.title}: {slip.told}" for slip in slips.of("288-4")]


def likely(matter: Matter, _over: bool | None) -> str:
    """Return the step that is likely next."""
    return {"reported": "determine", "determined": "order", "ordered": "close"}.get(matter.course.state, "expense")


def columns(matter: Matter) -> Json:
    """Read what lists look for off the case's events."""
    facts, given = said(matter), matter.course.latest("assign")
    found: Json = {"assigned_to": given["facts"]["to"] if given else ""}
    if matter.address is None:
        found["place"] = str(facts.get("where", ""))[:300]
    return found


_MEASURES = (
    Asked("vertical_in", "Vertical differential between blocks, inches", "E(a): 3/4 or more", type="in", aside=True),
    Asked("gap_in", "Horizontal distance between blocks, inches", "E(b): 1 1/4", type="in", aside=True),
    Asked("surface_in", "Deterioration of the surface, inches deep", "E(c): 1/2 or more", type="in", aside=True),
    Asked("within_in", "Measured to within, inches", "Not counted where left empty", type="in", aside=True),
)
_TAX_EXEMPT = Asked("tax_exempt", "Is the property tax-exempt?", choices={"yes": "yes", "no": "no"}, aside=True)
_BODIES = {"board": "The Village Board", "committee": "The Streets Committee"}
_BODY = Asked("by", "Which body", choices=_BODIES, needed=True)
_account = expense.steps()
STEPS = {
    "report": Step(
        "Report a sidewalk", "Reported", Permission.REPORT_VIOLATION, frozenset({"reported"}), stays, "288-4 E",
        (
            Asked("why", "What is wrong", choices=WHY, needed=True),
            Asked("where", "Where it is", "In words, if it has no address", most=300),
            *_MEASURES,
            _TAX_EXEMPT,
            Asked("owner", "Abutting owner", long=True, private=True, most=606, lines=6, aside=True),
            Asked("note", "What was seen", long=True, private=True),
        ),
        _report, any_time=True,
    ),
    "measure": Step(
        "Record a measurement", "Measured", Permission.INSPECT, OPEN, stays, "288-4 E",
        tuple(_MEASURES), _measure, any_time=True,
    ),
    "determine": Step(
        "Record the Streets Committee’s determination", "Determined", Permission.PERMITS, frozenset({"reported"}),
        to("determined"), "288-4 E",
        (Asked("who", "Who determined it", "Members, or the minutes", needed=True, most=300),), reason=True,
    ),
    "waive": Step(
        "Record the Board’s waiver", "Waived", Permission.PERMITS, frozenset({"reported", "determined"}), stays,
        "288-4 B", (_TAX_EXEMPT,), _waive, reason=True, any_time=True,
        help="“Unless waived specifically by the Village Board on a case-by-case basis”",
    ),
    "order": Step(
        "Record the order", "Ordered", Permission.PERMITS, frozenset({"determined"}), to("ordered"), "288-4 A, F",
        (_BODY, Asked("act", "Its act", most=300)), _order,
        help="The text says Common Council; a Village has a Board, which is assumed to be meant.",
    ),
    "perform": Step(
        "Record that the Village did the work", "Done by the Village", Permission.PERMITS, frozenset({"ordered"}),
        to(ABATED), "288-4 A",
    ),
    "close": Step(
        "Close it: the sidewalk is as it is to be", "As it is to be", Permission.INSPECT,
        frozenset({"ordered", ABATED}), to("done"), "288-4 D", check=_close,
    ),
    "collect": Step(
        "Record that it is collected", "Collected by the statute", Permission.TAX_ROLL, frozenset({ABATED}),
        to("rolled"), "288-4 A", check=_collect, reason=True,
        help="“The cost may be collected in the manner set forth in § 66.0907(3), Wis. Stats.”: not counted here.",
    ),
    **{name: _account[name] for name in ("expense", "strike", "paid")},
    "note": Step(
        "Add a note", "Noted", Permission.REPORT_VIOLATION, OPEN | CLOSED, stays,
        asks=(Asked("note", "Note", long=True, needed=True, private=True),), any_time=True,
    ),
    "assign": Step(
        "Give it to somebody", "Given to", Permission.REPORT_VIOLATION, OPEN, stays,
        asks=(Asked("to", "To whom", "The name of an officer", needed=True, most=100),), any_time=True,
    ),
    "dismiss": Step(
        "Dismiss the case", "Dismissed", Permission.CLOSE_CASE, OPEN - {ABATED}, to("dismissed"), reason=True
    ),
}  # fmt: skip

WALK = Kind(
    "walk",
    "Sidewalk to be built, repaired or replaced",
    "§ 288-4",
    "reported",
    "report",
    {
        "reported": State("Reported", "The Streets Committee has not determined it."),
        "determined": State("Determined", "The Streets Committee determined it; no order was made."),
        "ordered": State("Ordered", "The sidewalk is to be built, repaired or replaced."),
        ABATED: State("Done by the Village", "What the owner bears is on the account."),
        "done": State("Closed: done", "The sidewalk is as it is to be.", open=False),
        "paid": State("Closed: paid", "The owner’s cost was paid.", open=False),
        "rolled": State("Closed: collected", "It is collected as the statute has it.", open=False),
        "dismissed": State("Closed: dismissed", "It was closed without an order.", open=False),
    },
    {},
    STEPS,
    lambda _: [],
    remarks,
    likely,
    columns=columns,
    backdating=Permission.BACKDATE,
)
