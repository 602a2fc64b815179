"""§ 288-6 as a permit to open a street meets it: frozen ground, lanes, notices, new streets, emergencies.

Seen to fail, each by breaking the code once: the last of the five years left out; a notice at the midnight after its
last day taken for one in time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.permit_desk import Desk, area, cures, desk_over
from tests.permitting import APPLICATION, EMERGENCY, Json, Permits, clock

PLACE = area(200, 16, 212, 18)
"""Two feet along the north curb of Main Street: a lane is left in each direction."""
ACROSS = area(300, -18, 312, 18)
"""All of the pavement: no lane is left."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("regulations")) as made:
        yield made


# --- A: frozen ground ---


def begun(every: Permits, day: str, **facts: Any) -> Json:
    """An opening whose work has begun on the day of its approval, with its hotline ticket."""
    permit = every.approved("opening", day, **facts)
    every.take(permit, "notice", to="hotline", ticket="1", at=day)
    return every.take(permit, "start", at=day)


@pytest.mark.parametrize(("day", "frozen"), [
    ("2025-11-14", False), ("2025-11-15", True), ("2025-12-31", True), ("2026-01-01", True), ("2024-02-29", True),
    ("2026-04-01", True), ("2026-04-02", False),
])  # fmt: skip
def test_an_opening_is_refused_from_november_15_to_april_1_both_days_within(desk: Desk, day: str, frozen: bool) -> None:
    """EX-7: "No openings ... shall be permitted between November 15 and April 1"."""
    clerk = desk.by("clerk")
    permit = clerk.complete("opening", day)
    if not frozen:
        assert clerk.take(permit, "approve", at=day, by="clerk")["events"][-1]["what"] == "approve"
        return
    refused = cures(clerk, permit, "approve", at=day, by="clerk")
    assert list(refused) == ["frozen_ground"]
    assert "a finding of the Board or the Director" in refused["frozen_ground"]
    assert refused["frozen_ground"].endswith("(§ 288-6 A)")


@pytest.mark.parametrize("place", ["street", "alley", "sidewalk", "way", "ground", "easement"])
def test_the_section_names_streets_alleys_sidewalks_and_ways_and_neither_grounds_nor_easements(
    desk: Desk, place: str
) -> None:
    clerk = desk.by("clerk")
    permit = clerk.complete("opening", "2026-01-15", **{"in": place})
    if place in {"ground", "easement"}:
        assert clerk.take(permit, "approve", at="2026-01-15", by="clerk")["number"]
    else:
        assert list(cures(clerk, permit, "approve", at="2026-01-15", by="clerk")) == ["frozen_ground"]


def test_an_opening_that_is_planned_for_the_season_is_refused_though_it_is_approved_before_it(desk: Desk) -> None:
    clerk = desk.by("clerk")
    permit = clerk.complete("opening", "2025-11-10", starts_on="2025-11-15")
    refused = cures(clerk, permit, "approve", at="2025-11-10", by="clerk")
    assert refused["frozen_ground"].startswith("Sat, November 15, 2025")
    permit = clerk.complete("opening", "2025-11-10", starts_on="2025-11-14")
    assert clerk.take(permit, "approve", at="2025-11-10", by="clerk")["number"]


def test_an_opening_that_was_approved_before_the_season_does_not_begin_in_it(desk: Desk) -> None:
    clerk = desk.by("clerk")
    permit = clerk.approved("opening", "2025-11-10", by="clerk")
    clerk.take(permit, "notice", to="hotline", ticket="1", at="2025-11-10")
    assert list(cures(clerk, permit, "start", at="2025-11-15")) == ["frozen_ground"]
    assert clerk.take(permit, "start", at="2025-11-14")["events"][-1]["what"] == "start"


def test_the_board_or_the_director_finds_an_emergency_and_by_that_day_the_permit_is_approved(desk: Desk) -> None:
    clerk = desk.by("clerk")
    permit = clerk.complete("opening", "2026-01-15")
    found = {"decision": "emergency", "reason": "A broken main"}
    clerk.take(permit, "decide", 422, by="clerk", at="2026-01-15", **found)
    clerk.take(permit, "decide", 422, by="director", at="2026-01-15", **found)  # not his own decision to record
    desk.by("director").take(permit, "decide", by="director", at="2026-01-16", **found)
    assert list(cures(clerk, permit, "approve", at="2026-01-15", by="clerk")) == ["frozen_ground"]
    approved = clerk.take(permit, "approve", at="2026-01-16", by="clerk")
    assert clock(approved, "valid")["due"] == "2026-02-15"
    other = clerk.complete("opening", "2026-01-15")
    clerk.take(other, "decide", by="board", at="2026-01-15", **found)
    assert clerk.take(other, "approve", at="2026-01-15", by="clerk")["number"]


# --- B: the public, lanes, notices ---


def test_a_trench_of_250_and_500_feet_is_as_it_is_to_be_and_a_foot_more_is_not(desk: Desk) -> None:
    """EX-8 and EX-21."""
    director = desk.by("director")
    permit = director.approved("opening", "2026-05-04")
    for measured, found in (
        ({"ahead_ft": "250", "unfilled_ft": "500"}, "pass"),
        ({"ahead_ft": "251"}, "fail"),
        ({"unfilled_ft": "501"}, "fail"),
    ):
        told = director.take(permit, "inspect", item="trench", at="2026-05-05", **measured)
        assert told["events"][-1]["facts"]["result"] == found
    refused = cures(director, permit, "inspect", item="trench", ahead_ft="251", result="pass", at="2026-05-05")
    assert "no trench shall be excavated more than 250 feet" in refused["result"]
    director.take(permit, "decide", decision="trench", by="director", reason="Straight pipe", at="2026-05-06")
    for day, found in (("2026-05-05", "fail"), ("2026-05-06", "pass")):
        told = director.take(permit, "inspect", item="trench", ahead_ft="251", at=day)
        assert told["events"][-1]["facts"]["result"] == found


def test_only_the_director_permits_a_longer_trench(desk: Desk) -> None:
    permit = desk.by("director").approved("opening", "2026-05-04")
    for by in ("board", "clerk"):
        assert "by" in cures(desk.by("all"), permit, "decide", decision="trench", by=by, reason="x")


def test_an_opening_that_leaves_no_lane_is_refused_until_something_the_section_names_cures_it(desk: Desk) -> None:
    """EX-9 and EX-23."""
    director = desk.by("director")
    for cure, by in (("flagger", "director"), ("signal", "director"), ("lanes", "board")):
        permit = director.complete("opening", "2026-05-04", **ACROSS)
        refused = cures(director, permit, "approve", at="2026-05-04", by="director")
        assert list(refused) == ["lanes"]
        assert "a flagman or a temporary traffic control signal" in refused["lanes"]
        assert refused["lanes"].endswith("(§ 288-6 B(3))")
        director.take(permit, "decide", decision=cure, by=by, reason="As applied for", at="2026-05-04")
        assert director.take(permit, "approve", at="2026-05-04", by="director")["number"]
        director.take(permit, "undo", reason="It was for a test")
        director.take(permit, "refuse", under="a test", cure="none", reason="It was for a test")


def test_an_opening_at_the_curb_leaves_a_lane_in_each_direction(desk: Desk) -> None:
    """Of 18 ft of a half, 2 ft are taken: 16 ft are left and a lane is read as 10 ft."""
    permit = desk.by("director").approved("opening", "2026-05-04", **area(600, 16, 612, 18))
    rows = {row["quantity"]: row["verdict"] for row in permit["measured"]["lanes"]["rows"]}
    assert set(rows.values()) == {"complies"}


def test_the_notice_to_the_director_says_location_and_extent(desk: Desk) -> None:
    """EX-24."""
    clerk = desk.by("clerk")
    permit = clerk.apply("opening")
    assert set(cures(clerk, permit, "notice", to="director")) == {"location", "extent"}
    assert list(cures(clerk, permit, "notice", to="director", location="145 Main Street")) == ["extent"]
    clerk.take(permit, "notice", to="director", location="145 Main Street", extent="12 ft by 2 ft")


@pytest.mark.parametrize(("day", "time", "due"), [
    ("2026-06-10", "09:00", "2026-06-09T14:00:00+00:00"),  # 9:00 CDT is 14:00 UTC
    ("2026-11-01", "07:30", "2026-10-31T13:30:00+00:00"),  # 7:30 CST; 24 elapsed hours before is 8:30 CDT
    ("2026-11-02", "07:30", "2026-11-01T13:30:00+00:00"),
    ("2027-01-01", "00:30", "2026-12-31T06:30:00+00:00"),
])  # fmt: skip
def test_the_director_is_told_24_elapsed_hours_before(desk: Desk, day: str, time: str, due: str) -> None:
    """EX-10."""
    permit = desk.by("clerk").apply("opening", starts_on=day, starts_time=time)
    told = clock(permit, "notice_director")
    assert (told["due"], told["section"], told["sense"]) == (due, "288-6 B(4)", "by")


def test_without_a_time_of_day_the_notice_is_counted_from_midnight_and_said_so(desk: Desk) -> None:
    told = clock(desk.by("clerk").apply("opening", starts_on="2026-06-10"), "notice_director")
    assert told["due"] == "2026-06-09T05:00:00+00:00"
    assert "No time of day is planned" in told["reading"]


def test_digging_does_not_begin_at_a_time_that_the_clocks_skip_and_one_that_came_twice_is_asked_for(desk: Desk) -> None:
    clerk = desk.by("clerk")
    asked = {**APPLICATION["opening"], "starts_on": "2026-03-08", "starts_time": "02:30"}
    answer = clerk.apply("opening", 422, **asked)
    assert answer["errors"][0]["field"] == "starts_time"
    assert all(time in str(answer["errors"][0]) for time in ("01:59", "03:00"))
    twice = {**asked, "starts_on": "2026-11-01", "starts_time": "1:30"}
    assert clerk.apply("opening", 422, **twice)["errors"][0]["field"] == "starts_time"
    second = clerk.apply("opening", **{**twice, "starts_time": "1:30 CST"})
    assert clock(second, "notice_director")["due"] == "2026-10-31T07:30:00+00:00"  # 7:30 UTC, less 24 hours


def begin(desk: Desk, start: str, **told: str) -> list[str]:
    """Begin work with some who were told at some time; returns the findings."""
    every = desk.by("all")
    permit = every.approved("opening", "2026-06-01")
    for who, when in told.items():
        said = {"director": {"location": "145 Main Street", "extent": "12 ft"}, "hotline": {"ticket": "1"}}
        every.take(permit, "notice", to=who, at=when, **said.get(who, {}))
    found: list[str] = every.take(permit, "start", at=start)["events"][-1]["facts"]["findings"]
    return found


def test_a_start_before_the_24_hours_or_the_business_day_is_a_finding_at_the_minute(desk: Desk) -> None:
    """Work begins on Wednesday, June 10, 9:00; all of Tuesday serves for the Clerk and the affected."""
    good = {
        "hotline": "2026-06-02", "director": "2026-06-09T09:00", "clerk": "2026-06-09T23:59",
        "affected": "2026-06-09T23:59",
    }  # fmt: skip
    assert begin(desk, "2026-06-10T09:00", **good) == []
    for who, late in (
        ("director", "2026-06-09T09:01"),
        ("clerk", "2026-06-10T00:00"),
        ("affected", "2026-06-10T00:00"),
    ):
        (finding,) = begin(desk, "2026-06-10T09:00", **{**good, who: late})
        assert "it was to be by" in finding
        assert ("288-6 B(4)" if who == "director" else "288-6 F") in finding


def test_an_emergency_needs_no_notice_before_it(desk: Desk) -> None:
    """EX-10, EX-11, EX-24, EX-25."""
    every = desk.by("all")
    facts = {**EMERGENCY, "starts_on": "2026-01-30", "loss_at": "2026-01-30T09:00"}
    permit = every.approved("opening", "2026-01-30", **facts)
    assert not [one["key"] for one in permit["clocks"] if one["key"].startswith("notice")]
    every.take(permit, "notice", to="hotline", ticket="1", at="2026-01-30")
    assert every.take(permit, "start", at="2026-01-30")["events"][-1]["facts"]["findings"] == []
    titles = " ".join(permit["remarks"])
    for slip in (
        "Emergencies are not in Subsection G", "An emergency in a newly paved street",
        "60 days, June 1 and November 15", "A loss of service that is planned and forbidden",
    ):  # fmt: skip
        assert slip in titles


def test_properties_are_told_12_elapsed_hours_before_they_lose_a_service_in_writing_or_in_person(desk: Desk) -> None:
    """EX-11, EX-25, EX-29: 9:00 CDT on June 10 is 14:00 UTC; 12 hours before is 2:00 UTC."""
    every = desk.by("all")
    permit = every.apply("opening", loss_at="2026-06-10T09:00", at="2026-06-01")
    assert clock(permit, "notice_properties")["due"] == "2026-06-10T02:00:00+00:00"
    for how in ("other", None):
        assert list(cures(every, permit, "notice", to="properties", how=how, at="2026-06-09")) == ["how"]
    every.take(permit, "complete", sufficient="yes", at="2026-06-01")
    refused = cures(every, permit, "approve", by="director", at="2026-06-02")
    assert list(refused) == ["interruption"]
    assert "B(5) and forbids an interruption in E(3)" in refused["interruption"]
    every.take(permit, "decide", decision="interruption", by="board", reason="One hour", at="2026-06-02")
    told = every.take(permit, "approve", by="director", at="2026-06-02")
    assert any("A loss of service that is planned and forbidden" in one for one in told["remarks"])
    for how in ("writing", "personal"):
        every.take(permit, "notice", to="properties", how=how, whom="145 and 147", at="2026-06-09T20:59")


@pytest.mark.parametrize(("loss", "due"), [
    ("2026-03-08T08:00", "2026-03-08T01:00:00+00:00"),  # 8:00 CDT is 13:00 UTC: 12 hours before is 7 pm CST
    ("2026-11-01T08:00", "2026-11-01T02:00:00+00:00"),  # 8:00 CST is 14:00 UTC: 12 hours before is 9 pm CDT
])  # fmt: skip
def test_a_clock_change_neither_gains_nor_loses_an_hour_before_a_loss_of_service(
    desk: Desk, loss: str, due: str
) -> None:
    assert clock(desk.by("clerk").apply("opening", loss_at=loss), "notice_properties")["due"] == due


# --- D and E: the excavation ---


def test_work_does_not_begin_without_the_tickets_of_the_hotline(desk: Desk) -> None:
    """EX-13: "Prior to starting excavation work, the contractor shall first contact Digger's Hotline"."""
    clerk = desk.by("clerk")
    permit = clerk.approved("opening", "2026-05-04", by="clerk")
    assert "(§ 288-6 D(1))" in cures(clerk, permit, "start", at="2026-05-06T09:00")["ticket"]
    assert list(cures(clerk, permit, "notice", to="hotline", at="2026-05-05")) == ["ticket"]
    clerk.take(permit, "notice", to="hotline", ticket="20261901", at="2026-05-06T09:01")
    assert list(cures(clerk, permit, "start", at="2026-05-06T09:00")) == ["ticket"]
    assert clerk.take(permit, "start", at="2026-05-06T09:01")["events"][-1]["what"] == "start"


@pytest.mark.parametrize(("item", "measured", "found"), [
    ("compaction", {"layer_in": "12", "density_percent": "95"}, "pass"),
    ("compaction", {"layer_in": "12.1", "density_percent": "95"}, "fail"),
    ("compaction", {"layer_in": "12", "density_percent": "94.9"}, "fail"),
    ("compaction", {"layer_in": "12", "within_in": "0.5", "density_percent": "96"}, "open"),
    ("backfill", {"stone_in": "8"}, "pass"),
    ("backfill", {"stone_in": "8 1/8"}, "fail"),
])  # fmt: skip
def test_layers_density_and_stones_are_held_to_the_sections_numbers(
    desk: Desk, item: str, measured: dict[str, str], found: str
) -> None:
    """EX-13 and EX-28: 12 inches, 95 %, eight inches."""
    inspector, permit = desk.by("inspector"), desk.by("director").apply("opening")
    assert inspector.take(permit, "inspect", item=item, **measured)["events"][-1]["facts"]["result"] == found


def test_a_failed_lift_keeps_the_permit_open_until_it_passes_and_its_retest_is_kept(desk: Desk) -> None:
    """EX-13 and EX-30."""
    every = desk.by("all")
    permit = every.approved("opening", "2026-05-04")
    every.take(permit, "notice", to="hotline", ticket="1", at="2026-05-04")
    every.take(permit, "start", at="2026-05-05")
    every.take(permit, "inspect", item="compaction", density_percent="90", at="2026-05-06")
    every.take(permit, "restore", surface="grass", permanent="yes", at="2026-05-10")
    assert list(cures(every, permit, "close", at="2026-05-11")) == ["compaction"]
    every.take(permit, "inspect", item="compaction", density_percent="96", retest_cents="150.00", at="2026-05-11")
    closed = every.take(permit, "close", at="2026-05-11")
    assert closed["state"] == "closed"
    assert closed["inspected"] == {"compaction": "pass"}
    assert [one["facts"].get("retest_cents") for one in closed["events"] if one["what"] == "inspect"] == [None, 15000]


CHECKLIST = {
    "barriers": "288-6 B(1)", "lights": "288-6 B(1)", "open_flame": "288-6 B(1)", "precautions": "288-6 B(2)",
    "lanes": "288-6 B(3)", "access": "288-6 B(3)", "backup": "288-6 B(4)", "saw_cut": "288-6 C(1)",
    "recut": "288-6 C(2)", "vertical_face": "288-6 C(4)", "spoil": "288-6 D(2)", "gutters": "288-6 D(2)",
    "handling": "288-6 D(3)", "hauled_in": "288-6 E(2)", "services": "288-6 E(3)", "no_flooding": "288-6 E(4)",
    "sheathing": "288-6 E(6)", "overhang": "288-6 E(6)",
}  # fmt: skip


def test_everything_the_section_asks_to_be_seen_is_passed_or_failed_by_the_inspector(desk: Desk) -> None:
    """EX-8, EX-21, EX-22, EX-26, EX-27, EX-28, EX-30: each item keeps a permit open while it fails."""
    every = desk.by("all")
    permit = begun(every, "2026-05-04")
    every.take(permit, "restore", surface="grass", permanent="yes", at="2026-05-05")
    for item in CHECKLIST:
        assert "result" in cures(every, permit, "inspect", item=item, at="2026-05-05")
        assert "layer_in" in cures(every, permit, "inspect", item=item, result="pass", layer_in="3", at="2026-05-05")
        every.take(permit, "inspect", item=item, result="fail", at="2026-05-05")
    refused = cures(every, permit, "close", at="2026-05-06")
    assert set(refused) == set(CHECKLIST)
    for item, section in CHECKLIST.items():
        assert refused[item].endswith(f"(§ {section})")
    assert any("Warning lights by day" in one for one in permit["remarks"])


# --- F: notices ---


@pytest.mark.parametrize(("start", "last"), [
    ("2026-06-10", "2026-06-09"),
    ("2026-06-08", "2026-06-05"),  # a Monday: the Friday before
    ("2026-05-26", "2026-05-22"),  # after Memorial Day, Monday, May 25
    ("2026-11-02", "2026-10-30"),  # over the clock change of November 1
    ("2027-07-06", "2027-07-02"),  # July 4 is a Sunday, so that Monday is a holiday
    ("2026-01-02", "2025-12-31"),
])  # fmt: skip
def test_the_clerk_and_the_affected_are_told_one_business_day_before(desk: Desk, start: str, last: str) -> None:
    """EX-14."""
    permit = desk.by("clerk").apply("opening", starts_on=start)
    for key in ("notice_clerk", "notice_affected"):
        assert (clock(permit, key)["due"], clock(permit, key)["section"]) == (last, "288-6 F")


@pytest.mark.parametrize(("told", "late"), [
    ("2026-06-10T09:00", False), ("2026-06-10T09:01", True),
])  # fmt: skip
def test_the_clerk_is_told_four_elapsed_hours_before_backfilling(desk: Desk, told: str, late: bool) -> None:
    """EX-14: backfilling begins at 1 pm."""
    clerk = desk.by("clerk")
    permit = clerk.approved("opening", "2026-06-01", by="clerk")
    assert list(cures(clerk, permit, "notice", to="backfill", at=told)) == ["for_at"]
    made = clerk.take(permit, "notice", to="backfill", for_at="2026-06-10T13:00", at=told)
    found = made["events"][-1]["facts"]["findings"]
    assert found == (["It was to be by Wed, June 10, 2026, 9:00 am CDT (§ 288-6 F)."] if late else [])


def test_four_hours_over_a_clock_change_are_four_elapsed_hours(desk: Desk) -> None:
    """Backfilling at 4:30 am CST on November 1 is 10:30 UTC: told by 6:30 UTC, the first 1:30 am, CDT."""
    clerk = desk.by("clerk")
    permit = clerk.approved("opening", "2026-10-20", by="clerk")
    for at, late in (("2026-11-01T06:30:00+00:00", False), ("2026-11-01T06:31:00+00:00", True)):
        made = clerk.take(permit, "notice", to="backfill", for_at="2026-11-01T04:30", at=at)
        assert bool(made["events"][-1]["facts"]["findings"]) is late


# --- G: pavement ---


def verdicts(desk: Desk, surface: str, **measured: str) -> dict[str, str]:
    every = desk.by("all")
    permit = every.approved("opening", "2026-05-04")
    told = every.take(permit, "restore", surface=surface, permanent="no", at="2026-05-10", **measured)
    return {one["key"]: one["verdict"] for one in told["events"][-1]["facts"]["judged"]}


@pytest.mark.parametrize(("surface", "key", "good", "bad"), [
    ("bituminous", "depth_in", "2 1/2", "2.49"),
    ("bituminous", "base_in", "1 1/2", "1.51"),
    ("bituminous", "top_in", "1", "1.01"),
    ("bituminous", "deviation_in", "1/4", "0.26"),
    ("bituminous", "coarse_stone_in", "4", "3.9"),
    ("concrete", "fine_stone_in", "4", "3.9"),
    ("concrete", "depth_in", "7", "6.9"),
    ("cold_mix", "depth_in", "3", "2.9"),
])  # fmt: skip
def test_a_measure_of_the_pavement_complies_at_its_limit_and_not_beyond(
    desk: Desk, surface: str, key: str, good: str, bad: str
) -> None:
    """EX-15, EX-31, EX-32, EX-33."""
    assert verdicts(desk, surface, **{key: good}) == {key: "complies"}
    assert verdicts(desk, surface, **{key: bad}) == {key: "violates"}
    assert verdicts(desk, surface, **{key: good, "within_in": "0.1"}) == {key: "undecided"}


def test_a_pavement_is_as_deep_as_the_existing_one_where_that_is_deeper(desk: Desk) -> None:
    assert verdicts(desk, "bituminous", existing_in="4", depth_in="4") == {"depth_in": "complies"}
    assert verdicts(desk, "bituminous", existing_in="4", depth_in="3.9") == {"depth_in": "violates"}
    assert verdicts(desk, "bituminous", existing_in="2", depth_in="2.4") == {"depth_in": "violates"}
    assert verdicts(desk, "concrete", existing_in="9", depth_in="8.9") == {"depth_in": "violates"}


def test_a_pavement_that_is_too_thin_keeps_the_permit_open_whatever_else_is_restored_after_it(desk: Desk) -> None:
    every = desk.by("all")
    permit = begun(every, "2026-05-04")
    every.take(permit, "restore", surface="bituminous", permanent="yes", depth_in="2", at="2026-05-10")
    every.take(permit, "restore", surface="grass", permanent="yes", at="2026-05-11")
    assert list(cures(every, permit, "close", at="2026-05-12")) == ["depth_in"]
    every.take(permit, "restore", surface="bituminous", permanent="yes", depth_in="2.5", at="2026-05-12")
    assert every.take(permit, "close", at="2026-05-12")["state"] == "closed"


def test_cold_mix_and_stone_are_never_the_permanent_pavement(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.approved("opening", "2026-05-04")
    for surface in ("cold_mix", "stone"):
        assert list(cures(every, permit, "restore", surface=surface, permanent="yes", at="2026-05-05")) == ["permanent"]


def test_the_clocks_of_the_pavement_are_60_days_june_1_and_three_whole_days(desk: Desk) -> None:
    """Approved on January 30, an emergency: 60 days end on March 31, and June 1 follows; concrete finished on May 10
    is closed on the 11th, 12th and 13th."""
    every = desk.by("all")
    permit = every.approved("opening", "2026-01-30", **{**EMERGENCY, "pavement": "concrete"})
    every.take(permit, "notice", to="hotline", ticket="1", at="2026-01-30")
    every.take(permit, "start", at="2026-01-30")
    cold = every.take(permit, "restore", surface="cold_mix", permanent="no", depth_in="3", at="2026-02-02")
    assert (clock(cold, "pavement")["due"], clock(cold, "winter")["due"]) == ("2026-03-31", "2026-06-01")
    assert any("60 days, June 1 and November 15" in one for one in cold["remarks"])
    paved = every.take(permit, "restore", surface="concrete", permanent="yes", depth_in="7", at="2026-05-10")
    assert (clock(paved, "concrete")["due"], clock(paved, "concrete")["sense"]) == ("2026-05-14", "from")
    assert clock(paved, "pavement")["done"] == clock(paved, "winter")["done"] == "2026-05-10T17:00:00+00:00"


# --- H: an emergency first, its paper later ---


@pytest.mark.parametrize(("day", "last"), [
    ("2026-01-28", "2026-01-29"),
    ("2026-01-30", "2026-02-02"),  # a Friday
    ("2026-01-17", "2026-01-20"),  # Saturday before the day of Martin Luther King Jr., Monday the 19th
    ("2025-12-24", "2025-12-26"),
    ("2025-12-31", "2026-01-02"),
    ("2024-02-28", "2024-02-29"),
])  # fmt: skip
def test_the_permit_for_an_emergency_is_applied_for_by_the_next_business_day(desk: Desk, day: str, last: str) -> None:
    """EX-16: an overdue one is shown among what is due, and the work is on the map before any permit."""
    every = desk.by("all")
    permit = every.apply("opening", at=f"{day}T10:00", **{**EMERGENCY, **area(900, 16, 912, 18)})
    assert clock(permit, "apply")["due"] == last
    assert clock(permit, "tell")["due"].startswith(f"{day}T16:00")  # at once: 10:00 CST
    assert clock(permit, "apply")["over"]
    assert desk.works(day, permit["number"]) == "emergency"
    told = every.take(permit, "told", at=f"{day}T10:05")
    assert clock(told, "tell")["done"].startswith(f"{day}T16:05")
    applied = every.take(permit, "complete", at=last, sufficient="yes")
    assert clock(applied, "apply")["done"].startswith(last)


def test_only_who_owns_or_controls_a_utility_there_uses_the_emergency_route(desk: Desk) -> None:
    """EX-34."""
    clerk = desk.by("clerk")
    answer = clerk.apply("opening", 422, emergency="yes")
    assert answer["errors"][0]["field"] == "utility"
    assert "owns or controls a utility in or under the public place" in str(answer["errors"])
    clerk.apply("opening", 422, emergency="yes", utility="fence")
    for utility in ("sewer", "gas", "water", "conduit", "other"):
        clerk.apply("opening", emergency="yes", utility=utility)
    plain = clerk.apply("opening")
    assert list(cures(clerk, plain, "amend", emergency="yes")) == ["utility"]


# --- I: new streets ---

IN_ALMA = area(454, 100, 456, 112)


def test_a_street_repaved_five_years_ago_to_the_day_is_not_opened_and_the_day_after_it_is(desk: Desk) -> None:
    """EX-17: repaved on June 1, 2021; June 1, 2026 is the last of the five years."""
    every = desk.by("all")
    desk.section(street="Alma Street", improved_on="2021-06-01")
    permit = every.complete("opening", "2026-06-01", **IN_ALMA)
    refused = cures(every, permit, "approve", at="2026-06-01", by="director")
    assert list(refused) == ["new_street"]
    assert "within the five years that end on Mon, June 1, 2026" in refused["new_street"]
    assert refused["new_street"].endswith("(§ 288-6 I)")
    assert every.take(permit, "approve", at="2026-06-02", by="director")["number"]


def test_no_permit_is_issued_within_the_five_years_though_the_work_is_planned_after_them(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.complete("opening", "2026-05-20", starts_on="2026-06-02", **area(454, 200, 456, 212))
    assert list(cures(every, permit, "approve", at="2026-05-20", by="director")) == ["new_street"]


def test_a_line_of_a_pipe_is_held_to_the_five_years_as_an_area_is(desk: Desk) -> None:
    every = desk.by("all")
    line = {"geometry": {"type": "LineString", "coordinates": [[455, 600], [455, 620]]}, "crs": "EPSG:7608"}
    permit = every.complete("opening", "2026-05-20", **line)
    assert list(cures(every, permit, "approve", at="2026-05-20", by="director")) == ["new_street"]


def test_the_board_or_its_designee_finds_it_absolutely_essential(desk: Desk) -> None:
    every = desk.by("all")
    for by in ("board", "designee"):
        permit = every.complete("opening", "2026-05-20", **area(454, 400, 456, 412))
        assert "by" in cures(every, permit, "decide", decision="essential", by="director", reason="x")
        every.take(permit, "decide", decision="essential", by=by, reason="The only main", at="2026-05-20")
        approved = every.take(permit, "approve", at="2026-05-20", by="director")
        assert approved["number"]
        every.take(permit, "undo", reason="It was for a test")
        every.take(permit, "refuse", under="a test", cure="none", reason="It was for a test")


def test_an_emergency_in_a_new_street_is_shown_with_the_slip_and_not_settled(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.complete("opening", "2026-05-20", **{**EMERGENCY, **area(454, 500, 456, 512)})
    row = next(one for one in permit["measured"]["excavation"]["rows"] if one["quantity"] == "new_street")
    assert row["verdict"] == "officer"
    assert any("An emergency in a newly paved street" in one for one in permit["remarks"])
    assert list(cures(every, permit, "approve", at="2026-05-20", by="director")) == ["new_street"]


def test_lines_belong_in_the_terrace_is_said_on_every_application(desk: Desk) -> None:
    """EX-36."""
    told = " ".join(desk.by("clerk").apply("opening")["remarks"])
    assert "Every effort shall be made to place gas, electric, telephone and television cable lines" in told


# --- what was measured stays as it was ---


def test_what_was_measured_of_a_permit_stays_as_it_was_when_the_street_is_measured_anew(desk: Desk) -> None:
    every, place = desk.by("all"), area(700, 346, 712, 348)

    def free(permit: dict[str, Any]) -> list[Any]:
        return [row["value"] for row in permit["measured"]["lanes"]["rows"]]

    approved = every.approved("opening", "2026-05-04", **place)
    before = free(approved)
    desk.section(street="First Avenue", pavement_width_ft="50")
    assert free(desk.get(approved)) == before
    assert approved["street"] == "First Avenue"
    fresh = every.complete("opening", "2026-05-04", **area(800, 340, 812, 348))
    assert free(fresh) != before


def test_the_directors_orders_on_the_pavement_are_his_own_to_record(desk: Desk) -> None:
    """EX-12 and EX-26: the boundary on the site, and up to a full lane; imported fill before its use (EX-28)."""
    permit = desk.by("director").approved("opening", "2026-05-04")
    for decision in ("boundary", "full_lane", "fill"):
        assert "by" in cures(desk.by("clerk"), permit, "decide", decision=decision, by="director", reason="x")
        desk.by("director").take(permit, "decide", decision=decision, by="director", reason="On the site")


# --- an emergency's own times; what is left undone ---


def test_an_emergencys_clocks_run_from_its_measures_whenever_the_application_is_entered(desk: Desk) -> None:
    """H: Friday, January 30, 2026, 6 pm: the office at once, the application on Monday, February 2."""
    every = desk.by("all")
    made = every.apply("opening", **EMERGENCY, began_at="2026-01-30T18:00", at="2026-02-03T09:00")
    assert clock(made, "tell")["due"] == "2026-01-31T00:00:00+00:00"
    assert clock(made, "apply")["due"] == "2026-02-02"
    assert "began_at" in cures(every, made, "amend", began_at="2199-01-01T00:00")


def test_an_emergencys_work_began_before_its_permit_and_an_ordinary_one_may_not(desk: Desk) -> None:
    every = desk.by("all")
    urgent = every.approved("opening", "2026-02-03", **EMERGENCY, began_at="2026-01-30T18:00")
    every.take(urgent, "notice", to="hotline", ticket="1", at="2026-01-30T17:30")
    assert every.take(urgent, "start", at="2026-01-30T18:30")["events"][-1]["what"] == "start"
    plain = every.approved("opening", "2026-05-04")
    every.take(plain, "notice", to="hotline", ticket="1", at="2026-05-01")
    assert list(cures(every, plain, "start", at="2026-05-03")) == ["at"]
    assert every.take(plain, "start", at="2026-05-04")["events"][-1]["what"] == "start"


def test_an_emergency_that_was_dug_is_not_withdrawn_and_forgotten(desk: Desk) -> None:
    every = desk.by("all")
    made = every.apply("opening", **EMERGENCY)
    assert list(cures(every, made, "withdraw", reason="A slip")) == ["nothing_opened"]
    assert every.take(made, "withdraw", reason="A slip", nothing_opened="yes")["state"] == "withdrawn"


def test_a_work_is_not_closed_that_was_restored_and_never_began(desk: Desk) -> None:
    """D: its hotline ticket would be passed over."""
    every = desk.by("all")
    permit = every.approved("opening", "2026-05-04")
    every.take(permit, "restore", surface="bituminous", permanent="yes", depth_in="3", at="2026-05-10")
    assert list(cures(every, permit, "close", at="2026-05-11")) == ["start"]


def test_a_notice_that_nobody_gave_is_not_told_as_done_when_the_work_begins(desk: Desk) -> None:
    every = desk.by("all")
    permit = begun(every, "2026-05-04", starts_on="2026-05-04")
    assert not [one for one in permit["clocks"] if one["key"].startswith("notice_")]
    assert any("never, as far as it is recorded" in one for one in permit["remarks"])


def test_a_permits_opening_stays_on_the_works_map_until_it_is_restored(desk: Desk) -> None:
    every = desk.by("all")
    permit = begun(every, "2026-05-04", **area(300, 40, 312, 52))
    number = permit["number"]  # its last day is Wednesday, June 3, 2026
    days = ("2026-06-03", "2026-06-04", "2026-10-01")
    assert [desk.works(day, number) for day in days] == ["active", "recently_expired", "recently_expired"]
    every.take(permit, "restore", surface="bituminous", permanent="yes", depth_in="3", at="2026-10-01")
    assert [desk.works(day, number) for day in ("2026-09-30", "2026-10-01")] == ["recently_expired", "past"]
