"""The pages of permits: applied for with an outline, refused with its cure beside it, inspected by thumb; in public.

Seen to fail, each by breaking the code once: the form's token not sent on; what stands in the way without its links; a
permit among the cases; names in what the public sees; an outline across the street for along it; the note as HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import shapely
from fastapi.testclient import TestClient
from playwright.sync_api import Browser

from app import registers, slips
from app.auth import Role
from app.case_tables import case_events
from app.casework import Step
from app.clocks import LOCAL
from app.deps import COOKIE
from app.main import create_app
from app.permits import PERMITS
from app.routes import permit_places, permit_words
from app.settings import Settings
from app.village import LONLAT
from tests.access import faults_of_access
from tests.conftest import serving_here
from tests.people import by_key, by_session
from tests.permitting import Permits
from tests.plat import PLAT, village
from tests.test_address_pages import Form, Town, text_of

SCRIPT = "<script>alert('place')</script>"
TODAY = datetime.now(LOCAL).date()


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """One served register for all: each test applies for permits of its own."""
    folder = tmp_path_factory.mktemp("permits")
    app = create_app(Settings(data_dir=village(folder, PLAT), state_dir=folder / "register"))
    roles = {"clerk": Role.CLERK, "director": Role.DIRECTOR, "inspector": Role.INSPECTOR, "police": Role.POLICE}
    who = {name: by_session(app.state.database, f"{name.title()} Jones", role) for name, role in roles.items()}
    who["key"] = by_key(app.state.database, Role.CLERK, Role.DIRECTOR, Role.INSPECTOR)
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, app.state.database, app.state.atlas, who)


@pytest.fixture(scope="module")
def permits(town: Town) -> Permits:
    return Permits(town.client, town.who["key"])


def iso(days: int) -> str:
    return (TODAY + timedelta(days=days)).isoformat()


def events(town: Town) -> int:
    with town.database.read() as connection:
        return registers.counted(connection, case_events)


def box(town: Town, x: float, y: float, wide: float = 6.0, long: float = 10.0) -> dict[str, Any]:
    """An outline on the squared paper, in longitude and latitude."""
    to = town.atlas.village.out_of_feet(LONLAT)
    corners = [(x, y), (x + wide, y), (x + wide, y + long), (x, y + long), (x, y)]
    return {"type": "Polygon", "coordinates": [[list(map(float, to(*xy))) for xy in corners]]}


def step(town: Town, permit: int, name: str, who: str = "clerk", query: str = "", **given: str) -> Any:
    action = f"/permits/{permit}/{name}"
    return town.sent(town.get(action + query, who), action, who, **given)


# --- applying ---


def test_a_clerk_applies_with_length_and_width_and_the_outline_lies_along_the_street(town: Town) -> None:
    form = town.get("/permits/new/opening", "clerk")
    assert form.status_code == 200
    place = town.at(365, 480, length_ft="12 ft", width_ft="4")
    given = {"applicant": "Acme Water\n1 Mill Lane", "signed": "yes", "in": "street", "location": SCRIPT}
    sent = town.sent(form, "/permits/new/opening", "clerk", **given, **place)
    assert sent.status_code == 303, text_of(sent.text)
    permit = int(re.match(r"/permits/(\d+)\?done=apply", sent.headers["Location"])[1])  # type: ignore[index]
    page = town.get(f"/permits/{permit}", "clerk")
    assert SCRIPT not in page.text
    assert "&lt;script&gt;" in page.text
    outline = town.client.get(f"/api/v1/permits/{permit}", headers=town.who["key"]).json()["outline"]["shape"]
    # Alma Street runs north and south on the squared paper: 12 ft long that way, 4 ft wide, turned by the axis
    west, south, east, north = shapely.geometry.shape(outline).bounds
    assert north - south == pytest.approx(12, abs=0.3)
    assert east - west == pytest.approx(4, abs=0.3)
    assert shapely.geometry.shape(outline).area == pytest.approx(48, abs=0.01)
    assert town.get(f"/permits/{permit}/map.js", "clerk").status_code == 200


def test_a_double_click_makes_one_application_and_one_step(town: Town) -> None:
    form, before = town.get("/permits/new/sidewalk", "clerk"), events(town)
    sent = [
        town.sent(form, "/permits/new/sidewalk", "clerk", does="repair", applicant="Ann Lee", location="145")
        for _ in range(2)
    ]
    assert sent[0].headers["Location"] == sent[1].headers["Location"]
    permit = int(sent[0].headers["Location"].split("/")[2].partition("?")[0])
    page = town.get(f"/permits/{permit}/complete", "clerk")
    for _ in range(2):
        assert town.sent(page, f"/permits/{permit}/complete", "clerk", sufficient="yes").is_redirect
    page = town.get(f"/permits/{permit}", "clerk")
    for _ in range(2):
        assert town.sent(page, f"/permits/{permit}/undo", "clerk", reason="A slip.").is_redirect
    assert events(town) == before + 3


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"lat": "x", "lon": "1"}, "lat"),
        ({"geometry": "{"}, "geometry"),
        ({"geometry": '{"type": "Polygon", "coordinates": []}'}, "geometry"),
        ({"length_ft": "12", "lat": "42.57", "lon": "-90.38"}, "width_ft"),
        ({"accuracy_ft": "far", "lat": "42.57", "lon": "-90.38"}, "accuracy_ft"),
        ({"starts_on": "soon"}, "starts_on"),
        ({"starts_on": "2026-06-09", "ends_on": "2026-06-01"}, "ends_on"),
        ({"emergency": "yes"}, "utility"),
        ({"date": "soon"}, "date"),
    ],
)
def test_what_is_wrong_is_told_beside_its_field_and_what_was_typed_stays(
    town: Town, given: dict[str, str], field: str
) -> None:
    form, before = town.get("/permits/new/opening", "clerk"), events(town)
    told = town.sent(form, "/permits/new/opening", "clerk", nature="by the gate", **given)
    assert told.status_code == 422
    assert f'id="{field}-fault"' in told.text
    assert "by the gate" in told.text
    assert events(town) == before


def test_an_address_is_found_first_and_goes_with_the_application(town: Town) -> None:
    address = town.add(400, 471, street="Alma Street")
    found = town.get("/permits/new/privilege", "clerk", q="145 alma").text
    assert f"/permits/new/privilege?address={address}" in found
    form = town.get("/permits/new/privilege", "clerk", address=address)
    sent = town.sent(form, "/permits/new/privilege", "clerk", purpose="construction")
    assert "145 North Alma Street" in text_of(town.get(sent.headers["Location"], "clerk").text)


# --- what stands in the way ---


def test_a_refused_approval_shows_each_cure_beside_it_and_a_refusal_is_filled_in_from_it(
    town: Town, permits: Permits
) -> None:
    permit = permits.complete("privilege", purpose="moving", building_permit=None)["id"]
    page = town.get(f"/permits/{permit}", "clerk").text
    for section, link in (
        ("288-8 B", "decide?decision=bond_amount"),
        ("288-8 A", "advise"),
        ("288-8 D(6)", "decide?decision=route"),
        ("288-8 A", "decide?decision=building_permit"),
    ):
        assert f'href="/permits/{permit}/{link}"' in page, link
        assert f"§ {section}" in page
    told = step(town, permit, "approve")
    assert told.status_code == 422
    assert "The bond" in text_of(told.text) or "Bond:" in text_of(told.text)
    assert f'href="/permits/{permit}/decide?decision=route"' in told.text
    refusal = Form(town.get(f"/permits/{permit}/refuse", "clerk").text, f"/permits/{permit}/refuse").fields
    assert refusal["under"] == ["§ 288-8 B; § 288-8 A; § 288-8 D(6)"]
    assert "the route prescribed by the Village Board (§ 288-8 D(6))" in refusal["cure"][0]
    chosen = Form(town.get(f"/permits/{permit}/decide?decision=route", "clerk").text, f"/permits/{permit}/decide")
    assert chosen.fields["decision"] == ["route"]
    assert step(town, permit, "refuse").is_redirect
    assert "Refused" in text_of(town.get(f"/permits/{permit}", "clerk").text)


def test_an_application_that_lacks_something_says_what_and_leads_to_it(town: Town, permits: Permits) -> None:
    permit = permits.apply("opening", nature=None, signed="no")["id"]
    told = step(town, permit, "complete", sufficient="yes")
    assert told.status_code == 422
    assert f'href="/permits/{permit}/amend#nature"' in told.text
    assert "§ 288-5 B" in told.text
    amend = Form(town.get(f"/permits/{permit}/amend", "clerk").text, f"/permits/{permit}/amend").fields
    assert amend["method"] == ["open cut"]
    assert step(town, permit, "amend", nature="a main", signed="yes").is_redirect
    assert step(town, permit, "complete", sufficient="yes").is_redirect


def test_a_step_that_the_state_does_not_allow_is_said_on_the_permits_own_page(town: Town, permits: Permits) -> None:
    permit = permits.apply("opening")["id"]
    for answer in (town.get(f"/permits/{permit}/close", "clerk"), town.post(f"/permits/{permit}/close", "clerk")):
        assert answer.status_code == 409
        assert "What you can do now" in text_of(answer.text)
        assert "“Draft”" in text_of(answer.text)
    assert town.get(f"/permits/{permit}/explode", "clerk").status_code == 404
    assert town.get("/permits/999999", "clerk").status_code == 404
    assert town.get("/permits/new/balloon", "clerk").status_code == 404


def test_who_may_not_take_a_step_is_told_whose_it_is(town: Town, permits: Permits) -> None:
    permit = permits.complete("sidewalk")["id"]
    assert town.get("/permits/new/opening", "police").status_code == 403
    assert "is for another office" in text_of(town.get(f"/permits/{permit}/approve", "police").text)
    assert town.post(f"/permits/{permit}/approve", "police", by="clerk").status_code == 403
    assert town.get(f"/permits/{permit}").headers["Location"].startswith("/sign-in")


# --- on the site ---


def test_an_inspection_asks_only_for_what_is_measured_of_the_chosen_thing(town: Town, permits: Permits) -> None:
    permit = permits.complete("opening")["id"]
    every = town.get(f"/permits/{permit}/inspect", "inspector").text
    assert every.count("not looked at") == len(re.findall(r'id="item-', every)) == 21
    page = town.get(f"/permits/{permit}/inspect?item=compaction", "inspector").text
    assert 'name="layer_in"' in page
    assert 'name="stone_in"' not in page
    assert 'name="layer_in"' not in town.get(f"/permits/{permit}/inspect?item=lights", "inspector").text
    action, query = f"/permits/{permit}/inspect", "?item=compaction"
    # 14 in is more than the twelve inches of E(4): to say that it is as it is to be is refused, the measure decides
    refused = step(town, permit, "inspect", "inspector", query, layer_in="14", result="pass")
    assert (refused.status_code, 'id="result-fault"' in refused.text) == (422, True)
    assert Form(refused.text, action).fields["layer_in"] == ["14"]
    assert step(town, permit, "inspect", "inspector", query, layer_in="14", result="").is_redirect
    after = town.get(action, "inspector").text
    assert re.search(r'item-compaction".*?not as it is to be', after, re.DOTALL)
    assert step(town, permit, "inspect", "inspector", "?item=lights", result="").status_code == 422


# --- the desk ---


def test_the_desk_is_filtered_and_exported_and_no_permit_is_among_the_cases(town: Town, permits: Permits) -> None:
    late = permits.approved("opening", "2026-05-04", location="by the mill", geometry=box(town, 365, 480))
    fresh = permits.apply("sidewalk", location="by the church")
    html = town.get("/permits", "police").text
    assert f'href="/permits/{late["id"]}"' in html
    assert "New street opening" not in text_of(html)
    assert "New street opening" in text_of(town.get("/permits", "clerk").text)
    only = town.get("/permits", "clerk", state="expired").text
    assert (f'"/permits/{late["id"]}"' in only, f'"/permits/{fresh["id"]}"' in only) == (True, False)
    assert f'"/permits/{late["id"]}"' not in town.get("/permits", "clerk", kind="sidewalk").text
    assert f'"/permits/{late["id"]}"' in town.get("/permits", "clerk", street="Alma Street", q="mill").text
    assert f'"/permits/{late["id"]}"' in town.get("/permits", "clerk", q=late["number"].lower()).text
    lines = town.get("/permits", "clerk", format="csv", q="mill").text.splitlines()
    assert lines[0].startswith("number,kind,state,undecided,place,street,due")
    # approved May 4: valid for 30 days, through June 3
    assert lines[1].startswith(f"{late['number']},opening,Expired,no,by the mill,Alma Street,2026-06-03,")
    for wrong in ({"state": "x"}, {"due": "x"}, {"sort": "x"}, {"kind": "x"}, {"kind": "numbering"}):
        assert town.get("/permits", "clerk", **wrong).status_code in {404, 422}, wrong
    assert "by the mill" not in town.get("/cases", "clerk", state="all").text
    assert town.get(f"/cases/{late['id']}", "clerk").headers["Location"] == f"/permits/{late['id']}"
    assert town.get(f"/cases/{late['id']}/restore", "clerk").headers["Location"] == f"/permits/{late['id']}/restore"
    assert "open permit" in text_of(town.get("/", "clerk").text)


@pytest.mark.parametrize("value", ["9" * 23, "-1", "1e400", "nan", "१२", "²", "\x00", "x" * 3000, "[" * 5000])
def test_no_field_of_a_permits_forms_makes_the_service_fail(town: Town, permits: Permits, value: str) -> None:
    permit = permits.apply("opening")["id"]
    before = events(town)
    for field in ("geometry", "lat", "length_ft", "accuracy_ft", "loss_at", "starts_on", "pavement", "date", "time"):
        place = town.at(365, 480, width_ft="4") if field == "length_ft" else {}
        place |= town.at(365, 480) if field == "accuracy_ft" else {}
        answer = town.post(f"/permits/{permit}/amend", "clerk", **{**place, field: value})
        assert answer.status_code == 422, field
    for name, fields in {
        "inspect": ("item", "layer_in"),
        "decide": ("decision",),
        "undo": ("token",),
        "draft": ("step",),
    }.items():
        for field in fields:
            assert town.post(f"/permits/{permit}/{name}", "clerk", **{field: value}).status_code in {403, 404, 409, 422}
    assert town.get("/permits/new/opening", "clerk", q=value[:200]).status_code == 200
    assert town.get(f"/permits/{permit}/inspect", "clerk", item=value[:200]).status_code == 200
    assert events(town) == before


# --- in public ---


def test_anybody_sees_where_a_permit_stands_and_no_name(town: Town, permits: Permits) -> None:
    permit = permits.approved("opening", "2026-05-04", location="by the bridge", applicant="Bo Lund\n1 Mill Lane",
                              geometry=box(town, 380, 600))  # fmt: skip
    page = town.get("/permits/status", number=f" {permit['number'].lower()} ")
    text = text_of(page.text)
    assert page.status_code == 200
    assert "Expired" in text
    assert "Wed, June 3, 2026" in text
    assert "Bo Lund" not in page.text
    mapped = town.get("/works", at="2026-05-10").text
    assert f'href="/permits/status?number={permit["number"]}"' in mapped
    unknown = town.get("/permits/status", number="SO-1999-0001<b>")
    assert (unknown.status_code, "<b>" in unknown.text.split("<main", 1)[1].split("notice", 1)[1][:80]) == (404, False)
    assert "No permit has the number" in text_of(unknown.text)
    assert town.get("/permits/status").status_code == 200
    assert "/permits/needs" in town.get("/").text


def test_what_an_application_needs_is_said_in_the_laws_words_with_the_fee_that_is_not_set(town: Town) -> None:
    page = unescape(text_of(town.get("/permits/needs").text))
    for lines in (*permit_words.BEFORE.values(), *permit_words.AFTER.values(), permit_words.CALLS):
        for what, section, sentence in lines:
            assert f"{what} § {section} “{sentence}”" in page, what
    assert page.count("Fee not set (§ 173-1)") == 2
    assert "No fee § 288-4 C “No fee shall be charged for such permits.”" in page
    order = [page.index(what) for what, _, _ in permit_words.CALLS]
    assert order == sorted(order)
    for slip in (*slips.of("288-5"), *slips.of("288-6"), *slips.of("288-8")):
        assert slip.title in page


def test_each_sentence_that_is_shown_with_a_number_of_the_law_is_the_laws(town: Town) -> None:
    known = town.atlas.village.law
    said = " ".join(
        sentence
        for lines in (*permit_words.BEFORE.values(), *permit_words.AFTER.values(), permit_words.CALLS)
        for _, _, sentence in lines
    ).replace("’", "'")
    keys = ("frozen_from", "opening_valid_days", "director_notice_hours", "affected_notice_business_days",
            "backfill_notice_hours", "permanent_pavement_days", "privilege_months")  # fmt: skip
    for key in keys:
        assert known[key].quotation.replace("’", "'") in said, key


def _offers(steps: Mapping[str, Step], name: str, chosen: str, _words: str) -> bool:
    """Say whether a kind has a step, and what its link chooses in it."""
    if name not in steps:
        return False
    choices = [one.choices for one in steps[name].asks if one.key == permit_words.CHOSEN.get(name)]
    return not chosen or any(chosen in one for one in choices)


def test_every_cure_is_a_step_of_a_permit_and_every_fact_with_a_section_is_asked_for() -> None:
    for kind, sections in permit_words.SECTIONS.items():
        assert set(sections) <= {asked.key for asked in PERMITS[kind].steps["apply"].asks}
    for key, cures in permit_words.CURES.items():
        assert any(all(_offers(kind.steps, *cure) for cure in cures) for kind in PERMITS.values()), key
    assert permit_places.field_of("geometry.coordinates[0]") == "geometry"


# --- other kinds of cases ---


def test_an_obstruction_is_reported_by_its_place_and_shown_among_the_cases(town: Town) -> None:
    assert "/cases/new/obstruction" in town.get("/cases/report", "police").text
    form = town.get("/cases/new/obstruction", "police")
    wrong = town.sent(form, "/cases/new/obstruction", "police", what="a fence", **town.at(400, 471))
    assert (wrong.status_code, 'id="place-fault"' in wrong.text) == (422, True)
    assert "a fence" in wrong.text
    sent = town.sent(form, "/cases/new/obstruction", "police", what="a fence", place="sidewalk", where="by the dam",
                     **town.at(400, 471))  # fmt: skip
    assert sent.status_code == 303, text_of(sent.text)
    assert town.get(sent.headers["Location"], "police").status_code == 200
    assert "by the dam" in town.get("/cases", "police").text
    assert town.get("/cases/new/opening", "clerk").status_code == 404
    assert town.get("/cases/new/numbering", "clerk").headers["Location"] == "/cases/report"
    assert town.post("/cases/new/repaving", "police", street="Alma Street").status_code == 403


# --- what only a browser shows ---


def test_an_outline_is_tapped_on_a_phone_and_the_work_is_inspected_by_thumb(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(data_dir=village(tmp_path, PLAT), state_dir=tmp_path / "register")
    app = create_app(settings)
    cookie = by_session(app.state.database, "Dana Jones", Role.DIRECTOR)["Cookie"].partition("=")[2]
    app.state.database.close()
    with serving_here(settings) as url:
        context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": url}])
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{url}/permits/new/opening")
        page.get_by_role("button", name="Tap the outline").click()
        at = page.locator("#map_village").bounding_box()
        assert at is not None
        for x, y in ((150, 120), (190, 120), (190, 160), (150, 160)):
            page.touchscreen.tap(at["x"] + x, at["y"] + y)
        page.get_by_text("4 corners of the outline").wait_for()
        page.get_by_role("button", name="Finish").click()
        assert '"Polygon"' in page.locator("#geometry").input_value()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert faults_of_access(page) == []
        page.get_by_role("button", name="Begin the application").click()
        page.wait_for_url(re.compile(r"/permits/1\?done=apply"))
        page.locator("#map_village path").first.wait_for(state="attached")
        assert faults_of_access(page) == []
        page.goto(f"{url}/permits/1/inspect")
        page.get_by_role("link", name="Barriers").click()
        button = page.get_by_role("button", name="Not as it is to be")
        assert button.bounding_box()["height"] >= 72  # type: ignore[index]
        button.click()
        page.wait_for_url(re.compile(r"done=inspect"))
        assert "not as it is to be" in page.locator("#item-barriers").inner_text()
        assert errors == []
        context.close()
