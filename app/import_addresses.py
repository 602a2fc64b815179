"""Existing addresses of a file: read, held to the map's streets and halves, and against the register and each other.

Old numbers stay official unless an officer acts. So a number is brought in as it stands, and beside it whether it
conforms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import registers
from app.considered import SAME_PLACE_FT
from app.import_cells import direction, warn_communities, warn_places
from app.import_places import Known, points
from app.import_placing import read_accuracies, read_placements
from app.import_report import Report
from app.import_tables import Sheet
from app.import_texts import texts
from app.map_versions import vacated
from app.tables import addresses, locations
from app.village import Village
from gis.address import Address, on_street, parse, split_street_name, street_key
from gis.errors import AddressError, StreetsError
from gis.frontages import NO_STREET
from gis.linework import Floats
from gis.numbering import Doors, number
from gis.usps import short_name

CLEAR_FT = 50.0
"""An entrance so far from the base line lies clearly in its half; nearer to it the direction must be written."""
FAR_FT = 660.0
"""An entrance farther than this from its own street is not on it: as far as the village reaches past its streets."""
AT_ONCE = 5000
Tick = Callable[[str, int, int], None]
"""Told what is done, how much of it and of how much; raises where the import was cancelled."""


class Key(NamedTuple):
    """What makes an address one: no two active ones have the same."""

    street_key: str
    half: str
    number_prefix: str
    number: int
    fraction: str
    suffix: str
    unit_type: str
    unit: str


@dataclass(frozen=True, eq=False)
class Prepared:
    """Addresses ready to be stored, by column.

    Parameters
    ----------
    rows
        The row of each in the file.
    streets, halves
        Street and half of each.
    parts
        The address of each in its parts, but for its street.
    feet
        Places, working CRS, shape (n, 2).
    placements, accuracies
        What the point is of, and how exact it is.
    doors
        Each as the map numbers it on its street.
    same
        Rows that are in the register already, at the same place: skipped.
    """

    rows: Sequence[int]
    streets: Sequence[str]
    halves: Sequence[str]
    parts: Sequence[Address]
    feet: Floats
    placements: Sequence[str]
    accuracies: Sequence[float | None]
    doors: Doors
    same: int

    def __len__(self) -> int:
        return len(self.rows)

    def computed(self, village: Village, k: int) -> int | None:
        """Return the number that the map gives an entrance on the address's own half; None where it gives none."""
        row = int(self.doors.row[k])
        if row < 0 or village.map.rows[row].side != self.halves[k]:
            return None
        return int(self.doors.number[k]) or None


def prepare(
    village: Village,
    connection: Connection,
    sheet: Sheet,
    mapping: Mapping[str, str],
    crs: Known,
    report: Report,
    tick: Tick,
) -> Prepared:
    """Read a file's addresses; every fault goes to the report.

    Parameters
    ----------
    village
        The village in force.
    connection
        To the register, read only.
    sheet
        The file.
    mapping
        A field for each column that has one.
    crs
        Of its coordinates.
    report
        Takes faults and warnings.
    tick
        Told how far it is.

    Returns
    -------
    Prepared
        What can be stored, where the report has no fault.
    """
    columns = {field: column for column, field in mapping.items()}
    _check_columns(sheet, columns, report)
    feet = points(village, sheet, columns, crs, report)
    read = _read(_Reader(village, frozenset(vacated(connection))), sheet, columns, report, tick)
    kept = np.array([k for k, *_ in read], dtype=np.int64)
    tick("numbering", len(sheet), len(sheet))
    ids = np.array([village.street_id(name) for _, name, _, _ in read], dtype=np.int64)
    doors = number(village.frontages, feet[kept, 0], feet[kept, 1], ids if len(ids) else NO_STREET)
    halves = _halves(village, read, doors, feet[kept], report)
    _check_left(sheet, columns, read, halves, report)
    placements = read_placements(sheet, columns, report)
    accuracies = read_accuracies(sheet, columns, report)
    fine = [i for i, half in enumerate(halves) if half and np.isfinite(feet[kept[i]]).all()]
    one = [_One(i, int(kept[i]) + 1, *_named(read[i], halves[i]), *feet[kept[i]].tolist()) for i in fine]
    _warn_shared(one, report)
    tick("comparing with the register", len(sheet), len(sheet))
    fine, same = _free(connection, _once(one, report), report)
    at = kept[fine] if fine else kept[:0]
    return Prepared(
        [int(k) + 1 for k in at],
        *([read[i][1] for i in fine], [halves[i] for i in fine], [read[i][3] for i in fine]),
        feet[at],
        *([placements[k] for k in at], [accuracies[k] for k in at]),
        Doors(*(column[fine] if fine else column[:0] for column in doors)),
        same,
    )


def _warn_shared(found: Sequence[_One], report: Report) -> None:
    """Warn of different numbers at one place (§ 288-15 E)."""
    told = [(a.row, f"{a.key.number} {a.key.street_key} {a.key.half}", a.text) for a in found]
    warn_places(told, np.array([(a.x, a.y) for a in found], dtype=float).reshape(-1, 2), report)


def _read(
    reader: _Reader, sheet: Sheet, columns: Mapping[str, str], report: Report, tick: Tick
) -> list[tuple[int, str, str, Address]]:
    """Read each row's address: its place in the file, street, half and parts; one that is none is a fault."""
    read: list[tuple[int, str, str, Address]] = []
    text = texts(reader.has, sheet, columns)
    places = sheet.cells(columns.get("community"))
    communities: list[tuple[int, str]] = []
    for k in range(len(sheet)):
        if k % AT_ONCE == 0:
            tick("reading addresses", k, len(sheet))
        try:
            read.append((k, *reader.read(text(k), k + 1, report)))
            communities.append((k + 1, places[k] or read[-1][3].community))
        except StreetsError as error:
            for fault in error.faults:
                report.fault(k + 1, fault.field, fault.found, fault.expected)
    warn_communities(communities, reader.village.files.settings.name, report)
    return read


def _check_columns(sheet: Sheet, columns: Mapping[str, str], report: Report) -> None:
    if "address" in columns or {"number", "street"} <= columns.keys():
        return
    had = ", ".join(sheet.columns)[:300] or "none"
    report.fault(0, "columns", had, "a column of whole addresses, or columns of number and street; map them")


# --- streets ---


def _sides(village: Village, street: str) -> tuple[str, ...]:
    """Return the halves that a street has on the map."""
    return tuple(sorted({row.side for row in village.rows_of(street)}))


class _Reader:
    """Reads addresses, and remembers which street each spelling is."""

    def __init__(self, village: Village, gone: frozenset[str]) -> None:
        self.village = village
        self.gone = gone
        self.halves = {name: _sides(village, name) for name in village.network.by_name}
        self.known: dict[tuple[str, str, str], tuple[str, str, str] | StreetsError] = {}
        self.named: dict[str, bool] = {}
        self.bare: dict[str, list[str]] = {}
        for name in village.network.by_name:
            try:
                bare = short_name(split_street_name(name).street_name)
            except AddressError:
                continue
            self.bare.setdefault(bare, []).append(name)

    def has(self, street: str) -> bool:
        """Return whether a text as it stands is the name of a street."""
        if street not in self.named:
            self.named[street] = bool(street) and self._named(street) is not None
        return self.named[street]

    def read(self, text: str, row: int, report: Report) -> tuple[str, str, Address]:
        """Return the street, the half or ``""``, and the parts of an address."""
        if not text.strip():
            raise AddressError.of("address", "", "an address")
        found = parse(text)
        asked = (found.pre_directional, found.street, found.street_post_directional)
        if asked not in self.known:
            try:
                self.known[asked] = self._street(found)
            except StreetsError as error:
                self.known[asked] = error
        known = self.known[asked]
        if isinstance(known, StreetsError):
            raise known
        street, half, warning = known
        if warning:
            report.warn(row, "street", f"{found.pre_directional} {found.street}".strip(), warning)
        return street, half, found

    def _street(self, found: Address) -> tuple[str, str, str]:
        """Find the street that is meant: as it stands, with its direction as part of its name, or without its type."""
        half, name, post = found.pre_directional, found.street, found.street_post_directional
        warning = ""
        street = self._named(name)
        if street is None and half and (street := self._named(f"{half} {name}")):
            half = ""
        if street is None and post and not half:
            before = " ".join(name.split()[:-1])
            if street := self._named(before):
                half, warning = post, f"taken as {post} {street}: the direction stands before the street (§ 288-15 C)"
        if street is None and not found.street_post_type and not found.street_pre_type:
            street, warning = self._without_type(found)
        if street is None:
            self.village.street_name(name)  # raises, with the names that are near
            raise AssertionError
        if street_key(street) in self.gone:
            raise AddressError.of("street", street, "a street that was not vacated")
        if half and half not in self.halves[street]:
            expected = " or ".join(self.halves[street]) or "a street with blocks"
            raise AddressError.of("direction", f"{half} on {street}", f"{expected}, the halves of {street}")
        return street, half, warning

    def _named(self, text: str) -> str | None:
        try:
            return self.village.street_name(text)
        except StreetsError:
            return None

    def _without_type(self, found: Address) -> tuple[str | None, str]:
        names = self.bare.get(short_name(found.street_name), [])
        if len(names) > 1:
            raise AddressError.of("street", found.street_name, f"one of {', '.join(sorted(names)[:5])}")
        return (names[0], f"taken as {names[0]}, the one street of that name") if names else (None, "")


def _halves(
    village: Village, read: Sequence[tuple[int, str, str, Address]], doors: Doors, feet: Floats, report: Report
) -> list[str]:
    """Return the half of each address: as written, else where its place clearly lies; ``""`` where neither says."""
    halves = []
    placed = np.array(np.isfinite(feet).all(axis=1))
    away = np.hypot(feet[:, 0] - doors.foot_x, feet[:, 1] - doors.foot_y)
    near = village.network.reading.frontage_reach_ft
    for i, (k, street, written, _) in enumerate(read):
        half = written
        row = int(doors.row[i])
        side = village.map.rows[row].side if row >= 0 else ""
        if not placed[i]:
            halves.append(half)
            continue
        if not half:
            half = _half_of_place(village, street, side, float(doors.station[i]), k + 1, report)
        elif side and side != half:
            report.warn(k + 1, "direction", f"{half} {street}", f"{side}, where its place lies")
        if away[i] > max(FAR_FT, near):
            found = f"{away[i]:,.0f} ft from {street}"
            report.fault(k + 1, "position", found, f"a place at most {max(FAR_FT, near):,.0f} ft from its own street")
        halves.append(half)
    return halves


def _check_left(
    sheet: Sheet,
    columns: Mapping[str, str],
    read: Sequence[tuple[int, str, str, Address]],
    halves: Sequence[str],
    report: Report,
) -> None:
    """Refuse a half that was taken from the place where a column that is not used has another direction."""
    for name, cells in sheet.columns.items():
        if name in columns.values():
            continue
        for (k, street, written, _), half in zip(read, halves, strict=True):
            other = direction(cells[k])
            if half and not written and other and other != half:
                expected = f"{half}, where its place lies; map {name} to its field, or mend the row"
                report.fault(k + 1, "direction", f"{cells[k]} in {name}, of {street}", expected)


def _half_of_place(village: Village, street: str, side: str, station: float, row: int, report: Report) -> str:
    halves = _sides(village, street)
    if side and (station >= CLEAR_FT or len(halves) == 1):
        report.warn(row, "direction", "nothing", f"taken as {side}, where its place lies")
        return side
    expected = " or ".join(halves) or "North, South, East or West"
    found = f"nothing, and a place {station:,.0f} ft from the base line" if side else "nothing"
    report.fault(row, "direction", found, f"{expected}: which half of {street}")
    return ""


# --- one address once ---


class _One(NamedTuple):
    """An address of the file: its place among those read, its row, its key, its text, its place on the ground."""

    at: int
    row: int
    key: Key
    text: str
    x: float
    y: float


_cached_key = lru_cache(maxsize=4096)(street_key)


def _named(one: tuple[int, str, str, Address], half: str) -> tuple[Key, str]:
    """Return the key of an address, and how it is said."""
    _, street, _, parts = one
    numbers = (parts.number_prefix, parts.number, parts.fraction, parts.suffix)
    key = Key(_cached_key(street), half, *numbers, parts.unit_type, parts.unit)
    unit = f"{parts.unit_type or '#'} {parts.unit}".strip("# ")
    return key, f"{parts.number_complete} {half} {street} {unit}".strip()


def _once(found: Sequence[_One], report: Report) -> list[_One]:
    """Refuse the second of two rows with one address, naming both."""
    first: dict[Key, int] = {}
    kept = []
    for one in found:
        before = first.setdefault(one.key, one.row)
        if before == one.row:
            kept.append(one)
            continue
        both = f"{report.name(before)} and {report.name(one.row)}"
        report.fault(one.row, "address", f"{one.text} in {both}", f"each address once: {both} have the same")
    return kept


def held(connection: Connection) -> dict[Key, tuple[int, float, float]]:
    """Return who holds each number: id and place of every active address, by its key."""
    named = (addresses.c[name] for name in Key._fields)
    asked = sa.select(*named, addresses.c.id, locations.c.x_ft, locations.c.y_ft).join(locations)
    rows = connection.execute(asked.where(registers.IS_ACTIVE).execution_options(yield_per=AT_ONCE))
    return {Key(*row[:8]): (row[8], row[9], row[10]) for row in rows}


def _free(connection: Connection, found: Sequence[_One], report: Report) -> tuple[list[int], int]:
    """Skip what the register has at the same place, and refuse what it has elsewhere."""
    there = held(connection)
    kept, same = [], 0
    for one in found:
        holder = there.get(one.key)
        if holder is None:
            kept.append(one.at)
            continue
        away = math.hypot(one.x - holder[1], one.y - holder[2])
        if away <= SAME_PLACE_FT:
            same += 1
            report.warn(one.row, "address", f"{one.text}, there already as address {holder[0]}", "skipped")
        else:
            expected = f"a number that is free: address {holder[0]} has it, {away:,.0f} ft away"
            report.fault(one.row, "address", f"{one.text}, held by address {holder[0]}", expected)
    return kept, same


def recheck(connection: Connection, prepared: Prepared, report: Report) -> None:
    """See inside the transaction that nobody was given one of the numbers since.

    Parameters
    ----------
    connection
        Of the transaction.
    prepared
        The addresses.
    report
        Takes the faults.
    """
    there = held(connection)
    columns = (prepared.rows, prepared.streets, prepared.halves, prepared.parts)
    for row, street, half, parts in zip(*columns, strict=True):
        key, text = _named((0, street, "", parts), half)
        if key in there:
            report.fault(row, "address", f"{text}, held by address {there[key][0]} since", "a number that is free")


def parts_on(street: str, half: str, known: Mapping[tuple[str, str], Address], parts: Address) -> Address:
    """Return an address in its parts on a street of the map; `known` has each street and half with another number."""
    kept = ("number", "number_prefix", "fraction", "suffix", "unit_type", "unit")
    return replace(known[street, half], **{name: getattr(parts, name) for name in kept})


def streets_of(prepared: Prepared) -> dict[tuple[str, str], Address]:
    """Return each street and half of addresses, split into its parts once."""
    pairs = dict.fromkeys(zip(prepared.streets, prepared.halves, strict=True))
    return {(street, half): on_street(1, half, street) for street, half in pairs}
