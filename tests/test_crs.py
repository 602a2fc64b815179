"""Projection: which CRS lengths may be measured in, where Benton lies, and what is refused."""

import math
import threading

import numpy as np
import pyproj.network
import pytest

from gis.crs import (
    check_feet,
    check_lonlat,
    from_working,
    is_geographic,
    looks_like_degrees,
    to_working,
    warm,
    working_crs,
)
from gis.errors import CrsError, GeometryError

BENTON = working_crs("EPSG:7608")
WIS_11_AT_COUNTY_J = (-90.387096, 42.572393)
VILLAGE_FT = (400_000.0, 120_000.0, 415_000.0, 135_000.0)


def lambert_us_ft(lon: float, lat: float) -> tuple[float, float]:
    """EPSG:7608 by hand: Snyder, Map Projections (USGS PP 1395), 15-1 to 15-9, one standard parallel, GRS 80."""
    flattening, metres_to_ft = 1 / 298.257222101, 3937 / 1200
    e = math.sqrt(2 * flattening - flattening**2)
    lat0, lon0, k0 = math.radians(42.6375622769444), -89.8388888888889, 1.0000390487

    def t(phi: float) -> float:
        return math.tan(math.pi / 4 - phi / 2) / math.pow((1 - e * math.sin(phi)) / (1 + e * math.sin(phi)), e / 2)

    n = math.sin(lat0)
    scale = 6378137 * k0 * metres_to_ft * math.cos(lat0) / math.sqrt(1 - (e * n) ** 2) / (n * t(lat0) ** n)
    rho, rho0, theta = scale * t(math.radians(lat)) ** n, scale * t(lat0) ** n, n * math.radians(lon - lon0)
    return 558000 + rho * math.sin(theta), 150361.559 + rho0 - rho * math.cos(theta)


def test_a_point_of_benton_lies_where_the_formula_by_hand_puts_it() -> None:
    assert to_working("EPSG:4269", BENTON)(*WIS_11_AT_COUNTY_J) == pytest.approx(
        lambert_us_ft(*WIS_11_AT_COUNTY_J), abs=0.001
    )


def test_the_same_point_by_cs2cs() -> None:
    # echo "42.572393 -90.387096" | cs2cs -d 4 EPSG:4269 EPSG:7608   (PROJ 9.1.1)
    assert to_working("EPSG:4269", BENTON)(*WIS_11_AT_COUNTY_J) == pytest.approx((410324.6506, 127088.1267), abs=1e-3)


def test_gps_positions_are_not_shifted_to_the_datum() -> None:
    gps, tiger = to_working("EPSG:4326", BENTON), to_working("EPSG:4269", BENTON)
    assert gps(*WIS_11_AT_COUNTY_J) == pytest.approx(tiger(*WIS_11_AT_COUNTY_J), abs=1e-6)


def test_there_and_back_again() -> None:
    x, y = to_working("EPSG:4326", BENTON)(*WIS_11_AT_COUNTY_J)
    assert from_working("EPSG:4326", BENTON)(x, y) == pytest.approx(WIS_11_AT_COUNTY_J, abs=1e-9)


def test_many_points_are_the_same_as_one_at_a_time() -> None:
    project = to_working("EPSG:4326", BENTON)
    lon, lat = np.linspace(-90.40, -90.37, 7), np.linspace(42.56, 42.58, 7)
    x, y = project(lon, lat)
    assert [(px, py) for px, py in zip(x, y, strict=True)] == [
        project(float(a), float(b)) for a, b in zip(lon, lat, strict=True)
    ]


def test_an_array_keeps_its_shape_and_may_be_empty() -> None:
    project = to_working("EPSG:4326", BENTON)
    x, y = project(np.full((2, 3), -90.38), np.full((2, 3), 42.57))
    assert x.shape == y.shape == (2, 3)
    assert project(np.zeros(0), np.zeros(0))[0].shape == (0,)


def test_one_point_with_no_place_is_refused_and_many_are_marked() -> None:
    project = to_working("EPSG:4326", BENTON)
    with pytest.raises(GeometryError, match="x, y"):
        project(200.0, 95.0)
    with pytest.raises(GeometryError):
        project(math.nan, 42.57)
    x, y = project(np.array([200.0, -90.38, math.inf]), np.array([95.0, 42.57, 42.57]))
    assert np.isnan(x).tolist() == np.isnan(y).tolist() == [True, False, True]


def test_arrays_of_different_shapes_are_refused() -> None:
    with pytest.raises(GeometryError, match="one shape"):
        to_working("EPSG:4326", BENTON)(np.zeros(2), np.zeros(3))


def test_coordinates_already_in_the_working_crs_stay_exactly_as_they_are() -> None:
    assert to_working("EPSG:7608", BENTON)(410324.1, 127088.7) == (410324.1, 127088.7)
    assert from_working("EPSG:7608", BENTON)(50.0, 10.0) == (50.0, 10.0)


def test_the_projection_is_made_once() -> None:
    assert to_working("EPSG:4326", BENTON) is to_working("EPSG:4326", BENTON)


def test_another_thread_may_be_warmed_and_gets_the_same_numbers() -> None:
    found: list[tuple[float, float]] = []

    def work() -> None:
        warm(BENTON, "EPSG:4326")
        found.append(to_working("EPSG:4326", BENTON)(*WIS_11_AT_COUNTY_J))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [to_working("EPSG:4326", BENTON)(*WIS_11_AT_COUNTY_J)]


def test_no_grid_is_fetched_from_the_network() -> None:
    to_working("EPSG:4267", BENTON)(*WIS_11_AT_COUNTY_J)
    assert not pyproj.network.is_network_enabled()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "us_ft"),
    [
        ("EPSG:7608", 1.0),
        ("EPSG:26916", 3937 / 1200),
        ("EPSG:2222", 0.3048 * 3937 / 1200),
    ],
    ids=["US survey foot", "metre", "international foot"],
)
def test_whatever_its_unit_a_working_crs_gives_us_survey_feet(text: str, us_ft: float) -> None:
    working = working_crs(text)
    assert working.us_ft == pytest.approx(us_ft, rel=1e-12)
    assert to_working(text, working)(1000.0, 2000.0) == pytest.approx((1000 * us_ft, 2000 * us_ft), rel=1e-12)
    assert from_working(text, working)(1000 * us_ft, 2000 * us_ft) == pytest.approx((1000, 2000), rel=1e-12)


def test_a_us_survey_foot_is_exactly_one_foot() -> None:
    assert working_crs("EPSG:7608").us_ft == 1.0


def test_the_metre_edition_of_bentons_crs_gives_the_same_feet() -> None:
    metres = working_crs("EPSG:7549")  # NAD83(2011) / WISCRS Green and Lafayette (m)
    assert metres.us_ft != 1.0
    # The two editions round their false origins separately: 170078.7403 m is 0.0005 ft short of 558000 ft.
    assert to_working("EPSG:4269", metres)(*WIS_11_AT_COUNTY_J) == pytest.approx(
        to_working("EPSG:4269", BENTON)(*WIS_11_AT_COUNTY_J), abs=0.01
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "EPSG:99999",
        "EPSG:4326",
        "EPSG:4978",
        "EPSG:5703",
        "EPSG:7608+5703",
        'LOCAL_CS["plan",UNIT["foot",0.3048]]',
        "+init=epsg:7608",
        "EPSG:7608\0",
        "EPSG:2053",
        "EPSG:3857",
        "EPSG:3395",
    ],
    ids=[
        "nothing",
        "no CRS",
        "no such code",
        "geographic",
        "geocentric",
        "heights",
        "compound",
        "a local plan",
        "a deprecated form",
        "a hidden NUL",
        "axes west and south",
        "web Mercator",
        "world Mercator",
    ],
)
def test_a_crs_no_length_can_be_measured_in_is_refused(text: str) -> None:
    with pytest.raises(CrsError) as refused:
        working_crs(text)
    (fault,) = refused.value.faults
    assert fault.field == "crs"
    assert "EPSG:7608" in fault.expected or "east and north" in fault.expected


@pytest.mark.parametrize("text", ["nonsense", "EPSG:4978", "EPSG:5703", 'LOCAL_CS["plan",UNIT["foot",0.3048]]'])
def test_coordinates_cannot_come_in_a_crs_without_a_place_on_the_map(text: str) -> None:
    with pytest.raises(CrsError, match="crs"):
        to_working(text, BENTON)
    with pytest.raises(CrsError, match="crs"):
        from_working(text, BENTON)


def test_degrees_are_told_from_feet_by_the_crs() -> None:
    assert is_geographic("EPSG:4269")
    assert not is_geographic("EPSG:7608")
    with pytest.raises(CrsError):
        is_geographic("nonsense")


def test_linework_without_a_crs_is_seen_to_be_in_degrees_by_its_extent() -> None:
    assert looks_like_degrees((-90.40, 42.56, -90.37, 42.58))
    assert not looks_like_degrees((-2000, -700, 2000, 1500))
    assert not looks_like_degrees(VILLAGE_FT)
    assert not looks_like_degrees((math.nan, 0, 1, 1))


def test_a_position_in_benton_passes() -> None:
    check_lonlat(*WIS_11_AT_COUNTY_J, working=BENTON)
    check_lonlat(np.array([-90.38, -90.39]), np.array([42.57, 42.58]), working=BENTON)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (42.572393, -90.387096, "swapped"),
        (410324.65, 127088.13, "look like feet"),
        (-90.38, 90.001, "latitude -90..90"),
        (-180.001, 42.57, "longitude -180..180"),
        (math.nan, 42.57, "finite"),
        (-90.38, math.inf, "finite"),
    ],
)
def test_a_longitude_and_latitude_that_cannot_be_is_refused_by_field(x: float, y: float, expected: str) -> None:
    with pytest.raises(GeometryError, match=expected) as refused:
        check_lonlat(x, y, field="entrance")
    assert refused.value.faults[0].field == "entrance"


def test_the_poles_and_the_date_line_are_still_degrees() -> None:
    check_lonlat(180.0, 90.0)
    check_lonlat(-180.0, -90.0)


def test_a_swapped_pair_that_could_be_somewhere_is_known_by_the_area_of_the_working_crs() -> None:
    check_lonlat(42.57, -89.9)
    with pytest.raises(GeometryError, match="swapped"):
        check_lonlat(42.57, -89.9, working=BENTON)


def test_the_first_bad_point_of_many_is_named() -> None:
    with pytest.raises(GeometryError, match=r"line\[1\]: found \(42.5, -90.4\)"):
        check_lonlat(np.array([-90.4, 42.5]), np.array([42.5, -90.4]), field="line")


def test_degrees_given_as_feet_are_refused_by_field() -> None:
    with pytest.raises(GeometryError, match="look like degrees") as refused:
        check_feet(*WIS_11_AT_COUNTY_J, bounds=VILLAGE_FT, field="entrance")
    assert refused.value.faults[0].field == "entrance"
    with pytest.raises(GeometryError, match=r"doors\[1\]"):
        check_feet(np.array([410324.0, -90.4]), np.array([127088.0, 42.5]), bounds=VILLAGE_FT, field="doors")
    with pytest.raises(GeometryError, match="finite"):
        check_feet(math.nan, 1.0, bounds=VILLAGE_FT)


def test_small_feet_are_no_degrees_where_the_village_itself_is_there() -> None:
    check_feet(50.0, 10.0, bounds=(-2000, -700, 2000, 1500))
    check_feet(410324.65, 127088.13, bounds=VILLAGE_FT)
