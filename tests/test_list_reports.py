"""Lists as reports on paper: every row, its head on each page, what was chosen, and what is left out said."""

from datetime import UTC, datetime
from io import BytesIO

from pypdf import PdfReader
from starlette.testclient import TestClient

from app.auth import Role
from app.list_paper import MOST, report
from app.main import create_app
from app.paper_parts import Column
from app.settings import Settings, read_settings
from tests.conftest import ROOT
from tests.people import by_key
from tests.permitting import Permits

AT = datetime(2026, 6, 1, 15, 0, tzinfo=UTC)


def pages(pdf: bytes) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in PdfReader(BytesIO(pdf)).pages]


def test_a_long_list_has_its_head_on_every_page_and_says_what_is_left_out() -> None:
    village = read_settings(ROOT / "data" / "streets")
    rows = [[f"row {n}", "a place"] for n in range(MOST + 5)]
    told = pages(report(village, "Permits", "state open", (Column("What", 1), Column("Where", 2)), rows, AT))
    assert all("What Where" in page for page in told)
    assert f"{MOST + 5:,} in all" in told[0]
    assert f"The first {MOST:,} are printed" in told[0]
    assert f"row {MOST - 1} " in f"{told[-1]} "
    assert not any(f"row {MOST} " in f"{page} " for page in told)


def test_an_empty_list_says_so() -> None:
    village = read_settings(ROOT / "data" / "streets")
    (only,) = pages(report(village, "Permits", "", (Column("What", 1),), [], AT))
    assert "None, as of Mon, June 1, 2026, 10:00 am CDT" in only


def test_the_desks_of_permits_and_cases_and_the_morning_print_what_they_list(tmp_path) -> None:
    client = TestClient(create_app(Settings(state_dir=tmp_path)))
    key = by_key(client.app.state.database, *Role)  # type: ignore[attr-defined]
    desk = Permits(client, key)
    made = desk.approved("sidewalk", "2026-06-05")
    for path, words in (("/permits", made["number"]), ("/today", "What is due"), ("/cases", "None, as of")):
        answer = client.get(path, params={"format": "pdf"}, headers=key)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
        assert words in " ".join(pages(answer.content)), path
