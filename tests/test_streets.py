"""The village's files: what is read from them, in every format, and that every fault is told at once."""

import csv
import json
import shutil
import tomllib
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
import shapely
from pydantic import ValidationError
from shapely import LineString, MultiLineString, Point, Polygon

from app.settings import Settings
from app.streets import (
    DataError,
    read_linework,
    read_pieces,
    read_published,
    read_settings,
    read_village,
)
from gis.crs import to_working, working_crs
from gis.errors import StreetsError
from gis.network import Piece
from gis.rules import Reading

DATA = Settings().data_dir
BENTON = working_crs("EPSG:7608")
ALMA_FT = [(410324.0, 127088.0), (410324.0, 127418.0)]
ALMA = LineString(ALMA_FT)
DECLARED = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::4269"}}


def feature(properties: dict[str, Any], coordinates: Any, kind: str = "LineString") -> dict[str, Any]:
    geometry = None if coordinates is None else {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def geojson(path: Path, *features: dict[str, Any], **members: Any) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", **members, "features": features}), encoding="utf-8")
    return path


def layer(path: Path, columns: dict[str, list[Any]], lines: list[Any], crs: str | None, **options: Any) -> Path:
    """Write a file as a village's GIS would; what the writer grumbles about is not under test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gpd.GeoDataFrame(columns, geometry=lines, crs=crs).to_file(path, **options)
    return path


def faults_of(read: Callable[[], object]) -> list[str]:
    with pytest.raises(DataError) as refused:
        read()
    assert isinstance(refused.value, StreetsError)
    assert all(fault.found and fault.expected for fault in refused.value.faults)
    return [str(fault) for fault in refused.value.faults]


def piece_faults(path: Path, **options: Any) -> list[str]:
    return faults_of(lambda: read_pieces(path, BENTON, **options))


def one_fault(path: Path, **options: Any) -> str:
    (fault,) = piece_faults(path, **options)
    return fault


@pytest.fixture
def village(tmp_path: Path) -> Path:
    """A copy of Benton's files, to be spoilt."""
    return shutil.copytree(DATA, tmp_path / "village")


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# --- Benton's own files ---


def test_bentons_files_are_read_whole() -> None:
    village = read_village(DATA)
    assert village.settings.name == "Benton"
    assert len(village.pieces) == 85
    assert Counter(feature for feature, _ in village.linework) == {"limit": 10, "water": 1, "unknown": 14}
    assert len(village.published) == 9


def test_bentons_streets_have_four_inferred_names_and_the_rest_are_placeholders() -> None:
    pieces = read_pieces(DATA / "streets.geojson", BENTON)
    inferred = {piece.name for piece in pieces if piece.name_status == "inferred"}
    assert inferred == {"Main Street", "Van Buren Street", "County Road J North", "County Road J South"}
    placeholders = {piece.name for piece in pieces} - inferred
    assert placeholders == {f"Unnamed {i:02}" for i in range(1, 29)}
    assert {(p.kind, p.block_line, p.accuracy_ft) for p in pieces} == {("street", "auto", 25.0)}
    assert all("TIGER" in piece.source for piece in pieces)


def test_bentons_streets_lie_in_the_village() -> None:
    west, south, east, north = shapely.total_bounds([p.line for p in read_pieces(DATA / "streets.geojson", BENTON)])
    # EPSG:7608 of 42.572393, -90.387096, calculated by hand in test_crs.py: WIS 11 at County Road J.
    assert west < 410324.65 < east
    assert south < 127088.13 < north
    assert 5_000 < east - west < 12_000
    assert 5_000 < north - south < 12_000


def test_main_street_passes_the_published_waypoint_within_the_accuracy_of_the_linework() -> None:
    pieces = read_pieces(DATA / "streets.geojson", BENTON)
    waypoint = Point(410324.65, 127088.13)
    assert min(p.line.distance(waypoint) for p in pieces if p.name == "Main Street") < 25


def test_a_piece_of_main_street_lies_where_its_degrees_say() -> None:
    source = json.loads((DATA / "streets.geojson").read_text(encoding="utf-8"))["features"]
    degrees = np.array(source[15]["geometry"]["coordinates"])
    x, y = to_working("EPSG:4269", BENTON)(degrees[:, 0], degrees[:, 1])
    piece = read_pieces(DATA / "streets.geojson", BENTON)[15]
    assert np.allclose(shapely.get_coordinates(piece.line), np.column_stack([x, y]), atol=1e-6)


def test_the_streets_file_is_readable_line_by_line() -> None:
    lines = (DATA / "streets.geojson").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith('{"type": "Feature"') for line in lines) == 85
    members = json.loads("\n".join(lines))
    assert members["crs"]["properties"]["name"] == "urn:ogc:def:crs:EPSG::4269"
    columns = {"piece", "name", "name_status", "kind", "block_line", "source", "accuracy_ft"}
    assert all(set(feature["properties"]) == columns for feature in members["features"])


def test_bentons_settings() -> None:
    settings = read_settings(DATA)
    assert (settings.county, settings.state) == ("Lafayette County", "Wisconsin")
    assert (settings.base_ew, settings.base_ns) == ("Main Street", "Van Buren Street")
    assert settings.working_crs == BENTON
    assert settings.reading == Reading()
    assert "nobody may number" in settings.draft


def test_every_setting_of_the_reading_stands_in_the_file_under_a_comment() -> None:
    text = (DATA / "settings.toml").read_text(encoding="utf-8")
    assert list(tomllib.loads(text)["reading"]) == [field.name for field in fields(Reading)]
    lines = text.partition("[reading]\n")[2].splitlines()
    assert all(
        comment.startswith("# ") and " = " in setting for comment, setting in zip(lines[::2], lines[1::2], strict=True)
    )


def test_the_readme_names_every_file_and_column() -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    streets = json.loads((DATA / "streets.geojson").read_text(encoding="utf-8"))
    with (DATA / "published_addresses.csv").open(encoding="utf-8", newline="") as file:
        columns = next(csv.reader(file))
    names = [path.name for path in DATA.iterdir() if path.name != "README.md"]
    for name in (*names, *streets["features"][0]["properties"], *columns):
        assert f"`{name}`" in readme


def test_the_published_addresses() -> None:
    church, *_, town_hall = read_published(DATA)
    assert (church.number, church.predir, church.street) == (237, "E", "Main St")
    assert church.side_stated == "S side, 200 ft W of J"
    assert (town_hall.number, town_hall.predir, town_hall.street) == (375, "", "Railroad Ave")


# --- formats and coordinate reference systems ---


def expect_alma(path: Path, **options: Any) -> Piece:
    (piece,) = read_pieces(path, BENTON, **options)
    assert piece.name == "Alma Street"
    assert np.allclose(shapely.get_coordinates(piece.line), ALMA_FT, atol=0.01)
    return piece


@pytest.mark.parametrize("crs", ["EPSG:7608", "EPSG:4269", "EPSG:4326", "EPSG:26915", "EPSG:7549", None])
@pytest.mark.parametrize("name", ["streets.gpkg", "streets.shp"])
def test_a_street_is_in_the_same_place_whatever_its_format_and_crs(tmp_path: Path, name: str, crs: str | None) -> None:
    line = gpd.GeoSeries([ALMA], crs="EPSG:7608").to_crs(crs)[0] if crs else ALMA
    expect_alma(layer(tmp_path / name, {"name": ["Alma Street"]}, [line], crs))


def test_geojson_with_a_crs_member_is_reprojected(tmp_path: Path) -> None:
    line = gpd.GeoSeries([ALMA], crs="EPSG:7608").to_crs("EPSG:4269")[0]
    alma = feature({"name": "Alma Street"}, list(line.coords))
    expect_alma(geojson(tmp_path / "streets.geojson", alma, crs=DECLARED))


@pytest.mark.parametrize("members", [{}, {"crs": None}], ids=["no member", "a null member"])
def test_geojson_without_a_crs_member_is_in_the_working_crs(tmp_path: Path, members: dict[str, Any]) -> None:
    alma = feature({"name": "Alma Street"}, ALMA_FT)
    expect_alma(geojson(tmp_path / "streets.geojson", alma, **members))


def test_planar_feet_around_a_made_up_origin_stay_exactly_as_they_are(tmp_path: Path) -> None:
    main = feature({"name": "Main Street"}, [[-2000, 0], [2000, 0]])
    (piece,) = read_pieces(geojson(tmp_path / "streets.geojson", main), BENTON)
    assert list(piece.line.coords) == [(-2000.0, 0.0), (2000.0, 0.0)]


def test_undeclared_coordinates_are_in_the_unit_of_the_working_crs(tmp_path: Path) -> None:
    main = feature({"name": "Main Street"}, [[0, 0], [1200, 0]])
    (piece,) = read_pieces(geojson(tmp_path / "streets.geojson", main), working_crs("EPSG:7549"))
    assert piece.line.length == pytest.approx(3937.0)


def test_geojson_in_degrees_that_does_not_say_so_is_a_fault_that_says_so(tmp_path: Path) -> None:
    alma = feature({"name": "Alma Street"}, [[-90.387, 42.572], [-90.386, 42.573]])
    fault = one_fault(geojson(tmp_path / "streets.geojson", alma))
    assert fault.startswith("crs: found none, with coordinates that look like degrees")
    assert '"crs": {"type": "name"' in fault


def test_a_shapefile_in_degrees_without_a_prj_is_a_fault(tmp_path: Path) -> None:
    line = LineString([(-90.387, 42.572), (-90.386, 42.573)])
    fault = one_fault(layer(tmp_path / "streets.shp", {"name": ["Alma Street"]}, [line], None))
    assert "look like degrees" in fault


def test_degrees_declared_as_feet_are_a_fault(tmp_path: Path) -> None:
    line = LineString([(-90.387, 42.572), (-90.386, 42.573)])
    fault = one_fault(layer(tmp_path / "streets.gpkg", {"name": ["Alma Street"]}, [line], "EPSG:7608"))
    assert fault.startswith("crs: found EPSG:7608, with coordinates that look like degrees")


def test_feet_declared_as_degrees_are_a_fault_of_each_row(tmp_path: Path) -> None:
    rows = [feature({"name": name}, ALMA_FT) for name in ("Alma Street", "Ridge Avenue")]
    faults = piece_faults(geojson(tmp_path / "streets.geojson", *rows, crs=DECLARED))
    assert [fault.partition(": found")[0] for fault in faults] == ["row 1: geometry", "row 2: geometry"]
    assert all("look like feet" in fault for fault in faults)


def test_latitude_before_longitude_is_a_fault(tmp_path: Path) -> None:
    alma = feature({"name": "Alma Street"}, [[42.572, -90.387], [42.573, -90.386]])
    assert "swapped" in one_fault(geojson(tmp_path / "streets.geojson", alma, crs=DECLARED))


@pytest.mark.parametrize(
    "member",
    [
        {"type": "name", "properties": {"name": "EPSG:999999"}},
        {"type": "name", "properties": {"name": "the county's"}},
        {"type": "name", "properties": {"name": "EPSG:4978"}},
        {"type": "name", "properties": {}},
        {"type": "link"},
        "EPSG:4269",
    ],
)
def test_a_crs_member_that_names_no_usable_crs_is_a_fault(tmp_path: Path, member: Any) -> None:
    # GDAL would take each of them for EPSG:4326 and say nothing.
    alma = feature({"name": "Alma Street"}, ALMA_FT)
    assert one_fault(geojson(tmp_path / "streets.geojson", alma, crs=member)).startswith("crs: found")


def test_a_local_plan_without_a_place_on_the_map_is_a_fault(tmp_path: Path) -> None:
    crs = 'LOCAL_CS["plan",UNIT["US survey foot",0.304800609601219]]'
    path = layer(tmp_path / "streets.gpkg", {"name": ["Alma Street"]}, [ALMA], crs)
    assert one_fault(path).startswith("crs: found")


def test_a_zipped_shapefile_is_read(tmp_path: Path) -> None:
    layer(tmp_path / "alma.shp", {"name": ["Alma Street"]}, [ALMA], "EPSG:7608")
    with zipfile.ZipFile(tmp_path / "streets.zip", "w") as archive:
        for path in tmp_path.glob("alma.*"):
            archive.write(path, path.name)
    expect_alma(tmp_path / "streets.zip")


def test_a_zipped_geojson_is_held_to_its_crs_member_too(tmp_path: Path) -> None:
    for name, coordinates in (("feet", ALMA_FT), ("degrees", [[-90.387, 42.572], [-90.386, 42.573]])):
        inner = geojson(tmp_path / f"{name}.geojson", feature({"name": "Alma Street"}, coordinates))
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.write(inner, inner.name)
    expect_alma(tmp_path / "feet.zip")
    assert "look like degrees" in one_fault(tmp_path / "degrees.zip")


def test_heights_are_dropped(tmp_path: Path) -> None:
    line = LineString([(x, y, 850.0) for x, y in ALMA_FT])
    for name in ("streets.gpkg", "streets.shp", "streets.geojson"):
        piece = expect_alma(layer(tmp_path / name, {"name": ["Alma Street"]}, [line], "EPSG:7608"))
        assert not piece.line.has_z


def test_a_crs_with_heights_serves_as_its_plane(tmp_path: Path) -> None:
    line = LineString([(x, y, 850.0) for x, y in ALMA_FT])
    expect_alma(layer(tmp_path / "streets.gpkg", {"name": ["Alma Street"]}, [line], "EPSG:7608+5703"))


def test_a_row_of_several_lines_becomes_several_pieces(tmp_path: Path) -> None:
    lines = MultiLineString([ALMA_FT, [(410324.0, 127500.0), (410324.0, 127900.0)]])
    path = layer(tmp_path / "streets.gpkg", {"name": ["Alma Street"], "accuracy_ft": [2.5]}, [lines], "EPSG:7608")
    pieces = read_pieces(path, BENTON)
    assert [(p.name, p.accuracy_ft, round(p.line.length, 3)) for p in pieces] == [
        ("Alma Street", 2.5, 330.0),
        ("Alma Street", 2.5, 400.0),
    ]


def test_a_vertex_given_twice_counts_once(tmp_path: Path) -> None:
    alma = feature({"name": "Alma Street"}, [ALMA_FT[0], ALMA_FT[0], ALMA_FT[1], ALMA_FT[1], ALMA_FT[0]])
    (piece,) = read_pieces(geojson(tmp_path / "streets.geojson", alma), BENTON)
    assert list(piece.line.coords) == [ALMA_FT[0], ALMA_FT[1], ALMA_FT[0]]


def test_of_several_layers_the_one_of_lines_is_read(tmp_path: Path) -> None:
    path = layer(tmp_path / "village.gpkg", {"name": ["hydrant"]}, [Point(0, 0)], "EPSG:7608", layer="hydrants")
    layer(path, {"name": ["Alma Street"]}, [ALMA], "EPSG:7608", layer="centerlines")
    expect_alma(path)


def test_of_several_layers_of_lines_the_one_asked_for_or_named_like_the_file_is_read(tmp_path: Path) -> None:
    path = layer(tmp_path / "village.gpkg", {"name": ["sewer"]}, [ALMA], "EPSG:7608", layer="sewers")
    layer(path, {"name": ["Alma Street"]}, [ALMA], "EPSG:7608", layer="centerlines")
    assert "sewers (LineString), centerlines (LineString)" in one_fault(path)
    expect_alma(path, layer="centerlines")
    expect_alma(path.rename(tmp_path / "centerlines.gpkg"))


# --- columns ---


def test_what_a_row_leaves_out_has_its_default(tmp_path: Path) -> None:
    (piece,) = read_pieces(geojson(tmp_path / "streets.geojson", feature({"name": "Alma Street"}, ALMA_FT)), BENTON)
    assert piece == Piece("Alma Street", ALMA, "street", "auto", 0.0, "confirmed", "")


@pytest.mark.parametrize("empty", [None, ""])
def test_what_a_row_leaves_empty_has_its_default(tmp_path: Path, empty: str | None) -> None:
    columns = ("kind", "block_line", "accuracy_ft", "name_status", "source")
    alma = feature({"name": "Alma Street", **dict.fromkeys(columns, empty)}, ALMA_FT)
    (piece,) = read_pieces(geojson(tmp_path / "streets.geojson", alma), BENTON)
    assert piece == Piece("Alma Street", ALMA)


FULL: dict[str, list[Any]] = {
    "NAME": ["Alma Street", "Mill Alley"],
    "Kind": ["street", "ALLEY"],
    "block_LINE": ["never", "auto"],
    "Accuracy_ft": [25, 0.5],
    "name_status": ["inferred", "placeholder"],
    "SOURCE": ["survey of 1998", "aerial photograph"],
}


@pytest.mark.parametrize("name", ["streets.gpkg", "streets.shp", "streets.geojson"])
def test_columns_are_matched_whatever_their_case_and_cut_to_ten_letters(tmp_path: Path, name: str) -> None:
    mill = LineString([(410000.0, 127000.0), (410200.0, 127000.0)])
    pieces = read_pieces(layer(tmp_path / name, FULL, [ALMA, mill], "EPSG:7608"), BENTON)
    assert [(p.name, p.kind, p.block_line, p.accuracy_ft, p.name_status, p.source) for p in pieces] == [
        ("Alma Street", "street", "never", 25.0, "inferred", "survey of 1998"),
        ("Mill Alley", "alley", "auto", 0.5, "placeholder", "aerial photograph"),
    ]


def test_names_are_stripped_and_their_inner_spaces_collapsed(tmp_path: Path) -> None:
    alma = feature({"name": "  Alma\u00a0 \t Street "}, ALMA_FT)
    expect_alma(geojson(tmp_path / "streets.geojson", alma))


def test_an_accented_name_is_one_name_however_it_is_composed(tmp_path: Path) -> None:
    rows = [feature({"name": name}, ALMA_FT) for name in ("Caf\u00e9 Street", "Cafe\u0301 Street")]
    pieces = read_pieces(geojson(tmp_path / "streets.geojson", *rows), BENTON)
    assert {piece.name for piece in pieces} == {"Caf\u00e9 Street"}


def test_an_accuracy_kept_as_text_is_a_number(tmp_path: Path) -> None:
    alma = feature({"name": "Alma Street", "accuracy_ft": "25"}, ALMA_FT)
    (piece,) = read_pieces(geojson(tmp_path / "streets.geojson", alma), BENTON)
    assert piece.accuracy_ft == 25.0


# --- faults by row ---


GOOD = {"name": "Alma Street"}
LINE = [[0, 0], [0, 330]]
TRIANGLE = [[[0, 0], [0, 330], [330, 0], [0, 0]]]


@pytest.mark.parametrize(
    ("spoilt", "fault"),
    [
        (feature({"name": None}, LINE), "row 2: name: found nothing, expected the street's name"),
        (feature({"name": ""}, LINE), "row 2: name: found nothing, expected the street's name"),
        (feature({"name": " \t "}, LINE), "row 2: name: found nothing, expected the street's name"),
        (feature({}, LINE), "row 2: name: found nothing, expected the street's name"),
        (feature({"name": "Al\u200bma"}, LINE), r"row 2: name: found 'Al\u200bma', expected the street's name"),
        (feature({"name": "Oak", "kind": "road"}, LINE), "row 2: kind: found road, expected one of street, alley"),
        (
            feature({"name": "Oak", "block_line": "sometimes"}, LINE),
            "row 2: block_line: found sometimes, expected one of auto, never",
        ),
        (
            feature({"name": "Oak", "name_status": "rumoured"}, LINE),
            "row 2: name_status: found rumoured, expected one of confirmed",
        ),
        (feature({"name": "Oak", "accuracy_ft": -1}, LINE), "row 2: accuracy_ft: found -1.0, expected feet"),
        (feature({"name": "Oak", "accuracy_ft": "nan"}, LINE), "row 2: accuracy_ft: found nan, expected feet"),
        (feature({"name": "Oak", "accuracy_ft": "inf"}, LINE), "row 2: accuracy_ft: found inf, expected feet"),
        (feature({"name": "Oak", "accuracy_ft": "good"}, LINE), "row 2: accuracy_ft: found good, expected feet"),
        (feature({"name": "Oak"}, None), "row 2: geometry: found no geometry, expected a line"),
        (feature({"name": "Oak"}, []), "row 2: geometry: found an empty line, expected a line"),
        (feature({"name": "Oak"}, [], "MultiLineString"), "row 2: geometry: found an empty line, expected a line"),
        (feature({"name": "Oak"}, [0, 0], "Point"), "row 2: geometry: found Point, expected a line"),
        (feature({"name": "Oak"}, TRIANGLE, "Polygon"), "row 2: geometry: found Polygon, expected a line"),
        (feature({"name": "Oak"}, [[0, 0]]), "row 2: geometry: found one vertex"),
        (feature({"name": "Oak"}, [[5, 9], [5, 9]]), "row 2: geometry: found one distinct vertex"),
        (
            feature({"name": "Oak"}, [LINE, [[5, 9], [5, 9]]], "MultiLineString"),
            "row 2: geometry: found one distinct vertex",
        ),
        (feature({"name": "Oak"}, [[0, 0], [float("nan"), 9]]), "row 2: geometry: found a coordinate that is no"),
        (feature({"name": "Oak"}, [[0, 0], [float("inf"), 9]]), "row 2: geometry: found a coordinate that is no"),
    ],
)
def test_a_fault_names_its_row_its_column_and_what_was_expected(
    tmp_path: Path, spoilt: dict[str, Any], fault: str
) -> None:
    path = geojson(tmp_path / "streets.geojson", feature(GOOD, LINE), spoilt, feature(GOOD, LINE))
    assert one_fault(path).startswith(fault)


@pytest.mark.parametrize("name", ["streets.gpkg", "streets.shp"])
def test_faults_are_found_in_other_formats_too(tmp_path: Path, name: str) -> None:
    columns: dict[str, list[Any]] = {"name": ["Alma Street", None, "Oak Street"], "accuracy_ft": [1.0, None, -3.0]}
    lines = [ALMA, LineString([(0, 0), (9, 9)]), None]
    faults = piece_faults(layer(tmp_path / name, columns, lines, "EPSG:7608"))
    assert [fault.partition(", expected")[0] for fault in faults] == [
        "row 2: name: found nothing",
        "row 3: geometry: found no geometry",
        "row 3: accuracy_ft: found -3.0",
    ]


def test_a_number_is_no_name(tmp_path: Path) -> None:
    path = layer(tmp_path / "streets.gpkg", {"name": [5]}, [ALMA], "EPSG:7608")
    assert one_fault(path).startswith("row 1: name: found ")


def test_one_name_in_two_spellings_names_both_rows(tmp_path: Path) -> None:
    rows = [feature({"name": name}, LINE) for name in ("Ridge Avenue", "Alma Street", "Alma Street", "Alma street")]
    fault = one_fault(geojson(tmp_path / "streets.geojson", *rows))
    assert fault == "row 4: name: found Alma street, expected the one spelling of row 2, Alma Street"


def test_a_point_that_the_working_crs_cannot_place_is_a_fault(tmp_path: Path) -> None:
    # The south pole, where the cone of Benton's Lambert projection never comes down.
    alma = feature(GOOD, [[90.0, -90.0], [90.2, -90.0]])
    assert one_fault(geojson(tmp_path / "streets.geojson", alma, crs=DECLARED)).startswith(
        "row 1: geometry: found a point beyond"
    )


def test_all_faults_of_a_file_are_told_at_once_in_the_order_of_its_rows(tmp_path: Path) -> None:
    path = geojson(
        tmp_path / "streets.geojson",
        feature({"name": "", "kind": "road", "accuracy_ft": -1}, None),
        feature(GOOD, LINE),
        feature({"name": "alma street", "block_line": "no"}, [[5, 5], [5, 5]]),
    )
    assert [fault.partition(": found")[0] for fault in piece_faults(path)] == [
        "row 1: name",
        "row 1: geometry",
        "row 1: kind",
        "row 1: accuracy_ft",
        "row 3: name",
        "row 3: geometry",
        "row 3: block_line",
    ]


# --- files that are none ---


@pytest.mark.parametrize("name", ["streets.geojson", "streets.gpkg", "streets.shp", "streets.zip"])
@pytest.mark.parametrize(
    "content",
    [b"", b"\x89PNG\r\n\x1a\n" + bytes(64), b"PK\x03\x04" + bytes(64), b'{"type": "FeatureCollection", "features": [{'],
    ids=["empty", "a picture", "a broken archive", "cut off"],
)
def test_a_file_that_is_no_linework_is_one_clear_fault(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert one_fault(tmp_path / name).startswith("file: found")


def test_a_streets_file_cut_off_at_its_end_is_refused_whole(tmp_path: Path) -> None:
    content = (DATA / "streets.geojson").read_bytes()
    (tmp_path / "streets.geojson").write_bytes(content[: len(content) // 2])
    assert one_fault(tmp_path / "streets.geojson").startswith("file: found")


def test_a_file_that_is_not_there_is_one_clear_fault(tmp_path: Path) -> None:
    assert one_fault(tmp_path / "streets.gpkg").startswith("file: found nothing, expected a file at")


def test_a_directory_is_one_clear_fault(tmp_path: Path) -> None:
    assert one_fault(tmp_path).startswith("file: found")


def test_a_text_in_no_known_encoding_is_one_clear_fault(tmp_path: Path) -> None:
    path = geojson(tmp_path / "streets.geojson", feature({"name": "Cafe Street"}, LINE))
    path.write_bytes(path.read_bytes().replace(b"Cafe", b"Caf\xe9"))
    assert one_fault(path).startswith("file: found")


@pytest.mark.parametrize(
    "shape", [Point(410324, 127088), Polygon([(0, 0), (0, 330), (330, 0)])], ids=["points", "polygons"]
)
def test_a_file_without_a_layer_of_lines_is_one_clear_fault(tmp_path: Path, shape: Any) -> None:
    path = layer(tmp_path / "streets.gpkg", {"name": ["Alma Street"]}, [shape], "EPSG:7608")
    assert "expected one layer of lines" in one_fault(path)


def test_a_table_without_shapes_is_one_clear_fault(tmp_path: Path) -> None:
    (tmp_path / "streets.csv").write_text("name,kind\nAlma Street,street\n", encoding="utf-8")
    assert "expected one layer of lines" in one_fault(tmp_path / "streets.csv")


def test_a_layer_that_is_not_in_the_file_is_one_clear_fault(tmp_path: Path) -> None:
    path = layer(tmp_path / "streets.gpkg", {"name": ["Alma Street"]}, [ALMA], "EPSG:7608")
    assert one_fault(path, layer="sewers").startswith("file: found")


@pytest.mark.parametrize("columns", [{"street": "Alma Street"}, {}, {"name": "Alma", "Name": "Street"}])
def test_a_file_without_one_column_of_names_is_one_clear_fault(tmp_path: Path, columns: dict[str, str]) -> None:
    fault = one_fault(geojson(tmp_path / "streets.geojson", feature(columns, LINE)))
    assert fault.startswith("file: found column")
    assert fault.endswith("expected one column name")


def test_a_file_without_rows_is_one_clear_fault(tmp_path: Path) -> None:
    path = layer(tmp_path / "streets.gpkg", {"name": ["Alma Street"]}, [ALMA], "EPSG:7608")
    frame = gpd.read_file(path).iloc[:0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame.to_file(tmp_path / "none.gpkg", geometry_type="LineString")
    assert one_fault(tmp_path / "none.gpkg") == "file: found no rows, expected at least one line"
    assert one_fault(geojson(tmp_path / "none.geojson")).startswith("file: found")


# --- settings of the village ---


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('name = "Benton"', "", "village.name: found nothing, expected a text"),
        ('name = "Benton"', 'name = " "', "village.name: found ' ', expected a text"),
        ('name = "Benton"', "name = 7", "village.name: found 7, expected a text"),
        ('state = "Wisconsin"', 'state = "Wisconsin"\nzip = 53803', "village.zip: found 53803, expected no such"),
        ("jog_ft = 60.0", 'jog_ft = "60"', "reading.jog_ft: found '60', expected a number from 0"),
        ("jog_ft = 60.0", "jog_ft = -1", "reading.jog_ft: found -1, expected a number from 0"),
        ("jog_ft = 60.0", "jog_ft = nan", "reading.jog_ft: found nan, expected a number from 0"),
        ("jog_ft = 60.0", "jog_ft = inf", "reading.jog_ft: found inf, expected a number from 0"),
        ("jog_ft = 60.0", "jog_ft = true", "reading.jog_ft: found True, expected a number from 0"),
        ("jog_ft = 60.0", "jogs_ft = 60.0", "reading.jogs_ft: found 60.0, expected no such setting"),
        ("chord_ft = 50.0", "chord_ft = 0", "reading.chord_ft: found 0, expected a number from 1"),
        (
            "weak_resultant = 0.5",
            "weak_resultant = 1.5",
            "reading.weak_resultant: found 1.5, expected a number",
        ),
        ("junction_deg = 30.0", "junction_deg = 91", "reading.junction_deg: found 91, expected a number from 0 to 90"),
        ("draft = true", 'draft = "yes"', "draft: found 'yes', expected true or false"),
        ("draft_note = ", "draft_nota = ", "draft_nota: found"),
        ('ns = "Van Buren Street"', 'ns = "Main Street"', "base_lines.ns: found the street of base_lines.ew"),
        ('"EPSG:7608"', '"EPSG:4326"', "working_crs: found 'EPSG:4326', expected a projected CRS"),
        ('"EPSG:7608"', '"the county\'s"', 'working_crs: found "the county\'s", expected a coordinate reference'),
        ('"EPSG:7608"', "7608", "working_crs: found 7608, expected a text"),
        ('"EPSG:7608"', '"EPSG:7608', "file: found"),
    ],
)
def test_a_fault_of_the_settings_is_named(village: Path, old: str, new: str, fault: str) -> None:
    replace_in(village / "settings.toml", old, new)
    assert faults_of(lambda: read_settings(village))[0].startswith(fault)


def test_all_faults_of_the_settings_are_told_at_once(village: Path) -> None:
    replace_in(village / "settings.toml", "[village]", "[town]")
    replace_in(village / "settings.toml", '"EPSG:7608"', '"EPSG:3857"')
    replace_in(village / "settings.toml", "jog_ft = 60.0", "jog_ft = -1")
    found = {fault.partition(": found")[0] for fault in faults_of(lambda: read_settings(village))}
    names = ("name", "county", "state")
    assert found == {
        *(f"village.{name}" for name in names),
        *(f"town.{name}" for name in names),
        "working_crs",
        "reading.jog_ft",
    }


def test_a_setting_of_the_reading_left_out_keeps_its_default(village: Path) -> None:
    replace_in(village / "settings.toml", "jog_ft = 60.0", "")
    replace_in(village / "settings.toml", "edge_ft = 660.0", "edge_ft = 700")
    assert read_settings(village).reading == Reading(edge_ft=700.0)


def test_an_adopted_map_is_no_draft(village: Path) -> None:
    replace_in(village / "settings.toml", "draft = true", "draft = false")
    assert read_settings(village).draft == ""


def test_a_draft_must_say_why(village: Path) -> None:
    text = (village / "settings.toml").read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if not line.startswith("draft_note")]
    (village / "settings.toml").write_text("\n".join(kept), encoding="utf-8")
    assert faults_of(lambda: read_settings(village)) == [
        "draft_note: found nothing, expected a sentence saying why the map is a draft"
    ]


def test_missing_settings_are_one_clear_fault(tmp_path: Path) -> None:
    (fault,) = faults_of(lambda: read_settings(tmp_path))
    assert fault.startswith("file: found")


# --- other lines and published addresses ---


def test_other_lines_are_optional_but_checked(village: Path) -> None:
    geojson(village / "linework.geojson", feature({"feature": ""}, LINE), feature({"feature": "limit"}, None))
    assert [fault.partition(", expected")[0] for fault in faults_of(lambda: read_linework(village, BENTON))] == [
        "row 1: feature: found nothing",
        "row 2: geometry: found no geometry",
    ]
    (village / "linework.geojson").unlink()
    assert read_linework(village, BENTON) == ()


def test_published_addresses_are_optional_but_checked(village: Path) -> None:
    path = village / "published_addresses.csv"
    rows = ["number,predir,street", "12 1/2,N,Alma Street", "12,North,Alma Street", "12,N,", "12,N,Alma Street,more"]
    path.write_text("\n".join(rows), encoding="utf-8")
    assert [fault.partition(", expected")[0] for fault in faults_of(lambda: read_published(village))] == [
        "row 1: number: found 12 1/2",
        "row 2: predir: found North",
        "row 3: street: found nothing",
        "row 4: row: found more",
    ]
    path.unlink()
    assert read_published(village) == ()


def test_a_spreadsheet_saved_with_a_byte_order_mark_is_read(village: Path) -> None:
    path = village / "published_addresses.csv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_published(village)[0].number == 237


def test_published_addresses_in_no_known_encoding_are_one_clear_fault(village: Path) -> None:
    (village / "published_addresses.csv").write_bytes(b"number,street\n1,Caf\xe9\n")
    (fault,) = faults_of(lambda: read_published(village))
    assert fault.startswith("file: found")


# --- the village whole ---


def test_faults_of_all_files_are_told_at_once(village: Path) -> None:
    replace_in(village / "settings.toml", '"EPSG:7608"', '"EPSG:4326"')
    replace_in(village / "streets.geojson", '"kind": "street"', '"kind": "road"')
    replace_in(village / "linework.geojson", '"feature": "', '"feature": " ", "was": "')
    replace_in(village / "published_addresses.csv", "237,E", "237,Ost")
    assert [fault.partition(": found")[0] for fault in faults_of(lambda: read_village(village))] == [
        "settings.toml: working_crs",
        "streets.geojson: row 1: kind",
        "linework.geojson: row 1: feature",
        "published_addresses.csv: row 1: predir",
    ]


def test_an_empty_directory_lacks_its_settings_and_streets(tmp_path: Path) -> None:
    faults = faults_of(lambda: read_village(tmp_path))
    assert [fault.partition(": found")[0] for fault in faults] == ["settings.toml: file", "streets: file"]


def test_a_base_line_that_is_no_street_is_a_fault(village: Path) -> None:
    replace_in(village / "settings.toml", 'ew = "Main Street"', 'ew = "Main St"')
    (fault,) = faults_of(lambda: read_village(village))
    assert fault.startswith("settings.toml: base_lines.ew: found Main St, expected the name of a street")


def test_a_village_puts_its_own_geopackage_in_place_of_the_geojson(village: Path) -> None:
    names = ["Main Street", "Van Buren Street"]
    lines = [ALMA, LineString([(410000.0, 127200.0), (411000.0, 127200.0)])]
    layer(village / "streets.gpkg", {"name": names}, lines, "EPSG:7608")
    (fault,) = faults_of(lambda: read_village(village))
    assert fault.startswith("streets: file: found streets.geojson, streets.gpkg, expected one of them alone")
    (village / "streets.geojson").unlink()
    (village / "linework.geojson").unlink()
    (village / "published_addresses.csv").unlink()
    read = read_village(village)
    assert [piece.name for piece in read.pieces] == names
    assert (read.linework, read.published) == ((), ())


# --- settings of the installation ---


def test_nothing_need_be_set_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"BENTON_{name.upper()}", raising=False)
    settings = Settings()
    assert (settings.host, settings.port, settings.law_date) == ("127.0.0.1", 8000, None)
    assert (settings.data_dir / "settings.toml").is_file()


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BENTON_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BENTON_PORT", "8080")
    monkeypatch.setenv("BENTON_LAW_DATE", "2026-07-01")
    settings = Settings()
    assert (settings.data_dir, settings.port, str(settings.law_date)) == (tmp_path, 8080, "2026-07-01")


def test_a_port_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENTON_PORT", "80000")
    with pytest.raises(ValidationError, match="port"):
        Settings()


def test_every_setting_says_what_it_is_for() -> None:
    assert all(field.description for field in Settings.model_fields.values())
