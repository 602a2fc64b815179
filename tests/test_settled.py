"""Fees and readings that the ordinance leaves to the Village: none by default, each from a day on, none ever altered.

Seen to fail, each by breaking the code once: `values_on` without its day; without its `withdrawn_at`; `recount` called
for a fee; not called for a reading; `once` left out; who recorded a value told to everybody; a day's name left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser
from sqlalchemy.engine import Connection

from app import settled
from app.auth import Person, Role
from app.case_tables import case_clocks, village_values
from app.clocks import LOCAL, Counting
from app.decided import counting, fee_cents, values_on
from app.deps import COOKIE
from app.main import create_app
from app.registers import counted, rows
from app.settings import Settings
from app.street_objects import Asking
from app.verify import verify
from gis.errors import StreetsError
from tests.access import faults_of_access
from tests.conftest import serving_here
from tests.people import by_key, by_session
from tests.plat import PLAT, village
from tests.test_address_pages import Town, text_of

API = "/api/v1/settled"
CLERK = Person("Clara Clerk", "user:1", frozenset({Role.CLERK}))
KEYS = (
    *("fee_street_opening", "fee_opening_renewal", "fee_street_privilege", "penalty"),
    *("skip_rule", "elections", "closures"),
)
SAID: dict[str, Any] = {"source": "Resolution 7 of the Board", "reason": "Filled in"}
D = date.fromisoformat
NOON = datetime(2026, 7, 1, 17, tzinfo=UTC)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("settled")
    app = create_app(Settings(data_dir=village(folder, PLAT), state_dir=folder / "register"))
    database = app.state.database
    who = {role.value: by_session(database, f"{role.value.title()} Jones", role) for role in Role}
    who |= {f"{role.value} key": by_key(database, role, name=f"the {role.value}") for role in Role}
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, database, app.state.atlas, who)


class Counted(list[datetime]):
    """Stands for what counts the stored clocks anew, and keeps when it was asked to."""

    def __call__(self, _connection: Connection, now: datetime) -> None:
        self.append(now)


def by(town: Town) -> Asking:
    return Asking(town.atlas, CLERK, "", NOON)


def add(town: Town, key: str, value: object, first: str = "2020-07-01", recount: Counted | None = None) -> int:
    given = {"key": key, "value": value, "from": first, **SAID}
    return int(settled.add(by(town), given, Counted() if recount is None else recount)["id"])


def on(town: Town, day: str) -> dict[str, Any]:
    with town.database.read() as connection:
        return values_on(connection, D(day))


def of(town: Town, key: str, who: str = "") -> dict[str, Any]:
    items = town.get(API, who).json()["items"]
    return next(one for one in items if one["key"] == key)


def withdraw(town: Town, value_id: int) -> None:
    settled.withdraw(by(town), value_id, "Wrong", Counted())


# --- what is left to the Village ---


def test_nothing_is_filled_in_until_the_village_has_settled_it(town: Town) -> None:
    items = town.get(API).json()["items"]
    assert [one["key"] for one in items] == list(KEYS)
    assert all((one["value"], one["standing"], one["history"]) == (None, None, []) for one in items)
    assert {one["words"] for one in items if one["type"] == "cents"} == {"Fee not set (§ 173-1)."}
    with town.database.read() as connection:
        assert values_on(connection, D("2030-01-01")) == {}
        assert counting(connection, D("2030-01-01")) == Counting()
        assert fee_cents(connection, "fee_street_opening", D("2030-01-01")) is None


def test_the_sidewalk_permits_fee_is_none_by_law_and_no_setting(town: Town) -> None:
    with pytest.raises(StreetsError, match="one of fee_street_opening"):
        add(town, "fee_sidewalk", "5")


# --- from a day on ---


def test_a_fee_holds_from_its_day_until_the_next_ones_day(town: Town) -> None:
    first = add(town, "fee_street_opening", "25.00", "2026-07-01")
    second = add(town, "fee_street_opening", "$1,030.50", "2027-01-01")
    fees = [on(town, day).get("fee_street_opening") for day in ("2026-06-30", "2026-07-01", "2026-12-31", "2027-01-01")]
    assert fees == [None, 2500, 2500, 103050]
    with town.database.read() as connection:
        told = settled.listed(connection, datetime(2026, 12, 31, 18, tzinfo=UTC), officer=True)[0]
        late = settled.listed(connection, datetime(2027, 1, 1, 5, 59, tzinfo=UTC), officer=True)[0]  # 11:59 pm here
        later = settled.listed(connection, datetime(2027, 1, 1, 6, tzinfo=UTC), officer=True)[0]
    assert (told["value"], told["words"], late["value"], later["value"]) == (2500, "$25.00", 2500, 103050)
    assert [(row["id"], row["state"]) for row in told["history"]] == [(second, "to come"), (first, "in force")]
    assert [row["state"] for row in later["history"]] == ["in force", "replaced"]
    withdraw(town, second)
    assert on(town, "2027-01-01")["fee_street_opening"] == 2500
    withdraw(town, first)
    assert "fee_street_opening" not in on(town, "2027-01-01")


def test_of_two_for_one_day_the_one_recorded_last_holds(town: Town) -> None:
    add(town, "fee_opening_renewal", "10", "2026-07-01")
    add(town, "fee_opening_renewal", "0", "2026-07-01")
    assert on(town, "2026-07-01")["fee_opening_renewal"] == 0  # settled as nothing, which is not unset
    with town.database.read() as connection:
        assert fee_cents(connection, "fee_opening_renewal", D("2026-07-01")) == 0


def test_readings_and_closures_make_how_time_is_counted(town: Town) -> None:
    recount = Counted()
    made = [
        add(town, "skip_rule", "no", recount=recount),
        add(town, "elections", "Yes", recount=recount),
        add(town, "closures", "2026-12-24 Christmas Eve\n\n2026-11-27: day after Thanksgiving", recount=recount),
    ]
    closed = frozenset({D("2026-11-27"), D("2026-12-24")})
    with town.database.read() as connection:
        assert counting(connection, D("2020-07-01")) == Counting(False, closed, True)
        assert counting(connection, D("2020-06-30")) == Counting()
    assert on(town, "2020-07-01")["closures"][1] == {"day": "2026-12-24", "name": "Christmas Eve"}
    assert of(town, "closures")["words"].startswith("Fri, November 27, 2026 (day after Thanksgiving); Thu, December 24")
    assert "2026-12-24 Christmas Eve</textarea>" in town.get("/settled/closures", "clerk").text  # to be added to
    assert recount == [NOON] * 3
    for value_id in made:
        settled.withdraw(by(town), value_id, "Wrong", recount)
    assert len(recount) == 6
    fee = Counted()
    settled.withdraw(by(town), add(town, "fee_street_privilege", "15", recount=fee), "Wrong", fee)
    assert fee == []  # no clock is counted by a fee


# --- what is refused ---


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"key": "fee_street_opening", "value": "a lot"}, "value"),
        ({"key": "fee_street_opening", "value": "-5"}, "value"),
        ({"key": "fee_street_opening", "value": "5.005"}, "value"),
        ({"key": "fee_street_opening", "value": ""}, "value"),
        ({"key": "skip_rule", "value": "perhaps"}, "value"),
        ({"key": "skip_rule", "value": ""}, "value"),
        ({"key": "skip_rule", "value": [True]}, "value"),
        ({"key": "penalty", "value": "   "}, "value"),
        ({"key": "closures", "value": "Christmas"}, "value"),
        ({"key": "closures", "value": "2026-02-29 leap"}, "value"),
        ({"key": "closures", "value": "2026-12-24\n2026-12-24 again"}, "value"),
        ({"key": "closures", "value": []}, "value"),
        ({"key": "closures", "value": [{"on": "2026-12-24"}]}, "value"),
        ({"key": "penalty", "value": "x", "from": "July 1"}, "from"),
        ({"key": "penalty", "value": "x", "from": "1026-07-01"}, "from"),
        ({"key": "penalty", "value": "x", "source": " "}, "source"),
        ({"key": "penalty", "value": "x", "reason": ""}, "reason"),
    ],
)
def test_what_cannot_be_settled_is_refused_naming_the_field(town: Town, given: dict[str, Any], field: str) -> None:
    with town.database.read() as connection:
        before = counted(connection, village_values)
    with pytest.raises(StreetsError) as refused:
        settled.add(by(town), {**SAID, **given}, Counted())
    assert [fault.field for fault in refused.value.faults] == [field]
    with town.database.read() as connection:
        assert counted(connection, village_values) == before


def test_every_fault_is_told_at_once(town: Town) -> None:
    with pytest.raises(StreetsError) as refused:
        settled.add(by(town), {"key": "skip_rule", "from": "soon"}, Counted())
    assert {fault.field for fault in refused.value.faults} == {"value", "from", "source", "reason"}


def test_only_the_clerk_and_the_administrator_settle(town: Town) -> None:
    body = {"key": "penalty", "value": "x", "from": "2026-07-01", **SAID}
    for who, status in (("", 401), ("director key", 403), ("inspector key", 403)):
        assert town.client.post(API, json=body, headers=town.who.get(who, {})).status_code == status


def test_a_value_is_withdrawn_once_and_one_that_is_not_there_never(town: Town) -> None:
    made = add(town, "penalty", "As § 1-3 says")
    withdraw(town, made)
    with pytest.raises(StreetsError, match="which was withdrawn"):
        withdraw(town, made)
    headers = town.who["clerk key"]
    answer = town.client.post(f"{API}/{made}/withdraw", json={"reason": "again"}, headers=headers)
    assert answer.status_code == 409
    answer = town.client.post(f"{API}/999999/withdraw", json={"reason": "none"}, headers=headers)
    assert answer.status_code == 404


# --- by API and page ---


def test_by_api_the_same_request_is_done_once_and_the_log_holds_it(town: Town) -> None:
    body = {"key": "fee_street_privilege", "value": "40", "from": "2025-01-01", **SAID}
    headers = {**town.who["admin key"], "Idempotency-Key": "fee-1"}
    answers = [town.client.post(API, json=body, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert answers[0].json()["item"]["words"] == "$40.00"
    assert of(town, "fee_street_privilege")["standing"]["source"] == "Resolution 7 of the Board"
    withdraw(town, answers[0].json()["id"])
    with town.database.read() as connection:
        assert list(verify(connection)) == []


def test_who_recorded_a_value_and_why_is_told_to_officers_only(town: Town) -> None:
    made = add(town, "penalty", "A forfeiture as the Board set it", "2024-01-01")
    public, officer = (of(town, "penalty", who)["standing"] for who in ("", "police key"))
    assert public["words"] == officer["words"] == "A forfeiture as the Board set it"
    assert (officer["made_by"], officer["reason"]) == ("Clara Clerk", "Filled in")
    assert {"made_by", "made_at", "reason"}.isdisjoint(public)
    page = text_of(town.get("/settled").text)
    assert "A forfeiture as the Board set it" in page
    assert "Clara Clerk" not in page
    assert "Clara Clerk: Filled in" in text_of(town.get("/settled", "police").text)
    withdraw(town, made)


def test_an_unknown_key_is_no_page(town: Town) -> None:
    assert town.get("/settled/fee_sidewalk", "clerk").status_code == 422
    assert town.client.post(API, json={"key": "x", "value": "1", **SAID},
                            headers=town.who["clerk key"]).status_code == 422  # fmt: skip


def test_the_clerk_fills_in_a_fee_by_the_form_and_takes_it_back(town: Town) -> None:
    form = town.get("/settled/fee_opening_renewal", "clerk")
    action = "/settled/fee_opening_renewal"
    refused = town.sent(form, action, "clerk", value="ten", **{"from": "2026-08-01"}, **SAID)
    assert refused.status_code == 422
    assert "Found ten; expected dollars and cents, such as 25.00." in text_of(refused.text)
    assert 'value="2026-08-01"' in refused.text  # what was typed stands
    done = town.sent(form, action, "clerk", value="12.50", **{"from": "2025-08-01"}, **SAID)
    assert (done.status_code, done.headers["location"]) == (303, "/settled?done=saved#fee_opening_renewal")
    again = town.sent(form, action, "clerk", value="12.50", **{"from": "2025-08-01"}, **SAID)
    assert again.status_code == 303
    rows = [row for row in of(town, "fee_opening_renewal", "clerk")["history"] if row["value"] == 1250]
    assert len(rows) == 1  # the form sent twice is done once
    page = town.get("/settled", "clerk")
    back = f"/settled/fee_opening_renewal/{rows[0]['id']}/withdraw"
    assert town.sent(page, back, "clerk", reason=" ").status_code == 422
    assert town.sent(page, back, "clerk", reason="Typed wrongly").status_code == 303
    row = next(r for r in of(town, "fee_opening_renewal", "clerk")["history"] if r["id"] == rows[0]["id"])
    assert row["state"] == "withdrawn"


def test_a_form_without_its_session_does_nothing(town: Town) -> None:
    headers = {"Cookie": town.who["clerk"]["Cookie"]}
    sent = {"value": "5", **SAID}
    town.client.cookies.clear()
    assert town.client.post("/settled/fee_opening_renewal", data=sent, headers=headers).status_code == 403


def test_the_clocks_by_api_count_by_what_is_settled(town: Town) -> None:
    yesterday = (datetime.now(UTC) - timedelta(days=2)).date().isoformat()
    body = {"rule": "bill_payable", "from": "2026-06-11"}  # June 21, 2026 is a Sunday
    before = town.client.post("/api/v1/clocks", json=body).json()
    assert (before["due"], before["other"]["due"]) == ("2026-06-21", "2026-06-22")
    made = add(town, "skip_rule", True, yesterday)
    after = town.client.post("/api/v1/clocks", json=body).json()
    assert (after["due"], after["other"]) == ("2026-06-22", None)
    assert "by the Village's setting" in after["reading"]
    withdraw(town, made)
    assert town.client.post("/api/v1/clocks", json=body).json()["due"] == "2026-06-21"


def test_the_clocks_of_the_open_cases_are_counted_anew_in_the_same_act(town: Town) -> None:
    address = town.add(400, 471, street="Alma Street")
    headers = town.who["clerk key"]
    report = {"kind": "numbering", "address_id": address, "defect": "none"}
    assert town.client.post("/api/v1/cases", json=report, headers=headers).status_code == 201

    def bases() -> set[str]:
        with town.database.read() as connection:
            return {row["basis"] for row in rows(connection, case_clocks)}

    before = bases()
    today = datetime.now(LOCAL).date().isoformat()
    body = {"key": "skip_rule", "value": "yes", "from": today, **SAID}
    made = town.client.post(API, json=body, headers=headers).json()["id"]
    settled_so = bases()
    assert len(before) == len(settled_so) == 1
    assert before.isdisjoint(settled_so)
    town.client.post(f"{API}/{made}/withdraw", json={"reason": "Wrong"}, headers=headers)
    assert bases() == before


def test_the_pages_fit_the_screen_and_are_accessible(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(data_dir=village(tmp_path, PLAT), state_dir=tmp_path / "register")
    app = create_app(settings)
    cookie = by_session(app.state.database, "Clerk Jones", Role.CLERK)["Cookie"].partition("=")[2]
    made = Town(TestClient(app), app.state.database, app.state.atlas)
    add(made, "closures", [{"day": "2026-12-24", "name": "Christmas Eve"}])
    app.state.database.close()
    with serving_here(settings) as url:
        context = browser.new_context()
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": url}])
        page = context.new_page()
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 740})
            for path in ("/settled", "/settled/closures", "/settled/skip_rule", "/law"):
                page.goto(f"{url}{path}")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path
                assert faults_of_access(page) == []
        context.close()
