"""A junction "at an acute angle of 30 degrees or more": at exactly 30, turning the village must not decide."""

import math

import numpy as np

from tests.building import MAIN, VAN_BUREN, street, village


def lines_of(turn_deg):
    a = math.radians(turn_deg)
    m = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])

    def put(*points):
        return (np.array(points) @ m.T).tolist()

    fork = [(0, 400), (900 * math.sin(math.radians(30)), 400 + 900 * math.cos(math.radians(30)))]
    there = village(
        street(MAIN, *put((-1500, 0), (1500, 0))),
        street(VAN_BUREN, *put((0, -1500), (0, 1500))),
        street("Fork Street", *put(*fork)),
    )
    return len(there.blocks(VAN_BUREN, "North"))


def test_a_junction_of_exactly_30_degrees_makes_a_block_however_the_village_is_turned():
    assert {lines_of(turn) for turn in range(-40, 41)} == {1}
