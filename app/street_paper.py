"""The sheet of a document of a place in a street: its head, the window for the addressee, its map, its foot.

A permit, a notice or a bill of a street is of a shape on the ground, which may have no address. What is assumed of the
ground is told beside the map and dashed on it; what a check could not decide is never shown as complying.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from types import MappingProxyType

from app.clocks import Deadline, local_day
from app.duties import Quoted, due_day, readings
from app.legend import Frame
from app.paper import DRAFT, GREY, INNER, LEFT, RIGHT, VERMILION, Paper, Part, Row, Type, written
from app.paper_parts import LAW, QUIET, STRONG, TEXT, Proof, at_foot, boxed, reserve_foot, running
from app.sketch import Bounds, Drawn, Plan, draw

LETTERS = "The text prints no outline letters: those of the sections are inferred from the order of its paragraphs."
VERDICTS = {
    "complies": "Complies",
    "violates": "Does not comply",
    "undecided": "Undecided: an officer decides",
    "not_checked": "Not checked",
    "officer": "Left to an officer",
}
"""What a check found, in words; another word stands as it is."""
ORDINANCE: Mapping[str, Quoted] = MappingProxyType(
    {
        "charged": Quoted(
            "288-7 F(1)",
            "If the owner or occupant fails to remove the obstruction within the time period established in Subsection "
            "D or E, respectively, any Village enforcement official shall cause the removal of the obstruction, "
            "keeping an account of the expense of the abatement, any such expenses shall be charged to and paid by "
            "such property owner.",
        ),
        "unrecorded": Quoted(
            "288-7 F(2)",
            "The failure of the Village Clerk-Treasurer to record such claim or to mail such notice or the failure of "
            "the owner to receive such notice shall not affect the right to place the Village expense on the tax rolls "
            "for unpaid bills for abating the obstruction as provided for in this section.",
        ),
    }
)
"""Sentences of § 288-7 F that no number of the law file stands in, word for word."""
_AS_LINES = {"street": "centerline", "private": "centerline", "alley": "centerline"}
"""Roads of the map of numbers, a band as wide as the pen; so near the ground it would be taken for the pavement."""
_LEGEND_ROOM, _LEAST_MAP, _MOST_MAP = 44.0, 140.0, 330.0


@dataclass(frozen=True)
class StreetSheet:
    """What every document of a place in a street shares.

    Parameters
    ----------
    village, county, state
        Whose street it is.
    document_no, title
        The document: its number and what it is.
    issued_at, issued_by, acting_for
        When and by whom it was issued; for which officer, or ``""``.
    law_date
        The day whose law applies.
    place
        Where it is, in words.
    drawn, around
        The map, working feet, and the west, south, east and north of what it must show; None for no map.
    notes
        What is assumed of the ground: street lines, a draft map.
    grid_north_deg, axis_north_deg
        Degrees clockwise of up.
    audit_head, public_url
        The head of the audit log; the public page, or ``""``.
    draft
        Whether it only shows what would be issued.
    """

    village: str
    county: str
    state: str
    document_no: str
    title: str
    issued_at: datetime
    issued_by: str
    acting_for: str
    law_date: date
    place: str
    drawn: tuple[Drawn, ...]
    around: Bounds | None
    notes: tuple[str, ...]
    grid_north_deg: float
    axis_north_deg: float
    audit_head: str
    public_url: str
    draft: bool = False


@dataclass(frozen=True)
class Measured:
    """What a check found of the place.

    Parameters
    ----------
    title
        What was checked.
    verdict
        A key of `VERDICTS`.
    text
        What was measured, with its uncertainty and the limit it is held against, in words.
    section
        Of the limit.
    note
        What is assumed, or ``""``.
    """

    title: str
    verdict: str
    text: str
    section: str
    note: str = ""


def street_paper(sheet: StreetSheet, write: Callable[[Paper], None]) -> bytes:
    """Write a document of a place in a street.

    Parameters
    ----------
    sheet
        What it shares with the others.
    write
        Writes what stands between the letterhead and the last page's end; the proof stands at the first page's foot.

    Returns
    -------
    bytes
        A PDF of letter pages, the same for the same input.
    """
    proof = Proof(
        issued_at=sheet.issued_at,
        issued_by=sheet.issued_by,
        acting_for=sheet.acting_for,
        law_date=sheet.law_date,
        audit_head=sheet.audit_head,
        public_url=sheet.public_url,
        draft=sheet.draft,
        remark=LETTERS,
    )

    def whole(paper: Paper) -> None:
        reserve_foot(paper, proof)
        at_foot(paper, proof)
        write(paper)

    village = (sheet.village, sheet.county, sheet.state)
    mark = DRAFT if sheet.draft else ""
    return written(running(*village, sheet.title, sheet.document_no, sheet.place, mark, sheet.issued_at), whole)


# --- the head of a letter ---

_WINDOW_LEFT, _WINDOW_TOP, _WINDOW_WIDTH, _WINDOW_END = 68.0, 152.0, 250.0, 228.0
"""What the window of a number 10 envelope shows of a letter folded in three and lying on the envelope's floor."""


def addressed(paper: Paper, sheet: StreetSheet, addressee: str, beside: Iterable[tuple[str, str]]) -> None:
    """Write the addressee where a window envelope shows it, and beside it the day and what the letter is known by.

    Parameters
    ----------
    paper
        The document, at the top of its first page.
    sheet
        Whose day it bears.
    addressee
        Its lines; more than the window shows go on below.
    beside
        Labels and what stands under each.
    """
    top = paper.y
    x, width = _WINDOW_LEFT + _WINDOW_WIDTH + 28, RIGHT - _WINDOW_LEFT - _WINDOW_WIDTH - 28
    for label, text in (("Date", local_day(sheet.issued_at)), *beside):
        if text:
            paper.put(label, QUIET, x, width)
            paper.put(text, STRONG, x, width)
            paper.gap(3)
    beside_end, page = paper.y, paper.page_no()
    if page == 1:
        paper.set_y(max(top, _WINDOW_TOP))
    for line in (line for line in addressee.splitlines() if line.strip()):
        paper.put(line, Type(10.0), _WINDOW_LEFT, _WINDOW_WIDTH)
    paper.set_y(max(paper.y, beside_end, _WINDOW_END) if paper.page_no() == page == 1 else paper.y)
    paper.gap(8)


def headline(paper: Paper, text: str, most: float = 20.0) -> None:
    """Write what the document says first, as large as one line allows; a very long one on two lines or more."""
    paper.put(text, paper.fitted(text, Type(most, "B"), INNER, 14.0))
    paper.gap(6)


def drafted(paper: Paper, sheet: StreetSheet) -> None:
    """Say in a dashed box that a draft is one; nothing on a document that is issued."""
    if sheet.draft:
        boxed(paper, [("A DRAFT, NOT ISSUED", Type(13.0, "B", VERMILION))], official=False)


# --- the map ---


def street_map(paper: Paper, sheet: StreetSheet, least: float = _LEAST_MAP, most: float = _MOST_MAP) -> None:
    """Draw the map in what is left of the page, or on the next, and under it what is assumed."""
    notes = [f"• {note}" for note in sheet.notes]
    if sheet.around is None:
        _notes(paper, notes)
        return
    told = _LEGEND_ROOM + sum(paper.height_of(note, QUIET, INNER) for note in notes)
    paper.room(least + told)
    height = max(min(paper.left_on_page() - told, most), least)
    drawn = tuple(replace(d, role=_AS_LINES.get(d.role, d.role)) for d in sheet.drawn)
    plan = Plan(
        drawn=drawn,
        entrance=None,
        number="",
        neighbours=(),
        grid_north_deg=sheet.grid_north_deg,
        axis_north_deg=sheet.axis_north_deg,
        around=sheet.around,
    )
    paper.gap(draw(paper, Frame(LEFT, paper.y, INNER, height), plan) + 6)
    _notes(paper, notes)


def _notes(paper: Paper, notes: list[str]) -> None:
    for note in notes:
        paper.put(note, QUIET)
    if notes:
        paper.gap(8)


# --- rows ---


def plain_rows(pairs: Iterable[tuple[str, str]]) -> tuple[Row, ...]:
    """Return labels and their texts as rows, without those that have no text; each line of a text on its own."""
    return tuple(
        Row(label, tuple((line, TEXT) for line in text.splitlines() if line.strip()))
        for label, text in pairs
        if text.strip()
    )


def law_rows(found: Iterable[Quoted]) -> tuple[Row, ...]:
    """Return sentences of the ordinance as rows."""
    return tuple(Row(f"§ {quoted.section}", ((f"“{quoted.text}”", LAW),)) for quoted in found)


def deadline_lines(deadline: Deadline) -> list[tuple[str, Type]]:
    """Tell when a deadline is, how it was counted, and the other reading where it differs."""
    return [(due_day(deadline), STRONG), (deadline.counted, TEXT), *((text, QUIET) for text in readings(deadline))]


def measured_part(heading: str, found: Iterable[Measured]) -> list[Part]:
    """Return findings with their verdicts in words; nothing where there are none."""
    rows = []
    for one in found:
        lines = [(f"{one.title}: {VERDICTS.get(one.verdict, one.verdict)}", STRONG), (one.text, TEXT)]
        rows.append(Row(sectioned(one.section), (*lines, *([(one.note, QUIET)] if one.note else []))))
    return [Part(heading, tuple(rows))] if rows else []


def sectioned(section: str) -> str:
    """Write a section with its sign; another source as it is."""
    return f"§ {section}" if section[:1].isdigit() else section


# --- what is filled in by hand ---


def blank_lines(paper: Paper, heading: str, labels: Iterable[str]) -> None:
    """Write labelled lines to be filled in by hand, two beside one another, together on a page."""
    shown, label, high, apart = list(labels), Type(8.0, "", GREY), 26.0, 16.0
    width = (INNER - apart) / 2
    paper.room(18 + high * math.ceil(len(shown) / 2))
    paper.put(heading, Type(10.0, "B"))
    for k, text in enumerate(shown):
        x, y = LEFT + (width + apart) * (k % 2), paper.y + high - 6
        wide = min(paper.width_of(text, label) + 6, width)
        paper.set_draw_color(*GREY)
        paper.set_line_width(0.6)
        paper.line(x + wide, y, x + width, y)
        paper.at(text, label, x, y - label.line + 2, wide)
        if k % 2 or k == len(shown) - 1:
            paper.gap(high)
    paper.gap(8)
