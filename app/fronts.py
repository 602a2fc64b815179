"""A block face as the register has it: its row of numbers, who holds each, which are left, and "why not 112?"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.answers import listed, row_of
from app.considered import about_holder
from app.map_versions import vacated
from app.village import Village
from gis.address import street_key
from gis.blocks import Row
from gis.errors import StreetsError
from gis.faces import Place, face, why_not
from gis.numbering import side_names

Json = dict[str, Any]


def side_of(village: Village, row: Row, *, even: bool) -> str:
    """Return the name of one side of a row: ``"east"`` and so on."""
    family = village.network.streets[village.map.halves[row.half].street].family
    return side_names(family)[even]


def rows_of(village: Village, street: str, half: str) -> list[Row]:
    """Return the rows of a half-street, outward.

    Raises
    ------
    StreetsError
        The street has no such half.
    """
    name = village.street_name(street)
    found = [row for row in village.rows_of(name) if row.side == half.capitalize()]
    if not found:
        halves = " or ".join(dict.fromkeys(row.side for row in village.rows_of(name)))
        raise StreetsError.of("half", half or "nothing", f"a half of {name}: {halves}")
    return found


def front(village: Village, connection: Connection, street: str, half: str, hundred: int, *, even: bool) -> Json:
    """Return one block face: each number of it, who holds it or that it is left.

    Parameters
    ----------
    village
        The village.
    connection
        To the register.
    street, half
        The half-street, however spelt.
    hundred
        The block's hundred.
    even
        Whether its even side.

    Returns
    -------
    dict
        ``numbers`` outward, ``left`` those free, ``others`` held on the face that are none of its numbers; ``vacated``
        is the act that vacated the street, on which no number is left, or None.

    Raises
    ------
    StreetsError
        No such street, half or block.
    """
    rows = rows_of(village, street, half)
    row = next((r for r in rows if r.hundred == hundred), None)
    if row is None:
        hundreds = ", ".join(str(r.hundred) for r in rows)
        raise StreetsError.of("hundred", str(hundred), f"a block of {rows[0].side} {rows[0].street}: {hundreds}")
    held: dict[int, list[registers.Row]] = {}
    for address in registers.on_face(connection, street_key(row.street), row.side, even=even):
        held.setdefault(address["number"], []).append(address)
    places = face(row, village.map, even=even)
    own = {place.number for place in places}
    block = range(row.hundred, row.hundred + village.map.law.hundred)
    gone = vacated(connection).get(street_key(row.street))
    return {
        "street": row.street,
        "half": row.side,
        "hundred": row.hundred,
        "parity": "even" if even else "odd",
        "side": side_of(village, row, even=even),
        "block": row_of(village, row),
        "numbers": [
            {
                "number": place.number,
                "from_ft": round(max(place.from_ft - row.from_ft, 0.0), 2),
                "to_ft": round(place.to_ft - row.from_ft, 2),
                "held_by": [about_holder(address) for address in held.get(place.number, [])],
            }
            for place in places
        ],
        "left": [place.number for place in places if place.number not in held and not gone],
        "vacated": {"decided_on": gone["decided_on"].isoformat(), "act": gone["act"]} if gone else None,
        "others": [about_holder(a) for n, members in held.items() if n in block and n not in own for a in members],
        "findings": listed(row.findings),
    }


def _no_block(rows: Sequence[Row], number: int, block: int) -> str:
    first, last = rows[0], rows[-1]
    has = f"its blocks are {first.hundred} to {last.hundred}" if len(rows) > 1 else f"it has the {last.hundred}"
    return f"{number} is of the {block} block, and {last.side} {last.street} has no such block: {has} (§ 288-15 D)."


def why(
    village: Village, connection: Connection, street: str, half: str, number: int, *, even: bool | None = None
) -> Json:
    """Answer "Why not 112?": where a number's unit lies on a half-street, who holds it, or why there is none.

    Parameters
    ----------
    village
        The village.
    connection
        To the register.
    street, half
        The half-street, however spelt.
    number
        The number asked about.
    even
        The side that is asked about; the number's own where it is None.

    Returns
    -------
    dict
        ``exists``, ``text`` in words, ``holders``, and the block it would lie in.
    """
    if not 1 <= number <= 999_999:
        raise StreetsError.of("number", str(number), "1 to 999999")
    rows = rows_of(village, street, half)
    block = number // village.map.law.hundred * village.map.law.hundred
    row = next((r for r in rows if r.hundred == block), None)
    even = number % 2 == 0 if even is None else even
    if row is None:
        row = rows[-1]
        place = Place(number, False, None, None, _no_block(rows, number, block))
    else:
        place = why_not(village.map, row, number, even=even)
    holders = registers.holders(connection, street_key(row.street), row.side, number)
    told = place.text
    if holders:
        holder = f"{holders[0]['full']} ({holders[0]['status']})"
        told = f"{told} It is held by {holder}: one number, one building (§ 288-15 H)."
    gone = vacated(connection).get(street_key(row.street))
    if gone:
        told = f"{told} {row.street} was vacated on {gone['decided_on']} ({gone['act']}): no number is given on it."
    elif place.exists and not holders:
        told = f"{told} Nobody holds it."
    return {
        "number": number,
        "street": row.street,
        "half": row.side,
        "hundred": block,
        "side": side_of(village, row, even=even),
        "exists": place.exists,
        "free": place.exists and not holders and not gone and even == (number % 2 == 0),
        "text": told,
        "holders": [about_holder(holder) for holder in holders],
    }
