"""The pages of the checks: each answers without script, says where a form is wrong, and its address can be sent.

Seen to fail, each by breaking the code once: a value rounded onto its limit; every position taken for one of GPS; a gap
between rows kept; an authorisation without a last day let through; the construction left off the map; empty fields
kept in the address.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

from app.check_told import length_words, row_words, told
from app.checks import CHECKS
from app.db import Database
from app.main import create_app
from app.map_versions import Atlas
from app.settings import Settings
from app.village import LONLAT
from tests.access import faults_of_access
from tests.conftest import serving_here
from tests.plat import PLAT, village
from tests.test_address_pages import Live, Town, tap, text_of

EXACT = {"accuracy_ft": "1 ft", "datum": "nad83-2011"}


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("checks")
    app = create_app(Settings(data_dir=village(folder, PLAT), state_dir=folder / "register"))
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, app.state.database, app.state.atlas)


@pytest.fixture(scope="module")
def live(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live-checks")
    made = village(folder, PLAT)
    settings = Settings(data_dir=made, state_dir=folder / "register")
    with serving_here(settings) as url, closing(Database(settings.database, settings.state_dir)) as database:
        yield Live(url, Town(None, database, Atlas(database, made)), browser, {})  # type: ignore[arg-type]


def outline(town: Town, *corners: tuple[float, float], kind: str = "Polygon") -> str:
    """Give corners on the squared paper as GeoJSON in longitude and latitude."""
    project = town.atlas.village.out_of_feet(LONLAT)
    points = [[round(float(c), 8) for c in project(float(x), float(y))] for x, y in corners]
    coordinates: Any = points if kind == "LineString" else [[*points, points[0]]]
    return json.dumps({"type": kind, "coordinates": coordinates})


def box(town: Town, x: float, y: float, wide: float, high: float) -> str:
    return outline(town, (x, y), (x + wide, y), (x + wide, y + high), (x, y + high))


def verdict(html: str) -> str:
    found = re.search(r'<h1 class="number"><span class="says \w+">([^<]+)</span></h1>', html)
    assert found, text_of(html)[:400]
    return found[1]


def asked_of_each(town: Town) -> dict[str, dict[str, str]]:
    """What a person types into each check's form, on Main Street 100 to 140 ft east of Van Buren Street."""
    return {
        "mailbox": {"tape.setback": "5 7/8 in", "curb": "yes"},
        "terrace": {**town.at(120, 22), "kind": "boulder", "radius_ft": "1 ft", **EXACT},
        "encroachment": {"footprint": box(town, 100, 20, 20, 4), **EXACT},
        "clear-width": {"tape.clear_width": "2 ft 11 7/8 in"},
        "share": {"footprint": box(town, 100, 4, 20, 10), **EXACT},
        "lanes": {"footprint": box(town, 100, 4, 20, 10), **EXACT},
        "excavation": {"opening": box(town, 100, 4, 6, 4), "date": "2026-01-15", **EXACT},
        "trench": {
            "line": outline(town, (100, 5), (900, 5), kind="LineString"),
            "excavated_ft": "500", "laid_ft": "250 ft", "backfilled_ft": "0",
        },
        "setback": {"building": box(town, 100, 400, 30, 30), **EXACT},
        "petition": {"stretch_ft": "400", "lots[0].frontage_ft": "200 ft", "lots[0].signed": "yes"},
        "route": {"segments[0].street": "Main Street", "segments[0].from": "Van Buren Street",
                  "segments[0].to": "Alma Street"},
    }  # fmt: skip


VERDICTS = {
    "mailbox": "Violates",  # 1/8 in short of six inches
    "clear-width": "Violates",  # 1/8 in short of three feet
    "excavation": "Violates",  # in January
    "trench": "Complies",  # 500 - 250 is just 250 ft ahead
    "petition": "Violates",  # half is not more than half
    "route": "Complies",
    "terrace": "Undecided",  # the curb is assumed, good to some five feet
    "share": "Undecided",
    "encroachment": "Violates",  # 13 ft inside a right-of-way that is assumed to five
    "lanes": "Violates",  # it leaves 4 ft on either side of it in a half of 18 ft
}


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_answers_without_script_at_an_address_that_gives_the_same_again(town: Town, name: str) -> None:
    assert f'href="/checks/{name}"' in town.get("/checks").text
    assert "What is checked" in town.get(f"/checks/{name}").text
    answer = town.get(f"/checks/{name}", **asked_of_each(town)[name])
    assert answer.status_code == 200, text_of(answer.text)[:600]
    assert ("Thu, January 15, 2026" in answer.text) is (name == "excavation")
    if name in VERDICTS:
        assert verdict(answer.text) == VERDICTS[name]
    link = re.search(r'data-share href="([^"]+)"', answer.text)
    assert link
    again = town.get(unescape(link[1]))
    assert verdict(again.text) == verdict(answer.text)
    assert not re.search(r"<script(?![^>]*(?:src=|application/json))", answer.text)
    script = re.search(r'<script src="(/checks/[^"]+)" defer', answer.text)
    assert script
    drawn = town.get(unescape(script[1])).text
    assert "geo_json_row_curb_line" in drawn
    assert ("geo_json_check_" in drawn) is (name not in {"mailbox", "clear-width", "petition"})  # taped or counted


@pytest.mark.parametrize("name", CHECKS)
def test_the_line_for_a_program_asks_the_api_for_the_same_answer(town: Town, name: str) -> None:
    html = town.get(f"/checks/{name}", **asked_of_each(town)[name]).text
    line = re.search(r"<pre[^>]*>(.*?)</pre>", html, re.DOTALL)
    assert line
    url, body = re.fullmatch(r"curl -s \S+(/api\S+) -H '[^']+' -d '(.*)'", unescape(line[1]), re.DOTALL).groups()  # type: ignore[union-attr]
    answer = town.client.post(url, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200, answer.text
    words = {"complies": {"Complies", "Within the limit"}, "violates": {"Violates", "Over the limit"},
             "undecided": {"Undecided"}}  # fmt: skip
    assert verdict(html) in words[answer.json()["verdict"]]


@pytest.mark.parametrize(
    ("name", "typed", "field"),
    [
        ("mailbox", {"tape.setback": "six"}, "tape.setback"),
        ("mailbox", {"tape.tolerance": "1/2 in"}, "tape.setback"),
        ("mailbox", {"lat": "north", "lon": "-90.4"}, "lat"),
        ("mailbox", {"lat": "10", "lon": "20"}, "lat"),
        ("terrace", {"kind": "boulder"}, "lat"),
        ("terrace", {"object": "{}", "kind": "boulder"}, "object"),
        ("terrace", {"object": "a box", "kind": "boulder"}, "object"),
        ("share", {"footprint": '{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,1],[0,0]]]}'}, "footprint"),
        ("encroachment", {"authorisation.kind": "permit"}, "authorisation.until"),
        ("encroachment", {"date": "yesterday"}, "date"),
        ("clear-width", {"tape.clear_width": "wide"}, "tape.clear_width"),
        ("clear-width", {"radius_ft": "1 ft"}, "sidewalk"),
        ("trench", {"line": "[]"}, "line"),
        ("trench", {"excavated_ft": "5"}, "line"),
        ("petition", {"stretch_ft": "400"}, "lots[0].frontage_ft"),
        ("petition", {"stretch_ft": "400", "lots[3].frontage_ft": "-3"}, "lots[0].frontage_ft"),
        ("route", {"segments[0].street": "Main Street", "segments[0].from": "Alma Street"}, "segments[0].street"),
        ("setback", {"building": "", "accuracy_ft": "poor", "street": "Main Street"}, "accuracy_ft"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(town: Town, name: str, typed: dict[str, str], field: str) -> None:
    answer = town.get(f"/checks/{name}", **typed)
    assert answer.status_code == 422
    assert f'id="{field}-fault"' in answer.text, re.findall(r'id="([^"]+)-fault"', answer.text)
    assert "Nothing was checked." in answer.text
    assert '<h1 class="number">' not in answer.text


def test_a_check_that_there_is_none_of_is_told(town: Town) -> None:
    assert town.get("/checks/fence").status_code == 422
    assert town.get("/checks/fence/map.js").status_code == 422


def test_rows_are_added_without_script_and_nothing_typed_is_lost(town: Town) -> None:
    typed = {"stretch_ft": "400", "lots[0].frontage_ft": "100", "lots[2].frontage_ft": "150", "lots[2].signed": "yes"}
    html = town.get("/checks/petition", rows=4, do="rows", **typed).text
    assert html.count('class="field check-row"') == 8
    assert 'value="150"' in html
    assert '<h1 class="number">' not in html  # not judged before all lots are there
    judged = town.get("/checks/petition", **typed).text
    assert "37.5 %" in judged
    assert re.search(r'name="lots\[1\].frontage_ft"[^>]* value="150"', judged)  # as the request has it, without the gap


def test_an_outline_too_long_for_an_address_is_sent_as_a_form(town: Town) -> None:
    edge = [(100 + 20 * k / 3000, 4.0) for k in range(3000)]
    long = outline(town, *edge, (120, 14), (100, 14))
    assert len(long) > 60_000
    answer = town.post("/checks/share", "", footprint=long, **EXACT)
    assert answer.status_code == 200
    assert verdict(answer.text) == verdict(town.get("/checks/share", **asked_of_each(town)["share"]).text)
    assert "too long for one" in answer.text
    assert town.post("/checks/share", "", footprint="x" * 2_000_000).status_code == 413


def test_a_position_of_gps_is_said_to_be_moved_and_one_of_the_map_is_not(town: Town) -> None:
    at = town.at(120, 22)
    moved = text_of(town.get("/checks/mailbox", **at, datum="gps", accuracy_ft="16 ft").text)
    assert "is from GPS (WGS 84): it was moved" in moved
    assert "Tape it: from the face of the curb" in moved
    assert "not shifted" in text_of(town.get("/checks/mailbox", **at, accuracy_ft="16 ft").text)
    assert "so the position counts as exact" in text_of(town.get("/checks/mailbox", **at).text)


def test_what_is_typed_into_a_check_is_never_html(town: Town) -> None:
    bad = "<script>alert(1)</script>"
    html = town.get("/checks/terrace", **town.at(120, 22), kind="paving", approved=bad, **{"tape.setback": bad}).text
    assert bad not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize(
    ("feet", "within", "words"),
    [
        (5.875 / 12, 0.0, "5 7/8 in"),
        (2.99, 0.0, "2 ft 11 7/8 in"),
        (3.0, 0.0, "3 ft"),
        (0.0, 0.0, "0 in"),
        (-0.5, 0.0, "−6 in"),
        (11.99 / 12, 1.0, "1 ft"),
        (12.3, 25.5, "12 ft 4 in"),
        (1234.5, 0.0, "1,234 ft 6 in"),
    ],
)
def test_lengths_are_written_in_feet_and_inches_no_finer_than_they_are_known(
    feet: float, within: float, words: str
) -> None:
    assert length_words(feet, within) == words


def test_a_value_next_to_its_limit_never_reads_like_the_limit() -> None:
    row = {"quantity": "clear_width_ft", "value": 2.9999, "uncertainty": 0.0, "limit": 3.0, "unit": "ft",
           "margin": -0.0001, "verdict": "violates", "section": "", "settles": "", "note": "", "law": ""}  # fmt: skip
    assert (row_words("clear-width", row)["value"], row_words("clear-width", row)["limit"]) == (
        "2.9999 ft",
        "at least 3 ft",
    )
    third = {**row, "quantity": "way_share", "value": 0.33334, "limit": 1 / 3, "unit": "share", "margin": -0.0000067}
    assert row_words("share", third)["value"] != row_words("share", third)["limit"]


def test_an_undecided_row_says_what_would_settle_it_and_is_never_a_yes() -> None:
    row = {"quantity": "setback_in", "value": 6.25, "uncertainty": 0.5, "limit": 6.0, "unit": "in", "margin": 0.25,
           "verdict": "undecided", "section": "", "settles": "Tape it.", "note": "", "law": ""}  # fmt: skip
    found = told("mailbox", {"verdict": "undecided", "rows": [row]})
    assert (found["word"], found["settles"]) == ("Undecided", ["Tape it."])
    assert found["doubts"] == ["Set-back of the door: 6 1/4 in ± 1/2 in leaves the limit open: at least 6 in."]


def test_a_tap_gives_a_mailbox_its_place_and_corners_a_pile_its_outline(live: Live) -> None:
    context = live.context("", 360, has_touch=True)
    page = context.new_page()
    page.goto(f"{live.url}/checks/mailbox")
    page.wait_for_selector(".on-map.name > span")
    tap(page, live.town.at(120, 22))
    page.wait_for_selector("h1.number")
    query = parse_qs(urlsplit(page.url).query)
    assert query["datum"] == ["nad83-2011"]
    assert re.fullmatch(r"\d+ ft", query["accuracy_ft"][0])
    assert "tape.setback" not in page.url  # an address says only what was asked
    expect(page.locator(".settles")).to_contain_text("Tape it")
    assert faults_of_access(page) == []
    page.goto(f"{live.url}/checks/share")
    page.wait_for_selector(".on-map.name > span")
    for x, y in ((100, 4), (120, 4), (120, 14)):
        tap(page, live.town.at(x, y))
    page.get_by_role("button", name="Finish").click()
    page.wait_for_selector("h1.number")
    assert json.loads(parse_qs(urlsplit(page.url).query)["footprint"][0])["type"] == "Polygon"
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.wait_for_selector(".on-map.told > span")
    context.close()


def test_no_check_is_cut_off_or_barred_to_anybody_on_a_phone(live: Live) -> None:
    context = live.context("", 360)
    page = context.new_page()
    for name in ("", *(f"/{name}?{urlencode(typed)}" for name, typed in asked_of_each(live.town).items())):
        page.goto(f"{live.url}/checks{name}")
        assert page.evaluate("document.documentElement.scrollWidth") == 360, name
        assert faults_of_access(page) == [], name
    context.close()
