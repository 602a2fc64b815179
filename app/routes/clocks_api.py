"""The law's clocks by API: which there are, and when one ends that begins with a day or an instant. Nothing is kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import ConfigDict, Field

from app.case_facts import read_day, read_instant
from app.check_words import LETTERS
from app.clock_rules import RULES, Rule, considered_for, due
from app.clocks import LOCAL, Counting, Deadline, said_day, said_instant
from app.decided import counting
from app.deps import AtlasDep
from app.law import LawError, law_on, today
from app.routes.api import answered
from app.routes.register_api import PROBLEMS, Body
from gis.errors import StreetsError

router = APIRouter(prefix="/api/v1", responses={422: PROBLEMS[422]})
Json = dict[str, Any]
REQUEST = "improvement_request"


class Clock(Body):
    """A clock that is asked for: its rule, and the fact that starts it."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"rule": "snow_clear", "from": "2026-03-08T01:30", "now": "2026-03-08T12:00"}},
    )

    rule: Annotated[str, Field(max_length=60, description="A key of `GET /api/v1/clocks`.")]
    start: Annotated[
        str,
        Field(alias="from", max_length=60, description="A day, or an instant; without its zone it is local time."),
    ]
    now: Annotated[
        str | None, Field(max_length=60, description="The instant at which it is asked; now when left out.")
    ] = None


AT_ONCE = {"emergency_tell": "emergency_apply_business_days", "repaving_notify": "clearing_days"}
"""Rules that say "immediately", and the number whose sentence says it."""


@router.get("/clocks", summary="The law's clocks: what starts each, and the section it is of")
def clocks() -> Response:
    """List the rules that `POST /api/v1/clocks` counts, with today's numbers."""
    return answered({"items": [_about(rule) for rule in RULES.values()], "letters": LETTERS})


@router.post("/clocks", summary="When a clock of the law ends that begins with a day or an instant, and how it counts")
def clock(asked: Clock, atlas: AtlasDep) -> Response:
    """Count one clock by the Village's settings of the day on which it is asked."""
    start = _start(asked.start)
    now = datetime.fromisoformat(read_instant(asked.now, "now")) if asked.now else datetime.now(UTC)
    day = start.astimezone(LOCAL).date() if isinstance(start, datetime) else start
    with atlas.database.read() as connection:
        settled = counting(connection, now.astimezone(LOCAL).date())
    try:
        found = due(asked.rule, start, settled)
        more = _considered(day, settled) if asked.rule == REQUEST else {}
    except LawError as error:
        raise LawError(error.message, [replace(fault, field="from") for fault in error.faults]) from error
    return answered({**told(RULES[asked.rule], start, found, now), **more})


def told(rule: Rule, start: date | datetime, found: Deadline, now: datetime) -> Json:
    """Return a clock as it is answered.

    Parameters
    ----------
    rule
        Of the law.
    start
        The fact it was counted from.
    found
        What was counted.
    now
        The instant at which it is asked.

    Returns
    -------
    dict
        ``due`` a day, or an instant in local time with its offset; ``other`` None, or ``due`` and ``reading`` where a
        setting of the Village that is not decided would make it differ; ``over`` None where the two then disagree.
    """
    last = found.at or found.day
    assert last is not None
    other = found.alternative
    known: Json = {"rule": rule.key, "title": rule.title, "section": found.section, "letters": LETTERS}
    known |= {"from": _iso(start), "from_what": rule.from_what, "sense": found.sense}
    known |= {"due": _iso(last), "due_words": _words(last), "counted": found.counted, "reading": found.reading}
    known["other"] = {"due": _iso(other), "reading": found.alternative_reading} if other else None
    return {**known, "over": found.over(now), "now": _iso(now)}


def _considered(day: date, settled: Counting) -> Json:
    year, other = considered_for(day, settled)
    return {"considered_for": year, "considered_for_other": other}


def _start(text: str) -> date | datetime:
    """Read a day or an instant."""
    if len(text.strip()) > len("2026-06-25"):
        return datetime.fromisoformat(read_instant(text, "from"))
    try:
        return date.fromisoformat(read_day(text, "from"))
    except StreetsError as error:
        expected = "a day such as 2026-06-25, or an instant such as 2026-06-25T14:30"
        faults = [replace(fault, expected=expected if "a day such" in fault.expected else fault.expected)
                  for fault in error.faults]  # fmt: skip
        raise StreetsError(error.message, faults) from error


def _about(rule: Rule) -> Json:
    law = law_on(today())
    number = law[rule.number] if rule.number else None
    sentence = law[rule.number or AT_ONCE[rule.key]].quotation
    known: Json = {"key": rule.key, "title": rule.title, "section": rule.section, "starts": rule.starts}
    known |= {"from_what": rule.from_what, "sense": rule.sense, "reading": rule.reading}
    value: float | str | None = number.value if number else None
    if number and number.unit == "day":
        value = "{:02d}-{:02d}".format(*divmod(int(number.value), 100))
    return {**known, "number": value, "unit": number.unit if number else None, "law": sentence}


def _iso(at: date | datetime) -> str:
    return at.astimezone(LOCAL).isoformat() if isinstance(at, datetime) else at.isoformat()


def _words(at: date | datetime) -> str:
    return said_instant(at) if isinstance(at, datetime) else said_day(at)
