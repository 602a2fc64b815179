"""§ 288-12: a request for an improvement, presented on or before August 1, is considered for the following year."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.permit_desk import Desk, desk_over
from tests.permitting import faults
from tests.street_cases import Cases, Json, ends, words


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("requests")) as made:
        yield made


@pytest.fixture
def every(desk: Desk) -> Cases:
    return Cases(desk)


def asked(every: Cases, at: str, **facts: Any) -> Json:
    return every.report("improvement", at, **{"what": "sidewalk", "where": "Alma Street", **facts})


@pytest.mark.parametrize(
    ("presented", "year"),
    [("2026-08-01", 2027), ("2026-08-01T23:59", 2027), ("2026-08-02T00:00", 2028), ("2026-08-02", 2028),
     ("2025-12-31", 2027), ("2026-01-01", 2027)],
)  # fmt: skip
def test_august_1_counts_to_its_end_and_august_2_is_for_the_year_after(every: Cases, presented: str, year: int) -> None:
    """IM-1; and New Year: December 31, 2025 came after August 1, January 1, 2026 before."""
    told = words(asked(every, presented))
    assert f"Considered for installation in {year} (§ 288-12)." in told
    assert "990.001" not in told  # August 1 is a Friday in 2025 and a Saturday in 2026: nothing would move


def test_where_august_1_is_a_sunday_both_years_are_told_until_the_village_settles_it(desk: Desk, every: Cases) -> None:
    """August 1, 2021 was a Sunday: under § 990.001(4) the last day was Monday, August 2."""
    case = asked(every, "2021-08-02")
    assert "Considered for installation in 2023" in words(case)
    assert "If Wis. Stat. § 990.001(4) governs, for 2022" in words(case)
    assert ends(case) == {"presented": ("2021-08-01", "2021-08-02")}
    value = desk.settle("skip_rule", "yes")
    try:
        assert words(every.get(case)) == "Considered for installation in 2022 (§ 288-12)."
    finally:
        desk.unsettle(value)
    assert "for 2022" not in words(asked(every, "2021-08-03"))  # late under either reading


@pytest.mark.parametrize("what", ["street", "resurfacing", "curb", "storm_sewer", "utility", "sidewalk"])
def test_each_improvement_that_the_section_names_can_be_asked_for(every: Cases, what: str) -> None:
    assert asked(every, "2026-07-01", what=what)["events"][0]["facts"]["what"] == what


def test_another_improvement_or_one_without_a_place_is_refused(every: Cases) -> None:
    assert "what" in faults(every.report("improvement", "2026-07-01", 422, what="a statue", where="Alma Street"))
    assert "where" in faults(every.report("improvement", "2026-07-01", 422, what="curb"))


def test_the_board_grants_denies_or_defers_with_its_reason(every: Cases) -> None:
    case = asked(every, "2026-07-01")
    assert "reason" in faults(every.take(case, "decide", 422, decision="granted", at="2026-08-10"))
    deferred = every.take(case, "decide", decision="deferred", reason="To the budget", at="2026-08-10")
    assert deferred["state"] == "requested"
    assert every.take(case, "decide", decision="granted", reason="Voted", at="2026-09-14")["state"] == "granted"
    assert every.take(case, "close", at="2026-10-01")["state"] == "installed"
    denied = every.take(asked(every, "2026-07-01"), "decide", decision="denied", reason="Voted", at="2026-08-10")
    assert (denied["state"], denied["open"]) == ("denied", False)
