"""The plat book on letter paper: a cover, the pages of each street, an index of streets and one of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby

from app.clocks import said_day, said_instant
from app.legend import Frame
from app.paper import (
    BLUE,
    GREY,
    INK,
    INNER,
    LEFT,
    PAPER,
    RIGHT,
    VERMILION,
    Colour,
    Paper,
    Running,
    Type,
    printable,
    written,
)
from app.plat_book import LAW, Book, Street
from app.plat_cells import flow, table, wide_of
from app.plat_locator import locator
from app.plat_marks import Box, Given, Line, LotFront, Mark, Strip, Text
from gis.numbering import side_names

_TEXT, _STRONG, _QUIET, _LAW = Type(9.0), Type(9.0, "B"), Type(8.0, "", GREY), Type(8.5, "I", (60, 60, 60))
_SMALL = Type(7.0, "", GREY)
_PROVES = (
    "The head of the register's audit log when this book was made. To prove that nothing recorded up to then has been "
    "altered or removed since, on the computer that serves: benton-streets verify --head HEAD"
)
_LOCATOR = Frame(0.0, 0.0, 216.0, 138.0)
PENS: dict[str, tuple[Colour, float, tuple[float, float] | None]] = {
    "unit": ((120, 120, 120), 0.4, None),
    "leader": (INK, 0.5, None),
    "line": (INK, 1.0, None),
    "line assumed": (INK, 0.8, (3.0, 2.0)),
    "north": (INK, 0.9, None),
}
"""How lines of a strip are drawn."""
FILLS: dict[str, tuple[Colour, Colour, float]] = {
    "street": ((243, 243, 240), (110, 110, 110), 0.9),
    "lot": (PAPER, (150, 150, 150), 0.5),
    "door": (INK, INK, 0.3),
    "bar": (PAPER, INK, 0.5),
    "bar full": (INK, INK, 0.5),
}
"""How boxes are drawn: filled, edged, and how heavy."""
FACES: dict[str, tuple[str, Colour]] = {
    "title": ("B", INK),
    "quiet": ("", GREY),
    "side": ("I", INK),
    "block": ("", INK),
    "ruled": ("", GREY),
    "parcel": ("", INK),
    "name": ("", BLUE),
    "official": ("B", INK),
    "provisional": ("", INK),
    "proposed": ("I", GREY),
}
"""How texts are set."""


def plat_pdf(book: Book, *, whole: bool = True) -> bytes:
    """Write a plat book.

    Parameters
    ----------
    book
        What it says.
    whole
        Whether with its cover and indexes; else the streets' pages with the proof at their end.

    Returns
    -------
    bytes
        A PDF of letter pages, the same for the same book.
    """
    made = book.as_of or datetime(2000, 1, 1, tzinfo=UTC)
    about, edition = book.village.files.settings, book.village.edition
    running = Running(
        head=f"Village of {about.name}",
        place=f"{about.county}, {about.state}",
        title="Plat book",
        document_no=book.number,
        subject="Streets" if whole else ", ".join(s.about.name for s in book.streets[:3]),
        mark="" if edition and edition.adopted else "DRAFT",
        issued_at=made,
        issued=f"as of {said_instant(made)}",
    )

    def write(paper: Paper) -> None:
        pages: dict[str, int] = {}
        numbers: dict[int, int] = {}
        if whole:
            _cover(paper, book)
        for k, street in enumerate(book.streets):
            if whole or k:
                paper.running = replace(running, subject=street.about.name)
                paper.break_page()
            pages[street.about.name] = paper.page_no()
            paper.start_section(street.about.name)
            numbers |= _street(paper, book, street)
        if whole:
            paper.running = replace(running, subject="Index")
            _indexes(paper, book, pages, numbers)
        else:
            _proof(paper, book)

    return written(running, write)


# --- the cover ---


def _cover(paper: Paper, book: Book) -> None:
    edition, law = book.village.edition, book.village.law
    paper.start_section("Cover")
    paper.gap(18)
    paper.put("Plat book of all streets, avenues and public highways", Type(24.0, "B"))
    paper.gap(6)
    paper.put(f"“{LAW}” § 288-15 I", _LAW)
    paper.gap(12)
    _boxed(paper, book)
    counts = ", ".join(f"{n:,} {status}" for status, n in sorted(book.counts.items())) or "none given yet"
    known, lost = book.lots
    facts = [
        ("Map", edition.state if edition else "No version of the register."),
        ("Law", f"§ 288-15 as of {said_day(law.day)}"),
        ("Streets", f"{len(book.streets)}, each on pages of its own, by name"),
        ("Numbers in use", counts),
        ("Lots", f"{known:,}" + (f", of which {lost:,} front on no street" if lost else "") if known else
                 "none in the register yet; the strips show each face's numbers, built or vacant"),
    ]  # fmt: skip
    for label, text in facts:
        top = paper.y
        paper.put(label, Type(8.0, "B", BLUE), LEFT, 90)
        paper.set_y(top)
        paper.put(text, _TEXT, LEFT + 96, INNER - 96)
        paper.gap(3)
    paper.gap(8)
    paper.put("How to read a strip", Type(11.0, "B"))
    for text in _READING:
        paper.put(f"• {text}", _TEXT)
    paper.gap(10)
    _proof(paper, book)


_READING = (
    "Each half-street is drawn straight, outward from its base line from left to right, at the scale of its bar; feet "
    "from the base line stand below. N points to grid north.",
    "Small ticks are units of frontage, every fifth longer; the small grey numbers begin where they stand.",
    "Each street's small map shows its true shape among the others; there the dashed arrow is the north of the axes.",
    "Numbers in use stand upright, with a leader toward their entrances, which are dots at the street's edge: bold "
    "official, plain provisional, slanted proposed. One with a letter N, S, E or W has a number of that half.",
    "A solid line across is a block line on the ground; a dashed one is assumed, a street extended.",
    "Nothing here names an owner.",
)


def _boxed(paper: Paper, book: Book) -> None:
    """Say what is provisional: a draft map, placeholder names, open units."""
    village, edition = book.village, book.village.edition
    nameless = [s.about.name for s in book.streets if s.about.name_status == "placeholder"]
    adopted = bool(edition and edition.adopted)
    lines = [("ADOPTED" if adopted else "DRAFT", Type(12.0, "B", BLUE if adopted else VERMILION))]
    lines += [(village.draft, _TEXT)] if village.draft else []
    lines += [(edition.caution, _TEXT)] if edition and edition.caution else []
    if nameless:
        lines.append(
            (f"{len(nameless)} streets have a placeholder for a name that is not known: {', '.join(nameless)}.", _TEXT)
        )
    lines += [(f"{found.kind.title}. {found.message}", _TEXT) for found in village.map.findings]
    if book.unread:
        lines.append((f"The outlines of {len(book.unread)} lots cannot be read: {', '.join(book.unread[:20])}.", _TEXT))
    inner = INNER - 20
    height = sum(paper.height_of(text, kind, inner) for text, kind in lines) + 12
    fill, edge = ((240, 246, 250), BLUE) if adopted else ((255, 247, 240), VERMILION)
    paper.box(LEFT, paper.y, INNER, height, edge, fill, dashed=not adopted)
    paper.gap(5)
    for text, kind in lines:
        paper.put(text, kind, LEFT + 10, inner)
    paper.gap(15)


def _proof(paper: Paper, book: Book) -> None:
    paper.room(60)
    paper.put("Audit log head", Type(7.5, "B", GREY))
    paper.put(book.head, Type(7.5, "mono"))
    paper.put(_PROVES, Type(7.5, "", GREY))


# --- a street ---


def _street(paper: Paper, book: Book, street: Street) -> dict[int, int]:
    """Write a street; returns the page of each number in use, by the id of its address."""
    on_strips: dict[int, int] = {}
    _heading(paper, book, street)
    for strip in street.strips:
        paper.room(strip.height)
        on_strips |= dict.fromkeys(strip.written, paper.page_no())
        _strip(paper, strip)
        paper.gap(strip.height + 6)
    if not street.strips:
        paper.put("Nothing of this street is on the ground.", _TEXT)
    _blocks(paper, book, street)
    _findings(paper, street)
    listed = _given(paper, book, street)
    _lots(paper, book, street)
    return {**listed, **on_strips}


def _heading(paper: Paper, book: Book, street: Street) -> None:
    """Write a street's name and facts beside the map of where it lies."""
    top, about = paper.y, street.about
    beside = INNER - _LOCATOR.width - 16
    paper.put(about.name, paper.fitted(about.name, Type(19.0, "B"), beside, 13.0), LEFT, beside)
    paper.gap(2)
    status = (
        ""
        if about.name_status == "confirmed"
        else f"Its name is {about.name_status}: an officer has yet to confirm it."
    )
    facts = (
        status,
        f"Numbered from {' and '.join(street.base_lines)} (§ 288-15 C).",
        f"Halves: {', '.join(about.halves)}. On the ground: {about.length_ft:,.0f} ft ({', '.join(about.kind)}). "
        f"Rows of the map: {about.blocks}.",
        f"{len(street.given)} numbers in use, {len({f.parcel for f in street.lots})} lots.",
    )
    for text in facts:
        if text:
            paper.put(text, _TEXT, LEFT, beside)
    left_end = paper.y
    locator(paper, book.village, street.about.name, Frame(RIGHT - _LOCATOR.width, top, _LOCATOR.width, _LOCATOR.height))
    paper.set_y(max(left_end, top + _LOCATOR.height) + 10)


# --- a strip ---


def _strip(paper: Paper, strip: Strip) -> None:
    top = paper.y
    for mark in strip.marks:
        _mark(paper, mark, top)
    paper.set_y(top)


def _mark(paper: Paper, mark: Mark, top: float) -> None:
    if isinstance(mark, Line):
        colour, weight, dash = PENS[mark.role]
        paper.set_draw_color(*colour)
        paper.set_line_width(weight)
        if dash:
            paper.set_dash_pattern(dash=dash[0], gap=dash[1])
        paper.line(LEFT + mark.x1, top + mark.y1, LEFT + mark.x2, top + mark.y2)
        if dash:
            paper.set_dash_pattern()
    elif isinstance(mark, Box):
        fill, edge, weight = FILLS[mark.role]
        paper.set_fill_color(*fill)
        paper.set_draw_color(*edge)
        paper.set_line_width(weight)
        paper.rect(LEFT + mark.x, top + mark.y, mark.width, mark.height, style="DF")
    else:
        _text(paper, mark, top)


def _text(paper: Paper, mark: Text, top: float) -> None:
    face, colour = FACES[mark.role]
    kind = Type(mark.size, face, colour)
    text = printable(mark.text)
    wide = wide_of(paper, text, kind)
    back = {"start": 0.0, "middle": wide / 2, "end": wide}[mark.anchor]
    x, y = LEFT + mark.x, top + mark.y
    paper.use(kind)
    if mark.upward:
        with paper.rotation(90, x, y + back):
            paper.text(x, y + back, text)
    else:
        paper.text(x - back, y, text)


# --- lists ---


def _blocks(paper: Paper, book: Book, street: Street) -> None:
    law = book.village.law.numbering
    header = [("Half", 46.0, "L"), ("Numbers", 54.0, "L"), ("From", 46.0, "R"), ("To", 46.0, "R"),
              ("Length", 52.0, "R"), ("Unit", 32.0, "R"), ("Tail", 36.0, "R"), ("State", 46.0, "L"),
              ("Bounded by", 146.0, "L")]  # fmt: skip
    rows = (
        (
            f"{row.side}{f' {row.path}' if row.path else ''}",
            f"{row.hundred + law.first_even}–{row.hundred + law.hundred - 1}",
            *(f"{ft:,.1f}" for ft in (row.from_ft, row.to_ft)),
            f"{row.record_ft:,.1f} rec." if row.record_ft else f"{row.length_ft:,.1f}",
            f"{row.unit_ft} ft",
            f"{row.tail_ft(law):,.1f}" if row.tail_ft(law) else "",
            "open" if row.virtual else "built" if row.built else "extended",
            " to ".join(filter(None, (" and ".join(row.from_streets), " and ".join(row.to_streets)))) or "no street",
        )
        for row in street.rows
    )
    table(paper, "Blocks, by half, outward; feet", header, rows)


def _findings(paper: Paper, street: Street) -> None:
    if not street.findings:
        return
    paper.gap(6)
    paper.room(40)
    paper.put("What is doubtful", Type(10.5, "B"))
    for where, found in street.findings:
        flow(paper, f"{where}: {found.message} (§ {found.section})", Type(8.0))
    paper.gap(2)


def _given(paper: Paper, book: Book, street: Street) -> dict[int, int]:
    """Write the numbers in use in words, side by side of each half; returns the page on which each one's side begins.

    A strip leaves out what it has no room for, and what has no place on the row; the list has all.
    """
    pages: dict[int, int] = {}
    if not street.given and not street.unplaced:
        return pages
    paper.gap(6)
    paper.room(40)
    paper.put("Numbers in use, outward", Type(10.5, "B"))
    for label, members in _byside_of(book, street.given):
        paper.room(Type(8.0).line)
        pages |= dict.fromkeys((g.id for g in members), paper.page_no())
        flow(paper, f"{label}: {', '.join(_marked(g) for g in members)}", Type(8.0))
    if street.unplaced:
        paper.room(Type(8.0).line)
        pages |= dict.fromkeys((g.id for g in street.unplaced), paper.page_no())
        flow(paper, f"With no place on the row: {', '.join(g.full for g in street.unplaced)}", Type(8.0))
    hidden = [text for strip in street.strips for text in strip.unwritten]
    if hidden:
        flow(paper, f"For want of room the strips do not show {', '.join(hidden)}.", _SMALL)
    return pages


def _marked(given: Given) -> str:
    return given.text if given.status == "official" else f"{given.text} ({given.status[:4]}.)"


def _byside_of(book: Book, given: Sequence[Given]) -> Iterator[tuple[str, list[Given]]]:
    groups: dict[tuple[int, bool], list[Given]] = {}
    for one in given:
        groups.setdefault((one.half, one.even), []).append(one)
    for (half, even), members in groups.items():
        yield side_of(book, half, even=even), members


def side_of(book: Book, half: int, *, even: bool) -> str:
    """Name one side of a half-street: ``"North half, east side"``."""
    found = book.village.map.halves[half]
    side = side_names(book.village.network.streets[found.street].family)[even]
    return f"{found.name} half, {side} side"


def _lots(paper: Paper, book: Book, street: Street) -> None:
    """Write a row of numbers for each lot, built or vacant (§ 288-15 A, E)."""
    if not street.lots:
        return
    header = [("Lot", 90.0, "L"), ("Half and side", 116.0, "L"), ("Frontage, ft", 106.0, "R"),
              ("Its numbers", 96.0, "L"), ("Shared", 36.0, "L"), ("In use", 60.0, "L")]  # fmt: skip
    rows = (
        (
            lot.parcel,
            side_of(book, lot.half, even=lot.even),
            f"{lot.from_ft:,.1f} to {lot.to_ft:,.1f}",
            numbers_of(lot),
            str(lot.shared or ""),
            ", ".join(lot.given) or "none",
        )
        for lot in street.lots
    )
    title = "“All lots and parts of lots in the Village shall be numbered” (§ 288-15 A)"
    table(paper, title, header, rows, below=2 * _SMALL.line)
    paper.put(
        "“Shared”: the number that begins on the neighbor's lot and reaches into this one; it is the neighbor's.",
        _SMALL,
    )


def numbers_of(lot: LotFront) -> str:
    """Write the numbers that a lot embraces.

    Examples
    --------
    >>> numbers_of(LotFront("1", 0, True, 0.0, 40.0, (10, 12, 14), None))
    '10 to 14 (3)'
    """
    if not lot.numbers:
        return "none of its own"
    if len(lot.numbers) == 1:
        return str(lot.numbers[0])
    return f"{lot.numbers[0]} to {lot.numbers[-1]} ({len(lot.numbers)})"


# --- the indexes ---


def _indexes(paper: Paper, book: Book, pages: dict[str, int], numbers: dict[int, int]) -> None:
    paper.break_page()
    paper.start_section("Index of streets")
    header = [("Street", 196.0, "L"), ("Page", 40.0, "R"), ("Name is", 76.0, "L"), ("Halves", 104.0, "L"),
              ("In use", 48.0, "R"), ("Lots", 40.0, "R")]  # fmt: skip
    rows = (
        (
            s.about.name,
            str(pages[s.about.name]),
            s.about.name_status,
            ", ".join(s.about.halves),
            str(len(s.given) + len(s.unplaced)),
            str(len({f.parcel for f in s.lots}) or ""),
        )
        for s in book.streets
    )
    table(paper, "Index of streets", header, rows)
    paper.start_section("Index of numbers")
    paper.gap(10)
    paper.room(60)
    paper.put("Index of numbers in use", Type(10.5, "B"))
    for s in book.streets:
        for half, members in _by_half(book, s):
            told = groupby(sorted(members, key=lambda g: numbers[g.id]), key=lambda g: numbers[g.id])
            where = "; ".join(f"page {page}: {', '.join(g.text for g in own)}" for page, own in told)
            flow(paper, f"{half} {s.about.name}, {where}", Type(8.0))
    if book.elsewhere:
        flow(paper, f"On streets that the map does not have: {', '.join(g.full for g in book.elsewhere)}", Type(8.0))
    if not any(s.given or s.unplaced for s in book.streets) and not book.elsewhere:
        paper.put("No number is in use yet.", _TEXT)


def _by_half(book: Book, street: Street) -> Iterator[tuple[str, list[Given]]]:
    """Give the numbers in use of each half, rising."""
    halves: dict[str, list[Given]] = {}
    for one in (*street.given, *street.unplaced):
        name = book.village.map.halves[one.half].name if one.half >= 0 else "No place on"
        halves.setdefault(name, []).append(one)
    for name, members in halves.items():
        yield name, sorted(members, key=lambda g: (len(g.text.split(" ")[0]), g.text))
