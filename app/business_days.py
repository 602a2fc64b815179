"""Business days and legal holidays: what a day is to the office, by the list of `holidays.toml`. Pure arithmetic.

Election days are legal holidays by the statute; whether business days too is a reading, so they are asked for.
"""

from __future__ import annotations

import calendar
import tomllib
from collections.abc import Collection, Mapping
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dateutil import relativedelta as calendar_rules

HOLIDAYS_FILE = Path(__file__).with_name("holidays.toml")


def legal_holidays(year: int, *, elections: bool = True) -> Mapping[date, str]:
    """Return the legal holidays of a year and their names; one on a Sunday stands on the succeeding Monday.

    Parameters
    ----------
    year
        The year.
    elections
        Whether election days are wanted: they are legal holidays, but whether business days is a setting.

    Returns
    -------
    Mapping
        By day.
    """
    return _holidays(year, elections)


def business_day(day: date, *, closures: Collection[date] = (), elections: bool = False) -> bool:
    """Say whether a day is Monday to Friday, no legal holiday and no closure of the Village.

    Parameters
    ----------
    day
        The day.
    closures
        Further days the Village's office is closed.
    elections
        Whether election days are no business days: the Village's setting.

    Returns
    -------
    bool
        Whether it is one.
    """
    return day.weekday() < calendar.SATURDAY and day not in closures and day not in _holidays(day.year, elections)


def next_business_day(day: date, *, closures: Collection[date] = (), elections: bool = False) -> date:
    """Return the first business day after a day; `closures` and `elections` as in `business_day`."""
    after = day + timedelta(days=1)
    while not business_day(after, closures=closures, elections=elections):
        after += timedelta(days=1)
    return after


def previous_business_day(day: date, *, closures: Collection[date] = (), elections: bool = False) -> date:
    """Return the last business day before a day; `closures` and `elections` as in `business_day`."""
    before = day - timedelta(days=1)
    while not business_day(before, closures=closures, elections=elections):
        before -= timedelta(days=1)
    return before


def secular(day: date) -> bool:
    """Say whether a day is no Sunday and no legal holiday, election days included."""
    return day.weekday() != calendar.SUNDAY and day not in _holidays(day.year, True)


def secular_day(day: date) -> date:
    """Return a day, or the first after it that is no Sunday and no legal holiday."""
    while not secular(day):
        day += timedelta(days=1)
    return day


def why_closed(day: date) -> str:
    """Say what a day is that is not secular."""
    holiday = _holidays(day.year, True).get(day)
    return f"a legal holiday ({holiday})" if holiday else "a Sunday"


@lru_cache(maxsize=256)
def _holidays(year: int, elections: bool) -> Mapping[date, str]:
    found: dict[date, str] = {}
    for rule in _rules():
        if (rule.get("election") and not elections) or (rule.get("even_years") and year % 2):
            continue
        day = _day_of(rule, year)
        if day.weekday() == calendar.SUNDAY:
            found[day + timedelta(days=1)] = f"the Monday after {rule['name']}"
        else:
            found[day] = rule["name"]
    return MappingProxyType(dict(sorted(found.items())))


@lru_cache(maxsize=1)
def _rules() -> tuple[Mapping[str, Any], ...]:
    return tuple(tomllib.loads(HOLIDAYS_FILE.read_text(encoding="utf-8"))["holiday"])


def _day_of(rule: Mapping[str, Any], year: int) -> date:
    if "day" in rule:
        return date(year, rule["month"], rule["day"])
    weekday = getattr(calendar_rules, rule["weekday"])(rule["nth"])
    from_day = rule.get("from_day", 1 if rule["nth"] > 0 else 31)
    day: date = date(year, rule["month"], 1) + calendar_rules.relativedelta(day=from_day, weekday=weekday)
    return day
