"""§ 288-15 H: "Only one number shall be assigned to any house or building", and no number to two of them."""

import pytest

from gis.faces import Choice, choose

LOT = [20, 22, 24, 26, 28, 30]
"""The numbers of a lot's frontage."""


def test_the_number_computed_is_given_where_it_is_free():
    assert choose(24, 60, LOT, {}) == Choice(24, True, "24 is the number computed.")
    assert choose(24, 60, LOT, {22: 50, 26: 70}).number == 24


def test_it_is_given_also_where_the_row_was_out_of_order_before():
    given = choose(24, 60, LOT, {22: 90})
    assert (given.number, given.in_order) == (24, False)


@pytest.mark.parametrize(
    ("held_at", "number"),
    [
        (55, 26),  # held nearer the base line: a higher number keeps the order
        (65, 22),  # held farther out: a lower one
        (None, 22),  # it is not known where: the lower of two as near
        (60, 22),
    ],
)
def test_a_held_number_gives_way_to_the_nearest_that_keeps_the_row_in_order(held_at, number):
    given = choose(24, 60, LOT, {24: held_at})
    assert (given.number, given.in_order) == (number, True)
    assert given.why == f"24 is held; {number} is the nearest free that keeps the row in order."


def test_order_goes_before_nearness():
    # 24 and 26 are held nearer the base line, 22 is free but would stand outside them
    given = choose(24, 60, LOT, {24: 40, 26: 50})
    assert (given.number, given.in_order) == (28, True)
    assert choose(24, 60, LOT, {24: 40, 26: 50, 28: 55}).number == 30


def test_where_no_number_keeps_the_order_the_one_that_disturbs_it_least_is_given_and_said_to_break_it():
    given = choose(24, 60, [20, 22, 24], {24: 40})
    assert (given.number, given.in_order) == (22, False)
    assert given.why == "24 is held; of those free 22 disturbs the order least, and is out of order with 24."


def test_a_number_of_the_lot_is_given_where_the_one_computed_is_the_neighbours():
    given = choose(18, 45, LOT, {})
    assert (given.number, given.in_order) == (20, True)
    assert given.why == (
        "18 is not among the numbers that may be given here; 20 is the nearest free that keeps the row in order."
    )


def test_a_neighbours_number_is_never_borrowed_nor_the_other_sides():
    given = choose(24, 60, [23, 24, 25], {24: 60})
    assert given == Choice(None, False, "24 is held, and no other of its side is free.")
    assert choose(24, 60, [], {}).number is None
    assert choose(24, 60, LOT, dict.fromkeys(LOT)).number is None


@pytest.mark.parametrize(("held_at", "number"), [(55, 26), (65, 22), (60, 22)])
def test_an_old_number_that_fits_nowhere_does_not_undo_the_order_of_the_others(held_at, number):
    # on the next block outward someone holds 12, so that every number here is out of order with it
    given = choose(24, 60, LOT, {24: held_at, 12: 500})
    assert (given.number, given.in_order) == (number, False)
    assert "out of order with 12." in given.why
