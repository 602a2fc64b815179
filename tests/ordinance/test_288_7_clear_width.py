"""§ 288-7 C(3): how wide a sidewalk stays clear beside a fixture, against hand cases and carried discs."""

import heapq
import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, Point, Polygon, box
from shapely.affinity import rotate, scale, translate

from gis.clear_width import clear_width, taped_clear_width
from gis.errors import GeometryError
from gis.measure import Checked, Judged, Measured, Verdict

COMPLIES, VIOLATES, UNDECIDED = Verdict.COMPLIES, Verdict.VIOLATES, Verdict.UNDECIDED
WALK = box(0, 0, 50, 6)
BEND = Polygon([(0, 0), (30, 0), (30, -30), (35, -30), (35, 5), (0, 5)])  # 5 ft wide, turning right
HAIRPIN = LineString([(0, 0), (40, 0), (40, 7), (0, 7)]).buffer(2.5, cap_style="flat", join_style="mitre")
SPIRAL = LineString([(0, 0), (60, 0), (60, 40), (0, 40), (0, 6), (50, 6), (50, 30)]).buffer(
    2.5, cap_style="flat", join_style="mitre"
)


def arc(radius: float, reach: float, *, cap: str = "flat") -> Polygon:
    """A walk 5 ft wide along an arc of some radians, digitised in steps of about a foot."""
    angles = np.linspace(0, reach, int(radius * reach))
    line = LineString(np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=1))
    return line.buffer(2.5, cap_style=cap, join_style="mitre")


def check(walk: Polygon, *fixtures: object, **more: object) -> Checked:
    return clear_width(walk, fixtures, limit_ft=3, **more)  # type: ignore[arg-type]


def clear(walk: Polygon, *fixtures: object, **more: object) -> float:
    row = row_of(check(walk, *fixtures, **more))
    assert isinstance(row.value, float)
    return row.value


def row_of(checked: Checked, quantity: str = "clear_width_ft") -> Judged:
    (row,) = [row for row in checked.rows if row.quantity == quantity]
    return row


# ------------------------------------------------------------------ three feet


@pytest.mark.parametrize(
    ("left_ft", "accuracy_ft", "verdict"),
    [
        (3, 0, COMPLIES),  # not less than three feet
        (2.99, 0, VIOLATES),
        (3.3, 0.25, COMPLIES),
        (3.2, 0.25, UNDECIDED),
        (2.8, 0.25, UNDECIDED),
        (2.7, 0.25, VIOLATES),
        (2.7, 16, UNDECIDED),  # a phone
    ],
)
def test_three_feet_must_stay_clear(left_ft, accuracy_ft, verdict):
    row = row_of(check(WALK, box(20, left_ft, 22, 6), position_accuracy_ft=accuracy_ft))
    assert (row.verdict, row.value, row.limit) == (verdict, pytest.approx(left_ft), 3)
    assert row.section == "§ 288-7 C(3)"
    assert bool(row.settles) is (verdict is UNDECIDED)


def test_the_uncertainty_is_that_of_the_fixture_and_of_the_walk():
    row = row_of(check(WALK, box(20, 4, 22, 6), position_accuracy_ft=3, walk_accuracy_ft=4))
    assert (row.uncertainty, row.verdict) == (5, UNDECIDED)


def test_three_feet_is_a_floor_and_the_officers_row_stays():
    checked = check(WALK, box(20, 3, 22, 6))
    row = row_of(checked, "impedes")
    assert row.verdict is Verdict.OFFICER
    assert "shall not significantly impede the flow of pedestrian traffic on the sidewalk" in row.note
    assert checked.verdict is COMPLIES


def test_two_gaps_of_2_9_ft_violate_though_their_sum_is_5_8():
    row = row_of(check(WALK, box(20, 2.9, 21, 3.1)))
    assert (row.verdict, row.value) == (VIOLATES, pytest.approx(2.9))


def test_of_two_gaps_beside_a_fixture_the_wider_counts():
    assert clear(WALK, box(20, 1, 21, 2.5)) == pytest.approx(3.5)


def test_a_walk_blocked_outright_leaves_nothing():
    for blocking in (box(20, 0, 21, 6), box(20, -3, 21, 9), LineString([(20, 0), (23, 6)])):
        checked = check(WALK, blocking)
        assert row_of(checked).value == 0
        assert checked.verdict is VIOLATES
    overlapping = (box(20, 0, 21, 3), box(20.5, 2, 22, 5), box(21, 5, 23, 6))
    assert clear(WALK, *overlapping) == 0


def test_only_what_lies_on_the_walk_narrows_it():
    assert clear(WALK, box(20, 4, 21, 9)) == pytest.approx(4)
    assert clear(WALK, box(20, 6, 21, 9), box(20, -2, 21, -0.5)) == pytest.approx(6)
    assert clear(WALK, box(50, 0, 51, 6)) == pytest.approx(6)  # it stands just past the walk's end


# ------------------------------------------------------------------ several fixtures


def test_between_staggered_fixtures_their_corners_decide():
    # 5 ft remain beside the one and 4.4 ft beside the other, but 1.8 ft along and 2.4 ft across are 3 ft
    walk, low, high = box(0, 0, 50, 7), box(10, 0, 20, 2), box(21.8, 4.4, 30, 7)
    assert clear(walk, low) == pytest.approx(5)
    assert clear(walk, high) == pytest.approx(4.4)
    row = row_of(check(walk, low, high))
    assert (row.verdict, row.value) == (COMPLIES, pytest.approx(3))
    assert row_of(check(walk, low, translate(high, -0.02))).verdict is VIOLATES


def test_a_row_of_poles_is_passed_through_its_widest_gap():
    poles = [Point(20, y) for y in (1, 2, 4.5, 5.5)]
    assert clear(WALK, *poles) == pytest.approx(2.5)


def test_a_chain_of_fixtures_aslant_the_walk():
    # every step is 1.5 ft along and 2 ft across: 2.5 ft; the edges are 1 ft off the first and the last pole
    poles = [Point(20, 1), Point(21.5, 3), Point(23, 5)]
    assert clear(WALK, *poles) == pytest.approx(2.5)


def test_what_stands_there_anyway_counts_with_the_fixture_and_without_it():
    checked = check(WALK, box(20, 0, 21, 1), fixed=[Point(20.5, 5)])
    assert row_of(checked).value == pytest.approx(4)
    assert row_of(checked, "clear_width_without_ft").value == pytest.approx(5)
    assert row_of(checked, "clear_width_without_ft").verdict is Verdict.NOT_CHECKED


def test_a_tree_pit_obstructs_the_walk():
    pit = Polygon(WALK.exterior, [box(20, 2, 23, 5).exterior])
    assert clear(pit) == pytest.approx(2)
    assert clear(pit, box(20, 0, 22, 0.5)) == pytest.approx(1.5)
    assert row_of(check(pit, box(20, 0, 22, 0.5)), "clear_width_without_ft").value == pytest.approx(2)


# ------------------------------------------------------------------ "reduce"


def test_a_walk_that_is_narrow_itself_is_not_reduced_by_a_fixture_off_its_way():
    narrow = Polygon([(0, 0), (50, 0), (50, 2.5), (30, 2.5), (30, 6), (20, 6), (20, 2.5), (0, 2.5)])
    checked = check(narrow, box(24, 4, 26, 6))
    assert checked.verdict is COMPLIES
    assert "2.50 ft" in row_of(checked).note
    assert check(narrow, box(24, 0, 26, 4)).verdict is VIOLATES


def test_whether_a_narrow_walk_is_reduced_may_lie_within_the_uncertainty():
    narrow = Polygon([(0, 0), (50, 0), (50, 2.5), (30, 2.5), (30, 6), (20, 6), (20, 2.5), (0, 2.5)])
    bench = box(24, 4, 26, 6)  # 1.5 ft off the way, which is 2.5 ft wide
    assert check(narrow, bench, position_accuracy_ft=1).verdict is COMPLIES
    assert check(narrow, bench, position_accuracy_ft=2).verdict is UNDECIDED
    assert check(narrow, box(24, 2.4, 26, 6), position_accuracy_ft=0.2).verdict is UNDECIDED
    assert check(narrow, box(24, 2, 26, 6), position_accuracy_ft=0.2).verdict is VIOLATES


# ------------------------------------------------------------------ bends, ends and legs


def test_a_fixture_in_a_bend_is_passed_on_the_inside():
    # 1.5 ft to both outer edges; 1.5 ft each way, 2.12 ft, to the inner corner
    assert clear(BEND, box(31.5, 1.5, 33.5, 3.5)) == pytest.approx(1.5 * math.sqrt(2))


def test_a_fixture_across_a_bend_blocks_it():
    assert clear(BEND, LineString([(29, -1), (36, 6)])) == 0


@pytest.mark.parametrize("fixture", [(20, 2, 21, 2.5), (20, 4.5, 21, 5), None])
def test_legs_that_pass_near_each_other_outside_the_walk_do_not_narrow_it(fixture):
    there = [box(*fixture)] if fixture else []
    assert clear(HAIRPIN, *there) == pytest.approx(4.5 if there else 5)
    assert clear(SPIRAL) == pytest.approx(5)  # its left edge runs a foot from its right edge, over the grass


def test_fixtures_on_two_legs_are_no_pair_over_the_grass_between():
    # in each leg 3.2 ft remain; across the 2 ft of grass they are 2 ft apart
    assert clear(HAIRPIN, box(20, 0.7, 21, 2.5), box(20, 4.5, 21, 6.3)) == pytest.approx(3.2)
    assert clear(SPIRAL, box(20, 0.7, 21, 2.5), box(20, 3.5, 21, 5.3)) == pytest.approx(3.2)


@pytest.mark.parametrize(
    "walk",
    [
        box(0, 0, 50, 5),
        BEND,
        arc(50, 1.5),
        arc(50, 1.5, cap="round"),
        arc(50, 6.1),  # almost round the block
        LineString([(0, 0), (50, 0)]).buffer(2.5),
        Polygon([(0, 0), (1, 0), (50, 0), (50, 2), (50, 5), (0, 5), (0, 2.5)]),  # ends of two collinear pieces
        Polygon([(0, 0), (50, 0), (50.02, 2), (50, 5), (0, 5), (0.01, 2.5)]),  # and of two that hardly turn
        Polygon([(0, 0), (50, 0), (55, 5), (5, 5)]),  # skewed ends
        Polygon([(0, 0), (55, 0), (50, 5), (5, 5)]),
        Polygon([(0, 0), (50, 0), (50, 5), (30, 5), (30, 8), (26, 8), (26, 5), (0, 5)]),  # with a bay
        shapely.union_all([box(0, 0, 50, 5), box(23, -3, 27, 8)]),  # a bay on either side, shorter than its ends
        Polygon([(0, 0), (50, -1), (50, 7), (0, 5)]),  # it widens
        Polygon([(0.5, 0), (49.5, 0), (50, 0.5), (50, 4.5), (49.5, 5), (0.5, 5), (0, 4.5), (0, 0.5)]),
    ],
)
def test_a_walk_without_fixtures_is_as_wide_as_it_is(walk):
    assert clear(walk) == pytest.approx(5, abs=2e-3)
    assert clear(rotate(walk, 33)) == pytest.approx(5, abs=2e-3)


def test_an_end_is_taken_straight_across_its_corners():
    notched = Polygon([(0, 0), (50, 0), (50, 5), (0, 5), (3, 2.5)])
    assert clear(notched) == pytest.approx(5)
    assert clear(notched, Point(0.5, 0.25)) == pytest.approx(4.75)  # at the mouth of the notch


@pytest.mark.parametrize(
    ("walk", "along"),
    [
        (Polygon([(0, 0), (50, 0), (55, 5), (5, 5)]), [(10, -2), (20, -2)]),
        (Polygon([(0, 0), (50, 0), (55, 5), (5, 5)]), [(60, 7), (-5, 7)]),
        (LineString([(0, 0), (50, 0)]).buffer(2.5), [(0, -10), (50, -10)]),
        (BEND, [(0, 10), (40, 10), (40, -30)]),
        (box(0, 0, 5, 5), [(0, -1), (5, -1)]),  # as long as it is wide
        (box(0, 0, 5, 4), [(-1, 0), (-1, 4)]),  # shorter than it is wide
    ],
)
def test_the_curb_tells_which_edges_run_along(walk, along):
    assert clear(walk, along=LineString(along)) == pytest.approx(5)


@pytest.mark.parametrize("shape", [box(0, 0, 10, 10), Point(0, 0).buffer(5), Polygon([(0, 0), (10, 0), (5, 8)])])
def test_where_no_two_edges_run_beside_one_another_a_line_is_asked_for(shape):
    with pytest.raises(GeometryError, match="along") as refusal:
        check(shape)
    assert refusal.value.faults[0].field == "along"


def test_an_empty_fixture_is_refused():
    with pytest.raises(GeometryError, match="fixtures"):
        check(WALK, Polygon())


# ------------------------------------------------------------------ what is drawn, and the tape


def test_the_deciding_gap_is_drawn_with_its_length():
    checked = check(WALK, box(20, 2.9, 21, 3.05))
    drawn = {part.role: part for part in checked.drawn}
    assert drawn["gap"].label == "2.95 ft"
    assert drawn["gap"].shape.length == pytest.approx(2.95)
    assert drawn["gap"].shape.bounds[1::2] == pytest.approx((3.05, 6))
    assert drawn["gap_without"].label.startswith("6.00 ft")
    assert [part.role for part in checked.drawn].count("edge") == 2


@pytest.mark.parametrize(
    ("taped_ft", "tolerance_ft", "verdict"), [(3, 0, COMPLIES), (2.99, 0, VIOLATES), (3.02, 1 / 24, UNDECIDED)]
)
def test_a_taped_width_has_the_same_rows(taped_ft, tolerance_ft, verdict):
    checked = taped_clear_width(Measured(taped_ft, tolerance_ft), 3)
    assert [row.quantity for row in checked.rows] == ["clear_width_ft", "clear_width_without_ft", "impedes"]
    assert checked.verdict is verdict
    assert row_of(checked, "clear_width_without_ft").value is None


# ------------------------------------------------------------------ against discs carried along a grid

STEP_FT = 0.1


def carried(walk: Polygon, fixtures: list[object], edges: list[LineString], ends: list[LineString]) -> float:
    """The widest disc whose center steps over a grid from one end of the walk to the other: its diameter.

    A center's room is its distance to the edges and fixtures; the way with the most room at its tightest is found by
    always stepping to the cell with the most room next.
    """
    west, south, east, north = walk.bounds
    xs, ys = np.arange(west, east + STEP_FT, STEP_FT), np.arange(south, north + STEP_FT, STEP_FT)
    grid = shapely.points(*np.meshgrid(xs, ys))
    room = np.where(shapely.covers(walk, grid), shapely.distance(grid, shapely.union_all([*edges, *fixtures])), -1)
    first, last = (shapely.dwithin(grid, end, STEP_FT) & (room >= 0) for end in ends)
    heap = [(-room[i, j], int(i), int(j)) for i, j in np.argwhere(first)]
    heapq.heapify(heap)
    seen, tightest = first.copy(), math.inf
    while heap:
        least, i, j = heapq.heappop(heap)
        tightest = min(tightest, -least)
        if last[i, j]:
            return 2 * tightest
        for a, b in ((i + di, j + dj) for di in (-1, 0, 1) for dj in (-1, 0, 1)):
            if 0 <= a < len(ys) and 0 <= b < len(xs) and not seen[a, b] and room[a, b] >= 0:
                seen[a, b] = True
                heapq.heappush(heap, (-room[a, b], a, b))
    return 0.0


STRAIGHT = (box(0, 0, 14, 5), [[(0, 0), (14, 0)], [(0, 5), (14, 5)]], [[(0, 0), (0, 5)], [(14, 0), (14, 5)]])
TURNING = (
    Polygon([(0, 0), (8, 0), (8, -8), (12, -8), (12, 5), (0, 5)]),
    [[(0, 0), (8, 0), (8, -8)], [(12, -8), (12, 5), (0, 5)]],
    [[(0, 0), (0, 5)], [(8, -8), (12, -8)]],
)
DOUBLING = (  # two legs 0.4 ft apart
    Polygon([(0, 0), (12, 0), (12, 7), (0, 7), (0, 3.7), (9, 3.7), (9, 3.3), (0, 3.3)]),
    [[(0, 0), (12, 0), (12, 7), (0, 7)], [(0, 3.7), (9, 3.7), (9, 3.3), (0, 3.3)]],
    [[(0, 0), (0, 3.3)], [(0, 3.7), (0, 7)]],
)


@pytest.mark.parametrize("seed", range(21))
def test_the_width_is_that_of_the_widest_disc_carried_along(seed):
    walk, edges, ends = (STRAIGHT, TURNING, DOUBLING)[seed % 3]
    random = np.random.default_rng(seed)
    west, south, east, north = walk.bounds
    fixtures = []
    for x, y in random.uniform((west + 1, south), (east - 1, north), (random.integers(1, 8), 2)):
        wide, long = random.uniform(0.2, 1.2, 2)
        fixtures.append(rotate(box(x, y, x + long, y + wide), random.uniform(0, 180)))
    lines = [LineString(edge) for edge in edges], [LineString(end) for end in ends]
    on_walk = [shapely.intersection(shape, walk) for shape in fixtures]
    # the grid's cells lie up to 0.07 ft off the best way, which costs twice that of the diameter
    along = LineString(edges[1]) if walk is TURNING[0] else None
    assert clear(walk, *fixtures, along=along) == pytest.approx(carried(walk, on_walk, *lines), abs=0.15)


# ------------------------------------------------------------------ properties

PLACES = st.tuples(st.floats(2, 45), st.floats(0, 6), st.floats(0.1, 2), st.floats(0.1, 2), st.floats(0, 180))
LAYOUTS = st.lists(PLACES, min_size=1, max_size=6)
FEW = settings(max_examples=30, deadline=None)


def placed(layout: list[tuple[float, ...]]) -> list[Polygon]:
    return [rotate(box(x, y, x + long, y + wide), turn) for x, y, long, wide, turn in layout]


@FEW
@given(LAYOUTS, st.floats(0, 360), st.floats(-1e6, 1e6))
def test_turning_and_moving_the_village_changes_nothing(layout, turn, away):
    fixtures = placed(layout)
    moved = [translate(rotate(s, turn, origin=(0, 0)), away, 1e5) for s in (WALK, *fixtures)]
    assert clear(*moved) == pytest.approx(clear(WALK, *fixtures), abs=1e-6)


@FEW
@given(LAYOUTS, st.floats(0.1, 1))
def test_a_smaller_fixture_never_leaves_less(layout, by):
    first, *others = placed(layout)
    assert clear(WALK, scale(first, by, by), *others) >= clear(WALK, first, *others) - 1e-9


@FEW
@given(LAYOUTS, st.floats(0, 3), st.floats(0, 3), st.floats(0, 2))
def test_more_uncertainty_never_turns_violates_into_complies(layout, some_ft, more_ft, walk_ft):
    fixtures = placed(layout)
    narrow = box(0, 1.6, 50, 4.5)  # 2.9 ft: so that "reduce" is asked too
    for walk in (WALK, narrow):
        first = check(walk, *fixtures, position_accuracy_ft=some_ft).verdict
        then = check(walk, *fixtures, position_accuracy_ft=some_ft + more_ft, walk_accuracy_ft=walk_ft).verdict
        assert (first, then) not in {(VIOLATES, COMPLIES), (UNDECIDED, COMPLIES), (UNDECIDED, VIOLATES)}
