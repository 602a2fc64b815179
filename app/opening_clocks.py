"""The clocks of a street opening (§§ 288-5, 288-6): its validity, its notices, an emergency's paper, its pavement."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time

from app.case_facts import Facts, read_time
from app.casework import Clock, Matter, day_of
from app.clock_rules import RULES, due
from app.clocks import Deadline, local_instant
from app.opening_works import restored
from app.permit_model import APPROVED, GRANTED, OPEN, application, granted
from app.registers import Row
from gis.errors import StreetsError

STILL = OPEN | {"exempt"}
"""States in which the work is not done: those of a permit, and Village work without one."""
NOTICES = {
    "director": "The Director of Public Works, 24 hours before the excavation (B(4))",
    "clerk": "The Village Clerk-Treasurer, one business day before the work (F)",
    "affected": "All affected, one business day before the work (F)",
    "properties": "Properties that lose a utility service, 12 hours before (B(5))",
    "backfill": "The Village Clerk-Treasurer, four hours before backfilling (F)",
    "hotline": "Digger’s Hotline, prior to excavation (D)",
}


def valid_until(matter: Matter) -> Deadline | None:
    """Return the clock of D and E: 30 days from approval, and 30 days for each renewal; None before approval."""
    approved = granted(matter.course)
    if approved is None:
        return None
    found = due("opening_valid", day_of(approved), matter.counting)
    for _ in matter.course.of("renew"):
        found = due("opening_renewed", last_day(found), matter.counting)
    return found


def last_day(deadline: Deadline) -> date:
    """Return the last day of a clock of days."""
    assert deadline.day is not None
    return deadline.day


def clocks(matter: Matter) -> list[Clock]:
    """Read every clock of an opening off its events.

    Parameters
    ----------
    matter
        The permit.

    Returns
    -------
    list of Clock
        Of its validity first; those of notices, of the emergency, and of the pavement.
    """
    course, facts = matter.course, application(matter)
    found = []
    valid = valid_until(matter)
    if valid is not None:
        state = course.state if course.state in GRANTED else APPROVED
        found.append(Clock("valid", RULES["opening_valid"].title, state, valid, office="permittee"))
    emergency = facts.get("emergency") == "yes"
    found += _emergency(matter) if emergency else _notices(matter, facts)
    return [*found, *_pavement(matter, emergency=emergency)]


def _clock(matter: Matter, key: str, rule: str, start: date | datetime, office: str, done: Row | None) -> Clock:
    return Clock(
        key, RULES[rule].title, "", due(rule, start, matter.counting), "", office, done["at"] if done else None
    )


def _emergency(matter: Matter) -> list[Clock]:
    """Return the clocks of H: the office is told immediately, and the permit applied for on the next business day."""
    course = matter.course
    first = course.first("apply", emergency="yes") or course.first("amend", emergency="yes")
    if first is None:
        return []
    told, applied = course.first("told"), course.first("complete")
    began = began_at(matter) or first["at"]
    return [
        _clock(matter, "tell", "emergency_tell", began, "permittee", told),
        _clock(matter, "apply", "emergency_apply", began, "permittee", applied),
    ]


def began_at(matter: Matter) -> datetime | None:
    """Return when emergency measures began, as the application says; None where it does not."""
    told = application(matter).get("began_at")
    return datetime.fromisoformat(told) if told else None


def _notices(matter: Matter, facts: Facts) -> list[Clock]:
    course, found = matter.course, []
    begun = course.first("start") or course.first("village_work")
    if facts.get("starts_on") and course.state in STILL:
        day = date.fromisoformat(facts["starts_on"])
        clock, fold = read_clock(facts["starts_time"]) if facts.get("starts_time") else (time(), None)
        at = local_instant(day, clock, fold)
        rows = (
            ("director", "director_notice", at),
            ("clerk", "affected_notice", day),
            ("affected", "affected_notice", day),
        )
        for key, rule, start in rows:
            done = course.first("notice", to=key)
            if begun is not None and done is None:
                continue  # it is too late to give it: the beginning says so
            one = _clock(matter, f"notice_{key}", rule, start, "permittee", done)
            unknown = key == "director" and not facts.get("starts_time")
            how = "No time of day is planned: counted from midnight." if unknown else ""
            found.append(replace(one, title=NOTICES[key], reading=how))
    if facts.get("loss_at"):
        at = datetime.fromisoformat(facts["loss_at"])
        done = course.first("notice", to="properties")
        found.append(_clock(matter, "notice_properties", "utility_notice", at, "permittee", done))
    return found


def _pavement(matter: Matter, *, emergency: bool) -> list[Clock]:
    """Return the clocks of G: 60 days from the permit, June 1 after a winter emergency, three days over concrete."""
    course, found = matter.course, []
    approved, permanent = granted(course), restored(matter)
    opened = emergency or course.first("start") or course.of("restore")
    if approved is not None and opened and application(matter).get("pavement") != "none":
        found.append(_clock(matter, "pavement", "permanent_pavement", day_of(approved), "permittee", permanent))
    cold = course.latest("restore", surface="cold_mix")
    if emergency and cold is not None:
        first = course.first("apply") or cold
        began = began_at(matter) or first["at"]
        found.append(_clock(matter, "winter", "winter_pavement", began, "permittee", permanent))
    concrete = course.latest("restore", surface="concrete")
    if concrete is not None:
        found.append(_clock(matter, "concrete", "concrete_open", day_of(concrete), "permittee", None))
    return found


def read_clock(text: str) -> tuple[time, int | None]:
    """Read a time of day, such as ``07:30``, and which of two where it is said: ``1:30 CST``.

    Raises
    ------
    StreetsError
        It is none.
    """
    try:
        return read_time(text)
    except StreetsError as error:
        raise StreetsError.of("starts_time", text, "a time of day such as 07:30") from error
