"""How the law's time is counted: days, hours, months, business days. Pure arithmetic; every start is an argument.

Local time is America/Chicago; instants are returned in UTC, so that two of them subtract to elapsed time. Whether
Wis. Stat. § 990.001(4) governs (hours skip Sundays and legal holidays, a last day on one moves on) is a setting of
the Village: unset, nothing is skipped and nothing moves, and where the answer would differ both are given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from dateutil import relativedelta as calendar_rules

from app.business_days import secular, secular_day, why_closed
from gis.errors import StreetsError

LOCAL = ZoneInfo("America/Chicago")
RULE = "Wis. Stat. § 990.001(4)"
EARLIEST = date(1900, 1, 1)
"""The earliest day that is taken; one before it is a slip in the year."""
OFFICE_HOURS = (time(8), time(17))
"""Assumed; they matter only for whether the office is open."""

_UNSET = f"Whether {RULE} governs is not decided: nothing is skipped and nothing moves."
_ON = f"{RULE} governs by the Village's setting."
_OFF = f"{RULE} does not govern by the Village's setting."


class ClockError(StreetsError):
    """A time that does not exist, that is one of two, or a count that is none."""


@dataclass(frozen=True)
class Counting:
    """How the Village counts time where the law leaves it open; nothing is decided until the Village decides it.

    Parameters
    ----------
    skip_rule
        Whether § 990.001(4) governs; None where that is not decided.
    closures
        Further days on which the Village's office is closed.
    elections
        Whether election days are no business days; None where that is not decided, which is read as no.
    """

    skip_rule: bool | None = None
    closures: frozenset[date] = frozenset()
    elections: bool | None = None


@dataclass(frozen=True)
class Deadline:
    """A day or an instant by which something is due, and how it was counted.

    Parameters
    ----------
    day
        The last day that serves, to its end (24:00 local); None where hours are counted.
    at
        The last instant that serves, in UTC; None where days are counted.
    section
        The section of the law.
    counted
        How it was counted, in words.
    reading
        How the law was read where it leaves a choice, or ``""``.
    alternative
        The answer under the other reading, where it differs.
    alternative_reading
        What the other reading says, or ``""``.
    sense
        ``by``: it is due by then; ``from``: it may be done from then on; ``ends``: what was allowed ends then.
    """

    day: date | None
    at: datetime | None
    section: str
    counted: str
    reading: str
    alternative: date | datetime | None = None
    alternative_reading: str = ""
    sense: str = "by"

    def passed(self, now: datetime) -> bool:
        """Say whether it is over at an instant; of what may be done ``from`` then on, whether that has begun.

        It is over after the last day's 24:00, or after the last instant.
        """
        _check_aware(now, "now")
        begins = self.sense == "from"
        if self.at is not None:
            return now.astimezone(UTC) > self.at or (begins and now.astimezone(UTC) == self.at)
        assert self.day is not None
        today = now.astimezone(LOCAL).date()
        return today >= self.day if begins else today > self.day

    def over(self, now: datetime) -> bool | None:
        """Say whether it is over at an instant; None where it is under one reading and is not under the other."""
        other = self.alternative
        if other is None:
            return self.passed(now)
        day, at = (None, other) if isinstance(other, datetime) else (other, None)
        both = {self.passed(now), replace(self, day=day, at=at).passed(now)}
        return both.pop() if len(both) == 1 else None

    @property
    def due_at(self) -> datetime:
        """The instant, UTC, with which the last day ends, or a first day begins; where hours are counted, theirs."""
        return self._edge(self.at or self.day)

    @property
    def over_at(self) -> datetime:
        """The instant, UTC, with which it has ended, or begun, under either reading."""
        return max(self.due_at, self._edge(self.alternative)) if self.alternative else self.due_at

    def _edge(self, last: date | datetime | None) -> datetime:
        if isinstance(last, datetime):
            return last.astimezone(UTC)
        assert last is not None
        midnight = last if self.sense == "from" else last + timedelta(days=1)
        return datetime.combine(midnight, time(), LOCAL).astimezone(UTC)


def within_days(start: date, days: int, section: str, *, skip_rule: bool | None = None) -> Deadline:
    """Count "within n days" or "n days from": the first day excluded, the last included.

    Parameters
    ----------
    start
        The day of the fact that starts the clock.
    days
        How many.
    section
        The section that gives them.
    skip_rule
        Whether § 990.001(4) moves a last day on a Sunday or legal holiday; None where the Village has not decided.

    Returns
    -------
    Deadline
        Its day; undecided, the day the rule would move it to as the alternative, where that differs.
    """
    _check_count(days, "days")
    counted = f"{_count(days, 'day')} from {said_day(start)}: that day excluded, the last day included to its end."
    return on_or_before(start + timedelta(days=days), section, counted, skip_rule=skip_rule)


def on_or_before(last: date, section: str, counted: str, *, skip_rule: bool | None = None) -> Deadline:
    """Return a last day as it stands, or as § 990.001(4) moves it; undecided, both where they differ.

    Parameters
    ----------
    last
        The last day before it is moved.
    section
        The section that gives it.
    counted
        How it was counted, in words.
    skip_rule
        As in `within_days`.

    Returns
    -------
    Deadline
        Its day, and the one it would move to as the alternative.
    """
    moved = secular_day(last)
    if skip_rule and moved != last:
        why = f"{said_day(last)} is {why_closed(last)}, so the last day moves to {said_day(moved)}."
        return Deadline(moved, None, section, counted, f"{_ON} {why}")
    reading = {None: _UNSET, True: _ON, False: _OFF}[skip_rule]
    if skip_rule is None and moved != last:
        other = f"{said_day(last)} is {why_closed(last)}; if {RULE} governs, the last day moves to {said_day(moved)}."
        return Deadline(last, None, section, counted, reading, moved, other)
    return Deadline(last, None, section, counted, reading)


def days_before(event: date, days: int, section: str) -> Deadline:
    """Count "at least n days before" an event: the event's day excluded.

    Parameters
    ----------
    event
        The day of the event.
    days
        How many.
    section
        The section that gives them.

    Returns
    -------
    Deadline
        The latest day that still serves. It never moves: a later one would leave too few days.
    """
    _check_count(days, "days")
    counted = f"At least {_count(days, 'day')} before {said_day(event)}: that day excluded; the latest day that serves."
    return Deadline(event - timedelta(days=days), None, section, counted, "")


def days_later(start: date, days: int) -> date:
    """Return the first day an event may be held on that must come at least n days after another."""
    _check_count(days, "days")
    return start + timedelta(days=days)


def within_hours(start: datetime, hours: int, section: str, *, skip_rule: bool | None = None) -> Deadline:
    """Count "within n hours": elapsed hours, so that a clock change neither gains nor loses one.

    Parameters
    ----------
    start
        The instant of the fact that starts the clock, aware.
    hours
        How many.
    section
        The section that gives them.
    skip_rule
        Whether § 990.001(4) leaves out Sundays and legal holidays; None where the Village has not decided.

    Returns
    -------
    Deadline
        Its instant; undecided, the instant without Sundays and holidays as the alternative, where that differs.

    Raises
    ------
    ClockError
        A start without a time zone.
    """
    _check_count(hours, "hours")
    _check_aware(start, "start")
    due = start.astimezone(UTC) + timedelta(hours=hours)
    skipped = _skipping(start.astimezone(UTC), timedelta(hours=hours))
    counted = f"{_count(hours, 'elapsed hour')} from {said_instant(start)}."
    without = "Sundays and legal holidays, from midnight to midnight, are left out"
    if skip_rule:
        return Deadline(None, skipped, section, counted, f"{_ON} {without}.")
    if skip_rule is None and skipped != due:
        other = f"If {RULE} governs, {without}: {said_instant(skipped)}."
        return Deadline(None, due, section, counted, _UNSET, skipped, other)
    return Deadline(None, due, section, counted, _UNSET if skip_rule is None else _OFF)


def hours_before(event: datetime, hours: int, section: str, *, skip_rule: bool | None = None) -> Deadline:
    """Count "n hours prior to" an event: elapsed hours back from it.

    Parameters
    ----------
    event
        The instant of the event, aware.
    hours
        How many.
    section
        The section that gives them.
    skip_rule
        As in `within_hours`.

    Returns
    -------
    Deadline
        The latest instant that still serves; undecided, the one without Sundays and holidays as the alternative.

    Raises
    ------
    ClockError
        An event without a time zone.
    """
    _check_count(hours, "hours")
    _check_aware(event, "start")
    due = event.astimezone(UTC) - timedelta(hours=hours)
    skipped = _skipping_back(event.astimezone(UTC), timedelta(hours=hours))
    counted = f"{_count(hours, 'elapsed hour')} before {said_instant(event)}: the latest instant that serves."
    without = "Sundays and legal holidays, from midnight to midnight, are left out"
    if skip_rule:
        return Deadline(None, skipped, section, counted, f"{_ON} {without}.")
    if skip_rule is None and skipped != due:
        other = f"If {RULE} governs, {without}: {said_instant(skipped)}."
        return Deadline(None, due, section, counted, _UNSET, skipped, other)
    return Deadline(None, due, section, counted, _UNSET if skip_rule is None else _OFF)


def months_after(day: date, months: int) -> date:
    """Return the same day of a later month, or that month's last day. A permit that so expires never moves."""
    later: date = day + calendar_rules.relativedelta(months=months)
    return later


def between(day: date, first: tuple[int, int], last: tuple[int, int]) -> bool:
    """Say whether a day lies between two days of the year, month and day, both closed; the turn of the year too."""
    at = (day.month, day.day)
    return first <= at <= last if first <= last else at >= first or at <= last


def year_considered(asked: date, month: int, last_day: int) -> int:
    """Return the year that a request "on or before" a day of the year is considered for: the following one, or after.

    Parameters
    ----------
    asked
        When it was presented.
    month, last_day
        The last day that serves, such as 8 and 1 for August 1 (§ 288-12).

    Returns
    -------
    int
        The next year; after the day, the one after that.
    """
    return asked.year + (1 if (asked.month, asked.day) <= (month, last_day) else 2)


def _skipping(start: datetime, left: timedelta) -> datetime:
    """Go on from an instant, UTC, for a time that stands still on Sundays and legal holidays."""
    day = start.astimezone(LOCAL).date()
    while True:
        midnight = datetime.combine(day + timedelta(days=1), time(), LOCAL).astimezone(UTC)
        if secular(day):
            if start + left <= midnight:
                return start + left
            left -= midnight - start
        start, day = midnight, day + timedelta(days=1)


def _skipping_back(end: datetime, left: timedelta) -> datetime:
    """Go back from an instant, UTC, for a time that stands still on Sundays and legal holidays."""
    day = (end - timedelta(microseconds=1)).astimezone(LOCAL).date()
    while True:
        midnight = datetime.combine(day, time(), LOCAL).astimezone(UTC)
        if secular(day):
            if end - left >= midnight:
                return end - left
            left -= end - midnight
        end, day = midnight, day - timedelta(days=1)


# --- local time ---


def local_instant(day: date, clock: time, fold: int | None = None) -> datetime:
    """Return the instant, UTC, of a local date and time.

    Parameters
    ----------
    day, clock
        As the village's clocks show them.
    fold
        For a time that comes twice: 0 the first, daylight time; 1 the second, standard time.

    Returns
    -------
    datetime
        In UTC.

    Raises
    ------
    ClockError
        A time the clocks skipped, or one that came twice without saying which.
    """
    if clock.tzinfo is not None:
        raise ClockError.of("time", str(clock), "a local time without a time zone")
    naive = datetime.combine(day, clock).replace(fold=0)
    if not _exists(naive):
        before, after = _neighbours(naive)
        raise ClockError.of(
            "time",
            f"{clock:%H:%M} on {day}, which did not exist: the clocks went from {before:%H:%M} to {after:%H:%M}",
            f"a time to {before:%H:%M} or from {after:%H:%M}",
        )
    first, second = (naive.replace(tzinfo=LOCAL, fold=n).astimezone(UTC) for n in (0, 1))
    if first == second or fold == 0:
        return first
    if fold == 1:
        return second
    zones = " or ".join(f"{at.astimezone(LOCAL):%H:%M %Z}" for at in (first, second))
    raise ClockError.of("time", f"{clock:%H:%M} on {day}, which came twice", f"which of them: {zones}")


def _exists(naive: datetime) -> bool:
    there = naive.replace(tzinfo=LOCAL).astimezone(UTC)
    return there.astimezone(LOCAL).replace(tzinfo=None, fold=0) == naive


def _neighbours(naive: datetime) -> tuple[datetime, datetime]:
    """Return the last minute before and the first after a time that does not exist."""
    before = after = naive.replace(second=0, microsecond=0)
    while not _exists(before):
        before -= timedelta(minutes=1)
    while not _exists(after):
        after += timedelta(minutes=1)
    return before, after


def said_day(day: date) -> str:
    """Write a day as people do.

    Examples
    --------
    >>> said_day(date(2026, 6, 1))
    'Mon, June 1, 2026'
    """
    weekday = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[day.weekday()]
    return f"{weekday}, {_MONTHS[day.month - 1]} {day.day}, {day.year}"


def not_too_early(day: date, field: str) -> date:
    """Refuse a day long before anything that the register records: a slip in its year.

    Parameters
    ----------
    day
        A day that was given.
    field
        Its field, for the message.

    Returns
    -------
    date
        The day.

    Raises
    ------
    StreetsError
        It is before `EARLIEST`.
    """
    if day < EARLIEST:
        raise StreetsError.of(field, day.isoformat(), f"a day since {said_day(EARLIEST)}")
    return day


def local_day(at: datetime) -> str:
    """Write the day of an instant as people here count it.

    Parameters
    ----------
    at
        An aware instant.

    Returns
    -------
    str
        Weekday, month, day and year.
    """
    return said_day(at.astimezone(LOCAL).date())


def village_day(text: str) -> date:
    """Return the village's day of an ISO day or instant.

    Examples
    --------
    >>> village_day("2026-11-26T01:00:00+00:00"), village_day("2026-11-26")
    (datetime.date(2026, 11, 25), datetime.date(2026, 11, 26))
    """
    at = datetime.fromisoformat(text)
    return at.astimezone(LOCAL).date() if at.tzinfo else at.date()


def said_instant(at: datetime) -> str:
    """Write an instant in the village's time.

    Examples
    --------
    >>> said_instant(datetime(2026, 6, 1, 20, 5, tzinfo=UTC))
    'Mon, June 1, 2026, 3:05 pm CDT'
    """
    _check_aware(at, "instant")
    local = at.astimezone(LOCAL)
    half = "am" if local.hour < 12 else "pm"
    return f"{said_day(local.date())}, {local.hour % 12 or 12}:{local.minute:02d} {half} {local:%Z}"


_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _check_count(number: int, field: str) -> None:
    if number < 0:
        raise ClockError.of(field, number, "0 or more")


def _check_aware(at: datetime, field: str) -> None:
    if at.utcoffset() is None:
        raise ClockError.of(field, at.isoformat(), "an instant with its time zone")
