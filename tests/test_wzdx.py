"""The work zone feed: valid by the schema of WZDx 4.2, one event a direction, on a plat on squared paper.

The box lies from x = 400 to 412 beside Main Street, which runs east and west on y = 0. The village keeps Central time:
in June a day begins at 05:00 UTC.

Seen to fail, by breaking the code once: lines drawn against the traffic.

"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft7Validator
from referencing import Registry, Resource
from typer.testing import CliRunner

from app import registers
from app.audit import CONSOLE, Act
from app.cli import app as command_line
from app.clocks import LOCAL
from app.exports.wzdx import feed
from app.main import create_app
from app.map_versions import Atlas
from app.settings import Settings
from app.street_objects import change, record
from app.street_tables import street_objects
from gis.crs import to_working, working_crs
from tests.plat import PLAT, village
from tests.test_works import ANN, BOX, FEET, asking

Json = dict[str, Any]
SCHEMAS = Path(__file__).parent / "schemas" / "wzdx"
PATH = "/wzdx/v4.2/feed.geojson"
SECRET = "Widow Smith asked"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("wzdx")
    return Settings(data_dir=village(folder, PLAT), state_dir=folder / "register")


@pytest.fixture(scope="module")
def client(made: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(made)) as client:
        yield client


@pytest.fixture(scope="module")
def atlas(client: TestClient) -> Atlas:
    found: Atlas = client.app.state.atlas  # type: ignore[attr-defined]
    return found


def valid(told: Json) -> None:
    """Hold a feed against the official schemas, from their files alone."""
    held = [json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")]
    registry: Registry[Any] = Registry().with_resources((one["$id"], Resource.from_contents(one)) for one in held)
    (own,) = (one for one in held if one["$id"].endswith("WorkZoneFeed.json"))
    checker = Draft7Validator(own, registry=registry, format_checker=Draft7Validator.FORMAT_CHECKER)
    assert [error.message for error in checker.iter_errors(told)] == []


def work(atlas: Atlas, label: str, kind: str = "opening", **given: Any) -> int:
    body = {"kind": kind, "geometry": BOX, "crs": FEET, "label": label, "reason": SECRET, "street": "Main Street"}
    return int(record(asking(atlas, ANN), {**body, **given})["id"])


def events(atlas: Atlas, label: str, now: datetime) -> list[Json]:
    with atlas.database.read() as connection:
        told = feed(connection, atlas.village, now)
    valid(told)
    return [one for one in told["features"] if one["properties"]["core_details"]["name"].endswith(label)]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def feet(event: Json) -> list[tuple[int, int]]:
    project = to_working("EPSG:4326", working_crs(FEET))
    return [(round(x), round(y)) for x, y in (project(*place) for place in event["geometry"]["coordinates"])]


def test_a_work_is_an_event_in_each_direction_of_its_street_from_upstream_on(atlas: Atlas) -> None:
    work(atlas, "both", starts_on="2026-06-01", ends_on="2026-06-10")
    east, west = events(atlas, "both", at("2026-06-05T12:00"))
    assert east["properties"]["core_details"]["direction"] == "eastbound"
    assert feet(east) == [(400, 0), (412, 0)]
    assert west["properties"]["core_details"]["direction"] == "westbound"
    assert feet(west) == [(412, 0), (400, 0)]
    assert east["id"] != west["id"]
    related = [{"type": "related-work-zone", "id": west["id"]}]
    assert east["properties"]["core_details"]["related_road_events"] == related
    assert east["properties"]["core_details"]["road_names"] == ["Main Street"]
    for one in (east, west):
        assert (one["properties"]["start_date"], one["properties"]["end_date"]) == (
            "2026-06-01T05:00:00Z",
            "2026-06-11T05:00:00Z",
        )
        assert (one["properties"]["is_start_date_verified"], one["properties"]["is_end_date_verified"]) == (
            False,
            False,
        )
        assert "lanes" not in one["properties"]


def test_on_a_street_that_runs_north_the_events_are_north_and_southbound(atlas: Atlas) -> None:
    ring = [[436, 100], [444, 100], [444, 150], [436, 150], [436, 100]]
    work(atlas, "alma", geometry={"type": "Polygon", "coordinates": [ring]}, street="Alma Street")
    found = {e["properties"]["core_details"]["direction"]: feet(e) for e in events(atlas, "alma", datetime.now(UTC))}
    assert found == {"northbound": [(440, 100), (440, 150)], "southbound": [(440, 150), (440, 100)]}


def test_a_direction_that_is_on_record_is_the_only_one(atlas: Atlas) -> None:
    """As a permit records it with the work it puts into the street."""

    made = work(atlas, "west", starts_on="2026-06-01", ends_on="2026-06-10")
    with atlas.database.write() as connection:
        row = registers.get(connection, street_objects, made)
        facts = {"facts": {"direction": "west"}}
        registers.update(Act(connection, CONSOLE), "change object", street_objects, row, facts)
    (only,) = events(atlas, "west", at("2026-06-05T12:00"))
    assert only["properties"]["core_details"]["direction"] == "westbound"
    assert "related_road_events" not in only["properties"]["core_details"]


def test_an_event_that_has_ended_stays_an_hour(atlas: Atlas) -> None:
    work(atlas, "hour", starts_on="2026-06-01", ends_on="2026-06-10")
    assert len(events(atlas, "hour", at("2026-05-01T12:00"))) == 2  # planned
    assert len(events(atlas, "hour", at("2026-06-11T05:59:59"))) == 2
    assert events(atlas, "hour", at("2026-06-11T06:00:00")) == []


def test_a_work_restored_today_has_ended_verified_and_stays_an_hour(atlas: Atlas) -> None:
    today = datetime.now(UTC).astimezone(LOCAL).date()
    made = work(atlas, "restored", starts_on=str(today - timedelta(days=3)), ends_on=str(today + timedelta(days=3)))
    change(asking(atlas, ANN), made, {"restored_on": str(today)}, "change dates")
    now = datetime.now(UTC)
    found = events(atlas, "restored", now)
    assert len(found) == 2
    assert found[0]["properties"]["is_end_date_verified"] is True
    assert datetime.fromisoformat(found[0]["properties"]["end_date"]) <= now
    assert events(atlas, "restored", now + timedelta(hours=1, seconds=1)) == []


def test_a_work_without_a_last_day_lasts_to_the_end_of_this_day_and_says_so(atlas: Atlas) -> None:
    work(atlas, "open", starts_on="2026-06-01")
    told = events(atlas, "open", at("2026-07-04T12:00"))[0]["properties"]
    assert told["end_date"] == "2026-07-05T05:00:00Z"
    assert told["is_end_date_verified"] is False
    assert "No last day is on record" in told["core_details"]["description"]


def test_a_closed_sidewalk_without_lanes_leaves_all_lanes_open_and_is_valid(atlas: Atlas) -> None:
    work(atlas, "walk", "obstruction", facts={"on": "sidewalk"}, starts_on="2026-06-01", ends_on="2026-06-10")
    work(atlas, "street", "obstruction", facts={"on": "street"}, starts_on="2026-06-01", ends_on="2026-06-10")
    now = at("2026-06-05T12:00")
    assert {e["properties"]["vehicle_impact"] for e in events(atlas, "walk", now)} == {"all-lanes-open"}
    assert {e["properties"]["vehicle_impact"] for e in events(atlas, "street", now)} == {"unknown"}


def test_the_feed_tells_who_publishes_it_under_which_licence_and_no_more(client: TestClient, atlas: Atlas) -> None:
    today = datetime.now(UTC).astimezone(LOCAL).date()
    work(atlas, "now", starts_on=str(today), ends_on=str(today))
    answer = client.get(PATH)
    assert answer.status_code == 200
    told = answer.json()
    valid(told)
    info = told["feed_info"]
    assert (info["publisher"], info["version"]) == ("Village of Plat", "4.2")
    assert info["license"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    (source,) = info["data_sources"]
    assert {e["properties"]["core_details"]["data_source_id"] for e in told["features"]} == {source["data_source_id"]}
    assert SECRET not in answer.text
    assert ANN.name not in answer.text


def test_a_feed_that_has_not_changed_is_not_sent_again_and_a_new_work_is_in_it_at_once(
    client: TestClient, atlas: Atlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.exports.wzdx.UPDATED_S", 10**9)  # no minute ends within the test
    tag = client.get(PATH).headers["etag"]
    assert client.get(PATH, headers={"If-None-Match": tag}).status_code == 304
    work(atlas, "fresh")
    answer = client.get(PATH, headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert "fresh" in answer.text
    assert client.get(f"{PATH}?x=1").status_code == 422


def test_the_command_writes_the_feed(
    client: TestClient, made: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENTON_STATE_DIR", str(made.state_dir))
    monkeypatch.setenv("BENTON_DATA_DIR", str(made.data_dir))
    out = tmp_path / "feed.geojson"
    answer = CliRunner().invoke(command_line, ["export", "wzdx", "--out", str(out)])
    assert answer.exit_code == 0, answer.output
    valid(json.loads(out.read_text()))
