"""The map of the right-of-way as it is now: each layer over the village's streets, what is assumed of it dashed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from app import maps
from app.layer_features import ASSUMED, TERRACE, collection, layer_of
from app.map_styles import Style
from app.row_layers import Ground
from gis.layers import Feature

Json = dict[str, Any]
PREFIX = "row_"
DRAWN = (
    *("lot", "right_of_way", "public_ground", "dedicated_land", "easement", "alley", "pavement"),
    *(TERRACE, "sidewalk", "ditch", "crossing", "curb_line", "hydrant"),
)
"""The layers of the map, the lowest first; centerlines are the streets' own lines."""
LEFT_OUT = frozenset({"findings", "extended", "faces", "casings", "block_lines"})
"""Layers of the numbering map that say nothing of the ground."""
LOOKS: Mapping[str, Json] = MappingProxyType(
    {
        "lot": {"color": "#6b6b6b", "weight": 0.8, "fillOpacity": 0.0},
        "right_of_way": {"color": "#8a4a78", "weight": 1.6, "fillColor": "#8a4a78", "fillOpacity": 0.06},
        "public_ground": {"color": "#007356", "weight": 1.6, "fillColor": "#009E73", "fillOpacity": 0.15},
        "dedicated_land": {"color": "#0072B2", "weight": 1.6, "fillColor": "#0072B2", "fillOpacity": 0.12},
        "easement": {"color": "#D55E00", "weight": 1.6, "fillColor": "#D55E00", "fillOpacity": 0.12},
        "alley": {"color": "#555555", "weight": 1.2, "fillColor": "#b9b9b9", "fillOpacity": 0.6},
        "pavement": {"color": "#777777", "weight": 0.6, "fillColor": "#d6d6d6", "fillOpacity": 0.9},
        TERRACE: {"color": "#007356", "weight": 0.8, "fillColor": "#6fbf9f", "fillOpacity": 0.6},
        "sidewalk": {"color": "#a05a00", "weight": 1.0, "fillColor": "#f3c982", "fillOpacity": 0.85},
        "ditch": {"color": "#56B4E9", "weight": 2.5, "fillColor": "#56B4E9", "fillOpacity": 0.4},
        "crossing": {"color": "#1b1b1b", "weight": 2.0, "fillColor": "#ffffff", "fillOpacity": 0.9},
        "curb_line": {"color": "#1b1b1b", "weight": 1.6, "fillOpacity": 0.0},
        "hydrant": {"color": "#B50909", "weight": 2.0, "fillColor": "#ffffff", "fillOpacity": 1.0},
    }
)
"""How each layer is drawn where it is surveyed; its name stands in the legend."""
DASHES = "5 4"
RING_FT = 3.0
"""A hydrant is drawn so large."""


def _look(look: Json) -> Style:
    def style(feature: Json) -> Json:
        return {**look, "dashArray": DASHES} if feature["properties"]["status"] == ASSUMED else look

    return style


def _street_style(feature: Json) -> Json:
    if feature["properties"]["kind"] == "street":
        return {"color": "#555555", "weight": 0.8, "dashArray": "10 4 2 4"}
    return {"color": "#8a8a8a", "weight": 1.5, "dashArray": "2 4"}


STYLES: Mapping[str, Style] = MappingProxyType(
    {**{f"{PREFIX}{name}": _look(look) for name, look in LOOKS.items()}, "streets": _street_style}
)


def layers(ground: Ground, *, terraces: bool) -> dict[str, Json]:
    """Return the layers of the right-of-way that have features, the lowest first.

    Parameters
    ----------
    ground
        The right-of-way as it is now.
    terraces
        Whether terraces are wanted; deriving them takes seconds the first time.

    Returns
    -------
    dict
        GeoJSON collections in longitude and latitude, by the name of their layer on the map; no owner is in them.
    """
    made: dict[str, Json] = {}
    for name in DRAWN:
        if name == TERRACE and not terraces:
            continue
        features = [_seen(feature) for feature in layer_of(ground, name).features]
        if features:
            found = collection(ground.village, name, features, officer=False)
            for one in found["features"]:
                one["properties"] = {"status": one["properties"]["status"]}
            made[f"{PREFIX}{name}"] = found
    return made


def _seen(feature: Feature) -> Feature:
    """Return a feature as it is drawn: a point as a ring about it."""
    if not feature.shape.geom_type.endswith("Point"):
        return feature
    return replace(feature, shape=feature.shape.buffer(RING_FT, quad_segs=4))


@lru_cache(maxsize=16)
def ground_script(ground: Ground, street: str = "", *, terraces: bool = False) -> maps.MapScript:
    """Draw the right-of-way over the village's streets.

    Parameters
    ----------
    ground
        The right-of-way as it is now.
    street
        The street that is looked at, or ``""``.
    terraces
        Whether terraces are drawn.

    Returns
    -------
    app.maps.MapScript
        Made once for each.
    """
    village = ground.village
    under = {name: layer for name, layer in maps.layers(village, street).items() if name not in LEFT_OUT}
    streets = under.pop("streets")
    for one in streets["features"]:
        one["properties"] = {**one["properties"], "base": False}  # a street like the others here
    made = {**under, **layers(ground, terraces=terraces), "streets": streets}
    made.pop("base_lines", None)
    return maps.drawn(made, maps.bounds(village, street) if street else maps.core(village), STYLES)
