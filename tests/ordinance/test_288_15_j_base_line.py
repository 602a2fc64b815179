"""A lot beside a base line that is only extended there holds the first unit of both halves (J, § 5 of the reading)."""

from shapely import box

from gis.lots import embraced
from tests.building import MAIN, street, village


def test_a_lot_across_main_street_extended_holds_the_first_unit_of_both_halves():
    there = village(street(MAIN, (-1500, 0), (100, 0)), street("Alma Street", (440, -600), (440, 600)))
    lot = box(460, -33, 560, 47)
    got = {e.side: e.numbers for e in embraced(there.frontages, lot, there.id("Alma Street"))}
    assert got == {"South": (10, 12, 14), "North": (10, 12, 14, 16)}  # 15 ft units: 0, 15, 30 and 0, 15, 30, 45
