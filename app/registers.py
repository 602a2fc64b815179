"""The register's rows: read and written as plain dicts, and every write recorded in the same transaction."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.audit import Act, insert_rows
from app.columns import canonical
from app.tables import ACTIVE, addresses, audit, explanations, locations
from gis.errors import StreetsError

Row = dict[str, Any]
AT_ONCE = 1000
"""As many rows are written in one statement."""


class NotFoundError(StreetsError):
    """There is no such record."""


class DependsError(StreetsError):
    """An act that cannot be undone, or a record that cannot go, because something depends on it."""

    def __init__(self, message: str, dependents: Sequence[Row] = ()) -> None:
        super().__init__(message)
        self.dependents = list(dependents)


def recorded(table: sa.Table, row: Mapping[str, Any]) -> Row:
    """Return a row as the audit keeps it: every column but those of bytes, whose digest stands beside them."""
    return {name: row[name] for name in _recorded(table)}


@cache
def _recorded(table: sa.Table) -> tuple[str, ...]:
    return tuple(str(c.name) for c in table.columns if not isinstance(c.type, sa.LargeBinary))


@cache
def _whole(table: sa.Table) -> sa.Select[Any]:
    return sa.select(*(table.columns[name] for name in _recorded(table)))


def _all(result: sa.CursorResult[Any]) -> list[Row]:
    """Return every row of a result, fetched at once: one at a time would take twice as long."""
    names = tuple(result.keys())
    return [dict(zip(names, row, strict=True)) for row in result.all()]


def find(connection: Connection, table: sa.Table, row_id: int) -> Row | None:
    """Return a row by its id, or None."""
    found = connection.execute(_by_id(table), {"wanted": row_id}).mappings().one_or_none()
    return dict(found) if found else None


@cache  # a statement made once is neither made nor named again at each use
def _by_id(table: sa.Table) -> sa.Select[Any]:
    key = next(iter(table.primary_key.columns))
    return sa.select(table).where(key == sa.bindparam("wanted"))


def get(connection: Connection, table: sa.Table, row_id: int) -> Row:
    """Return a row by its id.

    Raises
    ------
    NotFoundError
        There is none.
    """
    found = find(connection, table, row_id)
    if found is None:
        raise NotFoundError.of("id", str(row_id), f"the id of one of the register's {table.name}")
    return found


def insert(act: Act, what: str, table: sa.Table, values: Mapping[str, Any]) -> Row:
    """Add a row and record it.

    Parameters
    ----------
    act
        The act it belongs to.
    what
        What the act does, for the audit.
    table
        The table.
    values
        Its columns; the key is given by the database where it is left out.

    Returns
    -------
    dict
        The row as it is stored.
    """
    key = next(iter(table.primary_key.columns))
    row = dict(act.connection.execute(_added(table), dict(values)).mappings().one())
    act.record(what, table.name, row[key.name], None, recorded(table, row))
    return row


@cache
def _added(table: sa.Table) -> Any:
    return sa.insert(table).returning(*table.c)


def update(act: Act, what: str, table: sa.Table, row: Row, changes: Mapping[str, Any]) -> Row:
    """Change a row and record what it was and is.

    Parameters
    ----------
    act
        The act it belongs to.
    what
        What the act does, for the audit.
    table
        The table.
    row
        The row as it was read in this transaction.
    changes
        Columns that change.

    Returns
    -------
    dict
        The row as it is now.
    """
    key = next(iter(table.primary_key.columns))
    changed = sa.update(table).where(key == row[key.name]).values(**changes).returning(*table.c)
    after = dict(act.connection.execute(changed).mappings().one())
    act.record(what, table.name, row[key.name], recorded(table, row), recorded(table, after))
    return after


def next_id(connection: Connection, table: sa.Table) -> int:
    """Return the id that a table's next row has, for a writer that has its turn; rows are never deleted."""
    key = next(iter(table.primary_key.columns))
    return int(connection.execute(sa.select(sa.func.coalesce(sa.func.max(key), 0))).scalar_one()) + 1


def insert_many(act: Act, what: str, table: sa.Table, rows: Sequence[Row]) -> None:
    """Add many rows and record each as `insert` does.

    Parameters
    ----------
    act
        The act it belongs to.
    what
        What the act does, for the audit.
    table
        The table.
    rows
        Each with every column, its id too: those from `next_id` on.
    """
    key = next(iter(table.primary_key.columns))
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        insert_rows(act.connection, table, some)
        act.record_many(what, table.name, ((row[key.name], None, recorded(table, row)) for row in some))
    if rows and act.connection.dialect.name == "postgresql":
        serial = sa.func.pg_get_serial_sequence(table.name, key.name)
        act.connection.execute(sa.select(sa.func.setval(serial, rows[-1][key.name])))


def update_many(act: Act, what: str, table: sa.Table, rows: Sequence[Row], changes: Mapping[str, Any]) -> None:
    """Change many rows alike, and record each as `update` does.

    Parameters
    ----------
    act
        The act it belongs to.
    what
        What the act does, for the audit.
    table
        The table.
    rows
        As they were read in this transaction.
    changes
        Columns that change, with values as they are read.
    """
    key = next(iter(table.primary_key.columns))
    changed = sa.update(table).where(key.in_(sa.bindparam("ids", expanding=True))).values(**changes)
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        act.connection.execute(changed, {"ids": [row[key.name] for row in some]})
        told = ((row[key.name], recorded(table, row), recorded(table, {**row, **changes})) for row in some)
        act.record_many(what, table.name, told)


# --- addresses ---

_LOCATED = sa.select(
    addresses, *(c.label(f"location_{c.name}") for c in locations.columns if c is not locations.c.id)
).join(locations)


def located(connection: Connection, address_id: int) -> Row:
    """Return an address with its location's columns, each named ``location_...``.

    Raises
    ------
    NotFoundError
        There is none.
    """
    found = connection.execute(_LOCATED.where(addresses.c.id == address_id)).mappings().one_or_none()
    if found is None:
        raise NotFoundError.of("id", str(address_id), "the id of an address")
    return dict(found)


def located_many(connection: Connection, *conditions: Any, order: Sequence[Any] = (), limit: int = 0) -> list[Row]:
    """Return addresses with their locations.

    Parameters
    ----------
    connection
        To the database.
    conditions
        What they must fulfil.
    order
        Columns to sort by; along the street when left out.
    limit
        At most so many; 0 for all.

    Returns
    -------
    list of dict
        As `located` gives them.
    """
    asked = located_query(*conditions).order_by(*(order or IN_ORDER))
    return _all(connection.execute(asked.limit(limit) if limit else asked))


def located_query(*conditions: Any) -> sa.Select[Any]:
    """Return the query of addresses with their locations, to be ordered and cut."""
    return _LOCATED.where(*conditions)


IN_ORDER = (
    *(addresses.c.street_key, addresses.c.half, addresses.c.number),
    *(addresses.c.fraction, addresses.c.suffix, addresses.c.id),
)
IS_ACTIVE = addresses.c.status.in_(ACTIVE)
_HOLDING = sa.select(
    *(addresses.c[name] for name in ("id", "number", "suffix", "full", "status", "station_ft", "made_at")),
    *(locations.c[name].label(f"location_{name}") for name in ("lon", "lat")),
).join(locations)
_ON_SIDE = (
    sa.select(*(addresses.c[name] for name in ("id", "number", "suffix", "station_ft")))
    .where(
        IS_ACTIVE,
        addresses.c.street_key == sa.bindparam("key"),
        addresses.c.half == sa.bindparam("side"),
        addresses.c.even == sa.bindparam("parity"),
    )
    .order_by(*IN_ORDER)
)


def on_face(connection: Connection, street_key: str, half: str, *, even: bool | None = None) -> list[Row]:
    """Return who holds each number of a half-street, or of one side of it, and where: the active ones, in order.

    They may be several hundred: no column is read that nobody asks for.
    """
    wanted = [IS_ACTIVE, addresses.c.street_key == street_key, addresses.c.half == half]
    asked = _HOLDING.where(*wanted, *([] if even is None else [addresses.c.even == even])).order_by(*IN_ORDER)
    return _all(connection.execute(asked))


def on_side(connection: Connection, street_key: str, half: str, *, even: bool) -> list[Row]:
    """Return id, number, suffix and station of the active addresses on one side of a half-street, in order.

    Each assignment asks it of several hundred: the index `addresses_on_side` has all of it.
    """
    return _all(connection.execute(_ON_SIDE, {"key": street_key, "side": half, "parity": even}))


def at_place(connection: Connection, west: float, south: float, east: float, north: float) -> list[Row]:
    """Return the active addresses whose entrance lies in a rectangle of the working CRS, feet."""
    return _all(connection.execute(_AT_PLACE, {"west": west, "south": south, "east": east, "north": north}))


_AT_PLACE = _LOCATED.where(
    IS_ACTIVE,
    locations.c.x_ft.between(sa.bindparam("west"), sa.bindparam("east")),
    locations.c.y_ft.between(sa.bindparam("south"), sa.bindparam("north")),
).order_by(*IN_ORDER)


def points(connection: Connection, west: float, south: float, east: float, north: float, *, limit: int) -> list[Row]:
    """Return number, status and place of the active addresses in a rectangle of the working CRS, feet.

    Parameters
    ----------
    connection
        To the database.
    west, south, east, north
        The rectangle.
    limit
        At most so many.

    Returns
    -------
    list of dict
        Only what a map shows of each, so that many are read soon.
    """
    inside = locations.c.x_ft.between(west, east) & locations.c.y_ft.between(south, north)
    named = (addresses.c[name] for name in ("id", "number", "fraction", "suffix", "full", "status"))
    asked = sa.select(*named, locations.c.lon, locations.c.lat).join(locations).where(IS_ACTIVE, inside).limit(limit)
    return _all(connection.execute(asked))


def holders(connection: Connection, street_key: str, half: str, number: int) -> list[Row]:
    """Return the active addresses of one number of a half-street, with whatever suffix."""
    same = (addresses.c.street_key == street_key) & (addresses.c.half == half) & (addresses.c.number == number)
    return located_many(connection, IS_ACTIVE, same)


_EXPLAIN = sa.insert(explanations)
_SAME = explanations.c.digest == sa.bindparam("wanted")
_EXPLAINED = sa.select(explanations.c.digest).where(_SAME)
_EXPLANATION = sa.select(explanations.c.body).where(_SAME)


def keep_explanation(connection: Connection, content: Any) -> str:
    """Keep an explanation as issued; the same one is kept once.

    Parameters
    ----------
    connection
        Of the transaction.
    content
        The explanation as JSON.

    Returns
    -------
    str
        Its digest, by which it is found.
    """
    text = canonical(content).encode()
    digest = hashlib.sha256(text).hexdigest()
    if connection.execute(_EXPLAINED, {"wanted": digest}).first() is None:
        connection.execute(_EXPLAIN, {"digest": digest, "body": zlib.compress(text, 6)})
    return digest


def explanation(connection: Connection, digest: str) -> Any:
    """Return an explanation as it was issued."""
    body = connection.execute(_EXPLANATION, {"wanted": digest}).scalar_one()
    return json.loads(zlib.decompress(body))


def history(connection: Connection, kind: str, subject: object, limit: int = 200) -> list[Row]:
    """Return what was done to a record, the latest first."""
    asked = sa.select(audit).where(audit.c.kind == kind, audit.c.subject == str(subject))
    return _all(connection.execute(asked.order_by(audit.c.seq.desc()).limit(limit)))


def brought_in(connection: Connection, address_id: int) -> bool:
    """Whether an address was brought in from a file, with the number that its building had."""
    told = (audit.c.kind == "addresses") & (audit.c.subject == str(address_id)) & audit.c.before.is_(None)
    what = connection.execute(sa.select(audit.c.what).where(told).order_by(audit.c.seq).limit(1)).scalar_one_or_none()
    return (what or "").startswith("import")


def entries_of(connection: Connection, act: int, *, kind: str = "") -> list[Row]:
    """Return the entries of one act, or those of one kind of record, in order."""
    wanted = [audit.c.act == act, *([audit.c.kind == kind] if kind else [])]
    return _all(connection.execute(sa.select(audit).where(*wanted).order_by(audit.c.seq)))


def counted(connection: Connection, table: sa.Table, *conditions: Any) -> int:
    """Return how many rows fulfil conditions."""
    return int(connection.execute(sa.select(sa.func.count()).select_from(table).where(*conditions)).scalar_one())


def rows(
    connection: Connection, table: sa.Table, *conditions: Any, order: Iterable[Any] = (), limit: int = 0
) -> list[Row]:
    """Return rows of a table that fulfil conditions."""
    asked = query(table, *conditions, order=order)
    return found(connection, asked.limit(limit) if limit else asked)


def query(table: sa.Table, *conditions: Any, order: Iterable[Any] = ()) -> sa.Select[Any]:
    """Return the query of rows of a table that fulfil conditions; who asks it often makes it once."""
    return _whole(table).where(*conditions).order_by(*(order or table.primary_key.columns))


def found(connection: Connection, asked: sa.Select[Any], known: Mapping[str, Any] | None = None) -> list[Row]:
    """Return the rows of a query, given the values of its parameters."""
    return _all(connection.execute(asked, known))


def standing(connection: Connection, acts: sa.Table) -> list[Row]:
    """Return the acts of a table that were not undone, in order."""
    return found(connection, _not_undone(acts))


@cache
def _not_undone(acts: sa.Table) -> sa.Select[Any]:
    return query(acts, acts.c.undone_at.is_(None))
