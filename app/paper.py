"""Letter paper for the Village's documents: embedded type, flowing text, a running head and foot, QR codes. All vector.

Lengths are points. Text is drawn line by line, so that a text of any length goes on over the page; what a font
lacks is written out by `printable` and never shown as an empty box.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import segno
from fpdf import FPDF
from fpdf.drawing_primitives import convert_to_device_color
from fpdf.fonts import TTFFont

FONTS = Path(__file__).with_name("fonts")
FACES = {"": "DejaVuSans.ttf", "B": "DejaVuSans-Bold.ttf", "I": "DejaVuSans-Oblique.ttf"}
MONO_FACE = "DejaVuSansMono.ttf"

WIDTH, HEIGHT = 612.0, 792.0
LEFT, RIGHT = 54.0, 558.0
TOP, BOTTOM = 40.0, 752.0
INNER = RIGHT - LEFT
_BODY_BOTTOM = 728.0
LEADING = 1.36
_PAGES = "\u200bpages"
"""Stands for the number of pages; no text holds it, since `printable` writes out its first sign."""

Colour = tuple[int, int, int]
INK: Colour = (26, 26, 26)
GREY: Colour = (89, 89, 89)
RULE: Colour = (190, 190, 190)
BLUE: Colour = (0, 114, 178)
VERMILION: Colour = (213, 94, 0)
PAPER: Colour = (255, 255, 255)


DRAFT = "DRAFT"
"""The mark of what only shows how a document would be issued."""


@dataclass(frozen=True)
class Running:
    """What every page of a document says of it.

    Parameters
    ----------
    head, place
        The Village, and its county and state.
    title
        What kind of document it is.
    document_no
        Its number.
    subject
        What it is about, on the second page and after.
    mark
        A word every page must carry, such as ``PROVISIONAL``; ``""`` for none.
    issued_at, issued
        When it was issued, and that in words.
    """

    head: str
    place: str
    title: str
    document_no: str
    subject: str
    mark: str
    issued_at: datetime
    issued: str

    @property
    def numbered(self) -> str:
        """Its number as it is written; a list that is kept nowhere has none."""
        return f"Document {self.document_no}" if self.document_no else "A list"


@dataclass(frozen=True)
class Type:
    """How a text is set: its size in points, face (``""``, ``"B"``, ``"I"``, ``"mono"``) and colour."""

    size: float
    face: str = ""
    colour: Colour = INK

    @property
    def line(self) -> float:
        """The height of a line."""
        return self.size * LEADING


@dataclass(frozen=True)
class Row:
    """A label in the left column, what stands under it, and the lines beside."""

    label: str
    lines: tuple[tuple[str, Type], ...]
    under: str = ""


@dataclass(frozen=True)
class Part:
    """A part of a document: its heading, its rows and a note under the heading."""

    heading: str
    rows: tuple[Row, ...]
    note: str = ""


_HEADING, _NOTE = Type(11.0, "B"), Type(8.0, "", GREY)
_LABEL = Type(8.0, "B", BLUE)
_COLUMN = 90.0
_BESIDE = LEFT + _COLUMN
_BESIDE_WIDTH = INNER - _COLUMN
_ROW_GAP, _PART_GAP = 6.0, 8.0


def printable(text: str) -> str:
    """Return a text as the documents' fonts can show it, on one line.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        Composed; every white space a blank; each character that a face lacks, or that has no shape of its own, as
        its code, such as ``[U+1F600]``.

    Examples
    --------
    >>> printable("Łódź Street \N{GRINNING FACE}")
    'Łódź Street [U+1F600]'
    """
    known = _signs()
    return "".join(
        " " if sign in "\t\n\v\f\r\x85\u2028\u2029" else sign if ord(sign) in known else f"[U+{ord(sign):04X}]"
        for sign in unicodedata.normalize("NFC", text)
    )


def unprintable(text: str) -> str:
    """Return the first sign of a text that the documents' fonts cannot show; ``""`` where they have all."""
    known = _signs()
    shown = (sign for sign in unicodedata.normalize("NFC", text) if not sign.isspace())
    return next((sign for sign in shown if ord(sign) not in known), "")


@lru_cache(maxsize=1)
def _signs() -> frozenset[int]:
    """Return the characters that each face of the text has, less those that show nothing or cannot be copied again."""
    reader = FPDF()
    for face, name in FACES.items():
        reader.add_font("text", face, FONTS / name)
    tables = []
    for font in reader.fonts.values():
        assert isinstance(font, TTFFont)
        tables.append(frozenset(font.cmap))
        font.close()
    common = frozenset.intersection(*tables)
    kept = (code for code in common if code <= 0xFFFF)  # a sign past it would be copied out of the file as another
    return frozenset(code for code in kept if unicodedata.category(chr(code)) not in {"Cc", "Cf", "Cs", "Co", "Cn"})


@cache
def _colour(r: Any, g: Any, b: Any) -> Any:
    return convert_to_device_color(r, g, b)


class Paper(FPDF):
    """A document being written, from the top of its first page on.

    Parameters
    ----------
    running
        What every page says.
    """

    def __init__(self, running: Running) -> None:
        super().__init__(unit="pt", format="letter")
        self.running = running
        self.floor = _BODY_BOTTOM
        self._broken: dict[tuple[str, Type, float], list[str]] = {}
        self.alias_nb_pages(_PAGES)
        self.set_auto_page_break(False)
        self.set_margins(LEFT, TOP, WIDTH - RIGHT)
        self.c_margin = 0.0
        for face, name in FACES.items():
            self.add_font("text", face, FONTS / name)
        self.add_font("mono", "", FONTS / MONO_FACE)
        self.set_creation_date(running.issued_at)
        self.set_title(printable(f"{running.title}: {running.subject}"))
        self.set_author(printable(running.head))
        self.set_subject(printable(running.numbered))
        self.set_lang("en-US")
        self.add_page()

    def close(self) -> None:
        """Close the files of the fonts."""
        for font in self.fonts.values():
            if isinstance(font, TTFFont):
                font.close()

    # --- colours: few, and set tens of thousands of times in a book ---

    def set_draw_color(self, r: Any, g: Any = -1, b: Any = -1) -> None:
        """Do as fpdf does, with each colour made once."""
        super().set_draw_color(_colour(r, g, b))

    def set_fill_color(self, r: Any, g: Any = -1, b: Any = -1) -> None:
        """Do as fpdf does, with each colour made once."""
        super().set_fill_color(_colour(r, g, b))

    def set_text_color(self, r: Any, g: Any = -1, b: Any = -1) -> None:
        """Do as fpdf does, with each colour made once."""
        super().set_text_color(_colour(r, g, b))

    # --- type ---

    def use(self, kind: Type) -> None:
        """Set what follows in a type."""
        if kind.face == "mono":
            self.set_font("mono", "", kind.size)
        else:
            self.set_font("text", kind.face, kind.size)
        self.set_text_color(*kind.colour)

    def width_of(self, text: str, kind: Type) -> float:
        """Return how wide a text is on one line."""
        self.use(kind)
        return self.get_string_width(printable(text))

    def lines_of(self, text: str, kind: Type, width: float) -> list[str]:
        """Return a text broken into lines; what is measured first and written then is broken once."""
        key = (text, kind, width)
        if key not in self._broken:
            self.use(kind)
            shown = printable(text).replace("§ ", "§\N{NO-BREAK SPACE}")
            lines = self.multi_cell(width, kind.line, shown, dry_run=True, output="LINES") if shown.strip() else []
            assert isinstance(lines, list)
            self._broken[key] = [str(line) for line in lines]
        return self._broken[key]

    def height_of(self, text: str, kind: Type, width: float) -> float:
        """Return how high a text will be."""
        return len(self.lines_of(text, kind, width)) * kind.line

    def put(self, text: str, kind: Type, x: float = LEFT, width: float = INNER, *, align: str = "L") -> None:
        """Write a text at the height reached, going on over the page, and move below it."""
        for line in self.lines_of(text, kind, width):
            self.room(kind.line)
            self.at(line, kind, x, self.y, width, align=align)
            self.set_y(self.y + kind.line)

    def at(self, text: str, kind: Type, x: float, y: float, width: float, *, align: str = "L", link: str = "") -> None:
        """Write one line in its place; the height reached stays as it was."""
        kept = self.y
        self.use(kind)
        self.set_xy(x, y)
        self.cell(width, kind.line, printable(text), align=align, link=link)
        self.set_y(kept)

    def fitted(self, text: str, kind: Type, width: float, least: float) -> Type:
        """Return the type made smaller, as far as `least`, until a text fits on one line."""
        wide = self.width_of(text, kind)
        return (
            kind if wide <= width else Type(max(least, int(kind.size * width / wide * 2) / 2), kind.face, kind.colour)
        )

    def shortened(self, text: str, kind: Type, width: float) -> str:
        """Return a text cut to one line, an ellipsis showing that it was."""
        if self.width_of(text, kind) <= width:
            return text
        kept = printable(text)
        while kept and self.width_of(kept + "…", kind) > width:
            kept = kept[:-1]
        return kept.rstrip() + "…"

    # --- the page ---

    def room(self, height: float) -> None:
        """Begin a page where a height does not fit on this one; one higher than a page begins where it is."""
        if self.y + height > self.floor and height <= _BODY_BOTTOM - TOP - 30:
            self.break_page()

    def break_page(self) -> None:
        """Go on at the top of the next page."""
        self.floor = _BODY_BOTTOM
        self.add_page()

    def left_on_page(self) -> float:
        """Return the height that is left on this page."""
        return self.floor - self.y

    def gap(self, height: float) -> None:
        """Leave a space."""
        self.set_y(self.y + height)

    def header(self) -> None:
        """Write the letterhead on the first page, the running head on the others."""
        if self.page_no() == 1:
            self._letterhead()
            return
        self._tag(RIGHT, TOP)
        small = Type(8.0, "", GREY)
        text = f"{self.running.head} · {self.running.title} · {self.running.subject}"
        self.at(self.shortened(text, small, INNER - 110), small, LEFT, TOP, INNER - 110)
        self._rule(TOP + 17, 0.6, RULE)
        self.set_y(TOP + 30)

    def footer(self) -> None:
        """Write the document's number, when it was issued, and which page of how many this is."""
        small = Type(7.5, "", GREY)
        self._rule(BOTTOM - 16, 0.6, RULE)
        word = "drawn up" if self.running.mark == DRAFT else "issued"
        told = f"{self.running.numbered} · {word} {self.running.issued}"
        self.at(self.shortened(told, small, INNER - 80), small, LEFT, BOTTOM - 12, INNER - 80)
        place = f"Page {self.page_no()} of "
        self.at(place, small, x := RIGHT - self.width_of(place + "9", small), BOTTOM - 12, RIGHT - x)
        self.set_xy(x + self.width_of(place, small), BOTTOM - 12)
        self.cell(10, small.line, _PAGES)

    def _letterhead(self) -> None:
        head = Type(15.0, "B")
        number = self.running.numbered
        self.at(self.shortened(self.running.head, head, 320), head, LEFT, TOP - 4, 320)
        self.at(self.running.place, Type(8.5, "", GREY), LEFT, TOP + 15, 320)
        title = self.fitted(self.running.title, Type(11.0, "B", BLUE), 180, 7.0)
        self.at(self.shortened(self.running.title, title, 180), title, RIGHT - 180, TOP - 1, 180, align="R")
        small = Type(8.5, "", GREY)
        self.at(self.shortened(number, small, 180), small, RIGHT - 180, TOP + 15, 180, align="R")
        self._rule(TOP + 32, 2.0, BLUE)
        self.set_y(TOP + 44)

    def _tag(self, right: float, y: float) -> None:
        if not self.running.mark:
            return
        kind = Type(7.5, "B", VERMILION)
        wide = self.width_of(self.running.mark, kind) + 12
        self.set_draw_color(*VERMILION)
        self.set_line_width(1.0)
        self.rect(right - wide, y - 1, wide, 13)
        self.at(self.running.mark, kind, right - wide, y + 0.3, wide, align="C")

    def _rule(self, y: float, weight: float, colour: Colour) -> None:
        self.set_draw_color(*colour)
        self.set_line_width(weight)
        self.line(LEFT, y, RIGHT, y)

    # --- parts ---

    def part_height(self, part: Part) -> float:
        """Return how high a part will be where it meets no end of a page."""
        rows = sum(self._row_height(row) + _ROW_GAP for row in part.rows)
        return self._heading_height(part) + rows + _PART_GAP

    def write_part(self, part: Part) -> None:
        """Write a part: its heading with the first row, each row together on a page where it fits on one."""
        self.room(self._heading_height(part) + min(self._row_height(part.rows[0]), 120.0))
        self.put(part.heading, _HEADING)
        self.put(part.note, _NOTE)
        self.gap(4)
        for row in part.rows:
            self._write_row(row)
        self.gap(_PART_GAP)

    def _heading_height(self, part: Part) -> float:
        return self.height_of(part.heading, _HEADING, INNER) + self.height_of(part.note, _NOTE, INNER) + 4

    def _row_height(self, row: Row) -> float:
        beside = sum(self.height_of(text, kind, _BESIDE_WIDTH) for text, kind in row.lines)
        label = self.height_of(row.label, _LABEL, _COLUMN - 10) + self.height_of(row.under, _NOTE, _COLUMN - 10)
        return max(beside, label)

    def _write_row(self, row: Row) -> None:
        self.room(self._row_height(row))
        top, page = self.y, self.page_no()
        self.put(row.label, _LABEL, LEFT, _COLUMN - 10)
        self.put(row.under, _NOTE, LEFT, _COLUMN - 10)
        label_end = self.y
        if self.page_no() == page:
            self.set_y(top)
        for text, kind in row.lines:
            self.put(text, kind, _BESIDE, _BESIDE_WIDTH)
        if self.page_no() == page:
            self.set_y(max(self.y, label_end))
        self.gap(_ROW_GAP)

    # --- drawings ---

    def box(
        self, x: float, y: float, width: float, height: float, colour: Colour, fill: Colour, *, dashed: bool
    ) -> None:
        """Draw a box with a heavy edge."""
        self.set_draw_color(*colour)
        self.set_fill_color(*fill)
        self.set_line_width(1.6)
        if dashed:
            self.set_dash_pattern(dash=6, gap=3)
        self.rect(x, y, width, height, style="DF")
        self.set_dash_pattern()

    def qr(self, text: str, x: float, y: float, size: float) -> None:
        """Draw a QR code with its quiet zone in a square."""
        rows = qr_matrix(text)
        module = size / (len(rows) + 8)
        self.set_fill_color(0, 0, 0)
        for down, row in enumerate(rows, start=4):
            for start, end in _runs(row):
                left, top = x + (start + 4) * module, y + down * module
                self.rect(left, top, (end - start) * module, module, style="F")
        self.link(x, y, size, size, text)


def qr_matrix(text: str) -> tuple[tuple[int, ...], ...]:
    """Return the modules of a text's QR code, 1 dark, without a quiet zone."""
    return tuple(tuple(int(module) for module in row) for row in segno.make(text, error="m", micro=False).matrix)


def _runs(row: Sequence[int]) -> list[tuple[int, int]]:
    edges = [k for k in range(len(row) + 1) if (row[k] if k < len(row) else 0) != (row[k - 1] if k else 0)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def written(running: Running, write: Callable[[Paper], None]) -> bytes:
    """Write a document and return it as a PDF.

    Parameters
    ----------
    running
        What every page says.
    write
        Writes the body.

    Returns
    -------
    bytes
        The same for the same input.
    """
    with closing(Paper(running)) as paper:
        write(paper)
        return bytes(paper.output())
