"""The map of a check: the village's streets and right-of-way with the construction of an answer drawn over them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import shapely
from shapely.geometry import mapping, shape
from shapely.geometry.base import BaseGeometry

from app import maps
from app.map_styles import Style
from app.row_layers import Ground
from app.village import LONLAT, Village
from gis.linework import Floats

Json = dict[str, Any]
LEFT_OUT = frozenset({"findings", "extended", "faces"})
"""Layers that are about numbering alone."""
DASHED = "8 6"
_DOT_M, _DEGREE_M = 0.35, 111_320.0
MARGIN_DEG = 0.00025
"""About 90 ft round what is looked at."""

GROUND: Mapping[str, Json] = {
    "right_of_way": {"color": "#6b6b6b", "weight": 1.5, "fill": False},
    "pavement": {"color": "#8a8a8a", "weight": 1.0, "fillColor": "#e9e7e2", "fillOpacity": 0.6},
    "sidewalk": {"color": "#8a8a8a", "weight": 1.0, "fillColor": "#d8d4ca", "fillOpacity": 0.8},
    "curb_line": {"color": "#1b1b1b", "weight": 2.0},
    "alley": {"color": "#8a8a8a", "weight": 1.0, "fillColor": "#f1f1f1", "fillOpacity": 0.6},
    "public_ground": {"color": "#007356", "weight": 1.5, "fillOpacity": 0.08},
    "dedicated_land": {"color": "#007356", "weight": 1.5, "fillOpacity": 0.08},
    "easement": {"color": "#8a4a78", "weight": 1.5, "fillOpacity": 0.05},
    "ditch": {"color": "#56B4E9", "weight": 3.0, "fillOpacity": 0.3},
    "crossing": {"color": "#8a8a8a", "weight": 1.0, "fillOpacity": 0.1},
    "hydrant": {"color": "#b50909", "weight": 3.0, "fillOpacity": 1.0},
}
"""How each layer of the right-of-way is drawn; what is assumed of it is dashed."""
LOOKS: Mapping[str, Json] = {
    "terrace": {"color": "#007356", "weight": 2.0, "fillColor": "#009E73", "fillOpacity": 0.2},
    "walk": {"color": "#6b6b6b", "weight": 2.0, "fillColor": "#d8d4ca", "fillOpacity": 0.5},
    "span": {"color": "#6b6b6b", "weight": 3.0},
    "gutter": {"color": "#56B4E9", "weight": 2.0, "fillColor": "#56B4E9", "fillOpacity": 0.4},
    "lane": {"color": "#6b6b6b", "weight": 2.0, "fillOpacity": 0.1},
    "replacement": {"color": "#8a4a78", "weight": 3.0, "fillColor": "#CC79A7", "fillOpacity": 0.25},
    "earlier": {"color": "#6b6b6b", "weight": 2.0, "fillOpacity": 0.2},
    "other": {"color": "#6b6b6b", "weight": 2.0, "fillColor": "#6b6b6b", "fillOpacity": 0.3},
    "route": {"color": "#0072B2", "weight": 7.0, "opacity": 0.6, "fill": False},
    "edge": {"color": "#1b1b1b", "weight": 2.0},
    "curb_line": {"color": "#1b1b1b", "weight": 4.0},
    "limit": {"color": "#b50909", "weight": 3.5, "fill": False},
    "object": {"color": "#1b1b1b", "weight": 2.0, "fillColor": "#E69F00", "fillOpacity": 0.8},
    "fixed": {"color": "#1b1b1b", "weight": 2.0, "fillColor": "#6b6b6b", "fillOpacity": 0.8},
    "part": {"color": "#D55E00", "weight": 2.5, "fillColor": "#D55E00", "fillOpacity": 0.5},
    "section": {"color": "#D55E00", "weight": 3.0},
    "gap_without": {"color": "#0072B2", "weight": 2.0},
    "gap": {"color": "#0072B2", "weight": 4.5},
    "measured": {"color": "#D55E00", "weight": 4.0},
}
"""How each role of a construction is drawn, the lowest first."""
ROLES: Mapping[str, str] = {
    "terrace": "terrace",
    "walk": "the sidewalk",
    "span": "from the right-of-way to the curb",
    "gutter": "gutter",
    "lane": "one full lane",
    "replacement": "area to be replaced",
    "earlier": "an earlier opening",
    "other": "also taken",
    "route": "the route",
    "edge": "edge of the walk",
    "curb_line": "curb, or edge of pavement, measured from",
    "limit": "limit line",
    "object": "what is checked",
    "fixed": "stands there anyway",
    "part": "part that lies inside",
    "section": "section across, at the worst place",
    "gap_without": "widest way without the fixtures",
    "gap": "the gap that counts",
    "measured": "distance measured",
}
"""What each role stands for, in words."""
_SEEN = frozenset({"object", "measured", "gap", "replacement", "route", "section"})
"""Roles that the map shows whole."""


def _dashed(look: Json) -> Style:
    return lambda feature: {**look, "dashArray": DASHED} if feature["properties"]["assumed"] else look


STYLES: Mapping[str, Style] = {
    **{f"row_{name}": _dashed(look) for name, look in GROUND.items()},
    **{f"check_{role}": _dashed(look) for role, look in LOOKS.items()},
}


def ground_layers(ground: Ground, names: Iterable[str] = GROUND, around: BaseGeometry | None = None) -> dict[str, Json]:
    """Return the layers of the right-of-way as GeoJSON, each feature with whether it is assumed.

    Parameters
    ----------
    ground
        The right-of-way.
    names
        Which layers.
    around
        Only what lies in this, working CRS, US survey feet; None for all.

    Returns
    -------
    dict
        Feature collections in longitude and latitude, by name; those without features are left out.
    """
    project = ground.village.out_of_feet(LONLAT)

    def moved(xy: Floats) -> Floats:
        there: Floats = np.stack(project(xy[:, 0], xy[:, 1]), axis=1)
        return there.round(maps.DIGITS)

    made: dict[str, Json] = {}
    for name in names:
        layer = ground.layers.get(name)
        features: list[Json] = []
        for one in layer.features if layer else ():
            part = one.shape if around is None else one.shape.intersection(around)
            if part.is_empty:
                continue
            known = {"label": one.label, "assumed": one.assumed, "accuracy_ft": round(one.accuracy_ft, 1)}
            features.append(_feature(len(features), known, shapely.transform(part, moved)))
        if features:
            made[name] = {"type": "FeatureCollection", "features": features}
    return made


def _feature(number: int, known: Json, part: BaseGeometry) -> Json:
    return {"type": "Feature", "id": number, "properties": known, "geometry": mapping(part)}


@lru_cache(maxsize=4)
def _beneath(village: Village, ground: Ground) -> dict[str, Json]:
    """Return what every check's map of a village has beneath the construction."""
    streets = {name: layer for name, layer in maps.layers(village).items() if name not in LEFT_OUT}
    row = {f"row_{name}": _with_dots(layer) for name, layer in ground_layers(ground).items()}
    first = {name: streets.pop(name) for name in ("other", "casings", "streets")}
    return {**first, **row, **streets}


def construction(drawn: Json) -> dict[str, Json]:
    """Return the construction of an answer as map layers, one for each role.

    Parameters
    ----------
    drawn
        The answer's ``geometry``, in longitude and latitude.

    Returns
    -------
    dict
        GeoJSON collections by the name of their layer, the lowest first.
    """
    made: dict[str, Json] = {}
    for role in LOOKS:
        features = [{**one, "id": k} for k, one in enumerate(drawn["features"]) if one["properties"]["role"] == role]
        if features:
            made[f"check_{role}"] = _with_dots({"type": "FeatureCollection", "features": features})
    return made


def _with_dots(layer: Json) -> Json:
    """Return a layer with each point as a small disc, for a point has no size of its own on a map."""
    features = [
        {**one, "geometry": _disc(*one["geometry"]["coordinates"])} if one["geometry"]["type"] == "Point" else one
        for one in layer["features"]
    ]
    return {**layer, "features": features}


def _disc(lon: float, lat: float) -> Json:
    high = _DOT_M / _DEGREE_M
    wide = high / math.cos(math.radians(lat))
    turns = np.linspace(0, 2 * math.pi, 13)[:-1]
    ring = [[round(lon + wide * math.cos(t), 8), round(lat + high * math.sin(t), 8)] for t in turns]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def focus(drawn: Json) -> maps.Bounds | None:
    """Return the corners of what an answer's map shows; None where nothing is drawn."""
    known = [one for one in drawn["features"] if one["properties"]["role"] in _SEEN] or drawn["features"]
    if not known:
        return None
    west, south, east, north = shapely.total_bounds([shape(one["geometry"]) for one in known]).tolist()
    return (south - MARGIN_DEG, west - MARGIN_DEG), (north + MARGIN_DEG, east + MARGIN_DEG)


def check_script(village: Village, ground: Ground, drawn: Json | None = None) -> maps.MapScript:
    """Draw a check over the village's streets and right-of-way.

    Parameters
    ----------
    village
        The village in force.
    ground
        Its right-of-way.
    drawn
        The answer's ``geometry`` in longitude and latitude; None where nothing was asked yet.

    Returns
    -------
    app.maps.MapScript
        The map's script.
    """
    over = construction(drawn) if drawn else {}
    shown = (focus(drawn) if drawn else None) or maps.core(village)
    return maps.drawn({**_beneath(village, ground), **over}, shown, STYLES)


def legend(drawn: Json | None) -> Iterator[tuple[str, str, bool, bool]]:
    """Give what a legend says of an answer's construction.

    Parameters
    ----------
    drawn
        The answer's ``geometry``; None where nothing was asked yet.

    Yields
    ------
    tuple
        The role, what it stands for, and whether some of it is measured and some assumed.
    """
    features = drawn["features"] if drawn else []
    for role in LOOKS:
        known = [one["properties"]["assumed"] for one in features if one["properties"]["role"] == role]
        if known:
            yield role, ROLES[role], not all(known), any(known)
