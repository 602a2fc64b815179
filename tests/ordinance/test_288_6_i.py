"""§ 288-6 I: a repaving is determined 30 days ahead, all concerned clear the street, and for five years none opens it.

Of the squared paper Alma Street was repaved in 2021, Main Street never.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.permit_desk import Desk, area, cures, desk_over
from tests.permitting import faults
from tests.street_cases import Cases, Json, ends, words

ON_ALMA = area(454, 200, 456, 212)
"""Two feet along the east curb of Alma Street: a lane is left in each direction."""
ON_MAIN = area(200, 16, 212, 18)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("repavings")) as made:
        yield made


@pytest.fixture
def every(desk: Desk) -> Cases:
    return Cases(desk)


def determined(every: Cases, at: str = "2026-05-01T19:00", **facts: Any) -> Json:
    return every.report("repaving", at, **{"street": "Van Buren Street", "utilities": "Acme Water\nGas Co", **facts})


# --- the determination ---


@pytest.mark.parametrize(("begins", "sooner"), [("2026-05-30", True), ("2026-05-31", False)])
def test_work_begins_30_days_after_the_determination_and_a_day_sooner_is_a_finding(
    every: Cases, begins: str, sooner: bool
) -> None:
    """EX-35: determined May 1, so from May 31 on; whether it is planned, begun or only recorded as made."""
    case = determined(every, begins_on=begins)
    assert ends(case)["work_from"][0] == "2026-05-31"
    assert ("not less than 30 days before" in words(case)) == sooner
    for step in ("begin", "improved"):
        told = words(every.take(determined(every), step, at=begins))
        assert ("not less than 30 days before" in told) == sooner


def test_an_improvement_that_follows_its_recorded_beginning_is_no_second_finding(every: Cases) -> None:
    case = determined(every)
    every.take(case, "begin", at="2026-05-20")
    assert words(every.take(case, "improved", at="2026-05-29")).count("sooner than") == 1


def test_thirty_days_over_a_leap_day_and_over_new_year(every: Cases) -> None:
    assert ends(determined(every, "2024-02-01"))["work_from"][0] == "2024-03-02"  # 28 days to February 29
    assert ends(determined(every, "2025-12-15"))["work_from"][0] == "2026-01-14"


# --- the clearing ---


def test_the_clerk_is_to_notify_immediately_and_the_street_is_cleared_30_days_from_then(every: Cases) -> None:
    """Determined May 1 at 7 pm CDT; all notified Monday, May 4: cleared by Wednesday, June 3."""
    case = determined(every)
    assert ends(case)["notify"][0] == "2026-05-02T00:00:00+00:00"
    assert "clearing" not in ends(case)
    assert "2 utilities named here" in words(case)
    told = every.take(case, "notified", to="all", at="2026-05-04")
    assert (told["state"], ends(told)["clearing"]) == ("notified", ("2026-06-03", None))
    assert next(one for one in told["clocks"] if one["key"] == "notify")["done"]


def test_one_who_was_notified_is_not_all_of_them(every: Cases) -> None:
    case = determined(every)
    assert "whom" in faults(every.take(case, "notified", 422, to="one", at="2026-05-04"))
    told = every.take(case, "notified", to="one", whom="Gas Co", at="2026-05-04")
    assert (told["state"], "clearing" in ends(told)) == ("determined", False)


def test_lines_belong_in_terraces_is_said_to_all_who_are_notified(every: Cases) -> None:
    """EX-36."""
    assert "Every effort shall be made to place gas, electric" in words(determined(every))


# --- the five years ---


def test_no_opening_permit_is_issued_to_the_last_day_of_five_years_and_one_is_the_day_after(
    desk: Desk, every: Cases
) -> None:
    """EX-17: improved on June 1, 2021; June 1, 2026 is the last day. Main Street was not improved."""
    case = every.take(determined(every, "2021-04-01", street="Alma Street"), "improved", at="2021-06-01")
    assert (case["state"], case["due"]["due"]) == ("free", "2026-06-01")
    clerk = desk.by("all")
    last = clerk.complete("opening", "2026-06-01", **ON_ALMA)
    refused = cures(clerk, last, "approve", at="2026-06-01", by="clerk")
    assert "absolutely essential" in refused["new_street"]
    assert "Mon, June 1, 2026" in refused["new_street"]
    before = clerk.complete("opening", "2021-05-31", **ON_ALMA)  # no permit is issued "after such" improvement
    assert clerk.take(before, "approve", at="2021-05-31", by="clerk")["number"]
    on_the_day = clerk.complete("opening", "2021-06-01", **ON_ALMA)
    assert list(cures(clerk, on_the_day, "approve", at="2021-06-01", by="clerk")) == ["new_street"]
    main = clerk.complete("opening", "2026-06-01", **ON_MAIN)
    assert clerk.take(main, "approve", at="2026-06-01", by="clerk")["number"]
    after = clerk.complete("opening", "2026-06-02", **ON_ALMA)
    assert clerk.take(after, "approve", at="2026-06-02", by="clerk")["number"]
    clerk.take(last, "decide", decision="essential", by="board", reason="The main broke", at="2026-06-01")
    assert clerk.take(last, "approve", at="2026-06-01", by="clerk")["number"]


@pytest.mark.parametrize(
    ("improved", "last", "after"),
    [("2020-02-29", "2025-02-28", "2025-03-01"), ("2020-12-31", "2025-12-31", "2026-01-01")],
)
def test_the_five_years_are_not_closed_on_one_of_their_days(every: Cases, improved: str, last: str, after: str) -> None:
    """Of a leap day the month's last day stands for it."""
    case = every.take(determined(every, "2020-01-02"), "improved", at=improved)
    assert case["due"]["due"] == last
    assert "five years" in faults(every.take(case, "end", 422, at=last))["at"]
    assert every.take(case, "end", at=after)["state"] == "ended"


def test_a_project_that_is_dropped_closes_no_street(desk: Desk, every: Cases) -> None:
    dropped = every.take(
        determined(every, "2026-04-01", street="Main Street"), "drop", reason="No money", at="2026-04-02"
    )
    assert (dropped["state"], dropped["open"]) == ("dropped", False)
    clerk = desk.by("all")
    main = clerk.complete("opening", "2026-06-01", **ON_MAIN)
    assert clerk.take(main, "approve", at="2026-06-01", by="clerk")["number"]
