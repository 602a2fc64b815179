"""The account of what the Village spends in a person's stead (§ 288-7 F): lines in exact cents, the bill, the tax roll.

"... any Village enforcement official shall cause the removal of the obstruction, keeping an account of the expense of
the abatement, any such expenses shall be charged to and paid by such property owner." Every kind of case that ends in
an expense uses this account; sums are of whole cents, so that they always add up.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from app.auth import Permission
from app.case_facts import Asked, Facts, dollars
from app.casework import Clock, Course, Leads, Matter, Step, Taken, day_of, happened_at, stays, to
from app.clock_rules import RULES, due
from app.clocks import Deadline, said_day
from app.registers import Row
from gis.errors import StreetsError

Json = dict[str, Any]
ABATED = "abated"
"""The state in which there is an account."""


# --- the account ---


def lines(course: Course) -> list[Row]:
    """Return the lines of the account that stand, by the day on which each was incurred."""
    struck = {event["facts"]["line"] for event in course.of("strike")}
    standing = [event for event in course.of("expense") if event["id"] not in struck]
    return sorted(standing, key=lambda event: (event["facts"]["incurred_on"], event["id"]))


def total(course: Course) -> int:
    """Return the sum of the account, cents."""
    return sum(event["facts"]["cents"] for event in lines(course))


def paid(course: Course) -> int:
    """Return what was paid, cents."""
    return sum(event["facts"]["cents"] for event in course.of("paid"))


def balance(course: Course) -> int:
    """Return what is unpaid, cents; below 0 where more was paid than is owed."""
    return total(course) - paid(course)


def incurred(course: Course) -> date | None:
    """Return the day from which the 60 days are counted: that of the first line, so that no line is late."""
    first = next(iter(lines(course)), None)
    return date.fromisoformat(first["facts"]["incurred_on"]) if first else None


# --- clocks ---


def payable(matter: Matter) -> Deadline | None:
    """Return the 10 calendar days from the receipt of the bill; None before it is on record."""
    received = matter.course.latest("received")
    return due("bill_payable", day_of(received), matter.counting) if received else None


def roll_by(matter: Matter) -> Deadline | None:
    """Return the last day to enter the charges, 60 days after they were incurred; None without an account."""
    first = incurred(matter.course)
    return due("tax_roll", first, matter.counting) if first else None


def clocks(matter: Matter) -> list[Clock]:
    """Return the clocks of a bill: its 10 days, and the 60 days of the tax roll.

    Parameters
    ----------
    matter
        The case.

    Returns
    -------
    list of Clock
        Done once nothing is unpaid, or the charges are entered.
    """
    course, found = matter.course, list[Clock]()
    entered = course.latest("enter")
    done = entered["at"] if entered else _settled_at(course)
    bill = payable(matter)
    if bill is not None:
        found.append(Clock("payable", RULES["bill_payable"].title, "", bill, "", "owner", done))
    roll = roll_by(matter)
    if (roll is not None and balance(course) > 0) or (roll is not None and done):
        found.append(Clock("tax_roll", RULES["tax_roll"].title, "", roll, "", "clerk", done))
    return found


def _settled_at(course: Course) -> Any:
    """Return when nothing was unpaid any more; None while something is, or nothing was ever owed."""
    if not lines(course) or balance(course) > 0:
        return None
    last = max((*course.of("paid"), *course.of("strike")), key=happened_at, default=None)
    return last["at"] if last else None


# --- steps ---


def _expense(taken: Taken) -> Facts:
    facts = dict(taken.facts)
    day = date.fromisoformat(facts.setdefault("incurred_on", taken.day.isoformat()))
    if day > taken.day:
        raise StreetsError.of("incurred_on", said_day(day), f"a day until {said_day(taken.day)}: it has been incurred")
    began = taken.matter.course.first("serve") or taken.matter.course.first("order")
    if began is not None and day < day_of(began):
        expected = f"a day from {said_day(day_of(began))} on: an expense of the abatement is not incurred before it"
        raise StreetsError.of("incurred_on", said_day(day), expected)
    if facts["cents"] == 0:
        raise StreetsError.of("cents", dollars(0), "an amount above $0.00")
    return facts


def _strike(taken: Taken) -> Facts:
    line = next((one for one in lines(taken.matter.course) if one["id"] == taken.facts["line"]), None)
    if line is None:
        known = ", ".join(str(one["id"]) for one in lines(taken.matter.course)) or "none"
        raise StreetsError.of("line", taken.facts["line"], f"a line that stands: {known}")
    return taken.facts


def _bill(taken: Taken) -> Facts:
    owed = balance(taken.matter.course)
    if owed <= 0:
        raise StreetsError.of("expense", dollars(owed), "an account with something unpaid, before it is billed")
    return taken.facts | {"cents": owed, "lines": [one["id"] for one in lines(taken.matter.course)]}


def _mailed(taken: Taken) -> Facts:
    if taken.matter.course.first("bill") is None and not taken.reason:
        raise StreetsError.of("reason", "nothing", "the bill to be issued here first, or which one, written elsewhere")
    return taken.facts


def _received(taken: Taken) -> Facts:
    _mailed(taken)
    billed = taken.matter.course.first("bill")
    if billed is not None and taken.day < day_of(billed):
        expected = f"on or after {said_day(day_of(billed))}, when the bill was issued"
        raise StreetsError.of("at", said_day(taken.day), expected)
    return taken.facts


def _paid(taken: Taken) -> Facts:
    owed = balance(taken.matter.course)
    if not 0 < taken.facts["cents"] <= owed:
        raise StreetsError.of("cents", dollars(taken.facts["cents"]), f"an amount up to the {dollars(owed)} unpaid")
    return taken.facts


def enter(taken: Taken) -> Facts:
    """Let the charges be entered where the bill is unpaid after its days; what is missing is kept as a finding.

    "The failure of the Village Clerk-Treasurer to record such claim or to mail such notice or the failure of the owner
    to receive such notice shall not affect the right to place the Village expense on the tax rolls".
    """
    matter, owed = taken.matter, balance(taken.matter.course)
    if owed <= 0:
        raise StreetsError.of("cents", dollars(owed), "something unpaid (§ 288-7 F(1))")
    bill, findings = payable(matter), []
    if bill is not None and bill.over(taken.at) is False:
        assert bill.day is not None
        expected = f"a day after {said_day(bill.day)}: the bill is payable until then (§ {bill.section})"
        raise StreetsError.of("at", said_day(taken.day), expected)
    if bill is not None and bill.over(taken.at) is None and not taken.reason:
        told = f"why it is entered already: under the other reading {bill.alternative_reading}"
        raise StreetsError.of("reason", "nothing", told)
    records = {"bill": "No bill was issued here", "mailed": "No mailing of the bill is on record"}
    records["received"] = "No receipt of the bill is on record"
    missing = [words for what, words in records.items() if matter.course.first(what) is None]
    findings += [f"{words}: § 288-7 F(2) does not let that affect the right to enter the charges." for words in missing]
    roll = roll_by(matter)
    if roll is not None and roll.passed(taken.at):
        assert roll.day is not None
        findings.append(f"The 60 days ended on {said_day(roll.day)} (§ {roll.section}): the text is obscure.")
    check_roll(taken)
    return taken.facts | {"cents": owed, "findings": findings}


def check_roll(taken: Taken) -> None:
    """Refuse the roll of a year before the costs were incurred.

    Raises
    ------
    StreetsError
        It is one.
    """
    first, roll = incurred(taken.matter.course), taken.facts.get("roll")
    if roll is not None and first is not None and roll < first.year:
        raise StreetsError.of("roll", roll, f"the tax roll of {first.year} or later: the costs were incurred then")


def _settles(course: Course, event: Row) -> Course:
    """Close the case when what stands on the account is paid."""
    after = stays(course, event)
    return to("paid")(course, event) if paid(after) > 0 and balance(after) <= 0 else after


SETTLES: Leads = _settles


def steps(*, where: frozenset[str] = frozenset({ABATED})) -> dict[str, Step]:
    """Return the steps of an account.

    Parameters
    ----------
    where
        The states in which there is one.

    Returns
    -------
    dict
        By name: expense, strike, bill, mailed, received, paid, enter.
    """
    return {
        "expense": Step(
            "Add an expense", "Expense", Permission.TAX_ROLL, where, stays, "288-7 F(1)",
            (
                Asked("what", "What it was spent on", needed=True, most=200),
                Asked("cents", "Amount", "In dollars", type="cents", needed=True),
                Asked("incurred_on", "Day on which it was incurred", "That of the entry where left empty", type="day"),
                Asked("quantity", "How much", "Such as 2 hours", most=60, aside=True),
            ),
            _expense, any_time=True,
        ),
        "strike": Step(
            "Strike an expense", "Expense struck", Permission.TAX_ROLL, where, SETTLES, "288-7 F(1)",
            (Asked("line", "Number of the line", "Of its event in the time line", type="count", needed=True),), _strike,
            reason=True, any_time=True,
        ),
        "bill": Step(
            "Issue the bill", "Bill issued", Permission.TAX_ROLL, where, stays, "288-7 F(1)",
            (
                Asked("addressee", "To the owner of the premises", "Name, and where it goes; a line each", long=True,
                      private=True, most=606, lines=6),
            ),
            _bill, undoable=False, document="bill",
            help="“Notice of the bill for abatement of the obstruction shall be mailed to the owner of the premises.”",
        ),
        "mailed": Step(
            "Record that the bill was mailed", "Bill mailed", Permission.TAX_ROLL, where, stays, "288-7 F(1)",
            check=_mailed, any_time=True, offers_reason=True,
        ),
        "received": Step(
            "Record the receipt of the bill", "Bill received", Permission.TAX_ROLL, where, stays, "288-7 F(1)",
            (Asked("how", "How it is known", most=200, private=True),), _received, any_time=True, offers_reason=True,
            help="“payable within 10 calendar days from receipt thereof”: they begin with the receipt.",
        ),
        "paid": Step(
            "Record a payment", "Paid", Permission.TAX_ROLL, where, SETTLES, "288-7 F(1)",
            (
                Asked("cents", "Amount", "In dollars", type="cents", needed=True),
                Asked("receipt", "Number of the receipt", most=60),
            ),
            _paid,
        ),
        "enter": Step(
            "Enter it on the tax roll", "Entered on the tax roll", Permission.TAX_ROLL, where, to("rolled"),
            "288-7 F(1)", (Asked("roll", "Tax roll of the year", type="count"),), enter, offers_reason=True,
        ),
    }  # fmt: skip
