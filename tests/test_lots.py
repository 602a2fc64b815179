"""The register of lots on a plat on squared paper: the numbers each embraces, built or vacant (§ 288-15 A, E, J).

Alma Street (x = 440) has its 100 block from First (y = 330) to Second (y = 660), unit 8: the west side's k-th unit is
111 + 2k and begins at y = 330 + 8k. First Avenue (y = 330) runs from Van Buren (x = 0) to Alma, 440 ft, unit 10; its
north side is even, its k-th unit 10 + 2k begins at x = 10k.

Seen to fail: `_held` empty (a number held is told as nobody's); `_over` without `retired_at` (an older lot counts).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import geopandas
import pytest
from fastapi.testclient import TestClient
from shapely import Polygon, box

from app import acts
from app.audit import CONSOLE
from app.considered import Wanted
from app.imports import Asked, bring_in, check
from app.main import create_app
from app.map_versions import Atlas
from app.settings import Settings
from tests.plat import PLAT, village

CRS = "EPSG:7608"
ROW = 33.0
"""Half the width of a street's right-of-way, feet."""


@pytest.fixture
def client(migrated_sqlite: Path, tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "state").mkdir()
    (tmp_path / "plat").mkdir()
    (tmp_path / "state" / "register.db").write_bytes(migrated_sqlite.read_bytes())
    settings = Settings(state_dir=tmp_path / "state", data_dir=village(tmp_path / "plat", PLAT))
    with TestClient(create_app(settings)) as made:
        yield made


def atlas_of(client: TestClient) -> Atlas:
    made: Atlas = client.app.state.atlas  # type: ignore[attr-defined]
    return made


def bring(client: TestClient, folder: Path, shapes: dict[str, Polygon], kind: str = "lots") -> None:
    column = "PIN" if kind == "lots" else "CODE"
    frame = geopandas.GeoDataFrame({column: list(shapes)}, geometry=list(shapes.values()), crs=CRS)
    frame.to_file(folder / f"{kind}.gpkg", engine="pyogrio")
    path = folder / f"{kind}.gpkg"
    bring_in(atlas_of(client), CONSOLE, check(atlas_of(client), Asked(kind, path, path.name)))


def one(client: TestClient, **asked: Any) -> dict[str, Any]:
    (found,) = client.get("/api/v1/lots", params=asked).json()["items"]
    return dict(found)


def test_a_corner_lot_lists_each_street_with_the_numbers_whose_unit_begins_in_it(
    client: TestClient, tmp_path: Path
) -> None:
    # west of Alma and north of First: 363 to 379 of Alma has 330 + 8 * 5 = 370 and 378; 387 to 407 of First 390 and 400
    bring(client, tmp_path, {"25-001": box(387, 330 + ROW, 440 - ROW, 379)})
    lot = one(client)
    fronts = {f["street"]: f for f in lot["frontages"]}
    assert fronts["Alma Street"]["numbers"] == [121, 123]
    assert fronts["First Avenue"]["numbers"] == [10 + 2 * 39, 10 + 2 * 40]
    assert (lot["built"], lot["built_by"]) == (False, "")
    page = client.get("/lots").text
    assert "corner" in page
    assert "25-001" in client.get(f"/lots/{lot['id']}").text


def test_a_lot_is_built_on_where_a_building_or_an_address_lies_on_it(client: TestClient, tmp_path: Path) -> None:
    """A wall along the boundary is on the neighbour's."""
    shapes = {"1": box(300, 400, 407, 450), "2": box(300, 450, 407, 500), "3": box(300, 500, 407, 550)}
    bring(client, tmp_path, shapes)
    bring(client, tmp_path, {"b": box(350, 410, 380, 450)}, "buildings")
    made = acts.assign(atlas_of(client), CONSOLE, Wanted(400, 520, CRS, "Alma Street")).content
    found = {lot["parcel"]: lot for lot in client.get("/api/v1/lots").json()["items"]}
    assert {parcel: lot["built_by"] for parcel, lot in found.items()} == {"1": "building", "2": "", "3": "address"}
    assert found["3"]["addresses"][0]["id"] == made["id"]
    assert found["3"]["frontages"][0]["held"][str(made["number"])]["id"] == made["id"]
    assert sum(holder is not None for holder in found["3"]["frontages"][0]["held"].values()) == 1


def test_an_entrance_on_one_lot_gets_that_lot_s_numbers_and_it_is_said(client: TestClient, tmp_path: Path) -> None:
    """The lot fronts from y = 462 to 478: 330 + 8 * 17 = 466 and 474 begin in it, so 145 and 147 and no third."""
    bring(client, tmp_path, {"25-001": box(300, 462, 407, 478)})
    atlas = atlas_of(client)
    made = [acts.assign(atlas, CONSOLE, Wanted(400, y, CRS, "Alma Street"), f"k{y}") for y in (470, 471, 472)]
    assert [one.content.get("number") for one in made] == [145, 147, None]
    assert made[2].content["code"] == "NO_FREE_NUMBER"
    told = {f["code"]: f["message"] for f in made[0].content["findings"]}
    assert "parcel 25-001" in told["LOT_OF_REGISTER"]
    # where two lots hold it, or one that does not front on the street asked for, nothing is taken for granted
    bring(client, tmp_path, {"25-002": box(300, 500, 407, 600), "25-003": box(300, 510, 407, 600)})
    other = acts.assign(atlas, CONSOLE, Wanted(400, 550, CRS, "Alma Street")).content
    assert "LOT_OF_REGISTER" not in {f["code"] for f in other["findings"]}


def test_a_lot_drawn_anew_counts_as_it_is_now(client: TestClient, tmp_path: Path) -> None:
    """Parcel 1 reached to y = 500 and now ends at 450: a place at 480 lies on no lot any more."""
    place = dict(zip(("lon", "lat"), atlas_of(client).village.out_of_feet("EPSG:4326")(350.0, 480.0), strict=True))
    bring(client, tmp_path, {"1": box(300, 400, 407, 500)})
    assert one(client, **place)["parcel"] == "1"
    bring(client, tmp_path, {"1": box(300, 400, 407, 450)})
    assert client.get("/api/v1/lots", params=place).json()["items"] == []


def test_the_lot_at_a_place(client: TestClient, tmp_path: Path) -> None:
    bring(client, tmp_path, {"1": box(300, 400, 407, 450), "2": box(300, 450, 407, 500)})
    lon, lat = atlas_of(client).village.out_of_feet("EPSG:4326")(350.0, 440.0)
    assert one(client, lon=lon, lat=lat)["parcel"] == "1"
    assert client.get("/api/v1/lots", params={"lon": lon}).status_code == 422


def test_lots_are_found_by_a_part_of_the_parcel_paged_and_exported(client: TestClient, tmp_path: Path) -> None:
    bring(client, tmp_path, {f"25-{k:03}": box(300, 340 + k, 407, 341 + k) for k in range(60)})
    first = client.get("/api/v1/lots", params={"limit": 50}).json()
    rest = client.get("/api/v1/lots", params={"limit": 50, "after": first["next"]}).json()
    assert (len(first["items"]), len(rest["items"]), rest["next"]) == (50, 10, None)
    assert one(client, parcel="-007")["parcel"] == "25-007"
    assert client.get("/api/v1/lots", params={"parcel": "%"}).json()["items"] == []
    assert "Next page" in client.get("/lots").text
    lines = client.get("/lots?format=csv").text.splitlines()  # a row for each street
    assert len({line.split(",")[1] for line in lines[1:]}) == 60


def test_with_no_lots_the_page_says_what_to_do(client: TestClient) -> None:
    assert "No lots are known yet" in client.get("/lots").text
    assert client.get("/lots/1").status_code == 404
    assert client.get("/api/v1/lots").json() == {"items": [], "next": None}
