"""Undoing an import while nothing rests on it; both stay in the audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import map_versions, registers
from app.audit import Act, Actor
from app.changes import StateError, needs_reason
from app.registers import DependsError
from app.street_tables import layer_features
from app.tables import addresses, audit, buildings, documents, doubts, imports, locations, lots, maps

Json = dict[str, Any]
_TABLES: Mapping[str, sa.Table] = {
    **{"addresses": addresses, "lots": lots, "buildings": buildings, "layers": layer_features}
}


def undo_import(connection: Connection, actor: Actor, import_id: int, reason: str) -> Json:
    """Undo an import: what it brought in is retired, and what that took the place of stands again.

    Parameters
    ----------
    connection
        Of the transaction.
    actor
        Who undoes it.
    import_id
        The import.
    reason
        Why.

    Returns
    -------
    dict
        The import's row.

    Raises
    ------
    DependsError
        Something was done since to a record that it brought in.
    StateError
        It was undone before.
    app.registers.NotFoundError
        There is no such import.
    """
    row = registers.get(connection, imports, import_id)
    check_undo(connection, row)
    act = Act(connection, actor, needs_reason(reason))
    if row["kind"] == "streets":
        registers.update(act, "undo", imports, row, {"undone_at": act.at})
        map_versions.withdraw(connection, actor, row["report"]["version"], f"Undone: {act.reason}", act=act)
    else:
        _retire(act, row)
        registers.update(act, "undo", imports, row, {"undone_at": act.at})
    return registers.get(connection, imports, import_id)


def check_undo(connection: Connection, row: Mapping[str, Any]) -> None:
    """Refuse to undo an import on which something rests.

    Parameters
    ----------
    connection
        To the register.
    row
        The import.

    Raises
    ------
    DependsError
        A later act, a document or a doubt rests on it.
    StateError
        It was undone before.
    """
    if row["undone_at"] is not None:
        raise StateError.of("import", f"import {row['id']}, undone", "one that stands")
    if row["kind"] == "streets":
        _check_map(connection, row)
        return
    last = sa.select(sa.func.max(audit.c.seq)).where(audit.c.act == act_of(connection, row["id"]))
    seq = int(connection.execute(last).scalar_one())
    table = _TABLES[row["kind"]]
    spans = [(table, row["report"]["first"])]
    spans += [(locations, row["report"]["first_place"])] if table is addresses else []
    for own, first in spans:
        subject = sa.cast(audit.c.subject, sa.Integer)
        within = subject.between(first, first + row["report"]["stored"] - 1)
        later = sa.select(audit).where(audit.c.kind == own.name, audit.c.seq > seq, within).order_by(audit.c.seq)
        found = connection.execute(later.limit(1)).mappings().first()
        if found is not None:
            record = f"{own.name} {found['subject']}"
            told = f"Act {found['act']} ({found['what']} by {found['actor']}) was done to {record} since."
            raise DependsError(told, [{"act": found["act"], "what": found["what"]}])
    if table is addresses:
        _check_addresses(connection, row)


def _check_addresses(connection: Connection, row: Mapping[str, Any]) -> None:
    first = row["report"]["first"]
    for table, words in ((documents, "was issued on"), (doubts, "is about")):
        mine = table.c.address_id.between(first, first + row["report"]["stored"] - 1)
        papers = registers.rows(connection, table, mine, limit=1)
        if papers:
            name = papers[0].get("number") or f"doubt {papers[0]['id']}"
            raise DependsError(f"{name} {words} address {papers[0]['address_id']}, which it brought in.")


def _check_map(connection: Connection, row: Mapping[str, Any]) -> None:
    version = registers.get(connection, maps, row["report"]["version"])
    if version["status"] != "proposal":
        raise DependsError(f"Version {version['version']} of the map is {version['status']}: propose another instead.")
    given = (addresses.c.map_version == version["version"]) & (addresses.c.made_at > row["made_at"])
    count = registers.counted(connection, addresses, given)
    if count:
        raise DependsError(f"{count} numbers were given under version {version['version']} since.")
    later = registers.rows(connection, imports, imports.c.kind == "streets", imports.c.id > row["id"],
                           imports.c.undone_at.is_(None))  # fmt: skip
    if later:
        raise DependsError(f"Streets were brought in since, as import {later[0]['id']}: undo that first.")


def act_of(connection: Connection, import_id: int) -> int:
    """Return the number of the act that an import was."""
    asked = sa.select(audit.c.act).where(audit.c.kind == "imports", audit.c.subject == str(import_id))
    return int(connection.execute(asked.order_by(audit.c.seq).limit(1)).scalar_one())


def _retire(act: Act, row: Mapping[str, Any]) -> None:
    table = _TABLES[row["kind"]]
    changes: Json = {"retired_at": act.at}
    if table is addresses:
        changes |= {"status": "retired", "retired_reason": f"Undone: {act.reason}"}
    for some in _spans(act.connection, table, row):
        registers.update_many(act, "undo", table, some, changes)
    if table is not addresses:
        replaced = registers.rows(act.connection, table, table.c.retired_at == row["made_at"])
        registers.update_many(act, "undo", table, replaced, {"retired_at": None})


def _spans(connection: Connection, table: sa.Table, row: Mapping[str, Any]) -> Iterator[list[Json]]:
    first, count = row["report"]["first"], row["report"]["stored"]
    for start in range(first, first + count, registers.AT_ONCE):
        end = min(start + registers.AT_ONCE, first + count) - 1
        yield registers.rows(connection, table, table.c.id.between(start, end))
