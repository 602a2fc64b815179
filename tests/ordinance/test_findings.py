"""Every finding: a situation that raises it, the same situation a little changed that does not, and its words."""

import math
from collections.abc import Callable
from string import Formatter

import pytest

from gis import numbering
from gis.findings import CATALOGUE, Finding, Severity
from gis.frontages import BIT
from gis.network import Piece
from gis.numbering import Held, codes
from tests.building import MAIN, VAN_BUREN, Village, base_lines, street, village

# The codes as the reading of the ordinance lists them, and those of an input that cannot be numbered.
OF_THE_READING = {
    *("BEARING_WEAK", "DIAGONAL_NEAR", "DIAGONAL_TIE", "BRANCHED", "LOOP"),
    *("EXTENSION_MISSES_BASELINE", "BASE_RECROSSED"),
    *("JOG_NEAR", "PHANTOM", "EXTENSION_SPLITS_BLOCK", "HUNDRED_MISMATCH", "UNIT_SENSITIVE", "UNITS_PROVISIONAL"),
    *("UNIT_OVERFLOW", "PAST_END", "OUTSIDE_FRONTAGE", "SIDE_CARRIED", "SIDE_UNDETERMINED"),
    *("AMBIGUOUS_FRONTAGE", "LOT_UNKNOWN", "NUMBER_TAKEN"),
    *("OUT_OF_ORDER", "OTHER_BLOCK", "NOT_COMPUTED", "SOUND_ALIKE", "SHARED_UNIT", "SAME_PLACE"),
    *("OWNER_DIFFERENTIATES", "SUFFIX_BUILDING", "MEASURE_SET_BACK", "BULB", "NOT_CONFORMING", "STREET_VACATED"),
    *("EXISTING_NUMBER", "LOT_OF_REGISTER", "SIDE_UNSURE"),
}
OF_THE_INPUT = {"UNKNOWN_STREET", "BAD_COORDINATE", "OUT_OF_VILLAGE"}
# They need a register, a lot or a person, which the geometry core has not: the values each is raised with, and words.
OF_ASSIGNING: dict[str, tuple[str, Severity, dict[str, object], str]] = {
    "LOT_OF_REGISTER": ("J", Severity.NOTE, {"parcel": "25-001"}, "it is parcel 25-001, the one lot of the register"),
    "EXISTING_NUMBER": (
        "A",
        Severity.NOTE,
        {"file": "list.csv", "day": "Mon, June 1, 2026"},
        "An existing number, brought in from list.csv on Mon, June 1, 2026.",
    ),
    "SIDE_UNSURE": (
        "E",
        Severity.DECIDE,
        {"distance_ft": 8.0, "accuracy_ft": 40.0},
        "lies 8 ft from the street's line and its place is known to 40 ft",
    ),
    "LOT_UNKNOWN": ("D", Severity.NOTE, {}, "The lot is not known"),
    "NUMBER_TAKEN": (
        "H",
        Severity.DECIDE,
        {"address": "12 North Van Buren Street", "holder": "the Post Office"},
        "12 North Van Buren Street is held by the Post Office.",
    ),
    "OUT_OF_ORDER": ("E", Severity.DECIDE, {"number": 40, "others": "30, 32"}, "40 stands out of order with 30, 32"),
    "OTHER_BLOCK": ("D", Severity.DECIDE, {"number": 212, "hundred": 100}, "212 is not a number of the 100 block"),
    "NOT_COMPUTED": (
        "D",
        Severity.DECIDE,
        {"number": 114, "computed": 112, "difference": 2},
        "114 is chosen and not 112, the number computed; the difference is 2.",
    ),
    "SOUND_ALIKE": (
        "C(1)",
        Severity.DECIDE,
        {"street": "Alma Street", "other": "Elma Street"},
        "Alma Street may be taken for Elma Street",
    ),
    "SHARED_UNIT": (
        "J",
        Severity.NOTE,
        {"computed": 112, "number": 114},
        "The unit of 112, the number computed, begins on the neighbour's lot and is the neighbour's; 114 is chosen.",
    ),
    "SAME_PLACE": ("H", Severity.DECIDE, {"holder": "114 North Alma Street"}, "114 North Alma Street is numbered"),
    "OWNER_DIFFERENTIATES": (
        "E",
        Severity.DECIDE,
        {"doors": 3},
        'the owner "shall differentiate between the doors using letter or numbers as may be appropriate".',
    ),
    "SUFFIX_BUILDING": (
        "H",
        Severity.DECIDE,
        {"number": 112, "holder": "the Post Office"},
        "A letter after 112, held by the Post Office",
    ),
    "MEASURE_SET_BACK": (
        "G(3)",
        Severity.NOTE,
        {"measured": "entrance", "distance_ft": 48.2, "uncertainty_ft": 25.5, "limit_ft": 50},
        "The entrance stands 48 ft from the street line, known to 26 ft; whether the building stands more than 50 ft",
    ),
    "BULB": ("E", Severity.DECIDE, {}, "odd side, then even side, outward."),
    "NOT_CONFORMING": ("A", Severity.NOTE, {"number": 7, "computed": 11}, "7 was given before and stays"),
    "STREET_VACATED": ("A", Severity.STOP, {"street": "Mill Street"}, "Mill Street is vacated"),
}

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
    assert set(SITUATIONS) == set(CATALOGUE) - set(OF_ASSIGNING)


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


@pytest.mark.parametrize("code", OF_ASSIGNING)
def test_a_finding_of_assigning_says_its_values_under_its_section(code: str) -> None:
    section, severity, values, words = OF_ASSIGNING[code]
    found = Finding(code, values)
    assert (found.section, found.kind.severity) == (f"288-15 {section}", severity)
    assert words in found.message
    assert {name for _, name, _, _ in Formatter().parse(found.kind.sentence) if name} == set(values)


def test_every_finding_has_a_bit_of_its_own() -> None:
    assert len(set(BIT.values())) == len(CATALOGUE)
    assert codes(sum(BIT.values())) == tuple(CATALOGUE)
    assert sum(BIT.values()) < 2**63  # columns of doors keep them in 64 bits


@pytest.mark.parametrize("code", sorted(OF_THE_INPUT | {"SIDE_UNDETERMINED"}))
def test_a_finding_that_stops_a_door_leaves_it_without_a_number(code: str) -> None:
    assert CATALOGUE[code].severity is Severity.STOP


def test_only_a_finding_that_stops_leaves_a_door_without_a_number() -> None:
    assert {code for code, kind in CATALOGUE.items() if kind.severity is Severity.STOP} == {
        *OF_THE_INPUT,
        "SIDE_UNDETERMINED",
        "STREET_VACATED",
    }


def test_a_door_tells_its_own_findings_its_rows_and_its_streets() -> None:
    # past the end, in a block that a phantom would have cut, of a street near the diagonal
    there: Village = village(across(400), diagonal(44), stub(300))
    x, y = 300 + 810 * math.sin(math.radians(44)), 300 + 810 * math.cos(math.radians(44))
    told = numbering.findings(there.frontages, there.door("Diagonal Way", x + 20, y))
    assert told[0].code == "PAST_END"
    assert "DIAGONAL_NEAR" in {finding.code for finding in told}
    assert {f.code for f in told} == set(there.door("Diagonal Way", x + 20, y).codes)
