"""The map editor's pages: a street chosen, edited, drawn; each edit shown first; the findings worked off.

The plat is that of `tests.plat` with Stub Lane, whose extension splits a block of Van Buren Street; feet of EPSG:7608.
Alma Street's block from First Avenue (y = 330) to Second (y = 660) has a unit of 8 ft; west is odd.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

from app.auth import Role
from app.db import Database
from app.main import create_app
from app.settings import Settings
from tests.access import faults_of_access
from tests.people import Headers, by_session
from tests.plat import PLAT, village
from tests.prepared import Prepared, put_map
from tests.test_address_pages import Form, Town, text_of
from tests.test_map_pages import Office, opened
from tests.test_map_pages import office as serving_office

EDITOR = "/maps/1/editor"
LINES = {**PLAT, "Stub Lane": [(900, 150), (1500, 150)]}
KIND = {"kind": "kind", "street": "First Avenue", "to": "alley"}
DRAW = {"kind": "draw", "street": "Oak Street", "to": "street", "unit": "feet", "points": "1200, 200\n1200, 1200"}


def plat_with_sessions(database: Database) -> dict[str, Headers]:
    """Fill a register with the plat's map and two officers, signed in."""
    put_map(database, LINES)
    roles = {"director": Role.DIRECTOR, "clerk": Role.CLERK}
    return {name: by_session(database, f"{name.title()} Jones", role) for name, role in roles.items()}


@pytest.fixture
def town(prepared: Prepared, tmp_path: Path) -> Iterator[Town]:
    _, who = prepared.file(tmp_path / "register", plat_with_sessions)
    app = create_app(Settings(data_dir=village(tmp_path, LINES), state_dir=tmp_path / "register"))
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, app.state.database, app.state.atlas, who)


def record(town: Town, page: Any, reason: str = "as on the plat") -> Any:
    """Send the form by which what was shown is recorded."""
    fields = Form(page.text, EDITOR).fields
    return town.post(EDITOR, **{**fields, "reason": reason})


def send(town: Town, page: Any, action: str, **more: str) -> Any:
    """Send a page's form with an action, as it stands but for some fields."""
    town.client.cookies.clear()
    fields = {**Form(page.text, action).fields, **more}
    return town.client.post(action, data=fields, headers=town.who["director"])


def names(town: Town) -> set[str]:
    return set(town.atlas.village.network.by_name)


# --- choosing ---


def test_a_street_is_chosen_by_its_name_or_by_a_place_on_it(town: Town) -> None:
    empty = town.get(EDITOR, "director").text
    assert "Tap a street on the map, or choose it here" in text_of(empty)
    assert '<option value="Alma Street">' in empty
    lat_lon = town.at(440, 500)
    for asked in (
        {"street": "alma st"},
        {"at": "450, 500", "unit": "feet"},
        {"at": f"{lat_lon['lat']}, {lat_lon['lon']}"},
    ):
        html = town.get(EDITOR, "director", **asked).text
        assert "<h1>Alma Street</h1>" in html
        assert "Main Street, South and North" in text_of(html)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"at": "590.1, 1000", "unit": "feet"}, "expected a place within 150 ft of a street"),
        ({"at": "north"}, "expected latitude and longitude"),
        ({"at": "north", "unit": "feet"}, "expected easting and northing in feet"),
        ({"at": "1, 2"}, "expected a place within 150 ft of a street"),
        ({"street": "Elm Street"}, "Found Elm Street"),
    ],
)
def test_a_place_where_no_street_is_is_told_beside_its_field(town: Town, asked: dict[str, str], said: str) -> None:
    answer = town.get(EDITOR, "director", **asked)
    assert answer.status_code == 422
    assert said in text_of(answer.text)


def test_a_place_just_within_150_ft_of_a_street_is_on_it(town: Town) -> None:
    assert "<h1>Alma Street</h1>" in town.get(EDITOR, "director", at="589.9, 1000", unit="feet").text


# --- editing ---


def test_an_edit_is_shown_and_recorded_only_with_a_reason_and_as_it_was_shown(town: Town) -> None:
    town.add(400, 471, street="Alma Street")  # 245: Stub Lane is a line at 150; 141 ft past First, unit 8
    shown = town.post(EDITOR, **KIND)
    assert shown.status_code == 200
    # without First's line the block runs 510 ft from 150, unit 12: 321 / 12 = 26.75, and 111 + 52
    assert "245 North Alma Street 245 163 provisional" in text_of(shown.text)
    assert "Found nothing; expected why the map is edited" in record(town, shown, " ").text
    town.add(400, 334, street="Alma Street")
    again = record(town, shown)
    assert "The register has changed since you looked" in text_of(again.text)
    done = record(town, again)
    assert done.headers["Location"] == f"{EDITOR}?street=First+Avenue&done=kind"
    html = town.get(done.headers["Location"], "director").text
    assert "Kind of street: recorded" in text_of(html)
    assert "All of First Avenue is of kind alley" in html


def test_an_edit_of_a_piece_is_of_the_piece_that_was_tapped(town: Town) -> None:
    record(town, town.post(EDITOR, kind="split", street="Alma Street", at="440, 0", unit="feet"))
    piece = {"street": "Alma Street", "at": "440, -300", "unit": "feet", "which": "piece"}
    assert "The piece that was tapped" in town.get(EDITOR, "director", **piece).text
    record(town, town.post(EDITOR, kind="kind", to="private", **piece))
    kinds = {p.line.bounds[1]: p.kind for p in town.atlas.village.files.pieces if p.name == "Alma Street"}
    assert kinds == {-700: "private", 0: "street"}


def test_a_street_with_addresses_is_led_to_the_boards_renaming(town: Town) -> None:
    town.add(400, 471, street="Alma Street")
    page = town.get(EDITOR, "director", street="Alma Street").text
    assert "another name is recorded as" in text_of(page)
    refused = town.post(EDITOR, kind="name", street="Alma Street", to="Elm Street", name_status="confirmed")
    assert refused.status_code == 409
    assert 'href="/streets/Alma%20Street/rename"' in refused.text
    assert "245 North Alma Street" in refused.text
    record(town, town.post(EDITOR, kind="name", street="Stub Lane", to="Elm Lane", name_status="inferred"))
    assert "Elm Lane" in names(town)


def test_a_new_street_is_held_against_the_scheme_before_it_is_kept(town: Town) -> None:
    shown = town.post(EDITOR, **DRAW)
    told = text_of(shown.text)
    assert "conform as nearly as possible to the general scheme of numbering" in told
    assert "It is numbered from Main Street, North." in told
    assert "Oak Street" not in names(town)
    done = record(town, shown, "plat of 2026")
    assert done.headers["Location"] == f"{EDITOR}?street=Oak+Street&done=draw"
    assert "Oak Street" in names(town)
    edit = town.atlas.village.street_edits[0]
    assert (edit.line, edit.reason) == (((1200.0, 200.0), (1200.0, 1200.0)), "plat of 2026")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"points": "1200, 200"}, "two or more, one a line, in their order"),
        ({"points": "1200, 200\nthere"}, "easting and northing in feet"),
        ({"points": "\n".join(["1, 2"] * 501)}, "at most 500"),
        ({"street": "12"}, "a name with a word in it"),
        ({"to": "boulevard"}, "expected one of street, alley"),
    ],
)
def test_a_street_that_cannot_be_drawn_is_told_beside_its_field(town: Town, given: dict[str, str], said: str) -> None:
    refused = town.post(EDITOR, **{**DRAW, **given})
    assert refused.status_code == 422
    assert said in text_of(refused.text)
    assert 'name="points"' in refused.text  # what was typed is still there


def test_a_name_that_ends_with_a_period_has_one_where_it_comes_or_goes(town: Town) -> None:
    shown = town.post(EDITOR, **{**DRAW, "street": "Maple St."})
    assert "Streets that come: Maple St." in text_of(shown.text)
    assert "Maple St.." not in text_of(shown.text)


def test_an_edit_is_taken_back_after_it_was_shown_what_that_does(town: Town) -> None:
    record(town, town.post(EDITOR, **DRAW))
    html = town.get(EDITOR, "director").text
    assert "Oak Street is drawn (street)" in html
    url = "/maps/1/edits/1/withdraw"
    shown = send(town, town.get(EDITOR, "director"), url, reason="")
    assert "Streets that go: Oak Street" in text_of(shown.text)
    assert "Oak Street" in names(town)
    assert "expected why it is withdrawn" in send(town, shown, url).text
    assert send(town, shown, url, reason="not built").status_code == 303
    assert "Oak Street" not in names(town)


def test_an_adopted_map_is_not_edited_and_the_page_says_where_it_is(town: Town) -> None:
    body = {"date": "2026-06-01", "act": "Resolution 2026-14"}
    assert town.client.post("/api/v1/maps/1/adopt", json=body, headers=town.who["director"]).status_code == 200
    html = town.get(EDITOR, "director", street="Alma Street").text
    assert "is adopted and is not edited any more" in text_of(html)
    assert "Show what it would do" not in html
    assert town.post(EDITOR, **KIND).status_code == 409


# --- rows and findings ---


def test_two_lines_are_made_one_and_a_line_left_out_is_put_back(town: Town) -> None:
    drawn = {**DRAW, "street": "Near Avenue", "points": "-900, 430\n900, 430"}  # 100 ft past First
    record(town, town.post(EDITOR, **drawn))
    rows = town.get("/maps/1/rows", "director", street="Alma Street").text
    assert "Make one line of those at its ends, 330.0 and 430.0 ft" in rows
    given = {"street": "Alma Street", "half": "North", "at_ft": "330", "reason": "one street", "value": "430"}
    shown = town.post("/maps/1/edits", kind="merge_lines", **given)
    assert "The lines at 330.0 and 430.0 ft are one" in shown.text
    assert send(town, shown, "/maps/1/edits").status_code == 303
    starts = [row.from_ft for row in town.atlas.village.rows_of("Alma Street") if row.side == "North"]
    assert starts[:4] == [0, 150, 330, 660]


def test_findings_are_worked_off_each_decided_once(town: Town) -> None:
    url = "/maps/1/findings"
    page = town.get(url, "director", kind="EXTENSION_SPLITS_BLOCK")
    titles = re.findall(r'<p class="what"><b>([^<]+)</b>, <a href="[^"]*">([^<]+)<', page.text)
    assert titles == list(dict.fromkeys(titles))
    assert "Show on the map" in page.text
    before = len(titles)
    sent = send(town, page, "/maps/1/edits", decision="kept", reason="plat of 1881")
    assert sent.headers["Location"] == f"{url}?kind=EXTENSION_SPLITS_BLOCK&state=open"
    after = text_of(town.get(sent.headers["Location"], "director").text)
    assert f"{len(titles)} open" not in after or before == 0
    decided = text_of(town.get(url, "director", state="decided").text)
    assert "Decided: kept. plat of 1881" in decided
    csv = town.get(url, state="all", format="csv")
    assert csv.text.splitlines()[0].startswith("state,code,title,section")
    assert sum(line.startswith("decided,EXTENSION_SPLITS_BLOCK") for line in csv.text.splitlines()) == 1
    assert "Record the decision" not in town.get(url).text  # the public reads only


def test_a_finding_leads_to_its_place_on_the_map(town: Town) -> None:
    page = town.get("/maps/1/findings", "director", kind="EXTENSION_SPLITS_BLOCK").text
    links = [link.replace("&amp;", "&") for link in re.findall(r'href="(/maps/1/editor[^"]+)"', page)]
    assert links
    assert {town.get(link, "director").status_code for link in links} == {200}


# --- edits that match nothing stand in the way ---


def test_the_adoption_is_not_offered_while_an_edit_matches_nothing(town: Town) -> None:
    assert "Day of the Board" in town.get("/maps/1/adopt", "director").text
    record(town, town.post(EDITOR, kind="split", street="Alma Street", at="440, 0", unit="feet"))
    record(
        town, town.post(EDITOR, kind="kind", street="Alma Street", at="440, 700", unit="feet", which="piece", to="path")
    )
    shown = town.post("/maps/1/edits/1/withdraw", reason="a mistake")
    assert "These edits would match nothing any more" in text_of(shown.text)
    send(town, shown, "/maps/1/edits/1/withdraw", reason="a mistake")
    page = town.get("/maps/1/adopt", "director").text
    assert "1 edit matches nothing: kind of the piece of Alma Street" in text_of(page)
    assert "Day of the Board" not in page
    editor = text_of(town.get(EDITOR, "director").text)
    assert "Edits of version 1: 1 stand, 1 matches nothing" in editor
    assert "1 withdrawn" in editor


# --- in a browser ---


@pytest.fixture
def plat(prepared: Prepared, tmp_path: Path) -> Iterator[Office]:
    with serving_office(prepared, tmp_path / "plat", LINES) as made:
        yield made


def test_a_street_is_tapped_and_another_drawn_by_tapping_and_by_keyboard(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "director", viewport={"width": 360, "height": 740}) as page:
        page.goto(f"{plat.url}{EDITOR}?street=Alma+Street")
        box = page.locator("#map_village")
        box.focus()
        page.keyboard.press("Enter")  # the street under the crosshair
        expect(page).to_have_url(re.compile(r"editor\?at="))
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Street|Avenue|Lane"))
        page.goto(f"{plat.url}{EDITOR}?do=draw")
        page.get_by_label("Name", exact=True).fill("Oak Street")
        box.click(position={"x": 150, "y": 130})
        box.click(position={"x": 200, "y": 210})
        page.get_by_role("button", name="Add the center").click()
        expect(page.locator("#said")).to_have_text("3 points drawn.")
        page.get_by_role("button", name="Take the last point back").click()
        assert len(page.get_by_label("Points, one a line").input_value().splitlines()) == 2
        assert faults_of_access(page) == []
        page.get_by_role("button", name="Check this street").click()
        expect(page.get_by_role("heading", name="What this edit would do")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert faults_of_access(page) == []
        page.get_by_label("Why").fill("plat of 2026")
        page.get_by_role("button", name="Record the edit").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Oak Street")
