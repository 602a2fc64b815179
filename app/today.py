"""What is due today over every open case and permit: one look into the index of clocks, no event is read.

A time that is over under one reading of the law only stands in a group of its own: undecided is never told as late.
What ends by itself, such as a permit, is told for a week after its last day, and what may begin is never late.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import case_times, casebook, decided
from app.case_facts import read_day, read_instant
from app.case_tables import case_clocks, cases
from app.casebook import KINDS
from app.clock_rules import LATEST_YEAR
from app.clocks import LOCAL, said_day, said_instant
from app.db import Database
from app.registers import Row
from app.settings import plain
from app.tables import addresses
from gis.errors import StreetsError

Json = dict[str, Any]
GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "overdue": "Overdue",
        "undecided": "Overdue under one reading only",
        "today": "Due today",
        "upcoming": "Coming up",
        "ended": "Ended of itself",
    }
)
"""In the order in which they are listed."""
OFFICES: Mapping[str, str] = MappingProxyType(
    {
        "director": "Director of Public Works",
        "clerk": "Clerk-Treasurer",
        "board": "Village Board",
        "permittee": "Permittee",
        "owner": "Owner or occupant",
        "none": "Whoever has the case",
    }
)
"""Who must act, as clocks name them; ``none`` where they name nobody."""
NOBODY = "none"
BOOKS = ("case", "permit", "project")
TOLD_DAYS = 7
"""So many days after its last day it is told that something ended."""
SOON_DAYS, MOST_DAYS = 7, 366


# --- the village's day ---


@dataclass(frozen=True)
class Moment:
    """An instant, and the edges of the village's days about it.

    Parameters
    ----------
    now
        The instant, UTC.
    days
        So many days after today are coming up.
    """

    now: datetime
    days: int

    @property
    def day(self) -> date:
        """The village's day."""
        return self.now.astimezone(LOCAL).date()

    def midnight(self, days: int) -> datetime:
        """Return the instant, UTC, at which the day so many days after today begins."""
        return datetime.combine(self.day + timedelta(days=days), time(), LOCAL).astimezone(UTC)


def read_at(text: str, now: datetime) -> datetime:
    """Read the instant that is asked of: a day is asked of as it begins, ``""`` is now.

    Parameters
    ----------
    text
        An instant, a local time or a day.
    now
        The instant it is asked.

    Returns
    -------
    datetime
        In UTC.

    Raises
    ------
    StreetsError
        It is none, or a local time that did not exist or came twice.
    """
    if not text.strip():
        return now.astimezone(UTC)
    if len(text.strip()) > len("2026-06-25"):
        return _within(datetime.fromisoformat(read_instant(text, "at")), text)
    try:
        day = date.fromisoformat(read_day(text, "at"))
        return _within(datetime.combine(day, time(), LOCAL).astimezone(UTC), text)
    except (StreetsError, OverflowError) as error:
        expected = "a day such as 2026-06-25, or an instant such as 2026-06-25T14:30"
        raise StreetsError.of("at", text[:60], expected) from error


def _within(at: datetime, text: str) -> datetime:
    """Refuse an instant from which days cannot be counted on."""
    if at.year >= LATEST_YEAR:
        raise StreetsError.of("at", text[:60], f"a day before the year {LATEST_YEAR}")
    return at


# --- groups ---


def _conditions(moment: Moment) -> dict[str, Any]:
    """Return what the clocks of each group fulfil; none is in two.

    A last day is over with its 24:00, which is the instant that is stored; a last instant itself still serves.
    """
    c, now = case_clocks.c, moment.now
    begun, starts, soon = moment.midnight(0), moment.midnight(1), moment.midnight(moment.days + 1)
    begins, ends, by_day = c.sense == "from", c.sense == "ends", c.due_on.is_not(None)
    past = (c.due_at <= now) & ~begins  # the ranges of `due_at` stand alone: the index answers them
    due = sa.or_(c.due_at < now, by_day)
    over = due & sa.or_(c.over_at < now, (c.over_at == now) & by_day)
    ahead = ~begins & (c.due_at >= now) & sa.or_(c.due_at > now, ~by_day)
    return {
        "overdue": past & ~ends & over,
        "undecided": past & due & ~over,
        "today": (c.due_at >= begun) & (c.due_at <= starts) & sa.or_(ahead, begins & (c.due_at < starts)),
        "upcoming": (c.due_at >= starts)
        & (c.due_at <= soon)
        & sa.or_(~begins & (c.due_at > starts), begins & (c.due_at < soon)),
        "ended": past & ends & over & (c.over_at >= moment.midnight(1 - TOLD_DAYS)),
    }


def _wanted(kind: str, book: str) -> list[Any]:
    """Return what every clock fulfils, whatever its group."""
    made: list[Any] = [case_clocks.c.running]  # which a closed case has only where a duty outlasts it
    if kind:
        made.append(cases.c.kind == casebook.kind_of(kind).key)
    if book:
        if book not in BOOKS:
            raise StreetsError.of("book", book[:60], f"one of {', '.join(BOOKS)}")
        made.append(cases.c.kind.in_([one.key for one in KINDS.values() if one.book == book]))
    return made


def _only(office: str, person: str) -> list[Any]:
    """Return what the clocks of an office, and of cases assigned to a person, fulfil."""
    asked = ((case_clocks.c.office, plain(office, "office")), (cases.c.assigned_to, plain(person, "person")))
    return [column == ("" if one == NOBODY else one) for column, one in asked if one]


@dataclass(frozen=True)
class _Count:
    """How many clocks of a group an office and a person have."""

    group: str
    office: str
    person: str
    count: int


def _counts(connection: Connection, moment: Moment, wanted: Sequence[Any]) -> list[_Count]:
    """Count the clocks by group, office and person with one statement."""
    conditions = _conditions(moment)
    group = sa.case(*((condition, name) for name, condition in conditions.items()), else_="").label("of")
    columns = (group, case_clocks.c.office, cases.c.assigned_to)
    latest = case_clocks.c.due_at <= moment.midnight(moment.days + 1)
    asked = sa.select(*columns, sa.func.count()).join_from(case_clocks, cases).where(*wanted, latest)
    found = connection.execute(asked.group_by(group, *columns[1:]))
    return [_Count(of, office or NOBODY, person or NOBODY, count) for of, office, person, count in found if of]


# --- the list ---


def today(
    connection: Connection,
    now: datetime,
    *,
    office: str = "",
    person: str = "",
    kind: str = "",
    book: str = "",
    group: str = "",
    days: int = SOON_DAYS,
    limit: int = 50,
    offset: int = 0,
) -> Json:
    """Return what is overdue, due today and coming up, over every open case and permit.

    Parameters
    ----------
    connection
        To the register.
    now
        The instant it is asked of; clocks run as the events that are recorded now make them.
    office, person
        Who must act, a key of `OFFICES`; to whom the case is assigned. ``none`` is nobody, ``""`` leaves all.
    kind, book, group
        The kind of case, ``case``, ``permit`` or ``project``, a key of `GROUPS`; ``""`` leaves all.
    days
        So many days after today are coming up.
    limit, offset
        At most so many of the whole list, the groups one after the other; 0 for all.

    Returns
    -------
    dict
        ``groups`` with the total of each and those of its items that are on this page; ``total``, ``next``; counts by
        office and by person, each as the other filters leave them.

    Raises
    ------
    StreetsError
        An office, kind, book or group that is none.
    """
    moment, wanted = Moment(now.astimezone(UTC), days), _wanted(kind, book)
    counts = _counts(connection, moment, wanted)
    _check(group, office, {*OFFICES, *(one.office for one in counts)})
    mine = [one for one in counts if office in {"", one.office} and person in {"", one.person}]
    totals = {name: sum(one.count for one in mine if one.group == name) for name in GROUPS}
    chosen = {name: totals[name] if group in {"", name} else 0 for name in GROUPS}
    listed = sum(chosen.values())
    items = _paged(connection, moment, [*wanted, *_only(office, person)], chosen, limit or listed, offset)
    return {
        "at": moment.now.isoformat(),
        "day": moment.day.isoformat(),
        "until": (moment.day + timedelta(days=days)).isoformat(),
        "total": listed,
        "next": offset + limit if limit and offset + limit < listed else None,
        "groups": {key: {"title": GROUPS[key], "total": totals[key], "items": items.get(key, [])} for key in GROUPS},
        "offices": _by("office", [one for one in counts if person in {"", one.person}], OFFICES),
        "people": _by("person", [one for one in counts if office in {"", one.office}], {NOBODY: "nobody"}),
    }


def _check(group: str, office: str, offices: Collection[str]) -> None:
    """Refuse a group or an office that is none."""
    if group and group not in GROUPS:
        raise StreetsError.of("group", group[:60], f"one of {', '.join(GROUPS)}")
    if office and office not in offices:
        raise StreetsError.of("office", office[:60], f"one of {', '.join(sorted(offices))}")


def _by(what: str, counts: Sequence[_Count], titles: Mapping[str, str]) -> list[Json]:
    """Return the counts of each office, or of each person, by group."""
    found: dict[str, Json] = {}
    for one in counts:
        key = getattr(one, what)
        own = found.setdefault(key, {what: key, "title": titles.get(key, key), **dict.fromkeys(GROUPS, 0)})
        own[one.group] += one.count
    return sorted(found.values(), key=lambda own: (own[what] == NOBODY, own["title"].casefold()))


def _paged(
    connection: Connection, moment: Moment, wanted: Sequence[Any], totals: Mapping[str, int], limit: int, offset: int
) -> dict[str, list[Json]]:
    """Return the items of each group that lie on a page of the whole list; groups beside it are not asked for."""
    conditions, found = _conditions(moment), dict[str, list[Json]]()
    for name, total in totals.items():
        if offset < total and limit > 0:
            rows = _rows(connection, [*wanted, conditions[name]], limit, offset)
            found[name] = [_item(row, name, moment) for row in rows]
            limit -= len(rows)
        offset = max(0, offset - total)
    return found


_COLUMNS = (
    *(case_clocks.c[name] for name in ("key", "title", "section", "sense", "office", "due_on", "due_at", "over_at")),
    *(case_clocks.c[name] for name in ("case_id", "counted", "reading")),
    *(cases.c[name] for name in ("kind", "number", "assigned_to")),
    sa.func.coalesce(addresses.c.full, cases.c.place).label("place"),
)


def _rows(connection: Connection, wanted: Sequence[Any], limit: int, offset: int) -> list[Row]:
    tables = case_clocks.join(cases).outerjoin(addresses, cases.c.address_id == addresses.c.id)
    asked = sa.select(*_COLUMNS).select_from(tables).where(*wanted)
    asked = asked.order_by(case_clocks.c.due_at, case_clocks.c.id).limit(limit).offset(offset)
    return [dict(row) for row in connection.execute(asked).mappings()]


def _item(row: Row, group: str, moment: Moment) -> Json:
    """Return a clock as lists have it."""
    kind = KINDS.get(row["kind"])
    other = _other(row)
    due = row["due_on"] or row["due_at"]
    permit = kind is not None and kind.book == "permit"
    return {
        "group": group,
        "case": row["case_id"],
        "number": row["number"],
        "kind": row["kind"],
        "kind_title": kind.title if kind else row["kind"],
        "book": kind.book if kind else "case",
        "place": row["place"],
        "key": row["key"],
        "what": row["title"],
        "section": row["section"],
        "sense": row["sense"],
        "due": due.isoformat(),
        "due_words": _said(due),
        "late": _late(row, group, moment),
        "counted": row["counted"],
        "reading": row["reading"],
        "other": other.isoformat() if other else None,
        "other_words": _said(other) if other else "",
        "office": row["office"] or NOBODY,
        "office_title": OFFICES.get(row["office"] or NOBODY, row["office"]),
        "assigned_to": row["assigned_to"],
        "url": f"/{'permits' if permit else 'cases'}/{row['case_id']}",
    }


def _other(row: Row) -> date | datetime | None:
    """Return the last day or instant under the later reading, where there is one."""
    over: datetime = row["over_at"]
    if over <= row["due_at"]:
        return None
    if row["due_on"] is None:
        return over
    day = over.astimezone(LOCAL).date()
    return day if row["sense"] == "from" else day - timedelta(days=1)


def _said(due: date | datetime) -> str:
    return said_instant(due) if isinstance(due, datetime) else said_day(due)


# --- how late, in words ---


def _late(row: Row, group: str, moment: Moment) -> str:
    """Say how late it is, or how long there is still."""
    ends = row["sense"] == "ends"
    if group == "undecided":
        word = "past its end" if ends else "late"
        return f"{_after(row, moment)} {word} under one reading, not under the other"
    if group == "ended":
        return f"expired {_after(row, moment)} ago".replace("1 day ago", "yesterday")
    if group == "overdue":
        return f"{_after(row, moment)} late"
    if row["sense"] == "from":
        return "may begin now" if row["due_at"] <= moment.now else _ahead(row, moment, "may begin")
    return _ahead(row, moment, "ends" if ends else "due")


def _after(row: Row, moment: Moment) -> str:
    """Say for how many days, or hours, a time has been over."""
    if row["due_on"] is not None:
        return _count((moment.day - row["due_on"]).days, "day")
    return _elapsed(moment.now - row["due_at"])


def _ahead(row: Row, moment: Moment, word: str) -> str:
    """Say in how many days, or hours, it is."""
    if row["due_on"] is None:
        return f"{word} in {_elapsed(row['due_at'] - moment.now)}"
    days = (row["due_on"] - moment.day).days
    return f"{word} " + ("today" if days == 0 else "tomorrow" if days == 1 else f"in {days} days")


def _elapsed(took: timedelta) -> str:
    """Write elapsed time in whole minutes, hours or days of 24 hours, never more than it was.

    Examples
    --------
    >>> _elapsed(timedelta(hours=1, minutes=59)), _elapsed(timedelta(hours=47)), _elapsed(timedelta(hours=49))
    ('1 hour', '47 hours', '2 days')
    """
    minutes = max(0, int(took / timedelta(minutes=1)))
    if minutes < 60:
        return _count(minutes, "minute")
    return _count(minutes // 60, "hour") if minutes < 48 * 60 else _count(minutes // (24 * 60), "day")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


# --- counted as the Village counts now ---


def count_anew(database: Database, now: datetime) -> int:
    """Count the clocks of open cases anew where they were counted otherwise than the Village counts now.

    That is so after a release that counts in another way, and on the day from which a setting holds.

    Parameters
    ----------
    database
        The register.
    now
        The instant.

    Returns
    -------
    int
        How many cases were counted; 0 where nothing had changed.
    """
    with database.read() as connection:
        counting = decided.counting(connection, now.astimezone(LOCAL).date())
        if not case_times.stale(connection, counting):
            return 0
    with database.write() as connection:
        return case_times.recount(connection, now)
