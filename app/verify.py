"""Whether the register is whole: its log, what the log says of each row, its references and its constraints."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.audit import FIRST, breaks
from app.columns import canonical, metadata
from app.schema import head, require_head
from app.street_tables import object_photos
from app.tables import FROZEN, GUARDED, ONE, audit, documents, explanations, maps, renamings, vacations
from gis.address import street_key

LOGGED = tuple(table for table in metadata.sorted_tables if GUARDED.get(table.name) == ("DELETE",))
"""Tables whose every row is in the log as it is now."""
AT_ONCE = 200


def verify(connection: Connection, old_head: str = "") -> Iterator[str]:
    """Check the whole register.

    Parameters
    ----------
    connection
        Of one transaction, so that one state is checked.
    old_head
        A head printed on a certificate or kept in a backup, which the log must hold.

    Yields
    ------
    str
        Each break, as a sentence; none where all is whole.

    Raises
    ------
    StorageError
        There is no register, or one of another release.
    """
    require_head(connection)
    if connection.dialect.name == "sqlite":
        for (found,) in connection.execute(sa.text("PRAGMA integrity_check")).all():
            if found != "ok":
                yield f"the database file: {found}"
    yield from _schema(connection)
    checks: dict[str, Iterator[str]] = {"audit": (f"audit {b.seq}: {b.how}" for b in breaks(connection, old_head))}
    checks |= {"references": _references(connection), "unique": _twice(connection)}
    checks |= {table.name: _unlogged(connection, table) for table in LOGGED}
    checks |= {"contents": _contents(connection), "renamings": _renamed(connection)}
    for name, check in checks.items():
        try:
            yield from check
        except (ValueError, TypeError, KeyError) as error:  # such as a text where a day should be
            yield f"{name}: holds what cannot be read: {error}"


def _schema(connection: Connection) -> Iterator[str]:
    """Compare the schema with what this release makes of an empty database."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    def ours(name: str | None, kind: str, _parents: Any) -> bool:
        return kind != "table" or name in metadata.tables

    context = MigrationContext.configure(connection, opts={"include_name": ours})
    for difference in compare_metadata(context, metadata):
        yield f"schema {head()}: {_told(difference)}"
    for name in sorted(_refusals(connection) - set(_triggers(connection))):
        yield f"schema {head()}: the trigger {name} is missing or off: what it refuses would be done"


def _told(difference: Any) -> str:
    first = difference[0]
    kind, *about = first if isinstance(first, tuple) else difference
    named = [str(getattr(part, "name", part)) for part in about if part is not None and not isinstance(part, dict)]
    return f"differs from the release's: {kind.replace('_', ' ')} {' '.join(named)}".strip()


def _refusals(connection: Connection) -> set[str]:
    names = {f"{table}_no_{act.lower()}" for table, acts in GUARDED.items() for act in acts}
    names |= {f"{table}_frozen" for table in FROZEN}
    if connection.dialect.name == "postgresql":
        return names | {f"{table}_no_truncate" for table in GUARDED}
    replaced = {f"{table}_replaced_{act}" for table in ONE for act in ("insert", "update")}
    return names | (replaced - {f"{t}_replaced_update" for t in ONE if "UPDATE" in GUARDED[t]})


def _triggers(connection: Connection) -> list[str]:
    asked = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    if connection.dialect.name == "postgresql":
        asked = (
            "SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
            "WHERE NOT tgisinternal AND tgenabled IN ('O', 'A') AND c.relnamespace = current_schema()::regnamespace"
        )
    return list(connection.execute(sa.text(asked)).scalars())


def _references(connection: Connection) -> Iterator[str]:
    for table in metadata.sorted_tables:
        for reference in table.foreign_keys:
            own, other = reference.parent, reference.column
            target = other.table.alias("target")
            there = sa.select(target.c[other.name]).where(target.c[other.name] == own).exists()
            lost = sa.select(*table.primary_key.columns, own.label("lost")).where(own.is_not(None), ~there)
            for *key, value in connection.execute(lost):
                yield f"{table.name} {_named(key)}: its {own.name} {value} is not there"


def _twice(connection: Connection) -> Iterator[str]:
    """Find what a unique constraint forbids, should it not have been there."""
    for table in metadata.sorted_tables:
        for columns, condition in _unique(table):
            asked = sa.select(*columns, sa.func.count()).group_by(*columns).having(sa.func.count() > 1)
            asked = asked.where(*(column.is_not(None) for column in columns), condition)
            for *key, count in connection.execute(asked):
                yield f"{table.name}: {count} rows have {', '.join(c.name for c in columns)} = {_named(key)}"


def _unique(table: sa.Table) -> Iterator[tuple[list[Any], Any]]:
    for constraint in table.constraints:
        if isinstance(constraint, sa.UniqueConstraint | sa.PrimaryKeyConstraint):
            yield list(constraint.columns), sa.true()
    for index in table.indexes:
        if index.unique:
            condition = index.dialect_options["sqlite"]["where"]
            yield list(index.columns), sa.true() if condition is None else condition


def _named(key: Any) -> str:
    return " ".join(str(part) for part in key)


# --- what the log says ---


def _unlogged(connection: Connection, table: sa.Table) -> Iterator[str]:
    """Compare each row with the last that the log says of it."""
    key = next(iter(table.primary_key.columns))
    columns = [column for column in table.columns if not isinstance(column.type, sa.LargeBinary)]
    telling = (audit.c.kind == table.name) & audit.c.after.is_not(None)
    own = telling & (audit.c.subject == sa.cast(key, sa.String))  # by the index of kind and subject, a row at a time
    newest = sa.select(sa.func.max(audit.c.seq)).where(own).correlate(table).scalar_subquery()
    last = audit.alias("last")
    asked = sa.select(*columns, last.c.seq.label("_seq"), last.c.after.label("_after"))
    asked = asked.select_from(table.outerjoin(last, last.c.seq == newest))
    ids = set()
    for row in _streamed(connection, asked.order_by(key)):
        ids.add(str(row[key.name]))
        if row["_seq"] is None:
            yield f"{table.name} {row[key.name]}: the log knows nothing of it"
            continue
        said = json.loads(row["_after"])
        now = json.loads(canonical({name: row[name] for name in said if name in row}))
        differing = sorted(name for name in now if now[name] != said[name])
        if differing:
            yield f"{table.name} {row[key.name]}: {', '.join(differing)} changed since audit {row['_seq']}, by no act"
    told = sa.select(audit.c.subject, sa.func.max(audit.c.seq).label("seq")).where(telling).group_by(audit.c.subject)
    for row in _streamed(connection, told.order_by("seq")):
        if row["subject"] not in ids:
            yield f"{table.name} {row['subject']}: audit {row['seq']} tells of it and it is not there"


def _renamed(connection: Connection) -> Iterator[str]:
    """Follow the standing renamings in their order: each takes a name that is there to one that no other gave."""
    given: dict[str, int] = {}
    left: dict[str, int] = {}
    closed = sa.select(vacations.c.street).where(vacations.c.undone_at.is_(None))
    vacated = {street_key(street) for street in connection.execute(closed).scalars()}  # its name is free again
    standing = sa.select(renamings.c.id, renamings.c.old, renamings.c.new).where(renamings.c.undone_at.is_(None))
    for number, old, new in connection.execute(standing.order_by(renamings.c.id)):
        was, now = street_key(old), street_key(new)
        given.pop(was, None)
        if was in left:
            yield f"renamings {number}: {old} was renamed by renaming {left[was]} already"
        if now in given and now not in vacated:
            yield f"renamings {number}: renaming {given[now]} made another street {new}: two would have one name"
        left[was] = given[now] = number
        left.pop(now, None)


def _contents(connection: Connection) -> Iterator[str]:
    """Compare what is kept as bytes with its digests."""
    for row in _streamed(connection, sa.select(explanations)):
        if hashlib.sha256(_unpacked(row["body"])).hexdigest() != row["digest"]:
            yield f"explanations {row['digest']}: its content is not what was issued"
    for row in _streamed(connection, sa.select(documents)):
        named, head_then = f"documents {row['number']}", row["audit_head"]
        if hashlib.sha256(row["pdf"]).hexdigest() != row["sha256"]:
            yield f"{named}: its file is not what was issued"
        held = connection.execute(sa.select(audit.c.seq).where(audit.c.hash == head_then)).first()
        if held is None and head_then != FIRST:
            yield f"{named}: the audit has no entry with the head printed on it, {head_then}"
    for row in _streamed(connection, sa.select(object_photos)):
        if hashlib.sha256(row["bytes"]).hexdigest() != row["sha256"]:
            yield f"object_photos {row['id']}: its picture is not what was kept"
    for row in _streamed(connection, sa.select(maps)):
        if not _unpacked(row["snapshot"]):
            yield f"maps {row['version']}: its content cannot be read"


def _streamed(connection: Connection, asked: Any) -> Iterator[Any]:
    with connection.execute(asked.execution_options(yield_per=AT_ONCE)) as rows:
        yield from rows.mappings()


def _unpacked(body: bytes) -> bytes:
    try:
        return zlib.decompress(body)
    except zlib.error:
        return b""
