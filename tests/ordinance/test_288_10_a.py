"""§ 288-10 A: the terrace is "the land between the normal location of the street curbing and sidewalk"."""

from datetime import date

import numpy as np
import pytest
import shapely
from shapely import LineString, box

from app.law import law_on
from gis.edges import CURB, edges
from gis.errors import GeometryError
from gis.layers import Feature, layers
from gis.row import CrossSection, Run, Side, Surveyed, build
from gis.rules import RowReading
from gis.terrace import terraces

LAW = law_on(date(2026, 1, 1)).right_of_way
READING = RowReading()
USUAL = Side(curb=True, walk_offset_ft=8.0, walk_width_ft=5.0)
SECTION = CrossSection(66.0, 36.0, USUAL, USUAL, accuracy_ft=5.0, assumed=True)


def street(coords, section=SECTION, name="Alma Street", accuracy_ft=0.0):
    return Run(name, np.array(coords, dtype=float), section, True, accuracy_ft)


def derived(*runs, surveyed=()):
    made = build(runs, SECTION, surveyed)
    return made, terraces(made, edges(made), LAW, READING)


def test_on_a_straight_street_a_strip_is_as_wide_as_from_the_back_of_the_curb_to_the_walk():
    made, found = derived(street([(0, 0), (1000, 0)]))
    assert len(found) == 2  # one on each side
    for terrace in found:
        assert terrace.strip.area == pytest.approx((8.0 - 0.5) * 1000, abs=1e-6)
        assert terrace.lawn.area == pytest.approx((8.0 - 0.5) * 1000, abs=1e-6)
    assert sum(f.shape.area for f in made.get("sidewalk").features) == pytest.approx(2 * 5 * 1000, abs=1e-6)
    assert made.get("pavement").union().area == pytest.approx(36_000, abs=1e-6)
    assert made.get("right_of_way").union().area == pytest.approx(66_000, abs=1e-6)
    assert sorted(f.shape.coords[0][1] for f in made.get("curb_line").features) == [-18, 18]


def test_a_street_at_any_angle_has_the_same_strip():
    for degrees in (17, 90, 130, 250):
        turned = np.radians(degrees)
        end = (1000 * np.cos(turned), 1000 * np.sin(turned))
        _, found = derived(street([(410_000, 127_000), (410_000 + end[0], 127_000 + end[1])]))
        assert [t.strip.area for t in found] == pytest.approx([7500, 7500], abs=1e-5)


def test_without_a_walk_the_strip_ends_four_feet_from_the_curb_line():
    bare = CrossSection(66, 36, Side(True), Side(True))
    made, found = derived(street([(0, 0), (1000, 0)], bare))
    assert made.get("sidewalk").features == ()
    assert [t.strip.area for t in found] == pytest.approx([3500, 3500], abs=1e-6)
    top = max(t.strip.bounds[3] for t in found)
    assert top == pytest.approx(18 + 4)


def test_a_walk_directly_at_the_curb_lies_on_a_terrace_of_four_feet():
    """ "Where there are only sidewalks, the area four feet from the curb shall be deemed boulevard"."""
    at_curb = Side(True, 0.5, 6.0)
    _, found = derived(street([(0, 0), (1000, 0)], CrossSection(66, 36, at_curb, at_curb)))
    for terrace in found:
        assert terrace.strip.area == pytest.approx(3500, abs=1e-6)
        assert terrace.lawn.area == pytest.approx(0, abs=1e-6)


def test_where_a_walk_ends_the_strip_goes_on_four_feet_deep():
    walk = Feature(box(0, 26, 400, 31))
    found = terraces(
        layers({"sidewalk": [walk]}),
        edges(layers({"curb_line": [Feature(LineString([(0, 18), (1000, 18)]))], "sidewalk": [walk]})),
        LAW,
        READING,
    )
    assert found[0].strip.area == pytest.approx(400 * 7.5 + 600 * 3.5, abs=1e-4)


def test_a_walk_that_runs_askew_bounds_the_strip_along_its_own_edge():
    walk = shapely.Polygon([(0, 24), (100, 34), (100, 39), (0, 29)])  # from 6 to 16 ft behind the curb
    made = layers({"curb_line": [Feature(LineString([(0, 18), (100, 18)]))], "sidewalk": [Feature(walk)]})
    strip = terraces(made, edges(made), LAW, READING)[0].strip
    assert strip.area == pytest.approx(100 * (5.5 + 15.5) / 2, abs=1e-4)
    assert not strip.intersection(walk).area > 1e-9


def test_streets_that_cross_leave_no_terrace_on_each_others_pavement_and_each_corner_two():
    east, north = street([(-500, 0), (500, 0)]), street([(0, -500), (0, 500)], name="First Street")
    made, found = derived(east, north)
    pavement, walks = made.get("pavement").union(), made.get("sidewalk").union()
    for terrace in found:
        assert terrace.strip.intersection(pavement).area == pytest.approx(0, abs=1e-6)
        assert terrace.lawn.intersection(walks).area == pytest.approx(0, abs=1e-6)
    parts = [edge for edge in edges(made) if edge.kind == CURB]
    assert len(parts) == 8  # both sides of four arms
    corner = box(18, 18, 300, 300)  # the corner lot's side of both streets
    behind = [t for t in found if t.strip.intersection(corner).area > 100]
    assert len(behind) == 2
    assert {t.edge.label for t in behind} == {"Alma Street", "First Street"}


def test_a_carriage_walk_across_the_terrace_is_no_lawn():
    walk, carriage = Feature(box(0, 26, 1000, 31)), Feature(box(500, 18.5, 504, 26))
    made = layers({"curb_line": [Feature(LineString([(0, 18), (1000, 18)]))], "sidewalk": [walk, carriage]})
    terrace = terraces(made, edges(made), LAW, READING)[0]
    assert terrace.lawn.area == pytest.approx(7.5 * 996 - 0, abs=0.01)


def test_at_a_bend_both_sides_keep_their_strip():
    made, found = derived(street([(0, 0), (500, 0), (800, 300)]))
    inner, outer = sorted(t.strip.area for t in found)
    length = 500 + np.hypot(300, 300)
    # a mitred corner: 22.25 ft beside the centerline the strip is shorter or longer by 2 x 22.25 tan(22.5)
    change = 2 * (18 + 0.5 + 7.5 / 2) * np.tan(np.radians(22.5))
    assert inner == pytest.approx(7.5 * (length - change), rel=2e-3)
    assert outer == pytest.approx(7.5 * (length + change), rel=2e-3)
    for terrace in found:
        assert terrace.strip.is_valid
        assert terrace.lawn.intersection(made.get("sidewalk").union()).area == pytest.approx(0, abs=1e-6)


def test_a_surveyed_walk_takes_the_place_of_the_built_one_beside_it_only():
    surveyed = Surveyed("sidewalk", Feature(box(200, 27, 400, 33), 0.1, known={"street": "Alma Street"}))
    made, _ = derived(street([(0, 0), (1000, 0)]), surveyed=[surveyed])
    walks = made.get("sidewalk").features
    built = [f for f in walks if f.assumed]
    assert [f.accuracy_ft for f in walks if not f.assumed] == [0.1]
    assert sum(f.shape.area for f in built) == pytest.approx(5 * 1000 + 5 * 800, abs=1e-6)
    assert shapely.union_all([f.shape for f in built]).intersection(box(200, 0, 400, 99)).area == pytest.approx(0)


def test_what_is_built_is_as_poor_as_its_centerline_and_its_width_together():
    made, found = derived(street([(0, 0), (1000, 0)], accuracy_ft=25.0))
    assert made.get("curb_line").features[0].accuracy_ft == pytest.approx(25.495, abs=0.001)  # 25 and 5
    assert made.get("centerline").features[0].accuracy_ft == 25.0
    assert found[0].assumed


def test_a_side_without_a_curb_is_read_from_the_pavement_and_from_where_a_curb_would_be():
    """ "The normal location of the street curbing": a 24 ft pavement, where the standard section has 36 ft."""
    open_side = Side(curb=False)
    made, _ = derived(street([(0, 0), (1000, 0)], CrossSection(66, 24, open_side, open_side)))
    found = edges(made)
    assert sorted({(e.kind, abs(e.coords[0][1])) for e in found}) == [("paved", 12.0), ("standard", 18.0)]
    assert made.get("curb_line").features == ()


def test_a_curb_line_alone_does_not_say_on_which_side_the_street_is():
    alone = layers({"curb_line": [Feature(LineString([(0, 18), (1000, 18)]))]})
    with pytest.raises(GeometryError, match="which side is the street"):
        edges(alone)
    for beside in ("pavement", "centerline"):
        shape = box(0, -18, 1000, 18) if beside == "pavement" else LineString([(0, 0), (1000, 0)])
        told = edges(layers({"curb_line": alone.get("curb_line").features, beside: [Feature(shape)]}))
        assert told[0].behind_ft(500, 20) == pytest.approx(2)
        assert told[0].behind_ft(500, 15) == pytest.approx(-3)
