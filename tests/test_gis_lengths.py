"""Lengths as people write them on a phone or a form."""

import math

import pytest

from gis.errors import GeometryError
from gis.lengths import read_length_ft, read_length_in


@pytest.mark.parametrize(
    ("written", "inches"),
    [
        ("7 1/2 in", 7.5), ("7-1/2\"", 7.5), ("7½ in", 7.5), ("7 ½", 7.5), ("7.5", 7.5), (7.5, 7.5), (6, 6.0),
        ("6", 6.0),
        ("2'-3\"", 27.0), ("2' 3\"", 27.0), ("2’ 3”", 27.0), ("2′3″", 27.0), ("2 ft 3 in", 27.0), ("2ft.", 24.0),
        ("2 feet 3 1/4 inches", 27.25), ("0.5 ft", 6.0), ("1/2 in", 0.5), ("1/2", 0.5), (".5", 0.5), ("-2 in", -2.0),
        ("−2 in", -2.0), ("5 7/8 in.", 5.875), ("6''", 6.0), (" 6  in ", 6.0), ("0", 0.0), (-1.25, -1.25),
        ("6 IN", 6.0),
        ("1/2'", 6.0), ("2'-3 1/2\"", 27.5),
    ],
)  # fmt: skip
def test_a_taped_length_is_read_in_inches(written, inches):
    assert read_length_in(written, "tape") == pytest.approx(inches, abs=1e-12)


@pytest.mark.parametrize(
    ("written", "feet"), [("36", 36.0), (36, 36.0), ("18 in", 1.5), ("2'-3\"", 2.25), ("3 1/2", 3.5)]
)
def test_a_bare_width_on_the_ground_is_feet(written, feet):
    assert read_length_ft(written, "width") == feet


@pytest.mark.parametrize(
    "nonsense",
    ["", "  ", "six inches", "6 cm", "6 m", "7,5", "6 in 2", "2'-13\"", "1/0 in", "3/", "--2", "NaN", "inf", "1e9",
     "6 in 2 ft", math.nan, math.inf, True, "9" * 70, "٦ in", 1e300],
)  # fmt: skip
def test_what_is_no_length_is_refused_by_its_field(nonsense):
    with pytest.raises(GeometryError) as refused:
        read_length_in(nonsense, "tape.setback")
    assert refused.value.faults[0].field == "tape.setback"
