"""The certificate of address and the assignment notice, read back from their PDFs."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import segno
from pypdf import PageObject, PdfReader

from app.clocks import within_days
from app.documents import Drawn, Neighbour, Notice, Sheet, assignment_notice, certificate, printable
from app.paper import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, Paper, Running, Type, qr_matrix, written
from app.sketch import Plan

URL = "https://streets.example.gov/a/145-north-alma-street"
HEAD = "0123456789abcdef" * 4
LONG = "Saint Bartholomew and Saint Wenceslaus Memorial Parkway Road"  # 60 characters


def line(*coords: tuple[float, float]) -> Any:
    return np.array(coords, dtype=np.float64)


# Alma Street runs north from Main; First Avenue crosses it 330 ft up. The door is 145 North Alma: west side.
DRAWN = (
    Drawn(line((-600, 0), (600, 0)), "street", "Main Street"),
    Drawn(line((0, 0), (0, 900)), "street", "Alma Street"),
    Drawn(line((-600, 330), (600, 330)), "street", "First Avenue"),
    Drawn(line((-400, 165), (0, 165)), "alley"),
    Drawn(line((200, 330), (200, 900)), "private", "Mill Court"),
    Drawn(line((300, 330), (300, 900)), "path"),
    Drawn(line((-600, 0), (600, 0)), "base_line", "Main Street"),
    Drawn(line((600, 0), (900, 0)), "base_line", "Main Street", assumed=True),
    Drawn(line((0, -300), (0, 0)), "extension", "Alma Street extended", assumed=True),
    Drawn(line((-60, 330), (60, 330)), "block_line", "First Avenue"),
    Drawn(line((-60, 660), (60, 660)), "block_line", "Second Avenue", assumed=True),
    Drawn(line((0, 330), (0, 660)), "block", "100 block"),
    Drawn(line((0, 466), (0, 474)), "unit", "145"),
    Drawn(line((-40, 470), (0, 470)), "offset"),
    Drawn(line((-80, 450), (-40, 450), (-40, 490), (-80, 490), (-80, 450)), "building"),
    Drawn(line((-120, 430), (-33, 430), (-33, 510), (-120, 510), (-120, 430)), "lot"),
)
STEPS = (
    {
        "section": "288-15 C(2)",
        "text": "Alma Street runs north-south, so its base line is Main Street.",
        "law": "All buildings and lots on diagonal streets relative to the base line streets shall be numbered as "
        "north and south if the diagonal street tends to parallel Van Buren Street.",
        "reading": "Read as: the base line its bearing is nearer to.",
    },
    {"section": "288-15 E", "text": "West side: odd. 100 + 11 + 2 x 17 = 145.", "law": "", "reading": ""},
)
FINDING = {"title": "Near the diagonal", "message": "It lies near.", "section": "288-15 C(2)", "severity": "decide"}
SHEET = Sheet(
    village="Benton",
    county="Lafayette County",
    state="Wisconsin",
    document_no="2026-0042",
    issued_at=datetime(2026, 6, 1, 20, 5, tzinfo=UTC),
    issued_by="Dana Meyer, Deputy Clerk",
    acting_for="the Village Clerk-Treasurer",
    address="145 North Alma Street",
    usps="145 N ALMA ST",
    status="official",
    map_version=2,
    map_state="Street Numbering Map version 2, adopted by the Village Board on Tue, May 12, 2026, act 2026-07.",
    map_notes=(),
    law_date=date(2026, 6, 1),
    steps=STEPS,
    findings=(),
    reason="",
    computed="",
    drawn=DRAWN,
    entrance=(-40.0, 470.0),
    neighbours=(Neighbour(-50, 430, "143"), Neighbour(-50, 520, "147"), Neighbour(55, 480, "146½")),
    grid_north_deg=0.0,
    axis_north_deg=-39.0,
    audit_head=HEAD,
    public_url=URL,
)
PROVISIONAL = replace(
    SHEET,
    status="provisional",
    map_state="Draft map, not adopted: this number is provisional.",
    map_notes=("Street names are placeholders.",),
)
LONG_SHEET = replace(
    PROVISIONAL,
    address=f"10145 North {LONG}",
    usps=f"10145 N {LONG.upper()}",
    drawn=(*DRAWN, Drawn(line((-500, -200), (500, 700)), "street", LONG)),
    findings=tuple(
        {**FINDING, "title": f"Finding {k}", "message": "It lies near the diagonal. " * 9} for k in range(12)
    ),
    computed=f"10147 North {LONG}",
    reason="The neighbour was numbered first.",
)
NOTICE = Notice(
    assigned_on=date(2026, 6, 1),
    deadline=within_days(date(2026, 6, 1), 20, "288-15 G(2)"),
    first_number=True,
    addressee="Owner, occupant or agent\nÉlodie Wałęsa",
    display="at_building",
    set_back_ft=22.0,
    set_back_uncertainty_ft=6.0,
    set_back_from_door=False,
    assumed_width_ft=66.0,
    old_address="",
    doors=1,
)
MEASURE = replace(
    NOTICE,
    first_number=False,
    display="measure_it",
    set_back_ft=48.25,
    set_back_uncertainty_ft=15.0,
    set_back_from_door=True,
    old_address="119½ Alma Street",
    doors=3,
)
BARE = replace(SHEET, drawn=(), neighbours=(), steps=(), usps="", public_url="", acting_for="", map_state="")
SAMPLES = {
    "official": certificate(SHEET),
    "provisional": certificate(PROVISIONAL),
    "long": certificate(LONG_SHEET),
    "bare": certificate(BARE),
    "notice": assignment_notice(SHEET, NOTICE),
    "measure": assignment_notice(PROVISIONAL, MEASURE),
    "long notice": assignment_notice(LONG_SHEET, replace(NOTICE, display="at_street_line", set_back_ft=120.0)),
}


def pages(pdf: bytes) -> list[PageObject]:
    return list(PdfReader(BytesIO(pdf)).pages)


def said(pdf: bytes) -> str:
    """All the text of a document with single blanks."""
    return " ".join(" ".join(page.extract_text() for page in pages(pdf)).split())


# --- what a certificate says ---


def test_a_certificate_says_the_address_its_status_and_where_it_comes_from() -> None:
    text = said(SAMPLES["official"])
    for expected in (
        *("Village of Benton", "Lafayette County, Wisconsin", "Certificate of address", "Document 2026-0042"),
        *("145 North Alma Street", "USPS form: 145 N ALMA ST", "OFFICIAL", SHEET.map_state),
        *("Issued by Dana Meyer, Deputy Clerk, acting for the Village Clerk-Treasurer", HEAD, URL),
        *("Mon, June 1, 2026, 3:05 pm CDT", "nothing recorded up to then has been altered"),
        *(
            "Main Street",
            "First Avenue",
            "Mill Court",
            "143",
            "147",
            "146½",
            "grid north",
            "axis north",
            "39° to its left",
        ),
        *("200 ft", "main entrance", "block line, assumed", "unit of frontage", "number in use"),
    ):
        assert expected in text, expected
    assert "PROVISIONAL" not in text


def test_each_step_stands_with_its_section_and_the_laws_words_in_quotation_marks() -> None:
    text = said(SAMPLES["official"])
    assert "§ 288-15 C(2)" in text
    assert f"“{STEPS[0]['law']}”" in text
    assert STEPS[0]["reading"] in text
    assert "“”" not in text


def test_a_provisional_number_says_so_on_every_page() -> None:
    for name in ("provisional", "long", "measure", "long notice"):
        for page in pages(SAMPLES[name]):
            assert "PROVISIONAL" in page.extract_text()
    text = said(SAMPLES["provisional"])
    assert "This is not an official number. It may still change." in text
    assert "Draft map, not adopted" in text
    assert "Street names are placeholders." in text
    assert "OFFICIAL" not in text


def test_a_chosen_number_stands_beside_the_computed_one_with_its_reason() -> None:
    text = said(SAMPLES["long"])
    assert f"Computed 10147 North {LONG}" in text
    assert "The neighbour was numbered first." in text
    assert "Computed" not in said(SAMPLES["official"])


def test_every_finding_stands_with_its_section_and_a_decision() -> None:
    text = said(SAMPLES["long"])
    assert all(f"Finding {k}" in text for k in range(12))
    decided = certificate(replace(SHEET, findings=({**FINDING, "decision": "north and south, by the Clerk"},)))
    assert "An officer decides" in said(decided)
    assert "Decided: north and south, by the Clerk" in said(decided)


def test_a_short_certificate_is_one_page_and_pages_are_counted() -> None:
    assert len(pages(SAMPLES["official"])) == 1
    found = pages(SAMPLES["long"])
    assert len(found) > 1
    for number, page in enumerate(found, start=1):
        assert re.search(rf"Page {number} of\s*{len(found)}(?!\d)", page.extract_text())


def test_a_finding_longer_than_a_page_goes_on_over_pages() -> None:
    told = "It lies near the diagonal. " * 400
    text = said(certificate(replace(SHEET, findings=({**FINDING, "message": told},))))
    assert text.count("It lies near the diagonal") + text.count("It lies near the") >= 400


# --- signs ---


def test_every_sign_of_law_and_names_is_kept() -> None:
    signs = "§ ½ ⅓ “law” ‘so’ é É ł ę ñ ü – — × ± ° ′ ″ €"
    assert printable(signs) == signs
    assert signs in said(certificate(replace(SHEET, issued_by=signs)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\N{GRINNING FACE}b", "a[U+1F600]b"),
        ("\N{CJK UNIFIED IDEOGRAPH-4E2D}", "[U+4E2D]"),
        ("a\u202eb", "a[U+202E]b"),
        ("a\u200bpages", "a[U+200B]pages"),
        ("a\x07b", "a[U+0007]b"),
        ("e\u0301", "é"),
        ("two\nlines\tapart", "two lines apart"),
        ("\ud800", "[U+D800]"),
    ],
)
def test_a_sign_the_font_lacks_is_written_as_its_code(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_an_address_with_such_a_sign_is_printed_with_its_code() -> None:
    text = said(certificate(replace(SHEET, address="145 North \N{GRINNING FACE} Alma {nb} Street")))
    assert "145 North [U+1F600] Alma {nb} Street" in text


# --- the file ---


@pytest.mark.parametrize("name", SAMPLES)
def test_every_page_is_letter_size(name: str) -> None:
    assert {(float(p.mediabox.width), float(p.mediabox.height)) for p in pages(SAMPLES[name])} == {(612.0, 792.0)}


@pytest.mark.parametrize("name", SAMPLES)
def test_no_text_stands_outside_the_margins(name: str) -> None:
    placed = [one for page in pages(SAMPLES[name]) for one in texts(page)]
    assert len(placed) > 20
    with closing(Paper(Running("", "", "", "", "", "", SHEET.issued_at, ""))) as paper:
        for text, x, y, size, face, level in placed:
            assert LEFT - 0.1 <= x <= RIGHT, text
            assert HEIGHT - BOTTOM - 0.1 <= y <= HEIGHT - TOP + 0.1, text
            if level:
                assert x + paper.width_of(text, Type(size, face)) <= RIGHT + 0.6, text


def texts(page: PageObject) -> Iterator[tuple[str, float, float, float, str, bool]]:
    """Each text of a page, where it begins, its size and face, and whether it runs level."""
    found = []

    def visit(text: str, cm: list[float], tm: list[float], font: Any, size: float) -> None:
        shown = text.strip("\n")
        if not shown.strip() or font is None:
            return
        x, y = tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        base = str(font["/BaseFont"])
        face = "mono" if "Mono" in base else "B" if "Bold" in base else "I" if "Oblique" in base else ""
        found.append((shown, x, y, size, face, abs(cm[1]) < 1e-9))

    page.extract_text(visitor_text=visit)
    yield from found


def test_the_same_input_gives_the_same_file_created_when_it_was_issued() -> None:
    assert certificate(SHEET) == SAMPLES["official"]
    assert assignment_notice(SHEET, NOTICE) == SAMPLES["notice"]
    meta = PdfReader(BytesIO(SAMPLES["official"])).metadata
    assert meta is not None
    assert meta.creation_date == SHEET.issued_at
    assert meta.title == "Certificate of address: 145 North Alma Street"


def test_fonts_are_embedded_subsets_and_nothing_is_a_picture() -> None:
    for page in pages(SAMPLES["measure"]):
        resources = page["/Resources"]
        fonts = [font.get_object() for font in resources["/Font"].values()]  # type: ignore[index]
        assert fonts
        for font in fonts:
            descriptor = font["/DescendantFonts"][0].get_object()["/FontDescriptor"]
            assert "/FontFile2" in descriptor
            assert re.match(r"/[A-Z]{6}\+", str(font["/BaseFont"]))
        assert not page.images
    assert len(SAMPLES["measure"]) < 200_000


def test_the_qr_code_is_drawn_as_segno_makes_it() -> None:
    expected = tuple(tuple(int(m) for m in row) for row in segno.make(URL, error="m", micro=False).matrix)
    assert qr_matrix(URL) == expected
    running = Running("", "", "", "", "", "", SHEET.issued_at, "")
    module, quiet = 2.0, 4
    size = (len(expected) + 2 * quiet) * module
    (page,) = pages(written(running, lambda paper: paper.qr(URL, 100.0, 200.0, size)))
    assert drawn_modules(page, 100.0, 200.0, module, len(expected) + 2 * quiet) == padded(expected, quiet)


def padded(rows: tuple[tuple[int, ...], ...], quiet: int) -> list[list[int]]:
    blank = [[0] * (len(rows) + 2 * quiet)] * quiet
    return [*blank, *([0] * quiet + list(row) + [0] * quiet for row in rows), *blank]


def drawn_modules(page: PageObject, left: float, top: float, module: float, count: int) -> list[list[int]]:
    contents = page.get_contents()
    assert contents is not None
    rects = re.findall(r"([\d.]+) ([\d.]+) ([\d.]+) -([\d.]+) re f", contents.get_data().decode("latin-1"))
    assert rects
    rows = [[0] * count for _ in range(count)]
    for x, y, wide, _ in (tuple(map(float, rect)) for rect in rects):
        start, down = round((x - left) / module), round((HEIGHT - y - top) / module)
        for k in range(round(wide / module)):
            rows[down][start + k] = 1
    return rows


def test_the_qr_code_leads_to_the_public_page_and_is_left_out_where_there_is_none() -> None:
    assert {a.get_object()["/A"]["/URI"] for p in pages(SAMPLES["official"]) for a in p["/Annots"]} == {URL}  # type: ignore[attr-defined]
    assert "/Annots" not in pages(SAMPLES["bare"])[0]


def test_a_map_of_one_point_and_empty_lines_is_drawn() -> None:
    strange = (Drawn(line(), "lot"), Drawn(line((0, 0)), "street", "x"), Drawn(line((1, 1), (1, 1)), "street", "y"))
    assert len(pages(certificate(replace(SHEET, drawn=strange)))) == 1
    assert Plan((), (0.0, 0.0), "", (), 0.0, 0.0).drawn == ()
