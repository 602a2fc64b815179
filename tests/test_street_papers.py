"""Permits, notices, bills and the tax-roll list of the street, read back from their PDFs."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import shapely
from pypdf import PageObject, PdfReader

from app.bill_paper import Bill, Charge, Expense, TaxRoll, bill, tax_roll_list
from app.clocks import Deadline, within_days
from app.paper import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, Paper, Running, Type
from app.permit_paper import PLUS_EXPENSES, Condition, Decided, Fee, PermitPaper, Remaining, permit_paper
from app.removal_paper import Removal, removal_notice
from app.repaving_paper import Addressee, Repaving, repaving_notice
from app.sketch import Drawn
from app.street_paper import Measured, StreetSheet
from gis.errors import StreetsError

URL = "https://streets.example.gov/permits/7"
HEAD = "0123456789abcdef" * 4
LONG = "Saint Bartholomew and Saint Wenceslaus Memorial Parkway Road"
D = (
    "In addition to any other penalty imposed, if any Village enforcement official determines that a sidewalk is "
    "unlawfully obstructed in violation of this section, he/she shall issue a written notice to the owner or occupant "
    "of the premises which adjoins the obstructed sidewalk directing that the obstruction be removed within 24 hours."
)
E = (
    "In addition to any other penalty imposed, if any Village enforcement official determines that a Village street, "
    "alley, public grounds or land dedicated for public use is obstructed or encumbered, he/she shall issue a written "
    "notice to the property owner of the premises which adjoins the obstructed public area directing that the "
    "obstruction be removed within 24 hours."
)
CHARGED = (
    "If the owner or occupant fails to remove the obstruction within the time period established in Subsection D or E, "
    "respectively, any Village enforcement official shall cause the removal of the obstruction, keeping an account of "
    "the expense of the abatement, any such expenses shall be charged to and paid by such property owner."
)
UNRECORDED = (
    "The failure of the Village Clerk-Treasurer to record such claim or to mail such notice or the failure of the "
    "owner to receive such notice shall not affect the right to place the Village expense on the tax rolls for unpaid "
    "bills for abating the obstruction as provided for in this section."
)
PAYABLE = (
    "Notice of the bill for abatement of the obstruction shall be mailed to the owner of the premises and shall be "
    "payable within 10 calendar days from receipt thereof."
)
ENTERED = (
    "Within 60 days after such costs and expenses are incurred and remain unpaid, the Village Clerk-Treasurer shall "
    "enter those charges onto the tax roll as a special tax as provided by the state statutes."
)
SPECIFICATIONS = (
    "All sidewalks within the Village of Benton hereafter shall be repaired, rebuilt, and constructed in accordance "
    'with the publication "Standard Specifications for Public Works," on file in the office of the Village '
    "Clerk-Treasurer."
)
TERRACES = "Every effort shall be made to place gas, electric, telephone and television cable lines in street terraces."


def line(*coords: tuple[float, float]) -> Any:
    return np.array(coords, dtype=np.float64)


# Main Street runs east-west, 36 ft between its curbs; Alma Street crosses it, its curbs assumed.
STREETS = (
    Drawn(line((-600, 0), (600, 0)), "street", "Main Street"),
    Drawn(line((0, -500), (0, 900)), "street", "Alma Street"),
    *(Drawn(line((-600, y), (-18, y)), "curb") for y in (-18, 18)),
    *(Drawn(line((x, 18), (x, 900)), "curb", "", True) for x in (-18, 18)),
    *(Drawn(line((-600, y), (600, y)), "right_of_way", "", True) for y in (-33, 33)),
    Drawn(line((-600, 24), (-24, 24)), "sidewalk"),
)
HOLE = line((-80, 5), (-60, 5), (-60, 17), (-80, 17), (-80, 5))
SHEET = StreetSheet(
    village="Benton",
    county="Lafayette County",
    state="Wisconsin",
    document_no="P-2026-0007",
    title="Street opening permit",
    issued_at=datetime(2026, 6, 1, 20, 5, tzinfo=UTC),
    issued_by="Dana Meyer, Deputy Clerk",
    acting_for="the Village Clerk-Treasurer",
    law_date=date(2026, 6, 1),
    place="Main Street, west of Alma Street",
    drawn=(*STREETS, Drawn(HOLE, "opening")),
    around=(-80, 5, -60, 17),
    notes=("Street lines are assumed: half of an assumed width of 66 ft on each side.",),
    grid_north_deg=0.0,
    axis_north_deg=-39.0,
    audit_head=HEAD,
    public_url=URL,
)
FINDINGS = (
    Measured("Lanes", "undecided", "24 ft are left, give or take 5 ft; 22 ft are needed.", "288-6 B(3)", "Assumed."),
    Measured("Trench left open", "violates", "510 ft; not more than 500 ft.", "288-6 B(1)"),
    Measured("Share of the street", "complies", "12 ft of 36 ft.", "288-8 D(1)"),
)
PERMIT = PermitPaper(
    number="26-007",
    kind="Street opening permit",
    section="288-5",
    applicant=("Benton Water Utility", "by Jan Nowak, agent", "12 Depot Street, Benton WI 53803"),
    location="1 ft south of the north curb",
    nature="Repair of a water service",
    method="Open cut with a trench box",
    first_day=date(2026, 6, 2),
    first_note="24 hours after the Director was notified.",
    last=replace(within_days(date(2026, 6, 1), 30, "288-5 D"), sense="ends"),
    fee=Fee(None, PLUS_EXPENSES, "R-114"),
    office="Village Clerk-Treasurer",
    conditions=(
        Condition("Warning lights.", "288-6 B(1)", "Sufficient warning lights shall be kept on.", "Sunrise: a slip."),
        Condition("Keep the hydrant free.", ""),
    ),
    decisions=(
        Decided(
            "R. Ames, Director of Public Works",
            datetime(2026, 6, 1, 15, 0, tzinfo=UTC),
            "One lane may be closed",
            "A flagman is there.",
            "288-6 B(3)",
        ),
    ),
    findings=FINDINGS,
    remaining=(
        Remaining("Replace the pavement", "288-6 G(4)", within_days(date(2026, 6, 1), 60, "288-6 G(4)")),
        Remaining("Notify the Clerk before backfilling", "288-6 F", None),
    ),
)
REMOVAL = Removal(
    case_no="26-014",
    ground="sidewalk",
    addressee="Élodie Wałęsa\n145 North Alma Street\nBenton WI 53803",
    obstruction="a pile of lumber, 12 ft by 4 ft",
    obstructs="the sidewalk on the north side of Main Street",
    premises="145 North Alma Street",
    seen_on=date(2026, 6, 1),
    seen_by="R. Ames, Director of Public Works",
    measured=FINDINGS[:1],
)
NOTICE = replace(SHEET, title="Removal notice", drawn=(*STREETS, Drawn(HOLE, "obstruction")))
REPAVING = Repaving(
    case_no="26-020",
    street="Alma Street",
    limits="from Main Street to First Avenue",
    work="Repaving",
    determined_on=date(2026, 6, 1),
    act="act 2026-12",
    work_from=Deadline(date(2026, 7, 1), None, "288-6 I", "30 days after the determination.", "", sense="from"),
    completed_by=replace(within_days(date(2026, 6, 2), 30, "288-6 I"), reading="Read as from the notification."),
    moratorium=None,
    addressee="Benton Gas Company\nPO Box 12\nDarlington WI 53530",
    utilities=(Addressee("Benton Gas Company", "PO Box 12, Darlington WI 53530", "gas main"),),
    owners=tuple(Addressee(f"Owner {k} of a lot", f"{100 + k} North Alma Street", "owner") for k in range(1, 61)),
)
REPAVED = replace(
    SHEET, title="Repaving notice", drawn=(*STREETS, Drawn(line((0, 0), (0, 330)), "repaving")), around=(0, 0, 0, 330)
)
BILL = Bill(
    case_no="26-014",
    bill_no="B-2026-0003",
    addressee="Élodie Wałęsa\n145 North Alma Street\nBenton WI 53803",
    premises="145 North Alma Street",
    obstruction="a pile of lumber",
    how="Notice served Mon, March 2, 2026.\nNot removed within 24 hours.",
    # 126.50 + 99.99 + 1,234.56 + 0.10 + 0.20 = 1,461.35
    lines=(
        Expense(date(2026, 3, 1), "Labor, two workers", "3 hours", 12650),
        Expense(date(2026, 3, 1), "Truck", "1.5 hours", 9999),
        Expense(date(2026, 3, 1), "Disposal", "", 123456),
        Expense(date(2026, 3, 1), "Copy", "1", 10),
        Expense(date(2026, 3, 1), "Postage", "1", 20),
    ),
    incurred_on=date(2026, 3, 1),
    received_on=date(2026, 3, 10),
    payable=within_days(date(2026, 3, 10), 10, "288-7 F(1)"),
    tax_roll=within_days(date(2026, 3, 1), 60, "288-7 F(1)"),
)
BARE = replace(SHEET, title="Bill", drawn=(), around=None, notes=())
ROLL = TaxRoll(
    date(2026, 4, 1),
    (
        # 1.01 + 2.02 + ... + 60.60 = 1.01 x 1,830 = 1,848.30; with 1,000,000.05 and 0.95 it is 1,001,849.30
        *(
            Charge(
                *(f"26-{k:03d}", f"B-2026-{k:04d}", f"{100 + k} North Alma Street", f"Owner {k}", date(2026, 3, 1)),
                cents=101 * k,
                last=within_days(date(2026, 3, 1), 60, "288-7 F(1)"),
                basis="special_tax",
            )
            for k in range(1, 61)
        ),
        Charge("26-901", "", "7 Main Street", "Owner A", date(2026, 3, 5), 100000005, None, "special_charge"),
        Charge("26-902", "", "9 Main Street", "Owner B", date(2026, 3, 6), 95, None, "special_charge"),
    ),
)
SIGNS = f"{LONG} 12 \N{GRINNING FACE} é ½ § {{nb}}"
WIDE = replace(SHEET, place=SIGNS, notes=(SIGNS,) * 4, drawn=(*SHEET.drawn, Drawn(HOLE + 40, "other_work")))
SAMPLES = {
    "permit": permit_paper(SHEET, PERMIT),
    "draft": permit_paper(replace(SHEET, draft=True, document_no="Draft"), PERMIT),
    "long permit": permit_paper(
        replace(WIDE, title=f"Permit {LONG}"),
        replace(
            PERMIT,
            number="26-007-" + "9" * 40,
            applicant=(SIGNS,) * 4,
            nature=SIGNS * 6,
            conditions=tuple(Condition(f"Condition {k}: {SIGNS}", "288-6 B(1)", D, SIGNS) for k in range(1, 13)),
        ),
    ),
    "sidewalk": removal_notice(NOTICE, REMOVAL),
    "street": removal_notice(NOTICE, replace(REMOVAL, ground="street", obstructs="the north side of Main Street")),
    "board": removal_notice(NOTICE, replace(REMOVAL, ground="board", slip="The text says lawfully obstructed.")),
    "long removal": removal_notice(WIDE, replace(REMOVAL, addressee="\n".join([SIGNS] * 9), obstruction=SIGNS * 9)),
    "repaving": repaving_notice(REPAVED, REPAVING),
    "long repaving": repaving_notice(
        replace(REPAVED, place=SIGNS),
        replace(REPAVING, street=LONG, limits=SIGNS * 3, owners=(Addressee(SIGNS, SIGNS, SIGNS),) * 20),
    ),
    "bill": bill(BARE, BILL),
    "long bill": bill(BARE, replace(BILL, lines=(Expense(date(2026, 3, 1), SIGNS, SIGNS, 123456789012),) * 30)),
    "roll": tax_roll_list(replace(BARE, title="Tax-roll list", place="Village of Benton"), ROLL),
}


@cache
def pages(pdf: bytes) -> list[PageObject]:
    return list(PdfReader(BytesIO(pdf)).pages)


@cache
def said(pdf: bytes) -> str:
    """All the text of a document with single blanks."""
    return " ".join(" ".join(page.extract_text() for page in pages(pdf)).split())


# --- a permit ---


def test_a_permit_says_who_may_do_what_where_and_until_when() -> None:
    text = said(SAMPLES["permit"])
    for expected in (
        *("Village of Benton", "Lafayette County, Wisconsin", "Street opening permit 26-007", "Document P-2026-0007"),
        *("Benton Water Utility", "by Jan Nowak, agent", "12 Depot Street, Benton WI 53803"),
        *("Main Street, west of Alma Street", "1 ft south of the north curb", "Repair of a water service"),
        *("Open cut with a trench box", "Tue, June 2, 2026", "24 hours after the Director was notified."),
        *("Wed, July 1, 2026", "30 days from Mon, June 1, 2026: that day excluded", "Village Clerk-Treasurer"),
        *("Issued by Dana Meyer, Deputy Clerk, acting for the Village Clerk-Treasurer", HEAD, URL),
    ):
        assert expected in text, expected


def test_a_fee_that_is_not_set_says_so_and_one_that_is_set_is_written_in_dollars_and_cents() -> None:
    text = said(SAMPLES["permit"])
    assert "fee not set (§ 173-1)" in text
    assert "plus actual Village expenses; receipt R-114" in text
    assert "$" not in text
    paid = said(permit_paper(SHEET, replace(PERMIT, fee=Fee(123450, PLUS_EXPENSES))))
    assert "$1,234.50" in paid
    assert "not set" not in paid


def test_each_condition_has_its_section_the_laws_words_and_what_is_said_of_a_slip() -> None:
    text = said(SAMPLES["permit"])
    assert "§ 288-6 B(1) 1. Warning lights. “Sufficient warning lights shall be kept on.” Sunrise: a slip." in text
    assert "Attached 2. Keep the hydrant free." in text
    assert "“”" not in text


def test_what_is_undecided_is_never_shown_as_complying() -> None:
    text = said(SAMPLES["permit"])
    assert "Lanes: Undecided: an officer decides 24 ft are left, give or take 5 ft; 22 ft are needed. Assumed." in text
    assert "Trench left open: Does not comply 510 ft; not more than 500 ft." in text
    assert "Share of the street: Complies 12 ft of 36 ft." in text
    assert text.count("Complies") == 1


def test_a_decision_says_who_took_it_when_what_and_why() -> None:
    said_so = (
        "One lane may be closed A flagman is there. R. Ames, Director of Public Works, Mon, June 1, 2026, 10:00 am"
    )
    assert said_so in said(SAMPLES["permit"])


def test_what_remains_has_its_last_day_and_what_no_day_runs_for_says_so() -> None:
    text = said(SAMPLES["permit"])
    assert "Replace the pavement Fri, July 31, 2026 60 days from Mon, June 1, 2026" in text
    assert "Notify the Clerk before backfilling No day runs yet." in text


def test_a_last_day_that_another_reading_would_move_is_shown_with_both() -> None:
    # 30 days from Jun 4, 2026 end on Jul 4, a legal holiday; the next day is a Sunday, so another reading says Jul 6
    text = said(permit_paper(SHEET, replace(PERMIT, last=within_days(date(2026, 6, 4), 30, "288-5 D"))))
    assert "Through Sat, July 4, 2026" in text
    assert "under another reading another day: see How long" in text
    assert "Under another reading: Mon, July 6, 2026." in text


@pytest.mark.parametrize(
    ("section", "quoted"),
    [
        ("288-4 C", SPECIFICATIONS),
        ("288-5", "Permits shall be valid for a period of 30 days from the date of approval"),
        ("§ 288-8", "All street privilege permits shall automatically terminate at the end of three months"),
    ],
)
def test_a_permit_ends_with_the_laws_words_of_its_own_section(section: str, quoted: str) -> None:
    text = said(SAMPLES["permit"] if section == "288-5" else permit_paper(SHEET, replace(PERMIT, section=section)))
    assert quoted in text
    others = {SPECIFICATIONS, "Permits shall be valid for", "shall automatically terminate"}
    assert sum(other in text for other in others) == 1


def test_the_map_names_the_streets_and_tells_what_is_assumed() -> None:
    text = said(SAMPLES["permit"])
    for expected in (
        *("Main Street", "Alma Street", "the opening", "curb or edge of the pavement", "curb, assumed"),
        *("street line, assumed", "center of the street", "grid north", "39° to its left", SHEET.notes[0]),
    ):
        assert expected in text, expected
    assert "the obstruction" not in text
    no_curbs = said(permit_paper(replace(SHEET, drawn=(*STREETS[:2], Drawn(HOLE, "opening"))), PERMIT))
    assert "center of the street" in no_curbs
    assert "curb or edge" not in no_curbs
    assert "main entrance" not in text


def test_a_draft_says_so_on_every_page_and_an_issued_permit_on_none() -> None:
    for page in pages(SAMPLES["draft"]):
        assert "DRAFT" in page.extract_text()
    assert "A draft, not issued; drawn up by Dana Meyer" in said(SAMPLES["draft"])
    assert "draft" not in said(SAMPLES["permit"]).lower()


# --- the notice to remove an obstruction ---


def test_a_sidewalks_notice_goes_to_the_owner_or_occupant_in_the_words_of_d() -> None:
    text = said(SAMPLES["sidewalk"])
    assert "To the owner or occupant Élodie Wałęsa 145 North Alma Street Benton WI 53803" in text
    assert f"“{D}”" in text
    assert E not in text


@pytest.mark.parametrize("ground", ["street", "dedicated"])
def test_a_streets_notice_goes_to_the_property_owner_in_the_words_of_e(ground: str) -> None:
    text = said(SAMPLES["street"] if ground == "street" else removal_notice(NOTICE, replace(REMOVAL, ground=ground)))
    assert "To the property owner Élodie Wałęsa" in text
    assert "occupant Élodie" not in text
    assert f"“{E}”" in text
    assert D not in text


def test_a_notice_to_remove_says_what_obstructs_what_and_what_follows() -> None:
    text = said(SAMPLES["sidewalk"])
    for expected in (
        *(REMOVAL.obstruction, REMOVAL.obstructs, "Adjoining premises 145 North Alma Street", "Case 26-014"),
        *("Remove the obstruction within 24 hours", "24 hours after service", "Mon, June 1, 2026, by R. Ames"),
        *(CHARGED, PAYABLE, ENTERED, UNRECORDED, "Lanes: Undecided", "the obstruction"),
    ):
        assert expected in text, expected


def test_the_expense_is_told_as_the_property_owners_even_to_an_occupant() -> None:
    assert "charges the property owner with the expense" in said(SAMPLES["sidewalk"])


def test_how_the_hours_are_counted_is_as_the_village_settled_it() -> None:
    assert "They are elapsed hours." in said(SAMPLES["sidewalk"])
    settled = said(removal_notice(NOTICE, replace(REMOVAL, reading="Sundays and legal holidays are left out.")))
    assert "Sundays and legal holidays are left out." in settled
    assert "elapsed" not in settled


def test_the_first_page_has_the_lines_for_the_service() -> None:
    for name in ("sidewalk", "street", "board"):
        first = pages(SAMPLES[name])[0].extract_text()
        for label in ("Service of this notice", "Served on", "Day and time", "How", "By"):
            assert label in first


def test_once_it_is_served_the_last_instant_stands_in_place_of_the_hours() -> None:
    due = Deadline(None, datetime(2026, 6, 2, 20, 5, tzinfo=UTC), "288-7 D", "24 elapsed hours.", "")
    text = said(removal_notice(NOTICE, replace(REMOVAL, served=due)))
    assert "Remove it by Tue, June 2, 2026, 3:05 pm CDT" in text
    assert "after service" not in text


def test_the_boards_notice_stands_on_288_8_f_and_shows_its_slip() -> None:
    text = said(SAMPLES["board"])
    assert "premises adjoining any lawfully obstructed sidewalk shall remove or neglect to remove" in text
    assert "The text says lawfully obstructed." in text
    assert "Directed by What is" not in text
    assert "the Village Board" in text
    assert CHARGED not in text


# --- the notice of a repaving ---


def test_a_notice_of_a_repaving_says_by_when_to_have_excavated_and_what_follows() -> None:
    text = said(SAMPLES["repaving"])
    for expected in (
        *("Benton Gas Company PO Box 12 Darlington WI 53530", "from Main Street to First Avenue", "act 2026-12"),
        *("Determined Mon, June 1, 2026, by the Village Board", "Thu, July 2, 2026", "Wed, July 1, 2026"),
        *("that all such excavation work in such street must be completed within 30 days.", TERRACES),
        *("Read as from the notification.", "for 5 years", "not less than 30 days before the work of improvement"),
        *("no permit shall be issued to open or excavate said street for a period of five years", "to be repaved"),
    ):
        assert expected in text, expected


def test_everyone_it_goes_to_stands_in_the_list_once_and_the_head_on_each_of_its_pages() -> None:
    found = [page.extract_text() for page in pages(SAMPLES["repaving"])]
    text = " ".join(" ".join(found).split())
    for k in range(1, 61):
        assert len(re.findall(rf"Owner {k} of a lot", text)) == 1, k
    assert "Utilities and other agencies: 1" in text
    assert "Abutting owners: 60" in text
    assert "61 in all." in text
    listed = [page for page in found if re.search(r"Owner \d+ of a lot", page)]
    assert len(listed) == 2
    assert all("Name" in page and "Address" in page for page in listed)


# --- the bill ---


def test_a_bill_adds_its_lines_exactly_and_says_by_when_it_is_payable() -> None:
    text = said(SAMPLES["bill"])
    for expected in (
        *("$126.50", "$99.99", "$1,234.56", "$0.10", "$0.20", "Total $1,461.35", "B-2026-0003", "26-014"),
        *("Labor, two workers 3 hours", "Not removed within 24 hours.", "To the owner of the premises Élodie Wałęsa"),
        *("Fri, March 20, 2026", "received Tue, March 10, 2026", "Thu, April 30, 2026", "Incurred Sun, March 1, 2026"),
        *(CHARGED, PAYABLE, ENTERED, UNRECORDED, "is read as a last day."),
    ):
        assert expected in text, expected


def test_before_its_receipt_is_on_record_a_bill_is_payable_within_10_calendar_days() -> None:
    text = said(bill(BARE, replace(BILL, received_on=None, payable=None)))
    assert "Payable within 10 calendar days from its receipt" in text
    assert "March 20" not in text


# --- the list for the tax roll ---


def test_the_list_adds_each_section_and_the_whole_exactly() -> None:
    text = said(SAMPLES["roll"])
    assert "Sum of § 288-7 F(1): 60 amounts $1,848.30" in text
    assert "Sum of § 288-8 F: 2 amounts $1,000,001.00" in text
    assert "Total of the list $1,001,849.30" in text
    assert "For the tax roll: $1,001,849.30" in text
    assert "62 amounts, as of the end of Wed, April 1, 2026." in text


def test_each_amount_stands_in_the_list_once_with_its_property_and_the_last_day_to_enter_it() -> None:
    found = [page.extract_text() for page in pages(SAMPLES["roll"])]
    text = " ".join(" ".join(found).split())
    for k in range(1, 61):
        dollars, cents = divmod(101 * k, 100)
        first = f"26-{k:03d}, {100 + k} North Alma Street Owner {k} March 1, 2026 April 30, 2026 ${dollars}.{cents:02d}"
        assert text.count(f"{first} B-2026-{k:04d}") == 1, k
    heads = [page for page in found if re.search(r"B-2026-\d{4}", page)]
    assert len(heads) > 1
    assert all("Enter by" in page and "Amount" in page for page in heads)
    assert "Village Clerk-Treasurer" in found[-1]


def test_where_another_reading_moves_the_last_day_to_enter_both_stand() -> None:
    # 60 days from Jun 3, 2026 end on Aug 2, a Sunday
    row = replace(ROLL.rows[0], last=within_days(date(2026, 6, 3), 60, "288-7 F(1)"))
    text = said(tax_roll_list(BARE, TaxRoll(date(2026, 7, 1), (row,))))
    assert "August 2, 2026 or $1.01 B-2026-0001 August 3, 2026" in text
    assert "Where two days stand, the second is of another reading. Whether Wis. Stat. § 990.001(4)" in text


def test_an_amount_that_stands_on_no_section_is_refused_and_not_left_out_of_the_sums() -> None:
    with pytest.raises(StreetsError, match="basis"):
        replace(ROLL.rows[0], basis="fee")


# --- the pages ---


def test_nothing_of_a_long_permit_is_lost() -> None:
    text = said(SAMPLES["long permit"])
    shown = SIGNS.replace("\N{GRINNING FACE}", "[U+1F600]")
    for k in range(1, 13):
        assert f"{k}. Condition {k}: {shown} “{D}” {shown}" in text, k
    assert text.count("[U+1F600]") >= 4 + 6 + 24


def test_a_row_higher_than_a_page_goes_on_with_the_head_on_each() -> None:
    told = said(bill(BARE, replace(BILL, lines=(Expense(date(2026, 3, 1), "carried off " * 1200, "", 5),))))
    assert len(re.findall(r"carried\b", told)) == 1200
    assert told.count("Day What Quantity Amount") > 2


def test_a_short_permit_has_two_pages_and_pages_are_counted() -> None:
    assert len(pages(SAMPLES["permit"])) == 2
    for name, pdf in SAMPLES.items():
        found = pages(pdf)
        for number, page in enumerate(found, start=1):
            assert re.search(rf"Page {number} of\s*{len(found)}(?!\d)", page.extract_text()), name


@pytest.mark.parametrize("name", SAMPLES)
def test_no_text_stands_outside_the_margins_or_on_another(name: str) -> None:
    with closing(Paper(Running("", "", "", "", "", "", SHEET.issued_at, ""))) as paper:
        for page in pages(SAMPLES[name]):
            placed = [(text, _box(paper, text, x, y, kind)) for text, x, y, kind in texts(page)]
            assert len(placed) > 3
            for text, box in placed:
                west, south, east, north = box.bounds
                assert west >= LEFT - 0.1 and east <= RIGHT + 0.6, text  # noqa: PT018
                assert south >= HEIGHT - BOTTOM - 2 and north <= HEIGHT - TOP + 14, text  # noqa: PT018
            tree = shapely.STRtree([box for _, box in placed])
            for k, (text, box) in enumerate(placed):
                over = [placed[j][0] for j in tree.query(box, predicate="intersects") if j != k]
                assert not over, (text, over)


def _box(paper: Paper, text: str, x: float, y: float, kind: Type) -> Any:
    """The room of a text on its line: less than its height, so that lines close to one another do not meet."""
    return shapely.box(x, y, x + max(paper.width_of(text, kind) - 0.5, 0.1), y + 0.6 * kind.size)


def texts(page: PageObject) -> Iterator[tuple[str, float, float, Type]]:
    """Each level text of a page, where its line begins, and its type."""
    found = []

    def visit(text: str, cm: list[float], tm: list[float], font: Any, size: float) -> None:
        shown = text.strip()
        if not shown or font is None or abs(cm[1]) > 1e-9:
            return
        x, y = tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        base = str(font["/BaseFont"])
        face = "mono" if "Mono" in base else "B" if "Bold" in base else "I" if "Oblique" in base else ""
        found.append((shown, x, y, Type(size, face)))

    page.extract_text(visitor_text=visit)
    yield from found


def test_the_same_input_gives_the_same_file() -> None:
    assert permit_paper(SHEET, PERMIT) == SAMPLES["permit"]
