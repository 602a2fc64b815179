"""Permits by API: what is refused and how, who may, what is sent twice, what is undone, and nothing that breaks it.

Fields are tried with what programs send by mistake and what nobody should: each is refused by name, never with a 500.

Seen to fail, each by breaking the code once: a work that comes back where it was; an outline that stays when its
amendment is undone. Seen to fail before they were mended: NUL in a number and in a search on PostgreSQL, a lone
surrogate in `crs`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.case_tables import cases, village_values
from app.clocks import LOCAL
from app.db import Database
from app.settings import Settings
from app.tables import audit
from app.verify import verify
from tests.people import state
from tests.permit_desk import FEET, Desk, area, cures, desk_over
from tests.permitting import APPLICATION, EMERGENCY, clock, faults
from tests.test_address_pages import Town

Json = dict[str, Any]
PLACE = area(200, 16, 212, 18)
TRIED: list[Any] = [
    None, [], {}, [1], {"a": 1}, True, 0, -1, 1.5, 10**30, float("nan"), float("inf"), "x" * 5000, "a\x00b", "\x1b[0m",
    "\ud800", "9999-12-31", "0001-01-01", "2026-02-30", "1990-01-01", "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00", "<b>", "' OR 1=1 --", "😀",
]  # fmt: skip
FIELDS = {
    "opening": (
        "applicant", "contact", "signed", "in", "location", "starts_on", "ends_on", "nature", "method", "direction",
        "pavement", "patches", "loss_at", "starts_time", "emergency", "utility",
    ),
    "sidewalk": ("applicant", "does", "location", "starts_on", "ends_on", "nature"),
    "privilege": ("applicant", "purpose", "location", "premises", "building_permit", "insurance", "direction"),
}  # fmt: skip
COMMON = ("at", "reason", "address_id", "geometry", "crs", "datum", "epoch", "accuracy_ft", "nope")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_over(tmp_path_factory.mktemp("permits")) as made:
        yield made


def send(desk: Desk, path: str, sent: Json, **headers: str) -> tuple[int, Json]:
    """Send JSON as Python writes it, with NaN and lone surrogates."""
    headers = {**desk.keys["all"], "Content-Type": "application/json", **headers}
    response = desk.client.post(path, content=json.dumps(sent), headers=headers)
    return response.status_code, response.json()


# --- what cannot be read ---


@pytest.mark.parametrize("kind", FIELDS)
def test_no_field_of_an_application_breaks_the_service_whatever_is_sent_in_it(desk: Desk, kind: str) -> None:
    for k, field in enumerate((*FIELDS[kind], *COMMON)):
        for value in TRIED[k % 4 :: 4]:
            sent = {**APPLICATION[kind], "kind": kind, field: value}
            named = {field}
            if field in {"crs", "datum", "epoch", "accuracy_ft"}:
                sent |= {**PLACE, field: value}
                named |= {"geometry"}  # feet that are not said to be feet
            status, answer = send(desk, "/api/v1/permits", sent)
            assert status in {201, 422}, (field, value, status)
            if status == 422:
                assert named & {re.split(r"[.\[]", one["field"])[0] for one in answer["errors"]}, answer


def test_no_field_of_a_step_breaks_the_service_whatever_is_sent_in_it(desk: Desk) -> None:
    kinds = {one["kind"]: one for one in desk.client.get("/api/v1/permit-kinds").json()["items"]}
    for kind, told in kinds.items():
        permit = desk.by("all").complete(kind, "2026-05-04")
        for step in (*told["steps"], {"step": "undo", "facts": []}):
            if step.get("document") or step["step"] in FIELDS:
                continue
            for k, field in enumerate((*(fact["key"] for fact in step["facts"]), "at", "reason", "geometry", "nope")):
                for value in TRIED[k % len(TRIED) :: len(TRIED)]:
                    facts = {field: value, **({} if field == "reason" or step["step"] == "undo" else {"reason": "x"})}
                    if step["step"] in {"complete", "withdraw", "undo", "return", "note", "assign"}:
                        facts.setdefault("nope", 1)  # so that nothing is led on
                    status, _ = send(desk, f"/api/v1/permits/{permit['id']}/{step['step']}", facts)
                    assert status in {200, 409, 422}, (kind, step["step"], field, value, status)


@pytest.mark.parametrize("geometry", [
    {}, [], "x", 5, {"type": "Polygon"}, {"type": "Polygon", "coordinates": []},
    {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 0]]]},
    {"type": "Polygon", "coordinates": [[[0, 0], [10, 10], [0, 10], [10, 0], [0, 0]]]},
    {"type": "Polygon", "coordinates": [[[1e300, 0], [1e300, 1], [0, 1], [1e300, 0]]]},
    {"type": "Polygon", "coordinates": [[[float("nan"), 0], [1, 1], [0, 1], [float("nan"), 0]]]},
    {"type": "GeometryCollection", "geometries": []}, {"type": "Point", "coordinates": [float("inf"), 0]},
    {"type": "Point", "coordinates": ["a", 0]}, {"type": "Point", "coordinates": None}, {"type": None},
    {"type": "MultiPolygon", "coordinates": [[[[0, 0]]]]}, {"type": "Point", "coordinates": [10**400, 0]},
])  # fmt: skip
def test_an_outline_that_is_none_is_refused_as_the_geometry(desk: Desk, geometry: Any) -> None:
    before = state(desk.database)
    status, answer = send(
        desk, "/api/v1/permits", {**APPLICATION["opening"], "kind": "opening", "crs": FEET, "geometry": geometry}
    )
    assert status == 422
    assert all(one["field"].startswith("geometry") for one in answer["errors"]), answer
    assert state(desk.database) == before


def test_every_field_at_fault_is_named_at_once(desk: Desk) -> None:
    answer = desk.by("clerk").apply("opening", 422, signed="perhaps", starts_on="May 4", nope="1", **{"in": "moon"})
    assert set(faults(answer)) == {"signed", "starts_on", "nope", "in"}


@pytest.mark.parametrize(("first", "last", "field"), [
    ("2026-05-05", "2026-05-04", "ends_on"), ("9000-01-01", None, "starts_on"), ("1900-01-01", None, "starts_on"),
    (None, "9999-12-31", "ends_on"),
])  # fmt: skip
def test_days_that_cannot_be_are_refused_by_name(desk: Desk, first: str | None, last: str | None, field: str) -> None:
    for kind in ("opening", "sidewalk", "privilege"):
        assert list(faults(desk.by("clerk").apply(kind, 422, starts_on=first, ends_on=last))) == [field]


def test_a_number_or_a_name_that_is_none_is_not_found(desk: Desk) -> None:
    every = desk.by("all")
    for path in ("999999", "0", "-1", "x", "1e3", str(10**30)):
        response = desk.client.get(f"/api/v1/permits/{path}", headers=desk.keys["all"])
        assert response.status_code in {404, 422}, path
    for number in ("SO-2026-9999", "%00", "'", "SO-2026", "x" * 21, "%F0%9F%98%80"):
        assert desk.client.get(f"/api/v1/permits/status/{number}").status_code in {404, 422}, number
    made = every.apply("opening")
    every.take(made, "fly", 404)
    every.apply("zoning", 404)
    assert desk.client.get("/api/v1/permits?state=nowhere", headers=desk.keys["all"]).status_code == 422


# --- permits are no cases, and cases no permits ---


def test_a_case_is_not_found_among_permits_and_a_permit_is_not_acted_on_as_a_case(desk: Desk) -> None:
    """What is measured for a permit would be left out."""
    every = desk.by("all")
    town = Town(desk.client, desk.database, desk.client.app.state.atlas)  # type: ignore[attr-defined]
    address = town.add(60, 40)
    sent = {"kind": "numbering", "address_id": address, "defect": "none"}
    case = desk.client.post("/api/v1/cases", json=sent, headers=desk.keys["all"]).json()
    every.take(case, "complete", 404)
    assert desk.client.get(f"/api/v1/permits/{case['id']}", headers=desk.keys["all"]).status_code == 404
    permit = every.complete("opening", "2026-05-04", **area(300, -18, 312, 18))
    for step, given in (("approve", {"by": "director"}), ("issue", {}), ("undo", {"reason": "a slip"})):
        path = f"/api/v1/cases/{permit['id']}/{step}"
        assert desk.client.post(path, json=given, headers=desk.keys["all"]).status_code == 404, step
    every.take(case, "undo", 404, reason="a slip")
    asked = {"kind": "opening", "address_id": address}
    assert desk.client.post("/api/v1/cases", json=asked, headers=desk.keys["all"]).status_code == 404
    assert desk.get(permit)["state"] == "complete"


def test_an_application_is_made_once_and_amended_after(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.apply("sidewalk")
    assert faults(every.take(permit, "apply", 409, does="lay"))["step"].startswith("apply | an amendment")
    assert every.take(permit, "amend", does="lay")["application"]["does"] == "lay"


# --- who may, when, and twice ---


def test_what_happened_earlier_is_recorded_by_who_may_date_back_and_is_in_the_audit(desk: Desk) -> None:
    director = desk.by("director")
    permit = director.approved("opening", "2026-05-04")
    last = permit["events"][-1]
    assert (last["backdated"], last["at"]) == (True, "2026-05-04T17:00:00+00:00")  # noon of a day without a time
    assert last["made_by"] == "the director"
    for office in ("inspector", "police"):
        desk.by(office).take(permit, "inspect", 403, item="barriers", result="pass", at="2026-05-05")
        desk.by(office).take(permit, "inspect", item="barriers", result="pass")
    soon = (datetime.now(LOCAL) + timedelta(hours=2)).isoformat()
    assert "at" in cures(director, permit, "inspect", item="barriers", result="pass", at=soon)
    with desk.database.read() as connection:
        acts = connection.execute(sa.select(audit).where(audit.c.what == "case approve")).mappings().all()
    kept = next(act for act in reversed(acts) if "2026-05-04T17:00:00" in (act["after"] or ""))
    assert kept["actor"] == "the director"
    assert kept["at"] > datetime(2026, 5, 5, tzinfo=UTC)


def test_a_step_that_was_taken_is_not_taken_again(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.complete("sidewalk", "2026-05-04")
    refused = faults(every.take(permit, "complete", 409, sufficient="yes"))
    assert refused["state"].startswith("“Complete” | “Draft”")
    every.take(permit, "approve", at="2026-05-04")
    every.take(permit, "approve", 409, at="2026-05-04")
    assert [one["what"] for one in desk.get(permit)["events"]] == ["apply", "complete", "approve"]


def test_what_is_sent_twice_with_its_key_is_done_once_and_another_with_the_key_is_refused(desk: Desk) -> None:
    sent = {**APPLICATION["opening"], "kind": "opening", **PLACE}
    first = send(desk, "/api/v1/permits", sent, **{"Idempotency-Key": "k-1"})
    again = send(desk, "/api/v1/permits", sent, **{"Idempotency-Key": "k-1"})
    assert (first[0], again[0], first[1]["number"]) == (201, 201, again[1]["number"])
    moved = {**sent, **area(220, 16, 232, 18)}
    status, told = send(desk, "/api/v1/permits", moved, **{"Idempotency-Key": "k-1"})
    assert (status, list(faults(told))) == (422, ["Idempotency-Key"])  # another outline is another request
    path = f"/api/v1/permits/{first[1]['id']}/amend"
    one = send(desk, path, {**PLACE, "nature": "gas"}, **{"Idempotency-Key": "k-2"})[1]
    assert send(desk, path, {**PLACE, "nature": "gas"}, **{"Idempotency-Key": "k-2"})[1]["event"] == one["event"]
    status, told = send(desk, path, {**area(220, 16, 232, 18), "nature": "gas"}, **{"Idempotency-Key": "k-2"})
    assert (status, list(faults(told))) == (422, ["Idempotency-Key"])
    assert [event["what"] for event in desk.get(first[1])["events"]] == ["apply", "amend"]


def test_an_outline_is_changed_by_an_amendment_and_by_no_other_step(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.apply("opening", **PLACE)
    assert list(cures(every, permit, "complete", sufficient="yes", **PLACE)) == ["geometry"]
    assert list(cures(every, permit, "complete", sufficient="yes", crs=FEET)) == ["crs"]
    assert list(cures(every, permit, "amend", crs=FEET)) == ["crs"]


# --- undoing ---


def row_of(desk: Desk, permit: Json) -> Json:
    with desk.database.read() as connection:
        return dict(connection.execute(cases.select().where(cases.c.id == permit["id"])).mappings().one())


def test_an_outline_whose_amendment_is_undone_is_gone_from_the_permit(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.apply("opening")
    before = row_of(desk, permit)
    every.take(permit, "amend", **PLACE)
    assert row_of(desk, permit)["street"] == "Main Street"
    every.take(permit, "undo", reason="The wrong permit")
    assert row_of(desk, permit) == before


def test_undoing_an_approval_takes_the_work_off_the_map_and_a_new_approval_puts_it_back(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.approved("opening", "2026-05-04", **PLACE)
    assert desk.works("2026-05-20", permit["number"]) == "active"
    undone = every.take(permit, "undo", reason="Too early")
    assert (undone["state"], undone["clocks"]) == ("complete", [])
    assert desk.works("2026-05-20", permit["number"]) == ""
    every.take(permit, "approve", by="clerk", at="2026-05-06")
    assert desk.works("2026-06-05", permit["number"]) == "active"  # thirty days from May 6
    assert desk.works("2026-06-06", permit["number"]) == "recently_expired"


def test_a_work_that_comes_back_is_where_its_application_says_by_then(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.approved("opening", "2026-05-04", **area(800, 16, 812, 18))
    every.take(permit, "undo", reason="The wrong place")
    every.take(permit, "return", reason="The wrong place", at="2026-05-04")
    every.take(permit, "amend", at="2026-05-04", **area(900, 16, 912, 18))
    every.take(permit, "complete", sufficient="yes", at="2026-05-04")
    every.take(permit, "approve", by="director", at="2026-05-04")
    items = desk.client.get("/api/v1/works", params={"at": "2026-05-20"}).json()["items"]
    (shown,) = [one for one in items if one["label"] == permit["number"]]
    where = row_of(desk, permit)
    assert (shown["lon"], shown["lat"]) == (pytest.approx(where["lon"]), pytest.approx(where["lat"]))
    assert (where["west_ft"], where["east_ft"]) == (900.0, 912.0)


def test_an_emergency_that_is_drawn_anew_moves_on_the_map(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.apply("opening", at="2026-05-04", **{**EMERGENCY, **area(1000, 16, 1012, 18)})

    def shown() -> float:
        items = desk.client.get("/api/v1/works", params={"at": "2026-05-20"}).json()["items"]
        return float(next(one["lon"] for one in items if one["label"] == permit["number"]))

    before = shown()
    every.take(permit, "amend", at="2026-05-04", **area(1100, 16, 1112, 18))
    assert shown() != before
    every.take(permit, "undo", reason="It was right")
    assert shown() == pytest.approx(before)


def test_every_step_of_a_permits_life_is_undone_to_what_was_before_it(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.apply("opening", at="2026-05-04", **{**PLACE, "pavement": "bituminous"})
    told = {"location": "145 Main Street", "extent": "12 ft"}
    life: list[tuple[str, Json]] = [
        ("complete", {"sufficient": "yes"}), ("return", {"reason": "x"}), ("complete", {"sufficient": "yes"}),
        ("decide", {"decision": "flagger", "by": "clerk", "reason": "x"}), ("approve", {"by": "director"}),
        ("notice", {"to": "director", **told}), ("notice", {"to": "hotline", "ticket": "1"}), ("start", {}),
        ("inspect", {"item": "barriers", "result": "fail"}), ("inspect", {"item": "barriers", "result": "pass"}),
        ("restore", {"surface": "bituminous", "permanent": "yes", "depth_in": "3"}), ("close", {}),
        ("note", {"note": "Done well."}),
    ]  # fmt: skip
    for step, facts in life:
        before, work = seen(desk, permit), desk.works("2026-05-20", permit["number"])
        every.take(permit, step, at="2026-05-05", **facts)
        every.take(permit, "undo", reason="To try")
        assert seen(desk, permit) == before, step
        assert desk.works("2026-05-20", permit["number"]) == work, step
        every.take(permit, step, at="2026-05-05", **facts)
    assert desk.get(permit)["state"] == "closed"


def seen(desk: Desk, permit: Json) -> Json:
    told = desk.get(permit)
    names = ("state", "clocks", "application", "outline", "inspected", "starts_on", "ends_on", "fee", "judged")
    return {name: told[name] for name in names} | {"in": [one["key"] for one in told["in_the_way"]]}


# --- what anybody may see ---


def test_the_public_sees_the_state_by_number_and_no_names(desk: Desk) -> None:
    every = desk.by("all")
    permit = every.approved("opening", "2026-05-04", applicant="Zebulon Pike", contact="555-0147", **PLACE)
    found = desk.client.get(f"/api/v1/permits/status/{permit['number'].lower()}")
    assert found.json()["clocks"][0]["due"] == "2026-06-03"
    assert found.json()["state"] == "expired"
    for secret in ("Zebulon", "555-0147", "every office"):
        assert secret not in found.text
    assert desk.client.get(f"/api/v1/permits/{permit['id']}").status_code in {401, 403}
    assert desk.client.post("/api/v1/permits", json={"kind": "opening"}).status_code in {401, 403}


def test_permits_are_listed_by_state_kind_and_street(desk: Desk) -> None:
    every = desk.by("all")
    made = every.approved("sidewalk", "2026-05-04")

    def numbers(**asked: str) -> set[str]:
        answer = desk.client.get("/api/v1/permits", params={**asked, "limit": "1000"}, headers=desk.keys["all"]).json()
        return {one["number"] for one in answer["items"]}

    assert made["number"] in numbers(state="approved", kind="sidewalk")
    assert made["number"] not in numbers(state="approved", kind="opening") | numbers(state="draft") | numbers(
        state="closed"
    )
    assert numbers(q=made["number"].lower()) == {made["number"]}


# --- a whole life, on both databases ---


def test_a_permit_lives_its_whole_life_on_either_database(database: Database, register_settings: Settings) -> None:
    """Applied for, moved, approved, told, begun, renewed, inspected, restored, closed; then the audit holds."""
    folder = Path(register_settings.state_dir)
    with desk_over(folder, register_settings.database_url) as desk:
        every = desk.by("all")
        permit = every.apply("opening", at="2026-05-04", pavement="bituminous", **PLACE)
        every.take(permit, "amend", at="2026-05-04", **area(220, 16, 232, 18))
        every.take(permit, "complete", sufficient="yes", at="2026-05-04")
        every.take(permit, "approve", by="director", at="2026-05-04")
        every.take(permit, "notice", to="hotline", ticket="20261901", at="2026-05-05")
        every.take(permit, "start", at="2026-05-06")
        desk.settle("fee_opening_renewal", "0")
        every.take(permit, "renew", requested_on="2026-06-01", continuing="yes", at="2026-06-01")
        every.take(permit, "inspect", item="compaction", layer_in="12", density_percent="95", at="2026-06-02")
        restored = every.take(permit, "restore", surface="bituminous", permanent="yes", depth_in="3", at="2026-06-10")
        assert clock(restored, "valid")["due"] == "2026-07-03"  # May 4, 30 days to June 3, and 30 more
        assert clock(restored, "pavement")["due"] == "2026-07-03"  # 60 days from May 4
        closed = every.take(permit, "close", at="2026-06-10")
        assert (closed["state"], desk.works("2026-06-09", closed["number"])) == ("closed", "active")
        assert desk.works("2026-06-10", closed["number"]) == "past"
        assert desk.client.get("/api/v1/permits/status/%00").status_code in {404, 422}
        path = "/api/v1/permits?street=%00&q=%00"
        assert desk.client.get(path, headers=desk.keys["all"]).status_code in {200, 422}
        with desk.database.read() as connection:
            assert list(verify(connection)) == []
            assert connection.execute(village_values.select()).first() is not None


@pytest.mark.parametrize("name", ["street_opening", "Street opening", "opening"])
def test_a_kind_is_also_known_as_people_speak_of_it(desk: Desk, name: str) -> None:
    sent = {**APPLICATION["opening"], "kind": name}
    answer = desk.client.post("/api/v1/permits", json=sent, headers=desk.keys["all"])
    assert (answer.status_code, answer.json()["kind"]) == (201, "opening")
