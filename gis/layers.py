"""The layers of the right-of-way that checks measure against: shapes, their accuracy, and what is assumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import STRtree
from shapely.geometry.base import BaseGeometry

from gis.errors import GeometryError
from gis.linework import Floats, Ints

PLACES = ("right_of_way", "sidewalk", "alley", "public_ground", "dedicated_land", "easement")
"""Layers that are public places: § 288-5 A and § 288-7 A name them."""
LAYERS = (
    *("pavement", "sidewalk", "curb_line", "right_of_way", "centerline"),
    *("alley", "public_ground", "dedicated_land", "easement"),
    *("ditch", "hydrant", "crossing", "lot"),
)
"""Every layer; terraces are derived from them and never given."""


@dataclass(frozen=True)
class Feature:
    """One shape of a layer.

    Parameters
    ----------
    shape
        Working CRS, US survey feet.
    accuracy_ft
        Horizontal accuracy at 95 %, feet; 0 where it is exact.
    assumed
        Whether it is built from an assumed width, and not surveyed.
    label
        What it is of: the street; of an easement its holder; of a lot its parcel.
    known
        What else is known of it: ``street``, ``half``, ``block``, ``curb``, ``source``, ``surveyed_on``, ``owner`` ...
    """

    shape: BaseGeometry
    accuracy_ft: float = 0.0
    assumed: bool = False
    label: str = ""
    known: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Layer:
    """The shapes of one layer, with an index of their places.

    Parameters
    ----------
    features
        In any order.
    """

    features: tuple[Feature, ...]

    @cached_property
    def shapes(self) -> NDArray[np.object_]:
        """The shapes.

        Returns
        -------
        NDArray
            Shape (n,).
        """
        shapes = np.empty(len(self.features), dtype=object)
        shapes[:] = [f.shape for f in self.features]
        return shapes

    @cached_property
    def accuracy_ft(self) -> Floats:
        """The accuracy of each.

        Returns
        -------
        Floats
            At 95 %, feet, shape (n,).
        """
        return np.array([f.accuracy_ft for f in self.features], dtype=np.float64)

    @cached_property
    def tree(self) -> STRtree:
        """The index of their places.

        Returns
        -------
        STRtree
            Of the shapes, in their order.
        """
        return STRtree(self.shapes)

    def within(self, shape: BaseGeometry, reach_ft: float) -> Ints:
        """Return which features lie within a distance of a shape.

        Parameters
        ----------
        shape
            Working CRS, US survey feet.
        reach_ft
            The distance, feet.

        Returns
        -------
        Ints
            Their indices, ascending.
        """
        return np.sort(self.tree.query(shape, predicate="dwithin", distance=reach_ft)).astype(np.int64)

    def nearest(self, shape: BaseGeometry) -> Feature | None:
        """Return the feature nearest to a shape.

        Parameters
        ----------
        shape
            Working CRS, US survey feet.

        Returns
        -------
        Feature or None
            Of equally near ones the first; None where the layer has none.
        """
        if not self.features:
            return None
        found = self.tree.query_nearest(shape, all_matches=True)
        return self.features[int(np.min(found))]

    def near(self, shape: BaseGeometry, reach_ft: float) -> Layer:
        """Return the layer of those features that lie within a distance of a shape.

        Parameters
        ----------
        shape
            Working CRS, US survey feet.
        reach_ft
            The distance, feet.

        Returns
        -------
        Layer
            In the same order.
        """
        return Layer(tuple(self.features[k] for k in self.within(shape, reach_ft)))

    def union(self) -> BaseGeometry:
        """Return the shapes as one.

        Returns
        -------
        BaseGeometry
            Empty of none.
        """
        return shapely.union_all(self.shapes)

    @property
    def worst_ft(self) -> float:
        """The poorest accuracy among the features, feet; 0 of none."""
        return float(self.accuracy_ft.max(initial=0.0))

    @property
    def any_assumed(self) -> bool:
        """Whether one of them is assumed."""
        return any(f.assumed for f in self.features)


@dataclass(frozen=True, eq=False)
class Layers:
    """The layers at hand. A layer that is missing is not known, which is not the same as one without features.

    Parameters
    ----------
    by_name
        Some of `LAYERS`.
    """

    by_name: Mapping[str, Layer]

    def get(self, name: str) -> Layer | None:
        """Return a layer.

        Parameters
        ----------
        name
            One of `LAYERS`.

        Returns
        -------
        Layer or None
            None where it is not known.
        """
        return self.by_name.get(name)

    def near(self, shape: BaseGeometry, reach_ft: float) -> Layers:
        """Return the layers with only what lies within a distance of a shape.

        Parameters
        ----------
        shape
            Working CRS, US survey feet.
        reach_ft
            The distance, feet.

        Returns
        -------
        Layers
            The same layers are known.
        """
        return Layers({name: layer.near(shape, reach_ft) for name, layer in self.by_name.items()})


def layers(found: Mapping[str, Iterable[Feature] | Sequence[Feature]]) -> Layers:
    """Make layers of features.

    Parameters
    ----------
    found
        The features of each layer, by its name.

    Returns
    -------
    Layers
        Ready to measure against.

    Raises
    ------
    GeometryError
        There is no layer of that name.

    Examples
    --------
    >>> made = layers({"hydrant": [Feature(shapely.Point(0, 0), label="H1")]})
    >>> made.get("hydrant").nearest(shapely.Point(3, 4)).label, made.get("sidewalk")
    ('H1', None)
    """
    for name in found:
        if name not in LAYERS:
            raise GeometryError.of("layers", name, f"one of {', '.join(LAYERS)}")
    return Layers({name: Layer(tuple(features)) for name, features in found.items()})
