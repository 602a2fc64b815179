"""Where a permit's work is, as its form sends it: an outline that was tapped, or so long and wide about a place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry import shape as as_shape

from app.positions import Positions
from app.registers import Row
from app.routes.asked import read_degrees, read_pair
from app.routes.forms import read_geojson
from app.village import LONLAT, Village
from gis.datum import GPS, NAD83_2011
from gis.errors import Fault, StreetsError
from gis.lengths import read_length_ft

Json = dict[str, Any]
FIELDS = ("geometry", "lat", "lon", "length_ft", "width_ft", "accuracy_ft", "datum")
MOST_LONG_FT = 5280.0
_EXAMPLES = {"lat": "degrees, such as 42.57239", "lon": "degrees, such as -90.38710"}
_MOST_SIGNS = 200_000


def outline(village: Village, sent: Mapping[str, str], day: date) -> Json:
    """Read the outline of a work from its form.

    Parameters
    ----------
    village
        The village.
    sent
        By field: ``geometry`` as GeoJSON in longitude and latitude; or ``lat`` and ``lon`` of its middle, perhaps with
        ``length_ft`` along the street and ``width_ft`` across it; ``accuracy_ft`` and ``datum`` of either.
    day
        The day of the request.

    Returns
    -------
    dict
        ``geometry``, ``crs``, ``datum`` and ``accuracy_ft`` as an application takes them; empty without a place.

    Raises
    ------
    StreetsError
        Each field that cannot be read.
    """
    text = {key: sent.get(key, "").strip() for key in FIELDS}
    datum = GPS if text["datum"] == GPS else NAD83_2011
    known: Json = {"datum": datum}
    if text["accuracy_ft"]:
        known["accuracy_ft"] = _length(text["accuracy_ft"], "accuracy_ft", 10_000.0, least=0.0)
    if text["geometry"]:
        if len(text["geometry"]) > _MOST_SIGNS:
            raise StreetsError.of("geometry", f"{len(text['geometry'])} characters", f"at most {_MOST_SIGNS}")
        return {**known, "geometry": read_geojson(text["geometry"], "geometry"), "crs": LONLAT}
    if not any(text[key] for key in ("lat", "lon", "length_ft", "width_ft")):
        return {}
    lat, lon = _place(text)
    if not (text["length_ft"] or text["width_ft"]):
        return {**known, "geometry": {"type": "Point", "coordinates": [lon, lat]}, "crs": LONLAT}
    sides = {key: _length(text[key], key, MOST_LONG_FT) for key in ("length_ft", "width_ft")}
    middle = Positions(village, LONLAT, datum, None, day).point(lon, lat, "lat")
    made = about(village, middle.x, middle.y, **sides)
    crs = village.files.settings.working_crs.text
    return {**known, "geometry": json.loads(shapely.to_geojson(made)), "crs": crs, "datum": NAD83_2011}


def _length(text: str, field: str, most: float, least: float = 0.01) -> float:
    found = read_length_ft(text, field) if text else 0.0
    if not least <= found <= most:
        raise StreetsError.of(field, text[:60] or "nothing", f"feet, more than 0 and at most {most:,.0f}, such as 12.5")
    return found


def _place(text: Mapping[str, str]) -> tuple[float, float]:
    lat, lon = text["lat"][:200], text["lon"][:200]
    if not lon and (pair := read_pair(lat)):
        lat, lon = pair
    texts = {"lat": lat, "lon": lon}
    read = {key: read_degrees(value, key) for key, value in texts.items()}
    faults = [Fault(key, texts[key] or "nothing", _EXAMPLES[key]) for key, value in read.items() if value is None]
    if faults:
        raise StreetsError("The place cannot be read.", faults)
    assert read["lat"] is not None
    assert read["lon"] is not None
    return read["lat"], read["lon"]


def about(village: Village, x: float, y: float, length_ft: float, width_ft: float) -> Polygon:
    """Return a rectangle about a place, its long side along the nearest street.

    Parameters
    ----------
    village
        Its streets.
    x, y
        The middle, working CRS, US survey feet.
    length_ft, width_ft
        Along the street, and across it.

    Returns
    -------
    Polygon
        In the working CRS.
    """
    middle = shapely.Point(x, y)
    line = min((piece.line for piece in village.network.pieces), key=middle.distance)
    at = line.project(middle)
    before, after = line.interpolate(max(at - 1, 0.0)), line.interpolate(min(at + 1, line.length))
    turn = math.atan2(after.y - before.y, after.x - before.x)
    along = (math.cos(turn) * length_ft / 2, math.sin(turn) * length_ft / 2)
    across = (-math.sin(turn) * width_ft / 2, math.cos(turn) * width_ft / 2)
    ends = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return Polygon([(x + a * along[0] + b * across[0], y + a * along[1] + b * across[1]) for a, b in ends])


def field_of(name: str) -> str:
    """Return the field of the form that a fault of a place is told beside."""
    start = name.partition("[")[0].partition(".")[0].partition(",")[0]
    return {"geometry": "geometry", "x": "lon", "y": "lat", "crs": "geometry", "epoch": "geometry"}.get(start, name)


def typed(village: Village, place: Row | None) -> dict[str, str]:
    """Write a place that is kept as the form's fields take it: its outline in longitude and latitude."""
    if not place:
        return {}
    text = shapely.to_geojson(shapely.transform(as_shape(place["shape"]), lambda xy: _lonlat(village, xy)))
    accuracy = place.get("accuracy_ft")
    return {"geometry": text, "accuracy_ft": f"{accuracy:g} ft" if accuracy else ""}


def _lonlat(village: Village, xy: Any) -> Any:
    lon, lat = village.out_of_feet(LONLAT)(xy[:, 0], xy[:, 1])
    return np.stack([lon, lat], axis=1).round(7)


def drawn(village: Village, outline: Json | None, others: Mapping[str, Json]) -> Json:
    """Return a permit's outline and the works it meets, as a map of a check draws them.

    Parameters
    ----------
    village
        The village.
    outline
        Its ``shape`` in the working CRS; None where none is drawn.
    others
        Shapes of the works it meets, working CRS, by what they are called.

    Returns
    -------
    dict
        A GeoJSON collection in longitude and latitude.
    """
    features = [_feature(village, "other", label, shape) for label, shape in others.items()]
    if outline:
        features.append(_feature(village, "object", "this permit", outline["shape"]))
    return {"type": "FeatureCollection", "features": features}


def _feature(village: Village, role: str, label: str, shape: Json) -> Json:
    there = shapely.transform(as_shape(shape), lambda xy: _lonlat(village, xy))
    known = {"role": role, "label": label, "assumed": False}
    return {"type": "Feature", "properties": known, "geometry": shapely.geometry.mapping(there)}
