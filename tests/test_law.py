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
