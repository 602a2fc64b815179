"""Kinds of what stands or is dug in the street: what is recorded of each, and the law's own words on it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.object_facts import MOST_IN, Fact, ObjectKind, Said
from gis.errors import StreetsError


def _tolerance(key: str, of: str) -> Fact:
    return Fact(key, f"± of the {of}", "in", "Such as 1/2 in; how far off the tape may be")


_STANDING = MappingProxyType({"standing": "standing", "removed": "removed"})
_HAZARD = Said(
    "The support for the mailbox and newspaper tube shall adhere to the standards governing construction of mailbox "
    "supports as established by the Wisconsin Department of Transportation and shall not constitute a hazard to the "
    "public use of the right-of-way.",
    "§ 288-10 D(6)",
)
_SETBACK = Said(
    "Mailbox and newspaper tubes must be located on the side of the road required by the United States Postal Service "
    "and so that the door to the mailbox or protruding end of the newspaper tube is at least six inches behind the "
    "face of the curb or if no curb at least one foot from the paved portion of the highway.",
    "§ 288-10 D(7)",
)
_TUBES = Said(
    "Newspaper tubes are permitted only if provided by the newspaper or of a construction or design that will not "
    "present a hazard to the public use or the right-of-way. Where the newspaper tube used has not been provided by "
    "the newspaper, the Village Board or Public Works Director shall have the authority to approve the tube. If the "
    "Village Board or Public Works Director refuses to approve the newspaper tube, it must be removed.",
    "§ 288-10 D(3)",
)

MAILBOX = ObjectKind(
    "mailbox",
    "Mailbox",
    "§ 288-10",
    (
        Fact(
            "number_shown",
            "Number shown on it",
            hint="As it is read from the street; “none” if there is none",
            said=Said(
                "The owner, occupant or agent in charge of the premises shall cause to be affixed and to be maintained "
                "when so affixed to each mailbox controlled by him/her the official street number assigned to that "
                "address as provided in § 288-15A hereof.",
                "§ 288-10 D(5)",
            ),
        ),
        Fact(
            "readable",
            "Is it easily and readily seen from the street?",
            "yes_no",
            said=Said(
                "Each required number shall be affixed on the particular mailbox in such a location that it may be "
                "easily and readily seen by a person of ordinary eyesight on the public street or highway upon which "
                "the mailbox abuts.",
                "§ 288-10 D(5)",
            ),
        ),
        Fact(
            "setback_in",
            "Taped from the face of the curb, or the paved edge, to its door",
            "in",
            "Such as 7 1/2 in; below 0 over the street",
            least=-MOST_IN,
            said=_SETBACK,
        ),
        _tolerance("setback_tolerance_in", "taped distance"),
        Fact("curb", "Is there a curb?", "yes_no"),
        Fact(
            "tube_setback_in",
            "Taped to the protruding end of the newspaper tube",
            "in",
            "Such as 9 in; below 0 over the street",
            least=-MOST_IN,
            said=_SETBACK,
        ),
        _tolerance("tube_tolerance_in", "tube’s distance"),
        Fact(
            "design",
            "Its construction or design",
            "choice",
            choices={
                "usps": "approved by the United States Postal Service",
                "postmaster": "previously approved by the Postmaster",
                "neither": "neither",
            },
            said=Said(
                "Mailboxes are approved only if they are of a construction or design approved by the United States "
                "Postal Service or previously approved by the Postmaster.",
                "§ 288-10 D(1)",
            ),
        ),
        Fact(
            "board_approved",
            "Approved by the Village Board?",
            "yes_no",
            said=Said(
                "Mailboxes must be approved by the Village Board and are prohibited along both sides of Main Street "
                "from County J North to County J South.",
                "§ 288-10 D(2)",
            ),
        ),
        Fact(
            "tube",
            "Newspaper tube",
            "choice",
            choices={
                "none": "none",
                "newspaper": "provided by the newspaper",
                "approved": "approved by the Village Board or Public Works Director",
                "refused": "refused by them",
                "undecided": "neither approved nor refused yet",
            },
            said=_TUBES,
        ),
        Fact(
            "nameplate",
            "A nameplate?",
            "yes_no",
            said=Said(
                "A nameplate bearing the name and address of the mailbox owner shall be permitted on each box.",
                "§ 288-10 D(4)",
            ),
        ),
        Fact("support", "Does its support meet the Department of Transportation’s standard?", "yes_no", said=_HAZARD),
        Fact(
            "attached",
            "Is any other object attached to it?",
            "yes_no",
            said=Said(
                "No other object of any kind shall be attached to the mailbox, newspaper tube or their supports.",
                "§ 288-10 D(8)",
            ),
        ),
    ),
    _STANDING,
    (
        Said(
            "Every owner shall keep mailboxes located on the terrace free and clear of snow, and shall be located "
            "behind the face of the curb.",
            "§ 288-10 C",
        ),
    ),
)

FIXTURE = ObjectKind(
    "fixture",
    "Fixture",
    "§ 288-7 C",
    (
        Fact(
            "commercial",
            "Is the property in an area used for commercial uses?",
            "yes_no",
            said=Said("The property must be located in an area used for commercial uses;", "§ 288-7 C(1)"),
        ),
        Fact(
            "attached",
            "Is it attached to the sidewalk, a street fixture or a building?",
            "yes_no",
            said=Said(
                "The fixture(s) shall not be physically attached to the sidewalk, any street fixture or any adjacent "
                "building, and shall be of a temporary design;",
                "§ 288-7 C(2)",
            ),
        ),
        Fact("temporary", "Is it of a temporary design?", "yes_no"),
        Fact(
            "clear_width_ft",
            "Sidewalk left clear at the narrowest point",
            "ft",
            "Such as 3 ft 2 in; a bare number is feet",
            said=Said(
                "The placement of the fixture shall not significantly impede the flow of pedestrian traffic on the "
                "sidewalk. In no event shall the fixture reduce the unobstructed sidewalk width to less than three "
                "feet at any point.",
                "§ 288-7 C(3)",
            ),
        ),
        _tolerance("clear_tolerance_in", "width"),
        Fact("impedes", "Does it significantly impede the flow of people on foot?", "yes_no", "The officer’s judgment"),
    ),
    _STANDING,
    (
        Said(
            "Property owners may place certain fixtures on sidewalks which immediately adjoin their property if the "
            "following requirements are met:",
            "§ 288-7 C",
        ),
    ),
)

OBSTRUCTION = ObjectKind(
    "obstruction",
    "Obstruction",
    "§ 288-7",
    (
        Fact(
            "on",
            "It stands on",
            "choice",
            choices={
                "street": "a street",
                "alley": "an alley",
                "sidewalk": "a sidewalk",
                "ground": "public grounds or land dedicated to public use",
            },
        ),
        Fact(
            "materials",
            "Is it building materials?",
            "yes_no",
            said=Said(
                "Building materials for the period authorized by the Director of Public Works which shall not obstruct "
                "more than 1/2 of the sidewalk or more than 1/3 of the traveled portion of the street and which do not "
                "interfere with the flow in the gutters;",
                "§ 288-7 B(2)",
            ),
        ),
        Fact("walk_open", "Can people pass on the sidewalk?", "yes_no"),
        Fact("gutters_clear", "Do the gutters flow?", "yes_no"),
    ),
    MappingProxyType({}),
    (
        Said(
            "No person shall encroach upon or in any way obstruct or encumber any street, alley, sidewalk, public "
            "grounds or land dedicated to public use, or any part thereof, or permit such encroachment or encumbrance "
            "to be placed or remain on any public way adjoining the premises of which he/she is the owner or occupant, "
            "except as provided in Subsections B and C.",
            "§ 288-7 A",
        ),
        Said(
            "In addition to any other penalty imposed, if any Village enforcement official determines that a sidewalk "
            "is unlawfully obstructed in violation of this section, he/she shall issue a written notice to the owner "
            "or occupant of the premises which adjoins the obstructed sidewalk directing that the obstruction be "
            "removed within 24 hours.",
            "§ 288-7 D",
        ),
    ),
    dated=True,
)

OPENING = ObjectKind(
    "opening",
    "Opening",
    "§ 288-5",
    (
        Fact(
            "surface",
            "It is in",
            "choice",
            choices={
                "pavement": "the pavement",
                "sidewalk": "a sidewalk",
                "terrace": "the terrace",
                "alley": "an alley",
                "ground": "public ground or an easement",
            },
        ),
        Fact("purpose", "What it is for", hint="Such as a water main, or a gas service"),
        Fact("length_ft", "Length", "ft", "Such as 12 ft 6 in"),
        Fact("width_ft", "Width", "ft"),
        Fact("depth_ft", "Depth", "ft"),
        Fact(
            "hotline",
            "Digger’s Hotline ticket",
            said=Said(
                "Prior to starting excavation work, the contractor shall first contact Digger's Hotline to determine "
                "the location of underground facilities.",
                "§ 288-6 D(1)",
            ),
        ),
        Fact(
            "barriers",
            "Is it enclosed with barriers and signs?",
            "yes_no",
            said=Said(
                "Every opening and excavation shall be enclosed with sufficient barriers, signing, and such other "
                "traffic control devices as may be required by the Village Board or its designee, and in accordance "
                "with Section VI of the Manual of Uniform Traffic Control Devices.",
                "§ 288-6 B(1)",
            ),
        ),
        Fact("gutters_clear", "Do the gutters flow?", "yes_no"),
    ),
    MappingProxyType({}),
    (
        Said(
            "No person, partnership or corporation, or their agents or employees or contractors, shall make or cause "
            "to be made any opening or excavation in any public street, public alley, public way, public ground, "
            "public sidewalk or Village-owned easement within the Village of Benton without a permit therefor from the "
            "Director of Public Works and/or Village Clerk-Treasurer.",
            "§ 288-5 A",
        ),
        Said(
            "Any damaged curb and gutter, sidewalk or grass-covered area shall be restored to the condition prior to "
            "damage.",
            "§ 288-5 F(1)",
        ),
    ),
    dated=True,
)
EMERGENCY = Said(
    "In the event of an emergency, any person, firm or corporation owning or controlling any sewer, gas main, water "
    "main, conduit or other utility in or under any public street, alley easement, way or ground and his/her agents "
    "and employees may take immediate proper emergency measures to remedy dangerous conditions for the protection of "
    "property, life, health or safety without obtaining an excavation permit, provided that such person, firm or "
    "corporation shall apply for an excavation permit not later than the next business day and shall notify the "
    "Village office immediately.",
    "§ 288-6 H",
)

PANEL = ObjectKind(
    "sidewalk_panel",
    "Sidewalk panel",
    "§ 288-4 E",
    (
        Fact(
            "vertical_in",
            "Vertical differential to the next block",
            "in",
            "Such as 3/4 in",
            said=Said(
                "Three-fourths inch or more vertical differential between adjacent sharp-edged individual sidewalk "
                "blocks (crack in slab) and between adjacent round-edged individual sidewalk blocks (joint);",
                "§ 288-4 E(a)",
            ),
        ),
        _tolerance("vertical_tolerance_in", "differential"),
        Fact(
            "gap_in",
            "Horizontal distance to the next block",
            "in",
            "Such as 1 1/4 in",
            said=Said(
                "One and one-fourth inch horizontal distance between adjacent individual sidewalk blocks.",
                "§ 288-4 E(b)",
            ),
        ),
        _tolerance("gap_tolerance_in", "distance"),
        Fact(
            "surface_in",
            "Depth of deterioration of the surface",
            "in",
            "Such as 1/2 in",
            said=Said(
                "Deterioration of the surface to vertical depth of 1/2 inch or more within each individual sidewalk "
                "block.",
                "§ 288-4 E(c)",
            ),
        ),
        _tolerance("surface_tolerance_in", "depth"),
        Fact(
            "damage",
            "Damaged by the owner, or an agent or contractor of the owner?",
            "yes_no",
            said=Said(
                "However, the property owner shall be responsible for sidewalks damaged by the property owner, agent "
                "or contractor working on behalf of the property owner.",
                "§ 288-4 B",
            ),
        ),
        Fact(
            "exempt",
            "Is the property tax-exempt?",
            "yes_no",
            said=Said(
                "Unless waived specifically by the Village Board on a case-by-case basis, the owner of tax-exempt "
                "property shall continue to bear the responsibility for sidewalk repairs, maintenance and "
                "construction.",
                "§ 288-4 B",
            ),
        ),
    ),
    MappingProxyType(
        {
            "recorded": "recorded",
            "determined": "determined defective by the Streets Committee",
            "sound": "found sound by the Streets Committee",
            "repaired": "repaired or replaced",
        }
    ),
    (
        Said(
            "The existence of any one or more of the hereinafter enumerated characteristics shall determine whether a "
            "sidewalk is defective or insufficient:",
            "§ 288-4 E",
        ),
        Said(
            "It shall be the responsibility of the Village to maintain, replace and repair damaged sidewalk.",
            "§ 288-4 B",
        ),
    ),
)

KINDS: Mapping[str, ObjectKind] = MappingProxyType(
    {kind.key: kind for kind in (MAILBOX, FIXTURE, OBSTRUCTION, OPENING, PANEL)}
)
WORKS = tuple(key for key, kind in KINDS.items() if kind.dated)
AUTHORISATIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "opening_permit": ("Street opening permit", "§ 288-5 A"),
        "privilege_permit": ("Street privilege permit", "§ 288-8"),
        "materials": ("Period for building materials, by the Director of Public Works", "§ 288-7 B(2)"),
        "village_work": ("Village work under the direction of the Village Board", "§ 288-5 C"),
        "other": ("Another dated act", ""),
    }
)
"""What may allow a work, in words, with its section."""


def kind_of(name: object) -> ObjectKind:
    """Return a kind by its name.

    Raises
    ------
    StreetsError
        There is none.
    """
    found = KINDS.get(name) if isinstance(name, str) else None
    if found is None:
        raise StreetsError.of("kind", str(name)[:60] or "nothing", f"one of {', '.join(KINDS)}")
    return found
