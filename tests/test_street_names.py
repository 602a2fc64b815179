"""Names that streets may have: an address written with one reads back to the same parts."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.acts import numbered
from app.feed import PARTS
from app.street_names import as_street_name
from gis.address import format_usps, parse
from gis.errors import StreetsError

WORDS = [
    "Alma",
    "North",
    "N",
    "E",
    "West",
    "Unit",
    "Apartment",
    "Lot",
    "Box",
    "PO",
    "Rural",
    "Route",
    "County",
    "Road",
    "J",
    "Highway",
    "State",
    "Street",
    "St",
    "Saint",
    "Avenue",
    "of",
    "the",
    "Lakes",
    "12th",
    "Third",
    "7",
    "07",
    "Unnamed",
    "Upper",
    "Rear",
    "Floor",
    "Suite",
    "Front",
    "Benton",
    "Wisconsin",
    "WI",
    "Half",
    "Mile",
    "O'Neil",
    "Old",
    "Court",
]
names = st.lists(st.sampled_from(WORDS) | st.text("AbcDe'-. 19", min_size=1, max_size=8), min_size=1, max_size=5)


@given(
    names.map(" ".join),
    st.sampled_from(["North", "South", "East", "West"]),
    st.integers(1, 999_999),
    st.sampled_from(["", "A", "N", "E", "Z"]),
    st.sampled_from(["", "1/2", "3/4"]),
    st.sampled_from([("", ""), ("Apartment", "2"), ("", "B"), ("Upper", ""), ("Suite", "100")]),
)
def test_every_address_the_register_writes_reads_back_to_its_parts(
    name: str, half: str, number: int, suffix: str, fraction: str, unit: tuple[str, str]
) -> None:
    try:
        name = as_street_name(name)
    except StreetsError:
        assume(False)
    kept = {"fraction": fraction, "unit_type": unit[0], "unit": unit[1]}
    row = numbered(name, half, number, suffix, kept)
    read = parse(row["full"])
    assert {part: getattr(read, part) for part in PARTS} == {part: row[part] for part in PARTS}
    assert format_usps(read) == row["usps"]


@pytest.mark.parametrize("name", ["PO Box Road", "Street", "North", "12", "145 Alma Street", "1/2 Mile Road", ""])
def test_a_name_that_no_address_could_be_read_back_from_is_refused(name: str) -> None:
    with pytest.raises(StreetsError):
        as_street_name(name)


@pytest.mark.parametrize(
    "name", ["Unnamed 07", "County Road J North", "North Ridge Road", "12th Street", "Avenue of the Lakes"]
)
def test_names_as_streets_have_them_are_taken(name: str) -> None:
    assert as_street_name(f"  {name} ") == name
