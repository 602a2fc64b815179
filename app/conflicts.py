"""Conflicts of a work with those of the register: what stands in the street, and permits that wait for their day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import chain
from typing import Any

import shapely
import sqlalchemy as sa
from shapely import LineString, Point, Polygon
from shapely.geometry import shape as as_shape
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app.case_tables import cases
from app.check_words import quoted
from app.clocks import months_after
from app.object_kinds import WORKS
from app.row_layers import Ground
from app.street_tables import street_objects
from app.works import EXPIRED_DAYS, improved_on
from gis.conflicts import DIRECTIONS, FLOW, PATCHES, Conflict, Here, Improved, Work, conflicts
from gis.errors import StreetsError
from gis.layers import Layer

Json = dict[str, Any]

PENDING = ("opening", "privilege")
"""Kinds of permits whose works are weighed before they stand on the works map."""
REACH_FT = 150.0
"""A work this near to a crossing is read as at it: the ordinance names no distance."""
LOOKED_FT = 400.0
"""So far about a work others are looked for, and as far from each junction that its segment adjoins `REACH_FT`."""
TITLES = {
    "overlap": "Two works at one place",
    "adjoining": "A work at a junction that this one's street segment adjoins",
    "recent": "A work that has ended here and is not restored",
    "moratorium": "A street improved or repaved less than five years ago",
    "lanes": "Two works that together leave no lane",
    "patch": "An earlier opening near by",
}
_WORDS = {
    FLOW: "The permittee shall perform the work in such a manner so as not to disrupt the flow of traffic in the area "
    "or endanger the safety of workmen or passersby.",
    PATCHES: "Should the street opening occur within adjacent or close to an existing patch or require more than one "
    "opening within a short distance, the permittee shall identify and locate the existing patches or additional "
    "openings on the permit application form.",
}


def of_work(
    ground: Ground,
    connection: Connection,
    shape: BaseGeometry,
    first: date | None,
    last: date | None,
    direction: str = "",
    *,
    day: date,
    street: str = "",
    opening: bool = True,
    accuracy_ft: float = 0.0,
    exclude_case: int = 0,
    exclude_object: int = 0,
) -> list[Json]:
    """Find the conflicts of a work with the register's, and with its street (§ 288-6 B, C and I).

    Parameters
    ----------
    ground
        The village's right-of-way.
    connection
        To the register.
    shape
        Of the work, working CRS, US survey feet.
    first, last
        Its first and last day; without a first one the day asked for, without a last one it goes on.
    direction
        Of the traffic that it takes a lane from; ``""`` for both.
    day
        The day that it is asked for.
    street
        Its official name; ``""`` for the nearest.
    opening
        Whether it is dug.
    accuracy_ft
        Of the shape at 95 %, feet.
    exclude_case, exclude_object
        The work's own rows in the register; 0 for none.

    Returns
    -------
    list of dict
        Each conflict, by kind.

    Raises
    ------
    StreetsError
        A direction that is none.
    """
    _check_direction(direction)
    street = street or _nearest(ground, shape)
    junctions = _junctions(ground, street, shape)
    others = dict(_others(connection, [shape, *(place for _, place in junctions)], exclude_case, exclude_object))
    work = Work("", shape, first or day, last, direction, accuracy_ft=accuracy_ft, opening=opening)
    found = conflicts(
        work, list(others.values()), _here(ground, connection, street, shape, junctions, first or day),
        reach_ft=REACH_FT, expired_days=EXPIRED_DAYS, lane_ft=ground.reading.lane_ft,
    )  # fmt: skip
    return [_told(ground, one) for one in found]


def _check_direction(direction: str) -> None:
    if direction not in DIRECTIONS:
        raise StreetsError.of("direction", direction[:60], f"one of {', '.join(name for name in DIRECTIONS if name)}")


def _told(ground: Ground, one: Conflict) -> Json:
    what, _, number = one.key.partition(":")
    other = {"case": int(number) if what == "case" else None, "object": int(number) if what == "object" else None}
    return {
        "kind": one.kind,
        "title": TITLES[one.kind],
        "with": {**other, "label": one.label},
        "section": one.section,
        "verdict": str(one.verdict),
        "from": one.since.isoformat() if one.since else None,
        "until": one.until.isoformat() if one.until else None,
        "distance_ft": round(one.distance_ft, 2),
        "note": one.note,
        "law": _WORDS.get(one.section) or quoted(ground.village.law, one.section),
    }


# --- the register's works --------------------------------------------------------------------------------------


def _others(
    connection: Connection, about: list[BaseGeometry], exclude_case: int, exclude_object: int
) -> Iterator[tuple[str, Work]]:
    """Give the works near some shapes: those that stand in the register, and permits that have no such work yet."""
    own, held = street_objects.c, cases.c
    standing = sa.select(street_objects).where(
        own.retired_at.is_(None), own.kind.in_(WORKS), own.id != exclude_object, _near(street_objects, about)
    )
    for row in connection.execute(standing.order_by(own.id)).mappings():
        key, label = f"object:{row['id']}", row["label"] or row["kind"]
        yield key, _work(key, row, label, row["restored_on"], row["accuracy_ft"], row["kind"] == "opening")
    pending = sa.select(cases).where(
        held.closed_at.is_(None), held.kind.in_(PENDING), held.object_id.is_(None), held.shape.is_not(None),
        held.id != exclude_case, _near(cases, about),
    )  # fmt: skip
    for row in connection.execute(pending.order_by(held.id)).mappings():
        key, label = f"case:{row['id']}", row["number"] or row["kind"]
        yield key, _work(key, row, label, None, None, row["kind"] == "opening")


def _near(table: sa.Table, about: list[BaseGeometry]) -> Any:
    own, boxes = table.c, []
    for k, shape in enumerate(about):
        west, south, east, north = shape.buffer(REACH_FT if k else LOOKED_FT).bounds
        inside = (own.west_ft <= east, own.east_ft >= west, own.south_ft <= north, own.north_ft >= south)
        boxes.append(sa.and_(*inside))
    return sa.or_(*boxes)


def _work(key: str, row: Any, label: str, restored: date | None, accuracy_ft: float | None, opening: bool) -> Work:
    told = str((row["facts"] or {}).get("direction") or "")
    return Work(
        key, as_shape(row["shape"]), row["starts_on"], row["ends_on"], told if told in DIRECTIONS else "",
        restored, label, accuracy_ft or 0.0, opening,
    )  # fmt: skip


# --- the street ------------------------------------------------------------------------------------------------


def _nearest(ground: Ground, shape: BaseGeometry) -> str:
    layer = ground.layers.get("centerline")
    found = layer.near(shape, LOOKED_FT).nearest(shape) if layer else None
    return found.label if found else ""


def _path(ground: Ground, street: str, shape: BaseGeometry) -> int | None:
    net = ground.village.network
    paths = net.by_name.get(street, ())
    return min(paths, key=lambda k: net.streets[k].physical_line().distance(shape)) if paths else None


def _junctions(ground: Ground, street: str, shape: BaseGeometry) -> list[tuple[str, Point]]:
    """Return the crossings at both ends of the street segments that a work lies on, with their streets."""
    path, net = _path(ground, street, shape), ground.village.network
    if path is None:
        return []
    line = LineString(net.streets[path].chain.coords)
    ground_line = net.streets[path].physical_line()
    at = [line.project(Point(xy)) for xy in shapely.get_coordinates(shape)]
    found: dict[float, tuple[str, Point]] = {}
    for k, other in enumerate(net.streets):
        if k == path or not other.is_street.any() or other.name == street:
            continue
        theirs = other.physical_line()
        if not shapely.dwithin(ground_line, theirs, net.reading.noded_ft):
            continue
        met = shapely.intersection(ground_line, theirs)
        places = shapely.get_parts(met) if not met.is_empty else [shapely.shortest_line(ground_line, theirs)]
        for part in places:
            place = Point(part.coords[0])
            found[line.project(place)] = (f"{street} and {other.name}", place)
    before = [s for s in found if s <= max(at)]
    after = [s for s in found if s >= min(at)]
    low = max((s for s in before if s <= min(at)), default=None)
    high = min((s for s in after if s >= max(at)), default=None)
    kept = [s for s in sorted(found) if s in (low, high) or min(at) < s < max(at)]
    return [found[s] for s in kept]


def _here(
    ground: Ground,
    connection: Connection,
    street: str,
    shape: BaseGeometry,
    junctions: list[tuple[str, Point]],
    day: date,
) -> Here:
    path, middle = _path(ground, street, shape), shape.centroid
    pavement = ground.layers.get("pavement")
    near = pavement.near(shape, LOOKED_FT) if pavement else Layer(())
    own = Layer(tuple(feature for feature in near.features if feature.label in ("", street)))
    parts = chain.from_iterable(shapely.get_parts(feature.shape) for feature in own.features)
    areas = [part for part in parts if isinstance(part, Polygon)]
    block = ground.block_at(street, middle.x, middle.y) if street else None
    improved = improved_on(connection, street, block.section.improved_on if block else None, day)
    years = int(ground.village.law["moratorium_years"].value)
    return Here(
        junctions,
        Improved(street, improved, months_after(improved, 12 * years)) if improved else None,
        shapely.union_all(areas) if areas else None,
        _axis(ground, path, block.half if block else ""),
        own.worst_ft,
    )


def _axis(ground: Ground, path: int | None, name: str) -> LineString | None:
    """Return a street's line drawn towards increasing numbers on one of its halves."""
    if path is None:
        return None
    line = LineString(ground.village.network.streets[path].chain.coords)
    half = next((half for half in ground.village.map.halves if half.street == path and half.name == name), None)
    return line.reverse() if half is not None and half.direction == -1 else line
