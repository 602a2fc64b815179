"""Numbering cases on both databases: opened once, led by events, undone, followed to a new number; by page and API.

The number is 145 North Alma Street on the squared paper. What § 288-15 M says of days stands in
`tests/ordinance/test_288_15_m.py`.

Seen to fail, each by breaking the code once: `one_open_case` and `open_on` left out (two cases); `follow` left out of
`changes.renumber`; `take_back` left out of `undoing`; `past` without its test; `once` without its key; `_check_alone`
left out; the case's own route open to everybody.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pypdf import PdfReader
from sqlalchemy.exc import IntegrityError

from app import case_records, case_steps, cases, changes, issuing, registers, returning, undoing
from app.audit import Act, Actor, breaks
from app.auth import NotAllowedError, Person
from app.case_records import Sieve
from app.case_tables import case_events
from app.case_tables import cases as table
from app.casebook import CaseStateError, NoCaseError
from app.clocks import LOCAL, ClockError
from app.columns import instant
from app.db import Database
from app.once import RepeatedError
from app.registers import DependsError
from app.street_issuing import Office
from app.tables import addresses, audit, documents
from app.verify import verify
from gis.errors import StreetsError
from tests.neglect import PEOPLE, Book, at, book, july, june

DANA = Actor("Dana", "user:0", "")
M = (
    "“If the owner or occupant of any building required to be numbered by this section shall neglect for the period of "
    "20 days to duly attach and maintain the proper number on such building, the Director of Public Works shall serve "
    "upon him a notice requiring such owner or occupant to properly number the same, and if he neglects to do so for "
    "10 days after the service of such notice, he shall be deemed to have violated this section.”"
)


@pytest.fixture
def town(database: Database, tmp_path: Path) -> Iterator[Book]:
    return book(database, tmp_path / "plat")


def count(town: Book, what: Any) -> int:
    with town.database.read() as connection:
        return registers.counted(connection, what)


# --- opened ---


def test_reports_on_one_address_join_its_open_case(town: Book) -> None:
    address = town.assigned()
    first = town.report(address, june(10))
    again = cases.open_case(
        town.database, PEOPLE["inspector"], {"kind": "numbering", "address_id": address, "defect": "small"}, june(11)
    )
    assert (again["id"], again["joined"]) == (first, True)
    told = town.case(first, june(12))
    assert [(e["what"], e["made_by"]) for e in told["events"]] == [("report", "A police"), ("report", "A inspector")]
    assert count(town, table) == 1


def test_two_reports_at_once_make_one_case(town: Book) -> None:
    address, made, gate = town.assigned(), list[int](), threading.Barrier(6)

    def report(who: str) -> None:
        gate.wait()
        made.append(town.report(address, june(10), who))

    threads = [threading.Thread(target=report, args=(who,)) for who in ("police", "inspector") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(made) == 6
    assert len(set(made)) == 1
    assert (count(town, table), count(town, case_events)) == (1, 6)


def test_the_database_itself_refuses_a_second_open_case(town: Book) -> None:
    address = town.assigned()
    case = town.report(address, june(10))
    with town.database.read() as connection:
        row = registers.get(connection, table, case)
    values = {name: value for name, value in row.items() if name != "id"}
    with pytest.raises(IntegrityError), town.database.write() as connection:
        connection.execute(sa.insert(table).values(**values))


def test_a_report_says_what_is_wrong_with_each_field_and_nothing_is_stored(town: Book) -> None:
    address = town.assigned()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"defect": ""}, "defect"),
        ({"defect": "ugly"}, "defect"),
        ({"defect": "wrong"}, "shown"),
        ({"height_in": "two"}, "height_in"),
        ({"height_in": 0}, "height_in"),
        ({"height_in": True}, "height_in"),
        ({"note": 7}, "note"),
        ({"note": "\x00"}, "note"),
        ({"note": "x" * 2001}, "note"),
        ({"colour": "red"}, "colour"),
        ({"reason": "x" * 2001}, "reason"),
        ({"at": "yesterday"}, "at"),
        ({"at": "2026-06-31"}, "at"),
        ({"at": 12}, "at"),
    ]
    for given, field in wrong:
        with pytest.raises(StreetsError) as refused:
            town.report(address, june(10), **given)
        assert field in {fault.field for fault in refused.value.faults}, given
    for number in (0, 77, -1, True, "1", None, 10**12):
        with pytest.raises(StreetsError, match="address_id"):
            cases.open_case(town.database, PEOPLE["police"], {"kind": "numbering", "address_id": number}, june(10))
    with pytest.raises(NoCaseError, match="kind"):
        cases.open_case(town.database, PEOPLE["police"], {"kind": "terrace", "address_id": address}, june(10))
    assert (count(town, table), count(town, case_events)) == (0, 0)


def test_only_officers_report(town: Book) -> None:
    address = town.assigned()
    for who in ("dispatch", "admin"):
        with pytest.raises(NotAllowedError):
            town.report(address, june(10), who)
    for who in ("police", "inspector", "clerk", "director"):
        town.report(address, june(10), who)


def test_a_retired_number_is_not_reported(town: Book) -> None:
    address = town.assigned()
    with town.database.write() as connection:
        changes.retire(connection, DANA, address, "Torn down.")
    with pytest.raises(CaseStateError, match="retired"):
        town.report(address, june(10))


# --- when ---


def test_what_is_still_to_come_is_refused_and_what_is_past_is_recorded_with_both_times(town: Book) -> None:
    address = town.assigned()
    for given in ("2026-06-11", "2026-06-10T15:01:00+00:00", "9999-12-31", "2026-06-10T10:00:01"):
        with pytest.raises(StreetsError, match="still to come"):
            town.report(address, june(10), at=given)
    case = town.report(address, june(10), at="2026-06-03")
    (event,) = town.case(case, june(10))["events"]
    assert (event["at"][:10], event["made_at"][:10]) == ("2026-06-03", "2026-06-10")
    assert event["backdated"]
    assert event["day_only"]
    with town.database.read() as connection:
        (logged,) = registers.rows(connection, audit, audit.c.kind == "case_events")
    assert '"at":"2026-06-03T17:00:00.000000Z"' in logged["after"]  # noon in Benton


def test_a_time_the_clocks_skipped_or_showed_twice_is_refused(town: Book) -> None:
    address = town.assigned(date(2026, 3, 1))
    now = at(date(2026, 11, 20))
    for given in ("2026-03-08T02:30", "2026-11-01T01:30"):
        with pytest.raises((ClockError, StreetsError), match=r"did not exist|came twice"):
            town.report(address, now, at=given)
    town.report(address, now, at="2026-11-01T01:30:00-06:00")


def test_nothing_happens_before_what_it_rests_on(town: Book) -> None:
    case = town.report(town.assigned(), june(24), at="2026-06-24")
    with pytest.raises(StreetsError, match="on or after Wed, June 24"):
        town.serve(case, june(25), at="2026-06-23")
    town.serve(case, june(26), at="2026-06-25")
    with pytest.raises(StreetsError, match="on or after Thu, June 25"):
        town.take(case, "inspect", june(26), "inspector", found="displayed", at="2026-06-24")


def test_a_year_long_ago_is_a_slip_and_named_as_such(town: Book) -> None:
    address = town.assigned()
    for given in ("0001-01-01", "0999-01-01", "1899-12-31", "0999-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"):
        with pytest.raises(StreetsError) as refused:
            town.report(address, june(10), at=given)
        assert {fault.field for fault in refused.value.faults} == {"at"}, given
        assert "Mon, January 1, 1900" in str(refused.value)
    assert count(town, table) == 0


def test_an_instant_of_a_three_digit_year_is_written_so_that_it_is_read_again() -> None:
    early = datetime(999, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert instant(early) == "0999-01-02T03:04:05.000006Z"
    assert datetime.fromisoformat(instant(early)) == early


def test_nothing_is_reported_of_a_number_before_its_assigning(town: Book) -> None:
    address = town.assigned()
    with pytest.raises(StreetsError, match=r"on or after Mon, June 1, 2026, when 145 North Alma Street was assigned"):
        town.report(address, june(10), at="2026-05-31")
    town.report(address, june(10), at="2026-06-01")


# --- led on, closed, reopened ---


def test_an_older_inspection_told_later_does_not_close_the_case(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    town.take(case, "inspect", june(28), "inspector", found="not_displayed", at="2026-06-27")
    town.take(case, "inspect", june(29), "inspector", found="displayed", at="2026-06-26")
    told = town.case(case, june(29))
    assert (told["state"], len(told["events"])) == ("neglect", 3)
    assert any("the later look decides" in text and "Sat, June 27" in text for text in told["remarks"])
    town.take(case, "inspect", june(29), "inspector", found="displayed", at="2026-06-28")
    assert town.state(case, june(29)) == "displayed"


def test_a_retired_number_that_is_in_use_again_has_its_case_offered_for_reopening(town: Book) -> None:
    address = town.assigned()
    case = town.report(address, june(24))
    with town.database.write() as connection:
        changes.retire(connection, DANA, address, "Torn down.")
    assert "reopen" not in " ".join(town.case(case, june(25))["remarks"])
    with town.database.write() as connection:
        returning.restore(town.atlas, connection, DANA, address, "It stands.")
    told = town.case(case, june(25))
    assert any("reopen the case" in text for text in told["remarks"])
    assert told["may"][0]["step"] == "reopen"


def test_a_report_is_withdrawn_before_the_service_and_a_case_dismissed_with_a_reason(town: Book) -> None:
    address = town.assigned()
    case = town.report(address, june(24))
    with pytest.raises(StreetsError, match="reason"):
        town.take(case, "withdraw", june(24), "police")
    town.take(case, "withdraw", june(24), "police", reason="The wrong house.")
    assert town.state(case, june(24)) == "withdrawn"
    other = town.report(address, june(25))
    town.serve(other, june(25))
    with pytest.raises(CaseStateError):
        town.take(other, "withdraw", june(26), "police", reason="Too late.")
    with pytest.raises(NotAllowedError):
        town.take(other, "dismiss", june(26), "police", reason="No.")
    town.take(other, "dismiss", june(26), "clerk", reason="A shed, no principal building.")
    assert town.case(other, june(26))["due"] is None


def test_a_dismissed_case_goes_on_where_it_was_and_a_displayed_one_begins_anew(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    town.serve(case, june(25))
    town.take(case, "dismiss", june(26), reason="A mistake.")
    town.take(case, "reopen", june(27), reason="No mistake.")
    told = town.case(case, june(27))
    assert (told["state"], told["due"]["due"]) == ("notified", "2026-07-05")
    town.take(case, "inspect", june(28), "inspector", found="displayed")
    town.take(case, "reopen", july(1), reason="It hangs no more.")
    anew = town.case(case, july(1))
    assert (anew["state"], anew["due"]["due"]) == ("reported", "2026-07-21")  # July 1 + 20 days
    assert len(anew["clocks"]) == 1


def test_no_second_case_comes_of_reopening(town: Book) -> None:
    address = town.assigned()
    first = town.report(address, june(10))
    town.take(first, "withdraw", june(10), "police", reason="The wrong house.")
    second = town.report(address, june(11))
    with pytest.raises(CaseStateError, match=f"case {second}"):
        town.take(first, "reopen", june(12), reason="It was right.")
    with pytest.raises(CaseStateError, match=f"case {second}"):
        town.undo(first, june(12))


# --- undone ---


def test_the_last_event_is_undone_by_who_may_do_it_and_both_stay(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    town.serve(case, june(25))
    with pytest.raises(NotAllowedError):
        town.undo(case, june(26), "clerk")
    with pytest.raises(StreetsError, match="reason"):
        town.undo(case, june(26), reason=" ")
    town.undo(case, june(26), reason="It was served on a neighbor.")
    told = town.case(case, june(26))
    assert (told["state"], told["due"]["due"]) == ("neglect", "2026-06-21")
    assert [e["what"] for e in told["events"]] == ["report", "serve", "undo"]
    assert told["events"][1]["undone_by"] == told["events"][2]["id"]
    town.serve(case, june(26))
    assert town.case(case, june(26))["due"]["due"] == "2026-07-06"


def test_the_report_that_opened_a_case_is_withdrawn_not_undone(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    with pytest.raises(CaseStateError, match="withdraw it"):
        town.undo(case, june(11))


# --- the same sent twice ---


def test_the_same_request_twice_makes_one_event(town: Book) -> None:
    address, person = town.assigned(), PEOPLE["police"]
    asked = {"kind": "numbering", "address_id": address, "defect": "none"}
    first = cases.open_case(town.database, person, asked, june(10), "k-1")
    assert cases.open_case(town.database, person, asked, june(11), "k-1") == first
    assert count(town, case_events) == 1
    with pytest.raises(RepeatedError):
        cases.open_case(town.database, person, {**asked, "defect": "small"}, june(11), "k-1")
    director, served = PEOPLE["director"], {"how": "handed", "reason": "Ours."}
    for day in (25, 26):
        cases.take(town.database, director, first["id"], "serve", served, june(day), "k-2")
    for day in (26, 27):
        cases.undo(town.database, director, first["id"], "A slip.", june(day), "k-3")
    assert count(town, case_events) == 3


# --- when the address changes ---


def renumbered(town: Book, address: int, number: int = 147) -> int:
    with town.database.write() as connection:
        (made,) = changes.renumber(town.atlas, connection, DANA, [{"id": address, "number": number}], "Out of step.")
    return int(made["id"])


def test_an_open_case_follows_its_building_to_the_new_number_with_a_new_clock(town: Book) -> None:
    address = town.assigned()
    case = town.report(address, june(24))
    town.serve(case, june(25))
    new = renumbered(town, address)
    given = town.row(new)["made_at"]
    told = town.case(case, given)
    assert (told["state"], told["address_id"], told["place"]) == ("reported", new, "147 North Alma Street")
    assert told["due"]["due"] == str(given.astimezone(LOCAL).date() + timedelta(days=20))
    assert "The notice that was served required 145 North Alma Street: it has lapsed." in told["remarks"]
    assert "the case came over from 145 North Alma Street" in told["due"]["reading"]
    assert [e["what"] for e in told["events"]] == ["report", "serve", "renumber"]
    with pytest.raises(CaseStateError, match="undo that act"):
        town.undo(case, given)
    assert town.report(new, given) == case


def test_undoing_the_renumbering_takes_the_case_back_with_its_service(town: Book) -> None:
    address = town.assigned()
    case = town.report(address, june(24))
    town.serve(case, june(25))
    renumbered(town, address)
    with town.database.write() as connection:
        last = registers.history(connection, "addresses", address, limit=1)[0]
        undoing.undo(town.atlas, connection, PEOPLE["director"], last["act"], "A slip.")
    told = town.case(case, june(26))
    assert (told["state"], told["address_id"], told["place"]) == ("notified", address, "145 North Alma Street")
    assert told["due"]["due"] == "2026-07-05"
    assert whole(town)


def test_a_renumbering_is_not_undone_once_something_was_recorded_in_the_case(town: Book) -> None:
    address = town.assigned()
    case = town.report(address, june(24))
    new = renumbered(town, address)
    town.take(case, "withdraw", town.row(new)["made_at"], "police", reason="It hangs.")
    with town.database.write() as connection:
        last = registers.history(connection, "addresses", address, limit=1)[0]
        with pytest.raises(DependsError, match="case withdraw"):
            undoing.undo(town.atlas, connection, PEOPLE["director"], last["act"], "A slip.")


def test_retiring_closes_the_case_undoing_it_opens_it_again_and_a_retired_number_has_none(town: Book) -> None:
    address = town.assigned()
    case = town.report(address, june(24))
    with town.database.write() as connection:
        changes.retire(connection, DANA, address, "Torn down.")
    assert town.state(case, june(25)) == "dismissed"
    with pytest.raises(CaseStateError, match="retired"):
        town.take(case, "reopen", july(30) + timedelta(days=400), reason="Not so.")
    with town.database.write() as connection:
        last = registers.history(connection, "addresses", address, limit=1)[0]
        undoing.undo(town.atlas, connection, PEOPLE["director"], last["act"], "It stands.")
    assert town.state(case, june(25)) == "neglect"
    assert whole(town)


def test_an_assignment_on_which_a_case_was_opened_is_not_undone(town: Book) -> None:
    address = town.assigned()
    town.report(address, june(10) + timedelta(days=4000))
    with town.database.write() as connection:
        first = registers.history(connection, "addresses", address)[-1]
        with pytest.raises(DependsError, match="Case 1 was opened"):
            undoing.undo(town.atlas, connection, PEOPLE["director"], first["act"], "A slip.")


def whole(town: Book) -> bool:
    with town.database.read() as connection:
        return not list(breaks(connection))


# --- lists ---


def test_cases_are_searched_filtered_sorted_and_paged_with_what_is_due_first(town: Book) -> None:
    made = [
        town.report(town.assigned(date(2026, 6, day), y=335 + 8 * k), june(25)) for k, day in enumerate((20, 1, 10))
    ]
    town.serve(made[1], june(25))  # due July 5
    town.take(made[2], "withdraw", june(25), "police", reason="The wrong house.")

    def ids(now: Any = None, limit: int = 0, offset: int = 0, **sieve: Any) -> list[int]:
        with town.database.read() as connection:
            rows, _ = case_records.listed(connection, Sieve(**sieve), now or june(26), limit=limit, offset=offset)
        return [row["id"] for row in rows]

    assert ids() == [made[1], made[0], made[2]]  # July 5, July 10, closed
    assert ids(sort="-due")[0] == made[0]
    assert ids(sort="place") == [made[0], made[1], made[2]]  # 111, 113, 115 North Alma Street
    assert ids(limit=1, offset=1) == [made[0]]
    assert ids(state="open") == [made[1], made[0]]
    assert ids(state="closed") == ids(state="withdrawn") == [made[2]]
    assert ids(state="notified") == [made[1]]
    assert ids(july(7), state="violation") == [made[1]]
    assert ids(july(7), state="notified") == []
    assert ids(july(6), state="violation") == []  # one reading still has the 10 days running
    assert ids(july(6), due="overdue") == [made[1]]
    assert ids(july(4), due="week") == [made[1], made[0]]
    assert ids(due="none") == [made[2]]
    assert ids(q="111 alma") == [made[0]]
    assert ids(q=f"case {made[2]}") == [made[2]]
    assert ids(q="100%") == []
    for wrong in ({"state": "x"}, {"due": "x"}, {"sort": "x"}, {"kind": "x"}):
        with pytest.raises((StreetsError, NoCaseError)):
            ids(**wrong)


def test_the_register_stays_whole_and_refuses_a_changed_event(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    town.serve(case, june(25))
    town.undo(case, june(25))
    with town.database.read() as connection:
        told = [line for line in verify(connection) if "case" in line]
    assert told == []
    for statement in (sa.update(case_events).values(reason="x"), sa.delete(case_events), sa.delete(table)):
        with pytest.raises(Exception, match=r"refuse|not allowed|append"), town.database.write() as connection:
            connection.execute(statement)


# --- the notice ---


def words_of(pdf: bytes) -> str:
    return " ".join(" ".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages).split())


def _take(town: Book, who: Person, case: int, name: str, facts: dict[str, Any], now: datetime, *rest: str) -> Any:
    """Take a step of a case, with the address of the public pages and the request's key where it has them."""
    base, key = (*rest, "", "")[:2]
    office = Office(town.atlas, lambda _: pytest.fail("no right-of-way is needed"), who, base, now, key)
    return case_steps.take(office, case, name, facts)


def given(address: str = "Owner or occupant", pays: str = "owner") -> dict[str, str]:
    return {"addressee": address, "pays": pays}


def test_the_notice_says_what_m_requires_and_is_kept_with_its_case(town: Book) -> None:
    address = town.assigned()
    case = town.report(address, june(24), defect="fell_off", at="2026-06-02")
    asked = ("issue", given("Ann Berg\nP.O. Box 9"), june(25), "https://benton.example", "k-1")
    first = _take(town, PEOPLE["clerk"], case, *asked)
    assert _take(town, PEOPLE["clerk"], case, *asked) == first
    with town.database.read() as connection:
        (row,) = registers.rows(connection, documents)
        pdf = registers.get(connection, documents, row["id"])["pdf"]
    year = row["issued_at"].astimezone(LOCAL).year
    assert (row["kind"], row["number"], row["facts"]["case"]) == ("violation", f"V-{year}-0001", case)
    said = words_of(pdf)
    for expected in (
        "Violation notice",
        "Ann Berg P.O. Box 9",
        "145 North Alma Street",
        f"Case {case}. Seen on Tue, June 2, 2026: a number that was up has come off.",
        "10 days after the service of this notice on you",
        "2 1/2 inches",
        "the owner",
        "20 days from Tue, June 2, 2026",
        "“Upon conviction thereof, he shall be subject to penalties.”",
        "none is stated here",
        f"https://benton.example/addresses/{address}",
        "PROVISIONAL",  # no map is adopted
    ):
        assert expected in said, expected
    assert M in said
    assert "DRAFT" not in said
    told = town.case(case, june(25))
    assert [e["what"] for e in told["events"]] == ["report", "issue"]
    assert told["undo"]["why_not"].startswith("V-")
    assert told["state"] == "neglect"  # 20 days from June 2: the notice is not served yet


def test_a_draft_shows_the_notice_and_keeps_nothing(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    with town.database.read() as connection:
        asked = issuing.of_case(connection, PEOPLE["clerk"], case, given(), "", june(25))
    assert "A DRAFT, NOT ISSUED" in words_of(issuing.draft(town.atlas, PEOPLE["clerk"], asked))
    assert (count(town, documents), count(town, case_events)) == (0, 1)


def test_a_notice_is_issued_by_who_may_from_a_case_that_waits_for_it(town: Book) -> None:
    case = town.report(town.assigned(), june(24))

    def issue(who: str, **facts: str) -> None:
        _take(town, PEOPLE[who], case, "issue", facts, june(25))

    with pytest.raises(NotAllowedError):
        issue("police", **given())
    with pytest.raises(StreetsError, match="pays"):
        issue("clerk", addressee="x")
    town.serve(case, june(25))
    with pytest.raises(CaseStateError):
        issue("clerk", **given())
    assert count(town, documents) == 0


def test_no_notice_is_issued_before_the_20_days_are_over_nor_offered(town: Book) -> None:
    """Assigned June 1: in place by Sunday, June 21; under the other reading by June 22."""
    case = town.report(town.assigned(), june(10))

    def issue(day: int, **more: str) -> None:
        _take(town, PEOPLE["director"], case, "issue", given() | more, june(day))

    with pytest.raises(StreetsError, match=r"after Sun, June 21, 2026.*288-15 M"):
        issue(21)
    with pytest.raises(StreetsError, match=r"why it is issued already"):
        issue(22)
    assert count(town, documents) == 0
    assert {"issue", "serve"}.isdisjoint(one["step"] for one in town.case(case, june(21))["may"])
    assert {"issue", "serve"} <= {one["step"] for one in town.case(case, june(23))["may"]}
    issue(22, reason="The Board counts Sundays.")


def test_what_a_step_needs_is_told_by_the_names_that_the_case_s_page_has(town: Book) -> None:
    case = town.report(town.assigned(), june(10))

    def take(name: str, day: int, **given: str) -> str:
        with pytest.raises(StreetsError) as refused:
            _take(town, PEOPLE["director"], case, name, given, june(day))
        return str(refused.value)

    told = take("serve", 25, how="handed")
    assert "no notice was issued in this case by Thu, June 25, 2026" in told
    assert "the notice to be issued here first, or a reason that says which notice" in told
    assert "“Neglected 20 days”, expected “Closed: dismissed”" in take("reopen", 25, reason="seen")
    town.serve(case, june(25))
    # the service leads on from the 20 days that are over, not from those that run
    assert "“Notice served, 10 days running”, expected “Neglected 20 days”, to record the service" in take(
        "serve", 26, how="handed", reason="again"
    )


def test_one_neglect_has_one_notice_unless_a_reason_is_given(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    told, gate = list[str](), threading.Barrier(2)

    def issue(**more: str) -> None:
        _take(town, PEOPLE["clerk"], case, "issue", given() | more, june(25))

    def at_once() -> None:
        gate.wait()
        try:
            issue()
            told.append("issued")
        except StreetsError as error:
            told.append(error.faults[0].field)

    threads = [threading.Thread(target=at_once) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(told) == ["issued", "reason"]
    issue(reason="The first one was lost in the mail.")
    assert count(town, documents) == 2
    assert town.case(case, june(25))["events"][-1]["facts"]["why"] == "The first one was lost in the mail."


def test_an_addressee_fits_the_head_of_a_letter(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    for address in ("\n".join("abcdefg"), "x" * 101):
        with pytest.raises(StreetsError, match="at most 6 lines of 100"), town.database.read() as connection:
            issuing.of_case(connection, PEOPLE["clerk"], case, given(address), "", june(25))
    with town.database.read() as connection:
        issuing.of_case(connection, PEOPLE["clerk"], case, given("\n".join(["x" * 100] * 6)), "", june(25))
        row = registers.rows(connection, addresses)[0]
    with pytest.raises(StreetsError, match="at most 6 lines"):
        issuing.issue(town.atlas, PEOPLE["clerk"], issuing.Asked(row["id"], "notice", "", True, "\n".join("abcdefg")))


def test_only_a_notice_of_this_case_is_served(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    other = town.report(town.assigned(y=335), june(10))
    _take(town, PEOPLE["clerk"], other, "issue", given(), june(25))
    with town.database.read() as connection:
        (row,) = registers.rows(connection, documents)
    now = row["issued_at"] + timedelta(minutes=1)
    for number in (row["number"], "V-1999-0001"):
        with pytest.raises(StreetsError, match="none was issued in this case"):
            town.serve(case, now, notice=number)
    town.serve(case, now, reason="The Director's letter of that day.")
    assert town.case(case, now)["events"][-1]["facts"]["elsewhere"] is True
    town.serve(other, now, notice=row["number"])


def test_who_may_not_undo_is_told_who_may(town: Book) -> None:
    case = town.report(town.assigned(), june(10))
    town.serve(case, june(25))
    why = town.case(case, june(26), "police")["undo"]["why_not"]
    assert why.startswith("Only who may ")
    assert "director" in why


def test_an_existing_number_is_not_said_to_be_assigned_on_the_day_it_was_brought_in(town: Book) -> None:
    """Brought in on June 1, seen missing on May 30: 20 days from that day end on June 19."""
    row = town.row(town.assigned())
    with town.database.write() as connection:
        other = {**row, "number": 147, **{name: row[name].replace("145", "147") for name in ("full", "usps")}}
        del other["id"]
        made = registers.insert(Act(connection, DANA, "Old numbers.", june(1)), "import", addresses, other)
    case = town.report(made["id"], june(10), at="2026-05-30")
    told = town.case(case, june(10))
    assert (told["due"]["due"], told["due"]["section"]) == ("2026-06-19", "288-15 M")
    assert "existing number" in told["due"]["reading"]
    with town.database.read() as connection:
        asked = issuing.of_case(connection, PEOPLE["clerk"], case, given(pays="village"), "", june(25))
    said = words_of(issuing.draft(town.atlas, PEOPLE["clerk"], asked))
    assert "when it was assigned is not known" in said
    notice = issuing.Asked(made["id"], "notice", "", first_number=True)
    said += words_of(issuing.draft(town.atlas, PEOPLE["clerk"], notice))
    for wrong in ("from the assigning of the number", "the building's first number", "was assigned to your building"):
        assert wrong not in said
    assert "existing number" in said


def test_the_service_names_the_notice_issued_by_then(town: Book) -> None:
    case = town.report(town.assigned(), june(24))
    _take(town, PEOPLE["clerk"], case, "issue", given(), june(25))
    with town.database.read() as connection:
        (row,) = registers.rows(connection, documents)
    now = row["issued_at"] + timedelta(minutes=1)
    with pytest.raises(StreetsError, match="notice"):  # on June 25 it had not been issued
        town.take(case, "serve", now, how="handed", at="2026-06-25")
    town.take(case, "serve", now, how="handed")
    assert town.case(case, now)["events"][-1]["facts"]["notice"] == row["number"]
