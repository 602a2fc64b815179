"""Stations, chords, bearings and projections, on lines whose measures can be checked by hand."""

import math

import numpy as np
import pytest

from gis.linework import BRIDGE, Chain, axial_bearing, axial_difference, chord, cut, end_direction, point_at
from gis.segments import Segments, crossing

ELL = np.array([[0.0, 0.0], [0.0, 100.0], [50.0, 100.0]])  # 100 ft north, 50 ft east
HAIRPIN = np.array([[0.0, 0.0], [0.0, 100.0], [0.0, 40.0]])  # 100 ft north, 60 ft back on itself
SQUARE = np.array([[0.0, 0.0], [0.0, 100.0], [100.0, 100.0], [100.0, 0.0], [0.0, 0.0]])
S = math.sqrt(0.5)


def chain(coords: np.ndarray, *piece: int, closed: bool = False) -> Chain:
    return Chain(coords, np.array(piece or [0] * (len(coords) - 1)), closed)


def projected(coords: np.ndarray, x: float, y: float, *, closed: bool = False, kept: list[bool] | None = None):
    """The point projected on the nearest segment that is kept, as one number and as a column."""
    keep = np.array(kept or [True] * (len(coords) - 1))
    table = Segments.of([(coords, keep, closed)])
    feet = table.project(np.arange(len(table.x)), np.full(len(table.x), x), np.full(len(table.x), y))
    near = int(np.argmin(np.hypot(x - feet.foot_x, y - feet.foot_y)))
    one = table.project(near, x, y)
    assert [float(value) for value in one] == [float(column[near]) for column in feet]
    return one


# ------------------------------------------------------------------ stations and chords


def test_stations_run_along_the_line_from_its_start():
    assert chain(ELL).stations.tolist() == [0, 100, 150]
    assert chain(ELL).length == 150
    assert chain(ELL).reversed().stations.tolist() == [0, 50, 150]
    assert chain(ELL).reversed().reversed().coords.tolist() == ELL.tolist()


@pytest.mark.parametrize(
    ("station", "point"),
    [(-5, [0, 0]), (0, [0, 0]), (100, [0, 100]), (120, [20, 100]), (150, [50, 100]), (999, [50, 100])],
)
def test_a_point_at_a_station_is_held_to_the_ends(station, point):
    assert point_at(ELL, station).tolist() == point


def test_a_gap_is_part_of_the_line_but_not_on_the_ground():
    gapped = chain(ELL, 0, BRIDGE)
    assert gapped.length == 150
    assert gapped.physical.tolist() == [True, False]


@pytest.mark.parametrize(
    ("station", "vector"),
    [(0, [0, 50]), (20, [0, 70]), (50, [0, 100]), (80, [30, 70]), (100, [50, 50]), (150, [50, 0])],
)
def test_a_chord_reaches_50_ft_before_and_after_and_is_clipped_at_the_ends(station, vector):
    assert chord(ELL, station, 50).tolist() == vector


@pytest.mark.parametrize(
    ("reach", "direction"),
    [
        (50, [1, 0]),
        (100, [S, S]),
        (150, np.array([50, 100]) / math.hypot(50, 100)),
        (300, np.array([50, 100]) / math.hypot(50, 100)),
    ],
)
def test_a_line_runs_on_along_the_chord_over_its_end_or_its_whole_length(reach, direction):
    assert end_direction(ELL, reach, at_end=True) == pytest.approx(np.array(direction))


def test_past_its_start_a_line_runs_on_backward():
    assert end_direction(ELL, 50, at_end=False).tolist() == [0, -1]


def test_a_line_whose_chord_closes_on_itself_runs_on_as_its_last_step():
    assert end_direction(SQUARE, 400, at_end=True).tolist() == [-1, 0]
    assert end_direction(SQUARE, 400, at_end=False).tolist() == [0, -1]


def test_a_loop_can_begin_anywhere_and_keeps_its_pieces_in_place():
    begun = chain(SQUARE, 0, 1, 2, 3, closed=True).started_at(150)
    assert begun.coords.tolist() == [[50, 100], [100, 100], [100, 0], [0, 0], [0, 100], [50, 100]]
    assert begun.piece.tolist() == [1, 2, 3, 0, 1]
    assert (begun.length, begun.closed) == (400, True)
    whole = chain(SQUARE, 0, 1, 2, 3, closed=True).started_at(0)
    assert whole.coords.tolist() == SQUARE.tolist()


def test_a_line_is_cut_inside_and_not_at_its_ends():
    coords, pieces = cut(ELL, np.array([4, 7]), [0, 30, 120, 150, 200])
    assert [part.tolist() for part in coords] == [
        [[0, 0], [0, 30]],
        [[0, 30], [0, 100], [20, 100]],
        [[20, 100], [50, 100]],
    ]
    assert [part.tolist() for part in pieces] == [[4], [4, 7], [7]]


def test_a_cut_at_a_vertex_leaves_whole_pieces():
    coords, pieces = cut(ELL, np.array([4, 7]), [100, 100])
    assert [part.tolist() for part in coords] == [[[0, 0], [0, 100]], [[0, 100], [50, 100]]]
    assert [part.tolist() for part in pieces] == [[4], [7]]


# ------------------------------------------------------------------ bearings without direction


@pytest.mark.parametrize(
    ("steps", "bearing", "strength"),
    [
        ([(0, 10)], 0, 1),
        ([(0, -10)], 0, 1),  # drawn the other way
        ([(10, 0), (-5, 0)], 90, 1),
        ([(3, 3)], 45, 1),
        ([(3, -3)], 135, 1),
        ([(0, 300), (100, 0)], 0, 0.5),  # (300 - 100) / 400
        ([(0, 100), (300, 0)], 90, 0.5),
        ([(0, 100), (100, 100)], math.degrees(math.atan2(math.sqrt(2), 1)) / 2, math.sqrt(3) / (1 + math.sqrt(2))),
        ([(-1, 60), (1, 60)], 0, 1 - 2 / 3601),  # either side of north, not the mean of 1 and 179 degrees
    ],
)
def test_a_bearing_is_the_mean_of_doubled_angles_weighted_by_length(steps, bearing, strength):
    got, resultant = axial_bearing(np.array(steps, dtype=float))
    assert axial_difference(got, bearing) == pytest.approx(0, abs=1e-9)
    assert 0 <= got <= 180
    assert resultant == pytest.approx(strength)


def test_directions_that_cancel_have_no_strength():
    assert axial_bearing(np.array([[0.0, 100.0], [100.0, 0.0]]))[1] == pytest.approx(0)


@pytest.mark.parametrize(
    ("first", "second", "apart"), [(0, 90, 90), (10, 175, 15), (175, 10, 15), (0, 180, 0), (44, 134, 90), (1, 92, 89)]
)
def test_two_bearings_differ_by_at_most_90_degrees(first, second, apart):
    assert axial_difference(first, second) == apart


# ------------------------------------------------------------------ projections


@pytest.mark.parametrize(
    ("x", "y", "station", "offset"),
    [
        (-20, 60, 60, 20),  # left of the way north: west
        (20, 60, 60, -20),
        (30, 120, 130, 20),  # left of the way east: north
        (30, 80, 130, -20),
        (0, 60, 60, 0),
    ],
)
def test_offsets_are_positive_left_of_the_line_as_drawn(x, y, station, offset):
    on = projected(ELL, x, y)
    assert (on.station, on.offset, on.past) == (station, offset, 0)


def test_reversing_a_line_turns_stations_and_sides_about():
    there, back = projected(ELL, 30, 120), projected(ELL[::-1].copy(), 30, 120)
    assert (back.station, back.offset) == (150 - there.station, -there.offset)
    assert (back.foot_x, back.foot_y) == (there.foot_x, there.foot_y)


@pytest.mark.parametrize(("x", "y"), [(-3, 104), (-30, 101), (-1, 140), (-50, 150)])
def test_outside_a_bend_a_point_is_at_its_vertex_and_left_of_both_legs(x, y):
    on = projected(ELL, x, y)
    assert (on.station, on.foot_x, on.foot_y) == (100, 0, 100)
    assert on.offset == pytest.approx(math.hypot(x, y - 100))
    assert (on.left_x, on.left_y) == pytest.approx((-S, S))


def test_inside_a_bend_a_point_goes_to_the_nearer_leg():
    assert projected(ELL, 10, 80).station == 80
    assert projected(ELL, 20, 90).station == 120
    assert projected(ELL, 10, 80).offset == -10


@pytest.mark.parametrize(
    ("x", "y", "station", "offset", "past"),
    [
        (-10, -30, 0, 10, 30),  # before the start: still left of the first step
        (10, -30, 0, -10, 30),
        (80, 110, 150, 10, 30),
        (80, 90, 150, -10, 30),
        (80, 100, 150, 0, 30),  # straight on: no side
    ],
)
def test_past_an_end_the_offset_is_measured_from_the_ends_tangent(x, y, station, offset, past):
    on = projected(ELL, x, y)
    assert (on.station, on.offset, on.past) == (station, offset, past)


def test_square_to_an_end_a_point_is_not_past_it():
    assert projected(ELL, 50, 130).past == 0
    assert projected(ELL, -30, 0).past == 0


def test_at_the_tip_of_a_hairpin_the_side_is_that_of_the_leg_it_lies_by():
    # the legs' left vectors cancel; neither decides for the other
    on = projected(HAIRPIN, -10, 110)
    assert (on.station, on.offset) == (100, pytest.approx(math.hypot(10, 10)))
    assert on.past == 0


def test_a_closed_line_has_no_end_and_its_corner_has_the_side_of_both_steps():
    on = projected(SQUARE, -10, -10, closed=True)
    assert on.past == 0
    assert (on.left_x, on.left_y) == pytest.approx((-S, -S))
    assert projected(SQUARE, -10, -10).past == pytest.approx(10)


def test_a_gap_has_ends():
    # 100 ft, a gap of 100 ft, 100 ft: a point beside the gap is past an end
    gapped = np.array([[0.0, 0.0], [0.0, 100.0], [0.0, 200.0], [0.0, 300.0]])
    near = projected(gapped, 10, 130, kept=[True, False, True])
    assert (near.station, near.offset, near.past) == (100, -10, 30)
    far = projected(gapped, 10, 180, kept=[True, False, True])
    assert (far.station, far.offset, far.past) == (200, -10, 20)


def test_each_line_of_a_table_has_its_own_stations_and_owner():
    table = Segments.of([(ELL, np.array([True, True]), False), (ELL + 500, np.array([False, True]), False)])
    assert table.owner.tolist() == [0, 0, 1]
    assert table.station.tolist() == [0, 100, 100]
    assert table.open_start.tolist() == [True, False, True]
    assert table.open_end.tolist() == [False, True, True]


def test_doubled_vertices_are_no_segments():
    doubled = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 100.0]])
    assert projected(doubled, -10, 40).station == 40
    assert len(Segments.of([(doubled, np.array([True, True]), False)]).x) == 1


# ------------------------------------------------------------------ crossings


@pytest.mark.parametrize(
    ("other", "along"),
    [
        ([(4, -5), (4, 5)], 0.4),
        ([(0, -5), (0, 5)], 0),
        ([(10, 0), (10, 5)], 1),  # they only touch
        ([(11, -5), (11, 5)], math.nan),
        ([(4, 1), (4, 5)], math.nan),
        ([(4, 1e-9), (4, 5)], 0.4),  # noise does not part them
        ([(0, 1), (10, 1)], math.nan),  # parallel
        ([(2, 0), (8, 0)], math.nan),  # the same line
    ],
)
def test_two_segments_cross_where_they_do(other, along):
    ends = np.array(other, dtype=float)
    got, _ = crossing(np.array([[0.0, 0.0]]), np.array([[10.0, 0.0]]), ends[:1], ends[1:] - ends[:1])
    assert got == pytest.approx([along], nan_ok=True)


def test_a_line_drawn_due_north_or_south_has_one_bearing():
    assert axial_bearing(np.array([[0.0, -10.0]]))[0] == axial_bearing(np.array([[0.0, 10.0]]))[0] == 0
