"""§ 288-5: the permit to open a street. Who may issue it, what its application says, how long it is valid, its renewal,
its fee, and the Village's own work.

Seen to fail, each by breaking the code once: grass taken for a pavement; an amendment before an application that was
entered later; a note that keeps an application from its day; § 288-6 left out of the Village's work.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.permit_desk import Desk, area, cures, desk_over
from tests.permitting import APPLICATION, EMERGENCY, clock, faults

PLACE = area(200, 16, 212, 18)
"""Two feet along the north curb of Main Street: a lane is left in each direction."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("openings")) as made:
        yield made


# --- A: who issues it, and for what ---


def test_the_director_and_the_clerk_each_issue_in_their_own_name_only(desk: Desk) -> None:
    """EX-18: "from the Director of Public Works and/or Village Clerk-Treasurer"."""
    for office, other in (("clerk", "director"), ("director", "clerk")):
        permit = desk.by(office).complete("opening", "2026-05-04")
        refused = cures(desk.by(office), permit, "approve", at="2026-05-04", by=other)
        assert refused["by"].startswith("The Director" if other == "director" else "The Village Clerk-Treasurer")
        approved = desk.by(office).take(permit, "approve", at="2026-05-04", by=office)
        assert approved["state"] in {"approved", "expired"}
        assert approved["events"][-1]["facts"]["by"] == office


def test_an_inspector_and_the_police_issue_no_permit(desk: Desk) -> None:
    permit = desk.by("clerk").complete("opening", "2026-05-04")
    for office in ("inspector", "police"):
        desk.by(office).take(permit, "approve", 403, by="clerk")
        desk.by(office).apply("opening", 403)
    assert desk.get(permit)["state"] == "complete"


def test_it_is_measured_which_public_places_are_opened_and_whether_a_permit_is_needed(desk: Desk) -> None:
    """EX-1: 12 ft by 2 ft of the street; and a place 40 ft from the line, beyond the 33 ft of the right-of-way."""
    clerk = desk.by("clerk")
    rows = clerk.complete("opening", "2026-05-04", **PLACE)["measured"]["excavation"]["rows"]
    opened = next(row for row in rows if row["quantity"] == "area_sqft")
    assert (opened["value"], opened["verdict"], opened["section"]) == (24.0, "officer", "§ 288-5 A")
    rows = clerk.complete("opening", "2026-05-04", **area(200, 40, 212, 42))["measured"]["excavation"]["rows"]
    opened = next(row for row in rows if row["quantity"] == "area_sqft")
    assert (opened["value"], opened["verdict"]) == (0.0, "complies")


def test_what_is_opened_is_one_of_the_places_that_the_section_names(desk: Desk) -> None:
    clerk = desk.by("clerk")
    assert "in" in cures(clerk, clerk.apply("opening", **{"in": None}), "complete", sufficient="yes")
    for place in ("street", "alley", "sidewalk", "way", "ground", "easement"):
        assert clerk.complete("opening", "2026-05-04", **{"in": place})["state"] == "complete"
    clerk.apply("opening", 422, **{"in": "garden"})


# --- B: the application ---


@pytest.mark.parametrize("missing", ["applicant", "location", "nature", "method", "signed"])
def test_an_application_lacks_what_the_section_asks_for_and_is_told_what(desk: Desk, missing: str) -> None:
    """EX-2: in writing, signed, with the location and nature of the work and the method."""
    clerk = desk.by("clerk")
    refused = cures(clerk, clerk.apply("opening", **{missing: None}), "complete", sufficient="yes")
    assert list(refused) == [missing]
    assert "(§ 288-5 B)" in refused[missing]


def test_an_unsigned_application_is_not_complete_and_the_clerk_says_that_it_is_sufficient(desk: Desk) -> None:
    clerk = desk.by("clerk")
    assert "signed" in cures(clerk, clerk.apply("opening", signed="no"), "complete", sufficient="yes")
    assert "sufficient" in cures(clerk, clerk.apply("opening"), "complete")


def test_an_application_that_was_returned_is_amended_and_completed_again(desk: Desk) -> None:
    clerk = desk.by("clerk")
    permit = clerk.complete("opening", "2026-05-04")
    clerk.take(permit, "return", 422)  # without a reason
    clerk.take(permit, "return", reason="The method is not clear.", at="2026-05-05")
    clerk.take(permit, "amend", method="directional boring", at="2026-05-06")
    again = clerk.take(permit, "complete", sufficient="yes", at="2026-05-06")
    assert (again["state"], again["application"]["method"]) == ("complete", "directional boring")
    assert again["application"]["nature"] == "a water service"


def test_an_amendment_counts_after_an_application_that_was_entered_later_than_it_was_made(desk: Desk) -> None:
    """The paper is entered today; its amendment is dated as it came in, in May."""
    clerk = desk.by("clerk")
    permit = clerk.take(clerk.apply("opening"), "amend", method="directional boring", at="2026-05-06")
    assert permit["application"]["method"] == "directional boring"


def test_a_note_made_today_does_not_keep_a_paper_application_from_its_own_day(desk: Desk) -> None:
    permit = desk.by("clerk").apply("opening")
    desk.by("director").take(permit, "note", note="Came in by post.")
    assert desk.by("clerk").take(permit, "complete", at="2026-05-04", sufficient="yes")["state"] == "complete"


def test_a_refusal_names_its_section_and_what_would_cure_it(desk: Desk) -> None:
    clerk = desk.by("clerk")
    permit = clerk.complete("opening", "2026-05-04")
    refused = cures(clerk, permit, "refuse", reason="No method")
    assert set(refused) == {"under", "cure"}
    told = clerk.take(permit, "refuse", reason="No method", under="§ 288-5 B", cure="A method", at="2026-05-05")
    assert (told["state"], told["open"], told["clocks"]) == ("refused", False, [])


# --- C: the Village's own work ---


def test_village_work_begins_without_a_permit_once_the_board_directs_it(desk: Desk) -> None:
    """EX-3: "The provisions of this section shall not apply to Village excavation work done under the direction of the
    Village Board"."""
    director = desk.by("director")
    permit = director.apply("opening", at="2026-06-01", pavement="bituminous", **PLACE)
    director.take(permit, "notice", to="hotline", ticket="20262301", at="2026-06-01")
    refused = cures(director, permit, "village_work", at="2026-06-03")
    assert list(refused) == ["village_work"]
    assert "(§ 288-5 C)" in refused["village_work"]
    director.take(permit, "decide", decision="village_work", by="director", reason="x", status=422)
    director.take(permit, "decide", decision="village_work", by="board", reason="Minutes", at="2026-06-02")
    begun = director.take(permit, "village_work", at="2026-06-03")
    assert (begun["state"], begun["due"]) == ("exempt", None)  # no validity runs: there is no permit
    assert [one["key"] for one in begun["clocks"]] == []
    assert any("§ 288-5 C" in one and "§ 288-6 does" in one for one in begun["remarks"])
    assert not {"renew", "approve", "refuse", "issue", "withdraw"} & {one["step"] for one in begun["may"]}
    assert desk.works("2026-06-03", begun["number"]) == "active"
    assert desk.works("2026-06-02", begun["number"]) == "planned"


def test_section_288_6_binds_village_work_all_the_same(desk: Desk) -> None:
    director = desk.by("director")
    permit = director.apply("opening", at="2025-11-10", **area(300, -18, 312, 18))
    director.take(permit, "decide", decision="village_work", by="board", reason="Minutes", at="2025-11-10")
    refused = cures(director, permit, "village_work", at="2025-11-15")
    assert set(refused) == {"ticket", "frozen_ground", "lanes"}
    director.take(permit, "notice", to="hotline", ticket="20254601", at="2025-11-10")
    director.take(permit, "decide", decision="flagger", by="director", reason="Two flagmen", at="2025-11-10")
    assert set(cures(director, permit, "village_work", at="2025-11-15")) == {"frozen_ground"}
    begun = director.take(permit, "village_work", at="2025-11-14")
    findings = begun["events"][-1]["facts"]["findings"]
    assert [text.split(":")[0] for text in findings] == [
        "The Director of Public Works, 24 hours before the excavation (B(4))",
        "The Village Clerk-Treasurer, one business day before the work (F)",
        "All affected, one business day before the work (F)",
    ]
    assert "restore" in cures(director, permit, "close", at="2025-11-20")
    assert "renew" not in {one["step"] for one in begun["may"]}
    director.take(permit, "renew", 409, requested_on="2025-11-20", continuing="yes")
    director.take(permit, "restore", surface="bituminous", permanent="yes", depth_in="3", at="2025-11-20")
    assert director.take(permit, "close", at="2025-11-20")["state"] == "closed"


def test_a_direction_of_the_board_that_came_after_the_work_does_not_lift_the_permit(desk: Desk) -> None:
    director = desk.by("director")
    permit = director.apply("opening", at="2026-06-01")
    director.take(permit, "notice", to="hotline", ticket="20262302", at="2026-06-01")
    director.take(permit, "decide", decision="village_work", by="board", reason="Minutes", at="2026-06-10")
    assert list(cures(director, permit, "village_work", at="2026-06-09")) == ["village_work"]


# --- D: 30 days ---


def test_an_emergency_opening_approved_on_january_30_is_valid_through_march_1(desk: Desk) -> None:
    """EX-4. January 30 excluded: January 31 is the first day, February has 28, so the 30th is March 1."""
    permit = desk.by("director").approved("opening", "2026-01-30", **{**EMERGENCY, **PLACE})
    valid = clock(permit, "valid")
    assert (valid["due"], valid["sense"], valid["section"]) == ("2026-03-01", "ends", "288-5 D")
    assert desk.works("2026-03-01", permit["number"]) == "emergency"
    assert desk.works("2026-03-02", permit["number"]) == "recently_expired"


@pytest.mark.parametrize(
    ("approved", "last"),
    [
        ("2024-01-30", "2024-02-29"),
        ("2025-12-10", "2026-01-09"),
        ("2026-10-12", "2026-11-11"),
        ("2026-04-10", "2026-05-10"),
    ],
)
def test_thirty_days_over_a_leap_day_new_year_a_clock_change_and_onto_a_sunday(
    desk: Desk, approved: str, last: str
) -> None:
    """October has 31 days, so from October 12 it is November 11; a permit's end never moves, even on Sunday, May 10."""
    facts = EMERGENCY if approved in {"2025-12-10", "2024-01-30"} else APPLICATION["opening"]
    valid = clock(desk.by("director").approved("opening", approved, **facts), "valid")
    assert (valid["due"], valid["alternative"]) == (last, None)


def test_the_works_map_shows_an_ordinary_opening_to_its_last_day_and_as_expired_the_next(desk: Desk) -> None:
    permit = desk.by("director").approved("opening", "2026-05-01", **PLACE)
    assert [desk.works(day, permit["number"]) for day in ("2026-05-31", "2026-06-01")] == ["active", "recently_expired"]


def test_work_does_not_begin_under_a_permit_that_has_expired(desk: Desk) -> None:
    director = desk.by("director")
    permit = director.approved("opening", "2026-05-01")
    director.take(permit, "notice", to="hotline", ticket="1", at="2026-05-02")
    refused = director.take(permit, "start", 409, at="2026-06-01")
    assert "(§ 288-5 D)" in faults(refused)["at"]
    assert director.take(permit, "start", at="2026-05-31")["events"][-1]["what"] == "start"


def test_work_that_was_planned_for_days_that_the_permit_does_not_reach_stands_on_those_days(desk: Desk) -> None:
    permit = desk.by("director").approved(
        "opening", "2026-05-01", starts_on="2026-07-01", ends_on="2026-07-03", **PLACE
    )
    assert [desk.works(day, permit["number"]) for day in ("2026-06-15", "2026-07-02")] == ["planned", "active"]


# --- E: renewal ---


def begun(desk: Desk, approved: str = "2026-05-01") -> dict[str, object]:
    all_of = desk.by("all")
    permit = all_of.approved("opening", approved, **PLACE)
    all_of.take(permit, "notice", to="hotline", ticket="1", at=approved)
    all_of.take(permit, "start", at=approved)
    return permit


def test_a_renewal_needs_all_four_and_each_that_is_missing_is_named(desk: Desk) -> None:
    """EX-5 and EX-20: operations begun, continuing beyond the period, a written request in it, and the fee."""
    clerk = desk.by("clerk")
    not_begun = desk.by("director").approved("opening", "2026-05-01")
    clerk.take(not_begun, "renew", 409, requested_on="2026-05-20", continuing="yes")
    permit = begun(desk)
    asked = {"requested_on": "2026-05-31", "continuing": "yes", "paid_cents": "40.00", "at": "2026-05-31"}
    assert cures(clerk, permit, "renew", **asked)["fee"].startswith("fee not set (§ 173-1)")
    fee = desk.settle("fee_opening_renewal", "40.00")
    try:
        assert list(cures(clerk, permit, "renew", **{**asked, "continuing": "no"})) == ["continuing"]
        assert list(cures(clerk, permit, "renew", **{**asked, "paid_cents": "39.99"})) == ["paid_cents"]
        late = {**asked, "requested_on": "2026-06-01", "at": "2026-06-01"}
        assert list(cures(clerk, permit, "renew", **late)) == ["requested_on"]
        assert list(cures(clerk, permit, "renew", **{**asked, "requested_on": "2026-06-01"})) == ["requested_on"]
        assert "requested_on" in cures(clerk, permit, "renew", continuing="yes")
        assert "by" in cures(desk.by("director"), permit, "renew", **asked)  # at the Clerk-Treasurer's discretion
        renewed = clerk.take(permit, "renew", **asked)
    finally:
        desk.unsettle(fee)
    # May 31 is the 30th day; thirty more are June 30.
    assert clock(renewed, "valid")["due"] == "2026-06-30"
    assert [desk.works(day, renewed["number"]) for day in ("2026-06-30", "2026-07-01")] == [
        "active",
        "recently_expired",
    ]


def test_a_second_renewal_adds_thirty_days_to_the_first(desk: Desk) -> None:
    clerk, permit, fee = desk.by("clerk"), begun(desk), desk.settle("fee_opening_renewal", "0")
    try:
        for asked in ("2026-05-20", "2026-06-30"):
            permit = clerk.take(permit, "renew", requested_on=asked, continuing="yes", at=asked)
    finally:
        desk.unsettle(fee)
    assert clock(permit, "valid")["due"] == "2026-07-30"
    undone = clerk.take(permit, "undo", reason="Entered twice")
    assert clock(undone, "valid")["due"] == "2026-06-30"


# --- F: fee, and what is damaged ---


def test_a_fee_that_is_not_set_is_said_so_and_one_that_is_set_is_kept_with_the_approval(desk: Desk) -> None:
    """EX-6."""
    director = desk.by("director")
    permit = director.approved("opening", "2026-05-01")
    assert permit["fee"]["told"] == "fee not set (§ 173-1)"
    assert any("plus actual Village expenses” (§ 288-5 F(2))" in one for one in permit["remarks"])
    fee = desk.settle("fee_street_opening", "25.00", "2026-05-02")
    try:
        before = director.approved("opening", "2026-05-01")
        made = director.complete("opening", "2026-05-02")
        after = director.take(made, "approve", at="2026-05-02", by="director", receipt="R-7", paid_cents="25.00")
    finally:
        desk.unsettle(fee)
    assert before["fee"]["told"] == "fee not set (§ 173-1)"
    assert after["fee"] == {"fee_due_cents": 2500, "paid_cents": 2500, "receipt": "R-7", "told": ""}
    assert desk.get(after)["fee"]["fee_due_cents"] == 2500  # as it was, though the fee was withdrawn


def test_a_permit_is_not_closed_before_what_was_damaged_is_restored(desk: Desk) -> None:
    """EX-19: "restored to the condition prior to damage"."""
    all_of, permit = desk.by("all"), begun(desk)
    assert "288-5 F(1)" in cures(all_of, permit, "close", at="2026-05-20")["restore"]
    all_of.take(permit, "restore", surface="grass", permanent="yes", as_before="no", at="2026-05-20")
    assert list(cures(all_of, permit, "close", at="2026-05-20")) == ["as_before"]
    all_of.take(permit, "restore", surface="grass", permanent="yes", as_before="yes", at="2026-05-21")
    closed = all_of.take(permit, "close", at="2026-05-22")
    assert closed["state"] == "closed"
    assert [desk.works(day, closed["number"]) for day in ("2026-05-20", "2026-05-21")] == ["active", "past"]


def test_grass_that_is_restored_does_not_stand_for_a_pavement_under_cold_mix(desk: Desk) -> None:
    all_of, permit = desk.by("all"), begun(desk)
    all_of.take(permit, "restore", surface="cold_mix", permanent="no", depth_in="3", at="2026-05-10")
    told = all_of.take(permit, "restore", surface="grass", permanent="yes", as_before="yes", at="2026-05-11")
    assert clock(told, "pavement")["done"] is None
    assert list(cures(all_of, permit, "close", at="2026-05-12")) == ["restore"]
    assert desk.works("2026-05-12", told["number"]) == "active"


def test_an_approved_permit_is_closed_unused_only_where_it_is_said_that_nothing_was_opened(desk: Desk) -> None:
    director = desk.by("director")
    permit = director.approved("opening", "2026-05-01")
    assert list(cures(director, permit, "close", at="2026-05-20")) == ["nothing_opened"]
    assert director.take(permit, "close", at="2026-05-20", nothing_opened="yes")["state"] == "closed"


def test_an_emergency_is_open_before_its_permit_and_is_not_closed_unrestored(desk: Desk) -> None:
    director = desk.by("director")
    permit = director.approved("opening", "2026-05-01", **EMERGENCY)
    assert list(cures(director, permit, "close", at="2026-05-20")) == ["restore"]
