"""§ 288-15 C: base lines, families of streets and the halves that are North, South, East and West."""

import math

import numpy as np
import pytest

from gis.errors import NetworkError
from gis.findings import Finding
from gis.network import Piece, network
from tests.building import MAIN, VAN_BUREN, Village, base_lines, street, village

PLAIN = village()


def leaving(bearing_deg: float, length: float = 800, start: tuple[float, float] = (300, 300)) -> Piece:
    """Diagonal Way, straight at a compass bearing."""
    x, y = start
    turn = math.radians(bearing_deg)
    return street("Diagonal Way", (x, y), (x + length * math.sin(turn), y + length * math.cos(turn)))


def family(there: Village, name: str) -> str:
    (one,) = [s for s in there.map.network.streets if s.name == name]
    return one.family


# ------------------------------------------------------------------ C(1): the base lines and their four sides

# Nothing crosses the base lines but each other: 15 ft units, so a door 100 ft out has k = 100 // 15 = 6.


@pytest.mark.parametrize(
    ("name", "x", "y", "number", "half"),
    [
        (VAN_BUREN, 30, 100, 10 + 2 * 6, "North"),
        (VAN_BUREN, -30, 100, 11 + 2 * 6, "North"),
        (VAN_BUREN, 30, -100, 10 + 2 * 6, "South"),
        (VAN_BUREN, -30, -100, 11 + 2 * 6, "South"),
        (MAIN, 100, 30, 10 + 2 * 6, "East"),
        (MAIN, 100, -30, 11 + 2 * 6, "East"),
        (MAIN, -100, 30, 10 + 2 * 6, "West"),
        (MAIN, -100, -30, 11 + 2 * 6, "West"),
    ],
)
def test_north_and_east_sides_are_even_south_and_west_odd_in_every_quarter(name, x, y, number, half):
    assert PLAIN.number(name, x, y) == (number, half)


def test_north_is_the_way_of_van_buren_street_nearest_to_grid_north_however_drawn():
    for ends in ([(40, 1000), (-40, -1000)], [(-40, -1000), (40, 1000)]):
        axes = village(street(VAN_BUREN, *ends)).map.network
        assert axes.north == pytest.approx(np.array([40, 1000]) / math.hypot(40, 1000))
        assert axes.east == pytest.approx([1, 0])


def test_east_is_main_streets_way_clockwise_of_north_in_a_plat_turned_39_degrees():
    # turned 39 degrees clockwise Main Street runs to the south-east; turned the other way to the north-east
    for turn in (39, -39):
        s, c = math.sin(math.radians(turn)), math.cos(math.radians(turn))
        main = street(MAIN, (-1000 * c, 1000 * s), (1000 * c, -1000 * s))
        van_buren = street(VAN_BUREN, (1000 * s, 1000 * c), (-1000 * s, -1000 * c))
        axes = village(main, van_buren).map.network
        assert axes.east == pytest.approx([c, -s])
        assert axes.north == pytest.approx([s, c])


@pytest.mark.parametrize(
    ("pieces", "field"),
    [
        ([street("Alma Street", (0, 0), (0, 9))], "base_ew"),
        ([street(MAIN, (0, 0), (900, 0))], "base_ns"),
        ([street(MAIN, (0, 0), (900, 0)), street(VAN_BUREN, (0, 300), (900, 300))], "base_ns"),
        ([street(MAIN, (0, 0), (900, 0), (900, 900), (0, 0)), base_lines()[1]], "base_ew"),
    ],
    ids=["no Main Street", "no Van Buren Street", "they never cross", "Main Street is a closed loop"],
)
def test_without_two_base_lines_that_cross_nothing_is_numbered(pieces, field):
    with pytest.raises(NetworkError) as refusal:
        network(pieces, MAIN, VAN_BUREN)
    assert field in [fault.field for fault in refusal.value.faults]


def test_one_street_cannot_be_both_base_lines():
    with pytest.raises(NetworkError, match="another street than the east-west base line"):
        network([street(MAIN, (-900, 0), (900, 0))], MAIN, MAIN)


def test_base_lines_that_cross_only_when_extended_will_do():
    there = village(street(VAN_BUREN, (0, 200), (0, 900)))
    # 200 ft of extension count: (200 + 100) // 15 = 20
    assert there.number(VAN_BUREN, 30, 300) == (10 + 2 * 20, "North")


# ------------------------------------------------------------------ C(2): diagonal streets


@pytest.mark.parametrize(
    ("bearing_deg", "parallels", "doubts"),
    [
        (0, "NS", set()),
        (39.9, "NS", set()),  # 39.9 from Van Buren, 50.1 from Main: 10.2 apart
        (40.1, "NS", {"DIAGONAL_NEAR"}),  # 9.8 apart
        (44.4, "NS", {"DIAGONAL_NEAR"}),  # 1.2 apart
        (44.6, "NS", {"DIAGONAL_NEAR", "DIAGONAL_TIE"}),  # 0.8 apart
        (45.0, "NS", {"DIAGONAL_NEAR", "DIAGONAL_TIE"}),
        (45.4, "NS", {"DIAGONAL_NEAR", "DIAGONAL_TIE"}),  # nearer to Main, but within a degree
        (45.6, "EW", {"DIAGONAL_NEAR"}),
        (49.9, "EW", {"DIAGONAL_NEAR"}),
        (50.1, "EW", set()),
        (90, "EW", set()),
        (134.4, "EW", {"DIAGONAL_NEAR"}),
        (135.6, "NS", {"DIAGONAL_NEAR"}),
    ],
)
def test_a_diagonal_street_goes_with_the_base_line_it_tends_to_parallel(bearing_deg, parallels, doubts):
    there = village(leaving(bearing_deg))
    assert family(there, "Diagonal Way") == parallels
    assert {f.code for f in there.raised("Diagonal Way")} & {"DIAGONAL_NEAR", "DIAGONAL_TIE"} == doubts


def test_a_near_diagonal_says_how_near_and_to_which_it_is_read():
    (found,) = village(leaving(44)).raised("Diagonal Way")[:1]
    assert found.message == (
        "Diagonal Way lies 1.0 degrees from halfway between the base lines' bearings; "
        'it is read to "tend to parallel" Van Buren Street.'
    )


def test_the_family_is_measured_from_the_base_lines_and_not_from_the_compass():
    # A plat turned 30 degrees: a street at bearing 60 is 30 from Van Buren's 30, though the compass has it east-west.
    s, c = math.sin(math.radians(30)), math.cos(math.radians(30))
    main = street(MAIN, (-1500 * c, 1500 * s), (1500 * c, -1500 * s))
    van_buren = street(VAN_BUREN, (-1500 * s, -1500 * c), (1500 * s, 1500 * c))
    assert family(village(main, van_buren, leaving(60)), "Diagonal Way") == "NS"
    assert family(village(leaving(60)), "Diagonal Way") == "EW"


def test_a_bearing_is_the_mean_of_the_whole_street_weighted_by_length():
    # 300 ft north and 200 ft east: the doubled angles leave 100 ft of north
    assert family(village(street("Ell Street", (300, 300), (300, 600), (500, 600))), "Ell Street") == "NS"
    assert family(village(street("Ell Street", (300, 300), (300, 500), (600, 500))), "Ell Street") == "EW"


# ------------------------------------------------------------------ horseshoes and loops


def horseshoe(leg: float) -> Village:
    """Two legs north of y = 100 with 200 ft between: the mean's strength is (2 leg - 200) / (2 leg + 200)."""
    return village(street("Court Street", (300, 100), (300, 100 + leg), (500, 100 + leg), (500, 100)))


def test_a_horseshoe_without_a_clear_bearing_goes_by_the_chord_between_its_ends():
    # legs of 299 ft: 398 / 798 = 0.499. Its ends lie east and west of each other.
    there = horseshoe(299)
    assert family(there, "Court Street") == "EW"
    assert there.raised("Court Street")[0] == Finding(
        "BEARING_WEAK", {"street": "Court Street", "used": "the chord between its ends"}
    )


def test_a_horseshoe_with_a_clear_bearing_goes_by_it():
    # legs of 301 ft: 402 / 802 = 0.501
    there = horseshoe(301)
    assert family(there, "Court Street") == "NS"
    assert "BEARING_WEAK" not in {f.code for f in there.raised("Court Street")}


def test_a_horseshoe_on_main_street_is_numbered_east_from_van_buren_street():
    # It runs east-west by its chord, and neither end carried on reaches Van Buren: the straight line from the nearer
    # end, 300 ft. It meets Main Street, of its own family, square at both ends: block 1 is the horseshoe's 900 ft,
    # and 900 / 44 = 20.5. Looking outward the even side is left: outside the first leg, then north.
    there = village(street("Court Street", (300, 0), (300, 300), (600, 300), (600, 0)))
    assert there.blocks("Court Street", "East") == [(0, 300, 7), (300, 300 + 900, 20)]
    assert there.number("Court Street", 280, 100) == (100 + 10 + 2 * (100 // 20), "East")
    assert there.number("Court Street", 450, 320) == (100 + 10 + 2 * ((300 + 150) // 20), "East")
    assert there.number("Court Street", 620, 100) == (100 + 10 + 2 * ((300 + 300 + 200) // 20), "East")
    assert {"BEARING_WEAK", "EXTENSION_MISSES_BASELINE"} <= there.codes("Court Street", 280, 100)


# A square of 200 ft, nearest Main Street along its whole south side: cut at the corner nearest the crossing of the
# base lines, (200, 100). Fifty feet on, the west side is nearer to the crossing (200, 150) than the south (250, 100):
# it runs north first. The chord of its first 300 ft comes from (300, 300): carried on it reaches Main at (150, 0).
LOOP = village(street("Ring Street", (400, 300), (200, 300), (200, 100), (400, 100), (400, 300)))
WAY = math.hypot(50, 100)


@pytest.mark.parametrize(
    ("x", "y", "into", "first"),
    [
        (180, 200, WAY + 100, 11),  # outside the west side: west
        (220, 200, WAY + 100, 10),
        (300, 320, WAY + 200 + 100, 11),  # the odd side stays outside round the corner
        (300, 280, WAY + 200 + 100, 10),
        (420, 200, WAY + 400 + 100, 11),
        (300, 80, WAY + 600 + 100, 100 + 11),  # past 660 ft
    ],
)
def test_a_closed_loop_is_numbered_once_round_from_its_point_nearest_main_street(x, y, into, first):
    block = int(into // 660)
    assert LOOP.number("Ring Street", x, y) == (first + 2 * int((into - 660 * block) // 15), "North")


def test_a_closed_loop_is_left_to_an_officer():
    assert {f.code for f in LOOP.raised("Ring Street")} == {"LOOP", "BEARING_WEAK"}
    opened = village(street("Ring Street", (400, 300), (200, 300), (200, 100), (400, 100), (400, 294)))
    assert "LOOP" not in {f.code for f in opened.raised("Ring Street")}


def test_a_loop_nearly_closed_is_closed_where_its_ends_come_within_5_ft():
    nearly = village(street("Ring Street", (400, 300), (200, 300), (200, 100), (400, 100), (400, 295)))
    assert "LOOP" in {f.code for f in nearly.raised("Ring Street")}


def test_a_long_closed_loop_keeps_the_family_of_its_bearing():
    # 800 ft each way east and west against 200 ft north and south: 1600 - 400 over 2000 is 0.6
    flat = village(street("Ring Street", (300, 300), (1100, 300), (1100, 500), (300, 500), (300, 300)))
    assert family(flat, "Ring Street") == "EW"
    assert {f.code for f in flat.raised("Ring Street")} == {"LOOP"}


# ------------------------------------------------------------------ halves: where a street meets its base line


def sides(there: Village, name: str) -> set[str]:
    return {half.name for half in there.map.halves if there.map.network.streets[half.street].name == name}


@pytest.mark.parametrize(("over", "halves"), [(0, {"North"}), (5, {"North"}), (5.1, {"North", "South"})])
def test_an_overshoot_of_up_to_5_ft_is_no_half(over, halves):
    there = village(street("Alma Street", (440, -over), (440, 600)))
    assert sides(there, "Alma Street") == halves
    # a door in the overshoot counts at the base line
    side = "South" if "South" in halves else "North"
    assert there.number("Alma Street", 460, -over) == (10, side)


@pytest.mark.parametrize(
    ("short", "k"),
    [(5, 10 // 15), (5.1, 15 // 15)],  # it meets: counted from its end; it does not: the 5.1 ft count
)
def test_a_street_that_ends_within_5_ft_of_main_street_meets_it(short, k):
    there = village(street("Alma Street", (440, short), (440, 600)))
    assert there.number("Alma Street", 460, 15.05) == (10 + 2 * k, "North")


def test_a_door_at_the_base_line_takes_the_half_the_street_occupies():
    north = village(street("Alma Street", (440, 0), (440, 600)))
    south = village(street("Alma Street", (440, 0), (440, -600)))
    both = village(street("Alma Street", (440, 600), (440, -600)))
    assert north.number("Alma Street", 460, 0) == (10, "North")
    assert south.number("Alma Street", 460, 0) == (10, "South")
    assert both.number("Alma Street", 460, 0) == (10, "North")
    assert both.number("Alma Street", 420, 0) == (11, "North")
    # a hundredth of a foot off the line decides
    assert both.number("Alma Street", 460, -0.01) == (10, "South")


def test_a_door_past_the_end_at_the_base_line_keeps_the_half_of_the_street():
    south = village(street("Alma Street", (440, 0), (440, -600)))
    assert south.number("Alma Street", 460, 20) == (10, "South")
    assert "PAST_END" in south.codes("Alma Street", 460, 20)


def test_a_door_on_main_street_at_van_buren_street_is_east():
    assert PLAIN.number(MAIN, 0, 30) == (10, "East")
    assert PLAIN.number(MAIN, 0, -30) == (11, "East")
    assert PLAIN.number(MAIN, -0.01, -30) == (11, "West")


def test_a_door_at_the_base_line_goes_to_the_half_on_the_ground_where_the_other_is_missing():
    # Alma Street begins 60 ft south of Main and its other piece 20 ft north: the gap is not on the ground either way,
    # and the door is held to the nearer end.
    there = village(street("Alma Street", (440, -600), (440, -60)), street("Alma Street", (440, 20), (440, 600)))
    assert there.number("Alma Street", 460, 0) == (10 + 2 * (20 // 15), "North")
    assert there.number("Alma Street", 460, -25) == (10 + 2 * (60 // 15), "South")


# ------------------------------------------------------------------ a base line crossed more than once

# Weave Street crosses Main at (300, 0) and (500, 0), between them 600 ft south of it.
WEAVE = village(street("Weave Street", (300, 200), (300, -200), (500, -200), (500, 200)))


def test_a_street_that_crosses_main_street_twice_is_cut_at_each_crossing():
    assert WEAVE.number("Weave Street", 320, 100) == (10 + 2 * (100 // 15), "North")
    assert WEAVE.number("Weave Street", 520, 100) == (10 + 2 * (100 // 15), "North")
    (found,) = {f for f in WEAVE.raised("Weave Street") if f.code == "BASE_RECROSSED"}
    assert found.message == "Weave Street meets Main Street 2 times; each piece counts from its nearest crossing."


def test_the_piece_between_two_crossings_counts_from_the_one_nearer_the_crossing_of_the_base_lines():
    # 200 + 200 + 200 ft, bounded by Main Street again: 600 / 44 = 13.6, a unit of 14 ft
    assert (0, 600, 14) in WEAVE.blocks("Weave Street", "South")
    assert WEAVE.number("Weave Street", 280, -100) == (11 + 2 * (100 // 14), "South")
    # on the way back up the even side is still left of the walk outward: the west, literally
    assert WEAVE.number("Weave Street", 480, -100) == (10 + 2 * (500 // 14), "South")
    assert "SIDE_CARRIED" in WEAVE.codes("Weave Street", 480, -100)
    assert "SIDE_CARRIED" not in WEAVE.codes("Weave Street", 280, -100)


def test_which_crossing_a_piece_counts_from_does_not_hang_on_how_it_is_drawn():
    back = village(street("Weave Street", (500, 200), (500, -200), (300, -200), (300, 200)))
    for door in ((280, -100), (480, -100), (320, 100), (520, 100)):
        assert back.number("Weave Street", *door) == WEAVE.number("Weave Street", *door)


def test_the_other_crossing_bounds_a_block_of_any_length_also_where_main_street_is_only_extended():
    # 600 + 200 + 600 ft; an extended line so far off would leave "no apparent block". 1400 / 44 = 31.8
    main, weave = street(MAIN, (-1500, 0), (100, 0)), [(300, 300), (300, -600), (500, -600), (500, 300)]
    assert (0, 1400, 32) in village(main, street("Weave Street", *weave)).blocks("Weave Street", "South")


def test_a_street_that_crosses_main_street_once_is_not_recrossed():
    once = village(street("Weave Street", (300, 200), (300, -200), (500, -200), (500, -6)))
    assert "BASE_RECROSSED" not in {f.code for f in once.raised("Weave Street")}


def test_a_street_that_comes_back_within_5_ft_of_main_street_meets_it_again():
    again = village(street("Weave Street", (300, 200), (300, -200), (500, -200), (500, -5)))
    assert "BASE_RECROSSED" in {f.code for f in again.raised("Weave Street")}


def test_a_street_that_crosses_three_times_has_a_piece_for_each_stretch():
    there = village(
        street("Weave Street", (300, 400), (300, -400), (500, -400), (500, 400), (700, 400), (700, -400)),
    )
    assert sides(there, "Weave Street") == {"North", "South"}
    # the last piece runs south from (700, 0); the third, north between two crossings, counts from (500, 0)
    assert there.number("Weave Street", 720, -100) == (10 + 2 * (100 // 15), "South")
    unit = round((400 + 200 + 400) / 44)
    assert there.number("Weave Street", 520, 100) == (10 + 2 * (100 // unit), "North")
    assert there.number("Weave Street", 720, 100) == (11 + 2 * (900 // unit), "North")
