"""Many objects against a layer at once: the verdicts that `gis.encroachment` gives of each, by arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import STRtree

from gis.edges import CURB, STANDARD, Edge
from gis.encroachment import met
from gis.errors import GeometryError
from gis.layers import Layer
from gis.linework import Floats, Ints
from gis.measure import Verdict
from gis.rules import RowLaw

_NOISE_FT = 1e-6
_NONE = -1
Shapes = NDArray[np.object_]
VERDICTS = (Verdict.COMPLIES, Verdict.VIOLATES, Verdict.UNDECIDED, Verdict.NOT_CHECKED)
"""What the codes of an answer stand for."""
COMPLIES, VIOLATES, UNDECIDED, NOT_CHECKED = range(4)


@dataclass(frozen=True, eq=False)
class Judgements:
    """The answers of many objects; all arrays have the shape (n,).

    Parameters
    ----------
    verdict
        Indices into `VERDICTS`.
    value_ft
        Depth on the layer at the object's corners, or how far behind the curb it is; below 0 off the layer, or over the
        street; feet.
    uncertainty_ft
        At 95 %, feet.
    feature
        Index of the layer's feature, or the edge, that it was measured from; -1 for none.
    """

    verdict: Ints
    value_ft: Floats
    uncertainty_ft: Floats
    feature: Ints


def depths(shapes: Shapes, layer: Layer, accuracy_ft: Floats) -> Judgements:
    """Judge how deep each of many objects lies on a layer that nothing may encroach upon (§ 288-7 A).

    The same verdicts as of `gis.encroachment.met`, one by one: an object that touches the layer is surely in where a
    corner lies deeper than its uncertainty; surely not where no point of it can; only what is between is measured in
    full.

    Parameters
    ----------
    shapes
        Polygons, lines or points, shape (n,), working CRS, US survey feet; valid and not empty.
    layer
        Polygons.
    accuracy_ft
        Of each object at 95 %, feet, shape (n,).

    Returns
    -------
    Judgements
        Of every object, in the order given.

    Raises
    ------
    GeometryError
        Arrays of different shapes.
    """
    if shapes.shape != accuracy_ft.shape:
        raise GeometryError.of("accuracy_ft", str(accuracy_ft.shape), f"one for each object, {shapes.shape}")
    count = len(shapes)
    value, unsure = np.full(count, -np.inf), accuracy_ft.astype(np.float64)
    feature = np.full(count, _NONE, dtype=np.int64)
    if not layer.features:
        return Judgements(np.zeros(count, dtype=np.int64), value, unsure, feature)
    touching = _touching(shapes, layer, feature, unsure, accuracy_ft)
    off = np.flatnonzero(~touching)
    _measure_off(shapes, off, layer, (value, unsure, feature), accuracy_ft)
    on = np.flatnonzero(touching)
    deepest = _corner_depths(shapes[on], layer)
    value[on] = deepest
    verdict = np.where(value + unsure <= _NOISE_FT, COMPLIES, UNDECIDED)
    verdict[on[deepest - unsure[on] > _NOISE_FT]] = VIOLATES
    # what reaches no deeper at any corner may do so between them, by less than half of its own length
    reach = np.hypot(*(shapely.bounds(shapes[on])[:, 2:] - shapely.bounds(shapes[on])[:, :2]).T) / 2
    open_ = (verdict[on] != VIOLATES) & (deepest + reach - unsure[on] > _NOISE_FT)
    for k in on[open_]:
        found = met(shapes[k], layer, "")
        assert found is not None
        value[k] = found.depth_ft
        deep, least = found.depth_ft - unsure[k] > _NOISE_FT, found.depth_ft + unsure[k] <= _NOISE_FT
        verdict[k] = VIOLATES if deep else COMPLIES if least else UNDECIDED
    return Judgements(verdict.astype(np.int64), value, unsure, feature)


def _touching(shapes: Shapes, layer: Layer, feature: Ints, unsure: Floats, accuracy_ft: Floats) -> NDArray[np.bool_]:
    """Find what touches the layer, and note the feature of poorest accuracy that each touches."""
    one, other = layer.tree.query(shapes, predicate="intersects")
    touching = np.zeros(len(shapes), dtype=bool)
    touching[one] = True
    order = np.argsort(layer.accuracy_ft[other], kind="stable")
    feature[one[order]] = other[order]  # the last written, the poorest, stays
    found = np.flatnonzero(touching)
    unsure[found] = np.hypot(accuracy_ft[found], layer.accuracy_ft[feature[found]])
    return touching


def _measure_off(
    shapes: Shapes, off: Ints, layer: Layer, into: tuple[Floats, Floats, Ints], accuracy_ft: Floats
) -> None:
    """Note of what does not touch the layer how far it stays off, and from what."""
    if not len(off):
        return
    value, unsure, feature = into
    (one, other), away = layer.tree.query_nearest(shapes[off], return_distance=True, all_matches=False)
    at = off[one]
    value[at], feature[at] = -away, other
    unsure[at] = np.hypot(accuracy_ft[at], layer.accuracy_ft[other])


def _corner_depths(shapes: Shapes, layer: Layer) -> Floats:
    """Return the depth of the deepest corner of each shape; below 0 where all corners are off the layer."""
    if not len(shapes):
        return np.zeros(0)
    points, owner = shapely.get_coordinates(shapes, return_index=True)
    whole = shapely.union_all(layer.shapes)
    shapely.prepare(whole)
    inside = shapely.contains_xy(whole, points[:, 0], points[:, 1])
    sides = _sides(whole)
    tree = STRtree(sides)
    kept = np.flatnonzero(inside)
    depth = np.zeros(len(points))
    if len(kept):
        (one, _), away = tree.query_nearest(shapely.points(points[kept]), return_distance=True, all_matches=False)
        depth[kept[one]] = away
    deepest = np.zeros(len(shapes))
    np.maximum.at(deepest, owner, depth)
    return deepest


def _sides(shape: shapely.Geometry) -> Shapes:
    """Return every straight side of an area's rims."""
    rings = shapely.get_rings(shapely.get_parts(shape))
    points, owner = shapely.get_coordinates(rings, return_index=True)
    same = owner[1:] == owner[:-1]
    pairs = np.stack([points[:-1], points[1:]], axis=1)[same]
    return np.asarray(shapely.linestrings(pairs), dtype=object)


def setbacks(x: Floats, y: Floats, edges: Sequence[Edge], accuracy_ft: Floats, law: RowLaw) -> Judgements:
    """Judge how far behind the curb each of many mailboxes' doors is (§ 288-10 D(7)).

    Parameters
    ----------
    x, y
        Doors, shape (n,), working CRS, US survey feet.
    edges
        The streets' edges.
    accuracy_ft
        Of each door at 95 %, feet, shape (n,).
    law
        The limits.

    Returns
    -------
    Judgements
        Of every door; not checked where no curb or paved edge is known.
    """
    known = [edge for edge in edges if edge.kind != STANDARD]
    if not known:
        count = len(x)
        nothing = np.full(count, np.nan)
        return Judgements(np.full(count, NOT_CHECKED), nothing, accuracy_ft, np.full(count, _NONE))
    starts = np.concatenate([edge.coords[:-1] for edge in known])
    steps = np.concatenate([np.diff(edge.coords, axis=0) for edge in known])
    owner = np.repeat(np.arange(len(known)), [len(edge.coords) - 1 for edge in known])
    tree = STRtree(np.asarray(shapely.linestrings(np.stack([starts, starts + steps], axis=1)), dtype=object))
    door, piece = tree.query_nearest(shapely.points(x, y), all_matches=True)
    away = np.stack([x, y], axis=1)[door] - starts[piece]
    along = np.clip((away * steps[piece]).sum(axis=1) / (steps[piece] ** 2).sum(axis=1), 0.0, 1.0)
    off = away - along[:, None] * steps[piece]
    distance = np.hypot(*off.T)
    square = (steps[piece, 0] * off[:, 1] - steps[piece, 1] * off[:, 0]) / np.hypot(*steps[piece].T)
    # at a corner two pieces are equally near: the one that sees the door most squarely tells the side
    order = np.lexsort((np.abs(square), door))
    last = order[np.r_[np.flatnonzero(np.diff(door[order])), len(order) - 1]]
    edge = owner[piece[last]]
    behind = np.where(square[last] >= 0, distance[last], -distance[last])
    accuracy = np.array([one.accuracy_ft for one in known])
    limits = np.array([law.mailbox_curb_in if one.kind == CURB else law.mailbox_paved_ft for one in known])
    unsure = np.hypot(accuracy_ft, accuracy[edge])
    short = limits[edge] - behind
    verdict = np.where(short + unsure <= _NOISE_FT, COMPLIES, np.where(short - unsure > _NOISE_FT, VIOLATES, UNDECIDED))
    return Judgements(verdict.astype(np.int64), behind, unsure, edge.astype(np.int64))
