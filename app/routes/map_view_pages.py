"""Pages of any version of the map, old ones too: its blocks, the numbers given under it, a number recomputed."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.engine import Connection

from app import adoption, map_versions, registers
from app.answers import Json, as_csv, blocks_csv
from app.assign import preview
from app.deps import AtlasDep, PersonDep
from app.map_versions import Atlas
from app.routes.asked import read_degrees
from app.routes.forms import MOST_ID, READ, Id, PageNumber, Text, csv_file, faults_of, part, read_whole
from app.routes.map_pages import about
from app.routes.rendering import page
from app.tables import addresses, maps
from app.village import LONLAT, Village
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
A_PAGE = 100
COLUMNS = ("id", "address", "usps", "status", "assigned_at", "assigned_by", "lon", "lat")


def _version(connection: Connection, version: int) -> Json:
    """Return a version's row, with what it is in words."""
    row = registers.get(connection, maps, version)
    rows = registers.rows(connection, maps)
    return {"row": row, **about(row, rows, map_versions.in_force(connection))}


@router.api_route("/maps/{version}/blocks", methods=READ)
def map_blocks(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    version: Id,
    street: Text = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    format: Text = "",
) -> Response:
    """List the blocks of a version."""
    village = atlas.of(version)
    if format == "csv":
        return csv_file(blocks_csv(village), f"map-{version}-blocks.csv")
    with atlas.database.read() as connection:
        shown = _version(connection, version)
    rows = [row for row in village.map.rows if street in {"", row.street}]
    found, pages = part(sorted(rows, key=lambda r: (r.street, r.side, r.path, r.block)), number, A_PAGE)
    shown |= {
        "found": found,
        "total": len(rows),
        "number": number,
        "pages": pages,
        "street": street,
        "derived": village,
    }
    return page(request, "map_blocks.html", **shown)


@router.api_route("/maps/{version}/numbers", methods=READ)
def map_numbers(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    version: Id,
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    format: Text = "",
) -> Response:
    """List the numbers that were given under a version."""
    with atlas.database.read() as connection:
        shown = _version(connection, version)
        rows = registers.located_many(connection, addresses.c.map_version == version)
    if format == "csv":
        cells = ([str(value) for value in _number_cells(row)] for row in rows)
        return csv_file(as_csv(COLUMNS, cells, spreadsheet=True), f"map-{version}-numbers.csv")
    found, pages = part(rows, number, A_PAGE)
    return page(request, "map_numbers.html", found=found, total=len(rows), number=number, pages=pages, **shown)


def _number_cells(row: registers.Row) -> tuple[Any, ...]:
    first = (row["id"], row["full"], row["usps"], row["status"], row["made_at"].isoformat(), row["made_by"])
    return (*first, row["location_lon"], row["location_lat"])


@router.api_route("/maps/{version}/recompute", methods=READ)
def map_recompute(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    version: Id,
    lat: Text = "",
    lon: Text = "",
    street: Text = "",
    address: Text = "",
) -> Response:
    """Say which number a place or an address has under a version."""
    with atlas.database.read() as connection:
        shown = _version(connection, version)
    village = atlas.of(version)
    given: Json = {"lat": lat, "lon": lon, "street": street, "address": address}
    faults: dict[str, str] = {}
    answer = held = None
    try:
        if address.strip():
            answer, held = _of_address(atlas, village, address)
        elif lat.strip() or lon.strip():
            answer = _of_place(village, lat, lon, street)
    except StreetsError as error:
        faults = faults_of(error, given, "address" if address.strip() else "lat")
    shown |= {"answer": answer, "held": held, "given": given, "faults": faults, "derived": village}
    return page(request, "map_recompute.html", 422 if faults else 200, **shown)


def _of_place(village: Village, lat: str, lon: str, street: str) -> Json:
    north, east = read_degrees(lat, "lat"), read_degrees(lon, "lon")
    if north is None:
        raise StreetsError.of("lat", lat or "nothing", "degrees, such as 42.57239")
    if east is None:
        raise StreetsError.of("lon", lon or "nothing", "degrees, such as -90.38710")
    return preview(village, east, north, LONLAT, street or None)


def _of_address(atlas: Atlas, village: Village, text: str) -> tuple[Json, Json]:
    """Return what a version gives an address's entrance on its street, and what the address is."""
    address_id = read_whole(text, "address", "the number of an address's record, as it stands in its link", MOST_ID)
    with atlas.database.read() as connection:
        row = registers.located(connection, address_id)
    moved = adoption.under(village, [row])[0]
    held = {"row": row, "would_be": moved.number, "agrees": moved.agrees}
    on_it = row["street"] if row["street"] in village.network.by_name else None
    return preview(village, row["location_lon"], row["location_lat"], LONLAT, on_it), held
