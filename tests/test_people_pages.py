"""The pages for people in a real browser, and the commands for people as processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.access import faults_of_access
from tests.conftest import serving
from tests.people import PASSWORD

SMALL = """[...document.querySelectorAll(
    'main a.button, main button, main input:not([type=hidden]):not([type=checkbox]), label.box, .tabs a, .who a,' +
    '.who button'
)].filter(e => e.offsetParent && e.getBoundingClientRect().height < 43.9).map(e => e.outerHTML.slice(0, 90))"""


@dataclass(frozen=True)
class Office:
    """A server at its first start: its address, the link it printed, the folder of its register."""

    url: str
    link: str
    state: str


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    log = tmp_path_factory.mktemp("office") / "log.txt"
    with serving(log) as url:
        link = re.search(rf"{re.escape(url)}/link/[\w-]{{43}}\n", log.read_text())
        assert link
        yield Office(url, link[0].strip(), str(log.with_name("register")))


def looked_at(page: Page, name: str) -> None:
    """Check a page at both widths: nothing that axe finds, nothing cut off, nothing too small for a thumb."""
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert faults_of_access(page) == [], (name, width)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (name, width)
        assert page.evaluate(SMALL) == [], (name, width)
        assert page.locator("main .button:not(.quiet):visible").count() <= 1, (name, width)
        assert page.locator("header.site").bounding_box()["height"] < 100, (name, width)  # type: ignore[index]


def test_an_office_sets_itself_up_from_the_printed_link(browser: Browser, office: Office) -> None:
    url, link = office.url, office.link
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(link)
    looked_at(page, "link")
    page.click("main button")
    (cookie,) = context.cookies()
    # Chromium keeps a Secure cookie of http://127.0.0.1
    assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, True, "Lax", "/")
    assert page.url == f"{url}/account/password"
    page.fill("#new", "short")
    page.click("main button")
    looked_at(page, "password with a fault")
    for field in ("#new", "#again"):
        page.fill(field, PASSWORD)
    page.click("main button")
    looked_at(page, "account")
    page.goto(f"{url}/keys")
    looked_at(page, "keys, none yet")
    page.goto(f"{url}/users")
    page.fill("#name", "Administrator")
    page.check("[value=clerk]")
    page.click("text=Add the user")
    looked_at(page, "users with a fault")
    page.fill("#name", "Bartholomew Featherstonehaugh-Cholmondeley")
    page.click("text=Add the user")
    looked_at(page, "a link made")
    page.click("text=Copy the link")
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.inner_text("#secret")
    page.click("text=Done")
    looked_at(page, "a user")
    page.click("text=Disable Bartholomew")
    looked_at(page, "a disabled user")
    page.goto(f"{url}/users/1")
    page.click("text=Disable Administrator")
    assert "Nobody would be left" in page.inner_text("main")
    looked_at(page, "the last administrator")
    page.goto(f"{url}/keys")
    page.fill("#name", "Lafayette County 911")
    page.check("[value=dispatch]")
    page.click("text=Make the key")
    looked_at(page, "a key made")
    page.goto(f"{url}/keys")
    page.click("text=Revoke")
    assert "revoked" in page.inner_text("tbody")
    looked_at(page, "keys")
    for path in ("/users", "/users?q=nobody", "/help"):
        page.goto(url + path)
        looked_at(page, path)
    page.click("text=Sign out")
    assert context.cookies() == []
    context.close()


def test_signing_in_works_without_scripts(browser: Browser, office: Office) -> None:
    url = office.url
    added = command(office, "users", "add", "Ann Berg", "--role", "clerk")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{url}/link/{added.stdout.strip().rpartition('/')[2]}")
    page.click("main button")
    for field in ("#new", "#again"):
        page.fill(field, PASSWORD)
    page.click("main button")
    page.click("main >> text=Sign out")
    page.goto(f"{url}/users")
    assert page.url == f"{url}/sign-in?next=%2Fusers"
    page.fill("#name", "ann berg")
    page.fill("#password", "wrong")
    page.click("main button")
    assert "The name or the password is wrong" in page.inner_text("main")
    page.fill("#password", PASSWORD)
    page.fill("#acting_for", "Clerk-Treasurer A. Smith")
    page.click("main button")
    assert "only admin may" in page.inner_text("main")
    page.goto(f"{url}/account")
    assert "Clerk-Treasurer A. Smith" in page.inner_text("main")
    context.close()


def test_the_page_to_sign_in_is_clear_at_both_widths(browser: Browser, office: Office) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{office.url}/sign-in")
    looked_at(page, "sign in")
    page.fill("#name", "Nobody")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "password"
    looked_at(page, "sign in with a fault")
    context.close()


# --- by command ---


def command(office: Office, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command on the register of a server that goes on serving."""
    script = str(Path(sys.executable).with_name("benton-streets"))
    environment = {**os.environ, "BENTON_STATE_DIR": office.state, "BENTON_PORT": office.url.rpartition(":")[2]}
    return subprocess.run([script, *words], capture_output=True, text=True, check=False, env=environment, timeout=120)


def test_a_key_made_by_command_works_at_once_and_until_it_is_revoked(office: Office) -> None:
    url = office.url
    added = command(office, "keys", "add", "Dispatch", "--role", "dispatch", "--role", "clerk")
    assert re.fullmatch(r"benton_[\w-]{43}\n", added.stdout)
    assert added.stdout.strip() not in added.stderr
    number = re.search(r"Key (\d+) for Dispatch \(clerk, dispatch\)", added.stderr)
    assert number
    asked = urllib.request.Request(f"{url}/api/v1/me", headers={"Authorization": f"Bearer {added.stdout.strip()}"})
    with urllib.request.urlopen(asked) as answer:
        assert b'"roles":["clerk","dispatch"]' in answer.read()
    listed = command(office, "keys", "list").stdout
    assert re.search(
        rf"^{number[1]}\tDispatch\tclerk,dispatch\t{added.stdout[:12]}\.\.\.\tused .*\tin force$", listed, re.M
    )
    assert added.stdout.strip() not in listed
    assert command(office, "keys", "revoke", number[1]).returncode == 0
    with pytest.raises(urllib.error.HTTPError, match="401") as refused:
        urllib.request.urlopen(asked)
    refused.value.close()
    assert command(office, "keys", "revoke", "999").returncode == 2


def test_a_user_is_added_listed_and_disabled_by_command(office: Office) -> None:
    url = office.url
    added = command(office, "users", "add", "Cleo", "--role", "police")
    assert re.fullmatch(rf"{re.escape(url)}/link/[\w-]{{43}}\n", added.stdout)
    assert re.search(r"^\d+\tCleo\tpolice\tno password yet$", command(office, "users", "list").stdout, re.M)
    assert command(office, "users", "link", "cleo").stdout != added.stdout
    assert command(office, "users", "disable", "Cleo").returncode == 0
    assert re.search(r"^\d+\tCleo\tpolice\tdisabled$", command(office, "users", "list").stdout, re.M)
    assert command(office, "users", "disable", "Nobody").returncode == 2


@pytest.mark.parametrize("kind", ["users", "keys"])
def test_an_unknown_role_ends_with_code_2_and_says_what_is_expected(office: Office, kind: str) -> None:
    done = command(office, kind, "add", "Dora", "--role", "boss")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "role: found boss, expected one of dispatch, inspector, police, clerk, director, admin" in done.stderr
