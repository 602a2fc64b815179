"""§ 288-15 L, M: who neglects the proper number for 20 days is served a notice; who neglects it 10 more has violated.

The worked example of the clocks: assigned Mon, June 1, 2026, so in place by Sun, June 21; the notice served Thu, June
25, so a violation after Sun, July 5. Both last days are Sundays: if Wis. Stat. § 990.001(4) governs, which the Village
has not decided, they are Mon, June 22 and Mon, July 6.

Seen to fail, each by breaking the code once: `Deadline.over` without its None; `neglected_from` counting every case
from the report; `_after_neglect` left out; `SERVE_NOTICE` held by the clerk too; `anew` that keeps the service.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import date, time
from pathlib import Path

import pytest

from app import settled
from app.auth import NotAllowedError
from app.case_times import recount
from app.casebook import CaseStateError
from app.clocks import within_days
from app.db import Database
from app.law import law_on
from app.street_objects import Asking
from gis.errors import StreetsError
from tests.neglect import PEOPLE, Book, at, book, july, june

MIDNIGHT, LAST = time(0, 0), time(23, 59, 59)
M = (
    "If the owner or occupant of any building required to be numbered by this section shall neglect for the period of "
    "20 days to duly attach and maintain the proper number on such building, the Director of Public Works shall serve "
    "upon him a notice requiring such owner or occupant to properly number the same, and if he neglects to do so for "
    "10 days after the service of such notice, he shall be deemed to have violated this section."
)


@pytest.fixture
def town(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Book]:
    file = tmp_path / "state" / "register.db"
    file.parent.mkdir()
    shutil.copyfile(migrated_sqlite, file)
    with closing(Database(f"sqlite:///{file}", file.parent)) as database:
        yield book(database, tmp_path / "plat")


# --- the 20 days ---


def test_the_numbers_are_20_and_10_days_in_the_words_of_m() -> None:
    law = law_on(date(2026, 6, 1))
    assert [(law[key].value, law[key].unit) for key in ("neglect_days", "after_service_days")] == [
        (20, "days"),
        (10, "days"),
    ]
    assert law["neglect_days"].quotation == law["after_service_days"].quotation == M


def test_a_number_never_put_up_is_due_20_days_after_its_assigning(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    told = town.case(case, june(10))
    assert (told["state"], told["overdue"]) == ("reported", False)
    assert (told["due"]["due"], told["due"]["alternative"]) == ("2026-06-21", "2026-06-22")
    assert told["due"]["section"] == "288-15 G(2), M"
    assert "20 days from Mon, June 1, 2026" in told["due"]["counted"]


def test_the_20_days_end_at_midnight_and_under_the_other_reading_a_day_later(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    assert town.state(case, june(21, LAST)) == "reported"
    sunday_over = town.case(case, june(22, MIDNIGHT))
    assert (sunday_over["state"], sunday_over["undecided"], sunday_over["overdue"]) == ("reported", True, True)
    assert town.state(case, june(22, LAST)) == "reported"
    monday_over = town.case(case, june(23, MIDNIGHT))
    assert (monday_over["state"], monday_over["undecided"]) == ("neglect", False)


def test_a_number_that_fell_off_has_20_days_from_the_day_it_was_seen(town: Book) -> None:
    """M says "attach and maintain": the case starts also when a number falls off."""
    case = town.report(town.assigned(), july(20), defect="fell_off", at="2026-07-15")
    told = town.case(case, july(20))
    assert (told["due"]["due"], told["due"]["section"]) == ("2026-08-04", "288-15 M")  # 15 + 20 = July 35, a Tuesday
    assert told["due"]["alternative"] is None
    assert town.state(case, at(date(2026, 8, 4), LAST)) == "reported"
    assert town.state(case, at(date(2026, 8, 5), MIDNIGHT)) == "neglect"


@pytest.mark.parametrize("defect", ["none", "small"])
def test_a_number_never_duly_attached_is_neglected_since_its_assigning_whenever_seen(town: Book, defect: str) -> None:
    case = town.report(town.assigned(), july(20), defect=defect)
    assert town.case(case, july(20))["due"]["due"] == "2026-06-21"
    assert town.state(case, july(20)) == "neglect"


def test_a_number_found_up_before_is_counted_from_when_it_was_seen_missing(town: Book) -> None:
    address = town.assigned()
    first = town.report(address, june(10))
    town.take(first, "inspect", june(12), "inspector", found="displayed")
    second = town.report(address, july(20), defect="none")
    assert second != first
    assert town.case(second, july(20))["due"]["due"] == "2026-08-09"  # July 20 + 20 days


# --- the notice ---


def test_no_notice_before_the_20_days_are_over(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    with pytest.raises(StreetsError, match="for the period of 20 days"):
        town.serve(case, june(21))
    town.serve(case, june(23))
    assert town.state(case, june(23)) == "notified"


def test_on_the_day_that_only_one_reading_has_over_service_needs_a_reason(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    with pytest.raises(StreetsError, match=r"990\.001\(4\)"):
        town.serve(case, june(22), reason="")
    town.serve(case, june(22), reason="The Board counts Sundays.")
    assert town.state(case, june(22)) == "notified"


@pytest.mark.parametrize("who", ["police", "inspector", "clerk", "admin", "dispatch"])
def test_only_the_director_serves(town: Book, who: str) -> None:
    case = town.report(town.assigned(), june(10))
    with pytest.raises(NotAllowedError, match=r"§ 288-15 M.*only director may"):
        town.take(case, "serve", june(25), who, how="handed", reason="Ours.")
    assert town.state(case, june(25)) == "neglect"


def test_after_the_service_of_june_25_it_is_a_violation_after_july_5(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    town.serve(case, june(25))
    told = town.case(case, june(26))
    assert (told["state"], told["due"]["due"], told["due"]["alternative"]) == ("notified", "2026-07-05", "2026-07-06")
    assert told["due"]["section"] == "288-15 M"
    assert town.state(case, july(5, LAST)) == "notified"
    between = town.case(case, july(6, MIDNIGHT))
    assert (between["state"], between["undecided"]) == ("notified", True)
    assert town.state(case, july(6, LAST)) == "notified"
    assert town.state(case, july(7, MIDNIGHT)) == "violation"


def test_both_clocks_are_those_that_the_clocks_module_counts(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    town.serve(case, june(25))
    due = [clock["due"] for clock in town.case(case, june(26))["clocks"]]
    counted = [within_days(date(2026, 6, 1), 20, ""), within_days(date(2026, 6, 25), 10, "")]
    assert due == [str(deadline.day) for deadline in counted] == ["2026-06-21", "2026-07-05"]


@pytest.mark.parametrize(("governs", "last"), [("yes", 22), ("no", 21)])
def test_once_the_village_settles_the_reading_no_day_is_undecided(town: Book, governs: str, last: int) -> None:
    """§ 990.001(4): the 20 days end on Sunday, June 21, or on Monday, June 22; no reason is asked for."""
    case = town.report(town.assigned(), june(10))
    assert town.case(case, june(22))["undecided"]
    settle(town, governs)
    assert town.case(case, june(22))["undecided"] is False
    assert (town.case(case, june(22))["due"]["due"], town.case(case, june(22))["due"]["alternative"]) == (
        f"2026-06-{last}",
        None,
    )
    assert town.state(case, june(last, LAST)) == "reported"
    assert town.state(case, june(last + 1, MIDNIGHT)) == "neglect"
    with pytest.raises(StreetsError, match=f"June {last}, 2026"):
        town.serve(case, june(last))
    town.serve(case, june(25))  # and so is the last of the 10 days, Sunday, July 5
    served = town.case(case, july(6))
    assert (served["state"], served["undecided"]) == ("notified" if governs == "yes" else "violation", False)


def test_a_settled_reading_holds_for_a_number_that_fell_off_too(town: Book) -> None:
    """Seen on July 20, 2026: the 20 days end on Sunday, August 9, or on Monday, August 10."""
    case = town.report(town.assigned(), july(20), defect="fell_off", at="2026-07-20")
    assert town.case(case, july(20))["due"]["alternative"] == "2026-08-10"
    settle(town, "yes")
    told = town.case(case, july(20))["due"]
    assert (told["due"], told["alternative"]) == ("2026-08-10", None)


def settle(town: Book, governs: str) -> None:
    """Record that the Village has settled whether § 990.001(4) governs."""
    given = {"key": "skip_rule", "value": governs, "from": "2026-06-01", "source": "A motion", "reason": "Settled"}
    settled.add(Asking(town.atlas, PEOPLE["clerk"], "", june(11)), given, recount)


def test_the_day_of_service_is_the_villages_own(town: Book) -> None:
    """At 23:30 on June 25 in Benton it is June 26 in UTC: the 10 days are counted from the 25th."""
    case = town.report(town.assigned(), june(24))
    town.serve(case, june(30), at="2026-06-26T04:30:00+00:00")
    assert town.case(case, june(30))["due"]["due"] == "2026-07-05"


def test_no_penalty_is_invented(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    town.serve(case, june(25))
    said = " ".join(town.case(case, july(20))["remarks"])
    assert "“Upon conviction thereof, he shall be subject to penalties.”" in said
    assert "none is stated" in said
    assert "$" not in said


# --- the end ---


def test_a_number_found_up_closes_the_case_even_when_the_10_days_are_over(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    town.serve(case, june(25))
    town.take(case, "inspect", july(8), "inspector", found="not_displayed")
    assert town.state(case, july(8)) == "violation"
    town.take(case, "inspect", july(9), "police", found="displayed", at_door="yes", plain="yes")
    told = town.case(case, july(9))
    assert (told["state"], told["open"], told["due"]) == ("displayed", False, None)


@pytest.mark.parametrize(("height", "good"), [("2 1/2", True), ("2.5", True), ("2 7/16", False), ("2 9/16", True)])
def test_a_number_under_two_and_a_half_inches_is_not_duly_attached(town: Book, height: str, good: bool) -> None:
    """G(2): "not less than 2 1/2 inches in height"."""
    case = town.report(town.assigned(), june(10))
    if good:
        town.take(case, "inspect", june(12), "inspector", found="displayed", height_in=height)
        assert town.state(case, june(12)) == "displayed"
        return
    with pytest.raises(StreetsError, match="not less than 2 1/2 inches"):
        town.take(case, "inspect", june(12), "inspector", found="displayed", height_in=height)
    assert town.state(case, june(12)) == "reported"


def test_a_height_whose_accuracy_leaves_it_open_is_the_inspectors_to_judge(town: Book) -> None:
    """2 7/16 in, to within 1/8: between 2 5/16 and 2 9/16, so 2 1/2 is within."""
    case = town.report(town.assigned(), june(10))
    given = {"found": "displayed", "height_in": "2 7/16", "height_within_in": "1/8"}
    town.take(case, "inspect", june(12), "inspector", **given)
    assert town.state(case, june(12)) == "displayed"


@pytest.mark.parametrize(("field", "words"), [("at_door", "proper door"), ("plain", "seen plainly from the street")])
def test_a_number_out_of_place_is_not_duly_attached_unless_it_is_at_the_street_line(
    town: Book, field: str, words: str
) -> None:
    case = town.report(town.assigned(), june(10))
    with pytest.raises(StreetsError, match=words):
        town.take(case, "inspect", june(12), "inspector", found="displayed", **{field: "no"})
    town.take(case, "inspect", june(12), "inspector", found="displayed", street_line="yes", **{field: "no"})
    assert town.state(case, june(12)) == "displayed"


def test_who_is_not_neglecting_is_not_served_again(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    town.serve(case, june(25))
    with pytest.raises(CaseStateError, match="Notice served"):
        town.serve(case, june(26))
