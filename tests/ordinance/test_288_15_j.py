"""§ 288-15 J: "the number or numbers belonging or embraced within the limits of said lot or property"."""

import math
from itertools import pairwise

import pytest
from shapely import Polygon, box, from_wkt

from gis.errors import GeometryError
from gis.lots import Embraced, embraced
from tests.building import MAIN, VAN_BUREN, Village, street, village

# North Van Buren Street has blocks of 330 ft and 8 ft units; nothing crosses Main: 15 ft units.
PLAT = village(*(street(f"Avenue {y}", (-1500, y), (1500, y)) for y in (330, 660)))


def fronts(lot: Polygon, there: Village = PLAT, name: str | None = VAN_BUREN) -> list[Embraced]:
    return list(embraced(there.frontages, lot, None if name is None else there.id(name)))


def units(first: int, start: int, stop: int, hundred: int = 0) -> tuple[int, ...]:
    """Numbers of the units start to stop - 1 of a side that commences with `first`."""
    return tuple(hundred + first + 2 * k for k in range(start, stop))


# ------------------------------------------------------------------ which units are the lot's


def test_a_lot_embraces_the_numbers_whose_units_start_within_its_frontage():
    (front,) = fronts(box(20, 80, 120, 160))
    assert front.numbers == units(10, 80 // 8, 160 // 8)  # the unit that starts at 160 is the neighbour's
    assert (front.side, front.frontage.even, front.shared, front.tail_ft) == ("North", True, None, 0)
    assert (front.frontage.from_ft, front.frontage.to_ft, front.frontage.distance_ft) == (80, 160, 20)


def test_a_lot_on_the_west_side_embraces_odd_numbers():
    (front,) = fronts(box(-120, 80, -20, 160))
    assert front.numbers == units(11, 10, 20)


@pytest.mark.parametrize(
    ("low", "shared", "first"),
    [(80, None, 10), (80.01, 10 + 2 * 10, 11), (84, 10 + 2 * 10, 11), (87.99, 10 + 2 * 10, 11), (88, None, 11)],
)
def test_a_unit_shared_with_the_neighbour_goes_to_the_lot_that_holds_its_start(low, shared, first):
    (front,) = fronts(box(20, low, 120, 160))
    assert (front.shared, front.numbers) == (shared, units(10, first, 20))


def test_neighbours_share_out_every_number_of_a_face_once():
    cuts = [1, 40, 83.3, 141, 200, 262.5, 329]
    rows = [fronts(box(20, low, 120, high))[0].numbers for low, high in pairwise(cuts)]
    assert [n for row in rows for n in row] == list(units(10, 1, 42))  # the units from 8 to 328 ft


def test_a_lot_narrower_than_a_unit_may_hold_no_start():
    (front,) = fronts(box(20, 81, 120, 87))
    assert (front.numbers, front.shared) == ((), 10 + 2 * 10)


def test_a_lot_across_a_block_line_has_numbers_of_both_blocks():
    # Stub Lane, extended, splits the block of 400 ft at 200: 5 ft units, and lots may lie across it
    there = village(street("First Avenue", (-1500, 400), (1500, 400)), street("Stub Lane", (900, 200), (1500, 200)))
    (front,) = fronts(box(20, 190, 120, 210), there)
    assert front.numbers == (*units(10, 38, 40), *units(10, 0, 2, 100))


def test_a_lot_in_an_open_block_has_15_ft_units():
    (front,) = fronts(box(20, 660 + 30, 120, 660 + 90))
    assert front.numbers == units(10, 2, 6, 200)


# ------------------------------------------------------------------ the tail of a block


@pytest.mark.parametrize(
    ("low", "high", "numbers", "shared", "tail"),
    [
        (300, 314, (10 + 2 * 43, 10 + 2 * 44), 10 + 2 * 42, 0),
        (310, 327, (), 10 + 2 * 44, 327 - 315),  # 45 units of 7 ft end at 315
        (316, 327, (), None, 327 - 316),
    ],
)
def test_a_lot_in_the_tail_is_told_how_much_of_it_has_no_number(low, high, numbers, shared, tail):
    there = village(*(street(f"Avenue {y}", (-1500, y), (1500, y)) for y in (328, 728)))
    (front,) = fronts(box(20, low, 120, high), there)
    assert (front.numbers, front.shared, front.tail_ft) == (numbers, shared, pytest.approx(tail))


# ------------------------------------------------------------------ lots of every shape


def test_a_corner_lot_fronts_on_both_streets():
    main, van_buren = sorted(fronts(box(21, 20, 121, 120), name=None), key=lambda f: f.frontage.street)
    assert (main.frontage.street, van_buren.frontage.street) == (MAIN, VAN_BUREN)
    assert main.numbers == units(10, 2, 9)  # from 21 to 121 ft in 15 ft units: 30 to 120
    assert main.shared == 10 + 2 * 1
    assert van_buren.numbers == units(10, 3, 15)  # from 20 to 120 ft in 8 ft units: 24 to 112
    assert (main.side, van_buren.side) == ("East", "North")


def test_the_nearest_frontage_is_listed_first():
    streets = [f.frontage.street for f in fronts(box(21, 20, 121, 120), name=None)]
    assert streets == [MAIN, VAN_BUREN]


def test_one_street_may_be_asked_about_alone():
    (front,) = fronts(box(21, 20, 121, 120), name=MAIN)
    assert front.frontage.street == MAIN


def test_a_lot_through_a_block_fronts_on_the_streets_at_both_its_ends():
    there = village(street("Alma Street", (440, -100), (440, 900)))
    east, west = sorted(fronts(box(20, 150, 420, 210), there, None), key=lambda f: f.frontage.even)
    assert (east.frontage.street, west.frontage.street) == ("Alma Street", VAN_BUREN)
    assert east.numbers == units(11, 10, 14)
    assert west.numbers == units(10, 10, 14)


def test_a_flag_lot_fronts_only_by_its_pole():
    flag = [(20, 100), (120, 100), (120, 40), (260, 40), (260, 200), (120, 200), (120, 120), (20, 120)]
    (front,) = fronts(Polygon(flag))
    assert (front.frontage.from_ft, front.frontage.to_ft) == (100, 120)
    assert (front.numbers, front.shared) == (units(10, 13, 15), 10 + 2 * 12)  # 104 and 112


def test_a_notch_in_front_of_another_part_of_the_lot_does_not_hide_it():
    # L-shaped: 20 ft from the street between 100 and 150 ft, 50 ft from it between 150 and 200
    ell = [(20, 100), (20, 150), (50, 150), (50, 200), (150, 200), (150, 100)]
    (front,) = fronts(Polygon(ell))
    assert (front.frontage.from_ft, front.frontage.to_ft) == (100, 200)
    assert front.numbers == units(10, 13, 25)


def test_the_back_of_a_lot_that_widens_behind_its_front_is_no_front():
    # the front ends at 150 ft; behind it the back line runs on to 180 ft, with the lot itself between
    (front,) = fronts(Polygon([(20, 100), (20, 150), (60, 180), (60, 100)]))
    assert (front.frontage.from_ft, front.frontage.to_ft) == (100, 150)
    assert front.numbers == units(10, 13, 19)


# Bend Road runs 400 ft north and then north-east; nothing crosses it: 15 ft units.
BEND = village(street("Bend Road", (300, 0), (300, 400), (700, 800)))
S = math.sqrt(0.5)


def by_bend(station: float, right: float) -> tuple[float, float]:
    """A point square to Bend Road."""
    if station <= 400:
        return 300 + right, station
    return 300 + (station - 400) * S + right * S, 400 + (station - 400) * S - right * S


def test_a_lot_outside_a_curve_has_the_units_of_its_stretch_of_street():
    # 30 to 130 ft left of the road from 350 to 450 ft; its front edges meet square to the bend's middle
    corner, back = (300 - 30, 400 + 30 * math.tan(math.pi / 8)), (300 - 130, 400 + 130 * math.tan(math.pi / 8))
    lot = Polygon([by_bend(350, -30), corner, by_bend(450, -30), by_bend(450, -130), back, by_bend(350, -130)])
    (front,) = fronts(lot, BEND, "Bend Road")
    assert (front.frontage.from_ft, front.frontage.to_ft) == (350, pytest.approx(450, abs=0.01))
    assert front.numbers == units(11, 24, 30)  # 360 to 435
    assert front.shared == 11 + 2 * 23


def test_a_lot_inside_a_curve_has_the_units_of_its_stretch_of_street_too():
    # the front is shorter than the road, but no one else's lot lies on the inside of the bend
    corner = (300 + 30, 400 - 30 * math.tan(math.pi / 8))
    (front,) = fronts(Polygon([by_bend(350, 30), corner, by_bend(450, 30), (400, 350)]), BEND, "Bend Road")
    assert (front.frontage.from_ft, front.frontage.to_ft) == (350, pytest.approx(450, abs=0.01))
    assert front.numbers == units(10, 24, 30)


# ------------------------------------------------------------------ lots that front on nothing


@pytest.mark.parametrize(("away", "count"), [(66, 1), (66.1, 0)])
def test_a_lot_farther_than_66_ft_from_the_centerline_does_not_front_on_it(away, count):
    assert len(fronts(box(away, 100, away + 100, 150))) == count


def test_a_lot_behind_another_street_does_not_front_across_it():
    there = village(street("Back Street", (40, 20), (40, 320)))
    assert fronts(box(60, 100, 150, 150), there) == []
    (front,) = fronts(box(60, 100, 150, 150), there, "Back Street")
    assert front.frontage.distance_ft == 20


def test_a_lot_past_a_dead_end_has_no_stretch_of_it_and_no_number():
    there = village(street("Court Street", (500, 0), (500, 200)))
    assert not any(front.numbers for front in fronts(box(450, 230, 550, 300), there, "Court Street"))


@pytest.mark.parametrize(
    ("lot", "told"),
    [
        (Polygon([(20, 0), (120, 100), (120, 0), (20, 100)]), "Self-intersection[70 50]"),
        (Polygon(), "an empty shape"),
        (from_wkt("POLYGON ((20 0, 120 0, 70 inf, 20 0))"), "a vertex that is not a finite number"),
        (Polygon([(20, 0), (120, 0), (220, 0)]), "lot: found"),
        (Polygon([(20, 0), (20, 100), (120, 0)], [[(500, 500), (510, 500), (500, 510)]]), "Hole lies outside shell"),
    ],
    ids=["bow tie", "empty", "not finite", "a line", "a hole outside"],
)
def test_an_invalid_lot_is_refused_naming_the_place_and_never_repaired(lot, told):
    with pytest.raises(GeometryError) as refusal:
        embraced(PLAT.frontages, lot)
    assert told in refusal.value.message
    assert [fault.field for fault in refusal.value.faults] == ["lot"]
