"""What the tests share is real: the browser, the database, the programs they wait for."""

import sys
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser

from tests.conftest import running


def test_the_browser_runs_a_page_and_paints_it(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.set_content("<h1>North Alma</h1><script>document.title = String(innerWidth)</script>")
    assert page.title() == "360"
    assert page.get_by_role("heading").inner_text() == "North Alma"
    assert page.screenshot().startswith(b"\x89PNG")
    page.close()


def test_the_database_measures_with_postgis(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        row = connection.execute("SELECT ST_Length('LINESTRING(0 0, 3 4)'::geometry)").fetchone()
    assert row == (5.0,)


def test_a_program_that_ends_early_fails_with_what_it_printed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such street')"]
    with (
        pytest.raises(pytest.fail.Exception, match="ended with 1:\nno such street"),
        running(command, lambda: False, tmp_path / "log.txt"),
    ):
        pytest.fail("the program never answered")


def test_a_program_is_stopped_when_its_test_ends(tmp_path: Path) -> None:
    with running(["sleep", "600"], lambda: True, tmp_path / "log.txt") as process:
        assert process.poll() is None
    assert process.returncode == -15
