"""The table of the law's clocks, and the clocks by API: what is refused, and that each rule is the law's own.

Seen to fail, each by breaking the code once: `_check_start` without the day; a rule's section another than its
number's; `told` with `passed` for `over`; `_start` reading a time as its day; `LawError` left with its own field.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.clock_rules import RULES, considered_for, due
from app.clocks import ClockError
from app.law import UNIT_OF, law_on
from app.main import create_app
from app.settings import Settings
from tests.plat import PLAT, village

D = date.fromisoformat
KEYS = """sidewalk_work_from opening_valid opening_renewed emergency_tell emergency_apply director_notice utility_notice
affected_notice backfill_notice permanent_pavement winter_pavement concrete_open repaving_from repaving_notify clearing
moratorium remove_obstruction bill_payable tax_roll privilege_ends board_removal improvement_request snow_clear
snow_notice snow_forfeit snow_hazard number_placed number_neglect number_comply hearing_published hearing_mailed"""
Json = dict[str, Any]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("clocks")
    with TestClient(create_app(Settings(data_dir=village(folder, PLAT), state_dir=folder / "register"))) as made:
        yield made


def ask(client: TestClient, rule: str, start: str, now: str = "2026-06-01T12:00") -> Json:
    answer = client.post("/api/v1/clocks", json={"rule": rule, "from": start, "now": now})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def refused(client: TestClient, body: Json) -> Json:
    answer = client.post("/api/v1/clocks", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    (fault,) = answer.json()["errors"]
    return dict(fault)


# --- the table ---


def test_there_is_a_rule_for_every_clock_of_the_sections() -> None:
    assert set(RULES) == set(KEYS.split())


def test_each_rule_takes_the_laws_number_of_its_own_section() -> None:
    law = law_on(D("2026-06-01"))
    for rule in RULES.values():
        if rule.number:
            assert law[rule.number].section == f"§ {rule.section}", rule.key
    assert {rule.key for rule in RULES.values() if not rule.number} == {"emergency_tell", "repaving_notify"}


def test_each_rule_says_what_starts_it_and_what_its_end_is() -> None:
    for rule in RULES.values():
        assert rule.starts in {"day", "instant"}
        assert rule.sense in {"by", "from", "ends"}
        hours = rule.number and UNIT_OF[rule.number] == "hours"
        assert rule.starts == ("instant" if hours or not rule.number else "day"), rule.key


def test_every_answer_says_its_section_and_how_it_was_counted() -> None:
    for rule in RULES.values():
        start = D("2026-06-05") if rule.starts == "day" else datetime(2026, 6, 5, 14, tzinfo=UTC)
        found = due(rule.key, start)
        assert (found.section, found.sense) == (rule.section, rule.sense)
        assert found.counted.endswith(".")
        assert (found.day is None) == (found.at is not None)


def test_a_number_amended_later_counts_from_its_own_day_only() -> None:
    old = law_on(D("2026-06-01"))
    longer = old["opening_valid_days"].model_copy(update={"value": 45})
    changed = type(old)(old.day, tuple(longer if v.key == longer.key else v for v in old.values), old.quotations)
    assert due("opening_valid", D("2026-06-01"), law=changed).day == D("2026-07-16")
    assert due("opening_valid", D("2026-06-01")).day == D("2026-07-01")


def test_a_rule_of_days_takes_an_instants_local_day() -> None:
    late = datetime(2026, 6, 2, 4, 59, tzinfo=UTC)  # 11:59 pm of June 1 here
    assert due("bill_payable", late).day == D("2026-06-11")
    assert due("bill_payable", late.replace(hour=5, minute=0)).day == D("2026-06-12")


def test_a_start_that_cannot_be_counted_from_is_refused() -> None:
    with pytest.raises(ClockError, match="an instant, such as 2026-06-01T08:00"):
        due("snow_clear", D("2026-06-01"))
    with pytest.raises(ClockError, match="time zone"):
        due("opening_valid", datetime(2026, 6, 1, 9))
    with pytest.raises(ClockError, match="to the year 9000"):
        due("moratorium", D("9999-12-31"))
    with pytest.raises(ClockError, match="one of sidewalk_work_from"):
        due("parking", D("2026-06-01"))


# --- by API ---


def test_the_rules_are_listed_for_anyone(client: TestClient) -> None:
    listed = client.get("/api/v1/clocks").json()
    assert {one["key"] for one in listed["items"]} == set(KEYS.split())
    (snow,) = (one for one in listed["items"] if one["key"] == "snow_clear")
    assert (snow["section"], snow["starts"], snow["number"], snow["unit"]) == ("288-9 A", "instant", 24, "hours")
    assert "within 24 hours from the time the snow ceases" in snow["law"]
    rules = {one["key"]: one for one in listed["items"]}
    assert (rules["winter_pavement"]["number"], rules["improvement_request"]["number"]) == ("06-01", "08-01")
    assert "shall notify the Village office immediately" in rules["emergency_tell"]["law"]
    assert "Immediately after such determination" in rules["repaving_notify"]["law"]
    assert all(one["law"] for one in listed["items"])
    assert "inferred" in listed["letters"]


def test_a_day_is_answered_with_a_day_and_how_it_was_counted(client: TestClient) -> None:
    found = ask(client, "opening_valid", "2026-01-30", "2026-03-01T23:59:59")
    assert (found["due"], found["other"], found["sense"], found["over"]) == ("2026-03-01", None, "ends", False)
    assert (found["section"], found["due_words"]) == ("288-5 D", "Sun, March 1, 2026")
    assert found["counted"].startswith("30 days from Fri, January 30, 2026")
    assert ask(client, "opening_valid", "2026-01-30", "2026-03-02T00:00")["over"] is True


def test_hours_are_answered_with_an_instant_and_the_other_reading(client: TestClient) -> None:
    found = ask(client, "snow_clear", "2026-03-08T01:30", "2026-03-09T02:30:01")
    assert found["due"] == "2026-03-09T02:30:00-05:00"
    assert found["other"]["due"] == "2026-03-10T00:00:00-05:00"
    assert "§ 990.001(4) governs" in found["other"]["reading"]
    assert found["over"] is None  # over under one reading, and not under the other
    assert ask(client, "snow_clear", "2026-03-08T07:30:00Z")["due"] == found["due"]


def test_an_improvement_says_the_year_it_is_considered_for(client: TestClient) -> None:
    asked = [ask(client, "improvement_request", day) for day in ("2026-08-01", "2026-08-02", "2027-08-02")]
    assert [one["considered_for"] for one in asked] == [2027, 2028, 2029]
    assert [one["considered_for_other"] for one in asked] == [None, None, 2028]
    assert considered_for(D("2027-08-02")) == (2029, 2028)


def test_now_is_the_servers_where_none_is_given(client: TestClient) -> None:
    before = datetime.now(UTC)
    answer = client.post("/api/v1/clocks", json={"rule": "opening_valid", "from": "2020-01-30"}).json()
    assert before <= datetime.fromisoformat(answer["now"]) <= datetime.now(UTC)
    assert answer["over"] is True


def test_a_time_that_did_not_exist_is_refused_naming_its_neighbours(client: TestClient) -> None:
    fault = refused(client, {"rule": "snow_clear", "from": "2026-03-08T02:30"})
    assert fault["field"] == "from"
    assert "01:59" in fault["expected"]
    assert "03:00" in fault["expected"]


def test_a_time_that_came_twice_is_asked_for_again(client: TestClient) -> None:
    fault = refused(client, {"rule": "snow_clear", "from": "2026-11-01T01:30"})
    assert (fault["field"], fault["expected"]) == ("from", "which of them: 01:30 CDT or 01:30 CST")
    first, second = (ask(client, "snow_hazard", f"2026-11-01T01:30{zone}")["due"] for zone in ("-05:00", "-06:00"))
    assert (first, second) == ("2026-11-01T02:30:00-06:00", "2026-11-01T03:30:00-06:00")


@pytest.mark.parametrize(
    ("body", "field", "expected"),
    [
        ({"rule": "parking", "from": "2026-06-01"}, "rule", "one of sidewalk_work_from"),
        ({"rule": "snow_clear", "from": "2026-06-01"}, "from", "an instant, such as 2026-06-01T08:00"),
        ({"rule": "opening_valid", "from": "June 1"}, "from", "a day such as 2026-06-25, or an instant"),
        ({"rule": "opening_valid", "from": "2026-02-29"}, "from", "a day such as 2026-06-25, or an instant"),
        ({"rule": "opening_valid", "from": ""}, "from", "a day such as 2026-06-25, or an instant"),
        ({"rule": "opening_valid", "from": "2026-02-29T08:00"}, "from", "an instant such as"),
        ({"rule": "opening_valid", "from": "2002-10-01"}, "from", "a day from 2002-10-02 on"),
        ({"rule": "opening_valid", "from": "1026-06-01"}, "from", "a day since Mon, January 1, 1900"),
        ({"rule": "opening_valid", "from": "9999-06-01"}, "from", "a day to the year 9000"),
        ({"rule": "opening_valid", "from": "2026-06-01", "now": "2026-06-01"}, "now", "an instant such as"),
        ({"rule": "opening_valid", "from": "2026-06-01", "now": "2026-03-08T02:30"}, "now", "a time to 01:59"),
        ({"rule": "opening_valid", "from": "2026-06-01", "zone": "UTC"}, "zone", ""),
        ({"rule": "opening_valid"}, "from", ""),
        ({"from": "2026-06-01"}, "rule", ""),
        ({"rule": 7, "from": "2026-06-01"}, "rule", ""),
        ({"rule": "opening_valid", "from": 20260601}, "from", ""),
    ],
)
def test_what_cannot_be_counted_is_refused_naming_the_field(
    client: TestClient, body: Json, field: str, expected: str
) -> None:
    fault = refused(client, body)
    assert fault["field"].split(".")[-1] == field
    assert expected in fault["expected"]
