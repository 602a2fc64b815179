"""The works map, for everybody: openings and obstructions by their state on any day, on a map and in a list."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.engine import Connection

from app import maps, registers, works, works_map
from app import street_objects_told as told
from app.auth import Permission
from app.case_tables import cases
from app.deps import AtlasDep, PersonDep
from app.map_versions import Atlas
from app.object_kinds import KINDS, WORKS
from app.permits import PERMITS
from app.routes.forms import READ, Text, go
from app.routes.rendering import page, sent, with_query
from app.routes.street_objects_api import read_at, today
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
BEFORE, AFTER = 60, 180
"""So many days before and after today the slider reaches."""
ABOUT: Mapping[str, str] = {
    "emergency": "an emergency opening that is open on the day",
    "active": "open, or standing, on the day",
    "planned": "begins after the day",
    "recently_expired": f"its last day was over at most {works.EXPIRED_DAYS} days before, and nobody has recorded that "
    "it was restored or removed",
    "past": "restored, removed, or longer over",
}


def _asked(atlas: Atlas, at: str, state: str, kind: str, street: str) -> tuple[date, Json, list[Json], dict[str, int]]:
    """Return the day, what was asked for, the works and how many are in each state."""
    village, day = atlas.village, read_at(at)
    given = {"state": works.read_state(state), "kind": works.read_kind(kind)}
    given["street"] = village.street_name(street) if street.strip() else ""
    with atlas.database.read() as connection:
        rows = works.listed(connection, day, **given)
        counts = works.counts(connection, day, kind=given["kind"], street=given["street"])
    return day, given, told.public(village, rows, day), counts


@router.api_route("/works", methods=READ)
def works_page(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    at: Text = "",
    days: Annotated[str, Query(max_length=5)] = "",
    state: Text = "",
    kind: Text = "",
    street: Text = "",
) -> Response:
    """Show works on a day; a day given by how far it is from today is led to its own address."""
    if days:
        return go(with_query("/works", at=_slid_to(days, at), state=state, kind=kind, street=street))
    day, given, items, counts = _asked(atlas, at, state, kind, street)
    with atlas.database.read() as connection:
        busy = works.streets(connection)
        permits = _permits(connection, [one["id"] for one in items])
    numbered = [{**one, "number": k, "permit": permits.get(one["id"], "")} for k, one in enumerate(items, start=1)]
    link = {"at": day.isoformat(), **given}
    marks = [{name: one[name] for name in ("id", "number", "state", "lon", "lat")} for one in numbered]
    views = {"all": maps.bounds(atlas.village), "core": maps.core(atlas.village)}
    shown: Json = {"day": day, "given": given, "link": link, "items": numbered, "counts": counts, "about": ABOUT}
    shown |= {
        "today": today(),
        "before": BEFORE,
        "after": AFTER,
        "offset": (day - today()).days,
        "states": works.STATES,
    }
    shown |= {"kinds": {key: KINDS[key].title for key in WORKS}, "busy": busy, "needles": maps.needles(atlas.village)}
    shown |= {"script": with_query("/works/map.js", **link), "data": {"marks": marks, "views": views}}
    shown |= {"officer": person.may(Permission.READ_RECORDS), "read_day": date.fromisoformat, "most": works.MOST}
    return page(request, "works.html", **shown)


def _permits(connection: Connection, ids: list[int]) -> dict[int, str]:
    """Return the numbers of the permits that works stand under, by the work."""
    found: dict[int, str] = {}
    for start in range(0, len(ids), registers.AT_ONCE):
        of = cases.c.object_id.in_(ids[start : start + registers.AT_ONCE])
        for row in registers.rows(connection, cases, of & cases.c.kind.in_(list(PERMITS))):
            found[row["object_id"]] = row["number"]
    return found


def _slid_to(text: str, at: str) -> str:
    """Return the day that the slider was left at: the day shown before where it was not moved.

    Raises
    ------
    StreetsError
        It is no number of days that the slider has.
    """
    expected = f"a whole number of days, -{BEFORE} to {AFTER}"
    try:
        number = int(text)
    except ValueError as error:
        raise StreetsError.of("days", text, expected) from error
    if not -BEFORE <= number <= AFTER:
        raise StreetsError.of("days", text, expected)
    before = read_at(at)
    same = number == min(max((before - today()).days, -BEFORE), AFTER)
    return (before if same else today() + timedelta(days=number)).isoformat()


@router.api_route("/works/map.js", methods=READ)
def works_script(
    request: Request, atlas: AtlasDep, at: Text = "", state: Text = "", kind: Text = "", street: Text = ""
) -> Response:
    """Send the script of the map with the works wanted."""
    _, given, items, _ = _asked(atlas, at, state, kind, street)
    made = works_map.works_script(atlas.village, items, given["street"])
    media = "text/javascript; charset=utf-8"
    return sent(request, made.body, media, packed=made.packed, tag=made.tag, cache_control="no-cache")
