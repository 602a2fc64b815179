"""The kinds of columns that tables are made of, written as text that is the same in either database."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

metadata = sa.MetaData()
"""All tables of the register."""


def canonical(content: Any) -> str:
    """Write JSON in the one form that digests are taken of.

    Parameters
    ----------
    content
        Anything JSON holds; dates and instants become ISO 8601 text.

    Returns
    -------
    str
        Keys sorted, no spaces.
    """
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_text)


def _text(value: Any) -> Any:
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


@lru_cache(maxsize=256)
def instant(at: datetime) -> str:
    """Write an instant as the tables hold it: UTC, to the microsecond, always of one length."""
    utc = at.astimezone(UTC)
    return f"{utc.year:04d}-{utc:%m-%dT%H:%M:%S.%f}Z"  # %Y writes a year below 1000 without its zeros


class Instant(TypeDecorator[datetime]):
    """An aware `datetime`, stored as text in UTC that sorts as time does."""

    impl = sa.String(27)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """Write it."""
        return None if value is None else instant(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Read it."""
        return None if value is None else datetime.fromisoformat(value)


class Day(TypeDecorator[date]):
    """A `date`, stored as ISO text."""

    impl = sa.String(10)
    cache_ok = True

    def process_bind_param(self, value: date | None, dialect: Dialect) -> str | None:
        """Write it."""
        return None if value is None else value.isoformat()

    def process_result_value(self, value: Any, dialect: Dialect) -> date | None:
        """Read it."""
        return None if value is None else date.fromisoformat(value)


class Json(TypeDecorator[Any]):
    """Anything JSON holds, stored as canonical text."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Write it."""
        return None if value is None else canonical(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Read it."""
        return None if value is None else json.loads(value)
