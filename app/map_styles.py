"""How a map's layers look; a state is never told by colour alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]
Style = Callable[[Json], Json]

BLUE, SKY, GREEN, GREY, PALE = "#0072B2", "#56B4E9", "#007356", "#6b6b6b", "#a9a9a9"
WIDTHS = {"street": 5.0, "alley": 3.0, "private": 3.0, "path": 1.5}


def _other_style(feature: Json) -> Json:
    kinds = {
        "limit": {"color": GREY, "weight": 1.2, "dashArray": "10 4 2 4"},
        "water": {"color": SKY, "weight": 2.0},
    }
    return kinds.get(feature["properties"]["feature"], {"color": "#c9c9c9", "weight": 1.0})


def _casing_style(feature: Json) -> Json:
    known = feature["properties"]
    if known["kind"] == "path":
        return {"color": GREY, "weight": 1.5, "dashArray": "2 4"}
    return {"color": "#d0d0d0" if known["muted"] else "#8a8a8a", "weight": WIDTHS[known["kind"]] + 2.0}


def _street_style(feature: Json) -> Json:
    known = feature["properties"]
    if known["kind"] == "path":
        return {"opacity": 0.0, "weight": 1.0}
    colour = {"street": "#ffffff", "alley": "#f1f1f1", "private": "#fff6d6"}[known["kind"]]
    return {"color": colour, "weight": WIDTHS[known["kind"]]}


def _base_style(feature: Json) -> Json:
    if feature["properties"]["assumed"]:
        return {"color": BLUE, "weight": 2.0, "dashArray": "9 6"}
    return {"color": BLUE, "weight": 5.0}


def _block_line_style(feature: Json) -> Json:
    solid = {"color": "#222222", "weight": 2.0, "lineCap": "butt"}
    return solid if feature["properties"]["built"] else {**solid, "weight": 1.5, "dashArray": "3 3"}


def _extended_style(feature: Json) -> Json:
    return {"color": PALE, "weight": 1.0, "dashArray": "4 5"}


STYLES: Mapping[str, Style] = {
    "other": _other_style,
    "extended": _extended_style,
    "casings": _casing_style,
    "streets": _street_style,
    "base_lines": _base_style,
    "block_lines": _block_line_style,
}
WRITTEN = frozenset({"faces", "findings"})
"""Layers that only carry what ``labels.js`` writes; their lines are not drawn."""
