"""§ 288-15 D and E: the numbers of one face, one "for each unit of frontage or fraction thereof"."""

import pytest

from gis.blocks import numbering_map
from gis.edits import Edit
from gis.faces import Place, face, out_of_order, why_not
from gis.frontages import Frontages
from tests.building import LAW, MAIN, VAN_BUREN, Village, street, village

# North Van Buren Street has blocks of 330 ft and 8 ft units, then open blocks of 660 ft; nothing crosses Main Street.
PLAT = village(*(street(f"Avenue {y}", (-1500, y), (1500, y)) for y in (330, 660)))
SHORT = village(street("Avenue 328", (-1500, 328), (1500, 328)))


def numbers(there: Village, block: int, *, even: bool, name: str = VAN_BUREN, side: str = "North") -> list[int]:
    return [place.number for place in face(there.rows(name, side)[block], there.map, even=even)]


# ------------------------------------------------------------------ every number with its unit


def test_the_numbers_of_a_face_are_those_that_have_frontage():
    assert numbers(PLAT, 0, even=True) == list(range(10, 10 + 2 * 42, 2))  # 41 units and a fraction thereof
    assert numbers(PLAT, 1, even=False) == list(range(111, 111 + 2 * 42, 2))
    assert numbers(PLAT, 2, even=True) == list(range(210, 210 + 2 * 44, 2))  # 660 / 15


def test_a_face_has_45_numbers_where_rounding_leaves_more_units():
    assert numbers(SHORT, 0, even=True) == list(range(10, 100, 2))  # 328 / 7 = 46.9
    last = face(SHORT.rows(VAN_BUREN, "North")[0], SHORT.map, even=True)[-1]
    assert (last.number, last.k, last.from_ft, last.to_ft) == (98, 44, 44 * 7, 45 * 7)


def test_units_lie_along_the_street_from_the_blocks_beginning():
    places = face(PLAT.rows(VAN_BUREN, "North")[1], PLAT.map, even=True)
    assert [(p.number, p.k, p.from_ft, p.to_ft) for p in places[:2]] == [(110, 0, 330, 338), (112, 1, 338, 346)]
    assert (places[-1].from_ft, places[-1].to_ft) == (330 + 41 * 8, 660)  # cut short: 2 of 8 ft


def test_a_fraction_of_a_hundredth_of_a_foot_is_no_frontage():
    there = village(street("Avenue", (-1500, 320.004), (1500, 320.004)))  # 320 / 44 = 7.3
    assert len(numbers(there, 0, even=True)) == 45  # 45.7 units of 7 ft
    there = village(street("Avenue", (-1500, 352.004), (1500, 352.004)))  # unit 8
    assert len(numbers(there, 0, even=True)) == 44
    there = village(street("Avenue", (-1500, 352.006), (1500, 352.006)))
    assert len(numbers(there, 0, even=True)) == 45


@pytest.mark.parametrize("even", [True, False])
def test_a_door_in_the_middle_of_a_unit_has_its_number(even):
    for row in PLAT.rows(VAN_BUREN, "North")[:3]:
        for place in face(row, PLAT.map, even=even):
            middle = (place.from_ft + place.to_ft) / 2
            assert PLAT.number(VAN_BUREN, 30 if even else -30, middle) == (place.number, "North")


def test_a_face_follows_an_officers_hundred_and_length():
    edits = [Edit("length", VAN_BUREN, "North", 0, 0, 374), Edit("hundred", VAN_BUREN, "North", 0, 990, 700)]
    there = Village(Frontages.of(numbering_map(SHORT.map.network, LAW, edits)))
    assert numbers(there, 0, even=True) == list(range(10, 10 + 2 * 37, 2))  # 328 / 9 = 36.4
    assert numbers(there, 1, even=False)[:2] == [111, 113]
    assert there.rows(VAN_BUREN, "North")[2].from_ft == 328 + 660
    assert numbers(there, 2, even=True)[0] == 710


# ------------------------------------------------------------------ why not 112?


def asked(number: int, block: int = 1, *, even: bool = True, there: Village = PLAT, name: str = VAN_BUREN) -> Place:
    side = "North" if name == VAN_BUREN else "East"
    return why_not(there.map, there.rows(name, side)[block], number, even=even)


def test_a_number_of_the_face_lies_on_its_unit():
    place = asked(112)
    assert (place.number, place.exists, place.from_ft, place.to_ft) == (112, True, 338, 346)
    assert place.text == (
        "112 lies 8.0 to 16.0 ft into the block, 338.0 to 346.0 ft from Main Street: unit 2 of 8 ft (§ 288-15 D)."
    )


@pytest.mark.parametrize(
    ("number", "even", "text"),
    [
        (113, True, "113 is odd: the east side has even numbers (§ 288-15 E)."),
        (112, False, "112 is even: the west side has odd numbers (§ 288-15 E)."),
        (
            212,
            True,
            "212 is of the 200 block; this is the 100 block. "
            "The 200 block of North Van Buren Street lies 660.0 to 1,320.0 ft from Main Street (§ 288-15 D).",
        ),
        (
            1212,
            True,
            "1212 is of the 1200 block; this is the 100 block. "
            "The map has no 1200 block on North Van Buren Street (§ 288-15 D).",
        ),
        (108, True, "The numbers of the east side commence with 110 in this block (§ 288-15 E)."),
        (109, False, "The numbers of the west side commence with 111 in this block (§ 288-15 E)."),
        (
            194,
            True,
            "The block ends before 194: its unit would begin 336 ft into the block, "
            "which is 330.0 ft long at 8 ft a number (§ 288-15 D).",
        ),
    ],
)
def test_a_number_the_face_has_not_is_told_why(number, even, text):
    place = asked(number, even=even)
    assert (place.exists, place.from_ft, place.to_ft, place.text) == (False, None, None, text)


def test_the_last_number_with_frontage_is_there_and_the_next_is_not():
    assert asked(110 + 2 * 41).exists
    assert not asked(110 + 2 * 42).exists


def test_on_an_east_west_street_the_sides_are_north_and_south():
    place = asked(13, 0, name=MAIN)
    assert place.text == "13 is odd: the north side has even numbers (§ 288-15 E)."
    assert "from Van Buren Street" in asked(12, 0, name=MAIN).text


# ------------------------------------------------------------------ "shall increase from the base line"


@pytest.mark.parametrize(
    ("station", "held"),
    [
        (100, ()),
        (39, (30,)),  # 30 stands farther out
        (161, (50,)),
        (161.5, (50,)),
        (0, (30,)),
    ],
)
def test_a_number_stands_out_of_order_with_those_held_on_its_wrong_side(station, held):
    assert out_of_order(40, station, {30: 40.0, 50: 160.0, 60: None, 20: None}) == held


def test_every_number_it_is_out_of_order_with_is_named_rising():
    assert out_of_order(40, 10, {32: 90, 30: 50, 38: 20, 44: 5, 42: 200}) == (30, 32, 38, 44)


def test_its_own_number_and_one_at_the_same_place_are_not_out_of_order():
    assert out_of_order(40, 100, {40: 300, 42: 100, 38: 100}) == ()
