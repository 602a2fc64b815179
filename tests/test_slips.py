"""Slips and conflicts of the text: each quoted word for word, with how it is read and who decides.

Seen to fail, each by breaking the code once: a word of a quotation changed; `_within` by the beginning alone (A within
AB); a slip without who decides.
"""

from __future__ import annotations

import re

import pytest

from app.clock_rules import RULES
from app.slips import every, of
from gis.errors import StreetsError

# Source: Code of the Village of Benton, Wisconsin, Chapter 288, as a public text of law free of copyright; the
# paragraphs that hold the slips. Lines are broken here only; a blank line parts two paragraphs.
ORDINANCE = """
Owner to construct. It shall be the duty of the abutting owner to build and construct sidewalks along or upon any
street, alley or highway of the Village of Benton and to pay the entire cost thereof as required by the Common Council.
The cost may be collected in the manner set forth in § 66.0907(3), Wis. Stats.

Three-fourths inch or more vertical differential between adjacent sharp-edged individual sidewalk blocks (crack in slab)
and between adjacent round-edged individual sidewalk blocks (joint);

One and one-fourth inch horizontal distance between adjacent individual sidewalk blocks.

Deterioration of the surface to vertical depth of 1/2 inch or more within each individual sidewalk block.

Frozen ground. No openings in the streets, alleys, sidewalks or public ways shall be permitted between November 15 and
April 1 except where it is determined by the Village Board or Director of Public Works to be an emergency excavation.

Every opening and excavation shall be enclosed with sufficient barriers, signing, and such other traffic control devices
as may be required by the Village Board or its designee, and in accordance with Section VI of the Manual of Uniform
Traffic Control Devices. Sufficient warning lights shall be kept on from sunrise to sunset. No open flame warning
devices shall be used. Except by special permission from the Director of Public Works, no trench shall be excavated more
than 250 feet in advance of pipe or conduit laying nor left unfilled more than 500 feet from where pipe or conduit has
been laid.

The permittee shall perform the work in such a manner so as not to disrupt the flow of traffic in the area or endanger
the safety of workmen or passersby. It shall be the responsibility of the permittee to prevent traffic backup during
construction operation. The permittee shall notify the Director of Public Works 24 hours prior to commencement of
excavation of the location and extent of the excavation, unless the excavation is an emergency excavation as identified
in Subsection H.

When the operations will result in the loss of any utility service to private properties, the private properties shall
be notified in writing or by personal contact at least 12 hours prior to the loss of service, unless the operations are
part of an emergency excavation as defined in Subsection G.

Wherever an excavation crosses an existing utility, pipe or other structure, backfill shall be carefully compacted in
stages from the bottom of the excavation. Any sanitary sewer, storm sewer, water, telephone, natural gas or other
service shall not be interrupted by the permittee. It shall be the permittee's responsibility to have the various
utilities locate and mark their facilities prior to excavation.

Bituminous pavement shall be placed the full depth of the existing pavement or 2 1/2 inches, whichever is greater.
Bituminous pavement shall be placed in a maximum of a 1 1/2 inch base layer and a one-inch top layer, with each layer
compacted to maximum density and shall consist of Wisconsin Department of Transportation Gradation No. 1 for the binder
course and Wisconsin Department of Transportation No. 3 for the surface course. The finished surface shall be smooth and
free of surface irregularities and shall match the existing pavement and any castings or street appurtenances. Allowable
deviations shall be no more than 1/4 inch as measured with a ten-foot straight edge.

In emergency excavations during winter months when it is not possible to replace the removed pavement with a like
material, the excavation shall be temporarily resurfaced with a minimum of three inches of cold mix bituminous material.
This temporary wearing surface shall be compacted and rolled smooth. These temporary wearing surfaces shall be removed
and replaced with material as specified above by not later than the following June 1, except as provided above.
Permanent pavements shall be replaced with 60 days of the date of the permit.

Emergency excavation. In the event of an emergency, any person, firm or corporation owning or controlling any sewer, gas
main, water main, conduit or other utility in or under any public street, alley easement, way or ground and his/her
agents and employees may take immediate proper emergency measures to remedy dangerous conditions for the protection of
property, life, health or safety without obtaining an excavation permit, provided that such person, firm or corporation
shall apply for an excavation permit not later than the next business day and shall notify the Village office
immediately.

Excavation in new streets limited. Whenever the Village Board determines to provide for the permanent improvement or
repaving of any street, such determination shall be made not less than 30 days before the work of improvement or
repaving shall begin. Immediately after such determination by the Village Board, the Village Clerk-Treasurer shall
notify each person, utility or other agency owning or controlling any sewer, water main, conduit or other utility in or
under said street or any real property abutting said street, that all such excavation work in such street must be
completed within 30 days. After such permanent improvement or repaving, no permit shall be issued to open or excavate
said street for a period of five years after the date of improvement or repaving unless, in the opinion of the Village
Board or its designee, conditions exist which make it absolutely essential that the permit be issued. Every effort shall
be made to place gas, electric, telephone and television cable lines in street terraces.

If the owner or occupant fails to remove the obstruction within the time period established in Subsection D or E,
respectively, any Village enforcement official shall cause the removal of the obstruction, keeping an account of the
expense of the abatement, any such expenses shall be charged to and paid by such property owner. Notice of the bill for
abatement of the obstruction shall be mailed to the owner of the premises and shall be payable within 10 calendar days
from receipt thereof. Within 60 days after such costs and expenses are incurred and remain unpaid, the Village
Clerk-Treasurer shall enter those charges onto the tax roll as a special tax as provided by the state statutes.

When required. Permits for the use of the streets, alleys, sidewalks or other public ways or places of the Village may
be granted to applicants by the Village Clerk-Treasurer or for the purpose of moving any building or structure or of
encumbering the street, alley, sidewalk or way with materials necessary in and about the construction or demolition of
any building or structure, provided such applicant has complied with the other requirements of this section and has
obtained a building permit if required by this Village Code. The Village Clerk-Treasurer shall request advisory
recommendations from the Director of Public Works, Chief of Police/Officer in Charge and/or Building Inspector prior to
issuance of the permit. Village officials may attach conditions to the permit, including proof of liability insurance.

Removal by Village. In addition to any other penalty imposed, if the owner or occupant of the premises adjoining any
lawfully obstructed sidewalk shall remove or neglect to remove such obstruction within 24 hours after such notice from
the Village Board to do so, it shall be the duty of the Village Board to remove such obstruction and make return of the
costs and expenses thereof to the Village Clerk-Treasurer who shall enter such cost on the next annual tax roll as a
special charge against the property abutting such obstructed sidewalk, and such sum shall be levied and collected as
other special taxes against real estate.

After 24 hours, notice shall be given by the Police Department or other designated Village officials to the person in
charge of the applicable property of the requirements of this section, including forfeiture and possible clearance of
snow and ice by the Village at the owner's expense. The failure or inability of the Village to give such notice shall
not prevent the Village from exercising any other rights hereunder.

After 36 hours, the person in charge of the applicable property shall be subject to a forfeiture as provided in § 1-3,
General penalty. In addition, after 36 hours, the Police Department or other designated Village officials shall inform
the Public Works Department and the Village Clerk-Treasurer of the accumulation of snow and/or ice, and the Public Works
Department shall cause such sidewalk to be cleared. The Village Clerk-Treasurer shall keep an accurate account of the
expenses of clearing ice and snow in front of the applicable property. The failure of the Public Works Department to
clear the sidewalk as provided in this subsection shall not prevent the Village from exercising any other rights
hereunder.
"""
PARAGRAPHS = [" ".join(paragraph.split()) for paragraph in ORDINANCE.split("\n\n")]


def keys(place: str) -> list[str]:
    return [slip.key for slip in of(place)]


def test_every_quotation_is_the_texts_own_word_for_word() -> None:
    for slip in every():
        assert slip.quotations
        for quotation in slip.quotations:
            assert any(quotation in paragraph for paragraph in PARAGRAPHS), (slip.key, quotation)


def test_each_says_what_it_contradicts_how_it_is_read_and_who_decides() -> None:
    assert len({slip.key for slip in every()}) == len(every())
    for slip in every():
        assert all(text.endswith(".") for text in (slip.contradicts, slip.reading, slip.told)), slip.key
        assert slip.title
        assert slip.decides[0].isupper()
        assert slip.decides in slip.told
        assert all(re.fullmatch(r"288-[4-9] [A-I](\([0-9a-z]+\))*", section) for section in slip.sections), slip.key


def test_the_known_slips_of_permits_obstructions_and_snow_are_all_there() -> None:
    assert [slip.key for slip in every()] == [
        *("common_council", "gap_or_more", "warning_lights", "emergency_subsection", "loss_of_service"),
        *("bituminous_depth", "pavement_days", "emergency_in_new_street", "tax_roll_days", "privilege_or"),
        *("lawfully_obstructed", "snow_hours"),
    ]


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("288-4 A", ["common_council"]),
        ("288-4 E(b)", ["gap_or_more"]),
        ("288-4 E", ["gap_or_more"]),  # the whole of E
        ("288-4 E(a)", []),
        ("§ 288-6 B(5)", ["emergency_subsection", "loss_of_service"]),
        ("288-6 E(3)", ["loss_of_service"]),
        ("288-6 G", ["bituminous_depth", "pavement_days"]),
        ("288-6 H", ["emergency_in_new_street"]),
        ("288-7 F", ["tax_roll_days"]),
        ("288-7 D, E", []),
        ("288-8", ["privilege_or", "lawfully_obstructed"]),
        ("288-9 B(1)(b)", ["snow_hours"]),  # a part of what it is in
        ("288-9 A", []),
        ("288-4 AB", []),
        ("288-1", []),
        ("288-15 A", []),
        ("EX-15", ["bituminous_depth", "pavement_days"]),
        ("EX-1", []),
        ("SP-14", ["lawfully_obstructed"]),
    ],
)
def test_a_section_or_provision_has_its_own_slips(place: str, found: list[str]) -> None:
    assert keys(place) == found


def test_the_section_of_every_clock_can_be_asked_for() -> None:
    told = {rule.key: keys(rule.section) for rule in RULES.values()}
    assert told["permanent_pavement"] == told["winter_pavement"] == ["pavement_days"]
    assert told["tax_roll"] == ["tax_roll_days"]
    assert told["remove_obstruction"] == []


@pytest.mark.parametrize("place", ["", "somewhere", "288", "ex-15", "288-6 g"])
def test_what_is_no_section_is_refused(place: str) -> None:
    with pytest.raises(StreetsError, match="a section such as"):
        of(place)
