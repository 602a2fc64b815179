"""§ 288-15 G(3): "Whenever any building is situated more than 50 feet from the street line"."""

import math

import numpy as np
import pytest
from shapely import Point, Polygon, box

from gis.errors import GeometryError
from gis.setback import Display, SetBack, display_duty, set_back
from tests.building import MAIN, VAN_BUREN, Village, base_lines, street, village

# Van Buren Street is x = 0 and its right-of-way, assumed 66 ft wide, ends at x = 33.
EXACT = village()
BENTON = village(*base_lines(accuracy_ft=25))
AT_BUILDING, AT_STREET_LINE, MEASURE_IT = Display


def measured(
    footprint: Polygon | Point, there: Village = EXACT, name: str = VAN_BUREN, width_ft: float = 0, own_ft: float = 0
) -> SetBack:
    (path,) = there.map.network.by_name[name]
    return set_back(
        there.frontages,
        path,
        footprint,
        half_width_ft=33,
        width_accuracy_ft=width_ft,
        position_accuracy_ft=own_ft,
    )


@pytest.mark.parametrize(
    ("front", "where"),
    [(82.99, AT_BUILDING), (83, AT_BUILDING), (83.01, AT_STREET_LINE)],  # 83 is 50 ft from the line at 33
)
def test_a_building_more_than_50_ft_from_the_street_line_shows_its_number_there(front, where):
    assert display_duty(measured(box(front, 100, front + 40, 130)), 50) is where


def test_the_building_counts_and_not_its_door():
    house, door = box(60, 100, 110, 130), Point(110, 115)
    assert (measured(house).distance.value_ft, measured(house).from_door) == (60 - 33, False)
    assert (measured(door).distance.value_ft, measured(door).from_door) == (110 - 33, True)
    assert display_duty(measured(house), 50) is AT_BUILDING
    assert display_duty(measured(door), 50) is AT_STREET_LINE


def test_the_line_runs_from_the_building_to_the_street_line():
    askew = Polygon([(83, 100), (120, 60), (120, 140)])
    assert measured(askew).line.tolist() == [[83, 100], [33, 100]]
    west = box(-120, 100, -83, 140)
    assert np.allclose(measured(west).line[:, 0], [-83, -33])


def test_only_the_street_the_building_is_numbered_on_counts():
    corner = box(100, 40, 140, 80)
    assert measured(corner).distance.value_ft == 100 - 33
    assert measured(corner, name=MAIN).distance.value_ft == 40 - 33


def test_a_building_over_the_street_line_is_less_than_0_ft_from_it():
    over = measured(box(30, 100, 70, 130))
    assert over.distance.value_ft == 30 - 33
    assert over.line[:, 0].tolist() == [30, 33]
    astride = measured(box(-10, 100, 70, 130))
    assert astride.distance.value_ft == -33
    assert np.array_equal(astride.line[0], astride.line[1])


def test_past_the_streets_end_the_distance_is_to_its_end():
    court = village(street("Court Street", (500, 0), (500, 200)))
    beyond = measured(box(530, 240, 600, 300), court, "Court Street")  # 30 east and 40 north of the end
    assert beyond.distance.value_ft == pytest.approx(50 - 33)


def test_a_gap_in_the_street_is_no_street_line():
    gap = village(street("Mill Street", (500, 0), (500, 200)), street("Mill Street", (500, 320), (500, 600)))
    across = measured(box(545, 255, 600, 260), gap, "Mill Street")  # 45 east, 55 and 60 from the ends of the gap
    assert across.distance.value_ft == pytest.approx(math.hypot(45, 55) - 33)


def test_the_uncertainty_joins_centerline_width_and_footprint():
    assert measured(box(60, 100, 110, 130), BENTON, width_ft=5).distance.uncertainty_ft == pytest.approx(
        25.495, abs=1e-3
    )
    # 25² + 6² + 30² = 1561
    assert measured(box(60, 100, 110, 130), BENTON, width_ft=6, own_ft=30).distance.uncertainty_ft == math.sqrt(1561)


def test_the_worst_piece_of_the_street_gives_its_accuracy():
    pieces = [street("Mill Street", (500, 0), (500, 200), accuracy_ft=3)]
    pieces += [street("Mill Street", (500, 200), (500, 600), accuracy_ft=4)]
    assert measured(box(560, 20, 600, 40), village(*pieces), "Mill Street", own_ft=3).distance.uncertainty_ft == 5


@pytest.mark.parametrize(
    ("front", "where"),
    [
        (58, AT_BUILDING),  # 25 + 25 ft at most
        (58.1, MEASURE_IT),
        (83, MEASURE_IT),
        (108, MEASURE_IT),  # 75 - 25 ft at least: not more than 50
        (108.1, AT_STREET_LINE),
    ],
)
def test_where_the_accuracy_leaves_50_ft_open_the_distance_is_to_be_measured(front, where):
    assert display_duty(measured(box(front, 100, front + 40, 130), BENTON), 50) is where


@pytest.mark.parametrize(
    ("footprint", "said"),
    [
        (Polygon(), "empty"),
        (Polygon([(60, 0), (90, 30), (90, 0), (60, 30)]), "Self-intersection"),
        (Point(), "finite"),
        (Point(math.nan, 1), "finite"),
    ],
)
def test_a_footprint_that_is_none_is_refused(footprint, said):
    with pytest.raises(GeometryError, match=f"footprint: .*{said}"):
        measured(footprint)


@pytest.mark.parametrize("path", [-1, 2])
def test_a_door_on_no_street_has_no_street_line(path):
    with pytest.raises(GeometryError, match="0 to 1"):
        set_back(EXACT.frontages, path, Point(60, 60), half_width_ft=33, width_accuracy_ft=0, position_accuracy_ft=0)
