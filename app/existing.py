"""Audit of the numbers that buildings have: how each stands under the map in force, and what would put a row in order.

Nothing is changed by it. An old number stays official until an officer renumbers or corrects it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from app import audit, registers
from app.changes import door_of
from app.map_versions import Atlas
from app.tables import addresses, locations
from app.village import Village
from gis.blocks import Row
from gis.errors import StreetsError
from gis.existing import (
    CHOSEN,
    CONFORMING,
    HALF,
    KINDS,
    OFF,
    UNPLACEABLE,
    Judged,
    Numbers,
    Stand,
    fewest_changes,
    judge,
    numbers_to_take,
    rows_by_half,
)
from gis.faces import face
from gis.frontages import NO_STREET
from gis.numbering import Doors, number

Json = dict[str, Any]
PART = 5000
ORDER = "order"
"""The kind of a number that is one of the fewest to change so that its row rises."""
SORTS = ("place", "-off", "number")
MOST_WAYS = 1_000_000
QUARTERS = {"1/4": 0.25, "1/2": 0.5, "3/4": 0.75}


@dataclass(frozen=True)
class Disorder:
    """A row that does not rise outward, and the fewest changes that would mend it.

    Parameters
    ----------
    half
        Index of the half-street in the map.
    even
        Whether its even side.
    size
        How many numbers stand on it; the doors of one number count once.
    changed
        Places in the report of the numbers that change, outward.
    numbers
        The free number of its own block that each could take; None where those that stay leave it none.
    ways
        How many sets of as few changes there are, up to `MOST_WAYS`.
    """

    half: int
    even: bool
    size: int
    changed: tuple[tuple[int, ...], ...]
    numbers: tuple[int | None, ...]
    ways: int


@dataclass(frozen=True, eq=False)
class Report:
    """How every active number stands, as columns in the order of the streets.

    Parameters
    ----------
    village
        The village of the map in force.
    head
        The audit's head of the register that was read.
    ids, value
        The address, and its number with the part of one that a half number has.
    doors
        The entrances as numbered.
    judged
        How each stands.
    on_half
        The half-street whose numbers it has by its text; -1 where the map has none such.
    on_street
        Its street's place in the village's names; -1 where the map has none such.
    order
        Whether it is one of those to change for its row to rise.
    rows
        The rows that do not rise.
    """

    village: Village
    head: str
    ids: NDArray[np.int64]
    value: NDArray[np.float64]
    doors: Doors
    judged: Judged
    on_half: NDArray[np.int64]
    on_street: NDArray[np.int64]
    order: NDArray[np.bool_]
    rows: tuple[Disorder, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many numbers there are of each kind; those out of order are counted in their own kind too."""
        found = {kind: int((self.judged.kind == code).sum()) for code, kind in enumerate(KINDS)}
        return {**found, ORDER: int(self.order.sum())}


# --- reading the register ---

_TEXT = sa.type_coerce(addresses.c.findings, sa.Text)
_CHOSEN = _TEXT.contains('"NOT_COMPUTED"') | _TEXT.contains('"NUMBER_TAKEN"')
_ASKED = sa.select(
    *(addresses.c[name] for name in ("id", "street", "half", "number", "fraction", "number_prefix", "station_ft")),
    sa.case((addresses.c.number == addresses.c.computed_number, 0), (_CHOSEN, addresses.c.computed_number), else_=0)
    .label("chosen_over"),
    *(locations.c.x_ft, locations.c.y_ft),
    sa.case((locations.c.lot.is_(None), 0), (_TEXT.contains('"OUTSIDE_FRONTAGE"'), 2), else_=1).label("lot"),
).join(locations)  # fmt: skip


def _parts(connection: Connection) -> Iterator[list[Any]]:
    """Give what is judged of the active addresses, some thousand at a time."""
    last = 0
    while True:
        asked = _ASKED.where(registers.IS_ACTIVE, addresses.c.id > last).order_by(addresses.c.id).limit(PART)
        part = list(connection.execute(asked))
        if not part:
            return
        yield part
        last = part[-1].id


def report(atlas: Atlas, connection: Connection) -> Report:
    """Hold every active number against the map in force.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        To the register.

    Returns
    -------
    Report
        Made once for each state of the register.
    """
    village, head = atlas.now(connection), audit.head(connection)
    with _MAKING:
        found = next((one for one in _KEPT if one.village is village and one.head == head), None)
        if found is None:
            found = _made(village, head, connection)
            _KEPT[:] = [found, *_KEPT[:1]]
    return found


_MAKING = threading.Lock()
_KEPT: list[Report] = []


def _made(village: Village, head: str, connection: Connection) -> Report:
    made = [_judged(village, connection, part) for part in _parts(connection)]
    columns: list[Any] = [np.concatenate(column) for column in zip(*made, strict=True)]
    ids, value, on_half, on_street, *rest = columns or [np.zeros(0, np.int64)] * _WIDTH
    doors, judged = Doors(*rest[: len(Doors._fields)]), Judged(*rest[len(Doors._fields) :])
    found = Report(village, head, ids, value, doors, judged, on_half, on_street, np.zeros(len(ids), bool), ())
    rows = tuple(_disorders(found))
    for row in rows:
        found.order[[place for members in row.changed for place in members]] = True
    return replace(found, rows=rows)


_WIDTH = 4 + len(Doors._fields) + len(Judged._fields)


def _judged(village: Village, connection: Connection, part: Sequence[Any]) -> tuple[Any, ...]:
    """Judge some addresses; returns the columns of a report."""
    known = {name: k for k, name in enumerate(village.frontages.names)}
    ids, street = (np.array(column) for column in zip(*((r.id, known.get(r.street, NO_STREET)) for r in part),
                                                      strict=True))  # fmt: skip
    x, y = (np.array([getattr(row, f"{axis}_ft") for row in part], dtype=np.float64) for axis in "xy")
    doors = _held_to_lots(village, connection, part, number(village.frontages, x, y, street))
    fraction = np.array([QUARTERS.get(row.fraction, 0.125 if row.fraction else 0.0) for row in part])
    held = Numbers(
        number=np.array([row.number for row in part]),
        part=fraction,
        side=np.array([row.half for row in part]),
        prefixed=np.array([bool(row.number_prefix) for row in part]),
        chosen_over=np.array([row.chosen_over or 0 for row in part]),
    )
    judged = judge(village.map, held, doors)
    paths = {(village.network.streets[half.street].name, half.name): k for k, half in enumerate(village.map.halves)}
    own = np.array([half.name for half in village.map.halves])
    text = np.array([paths.get((row.street, row.half), -1) for row in part])
    on_half = np.where((doors.half >= 0) & (own[doors.half] == held.side), doors.half, text)
    return ids, held.number + fraction, on_half, np.maximum(street, -1), *doors, *judged


def _held_to_lots(village: Village, connection: Connection, part: Sequence[Any], doors: Doors) -> Doors:
    """Hold entrances to their lots' frontages, as assigning does.

    An entrance whose station is what it was when its lot was seen not to hold it back is not held back now.
    """
    again = [
        (k, row)
        for k, row in enumerate(part)
        if row.lot and (row.lot == 2 or row.station_ft is None or abs(row.station_ft - doors.station[k]) > 0.05)
    ]
    lots = sa.select(locations.c.lot).join(addresses)
    for k, row in again:
        lot = connection.execute(lots.where(addresses.c.id == row.id)).scalar_one()
        door = door_of(village, {"street": row.street}, {"x_ft": row.x_ft, "y_ft": row.y_ft, "lot": lot})
        if door is not None:
            for column, value in zip(doors, door, strict=True):
                column[k] = value
    return doors


# --- rows in order ---


def _disorders(found: Report) -> Iterator[Disorder]:
    """Find the rows that do not rise outward, and their fewest changes."""
    half, even = found.doors.half.astype(np.int64), found.doors.even.astype(np.int64)
    placed = (found.judged.kind != UNPLACEABLE) & (found.judged.kind != HALF)
    key = half * 2 + even
    order = np.lexsort((found.value, np.round(found.doors.station, 2), key))
    order = order[placed[order]]
    if not len(order):
        return
    falls = (np.diff(found.value[order]) < 0) & (np.diff(key[order]) == 0)
    bounds = np.flatnonzero(np.diff(key[order], prepend=-1, append=-1))
    for start in np.unique(np.searchsorted(bounds, np.flatnonzero(falls), side="right") - 1):
        yield _disorder(found, order[bounds[start] : bounds[start + 1]])


_KEPT_FIRST = {CONFORMING: 10**8, CHOSEN: 10**4, OFF: 1}
"""Of as few changes, those are better that leave more numbers that conform, then more chosen, then more only off."""


def _disorder(found: Report, row: NDArray[np.int64]) -> Disorder:
    """Find the fewest changes of one row, given its places outward; the doors of one number are one."""
    cuts = np.flatnonzero(np.diff(found.value[row])) + 1
    groups = [part.tolist() for part in np.split(row, cuts)]
    kind, door = found.judged.kind, found.doors
    stands = [
        Stand(float(door.station[g[0]]), float(found.value[g[0]]), _KEPT_FIRST.get(int(kind[g[0]]), 0)) for g in groups
    ]
    fewest = fewest_changes(stands)
    half, even = int(door.half[row[0]]), bool(door.even[row[0]])
    wanted = {k: int(door.number[groups[k][0]]) for k in fewest.changed}
    changing = {place for k in fewest.changed for place in groups[k]}
    same = np.flatnonzero(found.on_half == half).tolist()
    kept = {int(found.value[place]) for place in same if place not in changing}
    allowed = {k: _free(found.village, half, int(door.hundred[groups[k][0]]), kept, even=even) for k in fewest.changed}
    taken = numbers_to_take(stands, fewest.kept, wanted, allowed)
    changed = tuple(tuple(groups[k]) for k in fewest.changed)
    return Disorder(half, even, len(groups), changed, tuple(taken[k] for k in fewest.changed),
                    min(fewest.ways, MOST_WAYS))  # fmt: skip


def _free(village: Village, half: int, hundred: int, kept: set[int], *, even: bool) -> list[int]:
    """Return the numbers of a face that nobody keeps."""
    row = next((r for r in rows_of(village)[half] if r.hundred == hundred), None)
    return [] if row is None else [p.number for p in face(row, village.map, even=even) if p.number not in kept]


@lru_cache(maxsize=8)
def rows_of(village: Village) -> Mapping[int, Sequence[Row]]:
    """Return the rows of each half-street, outward, by its index in the map."""
    return rows_by_half(village.map)


# --- which are wanted ---


@dataclass(frozen=True)
class Sieve:
    """Which numbers are wanted, and in which order; what is empty leaves all.

    Parameters
    ----------
    kind
        One of `KINDS`, or `ORDER`; ``"wrong"`` for all but those that conform or were chosen.
    street, half
        Official name of the street; name of the half.
    sort
        One of `SORTS`: along the streets, the farthest off first, by number.
    """

    kind: str = ""
    street: str = ""
    half: str = ""
    sort: str = "place"


WRONG = "wrong"
FILTERS = (*KINDS, ORDER, WRONG)


def sieve_of(village: Village, kind: str, street: str, half: str, sort: str) -> Sieve:
    """Read which numbers are wanted.

    Raises
    ------
    StreetsError
        A kind, street, half or order that there is not.
    """
    faults = (
        ("kind", kind, ("", *FILTERS)),
        ("half", half.capitalize(), ("", "North", "South", "East", "West")),
        ("sort", sort, ("", *SORTS)),
    )
    for field, found, known in faults:
        if found not in known:
            raise StreetsError.of(field, found[:60], f"one of {', '.join(known[1:])}")
    return Sieve(kind, village.street_name(street) if street else "", half.capitalize(), sort or "place")


def chosen(found: Report, sieve: Sieve) -> NDArray[np.int64]:
    """Return the places of the numbers wanted, in order."""
    kind = found.judged.kind
    keep = np.ones(len(found.ids), dtype=bool)
    if sieve.kind == ORDER:
        keep &= found.order
    elif sieve.kind == WRONG:
        keep &= ((kind != CONFORMING) & (kind != CHOSEN)) | found.order
    elif sieve.kind:
        keep &= kind == KINDS.index(sieve.kind)
    if sieve.street:
        keep &= found.on_street == found.village.street_id(sieve.street)
    if sieve.half:
        named = np.array([*(half.name for half in found.village.map.halves), ""])
        keep &= named[found.on_half] == sieve.half
    names = found.village.frontages.names
    rank = np.zeros(len(names) + 1, dtype=np.int64)
    rank[[*np.argsort(names), -1]] = [*range(len(names)), len(names)]
    street = rank[found.on_street]
    place = (found.doors.station, found.doors.even, found.on_half, street)
    keys = {"-off": (*place, -np.abs(found.judged.off_units)), "number": (found.on_half, found.value, street)}
    order = np.lexsort(keys.get(sieve.sort, place))
    return order[keep[order]]


def rows_on(found: Report, street: str = "") -> list[Disorder]:
    """Return the rows of a street that do not rise; of all streets where none is named."""
    halves, streets = found.village.map.halves, found.village.network.streets
    return [row for row in found.rows if street in {"", streets[halves[row.half].street].name}]
