"""§ 288-7 D, E, F: who is notified of an obstruction, 24 hours, the removal, the account, the bill and the tax roll."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import expense
from app.casework import Course, Matter
from app.obstruction import OBSTRUCTION
from tests.permit_desk import Desk, desk_over
from tests.permitting import faults
from tests.street_cases import Cases, Json, ends, words

SERVED = {"to": "owner", "how": "handed", "reason": "Our own letter of that day"}
SERVICE = "2026-02-25T10:00"
"""A Wednesday."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("obstructions")) as made:
        yield made


@pytest.fixture
def every(desk: Desk) -> Cases:
    return Cases(desk)


def brick(every: Cases, place: str = "street", at: str = "2026-02-25T09:00", **facts: Any) -> Json:
    return every.report("obstruction", at, what="a pile of brick", place=place, where="in front of 145", **facts)


def removed(every: Cases) -> Json:
    """An obstruction that the Village removed on Friday, February 27, 2026."""
    case = brick(every)
    every.take(case, "serve", at=SERVICE, **SERVED)
    return every.take(case, "remove", at="2026-02-27T08:00")


def spent(every: Cases, case: Json, cents: str = "120.10", on: str = "2026-03-01") -> Json:
    return every.take(case, "expense", what="a truck", cents=cents, incurred_on=on, at=on)


# --- D, E: the notice, by place ---


def test_of_a_sidewalk_the_owner_or_the_occupant_is_notified(every: Cases) -> None:
    """OB-10: D, "to the owner or occupant"."""
    for whom in ("owner", "occupant"):
        case = brick(every, "sidewalk")
        served = every.take(case, "serve", at=SERVICE, **{**SERVED, "to": whom})
        assert served["clocks"][0]["section"] == "288-7 D"


@pytest.mark.parametrize("place", ["street", "alley", "ground", "dedicated"])
def test_of_anything_else_the_property_owner_alone_is_notified(every: Cases, place: str) -> None:
    """OB-11: E, "to the property owner of the premises which adjoins the obstructed public area"."""
    case = brick(every, place)
    refused = faults(every.take(case, "serve", 422, at=SERVICE, **{**SERVED, "to": "occupant"}))
    assert "property owner" in refused["to"]
    assert every.get(case)["state"] == "reported"
    assert every.take(case, "serve", at=SERVICE, **SERVED)["clocks"][0]["section"] == "288-7 E"


def test_a_service_is_recorded_with_its_time_of_day(every: Cases) -> None:
    case = brick(every)
    assert "time of day" in faults(every.take(case, "serve", 422, at="2026-02-25", **SERVED))["at"]


def test_a_notice_that_was_not_issued_here_is_told_in_the_reason(every: Cases) -> None:
    case = brick(every)
    assert "reason" in faults(every.take(case, "serve", 422, at=SERVICE, to="owner", how="handed"))


def test_an_enforcement_official_notifies_and_the_dispatcher_does_not(desk: Desk, every: Cases) -> None:
    case = brick(every)
    Cases(desk, "dispatch").take(case, "serve", 403, at=SERVICE, **SERVED)
    assert every.get(case)["state"] == "reported"


# --- 24 hours ---


def test_the_24_hours_end_on_the_minute_of_the_service(every: Cases) -> None:
    """OB-5: served on Wednesday, June 10 at 14:30; at 14:30 on Thursday they are not over, a minute later they are."""
    case = brick(every, at="2026-06-10T09:00")
    served = every.take(case, "serve", at="2026-06-10T14:30", **SERVED)
    assert ends(served) == {"remove": ("2026-06-11T19:30:00+00:00", None)}  # 14:30 CDT is 19:30 UTC
    for early in ("2026-06-11T14:29", "2026-06-11T14:30"):
        assert "24 hours" in faults(every.take(case, "remove", 422, at=early))["at"]
    assert every.take(case, "remove", at="2026-06-11T14:31")["state"] == "abated"


@pytest.mark.parametrize(
    ("service", "last", "other", "open_until", "from_then"),
    [  # both clock changes fall on a Sunday, which § 990.001(4) would leave out: 14 hours of Saturday, 10 of Monday
        ("2026-03-07T10:00", "2026-03-08T16:00", "2026-03-09T15:00", "2026-03-08T11:00", "2026-03-08T11:01"),
        ("2026-10-31T10:00", "2026-11-01T15:00", "2026-11-02T16:00", "2026-11-01T09:00", "2026-11-01T09:01"),
    ],
)
def test_a_clock_change_neither_gains_nor_loses_an_hour(
    every: Cases, service: str, last: str, other: str, open_until: str, from_then: str
) -> None:
    """24 elapsed hours from 10:00 end at 11:00 in March, at 9:00 in November; between the readings a reason is told."""
    case = brick(every, at=service)
    served = every.take(case, "serve", at=service, **SERVED)
    assert ends(served) == {"remove": (f"{last}:00+00:00", f"{other}:00+00:00")}
    assert "at" in faults(every.take(case, "remove", 422, at=open_until, reason="It blocks the street"))
    assert "reason" in faults(every.take(case, "remove", 422, at=from_then))
    assert every.take(case, "remove", at=from_then, reason="It blocks the street")["state"] == "abated"


def test_once_the_village_settles_it_the_sunday_is_left_out(desk: Desk, every: Cases) -> None:
    value = desk.settle("skip_rule", "yes")
    try:
        case = brick(every, at="2026-06-06T10:00")  # a Saturday
        served = every.take(case, "serve", at="2026-06-06T10:00", **SERVED)
        assert ends(served) == {"remove": ("2026-06-08T15:00:00+00:00", None)}  # Monday, 10:00 CDT
        assert "at" in faults(every.take(case, "remove", 422, at="2026-06-08T10:00"))
        assert every.take(case, "remove", at="2026-06-08T10:01")["state"] == "abated"
    finally:
        desk.unsettle(value)


def test_nothing_is_removed_before_a_notice(every: Cases) -> None:
    case = brick(every)
    every.take(case, "remove", 409, at="2026-02-27T08:00")
    assert every.get(case)["state"] == "reported"


def test_what_is_seen_to_be_gone_closes_the_case_and_a_later_look_keeps_it_open(every: Cases) -> None:
    case = brick(every)
    every.take(case, "serve", at=SERVICE, **SERVED)
    every.take(case, "inspect", at="2026-02-26T12:00", found="there")
    assert every.take(case, "inspect", at="2026-02-26T11:00", found="removed")["open"]  # seen an hour before
    gone = every.take(case, "inspect", at="2026-02-26T13:00", found="removed")
    assert gone["state"] == "removed"
    assert [one["done"][:16] for one in gone["clocks"]] == ["2026-02-26T19:00"]  # 1:00 pm CST


# --- F: the account, the bill, the tax roll ---


def test_lines_strikes_and_payments_add_up_to_the_cent(every: Cases) -> None:
    case = removed(every)
    spent(every, case, "120.10")
    slip = max(event["id"] for event in spent(every, case, "80.05", "2026-03-02")["events"])
    spent(every, case, "0.03", "2026-03-02")
    told = every.take(case, "strike", line=slip, reason="Entered twice")
    assert "$120.13, of which $0.00 is paid and $120.13 is not" in words(told)
    refused = faults(every.take(case, "paid", 422, cents="120.14", at="2026-03-03"))
    assert "$120.13" in refused["cents"]
    assert "$120.12 is paid and $0.01 is not" in words(every.take(case, "paid", cents="120.12", at="2026-03-03"))
    assert every.take(case, "paid", cents="0.01", at="2026-03-04")["state"] == "paid"


def test_an_account_whose_only_line_was_a_slip_is_not_closed_as_paid(every: Cases) -> None:
    case = removed(every)
    line = max(event["id"] for event in spent(every, case)["events"])
    assert every.take(case, "strike", line=line, reason="Another case's")["state"] == "abated"
    assert "line" in faults(every.take(case, "strike", 422, line=line, reason="Once more"))


def test_an_expense_is_above_nothing_and_not_still_to_come(every: Cases) -> None:
    case = removed(every)
    assert "cents" in faults(every.take(case, "expense", 422, what="x", cents="0", at="2026-03-02"))
    late = every.take(case, "expense", 422, what="x", cents="1", at="2026-03-02", incurred_on="2026-03-03")
    assert "incurred_on" in faults(late)


def test_a_bill_received_on_march_10_is_payable_by_march_20_and_entered_after_it(every: Cases) -> None:
    """OB-6, the worked example: incurred March 1, so on the tax roll by April 30."""
    case = removed(every)
    assert ends(spent(every, case))["tax_roll"] == ("2026-04-30", None)
    billed = every.take(case, "received", at="2026-03-10", reason="The bill of March 5, written by hand")
    assert ends(billed)["payable"] == ("2026-03-20", None)
    refused = faults(every.take(case, "enter", 422, at="2026-03-20"))
    assert "March 20, 2026" in refused["at"]
    entered = every.take(case, "enter", at="2026-03-21")
    assert (entered["state"], entered["events"][-1]["facts"]["cents"]) == ("rolled", 12010)
    assert {one["key"]: one["done"][:10] for one in entered["clocks"] if one["done"]} == {
        "remove": "2026-02-27",
        "payable": "2026-03-21",
        "tax_roll": "2026-03-21",
    }


def test_the_60_days_are_counted_from_the_first_cost_that_stands(every: Cases) -> None:
    case = removed(every)
    spent(every, case, "5", "2026-03-02")
    told = spent(every, case, "5", "2026-03-01")  # recorded later, incurred before
    assert ends(told)["tax_roll"][0] == "2026-04-30"
    line = max(event["id"] for event in told["events"])
    assert ends(every.take(case, "strike", line=line, reason="A slip"))["tax_roll"][0] == "2026-05-01"


def test_no_record_of_mailing_or_receipt_stops_the_entry(every: Cases) -> None:
    """F(2): the failure to mail or to receive "shall not affect the right to place the Village expense"."""
    case = removed(every)
    spent(every, case)
    entered = every.take(case, "enter", at="2026-03-03")
    assert entered["state"] == "rolled"
    assert "No receipt of the bill is on record" in words(entered)
    assert "No mailing of the bill is on record" in words(entered)


@pytest.mark.parametrize(("day", "late"), [("2026-04-30", False), ("2026-05-01", True)])
def test_an_entry_after_the_60_days_is_made_with_a_finding(every: Cases, day: str, late: bool) -> None:
    case = removed(every)
    spent(every, case)
    entered = every.take(case, "enter", at=day)
    assert entered["state"] == "rolled"
    assert ("The 60 days ended on Thu, April 30, 2026" in words(entered)) == late


def test_nothing_unpaid_is_not_entered_and_a_case_on_the_roll_is_not_reopened(every: Cases) -> None:
    case = removed(every)
    assert "cents" in faults(every.take(case, "enter", 422, at="2026-03-03"))
    spent(every, case)
    every.take(case, "enter", at="2026-03-03")
    every.take(case, "reopen", 409, reason="A slip")


def test_the_obscure_60_days_are_shown_with_the_account(every: Cases) -> None:
    assert "Within 60 days after costs remain unpaid" in words(removed(every))


def test_only_the_clerk_treasurer_keeps_the_account(desk: Desk, every: Cases) -> None:
    case = removed(every)
    for office in ("police", "director", "inspector"):
        Cases(desk, office).take(case, "expense", 403, what="x", cents="1")


# --- every order ---

START = datetime(2026, 3, 1, 18, tzinfo=UTC)
OPENED: list[Json] = [
    {"what": "report", "facts": {"what": "brick", "place": "street", "path": "unlawful"}},
    {"what": "serve", "facts": {"to": "owner", "how": "handed"}},
    {"what": "remove", "facts": {}},
]


@given(st.data(), st.lists(st.tuples(st.integers(1, 99_999), st.integers(0, 9)), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_in_whatever_order_they_are_recorded_cents_add_up_and_the_clocks_are_the_same(
    data: st.DataObject, costs: list[tuple[int, int]]
) -> None:
    """Lines, strikes and payments that come to the same, shuffled; what is owed is kept here by hand, in cents."""
    struck = data.draw(st.sets(st.integers(0, len(costs) - 1), max_size=len(costs) - 1))
    owed = sum(cents for k, (cents, _) in enumerate(costs) if k not in struck)
    parts = [part for part in (owed // 3, owed // 5) if part]
    acts = [("expense", k) for k in range(len(costs))] + [("strike", k) for k in struck]
    acts += [("paid", part) for part in parts]
    first = min(day for k, (_, day) in enumerate(costs) if k not in struck)
    for _ in range(3):
        course, left = _recorded(data.draw(st.permutations(acts)), costs)
        assert expense.total(course) == owed
        assert expense.paid(course) == sum(parts)
        assert expense.balance(course) == owed - sum(parts) == left
        assert course.state == "abated"
        last = date(2026, 3, 1) + timedelta(days=first + 60)
        told = {one.key: (one.deadline.day, one.done) for one in OBSTRUCTION.clocks(Matter({}, None, course))}
        assert told["tax_roll"] == (last, None)


def _recorded(acts: list[tuple[str, int]], costs: list[tuple[int, int]]) -> tuple[Course, int]:
    """Record acts as they come, each put off while what it needs is not there: its line, or enough that is unpaid."""
    events = [{"id": k, "at": START + timedelta(hours=25 * k - 100), **one} for k, one in enumerate(OPENED, start=1)]
    line, left, waiting = dict[int, int](), 0, list(acts)
    while waiting:
        what, k = next(act for act in waiting if _may(act, line, left, costs, waiting))
        waiting.remove((what, k))
        number, facts = len(events) + 1, dict[str, Any]()
        if what == "expense":
            line[k], left = number, left + costs[k][0]
            facts = {"cents": costs[k][0], "incurred_on": str(date(2026, 3, 1) + timedelta(days=costs[k][1]))}
        elif what == "strike":
            left, facts = left - costs[k][0], {"line": line[k]}
        else:
            left, facts = left - k, {"cents": k}
        events.append({"id": number, "what": what, "facts": facts, "at": START + timedelta(days=20, hours=number)})
    return OBSTRUCTION.course(events), left


def _may(
    act: tuple[str, int], line: dict[int, int], left: int, costs: list[tuple[int, int]], waiting: list[tuple[str, int]]
) -> bool:
    """A case that is settled between is closed: the last cents are left for what is still to come."""
    what, k = act
    others = any(name == "expense" for name, _ in waiting)
    if what == "strike":
        return k in line and (left > costs[k][0] or not others)
    return what == "expense" or left > k
