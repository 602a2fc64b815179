"""What the papers of obstruction cases and of repavings say, read off their records; and the list for the tax roll."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from app import expense, obstruction, repaving, slips, tax_roll
from app.bill_paper import Bill, Charge, TaxRoll, bill, tax_roll_list
from app.bill_paper import Expense as Line
from app.case_facts import Facts
from app.casework import Matter, day_of, happened_at
from app.clock_rules import due
from app.clocks import LOCAL, said_day, said_instant
from app.removal_paper import Removal, removal_notice
from app.repaving_paper import Addressee, Repaving, repaving_notice
from app.street_paper import Measured
from app.street_papers import Drawing, sheet

GROUNDS = {"sidewalk": "sidewalk", "street": "street", "alley": "alley", "ground": "grounds", "dedicated": "dedicated"}
_TOLD = ("quantity", "verdict", "value", "section", "note")
NOBODY = "Owner of the premises"


def removal(of: Drawing) -> bytes:
    """Draw the notice to remove an obstruction (§ 288-7 D, E; § 288-8 F)."""
    matter, facts = of.matter, obstruction.seen(of.matter)
    first = matter.course.first("report")
    assert first is not None
    lawful = facts.get("path") == "permit"
    seen = max(matter.course.of("report"), key=happened_at)
    said = Removal(
        case_no=str(matter.case["id"]),
        ground="board" if lawful else GROUNDS[facts["place"]],
        addressee=_addressee(of.facts, facts),
        obstruction=facts["what"],
        obstructs=_obstructs(matter, facts),
        premises=(matter.address or {}).get("full", "") or matter.case["place"],
        seen_on=day_of(seen),
        seen_by=seen["made_by"],
        measured=tuple(_measured(facts)),
        slip=" ".join(slip.told for slip in slips.of("288-8 F")) if lawful else "",
    )
    return removal_notice(sheet(of, "Notice to remove an obstruction"), said)


def _addressee(given: Facts, seen: Facts) -> str:
    whom = given.get("to", "owner")
    known = given.get("addressee") or seen.get(whom, "")
    return known or ("Occupant of the premises" if whom == "occupant" else NOBODY)


def _obstructs(matter: Matter, facts: Facts) -> str:
    where = facts.get("where") or matter.case["place"]
    return f"{obstruction.PLACES[facts['place']].lower()}: {where}"


def _measured(facts: Facts) -> list[Measured]:
    """Return what the check that was kept with the report says, row by row."""
    rows = (facts.get("checked") or {}).get("rows") or ()
    found = []
    for row in (row for row in rows if isinstance(row, dict)):
        name, verdict, value, section, note = (str(row.get(key) or "") for key in _TOLD)
        found.append(Measured(name.replace("_", " "), verdict, value, section or "288-7", note))
    return found


def bill_of(of: Drawing) -> bytes:
    """Draw the bill for the abatement of an obstruction (§ 288-7 F)."""
    matter, course = of.matter, of.matter.course
    facts, first = course.said("report"), expense.incurred(course)
    assert first is not None
    lines = [_line(date.fromisoformat(one["facts"]["incurred_on"]), one["facts"]) for one in expense.lines(course)]
    lines += [
        Line(day_of(one), f"Paid {one['facts'].get('receipt', '')}".strip(), "", -one["facts"]["cents"])
        for one in sorted(course.of("paid"), key=happened_at)
    ]
    said = Bill(
        case_no=str(matter.case["id"]),
        bill_no=of.number,
        addressee=of.facts.get("addressee") or facts.get("owner") or NOBODY,
        premises=(matter.address or {}).get("full", "") or matter.case["place"],
        obstruction=facts.get("what", ""),
        how="\n".join(_how(matter)),
        lines=tuple(lines),
        incurred_on=first,
        received_on=None,
        payable=None,
        tax_roll=expense.roll_by(matter),
    )
    return bill(sheet(of, "Bill of abatement expense"), said)


def _line(day: date, facts: Facts) -> Line:
    return Line(day, facts["what"], facts.get("quantity", ""), facts["cents"])


def _how(matter: Matter) -> list[str]:
    served, removed = matter.course.latest("serve"), matter.course.latest("remove")
    told = []
    if served:
        told.append(f"A notice to remove it within 24 hours was served on {said_instant(served['at'])}.")
    if removed:
        told.append(f"It was not removed, and the Village removed it on {said_day(day_of(removed))}.")
    return told


def repaving_of(of: Drawing) -> bytes:
    """Draw the notice of a repaving to all concerned (§ 288-6 I)."""
    matter, course = of.matter, of.matter.course
    facts, made = repaving.determined(matter), course.first("determine")
    told, improved = course.first("notified", to="all"), course.latest("improved")
    assert made is not None
    street = facts["street"]
    said = Repaving(
        case_no=str(matter.case["id"]),
        street=street,
        limits=facts.get("limits", ""),
        work={"improvement": "permanent improvement"}.get(facts.get("work", ""), "repaving"),
        determined_on=day_of(made),
        act=facts.get("act", ""),
        work_from=due("repaving_from", day_of(made), matter.counting),
        completed_by=due("clearing", day_of(told), matter.counting) if told else None,
        moratorium=due("moratorium", day_of(improved), matter.counting) if improved else None,
        addressee=of.facts.get("addressee", ""),
        utilities=tuple(Addressee(line, "", "utility") for line in repaving.utilities(matter)),
        owners=tuple(
            Addressee(f"Owner of {full}", full, "abutting owner") for full in repaving.abutting(of.connection, street)
        ),
    )
    return repaving_notice(sheet(of, "Notice of a repaving"), said)


def roll_of(of: Drawing, rows: Sequence[tax_roll.Owed], at: datetime) -> bytes:
    """Draw the list for the tax roll."""
    charges = tuple(
        Charge(
            str(one.matter.case["id"]), one.bill, one.matter.case["place"], one.owner, one.incurred, one.cents,
            one.last, one.basis,
        )
        for one in rows
    )  # fmt: skip
    return tax_roll_list(sheet(of, "List for the tax roll"), TaxRoll(at.astimezone(LOCAL).date(), charges))
