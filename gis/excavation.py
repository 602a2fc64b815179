"""Openings in public places (§§ 288-5, 288-6, 130-10 B): what one opens, when it may, and what is replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.affinity import rotate
from shapely.geometry.base import BaseGeometry
from shapely.ops import substring

from gis.encroachment import Met, met
from gis.errors import GeometryError
from gis.layers import PLACES, Layers
from gis.measure import Checked, Drawn, Judged, Measured, Verdict, judge, rss
from gis.rules import RowLaw, RowReading

PERMIT, FROZEN, NEW_STREET, FENCE = "§ 288-5 A", "§ 288-6 A", "§ 288-6 I", "§ 130-10 B"
TRENCH = "§ 288-6 B(1)"
_PROPOSED = (
    "The replacement area is a proposal: the Director of Public Works approximates its boundaries on site, and may "
    "order up to one full lane width (§ 288-6 C(2), (4))."
)
_MONTHS = ("January", "February", "March", "April", "May", "June",
           "July", "August", "September", "October", "November", "December")  # fmt: skip


@dataclass(frozen=True)
class Season:
    """When no opening is permitted (§ 288-6 A): month and day of every year, both within.

    Parameters
    ----------
    first, last
        Month and day, as ``(11, 15)``.
    """

    first: tuple[int, int]
    last: tuple[int, int]

    def holds(self, day: date) -> bool:
        """Say whether a day is within.

        Parameters
        ----------
        day
            The day.

        Returns
        -------
        bool
            Both ends count as within.
        """
        at = (day.month, day.day)
        over_new_year = self.first > self.last
        return (at >= self.first or at <= self.last) if over_new_year else self.first <= at <= self.last

    @property
    def told(self) -> str:
        """The season in words."""
        return " and ".join(f"{_MONTHS[month - 1]} {day}" for month, day in (self.first, self.last))


@dataclass(frozen=True)
class NewStreet:
    """A street's last permanent improvement or repaving (§ 288-6 I).

    Parameters
    ----------
    improved_on, until
        Its day, and the last day on which no permit is issued; None where none is recorded.
    """

    improved_on: date | None
    until: date | None


def excavation(
    opening: Polygon, layers: Layers, *, day: date, season: Season, street: NewStreet | None, emergency: bool = False,
    earlier: Sequence[BaseGeometry] = (), axis: LineString | None = None, reading: RowReading, accuracy_ft: float = 0.0,
) -> Checked:  # fmt: skip
    """Say which public places an opening opens, whether it may be made that day, and what is replaced.

    "No person ... shall make or cause to be made any opening or excavation in any public street, public alley, public
    way, public ground, public sidewalk or Village-owned easement within the Village of Benton without a permit therefor
    from the Director of Public Works and/or Village Clerk-Treasurer." (§ 288-5 A)

    Parameters
    ----------
    opening
        Working CRS, US survey feet.
    layers
        The public places, as far as they are known; easements with their holder as label.
    day
        The day of the opening.
    season
        The frozen ground.
    street
        The improvement of the street it is in; None where nothing tells which street that is.
    emergency
        Whether it was determined to be an emergency excavation (§ 288-6 A and H).
    earlier
        Earlier openings near it.
    axis
        The curb line or direction of travel that the replacement area is parallel with.
    reading
        For the width of a lane.
    accuracy_ft
        Of the opening at 95 %, feet.

    Returns
    -------
    Checked
        Places, season, improvement, and the facts that the Inspector decides the hazard by.
    """
    found = [one for name in PLACES if (layer := layers.get(name)) and (one := met(opening, layer, name))]
    rows = [
        _places(found, layers, accuracy_ft),
        _frozen(day, season, emergency),
        _moratorium(day, street, emergency),
        *_hazard(found, accuracy_ft),
    ]
    drawn = [Drawn("object", "opening", opening)]
    drawn += [
        Drawn("part", one.layer.replace("_", " "), one.part, one.assumed) for one in found if not one.part.is_empty
    ]
    drawn += [Drawn("earlier", "earlier opening", shape) for shape in earlier]
    notes = [
        f"{len(earlier)} earlier opening{'' if len(earlier) == 1 else 's'} near: the permittee identifies and locates "
        "them on the application (§ 288-6 C(2))."
    ]
    if axis is not None:
        drawn += _replaced(opening, axis, reading)
        notes.append(_PROPOSED)
    return Checked(tuple(rows), tuple(drawn), tuple(notes))


def _replaced(opening: Polygon, axis: LineString, reading: RowReading) -> list[Drawn]:
    area, lane = replacement(opening, axis), grown(opening, axis, reading.lane_ft)
    proposed = Drawn("replacement", "replacement area, proposed", area)
    return [proposed, Drawn("lane", "one full lane, on order", lane)]


def _places(found: Sequence[Met], layers: Layers, accuracy_ft: float) -> Judged:
    if not any(layers.get(name) for name in PLACES):
        note = "No layer of public places is known."
        return Judged("area_sqft", Verdict.NOT_CHECKED, PERMIT, unit="sq ft", note=note)
    worst = {}
    for one in found:
        surely = judge(Measured(one.depth_ft, rss(accuracy_ft, one.accuracy_ft)), 0.0, at_most=True)
        worst[one.layer] = surely
    opened = [one for one in found if not one.part.is_empty]
    area = float(shapely.union_all([one.part for one in opened]).area) if opened else 0.0
    places = ", ".join(
        f"{one.layer.replace('_', ' ')}{' of ' + ' and '.join(one.labels) if one.labels else ''} "
        f"({one.area_sqft:.1f} sq ft)"
        for one in opened
    )
    if Verdict.VIOLATES in worst.values():
        note = f"A permit is needed: it opens {places}."
        settles = "A permit from the Director of Public Works and/or Village Clerk-Treasurer."
        return Judged("area_sqft", Verdict.OFFICER, PERMIT, area, unit="sq ft", settles=settles, note=note)
    if Verdict.UNDECIDED in worst.values():
        settles = "A survey of the right-of-way line, or a permit taken in any case."
        note = f"It may open {', '.join(n.replace('_', ' ') for n, v in worst.items() if v is Verdict.UNDECIDED)}."
        return Judged("area_sqft", Verdict.UNDECIDED, PERMIT, area, unit="sq ft", settles=settles, note=note)
    return Judged("area_sqft", Verdict.COMPLIES, PERMIT, 0.0, limit=0.0, unit="sq ft", note="It opens no public place.")


def _frozen(day: date, season: Season, emergency: bool) -> Judged:
    told = f"No openings are permitted between {season.told}, both days within."
    if not season.holds(day):
        return Judged("frozen_ground", Verdict.COMPLIES, FROZEN, value=str(day), note=told)
    if emergency:
        note = f"{told} It was determined to be an emergency excavation."
        return Judged("frozen_ground", Verdict.OFFICER, FROZEN, value=str(day), note=note)
    settles = "The Village Board or Director of Public Works determines that it is an emergency excavation."
    return Judged("frozen_ground", Verdict.VIOLATES, FROZEN, value=str(day), settles=settles, note=told)


def _moratorium(day: date, street: NewStreet | None, emergency: bool) -> Judged:
    if street is None or street.improved_on is None or street.until is None:
        note = "No day of a permanent improvement or repaving is recorded for the street."
        return Judged("new_street", Verdict.NOT_CHECKED, NEW_STREET, note=note)
    note = f"Improved or repaved on {street.improved_on}: no permit until {street.until}."
    if day > street.until:
        return Judged("new_street", Verdict.COMPLIES, NEW_STREET, value=str(day), limit=str(street.until), note=note)
    settles = "The Village Board or its designee finds that it is absolutely essential."
    verdict = Verdict.OFFICER if emergency else Verdict.VIOLATES
    if emergency:
        note += " It is an emergency: the text does not say which of § 288-6 H and I goes first."
    return Judged("new_street", verdict, NEW_STREET, str(day), limit=str(street.until), settles=settles, note=note)


def _hazard(found: Sequence[Met], accuracy_ft: float) -> list[Judged]:
    """Tell how near an opening is to sidewalk and right-of-way: the Inspector decides whether that is a hazard."""
    rows = []
    for quantity, name in (("walk_distance_ft", "sidewalk"), ("distance_ft", "right_of_way")):
        one = next((one for one in found if one.layer == name), None)
        if one is None:
            rows.append(Judged(quantity, Verdict.NOT_CHECKED, FENCE, unit="ft", note="None is known near it."))
            continue
        away = max(-one.depth_ft, 0.0)
        note = 'The Building Inspector decides whether it is in such close proximity "as to constitute a hazard".'
        rows.append(
            Judged(quantity, Verdict.OFFICER, FENCE, away, rss(accuracy_ft, one.accuracy_ft), unit="ft", note=note)
        )
    return rows


def replacement(opening: Polygon, axis: LineString) -> Polygon:
    """Return the replacement area of an opening: the rectangle about it, parallel with the direction of travel.

    "Pavement replacement areas with the long dimension in the direction of travel shall have the long dimension
    parallel with the curbline or the direction of travel." (§ 288-6 C(3))

    Parameters
    ----------
    opening
        Working CRS, US survey feet.
    axis
        The curb line or centerline.

    Returns
    -------
    Polygon
        A rectangle.
    """
    return _about(opening, axis, 0.0)


def grown(opening: Polygon, axis: LineString, lane_ft: float) -> Polygon:
    """Return the replacement area grown across to one full lane width (§ 288-6 C(4)).

    Parameters
    ----------
    opening
        Working CRS, US survey feet.
    axis
        The curb line or centerline.
    lane_ft
        Width of a lane, feet.

    Returns
    -------
    Polygon
        A rectangle at least a lane wide.
    """
    return _about(opening, axis, lane_ft)


def _about(opening: Polygon, axis: LineString, across_ft: float) -> Polygon:
    middle = opening.centroid
    at = axis.project(middle)
    ends = [axis.interpolate(min(max(at + by, 0.0), axis.length)) for by in (-5.0, 5.0)]
    turn = float(np.degrees(np.arctan2(ends[1].y - ends[0].y, ends[1].x - ends[0].x)))
    west, south, east, north = rotate(opening, -turn, origin=middle).bounds
    more = max(across_ft - (north - south), 0.0) / 2
    box = shapely.box(west, south - more, east, north + more)
    turned = rotate(box, turn, origin=middle)
    assert isinstance(turned, Polygon)
    return turned


def trench(
    line: LineString, excavated_ft: float, laid_ft: float, backfilled_ft: float, law: RowLaw, *, permission: str = "",
) -> Checked:  # fmt: skip
    """Hold the heads of a trench's work against § 288-6 B(1).

    "Except by special permission from the Director of Public Works, no trench shall be excavated more than 250 feet in
    advance of pipe or conduit laying nor left unfilled more than 500 feet from where pipe or conduit has been laid."

    Parameters
    ----------
    line
        The trench, in the direction of the work, working CRS, US survey feet.
    excavated_ft, laid_ft, backfilled_ft
        Stations of the heads of excavation, laying and backfill along it, feet.
    law
        The limits.
    permission
        The Director's special permission, in words; ``""`` for none.

    Returns
    -------
    Checked
        ``trench_ahead_ft`` and ``trench_open_ft``.

    Raises
    ------
    GeometryError
        Heads out of order, or past the trench's end.
    """
    heads = (("backfilled_ft", backfilled_ft), ("laid_ft", laid_ft), ("excavated_ft", excavated_ft))
    low, order = 0.0, "0 or more"
    for name, at in heads:
        if not low - 1e-9 <= at <= line.length + 0.5:
            raise GeometryError.of(name, at, f"{order}, and at most the trench's length, {line.length:.1f} ft")
        low, order = at, f"at least {name}, {at:g}"
    rows = []
    pairs = (("trench_ahead_ft", excavated_ft - laid_ft, law.trench_ahead_ft),
             ("trench_open_ft", laid_ft - backfilled_ft, law.trench_open_ft))  # fmt: skip
    for quantity, value, limit in pairs:
        verdict = judge(Measured(value, 0.0), limit, at_most=True)
        note = ""
        if verdict is Verdict.VIOLATES and permission:
            verdict, note = Verdict.COMPLIES, f"By special permission: {permission}."
        settles = "Special permission from the Director of Public Works." if verdict is Verdict.VIOLATES else ""
        rows.append(Judged(quantity, verdict, TRENCH, value, 0.0, limit, "ft", limit - value, settles, note))
    spans = (
        ("filled", 0.0, backfilled_ft),
        ("pipe laid, open", backfilled_ft, laid_ft),
        ("open ahead", laid_ft, excavated_ft),
    )
    drawn = [Drawn("object", "trench", line)]
    drawn += [Drawn("part", name, substring(line, a, b)) for name, a, b in spans if b > a]
    return Checked(tuple(rows), tuple(drawn))
