"""The documents of a number: the certificate of address and the assignment notice, as vector PDFs.

Each is made of what it is given and nothing else, so that the same input gives the same file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from app.clocks import local_day, said_day
from app.duties import Letter, Notice, duties, summary
from app.law import law_on
from app.legend import Frame
from app.paper import (
    BLUE,
    DRAFT,
    GREY,
    INNER,
    LEFT,
    VERMILION,
    Paper,
    Part,
    Row,
    Running,
    Type,
    printable,
    written,
)
from app.paper_parts import (
    LAW,
    QUIET,
    SMALL,
    STRONG,
    TEXT,
    Proof,
    at_foot,
    boxed,
    reserve_foot,
    running,
    side_by_side,
    told_duties,
)
from app.sketch import Drawn, Neighbour, Plan, draw

__all__ = ["Drawn", "Letter", "Neighbour", "Notice", "Sheet", "assignment_notice", "certificate", "letter", "printable"]

OFFICIAL = "official"
_LETTERS = (
    "The text of § 288-15 at hand prints no outline letters; those shown are inferred from the order of its paragraphs."
)
_PROVISIONAL = "This is not an official number. It may still change."
_TAGS = {"stop": "No number", "decide": "An officer decides", "note": "Note", "decision": "Decided"}
_LEGEND_ROOM = 42.0


@dataclass(frozen=True)
class Sheet:
    """What both documents share.

    Parameters
    ----------
    village, county, state
        Whose number it is.
    document_no, issued_at, issued_by, acting_for
        The document: its number, when and by whom it was issued; for which officer, or ``""``.
    address, usps, status
        The address, its USPS form, and what it is: ``provisional``, ``official`` or another word.
    map_version, map_state, map_notes
        The Street Numbering Map it rests on: its version, a sentence of its state, further notes.
    law_date
        The day whose law applies.
    steps
        The reasons: mappings with section, text, law and reading.
    findings
        What is doubtful, and decisions: mappings with title, message, section and severity (``stop``, ``decide``,
        ``note`` or ``decision``); a ``decision`` in words, where one was taken on a finding.
    reason, computed
        Why another number than the computed one was chosen, and the computed address; else ``""``.
    drawn, entrance, neighbours
        The map, working feet.
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
    issued_at: datetime
    issued_by: str
    acting_for: str
    address: str
    usps: str
    status: str
    map_version: int
    map_state: str
    map_notes: tuple[str, ...]
    law_date: date
    steps: tuple[Mapping[str, Any], ...]
    findings: tuple[Mapping[str, Any], ...]
    reason: str
    computed: str
    drawn: tuple[Drawn, ...]
    entrance: tuple[float, float]
    neighbours: tuple[Neighbour, ...]
    grid_north_deg: float
    axis_north_deg: float
    audit_head: str
    public_url: str
    draft: bool = False


def certificate(sheet: Sheet) -> bytes:
    """Write a certificate of address.

    Parameters
    ----------
    sheet
        What it says.

    Returns
    -------
    bytes
        A PDF of letter pages: on the first the address, its status, map and proof; then the doubts and the reasons.
    """

    def write(paper: Paper) -> None:
        reserve_foot(paper, _proof(sheet))
        paper.put("The number and address of the main entrance marked on the map:", QUIET)
        _address(paper, sheet)
        _status(paper, sheet)
        before = [*_chosen(sheet), *_findings(sheet)]
        steps = _steps(sheet)
        height, apart = _map_height(paper, before, steps)
        _map(paper, sheet, height)
        at_foot(paper, _proof(sheet))
        for part in before:
            paper.write_part(part)
        if apart and paper.page_no() == 1:
            paper.break_page()
        for part in steps:
            paper.write_part(part)
        _letters(paper)

    return written(_running(sheet, "Certificate of address"), write)


def assignment_notice(sheet: Sheet, notice: Notice) -> bytes:
    """Write the notice of an assigned number to the owner, occupant or agent (§ 288-15 G).

    Parameters
    ----------
    sheet
        What it shares with a certificate.
    notice
        What it tells to do.

    Returns
    -------
    bytes
        A PDF of letter pages: the number and its deadline, the duties with the law's words, the map, the reasons.
    """

    law = law_on(sheet.law_date)
    assigned = f"On {said_day(notice.assigned_on)} this street number was assigned to your building:"
    return letter(
        sheet,
        Letter(
            title="Assignment notice",
            addressee=notice.addressee,
            opening="Your building has this existing number:" if notice.existing else assigned,
            below=f"It replaces {notice.old_address}." if notice.old_address else "",
            summary=summary(notice, law),
            duties=duties(notice, law),
        ),
    )


def letter(sheet: Sheet, said: Letter) -> bytes:
    """Write a letter to the owner, occupant or agent of a building.

    Parameters
    ----------
    sheet
        What it shares with a certificate.
    said
        What it says.

    Returns
    -------
    bytes
        A PDF of letter pages: the number and what is due, the duties with the law's words, the map, the reasons.
    """

    def write(paper: Paper) -> None:
        reserve_foot(paper, _proof(sheet))
        _addressee(paper, sheet, said)
        _address(paper, sheet)
        if said.below:
            paper.put(said.below, TEXT)
            paper.gap(5)
        side_by_side(paper, said.summary)
        _status(paper, sheet)
        at_foot(paper, _proof(sheet))
        paper.write_part(told_duties("What the ordinance asks of you", said.duties))
        why = [*_chosen(sheet), *_findings(sheet), *_steps(sheet)]
        _map(paper, sheet, _fitted_map(paper, why))
        for part in why:
            paper.write_part(part)
        _letters(paper)

    return written(_running(sheet, said.title), write)


def _running(sheet: Sheet, title: str) -> Running:
    mark = DRAFT if sheet.draft else "" if sheet.status == OFFICIAL else sheet.status.upper()
    village = (sheet.village, sheet.county, sheet.state)
    return running(*village, title, sheet.document_no, sheet.address, mark, sheet.issued_at)


def _proof(sheet: Sheet) -> Proof:
    return Proof(
        issued_at=sheet.issued_at,
        issued_by=sheet.issued_by,
        acting_for=sheet.acting_for,
        law_date=sheet.law_date,
        audit_head=sheet.audit_head,
        public_url=sheet.public_url,
        draft=sheet.draft,
    )


# --- the number ---


def _address(paper: Paper, sheet: Sheet) -> None:
    """Write the address as large as its line allows; a very long one on two lines or more."""
    paper.gap(2)
    kind = paper.fitted(sheet.address, Type(34.0, "B"), INNER, 21.0)
    paper.put(sheet.address, kind)
    if sheet.usps:
        paper.gap(1)
        paper.put(f"USPS form: {sheet.usps}", Type(10.0, "", GREY))
    paper.gap(8)


def _status(paper: Paper, sheet: Sheet) -> None:
    """Say what the number is; what is not official stands in a dashed box of another colour, and says so."""
    official = sheet.status == OFFICIAL
    title = Type(13.0, "B", BLUE if official else VERMILION)
    lines = [("A DRAFT, NOT ISSUED", Type(13.0, "B", VERMILION))] if sheet.draft else []
    lines += [(sheet.status.upper(), title)]
    lines += [(_PROVISIONAL, STRONG)] if sheet.status == "provisional" else []
    lines += [(sheet.map_state, TEXT)] + [(f"• {note}", Type(8.5)) for note in sheet.map_notes]
    boxed(paper, lines, official=official)


def _map(paper: Paper, sheet: Sheet, height: float) -> None:
    paper.room(height + _LEGEND_ROOM)
    plan = Plan(
        drawn=sheet.drawn,
        entrance=sheet.entrance,
        number=sheet.address.split(" ")[0],
        neighbours=sheet.neighbours,
        grid_north_deg=sheet.grid_north_deg,
        axis_north_deg=sheet.axis_north_deg,
    )
    paper.gap(draw(paper, Frame(LEFT, paper.y, INNER, height), plan) + 12)


# --- why ---


def _chosen(sheet: Sheet) -> list[Part]:
    if not (sheet.computed or sheet.reason):
        return []
    decided = next((str(step["decided"]) for step in sheet.steps if step.get("decided") in _BY), "")
    told = any(sheet.reason in str(step.get("text", "")) for step in sheet.steps)  # a reason is printed once
    rows = [] if told or not sheet.reason else [Row("Reason", ((sheet.reason, TEXT),))]
    if sheet.computed:
        rows = [Row("Given", ((sheet.address, STRONG),)), Row("Computed", ((sheet.computed, TEXT),)), *rows]
    return [Part(_BY.get(decided, "Recorded with it"), tuple(rows))] if rows else []


_BY = {
    "officer": "Chosen by an officer",
    "clerk": "Determined by the Clerk-Treasurer",
    "taken": "Given in place of the number computed",
    "stays": "A number that stays",
}
"""Who or what made a number another than the computed one, by the step of its explanation that says so."""


def _findings(sheet: Sheet) -> list[Part]:
    rows = []
    for found in sheet.findings:
        severity = str(found.get("severity", ""))
        lines = [(str(found.get("title", "")), STRONG), (str(found.get("message", "")), TEXT)]
        if found.get("decision"):
            lines.append((f"Decided: {found['decision']}", STRONG))
        rows.append(Row(_TAGS.get(severity, severity.capitalize()), tuple(lines), _section(found)))
    return [Part("What is doubtful, and what was decided", tuple(rows))] if rows else []


def _steps(sheet: Sheet) -> list[Part]:
    rows = []
    for step in sheet.steps:
        lines = [(str(step.get("text", "")), STRONG)]
        lines += [(f"“{step['law']}”", LAW)] if step.get("law") else []
        lines += [(str(step["reading"]), QUIET)] if step.get("reading") else []
        rows.append(Row(_section(step), tuple(lines)))
    note = f"By the law of {said_day(sheet.law_date)}; its words in quotation marks."
    return [Part("How the number was found", tuple(rows), note)] if rows else []


def _section(row: Mapping[str, Any]) -> str:
    section = str(row.get("section", ""))
    return f"§ {section}" if section[:1].isdigit() else section


_SMALL_MAP, _LEAST_MAP, _MOST_MAP = 150.0, 214.0, 330.0


def _fitted_map(paper: Paper, after: list[Part]) -> float:
    """Return the notice's map height: all that follows on its page where it fits, else the rest of this page filled."""
    rest = sum(paper.part_height(part) for part in after) + paper.height_of(_LETTERS, SMALL, INNER)
    if paper.left_on_page() < _SMALL_MAP + _LEGEND_ROOM:
        paper.break_page()
    room = paper.left_on_page() - _LEGEND_ROOM
    if room - rest >= _SMALL_MAP:
        return min(room - rest, _MOST_MAP)
    return min(room, _LEAST_MAP)


def _letters(paper: Paper) -> None:
    paper.room(paper.height_of(_LETTERS, SMALL, INNER))
    paper.put(_LETTERS, SMALL)


def _map_height(paper: Paper, before: list[Part], steps: list[Part]) -> tuple[float, bool]:
    """Return the certificate's map height, and whether the steps begin on a page of their own.

    All on one page where it fits; else the map fills what the doubts leave of the first page.
    """
    room = paper.left_on_page() - _LEGEND_ROOM
    doubts = sum(paper.part_height(part) for part in before)
    reasons = sum(paper.part_height(part) for part in steps) + paper.height_of(_LETTERS, SMALL, INNER)
    if doubts + reasons + _LEAST_MAP <= room:
        return min(room - doubts - reasons, _MOST_MAP), False
    if doubts + _LEAST_MAP <= room:
        return min(room - doubts, _MOST_MAP), True
    return _LEAST_MAP, False


# --- the notice ---


def _addressee(paper: Paper, sheet: Sheet, said: Letter) -> None:
    paper.put(local_day(sheet.issued_at), TEXT)
    paper.gap(4)
    lines = [line for line in said.addressee.splitlines() if line.strip()]
    if not any("owner, occupant or agent" in line.lower() for line in lines):
        lines = ["To the owner, occupant or agent", *lines]
    for line in lines:
        paper.put(line, Type(10.0))
    paper.gap(12)
    paper.put(said.opening, Type(10.0))
    paper.gap(2)
