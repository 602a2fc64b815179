"""Terraces (§ 288-10 A): the strip between a curb and its sidewalk, and the lawn in it; derived, never surveyed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from gis.edges import Edge
from gis.layers import Layer, Layers
from gis.linework import Floats
from gis.rules import RowLaw, RowReading

_NEAR_FT = 1e-6  # to either side of a station where what is behind the curb may change
_FAN_RAD = np.radians(10.0)


@dataclass(frozen=True, eq=False)
class Terrace:
    """The terrace along one piece of curb.

    Parameters
    ----------
    edge
        The curb, or the edge that stands for one.
    strip
        From the back of the curb to the walk, where objects are banned; working CRS, US survey feet. Empty where there
        is no room.
    lawn
        The strip less the walk, where paving and weeds are ruled.
    accuracy_ft
        Of its bounds at 95 %, feet: the poorer of the curb's and the walks'.
    assumed
        Whether one of them is assumed.
    """

    edge: Edge
    strip: BaseGeometry
    lawn: BaseGeometry
    accuracy_ft: float
    assumed: bool


def terraces(layers: Layers, edges: Sequence[Edge], law: RowLaw, reading: RowReading) -> tuple[Terrace, ...]:
    """Derive the terraces behind curbs (§ 288-10 A).

    "The land between the normal location of the street curbing and sidewalk. Where there is no sidewalk, the area four
    feet from the curbline shall be deemed to be a boulevard for the purpose of this section. Where there are only
    sidewalks, the area four feet from the curb shall be deemed boulevard under this section." Read as: "boulevard" is
    terrace; the strip begins at the back of the curb; without a walk, and where the walk is directly at the curb, it
    ends four feet from the curb line. Streets cross: no strip runs over a pavement.

    Parameters
    ----------
    layers
        With ``sidewalk`` and ``pavement``, as far as they are known.
    edges
        The curbs.
    law
        For the depth of a terrace without a walk.
    reading
        For the back of the curb, and how far a walk may be.

    Returns
    -------
    tuple of Terrace
        One for each edge, in their order.
    """
    walks, pavement = layers.get("sidewalk") or Layer(()), layers.get("pavement") or Layer(())
    return tuple(_terrace(edge, walks, pavement, law, reading) for edge in edges)


def _terrace(edge: Edge, walks: Layer, pavement: Layer, law: RowLaw, reading: RowReading) -> Terrace:
    line = edge.line
    beside = walks.near(line, reading.terrace_reach_ft + 1.0)
    paved = pavement.near(line, reading.terrace_reach_ft + 1.0).union()
    covered = beside.union()
    strip = _strip(edge, covered, law.terrace_ft, reading).difference(paved)
    lawn = strip.difference(covered)
    worst = max(edge.accuracy_ft, beside.worst_ft)
    return Terrace(edge, strip, lawn, worst, edge.assumed or beside.any_assumed)


def _strip(edge: Edge, walks: BaseGeometry, deep_ft: float, reading: RowReading) -> BaseGeometry:
    corners = shapely.get_coordinates(walks)
    pieces: list[Polygon] = []
    coords = edge.coords
    steps = np.diff(coords, axis=0)
    along = steps / np.hypot(*steps.T)[:, None]
    away = np.stack([-along[:, 1], along[:, 0]], axis=1)
    for k, (start, end) in enumerate(pairwise(coords)):
        pieces += _beside(start, end, away[k], corners, walks, deep_ft, reading)
        if k:
            pieces += _around(start, away[k - 1], away[k], corners, walks, deep_ft, reading)
    if edge.closed:
        pieces += _around(coords[0], away[-1], away[0], corners, walks, deep_ft, reading)
    return shapely.union_all([piece for piece in pieces if piece.area > 0])


def _beside(
    start: Floats, end: Floats, away: Floats, corners: Floats, walks: BaseGeometry, deep_ft: float, reading: RowReading
) -> list[Polygon]:
    """Return the strip behind one straight piece: between stations where a walk turns or ends it is a quadrilateral."""
    length = float(np.hypot(*(end - start)))
    step = (end - start) / length
    aside = (corners - start) @ away
    found = ((corners - start) @ step)[(aside > -0.01) & (aside < reading.terrace_reach_ft)]
    inside = found[(found > _NEAR_FT) & (found < length - _NEAR_FT)]
    stations = np.unique(np.round(np.concatenate([[0.0, length], inside]), 9))
    low, high = stations[:-1], stations[1:]
    kept = high - low > 4 * _NEAR_FT
    low, high = low[kept], high[kept]
    roots = start + np.concatenate([low + _NEAR_FT, high - _NEAR_FT])[:, None] * step
    far = _bounds(roots, np.broadcast_to(away, roots.shape), walks, deep_ft, reading)
    near, ends = reading.curb_back_ft, far.reshape(2, -1)
    slope = np.diff(ends, axis=0)[0] / (high - low - 2 * _NEAR_FT)
    ends = ends + np.outer([-_NEAR_FT, _NEAR_FT], slope)  # back to the stations themselves
    return [
        Polygon(
            [
                start + a * step + near * away,
                start + b * step + near * away,
                start + b * step + d_b * away,
                start + a * step + d_a * away,
            ]
        )
        for a, b, d_a, d_b in zip(low, high, ends[0], ends[1], strict=True)
        if min(d_a, d_b) > near
    ]


def _around(
    corner: Floats,
    before: Floats,
    after: Floats,
    corners: Floats,
    walks: BaseGeometry,
    deep_ft: float,
    reading: RowReading,
) -> list[Polygon]:
    """Return the strip behind a corner that the curb turns outward at: a fan of triangles less their tips."""
    turn = float(np.arctan2(before[0] * after[1] - before[1] * after[0], before @ after))
    if turn > -1e-9:
        return []  # straight, or inward, where the strips of both pieces overlap
    angles = np.linspace(0.0, turn, int(np.ceil(-turn / _FAN_RAD)) + 1)
    if len(corners):
        toward = corners - corner
        within = np.arctan2(
            before[0] * toward[:, 1] - before[1] * toward[:, 0], toward @ before
        )  # angle of each corner of a walk from the first normal
        reach = np.hypot(*toward.T) <= reading.terrace_reach_ft
        angles = np.unique(np.concatenate([angles, within[reach & (within < 0) & (within > turn)]]))[::-1]
    rays = np.stack(
        [
            before[0] * np.cos(angles) - before[1] * np.sin(angles),
            before[0] * np.sin(angles) + before[1] * np.cos(angles),
        ],
        axis=1,
    )
    far = _bounds(np.broadcast_to(corner, rays.shape), rays, walks, deep_ft, reading)
    near = reading.curb_back_ft
    return [
        Polygon(
            [
                corner + near * rays[k],
                corner + far[k] * rays[k],
                corner + far[k + 1] * rays[k + 1],
                corner + near * rays[k + 1],
            ]
        )
        for k in range(len(rays) - 1)
        if min(far[k], far[k + 1]) > near
    ]


def _bounds(roots: Floats, rays: Floats, walks: BaseGeometry, deep_ft: float, reading: RowReading) -> Floats:
    """Return how far from the face of the curb the strip ends along each ray, feet."""
    near, reach = reading.curb_back_ft, reading.terrace_reach_ft
    first = shapely.points(roots + near * rays)
    lines = shapely.linestrings(np.stack([roots + near * rays, roots + reach * rays], axis=1))
    away = near + shapely.distance(first, shapely.intersection(lines, walks))
    bounded = np.isfinite(away) & (away > near + reading.walk_at_curb_ft + _NEAR_FT)
    return np.where(bounded, away, deep_ft)
