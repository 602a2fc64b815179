"""The index in memory behind the 911 lookups: every address by text, by number and by place, and every change.

It is made of the log alone, as the change feed is, so that what is looked up is what was told. Lookups read it while
others write, and while the database is locked or gone.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Sequence
from functools import cache
from math import hypot
from operator import attrgetter, itemgetter
from sys import intern
from typing import Any, NamedTuple

from sqlalchemy.engine import Connection

from app.feed import KINDS, Entry, Json, cursor_of, entries, hash_of, public, row_of

SOME = 100
"""So many entries of the log are taken in at once."""
SQUARES_FT = (40.0, 200.0, 1600.0)
"""Sides of the squares that entrances are found by."""
RINGS = 6
"""So many rings of squares are looked through before larger ones are."""


class Known(NamedTuple):
    """An address as the lookups hold it.

    Parameters
    ----------
    status, street, half, prefix to unit, id, full, usps, number, map_version, replaced_by
        As the register has them; `prefix` is that of the number.
    lon, lat to access_note
        Of its location.
    key
        `gis.address.street_key` of the street.
    place
        Id of its location.
    x, y
        Its entrance, feet of the working CRS.
    void
        Whether the import that brought it in was undone: it never was a number, and no lookup finds it.
    """

    status: str
    street: str
    half: str
    prefix: str
    fraction: str
    suffix: str
    pre_directional: str
    street_pre_type: str
    street_name: str
    street_post_type: str
    street_post_directional: str
    unit_type: str
    unit: str
    id: int
    full: str
    usps: str
    number: int
    map_version: int
    replaced_by: int | None
    lon: float
    lat: float
    placement: str
    accuracy_ft: float | None
    access_lon: float | None
    access_lat: float | None
    access_note: str
    x: float
    y: float
    key: str
    place: int
    void: bool

    @property
    def active(self) -> bool:
        """Whether it holds its number."""
        return self.status != "retired"

    @property
    def texts(self) -> tuple[str, ...]:
        """The forms it is found by as they stand, in capitals."""
        full = self.full.upper()
        return (full, self.usps) if full != self.usps else (full,)

    @property
    def brief(self) -> Json:
        """Id, address and status."""
        return {"id": self.id, "address": self.full, "status": self.status}

    @property
    def public(self) -> Json:
        """What the public may know of it."""
        row = dict(zip((*_TEXTS, *_OTHERS), self, strict=False))
        return public(row, dict(zip(_PLACE, self[_ROW:], strict=False)))


_TEXTS = (
    *("status", "street", "half", "number_prefix", "fraction", "suffix", "pre_directional", "street_pre_type"),
    *("street_name", "street_post_type", "street_post_directional", "unit_type", "unit"),
)
_OTHERS = ("id", "full", "usps", "number", "map_version", "replaced_by")
_PLACE = ("lon", "lat", "placement", "accuracy_ft", "access_lon", "access_lat", "access_note")
"""The columns of an address and of its location that `Known` begins with, in its order."""
_ROW = len(_TEXTS) + len(_OTHERS)
_PUBLIC = _ROW + len(_PLACE)
_texts, _others, _place = itemgetter(*_TEXTS), itemgetter(*_OTHERS), itemgetter(*_PLACE, "x_ft", "y_ft")


class Change(NamedTuple):
    """One change of what the public may know of one address.

    Parameters
    ----------
    cursor
        Where it stands in the order, as `app.feed.cursor_of` says; changes of several addresses by one entry share it.
    at
        When, ISO 8601 in UTC.
    kind
        One of the values of `app.feed.KINDS`, or the act itself.
    before, after
        The address; None where there was none.
    """

    cursor: int
    at: str
    kind: str
    before: Known | None
    after: Known

    @property
    def told(self) -> Json:
        """The change as the feed has it."""
        before = self.before.public if self.before else None
        return {"cursor": self.cursor, "at": self.at, "kind": self.kind, "before": before, "after": self.after.public}


class Index:
    """Every address of the register, and every change of one.

    Reading it takes its `lock` for a moment, so that nobody sees half of an act.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.by_id: dict[int, Known] = {}
        self.changes: list[Change] = []
        self.last: tuple[int, str] = (0, "")
        self._imported: set[int] = set()
        self._places: dict[int, tuple[Any, ...]] = {}
        self._by_place: dict[int, list[int]] = {}
        self._by_text: dict[str, list[int]] = {}
        self._by_number: dict[tuple[str, str, int], list[int]] = {}
        self._numbers: dict[tuple[str, str], list[int]] = {}
        self._near = Near()

    # --- reading the log ---

    def read(self, connection: Connection, rest: Callable[[], None] = lambda: None) -> bool:
        """Take in what the log has that is not known yet.

        Parameters
        ----------
        connection
            To the register, in one transaction.
        rest
            Called between each hundred entries and the next.

        Returns
        -------
        bool
            Whether the log goes on from where it was read to; False where another register was put in its place, and
            then nothing was taken in.
        """
        if not self._goes_on(connection):
            return False
        batch: list[Entry] = []
        for entry in entries(connection, self.last[0]):
            batch.append(entry)
            if len(batch) >= SOME and entry.kind == "addresses":
                self._take(batch)
                batch = []
                rest()
        self._take(batch)
        return True

    def _goes_on(self, connection: Connection) -> bool:
        seq, known = self.last
        return not seq or hash_of(connection, seq) == known

    def _take(self, batch: Sequence[Entry]) -> None:
        if not batch:
            return
        read = [(entry, row_of(entry)) for entry in batch]
        with self.lock:
            for entry, row in read:
                if entry.kind == "locations":
                    self._moved(entry, row)
                else:
                    self._changed(entry, row)
            self.last = batch[-1].seq, batch[-1].hash

    def _moved(self, entry: Entry, row: Json) -> None:
        place = self._places[row["id"]] = _place(row)
        for address_id in tuple(self._by_place.get(row["id"], ())):
            old = self.by_id[address_id]
            self._put(entry, Known._make((*old[:_ROW], *place, old.key, old.place, old.void)))

    def _changed(self, entry: Entry, row: Json) -> None:
        if entry.what == "import":
            self._imported.add(row["id"])
        void = entry.what == "undo" and row["status"] == "retired" and row["id"] in self._imported
        place = row["location_id"]
        own = *map(intern, _texts(row)), *_others(row)
        self._put(entry, Known._make((*own, *self._places[place], intern(row["street_key"]), place, void)))

    def _put(self, entry: Entry, new: Known) -> None:
        old = self.by_id.get(new.id)
        if old is not None:
            self._forget(old)
        self._learn(new)
        if old is None or old[:_PUBLIC] != new[:_PUBLIC]:
            kind = KINDS.get(entry.what) or intern(entry.what.replace(" ", "_"))
            self.changes.append(Change(cursor_of(entry.seq, entry.hash), entry.at, kind, old, new))

    def _learn(self, new: Known) -> None:
        self.by_id[new.id] = new
        self._by_place.setdefault(new.place, []).append(new.id)
        if new.void:
            return
        for text in new.texts:
            self._by_text.setdefault(text, []).append(new.id)
        held = self._by_number.setdefault((new.key, new.half, new.number), [])
        if not held:
            insort(self._numbers.setdefault((new.key, new.half), []), new.number)
        held.append(new.id)
        if new.active:
            self._near.add(new.id, new.x, new.y)

    def _forget(self, old: Known) -> None:
        self._by_place[old.place].remove(old.id)
        if old.void:
            return
        for text in old.texts:
            self._by_text[text].remove(old.id)
        held = self._by_number[old.key, old.half, old.number]
        held.remove(old.id)
        if not held:
            del self._by_number[old.key, old.half, old.number]
            numbers = self._numbers[old.key, old.half]
            del numbers[bisect_left(numbers, old.number)]
        self._near.drop(old.id)

    # --- asking ---

    def by_text(self, text: str) -> Known | None:
        """Return the address that a text is one of the register's own forms of; one that is active before others."""
        found = self._by_text.get(text)
        return self._first(found) if found else None

    def at(self, key: str, half: str, number: int) -> list[Known]:
        """Return every address, of whatever suffix, that has or had a number of a half-street."""
        return [self.by_id[k] for k in self._by_number.get((key, half, number), ())]

    def beside(self, key: str, half: str, number: int, count: int) -> list[Known]:
        """Return the active addresses of a half-street whose numbers are nearest to one, the nearest first."""
        numbers = self._numbers.get((key, half), [])
        middle = bisect_left(numbers, number)
        window = sorted(numbers[max(middle - count, 0) : middle + count], key=lambda other: abs(other - number))
        found = [one for other in window for one in self.at(key, half, other) if one.active]
        return found[:count]

    def numbered(self, half: str, number: int) -> list[Known]:
        """Return the active addresses of a number on any street, on one half where it is given."""
        places = [place for place in self._numbers if half in {"", place[1]}]
        return [one for key, side in places for one in self.at(key, side, number) if one.active]

    def halves(self, key: str) -> list[str]:
        """Return the halves of a street on which there are numbers."""
        return [half for street, half in self._numbers if street == key]

    def near(self, x: float, y: float, radius_ft: float, count: int) -> list[tuple[float, Known]]:
        """Return the active addresses nearest to a point.

        Parameters
        ----------
        x, y
            The point, feet of the working CRS.
        radius_ft
            No farther than this, feet.
        count
            At most so many.

        Returns
        -------
        list of (float, Known)
            Distance in feet and address, the nearest first.
        """
        return [(away, self.by_id[k]) for away, k in self._near.ask(x, y, radius_ft, count)]

    def told(self, cursor: int) -> bool:
        """Whether a cursor is 0 or that of a change of this register's own history."""
        at = bisect_left(self.changes, cursor, key=_cursor)
        return not cursor or (at < len(self.changes) and self.changes[at].cursor == cursor)

    def since(self, cursor: int, most: int) -> list[Change]:
        """Return the changes after a cursor, whole entries of the log at a time.

        Parameters
        ----------
        cursor
            That of the last change that was read; 0 for all.
        most
            About so many: the changes of one entry are not parted.
        """
        low = bisect_right(self.changes, cursor, key=_cursor)
        high = low + most
        while 0 < high < len(self.changes) and self.changes[high].cursor == self.changes[high - 1].cursor:
            high += 1
        return self.changes[low:high]

    def _first(self, ids: Sequence[int]) -> Known:
        return max((self.by_id[k] for k in ids), key=lambda one: (one.active, one.id))


_cursor = attrgetter("cursor")


class Near:
    """Entrances by place, in squares: small ones for what is close, larger ones for what is far."""

    def __init__(self) -> None:
        self._at: dict[int, tuple[float, float, int]] = {}
        self._squares: dict[float, dict[tuple[int, int], list[tuple[float, float, int]]]]
        self._squares = {size: {} for size in SQUARES_FT}

    def add(self, address_id: int, x: float, y: float) -> None:
        """Put an entrance in its squares; one that is there already is moved."""
        self.drop(address_id)
        place = self._at[address_id] = (x, y, address_id)
        for size, squares in self._squares.items():
            squares.setdefault((int(x // size), int(y // size)), []).append(place)

    def drop(self, address_id: int) -> None:
        """Take an entrance out, where it is in."""
        place = self._at.pop(address_id, None)
        if place is None:
            return
        for size, squares in self._squares.items():
            square = int(place[0] // size), int(place[1] // size)
            squares[square].remove(place)
            if not squares[square]:
                del squares[square]

    def ask(self, x: float, y: float, radius_ft: float, count: int) -> list[tuple[float, int]]:
        """Return distance and id of the nearest, no more than `count` and no farther than `radius_ft`."""
        found: list[tuple[float, int]] = []
        for size in SQUARES_FT:
            needed = int(radius_ft // size) + 1
            rings = needed if size == SQUARES_FT[-1] else min(needed, RINGS)
            found = self._in_rings(x, y, size, rings, count)
            found = found[: bisect_right(found, min(radius_ft, rings * size), key=_away)]
            if len(found) == count or rings == needed:
                break
        return found

    def _in_rings(self, x: float, y: float, size: float, rings: int, count: int) -> list[tuple[float, int]]:
        """Look through the squares around a place, ring by ring, until nothing nearer can follow."""
        squares = self._squares[size]
        column, row = int(x // size), int(y // size)
        aside, ahead = x - column * size, y - row * size
        edge = min(aside, size - aside, ahead, size - ahead)
        found: list[tuple[float, int]] = []
        for ring in range(rings + 1):
            if len(found) >= count and found[count - 1][0] <= (ring - 1) * size + edge:
                break  # whatever lies nearer was in the rings before
            for across, along in _ring(ring):
                there = squares.get((column + across, row + along))
                if there:
                    found += [(hypot(px - x, py - y), one) for px, py, one in there]
            found.sort()
        return found[:count]


_away = itemgetter(0)


@cache
def _ring(ring: int) -> tuple[tuple[int, int], ...]:
    """Return the squares that lie so many squares from one."""
    reach = range(-ring, ring + 1)
    return tuple((across, along) for across in reach for along in reach if ring in {abs(across), abs(along)})
