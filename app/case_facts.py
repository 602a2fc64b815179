"""The facts of a case as they are given: texts, choices, lengths in inches, and when something happened."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from app.clocks import LOCAL, local_instant, not_too_early, said_instant
from app.settings import plain
from gis.errors import Fault, StreetsError
from gis.lengths import read_length_ft

Facts = dict[str, Any]


# --- what is asked for at a step ---


@dataclass(frozen=True)
class Asked:
    """One fact that a step records.

    Parameters
    ----------
    key, label, hint
        Its name in the API; what it is called on a form, and what is said beside it.
    choices
        What may be chosen, with words for each; none for a text.
    needed
        Whether the step cannot be recorded without it.
    type
        ``""`` for a text or a choice, ``in`` for a length in inches, ``ft`` in feet, ``percent``, ``count``, ``cents``
        for an amount in dollars kept in cents, ``degrees``, ``day``, ``instant``.
    long
        Whether it is a text of several lines.
    private
        Whether it may name a person, so that it is shown to officers only.
    aside
        Whether a form keeps it folded away: it is seldom known.
    most, lines
        At most so many signs, and so many lines; 0 lines for any.
    """

    key: str
    label: str
    hint: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    needed: bool = False
    type: str = ""
    long: bool = False
    private: bool = False
    aside: bool = False
    most: int = 2000
    lines: int = 0


MOST_IN = 600.0
MOST_ADDRESSEE, ADDRESSEE_LINES = 100, 6
"""Signs of a line of an addressee, and lines: as many as the head of a letter has room for."""
_FRACTIONS = {"¼": " 1/4", "½": " 1/2", "¾": " 3/4", "⅛": " 1/8", "⅜": " 3/8", "⅝": " 5/8", "⅞": " 7/8"}
_INCHES = re.compile(r'([0-9]{1,3}(?:\.[0-9]{1,4})?)?(?: ?([0-9]{1,2})/([0-9]{1,2}))? ?(?:in\.?|inch|inches|")?')


def read_inches(value: object, key: str) -> float:
    """Read a length in inches as people write it.

    Parameters
    ----------
    value
        A number, or a text such as ``"2 1/2"``, ``"2½ in"`` or ``"2.5"``.
    key
        The fact it is of, for the message.

    Returns
    -------
    float
        Inches, above 0.

    Raises
    ------
    StreetsError
        It is none.

    Examples
    --------
    >>> read_inches("2 1/2", "height_in"), read_inches("2½ in", "height_in"), read_inches("3/4", "height_in")
    (2.5, 2.5, 0.75)
    """
    text = str(value).strip().lower() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    for sign, written in _FRACTIONS.items():
        text = text.replace(sign, written)
    found = _INCHES.fullmatch(" ".join(text.split()))
    whole, above, below = found.groups() if found else (None, None, None)
    part = int(above) / int(below) if above and below and int(below) else 0.0
    inches = float(whole or 0) + part if not above or part else 0.0
    if not 0 < inches <= MOST_IN:
        raise StreetsError.of(key, str(value)[:60] or "nothing", "inches, such as 2 1/2")
    return inches


def read_facts(wanted: Sequence[Asked], given: Mapping[str, Any]) -> Facts:
    """Read what a step was given.

    Parameters
    ----------
    wanted
        What it asks for.
    given
        By name; what is None or empty was left out.

    Returns
    -------
    dict
        Only what was given.

    Raises
    ------
    StreetsError
        Every field at fault: missing, unknown, none of the choices, no length, a text that cannot be read.
    """
    faults: list[Fault] = []
    facts: Facts = {}
    known = {asked.key for asked in wanted}
    faults += [
        Fault(key, "an unknown field", f"one of {', '.join(sorted(known))}") for key in given if key not in known
    ]
    for asked in wanted:
        value = given.get(asked.key)
        try:
            if value is None or (isinstance(value, str) and not value.strip()):
                if asked.needed:
                    expected = f"one of {', '.join(asked.choices)}" if asked.choices else asked.label.lower()
                    raise StreetsError.of(asked.key, "nothing", expected)
                continue
            facts[asked.key] = _read(asked, value)
        except StreetsError as error:
            faults += error.faults
    if faults:
        raise StreetsError("This cannot be recorded as it is.", faults)
    return facts


def _read(asked: Asked, value: Any) -> Any:
    if asked.type:
        return TYPES[asked.type](value, asked.key)
    if not isinstance(value, str):
        raise StreetsError.of(asked.key, repr(value)[:60], "a text")
    text = value.strip()
    if asked.choices and text not in asked.choices:
        raise StreetsError.of(asked.key, text[:60], f"one of {', '.join(asked.choices)}")
    if len(text) > asked.most:
        raise StreetsError.of(asked.key, f"{len(text)} characters", f"at most {asked.most}")
    if asked.lines:
        few_lines(text, asked.key, asked.lines)
    return plain(text, asked.key)


def read_percent(value: object, key: str) -> float:
    """Read a share in percent, such as ``95`` or ``"95.5 %"``; above 100 where a measure may be.

    Raises
    ------
    StreetsError
        It is none.
    """
    text = str(value).strip().removesuffix("%").strip() if not isinstance(value, bool) else ""
    found = float(text) if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,4})?", text, flags=re.ASCII) else -1.0
    if not 0 <= found <= 200:
        raise StreetsError.of(key, str(value)[:60] or "nothing", "percent, such as 95")
    return found


def read_count(value: object, key: str) -> int:
    """Read a whole number from 0 on.

    Raises
    ------
    StreetsError
        It is none.
    """
    text = str(value).strip() if not isinstance(value, bool | float) else ""
    if not re.fullmatch(r"[0-9]{1,9}", text, flags=re.ASCII):
        raise StreetsError.of(key, str(value)[:60] or "nothing", "a whole number")
    return int(text)


def read_cents(value: object, key: str) -> int:
    """Read an amount in dollars, kept in cents so that sums are exact.

    Parameters
    ----------
    value
        A text of dollars, such as ``"25"``, ``"1,234.50"`` or ``"$25.00"``; or a whole number of cents, as it is kept.
    key
        The fact it is of, for the message.

    Returns
    -------
    int
        Cents.

    Raises
    ------
    StreetsError
        It is no amount, it has parts of a cent, or it is above 9,999,999.99.

    Examples
    --------
    >>> read_cents("25", "fee"), read_cents("$1,234.50", "fee"), read_cents(2500, "fee")
    (2500, 123450, 2500)
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9:
        return value
    text = value.strip().removeprefix("$").strip() if isinstance(value, str) else ""
    shape = r"(?:[0-9]{1,7}|[0-9]{1,3}(?:,[0-9]{3}){1,2})(?:\.[0-9]{2})?"
    if not re.fullmatch(shape, text, flags=re.ASCII):
        raise StreetsError.of(key, str(value)[:60] or "nothing", "dollars and cents, such as 25.00")
    return int(Decimal(text.replace(",", "")) * 100)


def dollars(cents: int) -> str:
    """Write cents as people do.

    Examples
    --------
    >>> dollars(123450), dollars(-5)
    ('$1,234.50', '-$0.05')
    """
    return f"{'-' if cents < 0 else ''}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def read_day(value: object, key: str) -> str:
    """Read a day as ISO text.

    Raises
    ------
    StreetsError
        It is none, or lies before anything the register records.
    """
    text = value.strip() if isinstance(value, str) else ""
    try:
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, flags=re.ASCII):
            raise ValueError
        return not_too_early(date.fromisoformat(text), key).isoformat()
    except ValueError as error:
        raise StreetsError.of(key, str(value)[:60] or "nothing", "a day such as 2026-06-25") from error


def read_instant(value: object, key: str) -> str:
    """Read an instant, which may be still to come; a time without its zone is the village's. Kept as ISO text, UTC.

    Raises
    ------
    StreetsError
        It is none, or a local time that did not exist or came twice.
    """
    text = value.strip() if isinstance(value, str) else ""
    try:
        at = datetime.fromisoformat(text)
        not_too_early(at.date(), key)
        if len(text) <= len("2026-06-25"):
            raise ValueError
        if at.tzinfo is None:
            at = local_instant(at.date(), at.time())
        return at.astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise StreetsError.of(key, str(value)[:60] or "nothing", "an instant such as 2026-06-25T14:30") from error
    except StreetsError as error:
        raise StreetsError(error.message, [replace(fault, field=key) for fault in error.faults]) from error


def _read_feet(value: object, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise StreetsError.of(key, str(value)[:60], "feet, such as 12.5")
    found = read_length_ft(value, key)
    if found < 0:
        raise StreetsError.of(key, str(value)[:60], "feet, 0 or more")
    return found


def _read_degrees(value: object, key: str) -> float:
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    most = 90.0 if key == "lat" else 180.0
    shape = r"[+-]?[0-9]{1,3}(?:\.[0-9]{1,15})?"
    if not re.fullmatch(shape, text, flags=re.ASCII) or abs(float(text)) > most:
        raise StreetsError.of(key, str(value)[:60] or "nothing", f"decimal degrees from -{most:g} to {most:g}")
    return float(text)


TYPES: Mapping[str, Callable[[object, str], Any]] = {
    "in": read_inches,
    "ft": _read_feet,
    "percent": read_percent,
    "count": read_count,
    "cents": read_cents,
    "day": read_day,
    "degrees": _read_degrees,
    "instant": read_instant,
}
"""What reads a fact of each type."""


def few_lines(text: str, key: str, lines: int = ADDRESSEE_LINES, most: int = MOST_ADDRESSEE) -> None:
    """Refuse a text that the head of a letter has no room for.

    Raises
    ------
    StreetsError
        More lines than `lines`, or a line of more than `most` signs.
    """
    found = text.splitlines()
    if len(found) > lines:
        raise StreetsError.of(key, f"{len(found)} lines", f"at most {lines} lines of {most} characters")
    longest = max((len(line) for line in found), default=0)
    if longest > most:
        raise StreetsError.of(key, f"a line of {longest} characters", f"at most {lines} lines of {most} characters")


# --- when ---

_CLOCK = re.compile(r"([0-9]{1,2})(?::([0-9]{2}))? ?(am|pm)? ?(cst|cdt)?")
NOON = time(12)


def read_time(text: str) -> tuple[time, int | None]:
    """Read a time of day as people type it, and which of two where the clocks were set back.

    Examples
    --------
    >>> read_time("3:05 pm"), read_time("14:30"), read_time("1:30 CST")
    ((datetime.time(15, 5), None), (datetime.time(14, 30), None), (datetime.time(1, 30), 1))
    """
    found = _CLOCK.fullmatch(" ".join(text.lower().split()))
    hour, minute, half, zone = found.groups() if found else ("99", None, None, None)
    hours, minutes = int(hour), int(minute or 0)
    if half:
        hours = hours % 12 + (12 if half == "pm" else 0) if 1 <= hours <= 12 else 99
    if hours > 23 or minutes > 59 or (found and minute is None and not half):
        raise StreetsError.of("time", text[:40], "a time of day, such as 3:05 pm or 15:05")
    return time(hours, minutes), {"cdt": 0, "cst": 1}.get(zone or "")


def happened(day: date, clock: str, now: datetime) -> tuple[datetime, bool]:
    """Return the instant of a fact told by day and time of day, and whether only its day is known.

    Parameters
    ----------
    day
        In the village's time.
    clock
        The time of day as typed; ``""`` where only the day is known: then today's is now, another day's noon.
    now
        The instant it is recorded.

    Returns
    -------
    tuple
        The instant, UTC; whether only the day is known.

    Raises
    ------
    StreetsError
        A time that the clocks skipped, or that came twice without saying which; the future.
    """
    not_too_early(day, "date")
    day_only = not clock.strip()
    if day_only:
        at = now if day == now.astimezone(LOCAL).date() else local_instant(day, NOON)
    else:
        at = local_instant(day, *read_time(clock))
    return past(at, now, "date" if day_only else "time"), day_only


def read_at(value: object, now: datetime) -> tuple[datetime, bool]:
    """Read when a fact happened, as the API has it.

    Parameters
    ----------
    value
        An ISO 8601 instant, a local time without its zone, or a day; None for now.
    now
        The instant it is recorded.

    Returns
    -------
    tuple
        The instant, UTC; whether only the day is known.

    Raises
    ------
    StreetsError
        No such time, or one that is still to come.
    """
    if value is None or value == "":
        return now, False
    text = value.strip() if isinstance(value, str) else ""
    expected = "an instant such as 2026-06-25T14:30:00-05:00, or a day such as 2026-06-25"
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text, flags=re.ASCII):
            return happened(date.fromisoformat(text), "", now)
        at = datetime.fromisoformat(text)
        not_too_early(at.date(), "at")
        if at.tzinfo is None:
            at = local_instant(at.date(), at.time())
        return past(at.astimezone(now.tzinfo), now, "at"), False
    except (ValueError, OverflowError) as error:
        raise StreetsError.of("at", repr(value)[:60], expected) from error
    except StreetsError as error:
        raise StreetsError(error.message, [replace(fault, field="at") for fault in error.faults]) from error


def past(at: datetime, now: datetime, name: str) -> datetime:
    """Refuse an instant that is still to come: what is recorded has happened."""
    if at > now:
        raise StreetsError.of(name, f"{said_instant(at)}, which is still to come", "a time that has passed")
    return at
