"""What a dispatcher asks of an address or a place, answered from memory.

Directions and sides are the village's own (§ 288-15 C): its north is Van Buren Street's.
"""

from __future__ import annotations

from functools import lru_cache
from math import atan2, pi

from shapely import Point

from app.feed import Json
from app.lookup import Index, Known
from app.matching import between, block_of, find, layout_of, near_matches, successor
from app.published import faces
from app.village import LONLAT, Village
from gis.blocks import Row
from gis.network import EW, NS
from gis.numbering import side_names

AT_FT, JUST_FT = 15.0, 75.0
"""Nearer than the first one is at an address, nearer than the second just beside it."""
MOST_FT = 26_400.0
"""The widest circle that is asked for: five miles."""
SIDES = {half: side_names(NS if half in {"North", "South"} else EW) for half in ("North", "South", "East", "West")}
"""The odd and the even side of each half (§ 288-15 E)."""
_POINTS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")


def validate(index: Index, village: Village, text: str) -> Json:
    """Say whether an address is one, and of each element whether it is right.

    Parameters
    ----------
    index
        Every address.
    village
        In force.
    text
        As anyone writes it.

    Returns
    -------
    dict
        ``match``, ``elements``, the complete ``address``, ``replaced_by`` and ``near``.

    Raises
    ------
    gis.errors.AddressError
        The text is no street address.
    """
    with index.lock:
        found = find(index, village, text)
        sure = found.match in {"official", "provisional", "proposed"}
        return {
            "match": found.match,
            "elements": found.elements,
            "address": found.address or None,
            "id": found.known.id if found.known else None,
            "replaced_by": successor(index, found),
            "near": [] if sure else near_matches(index, village, found),
        }


def locate(index: Index, village: Village, text: str) -> Json:
    """Say where an address is.

    Parameters
    ----------
    index
        Every address.
    village
        In force.
    text
        As anyone writes it.

    Returns
    -------
    dict
        ``match`` as `validate` gives it. Where that is ``none`` only ``near`` matches follow; a number that only lies
        in a block is interpolated, ``placement`` ``Geocoding``.

    Raises
    ------
    gis.errors.AddressError
        The text is no street address.
    """
    with index.lock:
        found = find(index, village, text)
        made: Json = {"match": found.match, "address": found.address or None}
        if found.match == "none":
            return {**made, "near": near_matches(index, village, found)}
        made["replaced_by"] = successor(index, found)
        if found.known is not None:
            return made | _placed(index, village, found.known)
    assert found.row is not None
    assert found.asked is not None
    return made | _interpolated(village, found.asked.number, found.row)


def _placed(index: Index, village: Village, known: Known) -> Json:
    row = block_of(village, known)
    access = known.access_lon, known.access_lat
    return {
        "id": known.id,
        "x": known.x,
        "y": known.y,
        "lon": known.lon,
        "lat": known.lat,
        "placement": known.placement,
        "accuracy_ft": known.accuracy_ft,
        "access": None if None in access else list(access),
        "access_note": known.access_note,
        **_street_of(village, known.street, known.half, row),
    }


def _street_of(village: Village, street: str, half: str, row: Row | None) -> Json:
    return {
        "street": street,
        "half": half,
        "block": row.hundred if row else None,
        "cross_streets": list(row.bounded_by) if row else [],
    }


def _interpolated(village: Village, number: int, row: Row) -> Json:
    """Return the place beside the street where a number's unit lies, on the ground or on the street extended."""
    face = next(f for f in faces(village, number, row.street, row.side) if not f.why)
    made: Json = dict.fromkeys(("id", "x", "y", "lon", "lat", "accuracy_ft", "access"))
    made |= {"placement": "Geocoding", "access_note": ""}
    if face.position is not None:
        lat, lon = face.position
        x, y = village.into_feet(LONLAT)(lon, lat)
        made |= {"x": round(float(x), 3), "y": round(float(y), 3), "lon": lon, "lat": lat}
    return made | _street_of(village, row.street, row.side, row)


def nearest(
    index: Index, village: Village, lat: float, lon: float, radius_ft: float, count: int, accuracy_ft: float | None
) -> Json:
    """Say which addresses are nearest to a place, and how a dispatcher says where it is.

    Parameters
    ----------
    index
        Every address.
    village
        In force.
    lat, lon
        The place, degrees.
    radius_ft
        No farther than this, feet.
    count
        At most so many.
    accuracy_ft
        How far the place may be off, feet; None where that is not known.

    Returns
    -------
    dict
        ``items``, the nearest first; with an accuracy each says whether it may be the nearest. Without any,
        ``outside_ft`` says how far from the village the place lies, 0 within.
    """
    x, y = (float(v) for v in village.into_feet(LONLAT)(lon, lat))
    with index.lock:
        found = index.near(x, y, radius_ft, count)
    step = layout_of(village).law.hundred
    items = [_beside(village, step, x, y, away, known) for away, known in found]
    made: Json = {"items": items}
    if not items:
        away = village.network.hull.distance(Point(x, y)) - village.network.reading.edge_ft
        made["outside_ft"] = round(max(away, 0.0))
    if accuracy_ft is not None and items:
        limit = items[0]["distance_ft"] + 2 * accuracy_ft
        for item in items:
            item["may_be_nearest"] = item["distance_ft"] <= limit
        many = sum(item["may_be_nearest"] for item in items)
        made["accuracy_ft"] = accuracy_ft
        made["say"] = (
            f"The position may be {accuracy_ft:,.0f} ft off: any of {many} addresses may be the nearest."
            if many > 1
            else f"The position may be {accuracy_ft:,.0f} ft off; the nearest address is the same within that."
        )
    return made


def _beside(village: Village, step: int, x: float, y: float, away: float, known: Known) -> Json:
    where = _direction(village, x - known.x, y - known.y, away)
    return {
        "id": known.id,
        "address": known.full,
        "status": known.status,
        "distance_ft": round(away, 1),
        "side": SIDES[known.half][known.number % 2 == 0],
        "street": known.street,
        "say": f"{where} {known.full}{between(village, known.key, known.half, known.number // step * step)}",
    }


def _direction(village: Village, east_ft: float, north_ft: float, away: float) -> str:
    if away < AT_FT:
        return "at"
    north, east = _axes(village)
    ahead = north[0] * east_ft + north[1] * north_ft, east[0] * east_ft + east[1] * north_ft
    point = _POINTS[round(atan2(ahead[1], ahead[0]) / pi * 4) % 8]
    return f"just {point} of" if away < JUST_FT else f"{_say_ft(away)} {point} of"


@lru_cache(maxsize=8)
def _axes(village: Village) -> tuple[list[float], list[float]]:
    """Return the village's north and east as plain numbers."""
    return village.network.north.tolist(), village.network.east.tolist()


def _say_ft(away: float) -> str:
    step = 10 if away < 300 else 50
    return f"about {round(away / step) * step:,} ft"
