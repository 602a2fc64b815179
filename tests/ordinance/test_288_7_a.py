"""§ 288-7 A: "No person shall encroach upon or in any way obstruct or encumber any street, alley, sidewalk ..."."""

from shapely import box

from gis.encroachment import encroachment
from gis.layers import Feature, layers
from gis.measure import Verdict

FENCE = box(300, 30, 320, 40)  # 3 ft in the right-of-way, 2 ft on the walk


def found(**accuracy_ft):
    made = {"right_of_way": box(0, -33, 600, 33), "sidewalk": box(0, 27, 600, 32)}
    return encroachment(FENCE, layers({n: [Feature(s, accuracy_ft.get(n, 0.0))] for n, s in made.items()}))


def test_of_ways_that_are_equally_well_known_the_deepest_is_told():
    row = found().rows[0]
    assert (row.value, row.verdict) == (3.0, Verdict.VIOLATES)


def test_what_is_surely_on_the_walk_is_not_left_open_because_the_right_of_way_is_only_assumed():
    row = found(right_of_way=25.5).rows[0]
    assert (row.value, row.uncertainty, row.verdict) == (2.0, 0.0, Verdict.VIOLATES)


def test_where_both_are_poorly_known_it_is_open():
    assert found(right_of_way=25.5, sidewalk=25.5).verdict is Verdict.UNDECIDED
