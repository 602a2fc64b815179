"""§ 288-15 E: sides and parity, ends and bends, and which of two streets a building fronts on."""

import math

import pytest

from gis import numbering
from gis.numbering import Held
from gis.rules import Reading
from tests.building import MAIN, VAN_BUREN, street, village

PLAT = village(street("First Avenue", (-1500, 330), (1500, 330)))  # North Van Buren Street: 8 ft units
UNIT = 8


# ------------------------------------------------------------------ sides


def test_each_side_commences_with_10_or_11_and_steps_by_two():
    east = [PLAT.door(VAN_BUREN, 30, UNIT * k).number for k in range(4)]
    west = [PLAT.door(VAN_BUREN, -30, UNIT * k + 0.01).number for k in range(4)]
    assert (east, west) == ([10, 12, 14, 16], [11, 13, 15, 17])


@pytest.mark.parametrize(
    ("x", "number"), [(0.11, 10 + 2 * (100 // UNIT)), (0.1, 0), (0, 0), (-0.1, 0), (-0.11, 11 + 2 * (100 // UNIT))]
)
def test_a_point_within_a_tenth_of_a_foot_of_the_line_has_no_side_and_no_number(x, number):
    assert PLAT.number(VAN_BUREN, x, 100) == (number, "North")
    assert ("SIDE_UNDETERMINED" in PLAT.codes(VAN_BUREN, x, 100)) == (number == 0)


def test_a_point_on_the_line_past_the_end_has_no_side_either():
    court = village(street("Court Street", (500, 0), (500, 200)))
    assert court.number("Court Street", 500.09, 230)[0] == 0
    assert court.number("Court Street", 500.11, 230)[0] > 0


def test_no_side_is_said_with_its_limit():
    door = PLAT.door(VAN_BUREN, 0, 100)
    (found,) = numbering.findings(PLAT.frontages, door)
    assert found.message == "The point lies on the street's line, within 0.1 ft; it has no side and so no number."


# ------------------------------------------------------------------ round a bend

# Hook Street runs 400 ft north from Main, 200 ft east and 300 ft back south: looking outward its right is even. The
# leg back, carried on, meets Main again 100 ft farther on: a block of 1000 ft, and 1000 / 44 = 22.7.
HOOK = village(street("Hook Street", (300, 0), (300, 400), (500, 400), (500, 100)))


@pytest.mark.parametrize(
    ("x", "y", "station", "first", "carried"),
    [
        (320, 200, 200, 10, False),  # east of the first leg: even
        (280, 200, 200, 11, False),
        (400, 380, 500, 10, False),  # south of the leg east, which has no literal side: still the right
        (400, 420, 500, 11, False),
        (480, 300, 700, 10, True),  # west of the leg back: still the right
        (520, 300, 700, 11, True),
    ],
)
def test_parity_is_carried_round_a_bend_and_never_flips(x, y, station, first, carried):
    assert HOOK.blocks("Hook Street", "North") == [(0, 1000, 23)]
    assert HOOK.number("Hook Street", x, y) == (first + 2 * (station // 23), "North")
    assert ("SIDE_CARRIED" in HOOK.codes("Hook Street", x, y)) == carried


def test_a_carried_side_says_both_sides():
    found = numbering.findings(HOOK.frontages, HOOK.door("Hook Street", 520, 300))
    assert found[0].message == (
        "The entrance lies on the east here; the street's west side is carried round the bend, "
        "so that parity does not flip."
    )


def test_at_a_sharp_corner_the_side_is_that_of_both_legs():
    # Hairpin: north and back beside itself, 10 ft apart. Outside the turn is its left: odd all round.
    there = village(street("Pin Street", (300, 0), (300, 400), (310, 400), (310, 100)))
    assert there.door("Pin Street", 295, 405).number % 2 == 1
    assert there.door("Pin Street", 315, 405).number % 2 == 1
    assert there.door("Pin Street", 305, 300).number % 2 == 0  # between the legs


# ------------------------------------------------------------------ past the end

# Court Street ends 200 ft north of Main; extended, First Avenue bounds its block of 330 ft.
COURT = village(street("Court Street", (500, 0), (500, 200)), street("First Avenue", (-1500, 330), (1500, 330)))


@pytest.mark.parametrize(
    ("x", "y", "station", "past"),
    [(520, 199.99, 199.99, False), (520, 200, 200, False), (520, 200.02, 200, True), (520, 260, 200, True)],
)
def test_a_door_past_a_dead_end_is_counted_at_the_end(x, y, station, past):
    assert COURT.number("Court Street", x, y) == (10 + 2 * int(station // 8), "North")
    assert ("PAST_END" in COURT.codes("Court Street", x, y)) == past


def test_past_a_dead_end_the_side_is_that_of_the_ends_tangent():
    # the last leg runs north-east: a door due north of its end lies left of its tangent
    bent = village(street("Court Street", (500, 0), (500, 300), (560, 360)))
    station = 300 + math.hypot(60, 60)
    assert bent.number("Court Street", 560, 400) == (11 + 2 * int(station // 15), "North")
    assert bent.number("Court Street", 620, 370) == (10 + 2 * int(station // 15), "North")


def test_a_door_before_the_beginning_is_counted_there():
    short = village(street("Ridge Avenue", (900, 400), (900, 1000)))
    assert short.number("Ridge Avenue", 930, 380) == (10 + 2 * (400 // 15), "North")
    assert "PAST_END" in short.codes("Ridge Avenue", 930, 380)


# ------------------------------------------------------------------ held to the lot's own frontage


@pytest.mark.parametrize(
    ("y", "station", "outside"),
    [(100, 100, False), (100.5, 100.5, False), (90, 100, True), (139.99, 139.99, False), (150, 139.99, True)],
)
def test_an_entrance_is_held_to_its_lots_own_frontage(y, station, outside):
    half = PLAT.door(VAN_BUREN, 30, y).half
    (door,) = PLAT.doors(VAN_BUREN, 30, y, Held(half, 100, 140))
    assert (door.number, door.station) == (10 + 2 * int(station // 8), pytest.approx(station))
    assert ("OUTSIDE_FRONTAGE" in door.codes) == outside


def test_an_entrance_outside_the_frontage_says_how_far():
    half = PLAT.door(VAN_BUREN, 30, 90).half
    (door,) = PLAT.doors(VAN_BUREN, 30, 90, Held(half, 100, 140))
    (found,) = numbering.findings(PLAT.frontages, door)
    assert found.message == (
        "The entrance lies square to a point 10 ft outside the lot's own frontage; it is held to the frontage."
    )


def test_a_frontage_on_another_half_holds_nothing():
    other = PLAT.door(VAN_BUREN, 30, -90).half
    (door,) = PLAT.doors(VAN_BUREN, 30, 90, Held(other, 100, 140))
    assert door.number == 10 + 2 * (90 // 8)
    assert "OUTSIDE_FRONTAGE" not in door.codes


# ------------------------------------------------------------------ which street a building fronts on


@pytest.mark.parametrize(("y", "ambiguous"), [(44, True), (45, True), (45.1, False)])
def test_another_street_within_one_and_a_half_times_the_distance_is_ambiguous(y, ambiguous):
    # 30 ft from Van Buren Street, y from Main
    doors = PLAT.doors(None, 30, y)
    assert ["AMBIGUOUS_FRONTAGE" in door.codes for door in doors] == ([True, True] if ambiguous else [False])
    assert doors[0].number == 10 + 2 * (int(y) // 8)
    if ambiguous:
        streets = [PLAT.map.network.streets[door.street].name for door in doors]
        assert streets == [VAN_BUREN, MAIN]
        assert doors[1].number == 10 + 2 * (30 // 15)
        found = numbering.findings(PLAT.frontages, doors[0], doors[1:])
        assert found[0].message.startswith("Van Buren Street and Main Street are about as near;")


def test_a_street_the_caller_names_is_never_ambiguous():
    assert len(PLAT.doors(MAIN, 30, 44)) == 1
    assert PLAT.number(MAIN, 30, 44) == (10 + 2 * (30 // 15), "East")
    assert "AMBIGUOUS_FRONTAGE" not in PLAT.codes(MAIN, 30, 44)


def test_candidates_are_named_nearest_first_however_far_from_any_street():
    wide = village(
        street("North Avenue", (-1500, 1500), (1500, 1500)), street("East Street", (1500, -1500), (1500, 1500))
    )
    far = wide.doors(
        None, 800, 760
    )  # 740 ft from North Avenue, 700 from East Street, 760 from Main, 800 from Van Buren
    names = [wide.map.network.streets[door.street].name for door in far]
    assert names == ["East Street", "North Avenue", MAIN, VAN_BUREN]


def test_the_ratio_is_a_setting_of_the_reading():
    strict = village(reading=Reading(ambiguous_ratio=1.1))
    assert len(strict.doors(None, 30, 33)) == 2
    assert len(strict.doors(None, 30, 33.1)) == 1


def test_two_paths_of_one_street_are_no_second_street():
    # Y Street branches; a door as near to both arms has the nearer, and no ambiguity
    there = village(
        street("Y Street", (500, 0), (500, 600)),
        street("Y Street", (500, 300), (700, 500)),
    )
    assert len(there.doors(None, 560, 400)) == 1


# ------------------------------------------------------------------ a branched street


BRANCH = village(
    street("Fork Street", (500, 0), (500, 300), (500, 800)),
    street("Fork Street", (500, 300), (900, 320)),
)


def test_at_a_branch_the_straightest_pair_runs_on_and_the_other_path_is_numbered_by_itself():
    trunk, arm = (s for s in BRANCH.map.network.streets if s.name == "Fork Street")
    assert (trunk.path, trunk.family, arm.path, arm.family) == (0, "NS", 1, "EW")
    assert BRANCH.number("Fork Street", 480, 400) == (100 + 11 + 2 * (100 // 15), "North")
    # The arm is an east-west street: carried on it reaches Van Buren in 500.6 ft, rising 1 ft in 20. It meets the trunk
    # on the ground, which begins its block 1; its doors 200.2 ft along are north of it, even.
    along = math.hypot(200, 10)
    assert BRANCH.blocks("Fork Street", "East") == [(0, 500.62, 11)]
    assert BRANCH.number("Fork Street", 700 - 1, 310 + 20) == (100 + 10 + 2 * int(along // 15), "East")


def test_every_row_of_a_branched_street_says_so():
    rows = [r for r in BRANCH.map.rows if r.street == "Fork Street"]
    assert all("BRANCHED" in {f.code for f in r.findings} for r in rows)
    assert {r.path for r in rows} == {0, 1}
    assert "BRANCHED" in BRANCH.codes("Fork Street", 700, 330)


def test_a_street_in_two_pieces_end_to_end_is_not_branched():
    there = village(street("Fork Street", (500, 0), (500, 300)), street("Fork Street", (500, 300), (900, 700)))
    assert "BRANCHED" not in {f.code for f in there.raised("Fork Street")}


def test_a_door_of_a_branched_street_goes_to_the_nearest_path():
    near_trunk, near_arm = BRANCH.door("Fork Street", 530, 350), BRANCH.door("Fork Street", 560, 330)
    paths = [BRANCH.map.network.streets[d.street].path for d in (near_trunk, near_arm)]
    assert paths == [0, 1]
