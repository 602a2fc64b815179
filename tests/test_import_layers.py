"""Surveyed features of the right-of-way brought in from files, on a plat on squared paper.

Main Street lies on y = 0: 36 ft between curbs (y = 18 and -18), walks of 5 ft from 27 to 32 and from -32 to -27, all
assumed and good to 5 ft.

Seen to fail, each by breaking the code once: `_replaced` handed nothing surveyed; `_once` left out; `covered` giving
nothing; `street_is_left` the other way round; a cell's value after the whole file's; owners told to everybody; the
pieces of an undone import left standing.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pytest
from fastapi.testclient import TestClient
from shapely import LineString, MultiPolygon, Point, Polygon, box, transform
from shapely.geometry import shape as as_shape

from app.audit import CONSOLE
from app.auth import Role
from app.import_columns import guess
from app.import_report import ImportFaultsError
from app.import_undo import undo_import
from app.imports import Asked, Checked, bring_in, check
from app.main import create_app
from app.map_versions import MapStateError
from app.settings import Settings
from app.street_tables import layer_features
from app.verify import verify
from gis.errors import StreetsError
from gis.layers import Feature
from gis.row import CrossSection, Run, Side, Surveyed, build
from tests.people import by_key, by_session, state
from tests.prepared import Prepared, put_map
from tests.test_address_pages import Town, text_of
from tests.test_right_of_way import with_file

CRS = "EPSG:7608"
API = "/api/v1/right-of-way"
COLUMNS = (
    "layer",
    "wkt",
    "label",
    "street",
    "source",
    "surveyed_on",
    "accuracy_ft",
    "holder",
    "owner",
    "occupant",
    "use",
)
WALK = "POLYGON ((100 20, 400 20, 400 26, 100 26, 100 20))"
LOT = "POLYGON ((100 40, 200 40, 200 140, 100 140, 100 40))"
CORNER = "POLYGON ((-33 -33, 140 -33, 140 33, 33 33, 33 140, -33 140, -33 -33))"
"""140 ft of Main Street, and as many of Van Buren Street, from where they cross."""
PATIENCE_S = 60


@pytest.fixture
def town(prepared: Prepared, tmp_path: Path) -> Iterator[Town]:
    prepared.file(tmp_path / "register", put_map)
    (tmp_path / "plat").mkdir()
    app = create_app(Settings(data_dir=with_file(tmp_path / "plat"), state_dir=tmp_path / "register"))
    roles = {"director": Role.DIRECTOR, "clerk": Role.CLERK}
    who = {name: by_session(app.state.database, f"{name.title()} Jones", role) for name, role in roles.items()}
    who |= {f"{name} key": by_key(app.state.database, role, name=name) for name, role in roles.items()}
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, app.state.database, app.state.atlas, who)


def table(folder: Path, rows: Sequence[dict[str, str]], name: str = "survey.csv") -> Path:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(rows)
    (folder / name).write_text(text.getvalue(), encoding="utf-8")
    return folder / name


def row(layer: str, wkt: str, accuracy: str = "0.2", **more: str) -> dict[str, str]:
    return {"layer": layer, "wkt": wkt, "accuracy_ft": accuracy, **more}


def looked(town: Town, path: Path, **more: Any) -> Checked:
    return check(town.atlas, Asked("layers", path, path.name, crs=CRS, **more))


def brought(town: Town, path: Path, **more: Any) -> dict[str, Any]:
    return bring_in(town.atlas, CONSOLE, looked(town, path, **more))


def faults(checked: Checked) -> list[tuple[int, str]]:
    return [(at, fault.field) for at, fault in checked.report.ordered(checked.report.faults)]


def cut(town: Town, layer: str, x: float, low: float, high: float) -> list[tuple[str, float, float, float]]:
    """Each piece of a layer on a line straight up at x: its status, accuracy, and from where to where it lies."""
    features = town.get(f"{API}/{layer}", limit=1000).json()["features"]
    project, line = town.atlas.village.into_feet("EPSG:4326"), LineString([(x, low), (x, high)])
    found = []
    for feature in features:
        shape = transform(as_shape(feature["geometry"]), lambda xy: np.column_stack(project(*xy.T)))
        part = shape.intersection(line)
        if not part.is_empty:
            known = feature["properties"]
            ends = (round(part.bounds[1], 1), round(part.bounds[3], 1))
            found.append((known["status"], known["accuracy_ft"], *ends))
    return sorted(found)


# --- a survey takes the place of what is built ---


def test_a_surveyed_walk_takes_the_place_of_the_built_one_beside_it_and_gives_it_back_when_undone(
    town: Town, tmp_path: Path
) -> None:
    assert cut(town, "sidewalk", 200, 0, 40) == [("assumed", 5, 27, 32)]
    made = brought(town, table(tmp_path, [row("sidewalk", WALK, "0.2 ft", source="Plan 7", surveyed_on="6/1/2026")]))
    assert cut(town, "sidewalk", 200, 0, 40) == [("surveyed", 0.2, 20, 26)]
    assert cut(town, "sidewalk", 200, -40, 0) == [("assumed", 5, -32, -27)], "the other side is built as before"
    assert cut(town, "sidewalk", -500, 0, 40) == [("assumed", 5, 27, 32)], "and so is the rest of the street"
    (told,) = (f["properties"] for f in town.get(f"{API}/sidewalk").json()["features"] if f["properties"]["id"])
    assert (told["source"], told["surveyed_on"], told["accuracy_ft"]) == ("Plan 7", "2026-06-01", 0.2)
    near = town.get(f"{API}/sidewalk", street="Main Street").json()["features"]
    assert near[0]["properties"] == told, "whose street nobody said is of the nearest"
    assert "geo_json_row_sidewalk" in town.get("/right-of-way/map.js").text
    page = text_of(town.get("/right-of-way").text)
    assert "1 surveyed, ± 0.2 ft" in page
    assert "newest of Mon, June 1, 2026" in page
    # 6 in of curb behind y = 18, then 1 1/2 ft of terrace to the walk that begins on y = 20
    assert cut(town, "terrace", 200, 0, 40) == [("assumed", 5, 18.5, 20)]
    with town.database.write() as connection:
        undo_import(connection, CONSOLE, made["id"], "The wrong file")
    assert cut(town, "sidewalk", 200, 0, 40) == [("assumed", 5, 27, 32)]
    with town.database.read() as connection:
        assert list(verify(connection)) == []


def test_a_surveyed_curb_is_what_a_mailbox_is_measured_from(town: Town, tmp_path: Path) -> None:
    def setback() -> tuple[float, float]:
        sent = {"crs": CRS, "x": 200, "y": 20, "street": "Main Street"}
        rows = town.client.post("/api/v1/checks/mailbox", json=sent).json()["rows"]
        (one,) = (r for r in rows if r["quantity"] == "setback_in" and r["value"] is not None)
        return one["value"], one["uncertainty"]

    assert setback() == pytest.approx((24, 60))  # 2 ft behind the curb on y = 18, which is good to 5 ft
    lines = ("LINESTRING (100 19, 300 19)", "LINESTRING (300 -17, 100 -17)")
    brought(town, table(tmp_path, [row("curb_line", line, "3 in") for line in lines]))
    assert setback() == pytest.approx((12, 3))
    sent = {"crs": CRS, "x": 200, "y": -20, "street": "Main Street"}
    rows = town.client.post("/api/v1/checks/mailbox", json=sent).json()["rows"]
    # 3 ft behind a curb that is drawn the other way: whichever way it is drawn, the street is on the side it is on
    assert [r["value"] for r in rows if r["quantity"] == "setback_in"] == [pytest.approx(36)]


def test_a_newer_survey_takes_the_place_of_an_older_and_gives_it_back_when_undone(town: Town, tmp_path: Path) -> None:
    brought(town, table(tmp_path, [row("sidewalk", WALK, "1"), row("hydrant", "POINT (150 30)", "3")]))
    newer = [
        row("sidewalk", "POLYGON ((100 20, 260 20, 260 25, 100 25, 100 20))", "0.1"),  # 800 of its 1,800 sq ft
        row("hydrant", "POINT (152 30)", "0.1"),
    ]
    checked = looked(town, table(tmp_path, newer))
    assert [(at, w.found) for at, w in checked.report.warnings] == [
        (2, "feature 2 of an earlier file (without a name)")
    ]
    made = bring_in(town.atlas, CONSOLE, checked)
    assert made["report"]["replaced"] == 1

    def accuracies(layer: str) -> list[float]:
        features = town.get(f"{API}/{layer}").json()["features"]
        return sorted(f["properties"]["accuracy_ft"] for f in features if f["properties"]["id"])

    assert (accuracies("hydrant"), accuracies("sidewalk")) == ([0.1], [0.1, 1])
    with town.database.write() as connection:
        undo_import(connection, CONSOLE, made["id"], "The wrong file")
    assert (accuracies("hydrant"), accuracies("sidewalk")) == ([3], [1])
    again = brought(town, table(tmp_path, newer))
    wider = [row("sidewalk", "POLYGON ((100 20, 400 20, 400 23.1, 100 23.1, 100 20))", "0.4")]
    last = brought(town, table(tmp_path, wider))
    # 930 of the 1,800 sq ft of the oldest lie under it, and 496 of the 800 of the newer
    assert accuracies("sidewalk") == [0.4]
    with town.database.write() as connection, pytest.raises(StreetsError, match="was done to layer_features 5 since"):
        undo_import(connection, CONSOLE, again["id"], "The wrong file")
    with town.database.write() as connection:
        undo_import(connection, CONSOLE, last["id"], "The wrong file")
    assert accuracies("sidewalk") == [0.1, 1]


def test_a_survey_on_one_leg_of_a_street_that_turns_back_leaves_the_other_leg_as_it_is_built() -> None:
    side = Side(curb=True, walk_offset_ft=9, walk_width_ft=5)
    turning = np.array([(0.0, 0.0), (400.0, 0.0), (400.0, 150.0), (0.0, 150.0)])
    section = CrossSection(66, 36, side, side, 5, assumed=True)
    walk = Surveyed("sidewalk", Feature(box(100, -30, 200, -24), 0.1, label="Bow Street", known={"id": 1}))
    made = build([Run("Bow Street", turning, section, even_is_left=True)], section, [walk])
    # both walks lie on the outer side: 27 ft from the centerline on y = 0, and 27 ft above that on y = 150
    outer = LineString([(150, -40), (150, 190)])
    cuts = [f.shape.intersection(outer).bounds[1::2] for f in made.by_name["sidewalk"].features]
    assert sorted(tuple(np.round(ends, 6)) for ends in cuts if len(ends) and not np.isnan(ends).any()) == [
        (-30, -24),
        (27, 123),  # the walks of the inner side, 27 to 32 and 118 to 123
        (177, 182),
    ]


# --- what a file says ---


def test_columns_are_guessed_and_one_value_may_be_said_for_all_of_a_file(town: Town, tmp_path: Path) -> None:
    names = ["FeatureType", "STREETNAME", "Survey_Date", "ACCURACY", "OWNERNAME", "Use", "X1"]
    fields = ["layer", "street", "surveyed_on", "accuracy_ft", "owner", "use"]
    assert list(guess("layers", names).values()) == fields
    frame = geopandas.GeoDataFrame({"ACC": ["", "6 in"]}, geometry=[Point(150, 30), Point(250, -30)], crs=CRS)
    frame.to_file(tmp_path / "hydrants.gpkg", engine="pyogrio")
    whole = {"layer": "Hydrants", "accuracy_ft": "3 ft", "source": "Fire Department", "surveyed_on": "2026-05-01"}
    checked = check(
        town.atlas, Asked("layers", tmp_path / "hydrants.gpkg", "h.gpkg", {"ACC": "accuracy_ft"}, whole=whole)
    )
    made = bring_in(town.atlas, CONSOLE, checked)
    told = [f["properties"] for f in town.get(f"{API}/hydrant").json()["features"]]
    assert [(t["accuracy_ft"], t["source"], t["surveyed_on"]) for t in told] == [
        (3, "Fire Department", "2026-05-01"),
        (0.5, "Fire Department", "2026-05-01"),
    ]
    assert made["report"]["whole"]["layer"] == "Hydrants"


@pytest.mark.parametrize(
    ("kind", "whole", "field"),
    [
        ("layers", {"layer": "moat"}, "all_layer"),
        ("layers", {"accuracy_ft": "about"}, "all_accuracy_ft"),
        ("layers", {"surveyed_on": "2999-01-01"}, "all_surveyed_on"),
        ("layers", {"owner": "A. Berg"}, "all"),
        ("lots", {"layer": "lot"}, "all"),
    ],
)
def test_what_cannot_be_said_of_all_of_a_file_is_refused(
    town: Town, tmp_path: Path, kind: str, whole: dict[str, str], field: str
) -> None:
    with pytest.raises(StreetsError) as refused:
        check(town.atlas, Asked(kind, table(tmp_path, [row("hydrant", "POINT (1 1)")]), "a.csv", crs=CRS, whole=whole))
    assert [fault.field for fault in refused.value.faults] == [field]


def test_each_fault_is_told_by_row_and_any_of_them_keeps_all_out(town: Town, tmp_path: Path) -> None:
    rows = [
        row("sidewalk", WALK),
        row("moat", WALK),
        row("terrace", WALK),
        row("centerline", "LINESTRING (0 0, 9 9)"),
        row("sidewalk", "POINT (1 1)"),
        row("hydrant", WALK),
        row("curb_line", "LINESTRING (100 0, 400 0)"),  # in the middle of Main Street
        row("easement", "POLYGON ((0 0, 50 50, 50 0, 0 50, 0 0))", holder="Power Company"),
        row("alley", "POLYGON ((90000 0, 90010 0, 90010 10, 90000 0))"),
        row("ditch", "POINT (1 1)", ""),
        row("ditch", "POINT (2 1)", "-1"),
        row("ditch", "POINT (3 1)", surveyed_on="2026-13-01"),
        row("ditch", "POINT (4 1)", street="No Street"),
        row("easement", "POLYGON ((0 100, 9 100, 9 109, 0 100))"),
        row("lot", LOT, use="barn"),
        row("sidewalk", WALK),
        row("hydrant", ""),
        row("right_of_way", CORNER),
        row("right_of_way", CORNER, street="Main Street"),
    ]
    before = state(town.database)
    checked = looked(town, table(tmp_path, rows))
    assert faults(checked) == [
        *((2, "layer"), (3, "layer"), (4, "layer"), (5, "geometry"), (6, "geometry"), (7, "geometry")),
        *((8, "geometry"), (9, "geometry"), (10, "accuracy_ft"), (11, "accuracy_ft"), (12, "surveyed_on")),
        *(
            (13, "street"),
            (14, "holder"),
            (15, "use"),
            (15, "label"),
            (16, "geometry"),
            (17, "geometry"),
            (18, "street"),
        ),
    ]
    told = {at: str(fault) for at, fault in checked.report.faults}
    assert "Self-intersection[25 25]" in told[8], "the diagonals of the square cross in its middle"
    assert "outside Plat" in told[9]
    assert "row 1 (line 2) and row 16 (line 17)" in told[16]
    assert "along Main Street, Van Buren Street" in told[18]
    with pytest.raises(ImportFaultsError):
        bring_in(town.atlas, CONSOLE, checked)
    assert state(town.database) == before


def test_a_file_that_names_neither_layer_nor_accuracy_says_what_it_lacks(town: Town, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('wkt\n"POINT (250 30)"\n')
    assert faults(looked(town, tmp_path / "a.csv")) == [(0, "columns"), (0, "columns")]
    with_both = looked(town, tmp_path / "a.csv", whole={"layer": "hydrant", "accuracy_ft": "1"})
    assert not with_both.report.faults


def test_each_part_of_a_shape_is_a_feature_and_heights_are_left_out(town: Town, tmp_path: Path) -> None:
    both = MultiPolygon([box(100, 20, 400, 26), box(100, -26, 400, -20)])
    high = Polygon([(500, 20, 900), (600, 20, 901), (600, 26, 900), (500, 20, 900)])
    frame = geopandas.GeoDataFrame({"layer": ["sidewalk"] * 2, "accuracy": ["1"] * 2}, geometry=[both, high], crs=CRS)
    frame.to_file(tmp_path / "walks.gpkg", engine="pyogrio")
    made = bring_in(town.atlas, CONSOLE, check(town.atlas, Asked("layers", tmp_path / "walks.gpkg", "walks.gpkg")))
    assert made["report"]["stored"] == 3
    assert cut(town, "sidewalk", 200, -40, 40) == [("surveyed", 1, -26, -20), ("surveyed", 1, 20, 26)]


def test_a_survey_brought_in_while_another_was_checked_is_checked_again(town: Town, tmp_path: Path) -> None:
    checked = looked(town, table(tmp_path, [row("sidewalk", WALK)]))
    brought(town, table(tmp_path, [row("sidewalk", WALK)], "other.csv"))
    with pytest.raises(MapStateError, match="check it again"):
        bring_in(town.atlas, CONSOLE, checked)


# --- who sees what, and pages ---


def test_owner_and_occupant_of_a_lot_are_for_officers_alone(town: Town, tmp_path: Path) -> None:
    lot = row("lot", LOT, label="124-1", owner="Ann Berg", occupant="Bo Dahl", use="Residential")
    ease = row("easement", "POLYGON ((0 100, 9 100, 9 109, 0 100))", holder="Power Company", owner="Ann Berg")
    made = brought(town, table(tmp_path, [lot, ease]))
    assert made["report"]["warnings"] == 1, "an easement keeps no owner"
    (seen,) = (f["properties"] for f in town.get(f"{API}/lot").json()["features"])
    assert {"owner", "occupant"} & set(seen) == set()
    assert (seen["use"], seen["label"]) == ("residential", "124-1")
    (known,) = (f["properties"] for f in town.get(f"{API}/lot", "clerk key").json()["features"])
    assert (known["owner"], known["occupant"]) == ("Ann Berg", "Bo Dahl")
    (held,) = (f["properties"] for f in town.get(f"{API}/easement").json()["features"])
    assert (held["holder"], held["label"]) == ("Power Company", "Power Company")
    for path in ("/right-of-way/features?layer=lot", "/right-of-way/features/1", "/right-of-way/map.js",
                 "/right-of-way/features?layer=lot&format=csv"):  # fmt: skip
        assert "Ann Berg" not in town.get(path).text
    for path in ("/right-of-way/features?layer=lot", "/right-of-way/features/1"):
        assert "Ann Berg" in town.get(path, "clerk").text


def test_a_feature_is_retired_and_restored_on_its_page_with_a_reason(town: Town, tmp_path: Path) -> None:
    made = brought(town, table(tmp_path, [row("sidewalk", WALK, label="Walk <3>")]))
    page = town.get("/right-of-way/features/1", "director")
    assert "Walk &lt;3&gt;" in page.text
    assert 'class="lot"' in page.text, "its outline on the map of its place"
    assert "/right-of-way/features/1/retire" not in town.get("/right-of-way/features/1", "clerk").text
    assert town.sent(page, "/right-of-way/features/1/retire").status_code == 422
    sent = {"reason": "The walk was torn out"}
    assert town.sent(page, "/right-of-way/features/1/retire", **sent).status_code == 303
    assert cut(town, "sidewalk", 200, 0, 40) == [("assumed", 5, 27, 32)]
    assert "Walk &lt;3&gt;" in town.get("/right-of-way/features", layer="sidewalk", status="retired").text
    assert town.sent(page, "/right-of-way/features/1/retire", reason="again", token="other").status_code == 409
    with town.database.write() as connection, pytest.raises(StreetsError, match="retire feature by Director Jones"):
        undo_import(connection, CONSOLE, made["id"], "The wrong file")
    back = {"reason": "It is there"}
    answer = town.client.post(f"{API}/features/1/restore", json=back, headers=town.who["director key"])
    assert (answer.status_code, answer.json()["standing"]) == (200, True)
    assert cut(town, "sidewalk", 200, 0, 40) == [("surveyed", 0.2, 20, 26)]


def ended(town: Town, job: str) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_S
    while (found := town.get(f"/api/v1/imports/jobs/{job}", "clerk key").json())["state"] == "running":
        assert time.monotonic() < deadline, found
        time.sleep(0.02)
    return dict(found)


def test_layers_are_sent_by_api_and_by_the_form_and_undone_there(town: Town) -> None:
    whole = json.dumps({"layer": "hydrant", "accuracy_ft": "1"})
    files = {"file": ("hydrants.csv", b'wkt\n"POINT (350 30)"\n')}
    headers = town.who["clerk key"]
    odd = town.client.post(
        "/api/v1/imports/layers", files=files, data={"crs": CRS, "all": '{"layer": "moat"}'}, headers=headers
    )
    assert (odd.status_code, odd.json()["errors"][0]["field"]) == (422, "all_layer")
    answer = town.client.post("/api/v1/imports/layers", files=files, data={"crs": CRS, "all": whole}, headers=headers)
    assert answer.status_code == 202, answer.text
    assert ended(town, answer.json()["job"])["state"] == "done"
    assert len(town.get(f"{API}/hydrant").json()["features"]) == 1
    clerk = town.who["clerk"]
    form = {"kind": "layers", "crs": CRS, "all_layer": "hydrant", "all_accuracy_ft": "", "reason": "Fire Department"}
    other = {"file": ("hydrants.csv", b'wkt\n"POINT (250 30)"\n')}
    sent = town.client.post("/import", files=other, data=form, headers=clerk)
    assert sent.status_code == 303, sent.text
    job = sent.headers["Location"].rpartition("/")[2]
    assert ended(town, job)["state"] == "faults", "no accuracy is said"
    again = {**form, "do": "store", "all_accuracy_ft": "2"}
    assert town.client.post(f"/import/jobs/{job}", data=again, headers=clerk).status_code == 303
    done = ended(town, job)
    assert done["state"] == "done", done
    page = town.get(f"/import/{done['import']}", "clerk")
    assert "accuracy ft 2, layer hydrant" in text_of(page.text)
    assert town.sent(page, f"/import/{done['import']}/undo", "clerk", reason="Twice").status_code == 303
    assert len(town.get(f"{API}/hydrant").json()["features"]) == 1
    with town.database.read() as connection:
        assert len(connection.execute(layer_features.select()).all()) == 2
