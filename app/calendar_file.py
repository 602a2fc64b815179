"""What is due as an iCalendar file (RFC 5545), to be followed by the calendars of a desk or a phone.

It leaves the register, so that it holds no names: what is due, where, by which section, and the address of the record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from icalendar import Calendar, Event

Json = dict[str, Any]
PRODUCT = "-//Benton streets//What is due//EN"
SENSES: Mapping[str, str] = {"by": "Due", "from": "May begin", "ends": "Ends"}
TOLD = {"overdue": "Overdue: ", "undecided": "Overdue under one reading: "}


def calendar(items: Iterable[Json], village: str, base: str, now: datetime, left_out: int = 0) -> bytes:
    """Return clocks as a calendar.

    Parameters
    ----------
    items
        As `app.today.today` gives them.
    village
        The village's name.
    base
        The address of the public pages, or ``""``: links are then left out.
    now
        The instant it is made, UTC.
    left_out
        How many further clocks were left out, which is told in the calendar's description.

    Returns
    -------
    bytes
        A day is an event of the whole day, an instant one of UTC. Its UID is of the case and the clock, and stays when
        the clock is counted anew.
    """
    made = Calendar()
    made.add("prodid", PRODUCT)
    made.add("version", "2.0")
    made.add("method", "PUBLISH")
    made.add("x-wr-calname", f"Village of {village}: what is due")
    if left_out:
        made.add("x-wr-caldesc", f"{left_out} further times are left out; they are at /today.")
    seen: Counter[str] = Counter()
    for item in items:
        uid = f"case-{item['case']}-{item['key']}"
        seen[uid] += 1
        made.add_component(_event(item, uid if seen[uid] == 1 else f"{uid}-{seen[uid]}", base, now))
    made_of: bytes = made.to_ical()
    return made_of


def _event(item: Json, uid: str, base: str, now: datetime) -> Event:
    made = Event()
    made.add("uid", f"{uid}@benton-streets")
    made.add("dtstamp", now)
    due = item["due"]
    if len(due) == len("2026-06-25"):
        day = date.fromisoformat(due)
        made.add("dtstart", day)
        made.add("dtend", day + timedelta(days=1))
    else:
        made.add("dtstart", datetime.fromisoformat(due))
    of = item["number"] or f"case {item['case']}"
    made.add("summary", f"{TOLD.get(item['group'], '')}{item['what']} ({of}, {item['place']})")
    made.add("description", _description(item, base))
    made.add("location", item["place"])
    made.add("transp", "TRANSPARENT")
    if base:
        made.add("url", base + item["url"])
    return made


def _description(item: Json, base: str) -> str:
    lines = [f"{item['kind_title']}. {SENSES[item['sense']]} {item['due_words']}. § {item['section'].lstrip('§ ')}"]
    lines += [item["counted"], item["reading"]]
    lines += [f"Under the other reading: {item['other_words']}."] if item["other"] else []
    return "\n".join(line for line in (*lines, base + item["url"] if base else "") if line)
