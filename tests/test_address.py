"""Addresses as a clerk meets them: on envelopes, in old registers, in the county's files and on the telephone.

Postal forms are those of USPS Publication 28; full words those of § 288-15 C ("number _____ North _____ Street").
"""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.address import (
    HIGHEST_NUMBER,
    LONGEST_TEXT,
    Address,
    format_full,
    format_usps,
    on_street,
    parse,
    split_street_name,
    street_key,
)
from gis.errors import AddressError
from gis.usps import FRACTIONS

ALMA = Address(number=145, pre_directional="North", street_name="Alma", street_post_type="Street")


def full(text: str) -> str:
    return format_full(parse(text))


def refused(text: str) -> str:
    with pytest.raises(AddressError) as refusal:
        parse(text)
    (fault,) = refusal.value.faults
    return f"{fault.field}: {fault.found}"


# ------------------------------------------------------------------ one address, as people write it


@pytest.mark.parametrize(
    "written",
    [
        "145 North Alma Street",
        "145 N Alma St",
        "145 n alma st",
        "145 N. ALMA ST.",
        "145 No. Alma Str",
        "145 N.Alma Street",
        "  145   North  Alma\tStreet ",
        "145, North Alma Street,",
        "145 N, Alma, St",
        "No. 145 N Alma St",
        "# 145 N Alma St",
        "0145 N Alma St",
        "145\N{NO-BREAK SPACE}N Alma St",
    ],
)
def test_every_spelling_of_one_address_has_the_same_parts(written):
    assert parse(written) == ALMA


@pytest.mark.parametrize(
    ("written", "direction"),
    [("N", "North"), ("no", "North"), ("S.", "South"), ("So.", "South"), ("e", "East"), ("WEST", "West")],
)
def test_a_direction_is_kept_in_full(written, direction):
    assert parse(f"145 {written} Alma St").pre_directional == direction


def test_a_missing_direction_stays_missing():
    address = parse("172 Main Street")  # as the village's own site has the church
    assert address.pre_directional == ""
    assert (address.number, address.street) == (172, "Main Street")
    assert address != parse("172 East Main Street")


def test_a_missing_street_type_stays_missing():
    address = parse("12 W Main")
    assert (address.pre_directional, address.street_name, address.street_post_type) == ("West", "Main", "")


def test_a_direction_after_the_street_is_not_moved_before_it():
    address = parse("145 Main St E")
    assert (address.pre_directional, address.street_post_directional) == ("", "East")
    assert format_full(address) == "145 Main Street East"


# ------------------------------------------------------------------ numbers


@pytest.mark.parametrize("written", ["12 1/2", "12½", "12 ½", "12-1/2", "12 - 1/2", "12.5", "12 1⁄2"])
def test_a_half_number_is_read_however_it_is_written(written):
    address = parse(f"{written} W Main St")
    assert (address.number, address.fraction, address.pre_directional) == (12, "1/2", "West")
    assert format_full(address) == "12 1/2 West Main Street"
    assert format_usps(address) == "12 1/2 W MAIN ST"


@pytest.mark.parametrize(("written", "fraction"), [("119¼", "1/4"), ("119⅔", "2/3"), ("119.75", "3/4")])
def test_other_fractions_of_old_records_are_kept(written, fraction):
    assert parse(f"{written} Main St").number_complete == f"119 {fraction}"


@pytest.mark.parametrize("written", ["145A N Alma St", "145a N Alma St", "145-A N Alma St", "145 A N Alma St"])
def test_a_letter_with_the_number_is_its_suffix(written):
    assert parse(written) == replace(ALMA, suffix="A")
    assert full(written) == "145A North Alma Street"


def test_a_letter_before_a_street_type_is_the_street():
    address = parse("145 A Street")
    assert (address.suffix, address.street_name, address.street_post_type) == ("", "A", "Street")


def test_a_direction_letter_joined_to_the_number_is_a_door_and_apart_from_it_a_half():
    assert parse("145E Main St").suffix == "E"
    assert parse("145 E Main St").pre_directional == "East"


def test_a_half_number_may_have_a_letter():
    address = parse("12 1/2A W Main St")
    assert (address.number_suffix, address.number_complete) == ("1/2A", "12 1/2A")


@pytest.mark.parametrize(
    ("written", "prefix", "number"),
    [("N1234", "N", 1234), ("n1234", "N", 1234), ("W220N5678", "W220N", 5678), ("W220 N5678", "W220N", 5678)],
)
def test_a_rural_grid_number_keeps_its_prefix(written, prefix, number):
    address = parse(f"{written} County Road J")
    assert (address.number_prefix, address.number, address.pre_directional) == (prefix, number, "")
    assert address.number_complete == f"{prefix}{number}"


def test_numbers_sort_as_they_stand_along_the_street():
    doors = [parse(f"{number} Main St") for number in ("110", "12 1/2B", "13", "12", "12A", "9", "12 1/2")]
    in_order = [door.number_complete for door in sorted(doors, key=lambda door: door.number_order)]
    assert in_order == ["9", "12", "12A", "12 1/2", "12 1/2B", "13", "110"]


def test_the_highest_number_of_the_nena_domain_is_the_last_one_read():
    assert parse(f"{HIGHEST_NUMBER} Main St").number == 999_999
    assert refused(f"{HIGHEST_NUMBER + 1} Main St") == "address number: 1000000"


# ------------------------------------------------------------------ streets


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("Alma Street", ("", "Alma", "Street", "")),
        ("Main St.", ("", "Main", "Street", "")),
        ("Van Buren Street", ("", "Van Buren", "Street", "")),
        ("Third Avenue", ("", "Third", "Avenue", "")),
        ("3rd Ave", ("", "3rd", "Avenue", "")),
        ("Railroad Ave", ("", "Railroad", "Avenue", "")),
        ("Ridge Avenue", ("", "Ridge", "Avenue", "")),
        ("Unnamed 01", ("", "Unnamed 01", "", "")),
        ("Broadway", ("", "Broadway", "", "")),
        ("County Road J North", ("County Road", "J", "", "North")),
        ("St. Patrick Street", ("", "St. Patrick", "Street", "")),
        ("Avenue of the Lakes", ("", "Avenue of the Lakes", "", "")),
        ("Lake Shore Drive West", ("", "Lake Shore", "Drive", "West")),
    ],
)
def test_a_bare_street_name_splits_into_its_parts(written, parts):
    street = split_street_name(written)
    assert parts == (
        street.street_pre_type,
        street.street_name,
        street.street_post_type,
        street.street_post_directional,
    )


@pytest.mark.parametrize(
    "written",
    ["County Road J", "CTH J", "C.T.H. J", "Co Rd J", "Cty. Rd. J", "co. trunk j", "CR J", "County J", "CTH-J"],
)
def test_county_road_j_by_all_its_names(written):
    assert full(f"30 {written}") == "30 County Road J"
    assert full(f"30 {written} N.") == "30 County Road J North"


def test_a_street_called_county_is_no_county_highway():
    address = parse("30 County Rd")
    assert (address.street_pre_type, address.street_name, address.street_post_type) == ("", "County", "Road")


def test_the_letter_of_a_county_road_is_never_a_direction():
    address = parse("30 North County Road N South")
    assert (address.pre_directional, address.street_name, address.street_post_directional) == ("North", "N", "South")


@pytest.mark.parametrize(
    ("written", "usps"),
    [
        ("30 Hwy 11", "30 HIGHWAY 11"),
        ("30 WIS 11", "30 STATE HIGHWAY 11"),
        ("30 STH 11 East", "30 STATE HIGHWAY 11 E"),
        ("30 U.S. Hwy. 151", "30 US HIGHWAY 151"),
        ("30 County Road J North", "30 COUNTY ROAD J N"),
        ("30 Old Highway 11", "30 OLD HIGHWAY 11"),
    ],
)
def test_highways_keep_their_class_in_full(written, usps):
    assert format_usps(parse(written)) == usps  # Publication 28, section 237


@pytest.mark.parametrize(
    ("written", "direction", "name"),
    [
        ("12 North Street", "", "North"),
        ("12 West St", "", "West"),
        ("12 N North St", "North", "North"),
        ("12 S West Street", "South", "West"),
        ("12 North", "", "North"),
        ("12 N Ridge", "North", "Ridge"),
        ("12 N West", "North", "West"),
        ("12 N, Alma", "North", "Alma"),
    ],
)
def test_a_direction_may_be_the_street_itself(written, direction, name):
    address = parse(written)
    assert (address.pre_directional, address.street_name) == (direction, name)


def test_a_street_called_north_is_not_abbreviated():
    assert format_usps(parse("12 N North St")) == "12 N NORTH ST"  # Publication 28, section 233


@pytest.mark.parametrize(("written", "name"), [("12 3rd Ave", "3rd"), ("12 1ST ST", "1st"), ("12 Third Ave", "Third")])
def test_a_numbered_street_is_not_the_house_number(written, name):
    address = parse(written)
    assert (address.number, address.street_name) == (12, name)


def test_saint_is_not_street():
    assert full("12 ST PATRICK ST") == "12 St. Patrick Street"
    assert format_usps(parse("12 St. Patrick Street")) == "12 ST PATRICK ST"


def test_a_name_in_capitals_or_small_letters_gets_its_capitals():
    assert full("12 E VAN BUREN ST") == "12 East Van Buren Street"
    assert full("12 e o'brien st") == "12 East O'Brien Street"
    assert full("12 e st. mary's ct") == "12 East St. Mary's Court"


def test_a_postal_line_has_no_punctuation():
    assert format_usps(parse("12 E. Kearns-Ridge Rd.")) == "12 E KEARNS RIDGE RD"
    assert format_usps(parse("12 E O’Brien Ct., Apt. 2-B")) == "12 E OBRIEN CT APT 2-B"  # its own hyphen


def test_a_name_with_its_own_capitals_keeps_them():
    assert full("12 JFK Drive") == "12 JFK Drive"
    assert full("12 McDonald Drive") == "12 McDonald Drive"


def test_the_direction_that_a_streets_name_starts_with_stays_part_of_it_once_the_half_is_written():
    address = on_street(145, "South", "North Ridge Road")
    assert (address.pre_directional, address.street_name) == ("South", "North Ridge")
    assert parse(format_full(address)) == address


def test_an_assigned_number_gets_its_half_and_street():
    assert on_street(145, "North", "Alma Street") == ALMA
    assert format_full(on_street(12, "North", "County Road J North", suffix="B")) == "12B North County Road J North"


# ------------------------------------------------------------------ units and the last line


@pytest.mark.parametrize(
    ("written", "in_full", "usps"),
    [
        ("Apt 2", "Apartment 2", "APT 2"),
        (", apt. #2", "Apartment 2", "APT 2"),
        ("Apt2b", "Apartment 2B", "APT 2B"),
        ("Apartment No. 2", "Apartment 2", "APT 2"),
        ("#2", "#2", "# 2"),
        ("Ste 100", "Suite 100", "STE 100"),
        (", Upper", "Upper", "UPPR"),
        ("lower", "Lower", "LOWR"),
        ("Hangar 3", "Hangar 3", "HNGR 3"),
    ],
)
def test_a_unit_follows_the_street(written, in_full, usps):
    address = parse(f"145 N Alma St {written}")
    assert format_full(address) == f"145 North Alma Street {in_full}"
    assert format_usps(address) == f"145 N ALMA ST {usps}"


@pytest.mark.parametrize("street", ["Front Street", "Alma Trailer Court", "Lower", "Lot 5", "Key Place"])
def test_a_street_named_like_a_unit_has_none(street):
    address = parse(f"145 N {street.replace('Court', 'Ct')}")
    assert (address.street, address.unit_type) == (street, "")


@pytest.mark.parametrize(
    ("last_line", "community", "state", "postal_code"),
    [
        (" Benton WI 53803", "Benton", "WI", "53803"),
        (", Benton, Wis. 53803-0012", "Benton", "WI", "53803-0012"),
        ("\nBENTON WISCONSIN", "Benton", "WI", ""),
        (", Benton, WI 53803, USA", "Benton", "WI", "53803"),
        (" Benton", "Benton", "", ""),
        (" 53803", "", "", "53803"),
        (", Hazel Green", "Hazel Green", "", ""),
        (" Hazel Green WI", "Hazel Green", "WI", ""),
        (", Town of Benton", "Town of Benton", "", ""),
    ],
)
def test_the_last_line_is_kept_as_parts_and_not_written(last_line, community, state, postal_code):
    address = parse("145 N Alma St Apt 2" + last_line)
    assert (address.community, address.state, address.postal_code) == (community, state, postal_code)
    assert format_full(address) == "145 North Alma Street Apartment 2"


def test_a_community_may_follow_a_street_without_its_type():
    address = parse("145 E Main Benton WI")
    assert (address.street, address.community) == ("Main", "Benton")


def test_the_same_number_in_another_community_is_another_address():
    assert parse("100 Main St, Cuba City") != parse("100 Main St, Benton")


@pytest.mark.parametrize(
    "street", ["Benton Street", "Hazel Green Road", "Wisconsin Avenue", "Old Benton", "Benton", "Wisconsin"]
)
def test_a_street_named_after_a_place_is_a_street(street):
    address = parse(f"145 N {street}")
    assert (address.street, address.community, address.state) == (street, "", "")


# ------------------------------------------------------------------ what is refused, and by what name


@pytest.mark.parametrize("written", ["PO Box 12", "P.O. Box 12", "145 N Alma St, POB 12", "Post Office Box 12"])
def test_a_post_office_box_is_refused_by_name(written):
    assert refused(written).startswith("address: P")


@pytest.mark.parametrize("written", ["RR 2 Box 15", "145 Box # 3", "General Delivery, Benton"])
def test_other_mail_without_a_place_is_refused(written):
    assert refused(written).startswith("address: ")


def test_a_street_named_box_elder_is_no_box():
    assert full("145 Box Elder St") == "145 Box Elder Street"


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("", "address number: nothing"),
        (" , ", "address number: ,"),
        ("Alma Street", "address number: Alma"),
        ("145-147 N Alma St", "address number: 145-147"),
        ("145AB N Alma St", "address number: 145AB"),
        ("0 Main St", "address number: 0"),
        ("1/2 Main St", "address number: 1/2"),
        ("12.3 Main St", "address number: 12.3"),
        ("12 5/7 Main St", "address number: 12 5/7"),
        ("9" * 100, "address number: " + "9" * 77 + "..."),
        ("145", "street name: nothing"),
        ("145 N", "street name: N"),
        ("145 N, WI 53803", "street name: N"),
        ("145 Street", "street name: Street"),
        ("145 - 147 N Alma St", "street name: -"),
        ("145 N 12.5 Road", "street name: 12.5"),
        ("145 N Alma St Bldg A Apt 2", "unit: N Alma St Bldg A Apt 2"),
        ("145 N Alma St B", "unit: B"),
    ],
)
def test_a_text_that_is_no_address_is_refused_with_what_was_found(written, fault):
    assert refused(written) == fault


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("<img src=x onerror=alert(1)>", "U+003C LESS-THAN SIGN"),
        ("١٤٥ Alma St", "U+0661 ARABIC-INDIC DIGIT ONE"),
        ("１４５ Alma St", "U+FF11 FULLWIDTH DIGIT ONE"),
        ("145² Alma St", "U+00B2 SUPERSCRIPT TWO"),
        ("145 \N{RIGHT-TO-LEFT MARK}Alma St", "U+200F RIGHT-TO-LEFT MARK"),
        ("145 Alma\0 St", "U+0000"),
        ("145 Alma\ud800 St", "U+D800"),
        ("145 & 147 Alma St", "U+0026 AMPERSAND"),
        ("145 Alma St, WİS", "U+0130 LATIN CAPITAL LETTER I WITH DOT ABOVE"),
        ("145 Алма St", "U+0410 CYRILLIC CAPITAL LETTER A"),
    ],
)
def test_a_character_no_address_has_is_named(written, named):
    assert named in refused(written)


def test_the_refusal_never_repeats_a_character_that_cannot_be_shown():
    with pytest.raises(AddressError) as refusal:
        parse("145 \ud800\N{RIGHT-TO-LEFT OVERRIDE}")
    assert str(refusal.value).isascii()


def test_text_longer_than_any_address_is_refused_unread():
    assert refused("145 " + "A" * 10_000) == "address: 10004 characters"
    longest = "1 Elm " + "a" * (LONGEST_TEXT - len("1 Elm "))
    assert parse(longest).number == 1
    assert refused(longest + "a") == "address: 201 characters"


@pytest.mark.parametrize("written", ["", "St", "N", "<b>", "x" * 201])
def test_a_text_that_is_no_street_cannot_be_split(written):
    with pytest.raises(AddressError):
        split_street_name(written)


@given(st.text(max_size=LONGEST_TEXT + 10) | st.text(" .,'-/#½12ANSaeltSİſß\n", max_size=30))
def test_no_text_at_all_raises_anything_but_an_address_error(text):
    for function in (parse, split_street_name):
        with suppress(AddressError):
            function(text)
    assert street_key(text) == street_key(text.strip())


# ------------------------------------------------------------------ finding a street by name


@pytest.mark.parametrize(
    "spellings",
    [
        ("Main Street", "Main St", "MAIN STREET", "main street.", " main  str "),
        ("Third Avenue", "3rd Ave", "THIRD AVE.", "3RD AVENUE"),
        ("Twenty-First Street", "21st St", "twenty first street"),
        ("Eleventh Street", "11th St"),
        ("Twelfth Street", "12TH ST."),
        ("County Road J North", "CTH J N", "Co. Rd. J North", "County Highway J N.", "Hwy J North"),
        ("State Highway 11", "WIS 11", "STH-11", "State Road 11"),
        ("North Street", "N St", "north st."),
        ("St. Patrick Street", "Saint Patrick St", "ST PATRICK STREET"),
        ("Mount Pleasant Road", "Mt. Pleasant Rd"),
        ("O'Brien Street", "O’BRIEN ST", "OBrien St"),
        ("Kearns-Ridge Road", "Kearns Ridge Rd"),
        ("Café Court", "CAFE CT"),
        ("Unnamed 07", "unnamed 7", "UNNAMED 07"),
    ],
)
def test_all_spellings_of_a_street_have_one_key(spellings):
    assert len({street_key(spelling) for spelling in spellings}) == 1


def test_different_streets_have_different_keys():
    streets = "Main Street,Main Avenue,Main,Third Avenue,Third Street,Unnamed 01,Unnamed 10,Unnamed 11,County Road J"
    streets += ",County Road J North,County Road J South,County Road N,North Street,State Highway 11,US Highway 11"
    names = streets.split(",")
    assert len({street_key(name) for name in names}) == len(names)


def test_a_name_no_address_could_have_still_has_a_key():
    assert street_key("<script>alert(1)</script>") == "script alert 1 script"
    assert street_key("Street") == "street"
    assert street_key("¿?") == ""


def test_the_street_of_an_address_is_found_under_the_key_of_its_bare_name():
    assert street_key(parse("145 N ALMA ST APT 2").street) == street_key("Alma Street")


# ------------------------------------------------------------------ reading back what was written

NAMES = st.sampled_from(
    [
        *["Alma", "Main", "Van Buren", "Third", "3rd", "21st", "St. Patrick", "Saint Mary's", "O'Brien", "La Crosse"],
        *["McDonald", "Kearns-Ridge", "Mill", "Park", "Water", "Hazel Green", "Dr. King Jr.", "A", "Broadway", "JFK"],
    ]
)
TYPES = st.sampled_from(["Street", "Avenue", "Road", "Court", "Lane", "Ridge", "Trail", "Parks", "Viaduct"])
HALVES = st.sampled_from(["", "North", "South", "East", "West"])
STREETS = st.one_of(
    st.builds("{} {}".format, NAMES, TYPES),
    st.builds("{} {} {}".format, NAMES, TYPES, st.sampled_from(["North", "South", "East", "West"])),
    st.builds(
        "{} {}".format, st.sampled_from(["North", "South", "East", "West"]), st.sampled_from(["Street", "Avenue"])
    ),
    st.builds(
        "{} {}".format, st.sampled_from(["County Road", "County Highway"]), st.sampled_from(["J", "N", "JJ", "5"])
    ),
    st.builds("County Road J {}".format, st.sampled_from(["North", "South"])),
    st.sampled_from(["State Highway 11", "United States Highway 151", "Avenue E", "Old Highway 11", "Broadway"]),
    st.builds("Unnamed {:02}".format, st.integers(1, 28)),
)


@st.composite
def addresses(draw):
    unit_type, unit = draw(st.sampled_from([("", ""), ("", "2"), ("Apartment", "2B"), ("Upper", ""), ("Lot", "A")]))
    address = on_street(draw(st.integers(1, HIGHEST_NUMBER)), draw(HALVES), draw(STREETS))
    return replace(
        address,
        number_prefix=draw(st.sampled_from(["", "", "N", "W220N"])),
        fraction=draw(st.sampled_from(["", *FRACTIONS])),
        suffix=draw(st.sampled_from(["", "A", "B", "N"])),
        unit_type=unit_type,
        unit=unit,
    )


@given(addresses())
def test_an_address_in_full_words_reads_back_to_the_same_parts(address):
    assert parse(format_full(address)) == address


@given(addresses())
def test_a_postal_line_reads_back_to_the_same_door_of_the_same_street(address):
    line = format_usps(address)
    assert line == line.upper()
    assert not set(line) & set(".,'-")
    again = parse(line)
    assert (again.number_complete, again.pre_directional) == (address.number_complete, address.pre_directional)
    assert (again.unit_type, again.unit) == (address.unit_type, address.unit)
    assert street_key(again.street) == street_key(address.street)


# --- as people and old files write the number ---


@pytest.mark.parametrize(
    "written",
    [
        *("119 .5 W Main St", "119,5 W Main St", "119 0.5 W Main St", "119 half W Main St", "119 one half W Main St"),
        *("119 and a half W Main St", "119 1 / 2 W Main St", "119 And One Half West Main Street", "119.50 W Main St"),
    ],
)
def test_a_half_is_read_in_every_spelling(written):
    assert format_full(parse(written)) == "119 1/2 West Main Street"


@pytest.mark.parametrize("written", ["119A 1/2 W Main St", "119 A 1/2 W Main St", "119 1/2A W Main St"])
def test_a_half_may_have_its_letter_on_either_side(written):
    assert parse(written).number_complete == "119 1/2A"


def test_a_street_named_half_moon_is_no_half():
    assert parse("119 Half Moon Street").street == "Half Moon Street"


@pytest.mark.parametrize(
    ("written", "field"),
    [
        ("1,145 W Main St", "address number"),
        ("1191/2 W Main St", "address number"),
        ("145 N Van Buren St 1/2", "address number"),
        ("12 Main Street Apt", "unit"),
    ],
)
def test_what_may_be_two_numbers_is_refused_and_says_how_it_is_written(written, field):
    with pytest.raises(AddressError) as refused:
        parse(written)
    assert refused.value.faults[0].field == field


def test_a_grid_number_may_stand_apart_from_its_letter():
    found = parse("N 1234 County Road J")
    assert (found.number_prefix, found.number, found.street) == ("N", 1234, "County Road J")


@pytest.mark.parametrize(
    ("written", "unit"), [("12 W Main St No 5", ("", "5")), ("119 W Main St, 2nd Floor", ("Floor", "2"))]
)
def test_a_unit_is_read_as_people_say_it(written, unit):
    found = parse(written)
    assert (found.street, found.unit_type, found.unit) == ("Main Street", *unit)


@pytest.mark.parametrize("name", ["Court Street", "Circle Drive"])
def test_a_type_may_be_a_streets_name_where_another_follows(name):
    assert parse(f"12 {name}").street == name
