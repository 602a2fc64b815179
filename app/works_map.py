"""The map of works: the village's streets with each opening and obstruction as its state on a day has it drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app import maps, works
from app.map_styles import Style
from app.village import Village

Json = dict[str, Any]
MARGIN_DEG = 0.0008
LEFT_OUT = frozenset({"findings", "extended"})
"""Layers that are about numbering alone."""
LOOKS: Mapping[str, Json] = {
    "emergency": {"color": "#D55E00", "weight": 6.0, "fillColor": "#D55E00", "fillOpacity": 0.5},
    "active": {"color": "#1b1b1b", "weight": 2.5, "fillColor": "#E69F00", "fillOpacity": 0.7},
    "planned": {"color": "#0072B2", "weight": 3.0, "dashArray": "8 6", "fillOpacity": 0.1},
    "recently_expired": {"color": "#8a4a78", "weight": 3.0, "dashArray": "1 6", "fillOpacity": 0.15},
    "past": {"color": "#6b6b6b", "weight": 1.5, "dashArray": "2 4", "fillOpacity": 0.05},
}
"""How each state is drawn; its mark has a shape of its own too, and the list its word."""


def _look(look: Json) -> Style:
    return lambda _feature: look


STYLES: dict[str, Style] = {f"works_{state}": _look(look) for state, look in LOOKS.items()}


def layers(items: Sequence[Json]) -> dict[str, Json]:
    """Return the outlines and lines of works as map layers, one for each state; a point has its mark alone.

    Parameters
    ----------
    items
        Works as `app.street_objects_told.public` tells them.

    Returns
    -------
    dict
        GeoJSON collections by the name of their layer, those of states that nothing is in left out.
    """
    made: dict[str, Json] = {}
    for state in works.STATES:
        features = [
            {"type": "Feature", "id": one["id"], "geometry": one["geometry"], "properties": {"state": state}}
            for one in items
            if one["state"] == state and one["geometry"]["type"] != "Point"
        ]
        if features:
            made[f"works_{state}"] = {"type": "FeatureCollection", "features": features}
    return made


def works_script(village: Village, items: Sequence[Json], street: str) -> maps.MapScript:
    """Draw works over the village's streets.

    Parameters
    ----------
    village
        The village in force.
    items
        The works.
    street
        The street that is looked at, or ``""``.

    Returns
    -------
    app.maps.MapScript
        The map's script.
    """
    focus = maps.bounds(village, street) if street else maps.core(village)
    if items and not street:
        lon, lat = np.array([(one["lon"], one["lat"]) for one in items]).T
        low = (min(float(lat.min()), focus[0][0] + 1) - MARGIN_DEG, float(lon.min()) - MARGIN_DEG)
        focus = low, (float(lat.max()) + MARGIN_DEG, float(lon.max()) + MARGIN_DEG)
    ground = {name: layer for name, layer in maps.layers(village, street).items() if name not in LEFT_OUT}
    return maps.drawn({**ground, **layers(items)}, focus, STYLES)
