"""Every finding: a situation that raises it, the same situation a little changed that does not, and its words."""

import math
from collections.abc import Callable
from string import Formatter

import pytest

from gis import numbering
from gis.findings import CATALOGUE, Finding, Severity
from gis.network import Piece
from gis.numbering import Held
from tests.building import MAIN, VAN_BUREN, Village, base_lines, street, village

# The codes as the reading of the ordinance lists them, and those of an input that cannot be numbered.
OF_THE_READING = {
    *("BEARING_WEAK", "DIAGONAL_NEAR", "DIAGONAL_TIE", "BRANCHED", "LOOP"),
    *("EXTENSION_MISSES_BASELINE", "BASE_RECROSSED"),
    *("JOG_NEAR", "PHANTOM", "EXTENSION_SPLITS_BLOCK", "HUNDRED_MISMATCH", "UNIT_SENSITIVE", "UNITS_PROVISIONAL"),
    *("UNIT_OVERFLOW", "PAST_END", "OUTSIDE_FRONTAGE", "SIDE_CARRIED", "SIDE_UNDETERMINED"),
    *("AMBIGUOUS_FRONTAGE", "LOT_UNKNOWN", "NUMBER_TAKEN"),
}
OF_THE_INPUT = {"UNKNOWN_STREET", "BAD_COORDINATE", "OUT_OF_VILLAGE"}
OF_ASSIGNING = {"LOT_UNKNOWN", "NUMBER_TAKEN"}  # they need a register, which the geometry core has not

Raised = Callable[[], list[Finding]]


def on_map(*pieces: Piece) -> Raised:
    """The findings of a village's rows and of its map."""
    return lambda: village(*pieces).raised()


def at_door(name: str | None, x: float, y: float, *pieces: Piece, held: tuple[float, float] | None = None) -> Raised:
    """The findings of a door."""

    def raised() -> list[Finding]:
        there = village(*pieces)
        half = there.door(name, x, y).half
        first, *others = there.doors(name, x, y, Held(half, *held) if held else None)
        return list(numbering.findings(there.frontages, first, others, name or ""))

    return raised


def across(y: float, **more: object) -> Piece:
    return street(f"Avenue {y}", (-1500, y), (1500, y), **more)  # type: ignore[arg-type]


def stub(y: float) -> Piece:
    return street("Stub Lane", (900, y), (1500, y))


def diagonal(bearing_deg: float) -> Piece:
    turn = math.radians(bearing_deg)
    return street("Diagonal Way", (300, 300), (300 + 800 * math.sin(turn), 300 + 800 * math.cos(turn)))


def horseshoe(leg: float) -> Piece:
    return street("Court Street", (300, 100), (300, 100 + leg), (500, 100 + leg), (500, 100))


def half_avenue(y: float) -> list[Piece]:
    alma = street("Alma Street", (440, -100), (440, 1000))
    return [across(400), alma, street("Half Avenue", (300, y), (600, y))]


def jog(gap: float) -> list[Piece]:
    west = street("West Avenue", (-1500, 330), (0, 330), accuracy_ft=10)
    return [west, street("East Avenue", (0, 330 + gap), (1500, 330 + gap), accuracy_ft=10)]


def ring(last: float) -> Piece:
    return street("Ring Street", (400, 300), (200, 300), (200, 100), (400, 100), (400, last))


def weave(last: float) -> Piece:
    return street("Weave Street", (300, 200), (300, -200), (500, -200), (500, last))


def fork(x: float) -> list[Piece]:
    return [street("Fork Street", (500, 0), (500, 800)), street("Fork Street", (500 + x, 300), (900, 300))]


def court(x: float, y: float) -> Raised:
    return at_door("Court Street", x, y, street("Court Street", (500, 0), (500, 200)))


def hook(x: float) -> Raised:
    return at_door("Hook Street", x, 300, street("Hook Street", (300, 0), (300, 400), (500, 400), (500, 100)))


def grid(second: float) -> list[Piece]:
    """Each half with one block of 330 ft known to 25 ft and one open block; Van Buren Street with one block more."""
    bases = base_lines(330, 25)[0], street(VAN_BUREN, (0, -330), (0, second), accuracy_ft=25)
    ns = [street(f"Street {x}", (x, -330), (x, 330), accuracy_ft=25) for x in (-330, 330)]
    ew = [street(f"Avenue {y}", (-330, y), (330, y), accuracy_ft=25) for y in {-330, 330, second}]
    return [*bases, *ns, *ew]


SITUATIONS: dict[str, tuple[Raised, Raised]] = {
    "BEARING_WEAK": (on_map(horseshoe(299)), on_map(horseshoe(301))),
    "DIAGONAL_NEAR": (on_map(diagonal(40.1)), on_map(diagonal(39.9))),
    "DIAGONAL_TIE": (on_map(diagonal(44.6)), on_map(diagonal(44.4))),
    "BRANCHED": (on_map(*fork(4.9)), on_map(street("Fork Street", (500, 0), (500, 300)), fork(4.9)[1])),
    "LOOP": (on_map(ring(295)), on_map(ring(294.9))),
    "EXTENSION_MISSES_BASELINE": (
        on_map(street("Vee Street", (300, 900), (400, 300), (500, 300), (600, 700))),
        on_map(street("Vee Street", (300, 900), (400, 300))),
    ),
    "BASE_RECROSSED": (on_map(weave(-5)), on_map(weave(-5.1))),
    "JOG_NEAR": (on_map(*jog(50)), on_map(*jog(49.9))),
    "PHANTOM": (on_map(across(400), stub(531.9)), on_map(across(400), stub(532))),
    "EXTENSION_SPLITS_BLOCK": (on_map(stub(268), across(400)), on_map(stub(268.1), across(400))),
    "HUNDRED_MISMATCH": (on_map(*half_avenue(131.9)), on_map(*half_avenue(132))),
    "UNIT_SENSITIVE": (on_map(across(440, accuracy_ft=22)), on_map(across(440, accuracy_ft=21.9))),
    "UNITS_PROVISIONAL": (on_map(*grid(660)), on_map(*grid(330))),
    "UNIT_OVERFLOW": (at_door(VAN_BUREN, 30, 315, across(328)), at_door(VAN_BUREN, 30, 314.99, across(328))),
    "PAST_END": (court(520, 200.1), court(520, 200)),
    "OUTSIDE_FRONTAGE": (
        at_door(VAN_BUREN, 30, 99, held=(100, 140)),
        at_door(VAN_BUREN, 30, 100, held=(100, 140)),
    ),
    "SIDE_CARRIED": (hook(520), hook(280)),
    "SIDE_UNDETERMINED": (at_door(VAN_BUREN, 0.1, 100), at_door(VAN_BUREN, 0.11, 100)),
    "AMBIGUOUS_FRONTAGE": (at_door(None, 30, 45), at_door(None, 30, 45.1)),
    "UNKNOWN_STREET": (at_door("Elm Street", 30, 45), at_door(MAIN, 30, 45)),
    "BAD_COORDINATE": (at_door(VAN_BUREN, math.nan, 45), at_door(VAN_BUREN, 30, 45)),
    "OUT_OF_VILLAGE": (at_door(MAIN, 1500 + 660.1, 1), at_door(MAIN, 1500 + 659.9, 1)),
}


@pytest.mark.parametrize("code", SITUATIONS)
def test_a_finding_is_raised_where_it_applies_and_not_next_to_it(code: str) -> None:
    there, near = SITUATIONS[code]
    raised = [finding for finding in there() if finding.code == code]
    assert raised
    assert code not in {finding.code for finding in near()}
    for finding in raised:
        assert finding.message == finding.kind.sentence.format(**finding.values)
        assert "{" not in finding.message


def test_every_finding_of_derivation_and_numbering_has_its_situation() -> None:
    assert set(SITUATIONS) == set(CATALOGUE) - OF_ASSIGNING


def test_the_catalogue_holds_the_codes_of_the_reading_and_no_others() -> None:
    assert set(CATALOGUE) == OF_THE_READING | OF_THE_INPUT


@pytest.mark.parametrize("code", CATALOGUE)
def test_a_kind_of_finding_has_title_section_severity_and_words(code: str) -> None:
    kind = CATALOGUE[code]
    assert kind.title
    assert kind.section.startswith("288-15 ")
    assert kind.severity in Severity
    assert kind.sentence.endswith(".")
    fields = {name: 1 for _, name, _, _ in Formatter().parse(kind.sentence) if name}
    assert "{" not in Finding(code, fields).message


@pytest.mark.parametrize("code", sorted(OF_THE_INPUT | {"SIDE_UNDETERMINED"}))
def test_a_finding_that_stops_a_door_leaves_it_without_a_number(code: str) -> None:
    assert CATALOGUE[code].severity is Severity.STOP


def test_only_a_finding_that_stops_leaves_a_door_without_a_number() -> None:
    assert {code for code, kind in CATALOGUE.items() if kind.severity is Severity.STOP} == {
        *OF_THE_INPUT,
        "SIDE_UNDETERMINED",
    }


def test_a_door_tells_its_own_findings_its_rows_and_its_streets() -> None:
    # past the end, in a block that a phantom would have cut, of a street near the diagonal
    there: Village = village(across(400), diagonal(44), stub(300))
    x, y = 300 + 810 * math.sin(math.radians(44)), 300 + 810 * math.cos(math.radians(44))
    told = numbering.findings(there.frontages, there.door("Diagonal Way", x + 20, y))
    assert told[0].code == "PAST_END"
    assert "DIAGONAL_NEAR" in {finding.code for finding in told}
    assert {f.code for f in told} == set(there.door("Diagonal Way", x + 20, y).codes)
