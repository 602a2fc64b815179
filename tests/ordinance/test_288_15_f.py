"""§ 288-15 F: streets that do not reach their base line are numbered as if they did."""

import math

import pytest

from gis.network import Piece
from tests.building import MAIN, Village, street, village


def way(there: Village, name: str) -> tuple[float, str]:
    """How far a street begins from its base line, and how it gets there."""
    (half,) = [h for h in there.map.halves if there.map.network.streets[h.street].name == name]
    return half.way_ft, half.reached_by


def test_a_street_has_the_number_it_would_have_if_it_ran_through():
    avenues = [street(f"Avenue {y}", (-1500, y), (1500, y)) for y in (330, 660)]
    short = village(*avenues, street("Ridge Avenue", (900, 400), (900, 1500)))
    through = village(*avenues, street("Ridge Avenue", (900, 0), (900, 1500)))
    for y in (410, 500, 659, 700, 1400):
        assert short.number("Ridge Avenue", 930, y) == through.number("Ridge Avenue", 930, y)
    assert short.number("Ridge Avenue", 930, 500) == (100 + 10 + 2 * ((500 - 330) // 8), "North")


def test_the_way_stops_for_nothing():
    # Mill Street, crossed on the way, is of the other family; Hook Street of its own: neither stops it
    mill, hook = street("Mill Street", (600, 200), (1200, 200)), street("Hook Street", (880, 50), (920, 150))
    there = village(mill, hook, street("Ridge Avenue", (900, 400), (900, 1500)))
    assert way(there, "Ridge Avenue") == (pytest.approx(400), "extended")


def test_streets_crossed_on_the_way_bound_blocks_of_the_street_itself():
    mill = street("Mill Street", (600, 200), (1200, 200))
    there = village(mill, street("Ridge Avenue", (900, 400), (900, 1500)))
    assert there.blocks("Ridge Avenue", "North") == [(0, 200, 5)]
    assert there.number("Ridge Avenue", 930, 500) == (100 + 10 + 2 * ((500 - 200) // 15), "North")


def test_the_way_bounds_no_block_of_another_street():
    # Hook Street stops Far Road's extension; its way to Main goes on, and Main has a block line only from Hook Street:
    # carried on from (950, -150), 100 ft east in 250 ft north, it crosses Main at 1010 ft
    far, hook = street("Far Road", (900, -900), (900, -500)), street("Hook Street", (850, -400), (950, -150))
    there = village(far, hook)
    assert way(there, "Far Road") == (pytest.approx(500), "extended")
    assert there.blocks(MAIN, "East") == [(0, 1010, 23)]


def pair_of_ends(left: float, right: float, x: float = 300, y: float = 900) -> Village:
    """Arch Street: a leg down to `left` ft above Main at x, and one to `right` ft above it 200 ft farther east."""
    return village(street("Arch Street", (x, left), (x, y), (x + 200, y), (x + 200, right)))


@pytest.mark.parametrize(
    ("left", "right", "starts"),
    [
        (200, 300, "left"),
        (300, 200, "right"),  # it reaches from its other end
        (204.9, 200, "left"),  # within 5 ft of equal: the end nearer the crossing of the base lines
        (205.1, 200, "right"),
    ],
)
def test_a_street_is_carried_on_from_the_end_that_reaches_main_street_sooner(left, right, starts):
    there = pair_of_ends(left, right)
    x, first = (300, left) if starts == "left" else (500, right)
    assert way(there, "Arch Street") == (pytest.approx(first), "extended")
    # From there it runs north, and its right is east. Over the arch and down, extended, it meets Main again, but only
    # after 900 + 200 + 900 ft: no apparent block.
    assert there.number("Arch Street", x + 20, first + 50) == (10 + 2 * int((first + 50) // 15), "North")


def test_ends_as_near_in_every_way_are_told_apart_by_south_and_then_by_west():
    # both reach Main in 200 ft, and both are as far from the crossing of the base lines: the western end
    there = pair_of_ends(200, 200, x=-100)
    assert there.door("Arch Street", -80, 210).station == pytest.approx(210)
    there = village(street("Arch Street", (100, 200), (100, 900), (-100, 900), (-100, 200)))
    assert there.door("Arch Street", -80, 210).station == pytest.approx(210)


def test_of_two_ends_as_near_of_an_east_west_street_the_southern_is_first():
    there = village(street("Arch Lane", (200, -100), (900, -100), (900, 100), (200, 100)))
    assert there.door("Arch Lane", 210, -120).station == pytest.approx(210)


# ------------------------------------------------------------------ where neither end reaches


def test_a_street_that_misses_main_street_from_both_ends_is_joined_from_the_nearer_end():
    # Vee Street opens north-west and north-east: neither leg, carried on, comes down to Main
    vee = street("Vee Street", (300, 900), (400, 300), (500, 300), (600, 700))
    there = village(vee)
    assert way(there, "Vee Street") == (pytest.approx(700), "nearest")
    assert "EXTENSION_MISSES_BASELINE" in there.codes("Vee Street", 580, 700)
    # From (600, 700) outward it runs down: its right, the even side, is west. Half the leg is 206.2 ft.
    into = 700 + math.hypot(100, 400) / 2 - 660
    right = (550 - 20 * 4 / math.sqrt(17), 500 + 20 / math.sqrt(17))
    assert there.number("Vee Street", *right) == (100 + 10 + 2 * int(into // 15), "North")


def test_a_street_that_reaches_main_street_from_one_end_does_not_miss_it():
    there = village(street("Vee Street", (300, 900), (400, 300), (500, 300), (500, 299)))
    assert "EXTENSION_MISSES_BASELINE" not in {f.code for f in there.raised("Vee Street")}


def toward(x: float) -> Piece:
    """A street of 100 ft from (1400, -1000), aimed at (x, 0) on Main Street extended."""
    share = 100 / math.hypot(x - 1400, 1000)
    return street("Aim Street", (1400, -1000), (1400 + share * (x - 1400), -1000 + share * 1000))


@pytest.mark.parametrize(("x", "reached_by"), [(1500 + 659, "extended"), (1500 + 661, "nearest")])
def test_main_street_is_reached_only_as_far_as_it_extends(x, reached_by):
    there = village(toward(x))
    length, how = way(there, "Aim Street")
    assert how == reached_by
    if how == "extended":
        assert length == pytest.approx(math.hypot(x - 1400, 1000) - 100)
