"""The pages, as the server renders them and as a browser shows them."""

import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page

from app.audit import CONSOLE
from app.keys import add_key
from app.main import create_app
from app.routes.asked import read_degrees, read_pair
from app.settings import Settings
from tests.conftest import serving_here
from tests.plat import PLAT, village

PAGES = ["/", "/streets", "/findings", "/published", "/law", "/help", "/api", "/streets/Main%20Street"]
PLACE = "/?lat=42.57012&lon=-90.38307"
HOSTILE = {
    "<img src=x onerror=alert(1)>": [(700, -500), (700, 500)],
    "</script><script>alert(1)</script>": [(-700, -500), (-700, 500)],
    '" onmouseover="alert(1)" x="': [(-2000, 900), (2000, 900)],
    "{{ 7 * 7 }} ${alert(1)} `'); alert(1); ('": [(1100, 100), (1100, 800)],
}


@pytest.fixture(scope="module")
def benton() -> Iterator[TestClient]:
    with TestClient(create_app(Settings()), follow_redirects=False) as client:
        yield client


@pytest.fixture(scope="module")
def plat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Another village, whose map is adopted."""
    made = village(tmp_path_factory.mktemp("plat"), PLAT)
    settings = Settings(data_dir=made, state_dir=made / "register")
    with TestClient(create_app(settings), follow_redirects=False) as client:
        _, key = add_key(client.app.state.database, CONSOLE, "director", ["director"])  # type: ignore[attr-defined]
        adoption = {"date": "2026-06-01", "act": "Resolution 2026-14"}
        headers = {"Authorization": f"Bearer {key}"}
        assert client.post("/api/v1/maps/1/adopt", json=adoption, headers=headers).status_code == 200
        yield client


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


class Outline(HTMLParser):
    """What a page consists of, for the rules every page keeps."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.tags if found == tag]


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


# --- every page ---


@pytest.mark.parametrize("path", [*PAGES, PLACE, "/streets/Nowhere", "/nonsense"])
def test_every_page_has_a_language_a_title_landmarks_labels_and_no_inline_script_or_style(
    benton: TestClient, path: str
) -> None:
    answer = benton.get(path)
    outline = Outline(answer.text)
    assert outline.all("html") == [{"lang": "en-US"}]
    assert all(len(outline.all(tag)) == 1 for tag in ("main", "h1"))
    assert re.search(r"<title>[^<]+ · Village of Benton</title>\n<meta", answer.text)
    assert outline.all("header")
    assert outline.all("nav")
    assert outline.all("footer")
    assert next(a for a in outline.all("a"))["href"] == "#main"
    labelled = {label.get("for") for label in outline.all("label")}
    fields = [*outline.all("select"), *(i for i in outline.all("input") if i.get("type") != "checkbox")]
    assert {field["id"] for field in fields} <= labelled
    assert len(outline.all("table")) == len(outline.all("caption"))
    assert all(th.get("scope") for th in outline.all("th"))
    assert all("src" in s or s.get("type") == "application/json" for s in outline.all("script"))
    assert not [attributes for _, attributes in outline.tags if any(k == "style" or k[:2] == "on" for k in attributes)]
    ids = [a["id"] for _, a in outline.tags if "id" in a]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", [*PAGES, "/map.js", "/static/site.css", "/nonsense", "/api/v1/health"])
def test_every_answer_has_the_headers_that_keep_scripts_and_other_sites_out(benton: TestClient, path: str) -> None:
    headers = benton.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("path", [*PAGES, PLACE])
def test_no_page_names_another_site_as_a_source(benton: TestClient, path: str) -> None:
    outline = Outline(benton.get(path).text)
    sources = [a.get(k) for _, a in outline.tags for k in ("src", "href", "action") if k in a]
    assert sources
    assert [source for source in sources if source and re.match(r"\w+:|//", source)] == []


@pytest.mark.parametrize("path", [*PAGES, PLACE])
def test_every_page_says_that_the_map_is_a_draft(benton: TestClient, path: str) -> None:
    assert "nobody may number from this map officially" in text_of(benton.get(path).text)


@pytest.mark.parametrize("path", [*PAGES, "/?x=400&y=500"])
def test_every_page_works_for_another_village_that_is_no_draft(plat: TestClient, path: str) -> None:
    answer = plat.get(path)
    assert answer.status_code == 200
    assert "Village of Plat" in answer.text
    assert not re.search("draft map", text_of(answer.text), re.IGNORECASE)
    assert "Benton" not in re.sub("“[^”]*”", "", answer.text)  # but in the law's own words


def test_a_page_that_did_not_change_is_not_sent_again(benton: TestClient) -> None:
    first = benton.get("/")
    assert first.headers["Content-Encoding"] == "gzip"
    again = benton.get("/", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_browser_keeps_the_maps_script_by_its_digest(benton: TestClient) -> None:
    source = re.search(r'src="(/map\.js\?v=\w+)"', benton.get("/").text)
    assert source
    script = benton.get(source[1])
    assert "immutable" in script.headers["Cache-Control"]
    assert script.headers["Content-Type"].startswith("text/javascript")
    assert script.headers["Content-Encoding"] == "gzip"
    assert "no-cache" in benton.get("/map.js?v=old").headers["Cache-Control"]


def test_leaflet_comes_from_the_installed_package(benton: TestClient) -> None:
    assert b"Leaflet 1.9" in benton.get("/static/leaflet/leaflet.js").content[:200]
    assert benton.get("/static/leaflet/leaflet.css").status_code == 200


# --- a place ---


@pytest.mark.parametrize(
    ("x", "y", "street", "address"),
    [
        (50, 10, "van buren st", "12 North Van Buren Street"),
        (-50, 329, "Van Buren Street", "93 North Van Buren Street"),
        (100, 40, "Main Street", "30 East Main Street"),
        (400, -100, "Alma Street", "23 South Alma Street"),
        (-700, -30, "Main Street", "115 West Main Street"),
    ],
)
def test_a_place_in_feet_has_the_number_of_the_worked_case(
    plat: TestClient, x: float, y: float, street: str, address: str
) -> None:
    html = plat.get("/", params={"x": x, "y": y, "street": street}).text
    assert f'<h2 id="answer-title" class="number" tabindex="-1">{address}</h2>' in html
    assert f"<title>{address} · Village of Plat</title>" in html


def test_the_answer_comes_as_number_doubts_deeds_reasons_and_candidates(plat: TestClient) -> None:
    html = plat.get("/?x=400&y=290").text
    order = ['class="number"', "What is doubtful", "What you can do", "<h3>Why", "Streets near this entrance"]
    assert sorted(order, key=html.index) == order
    assert "More than one street near" in html
    assert "“All buildings and lots" in html
    assert html.count("data-street=") == 2
    assert "more step" in html


def test_another_street_can_be_chosen_and_the_others_stay(plat: TestClient) -> None:
    html = plat.get("/?x=400&y=290&street=first+ave").text
    assert re.search(r'data-street="First Avenue" aria-current="true"', html)
    assert 'data-street="Alma Street"' in html


@pytest.mark.parametrize(
    ("text", "axis", "degrees"),
    [
        ("42.57239", "lat", 42.57239),
        ("42° 34' 20.6\" N", "lat", 42 + 34 / 60 + 20.6 / 3600),
        ("N 42 34 20.6", "lat", 42 + 34 / 60 + 20.6 / 3600),
        ("42°34.5′N", "lat", 42.575),
        ("-90.387096", "lon", -90.387096),
        ("90.387096 W", "lon", -90.387096),
        ("90°23′13.5″W", "lon", -(90 + 23 / 60 + 13.5 / 3600)),
        ("−90.5", "lon", -90.5),
        ("91", "lat", None),
        ("42.5 W", "lat", None),
        ("42 61 0 N", "lat", None),
        ("N 42.5 N", "lat", None),
        ("", "lat", None),
        ("forty", "lat", None),
        ("nan", "lat", None),
    ],
)
def test_degrees_are_read_in_either_notation(text: str, axis: str, degrees: float | None) -> None:
    assert read_degrees(text, axis) == (degrees if degrees is None else pytest.approx(degrees, abs=1e-9))


def test_a_pasted_pair_is_split() -> None:
    assert read_pair("42.57012, -90.38307") == ("42.57012", "-90.38307")
    assert read_pair("42.57012 -90.38307") == ("42.57012", "-90.38307")
    assert read_pair("42°34'12\"N 90°22'59\"W") == ("42°34'12\"N", "90°22'59\"W")
    assert read_pair("237 East Main") is None


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("lat=north&lon=-90.38", "lat", "Enter the latitude as a number"),
        ("lat=42.57&lon=", "lon", "Enter the longitude as a number"),
        ("lat=-90.38&lon=42.57", "lat", "Enter the latitude"),
        ("lat=42.9&lon=-90.38", "lat", "beyond the edge"),
        ("lat=42.57&lon=-90.38&street=Elm", "street", "Elm is not a street of Benton."),
        ("street=Mian+Street", "street", "Mian Street is not a street of Benton. Perhaps Main Street?"),
        ("x=a&y=1", "lat", "must both be numbers"),
        ("x=1&y=1&crs=nonsense", "lat", "nonsense"),
    ],
)
def test_a_fault_stands_beside_its_field(benton: TestClient, query: str, field: str, words: str) -> None:
    answer = benton.get(f"/?{query}")
    assert answer.status_code == 422
    fault = re.search(rf'<p class="fault" id="{field}-fault">(.*?)</p>', answer.text)
    assert fault
    assert words in fault[1]
    assert re.search(rf'id="{field}"[^>]*aria-invalid="true"', answer.text)


@pytest.mark.parametrize(
    ("typed", "leads_to"),
    [
        ("main st", "/streets/Main%20Street"),
        ("42.57012, -90.38307", "/?lat=42.57012&lon=-90.38307"),
        ("unnamed", "/streets?q=unnamed"),
        ("", "/"),
    ],
)
def test_the_search_field_leads_to_streets_and_places(benton: TestClient, typed: str, leads_to: str) -> None:
    assert benton.get("/find", params={"q": typed}).headers["Location"] == leads_to


def test_an_address_typed_leads_to_its_place(benton: TestClient) -> None:
    answer = benton.get(benton.get("/find", params={"q": "237 E. Main St"}).headers["Location"])
    assert ">237 East Main Street</h2>" in answer.text


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("172 Main Street", "The direction is missing: 172 East Main Street or 172 West Main Street?"),
        ("5 N Main St", "Main Street has no North half."),
        ("105 E Main St", "Numbers of this side begin at 111 in this block."),
        ("12 Elm Street", "Elm Street is not a street of Benton."),
        ("zzz", "zzz is not a street of Benton."),
    ],
)
def test_a_search_that_finds_nothing_says_why(benton: TestClient, typed: str, words: str) -> None:
    answer = benton.get("/find", params={"q": typed})
    assert answer.status_code == 422
    assert words in text_of(answer.text)


# --- lists ---


def test_streets_are_searched_sorted_and_exported(benton: TestClient) -> None:
    html = benton.get("/streets?q=unnamed+1&sort=-length").text
    names = re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)', html)
    assert len(names) == 11
    assert names[:2] == ["Unnamed 01", "Unnamed 14"]
    assert 'aria-sort="descending"' in html
    csv = benton.get("/streets?q=unnamed+1&format=csv")
    assert csv.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert len(csv.text.splitlines()) == 12


def test_a_streets_page_shows_each_block_and_draws_it(benton: TestClient) -> None:
    html = benton.get("/streets/Main%20Street").text
    assert len(re.findall(r'<tr id="row-', html)) == 19
    assert html.count("<svg width=") == 2
    for mark in set(re.findall(r'<a href="#(row-[\w-]+)"><title>', html)):
        assert f'<tr id="{mark}">' in html
    assert len(benton.get("/streets/Main%20Street?format=csv").text.splitlines()) == 20


@pytest.mark.parametrize("spelling", ["main st", "MAIN%20STREET", "Main%20St."])
def test_any_spelling_leads_to_the_official_name(benton: TestClient, spelling: str) -> None:
    answer = benton.get(f"/streets/{spelling}")
    assert (answer.status_code, answer.headers["Location"]) == (301, "/streets/Main%20Street")


def test_an_unknown_street_is_a_page_with_names_that_are_near(benton: TestClient) -> None:
    answer = benton.get("/streets/Mian%20Street")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert '<a href="/streets/Main%20Street">Main Street</a>' in answer.text


def test_an_unknown_page_is_a_page_and_an_unknown_api_path_a_problem(benton: TestClient) -> None:
    assert "There is no page at this address" in benton.get("/nonsense").text
    assert benton.get("/api/v1/nonsense").headers["Content-Type"] == "application/problem+json"
    assert benton.get("/streets?page=0").headers["Content-Type"] == "text/html; charset=utf-8"


def test_findings_are_counted_filtered_and_exported(benton: TestClient) -> None:
    html = benton.get("/findings").text
    total = int(re.findall(r'<h2 id="list">(\d+) finding', html)[0])
    counts = [int(n) for n in re.findall(r'<td class="n">(\d+)</td></tr>', html)]
    assert sum(counts) == total == len(benton.get("/findings?format=csv").text.splitlines()) - 1
    one = benton.get("/findings?kind=JOG_NEAR&street=Main+Street").text
    assert set(re.findall(r"<td><b>([^<]+)\.</b>", one)) == {"Jog near its limit"}
    assert "No finding matches" in benton.get("/findings?kind=NONE").text


def test_every_row_a_finding_links_to_stands_on_its_streets_page(benton: TestClient) -> None:
    pages = [benton.get(f"/findings?page={n}").text for n in range(1, 10)]
    links = {m for html in pages for m in re.findall(r'<th scope="row"><a href="(/streets/[^"#]+)#([\w-]+)"', html)}
    assert len(links) > 50
    for path in {path for path, _ in links}:
        html = benton.get(path).text
        assert [a for p, a in links if p == path and f'<tr id="{a}">' not in html] == []


def test_each_of_the_nine_published_addresses_is_on_its_page(benton: TestClient) -> None:
    html = benton.get("/published").text
    titles = re.findall(r'<section class="card" aria-label="([^"]+)"', html)
    assert [title.split()[0] for title in titles] == ["237", "67", "328", "25", "172", "148", "41", "49", "375"]
    assert "None of them adjusts a base line" in html
    assert html.count("In the linework: no.") == 4


def test_every_legal_number_stands_with_section_date_and_sentence(benton: TestClient) -> None:
    html = benton.get("/law").text
    law = benton.app.state.atlas.village.law  # type: ignore[attr-defined]
    for value in law.values:
        row = html.partition(f'<tr id="{value.key}">')[2].partition("</tr>")[0]
        assert value.section in row
        assert "Wed, October 2, 2002" in row
        assert {"assumed": "assumed", "text": "from the text"}[value.effective_status] in row
        assert value.quotation[:30] in row


def test_the_law_page_shows_each_slip_of_the_text_with_its_reading(benton: TestClient) -> None:
    told = text_of(benton.get("/law").text)
    assert "Read as 1 1/4 inches or more. The Streets Committee decides." in told
    assert "“Sufficient warning lights shall be kept on from sunrise to sunset.”" in told
    assert benton.get("/law").text.count('<li id="slip-') == 12


def test_the_law_page_is_in_the_order_of_the_sections(benton: TestClient) -> None:
    found = re.findall(r'<td class="nowrap">§ 288-([0-9]+)', benton.get("/law").text)
    assert [int(section) for section in found] == sorted(int(section) for section in found)
    assert (found[0], found[-1]) == ("4", "18")


def test_the_api_page_lists_every_call_of_the_api(benton: TestClient) -> None:
    html = benton.get("/api").text
    for path, methods in benton.get("/api/v1/openapi.json").json()["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in html


# --- in a browser ---


def place_on(page: Page, x: float, y: float) -> None:
    box = page.locator("#map_village").bounding_box()
    assert box
    page.mouse.click(box["x"] + x, box["y"] + y)
    page.wait_for_selector("#answer-title")


def test_the_first_map_is_there_soon_with_names_on_it(server: str, page: Page) -> None:
    page.goto(server)  # the browser's own start is not the page's
    started = time.monotonic()
    page.goto(server)
    page.wait_for_selector(".on-map.name > span")
    assert time.monotonic() - started < 1.5
    letters = page.locator(".on-map.letter > span").all_inner_texts()
    assert sorted(letters) == ["E", "N", "S", "W"]
    assert page.locator(".leaflet-control-scale-line").inner_text().endswith("ft")


def test_no_label_on_the_map_covers_another(server: str, page: Page) -> None:
    page.goto(server)
    for _ in range(5):
        boxes = page.locator(".on-map.plate > span, .on-map.finding > span, .on-map.letter > span").evaluate_all(
            "spans => spans.map(s => { const r = s.getBoundingClientRect();"
            " return [r.left + r.width / 2, r.top + r.height / 2]; })"
        )
        near = [(a, b) for k, a in enumerate(boxes) for b in boxes[k + 1 :] if abs(a[0] - b[0]) + abs(a[1] - b[1]) < 10]
        assert near == []
        page.locator(".leaflet-control-zoom-in").click()
        page.wait_for_timeout(400)
    assert page.locator(".on-map.plate").count() > 100


def test_a_click_is_answered_drawn_and_put_into_the_address(server: str, page: Page) -> None:
    page.goto(server)
    place_on(page, 420, 300)
    assert re.search(r"/\?lat=42\.\d{7}&lon=-90\.\d{7}$", page.url)
    number = page.locator("#answer-title").inner_text()
    assert page.locator(".on-map.told.main > span").inner_text() == number.split()[0]
    assert page.locator(".on-map.told.neighbour > span").count() in {1, 2}
    clicked = page.locator("#answer").inner_text()
    first = page.url
    place_on(page, 500, 260)
    page.wait_for_url(lambda url: url != first)
    page.go_back()
    page.wait_for_function("text => document.getElementById('answer').innerText === text", arg=clicked)
    page.goto(first)  # a colleague opens the link: the server renders the same answer
    assert page.locator("#answer").inner_text() == clicked


def test_a_candidate_is_chosen_and_escape_closes_the_answer(server: str, page: Page) -> None:
    page.goto(server + PLACE)
    other = page.locator("[data-street]:not([aria-current])").first
    name = other.get_attribute("data-street")
    assert name
    other.click()
    page.wait_for_selector(f'[data-street="{name}"][aria-current]')
    assert page.locator("#answer-title").inner_text().endswith(name)
    assert f"street={name.replace(' ', '+')}" in page.url
    page.keyboard.press("Escape")
    assert page.locator("#answer-title").count() == 0
    assert page.url == f"{server}/"


def test_the_center_of_the_map_is_numbered_by_keyboard_alone(server: str, page: Page) -> None:
    page.goto(server)
    page.locator("#map_village").focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_timeout(400)
    page.get_by_role("button", name="Number the center").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer-title")
    assert page.locator("#said").inner_text().startswith("Number ")


def test_a_phone_s_position_is_numbered_with_its_accuracy(server: str, browser: Browser) -> None:
    place = {"latitude": 42.57012, "longitude": -90.38307, "accuracy": 12}
    context = browser.new_context(
        geolocation=place, permissions=["geolocation"], viewport={"width": 360, "height": 740}
    )
    page = context.new_page()
    page.goto(server)
    page.get_by_role("button", name="Use my position").click()
    page.wait_for_selector("#answer-title")
    assert "good to about 39 ft" in page.locator("#said").inner_text()
    context.close()


def test_a_place_outside_the_village_is_told(server: str, page: Page) -> None:
    page.goto(server)
    box = page.locator("#map_village").bounding_box()
    assert box
    page.mouse.click(box["x"] + 3, box["y"] + box["height"] - 60)
    page.wait_for_selector("#said.fault")
    assert "beyond the edge" in page.locator("#said").inner_text()


def test_every_form_works_without_scripts(server: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server)
    page.locator("summary", has_text="Type coordinates").click()
    page.get_by_label("Latitude", exact=True).fill("42° 34' 12.4\" N")
    page.get_by_label("Longitude", exact=True).fill("90.38307 W")
    page.get_by_role("button", name="Number this place").click()
    assert page.locator("#answer-title").inner_text() == "81 West Main Street"
    context.close()


def test_a_layer_is_switched_off_and_on(server: str, page: Page) -> None:
    page.goto(server + PLACE)
    page.wait_for_selector(".on-map.plate > span")
    page.locator("[data-layer=faces]").uncheck()
    assert page.locator(".on-map.plate").count() == 0
    page.locator("[data-layer=faces]").check()
    assert page.locator(".on-map.plate").count() > 0


@pytest.mark.parametrize("path", [*PAGES, PLACE, "/streets/Nowhere", "/?lat=x&lon=y"])
def test_no_page_scrolls_sideways_on_a_phone(server: str, browser: Browser, path: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    page.goto(server + path)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.close()


def test_the_map_page_prints_to_one_page(server: str, page: Page) -> None:
    page.goto(server + PLACE)
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    assert b"/MediaBox [0 0 612 792]" in pdf


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hostile")
    settings = Settings(data_dir=village(folder, {**PLAT, **HOSTILE}), state_dir=folder / "register")
    with serving_here(settings) as url:
        yield url


def test_a_street_named_with_a_script_shows_as_text_on_every_page(hostile_server: str, page: Page) -> None:
    dialogs: list[str] = []
    outside: list[str] = []
    failed: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda r: None if r.url.startswith(hostile_server) else outside.append(r.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on(
        "console", lambda m: failed.append(m.text) if "Content Security" in m.text or "SyntaxError" in m.text else None
    )
    names = [f"/streets/{quote(name, safe='')}" for name in HOSTILE]
    searches = [f"/find?q={quote(name)}" for name in HOSTILE] + [f"/streets?q={quote(name)}" for name in HOSTILE]
    places = ["/?x=660&y=100", "/?x=-660&y=100", "/?x=300&y=870", "/?x=1060&y=400"]
    places += [f"/?x=660&y=100&street={quote(name)}" for name in HOSTILE]
    for path in [*PAGES, *names, *searches, *places, "/streets/%3Cimg%20src=x%20onerror=alert(2)%3E"]:
        answer = page.goto(hostile_server + path)
        assert answer
        assert answer.status in {200, 404, 422}, path
        assert page.locator("img").count() == 0
        page.locator("body").hover()
    page.goto(hostile_server)
    for x in (250, 420, 560):
        page.locator("#map_village").click(position={"x": x, "y": 300})
        page.wait_for_timeout(300)
    assert (dialogs, outside, failed) == ([], [], [])


def test_hostile_names_are_written_on_the_map_and_in_lists_as_they_are(hostile_server: str, page: Page) -> None:
    page.goto(hostile_server)
    page.wait_for_selector(".on-map.name > span")
    assert set(HOSTILE) & set(page.locator(".on-map.name > span").all_inner_texts())
    page.goto(f"{hostile_server}/streets")
    assert set(HOSTILE) <= set(page.locator("tbody th").all_inner_texts())
    for name in HOSTILE:
        page.goto(f"{hostile_server}/streets/{quote(name, safe='')}")
        assert page.locator("h1").inner_text() == name


def test_no_page_of_benton_asks_another_host(server: str, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in [*PAGES, PLACE]:
        page.goto(server + path)
        page.wait_for_timeout(100)
    assert asked
    assert [url for url in asked if not url.startswith(server)] == []
