"""What stands in the way of an opening (§ 288-6): frozen ground, a new street, lanes that are left, loss of service.

Each is lifted by what the law says lifts it, recorded as a decision by the day of the act that it is to allow.
"""

from __future__ import annotations

from datetime import date, datetime

from app.casework import Matter
from app.clocks import LOCAL, between, said_day, said_instant
from app.law import law_on
from app.permit_model import Hindrance, Json, application, decided, granted, said_law
from gis.measure import Verdict

FROZEN_IN = frozenset({"street", "alley", "sidewalk", "way"})
"""Where § 288-6 A counts: it names no public grounds and no easements."""


def hindrances(matter: Matter, measured: Json, at: datetime) -> list[Hindrance]:
    """Return what stands in the way of approving an opening at an instant.

    Parameters
    ----------
    matter
        The permit.
    measured
        ``checks`` and ``conflicts`` of its outline, where it has one; ``by``: who would approve it.
    at
        When it would be approved.

    Returns
    -------
    list of Hindrance
        Each with its section and what would cure it.
    """
    frozen = frozen_ground(matter, at, measured.get("by", ""))
    return [*frozen, *_new_street(matter, measured, at), *lanes(matter, measured, at), *loss(matter, at)]


def _found_emergency(matter: Matter, at: datetime, by: str) -> bool:
    """Say whether an emergency was determined: by a decision, or by the Director who approves it."""
    approved = granted(matter.course)
    approver = approved["facts"].get("by") if approved else by
    directors = approver == "director" and application(matter).get("emergency") == "yes"
    return directors or decided(matter.course, "emergency", at) is not None


def frozen_ground(matter: Matter, at: datetime, by: str = "") -> list[Hindrance]:
    """Refuse an opening between Nov 15 and Apr 1, both days closed, unless it is found to be an emergency (A)."""
    facts, day = application(matter), at.astimezone(LOCAL).date()
    if facts.get("in") not in FROZEN_IN or _found_emergency(matter, at, by):
        return []
    law = law_on(day)
    first, last = (divmod(int(law[key].value), 100) for key in ("frozen_from", "frozen_to"))
    starts = date.fromisoformat(facts["starts_on"]) if facts.get("starts_on") else day
    frozen = next((one for one in (day, starts) if between(one, first, last)), None)
    if frozen is None:
        return []
    cure = f"a day that is not within, or a finding of the Board or the Director: {said_law(law, 'frozen_from')}"
    return [Hindrance("frozen_ground", "288-6 A", said_day(frozen), cure)]


def _new_street(matter: Matter, measured: Json, at: datetime) -> list[Hindrance]:
    """Refuse an opening in a street improved or repaved within five years, unless it is absolutely essential (I).

    "After such permanent improvement or repaving, no permit shall be issued": the day that counts is the permit's own.
    """
    day, closed = at.astimezone(LOCAL).date(), measured.get("closed")
    if not closed or not closed["improved_on"] <= day.isoformat() <= closed["until"]:
        return []
    if decided(matter.course, "essential", at):
        return []
    told = f"{said_day(day)}, within the five years that end on {said_day(date.fromisoformat(closed['until']))}"
    return [Hindrance("new_street", "288-6 I", told, "the opinion of the Board or its designee that it is absolutely "
                      "essential, or a day after them")]  # fmt: skip


def lanes(matter: Matter, measured: Json, at: datetime) -> list[Hindrance]:
    """Ask for approval, a flagman or a signal where less than a lane is left in a direction (B(3))."""
    checks = measured.get("checks") or {}
    short = [row for row in checks.get("lanes", {}).get("rows", []) if row["verdict"] == str(Verdict.VIOLATES)]
    met = [one for one in measured.get("conflicts") or [] if one["kind"] == "lanes"]
    together = [one for one in met if one["verdict"] == str(Verdict.VIOLATES)]
    if not (short or together) or any(decided(matter.course, key, at) for key in ("lanes", "flagger", "signal")):
        return []
    told = short[0]["note"] if short else together[0]["note"]
    cure = "an approval otherwise, a flagman or a temporary traffic control signal, recorded as a decision"
    return [Hindrance("lanes", "288-6 B(3)", told or "less than one lane in a direction", cure)]


def loss(matter: Matter, at: datetime) -> list[Hindrance]:
    """Ask for a decision where a service is to be interrupted: B(5) plans its loss, E(3) forbids interrupting it."""
    facts = application(matter)
    if not facts.get("loss_at") or facts.get("emergency") == "yes" or decided(matter.course, "interruption", at):
        return []
    found = f"a loss of service on {said_instant(datetime.fromisoformat(facts['loss_at']))}"
    return [Hindrance("interruption", "288-6 E(3)", found, "a recorded decision: the text plans a loss of service in "
                      "B(5) and forbids an interruption in E(3)")]  # fmt: skip
