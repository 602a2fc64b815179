"""The right-of-way as people see and change it, on a plat on squared paper where every width is known by hand.

Main Street lies on y = 0 from x = -2000 to 2000. Without a row of its own it is 66 ft wide with 36 ft between curbs, so
that its curbs lie on y = 18 and -18, and walks of 5 ft lie 9 ft behind them: from 27 to 32.

Seen to fail, each by breaking the code once: `_state` without the latest retirement (one restored and another retired);
`Names.now` giving the name as it is (renamed); `_refuse_stale` left out; the key not handed to `once`; `seen` not
compared (saved undrawn); `best` taking the street's row before the block's; owners told to everybody.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser
from shapely import LineString, transform
from shapely.geometry import shape as as_shape

from app import section_edits
from app.auth import Person, Role
from app.cross_sections import read_section
from app.main import create_app
from app.routes.section_drawing import drawing
from app.row_layers import Ground
from app.settings import Settings
from app.street_objects import asking
from app.verify import verify
from tests.access import faults_of_access
from tests.conftest import serving_here
from tests.people import by_key, by_session, state
from tests.plat import PLAT, village
from tests.test_address_pages import Town, text_of

API = "/api/v1/right-of-way"
EDIT = "/right-of-way/sections/edit"
SCRIPT = "<script>alert('source')</script>"
FILE = (
    "street,half,block,row_width_ft,pavement_width_ft,odd_curb,odd_walk_offset_ft,odd_walk_width_ft,even_curb,"
    "even_walk_offset_ft,even_walk_width_ft,carrier_side,commercial,improved_on,accuracy_ft,status,surveyed_on,source\n"
    ",,,66,36,yes,9,5,yes,9,5,,,,5,assumed,,Nobody measured\n"
)
ROW: dict[str, Any] = {
    **{"row_width_ft": "66", "pavement_width_ft": "36", "accuracy_ft": "6 in", "status": "measured"},
    **{f"{side}_{what}": value for side in ("odd", "even")
       for what, value in (("curb", "yes"), ("walk_offset_ft", "9"), ("walk_width_ft", "5"))},
    **{"surveyed_on": "2026-06-01", "source": "Taped by the crew", "reason": "Measured"},
}  # fmt: skip
DIRECTOR = Person("Dora Director", "user:1", frozenset({Role.DIRECTOR}))


def with_file(folder: Any) -> Any:
    made = village(folder, PLAT)
    (made / "cross_sections.csv").write_text(FILE)
    return made


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("ground")
    app = create_app(Settings(data_dir=with_file(folder), state_dir=folder / "register"))
    database = app.state.database
    who = {role.value: by_session(database, f"{role.value.title()} Jones", role) for role in Role}
    who |= {f"{role.value} key": by_key(database, role, name=f"the {role.value}") for role in Role}
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, database, app.state.atlas, who)


def send(town: Town, path: str, body: Any, status: int = 201, who: str = "director key", key: str = "") -> Any:
    headers = {**town.who.get(who, {}), **({"Idempotency-Key": key} if key else {})}
    town.client.cookies.clear()
    answer = town.client.post(f"{API}{path}", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def saved(town: Town, code: int = 201, **given: Any) -> Any:
    return send(town, "/sections", {**ROW, **given}, code)


def across(town: Town, layer: str, street: str, x: float, low: float = -40, high: float = 40) -> list[float]:
    """How long each piece of a layer of a street is on a line straight up at x, as the API gives it."""
    found = town.get(f"{API}/{layer}", street=street).json()
    project, cut = town.atlas.village.into_feet("EPSG:4326"), LineString([(x, low), (x, high)])
    shapes = [transform(as_shape(f["geometry"]), lambda xy: np.column_stack(project(*xy.T))) for f in found["features"]]
    lengths = (round(shape.intersection(cut).length, 2) for shape in shapes)
    return [length for length in lengths if length]


def ground(town: Town) -> Ground:
    with town.database.read() as connection:
        found: Ground = town.client.app.state.ground.now(connection, town.atlas.village)  # type: ignore[attr-defined]
    return found


def setback_in(town: Town, x: float, y: float) -> tuple[float, float]:
    """A mailbox's set-back and its uncertainty, inches, by the check that anybody may ask."""
    sent = {"crs": "EPSG:7608", "x": x, "y": y, "street": "Main Street"}
    rows = town.client.post("/api/v1/checks/mailbox", json=sent).json()["rows"]
    (row,) = (one for one in rows if one["quantity"] == "setback_in" and one["value"] is not None)
    return row["value"], row["uncertainty"]


# --- cross-sections ---


def test_a_wider_pavement_moves_the_map_and_the_curb_that_a_mailbox_is_measured_from_at_once(town: Town) -> None:
    # the curb lies on y = 18, and the door on y = 20: 2 ft behind it; both good to 5 ft, 60 in
    assert across(town, "pavement", "Main Street", 200) == [36]
    assert setback_in(town, 200, 20) == pytest.approx((24, 60))
    made = saved(town, street="MAIN ST", pavement_width_ft="37 ft", accuracy_ft="6 in")
    # half a foot less behind the curb on each side; the widths are good to 6 in now, and the line itself is exact
    assert across(town, "pavement", "Main Street", 200) == [37]
    assert setback_in(town, 200, 20) == pytest.approx((18, 6))
    assert across(town, "sidewalk", "Main Street", 200, 0) == [5]
    assert across(town, "pavement", "Alma Street", 440) != [37]
    assert (made["street"], made["half"], made["block"], made["standing"]) == ("Main Street", "", None, True)
    assert (made["made_by"], made["reason"]) == ("the director", "Measured")
    features = town.get(f"{API}/pavement", street="Main Street").json()["features"]
    assert {(f["properties"]["status"], f["properties"]["source"]) for f in features} == {
        ("built", "Taped by the crew")
    }
    send(town, f"/sections/{made['id']}/retire", {"reason": "Misread"}, 200)
    assert across(town, "pavement", "Main Street", 200) == [36]
    assert setback_in(town, 200, 20) == pytest.approx((24, 60))


def test_the_narrowest_row_holds_and_taking_it_back_gives_the_wider_one(town: Town) -> None:
    street, half, block = (
        saved(town, street="First Avenue", pavement_width_ft=30),
        saved(town, street="First Avenue", half="East", pavement_width_ft=32),
        saved(town, street="First Avenue", half="East", block=1, pavement_width_ft=34),
    )

    def widths() -> list[float]:
        # x = -500 lies west of Van Buren Street, 200 in the block to Alma Street (x = 440), 1000 in the one after it
        return [across(town, "pavement", "First Avenue", x, 290, 370)[0] for x in (-500, 200, 1000)]

    assert widths() == [30, 32, 34]
    held = {
        (one["half"], one["block"]): one["section"]["id"]
        for one in town.get(f"{API}/sections/blocks", street="First Avenue").json()["items"]
    }
    assert (held["West", 0], held["East", 0], held["East", 1]) == (street["id"], half["id"], block["id"])
    send(town, f"/sections/{block['id']}/retire", {"reason": "Not so"}, 200)
    assert widths() == [30, 32, 32]
    send(town, f"/sections/{half['id']}/retire", {"reason": "Not so"}, 200)
    assert widths() == [30, 30, 30]
    send(town, f"/sections/{block['id']}/restore", {"reason": "It is so"}, 200)
    assert widths() == [30, 30, 34]


def test_a_change_is_a_new_row_and_restoring_the_old_one_takes_its_place(town: Town) -> None:
    old = saved(town, street="Van Buren Street", pavement_width_ft=28)
    new = saved(town, street="Van Buren Street", pavement_width_ft=29, was=old["version"])
    listed = town.get(f"{API}/sections", "clerk key", street="van buren street", state="all").json()["items"]
    assert [(one["id"], one["standing"]) for one in listed] == [(new["id"], True), (old["id"], False)]
    send(town, f"/sections/{old['id']}/restore", {"reason": "The older one was right"}, 200)
    listed = town.get(f"{API}/sections", street="Van Buren Street", state="all").json()["items"]
    assert [(one["id"], one["standing"]) for one in listed] == [(old["id"], True), (new["id"], False)]
    assert all("made_by" not in one and "reason" not in one for one in listed), "who did it is the officers'"
    assert send(town, f"/sections/{old['id']}/restore", {"reason": "again"}, 409)["code"] == "STATE"
    assert send(town, f"/sections/{new['id']}/retire", {"reason": "again"}, 409)["code"] == "STATE"
    assert send(town, "/sections/99/retire", {"reason": "none"}, 404)
    with town.database.read() as connection:
        assert list(verify(connection)) == []


def test_one_row_restored_and_another_retired_between_two_looks_are_seen(town: Town) -> None:
    """The counts of rows and of those retired are the same before and after."""
    first = saved(town, street="Main Street", half="West", block=0, pavement_width_ft=40)["id"]
    second = saved(town, street="Main Street", half="West", block=1, pavement_width_ft=42)["id"]
    send(town, f"/sections/{first}/retire", {"reason": "r"}, 200)
    before = ground(town)
    by = asking(town.atlas, DIRECTOR)
    section_edits.restore(by, first, "r")
    section_edits.retire(asking(town.atlas, DIRECTOR), second, "r")
    assert ground(town) is not before
    assert {s.id for s in ground(town).sections if s.half == "West"} == {first}
    section_edits.retire(asking(town.atlas, DIRECTOR), first, "r")


def test_a_row_holds_after_its_street_is_renamed_and_after_that_is_undone(town: Town) -> None:
    row = saved(town, street="Second Avenue", half="East", pavement_width_ft=26)
    act = {"name": "Elm Street", "date": "2026-06-01", "act": "Resolution 1", "reason": "As the Board decided"}
    body = town.client.post("/api/v1/streets/Second Avenue/rename", json=act, headers=town.who["director key"])
    assert body.status_code == 201, body.text
    assert across(town, "pavement", "Elm Street", 1000, 620, 700) == [26]
    (listed,) = town.get(f"{API}/sections", street="Elm Street").json()["items"]
    assert (listed["id"], listed["street"]) == (row["id"], "Elm Street")
    later = saved(town, street="Elm Street", half="East", pavement_width_ft=27)
    with town.database.read() as connection:
        (entry,) = connection.exec_driver_sql("SELECT act FROM audit WHERE what = 'rename street'").all()
    undone = {"reason": "It was another street"}
    answer = town.client.post(f"/api/v1/acts/{entry[0]}/undo", json=undone, headers=town.who["director key"])
    assert answer.status_code == 200, answer.text
    assert across(town, "pavement", "Second Avenue", 1000, 620, 700) == [27]
    assert later["street"] == "Elm Street"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"street": "No Street"}, "street"),
        ({"street": "Alma Street", "half": "East"}, "half"),
        ({"street": "Alma Street", "half": "North", "block": 99}, "block"),
        ({"street": "Alma Street", "block": 1}, "block"),
        ({"street": "", "half": "North"}, "street"),
        ({"row_width_ft": "35"}, "pavement_width_ft"),
        ({"row_width_ft": "wide"}, "row_width_ft"),
        ({"pavement_width_ft": "501"}, "pavement_width_ft"),
        ({"pavement_width_ft": None}, "pavement_width_ft"),
        ({"odd_walk_width_ft": ""}, "odd_walk_width_ft"),
        ({"even_walk_offset_ft": "-1"}, "even_walk_offset_ft"),
        ({"odd_curb": "perhaps"}, "odd_curb"),
        ({"carrier_side": "left"}, "carrier_side"),
        ({"commercial": "some"}, "commercial"),
        ({"improved_on": "2026-02-30"}, "improved_on"),
        ({"improved_on": "2999-01-01"}, "improved_on"),
        ({"surveyed_on": "1026-01-01"}, "surveyed_on"),
        ({"accuracy_ft": "about"}, "accuracy_ft"),
        ({"status": "sure"}, "status"),
        ({"source": " "}, "source"),
        ({"reason": ""}, "reason"),
        ({"width": 3}, "width"),
    ],
)
def test_each_cell_at_fault_is_told_by_its_field_and_nothing_is_stored(
    town: Town, given: dict[str, Any], field: str
) -> None:
    before = state(town.database)
    told = saved(town, 422, **{"street": "Alma Street", **given})
    assert [one["field"] for one in told["errors"]] == [field]
    assert state(town.database) == before


def test_every_cell_at_fault_is_told_at_once(town: Town) -> None:
    told = saved(town, 422, street="Alma", half="Up", row_width_ft="x", accuracy_ft="", source="")
    assert {"street", "row_width_ft", "accuracy_ft", "source"} <= {one["field"] for one in told["errors"]}


def test_a_stale_change_is_refused_and_one_sent_twice_is_done_once(town: Town) -> None:
    first = saved(town, street="Alma Street", pavement_width_ft=31)
    body = {**ROW, "street": "Alma Street", "pavement_width_ft": 33, "was": first["version"]}
    made, again = (send(town, "/sections", body, key="once") for _ in range(2))
    assert made["id"] == again["id"]
    stale = send(town, "/sections", {**body, "pavement_width_ft": 35}, 409)
    assert stale["title"] == "Changed meanwhile"
    same = send(town, "/sections", {**ROW, "street": "Alma Street", "pavement_width_ft": 33}, 422)
    assert "recorded so already" in same["detail"]
    assert send(town, f"/sections/{made['id']}/retire", {"reason": "r", "was": "0"}, 409)


# --- its pages ---


def typed(town: Town, **more: Any) -> dict[str, Any]:
    """The fields of the form for a block of Alma Street, as a browser sends them, the choices among them."""
    page = town.get(EDIT, "director", street="Alma Street", half="North", block=1)
    hidden = dict(re.findall(r'name="(csrf|token|was|seen|street|half|block)" value="([^"]*)"', page.text))
    return {**hidden, "street": "Alma Street", **ROW, "carrier_side": "east", "commercial": "no", **more}


def test_a_cross_section_is_drawn_before_it_is_saved_and_saved_as_it_was_drawn(town: Town) -> None:
    before = state(town.database)
    sent = typed(town, half="North", block="1", pavement_width_ft="63 ft", odd_walk_offset_ft="6'-6\"")
    drawn = town.post(EDIT, **sent)
    assert drawn.status_code == 200
    text = text_of(drawn.text)
    # 31.5 ft to the curb, 6 1/2 ft to the walk and 5 ft of it are 43 ft, of the 33 to the right-of-way line
    assert "The walk on the odd side reaches 10 ft past the right-of-way line." in text
    assert "travelled way 63 ft. Odd side: curb, walk 5 ft wide, 6 ft 6 in from the curb" in text
    assert "Nothing is saved yet" in text
    assert state(town.database) == before
    seen = dict(re.findall(r'name="(seen|token|was)" value="([^"]*)"', drawn.text))
    other = town.post(EDIT, **{**sent, **seen, "pavement_width_ft": "30"})
    assert "Nothing is saved yet" in other.text, "what is saved was drawn"
    assert state(town.database) == before
    seen = dict(re.findall(r'name="(seen|token|was)" value="([^"]*)"', other.text))
    done, twice = (town.post(EDIT, **{**sent, **seen, "pavement_width_ft": "30"}) for _ in range(2))
    assert (done.status_code, twice.status_code) == (303, 303)
    rows = town.get(f"{API}/sections", street="Alma Street", state="all").json()["items"]
    assert [r["pavement_width_ft"] for r in rows if (r["half"], r["block"]) == ("North", 1)] == [30.0]
    page = text_of(town.get(done.headers["Location"], "director").text)
    assert "North Alma Street, 100 block" in page
    assert "by Director Jones: Measured" in page
    assert "by Director Jones" not in text_of(town.get("/right-of-way/sections", q="alma").text)
    told = text_of(town.get("/audit", "director").text)
    assert "Cross-section changed" in told
    assert re.search("cross-section [0-9]+ of North Alma Street", told)


def test_a_form_tells_each_fault_beside_its_field_keeps_what_was_typed_and_refuses_a_stale_one(town: Town) -> None:
    sent = typed(town, half="South", block="", row_width_ft="x", source=SCRIPT, reason="")
    page = town.post(EDIT, **sent)
    assert page.status_code == 422
    assert {"row_width_ft-fault", "reason-fault"} <= set(re.findall(r'id="([a-z_]+-fault)"', page.text))
    assert "source-fault" not in page.text
    assert SCRIPT not in page.text
    assert "alert(&#39;source&#39;)" in page.text
    fresh = typed(town, half="South", block="")
    drawn = town.post(EDIT, **fresh)
    seen = dict(re.findall(r'name="(seen|token|was)" value="([^"]*)"', drawn.text))
    saved(town, street="Alma Street", half="South", pavement_width_ft=25)
    stale = town.post(EDIT, **{**fresh, **seen})
    assert stale.status_code == 409
    assert "changed since it was shown" in stale.text
    assert 'name="pavement_width_ft" type="text" value="25"' in stale.text


def test_a_row_is_taken_back_and_restored_on_its_page_with_a_reason(town: Town) -> None:
    made = saved(town, street="Alma Street", half="North", block=0, pavement_width_ft=24)
    page = town.get(EDIT, "director", street="Alma Street", half="North", block=0)
    action = f"/right-of-way/sections/{made['id']}/retire"
    nothing = town.sent(page, action, reason="")
    assert nothing.status_code == 422
    assert "why it is done" in nothing.text
    assert town.sent(page, action, reason="Misread").status_code == 303
    page = town.get(EDIT, "director", street="Alma Street", half="North", block=0)
    assert "It has no row of its own" in page.text
    assert town.sent(page, f"/right-of-way/sections/{made['id']}/restore", reason="It was right").status_code == 303
    assert "It has no row" not in town.get(EDIT, "director", street="Alma Street", half="North", block=0).text


def test_the_table_is_searched_sorted_paged_and_exported(town: Town) -> None:
    saved(town, street="Alma Street", half="North", block=2, row_width_ft=50, source="=1+1")
    table = list(csv.DictReader(io.StringIO(town.get("/right-of-way/sections", format="csv", sort="row").text)))
    assert {"street", "half", "block", "hundred", "row", "pavement_width_ft", "source", "made_at"} <= set(table[0])
    assert (table[0]["street"], table[0]["half"], table[0]["block"]) == ("Alma Street", "North", "2")
    assert table[0]["source"] == "'=1+1", "no spreadsheet runs it"
    assert {row["street"] for row in table} == set(PLAT)
    only = list(csv.DictReader(io.StringIO(town.get("/right-of-way/sections", format="csv", q="north alma").text)))
    assert {(row["street"], row["half"]) for row in only} == {("Alma Street", "North")}
    assert "No block matches" in town.get("/right-of-way/sections", q="nowhere").text
    assert town.get("/right-of-way/sections", sort="odd").status_code == 422
    rows = town.get(f"{API}/sections", format="csv").text.splitlines()
    assert rows[0].startswith("id,place,street,half,block,row_width_ft")


def test_the_drawing_is_to_scale() -> None:
    section = read_section({**ROW, "even_walk_offset_ft": "", "even_walk_width_ft": "", "even_curb": "no"})
    made = drawing(section.across)
    # 66 ft fill the 660 px between margins of 30: 10 px a foot, the middle on 360
    assert (made.left, made.right) == (30, 690)
    assert [(b.kind, b.x, b.wide, b.length) for b in made.bands] == [
        ("rest", 30, 10, "1 ft"),
        ("walk", 40, 50, "5 ft"),
        ("terrace", 90, 90, "9 ft"),
        ("pavement", 180, 360, "36 ft"),
        ("verge", 540, 150, "15 ft"),
    ]
    assert made.curbs == (180,)


# --- the map and the layers ---


def test_the_map_has_each_layer_with_what_is_assumed_dashed_and_terraces_when_asked_for(town: Town) -> None:
    page = town.get("/right-of-way", street="alma st")
    assert "Widths are assumed where nobody measured them. Nobody measured." in text_of(page.text)
    assert 'data-ground="sidewalk" checked' in page.text
    assert 'data-ground="hydrant" disabled' in page.text
    assert 'data-ground="terrace"' not in page.text
    assert 'href="/right-of-way?street=Alma+Street&amp;terraces=yes"' in page.text
    script = town.get("/right-of-way/map.js", street="Alma Street").text
    for name in ("right_of_way", "pavement", "curb_line", "sidewalk"):
        assert f"geo_json_row_{name}" in script
    assert "geo_json_row_terrace" not in script
    assert '"dashArray": "5 4"' in script
    assert "geo_json_row_terrace" in town.get("/right-of-way/map.js", terraces="yes").text
    assert 'data-ground="terrace" checked' in town.get("/right-of-way", terraces="yes").text
    assert town.get("/right-of-way", street="nowhere").status_code == 404


def test_layers_are_paged_and_those_in_a_rectangle_are_found(town: Town) -> None:
    whole = town.get(f"{API}/curb_line").json()
    assert whole["total"] == len(whole["features"])
    assert whole["next"] is None
    parts = [town.get(f"{API}/curb_line", limit=3, offset=at).json() for at in range(0, whole["total"], 3)]
    assert [f for part in parts for f in part["features"]] == whole["features"]
    assert (parts[0]["next"], parts[-1]["next"]) == (3, None)
    lon, lat = town.atlas.village.out_of_feet("EPSG:4326")(np.array([-1500.0, -1400.0]), np.array([-30.0, 0.0]))
    near = town.get(f"{API}/curb_line", bbox=f"{lon[0]},{lat[0]},{lon[1]},{lat[1]}").json()
    assert {f["properties"]["street"] for f in near["features"]} == {"Main Street"}
    strips = town.get(f"{API}/terrace", bbox=f"{lon[0]},{lat[0]},{lon[1]},{lat[1]}").json()["features"]
    assert {f["properties"]["status"] for f in strips} == {"assumed"}
    assert {f["properties"]["source"] for f in strips} == {"Derived from the curb line and the sidewalk (§ 288-10 A)"}
    for query in ({"bbox": "1,2"}, {"limit": 0}, {"street": "nowhere"}, {"colour": "red"}):
        assert town.get(f"{API}/curb_line", **query).status_code == 422 or query.get("street")
    assert town.get(f"{API}/moat").status_code == 404
    layers = {one["layer"]: one for one in town.get(API).json()["items"]}
    assert layers["lot"] == {**layers["lot"], "surveyed": 0, "built": 0, "assumed": 0}
    assert layers["curb_line"]["built"] + layers["curb_line"]["assumed"] == whole["total"]


def test_a_terrace_is_as_deep_as_from_the_back_of_the_curb_to_the_walk(town: Town) -> None:
    # x = -1500 is far from every other street: 6 in of curb, then 8 1/2 ft to the walk that begins 9 ft behind its face
    assert across(town, "terrace", "Main Street", -1500, 0) == [8.5]
    page = town.get("/right-of-way/features", layer="terrace", street="Main Street")
    assert "Derived from the curb line and the sidewalk" in page.text
    listed = json.loads(json.dumps(list(csv.DictReader(io.StringIO(
        town.get("/right-of-way/features", layer="sidewalk", format="csv").text)))))  # fmt: skip
    assert {row["layer"] for row in listed} == {"sidewalk"}
    assert town.get("/right-of-way/features", layer="moat").status_code == 422
    assert town.get("/right-of-way/features", status="odd").status_code == 422


def test_layers_are_switched_on_the_map_and_terraces_come_when_they_are_asked_for(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "plat").mkdir()
    settings = Settings(data_dir=with_file(tmp_path / "plat"), state_dir=tmp_path / "register")
    with serving_here(settings) as url, browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page, wrong = context.new_page(), list[str]()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{url}/right-of-way?street=Alma Street")
        drawn = page.locator(".leaflet-overlay-pane path")
        drawn.first.wait_for(state="attached")
        every = drawn.count()
        page.get_by_label("Sidewalks").uncheck()
        assert 0 < drawn.count() < every
        page.get_by_label("Sidewalks").check()
        assert drawn.count() == every
        page.get_by_role("link", name="Derive and show them").click()
        page.wait_for_url("**terraces=yes")
        drawn.first.wait_for(state="attached")
        assert page.get_by_label("Terraces").is_checked()
        assert drawn.count() > every
        assert faults_of_access(page) == []
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert wrong == []
