"""Checks of terraces, set-backs, petitions and moving routes; those with modules of their own are beside this one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import shapely
from shapely import LineString
from shapely.geometry.base import BaseGeometry

from gis.edges import STANDARD
from gis.encroachment import met
from gis.errors import GeometryError
from gis.layers import Feature, Layer, Layers
from gis.measure import Checked, Drawn, Judged, Measured, Verdict, held, judge, rss
from gis.rules import RowLaw
from gis.terrace import Terrace

TERRACE, DISPLAY, SNOW, PETITION, ROUTE, OVERNIGHT = (
    "§ 288-10 B", "§ 288-15 G(3)", "§ 288-9 C", "§ 288-18 A(1)", "§ 130-12", "§ 288-8 D(5)",
)  # fmt: skip

OBJECTS = ("basketball_backstop", "statuary", "structure", "flag_pole", "boulder", "fence", "other_object")
PAVING = ("paving",)
ALLOWED = ("mailbox", "landscaping_rock", "planting")
_ALLOWED_WORDS = {
    "mailbox": "Mailboxes are excluded from the ban; the mailbox check judges where one may stand.",
    "landscaping_rock": 'Landscaping rock is allowed, though the text also wants the terrace "maintained as a lawn".',
    "planting": "Growth is not prevented.",
}
KINDS = (*OBJECTS, *PAVING, *ALLOWED)
"""Kinds of what is placed on a terrace: objects are banned, paving needs approval, the others may be there."""


def terrace(
    object_: BaseGeometry, kind: str, terraces: Sequence[Terrace], *, accuracy_ft: float = 0.0, approved: str = "",
) -> Checked:  # fmt: skip
    """Judge an object, or paving, on the terrace (§ 288-10 B).

    "All that part of the terrace not covered by a sidewalk ... shall not be paved, surfaced or covered with any
    material, other than landscaping rock or material, which shall prevent the growth of plants and shall be maintained
    as a lawn, except in areas specifically approved by the Village Board or its designee. Basketball backstops,
    statuary, structures, flag poles and other objects, excluding mailboxes, shall not be placed in the terrace area."
    Read as: approval cures paving, never an object.

    Parameters
    ----------
    object_
        A point, a line or a polygon; working CRS, US survey feet.
    kind
        One of `KINDS`.
    terraces
        Those near it; several where a side without a curb is read in two ways.
    accuracy_ft
        Of the object at 95 %, feet.
    approved
        The approval of the paved area, in words; ``""`` for none.

    Returns
    -------
    Checked
        Depth, area, and of paving the share of the terrace.

    Raises
    ------
    GeometryError
        There is no such kind.
    """
    if kind not in KINDS:
        raise GeometryError.of("kind", kind, f"one of {', '.join(KINDS)}")
    if not terraces:
        note = "No curb or edge of pavement is known near it, so no terrace."
        return Checked((Judged("depth_ft", Verdict.NOT_CHECKED, TERRACE, unit="ft", note=note),))
    readings = [[t for t in terraces if t.edge.kind != STANDARD], [t for t in terraces if t.edge.kind == STANDARD]]
    if readings[1]:
        curbs = [t for t in readings[0] if t.edge.kind == "curb"]
        readings[1] += curbs
    found = [_on_terraces(object_, kind, part, accuracy_ft, approved) for part in readings if part]
    rows = found[0]
    if len(found) > 1:
        rows = [_of_both(a, b) for a, b in zip(*found, strict=True)]
    drawn = [Drawn("object", kind.replace("_", " "), object_)]
    drawn += [Drawn("terrace", "terrace", t.strip, t.assumed) for t in terraces if not t.strip.is_empty]
    return Checked(tuple(rows), tuple(drawn))


def _of_both(one: Judged, other: Judged) -> Judged:
    """Return a row that holds under two readings of where the curbing is; where they differ it is undecided."""
    if one.verdict is other.verdict:
        return one
    note = (
        'No curb: "the normal location of the street curbing" is read as the edge of pavement, and as where the '
        f"standard section would put a curb; the one {one.verdict}, the other {other.verdict}."
    )
    return replace(
        one, verdict=Verdict.UNDECIDED, settles="The Village says where the curbing is normally located.", note=note
    )


def _on_terraces(
    object_: BaseGeometry, kind: str, terraces: Sequence[Terrace], accuracy_ft: float, approved: str
) -> list[Judged]:
    paved = kind in PAVING
    shapes = [(t.lawn if paved else t.strip, t) for t in terraces]
    layer = Layer(tuple(Feature(s, t.accuracy_ft, t.assumed, t.edge.label) for s, t in shapes if not s.is_empty))
    one = met(object_, layer, "terrace") if layer.features else None
    depth = Measured(one.depth_ft, rss(accuracy_ft, one.accuracy_ft)) if one else Measured(-1000.0, accuracy_ft)
    settles = "Tape it from the face of the curb and from the walk."
    row = held("depth_ft", depth, 0.0, TERRACE, at_most=True, settles=settles)
    verdict, note = row.verdict, ""
    if kind in ALLOWED:
        verdict = Verdict.COMPLIES
        note = _ALLOWED_WORDS[kind]
    elif paved and approved and verdict is not Verdict.COMPLIES:
        verdict, note = Verdict.COMPLIES, f"Approved: {approved}."
    elif approved and verdict is not Verdict.COMPLIES:
        note = "An approval cures paving and lawn only, never an object."
    settles = row.settles if verdict is Verdict.UNDECIDED else ""
    area = one.area_sqft if one else 0.0
    margin = row.margin if kind not in ALLOWED else None
    rows = [
        replace(row, verdict=verdict, settles=settles, note=note, margin=margin),
        Judged("area_sqft", verdict, TERRACE, area, limit=0.0, unit="sq ft", settles=settles)
        if object_.area
        else Judged("area_sqft", Verdict.NOT_CHECKED, TERRACE, unit="sq ft", note="A point or a line has no area."),
    ]
    if paved:
        whole = max((s.area for s, _ in shapes if s.intersects(object_)), default=0.0)
        share = area / whole if whole else 0.0
        rows.append(Judged("terrace_share", verdict, TERRACE, share, limit=0.0, unit="share", settles=settles,
                           note="Of the terrace between two streets that it lies on."))  # fmt: skip
    return rows


def set_back(
    building: BaseGeometry, layers: Layers, law: RowLaw, *, accuracy_ft: float = 0.0, street: str = ""
) -> Checked:
    """Judge a building's distance from the street line: its number's display, and snow put onto the street.

    The display duty applies to "any building ... situated more than 50 feet from the street line" (§ 288-15 G(3)). Snow
    may go onto the street only from "parcels or lots located where existing buildings are constructed within five feet
    of the street right-of-way and the sidewalks exist from the Village right-of-way to the curbline" (§ 288-9 C). In
    both rows "violates" means over the limit: the duty applies, the exception does not.

    Parameters
    ----------
    building
        The footprint, working CRS, US survey feet.
    layers
        ``right_of_way``; ``sidewalk`` and ``curb_line`` for the walk that spans.
    law
        The limits: 50 ft and 5 ft.
    accuracy_ft
        Of the footprint at 95 %, feet.
    street
        The street whose line counts; ``""`` for the nearest.

    Returns
    -------
    Checked
        Two rows ``distance_ft``, and whether a walk spans from the right-of-way to the curb.
    """
    lines = layers.get("right_of_way")
    own = Layer(tuple(f for f in lines.features if street in ("", f.label))) if lines else None
    near = own.nearest(building) if own is not None else None
    if near is None:
        note = "No right-of-way line is known."
        rows = [Judged("distance_ft", Verdict.NOT_CHECKED, s, unit="ft", note=note) for s in (DISPLAY, SNOW)]
        return Checked(tuple(rows))
    across = shapely.shortest_line(building, near.shape)
    away = float(building.distance(near.shape))
    distance = Measured(away, rss(accuracy_ft, near.accuracy_ft))
    settles = "A survey of the street line, or a tape from it to the building's nearest part."
    what = f"From the {'assumed ' if near.assumed else ''}street line{' of ' + near.label if near.label else ''}."
    told = f"{what} Over the limit the number is displayed at the street line too."
    rows = [held("distance_ft", distance, law.display_distance_ft, DISPLAY, at_most=True, settles=settles, note=told)]
    told = f"{what} Over the limit no snow may go onto the street."
    rows.append(held("distance_ft", distance, law.snow_building_ft, SNOW, at_most=True, settles=settles, note=told))
    gap, drawn = _walk_gap(across, layers)
    if gap is not None:
        rows.append(gap)
    line = Drawn("measured", f"{away:.1f} ft", across, near.assumed)
    rim = Drawn("limit", "street line", near.shape.boundary, near.assumed)
    return Checked(tuple(rows), (Drawn("object", "building", building), rim, line, *drawn))


def _walk_gap(across: LineString, layers: Layers) -> tuple[Judged | None, list[Drawn]]:
    """Tell how much of the way from the street line to the curb no walk covers."""
    walks, curbs = layers.get("sidewalk"), layers.get("curb_line")
    if walks is None or curbs is None or not curbs.features:
        return Judged("walk_gap_ft", Verdict.NOT_CHECKED, SNOW, unit="ft", note="No walk or curb line is known."), []
    foot = shapely.Point(across.coords[-1])
    curb = curbs.nearest(foot)
    assert curb is not None
    span = shapely.shortest_line(foot, curb.shape)
    near = walks.near(span, 1.0)
    open_ft = float(span.difference(near.union()).length)
    note = 'Whether "the sidewalks exist from the Village right-of-way to the curbline": what no walk covers.'
    row = held("walk_gap_ft", Measured(open_ft, rss(curb.accuracy_ft, near.worst_ft)), 0.0, SNOW, at_most=True,
               settles="Look whether the walk reaches from the street line to the curb.", note=note)  # fmt: skip
    return row, [Drawn("span", "right-of-way to curb", span, curb.assumed or near.any_assumed)]


@dataclass(frozen=True)
class Signer:
    """A lot on an unbroken stretch without curb.

    Parameters
    ----------
    frontage_ft
        Of it, feet.
    signed
        Whether its owners join in the request.
    """

    frontage_ft: float
    signed: bool


def petition(stretch_ft: float, lots: Sequence[Signer], law: RowLaw) -> Checked:
    """Judge a petition for new curb and gutter (§ 288-18 A(1)).

    "... provided that the abutting owners of more than 50% of that unbroken length of land for which no curb and gutter
    exists shall join in the request." More than: exactly half is not enough.

    Parameters
    ----------
    stretch_ft
        The unbroken length without curb and gutter, feet.
    lots
        The lots along it.
    law
        The share.

    Returns
    -------
    Checked
        ``petition_share`` and the length that joined.

    Raises
    ------
    GeometryError
        Frontages that are longer than the stretch.
    """
    if not stretch_ft > 0:
        raise GeometryError.of("stretch_ft", stretch_ft, "a length above 0")
    whole, signed = sum(lot.frontage_ft for lot in lots), sum(lot.frontage_ft for lot in lots if lot.signed)
    if whole > stretch_ft * (1 + 1e-9):
        raise GeometryError.of("lots", f"{whole:g} ft of frontage", f"at most the stretch's {stretch_ft:g} ft")
    share = signed / stretch_ft
    enough = share > law.petition_percent + 1e-12
    note = f"{signed:g} of {stretch_ft:g} ft joined; 50% of the cost is paid by the benefiting landowners."
    rows = (
        Judged("petition_share", Verdict.COMPLIES if enough else Verdict.VIOLATES, PETITION, share, 0.0,
               law.petition_percent, "share", share - law.petition_percent, note=note),
        Judged("length_ft", Verdict.NOT_CHECKED, PETITION, signed, unit="ft", note="Frontage that joined."),
    )  # fmt: skip
    return Checked(rows)


@dataclass(frozen=True, eq=False)
class Stop:
    """An overnight stop of a building that is moved.

    Parameters
    ----------
    place
        Where the building stands: a point or its outline, working CRS, US survey feet.
    accuracy_ft
        At 95 %, feet.
    """

    place: BaseGeometry
    accuracy_ft: float = 0.0


def route(
    segments: Sequence[tuple[str, LineString]], *, noded_ft: float, works: Sequence[tuple[str, BaseGeometry]] = (),
    stops: Sequence[Stop] = (), layers: Layers | None = None, hydrant_ft: float = 15.0,
) -> Checked:  # fmt: skip
    """Judge a route that a building is moved along (§ 130-12, § 288-8 D(5), (6)).

    Parameters
    ----------
    segments
        Street and line of each, in their order; working CRS, US survey feet.
    noded_ft
        Ends this near meet.
    works
        Openings and obstructions active then: what each is, and its shape.
    stops
        Overnight stops.
    layers
        For crossings and hydrants.
    hydrant_ft
        A building nearer to a hydrant than this is reported: the law names no distance.

    Returns
    -------
    Checked
        Whether the segments join end to end, the turns, what is on the way, and each stop.

    Raises
    ------
    GeometryError
        No segment.
    """
    if not segments:
        raise GeometryError.of("segments", "none", "one or more street segments in the order they are driven")
    lines, gap, at = _joined([line for _, line in segments])
    joined = held("gap_ft", Measured(gap, 0.0), noded_ft, ROUTE, at_most=True,
                  note=f"The widest gap is before segment {at + 1}." if gap > noded_ft else "")  # fmt: skip
    turns = [_turn(a, b) for a, b in pairwise(lines)]
    whole = shapely.union_all(lines)
    named = [name for name, shape in works if shape.distance(whole) <= 33.0]
    length = sum(line.length for line in lines)
    rows = [
        joined,
        Judged("length_ft", Verdict.NOT_CHECKED, ROUTE, float(length), unit="ft",
               note=f"{sum(abs(t) > 30 for t in turns)} turns: {_told(segments, turns)}"),
        Judged("works", Verdict.OFFICER if named else Verdict.COMPLIES, ROUTE, float(len(named)),
               note="; ".join(named[:10]) or "No active opening or obstruction is recorded on the route."),
    ]  # fmt: skip
    for k, stop in enumerate(stops, start=1):
        rows += _overnight(k, stop, layers, hydrant_ft)
    drawn = [
        Drawn("route", f"{k}. {name}", line) for k, ((name, _), line) in enumerate(zip(segments, lines, strict=True), 1)
    ]
    drawn += [Drawn("earlier", name, shape) for name, shape in works if name in named]
    drawn += [Drawn("object", f"stop {k}", stop.place) for k, stop in enumerate(stops, start=1)]
    return Checked(tuple(rows), tuple(drawn))


def _joined(lines: Sequence[LineString]) -> tuple[list[LineString], float, int]:
    """Turn each line so that it goes on from the one before; returns the widest gap and the segment after it."""
    made = [lines[0]]
    if len(lines) > 1:
        ends = [shapely.Point(lines[0].coords[k]).distance(lines[1].boundary) for k in (0, -1)]
        made = [lines[0].reverse() if ends[0] < ends[1] else lines[0]]
    widest, at = 0.0, 0
    for k, line in enumerate(lines[1:], start=1):
        end = shapely.Point(made[-1].coords[-1])
        gaps = [end.distance(shapely.Point(line.coords[e])) for e in (0, -1)]
        made.append(line.reverse() if gaps[1] < gaps[0] else line)
        if min(gaps) > widest:
            widest, at = min(gaps), k
    return made, widest, at


def _turn(before: LineString, after: LineString) -> float:
    """Return the turn between two lines, degrees, left positive."""
    a = np.subtract(before.coords[-1], before.coords[-2])
    b = np.subtract(after.coords[1], after.coords[0])
    return float(np.degrees(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b)))


def _told(segments: Sequence[tuple[str, LineString]], turns: Sequence[float]) -> str:
    words = [segments[0][0]]
    for (name, _), turn in zip(segments[1:], turns, strict=True):
        way = "left onto" if turn > 30 else "right onto" if turn < -30 else "on along"
        words.append(f"{way} {name}")
    return ", ".join(words) + "."


def _overnight(k: int, stop: Stop, layers: Layers | None, hydrant_ft: float) -> list[Judged]:
    """Judge a stop: not on a crossing or intersection, nor so near a hydrant as to prevent easy access to it."""
    rows = []
    crossings = layers.get("crossing") if layers else None
    one = met(stop.place, crossings, "crossing") if crossings else None
    if crossings is None:
        note = f"Stop {k}: no crossings are known."
        rows.append(Judged("crossing_ft", Verdict.NOT_CHECKED, OVERNIGHT, unit="ft", note=note))
    else:
        depth = Measured(one.depth_ft if one else -1000.0, rss(stop.accuracy_ft, one.accuracy_ft if one else 0.0))
        rows.append(held("crossing_ft", depth, 0.0, OVERNIGHT, at_most=True, settles="Look where it stands.",
                         note=f"Stop {k}: how far into a street crossing or intersection."))  # fmt: skip
    hydrants = layers.get("hydrant") if layers else None
    near = hydrants.nearest(stop.place) if hydrants else None
    if near is None:
        note = f"Stop {k}: no hydrants are known."
        return [*rows, Judged("hydrant_ft", Verdict.NOT_CHECKED, OVERNIGHT, unit="ft", note=note)]
    away = Measured(float(near.shape.distance(stop.place)), rss(stop.accuracy_ft, near.accuracy_ft))
    close = judge(away, hydrant_ft, at_most=False) is not Verdict.COMPLIES
    note = f'Stop {k}: an officer judges whether it prevents "easy access to any fire hydrant".'
    return [*rows, Judged("hydrant_ft", Verdict.OFFICER if close else Verdict.COMPLIES, OVERNIGHT, away.value_ft,
                          away.uncertainty_ft, unit="ft", note=note)]  # fmt: skip
