"""Numbers that buildings have, held against § 288-15: how each stands, and the fewest changes that mend a row.

Alma Street (x = 440) has its 100 block from First (y = 330) to Second (y = 660): 330 ft, 330 / 44 = 7.5, halves up, 8
ft a number. West of it is odd, east even: the east side's k-th unit is 110 + 2k and begins at y = 330 + 8k.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from app import registers
from app.audit import CONSOLE, Act
from app.auth import Role
from app.cli import app as command_line
from app.existing import report, rows_on
from app.existing_told import disorders, shown
from app.main import create_app
from app.settings import Settings
from app.tables import addresses, locations
from gis.existing import Stand, fewest_changes, numbers_to_take
from tests.people import Headers, by_key, by_session
from tests.plat import PLAT, village

Json = dict[str, Any]
EAST, WEST = 480, 400


class Town:
    """A plat whose buildings have numbers from before."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.database = client.app.state.database  # type: ignore[attr-defined]
        self.atlas = client.app.state.atlas  # type: ignore[attr-defined]
        self.director: Headers = by_key(self.database, Role.DIRECTOR)
        self.clerk: Headers = by_session(self.database, "Ann Berg", Role.CLERK)

    def assign(self, x: float, y: float, street: str = "Alma Street", **more: Any) -> int:
        body = {"x": x, "y": y, "crs": "EPSG:7608", "street": street, **more}
        answer = self.client.post("/api/v1/addresses", json=body, headers=self.director)
        assert answer.status_code == 201, answer.text
        return int(answer.json()["id"])

    def old(self, number: int, x: float, y: float, street: str = "Alma Street", **other: Any) -> int:
        """Put a number into the register that nobody computed, as a file of old numbers brings it."""
        like = self.assign(x, y, "Alma Street" if street not in PLAT else street)
        with self.database.write() as connection:
            row = registers.get(connection, addresses, like)
            changes = {"number": number, "full": f"{number} {row['half']} {street}", "computed_number": None}
            changes |= {"findings": [], "conforms": False, "street": street, "street_key": street.lower(), **other}
            registers.update(Act(connection, CONSOLE, "as it was"), "correct", addresses, row, changes)
        return like

    def east(self, number: int, y: float, **other: Any) -> int:
        return self.old(number, EAST, y, **other)

    def stands(self) -> dict[int, Json]:
        """How each address stands, by its id."""
        with self.database.read() as connection:
            found = report(self.atlas, connection)
            return {item["id"]: item for item in shown(connection, found, range(len(found.ids)))}

    def rows(self) -> list[Json]:
        with self.database.read() as connection:
            found = report(self.atlas, connection)
            return disorders(connection, found, rows_on(found))

    def get(self, path: str, **params: Any) -> Any:
        return self.client.get(path, params=params, headers=self.clerk)


@contextmanager
def opened(folder: Path, settings: Settings) -> Iterator[Town]:
    (folder / "plat").mkdir()
    made = settings.model_copy(update={"data_dir": village(folder / "plat", PLAT)})
    with TestClient(create_app(made), base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client)


@pytest.fixture
def town(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Town]:
    (tmp_path / "state").mkdir()
    shutil.copyfile(migrated_sqlite, tmp_path / "state" / "register.db")
    with opened(tmp_path, Settings(state_dir=tmp_path / "state")) as made:
        yield made


@pytest.fixture
def either(register_settings: Settings, tmp_path: Path) -> Iterator[Town]:
    """A town whose register is once in SQLite and once in PostgreSQL."""
    with opened(tmp_path, register_settings) as made:
        yield made


def kinds(town: Town) -> dict[int, tuple[str, float]]:
    return {i: (item["kind"], item["off_units"]) for i, item in town.stands().items()}


# --- how a number stands ---


def test_a_computed_number_conforms(town: Town) -> None:
    one = town.assign(EAST, 334)  # the first unit
    assert kinds(town) == {one: ("conforming", 0.0)}


def test_a_number_is_off_by_the_units_between_it_and_its_own(town: Town) -> None:
    """At y = 394 the entrance is 64 ft into the block: 64 / 8 is the 9th unit exactly, 126."""
    near, far = town.east(130, 394), town.old(125, WEST, 417.99)  # 87.99 / 8 = 10.99: the 11th unit of the west, 131
    found = town.stands()
    assert (found[near]["computed"], found[near]["off_units"]) == (126, 2.0)
    assert (found[far]["computed"], found[far]["off_units"]) == (131, -3.0)
    assert found[near]["text"] == "It is 2 units of frontage more than its entrance's 126 (§ 288-15 D)."


def test_the_unit_s_start_is_its_own_and_its_end_the_next_s(town: Town) -> None:
    start, before = town.east(126, 394), town.old(126, EAST, 393.98, suffix="A")
    assert kinds(town) == {start: ("conforming", 0.0), before: ("off", 1.0)}


def test_an_odd_number_on_the_even_side_has_the_wrong_parity(town: Town) -> None:
    one = town.east(127, 394)
    assert kinds(town)[one] == ("parity", 0.0)
    assert town.stands()[one]["text"] == "It is odd, and stands on the east side (§ 288-15 E)."


def test_a_number_of_the_wrong_parity_and_of_another_block_is_told_both(town: Town) -> None:
    one = town.east(227, 394)
    odd = "It is odd, and stands on the east side (§ 288-15 E)."
    assert town.stands()[one]["text"] == f"{odd} It also stands in the 100 block (§ 288-15 D): 126 there."


def test_a_number_of_another_hundred_is_of_the_wrong_block(town: Town) -> None:
    one, low = town.east(226, 394), town.east(98, 500)
    assert [kinds(town)[i][0] for i in (one, low)] == ["block", "block"]
    assert town.stands()[one]["text"] == "It stands in the 100 block (§ 288-15 D): 126 there."


def test_a_north_number_south_of_main_street_is_of_the_wrong_half(town: Town) -> None:
    """100 ft south of Main, an open block of 15 ft a number: the 7th unit, 22 South."""
    one = town.old(22, EAST, -100, half="North")
    item = town.stands()[one]
    assert (item["kind"], item["would_be"]) == ("half", "22 South Alma Street")


def test_of_several_faults_the_first_that_a_clerk_would_name_is_said(town: Town) -> None:
    half = town.old(221, EAST, -100, half="North")
    parity = town.east(227, 394)
    assert [kinds(town)[i][0] for i in (half, parity)] == ["half", "parity"]


def test_an_officer_s_choice_over_the_same_computed_number_is_told_apart(either: Town) -> None:
    """Without the record that it was chosen the same number is two units off."""
    town = either
    one = town.assign(EAST, 394, number=130, reason="The owner asked before the survey")
    same = town.old(134, EAST, 410)  # 80 / 8: the 11th unit, 130
    found = town.stands()
    assert (found[one]["kind"], found[one]["computed"]) == ("chosen", 126)
    assert found[one]["text"].endswith("gives its entrance: The owner asked before the survey.")
    assert (found[same]["kind"], found[same]["off_units"]) == ("off", 2.0)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"street": "Gone Street"}, "its street is not in the map in force"),
        ({"number_prefix": "N64W"}, "it has a prefix of another system of numbers"),
    ],
)
def test_a_number_that_cannot_be_placed_says_why(town: Town, other: Json, why: str) -> None:
    one = town.east(126, 394, **other)
    item = town.stands()[one]
    assert (item["kind"], item["text"]) == ("unplaceable", f"It cannot be placed: {why}.")
    assert item["would_be"] is None or item["computed"] == 126


def moved(town: Town, one: int, x: float, y: float) -> None:
    with town.database.write() as connection:
        place = registers.get(connection, locations, registers.get(connection, addresses, one)["location_id"])
        registers.update(Act(connection, CONSOLE, "measured"), "correct", locations, place, {"x_ft": x, "y_ft": y})


def test_an_entrance_on_the_line_has_no_side_and_a_tenth_of_a_foot_off_it_has(town: Town) -> None:
    one = town.assign(EAST, 394)
    moved(town, one, 440.09, 394)
    assert town.stands()[one]["reason"] == "SIDE_UNDETERMINED"
    moved(town, one, 440.11, 394)
    assert kinds(town)[one] == ("conforming", 0.0)


def test_past_the_end_of_a_street_an_officer_places_the_doors(town: Town) -> None:
    """Past Second (660) open blocks of 660 ft follow; the 300 block begins at 1320, the end is 180 ft on: 334."""
    own = town.assign(EAST, 1510)
    other = town.old(336, EAST, 1520)
    found = town.stands()
    assert (found[own]["kind"], found[own]["computed"]) == ("conforming", 334)
    assert (found[other]["kind"], found[other]["reason"]) == ("unplaceable", "PAST_END")


def test_a_half_number_is_none_of_the_ordinance_s(town: Town) -> None:
    one = town.old(126, EAST, 394, fraction="1/2")
    item = town.stands()[one]
    assert (item["kind"], item["off_units"]) == ("off", 0.25)
    assert "half number" in item["text"]


@pytest.mark.parametrize("path", ["/", "/addresses", "/streets", "/maps", "/findings", "/plat-book", "/law"])
def test_no_page_of_a_draft_denies_that_a_number_brought_in_is_official(town: Town, path: str) -> None:
    town.east(22, 200, status="official")
    for headers in ({}, town.director):
        told = text_of(town.client.get(path, headers=headers).text)
        assert "o number given from it is official" in told
        assert "xisting numbers that were brought in are" in told
        for false in (
            "none is official",
            "no number here is official",
            "every number is provisional",
            "its numbers are p",
        ):
            assert false not in told


def test_retired_numbers_are_not_judged(town: Town) -> None:
    one = town.assign(EAST, 334)
    town.client.post(f"/api/v1/addresses/{one}/retire", json={"reason": "razed"}, headers=town.director)
    assert town.stands() == {}
    assert town.get("/audit-numbers").status_code == 200


def test_an_entrance_held_to_its_lot_conforms_to_the_number_that_assigning_gave(either: Town) -> None:
    """A lot from y = 400 to 460; its entrance stands at 470, beside it, and is held to 459.99: unit 17, 142."""
    town = either
    ring = [[450, 400], [600, 400], [600, 460], [450, 460], [450, 400]]
    one = town.assign(EAST, 470, lot={"type": "Polygon", "coordinates": [ring]})
    item = town.stands()[one]
    assert (item["number"], item["kind"], item["computed"]) == (142, "conforming", 142)  # 129.99 / 8 = 16.2


# --- the lines of the map ---


def test_lines_lead_to_the_street_and_to_where_the_number_would_lie(town: Town) -> None:
    """126's unit is y = 394 to 402: its middle 398. 130's is 410 to 418: 414."""
    one = town.east(130, 394)
    lines = town.stands()[one]["lines"]
    project = town.atlas.village.into_feet("EPSG:4326")
    ends = [[round(float(v), 1) for v in project(*lines[name][1])] for name in ("to_street", "to_number")]
    assert ends == [[440.0, 394.0], [440.0, 414.0]]
    assert lines["to_street"][0] == lines["to_number"][0] == lines["entrance"]


def test_a_number_that_the_street_has_nowhere_has_no_line_to_it(town: Town) -> None:
    """The last unit of 330 ft at 8 ft begins at 328 ft: the 42nd, 192. 194 begins past the block's end."""
    last, past = town.east(192, 394), town.east(194, 420)
    found = town.stands()
    assert found[last]["lines"]["to_number"] is not None
    assert found[past]["lines"]["to_number"] is None


# --- a row out of order ---


def test_a_row_that_rises_is_in_order_however_far_its_numbers_are_off(town: Town) -> None:
    for number, y in ((110, 350), (150, 360), (152, 640)):
        town.east(number, y)
    assert town.rows() == []


def test_two_numbers_that_stand_in_each_other_s_place_need_one_change(town: Town) -> None:
    """Outward 126, 118, 142: 118 or 126 changes; 126 conforms at y = 394 and stays. 118 stands at 418: 88 ft, 132."""
    town.east(126, 394)
    out, last = town.east(118, 418), town.east(142, 458)
    (row,) = town.rows()
    assert (row["street"], row["half"], row["side"], row["numbers"], row["fewest"]) == (
        "Alma Street",
        "North",
        "east",
        3,
        1,
    )
    (change,) = row["changes"]
    assert (change["id"], change["number"], change["to"]) == (out, 118, 132)
    assert row["ways"] == 2
    assert row["possible"] is True
    assert [i for i, item in town.stands().items() if item["out_of_order"]] == [out]
    assert kinds(town)[last] == ("conforming", 0.0)


def test_where_the_numbers_that_stay_leave_none_the_row_cannot_be_mended(town: Town) -> None:
    """126 and 128 stay at 394 and 410, with nothing between; what stands there has no number to take."""
    town.east(126, 394)
    between = town.east(192, 400)
    town.east(128, 410)
    town.east(130, 414)
    (row,) = town.rows()
    (change,) = row["changes"]
    assert (change["id"], change["to"], row["possible"]) == (between, None, False)
    assert change["why_none"] == "The numbers that stay leave none of its 100 block between them."


def test_the_doors_of_one_number_change_together(town: Town) -> None:
    town.east(130, 394)
    main, door = town.east(118, 418), town.east(118, 419, suffix="A")
    town.east(142, 458)
    (row,) = town.rows()
    changed = [(c["id"], [w["id"] for w in c["with"]]) for c in row["changes"]]
    assert (row["numbers"], row["fewest"]) == (3, 1)
    assert changed == [(main, [door])]


# --- page, API, file ---


@pytest.fixture
def told(town: Town) -> Town:
    return filled(town)


def filled(town: Town) -> Town:
    """Give a town two numbers that conform, one off by units and out of order, and one of the wrong parity."""
    town.east(126, 394)
    town.east(118, 418)
    town.east(142, 458)
    town.old(132, WEST, 394)
    return town


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<script.*?</script>", "", page, flags=re.S)).split())


def test_the_page_counts_lists_and_leads_on_and_changes_nothing(told: Town) -> None:
    page = told.get("/audit-numbers")
    shown = text_of(page.text)
    assert page.status_code == 200
    for words in (
        "2 Conforming",
        "1 Off by units",
        "1 Wrong parity",
        "1 Out of order",
        "2 numbers: all that do not conform",
    ):
        assert words in shown
    assert "118 North Alma Street provisional Off by units -7 Out of order" in shown  # 88 / 8: the 12th unit, 132
    assert "1 of 3 numbers would have to change, and no fewer." in shown
    ids = [i for i, item in told.stands().items() if item["kind"] in {"off", "parity"}]
    for i in ids:
        assert f'href="/addresses/{i}/renumber"' in page.text
    assert 'href="/faces/Alma%20Street/North/100/even"' in page.text


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ({"kind": ""}, 4),
        ({"kind": "conforming"}, 2),
        ({"kind": "order"}, 1),
        ({"kind": "wrong", "street": "alma st"}, 2),
        ({"kind": "", "street": "Main Street"}, 0),
        ({"kind": "", "half": "south"}, 0),
    ],
)
def test_numbers_are_filtered_alike_on_page_and_api(told: Town, asked: Json, count: int) -> None:
    page, answer = told.get("/audit-numbers", **asked), told.get("/api/v1/existing", **asked).json()
    assert (answer["total"], len(answer["items"])) == (count, count)
    assert page.text.count('<tr><th scope="row"><a href="/addresses/') == count + (1 if "Main" not in str(asked) else 0)


def test_what_is_no_kind_street_or_half_is_refused_by_name(town: Town) -> None:
    for asked, field in (({"kind": "odd"}, "kind"), ({"half": "up"}, "half"), ({"street": "Nowhere"}, "street")):
        answer = town.get("/api/v1/existing", **asked)
        assert answer.status_code == 422
        assert field in answer.text
        assert town.get("/audit-numbers", **asked).status_code in {404, 422}


def test_the_farthest_off_come_first_where_that_is_asked(told: Town) -> None:
    told.east(128, 462)  # 132 / 8: the 17th unit, 142; 7 units less, as 118 is
    found = told.get("/api/v1/existing", sort="-off", limit=3).json()["items"]
    assert [abs(item["off_units"]) for item in found] == [7.0, 7.0, 0.0]


def test_the_lines_are_drawn_by_the_page_s_map_and_given_by_the_api(told: Town) -> None:
    script = told.get("/audit-numbers/map.js", kind="wrong", street="Alma Street")
    assert script.headers["content-type"].startswith("text/javascript")
    for layer in ("geo_json_to_street", "geo_json_to_number", "geo_json_entrances", "geo_json_streets"):
        assert f"var {layer} =" in script.text
    found = told.get("/api/v1/existing", kind="off", format="geojson").json()
    assert [f["properties"]["line"] for f in found["features"]] == ["to_street", "to_number"]


def test_the_public_reads_no_audit_of_numbers(told: Town) -> None:
    assert told.client.get("/api/v1/existing").status_code == 401
    assert told.client.get("/audit-numbers").status_code == 303


def test_the_file_of_page_api_and_command_is_one(either: Town, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = filled(either)
    settings = told.client.app.state.settings  # type: ignore[attr-defined]
    for name in ("data_dir", "state_dir", "database_url"):
        monkeypatch.setenv(f"BENTON_{name.upper()}", str(getattr(settings, name)))
    out = tmp_path / "numbers.csv"
    done = CliRunner().invoke(command_line, ["audit-numbers", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "4 numbers: 2 conforming, 1 off, 1 parity, 1 order; 1 row out of order." in done.output
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [(r["address"], r["kind"], r["could_take"]) for r in rows if r["out_of_order"] == "true"] == [
        ("118 North Alma Street", "off", "130")  # the west side has 132
    ]
    assert told.get("/audit-numbers", kind="", format="csv").text == out.read_text()
    assert told.get("/api/v1/existing", format="csv").text == out.read_text()


def test_a_number_that_was_changed_is_judged_anew(told: Town) -> None:
    (one,) = [i for i, item in told.stands().items() if item["kind"] == "parity"]
    body = {"changes": [{"id": one, "number": 127}], "reason": "the audit"}
    answer = told.client.post("/api/v1/renumberings", json=body, headers=told.director)
    assert answer.status_code == 201, answer.text
    assert "parity" not in {kind for kind, _ in kinds(told).values()}


# --- the fewest changes, against every other way ---

ROW = st.lists(st.integers(1, 9), min_size=1, max_size=8)


@given(ROW, st.data())
def test_no_fewer_changes_would_do_and_the_ways_are_all_that_there_are(values: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    row = [Stand(10.0 * k, v, w) for k, (v, w) in enumerate(zip(values, weights, strict=True))]
    found = fewest_changes(row)
    rising = [
        kept
        for size in range(1, len(row) + 1)
        for kept in combinations(range(len(row)), size)
        if all(values[a] < values[b] for a, b in pairwise(kept))
    ]
    longest = [kept for kept in rising if len(kept) == max(map(len, rising))]
    heaviest = max(sum(weights[k] for k in kept) for kept in longest)
    best = min(kept for kept in longest if sum(weights[k] for k in kept) == heaviest)
    assert (found.kept, found.ways) == (best, len(longest))
    assert sorted((*found.kept, *found.changed)) == list(range(len(row)))


@given(ROW, st.sets(st.integers(1, 9), max_size=6), st.data())
def test_as_many_as_can_get_a_number_and_then_the_nearest(
    values: list[int], free: set[int], data: st.DataObject
) -> None:
    row = [Stand(10.0 * k, v) for k, v in enumerate(values)]
    fewest = fewest_changes(row)
    kept = {values[k] for k in fewest.kept}
    offered = sorted(free - kept)
    wanted = {k: data.draw(st.integers(1, 9)) for k in fewest.changed}
    found = numbers_to_take(row, fewest.kept, wanted, dict.fromkeys(fewest.changed, offered))
    line = [values[k] if k in fewest.kept else found[k] for k in range(len(row))]
    told = [n for n in line if n is not None]
    assert told == sorted(set(told))
    given_to = [k for k in fewest.changed if found[k] is not None]
    assert all(found[k] in offered for k in given_to)
    other = best_by_trying(values, fewest.kept, wanted, offered)
    assert (len(given_to), -sum(abs(found[k] - wanted[k]) for k in given_to)) == other


def best_by_trying(
    values: list[int], kept: tuple[int, ...], wanted: dict[int, int], offered: list[int]
) -> tuple[int, int]:
    """The most that can get a number, and the least distance in all, by trying every way."""
    best = (0, 0)

    def go(k: int, last: int, count: int, far: int) -> None:
        nonlocal best
        if k == len(values):
            best = max(best, (count, -far))
            return
        if k in kept:
            if values[k] > last:
                go(k + 1, values[k], count, far)
            return
        go(k + 1, last, count, far)
        for n in offered:
            if n > last:
                go(k + 1, n, count + 1, far + abs(n - wanted[k]))

    go(0, 0, 0, 0)
    return best
