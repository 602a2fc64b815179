"""What stands on public ways (§ 288-7 A, § 288-11, § 288-14): how much, how deep and how far along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import shapely
from shapely import LineString
from shapely.geometry.base import BaseGeometry

from gis.layers import Feature, Layer, Layers
from gis.measure import Checked, Drawn, Judged, Measured, Verdict, held, rss

SECTION = "§ 288-7 A"
VAULTS = ("vault", "cistern")
WAYS = ("right_of_way", "sidewalk", "alley", "public_ground", "dedicated_land")
"""Layers that § 288-7 A forbids to encroach upon."""
_AROUND_FT = 200.0
_DEEP_FT = 0.001
_TOUCH_FT = 1e-6
_BADNESS = (Verdict.COMPLIES, Verdict.UNDECIDED, Verdict.VIOLATES)
_CORNER_RAD = np.radians(45.0)
_TAPE_IT = "A survey of the right-of-way line, or a tape from a monument on it, decides it."


@dataclass(frozen=True, eq=False)
class Met:
    """How a footprint lies on one layer.

    Parameters
    ----------
    layer
        Its name.
    depth_ft
        Its greatest depth across the layer's rim; below 0 how far it stays off, feet.
    area_sqft, length_ft
        Of it on the layer, and how far along the rim, feet.
    accuracy_ft
        Of the layer there at 95 %, feet.
    assumed
        Whether the layer is assumed there.
    labels
        Whose it is.
    part
        The footprint's part on the layer.
    """

    layer: str
    depth_ft: float
    area_sqft: float
    length_ft: float
    accuracy_ft: float
    assumed: bool
    labels: tuple[str, ...]
    part: BaseGeometry


def met(footprint: BaseGeometry, layer: Layer, name: str) -> Met | None:
    """Measure how a footprint lies on a layer.

    Parameters
    ----------
    footprint
        A polygon, a line or a point, working CRS, US survey feet.
    layer
        The layer.
    name
        Its name.

    Returns
    -------
    Met or None
        None where the layer has nothing within 1,000 ft.
    """
    near = layer.near(footprint, _AROUND_FT)
    if not near.features:
        first = layer.nearest(footprint)
        return None if first is None or first.shape.distance(footprint) > 1000.0 else _off(footprint, first, name)
    box = shapely.box(*footprint.buffer(_AROUND_FT).bounds)
    whole = near.union()
    local = whole.intersection(box)
    part = footprint.intersection(local)
    if part.is_empty:
        nearest = near.nearest(footprint)
        assert nearest is not None
        return _off(footprint, nearest, name)
    touched = Layer(tuple(near.features[k] for k in near.within(footprint, 0.0)))
    labels = tuple(dict.fromkeys(feature.label for feature in touched.features if feature.label))
    return Met(
        name, _depth(part, local, whole), float(part.area), _along(part, whole), touched.worst_ft, touched.any_assumed,
        labels, part,
    )  # fmt: skip


def _off(footprint: BaseGeometry, nearest: Feature, name: str) -> Met:
    """Tell of a footprint that does not touch a layer how far it stays off."""
    away, labels = float(nearest.shape.distance(footprint)), (nearest.label,) if nearest.label else ()
    return Met(name, -away, 0.0, 0.0, nearest.accuracy_ft, nearest.assumed, labels, shapely.Polygon())


def _depth(part: BaseGeometry, local: BaseGeometry, whole: BaseGeometry) -> float:
    """Return how deep a part lies within an area: the largest inset of the area that still reaches it."""
    rim = whole.boundary
    low = float(shapely.distance(shapely.points(shapely.get_coordinates(part)), rim).max())
    high = low + float(shapely.hausdorff_distance(part, part.envelope)) + 1.0
    high = max(high, low + np.hypot(*(np.array(part.bounds[2:]) - part.bounds[:2])))
    if not local.buffer(-(low + 1e-4)).intersects(part):
        return low
    while high - low > _DEEP_FT:
        middle = (low + high) / 2
        if local.buffer(-middle, quad_segs=16).intersects(part):
            low = middle
        else:
            high = middle
    return low


def _along(part: BaseGeometry, whole: BaseGeometry) -> float:
    """Return how far a part reaches along the nearest rim of an area, feet."""
    sides = [side for polygon in shapely.get_parts(whole) for ring in _rings(polygon) for side in _sides(ring)]
    if not sides:
        return 0.0
    near = shapely.distance(np.array(sides, dtype=object), part)
    touched = [sides[k] for k in np.flatnonzero(near <= near.min() + _TOUCH_FT)]
    points = shapely.points(shapely.get_coordinates(part))
    return max(float(np.ptp(shapely.line_locate_point(side, points))) for side in touched)


def _sides(ring: BaseGeometry) -> list[LineString]:
    """Return the sides of a rim, parted where it turns a sharp corner."""
    points = shapely.get_coordinates(ring)[:-1]
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    turn = np.arctan2(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0], (before * after).sum(axis=1))
    corners = np.flatnonzero(np.abs(turn) > _CORNER_RAD)
    if not len(corners):
        return [LineString([*points, points[0]])]
    points = np.roll(points, -corners[0], axis=0)
    ends = [*(corners - corners[0]), len(points)]
    closed = np.vstack([points, points[:1]])
    return [LineString(closed[a : b + 1]) for a, b in pairwise(ends)]


def _rings(polygon: BaseGeometry) -> list[BaseGeometry]:
    return [polygon.exterior, *polygon.interiors] if isinstance(polygon, shapely.Polygon) else []


def encroachment(
    footprint: BaseGeometry, layers: Layers, *, accuracy_ft: float = 0.0, kind: str = "", covered: str = "",
    lawful: Checked | None = None,
) -> Checked:  # fmt: skip
    """Measure what a footprint takes of public ways (§ 288-7 A).

    "No person shall encroach upon or in any way obstruct or encumber any street, alley, sidewalk, public grounds or
    land dedicated to public use, or any part thereof". A right that covers it on the day, and a lawful mailbox or
    fixture, are no encroachment; "All vaults and cisterns under sidewalks shall be prohibited" (§ 288-11) in any case.

    Parameters
    ----------
    footprint
        Working CRS, US survey feet.
    layers
        The public ways, as far as they are known.
    accuracy_ft
        Of the footprint at 95 %, feet.
    kind
        What it is; ``"vault"`` and ``"cistern"`` are below ground.
    covered
        The permit or dated authorisation that covers it on the day, in words; ``""`` for none.
    lawful
        The check of a mailbox or fixture, where it is one.

    Returns
    -------
    Checked
        Depth, area and length on all public ways together; a vault's row; ditches (§ 288-14).
    """
    found = [one for name in WAYS if (layer := layers.get(name)) and (one := met(footprint, layer, name))]
    rows = list(_rows(footprint, found, layers, accuracy_ft, covered, lawful))
    if kind in VAULTS:
        rows.append(_vault(next((one for one in found if one.layer == "sidewalk"), None), accuracy_ft))
    ditch = layers.get("ditch")
    if ditch is not None:
        rows.append(_ditch(met(footprint, ditch, "ditch"), accuracy_ft))
    drawn = [Drawn("object", "footprint", footprint)]
    drawn += [
        Drawn("part", one.layer.replace("_", " "), one.part, one.assumed) for one in found if not one.part.is_empty
    ]
    for one in found[:1]:
        near = layers.by_name[one.layer].near(footprint, _AROUND_FT).union()
        drawn.append(Drawn("limit", one.layer.replace("_", " "), near.boundary, one.assumed))
    return Checked(tuple(rows), tuple(drawn), _notes(found))


def _notes(found: Sequence[Met]) -> tuple[str, ...]:
    return tuple(
        f"On {one.layer.replace('_', ' ')}{' of ' + ' and '.join(one.labels) if one.labels else ''}: "
        f"{one.area_sqft:.1f} sq ft, {one.depth_ft:.2f} ft deep, {one.length_ft:.1f} ft along."
        for one in found
        if not one.part.is_empty
    )


def _rows(
    footprint: BaseGeometry, found: Sequence[Met], layers: Layers, accuracy_ft: float, covered: str,
    lawful: Checked | None,
) -> list[Judged]:  # fmt: skip
    names = ("depth_ft", "area_sqft", "length_ft")
    units = ("ft", "sq ft", "ft")
    if not found:
        known = any(layers.get(name) for name in WAYS)
        note = "No public way is within 1,000 ft." if known else "No layer of public ways is known."
        verdict = Verdict.COMPLIES if known else Verdict.NOT_CHECKED
        return [
            Judged(n, verdict, SECTION, 0.0 if known else None, unit=u, note=note)
            for n, u in zip(names, units, strict=True)
        ]
    each = [Measured(one.depth_ft, rss(accuracy_ft, one.accuracy_ft)) for one in found]
    held_to = [held("depth_ft", depth, 0.0, SECTION, at_most=True, settles=_TAPE_IT) for depth in each]
    # what is surely on one way is not open because another, less well known, may be covered deeper
    decides = max(range(len(found)), key=lambda k: (_BADNESS.index(held_to[k].verdict), found[k].depth_ft))
    deepest, depth, row = found[decides], each[decides], held_to[decides]
    verdict, note = row.verdict, ""
    if row.verdict is not Verdict.COMPLIES and covered:
        verdict, note = Verdict.COMPLIES, f"Covered on the day by {covered} (§ 288-7 B)."
    elif row.verdict is not Verdict.COMPLIES and lawful is not None:
        verdict = lawful.verdict if lawful.verdict in set(Verdict) - {Verdict.NOT_CHECKED} else row.verdict
        note = "A lawful mailbox or fixture is no encroachment: its own check decides."
    part = shapely.union_all([one.part for one in found if not one.part.is_empty]) if deepest.depth_ft > 0 else None
    area = float(part.area) if part is not None else 0.0
    settles = row.settles if verdict is Verdict.UNDECIDED else ""
    values = (deepest.depth_ft, area, deepest.length_ft if deepest.depth_ft > 0 else 0.0)
    rows = [
        Judged(name, verdict, SECTION, value, limit=0.0, unit=unit, settles=settles, note=note)
        for name, unit, value in zip(names, units, values, strict=True)
    ]
    rows[0] = replace(rows[0], uncertainty=depth.uncertainty_ft, margin=row.margin)
    if footprint.area == 0:
        nothing = "A point or a line has no area."
        rows[1] = Judged(names[1], Verdict.NOT_CHECKED, SECTION, unit=units[1], note=nothing)
    return rows


def _vault(on_walk: Met | None, accuracy_ft: float) -> Judged:
    section = "§ 288-11"
    if on_walk is None:
        return Judged("under_walk_ft", Verdict.NOT_CHECKED, section, unit="ft", note="No sidewalk is known here.")
    depth = Measured(on_walk.depth_ft, rss(accuracy_ft, on_walk.accuracy_ft))
    note = "All vaults and cisterns under sidewalks are prohibited; no permit covers one."
    return held("under_walk_ft", depth, 0.0, section, at_most=True, settles="A survey of the walk's edge.", note=note)


def _ditch(found: Met | None, accuracy_ft: float) -> Judged:
    section = "§ 288-14"
    if found is None:
        return Judged("ditch_ft", Verdict.COMPLIES, section, 0.0, unit="ft", note="No public ditch is within 1,000 ft.")
    depth = Measured(found.depth_ft, rss(accuracy_ft, found.accuracy_ft))
    return held("ditch_ft", depth, 0.0, section, at_most=True, settles="Look whether the water passes freely.")
