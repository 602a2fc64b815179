"""What the removal of an obstruction cost: the bill to the owner, and the list for the tax roll (§§ 288-7 F, 288-8 F).

Amounts are whole cents and are added as such.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from app.case_facts import dollars
from app.clocks import Deadline, said_day
from app.duties import Duty, due_day, readings, valued
from app.duties import said as said_of
from app.law import Law, law_on
from app.paper import INNER, LEFT, RIGHT, Paper, Part, Type
from app.paper_parts import LAW, QUIET, TEXT, Column, side_by_side, table, told_duties
from app.street_paper import (
    ORDINANCE,
    StreetSheet,
    addressed,
    blank_lines,
    drafted,
    headline,
    plain_rows,
    street_map,
    street_paper,
)
from gis.errors import StreetsError

BASES: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "special_tax": ("288-7 F(1)", "special tax", "tax_roll_days"),
        "special_charge": ("288-8 F", "special charge on the next annual tax roll", "board_removal_hours"),
    }
)
"""On what an amount goes on the tax roll: the section, what it is entered as, and the law's number beside its words."""


@dataclass(frozen=True)
class Expense:
    """A line of the account of expense: the day, what was done, how much of it or ``""``, and the amount in cents."""

    day: date
    what: str
    quantity: str
    cents: int


@dataclass(frozen=True)
class Bill:
    """What a bill for the abatement of an obstruction says.

    Parameters
    ----------
    case_no, bill_no
        The case and the bill.
    addressee
        The owner of the premises, and where it goes; lines apart.
    premises, obstruction
        What adjoins, and what was removed.
    how
        How the costs were incurred: the notice, its service, the removal; sentences, lines apart.
    lines
        The account of the expense.
    incurred_on
        The day the costs were incurred.
    received_on, payable
        The day the bill was received and the last day to pay; None before that is on record.
    tax_roll
        The last day to enter what stays unpaid, and how it was counted.
    pay_to
        Where and how it is paid, as the Village says, or ``""``.
    """

    case_no: str
    bill_no: str
    addressee: str
    premises: str
    obstruction: str
    how: str
    lines: tuple[Expense, ...]
    incurred_on: date
    received_on: date | None
    payable: Deadline | None
    tax_roll: Deadline | None
    pay_to: str = ""

    @property
    def cents(self) -> int:
        """The total, in cents."""
        return sum(line.cents for line in self.lines)


@dataclass(frozen=True)
class Charge:
    """A row of the list for the tax roll.

    Parameters
    ----------
    case_no, bill_no
        The case, and its bill or ``""``.
    parcel, owner
        The property and whose it is.
    incurred_on
        The day the costs were incurred.
    cents
        The amount.
    last
        The last day to enter it; None for the next annual tax roll.
    basis
        A key of `BASES`.
    """

    case_no: str
    bill_no: str
    parcel: str
    owner: str
    incurred_on: date
    cents: int
    last: Deadline | None
    basis: str

    def __post_init__(self) -> None:
        if self.basis not in BASES:
            raise StreetsError.of("basis", self.basis, f"one of {', '.join(BASES)}")


@dataclass(frozen=True)
class TaxRoll:
    """The list for the tax roll: as it stood at the end of a day."""

    as_of: date
    rows: tuple[Charge, ...]

    @property
    def cents(self) -> int:
        """The total, in cents."""
        return sum(row.cents for row in self.rows)


# --- the bill ---

_ACCOUNT = (Column("Day", 1.5), Column("What", 4.0), Column("Quantity", 1.5), Column("Amount", 1.4, "R"))


def bill(sheet: StreetSheet, said: Bill) -> bytes:
    """Write the bill for the abatement of an obstruction.

    Parameters
    ----------
    sheet
        What it shares with the other documents of a street.
    said
        What it says.

    Returns
    -------
    bytes
        A PDF of letter pages: the total and by when it is payable, the account, what follows, the law's words.
    """
    law = law_on(sheet.law_date)

    def write(paper: Paper) -> None:
        known = (("Bill", said.bill_no), ("Case", said.case_no))
        addressed(paper, sheet, f"To the owner of the premises\n{said.addressee}", known)
        headline(paper, f"Bill for the abatement of an obstruction: {dollars(said.cents)}")
        side_by_side(paper, _summary(said, law))
        drafted(paper, sheet)
        paper.write_part(Part("What was removed, and how the costs were incurred", plain_rows(_why(said))))
        _account(paper, said)
        paper.write_part(told_duties("What the ordinance says", _duties(said, law)))
        street_map(paper, sheet)

    return street_paper(sheet, write)


def _why(said: Bill) -> tuple[tuple[str, str], ...]:
    return (
        ("Premises", said.premises),
        ("Removed", said.obstruction),
        ("How", said.how),
        ("Incurred", said_day(said.incurred_on)),
        ("Pay", said.pay_to),
    )


def _summary(said: Bill, law: Law) -> tuple[tuple[str, str, str], ...]:
    days = int(law["bill_days"].value)
    payable = due_day(said.payable) if said.payable else f"within {days} calendar days"
    received = f"received {said_day(said.received_on)}" if said.received_on else "from its receipt"
    received += f"; {_or(said.payable)}" if _or(said.payable) else ""
    roll = due_day(said.tax_roll) if said.tax_roll else "no day runs yet"
    return (
        ("Total", dollars(said.cents), f"incurred {said_day(said.incurred_on)}"),
        ("Payable", payable, received),
        ("If unpaid, on the tax roll by", roll, _or(said.tax_roll)),
    )


def _or(deadline: Deadline | None) -> str:
    """Say the day of the other reading, where it differs."""
    return f"or {said_of(deadline.alternative)}, under another reading" if deadline and deadline.alternative else ""


def _account(paper: Paper, said: Bill) -> None:
    paper.room(90.0)
    paper.put("Account of the expense", Type(11.0, "B"))
    paper.gap(4)
    rows = ((said_day(line.day), line.what, line.quantity, dollars(line.cents)) for line in said.lines)
    table(paper, _ACCOUNT, rows)
    _sum(paper, "Total", said.cents)
    paper.gap(8)


def _sum(paper: Paper, label: str, cents: int) -> None:
    """Write a sum under the amounts of a table."""
    kind = Type(9.5, "B")
    paper.room(kind.line + 4)
    amount = dollars(cents)
    wide = paper.width_of(amount, kind) + 12
    paper.at(label, kind, LEFT, paper.y, INNER - wide)
    paper.at(amount, kind, RIGHT - wide, paper.y, wide, align="R")
    paper.gap(kind.line + 4)


def _duties(said: Bill, law: Law) -> tuple[Duty, ...]:
    days = int(law["bill_days"].value)
    pay, roll = said.payable, said.tax_roll
    counted = (pay.counted, *readings(pay)) if pay else (f"The {days} days begin with your receipt of this bill.",)
    obscure = (
        "The text is obscure: “Within 60 days after such costs and expenses are incurred and remain unpaid” is read as "
        "a last day."
    )
    after = (f"{due_day(roll)}. {roll.counted}", *readings(roll)) if roll else ()
    return (
        Duty("You are charged with the expense", (), (ORDINANCE["charged"],)),
        Duty(f"Payable within {days} calendar days from receipt", counted, (valued(law, "bill_days"),)),
        Duty(
            "Afterwards: the tax roll",
            (*after, obscure),
            (valued(law, "tax_roll_days"), ORDINANCE["unrecorded"]),
        ),
    )


# --- the list for the tax roll ---

_ROLL = (
    Column("Case, bill", 62.0),
    Column("Property", 98.0),
    Column("Owner", 90.0),
    Column("Incurred", 76.0),
    Column("Enter by", 76.0),
    Column("Amount", 62.0, "R"),
)


def tax_roll_list(sheet: StreetSheet, roll: TaxRoll) -> bytes:
    """Write the list of what is to be entered on the tax roll.

    Parameters
    ----------
    sheet
        What it shares with the other documents of a street.
    roll
        What it says.

    Returns
    -------
    bytes
        A PDF of letter pages: the amounts by the section they stand on, each with its sum, and the sum of all.
    """
    law = law_on(sheet.law_date)

    def write(paper: Paper) -> None:
        headline(paper, f"For the tax roll: {dollars(roll.cents)}")
        paper.put(f"{_amounts(len(roll.rows))}, as of the end of {said_day(roll.as_of)}.", TEXT)
        paper.gap(8)
        drafted(paper, sheet)
        for basis in BASES:
            found = [row for row in roll.rows if row.basis == basis]
            if found:
                _of_basis(paper, basis, found, law)
        _sum(paper, "Total of the list", roll.cents)
        paper.gap(10)
        blank_lines(paper, "Entered on the tax roll", ("Day", "Village Clerk-Treasurer"))
        street_map(paper, sheet)

    return street_paper(sheet, write)


def _of_basis(paper: Paper, basis: str, found: list[Charge], law: Law) -> None:
    section, entered, number = BASES[basis]
    paper.room(110.0)
    paper.put(f"§ {section}: {entered}", Type(11.0, "B"))
    paper.put(f"“{law[number].quotation}”", LAW)
    paper.gap(4)
    table(paper, _ROLL, map(_row, found), Type(7.8))
    _sum(paper, f"Sum of § {section}: {_amounts(len(found))}", sum(row.cents for row in found))
    for reading in dict.fromkeys(row.last.reading for row in found if row.last and row.last.alternative):
        paper.put(f"Where two days stand, the second is of another reading. {reading}", QUIET)
    paper.gap(10)


def _amounts(count: int) -> str:
    return "1 amount" if count == 1 else f"{count:,} amounts"


def _row(row: Charge) -> tuple[str, ...]:
    bill_of = f"{row.case_no}, {row.bill_no}" if row.bill_no else row.case_no
    return (bill_of, row.parcel, row.owner, _day(row.incurred_on), _enter_by(row.last), dollars(row.cents))


def _enter_by(last: Deadline | None) -> str:
    if last is None or last.day is None:
        return "the next annual tax roll"
    other = last.alternative
    return f"{_day(last.day)} or {_day(other)}" if other else _day(last.day)


def _day(day: date) -> str:
    """Write a day without its weekday, for which a column of the list has no room."""
    return said_day(day).partition(", ")[2]
