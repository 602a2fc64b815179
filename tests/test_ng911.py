"""The NG9-1-1 package of a plat on squared paper: what goes out, what stops it, and what GDAL reads of it.

Main Street lies on y = 0 and Van Buren Street on x = 0. Alma Street (x = 440) has its 100 block from First (y = 330) to
Second (y = 660): 330 ft, unit 8, so its 42 units end with 193 on the west side and 192 on the east.

Each check is proved on a fixture of its own: a file of `tests/ng911` says how the good package is broken and which
checks must find it, and no other may.

Seen to fail, each by breaking the code once: the sides of `_of_row` never or always turned round; `_on_ground` without
`physical`; `cuts` left empty; the letter left off the suffix; provisional numbers left out of a draft, or let into what
is adopted; times of another zone, or of no log; texts without a width; `blocked` always False; an error that does not
stop it; the signature of other errors taken, or given; a tag without the log's head; a community not kept apart from
the street; each check of `nena_qa` and `nena_qa_places` left out.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pandas
import pyogrio
import pytest
import shapely
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from app.audit import CONSOLE
from app.cli import app as command_line
from app.exports.nena import package
from app.exports.nena_fields import BOUNDARY, POINTS, ROADS, Field, layers_of
from app.exports.nena_package import Package
from app.exports.nena_qa import checked
from app.exports.nena_report import checks
from app.exports.nena_roads import Segment, segments
from app.imports import Asked, bring_in, check
from app.lookup import Index
from app.main import create_app
from app.matching import find
from app.settings import REPOSITORY, Settings, read_settings
from app.village import LONLAT, Village
from gis.crs import from_working, to_working, working_crs
from gis.errors import StreetsError
from tests.plat import PLAT, village
from tests.prepared import Prepared
from tests.test_register import ADDRESSES, Office, office, plat_with_keys

__all__ = ["office"]

Json = dict[str, Any]
HERE = Path(__file__).parent / "ng911"
NG911 = (
    '[ng911]\nagency_id = "911.example.gov"\nesn = "123"\nmsag_community = "PLAT"\ncounty_id = "55065"\n'
    'postal_community = "Plat"\npostal_code = "53803"\n'
)
ADMIN = ("WI", "Lafayette", "Plat")
FEET = working_crs("EPSG:7608")
NOT_BROKEN = {"M01", "X01", "X02", "X03", "X04", "X05"}
"""M01 is not run. The others are proved by the numbers and settings that they tell of."""


@pytest.fixture(scope="module")
def county(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """A plat whose map is adopted: two numbers, a letter, a half of old, one with a way in, one retired."""
    folder = tmp_path_factory.mktemp("county")
    with plat_of(prepared, folder, NG911) as made:
        rows = "number,predir,street,x,y\n119 1/2,North,Alma Street,400,366\n"
        (folder / "old.csv").write_text(rows)
        asked = Asked("addresses", folder / "old.csv", "old.csv", crs="EPSG:7608")
        bring_in(made.atlas, CONSOLE, check(made.atlas, asked))
        assert made.adopt().status_code == 200
        made.west(17, doors=2, key="145")
        made.west(17, number=145, suffix="b", reason="upper flat", key="145b")
        made.west(18)
        main = made.assign(100, 40, "Main Street").json()
        way_in = {"access_lon": GATE[0], "access_lat": GATE[1], "access_note": "Gate on the alley."}
        seen = made.post(f"{ADDRESSES}/{main['id']}/correct", {**way_in, "placement": "Structure", "reason": "seen"})
        assert seen.status_code == 200, seen.text
        gone = made.west(30).json()
        made.post(f"{ADDRESSES}/{gone['id']}/retire", {"reason": "torn down"})
        yield made


@contextmanager
def plat_of(prepared: Prepared, folder: Path, more: str = "") -> Iterator[Office]:
    """An office of the plat on SQLite, with more settings of the village."""
    _, keys = prepared.file(folder / "state", plat_with_keys)
    (folder / "plat").mkdir()
    made = village(folder / "plat", PLAT)
    with (made / "settings.toml").open("a") as file:
        file.write(more)
    with TestClient(create_app(Settings(state_dir=folder / "state", data_dir=made))) as client:
        yield Office(client, keys)


def fetched(made: Office, folder: Path, profile: str = "v3") -> Path:
    """Get the package as the county does."""
    answer = made.get("/exports/ng911.gpkg", "dispatch", profile=profile)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/geopackage+sqlite3"
    out = folder / f"{profile}.gpkg"
    out.write_bytes(answer.content)
    return out


def read(path: Path, layer: str) -> list[Json]:
    """What GDAL reads of a layer: None where there is nothing."""
    table = pyogrio.read_dataframe(path, layer=layer)
    return [{k: None if _nothing(v) else v for k, v in row.items()} for row in table.to_dict("records")]


def _nothing(value: Any) -> bool:
    return bool(not isinstance(value, shapely.Geometry) and pandas.isna(value))


def lonlat(x: float, y: float) -> tuple[float, float]:
    lon, lat = from_working(LONLAT, FEET)(x, y)
    return float(lon), float(lat)


GATE = lonlat(100, 25)


def in_feet(shape: Any) -> list[tuple[float, float]]:
    x, y = to_working(LONLAT, FEET)(*shapely.get_coordinates(shape).T)
    return [(round(float(a), 0), round(float(b), 0)) for a, b in zip(x, y, strict=True)]


# --- the file ---


@pytest.mark.parametrize("profile", ["v3", "v2"])
def test_every_field_of_the_profile_is_there_in_order_with_its_type_and_width(
    county: Office, tmp_path: Path, profile: str
) -> None:
    path = fetched(county, tmp_path, profile)
    wanted = [tuple(line.split()[1:]) for line in (HERE / "fields.txt").read_text().splitlines() if profile in line]
    with closing(sqlite3.connect(path)) as file:
        found = [
            (layer, name, kind)
            for layer in (ROADS, POINTS, BOUNDARY)
            for _, name, kind, *_ in file.execute(f"PRAGMA table_info({layer})")
            if name not in {"fid", "geom"}
        ]
    assert found == wanted
    kinds = {"TEXT": "OFTString", "INTEGER": "OFTInteger64", "REAL": "OFTReal", "DATETIME": "OFTDateTime"}
    for layer, shape in ((ROADS, "LineString"), (POINTS, "Point"), (BOUNDARY, "Polygon")):
        info = pyogrio.read_info(path, layer=layer)
        assert (info["crs"], info["geometry_type"]) == ("EPSG:4326", shape)
        assert info["ogr_types"] == [kinds[kind.partition("(")[0]] for name, _, kind in wanted if name == layer]


def register(made: Office) -> list[Json]:
    """The official numbers as the register's own file holds them."""
    with closing(sqlite3.connect(made.database.file)) as file:
        file.row_factory = sqlite3.Row
        rows = file.execute(
            "SELECT a.*, l.lon, l.lat, l.placement, (SELECT max(at) FROM audit WHERE (kind = 'addresses' AND subject ="
            " CAST(a.id AS TEXT)) OR (kind = 'locations' AND subject = CAST(l.id AS TEXT))) AS changed"
            " FROM addresses a JOIN locations l ON l.id = a.location_id WHERE status = 'official'"
        )
        return [dict(row) for row in rows]


@pytest.mark.parametrize("profile", ["v3", "v2"])
def test_gdal_reads_the_register_row_for_row(county: Office, tmp_path: Path, profile: str) -> None:
    path, rows = fetched(county, tmp_path, profile), register(county)
    found = {row["NGUID"]: row for row in read(path, POINTS)}
    assert sorted(row["full"] for row in rows) == [
        *("119 1/2 North Alma Street", "145 North Alma Street", "145B North Alma Street"),
        *("147 North Alma Street", "30 East Main Street"),
    ]
    community = ("A1", "A2", "A3") if profile == "v3" else ("State", "County", "Inc_Muni")
    for row in rows:
        own = found.pop(f"urn:emergency:uid:gis:SSAP:{row['id']}:911.example.gov")
        wanted = {
            **{"DiscrpAgID": "911.example.gov", "Country": "US", **dict(zip(community, ADMIN, strict=True))},
            **{"Add_Number": row["number"], "AddNum_Suf": (row["fraction"] + row["suffix"]) or None},
            **{"St_PreDir": row["pre_directional"], "St_Name": row["street_name"]},
            **{"St_PosTyp": row["street_post_type"], "ESN": "123", "MSAGComm": "PLAT", "Placement": row["placement"]},
            **{"Post_Comm": "Plat", "Post_Code": "53803", "Longitude": round(row["lon"], 7)},
            **{"Latitude": round(row["lat"], 7)},
        }
        if profile == "v3":
            wanted |= {"AddNum_Cmp": row["full"].split(" North ")[0].split(" East ")[0], "LCountyID": "55065"}
        told = {name: value for name, value in own.items() if value is not None}
        assert told.pop("geometry").coords[0] == (wanted["Longitude"], wanted["Latitude"])
        changed = datetime.fromisoformat(row["changed"])
        at = told.pop("DateUpdate")
        assert at.utcoffset().total_seconds() == 0
        assert abs((at - changed).total_seconds()) < 0.001
        del told["NGUID"]
        note = told.pop("Addtl_Loc", "")
        assert note == (f"Access at {GATE[1]:.6f}, {GATE[0]:.6f}. Gate on the alley" if row["number"] == 30 else "")
        assert told == {name: value for name, value in wanted.items() if value is not None}
    assert found == {}


def test_a_block_is_a_segment_with_both_its_sides(county: Office, tmp_path: Path) -> None:
    found = {row["NGUID"].split(":")[5]: row for row in read(fetched(county, tmp_path), ROADS)}
    assert len(found) == 35  # every block of the plat is on the ground: counted on squared paper
    alma = found["North-Alma-Street-100"]
    assert in_feet(alma["geometry"]) == [(440, 330), (440, 660)]
    ranges = [alma[f"{end}_{side}"] for side in "LR" for end in ("FromAddr", "ToAddr", "Parity")]
    assert ranges == [111, 193, "O", 110, 192, "E"]  # northward, west is left: § 288-15 E has its numbers odd
    assert [alma[name] for name in ("St_PreDir", "St_Name", "St_PosTyp", "Valid_L")] == ["North", "Alma", "Street", "N"]
    # southward the west is right; eastward the north, which is even, is left
    south, east = found["South-Alma-Street-0"], found["East-Main-Street-0"]
    assert in_feet(south["geometry"]) == [(440, 0), (440, -660)]
    assert [south["Parity_L"], south["Parity_R"]] == ["E", "O"]
    assert [east["FromAddr_L"], east["ToAddr_L"], east["ToAddr_R"]] == [10, 96, 97]
    # 440 ft at 10 ft: 44 units; the last even number is 10 + 2 * 43
    assert {row["DateUpdate"].utcoffset().total_seconds() for row in found.values()} == {0.0}


def test_the_boundary_is_the_village_s_hull_grown_by_its_edge(county: Office, tmp_path: Path) -> None:
    (row,) = read(fetched(county, tmp_path), BOUNDARY)
    assert row["NGUID"] == "urn:emergency:uid:gis:Provisioning:1:911.example.gov"
    x, y = np.array(in_feet(row["geometry"])).T
    assert (x.min(), x.max(), y.min(), y.max()) == (-2660, 2660, -2660, 2660)


def test_an_alley_and_a_gap_cut_a_block_and_its_numbers_between_them(tmp_path: Path) -> None:
    made = village(tmp_path, {**PLAT, "Back Alley": [(440, 165), (800, 165)]})
    text = json.loads((made / "streets.geojson").read_text())
    for feature in text["features"]:
        if feature["properties"]["name"] == "Back Alley":
            feature["properties"]["kind"] = "alley"
    (alma,) = (f for f in text["features"] if f["properties"]["name"] == "Alma Street")
    gone = {**alma, "geometry": {"type": "LineString", "coordinates": [(440, 780), (440, 1500)]}}
    alma["geometry"]["coordinates"] = [(440, -700), (440, 740)]
    text["features"].append(gone)
    (made / "streets.geojson").write_text(json.dumps(text))
    found = {one.local: one for one in segments(Village.load(made, date(2026, 7, 1)))}
    # units of 8 ft: the 21st begins at 160 ft with 51, the 22nd at 168 ft with 53
    assert ranges(found, "North-Alma-Street-0") == ((11, 51), (10, 50), (0, 165))
    assert ranges(found, "North-Alma-Street-0-2") == ((53, 93), (52, 92), (165, 330))
    # past Second Avenue 660 ft at 15 ft; the 8th unit begins at 765 ft, in the gap, the 9th at 780 ft where it goes on
    assert ranges(found, "North-Alma-Street-200") == ((211, 225), (210, 224), (660, 740))
    assert ranges(found, "North-Alma-Street-200-2") == ((227, 297), (226, 296), (780, 1320))
    assert found["East-Back-Alley-100"].road_class == "Alley"


def ranges(found: dict[str, Segment], name: str) -> tuple[Any, ...]:
    one = found[name]
    return one.left, one.right, (round(one.line.coords[0][1]), round(one.line.coords[-1][1]))


# --- what validate says of it ---


def test_every_official_number_is_fully_valid(county: Office, tmp_path: Path) -> None:
    for profile in ("v3", "v2"):
        for row in read(fetched(county, tmp_path, profile), POINTS):
            names = ("Add_Number", "AddNum_Suf", "St_PreDir", "St_Name", "St_PosTyp", "Post_Comm")
            parts = {name: row[name] for name in names if row[name] is not None}
            parts["A1"] = row["A1" if profile == "v3" else "State"]
            told = county.get("/api/v1/911/validate", "dispatch", **parts).json()
            assert told["match"] == "official", told
            assert set(told["elements"].values()) == {"valid"}
            assert set(told["elements"]) == set(parts)


def test_a_number_of_a_range_without_a_point_is_a_range_and_never_official(county: Office, tmp_path: Path) -> None:
    path = fetched(county, tmp_path)
    points = {(row["St_PreDir"], row["St_Name"], row["Add_Number"]) for row in read(path, POINTS)}
    watch = county.client.app.state.watch  # type: ignore[attr-defined]
    told = Counter(
        find(watch.index, watch.village, f"{number} {row['St_PreDir']} {row['St_Name']} {row['St_PosTyp']}").match
        for row in read(path, ROADS)
        for side in "LR"
        for number in range(row[f"FromAddr_{side}"], row[f"ToAddr_{side}"] + 1, 2)
        if (row["St_PreDir"], row["St_Name"], number) not in points
    )
    assert set(told) == {"range", "retired"}
    assert told["range"] > 2500
    assert told["retired"] == 1  # 171, which is told as such and is not official either


def test_every_number_of_the_ranges_of_benton_s_draft_is_a_range(tmp_path: Path) -> None:
    benton = Village.load(REPOSITORY / "data" / "streets", date(2026, 7, 1))
    index = Index()
    matches = {
        find(index, benton, f"{number} {one.row.side} {one.row.street}").match
        for one in segments(benton)
        for low, high in (one.left, one.right)
        for number in range(low, high + 1, 2)
    }
    assert matches == {"range"}


# --- the checks ---


def good(made: Office, profile: str = "v3") -> Package:
    with made.database.read() as connection:
        return package(connection, made.atlas.now(connection), profile)


def test_the_plat_passes_and_what_is_noticed_is_told(county: Office) -> None:
    for profile in ("v3", "v2"):
        told = county.get("/api/v1/exports/ng911/report", "dispatch", profile=profile).json()
        assert (told["errors"], told["blocked"], told["provisional"], told["unset"]) == (0, False, None, [])
        assert {item["check"] for item in told["items"]} == {"X01", "A09"}
        half, base = sorted(told["items"], key=lambda item: item["check"], reverse=True)
        assert "119 North Alma Street, Unit 1/2" in half["message"]
        assert base["message"] == "145 is an address, and so is 145 with B."
        assert {c["id"]: c["not_run"] for c in told["checks"] if c["not_run"]} == {
            "M01": "The county's MSAG and ALI records are not at hand."
        }


def test_the_report_travels_with_the_package(county: Office, tmp_path: Path) -> None:
    path = fetched(county, tmp_path)
    assert [row["check"] for row in read(path, "QA_Report")] == ["A09", "X01"]
    about = {row["name"]: row["value"] for row in read(path, "Package")}
    assert (about["standard"], about["provisional"], about["errors"]) == ("NENA-STA-006.3", "no", "0")
    assert "adopted by the Village Board" in about["map"]


@pytest.fixture(scope="module")
def unbroken(county: Office) -> dict[str, Counter[str]]:
    return {name: Counter(item.check for item in checked(good(county, name)).items) for name in ("v3", "v2")}


def broken() -> list[Path]:
    return sorted(HERE.glob("*.json"))


def test_each_check_that_runs_has_a_fixture_of_its_own() -> None:
    assert {path.stem.partition("-")[0] for path in broken()} == set(checks()) - NOT_BROKEN


@pytest.mark.parametrize("profile", ["v3", "v2"])
@pytest.mark.parametrize("path", broken(), ids=[path.stem for path in broken()])
def test_a_broken_package_is_found_out_by_its_check_alone(
    county: Office, unbroken: dict[str, Counter[str]], path: Path, profile: str
) -> None:
    fixture = json.loads(path.read_text())
    before = unbroken[profile]
    made = good(county, profile)
    for done in fixture["breaks"]:
        break_it(made, **done)
    found = checked(made)
    after = Counter(item.check for item in found.items)
    assert set(after - before) == set(fixture["finds"]), [item for item in found.items if item.check in after - before]
    severe = {item.check for item in found.errors}
    assert severe == {name for name in fixture["finds"] if checks()[name].severity == "error"}


def break_it(made: Package, do: str, layer: str, of: str = "", **how: Any) -> None:
    if do == "without layer":
        del made.layers[layer]
        return
    target = made.layers[layer]
    if do == "crs":
        target.crs = how["crs"]
    elif do == "without field":
        target.fields = tuple(field for field in target.fields if field.name != how["field"])
    elif do == "declare":
        one = Field(how["field"], "Yes", how["type"], how["width"])
        target.fields = tuple(one if field.name == one.name else field for field in target.fields)
    elif do == "set":
        column = list(target.values(how["field"]))
        column[named(made, layer, of)] = how["value"]
        target.columns[how["field"]] = column
    elif do == "shape":
        shapes = target.shapes.copy()
        shapes[named(made, layer, of)] = shapely.transform(shapely.from_wkt(how["feet"]), degrees)
        target.shapes = shapes
    elif do == "copy":
        copy(made, layer, named(made, layer, of), how["as"], how["fields"])


def named(made: Package, layer: str, of: str) -> int:
    target = made.layers[layer]
    if layer == POINTS:
        parts = ("Add_Number", "AddNum_Suf", "St_PreDir", "St_Name", "St_PosTyp")
        texts = [
            f"{number}{suffix or ''} {' '.join(rest)}"
            for number, suffix, *rest in zip(*map(target.values, parts), strict=True)
        ]
        return texts.index(of)
    return [own.split(":")[5] for own in target.ids()].index(of)


def degrees(places: Any) -> Any:
    return np.stack(from_working(LONLAT, FEET)(places[:, 0], places[:, 1]), axis=1)


def copy(made: Package, layer: str, k: int, local: str, fields: Json) -> None:
    target = made.layers[layer]
    own = target.ids()[k].split(":")
    changed = {**fields, "NGUID": ":".join([*own[:5], local, own[6]])}
    for name in {*target.columns, *changed}:
        column = list(target.values(name))
        target.columns[name] = [*column, changed.get(name, column[k])]
    target.shapes = np.append(target.shapes, target.shapes[k])


def test_all_values_keep_their_domains(county: Office) -> None:
    """The domains as they stand, each value held against them once more."""
    for profile in ("v3", "v2"):
        for layer in good(county, profile).layers.values():
            for field in layers_of(profile)[layer.name]:
                allowed = field.allowed
                values = {value for value in layer.values(field.name) if value is not None}
                assert allowed is None or all(allowed.holds(value) for value in values), (field.name, values)


def test_the_file_declares_what_each_field_may_hold(county: Office, tmp_path: Path) -> None:
    asked = (
        "SELECT k.* FROM gpkg_data_columns c JOIN gpkg_data_column_constraints k USING (constraint_name)"
        " WHERE c.table_name = ? AND c.column_name = ?"
    )
    with closing(sqlite3.connect(fetched(county, tmp_path))) as file:
        parity = file.execute(asked, (ROADS, "Parity_L")).fetchall()
        (number,) = file.execute(asked, (POINTS, "Add_Number")).fetchall()
    assert sorted(row[2] for row in parity) == ["B", "E", "O", "Z"]
    assert (number[1], number[3], number[5]) == ("range", 0, 999999)


# --- a draft map ---


def test_on_a_fresh_start_both_profiles_answer_and_errors_only_travel(tmp_path: Path) -> None:
    with TestClient(create_app(Settings(state_dir=tmp_path / "state"))) as client:
        made = Office(client)
        for profile in ("v3", "v2"):
            path = fetched(made, tmp_path, profile)
            assert len(read(path, ROADS)) > 100
            assert len(pyogrio.read_dataframe(path, layer=POINTS)) == 0
            report = read(path, "QA_Report")
            assert {row["check"] for row in report if row["severity"] == "error"} == {"T03", "T06"}
            about = {row["name"]: row["value"] for row in read(path, "Package")}
            assert about["provisional"] == "yes"
            assert "unset ng911.agency_id" in about
        told = made.get("/api/v1/exports/ng911/report", "dispatch").json()
        assert [one["setting"] for one in told["unset"]] == [
            f"ng911.{name}"
            for name in ("agency_id", "esn", "msag_community", "county_id", "postal_community", "postal_code")
        ]
        assert (told["blocked"], told["errors"] > 0) == (False, True)


def test_a_provisional_number_of_a_draft_goes_out_and_says_so(prepared: Prepared, tmp_path: Path) -> None:
    with plat_of(prepared, tmp_path, NG911) as made:
        made.west(17)
        (row,) = read(fetched(made, tmp_path), POINTS)
        assert row["Addtl_Loc"] == "Provisional number of a draft map"
        (note,) = (item for item in read(tmp_path / "v3.gpkg", "QA_Report") if item["check"] == "X03")
        assert note["message"].startswith("145 North Alma Street is provisional")


def test_under_an_adopted_map_what_is_not_official_stays_and_a_long_note_is_cut(
    prepared: Prepared, tmp_path: Path
) -> None:
    with plat_of(prepared, tmp_path, NG911) as made:
        chosen = made.west(17, number=151, reason="asked for").json()  # not the computed one: adoption leaves it so
        made.adopt()
        other = made.west(25).json()
        made.post(f"{ADDRESSES}/{other['id']}/correct", {"access_note": "left " * 60, "reason": "told"})
        row = made.get(f"{ADDRESSES}/{chosen['id']}").json()
        found = {item["check"] for item in made.get("/api/v1/exports/ng911/report", "dispatch").json()["items"]}
        notes = read(fetched(made, tmp_path), POINTS)
    left_out = row["status"] != "official"
    assert found == {"X05", *({"X04"} if left_out else ())}
    assert len(notes) == (1 if left_out else 2)
    assert max(len(one["Addtl_Loc"] or "") for one in notes) == 224  # 45 times five letters, without the last space


# --- errors and the officer's signature ---


def test_an_error_stops_the_export_until_an_officer_signs_exactly_it(office: Office, tmp_path: Path) -> None:
    office.west(17)
    office.adopt()
    stopped = office.get("/exports/ng911.gpkg", "dispatch")
    told = stopped.json()
    assert (stopped.status_code, told["code"]) == (409, "NG911_ERRORS")
    assert stopped.headers["content-type"] == "application/problem+json"
    assert {error["field"] for error in told["errors"]} == {"T03", "T06"}  # the agency is not set
    path, body = "/api/v1/exports/ng911/signature", {"digest": told["digest"], "reason": "the county sets it"}
    assert office.post(path, body, "dispatch").status_code == 403
    assert office.post(path, {**body, "reason": " "}, "clerk").json()["errors"][0]["field"] == "reason"
    assert office.post(path, {**body, "digest": "0" * 64}, "clerk").json()["errors"][0]["field"] == "digest"
    assert office.get("/exports/ng911.gpkg", "dispatch").status_code == 409
    signed = office.post(path, body, "clerk")
    assert (signed.status_code, signed.json()["by"], signed.json()["reason"]) == (201, "the clerk", body["reason"])
    about = {row["name"]: row["value"] for row in read(fetched(office, tmp_path), "Package")}
    assert (about["signature by"], about["errors_digest"]) == ("the clerk", told["digest"])
    office.west(18)  # a number more is no other error
    assert office.get("/exports/ng911.gpkg", "dispatch").status_code == 200
    assert office.get("/exports/ng911.gpkg", "dispatch", profile="v2").status_code == 409  # another package
    entry = office.get("/api/v1/audit", "clerk").json()["items"]
    assert [one["reason"] for one in entry if one["what"] == "sign export"] == ["the county sets it"]
    assert office.chain_is_whole()


def test_another_error_needs_another_signature(prepared: Prepared, tmp_path: Path) -> None:
    with plat_of(prepared, tmp_path) as made:
        made.adopt()
        path, report = "/api/v1/exports/ng911/signature", "/api/v1/exports/ng911/report"
        digest = made.get(report, "dispatch").json()["digest"]
        assert made.post(path, {"digest": digest, "reason": "known"}, "director").status_code == 201
        assert made.get("/exports/ng911.gpkg", "dispatch").status_code == 200
        # 30 East Main Street given where its 100 block is: the nearest segment does not have it (A04)
        assert made.assign(700, 40, "Main Street", number=30, reason="its old number").status_code == 201
        assert made.get("/exports/ng911.gpkg", "dispatch").status_code == 409
        assert made.get(report, "dispatch").json()["signature"] is None


def test_a_package_without_an_error_cannot_be_signed(county: Office) -> None:
    answer = county.post("/api/v1/exports/ng911/signature", {"digest": "", "reason": "to be sure"}, "clerk")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "digest")


# --- asking for it ---


def test_who_may_have_it_and_what_is_refused(county: Office) -> None:
    nobody = county.client.get("/exports/ng911.gpkg", follow_redirects=False)
    assert (nobody.status_code, nobody.headers["www-authenticate"]) == (401, "Bearer")
    assert county.get("/exports/ng911.gpkg", "police").status_code == 403
    assert county.get("/exports/ng911.gpkg", "dispatch", profile="v1").json()["errors"][0]["field"] == "profile"
    assert county.get("/exports/ng911.gpkg", "dispatch", layer="roads").json()["errors"][0]["field"] == "layer"


def test_the_same_state_is_not_sent_twice_and_another_is(prepared: Prepared, tmp_path: Path) -> None:
    with plat_of(prepared, tmp_path, NG911) as made:
        first = made.get("/exports/ng911.gpkg", "dispatch")
        headers = {"Authorization": f"Bearer {made.keys['dispatch']}", "If-None-Match": first.headers["etag"]}
        again = made.client.get("/exports/ng911.gpkg", headers=headers)
        assert (again.status_code, again.content) == (304, b"")
        assert made.client.get("/exports/ng911.gpkg", headers=headers, params={"profile": "v2"}).status_code == 200
        made.west(17)
        later = made.client.get("/exports/ng911.gpkg", headers=headers)
        assert (later.status_code, later.headers["etag"] != first.headers["etag"]) == (200, True)
        kept = tmp_path / "state" / "exports"
        assert sorted(path.suffix for path in kept.iterdir()) == [".gpkg"] * 3


def test_packages_of_states_before_go_after_an_hour(prepared: Prepared, tmp_path: Path) -> None:
    with plat_of(prepared, tmp_path, NG911) as made:
        made.get("/exports/ng911.gpkg", "dispatch")
        kept = tmp_path / "state" / "exports"
        (killed := kept / ".ng911-v3-0.gpkg-0").mkdir()
        (killed / "ng911.gpkg").write_bytes(b"half")
        for path in kept.iterdir():
            os.utime(path, (0, 0))
        made.west(17)
        made.get("/exports/ng911.gpkg", "dispatch")
        assert len(list(kept.iterdir())) == 1


def test_the_command_line_writes_it_whole_or_leaves_what_was_there(
    county: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, data = county.database.file.parent, county.atlas.directory
    monkeypatch.setenv("BENTON_STATE_DIR", str(state))
    monkeypatch.setenv("BENTON_DATA_DIR", str(data))
    out, report = tmp_path / "county.gpkg", tmp_path / "report.json"
    asked = ["export", "ng911", "--profile", "v2", "--out", str(out), "--report", str(report)]
    done = CliRunner().invoke(command_line, asked)
    assert done.exit_code == 0, done.output
    assert "35 RoadCenterLine, 5 SiteStructureAddressPoint, 1 ProvisioningPolygon; 0 errors, 2 notices" in done.output
    assert len(geopandas.read_file(out, layer=POINTS)) == 5
    assert json.loads(report.read_text())["total"] == 2
    before = out.read_bytes()
    (tmp_path / "plat").mkdir()
    shutil.copytree(data, tmp_path / "plat", dirs_exist_ok=True)
    plain = (data / "settings.toml").read_text().replace('"911.example.gov"', '""')
    (tmp_path / "plat" / "settings.toml").write_text(plain)
    monkeypatch.setenv("BENTON_DATA_DIR", str(tmp_path / "plat"))
    stopped = CliRunner().invoke(command_line, asked)
    assert isinstance(stopped.exception, StreetsError)
    assert out.read_bytes() == before
    assert json.loads(report.read_text())["blocked"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["county.gpkg", "plat", "report.json"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('agency_id = "Benton"', "a domain name"),
        ('esn = "12"', "three to five digits"),
        ('msag_community = "a name that is longer than thirty"', "at most 30 characters"),
        ("postal_code = 53803", "five digits"),
        ('ali = "x"', "no such setting"),
    ],
)
def test_a_setting_of_the_village_that_cannot_be_is_named(tmp_path: Path, line: str, expected: str) -> None:
    made = village(tmp_path, PLAT)
    with (made / "settings.toml").open("a") as file:
        file.write(f"[ng911]\n{line}\n")
    with pytest.raises(StreetsError, match=expected) as caught:
        read_settings(made)
    assert [fault.field for fault in caught.value.faults] == [f"ng911.{line.split(maxsplit=1)[0]}"]


def test_times_are_utc(county: Office) -> None:
    """Whatever the zone of the machine: what is told is the instant itself."""
    made = good(county)
    assert {value.tzinfo for layer in made.layers.values() for value in layer.values("DateUpdate")} == {UTC}
