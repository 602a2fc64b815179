"""Conflicts of works: days at both ends, shapes at their accuracies, lanes of a pavement of 36 ft, by hand."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, Point

from gis.conflicts import Here, Improved, Work, common_days, conflicts

JUNE = date(2026, 6, 1)
STREET = Here(pavement=shapely.box(0, -18, 600, 18), axis=LineString([(0, 0), (600, 0)]))


def day(number: int) -> date:
    return JUNE + timedelta(days=number - 1)


def work(key="a", at=(0, 0, 10, 10), first=1, last=10, **known) -> Work:
    ends = (None if one is None else day(one) for one in (first, last))
    return Work(key, shapely.box(*at), *ends, **known)


def found(one: Work, *others: Work, here: Here | None = None) -> dict[str, object]:
    told = conflicts(one, others, here or Here(), reach_ft=150.0, expired_days=30)
    return {conflict.kind: conflict for conflict in told}


# --- days and places ---


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [
        (10, 12, (10, 10)),  # the last day of one is the first of the other
        (11, 12, None),
        (-5, 1, (1, 1)),
        (-5, 0, None),
        (5, None, (5, 10)),
        (None, 5, (1, 5)),
        (None, None, (1, 10)),
    ],
)
def test_two_works_overlap_from_the_first_common_day_to_the_last_and_both_count(first, last, days) -> None:
    met = found(work(), work("b", first=first, last=last)).get("overlap")
    assert (met and (met.since, met.until)) == (days and tuple(day(one) for one in days))


def test_two_works_without_an_end_overlap_without_an_end() -> None:
    met = found(work(last=None), work("b", first=5, last=None))["overlap"]
    assert (met.since, met.until) == (day(5), None)


@pytest.mark.parametrize(("restored", "meets"), [(5, False), (6, True)])
def test_a_work_is_past_from_the_day_it_is_restored(restored: int, meets: bool) -> None:
    assert ("overlap" in found(work(first=5), work("b", restored=day(restored)))) is meets


@pytest.mark.parametrize(
    ("gap", "accuracy", "verdict"),
    [(0, 0, "officer"), (0.5, 0, None), (5, 3, None), (4, 3, "undecided"), (-4, 3, "undecided"), (-5, 3, "officer")],
)
def test_shapes_within_their_accuracies_may_meet(gap: float, accuracy: float, verdict: str | None) -> None:
    """Two works of 3 ft each are 4.24 ft unsure together."""
    other = work("b", at=(10 + gap, 0, 30, 10), accuracy_ft=accuracy)
    met = found(work(accuracy_ft=accuracy), other).get("overlap")
    assert (met and met.verdict) == verdict


@pytest.mark.parametrize(("off", "there"), [(150, True), (151, False)])
def test_a_work_at_a_junction_of_the_segment_is_told(off: float, there: bool) -> None:
    here = Here(junctions=[("Main Street and Alma Street", Point(300, 5))])
    side = work("b", at=(300 + off, 0, 310 + off, 10))
    assert ("adjoining" in found(work(), side, here=here)) is there
    assert "adjoining" not in found(work(), side)
    assert "adjoining" not in found(work(first=11, last=12), side, here=here)


# --- what was before ---


@pytest.mark.parametrize(("ended", "recent"), [(31, True), (30, False), (60, True), (61, False)])
def test_an_opening_that_ended_up_to_thirty_days_before_is_recent(ended: int, recent: bool) -> None:
    new = work(first=61, last=70)
    assert ("recent" in found(new, work("b", last=ended))) is recent


@pytest.mark.parametrize(("restored", "recent"), [(60, False), (61, False), (62, True)])
def test_one_that_is_restored_by_the_first_day_is_not_recent_but_leaves_a_patch(restored: int, recent: bool) -> None:
    told = found(work(first=61, last=70), work("b", last=50, restored=day(restored)))
    assert ("recent" in told, told["patch"].section) == (recent, "§ 288-6 C(2)")


@pytest.mark.parametrize(("off", "near"), [(50, True), (50.5, False)])
def test_patches_are_told_within_fifty_feet_and_of_openings_only(off: float, near: bool) -> None:
    place = (10 + off, 0, 80, 10)
    assert ("patch" in found(work(first=61, last=70), work("b", at=place))) is near
    assert "patch" not in found(work(first=61, last=70), work("b", at=place, opening=False))
    assert "patch" not in found(work(), work("b", at=place, first=2))


@pytest.mark.parametrize(
    ("first", "barred"),
    [(date(2026, 5, 31), False), (date(2026, 6, 1), True), (date(2031, 6, 1), True), (date(2031, 6, 2), False)],
)
def test_a_street_is_barred_for_five_years_to_both_ends(first: date, barred: bool) -> None:
    here = Here(improved=Improved("Main Street", JUNE, date(2031, 6, 1)))
    one = Work("a", Point(0, 0), first, None)
    assert ("moratorium" in found(one, here=here)) is barred
    assert "moratorium" not in found(Work("a", Point(0, 0), JUNE, None, opening=False), here=here)


# --- lanes: 36 ft of pavement, 18 ft a direction, a lane of 10 ft ---


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ((100, 0, 120, 5), (100, 13, 120, 18), "violates"),  # 13 ft alone, 8 ft together
        ((100, 9, 120, 18), (100, -18, 120, -9), "violates"),  # 9 ft of each direction: nowhere a lane
        ((100, 10, 120, 18), (100, -18, 120, -10), None),  # 10 ft of each: just a lane
        ((100, 14, 120, 18), (100, -18, 120, -14), None),  # 14 ft are left to each
        ((100, 10, 120, 18), (300, -18, 320, -10), None),  # not side by side
        ((100, 12, 120, 18), (100, 0, 120, 4), "violates"),  # 12 and 14 ft alone, 8 together
    ],
)
def test_two_works_that_each_leave_a_lane_may_leave_none_together(one, other, verdict) -> None:
    for mine, theirs in ((one, other), (other, one)):
        told = found(work(at=mine), work("b", at=theirs), here=STREET).get("lanes")
        assert (told and told.verdict) == verdict
    assert "lanes" not in found(work(at=one), work("b", at=other, first=11, last=12), here=STREET)


def test_an_unsure_place_leaves_lanes_undecided() -> None:
    """10.5 ft are left together and the two places are unsure by 2 ft: alone 13.5 and 15 ft are surely enough."""
    one, other = work(at=(100, 13.5, 120, 18), accuracy_ft=2), work("b", at=(100, 0, 120, 3), accuracy_ft=0)
    assert found(one, other, here=STREET)["lanes"].verdict == "undecided"


@pytest.mark.parametrize(
    ("direction", "there"),
    [("", True), ("both", True), ("west", True), ("decreasing", True), ("east", False), ("increasing", False)],
)
def test_a_blank_direction_is_both_and_one_counts_right_of_the_centerline(direction: str, there: bool) -> None:
    """The north half carries westbound traffic: each work takes 5 ft of it and reaches 2 ft over the centerline."""
    near = work(at=(100, -2, 120, 5), direction=direction)
    assert ("lanes" in found(near, work("b", at=(100, 13, 120, 18)), here=STREET)) is there


# --- both ways alike ---

PLACES = st.tuples(st.integers(0, 40), st.integers(-18, 10), st.integers(1, 20), st.integers(1, 8))


@st.composite
def works(draw, key: str) -> Work:
    x, y, long, wide = draw(PLACES)
    first, days = draw(st.integers(1, 20)), draw(st.integers(0, 12))
    return work(key, (x, y, x + long, y + wide), first, first + days, accuracy_ft=draw(st.sampled_from([0.0, 2.0])))


@settings(max_examples=60, deadline=None)
@given(works("a"), works("b"))
def test_overlap_and_lanes_are_the_same_seen_from_either_work(one: Work, other: Work) -> None:
    there, back = (found(a, b, here=STREET) for a, b in ((one, other), (other, one)))
    for kind in ("overlap", "lanes"):
        pair = [
            (c.verdict, c.since, c.until, c.distance_ft) if (c := side.get(kind)) else None for side in (there, back)
        ]
        assert pair[0] == pair[1]
    assert common_days(one, other) == common_days(other, one)
