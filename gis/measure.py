"""Measured lengths against a legal limit: a value, its uncertainty, and what may be claimed of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from gis.errors import GeometryError

_NOISE_FT = 1e-6  # of floating-point arithmetic: it does not put a length past its limit


@dataclass(frozen=True)
class Measured:
    """A measured length.

    Parameters
    ----------
    value_ft
        US survey feet.
    uncertainty_ft
        Uncertainty at 95 %, feet; 0 where the length is exact.

    Raises
    ------
    GeometryError
        A value that is not finite, or an uncertainty that is not finite or is below 0.
    """

    value_ft: float
    uncertainty_ft: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.value_ft):
            raise GeometryError.of("value_ft", self.value_ft, "a finite number of feet")
        if not 0 <= self.uncertainty_ft < math.inf:
            raise GeometryError.of("uncertainty_ft", self.uncertainty_ft, "a finite number of feet, 0 or more")


class Verdict(StrEnum):
    """What a measured length says of a limit: `UNDECIDED` where its uncertainty leaves both open."""

    COMPLIES = "complies"
    VIOLATES = "violates"
    UNDECIDED = "undecided"


def rss(*uncertainties_ft: float) -> float:
    """Return the root sum of squares of independent uncertainties.

    Parameters
    ----------
    uncertainties_ft
        Each at 95 %, feet.

    Returns
    -------
    float
        Their joint uncertainty at 95 %, feet; 0 of none.

    Examples
    --------
    >>> rss(3.0, 4.0)
    5.0
    """
    return math.hypot(*uncertainties_ft)


def judge(measured: Measured, limit_ft: float, *, at_most: bool) -> Verdict:
    """Hold a measured length against a limit.

    A length that is just the limit complies. So it complies if its whole span, value less to value plus uncertainty,
    does, violates if none of the span complies, and is undecided else.

    Parameters
    ----------
    measured
        The length.
    limit_ft
        The limit, feet.
    at_most
        Whether the law says "not more than" the limit; else "at least".

    Returns
    -------
    Verdict
        The verdict.

    Examples
    --------
    >>> judge(Measured(50.0, 0.0), 50.0, at_most=True), judge(Measured(49.0, 2.0), 50.0, at_most=True)
    (<Verdict.COMPLIES: 'complies'>, <Verdict.UNDECIDED: 'undecided'>)
    """
    past = measured.value_ft - limit_ft if at_most else limit_ft - measured.value_ft
    if past + measured.uncertainty_ft <= _NOISE_FT:
        return Verdict.COMPLIES
    if past - measured.uncertainty_ft > _NOISE_FT:
        return Verdict.VIOLATES
    return Verdict.UNDECIDED
