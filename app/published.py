"""Addresses found in print, held against the faces of the map: evidence to judge a draft by, never an adjustment."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from app.maps import along, ground
from app.streets import PublishedAddress
from app.village import LONLAT, Village
from gis.blocks import Row
from gis.errors import AddressError, UnknownStreetError
from gis.numbering import side_names

HALVES = {"N": "North", "S": "South", "E": "East", "W": "West"}
BESIDE_FT = 40.0
"""How far from the centerline a number is pointed at."""

_STATED = re.compile(r"\b(?P<side>N|S|E|W|north|south|east|west)\.? side\b", re.IGNORECASE)
_SIDES = {"n": "north", "s": "south", "e": "east", "w": "west"}


@dataclass(frozen=True)
class Face:
    """Where a number lies on a half-street.

    Parameters
    ----------
    street, half
        The street and its half.
    side
        ``"north"``, ``"south"``, ``"east"`` or ``"west"``, by the number's parity (§ 288-15 E).
    row
        The block; None where the half has no block of that hundred.
    from_ft, to_ft
        Stations of the number's unit of frontage from the base line, feet; 0 where it lies in no unit.
    on_ground
        Whether the street is built there.
    why
        Why the number has no place on this half; ``""`` where it has.
    position
        Latitude and longitude of a point beside its unit; None where the street is not built there.
    """

    street: str
    half: str
    side: str
    row: Row | None
    from_ft: float = 0.0
    to_ft: float = 0.0
    on_ground: bool = False
    why: str = ""
    position: tuple[float, float] | None = None


@dataclass(frozen=True)
class Compared:
    """A published address and where its number would lie.

    Parameters
    ----------
    address
        As published.
    street
        The street's name in the linework; ``""`` where it is not in it.
    faces
        The face it lies on; each half's where no direction is given; none where the street is unknown.
    why
        Why it cannot be placed; ``""`` where it can.
    stated
        What the source says of its side against the number's parity; ``""`` where it says nothing.
    """

    address: PublishedAddress
    street: str
    faces: tuple[Face, ...]
    why: str
    stated: str


def compared(village: Village) -> tuple[Compared, ...]:
    """Hold every published address against its face. None of them adjusts a base line or a number.

    Parameters
    ----------
    village
        The village.

    Returns
    -------
    tuple of Compared
        In the file's order.
    """
    return tuple(_compared(village, address) for address in village.files.published)


def faces(village: Village, number: int, street: str, half: str = "") -> tuple[Face, ...]:
    """Find where a number lies on a street.

    Parameters
    ----------
    village
        The village.
    number
        The number.
    street
        The street's official name.
    half
        ``"North"``, ``"South"``, ``"East"`` or ``"West"``; ``""`` for each half the street has.

    Returns
    -------
    tuple of Face
        One for each half, and for each path of a branched street.
    """
    members = [
        (index, made)
        for index, made in enumerate(village.map.halves)
        if village.network.streets[made.street].name == street and half in {"", made.name}
    ]
    return tuple(_face(village, number, street, index) for index, _ in members)


def _compared(village: Village, address: PublishedAddress) -> Compared:
    try:
        street = village.street_name(address.street)
    except (UnknownStreetError, AddressError):
        return Compared(address, "", (), "The street is not in the linework by this name.", "")
    half = HALVES.get(address.predir, "")
    found = faces(village, address.number, street, half)
    why = ""
    if not found:
        why = f"{street} has no {half} half."
    elif not half and len(found) > 1:
        why = "No direction is given: each half is shown, and none is chosen."
    return Compared(address, street, found, why, _side_stated(address, found))


def _side_stated(address: PublishedAddress, found: tuple[Face, ...]) -> str:
    match = _STATED.search(address.side_stated)
    sides = {face.side for face in found}
    if not match or len(sides) != 1:
        return ""
    said, side = _SIDES[match["side"][0].lower()], sides.pop()
    parity = "odd" if address.number % 2 else "even"
    verdict = "agree" if said == side else "do not agree"
    return f"The source says {said} side; {address.number} is {parity}, the {side} side by § 288-15 E: they {verdict}."


def _face(village: Village, number: int, street: str, index: int) -> Face:
    law, half = village.law.numbering, village.map.halves[index]
    even = number % 2 == 0
    side = side_names(village.network.streets[half.street].family)[even]
    hundred = number // law.hundred * law.hundred
    row = next((r for r in village.rows_of(street) if r.half == index and r.hundred == hundred), None)
    if row is None:
        return Face(street, half.name, side, None, why=f"There is no {hundred} block on this half of the map.")
    first = hundred + (law.first_even if even else law.first_odd)
    if number < first:
        return Face(street, half.name, side, row, why=f"Numbers of this side begin at {first} in this block.")
    start = row.from_ft + (number - first) // 2 * row.unit_ft
    if start >= row.to_ft - 0.005:
        why = f"The block ends before this number's unit: {row.length_ft:,.1f} ft at {row.unit_ft} ft a number."
        return Face(street, half.name, side, row, why=why)
    end = min(start + row.unit_ft, row.to_ft)
    low, high = ground(half)
    built = low <= (start + end) / 2 <= high
    point = _beside(village, index, (start + end) / 2, even) if built else None
    return Face(street, half.name, side, row, start, end, built, "", point)


def _beside(village: Village, index: int, station: float, even: bool) -> tuple[float, float]:
    """Return latitude and longitude of a point on one side of a half-street."""
    half = village.map.halves[index]
    line = along(half, max(station - 0.5, 0.0), station + 0.5)
    step = (line[-1] - line[0]) / max(float(np.hypot(*(line[-1] - line[0]))), 1e-9)
    left = np.array([-step[1], step[0]]) * (1 if half.even_is_left == even else -1)
    east, north = half.point(station) + BESIDE_FT * left
    lon, lat = village.out_of_feet(LONLAT)(float(east), float(north))
    return round(lat, 7), round(lon, 7)
