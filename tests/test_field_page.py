"""The field page on a phone: the verdict at once, a draft that outlives reload and lost network and is sent once.

Seen to fail, each by breaking the code once: no key sent with a draft; drafts kept in memory alone; the page not kept;
drafts of everybody shown; the cache left after signing out; metres taken for feet; a session that ended taken for a
refusal; a position of GPS recorded as one of the map.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from app.auth import Role
from app.db import Database
from app.main import create_app
from app.map_versions import Atlas
from app.settings import Settings
from app.street_tables import object_photos, street_objects
from app.village import LONLAT
from tests.access import faults_of_access
from tests.conftest import serving_here
from tests.people import by_session
from tests.plat import PLAT, village
from tests.test_address_pages import Live, Town
from tests.test_street_objects import picture

BEHIND = (100.0, 20.0)
"""Two feet behind the assumed curb of Main Street: its pavement is 36 ft wide."""
PHONE_M = 5.0
"""What the phone says of its position: 17 ft when rounded up to feet, which is no help against 6 in."""


@pytest.fixture(scope="module")
def live(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("field")
    made = village(folder, PLAT)
    settings = Settings(data_dir=made, state_dir=folder / "register")
    with serving_here(settings) as url, closing(Database(settings.database, settings.state_dir)) as database:
        roles = {"inspector": Role.INSPECTOR, "police": Role.POLICE}
        cookies = {
            name: by_session(database, f"{name.title()} Jones", role)["Cookie"].partition("=")[2]
            for name, role in roles.items()
        }
        yield Live(url, Town(None, database, Atlas(database, made)), browser, cookies)  # type: ignore[arg-type]


@pytest.fixture
def phone(live: Live) -> Iterator[Callable[..., Page]]:
    """Opens the field page on a phone that stands two feet behind the curb."""
    contexts: list[BrowserContext] = []

    def opens(who: str = "inspector", *, located: bool = True) -> Page:
        at = live.town.at(*BEHIND)
        place: Any = {"latitude": float(at["lat"]), "longitude": float(at["lon"]), "accuracy": PHONE_M}
        more = {"geolocation": place, "permissions": ["geolocation"]} if located else {}
        context = live.context(who, 360, has_touch=True, **more)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{live.url}/field")
        page.wait_for_selector("body[data-kept]")
        return page

    yield opens
    for context in contexts:
        context.close()


def says(page: Page) -> Any:
    return page.locator("#verdict .field-says .says")


def count(live: Live, table: Any = street_objects) -> int:
    with live.town.database.read() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def newest(live: Live) -> dict[str, Any]:
    with live.town.database.read() as connection:
        row = connection.execute(sa.select(street_objects).order_by(street_objects.c.id.desc()).limit(1)).mappings()
        return dict(row.one())


def stand_here(page: Page) -> None:
    expect(page.locator("#where")).to_contain_text("17 ft")
    page.get_by_role("button", name="My position").click()


def test_a_taped_mailbox_of_5_7_8_in_violates_as_soon_as_it_is_typed(live: Live, phone: Callable[..., Page]) -> None:
    page = phone(located=False)
    page.fill("#setback", "5 7/8 in")
    expect(says(page)).to_have_text("Violates")
    page.fill("#setback", "6 in")
    expect(says(page)).to_have_text("Complies")
    page.fill("#setback", "six")
    expect(page.locator("#setback-fault")).to_contain_text("7 1/2 in")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_phones_position_leaves_it_undecided_and_says_to_tape_it(live: Live, phone: Callable[..., Page]) -> None:
    page = phone()
    stand_here(page)
    expect(says(page)).to_have_text("Undecided")
    expect(page.locator("#verdict .settles")).to_contain_text("Tape it")
    expect(page.locator("#strip")).to_contain_text("Tape it")
    expect(page.locator("#where")).to_contain_text("Near Main Street")
    page.get_by_text("Row by row").click()
    expect(page.locator("#verdict")).to_contain_text("The position is from GPS (WGS 84): it was moved")
    assert faults_of_access(page) == []


def test_a_draft_and_its_photo_survive_a_reload_and_a_lost_network(live: Live, phone: Callable[..., Page]) -> None:
    page, before = phone(), count(live)
    page.select_option("#what", "fence")
    page.fill("#label", "Picket fence")
    page.fill("#length", "20 ft")
    page.fill("#note", "Leans over the walk")
    page.set_input_files("#photo", {"name": "fence.jpg", "mimeType": "image/jpeg", "buffer": picture()})
    expect(page.locator("#photos li")).to_have_count(1)
    for offline in (False, True):
        page.context.set_offline(offline)
        page.reload()
        expect(page.locator("#label")).to_have_value("Picket fence")
        expect(page.locator("#what")).to_have_value("fence")
        expect(page.locator("#length")).to_have_value("20 ft")
        expect(page.locator("#note")).to_have_value("Leans over the walk")
        expect(page.locator("#photos li")).to_contain_text("fence.jpg")
    expect(page.locator("#network")).to_contain_text("No network")
    expect(page.locator("#verdict")).to_contain_text("No verdict without a network")
    assert count(live) == before


def test_what_was_saved_without_a_network_is_sent_once_with_its_check_and_photo(
    live: Live, phone: Callable[..., Page]
) -> None:
    page, before, photos = phone(), count(live), count(live, object_photos)
    stand_here(page)
    page.context.set_offline(True)
    page.fill("#setback", "5 7/8 in")
    page.set_input_files("#photo", {"name": "box.jpg", "mimeType": "image/jpeg", "buffer": picture()})
    expect(page.locator("#photos li")).to_have_count(1)
    page.get_by_role("button", name="Save").dblclick()
    expect(page.locator(".field-queue .waiting")).to_have_count(1)
    page.reload()
    expect(page.locator(".field-queue .waiting")).to_have_count(1)
    page.context.set_offline(False)
    expect(page.locator(".field-queue .sent a")).to_have_count(1, timeout=20_000)
    assert (count(live), count(live, object_photos)) == (before + 1, photos + 1)
    row = newest(live)
    assert (row["kind"], row["facts"]["setback_in"], row["checked"]["verdict"]) == ("mailbox", 5.875, "violates")
    assert row["accuracy_ft"] == 17.0
    assert row["facts"]["position"]["shifted"] is True
    page.get_by_role("link", name=f"Mailbox {row['id']}").click()
    expect(page.locator("h1")).to_contain_text("Mailbox")


def test_a_draft_whose_first_answer_was_lost_is_recorded_once(live: Live, phone: Callable[..., Page]) -> None:
    page, before, lost = phone(), count(live), []

    def lose(route: Route) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route.fetch().status)
            route.abort()
        else:
            route.continue_()

    page.route(re.compile(r"/api/v1/street-objects$"), lose)
    stand_here(page)
    page.fill("#setback", "7 1/2 in")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".field-queue .waiting")).to_have_count(1)
    assert (lost, count(live)) == ([201], before + 1)
    page.get_by_role("button", name="Send now").click()
    expect(page.locator(".field-queue .sent")).to_have_count(1)
    assert count(live) == before + 1


def test_what_is_refused_stays_with_the_reason_and_can_be_corrected(live: Live, phone: Callable[..., Page]) -> None:
    page, before = phone(), count(live)
    stand_here(page)
    page.context.set_offline(True)
    page.fill("#setback", "about a foot")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".field-queue .waiting")).to_have_count(1)
    page.context.set_offline(False)
    expect(page.locator(".field-queue .refused")).to_contain_text("about a foot")
    page.reload()
    expect(page.locator(".field-queue .refused")).to_contain_text("about a foot")
    assert count(live) == before
    page.get_by_role("button", name="Correct it").click()
    page.fill("#setback", "12 in")
    expect(says(page)).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".field-queue .sent")).to_have_count(1)
    assert (count(live), newest(live)["facts"]["setback_in"]) == (before + 1, 12.0)


def test_a_session_that_ended_keeps_the_draft_and_another_person_does_not_see_it(
    live: Live, phone: Callable[..., Page]
) -> None:
    page, before = phone(), count(live)
    stand_here(page)
    page.fill("#number", "145")
    page.context.clear_cookies()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#network")).to_contain_text("Your session has ended")
    expect(page.locator(".field-queue .waiting")).to_have_count(1)
    name = "benton_session"
    page.context.add_cookies([{"name": name, "value": live.cookies["police"], "url": live.url}])
    page.goto(f"{live.url}/field")
    expect(page.locator("#queue")).to_contain_text("1 of another person is kept on this phone")
    expect(page.locator(".field-queue .waiting")).to_have_count(0)
    assert count(live) == before
    page.context.add_cookies([{"name": name, "value": live.cookies["inspector"], "url": live.url}])
    page.goto(f"{live.url}/field")
    expect(page.locator(".field-queue .sent")).to_have_count(1)
    assert count(live) == before + 1


def test_nothing_of_the_page_is_at_hand_after_signing_out(live: Live, phone: Callable[..., Page]) -> None:
    page = phone("police")
    kept = page.evaluate(
        "async () => (await (await caches.open('field')).keys()).map((one) => new URL(one.url).pathname)"
    )
    assert "/field" in kept
    assert all(path == "/field" or path.startswith("/static/") or path.endswith("map.js") for path in kept)
    token = by_session(live.town.database, "Leaving Jones", Role.POLICE)["Cookie"].partition("=")[2]
    page.context.add_cookies([{"name": "benton_session", "value": token, "url": live.url}])
    page.goto(f"{live.url}/field")
    page.wait_for_selector("body[data-kept]")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{live.url}/")
    assert page.evaluate("caches.keys()") == []


def test_a_panel_and_a_pile_are_judged_from_what_was_measured(live: Live, phone: Callable[..., Page]) -> None:
    """3/4 in and more is defective (§ 288-4 E(a)); who decides it is the Streets Committee."""
    page = phone()
    page.select_option("#what", "panel")
    page.fill("#vertical", "3/4 in")
    expect(page.locator("#verdict")).to_contain_text("Violates")
    page.fill("#vertical", "11/16 in")
    expect(page.locator("#verdict .field-says")).not_to_contain_text("Violates")
    page.select_option("#what", "pile")
    expect(page.locator("#verdict")).to_contain_text("tape its length and width")
    stand_here(page)
    page.fill("#length", "20 ft")
    page.fill("#width", "6 ft")
    expect(says(page)).to_have_text("Undecided")


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("field-town")
    app = create_app(Settings(data_dir=village(folder, PLAT), state_dir=folder / "register"))
    who = {"inspector": by_session(app.state.database, "Ina Jones", Role.INSPECTOR)}
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, app.state.database, app.state.atlas, who)


def looked(town: Town, what: str, at: tuple[float, float] | None, **fields: str) -> Any:
    place = {key: float(text) for key, text in town.at(*at).items()} if at else None
    body = {"what": what, "at": {**place, "accuracy_ft": 1} if place else None, "fields": fields}
    return town.client.post("/field/check", json=body, headers=town.who["inspector"])


def test_what_is_around_a_phone_is_given_as_far_as_300_ft_and_its_place_as_the_map_lies(town: Town) -> None:
    """GPS moves some four feet into NAD83(2011); a place of the map does not move at all."""
    at = town.at(100, 20)
    found = town.get("/field/around", "inspector", **at).json()
    assert (found["street"], found["block"]) == ("Main Street", "numbers 10 to 99 East")
    assert {"pavement", "curb_line", "right_of_way", "terrace"} <= found["layers"].keys()
    feet = town.atlas.village.into_feet(LONLAT)
    x, y = feet(*np.array([c for one in found["layers"]["curb_line"]["features"] for c in flat(one["geometry"])]).T)
    assert max(np.hypot(x - 100, y - 20)) == pytest.approx(300, abs=6)  # and the shift of the place
    moved = np.hypot(*(np.array(feet(*found["place"])) - (100, 20)))
    assert 3 < moved < 6
    same = town.get("/field/around", "inspector", **at, gps="false").json()
    assert np.hypot(*(np.array(feet(*same["place"])) - (100, 20))) < 0.1
    assert town.get("/field/around", "inspector", lat=10, lon=10).status_code == 422


def flat(geometry: dict[str, Any]) -> list[list[float]]:
    lines = [geometry["coordinates"]] if geometry["type"] == "LineString" else geometry["coordinates"]
    return [point for line in lines for point in line]


def test_a_taped_size_becomes_a_rectangle_along_its_street(town: Town) -> None:
    """Alma Street runs north: of 12 by 4 ft the 12 lie north and south, 48 sq ft in all."""
    found = looked(town, "opening", (440, 200), length="12 ft", width="4 ft").json()
    ring = np.array(found["record"]["geometry"]["coordinates"][0])
    x, y = town.atlas.village.into_feet(LONLAT)(ring[:, 0], ring[:, 1])
    assert (np.ptp(x), np.ptp(y)) == (pytest.approx(4, abs=0.1), pytest.approx(12, abs=0.1))
    assert (x.mean(), y[:4].mean()) == (pytest.approx(440, abs=0.6), pytest.approx(200, abs=0.1))
    assert found["record"]["facts"] == {"length_ft": "12 ft", "width_ft": "4 ft"}
    assert looked(town, "pile", (440, 200), length="12 ft").json()["faults"].keys() == {"width"}


def test_what_has_no_place_is_judged_and_has_no_record_yet(town: Town) -> None:
    taped = looked(town, "fixture", None, clear_width="2 ft 11 in").json()
    assert (taped["told"]["verdict"], taped["record"]) == ("violates", None)
    assert "tap the map" in looked(town, "terrace", None).json()["missing"]
    assert looked(town, "car", None).status_code == 422


def test_the_field_page_is_for_officers_and_says_what_works_without_script(live: Live) -> None:
    context = live.context("inspector", 360, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live.url}/field")
    expect(page.get_by_role("link", name="Record something in the street")).to_be_visible()
    assert page.locator("#look").is_hidden()
    context.clear_cookies()
    page.goto(f"{live.url}/field")
    assert page.url.startswith(f"{live.url}/sign-in?next=%2Ffield")
    context.close()
