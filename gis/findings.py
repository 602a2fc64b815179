"""The catalogue of findings: what each code says, under which section and how grave it is.

The code that raises a finding knows only its code and its values; words and severity live here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any


class Severity(StrEnum):
    """How much a finding weighs: `STOP` no number, `DECIDE` an officer decides, `NOTE` said for the record."""

    STOP = "stop"
    DECIDE = "decide"
    NOTE = "note"


@dataclass(frozen=True)
class Kind:
    """One kind of finding.

    Parameters
    ----------
    title
        A short name of the finding for lists and legends.
    section
        The section of the ordinance, or of the reading of it, that the finding belongs to.
    severity
        How much it weighs.
    sentence
        What it says; fields in braces are filled from the finding's values.
    """

    title: str
    section: str
    severity: Severity
    sentence: str


@dataclass(frozen=True)
class Finding:
    """One finding: its code in `CATALOGUE` and the values of its sentence.

    Parameters
    ----------
    code
        A key of `CATALOGUE`.
    values
        The values that fill the kind's sentence.

    Examples
    --------
    >>> Finding("UNIT_OVERFLOW", {"past_ft": 13.0, "last": 98}).message
    'The entrance lies 13 ft past the last unit of its block; the last number, 98, is given once.'
    """

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.code, *self.values.items()))

    @property
    def kind(self) -> Kind:
        """The finding's kind."""
        return CATALOGUE[self.code]

    @property
    def section(self) -> str:
        """The section of the ordinance the finding belongs to."""
        return self.kind.section

    @property
    def message(self) -> str:
        """The finding in words."""
        return self.kind.sentence.format(**self.values)


_STOP, _DECIDE, _NOTE = Severity.STOP, Severity.DECIDE, Severity.NOTE

CATALOGUE: Mapping[str, Kind] = MappingProxyType(
    {
        # the street
        "BEARING_WEAK": Kind(
            "Weak bearing",
            "288-15 C(2)",
            _DECIDE,
            "{street} bends so much that it has no clear bearing; {used} decides its base line.",
        ),
        "DIAGONAL_NEAR": Kind(
            "Near the diagonal",
            "288-15 C(2)",
            _DECIDE,
            "{street} lies {margin_deg:.1f} degrees from halfway between the base lines' bearings; "
            'it is read to "tend to parallel" {parallel}.',
        ),
        "DIAGONAL_TIE": Kind(
            "Exactly diagonal",
            "288-15 C(2)",
            _DECIDE,
            "{street} parallels neither base line more than the other; "
            "it is numbered north and south until an officer decides.",
        ),
        "BRANCHED": Kind(
            "Branched street",
            "288-15 D",
            _DECIDE,
            "{street} branches into {paths} paths; each is numbered by itself and a door goes to the nearest.",
        ),
        "LOOP": Kind(
            "Closed loop",
            "288-15 D",
            _DECIDE,
            "{street} is a closed loop; it is numbered from its point nearest {base}, once round.",
        ),
        "EXTENSION_MISSES_BASELINE": Kind(
            "Extension misses the base line",
            "288-15 F",
            _DECIDE,
            "{street}, carried straight on from either end, does not reach {base}; "
            "it is counted from the nearest point of {base}.",
        ),
        "BASE_RECROSSED": Kind(
            "Base line crossed more than once",
            "288-15 C(1)",
            _DECIDE,
            "{street} meets {base} {times} times; each piece counts from its nearest crossing.",
        ),
        # the row
        "JOG_NEAR": Kind(
            "Jog near its limit",
            "288-15 D",
            _DECIDE,
            "{streets} lie {gap_ft:.0f} ft apart, within the data's accuracy of {limit_ft:.0f} ft: "
            "whether they make one block line or two is open.",
        ),
        "PHANTOM": Kind(
            "Extended line left out",
            "288-15 D",
            _NOTE,
            "{streets}, extended, would cross {at_ft:.0f} ft from the base line, "
            "less than {limit_ft:.0f} ft from the next block line; it makes no block.",
        ),
        "EXTENSION_SPLITS_BLOCK": Kind(
            "Extended line splits a block",
            "288-15 D",
            _DECIDE,
            "{streets}, extended, crosses {at_ft:.0f} ft from the base line between two built crossings; kept as "
            '"space that would be one block or square"; the officer may remove it.',
        ),
        "HUNDRED_MISMATCH": Kind(
            "Cross street with two hundreds",
            "288-15 D",
            _DECIDE,
            "{cross} begins the {hundred} block here, but the {other_hundred} block of {other}.",
        ),
        "UNIT_SENSITIVE": Kind(
            "Unit of frontage open",
            "288-15 D",
            _DECIDE,
            "The block's length is known to {accuracy_ft:.0f} ft; its unit of frontage may be {units} ft{numbers}.",
        ),
        # the map
        "UNITS_PROVISIONAL": Kind(
            "Units provisional",
            "288-15 D",
            _DECIDE,
            "{open} of {rows} rows have a unit of frontage that the linework's accuracy leaves open; "
            "all units are provisional until the blocks are measured.",
        ),
        # the door
        "UNIT_OVERFLOW": Kind(
            "Past the last unit",
            "288-15 D",
            _DECIDE,
            "The entrance lies {past_ft:.0f} ft past the last unit of its block; "
            "the last number, {last}, is given once.",
        ),
        "PAST_END": Kind(
            "Past the street's end",
            "288-15 E",
            _NOTE,
            "The entrance lies past the end of the street; it is counted at the end, on the side of its last tangent.",
        ),
        "OUTSIDE_FRONTAGE": Kind(
            "Outside the lot's frontage",
            "288-15 D",
            _DECIDE,
            "The entrance lies square to a point {off_ft:.0f} ft outside the lot's own frontage; "
            "it is held to the frontage.",
        ),
        "SIDE_CARRIED": Kind(
            "Side carried round a bend",
            "288-15 E",
            _NOTE,
            "The entrance lies on the {literal} here; the street's {carried} side is carried round the bend, "
            "so that parity does not flip.",
        ),
        "SIDE_UNDETERMINED": Kind(
            "Side undetermined",
            "288-15 E",
            _STOP,
            "The point lies on the street's line, within {limit_ft:g} ft; it has no side and so no number.",
        ),
        "SIDE_UNSURE": Kind(
            "Side not sure",
            "288-15 E",
            _DECIDE,
            "The entrance lies {distance_ft:.0f} ft from the street's line and its place is known to "
            "{accuracy_ft:.0f} ft: which side it lies on, and so its parity, is to be seen on the spot.",
        ),
        "AMBIGUOUS_FRONTAGE": Kind(
            "More than one street near",
            "288-15 E",
            _DECIDE,
            "{streets} are about as near; the main entrance decides which street the building is numbered on.",
        ),
        "LOT_UNKNOWN": Kind(
            "Lot unknown",
            "288-15 D",
            _NOTE,
            "The lot is not known; free numbers are looked for on the whole face.",
        ),
        "NUMBER_TAKEN": Kind("Number taken", "288-15 H", _DECIDE, "{address} is held by {holder}."),
        # the assignment
        "OUT_OF_ORDER": Kind(
            "Out of order",
            "288-15 E",
            _DECIDE,
            "{number} stands out of order with {others}: numbers increase from the base line.",
        ),
        "OTHER_BLOCK": Kind(
            "Number of another block",
            "288-15 D",
            _DECIDE,
            "{number} is not a number of the {hundred} block, in which the entrance lies.",
        ),
        "NOT_COMPUTED": Kind(
            "Not the number computed",
            "288-15 D",
            _DECIDE,
            "{number} is chosen and not {computed}, the number computed; the difference is {difference}.",
        ),
        "SOUND_ALIKE": Kind(
            "Street names alike",
            "288-15 C(1)",
            _DECIDE,
            "{street} may be taken for {other}: the number alone must tell their buildings apart.",
        ),
        "SHARED_UNIT": Kind(
            "Unit shared with the neighbour",
            "288-15 J",
            _NOTE,
            "The unit of {computed}, the number computed, begins on the neighbour's lot and is the neighbour's; "
            "{number} is chosen.",
        ),
        "SAME_PLACE": Kind(
            "Numbered already",
            "288-15 H",
            _DECIDE,
            "{holder} is numbered at this very place; only one number is assigned to any house or building.",
        ),
        "OWNER_DIFFERENTIATES": Kind(
            "Doors of separate occupants",
            "288-15 E",
            _DECIDE,
            "{doors} doors serve separate occupants: the building has one number, and the owner "
            '"shall differentiate between the doors using letter or numbers as may be appropriate".',
        ),
        "SUFFIX_BUILDING": Kind(
            "Letter for a building",
            "288-15 H",
            _DECIDE,
            "A letter after {number}, held by {holder}, is for an entrance or part of that building; "
            "a building of its own has a number of its own.",
        ),
        "MEASURE_SET_BACK": Kind(
            "Distance to be measured",
            "288-15 G(3)",
            _NOTE,
            "The {measured} stands {distance_ft:.0f} ft from the street line, known to {uncertainty_ft:.0f} ft; "
            "whether the building stands more than {limit_ft:.0f} ft from it, and the number is to be displayed at the "
            "street line, is to be measured.",
        ),
        "BULB": Kind(
            "Round a bulb",
            "288-15 E",
            _DECIDE,
            "The door lies round the bulb at the end of the street: the doors there take the numbers free next, "
            "odd side, then even side, outward.",
        ),
        "NOT_CONFORMING": Kind(
            "Old number",
            "288-15 A",
            _NOTE,
            "{number} was given before and stays; the number computed for it is {computed}.",
        ),
        "LOT_OF_REGISTER": Kind(
            "Lot of the register",
            "288-15 J",
            _NOTE,
            "The lot was not given: it is parcel {parcel}, the one lot of the register that holds the entrance.",
        ),
        "EXISTING_NUMBER": Kind(
            "Existing number",
            "288-15 A",
            _NOTE,
            "An existing number, brought in from {file} on {day}.",
        ),
        "STREET_VACATED": Kind(
            "Street vacated",
            "288-15 A",
            _STOP,
            "{street} is vacated: no number is assigned on it.",
        ),
        # the input
        "UNKNOWN_STREET": Kind(
            "Unknown street", "288-15 B", _STOP, "{street} is not a street of the village's linework."
        ),
        "BAD_COORDINATE": Kind(
            "Bad coordinate", "288-15 A", _STOP, "The coordinate is missing or is not a finite number."
        ),
        "OUT_OF_VILLAGE": Kind(
            "Outside the village",
            "288-15 A",
            _STOP,
            "The point lies {beyond_ft:.0f} ft beyond the edge of the village's streets grown by {edge_ft:.0f} ft.",
        ),
    }
)
