"""Edits of a village's streets on squared paper, and the numbers that follow from them (§ 288-15 C and D).

Main Street lies on y = 0, Van Buren Street on x = 0, First Avenue on y = 330, Second Avenue on y = 660 from x = 100,
Alma Street on x = 440. Alma's blocks: 330 ft to First (7.5, unit 8), 330 ft to Second, then open.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from shapely import LineString

from gis.blocks import numbering_map
from gis.errors import EditError, NetworkError
from gis.frontages import Frontages
from gis.network import Piece, network
from gis.street_edits import Plan, StreetEdit, applied, apply, settled
from tests.building import LAW, MAIN, VAN_BUREN, Village, street

ALMA, FIRST = "Alma Street", "First Avenue"
PIECES = (
    street(MAIN, (-2000, 0), (2000, 0)),
    street(VAN_BUREN, (0, -2000), (0, 2000)),
    street(FIRST, (-2000, 330), (2000, 330)),
    street("Second Avenue", (100, 660), (2000, 660)),
    street(ALMA, (440, -700), (440, 1500)),
    street("Unnamed 01", (900, 400), (900, 1500), name_status="placeholder"),
)
PLAN = Plan(PIECES, MAIN, VAN_BUREN)


def derived(plan: Plan) -> Village:
    return Village(Frontages.of(numbering_map(network(plan.pieces, plan.base_ew, plan.base_ns), LAW)))


def after(*edits: StreetEdit) -> Village:
    plan, unmatched = applied(PLAN, edits)
    assert unmatched == ()
    return derived(plan)


def named(plan: Plan, name: str) -> list[Piece]:
    return [piece for piece in plan.pieces if piece.name == name]


# --- names, kinds, block lines, base lines ---


def test_a_placeholder_is_named_and_its_numbers_stay() -> None:
    there = after(StreetEdit("name", "Unnamed 01", to="Oak Street", name_status="confirmed"))
    # (930, 500): block 1 from First to Second, 170 ft into it, unit 8: k = 21, east even
    assert there.number("Oak Street", 930, 500) == (110 + 2 * 21, "North")
    assert "Unnamed 01" not in there.map.network.by_name


def test_a_base_line_that_is_named_stays_the_base_line() -> None:
    plan = apply(PLAN, StreetEdit("name", VAN_BUREN, to="Center Street", name_status="inferred"))
    assert (plan.base_ew, plan.base_ns) == (MAIN, "Center Street")
    assert [p.name_status for p in named(plan, "Center Street")] == ["inferred"]


@pytest.mark.parametrize("edit", [StreetEdit("kind", FIRST, to="alley"), StreetEdit("block_line", FIRST, to="never")])
def test_a_street_that_is_an_alley_or_ruled_out_makes_no_block_line(edit: StreetEdit) -> None:
    assert derived(PLAN).number(ALMA, 470, 100) == (10 + 2 * 12, "North")  # 100 / 8 = 12.5
    assert after(edit).number(ALMA, 470, 100) == (10 + 2 * 6, "North")  # one block of 660 ft, unit 15: 100 / 15 = 6.7


def test_another_base_line_moves_where_numbers_count_from() -> None:
    there = after(StreetEdit("base_line", ALMA, to="ns"))
    # from Alma (x = 440) to Unnamed 01 (x = 900): 460 / 44 = 10.45, unit 10; 740 is 300 ft in, k = 30, north even
    assert there.number(MAIN, 740, 40) == (10 + 2 * 30, "East")
    assert there.number(MAIN, 430, 40)[1] == "West"


def test_a_base_line_that_does_not_cross_the_other_cannot_be_read() -> None:
    plan = apply(PLAN, StreetEdit("base_line", FIRST, to="ns"))
    with pytest.raises(NetworkError, match="do not cross"):
        derived(plan)


# --- pieces ---


def test_a_piece_is_split_and_one_part_is_made_an_alley() -> None:
    split = StreetEdit("split", FIRST, at=(300.0, 330.0))
    plan = apply(PLAN, split)
    assert [list(p.line.coords) for p in named(plan, FIRST)] == [
        [(-2000, 330), (300, 330)],
        [(300, 330), (2000, 330)],
    ]
    there = after(split, StreetEdit("kind", FIRST, at=(1000.0, 330.0), to="alley"))
    # the alley past x = 300 makes no line on Alma, whose first block runs 660 ft; the street before it makes one on
    # Van Buren
    assert there.number(ALMA, 470, 100) == (10 + 2 * 6, "North")
    assert there.number(VAN_BUREN, 30, 100) == (10 + 2 * 12, "North")
    assert [p.kind for p in there.map.network.pieces if p.name == FIRST] == ["street", "alley"]


def test_one_part_of_a_split_street_gets_a_name_of_its_own() -> None:
    there = after(
        StreetEdit("split", ALMA, at=(440.0, 0.0)),
        StreetEdit("name", ALMA, at=(440.0, -350.0), to="Pine Street", name_status="confirmed"),
    )
    assert there.number("Pine Street", 400, -100)[1] == "South"
    assert {row.side for row in there.map.rows if row.street == "Pine Street"} == {"South"}
    assert "South" not in {row.side for row in there.map.rows if row.street == ALMA}


@pytest.mark.parametrize(("y", "splits"), [(-695.0, False), (-694.9, True)])
def test_a_piece_is_not_split_within_5_ft_of_its_end(y: float, splits: bool) -> None:
    edit = StreetEdit("split", ALMA, at=(440.0, y))
    assert (applied(PLAN, [edit])[1] == ()) == splits


def test_pieces_split_and_joined_again_are_as_they_were() -> None:
    at = (440.0, 200.0)
    plan, unmatched = applied(PLAN, [StreetEdit("split", ALMA, at=at), StreetEdit("join", ALMA, at=at)])
    assert unmatched == ()
    assert [p.line.length for p in named(plan, ALMA)] == [2200]
    assert derived(plan).map.rows == derived(PLAN).map.rows


def test_pieces_drawn_towards_each_other_are_joined_end_to_end() -> None:
    pieces = (street(ALMA, (440, -700), (440, 200)), street(ALMA, (440, 1500), (440, 203), accuracy_ft=25))
    plan = apply(replace(PLAN, pieces=(*PIECES[:4], *pieces)), StreetEdit("join", ALMA, at=(440.0, 201.0)))
    (joined,) = named(plan, ALMA)
    assert list(joined.line.coords) == [(440, -700), (440, 200), (440, 203), (440, 1500)]
    assert joined.accuracy_ft == 25


def test_pieces_of_two_kinds_are_not_joined() -> None:
    at = (440.0, 200.0)
    edits = [StreetEdit("split", ALMA, at=at), StreetEdit("kind", ALMA, at=(440.0, 900.0), to="private")]
    plan, _ = applied(PLAN, edits)
    with pytest.raises(EditError, match="kind: found street and private, expected two pieces that are alike"):
        apply(plan, StreetEdit("join", ALMA, at=at))


def test_nothing_is_joined_where_one_piece_ends() -> None:
    with pytest.raises(EditError, match="found 1 end of pieces of Alma Street, expected a place where two"):
        apply(PLAN, StreetEdit("join", ALMA, at=(440.0, 1500.0)))


def test_a_piece_is_removed() -> None:
    there = after(StreetEdit("split", ALMA, at=(440.0, 0.0)), StreetEdit("remove", ALMA, at=(440.0, 700.0)))
    assert {row.side for row in there.map.rows if row.street == ALMA} == {"South"}


def test_a_street_that_is_drawn_makes_blocks_like_any_other() -> None:
    line = ((200.0, 495.0), (900.0, 495.0))
    there = after(StreetEdit("draw", "Half Avenue", to="street", name_status="confirmed", line=line))
    # Alma's block from First is 165 ft now: 165 / 44 = 3.75, unit 4; 100 ft in is k = 25, east even
    assert there.number(ALMA, 470, 430) == (110 + 2 * 25, "North")
    never = StreetEdit("draw", "Half Avenue", to="street", name_status="confirmed", line=line, block_line="never")
    assert after(never).number(ALMA, 470, 430) == (110 + 2 * 12, "North")  # 100 / 8 = 12.5


def test_a_street_that_is_there_already_is_not_drawn_again() -> None:
    again = StreetEdit("draw", FIRST, to="street", name_status="confirmed", line=((0.0, 332.0), (900.0, 332.0)))
    with pytest.raises(EditError, match="a line that First Avenue has already"):
        apply(PLAN, again)
    on = replace(again, line=((2000.0, 330.0), (2600.0, 330.0)))
    assert len(named(apply(PLAN, on), FIRST)) == 2


# --- what an edit is of, later ---


def test_an_edit_finds_its_piece_in_linework_that_is_drawn_anew() -> None:
    edit = settled(PLAN, StreetEdit("kind", ALMA, at=(450.0, -600.0), to="private"))
    assert (edit.at, edit.length_ft) == ((440.0, 400.0), 2200.0)  # the middle of the piece that was meant
    for x, matches in ((490.0, True), (490.1, False)):
        moved = street(ALMA, (x, -700), (x, 1500))
        assert (applied(replace(PLAN, pieces=(*PIECES[:4], moved)), [edit])[1] == ()) == matches


def test_an_edit_of_a_part_does_not_take_the_whole_when_the_split_is_withdrawn() -> None:
    split = settled(PLAN, StreetEdit("split", ALMA, at=(440.0, 0.0)))
    part = settled(apply(PLAN, split), StreetEdit("kind", ALMA, at=(440.0, 700.0), to="alley"))
    assert applied(PLAN, [split, part])[1] == ()
    plan, unmatched = applied(PLAN, [part])
    assert unmatched == (part,)
    assert plan == PLAN


def test_a_split_is_put_on_the_line_and_a_join_at_an_end() -> None:
    assert settled(PLAN, StreetEdit("split", ALMA, at=(470.0, 100.0))).at == (440.0, 100.0)
    assert settled(PLAN, StreetEdit("join", ALMA, at=(445.0, 1480.0))).at == (440.0, 1500.0)


def drawn(*line: tuple[float, float]) -> StreetEdit:
    return StreetEdit("draw", "Elm Street", to="street", name_status="inferred", line=line)


def test_a_street_that_is_a_closed_loop_is_drawn() -> None:
    plan = apply(PLAN, drawn((600, 400), (800, 400), (800, 600), (600, 600), (600, 400)))
    assert len(named(plan, "Elm Street")) == 1


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (StreetEdit("widen", ALMA), "kind: found widen, expected one of name, kind"),
        (StreetEdit("kind", ALMA, to="boulevard"), "to: found boulevard, expected one of street, alley"),
        (StreetEdit("block_line", ALMA), "to: found nothing, expected one of auto, never"),
        (StreetEdit("name", ALMA, to=" ", name_status="confirmed"), "to: found nothing, expected the street's name"),
        (StreetEdit("name", ALMA, to="Oak Street"), "name_status: found nothing, expected one of confirmed"),
        (StreetEdit("split", ALMA), "at: found nothing, expected a point on the street"),
        (StreetEdit("kind", ALMA, at=(float("nan"), 0.0), to="alley"), "expected two coordinates in feet"),
        (StreetEdit("kind", "Elm Street", to="alley"), "street: found Elm Street, expected a street of this version"),
        (StreetEdit("base_line", "Elm Street", to="ns"), "street: found Elm Street"),
        (StreetEdit("kind", ALMA, at=(900.0, 0.0), to="alley"), "no piece of Alma Street lies"),
        (StreetEdit("draw", "Elm Street", to="street", name_status="inferred"), "found 0 different points"),
        (drawn((0, 0), (100, 0), (20, 0)), "a line that turns back at point 2"),
        (drawn((0, 0), (100, 0), (100, 0), (200, 0)), "found point 3 where point 2 is"),
        (
            drawn((0, 0), (100, 0), (100, 100), (50, -50)),
            "a line that from point 1 to 2 crosses itself from point 3 to 4",
        ),
        (
            StreetEdit("draw", "Elm Street", to="street", name_status="inferred", line=((0.0, 0.0), (5.0, 0.0))),
            "found a line of 5.0 ft, expected a line of more than 5 ft",
        ),
    ],
)
def test_an_edit_that_nothing_answers_to_is_refused_and_says_why(edit: StreetEdit, said: str) -> None:
    with pytest.raises(EditError, match=said):
        apply(PLAN, edit)
    assert applied(PLAN, [edit]) == (PLAN, (edit,))


def test_a_split_keeps_every_vertex_and_what_is_known_of_the_piece() -> None:
    bent = Piece("Bend Road", LineString([(0, 900), (300, 900), (300, 1200)]), accuracy_ft=25, source="DOT")
    plan = apply(Plan((*PIECES, bent), MAIN, VAN_BUREN), StreetEdit("split", "Bend Road", at=(300.0, 1000.0)))
    one, other = named(plan, "Bend Road")
    assert list(one.line.coords) == [(0, 900), (300, 900), (300, 1000)]
    assert list(other.line.coords) == [(300, 1000), (300, 1200)]
    assert (one.accuracy_ft, other.source) == (25, "DOT")
