"""Text and tables of the plat book, written fast: a book has tens of thousands of cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.paper import GREY, INNER, LEFT, RIGHT, RULE, Paper, Type, printable

HEAD, CELL = Type(7.2, "B", GREY), Type(7.6)
LINE = 10.6
TOGETHER = 6
"""The last lines of a text or table that stand on one page, so that no page has two or three lines only."""
_ADVANCES: dict[tuple[str, str], float] = {}


def wide_of(paper: Paper, text: str, kind: Type) -> float:
    """Return how wide a text is, points; each sign of a face is measured once."""
    size, face = kind.size / 100, kind.face
    for sign in text:
        if (face, sign) not in _ADVANCES:
            _ADVANCES[face, sign] = paper.width_of(sign, Type(100.0, face))
    return sum(_ADVANCES[face, sign] for sign in text) * size


def _write(paper: Paper, text: str, kind: Type, x: float, y: float) -> None:
    """Write one line whose top is at a height, without moving."""
    paper.use(kind)
    paper.text(x, y + kind.size * 1.05, text)


def flow(paper: Paper, text: str, kind: Type) -> None:
    """Write a text of any length, broken between words, going on over the page."""
    lines = _broken(paper, text, kind)
    for k, line in enumerate(lines):
        rest = (len(lines) - k) * kind.line
        paper.room(rest if len(lines) - k == TOGETHER else kind.line)
        _write(paper, line, kind, LEFT, paper.y)
        paper.gap(kind.line)


def _broken(paper: Paper, text: str, kind: Type) -> list[str]:
    """Break a text between words into lines as wide as the page's text."""
    found, line, blank, reached = list[str](), list[str](), wide_of(paper, " ", kind), 0.0
    for word in (*printable(text).split(" "), ""):
        wide = wide_of(paper, word, kind)
        if line and (not word or reached + wide > INNER):
            found.append(" ".join(line))
            line, reached = [], 0.0
        line.append(word)
        reached += wide + blank
    return found


def _cell(paper: Paper, text: str, kind: Type, x: float, width: float, align: str) -> None:
    """Write a cell; one that is too long is cut, an ellipsis showing it."""
    shown = printable(text)
    wide = wide_of(paper, shown, kind)
    while wide > width and shown:
        shown = f"{shown.removesuffix('…')[:-1]}…"
        wide = wide_of(paper, shown, kind)
    _write(paper, shown, kind, x + (width - wide if align == "R" else 0.0), paper.y)


def table(
    paper: Paper,
    title: str,
    header: Sequence[tuple[str, float, str]],
    rows: Iterable[Sequence[str]],
    *,
    below: float = 0.0,
) -> None:
    """Write a table whose head is repeated on each page.

    Parameters
    ----------
    paper
        The document.
    title
        Above it.
    header
        Of each column: its name, width in points, and ``L`` or ``R``.
    rows
        Their cells.
    below
        Height of what belongs under it, points: it stays with the last rows.
    """

    def line(cells: Sequence[str], kind: Type) -> None:
        x = LEFT
        for text, (_, wide, align) in zip(cells, header, strict=True):
            if text:
                _cell(paper, text, kind, x, wide - (11.0 if align == "R" else 6.0), align)
            x += wide
        paper.gap(LINE)

    def head() -> None:
        line([text for text, _, _ in header], HEAD)
        paper.set_draw_color(*RULE)
        paper.set_line_width(0.6)
        paper.line(LEFT, paper.y, RIGHT, paper.y)
        paper.gap(1)

    paper.gap(6)
    paper.room(4 * LINE + 14)
    paper.put(title, Type(10.5, "B"))
    paper.gap(2)
    head()
    every = list(rows)
    for k, row in enumerate(every):
        rest = len(every) - k
        last = rest == TOGETHER or (rest < TOGETHER and k == 0)
        if paper.left_on_page() < (rest * LINE + below if last else LINE):
            paper.break_page()
            head()
        line(row, CELL)
