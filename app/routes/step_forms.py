"""Forms of steps, whatever kind of case they are of: what was sent, what it gives, and what is told beside a field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Request

from app.case_facts import Asked, dollars, happened
from app.casework import Step
from app.clocks import LOCAL
from app.routes.forms import faults_of, read_day
from gis.errors import StreetsError

Json = dict[str, Any]
OWN = ("date", "time", "reason")
"""Fields of every step's form beside its facts."""


async def _sent(request: Request) -> dict[str, str]:
    """Return a form's texts: which fields it has depends on the kind of case and the step."""
    form = await request.form(max_files=0, max_fields=100)
    return {key: value for key, value in form.items() if isinstance(value, str)}


Sent = Annotated[dict[str, str], Depends(_sent)]


def keys_of(step: Step) -> tuple[str, ...]:
    """Return the names of the fields of a step's form."""
    return (*(asked.key for asked in step.asks), *OWN)


def given(step: Step, sent: Mapping[str, str], now: datetime) -> Json:
    """Return what a form gives of a step, with when it happened.

    Parameters
    ----------
    step
        The step.
    sent
        The form's texts.
    now
        The instant it is sent.

    Returns
    -------
    dict
        The facts that were filled in, ``reason``, and ``at`` where a day or time was.

    Raises
    ------
    StreetsError
        A day or a time of day that cannot be read, or is still to come.
    """
    told: Json = {**facts(step, sent), "reason": sent.get("reason", "")}
    if step.document:
        return told
    typed, clock = sent.get("date", ""), sent.get("time", "")
    today = now.astimezone(LOCAL).date()
    day = read_day(typed, "date") if typed.strip() else today
    at, day_only = happened(day, clock, now)
    if day != today or not day_only:
        told["at"] = day.isoformat() if day_only else at.isoformat()
    return told


def facts(step: Step, sent: Mapping[str, str]) -> Json:
    """Return the facts of a step that were filled in."""
    return {asked.key: sent[asked.key] for asked in step.asks if sent.get(asked.key, "").strip()}


def beside(error: StreetsError, keys: Iterable[str]) -> dict[str, str]:
    """Return what is wrong by the field it is told beside; when it happened is told beside its day."""
    told = faults_of(error, (*keys, "at"))
    if "at" in told:
        told["date"] = " ".join(part for part in (told.pop("at"), told.get("date", "")) if part)
    return told


def typed(asks: Iterable[Asked], known: Mapping[str, Any]) -> dict[str, str]:
    """Write facts that are kept as their fields take them.

    Parameters
    ----------
    asks
        The fields.
    known
        The facts, by name.

    Returns
    -------
    dict
        A text for each that is known.
    """
    return {asked.key: _typed(asked, known[asked.key]) for asked in asks if known.get(asked.key) is not None}


def _typed(asked: Asked, value: Any) -> str:
    match asked.type:
        case "cents":
            return dollars(int(value)).removeprefix("$")
        case "instant":
            return datetime.fromisoformat(value).astimezone(LOCAL).strftime("%Y-%m-%dT%H:%M")
        case "in" | "ft" | "percent":
            return f"{value:g}"
    return str(value)
