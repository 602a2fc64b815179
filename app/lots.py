"""The register of lots: the row of numbers that each embraces, built or vacant (§ 288-15 A, E, J)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from shapely import Point, Polygon
from sqlalchemy.engine import Connection

from app import registers
from app.assign import embraced_json
from app.tables import buildings, lots
from app.village import Village
from gis.address import street_key
from gis.errors import GeometryError
from gis.lots import embraced

Json = dict[str, Any]
COLUMNS = ("lot", "parcel", "built", "street", "half", "parity", "from_ft", "to_ft", "numbers", "held", "shared")


def listed(connection: Connection, parcel: str = "", after: int = 0, limit: int = 50) -> list[registers.Row]:
    """Return standing lots in the order of their ids.

    Parameters
    ----------
    connection
        To the register.
    parcel
        A part of the parcel's number; ``""`` for every lot.
    after
        Only lots with a greater id.
    limit
        At most so many.

    Returns
    -------
    list of dict
        Their rows.
    """
    wanted = [lots.c.retired_at.is_(None), lots.c.id > after]
    if parcel:
        wanted.append(sa.func.lower(lots.c.parcel).contains(parcel.lower(), autoescape=True))
    return registers.rows(connection, lots, *wanted, order=[lots.c.id], limit=limit)


def containing(connection: Connection, east: float, north: float) -> list[registers.Row]:
    """Return the standing lots that hold a place, working CRS, US survey feet."""
    return [row for row in _over(connection, lots, (east, north, east, north)) if shape(row).covers(Point(east, north))]


class OfPlace(NamedTuple):
    """The lot that holds a place: its polygon in the working CRS, and its parcel's number."""

    shape: Polygon
    parcel: str


def of_place(village: Village, connection: Connection, east: float, north: float, street: str | None) -> OfPlace | None:
    """Return the one lot of the register that holds a place and fronts on its street.

    Parameters
    ----------
    village
        The village in force.
    connection
        To the register.
    east, north
        The place, working CRS, US survey feet.
    street
        The street asked for, by its official name; None for any.

    Returns
    -------
    OfPlace or None
        None where no lot holds it, several do, or the lot does not front there: then nothing is taken for granted.
    """
    found = containing(connection, east, north)
    if len(found) != 1:
        return None
    polygon = shape(found[0])
    try:
        fronts = embraced(village.frontages, polygon, village.street_id(street) if street else None)
    except GeometryError:
        return None
    return OfPlace(polygon, found[0]["parcel"]) if fronts else None


def shape(row: Mapping[str, Any]) -> Polygon:
    """Return the polygon of a lot or building, working CRS, US survey feet."""
    return as_polygon(row["shape"])


def as_polygon(outline: Mapping[str, Any]) -> Polygon:
    """Return the polygon that the register keeps as GeoJSON of the working CRS, US survey feet."""
    first, *holes = outline["coordinates"]
    return Polygon(first, holes)


def told(village: Village, connection: Connection, rows: Sequence[registers.Row]) -> list[Json]:
    """Say of lots which numbers they embrace on each street, who holds them, and whether they are built on.

    Parameters
    ----------
    village
        The village in force.
    connection
        To the register.
    rows
        Lots.

    Returns
    -------
    list of dict
        One for each, with ``frontages``: one an entry of each street, nearest first.
    """
    return [_told(village, connection, row) for row in rows]


def _told(village: Village, connection: Connection, row: registers.Row) -> Json:
    polygon = shape(row)
    try:
        fronts = [embraced_json(one) for one in embraced(village.frontages, polygon)]
        note = "" if fronts else "It fronts on no street of the map."
    except GeometryError as error:
        fronts, note = [], error.message
    inside = _addresses(connection, polygon)
    sides = {(front["street"], front["half"]) for front in fronts}
    held = {side: _held(connection, *side) for side in sides}
    for front in fronts:
        front["held"] = {str(n): held[front["street"], front["half"]].get(n) for n in front["numbers"]}
    walls = any(shape(other).intersection(polygon).area > 1 for other in _over(connection, buildings, polygon.bounds))
    built = "building" if walls else "address" if inside else ""
    return {
        "id": row["id"],
        "parcel": row["parcel"],
        "built": bool(built),
        "built_by": built,
        "frontages": fronts,
        "note": note,
        "addresses": [{"id": a["id"], "address": a["full"], "status": a["status"]} for a in inside],
        "import": row["import_id"],
        "standing": row["retired_at"] is None,
        "area_sq_ft": round(polygon.area),
    }


def _addresses(connection: Connection, polygon: Polygon) -> list[registers.Row]:
    near = registers.at_place(connection, *polygon.bounds)
    return [a for a in near if polygon.covers(Point(a["location_x_ft"], a["location_y_ft"]))]


def _held(connection: Connection, street: str, half: str) -> dict[int, Json]:
    """Return who holds each number of a half-street."""
    rows = registers.on_face(connection, street_key(street), half)
    return {r["number"]: {"id": r["id"], "address": r["full"]} for r in reversed(rows)}


def _over(connection: Connection, table: sa.Table, bounds: tuple[float, float, float, float]) -> list[registers.Row]:
    """Return standing shapes whose rectangle meets another."""
    sides = dict(zip(("west", "south", "east", "north"), bounds, strict=True))
    return registers.found(connection, _standing_over(table), sides)


@cache
def _standing_over(table: sa.Table) -> sa.Select[Any]:
    return registers.query(
        table,
        table.c.retired_at.is_(None),
        table.c.west_ft <= sa.bindparam("east"),
        table.c.east_ft >= sa.bindparam("west"),
        table.c.south_ft <= sa.bindparam("north"),
        table.c.north_ft >= sa.bindparam("south"),
    )


def cells(told_of: Json) -> list[list[str]]:
    """Return a lot as rows of `COLUMNS`: one for each street it fronts on."""
    own = [str(told_of["id"]), told_of["parcel"], told_of["built_by"] or "vacant"]
    rows = [
        [
            *own,
            *(str(front[name]) for name in ("street", "half", "parity", "from_ft", "to_ft")),
            " ".join(map(str, front["numbers"])),
            " ".join(n for n, holder in front["held"].items() if holder),
            str(front["shared_with_neighbour"] or ""),
        ]
        for front in told_of["frontages"]
    ]
    return rows or [[*own, *([""] * (len(COLUMNS) - len(own)))]]
