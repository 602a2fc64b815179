"""A package of NG9-1-1 layers in memory, by column: what is checked, and then written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from app.exports.nena_fields import SHAPES, Field
from gis.linework import Floats

Json = dict[str, Any]
Shapes = NDArray[np.object_]
CRS = "EPSG:4326"


_FEWEST = {"LineString": 2, "Polygon": 3, "Point": 1}
"""So many vertices apart from one another a geometry needs."""


def wrong(shape: Any, wanted: str) -> str:
    """Say what is wrong with a geometry of a layer, else nothing.

    Parameters
    ----------
    shape
        The geometry, longitude and latitude; None where there is none.
    wanted
        The type that the layer has.

    Returns
    -------
    str
        A verb and what follows it.
    """
    if shape is None or shape.is_empty:
        return "is not there"
    if shape.geom_type != wanted:
        return f"is a {shape.geom_type}, not a {wanted}"
    west, south, east, north = shape.bounds
    if not (-180 <= west <= east <= 180 and -90 <= south <= north <= 90):
        return "is not in longitude and latitude"
    if len(set(map(tuple, shapely.get_coordinates(shape).tolist()))) < _FEWEST[wanted]:
        return "has too few vertices"
    return "" if shape.is_valid else f"is not valid: {shapely.is_valid_reason(shape)}"


@dataclass(eq=False)
class Layer:
    """One layer: its features by column.

    Parameters
    ----------
    name
        Of the layer.
    fields
        The fields it has, in order.
    shapes
        A geometry for each feature, longitude and latitude, shape (n,); None where one has none.
    columns
        Values that differ from feature to feature, by field.
    same
        Values that all features share, by field; a field in neither is empty.
    crs
        What its coordinates are in.
    """

    name: str
    fields: tuple[Field, ...]
    shapes: Shapes
    columns: dict[str, list[Any]] = field(default_factory=dict)
    same: dict[str, Any] = field(default_factory=dict)
    crs: str = CRS

    def __len__(self) -> int:
        return len(self.shapes)

    def values(self, name: str) -> Sequence[Any]:
        """Return the values of a field, one a feature; None where there is none."""
        found = self.columns.get(name)
        return found if found is not None else [self.same.get(name)] * len(self)

    def filled(self) -> list[Field]:
        """Return the fields that any feature has a value in."""
        return [one for one in self.fields if one.name in self.columns or self.same.get(one.name) is not None]

    def ids(self) -> Sequence[str]:
        """Return the NGUID of each feature; ``""`` where it has none."""
        return [value or "" for value in self.values("NGUID")]


@dataclass(eq=False)
class Package:
    """What is exported, and what it is held against.

    Parameters
    ----------
    profile
        ``"v3"`` or ``"v2"``.
    layers
        The layers by name.
    project
        From longitude and latitude into feet.
    expected
        What the administrative and emergency fields of every address must be, by the names of v3.
    first_numbers
        The even and the odd number that each hundred commences with (§ 288-15 E), and the hundred.
    unset
        Values that the Village has not supplied: the setting, the fields it fills and whether one is required.
    provisional
        Why no number of it binds anybody; ``""`` under an adopted map.
    about
        What is told of it beside the layers, in words.
    """

    profile: str
    layers: dict[str, Layer]
    project: Callable[[Floats, Floats], tuple[Floats, Floats]]
    expected: Mapping[str, str] = field(default_factory=dict)
    first_numbers: tuple[int, int, int] = (10, 11, 100)
    unset: list[Json] = field(default_factory=list)
    provisional: str = ""
    about: dict[str, str] = field(default_factory=dict)
    numbers: list[Json] = field(default_factory=list)
    """What is said of single numbers: provisional ones, fractions, those that are left out."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What one check has found out and another asks again."""
    _feet: dict[str, Shapes] = field(default_factory=dict)

    def in_feet(self, name: str) -> Shapes:
        """Return the geometries of a layer in feet; what is none that the layer may have is None."""
        if name not in self._feet:
            layer = self.layers.get(name)
            self._feet[name] = np.empty(0, dtype=object) if layer is None else self._projected(layer)
        return self._feet[name]

    def _projected(self, layer: Layer) -> Shapes:
        made = np.full(len(layer), None, dtype=object)
        usable = np.array([not wrong(shape, SHAPES[layer.name]) for shape in layer.shapes], dtype=bool)
        made[usable] = shapely.transform(layer.shapes[usable], self._feet_of)
        return made

    def _feet_of(self, places: Floats) -> Floats:
        x, y = self.project(places[:, 0], places[:, 1])
        return np.stack([x, y], axis=1)
