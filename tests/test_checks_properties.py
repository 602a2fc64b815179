"""What holds of every check: more doubt decides less, a smaller thing is never worse, and north is nowhere special."""

from datetime import date

import numpy as np
import pytest
import shapely
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shapely import LineString, Polygon, box
from shapely.affinity import rotate, scale, translate

from app.law import law_on
from gis.checks import set_back, terrace
from gis.edges import edges
from gis.encroachment import encroachment
from gis.layers import Feature, Layers, layers
from gis.mailbox import setback
from gis.measure import Checked, Verdict
from gis.rules import RowReading
from gis.terrace import terraces

LAW, READING = law_on(date(2026, 1, 1)).right_of_way, RowReading()
PARTS = {
    "centerline": [LineString([(0, 0), (400, 0)])],
    "pavement": [box(0, -18, 400, 18)],
    "curb_line": [LineString([(0, 18), (400, 18)]), LineString([(0, -18), (400, -18)])],
    "sidewalk": [box(0, 27, 400, 32), box(0, -32, 400, -27)],
    "right_of_way": [box(0, -33, 400, 33)],
}
BADNESS = {Verdict.COMPLIES: 0, Verdict.UNDECIDED: 1, Verdict.VIOLATES: 2}
few = settings(max_examples=25, deadline=None)


def street(degrees=0.0, accuracy_ft=0.0) -> Layers:
    return layers({name: [Feature(turned(s, degrees), accuracy_ft) for s in shapes] for name, shapes in PARTS.items()})


def turned(shape, degrees):
    return translate(rotate(shape, degrees, origin=(0, 0)), 412_000, 125_900)


def checked(check: str, shape: Polygon, degrees=0.0, accuracy_ft=0.0) -> Checked:
    made, here = street(degrees), turned(shape, degrees)
    if check == "encroachment":
        return encroachment(here, made, accuracy_ft=accuracy_ft)
    if check == "setback":
        return set_back(here, made, LAW, accuracy_ft=accuracy_ft)
    found = terraces(made, edges(made), LAW, READING)
    return terrace(here, "boulder", found, accuracy_ft=accuracy_ft)


@st.composite
def things(draw):
    x, y = draw(st.floats(60, 340)), draw(st.floats(-60, 60))
    wide, deep, angle = draw(st.floats(0.5, 30)), draw(st.floats(0.5, 30)), draw(st.floats(0, 180))
    return rotate(box(x, y, x + wide, y + deep), angle)


CHECKS = st.sampled_from(["encroachment", "setback", "terrace"])
DOUBTS = st.floats(0, 40)


@few
@given(CHECKS, things(), DOUBTS, DOUBTS)
def test_more_uncertainty_decides_nothing_that_less_left_open_and_never_turns_violates_into_complies(
    check, shape, a, b
):
    sure, unsure = (checked(check, shape, accuracy_ft=u) for u in sorted((a, b)))
    for one, other in zip(sure.rows, unsure.rows, strict=True):
        assert other.verdict in {one.verdict, Verdict.UNDECIDED}, (one, other)


@few
@given(CHECKS.filter(lambda name: name != "setback"), things(), st.floats(0.05, 0.95), DOUBTS)
def test_a_smaller_thing_is_never_worse(check, shape, factor, doubt):
    inner = scale(shape, factor, factor, origin=shape.centroid)
    whole, part = (checked(check, s, accuracy_ft=doubt) for s in (shape, inner))
    for one, other in zip(whole.rows, part.rows, strict=True):
        if one.verdict in BADNESS:
            assert BADNESS[other.verdict] <= BADNESS[one.verdict], (one, other)


@few
@example("encroachment", box(60, 0, 61, 1), 1.0)  # beside the middle of the street
@given(CHECKS, things(), st.floats(0, 360))
def test_a_street_that_runs_another_way_is_judged_the_same(check, shape, degrees):
    one, other = checked(check, shape), checked(check, shape, degrees)
    for a, b in zip(one.rows, other.rows, strict=True):
        assert a.value == pytest.approx(b.value, abs=0.01), (a, b)
        near = isinstance(a.margin, float) and abs(a.margin) < 0.01
        assert near or a.verdict is b.verdict


@few
@given(st.floats(60, 340), st.floats(-40, 40), st.floats(0, 360), DOUBTS)
def test_a_mailbox_is_as_far_behind_its_curb_whichever_way_the_street_runs(x, y, degrees, doubt):
    made = street(degrees)
    place = turned(shapely.Point(x, y), degrees)
    row, _ = setback("setback_in", "door", edges(made), place, doubt, None, LAW)
    assert row.value == pytest.approx((abs(y) - 18) * 12, abs=1e-4)
    assert row.uncertainty == pytest.approx(doubt * 12)


@few
@given(things())
def test_what_a_thing_takes_is_no_more_than_it_is(shape):
    found = encroachment(shape, layers({n: [Feature(s) for s in v] for n, v in PARTS.items()}))
    rows = {row.quantity: row.value for row in found.rows}
    assert rows["area_sqft"] <= shape.area + 1e-6
    inside = shape.intersection(PARTS["right_of_way"][0])
    assert rows["area_sqft"] == pytest.approx(inside.area, abs=1e-6)
    if inside.is_empty:
        assert rows["depth_ft"] <= 0
    else:
        ends = np.abs(shapely.get_coordinates(inside)[:, 1])
        assert rows["depth_ft"] >= 33 - ends.max() - 0.01
