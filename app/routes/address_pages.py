"""Pages of addresses for everybody: found, listed, exported, and each shown with its reasons, map and history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Path, Query, Request, Response
from sqlalchemy.engine import Connection

from app import case_following, fronts, maps, records, registers, search, undoing
from app.adoption import official_under
from app.answers import as_csv
from app.auth import Permission, Person
from app.columns import canonical
from app.deps import AtlasDep, PersonDep
from app.map_versions import Atlas
from app.routes.document_routes import base_url
from app.routes.listing import near
from app.routes.rendering import page, sent, with_query
from app.routes.wording import PLACES, display_words, history, status_words
from app.tables import addresses, documents
from app.village import LONLAT, Village
from gis.address import street_key
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
READ = ["GET", "HEAD"]
A_PAGE, A_FILE = 50, 5000
MOST_POINTS = 2000
"""The most addresses that a map is sent at once."""

Text = Annotated[str, Query(max_length=200)]
Mark = Annotated[str, Query(max_length=2000)]
Id = Annotated[int, Path(ge=1, le=2_000_000_000)]
Json = dict[str, Any]

STATUSES = {
    "": "in use",
    "official": "official",
    "provisional": "provisional",
    "proposed": "proposed",
    "retired": "retired",
    "all": "all, retired ones too",
}
COLUMNS = (
    *("id", "address", "usps", "status", "number", "fraction", "suffix", "street", "half", "map_version", "law_date"),
    *("assigned_at", "retired_at", "replaced_by", "lon", "lat"),
)


@router.api_route("/addresses", methods=READ)
def address_list(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    q: Text = "",
    street: Text = "",
    status: Text = "",
    sort: Text = "",
    after: Mark = "",
    format: Text = "",
) -> Response:
    """Find addresses, however typed."""
    village = atlas.village
    wanted: Json = {"status": status, "street": village.street_name(street) if street else "", "newest": sort == "new"}
    with atlas.database.read() as connection:
        if format == "csv":
            text = as_csv(COLUMNS, _cells(connection, village, q, wanted), spreadsheet=True)
            headers = {"Content-Disposition": 'attachment; filename="addresses.csv"'}
            return Response(text, media_type="text/csv; charset=utf-8", headers=headers)
        found, following = search.found(connection, village, q, after=after, limit=A_PAGE, **wanted)
        empty = not found and not registers.rows(connection, addresses, limit=1)
        instead = _links(connection, [row["replaced_by"] for row in found])
    asked = search.read(village, q)
    given = {"q": q, "street": street, "status": status, "sort": sort}
    shown: Json = {"found": found, "following": following, "empty": empty, "instead": instead, "after": after}
    shown |= {"statuses": STATUSES, "given": given, "asked": asked, **_unmatched(village, found, asked)}
    return page(request, "addresses.html", **shown)


def _unmatched(village: Village, found: Sequence[registers.Row], asked: search.Asked) -> Json:
    """Return how a text was read where nothing, or only something near, is what it says."""
    names = [s.name for s in village.streets if street_key(s.name) in asked.streets]
    apart = bool(asked.fraction or asked.suffix)  # a plain number is found with all the doors of it
    exact = not asked.number or any(
        asked.is_number_of(row) if apart else row["number"] == asked.number for row in found
    )
    return {"exact": exact, "meant": names, "near": [] if names else near(village, asked.words)}


def _cells(connection: Connection, village: Village, q: str, wanted: Json) -> Iterator[list[str]]:
    """Give every address of a result as the cells of `COLUMNS`."""
    after = ""
    while True:
        rows, after = search.found(connection, village, q, after=after, limit=A_FILE, **wanted)
        for row in rows:
            days = (row["law_date"], row["made_at"], row["retired_at"])
            known = (*(row[n] for n in ("id", "full", "usps", "status", "number", "fraction", "suffix")),)
            place = (row["street"], row["half"], row["map_version"], *(d.isoformat() if d else "" for d in days))
            last = (row["replaced_by"] or "", row["location_lon"], row["location_lat"])
            yield [str(value) for value in (*known, *place, *last)]
        if not after:
            return


def _links(connection: Connection, ids: Sequence[int | None]) -> dict[int, str]:
    wanted = [i for i in ids if i]
    rows = registers.rows(connection, addresses, addresses.c.id.in_(wanted)) if wanted else []
    return {row["id"]: row["full"] for row in rows}


def registered(atlas: Atlas, village: Village, text: str) -> str:
    """Return the page of the address that a text means by its number, or of those it may mean; ``""`` for none.

    A number that was replaced leads to its own page, which says by what.
    """
    asked = search.read(village, text)
    if not asked.number or not asked.streets:
        return ""
    with atlas.database.read() as connection:
        found, _ = search.found(connection, village, text, limit=10)
        meant = [row for row in found if asked.is_number_of(row)]
        if not meant:
            old, _ = search.found(connection, village, text, status="retired", limit=10)
            meant = [row for row in old if asked.is_number_of(row) and row["replaced_by"]]
    own = [row for row in meant if row["street_key"] == meant[0]["street_key"]]
    if len(own) == 1:
        return f"/addresses/{own[0]['id']}"
    return with_query("/addresses", q=text) if own else ""


def nearby(atlas: Atlas, village: Village, text: str) -> str:
    """Return the list of the addresses in use that are near the one that a text means; ``""`` where there are none."""
    with atlas.database.read() as connection:
        found, _ = search.found(connection, village, text, limit=1)
    return with_query("/addresses", q=text) if found else ""


@router.api_route("/addresses.geojson", methods=READ)
def address_points(
    request: Request, person: PersonDep, atlas: AtlasDep, bbox: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """Send the addresses in use inside `west,south,east,north`, degrees, as points for the map."""
    west, south, east, north = _bounds(atlas.village, bbox)
    corners = np.array([(x, y) for x in (west, east) for y in (south, north)])
    xs, ys = atlas.village.into_feet(LONLAT)(corners[:, 0], corners[:, 1])
    with atlas.database.read() as connection:
        box = (float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))
        found = registers.points(connection, *box, limit=MOST_POINTS)
    features = [
        {
            "type": "Feature",
            "id": row["id"],
            "properties": {
                "number": f"{row['number']}{row['suffix']}",
                "address": row["full"],
                "status": row["status"],
            },
            "geometry": {"type": "Point", "coordinates": [row["lon"], row["lat"]]},
        }
        for row in found
    ]
    made = {"type": "FeatureCollection", "complete": len(found) < MOST_POINTS, "features": features}
    return sent(request, canonical(made).encode(), "application/geo+json")


def _bounds(village: Village, text: str) -> tuple[float, float, float, float]:
    """Read a rectangle, cut to the village's map; the whole map where none is given."""
    (south, west), (north, east) = maps.bounds(village)
    if not text:
        return west, south, east, north
    try:
        a, b, c, d = (float(part) for part in text.split(","))
    except ValueError as error:
        raise StreetsError.of("bbox", text, "west,south,east,north in degrees") from error
    if not (-180 <= a <= c <= 180 and -90 <= b <= d <= 90):
        raise StreetsError.of("bbox", text, "west,south,east,north in degrees, each lower one first")
    pad = 0.1  # degrees round the map within which it can be projected
    west, south, east, north = west - pad, south - pad, east + pad, north + pad
    return min(max(a, west), east), min(max(b, south), north), max(min(c, east), west), max(min(d, north), south)


@router.api_route("/addresses/{address_id}", methods=READ)
def address(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    address_id: Id,
    done: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """Show one address."""
    return address_page(request, atlas, person, address_id, done=done)


def address_page(
    request: Request,
    atlas: Atlas,
    person: Person,
    address_id: int,
    status: int = HTTPStatus.OK,
    *,
    done: str = "",
) -> Response:
    """Render an address: for everybody what it is and why, for officers the record and what can be done."""
    village = atlas.village
    with atlas.database.read() as connection:
        found = records.full(connection, village, address_id, officer=person.may(Permission.READ_RECORDS))
        row = registers.located(connection, address_id)
        beside = neighbours(connection, row)
        case_of = case_following.on_address(connection, address_id) if person.may(Permission.READ_RECORDS) else []
        papers = _papers(connection, address_id) if person.may(Permission.READ_RECORDS) else []
        undoing = _undoing(connection, person, row) if person.may(Permission.ASSIGN) else None
        past = history(connection, row) if person.may(Permission.READ_RECORDS) else []
        edition = official_under(connection, row)
    shown: Json = {"a": found, "row": row, "done": done, "papers": papers, "undoing": undoing, "past": past}
    shown |= {"words": status_words(found, row, edition), "edition": edition, "cases": case_of}
    shown |= {"display": display_words(found["set_back"]), "neighbours": beside, "has_face": _has_face(village, row)}
    shown |= {"script": maps.map_script(village), "needles": maps.needles(village), "places": PLACES}
    shown["on_paper"] = base_url(request.app.state.settings)
    return page(request, "address.html", status, data=_drawn(village, found, row, beside), **shown)


def _drawn(village: Village, found: Json, row: registers.Row, beside: Sequence[Json]) -> Json:
    """Return what the map of an address draws."""
    place = found["place"]
    answer: Json = {"number": row["number"], "label": f"{row['number']}{row['suffix']}"}
    answer |= {"explanation": found["explanation"], "neighbours": list(beside)}
    answer |= {"building": place["building"], "lot": place["lot"], "set_back": (found["set_back"] or {}).get("line")}
    return {
        "village": f"Village of {village.files.settings.name}",
        "position": [place["lat"], place["lon"]],
        "answer": answer,
        "views": {"all": maps.bounds(village), "core": maps.core(village)},
    }


def neighbours(connection: Connection, row: registers.Row, count: int = 2) -> list[Json]:
    """Return the numbers in use next to one in its row, inward and outward."""
    side = [registers.IS_ACTIVE, addresses.c.street_key == row["street_key"], addresses.c.half == row["half"]]
    side += [addresses.c.even == row["even"], addresses.c.location_id != row["location_id"]]
    number = addresses.c.number
    inward = [*side, number < row["number"]], [number.desc()]
    outward = [*side, number > row["number"]], [number]
    before, after = (
        registers.located_many(connection, *conditions, order=order, limit=count)
        for conditions, order in (inward, outward)
    )
    return [
        {"id": r["id"], "number": f"{r['number']}{r['suffix']}", "address": r["full"], "status": r["status"],
         "lon": r["location_lon"], "lat": r["location_lat"]}
        for r in (*reversed(before), *after)
    ]  # fmt: skip


def _has_face(village: Village, row: registers.Row) -> bool:
    """Whether the number lies in a block that the map in force has."""
    try:
        rows = fronts.rows_of(village, row["street"], row["half"])
    except StreetsError:
        return False
    hundred = village.law.numbering.hundred
    return any(r.hundred == row["number"] // hundred * hundred for r in rows)


def _papers(connection: Connection, address_id: int) -> list[registers.Row]:
    mine = documents.c.address_id == address_id
    return registers.rows(connection, documents, mine, order=[documents.c.id.desc()])


def last_act(connection: Connection, row: registers.Row) -> registers.Row | None:
    """Return the last entry of an address or its place, whose act may be undone."""
    own = (("addresses", row["id"]), ("locations", row["location_id"]))
    found = [undoing.last_act(connection, kind, subject) for kind, subject in own]
    return max((entry for entry in found if entry), key=lambda entry: int(entry["seq"]), default=None)


def _undoing(connection: Connection, person: Person, row: registers.Row) -> Json | None:
    """Return the last act of an address, and why it cannot be undone where it cannot."""
    last = last_act(connection, row)
    if last is None:
        return None
    told: Json = {
        "act": last["act"],
        "what": records.ACTS.get(last["what"], last["what"]),
        "by": last["actor"],
        "why": "",
    }
    told["at"] = last["at"]
    if undoing.UNDOABLE.get(last["what"]) not in {Permission.ASSIGN, Permission.DECIDE_DOUBT}:
        if last["what"] == "import":
            return {**told, "why": "It came with others in one file: the page of that import undoes the whole of it."}
        return {**told, "why": "It was done to the whole map or street, or is itself an undoing."}
    try:
        undoing.check_undo(connection, person, last["act"])
    except StreetsError as error:
        told["why"] = str(error.message)
    return told
