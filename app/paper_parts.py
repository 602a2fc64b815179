"""What the Village's documents have in common: their types, boxes, duties, tables, and the proof at their foot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from app.clocks import said_day, said_instant
from app.duties import Duty
from app.paper import BLUE, GREY, INK, INNER, LEFT, RIGHT, RULE, VERMILION, Paper, Part, Row, Running, Type

TEXT, STRONG = Type(9.0), Type(9.0, "B")
LAW, QUIET, SMALL = Type(8.0, "I", (60, 60, 60)), Type(8.0, "", GREY), Type(7.4, "", GREY)
_PROVES = (
    "The head of the register's audit log when this was issued. Every entry is chained to the one before it: if the "
    "log verifies against this head, nothing recorded up to then has been altered or removed since."
)
_QR = 92.0


@dataclass(frozen=True)
class Proof:
    """Who issued a document, and what it can be held against.

    Parameters
    ----------
    issued_at, issued_by, acting_for
        When and by whom; for which officer, or ``""``.
    law_date
        The day whose law applies.
    audit_head, public_url
        The head of the audit log; the public page, or ``""``.
    draft
        Whether the document only shows what would be issued.
    remark
        What is to be said of the sections it cites, or ``""``.
    """

    issued_at: datetime
    issued_by: str
    acting_for: str
    law_date: date
    audit_head: str
    public_url: str
    draft: bool = False
    remark: str = ""


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, its share of the width, and the side its cells stand on (``L`` or ``R``)."""

    heading: str
    share: float
    align: str = "L"


def running(
    village: str, county: str, state: str, title: str, document_no: str, subject: str, mark: str, issued_at: datetime
) -> Running:
    """Return what every page of a document says: the Village, the document, what it is about."""
    return Running(
        head=village if village.lower().startswith("village") else f"Village of {village}",
        place=", ".join(part for part in (county, state) if part),
        title=title,
        document_no=document_no,
        subject=subject,
        mark=mark,
        issued_at=issued_at,
        issued=said_instant(issued_at),
    )


# --- parts of a page ---


def boxed(paper: Paper, lines: Iterable[tuple[str, Type]], *, official: bool) -> None:
    """Write lines in a box, dashed for what is not official; one too high for the page goes on without its box."""
    shown = [(text, kind) for text, kind in lines if text]
    inner = INNER - 20
    height = sum(paper.height_of(text, kind, inner) for text, kind in shown) + 12
    paper.room(height)
    if height <= paper.left_on_page():
        fill, edge = ((240, 246, 250), BLUE) if official else ((255, 247, 240), VERMILION)
        paper.box(LEFT, paper.y, INNER, height, edge, fill, dashed=not official)
    paper.gap(5)
    for text, kind in shown:
        paper.put(text, kind, LEFT + 10, inner)
    paper.gap(15)


def side_by_side(paper: Paper, cells: tuple[tuple[str, str, str], ...]) -> None:
    """Write short parts beside one another: a label, what holds, and what to add to it."""
    width = (INNER - 12 * (len(cells) - 1)) / len(cells)
    label, value, note = Type(8.0, "", GREY), Type(10.5, "B"), Type(8.0)
    heights = [
        sum(paper.height_of(t, k, width - 10) for t, k in zip(cell, (label, value, note), strict=True))
        for cell in cells
    ]
    paper.room(max(heights) + 4)
    top = paper.y
    for k, cell in enumerate(cells):
        x = LEFT + k * (width + 12)
        paper.set_draw_color(*BLUE)
        paper.set_line_width(1.6)
        paper.line(x, top + 1, x, top + max(heights) + 1)
        paper.set_y(top)
        for text, kind in zip(cell, (label, value, note), strict=True):
            paper.put(text, kind, x + 8, width - 10)
    paper.set_y(top + max(heights) + 12)


def told_duties(heading: str, found: Iterable[Duty]) -> Part:
    """Return duties as a part of a document, numbered, each with its section and the law's own words."""
    return Part(heading, tuple(_duty(n, duty) for n, duty in enumerate(found, start=1)))


def _duty(number: int, duty: Duty) -> Row:
    lines = [(f"{number}. {duty.title}", Type(10.0, "B")), *((text, TEXT) for text in duty.text)]
    by_section: dict[str, list[str]] = {}
    for quoted in duty.law:
        by_section.setdefault(quoted.section, []).append(f"“{quoted.text}”")
    first, *others = by_section
    lines += [(" ".join(by_section[first]), LAW)]
    lines += [(f"§ {section}: {' '.join(by_section[section])}", LAW) for section in others]
    return Row(f"§ {first}", tuple(lines))


# --- tables ---

_HEAD, _CELL = Type(7.8, "B", BLUE), Type(8.2)
_APART, _ABOVE = 8.0, 2.5


def table(paper: Paper, columns: Sequence[Column], rows: Iterable[Sequence[str]], kind: Type = _CELL) -> None:
    """Write a table over as many pages as it takes, its head on each of them.

    Parameters
    ----------
    paper
        The document.
    columns
        Its columns, from left to right.
    rows
        The text of each cell; a row stays on one page where it fits on one.
    kind
        The type of the cells.
    """
    shares = sum(column.share for column in columns)
    widths = [(INNER - _APART * (len(columns) - 1)) * column.share / shares for column in columns]
    heads = [paper.lines_of(column.heading, _HEAD, width) for column, width in zip(columns, widths, strict=True)]
    page = 0
    for row in rows:
        cells = [paper.lines_of(text, kind, width) for text, width in zip(row, widths, strict=True)]
        height = max(map(len, cells)) * kind.line + 2 * _ABOVE
        paper.room(height if page else height + max(map(len, heads)) * _HEAD.line + 2 * _ABOVE)
        for k in range(max(map(len, cells))):
            paper.room(kind.line + _ABOVE)
            if page != paper.page_no():
                _lines(paper, columns, widths, heads, _HEAD)
                _ruled(paper, 1.0, BLUE)
                page = paper.page_no()
            _lines(paper, columns, widths, [cell[k : k + 1] for cell in cells], kind)
        _ruled(paper, 0.4, RULE)


def _lines(
    paper: Paper, columns: Sequence[Column], widths: list[float], cells: Sequence[Sequence[str]], kind: Type
) -> None:
    """Write the lines of cells beside one another and move below the highest."""
    top, x = paper.y, LEFT
    for column, width, lines in zip(columns, widths, cells, strict=True):
        for k, line in enumerate(lines):
            paper.at(line, kind, x, top + k * kind.line, width, align=column.align)
        x += width + _APART
    paper.set_y(top + max(map(len, cells)) * kind.line)


def _ruled(paper: Paper, weight: float, colour: tuple[int, int, int]) -> None:
    paper.gap(_ABOVE)
    paper.set_draw_color(*colour)
    paper.set_line_width(weight)
    paper.line(LEFT, paper.y, RIGHT, paper.y)
    paper.gap(_ABOVE)


# --- the proof ---


def reserve_foot(paper: Paper, proof: Proof) -> None:
    """Keep room for the proof at the foot of the first page."""
    paper.floor -= _proof_height(paper, proof) + 10


def at_foot(paper: Paper, proof: Proof) -> None:
    """Write the proof at the foot of the first page, below what flows there; where that is full, in the flow."""
    if paper.page_no() > 1:
        paper.room(_proof_height(paper, proof))
        _write_proof(paper, proof)
        paper.gap(12)
        return
    reached, floor = paper.y, paper.floor
    paper.floor = floor + _proof_height(paper, proof) + 10
    paper.set_y(floor + 10)
    _write_proof(paper, proof)
    paper.floor = floor
    paper.set_y(reached)


def _proof_lines(proof: Proof) -> list[tuple[str, Type]]:
    does = "A draft, not issued; drawn up by" if proof.draft else "Issued by"
    by = f"{does} {proof.issued_by}" + (f", acting for {proof.acting_for}" if proof.acting_for else "")
    lines = [
        (by, STRONG),
        (f"{said_instant(proof.issued_at)} · law of {said_day(proof.law_date)}", Type(8.5)),
        ("Audit log head", Type(7.5, "B", GREY)),
        (proof.audit_head, Type(7.5, "mono")),
        (_PROVES, Type(7.0, "", GREY)),
    ]
    lines += [(proof.remark, Type(7.0, "", GREY))] if proof.remark else []
    return lines + ([(proof.public_url, Type(8.0, "", BLUE))] if proof.public_url else [])


def _proof_width(proof: Proof) -> float:
    return INNER - (_QR + 12 if proof.public_url else 0)


def _proof_height(paper: Paper, proof: Proof) -> float:
    width = _proof_width(proof)
    told = sum(paper.height_of(text, kind, width) for text, kind in _proof_lines(proof)) + 10
    return max(told, _QR + 6) if proof.public_url else told


def _write_proof(paper: Paper, proof: Proof) -> None:
    """Write who issued the document, what it proves, and where its public page is."""
    top, width = paper.y, _proof_width(proof)
    paper.set_draw_color(*INK)
    paper.set_line_width(0.8)
    paper.line(LEFT, top, RIGHT, top)
    paper.gap(6)
    if proof.public_url:
        paper.qr(proof.public_url, RIGHT - _QR + 6, top + 4, _QR)
    for text, kind in _proof_lines(proof):
        paper.put(text, kind, LEFT, width)
    if proof.public_url:
        paper.set_y(max(paper.y, top + _QR + 6))
