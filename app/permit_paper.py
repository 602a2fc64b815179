"""A permit for the street as a document: what was allowed to whom, where, until when, on which conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from types import MappingProxyType

from app.case_facts import dollars
from app.clocks import Deadline, said_day, said_instant
from app.duties import Quoted, due_day, valued
from app.law import Law, law_on
from app.paper import Paper, Part, Row, Type
from app.paper_parts import LAW, QUIET, STRONG, TEXT, side_by_side
from app.street_paper import (
    Measured,
    StreetSheet,
    deadline_lines,
    drafted,
    headline,
    law_rows,
    measured_part,
    plain_rows,
    sectioned,
    street_map,
    street_paper,
)

FEE_NOT_SET = "fee not set (§ 173-1)"
PLUS_EXPENSES = "plus actual Village expenses"
"""What § 288-5 F(2) adds to the fee; § 288-8 C says costs."""
PLUS_COSTS = "plus any actual Village costs"


@dataclass(frozen=True)
class Fee:
    """What a permit costs.

    Parameters
    ----------
    cents
        The amount; 0 where the law asks none, None where the Village has set none.
    plus
        What the law adds to it, in its words, or ``""``.
    receipt
        The number of the receipt, or ``""``.
    """

    cents: int | None
    plus: str = ""
    receipt: str = ""


@dataclass(frozen=True)
class Condition:
    """A condition of a permit: in words, its section, the law's own words, and how a slip of the text was read.

    Parameters
    ----------
    text
        What must be done.
    section
        Of the law; ``""`` for one that an official attached.
    quotation
        The law's own words, or ``""``.
    slip
        What is to be said of a slip in them, or ``""``.
    """

    text: str
    section: str
    quotation: str = ""
    slip: str = ""


@dataclass(frozen=True)
class Decided:
    """A decision that the law leaves to an officer: who took it and when, what, why, and the section that allows it."""

    by: str
    at: datetime
    what: str
    reason: str
    section: str


@dataclass(frozen=True)
class Remaining:
    """What remains to be done, its section, and by when; None where the law gives no day, or none runs yet."""

    what: str
    section: str
    deadline: Deadline | None


@dataclass(frozen=True)
class PermitPaper:
    """What a permit says.

    Parameters
    ----------
    number, kind, section
        Its number, what kind it is, and the section it is given under.
    applicant
        Name, agent, address: lines.
    location, nature, method
        Of the work; ``""`` where the law does not ask.
    first_day, first_note
        The first day it allows work, and why that day, or ``""``.
    last
        Its last day, how it was counted and both readings; None where it has none.
    fee
        What it costs.
    office
        The office that issues it.
    conditions, decisions, findings, remaining
        What it depends on, what was decided, what was measured, what is still to be done.
    """

    number: str
    kind: str
    section: str
    applicant: tuple[str, ...]
    location: str
    nature: str
    method: str
    first_day: date | None
    first_note: str
    last: Deadline | None
    fee: Fee
    office: str
    conditions: tuple[Condition, ...] = ()
    decisions: tuple[Decided, ...] = ()
    findings: tuple[Measured, ...] = ()
    remaining: tuple[Remaining, ...] = ()


ORDINANCE: Mapping[str, Quoted] = MappingProxyType(
    {
        "specifications": Quoted(
            "288-4 D",
            "All sidewalks within the Village of Benton hereafter shall be repaired, rebuilt, and constructed in "
            'accordance with the publication "Standard Specifications for Public Works," on file in the office of the '
            "Village Clerk-Treasurer.",
        ),
        "standards": Quoted(
            "288-5 F(1)",
            "All street work shall be performed in accordance with the current standard specifications for street "
            "openings found in this section and § 288-6. Any damaged curb and gutter, sidewalk or grass-covered area "
            "shall be restored to the condition prior to damage.",
        ),
        "opening_fee": Quoted(
            "288-5 F(2)",
            "The fee for a street opening permit shall be as prescribed in § 173-1, Fee schedule, plus actual Village "
            "expenses. Permit fees shall be paid to the Village Clerk-Treasurer who shall issue his/her receipt "
            "therefor.",
        ),
        "privilege_fee": Quoted(
            "288-8 C",
            "The fee for a street privilege permit shall be as prescribed in § 173-1, Fee schedule, plus any actual "
            "Village costs.",
        ),
        "revocation": Quoted(
            "288-8 D",
            "The permission to occupy or obstruct the streets, alleys, sidewalks or public grounds is intended only "
            "for use in connection with the actual erection, alteration, repair, removal or moving of buildings or "
            "structures and shall be given upon the following terms and conditions and subject to revocation without "
            "notice by the Village Board, Director of Public Works, Chief of Police/Officer in Charge, or Building "
            "Inspector for violation thereof:",
        ),
    }
)
"""Sentences of §§ 288-4, 288-5 and 288-8 that no number of the law file stands in, word for word."""


def permit_paper(sheet: StreetSheet, permit: PermitPaper) -> bytes:
    """Write a permit with its conditions and map.

    Parameters
    ----------
    sheet
        What it shares with the other documents of a street.
    permit
        What it says.

    Returns
    -------
    bytes
        A PDF of letter pages: on the first who may do what, where and until when, and the map; then the conditions,
        what was measured and decided, what remains to be done, and the law's words.
    """

    def write(paper: Paper) -> None:
        headline(paper, f"{permit.kind} {permit.number}")
        side_by_side(paper, _summary(permit))
        drafted(paper, sheet)
        paper.write_part(Part("What is permitted", plain_rows(_what(sheet, permit))))
        street_map(paper, sheet)
        for part in _parts(permit, law_on(sheet.law_date)):
            paper.write_part(part)

    return street_paper(sheet, write)


def fee_line(fee: Fee) -> str:
    """Write what a permit costs.

    Examples
    --------
    >>> fee_line(Fee(None, PLUS_EXPENSES)), fee_line(Fee(2500, PLUS_EXPENSES)), fee_line(Fee(0))
    ('fee not set (§ 173-1), plus actual Village expenses', '$25.00, plus actual Village expenses', 'no fee')
    """
    amount = FEE_NOT_SET if fee.cents is None else dollars(fee.cents) if fee.cents else "no fee"
    return f"{amount}, {fee.plus}" if fee.plus else amount


def _summary(permit: PermitPaper) -> tuple[tuple[str, str, str], ...]:
    last, first = permit.last, permit.first_day
    other = "under another reading another day: see How long" if last and last.alternative else ""
    amount = fee_line(replace(permit.fee, plus=""))
    receipt = f"receipt {permit.fee.receipt}" if permit.fee.receipt else ""
    return (
        ("From", said_day(first) if first else "not fixed", ""),
        ("Through", due_day(last) if last else "not fixed", other),
        ("Fee", amount, "; ".join(part for part in (permit.fee.plus, receipt) if part)),
    )


def _what(sheet: StreetSheet, permit: PermitPaper) -> tuple[tuple[str, str], ...]:
    return (
        ("To", "\n".join(permit.applicant)),
        ("Where", permit.location if permit.location == sheet.place else f"{sheet.place}\n{permit.location}"),
        ("What", permit.nature),
        ("How", permit.method),
        ("Under", sectioned(permit.section)),
        ("Issued by", permit.office),
    )


def _parts(permit: PermitPaper, law: Law) -> list[Part]:
    parts = [_how_long(permit)] if permit.first_day or permit.last else []
    parts += [Part("Conditions", tuple(_condition(k, c) for k, c in enumerate(permit.conditions, start=1)))]
    parts += measured_part("What was measured", permit.findings)
    parts += [Part("What was decided", tuple(map(_decision, permit.decisions)))]
    parts += [Part("What remains to be done", tuple(map(_still, permit.remaining)))]
    parts += [Part("The law's words", law_rows(_law(permit, law)))]
    return [part for part in parts if part.rows]


def _how_long(permit: PermitPaper) -> Part:
    rows = []
    if permit.first_day:
        rows.append(Row("From", ((said_day(permit.first_day), STRONG), (permit.first_note, TEXT))))
    if permit.last:
        rows.append(Row("Through", tuple(deadline_lines(permit.last)), sectioned(permit.last.section)))
    return Part("How long", tuple(rows))


def _condition(number: int, condition: Condition) -> Row:
    lines = [(f"{number}. {condition.text}", TEXT)]
    lines += [(f"“{condition.quotation}”", LAW)] if condition.quotation else []
    lines += [(condition.slip, QUIET)] if condition.slip else []
    return Row(sectioned(condition.section) or "Attached", tuple(lines))


def _decision(decided: Decided) -> Row:
    lines = [(decided.what, STRONG), (decided.reason, TEXT), (f"{decided.by}, {said_instant(decided.at)}", QUIET)]
    return Row(sectioned(decided.section), tuple(lines))


def _still(task: Remaining) -> Row:
    by = deadline_lines(task.deadline) if task.deadline else [("No day runs yet.", QUIET)]
    return Row(sectioned(task.section), ((task.what, Type(9.0, "B")), *by))


def _law(permit: PermitPaper, law: Law) -> tuple[Quoted, ...]:
    """Return the sentences that a permit of its section stands on."""
    section = permit.section.lstrip("§ ")
    if section.startswith("288-8"):
        return (ORDINANCE["revocation"], valued(law, "privilege_months"), ORDINANCE["privilege_fee"])
    if section.startswith("288-5"):
        return (valued(law, "opening_valid_days"), ORDINANCE["standards"], ORDINANCE["opening_fee"])
    return (valued(law, "sidewalk_permit_days"), valued(law, "sidewalk_fee_cents"), ORDINANCE["specifications"])
