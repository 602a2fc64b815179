"""The checks by API, against a street whose edges are known by hand: 36 ft of pavement in a right-of-way of 66 ft."""

import math
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.auth import Role
from app.main import create_app
from app.settings import Settings
from tests.people import by_key

X0, Y0 = 412_000.0, 125_900.0  # within Benton; all below is counted from here, in feet
FEET = "EPSG:7608"


@pytest.fixture(scope="module")
def benton(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return TestClient(create_app(Settings(state_dir=tmp_path_factory.mktemp("checks"))))


def at(x: float, y: float) -> list[float]:
    return [X0 + x, Y0 + y]


def box(x0: float, y0: float, x1: float, y1: float) -> dict[str, Any]:
    ring = [at(x0, y0), at(x1, y0), at(x1, y1), at(x0, y1), at(x0, y0)]
    return {"type": "Polygon", "coordinates": [ring]}


def line(*points: tuple[float, float]) -> dict[str, Any]:
    return {"type": "LineString", "coordinates": [at(*p) for p in points]}


STREET = {
    "centerline": line((0, 0), (600, 0)),
    "pavement": box(0, -18, 600, 18),
    "curb_line": [line((0, 18), (600, 18)), line((0, -18), (600, -18))],
    "sidewalk": [box(0, 27, 600, 32), box(0, -32, 600, -27)],
    "right_of_way": box(0, -33, 600, 33),
}


def ask(client: TestClient, name: str, status: int = 200, layers: Any = STREET, **content: Any) -> dict[str, Any]:
    given = {"crs": FEET, **({"layers": layers} if layers is not None else {}), **content}
    response = client.post(f"/api/v1/checks/{name}", json=given)
    assert response.status_code == status, response.text
    answer: dict[str, Any] = response.json()
    return answer


def row(answer: dict[str, Any], quantity: str, section: str = "") -> dict[str, Any]:
    return next(r for r in answer["rows"] if r["quantity"] == quantity and r["section"].startswith(section))


# --- every check ---


def test_each_row_says_what_was_measured_against_what_and_by_which_section(benton):
    x, y = at(300, 18.75)
    answer = ask(benton, "mailbox", x=x, y=y)
    found = row(answer, "setback_in")
    assert found == {
        "quantity": "setback_in", "value": 9.0, "uncertainty": 0.0, "limit": 6.0, "unit": "in", "margin": 3.0,
        "verdict": "complies", "section": "§ 288-10 D(7)", "settles": "", "note": "From the surveyed curb line.",
        "law": found["law"],
    }  # fmt: skip
    assert found["law"].startswith("Mailbox and newspaper tubes must be located on the side of the road required by")
    assert answer["layers"] == "sent with the request"
    drawn = {f["properties"]["role"]: f["geometry"] for f in answer["geometry"]["features"]}
    assert drawn["object"]["coordinates"] == pytest.approx([x, y])
    assert drawn["measured"]["coordinates"][0] == pytest.approx(at(300, 18))


def test_the_checks_and_the_kinds_of_objects_are_published(benton):
    told = benton.get("/api/v1/checks").json()
    assert [item["name"] for item in told["items"]] == [
        "mailbox", "terrace", "encroachment", "clear-width", "share", "lanes", "excavation", "trench", "setback",
        "petition", "route",
    ]  # fmt: skip
    assert {"basketball_backstop", "flag_pole", "mailbox", "paving"} <= set(told["terrace_kinds"])


def test_a_layer_that_was_not_sent_is_not_taken_from_the_village(benton):
    x, y = at(300, 18.75)
    answer = ask(
        benton, "mailbox", layers={"curb_line": STREET["curb_line"], "centerline": STREET["centerline"]}, x=x, y=y
    )
    assert row(answer, "setback_in")["value"] == 9.0
    assert row(answer, "inside_ft")["verdict"] == "not_checked"


# --- mailboxes: § 288-10 D ---


@pytest.mark.parametrize(
    ("tape", "verdict", "margin"),
    [
        ({"setback": "6 in"}, "complies", 0),
        ({"setback": 6, "tolerance": 0}, "complies", 0),
        ({"setback": "5 7/8 in"}, "violates", -0.125),
        ({"setback": "6 1/4 in", "tolerance": "1/2 in"}, "undecided", 0.25),
        ({"setback": "6 1/2 in", "tolerance": "1/2 in"}, "complies", 0.5),
        ({"setback": "-2 in"}, "violates", -8),
        ({"setback": "0.5 ft"}, "complies", 0),
        ("7 1/2", "complies", 1.5),
    ],
)
def test_a_taped_mailbox_counts_with_the_tapes_own_tolerance_only(benton, tape, verdict, margin):
    answer = ask(benton, "mailbox", layers=None, street="Unnamed 14", tape=tape, curb=True, accuracy_ft=99)
    assert answer["verdict"] == verdict
    assert row(answer, "setback_in")["margin"] == pytest.approx(margin)
    assert [r["verdict"] for r in answer["rows"] if r["quantity"] in {"side", "number", "tube_setback_in"}] == [
        "not_checked"
    ] * 3


def test_without_a_curb_the_limit_is_one_foot_from_the_pavement(benton):
    for inches, verdict in ((12, "complies"), (11.875, "violates")):
        answer = ask(benton, "mailbox", layers=None, street="Unnamed 14", tape={"setback": inches}, curb=False)
        assert answer["verdict"] == verdict
    bare = {"pavement": STREET["pavement"], "centerline": STREET["centerline"]}
    x, y = at(300, -18.875)
    assert row(ask(benton, "mailbox", layers=bare, x=x, y=y), "setback_in")["limit"] == 12
    assert ask(benton, "mailbox", layers=bare, x=x, y=y)["verdict"] == "violates"  # 10 1/2 in


def test_a_box_that_stands_over_the_street_is_told_below_zero(benton):
    x, y = at(300, 17)
    assert row(ask(benton, "mailbox", x=x, y=y), "setback_in")["value"] == pytest.approx(-12)


def test_a_phones_position_is_undecided_and_says_to_tape_it(benton):
    x, y = at(300, 18.75)
    answer = ask(benton, "mailbox", x=x, y=y, accuracy_ft=16)
    assert answer["verdict"] == "undecided"
    assert row(answer, "setback_in")["uncertainty"] == 16 * 12
    assert "tape it" in row(answer, "setback_in")["settles"].lower()


def test_the_accuracy_of_the_position_and_of_the_curb_add_by_their_squares(benton):
    x, y = at(300, 18.75)
    answer = ask(benton, "mailbox", layers={**STREET, "accuracy_ft": 0.12}, x=x, y=y, accuracy_ft=0.16)
    assert row(answer, "setback_in")["uncertainty"] == pytest.approx(0.2 * 12)
    assert answer["verdict"] == "complies"  # 9 in less 2.4 in


def test_a_newspaper_tube_is_judged_by_its_protruding_end(benton):
    x, y = at(300, 19)
    tx, ty = at(300, 18.25)
    answer = ask(benton, "mailbox", x=x, y=y, tube={"x": tx, "y": ty})
    assert row(answer, "setback_in")["verdict"] == "complies"
    assert row(answer, "tube_setback_in")["value"] == pytest.approx(3)
    assert answer["verdict"] == "violates"
    taped = ask(benton, "mailbox", layers=None, street="Unnamed 14", curb=True, tape={"setback": 9}, tube="5 in")
    assert (row(taped, "tube_setback_in")["verdict"], taped["verdict"]) == ("violates", "violates")


def test_a_box_on_the_other_side_than_the_carriers_violates(benton):
    for y_ft, verdict in ((20, "complies"), (-20, "violates")):
        x, y = at(300, y_ft)
        answer = ask(benton, "mailbox", x=x, y=y, side="north")
        assert row(answer, "side")["verdict"] == verdict
    x, y = at(300, 20)
    assert row(ask(benton, "mailbox", x=x, y=y, side="north", accuracy_ft=30), "side")["verdict"] == "undecided"


def on_main_street(client: TestClient, station_ft: float) -> tuple[float, float]:
    """Return a place on the centerline of Main Street's east half, in degrees."""
    village = client.app.state.atlas.village
    named = village.network.streets
    half = next(h for h in village.map.halves if named[h.street].name == "Main Street" and h.name == "East")
    x, y = half.point(station_ft)
    lon, lat = village.out_of_feet("EPSG:4326")(float(x), float(y))
    return lon, lat


@pytest.mark.parametrize("beside_ft", [-60, -33, -20, 20, 33, 60])
def test_on_main_street_between_the_county_roads_no_mailbox_may_stand_whatever_its_set_back(benton, beside_ft):
    # County J North meets Main Street west of Van Buren, County J South 1,111 ft east of it
    rows = benton.get("/api/v1/streets/Main Street/blocks").json()["rows"]
    ends = {s: (r["half"], round(r["to_ft"])) for r in rows for s in r["to_streets"] if s.startswith("County Road J")}
    assert ends == {"County Road J South": ("East", 1111), "County Road J North": ("West", 2002)}
    lon, lat = on_main_street(benton, 450)
    lat += beside_ft / 364_000  # north and south of it
    answer = ask(benton, "mailbox", crs="EPSG:4326", layers=None, street="Main Street", x=lon, y=lat,
                 tape={"setback": "60 in"}, curb=True)  # fmt: skip
    assert row(answer, "setback_in")["verdict"] == "complies"
    assert row(answer, "stretch")["verdict"] == "violates"
    assert answer["verdict"] == "violates"
    assert row(answer, "stretch")["law"].endswith("both sides of Main Street from County J North to County J South.")


def test_elsewhere_on_main_street_and_on_another_street_the_stretch_does_not_count(benton):
    for station, verdict in ((1111 - 60, "violates"), (1111 - 20, "undecided"), (1111 + 20, "undecided"),
                             (1111 + 60, "complies")):  # fmt: skip
        lon, lat = on_main_street(benton, station)
        answer = ask(benton, "mailbox", crs="EPSG:4326", layers=None, street="Main Street", x=lon, y=lat)
        assert row(answer, "stretch")["verdict"] == verdict  # the crossing itself is known to 25 ft only
    other = ask(benton, "mailbox", crs="EPSG:4326", layers=None, street="Unnamed 14", x=lon, y=lat)
    assert row(other, "stretch")["verdict"] == "complies"


# --- fixtures on the walk: § 288-7 C(3) ---


@pytest.mark.parametrize(
    ("fixture", "value", "verdict"),
    [
        (box(300, 27, 302, 29), 3.00, "complies"),
        (box(300, 27, 302, 29.01), 2.99, "violates"),
    ],
)
def test_three_feet_clear_comply_with_the_floor_and_the_officers_row_stays(benton, fixture, value, verdict):
    answer = ask(benton, "clear-width", layers=None, sidewalk=box(0, 27, 600, 32), fixtures=[fixture])
    assert row(answer, "clear_width_ft")["value"] == pytest.approx(value, abs=1e-9)
    assert answer["verdict"] == verdict
    assert [r["verdict"] for r in answer["rows"]].count("officer") == 1


def test_two_gaps_of_2_9_ft_violate_though_their_sum_is_5_8(benton):
    walk = box(0, 0, 600, 7.8)
    answer = ask(benton, "clear-width", layers=None, sidewalk=walk, fixtures=[box(300, 2.9, 302, 4.9)])
    assert row(answer, "clear_width_ft")["value"] == pytest.approx(2.9)
    assert answer["verdict"] == "violates"


def test_a_fixture_on_a_walk_that_is_known_needs_no_walk_to_be_sent(benton):
    answer = ask(benton, "clear-width", fixtures=[box(300, 27, 302, 29.5)])
    assert row(answer, "clear_width_ft")["value"] == pytest.approx(2.5)
    pole = {"type": "Feature", "properties": {"radius_ft": "6 in", "fixed": True},
            "geometry": {"type": "Point", "coordinates": at(301, 31.5)}}  # fmt: skip
    answer = ask(benton, "clear-width", fixtures=[box(300, 27, 302, 27.5), pole])
    assert row(answer, "clear_width_without_ft")["value"] == pytest.approx(4.0, abs=0.001)
    assert row(answer, "clear_width_ft")["value"] == pytest.approx(3.5, abs=0.001)


def test_a_taped_clear_width_is_taken_in_inches(benton):
    assert ask(benton, "clear-width", layers=None, tape={"clear_width": 36})["verdict"] == "complies"
    assert ask(benton, "clear-width", layers=None, tape={"clear_width": "2'-11\""})["verdict"] == "violates"


# --- shares and lanes: §§ 288-7 B(2), 288-8 D(1), 288-6 B(3) ---


@pytest.mark.parametrize(
    ("pile", "quantity", "share", "verdict"),
    [
        (box(300, -6, 310, 6), "way_share", 1 / 3, "complies"),
        (box(300, -6, 310, 6.01), "way_share", 12.01 / 36, "violates"),
        (box(300, 27, 310, 29.5), "sidewalk_share", 1 / 2, "complies"),
        (box(300, 27, 310, 29.51), "sidewalk_share", 2.51 / 5, "violates"),
    ],
)
def test_exactly_a_third_of_the_way_and_half_the_walk_comply_and_more_violates(benton, pile, quantity, share, verdict):
    answer = ask(benton, "share", footprint=pile)
    assert row(answer, quantity)["value"] == pytest.approx(share, abs=1e-6)
    assert row(answer, quantity)["verdict"] == verdict
    assert answer["verdict"] == verdict


def test_a_pile_in_the_gutter_violates_and_at_its_edge_does_not(benton):
    assert row(ask(benton, "share", footprint=box(300, 10, 310, 16.5)), "gutter")["verdict"] == "complies"
    inside = row(ask(benton, "share", footprint=box(300, 10, 310, 16.6)), "gutter")
    assert (inside["verdict"], inside["value"]) == ("violates", pytest.approx(0.1))


def test_the_right_of_way_is_read_both_ways_for_a_street_privilege(benton):
    """14 of 36 ft of the travelled way, but 14 of 66 ft of the street: the two readings differ."""
    found = row(ask(benton, "share", footprint=box(300, -7, 310, 7)), "row_share")
    assert (found["value"], found["verdict"]) == (pytest.approx(14 / 66, abs=1e-6), "undecided")


def test_a_lane_of_ten_feet_is_left_in_each_direction_or_a_flagman_is_needed(benton):
    assert ask(benton, "lanes", footprint=box(300, 10, 310, 18))["verdict"] == "complies"
    answer = ask(benton, "lanes", footprint=box(300, 9.9, 310, 18))
    assert answer["verdict"] == "violates"
    assert row(answer, "lane_ft")["value"] == pytest.approx(9.9)
    assert "a flagman or temporary traffic control signal shall be provided" in row(answer, "lane_ft")["note"]


def test_the_addresses_whose_access_a_work_may_affect_are_named(benton):
    x, y = at(320, 80)
    asked = {"x": x, "y": y, "crs": FEET, "street": "Main Street"}
    headers = by_key(benton.app.state.database, Role.DIRECTOR)
    made = benton.post("/api/v1/addresses", json=asked, headers=headers)
    assert made.status_code == 201, made.text
    near = ask(benton, "lanes", footprint=box(300, 10, 310, 18))
    assert any(f"{made.json()['address']}" in note for note in near["notes"]), near["notes"]
    far = ask(benton, "lanes", footprint=box(0, 10, 10, 18))  # 310 ft along
    assert any(note.startswith("No address in use has its entrance within 150 ft") for note in far["notes"])


# --- encroachments, terraces, vaults, ditches ---


def test_a_fence_two_feet_in_the_street_is_measured(benton):
    answer = ask(benton, "encroachment", footprint=box(300, 31, 320, 36), kind="fence")
    assert row(answer, "depth_ft")["value"] == pytest.approx(2)
    assert row(answer, "area_sqft")["value"] == pytest.approx(40)
    assert row(answer, "length_ft")["value"] == pytest.approx(20)
    assert answer["verdict"] == "violates"
    for y, verdict in ((33, "complies"), (32.99, "violates")):
        assert ask(benton, "encroachment", footprint=box(300, y, 320, 40))["verdict"] == verdict


@pytest.mark.parametrize(("low", "high"), [(31, 40), (0, 40), (-1, 40), (-35, 35)])
def test_a_fence_post_four_feet_wide_is_four_feet_along_the_line_however_deep_it_reaches(benton, low, high):
    assert row(ask(benton, "encroachment", footprint=box(300, low, 304, high)), "length_ft")["value"] == pytest.approx(
        4
    )


def test_a_point_and_a_footprint_that_only_touches_take_no_area_and_no_length(benton):
    point = {"type": "Point", "coordinates": at(300, 30)}
    answer = ask(benton, "encroachment", footprint=point)
    assert (answer["verdict"], row(answer, "area_sqft")["verdict"]) == ("violates", "not_checked")
    touching = ask(benton, "encroachment", footprint=box(300, 33, 304, 40))
    assert (touching["verdict"], row(touching, "length_ft")["value"]) == ("complies", 0)


def test_a_curb_that_nobody_spoke_of_is_assumed_and_said(benton):
    answer = ask(benton, "mailbox", layers=None, tape={"setback": 9})
    assert (answer["verdict"], answer["assumed"]) == ("complies", True)
    assert "That there is a curb is assumed" in row(answer, "setback_in")["note"]
    assert not ask(benton, "mailbox", layers=None, tape={"setback": 9}, curb=True)["assumed"]


@pytest.mark.parametrize("half", [6_000, 50_000, 1e6, 1e12, 1e300])
def test_what_is_larger_than_the_village_is_refused(benton, half):
    """Such a shape was meant for something else, and would take longer to measure than anybody waits."""
    shape = {"type": "Polygon", "coordinates": [[[X0 + a * half, Y0 + b * half] for a, b in
             ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]]}  # fmt: skip
    for layers in (None, STREET):
        for name, field in (("share", "footprint"), ("encroachment", "footprint"), ("excavation", "opening"),
                            ("lanes", "footprint"), ("setback", "building")):  # fmt: skip
            assert ask(benton, name, 422, layers=layers, **{field: shape})["errors"][0]["field"] == field
        fault = ask(benton, "terrace", 422, layers=layers, object=shape, kind="fence")["errors"][0]
        assert fault["field"] == "object"


def test_a_bar_right_across_the_street_is_as_deep_as_its_middle(benton):
    answer = ask(benton, "encroachment", footprint=box(300, -40, 301, 40))
    assert row(answer, "depth_ft")["value"] == pytest.approx(33, abs=0.01)


def test_a_right_that_covers_the_day_is_no_encroachment_and_the_day_after_it_is(benton):
    right = {"kind": "street privilege permit", "from": "2026-11-01", "until": "2026-11-30"}
    for day, verdict in (("2026-10-31", "violates"), ("2026-11-01", "complies"), ("2026-11-30", "complies"),
                         ("2026-12-01", "violates")):  # fmt: skip
        answer = ask(benton, "encroachment", footprint=box(300, 20, 305, 25), authorisation=right, date=day)
        assert answer["verdict"] == verdict


def test_a_vault_under_the_walk_violates_whatever_covers_it(benton):
    right = {"kind": "permit", "until": "2030-01-01"}
    answer = ask(benton, "encroachment", footprint=box(300, 28, 305, 31), kind="vault", authorisation=right)
    assert row(answer, "under_walk_ft")["verdict"] == "violates"
    assert answer["verdict"] == "violates"


def test_a_ditch_that_is_obstructed_is_found(benton):
    layers = {**STREET, "ditch": box(0, 40, 600, 44)}
    assert (
        row(ask(benton, "encroachment", layers=layers, footprint=box(300, 43, 301, 50)), "ditch_ft")["verdict"]
        == "violates"
    )
    assert (
        row(ask(benton, "encroachment", layers=layers, footprint=box(300, 44, 301, 50)), "ditch_ft")["verdict"]
        == "complies"
    )


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        ("basketball_backstop", "violates"),
        ("boulder", "violates"),
        ("mailbox", "complies"),
        ("landscaping_rock", "complies"),
    ],
)
def test_objects_are_banned_from_the_strip_and_mailboxes_are_not(benton, kind, verdict):
    answer = ask(benton, "terrace", object=box(300, 20, 302, 22), kind=kind)
    assert answer["verdict"] == verdict
    assert row(answer, "area_sqft")["value"] == pytest.approx(4)


def test_at_the_back_of_the_curb_and_at_the_walk_the_strip_ends(benton):
    for shape, verdict in ((box(300, 27, 302, 29), "complies"), (box(300, 26.9, 302, 29), "violates"),
                           (box(300, 17, 302, 18.5), "complies"), (box(300, 17, 302, 18.6), "violates")):  # fmt: skip
        assert ask(benton, "terrace", object=shape, kind="statuary")["verdict"] == verdict
    disc = {"type": "Point", "coordinates": at(300, 29)}
    assert ask(benton, "terrace", object=disc, kind="statuary", radius_ft=1.9)["verdict"] == "complies"
    assert ask(benton, "terrace", object=disc, kind="statuary", radius_ft="2'-2\"")["verdict"] == "violates"


def test_an_approval_cures_paving_and_never_an_object(benton):
    paved = ask(benton, "terrace", object=box(300, 18.5, 320, 27), kind="paving")
    assert (paved["verdict"], row(paved, "terrace_share")["value"]) == ("violates", pytest.approx(20 / 600, abs=1e-6))
    approved = {"approved": "Village Board, June 1, 2026"}
    assert ask(benton, "terrace", object=box(300, 18.5, 320, 27), kind="paving", **approved)["verdict"] == "complies"
    assert ask(benton, "terrace", object=box(300, 20, 302, 22), kind="fence", **approved)["verdict"] == "violates"


# --- openings: §§ 288-5, 288-6 ---


@pytest.mark.parametrize(
    ("day", "verdict"),
    [("2026-11-14", "complies"), ("2026-11-15", "violates"), ("2026-12-31", "violates"), ("2027-01-01", "violates"),
     ("2027-04-01", "violates"), ("2027-04-02", "complies")],
)  # fmt: skip
def test_the_ground_is_frozen_from_november_15_to_april_1_both_days_within(benton, day, verdict):
    answer = ask(benton, "excavation", opening=box(300, 10, 306, 14), date=day)
    assert row(answer, "frozen_ground")["verdict"] == verdict
    assert row(answer, "area_sqft")["verdict"] == "officer"
    assert row(answer, "area_sqft")["value"] == pytest.approx(24)
    assert ask(benton, "excavation", opening=box(300, 10, 306, 14), date=day, emergency=True)["verdict"] != "violates"


def test_an_opening_off_every_public_place_needs_no_permit_and_is_told_its_distance(benton):
    answer = ask(benton, "excavation", opening=box(300, 37, 306, 45), date="2026-06-01")
    assert row(answer, "area_sqft")["verdict"] == "complies"
    assert row(answer, "distance_ft")["value"] == pytest.approx(4)
    assert row(answer, "walk_distance_ft")["value"] == pytest.approx(5)
    assert row(answer, "distance_ft")["verdict"] == "officer"  # § 130-10 B: the Inspector decides the hazard


def test_the_replacement_area_is_a_rectangle_along_the_curb(benton):
    corner = {"type": "Polygon", "coordinates": [[at(300, 10), at(306, 12), at(302, 15), at(300, 10)]]}
    answer = ask(benton, "excavation", opening=corner, date="2026-06-01")
    drawn = {f["properties"]["role"]: f["geometry"]["coordinates"][0] for f in answer["geometry"]["features"]
             if f["geometry"]["type"] == "Polygon"}  # fmt: skip
    ends = [(min(c), max(c)) for c in zip(*drawn["replacement"], strict=True)]
    assert ends == [pytest.approx((X0 + 300, X0 + 306)), pytest.approx((Y0 + 10, Y0 + 15))]
    across = [p[1] for p in drawn["lane"]]
    assert max(across) - min(across) == pytest.approx(10)  # grown to a full lane


@pytest.mark.parametrize(
    ("heads", "ahead", "open_"),
    [((250, 0, 0), "complies", "complies"), ((250.1, 0, 0), "violates", "complies"),
     ((500, 500, 0), "complies", "complies"), ((510, 500.5, 0), "complies", "violates")],
)  # fmt: skip
def test_a_trench_is_open_250_ft_ahead_and_500_ft_behind_at_most(benton, heads, ahead, open_):
    named = dict(zip(("excavated_ft", "laid_ft", "backfilled_ft"), heads, strict=True))
    answer = ask(benton, "trench", line=line((0, 0), (600, 0)), **named)
    assert (row(answer, "trench_ahead_ft")["verdict"], row(answer, "trench_open_ft")["verdict"]) == (ahead, open_)
    cured = ask(benton, "trench", line=line((0, 0), (600, 0)), permission="Director, June 1", **named)
    assert cured["verdict"] == "complies"


# --- buildings, petitions, routes ---


@pytest.mark.parametrize(
    ("front", "display", "snow"),
    [
        (38, "complies", "complies"),
        (38.1, "complies", "violates"),
        (83, "complies", "violates"),
        (83.1, "violates", "violates"),
    ],
)
def test_a_building_is_measured_from_the_street_line_by_its_nearest_part(benton, front, display, snow):
    answer = ask(benton, "setback", building=box(300, front, 330, front + 30))
    assert row(answer, "distance_ft", "§ 288-15 G(3)")["verdict"] == display
    assert row(answer, "distance_ft", "§ 288-9 C")["verdict"] == snow
    assert row(answer, "walk_gap_ft")["value"] == pytest.approx(1 + 9)  # 33 to 32, and 27 to 18: no walk spans


def test_snow_may_go_onto_the_street_where_the_walk_spans_to_the_curb(benton):
    wide = {**STREET, "sidewalk": [box(0, 18, 600, 33)]}
    assert ask(benton, "setback", layers=wide, building=box(300, 35, 330, 60))["verdict"] == "complies"


def test_exactly_half_of_the_frontage_is_not_more_than_half(benton):
    for signed, verdict in ((200, "violates"), (200.1, "complies")):
        lots = [{"frontage_ft": signed, "signed": True}, {"frontage_ft": 400 - signed, "signed": False}]
        answer = ask(benton, "petition", layers=None, stretch_ft=400, lots=lots)
        assert answer["verdict"] == verdict
        assert row(answer, "petition_share")["value"] == pytest.approx(signed / 400, abs=1e-6)


def test_a_route_joins_end_to_end_or_says_where_it_does_not(benton):
    parts = [line((0, 0), (100, 0)), line((100, 50), (100, 0)), line((100, 50), (300, 50))]
    whole = ask(benton, "route", segments=parts)
    assert whole["verdict"] == "complies"
    assert "2 turns" in row(whole, "length_ft")["note"]
    broken = ask(benton, "route", segments=[parts[0], parts[2]])
    assert (broken["verdict"], row(broken, "gap_ft")["value"]) == ("violates", pytest.approx(50))
    named = ask(benton, "route", layers=None, segments=["Main Street"])
    assert row(named, "length_ft")["value"] > 1000


def test_no_building_stands_overnight_on_a_crossing_or_by_a_hydrant(benton):
    layers = {**STREET, "crossing": box(200, -18, 236, 18), "hydrant": {"type": "Point", "coordinates": at(400, 20)}}
    on = ask(benton, "route", layers=layers, segments=[line((0, 0), (600, 0))], stops=[box(190, -5, 205, 5)])
    assert row(on, "crossing_ft")["verdict"] == "violates"
    near = ask(benton, "route", layers=layers, segments=[line((0, 0), (600, 0))], stops=[box(390, -5, 410, 8)])
    assert (row(near, "crossing_ft")["verdict"], row(near, "hydrant_ft")["verdict"]) == ("complies", "officer")


# --- the village's own, assumed ---


def test_the_villages_assumed_widths_leave_a_mailbox_undecided_and_say_so(benton):
    village = benton.app.state.atlas.village
    half = next(h for h in village.map.halves if village.network.streets[h.street].name == "Van Buren Street")
    x, y = half.point(200.0)
    step = half.point(201.0) - half.point(199.0)
    away = [-step[1] / math.hypot(*step), step[0] / math.hypot(*step)]
    answer = ask(
        benton, "mailbox", layers=None, x=float(x + away[0] * 19), y=float(y + away[1] * 19), street="Van Buren Street"
    )
    found = row(answer, "setback_in")
    assert found["value"] == pytest.approx(12, abs=0.01)  # 19 ft less half of 36
    assert found["uncertainty"] == pytest.approx(math.hypot(25, 5) * 12, abs=0.01)
    assert (answer["verdict"], answer["assumed"]) == ("undecided", True)
    assert "assumed curb line" in found["note"]


def test_a_position_of_gps_is_moved_and_one_in_nad83_is_not(benton):
    """At epoch 2025 by 3.39 ft east and 2.80 ft south: the survey's own figures."""
    village = benton.app.state.atlas.village
    lon, lat = village.out_of_feet("EPSG:4326")(X0 + 300, Y0 + 22.0)
    layers = {  # the same street in degrees: layers are surveyed, in NAD83(2011), and stay where they are
        "curb_line": {"type": "LineString", "coordinates": [
            [round(float(c), 9) for c in village.out_of_feet("EPSG:4326")(X0 + x, Y0 + 18.0)] for x in (0, 600)]},
        "centerline": {"type": "LineString", "coordinates": [
            [round(float(c), 9) for c in village.out_of_feet("EPSG:4326")(X0 + x, Y0)] for x in (0, 600)]},
    }  # fmt: skip
    given = {"crs": "EPSG:4326", "layers": layers, "x": float(lon), "y": float(lat), "epoch": 2025.0}
    moved = ask(benton, "mailbox", **given)
    assert row(moved, "setback_in")["value"] == pytest.approx((4.0 - 2.80) * 12, abs=0.15)
    assert (moved["datum"]["east_ft"], moved["datum"]["north_ft"]) == (3.39, -2.80)
    assert "moved 3.39 ft east and 2.80 ft south" in moved["datum"]["note"]
    kept = ask(benton, "mailbox", datum="nad83-2011", **given)
    assert row(kept, "setback_in")["value"] == pytest.approx(48, abs=0.05)
    assert not kept["datum"]["shifted"]
    x, y = at(300, 22)
    assert not ask(benton, "mailbox", x=x, y=y)["datum"]["shifted"]


# --- what cannot be used ---


@pytest.mark.parametrize(
    ("name", "content", "field", "told"),
    [
        ("mailbox", {}, "x, y", "taped set-back"),
        ("mailbox", {"x": 412000.0}, "y", "both"),
        ("mailbox", {"x": -90.38, "y": 42.57}, "x, y", "degrees"),
        ("mailbox", {"x": 1.0, "y": 2.0}, "x, y", "degrees"),
        ("mailbox", {"x": 500000.0, "y": 126000.0}, "x, y", "outside the village"),
        ("mailbox", {"tape": {"setback": "six"}}, "tape.setback", "a length"),
        ("mailbox", {"tape": {"tolerance": 1}}, "tape.setback", "a taped length"),
        ("mailbox", {"tape": {"setback": 6, "tolerance": "-1 in"}}, "tape.tolerance", "0 or more"),
        ("mailbox", {"tape": {"setback": 6}, "street": "Nowhere Street"}, "street", "a street of the village"),
        ("mailbox", {"tape": {"setback": 6}, "side": "left"}, "side", "north, south"),
        ("mailbox", {"tape": {"setback": 6}, "crs": "EPSG:0"}, "crs", "coordinate reference system"),
        ("mailbox", {"tape": {"setback": 6}, "datum": "wgs"}, "datum", "gps"),
        ("mailbox", {"tape": {"setback": 6}, "accuracy_ft": -1}, "accuracy_ft", "0 or more"),
        ("mailbox", {"tape": {"setback": 6}, "layers": {"curb": {}}}, "layers", "curb_line"),
        ("mailbox", {"tape": 6, "layers": {"curb_line": box(0, 0, 1, 1)}}, "layers.curb_line.type", "LineString"),
        ("mailbox", {"tape": {"setback": 6}, "layers": {"accuracy_ft": "good"}}, "layers.accuracy_ft", "feet"),
        ("mailbox", {"tape": {"setback": 6}, "colour": "red"}, "colour", "no field of this name"),
        ("terrace", {"object": box(0, 0, 1, 1), "kind": "gnome"}, "kind", "basketball_backstop"),
        ("terrace", {"object": box(0, 0, 1, 1), "kind": "fence", "radius_ft": -1}, "radius_ft", "more than 0"),
        ("share", {"footprint": line((0, 0), (1, 1))}, "footprint.type", "Polygon"),
        ("share", {}, "footprint", "a value"),
        ("clear-width", {"layers": {}}, "sidewalk", "Polygon"),
        ("trench", {"line": line((0, 0), (600, 0)), "excavated_ft": 100, "laid_ft": 200, "backfilled_ft": 0},
         "excavated_ft", "at least laid_ft, 200"),
        ("trench", {"line": line((0, 0), (600, 0)), "excavated_ft": 700, "laid_ft": 0, "backfilled_ft": 0},
         "excavated_ft", "600.0 ft"),
        ("petition", {"stretch_ft": 100, "lots": [{"frontage_ft": 101, "signed": True}]}, "lots", "100 ft"),
        ("petition", {"stretch_ft": 0, "lots": [{"frontage_ft": 1, "signed": True}]}, "stretch_ft", "above 0"),
        ("petition", {"stretch_ft": 10, "lots": [{"frontage_ft": 1}]}, "lots[0].signed", "true or false"),
        ("route", {"segments": []}, "segments", "1 to 500"),
        ("route", {"segments": [{"street": "Main Street", "from": "Van Buren Street"}]}, "segments[0]", "both"),
        ("excavation", {"opening": box(0, 0, 1, 1), "date": "2026-02-30"}, "date", "day"),
        ("mailbox", {"tape": 6, "date": "9999-12-31"}, "date", "2099"),
        ("mailbox", {"tape": 6, "date": "1900-01-01"}, "date", "1980"),
        ("mailbox", {"tape": 6, "epoch": 1}, "epoch", "1980"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_by_its_field(benton, name, content, field, told):
    given = {"layers": None, **content} if "layers" not in content else content
    answer = ask(benton, name, 422, **given)
    fault = answer["errors"][0]
    assert fault["field"] == field
    assert told in f"{fault['expected']} {fault['found']}"


def test_a_polygon_that_crosses_itself_is_refused_with_the_place_of_the_fault(benton):
    bow = {"type": "Polygon", "coordinates": [[at(0, 0), at(10, 10), at(10, 0), at(0, 10), at(0, 0)]]}
    for name, field in (
        ("share", "footprint"),
        ("excavation", "opening"),
        ("setback", "building"),
        ("encroachment", "footprint"),
    ):
        fault = ask(benton, name, 422, **{field: bow})["errors"][0]
        assert fault["field"] == field
        assert f"Self-intersection[{X0 + 5:g} {Y0 + 5:g}]" in fault["found"]
    fault = ask(benton, "share", 422, layers={"pavement": bow}, footprint=box(0, 0, 1, 1))["errors"][0]
    assert (fault["field"], "Self-intersection" in fault["found"]) == ("layers.pavement", True)
