"""The numbers of one face, choosing a free one, and why a number is or is not among them (§ 288-15 D, E, H)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gis.blocks import NumberingMap, Row
from gis.numbering import side_names


@dataclass(frozen=True)
class FaceNumber:
    """A number of one face and its unit of frontage.

    Parameters
    ----------
    number
        The number.
    k
        Its unit, counted from 0 at the block's beginning.
    from_ft, to_ft
        Stations of the unit's ends from the base line, feet; the last may be cut short by the block's end.
    """

    number: int
    k: int
    from_ft: float
    to_ft: float


@dataclass(frozen=True)
class Choice:
    """A number chosen for a door.

    Parameters
    ----------
    number
        The number; None where none is free.
    in_order
        Whether it keeps the numbers of the half-street rising outward.
    why
        Why this number, in words.
    """

    number: int | None
    in_order: bool
    why: str


@dataclass(frozen=True)
class Place:
    """Where a number lies on a face, or why it is not one of its numbers.

    Parameters
    ----------
    number
        The number asked about.
    exists
        Whether the face has it.
    from_ft, to_ft
        Stations of its unit's ends from the base line, feet; None where the face has no such number.
    text
        The answer in words, with its section.
    """

    number: int
    exists: bool
    from_ft: float | None
    to_ft: float | None
    text: str


def face(row: Row, numbering: NumberingMap, *, even: bool) -> tuple[FaceNumber, ...]:
    """Return every number of one side of a row that has frontage, outward (§ 288-15 D, E).

    "One number for each unit of frontage or fraction thereof." Stations are whole hundredths of a foot, as those of
    doors are.

    Parameters
    ----------
    row
        The row.
    numbering
        The map it belongs to.
    even
        Whether the even side.

    Returns
    -------
    tuple of FaceNumber
        The numbers with their units.
    """
    law = numbering.law
    first = row.hundred + (law.first_even if even else law.first_odd)
    start, end, unit = round(row.from_ft * 100), round(row.to_ft * 100), row.unit_ft * 100
    starts = [(k, start + k * unit) for k in range(law.last_unit + 1)]
    return tuple(FaceNumber(first + 2 * k, k, at / 100, min(at + unit, end) / 100) for k, at in starts if at < end)


def out_of_order(number: int, station_ft: float, taken: Mapping[int, float | None]) -> tuple[int, ...]:
    """Return the held numbers that a number would stand out of order with (§ 288-15 E).

    Numbers "shall increase from the base line": one held nearer the base line is smaller, one held farther is larger.

    Parameters
    ----------
    number
        The number.
    station_ft
        Station of its entrance, feet.
    taken
        The numbers held on the same side of the half-street, and the stations of their entrances; None where a
        station is not known, and then it does not count.

    Returns
    -------
    tuple of int
        Rising.
    """
    wrong = [
        held
        for held, at in taken.items()
        if at is not None and ((at < station_ft and held > number) or (at > station_ft and held < number))
    ]
    return tuple(sorted(wrong))


def choose(computed: int, station_ft: float, allowed: Sequence[int], taken: Mapping[int, float | None]) -> Choice:
    """Choose a free number for a door (§ 288-15 H, J).

    The computed number where it may be given and is free. Else, of the free ones of its parity, the nearest that keeps
    the row in order; where none does, the nearest of those out of order with the fewest; of two as near the lower.

    Parameters
    ----------
    computed
        The number the ordinance gives the door.
    station_ft
        Station of its entrance, feet.
    allowed
        The numbers that may be given: those of the lot's own frontage, or of the face where the lot is not known.
    taken
        The numbers held on the same side of the half-street, and the stations of their entrances; None where a
        station is not known.

    Returns
    -------
    Choice
        The number, if there is one.
    """
    if computed not in allowed:
        why = f"{computed} is not among the numbers that may be given here"
    elif computed in taken:
        why = f"{computed} is held"
    else:
        return Choice(computed, not out_of_order(computed, station_ft, taken), f"{computed} is the number computed.")
    free = [n for n in allowed if n % 2 == computed % 2 and n not in taken]
    if not free:
        return Choice(None, False, f"{why}, and no other of its side is free.")
    _, _, number = min((len(out_of_order(n, station_ft, taken)), abs(n - computed), n) for n in free)
    wrong = out_of_order(number, station_ft, taken)
    if wrong:
        held = ", ".join(map(str, wrong))
        return Choice(
            number, False, f"{why}; of those free {number} disturbs the order least, and is out of order with {held}."
        )
    return Choice(number, True, f"{why}; {number} is the nearest free that keeps the row in order.")


def why_not(numbering: NumberingMap, row: Row, number: int, *, even: bool) -> Place:
    """Say where a number's unit lies on a face, or why the face has no such number (§ 288-15 D, E).

    Parameters
    ----------
    numbering
        The map.
    row
        The face's row.
    number
        The number asked about.
    even
        Whether the face is the row's even side.

    Returns
    -------
    Place
        The answer.
    """
    found = next((place for place in face(row, numbering, even=even) if place.number == number), None)
    if found is None:
        return Place(number, False, None, None, _absent(numbering, row, number, even=even))
    into = abs(round(found.from_ft - row.from_ft, 1))  # the first unit begins with the block, not at -0.0
    text = (
        f"{number} lies {into:,.1f} to {found.to_ft - row.from_ft:,.1f} ft into the block, "
        f"{found.from_ft:,.1f} to {found.to_ft:,.1f} ft from {_base(numbering, row)}: "
        f"unit {found.k + 1} of {row.unit_ft} ft (§ 288-15 D)."
    )
    return Place(number, True, found.from_ft, found.to_ft, text)


def _absent(numbering: NumberingMap, row: Row, number: int, *, even: bool) -> str:
    """Say why a face has no such number."""
    law = numbering.law
    sides = side_names(numbering.network.streets[numbering.halves[row.half].street].family)
    first, hundred = row.hundred + (law.first_even if even else law.first_odd), number // law.hundred * law.hundred
    if (number % 2 == 0) != even:
        parities = ("odd", "even")
        return f"{number} is {parities[not even]}: the {sides[even]} side has {parities[even]} numbers (§ 288-15 E)."
    if hundred != row.hundred:
        return f"{number} is of the {hundred} block; this is the {row.hundred} block. {_block(numbering, row, hundred)}"
    if number < first:
        return f"The numbers of the {sides[even]} side commence with {first} in this block (§ 288-15 E)."
    k = (number - first) // 2
    return (
        f"The block ends before {number}: its unit would begin {k * row.unit_ft:,} ft into the block, "
        f"which is {row.length_ft:,.1f} ft long at {row.unit_ft} ft a number (§ 288-15 D)."
    )


def _block(numbering: NumberingMap, row: Row, hundred: int) -> str:
    """Say where a hundred of the half-street lies."""
    street = f"{row.side} {row.street}"
    other = next((r for r in numbering.rows if r.half == row.half and r.hundred == hundred), None)
    if other is None:
        return f"The map has no {hundred} block on {street} (§ 288-15 D)."
    where = f"{other.from_ft:,.1f} to {other.to_ft:,.1f} ft from {_base(numbering, row)}"
    return f"The {hundred} block of {street} lies {where} (§ 288-15 D)."


def _base(numbering: NumberingMap, row: Row) -> str:
    return numbering.network.base_name(numbering.network.streets[numbering.halves[row.half].street].family)
