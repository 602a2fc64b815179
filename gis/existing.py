"""Numbers that buildings have already, held against the ordinance, and the fewest changes that put a row in order.

A number that a building has stays its number until an officer acts: what is said here is only how it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gis.blocks import NumberingMap, Row
from gis.frontages import BIT
from gis.linework import Floats, Ints
from gis.numbering import Doors

CONFORMING, CHOSEN, OFF, PARITY, BLOCK, HALF, UNPLACEABLE = range(7)
KINDS = ("conforming", "chosen", "off", "parity", "block", "half", "unplaceable")
"""How a number stands, by its code: what the ordinance gives; an officer's choice over that; off by units of frontage;
of the other side's parity; of another block; of the other half of the street; not to be placed."""
REASONS = (
    *("UNKNOWN_STREET", "BAD_COORDINATE", "OUT_OF_VILLAGE", "SIDE_UNDETERMINED", "PAST_END"),
    "GRID_NUMBER",
)
"""Why a number is not to be placed, by its code: a finding of the entrance, or a prefix of another system."""
_PAST_FT = 0.01


class Numbers(NamedTuple):
    """The numbers that buildings have, each field of shape (n,).

    Parameters
    ----------
    number
        The number.
    part
        The part of one that a half number has: 0.5 of 145 1/2.
    side
        Name of the half of the street it is written with: ``"North"`` and so on.
    prefixed
        Whether it has a prefix, as numbers of Wisconsin's county grids have.
    chosen_over
        The computed number that an officer chose it over; 0 where none did.
    """

    number: Ints
    part: Floats
    side: NDArray[np.str_]
    prefixed: NDArray[np.bool_]
    chosen_over: Ints


class Judged(NamedTuple):
    """How numbers stand, each field of shape (n,).

    Parameters
    ----------
    kind
        A code of `KINDS`.
    off_units
        By how many units of frontage a number of the right half, side and block is off, outward positive; else 0.
    reason
        A code of `REASONS` where the number is not to be placed; else -1.
    """

    kind: Ints
    off_units: Floats
    reason: Ints


def judge(numbering: NumberingMap, held: Numbers, doors: Doors) -> Judged:
    """Hold numbers against those that the ordinance gives their entrances (§ 288-15 C to F).

    What stands first is said: a number of the other half is not also said to be of another block. A number that an
    officer chose over the one computed is told apart as long as that is still computed. Round the end of a street only
    an officer places doors, so that another number than the computed one is not to be placed there.

    Parameters
    ----------
    numbering
        The map in force.
    held
        The numbers that buildings have.
    doors
        Their main entrances numbered on their own streets, columns of shape (n,).

    Returns
    -------
    Judged
        One entry a number, in order.
    """
    law = numbering.law
    names = np.array([half.name for half in numbering.halves])
    reason = _reasons(held, doors)
    off = (held.number + held.part - doors.number) / 2
    conforms = (off == 0) & (names[doors.half] == held.side)
    chosen = (held.chosen_over > 0) & (held.chosen_over == doors.number) & (names[doors.half] == held.side)
    beyond = (reason < 0) & (doors.past > _PAST_FT) & ~conforms & ~chosen
    reason = np.where(beyond, REASONS.index("PAST_END"), reason)
    kind = np.select(
        [
            *(reason >= 0, conforms, chosen, names[doors.half] != held.side),
            *((held.number % 2 == 0) != doors.even, held.number // law.hundred * law.hundred != doors.hundred),
        ],
        [UNPLACEABLE, CONFORMING, CHOSEN, HALF, PARITY, BLOCK],
        OFF,
    )
    return Judged(kind, np.where(kind == OFF, off, 0.0), reason)


def _reasons(held: Numbers, doors: Doors) -> Ints:
    """Return why numbers are not to be placed at all; -1 where they are."""
    reason = np.where(held.prefixed, REASONS.index("GRID_NUMBER"), -1)
    for code in ("SIDE_UNDETERMINED", "OUT_OF_VILLAGE", "BAD_COORDINATE", "UNKNOWN_STREET"):
        reason = np.where(doors.bits & BIT[code] != 0, REASONS.index(code), reason)
    return reason


# --- rows in order ---


@dataclass(frozen=True)
class Stand:
    """A number where it stands on its row.

    Parameters
    ----------
    station_ft
        Station of its entrance, feet.
    value
        The number; 145.5 for 145 1/2.
    weight
        Of two ways to put the row in order by as few changes, the one that keeps more weight is taken.
    """

    station_ft: float
    value: float
    weight: int = 0


@dataclass(frozen=True)
class Fewest:
    """The fewest changes that put a row in order.

    Parameters
    ----------
    kept, changed
        Places of the numbers that stay and of those that change, outward.
    ways
        How many sets of as few changes there are.
    """

    kept: tuple[int, ...]
    changed: tuple[int, ...]
    ways: int


def fewest_changes(row: Sequence[Stand]) -> Fewest:
    """Find the fewest numbers of a row to change so that the others rise outward (§ 288-15 E).

    Numbers "shall increase from the base line". Those that stay are a longest strictly increasing subsequence by
    station. Of several as long, one that keeps the most weight is taken, and of those the one whose numbers stand
    nearest the base line.

    Parameters
    ----------
    row
        The numbers of one side of a half-street, by station; two at one station the lower first.

    Returns
    -------
    Fewest
        What stays, what changes, and in how many ways that is possible.

    Examples
    --------
    >>> fewest_changes([Stand(10.0, 12), Stand(20.0, 10), Stand(30.0, 16)])
    Fewest(kept=(0, 2), changed=(1,), ways=2)
    """
    ranks = {value: rank for rank, value in enumerate(sorted({stand.value for stand in row}, reverse=True))}
    runs, table = [_Run()] * len(row), [_Run()] * (len(ranks) + 1)
    for k in range(len(row) - 1, -1, -1):  # from the far end: the best that can follow on each
        rank = ranks[row[k].value]
        after = _best(table, rank)
        runs[k] = _Run(after.length + 1, after.weight + row[k].weight, max(after.ways, 1))
        _put(table, rank + 1, runs[k])
    whole = _best(table, len(ranks))
    kept, left, last = [], whole, -np.inf
    for k, stand in enumerate(row):
        if left.length and stand.value > last and runs[k][:2] == left[:2]:
            kept.append(k)
            left, last = _Run(left.length - 1, left.weight - stand.weight), stand.value
    stays = set(kept)
    return Fewest(tuple(kept), tuple(k for k in range(len(row)) if k not in stays), max(whole.ways, 1))


class _Run(NamedTuple):
    """A longest rising run: its length, the most weight of those as long, and how many there are."""

    length: int = 0
    weight: int = 0
    ways: int = 0


def _joined(a: _Run, b: _Run) -> _Run:
    if a.length != b.length:
        return max(a, b)
    return _Run(a.length, max(a.weight, b.weight), a.ways + b.ways)


def _best(table: Sequence[_Run], rank: int) -> _Run:
    """Return the best of the ranks before one, from a Fenwick tree."""
    found = _Run()
    while rank > 0:
        found = _joined(found, table[rank])
        rank -= rank & -rank
    return found


def _put(table: list[_Run], rank: int, run: _Run) -> None:
    while rank < len(table):
        table[rank] = _joined(table[rank], run)
        rank += rank & -rank


def numbers_to_take(
    row: Sequence[Stand],
    kept: Sequence[int],
    wanted: Mapping[int, int],
    allowed: Mapping[int, Sequence[int]],
) -> dict[int, int | None]:
    """Find a free number for each number of a row that changes, so that the whole row then rises (§ 288-15 D, E).

    Between two that stay, as many as can get a number; of the ways to do that, the one nearest to the computed
    numbers.

    Parameters
    ----------
    row
        The numbers by station.
    kept
        Places of those that stay, outward.
    wanted
        The computed number of each that changes, by its place.
    allowed
        The numbers that each may take, rising: those of its own block and side that nobody keeps.

    Returns
    -------
    dict
        The number of each that changes; None where the numbers that stay leave it none.
    """
    found: dict[int, int | None] = {}
    ends = [-1, *kept, len(row)]
    for before, after in pairwise(ends):
        low = row[before].value if before >= 0 else -np.inf
        high = row[after].value if after < len(row) else np.inf
        places = range(before + 1, after)
        choices = [[n for n in allowed[k] if low < n < high] for k in places]
        taken = _nearest_rising([wanted[k] for k in places], choices)
        found.update(zip(places, taken, strict=True))
    return found


def _nearest_rising(wanted: Sequence[int], choices: Sequence[Sequence[int]]) -> list[int | None]:
    """Choose a rising number for as many as can have one, nearest to those wanted; None for the others."""
    # by the last number given: how many were left without, the distance in all, and the numbers, the last outermost
    best: dict[float, tuple[int, int, Any]] = {-np.inf: (0, 0, None)}
    for want, offered in zip(wanted, choices, strict=True):
        after: dict[float, tuple[int, int, Any]] = {
            last: (none + 1, far, (given, None)) for last, (none, far, given) in best.items()
        }
        lasts = iter(sorted(best))
        upcoming, leading = next(lasts, np.inf), best[-np.inf]
        for n in offered:  # rising, so that the best that ends below each is found in one walk
            while upcoming < n:
                leading = min(leading, best[upcoming], key=_left_and_far)
                upcoming = next(lasts, np.inf)
            one = (leading[0], leading[1] + abs(n - want), (leading[2], n))
            after[n] = min(after.get(n, one), one, key=_left_and_far)
        best = after
    numbers: list[int | None] = []
    given = min(best.values(), key=_left_and_far)[2]
    while given is not None:
        given, number = given
        numbers.append(number)
    return numbers[::-1]


def _left_and_far(one: tuple[int, int, Any]) -> tuple[int, int]:
    return one[:2]


def station_of(numbering: NumberingMap, rows: Sequence[Row], number: int) -> float | None:
    """Return the station of the middle of a number's unit on a half-street (§ 288-15 D, E).

    Parameters
    ----------
    numbering
        The map.
    rows
        The rows of the half-street.
    number
        The number.

    Returns
    -------
    float or None
        Feet from the base line; None where the half-street has no frontage with that number.
    """
    law = numbering.law
    row = next((r for r in rows if r.hundred == number // law.hundred * law.hundred), None)
    if row is None:
        return None
    k = (number - row.hundred - (law.first_odd if number % 2 else law.first_even)) // 2
    begins = row.from_ft + k * row.unit_ft
    if not 0 <= k <= law.last_unit or begins >= row.to_ft:
        return None
    return (begins + min(begins + row.unit_ft, row.to_ft)) / 2


def rows_by_half(numbering: NumberingMap) -> dict[int, list[Row]]:
    """Return the rows of each half-street, outward.

    Parameters
    ----------
    numbering
        The map.

    Returns
    -------
    dict
        The rows by the index of their half-street in the map.
    """
    found: dict[int, list[Row]] = {}
    for row in numbering.rows:
        found.setdefault(row.half, []).append(row)
    return found


def place_of(numbering: NumberingMap, half: int, station_ft: float | None) -> tuple[float, float] | None:
    """Return the point of a half-street at a station.

    Parameters
    ----------
    numbering
        The map.
    half
        Index of the half-street.
    station_ft
        Feet from the base line; None for none.

    Returns
    -------
    tuple of float or None
        Working CRS, US survey feet; None where there is no station.
    """
    if station_ft is None:
        return None
    point: Any = numbering.halves[half].point(station_ft)
    return float(point[0]), float(point[1])
