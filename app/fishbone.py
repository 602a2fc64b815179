"""The map of existing numbers: a line from each building to its street, and one to where its number would lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy.engine import Connection

from app import maps
from app.existing import Report
from app.existing_told import shown
from app.map_styles import Style
from gis.existing import KINDS

Json = dict[str, Any]
MOST = 2000
"""So many buildings are drawn on one map."""
COLOURS = dict(
    zip(KINDS, ("#009E73", "#56B4E9", "#E69F00", "#D55E00", "#CC79A7", "#000000", "#6B6B6B"), strict=True)
)  # fmt: skip
"""A colour for each kind, safe for colour blindness; the map writes the numbers beside, and the list says the word."""
LAYERS = ("to_street", "to_number", "entrances")


def fishbone(connection: Connection, found: Report, places: Sequence[int]) -> dict[str, Json]:
    """Return the lines of some numbers as layers, the lowest first.

    Parameters
    ----------
    connection
        To the register.
    found
        The report.
    places
        Their places in it; the first `MOST` are drawn.

    Returns
    -------
    dict
        GeoJSON feature collections in longitude and latitude, by the names of `LAYERS`. The entrances are lines without
        a length, which are drawn as dots.
    """
    layers: dict[str, list[Json]] = {name: [] for name in LAYERS}
    for item in shown(connection, found, places[:MOST]):
        lines = item.pop("lines")
        known = {name: item[name] for name in ("id", "address", "number", "kind", "text", "out_of_order", "would_be")}
        known |= {"computed": item["computed"], "assumed": lines["assumed"]}
        dot = lines["entrance"] and [lines["entrance"]] * 2
        for name, ends in (("to_street", lines["to_street"]), ("to_number", lines["to_number"]), ("entrances", dot)):
            if ends:
                known = {**known, "line": name}
                geometry = {"type": "LineString", "coordinates": ends}
                layers[name].append({"type": "Feature", "id": item["id"], "properties": known, "geometry": geometry})
    return {name: {"type": "FeatureCollection", "features": members} for name, members in layers.items()}


def fishbone_script(connection: Connection, found: Report, places: Sequence[int], street: str = "") -> maps.MapScript:
    """Draw the lines of some numbers over the village's map.

    Parameters
    ----------
    connection
        To the register.
    found
        The report.
    places
        Their places in it.
    street
        Official name of the street they are of, or ``""`` where they are of several.

    Returns
    -------
    app.maps.MapScript
        The map's script.
    """
    own = fishbone(connection, found, places)
    ends = [point for f in own["entrances"]["features"] for point in f["geometry"]["coordinates"]]
    focus = maps.bounds(found.village, street)
    if ends and not street:
        lon, lat = np.array(ends).T
        margin = 0.0012
        focus = (lat.min() - margin, lon.min() - margin), (lat.max() + margin, lon.max() + margin)
    return maps.drawn({**maps.layers(found.village, street), **own}, focus, STYLES)


def _street_line(feature: Json) -> Json:
    return {"color": "#6b6b6b", "weight": 1.2}


def _number_line(feature: Json) -> Json:
    known = feature["properties"]
    look = {"color": COLOURS[known["kind"]], "weight": 2.5}
    return {**look, "dashArray": "5 5"} if known["assumed"] else look


def _entrance(feature: Json) -> Json:
    known = feature["properties"]
    return {"color": COLOURS[known["kind"]], "weight": 11 if known["out_of_order"] else 8, "lineCap": "round"}


STYLES: dict[str, Style] = {"to_street": _street_line, "to_number": _number_line, "entrances": _entrance}
