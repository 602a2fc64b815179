"""The maps' layers, the script folium writes for them, and the published addresses held against their faces."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from app.assign import preview
from app.maps import bounds, core, layers, map_script, marks, needles, own_findings
from app.published import compared, faces
from app.settings import Settings
from app.village import LONLAT, Village
from tests.test_api import PLAT, village

DAY = date(2026, 6, 1)
HOSTILE = "<img src=x onerror=alert(1)></script>"


@pytest.fixture(scope="module")
def benton() -> Village:
    return Village.load(Settings().data_dir, DAY)


@pytest.fixture(scope="module")
def plat(tmp_path_factory: pytest.TempPathFactory) -> Village:
    return Village.load(village(tmp_path_factory.mktemp("plat"), PLAT), DAY)


def properties(made: Village, name: str, street: str = "") -> list[dict[str, Any]]:
    return [feature["properties"] for feature in layers(made, street)[name]["features"]]


def test_every_layer_is_one_geojson_layer_of_folium_and_nothing_else(benton: Village) -> None:
    script = map_script(benton).body.decode()
    names = ["other", "extended", "casings", "streets", "base_lines", "block_lines", "faces", "findings"]
    assert re.findall(r"var geo_json_(\w+) = L\.geoJson", script) == names
    assert list(layers(benton)) == names
    assert not re.search(r"https?:|L\.(marker|popup|tileLayer|icon)|\$\.ajax|bindPopup", script)


def test_a_map_is_drawn_once_for_each_village_and_street(benton: Village) -> None:
    assert map_script(benton) is map_script(benton)
    assert map_script(benton, "Main Street").tag != map_script(benton).tag


def test_the_same_village_loaded_again_has_the_same_script(benton: Village) -> None:
    assert map_script(Village.load(Settings().data_dir, DAY)).body == map_script(benton).body


def test_a_streets_name_cannot_end_the_script_it_stands_in(tmp_path: Path) -> None:
    made = Village.load(village(tmp_path, {**PLAT, HOSTILE: [(700, -500), (700, 500)]}), DAY)
    script = map_script(made).body.decode()
    assert not re.search(r"</|<\w|<!", script)
    assert r"\u003cimg src=x onerror=alert(1)\u003e\u003c/script\u003e" in script
    assert HOSTILE in {p["name"] for p in properties(made, "streets")}


def test_both_faces_of_a_block_have_their_numbers(plat: Village) -> None:
    found = [
        p for p in properties(plat, "faces") if (p["street"], p["half"], p["block"]) == ("Alma Street", "North", 1)
    ]
    assert {(p["parity"], p["side"], p["numbers"]) for p in found} == {
        ("even", "east", "110–198"),
        ("odd", "west", "111–199"),
    }
    # Alma Street is walked northward: the odd, west side is left.
    assert {p["parity"]: p["left"] for p in found} == {"even": -1, "odd": 1}


def test_a_face_that_is_not_on_the_ground_has_no_plate(plat: Village) -> None:
    # Second Avenue begins 100 ft east of Van Buren Street; Alma Street's rows go on past its end at 1500 ft.
    lengths = [p["ft"] for p in properties(plat, "faces") if p["street"] == "Second Avenue" and p["block"] == 0]
    assert lengths == [340, 340]
    assert sum(p["ft"] for p in properties(plat, "faces") if p["street"] == "Alma Street") == 2 * (1500 + 700)


def test_a_base_line_carries_the_letters_of_its_ends_and_is_dashed_where_carried_on(plat: Village) -> None:
    found = properties(plat, "base_lines")
    assert [(p["name"], p["assumed"], p["start"], p["end"]) for p in found] == [
        ("Main Street", True, "W", ""),
        ("Main Street", False, "", ""),
        ("Main Street", True, "", "E"),
        ("Van Buren Street", True, "S", ""),
        ("Van Buren Street", False, "", ""),
        ("Van Buren Street", True, "", "N"),
    ]
    styler = map_script(plat).body.decode().partition("geo_json_base_lines_styler")[2]
    assert re.findall(r"case (\d+): ?", styler.partition("dashArray")[0]) == ["0", "2", "3", "5"]


def test_a_block_line_says_whether_it_is_built(plat: Village) -> None:
    # Second Avenue ends 100 ft east of Van Buren Street, so only extended does it cross it.
    second = {p["street"]: p["built"] for p in properties(plat, "block_lines") if p["lines"] == "Second Avenue"}
    assert second == {"Alma Street": True, "Van Buren Street": False}


def test_what_is_drawn_lies_where_the_linework_does(benton: Village) -> None:
    (south, west), (north, east) = bounds(benton)
    (core_south, core_west), (core_north, core_east) = core(benton)
    assert south < core_south < core_north < north
    assert west < core_west < core_east < east
    drawn = [c for f in layers(benton)["streets"]["features"] for c in f["geometry"]["coordinates"]]
    assert all(west < lon < east and south < lat < north for lon, lat in drawn)


def test_a_streets_map_holds_its_own_blocks_only(benton: Village) -> None:
    assert {p["street"] for p in properties(benton, "faces", "Main Street")} == {"Main Street"}
    assert {p["name"] for p in properties(benton, "streets", "Main Street")} == set(benton.network.by_name)
    assert {p["name"] for p in properties(benton, "streets", "Main Street") if not p["muted"]} == {"Main Street"}


def test_marks_number_the_rows_with_findings_of_their_own(benton: Village) -> None:
    made = marks(benton)
    assert [m.number for m in made] == list(range(1, len(made) + 1))
    assert {id(m.row) for m in made} == {id(r) for r in benton.map.rows if own_findings(benton, r)}


def test_the_arrows_show_grid_north_and_the_axis(plat: Village, benton: Village) -> None:
    made = needles(plat)
    assert made.grid_deg == made.axis_deg  # Van Buren Street runs along grid north there
    assert 15 < needles(benton).axis_deg < 25
    assert abs(needles(benton).grid_deg) < 1


# --- the published addresses ---


def test_each_of_the_nine_published_addresses_is_held_against_its_face(benton: Village) -> None:
    found = {(c.address.number, c.address.street): c for c in compared(benton)}
    assert len(found) == 9
    missing = {street for (_, street), c in found.items() if not c.street}
    assert missing == {"Third Avenue", "Alma Street", "Water Street", "Railroad Ave"}
    assert all("not in the linework" in c.why for c in found.values() if not c.street)
    assert {(f.half, f.row.block) for c in found.values() for f in c.faces if f.row and c.address.number == 172} == {
        ("East", 1),
        ("West", 1),
    }


def test_172_main_street_without_a_direction_is_not_placed(benton: Village) -> None:
    (church,) = (c for c in compared(benton) if c.address.number == 172)
    assert [f.half for f in church.faces] == ["East", "West"]
    assert church.why.startswith("No direction is given")


def test_the_odd_number_237_agrees_with_the_south_side_its_source_states(benton: Village) -> None:
    (church,) = (c for c in compared(benton) if c.address.number == 237)
    assert [(f.half, f.side, f.row and f.row.hundred) for f in church.faces] == [("East", "south", 200)]
    assert church.stated.endswith("they agree.")


def test_published_addresses_move_no_number(benton: Village, tmp_path: Path) -> None:
    for path in Settings().data_dir.iterdir():
        if path.name != "published_addresses.csv":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    without = Village.load(tmp_path, DAY)
    assert compared(without) == ()
    assert [(r.street, r.from_ft, r.to_ft, r.unit_ft) for r in without.map.rows] == [
        (r.street, r.from_ft, r.to_ft, r.unit_ft) for r in benton.map.rows
    ]


@pytest.mark.parametrize(
    ("number", "street", "half", "from_ft", "side"),
    [
        (12, "Van Buren Street", "North", 8.0, "east"),
        (30, "Main Street", "East", 100.0, "north"),
        (153, "Alma Street", "North", 330 + 21 * 8, "west"),
    ],
)
def test_a_number_lies_in_its_unit(
    plat: Village, number: int, street: str, half: str, from_ft: float, side: str
) -> None:
    (face,) = faces(plat, number, street, half)
    assert (face.from_ft, face.side, face.why) == (from_ft, side, "")
    assert face.position
    lat, lon = face.position
    assert preview(plat, lon, lat, LONLAT, street)["number"] == number


def test_a_number_with_no_place_says_why(plat: Village) -> None:
    (low,) = faces(plat, 105, "Alma Street", "North")
    assert "begin at 111" in low.why
    (far,) = faces(plat, 9911, "Alma Street", "North")
    assert "no 9900 block" in far.why
    (past,) = faces(plat, 98, "Van Buren Street", "North")
    assert past.why == "The block ends before this number's unit: 330.0 ft at 8 ft a number."
    assert not any(face.position for face in (low, far, past))


def test_the_layers_are_plain_json(benton: Village) -> None:
    assert json.loads(json.dumps(layers(benton), allow_nan=False)) == layers(benton)
