"""§ 288-7 B(2), § 288-8 D(1) and § 288-6 B(3): what is taken of a width, the gutter, and the lanes that are left.

The street runs east along y = 0: 36 ft of pavement between curbs, walks of 5 ft, 66 ft of right-of-way.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, MultiPolygon, Point, Polygon, box
from shapely.affinity import rotate, scale, translate

from gis.errors import GeometryError
from gis.measure import Checked, Judged, Verdict
from gis.shares import lanes_left, share

COMPLIES, VIOLATES, UNDECIDED, NOT_CHECKED = (
    Verdict.COMPLIES,
    Verdict.VIOLATES,
    Verdict.UNDECIDED,
    Verdict.NOT_CHECKED,
)
CENTERLINE = LineString([(0, 0), (300, 0)])
NORTH_CURB, SOUTH_CURB = LineString([(0, 18), (300, 18)]), LineString([(300, -18), (0, -18)])
STREET = {
    "pavement": box(0, -18, 300, 18),
    "sidewalk": MultiPolygon([box(0, 24, 300, 29), box(0, -29, 300, -24)]),
    "right_of_way": box(0, -33, 300, 33),
    "curb_lines": [NORTH_CURB, SOUTH_CURB],
    "axis": CENTERLINE,
}
TURN = LineString([(-100, 0), (0, 0), (0, -100)])  # it turns right by a right angle
TURNING = TURN.buffer(18, cap_style="flat", join_style="mitre")


def shares(footprint: Polygon, **more: object) -> Checked:
    limits = {"sidewalk_limit": 1 / 2, "way_limit": 1 / 3, "row_limit": 1 / 3}
    return share(footprint, **{**STREET, **limits, **more})  # type: ignore[arg-type]


def lanes(footprint: Polygon, **more: object) -> Checked:
    return lanes_left(footprint, **{"pavement": STREET["pavement"], "centerline": CENTERLINE, **more})  # type: ignore[arg-type]


def row_of(checked: Checked, quantity: str) -> Judged:
    (row,) = [row for row in checked.rows if row.quantity == quantity]
    return row


def outcome(checked: Checked, quantity: str) -> tuple[Verdict, object]:
    row = row_of(checked, quantity)
    return row.verdict, row.value


# ------------------------------------------------------------------ § 288-7 B(2): a third of the street, half the walk


@pytest.mark.parametrize(("taken_ft", "verdict"), [(11.9, COMPLIES), (12, COMPLIES), (12.01, VIOLATES)])
def test_a_pile_may_take_a_third_of_the_travelled_way_and_no_more(taken_ft, verdict):
    for pile in (box(100, 18 - taken_ft, 110, 18), box(100, -18, 110, taken_ft - 18), box(100, -4, 110, taken_ft - 4)):
        assert outcome(shares(pile), "way_share") == (verdict, pytest.approx(taken_ft / 36))


@pytest.mark.parametrize(("taken_ft", "verdict"), [(2.4, COMPLIES), (2.5, COMPLIES), (2.51, VIOLATES)])
def test_a_pile_may_take_half_the_sidewalk_and_no_more(taken_ft, verdict):
    for pile in (box(100, 24, 110, 24 + taken_ft), box(100, -24 - taken_ft, 110, -20)):
        assert outcome(shares(pile), "sidewalk_share") == (verdict, pytest.approx(taken_ft / 5))


def test_the_sections_are_those_of_the_ordinance():
    rows = shares(box(100, 10, 110, 30)).rows
    assert [(row.quantity, row.section) for row in rows] == [
        ("sidewalk_share", "§ 288-7 B(2)"),
        ("way_share", "§ 288-7 B(2)"),
        ("row_share", "§ 288-8 D(1)"),
        ("gutter", "§ 288-7 B(2)"),
    ]


def test_each_sidewalk_counts_by_itself():
    # 1 ft of the walk to the north and 3 ft of that to the south, and not 4 of 10
    assert outcome(shares(box(100, -27, 110, 25)), "sidewalk_share") == (VIOLATES, pytest.approx(3 / 5))


def test_a_sidewalk_beside_another_is_not_widened_by_it():
    walks = [box(0, 24, 300, 29), box(0, 29, 300, 34)]
    assert outcome(shares(box(100, 24, 110, 27), sidewalk=MultiPolygon(walks)), "sidewalk_share")[0] is VIOLATES


def test_a_pavement_in_two_strips_is_one_way():
    strips = MultiPolygon([box(0, 0, 300, 18), box(0, -18, 300, 0)])
    assert outcome(shares(box(100, 6, 110, 18), pavement=strips), "way_share") == (COMPLIES, pytest.approx(1 / 3))
    assert outcome(lanes(box(100, -8, 110, 8), pavement=strips), "lane_other_ft") == (COMPLIES, pytest.approx(10))


def test_the_worst_section_decides():
    # 4 ft of the pavement over 30 ft, and 13 ft where its corner reaches farthest
    heap = Polygon([(100, 18), (100, 14), (110, 14), (115, 5), (120, 14), (130, 14), (130, 18)])
    assert outcome(shares(heap), "way_share") == (VIOLATES, pytest.approx(13 / 36, abs=1e-6))


def test_the_worst_section_may_be_where_the_street_is_narrowest():
    narrowing = Polygon([(0, -18), (300, -18), (300, 2), (100, 18), (0, 18)])  # from 36 ft at x = 100 to 20 at x = 300
    pile = box(180, -18, 220, -9)  # 9 ft of 26.4 ft at x = 220
    checked = shares(pile, pavement=narrowing, right_of_way=None, sidewalk=None)
    assert outcome(checked, "way_share") == (VIOLATES, pytest.approx(9 / 26.4))


def test_the_worst_section_may_be_where_a_side_crosses_the_curb():
    # it widens from 10 ft at x = 100; from x = 115, where 13 ft are taken, ever more of it lies behind the curb
    askew = Polygon([(100, -10), (130, 20), (130, 36), (100, 0)])
    assert outcome(shares(askew), "way_share") == (VIOLATES, pytest.approx(13 / 36, abs=1e-6))


def test_what_stands_askew_is_measured_square_across_the_street():
    # a 6 ft wide strip at 45 degrees is 6 times the root of 2 across
    strip = rotate(box(130, -3, 170, 3), 45)
    assert row_of(shares(strip), "way_share").value == pytest.approx(6 * math.sqrt(2) / 36)


def test_several_piles_take_their_sum():
    piles = MultiPolygon([box(100, 10, 120, 17), box(110, -17, 130, -11)])
    assert outcome(shares(piles), "way_share") == (VIOLATES, pytest.approx(13 / 36))


def test_of_a_divided_street_the_part_that_is_met_is_the_width():
    divided = MultiPolygon([box(0, 2, 300, 18), box(0, -18, 300, -2)])
    assert outcome(shares(box(100, 12, 110, 18), pavement=divided), "way_share") == (VIOLATES, pytest.approx(6 / 16))


def test_outside_a_bend_the_section_turns_about_the_centerline():
    # on the diagonal 4 by 4 ft are 4 roots of 2 of 36 roots of 2
    pile = box(5, 5, 9, 9)
    checked = shares(pile, pavement=TURNING, axis=TURN, sidewalk=None, right_of_way=None, curb_lines=None)
    assert row_of(checked, "way_share").value == pytest.approx(4 / 36, abs=1e-6)


def test_another_leg_of_the_street_is_not_cut_lengthwise():
    # the section at x = -10 also runs down the other leg, lengthwise through what lies there
    pile = box(-18, -90, -9, -60)
    checked = shares(pile, pavement=TURNING, axis=TURN, sidewalk=None, right_of_way=None, curb_lines=None)
    assert outcome(checked, "way_share") == (COMPLIES, pytest.approx(9 / 36))


def test_the_slanted_end_of_a_walk_is_no_width():
    # a hair's breadth from the end the walk is as narrow as one likes
    walk = Polygon([(0, 24), (200, 24), (201, 29), (0, 29)])
    assert outcome(shares(box(190, 27, 210, 30), sidewalk=walk), "sidewalk_share") == (COMPLIES, pytest.approx(2 / 5))


def test_without_a_line_along_it_the_long_direction_of_the_way_is_taken():
    turned = {
        name: rotate(STREET[name], 25, origin=(0, 0))  # type: ignore[type-var]
        for name in ("pavement", "sidewalk", "right_of_way")
    }
    pile = rotate(box(100, 5, 110, 18), 25, origin=(0, 0))
    checked = shares(pile, **turned, curb_lines=None, axis=None)
    assert outcome(checked, "way_share") == (VIOLATES, pytest.approx(13 / 36))


@pytest.mark.parametrize("missing", ["pavement", "sidewalk", "right_of_way", "curb_lines"])
def test_what_is_not_known_is_not_checked(missing):
    quantity = {"pavement": "way", "sidewalk": "sidewalk", "right_of_way": "row"}.get(missing, "") + "_share"
    row = row_of(shares(box(100, 10, 110, 30), **{missing: None}), "gutter" if missing == "curb_lines" else quantity)
    assert (row.verdict, row.value) == (NOT_CHECKED, None)
    assert row.settles


@pytest.mark.parametrize("shape", [Polygon(), Point(100, 0), LineString([(100, 0), (110, 0)])])
def test_a_footprint_without_an_area_is_refused(shape):
    for check in (shares, lanes):
        with pytest.raises(GeometryError, match="footprint"):
            check(shape)


# ------------------------------------------------------------------ what the uncertainty leaves open


@pytest.mark.parametrize(
    ("taken_ft", "accuracy_ft", "verdict"),
    [(10, 1.9, COMPLIES), (11, 1.2, UNDECIDED), (13, 1.2, UNDECIDED), (13.3, 1.2, VIOLATES), (13.3, 16, UNDECIDED)],
)
def test_a_share_is_as_uncertain_as_its_place_is_against_the_width(taken_ft, accuracy_ft, verdict):
    row = row_of(shares(box(100, 18 - taken_ft, 110, 18), position_accuracy_ft=accuracy_ft), "way_share")
    assert (row.verdict, row.uncertainty) == (verdict, pytest.approx(accuracy_ft / 36))
    assert bool(row.settles) is (verdict is UNDECIDED)


def test_the_way_is_uncertain_too():
    checked = shares(box(100, 14, 110, 25), position_accuracy_ft=3, layer_accuracy_ft={"pavement": 4, "sidewalk": 0})
    assert row_of(checked, "way_share").uncertainty == pytest.approx(5 / 36)
    assert row_of(checked, "sidewalk_share").uncertainty == pytest.approx(3 / 5)


def test_a_section_that_surely_takes_too_much_is_enough():
    # 0.45 of 60 ft is past a third by 7 ft, 0.45 of 20 ft by 2 1/3: 3 ft of uncertainty leave only that open
    way = Polygon([(0, -30), (300, -30), (300, -10), (100, -10), (100, 30), (0, 30)])
    piles = MultiPolygon([box(50, 3, 60, 30), box(200, -30, 210, -21)])
    for some in (piles, piles.geoms[0]):
        assert outcome(shares(some, pavement=way, position_accuracy_ft=3), "way_share")[0] is VIOLATES
    assert outcome(shares(piles.geoms[1], pavement=way, position_accuracy_ft=3), "way_share")[0] is UNDECIDED


@pytest.mark.parametrize(
    ("accuracy_ft", "verdict", "uncertainty"),
    [(0.5, COMPLIES, 0), (3, COMPLIES, 2 / 5), (4, UNDECIDED, 3 / 5)],
)
def test_what_lies_a_foot_off_the_walk_may_reach_it_within_its_uncertainty(accuracy_ft, verdict, uncertainty):
    row = row_of(shares(box(100, 20, 110, 23), position_accuracy_ft=accuracy_ft), "sidewalk_share")
    assert (row.verdict, row.value, row.uncertainty) == (verdict, 0, pytest.approx(uncertainty))


# ------------------------------------------------------------------ § 288-8 D(1): "any street or alley"


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (6, 16, COMPLIES),  # 10 of 36 and 10 of 66
        (-4, 18, UNDECIDED),  # 22 of 36, but just a third of 66
        (6, 30, UNDECIDED),  # just a third of 36, but 24 of 66
        (5, 30, VIOLATES),
    ],
)
def test_the_street_is_read_as_the_right_of_way_and_as_the_travelled_way(low, high, verdict):
    row = row_of(shares(box(100, low, 110, high)), "row_share")
    assert (row.verdict, row.value) == (verdict, pytest.approx((high - low) / 66))
    assert ("read as the travelled way" in row.note) is (verdict is UNDECIDED)
    assert bool(row.settles) is (verdict is UNDECIDED)


def test_without_the_pavement_only_one_reading_is_known():
    assert row_of(shares(box(100, 5, 110, 30), pavement=None), "row_share").verdict is UNDECIDED
    assert row_of(shares(box(100, 40, 110, 50), pavement=None), "row_share").verdict is COMPLIES


def test_how_much_of_the_area_is_covered_is_told():
    # 10 by 11 ft of 300 by 66 ft
    assert "110.0 sq ft of the right-of-way, 0.6% of its area" in row_of(shares(box(100, 5, 110, 16)), "row_share").note


# ------------------------------------------------------------------ the gutter


@pytest.mark.parametrize(
    ("low", "high", "reach_ft", "verdict"),
    [
        (6, 16.5, 0, COMPLIES),  # up to the gutter, 18 in from the curb
        (6, 16.6, 0.1, VIOLATES),
        (6, 18, 1.5, VIOLATES),
        (6, 22, 1.5, VIOLATES),  # over the curb
        (17.7, 22, 0.3, VIOLATES),  # from the terrace
        (18, 22, 0, COMPLIES),
        (19, 22, -1, COMPLIES),
        (6, 14, -2.5, COMPLIES),
        (-16.7, -10, 0.2, VIOLATES),  # the other side
    ],
)
def test_the_gutter_is_kept_clear(low, high, reach_ft, verdict):
    assert outcome(shares(box(100, low, 110, high)), "gutter") == (verdict, pytest.approx(reach_ft, abs=1e-9))


def test_the_gutter_lies_on_the_street_side_however_the_curb_is_drawn():
    for curb in (NORTH_CURB, NORTH_CURB.reverse()):
        for known in ({}, {"pavement": None}):
            checked = shares(box(100, 17, 110, 22), curb_lines=[curb], **known)
            assert outcome(checked, "gutter") == (VIOLATES, pytest.approx(1))
    unknown = shares(box(100, 17, 110, 22), curb_lines=[NORTH_CURB], pavement=None, axis=None)
    assert outcome(unknown, "gutter") == (NOT_CHECKED, None)


def test_without_a_curb_there_is_no_gutter_at_its_face():
    row = row_of(shares(box(100, 6, 110, 18), curb_lines=[]), "gutter")
    assert (row.verdict, row.note) == (NOT_CHECKED, "There is no curb here.")


def test_a_pile_near_the_gutter_is_undecided_by_a_phone():
    row = row_of(shares(box(100, 6, 110, 14), position_accuracy_ft=3, layer_accuracy_ft={"curb_line": 4}), "gutter")
    assert (row.verdict, row.uncertainty) == (UNDECIDED, 5)
    assert "face of the curb" in row.settles


# ------------------------------------------------------------------ § 288-6 B(3): a lane in each direction


@pytest.mark.parametrize(("free_ft", "verdict"), [(10.01, COMPLIES), (10, COMPLIES), (9.99, VIOLATES)])
def test_a_lane_of_ten_feet_must_be_left_in_each_direction(free_ft, verdict):
    for line in (CENTERLINE, None):
        checked = lanes(box(100, free_ft, 110, 18), centerline=line)
        assert outcome(checked, "lane_ft") == (verdict, pytest.approx(free_ft))
        assert outcome(checked, "lane_other_ft") == (COMPLIES, pytest.approx(18))


def test_the_worse_direction_comes_first():
    checked = lanes(box(100, -6, 110, 10))  # the work lies across the centerline
    assert outcome(checked, "lane_ft") == (VIOLATES, pytest.approx(8))
    assert "north half" in row_of(checked, "lane_ft").note
    assert outcome(checked, "lane_other_ft") == (COMPLIES, pytest.approx(12))
    assert "south half" in row_of(checked, "lane_other_ft").note


def test_less_than_a_lane_asks_for_a_flagman_in_the_laws_words():
    note = row_of(lanes(box(100, 8, 110, 18)), "lane_ft").note
    assert "a flagman or temporary traffic control signal shall be provided" in note
    assert "would still fit" in note  # 26 ft remain together
    assert "26.00 ft" in note
    assert "would not fit" in row_of(lanes(box(100, 1.9, 110, 18)), "lane_ft").note  # 19.9 ft


def test_of_the_gaps_in_one_direction_the_widest_is_the_lane():
    assert outcome(lanes(box(100, 7, 110, 9)), "lane_ft") == (VIOLATES, pytest.approx(9))  # 7 ft and 9 ft


def test_work_aslant_leaves_least_where_its_two_gaps_are_equal():
    # 2 ft high everywhere, rising 12 ft: from 0 and 16 ft over 8 and 8 to 12 and 4
    aslant = Polygon([(100, 0), (110, 12), (110, 14), (100, 2)])
    assert outcome(lanes(aslant), "lane_ft") == (VIOLATES, pytest.approx(8))


def test_what_else_is_on_the_pavement_counts():
    beside = [box(105, 0, 115, 3)]
    assert outcome(lanes(box(100, 12, 110, 18)), "lane_ft") == (COMPLIES, pytest.approx(12))
    assert outcome(lanes(box(100, 12, 110, 18), others=beside), "lane_ft") == (VIOLATES, pytest.approx(9))
    past = [box(115, 0, 125, 3)]
    assert outcome(lanes(box(100, 12, 110, 18), others=past), "lane_ft") == (COMPLIES, pytest.approx(12))


def test_work_that_takes_nothing_of_the_pavement_complies():
    for narrow in (STREET["pavement"], box(0, -7, 300, 7)):
        assert lanes(box(100, 19, 110, 25), pavement=narrow, others=[box(90, -5, 120, 5)]).verdict is COMPLIES


def test_a_half_from_which_nothing_is_taken_keeps_what_it_had():
    checked = lanes(box(100, 8, 110, 9), pavement=box(0, -9, 300, 9))
    assert outcome(checked, "lane_ft") == (VIOLATES, pytest.approx(8))
    assert outcome(checked, "lane_other_ft") == (COMPLIES, pytest.approx(9))


def test_a_half_counts_where_something_is_taken_of_it():
    # past x = 112 the north half is 9 ft wide, but there the work is on the south half
    narrowing = Polygon([(0, -18), (300, -18), (300, 9), (112, 9), (112, 18), (0, 18)])
    checked = lanes(MultiPolygon([box(100, 12, 110, 18), box(115, -18, 120, -12)]), pavement=narrowing)
    assert values(checked) == [pytest.approx(12), pytest.approx(12)]


def test_the_directions_part_at_the_centerline_and_not_at_the_middle():
    checked = lanes(box(100, 9.5, 110, 24), pavement=box(0, -12, 300, 24))
    assert outcome(checked, "lane_ft") == (VIOLATES, pytest.approx(9.5))
    assert outcome(checked, "lane_other_ft") == (COMPLIES, pytest.approx(12))


def test_a_centerline_beside_the_pavement_parts_nothing():
    checked = lanes(box(100, 9, 110, 18), centerline=LineString([(0, 40), (300, 40)]))
    assert values(checked) == [pytest.approx(9), pytest.approx(18)]


def test_work_that_may_take_something_is_undecided_where_others_block_the_street():
    checked = lanes(box(100, 19, 110, 25), others=[box(90, 0, 120, 18)], position_accuracy_ft=2)
    assert checked.verdict is UNDECIDED


@pytest.mark.parametrize(
    ("low", "accuracy_ft", "verdict"),
    [
        (12, 1.9, COMPLIES),
        (12, 2.1, UNDECIDED),
        (8, 2.1, UNDECIDED),
        (8, 1.9, VIOLATES),
        (19, 8.9, COMPLIES),  # a foot off the pavement: at worst it takes 7.9 ft of 18
        (19, 9.1, UNDECIDED),
    ],
)
def test_whether_a_lane_is_left_may_lie_within_the_uncertainty(low, accuracy_ft, verdict):
    checked = lanes(box(100, low, 110, 25), position_accuracy_ft=accuracy_ft)
    assert checked.verdict is verdict
    assert bool(row_of(checked, "lane_ft").settles) is (verdict is UNDECIDED)


def test_without_the_pavement_no_lane_is_checked():
    assert {row.verdict for row in lanes(box(100, 8, 110, 18), pavement=None).rows} == {NOT_CHECKED}


def test_the_worst_sections_are_drawn():
    drawn = {part.role: part for part in shares(box(100, 5, 110, 18), sidewalk=None, right_of_way=None).drawn}
    assert drawn["section"].shape.length == pytest.approx(36)
    assert drawn["section"].label.startswith("36% of 36.00 ft")
    assert drawn["gutter"].shape.bounds == pytest.approx((0, 16.5, 300, 18))
    gaps = [part for part in lanes(box(100, 8, 110, 18)).drawn if part.role == "gap"]
    assert [(gap.label, gap.shape.length) for gap in gaps] == [
        ("8.00 ft free, north half", pytest.approx(8)),
        ("18.00 ft free, south half", pytest.approx(18)),
    ]


# ------------------------------------------------------------------ against sections a tenth of a foot apart


def crossings(ring: list[tuple[float, float]], x: float) -> list[float]:
    """Where the vertical at x crosses a ring, ascending."""
    found = []
    for (x1, y1), (x2, y2) in pairwise(ring):
        if (x1 < x) != (x2 < x):
            found.append(y1 + (y2 - y1) * (x - x1) / (x2 - x1))
    return sorted(found)


@pytest.mark.parametrize("seed", range(8))
def test_no_section_is_worse_than_the_worst(seed):
    random = np.random.default_rng(seed)
    angles = np.sort(random.uniform(0, 2 * np.pi, 9))
    radii = random.uniform(3, 16, 9)
    star = Polygon(np.stack([150 + radii * np.cos(angles), 3 + radii * np.sin(angles)], axis=1))
    star = star if star.is_valid else star.convex_hull
    upper = [(0, 18), (145, 18), (152, 13), (160, 18), (300, 18)]
    pavement = Polygon([(0, -18), (300, -18), *upper[::-1]])
    taken, lane = 0.0, math.inf
    for x in np.arange(star.bounds[0] + 1e-4, star.bounds[2], 0.01):
        top = float(np.interp(x, *zip(*upper, strict=True)))
        ends = crossings(list(star.exterior.coords), x)
        spans = [(max(a, -18), min(b, top)) for a, b in zip(ends[::2], ends[1::2], strict=True) if a < top and b > -18]
        taken = max(taken, sum(b - a for a, b in spans) / (top + 18))
        for near, far in ((-18, 0), (0, top)):
            edges = [near, *(min(max(y, near), far) for span in spans for y in span), far]
            if any(b > near and a < far for a, b in spans):
                lane = min(lane, max(b - a for a, b in zip(edges[::2], edges[1::2], strict=True)))
    assert row_of(shares(star, pavement=pavement), "way_share").value == pytest.approx(taken, abs=2e-3)
    assert row_of(shares(star, pavement=pavement), "way_share").value >= taken - 1e-6
    values = [row.value for row in lanes(star, pavement=pavement).rows]
    assert min(values) == pytest.approx(lane, abs=0.1)
    assert min(values) <= lane + 1e-6


# ------------------------------------------------------------------ properties

PLACES = st.tuples(st.floats(20, 280), st.floats(-40, 40), st.floats(1, 30), st.floats(1, 15), st.floats(0, 180))
FEW = settings(max_examples=20, deadline=None)


def placed(place: tuple[float, ...]) -> Polygon:
    x, y, long, wide, turn = place
    return rotate(box(x - long / 2, y - wide / 2, x + long / 2, y + wide / 2), turn)


def values(checked: Checked) -> list[float]:
    return [math.nan if row.value is None else row.value for row in checked.rows]  # type: ignore[misc]


@FEW
@given(PLACES, st.floats(0, 360), st.floats(-1e5, 1e5))
def test_turning_and_moving_the_village_changes_nothing(place, turn, away):
    def moved(shape):
        return translate(rotate(shape, turn, origin=(0, 0)), away, 1e4)

    ways = {name: moved(shape) for name, shape in STREET.items() if name != "curb_lines"}
    curbs = [moved(line) for line in STREET["curb_lines"]]
    pile = placed(place)
    there = shares(moved(pile), **ways, curb_lines=curbs)
    assert values(there) == pytest.approx(values(shares(pile)), abs=1e-5, nan_ok=True)
    left = lanes(moved(pile), pavement=ways["pavement"], centerline=ways["axis"])
    assert values(left) == pytest.approx(values(lanes(pile)), abs=1e-4, nan_ok=True)


ORDER = [NOT_CHECKED, COMPLIES, UNDECIDED, VIOLATES]


@FEW
@given(PLACES, st.floats(0.1, 1), st.floats(0, 6))
def test_a_smaller_pile_is_never_worse(place, by, accuracy_ft):
    pile = placed(place)
    for check in (shares, lanes):
        whole = check(pile, position_accuracy_ft=accuracy_ft)
        part = check(scale(pile, by, by), position_accuracy_ft=accuracy_ft)
        assert ORDER.index(part.verdict) <= ORDER.index(whole.verdict)


@FEW
@given(PLACES, st.floats(0, 6), st.floats(0, 6))
def test_more_uncertainty_never_turns_violates_into_complies(place, some_ft, more_ft):
    pile = placed(place)
    for check in (shares, lanes):
        first = check(pile, position_accuracy_ft=some_ft).rows
        for row, then in zip(first, check(pile, position_accuracy_ft=some_ft + more_ft).rows, strict=True):
            assert (row.verdict, then.verdict) not in {
                (VIOLATES, COMPLIES),
                (UNDECIDED, COMPLIES),
                (COMPLIES, VIOLATES),
            }
