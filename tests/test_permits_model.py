"""Permits as a model: the table of transitions once more by hand, thousands of random walks, and facts in any order.

The table below was written from the ordinance and not from the code: draft -> complete -> approved or refused -> active
-> closed or revoked. What the register stores is held against what its events make of it, counted anew.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
import sqlalchemy as sa

from app import casebook, registers
from app.case_tables import case_clocks, case_events, cases
from app.casebook import KINDS
from app.casework import UNDO, Matter
from app.tables import addresses
from tests.permit_desk import Desk, area, desk_over
from tests.permitting import APPLICATION, EMERGENCY

Json = dict[str, Any]
STAY = ("note", "assign", "decide")
TABLE: dict[str, dict[str, dict[str, str]]] = {
    "sidewalk": {
        "draft": {"apply": "draft", "amend": "draft", "complete": "complete", "withdraw": "withdrawn"},
        "complete": {"return": "draft", "refuse": "refused", "approve": "approved", "withdraw": "withdrawn"},
        "approved": {"start": "active", "close": "closed", "withdraw": "withdrawn", "issue": "approved"},
        "active": {"close": "closed", "issue": "active"},
        "refused": {}, "withdrawn": {}, "closed": {},
    },
    "opening": {
        "draft": {
            "apply": "draft", "amend": "draft", "complete": "complete", "withdraw": "withdrawn", "notice": "draft",
            "told": "draft", "inspect": "draft", "village_work": "exempt",
        },
        "complete": {
            "return": "draft", "refuse": "refused", "approve": "approved", "withdraw": "withdrawn",
            "notice": "complete", "told": "complete", "inspect": "complete", "village_work": "exempt",
        },
        "approved": {
            "start": "active", "close": "closed", "withdraw": "withdrawn", "issue": "approved", "notice": "approved",
            "told": "approved", "inspect": "approved", "restore": "approved",
        },
        "active": {
            "close": "closed", "issue": "active", "renew": "active", "notice": "active", "told": "active",
            "inspect": "active", "restore": "active",
        },
        "exempt": {"close": "closed", "notice": "exempt", "told": "exempt", "inspect": "exempt", "restore": "exempt"},
        "refused": {}, "withdrawn": {}, "closed": {},
    },
    "privilege": {
        "draft": {
            "apply": "draft", "amend": "draft", "complete": "complete", "withdraw": "withdrawn", "advise": "draft",
            "bond": "draft", "inspect": "draft",
        },
        "complete": {
            "return": "draft", "refuse": "refused", "approve": "approved", "withdraw": "withdrawn",
            "advise": "complete", "bond": "complete", "inspect": "complete",
        },
        "approved": {
            "start": "active", "close": "closed", "withdraw": "withdrawn", "issue": "approved", "inspect": "approved",
            "end_early": "approved", "revoke": "revoked",
        },
        "active": {
            "close": "closed", "issue": "active", "inspect": "active", "end_early": "active", "revoke": "revoked",
        },
        "revoked": {"vacate": "revoked"},
        "refused": {}, "withdrawn": {}, "closed": {},
    },
}  # fmt: skip
ENDED = {"refused", "withdrawn", "closed", "revoked"}
for of_kind in TABLE.values():
    for state in of_kind:
        of_kind[state] |= {"note": state} if state in ENDED else dict.fromkeys(STAY, state)

FACTS: dict[str, Json] = {
    "complete": {"sufficient": "yes"}, "return": {"reason": "More is needed"}, "withdraw": {"reason": "Not needed"},
    "refuse": {"under": "§ 288-5 B", "cure": "More", "reason": "Too little"}, "note": {"note": "Seen."},
    "assign": {"to": "Ann Berg"}, "told": {}, "start": {}, "amend": {"nature": "gas service"}, "village_work": {},
    "notice": {"to": "hotline", "ticket": "20260001"}, "inspect": {"item": "barriers", "result": "pass"},
    "restore": {"surface": "grass", "permanent": "yes"}, "renew": {"requested_on": "2026-05-06", "continuing": "yes"},
    "advise": {"by": "police", "advice": "None."}, "vacate": {"vacated": "yes"},
    "bond": {"bond_cents": "500.00", "indemnify": "yes", "remove": "yes", "clean": "yes", "repair": "yes"},
    "end_early": {"ends_on": "2026-06-01", "reason": "Done"},
    "revoke": {"by": "board", "condition": "lights", "reason": "Dark"},
}  # fmt: skip
OF_KIND: dict[tuple[str, str], Json] = {
    ("opening", "approve"): {"by": "director"},
    ("opening", "decide"): {"decision": "village_work", "by": "board", "reason": "Minutes"},
    ("privilege", "decide"): {"decision": "bond_waived", "by": "board", "reason": "Minutes"},
    ("sidewalk", "decide"): {"decision": "contract", "by": "board", "reason": "Contract"},
    ("opening", "close"): {"nothing_opened": "yes"}, ("privilege", "close"): {"vacated": "yes"},
    ("privilege", "amend"): {"nature": "bricks"}, ("privilege", "inspect"): {"item": "lights", "result": "pass"},
}  # fmt: skip


# --- the table ---


@pytest.mark.parametrize("kind", TABLE)
def test_the_steps_of_each_state_are_those_of_the_table_written_by_hand(kind: str) -> None:
    offered = {
        state: {name for name, step in KINDS[kind].steps.items() if state in step.states}
        for state in KINDS[kind].states
    }
    assert offered == {state: set(steps) for state, steps in TABLE[kind].items()}


@pytest.mark.parametrize("kind", TABLE)
def test_no_sequence_of_events_leads_where_the_table_does_not(kind: str) -> None:
    """A thousand sequences of up to thirty allowed steps, some undone: at each of them the state is the table's."""
    chance = random.Random(2885)
    reached: set[str] = set()
    for _ in range(1000):
        events, trail = [event_of(1, "apply", {})], ["draft"]
        standing = [1]
        for number in range(2, chance.randint(3, 32)):
            if len(trail) > 1 and chance.random() < 0.2:
                events.append(event_of(number, UNDO, {"event": standing.pop()}))
                trail.pop()
            else:
                step = chance.choice(sorted(TABLE[kind][trail[-1]]))
                events.append(event_of(number, step, FACTS.get(step, {})))
                trail.append(TABLE[kind][trail[-1]][step])
                standing.append(number)
            assert KINDS[kind].course(events).state == trail[-1]
        reached |= set(trail)
    assert reached == set(TABLE[kind])


def event_of(number: int, what: str, facts: Json) -> Json:
    at = datetime(2026, 5, 4, 12, tzinfo=UTC) + timedelta(hours=number)
    return {"id": number, "what": what, "at": at, "facts": facts, "reason": ""}


def test_a_permit_that_has_ended_is_led_nowhere_by_anything() -> None:
    for kind, of in TABLE.items():
        for state in ENDED & set(of):
            assert set(of[state].values()) == {state}, (kind, state)
            assert not KINDS[kind].states[state].open
        assert all(KINDS[kind].states[state].open for state in set(of) - ENDED)


# --- the register ---


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("walks")) as made:
        made.settle("fee_opening_renewal", "0")
        yield made


CLOCK = [one for one in case_clocks.c if one.name not in {"id", "case_id", "basis"}]


def stored(desk: Desk, permit: Json) -> tuple[Json, list[Json], int]:
    """What the register holds of a permit: its row, its clocks and how many events it has."""
    with desk.database.read() as connection:
        row = dict(connection.execute(sa.select(cases).where(cases.c.id == permit["id"])).mappings().one())
        mine = sa.select(*CLOCK).where(case_clocks.c.case_id == permit["id"]).order_by(case_clocks.c.id)
        clocks = [dict(one) for one in connection.execute(mine).mappings()]
        events = registers.counted(connection, case_events, case_events.c.case_id == permit["id"])
    return row, clocks, events


def computed(desk: Desk, permit: Json) -> tuple[str, list[tuple[Any, ...]]]:
    """What the events make of it, counted anew: its state, and the key, end, and doing of each clock."""
    with desk.database.read() as connection:
        row = registers.get(connection, cases, permit["id"])
        address = registers.find(connection, addresses, row["address_id"]) if row["address_id"] else None
        course = KINDS[row["kind"]].course(casebook.events_of(connection, row["id"]))
        found = KINDS[row["kind"]].clocks(Matter(row, address, course))
    return course.state, [(one.key, one.deadline.day, one.deadline.due_at, one.done) for one in found]


def check_stored(desk: Desk, permit: Json, state: str) -> None:
    row, clocks, _ = stored(desk, permit)
    told, found = computed(desk, permit)
    assert row["state"] == told == state
    assert [(one["key"], one["due_on"], one["due_at"], one["done_at"]) for one in clocks] == found
    assert (row["closed_at"] is not None) == (state in ENDED)
    if state in ENDED:
        assert not any(one["running"] for one in clocks)


@pytest.mark.parametrize("kind", TABLE)
def test_a_walk_through_the_register_never_leaves_the_table(desk: Desk, kind: str) -> None:
    """Any step is tried in any state: one that is refused changes nothing, one that is taken leads where the table
    says, and undoing it gives back exactly the state, the columns and the clocks before."""
    chance, every = random.Random(288), desk.by("all")
    steps = sorted({step for of in TABLE[kind].values() for step in of} - {"apply", "issue"})
    taken = refused = undone = 0
    for _ in range(5):
        permit, state = (
            every.apply(kind, at="2026-05-04", **(area(200, 16, 212, 18) if kind != "sidewalk" else {})),
            "draft",
        )
        for _ in range(12):
            likely = [one for one in steps if one in TABLE[kind][state]]
            step = chance.choice(likely if chance.random() < 0.75 else steps)
            facts = {"at": "2026-05-11", **(OF_KIND.get((kind, step)) or FACTS.get(step, {}))}
            before, status = stored(desk, permit), 0
            path = f"/api/v1/permits/{permit['id']}/{step}"
            status = desk.client.post(path, json=facts, headers=every.key).status_code
            assert status in {200, 409, 422}, (state, step, status)
            if status != 200:
                assert stored(desk, permit) == before, (state, step)
                assert status == 422 or step not in TABLE[kind][state] or before[0]["over_at"]
                refused += 1
                continue
            assert step in TABLE[kind][state], (state, step)
            taken += 1
            if chance.random() < 0.4:
                every.take(permit, "undo", reason="To try")
                assert without(stored(desk, permit)) == without(before), (state, step)
                check_stored(desk, permit, state)
                undone += 1
            else:
                state = TABLE[kind][state][step]
                check_stored(desk, permit, state)
    assert taken > 20
    assert refused > 3
    assert undone > 6


def without(held: tuple[Json, list[Json], int]) -> tuple[Json, list[Json]]:
    """The row without the id of its work, which stays for when it comes back, and the clocks."""
    row, clocks, _ = held
    return {name: value for name, value in row.items() if name != "object_id"}, clocks


# --- in any order ---

YEAR: dict[str, Sequence[tuple[str, Json]]] = {
    "opening": (
        ("notice", {"to": "director", "location": "145 Main Street", "extent": "12 ft", "at": "2026-05-04T09:00"}),
        ("notice", {"to": "clerk", "at": "2026-05-04T10:00"}),
        ("notice", {"to": "director", "location": "145 Main Street", "extent": "12 ft", "at": "2026-05-05T09:00"}),
        ("decide", {"decision": "flagger", "by": "director", "reason": "x", "at": "2026-05-05"}),
        ("renew", {"requested_on": "2026-05-20", "continuing": "yes", "at": "2026-05-20"}),
        ("renew", {"requested_on": "2026-05-30", "continuing": "yes", "at": "2026-05-30"}),
        ("inspect", {"item": "compaction", "density_percent": "90", "at": "2026-05-21"}),
        ("inspect", {"item": "compaction", "density_percent": "96", "at": "2026-05-22"}),
        ("restore", {"surface": "cold_mix", "permanent": "no", "depth_in": "3", "at": "2026-05-23"}),
        ("restore", {"surface": "concrete", "permanent": "yes", "depth_in": "7", "at": "2026-06-10"}),
        ("restore", {"surface": "grass", "permanent": "yes", "as_before": "yes", "at": "2026-06-12"}),
        ("assign", {"to": "Ann Berg", "at": "2026-05-06"}),
        ("assign", {"to": "Bo Dahl", "at": "2026-05-07"}),
    ),
    "emergency": (
        ("told", {"at": "2026-01-30T10:10"}),
        ("told", {"at": "2026-01-30T11:00"}),
        ("restore", {"surface": "cold_mix", "permanent": "no", "depth_in": "3", "at": "2026-02-02"}),
        ("restore", {"surface": "bituminous", "permanent": "yes", "depth_in": "3", "at": "2026-04-20"}),
        ("restore", {"surface": "bituminous", "permanent": "yes", "depth_in": "2.5", "at": "2026-05-20"}),
        ("inspect", {"item": "barriers", "result": "pass", "at": "2026-01-31"}),
    ),
    "privilege": (
        ("end_early", {"ends_on": "2026-07-01", "reason": "x", "at": "2026-05-10"}),
        ("inspect", {"item": "lights", "result": "fail", "at": "2026-05-11"}),
        ("inspect", {"item": "lights", "result": "pass", "at": "2026-05-12"}),
        ("decide", {"decision": "condition", "by": "board", "reason": "x", "at": "2026-05-06"}),
        ("assign", {"to": "Ann Berg", "at": "2026-05-06"}),
    ),
}  # fmt: skip


def begun(desk: Desk, kind: str) -> Json:
    every = desk.by("all")
    if kind == "privilege":
        permit = every.complete("privilege", "2026-05-04")
        every.take(permit, "advise", by="police", advice="None.", at="2026-05-04")
        every.take(permit, "decide", decision="bond_waived", by="board", reason="x", at="2026-05-04")
        every.take(permit, "approve", at="2026-05-04")
        return every.take(permit, "start", at="2026-05-05")
    on = "2026-01-30" if kind == "emergency" else "2026-05-04"
    facts = EMERGENCY if kind == "emergency" else {**APPLICATION["opening"], "starts_on": "2026-05-06"}
    permit = every.approved("opening", on, **facts, loss_at="2026-05-06T09:00" if kind == "emergency" else None)
    every.take(permit, "notice", to="hotline", ticket="1", at=on)
    return every.take(permit, "start", at="2026-01-30" if kind == "emergency" else "2026-05-06")


def told_clocks(permit: Json) -> list[tuple[Any, ...]]:
    return [(one["key"], one["due"], one["done"], one["alternative"]) for one in permit["clocks"]]


@pytest.mark.parametrize("kind", YEAR)
def test_a_years_facts_recorded_in_any_order_give_the_same_clocks_and_columns(desk: Desk, kind: str) -> None:
    """In the order they happened, backwards, and in two orders by chance."""
    every, chance, found = desk.by("all"), random.Random(365), []
    orders = [list(YEAR[kind]), list(reversed(YEAR[kind]))]
    orders += [chance.sample(list(YEAR[kind]), len(YEAR[kind])) for _ in range(2)]
    for order in orders:
        permit = begun(desk, kind)
        for step, facts in order:
            permit = every.take(permit, step, **facts)
        row, clocks, _ = stored(desk, permit)
        same = {name: row[name] for name in ("state", "due_at", "over_at", "assigned_to", "starts_on", "ends_on")}
        found.append((told_clocks(permit), clocks, same, permit["inspected"], permit["state"]))
    assert all(one == found[0] for one in found[1:])


def test_an_application_says_the_same_in_whatever_order_its_amendments_are_entered(desk: Desk) -> None:
    every = desk.by("all")
    amended = (
        {"nature": "gas", "at": "2026-05-05"}, {"nature": "water", "starts_on": "2026-06-01", "at": "2026-05-06"},
        {"method": "boring", "starts_on": "2026-06-02", "at": "2026-05-07"},
    )  # fmt: skip
    found = []
    for order in permutations(amended):
        permit = every.apply("opening", at="2026-05-04")
        for facts in order:
            permit = every.take(permit, "amend", **facts)
        found.append((permit["application"], told_clocks(permit), permit["starts_on"]))
    assert all(one == found[0] for one in found[1:])
    assert (found[0][0]["nature"], found[0][2]) == ("water", "2026-06-02")
