"""How much of a sidewalk's and a street's width something takes, and the lanes that it leaves.

§ 288-7 B(2), § 288-8 D(1) and § 288-6 B(3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from gis.crosscuts import Crosscuts, crosscuts, long_direction
from gis.errors import GeometryError
from gis.gutters import gutter_row
from gis.linework import Floats
from gis.measure import Checked, Drawn, Judged, Measured, Verdict, held, judge, rss

MATERIALS = "§ 288-7 B(2)"
PRIVILEGE = "§ 288-8 D(1)"

_NOISE_FT = 1e-6
_MATERIALS = "shall not obstruct more than 1/2 of the sidewalk or more than 1/3 of the traveled portion of the street"
_PRIVILEGE = "Such temporary obstruction shall cover not more than 1/3 of any street or alley"
_TAPE = "Tape at the worst section, square across: what is taken, and the whole width."


@dataclass(frozen=True, eq=False)
class _Section:
    """One cross section of a way: what is taken of its width, below 0 how far the footprint stays off it; feet."""

    taken_ft: float
    width_ft: float
    line: LineString

    def share(self, unsure_ft: float = 0.0) -> float:
        return (self.taken_ft + unsure_ft) / self.width_ft

    def measured(self, unsure_ft: float) -> Measured:
        """The share; off the way it is 0, and only what the uncertainty reaches counts."""
        beyond = max(unsure_ft + min(self.taken_ft, 0.0), 0.0)
        return Measured(max(self.share(), 0.0), beyond / self.width_ft)


def share(
    footprint: Polygon,
    *,
    pavement: BaseGeometry | None,
    sidewalk: BaseGeometry | None,
    right_of_way: BaseGeometry | None,
    curb_lines: Sequence[LineString] | None,
    axis: LineString | None,
    sidewalk_limit: float,
    way_limit: float,
    row_limit: float,
    position_accuracy_ft: float = 0.0,
    layer_accuracy_ft: Mapping[str, float] | None = None,
    gutter_ft: float = 1.5,
) -> Checked:
    """Check the share of a way's width that something takes at its worst cross section.

    Building materials "which shall not obstruct more than 1/2 of the sidewalk or more than 1/3 of the traveled portion
    of the street and which do not interfere with the flow in the gutters" (§ 288-7 B(2)). "Such temporary obstruction
    shall cover not more than 1/3 of any street or alley" (§ 288-8 D(1)), read both as the right-of-way and as the
    travelled way: undecided where the two differ. A share is of the width of the connected piece that a section square
    to the axis meets; each sidewalk counts by itself. The gutter is read as a strip at the face of the curb.

    Parameters
    ----------
    footprint
        What lies there, valid. Working CRS, US survey feet.
    pavement, sidewalk, right_of_way
        The ways, valid; None where one is not known. Where two streets join, the width is that of both.
    curb_lines
        Face-of-curb lines; None where they are not known, empty where there is no curb.
    axis
        The centerline or a curb line; else the curb line nearest to the footprint, else each way's long direction.
    sidewalk_limit, way_limit, row_limit
        The shares of the ordinance: 1/2, 1/3 and 1/3.
    position_accuracy_ft
        Accuracy of the footprint at 95 %, feet.
    layer_accuracy_ft
        Accuracy at 95 %, feet, of ``pavement``, ``sidewalk``, ``right_of_way`` and ``curb_line``; absent: 0.
    gutter_ft
        Width of the gutter from the face of the curb, feet: a setting of the reading.

    Returns
    -------
    Checked
        Rows `sidewalk_share`, `way_share`, `row_share` and `gutter`; the footprint, the worst sections and the gutter.

    Raises
    ------
    GeometryError
        The footprint has no area, or the axis no length.
    """
    _check(footprint)
    axis = min(curb_lines, key=footprint.distance) if axis is None and curb_lines else axis
    unsure = {layer: rss(position_accuracy_ft, (layer_accuracy_ft or {}).get(layer, 0.0)) for layer in _ACCURATE}
    ways = {"sidewalk": sidewalk, "pavement": pavement, "right_of_way": right_of_way}
    limits = {"sidewalk": sidewalk_limit, "pavement": way_limit, "right_of_way": row_limit}
    rows, drawn = _width_rows(footprint, ways, axis, limits, unsure)
    gutter = gutter_row(footprint, curb_lines, pavement, axis, gutter_ft=gutter_ft, unsure_ft=unsure["curb_line"])
    return Checked((*rows, gutter[0]), (Drawn("object", "footprint", footprint), *drawn, *gutter[1]))


def _check(footprint: BaseGeometry) -> None:
    if footprint.is_empty or footprint.area == 0:
        found = "an empty shape" if footprint.is_empty else f"a {footprint.geom_type} without an area"
        raise GeometryError.of("footprint", found, "an area")


# --- shares ----------------------------------------------------------------------------------------------------

_WAYS = {"sidewalk": "sidewalk", "pavement": "travelled way", "right_of_way": "right-of-way"}
_QUANTITIES = {"sidewalk": "sidewalk_share", "pavement": "way_share", "right_of_way": "row_share"}
_ACCURATE = (*_WAYS, "curb_line")


def _width_rows(
    footprint: Polygon,
    ways: Mapping[str, BaseGeometry | None],
    axis: LineString | None,
    limits: Mapping[str, float],
    unsure: Mapping[str, float],
) -> tuple[tuple[Judged, ...], tuple[Drawn, ...]]:
    def row(layer: str, limit: float) -> tuple[Judged, tuple[Drawn, ...]]:
        return _share_row(_QUANTITIES[layer], layer, footprint, ways[layer], axis, limit, unsure[layer])

    (walk, walk_drawn), (way, way_drawn), (whole, whole_drawn) = (row(layer, limits[layer]) for layer in _WAYS)
    alike = limits["pavement"] == limits["right_of_way"]
    travelled = way if alike else row("pavement", limits["right_of_way"])[0]
    return (walk, way, _both_readings(whole, travelled)), (*walk_drawn, *way_drawn, *whole_drawn)


def _share_row(
    quantity: str,
    layer: str,
    footprint: Polygon,
    way: BaseGeometry | None,
    axis: LineString | None,
    limit: float,
    unsure_ft: float,
) -> tuple[Judged, tuple[Drawn, ...]]:
    law = f"“{_PRIVILEGE}.”" if quantity == "row_share" else f"“{_MATERIALS}”"
    section = PRIVILEGE if quantity == "row_share" else MATERIALS
    told = _WAYS[layer]
    if way is None:
        settles = f"The edges of the {told} here."
        return Judged(quantity, Verdict.NOT_CHECKED, section, limit=limit, unit="share", settles=settles), ()
    near = [piece for piece in _pieces(layer, way) if piece.distance(footprint) <= unsure_ft]
    if not near:
        off = f"It takes nothing of the {told}. {law}"
        return held(quantity, Measured(0.0, 0.0), limit, section, at_most=True, unit="share", note=off), ()
    sections = [found for piece in near for found in _sections(footprint, piece, axis)]
    if not sections:
        note = f"It lies at the very end of the {told}, where no section goes across from edge to edge. {law}"
        open_ = Judged(quantity, Verdict.UNDECIDED, section, limit=limit, unit="share", settles=_TAPE, note=note)
        return open_, ()
    worst = _worst(sections, limit, unsure_ft)
    measured = worst.measured(unsure_ft)
    covers = sum(piece.intersection(footprint).area for piece in near)
    note = (
        f"At the worst section {max(worst.taken_ft, 0.0):.2f} of {worst.width_ft:.2f} ft are taken; "
        f"{covers:.1f} sq ft of the {told}, {covers / sum(piece.area for piece in near):.1%} of its area here. {law}"
    )
    row = held(quantity, measured, limit, section, at_most=True, unit="share", settles=_TAPE, note=note)
    label = f"{measured.value_ft:.0%} of {worst.width_ft:.2f} ft: {told}"
    return row, (Drawn("section", label, worst.line),)


def _pieces(layer: str, way: BaseGeometry) -> list[Polygon]:
    """The connected pieces of a way; each sidewalk by itself, though it touches another."""
    joined = way if layer == "sidewalk" else shapely.union_all(shapely.get_parts(way))
    return [part for part in shapely.get_parts(joined) if isinstance(part, Polygon) and not part.is_empty]


def _sections(footprint: Polygon, way: Polygon, axis: LineString | None) -> Iterator[_Section]:
    cuts = crosscuts(axis or long_direction(way), footprint, [way, *_common(footprint, way)])
    widths = cuts.between_edges(way, cuts.spans(way))
    for k, (across, taken) in enumerate(zip(widths, cuts.own(cuts.spans(footprint)), strict=True)):
        if len(taken):
            for near, far in across:
                yield _Section(_taken(taken, near, far), far - near, cuts.line(k, near, far))


def _common(one: BaseGeometry, other: BaseGeometry) -> list[BaseGeometry]:
    common = shapely.intersection(one, other)
    return [] if common.is_empty else [common]


def _taken(spans: Floats, near: float, far: float) -> float:
    """How much of a width is taken; below 0 how far off it the nearest of the spans is."""
    inside = np.minimum(spans[:, 1], far) - np.maximum(spans[:, 0], near)
    return float(inside[inside > 0].sum()) if (inside > 0).any() else float(inside.max())


def _worst(sections: list[_Section], limit: float, unsure_ft: float) -> _Section:
    """The section that decides: one that surely takes too much, else the one that may take most."""
    surely = max(sections, key=lambda found: found.share(-unsure_ft))
    if judge(surely.measured(unsure_ft), limit, at_most=True) is Verdict.VIOLATES:
        return surely
    return max(sections, key=lambda found: found.share(unsure_ft))


def _both_readings(row: Judged, of_way: Judged) -> Judged:
    """Hold "any street or alley" to both of its readings."""
    if row.verdict is Verdict.NOT_CHECKED:
        return row
    whole, travelled = _told(row), _told(of_way)
    if of_way.verdict is Verdict.NOT_CHECKED:
        if row.value == 0 and not row.uncertainty:
            return row
        settles = "The edges of the travelled way here."
        note = f"“Street” read as the right-of-way: {whole}; as the travelled way it is not known. {row.note}"
        return replace(row, verdict=Verdict.UNDECIDED, settles=settles, note=note)
    if row.verdict is of_way.verdict:
        return row
    note = f"“Street” read as the right-of-way: {whole}; read as the travelled way: {travelled}. {row.note}"
    settles = "The Village's reading of “street”." if Verdict.UNDECIDED not in {row.verdict, of_way.verdict} else _TAPE
    return replace(row, verdict=Verdict.UNDECIDED, settles=settles, note=note)


def _told(row: Judged) -> str:
    return f"{row.value:.1%}, {row.verdict}" if isinstance(row.value, float) else str(row.verdict)


# --- lanes -----------------------------------------------------------------------------------------------------

LANES = "§ 288-6 B(3)"

_LANES = "Unless otherwise approved, a minimum of one lane of traffic in each direction shall be provided."
_FLAGMAN = (
    "In the event traffic is limited to less than one lane in each direction, a flagman or temporary traffic control "
    "signal shall be provided so as to safely cycle traffic in each direction past the work area."
)
_POINTS = ("east", "northeast", "north", "northwest", "west", "southwest", "south", "southeast")


@dataclass(frozen=True, eq=False)
class _Free:
    """What is free of a width at one section: its widest gap, and what is taken, below 0 how far off that is; feet."""

    gap: tuple[float, float]
    taken_ft: float

    @property
    def free_ft(self) -> float:
        return self.gap[1] - self.gap[0]


@dataclass(frozen=True, eq=False)
class _Direction:
    """One half of a pavement at its worst section.

    `off_ft` is how far the footprint stays off it; None where something takes part of it.
    """

    side: str
    free_ft: float
    off_ft: float | None
    line: LineString


@dataclass(frozen=True, eq=False)
class _Across:
    """A section of a pavement: what is free of its left half, its right half and the whole."""

    foot: Floats
    across: Floats
    left: _Free
    right: _Free
    whole: _Free
    by_footprint: bool

    def direction(self, half: _Free, left: bool, taken: bool) -> _Direction:
        outward = self.across if left else -self.across
        side = _POINTS[round(np.arctan2(outward[1], outward[0]) / (np.pi / 4)) % 8]
        line = LineString([self.foot + self.across * half.gap[0], self.foot + self.across * half.gap[1]])
        return _Direction(side, half.free_ft, None if taken else max(-half.taken_ft, 0.0), line)


def lanes_left(
    footprint: Polygon,
    *,
    pavement: BaseGeometry | None,
    centerline: LineString | None,
    others: Sequence[BaseGeometry] = (),
    lane_ft: float = 10.0,
    position_accuracy_ft: float = 0.0,
    pavement_accuracy_ft: float = 0.0,
) -> Checked:
    """Check whether a lane is left in each direction past something on the pavement.

    "Unless otherwise approved, a minimum of one lane of traffic in each direction shall be provided" (§ 288-6 B(3)).
    Read as: on each side of the centerline, at the section where it is least, the widest free width of the pavement
    takes a lane. The ordinance gives a lane no width. A half from which nothing is taken keeps what it had, though
    that be less. An approval otherwise is the Village's, and no matter of measuring.

    Parameters
    ----------
    footprint
        The work area, valid. Working CRS, US survey feet.
    pavement
        The travelled way of the street, valid; None where it is not known.
    centerline
        Without one, or where it is not on the pavement, the halves are those about the pavement's middle.
    others
        What else takes part of the pavement at the same time: it counts beside the footprint.
    lane_ft
        Width of a lane, feet: a setting of the reading.
    position_accuracy_ft
        Accuracy of the footprint at 95 %, feet.
    pavement_accuracy_ft
        Accuracy of the pavement's edges and of its centerline at 95 %, feet.

    Returns
    -------
    Checked
        Rows `lane_ft`, the worse direction, and `lane_other_ft`; the footprint and the free widths.

    Raises
    ------
    GeometryError
        The footprint is empty or is no area, or the centerline has no length.
    """
    _check(footprint)
    quantities = ("lane_ft", "lane_other_ft")
    drawn = (Drawn("object", "footprint", footprint), *(Drawn("other", "also taken", shape) for shape in others))
    if pavement is None:
        settles = "The edges of the pavement here."
        missing = Judged("", Verdict.NOT_CHECKED, LANES, limit=lane_ft, unit="ft", settles=settles)
        return Checked(tuple(replace(missing, quantity=quantity) for quantity in quantities), drawn)
    unsure = rss(position_accuracy_ft, pavement_accuracy_ft)
    near = [piece for piece in _pieces("pavement", pavement) if piece.distance(footprint) <= unsure]
    found = [one for piece in near for one in _all_across(footprint, piece, centerline, others)]
    if not found:
        return Checked(tuple(_no_section(quantity, lane_ft, beyond=not near) for quantity in quantities), drawn)
    told = _lane_rows(found, lane_ft, unsure)
    rows = tuple(replace(row, quantity=quantity) for quantity, (_, row) in zip(quantities, told, strict=True))
    gaps = tuple(Drawn("gap", f"{half.free_ft:.2f} ft free, {half.side} half", half.line) for half, _ in told)
    return Checked(rows, (*drawn, *gaps))


def _lane_rows(found: list[_Across], lane_ft: float, unsure_ft: float) -> list[tuple[_Direction, Judged]]:
    """Each direction with its row, the worse first."""
    led = _led_across(min(one.whole.free_ft for one in found), lane_ft)
    told = [(half, _lane_row(half, lane_ft, unsure_ft, led)) for half in _directions(found)]
    order = [Verdict.VIOLATES, Verdict.UNDECIDED, Verdict.COMPLIES]
    return sorted(told, key=lambda pair: (order.index(pair[1].verdict), pair[0].free_ft))


def _no_section(quantity: str, lane_ft: float, *, beyond: bool) -> Judged:
    if beyond:
        note = f"It takes nothing of the pavement. “{_LANES}”"
        return Judged(quantity, Verdict.COMPLIES, LANES, limit=lane_ft, unit="ft", note=note)
    note = f"It lies at the very end of the pavement, where no section goes across from edge to edge. “{_LANES}”"
    return Judged(quantity, Verdict.UNDECIDED, LANES, limit=lane_ft, unit="ft", settles=_TAPE, note=note)


def _directions(found: list[_Across]) -> list[_Direction]:
    """The two halves, each at the section where least of it is free, of those where something is taken from it."""
    taken = any(one.by_footprint for one in found)
    halves = []
    for left in (True, False):
        sections = [(one, one.left if left else one.right) for one in found]
        narrowed = [(one, half) for one, half in sections if taken and half.taken_ft > 0]
        one, half = min(narrowed or sections, key=lambda pair: pair[1].free_ft)
        off_ft = min(max(-each.taken_ft, 0.0) for _, each in sections)
        told = one.direction(half, left, taken=bool(narrowed))
        halves.append(told if narrowed else replace(told, off_ft=off_ft))
    return halves


def _led_across(free_ft: float, lane_ft: float) -> str:
    fit = "would still fit" if free_ft >= 2 * lane_ft - _NOISE_FT else "would not fit"
    told = f"Two lanes of {lane_ft:g} ft {fit} side by side if traffic were led across the centerline"
    return f"{told}: {free_ft:.2f} ft are free together."


def _lane_row(half: _Direction, lane_ft: float, unsure_ft: float, led: str) -> Judged:
    reading = f"A lane is read as {lane_ft:g} ft wide."
    unsure = unsure_ft if half.off_ft is None else max(unsure_ft - half.off_ft, 0.0)
    note = f"{half.free_ft:.2f} ft are free on the {half.side} half at its worst section. {reading} “{_LANES}”"
    settles = f"Tape the free width of the {half.side} half at the worst section, square across."
    row = held("", Measured(half.free_ft, unsure), lane_ft, LANES, at_most=False, settles=settles, note=note)
    if row.verdict is Verdict.COMPLIES:
        return row
    if half.off_ft is not None and not unsure:
        note = f"Nothing is taken of the {half.side} half, which is {half.free_ft:.2f} ft wide itself. {reading}"
        return replace(row, verdict=Verdict.COMPLIES, settles="", note=note)
    if half.off_ft is not None:
        row = replace(row, verdict=Verdict.UNDECIDED, settles=settles)
    return replace(row, note=f"{note} “{_FLAGMAN}” {led}")


def _all_across(
    footprint: Polygon, way: Polygon, centerline: LineString | None, others: Sequence[BaseGeometry]
) -> list[_Across]:
    """The sections past a footprint, with those between two of them where a gap becomes the widest."""
    both = shapely.union_all([footprint, *others])
    cuts = crosscuts(centerline or long_direction(way), footprint, [way, both, *_common(both, way)])
    widths = cuts.between_edges(way, cuts.spans(way))
    own, all_taken = cuts.own(cuts.spans(footprint)), cuts.own(cuts.spans(both))
    found = []
    for k in range(len(cuts)):
        spans = (widths[k], own[k], all_taken[k])
        if not (len(spans[0]) and len(spans[1])):
            continue
        found.append(_across(cuts, k, spans, centered=centerline is not None))
        if k + 1 < len(cuts) and cuts.stretch[k] == cuts.stretch[k + 1]:
            after = (widths[k + 1], own[k + 1], all_taken[k + 1])
            if all(one.shape == other.shape for one, other in zip(spans, after, strict=True)):
                for part in _turning_points(spans, after):
                    mixed = tuple(one + part * (other - one) for one, other in zip(spans, after, strict=True))
                    found.append(_across(cuts, k, mixed, centered=centerline is not None, part=part))
    return found


def _turning_points(spans: tuple[Floats, ...], after: tuple[Floats, ...]) -> Floats:
    """Where between two sections a gap vanishes or two gaps are equally wide, as shares of the way between them."""

    def gaps(at: tuple[Floats, ...]) -> Floats:
        found: list[Floats] = [np.zeros(1)]
        for near, far in at[0]:
            edges = np.concatenate([[near], at[2].ravel(), [far]])
            for middle in (0.0, (near + far) / 2):
                found += [np.diff(edges), edges - middle, middle - edges]
        return np.concatenate(found)

    before, then = gaps(spans), gaps(after)
    first = np.subtract.outer(before, before)[np.triu_indices(len(before), 1)]
    last = np.subtract.outer(then, then)[np.triu_indices(len(then), 1)]
    crossing = first * last < 0
    return np.unique(np.round(first[crossing] / (first[crossing] - last[crossing]), 12))


def _across(cuts: Crosscuts, k: int, spans: tuple[Floats, ...], *, centered: bool, part: float = 0.0) -> _Across:
    widths, own, taken = spans
    near, far = max(widths, key=lambda width: (_taken(own, *width), width[0] <= 0 <= width[1]))
    middle = 0.0 if centered and near < 0 < far else (near + far) / 2
    foot, across = cuts.between(k, part) if part else (cuts.feet[k], cuts.across[k])
    left, right, whole = (_free(a, b, taken, own) for a, b in ((middle, far), (near, middle), (near, far)))
    return _Across(foot, across, left, right, whole, by_footprint=_taken(own, near, far) > 0)


def _free(near: float, far: float, taken: Floats, own: Floats) -> _Free:
    inside = np.clip(taken[(taken[:, 1] > near) & (taken[:, 0] < far)], near, far)
    edges = np.concatenate([[near], inside.ravel(), [far]]).reshape(-1, 2)
    widest = edges[int(np.argmax(edges[:, 1] - edges[:, 0]))]
    amount = _taken(taken, near, far) if len(inside) else _taken(own, near, far)
    return _Free((float(widest[0]), float(widest[1])), amount)
