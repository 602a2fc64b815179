"""Works: what an opening or obstruction is on any day, the map and list that everybody sees, and in a browser.

Seen to fail, each by breaking the code once: a day too early or too late at each end of a work; 29 days for 30; a work
still open on the day it was restored, in the database alone; a reason in what everybody sees; a withdrawn work on the
map; `at` dropped when the slider stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page

from app import registers, works
from app.audit import CONSOLE, Act
from app.auth import Person, Role
from app.db import Database
from app.deps import COOKIE
from app.main import create_app
from app.map_versions import Atlas
from app.settings import Settings
from app.street_objects import add_photo, asking, change, record, retire
from app.street_tables import street_objects
from tests.access import faults_of_access
from tests.conftest import serving_here
from tests.people import by_session
from tests.plat import PLAT, village
from tests.test_address_pages import Town, text_of
from tests.test_street_objects import BOX, FEET, picture

ANN = Person("Ann Berg", "user:1", frozenset({Role.INSPECTOR}))
TODAY = asking(None, ANN).today  # type: ignore[arg-type]


def work(atlas: Atlas, kind: str = "opening", **given: Any) -> int:
    body = {"kind": kind, "geometry": BOX, "crs": FEET, "label": "Gas service", **given}
    return int(record(asking(atlas, ANN), body)["id"])


def iso(days: int) -> str:
    return (TODAY + timedelta(days=days)).isoformat()


# --- the state on a day ---

CASES = [
    # first day, last day, restored, the day, state
    ("2026-06-01", "2026-06-10", None, "2026-05-31", "planned"),
    ("2026-06-01", "2026-06-10", None, "2026-06-01", "active"),
    ("2026-06-01", "2026-06-10", None, "2026-06-10", "active"),
    ("2026-06-01", "2026-06-10", None, "2026-06-11", "recently_expired"),
    ("2026-06-01", "2026-06-10", None, "2026-07-10", "recently_expired"),  # 30 days after June 10
    ("2026-06-01", "2026-06-10", None, "2026-07-11", "past"),
    ("2026-06-01", "2026-06-10", "2026-06-08", "2026-06-07", "active"),
    ("2026-06-01", "2026-06-10", "2026-06-08", "2026-06-08", "past"),
    ("2026-06-01", "2026-06-10", "2026-06-20", "2026-06-19", "recently_expired"),
    ("2026-06-01", "2026-06-10", "2026-06-20", "2026-06-20", "past"),
    ("2026-06-01", None, None, "2126-06-01", "active"),
    (None, "2026-06-10", None, "1990-01-01", "active"),
    (None, None, None, "2026-06-01", "active"),
    (None, None, "2026-06-01", "2026-06-01", "past"),
]


def row_of(starts: str | None, ends: str | None, restored: str | None, *, emergency: bool = False) -> dict[str, Any]:
    days = dict(zip(("starts_on", "ends_on", "restored_on"), (starts, ends, restored), strict=True))
    return {name: date.fromisoformat(day) if day else None for name, day in days.items()} | {"emergency": emergency}


@pytest.mark.parametrize(("starts", "ends", "restored", "day", "state"), CASES)
def test_a_works_days_tell_what_it_is_on_a_day(
    starts: str | None, ends: str | None, restored: str | None, day: str, state: str
) -> None:
    at = date.fromisoformat(day)
    assert works.state_of(row_of(starts, ends, restored), at) == state
    urgent = "emergency" if state == "active" else state
    assert works.state_of(row_of(starts, ends, restored, emergency=True), at) == urgent


def test_the_database_says_the_same_of_every_work_and_day(database: Database) -> None:
    """Every way that days may lie, on both kinds of database: each work is in one state, the one `state_of` says."""
    base = date(2026, 6, 1)
    days = [None, base, base + timedelta(days=31)]
    with database.write() as connection:
        act = Act(connection, CONSOLE)
        for starts, ends, restored, urgent in product(days, days, days, (False, True)):
            if starts and ends and ends < starts:
                continue
            registers.insert(act, "record object", street_objects, stored(starts, ends, restored, urgent))
    with database.read() as connection:
        rows = registers.rows(connection, street_objects)
        for offset in (-1, 0, 1, 30, 31, 32, 61, 62):
            day = base + timedelta(days=offset)
            expected: dict[str, set[int]] = {state: set() for state in works.STATES}
            for row in rows:
                expected[works.state_of(row, day)].add(row["id"])
            found = {s: {r["id"] for r in works.listed(connection, day, state=s)} for s in works.STATES}
            assert found == expected, day
            shown = {r["id"] for r in works.listed(connection, day)}
            assert shown == set().union(*(expected[s] for s in works.SHOWN))
            assert works.counts(connection, day) == {s: len(expected[s]) for s in works.SHOWN}


def stored(starts: date | None, ends: date | None, restored: date | None, urgent: bool) -> dict[str, Any]:
    blank: dict[str, Any] = {"kind": "opening", "state": "", "label": "x", "shape": {"type": "Point"}, "street": ""}
    blank |= {f"{side}_ft": 0.0 for side in ("west", "south", "east", "north")}
    blank |= {"lon": 0.0, "lat": 0.0, "accuracy_ft": None, "address_id": None, "facts": {}, "checked": None}
    blank |= {"authorisation": None, "reason": "", "made_at": asking(None, ANN).now, "made_by": "-"}  # type: ignore[arg-type]
    blank |= {"retired_at": None, "retired_reason": "", "emergency": urgent}
    return {**blank, "starts_on": starts, "ends_on": ends, "restored_on": restored}


# --- what everybody sees ---


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("works")


@pytest.fixture(scope="module")
def town(folder: Path) -> Iterator[Town]:
    app = create_app(Settings(data_dir=village(folder, PLAT), state_dir=folder / "register"))
    database: Database = app.state.database
    who = {"police": by_session(database, "Pat Police", Role.POLICE)}
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        made = Town(client, database, app.state.atlas, who)
        fill(made)
        yield made


def fill(town: Town) -> None:
    """One work of each state today, and what is no work."""
    atlas = town.atlas
    work(atlas, label="Water main", starts_on=iso(-5), ends_on=iso(5), facts={"surface": "pavement"}, reason="Secret A")
    work(atlas, label="Gas, later", starts_on=iso(10), ends_on=iso(12))
    urgent = work(atlas, label="Sewer, broken", emergency=True, starts_on=iso(-1))
    line = {"type": "LineString", "coordinates": [[430, 500], [430, 560]]}
    allowed = {"kind": "privilege_permit", "act": "Secret B", "until": iso(-3)}
    work(atlas, "obstruction", label="Scaffold", ends_on=iso(-3), geometry=line, authorisation=allowed)
    spot = {"type": "Point", "coordinates": [-600, 8]}
    work(atlas, "obstruction", label="Container", starts_on=iso(-40), ends_on=iso(-31), geometry=spot)
    gone = work(atlas, label="Twice", starts_on=iso(-1))
    retire(asking(atlas, ANN), gone, "Secret C")
    work(atlas, "mailbox", label="Secret D", geometry=spot)
    add_photo(asking(atlas, ANN), urgent, picture(), "Secret E")


def test_the_works_of_a_day_name_nobody_and_give_no_reason_and_no_photo(town: Town) -> None:
    answer = town.get("/api/v1/works")
    found = answer.json()
    assert found["at"] == TODAY.isoformat()
    assert found["counts"] == {"emergency": 1, "active": 1, "planned": 1, "recently_expired": 1}
    assert {one["label"]: one["state"] for one in found["items"]} == {
        **{"Water main": "active", "Gas, later": "planned"},
        **{"Sewer, broken": "emergency", "Scaffold": "recently_expired"},
    }
    for hidden in ("Secret", "Ann", "photo", "reason", "made_by"):
        assert hidden not in answer.text
    scaffold = next(one for one in found["items"] if one["label"] == "Scaffold")
    assert (scaffold["street"], scaffold["authorised_by"]) == ("Alma Street", "Street privilege permit")
    east, north = town.atlas.village.into_feet("EPSG:4326")(*scaffold["geometry"]["coordinates"][1])
    assert (east, north) == pytest.approx((430, 560), abs=0.05)


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ({"at": iso(10)}, {"Gas, later", "Sewer, broken", "Scaffold", "Water main"}),
        ({"at": iso(10), "state": "active"}, {"Gas, later"}),
        ({"state": "past"}, {"Container"}),
        ({"at": iso(-35), "kind": "obstruction"}, {"Scaffold", "Container"}),
        ({"kind": "obstruction", "street": "ALMA ST"}, {"Scaffold"}),
        ({"street": "Second Avenue"}, set()),
    ],
)
def test_works_are_asked_of_any_day_state_kind_and_street(town: Town, query: dict[str, str], labels: set[str]) -> None:
    assert {one["label"] for one in town.get("/api/v1/works", **query).json()["items"]} == labels
    shown = town.get("/works", **query).text
    assert {name for name in ("Gas, later", "Container", "Scaffold") if f"<b>{name}</b>" in shown} == labels - {
        "Sewer, broken",
        "Water main",
    }


@pytest.mark.parametrize("query", [{"at": "soon"}, {"state": "gone"}, {"kind": "mailbox"}, {"street": "Nowhere"}])
def test_what_works_cannot_be_asked_of_is_refused_by_its_field(town: Town, query: dict[str, str]) -> None:
    refused = town.get("/api/v1/works", **query)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, next(iter(query)))
    assert town.get("/works", **query).status_code in {404, 422}
    assert town.get("/works/map.js", **query).status_code in {404, 422}


def test_the_page_names_nobody_and_says_each_state_in_a_word(town: Town) -> None:
    page = town.get("/works")
    words = text_of(page.text)
    for hidden in ("Secret", "Ann Berg", "/street-objects/"):
        assert hidden not in page.text
    for said in ("Scaffold recently expired", "Sewer, broken emergency", "Gas, later planned", "Water main active"):
        assert said in words
    assert "Opening in the pavement, Main Street" in words
    assert "/street-objects/" in town.get("/works", "police").text


def test_a_slider_leads_to_the_days_own_address_and_a_day_past_its_reach_stays(town: Town) -> None:
    led = town.get("/works", days="10", kind="opening", street="Main Street")
    assert led.headers["Location"] == f"/works?at={iso(10)}&kind=opening&street=Main+Street"
    far = town.get("/works", days="180", at="2030-01-01", state="planned")
    assert far.headers["Location"] == "/works?at=2030-01-01&state=planned"
    for wrong in ("181", "-61", "x"):
        assert town.get("/works", days=wrong).status_code == 422


def test_the_maps_script_has_the_outlines_of_the_day_by_state(town: Town) -> None:
    script = town.get("/works/map.js").text
    names = set(re.findall(r"works_(\w+?)_", script)) | set(re.findall(r"geo_json_works_(\w+)", script))
    assert any("active" in name for name in names)
    assert "works_planned" in script
    assert "works_past" not in script
    assert "works_past" not in town.get("/works/map.js", state="past").text  # a point has its mark alone
    for name in ("findings", "Secret"):
        assert name not in script


def test_a_restored_opening_leaves_the_map_on_its_day(town: Town) -> None:
    made = work(town.atlas, label="Cut", starts_on=iso(-9), ends_on=iso(9))
    change(asking(town.atlas, ANN), made, {"restored_on": iso(-2)})

    def there(day: int) -> bool:
        return made in {one["id"] for one in town.get("/api/v1/works", at=iso(day)).json()["items"]}

    assert (there(-3), there(-2), there(0)) == (True, False, False)


# --- in a browser ---

SIZES = {"desk": (1280, 900), "phone": (360, 740)}


@pytest.fixture(scope="module")
def site(town: Town, folder: Path) -> Iterator[str]:
    with serving_here(Settings(data_dir=folder, state_dir=folder / "register")) as url:
        yield url


def open_page(browser: Browser, site: str, path: str, size: str = "desk", **more: Any) -> Page:
    width, height = SIZES[size]
    page = browser.new_context(viewport={"width": width, "height": height}, **more).new_page()
    page.goto(site + path)
    return page


@pytest.mark.parametrize(
    ("size", "paths"),
    [
        ("desk", ("/works", "/street-objects", "/street-objects/3")),
        ("phone", ("/works", "/street-objects/3", "/street-objects/new?kind=opening")),
    ],
)
def test_the_works_map_and_the_records_are_open_to_everyone_who_reads_them(
    browser: Browser, site: str, town: Town, size: str, paths: tuple[str, ...]
) -> None:
    page = open_page(browser, site, paths[0], size)
    for path in paths:
        page.goto(site + path)
        assert faults_of_access(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        cookie = town.who["police"]["Cookie"].partition("=")[2]
        page.context.add_cookies([{"name": COOKIE, "value": cookie, "url": site}])
    page.context.close()


def test_the_slider_says_its_day_and_leads_to_it_with_the_map_as_it_was(browser: Browser, site: str) -> None:
    page = open_page(browser, site, "/works?kind=opening")
    page.wait_for_selector(".work-on-map .work-mark.emergency")
    page.evaluate("village.map.setZoom(17.5, { animate: false })")
    slider = page.get_by_label("Day:")
    slider.focus()
    page.keyboard.press("ArrowRight")
    tomorrow = TODAY + timedelta(days=1)
    said = f"{tomorrow:%a, %B} {tomorrow.day}, {tomorrow.year}"
    assert page.inner_text("#day-shown") == said
    assert slider.get_attribute("aria-valuetext") == said
    page.wait_for_url(f"**/works?at={tomorrow.isoformat()}&kind=opening")
    page.wait_for_selector(".work-on-map .work-mark.planned")
    assert page.evaluate("document.activeElement.id") == "days"
    assert page.evaluate("village.map.getZoom()") == 17.5
    page.go_back()
    page.wait_for_url("**/works?kind=opening")
    page.context.close()


def test_a_mark_has_the_number_of_its_entry_and_a_shape_of_its_own(browser: Browser, site: str) -> None:
    page = open_page(browser, site, "/works")
    page.wait_for_selector(".work-on-map .work-mark")
    look = "el => { const s = getComputedStyle(el); return [s.borderStyle, s.borderRadius, s.borderWidth].join(' '); }"
    shapes = {
        state: page.eval_on_selector(f".work-on-map .work-mark.{state}", look)
        for state in ("emergency", "active", "planned", "recently_expired")
    }
    assert len(set(shapes.values())) == 4
    for number in page.locator(".work-on-map .work-mark").all_inner_texts():
        assert page.locator(".work-list .work-mark", has_text=re.compile(f"^{number}$")).count() == 1
    page.get_by_role("button", name="Show on the map").first.click()
    assert page.locator(".work-list .chosen").count() == 1
    page.context.close()


def test_without_a_script_the_list_and_its_forms_do_the_same(browser: Browser, site: str) -> None:
    page = open_page(browser, site, "/works", "phone", java_script_enabled=False)
    page.get_by_label("Kind").select_option("obstruction")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(f"**/works?at={TODAY.isoformat()}&kind=obstruction")
    assert page.get_by_text("Scaffold").is_visible()
    assert page.get_by_text("Water main").count() == 0
    page.context.close()
