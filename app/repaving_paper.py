"""The notice that a street is to be improved or repaved, to each utility and each abutting owner (§ 288-6 I)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from app.clocks import Deadline, said_day
from app.duties import Duty, Quoted, due_day, readings, valued
from app.law import Law, law_on
from app.paper import Paper, Part, Type
from app.paper_parts import QUIET, Column, side_by_side, table, told_duties
from app.street_paper import StreetSheet, addressed, drafted, headline, plain_rows, street_map, street_paper

TERRACES = Quoted(
    "288-6 I",
    "Every effort shall be made to place gas, electric, telephone and television cable lines in street terraces.",
)


@dataclass(frozen=True)
class Addressee:
    """Whom the notice goes to: name, address on one line, and as what, such as the owner of a lot or of a main."""

    name: str
    address: str
    what: str


@dataclass(frozen=True)
class Repaving:
    """What a notice of a repaving says.

    Parameters
    ----------
    case_no
        The case.
    street, limits
        What is improved or repaved, and from where to where.
    work
        What the Board provides for: improvement or repaving, in words.
    determined_on, act
        The day of the Board's determination, and its act or ``""``.
    work_from
        The first day the work may begin, and how it was counted; None where that is not known.
    completed_by
        The last day of all excavation work, and how it was counted; None where it is not known.
    moratorium
        When the five years end, where the day of the repaving is known; else None.
    addressee
        This letter's: names and where it goes; lines apart. ``""`` leaves the window empty.
    utilities, owners
        Everyone the notice goes to.
    slip
        What is to be said of a slip in the law's words, or ``""``.
    """

    case_no: str
    street: str
    limits: str
    work: str
    determined_on: date
    act: str
    work_from: Deadline | None
    completed_by: Deadline | None
    moratorium: Deadline | None
    addressee: str
    utilities: tuple[Addressee, ...]
    owners: tuple[Addressee, ...]
    slip: str = ""


def repaving_notice(sheet: StreetSheet, repaving: Repaving) -> bytes:
    """Write the notice of a repaving, with the list of all it goes to.

    Parameters
    ----------
    sheet
        What it shares with the other documents of a street.
    repaving
        What it says.

    Returns
    -------
    bytes
        A PDF of letter pages: by when to have excavated and what follows, the map, and the list on pages of its own.
    """
    law = law_on(sheet.law_date)

    def write(paper: Paper) -> None:
        addressed(paper, sheet, repaving.addressee, (("Case", repaving.case_no), ("Board's act", repaving.act)))
        headline(paper, f"{repaving.street}: complete all excavation work before the repaving")
        side_by_side(paper, _summary(repaving, law))
        drafted(paper, sheet)
        paper.write_part(Part("What the Board determined", plain_rows(_what(repaving))))
        paper.write_part(told_duties("What follows for you", _duties(repaving, law)))
        street_map(paper, sheet)
        if repaving.utilities or repaving.owners:
            paper.break_page()
            _list(paper, repaving)

    return street_paper(sheet, write)


def _what(repaving: Repaving) -> tuple[tuple[str, str], ...]:
    by = f" ({repaving.act})" if repaving.act else ""
    return (
        ("Street", repaving.street),
        ("Limits", repaving.limits),
        ("Work", repaving.work),
        ("Determined", f"{said_day(repaving.determined_on)}, by the Village Board{by}"),
    )


def _summary(repaving: Repaving, law: Law) -> tuple[tuple[str, str, str], ...]:
    days, years = int(law["clearing_days"].value), int(law["moratorium_years"].value)
    by, work = repaving.completed_by, repaving.work_from
    other = "under another reading another day: see 1 below" if by and by.alternative else ""
    return (
        ("All excavation completed", due_day(by) if by else f"within {days} days", other),
        ("The work begins not before", due_day(work) if work else "not fixed", ""),
        ("No permit to open the street", f"for {years} years", "after the improvement or repaving"),
    )


def _duties(repaving: Repaving, law: Law) -> tuple[Duty, ...]:
    by, work, until = repaving.completed_by, repaving.work_from, repaving.moratorium
    days, years = int(law["clearing_days"].value), int(law["moratorium_years"].value)
    end = f"by {due_day(by)}" if by else f"within {days} days"
    first = [*_counted(by), *([repaving.slip] if repaving.slip else [])]
    return (
        Duty(f"Complete all excavation work {end}", tuple(first), (valued(law, "clearing_days"),)),
        Duty("The work does not begin before", tuple(_counted(work)), (valued(law, "repaving_ahead_days"),)),
        Duty(f"Afterwards no permit for {years} years", tuple(_counted(until)), (valued(law, "moratorium_years"),)),
        Duty("Lines in the terraces", (), (TERRACES,)),
    )


def _counted(deadline: Deadline | None) -> list[str]:
    return [f"{due_day(deadline)}. {deadline.counted}", *readings(deadline)] if deadline else []


_COLUMNS = (Column("No.", 0.5, "R"), Column("Name", 3.0), Column("Address", 3.4), Column("As", 2.6))


def _list(paper: Paper, repaving: Repaving) -> None:
    """Write everyone the notice goes to: the utilities, then the owners of the abutting property."""
    paper.put("Everyone this notice goes to", Type(11.0, "B"))
    groups = (("Utilities and other agencies", repaving.utilities), ("Abutting owners", repaving.owners))
    for heading, found in groups:
        if not found:
            continue
        paper.gap(6)
        paper.room(60.0)
        paper.put(f"{heading}: {len(found)}", Type(9.0, "B"))
        paper.gap(4)
        rows = ((f"{k}", one.name, one.address, one.what) for k, one in enumerate(found, start=1))
        table(paper, _COLUMNS, rows)
    paper.gap(6)
    paper.put(f"{len(repaving.utilities) + len(repaving.owners)} in all.", QUIET)
