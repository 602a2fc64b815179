"""Pages of the Clerk-Treasurer's doubt queue (§ 288-15 J), as a browser shows them."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, expect

from app.deps import COOKIE
from tests.access import faults_of_access
from tests.prepared import Prepared
from tests.test_api import feet
from tests.test_map_pages import HOSTILE, WIDTHS, Office, office, opened, text

PLACE = feet(460, 500, street="Alma Street")
"""On the east side, 170 ft into the block from First to Second: the 22nd unit of 8 ft, 152."""


@pytest.fixture
def plat(prepared: Prepared, tmp_path: Path) -> Iterator[Office]:
    with office(prepared, tmp_path / "plat") as made:
        yield made


@pytest.fixture(scope="module")
def shared(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Office]:
    with office(prepared, tmp_path_factory.mktemp("shared")) as made, opened(made, browser) as page:
        made.post(page.context, "/addresses", **feet(480, 420, street="Alma Street"))
        for question in (HOSTILE, "Which of the two?", "Which?"):
            made.post(page.context, "/doubts", **PLACE, question=question)
        made.post(page.context, "/doubts/2/decide", number=157, reason=HOSTILE)
        yield made


@pytest.mark.parametrize("scripts", [True, False])
def test_the_clerk_determines_a_number_of_the_other_side_and_it_is_an_address(
    plat: Office, browser: Browser, scripts: bool
) -> None:
    with opened(plat, browser, "clerk", java_script_enabled=scripts) as page:
        plat.post(page.context, "/doubts", **PLACE, question="157 is on the house since 1950")
        page.goto(f"{plat.url}/doubts")
        page.get_by_role("link", name="Doubt 1").click()
        assert "§ 288-15 D gives the entrance 152. It is free." in text(page)
        assert "Left on the east side, even: the entrance’s own" in text(page)
        page.get_by_role("button", name="Record the decision").click()
        assert "expected a whole number" in page.locator("#number-fault").inner_text()
        page.get_by_label("Number", exact=True).fill("157")
        page.get_by_role("button", name="Record the decision").click()
        assert "expected why it is done" in page.locator("#reason-fault").inner_text()
        assert page.get_by_label("Number", exact=True).input_value() == "157"
        page.get_by_label("Why").fill("Known by it for 76 years")
        page.get_by_role("button", name="Record the decision").click()
        assert page.locator(".number").inner_text() == "157 North Alma Street"
        assert "Decided by Some clerk" in text(page)
        page.get_by_role("link", name="The address").click()
        assert page.locator("h1").inner_text() == "157 North Alma Street"
        page.goto(f"{plat.url}/doubts")
        assert "No doubt is open" in text(page)


def test_that_no_number_is_given_is_a_decision_and_is_undone(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "clerk") as page:
        plat.post(page.context, "/doubts", **PLACE, question="A shed?")
        page.goto(f"{plat.url}/doubts/1")
        page.get_by_label("No number is given").check()
        page.get_by_label("Why").fill("No principal building (§ 288-15 A)")
        page.get_by_role("button", name="Record the decision").click()
        assert page.locator(".number").inner_text() == "No number is given"
        page.get_by_label("Why it is undone").fill("It is lived in")
        page.get_by_role("button", name="Undo the decision").click()
        expect(page).to_have_url(f"{plat.url}/doubts/1")
        assert page.get_by_role("button", name="Record the decision").count() == 1


def test_a_held_number_is_refused_beside_its_field(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "clerk") as page:
        held = plat.post(page.context, "/addresses", **feet(480, 420, street="Alma Street"))["number"]
        plat.post(page.context, "/doubts", **PLACE, question="Which?")
        page.goto(f"{plat.url}/doubts/1")
        page.get_by_label("Number", exact=True).fill(str(held))
        page.get_by_label("Why").fill("It stands so")
        page.get_by_role("button", name="Record the decision").click()
        assert f"{held} North Alma Street is held" in page.locator("#number-fault").inner_text()


def test_of_two_clerks_at_once_one_decides_and_the_other_is_told_by_whom(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "clerk") as one, opened(plat, browser, "other clerk") as other:
        plat.post(one.context, "/doubts", **PLACE, question="Which?")
        for page, number in ((one, "157"), (other, "159")):
            page.goto(f"{plat.url}/doubts/1")
            page.get_by_label("Number", exact=True).fill(number)
            page.get_by_label("Why").fill(f"{number} it is")
        tokens = {who: page.locator("input[name=csrf]").last.input_value() for who, page in
                  (("clerk", one), ("other clerk", other))}  # fmt: skip

        def send(who: str) -> httpx.Response:
            form = {"csrf": tokens[who], "choice": "number", "number": "157", "reason": f"{who} says so"}
            cookie = {"Cookie": f"{COOKIE}={plat.sessions[who]}"}
            return httpx.post(f"{plat.url}/doubts/1/decide", data=form, headers=cookie)

        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(send, tokens))
        assert sorted(answer.status_code for answer in answers) == [303, 409]
        winner = next(who for who, answer in zip(tokens, answers, strict=True) if answer.status_code == 303)
        for page in (one, other):
            page.get_by_role("button", name="Record the decision").click()
            assert f"Found decided by Some {winner}" in page.locator("[role=alert]").inner_text()
            assert "each is decided once" in page.locator("[role=alert]").inner_text()
            assert page.locator(".number").inner_text() == "157 North Alma Street"
            assert page.get_by_role("button", name="Record the decision").count() == 0
        with plat.database() as database, database.read() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM addresses").scalar_one() == 1


def test_who_may_not_decide_is_told_why(shared: Office, browser: Browser) -> None:
    with opened(shared, browser, "director") as page:
        page.goto(f"{shared.url}/doubts/1")
        assert "Only the Clerk-Treasurer decides a doubt § 288-15 J. You are signed in as Some director" in text(page)
        assert page.locator("main form").count() == 0
    with opened(shared, browser) as page:
        page.goto(f"{shared.url}/doubts/1")
        assert "/sign-in" in page.url


def test_the_queue_is_filtered_and_exported(shared: Office, browser: Browser) -> None:
    with opened(shared, browser, "director") as page:
        page.goto(f"{shared.url}/doubts")
        assert page.locator("tbody th a").all_inner_texts() == ["Doubt 1", "Doubt 3"]
        page.get_by_label("State").select_option("decided")
        page.get_by_role("button", name="Filter").click()
        assert page.locator("tbody th a").all_inner_texts() == ["Doubt 2"]
        page.goto(f"{shared.url}/doubts?street=Main+Street")
        assert "No doubt matches" in text(page)
        lines = page.context.request.get(f"{shared.url}/doubts?status=all&format=csv").text().splitlines()
        assert [line.split(",")[:2] for line in lines[1:]] == [["1", "open"], ["3", "open"], ["2", "decided"]]


def test_the_place_is_drawn_with_its_neighbours(shared: Office, browser: Browser) -> None:
    with opened(shared, browser, "director") as page:
        page.goto(f"{shared.url}/doubts/1")
        drawn = page.locator(".place-picture")
        assert drawn.get_attribute("aria-label") == "Where it is: North Alma Street, with 2 numbered entrances nearby"
        # (420 - 330) / 8 is 11.25: the 12th unit, even
        assert {"132", "Alma Street", "?", "100 ft"} <= set(drawn.locator("text").all_text_contents())


def test_an_empty_queue_says_how_a_doubt_comes_here(plat: Office, browser: Browser) -> None:
    with opened(plat, browser, "clerk") as page:
        page.goto(f"{plat.url}/doubts")
        assert "Nobody has doubted a number yet" in text(page)
        assert faults_of_access(page) == []


@pytest.mark.parametrize("path", ["/doubts", "/doubts?status=all", "/doubts/1", "/doubts/2", "/doubts/99"])
def test_a_page_is_readable_for_everyone_at_both_widths(shared: Office, browser: Browser, path: str) -> None:
    for width, height in WIDTHS:
        with opened(shared, browser, "clerk", viewport={"width": width, "height": height}) as page:
            page.goto(shared.url + path)
            for summary in page.locator("main summary").all():
                summary.click()
            assert faults_of_access(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") == width


def test_hostile_text_is_shown_as_it_is(shared: Office, browser: Browser) -> None:
    with opened(shared, browser, "clerk") as page:
        for path in ("/doubts?status=all", "/doubts/1", "/doubts/2", f"/doubts?street={HOSTILE}"):
            page.goto(shared.url + path)
            assert page.locator("img").count() == 0
        page.goto(f"{shared.url}/doubts/2")
        assert re.sub(r"\s+", " ", HOSTILE) in text(page)
