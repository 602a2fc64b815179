"""What stands or is dug in the street: recorded, changed, withdrawn, photographed; by API and by forms.

Seen to fail, each by breaking the code once: `>=` for `>` in a panel's limit; `was` not looked at; the key not handed
to `once`; a picture's own bytes kept; `_refuse_other_files` left out; a photo served without asking who; the datum not
sent on; the shape of an unchanged form read anew (it moves 4 ft); a reason left out of a withdrawal.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from PIL import Image, PngImagePlugin

from app.archive import write_archive
from app.auth import Person, Role
from app.db import Database
from app.keeping import restore, verify
from app.law import law_on
from app.main import create_app
from app.map_versions import Atlas
from app.object_photos import PhotoError, cleaned
from app.settings import Settings
from app.street_objects import add_photo, asking, change, record
from app.street_tables import object_photos, street_objects
from app.tables import audit
from gis.measure import Measured
from gis.panels import panel
from tests.people import by_key, by_session, state
from tests.plat import PLAT, village
from tests.test_address_pages import Town, text_of

API = "/api/v1/street-objects"
SCRIPT = "<script>alert('label')</script>"
FEET = "EPSG:7608"
BOX = {"type": "Polygon", "coordinates": [[[400, 4], [412, 4], [412, 10], [400, 10], [400, 4]]]}


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("street")
    app = create_app(Settings(data_dir=village(folder, PLAT), state_dir=folder / "register"))
    database: Database = app.state.database
    who = {role.value: by_session(database, f"{role.value.title()} Jones", role) for role in Role}
    who |= {f"{role.value} key": by_key(database, role, name=f"the {role.value}") for role in Role}
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Town(client, database, app.state.atlas, who)


def send(town: Town, path: str, body: Any, method: str = "POST", key: str = "", who: str = "inspector key") -> Any:
    headers = {**town.who[who], **({"Idempotency-Key": key} if key else {})}
    content = json.dumps(body).encode()
    return town.client.request(method, path, content=content, headers={**headers, "Content-Type": "application/json"})


def recorded(town: Town, **given: Any) -> dict[str, Any]:
    body = {"kind": "mailbox", "geometry": {"type": "Point", "coordinates": [400, 20]}, "crs": FEET, **given}
    answer = send(town, API, body)
    assert answer.status_code == 201, answer.text
    return answer.json()  # type: ignore[no-any-return]


def picture(kind: str = "JPEG", size: tuple[int, int] = (300, 200), **more: Any) -> bytes:
    made = io.BytesIO()
    image = Image.new("RGB", size, (200, 40, 40))
    image.paste((20, 20, 200), (0, 0, size[0] // 2, size[1] // 2))
    image.save(made, kind, **more)
    return made.getvalue()


def photographed(town: Town, object_id: int, data: bytes, caption: str = "", who: str = "inspector key") -> Any:
    files = {"file": ("photo.jpg", data, "image/jpeg")}
    return town.client.post(f"{API}/{object_id}/photos", files=files, data={"caption": caption}, headers=town.who[who])


# --- recording ---


def test_lengths_come_in_as_the_tape_is_read_and_go_out_so(town: Town) -> None:
    facts = {"setback_in": "7 1/2 in", "setback_tolerance_in": "½", "tube_setback_in": "1'-3\"", "curb": "yes"}
    made = recorded(town, facts={**facts, "number_shown": " 145 ", "design": "usps"})
    assert made["facts"] == {
        **{"setback_in": 7.5, "setback_tolerance_in": 0.5, "tube_setback_in": 15.0},
        **{"curb": True, "number_shown": "145", "design": "usps"},
    }
    told = {one["key"]: one["value"] for one in made["told"]}
    assert (told["setback_in"], told["setback_tolerance_in"], told["tube_setback_in"]) == (
        "7 1/2 in",
        "1/2 in",
        "15 in",
    )
    assert told["design"] == "approved by the United States Postal Service"
    assert made["law"][0]["words"].startswith("Every owner shall keep mailboxes located on the terrace free and clear")
    assert (made["label"], made["state"], made["street"]) == ("Mailbox", "standing", "Main Street")


def test_a_position_of_gps_is_moved_and_said_so_and_one_of_the_map_is_not(town: Town) -> None:
    lon, lat = town.atlas.village.out_of_feet("EPSG:4326")(400.0, 20.0)
    at = {"geometry": {"type": "Point", "coordinates": [lon, lat]}, "crs": "EPSG:4326"}
    moved, kept = recorded(town, **at, epoch=2025.0), recorded(town, **at, datum="nad83-2011")
    assert moved["position"]["shifted"]
    assert "from GPS" in moved["position"]["note"]
    # some 3.4 ft east and 2.8 ft south at Benton in 2025; a degree of longitude is 270,600 ft here and one of
    # latitude 364,500 ft
    assert (moved["lon"] - lon) * 270_600 == pytest.approx(3.4, abs=0.3)
    assert (moved["lat"] - lat) * 364_500 == pytest.approx(-2.8, abs=0.3)
    assert not kept["position"]["shifted"]
    assert kept["geometry"]["coordinates"] == pytest.approx([lon, lat], abs=1e-7)
    again = send(town, f"{API}/{moved['id']}", {"geometry": moved["geometry"], "datum": moved["datum"]}, "PATCH")
    assert again.json()["lon"] == pytest.approx(moved["lon"], abs=2e-7)


@pytest.mark.parametrize(
    ("vertical", "gap", "surface", "verdicts"),
    [
        (("11/16", 0), None, None, ["complies", "not_checked", "not_checked"]),
        (("3/4", 0), None, None, ["violates", "not_checked", "not_checked"]),
        (("3/4", "1/16"), None, None, ["undecided", "not_checked", "not_checked"]),
        (("13/16", "1/16"), ("1 3/16", 0), ("7/16", 0), ["violates", "complies", "complies"]),
        (None, ("1 1/4", 0), ("1/2", 0), ["not_checked", "violates", "violates"]),
        (None, ("1 1/4", "1/8"), ("7/16", "1/8"), ["not_checked", "undecided", "undecided"]),
    ],
)
def test_a_panel_is_defective_from_the_laws_size_on(
    town: Town, vertical: Any, gap: Any, surface: Any, verdicts: list[str]
) -> None:
    """§ 288-4 E: three-fourths, one and one-fourth, one half inch; just the size is defective."""
    measured = {"vertical": vertical, "gap": gap, "surface": surface}
    facts: dict[str, Any] = {}
    for name, one in measured.items():
        facts |= {f"{name}_in": one[0], f"{name}_tolerance_in": one[1]} if one else {}
    made = recorded(town, kind="sidewalk_panel", facts=facts)["checked"]
    assert [row["verdict"] for row in made["rows"]] == [*verdicts, "officer"]
    assert [row["section"] for row in made["rows"]] == ["§ 288-4 E(a)", "§ 288-4 E(b)", "§ 288-4 E(c)", "§ 288-4 E"]
    assert "Streets Committee" in made["rows"][3]["settles"]
    worst = next(one for one in ("violates", "undecided", "complies") if one in verdicts)
    assert made["verdict"] == worst


def test_a_panel_of_which_nothing_was_measured_is_nobodys_verdict() -> None:
    law = law_on(date(2026, 6, 1)).right_of_way
    found = panel(law)
    assert [str(row.verdict) for row in found.rows] == ["not_checked"] * 3 + ["officer"]
    assert [row.limit for row in found.rows[:3]] == pytest.approx([0.75, 1.25, 0.5])
    assert panel(law, gap=Measured(1.25 / 12, 0.0)).rows[1].margin == pytest.approx(0.0)


def test_a_checks_answer_is_kept_as_it_was_and_marked_once_the_record_changes(town: Town) -> None:
    answer = {"verdict": "undecided", "rows": [{"quantity": "setback_in", "value": 7.5, "odd": ["é", None]}], "x": 1}
    made = recorded(town, checked=answer)
    assert made["checked"] == answer
    path = f"{API}/{made['id']}"
    assert send(town, path, {"label": "Of the corner house"}, "PATCH").json()["checked"] == answer
    assert send(town, path, {"facts": {"curb": False}}, "PATCH").json()["checked"] == {**answer, "stale": True}
    fresh = {"verdict": "complies", "rows": []}
    assert send(town, path, {"facts": {"curb": True}, "checked": fresh}, "PATCH").json()["checked"] == fresh


def test_facts_change_one_by_one_and_a_stale_change_is_refused(town: Town) -> None:
    made = recorded(town, facts={"curb": True, "tube": "none", "number_shown": "12"})
    path = f"{API}/{made['id']}"
    first = send(town, path, {"facts": {"tube": None, "number_shown": "14"}, "was": made["version"]}, "PATCH").json()
    assert first["facts"] == {"curb": True, "number_shown": "14"}
    before = state(town.database)
    late = send(town, path, {"facts": {"curb": None}, "was": made["version"]}, "PATCH")
    assert (late.status_code, late.json()["title"]) == (409, "Changed meanwhile")
    same = send(town, path, {"facts": {"number_shown": "14"}}, "PATCH")
    assert (same.status_code, "Nothing would be changed" in same.text) == (422, True)
    assert state(town.database) == before


def test_the_same_request_sent_twice_is_done_once(town: Town) -> None:
    body = {"kind": "fixture", "geometry": {"type": "Point", "coordinates": [300, 20]}, "crs": FEET, "label": "Bench"}
    first, again = (send(town, API, body, key="tap-1") for _ in range(2))
    assert first.json()["id"] == again.json()["id"]
    before = state(town.database)
    other = send(town, API, {**body, "label": "Another"}, key="tap-1")
    assert (other.status_code, other.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert state(town.database) == before


def test_a_record_is_withdrawn_with_a_reason_and_restored(town: Town) -> None:
    made = recorded(town, kind="obstruction", geometry=BOX, label="Pile of sand")
    path = f"{API}/{made['id']}"
    assert send(town, f"{path}/retire", {"reason": " "}).json()["errors"][0]["field"] == "reason"
    gone = send(town, f"{path}/retire", {"reason": "Recorded twice."}).json()
    assert (gone["state"], gone["retired_reason"]) == ("withdrawn", "Recorded twice.")
    shown = [one["id"] for one in town.get(API, "clerk key", kind="obstruction").json()["items"]]
    assert made["id"] not in shown
    assert made["id"] in [one["id"] for one in town.get(API, "clerk key", state="withdrawn").json()["items"]]
    assert made["id"] not in [one["id"] for one in town.get("/api/v1/works").json()["items"]]
    for act, body in (("", {"label": "x"}), ("/retire", {"reason": "again"})):
        refused = send(town, path + act, body, "POST" if act else "PATCH")
        assert (refused.status_code, refused.json()["code"]) == (409, "STATE")
    assert photographed(town, made["id"], picture()).status_code == 409
    assert send(town, f"{path}/restore", {"reason": "It was not."}).json()["state"] == "active"
    assert send(town, f"{path}/restore", {}).status_code == 409
    with town.database.read() as connection:
        mine = (audit.c.kind == "street_objects") & (audit.c.subject == str(made["id"]))
        acts = connection.execute(sa.select(audit.c.what, audit.c.reason).where(mine).order_by(audit.c.seq)).all()
    assert [tuple(one) for one in acts] == [
        ("record object", ""),
        ("retire object", "Recorded twice."),
        ("restore object", "It was not."),
    ]


LONG = [[float(k), 20.0] for k in range(20_001)]
POINT = {"type": "Point", "coordinates": [400, 20]}
LONLAT = "EPSG:4326"
BAD: list[tuple[str, Any, str]] = [
    ("no such kind", {"kind": "tree"}, "kind"),
    ("no place", {"geometry": None}, "geometry"),
    ("a shape of another kind", {"geometry": {"type": "MultiPoint", "coordinates": [[1, 1]]}}, "geometry.type"),
    ("swapped degrees", {"geometry": {"type": "Point", "coordinates": [42.2, -91.9]}, "crs": LONLAT}, "geometry"),
    ("feet for degrees", {"crs": "EPSG:4326"}, "geometry"),
    ("another state", {"geometry": {"type": "Point", "coordinates": [-80.0, 26.0]}, "crs": "EPSG:4326"}, "geometry"),
    ("no number", {"geometry": {"type": "Point", "coordinates": [float("nan"), 1]}}, "geometry.coordinates[0]"),
    ("no such crs", {"crs": "EPSG:1"}, "crs"),
    ("no such datum", {"datum": "wgs"}, "datum"),
    ("a ring that crosses itself", {"geometry": {"type": "Polygon", "coordinates": [
        [[0, 0], [10, 10], [10, 0], [0, 10], [0, 0]]]}}, "geometry"),
    ("too many vertices", {"geometry": {"type": "LineString", "coordinates": LONG}}, "geometry.coordinates"),
    ("a street that is not there", {"street": "Nowhere Lane"}, "street"),
    ("an address that is not there", {"address_id": 999_999}, "address_id"),
    ("a fact of another kind", {"facts": {"depth_ft": 3}}, "facts.depth_ft"),
    ("no length", {"facts": {"setback_in": "a hand"}}, "facts.setback_in"),
    ("a length past all tapes", {"facts": {"setback_in": "900 ft"}}, "facts.setback_in"),
    ("a tolerance below nothing", {"facts": {"setback_tolerance_in": -1}}, "facts.setback_tolerance_in"),
    ("no choice", {"facts": {"tube": "perhaps"}}, "facts.tube"),
    ("neither yes nor no", {"facts": {"curb": 1}}, "facts.curb"),
    ("a state of another kind", {"state": "determined"}, "state"),
    ("days of a mailbox", {"starts_on": "2026-06-01"}, "starts_on"),
    ("an emergency mailbox", {"emergency": True}, "emergency"),
    ("an emergency obstruction", {"kind": "obstruction", "emergency": True}, "emergency"),
    ("a state that its days tell", {"kind": "opening", "state": "active"}, "state"),
    ("over before it begins", {"kind": "opening", "starts_on": "2026-06-02", "ends_on": "2026-06-01"}, "ends_on"),
    ("restored in years to come", {"kind": "opening", "restored_on": "2126-06-01"}, "restored_on"),
    ("no day", {"kind": "opening", "starts_on": "June"}, "starts_on"),
    ("a slip in the year", {"kind": "opening", "starts_on": "0026-06-01"}, "starts_on"),
    ("an authorisation of nobody", {"kind": "opening", "authorisation": {"act": "12"}}, "authorisation"),
    ("one that ends before it begins", {"kind": "opening", "authorisation": {
        "kind": "opening_permit", "from": "2026-06-02", "until": "2026-06-01"}}, "authorisation.until"),
    ("no check", {"checked": {"verdict": "fine", "rows": []}}, "checked"),
    ("a check with half a sign", {"checked": {"verdict": "complies", "rows": [], "note": "\ud800"}}, "checked"),
    ("a check of a panel", {"kind": "sidewalk_panel", "checked": {"verdict": "complies", "rows": []}}, "checked"),
    ("a sign that turns the text", {"label": "Box \u202e gnihtemos"}, "label"),
    ("a label too long", {"label": "x" * 201}, "label"),
    ("an accuracy below nothing", {"accuracy_ft": -1}, "accuracy_ft"),
    ("an unknown field", {"colour": "red"}, "colour"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "field"), [(b, f) for _, b, f in BAD], ids=[name for name, _, _ in BAD])
def test_what_cannot_be_recorded_is_refused_by_its_field_and_nothing_is_kept(
    town: Town, body: dict[str, Any], field: str
) -> None:
    before = state(town.database)
    answer = send(town, API, {"kind": "mailbox", "geometry": POINT, "crs": FEET, **body})
    assert answer.status_code == 422, answer.text
    fields = [error["field"] for error in answer.json()["errors"]]
    assert any(re.sub(r"[.[].*", "", one) == field or one == field for one in fields), answer.text
    assert all(error["expected"] for error in answer.json()["errors"])
    assert state(town.database) == before


def test_everything_at_fault_is_told_at_once(town: Town) -> None:
    body = {"kind": "opening", "geometry": POINT, "crs": FEET, "street": "Nowhere", "starts_on": "x"}
    answer = send(town, API, {**body, "facts": {"length_ft": "long", "odd": 1}}).json()
    assert {e["field"] for e in answer["errors"]} == {"street", "starts_on", "facts.length_ft", "facts.odd"}


# --- lists ---


def test_a_list_narrows_by_kind_state_street_text_and_place(town: Town) -> None:
    address = town.add(400, 471, street="Alma Street")
    bench = recorded(town, kind="fixture", label="Bench 77%_x", geometry={"type": "Point", "coordinates": [-900, 20]})
    mailbox = recorded(town, address_id=address, geometry={"type": "Point", "coordinates": [425, 471]})

    def ids(**query: object) -> set[int]:
        return {one["id"] for one in town.get(API, "police key", limit=1000, **query).json()["items"]}

    every = ids()
    assert {bench["id"], mailbox["id"]} <= every
    assert ids(q="77%_X") == {bench["id"]}
    assert ids(q="145 north alma") == {mailbox["id"]}
    assert ids(q=str(bench["id"]), kind="fixture") == {bench["id"]}
    assert bench["id"] in ids(street="main st")
    assert bench["id"] not in ids(street="Alma Street")
    assert mailbox["id"] in ids(street="Alma Street", kind="mailbox", state="standing")
    west, south = town.atlas.village.out_of_feet("EPSG:4326")(-910.0, 10.0)
    east, north = town.atlas.village.out_of_feet("EPSG:4326")(-890.0, 30.0)
    assert ids(bbox=f"{west},{south},{east},{north}") == {bench["id"]}
    first = town.get(API, "police key", limit=1).json()
    second = town.get(API, "police key", limit=1000, after=first["next"]).json()
    assert {first["items"][0]["id"]} | {one["id"] for one in second["items"]} == every
    assert second["next"] is None
    for query, field in (
        ({"kind": "x"}, "kind"),
        ({"state": "x"}, "state"),
        ({"bbox": "1,2"}, "bbox"),
        ({"at": "x"}, "at"),
    ):
        refused = town.get(API, "police key", **query)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field)


def test_the_list_goes_out_as_csv_and_geojson(town: Town) -> None:
    made = recorded(town, kind="opening", label="=1+1", geometry=BOX, facts={"length_ft": "12 ft 6 in"})
    lines = town.get(API, "clerk key", format="csv", q="=1+1").text.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith(f"{made['id']},opening,'=1+1,active,Main Street,")
    assert "Length: 12 ft 6 in" in lines[1]
    (feature,) = town.get(API, "clerk key", format="geojson", q="=1+1").json()["features"]
    assert (feature["id"], feature["geometry"]["type"]) == (made["id"], "Polygon")
    lon, lat = feature["geometry"]["coordinates"][0][0]
    assert town.atlas.village.into_feet("EPSG:4326")(lon, lat) == pytest.approx((400, 4), abs=0.05)


def test_a_kept_check_is_shown_in_words_and_an_odd_one_as_it_is(town: Town) -> None:
    known = {"quantity": "setback_in", "value": 6.25, "uncertainty": 0.5, "limit": 6, "unit": "in"}
    known |= {"verdict": "undecided", "section": "§ 288-10 D(7)", "settles": "Tape it."}
    odd = {"quantity": 5, "value": [SCRIPT], "limit": 1e300, "uncertainty": "x", "unit": "ft", "verdict": "odd"}
    made = recorded(town, checked={"verdict": "undecided", "rows": [known, odd, {}], "date": "some day"})
    page = town.get(f"/street-objects/{made['id']}", "police")
    assert page.status_code == 200
    assert SCRIPT not in page.text
    panel_page = town.get(
        f"/street-objects/{recorded(town, kind='sidewalk_panel', facts={'gap_in': 1})['id']}", "police"
    )
    assert "Horizontal distance § 288-4 E(b) Found 1 in Limit less than 1 1/4 in" in text_of(panel_page.text)
    assert "Set-back of the door § 288-10 D(7) Found 6 1/4 in ± 1/2 in Limit 6 in Undecided" in text_of(page.text)


# --- photos ---


def test_a_photo_keeps_its_dots_turned_upright_and_nothing_else(town: Town) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "Secret Maker"  # held upright: the picture lies on its side
    exif.get_ifd(0x8825)[2] = (42.0, 34.0, 20.0)
    sent = picture(exif=exif.tobytes(), comment=b"Secret words", quality=95)
    assert b"Secret" in sent
    made = recorded(town)
    added = photographed(town, made["id"], sent, "The box from the north")
    assert added.status_code == 201
    served = town.get(added.json()["url"], "clerk key")
    assert served.headers["Content-Type"] == "image/jpeg"
    assert served.headers["X-Content-Type-Options"] == "nosniff"
    assert "private" in served.headers["Cache-Control"]
    kept = Image.open(io.BytesIO(served.content))
    assert kept.size == (200, 300)
    assert not dict(kept.getexif())
    assert b"Secret" not in served.content
    red, green, blue = kept.convert("RGB").getpixel((150, 30))  # type: ignore[misc]
    assert blue > 150 > red + green  # what was at the upper left is at the upper right
    (shown,) = town.get(f"{API}/{made['id']}", "clerk key").json()["photos"]
    assert (shown["caption"], shown["width"], shown["height"]) == ("The box from the north", 200, 300)


def test_a_text_in_a_png_and_a_profile_in_a_webp_go_and_what_is_seen_through_stays() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("GPS", "Secret place")
    made = io.BytesIO()
    Image.new("RGBA", (40, 30), (1, 2, 3, 128)).save(made, "PNG", pnginfo=info, icc_profile=b"Secret profile")
    found = cleaned(made.getvalue())
    assert (found.media, b"Secret" in found.content, b"iCCP" in found.content) == ("image/png", False, False)
    assert Image.open(io.BytesIO(found.content)).getpixel((5, 5)) == (1, 2, 3, 128)
    wide = cleaned(picture("WEBP", (3000, 300), xmp=b"<x>Secret</x>"))
    assert (wide.media, wide.width, wide.height, b"Secret" in wide.content) == ("image/webp", 2000, 200, False)


def png(width: int, height: int, data: bytes) -> bytes:
    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def archive() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("a.txt", "a")
    return made.getvalue()


def gif() -> bytes:
    made = io.BytesIO()
    Image.new("P", (3, 3)).save(made, "GIF")
    return made.getvalue()


HOSTILE = {
    "nothing": (b"", "nothing"),
    "a text": (b"hello", "another kind of file"),
    "a GIF": (gif(), "a GIF"),
    "a HEIC": (b"\0\0\0\x18ftypheic" + b"\0" * 40, "a HEIC picture"),
    "a drawing with script": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "markup"),
    "a page": (picture() + b"<script>alert(1)</script>", "markup"),
    "an archive": (picture() + archive(), "an archive"),
    "a PDF": (b"%PDF-1.7\n" + picture(), "a PDF"),
    "cut short": (picture(size=(900, 900))[:-3000], "cut short or damaged"),
    "a damaged PNG": (png(100, 100, zlib.compress(b"\0" * 100)), "cut short or damaged"),
    "one of a billion dots": (png(50_000, 50_000, zlib.compress(b"\0" * 100)), "dots"),
    "one of 81 million dots": (png(9000, 9000, zlib.compress(b"\0" * 100)), "9000 by 9000 dots"),
    "one of 9 MB": (b"\xff\xd8\xff" + b"0" * 9_000_000, "9.0 MB"),
}


@pytest.mark.parametrize(("data", "found"), HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_photo_is_refused_and_said_so(town: Town, data: bytes, found: str) -> None:
    with pytest.raises(PhotoError) as refused:
        cleaned(data)
    assert found in refused.value.faults[0].found
    made = recorded(town)
    before = state(town.database)
    answer = photographed(town, made["id"], data)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "file")
    assert state(town.database) == before


def test_an_object_has_twenty_photos_at_most_each_once(town: Town) -> None:
    made = recorded(town)
    for k in range(20):
        assert photographed(town, made["id"], picture("PNG", (4, 4 + k))).status_code == 201
    full = photographed(town, made["id"], picture("PNG", (5, 50)))
    assert (full.status_code, "at most 20" in full.text) == (422, True)
    other = recorded(town)
    assert photographed(town, other["id"], picture()).status_code == 201
    assert "the same photo" in photographed(town, other["id"], picture()).text


def test_a_photo_taken_off_is_shown_no_more_and_stays_in_the_register(town: Town) -> None:
    made = recorded(town)
    url = photographed(town, made["id"], picture()).json()["url"]
    off = send(town, f"{url}/remove", {"reason": "It shows a neighbour."})
    assert off.json()["photos"] == []
    assert town.get(url, "director key").status_code == 404
    assert send(town, f"{url}/remove", {}).status_code == 404
    with town.database.read() as connection:
        row = connection.execute(sa.select(object_photos).order_by(object_photos.c.id.desc()).limit(1)).one()
    assert len(row.bytes) > 100
    assert row.removed_at is not None


def test_photos_and_records_are_for_officers_and_another_objects_photo_is_not_its_own(town: Town) -> None:
    made, other = recorded(town), recorded(town)
    url = photographed(town, made["id"], picture()).json()["url"]
    number = url.rsplit("/", 1)[1]
    assert town.get(url).status_code == 401
    assert town.get(url, "dispatch key").status_code == 403
    assert town.get(url, "police key").status_code == 200
    assert town.get(f"{API}/{other['id']}/photos/{number}", "police key").status_code == 404
    assert town.get(f"/street-objects/{made['id']}").headers["Location"].startswith("/sign-in")


# --- keeping ---


def test_records_and_photos_are_whole_in_either_database_and_after_a_restore(
    register_settings: Settings, tmp_path: Path
) -> None:
    plat = tmp_path / "plat"
    plat.mkdir()
    with closing(Database(register_settings.database, register_settings.state_dir)) as database:
        atlas = Atlas(database, village(plat, PLAT), register_settings.law_date)
        atlas.ensure()
        by = asking(atlas, Person("Ann", "user:1", frozenset({Role.INSPECTOR})))
        made = record(by, {"kind": "opening", "geometry": BOX, "crs": FEET, "label": "Größe ½"})["id"]
        add_photo(by, made, picture("PNG"), "é")
        change(by, made, {"ends_on": "2026-06-01"})
        with database.read() as connection:
            assert list(verify(connection)) == []
            before = connection.execute(sa.select(street_objects)).all()
        write_archive(database, tmp_path / "kept.zip")
        with closing(Database(f"sqlite:///{tmp_path / 'other.db'}", tmp_path)) as other:
            restore(other, tmp_path / "kept.zip", tmp_path / "aside")
            with other.read() as connection:
                assert connection.execute(sa.select(street_objects)).all() == before
                assert list(verify(connection)) == []
            with other.write() as connection:
                connection.execute(sa.update(object_photos).values(bytes=b"another picture"))
            with other.read() as connection:
                assert list(verify(connection)) == ["object_photos 1: its picture is not what was kept"]
        for table in (street_objects, object_photos):
            with pytest.raises(sa.exc.DBAPIError, match="refused"), database.write() as connection:
                connection.execute(sa.delete(table))


# --- pages ---


def fill_in(town: Town, kind: str, **sent: str) -> Any:
    path = f"/street-objects/new?kind={kind}"
    chosen = {"street": "nearest", "datum": "nad83-2011", **town.at(400, 20)}
    return town.sent(town.get(path, "inspector"), "/street-objects/new", "inspector", **{**chosen, **sent})


def made_by(answer: Any) -> int:
    assert answer.status_code == 303, text_of(answer.text)
    return int(re.match(r"/street-objects/(\d+)", answer.headers["Location"])[1])  # type: ignore[index]


def test_a_form_records_without_a_script_and_a_double_click_records_once(town: Town) -> None:
    assert "What is it?" in text_of(town.get("/street-objects/new", "inspector").text)
    form = town.get("/street-objects/new?kind=mailbox", "inspector")
    sent = {**town.at(400, 20), "street": "nearest", "facts.setback_in": "7 1/2 in", "facts.curb": "yes"}
    first, again = (town.sent(form, "/street-objects/new", "inspector", **sent, label=SCRIPT) for _ in range(2))
    assert first.headers["Location"] == again.headers["Location"]
    shown = town.get(f"/street-objects/{made_by(first)}", "police")
    assert SCRIPT not in shown.text
    words = text_of(shown.text)
    assert "7 1/2 in" in words
    assert "Every owner shall keep mailboxes located on the terrace free and clear of snow" in words
    assert "Recorded" in words
    assert "Change it" in words
    assert SCRIPT not in town.get("/street-objects", "police").text


def test_what_is_wrong_with_a_form_stands_beside_its_field_with_what_was_typed(town: Town) -> None:
    before = state(town.database)
    refused = fill_in(
        town, "opening", lat="north", starts_on="2026-06-02", ends_on="2026-06-01", label="Main", address="9 Nowhere"
    )
    assert refused.status_code == 422
    for field in ("lat", "address"):
        assert f'id="{field}-fault"' in refused.text
    assert 'value="north"' in refused.text
    order = fill_in(town, "opening", starts_on="2026-06-02", ends_on="2026-06-01")
    assert 'id="ends_on-fault"' in order.text
    allowed = fill_in(town, "opening", **{"authorisation.act": "12"})
    assert 'id="authorisation.kind-fault"' in allowed.text
    fact = fill_in(town, "sidewalk_panel", **{"facts.gap_in": "wide"})
    assert 'id="facts.gap_in-fault"' in fact.text
    outside = fill_in(town, "fixture", lat="43.9")
    assert (outside.status_code, 'id="lat-fault"' in outside.text) == (422, True)
    assert state(town.database) == before


def test_a_change_leaves_the_place_where_it_was_and_a_stale_form_changes_nothing(town: Town) -> None:
    made = made_by(fill_in(town, "mailbox", datum="gps", **{"facts.number_shown": "12"}))
    path = f"/street-objects/{made}"
    kept = town.get(f"{API}/{made}", "clerk key").json()
    form = town.get(f"{path}/change", "inspector")
    chosen = {"datum": "gps", "street": kept["street"]}
    done = town.sent(form, f"{path}/change", "inspector", **chosen, **{"facts.number_shown": "14"})
    assert done.headers["Location"] == f"{path}?done=changed"
    after = town.get(f"{API}/{made}", "clerk key").json()
    assert (after["facts"]["number_shown"], after["lon"], after["lat"]) == ("14", kept["lon"], kept["lat"])
    late = town.sent(form, f"{path}/change", "inspector", **chosen, token="", **{"facts.number_shown": "16"})
    assert (late.status_code, "was changed since it was shown" in late.text) == (409, True)
    assert town.get(f"{API}/{made}", "clerk key").json() == after
    line = text_of(town.get(path, "clerk").text)
    assert "Number shown on it: 12 → 14" in line


def test_days_are_set_and_a_record_withdrawn_and_restored_by_forms(town: Town) -> None:
    made = made_by(fill_in(town, "opening", label="Gas service", starts_on="2026-01-05", **{"facts.length_ft": "5'"}))
    path = f"/street-objects/{made}"
    form = town.get(f"{path}/dates", "inspector")
    days = {"ends_on": "1/9/2026", "authorisation.kind": "opening_permit", "authorisation.act": "2026-1"}
    assert town.sent(form, f"{path}/dates", "inspector", **days).is_redirect
    words = text_of(town.get(path, "police").text)
    assert "Fri, January 9, 2026" in words
    assert "Street opening permit § 288-5 A : 2026-1" in words
    form = town.get(f"{path}/retire", "clerk")
    assert 'id="reason-fault"' in town.sent(form, f"{path}/retire", "clerk", reason="").text
    assert town.sent(form, f"{path}/retire", "clerk", reason="Recorded twice.").is_redirect
    gone = town.get(path, "clerk").text
    assert "Restore it" in gone
    assert "Change it" not in gone
    assert town.get(f"{path}/change", "clerk").status_code == 409
    assert town.sent(town.get(f"{path}/restore", "clerk"), f"{path}/restore", "clerk").is_redirect
    state_form = town.get(f"/street-objects/{recorded(town)['id']}/dates", "clerk")
    assert "Set its state" in state_form.text


def test_a_photo_is_added_by_a_form_once_and_a_bad_one_is_told_beside_the_file(town: Town) -> None:
    made = made_by(fill_in(town, "fixture", label="Bench"))
    path = f"/street-objects/{made}"
    page = town.get(path, "inspector").text
    token, csrf = (re.findall(rf'name="{name}" value="([^"]+)"', page)[-1] for name in ("token", "csrf"))

    def add(data: bytes, caption: str = "") -> Any:
        files = {"file": ("x.jpg", data, "image/jpeg")}
        sent = {"token": token, "csrf": csrf, "caption": caption}
        return town.client.post(f"{path}/photos", files=files, data=sent, headers=town.who["inspector"])

    for _ in range(2):
        assert add(picture(), SCRIPT).headers["Location"] == f"{path}?done=photo#photos"
    page = town.get(path, "inspector").text
    assert page.count("<img ") == 1
    assert SCRIPT not in page
    token = "another"
    refused = add(gif())
    assert (refused.status_code, 'id="file-fault"' in refused.text, "a GIF" in refused.text) == (422, True, True)


def test_the_list_page_finds_sorts_and_exports(town: Town) -> None:
    made_by(fill_in(town, "obstruction", label="Heap 4711", starts_on="2026-01-05"))
    words = text_of(town.get("/street-objects", "police", q="heap 4711").text)
    assert "1 record" in words
    assert "Heap 4711 active" in words
    assert "Nothing matches" in text_of(town.get("/street-objects", "police", q="no such thing").text)
    for sort in ("id", "kind", "street", "starts"):
        assert town.get("/street-objects", "police", sort=sort).status_code == 200
    assert town.get("/street-objects", "police", sort="x").status_code == 422
    assert town.get("/street-objects", "police", format="csv", q="4711").text.count("\n") == 2
    assert len(town.get("/street-objects", "police", format="geojson", q="4711").json()["features"]) == 1
