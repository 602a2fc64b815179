"""What someone asks of the map page: a place and perhaps a street, as typed or as a link has it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app import search
from app.assign import place, preview
from app.published import faces
from app.routes.listing import near
from app.routes.rendering import street_path, with_query
from app.village import LONLAT, Village
from gis.address import parse, street_key
from gis.errors import AddressError, GeometryError, StreetsError, UnknownStreetError

Json = dict[str, Any]

_MINUTES = r"(?P<m>[0-9]{1,2}(?:\.[0-9]+)?)\s*['’′m:]?"
_SECONDS = r"(?P<s>[0-9]{1,2}(?:\.[0-9]+)?)\s*(?:\"|”|″|''|s)?"
_NUMBER = rf"(?P<d>[0-9]{{1,3}}(?:\.[0-9]+)?)(?:\s*[°d:]?\s*{_MINUTES}\s*(?:{_SECONDS})?)?\s*[°'’′]?"
_DEGREES = re.compile(rf"(?P<first>[NSEW])?\s*(?P<sign>[+\-−])?\s*{_NUMBER}\s*(?P<last>[NSEW])?", re.IGNORECASE)
_PAIR = re.compile(r"\s*[,;]\s*|(?<=[NSEWnsew])\s+(?=[0-9+\-−])")
_EXAMPLES = {
    "lat": "42.57239 or 42° 34' 20.6\" N",
    "lon": "-90.38710 or 90° 23' 13.5\" W",
}


@dataclass(frozen=True)
class Asked:
    """A question to the map page, with what was typed and what is wrong with it.

    Parameters
    ----------
    lat, lon, street
        As typed.
    answer
        What the API gives for it, or None.
    position
        Latitude and longitude of the place, or None.
    faults
        What is wrong, by field.
    q
        What was typed into the search field.
    """

    lat: str = ""
    lon: str = ""
    street: str = ""
    answer: Json | None = None
    position: tuple[float, float] | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    q: str = ""


def read_degrees(text: str, axis: str) -> float | None:
    """Read a latitude or longitude in decimal degrees or in degrees, minutes and seconds.

    Parameters
    ----------
    text
        What was typed.
    axis
        ``"lat"`` or ``"lon"``.

    Returns
    -------
    float or None
        Degrees, south and west negative; None where it cannot be read or is out of range.

    Examples
    --------
    >>> read_degrees("42.57239", "lat"), read_degrees("90 23 13.5 W", "lon"), read_degrees("north", "lat")
    (42.57239, -90.38708333333334, None)
    """
    found = _DEGREES.fullmatch(text.strip())
    if not found:
        return None
    letter = (found["first"] or found["last"] or "").upper()
    minutes, seconds = float(found["m"] or 0), float(found["s"] or 0)
    both = bool(found["first"] and found["last"]) or (letter and letter not in {"lat": "NS", "lon": "EW"}[axis])
    if both or minutes >= 60 or seconds >= 60:
        return None
    value = float(found["d"]) + minutes / 60 + seconds / 3600
    value = -value if found["sign"] in {"-", "−"} or letter in {"S", "W"} else value
    return value if abs(value) <= {"lat": 90, "lon": 180}[axis] else None


def read_pair(text: str) -> tuple[str, str] | None:
    """Split a text that holds a latitude and a longitude; None where it does not."""
    parts = [part for part in _PAIR.split(text.strip()) if part]
    if len(parts) != 2:
        parts = text.split() if len(text.split()) == 2 else []
    if len(parts) == 2 and read_degrees(parts[0], "lat") is not None and read_degrees(parts[1], "lon") is not None:
        return parts[0], parts[1]
    return None


def asked(village: Village, query: Mapping[str, str]) -> Asked:
    """Answer what a link or form asks.

    Parameters
    ----------
    village
        The village.
    query
        ``lat`` and ``lon``, or ``x``, ``y`` and ``crs``, and perhaps ``street``.

    Returns
    -------
    Asked
        With the answer or the faults; neither where nothing was asked.
    """
    lat, lon, street = (query.get(key, "").strip()[:200] for key in ("lat", "lon", "street"))
    if not lon and (pair := read_pair(lat)):
        lat, lon = pair
    typed = Asked(lat=lat, lon=lon, street=street)
    if query.get("x") or query.get("y"):
        return _at_xy(village, query, typed)
    if not (lat or lon):
        return _only_street(village, typed)
    values = {"lat": read_degrees(lat, "lat"), "lon": read_degrees(lon, "lon")}
    faults = {
        key: f"Enter the {_word(key)} as a number, such as {_EXAMPLES[key]}." for key, v in values.items() if v is None
    }
    if faults or values["lat"] is None or values["lon"] is None:
        return Asked(lat, lon, street, faults=faults)
    return _answered(village, values["lon"], values["lat"], LONLAT, typed)


def found_by(
    village: Village, q: str, registered: Callable[[], str] = lambda: "", nearby: Callable[[], str] = lambda: ""
) -> str | Asked:
    """Say where a text typed into the search field leads: a position, an address, a street.

    Parameters
    ----------
    village
        The village.
    q
        What was typed.
    registered
        Gives the page of an address of the register that the text means, or ``""``.
    nearby
        Gives the list of the addresses near the one that the text means, or ``""`` where there are none.

    Returns
    -------
    str or Asked
        The address of a page, or the map page with what is wrong.
    """
    q = q.strip()
    if not q:
        return "/"
    if pair := read_pair(q):
        return with_query("/", lat=pair[0], lon=pair[1])
    try:
        return street_path(village.street_name(q))
    except UnknownStreetError as error:
        fault = _unknown(village, error, q)
    if page := registered():
        return page
    try:
        if q[0].isdigit():
            return _address(village, q)
    except AddressError as error:
        fault = error.message
    except UnknownStreetError as error:
        fault = _unknown(village, error, error.faults[0].found)
    return _meant(village, q, nearby) or Asked(q=q, faults={"q": fault})


def _meant(village: Village, q: str, nearby: Callable[[], str]) -> str | Asked | None:
    """Lead on from a text that is no address in full; None where it is not plain which street it means."""
    if sum(q.casefold() in s.name.casefold() for s in village.streets) > 1:
        return with_query("/streets", q=q)
    read = search.read(village, q)
    if not search.sure(village, read):
        return None
    names = [s.name for s in village.streets if street_key(s.name) in read.streets]
    if not read.number:
        return street_path(names[0]) if len(names) == 1 else with_query("/addresses", q=q)
    if (page := nearby()) or len(names) != 1:
        return page or with_query("/addresses", q=q)
    return _address(village, f"{read.numbered} {read.half} {names[0]}")


def _address(village: Village, q: str) -> str | Asked:
    """Lead to the place of an address, or to its street where it has none on the ground or no direction."""
    address = parse(q)
    street = village.street_name(address.street)
    found = faces(village, address.number, street, address.pre_directional)
    if len(found) == 1 and found[0].position:
        return with_query("/", lat=found[0].position[0], lon=found[0].position[1], street=street)
    if not found:
        return Asked(q=q, faults={"q": f"{street} has no {address.pre_directional} half."})
    if len(found) == 1:
        why = found[0].why or "The street is not built where this number would lie."
        return Asked(q=q, faults={"q": f"{address.number} {found[0].half} {street} has no place. {why}"})
    names = " or ".join(f"{address.number} {face.half} {street}" for face in found)
    return Asked(q=q, faults={"q": f"The direction is missing: {names}?"})


def _unknown(village: Village, error: UnknownStreetError, typed: str) -> str:
    names = near(village, typed)[:3]
    return f"{error.message} Perhaps {' or '.join(names)}?" if names else error.message


def _word(key: str) -> str:
    return {"lat": "latitude", "lon": "longitude"}[key]


def _only_street(village: Village, typed: Asked) -> Asked:
    if not typed.street:
        return typed
    try:
        return Asked(street=village.street_name(typed.street))
    except UnknownStreetError as error:
        return Asked(street=typed.street, faults={"street": _unknown(village, error, typed.street)})


def _at_xy(village: Village, query: Mapping[str, str], typed: Asked) -> Asked:
    try:
        x, y = float(query.get("x", "")), float(query.get("y", ""))
    except ValueError:
        return Asked(street=typed.street, faults={"lat": "The link's x and y must both be numbers."})
    crs = query.get("crs", "")[:2000] or village.files.settings.working_crs.text
    return _answered(village, x, y, crs, typed)


def _answered(village: Village, x: float, y: float, crs: str, typed: Asked) -> Asked:
    try:
        street = village.street_name(typed.street) if typed.street else None
        lon, lat = (x, y) if crs == LONLAT else village.out_of_feet(LONLAT)(*place(village, x, y, crs))
        answer = preview(village, x, y, crs, street)
        if crs != LONLAT and answer["explanation"]:
            answer["explanation"]["geometry"] = preview(village, lon, lat, LONLAT, street)["explanation"]["geometry"]
        if street:
            answer["candidates"] = _with_others(preview(village, x, y, crs, explained=False), answer)
    except UnknownStreetError as error:
        return Asked(typed.lat, typed.lon, typed.street, faults={"street": _unknown(village, error, typed.street)})
    except GeometryError as error:
        return Asked(typed.lat, typed.lon, typed.street, faults={"lat": _told(village, error)})
    except StreetsError as error:
        return Asked(typed.lat, typed.lon, typed.street, faults={"lat": " ".join(str(error).split())})
    lat_text, lon_text = typed.lat or f"{lat:.7f}", typed.lon or f"{lon:.7f}"
    return Asked(lat_text, lon_text, street or "", answer, (round(lat, 7), round(lon, 7)))


def _with_others(found: Json, answer: Json) -> list[Json]:
    """Every street about as near as the nearest, and the one that was chosen."""
    others = [c for c in found["candidates"] if c["street"] != answer["street"]]
    return sorted([*others, *answer["candidates"]], key=lambda c: float(c["distance_ft"]))


def _told(village: Village, error: GeometryError) -> str:
    fault = error.faults[0] if error.faults else None
    if fault and "longitude before latitude" in fault.expected:
        return "Latitude and longitude look swapped: the latitude comes first."
    return f"{error.message if error.message else error} Enter a place in {village.files.settings.name}."
