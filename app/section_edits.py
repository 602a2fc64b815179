"""The streets' cross-sections as officers change them: a row put in place of another, taken back, restored.

A row is never altered: a change is a new row, and the one before it stays, retired.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.audit import Act
from app.changes import StateError, needs_reason
from app.clocks import not_too_early
from app.columns import canonical
from app.cross_sections import COLUMNS, Section, best, read_section
from app.once import once
from app.people import ChangedMeanwhileError
from app.registers import Row
from app.row_layers import Names, section_of, standing_sections
from app.settings import DataError, tidy
from app.street_objects import Asking
from app.street_tables import cross_sections
from app.village import Village
from gis.blocks import Row as MapRow
from gis.errors import Fault, StreetsError, UnknownStreetError

Json = dict[str, Any]
Key = tuple[str, str, int | None]
KEY = ("street", "half", "block")
"""Columns that say what a row is of."""
MOST_TEXT = 500


@dataclass(frozen=True)
class Kept:
    """A row of the table with who made it; `row` is None where it is the village's file that has it."""

    section: Section
    row: Row | None

    @property
    def standing(self) -> bool:
        """Whether it holds, where no narrower row does."""
        return self.row is None or self.row["retired_at"] is None


@dataclass(frozen=True)
class BlockHeld:
    """A block of the map and the row that holds for it; None where there is none at all."""

    block: MapRow
    kept: Kept | None


# --- acts ---


def save(by: Asking, given: Mapping[str, Any]) -> Json:
    """Put a row in the place of the one that stands for the same street, half or block, or beside the wider ones.

    Parameters
    ----------
    by
        Who does it.
    given
        The columns of the table, widths as people write them; ``reason``; and ``was``, the `version` of the row that
        was shown, where it is to be refused if another stands there now.

    Returns
    -------
    dict
        ``id`` of the new row.

    Raises
    ------
    ChangedMeanwhileError
        Another row stands there than was shown.
    StreetsError
        Naming each cell at fault; nothing is stored.
    """

    def do(connection: Connection) -> Json:
        village = by.atlas.village
        section = read(village, given, by.today)
        before = held(standing_sections(connection, village), section.key)
        _refuse_stale(before, given.get("was"))
        if before is not None and before.cells == section.cells:
            raise StreetsError(f"Nothing would be changed: {before.place} is recorded so already.")
        act = Act(connection, by.person.actor, needs_reason(str(given.get("reason") or "")), by.now)
        _retire(act, "change section", before)
        made = registers.insert(act, "change section", cross_sections, _columns(section, act))
        return {"id": made["id"]}

    return _acted(by, {"change section": dict(given)}, do)


def retire(by: Asking, section_id: int, reason: str, was: str = "") -> Json:
    """Take a row back: what it was of has the next wider row again.

    Raises
    ------
    StateError
        It does not stand.
    StreetsError
        No reason is given.
    """

    def do(connection: Connection) -> Json:
        row = registers.get(connection, cross_sections, section_id)
        if row["retired_at"] is not None:
            raise StateError.of("id", f"row {section_id}, which does not hold", "a row that holds")
        _refuse_stale(section_of(row, Names(connection, by.atlas.village)), was)
        act = Act(connection, by.person.actor, needs_reason(reason), by.now)
        registers.update(act, "retire section", cross_sections, row, {"retired_at": act.at})
        return {"id": section_id}

    return _acted(by, {"retire section": section_id, "reason": reason, "was": was}, do)


def restore(by: Asking, section_id: int, reason: str) -> Json:
    """Let a row hold again; the one that stands in its place is retired.

    Raises
    ------
    StateError
        It stands.
    StreetsError
        No reason is given.
    """

    def do(connection: Connection) -> Json:
        row = registers.get(connection, cross_sections, section_id)
        if row["retired_at"] is None:
            raise StateError.of("id", f"row {section_id}, which holds", "a row that was replaced or retired")
        village = by.atlas.village
        key = section_of(row, Names(connection, village)).key
        act = Act(connection, by.person.actor, needs_reason(reason), by.now)
        _retire(act, "restore section", held(standing_sections(connection, village), key))
        registers.update(act, "restore section", cross_sections, row, {"retired_at": None})
        return {"id": section_id}

    return _acted(by, {"restore section": section_id, "reason": reason}, do)


def _acted(by: Asking, asked: Json, do: Callable[[Connection], Json]) -> Json:
    with by.atlas.database.write() as connection:
        return once(connection, by.person.actor, by.key, asked, lambda: do(connection))


def _retire(act: Act, what: str, before: Section | None) -> None:
    if before is not None and before.id is not None:
        row = registers.get(act.connection, cross_sections, before.id)
        registers.update(act, what, cross_sections, row, {"retired_at": act.at})


def _columns(section: Section, act: Act) -> Json:
    across = section.across
    known = ("street", "half", "block", "carrier_side", "commercial", "improved_on", "surveyed_on")
    return {
        **{name: getattr(section, name) for name in known},
        **{name: getattr(across, name) for name in ("row_width_ft", "pavement_width_ft", "accuracy_ft", "source")},
        "odd_side": asdict(across.odd),
        "even_side": asdict(across.even),
        "assumed": across.assumed,
        "reason": act.reason,
        "made_at": act.at,
        "made_by": act.actor.name,
        "retired_at": None,
    }


def _refuse_stale(before: Section | None, was: Any) -> None:
    if was and was != version(before):
        message = "The cross-section was changed since it was shown. Nothing was done: look at it as it is now."
        raise ChangedMeanwhileError(message, [Fault("was", str(was)[:60], version(before))])


def version(section: Section | None) -> str:
    """Return by what the row that stands for a street, half or block is known to be as it was shown."""
    shown = {} if section is None else {**section.cells, "id": section.id}
    return hashlib.sha256(canonical(shown).encode()).hexdigest()[:16]


# --- reading what is typed ---


def key_of(village: Village, given: Mapping[str, Any]) -> Key:
    """Read which street, half or block is meant.

    Parameters
    ----------
    village
        Its streets and blocks.
    given
        ``street`` however spelt, ``""`` for every street that has no row of its own; ``half``; ``block``.

    Returns
    -------
    tuple of (str, str, int or None)
        The street's present name, the half or ``""``, the block or None.

    Raises
    ------
    StreetsError
        There is no such street, half or block.
    """
    street, half, block = (tidy(_text(given.get(name))) for name in KEY)
    if not street:
        if half or block:
            raise StreetsError.of("street", "nothing", "the street of that half or block")
        return "", "", None
    street = village.street_name(street)
    rows = [row for row in village.rows_of(street) if row.side == half]
    if half and not rows:
        halves = ", ".join(dict.fromkeys(row.side for row in village.rows_of(street)))
        raise StreetsError.of("half", half, f"nothing, or one of {street}'s halves: {halves or 'it has none'}")
    if not block:
        return street, half, None
    known = sorted({row.block for row in rows})
    if not (block.isascii() and block.isdigit() and int(block[:6]) in known):
        expected = f"a block of {half} {street}, {known[0]} to {known[-1]}" if known else "a half, whose block it is"
        raise StreetsError.of("block", block, expected)
    return street, half, int(block)


def read(village: Village, given: Mapping[str, Any], today: date) -> Section:
    """Read a row as it is typed or sent.

    Parameters
    ----------
    village
        Its streets and blocks.
    given
        The columns of the table.
    today
        The day: nothing was surveyed or improved after it.

    Returns
    -------
    Section
        By the street's present name.

    Raises
    ------
    StreetsError
        Every cell at fault.
    """
    cells = {column: _text(given.get(column)) for column in COLUMNS}
    faults: list[Fault] = []
    key: Key = "", "", None
    try:
        key = key_of(village, cells)
    except UnknownStreetError as error:
        faults += [Fault("street", fault.found, fault.expected) for fault in error.faults]
    except StreetsError as error:
        faults += error.faults
    named = dict(zip(KEY, (key[0], key[1], "" if key[2] is None else str(key[2])), strict=True))
    try:
        section: Section | None = read_section({**cells, **named})
    except DataError as error:
        section, faults = None, [*faults, *error.faults]
    faults += _days_at_fault(cells, today)
    if not tidy(cells["source"]).isprintable() or len(cells["source"]) > MOST_TEXT:
        faults.append(Fault("source", tidy(cells["source"])[:60], f"at most {MOST_TEXT} letters, digits and signs"))
    if faults or section is None:
        raise StreetsError("The cross-section cannot be used.", faults)
    return section


def _days_at_fault(cells: Mapping[str, str], today: date) -> list[Fault]:
    faults: list[Fault] = []
    for column in ("improved_on", "surveyed_on"):
        try:
            day = date.fromisoformat(tidy(cells[column]) or "2000-01-01")
        except ValueError:
            continue  # told where it is read
        try:
            not_too_early(day, column)
        except StreetsError as error:
            faults += error.faults
        if day > today:
            faults.append(Fault(column, str(day), f"a day that has come: at most {today}"))
    return faults


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


# --- the table ---


def held(sections: Sequence[Section], key: Key) -> Section | None:
    """Return the row that stands for exactly a street, half or block; None where a wider one holds."""
    return next((section for section in sections if section.key == key), None)


def wider(sections: Sequence[Section], key: Key) -> Section | None:
    """Return the row that would hold for a street, half or block that had none of its own."""
    street, half, block = key
    others = [section for section in sections if section.key != key]
    return best(others, street, half if block is not None else "", -1) if street else None


def table(connection: Connection, village: Village, *, retired: bool = False) -> list[Kept]:
    """Return the rows of the table by street, half and block, the widest first.

    Parameters
    ----------
    connection
        To the register.
    village
        The village in force.
    retired
        Whether those that were replaced or retired are wanted too.

    Returns
    -------
    list of Kept
        Of one street, half or block the one that stands first, then the newest.
    """
    names = Names(connection, village)
    every = {row["id"]: row for row in registers.rows(connection, cross_sections)}
    found = [Kept(section, every.get(section.id or 0)) for section in standing_sections(connection, village)]
    if retired:
        gone = [row for row in every.values() if row["retired_at"] is not None]
        found += [Kept(section_of(row, names), row) for row in gone]
    return sorted(found, key=_order)


def _order(kept: Kept) -> tuple[Any, ...]:
    street, half, block = kept.section.key
    return street, half, -1 if block is None else block, not kept.standing, -(kept.section.id or 0)


def blocks(village: Village, rows: Sequence[Kept]) -> list[BlockHeld]:
    """Return every block of the map with the row that holds for it, by street and half outward.

    Parameters
    ----------
    village
        The village in force.
    rows
        By `table`.
    """
    standing = [kept for kept in rows if kept.standing]
    by_key = {kept.section.key: kept for kept in standing}
    sections = [kept.section for kept in standing]
    found: dict[Key, BlockHeld] = {}
    for street in village.streets:
        for row in village.rows_of(street.name):
            section = best(sections, row.street, row.side, row.block)
            held_by = by_key[section.key] if section else None
            found.setdefault((row.street, row.side, row.block), BlockHeld(row, held_by))
    return list(found.values())


def told(kept: Kept, *, officer: bool) -> Json:
    """Return a row of the table as the API tells it; who made it and why only to an officer."""
    section, row = kept.section, kept.row
    across = section.across
    sides = {
        f"{name}_{what}": value
        for name, side in (("odd", across.odd), ("even", across.even))
        for what, value in asdict(side).items()
    }
    made: Json = {"made_at": row["made_at"].isoformat() if row else None}
    if officer:
        made |= {"made_by": row["made_by"] if row else None, "reason": row["reason"] if row else None}
    retired = row["retired_at"] if row else None
    return {
        "id": section.id,
        **dict(zip(KEY, section.key, strict=True)),
        "place": section.place,
        **{name: getattr(across, name) for name in ("row_width_ft", "pavement_width_ft")},
        **sides,
        "carrier_side": section.carrier_side,
        "commercial": section.commercial,
        "improved_on": str(section.improved_on) if section.improved_on else None,
        "accuracy_ft": across.accuracy_ft,
        "status": section.cells["status"],
        "surveyed_on": str(section.surveyed_on) if section.surveyed_on else None,
        "source": across.source,
        "standing": kept.standing,
        "retired_at": retired.isoformat() if retired else None,
        "version": version(section),
        **made,
    }
