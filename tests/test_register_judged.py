"""What the register and its pages say and refuse where something is doubtful, on both databases where it is stored.

The plat and its numbers are those of ``tests/test_register.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pypdf import PdfReader

from app.audit import FIRST, breaks
from app.main import create_app
from app.settings import Settings
from tests.plat import PLAT, village
from tests.prepared import Prepared
from tests.test_register import ADDRESSES, BOARD, Json, Office, longer_block, office, plat_with_keys, renamed

__all__ = ["office"]

AT: Json = {"x": 400, "y": 470, "crs": "EPSG:7608", "street": "Alma Street"}
EDIT = {"kind": "length", "street": "Alma Street", "half": "North", "at_ft": 330, "value": 340, "reason": "plat"}


@pytest.fixture
def desk(prepared: Prepared, tmp_path: Path) -> Iterator[Office]:
    """An office whose register is in SQLite, for what says the same on both."""
    _, keys = prepared.file(tmp_path / "state", plat_with_keys)
    (tmp_path / "plat").mkdir()
    made = village(tmp_path / "plat", PLAT)
    with TestClient(create_app(Settings(state_dir=tmp_path / "state", data_dir=made))) as client:
        yield Office(client, keys)


def codes(answer: Any) -> set[str]:
    return {found["code"] for found in answer.json()["findings"]}


def test_an_old_number_is_told_with_the_number_of_the_map_in_force(office: Office) -> None:
    office.adopt()
    made = office.west(17).json()  # 145 under the first map; 140 ft in, of 10 ft a number, is 139 under the second
    longer_block(office)
    found = {f["code"]: f["message"] for f in office.get(f"{ADDRESSES}/{made['id']}").json()["findings"]}
    assert "the number computed for it is 139" in found["NOT_CONFORMING"]


def test_how_many_names_were_wanting_is_as_it_was_on_the_day_of_the_adoption(
    register_settings: Settings, tmp_path: Any
) -> None:
    (tmp_path / "plat").mkdir()
    made = village(tmp_path / "plat", PLAT)
    streets = json.loads((made / "streets.geojson").read_text())
    for feature in streets["features"]:
        if feature["properties"]["name"] in {"Alma Street", "Second Avenue"}:
            feature["properties"]["name_status"] = "placeholder"
    (made / "streets.geojson").write_text(json.dumps(streets))
    with TestClient(create_app(register_settings.model_copy(update={"data_dir": made}))) as client:
        office = Office(client)
        assert office.adopt(reason="names follow").status_code == 200
        for old, new in (("Alma Street", "Beta Street"), ("Second Avenue", "Gamma Avenue")):
            assert renamed(office, old, new).status_code == 201
            page = client.get("/").text
            assert "Adopted while 2 streets had a placeholder for a name" in page
        assert "Every street of the adopted map has been named since." in page


@pytest.mark.parametrize(
    "typed",
    [
        *("unnamed 22", "n unnamed 22", "unnamed 22 145", "145 unnamed 22", "145 N Unnamed 22, BENTON WI 53803"),
        *("unamed 22 145", "UNNAMED 22, 145", "145 unnamed22"),
    ],
)
def test_a_figure_in_a_street_s_name_is_no_house_number(desk: Office, typed: str) -> None:
    made = desk.west(17).json()
    desk.assign(400, 30, street="Main Street")
    desk.west(30)
    renamed(desk, "Alma Street", "Unnamed 22")
    renamed(desk, "First Avenue", "Unnamed 2")
    found = desk.get(ADDRESSES, q=typed).json()["items"]
    assert found[0]["id"] == made["id"]
    assert {item["street"] for item in found} == {"Unnamed 22"}


def test_an_address_pasted_from_a_letter_is_found(desk: Office) -> None:
    made = desk.west(17).json()
    for typed in (
        "145 North Alma Street, BENTON WI 53803",
        "145 N ALMA ST BENTON WI 53803",
        "145 N Alma St, Benton, WI",
    ):
        assert [item["id"] for item in desk.get(ADDRESSES, q=typed).json()["items"]] == [made["id"]], typed


@pytest.mark.parametrize(("name", "other"), [("Mane Street", "Main Street"), ("Furst Street", "First Avenue")])
def test_names_that_sound_the_same_are_warned_of_whatever_their_spelling(desk: Office, name: str, other: str) -> None:
    assert any(other in told for told in renamed(desk, "Alma Street", name).json()["warnings"])
    assert "SOUND_ALIKE" in codes(desk.west(17, street=name))


@pytest.mark.parametrize("name", ["Mill Street", "Galena Street", "Oak Street"])
def test_names_that_sound_otherwise_are_not(desk: Office, name: str) -> None:
    assert renamed(desk, "Alma Street", name).json()["warnings"] == []


def square(south: float) -> Json:
    ring = [[380, south], [420, south], [420, south + 20], [380, south + 20], [380, south]]
    return {"type": "Polygon", "coordinates": [ring]}


def test_an_outline_that_is_not_the_entrance_s_is_refused(office: Office) -> None:
    # the door at y = 470; the reading lets an outline lie 50 ft off
    for name in ("building", "lot"):
        refused = office.assign(400, 470, **{name: square(520.1)})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, name)
        assert "50 ft" in refused.json()["errors"][0]["expected"]
    assert office.assign(400, 470, building=square(520.1), accuracy_ft=1.0, key="known to a foot").status_code == 201
    made = office.assign(400, 480, building=square(530), key="at the limit").json()
    far = {"building": square(1800), "crs": "EPSG:7608", "reason": "measured"}
    refused = office.post(f"{ADDRESSES}/{made['id']}/correct", far)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "building")


def test_a_place_known_less_well_than_its_side_waits_for_a_person(office: Office) -> None:
    sure = office.assign(400, 470, accuracy_ft=40.0)  # 40 ft from the line of Alma Street
    assert (sure.json()["status"], "SIDE_UNSURE" in codes(sure)) == ("provisional", False)
    unsure = office.assign(400, 490, accuracy_ft=40.5)
    assert (unsure.json()["status"], "SIDE_UNSURE" in codes(unsure)) == ("proposed", True)
    confirmed = office.post(f"{ADDRESSES}/{unsure.json()['id']}/confirm", {"reason": "seen on the spot"}).json()
    assert confirmed["status"] == "provisional"


def test_why_not_names_the_block_of_the_number_and_the_side_that_was_asked_of(desk: Office) -> None:
    def why(number: int) -> str:
        told: str = desk.get("/api/v1/faces/why", street="Alma Street", half="North", number=number).json()["text"]
        return told

    assert why(99999).startswith("99999 is of the 99900 block, and North Alma Street has no such block")
    assert "111 lies 0.0 to 8.0 ft into the block" in why(111)
    face = desk.client.get("/faces/Alma Street/North/100/odd", params={"number": "112"}).text
    assert "112 is even: the west side has odd numbers" in face
    assert "number=112" not in face.replace("?number=112", "", 1) or "/assign" not in face


def test_an_adoption_before_that_of_the_map_it_replaces_is_refused(office: Office) -> None:
    made = office.adopt().json()  # on 2026-06-01, and proposed today
    assert "was proposed on" in made["warnings"][0]
    office.post("/api/v1/maps", {"reason": "again"})
    refused = office.adopt(2, date="2026-05-31")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "date")
    assert "2026-06-01" in refused.json()["errors"][0]["expected"]
    assert office.adopt(2, date="2026-06-01").status_code == 200


def test_a_vacated_street_has_no_number_in_a_preview_either(office: Office) -> None:
    def preview() -> Json:
        found: Json = office.client.post("/api/v1/numbers/preview", json={**AT}).json()
        return found

    assert preview()["number"] == 145
    closed = office.post("/api/v1/streets/Alma Street/vacate", BOARD).json()["act"]
    assert (preview()["number"], preview()["findings"][0]["code"]) == (None, "STREET_VACATED")
    office.post(f"/api/v1/acts/{closed}/undo", {"reason": "a mistake"})
    assert preview()["number"] == 145


def test_an_edit_is_withdrawn_only_under_its_own_version(office: Office) -> None:
    edit = office.post("/api/v1/maps/1/edits", EDIT).json()["id"]
    office.post("/api/v1/maps", {"reason": "again"})
    assert office.post(f"/api/v1/maps/2/edits/{edit}/withdraw", {"reason": "x"}).status_code == 404
    assert office.post(f"/api/v1/maps/1/edits/{edit}/withdraw", {"reason": "x"}).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ('{"x": 400, "y": 470, "x": 480, "crs": "EPSG:7608"}', "x"),
        ('{"x": 400, "y": 470, "lot": {"type": "Polygon", "type": "Point"}}', "type"),
    ],
)
def test_a_field_named_twice_is_refused(desk: Office, body: str, field: str) -> None:
    sent = {"Authorization": f"Bearer {desk.keys['director']}", "Content-Type": "application/json"}
    for path in (ADDRESSES, f"{ADDRESSES}/preview", "/api/v1/numbers/preview"):
        answer = desk.client.post(path, content=body, headers=sent)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field), path


def test_what_is_no_json_and_what_is_no_field_is_told_in_plain_words(desk: Office) -> None:
    sent = {"Authorization": f"Bearer {desk.keys['director']}", "Content-Type": "text/plain"}
    answer = desk.client.post(ADDRESSES, content=json.dumps(AT), headers=sent)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (415, "Content-Type")
    told = {
        fault["field"]: fault["expected"]
        for fault in desk.post(ADDRESSES, {**AT, "colour": 1, "x": "4"}).json()["errors"]
    }
    assert told == {"colour": "no field of this name", "x": "a number"}


def test_no_head_is_sixty_four_zeros_once_something_was_recorded(office: Office) -> None:
    office.west(17)
    with office.database.read() as connection:
        assert [b.seq for b in breaks(connection, FIRST)] == [0]
        assert list(breaks(connection)) == []


# --- names and words ---


@pytest.mark.parametrize(
    "name", ["the console", "The Service", "key:1", "KEY : 12", "Jоhn", "ｔｈｅ console", "a\u202eb"]
)
def test_a_name_that_is_the_register_s_own_or_mixes_scripts_is_refused(desk: Office, name: str) -> None:
    for path in ("/api/v1/users", "/api/v1/keys"):
        answer = desk.post(path, {"name": name, "roles": ["police"]}, "admin")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "name"), path


def test_a_key_is_not_named_as_a_user_nor_a_user_as_a_key_nor_as_one_that_looks_alike(desk: Office) -> None:
    assert desk.post("/api/v1/users", {"name": "Coop", "roles": ["police"]}, "admin").status_code == 201
    lookalike = "\u0421\u043e\u043e\u0440"  # every letter Cyrillic
    for path, name in (("/api/v1/keys", "coop"), ("/api/v1/users", "THE CLERK"), ("/api/v1/users", lookalike)):
        answer = desk.post(path, {"name": name, "roles": ["police"]}, "admin")
        assert answer.status_code in {409, 422}, (path, name)
    assert desk.post("/api/v1/users", {"name": "Łukasz Świder", "roles": ["police"]}, "admin").status_code == 201


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200b", "\u2028"])
def test_no_text_has_a_sign_that_turns_or_hides_what_it_says(desk: Office, sign: str) -> None:
    made = desk.west(17).json()
    path, text = f"{ADDRESSES}/{made['id']}", f"torn{sign}down"
    for answer in (
        desk.post(f"{path}/retire", {"reason": text}),
        desk.post(f"{path}/correct", {"access_note": text, "reason": "x"}),
        desk.post(f"{path}/notice", {"addressee": text}),
        desk.post("/api/v1/doubts", {**AT, "question": text}),
        desk.post("/api/v1/maps/1/adopt", {"date": "2026-06-01", "act": text}),
        desk.post("/api/v1/maps/1/adopt", {"date": "2026-06-01", "act": "Resolution 1", "reason": text}),
        desk.post("/api/v1/maps", {"reason": text}),
        desk.post("/api/v1/streets/Alma Street/rename", {**BOARD, "name": f"Oak{sign}s Street", "reason": text}),
        desk.post("/api/v1/streets/Second Avenue/vacate", {**BOARD, "reason": text}),
    ):
        assert answer.status_code == 422, answer.request.url
    assert desk.get(path).json()["status"] == "provisional"


def test_a_query_that_a_list_does_not_know_is_refused_and_not_ignored(desk: Office) -> None:
    for path in (ADDRESSES, "/api/v1/doubts", "/api/v1/audit", "/api/v1/maps", "/api/v1/streets"):
        answer = desk.get(path, staus="open")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "staus"), path
        assert desk.get(path).status_code == 200, path


# --- documents ---


def words_of(office: Office, path: str) -> str:
    pages = PdfReader(BytesIO(office.get(path).content)).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def test_a_document_says_who_chose_a_number_and_prints_a_reason_once(desk: Office) -> None:
    chosen = desk.west(17, number=151, reason="the owner asked").json()
    told = words_of(desk, desk.post(f"{ADDRESSES}/{chosen['id']}/certificate").json()["pdf"])
    assert "Chosen by an officer" in told
    assert told.count("the owner asked") == 1
    plain = desk.west(30).json()
    nearest = desk.assign(400, 334 + 8 * 30 + 2).json()
    assert nearest["number"] != nearest["computed_number"]
    for made in (plain, nearest):
        told = words_of(desk, desk.post(f"{ADDRESSES}/{made['id']}/certificate").json()["pdf"])
        assert "Chosen by an officer" not in told
    doubt = desk.post("/api/v1/doubts", {**AT, "y": 360, "question": "Which?"}).json()["id"]
    decide = {"number": 120, "reason": "it has stood since 1920"}
    made = desk.post(f"/api/v1/doubts/{doubt}/decide", decide, "clerk").json()["address_id"]
    told = words_of(desk, desk.post(f"{ADDRESSES}/{made}/certificate").json()["pdf"])
    assert "Determined by the Clerk-Treasurer" in told
    assert "§ 288-15 J" in told


def test_what_an_officer_confirmed_stands_not_as_decided_by_the_clerk(desk: Office) -> None:
    made = desk.assign(400, 375, street=None).json()
    desk.post(f"{ADDRESSES}/{made['id']}/confirm", {"reason": "seen on the spot"})
    told = words_of(desk, desk.post(f"{ADDRESSES}/{made['id']}/certificate").json()["pdf"])
    assert "seen on the spot" in told
    assert "§ 288-15 J" not in told.replace("In case of doubt", "")


def test_a_notice_says_what_is_not_recorded_and_has_no_link_that_a_request_could_make(desk: Office) -> None:
    made = desk.assign(420, 470).json()  # 20 ft from the centerline: 13 ft within the assumed 66 ft
    sent = {"Authorization": f"Bearer {desk.keys['director']}", "Host": "evil.example"}
    notice = desk.client.post(f"{ADDRESSES}/{made['id']}/notice", json={"addressee": "Owner"}, headers=sent).json()
    told = words_of(desk, notice["pdf"])
    assert "is not recorded as completed" in told
    assert "evil.example" not in told
    assert "13 ft within the right-of-way as it is assumed" in told
    assert "-13 ft" not in told


def test_a_sign_that_the_font_lacks_is_refused_at_issue(desk: Office) -> None:
    made = desk.west(17).json()
    refused = desk.post(f"{ADDRESSES}/{made['id']}/notice", {"addressee": "Ms \N{GRINNING FACE}"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "addressee")
    assert "U+1F600" in refused.json()["errors"][0]["found"]
    assert desk.post(f"{ADDRESSES}/{made['id']}/notice", {"addressee": "Łukasz Świder\n1 Main St"}).status_code == 201


def test_a_renumbering_that_changes_nothing_or_doubles_says_so(desk: Office) -> None:
    ids = [desk.west(k).json()["id"] for k in (0, 1)]
    same = {"changes": [{"id": ids[0], "number": 111}], "reason": "order"}
    told = desk.post("/api/v1/renumberings", same).json()["errors"][0]
    assert (told["field"], told["found"]) == ("changes", "the numbers that they have")
    twice = {"changes": [{"id": one, "number": 151} for one in ids], "reason": "order"}
    told = desk.post("/api/v1/renumberings", twice).json()["errors"][0]
    assert told["field"] == "changes[1].number"
    assert "111 North Alma Street" in told["found"]


def test_a_command_that_looks_makes_no_register_and_a_setting_that_cannot_be_read_is_named(tmp_path: Any) -> None:
    program = Path(sys.executable).with_name("benton-streets")
    state = tmp_path / "state"
    state.mkdir()
    own = {**os.environ, "BENTON_STATE_DIR": str(state)}
    for command in (["verify"], ["upgrade"], ["backup", str(tmp_path / "kept")]):
        done = subprocess.run([program, *command], env=own, capture_output=True, text=True, check=False)
        assert (done.returncode, list(state.iterdir())) == (2, []), command
        assert "holds no register" in done.stderr
    done = subprocess.run(
        [program, "verify"], env={**own, "BENTON_LAW_DATE": "foo"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("BENTON_LAW_DATE: found 'foo'")


def test_signing_in_leads_back_to_the_page_with_what_was_asked_of_it(desk: Office) -> None:
    page = desk.client.get("/addresses", params={"q": "145 alma"}).text
    assert 'href="/sign-in?next=%2Faddresses%3Fq%3D145%2Balma"' in page.replace("&amp;", "&")
