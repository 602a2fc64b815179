"""The register of lots, for everybody: which numbers each lot embraces, built or vacant."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from app import lots, registers
from app.answers import as_csv
from app.deps import AtlasDep, PersonDep
from app.positions import into_feet
from app.routes.api import answered
from app.routes.forms import READ, Id, Text, csv_file
from app.routes.places import REACH_FT, SIZE_PX, picture
from app.routes.register_api import PROBLEMS
from app.routes.rendering import page
from app.tables import imports
from app.tables import lots as table
from gis.errors import StreetsError

router = APIRouter()
A_PAGE, A_FILE, MOST_FILE = 50, 200, 20_000
After = Annotated[int, Query(ge=0, le=2_000_000_000)]
Lon = Annotated[float | None, Query(ge=-180, le=180)]
Lat = Annotated[float | None, Query(ge=-90, le=90)]


@router.get("/api/v1/lots", summary="Lots with the numbers each embraces (§ 288-15 J)", responses=PROBLEMS)
def lot_list(
    atlas: AtlasDep,
    parcel: Annotated[str, Query(max_length=100, description="A part of the parcel's number.")] = "",
    lon: Annotated[Lon, Query(description="With `lat`: the lots that hold this place.")] = None,
    lat: Lat = None,
    after: Annotated[After, Query(description="`next` of the page before.")] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """List the standing lots, each with its streets, its numbers and who holds them."""
    if (lon is None) != (lat is None):
        raise StreetsError.of("lat" if lat is None else "lon", "nothing", "both longitude and latitude, or neither")
    village = atlas.village
    with atlas.database.read() as connection:
        if lon is not None and lat is not None:
            rows = lots.containing(connection, *into_feet(village, lon, lat, "EPSG:4326"))
            return answered({"items": lots.told(village, connection, rows), "next": None})
        rows = lots.listed(connection, parcel, after, limit)
        following = rows[-1]["id"] if len(rows) == limit else None
        return answered({"items": lots.told(village, connection, rows), "next": following})


@router.get("/api/v1/lots/{lot_id}", summary="One lot", responses=PROBLEMS)
def lot_get(lot_id: Id, atlas: AtlasDep) -> Response:
    """Show a lot with its shape."""
    with atlas.database.read() as connection:
        row = registers.get(connection, table, lot_id)
        (about,) = lots.told(atlas.village, connection, [row])
    return answered({**about, "geometry": atlas.village.outline(row["shape"])})


@router.api_route("/lots", methods=READ, include_in_schema=False)
def lots_page(
    request: Request, person: PersonDep, atlas: AtlasDep, parcel: Text = "", after: After = 0, format: Text = ""
) -> Response:
    """List the lots."""
    village = atlas.village
    with atlas.database.read() as connection:
        if format == "csv":
            return csv_file(_file(atlas, connection, parcel), "lots.csv")
        rows = lots.listed(connection, parcel, after, A_PAGE + 1)
        found = lots.told(village, connection, rows[:A_PAGE])
        total = registers.counted(connection, table, table.c.retired_at.is_(None))
    following = rows[A_PAGE - 1]["id"] if len(rows) > A_PAGE else 0
    shown: dict[str, Any] = {"found": found, "following": following, "after": after, "parcel": parcel, "total": total}
    return page(request, "lots.html", **shown)


def _file(atlas: Any, connection: Any, parcel: str) -> str:
    cells: list[list[str]] = []
    last = 0
    while (rows := lots.listed(connection, parcel, last, A_FILE)) and len(cells) < MOST_FILE:
        last = rows[-1]["id"]
        for one in lots.told(atlas.village, connection, rows):
            cells += lots.cells(one)
    return as_csv(lots.COLUMNS, cells, spreadsheet=True)


@router.api_route("/lots/{lot_id}", methods=READ, include_in_schema=False)
def lot_page(lot_id: Id, request: Request, person: PersonDep, atlas: AtlasDep) -> Response:
    """Show a lot: its numbers, who holds them, and a map."""
    village = atlas.village
    with atlas.database.read() as connection:
        row = registers.get(connection, table, lot_id)
        (about,) = lots.told(village, connection, [row])
        shape = lots.shape(row)
        middle = shape.representative_point()
        drawn = picture(village, connection, middle.x, middle.y)
        source = registers.get(connection, imports, row["import_id"])
    path = "".join(_ring(ring, middle.x, middle.y) for ring in row["shape"]["coordinates"])
    lon, lat = village.out_of_feet("EPSG:4326")(middle.x, middle.y)
    shown: dict[str, Any] = {"lot": about, "row": row, "picture": drawn, "outline": path, "source": source}
    return page(request, "lot.html", lon=round(float(lon), 7), lat=round(float(lat), 7), **shown)


def _ring(ring: list[list[float]], east: float, north: float) -> str:
    scale = SIZE_PX / (2 * REACH_FT)
    at = (f"{(x - east + REACH_FT) * scale:.1f} {(north + REACH_FT - y) * scale:.1f}" for x, y in ring)
    return "M" + "L".join(at) + "Z"
