"""Pieces of one name chained to one line, however they are cut, drawn and ordered."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from shapely import LineString

from gis.chains import chain
from gis.linework import BRIDGE, Chain

Point = tuple[float, float]


def chained(*pieces: list[Point]) -> tuple[Chain, ...]:
    return chain([LineString(piece) for piece in pieces], noded_ft=5, chord_ft=50)


def one(*pieces: list[Point]) -> Chain:
    (single,) = chained(*pieces)
    return single


def shapes(*pieces: list[Point]) -> set[frozenset[tuple[Point, ...]]]:
    """The chains as vertices, drawn either way."""
    told = set()
    for made in chained(*pieces):
        line = tuple((round(x, 6), round(y, 6)) for x, y in made.coords.tolist())
        if made.closed:
            told.add(frozenset((point,) for point in line))
        else:
            told.add(frozenset({line, line[::-1]}))
    return told


def retold(pieces: tuple[list[Point], ...]) -> list[list[list[Point]]]:
    """The same pieces in every order and every direction."""
    ways = product(*([piece, piece[::-1]] for piece in pieces))
    return [list(order) for way in ways for order in permutations(way)]


# ------------------------------------------------------------------ pieces end to end


def test_one_piece_is_its_own_chain():
    assert one([(0, 0), (0, 100), (50, 100)]).coords.tolist() == [[0, 0], [0, 100], [50, 100]]


def test_pieces_that_meet_are_one_line_and_each_segment_knows_its_piece():
    made = one([(0, 200), (0, 100)], [(0, 0), (0, 100)], [(0, 200), (0, 300)])
    assert sorted(made.coords[:, 1].tolist()) == [0, 100, 200, 300]
    middles = (made.coords[:-1, 1] + made.coords[1:, 1]) / 2
    assert dict(zip(middles.tolist(), made.piece.tolist(), strict=True)) == {
        50: 1,
        150: 0,
        250: 2,
    }


@pytest.mark.parametrize(("gap", "bridged"), [(0.5, False), (5, False), (5.1, True)])
def test_ends_within_5_ft_are_brought_together_and_farther_ones_bridged(gap, bridged):
    made = one([(0, 0), (0, 100)], [(0, 100 + gap), (0, 300)])
    assert (BRIDGE in made.piece) == bridged
    assert made.length == pytest.approx(300)
    if not bridged:
        assert (100 + gap / 2) in made.coords[:, 1]  # at their middle


def test_doubled_pieces_count_once():
    assert one([(0, 0), (0, 100)], [(0, 100), (0, 0)], [(0, 40), (0, 90)]).length == 100


def test_the_longest_chain_comes_first():
    made = chained([(0, 0), (0, 100), (0, 400)], [(0, 100), (80, 100)])
    assert [path.length for path in made] == [400, 80]


# ------------------------------------------------------------------ gaps


def test_a_gap_is_bridged_straight_between_the_nearest_ends():
    made = one([(0, 0), (0, 100)], [(30, 140), (30, 300)])
    assert made.coords.tolist() in ([[0, 0], [0, 100], [30, 140], [30, 300]], [[30, 300], [30, 140], [0, 100], [0, 0]])
    assert made.piece.tolist() in ([0, BRIDGE, 1], [1, BRIDGE, 0])
    assert made.physical.sum() == 2


def test_gaps_are_bridged_nearest_free_ends_first():
    # three pieces in a row, 40 and 60 ft apart: the middle piece joins both neighbours, the far ends stay free
    made = one([(0, 0), (0, 100)], [(0, 140), (0, 200)], [(0, 260), (0, 300)])
    assert made.length == 300
    assert sorted(made.coords[:, 1].tolist()) == [0, 100, 140, 200, 260, 300]


def test_each_end_is_bridged_once():
    # both outer pieces lie nearest to the same end of the middle one: the nearer takes it, the other the far end
    made = one([(0, 0), (100, 0)], [(120, 0), (220, 0)], [(100, 30), (0, 30)])
    assert made.piece.tolist().count(BRIDGE) == 2
    joined = [made.coords[k : k + 2].tolist() for k in np.flatnonzero(made.piece == BRIDGE)]
    assert sorted(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in joined) == [20, pytest.approx(30)]


def test_the_side_of_a_piece_is_no_end_to_bridge_to():
    # the middle of the long piece is nearer, but only ends are bridged
    made = one([(0, 0), (400, 0)], [(200, 50), (200, 300)])
    assert made.length == pytest.approx(400 + math.hypot(200, 50) + 250)


# ------------------------------------------------------------------ branches


def test_at_a_branch_the_straightest_pair_runs_on():
    straight = [[(0, 0), (0, 100)], [(0, 100), (0, 200)]]
    branch = [(0, 100), (100, 150)]
    assert shapes(*straight, branch) == {
        frozenset({((0, 0), (0, 100), (0, 200)), ((0, 200), (0, 100), (0, 0))}),
        frozenset({((0, 100), (100, 150)), ((100, 150), (0, 100))}),
    }


def test_straightness_is_measured_on_chords_of_50_ft():
    # the first arm leaves straight on for 10 ft and turns off; the second leaves aslant and straightens
    trunk = [(0, 0), (0, 100)]
    turning = [(0, 100), (0, 110), (60, 110)]
    straightening = [(0, 100), (-8, 106), (-8, 300)]
    paths = chained(trunk, turning, straightening)
    assert paths[0].coords[[0, -1]].tolist() in ([[0, 0], [-8, 300]], [[-8, 300], [0, 0]])


def test_of_two_arms_as_straight_the_longer_runs_on():
    for left, right in ((200, 300), (300, 200)):
        paths = chained([(0, 0), (0, 100)], [(0, 100), (-left, 100 + left)], [(0, 100), (right, 100 + right)])
        far = -left if left > right else right
        assert far in paths[0].coords[:, 0]


@pytest.mark.parametrize(("short", "noded"), [(0, True), (4.9, True), (5.1, False)])
def test_an_end_within_5_ft_of_another_pieces_side_is_noded_to_it(short, noded):
    paths = chained([(0, 0), (0, 400)], [(short, 200), (300, 200)])
    assert len(paths) == (2 if noded else 1)  # otherwise the gap between free ends is bridged
    if noded:
        (branch,) = [path for path in paths if path.length < 350]
        assert [0, 200] in branch.coords.tolist()


def test_a_street_that_crosses_itself_in_two_pieces_runs_straight_on_twice():
    paths = chained([(-100, 0), (100, 0)], [(0, -100), (0, 150)])
    assert [path.length for path in paths] == [250, 200]


def test_three_arms_from_one_point_are_two_paths():
    arms = [[(0.0, 0.0), (200 * math.cos(a), 200 * math.sin(a))] for a in np.radians([90, 200, 330])]
    assert len(chained(*arms)) == 2


# ------------------------------------------------------------------ loops


def test_a_closed_piece_is_a_loop():
    ring = one([(0, 0), (0, 100), (100, 100), (100, 0), (0, 0)])
    assert (ring.closed, ring.length) == (True, 400)
    assert ring.coords[0].tolist() == ring.coords[-1].tolist()


def test_pieces_that_close_are_a_loop():
    assert one([(0, 0), (0, 100), (100, 100)], [(0, 0), (100, 0), (100, 100)]).closed


@pytest.mark.parametrize(("short", "closed"), [(4.9, True), (5.1, False)])
def test_an_end_within_5_ft_of_its_own_beginning_closes_the_loop(short, closed):
    assert one([(0, short), (0, 100), (100, 100), (100, 0), (0, 0)]).closed == closed


def test_a_lollipop_is_one_path_up_its_stem_and_round():
    paths = chained([(0, -200), (0, 0), (80, 80), (0, 160), (-80, 80), (0, 0)])
    assert sum(path.length for path in paths) == pytest.approx(200 + 4 * math.hypot(80, 80))
    assert len(paths) == 1
    assert not paths[0].closed


def test_a_short_piece_is_no_loop():
    # 4 ft long: its ends lie within 5 ft of each other, but it is a street
    made = one([(0, 0), (0, 4)])
    assert (made.length, made.closed) == (4, False)


# ------------------------------------------------------------------ order and direction do not matter


@pytest.mark.parametrize(
    "pieces",
    [
        ([(0, 0), (0, 100)], [(0, 100), (0, 250)], [(0, 250), (40, 400)]),
        ([(0, 0), (0, 100)], [(0, 140), (0, 250)], [(0, 310), (40, 400)]),
        ([(0, 0), (0, 100)], [(0, 100), (0, 250)], [(3, 100), (200, 130)]),
        ([(0, 0), (0, 103)], [(2, 100), (0, 250)], [(-4, 100), (-300, 130)]),
        ([(0, 0), (0, 100), (100, 100)], [(100, 100), (100, 0)], [(100, 0), (0, 0)]),
        ([(-100, 0), (100, 0)], [(0, -100), (0, 150)], [(0, 200), (0, 300)]),
    ],
    ids=["end to end", "gaps", "branch", "ends near a junction", "loop", "cross and gap"],
)
def test_pieces_make_the_same_lines_in_every_order_and_direction(pieces):
    first = shapes(*pieces)
    assert all(shapes(*others) == first for others in retold(pieces))


@pytest.mark.parametrize("at", [30, 100, 199])
def test_cutting_a_piece_changes_no_line(at):
    whole = [[(0.0, 0.0), (0.0, 200.0)], [(0.0, 100.0), (150.0, 130.0)]]
    parts = [[(0.0, 0.0), (0.0, float(at))], [(0.0, float(at)), (0.0, 200.0)], whole[1]]
    lengths = [sorted(round(path.length, 6) for path in chained(*pieces)) for pieces in (whole, parts)]
    assert lengths[0] == lengths[1]


# Two pieces that overlap 4 ft apart: each ends on the other's side, and their drawing must not matter.
OVER, BESIDE = [(0, 0), (300, 0)], [(250, 4), (600, 4)]


def lengths(*pieces):
    return sorted(round(path.length, 4) for path in chain([LineString(p) for p in pieces], 5, 50))


def test_overlapping_pieces_make_the_same_lines_drawn_either_way():
    assert lengths(OVER, BESIDE) == lengths(OVER[::-1], BESIDE) == lengths(BESIDE[::-1], OVER)


def test_overlapping_pieces_make_the_same_lines_in_the_mirror():
    mirror = np.array([-1, 1])
    assert lengths(OVER, BESIDE) == lengths(np.array(OVER) * mirror, np.array(BESIDE) * mirror)
