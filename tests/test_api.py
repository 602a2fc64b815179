"""The API over Benton, and over a plat on squared paper, as a caller sees it."""

import asyncio
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.audit import CONSOLE
from app.keys import add_key
from app.main import create_app
from app.settings import Settings
from tests.plat import PLAT, village

PREVIEW = "/api/v1/numbers/preview"


@pytest.fixture(scope="module")
def benton() -> Iterator[TestClient]:
    with TestClient(create_app(Settings())) as client:
        yield client


@pytest.fixture(scope="module")
def plat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    made = village(tmp_path_factory.mktemp("plat"), PLAT)
    with TestClient(create_app(Settings(data_dir=made, state_dir=made / "register"))) as client:
        yield client


def feet(x: float, y: float, **more: Any) -> dict[str, Any]:
    return {"x": x, "y": y, "crs": "EPSG:7608", **more}


def test_an_entrance_s_number_with_its_reasons(plat: TestClient) -> None:
    answer = plat.post(PREVIEW, json=feet(400, 500, street="alma st")).json()
    # (500 - 330) / 8 is 21.25: the 22nd unit; west is odd
    assert answer["address"] == f"{100 + 11 + 2 * 21} North Alma Street"
    assert (answer["street"], answer["half"], answer["number"]) == ("Alma Street", "North", 153)
    assert answer["usps"] == "153 N ALMA ST"
    assert (answer["block"], answer["unit_ft"], answer["into_ft"]) == (1, 8, 170.0)
    steps = answer["explanation"]["steps"]
    assert [step["section"] for step in steps] == [
        "288-15 C(2)",
        "288-15 C(1)(a)",
        *["288-15 D"] * 2,
        *["288-15 E"] * 2,
    ]
    assert "330.0 ft / 44 = 7.50: 8 ft a number" in steps[3]["text"]
    assert steps[3]["law"].startswith("The unit of frontage shall be determined by rounding to the nearest foot")
    roles = [f["properties"]["role"] for f in answer["explanation"]["geometry"]["features"]]
    assert roles == ["base_line", "block_line", "block_line", "block", "unit", "offset"]
    offset = answer["explanation"]["geometry"]["features"][-1]["geometry"]["coordinates"]
    assert offset == [[400.0, 500.0], [440.0, 500.0]]


def test_without_the_explanation_the_answer_is_the_same_but_for_it(plat: TestClient) -> None:
    full = plat.post(PREVIEW, json=feet(400, 500)).json()
    short = plat.post(PREVIEW, json=feet(400, 500, explain=False)).json()
    assert short.pop("explanation") is None
    assert full.pop("explanation")
    assert short == full


def test_at_a_corner_every_street_s_number_is_shown_nearest_first(plat: TestClient) -> None:
    """30 ft from Alma Street, 40 ft from First Avenue: within 1.5 times as near."""
    answer = plat.post(PREVIEW, json=feet(410, 290)).json()
    assert [(c["street"], c["number"], c["distance_ft"]) for c in answer["candidates"]] == [
        ("Alma Street", 11 + 2 * (290 // 8), 30.0),
        ("First Avenue", 11 + 2 * (410 // 10), 40.0),
    ]
    assert "AMBIGUOUS_FRONTAGE" in {finding["code"] for finding in answer["findings"]}


def test_a_point_on_the_line_has_no_number_and_is_no_error(plat: TestClient) -> None:
    response = plat.post(PREVIEW, json=feet(440.05, 471, street="Alma Street"))
    answer = response.json()
    assert response.status_code == 200
    assert (answer["number"], answer["address"]) == (None, None)
    finding = next(f for f in answer["findings"] if f["code"] == "SIDE_UNDETERMINED")
    assert finding["section"] == "288-15 E"
    assert finding["message"]


BAD = [
    ({"y": 1}, "x", 422),
    ({"x": "1", "y": 1}, "x", 422),
    ({"x": True, "y": 1}, "x", 422),
    ({"x": None, "y": 1}, "x", 422),
    ({"x": [1], "y": 1}, "x", 422),
    (feet(1, 1, street=5), "street", 422),
    ({"x": -90.38, "y": 42.57, "street": "Nowhere Street"}, "street", 422),
    ({"x": -90.38, "y": 42.57, "street": "\u202e\x00<img src=x onerror=alert(1)>"}, "street", 422),
    (feet(1, 1, explain="perhaps"), "explain", 422),
    (feet(1, 1, other=1), "other", 422),
    ({"x": 400, "y": 471, "crs": "EPSG:999999"}, "crs", 422),
    ({"x": 400, "y": 471, "crs": "nonsense \u2603"}, "crs", 422),
    ({"x": 400, "y": 471, "crs": ""}, "crs", 422),
    ({"x": 400, "y": 471, "crs": "EPSG:4978"}, "crs", 422),
    ({"x": 400, "y": 471}, "x, y", 422),  # feet given as degrees
    ({"x": 42.57, "y": -90.38}, "x, y", 422),  # swapped
    ({"x": -90.38, "y": 42.57, "crs": "EPSG:7608"}, "x, y", 422),  # degrees given as feet
    ({"x": -88.0, "y": 44.0}, "x, y", 422),  # out of the village
    ({"x": 1e300, "y": 1e300, "crs": "EPSG:7608"}, "x, y", 422),
]


@pytest.mark.parametrize(("body", "field", "status"), BAD, ids=[json.dumps(b)[:60] for b, _, _ in BAD])
def test_bad_input_is_a_problem_that_names_the_field(
    benton: TestClient, body: dict[str, Any], field: str, status: int
) -> None:
    response = benton.post(PREVIEW, json=body)
    problem = response.json()
    assert (response.status_code, problem["status"]) == (status, status)
    assert response.headers["content-type"] == "application/problem+json"
    assert field in [error["field"] for error in problem["errors"]]
    assert all(error["found"] and error["expected"] for error in problem["errors"])


@pytest.mark.parametrize(
    "body",
    [b"", b"x", b"[1, 2]", b"null", b'{"x": NaN, "y": 1}', b'{"x": 1e999, "y": 1}', b"\xff\xfe", b"[" * 100_000],
)
def test_a_body_that_is_no_request_is_refused(benton: TestClient, body: bytes) -> None:
    response = benton.post(PREVIEW, content=body, headers={"content-type": "application/json"})
    assert 400 <= response.status_code < 500
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["errors"][0]["field"]


def test_half_a_surrogate_pair_is_refused(benton: TestClient) -> None:
    body = b'{"x": -90.38, "y": 42.57, "street": "\\ud800"}'
    assert benton.post(PREVIEW, content=body, headers={"content-type": "application/json"}).status_code == 422


LOT = [[460.0, 370.0], [600.0, 370.0], [600.0, 450.0], [460.0, 450.0], [460.0, 370.0]]


def ask_lot(client: TestClient, coordinates: Any, **more: Any) -> Any:
    lot = {"type": "Polygon", "coordinates": coordinates}
    return client.post("/api/v1/lots/numbers", json={"lot": lot, "crs": "EPSG:7608", **more})


def test_the_numbers_a_lot_embraces_are_those_whose_unit_starts_in_it(plat: TestClient) -> None:
    """On Alma's east side from 370 to 450 ft: units of 8 ft begin at 330, so 370 is a unit's start and 450 too."""
    answer = ask_lot(plat, [LOT], street="Alma Street").json()
    assert len(answer["frontages"]) == 1
    front = answer["frontages"][0]
    assert (front["from_ft"], front["to_ft"], front["parity"]) == (370.0, 450.0, "even")
    assert front["numbers"] == [100 + 10 + 2 * k for k in range(5, 15)]
    assert front["addresses"][0] == "120 North Alma Street"
    assert front["shared_with_neighbour"] is None


def test_a_corner_lot_lists_each_street(plat: TestClient) -> None:
    """First Avenue, 40 ft south of the lot, is numbered too: 460 to 600 ft east, in the block that Alma begins."""
    streets = [front["street"] for front in ask_lot(plat, [LOT]).json()["frontages"]]
    assert streets == ["Alma Street", "First Avenue"]


@pytest.mark.parametrize(
    ("coordinates", "told"),
    [
        ([], "coordinates"),
        ([[[0, 0], [1, 1]]], "positions"),
        ([[[0, 0], [9, 0], [9, 9], [0, 9]]], "last position"),
        ([[[450, 400], [600, 500], [600, 400], [450, 500], [450, 400]]], "Self-intersection"),
        ([[["a", 0], [9, 0], [9, 9], ["a", 0]]], "coordinates[0]"),
        ([[[450, 400]] * 5], "[450 400]"),
        ([[[9e6, 9e6], [9e6 + 9, 9e6], [9e6, 9e6 + 9], [9e6, 9e6]]], "outside"),
        ("nothing", "coordinates"),
        ([[[i, 0] for i in range(20_000)]], "vertices"),
        ([[[None, 0], [9, 0], [9, 9], [None, 0]]], "coordinates[0]"),
        ([[[10**400, 0], [9, 0], [9, 9], [10**400, 0]]], "coordinates[0]"),
        ([[[-9e5, -9e5], [9e5, -9e5], [9e5, 9e5], [-9e5, 9e5], [-9e5, -9e5]]], "ft round"),
    ],
)
def test_a_lot_that_is_none_is_refused_with_the_place_of_the_fault(
    plat: TestClient, coordinates: Any, told: str
) -> None:
    response = ask_lot(plat, coordinates)
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"].startswith("lot")
    assert told in response.text


EARTH = [[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]
BOW_TIE = [[-90.3799, 42.5688], [-90.3795, 42.5690], [-90.3795, 42.5688], [-90.3799, 42.5690], [-90.3799, 42.5688]]


@pytest.mark.parametrize(
    "ring",
    [EARTH, [[-180, -80], [0, -80], [0, 80], [-180, 80], [-180, -80]], [[-91, 42], [-90, 42], [-90, 43], [-91, 42]]],
)
def test_a_lot_as_large_as_a_country_is_refused(benton: TestClient, ring: Any) -> None:
    response = benton.post("/api/v1/lots/numbers", json={"lot": {"type": "Polygon", "coordinates": [ring]}})
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"].startswith("lot")


def test_the_place_of_a_fault_is_told_in_the_coordinates_it_was_given_in(benton: TestClient) -> None:
    response = benton.post("/api/v1/lots/numbers", json={"lot": {"type": "Polygon", "coordinates": [BOW_TIE]}})
    assert "Self-intersection[-90.3797 42.5689]" in response.json()["detail"]


def test_a_lot_of_many_vertices_is_answered_soon(plat: TestClient) -> None:
    """A saw of 1,000 teeth along Alma Street: its front is the whole of it, and it took a minute once."""
    saw = [[480.0 + 40 * (k % 2), 340.0 + k / 4] for k in range(1000)]
    began = time.monotonic()
    answer = ask_lot(plat, [[*saw, [700.0, 590.0], [700.0, 340.0], saw[0]]], street="Alma Street")
    assert answer.status_code == 200
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("lot", [5, None, [], {}, {"type": "Point", "coordinates": [1, 2]}, {"type": "Feature"}])
def test_what_is_no_polygon_is_refused(plat: TestClient, lot: Any) -> None:
    assert plat.post("/api/v1/lots/numbers", json={"lot": lot}).status_code == 422


def test_a_body_of_ten_million_vertices_is_refused_unread(plat: TestClient) -> None:
    body = b'{"lot": {"type": "Polygon", "coordinates": [[' + b"[1,1]," * 10_000_000 + b"[1,1]]]}}"
    response = plat.post("/api/v1/lots/numbers", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert response.json()["errors"][0]["field"] == "body"


def test_streets_are_listed_searched_and_paged(benton: TestClient) -> None:
    every = benton.get("/api/v1/streets").json()
    assert every["total"] == 32  # Main, Van Buren, County Road J North and South, 28 placeholders
    names = [street["name"] for street in every["items"]]
    assert names == sorted(names)
    page = benton.get("/api/v1/streets", params={"q": "unnamed", "limit": 3, "offset": 2}).json()
    assert [street["name"] for street in page["items"]] == ["Unnamed 03", "Unnamed 04", "Unnamed 05"]
    assert page["total"] == 28


def test_a_street_s_blocks_however_it_is_spelt(benton: TestClient) -> None:
    rows = benton.get("/api/v1/streets/MAIN ST/blocks").json()["rows"]
    east = [row for row in rows if row["half"] == "East"][:3]
    assert [row["length_ft"] for row in east] == pytest.approx([300.4, 293.5, 385.1], abs=2)
    assert [row["to_streets"] for row in east] == [["Unnamed 01"], ["Unnamed 02"], ["Unnamed 03"]]
    assert [row["numbers"] for row in east] == [[10, 99], [110, 199], [210, 299]]
    missing = benton.get("/api/v1/streets/Nowhere/blocks")
    assert (missing.status_code, missing.json()["errors"][0]["field"]) == (404, "street")


def test_the_whole_block_table_and_no_face_without_numbers(benton: TestClient) -> None:
    table = benton.get("/api/v1/blocks").json()
    assert [finding["code"] for finding in table["map"]["findings"]] == ["UNITS_PROVISIONAL"]
    assert {row["street"] for row in table["rows"]} == {
        street["name"] for street in benton.get("/api/v1/streets").json()["items"]
    }
    assert all(row["unit_ft"] >= 1 and row["length_ft"] > 0 for row in table["rows"])
    jogs = benton.get("/api/v1/blocks", params={"finding": "JOG_NEAR"}).json()["rows"]
    assert jogs
    assert all("JOG_NEAR" in {f["code"] for f in row["findings"]} for row in jogs)


def test_the_block_table_as_a_file(benton: TestClient) -> None:
    lines = benton.get("/api/v1/blocks", params={"format": "csv"}).text.splitlines()
    assert len(lines) == 1 + len(benton.get("/api/v1/blocks").json()["rows"])
    assert lines[0].startswith("street,half,block,from_ft,to_ft")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/v1/streets?limit=x", "limit"),
        ("/api/v1/streets?limit=0", "limit"),
        ("/api/v1/streets?offset=-1", "offset"),
        ("/api/v1/streets?offset=999999999999999999999999", "offset"),
        ("/api/v1/streets?limit=999999999999999999999999", "limit"),
        ("/api/v1/blocks?format=xml", "format"),
        ("/api/v1/blocks?finding=NONE", "finding"),
        ("/api/v1/parse", "text"),
        ("/api/v1/parse?text=", "address number"),
        ("/api/v1/parse?text=PO Box 12", "address"),
    ],
)
def test_a_bad_parameter_is_named(benton: TestClient, path: str, field: str) -> None:
    response = benton.get(path)
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == field


def test_an_address_text_in_its_parts(benton: TestClient) -> None:
    answer = benton.get("/api/v1/parse", params={"text": "145 n alma st apt 2"}).json()
    assert (answer["full"], answer["usps"]) == ("145 North Alma Street Apartment 2", "145 N ALMA ST APT 2")
    assert (answer["parts"]["number"], answer["parts"]["street_name"]) == (145, "Alma")


def test_health_says_whose_streets_and_that_they_are_a_draft(benton: TestClient) -> None:
    answer = benton.get("/api/v1/health").json()
    assert (answer["status"], answer["village"], answer["draft"]) == ("ok", "Benton", True)


def test_the_examples_of_the_description_work(benton: TestClient) -> None:
    _, key = add_key(benton.app.state.database, CONSOLE, "examples", ["director"])  # type: ignore[attr-defined]
    described = benton.get("/api/v1/openapi.json").json()
    posts = {path: item["post"] for path, item in described["paths"].items() if "post" in item}
    for path in ("/api/v1/numbers/preview", "/api/v1/lots/numbers", "/api/v1/addresses", "/api/v1/addresses/preview"):
        reference = posts[path]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        example = described["components"]["schemas"][reference.rsplit("/", 1)[-1]]["example"]
        response = benton.post(path, json=example, headers={"Authorization": f"Bearer {key}"})
        assert response.status_code in {200, 201}, (path, response.text)
        assert response.json().get("number") or response.json().get("frontages"), path


def test_what_is_not_there_is_a_problem_too(benton: TestClient) -> None:
    assert benton.get("/api/v1/nothing").headers["content-type"] == "application/problem+json"
    assert benton.put("/api/v1/blocks").status_code == 405


def test_many_at_once_get_their_own_answers(plat: TestClient) -> None:
    import httpx2 as httpx

    async def ask() -> list[int]:
        transport = httpx.ASGITransport(app=plat.app)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://plat") as client:
            bodies = [feet(400, 331 + 8 * k, street="Alma Street") for k in range(40)]
            return [a.json()["number"] for a in await asyncio.gather(*(client.post(PREVIEW, json=b) for b in bodies))]

    with ThreadPoolExecutor() as pool:  # this thread may have a browser's loop already
        assert pool.submit(asyncio.run, ask()).result() == [111 + 2 * k for k in range(40)]


def test_a_street_whose_name_no_address_can_have_is_numbered_all_the_same(tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>"
    made = village(tmp_path, {**PLAT, name: [(900, 0), (900, 300)]})
    with TestClient(create_app(Settings(data_dir=made, state_dir=made / "register"))) as client:
        answer = client.post(PREVIEW, json=feet(940, 15, street=name)).json()
        assert answer["address"] == f"12 North {name}"
        assert client.get("/api/v1/blocks").status_code == 200
