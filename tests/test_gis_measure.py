"""What may be claimed of a measured length: on both sides of a limit, with and without uncertainty."""

import math

import pytest

from gis.errors import GeometryError
from gis.measure import Measured, Verdict, judge, rss

COMPLIES, VIOLATES, UNDECIDED = Verdict.COMPLIES, Verdict.VIOLATES, Verdict.UNDECIDED


def test_uncertainties_add_by_the_root_of_their_squares():
    assert rss(5, 12) == 13
    assert rss(2, 3, 6) == 7
    assert rss(4) == 4
    assert rss() == 0


@pytest.mark.parametrize(
    ("value", "uncertainty", "verdict"),
    [
        (49.99, 0, COMPLIES),
        (50, 0, COMPLIES),  # just the limit
        (50.01, 0, VIOLATES),
        (47.9, 2, COMPLIES),
        (48, 2, COMPLIES),  # at the very most just the limit
        (48.1, 2, UNDECIDED),
        (50, 2, UNDECIDED),
        (52, 2, UNDECIDED),  # at the very least just the limit, which complies
        (52.1, 2, VIOLATES),
    ],
)
def test_not_more_than_50_ft(value, uncertainty, verdict):
    assert judge(Measured(value, uncertainty), 50, at_most=True) is verdict


@pytest.mark.parametrize(
    ("value", "uncertainty", "verdict"),
    [
        (0.49, 0, VIOLATES),
        (0.5, 0, COMPLIES),
        (0.51, 0, COMPLIES),
        (0.2, 0.25, VIOLATES),
        (0.25, 0.25, UNDECIDED),
        (0.7, 0.25, UNDECIDED),
        (0.75, 0.25, COMPLIES),
        (-3, 0.25, VIOLATES),  # over the street
    ],
)
def test_at_least_six_inches(value, uncertainty, verdict):
    assert judge(Measured(value, uncertainty), 0.5, at_most=False) is verdict


def test_noise_of_arithmetic_does_not_put_a_length_past_its_limit():
    assert 0.1 + 0.2 > 0.3
    assert judge(Measured(0.1 + 0.2, 0), 0.3, at_most=True) is COMPLIES
    assert judge(Measured(0.3, 0), 0.1 + 0.2, at_most=False) is COMPLIES


@pytest.mark.parametrize(
    ("value", "uncertainty", "field"),
    [
        (math.nan, 0, "value_ft"),
        (math.inf, 0, "value_ft"),
        (1, -0.1, "uncertainty_ft"),
        (1, math.nan, "uncertainty_ft"),
    ],
)
def test_a_length_that_is_none_is_refused(value, uncertainty, field):
    with pytest.raises(GeometryError, match=field):
        Measured(value, uncertainty)
