"""What the Village has settled where the ordinance leaves it to another text or to a reading; empty until it has.

Fees "as prescribed in § 173-1", penalties "as provided in § 1-3", and whether Wis. Stat. § 990.001(4) governs a clock:
none of them is in the text at hand, so none is invented. Each value has a day from which it holds and its source.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.case_tables import village_values
from app.clocks import Counting

Json = dict[str, Any]


def values_on(connection: Connection, day: date) -> Json:
    """Return what the Village has settled that holds on a day, by key.

    Parameters
    ----------
    connection
        To the register.
    day
        The day.

    Returns
    -------
    dict
        Of each key the value that took effect last, on or before the day; keys nobody has settled are left out.
    """
    own = village_values.c
    order = (own.effective_on, own.id)
    found = registers.rows(connection, village_values, own.withdrawn_at.is_(None), own.effective_on <= day, order=order)
    return {row["key"]: row["value"] for row in found}


def counting(connection: Connection, day: date) -> Counting:
    """Return how the Village counts time on a day."""
    known = values_on(connection, day)
    closures = frozenset(date.fromisoformat(closed["day"]) for closed in known.get("closures", ()))
    return Counting(known.get("skip_rule"), closures, known.get("elections"))


def fee_cents(connection: Connection, key: str, day: date) -> int | None:
    """Return a fee of § 173-1 in cents; None where the Village has not filled it in."""
    found = values_on(connection, day).get(key)
    return int(found) if found is not None else None
