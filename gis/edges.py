"""Where a street's edge is: its curb lines, and what stands for a curb where there is none (§ 288-10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from gis.errors import GeometryError
from gis.layers import Feature, Layer, Layers
from gis.linework import Floats

CURB, PAVED, STANDARD = "curb", "paved", "standard"
READINGS = (CURB, PAVED, STANDARD)
"""What an edge is: a curb's face; the edge of pavement without a curb; where the standard section would put a curb."""
_ASIDE_FT = 0.5


@dataclass(frozen=True, eq=False)
class Edge:
    """An edge of a street, drawn so that the street is on its right and the terrace on its left.

    Parameters
    ----------
    coords
        Vertices, shape (n, 2), working CRS, US survey feet.
    kind
        One of `READINGS`.
    accuracy_ft
        At 95 %, feet.
    assumed
        Whether it is built from an assumed width.
    label
        The street's name, or ``""``.
    """

    coords: Floats
    kind: str
    accuracy_ft: float = 0.0
    assumed: bool = False
    label: str = ""

    @property
    def line(self) -> LineString:
        """The edge as a geometry."""
        return LineString(self.coords)

    @property
    def closed(self) -> bool:
        """Whether it ends where it begins."""
        return bool((self.coords[0] == self.coords[-1]).all())

    def behind_ft(self, x: float, y: float) -> float:
        """Return how far behind the edge a point lies.

        Parameters
        ----------
        x, y
            The point, working CRS, US survey feet.

        Returns
        -------
        float
            Feet; below 0 over the street.
        """
        point = np.array([x, y])
        starts, steps = self.coords[:-1], np.diff(self.coords, axis=0)
        squares = (steps**2).sum(axis=1)
        t = np.clip(((point - starts) * steps).sum(axis=1) / squares, 0.0, 1.0)
        away = point - (starts + t[:, None] * steps)
        distance = np.hypot(*away.T)
        nearest = float(distance.min())
        # at a corner two pieces are equally near: the one that sees the point most squarely tells the side
        tied = np.flatnonzero(distance <= nearest + 1e-9)
        cross = steps[tied, 0] * away[tied, 1] - steps[tied, 1] * away[tied, 0]
        square = cross / np.sqrt(squares[tied])
        side = square[np.argmax(np.abs(square))]
        return nearest if side >= 0 else -nearest

    def foot(self, x: float, y: float) -> Floats:
        """Return the point of the edge nearest to a point.

        Parameters
        ----------
        x, y
            The point, working CRS, US survey feet.

        Returns
        -------
        Floats
            The foot, shape (2,), feet.
        """
        line = self.line
        return np.array(line.interpolate(line.project(shapely.Point(x, y))).coords[0])


def edges(layers: Layers) -> tuple[Edge, ...]:
    """Return the edges of the streets in layers.

    Where there is a curb its face is the edge. Where there is none, "the normal location of the street curbing" is read
    both as the edge of pavement and as where the standard section would put a curb.

    Parameters
    ----------
    layers
        ``curb_line``; without it, the edges of ``pavement``. What is built has edges without a curb in ``edge``.

    Returns
    -------
    tuple of Edge
        Each line of them as one edge.

    Raises
    ------
    GeometryError
        Nothing tells on which side of a curb line the street is.
    """
    curbs, others = layers.get("curb_line"), layers.by_name.get("edge")
    if curbs is None and others is None:
        pavement = layers.get("pavement")
        return tuple(_of_pavement(pavement, layers.get("centerline"))) if pavement else ()
    found = [edge for f in (curbs.features if curbs else ()) for edge in _oriented(f, CURB, layers)]
    for f in others.features if others else ():
        found += _oriented(f, str(f.known["kind"]), layers)
    return tuple(found)


def nearest_edges(found: Sequence[Edge], shape: BaseGeometry) -> tuple[Edge, ...]:
    """Return the edges that a shape is measured from: the nearest of each kind, of the nearest one's street.

    Parameters
    ----------
    found
        The edges.
    shape
        What is measured, working CRS, US survey feet.

    Returns
    -------
    tuple of Edge
        One curb; or one edge of pavement, and one where the standard section would put a curb; empty of none.
    """
    if not found:
        return ()
    away = shapely.distance(np.array([e.line for e in found], dtype=object), shape)
    order = np.argsort(away, kind="stable")
    first = found[int(order[0])]
    if first.kind == CURB:
        return (first,)
    both = (next((found[k] for k in order if found[k].kind == kind), None) for kind in (PAVED, STANDARD))
    return tuple(edge for edge in both if edge is not None)


def _lines(shape: BaseGeometry) -> list[Floats]:
    merged = shapely.line_merge(shape) if shape.geom_type == "MultiLineString" else shape
    parts = (shapely.get_coordinates(part) for part in shapely.get_parts(merged))
    return [part for part in map(_distinct, parts) if len(part) > 1]


def _distinct(coords: Floats) -> Floats:
    return coords[np.r_[True, (np.diff(coords, axis=0) != 0).any(axis=1)]]


def _oriented(feature: Feature, kind: str, layers: Layers) -> Iterable[Edge]:
    for coords in _lines(feature.shape):
        left = feature.known.get("street_is_left")
        turned = bool(left) if left is not None else _street_is_left(coords, layers)
        yield Edge(coords[::-1] if turned else coords, kind, feature.accuracy_ft, feature.assumed, feature.label)


def _street_is_left(coords: Floats, layers: Layers) -> bool:
    """Say on which side of a line the street is: where the pavement or its center lies, else away from the walk."""
    left, right = _beside(coords)
    pavement, center, walk = (layers.get(name) for name in ("pavement", "centerline", "sidewalk"))
    if pavement is not None and pavement.features:
        paved = pavement.union()
        sides = [int(shapely.intersects(paved, points).sum()) for points in (left, right)]
        if sides[0] != sides[1]:
            return sides[0] > sides[1]
    for layer, toward in ((center, True), (walk, False)):
        if layer is not None and layer.features:
            shape = layer.union()
            near = [float(shapely.distance(shape, points).sum()) for points in (left, right)]
            if near[0] != near[1]:
                return (near[0] < near[1]) is toward
    raise GeometryError.of(
        "layers.curb_line",
        "a curb line alone",
        "pavement, a centerline or a sidewalk beside it: on which side is the street?",
    )


def _beside(coords: Floats) -> tuple[Floats, Floats]:
    """Return points a little to the left and to the right of the middle of each piece of a line."""
    middles, steps = (coords[:-1] + coords[1:]) / 2, np.diff(coords, axis=0)
    normals = np.stack([-steps[:, 1], steps[:, 0]], axis=1) / np.hypot(*steps.T)[:, None] * _ASIDE_FT
    left, right = shapely.points(middles + normals), shapely.points(middles - normals)
    return left, right


def _of_pavement(pavement: Layer, center: Layer | None) -> Iterable[Edge]:
    """Return the edges of pavements without curb lines: their rims, less the ends that the street goes on at."""
    merged = pavement.union()
    worst, assumed = pavement.worst_ft, pavement.any_assumed
    for part in shapely.get_parts(merged):
        if not isinstance(part, Polygon):
            continue
        rings = [part.exterior, *part.interiors]
        for k, ring in enumerate(rings):
            coords = shapely.get_coordinates(shapely.remove_repeated_points(ring))
            if ring.is_ccw is (k == 0):  # the pavement is then on the left
                coords = coords[::-1]
            for run in _without_ends(coords, center, part) if k == 0 else [coords]:
                yield Edge(run, PAVED, worst, assumed)


def _without_ends(ring: Floats, center: Layer | None, part: Polygon) -> list[Floats]:
    """Cut a rim at the street's ends: where its center crosses the rim, else its two short sides."""
    pieces = np.atleast_1d(np.asarray(shapely.linestrings(np.stack([ring[:-1], ring[1:]], axis=1)), dtype=object))
    if center is not None and center.features:
        ends = np.asarray(shapely.intersects(pieces, center.union()))
    else:
        box = shapely.get_coordinates(shapely.minimum_rotated_rectangle(part))
        sides = np.diff(box[:3], axis=0)
        long = sides[np.argmax(np.hypot(*sides.T))]
        long = long / np.hypot(*long)
        steps = np.diff(ring, axis=0)
        across = np.abs(steps @ np.array([-long[1], long[0]]))
        stations = ((ring[:-1] + ring[1:]) / 2) @ long
        reach = max(np.hypot(*sides.T).min(), 1e-9)
        outermost = (stations < stations.min() + reach / 2) | (stations > stations.max() - reach / 2)
        ends = (across > np.hypot(*steps.T) * 0.7) & outermost
    if not ends.any():
        return [ring]
    first = int(np.flatnonzero(ends)[0])
    turned = np.roll(np.arange(len(pieces)), -first)
    runs: list[list[int]] = [[]]
    for k in turned:
        if ends[k]:
            runs.append([])
        else:
            runs[-1].append(int(k))
    return [np.vstack([ring[run[0]], *(ring[k + 1] for k in run)]) for run in runs if run]
