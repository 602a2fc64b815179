"""The work zone feed (WZDx 4.2): openings and obstructions in the street now or later, one event a direction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import orjson
import sqlalchemy as sa
from shapely import LineString, Point, get_coordinates
from shapely.geometry import shape as as_shape
from shapely.ops import substring
from sqlalchemy.engine import Connection

from app import registers, works
from app.audit import head
from app.clocks import LOCAL
from app.columns import canonical
from app.object_kinds import KINDS, WORKS
from app.registers import Row
from app.street_tables import street_objects
from app.tables import audit
from app.village import LONLAT, Village
from gis.address import street_key
from gis.network import NS, Street

Json = dict[str, Any]
VERSION = "4.2"
LICENCE = "https://creativecommons.org/publicdomain/zero/1.0/"
UPDATED_S = 60
"""The feed is made anew when the register changed, and after so many seconds."""
STAYS = timedelta(hours=1)
"""For how long an event that has ended stays in the feed."""
SHORTEST_FT = 10.0
"""A work is drawn along the street at least so long: a line has two ends."""
DIGITS = 7
HEADINGS = {"northbound": (0, 1), "southbound": (0, -1), "eastbound": (1, 0), "westbound": (-1, 0)}
BESIDE_LANES = ("sidewalk", "terrace", "ground")
"""Where a work takes nothing of a lane; elsewhere what it takes is not on record."""


def tag_of(connection: Connection, village: Village, now: datetime) -> str:
    """Return what stands for all that the feed is made of: equal tags are equal feeds."""
    made = village.files.settings
    version = village.edition.version if village.edition else 0
    parts = [VERSION, head(connection), made.name, made.county, made.state, version, int(now.timestamp()) // UPDATED_S]
    return hashlib.sha256(canonical(parts).encode()).hexdigest()[:32]


def feed(connection: Connection, village: Village, now: datetime) -> Json:
    """Return the feed.

    Parameters
    ----------
    connection
        To the register, in one transaction.
    village
        Its streets.
    now
        The time of the feed.

    Returns
    -------
    dict
        GeoJSON as the schema of WZDx 4.2 has it: works that are active or planned, and those that ended within the
        hour. No name of a person, reason or note is in it.
    """
    made = village.files.settings
    source = str(uuid5(NAMESPACE_URL, f"Village of {made.name}, {made.county}, {made.state}"))
    publisher = f"Village of {made.name}"
    info = {
        "publisher": publisher,
        "version": VERSION,
        "license": LICENCE,
        "update_date": _utc(now),
        "update_frequency": UPDATED_S,
        "data_sources": [{"data_source_id": source, "organization_name": publisher, "update_date": _utc(now)}],
    }
    rows = _standing(connection, now)
    changed = _changed(connection, [row["id"] for row in rows])
    events = [
        event for row in rows for event in _events(village, row, changed.get(row["id"]) or row["made_at"], source, now)
    ]
    return {"feed_info": info, "type": "FeatureCollection", "features": events}


def body(connection: Connection, village: Village, now: datetime) -> bytes:
    """Return the feed as it is sent."""
    return orjson.dumps(feed(connection, village, now))


def _standing(connection: Connection, now: datetime) -> list[Row]:
    """Return the works that may be in the feed; those that were over more than a day before are not even read."""
    own, before = street_objects.c, now.astimezone(LOCAL).date() - timedelta(days=2)
    not_gone = own.retired_at.is_(None) | (own.retired_at > now - STAYS)
    lasting = own.restored_on.is_(None) & (own.ends_on.is_(None) | (own.ends_on >= before))
    asked = (own.kind.in_(WORKS), not_gone, lasting | (own.restored_on >= before))
    order = (own.street, own.starts_on, own.id)
    return registers.rows(connection, street_objects, *asked, order=order)


def _changed(connection: Connection, ids: Sequence[int]) -> dict[int, datetime]:
    """Return when each work was last written to, as the log has it."""
    made: dict[int, datetime] = {}
    for start in range(0, len(ids), registers.AT_ONCE):
        subjects = [str(one) for one in ids[start : start + registers.AT_ONCE]]
        newest = sa.func.max(sa.type_coerce(audit.c.at, sa.String))
        of = (audit.c.kind == "street_objects") & audit.c.subject.in_(subjects)
        asked = sa.select(audit.c.subject, newest).where(of).group_by(audit.c.subject)
        made |= {int(subject): datetime.fromisoformat(at) for subject, at in connection.execute(asked)}
    return made


# --- one work ---


def _events(village: Village, row: Row, changed: datetime, source: str, now: datetime) -> Iterator[Json]:
    """Give the events of a work, one a direction; none where it ended longer ago, or no street is near."""
    starts, ends, sure = _times(row, changed, now)
    last_seen = max(ends, changed) if sure else ends
    street = _street(village, row)
    if ends < starts or last_seen + STAYS <= now or street is None:
        return
    line = _along(street, row)
    ways = _directions(street, row)
    ids = {way: _id(source, row, way) for way in ways}
    for way in ways:
        core = _core(row, street, way, changed, source, None if sure or row["ends_on"] else ends)
        others = [{"type": "related-work-zone", "id": ids[other]} for other in ways if other != way]
        properties = {
            "core_details": core | ({"related_road_events": others} if others else {}),
            "start_date": _utc(starts),
            "end_date": _utc(ends),
            "is_start_date_verified": row["starts_on"] is None or row["restored_on"] is not None,
            "is_end_date_verified": sure,
            "is_start_position_verified": False,
            "is_end_position_verified": False,
            "location_method": "other",
            "vehicle_impact": _impact(row),
            "work_zone_type": "static",
        }
        geometry = {"type": "LineString", "coordinates": _degrees(village, _driven(line, way))}
        yield {"id": ids[way], "type": "Feature", "properties": properties, "geometry": geometry}


def _times(row: Row, changed: datetime, now: datetime) -> tuple[datetime, datetime, bool]:
    """Return when a work begins and ends, and whether somebody recorded that it has ended.

    Days are whole days of the village. A work without a first day has begun when it was recorded; one without a last
    day lasts at least to the end of this day, and the feed says that no last day is on record.
    """
    starts = _midnight(row["starts_on"]) if row["starts_on"] else row["made_at"]
    if row["retired_at"] is not None:
        return starts, row["retired_at"], True
    restored = row["restored_on"]
    if restored is not None and restored <= now.astimezone(LOCAL).date():
        return starts, min(max(changed, _midnight(restored)), _midnight(restored, 1)), True
    last = row["ends_on"] or max(now.astimezone(LOCAL).date(), row["starts_on"] or date.min)
    return starts, _midnight(last, 1), False


def _core(row: Row, street: Street, way: str, changed: datetime, source: str, open_end: datetime | None) -> Json:
    kind, where = KINDS[row["kind"]].title, works.where(row)
    told = [f"{kind} {where}".strip(), *(["Emergency"] if row["emergency"] else [])]
    told += ["No last day is on record"] if open_end else []
    return {
        "event_type": "work-zone",
        "data_source_id": source,
        "road_names": [street.name],
        "direction": way,
        "name": f"{kind} {row['label']}".strip(),
        "description": ". ".join(told) + ".",
        "creation_date": _utc(row["made_at"]),
        "update_date": _utc(changed),
    }


def _id(source: str, row: Row, way: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"{source}/works/{row['id']}/{way}"))


def _impact(row: Row) -> str:
    found = row["facts"].get("surface") or row["facts"].get("on")
    return "all-lanes-open" if found in BESIDE_LANES else "unknown"


def _directions(street: Street, row: Row) -> list[str]:
    """Return the directions of traffic that a work is in: both of the street's where none is recorded."""
    way = f"{row['facts'].get('direction', '')}bound"
    if way in HEADINGS:
        return [way]
    return ["northbound", "southbound"] if street.family == NS else ["eastbound", "westbound"]


# --- where it lies along the street ---


def _street(village: Village, row: Row) -> Street | None:
    """Return the path of a work's street that it lies nearest to; of any street where its own is not known."""
    net, place = village.network, as_shape(row["shape"])
    names = {street_key(name): paths for name, paths in net.by_name.items()}
    own = names.get(street_key(row["street"]), ()) if row["street"] else ()
    paths = [net.streets[k] for k in (own or range(len(net.streets))) if len(net.streets[k].chain.coords) > 1]
    return min(paths, key=lambda street: street.physical_line().distance(place), default=None)


def _along(street: Street, row: Row) -> LineString:
    """Return the part of a street's line that a work lies beside, working CRS, feet."""
    line = LineString(street.chain.coords)
    stations = [line.project(Point(xy)) for xy in get_coordinates(as_shape(row["shape"]))]
    low, high = min(stations), max(stations)
    if high - low < SHORTEST_FT:
        low = min(max((low + high - SHORTEST_FT) / 2, 0.0), max(line.length - SHORTEST_FT, 0.0))
        high = low + SHORTEST_FT
    return LineString(get_coordinates(substring(line, low, min(high, line.length))))


def _driven(line: LineString, way: str) -> LineString:
    """Return a line as traffic in a direction drives it: its first vertex is the one farthest upstream."""
    (x, y), (ahead_x, ahead_y) = np.subtract(line.coords[-1], line.coords[0]), HEADINGS[way]
    return line if x * ahead_x + y * ahead_y >= 0 else line.reverse()


def _degrees(village: Village, line: LineString) -> list[list[float]]:
    x, y = get_coordinates(line).T
    found: list[list[float]] = np.stack(village.out_of_feet(LONLAT)(x, y), axis=1).round(DIGITS).tolist()
    return found


def _midnight(day: date, later: int = 0) -> datetime:
    """Return the beginning of a day in the village, or of a later one, UTC."""
    return datetime.combine(day + timedelta(days=later), time(), LOCAL).astimezone(UTC)


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
