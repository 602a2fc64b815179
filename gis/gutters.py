"""Whether something reaches into the gutter at a curb (§ 288-7 B(2))."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from shapely import LineString
from shapely.geometry.base import BaseGeometry

from gis.measure import Drawn, Judged, Measured, Verdict, held

SECTION = "§ 288-7 B(2)"

_LAW = "which do not interfere with the flow in the gutters"
_QUARTER = 64  # sides of a quarter circle about a bend of the curb


def gutter_row(
    footprint: BaseGeometry,
    curb_lines: Sequence[LineString] | None,
    pavement: BaseGeometry | None,
    axis: LineString | None,
    *,
    gutter_ft: float,
    unsure_ft: float,
) -> tuple[Judged, tuple[Drawn, ...]]:
    """Measure how far something reaches into the gutter.

    "which do not interfere with the flow in the gutters" (§ 288-7 B(2)). The gutter is read as a strip along the face
    of the curb on its street side: that of the pavement, else that of the axis.

    Parameters
    ----------
    footprint
        An area. Working CRS, US survey feet.
    curb_lines
        Face-of-curb lines; None where they are not known, empty where there is no curb.
    pavement, axis
        What tells the street side; None where it is not known.
    gutter_ft
        Width of the strip, feet: a setting of the reading.
    unsure_ft
        Uncertainty of the footprint against the curb at 95 %, feet.

    Returns
    -------
    row : Judged
        How far the footprint reaches across the strip; below 0 how far off it stays.
    drawn : tuple of Drawn
        The strip beside it.
    """
    if not curb_lines:
        note = "Where the curb stands is not known." if curb_lines is None else "There is no curb here."
        settles = "The face of the curb." if curb_lines is None else ""
        return Judged("gutter", Verdict.NOT_CHECKED, SECTION, unit="ft", limit=0.0, settles=settles, note=note), ()
    strips = [(line, _strip(line, pavement, axis, gutter_ft)) for line in curb_lines]
    known = [(line, strip) for line, strip in strips if strip is not None]
    if not known:
        note = "On which side of the curb the street lies is not known."
        settles = "The pavement or the centerline."
        return Judged("gutter", Verdict.NOT_CHECKED, SECTION, unit="ft", limit=0.0, settles=settles, note=note), ()
    reaches = [_reach(footprint, line, strip, gutter_ft) for line, strip in known]
    deepest = int(np.argmax(reaches))
    note = f"“{_LAW}”; the gutter is read as the {gutter_ft * 12:.0f} in at the face of the curb."
    settles = "Tape from the face of the curb to the nearest part of it."
    measured = Measured(reaches[deepest], unsure_ft)
    row = held("gutter", measured, 0.0, SECTION, at_most=True, settles=settles, note=note)
    return row, (Drawn("gutter", "gutter", known[deepest][1]),)


def _strip(
    line: LineString, pavement: BaseGeometry | None, axis: LineString | None, gutter_ft: float
) -> BaseGeometry | None:
    """The strip on the side of the curb where the street is."""
    sides = [line.buffer(side * gutter_ft, single_sided=True, quad_segs=_QUARTER) for side in (1, -1)]
    if pavement is not None:
        inside = [strip.intersection(pavement).area for strip in sides]
        if inside[0] != inside[1]:
            return sides[int(inside[1] > inside[0])]
    if axis is None or axis.distance(line) == 0:
        return None
    away = [strip.representative_point().distance(axis) for strip in sides]
    return sides[int(away[1] < away[0])]


def _reach(footprint: BaseGeometry, line: LineString, strip: BaseGeometry, gutter_ft: float) -> float:
    """How far across the strip it reaches, feet."""
    inside = shapely.intersection(footprint, strip)
    if inside.area == 0:
        return -float(footprint.distance(strip))
    away = shapely.distance(shapely.points(shapely.get_coordinates(inside)), line)
    return min(float(away.max() - inside.distance(line)), gutter_ft)
