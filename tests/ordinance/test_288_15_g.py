"""§ 288-15 G: putting the number up. What the notice of an assigned number tells the owner, occupant or agent."""

import math
import re
from dataclasses import replace
from datetime import date
from io import BytesIO

import pytest
from pypdf import PdfReader

from app.clocks import within_days
from app.documents import Notice, assignment_notice
from app.duties import ORDINANCE, Duty, duties, feet, inches, summary
from app.law import law_on
from tests.test_documents import PROVISIONAL, SHEET

# The paragraphs of the ordinance that the notice quotes, copied whole.
PARAGRAPHS = {
    "288-10 D(5)": (
        "House numbers shall be displayed. The owner, occupant or agent in charge of the premises shall cause to "
        "be affixed and to be maintained when so affixed to each mailbox controlled by him/her the official "
        "street number assigned to that address as provided in § 288-15A hereof. Each required number shall be "
        "affixed on the particular mailbox in such a location that it may be easily and readily seen by a person "
        "of ordinary eyesight on the public street or highway upon which the mailbox abuts."
    ),
    "288-15 E": (
        "South and west odd; north and east even. All lots and houses on the south and west side of all streets "
        "shall be numbered with odd numbers, each commencing with the hundred eleven assigned to that block, and "
        "shall increase from the base line one number for each unit of frontage or fraction thereof. All lots and"
        " houses on the north and east side of all streets shall be numbered with even numbers, each commencing "
        "with the hundred ten assigned to that block, and shall increase from the base line one number for each "
        "unit of frontage or fraction thereof. Where any building has more than one door serving separate "
        "occupants, one number shall be assigned to the building and the owner shall differentiate between the "
        "doors using letter or numbers as may be appropriate. Buildings fronting two or more streets shall have a"
        " number assigned only to the main entrance."
    ),
    "288-15 G(1)": (
        "The Village Board shall cause the necessary survey to be made and there shall be assigned to each house "
        "and building located on any street, avenue, alley or highway in said Village, its respective number "
        "under the uniform system provided for in this section. When the said survey shall have been completed "
        "and each house and building has been assigned its respective number, the owner, occupant or agent shall "
        "place or cause to be placed upon each house or building controlled by him the number or numbers assigned"
        " under the uniform system provided for in this section."
    ),
    "288-15 G(2)": (
        "Such number or numbers shall be placed within 20 days after the assigning of the proper number. The cost"
        " of the number or numbers shall be paid by the Village. Replacements of numbers shall be procured and "
        "paid for by the owner. The numbers used shall be not less than 2 1/2 inches in height."
    ),
    "288-15 G(3)": (
        "The numbers shall be conspicuously placed immediately above, on or at the side of the proper door of "
        "each building so that the number can be seen plainly from the street. Whenever any building is situated "
        "more than 50 feet from the street line or is sufficiently hidden so as a number placed upon the house "
        "cannot be seen plainly from the street, the number of such building shall be conspicuously displayed at "
        "the street line, near the walk, driveway or common entrance to such building upon the gate post, fence, "
        "tree, post, or other appropriate place so as to be easily discernible from the sidewalk or street."
    ),
    "288-15 H": (
        "Unique building numbers. Only one number shall be assigned to any house or building; the owner, occupant"
        " or agent of such house or building who shall desire distinctive numbers for each entrance, for the "
        "upper and lower portions of any such house or building, or for any part of such house or building "
        'fronting on any street, such owner, occupant or agent shall use the suffix "A," "B," "C," etc., as may '
        "be required."
    ),
    "288-15 J": (
        "Village Clerk-Treasurer to inform. It shall be the duty of the Village Clerk-Treasurer to inform any "
        "party applying therefor, of the number or numbers belonging or embraced within the limits of said lot or"
        " property as provided in this section. In case of doubt as to the proper number to be assigned to any "
        "lot or building, the Clerk-Treasurer shall determine the number of such lot or building."
    ),
    "288-15 L": (
        "Police officers to report violations. It shall be the duty of all police officers of the Village of Benton to"
        " report violation of any provision of this section."
    ),
    "288-15 M": (
        "Penalty. If the owner or occupant of any building required to be numbered by this section shall neglect "
        "for the period of 20 days to duly attach and maintain the proper number on such building, the Director "
        "of Public Works shall serve upon him a notice requiring such owner or occupant to properly number the "
        "same, and if he neglects to do so for 10 days after the service of such notice, he shall be deemed to "
        "have violated this section. Upon conviction thereof, he shall be subject to penalties."
    ),
    "288-16": (
        "Any damage to streets, curb or gutter caused by an abutting landowner or a contractor thereof shall be "
        "repaired at the expense of the abutting landowner. All costs incurred by the Village in performing such "
        "work may be collected in the manner set forth at § 66.0703, Wis. Stats. If a building is located so that"
        " its street number cannot be easily read from the street, then such street number shall also be erected "
        "on the street edge of the property."
    ),
}

LAW = law_on(date(2026, 6, 1))
FIRST = Notice(
    assigned_on=date(2026, 6, 1),
    deadline=within_days(date(2026, 6, 1), 20, "288-15 G(2)"),
    first_number=True,
    addressee="",
    display="at_building",
    set_back_ft=22.0,
    set_back_uncertainty_ft=6.0,
    set_back_from_door=False,
    assumed_width_ft=66.0,
    old_address="",
    doors=1,
)
REPLACED = replace(FIRST, first_number=False, old_address="119½ Alma Street")
MEASURE = replace(
    FIRST, display="measure_it", set_back_ft=48.25, set_back_uncertainty_ft=15.0, set_back_from_door=True, doors=3
)
AWAY = replace(FIRST, display="at_street_line", set_back_ft=120.0, assumed_width_ft=0.0)


def told(notice: Notice) -> str:
    return "\n".join("\n".join((d.title, *d.text, *(q.text for q in d.law))) for d in duties(notice, LAW))


def duty(notice: Notice, section: str) -> Duty:
    return next(d for d in duties(notice, LAW) if d.law[0].section == section)


def printed(notice: Notice) -> str:
    found = PdfReader(BytesIO(assignment_notice(SHEET, notice))).pages
    return " ".join(" ".join(page.extract_text() for page in found).split())


# --- the law's own words ---


@pytest.mark.parametrize("key", ORDINANCE)
def test_every_quotation_stands_word_for_word_in_the_ordinance(key: str) -> None:
    assert ORDINANCE[key].text in PARAGRAPHS[ORDINANCE[key].section]


def test_every_quotation_of_every_notice_stands_word_for_word_under_its_section() -> None:
    for notice in (FIRST, REPLACED, MEASURE, AWAY):
        for one in duties(notice, LAW):
            for quoted in one.law:
                assert quoted.text in PARAGRAPHS[quoted.section]


def test_a_printed_notice_carries_every_quotation_in_quotation_marks_with_its_section() -> None:
    text = printed(MEASURE)
    for one in duties(MEASURE, LAW):
        for quoted in one.law:
            assert f"“{quoted.text}”" in text
            assert f"§ {quoted.section}" in text


# --- G(1), G(2): by when, and who pays ---


def test_a_number_assigned_june_1_is_to_be_placed_by_june_21_and_by_the_22nd_under_the_other_reading() -> None:
    found = duty(FIRST, "288-15 G(1)")
    assert found.title == "By Sun, June 21, 2026"
    assert found.text[0] == "20 days from Mon, June 1, 2026: that day excluded, the last day included to its end."
    assert "Mon, June 22, 2026" in found.text[1]
    assert "§ 990.001(4)" in found.text[1]
    assert summary(FIRST, LAW)[0][1:] == ("Sun, June 21, 2026", "Mon, June 22, 2026 under another reading: see 1 below")


def test_a_last_day_that_would_not_move_shows_one_day_only() -> None:
    tuesday = replace(FIRST, deadline=within_days(date(2026, 6, 3), 20, "288-15 G(2)"))
    assert duty(tuesday, "288-15 G(1)").title == "By Tue, June 23, 2026"
    assert summary(tuesday, LAW)[0][2] == ""
    assert "Under another reading" not in told(tuesday)


def test_a_first_number_is_paid_by_the_village_and_a_replacement_by_the_owner() -> None:
    first, replaced = printed(FIRST), printed(REPLACED)
    assert "The Village pays" in first
    assert "“The cost of the number or numbers shall be paid by the Village.”" in first
    assert "procured and paid for by the owner" not in first
    assert "The owner pays" in replaced
    assert "“Replacements of numbers shall be procured and paid for by the owner.”" in replaced
    assert "paid by the Village" not in replaced
    assert "It replaces 119½ Alma Street." in replaced


def test_the_height_is_the_laws_number() -> None:
    assert duty(FIRST, "288-15 G(2)").title == "The Village pays"
    assert "At least 2 1/2 inches high" in told(FIRST)
    assert summary(FIRST, LAW)[2][1] == "2 1/2 inches"


# --- G(3): where ---


def test_a_building_near_the_street_line_carries_its_number_at_the_door() -> None:
    found = duty(FIRST, "288-15 G(3)")
    assert found.title == "At the door"
    assert "The building stands about 22 ft from the street line, give or take 6 ft." in found.text[0]
    assert "assumed right-of-way width of 66 ft" in found.text[0]


def test_a_building_far_from_the_street_line_shows_it_there_and_a_surveyed_line_is_not_called_assumed() -> None:
    found = duty(AWAY, "288-15 G(3)")
    assert found.title == "At the street line"
    assert "120 ft" in found.text[0]
    assert "assumed" not in " ".join(found.text)


def test_fifty_feet_within_the_uncertainty_is_undecided_and_says_what_settles_it() -> None:
    found = duty(MEASURE, "288-15 G(3)")
    assert found.title == "At the door or at the street line: measure it"
    text = " ".join(found.text)
    assert "The main entrance stands about 48 ft 3 in from the street line, give or take 15 ft." in text
    assert "The section measures the building; its outline is not on record." in text
    assert "between 33 ft 3 in and 63 ft 3 in; 50 ft, the limit, is within: undecided" in text
    assert "a steel tape" in text
    assert "land surveyor" in text
    assert "undecided" not in told(AWAY)


def test_a_distance_that_is_not_known_is_said_to_be_so() -> None:
    text = " ".join(duty(replace(MEASURE, set_back_ft=math.nan), "288-15 G(3)").text)
    assert "not on record" in text
    assert "nan" not in text


def test_the_street_edge_of_288_16_is_a_duty_of_its_own_on_every_notice() -> None:
    for notice in (FIRST, REPLACED, MEASURE, AWAY):
        assert duty(notice, "288-16").law == (ORDINANCE["street_edge"],)


# --- E, H: doors; 288-10: the mailbox; M: neglect; J: who to ask ---


def test_separate_occupants_doors_are_told_of_only_where_there_are_several() -> None:
    assert [q.section for q in duty(MEASURE, "288-15 E").law] == ["288-15 E", "288-15 H"]
    assert "3 doors" in duty(MEASURE, "288-15 E").text[0]
    assert "separate occupants" not in told(FIRST)


def test_the_mailbox_the_neglect_and_the_clerk_stand_on_every_notice_and_no_penalty_is_invented() -> None:
    for notice in (FIRST, MEASURE):
        sections = [d.law[0].section for d in duties(notice, LAW)]
        assert sections[-3:] == ["288-10 D(5)", "288-15 M", "288-15 J"]
        assert "$" not in told(notice)
    assert duty(FIRST, "288-15 M").text == ("The section names no amount, and none is stated here.",)


def test_the_notice_goes_to_the_owner_occupant_or_agent_whatever_names_are_known() -> None:
    assert "To the owner, occupant or agent" in printed(FIRST)
    named = printed(replace(FIRST, addressee="Owner, occupant or agent\nÉlodie Wałęsa\n12 Mill Court"))
    assert "Owner, occupant or agent Élodie Wałęsa 12 Mill Court" in named
    assert "To the owner" not in named


def test_a_notice_of_a_provisional_number_says_that_it_is_none_yet() -> None:
    found = PdfReader(BytesIO(assignment_notice(PROVISIONAL, FIRST))).pages
    assert all("PROVISIONAL" in page.extract_text() for page in found)
    assert re.search(r"not\s+an\s+official\s+number", found[0].extract_text())


# --- lengths as people write them ---


def test_lengths_are_written_in_feet_and_inches() -> None:
    assert [feet(x) for x in (50.0, 48.25, 11.99, 0.5, 0.0, 1234.0)] == [
        *("50 ft", "48 ft 3 in", "12 ft", "6 in", "0 ft", "1,234 ft")
    ]
    assert [inches(x) for x in (2.5, 3, 0.25)] == ["2 1/2 inches", "3 inches", "1/4 inches"]


def test_a_door_that_is_far_off_says_nothing_of_the_building_and_no_false_arithmetic() -> None:
    measured = {"set_back_ft": 119.0, "set_back_uncertainty_ft": 25.5, "set_back_from_door": True}
    far = replace(FIRST, display="measure_it", **measured)
    told = " ".join(" ".join(duty.text) for duty in duties(far, law_on(date(2026, 6, 1))))
    assert "farther than 50 ft in any case; the building may stand nearer" in told
    assert "is within" not in told
