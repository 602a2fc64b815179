"""The street opening permit (§§ 288-5, 288-6): application, approval, renewal, emergencies, notices, restoration.

"No person, partnership or corporation, or their agents or employees or contractors, shall make or cause to be made any
opening or excavation in any public street, public alley, public way, public ground, public sidewalk or Village-owned
easement within the Village of Benton without a permit therefor from the Director of Public Works and/or Village
Clerk-Treasurer."

An emergency comes first and its paper later (§ 288-6 H): the permit then begins with the measures, and its clocks with
them. The text contradicts itself in places; each is said beside the permit, and none is settled here.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy.engine import Connection

from app import decided, slips
from app.auth import Permission
from app.case_facts import Asked, Facts, dollars
from app.casework import Kind, Matter, State, Step, Taken, day_of, stays, to
from app.clock_rules import due
from app.clocks import LOCAL, Deadline, local_instant, said_day, said_instant
from app.opening_clocks import NOTICES, STILL, began_at, clocks, last_day, read_clock, valid_until
from app.opening_hindrances import frozen_ground, hindrances, lanes, loss
from app.opening_works import INSPECT, RESTORE, restored, unrestored
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
    check_days,
    check_office,
    columns,
    common_steps,
    granted,
    lacking,
    refuse_if,
    states,
    work,
)
from app.permit_model import (
    decided as decision_of,
)
from app.registers import Row
from gis.errors import StreetsError

IN = {
    "street": "Public street",
    "alley": "Public alley",
    "sidewalk": "Public sidewalk",
    "way": "Another public way",
    "ground": "Public ground",
    "easement": "Village-owned easement",
}
UTILITIES = {
    "sewer": "Sewer", "gas": "Gas main", "water": "Water main", "conduit": "Conduit", "other": "Another utility",
}  # fmt: skip
FROZEN_DAYS = "It runs into the days “between November 15 and April 1”, on which no openings are permitted (§ 288-6 A)."
TERRACES = (
    "“Every effort shall be made to place gas, electric, telephone and television cable lines in street terraces.” "
    "(§ 288-6 I)"
)
DECISIONS = {
    "emergency": Decision("It is an emergency excavation", "288-6 A", ("board", "director")),
    "essential": Decision(
        "Conditions make it absolutely essential in a newly paved street", "288-6 I", ("board", "designee")
    ),
    "lanes": Decision("Less than one lane in each direction is approved", "288-6 B(3)", ("board", "director")),
    "flagger": Decision("A flagman cycles traffic past the work", "288-6 B(3)", ("director", "clerk")),
    "signal": Decision("A temporary traffic control signal cycles traffic", "288-6 B(3)", ("director", "clerk")),
    "trench": Decision("The trench may be longer than the section says", "288-6 B(1)", ("director",)),
    "interruption": Decision("A service may be interrupted as it is planned", "288-6 E(3)", ("board", "director")),
    "fill": Decision("Material that is hauled in is approved prior to use", "288-6 E(2)", ("director",)),
    "boundary": Decision("The pavement replacement area is fixed on the site", "288-6 C(2)", ("director",)),
    "full_lane": Decision("Up to one full lane width is to be replaced", "288-6 C(4)", ("director",)),
    "village_work": Decision("It is Village work under the direction of the Board", "288-5 C", ("board",)),
}
ASKS = (
    *APPLICANT,
    Asked("signed", "Is the application in writing and signed by the applicant or an agent?", choices=YES_NO),
    Asked("in", "What is opened", choices=IN),
    *WHERE,
    Asked("nature", "Nature of the work", long=True),
    Asked("method", "Method of the work", long=True),
    Asked("direction", "Direction of traffic that is taken", "Left empty: both", choices=SIDES, aside=True),
    Asked("pavement", "Pavement that is opened", aside=True,
          choices={"bituminous": "Bituminous", "concrete": "Concrete", "none": "None"}),
    Asked("patches", "Existing patches or further openings close by", "§ 288-6 C(2)", long=True, aside=True),
    Asked("loss_at", "When a utility service will be lost", "If it will be; day and time", type="instant", aside=True),
    Asked("starts_time", "Time of day at which digging begins", "Such as 07:30", most=20, aside=True),
    Asked("emergency", "Is it an emergency (§ 288-6 H)?", choices=YES_NO, aside=True),
    Asked("began_at", "When its measures began", "For an emergency; day and time", type="instant", aside=True),
    Asked("utility", "Which utility does the applicant own or control there?", "For an emergency (§ 288-6 H)",
          choices=UTILITIES, aside=True),
)  # fmt: skip
NEEDED = {"applicant": "288-5 B", "signed": "288-5 B", "location": "288-5 B", "nature": "288-5 B", "method": "288-5 B"}


# --- what each step needs ---


def _apply(taken: Taken) -> Facts:
    facts = taken.facts
    now = {**application(taken.matter), **facts}
    if now.get("emergency") == "yes" and not now.get("utility"):
        expected = (
            f"which of {', '.join(UTILITIES)}: only who owns or controls a utility in or under the public place may "
            "open it first and apply later (§ 288-6 H)"
        )
        raise StreetsError.of("utility", "nothing", expected)
    if now.get("began_at") and datetime.fromisoformat(now["began_at"]) > taken.now:
        found = said_instant(datetime.fromisoformat(now["began_at"]))
        raise StreetsError.of("began_at", f"{found}, which is still to come", "a time that has passed")
    if now.get("starts_time"):
        _check_time(now["starts_time"], now.get("starts_on"))
    return check_days(taken)


def _check_time(text: str, day: str | None) -> None:
    """Refuse a time of day at which digging cannot begin: none, or one that the clocks skip on that day."""
    at, fold = read_clock(text)
    if day:
        try:
            local_instant(date.fromisoformat(day), at, fold)
        except StreetsError as error:
            raise StreetsError(error.message, [replace(one, field="starts_time") for one in error.faults]) from error


def _complete(taken: Taken) -> Facts:
    facts = application(taken.matter)
    missing = lacking(facts, ASKS, {key: section for key, section in NEEDED.items() if key != "signed"})
    if facts.get("signed") != "yes":
        missing.append(
            Hindrance("signed", "288-5 B", facts.get("signed", "nothing"), "a written application, signed: yes")
        )
    if not facts.get("in"):
        missing.append(Hindrance("in", "288-5 A", "nothing", f"what is opened: one of {', '.join(IN)}"))
    refuse_if(missing, "The application is not complete.")
    return taken.facts


def _approve(taken: Taken) -> Facts:
    facts = dict(taken.facts)
    check_office(taken, facts["by"])
    refuse_if(hindrances(taken.matter, facts, taken.at), "The permit cannot be approved as things are.")
    fee = decided.fee_cents(taken.connection, "fee_street_opening", taken.day)
    return facts | ({"fee_due_cents": fee} if fee is not None else {"fee": NOT_SET})


def _start(taken: Taken) -> Facts:
    """Refuse to begin without a hotline ticket (D), or in frozen ground (A); findings tell what was told late."""
    approved = granted(taken.matter.course)
    emergency = application(taken.matter).get("emergency") == "yes"
    if approved is not None and not emergency and taken.day < day_of(approved):
        expected = f"on or after {said_day(day_of(approved))}, when the permit was approved (§ 288-5 A)"
        raise StreetsError.of("at", said_day(taken.day), expected)
    refuse_if(_ticket(taken), "The excavation may not begin yet.")
    begins = _as_begun(taken.matter, taken.day)
    refuse_if(frozen_ground(begins, taken.at), "The excavation may not begin on this day.")
    return taken.facts | {"findings": _late(taken.matter, taken.at)}


def _ticket(taken: Taken) -> list[Hindrance]:
    hotline = taken.matter.course.first("notice", to="hotline")
    if hotline is not None and hotline["at"] <= taken.at:
        return []
    return [Hindrance("ticket", "288-6 D(1)", "no Digger’s Hotline ticket by then", "its ticket, recorded as a notice")]


def _village_work(taken: Taken) -> Facts:
    """Begin Village work: § 288-5 and its permit do not apply to it, § 288-6 does (§ 288-5 C)."""
    matter, at = taken.matter, taken.at
    stands = []
    if decision_of(matter.course, "village_work", at) is None:
        cure = "its decision: “Village excavation work done under the direction of the Village Board”"
        stands.append(Hindrance("village_work", "288-5 C", "no direction of the Board by then", cure))
    begins = _as_begun(matter, taken.day)
    stands += [*_ticket(taken), *frozen_ground(begins, at), *lanes(matter, taken.facts, at), *loss(matter, at)]
    refuse_if(stands, "The Village’s work may not begin as things are.")
    return taken.facts | {"findings": _late(matter, at)}


def _as_begun(matter: Matter, day: date) -> Matter:
    """Return a permit as if its work began on a day: what is frozen then counts, whatever was planned."""
    moved = {
        "id": 10**12,
        "what": "amend",
        "at": datetime.max.replace(tzinfo=UTC),
        "facts": {"starts_on": day.isoformat()},
    }
    return replace(matter, course=replace(matter.course, events=(*matter.course.events, moved)))


def _late(matter: Matter, at: datetime) -> list[str]:
    """Tell which notices came too late, or not at all, for work that began at an instant (B(4), F)."""
    if application(matter).get("emergency") == "yes":
        return []
    told, day = [], at.astimezone(LOCAL).date()
    for key, rule, start in (
        ("director", "director_notice", at),
        ("clerk", "affected_notice", day),
        ("affected", "affected_notice", day),
    ):
        last = due(rule, start, matter.counting)
        given = matter.course.first("notice", to=key)
        if given is None or last.passed(given["at"]):
            when = f"on {said_instant(given['at'])}" if given else "never, as far as it is recorded"
            told.append(f"{NOTICES[key]}: told {when}; it was to be by {_said(last)} (§ {last.section}).")
    return told


def _said(deadline: Deadline) -> str:
    return said_day(deadline.day) if deadline.day else said_instant(deadline.due_at)


def _notice(taken: Taken) -> Facts:
    facts, to_whom = dict(taken.facts), taken.facts["to"]
    if to_whom == "hotline" and not facts.get("ticket"):
        raise StreetsError.of("ticket", "nothing", "the number of the ticket of Digger’s Hotline (§ 288-6 D(1))")
    if to_whom == "director":
        missing = {key: "288-6 B(4)" for key in ("location", "extent") if not facts.get(key)}
        refuse_if(lacking(facts, _NOTICE, missing), "The notice of B(4) says the location and extent.")
    if to_whom == "properties" and facts.get("how") not in {"writing", "personal"}:
        found = facts.get("how", "nothing")
        raise StreetsError.of("how", found, "writing or personal: “in writing or by personal contact” (§ 288-6 B(5))")
    if to_whom == "backfill":
        if not facts.get("for_at"):
            raise StreetsError.of("for_at", "nothing", "when backfilling or restoring begins (§ 288-6 F)")
        last = due("backfill_notice", datetime.fromisoformat(facts["for_at"]), taken.matter.counting)
        late = last.at is not None and taken.at > last.at
        facts["findings"] = [f"It was to be by {_said(last)} (§ {last.section})."] if late else []
    return facts


def _renew(taken: Taken) -> Facts:
    """Grant a renewal: operations begun and continuing, a written request while it was valid, and the fee (E)."""
    facts, course = taken.facts, taken.matter.course
    valid, stands = valid_until(taken.matter), list[Hindrance]()
    assert valid is not None
    until, asked = last_day(valid), date.fromisoformat(facts["requested_on"])
    if asked > taken.day:
        raise StreetsError.of("requested_on", said_day(asked), f"a day until {said_day(taken.day)}, when it is renewed")
    if course.first("start") is None:
        stands.append(Hindrance("start", "288-5 E", "no work has begun", "operations that have begun under the permit"))
    if facts.get("continuing") != "yes":
        stands.append(Hindrance("continuing", "288-5 E", facts.get("continuing", "nothing"), "that the work continues "
                                "beyond the validation period: yes"))  # fmt: skip
    if asked > until:
        stands.append(Hindrance("requested_on", "288-5 E", said_day(asked),
                                f"a written request by {said_day(until)}; after it a new application"))  # fmt: skip
    fee = decided.fee_cents(taken.connection, "fee_opening_renewal", taken.day)
    if fee is None:
        stands.append(
            Hindrance("fee", "288-5 E", NOT_SET, "the fee of § 173-1, filled in under what the Village settles")
        )
    elif facts.get("paid_cents", 0) < fee:
        found = dollars(facts.get("paid_cents", 0))
        stands.append(Hindrance("paid_cents", "288-5 E", found, f"the renewal fee, {dollars(fee)}"))
    refuse_if(stands, "The permit cannot be renewed as things are.")
    check_office(taken, "clerk")
    facts |= {"findings": [FROZEN_DAYS]} if _runs_into_frost(taken, until) else {}
    return facts | {"until": last_day(due("opening_renewed", until, taken.matter.counting)).isoformat()}


def _runs_into_frost(taken: Taken, until: date) -> bool:
    """Say whether a renewal runs into the days on which no opening is permitted (§ 288-6 A)."""
    renewed = last_day(due("opening_renewed", until, taken.matter.counting))
    during = [until + timedelta(days=n) for n in range(1, (renewed - until).days + 1)]
    moved = [frozen_ground(_as_begun(taken.matter, day), local_instant(day, time(12))) for day in during]
    return any(moved)


def _withdraw(taken: Taken) -> Facts:
    """Refuse that an emergency's opening is forgotten: what was opened is restored (§ 288-5 F(1))."""
    if application(taken.matter).get("emergency") == "yes" and taken.facts.get("nothing_opened") != "yes":
        found = taken.facts.get("nothing_opened", "nothing")
        cure = "yes, that nothing was opened; what was opened is applied for and restored"
        refuse_if([Hindrance("nothing_opened", "288-5 F(1)", found, cure)], "An emergency is not withdrawn so.")
    return taken.facts


def _close(taken: Taken) -> Facts:
    told = unrestored(taken.matter, nothing_opened=taken.facts.get("nothing_opened") == "yes")
    stands = [Hindrance(key, section, found, cure) for key, section, found, cure in told]
    refuse_if(stands, "The permit cannot be closed as things are.")
    return taken.facts


# --- what is said beside it ---


def remarks(connection: Connection, matter: Matter) -> list[str]:
    """Say what an opening leans on that is assumed or unknown, and where the text contradicts itself."""
    course, facts, told = matter.course, application(matter), []
    approved = granted(course)
    day = day_of(approved) if approved else matter.case["opened_at"].astimezone(LOCAL).date()
    if decided.fee_cents(connection, "fee_street_opening", day) is None:
        told.append(f"The permit’s {NOT_SET}: the fee is “as prescribed in § 173-1, Fee schedule, plus actual Village "
                    "expenses” (§ 288-5 F(2)).")  # fmt: skip
    if not facts.get("place") and course.state in STILL:
        told.append("No outline is drawn: the street, its age and the lanes that are left were not checked.")
    told += _unpaid(approved) + _outside(matter)
    for event in (*course.of("start"), *course.of("renew"), *course.of("notice"), *course.of("village_work")):
        told += event["facts"].get("findings") or ()
    keys = {"warning_lights"}
    if facts.get("emergency") == "yes":
        keys |= {"emergency_subsection", "emergency_in_new_street", "pavement_days"}
    if facts.get("loss_at"):
        keys |= {"loss_of_service", "emergency_subsection"}
    if facts.get("pavement") == "bituminous" or course.of("restore"):
        keys |= {"bituminous_depth", "pavement_days"}
    told += [f"{slip.title}: {slip.told}" for slip in slips.every() if slip.key in keys]
    if course.first("village_work"):
        told.append("Village work under the direction of the Village Board: § 288-5 and its permit do not apply to it "
                    "(§ 288-5 C); § 288-6 does.")  # fmt: skip
    if course.state in STILL:
        told.append(TERRACES)
    return told


def _unpaid(approved: Row | None) -> list[str]:
    """Say that the fee of an approved permit is not recorded as paid."""
    facts = approved["facts"] if approved else {}
    owed = (facts.get("fee_due_cents") or 0) - (facts.get("paid_cents") or 0)
    return [f"{dollars(owed)} of the fee are not recorded as paid (§ 288-5 F(2))."] if owed > 0 else []


def _outside(matter: Matter) -> list[str]:
    """Say that the outline that was measured opens no public place, though the application names one."""
    events = [*matter.course.of("approve"), *matter.course.of("complete")]
    rows = [
        row for one in events for row in ((one["facts"].get("checks") or {}).get("excavation") or {}).get("rows", ())
    ]
    clear = any(row["quantity"] == "area_sqft" and row["verdict"] == "complies" for row in rows)
    return ["The outline opens no public place, as it was measured: is it drawn where the work is?"] if clear else []


def likely(matter: Matter, over: bool | None) -> str:
    """Return the step that is likely next."""
    course = matter.course
    if course.state == DRAFT:
        return "complete"
    if course.state == COMPLETE:
        return "approve"
    if course.state == APPROVED:
        return "start" if course.first("notice", to="hotline") else "notice"
    if restored(matter):
        return "close"
    return "restore" if over else "inspect"


def _work(matter: Matter) -> Json | None:
    course, facts = matter.course, application(matter)
    emergency = facts.get("emergency") == "yes"
    if course.state in PENDING and not emergency:
        return None
    if course.state in {"withdrawn", "refused"} and course.first("start") is None:
        return None
    until = valid_until(matter)
    done = restored(matter) or course.latest("close")
    last = until.day if until else None
    found = work(matter, "opening", last, done, "opening_permit")
    began = course.first("village_work")
    if found and began:
        found["starts_on"] = day = day_of(began)
        found["ends_on"] = max(found["ends_on"], day) if found["ends_on"] else None
        right = {"kind": "village_work", "act": matter.case["number"], "from": day.isoformat(), "until": None}
        found["authorisation"] = right
    first = course.first("apply")
    if found and emergency and first and not course.first("start"):
        began_on = (began_at(matter) or first["at"]).astimezone(LOCAL).date()
        found["starts_on"] = min(began_on, found["starts_on"] or began_on)
    return found


_NOTICE = (
    Asked("to", "Who is told", choices=NOTICES, needed=True),
    Asked("how", "How", choices={"writing": "In writing", "personal": "By personal contact", "other": "Otherwise"}),
    Asked("ticket", "Number of the hotline’s ticket", most=60),
    Asked("location", "Location", most=300),
    Asked("extent", "Extent of the excavation", most=300),
    Asked("for_at", "When backfilling or restoring begins", type="instant", aside=True),
    Asked("whom", "To whom", "Names or addresses, a line each", long=True, private=True, aside=True),
)
_BY = Asked("by", "Who approves", choices={key: BODIES[key] for key in ("director", "clerk")}, needed=True)
_common = common_steps(ASKS, DECISIONS, section="288-5 B")
_EXEMPT = {
    "exempt": State(
        "Village work", "Work under the direction of the Village Board: no permit is needed; § 288-6 governs it."
    )
}
_STEPS = {
    **_common,
    "apply": replace(_common["apply"], check=_apply),
    "amend": replace(_common["amend"], check=_apply),
    "withdraw": replace(
        _common["withdraw"], check=_withdraw,
        asks=(Asked("nothing_opened", "Was nothing opened?", "Of an emergency", choices=YES_NO, aside=True),),
    ),
    "told": Step(
        "Record that the Village office was told", "Village office told", Permission.PERMITS, OPEN, stays, "288-6 H",
        (Asked("by", "Who told it", private=True, most=200),), any_time=True,
    ),
    "complete": Step(
        "Record it as complete", "Complete", Permission.PERMITS, frozenset({DRAFT}), to(COMPLETE), "288-5 B",
        (Asked("sufficient", "Is sufficient information submitted?", choices=YES, needed=True),), _complete,
        help="“The Village Clerk-Treasurer shall determine if sufficient information is submitted.”",
    ),
    "approve": Step(
        "Approve it", "Approved", Permission.PERMITS, frozenset({COMPLETE}), to(APPROVED), "288-5 A, D",
        (
            _BY,
            Asked("receipt", "Number of the receipt for the fee", "§ 288-5 F(2)", most=60, aside=True),
            Asked("paid_cents", "Fee that was paid", "In dollars", type="cents", aside=True),
        ),
        _approve,
        help="It is valid for 30 days from the date of approval, that day excluded and the last day included.",
    ),
    "notice": Step(
        "Record a notice", "Notice given", Permission.PERMITS, OPEN, stays, "288-6 B, D, F", _NOTICE, _notice,
        any_time=True,
    ),
    "start": Step(
        "Record that work has begun", "Work begun", Permission.PERMITS, frozenset({APPROVED}), to(ACTIVE), "288-6 D(1)",
        check=_start, before_clock=True, any_time=True,
    ),
    "village_work": Step(
        "Begin it as Village work", "Begun as Village work", Permission.PERMITS, PENDING, to("exempt"), "288-5 C",
        check=_village_work,
        help="“The provisions of this section shall not apply to Village excavation work done under the direction of "
        "the Village Board.” Only the permit is waived: § 288-6 governs the work.",
    ),
    "inspect": INSPECT,
    "restore": RESTORE,
    "renew": Step(
        "Renew it", "Renewed", Permission.PERMITS, frozenset({ACTIVE}), stays, "288-5 E",
        (
            Asked("requested_on", "Day of the written request", type="day", needed=True),
            Asked("continuing", "Will operations continue beyond the validation period?", choices=YES_NO, needed=True),
            Asked("paid_cents", "Renewal fee that was paid", "In dollars", type="cents"),
            Asked("receipt", "Number of the receipt", most=60),
        ),
        _renew, reason=False, offers_reason=True,
        help="“Permit renewals shall be issued at the discretion of the Village Clerk-Treasurer.”",
    ),
    "close": Step(
        "Close it", "Closed", Permission.PERMITS, GRANTED, to("closed"), "288-5 F(1)",
        (Asked("nothing_opened", "Was nothing opened?", choices=YES_NO, aside=True),), _close,
    ),
}  # fmt: skip
_OF_WORK = ("notice", "told", "inspect", "restore", "decide", "note", "assign", "close")
"""Steps that work without a permit has too."""
STEPS = {
    name: replace(step, states=step.states | {"exempt"}) if name in _OF_WORK else step for name, step in _STEPS.items()
}
OPENING = Kind(
    "opening",
    "Street opening permit",
    "§§ 288-5, 288-6",
    DRAFT,
    "apply",
    states(expires=True) | _EXEMPT,
    EXPIRED,
    STEPS,
    clocks,
    remarks,
    likely,
    book="permit",
    prefix="SO",
    columns=columns,
    work=_work,
    backdating=Permission.BACKDATE,
)
