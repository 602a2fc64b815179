"""Cases of the street walked at random against a table of transitions written by hand, from the sections' own words.

After each step the state that is stored, and every clock that is stored, are those that the events make. What is owed
is kept here in cents.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from app import registers
from app.case_tables import case_clocks, cases
from app.casebook import KINDS, matter_of
from tests.permit_desk import Desk, desk_over
from tests.street_cases import Cases, Json

STEPS_OF_A_WALK = 25
MOST_WALKS = 40
STAYS = ""
NEXT: dict[str, dict[str, dict[str, str]]] = {
    "obstruction": {
        "reported": {"serve": "notified", "gone": "removed", "there": STAYS, "dismiss": "dismissed"},
        "notified": {"remove": "abated", "gone": "removed", "there": STAYS, "dismiss": "dismissed"},
        "abated": {
            "expense": STAYS, "strike": STAYS, "mailed": STAYS, "received": STAYS, "paid": STAYS, "enter": "rolled",
        },
        "removed": {"reopen": "before"},
        "dismissed": {"reopen": "before"},
        "paid": {"reopen": "before"},
        "rolled": {},
    },
    "walk": {
        "reported": {"measure": STAYS, "waive": STAYS, "determine": "determined", "dismiss": "dismissed"},
        "determined": {"measure": STAYS, "waive": STAYS, "order": "ordered", "dismiss": "dismissed"},
        "ordered": {"measure": STAYS, "perform": "abated", "close": "done", "dismiss": "dismissed"},
        "abated": {
            "measure": STAYS, "expense": STAYS, "strike": STAYS, "paid": STAYS, "close": "done", "collect": "rolled",
        },
        "done": {},
        "dismissed": {},
        "paid": {},
        "rolled": {},
    },
    "repaving": {
        "determined": {
            "amend": STAYS, "one": STAYS, "all": "notified", "begin": "working", "improved": "improved",
            "drop": "dropped",
        },
        "notified": {
            "amend": STAYS, "one": STAYS, "all": "notified", "begin": "working", "improved": "improved",
            "drop": "dropped",
        },
        "working": {"improved": "improved"},
        "improved": {"end": "ended"},
        "ended": {},
        "dropped": {},
    },
    "improvement": {
        "requested": {"deferred": STAYS, "granted": "granted", "denied": "denied", "withdraw": "withdrawn"},
        "granted": {"close": "installed"},
        "denied": {},
        "installed": {},
        "withdrawn": {},
    },
}  # fmt: skip
FACTS: dict[str, Json] = {
    "serve": {"to": "owner", "how": "handed"},
    "gone": {"step": "inspect", "found": "removed"},
    "there": {"step": "inspect", "found": "there"},
    "measure": {"gap_in": "1 1/4"},
    "determine": {"who": "The Committee"},
    "order": {"by": "board"},
    "amend": {"street": "Alma Street"},
    "one": {"step": "notified", "to": "one", "whom": "Gas Co"},
    "all": {"step": "notified", "to": "all"},
    "deferred": {"step": "decide", "decision": "deferred"},
    "granted": {"step": "decide", "decision": "granted"},
    "denied": {"step": "decide", "decision": "denied"},
}
OPENED: dict[str, Json] = {
    "obstruction": {"what": "brick", "place": "street", "where": "in front of 145"},
    "walk": {"why": "build", "where": "in front of 145"},
    "repaving": {"street": "Alma Street"},
    "improvement": {"what": "curb", "where": "Alma Street"},
}
FIRST = date(2019, 1, 2)
FIVE_YEARS = 1830
"""Days that are more than any five years."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("walked")) as made:
        yield made


@dataclass
class Model:
    """What a case is to be, kept by hand."""

    kind: str
    state: str
    day: date = FIRST
    before: str = ""
    lines: dict[int, int] = field(default_factory=dict)
    paid: int = 0
    received: date | None = None
    improved: date | None = None

    @property
    def owed(self) -> int:
        return sum(self.lines.values()) - self.paid

    def allows(self, act: str, facts: Json) -> bool:
        """Say whether the law lets it be done now: the table, and what an act asks of the account or of the days."""
        if act not in NEXT[self.kind][self.state]:
            return False
        open_bill = self.received is not None and self.day <= self.received + timedelta(days=10)
        asked = {
            "paid": 0 < _cents(facts) <= self.owed,
            "enter": self.owed > 0 and not open_bill,
            "collect": self.owed > 0,
            "strike": facts.get("line") in self.lines,
            "close": self.kind != "walk" or self.owed <= 0,  # the owner bears what is built
            "end": self.improved is not None and self.day > _later(self.improved, 5),
            "waive": False,  # it is no tax-exempt property
        }
        return asked.get(act, True)

    def moves(self, act: str, facts: Json, event: int) -> None:
        """Do it."""
        to = NEXT[self.kind][self.state][act]
        if act == "expense":
            self.lines[event] = _cents(facts)
        elif act == "strike":
            del self.lines[facts["line"]]
        elif act == "paid":
            self.paid += _cents(facts)
        elif act == "received":
            self.received = self.day
        elif act == "improved":
            self.improved = self.day
        if act in {"paid", "strike"} and self.paid and self.owed <= 0:
            to = "paid"
        if to:
            self.before, self.state = self.state, self.before if to == "before" else to


@pytest.mark.parametrize("kind", NEXT)
def test_no_state_is_reached_that_the_table_does_not_allow(desk: Desk, kind: str) -> None:
    """Walks go on until each step of the table was taken once; what the table does not have is tried between."""
    chance, tried, taken = random.Random(kind), Counter[tuple[str, str]](), set[tuple[str, str]]()
    wanted = {(state, act) for state, table in NEXT[kind].items() for act in table if act != "waive"}
    for _ in range(MOST_WALKS):
        if taken >= wanted:
            break
        _walk(desk, kind, chance, tried, taken)
    assert wanted - taken == set()


def _walk(
    desk: Desk, kind: str, chance: random.Random, tried: Counter[tuple[str, str]], taken: set[tuple[str, str]]
) -> None:
    case = Cases(desk).report(kind, FIRST.isoformat(), **OPENED[kind])
    model = Model(kind, KINDS[kind].first)
    acts = sorted({act for table in NEXT[kind].values() for act in table})
    for _ in range(STEPS_OF_A_WALK):
        own = [act for act in NEXT[kind][model.state] if model.allows(act, _facts(chance, model, act))]
        own.sort(key=lambda act: ((model.state, act) in taken, tried[model.state, act]))
        act = own[0] if own and chance.random() < 0.75 else chance.choice(acts)
        model.day += timedelta(
            days=chance.choice([2, 5, 12]) + (FIVE_YEARS if act == "end" and chance.random() < 0.5 else 0)
        )
        tried[model.state, act] += 1
        before, allowed = model.state, _take(desk, case, model, act, _facts(chance, model, act))
        taken |= {(before, act)} if allowed else set()
        _check(desk, case["id"], model)
        if not own and not allowed and chance.random() < 0.5:
            break  # nothing leads on from here


def _take(desk: Desk, case: Json, model: Model, act: str, facts: Json) -> bool:
    """Take a step, which is recorded where the model allows it and refused where it does not."""
    allowed = model.allows(act, facts)
    sent = {key: value for key, value in facts.items() if key != "step"}
    path = f"/api/v1/cases/{case['id']}/{facts.get('step', act)}"
    sent |= {"at": f"{model.day}T10:00", "reason": "As it was"}
    answer = desk.client.post(path, json=sent, headers=desk.keys["all"])
    assert answer.status_code in ({200} if allowed else {409, 422}), (model, act, sent, answer.text)
    if allowed:
        model.moves(act, facts, max(event["id"] for event in answer.json()["events"]))
    return allowed


def _cents(facts: Json) -> int:
    return round(float(facts.get("cents", 0)) * 100)


def _later(day: date, years: int) -> date:
    """Return the same day of a later year; for a leap day the last of February."""
    leap = (day.month, day.day) == (2, 29)
    return day.replace(year=day.year + years, **({"day": 28} if leap else {}))


def _facts(chance: random.Random, model: Model, act: str) -> Json:
    facts: Json = dict(FACTS.get(act, {}))
    if act == "expense":
        facts |= {"what": "work", "cents": f"{chance.randint(1, 500) / 100:.2f}"}
    if act == "paid":
        most = max(model.owed, 1)
        facts["cents"] = f"{chance.choice([most, most, max(most // 2, 1), most + 1]) / 100:.2f}"
    if act == "strike":
        facts["line"] = chance.choice([*model.lines, 999_999])
    return facts


def _check(desk: Desk, case_id: int, model: Model) -> None:
    """Hold what is stored to the hand-kept state and to what the events make."""
    with desk.database.read() as connection:
        row = registers.get(connection, cases, case_id)
        stored = registers.rows(connection, case_clocks, case_clocks.c.case_id == case_id)
        matter = matter_of(connection, row, datetime.now(UTC))
    kind = KINDS[model.kind]
    assert (row["state"], matter.course.state) == (model.state, model.state)
    assert (row["closed_at"] is None) == kind.states[model.state].open
    running = kind.running(matter)
    made: set[tuple[Any, ...]] = {
        (one.key, one.deadline.due_at, one.deadline.over_at, one.done, one in running) for one in kind.clocks(matter)
    }
    kept = {(one["key"], one["due_at"], one["over_at"], one["done_at"], one["running"]) for one in stored}
    assert kept == made
