"""Many objects against a layer at once: the verdicts that `gis.encroachment` gives of each, by arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import STRtree
from shapely.geometry.base import BaseGeometry

from gis.edges import CURB, STANDARD, Edge
from gis.encroachment import met
from gis.errors import GeometryError
from gis.layers import Layer
from gis.linework import Floats, Ints
from gis.measure import Verdict
from gis.rules import RowLaw

_NOISE_FT = 1e-6
_NONE = -1
_BAND_FT = 0.01  # to both sides of an inset, whose rounded corners are chords
_MOST_INSETS, _WIDE_FT = 32, 0.5
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
        How deep it lies on the layer at least, or how far behind the curb it is; below 0 off the layer, or over the
        street; feet.
    uncertainty_ft
        At 95 %, feet.
    feature
        Index of the layer's feature, or the edge, that it was measured from; -1 for none, or any of equal accuracy.
    """

    verdict: Ints
    value_ft: Floats
    uncertainty_ft: Floats
    feature: Ints


def depths(shapes: Shapes, layer: Layer, accuracy_ft: Floats) -> Judgements:
    """Judge how deep each of many objects lies on a layer that nothing may encroach upon (§ 288-7 A).

    The same verdicts as of `gis.encroachment.met`, one by one. Whether an object is nearer to the layer's rim than it
    is unsure decides most: of what is not, all is in, or all is off. The others are held against insets of the layer,
    and only what lies just at one is measured in full.

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
        Of every object, in the order given; a depth on the layer, and how far off it complies, is "at least".

    Raises
    ------
    GeometryError
        Arrays of different shapes.
    """
    if shapes.shape != accuracy_ft.shape:
        raise GeometryError.of("accuracy_ft", str(accuracy_ft.shape), f"one for each object, {shapes.shape}")
    count = len(shapes)
    if not layer.features or not count:
        nowhere = np.full(count, _NONE, dtype=np.int64)
        return Judgements(np.zeros(count, dtype=np.int64), np.full(count, -np.inf), accuracy_ft, nowhere)
    rim = _Rim.of(layer)
    crossing = rim.within(shapes, np.zeros(count))
    on = crossing | rim.holds(_firsts(shapes))
    feature, unsure = _measured_from(shapes, on, layer, accuracy_ft)
    near = crossing | rim.within(shapes, unsure)  # of the others all is farther from the rim than it is unsure
    value = np.where(on, np.where(near, 0.0, unsure), -unsure)
    verdict = np.where(near, UNDECIDED, np.where(on, VIOLATES, COMPLIES))
    off = np.flatnonzero(near & ~on)
    value[off] = -rim.distances(shapes[off])
    verdict[off[value[off] + unsure[off] <= _NOISE_FT]] = COMPLIES
    deep, open_ = rim.deeper(shapes, np.flatnonzero(near & on), unsure)
    verdict[deep], value[deep] = VIOLATES, unsure[deep]
    verdict[near & on & (unsure <= _NOISE_FT) & (verdict != VIOLATES)] = COMPLIES
    for k in open_:
        found = met(shapes[k], layer, "")
        assert found is not None
        value[k] = found.depth_ft
        least = found.depth_ft + unsure[k] <= _NOISE_FT
        verdict[k] = VIOLATES if found.depth_ft - unsure[k] > _NOISE_FT else COMPLIES if least else UNDECIDED
    return Judgements(verdict.astype(np.int64), value, unsure, feature)


def _firsts(shapes: Shapes) -> Floats:
    """Return the first vertex of each shape."""
    points, owner = shapely.get_coordinates(shapes, return_index=True)
    return np.asarray(points[np.searchsorted(owner, np.arange(len(shapes)))])


def _measured_from(shapes: Shapes, on: NDArray[np.bool_], layer: Layer, accuracy_ft: Floats) -> tuple[Ints, Floats]:
    """Return the feature that each is measured from, of those it touches the poorest, and the joint uncertainty."""
    if len(layer.features) == 1:
        feature = np.zeros(len(shapes), dtype=np.int64)
    elif np.ptp(layer.accuracy_ft) == 0:  # which feature it is makes no difference
        feature = np.full(len(shapes), _NONE, dtype=np.int64)
        return feature, np.hypot(accuracy_ft, layer.accuracy_ft[0])
    else:
        feature = np.zeros(len(shapes), dtype=np.int64)
        one, other = layer.tree.query(shapes, predicate="intersects")
        order = np.argsort(layer.accuracy_ft[other], kind="stable")
        feature[one[order]] = other[order]  # the last written, the poorest, stays
        off = np.flatnonzero(~on)
        (near, nearest), _ = layer.tree.query_nearest(shapes[off], return_distance=True, all_matches=False)
        feature[off[near]] = nearest
    return feature, np.hypot(accuracy_ft, layer.accuracy_ft[feature])


@dataclass(frozen=True, eq=False)
class _Rim:
    """All of a layer together, and the index of the straight sides of its rim."""

    whole: BaseGeometry
    tree: STRtree

    @classmethod
    def of(cls, layer: Layer) -> _Rim:
        whole = shapely.union_all(layer.shapes)
        shapely.prepare(whole)
        points, owner = shapely.get_coordinates(shapely.get_rings(shapely.get_parts(whole)), return_index=True)
        same = owner[1:] == owner[:-1]
        pairs = np.stack([points[:-1], points[1:]], axis=1)[same]
        sides = np.asarray(shapely.linestrings(pairs), dtype=object)
        return cls(whole, STRtree(sides))

    def within(self, shapes: Shapes, reach_ft: Floats) -> NDArray[np.bool_]:
        """Say of each shape whether the rim is within a distance of it."""
        found = np.zeros(len(shapes), dtype=bool)
        if not reach_ft.any():
            found[self.tree.query(shapes, predicate="intersects")[0]] = True
            return found
        found[self.tree.query(shapes, predicate="dwithin", distance=reach_ft)[0]] = True
        return found

    def distances(self, shapes: Shapes) -> Floats:
        """Return how far each shape is from the rim."""
        if not len(shapes):
            return np.zeros(0)
        _, away = self.tree.query_nearest(shapes, return_distance=True, all_matches=False)
        return np.asarray(away)

    def holds(self, points: Floats) -> NDArray[np.bool_]:
        """Say of each point whether it is on the layer."""
        return np.asarray(shapely.contains_xy(self.whole, points[:, 0], points[:, 1]))

    def deeper(self, shapes: Shapes, which: Ints, than_ft: Floats) -> tuple[Ints, Ints]:
        """Return which of some shapes surely reach deeper than a distance from the rim, and which are to be measured.

        An inset of the layer is what is deeper than its distance, but for its rounded corners: so one a little farther
        in and one a little farther out are asked, and what lies between is measured.
        """
        by = than_ft[which]
        step = _WIDE_FT if len(np.unique(np.round(by, 3))) > _MOST_INSETS else 0.0
        outer = np.floor(by / step) * step if step else np.round(by, 3)
        inner = np.ceil(by / step) * step if step else outer
        reaches = self._reaching(shapes[which], np.maximum(outer - _BAND_FT, 0.0))
        surely = np.zeros(len(which), dtype=bool)
        surely[reaches] = self._reaching(shapes[which[reaches]], inner[reaches] + _BAND_FT)
        left = which[reaches & ~surely]
        flat = np.array([shapes[k].area > 0 and shapes[k].intersection(self.whole).area == 0 for k in left], dtype=bool)
        return which[surely], left[~flat] if len(left) else left

    def _reaching(self, shapes: Shapes, inset_ft: Floats) -> NDArray[np.bool_]:
        """Say of each shape whether it reaches an inset of the layer."""
        found = np.zeros(len(shapes), dtype=bool)
        for by in np.unique(inset_ft):
            mine = inset_ft == by
            inset = self.whole.buffer(-by, quad_segs=32) if by else self.whole
            shapely.prepare(inset)
            found[mine] = shapely.intersects(inset, shapes[mine])
        return found


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
