"""§ 288-15 A and B: which doors the village numbers at all."""

import math

import numpy as np
import pytest

from gis import numbering
from gis.frontages import FIND_STREET, NO_STREET
from tests.building import VAN_BUREN, street, village

# The corners of the outer streets make the hull a square, 1,500 ft each way.
SQUARE = village(
    street("North Avenue", (-1500, 1500), (1500, 1500)),
    street("South Avenue", (-1500, -1500), (1500, -1500)),
)


@pytest.mark.parametrize(("x", "told"), [(1500 + 660, set()), (1500 + 660.1, {"OUT_OF_VILLAGE"})])
def test_the_village_ends_660_ft_outside_its_outermost_streets(x, told):
    assert SQUARE.codes("North Avenue", x, 1000) & {"OUT_OF_VILLAGE"} == told


def test_the_village_is_rounded_at_its_corners():
    # 467 ft out both ways is 660.4 ft from the corner, 466 ft is 659.0
    assert "OUT_OF_VILLAGE" not in SQUARE.codes("North Avenue", 1500 + 466, 1500 + 466)
    assert "OUT_OF_VILLAGE" in SQUARE.codes("North Avenue", 1500 + 467, 1500 + 467)


def test_a_point_outside_the_village_says_how_far_outside():
    door = SQUARE.door(None, 1500 + 760, 0)
    (found,) = numbering.findings(SQUARE.frontages, door)
    assert door.number == 0
    assert found.message == "The point lies 100 ft beyond the edge of the village's streets grown by 660 ft."


@pytest.mark.parametrize(("x", "y"), [(math.nan, 0), (0, math.nan), (math.inf, 0), (0, -math.inf)])
def test_a_coordinate_that_is_no_number_is_said_to_be_bad(x, y):
    door = SQUARE.door(VAN_BUREN, x, y)
    assert (door.number, door.codes) == (0, ("BAD_COORDINATE",))


def test_a_street_that_is_not_in_the_linework_is_said_to_be_unknown():
    door = SQUARE.door("Elm Street", 30, 100)
    (found,) = numbering.findings(SQUARE.frontages, door, street="Elm Street")
    assert (door.number, found.message) == (0, "Elm Street is not a street of the village's linework.")


def test_everything_wrong_with_a_door_is_said_at_once():
    assert SQUARE.door("Elm Street", math.nan, 0).codes == ("UNKNOWN_STREET", "BAD_COORDINATE")
    assert SQUARE.door("Elm Street", 5000, 0).codes == ("UNKNOWN_STREET", "OUT_OF_VILLAGE")


def test_bad_doors_among_good_ones_change_nothing_for_the_good():
    x, y = np.array([30, math.nan, 30, 9000, -30.0]), np.array([100, 0, 100, 0, 100.0])
    van_buren = SQUARE.id(VAN_BUREN)
    ids = np.array([van_buren, van_buren, NO_STREET, FIND_STREET, FIND_STREET])
    doors = numbering.number(SQUARE.frontages, x, y, ids)
    k = 100 // 34  # the block is 1,500 ft long: 1500 / 44 = 34.1
    assert doors.number.tolist() == [10 + 2 * k, 0, 0, 0, 11 + 2 * k]
    assert [doors.at(i).codes for i in (1, 2, 3)] == [("BAD_COORDINATE",), ("UNKNOWN_STREET",), ("OUT_OF_VILLAGE",)]


def test_no_doors_at_all_are_no_doors():
    none = np.zeros(0)
    assert numbering.number(SQUARE.frontages, none, none, np.zeros(0, dtype=int)).number.shape == (0,)
    assert numbering.number(SQUARE.frontages, none, none).number.shape == (0,)
