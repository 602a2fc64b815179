"""Conflicts of works in space and time: what meets, adjoins, was dug before, and leaves no lane together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from shapely import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from gis.measure import Checked, Verdict, rss
from gis.shares import LANES, lanes_left

FLOW, PATCHES, NEW_STREET = "§ 288-6 B(4)", "§ 288-6 C(2)", "§ 288-6 I"
KINDS = ("overlap", "adjoining", "recent", "moratorium", "lanes", "patch")
PATCH_FT = 50.0
"""Earlier openings this near are read as within "a short distance": the ordinance names none."""
_HALF_FT = 200.0  # no pavement is wider to one side
_RANK = {Verdict.COMPLIES: 0, Verdict.NOT_CHECKED: 0, Verdict.UNDECIDED: 1, Verdict.VIOLATES: 2}
_BEARINGS = {
    name: 45.0 * k
    for k, name in enumerate(
        ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"),
    )
}
_ALONG = {"increasing": 1, "decreasing": -1}
DIRECTIONS = ("", "both", *_BEARINGS, *_ALONG)
"""Directions of traffic that a work may take a lane from; blank means both."""


@dataclass(frozen=True, eq=False)
class Work:
    """A work in the street.

    Parameters
    ----------
    key
        Its own among the works.
    shape
        Working CRS, US survey feet.
    first, last
        Its first and last day, both within; None where it has begun before all record, and where it goes on.
    direction
        One of `DIRECTIONS`.
    restored
        The day from which it is past, or None.
    label
        In words.
    accuracy_ft
        Of the shape at 95 %, feet.
    opening
        Whether it is dug: only openings leave patches and are barred from a new street.
    """

    key: str
    shape: BaseGeometry
    first: date | None
    last: date | None
    direction: str = ""
    restored: date | None = None
    label: str = ""
    accuracy_ft: float = 0.0
    opening: bool = True

    @property
    def days(self) -> tuple[date, date]:
        """The first and last day on which it is there; the last before the first where it is on none."""
        last = self.last or date.max
        if self.restored is not None:
            last = min(last, self.restored - timedelta(days=1))
        return self.first or date.min, last


@dataclass(frozen=True)
class Improved:
    """A permanent improvement or repaving of a street (§ 288-6 I).

    Parameters
    ----------
    street
        Its name.
    on, until
        Its day, and the last day on which no permit is issued.
    """

    street: str
    on: date
    until: date


@dataclass(frozen=True, eq=False)
class Here:
    """The street about a work, as far as it is known.

    Parameters
    ----------
    junctions
        Those that the work's street segment adjoins, each with its streets in words.
    improved
        The last improvement of the block, or None.
    pavement
        The travelled way, valid; None where it is not known.
    axis
        The centerline, drawn towards increasing numbers; None where it is not known.
    pavement_accuracy_ft
        Of both at 95 %, feet.
    """

    junctions: Sequence[tuple[str, Point]] = ()
    improved: Improved | None = None
    pavement: BaseGeometry | None = None
    axis: LineString | None = None
    pavement_accuracy_ft: float = 0.0


@dataclass(frozen=True)
class Conflict:
    """A conflict of a work.

    Parameters
    ----------
    kind
        One of `KINDS`.
    key, label
        Of the other work; ``""`` of a street.
    section
        Of the law.
    verdict
        What may be claimed; `OFFICER` where the ordinance forbids nothing and a person weighs it.
    since, until
        The days of it, both within; None where that end is open.
    distance_ft
        Between the two, feet; 0 where they meet.
    note
        What was found, in words.
    """

    kind: str
    key: str
    label: str
    section: str
    verdict: Verdict
    since: date | None
    until: date | None
    distance_ft: float
    note: str


def common_days(one: Work, other: Work) -> tuple[date | None, date | None] | None:
    """Return the days that two works have in common.

    Parameters
    ----------
    one, other
        The works; both ends of each count, an open end goes on.

    Returns
    -------
    tuple of (date or None) or None
        First and last, None for an open end; None where they have no day in common.
    """
    since = max(one.days[0], other.days[0])
    until = min(one.days[1], other.days[1])
    if since > until:
        return None
    return (None if since == date.min else since), (None if until == date.max else until)


def conflicts(
    work: Work, others: Sequence[Work], here: Here, *, reach_ft: float, expired_days: int, lane_ft: float = 10.0,
) -> list[Conflict]:  # fmt: skip
    """Find the conflicts of a work with others and with its street (§ 288-6 B, C and I).

    "The permittee shall perform the work in such a manner so as not to disrupt the flow of traffic in the area"
    (§ 288-6 B(4)). The ordinance forbids no two works at one place or junction: an officer weighs them. "Unless
    otherwise approved, a minimum of one lane of traffic in each direction shall be provided" (§ 288-6 B(3)) is read of
    all that is there on one day.

    Parameters
    ----------
    work
        The work.
    others
        Other works near by.
    here
        The street about it.
    reach_ft
        A work this near to a junction is at it, feet: the ordinance names no distance.
    expired_days
        For how long a work that ended, and is not restored, is recent.
    lane_ft
        Width of a lane, feet: a setting of the reading.

    Returns
    -------
    list of Conflict
        By kind, then as the others are given.
    """
    found = list(_of_street(work, here))
    for other in others:
        if other.key == work.key:
            continue
        found += [*_meeting(work, other, here, reach_ft), *_earlier(work, other, expired_days)]
        found += _no_lane(work, other, here, lane_ft)
    return sorted(found, key=lambda one: KINDS.index(one.kind))


# --- where they meet -------------------------------------------------------------------------------------------


def _meets(one: Work, other: Work) -> Verdict:
    """Say whether two works meet: complies where they surely do not, officer where they surely do."""
    unsure = rss(one.accuracy_ft, other.accuracy_ft)
    if one.shape.distance(other.shape) > unsure:
        return Verdict.COMPLIES
    pairs = ((one.shape, other.shape), (other.shape, one.shape))
    surely = any(not (less := a.buffer(-unsure) if unsure else a).is_empty and less.intersects(b) for a, b in pairs)
    return Verdict.OFFICER if surely else Verdict.UNDECIDED


def _meeting(work: Work, other: Work, here: Here, reach_ft: float) -> Iterator[Conflict]:
    days, met = common_days(work, other), _meets(work, other)
    if days is None:
        return
    away = float(work.shape.distance(other.shape))
    if met is not Verdict.COMPLIES:
        told = "They meet" if met is Verdict.OFFICER else "Within their accuracies they may meet"
        note = f"{told}, and are there on the same days. The ordinance does not forbid it."
        yield Conflict("overlap", other.key, other.label, FLOW, met, *days, away, note)
        return
    for name, place in here.junctions:
        off, unsure = float(other.shape.distance(place)), other.accuracy_ft
        if off <= reach_ft + unsure:
            verdict = Verdict.OFFICER if off <= reach_ft - unsure else Verdict.UNDECIDED
            note = f"It is at {name}, {off:.0f} ft from the crossing, which this work's street segment adjoins."
            yield Conflict("adjoining", other.key, other.label, FLOW, verdict, *days, away, note)
            return


# --- what was there before -------------------------------------------------------------------------------------


def _earlier(work: Work, other: Work, expired_days: int) -> Iterator[Conflict]:
    first, away = work.first, float(work.shape.distance(other.shape))
    if first is None:
        return
    met = _meets(work, other)
    open_still = other.restored is None or other.restored > first
    ended = other.last is not None and other.last < first and (first - other.last).days <= expired_days
    if met is not Verdict.COMPLIES and ended and open_still:
        note = f"It ended on {other.last} and is not recorded as restored or removed on {first}."
        yield Conflict("recent", other.key, other.label, PATCHES, met, other.last, other.restored, away, note)
    before = other.days[1] < first or (other.first is not None and other.first < first)
    if work.opening and other.opening and before and away <= PATCH_FT + rss(work.accuracy_ft, other.accuracy_ft):
        note = f"An earlier opening {away:.0f} ft away: the permittee identifies and locates it on the application."
        since, until = other.first, other.restored or other.last
        yield Conflict("patch", other.key, other.label, PATCHES, Verdict.OFFICER, since, until, away, note)


def _of_street(work: Work, here: Here) -> Iterator[Conflict]:
    new, first = here.improved, work.first
    if new is None or first is None or not work.opening or not new.on <= first <= new.until:
        return
    note = (
        f"{new.street} was improved or repaved on {new.on}: no permit until {new.until}, unless the Village Board or "
        "its designee finds that it is absolutely essential."
    )
    yield Conflict("moratorium", "", new.street, NEW_STREET, Verdict.VIOLATES, new.on, new.until, 0.0, note)


# --- lanes -----------------------------------------------------------------------------------------------------


def heading(direction: str, axis: LineString | None, near: BaseGeometry) -> int:
    """Return which way along a street a direction is.

    Parameters
    ----------
    direction
        One of `DIRECTIONS`.
    axis
        The centerline, drawn towards increasing numbers.
    near
        Where it is asked.

    Returns
    -------
    int
        1 towards increasing numbers, -1 towards decreasing ones, 0 for both or where that cannot be told.
    """
    if direction in _ALONG:
        return _ALONG[direction]
    if direction not in _BEARINGS or axis is None:
        return 0
    at = axis.project(near.centroid)
    start, end = (axis.interpolate(min(max(at + by, 0.0), axis.length)) for by in (-5.0, 5.0))
    bearing = np.radians(_BEARINGS[direction])
    ahead = (end.x - start.x) * np.sin(bearing) + (end.y - start.y) * np.cos(bearing)
    square = abs(ahead) < 1e-6 * max(start.distance(end), 1e-9)
    return 0 if square else int(np.sign(ahead))


def _no_lane(work: Work, other: Work, here: Here, lane_ft: float) -> Iterator[Conflict]:
    days = common_days(work, other)
    shapes = [_taken(one, here.axis) for one in (work, other)]
    if days is None or here.pavement is None or not all(isinstance(shape, Polygon) for shape in shapes):
        return
    unsure = rss(work.accuracy_ft, other.accuracy_ft)

    def left(shape: BaseGeometry, *beside: BaseGeometry) -> Checked:
        assert isinstance(shape, Polygon)
        return lanes_left(
            shape, pavement=here.pavement, centerline=here.axis, others=beside, lane_ft=lane_ft,
            position_accuracy_ft=unsure, pavement_accuracy_ft=here.pavement_accuracy_ft,
        )  # fmt: skip

    alone = max(_lost(left(shape)) for shape in shapes)
    pairs = ((shapes[0], shapes[1]), (shapes[1], shapes[0]))
    together = max((left(one, beside) for one, beside in pairs), key=_lost)
    if _lost(together) <= alone:
        return
    worse = together.rows[0]
    none = all(row.verdict is Verdict.VIOLATES for row in together.rows)
    said = "no lane in either direction" if none else "less than one lane in a direction"
    told = "leave" if worse.verdict is Verdict.VIOLATES else "may leave"
    note = f"Together they {told} {said}, and each alone leaves more. {worse.note}"
    away = float(work.shape.distance(other.shape))
    yield Conflict("lanes", other.key, other.label, LANES, worse.verdict, *days, away, note)


def _taken(work: Work, axis: LineString | None) -> BaseGeometry:
    """Return what a work takes: of one direction only what is right of the centerline, as it is driven; else all."""
    way = heading(work.direction, axis, work.shape)
    if not way or axis is None:
        return work.shape
    part = work.shape.intersection(axis.buffer(-way * _HALF_FT, single_sided=True))
    return part if isinstance(part, Polygon) and part.area else work.shape


def _lost(checked: Checked) -> tuple[int, int]:
    """How sure it is that directions have no lane, the surest first."""
    ranks = sorted((_RANK[row.verdict] for row in checked.rows), reverse=True)
    return ranks[0], ranks[1]
