"""§ 288-8: the street privilege permit. Its purposes, advice, bond, conditions, three months, and its revocation.

Seen to fail, each by breaking the code once: a bond and advice of a later day; a revoked permit that goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.clocks import LOCAL
from tests.permit_desk import Desk, area, cures, desk_over
from tests.permitting import clock, faults

ON = "2026-05-04"
RECENT = (datetime.now(LOCAL) - timedelta(days=3)).date().isoformat()
"""Of a permit that still runs."""
BOND = {"indemnify": "yes", "remove": "yes", "clean": "yes", "repair": "yes"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("privileges")) as made:
        yield made


def ready(desk: Desk, on: str = ON, **facts: Any) -> dict[str, Any]:
    """A permit that only has to be issued: complete, advised on, its bond waived."""
    every = desk.by("all")
    permit = every.complete("privilege", on, **facts)
    every.take(permit, "advise", by="director", advice="No objection.", at=on)
    every.take(permit, "decide", decision="bond_waived", by="board", reason="Minutes", at=on)
    return permit


def issued(desk: Desk, on: str = ON, **facts: Any) -> dict[str, Any]:
    return desk.by("clerk").take(ready(desk, on, **facts), "approve", at=on)


# --- A: purposes, advice, building permit, conditions ---


def test_any_other_purpose_than_the_two_of_the_section_is_refused(desk: Desk) -> None:
    """SP-8: moving a building, or materials for construction or demolition."""
    clerk = desk.by("clerk")
    for purpose in ("moving", "construction", "demolition"):
        assert clerk.complete("privilege", ON, purpose=purpose)["state"] == "complete"
    for other in ("dumpster", "fair", "Construction", ""):
        answer = clerk.apply("privilege", 201 if not other else 422, purpose=other)
        if other:
            assert list(faults(answer)) == ["purpose"]
    assert list(cures(clerk, clerk.apply("privilege", purpose=None), "complete", sufficient="yes")) == ["purpose"]


def test_advice_is_requested_before_the_issuing(desk: Desk) -> None:
    """SP-1: of the Director, the police and/or the Building Inspector."""
    every = desk.by("all")
    permit = every.complete("privilege", ON)
    every.take(permit, "decide", decision="bond_waived", by="board", reason="Minutes", at=ON)
    assert list(cures(every, permit, "approve", at=ON)) == ["advice"]
    every.take(permit, "advise", by="police", advice="Keep one lane.", at="2026-05-06")
    assert list(cures(every, permit, "approve", at="2026-05-05")) == ["advice"]  # it came a day after
    told = every.take(permit, "approve", at="2026-05-06")
    assert "Advice of The Chief of Police / Officer in Charge: Keep one lane." in told["remarks"]


def test_each_of_the_three_gives_advice_of_his_own_and_nobody_in_anothers_name(desk: Desk) -> None:
    permit = desk.by("clerk").complete("privilege", ON)
    for office in ("director", "police", "inspector"):
        desk.by(office).take(permit, "advise", by=office, advice="No objection.", own="yes")
        desk.by("clerk").take(permit, "advise", by=office, advice="By telephone.", own="no")
        assert "by" in cures(desk.by("clerk"), permit, "advise", by=office, advice="Mine.", own="yes")


def test_a_building_permit_is_named_or_it_is_decided_that_none_is_required(desk: Desk) -> None:
    every = desk.by("all")
    permit = ready(desk, building_permit=None)
    assert list(cures(every, permit, "approve", at=ON)) == ["building_permit"]
    every.take(permit, "decide", decision="building_permit", by="inspector", reason="A shed", at=ON)
    assert every.take(permit, "approve", at=ON)["number"].startswith("SP-")


def test_conditions_that_officials_attach_are_kept_with_proof_of_insurance(desk: Desk) -> None:
    every = desk.by("all")
    permit = ready(desk, insurance="Policy 77 of Badger Mutual")
    for by in ("board", "director", "clerk", "police", "inspector"):
        every.take(permit, "decide", decision="condition", by=by, reason="Insurance", text="Proof of insurance", at=ON)
    told = every.take(permit, "approve", at=ON)
    assert told["application"]["insurance"] == "Policy 77 of Badger Mutual"
    assert len([one for one in told["events"] if one["facts"].get("decision") == "condition"]) == 5
    public = desk.client.get(f"/api/v1/permits/status/{told['number']}").text
    assert "Badger" not in public
    assert "Lee Movers" not in public


def test_the_slip_of_the_section_is_shown_and_not_settled(desk: Desk) -> None:
    told = " ".join(desk.by("clerk").apply("privilege")["remarks"])
    assert 'An "or" without what it joins' in told or "An “or” without what it joins" in told


# --- B: the bond ---


def test_a_bond_of_10_000_dollars_is_taken_and_a_cent_more_is_refused(desk: Desk) -> None:
    """SP-2: "not exceeding $10,000"."""
    clerk = desk.by("clerk")
    permit = clerk.apply("privilege")
    refused = cures(clerk, permit, "bond", bond_cents="10,000.01", **BOND)
    assert "$10,000.01 | an amount “not exceeding $10,000” (§ 288-8 B)" in refused["bond_cents"]
    told = clerk.take(permit, "bond", bond_cents="10,000.00", **BOND)
    assert told["events"][-1]["facts"]["bond_cents"] == 1_000_000


@pytest.mark.parametrize("missing", ["indemnify", "remove", "clean", "repair"])
def test_a_bond_is_conditioned_on_all_four_undertakings(desk: Desk, missing: str) -> None:
    """SP-9."""
    clerk = desk.by("clerk")
    permit = clerk.apply("privilege")
    for said in ("no", None):
        assert list(cures(clerk, permit, "bond", bond_cents="500.00", **{**BOND, missing: said})) == ["bond"]


def test_the_director_determines_the_amount_and_a_bond_below_it_is_refused(desk: Desk) -> None:
    every, clerk, director = desk.by("all"), desk.by("clerk"), desk.by("director")
    permit = every.complete("privilege", ON)
    every.take(permit, "advise", by="director", advice="No objection.", at=ON)
    assert cures(clerk, permit, "approve", at=ON)["bond"].startswith("no amount")
    amount = {"decision": "bond_amount", "reason": "As usual", "at": ON}
    assert "cents" in cures(director, permit, "decide", by="director", **amount)
    assert "cents" in cures(director, permit, "decide", by="director", cents="10,000.01", **amount)
    for other in ("board", "clerk"):
        assert "by" in cures(every, permit, "decide", by=other, cents="2,500.00", **amount)
    assert "by" in cures(clerk, permit, "decide", by="director", cents="2,500.00", **amount)
    director.take(permit, "decide", by="director", cents="2,500.00", **amount)
    assert cures(clerk, permit, "approve", at=ON)["bond"].startswith("no bond on file")
    clerk.take(permit, "bond", bond_cents="2,499.99", at=ON, **BOND)
    refused = cures(clerk, permit, "approve", at=ON)
    assert refused["bond"].startswith("$2,499.99 | a bond of $2,500.00 on file, or the Board’s waiver (§ 288-8 B)")
    clerk.take(permit, "bond", bond_cents="2,500.00", at="2026-05-05", **BOND)
    assert list(cures(clerk, permit, "approve", at=ON)) == ["bond"]  # it was filed a day later
    assert clerk.take(permit, "approve", at="2026-05-05")["number"]


def test_the_board_and_nobody_else_waives_the_bond(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.complete("privilege", ON)
    for by in ("director", "clerk", "designee"):
        assert "by" in cures(every, permit, "decide", decision="bond_waived", by=by, reason="x")
    every.take(permit, "decide", decision="bond_waived", by="board", reason="Minutes", at=ON)
    assert "bond" not in cures(every, permit, "approve", at=ON)


# --- C: the fee ---


def test_a_fee_that_is_not_set_is_said_so(desk: Desk) -> None:
    """SP-3."""
    permit = issued(desk)
    assert permit["fee"]["told"] == "fee not set (§ 173-1)"
    assert any("plus any actual Village costs” (§ 288-8 C)" in one for one in permit["remarks"])


# --- D: terms, and revocation ---


@pytest.mark.parametrize(("north", "verdict"), [(-11.3, "complies"), (-6.3, "undecided"), (-5.7, "violates")])
def test_what_covers_more_than_a_third_of_the_street_under_either_reading_is_refused(
    desk: Desk, north: float, verdict: str
) -> None:
    """SP-4: from y = -33 to -11.3 are 21.7 of 66 ft of right-of-way, less than a third (22 ft). To -6.3 are 11.7 of the
    36 ft that are travelled, less than a third (12 ft), but 26.7 of 66: shown as undecided. To -5.7 are 12.3 of 36."""
    every = desk.by("all")
    permit = ready(desk, **area(500, -33, 520, north))
    row = next(one for one in desk.get(permit)["measured"]["share"]["rows"] if one["quantity"] == "row_share")
    assert (row["value"], row["verdict"]) == (pytest.approx((north + 33) / 66, abs=1e-4), verdict)
    if verdict == "violates":
        assert "(§ 288-8 D(1))" in cures(every, permit, "approve", at=ON)["share"]
    else:
        assert every.take(permit, "approve", at=ON)["number"]
        every.take(permit, "undo", reason="It was for a test")
    every.take(permit, "withdraw", reason="It was for a test")


@pytest.mark.parametrize(("measured", "found"), [
    ({"walk_ft": "4"}, "pass"), ({"walk_ft": "3.99"}, "fail"),
    ({"fence_ft": "4"}, "pass"), ({"fence_ft": "3.99"}, "fail"),
    ({"walk_ft": "4", "fence_ft": "3.9"}, "fail"),
])  # fmt: skip
def test_a_temporary_sidewalk_is_four_feet_wide_behind_a_fence_of_four_feet(
    desk: Desk, measured: dict[str, str], found: str
) -> None:
    """SP-5 and SP-11."""
    inspector, permit = desk.by("inspector"), desk.by("clerk").apply("privilege")
    told = inspector.take(permit, "inspect", item="sidewalk", **measured)
    assert told["events"][-1]["facts"]["result"] == found
    if found == "fail":
        assert "result" in cures(inspector, permit, "inspect", item="sidewalk", result="pass", **measured)


def test_every_term_of_the_section_is_on_the_list_of_what_is_inspected(desk: Desk) -> None:
    inspector, permit = desk.by("inspector"), desk.by("clerk").apply("privilege")
    for item in ("share", "lights", "sidewalk", "continuous", "overnight", "route", "vacate"):
        assert "result" in cures(inspector, permit, "inspect", item=item)
        inspector.take(permit, "inspect", item=item, result="fail", note="Seen from the street.")


def test_a_building_is_moved_only_on_the_route_that_the_board_prescribes(desk: Desk) -> None:
    """SP-12."""
    every = desk.by("all")
    permit = ready(desk, purpose="moving")
    assert list(cures(every, permit, "approve", at=ON)) == ["route"]
    assert "by" in cures(every, permit, "decide", decision="route", by="director", reason="x")
    every.take(permit, "decide", decision="route", by="board", reason="Minutes", text="Main Street", at=ON)
    every.take(permit, "decide", decision="continuous", by="board", reason="Minutes", at=ON)
    assert every.take(permit, "approve", at=ON)["number"]


@pytest.mark.parametrize("office", ["director", "police", "inspector"])
def test_an_officer_of_the_section_revokes_at_once_and_in_his_own_name(desk: Desk, office: str) -> None:
    """SP-10: "subject to revocation without notice": no clock runs, and nothing waits."""
    permit = issued(desk, (datetime.now(LOCAL).date() - timedelta(days=5)).isoformat())
    said = {"condition": "lights", "reason": "Dark on three nights"}
    assert "by" in cures(desk.by("clerk"), permit, "revoke", by=office, **said)
    assert list(cures(desk.by(office), permit, "revoke", by=office, condition="lights")) == ["reason"]
    told = desk.by(office).take(permit, "revoke", by=office, **said)
    assert (told["state"], told["open"], told["due"]) == ("revoked", False, None)
    assert told["events"][-1]["at"] == told["events"][-1]["made_at"] == told["closed_at"]
    assert [one for one in told["may"] if one["step"] in {"start", "end_early", "close"}] == []


def test_the_board_revokes_and_the_clerk_records_it_but_revokes_nothing_himself(desk: Desk) -> None:
    clerk, permit = desk.by("clerk"), issued(desk)
    said = {"condition": "attached", "reason": "No insurance", "at": "2026-05-20"}
    clerk.take(permit, "revoke", 422, by="clerk", **said)
    clerk.take(permit, "revoke", 422, by="board", **{**said, "condition": "ugly"})
    assert clerk.take(permit, "revoke", by="board", **said)["state"] == "revoked"


def test_what_stands_in_the_street_after_a_revocation_stays_on_the_map_until_it_is_vacated(desk: Desk) -> None:
    every, permit = desk.by("all"), issued(desk, **area(600, 20, 620, 26))
    every.take(permit, "revoke", by="board", condition="lights", reason="Dark", at="2026-05-20")
    days = ("2026-05-20", "2026-05-21", "2026-05-25")
    assert [desk.works(day, permit["number"]) for day in days] == ["active", "recently_expired", "recently_expired"]
    every.take(permit, "vacate", vacated="yes", at="2026-05-25")
    assert [desk.works(day, permit["number"]) for day in days] == ["active", "recently_expired", "past"]


def test_a_permit_is_closed_only_when_all_is_vacated_clean_and_safe(desk: Desk) -> None:
    every, permit = desk.by("all"), issued(desk)
    every.take(permit, "start", at=ON)
    for said in ("no", None):
        assert "(§ 288-8 D(7))" in cures(every, permit, "close", vacated=said, at="2026-05-20")["vacated"]
    assert every.take(permit, "close", vacated="yes", at="2026-05-20")["state"] == "closed"


# --- E: three months ---


@pytest.mark.parametrize(("issue", "last"), [
    ("2025-11-30", "2026-02-28"), ("2023-11-30", "2024-02-29"), ("2026-05-04", "2026-08-04"),
    ("2026-08-31", "2026-11-30"), ("2025-10-31", "2026-01-31"), ("2024-02-29", "2024-05-29"),
])  # fmt: skip
def test_a_permit_ends_three_calendar_months_from_its_issuing(desk: Desk, issue: str, last: str) -> None:
    """SP-6: the same day of the month, or the month's last; not 90 days."""
    permit = issued(desk, issue)
    ends = clock(permit, "ends")
    assert (ends["due"], ends["sense"], ends["section"], ends["alternative"]) == (last, "ends", "288-8 E", None)


def test_the_works_map_shows_it_to_its_last_day(desk: Desk) -> None:
    permit = issued(desk, "2025-11-30", **area(700, 20, 720, 26))
    assert [desk.works(day, permit["number"]) for day in ("2026-02-28", "2026-03-01")] == ["active", "recently_expired"]


def test_the_clerk_specifies_an_earlier_day_at_the_issuing_and_never_a_later_one(desk: Desk) -> None:
    """SP-13."""
    clerk = desk.by("clerk")
    for day, good in (("2026-05-03", False), ("2026-05-04", True), ("2026-08-04", True), ("2026-08-05", False)):
        permit = ready(desk)
        if good:
            assert clock(clerk.take(permit, "approve", at=ON, ends_early=day), "ends")["due"] == day
        else:
            assert list(cures(clerk, permit, "approve", at=ON, ends_early=day)) == ["ends_early"]


def test_the_clerk_sets_an_earlier_end_of_a_permit_that_runs_and_undoing_it_gives_the_old_one_back(desk: Desk) -> None:
    clerk, permit = desk.by("clerk"), issued(desk)
    assert list(cures(clerk, permit, "end_early", ends_on="2026-08-05", reason="x", at="2026-05-10")) == ["ends_on"]
    told = clerk.take(permit, "end_early", ends_on="2026-06-01", reason="The work is done", at="2026-05-10")
    assert clock(told, "ends")["due"] == "2026-06-01"
    assert list(cures(clerk, permit, "end_early", ends_on="2026-06-02", reason="x", at="2026-05-10")) == ["ends_on"]
    clerk.take(permit, "start", 409, at="2026-06-02")
    undone = clerk.take(permit, "undo", reason="Another permit was meant")
    assert clock(undone, "ends")["due"] == "2026-08-04"


# --- D(7): what is left in the street ---


def test_what_was_occupied_is_to_be_vacated_with_the_last_day_and_at_once_when_it_is_revoked(desk: Desk) -> None:
    """Issued May 4: its last day is August 4, 2026."""
    every = desk.by("all")
    ended = every.take(issued(desk), "start", at="2026-05-05")
    assert (clock(ended, "vacate")["due"], clock(ended, "vacate")["done"]) == ("2026-08-04", None)
    assert clock(every.take(ended, "close", vacated="yes", at="2026-08-10"), "vacate")["done"]
    other = every.take(issued(desk), "start", at="2026-05-05")
    revoked = every.take(other, "revoke", by="inspector", condition="lights", reason="Dark", at="2026-05-20T09:00")
    assert clock(revoked, "vacate")["due"] == "2026-05-20T14:00:00+00:00"  # 9 am CDT
    listed = desk.client.get("/api/v1/today?days=1&limit=1000", headers=desk.keys["all"]).json()
    late = {one["number"]: one["key"] for one in listed["groups"]["overdue"]["items"]}
    assert late.get(revoked["number"]) == "vacate"
    done = every.take(revoked, "vacate", vacated="yes", at="2026-05-21")
    assert clock(done, "vacate")["done"]


def test_the_police_do_not_record_an_act_of_the_board(desk: Desk) -> None:
    permit = issued(desk, RECENT)
    said = {"condition": "lights", "reason": "Dark"}
    assert "by" in cures(desk.by("police"), permit, "revoke", by="board", **said)
    assert desk.by("clerk").take(permit, "revoke", by="board", **said)["state"] == "revoked"


def test_everybody_sees_no_last_day_of_a_revoked_permit_and_nothing_of_what_a_draft_says(desk: Desk) -> None:
    permit = issued(desk, RECENT)
    desk.by("police").take(permit, "revoke", by="police", condition="lights", reason="Dark")
    told = desk.client.get(f"/api/v1/permits/status/{permit['number']}").json()
    assert (told["state"], told["ends_on"], told["clocks"]) == ("revoked", None, [])
    draft = desk.by("all").apply("opening", location="by the house of John Doe", starts_on="2027-05-04")
    answer = desk.client.get(f"/api/v1/permits/status/{draft['number']}")
    assert "Doe" not in answer.text
    assert (answer.json()["state"], answer.json()["starts_on"]) == ("draft", None)
