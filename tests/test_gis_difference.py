"""What differs between two Street Numbering Maps, row by row."""

import pytest

from gis.blocks import NumberingMap, numbering_map
from gis.difference import RowChange, difference
from gis.edits import Edit
from gis.network import Piece
from tests.building import LAW, MAIN, VAN_BUREN, base_lines, street, village


def avenue(y: float, name: str = "First Avenue", **more: object) -> Piece:
    return street(name, (-1500, y), (1500, y), **more)  # type: ignore[arg-type]


def plat(*pieces: Piece, edits: tuple[Edit, ...] = ()) -> NumberingMap:
    return numbering_map(village(*pieces).map.network, LAW, edits)


def of(changes: tuple[RowChange, ...], side: str = "North", name: str = VAN_BUREN) -> list[RowChange]:
    return [change for change in changes if (change.street, change.side) == (name, side)]


def told(changes: list[RowChange]) -> list[tuple[str, float, tuple[str, ...]]]:
    """Kind, station in the new map (or else in the old) and what differs."""
    return [(c.kind, (c.new or c.old).from_ft, c.what) for c in changes]  # type: ignore[union-attr]


def test_a_map_does_not_differ_from_itself_derived_again():
    assert difference(plat(avenue(330)), plat(avenue(330))) == ()


def test_against_no_map_every_row_is_added():
    new = plat(avenue(330))
    changes = difference(None, new)
    assert sorted((c.street, c.side, c.new.from_ft) for c in changes if c.new) == sorted(
        (row.street, row.side, row.from_ft) for row in new.rows
    )
    assert {(c.kind, c.old, c.what) for c in changes} == {("added", None, ())}


def test_a_new_cross_street_adds_a_row_and_changes_the_one_it_cuts():
    changes = difference(plat(avenue(330)), plat(avenue(330), avenue(660, "Second Avenue")))
    # before, an open block of 660 ft began at 330; now one of 330 ft with the unit of 8 ft ends at Second Avenue
    assert told(of(changes)[:2]) == [("changed", 330, ("to_ft", "unit_ft")), ("added", 660, ())]
    assert of(changes, "South") == []
    assert {c.kind for c in of(changes, "East", "Second Avenue")} == {"added"}


def test_a_street_given_up_removes_its_rows():
    changes = difference(plat(avenue(330), avenue(660, "Second Avenue")), plat(avenue(330)))
    assert ("removed", 660, ()) in told(of(changes))
    gone = of(changes, "West", "Second Avenue")
    assert {(c.kind, c.new) for c in gone} == {("removed", None)}
    assert all(c.old and c.old.street == "Second Avenue" for c in gone)


@pytest.mark.parametrize(
    ("y", "what"),
    [
        (440.04, []),
        (440.06, [("changed", 0, ("to_ft",)), ("changed", 440.06, ("from_ft", "to_ft"))]),
        (445, [("changed", 0, ("to_ft",)), ("changed", 445, ("from_ft", "to_ft"))]),
        (445.1, [("changed", 0, ("to_ft",)), ("removed", 440, ()), ("added", 445.1, ())]),
    ],
)
def test_rows_that_begin_within_5_ft_of_each_other_are_one(y, what):
    # the open block that begins there ends 660 ft on, so that its end moves with it; 440 / 44 and 445 / 44 are 10
    changes = told(of(difference(plat(avenue(440)), plat(avenue(y)))))
    assert changes[: len(what)] == [(kind, pytest.approx(at), fields) for kind, at, fields in what]
    assert bool(changes) == bool(what)


def test_each_row_is_paired_with_the_one_that_begins_nearest():
    old = plat(avenue(330), avenue(390, "Second Avenue"))
    new = plat(avenue(334), avenue(394, "Second Avenue"))
    pairs = [(c.old.from_ft, c.new.from_ft) for c in of(difference(old, new)) if c.old and c.new]
    assert pairs[:3] == [(0, 0), (330, 334), (390, 394)]


def test_an_edit_shows_in_what_it_changes():
    length = Edit("length", VAN_BUREN, "North", 0, 0, 374)
    hundred = Edit("hundred", VAN_BUREN, "North", 0, 990, 500)
    changes = difference(plat(avenue(330)), plat(avenue(330), edits=(length, hundred)))
    assert told(of(changes)) == [("changed", 0, ("record_ft", "unit_ft")), ("changed", 990, ("hundred",))]
    assert len(changes) == 2


def test_a_decided_finding_is_a_difference():
    stub = street("Stub Lane", (900, 200), (1500, 200))
    decided = Edit("decide", VAN_BUREN, "North", 0, 0, code="EXTENSION_SPLITS_BLOCK")
    changes = difference(plat(stub, avenue(400)), plat(stub, avenue(400), edits=(decided,)))
    assert told(list(changes)) == [("changed", 0, ("findings",)), ("changed", 200, ("findings",))]


def test_changes_come_by_street_side_path_and_station():
    changes = difference(plat(), plat(avenue(330)))
    keys = [(c.street, c.side, c.path, (c.new or c.old).from_ft) for c in changes]  # type: ignore[union-attr]
    assert keys == sorted(keys)
    assert MAIN not in {c.street for c in changes}  # nothing crosses Main Street anew


def test_each_path_of_a_branched_street_is_compared_with_itself():
    fork = [street("Fork Street", (500, 0), (500, 800)), street("Fork Street", (500, 300), (900, 300))]
    assert difference(plat(*fork), plat(*fork)) == ()
    assert {c.path for c in difference(None, plat(*fork)) if c.street == "Fork Street"} == {0, 1}


def test_base_lines_known_better_change_only_findings():
    exact, rough = plat(*base_lines(), avenue(440, accuracy_ft=1)), plat(*base_lines(), avenue(440, accuracy_ft=22))
    assert {c.what for c in difference(exact, rough)} == {("findings",)}


def test_two_legs_of_a_street_that_recrosses_main_street_are_compared_each_with_its_own():
    # both legs north of Main Street are North Weave Street and begin at 0 ft; a lane crosses one of them on the ground
    weave = street("Weave Street", (300, 600), (300, -200), (500, -200), (500, 600))
    stub = street("Stub Lane", (450, 300), (550, 300))
    assert len({row.half for row in plat(weave, stub).rows if (row.street, row.side) == ("Weave Street", "North")}) == 2
    assert difference(plat(weave, stub), plat(weave, stub)) == ()
