"""How time is counted. 2026 begins on a Thursday; the clocks change on Sundays 2026-03-08 and 2026-11-01."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest

from app.business_days import business_day, legal_holidays, next_business_day, previous_business_day
from app.clocks import (
    LOCAL,
    ClockError,
    between,
    days_before,
    days_later,
    hours_before,
    local_instant,
    months_after,
    said_day,
    said_instant,
    within_days,
    within_hours,
    year_considered,
)

D = date.fromisoformat


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def test_where_the_readings_differ_neither_answer_is_given() -> None:
    """Due Sun, June 21 or Mon, June 22: on the Monday it is over under one reading and not under the other."""
    found = within_days(D("2026-06-01"), 20, "288-15 G(2)")
    times = ("2026-06-21T23:59:59", "2026-06-22T00:00:00", "2026-06-22T23:59:59", "2026-06-23T00:00:00")
    assert [found.over(at(f"{time}-05:00")) for time in times] == [False, None, None, True]
    assert (found.due_at, found.over_at) == (at("2026-06-22T00:00:00-05:00"), at("2026-06-23T00:00:00-05:00"))
    plain = within_days(D("2026-06-02"), 20, "288-15 G(2)")  # a Monday
    assert [plain.over(at(f"{time}-05:00")) for time in times] == [False, False, False, True]
    hours = within_hours(at("2026-03-07T12:00:00-06:00"), 24, "288-8")  # Sunday noon, or Monday noon
    assert [hours.over(at(t)) for t in ("2026-03-08T13:00-05:00", "2026-03-08T13:01-05:00")] == [False, None]
    assert hours.over(hours.over_at) is None
    assert hours.over(hours.over_at + timedelta(seconds=1)) is True


# --- days ---


def test_an_emergency_opening_approved_january_30_is_valid_through_march_1() -> None:
    found = within_days(D("2026-01-30"), 30, "288-5 D", skip_rule=False)
    assert found.day == D("2026-03-01")  # 1 day left of January, 28 of February, 1 of March: a Sunday, not moved
    assert found.alternative is None


def test_a_number_assigned_june_1_is_displayed_by_june_21() -> None:
    found = within_days(D("2026-06-01"), 20, "288-15 G(2)")
    assert found.day == D("2026-06-21")
    assert found.at is None
    assert found.section == "288-15 G(2)"
    assert found.counted == "20 days from Mon, June 1, 2026: that day excluded, the last day included to its end."


def test_a_last_day_on_a_sunday_shows_the_monday_too_while_the_rule_is_undecided() -> None:
    found = within_days(D("2026-06-01"), 20, "288-15 G(2)")
    assert found.alternative == D("2026-06-22")
    assert "§ 990.001(4)" in found.reading
    assert "Sun, June 21, 2026 is a Sunday" in found.alternative_reading
    assert "Mon, June 22, 2026" in found.alternative_reading


def test_a_last_day_on_a_sunday_moves_where_the_village_says_so_and_stays_where_it_says_not() -> None:
    moved = within_days(D("2026-06-01"), 20, "288-15 G(2)", skip_rule=True)
    stays = within_days(D("2026-06-01"), 20, "288-15 G(2)", skip_rule=False)
    assert (moved.day, moved.alternative) == (D("2026-06-22"), None)
    assert (stays.day, stays.alternative) == (D("2026-06-21"), None)
    assert "moves to Mon, June 22, 2026" in moved.reading


def test_a_saturday_is_no_reason_to_move() -> None:
    assert within_days(D("2026-05-31"), 20, "x").day == D("2026-06-20")
    assert within_days(D("2026-05-31"), 20, "x").alternative is None


def test_a_last_day_on_a_holiday_moves_past_the_holiday() -> None:
    found = within_days(D("2026-05-30"), 20, "x")
    assert (found.day, found.alternative) == (D("2026-06-19"), D("2026-06-20"))
    assert "Juneteenth Day" in found.alternative_reading


def test_a_last_day_before_a_sunday_and_a_holiday_moves_past_both() -> None:
    # Sunday May 24, 2026; Memorial Day, the last Monday of May, is the 25th.
    assert within_days(D("2026-05-04"), 20, "x").alternative == D("2026-05-26")


def test_a_notice_served_june_25_is_violated_after_july_5() -> None:
    found = within_days(D("2026-06-25"), 10, "288-15 M")
    assert found.day == D("2026-07-05")
    assert not found.passed(at("2026-07-05T23:59:59-05:00"))
    assert found.passed(at("2026-07-06T00:00:00-05:00"))


def test_costs_unpaid_since_march_1_go_on_the_tax_roll_by_april_30_and_a_bill_of_march_10_is_due_march_20() -> None:
    assert within_days(D("2026-03-01"), 60, "288-9 I").day == D("2026-04-30")
    assert within_days(D("2026-03-10"), 10, "288-9 I").day == D("2026-03-20")


def test_a_hearing_on_september_30_is_published_by_the_10th_and_mailed_by_the_20th() -> None:
    assert days_before(D("2026-09-30"), 20, "288-17 C").day == D("2026-09-10")
    mailed = days_before(D("2026-09-30"), 10, "288-17 C")
    assert mailed.day == D("2026-09-20")  # a Sunday: moving on would leave nine days
    assert mailed.alternative is None


def test_a_sidewalk_permit_obtained_june_5_allows_work_from_june_12() -> None:
    assert days_later(D("2026-06-05"), 7) == D("2026-06-12")
    assert days_before(D("2026-06-12"), 7, "288-4 C").day == D("2026-06-05")


def test_a_count_below_nothing_is_refused() -> None:
    with pytest.raises(ClockError, match="expected 0 or more"):
        within_days(D("2026-06-01"), -1, "x")


def test_what_may_be_done_from_a_day_on_may_be_done_from_its_first_minute() -> None:
    found = replace(within_days(D("2026-06-05"), 7, "288-4 C", skip_rule=False), sense="from")  # June 12
    assert [found.passed(at(t)) for t in ("2026-06-11T23:59:59-05:00", "2026-06-12T00:00:00-05:00")] == [False, True]
    assert found.due_at == found.over_at == at("2026-06-12T00:00:00-05:00")
    hours = replace(within_hours(at("2026-06-02T09:00:00-05:00"), 24, "288-9"), sense="from")
    assert [hours.passed(hours.due_at + timedelta(seconds=n)) for n in (-1, 0)] == [False, True]


# --- hours ---


def test_snow_that_stopped_before_the_clocks_went_forward_is_due_24_elapsed_hours_later() -> None:
    found = within_hours(at("2026-03-08T01:30:00-06:00"), 24, "288-9 A")
    assert found.at == at("2026-03-09T02:30:00-05:00")
    assert found.day is None
    assert found.counted == "24 elapsed hours from Sun, March 8, 2026, 1:30 am CST."


def test_hours_through_a_sunday_show_both_answers_while_the_rule_is_undecided() -> None:
    # All of Sunday, March 8 is left out: 24 hours of Monday remain.
    found = within_hours(at("2026-03-08T01:30:00-06:00"), 24, "288-9 A")
    assert found.alternative == at("2026-03-10T00:00:00-05:00")
    assert within_hours(at("2026-03-08T01:30:00-06:00"), 24, "x", skip_rule=True).at == found.alternative
    assert within_hours(at("2026-03-08T01:30:00-06:00"), 24, "x", skip_rule=False).alternative is None


def test_hours_that_touch_no_sunday_have_one_answer() -> None:
    assert within_hours(at("2026-06-02T09:00:00-05:00"), 24, "x").alternative is None
    ends_at_midnight = within_hours(at("2026-06-06T00:00:00-05:00"), 24, "x")  # Saturday
    assert ends_at_midnight.alternative is None


def test_hours_from_saturday_noon_stand_still_on_sunday() -> None:
    found = within_hours(at("2026-06-06T12:00:00-05:00"), 24, "x", skip_rule=True)
    assert found.at == at("2026-06-08T12:00:00-05:00")


def test_two_hours_across_the_hour_that_comes_twice() -> None:
    assert within_hours(at("2026-11-01T00:30:00-05:00"), 2, "x").at == at("2026-11-01T01:30:00-06:00")


def test_hours_before_an_event_are_elapsed_hours_back_over_either_clock_change() -> None:
    spring = hours_before(at("2026-03-08T12:00:00-05:00"), 24, "288-6 B(4)", skip_rule=False)
    assert spring.at == at("2026-03-07T11:00:00-06:00")
    autumn = hours_before(at("2026-11-01T12:00:00-06:00"), 24, "288-6 B(4)", skip_rule=False)
    assert autumn.at == at("2026-10-31T13:00:00-05:00")


def test_hours_before_a_monday_show_the_answer_without_the_sunday_too() -> None:
    found = hours_before(at("2026-06-08T08:00:00-05:00"), 24, "x")  # Monday, 8 hours of it; 16 of Saturday
    assert (found.at, found.alternative) == (at("2026-06-07T08:00:00-05:00"), at("2026-06-06T08:00:00-05:00"))
    assert hours_before(at("2026-06-08T08:00:00-05:00"), 24, "x", skip_rule=True).at == found.alternative
    assert hours_before(at("2026-06-08T08:00:00-05:00"), 8, "x").alternative is None
    assert hours_before(at("2026-06-08T00:00:00-05:00"), 1, "x").alternative == at("2026-06-06T23:00:00-05:00")


def test_an_instant_is_past_the_moment_after_it() -> None:
    found = within_hours(at("2026-06-02T09:00:00-05:00"), 2, "x")
    assert not found.passed(at("2026-06-02T11:00:00-05:00"))
    assert found.passed(at("2026-06-02T11:00:01-05:00"))


def test_a_start_without_a_zone_is_refused() -> None:
    with pytest.raises(ClockError, match="time zone"):
        within_hours(datetime(2026, 6, 1, 9), 24, "x")


# --- months and days of the year ---


def test_a_privilege_permit_of_november_30_ends_on_the_last_of_february() -> None:
    assert months_after(D("2026-11-30"), 3) == D("2027-02-28")
    assert months_after(D("2027-11-30"), 3) == D("2028-02-29")
    assert months_after(D("2026-01-15"), 6) == D("2026-07-15")


@pytest.mark.parametrize(
    ("day", "inside"),
    [("2026-11-14", False), ("2026-11-15", True), ("2027-01-01", True), ("2027-04-01", True), ("2027-04-02", False)],
)
def test_frozen_ground_is_from_november_15_to_april_1_both_closed(day: str, inside: bool) -> None:
    assert between(D(day), (11, 15), (4, 1)) is inside


def test_a_span_within_one_year() -> None:
    assert [between(D(f"2026-{d}"), (5, 1), (5, 31)) for d in ("04-30", "05-01", "05-31", "06-01")] == [
        False,
        True,
        True,
        False,
    ]


def test_an_improvement_asked_for_on_august_1_is_for_the_following_year_and_later_for_the_one_after() -> None:
    assert year_considered(D("2026-08-01"), 8, 1) == 2027
    assert year_considered(D("2026-08-02"), 8, 1) == 2028


# --- business days and holidays ---


def test_the_legal_holidays_of_2026() -> None:
    assert [day.isoformat() for day in legal_holidays(2026, elections=False)] == [
        *("2026-01-01", "2026-01-19", "2026-02-16", "2026-05-25", "2026-06-19", "2026-07-04"),
        *("2026-09-07", "2026-10-12", "2026-11-11", "2026-11-26", "2026-12-25"),
    ]


def test_election_days_of_even_years_only() -> None:
    extra = legal_holidays(2026).keys() - legal_holidays(2026, elections=False).keys()
    assert extra == {D("2026-08-11"), D("2026-11-03")}
    assert legal_holidays(2027) == legal_holidays(2027, elections=False)
    assert D("2022-11-08") in legal_holidays(2022)  # November 1 was a Tuesday: not the election


def test_a_holiday_on_a_sunday_is_the_monday_and_one_on_a_saturday_stays() -> None:
    assert D("2027-07-05") in legal_holidays(2027)
    assert D("2027-07-04") not in legal_holidays(2027)
    assert D("2026-07-03") not in legal_holidays(2026)
    assert legal_holidays(2023)[D("2023-01-02")] == "the Monday after New Year's Day"


def test_business_days() -> None:
    assert business_day(D("2026-06-18"))
    assert not business_day(D("2026-06-19"))  # Juneteenth
    assert not business_day(D("2026-06-20"))  # Saturday
    assert not business_day(D("2026-06-21"))
    assert next_business_day(D("2026-06-18")) == D("2026-06-22")
    assert next_business_day(D("2026-06-22")) == D("2026-06-23")


def test_the_business_day_before_a_monday_is_the_friday_and_before_a_holiday_weekend_the_thursday() -> None:
    assert previous_business_day(D("2026-06-15")) == D("2026-06-12")
    assert previous_business_day(D("2026-06-22")) == D("2026-06-18")  # Friday June 19 is Juneteenth
    assert previous_business_day(D("2026-11-04"), elections=True) == D("2026-11-02")
    assert previous_business_day(D("2026-12-28"), closures={D("2026-12-24")}) == D("2026-12-23")


def test_election_days_and_closures_are_settings() -> None:
    assert business_day(D("2026-11-03"))
    assert not business_day(D("2026-11-03"), elections=True)
    assert next_business_day(D("2026-12-23"), closures={D("2026-12-24")}) == D("2026-12-28")


# --- local time ---


def test_a_time_the_clocks_skipped_is_refused_with_its_neighbours() -> None:
    with pytest.raises(ClockError) as caught:
        local_instant(D("2026-03-08"), time(2, 30))
    assert "01:59" in str(caught.value)
    assert "03:00" in str(caught.value)
    assert local_instant(D("2026-03-08"), time(1, 59)) == at("2026-03-08T01:59:00-06:00")
    assert local_instant(D("2026-03-08"), time(3)) == at("2026-03-08T03:00:00-05:00")


def test_a_time_that_came_twice_asks_which() -> None:
    with pytest.raises(ClockError, match="01:30 CDT or 01:30 CST"):
        local_instant(D("2026-11-01"), time(1, 30))
    first = local_instant(D("2026-11-01"), time(1, 30), fold=0)
    second = local_instant(D("2026-11-01"), time(1, 30), fold=1)
    assert second - first == timedelta(hours=1)
    assert first == at("2026-11-01T01:30:00-05:00")


def test_an_ordinary_time_is_one_instant_in_utc() -> None:
    found = local_instant(D("2026-06-01"), time(15, 5))
    assert found == datetime(2026, 6, 1, 20, 5, tzinfo=UTC)
    assert found.tzinfo is UTC


def test_a_local_time_with_a_zone_of_its_own_is_refused() -> None:
    with pytest.raises(ClockError, match="without a time zone"):
        local_instant(D("2026-06-01"), time(15, 5, tzinfo=LOCAL))


def test_how_days_and_instants_are_written() -> None:
    assert said_day(D("2026-06-01")) == "Mon, June 1, 2026"
    assert said_instant(at("2026-06-01T15:05:00-05:00")) == "Mon, June 1, 2026, 3:05 pm CDT"
    assert said_instant(at("2026-01-01T00:07:00-06:00")) == "Thu, January 1, 2026, 12:07 am CST"
