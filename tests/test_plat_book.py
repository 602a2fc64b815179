"""The plat book of § 288-15 I: what it shows, on paper and on its public page, and that nothing written overlaps.

Alma Street (x = 440) has its 100 block from First (y = 330) to Second (y = 660): 330 ft, 330 / 44 = 7.5, halves up, 8
ft a number. The east side's k-th unit is 110 + 2k and begins at y = 330 + 8k.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader
from typer.testing import CliRunner

from app.cli import app as command_line
from app.maps import ground
from app.plat_book import LAW, book
from app.plat_marks import WIDTH, Box, Given, LotFront, Strip, Text, most_wide, spread
from app.plat_printing import printed
from app.plat_strip import strips
from app.settings import Settings
from app.tables import imports, lots
from app.village import Village
from tests.conftest import ROOT
from tests.plat import PLAT
from tests.test_existing import EAST, Town, opened, text_of

Json = dict[str, Any]


@pytest.fixture
def town(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Town]:
    (tmp_path / "state").mkdir()
    shutil.copyfile(migrated_sqlite, tmp_path / "state" / "register.db")
    with opened(tmp_path, Settings(state_dir=tmp_path / "state")) as made:
        yield made


@pytest.fixture
def either(register_settings: Settings, tmp_path: Path) -> Iterator[Town]:
    with opened(tmp_path, register_settings) as made:
        yield made


def add_lots(town: Town, shapes: dict[str, Any]) -> None:
    """Put lots into the register as an import does, without the audit."""
    now = datetime(2026, 6, 1, tzinfo=UTC)
    about: Json = {"kind": "lots", "file": "lots", "sha256": "0" * 64, "layer": "", "crs": "", "mapping": {}}
    about |= {"source": "", "rows": 1, "report": {}, "reason": "", "made_at": now, "made_by": "A test"}
    with town.database.write() as connection:
        number = connection.execute(imports.insert().returning(imports.c.id), about).scalar_one()
        for parcel, shape in shapes.items():
            box = {"west_ft": 400.0, "south_ft": 300.0, "east_ft": 700.0, "north_ft": 700.0}
            row = {"parcel": parcel, "shape": shape, **box, "import_id": number, "made_at": now, "made_by": "A test"}
            connection.execute(lots.insert(), row)


def lot(south: float, north: float, west: float = 473, east: float = 593) -> Json:
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


def pages_of(pdf: bytes) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in PdfReader(BytesIO(pdf)).pages]


# --- what it says ---


def test_the_law_is_quoted_unaltered() -> None:
    assert LAW.startswith(
        "For the purpose of facilitating a correct numbering, a plat book of all streets, avenues and"
    )
    assert "shall be kept on file in the office of the Village Clerk-Treasurer. These plats shall be open to" in LAW


def test_the_whole_book_has_a_cover_every_street_and_both_indexes(either: Town) -> None:
    town = either
    town.assign(EAST, 334)
    town.east(130, 394)
    name, pdf = printed(town.atlas)
    told = pages_of(pdf)
    whole = " ".join(told)
    with town.database.read() as connection:
        head = book(town.atlas, connection).head
    assert name == f"plat-book-streets-PB-1-{head[:12]}.pdf"
    for words in ("Plat book of all streets", "DRAFT", head, "verify --head", "§ 288-15 I", "2 provisional"):
        assert words in told[0]
    for street in PLAT:
        begins = f"DRAFTVillage of Plat · Plat book · {street} {street} "
        (own,) = [k for k, text in enumerate(told) if text.startswith(begins)]
        assert re.search(rf"{street} {own + 1} confirmed", whole)  # its page in the index
    assert "North Alma Street, page 2: 110, 130" in told[-1]


def test_the_index_of_numbers_leads_to_the_page_that_shows_the_number(town: Town) -> None:
    for x in (-1700, -900, 300, 900, 1700):
        for y in (-40, 40):
            town.assign(x, y, "Main Street")
    for y in range(334, 660, 8):
        town.assign(EAST, y)
    town.old(7, 480, 200, "Alma Street", half="")  # it has no place on the row
    told = pages_of(printed(town.atlas)[1])
    start = next(k for k, page in enumerate(told) if "Index of numbers in use" in page)
    index = " ".join(told[start:]).partition("Index of numbers in use")[2]
    half_street = r"(North|South|East|West|No place on) (Main Street|Alma Street), ((?:page \d+: [\d, ]+(?:; )?)+)"
    found = re.findall(half_street, index)
    assert {street for _, street, _ in found} == {"Main Street", "Alma Street"}
    assert len({page for _, _, pages in found for page in re.findall(r"page (\d+)", pages)}) > 2
    for half, street, pages in found:
        for page, numbers in re.findall(r"page (\d+): ([\d, ]+)", pages):
            text = told[int(page) - 1]
            assert f"Plat book · {street}" in text
            assert f"{half} half" in text or half == "No place on", (half, street, page)
            assert all(n in text for n in numbers.strip(" ,").split(", ")), (page, numbers)


def test_the_pages_of_one_street_have_its_blocks_numbers_and_the_proof(town: Town) -> None:
    town.assign(EAST, 334)
    told = " ".join(pages_of(printed(town.atlas, "alma st")[1]))
    assert "North half, east side: 110 (prov.)" in told
    assert re.search(r"North 110–199 330\.0 660\.0 330\.0 8 ft built First Avenue to Second Avenue", told)
    assert "Audit log head" in told
    assert "Index of numbers" not in told


def test_the_heads_of_the_index_are_whole(town: Town) -> None:
    assert "Street Page Name is Halves In use Lots" in pages_of(printed(town.atlas)[1])[-1]


def test_a_village_without_a_number_or_lot_has_a_book_all_the_same(town: Town) -> None:
    told = pages_of(printed(town.atlas)[1])
    assert "none given yet" in told[0]
    assert "No number is in use yet." in told[-1]


def test_a_number_of_the_other_half_stands_where_its_building_is_and_says_so(town: Town) -> None:
    town.old(22, EAST, -100, half="North")
    with town.database.read() as connection:
        (street,) = book(town.atlas, connection, ["Alma Street"]).streets
    (one,) = street.given
    assert (one.text, town.atlas.village.map.halves[one.half].name, one.station_ft) == ("22 N", "South", 100.0)


def test_numbers_of_streets_that_the_map_has_not_are_told_apart(town: Town) -> None:
    town.east(12, 394, street="Gone Street", full="12 North Gone Street")
    assert "On streets that the map does not have: 12 North Gone Street" in pages_of(printed(town.atlas)[1])[-1]


# --- lots (§ 288-15 A, E) ---


def test_each_lot_has_its_row_of_numbers_built_or_vacant(either: Town) -> None:
    """From y = 394 to 426: units 8 to 11 begin within, 126 to 132. From 430: 135's neighbour 134 begins at 426."""
    town = either
    town.assign(EAST, 404)
    add_lots(town, {"124-1": lot(394, 426), "124-2": lot(430, 460)})
    answer = town.client.get("/api/v1/plat-book/Alma Street").json()
    told = {one["parcel"]: one for one in answer["lots"]}
    assert (told["124-1"]["numbers"], told["124-1"]["given"]) == ([126, 128, 130, 132], ["128"])
    assert (told["124-2"]["numbers"], told["124-2"]["shared"]) == ([136, 138, 140, 142], 134)
    assert (told["124-2"]["from_ft"], told["124-2"]["to_ft"], told["124-2"]["given"]) == (430.0, 460.0, [])
    words = " ".join(pages_of(printed(town.atlas, "Alma Street")[1]))
    assert "124-1 North half, east side 394.0 to 426.0 126 to 132 (4) 128" in words
    page = text_of(town.client.get("/plat-book/Alma%20Street").text)
    assert "124-2 North half, east side 430.0 ft 460.0 ft 136 to 142 (4) 134 none" in page


def test_a_lot_whose_outline_cannot_be_read_is_named_and_stops_nothing(town: Town) -> None:
    crossed = {"type": "Polygon", "coordinates": [[[480, 400], [600, 450], [600, 400], [480, 450], [480, 400]]]}
    add_lots(town, {"124-1": crossed, "124-2": lot(394, 426)})
    assert "The outlines of 1 lots cannot be read: 124-1." in pages_of(printed(town.atlas)[1])[0]


# --- the public page ---


def test_the_book_is_open_to_everybody_without_a_login(town: Town) -> None:
    one = town.assign(EAST, 334)
    index, street = town.client.get("/plat-book"), town.client.get("/plat-book/Alma%20Street")
    assert (index.status_code, street.status_code) == (200, 200)
    assert LAW in index.text
    assert f'<a href="/addresses/{one}"><text' in street.text
    for path in ("/plat-book", "/plat-book/Alma%20Street", "/api/v1/plat-book", "/api/v1/plat-book/alma st"):
        pdf = town.client.get(path, params={"format": "pdf"})
        assert (pdf.status_code, pdf.headers["content-type"], pdf.content[:5]) == (200, "application/pdf", b"%PDF-")


def test_any_spelling_leads_to_the_street_and_none_to_an_error_page(town: Town) -> None:
    assert town.client.get("/plat-book/alma%20st").headers["location"] == "/plat-book/Alma%20Street"
    missing = town.client.get("/plat-book/Nowhere")
    assert missing.status_code == 404
    assert "No such street" in missing.text
    assert town.client.get("/api/v1/plat-book/Nowhere").status_code in {404, 422}


def test_the_book_is_drawn_once_until_something_is_recorded(town: Town) -> None:
    first = printed(town.atlas)[1]
    assert printed(town.atlas)[1] is first
    town.assign(EAST, 334)
    assert printed(town.atlas)[1] is not first


def test_the_command_writes_the_same_book(town: Town, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = town.client.app.state.settings  # type: ignore[attr-defined]
    for name in ("data_dir", "state_dir"):
        monkeypatch.setenv(f"BENTON_{name.upper()}", str(getattr(settings, name)))
    out = tmp_path / "book.pdf"
    done = CliRunner().invoke(command_line, ["plat-book", str(out), "--street", "alma st"])
    assert done.exit_code == 0, done.output
    assert out.read_bytes() == printed(town.atlas, "Alma Street")[1]


# --- nothing written overlaps ---


def boxes_of(strip: Strip) -> list[tuple[float, float, float, float, str]]:
    """The room of each text of a strip: left, top, right, bottom."""
    found = []
    for mark in strip.marks:
        if isinstance(mark, Text):
            long, high = most_wide(mark.text, mark.size) * 0.94, mark.size * 0.74
            back = {"start": 0.0, "middle": long / 2, "end": long}[mark.anchor]
            if mark.upward:
                found.append((mark.x - high, mark.y + back - long, mark.x, mark.y + back, mark.text))
            else:
                found.append((mark.x - back, mark.y - high, mark.x - back + long, mark.y, mark.text))
    return found


def overlaps(strip: Strip) -> list[tuple[str, str]]:
    found = boxes_of(strip)
    rooms = [shapely.box(left + 0.01, top + 0.01, right - 0.01, bottom - 0.01) for left, top, right, bottom, _ in found]
    pairs = shapely.STRtree(rooms).query(rooms, "intersects").T.tolist()
    return [(found[a][4], found[b][4]) for a, b in pairs if a < b]


@pytest.fixture(scope="module")
def benton() -> Any:
    return Village.load(ROOT / "data" / "streets", datetime(2026, 6, 1, tzinfo=UTC).date())


def crowded(village: Any, name: str, every_ft: float) -> list[Given]:
    """A number every few feet on both sides of a street."""
    made: list[Given] = []
    for row in village.rows_of(name):
        for even in (True, False):
            at = row.from_ft
            while at < row.to_ft:
                k = len(made)
                made.append(Given(k, f"{row.hundred + 10 + k % 90}A", "", "official", row.half, even, at))
                at += every_ft
    return made


@pytest.mark.parametrize("every_ft", [2.0, 15.0])
def test_no_text_covers_another_however_crowded_the_street(benton: Any, every_ft: float) -> None:
    """On the streets with the shortest blocks, the longest names and the most crossings."""
    for name in ("Unnamed 10", "Unnamed 25", "County Road J South", "Van Buren Street"):
        rows = benton.rows_of(name)
        fronts = [LotFront(f"124-{k:04d}", r.half, e, r.from_ft + 50 * k, r.from_ft + 50 * k + 50, (), None)
                  for r in rows for e in (True, False) for k in range(int(r.length_ft // 50))]  # fmt: skip
        for strip in strips(benton, rows, crowded(benton, name, every_ft), fronts):
            assert overlaps(strip) == [], f"{name}, {strip.title}"
            assert all(left >= -0.01 and right <= WIDTH + 10 and top >= 0 and bottom <= strip.height
                       for left, top, right, bottom, _ in boxes_of(strip)), f"{name}, {strip.title}"  # fmt: skip


def test_every_number_is_on_a_strip_or_named_as_left_out(benton: Any) -> None:
    numbers = crowded(benton, "Van Buren Street", 2.0)
    made = strips(benton, benton.rows_of("Van Buren Street"), numbers, [])

    ends = {half: ground(benton.map.halves[half]) for half in {g.half for g in numbers}}
    wanted = [g for g in numbers if ends[g.half][0] <= g.station_ft < ends[g.half][1] + 0.01]
    shown = [m for s in made for m in s.marks if isinstance(m, Text) and m.upward]
    left = [t for s in made for t in s.unwritten]
    assert len(shown) + len(left) == len(wanted)
    assert left  # 2 ft apart is more than there is room for


def test_a_number_s_dot_lies_at_its_station_to_scale(town: Town) -> None:
    """394 - 330 = 64 ft into the block, at 100 ft an inch: 46.08 points from its line."""
    village = town.atlas.village
    rows = village.rows_of("Alma Street")
    north = next(r.half for r in rows if r.side == "North")
    made = strips(village, rows, [Given(1, "126", "", "official", north, True, 394.0)], [])
    (dot,) = [m for s in made for m in s.marks if isinstance(m, Box) and m.role == "door"]
    (strip,) = [s for s in made if any(m is dot for m in s.marks)]
    bar = [m for m in strip.marks if isinstance(m, Box) and m.role == "bar"]
    feet = 100 if any(isinstance(m, Text) and m.text == "100 ft" for m in strip.marks) else 50
    assert bar
    station_330 = next(m.x for m in strip.marks if isinstance(m, Text) and m.text == "110") - 1.5
    assert dot.x + 1.3 - station_330 == pytest.approx(64 / feet * 72)


@given(st.lists(st.floats(0, 100), max_size=12), st.floats(0.5, 12))
def test_places_are_spread_in_order_apart_and_no_farther_than_they_must(places: list[float], gap: float) -> None:
    wanted = sorted(places)
    found = spread(wanted, 0.0, 100.0, gap)
    if (len(wanted) - 1) * gap > 100 + 1e-9:
        assert found is None
        return
    assert found is not None
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(found))
    assert all(-1e-6 <= x <= 100 + 1e-6 for x in found)
    if all(b - a >= gap for a, b in pairwise(wanted)):
        assert found == pytest.approx(wanted)
