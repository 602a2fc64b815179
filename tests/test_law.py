"""The law file: what it says, from which day, and how an amendment or a fault in it shows."""

from dataclasses import FrozenInstanceError
from datetime import date, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from app.law import LAW_FILE, STEPS, UNIT_OF, LawBook, LawError, law_on, read_law
from gis.errors import StreetsError
from gis.rules import NumberingLaw

FIRST_DAY = date(2002, 10, 2)

# Source: Code of the Village of Benton, Wisconsin, §§ 288-4 to 288-18, as a public text of law free of copyright; the
# paragraphs that hold numbers. Lines are broken here only; a blank line parts two sections' text.
ORDINANCE = """
Numbering. The numbering for each street shall begin at the base line. The numbers within the first block shall be 10 to
99 and the numbers in each succeeding block shall increase from the base line in units of 100, namely, the first block
shall be 10 to 99, the second block shall be 110 to 199, the third block shall be 210 to 299, etc. There shall be
assigned 90 numbers to each block, square, or space that would be one block or square, if streets each way were so
extended as to intersect each other, and one number shall be assigned to each unit of frontage within said block, square
or space. The unit of frontage shall be determined by rounding to the nearest foot, the quotient or the length of the
block, square, or space and 44. On streets that extend such that there are no apparent blocks (such that there are no
intersecting streets), then a frontage of 15 feet shall be used with a block length equivalent to 660 feet.

South and west odd; north and east even. All lots and houses on the south and west side of all streets shall be numbered
with odd numbers, each commencing with the hundred eleven assigned to that block, and shall increase from the base line
one number for each unit of frontage or fraction thereof. All lots and houses on the north and east side of all streets
shall be numbered with even numbers, each commencing with the hundred ten assigned to that block, and shall increase
from the base line one number for each unit of frontage or fraction thereof.

Such number or numbers shall be placed within 20 days after the assigning of the proper number. The cost of the number
or numbers shall be paid by the Village. Replacements of numbers shall be procured and paid for by the owner. The
numbers used shall be not less than 2 1/2 inches in height.

Whenever any building is situated more than 50 feet from the street line or is sufficiently hidden so as a number placed
upon the house cannot be seen plainly from the street, the number of such building shall be conspicuously displayed at
the street line, near the walk, driveway or common entrance to such building upon the gate post, fence, tree, post, or
other appropriate place so as to be easily discernible from the sidewalk or street.

Penalty. If the owner or occupant of any building required to be numbered by this section shall neglect for the period
of 20 days to duly attach and maintain the proper number on such building, the Director of Public Works shall serve upon
him a notice requiring such owner or occupant to properly number the same, and if he neglects to do so for 10 days after
the service of such notice, he shall be deemed to have violated this section.

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

Excavation in new streets limited. Whenever the Village Board determines to provide for the permanent improvement or
repaving of any street, such determination shall be made not less than 30 days before the work of improvement or
repaving shall begin. Immediately after such determination by the Village Board, the Village Clerk-Treasurer shall
notify each person, utility or other agency owning or controlling any sewer, water main, conduit or other utility in or
under said street or any real property abutting said street, that all such excavation work in such street must be
completed within 30 days. After such permanent improvement or repaving, no permit shall be issued to open or excavate
said street for a period of five years after the date of improvement or repaving unless, in the opinion of the Village
Board or its designee, conditions exist which make it absolutely essential that the permit be issued. Every effort shall
be made to place gas, electric, telephone and television cable lines in street terraces.

Building materials for the period authorized by the Director of Public Works which shall not obstruct more than 1/2 of
the sidewalk or more than 1/3 of the traveled portion of the street and which do not interfere with the flow in the
gutters;

The placement of the fixture shall not significantly impede the flow of pedestrian traffic on the sidewalk. In no event
shall the fixture reduce the unobstructed sidewalk width to less than three feet at any point.

Such temporary obstruction shall cover not more than 1/3 of any street or alley;

Snow and ice not to encroach. No person shall push, shove or in any way deposit any snow or ice onto any public streets,
alley, sidewalk or public lands dedicated to public use except for parcels or lots located where existing buildings are
constructed within five feet of the street right-of-way and the sidewalks exist from the Village right-of-way to the
curbline. In such instances, the owners, occupants and/or employees of parcels or lots shall be permitted to deposit
snow and ice from their sidewalks onto the public streets.

The land between the normal location of the street curbing and sidewalk. Where there is no sidewalk, the area four feet
from the curbline shall be deemed to be a boulevard for the purpose of this section. Where there are only sidewalks, the
area four feet from the curb shall be deemed boulevard under this section.

Mailbox and newspaper tubes must be located on the side of the road required by the United States Postal Service and so
that the door to the mailbox or protruding end of the newspaper tube is at least six inches behind the face of the curb
or if no curb at least one foot from the paved portion of the highway.

Landowner request. A new curb and gutter shall be installed along a public street upon the request of the abutting
owners, provided that the abutting owners of more than 50% of that unbroken length of land for which no curb and gutter
exists shall join in the request. The new curbs and gutters shall be continuous with the existing curb and gutters. The
request shall be in writing, shall include a description and a sketch of the area where curb and gutter is to be
installed and shall be addressed to the Village Board. If such request is approved by the Village Board, a new curb and
gutter shall be installed for the entire unbroken length of land for which no curb and gutter exists, including any
areas where an abutting landowner has not joined in the request. The direct and indirect costs of all such work pursuant
to the landowner request shall be paid 50% by the benefiting landowners and 50% by the Village.

Permit required. No person shall hereafter lay, remove, replace or repair any public sidewalks within the Village of
Benton unless he is under contract with the Village to do such work or has obtained a permit from the Village at least
seven days before work is proposed to be undertaken. No fee shall be charged for such permits.

Validity of permit. Permits shall be valid for a period of 30 days from the date of approval, except as provided for
under § 288-6G for pavement replacement.

Renewal of permit. If operations have begun under an approved permit and will continue beyond the thirty-day validation
period, the permittee shall apply for a thirty-day permit renewal by written request to the Village Clerk-Treasurer and
payment of a renewal permit fee as prescribed by § 173-1, Fee schedule. Permit renewals shall be issued at the
discretion of the Village Clerk-Treasurer.

Unless otherwise approved, a minimum of one lane of traffic in each direction shall be provided. Every effort shall be
made on the part of the permittee to provide reasonable access to all properties adjacent to his/her project. In the
event traffic is limited to less than one lane in each direction, a flagman or temporary traffic control signal shall be
provided so as to safely cycle traffic in each direction past the work area.

The permittee shall perform the work in such a manner so as not to disrupt the flow of traffic in the area or endanger
the safety of workmen or passersby. It shall be the responsibility of the permittee to prevent traffic backup during
construction operation. The permittee shall notify the Director of Public Works 24 hours prior to commencement of
excavation of the location and extent of the excavation, unless the excavation is an emergency excavation as identified
in Subsection H.

When the operations will result in the loss of any utility service to private properties, the private properties shall
be notified in writing or by personal contact at least 12 hours prior to the loss of service, unless the operations are
part of an emergency excavation as defined in Subsection G.

The Director of Public Works may order the permittee to remove and replace up to one full lane width of pavement along
the patched or excavated area. Special care shall be taken with concrete pavement to produce a vertical face on the
existing concrete at the point of the saw cut to insure a full depth of concrete at the joint.

All backfill material shall be free from cinders, ashes, refuse, vegetable or organic matter, boulders, rocks or stones
greater than eight inches in their greatest dimension, frozen lumps or other material which, in the opinion of the
Director of Public Works, is unsuitable.

Mechanical compaction shall be used on all materials used for trench backfill. Each layer (twelve-inch maximum) shall be
uniformly compacted to a dry density of at least 95% of the maximum dry density as determined by the Modified Proctor
Test (ASTM-1557). Compaction or consolidation by flooding shall not be permitted.

Notice. It shall be the duty of the permittee to notify the Village Clerk-Treasurer and all public and private
individuals, firms and corporations affected by the work to be done at least one business day before such work is to
commence. The Village Clerk-Treasurer shall also be notified at least four hours prior to backfilling and/or restoring
the surface.

Backfill material shall be left below the original surface to allow for four inches of three-inch crushed stone and four
inches of 3/4 inch crushed stone, plus the thickness of the required pavement structure. If paving will not occur as
part of the initial street restoration operation, the balance of the opening to the original surface elevation shall be
backfilled with compacted 3/4 inch crushed stone.

Bituminous pavement shall be placed the full depth of the existing pavement or 2 1/2 inches, whichever is greater.
Bituminous pavement shall be placed in a maximum of a 1 1/2 inch base layer and a one-inch top layer, with each layer
compacted to maximum density and shall consist of Wisconsin Department of Transportation Gradation No. 1 for the binder
course and Wisconsin Department of Transportation No. 3 for the surface course. The finished surface shall be smooth and
free of surface irregularities and shall match the existing pavement and any castings or street appurtenances. Allowable
deviations shall be no more than 1/4 inch as measured with a ten-foot straight edge.

Concrete pavement shall be placed to the full depth of the existing pavement or seven inches, whichever is greater.
Concrete used shall not contain calcium chloride. The surface shall be given a light broom finish. The edges shall be
tooled to prevent spalling at the saw cut edge. The surface shall be evenly and completely sealed with a white pigmented
curing compound. The surface shall be protected from traffic for a minimum of three days. Tie bars shall be installed as
directed by Village officials.

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

Removal by Village of sidewalk obstructions and encroachments. In addition to any other penalty imposed, if any Village
enforcement official determines that a sidewalk is unlawfully obstructed in violation of this section, he/she shall
issue a written notice to the owner or occupant of the premises which adjoins the obstructed sidewalk directing that the
obstruction be removed within 24 hours.

If the owner or occupant fails to remove the obstruction within the time period established in Subsection D or E,
respectively, any Village enforcement official shall cause the removal of the obstruction, keeping an account of the
expense of the abatement, any such expenses shall be charged to and paid by such property owner. Notice of the bill for
abatement of the obstruction shall be mailed to the owner of the premises and shall be payable within 10 calendar days
from receipt thereof. Within 60 days after such costs and expenses are incurred and remain unpaid, the Village
Clerk-Treasurer shall enter those charges onto the tax roll as a special tax as provided by the state statutes.

Bond. No street privilege permit shall be issued until the applicant shall execute and file with the Village
Clerk-Treasurer a bond in an amount determined by the Director of Public Works not exceeding $10,000, conditioned that
the applicant will indemnify and save harmless the Village from all liability for accidents or damage caused by reason
of operations under said permit and will remove such encumbrance upon termination of the operations and will leave the
vacated premises in a clean and sanitary condition and repair any and all damage to the streets, alleys, sidewalks or
public property of the Village resulting from such building or moving operations. Upon request, the Village Board may
waive this requirement.

Sidewalk traffic shall not be interrupted, but temporary sidewalks of not less than four feet in width guarded by a
closed fence at least four feet high on both sides may be maintained during the period of occupancy;

Termination. All street privilege permits shall automatically terminate at the end of three months from the date of
issuance unless an earlier termination date is specified thereon at the discretion of the Village Clerk-Treasurer.

Removal by Village. In addition to any other penalty imposed, if the owner or occupant of the premises adjoining any
lawfully obstructed sidewalk shall remove or neglect to remove such obstruction within 24 hours after such notice from
the Village Board to do so, it shall be the duty of the Village Board to remove such obstruction and make return of the
costs and expenses thereof to the Village Clerk-Treasurer who shall enter such cost on the next annual tax roll as a
special charge against the property abutting such obstructed sidewalk, and such sum shall be levied and collected as
other special taxes against real estate.

Removal from sidewalks. The owner, occupant or person in charge of any parcel or lot which fronts upon or abuts any
sidewalk shall keep said sidewalk clear of all snow and ice. In the event of snow accumulating on said sidewalk due to
natural means and/or by any other means, said sidewalks shall be cleared of all accumulate snow and/or ice within 24
hours from the time the snow ceases to accumulate on said sidewalk. Sidewalks are to be kept clear of snow and ice to a
minimum of the sidewalk width. In the event that ice has formed on any sidewalk in such a manner that it cannot be
removed, the owner, occupant or person in charge of the parcel or lot which fronts upon or adjoins said sidewalk shall
keep the sidewalk sprinkled with sand and/or salt to permit safe travel by pedestrians.

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

Hazardous conditions. If a Village law enforcement officer or other designated Village officials and employees determine
that the failure to remove the snow and/or ice from the sidewalk creates an immediate danger to the public health and/or
safety, he/she shall cause the issuance of a written notice to the owner, occupant or person in charge of any parcel or
lot directing that the snow and/or ice be removed within two hours from the delivery of the notice. In the event the
property owner, occupant or person in charge of said parcel or lot is unavailable to receive a written notice, the
police officer and other designated Village officials and employees shall immediately cause the removal of the snow
and/or ice. The police officer and other designated Village officials and employees shall send a written notice to the
last-known address of the property owner notifying him/her that a hazardous condition existed which required immediate
abatement.

Continued violations. Each twenty-four-hour period where a violation occurs shall constitute a separate offense under
this section for enforcement purposes. Repeated violations or subsequent additional accumulations of snow and/or ice
shall not nullify any pending notice issued under this section.

Expense. An account of the expenses incurred by the Village to abate the snow and/or ice hazard shall be kept and such
expenses shall be charged to and paid by the parcel or lot owner. Notice of the bill for the removal of snow and/or ice
shall be mailed to the last-known address of the owner of the parcel or lot and shall be payable within 10 calendar days
from the receipt thereof. Within 60 days after such costs and expenses are incurred and remain unpaid, the Village
Clerk-Treasurer shall enter those charges onto the tax roll as a special tax as provided by § 66.0907(5), Wis. Stats.

Requests or petitions by Village property owners for new streets, street resurfacing, curb and gutter, storm sewers,
utility work and sidewalks shall be presented to the Village Board on or before August 1 to be considered for
installation in the following year.

Notice and hearing. After the Streets Committee recommends that a curb and gutter be repaired or replaced, a hearing
shall be held before the Village Board before the construction can take place. The Village Clerk-Treasurer shall publish
a Class 1 notice under Ch. 985, Wis. Stats., of such hearing at least 20 days before the hearing. A copy of the notice
shall also be mailed at least 10 days before the hearing to every property owner who may be assessed or charged for the
curb and gutter work and whose mailing address is known or can be ascertained with reasonable diligence. This notice
shall specify that a hearing will be held before the Village Board as to whether the repair or replacement of the curb
and gutter shall be performed at the cost of the benefitting landowners. The notice will also specify the date, time and
place of such hearing. At such hearing, anyone interested in the matter shall be heard. Notice of hearing may be waived
in writing by benefitted landowners pursuant to § 66.0703(7)(b), Wis. Stats.
"""


def altered(tmp_path: Path, *changes: tuple[str, str], more: str = "") -> Path:
    """Write the law file with some of its text replaced, and more at its end."""
    text = LAW_FILE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "law.toml"
    path.write_text(f"{text}\n{more}", encoding="utf-8")
    return path


def entry(key: str, value: str, effective: str, **others: str) -> str:
    """Write a further value of a key as an amending ordinance would add it."""
    fields = {
        "value": value,
        "unit": f'"{UNIT_OF.get(key, "number")}"',
        "section": '"§ 288-15 D"',
        "letters": '"inferred"',
        "effective": effective,
        "effective_status": '"text"',
        "quotation": '"As amended."',
    }
    return f"[[{key}]]\n" + "\n".join(f"{name} = {text}" for name, text in {**fields, **others}.items()) + "\n"


def faults_of(path: Path) -> dict[str, str]:
    with pytest.raises(LawError) as refused:
        read_law(path)
    return {fault.field: f"{fault.found} / {fault.expected}" for fault in refused.value.faults}


def test_the_numbers_of_the_section() -> None:
    assert law_on(date(2026, 7, 1)).numbering == NumberingLaw(
        block_divisor=44,
        numbers_per_block=90,
        hundred=100,
        first_even=10,
        first_odd=11,
        open_unit_ft=15,
        open_block_ft=660,
    )


@pytest.mark.parametrize(
    ("key", "value", "unit", "citation"),
    [
        ("block_divisor", 44, "number", "§ 288-15 D (letter inferred)"),
        ("first_odd", 11, "number", "§ 288-15 E (letter inferred)"),
        ("open_block_ft", 660, "ft", "§ 288-15 D (letter inferred)"),
        ("place_within_days", 20, "days", "§ 288-15 G(2) (letter inferred)"),
        ("number_height_in", 2.5, "in", "§ 288-15 G(2) (letter inferred)"),
        ("display_distance_ft", 50, "ft", "§ 288-15 G(3) (letter inferred)"),
        ("neglect_days", 20, "days", "§ 288-15 M (letter inferred)"),
        ("after_service_days", 10, "days", "§ 288-15 M (letter inferred)"),
        ("walk_vertical_in", 0.75, "in", "§ 288-4 E(a)"),
        ("walk_gap_in", 1.25, "in", "§ 288-4 E(b)"),
        ("walk_surface_in", 0.5, "in", "§ 288-4 E(c)"),
        ("frozen_from", 1115, "day", "§ 288-6 A (letter inferred)"),
        ("frozen_to", 401, "day", "§ 288-6 A (letter inferred)"),
        ("trench_ahead_ft", 250, "ft", "§ 288-6 B(1) (letter inferred)"),
        ("trench_open_ft", 500, "ft", "§ 288-6 B(1) (letter inferred)"),
        ("moratorium_years", 5, "years", "§ 288-6 I (letter inferred)"),
        ("materials_walk_part", 2, "part", "§ 288-7 B(2) (letter inferred)"),
        ("materials_way_part", 3, "part", "§ 288-7 B(2) (letter inferred)"),
        ("fixture_clear_ft", 3, "ft", "§ 288-7 C(3) (letter inferred)"),
        ("privilege_part", 3, "part", "§ 288-8 D(1) (letter inferred)"),
        ("snow_building_ft", 5, "ft", "§ 288-9 C (letter inferred)"),
        ("terrace_ft", 4, "ft", "§ 288-10 A (letter inferred)"),
        ("mailbox_curb_in", 6, "in", "§ 288-10 D(7) (letter inferred)"),
        ("mailbox_paved_ft", 1, "ft", "§ 288-10 D(7) (letter inferred)"),
        ("petition_percent", 50, "percent", "§ 288-18 A (letter inferred)"),
        ("numbers_per_block", 90, "number", "§ 288-15 D (letter inferred)"),
        ("open_unit_ft", 15, "ft", "§ 288-15 D (letter inferred)"),
        ("first_even", 10, "number", "§ 288-15 E (letter inferred)"),
        ("sidewalk_permit_days", 7, "days", "§ 288-4 C (letter inferred)"),
        ("sidewalk_fee_cents", 0, "cents", "§ 288-4 C (letter inferred)"),
        ("opening_valid_days", 30, "days", "§ 288-5 D (letter inferred)"),
        ("opening_renewal_days", 30, "days", "§ 288-5 E (letter inferred)"),
        ("lanes_each_way", 1, "number", "§ 288-6 B(3) (letter inferred)"),
        ("director_notice_hours", 24, "hours", "§ 288-6 B(4) (letter inferred)"),
        ("utility_notice_hours", 12, "hours", "§ 288-6 B(5) (letter inferred)"),
        ("replaced_lanes", 1, "number", "§ 288-6 C(4) (letter inferred)"),
        ("backfill_stone_in", 8, "in", "§ 288-6 E(1) (letter inferred)"),
        ("backfill_layer_in", 12, "in", "§ 288-6 E(4) (letter inferred)"),
        ("compaction_percent", 95, "percent", "§ 288-6 E(4) (letter inferred)"),
        ("affected_notice_business_days", 1, "business days", "§ 288-6 F (letter inferred)"),
        ("backfill_notice_hours", 4, "hours", "§ 288-6 F (letter inferred)"),
        ("coarse_stone_in", 4, "in", "§ 288-6 G(1) (letter inferred)"),
        ("coarse_stone_size_in", 3, "in", "§ 288-6 G(1) (letter inferred)"),
        ("fine_stone_in", 4, "in", "§ 288-6 G(1) (letter inferred)"),
        ("fine_stone_size_in", 0.75, "in", "§ 288-6 G(1) (letter inferred)"),
        ("bituminous_in", 2.5, "in", "§ 288-6 G(2) (letter inferred)"),
        ("bituminous_base_in", 1.5, "in", "§ 288-6 G(2) (letter inferred)"),
        ("bituminous_top_in", 1, "in", "§ 288-6 G(2) (letter inferred)"),
        ("binder_gradation", 1, "number", "§ 288-6 G(2) (letter inferred)"),
        ("surface_gradation", 3, "number", "§ 288-6 G(2) (letter inferred)"),
        ("finish_deviation_in", 0.25, "in", "§ 288-6 G(2) (letter inferred)"),
        ("straight_edge_ft", 10, "ft", "§ 288-6 G(2) (letter inferred)"),
        ("concrete_in", 7, "in", "§ 288-6 G(3) (letter inferred)"),
        ("concrete_days", 3, "days", "§ 288-6 G(3) (letter inferred)"),
        ("cold_mix_in", 3, "in", "§ 288-6 G(4) (letter inferred)"),
        ("winter_pavement_by", 601, "day", "§ 288-6 G(4) (letter inferred)"),
        ("permanent_pavement_days", 60, "days", "§ 288-6 G(4) (letter inferred)"),
        ("emergency_apply_business_days", 1, "business days", "§ 288-6 H (letter inferred)"),
        ("repaving_ahead_days", 30, "days", "§ 288-6 I (letter inferred)"),
        ("clearing_days", 30, "days", "§ 288-6 I (letter inferred)"),
        ("obstruction_hours", 24, "hours", "§ 288-7 D, E (letter inferred)"),
        ("bill_days", 10, "days", "§ 288-7 F(1) (letter inferred)"),
        ("tax_roll_days", 60, "days", "§ 288-7 F(1) (letter inferred)"),
        ("bond_cents", 1000000, "cents", "§ 288-8 B (letter inferred)"),
        ("temporary_walk_ft", 4, "ft", "§ 288-8 D(3) (letter inferred)"),
        ("walk_fence_ft", 4, "ft", "§ 288-8 D(3) (letter inferred)"),
        ("privilege_months", 3, "months", "§ 288-8 E (letter inferred)"),
        ("board_removal_hours", 24, "hours", "§ 288-8 F (letter inferred)"),
        ("snow_clear_hours", 24, "hours", "§ 288-9 A (letter inferred)"),
        ("snow_notice_hours", 24, "hours", "§ 288-9 B(1)(a) (letter inferred)"),
        ("snow_forfeit_hours", 36, "hours", "§ 288-9 B(1)(b) (letter inferred)"),
        ("snow_hazard_hours", 2, "hours", "§ 288-9 B(2) (letter inferred)"),
        ("snow_offense_hours", 24, "hours", "§ 288-9 E (letter inferred)"),
        ("snow_bill_days", 10, "days", "§ 288-9 G (letter inferred)"),
        ("snow_tax_roll_days", 60, "days", "§ 288-9 G (letter inferred)"),
        ("improvement_by", 801, "day", "§ 288-12 (letter inferred)"),
        ("hearing_published_days", 20, "days", "§ 288-17 C (letter inferred)"),
        ("hearing_mailed_days", 10, "days", "§ 288-17 C (letter inferred)"),
    ],
)
def test_each_number_has_its_unit_and_its_section(key: str, value: float, unit: str, citation: str) -> None:
    found = law_on(FIRST_DAY)[key]
    assert (found.value, found.unit, found.citation) == (value, unit, citation)


def test_every_quotation_is_a_sentence_of_the_ordinance_word_for_word() -> None:
    paragraphs = [" ".join(paragraph.split()) for paragraph in ORDINANCE.split("\n\n")]
    for value in read_law().values:
        assert any(value.quotation in paragraph for paragraph in paragraphs), value.key
        assert value.quotation[0].isupper()
        assert value.quotation.endswith((".", ";"))


def test_the_first_day_is_marked_as_assumed_and_says_why() -> None:
    book = read_law()
    dated = {value.section for value in book.values if value.effective_status == "text"}
    assert dated == {"§ 288-10 A", "§ 288-10 D(7)"}  # amended 10-2-2002 by Ord. No. 02-05
    assert "assumed to be in effect since" in book.effective
    assert "inferred" in book.letters


def test_on_the_first_day_there_is_law_and_the_day_before_there_is_none() -> None:
    assert law_on(FIRST_DAY).day == FIRST_DAY
    with pytest.raises(LawError, match="2002-10-02") as refused:
        law_on(FIRST_DAY - timedelta(days=1))
    assert refused.value.faults[0].field == "date"
    assert isinstance(refused.value, StreetsError)


def test_an_amended_number_holds_from_its_day_and_the_old_one_until_then(tmp_path: Path) -> None:
    book = read_law(altered(tmp_path, more=entry("place_within_days", "30", "2027-01-01")))
    assert book.on(date(2026, 12, 31))["place_within_days"].value == 20
    assert book.on(date(2027, 1, 1))["place_within_days"].value == 30
    assert book.on(date(2027, 1, 1))["neglect_days"].value == 20


def test_a_key_that_begins_later_than_the_others_is_named(tmp_path: Path) -> None:
    path = altered(tmp_path, ("effective = 2002-10-02", "effective = 2010-05-01"))
    with pytest.raises(LawError, match=r"2010-05-01 on.*: block_divisor began then"):
        read_law(path).on(date(2010, 4, 30))


def test_a_letter_that_the_text_prints_is_cited_without_a_caveat(tmp_path: Path) -> None:
    more = entry("hundred", "100", "2027-01-01", letters='"text"')
    assert read_law(altered(tmp_path, more=more)).on(date(2027, 1, 1))["hundred"].citation == "§ 288-15 D"


def test_the_law_cannot_be_changed_in_passing() -> None:
    law = law_on(FIRST_DAY)
    with pytest.raises(ValidationError):
        law["hundred"].value = 200
    with pytest.raises(FrozenInstanceError):
        law.day = date(2030, 1, 1)  # type: ignore[misc]


def test_two_values_for_the_same_days_are_a_fault(tmp_path: Path) -> None:
    faults = faults_of(altered(tmp_path, more=entry("hundred", "200", "2002-10-02")))
    assert faults == {"hundred.effective": "2002-10-02 / a day after 2002-10-02, the one above"}


def test_an_amendment_before_the_value_it_amends_is_a_fault(tmp_path: Path) -> None:
    faults = faults_of(altered(tmp_path, more=entry("hundred", "200", "1999-01-01")))
    assert list(faults) == ["hundred.effective"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (("value = 44\n", "value = 0\n"), "block_divisor[1].value"),
        (("value = 44\n", "value = 44.5\n"), "block_divisor[1].value"),
        (("value = 44\n", "value = nan\n"), "block_divisor[1].value"),
        (("value = 44\n", 'value = "44"\n'), "block_divisor[1].value"),
        (("value = 44\n", "value = true\n"), "block_divisor[1].value"),
        (("value = 44\n", ""), "block_divisor[1].value"),
        (('unit = "number"', 'unit = "rods"'), "block_divisor[1].unit"),
        (('unit = "number"', 'unit = "ft"'), "block_divisor[1].unit"),
        (('section = "§ 288-15 D"', 'section = ""'), "block_divisor[1].section"),
        (('letters = "inferred"', 'letters = "guessed"'), "block_divisor[1].letters"),
        (("effective = 2002-10-02", 'effective = "2002-10-02"'), "block_divisor[1].effective"),
        (("effective = 2002-10-02", "effective = 2002-10-02T08:00:00"), "block_divisor[1].effective"),
        (('effective_status = "assumed"', 'effective_status = "sure"'), "block_divisor[1].effective_status"),
        (('quotation = "The unit', 'sentence = "The unit'), "block_divisor[1].quotation"),
        (("[[block_divisor]]", "[block_divisor]"), "block_divisor"),
        (("[[block_divisor]]", "[[block_division]]"), "block_division"),
        (('source = "Code', 'origin = "Code'), "about"),
    ],
)
def test_a_fault_in_the_file_is_named(tmp_path: Path, change: tuple[str, str], field: str) -> None:
    assert field in faults_of(altered(tmp_path, change))


def test_a_fault_is_told_once(tmp_path: Path) -> None:
    with pytest.raises(LawError) as refused:
        read_law(altered(tmp_path, ("value = 44\n", 'value = "44"\n')))
    assert [str(fault) for fault in refused.value.faults] == [
        "block_divisor[1].value: found '44', expected a number above 0"
    ]


def test_a_missing_key_is_a_fault(tmp_path: Path) -> None:
    faults = faults_of(altered(tmp_path, ("[[block_divisor]]", "[[block_division]]")))
    assert faults["block_divisor"] == "nothing / at least one dated value"


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    path = altered(
        tmp_path,
        ("value = 44\n", "value = -44\n"),
        ('unit = "days"', 'unit = "weeks"'),
        ("[[first_odd]]", "[[first_add]]"),
        more=entry("hundred", "200", "2002-10-02"),
    )
    assert set(faults_of(path)) == {
        "block_divisor[1].value",
        "place_within_days[1].unit",
        "first_add",
        "first_odd",
        "hundred.effective",
    }


@pytest.mark.parametrize("text", ["= 1", "\x00", "[a"])
def test_a_file_that_is_no_toml_is_one_clear_fault(tmp_path: Path, text: str) -> None:
    path = tmp_path / "law.toml"
    path.write_text(text, encoding="utf-8")
    assert list(faults_of(path)) == ["law.toml"]


def test_an_empty_file_lacks_every_key(tmp_path: Path) -> None:
    path = tmp_path / "law.toml"
    path.write_text("", encoding="utf-8")
    assert set(faults_of(path)) == {"about", *UNIT_OF, *(f"quotations.{step}" for step in STEPS)}


def test_a_missing_file_is_one_clear_fault(tmp_path: Path) -> None:
    assert list(faults_of(tmp_path / "law.toml")) == ["law.toml"]


def test_the_book_holds_every_key_the_software_asks_for() -> None:
    book = read_law()
    assert isinstance(book, LawBook)
    assert {value.key for value in book.values} == set(UNIT_OF)


def test_the_checks_take_the_numbers_in_feet_and_as_shares() -> None:
    taken = law_on(FIRST_DAY).right_of_way
    assert (taken.mailbox_curb_in, taken.mailbox_paved_ft, taken.walk_vertical_in) == (0.5, 1.0, 0.0625)
    assert (taken.materials_walk_part, taken.materials_way_part, taken.petition_percent) == (1 / 2, 1 / 3, 1 / 2)
