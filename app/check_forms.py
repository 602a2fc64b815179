"""The forms of the checks of the right-of-way: what each asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.checks import OBJECT_KINDS


@dataclass(frozen=True)
class Field:
    """One field of a check's form.

    Parameters
    ----------
    key
        Its name, which is also where the request has it: ``"tape.setback"`` is ``setback`` of ``tape``.
    label, hint
        What it is called, and what is said beside it.
    form
        ``"text"``, ``"length"``, ``"choice"``, ``"yes_no"``, ``"tick"``, ``"day"``, ``"street"`` or ``"shape"``.
    choices
        What may be chosen, with words for each.
    """

    key: str
    label: str
    hint: str = ""
    form: str = "text"
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CheckForm:
    """The form of one check.

    Parameters
    ----------
    name, title
        Its name in the API, and in words.
    about
        What it answers.
    section
        Of the law.
    fields
        What it needs, in the order asked.
    shape
        The field that what is tapped on the map goes into; ``""`` where nothing is.
    draws
        ``"Polygon"`` or ``"LineString"``: what is tapped, corner after corner; ``""`` for none.
    place
        Whether one place, a latitude and a longitude, may be given.
    rows
        The field that has rows: ``"lots"`` or ``"segments"``; ``""`` for none.
    """

    name: str
    title: str
    about: str
    section: str
    fields: tuple[Field, ...]
    shape: str = ""
    draws: str = ""
    place: bool = False
    rows: str = ""

    @property
    def placed(self) -> bool:
        """Whether it takes positions, which have an accuracy and a datum."""
        return bool(self.shape) or self.place


def _outline(key: str, what: str, hint: str = "") -> Field:
    return Field(key, what, hint or "Tap its corners on the map, or paste a GeoJSON Polygon", "shape")


def _tape(key: str, what: str, hint: str) -> tuple[Field, Field]:
    part = key.partition(".")[0]
    within = Field(f"{part}.tolerance", "± of the tape", "Such as 1/2 in; how far off it may be", "length")
    return Field(key, what, hint, "length"), within


_STREET = Field("street", "Street", "The nearest one counts where none is chosen", "street")
_DAY = Field("date", "Day", "The day the check is made for; today when left empty", "day")
_RADIUS = Field("radius_ft", "Its radius", "Where only its middle is given; such as 18 in or 2 ft", "length")
_KINDS = MappingProxyType({kind: kind.replace("_", " ") for kind in OBJECT_KINDS})
_THINGS = MappingProxyType(
    {
        "": "anything else, such as a fence",
        "vault": "vault",
        "cistern": "cistern",
        "mailbox": "mailbox",
        "fixture": "fixture on a sidewalk",
    }
)

FORMS: Mapping[str, CheckForm] = MappingProxyType(
    {
        form.name: form
        for form in (
            CheckForm(
                "mailbox",
                "Mailbox",
                "May a mailbox, or a newspaper tube, stay where it is?",
                "§ 288-10",
                (
                    *_tape(
                        "tape.setback",
                        "Taped to the door",
                        "From the face of the curb, or the paved edge, straight"
                        " back; such as 7 1/2 in. Below 0 over the street",
                    ),
                    Field("curb", "Is there a curb?", "As recorded of the street where you do not say", "yes_no"),
                    _STREET,
                    *_tape("tube.setback", "Taped to the tube’s protruding end", "Such as 9 in"),
                    Field(
                        "side",
                        "Side the Postal Service requires",
                        "As recorded where you do not say",
                        "choice",
                        {"": "as recorded", "north": "north", "south": "south", "east": "east", "west": "west"},
                    ),
                    Field("number", "Number on the box", "Such as 145 or 145A"),
                ),
                place=True,
            ),
            CheckForm(
                "terrace",
                "Object or paving on the terrace",
                "May a thing stand on the terrace, or the terrace be paved?",
                "§ 288-10 B",
                (
                    Field("kind", "What it is", "", "choice", _KINDS),
                    _outline("object", "Its outline"),
                    _RADIUS,
                    Field("approved", "Approval of paving", "By the Village Board or its designee, such as its date"),
                ),
                shape="object",
                draws="Polygon",
                place=True,
            ),
            CheckForm(
                "encroachment",
                "Encroachment",
                "Is a fence, a step or a thing on a public way, and how far?",
                "§ 288-7 A",
                (
                    Field("kind", "What it is", "", "choice", _THINGS),
                    _outline("footprint", "Its outline"),
                    _RADIUS,
                    Field("authorisation.kind", "What allows it", "Such as a permit; empty for nothing known"),
                    Field("authorisation.act", "Its number or act", "Such as Permit 2026-3"),
                    Field("authorisation.from", "From", "Its first day", "day"),
                    Field("authorisation.until", "Until", "Its last day, which counts", "day"),
                    _DAY,
                ),
                shape="footprint",
                draws="Polygon",
                place=True,
            ),
            CheckForm(
                "clear-width",
                "Clear width of a sidewalk",
                "Do fixtures leave three feet of the sidewalk clear?",
                "§ 288-7 C(3)",
                (
                    *_tape(
                        "tape.clear_width", "Taped at the narrowest point", "Such as 3 ft 2 in; nothing else is needed"
                    ),
                    _outline(
                        "fixtures",
                        "Fixtures",
                        "Tap the outline of each on the map, or paste GeoJSON; several as a FeatureCollection",
                    ),
                    Field(
                        "radius_ft", "Radius of a round one", "Where only its middle is given; such as 12 in", "length"
                    ),
                    _outline(
                        "sidewalk", "The sidewalk", "The one they stand on where you leave it empty; a GeoJSON Polygon"
                    ),
                    Field(
                        "along",
                        "A line along it",
                        "Such as the curb line; a GeoJSON LineString, may stay empty",
                        "shape",
                    ),
                ),
                shape="fixtures",
                draws="Polygon",
                place=True,
            ),
            CheckForm(
                "share",
                "Share of walk and street taken",
                "Does a pile of materials take more than half the sidewalk, or a third of the street?",
                "§ 288-7 B(2)",
                (_outline("footprint", "Its outline"),),
                shape="footprint",
                draws="Polygon",
            ),
            CheckForm(
                "lanes",
                "Lanes left",
                "Is a lane left in each direction past a work, or is a flagger needed?",
                "§ 288-6 B(3)",
                (_outline("footprint", "The work’s outline"), _DAY),
                shape="footprint",
                draws="Polygon",
            ),
            CheckForm(
                "excavation",
                "Excavation",
                "May this be opened on the day, and what is to be replaced?",
                "§§ 288-5, 288-6",
                (
                    _outline("opening", "The opening’s outline"),
                    _STREET,
                    Field("emergency", "Determined to be an emergency excavation", "§ 288-6 A and H", "tick"),
                    _DAY,
                ),
                shape="opening",
                draws="Polygon",
            ),
            CheckForm(
                "trench",
                "Trench",
                "Is a trench too far ahead of the pipe, or open too long?",
                "§ 288-6 B(1)",
                (
                    Field(
                        "line",
                        "The trench’s line",
                        "Tap it on the map from its beginning, or paste a GeoJSON LineString",
                        "shape",
                    ),
                    Field(
                        "excavated_ft", "Excavated as far as", "Along it from its beginning, such as 400 ft", "length"
                    ),
                    Field("laid_ft", "Pipe laid as far as", "Such as 200 ft", "length"),
                    Field("backfilled_ft", "Backfilled as far as", "0 where nothing is", "length"),
                    Field("permission", "Special permission", "From the Director of Public Works, such as its date"),
                ),
                shape="line",
                draws="LineString",
            ),
            CheckForm(
                "setback",
                "Building and street line",
                "Does a building stand more than 50 feet from the street line, or within five?",
                "§ 288-15 G(3), § 288-9 C",
                (_outline("building", "The building’s outline"), _STREET),
                shape="building",
                draws="Polygon",
            ),
            CheckForm(
                "petition",
                "Petition for curb and gutter",
                "Do the owners of more than half the frontage join?",
                "§ 288-18 A(1)",
                (Field("stretch_ft", "Unbroken length without curb and gutter", "Such as 412 ft", "length"),),
                rows="lots",
            ),
            CheckForm(
                "route",
                "Route of a moved building",
                "Does a route hold together, and what is on it?",
                "§ 130-12, § 288-8 D",
                (
                    Field(
                        "stops",
                        "Overnight stops",
                        "Tap the outline of each on the map, or paste GeoJSON; may stay empty",
                        "shape",
                    ),
                    _DAY,
                ),
                shape="stops",
                draws="Polygon",
                rows="segments",
            ),
        )
    }
)
"""Every check's form by its name."""

SEVERAL = frozenset({"fixtures", "stops"})
"""Fields that take several shapes."""
ROWS: Mapping[str, tuple[Field, ...]] = MappingProxyType(
    {
        "lots": (
            Field("frontage_ft", "Frontage", "Such as 66 ft", "length"),
            Field("signed", "Its owner joined", "", "tick"),
        ),
        "segments": (
            Field("street", "Street", "", "street"),
            Field("from", "From the crossing of", "", "street"),
            Field("to", "To the crossing of", "", "street"),
        ),
    }
)
"""What a row of the petition and of the route has; a row without its first field is none."""
