"""Existing addresses, lots, buildings and streets brought in on a plat on squared paper, on both databases.

Main Street lies on y = 0 and Van Buren Street on x = 0. Alma Street (x = 440) has its 100 block from First (y = 330) to
Second (y = 660), unit 8: the west side's k-th unit is 111 + 2k and begins at y = 330 + 8k; y = 471 is in that of 145.

Seen to fail, each by breaking the code once: `_once` keeping every row (twice in one file); `_free` without its
distance (held elsewhere); `bring_in` storing before `raise_any`; `_geojson` opening by the bare path (what names
other files); `existed` False (an adoption made an old number conforming); `recheck` left out (taken meanwhile).
"""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pytest
from shapely import LineString, MultiPolygon, Point, Polygon, box

from app import acts, adoption, changes, map_versions, registers
from app.audit import CONSOLE
from app.auth import Person, Role
from app.considered import Wanted
from app.db import Database
from app.import_columns import guess
from app.import_files import read_file
from app.import_report import CancelledError, ImportFaultsError
from app.import_tables import FileError
from app.import_undo import undo_import
from app.imports import Asked, Checked, bring_in, check, run
from app.law import today
from app.map_versions import Atlas
from app.registers import DependsError
from app.settings import Settings
from app.tables import addresses, buildings, imports, lots, maps
from app.verify import verify
from gis.errors import StreetsError
from tests.people import state
from tests.plat import PLAT, village

CRS = "EPSG:7608"
CLERK = Person("Carla Clerk", "user:1", frozenset({Role.CLERK}))
ROWS = [
    {"HOUSENO": "145", "PREDIR": "N", "ST_NAME": "Alma St", "X": "400", "Y": "471"},
    {"HOUSENO": "30", "PREDIR": "East", "ST_NAME": "MAIN STREET", "X": "100", "Y": "40"},
]


@pytest.fixture
def atlas(database: Database, tmp_path: Path) -> Atlas:
    (tmp_path / "plat").mkdir()
    made = Atlas(database, village(tmp_path / "plat", PLAT))
    made.ensure()
    return made


@pytest.fixture
def plat(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Atlas]:
    """The plat on SQLite alone, for what no database decides."""
    (tmp_path / "state").mkdir()
    (tmp_path / "plat").mkdir()
    (tmp_path / "state" / "register.db").write_bytes(migrated_sqlite.read_bytes())
    database = Database(f"sqlite:///{tmp_path / 'state' / 'register.db'}", tmp_path / "state")
    made = Atlas(database, village(tmp_path / "plat", PLAT))
    made.ensure()
    yield made
    database.close()


def table(folder: Path, rows: list[dict[str, str]], name: str = "file.csv", encoding: str = "utf-8") -> Path:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    (folder / name).write_bytes(text.getvalue().encode(encoding))
    return folder / name


def asked(path: Path, kind: str = "addresses", crs: str = CRS, **more: Any) -> Asked:
    return Asked(kind, path, path.name, crs=crs, **more)


def looked(atlas: Atlas, path: Path, kind: str = "addresses", crs: str = CRS, **more: Any) -> Checked:
    return check(atlas, asked(path, kind, crs, **more))


def brought(atlas: Atlas, path: Path, kind: str = "addresses", crs: str = CRS, **more: Any) -> dict[str, Any]:
    return bring_in(atlas, CONSOLE, looked(atlas, path, kind, crs, **more))


def faults(checked: Checked) -> list[tuple[int, str]]:
    return [(row, fault.field) for row, fault in checked.report.ordered(checked.report.faults)]


def row(
    number: str, street: str = "Alma Street", half: str = "North", x: float = 400, y: float = 471
) -> dict[str, str]:
    return {"number": number, "predir": half, "street": street, "x": str(x), "y": str(y)}


def held(atlas: Atlas) -> list[str]:
    with atlas.database.read() as connection:
        return [a["full"] for a in registers.rows(connection, addresses, registers.IS_ACTIVE)]


# --- addresses ---


def test_existing_numbers_are_official_at_once_and_say_where_they_are_from(atlas: Atlas, tmp_path: Path) -> None:
    made = brought(atlas, table(tmp_path, [*ROWS, {**ROWS[0], "HOUSENO": "147", "Y": "340"}], "office list.csv"))
    with atlas.database.read() as connection:
        conforming, _, other = registers.located_many(connection, order=[addresses.c.id])
        why = registers.explanation(connection, conforming["explanation"])
        assert list(verify(connection)) == []
    # 340 is 10 ft into the block: 10 / 8 is its second unit, 113
    assert [(a["number"], a["computed_number"], a["conforms"]) for a in (conforming, other)] == [
        (145, 145, True),
        (147, 113, False),
    ]
    assert {a["status"] for a in (conforming, other)} == {"official"}
    assert (conforming["full"], conforming["usps"]) == ("145 North Alma Street", "145 N ALMA ST")
    assert conforming["location_placement"] == "Unknown"
    assert "office list.csv" in why["steps"][0]["text"]
    assert conforming["findings"][0]["code"] == "EXISTING_NUMBER"
    assert (made["report"]["stored"], made["report"]["not_conforming"]) == (3, 1)


def test_an_adoption_does_not_make_an_old_number_conform(atlas: Atlas, tmp_path: Path) -> None:
    brought(atlas, table(tmp_path, [row("147", y=340)]))
    with atlas.database.write() as connection:
        told = adoption.adopt(atlas, connection, CONSOLE, 1, today(), "Resolution 1")
    assert [a["address"] for a in told["differ"]] == ["147 North Alma Street"]
    with atlas.database.read() as connection:
        assert not registers.rows(connection, addresses)[0]["conforms"]


def test_a_dry_run_stores_nothing_and_shows_columns_samples_and_counts(atlas: Atlas, tmp_path: Path) -> None:
    before = state(atlas.database)
    checked, stored = run(atlas, CONSOLE, asked(table(tmp_path, ROWS)), dry_run=True)
    told = checked.json()
    assert stored is None
    assert state(atlas.database) == before
    assert told["mapping"] == {
        "HOUSENO": "number",
        "PREDIR": "pre_directional",
        "ST_NAME": "street",
        "X": "x",
        "Y": "y",
    }
    assert told["samples"][0] == ROWS[0]
    assert (told["storable"], told["stored"], told["rows"], told["can_be_stored"]) == (2, 0, 2, True)


def test_any_fault_and_nothing_is_stored(atlas: Atlas, tmp_path: Path) -> None:
    before = state(atlas.database)
    checked = looked(atlas, table(tmp_path, [row("145"), row("12", "Elm Street"), row("none"), row("147", y=9e5)]))
    assert faults(checked) == [(2, "street"), (3, "address number"), (4, "position")]
    with pytest.raises(ImportFaultsError, match="3 faults"):
        bring_in(atlas, CONSOLE, checked)
    assert state(atlas.database) == before
    cells = list(csv.DictReader(io.StringIO(checked.report.csv().lstrip("\ufeff"))))
    assert [(c["row"], c["line"], c["kind"]) for c in cells] == [
        ("2", "3", "fault"),
        ("3", "4", "fault"),
        ("4", "5", "fault"),
    ]


def test_the_same_address_twice_in_one_file_is_refused_naming_both_rows(atlas: Atlas, tmp_path: Path) -> None:
    checked = looked(
        atlas, table(tmp_path, [row("119 1/2"), row("30", "Main Street", "East", 100, 40), row("119½", "ALMA ST")])
    )
    (place, fault) = checked.report.faults[0]
    assert place == 3
    assert "row 1" in fault.found
    assert "row 3" in fault.found
    assert held(atlas) == []


def test_a_number_held_elsewhere_is_a_fault_and_one_held_there_is_skipped(atlas: Atlas, tmp_path: Path) -> None:
    brought(atlas, table(tmp_path, [row("145"), row("147", y=480)]))
    # half a foot off is the same entrance, a tenth more is another
    same = looked(atlas, table(tmp_path, [row("145", x=400.5), row("149", y=484)]))
    assert (same.json()["storable"], same.json()["skipped"], faults(same)) == (1, 1, [])
    other = looked(atlas, table(tmp_path, [row("145", x=400.6)]))
    assert faults(other) == [(1, "address")]
    assert "held by address 1" in other.report.faults[0][1].found


@pytest.mark.parametrize(
    ("number", "full"),
    [
        ("119 1/2", "119 1/2 North Alma Street"),
        ("119½", "119 1/2 North Alma Street"),
        ("119.5", "119 1/2 North Alma Street"),
        ("119-1/2", "119 1/2 North Alma Street"),
        ("119.0", "119 North Alma Street"),
        ("119A", "119A North Alma Street"),
        ("0119", "119 North Alma Street"),
    ],
)
def test_a_number_however_it_is_written(plat: Atlas, tmp_path: Path, number: str, full: str) -> None:
    brought(plat, table(tmp_path, [row(number)]))
    assert held(plat) == [full]


def test_parts_of_a_number_in_columns_of_their_own(plat: Atlas, tmp_path: Path) -> None:
    parts = {"AddNum_Suf": "", "St_PosTyp": "St", "UnitType": "", "Unit": "", "St_Name": "Alma", "Y": "471", "X": "400"}
    rows = [
        {**parts, "Add_Number": "145", "AddNum_Suf": "1/2"},
        {**parts, "Add_Number": "147", "AddNum_Suf": "b"},
        {**parts, "Add_Number": "149", "Unit": "2"},
        {**parts, "Add_Number": "151", "UnitType": "Apt", "Unit": "3"},
    ]
    brought(plat, table(tmp_path, [{"St_PreDir": "N", **r} for r in rows]))
    assert sorted(held(plat)) == [
        "145 1/2 North Alma Street",
        "147B North Alma Street",
        "149 North Alma Street #2",
        "151 North Alma Street Apartment 3",
    ]


def test_a_missing_direction_is_taken_from_a_place_that_lies_clearly_in_one_half(plat: Atlas, tmp_path: Path) -> None:
    """50 ft from the base line is clear, 49.9 is not."""
    checked = looked(plat, table(tmp_path, [row("13", half="", y=50), row("15", half="", y=49.9)]))
    assert faults(checked) == [(2, "direction")]
    assert [(at, w.found) for at, w in checked.report.warnings] == [(1, "nothing")]
    brought(plat, table(tmp_path, [row("13", half="", y=-50)]))
    assert held(plat) == ["13 South Alma Street"]


def test_a_direction_that_the_street_has_not_is_a_fault(plat: Atlas, tmp_path: Path) -> None:
    checked = looked(plat, table(tmp_path, [row("145", half="East")]))
    assert "North or South" in checked.report.faults[0][1].expected


def test_an_address_without_a_place_is_a_fault(plat: Atlas, tmp_path: Path) -> None:
    checked = looked(plat, table(tmp_path, [{**row("145"), "x": ""}, {**row("147"), "y": "nan"}]))
    assert faults(checked) == [(1, "x"), (2, "y")]


def test_an_old_name_of_a_street_is_read_as_its_present_one(plat: Atlas, tmp_path: Path) -> None:
    from app import naming

    with plat.database.write() as connection:
        naming.rename(plat, connection, CONSOLE, "Alma Street", "Orchard Lane", today(), "Ordinance 1", "asked for")
    brought(plat, table(tmp_path, [row("145")]))
    assert held(plat) == ["145 North Orchard Lane"]


def test_a_number_assigned_while_the_file_was_checked_is_not_given_twice(atlas: Atlas, tmp_path: Path) -> None:
    checked = looked(atlas, table(tmp_path, [row("145"), row("30", "Main Street", "East", 100, 40)]))
    acts.assign(atlas, CONSOLE, Wanted(401, 470, CRS, "Alma Street"))
    with pytest.raises(ImportFaultsError, match="held by address 1"):
        bring_in(atlas, CONSOLE, checked)
    assert held(atlas) == ["145 North Alma Street"]


def test_a_cancelled_import_leaves_nothing(atlas: Atlas, tmp_path: Path) -> None:
    before = state(atlas.database)

    def stop(doing: str, done: int, total: int) -> None:
        if doing == "storing" and done == total:
            raise CancelledError("cancelled")

    with pytest.raises(CancelledError):
        bring_in(atlas, CONSOLE, looked(atlas, table(tmp_path, ROWS)), stop)
    assert state(atlas.database) == before


def test_the_next_number_after_an_import_is_assigned_as_ever(atlas: Atlas, tmp_path: Path) -> None:
    """The keys that an import gives itself are not given again."""
    brought(atlas, table(tmp_path, ROWS))
    made = acts.assign(atlas, CONSOLE, Wanted(400, 500, CRS, "Alma Street")).content
    assert made["id"] == 3
    brought(atlas, table(tmp_path, [row("111", y=331)]))
    with atlas.database.read() as connection:
        assert list(verify(connection)) == []


# --- columns and the CRS ---


@pytest.mark.parametrize(
    ("columns", "fields"),
    [
        (["ADDNUM", "FULLNAME", "LON", "LAT"], ["number", "street", "x", "y"]),
        (["addr:housenumber", "addr:street", "addr:unit"], ["number", "street", "unit"]),
        (["Site Address", "Longitude", "Latitude"], ["address", "x", "y"]),
        (["Add_Number", "AddNum_Suf", "St_PreDir", "St_Name", "St_PosTyp"],
         ["number", "suffix", "pre_directional", "street", "street_post_type"]),
    ],
)  # fmt: skip
def test_columns_are_guessed_by_the_names_people_use(columns: list[str], fields: list[str]) -> None:
    assert list(guess("addresses", [*columns, "OWNER"]).values()) == fields


def test_a_mapping_is_remembered_for_the_same_columns(atlas: Atlas, tmp_path: Path) -> None:
    rows = [{"Nr": "145", "Way": "North Alma Street", "E": "400", "N": "471"}]
    given = {"Nr": "number", "way": "street", "E": "x", "N": "y"}
    assert looked(atlas, table(tmp_path, rows)).report.counts["faults"]
    brought(atlas, table(tmp_path, rows), mapping=given)
    again = looked(atlas, table(tmp_path, [{**rows[0], "Nr": "147", "N": "480"}]))
    assert (again.about["mapping_is"], again.about["mapping"]["Way"], faults(again)) == ("remembered", "street", [])


@pytest.mark.parametrize("given", [{"Nr": "number"}, {"HOUSENO": "nothing"}, {"HOUSENO": "x"}])
def test_a_mapping_that_cannot_be_is_refused(plat: Atlas, tmp_path: Path, given: Mapping[str, str]) -> None:
    if given == {"HOUSENO": "x"}:
        given = {"HOUSENO": "x", "X": "x"}
    with pytest.raises(StreetsError, match="mapping"):
        looked(plat, table(tmp_path, ROWS), mapping=given)


def test_a_file_that_does_not_say_its_crs_is_refused_and_never_guessed(plat: Atlas, tmp_path: Path) -> None:
    assert faults(looked(plat, table(tmp_path, ROWS), crs="")) == [(0, "crs")]
    degrees = [{**ROWS[0], "X": "-90.38", "Y": "42.57"}]
    assert faults(looked(plat, table(tmp_path, degrees)))[0] == (0, "crs")
    assert faults(looked(plat, table(tmp_path, ROWS), crs="EPSG:999999")) == [(0, "crs")]


def test_longitude_and_latitude_exchanged_are_named(plat: Atlas, tmp_path: Path) -> None:
    lon, lat = plat.village.out_of_feet("EPSG:4326")(400.0, 471.0)
    turned = looked(plat, table(tmp_path, [{**ROWS[0], "X": str(lat), "Y": str(lon)}]), crs="EPSG:4326")
    assert "longitude before latitude" in turned.report.faults[0][1].expected
    fine = looked(plat, table(tmp_path, [{**ROWS[0], "X": str(lon), "Y": str(lat)}]), crs="EPSG:4326")
    assert faults(fine) == []


# --- kinds of files ---


def points(plat: Atlas, crs: str = CRS) -> geopandas.GeoDataFrame:
    columns = {"ADDNUM": np.array([145, 147], dtype=np.int32), "FULLNAME": ["N Alma St", "N Alma St"]}
    return geopandas.GeoDataFrame(columns, geometry=[Point(400, 471), Point(400, 480)], crs=CRS).to_crs(crs)


@pytest.mark.parametrize(
    "name", ["a.gpkg", "a.geojson", "a.fgb", "a.kml", "shape.zip", "a.gdb.zip", "a.gdb"]
)  # fmt: skip
def test_whatever_kind_of_file_it_is(plat: Atlas, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    crs = "EPSG:4326" if name in {"a.geojson", "a.kml"} else "EPSG:4269"
    inner = {"shape.zip": "a.shp", "a.gdb.zip": "a.gdb"}.get(name, name)
    driver = {"a.kml": "KML", "a.gdb": "OpenFileGDB"}.get(inner)
    points(plat, crs).to_file(folder / inner, **({"driver": driver} if driver else {}), engine="pyogrio")
    path = folder / name
    if name.endswith(".zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for file in folder.rglob("*"):
                archive.write(file, file.relative_to(folder))
        path = tmp_path / name
    checked = looked(plat, path, crs="")
    assert (faults(checked), checked.json()["storable"]) == ([], 2)


def test_an_openstreetmap_extract(plat: Atlas, tmp_path: Path) -> None:
    lon, lat = plat.village.out_of_feet("EPSG:4326")(400.0, 471.0)
    tags = '<tag k="addr:housenumber" v="145"/><tag k="addr:street" v="North Alma Street"/>'
    (tmp_path / "a.osm").write_text(
        f'<?xml version="1.0"?>\n<osm version="0.6"><node id="1" version="1" lat="{lat}" lon="{lon}">{tags}</node>'
        f'<node id="2" version="1" lat="{lat}" lon="{lon}"><tag k="amenity" v="bench"/></node></osm>'
    )
    brought(plat, tmp_path / "a.osm", crs="")
    assert held(plat) == ["145 North Alma Street"]


@pytest.mark.parametrize(("encoding", "said"), [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("cp1252", "guessed")])
def test_a_text_in_another_encoding(plat: Atlas, tmp_path: Path, encoding: str, said: str) -> None:
    checked = looked(plat, table(tmp_path, [row("119½")], encoding=encoding))
    assert said in checked.about["format"]
    assert faults(checked) == []


def test_a_row_with_a_cell_too_many_is_named(plat: Atlas, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "address;x;y\n\n145 North Alma Street;400;471\n147 North Alma Street;400;480;more\n"
    )
    checked = looked(plat, tmp_path / "a.csv")
    assert (faults(checked), checked.report.name(2)) == ([(2, "row")], "row 2 (line 4)")


# --- a file is a stranger's ---

VRT = (
    "<OGRVRTDataSource><OGRVRTLayer name='a'><SrcDataSource>/etc/hosts</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
)
HOSTILE = {
    "a.gpkg": VRT.encode(),
    "a.osm": f'<?xml version="1.0"?><!-- <osm > -->{VRT}'.encode(),
    "b.osm": b'<?xml version="1.0"?><!DOCTYPE osm [<!ENTITY a "aaaa">]><osm version="0.6"></osm>',
    "a.json": b'{"type": "gdal_streamed_alg", "command_line": "gdal vector pipeline ! read /etc/hosts"}',
    "b.json": b'{"\\u0074ype": "gdal_streamed_alg", "command_line": "gdal vector pipeline ! read /etc/hosts"}',
    "a.shp": VRT.encode(),
    "a.fgb": VRT.encode(),
    "a.pbf": VRT.encode(),
    "a.vrt": VRT.encode(),
    "a.exe": b"MZ",
    "a.csv": b"a,b\n\0\0",
    "b.csv": b'a,b\n"1,2\n',
    "c.csv": b"a,A\n1,2\n",
    "d.csv": b"a,b\n",
    "e.csv": b"",
    "a.zip": b"PK no archive",
    "a.geojson": b"[" * 100_000,
    "b.geojson": b'{"type":"FeatureCollection","crs":{"type":"name"},"features":[{"type":"Feature","properties":{},'
    b'"geometry":{"type":"Point","coordinates":[1,2]}}]}',
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_not_what_its_name_says_is_refused_with_words(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(HOSTILE[name])
    (tmp_path / "aside").mkdir()
    with pytest.raises(FileError) as refused:
        read_file(tmp_path / name, tmp_path / "aside", "addresses")
    assert refused.value.faults
    assert str(tmp_path) not in str(refused.value)


@pytest.mark.parametrize("path", ["/vsicurl/http://127.0.0.1:1/a.gpkg", "/vsizip//etc/a.zip", "/none/a.csv"])
def test_a_path_that_is_no_file_here_reaches_no_network(tmp_path: Path, path: str) -> None:
    with pytest.raises(FileError, match="a file on this machine"):
        read_file(Path(path), tmp_path, "addresses", trusted=True)


@pytest.mark.parametrize("name", ["b.json", "b.geojson"])
def test_a_file_of_commands_for_ogr_reads_no_other_file(plat: Atlas, tmp_path: Path, name: str) -> None:
    """By its content alone OGR would run them: here they would read a file beside it."""
    points(plat, "EPSG:4326").to_file(tmp_path / "a.geojson", engine="pyogrio")
    command = f"gdal vector pipeline ! read {tmp_path / 'a.geojson'} ! reproject --dst-crs EPSG:4326"
    command += " ! write --format stream x"
    (tmp_path / name).write_text(json.dumps({"type": "gdal_streamed_alg", "command_line": command}))
    with pytest.raises(FileError):
        read_file(tmp_path / name, tmp_path, "addresses")


def test_a_geopackage_with_a_view_that_reads_elsewhere_is_refused(plat: Atlas, tmp_path: Path) -> None:
    points(plat).to_file(tmp_path / "a.gpkg", engine="pyogrio")
    with sqlite3.connect(tmp_path / "a.gpkg") as database:
        database.execute("CREATE VIEW more AS SELECT ogr_geocode('x')")
    database.close()
    with pytest.raises(FileError, match="reads elsewhere"):
        read_file(tmp_path / "a.gpkg", tmp_path, "addresses")


@pytest.mark.parametrize("name", ["../out.csv", "/tmp/out.csv", "a/../../out.csv", "..\\out.csv"])
def test_an_archive_writes_nothing_beside_its_folder(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, "a,b\n1,2\n")
    (tmp_path / "aside").mkdir()
    with pytest.raises(FileError, match="within it"):
        read_file(tmp_path / "a.zip", tmp_path / "aside", "addresses")
    assert not (tmp_path / "out.csv").exists()


def test_an_archive_that_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.import_files.MOST_UNPACKED", 1_000_000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", "0" * 1_000_001)
    (tmp_path / "aside").mkdir()
    with pytest.raises(FileError, match="unpacks to more"):
        read_file(tmp_path / "a.zip", tmp_path / "aside", "addresses")


# --- undoing ---


def test_an_import_is_undone_while_nothing_rests_on_it(atlas: Atlas, tmp_path: Path) -> None:
    path = table(tmp_path, ROWS)
    made = brought(atlas, path)
    with atlas.database.write() as connection:
        assert undo_import(connection, CONSOLE, made["id"], "the wrong file")["undone_at"]
    assert held(atlas) == []
    with pytest.raises(StreetsError, match="undone"), atlas.database.write() as connection:
        undo_import(connection, CONSOLE, made["id"], "again")
    brought(atlas, path)
    with atlas.database.read() as connection:
        assert list(verify(connection)) == []


def test_an_import_on_which_something_rests_is_not_undone(atlas: Atlas, tmp_path: Path) -> None:
    made = brought(atlas, table(tmp_path, ROWS))
    with atlas.database.write() as connection:
        changes.retire(connection, CONSOLE, 2, "torn down")
    with pytest.raises(DependsError, match="addresses 2"), atlas.database.write() as connection:
        undo_import(connection, CONSOLE, made["id"], "the wrong file")


# --- lots, buildings and streets ---


def layer(folder: Path, shapes: Mapping[str, Any], column: str = "PARCELID", name: str = "a.gpkg") -> Path:
    (folder / name).unlink(missing_ok=True)
    frame = geopandas.GeoDataFrame({column: list(shapes)}, geometry=list(shapes.values()), crs=CRS)
    frame.to_file(folder / name, engine="pyogrio")
    return folder / name


def standing(atlas: Atlas) -> list[tuple[str, float]]:
    with atlas.database.read() as connection:
        rows = registers.rows(connection, lots, lots.c.retired_at.is_(None))
    return sorted((r["parcel"], r["west_ft"]) for r in rows)


def test_a_newer_import_of_a_parcel_takes_the_place_of_the_older(atlas: Atlas, tmp_path: Path) -> None:
    brought(atlas, layer(tmp_path, {"1": box(300, 340, 430, 400), "2": box(300, 400, 430, 460)}), "lots")
    second = brought(atlas, layer(tmp_path, {"2": box(310, 400, 430, 460)}), "lots")
    assert standing(atlas) == [("1", 300.0), ("2", 310.0)]
    with atlas.database.write() as connection:
        undo_import(connection, CONSOLE, second["id"], "the wrong file")
    assert standing(atlas) == [("1", 300.0), ("2", 300.0)]
    with atlas.database.read() as connection:
        assert list(verify(connection)) == []


def test_lots_at_fault_are_named_by_row(plat: Atlas, tmp_path: Path) -> None:
    bow = Polygon([(300, 340), (430, 400), (430, 340), (300, 400)])
    parts = MultiPolygon([box(300, 400, 350, 410), box(360, 400, 370, 410)])
    shapes = {"1": bow, "2": parts, "": box(0, 0, 9, 9), "3": Point(1, 2)}
    checked = looked(plat, layer(tmp_path, shapes), "lots")
    assert faults(checked) == [(1, "geometry"), (3, "parcel"), (4, "geometry")]
    assert any("Self-intersection" in fault.found for _, fault in checked.report.faults)
    two = geopandas.GeoDataFrame({"pin": ["7", "7"]}, geometry=[box(0, 0, 9, 9)] * 2, crs=CRS)
    two.to_file(tmp_path / "b.gpkg", engine="pyogrio")
    again = looked(plat, tmp_path / "b.gpkg", "lots")
    assert "row 1 and row 2" in again.report.faults[0][1].found


def test_each_part_of_a_lot_has_its_row_and_what_lies_outside_is_left_out(plat: Atlas, tmp_path: Path) -> None:
    parts = MultiPolygon([box(300, 400, 350, 410), box(360, 400, 370, 410)])
    brought(plat, layer(tmp_path, {"2": parts, "far": box(9e5, 9e5, 9e5 + 9, 9e5 + 9)}), "lots")
    assert standing(plat) == [("2", 300.0), ("2", 360.0)]
    assert faults(looked(plat, layer(tmp_path, {"far": box(9e5, 9e5, 9e5 + 9, 9e5 + 9)}), "lots")) == [(0, "geometry")]


def test_streets_that_are_brought_in_become_a_proposal_that_later_ones_start_from(atlas: Atlas, tmp_path: Path) -> None:
    lines = {name: LineString(line) for name, line in PLAT.items()}
    shapes = {"MAIN ST": lines["Main Street"], "Van Buren St": lines["Van Buren Street"]}
    shapes |= {"First Ave": lines["First Avenue"], "Elm St": LineString([(800, -100), (800, 900)])}
    made = brought(atlas, layer(tmp_path, shapes, "FULLNAME"), "streets")
    assert made["report"]["version"] == 2
    known = atlas.of(2).network.by_name.keys()
    assert known == {"Main Street", "Van Buren Street", "First Avenue", "Elm Street"}
    with atlas.database.write() as connection:
        later = map_versions.propose(atlas, connection, CONSOLE, "again")
    assert atlas.of(later["version"]).network.by_name.keys() == known
    Atlas(atlas.database, atlas.directory).ensure()  # as a start of the service does
    with atlas.database.read() as connection:
        assert registers.counted(connection, maps) == 3


def test_streets_without_a_base_line_are_refused(plat: Atlas, tmp_path: Path) -> None:
    checked = looked(plat, layer(tmp_path, {"Main Street": LineString(PLAT["Main Street"])}, "NAME"), "streets")
    assert "no Van Buren Street" in checked.report.faults[0][1].found


def test_an_import_of_streets_is_undone_with_its_proposal(plat: Atlas, tmp_path: Path) -> None:
    shapes = {name: LineString(line) for name, line in PLAT.items() if name != "Alma Street"}
    made = brought(plat, layer(tmp_path, shapes, "NAME"), "streets")
    assert "Alma Street" not in plat.village.network.by_name
    with plat.database.write() as connection:
        undo_import(connection, CONSOLE, made["id"], "the wrong file")
    assert "Alma Street" in plat.village.network.by_name
    with plat.database.read() as connection:
        assert registers.rows(connection, imports)[0]["undone_at"] is not None
        assert list(verify(connection)) == []


# --- what a stranger's file may hold ---


def packed(folder: Path, members: Mapping[str, bytes], name: str = "a.zip") -> Path:
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return folder / name


def test_an_archive_whose_text_unpacks_to_more_than_can_be_read_is_refused(plat: Atlas, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"unpacks to more.*200 MB"):
        looked(plat, packed(tmp_path, {"a.csv": b"0" * 200_000_001}))


def test_a_line_of_a_million_letters_is_the_longest(plat: Atlas, tmp_path: Path) -> None:
    head = "number,street,predir,x,y,note\n145,Alma Street,N,400,471,"
    for letters, fine in ((999_999, True), (1_000_000, False)):
        cell = (" " * letters)[: letters - len("145,Alma Street,N,400,471,")]
        (tmp_path / "a.csv").write_text(f"{head}{cell}\n")
        if fine:
            with pytest.raises(FileError, match=r"line 2 .*field larger"):
                looked(plat, tmp_path / "a.csv")
        else:
            with pytest.raises(FileError, match="line 2, longer than 1,000,000 letters"):
                looked(plat, tmp_path / "a.csv")


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_the_first_line_of_excel_that_names_the_delimiter_is_understood(
    plat: Atlas, tmp_path: Path, first: str
) -> None:
    text = f"{first}\r\nnumber;street;predir;x;y\r\n145;Alma Street;N;400;471\r\nnone;Alma Street;N;400;471\r\n"
    (tmp_path / "a.csv").write_bytes(text.encode())
    checked = looked(plat, tmp_path / "a.csv")
    assert faults(checked) == [(2, "address number")]
    assert checked.report.name(2) == "row 2 (line 4)"


@pytest.mark.parametrize("rest", ["", '147,"Alma Street",N,400,480\n' * 9000])
def test_a_quote_that_is_not_closed_is_told_by_the_line_it_began_on(plat: Atlas, tmp_path: Path, rest: str) -> None:
    text = (
        'number,street,predir,x,y\n145,Alma Street,N,400,471\n147,"Alma Street,N,400,480\n149,Alma Street,N,400,490\n'
    )
    (tmp_path / "a.csv").write_text(text + rest)
    with pytest.raises(FileError, match="begins on line 3"):
        looked(plat, tmp_path / "a.csv")


def shapefile(folder: Path) -> dict[str, bytes]:
    frame = geopandas.GeoDataFrame({"parcel": ["1"]}, geometry=[box(300, 340, 430, 400)], crs=CRS)
    (folder / "made").mkdir()
    frame.to_file(folder / "made" / "lots.shp", engine="pyogrio")
    return {p.name: p.read_bytes() for p in (folder / "made").iterdir()}


@pytest.mark.parametrize("missing", ["lots.shx", "lots.dbf"])
def test_a_shapefile_without_its_other_files_is_told_which(plat: Atlas, tmp_path: Path, missing: str) -> None:
    parts = {name: content for name, content in shapefile(tmp_path).items() if name != missing}
    with pytest.raises(FileError, match=f"lots.shp without {missing}") as told:
        looked(plat, packed(tmp_path, parts), "lots", crs="")
    assert "/tmp" not in str(told.value)


def test_a_shapefile_whose_text_is_no_table_is_told_without_a_folder_of_the_service(
    plat: Atlas, tmp_path: Path
) -> None:
    with pytest.raises(StreetsError) as told:
        looked(plat, packed(tmp_path, {**shapefile(tmp_path), "lots.shx": b"no index"}), "lots", crs="")
    assert "/" not in str(told.value).replace("zipped shapefile or", "")


def test_an_archive_with_several_files_that_could_be_meant_names_them(plat: Atlas, tmp_path: Path) -> None:
    line = b"number,street,predir,x,y\n145,Alma Street,N,400,471\n"
    for members in ({"a.csv": line, "b.csv": line}, {**shapefile(tmp_path), "b.csv": line}):
        with pytest.raises(FileError, match=r"2 files that could be read: (a|b).csv, (b.csv|lots.shp)"):
            looked(plat, packed(tmp_path, members))
    assert len(looked(plat, packed(tmp_path, {"a.csv": line, "readme.txt": b"what it is"})).report.faults) == 0


def test_an_archive_with_no_file_that_is_read_says_what_it_holds(plat: Atlas, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no file that is read: a\.pdf"):
        looked(plat, packed(tmp_path, {"a.pdf": b"%PDF"}))


# --- what columns say beside each other ---


def warned(checked: Checked) -> list[tuple[int, str]]:
    return [(row, fault.field) for row, fault in checked.report.ordered(checked.report.warnings)]


@pytest.mark.parametrize("pre", ["prefix", "Pre", "DIR", "predir", "ST_PREFIX"])
@pytest.mark.parametrize("kind", ["suffix", "TYPE", "St_Suffix"])
def test_directions_and_types_are_known_by_their_cells(plat: Atlas, tmp_path: Path, pre: str, kind: str) -> None:
    rows = [{"number": "145", pre: "N", "street": "Alma", kind: "St", "x": "400", "y": "471"}]
    assert looked(plat, table(tmp_path, rows)).about["mapping"] == {
        "number": "number",
        pre: "pre_directional",
        "street": "street",
        kind: "street_post_type",
        "x": "x",
        "y": "y",
    }


def test_a_column_of_directions_that_is_not_used_is_told_and_never_overruled(plat: Atlas, tmp_path: Path) -> None:
    rows = [{"number": "145", "street": "Alma Street", "side": side, "x": "400", "y": "471"} for side in ("N", "S")]
    rows[1] |= {"number": "147", "y": "480"}
    checked = looked(plat, table(tmp_path, rows))
    assert warned(checked)[0] == (0, "side")
    assert faults(checked) == [(2, "direction")]
    assert "S in side" in checked.report.faults[0][1].found


def test_whole_address_and_columns_that_disagree_are_a_fault_naming_both(plat: Atlas, tmp_path: Path) -> None:
    rows = [{**row("145"), "address": "145 N Alma St"}, {**row("147", y=480), "address": "149 N Alma St"}]
    checked = looked(plat, table(tmp_path, rows))
    assert faults(checked) == [(2, "address")]
    assert "149 N Alma St in address, 147 North Alma Street in number and street" in checked.report.faults[0][1].found


def test_a_direction_in_two_columns_is_one_where_both_say_it(plat: Atlas, tmp_path: Path) -> None:
    rows = [row("145", "N Alma St", "N"), row("147", "S Alma St", "N", y=480)]
    checked = looked(plat, table(tmp_path, rows))
    assert faults(checked) == [(2, "direction")]
    brought(plat, table(tmp_path, rows[:1]))
    assert held(plat) == ["145 North Alma Street"]


def test_another_community_is_told_once_with_its_rows(plat: Atlas, tmp_path: Path) -> None:
    cities = ("PLAT", "Cuba City", "cuba city", "Village of Plat")
    rows = [{**row(str(145 + 2 * k), y=471 + 8 * k), "CITY": city} for k, city in enumerate(cities)]
    checked = looked(plat, table(tmp_path, rows))
    assert [(at, w.found) for at, w in checked.report.warnings] == [(2, "Cuba City in 2 rows")]
    assert "row 2 (line 3), row 3 (line 4)" in checked.report.warnings[0][1].expected


def test_different_numbers_at_one_place_are_told_and_units_are_not(plat: Atlas, tmp_path: Path) -> None:
    rows = [{**row("145"), "unit": unit} for unit in ("1", "2")]
    assert warned(looked(plat, table(tmp_path, rows))) == []
    checked = looked(plat, table(tmp_path, [*rows, {**row("147"), "unit": ""}]))
    assert warned(checked) == [(1, "position")]
    assert "row 3 (line 4)" in checked.report.warnings[0][1].expected


def test_an_address_on_an_area_is_placed_in_its_parcel(plat: Atlas, tmp_path: Path) -> None:
    checked = looked(plat, layer(tmp_path, {"145 N Alma St": box(390, 461, 410, 481)}, "address"))
    assert faults(checked) == []
    assert "Parcel" in checked.report.warnings[0][1].expected
    bring_in(plat, CONSOLE, checked)
    with plat.database.read() as connection:
        assert registers.located_many(connection)[0]["location_placement"] == "Parcel"


def test_a_place_660_ft_from_its_street_is_the_farthest(plat: Atlas, tmp_path: Path) -> None:
    """Alma Street lies on x = 440."""
    checked = looked(plat, table(tmp_path, [row("145", x=440 + 659), row("147", x=440 + 661)]))
    assert faults(checked) == [(2, "position")]


# --- streets are held to the rules of the map's edits ---

Shapes = list[tuple[str, Any]]
OWN: Shapes = [(name, LineString(line)) for name, line in PLAT.items()]


def streets(folder: Path, more: Shapes, own: Shapes = OWN, **columns: list[str]) -> Path:
    """The plat's own five streets, in rows 1 to 5, and some more after them."""
    both = [*own, *more]
    (folder / "s.gpkg").unlink(missing_ok=True)
    frame = geopandas.GeoDataFrame(
        {"FULLNAME": [n for n, _ in both], **columns}, geometry=[g for _, g in both], crs=CRS
    )
    frame.to_file(folder / "s.gpkg", engine="pyogrio")
    return folder / "s.gpkg"


def told(checked: Checked) -> list[str]:
    return [f"{at}: {w.found}; {w.expected}" for at, w in checked.report.ordered(checked.report.warnings)]


ELM = LineString([(800, -100), (800, 900)])


@pytest.mark.parametrize(
    "name",
    [
        *("PO Box 5", "12 Main Street", "<script>x</script>", "A" * 300, "a/b", "..", "North", "172", "=cmd|x"),
        *("Alma", "North Alma", "Street"),
    ],
)
def test_a_street_has_no_name_that_the_editor_refuses(plat: Atlas, tmp_path: Path, name: str) -> None:
    """Alma is Alma Street without its type, and North Alma a half of it."""
    checked = looked(plat, streets(tmp_path, [(name, ELM)]), "streets")
    assert set(faults(checked)) == {(6, "name")}
    assert checked.report.faults[0][1].found.startswith(name[:50])


@pytest.mark.parametrize(
    "name", ["Unnamed 05", "Elm St", "County Road J North", "8th Street", "State Hwy 11", "US Highway 151"]
)
def test_names_of_the_county_and_placeholders_are_brought_in(plat: Atlas, tmp_path: Path, name: str) -> None:
    assert faults(looked(plat, streets(tmp_path, [(name, ELM)]), "streets")) == []


def test_the_village_s_own_streets_are_brought_in_without_a_word(migrated_sqlite: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "register.db").write_bytes(migrated_sqlite.read_bytes())
    database = Database(f"sqlite:///{tmp_path / 'state' / 'register.db'}", tmp_path / "state")
    atlas = Atlas(database, Settings().data_dir)
    atlas.ensure()
    checked = looked(atlas, Settings().data_dir / "streets.geojson", "streets", crs="")
    assert (faults(checked), told(checked)) == ([], [])
    assert len(checked.content or ()) == len(atlas.village.network.pieces)
    database.close()


def test_two_new_streets_of_one_name_are_a_fault_and_two_spellings_are_one_street(plat: Atlas, tmp_path: Path) -> None:
    lines = [LineString([(x, -100), (x, 900)]) for x in (800, 900, 1000)]
    more: Shapes = list(zip(("Elm", "Elm Street", "Oak Street"), lines, strict=True))
    assert faults(looked(plat, streets(tmp_path, more), "streets")) == [(6, "name")]
    south = LineString([(1000, -100), (1000, -600)])
    again = looked(plat, streets(tmp_path, [("McKinley Street", lines[2]), ("MCKINLEY ST", south)]), "streets")
    assert faults(again) == []
    assert told(again) == ["7: MCKINLEY ST; taken as McKinley Street, as another row has it"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ([(700, 400), (900, 400), (900, 600), (800, 600), (800, 350)], "crosses itself"),
        ([(800, 400), (800, 600), (801, 400)], "turns back"),
        ([(800, 400), (804, 400)], "a line of 4.0 ft"),
    ],
)
def test_a_line_that_no_officer_could_draw_is_a_fault_of_its_row(
    plat: Atlas, tmp_path: Path, line: list[tuple[float, float]], words: str
) -> None:
    checked = looked(plat, streets(tmp_path, [("Elm Street", LineString(line))]), "streets")
    assert faults(checked) == [(6, "geometry")]
    assert words in checked.report.faults[0][1].found


def test_a_short_piece_is_part_of_its_street_and_a_line_that_is_there_twice_is_not(plat: Atlas, tmp_path: Path) -> None:
    short = LineString([(800, 900), (800, 904)])
    assert faults(looked(plat, streets(tmp_path, [("Elm Street", ELM), ("Elm Street", short)]), "streets")) == []
    near = LineString([(804, 900), (804, 0)])
    checked = looked(plat, streets(tmp_path, [("Elm Street", ELM), ("Elm Street", near)]), "streets")
    assert faults(checked) == [(7, "geometry")]
    assert "row 6" in checked.report.faults[0][1].found


def test_a_street_that_lies_on_another_is_told_with_both_names(plat: Atlas, tmp_path: Path) -> None:
    """10 ft are near and 11 are not; 100 ft are a short stretch and more is not. The line turns away at its end."""
    for away, length, said in ((6, 600, True), (11, 600, False), (9, 101, True), (9, 98, False)):
        line = LineString([(500, away), (500 + length, away), (500 + length, 300)])
        checked = looked(plat, streets(tmp_path, [("Elm Street", line)]), "streets")
        assert faults(checked) == []
        assert bool(told(checked)) == said, (away, length)
    on_alma = looked(plat, streets(tmp_path, [("Elm Street", LineString([(440, 700), (440, 1400)]))]), "streets")
    words = "both are brought in: see whether both are there, row 5 and row 6"
    assert told(on_alma) == [f"6: Elm Street lies on Alma Street for 700 ft; {words}"]


# --- a county's streets ---


def test_what_lies_wholly_outside_is_left_out_and_counted(plat: Atlas, tmp_path: Path) -> None:
    """The hull ends at (2000, 330) in the east, and the village 660 ft past it."""
    far: Shapes = [
        ("172", LineString([(132_000, 0), (133_000, 0)])),
        ("Elm Street", ELM),
        ("Oak Street", LineString([(2000, 990.5), (2100, 1500)])),
        ("Ash Street", LineString([(2659, 100), (2659, 200)])),
    ]
    checked = looked(plat, streets(tmp_path, far), "streets")
    assert faults(checked) == []
    assert told(checked) == ["0: 2 rows outside Plat; left out: row 6, row 8"]
    assert (checked.json()["left_out"], checked.json()["new_streets"]) == (2, ["Ash Street", "Elm Street"])
    bring_in(plat, CONSOLE, checked)
    assert set(plat.of(2).network.by_name) == {*PLAT, "Ash Street", "Elm Street"}
    nothing = looked(plat, streets(tmp_path, far[:1], []), "streets")
    assert faults(nothing) == [(0, "geometry")]


def test_a_road_that_leaves_the_village_is_kept_as_far_as_the_village_s_streets_reach(
    plat: Atlas, tmp_path: Path
) -> None:
    """First Avenue ends at x = 2000; the second time the same file makes the village no larger."""
    own = [(name, line) for name, line in OWN if name != "First Avenue"]
    more: Shapes = [("First Avenue", LineString([(-2000, 330), (132_000, 330)]))]
    for version in (2, 3):
        checked = looked(plat, streets(tmp_path, more, own), "streets")
        assert faults(checked) == []
        assert told(checked) == [
            "5: 130,000 ft of it outside Plat; left out: it is kept as far as the village's streets reach"
        ]
        bring_in(plat, CONSOLE, checked)
        assert plat.of(version).network.hull.bounds[2] == pytest.approx(2000)


def test_roads_without_a_name_are_left_out_and_counted(plat: Atlas, tmp_path: Path) -> None:
    more: Shapes = [("", ELM), ("  ", ELM), ("Elm Street", ELM)]
    checked = looked(plat, streets(tmp_path, more), "streets")
    assert (faults(checked), told(checked)) == ([], ["0: 2 rows without a name; left out: row 6, row 7"])
    assert (checked.json()["unnamed"], checked.json()["rows"], len(checked.content or ())) == (2, 8, 6)


def test_roads_without_a_name_in_an_openstreetmap_extract_are_left_out_and_counted(plat: Atlas, tmp_path: Path) -> None:
    ways, nodes = [], []
    for k, (name, line) in enumerate([*OWN, ("", ELM)], 1):
        for at, (x, y) in enumerate(line.coords):
            lon, lat = plat.village.out_of_feet("EPSG:4326")(x, y)
            nodes.append(f'<node id="{10 * k + at}" version="1" lat="{lat}" lon="{lon}"/>')
        refs = "".join(f'<nd ref="{10 * k + at}"/>' for at in range(len(line.coords)))
        named = f'<tag k="name" v="{name}"/>' if name else ""
        ways.append(f'<way id="{k}" version="1">{refs}<tag k="highway" v="residential"/>{named}</way>')
    body = "".join((*nodes, *ways))
    (tmp_path / "a.osm").write_text(f'<?xml version="1.0"?>\n<osm version="0.6">{body}</osm>')
    checked = looked(plat, tmp_path / "a.osm", "streets", crs="")
    assert (faults(checked), told(checked)) == ([], ["0: 1 row without a name; left out: row 6"])
    assert len(checked.content or ()) == 5


@pytest.mark.parametrize(
    ("column", "one", "other_one", "kind"),
    [("MTFCC", "S1400", "S1730", "alley"), ("highway", "residential", "service", "private")],
)
def test_a_street_s_kind_is_known_by_its_class(
    plat: Atlas, tmp_path: Path, column: str, one: str, other_one: str, kind: str
) -> None:
    """S1730 of TIGER is an alley and S1740 a private road; OpenStreetMap's service ways lead to premises."""
    private = "S1740" if column == "MTFCC" else "track"
    classes = [one] * 5 + [other_one, private]
    other = LineString([(900, -100), (900, 900)])
    path = streets(tmp_path, [("Elm Alley", ELM), ("Oak Street", other)], **{column: classes})
    checked = looked(plat, path, "streets")
    bring_in(plat, CONSOLE, checked)
    kinds = {piece.name: piece.kind for piece in plat.of(2).network.pieces}
    assert (kinds["Main Street"], kinds["Elm Alley"], kinds["Oak Street"]) == ("street", kind, "private")


def test_why_a_name_is_taken_as_another(plat: Atlas, tmp_path: Path) -> None:
    from app import naming

    with plat.database.write() as connection:
        naming.rename(plat, connection, CONSOLE, "Alma Street", "Orchard Lane", today(), "Ordinance 1", "asked for")
    own = [("N Main St" if name == "Main Street" else name, line) for name, line in OWN]
    assert told(looked(plat, streets(tmp_path, [], own), "streets")) == [
        "1: N Main St; taken as Main Street, the direction is a half, no part of the name",
        "5: Alma Street; taken as Orchard Lane, as named since",
    ]


# --- whose ground it is ---

BLOCK = {"001": box(300, 340, 430, 400), "002": box(300, 400, 430, 460), "003": box(300, 460, 430, 520)}


def test_parcels_that_were_split_are_retired_and_come_back_with_the_undo(atlas: Atlas, tmp_path: Path) -> None:
    """001 is cut in two at y = 370; the file leaves 003 out, and nothing of it covers that."""
    brought(atlas, layer(tmp_path, BLOCK), "lots")
    halves = {"001A": box(300, 340, 430, 370), "001B": box(300, 370, 430, 400), "002": BLOCK["002"]}
    checked = looked(atlas, layer(tmp_path, halves), "lots")
    assert faults(checked) == []
    assert told(checked) == [
        "0: 1 parcel of earlier files that this file has not; still standing: 003",
        "1: parcel 001 of an earlier file; retired with this import: 001A, 001B cover more than half of its ground",
    ]
    made = bring_in(atlas, CONSOLE, checked)
    assert [parcel for parcel, _ in standing(atlas)] == ["001A", "001B", "002", "003"]
    assert made["report"]["replaced"] == 2
    with atlas.database.write() as connection:
        undo_import(connection, CONSOLE, made["id"], "the wrong file")
    assert [parcel for parcel, _ in standing(atlas)] == ["001", "002", "003"]
    with atlas.database.read() as connection:
        assert list(verify(connection)) == []


@pytest.mark.parametrize(("north", "stands"), [(370, True), (371, False)])
def test_a_parcel_of_which_half_is_covered_stands_and_one_of_more_does_not(
    plat: Atlas, tmp_path: Path, north: int, stands: bool
) -> None:
    """001 reaches from y = 340 to 400: its half is at 370."""
    brought(plat, layer(tmp_path, {"001": BLOCK["001"]}), "lots")
    brought(plat, layer(tmp_path, {"9": box(300, 300, 430, north)}), "lots")
    assert ("001" in dict(standing(plat))) == stands


def test_parcels_that_were_merged_or_renumbered_and_buildings_too(plat: Atlas, tmp_path: Path) -> None:
    brought(plat, layer(tmp_path, BLOCK), "lots")
    brought(plat, layer(tmp_path, {"10": box(300, 340, 430, 460), "11": BLOCK["003"]}), "lots")
    assert [parcel for parcel, _ in standing(plat)] == ["10", "11"]
    for code in ("a", "b"):
        brought(plat, layer(tmp_path, {code: box(320, 350, 350, 380)}, "CODE"), "buildings")
    with plat.database.read() as connection:
        rows = registers.rows(connection, buildings, buildings.c.retired_at.is_(None))
    assert [row["code"] for row in rows] == ["b"]


def test_lots_that_overlap_in_one_file_are_told_with_both_parcels(plat: Atlas, tmp_path: Path) -> None:
    """A strip 10 ft by 130 ft is told; one of 2 ft is a sliver, and neighbours share a line alone."""
    shapes = {"1": box(300, 340, 430, 400), "2": box(300, 390, 430, 450), "3": box(300, 448, 430, 500)}
    checked = looked(plat, layer(tmp_path, {**shapes, "4": box(300, 500, 430, 560)}), "lots")
    assert faults(checked) == []
    assert told(checked) == [
        "2: 2 and 1 overlap by 1,300 sq ft; both are brought in; each lot its own ground: row 1 and row 2"
    ]


def test_lots_brought_in_while_a_file_was_checked_are_checked_again(plat: Atlas, tmp_path: Path) -> None:
    checked = looked(plat, layer(tmp_path, {"001A": box(300, 340, 430, 370)}), "lots")
    brought(plat, layer(tmp_path, {"1": box(300, 340, 430, 371)}, name="b.gpkg"), "lots")
    with pytest.raises(StreetsError, match="Other lots were brought in"):
        bring_in(plat, CONSOLE, checked)
    assert [parcel for parcel, _ in standing(plat)] == ["1"]


# --- a whole address and each column beside it ---


@pytest.mark.parametrize(
    ("column", "cell", "part"),
    [
        ("house_no", "147", "number"),
        ("house_no", "145A", "number"),
        ("SUFFIX", "A", "number"),
        ("half12", "1/2", "number"),
        ("predir", "S", "direction"),
        ("ST_NAME", "Main Street", "street"),
        ("ST_NAME", "S Alma St", "direction"),
        ("ST_NAME", "Alma Avenue", "type"),
        ("sttype", "Ave", "type"),
        ("unit", "3", "unit"),
    ],
)
def test_a_whole_address_and_one_column_that_disagree_are_a_fault_naming_both(
    plat: Atlas, tmp_path: Path, column: str, cell: str, part: str
) -> None:
    rows = [{"address": "145 N Alma St Apt 2", column: cell, "x": "400", "y": "471"}]
    checked = looked(plat, table(tmp_path, rows))
    assert faults(checked) == [(1, "address")]
    fault = checked.report.faults[0][1]
    assert fault.found == f"145 N Alma St Apt 2 in address, {cell} in {column}"
    assert f"the same {part} in both" in fault.expected


def test_number_and_direction_columns_that_disagree_with_a_whole_address(plat: Atlas, tmp_path: Path) -> None:
    rows = [{"address": "145 N Alma St", "number": "147", "predir": "N", "x": "400", "y": "471"}]
    assert faults(looked(plat, table(tmp_path, rows))) == [(1, "address")]
    rows = [{"address": "30 E Main St", "predir": "W", "x": "400", "y": "40"}]
    assert faults(looked(plat, table(tmp_path, rows))) == [(1, "address")]


def test_columns_that_agree_with_a_whole_address_or_complete_it(plat: Atlas, tmp_path: Path) -> None:
    """Within 50 ft of the base line the place does not tell the half; the column of directions does."""
    place = {"x": "400", "y": "471"}
    alike = {"number": "145.0", "predir": "North", "sttype": "St.", "unit": "#2"}
    brought(plat, table(tmp_path, [{"address": "145 N Alma St Apt 2", **alike, **place}]))
    text = "13 Alma St, Benton, WI 53803"
    checked = looked(plat, table(tmp_path, [{"address": text, "predir": "S", "unit": "4", "x": "400", "y": "-40"}]))
    assert (faults(checked), [w.found for _, w in checked.report.warnings]) == ([], ["Benton in 1 row"])
    bring_in(plat, CONSOLE, checked)
    assert held(plat) == ["145 North Alma Street Apartment 2", "13 South Alma Street #4"]
