"""Measured lengths against a legal limit: a value, its uncertainty, and what may be claimed of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from shapely.geometry.base import BaseGeometry

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
    """What a measured quantity says of a limit: `UNDECIDED` where its uncertainty leaves both open.

    `OFFICER` is a matter that the law leaves to an officer, with the facts; `NOT_CHECKED` one that nothing was given
    for. Neither counts towards the verdict of a check.
    """

    COMPLIES = "complies"
    VIOLATES = "violates"
    UNDECIDED = "undecided"
    OFFICER = "officer"
    NOT_CHECKED = "not_checked"


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


@dataclass(frozen=True)
class Judged:
    """One quantity of a check, held against its limit.

    Parameters
    ----------
    quantity
        Its name with its unit, such as ``"setback_in"``.
    verdict
        What may be claimed.
    section
        The section of the law, such as ``"§ 288-10 D(7)"``.
    value, uncertainty, limit
        The value, its uncertainty at 95 % and the limit, in `unit`; None where there is none.
    unit
        ``"in"``, ``"ft"``, ``"sq ft"``, ``"share"``, or ``""`` for a word.
    margin
        How far the value is on the lawful side of the limit; below 0 past it; None where that has no meaning.
    settles
        Which measurement, record or person would decide what is open; ``""`` where nothing is.
    note
        What was found, or how the law was read, in words.
    """

    quantity: str
    verdict: Verdict
    section: str
    value: float | str | None = None
    uncertainty: float | None = None
    limit: float | str | None = None
    unit: str = ""
    margin: float | None = None
    settles: str = ""
    note: str = ""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A part of a check's construction, to be drawn on its map.

    Parameters
    ----------
    role
        What it stands for: ``"object"``, ``"limit"``, ``"gap"``, ``"measured"``, ``"terrace"`` and so on.
    label
        What is written beside it.
    shape
        Working CRS, US survey feet.
    assumed
        Whether it rests on an assumed width or line.
    """

    role: str
    label: str
    shape: BaseGeometry
    assumed: bool = False


@dataclass(frozen=True)
class Checked:
    """What a check found: its rows, in the order they are told, and its construction.

    Parameters
    ----------
    rows
        One for each quantity.
    drawn
        What is drawn.
    notes
        What is said of the check as a whole.
    """

    rows: tuple[Judged, ...]
    drawn: tuple[Drawn, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst of the rows that count."""
        return worst(row.verdict for row in self.rows)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst verdict: violates, undecided, complies; else officer, else not checked.

    Parameters
    ----------
    verdicts
        Of the rows of a check.

    Returns
    -------
    Verdict
        `NOT_CHECKED` of none.

    Examples
    --------
    >>> worst([Verdict.COMPLIES, Verdict.OFFICER]), worst([Verdict.COMPLIES, Verdict.UNDECIDED])
    (<Verdict.COMPLIES: 'complies'>, <Verdict.UNDECIDED: 'undecided'>)
    """
    order = (Verdict.VIOLATES, Verdict.UNDECIDED, Verdict.COMPLIES, Verdict.OFFICER)
    found = set(verdicts)
    return next((verdict for verdict in order if verdict in found), Verdict.NOT_CHECKED)


def held(
    quantity: str,
    measured: Measured,
    limit_ft: float,
    section: str,
    *,
    at_most: bool,
    unit: str = "ft",
    settles: str = "",
    note: str = "",
) -> Judged:
    """Hold a measured quantity against its limit and return the row that tells it.

    Parameters
    ----------
    quantity
        Its name with its unit.
    measured
        The value; feet, or a share where `unit` is ``"share"``.
    limit_ft
        The limit in the same.
    section
        Of the law.
    at_most
        Whether the law says "not more than" the limit; else "at least".
    unit
        What the row is told in: ``"in"`` turns feet into inches.
    settles
        What would decide it; kept only where it is undecided.
    note
        In words.

    Returns
    -------
    Judged
        The row.

    Examples
    --------
    >>> row = held("setback_in", Measured(0.5, 0.0), 0.5, "§ 288-10 D(7)", at_most=False, unit="in")
    >>> str(row.verdict), row.value, row.margin
    ('complies', 6.0, 0.0)
    """
    verdict = judge(measured, limit_ft, at_most=at_most)
    scale = 12.0 if unit == "in" else 1.0
    past = measured.value_ft - limit_ft if at_most else limit_ft - measured.value_ft
    return Judged(
        quantity,
        verdict,
        section,
        value=measured.value_ft * scale,
        uncertainty=measured.uncertainty_ft * scale,
        limit=limit_ft * scale,
        unit=unit,
        margin=-past * scale if past else 0.0,
        settles=settles if verdict is Verdict.UNDECIDED else "",
        note=note,
    )
