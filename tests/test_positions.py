"""Positions as they are sent: the shift of GPS is published elsewhere and said, and what is no place is refused."""

from datetime import date

import numpy as np
import pytest

from app.positions import Positions
from app.settings import REPOSITORY
from app.village import Village
from gis.errors import StreetsError

JUNCTION = (-90.387096, 42.572393)  # where Main Street meets County Road J, as published


@pytest.fixture(scope="module")
def benton() -> Village:
    return Village.load(REPOSITORY / "data" / "streets", date(2026, 11, 1))


def test_a_position_of_gps_is_moved_by_four_feet_at_benton_and_says_so(benton):
    null = np.array(Positions(benton, datum="nad83-2011").point(*JUNCTION).coords[0])
    positions = Positions(benton, epoch=2025.0)
    moved = np.array(positions.point(*JUNCTION).coords[0]) - null
    assert moved == pytest.approx([3.39, -2.80], abs=0.005)  # the survey's own figures for epoch 2025
    assert positions.told["shifted"]
    assert "3.39 ft east and 2.80 ft south, 4.4 ft in all" in positions.told["note"]


def test_a_position_in_nad83_is_not_moved(benton):
    for crs in ("EPSG:7608", "EPSG:6318", "EPSG:4269"):
        positions = Positions(benton, crs)
        place = (410324.65, 127088.13) if crs == "EPSG:7608" else JUNCTION
        assert positions.point(*place).coords[0] == pytest.approx((410324.65, 127088.13), abs=0.01)
        assert not positions.told["shifted"]


def test_without_an_epoch_the_day_of_the_request_counts(benton):
    """The plate moves some 0.06 ft a year: ten years are seen, and the answer says which year was taken."""
    early = Positions(benton, day=date(2015, 1, 1))
    late = Positions(benton, day=date(2025, 1, 1))
    moved = np.array(late.point(*JUNCTION).coords[0]) - np.array(early.point(*JUNCTION).coords[0])
    assert 0.3 < np.hypot(*moved) < 1.0
    assert (early.told["epoch"], late.told["epoch"]) == (2015.0, 2025.0)


def test_a_surveyed_layer_is_not_moved_with_the_positions(benton):
    line = {"type": "LineString", "coordinates": [list(JUNCTION), [-90.3870, 42.5724]]}
    positions = Positions(benton, epoch=2025.0)
    kept = positions.shape(line, "curb_line", ("LineString",), moved=False)
    assert kept.coords[0] == pytest.approx((410324.65, 127088.13), abs=0.01)
    assert not positions.told["shifted"]


SQUARE = [[410300, 127000], [410310, 127000], [410310, 127010], [410300, 127010], [410300, 127000]]
BOW = [[410300, 127000], [410310, 127010], [410310, 127000], [410300, 127010], [410300, 127000]]


@pytest.mark.parametrize(
    ("crs", "content", "field", "told"),
    [
        ("EPSG:7608", {"type": "Polygon", "coordinates": [BOW]}, "object", "Self-intersection[410305 127005]"),
        ("EPSG:7608", {"type": "Polygon", "coordinates": []}, "object.coordinates", "a list of rings"),
        ("EPSG:7608", {"type": "Polygon", "coordinates": [SQUARE[:3]]}, "object.coordinates[0]", "four or more"),
        ("EPSG:7608", {"type": "Polygon", "coordinates": [SQUARE[:4]]}, "object.coordinates[0]", "open"),
        ("EPSG:7608", {"type": "Polygon", "coordinates": [[[1, None], *SQUARE]]}, "object.coordinates[0]", "a ring"),
        ("EPSG:7608", {"type": "Polygon", "coordinates": [[["1", "2"], *SQUARE]]}, "object.coordinates[0]", "a ring"),
        ("EPSG:7608", {"type": "Point", "coordinates": [float("nan"), 1.0]}, "object.coordinates[0]", "finite"),
        ("EPSG:7608", {"type": "Point", "coordinates": [-90.38, 42.57]}, "object", "degrees"),
        ("EPSG:4326", {"type": "Point", "coordinates": [42.57, -90.38]}, "object", "swapped"),
        ("EPSG:4326", {"type": "Point", "coordinates": [410300.0, 127000.0]}, "object", "feet or metres"),
        ("EPSG:4326", {"type": "Point", "coordinates": [-89.4, 43.07]}, "object", "outside the village"),
        ("EPSG:4326", {"type": "LineString", "coordinates": [[-90.38, 42.57]] * 2}, "object", "without length"),
        ("EPSG:4326", {"type": "GeometryCollection", "geometries": []}, "object.type", "a GeoJSON Point"),
        ("EPSG:4326", {"type": ["Point"], "coordinates": [0, 0]}, "object.type", "a GeoJSON Point"),
        ("EPSG:4326", "POINT(0 0)", "object", "a GeoJSON Point"),
        ("EPSG:4326", {"type": "LineString", "coordinates": [[-90.38, 42.57]] * 10_001}, "object.coordinates", "most"),
        ("EPSG:99999", {"type": "Point", "coordinates": [0, 0]}, "crs", "coordinate reference system"),
    ],
)  # fmt: skip
def test_what_is_no_shape_in_the_village_is_refused_with_the_place_of_the_fault(benton, crs, content, field, told):
    with pytest.raises(StreetsError) as refused:
        Positions(benton, crs).shape(content, "object", ("Point", "LineString", "Polygon"))
    assert refused.value.faults[0].field == field
    assert told in str(refused.value)


def test_a_datum_and_an_epoch_that_are_none_are_refused(benton):
    with pytest.raises(StreetsError, match="datum: found wgs"):
        Positions(benton, datum="wgs")
    with pytest.raises(StreetsError, match="epoch"):
        Positions(benton, epoch=25.0).point(*JUNCTION)
