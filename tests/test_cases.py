"""The worked villages of cases/numbering.json, row by row."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gis import numbering
from tests.building import Village, same, street, village

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases" / "numbering.json").read_text())
ROWS = [
    pytest.param(k, row, id=f"{case['case']}: {row['street']} {row['entrance']}")
    for k, case in enumerate(CASES)
    for row in case["expected"]
]


@cache
def built(case: int) -> Village:
    return village(*(street(s["name"], *s["coordinates"], kind=s["kind"]) for s in CASES[case]["streets"]))


@pytest.mark.parametrize(("case", "row"), ROWS)
def test_a_door_of_the_worked_cases(case: int, row: dict[str, Any]) -> None:
    there = built(case)
    door = there.door(row["street"], *row["entrance"])
    assert (there.half(door), door.number) == (row["half"], row["number"]), CASES[case]["why"]
    assert (door.block, door.unit_ft) == (row["block"], row["unit_ft"])
    of = there.map.rows[door.row]
    assert of.length_ft == pytest.approx(row["length_ft"], abs=0.02)
    assert set(row["findings"]) <= set(door.codes)
    assert ("UNIT_OVERFLOW" in door.codes) == ("UNIT_OVERFLOW" in row["findings"])


@pytest.mark.parametrize("case", range(len(CASES)), ids=[case["case"] for case in CASES])
def test_all_doors_of_a_case_at_once_are_numbered_as_each_alone(case: int) -> None:
    there, rows = built(case), CASES[case]["expected"]
    ids = there.frontages.ids([row["street"] for row in rows])
    x, y = np.array([row["entrance"] for row in rows], dtype=float).T
    doors = numbering.number(there.frontages, x, y, ids)
    for k, row in enumerate(rows):
        assert same(doors.at(k), there.door(row["street"], *row["entrance"]))


def test_every_case_says_why_and_has_doors() -> None:
    assert len(CASES) == len({case["case"] for case in CASES}) == 19
    assert all(case["why"] and case["streets"] and case["expected"] for case in CASES)
