"""Numbering a structure: from a place on the ground to its number, its findings, candidates and reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from app.answers import listed
from app.positions import into_feet, polygon
from app.village import LONLAT, Village
from gis.address import format_full, format_usps, on_street, street_key
from gis.crs import is_geographic
from gis.errors import AddressError, Fault, GeometryError
from gis.explain import Explanation
from gis.findings import Finding
from gis.locate import FIND_STREET
from gis.lots import Embraced, embraced
from gis.numbering import Doors, candidates, findings
from gis.reasons import explain

Json = dict[str, Any]


def preview(
    village: Village, x: float, y: float, crs: str = LONLAT, street: str | None = None, *, explained: bool = True
) -> Json:
    """Say what number a main entrance would have (§ 288-15), and why. Nothing is stored.

    Parameters
    ----------
    village
        The village.
    x, y
        The entrance: longitude and latitude, or the coordinates of `crs`.
    crs
        The CRS of `x` and `y`; the answer's geometry is in it too.
    street
        The street the entrance fronts on, however spelt; left out it is found, which is only a suggestion.
    explained
        Whether steps and construction lines are wanted.

    Returns
    -------
    dict
        The answer as the API gives it.

    Raises
    ------
    StreetsError
        A bad coordinate, an unknown CRS or street, a place outside the village.
    """
    east, north = into_feet(village, x, y, crs)
    asked = village.street_id(village.street_name(street)) if street else FIND_STREET
    doors = candidates(village.frontages, east, north, asked)
    chosen, others = doors[0], doors[1:]
    check_inside(village, chosen, x, y)
    answer = _described(village, chosen, others)
    answer["candidates"] = [candidate(village, door) for door in doors if door.half >= 0]
    answer["map"] = about_map(village)
    answer["crs"] = crs
    answer["explanation"] = told(village, explain(village.frontages, chosen), crs) if explained else None
    return answer


def about_map(village: Village) -> Json:
    """Return which map a number is derived under, and what is said of the map as a whole."""
    version = {"version": village.edition.version} if village.edition else {}
    return {"draft": bool(village.draft), **version, "findings": listed(village.map.findings)}


def place(village: Village, x: float, y: float, crs: str) -> tuple[float, float]:
    """Return an entrance in the working CRS, US survey feet, refusing what can be no place in the village."""
    east, north = into_feet(village, x, y, crs)
    check_inside(village, candidates(village.frontages, east, north)[0], x, y)
    return east, north


def check_inside(village: Village, door: Doors, x: float, y: float, field: str = "x, y") -> None:
    """Refuse a place outside the village."""
    if door.half < 0 and "OUT_OF_VILLAGE" in door.codes:
        beyond = findings(village.frontages, door)[0].message
        raise GeometryError(beyond, [Fault(field, f"({x}, {y})", f"a place in {village.files.settings.name}")])


def _described(village: Village, door: Doors, others: Sequence[Doors]) -> Json:
    found = listed(findings(village.frontages, door, others))
    if door.half < 0:
        return {"address": None, "street": None, "half": None, "number": None, "findings": found}
    row = village.map.rows[door.row]
    number = door.number
    if street_key(row.street) in village.closed:
        number = 0
        found = [*listed([Finding("STREET_VACATED", {"street": row.street})]), *found]
    address, usps = written(number, row.side, row.street)
    return {
        "address": address,
        "usps": usps,
        "street": row.street,
        "half": row.side,
        "number": number or None,
        "block": door.block,
        "hundred": door.hundred,
        "unit_ft": door.unit_ft,
        "into_ft": door.into_ft,
        "station_ft": door.station,
        "offset_ft": round(abs(door.offset), 2),
        "findings": found,
    }


def written(number: int, half: str, street: str) -> tuple[str | None, str | None]:
    """Return an address in full words and as the USPS has it; None where there is no number, or no such form."""
    if not number:
        return None, None
    full, usps = _after_number(half, street)
    return f"{number} {full}", usps and f"{number} {usps}"


@lru_cache(maxsize=4096)
def _after_number(half: str, street: str) -> tuple[str, str | None]:
    """Return what follows the number in a street's addresses, in full words and as the USPS has it."""
    try:
        address = on_street(1, half, street)
    except AddressError:  # a name no address can have still has its numbers
        return f"{half} {street}", None
    return format_full(address).removeprefix("1 "), format_usps(address).removeprefix("1 ")


def candidate(village: Village, door: Doors) -> Json:
    """Return one street a door may front on, with the number it would have there."""
    row = village.map.rows[door.row]
    away = math.hypot(door.x - door.foot_x, door.y - door.foot_y)
    return {
        "address": written(door.number, row.side, row.street)[0],
        "street": row.street,
        "half": row.side,
        "number": door.number or None,
        "distance_ft": round(away, 2),
    }


def told(village: Village, why: Explanation, crs: str) -> Json:
    """Return an explanation as the API gives it: steps with the law's own words, construction lines as GeoJSON.

    Parameters
    ----------
    village
        The village, for its law and working CRS.
    why
        The explanation.
    crs
        The CRS the geometry is wanted in.

    Returns
    -------
    dict
        ``steps`` and ``geometry``.
    """
    quoted = village.law.quotations
    steps = [
        {
            "section": step.section,
            "decided": step.decided,
            "text": step.text,
            "law": quoted.get(step.decided, ""),
            "reading": step.reading,
            "values": step.values,
        }
        for step in why.steps
    ]
    return {"steps": steps, "geometry": _features(village, why, crs)}


def _features(village: Village, why: Explanation, crs: str) -> Json:
    sizes = [len(line.coords) for line in why.lines]
    every = np.concatenate([line.coords for line in why.lines]) if why.lines else np.zeros((0, 2))
    x, y = village.out_of_feet(crs)(every[:, 0], every[:, 1])
    digits = 7 if is_geographic(crs) else 2
    vertices = np.array([x, y]).T.round(digits).tolist()
    features, at = [], 0
    for line, size in zip(why.lines, sizes, strict=True):
        geometry = {"type": "LineString", "coordinates": vertices[at : at + size]}
        properties = {"role": line.role, "label": line.label, "assumed": line.assumed}
        features.append({"type": "Feature", "properties": properties, "geometry": geometry})
        at += size
    return {"type": "FeatureCollection", "features": features}


def lot_numbers(village: Village, lot: Json, crs: str = LONLAT, street: str | None = None) -> Json:
    """Tell the numbers "belonging or embraced within the limits" of a lot (§ 288-15 J).

    Parameters
    ----------
    village
        The village.
    lot
        A GeoJSON Polygon.
    crs
        Its CRS.
    street
        Only this street, however spelt; left out, every street the lot fronts on.

    Returns
    -------
    dict
        One entry a frontage, nearest first.

    Raises
    ------
    StreetsError
        A lot that is no valid polygon in the village, an unknown CRS or street.
    """
    shape = polygon(village, lot, crs)
    name = village.street_name(street) if street else None
    found = embraced(village.frontages, shape, village.street_id(name) if name else None)
    note = "" if found else "The lot fronts on no street" + (f" named {name}." if name else " of the village.")
    return {
        "frontages": [embraced_json(e) for e in found],
        "note": note,
        "map": about_map(village),
    }


def embraced_json(one: Embraced) -> Json:
    """Return what a lot embraces on one frontage as the API gives it."""
    front = one.frontage
    return {
        "street": front.street,
        "half": one.side,
        "from_ft": round(front.from_ft, 2),
        "to_ft": round(front.to_ft, 2),
        "parity": "even" if front.even else "odd",
        "numbers": one.numbers,
        "addresses": [written(n, one.side, front.street)[0] for n in one.numbers],
        "shared_with_neighbour": one.shared,
        "without_numbers_ft": round(one.tail_ft, 2),
        "section": "288-15 J",
    }
