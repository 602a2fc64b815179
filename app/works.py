"""Works: openings and obstructions with their first and last day; what each is on a day is computed, never stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import registers
from app.case_tables import cases
from app.object_kinds import KINDS, WORKS
from app.registers import Row
from app.street_tables import street_objects
from gis.address import street_key
from gis.errors import StreetsError
from gis.rules import RowReading

Json = dict[str, Any]
EXPIRED_DAYS = int(RowReading().expired_days)
"""For how long a work that has ended, and is not recorded as restored or removed, is listed as recently expired."""
STATES: Mapping[str, str] = MappingProxyType(
    {
        "emergency": "emergency",
        "active": "active",
        "planned": "planned",
        "recently_expired": "recently expired",
        "past": "past",
    }
)
"""States of a work on a day, in words."""
SHOWN = tuple(state for state in STATES if state != "past")
"""What a works map shows unless it is asked for more."""
MOST = 2000
"""As many works are listed at once at most."""


def state_of(row: Row, day: date) -> str:
    """Say what a work is on a day.

    Its first and last day both count to it; from the day on which it was restored or removed it is past. One that is
    not restored when its last day is over has expired, recently for `EXPIRED_DAYS` days; that of a permit until it is
    restored. Without a first day it has begun, without a last one it goes on.

    Parameters
    ----------
    row
        Of an opening or obstruction.
    day
        The day.

    Returns
    -------
    str
        One of `STATES`.
    """
    starts, ends, restored = row["starts_on"], row["ends_on"], row["restored_on"]
    if restored is not None and restored <= day:
        return "past"
    if starts is not None and starts > day:
        return "planned"
    if ends is not None and ends < day:
        stays = day - ends <= timedelta(days=EXPIRED_DAYS) or bool((row.get("facts") or {}).get("permit"))
        return "recently_expired" if stays else "past"
    return "emergency" if row["emergency"] else "active"


def condition_of(state: str, day: date) -> Any:
    """Return the condition that a work is in a state on a day, as `state_of` says it."""
    starts, ends, restored = (street_objects.c[name] for name in ("starts_on", "ends_on", "restored_on"))
    open_still = restored.is_(None) | (restored > day)
    begun = starts.is_(None) | (starts <= day)
    permitted = sa.cast(street_objects.c.facts, sa.String).like('%"permit":"%')
    over, soon = ends < day, (ends >= day - timedelta(days=EXPIRED_DAYS)) | permitted
    running = open_still & begun & (ends.is_(None) | (ends >= day))
    return {
        "planned": open_still & (starts > day),
        "active": running & sa.not_(street_objects.c.emergency),
        "emergency": running & street_objects.c.emergency,
        "recently_expired": open_still & begun & over & soon,
        "past": (restored <= day) | (open_still & begun & over & sa.not_(soon)),
    }[state]


def read_state(text: str, *, past: bool = True) -> str:
    """Read the name of a state; ``""`` stays.

    Raises
    ------
    StreetsError
        There is none.
    """
    names = [name for name in STATES if past or name != "past"]
    if text and text not in names:
        raise StreetsError.of("state", text[:60], f"one of {', '.join(names)}")
    return text


def read_kind(text: str) -> str:
    """Read the name of a kind of work; ``""`` stays.

    Raises
    ------
    StreetsError
        There is none.
    """
    if text and text not in WORKS:
        raise StreetsError.of("kind", text[:60], f"one of {', '.join(WORKS)}")
    return text


def listed(connection: Connection, day: date, *, state: str = "", kind: str = "", street: str = "") -> list[Row]:
    """Return works as they are on a day, by street and then by their first day.

    Parameters
    ----------
    connection
        To the register.
    day
        The day.
    state
        Only those in this state; ``""`` for all but past ones.
    kind
        Only of this kind; ``""`` for both.
    street
        Only those of this street, by its official name; ``""`` for all.

    Returns
    -------
    list of dict
        At most `MOST` rows.
    """
    states = [condition_of(one, day) for one in ([state] if state else SHOWN)]
    order = (street_objects.c.street, street_objects.c.starts_on, street_objects.c.id)
    wanted = (*_standing(kind, street), sa.or_(*states))
    return registers.rows(connection, street_objects, *wanted, order=order, limit=MOST)


def counts(connection: Connection, day: date, *, kind: str = "", street: str = "") -> dict[str, int]:
    """Return how many works are in each state but past on a day, of a kind and a street or of all."""
    told = _standing(kind, street)
    return {one: registers.counted(connection, street_objects, *told, condition_of(one, day)) for one in SHOWN}


def streets(connection: Connection) -> list[str]:
    """Return the streets that have works, past ones too."""
    asked = sa.select(street_objects.c.street).where(*_standing("", "")).distinct()
    return sorted(name for name in connection.execute(asked).scalars() if name)


def _standing(kind: str, street: str) -> list[Any]:
    wanted = [street_objects.c.retired_at.is_(None), street_objects.c.kind.in_([kind] if kind else WORKS)]
    return [*wanted, street_objects.c.street == street] if street else wanted


def improved_on(connection: Connection, street: str, section: date | None, by: date) -> date | None:
    """Return when a street was last improved or repaved: by its section, or by a project that is recorded (§ 288-6 I).

    Parameters
    ----------
    connection
        To the register.
    street
        Its official name; ``""`` where none is known.
    section
        As the cross-section of the block has it.
    by
        The day that is asked about: an improvement after it closes nothing yet.

    Returns
    -------
    date or None
        The later day. A project's limits are words, so it counts for the whole street.
    """
    made = sa.select(cases.c.street, cases.c.starts_on).where(cases.c.kind == "repaving", cases.c.state == "improved")
    own = [on for name, on in connection.execute(made) if street and on and street_key(name) == street_key(street)]
    return max((on for on in (*own, section) if on and on <= by), default=None)


def where(row: Row) -> str:
    """Say of a work what it is in or on, in words; ``""`` where that was not recorded."""
    kind = KINDS[row["kind"]]
    fact = next(fact for fact in kind.facts if fact.key in {"surface", "on"})
    found = row["facts"].get(fact.key)
    return f"{'on' if fact.key == 'on' else 'in'} {fact.choices[found]}" if found else ""
