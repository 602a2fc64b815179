"""What is due today: on both databases at instants reckoned by hand, by API, as a calendar, and on the page.

Clocks are put in as rows with edges reckoned by hand: a last day is over at the next midnight of the village, 06:00 UTC
in winter and 05:00 in summer. The undecided one is a case that was reported.

Seen to fail, each by breaking the code once: a last instant taken for over; `over_at` not asked; what ends by itself
told as overdue; a day's midnight in UTC; a day more or less than the week told; `running` or the person
not asked; the offset not carried from group to group; a calendar day without its end; a UID without the clock's key;
`count_anew` left out where the service starts, and where it is looked at; a permit led to the page of cases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from app import registers
from app.auth import Role
from app.case_tables import case_clocks, cases, village_values
from app.case_times import basis
from app.clocks import LOCAL, Counting
from app.db import Database
from app.main import create_app
from app.settings import Settings
from app.today import count_anew, read_at, today
from gis.errors import StreetsError
from tests.neglect import at, book, june
from tests.people import Headers, by_key, by_session
from tests.plat import PLAT, village
from tests.prepared import Prepared, put_map
from tests.test_address_pages import Town, text_of

Json = dict[str, Any]
INSTANT = timedelta(microseconds=1)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def put_case(database: Database, place: str, **more: Any) -> int:
    values = {
        "kind": "numbering",
        "state": "reported",
        "place": place,
        "facts": {},
        "opened_at": utc("2026-01-05T15:00"),
    }
    with database.write() as connection:
        made = sa.insert(cases).values(**values, opened_by="A police", **more).returning(cases.c.id)
        return int(connection.execute(made).scalar_one())


def put_clock(database: Database, case: int, due_at: str, **more: Any) -> None:
    values: Json = {"key": "place", "title": "The number is to be in place", "section": "288-15 M", "sense": "by"}
    values |= {"office": "director", "due_on": None, "due_at": utc(due_at), "over_at": utc(due_at), "reading": ""}
    values |= {"counted": "By hand.", "running": True, "done_at": None, "basis": basis(Counting()), **more}
    with database.write() as connection:
        connection.execute(sa.insert(case_clocks).values(case_id=case, **values))


def put(database: Database, place: str, due_at: str, due_on: str = "", assigned_to: str = "", **more: Any) -> int:
    """A case with one clock."""
    case = put_case(database, place, assigned_to=assigned_to)
    put_clock(database, case, due_at, **{"due_on": date.fromisoformat(due_on) if due_on else None, **more})
    return case


def asked(database: Database, now: datetime, **more: Any) -> Json:
    with database.read() as connection:
        return today(connection, now, **more)


def places(database: Database, now: datetime, **more: Any) -> dict[str, list[str]]:
    """The places of each group that has any."""
    groups = asked(database, now, **more)["groups"]
    return {name: [item["place"] for item in own["items"]] for name, own in groups.items() if own["items"]}


def late(database: Database, now: datetime) -> list[str]:
    groups = asked(database, now)["groups"]
    return [item["late"] for own in groups.values() for item in own["items"]]


# --- groups at the edges of days ---


@pytest.mark.parametrize(
    ("day", "before", "over"),
    [
        # 23 hours: begins 00:00 CST, ends 24:00 CDT
        ("2026-03-08", "2026-03-08T06:00", "2026-03-09T05:00"),
        # 25 hours: begins 00:00 CDT, ends 24:00 CST
        ("2026-11-01", "2026-11-01T05:00", "2026-11-02T06:00"),
        ("2028-02-29", "2028-02-29T06:00", "2028-03-01T06:00"),
        ("2026-12-31", "2026-12-31T06:00", "2027-01-01T06:00"),
    ],
    ids=["clocks go forward", "clocks go back", "leap day", "New Year's Eve"],
)
def test_a_last_day_is_due_today_from_its_midnight_to_the_next_and_then_overdue(
    database: Database, day: str, before: str, over: str
) -> None:
    put(database, "1 Elm", over, day)
    assert places(database, utc(before) - INSTANT) == {"upcoming": ["1 Elm"]}
    assert late(database, utc(before) - INSTANT) == ["due tomorrow"]
    for now in (utc(before), utc(over) - INSTANT):
        assert places(database, now) == {"today": ["1 Elm"]}
        assert late(database, now) == ["due today"]
    assert places(database, utc(over)) == {"overdue": ["1 Elm"]}
    assert late(database, utc(over)) == ["1 day late"]


def test_snow_of_the_night_on_which_clocks_go_forward_is_due_24_elapsed_hours_later(database: Database) -> None:
    """It stopped at 01:30 CST on March 8, which is 07:30 UTC: due at 07:30 UTC on the 9th, 02:30 CDT."""
    put(database, "1 Elm", "2026-03-09T07:30")
    now = utc("2026-03-08T07:30")
    item = asked(database, now)["groups"]["upcoming"]["items"][0]
    assert (item["due"], item["due_words"]) == ("2026-03-09T07:30:00+00:00", "Mon, March 9, 2026, 2:30 am CDT")
    assert item["late"] == "due in 24 hours"
    assert places(database, utc("2026-03-09T05:00")) == {"today": ["1 Elm"]}
    assert places(database, utc("2026-03-09T07:30")) == {"today": ["1 Elm"]}  # the last instant itself still serves
    assert places(database, utc("2026-03-09T07:30") + INSTANT) == {"overdue": ["1 Elm"]}
    assert late(database, utc("2026-03-09T08:29")) == ["59 minutes late"]
    assert late(database, utc("2026-03-09T09:29")) == ["1 hour late"]
    assert late(database, utc("2026-03-11T07:29")) == ["47 hours late"]
    assert late(database, utc("2026-03-11T07:30")) == ["2 days late"]


def test_what_comes_up_ends_with_the_last_of_the_days_asked_for(database: Database) -> None:
    put(database, "in 7 days", "2026-06-09T05:00", "2026-06-08")
    put(database, "in 8 days", "2026-06-10T05:00", "2026-06-09")
    assert places(database, june(1)) == {"upcoming": ["in 7 days"]}
    assert places(database, june(1), days=8) == {"upcoming": ["in 7 days", "in 8 days"]}
    assert places(database, june(1), days=0) == {}
    assert asked(database, june(1))["until"] == "2026-06-08"


def test_of_two_readings_a_time_is_undecided_until_both_have_ended(database: Database, tmp_path: Path) -> None:
    """Assigned June 14: 20 days end July 4, a legal holiday; if the rule governs, past Sunday, on Monday the 6th."""
    town = book(database, tmp_path / "plat")
    case = town.report(town.assigned(date(2026, 6, 14)), june(15))
    assert places(database, utc("2026-07-05T05:00") - INSTANT) == {"today": ["145 North Alma Street"]}
    for now in (utc("2026-07-05T05:00"), utc("2026-07-07T05:00") - INSTANT):
        assert places(database, now) == {"undecided": ["145 North Alma Street"]}
    assert places(database, utc("2026-07-07T05:00")) == {"overdue": ["145 North Alma Street"]}
    item = asked(database, utc("2026-07-06T12:00"))["groups"]["undecided"]["items"][0]
    assert (item["due"], item["other"]) == ("2026-07-04", "2026-07-06")
    assert item["other_words"] == "Mon, July 6, 2026"
    assert item["late"] == "2 days late under one reading, not under the other"
    assert "§ 990.001(4)" in item["reading"]
    assert (item["url"], item["case"], item["section"]) == (f"/cases/{case}", case, "288-15 G(2), M")
    assert asked(database, utc("2026-07-06T12:00"))["offices"][0]["undecided"] == 1


def test_hours_that_may_leave_out_sundays_are_undecided_between_both_instants(database: Database) -> None:
    put(database, "1 Elm", "2026-06-07T15:00", over_at=utc("2026-06-08T15:00"))
    assert places(database, utc("2026-06-07T15:00")) == {"today": ["1 Elm"]}
    assert places(database, utc("2026-06-08T15:00")) == {"undecided": ["1 Elm"]}
    assert places(database, utc("2026-06-08T15:00") + INSTANT) == {"overdue": ["1 Elm"]}


def test_what_ends_by_itself_is_told_for_a_week_after_its_last_day_and_is_never_overdue(database: Database) -> None:
    put(database, "permit", "2026-06-02T05:00", "2026-06-01", sense="ends")
    assert places(database, june(1)) == {"today": ["permit"]}
    assert late(database, june(1)) == ["ends today"]
    assert places(database, utc("2026-06-02T05:00")) == {"ended": ["permit"]}
    assert late(database, june(2)) == ["expired yesterday"]
    assert late(database, june(8)) == ["expired 7 days ago"]
    assert places(database, utc("2026-06-09T05:00") - INSTANT) == {"ended": ["permit"]}
    assert places(database, utc("2026-06-09T05:00")) == {}


def test_what_may_begin_is_told_on_its_day_and_before_and_is_never_overdue(database: Database) -> None:
    """A sidewalk permit of June 5: work from June 12, whose midnight is 05:00 UTC."""
    put(database, "walk", "2026-06-12T05:00", "2026-06-12", sense="from")
    assert places(database, june(4)) == {}
    assert late(database, june(5)) == ["may begin in 7 days"]
    assert late(database, utc("2026-06-12T05:00") - INSTANT) == ["may begin tomorrow"]
    for now in (utc("2026-06-12T05:00"), utc("2026-06-13T05:00") - INSTANT):
        assert places(database, now) == {"today": ["walk"]}
        assert late(database, now) == ["may begin now"]
    assert places(database, utc("2026-06-13T05:00")) == {}


# --- filters, counts, pages ---


def five(database: Database) -> None:
    """On June 10: two overdue, one today, one coming up, one ended; and what is not told at all."""
    put(database, "late 2", "2026-06-09T05:00", "2026-06-08", assigned_to="Ann")
    put(database, "late 1", "2026-06-08T05:00", "2026-06-07", office="clerk")
    put(database, "today", "2026-06-11T05:00", "2026-06-10", office="clerk", assigned_to="Ann")
    put(database, "soon", "2026-06-12T05:00", "2026-06-11", office="", assigned_to="Bo")
    put(database, "ended", "2026-06-10T05:00", "2026-06-09", sense="ends", office="permittee")
    put(database, "done", "2026-06-08T05:00", "2026-06-07", running=False)


def test_filters_leave_what_one_office_or_person_has_and_counts_show_the_others(database: Database) -> None:
    five(database)
    assert places(database, june(10)) == {
        "overdue": ["late 1", "late 2"], "today": ["today"], "upcoming": ["soon"], "ended": ["ended"],
    }  # fmt: skip
    assert places(database, june(10), office="clerk") == {"overdue": ["late 1"], "today": ["today"]}
    assert places(database, june(10), office="none") == {"upcoming": ["soon"]}
    assert places(database, june(10), person="Ann") == {"overdue": ["late 2"], "today": ["today"]}
    assert places(database, june(10), person="none", group="overdue") == {"overdue": ["late 1"]}
    assert places(database, june(10), book="permit") == {}
    assert places(database, june(10), kind="numbering", book="case", office="clerk", person="Ann") == {
        "today": ["today"]
    }
    found = asked(database, june(10), office="clerk")
    offices = {one["office"]: (one["overdue"], one["today"], one["upcoming"], one["ended"]) for one in found["offices"]}
    assert offices == {
        "clerk": (1, 1, 0, 0), "director": (1, 0, 0, 0), "none": (0, 0, 1, 0), "permittee": (0, 0, 0, 1),
    }  # fmt: skip
    assert {one["person"]: one["overdue"] + one["today"] for one in found["people"]} == {"Ann": 1, "none": 1}
    assert {name: own["total"] for name, own in found["groups"].items()} == {
        "overdue": 1, "undecided": 0, "today": 1, "upcoming": 0, "ended": 0,
    }  # fmt: skip


def test_a_permit_is_told_by_its_number_and_leads_to_its_own_page(database: Database) -> None:
    five(database)
    permit = put_case(database, "Main Street", number="SO-2026-0001")
    with database.write() as connection:
        connection.execute(sa.update(cases).where(cases.c.id == permit).values(kind="opening", state="issued"))
    put_clock(database, permit, "2026-06-11T05:00", due_on=date(2026, 6, 10), sense="ends", office="permittee")
    found = asked(database, june(10), book="permit")
    assert found["total"] == 1
    item = found["groups"]["today"]["items"][0]
    assert (item["url"], item["number"], item["late"]) == (f"/permits/{permit}", "SO-2026-0001", "ends today")
    assert places(database, june(10), book="permit") == places(database, june(10), kind="opening")


def test_a_case_that_is_closed_is_not_told_and_one_that_is_open_again_is(database: Database, tmp_path: Path) -> None:
    """Assigned June 1: the 20 days and their other reading are over on June 23."""
    town = book(database, tmp_path / "plat")
    case = town.report(town.assigned(), june(2))
    assert places(database, june(24)) == {"overdue": ["145 North Alma Street"]}
    town.take(case, "dismiss", june(3), reason="It is up.")
    assert places(database, june(24)) == {}
    town.undo(case, june(4))
    assert places(database, june(24)) == {"overdue": ["145 North Alma Street"]}


def test_pages_run_through_the_groups_one_after_the_other(database: Database) -> None:
    five(database)
    first, second, third = (asked(database, june(10), limit=2, offset=offset) for offset in (0, 2, 4))
    assert [found["next"] for found in (first, second, third)] == [2, 4, None]
    assert first["total"] == 5
    pages = [places(database, june(10), limit=2, offset=offset) for offset in (0, 1, 2, 4, 6)]
    assert pages == [
        {"overdue": ["late 1", "late 2"]},
        {"overdue": ["late 2"], "today": ["today"]},
        {"today": ["today"], "upcoming": ["soon"]},
        {"ended": ["ended"]},
        {},
    ]


@pytest.mark.parametrize("wrong", [{"office": "mayor"}, {"kind": "terrace"}, {"book": "novel"}, {"group": "late"}])
def test_an_office_kind_book_or_group_that_is_none_is_refused(database: Database, wrong: Json) -> None:
    with pytest.raises(StreetsError, match=next(iter(wrong))):
        asked(database, june(10), **wrong)


def test_a_day_is_asked_of_as_it_begins_and_a_time_that_did_not_exist_is_refused() -> None:
    now = utc("2026-06-10T15:00")
    assert read_at("", now) == now
    assert read_at("2026-03-08", now) == utc("2026-03-08T06:00")
    assert read_at("2026-03-09", now) == utc("2026-03-09T05:00")
    assert read_at("2026-11-02T01:30", now) == utc("2026-11-02T07:30")
    for wrong in ("soon", "2026-06-31", "2026-03-08T02:30", "2026-11-01T01:30", "1620-01-01"):
        with pytest.raises(StreetsError, match="at"):
            read_at(wrong, now)


# --- counted as the Village counts now ---


def counted_wrongly(database: Database) -> None:
    """Leave the clocks as a release that counted otherwise would have."""
    wrong = {"due_on": date(2026, 6, 30), "due_at": utc("2026-07-01T05:00"), "over_at": utc("2026-07-01T05:00")}
    with database.write() as connection:
        connection.execute(sa.update(case_clocks).values(**wrong, basis="before"))
        connection.execute(sa.update(cases).values(due_at=wrong["due_at"], over_at=wrong["over_at"]))


def test_clocks_that_were_counted_otherwise_are_counted_anew_once(database: Database, tmp_path: Path) -> None:
    """Assigned June 1: 20 days end on the 21st, a Sunday; under the other reading on the 22nd."""
    town = book(database, tmp_path / "plat")
    town.report(town.assigned(), june(2))
    counted_wrongly(database)
    assert places(database, june(22)) == {}
    assert count_anew(database, june(9)) == 1
    assert count_anew(database, june(9)) == 0
    assert places(database, june(22)) == {"undecided": ["145 North Alma Street"]}
    with database.read() as connection:
        row = registers.rows(connection, cases)[0]
    assert (row["due_at"], row["over_at"]) == (utc("2026-06-22T05:00"), utc("2026-06-23T05:00"))


def test_clocks_are_counted_anew_on_the_day_from_which_a_setting_holds(database: Database, tmp_path: Path) -> None:
    town = book(database, tmp_path / "plat")
    town.report(town.assigned(), june(2))
    rule = {"key": "skip_rule", "value": True, "effective_on": date(2026, 6, 10), "source": "Resolution", "reason": "-"}
    with database.write() as connection:
        connection.execute(sa.insert(village_values).values(**rule, made_at=june(3), made_by="Clerk"))
    assert [count_anew(database, june(day)) for day in (9, 10, 11)] == [0, 1, 0]


# --- by API and on the page ---


def officers(database: Database) -> dict[str, Headers]:
    put_map(database)
    who = {"director": by_session(database, "Dee Jones", Role.DIRECTOR)}
    return who | {f"{role} key": by_key(database, Role(role), name=role) for role in ("clerk", "dispatch")}


@pytest.fixture
def town(prepared: Prepared, tmp_path: Path) -> Iterator[Town]:
    _, who = prepared.file(tmp_path / "register", officers)
    app = create_app(
        Settings(
            data_dir=village(tmp_path, PLAT), state_dir=tmp_path / "register", public_url="https://streets.example.org/"
        )
    )
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, app.state.database, app.state.atlas, who)


def test_the_api_answers_with_groups_and_counts_and_refuses_what_it_does_not_know(town: Town) -> None:
    five(town.database)
    found = town.get("/api/v1/today", "clerk key", at="2026-06-10", limit=2).json()
    assert (found["day"], found["at"], found["next"]) == ("2026-06-10", "2026-06-10T05:00:00+00:00", 2)
    item = found["groups"]["overdue"]["items"][0]
    assert (item["place"], item["due"], item["late"], item["office"]) == (
        "late 1",
        "2026-06-07",
        "3 days late",
        "clerk",
    )
    assert "inferred" in found["letters"]
    for wrong in ({"at": "soon"}, {"at": "2026-03-08T02:30"}, {"whom": "Ann"}, {"days": 367}, {"limit": 0}):
        assert town.get("/api/v1/today", "clerk key", **wrong).status_code == 422, wrong
    assert town.get("/api/v1/today", "dispatch key").status_code == 403
    assert town.get("/api/v1/today").status_code == 401


def test_the_csv_has_every_line_whatever_the_page(town: Town) -> None:
    five(town.database)
    for path, who in (("/api/v1/today", "clerk key"), ("/today", "director")):
        sent = town.get(path, who, at="2026-06-10", format="csv")
        assert sent.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert 'filename="due-2026-06-10.csv"' in sent.headers["Content-Disposition"]
        lines = sent.text.splitlines()
        assert lines[0].startswith("group,case,number,kind,place,what,section,sense,due,other_reading,late,")
        assert [line.split(",")[0] for line in lines[1:]] == ["overdue", "overdue", "today", "upcoming", "ended"]
        assert lines[1].split(",")[3:5] == ["numbering", "late 1"]


def events(ics: str) -> list[dict[str, str]]:
    """The events of a calendar, read by hand: lines unfolded, then parted at the first colon (RFC 5545, 3.1)."""
    found: list[dict[str, str]] = []
    for line in ics.replace("\r\n ", "").split("\r\n"):
        name, _, value = line.partition(":")
        if line == "BEGIN:VEVENT":
            found.append({})
        elif found:
            found[-1].setdefault(name, value)
    return found


def test_the_calendar_has_days_as_whole_days_instants_in_utc_and_no_names(town: Town) -> None:
    day = datetime.now(LOCAL).date() + timedelta(days=20)
    midnight = datetime(day.year, day.month, day.day, tzinfo=LOCAL) + timedelta(days=1)
    edge = midnight.astimezone(UTC).replace(tzinfo=None).isoformat()
    first = put(town.database, "145 North Alma Street; rear, upper", edge, day.isoformat(), assigned_to="Ann Berg")
    put_clock(town.database, first, "2026-03-09T07:30", key="snow", section="288-9 C", reading="Read so.")
    sent = town.get("/api/v1/today.ics", "clerk key")
    assert sent.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert sent.text.startswith("BEGIN:VCALENDAR\r\n")
    snow, place = events(sent.text)
    assert (snow["UID"], place["UID"]) == (f"case-{first}-snow@benton-streets", f"case-{first}-place@benton-streets")
    assert snow["DTSTART"] == "20260309T073000Z"
    assert place["DTSTART;VALUE=DATE"] == day.strftime("%Y%m%d")
    assert place["DTEND;VALUE=DATE"] == (day + timedelta(days=1)).strftime("%Y%m%d")
    assert re.fullmatch(r"\d{8}T\d{6}Z", snow["DTSTAMP"])
    assert f"https://streets.example.org/cases/{first}" in snow["DESCRIPTION"]
    assert "§ 288-9 C" in snow["DESCRIPTION"]
    assert "Read so." in snow["DESCRIPTION"]
    assert snow["SUMMARY"].startswith("Overdue: ")
    assert "145 North Alma Street\\; rear\\, upper" in place["SUMMARY"]
    assert "Ann" not in sent.text
    again = town.get("/api/v1/today.ics", "clerk key", days=10).text
    assert [event["UID"] for event in events(again)] == [snow["UID"]]
    assert town.get("/api/v1/today.ics", "dispatch key").status_code == 403


def test_the_page_shows_what_is_overdue_first_with_its_section_and_the_way_to_the_record(town: Town) -> None:
    five(town.database)
    html = town.get("/today", "director", at="2026-06-10").text
    told = text_of(html)
    order = [told.index(words) for words in ("Overdue (2)", "Due today (1)", "Coming up (1)", "Ended of itself (1)")]
    assert order == sorted(order)
    assert "Wed, June 10, 2026" in told
    assert '<a href="/cases/2">late 1</a> <b class="late">3 days late</b>' in html
    assert "§ 288-15 M" in told
    assert "late 2" not in text_of(town.get("/today", "director", at="2026-06-10", office="clerk").text)
    only = text_of(town.get("/today", "director", at="2026-06-10", group="today").text)
    assert "late 1" not in only
    assert "Only due today" in only


def test_the_page_says_so_where_nothing_is_due_and_where_a_filter_leaves_nothing(town: Town) -> None:
    assert "Nothing is due" in text_of(town.get("/today", "director", at="2026-06-10").text)
    five(town.database)
    assert "Nothing here is due" in text_of(town.get("/today", "director", at="2026-06-10", person="Cy").text)
    assert town.get("/today").status_code == 303


def test_a_long_list_is_paged_and_keeps_its_filters(town: Town) -> None:
    for k in range(52):
        put(town.database, f"{k} Elm", "2026-06-08T05:00", "2026-06-07", office="clerk")
    html = town.get("/today", "director", at="2026-06-10", office="clerk").text
    following = re.search(r'<a href="([^"]+)" rel="next">', html)
    assert following
    more = town.get(following[1].replace("&amp;", "&"), "director").text
    assert [page.count('class="late"') for page in (html, more)] == [50, 2]
    assert "51 Elm" in more


def test_a_service_that_starts_counts_anew_what_an_earlier_release_counted(prepared: Prepared, tmp_path: Path) -> None:
    url, _ = prepared.file(tmp_path / "register", officers)
    database = Database(url, tmp_path / "register")
    town = book(database, tmp_path / "plat")
    town.report(town.assigned(), at(date(2026, 6, 2)))
    counted_wrongly(database)
    create_app(Settings(data_dir=tmp_path / "plat", state_dir=tmp_path / "register")).state.database.close()
    assert places(database, june(22)) == {"undecided": ["145 North Alma Street"]}
    database.close()


def test_the_first_look_of_a_day_counts_anew_what_a_setting_of_that_day_changes(town: Town) -> None:
    """The service runs on over midnight: what was counted otherwise before is told rightly."""
    made = town.add(400, 471, street="Alma Street")
    report = {"kind": "numbering", "address_id": made, "defect": "none"}
    assert town.client.post("/api/v1/cases", json=report, headers=town.who["clerk key"]).status_code == 201
    days = (datetime.now(LOCAL).date() + timedelta(days=20)).isoformat()
    counted_wrongly(town.database)
    found = town.get("/api/v1/today", "clerk key", days=30).json()
    assert [item["due"] for item in found["groups"]["upcoming"]["items"]] == [days]


@pytest.mark.parametrize("at", ["9999-12-31", "9000-01-01", "9999-12-31T23:59"])
def test_a_day_from_which_none_can_be_counted_on_is_refused_by_name(at: str) -> None:
    with pytest.raises(StreetsError) as caught:
        read_at(at, datetime(2026, 6, 1, tzinfo=UTC))
    assert [fault.field for fault in caught.value.faults] == ["at"]
