"""Text and tables of the plat book, written fast: a book has tens of thousands of cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.paper import GREY, INNER, LEFT, RIGHT, RULE, Paper, Type, printable

HEAD, CELL = Type(7.2, "B", GREY), Type(7.6)
LINE = 10.6
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
    line, blank, reached = list[str](), wide_of(paper, " ", kind), 0.0
    for word in (*printable(text).split(" "), ""):
        wide = wide_of(paper, word, kind)
        if line and (not word or reached + wide > INNER):
            paper.room(kind.line)
            _write(paper, " ".join(line), kind, LEFT, paper.y)
            paper.gap(kind.line)
            line, reached = [], 0.0
        line.append(word)
        reached += wide + blank


def _cell(paper: Paper, text: str, kind: Type, x: float, width: float, align: str) -> None:
    """Write a cell; one that is too long is cut, an ellipsis showing it."""
    shown = printable(text)
    wide = wide_of(paper, shown, kind)
    while wide > width and shown:
        shown = f"{shown.removesuffix('…')[:-1]}…"
        wide = wide_of(paper, shown, kind)
    _write(paper, shown, kind, x + (width - wide if align == "R" else 0.0), paper.y)


def table(paper: Paper, title: str, header: Sequence[tuple[str, float, str]], rows: Iterable[Sequence[str]]) -> None:
    """Write a table whose head is repeated on each page."""

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
    for row in rows:
        if paper.left_on_page() < LINE:
            paper.break_page()
            head()
        line(row, CELL)
