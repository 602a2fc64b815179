"""§ 288-4 A, B, D, E, F: what makes a sidewalk defective, who determines it, who orders it, and who pays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.permit_desk import Desk, desk_over
from tests.permitting import faults
from tests.street_cases import Cases, Json, words

OWNER = "Borne by the abutting owner"
VILLAGE = "Borne by the Village"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("walks")) as made:
        yield made


@pytest.fixture
def every(desk: Desk) -> Cases:
    return Cases(desk)


def walk(every: Cases, **facts: Any) -> Json:
    return every.report("walk", "2026-05-04", **{"why": "repair", "where": "in front of 145", **facts})


def determined(every: Cases, **facts: Any) -> Json:
    who = {"who": "A. Lee and B. Moe, minutes of May 11", "reason": "Seen on the site", "at": "2026-05-11"}
    return every.take(walk(every, **facts), "determine", **who)


def ordered(every: Cases, **facts: Any) -> Json:
    return every.take(determined(every, **facts), "order", by="board", at="2026-05-12")


# --- E: the criteria ---


@pytest.mark.parametrize(
    ("measured", "found"),
    [
        ({"vertical_in": "3/4"}, "defective"),  # "Three-fourths inch or more"
        ({"vertical_in": "0.74"}, "sound"),
        ({"gap_in": "1 1/4"}, "defective"),
        ({"gap_in": "1.24"}, "sound"),
        ({"gap_in": "2"}, "defective"),  # "or more" is read into (b), and the slip is shown
        ({"surface_in": "1/2"}, "defective"),
        ({"surface_in": "0.49"}, "sound"),
        ({"vertical_in": "0.74", "within_in": "1/50"}, "undecided"),  # to 0.76
        ({"vertical_in": "0.76", "within_in": "1/50"}, "undecided"),  # from 0.74
        ({"vertical_in": "0.77", "within_in": "1/50"}, "defective"),  # from 0.75
        ({"vertical_in": "0.72", "within_in": "1/50"}, "sound"),  # to 0.74
    ],
)
def test_a_criterion_is_met_at_its_measure_not_below_and_undecided_within_the_tolerance(
    every: Cases, measured: dict[str, str], found: str
) -> None:
    """SW-4."""
    (one,) = walk(every, **measured)["events"][0]["facts"]["judged"]
    assert one["found"] == found


def test_each_criterion_is_told_for_itself_and_any_one_is_enough(every: Cases) -> None:
    """SW-7: "any one or more of the hereinafter enumerated characteristics"."""
    case = walk(every, vertical_in="3/4", gap_in="1", surface_in="0.1")
    assert [one["found"] for one in case["events"][0]["facts"]["judged"]] == ["defective", "sound", "sound"]
    assert "What was measured is a proposal: the Streets Committee determines" in words(case)
    ready = {"who": "The Committee", "reason": "One block stands up", "at": "2026-05-11"}
    assert every.take(case, "determine", **ready)["state"] == "determined"


def test_a_measurement_measures_something(every: Cases) -> None:
    case = walk(every)
    assert "vertical_in" in faults(every.take(case, "measure", 422, within_in="1/16"))
    assert "gap 1.25 in, defective" in words(every.take(case, "measure", gap_in="1 1/4", at="2026-05-05"))


# --- E, A, F: the Committee before the order ---


def test_no_order_is_made_before_the_streets_committee_determined(every: Cases) -> None:
    case = walk(every, vertical_in="2")
    every.take(case, "order", 409, by="board")
    assert every.get(case)["state"] == "reported"
    assert "who" in faults(every.take(case, "determine", 422, reason="Seen"))
    assert "reason" in faults(every.take(case, "determine", 422, who="The Committee"))


def test_the_order_keeps_which_body_made_it_and_common_council_is_shown_as_a_slip(every: Cases) -> None:
    """SW-6."""
    case = ordered(every, why="build")
    facts = case["events"][-1]["facts"]
    assert (case["state"], facts["by"], facts["bears"]) == ("ordered", "board", "owner")
    assert "Common Council" in facts["because"]
    assert "A Common Council in a village" in words(case)
    assert "by" in faults(every.take(determined(every), "order", 422, by="council"))


def test_a_sidewalk_built_contrary_to_the_section_is_ordered_replaced_by_its_owner(every: Cases) -> None:
    """SW-5: "the same as if no sidewalk whatever had been built"."""
    case = ordered(every, why="illegal")
    assert OWNER in words(case)
    assert every.take(case, "close", at="2026-06-12")["state"] == "done"


def test_the_standard_specifications_are_named(every: Cases) -> None:
    """SW-3."""
    assert "“Standard Specifications for Public Works,” (§ 288-4 D)" in words(walk(every))


# --- A, B: who bears it ---


@pytest.mark.parametrize(
    ("facts", "bears"),
    [
        ({"why": "build"}, OWNER),
        ({"why": "repair"}, VILLAGE),
        ({"why": "repair", "tax_exempt": "no"}, VILLAGE),
        ({"why": "damage"}, OWNER),
        ({"why": "repair", "tax_exempt": "yes"}, OWNER),
        ({"why": "build", "tax_exempt": "yes"}, OWNER),
    ],
)
def test_who_bears_it_follows_from_what_is_wrong_and_whose_property_it_is(
    every: Cases, facts: dict[str, str], bears: str
) -> None:
    """SW-1, SW-8: the owner builds, the Village repairs; damage is its owner's, and repair too of the tax-exempt."""
    assert bears in words(walk(every, **facts))


def test_the_board_waives_the_exempt_owners_duty_in_one_case_and_not_in_the_next(every: Cases) -> None:
    case = walk(every, tax_exempt="yes")
    assert "reason" in faults(every.take(case, "waive", 422))
    waived = words(every.take(case, "waive", reason="Motion of May 5", at="2026-05-05"))
    assert VILLAGE in waived
    assert "The Village Board waived the exempt owner’s duty" in waived
    assert OWNER in words(walk(every, tax_exempt="yes"))


def test_an_owner_who_pays_taxes_has_nothing_to_be_waived(every: Cases) -> None:
    for case in (walk(every), walk(every, tax_exempt="no")):
        assert "tax-exempt" in faults(every.take(case, "waive", 422, reason="Motion of May 5"))["tax_exempt"]
    assert VILLAGE in words(every.take(walk(every), "waive", tax_exempt="yes", reason="Motion of May 5"))


def test_a_waiver_does_not_cover_what_the_owner_damaged(every: Cases) -> None:
    case = walk(every, why="damage", tax_exempt="yes")
    assert OWNER in words(every.take(case, "waive", reason="Motion of May 5", at="2026-05-05"))


# --- the cost ---


def test_what_the_owner_bears_is_paid_or_collected_before_the_case_is_closed(every: Cases) -> None:
    case = every.take(ordered(every, why="build"), "perform", at="2026-06-15")
    every.take(case, "expense", what="concrete", cents="900.00", incurred_on="2026-06-15", at="2026-06-15")
    told = every.take(case, "expense", what="labor", cents="0.45", incurred_on="2026-06-16", at="2026-06-16")
    assert "The account stands at $900.45" in words(told)
    assert "$900.45" in faults(every.take(case, "close", 422, at="2026-06-20"))["expense"]
    assert every.take(case, "paid", cents="900.00", at="2026-06-20")["state"] == "abated"
    collected = every.take(case, "collect", reason="§ 66.0907(3)", at="2026-07-01")
    assert (collected["state"], collected["events"][-1]["facts"]["cents"]) == ("rolled", 45)


def test_an_owner_who_pays_all_closes_the_account_and_is_asked_for_no_cent_more(every: Cases) -> None:
    case = every.take(ordered(every, why="build"), "perform", at="2026-06-15")
    every.take(case, "expense", what="concrete", cents="900.45", incurred_on="2026-06-15", at="2026-06-15")
    assert "cents" in faults(every.take(case, "paid", 422, cents="900.46", at="2026-06-20"))
    assert every.take(case, "paid", cents="900.45", at="2026-06-20")["state"] == "paid"


def test_what_the_village_bears_is_collected_from_nobody(every: Cases) -> None:
    case = every.take(ordered(every), "perform", at="2026-06-15")
    every.take(case, "expense", what="concrete", cents="900.45", incurred_on="2026-06-15", at="2026-06-15")
    assert "Village" in faults(every.take(case, "collect", 422, reason="x", at="2026-07-01"))["expense"]
    assert every.take(case, "close", at="2026-06-20")["state"] == "done"
