"""The street privilege permit (§ 288-8): moving a building, or materials in the street; bond, advice, revocation.

"Permits for the use of the streets, alleys, sidewalks or other public ways or places of the Village may be granted to
applicants by the Village Clerk-Treasurer or for the purpose of moving any building or structure or of encumbering the
street, alley, sidewalk or way with materials necessary in and about the construction or demolition of any building or
structure". The "or" before "for the purpose" is a slip that is shown; the two purposes are read as the only ones.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

from sqlalchemy.engine import Connection

from app import decided, slips
from app.auth import Permission, offices_of
from app.case_facts import Asked, Facts, dollars
from app.casework import Clock, Kind, Matter, State, Step, Taken, day_of, happened_at, stays, to
from app.clock_rules import RULES, due
from app.clocks import Deadline, said_day, said_instant
from app.law import law_on
from app.permit_measures import Limit, held
from app.permit_model import (
    ACTIVE,
    APPLICANT,
    APPROVED,
    BODIES,
    COMPLETE,
    DRAFT,
    EXPIRED,
    GRANTED,
    NOT_SET,
    OPEN,
    PENDING,
    SIDES,
    WHERE,
    YES,
    YES_NO,
    Decision,
    Hindrance,
    Json,
    application,
    check_decision,
    check_office,
    columns,
    common_steps,
    granted,
    lacking,
    refuse_if,
    states,
    was_by,
    work,
)
from app.permit_model import (
    decided as decision_of,
)
from gis.errors import StreetsError

PURPOSES = {
    "moving": "Moving a building or structure",
    "construction": "Materials for the construction of a building or structure",
    "demolition": "Materials for the demolition of a building or structure",
}
UNDERTAKINGS = {
    "indemnify": "indemnify and save harmless the Village",
    "remove": "remove the encumbrance upon termination",
    "clean": "leave the vacated premises clean and sanitary",
    "repair": "repair any and all damage",
}
"""What the bond is conditioned on (§ 288-8 B)."""
CONDITIONS = {
    "share": "D(1) Not more than 1/3 of any street or alley",
    "lights": "D(2) Sufficiently lighted at night from all directions",
    "sidewalk": "D(3) Sidewalk traffic not interrupted, or a temporary sidewalk",
    "continuous": "D(4) Moving as continuous as practicable",
    "overnight": "D(5) No building overnight on a crossing or near a hydrant",
    "route": "D(6) Only on the route prescribed by the Village Board",
    "vacate": "D(7) Vacated, cleaned and safe upon termination",
    "attached": "A condition that was attached to the permit (A)",
}
"""Terms whose violation lets the permit be revoked without notice (§ 288-8 D)."""
FEE = "the fee is “as prescribed in § 173-1, Fee schedule, plus any actual Village costs” (§ 288-8 C)."
REVOKERS = ("board", "director", "police", "inspector")
ADVICE = (
    "advisory recommendations, recorded, of the Director of Public Works, the Chief of Police/Officer in Charge and/or "
    "the Building Inspector"
)
ADVISERS = ("director", "police", "inspector")
DECISIONS = {
    "bond_amount": Decision("The amount of the bond", "288-8 B", ("director",)),
    "bond_waived": Decision("The bond is waived", "288-8 B", ("board",)),
    "route": Decision("The route that a building is moved along", "288-8 D(6)", ("board",)),
    "continuous": Decision("Moving continues during all hours of the day and night", "288-8 D(4)", ("board",)),
    "condition": Decision("A condition is attached", "288-8 A", ("board", "director", "clerk", "police", "inspector")),
    "building_permit": Decision("A building permit is not required", "288-8 A", ("inspector", "clerk")),
}
ASKS = (
    *APPLICANT,
    Asked("purpose", "For what the street is used", choices=PURPOSES),
    *WHERE,
    Asked("nature", "What stands or is moved there", long=True),
    Asked("premises", "Premises it is for", "The abutting owner’s", private=True, most=300, aside=True),
    Asked("building_permit", "Number of the building permit", "If one is required", most=60, aside=True),
    Asked("insurance", "Proof of liability insurance", "If it is a condition", most=300, private=True, aside=True),
    Asked("direction", "Direction of traffic that is taken", "Left empty: both", choices=SIDES, aside=True),
)
NEEDED = {"applicant": "288-8 A", "purpose": "288-8 A", "location": "288-8 A"}
_ITEMS = {key: text for key, text in CONDITIONS.items() if key != "attached"}


# --- what each step needs ---


def _complete(taken: Taken) -> Facts:
    refuse_if(lacking(application(taken.matter), ASKS, NEEDED), "The application is not complete.")
    return taken.facts


def _decide(taken: Taken) -> Facts:
    facts = check_decision(DECISIONS)(taken)
    if facts["decision"] == "bond_amount":
        _check_bond(facts, "cents", taken.day)
    return facts


def _check_bond(facts: Facts, key: str, day: date) -> None:
    most = int(law_on(day)["bond_cents"].value)
    if key not in facts:
        raise StreetsError.of(key, "nothing", f"the amount of the bond, not exceeding {dollars(most)} (§ 288-8 B)")
    if facts[key] > most:
        raise StreetsError.of(key, dollars(facts[key]), f"an amount “not exceeding {dollars(most)[:-3]}” (§ 288-8 B)")


def _bond(taken: Taken) -> Facts:
    _check_bond(taken.facts, "bond_cents", taken.day)
    missing = [text for key, text in UNDERTAKINGS.items() if taken.facts.get(key) != "yes"]
    if missing:
        raise StreetsError.of("bond", f"a bond that does not {missing[0]}", "one conditioned on all four (§ 288-8 B)")
    return taken.facts


def _advise(taken: Taken) -> Facts:
    if taken.facts.get("own") == "yes":
        check_office(taken, taken.facts["by"])
    return taken.facts


def _approve(taken: Taken) -> Facts:
    facts = dict(taken.facts)
    check_office(taken, "clerk")
    refuse_if(hindrances(taken.matter, facts, taken.at), "The permit cannot be issued as things are.")
    last = due("privilege_ends", taken.day, taken.matter.counting).day
    assert last is not None
    if facts.get("ends_early") and not taken.day.isoformat() <= facts["ends_early"] <= last.isoformat():
        expected = f"a day from {said_day(taken.day)} to {said_day(last)}, three months from the issuing (§ 288-8 E)"
        raise StreetsError.of("ends_early", facts["ends_early"], expected)
    fee = decided.fee_cents(taken.connection, "fee_street_privilege", taken.day)
    return facts | ({"fee_due_cents": fee} if fee is not None else {"fee": NOT_SET})


def hindrances(matter: Matter, measured: Json, at: datetime) -> list[Hindrance]:
    """Return what stands in the way of issuing a privilege permit.

    Parameters
    ----------
    matter
        The permit.
    measured
        ``checks`` of its outline, where it has one.
    at
        When it would be issued: what must come before it is to have happened by that day.

    Returns
    -------
    list of Hindrance
        Each with its section and what would cure it.
    """
    course, facts = matter.course, application(matter)
    found = [*_bonded(matter, at), *_third(measured)]
    asked = course.first("advise")
    if asked is None or not was_by(asked, at):
        found.append(Hindrance("advice", "288-8 A", "none requested", ADVICE))
    if facts.get("purpose") == "moving" and decision_of(course, "route", at) is None:
        found.append(Hindrance("route", "288-8 D(6)", "no route", "the route prescribed by the Village Board"))
    if not facts.get("building_permit") and decision_of(course, "building_permit", at) is None:
        found.append(Hindrance("building_permit", "288-8 A", "nothing", "the building permit’s number, or a recorded "
                               "decision that none is required"))  # fmt: skip
    return found


def _bonded(matter: Matter, at: datetime) -> list[Hindrance]:
    course = matter.course
    if decision_of(course, "bond_waived", at):
        return []
    filed = [one for one in course.of("bond") if was_by(one, at)]
    bond, amount = max(filed, key=happened_at, default=None), decision_of(course, "bond_amount", at)
    if amount is None:
        return [Hindrance("bond", "288-8 B", "no amount", "its amount, determined by the Director of Public Works, and "
                          "the bond on file; or the Board’s waiver")]  # fmt: skip
    asked = amount["facts"]["cents"]
    if bond is None or bond["facts"]["bond_cents"] < asked:
        found = dollars(bond["facts"]["bond_cents"]) if bond else "no bond on file"
        return [Hindrance("bond", "288-8 B", found, f"a bond of {dollars(asked)} on file, or the Board’s waiver")]
    return []


def _third(measured: Json) -> list[Hindrance]:
    """Refuse what covers more than a third of the street or alley (D(1)); undecided is shown and does not refuse."""
    rows = (measured.get("checks") or {}).get("share", {}).get("rows", [])
    over = [row for row in rows if row["verdict"] == "violates" and "288-8" in row["section"]]
    if not over:
        return []
    row = over[0]
    return [Hindrance("share", "288-8 D(1)", f"{row['value']} of the street", "not more than 1/3 of it")]


def _revoke(taken: Taken) -> Facts:
    by = taken.facts["by"]
    check_office(taken, by)
    if by == "board" and not taken.person.may(Permission.PERMITS):
        offices = offices_of(Permission.PERMITS)
        raise StreetsError.of("by", f"{BODIES[by]}, recorded by {taken.person.name}", f"its act recorded by {offices}")
    return taken.facts


WALK_LIMITS = (
    Limit("walk_ft", "temporary_walk_ft", at_most=False),
    Limit("fence_ft", "walk_fence_ft", at_most=False),
)
"""Of a temporary sidewalk (§ 288-8 D(3))."""


def _inspect(taken: Taken) -> Facts:
    facts = dict(taken.facts)
    judged = held(facts, WALK_LIMITS, taken.day)
    bad = [one for one in judged if one["verdict"] == "violates"]
    if bad and facts.get("result") == "pass":
        raise StreetsError.of("result", f"pass, with {bad[0]['value']:g} ft", f"fail: “{bad[0]['law']}” (§ 288-8 D(3))")
    if not judged and "result" not in facts:
        raise StreetsError.of("result", "nothing", "pass or fail, or what was measured")
    facts.setdefault("result", "fail" if bad else "pass")
    return facts | ({"judged": judged} if judged else {})


def _close(taken: Taken) -> Facts:
    facts = taken.facts
    if facts.get("vacated") != "yes" and taken.matter.course.first("start") is not None:
        found = facts.get("vacated", "nothing")
        cure = "yes: “vacated, cleaned of all rubbish and obstructions and placed in a safe condition”"
        refuse_if([Hindrance("vacated", "288-8 D(7)", found, cure)], "The permit cannot be closed as things are.")
    return facts


# --- clocks ---


def ends(matter: Matter) -> Deadline | None:
    """Return the clock of E: three months from the issuing, or the earlier day that the Clerk-Treasurer specified."""
    issued = granted(matter.course)
    if issued is None:
        return None
    found = due("privilege_ends", day_of(issued), matter.counting)
    early = [issued["facts"].get("ends_early"), *(one["facts"]["ends_on"] for one in matter.course.of("end_early"))]
    given = min((date.fromisoformat(text) for text in early if text), default=None)
    if given is None or (found.day and given >= found.day):
        return found
    counted = f"An earlier termination date was specified: {said_day(given)}, to its end."
    return replace(found, day=given, counted=counted)


def _end_early(taken: Taken) -> Facts:
    last, day = ends(taken.matter), taken.facts["ends_on"]
    assert last is not None
    assert last.day is not None
    if not taken.day.isoformat() <= day <= last.day.isoformat():
        expected = f"a day from {said_day(taken.day)} to {said_day(last.day)} (§ 288-8 E)"
        raise StreetsError.of("ends_on", day, expected)
    return taken.facts


def clocks(matter: Matter) -> list[Clock]:
    """Read the clock of E off the events; a permit that ended is to be vacated (D(7))."""
    found = ends(matter)
    if found is None:
        return []
    state = matter.course.state if matter.course.state in GRANTED else APPROVED
    return [Clock("ends", RULES["privilege_ends"].title, state, found, office="permittee"), *_vacating(matter, found)]


def _vacating(matter: Matter, ends_then: Deadline) -> list[Clock]:
    """Return the duty of D(7): what was occupied is vacated upon termination, however the permit ended."""
    course = matter.course
    if course.first("start") is None or course.state == "withdrawn":
        return []
    revoked, done = course.latest("revoke"), course.latest("close") or course.latest("vacate")
    if revoked is not None:
        counted = f"Upon termination: it was revoked {said_instant(revoked['at'])}."
        deadline = Deadline(None, revoked["at"], "288-8 D(7)", counted, "")
    else:
        deadline = Deadline(ends_then.day, None, "288-8 D(7)", "Upon termination: with the last day of the permit.", "")
    title = "What is occupied is to be vacated, cleaned and safe"
    return [Clock("vacate", title, "", deadline, "", "permittee", done["at"] if done else None, lasting=True)]


def remarks(connection: Connection, matter: Matter) -> list[str]:
    """Say what a privilege permit leans on that is not known, what was advised, and the slips of the section."""
    issued, told = granted(matter.course), []
    day = day_of(issued) if issued else matter.case["opened_at"].date()
    if decided.fee_cents(connection, "fee_street_privilege", day) is None:
        told.append(f"The permit’s {NOT_SET}: {FEE}")
    if not application(matter).get("place") and matter.course.state in OPEN:
        told.append("No outline is drawn: the third of the street (§ 288-8 D(1)) was not measured.")
    for event in sorted(matter.course.of("advise"), key=happened_at):
        told.append(f"Advice of {BODIES[event['facts']['by']]}: {event['facts']['advice']}")
    return told + [f"{slip.title}: {slip.told}" for slip in slips.of("288-8")]


def likely(matter: Matter, over: bool | None) -> str:
    """Return the step that is likely next."""
    course = matter.course
    if course.state == COMPLETE:
        return "approve" if course.of("advise") else "advise"
    return {DRAFT: "complete", APPROVED: "start"}.get(course.state, "close" if over else "inspect")


def _work(matter: Matter) -> Json | None:
    course = matter.course
    if course.state in PENDING or course.state in {"refused", "withdrawn"}:
        return None
    last, done = ends(matter), course.latest("close") or course.latest("vacate")
    until, revoked = last.day if last else None, course.latest("revoke")
    if until and revoked:
        until = min(until, day_of(revoked))
    return work(matter, "obstruction", until, done, "privilege_permit")


_VACATED = Asked("vacated", "Is all vacated, cleaned and safe for public travel?", choices=YES_NO)
_common = common_steps(ASKS, DECISIONS, section="288-8 A")
STEPS = {
    **_common,
    "decide": replace(_common["decide"], check=_decide, permission=Permission.ADVISE),
    "advise": Step(
        "Record advice", "Advised", Permission.ADVISE, PENDING, stays, "288-8 A",
        (
            Asked("by", "Whose recommendation", choices={key: BODIES[key] for key in ADVISERS}, needed=True),
            Asked("advice", "What is recommended", long=True, needed=True),
            Asked("own", "Is it your own?", choices=YES_NO, aside=True),
        ),
        _advise, any_time=True,
        help="“The Village Clerk-Treasurer shall request advisory recommendations … prior to issuance of the permit.”",
    ),
    "bond": Step(
        "Record the bond", "Bond on file", Permission.PERMITS, PENDING, stays, "288-8 B",
        (
            Asked("bond_cents", "Amount", "In dollars, at most $10,000", type="cents", needed=True),
            *(Asked(key, f"Is it conditioned that the applicant will {text}?", choices=YES_NO)
              for key, text in UNDERTAKINGS.items()),
            Asked("surety", "Surety", private=True, most=200, aside=True),
        ),
        _bond, any_time=True,
    ),
    "complete": Step(
        "Record it as complete", "Complete", Permission.PERMITS, frozenset({DRAFT}), to(COMPLETE), "288-8 A",
        (Asked("sufficient", "Is the application sufficient?", choices=YES),), _complete,
    ),
    "approve": Step(
        "Issue it", "Issued", Permission.PERMITS, frozenset({COMPLETE}), to(APPROVED), "288-8 A, E",
        (
            Asked("ends_early", "Earlier termination date", "At the Clerk-Treasurer’s discretion; else three months",
                  type="day", aside=True),
            Asked("receipt", "Number of the receipt for the fee", most=60, aside=True),
            Asked("paid_cents", "Fee that was paid", "In dollars", type="cents", aside=True),
        ),
        _approve, help="It ends three months from the date of issuance: the same day of the month, or its last day.",
    ),
    "start": Step(
        "Record that it is occupied", "Occupied", Permission.PERMITS, frozenset({APPROVED}), to(ACTIVE), "288-8 D",
        before_clock=True,
    ),
    "inspect": Step(
        "Record an inspection", "Inspected", Permission.INSPECT, OPEN, stays, "288-8 D",
        (
            Asked("item", "Which term", choices=_ITEMS, needed=True),
            Asked("result", "What was found", "Left empty where the measure decides",
                  choices={"pass": "As it is to be", "fail": "Not as it is to be"}),
            Asked("walk_ft", "Width of the temporary sidewalk", "At least 4 ft", type="ft", aside=True),
            Asked("fence_ft", "Height of the closed fence", "At least 4 ft, on both sides", type="ft", aside=True),
            Asked("both_sides", "Is the fence closed, on both sides?", choices=YES_NO, aside=True),
            Asked("note", "What was seen", long=True, private=True),
        ),
        _inspect, any_time=True,
    ),
    "end_early": Step(
        "Set an earlier end", "Earlier end", Permission.PERMITS, GRANTED, stays, "288-8 E",
        (Asked("ends_on", "Last day", type="day", needed=True),), _end_early, reason=True, before_clock=True,
    ),
    "revoke": Step(
        "Revoke it", "Revoked", Permission.ADVISE, GRANTED, to("revoked"), "288-8 D",
        (
            Asked("by", "Who revokes it", choices={key: BODIES[key] for key in REVOKERS}, needed=True),
            Asked("condition", "Which term is violated", choices=CONDITIONS, needed=True),
        ),
        _revoke, reason=True, before_clock=True,
        help="“subject to revocation without notice … for violation thereof”: it is revoked at once.",
    ),
    "close": Step(
        "Close it", "Vacated", Permission.PERMITS, GRANTED, to("closed"), "288-8 D(7)",
        (_VACATED,), _close,
    ),
    "vacate": Step(
        "Record that it was vacated", "Vacated", Permission.INSPECT, frozenset({"revoked"}), stays, "288-8 D(7)",
        (replace(_VACATED, choices=YES, needed=True),),
        help="A permit that was revoked has ended; what stands in the street stays on the works map until it is gone.",
    ),
}  # fmt: skip

PRIVILEGE = Kind(
    "privilege",
    "Street privilege permit",
    "§ 288-8",
    DRAFT,
    "apply",
    states(expires=True)
    | {"revoked": State("Revoked", "Its terms were violated; it ended at once, without notice.", open=False)},
    EXPIRED,
    STEPS,
    clocks,
    remarks,
    likely,
    book="permit",
    prefix="SP",
    columns=columns,
    work=_work,
    backdating=Permission.BACKDATE,
)
