"""§ 288-4 C: "No person shall hereafter lay, remove, replace or repair any public sidewalks within the Village of
Benton unless he is under contract with the Village to do such work or has obtained a permit from the Village at least
seven days before work is proposed to be undertaken. No fee shall be charged for such permits."
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.permit_desk import Desk, cures, desk_over
from tests.permitting import clock


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("sidewalks")) as made:
        yield made


def test_a_permit_obtained_on_june_5_lets_the_work_begin_on_june_12_and_not_on_june_11(desk: Desk) -> None:
    clerk = desk.by("clerk")
    permit = clerk.approved("sidewalk", "2026-06-05")
    assert (clock(permit, "work_from")["due"], clock(permit, "work_from")["sense"]) == ("2026-06-12", "from")
    refused = cures(clerk, permit, "start", at="2026-06-11")
    assert refused["at"].startswith("Thu, June 11, 2026 | Fri, June 12, 2026 or later: “has obtained a permit")
    assert refused["at"].endswith("(§ 288-4 C)")
    assert desk.get(permit)["state"] == "approved"
    assert clerk.take(permit, "start", at="2026-06-12")["state"] == "active"


def test_the_days_are_counted_from_when_the_permit_is_obtained_and_not_from_when_it_was_applied_for(desk: Desk) -> None:
    clerk = desk.by("clerk")
    made = clerk.apply("sidewalk", at="2026-05-20")
    clerk.take(made, "complete", at="2026-05-21", sufficient="yes")
    permit = clerk.take(made, "approve", at="2026-05-28")
    assert clock(permit, "work_from")["due"] == "2026-06-04"  # and not May 27


def test_the_seven_days_are_counted_over_a_leap_day_and_over_new_year(desk: Desk) -> None:
    clerk = desk.by("clerk")
    for obtained, first in (("2024-02-26", "2024-03-04"), ("2025-12-29", "2026-01-05"), ("2026-03-05", "2026-03-12")):
        assert clock(clerk.approved("sidewalk", obtained), "work_from")["due"] == first


def test_who_is_under_contract_with_the_village_need_not_wait(desk: Desk) -> None:
    clerk = desk.by("clerk")
    permit = clerk.approved("sidewalk", "2026-06-05")
    clerk.take(permit, "decide", decision="contract", by="board", reason="Contract 2026-3", at="2026-06-01")
    assert clerk.take(permit, "start", at="2026-06-05")["state"] == "active"


def test_a_contract_made_after_the_work_began_does_not_excuse_it(desk: Desk) -> None:
    clerk = desk.by("clerk")
    permit = clerk.approved("sidewalk", "2026-06-05")
    clerk.take(permit, "decide", decision="contract", by="board", reason="Contract 2026-4", at="2026-06-09")
    assert "at" in cures(clerk, permit, "start", at="2026-06-08")
    assert clerk.take(permit, "start", at="2026-06-09")["state"] == "active"


def test_no_fee_is_charged_and_the_standard_specifications_are_named(desk: Desk) -> None:
    """SW-2 and SW-3: the record says both."""
    permit = desk.by("clerk").apply("sidewalk")
    told = " ".join(permit["remarks"])
    assert "No fee shall be charged (§ 288-4 C)." in told
    assert "“Standard Specifications for Public Works,” on file in the office of the Village Clerk-Treasurer" in told
    assert not [one for one in permit["may"] if any("paid" in fact["key"] for fact in one["facts"])]


@pytest.mark.parametrize("missing", ["applicant", "does", "location"])
def test_an_application_is_not_complete_without_who_what_and_where(desk: Desk, missing: str) -> None:
    clerk = desk.by("clerk")
    refused = cures(clerk, clerk.apply("sidewalk", **{missing: None}), "complete", sufficient="yes")
    assert list(refused) == [missing]
    assert "(§ 288-4 C)" in refused[missing]


def test_who_owns_and_who_repairs_is_said_as_the_text_has_it_with_its_slip(desk: Desk) -> None:
    """SW-1: "Common Council" is a slip of the text; it is shown and not settled."""
    assert "Common Council" in " ".join(desk.by("clerk").apply("sidewalk")["remarks"])


def test_a_sidewalk_that_is_not_to_the_standard_is_not_closed(desk: Desk) -> None:
    """D, F: one constructed contrary to the section is no legal sidewalk."""
    every = desk.by("all")
    permit = every.take(every.approved("sidewalk", "2026-06-05"), "start", at="2026-06-12")
    for said in ({}, {"standard": "no"}):
        assert list(cures(every, permit, "close", at="2026-06-20", **said)) == ["standard"]
    assert every.take(permit, "close", at="2026-06-20", standard="yes")["state"] == "closed"
