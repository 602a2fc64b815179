"""§ 288-15 D: hundreds, the unit of frontage, open blocks, and what the data's accuracy leaves open."""

import pytest

from gis import numbering
from gis.blocks import unit_ft
from gis.network import Piece
from gis.numbering import findings, number
from tests.building import LAW, MAIN, VAN_BUREN, Village, base_lines, street, village


def across(y: float, name: str = "First Avenue", **more: object) -> Piece:
    return street(name, (-1500, y), (1500, y), **more)  # type: ignore[arg-type]


def block_of(length: float) -> Village:
    """A village whose North Van Buren Street begins with a block of a length, and a block of 440 ft after it."""
    return village(across(length), across(length + 440, "Second Avenue"))


# ------------------------------------------------------------------ the unit of frontage


@pytest.mark.parametrize(
    ("length", "unit"),
    [
        (330, 8),  # 7.5: halves up
        (329.96, 8),  # a computed length is first rounded to a tenth: 330.0
        (329.94, 7),  # 329.9: 7.498
        (286, 7),  # 6.5
        (285.96, 7),
        (285.94, 6),
        (328, 7),
        (440, 10),
        (461.9, 10),
        (462, 11),  # 10.5
        (660, 15),
        (60, 1),
        (66, 2),  # 1.5
    ],
)
def test_the_unit_is_the_blocks_length_over_44_to_the_nearest_foot(length, unit):
    (row, *_) = block_of(length).rows(VAN_BUREN, "North")
    assert row.unit_ft == unit
    assert row.length_ft == pytest.approx(length)


def test_the_unit_is_at_least_one_foot():
    assert [unit_ft(length, LAW) for length in (1, 21.9, 22, 65.9, 66)] == [1, 1, 1, 1, 2]


@pytest.mark.parametrize(
    ("y", "k"),
    [(0.01, 0), (9.99, 0), (10, 1), (99.99, 9), (100, 10), (439.99, 43)],
)
def test_a_unit_holds_its_start_and_not_its_end(y, k):
    plat = block_of(440)
    assert plat.number(VAN_BUREN, 30, y) == (10 + 2 * k, "North")
    assert plat.number(VAN_BUREN, -30, y) == (11 + 2 * k, "North")


@pytest.mark.parametrize(("y", "k"), [(99.994, 9), (99.996, 10)])
def test_stations_are_rounded_to_a_hundredth_of_a_foot_before_units_are_counted(y, k):
    assert block_of(440).number(VAN_BUREN, 30, y) == (10 + 2 * k, "North")


def test_the_first_block_has_10_to_99_the_second_110_to_199_and_so_on():
    plat = village(*(across(330 * n, f"Avenue {n}") for n in (1, 2, 3)))
    for block in range(3):
        assert plat.number(VAN_BUREN, 30, 330 * block + 1) == (100 * block + 10, "North")
        assert plat.number(VAN_BUREN, -30, 330 * block + 1) == (100 * block + 11, "North")
        assert plat.number(VAN_BUREN, -30, 330 * block + 329) == (100 * block + 11 + 2 * (329 // 8), "North")


def test_a_door_exactly_on_a_block_line_begins_the_next_block():
    assert block_of(440).number(VAN_BUREN, 30, 440) == (100 + 10, "North")
    assert block_of(440).number(VAN_BUREN, 30, 439.99) == (10 + 2 * 43, "North")


def test_a_block_of_a_fractional_length_counts_its_units_from_its_own_start():
    plat = village(across(333.33), across(333.33 + 440, "Second Avenue"))
    assert plat.number(VAN_BUREN, 30, 343.32) == (100 + 10, "North")
    assert plat.number(VAN_BUREN, 30, 343.33) == (100 + 12, "North")


# ------------------------------------------------------------------ 45 units, and the tail where more would fit


@pytest.mark.parametrize(
    ("y", "number", "overflow"),
    [
        (307.99, 10 + 2 * 43, False),
        (308, 10 + 2 * 44, False),
        (314.99, 10 + 2 * 44, False),
        (315, 10 + 2 * 44, True),  # 45 units of 7 ft are over
        (327.99, 10 + 2 * 44, True),
    ],
)
def test_past_45_units_of_a_328_ft_block_the_last_number_stands(y, number, overflow):
    plat = block_of(328)
    assert plat.number(VAN_BUREN, 30, y) == (number, "North")
    assert plat.number(VAN_BUREN, -30, y) == (number + 1, "North")
    assert ("UNIT_OVERFLOW" in plat.codes(VAN_BUREN, 30, y)) == overflow


def test_the_map_shows_the_length_of_the_tail():
    (row, *_) = block_of(328).rows(VAN_BUREN, "North")
    assert row.tail_ft(LAW) == pytest.approx(328 - 45 * 7)
    (row, *_) = block_of(330).rows(VAN_BUREN, "North")
    assert row.tail_ft(LAW) == 0


def test_a_door_in_the_tail_says_how_far_past_the_last_unit_it_is():
    plat = block_of(328)
    (found,) = numbering.findings(plat.frontages, plat.door(VAN_BUREN, -30, 325))
    assert found.message == (
        "The entrance lies 10 ft past the last unit of its block; the last number, 99, is given once."
    )


def test_where_rounding_went_up_the_last_numbers_have_no_frontage():
    plat = block_of(330)  # 8 ft units: 330 / 8 = 41.25
    assert plat.number(VAN_BUREN, -30, 329.99) == (11 + 2 * 41, "North")
    assert "UNIT_OVERFLOW" not in plat.codes(VAN_BUREN, -30, 329.99)


# ------------------------------------------------------------------ no apparent blocks: 660 ft with 15 ft units


@pytest.mark.parametrize(
    ("away", "unit"),
    [(1320, 30), (1320.04, 30), (1320.1, 15)],  # 1320.04 is rounded to 1320.0 like every computed length
)
def test_past_the_last_street_on_the_ground_a_space_over_1320_ft_is_no_block(away, unit):
    van_buren = street(VAN_BUREN, (0, -1500), (0, 3000))
    plat = village(van_buren, across(400), street("Far Avenue", (900, 400 + away), (1500, 400 + away)))
    (row,) = [r for r in plat.rows(VAN_BUREN, "North") if r.block == 1]
    assert (row.unit_ft, row.virtual) == (unit, unit == 15)
    assert plat.number(VAN_BUREN, 30, 445) == (100 + 10 + 2 * (45 // unit), "North")


@pytest.mark.parametrize(("away", "unit"), [(1320, 30), (1320.1, 15)])
def test_so_it_is_from_the_base_line_where_no_street_is_on_the_ground(away, unit):
    van_buren = street(VAN_BUREN, (0, -1500), (0, 3000))
    plat = village(van_buren, street("Far Avenue", (900, away), (1500, away)))
    assert plat.number(VAN_BUREN, 30, 45) == (10 + 2 * (45 // unit), "North")


def test_between_two_streets_on_the_ground_a_block_may_be_of_any_length():
    van_buren = street(VAN_BUREN, (0, -1500), (0, 3000))
    plat = village(van_buren, across(400), across(2400, "Far Avenue"))
    assert plat.blocks(VAN_BUREN, "North") == [(0, 400, 9), (400, 2400, 45)]  # 2000 / 44 = 45.5, halves up only at .5


@pytest.mark.parametrize(
    ("y", "number"),
    [
        (400, 100 + 10),
        (400 + 659.99, 100 + 10 + 2 * 43),  # 659.99 // 15 = 43
        (400 + 660, 200 + 10),
        (400 + 1320, 300 + 10),
    ],
)
def test_open_blocks_follow_the_last_line_and_count_on(y, number):
    plat = village(street(VAN_BUREN, (0, -1500), (0, 3000)), across(400))
    assert plat.number(VAN_BUREN, 30, y) == (number, "North")


@pytest.mark.parametrize(("end", "count"), [(400, 1), (460, 1), (1060, 1), (1060.1, 2), (1720, 2), (1720.1, 3)])
def test_open_blocks_are_drawn_as_far_as_the_street_reaches_and_at_least_one(end, count):
    plat = village(street(VAN_BUREN, (0, -1500), (0, end)), across(400))
    rows = plat.rows(VAN_BUREN, "North")
    assert [(r.block, r.virtual) for r in rows] == [(0, False), *((1 + k, True) for k in range(count))]
    assert [r.from_ft for r in rows[1:]] == pytest.approx([400 + 660 * k for k in range(count)])
    assert [r.length_ft for r in rows[1:]] == pytest.approx([660] * count)
    assert {r.unit_ft for r in rows[1:]} == {15}


def test_a_door_at_the_very_end_of_the_last_open_block_is_in_the_one_after_it():
    plat = village(street(VAN_BUREN, (0, -1500), (0, 1060)), across(400))
    assert plat.number(VAN_BUREN, 30, 1060) == (200 + 10, "North")
    assert plat.door(VAN_BUREN, 30, 1060).block == 2


def test_an_open_block_is_bounded_only_where_it_follows_a_street():
    plat = village(street(VAN_BUREN, (0, -1500), (0, 1700)), across(400))
    first, second, third = plat.rows(VAN_BUREN, "North")
    assert (first.from_streets, first.to_streets) == ((MAIN,), ("First Avenue",))
    assert (second.from_streets, second.to_streets) == (("First Avenue",), ())
    assert (third.from_streets, third.to_streets) == ((), ())
    assert (first.hundred, second.hundred, third.hundred) == (0, 100, 200)


# ------------------------------------------------------------------ what the data's accuracy leaves open


@pytest.mark.parametrize(
    ("accuracy", "units"),
    [
        (21.9, None),  # 418.1 to 461.9 ft: 9.502 to 10.498
        (22, "10 or 11"),  # 418 to 462 ft: 9.5 is 10, and 10.5 is 11
        (30, "9 or 10 or 11"),  # 410 to 470 ft
    ],
)
def test_a_unit_that_the_accuracy_of_the_linework_leaves_open_is_said(accuracy, units):
    plat = village(across(440, accuracy_ft=accuracy))
    (row, *_) = plat.rows(VAN_BUREN, "North")
    assert [f.values["units"] for f in row.findings if f.code == "UNIT_SENSITIVE"] == ([units] if units else [])
    assert ("UNIT_SENSITIVE" in plat.codes(VAN_BUREN, 30, 100)) == bool(units)


def test_an_open_unit_says_what_the_number_would_be_under_each():
    plat = village(across(440, accuracy_ft=22))
    door = number(plat.frontages, 30.0, 100.0, plat.id(VAN_BUREN))
    (said,) = [f for f in findings(plat.frontages, door) if f.code == "UNIT_SENSITIVE"]
    under = {10: 10 + 2 * (100 // 10), 11: 10 + 2 * (100 // 11)}
    assert said.message.endswith(f"may be 10 or 11 ft; the number would be {under[10]} or {under[11]}.")


def test_the_accuracies_of_both_ends_of_a_block_add_as_squares():
    # 18 and 24 ft make 30 ft
    second = across(880, "Second Avenue", accuracy_ft=24)
    _, row, *_ = village(across(440, accuracy_ft=18), second).rows(VAN_BUREN, "North")
    assert [(f.values["accuracy_ft"], f.values["units"]) for f in row.findings] == [(30, "9 or 10 or 11")]


def test_an_open_block_has_a_unit_by_law_and_none_open():
    plat = village(across(440, accuracy_ft=30))
    assert all(not row.findings for row in plat.rows(VAN_BUREN, "North") if row.virtual)


def grid(reach: float) -> Village:
    """Base lines as far as `reach` and streets 330 ft out, all known to 25 ft: 330 +- 35 ft leave 7 or 8 ft open."""
    ends = [-330, 330]
    avenues = [street(f"Avenue {y}", (-reach, y), (reach, y), accuracy_ft=25) for y in ends]
    streets = [street(f"Street {x}", (x, -reach), (x, reach), accuracy_ft=25) for x in ends]
    return village(*base_lines(reach, 25), *avenues, *streets)


def test_units_open_on_half_of_the_rows_are_said_on_each():
    plat = grid(330)  # every half has one block and one open block
    open_rows = [r for r in plat.map.rows if "UNIT_SENSITIVE" in {f.code for f in r.findings}]
    assert len(open_rows) * 2 == len(plat.map.rows)
    assert plat.map.findings == ()


def test_units_open_on_more_than_half_of_the_rows_are_said_once_of_the_map():
    # one avenue more, across Van Buren only: 12 halves of one block each and Van Buren Street's of two, one open each
    bases, plat = base_lines(330, 25), grid(330)
    extra = street("Avenue 660", (-330, 660), (330, 660), accuracy_ft=25)
    longer = street(VAN_BUREN, (0, -330), (0, 660), accuracy_ft=25)
    plat = village(bases[0], longer, *[p for p in plat.map.network.pieces if p.name not in (MAIN, VAN_BUREN)], extra)
    assert "UNIT_SENSITIVE" not in {f.code for r in plat.map.rows for f in r.findings}
    (found,) = plat.map.findings
    assert found.code == "UNITS_PROVISIONAL"
    assert found.values["open"] > found.values["rows"] / 2
    assert found.values["rows"] == len(plat.map.rows)
    assert plat.codes(VAN_BUREN, 30, 100) == set()
