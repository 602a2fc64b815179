"""The clocks of §§ 288-4 to 288-9, 288-12, 288-15 and 288-17, each on both sides of its end.

Every expected day and hour is counted by hand on the calendar. 2026 begins on a Thursday and 2027 on a Friday; the
clocks go forward on Sunday 2026-03-08 (2:00 becomes 3:00) and back on Sunday 2026-11-01 (2:00 becomes 1:00). Where
Wis. Stat. § 990.001(4) would give another answer it stands beside, for the Village has not decided whether it governs.

Seen to fail, each by breaking the code once: `_years` with 11 months; `_skipping_back` counting a Sunday; the day of an
event included in `days_before`; `_following_day_of_year` with `>=`; the permits' days moved off a Sunday; `_earliest` a
day later; `considered_for` without the moved day; `_months` as 90 days.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from app.clock_rules import considered_for, due
from app.clocks import LOCAL, Counting, Deadline

D = date.fromisoformat
RULED = Counting(skip_rule=True)
NOT_RULED = Counting(skip_rule=False)


def at(text: str) -> datetime:
    """An instant by the village's clocks; near a change, with its offset."""
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=LOCAL)).astimezone(UTC)


def ends_with(found: Deadline, day: str) -> None:
    """Hold that a day serves to its last second, and no longer."""
    assert found.day == D(day)
    midnight = datetime.combine(D(day) + timedelta(days=1), datetime.min.time(), LOCAL)
    assert not found.passed(midnight - timedelta(seconds=1))
    assert found.passed(midnight)


def begins_with(found: Deadline, day: str) -> None:
    """Hold that something may be done from a day's first second, and not a second before."""
    assert (found.sense, found.day) == ("from", D(day))
    midnight = datetime.combine(D(day), datetime.min.time(), LOCAL)
    assert not found.passed(midnight - timedelta(seconds=1))
    assert found.passed(midnight)


def ends_at(found: Deadline, instant: str) -> None:
    """Hold that an instant still serves, and the second after it does not."""
    assert found.at == at(instant)
    assert not found.passed(at(instant))
    assert found.passed(at(instant) + timedelta(seconds=1))


# --- the worked lines ---


def test_an_emergency_opening_approved_january_30_is_valid_through_march_1_although_a_sunday() -> None:
    for counting in (Counting(), RULED, NOT_RULED):
        found = due("opening_valid", D("2026-01-30"), counting)
        ends_with(found, "2026-03-01")
        assert (found.alternative, found.sense, found.section) == (None, "ends", "288-5 D")


def test_a_privilege_permit_of_november_30_ends_february_28_or_29() -> None:
    ends_with(due("privilege_ends", D("2026-11-30")), "2027-02-28")  # a Sunday
    ends_with(due("privilege_ends", D("2027-11-30")), "2028-02-29")
    assert due("privilege_ends", D("2026-11-30"), RULED).day == D("2027-02-28")
    assert due("privilege_ends", D("2026-11-30")).alternative is None


def test_snow_that_stopped_at_1_30_before_the_clocks_went_forward_is_due_at_2_30_the_next_night() -> None:
    found = due("snow_clear", at("2026-03-08T01:30-06:00"))
    ends_at(found, "2026-03-09T02:30-05:00")
    assert found.alternative == at("2026-03-10T00:00-05:00")  # all of the Sunday left out, then all of the Monday
    assert due("snow_clear", at("2026-03-08T01:30-06:00"), RULED).at == found.alternative


def test_a_number_assigned_june_1_is_displayed_by_june_21_and_a_notice_of_june_25_violated_after_july_5() -> None:
    placed, served = due("number_placed", D("2026-06-01")), due("number_comply", D("2026-06-25"))
    ends_with(placed, "2026-06-21")
    ends_with(served, "2026-07-05")
    assert (placed.alternative, served.alternative) == (D("2026-06-22"), D("2026-07-06"))  # both are Sundays
    assert (placed.section, served.section) == ("288-15 G(2)", "288-15 M")


def test_a_hearing_on_september_30_is_published_by_september_10_and_mailed_by_september_20() -> None:
    ends_with(due("hearing_published", D("2026-09-30")), "2026-09-10")
    mailed = due("hearing_mailed", D("2026-09-30"))
    ends_with(mailed, "2026-09-20")
    assert mailed.alternative is None  # a Sunday, but a later day would leave too few


def test_a_sidewalk_permit_obtained_june_5_allows_work_from_june_12() -> None:
    begins_with(due("sidewalk_work_from", D("2026-06-05")), "2026-06-12")


def test_a_cost_of_march_1_is_on_the_tax_roll_by_april_30_and_its_bill_of_march_10_payable_by_march_20() -> None:
    ends_with(due("tax_roll", D("2026-03-01")), "2026-04-30")
    ends_with(due("bill_payable", D("2026-03-10")), "2026-03-20")


def test_an_improvement_asked_for_on_august_1_is_for_2027_and_on_august_2_for_2028() -> None:
    ends_with(due("improvement_request", D("2026-08-01")), "2026-08-01")
    assert considered_for(D("2026-08-01")) == (2027, None)
    assert considered_for(D("2026-08-02")) == (2028, None)  # August 1, 2026 is a Saturday: nothing moves


# --- § 288-4, § 288-5: permits ---


def test_a_sidewalk_permit_over_new_year_and_a_leap_day() -> None:
    begins_with(due("sidewalk_work_from", D("2026-12-28")), "2027-01-04")
    begins_with(due("sidewalk_work_from", D("2028-02-26")), "2028-03-04")  # 3 days to the 29th, 4 of March
    begins_with(due("sidewalk_work_from", D("2027-02-26")), "2027-03-05")


@pytest.mark.parametrize(
    ("approved", "through"),
    [
        ("2026-04-30", "2026-05-30"),
        ("2026-05-31", "2026-06-30"),
        ("2026-12-15", "2027-01-14"),
        ("2028-01-30", "2028-02-29"),  # a leap year
        ("2028-01-31", "2028-03-01"),
        ("2026-02-06", "2026-03-08"),  # the Sunday on which the clocks go forward
        ("2026-10-02", "2026-11-01"),  # the Sunday on which they go back
        ("2026-06-04", "2026-07-04"),  # a holiday
    ],
)
def test_an_opening_is_valid_thirty_days_and_never_moves(approved: str, through: str) -> None:
    for counting in (Counting(), RULED):
        found = due("opening_valid", D(approved), counting)
        ends_with(found, through)
        assert found.alternative is None
    ends_with(due("opening_renewed", D(approved), RULED), through)


def test_a_renewal_runs_thirty_days_from_the_end_of_the_first_thirty() -> None:
    first = due("opening_valid", D("2026-05-01")).day
    assert first == D("2026-05-31")
    ends_with(due("opening_renewed", first), "2026-06-30")


# --- § 288-6: notices, pavement, emergencies, new streets ---


def test_the_director_is_told_24_elapsed_hours_before_an_excavation() -> None:
    ends_at(due("director_notice", at("2026-06-10T08:00")), "2026-06-09T08:00")
    spring = due("director_notice", at("2026-03-08T12:00-05:00"))
    ends_at(spring, "2026-03-07T11:00-06:00")
    ends_at(due("director_notice", at("2026-11-01T12:00-06:00")), "2026-10-31T13:00-05:00")
    assert spring.alternative == at("2026-03-07T00:00-06:00")  # none of the Sunday counts: 24 hours of the Saturday
    ends_at(due("director_notice", at("2026-06-08T08:00"), RULED), "2026-06-06T08:00")  # Monday: Saturday, not Sunday


def test_the_properties_are_told_12_elapsed_hours_before_they_lose_a_service() -> None:
    ends_at(due("utility_notice", at("2026-06-10T08:00")), "2026-06-09T20:00")
    ends_at(due("utility_notice", at("2026-03-08T08:00-05:00")), "2026-03-07T19:00-06:00")
    ends_at(due("utility_notice", at("2026-11-01T08:00-06:00")), "2026-10-31T21:00-05:00")
    ends_at(due("utility_notice", at("2027-01-01T06:00")), "2026-12-31T18:00")
    assert due("utility_notice", at("2027-01-01T06:00")).alternative == at("2026-12-31T12:00")  # New Year's Day


def test_the_clerk_is_told_four_elapsed_hours_before_backfilling() -> None:
    ends_at(due("backfill_notice", at("2026-06-10T13:00")), "2026-06-10T09:00")
    ends_at(due("backfill_notice", at("2026-03-08T04:00-05:00")), "2026-03-07T23:00-06:00")
    ends_at(due("backfill_notice", at("2026-11-01T03:00-06:00")), "2026-11-01T00:00-05:00")
    assert due("backfill_notice", at("2026-06-10T13:00")).alternative is None


@pytest.mark.parametrize(
    ("work", "told"),
    [
        ("2026-06-10", "2026-06-09"),  # Wednesday: Tuesday
        ("2026-06-15", "2026-06-12"),  # Monday: Friday
        ("2026-06-14", "2026-06-12"),  # Sunday: Friday
        ("2026-06-22", "2026-06-18"),  # Monday after Juneteenth, a Friday: Thursday
        ("2026-05-26", "2026-05-22"),  # Tuesday after Memorial Day: Friday
        ("2027-07-06", "2027-07-02"),  # July 4 is a Sunday, its Monday a holiday: Friday
        ("2027-01-04", "2026-12-31"),  # Monday after New Year's Day, a Friday: Thursday
        ("2028-03-01", "2028-02-29"),
        ("2026-03-09", "2026-03-06"),  # over the clocks' change
        ("2026-11-02", "2026-10-30"),
    ],
)
def test_the_affected_are_told_a_business_day_before_the_work(work: str, told: str) -> None:
    found = due("affected_notice", D(work))
    ends_with(found, told)
    assert found.alternative is None


def test_an_election_day_before_the_work_gives_two_answers_until_the_village_decides() -> None:
    found = due("affected_notice", D("2026-11-04"))  # Wednesday after the election of November 3
    assert (found.day, found.alternative) == (D("2026-11-03"), D("2026-11-02"))
    assert due("affected_notice", D("2026-11-04"), Counting(elections=True)).day == D("2026-11-02")
    decided = due("affected_notice", D("2026-11-04"), Counting(elections=False))
    assert (decided.day, decided.alternative) == (D("2026-11-03"), None)


def test_a_day_on_which_the_office_is_closed_is_no_business_day() -> None:
    closed = Counting(closures=frozenset({D("2026-12-24")}))
    ends_with(due("affected_notice", D("2026-12-28"), closed), "2026-12-23")
    ends_with(due("affected_notice", D("2026-12-28")), "2026-12-24")
    ends_with(due("emergency_apply", D("2026-12-23"), closed), "2026-12-28")
    ends_with(due("emergency_apply", D("2026-12-23")), "2026-12-24")


@pytest.mark.parametrize(
    ("emergency", "applied"),
    [
        ("2026-06-09", "2026-06-10"),
        ("2026-06-12", "2026-06-15"),  # Friday: Monday
        ("2026-06-13", "2026-06-15"),
        ("2026-06-14", "2026-06-15"),
        ("2026-06-18", "2026-06-22"),  # Thursday before Juneteenth
        ("2026-12-31", "2027-01-04"),  # Thursday before New Year's Day, a Friday
        ("2027-07-02", "2027-07-06"),  # July 4 is a Sunday, its Monday a holiday
        ("2028-02-28", "2028-02-29"),
        ("2026-03-07", "2026-03-09"),
        ("2026-10-31", "2026-11-02"),
    ],
)
def test_an_emergency_is_applied_for_by_the_next_business_day(emergency: str, applied: str) -> None:
    found = due("emergency_apply", D(emergency))
    ends_with(found, applied)
    assert found.alternative is None


def test_an_emergency_before_an_election_day_gives_two_answers_until_the_village_decides() -> None:
    monday = D("2026-11-02")
    found = due("emergency_apply", monday)
    assert (found.day, found.alternative) == (D("2026-11-03"), D("2026-11-04"))
    assert due("emergency_apply", monday, Counting(elections=True)).day == D("2026-11-04")
    assert due("emergency_apply", monday, RULED).day == D("2026-11-04")  # a last day on a legal holiday moves on
    kept = due("emergency_apply", monday, Counting(skip_rule=False, elections=False))
    assert (kept.day, kept.alternative) == (D("2026-11-03"), None)
    half = due("emergency_apply", monday, Counting(elections=False))
    assert (half.day, half.alternative) == (D("2026-11-03"), D("2026-11-04"))
    assert "§ 990.001(4)" in half.alternative_reading


def test_what_is_to_be_told_immediately_is_overdue_a_second_later() -> None:
    for rule, section in (("emergency_tell", "288-6 H"), ("repaving_notify", "288-6 I")):
        found = due(rule, at("2026-03-08T01:59-06:00"))
        ends_at(found, "2026-03-08T01:59-06:00")
        assert (found.section, found.alternative) == (section, None)  # a Sunday: at once all the same


@pytest.mark.parametrize(
    ("permit", "last", "moved"),
    [
        ("2026-12-20", "2027-02-18", None),
        ("2026-01-31", "2026-04-01", None),  # 28 of February, 31 of March, 1 of April
        ("2028-01-31", "2028-03-31", None),  # 29 of February and 31 of March: 60
        ("2026-11-02", "2027-01-01", "2027-01-02"),  # New Year's Day, a Friday
        ("2026-04-21", "2026-06-20", None),
        ("2026-04-22", "2026-06-21", "2026-06-22"),  # a Sunday
    ],
)
def test_the_permanent_pavement_is_in_place_60_days_from_the_permit(permit: str, last: str, moved: str | None) -> None:
    found = due("permanent_pavement", D(permit))
    ends_with(found, last)
    assert found.alternative == (D(moved) if moved else None)


def test_a_temporary_winter_surface_goes_by_the_following_june_1() -> None:
    ends_with(due("winter_pavement", D("2026-12-20")), "2027-06-01")
    ends_with(due("winter_pavement", D("2027-01-01")), "2027-06-01")
    ends_with(due("winter_pavement", D("2026-05-31")), "2026-06-01")
    ends_with(due("winter_pavement", D("2026-06-01")), "2027-06-01")
    sunday = due("winter_pavement", D("2024-12-20"))  # June 1, 2025 is a Sunday
    assert (sunday.day, sunday.alternative) == (D("2025-06-01"), D("2025-06-02"))


def test_the_two_days_of_pavement_disagree_and_each_says_so() -> None:
    permanent, winter = (due(rule, D("2026-12-20")) for rule in ("permanent_pavement", "winter_pavement"))
    assert (permanent.day, winter.day) == (D("2027-02-18"), D("2027-06-01"))
    assert "can disagree" in permanent.reading
    assert "can disagree" in winter.reading


def test_new_concrete_is_kept_from_traffic_three_whole_days() -> None:
    begins_with(due("concrete_open", D("2026-06-05")), "2026-06-09")  # the 6th, 7th and 8th
    begins_with(due("concrete_open", D("2028-02-27")), "2028-03-02")  # the 28th, the 29th and March 1
    begins_with(due("concrete_open", D("2026-12-30")), "2027-01-03")


def test_repaving_begins_no_sooner_than_30_days_after_the_determination() -> None:
    begins_with(due("repaving_from", D("2026-05-01")), "2026-05-31")
    begins_with(due("repaving_from", D("2028-02-01")), "2028-03-02")  # 28 to the 29th, 2 of March
    begins_with(due("repaving_from", D("2026-12-15")), "2027-01-14")


def test_excavation_is_completed_30_days_from_the_clerks_notification() -> None:
    found = due("clearing", D("2026-05-01"))
    ends_with(found, "2026-05-31")
    assert found.alternative == D("2026-06-01")  # May 31 is a Sunday
    assert "read as from the notification" in found.reading
    ends_with(due("clearing", D("2026-05-04")), "2026-06-03")


def test_a_repaved_street_is_closed_to_openings_for_five_years() -> None:
    ends_with(due("moratorium", D("2021-07-01")), "2026-07-01")
    ends_with(due("moratorium", D("2024-02-29")), "2029-02-28")
    ends_with(due("moratorium", D("2021-12-31")), "2026-12-31")
    found = due("moratorium", D("2021-03-08"), RULED)
    ends_with(found, "2026-03-08")  # a Sunday: not moved
    assert found.sense == "ends"


# --- § 288-7, § 288-8: obstructions ---


@pytest.mark.parametrize("rule", ["remove_obstruction", "board_removal", "snow_clear"])
def test_24_hours_are_elapsed_hours_over_either_clock_change(rule: str) -> None:
    ends_at(due(rule, at("2026-06-02T09:15")), "2026-06-03T09:15")
    ends_at(due(rule, at("2026-03-07T12:00-06:00")), "2026-03-08T13:00-05:00")
    ends_at(due(rule, at("2026-10-31T12:00-05:00")), "2026-11-01T11:00-06:00")
    ends_at(due(rule, at("2026-12-31T23:59")), "2027-01-01T23:59")
    ends_at(due(rule, at("2028-02-28T08:00")), "2028-02-29T08:00")


def test_24_hours_from_a_saturday_noon_end_on_monday_noon_if_sundays_are_left_out() -> None:
    found = due("remove_obstruction", at("2026-06-06T12:00"))
    assert (found.at, found.alternative) == (at("2026-06-07T12:00"), at("2026-06-08T12:00"))
    assert due("remove_obstruction", at("2026-06-06T12:00"), RULED).at == at("2026-06-08T12:00")
    assert due("remove_obstruction", at("2026-06-06T12:00"), NOT_RULED).alternative is None
    holiday = due("board_removal", at("2027-07-03T12:00"))  # Saturday; July 4 a Sunday, its Monday the holiday
    assert holiday.alternative == at("2027-07-06T12:00")


@pytest.mark.parametrize(
    ("received", "last", "moved"),
    [
        ("2026-02-18", "2026-02-28", None),
        ("2028-02-19", "2028-02-29", None),
        ("2026-12-22", "2027-01-01", "2027-01-02"),
        ("2026-12-23", "2027-01-02", None),  # a Saturday
        ("2026-02-26", "2026-03-08", "2026-03-09"),  # the Sunday of the clocks
        ("2026-10-22", "2026-11-01", "2026-11-02"),
        ("2027-06-24", "2027-07-04", "2027-07-06"),  # a Sunday, and its holiday on the Monday
    ],
)
def test_a_bill_is_payable_within_10_calendar_days_of_its_receipt(received: str, last: str, moved: str | None) -> None:
    found = due("bill_payable", D(received))
    ends_with(found, last)
    assert found.alternative == (D(moved) if moved else None)


def test_an_expense_is_entered_within_60_days_over_month_ends_leap_day_and_new_year() -> None:
    ends_with(due("tax_roll", D("2028-01-01")), "2028-03-01")  # 30 of January, 29 of February, 1 of March
    ends_with(due("tax_roll", D("2027-01-01")), "2027-03-02")
    ends_with(due("tax_roll", D("2026-11-30")), "2027-01-29")
    sunday = due("tax_roll", D("2026-01-07"))  # 24 of January, 28 of February, 8 of March
    assert (sunday.day, sunday.alternative) == (D("2026-03-08"), D("2026-03-09"))
    assert "read as a last day" in sunday.reading


@pytest.mark.parametrize(
    ("issued", "ends"),
    [
        ("2026-01-31", "2026-04-30"),
        ("2026-08-31", "2026-11-30"),
        ("2026-10-15", "2027-01-15"),
        ("2027-11-29", "2028-02-29"),
        ("2026-12-08", "2027-03-08"),
        ("2026-08-01", "2026-11-01"),
    ],
)
def test_a_privilege_permit_ends_after_three_calendar_months(issued: str, ends: str) -> None:
    found = due("privilege_ends", D(issued))
    ends_with(found, ends)
    assert (found.alternative, found.sense) == (None, "ends")


# --- § 288-9: snow ---


def test_the_notice_of_snow_may_be_given_after_24_hours_and_the_forfeiture_runs_after_36() -> None:
    stopped = at("2026-01-06T06:00")  # Tuesday
    for rule, instant in (("snow_notice", "2026-01-07T06:00"), ("snow_forfeit", "2026-01-07T18:00")):
        found = due(rule, stopped)
        assert (found.sense, found.at, found.alternative) == ("from", at(instant), None)
        assert not found.passed(at(instant) - timedelta(seconds=1))
        assert found.passed(at(instant))


def test_36_hours_over_the_clock_changes() -> None:
    spring, autumn = at("2026-03-07T18:00-06:00"), at("2026-10-31T18:00-05:00")
    assert due("snow_forfeit", spring).at == at("2026-03-09T07:00-05:00")
    assert due("snow_forfeit", autumn).at == at("2026-11-02T05:00-06:00")
    # 6 hours of the Saturday, 24 of the Monday and 6 of the Tuesday
    assert due("snow_forfeit", spring).alternative == at("2026-03-10T06:00-05:00")
    # 6 of the Saturday, 24 of Monday, November 2, and none of Tuesday, November 3, an election day: 6 of the Wednesday
    assert due("snow_forfeit", autumn).alternative == at("2026-11-04T06:00-06:00")


def test_a_hazard_is_removed_within_two_hours_of_the_delivery() -> None:
    ends_at(due("snow_hazard", at("2026-01-06T06:00")), "2026-01-06T08:00")
    ends_at(due("snow_hazard", at("2026-03-08T01:30-06:00")), "2026-03-08T04:30-05:00")
    ends_at(due("snow_hazard", at("2026-11-01T00:30-05:00")), "2026-11-01T01:30-06:00")


# --- § 288-12, § 288-15, § 288-17 ---


def test_a_request_where_august_1_is_a_sunday_gives_two_answers() -> None:
    found = due("improvement_request", D("2027-08-02"))
    assert (found.day, found.alternative) == (D("2027-08-01"), D("2027-08-02"))
    assert considered_for(D("2027-08-01")) == (2028, None)
    assert considered_for(D("2027-08-02")) == (2029, 2028)
    assert considered_for(D("2027-08-02"), RULED) == (2028, None)
    assert considered_for(D("2027-08-02"), NOT_RULED) == (2029, None)
    assert considered_for(D("2027-08-03"), RULED) == (2029, None)


def test_a_request_of_new_year_is_for_the_following_year() -> None:
    assert considered_for(D("2026-12-31")) == (2028, None)
    assert considered_for(D("2027-01-01")) == (2028, None)


@pytest.mark.parametrize(
    ("since", "last"),
    [
        ("2026-02-16", "2026-03-08"),
        ("2026-10-12", "2026-11-01"),
        ("2028-02-09", "2028-02-29"),
        ("2026-12-20", "2027-01-09"),
    ],
)
def test_a_number_is_placed_and_neglected_after_20_days(since: str, last: str) -> None:
    ends_with(due("number_placed", D(since)), last)
    ends_with(due("number_neglect", D(since)), last)


def test_hearings_early_in_the_year_and_after_a_leap_day() -> None:
    ends_with(due("hearing_published", D("2027-01-15")), "2026-12-26")
    ends_with(due("hearing_mailed", D("2027-01-05")), "2026-12-26")
    ends_with(due("hearing_published", D("2028-03-15")), "2028-02-24")  # 15 days back is February 29
    ends_with(due("hearing_mailed", D("2028-03-10")), "2028-02-29")
