"""§ 288-8 F: a sidewalk obstructed under a permit. The Board's notice, 24 hours, the next annual tax roll; no bill."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.permit_desk import desk_over
from tests.permitting import faults
from tests.street_cases import Cases, Json, ends, words

NOTICE = {"to": "owner", "how": "handed", "reason": "The Board's own letter", "act": "Motion of June 9, item 3"}


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cases]:
    with desk_over(tmp_path_factory.mktemp("board")) as made:
        yield Cases(made)


def noticed(every: Cases) -> Json:
    """A sidewalk of which the Board's notice was served on Wednesday, June 10, 2026 at 10:00."""
    facts = {"what": "a scaffold", "place": "sidewalk", "where": "in front of 145", "path": "permit"}
    case = every.report("obstruction", "2026-06-10T09:00", **facts)
    return every.take(case, "serve", at="2026-06-10T10:00", **NOTICE)


def removed(every: Cases) -> Json:
    return every.take(noticed(every), "remove", at="2026-06-11T10:01")


def test_the_section_is_of_sidewalks_only(every: Cases) -> None:
    facts = {"what": "a scaffold", "place": "street", "where": "in front of 145", "path": "permit"}
    refused = faults(every.report("obstruction", "2026-06-10T09:00", 422, **facts))
    assert "sidewalk" in refused["place"]


def test_the_board_removes_after_24_hours_from_its_notice(every: Cases) -> None:
    """SP-7: at 10:00 of the next day they are not over, a minute later they are."""
    case = noticed(every)
    assert ends(case) == {"remove": ("2026-06-11T15:00:00+00:00", None)}  # 10:00 CDT
    assert case["clocks"][0]["section"] == "288-8 F"
    assert "at" in faults(every.take(case, "remove", 422, at="2026-06-11T10:00"))
    assert every.take(case, "remove", at="2026-06-11T10:01")["state"] == "abated"


def test_there_is_no_bill_and_neither_10_nor_60_days(every: Cases) -> None:
    """SP-14: the cost goes onto the next annual tax roll."""
    case = removed(every)
    told = every.take(case, "expense", what="a crew", cents="310.00", incurred_on="2026-06-11", at="2026-06-11")
    assert set(ends(told)) == {"remove"}
    for step, facts in (("bill", {}), ("mailed", {}), ("received", {"reason": "x"}), ("paid", {"cents": "1"})):
        assert "288-8 F" in faults(every.take(case, step, 422, **facts))["path"]
    assert every.get(case)["state"] == "abated"


def test_the_cost_is_entered_at_once_as_a_special_charge_and_not_before_there_is_one(every: Cases) -> None:
    case = removed(every)
    assert "cents" in faults(every.take(case, "enter", 422, at="2026-06-11"))
    every.take(case, "expense", what="a crew", cents="310.00", incurred_on="2026-06-11", at="2026-06-11")
    entered = every.take(case, "enter", at="2026-06-11", roll=2026)
    facts = entered["events"][-1]["facts"]
    assert (entered["state"], facts["cents"], facts["basis"]) == ("rolled", 31000, "288-8 F")


def test_long_after_60_days_the_entry_is_no_finding(every: Cases) -> None:
    case = removed(every)
    every.take(case, "expense", what="a crew", cents="310.00", incurred_on="2026-06-11", at="2026-06-11")
    assert "60 days" not in words(every.take(case, "enter", at="2026-11-02"))


def test_lawfully_obstructed_is_shown_as_a_slip(every: Cases) -> None:
    assert "A lawfully obstructed sidewalk" in words(noticed(every))
