"""Lettered doors and units of a number: none stands without the number itself (§ 288-15 H).

The suffix is for "each entrance", "the upper and lower portions" or "any part" of a house or building that has its one
number: a letter whose number is gone, or was never given, names a part of nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.registers import DependsError, Row

Group = tuple[str, str, int]


def is_part(row: Mapping[str, Any]) -> bool:
    """Whether an address is a lettered door or a unit of a number."""
    return bool(row["suffix"] or row["unit"] or row["unit_type"])


def parts_of(connection: Connection, row: Mapping[str, Any]) -> list[Row]:
    """Return the active lettered doors and units of an address's number; none of one that is such a part itself."""
    if is_part(row):
        return []
    same = registers.holders(connection, row["street_key"], row["half"], row["number"])
    return [other for other in same if is_part(other) and _base(other) == _base(row)]


def check(connection: Connection, changed: Iterable[tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]]) -> None:
    """Refuse an act that leaves a lettered door or unit without its number, or gives one to a number that is not there.

    A letter that stood alone before, as some do that were brought in from a file, is no fault of an act on another.

    Parameters
    ----------
    connection
        Of the transaction, when the act's rows are written.
    changed
        Each address that the act changes, before and after; None where there is none.

    Raises
    ------
    DependsError
        Naming the parts that would be left, or the number that is wanting; what the act itself brings depends on none.
    """
    left, came = set(), {}
    for before, after in changed:
        was, now = _group(before), _group(after)
        part = {k: bool(row and is_part(row)) for k, row in enumerate((before, after))}
        if (was, part[0]) == (now, part[1]):
            continue
        if was and not part[0]:
            left.add(was)
        if now and after and part[1]:
            came[after["id"]] = now
    for group in left | set(came.values()):
        rows = registers.holders(connection, *group)
        bases = {_base(row) for row in rows if not is_part(row)}
        alone = [
            row for row in rows if is_part(row) and _base(row) not in bases and (group in left or row["id"] in came)
        ]
        if alone:
            raise DependsError(_told(alone), [about(row) for row in alone if row["id"] not in came])


def check_base(connection: Connection, street_key: str, half: str, number: int, full: str) -> None:
    """Refuse a letter for a number that no active address has, before anything is written.

    Raises
    ------
    DependsError
        There is no such number.
    """
    if all(is_part(row) for row in registers.holders(connection, street_key, half, number)):
        raise DependsError(f"{full} would be a part of {number}, which nobody holds: {number} is assigned first.")


def about(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is told of an address that depends on another."""
    return {"id": row["id"], "address": row["full"], "status": row["status"]}


def _base(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["number_prefix"], row["fraction"]


def _group(row: Mapping[str, Any] | None) -> Group | None:
    if row is None or row["status"] == "retired":
        return None
    return row["street_key"], row["half"], row["number"]


def _told(alone: list[Row]) -> str:
    names = ", ".join(row["full"] for row in alone)
    first = alone[0]
    number = f"{first['number_prefix']}{first['number']}{' ' if first['fraction'] else ''}{first['fraction']}"
    return (
        f"{names} would be left without {number}, the number of the building (§ 288-15 H): retire, restore or renumber "
        "them together, or assign the number first."
    )
