"""The list for the tax roll: what is unpaid of every account of expense, its last day, and on what it stands.

§ 288-7 F(1) enters a special tax within 60 days after the costs were incurred and remain unpaid; § 288-8 F enters a
special charge on the next annual tax roll.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy.engine import Connection

from app import casebook, expense, registers
from app.case_facts import Facts
from app.case_tables import cases
from app.casework import Matter
from app.clocks import LOCAL, Deadline
from app.expense import ABATED

Json = dict[str, Any]
BASES = {
    "special_tax": "Special tax, § 288-7 F(1)",
    "special_charge": "Special charge on the next annual tax roll, § 288-8 F",
}
"""On what an amount is entered."""


@dataclass(frozen=True)
class Owed:
    """A row of the list.

    Parameters
    ----------
    matter
        The case.
    owner
        Of the premises, as it was recorded; ``""`` where it was not.
    cents
        What is unpaid, or was entered.
    incurred
        The first day on which costs were incurred.
    last
        The last day to enter it, both readings; None for the next annual tax roll.
    basis
        A key of `BASES`.
    opens
        Why it cannot be entered yet, or ``""``.
    entered
        When it was entered; None where it was not.
    bill
        The number of the bill, or ``""``.
    """

    matter: Matter
    owner: str
    cents: int
    incurred: date
    last: Deadline | None
    basis: str
    opens: str
    entered: datetime | None
    bill: str


def owed(connection: Connection, now: datetime, *, entered_in: int = 0) -> list[Owed]:
    """Return what is to be entered on the tax roll, what is due first before the rest.

    Parameters
    ----------
    connection
        To the register.
    now
        The instant.
    entered_in
        Also what was entered in this year; 0 for none.

    Returns
    -------
    list of Owed
        Accounts with nothing unpaid are left out.
    """
    wanted = [ABATED, *(["rolled"] if entered_in else [])]
    since = datetime(entered_in or now.year, 1, 1, tzinfo=LOCAL)
    fresh = cases.c.closed_at.is_(None) | (cases.c.closed_at >= since)
    rows = registers.rows(connection, cases, cases.c.kind == "obstruction", cases.c.state.in_(wanted), fresh)
    found = []
    for start in range(0, len(rows), registers.AT_ONCE):
        for matter in casebook.matters_of(connection, rows[start : start + registers.AT_ONCE], now):
            one = _owed(matter, now)
            if one and (one.entered is None or one.entered.astimezone(LOCAL).year == entered_in):
                found.append(one)
    return sorted(found, key=_order)


def _order(one: Owed) -> tuple[bool, date, int]:
    last = one.last.day if one.last and one.last.day else date.max
    return one.entered is not None, last, one.matter.case["id"]


def _owed(matter: Matter, now: datetime) -> Owed | None:
    course, first = matter.course, expense.incurred(matter.course)
    cents = expense.balance(course)
    if first is None or cents <= 0:
        return None
    seen: Facts = course.said("report")
    lawful = seen.get("path") == "permit"
    entered, billed = course.latest("enter"), course.latest("bill")
    return Owed(
        matter,
        " ".join(seen.get("owner", "").split("\n")),
        cents,
        first,
        None if lawful else expense.roll_by(matter),
        "special_charge" if lawful else "special_tax",
        "" if lawful or entered else _waits(matter, now),
        entered["at"] if entered else None,
        billed["facts"].get("number", "") if billed else "",
    )


def _waits(matter: Matter, now: datetime) -> str:
    bill = expense.payable(matter)
    if bill is not None and bill.over(now) is False:
        assert bill.day is not None
        return f"the bill is payable until {bill.day.isoformat()}"
    return "" if bill is not None else "no receipt of the bill is on record; it may be entered all the same (F(2))"


def told(rows: list[Owed]) -> Json:
    """Return the list as the API gives it, with exact sums.

    Parameters
    ----------
    rows
        As `owed` gives them.

    Returns
    -------
    dict
        ``items``, ``total_cents``, and ``by_basis``: cents of each basis.
    """
    items = [
        {
            "case": one.matter.case["id"],
            "place": one.matter.case["place"],
            "owner": one.owner,
            "cents": one.cents,
            "incurred_on": one.incurred.isoformat(),
            "last_day": one.last.day.isoformat() if one.last and one.last.day else None,
            "other_last_day": _other(one.last),
            "basis": BASES[one.basis],
            "basis_key": one.basis,
            "bill": one.bill,
            "waits": one.opens,
            "entered_at": one.entered.isoformat() if one.entered else None,
        }
        for one in rows
    ]
    sums = {basis: sum(one.cents for one in rows if one.basis == basis) for basis in BASES}
    return {"items": items, "total_cents": sum(one.cents for one in rows), "by_basis": sums}


def _other(last: Deadline | None) -> str | None:
    return last.alternative.isoformat() if last and last.alternative else None
