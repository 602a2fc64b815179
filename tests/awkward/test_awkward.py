"""Awkward streets, each in its folder: what they are (why.md), what is expected of their doors, and a preview."""

import json
from functools import cache
from pathlib import Path

import pytest
from shapely.geometry import shape

from tests.awkward.preview import FOLDERS, HERE, drawn, expected, read
from tests.building import MAIN, VAN_BUREN, Village

DOORS = [
    pytest.param(folder, door, id=f"{folder.name}: {door['street']} ({door['x']}, {door['y']})")
    for folder in FOLDERS
    for door in expected(folder)
]


@cache
def built(folder: Path) -> Village:
    return read(folder)


@pytest.mark.parametrize(("folder", "door"), DOORS)
def test_a_door_of_an_awkward_street(folder: Path, door: dict[str, str]) -> None:
    there = built(folder)
    got = there.door(door["street"], float(door["x"]), float(door["y"]))
    assert (got.number, there.half(got)) == (int(door["number"]), door["half"])
    assert (got.block, got.unit_ft) == (int(door["block"]), int(door["unit_ft"]))
    assert there.codes(door["street"], float(door["x"]), float(door["y"])) == set(door["findings"].split())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_preview_of_an_awkward_street_is_up_to_date(folder: Path) -> None:
    assert (folder / "preview.svg").read_text() == drawn(folder), "run python -m tests.awkward.preview"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_input_of_an_awkward_street_is_planar_linework_that_says_why(folder: Path) -> None:
    collection = json.loads((folder / "input.geojson").read_text())
    assert set(collection) == {"type", "features"}  # planar feet: no crs member
    assert {MAIN, VAN_BUREN} < {feature["properties"]["name"] for feature in collection["features"]}
    assert all(shape(feature["geometry"]).is_valid for feature in collection["features"])
    heading, _, words = (folder / "why.md").read_text().partition("\n\n")
    assert heading.startswith("# ")
    assert 2 <= words.count(". ") + words.count(".\n") <= 8


def test_every_folder_is_walked() -> None:
    assert [folder for folder in HERE.iterdir() if folder.is_dir() and folder.name[0] != "_"] != []
    assert {path.parent for path in HERE.glob("*/*.csv")} == set(FOLDERS)
    assert len(FOLDERS) == 10
