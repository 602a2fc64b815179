"""Pages of the map's versions, the audit and the start page's notices, as a browser shows them."""

import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.audit import CONSOLE
from app.auth import Permission, Role
from app.db import Database
from app.deps import COOKIE
from app.main import create_app
from app.people import add_user
from app.routes.notices import _backup
from app.sessions import Guest, use_link
from app.settings import Settings
from tests.access import faults_of_access
from tests.conftest import serving_here
from tests.people import Headers, by_key, by_session
from tests.prepared import Prepared
from tests.test_api import PLAT, feet, village

WIDTHS = ((1280, 800), (360, 740))
HOSTILE = "<img src=x onerror=alert(1)> & \"'</textarea>"


@dataclass(frozen=True)
class Office:
    """A village's service with its own register, and the officers' sessions."""

    url: str
    settings: Settings
    sessions: dict[str, str]
    key: Headers

    @contextmanager
    def database(self) -> Iterator[Database]:
        with closing(Database(self.settings.database, self.settings.state_dir)) as found:
            yield found

    def sign_in(self, context: BrowserContext, who: str) -> None:
        context.add_cookies([{"name": COOKIE, "value": self.sessions[who], "url": self.url}])

    def post(self, context: BrowserContext, path: str, **body: Any) -> Any:
        answer = context.request.post(f"{self.url}/api/v1{path}", data=body, headers=self.key)
        assert answer.ok, answer.text()
        return answer.json()


def officers(database: Database) -> tuple[dict[str, str], Headers]:
    """Sign a director and two clerks in, and make a key."""
    made = {}
    for name, role in (("director", Role.DIRECTOR), ("clerk", Role.CLERK), ("other clerk", Role.CLERK)):
        token = add_user(database, CONSOLE, f"Some {name}", [role])[1]
        made[name] = use_link(database, Guest("192.0.2.1", "a test"), token)
    return made, by_key(database, Role.DIRECTOR, Role.CLERK)


@contextmanager
def office(prepared: Prepared, folder: Path, lines: dict[str, list[tuple[float, float]]] = PLAT) -> Iterator[Office]:
    """Serve a plat, with a director and two clerks signed in."""
    folder.mkdir(exist_ok=True)
    settings = Settings(data_dir=village(folder, lines), state_dir=folder / "state")
    _, (sessions, key) = prepared.file(settings.state_dir, officers)
    with serving_here(settings) as url:
        yield Office(url, settings, sessions, key)


@pytest.fixture
def plat(prepared: Prepared, tmp_path: Path) -> Iterator[Office]:
    with office(prepared, tmp_path / "plat") as made:
        yield made


@pytest.fixture(scope="module")
def shared(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Office]:
    """An office whose register has something on every page; tests only read it."""
    lines = {**PLAT, "<b>Stub</b> Street": [(700, 100), (700, 250)]}
    with office(prepared, tmp_path_factory.mktemp("shared"), lines) as made:
        context = browser.new_context()
        made.post(context, "/addresses", **feet(400, 345, street="Alma Street", reason=HOSTILE))
        made.post(context, "/maps", reason=HOSTILE)
        edit = {"kind": "length", "street": "Alma Street", "half": "North", "at_ft": 330, "value": 308}
        made.post(context, "/maps/2/edits", **edit, reason=HOSTILE)
        context.close()
        yield made


@contextmanager
def opened(made: Office, browser: Browser, who: str = "", **options: Any) -> Iterator[Page]:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
    if who:
        made.sign_in(context, who)
    yield context.new_page()
    context.close()


def text(page: Page) -> str:
    return " ".join(page.locator("main").inner_text().split())


# --- the whole way of a version ---


@pytest.mark.parametrize("scripts", [True, False])
def test_a_map_is_proposed_edited_compared_adopted_and_the_adoption_undone(
    plat: Office, browser: Browser, scripts: bool
) -> None:
    with opened(plat, browser, "director", java_script_enabled=scripts) as page:
        # 15 ft into First to Second: the 2nd unit of 8 ft; with a unit of 7 ft it is the 3rd
        assert plat.post(page.context, "/addresses", **feet(400, 345, street="Alma Street"))["number"] == 113
        assert plat.post(page.context, "/addresses", **feet(400, 332, street="Alma Street"))["number"] == 111
        page.goto(f"{plat.url}/maps")
        page.get_by_label("Why a map is proposed").fill("Block of Alma Street taped")
        page.get_by_role("button", name="Propose a map").click()
        expect(page).to_have_url(f"{plat.url}/maps/2")
        assert "Numbers are given under it meanwhile, and are provisional" in text(page)
        _set_length(page, plat, "308 ft")
        page.get_by_role("link", name="See what the version would change now").click()
        # 308 / 44 is 7
        blocks = page.get_by_role("region", name="Blocks that differ")
        expect(blocks.get_by_role("row", name=re.compile("North Alma Street block 1: 110–199"))).to_be_visible()
        page.goto(f"{plat.url}/maps/2?street=Alma+Street&kind=provisional")
        row = page.get_by_role("row", name=re.compile("113 North Alma Street"))
        assert row.locator("td").all_inner_texts() == ["113", "115", "provisional"]
        _adopt(page, plat, becoming=1, differing=1)
        assert "1 number became official" in text(page)
        assert (
            page.get_by_role("row", name=re.compile("113 North Alma Street")).locator("td").nth(1).inner_text() == "115"
        )
        assert status(plat, 2) == "official"
        assert status(plat, 1) == "provisional"
        page.goto(f"{plat.url}/maps/2/adoption")
        page.get_by_label("Why it is undone").fill("Recorded on the wrong day")
        page.get_by_role("button", name="Undo the adoption").click()
        expect(page).to_have_url(f"{plat.url}/maps/2")
        assert "Proposal, used until one is adopted" in text(page)
        assert status(plat, 2) == "provisional"


def _set_length(page: Page, plat: Office, length: str) -> None:
    page.goto(f"{plat.url}/maps/rows?street=Alma+Street")
    row = page.get_by_role("region", name="North, block 1: 110–199")
    row.locator("summary").click()
    form = row.get_by_role("form", name="Length of record")
    form.get_by_label("Length, ft").fill("about 300")
    form.get_by_label("Why").fill("Taped by A. Smith")
    form.get_by_role("button").click()
    found = row.get_by_role("form", name="Length of record")
    assert "Found about 300; expected a length in feet" in found.inner_text()
    assert found.get_by_label("Length, ft").get_attribute("aria-invalid") == "true"
    assert found.get_by_label("Why").input_value() == "Taped by A. Smith"
    found.get_by_label("Length, ft").fill(length)
    found.get_by_role("button").click()
    assert "Nothing is recorded yet" in text(page)
    numbers = page.get_by_role("region", name="Numbers that would differ")
    assert numbers.get_by_role("row", name=re.compile("113 North Alma Street")).locator("td").all_inner_texts() == [
        "113",
        "115",
        "provisional",
    ]
    page.get_by_role("button", name="Record the edit").click()
    assert "The length of record is set" in text(page)
    assert "308.0 ft of record (330.0 ft in the linework)" in row.inner_text()
    assert "Unit 7 ft" in " ".join(row.inner_text().split())


def _adopt(page: Page, plat: Office, becoming: int, differing: int) -> None:
    page.goto(f"{plat.url}/maps/2/adopt")
    page.get_by_label("Day of the Board’s act").fill("2099-01-01")
    page.get_by_label("The act").fill("Resolution 2026-14")
    page.get_by_role("button", name="Check it").click()
    assert "expected a day" in page.locator("#date-fault").inner_text()
    page.get_by_label("Day of the Board’s act").fill("2026-06-01")
    page.get_by_role("button", name="Check it").click()
    counts = [int(n) for n in page.locator(".counts b").all_inner_texts()]
    assert counts[:3] == [becoming, 0, differing]
    assert "Mon, June 1, 2026" in text(page)
    page.get_by_role("button", name="Record the adoption").click()
    expect(page).to_have_url(f"{plat.url}/maps/2/adoption")


def status(plat: Office, address: int) -> str:
    with plat.database() as database, database.read() as connection:
        found = connection.exec_driver_sql(f"SELECT status FROM addresses WHERE id = {address}")
        return str(found.scalar_one())


def test_what_was_shown_before_an_adoption_is_what_is_done(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "director") as page:
        page.goto(f"{plat.url}/maps/1/adopt")
        page.get_by_label("Day of the Board’s act").fill("2026-06-01")
        page.get_by_label("The act").fill("Resolution 2026-14")
        page.get_by_role("button", name="Check it").click()
        plat.post(page.context, "/addresses", **feet(400, 345, street="Alma Street"))
        page.get_by_role("button", name="Record the adoption").click()
        assert "The register has changed since you looked. Nothing was recorded" in text(page)
        page.get_by_role("button", name="Record the adoption").click()
        assert "1 number became official" in text(page)


def test_an_adoption_on_which_numbers_depend_is_not_undone_and_says_why(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "director") as page:
        plat.post(page.context, "/maps/1/adopt", date="2026-06-01", act="Resolution 2026-14")
        plat.post(page.context, "/addresses", **feet(400, 345, street="Alma Street"))
        page.goto(f"{plat.url}/maps/1/adoption")
        assert "It cannot be undone. A number was given or made official under it since." in text(page)
        assert page.get_by_role("button", name="Undo").count() == 0


def test_a_map_with_placeholder_names_needs_a_reason_and_every_page_says_so(tmp_path: Path) -> None:
    settings = Settings(state_dir=tmp_path)
    app = create_app(settings)
    headers = by_session(app.state.database, "Director", Role.DIRECTOR)
    form = {"date": "6/1/2026", "act": "Resolution 1"}
    with TestClient(app, base_url="https://testserver") as client:
        asked = client.post("/maps/1/adopt", data=form, headers=headers)
        assert asked.status_code == 422
        assert "aria-invalid" in asked.text
        assert "placeholder names" in asked.text
        form["reason"] = "The county needs it now"
        asked = client.post("/maps/1/adopt", data=form, headers=headers)
        seen = re.search('name="seen" value="(\\w+)"', asked.text)
        assert seen
        client.post("/maps/1/adopt", data={**form, "step": "record", "seen": seen[1]}, headers=headers)
        for path in ("/", "/streets", "/maps", "/maps/1", "/help", "/streets/Main%20Street"):
            found = client.get(path).text
            assert "had a placeholder for a name, because: The county needs it now" in found, path
            assert "Placeholder names." in found
            assert "Draft map" not in found


def test_an_edit_of_a_row_removes_a_line_or_decides_a_finding_and_is_withdrawn(
    prepared: Prepared, tmp_path: Path, browser: Browser
) -> None:
    # Stub Lane ends short of Van Buren Street: its extension splits the block between Main Street and First Avenue
    lines = {**PLAT, "First Avenue": [(-2000, 400), (2000, 400)], "Stub Lane": [(900, 200), (1500, 200)]}
    with office(prepared, tmp_path / "split", lines) as made, opened(made, browser, "director") as page:
        page.goto(f"{made.url}/maps/1/rows?street=Van+Buren+Street")
        row = page.get_by_role("region", name="North, block 0: 10–99")
        row.locator("summary").click()
        form = row.get_by_role("form", name="Decide a finding")
        form.get_by_label("What is decided").fill("Two blocks, as on the plat")
        form.get_by_label("Why").fill("Plat of 1881")
        form.get_by_role("button").click()
        assert "Decided Extended line splits a block: Two blocks, as on the plat" in " ".join(row.inner_text().split())
        page.goto(f"{made.url}/findings")
        assert "Decided: Two blocks, as on the plat. Plat of 1881" in text(page)
        page.goto(f"{made.url}/streets/Van%20Buren%20Street")
        assert "Decided, Extended line splits a block: Two blocks, as on the plat." in text(page)
        page.goto(f"{made.url}/maps/1")
        page.locator("#edits ~ .log summary").click()
        page.locator("#edits ~ .log").get_by_label("Why it is withdrawn").fill("The plat says one")
        page.get_by_role("button", name="Show what that would do").click()
        page.get_by_role("button", name="Withdraw the edit").click()
        assert "None stands. 1 withdrawn" in text(page)
        page.get_by_text("1 withdrawn").click()
        assert re.search(r"Two blocks, as on the plat.* · withdrawn ", text(page))
        page.goto(f"{made.url}/maps/1/rows?street=Van+Buren+Street")
        row.locator("summary").click()
        form = row.get_by_role("form", name="Remove the line at its end, 200.0 ft")
        form.get_by_label("Why").fill("No street was ever there")
        form.get_by_role("button").click()
        page.get_by_role("button", name="Record the edit").click()
        assert "400.0 ft, from 0.0 ft to 400.0 ft" in row.inner_text()


def test_rows_of_an_adopted_map_lead_to_a_proposal_and_back(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "director") as page:
        plat.post(page.context, "/maps/1/adopt", date="2026-06-01", act="Resolution 2026-14")
        page.goto(f"{plat.url}/streets/Alma%20Street")
        page.get_by_role("link", name="Edit its rows").click()
        assert "No proposal is open" in text(page)
        page.get_by_label("Why a map is proposed").fill("A block was taped")
        page.get_by_role("button", name="Make a proposal and edit it").click()
        expect(page).to_have_url(f"{plat.url}/maps/2/rows?street=Alma+Street")
        page.goto(f"{plat.url}/maps/2")
        page.get_by_text("Withdraw this proposal").click()
        page.get_by_role("button", name="Withdraw the proposal").click()
        assert "Found nothing; expected why it is done" in text(page)
        page.get_by_label("Why it is withdrawn").fill("Not needed")
        page.get_by_role("button", name="Withdraw the proposal").click()
        assert "It was taken back; numbers given under it stay." in text(page)


def test_files_of_the_village_that_changed_are_told_and_their_numbers_compared(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "director") as page:
        plat.post(page.context, "/maps/1/adopt", date="2026-06-01", act="Resolution 2026-14")
        page.goto(f"{plat.url}/maps")
        assert "The village’s files are those the map in force was made of" in text(page)
        village(plat.settings.data_dir, {**PLAT, "Third Avenue": [(-2000, 900), (2000, 900)]})
        page.reload()
        assert "The village’s files are others than the map in force was made of. Propose a map" in text(page)
        page.get_by_label("Why a map is proposed").fill("Third Avenue was platted")
        page.get_by_role("button", name="Propose a map").click()
        assert "No new number is given under it unless the Board adopts it" in text(page)
        page.goto(f"{plat.url}/maps")
        assert "Version 2 proposes them as they are now" in text(page)
        page.goto(f"{plat.url}/streets")
        (plat.settings.data_dir / "streets.geojson").write_text("nonsense")
        page.goto(f"{plat.url}/maps")
        assert "The village’s files cannot be read, so nothing can be proposed" in text(page)


def test_an_old_version_stays_to_be_seen_and_numbered_under(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "director") as page:
        plat.post(page.context, "/addresses", **feet(400, 345, street="Alma Street"))
        plat.post(page.context, "/maps", reason="A block was taped")
        edit = {
            "kind": "length",
            "street": "Alma Street",
            "half": "North",
            "at_ft": 330,
            "value": 308,
            "reason": "Taped",
        }
        plat.post(page.context, "/maps/2/edits", **edit)
        plat.post(page.context, "/maps/2/adopt", date="2026-06-01", act="Resolution 2026-14")
        for version, number, words in (
            (1, "113 under version 1", "The same number"),
            (2, "115 under version 2", "Not the"),
        ):
            page.goto(f"{plat.url}/maps/{version}/recompute?address=1")
            assert page.locator(".number").inner_text() == number
            assert words in text(page)
        page.goto(f"{plat.url}/maps/1/blocks?street=Alma+Street")
        assert "330.0 ft" in page.get_by_role("row", name=re.compile("North Alma Street 1 ")).inner_text()
        page.goto(f"{plat.url}/maps/1/numbers")
        assert "113 North Alma Street" in text(page)
        page.goto(f"{plat.url}/maps/1/recompute?lat=91x&lon=1")
        assert "expected degrees" in page.locator("#lat-fault").inner_text()
        exported = page.context.request.get(f"{plat.url}/maps/1/blocks?format=csv").text()
        assert exported.startswith("street,half,block,")


# --- the audit ---


def test_the_audit_shows_each_field_before_and_after_and_an_act_is_undone(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "clerk") as page:
        plat.post(page.context, "/addresses", **feet(400, 345, street="Alma Street"))
        plat.post(page.context, "/addresses/1/correct", number=119, reason="Misread")
        page.goto(f"{plat.url}/audit?kind=addresses&subject=1")
        first = page.locator(".log > li").first
        assert "Record corrected 119 North Alma Street" in first.inner_text()
        assert "number 113 → 119" in " ".join(first.inner_text().replace("became", "").split())
        assert "Why: Misread" in first.inner_text()
        assert re.fullmatch("[0-9a-f]{64}", page.locator("#head").inner_text())
        first.get_by_role("link", name=re.compile("^act ")).click()
        page.get_by_role("button", name="Undo act").click()
        assert "expected why it is done" in page.locator("#undo-reason-fault").inner_text()
        page.get_by_label("Why it is undone").fill("It was right")
        page.get_by_role("button", name="Undo act").click()
        assert "undone" in page.locator("h1").inner_text()
        page.go_back()
        page.goto(f"{plat.url}/audit?what=correct")
        page.get_by_role("link", name=re.compile("^act ")).first.click()
        assert "was done to the same record since" in text(page)
        assert page.get_by_role("button", name="Undo act").count() == 0


def test_the_audit_is_filtered_paged_and_exported(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "director") as page:
        for k in range(30):
            plat.post(page.context, "/addresses", **feet(400, 334 + 8 * k, street="Alma Street"))
        page.goto(f"{plat.url}/audit?what=assign")
        assert page.locator("h2#list").inner_text() == "60 entries"
        assert page.locator(".log > li").count() == 50
        page.get_by_role("link", name="Older").click()
        assert page.locator(".log > li").count() == 10
        page.goto(f"{plat.url}/audit?what=assign&actor=nobody")
        assert "Nothing of this kind was done" in text(page)
        page.goto(f"{plat.url}/audit?until=1999-01-01")
        assert "Nothing of this kind was done" in text(page)
        page.goto(f"{plat.url}/audit?since=x")
        assert "expected a day" in page.locator("#since-fault").inner_text()
        exported = page.context.request.get(f"{plat.url}/audit?what=assign&format=csv").text()
        assert len(exported.splitlines()) == 61


# --- the start page ---


def test_the_start_page_tells_each_officer_what_waits(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "clerk") as page:
        plat.post(page.context, "/doubts", **feet(460, 500, street="Alma Street"), question="Which?")
        # as near to First Avenue as to Alma Street: a person confirms which
        plat.post(page.context, "/addresses", **feet(420, 345))
        page.goto(plat.url)
        told = page.locator(".notices").inner_text()
        assert "1 doubt waits for the Clerk-Treasurer." in told
        assert "1 proposed address to confirm." in told
        assert "No verified backup of the register was made yet." in told
        assert "No map is adopted" in told
    with opened(plat, browser) as page:
        page.goto(plat.url)
        assert page.locator(".notices").count() == 0


def test_a_backup_is_told_of_when_it_is_older_than_48_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime(2026, 6, 3, 12, tzinfo=UTC)
    for hours, told in ((48.0, 0), (48.001, 1), (1, 0)):
        made = now - timedelta(hours=hours)
        monkeypatch.setattr("app.routes.notices.last_backup", lambda _, made=made: made)
        assert len(_backup(Settings(), now)) == told


# --- every page ---

PATHS = [
    *("/maps", "/maps/1", "/maps/2", "/maps/2/rows", "/maps/2/rows?street=Alma+Street", "/maps/2/adopt"),
    *("/maps/1/blocks", "/maps/1/numbers", "/maps/2/numbers", "/maps/1/recompute?address=1", "/audit", "/audit/acts/1"),
    *("/maps/99", "/maps/2?street=Alma+Street&kind=changed", "/audit?since=x", "/maps/1/recompute?lat=x&lon=y"),
]


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_readable_for_everyone_at_both_widths(shared: Office, browser: Browser, path: str) -> None:
    for width, height in WIDTHS:
        with opened(shared, browser, "director", viewport={"width": width, "height": height}) as page:
            page.goto(shared.url + path)
            for summary in page.locator("main summary").all():
                summary.click()
            assert faults_of_access(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") == width
            ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
            assert len(ids) == len(set(ids))


def test_hostile_text_is_shown_as_it_is(shared: Office, browser: Browser) -> None:
    with opened(shared, browser, "director") as page:
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        for path in (
            *PATHS,
            f"/maps?page=1&street={HOSTILE}",
            f"/audit?actor={HOSTILE}",
            f"/maps/1/blocks?street={HOSTILE}",
        ):
            page.goto(shared.url + path)
            assert page.locator("img").count() == 0, path
        page.goto(f"{shared.url}/maps/2")
        assert HOSTILE in text(page)
        assert dialogs == []


def test_the_public_reads_the_maps_and_no_more(shared: Office, browser: Browser) -> None:
    with opened(shared, browser) as page:
        page.goto(f"{shared.url}/maps/2")
        assert "shown to officers who sign in" in text(page)
        assert page.get_by_role("button", name="Adopt").count() == 0
        assert page.locator("main form").count() == 0
        for path in ("/audit", "/maps/2/adopt", "/maps/2/rows", "/maps/2/diff.csv"):
            page.goto(shared.url + path)
            assert "/sign-in" in page.url, path


def test_two_who_edit_at_once_are_both_recorded(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "director") as page:
        row = {"street": "Alma Street", "half": "North", "reason": "taped"}
        edits = [{**row, "kind": "length", "at_ft": at, "value": 330 + at / 10} for at in (0, 330)]
        cookies = {"Authorization": plat.key["Authorization"]}
        import json
        import urllib.request

        def send(edit: dict[str, object]) -> None:
            body = json.dumps(edit).encode()
            headers = {**cookies, "Content-Type": "application/json"}
            request = urllib.request.Request(f"{plat.url}/api/v1/maps/1/edits", body, headers)
            urllib.request.urlopen(request).close()

        threads = [threading.Thread(target=send, args=(edit,)) for edit in edits]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        page.goto(f"{plat.url}/maps/1")
        assert page.locator("#edits ~ .log > li").count() == 2


def test_only_who_may_undo_may(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "clerk") as page:
        plat.post(page.context, "/maps/1/adopt", date="2026-06-01", act="Resolution 2026-14")
        page.goto(f"{plat.url}/audit?what=adopt+map")
        page.get_by_role("link", name=re.compile("^act ")).first.click()
        assert f"may not {Permission.ADOPT_MAP.value}" in text(page)
        assert page.get_by_role("button", name="Undo act").count() == 0


def test_a_proposal_whose_edits_do_not_fit_the_streets_any_more_says_so_and_is_mended(
    prepared: Prepared, tmp_path: Path, browser: Browser
) -> None:
    first = {"First Avenue": [(-2000, 400), (2000, 400)]}
    lines = {**PLAT, **first, "Stub Lane": [(900, 200), (1500, 200)]}
    with office(prepared, tmp_path / "broken", lines) as made, opened(made, browser, "director") as page:
        row = {"street": "Van Buren Street", "half": "North", "reason": "No street was there"}
        made.post(page.context, "/maps/1/edits", **row, kind="remove_line", at_ft=200)
        made.post(page.context, "/maps/1/adopt", date="2026-06-01", act="Resolution 2026-14")
        village(made.settings.data_dir, {**PLAT, **first, "Stub Lane": [(-500, 200), (1500, 200)]})
        made.post(page.context, "/maps", reason="Stub Lane was built across")
        page.goto(f"{made.url}/maps/2")
        assert "This version cannot be derived" in text(page)
        assert "the crossing with Stub Lane on the ground" in text(page)
        assert faults_of_access(page) == []
        page.locator("#edits ~ .log summary").click()
        page.locator("#edits ~ .log").get_by_label("Why it is withdrawn").fill("It was built")
        page.get_by_role("button", name="Show what that would do").click()
        page.get_by_role("button", name="Withdraw the edit").click()
        assert "cannot be derived" not in text(page)
