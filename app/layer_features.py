"""The features of the right-of-way's layers, as they are listed and told; a surveyed one is retired and restored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import shapely
from shapely.geometry import mapping
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app import registers
from app.audit import Act
from app.changes import StateError, needs_reason
from app.once import once
from app.registers import Row
from app.row_layers import Ground, Names, feature_of
from app.street_objects import Asking
from app.street_tables import layer_features
from app.village import LONLAT, Village
from gis.errors import StreetsError
from gis.layers import Feature, Layer
from gis.terrace import terraces

Json = dict[str, Any]
Box = tuple[float, float, float, float]

TERRACE = "terrace"
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "right_of_way": "Right-of-way",
        "pavement": "Travelled way",
        "curb_line": "Curb line",
        "sidewalk": "Sidewalks",
        TERRACE: "Terraces",
        "alley": "Alleys",
        "public_ground": "Public ground",
        "dedicated_land": "Dedicated land",
        "easement": "Easements",
        "ditch": "Ditches",
        "hydrant": "Hydrants",
        "crossing": "Crossings",
        "lot": "Lots",
        "centerline": "Centerlines",
    }
)
"""What each layer is called."""
SURVEYED, BUILT, ASSUMED = "surveyed", "built", "assumed"
STATUSES = (SURVEYED, BUILT, ASSUMED)
"""Measured as it lies; built from a measured cross-section; built from one that nobody measured."""
PRIVATE = ("owner", "occupant")
"""What only officers see of a lot."""
TOLD = ("holder", "use", *PRIVATE)
COLUMNS = ("id", "layer", "status", "label", "street", "source", "surveyed_on", "accuracy_ft", *TOLD)
DIGITS = 8
DERIVED = "Derived from the curb line and the sidewalk (§ 288-10 A)"
LINEWORK = "The street's line on the map"


@dataclass(frozen=True)
class Part:
    """A page of a layer: its features, and how many there are in all."""

    features: Sequence[Feature]
    total: int


@dataclass(frozen=True)
class Count:
    """How many features of a layer are of each status, and the poorest accuracy of each, feet."""

    layer: str
    numbers: Mapping[str, int]
    worst_ft: Mapping[str, float]
    sources: tuple[str, ...] = ()
    newest: str = ""

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(self.numbers.values())


def check_layer(name: str) -> str:
    """Return the name of a layer, refusing another.

    Raises
    ------
    StreetsError
        There is no such layer.
    """
    if name not in NAMES:
        raise StreetsError.of("layer", name[:60], f"one of {', '.join(NAMES)}")
    return name


def status_of(feature: Feature) -> str:
    """Return whether a feature is surveyed, built or assumed."""
    return ASSUMED if feature.assumed else SURVEYED if "id" in feature.known else BUILT


# --- what there is ---


def layer_of(ground: Ground, name: str) -> Layer:
    """Return a layer of the right-of-way, terraces too; one that nobody knows is without features.

    Parameters
    ----------
    ground
        The right-of-way as it is now.
    name
        One of `NAMES`. Terraces take seconds the first time.
    """
    if name == TERRACE:
        return terrace_layer(ground)
    layer = ground.layers.get(name) or Layer(())
    if name != "centerline":
        return layer
    return Layer(tuple(replace(f, known={**f.known, "source": LINEWORK}) for f in layer.features))


def terrace_layer(ground: Ground, box: Box | None = None, street: str = "") -> Layer:
    """Return the strips of the terraces; along one street, or near a rectangle, they are sooner derived than all."""
    if "terraces" in ground.__dict__ or not (box or street):
        found = ground.terraces
    else:
        near = [edge for edge in ground.edges if not street or edge.label == street]
        if box is not None:
            reach = shapely.box(*box).buffer(2 * ground.reading.terrace_reach_ft)
            near = [edge for edge in near if edge.line.intersects(reach)]
        found = terraces(ground.layers, near, ground.law, ground.reading)
    known = {"source": DERIVED}
    made = (
        Feature(t.strip, t.accuracy_ft, t.assumed, t.edge.label, {**known, "street": t.edge.label})
        for t in found
        if not t.strip.is_empty
    )
    return Layer(tuple(made))


def part(
    ground: Ground, name: str, *, box: Box | None = None, street: str = "", limit: int = 0, offset: int = 0
) -> Part:
    """Return features of a layer, the surveyed ones first.

    Parameters
    ----------
    ground
        The right-of-way as it is now.
    name
        One of `NAMES`.
    box
        Only those that meet this rectangle: west, south, east and north, working CRS, US survey feet.
    street
        Only those of this street, by its official name; nearest to it, where nobody said of which they are.
    limit, offset
        At most so many, 0 for all, after so many.
    """
    layer = terrace_layer(ground, box, street) if name == TERRACE else layer_of(ground, check_layer(name))
    found: Sequence[Feature] = layer.features
    if box is not None and found:
        found = [layer.features[k] for k in layer.within(shapely.box(*box), 0.0)]
    if street:
        found = [f for f in found if _street(ground, f) == street]
    found = sorted(found, key=lambda f: STATUSES.index(status_of(f)))
    return Part(found[offset : offset + limit] if limit else found[offset:], len(found))


def _street(ground: Ground, feature: Feature) -> str:
    """Return the street that a feature is of: the nearest one where nobody said it."""
    nearest = None if feature.known.get("street") else ground.layers.by_name["centerline"].nearest(feature.shape)
    return nearest.label if nearest else str(feature.known.get("street") or "")


def counts(ground: Ground) -> list[Count]:
    """Return how many features each layer has; terraces, one along each edge of a street, are not derived for it."""
    return [_count(ground, name) for name in NAMES]


def _count(ground: Ground, name: str) -> Count:
    if name == TERRACE:
        features = [Feature(e.line, e.accuracy_ft, e.assumed, e.label, {"source": DERIVED}) for e in ground.edges]
    else:
        features = list(layer_of(ground, name).features)
    by: dict[str, list[Feature]] = {status: [] for status in STATUSES}
    for feature in features:
        by[status_of(feature)].append(feature)
    worst = {status: max((f.accuracy_ft for f in those), default=0.0) for status, those in by.items()}
    sources = dict.fromkeys(str(f.known.get("source") or "") for f in features)
    newest = max((str(f.known.get("surveyed_on") or "") for f in features), default="")
    numbers = {status: len(those) for status, those in by.items()}
    return Count(name, numbers, worst, tuple(source for source in sources if source), newest)


# --- how it is told ---


def properties(name: str, feature: Feature, *, officer: bool) -> Json:
    """Return what is known of a feature; owner and occupant only for an officer."""
    known = feature.known
    kept = {key: known[key] for key in TOLD if known.get(key) and (officer or key not in PRIVATE)}
    return {
        "id": known.get("id"),
        "layer": name,
        "status": status_of(feature),
        "label": feature.label,
        "street": str(known.get("street") or ""),
        "source": str(known.get("source") or ""),
        "surveyed_on": str(known.get("surveyed_on") or "") or None,
        "accuracy_ft": round(feature.accuracy_ft, 2),
        **kept,
    }


def collection(village: Village, name: str, features: Sequence[Feature], *, officer: bool) -> Json:
    """Return features as a GeoJSON collection in longitude and latitude."""
    shapes = lonlat(village, [f.shape for f in features])
    made = [
        {"type": "Feature", "properties": properties(name, f, officer=officer), "geometry": mapping(shape)}
        for f, shape in zip(features, shapes, strict=True)
    ]
    return {"type": "FeatureCollection", "features": made}


def lonlat(village: Village, shapes: Sequence[BaseGeometry]) -> Sequence[BaseGeometry]:
    """Return shapes of the working CRS in longitude and latitude; all vertices are projected in one call."""
    made = np.empty(len(shapes), dtype=object)
    made[:] = shapes
    xy = shapely.get_coordinates(made)
    placed = np.stack(village.out_of_feet(LONLAT)(xy[:, 0], xy[:, 1]), axis=1).round(DIGITS)
    return list(shapely.set_coordinates(made.copy(), placed))


def cells(told: Json) -> list[str]:
    """Return what is told of a feature as the cells of `COLUMNS`."""
    return ["" if told.get(name) is None else str(told[name]) for name in COLUMNS]


# --- the register ---


def retired(connection: Connection, village: Village, name: str = "") -> list[tuple[Row, Feature]]:
    """Return the surveyed features that were retired, of one layer or of all, the newest first."""
    own = layer_features.c
    wanted = [own.retired_at.is_not(None), *([own.layer == name] if name else [])]
    names = Names(connection, village)
    rows = registers.rows(connection, layer_features, *wanted, order=[own.retired_at.desc(), own.id])
    return [(row, feature_of(row, names)) for row in rows]


def kept(connection: Connection, village: Village, feature_id: int) -> tuple[Row, Feature]:
    """Return a surveyed feature as the register holds it.

    Raises
    ------
    app.registers.NotFoundError
        There is none.
    """
    row = registers.get(connection, layer_features, feature_id)
    return row, feature_of(row, Names(connection, village))


def retire(by: Asking, feature_id: int, reason: str) -> Json:
    """Retire a surveyed feature: what is built from the cross-section takes its place.

    Raises
    ------
    StateError
        It is retired already.
    StreetsError
        No reason is given.
    """

    def do(connection: Connection) -> Json:
        row = registers.get(connection, layer_features, feature_id)
        if row["retired_at"] is not None:
            raise StateError.of("id", f"feature {feature_id}, retired", "a feature that stands")
        act = Act(connection, by.person.actor, needs_reason(reason), by.now)
        registers.update(act, "retire feature", layer_features, row, {"retired_at": act.at})
        return {"id": feature_id}

    return _acted(by, {"retire feature": feature_id, "reason": reason}, do)


def restore(by: Asking, feature_id: int, reason: str) -> Json:
    """Restore a surveyed feature that was retired.

    Raises
    ------
    StateError
        It stands.
    StreetsError
        No reason is given.
    """

    def do(connection: Connection) -> Json:
        row = registers.get(connection, layer_features, feature_id)
        if row["retired_at"] is None:
            raise StateError.of("id", f"feature {feature_id}, which stands", "a feature that was retired")
        act = Act(connection, by.person.actor, needs_reason(reason), by.now)
        registers.update(act, "restore feature", layer_features, row, {"retired_at": None})
        return {"id": feature_id}

    return _acted(by, {"restore feature": feature_id, "reason": reason}, do)


def _acted(by: Asking, asked: Json, do: Callable[[Connection], Json]) -> Json:
    with by.atlas.database.write() as connection:
        return once(connection, by.person.actor, by.key, asked, lambda: do(connection))
