"""The audit: who did what, when and why, before and after; appended, never altered, each entry bound to the one before.

The database refuses to alter it. Its owner could still write a whole new chain, so the chain's head is printed on every
certificate and kept in every backup: `verify` proves that the log since an old head is unbroken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.columns import canonical
from app.tables import audit

FIRST = "0" * 64
"""What the first entry follows on."""


@dataclass(frozen=True)
class Actor:
    """Who acts.

    Parameters
    ----------
    name
        As shown beside the act.
    id
        ``user:3``, ``key:7``, ``console`` or ``system``.
    acting_for
        The officer acted for, or ``""``.
    """

    name: str
    id: str
    acting_for: str = ""


CONSOLE = Actor("the console", "console")
SYSTEM = Actor("the service", "system")


@dataclass
class Act:
    """One act: what is done in one transaction, all of it under the number of its first entry.

    Parameters
    ----------
    connection
        Of the transaction.
    actor
        Who acts.
    reason
        Why.
    at
        When; now when left out.
    """

    connection: Connection
    actor: Actor
    reason: str = ""
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    number: int = 0
    """Of the act: that of its first entry."""
    _last: tuple[int, str] | None = None

    def record(self, what: str, kind: str, subject: object, before: Any = None, after: Any = None) -> int:
        """Append an entry.

        Parameters
        ----------
        what
            The act, such as ``"assign"``.
        kind, subject
            What it is done to: a table's name and a row's id.
        before, after
            The row before and after, as JSON holds it; None where there is none.

        Returns
        -------
        int
            The entry's number.
        """
        entry = self._entry(what, kind, subject, before, after)
        self.connection.execute(_APPENDED, entry)
        return int(entry["seq"])

    def record_many(self, what: str, kind: str, done: Iterable[tuple[object, Any, Any]]) -> None:
        """Append an entry for each of many subjects, given with what it was before and is after."""
        entries = [self._entry(what, kind, *one) for one in done]
        if entries:
            insert_rows(self.connection, audit, entries)

    def _entry(self, what: str, kind: str, subject: object, before: Any, after: Any) -> dict[str, Any]:
        before_seq, before_hash = self._last or _last(self.connection)
        seq = before_seq + 1
        self.number = self.number or seq
        entry = {
            "seq": seq,
            "act": self.number,
            "at": self.at,
            "actor": self.actor.name,
            "actor_id": self.actor.id,
            "acting_for": self.actor.acting_for,
            "what": what,
            "kind": kind,
            "subject": str(subject),
            "before": None if before is None else canonical(before),
            "after": None if after is None else canonical(after),
            "reason": self.reason,
            "previous": before_hash,
        }
        self._last = seq, digest(entry)
        return {**entry, "hash": self._last[1]}


def insert_rows(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows to a table, each with all its columns.

    On SQLite the statement is made once and its values by column: over tens of thousands of rows that halves the time
    for which others wait.

    Parameters
    ----------
    connection
        Of the transaction.
    table
        The table.
    rows
        Its rows, all with every column.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(table.insert(), list(rows))
        return
    columns = []
    for column in table.columns:
        cells = [row[column.name] for row in rows]
        written = column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect)
        if written is not None:
            done = {id(cell): written(cell) for cell in {id(cell): cell for cell in cells}.values()}
            cells = [done[id(cell)] for cell in cells]
        columns.append(cells)
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    marks = ", ".join("?" * len(columns))
    connection.exec_driver_sql(
        f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})', list(zip(*columns, strict=True))
    )


_APPENDED = sa.insert(audit)
_NEWEST = sa.select(audit.c.seq, audit.c.hash).order_by(audit.c.seq.desc()).limit(1)


def _last(connection: Connection) -> tuple[int, str]:
    """Return the number and hash of the last entry."""
    last = connection.execute(_NEWEST).one_or_none()
    return (last.seq, last.hash) if last else (0, FIRST)


_BOUND = (
    *("seq", "act", "at", "actor", "actor_id", "acting_for", "what", "kind", "subject"),
    *("before", "after", "reason", "previous"),
)


def digest(entry: Mapping[str, Any]) -> str:
    """Return the hash of an entry: of every field and of the hash before it."""
    return hashlib.sha256(canonical({name: entry[name] for name in _BOUND}).encode()).hexdigest()


def head(connection: Connection) -> str:
    """Return the hash of the last entry; `FIRST` where there is none."""
    return _last(connection)[1]


@dataclass(frozen=True)
class Break:
    """Where the chain is broken: the entry's number and how."""

    seq: int
    how: str


def breaks(connection: Connection, old_head: str = "") -> Iterator[Break]:
    """Check the chain from its first entry.

    Parameters
    ----------
    connection
        To the database.
    old_head
        A head printed or kept earlier, which the chain must hold.

    Yields
    ------
    Break
        Each place where it is broken; none where it is whole and holds the old head.
    """
    previous, expected, held = FIRST, 1, not old_head
    entries = sa.select(audit).order_by(audit.c.seq).execution_options(yield_per=1000)
    for row in connection.execute(entries).mappings():
        if row["seq"] != expected:
            yield Break(row["seq"], f"entries {expected} to {row['seq'] - 1} are missing")
        if row["previous"] != previous:
            yield Break(row["seq"], "it does not follow on the entry before it")
        if row["hash"] != digest(dict(row)):
            yield Break(row["seq"], "its content is not what was recorded")
        previous, expected = row["hash"], row["seq"] + 1
        held = held or row["hash"] == old_head
    if not held and (old_head, previous) != (FIRST, FIRST):
        yield Break(0, f"no entry has the head {old_head}: the log was rewritten since, or cut short")
