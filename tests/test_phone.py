"""What stands on a page is seen on a phone of 360 by 740: no entry is cut off, nothing lies under the bar."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.test_address_pages import Live, live, opened

__all__ = ["live", "opened"]

CUT_OFF = """() => [...document.querySelectorAll("header.site nav a")].filter((a) => {
  const at = a.getBoundingClientRect();
  const seen = document.elementFromPoint(at.left + at.width / 2, at.top + 4);
  return at.left < -1 || at.right > innerWidth + 1 || seen !== a;
}).map((a) => a.textContent)"""
CUE = """() => Number(getComputedStyle(document.querySelector("header.site nav ul"), "::after").opacity)"""
COVERED = """(all) => [...document.querySelectorAll(all)].filter((one) => {
  one.focus();
  const bar = document.querySelector(".reach").getBoundingClientRect(), at = one.getBoundingClientRect();
  const fixed = getComputedStyle(document.querySelector(".reach")).position === "fixed";
  return fixed && at.height < innerHeight - bar.height && at.bottom > bar.top && at.top < bar.bottom;
}).map((one) => one.outerHTML.slice(0, 80))"""
FIELDS = (
    "#assign input:not([type=hidden]), #assign textarea, #assign button:not(.hidden), #assign summary, .choices label"
)


@pytest.mark.parametrize("width", [801, 900, 1280])
def test_every_entry_of_the_navigation_is_seen_where_there_is_room(
    live: Live, opened: Callable[..., Page], width: int
) -> None:
    """Seen to fail before at 801: the last entries stood right of the line, unseen."""
    page = opened("director", width)
    page.goto(f"{live.url}/addresses")
    assert page.locator("header.site nav a").count() == 21
    assert page.evaluate(CUT_OFF) == []


@pytest.mark.parametrize("path", ["/addresses", "/api", "/assign"])
@pytest.mark.parametrize("who", ["", "director"])
def test_a_phone_shows_that_more_entries_follow_until_the_last_is_reached(
    live: Live, opened: Callable[..., Page], path: str, who: str
) -> None:
    """Seen to fail before: the entries were cut off at the edge with nothing to show it."""
    page = opened(who, 360)
    page.goto(live.url + (path if who or path != "/assign" else "/"))
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    entries = page.locator("header.site nav a")
    hidden = page.evaluate(CUT_OFF)
    assert hidden
    assert page.evaluate(CUE) == 1
    for k in range(entries.count()):
        entries.nth(k).evaluate("(a) => a.scrollIntoView({ inline: 'nearest', block: 'nearest' })")
        assert entries.nth(k).inner_text() not in page.evaluate(CUT_OFF)
    page.evaluate("document.querySelector('header.site nav ul').scrollLeft = 9999")
    page.wait_for_function(f"() => ({CUE})() < 0.1")
    assert entries.last.inner_text() not in page.evaluate(CUT_OFF)


def test_the_choice_of_streets_never_lies_under_the_bar(live: Live, opened: Callable[..., Page]) -> None:
    """Seen to fail before: the bar lay over the first street as the page opened, and over what was scrolled there."""
    page = opened("director", 360)
    page.goto(live.path(410, 290))
    page.get_by_role("button", name="Use my position").wait_for(state="attached")
    choices = page.locator(".choices label")
    assert choices.count() == 2
    end = page.evaluate("document.documentElement.scrollHeight")
    for y in range(0, end, 40):
        page.evaluate("(y) => window.scrollTo(0, y)", y)
        assert (
            page.evaluate(
                """() => [...document.querySelectorAll(".choices label")].some((label) => {
              const at = label.getBoundingClientRect(), y = Math.min(at.bottom - 2, innerHeight - 2);
              if (at.top > innerHeight - 4 || at.bottom < 4) return false;
              const seen = document.elementFromPoint(at.left + at.width / 2, y);
              return seen && seen.closest(".reach") !== null;
            })"""
            )
            is False
        ), y
    page.get_by_role("button", name="Use my position").scroll_into_view_if_needed()
    assert page.get_by_role("button", name="Use my position").is_visible()


def test_what_is_focused_stands_above_the_bar(live: Live, opened: Callable[..., Page]) -> None:
    """Seen to fail before: a field that the Tab key reached was brought to the edge of the screen, under the bar."""
    page = opened("director", 360)
    for address in (f"{live.url}/assign", live.path(1000, 44), live.path(410, 290)):
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.evaluate("window.scrollTo(0, 0)")
        assert page.evaluate(COVERED, FIELDS) == []


def test_the_buttons_of_an_outline_stay_at_hand_while_streets_are_to_be_chosen(
    live: Live, opened: Callable[..., Page]
) -> None:
    page = opened("director", 360)
    page.goto(live.path(410, 290))
    page.locator("summary", has_text="Place, building and lot").click()
    page.get_by_role("button", name="Tap the building’s corners").click()
    page.evaluate("window.scrollTo(0, 0)")
    box = page.get_by_role("button", name="Finish the outline").bounding_box()
    assert box
    assert box["y"] + box["height"] <= 740
