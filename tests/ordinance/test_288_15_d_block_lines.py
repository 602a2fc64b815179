"""§ 288-15 D: which streets bound a block, "if streets each way were so extended as to intersect each other"."""

import math

import pytest

from gis.findings import Finding
from gis.network import Piece
from gis.rules import Reading
from tests.building import MAIN, VAN_BUREN, Village, base_lines, street, village


def across(y: float, name: str = "First Avenue", **more: object) -> Piece:
    """An avenue that crosses Van Buren Street on the ground."""
    return street(name, (-1500, y), (1500, y), **more)  # type: ignore[arg-type]


def stub(y: float, name: str = "Stub Lane", start: float = 900) -> Piece:
    """A lane far east of Van Buren Street, which it meets only when extended."""
    return street(name, (start, y), (1500, y))


def north(*pieces: Piece) -> list[tuple[float, float, int]]:
    """From, to and unit of the blocks of North Van Buren Street."""
    return village(*pieces).blocks(VAN_BUREN, "North")


def codes(there: Village, name: str = VAN_BUREN) -> list[str]:
    return sorted({f.code for f in there.raised(name)})


FIRST, SECOND = across(400), across(800, "Second Avenue")


# ------------------------------------------------------------------ jogged streets


@pytest.mark.parametrize(
    ("gap", "blocks"),
    [
        (40, [(0, 330, 8), (330, 900, 13)]),  # 570 / 44 = 12.95
        (59.9, [(0, 330, 8), (330, 900, 13)]),
        (60, [(0, 330, 8), (330, 390, 1), (390, 900, 12)]),  # 60 / 44 = 1.4, 510 / 44 = 11.6
    ],
)
def test_two_side_streets_less_than_60_ft_apart_are_one_block_line(gap, blocks):
    west, east = street("First Avenue", (-1500, 330), (0, 330)), street("Oak Avenue", (0, 330 + gap), (1500, 330 + gap))
    there = village(west, east, across(900, "Second Avenue"))
    assert there.blocks(VAN_BUREN, "North") == blocks


def test_a_jogged_block_line_bears_the_names_of_both_streets():
    west, east = street("First Avenue", (-1500, 330), (0, 330)), street("Oak Avenue", (0, 370), (1500, 370))
    (first, second, *_) = village(west, east, SECOND).rows(VAN_BUREN, "North")
    assert first.to_streets == second.from_streets == ("First Avenue", "Oak Avenue")
    assert first.bounded_by == (MAIN, "First Avenue", "Oak Avenue")


@pytest.mark.parametrize(
    ("at", "blocks"),
    [(59.9, [(0, 800, 18)]), (60, [(0, 60, 1), (60, 800, 17)])],  # 740 / 44 = 16.8
)
def test_a_street_less_than_60_ft_from_main_street_belongs_to_it(at, blocks):
    assert north(across(at), SECOND) == blocks


def test_a_jogged_line_is_placed_at_its_first_crossing_on_the_ground():
    assert north(stub(300), across(340), SECOND)[0] == (0, 340, 8)
    assert north(across(300), stub(340), SECOND)[0] == (0, 300, 7)


def test_a_jogged_line_of_extended_streets_alone_is_placed_at_the_first():
    assert north(stub(300), stub(340, "Nook Lane"), SECOND) == [(0, 300, 7), (300, 800, 11)]


@pytest.mark.parametrize(
    ("third", "blocks"),
    [
        (409.9, [(0, 350, 8), (350, 800, 10)]),  # less than 60 ft past the line placed at 350
        (410, [(0, 350, 8), (350, 410, 1), (410, 800, 9)]),
    ],
)
def test_the_next_jog_is_counted_from_the_line_as_placed(third, blocks):
    assert north(stub(300), across(350), across(third, "Third Avenue"), SECOND) == blocks


def test_jogs_are_counted_from_the_first_of_a_group_and_do_not_chain():
    # 300, 350 and 400: the third is 50 ft from the second but 100 from the first
    blocks = north(across(300), across(350, "Oak Avenue"), across(400, "Elm Avenue"), SECOND)
    assert blocks == [(0, 300, 7), (300, 400, 2), (400, 800, 9)]


@pytest.mark.parametrize(
    ("end", "blocks"),
    [
        (430, [(0, 430, 10), (430, 800, 8)]),  # 430 / 44 = 9.8
        (459.9, [(0, 459.9, 10), (459.9, 800, 8)]),
        (460, [(0, 400, 9), (400, 800, 9)]),
    ],
)
def test_a_line_less_than_60_ft_before_the_streets_own_end_is_moved_to_the_end(end, blocks):
    there = village(street("Court Street", (500, 0), (500, end)), FIRST, SECOND)
    assert there.blocks("Court Street", "North") == blocks


@pytest.mark.parametrize(("gap", "near"), [(34.9, False), (35, True), (59, True), (85, True), (85.1, False)])
def test_a_gap_within_the_datas_accuracy_of_60_ft_is_said(gap, near):
    west = street("First Avenue", (-1500, 330), (0, 330), accuracy_ft=25)
    east = street("Oak Avenue", (0, 330 + gap), (1500, 330 + gap), accuracy_ft=25)
    there = village(west, east, across(900, "Second Avenue"))
    assert ("JOG_NEAR" in codes(there)) == near
    if near:
        (found,) = [f for f in there.raised(VAN_BUREN) if f.code == "JOG_NEAR"]
        assert found.values["streets"] == "First Avenue and Oak Avenue"


@pytest.mark.parametrize(("at", "near"), [(34, False), (36, True), (84, True), (86, False)])
def test_a_street_near_60_ft_from_main_street_is_said(at, near):
    there = village(across(at, accuracy_ft=25), SECOND)
    assert ("JOG_NEAR" in codes(there)) == near


def test_exact_linework_leaves_no_jog_open():
    west, east = street("First Avenue", (-1500, 330), (0, 330)), street("Oak Avenue", (0, 389), (1500, 389))
    assert "JOG_NEAR" not in codes(village(west, east, SECOND))


# ------------------------------------------------------------------ extended lines: phantoms and splits


@pytest.mark.parametrize(
    ("at", "blocks"),
    [
        (400 + 131.9, [(0, 400, 9), (400, 800, 9)]),
        (400 + 132, [(0, 400, 9), (400, 532, 3), (532, 800, 6)]),
        (800 - 132, [(0, 400, 9), (400, 668, 6), (668, 800, 3)]),
        (800 - 131.9, [(0, 400, 9), (400, 800, 9)]),
        (131.9, [(0, 400, 9), (400, 800, 9)]),  # past the base line
        (132, [(0, 132, 3), (132, 400, 6), (400, 800, 9)]),
    ],
)
def test_an_extended_street_less_than_132_ft_from_a_kept_line_makes_no_block(at, blocks):
    there = village(FIRST, SECOND, stub(at))
    assert there.blocks(VAN_BUREN, "North") == blocks
    kept = len(blocks) == 3
    assert ("PHANTOM" in codes(there)) == (not kept)
    assert ("EXTENSION_SPLITS_BLOCK" in codes(there)) == kept


def test_a_phantom_is_said_on_the_row_it_would_have_cut():
    there = village(FIRST, SECOND, stub(500))
    first, second, *_ = there.rows(VAN_BUREN, "North")
    assert first.findings == ()
    (found,) = second.findings
    assert found.message == (
        "Stub Lane, extended, would cross 500 ft from the base line, "
        "less than 132 ft from the next block line; it makes no block."
    )


def test_a_street_on_the_ground_makes_a_block_however_short():
    assert north(FIRST, SECOND, across(500, "Third Avenue")) == [(0, 400, 9), (400, 500, 2), (500, 800, 7)]


def test_a_split_is_said_on_both_rows_it_bounds():
    there = village(FIRST, SECOND, stub(600))
    first, second, third, *_ = there.rows(VAN_BUREN, "North")
    split = Finding("EXTENSION_SPLITS_BLOCK", {"streets": "Stub Lane", "at_ft": 600.0})
    assert (first.findings, second.findings, third.findings) == ((), (split,), (split,))
    assert (second.built, third.built) == (False, False)
    assert first.built


def test_an_extended_street_past_the_last_on_the_ground_splits_nothing():
    there = village(FIRST, stub(700))
    assert there.blocks(VAN_BUREN, "North") == [(0, 400, 9), (400, 700, 7)]
    assert "EXTENSION_SPLITS_BLOCK" not in codes(there)


def test_phantoms_give_way_one_after_another_and_not_in_pairs():
    # 100 is dropped for Main Street's sake; 200 is then 200 ft past Main Street and stays
    assert north(stub(100), stub(200, "Nook Lane"), FIRST) == [(0, 200, 5), (200, 400, 5)]


# ------------------------------------------------------------------ what never bounds a block


@pytest.mark.parametrize("kind", ["alley", "private", "path"])
def test_alleys_private_streets_and_paths_never_make_a_block(kind):
    there = village(across(200, "Back Way", kind=kind), FIRST)
    assert there.blocks(VAN_BUREN, "North") == [(0, 400, 9)]
    assert village(across(200, "Back Way"), FIRST).blocks(VAN_BUREN, "North") == [(0, 200, 5), (200, 400, 5)]


def test_a_street_an_officer_ruled_out_never_makes_a_block():
    there = village(across(200, "Back Street", block_line="never"), FIRST)
    assert there.blocks(VAN_BUREN, "North") == [(0, 400, 9)]


@pytest.mark.parametrize("kind", ["alley", "private", "path", "street"])
def test_buildings_on_every_kind_of_way_are_numbered(kind):
    there = village(across(200, "Back Way", kind=kind))
    assert there.number("Back Way", 100, 230) == (10 + 2 * (100 // 15), "East")


def test_an_alley_lengthens_no_hull_and_stops_no_extension():
    # Mill Street, extended west, would stop at a street of its own family; an alley lets it pass to Van Buren
    mill, barrier = street("Mill Street", (900, 300), (1500, 300)), [(700, 250), (800, 350)]
    alley, other = (street("Slant Way", *barrier, kind=kind, block_line="never") for kind in ("alley", "street"))
    assert north(mill, alley) == [(0, 300, 7)]
    assert north(mill, other) == [(0, 300, 7)]  # at 45 degrees Slant Way is a north-south street
    flat = [(700, 270), (800, 330)]
    alley, other = (street("Slant Way", *flat, kind=kind, block_line="never") for kind in ("alley", "street"))
    assert north(mill, alley) == [(0, 300, 7)]
    assert north(mill, other) == []


def test_a_piece_ruled_out_leaves_the_rest_of_its_street_a_block_line():
    west = street("First Avenue", (-1500, 400), (-300, 400), block_line="never")
    east = street("First Avenue", (-300, 400), (1500, 400))
    there = village(west, east, street("West Street", (-700, -100), (-700, 600)))
    assert there.blocks(VAN_BUREN, "North") == [(0, 400, 9)]
    assert there.blocks("West Street", "North") == []


# ------------------------------------------------------------------ junctions with streets of its own family


@pytest.mark.parametrize(("angle", "makes"), [(29, False), (29.9, False), (30.1, True), (31, True)])
def test_a_street_of_its_own_family_makes_a_block_where_it_meets_at_30_degrees(angle, makes):
    turn = math.radians(angle)
    fork = street("Fork Street", (0, 400), (900 * math.sin(turn), 400 + 900 * math.cos(turn)))
    there = village(fork)
    assert there.blocks(VAN_BUREN, "North") == ([(0, 400, 9)] if makes else [])
    number = 100 + 11 + 2 * (100 // 15) if makes else 11 + 2 * (500 // 15)
    assert there.number(VAN_BUREN, -30, 500) == (number, "North")


def test_the_angle_of_a_junction_is_measured_on_chords_of_50_ft():
    # Fork Street leaves at 20 degrees, but 50 ft along it has turned: its chord of 20 ft at 20 and 30 ft at 60 degrees
    lean, turn = math.radians(20), math.radians(60)
    bend = (20 * math.sin(lean), 400 + 20 * math.cos(lean))
    end = (bend[0] + 30 * math.sin(turn), bend[1] + 30 * math.cos(turn))
    fork = [(0, 400), bend, end, (end[0] + 100, end[1] + 800)]
    chord = math.degrees(math.atan2(end[0], end[1] - 400))
    assert 40 < chord < 50
    assert north(street("Fork Street", *fork)) == [(0, 400, 9)]


def test_an_extension_of_its_own_family_makes_no_block():
    # Fork Street would reach Van Buren only extended
    turn = math.radians(40)
    s, c = math.sin(turn), math.cos(turn)
    assert north(street("Fork Street", (100 * s, 400 + 100 * c), (900 * s, 400 + 900 * c))) == []


# ------------------------------------------------------------------ meeting within 5 ft, on the ground or not


@pytest.mark.parametrize(("short", "built"), [(0, True), (5, True), (5.1, False)])
def test_a_street_that_ends_within_5_ft_meets_on_the_ground(short, built):
    # 100 ft from Main Street an extended line would be a phantom
    there = village(stub(100, start=short))
    assert there.blocks(VAN_BUREN, "North") == ([(0, 100, 2)] if built else [])
    assert ("PHANTOM" in codes(there)) == (not built)


@pytest.mark.parametrize(("short", "built"), [(4.9, True), (5.1, False)])
def test_a_slanting_street_meets_where_its_end_is_within_5_ft_though_the_lines_cross_farther_on(short, built):
    # at 50 degrees the lines cross 6.4 ft past an end that is 4.9 ft away; 100 ft from Main it would be a phantom
    turn = math.radians(50)
    lane = street("Slant Lane", (short, 100), (short + 900 * math.sin(turn), 100 + 900 * math.cos(turn)))
    assert bool(village(lane).blocks(VAN_BUREN, "North")) == built


@pytest.mark.parametrize(("short", "makes"), [(5, True), (5.1, False)])
def test_a_street_of_its_own_family_meets_within_5_ft_though_it_is_not_extended(short, makes):
    turn = math.radians(40)
    fork = street("Fork Street", (short, 400), (short + 900 * math.sin(turn), 400 + 900 * math.cos(turn)))
    assert north(fork) == ([(0, 400, 9)] if makes else [])


@pytest.mark.parametrize(("short", "built"), [(5, True), (5.1, False)])
def test_a_street_meets_the_one_it_ends_within_5_ft_of(short, built):
    # Court Street ends short of First Avenue, 100 ft from Main Street
    there = village(across(100), street("Court Street", (500, 0), (500, 100 - short)))
    assert there.blocks("Court Street", "North") == ([(0, 100, 2)] if built else [])


def test_a_gap_in_a_street_is_bridged_and_a_crossing_in_the_gap_is_only_extended():
    # Cross Lane passes through the gap 100 ft before Third Avenue: on the ground it would make a block
    lane, third = street("Cross Lane", (300, 350), (600, 350)), across(450, "Third Avenue")
    whole = street("Alma Street", (440, 0), (440, 800))
    parts = street("Alma Street", (440, 0), (440, 300)), street("Alma Street", (440, 400), (440, 800))
    assert village(lane, third, whole).blocks("Alma Street", "North") == [(0, 350, 8), (350, 450, 2)]
    assert village(lane, third, *parts).blocks("Alma Street", "North") == [(0, 450, 10)]
    assert village(lane, third, *parts).number("Alma Street", 460, 460) == (100 + 10 + 2 * (10 // 15), "North")


def test_the_bridge_of_a_gap_is_itself_an_extended_block_line():
    # First Avenue is missing between x = -50 and 50, where Van Buren Street runs
    parts = street("First Avenue", (-1500, 200), (-50, 200)), street("First Avenue", (50, 200), (1500, 200))
    first, second, *_ = village(*parts, SECOND).rows(VAN_BUREN, "North")
    assert (first.to_ft, first.built, second.built) == (200, False, False)
    assert [f.code for f in first.findings] == ["EXTENSION_SPLITS_BLOCK"]


def test_a_door_in_the_gap_is_held_to_the_nearer_piece():
    parts = street("Alma Street", (440, 0), (440, 300)), street("Alma Street", (440, 400), (440, 800))
    there = village(*parts, across(900))
    unit = round(900 / 44)
    assert there.number("Alma Street", 460, 340) == (10 + 2 * (300 // unit), "North")
    assert there.number("Alma Street", 460, 360) == (10 + 2 * (400 // unit), "North")
    assert "PAST_END" in there.codes("Alma Street", 460, 360)


# ------------------------------------------------------------------ how far an extension runs


def test_a_north_south_street_extends_across_main_street():
    # Alma Street lies south of Main, and extended bounds a block of First Avenue
    alma = street("Alma Street", (440, -700), (440, -100))
    assert village(alma, FIRST).blocks("First Avenue", "East") == [(0, 440, 10)]


def test_an_east_west_street_never_extends_across_main_street():
    # Slope Street rises 2 ft in 3: carried on it is 200 ft below Main at x = 750, and 200 ft above it at x = 1350
    slope = street("Slope Street", (300, -500), (600, -300))
    near, beyond = street("Near Street", (750, 0), (750, -900)), street("Beyond Street", (1350, 0), (1350, 900))
    there = village(slope, near, beyond)
    assert there.blocks("Near Street", "South") == [(0, 200, 5)]
    assert there.blocks("Beyond Street", "North") == []


def test_an_extension_stops_at_a_street_of_its_own_family():
    # Hook Street, itself north-south, stands in Alma Street's way; its own extension bounds First Avenue at 540 ft
    alma, hook = street("Alma Street", (440, -700), (440, -100)), street("Hook Street", (420, 100), (460, 200))
    assert village(alma, hook, FIRST).blocks("First Avenue", "East") == [(0, 540, 12)]


@pytest.mark.parametrize(("aside", "at"), [(5, 445), (5.1, 440)])
def test_an_end_within_5_ft_of_its_own_family_is_not_extended(aside, at):
    # The two run side by side to the same place; only one or both are carried on to First Avenue.
    alma = street("Alma Street", (440, -700), (440, -100))
    twin = street("Twin Street", (440 + aside, -1000), (440 + aside, -100))
    there = village(alma, twin, FIRST)
    ends = [s.stops for s in there.map.network.streets if s.name == "Alma Street"]
    assert (ends[0][1] is None or ends[0][0] is None) == (aside == 5)
    if aside == 5:
        # neither end is carried on: they stop each other
        assert there.blocks("First Avenue", "East") == []
    else:
        assert there.blocks("First Avenue", "East") == [(0, at, 10)]


def test_the_base_lines_are_extended_and_stop_for_nothing():
    # Main Street ends at 300 ft, and Mill Street crosses its extension
    main = street(MAIN, (-300, 0), (300, 0))
    mill, alma = street("Mill Street", (400, -50), (700, 50)), street("Alma Street", (900, -300), (900, 300))
    there = village(main, mill, alma)
    assert there.number("Alma Street", 920, 100) == (10 + 2 * (100 // 15), "North")
    assert there.number("Alma Street", 920, -100) == (10 + 2 * (100 // 15), "South")


def test_a_street_is_extended_on_the_chord_of_its_last_300_ft():
    # The last 10 ft of Bend Lane toward Van Buren are level, but 290 ft before them fall 30 ft in 290
    bend = street("Bend Lane", (1500, 330), (1200, 330), (910, 300), (900, 300))
    part = 290 / math.hypot(290, 30)
    fall = 30 * part / (10 + 290 * part)
    assert north(bend) == [(0, pytest.approx(300 - 900 * fall, abs=0.01), round((300 - 900 * fall) / 44))]


# ------------------------------------------------------------------ the same cross street, two hundreds


def half_avenue(y: float) -> Village:
    """An avenue that Alma Street crosses on the ground and Van Buren Street only meets extended."""
    alma, half = street("Alma Street", (440, -100), (440, 1000)), street("Half Avenue", (300, y), (600, y))
    return village(FIRST, SECOND, alma, half)


def test_a_cross_street_that_carries_two_hundreds_is_said_on_both_streets():
    there = half_avenue(100)  # a phantom on Van Buren Street
    alma = [f for f in there.raised("Alma Street") if f.code == "HUNDRED_MISMATCH"]
    assert [f.message for f in alma] == [
        "First Avenue begins the 200 block here, but the 100 block of North Van Buren Street.",
        "Second Avenue begins the 300 block here, but the 200 block of North Van Buren Street.",
    ]
    van_buren = [f for f in there.raised(VAN_BUREN) if f.code == "HUNDRED_MISMATCH"]
    assert [f.values["other_hundred"] for f in van_buren] == [200, 300]


def test_hundreds_that_run_uniform_are_no_mismatch():
    there = half_avenue(200)  # extended, it splits Van Buren Street's block too
    assert "HUNDRED_MISMATCH" not in {f.code for f in there.raised()}


# ------------------------------------------------------------------ settings of the reading


def test_the_limits_are_settings_of_the_reading():
    # with 100 ft instead of 132 the stub 100 ft past First Avenue makes a block; with 99 instead of 60 it jogs
    for reading, blocks in (
        (Reading(phantom_ft=100), [(0, 400, 9), (400, 500, 2), (500, 800, 7)]),
        (Reading(phantom_ft=100, jog_ft=101), [(0, 400, 9), (400, 800, 9)]),
    ):
        there = village(FIRST, SECOND, stub(500), reading=reading)
        assert there.blocks(VAN_BUREN, "North") == blocks


def test_base_lines_alone_make_no_block():
    assert village(*base_lines()).blocks(VAN_BUREN, "North") == []
