"""What is measured on a work in the street, held against the law's numbers: complies, violates or undecided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.law import law_on
from gis.measure import Measured, Verdict, judge

Json = dict[str, Any]


@dataclass(frozen=True)
class Limit:
    """A measured quantity and the law's limit for it.

    Parameters
    ----------
    key
        The fact.
    law
        The key of the limit in ``law.toml``.
    at_most
        Whether the limit is the most; else the least.
    """

    key: str
    law: str
    at_most: bool


def held(
    facts: Mapping[str, Any], limits: Iterable[Limit], day: date, least: Mapping[str, float] | None = None
) -> list[Json]:
    """Hold what was measured against the law's limits of a day.

    Parameters
    ----------
    facts
        Measured values, and ``within_in``: to what they were measured, inches, where that was given.
    limits
        Which are held against what.
    day
        Whose law it is.
    least
        Limits that are higher than the law's number, such as the depth of an existing pavement, by fact.

    Returns
    -------
    list of dict
        Of each value given: ``key, value, limit, unit, at_most, verdict, section, law``.
    """
    law, told = law_on(day), []
    for limit in limits:
        value = facts.get(limit.key)
        if value is None:
            continue
        number = law[limit.law]
        bound = max(float(number.value), (least or {}).get(limit.key, 0.0))
        within = float(facts.get("within_in") or 0.0) if number.unit == "in" else 0.0
        verdict = judge(Measured(float(value), within), bound, at_most=limit.at_most)
        told.append(
            {"key": limit.key, "value": value, "limit": bound, "unit": number.unit, "at_most": limit.at_most}
            | {"within": within, "verdict": str(verdict), "section": number.section.removeprefix("§ ")}
            | {"law": number.quotation}
        )
    return told


def failed(judged: Iterable[Json]) -> list[Json]:
    """Return what of the measured values does not comply, or may not."""
    return [one for one in judged if one["verdict"] != str(Verdict.COMPLIES)]
