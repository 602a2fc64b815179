"""Many objects at once are judged as each is alone."""

from datetime import date

import numpy as np
import pytest
import shapely
from shapely.affinity import rotate

from app.law import law_on
from app.row_layers import ground_of
from app.settings import REPOSITORY
from app.village import Village
from gis.batch import VERDICTS, depths, setbacks
from gis.edges import CURB, PAVED
from gis.encroachment import encroachment
from gis.errors import GeometryError
from gis.layers import Feature, Layer, Layers
from gis.mailbox import setback
from gis.measure import Verdict

LAW = law_on(date(2026, 1, 1)).right_of_way


@pytest.fixture(scope="module")
def benton():
    village = Village.load(REPOSITORY / "data" / "streets", date(2026, 11, 1))
    return ground_of(village, village.files.sections)


def things(ground, count, seed):
    """Scatter boxes, lines and points within 80 ft of the streets, each with an accuracy of its own."""
    rng = np.random.default_rng(seed)
    lines = [f.shape for f in ground.layers.get("centerline").features]
    made = []
    for k in range(count):
        line = lines[rng.integers(len(lines))]
        at = line.interpolate(rng.uniform(0, line.length))
        x, y = np.array(at.coords[0]) + rng.uniform(-80, 80, 2)
        box = rotate(shapely.box(x, y, x + rng.uniform(0.5, 90), y + rng.uniform(0.5, 20)), rng.uniform(0, 180))
        made.append((box, box.exterior.segmentize(9), shapely.Point(x, y))[k % 3])
    return np.array(made, dtype=object), np.round(rng.choice([0.0, 0.1, 3.0, 16.0], count), 3)


@pytest.mark.parametrize("exact", [True, False])
def test_many_things_on_the_right_of_way_are_judged_as_each_alone(benton, exact):
    layer = benton.layers.get("right_of_way")
    if exact:
        layer = Layer(tuple(Feature(f.shape, 0.0, False, f.label) for f in layer.features))
    shapes, accuracy = things(benton, 240, seed=5)
    found = depths(shapes, layer, accuracy)
    alone = Layers({"right_of_way": layer})
    seen = set()
    for k, shape in enumerate(shapes):
        row = encroachment(shape, alone, accuracy_ft=float(accuracy[k])).rows[0]
        verdict = VERDICTS[found.verdict[k]]
        seen.add(verdict)
        close = isinstance(row.margin, float) and abs(abs(row.margin) - found.uncertainty_ft[k]) < 0.002
        assert verdict is row.verdict or close, (k, row)
        assert found.uncertainty_ft[k] == pytest.approx(row.uncertainty)
        if verdict is Verdict.COMPLIES:  # so far off at least
            assert row.value - 0.002 <= found.value_ft[k] <= 0.002 - found.uncertainty_ft[k] or row.value >= 0
        else:  # so deep at least
            assert found.value_ft[k] <= row.value + 0.002
    assert seen >= ({Verdict.COMPLIES, Verdict.VIOLATES, Verdict.UNDECIDED} if not exact else {Verdict.VIOLATES})


def test_many_mailboxes_are_judged_as_each_alone(benton):
    shapes, accuracy = things(benton, 300, seed=7)
    points = shapely.centroid(shapes)
    x, y = shapely.get_x(points), shapely.get_y(points)
    found = setbacks(x, y, benton.edges, accuracy, LAW)
    for k, point in enumerate(points):
        row, _ = setback("setback_in", "door", benton.edges, point, float(accuracy[k]), None, LAW)
        assert VERDICTS[found.verdict[k]] is row.verdict
        assert found.value_ft[k] * 12 == pytest.approx(row.value, abs=1e-5)
        assert benton.edges[found.feature[k]].kind in {CURB, PAVED}


def test_a_bar_whose_corners_are_all_off_the_street_lies_right_across_it():
    street = Layer((Feature(shapely.box(0, -33, 600, 33)),))
    shapes = np.array([shapely.box(300, -40, 301, 40), shapely.box(300, 33, 301, 40), shapely.box(300, 34, 301, 40)])
    found = depths(shapes, street, np.zeros(3))
    assert [VERDICTS[v] for v in found.verdict] == [Verdict.VIOLATES, Verdict.COMPLIES, Verdict.COMPLIES]
    assert found.value_ft[1] == 0
    unsure = depths(shapes, street, np.array([32.0, 1.0, 1.0]))
    assert [VERDICTS[v] for v in unsure.verdict] == [Verdict.VIOLATES, Verdict.UNDECIDED, Verdict.COMPLIES]


def test_of_nothing_there_is_nothing_and_without_a_layer_all_complies():
    nothing = np.array([], dtype=object)
    street = Layer((Feature(shapely.box(0, -33, 600, 33)),))
    assert len(depths(nothing, street, np.zeros(0)).verdict) == 0
    assert depths(np.array([shapely.Point(0, 0)]), Layer(()), np.zeros(1)).verdict.tolist() == [0]
    with pytest.raises(GeometryError, match="one for each object"):
        depths(np.array([shapely.Point(0, 0)]), street, np.zeros(2))
