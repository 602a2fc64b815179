"""§ 288-15 D and J: officers' edits of a Street Numbering Map, "In case of doubt as to the proper number"."""

import math

import pytest

from gis import numbering
from gis.blocks import Row, numbering_map
from gis.edits import Edit
from gis.errors import EditError
from gis.explain import Step
from gis.frontages import Frontages
from gis.network import Piece, network
from gis.reasons import explain
from tests.building import LAW, MAIN, VAN_BUREN, Village, base_lines, street, village
from tests.ordinance.test_findings import across, diagonal, grid, half_avenue, jog, stub

ALMA = "Alma Street"
# Alma Street has a block of 330 ft to First Avenue, one of 330 ft to Second Avenue, then open blocks of 660 ft.
WORKED = (
    street("First Avenue", (-2000, 330), (2000, 330)),
    street("Second Avenue", (100, 660), (2000, 660)),
    street(ALMA, (440, -700), (440, 1500)),
    street("Ridge Avenue", (900, 400), (900, 1500)),
)


def edited(edits: list[Edit], *pieces: Piece) -> Village:
    """The village of some pieces, or the worked plat, under a map that officers have edited."""
    net = village(*(pieces or WORKED)).map.network
    return Village(Frontages.of(numbering_map(net, LAW, edits)))


def edit(kind: str, at_ft: float, value: float = 0, name: str = ALMA, side: str = "North", **more: str) -> Edit:
    return Edit(kind, name, side, 0, at_ft, value, **more)


def row_at(there: Village, at_ft: float, name: str = ALMA, side: str = "North") -> Row:
    (row,) = [row for row in there.rows(name, side) if row.from_ft == pytest.approx(at_ft)]
    return row


def codes(row: Row) -> list[str]:
    return [finding.code for finding in row.findings]


def blocks(there: Village, name: str = ALMA, side: str = "North") -> list[tuple[float, int, int]]:
    """From, unit and hundred of every block of a half."""
    return [(round(row.from_ft, 1), row.unit_ft, row.hundred) for row in there.rows(name, side)]


def step(there: Village, door: numbering.Doors, decided: str) -> Step:
    (found,) = [s for s in explain(there.frontages, door).steps if s.decided == decided]
    return found


# ------------------------------------------------------------------ a length of record


@pytest.mark.parametrize(
    ("length", "unit"),
    [
        (352, 8),
        (373.99, 8),
        (374, 9),  # 8.5: halves up
        (330, 8),  # 7.5
        (329.99, 7),  # a recorded length is not rounded to 330.0 first
    ],
)
def test_a_length_of_record_gives_the_unit(length, unit):
    row = row_at(edited([edit("length", 330, length)]), 330)
    assert (row.unit_ft, row.record_ft, row.counted_ft) == (unit, length, length)


def test_without_a_length_of_record_the_computed_one_counts_to_a_tenth():
    row = row_at(edited([], across(329.96)), 0, VAN_BUREN)
    assert (row.record_ft, row.counted_ft, row.unit_ft) == (0, 330, 8)


def test_the_numbers_follow_the_recorded_length_and_the_stations_stay():
    there = edited([edit("length", 330, 374)])
    row = row_at(there, 330)
    assert (row.from_ft, row.to_ft, row.length_ft) == (330, 660, 330)
    assert edited([]).number(ALMA, 470, 400) == (100 + 10 + 2 * (70 // 8), "North")
    assert there.number(ALMA, 470, 400) == (100 + 10 + 2 * (70 // 9), "North")
    assert there.number(ALMA, 410, 400) == (100 + 11 + 2 * (70 // 9), "North")
    assert there.number(ALMA, 470, 300) == (10 + 2 * (300 // 8), "North")  # the block before has its own


def test_the_tail_is_that_of_the_recorded_length():
    row = row_at(edited([edit("length", 330, 372)]), 330)  # 372 / 44 = 8.45
    assert row.tail_ft(LAW) == 372 - 45 * 8


def test_a_recorded_length_closes_the_question_of_the_unit():
    pieces = across(440, accuracy_ft=22), *base_lines()
    assert codes(row_at(edited([], *pieces), 0, VAN_BUREN)) == ["UNIT_SENSITIVE"]
    there = edited([edit("length", 0, 441, VAN_BUREN)], *pieces)
    assert codes(row_at(there, 0, VAN_BUREN)) == []
    assert codes(row_at(there, 0, VAN_BUREN, "South")) == []


def test_when_half_the_units_are_of_record_the_rest_are_provisional_no_more_as_a_whole():
    pieces = grid(660)  # 14 halves have a block and an open block, three of them a second block: 17 of 31 are open
    assert [f.code for f in edited([], *pieces).map.findings] == ["UNITS_PROVISIONAL"]
    there = edited([edit("length", 0, 330, VAN_BUREN), edit("length", 330, 330, VAN_BUREN)], *pieces)
    assert there.map.findings == ()
    assert sum("UNIT_SENSITIVE" in codes(row) for row in there.map.rows) == 15
    assert "UNIT_SENSITIVE" not in codes(row_at(there, 0, VAN_BUREN))


def test_of_two_lengths_of_record_the_later_counts_and_both_stay_on_the_row():
    first, second = edit("length", 330, 374), edit("length", 330, 352)
    row = row_at(edited([first, second]), 330)
    assert (row.unit_ft, row.record_ft, row.edits) == (8, 352, (first, second))


def test_the_reasons_say_that_the_length_is_of_record_and_why():
    there = edited([edit("length", 330, 374, reason="Plat of 1884", by="R. Roe", on="2026-05-12")])
    found = step(there, there.door(ALMA, 470, 400), "unit")
    assert found.text == (
        "374.00 ft, a length of record, / 44 = 8.50: 9 ft a number. "
        "An officer recorded it: Plat of 1884 (R. Roe, 2026-05-12)."
    )
    assert (found.values["length_ft"], found.values["of_record"]) == (374, True)
    assert "330.0 ft by the linework" in step(there, there.door(ALMA, 470, 400), "block").text
    plain = step(there, there.door(ALMA, 470, 300), "unit")
    assert plain.text == "330.0 ft / 44 = 7.50: 8 ft a number."


@pytest.mark.parametrize("length", [0, -1, math.nan, math.inf])
def test_a_length_that_is_none_is_refused(length):
    with pytest.raises(
        EditError, match=r"length at 330.0 ft of North Alma Street: found .*, expected a length of record"
    ):
        edited([edit("length", 330, length)])


def test_an_open_block_has_no_length_of_record():
    with pytest.raises(EditError, match=r"found an open block of 660 ft.*expected a block between two block lines"):
        edited([edit("length", 660, 700)])


# ------------------------------------------------------------------ a hundred


def test_an_officer_may_set_a_blocks_hundred():
    change = edit("hundred", 1320, 500)
    there = edited([change])
    assert blocks(there) == [(0, 8, 0), (330, 8, 100), (660, 15, 200), (1320, 15, 500)]
    assert there.number(ALMA, 470, 1330) == (500 + 10, "North")
    assert there.number(ALMA, 410, 1335) == (500 + 11 + 2, "North")
    assert row_at(there, 1320).edits == (change,)


def test_hundreds_may_be_moved_together():
    there = edited([edit("hundred", 330, 200), edit("hundred", 660, 300), edit("hundred", 1320, 400)])
    assert [hundred for _, _, hundred in blocks(there)] == [0, 200, 300, 400]


@pytest.mark.parametrize(
    ("hundred", "said"),
    [
        (200, "North Alma Street at 660.0 ft: found the 200 block, expected one above the 200 block before it"),
        (300, "North Alma Street at 660.0 ft: found the 200 block, expected one above the 300 block before it"),
        (0, "North Alma Street at 330.0 ft: found the 0 block, expected one above the 0 block before it"),
        (150, "hundred at 330.0 ft of North Alma Street: found 150, expected a multiple of 100, 0 to 999,900"),
        (-100, "found -100, expected a multiple of 100, 0 to 999,900"),
        (math.nan, "found nan, expected a multiple of 100, 0 to 999,900"),
        (math.inf, "found inf, expected a multiple of 100, 0 to 999,900"),
    ],
)
def test_numbers_still_increase_from_the_base_line_and_are_given_once(hundred, said):
    with pytest.raises(EditError, match=said):
        edited([edit("hundred", 330, hundred)])


def test_a_hundred_set_to_conform_ends_the_mismatch_on_both_streets():
    pieces = half_avenue(131.9)  # Avenue 400 begins the 100 block of Van Buren Street and the 200 block of Alma
    mismatched = [(row.street, row.from_ft) for row in edited([], *pieces).map.rows if "HUNDRED_MISMATCH" in codes(row)]
    assert sorted(mismatched) == [(ALMA, 400), (VAN_BUREN, 400)]
    there = edited([edit("hundred", 400, 200, VAN_BUREN), edit("hundred", 1060, 300, VAN_BUREN)], *pieces)
    assert [row for row in there.map.rows if "HUNDRED_MISMATCH" in codes(row)] == []


def test_the_reasons_say_that_an_officer_set_the_hundred():
    there = edited([edit("hundred", 1320, 400, reason="first"), edit("hundred", 1320, 500, reason="to match County J")])
    text = step(there, there.door(ALMA, 470, 1330), "open_block").text
    assert text.endswith("numbers 510 to 599. An officer set its hundred: to match County J.")


# ------------------------------------------------------------------ an extended block line removed

SPLIT = stub(200), across(400)  # Stub Lane, extended, cuts Van Buren Street at 200 ft


def test_an_officer_may_remove_the_line_of_a_street_extended():
    change = edit("remove_line", 200, name=VAN_BUREN, reason="no street is planned")
    before, there = edited([], *SPLIT), edited([change], *SPLIT)
    # 200 / 44 = 4.5, 400 / 44 = 9.1; what follows falls by 100
    assert blocks(before, VAN_BUREN)[:3] == [(0, 5, 0), (200, 5, 100), (400, 15, 200)]
    assert blocks(there, VAN_BUREN)[:2] == [(0, 9, 0), (400, 15, 100)]
    assert before.number(VAN_BUREN, 30, 445) == (200 + 10 + 2 * 3, "North")
    assert there.number(VAN_BUREN, 30, 445) == (100 + 10 + 2 * 3, "North")
    assert there.number(VAN_BUREN, -30, 250) == (11 + 2 * (250 // 9), "North")
    assert codes(row_at(before, 0, VAN_BUREN)) == ["EXTENSION_SPLITS_BLOCK"]
    assert codes(row_at(there, 0, VAN_BUREN)) == []
    assert row_at(there, 0, VAN_BUREN).edits == (change,)
    assert there.map.unmatched == ()


def test_the_reasons_say_that_a_line_was_removed():
    there = edited([edit("remove_line", 200, name=VAN_BUREN, reason="no street is planned")], *SPLIT)
    text = step(there, there.door(VAN_BUREN, 30, 250), "block").text
    assert text.endswith(" An officer removed the line of a street extended in it: no street is planned.")


def test_a_line_that_bounds_no_block_on_the_ground_may_be_removed_too():
    there = edited(
        [edit("remove_line", 330, name="Ridge Avenue")]
    )  # First Avenue ends nowhere near Ridge on the ground
    assert blocks(there, "Ridge Avenue") == [(0, 15, 0), (660, 15, 100), (1320, 15, 200)]


@pytest.mark.parametrize("name", [ALMA, VAN_BUREN])
def test_a_street_on_the_ground_makes_its_block_line(name):
    with pytest.raises(
        EditError, match="found the crossing with First Avenue on the ground, expected the line of a street"
    ):
        edited([edit("remove_line", 330, name=name)])


def test_where_a_line_is_removed_hundreds_no_longer_run_across_to_the_next_street():
    pieces = half_avenue(200)
    assert "HUNDRED_MISMATCH" not in {f.code for f in edited([], *pieces).raised()}
    there = edited([edit("remove_line", 200, name=VAN_BUREN)], *pieces)
    assert "HUNDRED_MISMATCH" in codes(row_at(there, 400, VAN_BUREN))
    assert "HUNDRED_MISMATCH" in codes(row_at(there, 400, ALMA))


def test_a_space_left_longer_than_1320_ft_past_the_last_street_is_no_block():
    pieces = street(VAN_BUREN, (0, -1500), (0, 3000)), stub(700), street("Nook Lane", (900, 1400), (1500, 1400))
    assert blocks(edited([], *pieces), VAN_BUREN)[:3] == [(0, 16, 0), (700, 16, 100), (1400, 15, 200)]
    there = edited([edit("remove_line", 700, name=VAN_BUREN)], *pieces)
    assert blocks(there, VAN_BUREN)[:3] == [(0, 15, 0), (660, 15, 100), (1320, 15, 200)]
    assert len(row_at(there, 660, VAN_BUREN).edits) == 1  # the open block that runs on where the line was


def test_a_line_left_out_beside_a_removed_one_does_not_come_back():
    pieces = stub(200), street("Nook Lane", (900, 300), (1500, 300)), across(600)  # Nook Lane is 100 ft past Stub Lane
    there = edited([edit("remove_line", 200, name=VAN_BUREN)], *pieces)
    assert [start for start, _, _ in blocks(there, VAN_BUREN)][:2] == [0, 600]


# ------------------------------------------------------------------ block lines put back, and made one


def test_a_line_left_out_as_too_near_is_put_back():
    pieces = across(400), stub(531.9)  # Stub Lane, extended, would cross 131.9 ft past Avenue 400
    change = edit("add_line", 531.9, name=VAN_BUREN, reason="platted as a square")
    before, there = edited([], *pieces), edited([change], *pieces)
    assert "PHANTOM" in codes(row_at(before, 400, VAN_BUREN))
    # 400 / 44 = 9.1, 131.9 / 44 = 2.998
    assert blocks(there, VAN_BUREN)[:3] == [(0, 9, 0), (400, 3, 100), (531.9, 15, 200)]
    assert "PHANTOM" not in {f.code for f in there.raised(VAN_BUREN)}
    assert row_at(there, 531.9, VAN_BUREN).edits == (change,)
    assert there.map.unmatched == ()


def test_only_a_street_that_crosses_makes_a_line():
    change = edit("add_line", 500, name=VAN_BUREN)
    assert edited([change], across(400), stub(531.9)).map.unmatched == (change,)


def test_two_lines_that_are_one_jogged_line_become_one_at_the_first():
    pieces = jog(70)  # West Avenue meets Van Buren Street at 330 ft, East Avenue at 400 ft
    change = edit("merge_lines", 330, 400, VAN_BUREN, reason="one jogged street")
    before, there = edited([], *pieces), edited([change], *pieces)
    # 330 / 44 = 7.5, 70 / 44 = 1.6
    assert blocks(before, VAN_BUREN)[:3] == [(0, 8, 0), (330, 2, 100), (400, 15, 200)]
    assert blocks(there, VAN_BUREN)[:2] == [(0, 8, 0), (330, 15, 100)]
    assert row_at(there, 330, VAN_BUREN).from_streets == ("West Avenue", "East Avenue")
    assert "JOG_NEAR" in codes(row_at(before, 330, VAN_BUREN))
    assert "JOG_NEAR" not in {f.code for f in there.raised(VAN_BUREN)}
    assert row_at(there, 330, VAN_BUREN).edits == (change,)


def test_the_order_in_which_two_lines_are_named_does_not_matter():
    one, other = (edited([edit("merge_lines", *at, VAN_BUREN)], *jog(70)) for at in ((330, 400), (400, 330)))
    assert blocks(one, VAN_BUREN) == blocks(other, VAN_BUREN)


def test_a_line_may_be_made_one_with_the_base_line():
    there = edited([edit("merge_lines", 70, 0, VAN_BUREN, reason="a jog of Main Street")], across(70))
    assert [start for start, _, _ in blocks(edited([], across(70)), VAN_BUREN)][:2] == [0, 70]
    assert blocks(there, VAN_BUREN)[:2] == [(0, 15, 0), (660, 15, 100)]
    assert there.map.unmatched == ()


@pytest.mark.parametrize(("gap", "allowed"), [(131.9, True), (132, False)])
def test_lines_a_block_apart_are_not_one(gap, allowed):
    change = edit("merge_lines", 330, 330 + gap, VAN_BUREN)
    if allowed:
        assert edited([change], *jog(gap)).map.unmatched == ()
    else:
        with pytest.raises(EditError, match="two block lines less than 132 ft apart"):
            edited([change], *jog(gap))


# ------------------------------------------------------------------ a finding decided


def decide(code: str, at_ft: float, name: str = VAN_BUREN, decision: str = "stands") -> Edit:
    return edit("decide", at_ft, name=name, code=code, decision=decision)


def test_a_decided_finding_is_kept_with_its_decision_and_not_asked_again():
    pieces = half_avenue(131.9)
    change = decide("HUNDRED_MISMATCH", 400)
    there = edited([change], *pieces)
    row = row_at(there, 400, VAN_BUREN)
    assert codes(row) == []
    assert [(d.finding.code, d.edit) for d in row.decided] == [("HUNDRED_MISMATCH", change)]
    assert there.codes(VAN_BUREN, 30, 445) == set()
    assert codes(row_at(there, 400, ALMA)) == ["HUNDRED_MISMATCH"]  # that street's row has its own
    assert there.map.unmatched == ()


@pytest.mark.parametrize("at_ft", [0, 200])
def test_a_block_lines_finding_is_decided_on_both_its_sides(at_ft):
    there = edited([decide("EXTENSION_SPLITS_BLOCK", at_ft)], *SPLIT)
    near, far = row_at(there, 0, VAN_BUREN), row_at(there, 200, VAN_BUREN)
    assert (codes(near), codes(far)) == ([], [])
    assert near.decided == far.decided != ()


def test_a_jog_is_decided_on_both_its_sides():
    there = edited([decide("JOG_NEAR", 330)], *jog(50))
    assert "JOG_NEAR" in {f.code for f in edited([], *jog(50)).raised(VAN_BUREN)}
    assert "JOG_NEAR" not in {f.code for f in there.raised(VAN_BUREN)}


def test_equal_findings_of_two_blocks_are_two_questions():
    # 440 ft and 440 ft, each known to 22 ft at both ends: 10.0 +- 0.7 ft
    pieces = across(440, accuracy_ft=22), across(880, accuracy_ft=22), *base_lines(1500, 22)
    many = [street(f"Street {x}", (x, -1500), (x, 1500)) for x in range(3000, 9000, 660)]  # so that most rows are sure
    before = edited([], *pieces, *many)
    same = [row.findings[-1] for row in before.rows(VAN_BUREN, "North")[:2]]
    assert same[0] == same[1]
    there = edited([decide("UNIT_SENSITIVE", 0)], *pieces, *many)
    assert "UNIT_SENSITIVE" not in codes(row_at(there, 0, VAN_BUREN))
    assert "UNIT_SENSITIVE" in codes(row_at(there, 440, VAN_BUREN))


def test_a_finding_of_the_whole_street_is_decided_for_the_half_on_its_first_row():
    name = "Diagonal Way"
    before, there = (
        edited([], diagonal(44), across(600)),
        edited([decide("DIAGONAL_NEAR", 0, name)], diagonal(44), across(600)),
    )
    assert all("DIAGONAL_NEAR" in codes(row) for row in before.rows(name, "North"))
    assert len(there.rows(name, "North")) > 1
    assert not any("DIAGONAL_NEAR" in codes(row) for row in there.rows(name, "North"))
    assert all(row.decided for row in there.rows(name, "North"))
    (index,) = {row.half for row in there.rows(name, "North")}
    assert [f.code for f in before.map.halves[index].findings] == ["DIAGONAL_NEAR"]
    assert there.map.halves[index].findings == ()


def test_on_a_further_row_it_is_decided_for_that_row():
    name = "Diagonal Way"
    second = edited([], diagonal(44), across(600)).rows(name, "North")[1].from_ft
    there = edited([decide("DIAGONAL_NEAR", second, name)], diagonal(44), across(600))
    asked = ["DIAGONAL_NEAR" in codes(row) for row in there.rows(name, "North")]
    assert asked == [k != 1 for k in range(len(asked))]
    assert [f.code for h in there.map.halves for f in h.findings] == ["DIAGONAL_NEAR"]


def test_a_later_decision_replaces_an_earlier_one():
    first, second = (
        decide("EXTENSION_SPLITS_BLOCK", 0),
        decide("EXTENSION_SPLITS_BLOCK", 200, decision="stands until 2030"),
    )
    there = edited([first, second], *SPLIT)
    assert [d.edit for d in row_at(there, 0, VAN_BUREN).decided] == [second]
    assert [d.edit for d in row_at(there, 200, VAN_BUREN).decided] == [second]
    assert there.map.unmatched == ()


def test_a_decision_of_no_finding_is_refused():
    with pytest.raises(EditError, match="found NONESUCH, expected the code of a finding"):
        edited([decide("NONESUCH", 0)])


# ------------------------------------------------------------------ which row an edit is of


@pytest.mark.parametrize(("at_ft", "matches"), [(324.9, False), (325, True), (335, True), (335.1, False)])
def test_an_edit_is_of_the_row_that_begins_within_5_ft(at_ft, matches):
    change = edit("length", at_ft, 374)
    there = edited([change])
    assert row_at(there, 330).unit_ft == (9 if matches else 8)
    assert there.map.edits == (change,)
    assert there.map.unmatched == (() if matches else (change,))


@pytest.mark.parametrize(
    "change",
    [
        edit("length", 330, 374, name="Elm Street"),
        edit("length", 330, 374, side="East"),
        Edit("hundred", ALMA, "North", 1, 1320, 500),
        edit("remove_line", 400),
        edit("decide", 330, code="PHANTOM"),
        edit("decide", 400, code="PHANTOM"),
        edit("add_line", 330),
        edit("merge_lines", 330, 500),
    ],
)
def test_an_edit_that_nothing_answers_to_is_kept_apart(change):
    there = edited([change])
    assert there.map.unmatched == (change,)
    assert there.map.rows == village(*WORKED).map.rows


def test_an_edit_of_an_unknown_kind_or_place_is_refused():
    with pytest.raises(EditError, match="kind: found widen, expected one of hundred, length, remove_line, add_line"):
        edited([edit("widen", 330)])
    with pytest.raises(EditError, match="expected a station in feet"):
        edited([edit("length", math.nan, 330)])


def test_without_edits_the_map_is_the_one_derived():
    net = network([*base_lines(), *WORKED], MAIN, VAN_BUREN)
    plain = numbering_map(net, LAW)
    assert (plain.edits, plain.unmatched) == ((), ())
    assert all((row.record_ft, row.edits, row.decided) == (0, (), ()) for row in plain.rows)
