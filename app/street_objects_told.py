"""What stands or is dug in the street, as lists, files, pages and the API tell it; and what of it everybody may see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import object_photos, registers, works
from app.object_facts import Fact, ObjectKind
from app.object_kinds import AUTHORISATIONS, EMERGENCY, KINDS, WORKS, kind_of
from app.registers import Row
from app.street_objects import version
from app.street_tables import object_photos as photos_table
from app.street_tables import street_objects
from app.tables import addresses, audit
from app.village import LONLAT, Village
from gis.errors import StreetsError

Json = dict[str, Any]
Box = tuple[float, float, float, float]
DATUM = "nad83-2011"
"""Of every position that is given out: sent back with it, none is shifted again."""
WITHDRAWN, EVERY = "withdrawn", "all"
COLUMNS = (
    *("id", "kind", "label", "state", "street", "address", "lon", "lat", "accuracy_ft", "starts_on", "ends_on"),
    *("restored_on", "emergency", "authorised_by", "verdict", "facts", "recorded_at", "recorded_by", "withdrawn_at"),
)
SORTS: Mapping[str, tuple[Any, ...]] = {
    "": (street_objects.c.id.desc(),),
    "id": (street_objects.c.id,),
    "kind": (street_objects.c.kind, street_objects.c.street, street_objects.c.id),
    "street": (street_objects.c.street, street_objects.c.kind, street_objects.c.id),
    "starts": (street_objects.c.starts_on.is_(None), street_objects.c.starts_on, street_objects.c.id),
}


@dataclass(frozen=True)
class Sieve:
    """Which objects are wanted.

    Parameters
    ----------
    day
        On which works are in a state.
    kind, state, street
        Only these; ``""`` for any that is not withdrawn. `state` may be of a work, one that is recorded, `WITHDRAWN`,
        or `EVERY`.
    q
        Part of what it is, of its street or of its address, or its id.
    box
        Only what reaches into this rectangle: west, south, east and north, working CRS, feet.
    sort
        A key of `SORTS`.
    after
        Only those with a greater id.
    """

    day: date
    kind: str = ""
    state: str = ""
    street: str = ""
    q: str = ""
    box: Box | None = None
    sort: str = ""
    after: int = 0

    @property
    def conditions(self) -> list[Any]:
        """As the database takes them.

        Raises
        ------
        StreetsError
            There is no such kind or state.
        """
        c = street_objects.c
        wanted = [c.id > self.after] if self.after else []
        wanted += [c.kind == kind_of(self.kind).key] if self.kind else []
        wanted += [c.street == self.street] if self.street else []
        if self.box:
            west, south, east, north = self.box
            wanted += [c.west_ft <= east, c.east_ft >= west, c.south_ft <= north, c.north_ft >= south]
        return [*wanted, *_found(self.q), *_in_state(self.state, self.day)]


def states() -> dict[str, str]:
    """Return every state that may be asked for, in words."""
    recorded = {key: words for kind in KINDS.values() for key, words in kind.states.items()}
    return {**works.STATES, **recorded, WITHDRAWN: "withdrawn"}


def _in_state(state: str, day: date) -> list[Any]:
    c = street_objects.c
    if state == EVERY:
        return []
    if state == WITHDRAWN:
        return [c.retired_at.is_not(None)]
    if state in works.STATES:
        return [c.retired_at.is_(None), c.kind.in_(WORKS), works.condition_of(state, day)]
    if state and state not in states():
        raise StreetsError.of("state", state[:60], f"one of {', '.join((*states(), EVERY))}")
    return [c.retired_at.is_(None), *([c.state == state] if state else [])]


def _found(q: str) -> list[Any]:
    text = " ".join(q.split()).lower()
    if not text:
        return []
    c = street_objects.c
    named = sa.select(addresses.c.id).where(sa.func.lower(addresses.c.full).contains(text, autoescape=True))
    ways = [sa.func.lower(column).contains(text, autoescape=True) for column in (c.label, c.street)]
    number = text.removeprefix("#")
    ways += [c.id == int(number)] if number.isascii() and number.isdigit() and len(number) < 10 else []
    return [sa.or_(*ways, c.address_id.in_(named))]


def listed(connection: Connection, sieve: Sieve, *, limit: int = 0, offset: int = 0) -> tuple[list[Row], int]:
    """Return the objects wanted, and how many there are.

    Parameters
    ----------
    connection
        To the register.
    sieve
        Which, and in which order.
    limit, offset
        A part of them; 0 for all.

    Returns
    -------
    tuple
        The rows of the part, and the count of all.

    Raises
    ------
    StreetsError
        There is no such kind, state or order.
    """
    if sieve.sort not in SORTS:
        raise StreetsError.of("sort", sieve.sort[:60], f"one of {', '.join(key for key in SORTS if key)}")
    wanted = sieve.conditions
    asked = registers.query(street_objects, *wanted, order=SORTS[sieve.sort]).offset(offset)
    rows = registers.found(connection, asked.limit(limit) if limit else asked)
    return rows, registers.counted(connection, street_objects, *wanted)


# --- telling ---


def state_of(row: Row, day: date) -> str:
    """Return an object's state on a day: of a work the one its dates make, else the one recorded."""
    if row["retired_at"] is not None:
        return WITHDRAWN
    return works.state_of(row, day) if row["kind"] in WORKS else str(row["state"])


def geometry_of(village: Village, row: Row) -> Json:
    """Return an object's shape as GeoJSON in longitude and latitude."""
    kind, coordinates = row["shape"]["type"], row["shape"]["coordinates"]
    rings = {"Point": [[coordinates]], "LineString": [coordinates]}.get(kind, coordinates)
    made = []
    for ring in rings:
        x, y = np.array(ring, dtype=np.float64).T
        made.append(np.stack(village.out_of_feet(LONLAT)(x, y), axis=1).round(7).tolist())
    return {"type": kind, "coordinates": made[0][0] if kind == "Point" else made[0] if kind == "LineString" else made}


def brief(village: Village, row: Row, day: date) -> Json:
    """Return an object as lists have it: what it is, where, and its state on a day."""
    kind, state = KINDS[row["kind"]], state_of(row, day)
    same = ("id", "kind", "label", "street", "address_id", "accuracy_ft", "emergency", "authorisation", "reason")
    told: Json = {name: row[name] for name in same}
    told |= {"kind_title": kind.title, "section": kind.section, "state": state, "state_title": states()[state]}
    told |= {name: _day(row[name]) for name in ("starts_on", "ends_on", "restored_on")}
    told |= {"lon": round(row["lon"], 7), "lat": round(row["lat"], 7), "datum": DATUM}
    told |= {"geometry": geometry_of(village, row), "verdict": (row["checked"] or {}).get("verdict")}
    told |= {"made_at": row["made_at"].isoformat(), "made_by": row["made_by"]}
    return told | {"facts": {k: v for k, v in row["facts"].items() if k != "position"}}


def full(village: Village, connection: Connection, row: Row, day: date) -> Json:
    """Return an object with all that is recorded of it, its photos and the law's words."""
    kind = KINDS[row["kind"]]
    told = brief(village, row, day)
    told |= {"recorded_state": row["state"], "checked": row["checked"], "position": row["facts"].get("position")}
    told |= {"told": facts_told(kind, row["facts"]), "law": _law(kind, row), "version": version(row)}
    told |= {"retired_at": row["retired_at"] and row["retired_at"].isoformat(), "retired_reason": row["retired_reason"]}
    told["address"] = None
    if row["address_id"] is not None:
        told["address"] = registers.get(connection, addresses, row["address_id"])["full"]
    told["photos"] = [_photo(row["id"], photo) for photo in object_photos.listed(connection, row["id"])]
    return told


def _photo(object_id: int, row: Row) -> Json:
    known = {name: row[name] for name in ("id", "media", "width", "height", "caption", "made_by", "sha256")}
    path = f"/api/v1/street-objects/{object_id}/photos/{row['id']}"
    return {**known, "made_at": row["made_at"].isoformat(), "url": path}


def _law(kind: ObjectKind, row: Row) -> list[Json]:
    said = [*kind.said, *([EMERGENCY] if row["emergency"] else [])]
    return [{"words": one.words, "section": one.section} for one in said]


def _day(value: date | None) -> str | None:
    return value.isoformat() if value else None


def facts_told(kind: ObjectKind, facts: Json) -> list[Json]:
    """Return what is recorded of an object in words, each with what the law says of it."""
    return [
        {
            "key": fact.key,
            "label": fact.label,
            "value": worded(fact, facts[fact.key]),
            "words": fact.said.words if fact.said else "",
            "section": fact.said.section if fact.said else "",
        }
        for fact in kind.facts
        if fact.key in facts
    ]


def worded(fact: Fact, value: Any) -> str:
    """Write a fact as people do.

    Examples
    --------
    >>> worded(Fact("gap_in", "Gap", "in"), 7.5), worded(Fact("width_ft", "Width", "ft"), 12.5)
    ('7 1/2 in', '12 ft 6 in')
    """
    if value is None:
        return ""
    match fact.form:
        case "yes_no":
            return "yes" if value else "no"
        case "in":
            return f"{_sixteenths(value)} in"
        case "ft":
            return _feet(value)
        case "choice":
            return fact.choices.get(value, str(value))
    return str(value)


def _feet(value: float) -> str:
    whole = int(abs(value) + 1e-9)
    inches = (abs(value) - whole) * 12
    sign = "-" if value < 0 else ""
    return f"{sign}{whole} ft {_sixteenths(inches)} in" if inches > 1 / 64 else f"{sign}{whole} ft"


def _sixteenths(value: float) -> str:
    """Write inches with a fraction where they are one of a rule's marks, else with decimals."""
    parts = round(abs(value) * 16)
    sign = "-" if value < 0 else ""
    if abs(abs(value) * 16 - parts) > 1e-3:
        return f"{value:.4f}".rstrip("0").rstrip(".")
    whole, part, of = parts // 16, parts % 16, 16
    while part and part % 2 == 0:
        part, of = part // 2, of // 2
    return f"{sign}{whole} {part}/{of}" if whole and part else f"{sign}{part}/{of}" if part else f"{sign}{whole}"


def cells(told: Json) -> list[str]:
    """Return an object as a row of `COLUMNS`, from what `brief` says of it."""
    kind = KINDS[told["kind"]]
    facts = "; ".join(f"{one['label']}: {one['value']}" for one in facts_told(kind, told["facts"]))
    allowed = told["authorisation"]
    by = f"{AUTHORISATIONS[allowed['kind']][0]}: {allowed['act']}" if allowed else ""
    row = (
        *(told[name] for name in ("id", "kind", "label", "state", "street", "address_id", "lon", "lat", "accuracy_ft")),
        *(told[name] for name in ("starts_on", "ends_on", "restored_on")),
        *("yes" if told["emergency"] else "no", by, told["verdict"], facts, told["made_at"], told["made_by"]),
        told.get("retired_at"),
    )
    return ["" if value is None else str(value) for value in row]


def collection(items: Iterable[Json]) -> Json:
    """Return objects as a GeoJSON collection."""
    features = [
        {
            "type": "Feature",
            "id": one["id"],
            "geometry": one["geometry"],
            "properties": {name: value for name, value in one.items() if name != "geometry"},
        }
        for one in items
    ]
    return {"type": "FeatureCollection", "features": features}


def public(village: Village, rows: Sequence[Row], day: date) -> list[Json]:
    """Return works as everybody may see them: no name of a person, no photo, no reason."""
    return [_public(village, row, day) for row in rows]


def _public(village: Village, row: Row, day: date) -> Json:
    state, allowed = works.state_of(row, day), row["authorisation"]
    same = {name: row[name] for name in ("id", "kind", "label", "street", "emergency")}
    days = {name: _day(row[name]) for name in ("starts_on", "ends_on", "restored_on")}
    words = {"kind_title": KINDS[row["kind"]].title, "state_title": works.STATES[state], "where": works.where(row)}
    by = AUTHORISATIONS[allowed["kind"]][0] if allowed else None
    place = {"lon": round(row["lon"], 7), "lat": round(row["lat"], 7), "geometry": geometry_of(village, row)}
    return {**same, "state": state, **words, **days, "authorised_by": by, **place}


# --- the time line ---


def history(connection: Connection, object_id: int) -> list[Row]:
    """Return what was done to an object and its photos, the latest first."""
    mine = sa.select(sa.cast(photos_table.c.id, sa.String)).where(photos_table.c.object_id == object_id)
    own = (audit.c.kind == "street_objects") & (audit.c.subject == str(object_id))
    of_photos = (audit.c.kind == "object_photos") & audit.c.subject.in_(mine)
    return registers.rows(connection, audit, own | of_photos, order=[audit.c.seq.desc()], limit=200)
