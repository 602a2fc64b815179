"""The pages and the API of cases: a police officer's phone, the Director's notice, who sees what.

Seen to fail, each by breaking the code once: the form's token not sent on (two events of one click); `_given` without
the day; the list's filter left out; `READ_RECORDS` taken from the case's page; a note written as HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from playwright.sync_api import Browser

from app import changes, registers
from app.audit import Actor
from app.auth import Role
from app.case_tables import case_events
from app.clocks import LOCAL, said_day
from app.db import Database
from app.deps import COOKIE
from app.main import create_app
from app.settings import Settings
from app.tables import addresses, audit
from tests.access import faults_of_access
from tests.conftest import serving_here
from tests.people import Headers, by_key, by_session
from tests.plat import PLAT, village
from tests.prepared import Prepared, put_map
from tests.test_address_pages import Form, Town, text_of

SCRIPT = "<script>alert('note')</script>"
ROLES = ("police", "inspector", "clerk", "director")


def plat_with_officers(database: Database) -> dict[str, Headers]:
    """Fill a register with the plat's map, the officers signed in, and keys."""
    put_map(database)
    who = {name: by_session(database, f"{name.title()} Jones", Role(name)) for name in ROLES}
    keys = (*ROLES, "admin", "dispatch")
    return who | {f"{name} key": by_key(database, Role(name), name=f"the {name}") for name in keys}


@pytest.fixture
def town(prepared: Prepared, tmp_path: Path) -> Iterator[Town]:
    _, who = prepared.file(tmp_path / "register", plat_with_officers)
    app = create_app(Settings(data_dir=village(tmp_path, PLAT), state_dir=tmp_path / "register"))
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, app.state.database, app.state.atlas, who)


def assigned(town: Town, days_ago: int, x: float = 400, y: float = 471) -> int:
    """145 North Alma Street, assigned so many days ago."""
    made = town.add(x, y, street="Alma Street")
    with town.database.write() as connection:
        at = datetime.now(UTC) - timedelta(days=days_ago)
        connection.execute(sa.update(addresses).where(addresses.c.id == made).values(made_at=at))
    return made


def acts(town: Town) -> list[int]:
    """The acts on cases and documents."""
    with town.database.read() as connection:
        rows = registers.rows(connection, audit, audit.c.kind.in_(["cases", "case_events", "documents"]))
    return sorted({row["act"] for row in rows})


def events(town: Town) -> int:
    with town.database.read() as connection:
        return registers.counted(connection, case_events)


def day(days_ago: int) -> str:
    return (datetime.now(LOCAL).date() - timedelta(days=days_ago)).isoformat()


def report(town: Town, address: int, **more: str) -> int:
    form = town.get("/cases/report", "police", address=address)
    sent = town.sent(form, "/cases/report", "police", **{"defect": "none", **more})
    assert sent.status_code == 303, text_of(sent.text)
    return int(re.match(r"/cases/(\d+)", sent.headers["Location"])[1])  # type: ignore[index]


def step(town: Town, case: int, name: str, who: str, **given: str) -> Any:
    action = f"/cases/{case}/{name}"
    return town.sent(town.get(action, who), action, who, **given)


# --- the worked way through ---


def test_from_the_police_report_to_the_violation_and_the_number_put_up(town: Town) -> None:
    address = assigned(town, 40)
    assert "/cases/report?address=" in town.get(f"/addresses/{address}", "police").text
    case = report(town, address, note=SCRIPT, date=day(30))
    page = town.get(f"/cases/{case}", "director")
    assert SCRIPT not in page.text
    assert "Neglected 20 days" in text_of(page.text)
    issued = step(town, case, "issue", "clerk", addressee="Ann Berg", pays="village")
    assert issued.headers["Location"] == f"/cases/{case}?done=issue"
    assert "Case 1 is open on it" in text_of(town.get(f"/addresses/{address}", "clerk").text)
    assert "violation notice" in text_of(town.get(f"/addresses/{address}", "clerk").text)
    assert step(town, case, "serve", "director", how="handed", date=day(15), reason="Our letter.").is_redirect
    assert "Violation" in text_of(town.get(f"/cases/{case}", "director").text)
    refused = step(town, case, "inspect", "inspector", found="displayed", height_in="2")
    assert refused.status_code == 422
    assert 'id="height_in-fault"' in refused.text
    assert Form(refused.text, f"/cases/{case}/inspect").fields["height_in"] == ["2"]
    assert step(town, case, "inspect", "inspector", found="displayed", height_in="2 1/2").is_redirect
    assert "Closed: number displayed" in text_of(town.get(f"/cases/{case}", "director").text)
    assert "is open on it" not in text_of(town.get(f"/addresses/{address}", "clerk").text)


def test_a_double_click_makes_one_event(town: Town) -> None:
    address = assigned(town, 40)
    form = town.get("/cases/report", "police", address=address)
    first = town.sent(form, "/cases/report", "police", defect="none")
    again = town.sent(form, "/cases/report", "police", defect="none")
    assert first.headers["Location"] == again.headers["Location"]
    assert events(town) == 1
    page = town.get("/cases/1/serve", "director")
    for _ in range(2):
        assert town.sent(page, "/cases/1/serve", "director", how="handed", reason="Ours.").is_redirect
    page = town.get("/cases/1", "director")
    for _ in range(2):
        assert town.sent(page, "/cases/1/undo", "director", reason="A slip.").is_redirect
    assert events(town) == 3


def test_what_is_wrong_is_told_beside_its_field_and_what_was_typed_stays(town: Town) -> None:
    address = assigned(town, 40)
    form = town.get("/cases/report", "police", address=address)
    wrong = (
        ({"defect": ""}, "defect"),
        ({"defect": "wrong"}, "shown"),
        ({"date": day(-1)}, "date"),
        ({"date": "soon"}, "date"),
        ({"time": "noonish"}, "time"),
        ({"date": "2026-03-08", "time": "2:30 am"}, "time"),
        ({"height_in": "9" * 23}, "height_in"),
    )
    for given, field in wrong:
        told = town.sent(form, "/cases/report", "police", **{"defect": "none", "note": "by the gate", **given})
        assert told.status_code == 422, given
        assert f'id="{field}-fault"' in told.text, given
        assert "by the gate" in told.text
    assert events(town) == 0


@pytest.mark.parametrize(("name", "does"), [("issue", "issue the violation notice"), ("serve", "record the service")])
def test_a_step_after_the_20_days_is_not_begun_before_they_end(town: Town, name: str, does: str) -> None:
    early = report(town, assigned(town, 5))
    page = town.get(f"/cases/{early}/{name}", "director")
    assert page.status_code == 409
    assert '<form class="stacked"' not in page.text
    # 20 days from the assigning 5 days ago: 15 days from today is the last of them
    assert f"expected a day after {said_day(datetime.now(LOCAL).date() + timedelta(days=15))}" in text_of(page.text)
    assert does in text_of(page.text)
    late = report(town, assigned(town, 40, 480))
    assert town.get(f"/cases/{late}/{name}", "director").status_code == 200


def test_only_the_director_has_the_button_and_the_form_of_the_service(town: Town) -> None:
    case = report(town, assigned(town, 40))
    assert f"/cases/{case}/serve" in town.get(f"/cases/{case}", "director").text
    for who in ("police", "inspector", "clerk"):
        assert f"/cases/{case}/serve" not in town.get(f"/cases/{case}", who).text
        assert "the Director of Public Works shall serve" in town.get(f"/cases/{case}/serve", who).text
        posted = town.post(f"/cases/{case}/serve", who, how="handed")
        assert (posted.status_code, "§ 288-15 M" in posted.text) == (403, True)
    assert events(town) == 1


def test_a_step_that_the_state_does_not_allow_is_said_so(town: Town) -> None:
    case = report(town, assigned(town, 40))
    assert town.get(f"/cases/{case}/reopen", "director").status_code == 409
    assert town.get(f"/cases/{case}/explode", "director").status_code == 404
    assert town.post(f"/cases/{case}/renumber", "director").status_code == 404
    assert town.get("/cases/77", "director").status_code == 404
    assert town.post("/cases/77/undo", "director", reason="x").status_code == 404
    assert "withdraw it" in text_of(town.get(f"/cases/{case}", "director").text)
    assert town.post(f"/cases/{case}/undo", "director", reason="x").status_code == 409


# --- choosing the address ---


def test_the_address_is_found_by_text_or_by_the_nearest_to_a_place(town: Town) -> None:
    near, far = assigned(town, 40), assigned(town, 40, y=635)
    found = town.get("/cases/report", "police", q="145 alma").text
    assert f"/cases/report?address={near}" in found
    by_place = town.get("/cases/report", "police", **town.at(400, 480)).text
    assert by_place.index(f"address={near}") < by_place.index(f"address={far}")
    assert "No number is assigned within 300 ft" in text_of(
        town.get("/cases/report", "police", **town.at(-1500, 40)).text
    )
    assert "No address in use is like" in text_of(town.get("/cases/report", "police", q="zzz").text)
    for wrong in ({"lat": "x", "lon": "1"}, {"lat": "95", "lon": "-90"}, {"lat": "nan", "lon": "1e400"}, {"lat": "1"}):
        assert town.get("/cases/report", "police", **wrong).status_code == 422, wrong
    assert town.get("/cases/report", "police", address=999).status_code == 404


def test_a_number_that_was_retired_is_told_at_once_with_what_replaces_it(town: Town) -> None:
    old, torn = assigned(town, 40), assigned(town, 40, y=335)
    dana = Actor("Dana", "user:0", "")
    with town.database.write() as connection:
        (new,) = changes.renumber(town.atlas, connection, dana, [{"id": old, "number": 147}], "Out of step.")
        changes.retire(connection, dana, torn, "Torn down.")
    for asked in ({"address": old}, {"q": "145 alma"}):
        page = town.get("/cases/report", "police", **asked)
        assert page.status_code == 200
        assert "145 North Alma Street is retired: it is now 147 North Alma Street." in text_of(page.text), asked
        assert f"/cases/report?address={new['id']}" in page.text
        assert 'name="defect"' not in page.text
    assert "nothing replaces it" in text_of(town.get("/cases/report", "police", address=torn).text)


def test_a_slip_in_the_year_is_told_beside_the_day(town: Town) -> None:
    address = assigned(town, 40)
    form = town.get("/cases/report", "police", address=address)
    told = town.sent(form, "/cases/report", "police", defect="none", date="0999-05-05")
    assert (told.status_code, 'id="date-fault"' in told.text) == (422, True)
    asked = {"kind": "numbering", "address_id": address, "defect": "none", "at": "0001-01-01"}
    answer = town.client.post("/api/v1/cases", json=asked, headers=town.who["police key"])
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "at")


# --- the list ---


def test_the_list_is_filtered_and_exported_and_an_empty_one_says_what_to_do(town: Town) -> None:
    assert "No case was opened yet" in text_of(town.get("/cases", "police").text)
    late, early = report(town, assigned(town, 10)), report(town, assigned(town, 40, y=335))
    html = town.get("/cases", "clerk").text
    assert html.index(f'href="/cases/{early}"') < html.index(f'href="/cases/{late}"')
    assert "overdue" in text_of(html)
    assert f'href="/cases/{late}"' not in town.get("/cases", "clerk", due="overdue").text
    assert f'href="/cases/{early}"' not in town.get("/cases", "clerk", q="145 alma").text
    assert "No case matches" in text_of(town.get("/cases", "clerk", state="violation").text)
    lines = town.get("/cases", "clerk", format="csv", state="all").text.splitlines()
    assert lines[0].startswith("case,kind,state,undecided,address,due")
    assert len(lines) == 3
    for wrong in ({"state": "x"}, {"due": "x"}, {"sort": "x"}, {"kind": "x"}):
        assert town.get("/cases", "clerk", **wrong).status_code in {404, 422}
    assert "1 open case with a clock that has ended" in text_of(town.get("/", "director").text)


# --- the API ---


def test_the_api_does_what_the_pages_do(town: Town) -> None:
    address = assigned(town, 40)

    def post(path: str, body: dict[str, Any], who: str, **headers: str) -> Any:
        return town.client.post(path, json=body, headers={**town.who[f"{who} key"], **headers})

    asked = {"kind": "numbering", "address_id": address, "defect": "none", "at": day(30)}
    made = post("/api/v1/cases", asked, "police", **{"Idempotency-Key": "k"})
    assert (made.status_code, made.headers["Location"]) == (201, f"/api/v1/cases/{made.json()['id']}")
    assert post("/api/v1/cases", asked, "police", **{"Idempotency-Key": "k"}).json()["event"] == made.json()["event"]
    assert post("/api/v1/cases", {**asked, "defect": "small"}, "police", **{"Idempotency-Key": "k"}).status_code == 422
    joined = post("/api/v1/cases", asked, "inspector")
    assert (joined.status_code, joined.json()["joined"], joined.json()["id"]) == (200, True, made.json()["id"])
    case = f"/api/v1/cases/{made.json()['id']}"
    served = {"how": "handed", "at": day(15), "reason": "Our letter."}
    refused = post(f"{case}/serve", served, "clerk")
    assert (refused.status_code, "§ 288-15 M" in refused.json()["detail"]) == (403, True)
    done = post(f"{case}/serve", served, "director")
    assert (done.status_code, done.json()["state"]) == (200, "violation")
    assert "serve" not in {one["step"] for one in done.json()["may"]}
    early = post(f"{case}/serve", served, "director")
    assert (early.status_code, early.json()["code"]) == (409, "STATE")
    undone = post(f"{case}/undo", {"reason": "A slip."}, "director")
    assert (undone.status_code, undone.json()["state"]) == (200, "neglect")
    issued = post(f"{case}/issue", {"addressee": "Ann Berg", "pays": "owner"}, "clerk")
    assert (
        town.client.get(f"/documents/{issued.json()['document']}.pdf", headers=town.who["clerk key"]).status_code == 200
    )
    listed = town.client.get("/api/v1/cases", params={"state": "neglect"}, headers=town.who["police key"]).json()
    assert (listed["total"], listed["items"][0]["id"], listed["next"]) == (1, made.json()["id"], None)
    kinds = town.client.get("/api/v1/case-kinds", headers=town.who["police key"]).json()["items"]
    assert kinds[0]["kind"] == "numbering"
    assert not {"opening", "privilege", "sidewalk"} & {kind["kind"] for kind in kinds}
    assert {fault["field"] for fault in post(f"{case}/inspect", {"found": "?"}, "police").json()["errors"]} == {"found"}
    assert post(f"{case}/inspect", {"found": "displayed", "at": "2999-01-01"}, "police").status_code == 422
    assert post(f"{case}/explode", {}, "director").status_code == 404
    for body in ({"kind": "numbering"}, {"kind": 1, "address_id": address}, {"kind": "numbering", "address_id": "x"}):
        assert post("/api/v1/cases", body, "police").status_code == 422


def test_nothing_of_a_case_is_public_and_no_name_goes_to_who_has_no_business_with_it(town: Town) -> None:
    address = assigned(town, 40)
    case = report(town, address)
    step(town, case, "issue", "clerk", addressee="Ann Berg", pays="owner")
    for path in ("/cases", f"/cases/{case}", "/cases/report", f"/cases/{case}/serve"):
        assert town.get(path).headers["Location"].startswith("/sign-in")
    for who in ("admin key", "dispatch key"):
        assert town.client.get(f"/api/v1/cases/{case}", headers=town.who[who]).status_code == 403
    step(town, case, "note", "police", note="Bo Lund lives there.")
    for path in ("/audit", "/audit?format=csv", "/api/v1/audit", *(f"/audit/acts/{number}" for number in acts(town))):
        told = town.client.get(path, headers=town.who["admin key"]).text
        assert all(word not in told for word in ("Ann Berg", "Bo Lund")), path
    assert "Bo Lund" in town.client.get("/audit?format=csv", headers=town.who["clerk key"]).text
    for path in (f"/addresses/{address}", f"/api/v1/addresses/{address}"):
        public = town.get(path).text
        assert all(word not in public for word in ("Ann Berg", "Case ", "/cases", "violation notice"))


@pytest.mark.parametrize("value", ["9" * 23, "-1", "1e400", "nan", "१२", "²", "\x00", "x" * 3000, "[" * 5000])
def test_no_field_of_a_step_makes_the_service_fail(town: Town, value: str) -> None:
    case = report(town, assigned(town, 40))
    fields = {
        "inspect": ("found", "at_door", "height_in", "height_within_in", "date", "time"),
        "serve": ("how", "date", "time", "reason", "token", "nonsense"),
        "issue": ("pays", "addressee", "token"),
        "draft": ("pays", "addressee"),
        "undo": ("reason", "token"),
    }
    for name, own in fields.items():
        for field in own:
            answer = town.post(f"/cases/{case}/{name}", "director", **{field: value})
            assert answer.status_code in {409, 422}, (name, field)
    assert events(town) == 1


# --- what only a browser shows ---


def test_an_officer_on_the_phone_taps_the_map_and_reports(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "plat").mkdir()
    data = village(tmp_path / "plat", PLAT)
    settings = Settings(data_dir=data, state_dir=tmp_path / "register")
    app = create_app(settings)
    town = Town(TestClient(app, base_url="https://testserver"), app.state.database, app.state.atlas)
    address = town.add(400, 471, street="Alma Street")
    cookie = by_session(app.state.database, "Officer Jones", Role.POLICE)["Cookie"].partition("=")[2]
    spot = town.at(400, 471)
    app.state.database.close()
    with serving_here(settings) as url:
        context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": url}])
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{url}/cases/report")
        at = page.evaluate(
            "([lat, lon]) => { village.map.setView([lat, lon], 18, {animate: false});"
            " const p = village.map.latLngToContainerPoint([lat, lon]); return [p.x, p.y]; }",
            [float(spot["lat"]), float(spot["lon"])],
        )
        page.locator("#map_village").click(position={"x": at[0], "y": at[1]})
        page.get_by_role("link", name="145 North Alma Street").click()
        assert page.url == f"{url}/cases/report?address={address}"
        page.get_by_label("No number is shown").check()
        for where in (page.url, ""):
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, where
            assert faults_of_access(page) == []
            if where:
                page.get_by_role("button", name="Report a violation").click()
                page.wait_for_url(re.compile(r"/cases/1\?done=report"))
        assert "20 days running" in page.content()
        assert errors == []
        context.close()
