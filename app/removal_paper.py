"""The notice to remove an obstruction: by what is obstructed, to whom the law sends it (§§ 288-7 D, E, 288-8 F)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from app.clocks import Deadline, said_day
from app.duties import Duty, Quoted, due_day, readings, valued
from app.law import Law, law_on
from app.paper import Paper, Part
from app.paper_parts import side_by_side, told_duties
from app.street_paper import (
    ORDINANCE,
    Measured,
    StreetSheet,
    addressed,
    blank_lines,
    drafted,
    headline,
    measured_part,
    plain_rows,
    street_map,
    street_paper,
)

GROUNDS: Mapping[str, str] = MappingProxyType(
    {
        "sidewalk": "sidewalk",
        "street": "street",
        "alley": "alley",
        "grounds": "public grounds",
        "dedicated": "land dedicated for public use",
        "board": "sidewalk",
    }
)
"""What is obstructed, in the law's words; ``board`` is a sidewalk after a notice from the Village Board (§ 288-8 F)."""
_TO = {"sidewalk": "To the owner or occupant", "board": "To the owner or occupant"}
_TO_OWNER = "To the property owner"
_AREA = Quoted(
    "288-7 E",
    "In addition to any other penalty imposed, if any Village enforcement official determines that a Village street, "
    "alley, public grounds or land dedicated for public use is obstructed or encumbered, he/she shall issue a written "
    "notice to the property owner of the premises which adjoins the obstructed public area directing that the "
    "obstruction be removed within 24 hours.",
)


@dataclass(frozen=True)
class Removal:
    """What a notice to remove an obstruction says.

    Parameters
    ----------
    case_no
        The case.
    ground
        A key of `GROUNDS`: it decides the section and to whom the notice goes.
    addressee
        Names and where it goes; lines apart.
    obstruction, obstructs, premises
        What is in the way, of what, and the premises that adjoin it.
    seen_on, seen_by
        When and by which official it was determined.
    served
        The last instant to remove it, where the service is on record; else None, and its time is filled in by hand.
    reading
        How the hours are counted where the law leaves a choice, or ``""``; of a service on record its deadline says.
    measured
        What was measured, and where that stands.
    slip
        What is to be said of a slip in the law's words, or ``""``.
    """

    case_no: str
    ground: str
    addressee: str
    obstruction: str
    obstructs: str
    premises: str
    seen_on: date
    seen_by: str
    served: Deadline | None = None
    reading: str = ""
    measured: tuple[Measured, ...] = ()
    slip: str = ""


def removal_notice(sheet: StreetSheet, removal: Removal) -> bytes:
    """Write the notice to remove an obstruction.

    Parameters
    ----------
    sheet
        What it shares with the other documents of a street.
    removal
        What it says.

    Returns
    -------
    bytes
        A PDF of letter pages: what is to be removed and within how many hours, the law's words on what follows, the
        map, what was measured, and lines for the service.
    """
    law = law_on(sheet.law_date)

    def write(paper: Paper) -> None:
        paper_to = _TO.get(removal.ground, _TO_OWNER)
        addressed(paper, sheet, f"{paper_to}\n{removal.addressee}", (("Case", removal.case_no),))
        headline(paper, f"Remove the obstruction within {hours(removal, law)} hours")
        side_by_side(paper, _summary(removal, law))
        drafted(paper, sheet)
        paper.write_part(Part("What obstructs what", plain_rows(_what(removal))))
        blank_lines(paper, "Service of this notice", ("Served on", "Day and time", "How", "By"))
        paper.write_part(told_duties("What the ordinance asks of you", _duties(removal, law)))
        for part in measured_part("What was measured", removal.measured):
            paper.write_part(part)
        street_map(paper, sheet)

    return street_paper(sheet, write)


def hours(removal: Removal, law: Law) -> int:
    """Return within how many hours the obstruction is to be removed."""
    return int(law["board_removal_hours" if removal.ground == "board" else "obstruction_hours"].value)


def _what(removal: Removal) -> tuple[tuple[str, str], ...]:
    seen = f"{said_day(removal.seen_on)}, by {removal.seen_by}" if removal.seen_by else said_day(removal.seen_on)
    return (
        ("Obstruction", removal.obstruction),
        ("It obstructs", removal.obstructs or f"the {GROUNDS[removal.ground]}"),
        ("Adjoining premises", removal.premises),
        ("Determined", seen),
    )


def _summary(removal: Removal, law: Law) -> tuple[tuple[str, str, str], ...]:
    until = due_day(removal.served) if removal.served else f"{hours(removal, law)} hours after service"
    who = "the Village Board" if removal.ground == "board" else "a Village enforcement official"
    return (
        ("Remove it by", until, "" if removal.served else "the time of service is filled in below"),
        ("What is obstructed", GROUNDS[removal.ground], ""),
        ("Directed by", who, ""),
    )


def _duties(removal: Removal, law: Law) -> tuple[Duty, ...]:
    count = hours(removal, law)
    text = [f"The {count} hours begin when this notice is served.", removal.reading or "They are elapsed hours."]
    if removal.served:
        text = [removal.served.counted, *readings(removal.served)]
    text += [removal.slip] if removal.slip else []
    if removal.ground == "board":
        return (
            Duty(f"Within {count} hours of the Board's notice", tuple(text), (valued(law, "board_removal_hours"),)),
        )
    own = Quoted("288-7 D", law["obstruction_hours"].quotation) if removal.ground == "sidewalk" else _AREA
    return (Duty(f"Remove it within {count} hours", tuple(text), (own,)), _otherwise(law))


def _otherwise(law: Law) -> Duty:
    quoted = (ORDINANCE["charged"], valued(law, "bill_days"), valued(law, "tax_roll_days"), ORDINANCE["unrecorded"])
    text = (
        "The Village removes it and charges the property owner with the expense; what stays unpaid goes on the tax "
        "roll.",
        "The section names no other amount, and none is stated here.",
    )
    return Duty("If it is not removed", text, quoted)
