"""What the county's dispatchers ask: validate, locate, nearest, changes, on the squared paper of test_register.py."""

from __future__ import annotations

import json
import math
import random
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.archive import write_archive
from app.feed import public
from app.keeping import restore
from app.lookup import Near
from app.registers import located_many
from app.routes.lookups import Bucket
from gis.crs import to_working, working_crs
from gis.errors import StreetsError
from tests.people import by_session
from tests.test_register import Office, office

__all__ = ["office"]

Json = dict[str, Any]
VALIDATE, LOCATE, NEAREST, CHANGES = (f"/api/v1/911/{name}" for name in ("validate", "locate", "nearest", "changes"))


def ask(office: Office, path: str, role: str = "dispatch", **params: Any) -> Any:
    return office.get(path, role, **params)


def validate(office: Office, address: str) -> Json:
    answer = ask(office, VALIDATE, address=address)
    assert answer.status_code == 200, answer.text
    made: Json = answer.json()
    return made


def lonlat(x: float, y: float) -> tuple[float, float]:
    from app.village import LONLAT
    from gis.crs import from_working

    lon, lat = from_working(LONLAT, working_crs("EPSG:7608"))(x, y)
    return float(lon), float(lat)


# --- validate ---


def test_an_assigned_address_is_told_from_what_holds_it(office: Office) -> None:
    made = office.west(17).json()
    found = validate(office, "145 North Alma Street")
    assert (found["match"], found["address"], found["id"]) == ("provisional", "145 North Alma Street", made["id"])
    assert found["elements"] == {
        **{"Add_Number": "valid", "St_PreDir": "valid", "St_Name": "valid", "St_PosTyp": "valid"},
    }
    assert found["near"] == []
    assert found["replaced_by"] is None
    assert found["age_s"] < 5
    office.adopt()
    assert validate(office, "145 North Alma Street")["match"] == "official"


@pytest.mark.parametrize(
    "text",
    ["145 N ALMA ST", "145 n. alma st.", "145 North Alma Street, Plat, WI 53803", " 145  N  Alma  Street "],
)
def test_the_spelling_makes_no_difference(office: Office, text: str) -> None:
    office.west(17)
    found = validate(office, text)
    assert (found["match"], found["address"]) == ("provisional", "145 North Alma Street")


def test_of_the_last_line_only_what_is_known_is_judged(office: Office) -> None:
    office.west(17)
    elements = validate(office, "145 N Alma St Apt 2, Plat, WI 53803")["elements"]
    assert {name: elements[name] for name in ("Post_Comm", "A1", "Post_Code", "UnitPreTyp", "UnitValue")} == {
        **{"Post_Comm": "valid", "A1": "valid", "Post_Code": "unchecked"},
        **{"UnitPreTyp": "unchecked", "UnitValue": "unchecked"},
    }
    elsewhere = validate(office, "145 N Alma St, Dubuque, IA 52001")["elements"]
    assert (elsewhere["Post_Comm"], elsewhere["A1"]) == ("invalid", "invalid")


@pytest.mark.parametrize("place", ["Madison, IL", "Hazel Green, WI", "Dubuque, IA 52001"])
def test_the_same_number_and_street_of_another_place_is_not_taken_for_ours(office: Office, place: str) -> None:
    office.west(17)
    found = validate(office, f"145 North Alma Street, {place}")
    assert (found["match"], found["address"]) == ("none", None)
    assert found["near"][0]["address"] == "145 North Alma Street"
    assert ask(office, LOCATE, address=f"145 North Alma Street, {place}").status_code == 404


def test_a_number_that_no_block_has_is_answered_with_the_nearest_that_is_one(office: Office) -> None:
    # nobody holds a number yet: 195 of Alma's 100 block would begin past its end; south of Main Street it has frontage
    assert [one["address"] for one in validate(office, "195 N Alma St")["near"]] == ["195 South Alma Street"]
    # no block has a 9: its numbers begin with 10 and 11
    near = [one["address"] for one in validate(office, "9 N Alma St")["near"]]
    assert near == ["11 North Alma Street", "11 South Alma Street"]
    office.west(17)
    assert validate(office, "145 N Zyxwv Blvd")["near"][0]["address"] == "145 North Alma Street"


def test_a_number_of_the_block_that_nobody_holds_is_a_range(office: Office) -> None:
    office.west(17)
    found = validate(office, "151 N Alma St")
    assert (found["match"], found["address"], found["id"]) == ("range", "151 North Alma Street", None)
    assert found["near"][0]["address"] == "145 North Alma Street"
    # 330 ft at 8 ft a number: the 42nd unit begins at 328 ft with 193, the next would begin at 336 ft
    assert validate(office, "193 N Alma St")["match"] == "range"
    assert validate(office, "195 N Alma St")["match"] == "none"
    assert validate(office, "109 N Alma St")["match"] == "none"  # a block's numbers begin with 10 and 11


def test_an_address_never_found_is_answered_with_near_matches_and_never_taken(office: Office) -> None:
    office.west(17)
    typo = validate(office, "145 N Allma St")
    assert (typo["match"], typo["address"], typo["id"]) == ("none", None, None)
    assert typo["elements"]["St_Name"] == "invalid"
    assert [one["address"] for one in typo["near"]][:1] == ["145 North Alma Street"]
    other = validate(office, "145 N Alma Ave")
    assert (other["match"], other["elements"]["St_Name"], other["elements"]["St_PosTyp"]) == (
        "none",
        "valid",
        "invalid",
    )
    assert other["near"][0]["address"] == "145 North Alma Street"
    assert validate(office, "145 N Nowhere Blvd")["match"] == "none"


def test_without_its_direction_every_candidate_is_told_and_none_taken(office: Office) -> None:
    # 172 on both halves of Main Street: past Alma Street (x = 440), and 660 ft west of Van Buren Street, open blocks
    # begin, 15 ft a number; 172 is the 32nd unit, 465 to 480 ft into its block
    east = office.assign(440 + 470, 30, "Main Street").json()
    assert east["address"] == "172 East Main Street"
    found = validate(office, "172 Main Street")
    assert (found["match"], found["elements"]["St_PreDir"]) == ("none", "invalid")
    assert [(one["address"], one["status"]) for one in found["near"]] == [
        ("172 East Main Street", "provisional"),
        ("172 West Main Street", "range"),
    ]
    assert list(found["elements"]) == ["Add_Number", "St_PreDir", "St_Name", "St_PosTyp"]


def test_the_wrong_direction_is_invalid_and_the_right_one_near(office: Office) -> None:
    office.west(17)
    found = validate(office, "145 E Alma St")
    assert (found["match"], found["elements"]["St_PreDir"], found["elements"]["St_Name"]) == (
        "none",
        "invalid",
        "valid",
    )
    assert "145 North Alma Street" in [one["address"] for one in found["near"]]


def test_a_retired_address_says_what_replaced_it(office: Office) -> None:
    old = office.west(17).json()
    changes = {"changes": [{"id": old["id"], "number": 147}], "reason": "the door was moved"}
    new = office.post("/api/v1/renumberings", changes).json()["items"][0]
    found = validate(office, "145 North Alma Street")
    assert (found["match"], found["replaced_by"]["address"]) == ("retired", new["address"])
    assert validate(office, new["address"])["match"] == "provisional"


def test_under_its_street_s_former_name_an_address_is_retired_and_replaced(office: Office) -> None:
    office.west(17)
    act = {"name": "Elm Street", "date": "2026-06-01", "act": "Resolution 3", "reason": "two Almas"}
    assert office.post("/api/v1/streets/Alma Street/rename", act).status_code in {200, 201}
    found = validate(office, "145 North Alma Street")
    assert (found["match"], found["replaced_by"]["address"]) == ("retired", "145 North Elm Street")
    assert found["elements"]["St_Name"] == "invalid"
    assert validate(office, "145 N Elm St")["match"] == "provisional"


def test_a_letter_nobody_has_is_invalid_though_the_number_is_held(office: Office) -> None:
    office.west(17)
    found = validate(office, "145A North Alma Street")
    assert (found["match"], found["elements"]["Add_Number"], found["elements"]["AddNum_Suf"]) == (
        "none",
        "valid",
        "invalid",
    )
    assert found["near"][0]["address"] == "145 North Alma Street"


def test_an_address_may_be_asked_for_by_its_elements(office: Office) -> None:
    office.west(17)
    parts = {"Add_Number": "145", "St_PreDir": "North", "St_Name": "Alma", "St_PosTyp": "Street"}
    assert ask(office, VALIDATE, **parts).json()["match"] == "provisional"
    for wrong, field in (
        ({"St_Name": "Alma"}, "Add_Number"),
        ({**parts, "Street": "Alma"}, "Street"),
        ({**parts, "address": "145 N Alma St"}, "address"),
        ({}, "address"),
    ):
        answer = ask(office, VALIDATE, **wrong)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
        assert "age_s" in answer.json()
    whole = {**parts, "State": "WI", "County": "Lafayette", "Inc_Muni": "Benton"}  # what else a location has
    assert ask(office, VALIDATE, **whole).json()["match"] == "provisional"


@pytest.mark.parametrize("text", ["PO Box 12", "Alma Street", "145", "x" * 900, "\x00", "145 N Alma St & 3rd"])
def test_what_is_no_street_address_is_refused_with_what_was_found(office: Office, text: str) -> None:
    for path in (VALIDATE, LOCATE):
        answer = ask(office, path, address=text)
        assert answer.status_code == 422
        assert answer.json()["errors"]


# --- locate ---


def test_an_address_is_located_at_its_entrance_with_its_block(office: Office) -> None:
    office.west(17)  # at (400, 470)
    found = ask(office, LOCATE, address="145 N ALMA ST").json()
    lon, lat = lonlat(400, 470)
    assert (found["x"], found["y"]) == (400, 470)
    assert (round(found["lon"], 7), round(found["lat"], 7)) == (round(lon, 7), round(lat, 7))
    assert (found["placement"], found["street"], found["block"]) == ("Structure", "Alma Street", 100)
    assert found["cross_streets"] == ["First Avenue", "Second Avenue"]


def test_a_number_of_the_block_is_placed_beside_its_unit_and_said_to_be_so(office: Office) -> None:
    found = ask(office, LOCATE, address="151 N ALMA ST").json()
    assert (found["match"], found["placement"], found["id"]) == ("range", "Geocoding", None)
    # 151 is the 21st unit: 160 to 168 ft past First Avenue (y = 330), west of Alma Street (x = 440)
    assert found["y"] == pytest.approx(330 + 164, abs=0.05)
    assert 380 < found["x"] < 440


def test_an_address_not_found_has_no_place(office: Office) -> None:
    office.west(17)
    answer = ask(office, LOCATE, address="145 N Allma St")
    assert (answer.status_code, answer.json()["code"]) == (404, "ADDRESS_NOT_FOUND")
    assert answer.json()["near"][0]["address"] == "145 North Alma Street"
    assert "lon" not in answer.json()


# --- nearest ---


def test_the_nearest_are_told_by_distance_side_and_words(office: Office) -> None:
    office.west(17)  # (400, 470)
    office.assign(480, 334)  # east side, the first unit: 110
    lon, lat = lonlat(430, 470)
    found = ask(office, NEAREST, lat=lat, lon=lon, radius_ft=300).json()
    assert [(one["address"], one["side"]) for one in found["items"]] == [
        ("145 North Alma Street", "west"),
        ("110 North Alma Street", "east"),
    ]
    assert found["items"][0]["distance_ft"] == pytest.approx(30, abs=0.2)
    assert found["items"][0]["say"] == ("just east of 145 North Alma Street, between First Avenue and Second Avenue")
    assert found["items"][1]["distance_ft"] == pytest.approx((50**2 + 136**2) ** 0.5, abs=0.2)


def test_the_circle_is_kept_on_both_sides_of_its_edge(office: Office) -> None:
    office.west(17)
    lon, lat = lonlat(400, 570)
    assert ask(office, NEAREST, lat=lat, lon=lon, radius_ft=99.5).json()["items"] == []
    assert len(ask(office, NEAREST, lat=lat, lon=lon, radius_ft=100.5).json()["items"]) == 1


def test_a_poor_position_says_which_may_be_the_nearest(office: Office) -> None:
    for k in (17, 19, 30):
        office.west(k)  # y = 470, 486, 574
    lon, lat = lonlat(400, 470)
    found = ask(office, NEAREST, lat=lat, lon=lon, accuracy_ft=10).json()
    assert [one["may_be_nearest"] for one in found["items"]] == [True, True, False]  # 0, 16 and 104 ft; 20 ft apart
    assert "2 addresses" in found["say"]


def test_many_that_come_and_go_are_found_where_they_are() -> None:
    near, known, rng = Near(), {}, random.Random(5)
    for step in range(3000):
        k = rng.randrange(300)
        near.drop(k)
        known.pop(k, None)
        if rng.random() < 0.8:
            known[k] = rng.uniform(-3000, 3000), rng.uniform(-3000, 3000)
            near.add(k, *known[k])
        if step % 10 == 0:
            x, y, radius = rng.uniform(-4000, 4000), rng.uniform(-4000, 4000), rng.choice([90, 600, 1700, 26_400])
            expected = sorted((math.hypot(px - x, py - y), one) for one, (px, py) in known.items())
            assert near.ask(x, y, radius, 7) == [pair for pair in expected if pair[0] <= radius][:7]


# --- who may, how often, the log ---


def test_only_a_key_that_reads_for_911_is_answered(office: Office) -> None:
    office.west(17)
    asked = {"address": "145 N ALMA ST"}
    assert office.client.get(VALIDATE, params=asked).status_code == 401
    wrong = office.client.get(VALIDATE, params=asked, headers={"Authorization": "Bearer benton_x"})
    assert wrong.status_code == 401
    assert {role: office.get(VALIDATE, role, **asked).status_code for role in office.keys} == {
        **{"dispatch": 200, "clerk": 200, "director": 200, "inspector": 403, "police": 403, "admin": 403},
    }
    clerk = by_session(office.database, "A Clerk", "clerk")  # type: ignore[arg-type]
    assert office.client.get(VALIDATE, params=asked, headers=clerk).status_code == 200


def test_a_revoked_key_is_refused_at_once(office: Office) -> None:
    office.west(17)
    assert ask(office, VALIDATE, address="145 N ALMA ST").status_code == 200
    listed = office.get("/api/v1/keys", "admin").json()["items"]
    mine = next(key["id"] for key in listed if key["name"] == "the dispatch")
    assert office.post(f"/api/v1/keys/{mine}/revoke", {}, "admin").status_code == 200
    assert ask(office, VALIDATE, address="145 N ALMA ST").status_code == 401


def test_a_key_has_its_own_rate(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("app.routes.lookups.time.monotonic", lambda: now[0])
    bucket = Bucket(2.0)
    assert [bucket.take() for _ in range(3)] == [0.0, 0.0, 0.5]
    now[0] += 0.5
    assert [bucket.take() for _ in range(2)] == [0.0, 0.5]
    now[0] += 60.0
    assert [bucket.take() for _ in range(3)] == [0.0, 0.0, 0.5]  # no more is saved up than a second's


def test_every_request_is_logged_whatever_came_of_it(office: Office) -> None:
    office.west(17)
    ask(office, VALIDATE, address="145 N ALMA ST")
    ask(office, LOCATE, "police", address="145 N ALMA ST")
    office.client.get(NEAREST)
    folder = Path(office.client.app.state.settings.state_dir, "911-log")  # type: ignore[attr-defined]
    lines = [json.loads(line) for file in folder.iterdir() for line in file.read_text().splitlines()]
    assert [(line["path"], line["name"], line["status"]) for line in lines] == [
        (VALIDATE, "the dispatch", 200),
        (LOCATE, "the police", 403),
        (NEAREST, "", 401),
    ]
    assert lines[0]["query"] == "address=145+N+ALMA+ST"


# --- freshness ---


def test_what_was_just_assigned_is_known(office: Office) -> None:
    for k in range(20):
        made = office.west(k).json()
        assert validate(office, made["address"])["id"] == made["id"]


@contextmanager
def locked(office: Office) -> Iterator[None]:
    """Another program has the register locked: SQLite for writing, for its readers are never locked out; else whole."""
    database = office.database
    if database.is_sqlite:
        with closing(sqlite3.connect(database.file, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            yield
            other.execute("ROLLBACK")
        return
    with database.engine.connect() as other:
        other.execute(sa.text("LOCK TABLE audit, api_keys, maps IN ACCESS EXCLUSIVE MODE"))
        yield


@contextmanager
def gone(office: Office) -> Iterator[None]:
    """The register cannot be reached at all."""
    database = office.database
    if database.is_sqlite:
        away = database.file.with_name("away.db")
        database.engine.dispose()
        database.file.rename(away)
        database.file.mkdir()
        yield
        database.file.rmdir()
        away.rename(database.file)
        return
    name = database.url.database
    admin = sa.create_engine(database.url.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as other:
        other.execute(sa.text(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'))
        other.execute(
            sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name"), {"name": name}
        )
        yield
        other.execute(sa.text(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'))
    admin.dispose()


@pytest.mark.parametrize("away", [locked, gone])
def test_while_the_database_cannot_be_read_every_lookup_answers_and_says_how_old_it_is(
    office: Office, away: Callable[[Office], AbstractContextManager[None]]
) -> None:
    office.west(17)
    assert validate(office, "145 N ALMA ST")["match"] == "provisional"
    lon, lat = lonlat(400, 470)
    with away(office):
        time.sleep(2.5)
        began = time.monotonic()
        answers = [
            ask(office, VALIDATE, address="145 N ALMA ST"),
            ask(office, LOCATE, address="145 N ALMA ST"),
            ask(office, NEAREST, lat=lat, lon=lon),
            ask(office, CHANGES, since=0),
        ]
        took = time.monotonic() - began
    assert [answer.status_code for answer in answers] == [200] * 4
    readable = office.database.is_sqlite and away is locked
    assert all((answer.json()["age_s"] >= 1.0) != readable for answer in answers)
    assert took < 3
    time.sleep(1.5)
    made = office.west(20).json()
    assert validate(office, made["address"])["age_s"] < 1.5


# --- changes ---


def replayed(office: Office, page: int) -> tuple[dict[int, Json], int]:
    """The register as whoever reads the feed from its beginning has it."""
    kept: dict[int, Json] = {}
    since, last = 0, 0
    while True:
        got = ask(office, CHANGES, since=since, limit=page).json()
        for item in got["items"]:
            assert item["cursor"] >= last
            last = item["cursor"]
            assert kept.get(item["after"]["id"]) == item["before"]
            kept[item["after"]["id"]] = item["after"]
        if not got["items"]:
            assert got["next"] == since
            return kept, since
        since = got["next"]


def held(office: Office) -> dict[int, Json]:
    """The public state of every address in the database."""
    with office.database.read() as connection:
        rows = located_many(connection)
    place = "location_"
    return {
        row["id"]: public(row, {k.removeprefix(place): v for k, v in row.items() if k.startswith(place)})
        for row in rows
    }


def test_each_act_is_told_once_in_order_with_what_was_and_is(office: Office) -> None:
    made = office.west(17).json()
    office.post(f"/api/v1/addresses/{made['id']}/correct", {"access_note": "by the alley", "reason": "seen"})
    office.post(f"/api/v1/addresses/{made['id']}/retire", {"reason": "torn down"})
    items = ask(office, CHANGES, since=0).json()["items"]
    assert [item["kind"] for item in items] == ["assigned", "corrected", "retired"]
    assert items[0]["before"] is None
    assert items[1]["after"]["access_note"] == "by the alley"
    assert (items[2]["before"]["status"], items[2]["after"]["status"]) == ("provisional", "retired")
    assert ask(office, CHANGES, since=items[0]["cursor"]).json()["items"] == items[1:]


def test_a_cursor_of_a_history_that_a_restore_took_back_is_refused(office: Office, tmp_path: Path) -> None:
    """However many acts follow: others have its number, none has its last bits."""
    office.west(1)
    write_archive(office.database, tmp_path / "backup.zip")
    office.west(2)
    lost = ask(office, CHANGES, since=0).json()["next"]
    restore(office.database, tmp_path / "backup.zip", tmp_path / "backups")
    for since in (lost, 999_999):
        answer = ask(office, CHANGES, since=since)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "since")
        assert "it may be mistyped, or the register was restored from an older backup" in answer.json()["detail"]
    for k in range(3, 9):
        office.west(k)
    assert ask(office, CHANGES, since=lost).status_code == 422
    assert replayed(office, 100)[0].keys() == held(office).keys()


def test_every_refusal_says_how_old_what_is_known_is(office: Office) -> None:
    place = {"lat": 42.57, "lon": -90.38}
    for path, asked, status in (
        (NEAREST, {"lat": 91, "lon": 0}, 422),
        (CHANGES, {"since": -1}, 422),
        (CHANGES, {"since": 0, "foo": 2}, 422),
        (NEAREST, {**place, "foo": 1}, 422),
        (VALIDATE, {"address": ["145 N Alma St", "147 N Alma St"]}, 422),
        ("/api/v1/911/nothing", {}, 404),
    ):
        answer = ask(office, path, **asked)
        assert (answer.status_code, "age_s" in answer.json(), "as_of" in answer.json()) == (status, True, True), path
        assert answer.headers["content-type"] == "application/problem+json"


def test_a_place_far_from_the_village_is_told_from_one_with_nothing_near(office: Office) -> None:
    lon, lat = lonlat(-1500, 1500)
    assert ask(office, NEAREST, lat=lat, lon=lon).json()["outside_ft"] == 0
    lon, lat = lonlat(40_000, 0)  # 38,000 ft past the streets' end, 660 ft of which are the village's edge
    assert ask(office, NEAREST, lat=lat, lon=lon).json()["outside_ft"] == pytest.approx(37_340, abs=5)


def test_the_feed_replayed_from_zero_is_the_register(office: Office) -> None:
    rng = random.Random(911)
    ids: list[int] = []
    for step in range(60):
        act = rng.choice(["assign"] * 4 + ["retire", "restore", "correct", "renumber", "adopt", "rename"])
        one = rng.choice(ids) if ids else 0
        if act == "assign" or not ids:
            side, y = rng.choice([400, 480]), rng.uniform(331, 659)
            answer = office.assign(side, round(y, 1))
            ids += [answer.json()["id"]] if answer.status_code == 201 else []
        elif act == "retire":
            office.post(f"/api/v1/addresses/{one}/retire", {"reason": "gone"})
        elif act == "restore":
            office.post(f"/api/v1/addresses/{one}/restore", {"reason": "back"})
        elif act == "correct":
            office.post(f"/api/v1/addresses/{one}/correct", {"access_note": f"note {step}", "reason": "seen"})
        elif act == "renumber":
            changes = [{"id": one, "number": rng.randrange(110, 200)}]
            office.post("/api/v1/renumberings", {"changes": changes, "reason": "order"})
        elif act == "adopt" and step > 20:
            office.adopt()
        elif act == "rename" and step > 40:
            made = {"name": "Elm Street", "date": "2026-06-01", "act": "Resolution 3", "reason": "two Almas"}
            office.post("/api/v1/streets/Alma Street/rename", made)
    expected = {k: json.loads(json.dumps(v)) for k, v in held(office).items()}
    assert len(expected) > 10
    for page in (1, 7, 1000):
        assert replayed(office, page)[0] == expected


def test_the_working_crs_is_what_places_are_measured_in() -> None:
    x, y = to_working("EPSG:4326", working_crs("EPSG:7608"))(*lonlat(400, 470))
    assert (float(x), float(y)) == (pytest.approx(400, abs=0.01), pytest.approx(470, abs=0.01))
    with pytest.raises(StreetsError):
        to_working("nowhere", working_crs("EPSG:7608"))


# --- the page for the county's integrator ---


def test_every_line_of_the_county_s_page_runs(office: Office) -> None:
    page = office.client.get("/911")
    assert page.status_code == 200
    lines = [unescape(line) for line in re.findall(r"curl -s 'http://testserver([^']+)'", page.text)]
    assert [line.split("?")[0].rpartition("/")[2] for line in lines] == ["validate", "locate", "nearest", "changes"]
    for line in lines:
        answer = office.client.get(line, headers={"Authorization": f"Bearer {office.keys['dispatch']}"})
        assert answer.status_code == 200, (line, answer.text)
        assert answer.json()["age_s"] < 5


def test_officers_see_who_asked_what_today_and_the_public_does_not(office: Office) -> None:
    office.west(17)
    ask(office, VALIDATE, address="145 N ALMA ST")
    clerk = by_session(office.database, "A Clerk", "clerk")  # type: ignore[arg-type]
    page = office.client.get("/911", headers=clerk).text
    assert "1 request since midnight UTC" in page
    assert "address=145 N ALMA ST" in page
    assert "Asked today" not in office.client.get("/911").text
    file = re.search(r"/911/log/[-0-9]+\.jsonl", page)
    assert file is not None
    assert json.loads(office.client.get(file[0], headers=clerk).text)["name"] == "the dispatch"
    assert office.client.get("/911/log/1999-01-01.jsonl", headers=clerk).status_code == 404


def test_who_waits_for_what_was_just_written_does_not_wait_for_rests(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen to fail before: whose question had begun the reading waited through its rests, and was told none."""
    monkeypatch.setattr("app.watch.RESTS", 1e9)
    monkeypatch.setattr("app.lookup.SOME", 1)
    assert validate(office, "1 North Alma Street")["match"] == "none"  # the first reading is done
    for k in range(17, 20):
        made = office.west(k).json()
        began = time.monotonic()
        assert validate(office, made["address"])["match"] == "provisional"
        assert time.monotonic() - began < 1.5
