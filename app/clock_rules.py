"""The clocks of §§ 288-4 to 288-9, 288-12, 288-15 and 288-17, each from the fact that starts it. Pure.

Every number is the law's of the day of that fact. A rule counts as `app.clocks` does: both answers are given where a
setting of the Village that it has not decided would make them differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from types import MappingProxyType

from app.business_days import next_business_day, previous_business_day, secular_day
from app.clocks import (
    LOCAL,
    RULE,
    ClockError,
    Counting,
    Deadline,
    days_before,
    days_later,
    hours_before,
    months_after,
    on_or_before,
    said_day,
    said_instant,
    within_days,
    within_hours,
    year_considered,
)
from app.law import Law, law_on

NO_COUNTING = Counting()
"""Nothing decided by the Village."""
LATEST_YEAR = 9000
"""A day after this year is a slip; counting on from it would leave the calendar."""
_STANDS = "A day on which something ends by itself is not moved."


@dataclass(frozen=True)
class Rule:
    """One clock of the law.

    Parameters
    ----------
    key, title
        Its name, and what is told of it.
    section
        The section of the law, its letters inferred.
    starts
        ``day`` or ``instant``: what it is counted from.
    from_what
        The fact that it is counted from, in words.
    sense
        As of `app.clocks.Deadline`: ``by``, ``from`` or ``ends``.
    number
        The key of its number in ``law.toml``; ``""`` where the law says "immediately".
    reading
        How the words were read where they leave a choice, or ``""``.
    """

    key: str
    title: str
    section: str
    starts: str
    from_what: str
    sense: str
    number: str
    count: Count
    reading: str = ""


@dataclass(frozen=True)
class _Start:
    """What a clock is counted from and with: the rule, the fact, the law's number, the Village's settings."""

    rule: Rule
    fact: date | datetime
    number: int
    counting: Counting

    @property
    def day(self) -> date:
        return self.fact.astimezone(LOCAL).date() if isinstance(self.fact, datetime) else self.fact

    @property
    def at(self) -> datetime:
        assert isinstance(self.fact, datetime)
        return self.fact


Count = Callable[[_Start], Deadline]


def due(rule: str, start: date | datetime, counting: Counting = NO_COUNTING, law: Law | None = None) -> Deadline:
    """Count a clock of the law from the fact that starts it.

    Parameters
    ----------
    rule
        A key of `RULES`.
    start
        The fact: a day, or an aware instant. A rule of days takes an instant's local day.
    counting
        How the Village counts time; nothing decided by default.
    law
        The law's numbers; by default those of the start's own day.

    Returns
    -------
    Deadline
        The day or instant, with its section, how it was counted, how the law was read, and the other answer where a
        setting of the Village that is not decided would make it differ.

    Raises
    ------
    ClockError
        No such rule; a day where an instant is needed; an instant without a time zone; a day beyond the calendar.
    LawError
        The law's numbers are not known for the day.
    """
    found = RULES.get(rule)
    if found is None:
        raise ClockError.of("rule", rule, f"one of {', '.join(RULES)}")
    _check_start(found, start)
    day = start.astimezone(LOCAL).date() if isinstance(start, datetime) else start
    number = int((law or law_on(day))[found.number].value) if found.number else 0
    made = found.count(_Start(found, start, number, counting))
    reading = " ".join(text for text in (found.reading, made.reading) if text)
    return replace(made, sense=found.sense, reading=reading)


def considered_for(asked: date, counting: Counting = NO_COUNTING, law: Law | None = None) -> tuple[int, int | None]:
    """Return the year that a request for an improvement is considered for (§ 288-12).

    Parameters
    ----------
    asked
        The day on which it was presented to the Village Board.
    counting, law
        As in `due`.

    Returns
    -------
    year
        The following one where the request came on or before August 1, else the one after.
    other
        The year where § 990.001(4) would make it differ and is not decided; else None.
    """
    month, day = divmod(int((law or law_on(asked))["improvement_by"].value), 100)
    plain = year_considered(asked, month, day)
    moved = secular_day(date(asked.year, month, day))
    with_rule = year_considered(asked, moved.month, moved.day)
    if counting.skip_rule:
        return with_rule, None
    return plain, with_rule if counting.skip_rule is None and with_rule != plain else None


def _check_start(rule: Rule, start: date | datetime) -> None:
    if isinstance(start, datetime) and start.utcoffset() is None:
        raise ClockError.of("from", start.isoformat(), "an instant with its time zone")
    if rule.starts == "instant" and not isinstance(start, datetime):
        expected = f"an instant, such as {start.isoformat()}T08:00: hours are counted from {rule.from_what}"
        raise ClockError.of("from", start.isoformat(), expected)
    if start.year > LATEST_YEAR:
        raise ClockError.of("from", start.isoformat(), f"a day to the year {LATEST_YEAR}")


# --- ways of counting ---


def _days(of: _Start) -> Deadline:
    return within_days(of.day, of.number, of.rule.section, skip_rule=of.counting.skip_rule)


def _valid_days(of: _Start) -> Deadline:
    return replace(within_days(of.day, of.number, of.rule.section, skip_rule=False), reading=_STANDS)


def _earliest(of: _Start) -> Deadline:
    counted = f"At least {of.number} days before: {said_day(of.day)} excluded; the earliest day that serves."
    return Deadline(days_later(of.day, of.number), None, of.rule.section, counted, "")


def _after_whole_days(of: _Start) -> Deadline:
    counted = f"{of.number} whole days after {said_day(of.day)}, that day excluded; the first day after them."
    return Deadline(days_later(of.day, of.number + 1), None, of.rule.section, counted, "")


def _days_ahead(of: _Start) -> Deadline:
    return days_before(of.day, of.number, of.rule.section)


def _hours(of: _Start) -> Deadline:
    return within_hours(of.at, of.number, of.rule.section, skip_rule=of.counting.skip_rule)


def _hours_ahead(of: _Start) -> Deadline:
    return hours_before(of.at, of.number, of.rule.section, skip_rule=of.counting.skip_rule)


def _at_once(of: _Start) -> Deadline:
    counted = f"Immediately: due at once, {said_instant(of.at)}."
    return Deadline(None, of.at.astimezone(UTC), of.rule.section, counted, "")


def _months(of: _Start) -> Deadline:
    counted = f"{of.number} calendar months from {said_day(of.day)}: the same day of the month, or the month's last."
    return Deadline(months_after(of.day, of.number), None, of.rule.section, counted, _STANDS)


def _years(of: _Start) -> Deadline:
    counted = f"{of.number} years from {said_day(of.day)}: the same day of the year, included to its end."
    return Deadline(months_after(of.day, 12 * of.number), None, of.rule.section, counted, _STANDS)


def _day_of_year(of: _Start) -> Deadline:
    month, day = divmod(of.number, 100)
    last = date(of.day.year, month, day)
    counted = f"On or before {said_day(last)}, to its end."
    return on_or_before(last, of.rule.section, counted, skip_rule=of.counting.skip_rule)


def _following_day_of_year(of: _Start) -> Deadline:
    month, day = divmod(of.number, 100)
    last = date(of.day.year, month, day)
    last = last if last > of.day else last.replace(year=last.year + 1)
    counted = f"Not later than {said_day(last)}, the first after {said_day(of.day)}, to its end."
    return on_or_before(last, of.rule.section, counted, skip_rule=of.counting.skip_rule)


def _next_business_days(of: _Start) -> Deadline:
    """Count business days on; an election day is a legal holiday, so that § 990.001(4) would move a last day on it."""
    counting, rule = of.counting, of.rule
    plain, without = (_stepped(of, next_business_day, elections) for elections in (False, True))
    counted = f"The next business day after {said_day(of.day)}."
    if counting.skip_rule and not counting.elections and plain != without:
        moves = f"{RULE} governs by the Village's setting: a last day on an election day moves on."
        return Deadline(without, None, rule.section, counted, moves)
    found = Deadline(without if counting.elections else plain, None, rule.section, counted, _said(counting))
    open_by = "election days are no business days" if counting.elections is None else f"{RULE} governs"
    return _both(found, without, open_by if None in (counting.elections, counting.skip_rule) else "")


def _business_days_ahead(of: _Start) -> Deadline:
    counting, rule = of.counting, of.rule
    plain, without = (_stepped(of, previous_business_day, elections) for elections in (False, True))
    days = "business day" if of.number == 1 else "business days"
    counted = f"At least {of.number} {days} before {said_day(of.day)}: that day excluded; the latest day that serves."
    day = without if counting.elections else plain
    found = Deadline(day, None, rule.section, counted, _said(counting))
    return _both(found, without, "election days are no business days" if counting.elections is None else "")


def _stepped(of: _Start, step: Callable[..., date], elections: bool) -> date:
    day = of.day
    for _ in range(of.number):
        day = step(day, closures=of.counting.closures, elections=elections)
    return day


def _both(found: Deadline, without: date, undecided: str) -> Deadline:
    """Add the answer without election days, where something is undecided, in words, and it differs."""
    if not undecided or found.day == without:
        return found
    return replace(found, alternative=without, alternative_reading=f"If {undecided}: {said_day(without)}.")


def _said(counting: Counting) -> str:
    closed = " and without the further days on which the office is closed" if counting.closures else ""
    days = f"Monday to Friday without the legal holidays{closed}."
    if counting.elections is None:
        return f"{days} Whether election days are business days is not decided: they are counted as such."
    return f"{days} Election days are {'no ' if counting.elections else ''}business days by the Village's setting."


_RULES = (
    Rule(
        "sidewalk_work_from", "Work on the sidewalk may begin", "288-4 C", "day",
        "the day the permit was obtained", "from", "sidewalk_permit_days", _earliest,
        "Counted from when the permit is obtained, not applied for.",
    ),
    Rule(
        "opening_valid", "The permit to open the street is valid through", "288-5 D", "day",
        "the day of approval", "ends", "opening_valid_days", _valid_days,
    ),
    Rule(
        "opening_renewed", "The renewed permit is valid through", "288-5 E", "day",
        "the last day of the earlier validity", "ends", "opening_renewal_days", _valid_days,
        "The thirty-day renewal is read as following the earlier validity.",
    ),
    Rule(
        "emergency_tell", "The Village office is to be told of the emergency", "288-6 H", "instant",
        "the start of the emergency measures", "by", "", _at_once,
    ),
    Rule(
        "emergency_apply", "The emergency's permit is to be applied for", "288-6 H", "day",
        "the day of the emergency measures", "by", "emergency_apply_business_days", _next_business_days,
    ),
    Rule(
        "director_notice", "The Director of Public Works is to be told", "288-6 B(4)", "instant",
        "the start of the excavation", "by", "director_notice_hours", _hours_ahead,
    ),
    Rule(
        "utility_notice", "The properties that lose a utility service are to be told", "288-6 B(5)", "instant",
        "the loss of service", "by", "utility_notice_hours", _hours_ahead,
    ),
    Rule(
        "affected_notice", "The Clerk-Treasurer and all affected are to be told", "288-6 F", "day",
        "the day the work begins", "by", "affected_notice_business_days", _business_days_ahead,
    ),
    Rule(
        "backfill_notice", "The Clerk-Treasurer is to be told of the backfilling", "288-6 F", "instant",
        "the start of backfilling or restoring the surface", "by", "backfill_notice_hours", _hours_ahead,
    ),
    Rule(
        "permanent_pavement", "The permanent pavement is to be replaced", "288-6 G(4)", "day",
        "the date of the permit", "by", "permanent_pavement_days", _days,
        "\"With 60 days\" is read as within. The section also names June 1 for winter emergencies; they can disagree.",
    ),
    Rule(
        "winter_pavement", "The temporary winter surface is to be replaced", "288-6 G(4)", "day",
        "the day of the emergency excavation", "by", "winter_pavement_by", _following_day_of_year,
        "The section also asks for permanent pavement 60 days from the permit, and the two days can disagree.",
    ),
    Rule(
        "concrete_open", "Traffic may pass over the new concrete", "288-6 G(3)", "day",
        "the day the surface was finished", "from", "concrete_days", _after_whole_days,
        "\"A minimum of three days\" is read as three whole days after the day it was finished.",
    ),
    Rule(
        "repaving_from", "The improvement or repaving may begin", "288-6 I", "day",
        "the day of the Village Board's determination", "from", "repaving_ahead_days", _earliest,
    ),
    Rule(
        "repaving_notify", "Utilities and abutting owners are to be notified of the repaving", "288-6 I", "instant",
        "the Village Board's determination", "by", "", _at_once,
    ),
    Rule(
        "clearing", "Excavation work in the street is to be completed before its repaving", "288-6 I", "day",
        "the day of the Clerk-Treasurer's notification", "by", "clearing_days", _days,
        "The text does not say from when: read as from the notification. Counted from the Village Board's "
        "determination it would end no later.",
    ),
    Rule(
        "moratorium", "The improved street is not to be opened through", "288-6 I", "day",
        "the date of the improvement or repaving", "ends", "moratorium_years", _years,
    ),
    Rule(
        "remove_obstruction", "The obstruction is to be removed", "288-7 D, E", "instant",
        "the service of the notice", "by", "obstruction_hours", _hours,
        "Read as 24 hours from the service of the notice.",
    ),
    Rule(
        "bill_payable", "The bill is payable", "288-7 F(1)", "day",
        "the day the bill was received", "by", "bill_days", _days,
    ),
    Rule(
        "tax_roll", "The unpaid expense is to be entered onto the tax roll", "288-7 F(1)", "day",
        "the day the cost was incurred", "by", "tax_roll_days", _days,
        "\"Within 60 days after such costs and expenses are incurred and remain unpaid\" is read as a last day.",
    ),
    Rule(
        "privilege_ends", "The street privilege permit ends", "288-8 E", "day",
        "the date of issuance", "ends", "privilege_months", _months,
        "The Clerk-Treasurer may have set an earlier day.",
    ),
    Rule(
        "board_removal", "The obstruction of the sidewalk is to be removed on the Board's notice", "288-8 F", "instant",
        "the Village Board's notice", "by", "board_removal_hours", _hours,
        "\"Lawfully obstructed\" stands so in the text.",
    ),
    Rule(
        "improvement_request", "The request is to be presented to the Village Board", "288-12", "day",
        "any day of the year, or that of the request", "by", "improvement_by", _day_of_year,
    ),
    Rule(
        "snow_clear", "The sidewalk is to be cleared of snow and ice", "288-9 A", "instant",
        "the time at which the snow ceased to accumulate", "by", "snow_clear_hours", _hours,
    ),
    Rule(
        "snow_notice", "Notice is to be given of the snow that was not cleared", "288-9 B(1)(a)", "instant",
        "the time at which the snow ceased to accumulate", "from", "snow_notice_hours", _hours,
        "The text does not say after 24 hours of what: read as from when the snow stopped.",
    ),
    Rule(
        "snow_forfeit", "The person in charge is subject to a forfeiture, and the Village clears", "288-9 B(1)(b)",
        "instant", "the time at which the snow ceased to accumulate", "from", "snow_forfeit_hours", _hours,
        "The text does not say after 36 hours of what: read as from when the snow stopped; it may also be read as from "
        "the notice.",
    ),
    Rule(
        "snow_hazard", "The hazard is to be removed", "288-9 B(2)", "instant",
        "the delivery of the written notice", "by", "snow_hazard_hours", _hours,
    ),
    Rule(
        "number_placed", "The number is to be in place", "288-15 G(2)", "day",
        "the day the number was assigned", "by", "place_within_days", _days,
    ),
    Rule(
        "number_neglect", "The neglect has lasted long enough for a notice", "288-15 M", "day",
        "the day since which the number is neglected", "by", "neglect_days", _days,
    ),
    Rule(
        "number_comply", "The notice is to be complied with", "288-15 M", "day",
        "the day the notice was served", "by", "after_service_days", _days,
    ),
    Rule(
        "hearing_published", "The notice of the hearing is to be published", "288-17 C", "day",
        "the day of the hearing", "by", "hearing_published_days", _days_ahead,
    ),
    Rule(
        "hearing_mailed", "The notice of the hearing is to be mailed", "288-17 C", "day",
        "the day of the hearing", "by", "hearing_mailed_days", _days_ahead,
    ),
)  # fmt: skip
RULES: Mapping[str, Rule] = MappingProxyType({rule.key: rule for rule in _RULES})
