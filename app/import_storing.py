"""What was brought in and found without fault, written to the register: every row with its entry in the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import map_versions, registers
from app.answers import listed
from app.audit import Act
from app.clocks import local_day
from app.feed import PARTS
from app.import_addresses import Prepared, Tick, parts_on, streets_of
from app.import_ground import LABELS, TABLES
from app.import_layers import Pieces
from app.import_shapes import Outlines
from app.import_streets import Lines
from app.law import today
from app.map_versions import Atlas
from app.street_tables import layer_features
from app.tables import addresses, imports, locations, maps
from app.village import LONLAT, Village
from gis.address import Address, format_full, format_usps, street_key
from gis.findings import Finding

Json = dict[str, Any]
Storing = Callable[[Atlas, Act, Tick], Json]
AT_ONCE = registers.AT_ONCE


def store_addresses(village: Village, found: Prepared, values: Mapping[str, Any]) -> Storing:
    """Make ready all that a row needs but its id, and return what writes them.

    Parameters
    ----------
    village
        The village they were held against.
    found
        The addresses.
    values
        Of the import's own row.

    Returns
    -------
    callable
        Called inside the transaction; returns the import's row.
    """
    known = streets_of(found)
    keys = {street: street_key(street) for street in set(found.streets)}
    written = [
        parts_on(street, half, known, parts)
        for street, half, parts in zip(found.streets, found.halves, found.parts, strict=True)
    ]
    forms = [(format_full(address), format_usps(address)) for address in written]
    lon, lat = village.out_of_feet(LONLAT)(found.feet[:, 0], found.feet[:, 1])
    place = np.column_stack([found.feet.round(3), lon.round(8), lat.round(8)])
    computed = [found.computed(village, k) for k in range(len(found))]
    off = sum(number != parts.number for number, parts in zip(computed, found.parts, strict=True))

    def store(atlas: Atlas, act: Act, tick: Tick) -> Json:
        first = {t.name: registers.next_id(act.connection, t) for t in (locations, addresses)}
        span = {"stored": len(found), "skipped": found.same, "not_conforming": off, "first": first["addresses"],
                "first_place": first["locations"]}  # fmt: skip
        row = _import_row(act, values, span)
        findings = listed([Finding("EXISTING_NUMBER", {"file": row["file"], "day": local_day(act.at)})])
        alike = _alike(village, act, row, findings)
        for start in range(0, len(found), AT_ONCE):
            tick("storing", start, len(found))
            some = range(start, min(start + AT_ONCE, len(found)))
            places = [_location(found, place[k], first["locations"] + k, k, act.at) for k in some]
            registers.insert_many(act, "import", locations, places)
            rows = [
                {
                    **alike,
                    **_numbers(village, found, written[k], computed[k], k),
                    "id": first["addresses"] + k,
                    "location_id": first["locations"] + k,
                    "street_key": keys[found.streets[k]],
                    "full": forms[k][0],
                    "usps": forms[k][1],
                }
                for k in some
            ]
            registers.insert_many(act, "import", addresses, rows)
        tick("storing", len(found), len(found))
        return row

    return store


def _import_row(act: Act, values: Mapping[str, Any], more: Json) -> Json:
    made = {"made_at": act.at, "made_by": act.actor.name, "reason": act.reason}
    report = {**values["report"], **more}
    return registers.insert(act, "import", imports, {**values, **made, "report": report})


def _alike(village: Village, act: Act, row: Json, findings: list[Json]) -> Json:
    """Return the columns that all addresses of one import have in common."""
    return {
        "status": "official",
        "map_version": village.edition.version if village.edition else 0,
        "law_date": today(),
        "findings": findings,
        "decisions": [],
        "explanation": registers.keep_explanation(act.connection, _why(row, findings)),
        "set_back": None,
        "reason": act.reason,
        "doubt_id": None,
        "replaced_by": None,
        "made_at": act.at,
        "made_by": act.actor.name,
        "retired_at": None,
        "retired_reason": "",
    }


def _why(row: Json, findings: list[Json]) -> Json:
    step = {
        "section": "288-15 A",
        "decided": "existing",
        "text": findings[0]["message"],
        "law": "",
        "reading": "A number that a building had before stays official unless an officer acts.",
        "values": {"import": row["id"], "file": row["file"], "sha256": row["sha256"]},
    }
    return {"steps": [step], "geometry": {"type": "FeatureCollection", "features": []}}


def _location(found: Prepared, place: Any, place_id: int, k: int, at: datetime) -> Json:
    x, y, lon, lat = place.tolist()
    return {
        "id": place_id,
        "x_ft": x,
        "y_ft": y,
        "lon": lon,
        "lat": lat,
        "placement": found.placements[k],
        "accuracy_ft": found.accuracies[k],
        "access_lon": None,
        "access_lat": None,
        "access_note": "",
        "building": None,
        "lot": None,
        "doors": 1,
        "made_at": at,
    }


def _numbers(village: Village, found: Prepared, written: Address, computed: int | None, k: int) -> Json:
    row = int(found.doors.row[k])
    own = row >= 0 and village.map.rows[row].side == found.halves[k]
    return {
        "street": found.streets[k],
        "half": found.halves[k],
        "path": village.map.rows[row].path if own else 0,
        "even": written.number % 2 == 0,
        "station_ft": float(found.doors.station[k]) if own else None,
        **{name: getattr(written, name) for name in PARTS},
        "computed_number": computed,
        "conforms": computed == written.number,
    }


# --- lots and buildings ---


def store_outlines(found: Outlines, values: Mapping[str, Any]) -> Storing:
    """Return what writes lots or buildings; those they take the place of are retired.

    Parameters
    ----------
    found
        Lots or buildings.
    values
        Of the import's own row.

    Returns
    -------
    callable
        Called inside the transaction; returns the import's row.
    """
    table, label = TABLES[found.kind], LABELS[found.kind]

    def store(atlas: Atlas, act: Act, tick: Tick) -> Json:
        first = registers.next_id(act.connection, table)
        replaced = list(_standing(act.connection, table, label, set(found.labels), found.covered))
        row = _import_row(act, values, {"stored": len(found), "replaced": len(replaced), "first": first})
        registers.update_many(act, "import", table, replaced, {"retired_at": act.at})
        for start in range(0, len(found), AT_ONCE):
            tick("storing", start, len(found))
            rows = [
                {
                    "id": first + k,
                    label: found.labels[k],
                    "shape": found.shapes[k],
                    **dict(zip(("west_ft", "south_ft", "east_ft", "north_ft"), found.bounds[k].tolist(), strict=True)),
                    "import_id": row["id"],
                    "made_at": act.at,
                    "made_by": act.actor.name,
                    "retired_at": None,
                }
                for k in range(start, min(start + AT_ONCE, len(found)))
            ]
            registers.insert_many(act, "import", table, rows)
        tick("storing", len(found), len(found))
        return row

    return store


def _standing(
    connection: Connection, table: sa.Table, label: str, named: set[str], covered: frozenset[int]
) -> Iterator[Json]:
    asked = sa.select(table).where(table.c.retired_at.is_(None)).order_by(table.c.id)
    for row in connection.execute(asked).mappings():
        if row[label] in named or row["id"] in covered:
            yield dict(row)


# --- layers of the right-of-way ---


def store_pieces(found: Pieces, values: Mapping[str, Any]) -> Storing:
    """Return what writes surveyed features; older ones that they cover are retired.

    Parameters
    ----------
    found
        The features.
    values
        Of the import's own row.

    Returns
    -------
    callable
        Called inside the transaction; returns the import's row.
    """
    sides = ("west_ft", "south_ft", "east_ft", "north_ft")

    def store(atlas: Atlas, act: Act, tick: Tick) -> Json:
        first = registers.next_id(act.connection, layer_features)
        standing = registers.rows(act.connection, layer_features, layer_features.c.retired_at.is_(None))
        replaced = [one for one in standing if one["id"] in found.covered]
        row = _import_row(act, values, {"stored": len(found), "replaced": len(replaced), "first": first})
        registers.update_many(act, "import", layer_features, replaced, {"retired_at": act.at})
        for start in range(0, len(found), AT_ONCE):
            tick("storing", start, len(found))
            rows = [
                {
                    "id": first + k,
                    **{name: getattr(one, name) for name in ("layer", "label", "known", "surveyed_on", "accuracy_ft")},
                    "source": one.source or row["file"],
                    "shape": one.json,
                    **dict(zip(sides, one.shape.bounds, strict=True)),
                    "import_id": row["id"],
                    "reason": act.reason,
                    "made_at": act.at,
                    "made_by": act.actor.name,
                    "retired_at": None,
                }
                for k, one in enumerate(found.pieces[start : start + AT_ONCE], start=start)
            ]
            registers.insert_many(act, "import", layer_features, rows)
        tick("storing", len(found), len(found))
        return row

    return store


# --- streets ---


def store_lines(found: Lines, values: Mapping[str, Any]) -> Storing:
    """Return what keeps streets and proposes a map of them.

    Parameters
    ----------
    found
        Pieces of streets.
    values
        Of the import's own row.

    Returns
    -------
    callable
        Called inside the transaction; returns the import's row.
    """
    content = map_versions.pack_pieces(found.pieces)

    def store(atlas: Atlas, act: Act, tick: Tick) -> Json:
        tick("deriving the map", 0, 0)
        version = registers.next_id(act.connection, maps)
        row = _import_row(act, {**values, "content": content}, {"stored": len(found), "version": version})
        made = map_versions.propose(atlas, act.connection, act.actor, act.reason, act=act)
        atlas.read(act.connection, made["version"])  # a map that cannot be derived is no proposal
        return row

    return store
