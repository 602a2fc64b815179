"""Streets of a proposal edited through the API: shown before it is recorded, recorded, carried over and taken back.

The plat of `tests.plat`: Main Street on y = 0, Van Buren Street on x = 0, First Avenue on y = 330, Second Avenue on
y = 660, Alma Street on x = 440 from y = -700 to 1500. Alma's blocks to First and to Second are 330 ft, unit 8.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from app.auth import Role
from app.plat_check import _other_blocks
from tests.people import by_session, state
from tests.plat import PLAT, village
from tests.test_register import ADDRESSES, Office, office

__all__ = ["office"]

Json = dict[str, Any]
FEET = {"crs": "EPSG:7608"}
NEVER = {"kind": "block_line", "street": "First Avenue", "to": "never", "reason": "a lane"}
DRAWN = {"kind": "draw", "street": "Oak Street", "to": "street", "line": [[900, 100], [900, 1200]], **FEET,
         "reason": "the new plat"}  # fmt: skip
HALF = {"name": "Half Avenue", "line": [[100, 495], [900, 495]], **FEET}


def edit(office: Office, version: int = 1, **given: Any) -> Any:
    return office.post(f"/api/v1/maps/{version}/edits", {"reason": "as on the plat", **given})


def shown(office: Office, version: int = 1, **given: Any) -> Any:
    return office.post(f"/api/v1/maps/{version}/edits/preview", given)


def withdraw(office: Office, edit_id: int, version: int = 1, **given: Any) -> Any:
    return office.post(f"/api/v1/maps/{version}/edits/{edit_id}/withdraw", {"reason": "a mistake", **given})


def propose(office: Office) -> int:
    return int(office.post("/api/v1/maps", {"reason": "the year's plats"}).json()["version"])


def undo(office: Office, edit_id: int, what: str = "edit map") -> Any:
    entries = office.get("/api/v1/audit", kind="map_edits", subject=str(edit_id)).json()["items"]
    act = next(entry["act"] for entry in entries if entry["what"] == what)
    return office.post(f"/api/v1/acts/{act}/undo", {"reason": "a mistake"})


def names(office: Office) -> list[str]:
    return [s["name"] for s in office.client.get("/api/v1/streets").json()["items"]]


# --- shown, then recorded ---


def test_what_an_edit_would_change_is_shown_and_nothing_is_stored(office: Office) -> None:
    made = office.assign(400, 471).json()
    assert made["number"] == 145  # 141 ft past First, unit 8
    before = state(office.database)
    told = shown(office, **NEVER).json()
    assert state(office.database) == before
    # without First's line the block runs 660 ft from Main, unit 15: 471 / 15 = 31.4
    assert [(a["id"], a["was"], a["would_be"], a["status"]) for a in told["addresses"]] == [
        (made["id"], 145, 11 + 2 * 31, "provisional")
    ]
    assert (told["counts"]["official"], told["counts"]["provisional"]) == (0, 1)
    alma = [b for b in told["blocks"] if (b["street"], b["half"]) == ("Alma Street", "North")]
    assert alma[0]["new"]["unit_ft"] == 15


def test_an_edit_is_recorded_as_it_was_shown_or_asked_again(office: Office) -> None:
    seen = shown(office, **NEVER).json()["seen"]
    office.assign(400, 471)
    refused = edit(office, **NEVER, seen=seen)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (409, "seen")
    assert office.get("/api/v1/maps/1").json()["edits"] == []
    assert edit(office, **NEVER, seen=shown(office, **NEVER).json()["seen"]).status_code == 201
    assert office.assign(400, 100).json()["number"] == 11 + 2 * 6  # 100 / 15


def test_taking_an_edit_back_is_shown_too(office: Office) -> None:
    made = edit(office, **NEVER).json()["id"]
    door = office.assign(400, 471).json()
    told = office.post(f"/api/v1/maps/1/edits/{made}/preview").json()
    assert [(a["id"], a["was"], a["would_be"]) for a in told["addresses"]] == [(door["id"], 73, 145)]
    assert withdraw(office, made, seen="another").status_code == 409
    assert withdraw(office, made, seen=told["seen"]).status_code == 200
    assert office.chain_is_whole()


def test_an_edit_of_streets_needs_a_reason_a_proposal_and_something_to_change(office: Office) -> None:
    assert edit(office, **{**NEVER, "reason": " "}).json()["errors"][0]["field"] == "reason"
    assert edit(office, **{**NEVER, "street": "Elm Street"}).status_code == 404
    assert edit(office, kind="kind", street="First Avenue", to="boulevard").json()["errors"][0]["field"] == "to"
    assert edit(office, kind="split", street="First Avenue", at=[300, 900], **FEET).json()["errors"][0]["field"] == "at"
    assert edit(office, kind="length", street="Alma Street").json()["errors"][0]["field"] == "half"
    office.adopt()
    assert edit(office, **NEVER).status_code == 409


# --- names and addresses ---


def test_a_street_without_addresses_is_named_and_the_name_before_still_leads_to_it(office: Office) -> None:
    naming = {"kind": "name", "street": "Alma Street", "to": "Elm Street", "name_status": "confirmed"}
    made = edit(office, **naming).json()["id"]
    assert "Elm Street" in names(office)
    assert office.assign(400, 471, "Alma Street").json()["address"] == "145 North Elm Street"
    # now taking the name back would leave that address on a street that is not there
    refused = withdraw(office, made)
    assert (refused.status_code, refused.json()["code"]) == (409, "DEPENDS")
    assert refused.json()["dependents"][0]["address"] == "145 North Elm Street"
    assert undo(office, made).status_code == 409
    assert "Elm Street" in names(office)


def test_a_street_with_addresses_is_renamed_by_the_boards_act_only(office: Office) -> None:
    office.assign(400, 471)
    refused = edit(office, kind="name", street="Alma Street", to="Elm Street")
    assert refused.status_code == 409
    assert "Board's act" in refused.json()["detail"]
    body = {"name": "Elm Street", "date": "2026-06-01", "act": "Resolution 2026-9", "reason": "the Board"}
    assert office.post("/api/v1/streets/Alma Street/rename", body).status_code == 201
    # its name can be confirmed all the same
    assert edit(office, kind="name", street="Elm Street", to="Elm Street").status_code == 201


def test_a_part_with_addresses_is_not_named_or_removed_apart(office: Office) -> None:
    office.assign(400, 471)
    edit(office, kind="split", street="Alma Street", at=[440, 0], **FEET)
    for given in ({"kind": "remove"}, {"kind": "name", "to": "Elm Street"}):
        assert edit(office, street="Alma Street", at=[440, 700], **given, **FEET).status_code == 409
        assert shown(office, street="Alma Street", at=[440, -350], **given, **FEET).status_code == 200


def test_another_streets_name_is_given_only_where_the_street_goes_on(office: Office) -> None:
    refused = edit(office, kind="name", street="First Avenue", to="alma st")
    assert "Alma Street has it" in refused.json()["detail"]
    assert edit(office, **{**DRAWN, "street": "Alma Street"}).status_code == 422
    on = {**DRAWN, "street": "Alma Street", "line": [[440, 1500], [440, 2100]]}
    assert edit(office, **on).status_code == 201


EAST = "10 East Main Street is already an address of Main Street's east half"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("East Main Street", EAST),
        ("E Main", EAST),
        ("Main Street East", EAST),
        ("South Van Buren Street", "is already an address of Van Buren Street's south half"),
        ("North Main Street", "10 North Main Street is read as one of Main Street"),  # it has an east and a west half
        ("Ridge Road", "10 North Ridge Road would be read as one of North Ridge Road"),
        ("Ridge", "North Ridge Road"),
    ],
)
def test_a_name_that_is_half_of_another_streets_is_refused_at_every_door(office: Office, name: str, said: str) -> None:
    ridge = {**DRAWN, "line": [[1500, 100], [1500, 1200]], "street": "North Ridge Road"}
    assert edit(office, **ridge).status_code == 201
    drawn = edit(office, **{**DRAWN, "street": name})
    named = edit(office, kind="name", street="Second Avenue", to=name)
    held = office.post("/api/v1/maps/1/plat-check", {**HALF, "name": name})
    act = {"name": name, "date": "2026-06-01", "act": "Ordinance 9", "reason": "the Board's"}
    renamed = office.post("/api/v1/streets/Second Avenue/rename", act)
    for answer in (drawn, named, held, renamed):
        assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text


def test_a_name_of_another_direction_or_street_is_no_half(office: Office) -> None:
    for name in ("North Ridge Road", "North Street", "Old East Road", "County Road K North"):
        assert edit(office, kind="name", street="Second Avenue", to=name).status_code == 201
        assert edit(office, kind="name", street=name, to="Second Avenue").status_code == 201
    # its own name with a direction: Second Avenue's numbers are east of Van Buren Street, none is north
    assert edit(office, kind="name", street="Second Avenue", to="East Second Avenue").status_code == 422
    assert edit(office, kind="name", street="Second Avenue", to="North Second Avenue").status_code == 201
    assert edit(office, kind="name", street="North Second Avenue", to="Second Avenue").status_code == 201


def test_no_map_is_adopted_that_has_not_the_streets_of_its_addresses(office: Office) -> None:
    version = propose(office)  # in force now, as the newest
    edit(office, 1, kind="name", street="Alma Street", to="Elm Street")
    office.assign(400, 471)
    refused = office.adopt(1)
    assert (refused.status_code, refused.json()["code"]) == (409, "DEPENDS")
    assert office.adopt(version).status_code == 200


# --- base lines (§ 288-15 C(1)) ---


def test_a_base_line_is_set_only_once_its_departure_was_seen_and_adopted_only_with_a_reason(office: Office) -> None:
    base = {"kind": "base_line", "street": "Alma Street", "to": "ns"}
    (warning,) = shown(office, **base).json()["warnings"]
    assert "The ordinance names Van Buren Street" in warning
    assert "“Van Buren Street shall be considered a north-south street" in warning
    unseen = edit(office, **base)
    assert (unseen.status_code, unseen.json()["errors"][0]["field"]) == (409, "seen")
    made = edit(office, **base, seen=shown(office, **base).json()["seen"])
    assert (made.status_code, made.json()["warnings"]) == (201, [warning])
    door = office.assign(740, 40, "Main Street").json()
    steps = [step["text"] for step in door["explanation"]["steps"] if step["section"].startswith("288-15 C")]
    assert all("The ordinance names Van Buren Street as a north-south base line" in text for text in steps)
    assert all("an officer set Alma Street in its place: as on the plat (" in text for text in steps)
    refused = office.adopt()
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "reason")
    assert office.adopt(reason="the Board moved the base line").status_code == 200


def test_a_base_line_that_is_set_back_is_the_ordinances_again(office: Office) -> None:
    base = {"kind": "base_line", "street": "Alma Street", "to": "ns"}
    edit(office, **base, seen=shown(office, **base).json()["seen"])
    assert edit(office, kind="base_line", street="Van Buren Street", to="ns").status_code == 201
    assert "officer" not in office.assign(740, 40, "Main Street").text
    assert office.adopt().status_code == 200


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "kind", "street": "Main Street", "to": "alley"}, "Main Street, the east-west base line"),
        ({"kind": "kind", "street": "Van Buren Street", "to": "path"}, "set another base line first"),
        ({"kind": "remove", "street": "Main Street"}, "set another base line first"),
        ({"kind": "base_line", "street": "Unnamed 01", "to": "ns"}, "Unnamed 01, a placeholder name"),
        ({"kind": "base_line", "street": "Mill Alley", "to": "ns"}, "which is of kind alley"),
    ],
)
def test_no_base_line_is_lost_or_is_an_alley_or_a_street_without_a_name(office: Office, given: Json, said: str) -> None:
    edit(office, **{**DRAWN, "street": "Unnamed 01", "name_status": "placeholder", "line": [[900, -900], [900, 900]]})
    edit(office, **{**DRAWN, "street": "Mill Alley", "to": "alley", "line": [[700, -900], [700, 900]]})
    answer = shown(office, **given)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "street")
    assert said in answer.text


def test_a_street_with_addresses_is_made_an_alley_with_a_warning(office: Office) -> None:
    office.assign(400, 471)
    alley = {"kind": "kind", "street": "Alma Street", "to": "alley"}
    assert "1 active address is on Alma Street" in shown(office, **alley).json()["warnings"][0]
    assert shown(office, **{**alley, "street": "First Avenue"}).json()["warnings"] == []


# --- what is warned of, and what is refused ---


def test_a_hundred_that_no_address_can_have_is_refused_with_what_was_sent(office: Office) -> None:
    row = {"kind": "hundred", "street": "Alma Street", "half": "North", "at_ft": 1320}
    refused = edit(office, **row, value=9_999_900)
    assert refused.status_code == 422
    assert "found 9,999,900, expected a multiple of 100, 0 to 999,900" in refused.text
    assert edit(office, **row, value=1_000_000).status_code == 422
    assert edit(office, **row, value=999_900).status_code == 201


def test_an_edit_under_the_name_before_is_refused_with_the_present_name(office: Office) -> None:
    edit(office, kind="name", street="Alma Street", to="Elm Street")
    refused = shown(office, kind="kind", street="Alma Street", to="private")
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["expected"] == "Elm Street, as the street is named now"
    assert shown(office, kind="kind", street="elm st", to="private").status_code == 200


def test_a_name_without_a_capital_or_with_its_type_abbreviated_is_warned_of(office: Office) -> None:
    told = shown(office, **{**DRAWN, "street": "oak st"}).json()
    assert told["edit"]["street"] == "oak st"
    assert ["no capital letter" in told["warnings"][0], "written out, as Street" in told["warnings"][1]] == [True] * 2
    assert shown(office, **DRAWN).json()["warnings"] == []


@pytest.mark.parametrize(("x", "status"), [(2659, 200), (2661, 422)])
def test_a_street_is_drawn_within_660_ft_of_the_villages_streets(office: Office, x: float, status: int) -> None:
    plat = {"name": "First Avenue", "line": [[2000, 0], [x, 0]], "name_status": "confirmed", **FEET}
    answer = office.post("/api/v1/maps/1/plat-check", {**plat, "name": "Mill Street"})
    assert answer.status_code == status
    assert status == 200 or "point 2, 661 ft from the nearest" in answer.text


def test_a_street_that_joins_no_other_is_told(office: Office) -> None:
    alone = office.post("/api/v1/maps/1/plat-check", {**HALF, "line": [[500, 495], [900, 495]]}).json()
    (told,) = [check for check in alone["plat"]["checks"] if check["code"] == "JOINED"]
    assert (told["verdict"], told["text"]) == ("an officer decides", "Half Avenue joins no street.")
    assert checks(office.post("/api/v1/maps/1/plat-check", HALF).json())["JOINED"] == "conforms"


@pytest.mark.parametrize(
    ("others", "verdict"), [({"Alma Street has a jog."}, "an officer decides"), (set(), "conforms")]
)
def test_a_doubt_of_the_whole_map_is_not_one_of_other_streets_blocks(others: set[str], verdict: str) -> None:
    made = {"blocks": [], "findings": {"come": [{"message": "Alma Street has a jog.", "severity": "decide"}]}}
    assert _other_blocks("Half Avenue", others, made)["verdict"] == verdict


# --- taken back, carried over ---


def test_an_edit_undone_and_done_again_leaves_the_map_as_it_was(office: Office) -> None:
    made = edit(office, **NEVER).json()["id"]
    assert undo(office, made).status_code == 200
    assert office.assign(400, 100).json()["number"] == 11 + 2 * 12  # 100 / 8
    again, other = edit(office, **NEVER).json()["id"], edit(office, **DRAWN).json()["id"]
    withdraw(office, again)
    undo(office, again, "withdraw edit")
    withdraw(office, other)  # as many are withdrawn as before, but others
    assert office.assign(430, 100).json()["number"] == 11 + 2 * 6
    assert "Oak Street" not in names(office)


def test_an_edit_that_rests_on_another_does_nothing_when_that_is_taken_back(office: Office) -> None:
    drawn = edit(office, **{**DRAWN, "line": [[900, -1200], [900, 1200]]}).json()["id"]
    base = {"kind": "base_line", "street": "Oak Street", "to": "ns"}
    assert edit(office, **base, seen=shown(office, **base).json()["seen"]).status_code == 201
    assert office.assign(1000, 40, "Main Street").json()["number"] == 10 + 2 * 6  # 100 ft east of Oak, open: 100 / 15
    unseen = withdraw(office, drawn)
    assert (unseen.status_code, unseen.json()["errors"][0]["field"]) == (409, "seen")
    assert "base_line of Oak Street" in unseen.text
    told = office.post(f"/api/v1/maps/1/edits/{drawn}/preview").json()
    assert withdraw(office, drawn, seen=told["seen"]).json()["unmatched"] == ["base_line of Oak Street"]
    edits = office.get("/api/v1/maps/1").json()["edits"]
    assert [(e["kind"], e["unmatched"]) for e in edits] == [("base_line", True)]
    assert office.assign(100, 40, "Main Street").json()["number"] == 30  # of Van Buren Street again: 100 / 10
    assert office.get("/api/v1/maps/1/diff").json()["unmatched_edits"] == ["base_line of Oak Street"]
    assert office.adopt().status_code == 409


def test_edits_are_carried_over_and_one_that_matches_nothing_is_told(office: Office) -> None:
    split = edit(office, kind="split", street="Alma Street", at=[440, 0], **FEET).json()["id"]
    edit(office, kind="kind", street="Alma Street", at=[440, 700], to="private", **FEET)
    edit(office, **DRAWN)
    told = office.post(f"/api/v1/maps/1/edits/{split}/preview").json()
    assert told["unmatched"] == ["kind of the piece of Alma Street at (440, 750)"]
    assert withdraw(office, split, seen=told["seen"]).status_code == 200
    version = propose(office)
    assert "Oak Street" in names(office)
    diff = office.get(f"/api/v1/maps/{version}/diff").json()
    assert diff["unmatched_edits"] == told["unmatched"]
    assert office.adopt(version).status_code == 409
    lost = next(e["id"] for e in office.get(f"/api/v1/maps/{version}").json()["edits"] if e["kind"] == "kind")
    assert withdraw(office, lost, version).status_code == 200
    assert office.adopt(version).status_code == 200


def test_a_street_that_was_drawn_and_renamed_since_is_carried_over_under_its_new_name(office: Office) -> None:
    edit(office, **DRAWN)
    edit(office, kind="length", street="Oak Street", half="North", at_ft=330, value=352)
    body = {"name": "Elm Street", "date": "2026-06-01", "act": "Resolution 2026-9", "reason": "the Board"}
    assert office.post("/api/v1/streets/Oak Street/rename", body).status_code == 201
    assert {"Elm Street"} <= set(names(office))
    version = propose(office)
    assert "Elm Street" in names(office)
    assert "Oak Street" not in names(office)
    assert office.get(f"/api/v1/maps/{version}/diff").json()["unmatched_edits"] == []
    assert {e["street"] for e in office.get(f"/api/v1/maps/{version}").json()["edits"]} == {"Elm Street"}


def test_a_street_that_was_drawn_and_vacated_does_not_come_back(office: Office) -> None:
    edit(office, **DRAWN)
    body = {"date": "2026-06-01", "act": "Resolution 2026-9", "reason": "the Board"}
    assert office.post("/api/v1/streets/Oak Street/vacate", body).status_code == 201
    propose(office)
    assert "Oak Street" not in names(office)
    assert edit(office, 2, **DRAWN).json()["errors"][0]["field"] == "name"


# --- what is said of a version ---


def renamed(office: Office, old: str, new: str) -> Any:
    act = {"name": new, "date": "2026-06-01", "act": "Ordinance 9", "reason": "the Board's"}
    return office.post(f"/api/v1/streets/{old}/rename", act)


def test_a_renaming_changes_no_file_of_the_village(office: Office) -> None:
    clerk = by_session(office.database, "Ann Berg", Role.DIRECTOR)

    def told() -> str:
        return str(office.client.get("/maps", headers=clerk).text)

    same, other = "The village’s files are those the map in force was made of", "The village’s files are others"
    done = renamed(office, "First Avenue", "Pine Street").json()["act"]
    assert same in told()
    office.atlas.ensure()
    assert [m["version"] for m in office.get("/api/v1/maps").json()["items"]] == [1]
    assert office.post(f"/api/v1/acts/{done}/undo", {"reason": "another street was meant"}).status_code == 200
    assert same in told()
    assert renamed(office, "First Avenue", "Elm Avenue").status_code == 201
    assert propose(office) == 2  # of the same files, under the new name
    office.adopt(2)
    assert same in told()
    village(office.atlas.directory, {**PLAT, "Third Avenue": [(-2000, 900), (2000, 900)]})
    assert other in told()
    assert propose(office) == 3
    assert "Version 3</a> proposes them as they are now" in told()
    renamed(office, "Second Avenue", "Oak Street")
    assert "Version 3</a> proposes them as they are now" in told()


def test_how_many_names_are_wanting_is_one_number_everywhere(office: Office) -> None:
    def told(version: int = 1) -> list[int]:
        page = office.client.get("/maps").text
        shown = re.findall(r"<dt>Placeholders</dt><dd>(?:(\d+) street|none)", page)
        every = [m["placeholders"] for m in office.get("/api/v1/maps").json()["items"]]
        one = office.get(f"/api/v1/maps/{version}").json()["placeholders"]
        edition = office.atlas.of(version).edition
        return [int(shown[-version] or 0), every[-version], one, edition.placeholders]

    for name, x in (("Unnamed 01", 900), ("Unnamed 02", 1300)):
        line = [[x, 100], [x, 1200]]
        assert edit(office, **{**DRAWN, "street": name, "line": line, "name_status": "placeholder"}).status_code == 201
    assert told() == [2, 2, 2, 2]
    assert renamed(office, "Unnamed 01", "Oak Street").status_code == 201
    assert told() == [1, 1, 1, 1]
    office.adopt(reason="the Board knows.")
    caution = "Adopted while 1 street had a placeholder for a name, because: the Board knows."
    assert caution in office.client.get("/law").text
    assert f"{caution}." not in office.client.get("/law").text
    renamed(office, "Unnamed 02", "Elm Street")
    assert told() == [1, 1, 1, 1]  # as many as were wanting when it was adopted
    assert office.post("/api/v1/maps", {"reason": "anew"}).json()["placeholders"] == 0


# --- a new plat ---


def checks(made: Json) -> dict[str, str]:
    return {check["code"]: check["verdict"] for check in made["plat"]["checks"]}


def test_a_plat_that_conforms_to_the_streets_it_lies_between(office: Office) -> None:
    made = office.post("/api/v1/maps/1/plat-check", {**HALF, "block_line": "never"}).json()
    assert made["plat"]["street"]["base_lines"] == ["Van Buren Street"]
    assert made["plat"]["street"]["halves"] == ["East"]
    beside = {(pair["cross"], pair["hundred"], pair["street"], pair["other_hundred"])
              for pair in made["plat"]["neighbours"]}  # fmt: skip
    assert ("Alma Street", 100, "First Avenue", 100) in beside
    assert set(checks(made).values()) == {"conforms"}
    assert made["plat"]["conforms"]


def test_a_plat_that_would_change_the_blocks_of_other_streets_and_numbers_given(office: Office) -> None:
    office.adopt()
    door = office.assign(400, 471).json()
    before = state(office.database)
    made = office.post("/api/v1/maps/1/plat-check", HALF).json()  # of the adopted map, which is not edited by it
    assert state(office.database) == before
    assert (checks(made)["OTHER_BLOCKS"], checks(made)["NUMBERS"]) == ("does not conform", "does not conform")
    # from First to Half Avenue 165 ft, unit 4: 141 / 4 = 35.25
    assert [(a["id"], a["status"], a["would_be"]) for a in made["addresses"]] == [
        (door["id"], "official", 111 + 2 * 35)
    ]
    version = propose(office)
    assert edit(office, version, **{**DRAWN, "street": "Half Avenue", "line": HALF["line"]}).status_code == 201
    assert office.adopt(version).status_code == 200
    now = office.get(f"{ADDRESSES}/{door['id']}").json()
    assert (now["number"], now["status"], now["conforms"]) == (145, "official", False)


def test_a_plat_whose_hundreds_are_others_than_its_neighbours(office: Office) -> None:
    for at_ft, hundred in ((1320, 400), (660, 300), (330, 200)):
        assert (
            edit(office, kind="hundred", street="Alma Street", half="North", at_ft=at_ft, value=hundred).status_code
            == 201
        )
    plat = {"name": "Oak Street", "line": [[900, 100], [900, 1200]], "block_line": "never", **FEET}
    made = office.post("/api/v1/maps/1/plat-check", plat).json()
    assert checks(made)["HUNDREDS"] == "does not conform"
    (told,) = [check["text"] for check in made["plat"]["checks"] if check["code"] == "HUNDREDS"]
    assert "At First Avenue it begins the 100 block, North Alma Street the 200 block" in told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        # from (500, 0) to (1100, 6): within 33 ft of Main Street's line all along; its length is 600.03 ft
        ([[500, 0], [1100, 6]], "600 ft of it lie within 33 ft of Main Street's"),
        ([[500, -20], [1100, -20], [1100, -320]], "600 ft of it lie within 33 ft of Main Street's"),
        ([[410, 100], [410, 150]], "50 ft of it lie within 33 ft of Alma Street's"),  # short, and all of it
        ([[500, 33.5], [1100, 33.5]], ""),  # beside the right-of-way
        ([[900, -500], [900, 1200]], ""),  # it crosses three streets
        ([[440, 1500], [440, 2100]], ""),  # it goes on where Alma Street ends
        ([[900, 0], [1400, 180]], ""),  # it leaves Main Street at 19.8 degrees
    ],
)
def test_a_plat_that_lies_along_a_street_is_told_with_the_length(office: Office, line: Any, told: str) -> None:
    oak = {"name": "Oak Street", "line": line, **FEET}
    made = office.post("/api/v1/maps/1/plat-check", oak).json()
    assert checks(made)["ALONG"] == ("an officer decides" if told else "conforms")
    texts = [check["text"] for check in made["plat"]["checks"] if check["code"] == "ALONG"]
    recorded = edit(office, **{**DRAWN, "line": line}).json()
    if told:
        assert told in texts[0]
    assert [w for w in recorded["warnings"] if "lie within" in w] == (texts if told else [])


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ({"name": "Alma Court"}, 200, "sounds like Alma Street"),
        ({"name": "North Alma Court"}, 200, "sounds like Alma Street"),  # "145 North Alma", as it is called in
        ({"name": "Alma Court North"}, 200, "sounds like Alma Street"),
        ({"name": "alma street"}, 422, "a name that no other street has"),
        ({"name": "Alma Street"}, 422, "a street that goes on where Alma Street ends"),
        ({"name": "12"}, 422, "a name with a word in it"),
        ({"line": [[100, 495]]}, 422, "two or more"),
        ({"line": [[100, 495], [100, 9e9]]}, 422, "line"),
        ({"line": [[0, 330], [900, 331]], "name": "First Avenue"}, 422, "has already"),
    ],
)
def test_a_plat_under_a_name_or_line_that_cannot_be(office: Office, given: Json, status: int, said: str) -> None:
    answer = office.post("/api/v1/maps/1/plat-check", {**HALF, **given})
    assert (answer.status_code, said in answer.text) == (status, True), answer.text[:300]


# --- findings, worked off ---


def test_each_finding_is_listed_once_until_it_is_decided(office: Office) -> None:
    edit(office, **{**DRAWN, "line": [[900, 400], [900, 430]], "street": "Stub Street"})
    edit(office, kind="draw", street="Nook Lane", to="street", line=[[600, 150], [800, 150]], **FEET)
    url = "/api/v1/maps/1/findings"
    open_ones = office.client.get(url, params={"state": "open"}).json()["items"]
    places = [(i["code"], i["message"], i["street"], i["half"], i["path"]) for i in open_ones]
    assert len(places) == len(set(places))
    one = next(i for i in open_ones if i["code"] == "EXTENSION_SPLITS_BLOCK")
    assert one["settled_by"] == ["remove_line", "block_line", "decide"]
    place = {name: one[name] for name in ("street", "half", "path", "at_ft", "code")}
    assert edit(office, kind="decide", decision="kept", **place).status_code == 201
    same = {**place, "kind": one["code"]}
    after = office.client.get(url, params={"street": one["street"]}).json()["items"]
    mine = [i for i in after if (i["code"], i["half"], i["message"]) == (same["code"], one["half"], one["message"])]
    assert [(i["state"], i["decision"], i["settled_by"]) for i in mine] == [
        ("decided", "kept", ["remove_line", "block_line"])
    ]
    assert office.client.get(url, params={"kind": "JOG_NEAR"}).json()["items"] == []
