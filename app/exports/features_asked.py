"""What a request for features asks: how many, after which, where, when, and in which coordinate reference system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

import numpy as np
import shapely
from pyproj import CRS
from shapely import Polygon

from app import maps
from app.clocks import LOCAL
from app.village import LONLAT, Village
from gis.errors import StreetsError

CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
EPSG = "http://www.opengis.net/def/crs/EPSG/0/"
LIMIT, MOST = 100, 1000
"""Features on a page when nothing is asked, and at most."""
PAD_DEG = 0.1
"""So far round the map, in degrees, its projection is used."""
ALONG = np.linspace(0.0, 1.0, 9)
Box = tuple[float, float, float, float]
When = tuple[datetime | None, datetime | None]
ITEMS = ("limit", "after", "bbox", "bbox-crs", "crs", "datetime")
"""Query parameters of a list of features."""


class AskedError(StreetsError):
    """A request for features that has a parameter which is unknown, or a value that cannot be read."""


@dataclass(frozen=True)
class Area:
    """The rectangle that features are asked of.

    Parameters
    ----------
    crs
        Its coordinate reference system, as pyproj names it.
    shape
        The rectangle in it; None where it holds no part of the map.
    near_ft
        A rectangle of the working CRS, feet, that holds it.
    """

    crs: str
    shape: Polygon
    near_ft: Box


@dataclass(frozen=True)
class Asked:
    """What is asked of a collection.

    Parameters
    ----------
    crs
        URI of the coordinate reference system of the answer.
    limit
        At most so many features.
    after
        Only those that come after the feature of this id; ``""`` from the first on.
    area
        Only those that meet it.
    when
        Only those of that time, both ends in UTC; an end that is None is open.
    """

    crs: str = CRS84
    limit: int = LIMIT
    after: str = ""
    area: Area | None = None
    when: When | None = None


def check_names(given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a query parameter that is not known.

    Raises
    ------
    AskedError
        Naming the first, and those there are.
    """
    expected = f"one of {', '.join(known)}" if known else "no query parameter"
    for name in given:
        if name not in known:
            raise AskedError.of(name[:60], "a query parameter of this name", expected)


def read(village: Village, given: Mapping[str, str]) -> Asked:
    """Read the query of a list of features.

    Parameters
    ----------
    village
        Its map and working CRS.
    given
        Query parameters by name.

    Returns
    -------
    Asked
        What they ask.

    Raises
    ------
    AskedError
        One cannot be read.
    """
    crs = read_crs(village, given.get("crs", CRS84), "crs")
    box_crs = read_crs(village, given.get("bbox-crs", CRS84), "bbox-crs")
    area = _area(village, given["bbox"], box_crs) if "bbox" in given else None
    when = read_when(given["datetime"]) if "datetime" in given else None
    return Asked(crs, _limit(given.get("limit", str(LIMIT))), given.get("after", ""), area, when)


def uris(village: Village) -> list[str]:
    """Return the coordinate reference systems that features are given in: CRS84, and the village's own."""
    text = village.files.settings.working_crs.text
    return [CRS84, EPSG + text.partition(":")[2]] if _east_first(text) else [CRS84]


@lru_cache(maxsize=16)
def _east_first(text: str) -> bool:
    """Whether a CRS has a code, and east as its first axis: coordinates are written east, north here."""
    return text.upper().startswith("EPSG:") and CRS.from_user_input(text).axis_info[0].direction == "east"


def read_crs(village: Village, text: str, field: str) -> str:
    """Read the URI of a coordinate reference system.

    Raises
    ------
    AskedError
        It is none that features are given in.
    """
    if text not in uris(village):
        raise AskedError.of(field, text[:100], f"one of {', '.join(uris(village))}")
    return text


def crs_of(village: Village, uri: str) -> str:
    """Return the name by which a projection is asked for."""
    return LONLAT if uri == CRS84 else village.files.settings.working_crs.text


def _limit(text: str) -> int:
    digits = text.isascii() and text.isdigit() and len(text) <= 18
    if not digits or int(text) < 1:
        raise AskedError.of("limit", text[:60] or "nothing", f"a whole number, 1 to {MOST}; a greater one is {MOST}")
    return min(int(text), MOST)


def _area(village: Village, text: str, uri: str) -> Area:
    expected = "minx,miny,maxx,maxy in bbox-crs (or with heights, which are not looked at), each lower one first"
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise AskedError.of("bbox", text[:100] or "nothing", expected) from error
    if len(found) not in {4, 6} or not np.isfinite(found).all():
        raise AskedError.of("bbox", text[:100], expected)
    west, south, east, north = found if len(found) == 4 else (found[0], found[1], found[3], found[4])
    degrees = uri == CRS84
    if south > north or (west > east and not degrees):
        raise AskedError.of("bbox", text[:100], expected)
    if degrees and not (abs(west) <= 180 and abs(east) <= 180 and abs(south) <= 90 and abs(north) <= 90):
        raise AskedError.of("bbox", text[:100], "degrees of longitude and latitude")
    if not degrees:
        return Area(crs_of(village, uri), shapely.box(west, south, east, north), (west, south, east, north))
    return _area_in_degrees(village, west, south, east, north)


def _area_in_degrees(village: Village, west: float, south: float, east: float, north: float) -> Area:
    """Return the part of a rectangle that is near the map: farther out its projection does not hold."""
    (low, left), (high, right) = maps.bounds(village)
    low, left, high, right = low - PAD_DEG, left - PAD_DEG, high + PAD_DEG, right + PAD_DEG
    if west > east:  # across the 180th meridian
        west, east = (west, 180.0) if west <= right else (-180.0, east)
    if west > right or east < left or south > high or north < low:
        return Area(LONLAT, Polygon(), (0.0, 0.0, -1.0, -1.0))
    west, east, south, north = max(west, left), min(east, right), max(south, low), min(north, high)
    lon, lat = west + ALONG * (east - west), south + ALONG * (north - south)
    edge_lon = np.concatenate([lon, lon, np.full(9, west), np.full(9, east)])
    edge_lat = np.concatenate([np.full(9, south), np.full(9, north), lat, lat])
    x, y = village.into_feet(LONLAT)(edge_lon, edge_lat)
    near = (float(x.min()) - 1, float(y.min()) - 1, float(x.max()) + 1, float(y.max()) + 1)
    return Area(LONLAT, shapely.box(west, south, east, north), near)


def read_when(text: str) -> When:
    """Read an instant, or an interval whose ends may be open (``..`` or nothing); a day is the village's.

    Raises
    ------
    AskedError
        It is neither, or its end comes before its start.
    """
    start, slash, end = text.partition("/")
    if not slash:
        return _instant(text, text, last=False), _instant(text, text, last=True)
    begins = None if start in {"", ".."} else _instant(start, text, last=False)
    ends = None if end in {"", ".."} else _instant(end, text, last=True)
    if begins and ends and ends < begins:
        raise AskedError.of("datetime", text[:80], "a start that is not after its end")
    return begins, ends


def _instant(part: str, text: str, *, last: bool) -> datetime:
    expected = "a time with its zone, such as 2026-06-01T12:00:00Z, or a day, or two of them with / between"
    try:
        if len(part) == 10:
            day = date.fromisoformat(part)
            begins = datetime.combine(day + timedelta(days=1) if last else day, time(), LOCAL).astimezone(UTC)
            return begins - timedelta(microseconds=1) if last else begins
        found = datetime.fromisoformat(part.replace("z", "Z"))
    except (ValueError, OverflowError) as error:
        raise AskedError.of("datetime", text[:80] or "nothing", expected) from error
    if found.tzinfo is None or "T" not in part.upper():
        raise AskedError.of("datetime", text[:80], expected)
    try:
        found.astimezone(LOCAL)  # which a work's days are of
        return found.astimezone(UTC)
    except OverflowError as error:
        raise AskedError.of("datetime", text[:80], expected) from error


def meets(village: Village, area: Area | None, shapes: Sequence[Any]) -> Any:
    """Say of each shape of the working CRS whether it meets an area: exactly, in the area's own CRS."""
    if area is None:
        return np.ones(len(shapes), dtype=bool)
    return shapely.intersects(area.shape, projected(village, area.crs, shapes, 12))


def projected(village: Village, crs: str, shapes: Sequence[Any], digits: int) -> Any:
    """Return shapes of the working CRS in another, all vertices projected in one call."""
    made = np.empty(len(shapes), dtype=object)
    made[:] = shapes
    xy = shapely.get_coordinates(made)
    if crs == LONLAT and len(xy):
        xy = np.stack(village.out_of_feet(LONLAT)(xy[:, 0], xy[:, 1]), axis=1)
    elif len(xy):
        unit = village.files.settings.working_crs.us_ft
        xy = xy / unit if unit != 1.0 else xy
    return shapely.set_coordinates(made, xy.round(digits))
