"""OGC API - Features of a plat on squared paper: held against the official schemas, and read by GDAL.

Main Street lies on y = 0, Alma Street on x = 440. The addresses lie at x = 7.1 times their number, y = 1/3.

Seen to fail, each by breaking the code once: a parameter that is not known let pass; a day
that ends where the next begins; a work's first or last day not counted; a page that begins with the last feature of the
one before; provisional numbers left out; a reason told; a block face on the other side.

"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import geopandas
import pyogrio
import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from shapely import box
from typer.testing import CliRunner

from app.audit import CONSOLE, Act
from app.cli import app as command_line
from app.db import Database
from app.exports.features import COLLECTIONS
from app.imports import Asked, bring_in, check
from app.main import create_app
from app.settings import Settings
from app.street_objects import record
from app.tables import addresses
from gis.crs import from_working, working_crs
from tests.conftest import serving_here
from tests.filling import add_address
from tests.plat import PLAT, village
from tests.test_works import ANN, BOX, FEET, asking

Json = dict[str, Any]
SCHEMAS = Path(__file__).parent / "schemas" / "ogc"
PART1 = "http://schemas.opengis.net/ogcapi/features/part1/1.0/openapi/schemas/"
CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
E7608 = "http://www.opengis.net/def/crs/EPSG/0/7608"
SECRET = "Widow Smith asked"
NUMBERS = range(10, 60, 2)
"""25 addresses, at x = 71, 85.2, ... 411.8."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ogc")


@pytest.fixture(scope="module")
def made(folder: Path) -> Settings:
    """A village with addresses, a lot, an opening of June 2026 and an obstruction of July."""
    return Settings(data_dir=village(folder, PLAT), state_dir=folder / "register")


@pytest.fixture(scope="module")
def client(made: Settings, folder: Path) -> Iterator[TestClient]:
    app = create_app(made)
    database: Database = app.state.database
    with database.write() as connection:
        act = Act(connection, CONSOLE, SECRET, datetime(2026, 3, 1, 12, tzinfo=UTC))
        for number in NUMBERS:
            add_address(act, number, reason=SECRET)
    lots = geopandas.GeoDataFrame({"PIN": ["25-001"]}, geometry=[box(300, 400, 400, 500)], crs=FEET)
    lots.to_file(folder / "lots.gpkg", engine="pyogrio")
    bring_in(app.state.atlas, CONSOLE, check(app.state.atlas, Asked("lots", folder / "lots.gpkg", "lots.gpkg")))
    common = {"geometry": BOX, "crs": FEET, "reason": SECRET}
    for kind, first, last in (("opening", "2026-06-01", "2026-06-10"), ("obstruction", "2026-07-01", "2026-07-10")):
        asked = {"kind": kind, "label": "Gas", "starts_on": first, "ends_on": last, **common}
        record(asking(app.state.atlas, ANN), asked)
    with TestClient(app) as client:
        yield client


@cache
def registry() -> Registry[Any]:
    """The official schemas by the names under which they refer to one another; nothing is fetched."""
    held = {path.name: json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
    named = {f"{PART1}{name}": schema for name, schema in held.items()}
    named |= {f"part2:{name.removeprefix('part2-')}": schema for name, schema in held.items() if "part2-" in name}
    return Registry().with_resources(
        (uri, Resource(_absolute(schema, uri), specification=DRAFT202012)) for uri, schema in named.items()
    )


def _absolute(schema: Any, uri: str) -> Any:
    """Write each reference whole, as the published files have it by where they lie."""
    base = uri[: max(uri.rfind("/"), uri.rfind(":")) + 1]
    if isinstance(schema, dict):
        return {k: _uri(v, base) if k == "$ref" else _absolute(v, uri) for k, v in schema.items()}
    return [_absolute(one, uri) for one in schema] if isinstance(schema, list) else schema


def _uri(ref: str, base: str) -> str:
    return ref if ref.startswith("http") else base + ref


def valid(body: Json, schema: str) -> None:
    checker = Draft202012Validator(
        {"$ref": schema}, registry=registry(), format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    assert [error.message for error in checker.iter_errors(body)] == []


def got(client: TestClient, path: str, **params: Any) -> Any:
    answer = client.get(f"/ogc/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def items(client: TestClient, name: str, **params: Any) -> list[Json]:
    found: list[Json] = got(client, f"collections/{name}/items", **params)["features"]
    return found


# --- the documents ---


def test_the_landing_page_the_conformance_and_the_collections_keep_the_official_schemas(client: TestClient) -> None:
    landing = got(client, "")
    valid(landing, f"{PART1}landingPage.json")
    rels = {link["rel"]: link["href"] for link in landing["links"]}
    assert {"self", "service-desc", "service-doc", "conformance", "data"} <= set(rels)
    for href in rels.values():
        assert client.get(href).status_code == 200, href
    conformance = got(client, "conformance")
    valid(conformance, f"{PART1}confClasses.json")
    wanted = {"features-1/1.0/conf/core", "features-1/1.0/conf/geojson", "features-2/1.0/conf/crs"}
    assert wanted <= {one.split("ogcapi-")[1] for one in conformance["conformsTo"]}
    told = got(client, "collections")
    valid(told, "part2:collections.json")
    assert [one["id"] for one in told["collections"]] == list(COLLECTIONS)
    for one in told["collections"]:
        own = got(client, f"collections/{one['id']}")
        valid(own, "part2:collection.json")
        assert own == one
        assert own["crs"] == [CRS84, E7608]
        assert own["storageCrs"] == E7608


def test_each_collection_is_one_that_the_county_was_promised() -> None:
    layers = (
        "right_of_way pavement curb_line sidewalk terrace alley public_ground dedicated_land easement ditch hydrant"
    )
    named = "streets block_faces addresses lots works obstructions"
    assert set(COLLECTIONS) >= {*named.split(), *layers.split(), "crossing", "lot"}


@pytest.mark.parametrize("name", list(COLLECTIONS))
def test_features_keep_the_official_schemas_and_are_found_again_by_their_id(client: TestClient, name: str) -> None:
    answer = client.get(f"/ogc/collections/{name}/items", params={"limit": 3})
    assert answer.headers["content-type"] == "application/geo+json"
    assert answer.headers["content-crs"] == f"<{CRS84}>"
    page = answer.json()
    valid(page, f"{PART1}featureCollectionGeoJSON.json")
    assert page["numberReturned"] == len(page["features"]) <= 3
    assert page["numberMatched"] >= page["numberReturned"]
    for one in page["features"]:
        own = got(client, f"collections/{name}/items/{quote(str(one['id']), safe='')}")
        valid(own, f"{PART1}featureGeoJSON.json")
        assert {k: own[k] for k in one} == one
        assert client.get(own["links"][0]["href"]).json() == own


# --- what is asked ---


BAD = {
    "an unknown parameter": "addresses/items?street=Alma",
    "no feature": "addresses/items?limit=0",
    "a limit in words": "addresses/items?limit=ten",
    "a box of three": "addresses/items?bbox=1,2,3",
    "a box upside down": "addresses/items?bbox=-91,43,-90,42",
    "a box of words": "addresses/items?bbox=a,b,c,d",
    "a box without end": "addresses/items?bbox=nan,0,1,1",
    "a CRS that is not offered": "addresses/items?crs=http://www.opengis.net/def/crs/EPSG/0/4326",
    "a box's CRS that is not offered": "addresses/items?bbox=0,0,1,1&bbox-crs=EPSG:7608",
    "a time without a zone": "addresses/items?datetime=2026-06-01T12:00:00",
    "no time": "addresses/items?datetime=soon",
    "a time before the first day": "works/items?datetime=0001-01-01T00:00:00Z",
    "an end before its start": "addresses/items?datetime=2026-06-02/2026-06-01",
    "a place in the list that is none": "addresses/items?after=x",
    "one parameter twice": "addresses/items?limit=1&limit=2",
    "a parameter of another path": "addresses?limit=1",
    "a CRS of one feature": "addresses/items/1?crs=x",
}


@pytest.mark.parametrize("path", BAD.values(), ids=BAD.keys())
def test_what_is_not_known_or_cannot_be_read_is_refused(client: TestClient, path: str) -> None:
    answer = client.get(f"/ogc/collections/{path}")
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    valid(answer.json(), f"{PART1}exception.json")


@pytest.mark.parametrize("path", ["nope", "nope/items", "addresses/items/999999", "streets/items/Nowhere%20Street"])
def test_what_is_not_there_is_not_found(client: TestClient, path: str) -> None:
    answer = client.get(f"/ogc/collections/{path}")
    assert answer.status_code == 404, answer.text
    valid(answer.json(), f"{PART1}exception.json")


def test_a_limit_above_the_greatest_is_taken_for_it(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(items(client, "addresses", limit=10**12)) == len(NUMBERS)
    monkeypatch.setattr("app.exports.features_asked.MOST", 7)
    assert len(items(client, "addresses", limit=8)) == 7


def numbers(found: list[Json]) -> list[int]:
    return [one["properties"]["number"] for one in found]


def test_a_box_in_feet_and_the_same_in_degrees_find_the_same_addresses(client: TestClient) -> None:
    """From x = 100 to 200: numbers 100 / 7.1 = 14.1 to 28.2, the even ones."""
    feet = items(client, "addresses", bbox="100,-10,200,10", **{"bbox-crs": E7608})
    assert numbers(feet) == [16, 18, 20, 22, 24, 26, 28]
    west, south = from_working("EPSG:4326", working_crs(FEET))(100, -10)
    east, north = from_working("EPSG:4326", working_crs(FEET))(200, 10)
    assert numbers(items(client, "addresses", bbox=f"{west},{south},{east},{north}")) == numbers(feet)
    assert numbers(items(client, "addresses", bbox=f"{west},{south},0,{east},{north},9")) == numbers(feet)
    assert items(client, "addresses", bbox="10,40,20,50") == []
    assert len(items(client, "addresses", bbox="-180,-90,180,90")) == len(NUMBERS)
    assert len(items(client, "addresses", bbox="100,-90,-10,90")) == len(NUMBERS)  # across the 180th meridian


def test_a_box_finds_streets_that_meet_it_and_no_other(client: TestClient) -> None:
    found = items(client, "streets", bbox="430,300,450,340", **{"bbox-crs": E7608})
    assert [one["id"] for one in found] == ["Alma Street", "First Avenue"]


def test_coordinates_come_in_the_crs_that_is_asked_for(client: TestClient) -> None:
    answer = client.get("/ogc/collections/streets/items/Main%20Street", params={"crs": E7608})
    assert answer.headers["content-crs"] == f"<{E7608}>"
    ((line,),) = (answer.json()["geometry"]["coordinates"],)
    assert [[round(x), round(y)] for x, y in line] == [[-2000, 0], [2000, 0]]


@pytest.mark.parametrize(
    ("when", "found"),
    [
        ("2026-06-01", ["opening"]),
        ("2026-05-31", []),
        ("2026-06-10", ["opening"]),
        ("2026-06-11", []),
        ("2026-06-11T04:59:59Z", ["opening"]),  # 23:59:59 in the village on June 10
        ("2026-06-11T05:00:00Z", []),
        ("../2026-06-05", ["opening"]),
        ("2026-07-10/", ["obstruction"]),
        ("2026-06-10/2026-07-01", ["opening", "obstruction"]),
        ("2026-06-11/2026-06-30", []),
    ],
)
def test_works_are_found_by_the_days_they_are_open(client: TestClient, when: str, found: list[str]) -> None:
    assert [one["properties"]["kind"] for one in items(client, "works", datetime=when)] == found
    only = [one["properties"]["kind"] for one in items(client, "obstructions", datetime=when)]
    assert only == [kind for kind in found if kind == "obstruction"]


def test_an_address_is_of_the_time_since_it_was_assigned_and_a_street_of_any(client: TestClient) -> None:
    assert items(client, "addresses", datetime="../2026-03-01T11:59:59Z") == []
    assert len(items(client, "addresses", datetime="2026-03-01T12:00:00Z")) == len(NUMBERS)
    assert len(items(client, "streets", datetime="1900-01-01")) == len(PLAT)


# --- pages ---


def test_pages_lead_to_one_another_and_none_comes_twice_while_the_register_changes(
    made: Settings, client: TestClient
) -> None:
    """An address already read is retired after the first page: counting from the start would leave one out."""
    page = got(client, "collections/addresses/items", limit=10, bbox="0,-10,2000,10", **{"bbox-crs": E7608})
    seen = numbers(page["features"])
    database: Database = client.app.state.database  # type: ignore[attr-defined]
    first = page["features"][0]["id"]
    retired = {"status": "retired", "retired_at": datetime(2026, 4, 1, tzinfo=UTC)}
    with database.write() as connection:
        connection.execute(addresses.update().where(addresses.c.id == first).values(**retired))
    sizes = [len(seen)]
    while following := [link["href"] for link in page["links"] if link["rel"] == "next"]:
        page = client.get(following[0]).json()
        seen += numbers(page["features"])
        sizes.append(page["numberReturned"])
    assert seen == list(NUMBERS)
    assert sizes == [10, 10, 5]
    with database.write() as connection:
        back = {"status": "provisional", "retired_at": None}
        connection.execute(addresses.update().where(addresses.c.id == first).values(**back))


def test_pages_of_what_is_held_in_memory_hold_each_feature_once(client: TestClient) -> None:
    whole = [one["id"] for one in items(client, "block_faces", limit=1000)]
    page, seen = got(client, "collections/block_faces/items", limit=9), []
    seen += [one["id"] for one in page["features"]]
    while following := [link["href"] for link in page["links"] if link["rel"] == "next"]:
        page = client.get(following[0]).json()
        seen += [one["id"] for one in page["features"]]
    assert seen == whole
    assert len(set(seen)) == len(seen) > 9


def test_a_block_face_has_its_own_numbers_and_lies_on_its_side_of_the_street(client: TestClient) -> None:
    """Alma's 100 block, 330 ft at 8 ft a unit: 42 units; odd in the west, 111 to 193, and even in the east to 192."""
    sides = {}
    for one in items(client, "block_faces", limit=1000, crs=E7608):
        told = one["properties"]
        if (told["street"], told["half"], told["hundred"]) == ("Alma Street", "North", 100):
            (x,) = {round(x) for x, _ in one["geometry"]["coordinates"]}
            sides[told["parity"]] = (x, told["from_number"], told["to_number"])
    assert sides == {"odd": (440 - 33, 111, 193), "even": (440 + 33, 110, 192)}


def test_no_reason_name_or_note_leaves(client: TestClient) -> None:
    for name in COLLECTIONS:
        text = client.get(f"/ogc/collections/{name}/items", params={"limit": 1000}).text
        assert SECRET not in text
        assert ANN.name not in text
        assert not re.search(r'"(owner|occupant|reason|made_by|access_note|retired_reason)"', text)


# --- GDAL, and the command ---


READS = """
import json, sys
import pyogrio
source = sys.argv[1]
table = pyogrio.read_dataframe(source, layer="addresses", PAGE_SIZE="7").to_crs("EPSG:7608").sort_values("number")
told = {"layers": [str(name) for name, _ in pyogrio.list_layers(source)], "numbers": table["number"].tolist()}
told |= {"x": [round(x) for x in table.geometry.x], "lots": len(pyogrio.read_dataframe(source, layer="lots"))}
told |= {"streets": sorted(pyogrio.read_dataframe(source, layer="streets")["name"])}
print(json.dumps(told))
"""


def test_gdal_reads_every_collection_page_by_page(made: Settings, client: TestClient) -> None:
    """In a process of its own: GDAL would keep the server in this one from answering."""
    with serving_here(made) as url:
        command = [sys.executable, "-c", READS, f"OAPIF:{url}/ogc/"]
        found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert found.returncode == 0, found.stderr
    told = json.loads(found.stdout)
    assert set(told["layers"]) == set(COLLECTIONS)
    assert told["numbers"] == list(NUMBERS)
    assert told["x"] == [round(number * 7.1) for number in NUMBERS]
    assert (told["streets"], told["lots"]) == (sorted(PLAT), 1)


def test_the_command_writes_every_collection(
    client: TestClient, made: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENTON_STATE_DIR", str(made.state_dir))
    monkeypatch.setenv("BENTON_DATA_DIR", str(made.data_dir))
    out = folder / "all.gpkg"
    answer = CliRunner().invoke(command_line, ["export", "features", "--out", str(out)])
    assert answer.exit_code == 0, answer.output
    assert len(pyogrio.read_dataframe(out, layer="addresses")) == len(NUMBERS)
    assert {name for name, _ in pyogrio.list_layers(out)} >= {"streets", "works", "lots", "pavement"}
    assert date(2026, 6, 1).isoformat() in str(pyogrio.read_dataframe(out, layer="works")["starts_on"].tolist())
