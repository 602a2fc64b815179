"""A synthetic town, the same every time: streets on a jittered grid, and its register as the service writes it."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import sqlalchemy as sa
from rapidfuzz.distance import Indel
from shapely import Polygon
from sqlalchemy.engine import Connection

from app import acts, registers
from app.answers import listed
from app.audit import FIRST, Act, Actor, digest
from app.columns import canonical
from app.considered import Considered, Wanted, _finished
from app.db import Database
from app.tables import addresses, audit, locations, metadata
from app.village import LONLAT, Village
from gis.linework import Floats
from gis.numbering import Doors, findings, number
from tests.bench.county import SEED, beside, grid
from tests.bench.report import BenchError

AWAY_FT = 25.0, 60.0
"""How far entrances lie from their street."""
UNLIKE = 5
"""So many letters, taken away or added, lie at least between two streets' names: a typo is none of them nearer."""
AT_ONCE, LIKE = 2000, 20
LAST = 98
"""The last two numbers of a block are given once: where they are held, there is no other to give."""
CRS = "EPSG:7608"
ORIGIN_FT = 557_000.0, 80_000.0
"""The grid's south-western corner: near Benton, where the working CRS is good."""
CLERK = Actor("The bench", "console")
BEGUN = datetime(2020, 1, 1, 8, 0, tzinfo=UTC)
KINDS = {"Street": "st", "Avenue": "ave", "Lane": "ln", "Road": "rd", "Drive": "dr"}

Json = dict[str, Any]


# --- the streets ---


def write_town(directory: Path, streets: int, blocks: int) -> None:
    """Write the files of a town of `streets` grid lines each way, cut into streets of `blocks` blocks.

    The middle lines are the base lines and whole. 30 lines cut into streets of 6 blocks are 292 streets.
    """
    rng = np.random.default_rng(SEED)
    corners = grid(streets, rng) + ORIGIN_FT
    lines = []
    for way in (corners, corners.transpose(1, 0, 2)):
        for k, line in enumerate(way):
            whole = k == streets // 2
            cuts = [0, streets - 1] if whole else [*range(0, streets - 1, blocks), streets - 1]
            lines += [(line[a : b + 1], whole) for a, b in pairwise(cuts)]
    names = street_names(len(lines), rng)
    bases = [name for name, (_, whole) in zip(names, lines, strict=True) if whole]
    features = [
        {
            "type": "Feature",
            "properties": {"name": name},
            "geometry": {"type": "LineString", "coordinates": line.round(2).tolist()},
        }
        for name, (line, _) in zip(names, lines, strict=True)
    ]
    directory.mkdir()
    (directory / "streets.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    (directory / "settings.toml").write_text(
        f'working_crs = "{CRS}"\n[village]\nname = "Town"\ncounty = "Lafayette"\nstate = "Wisconsin"\n'
        f'[base_lines]\new = "{bases[0]}"\nns = "{bases[1]}"\n'
    )


def street_names(count: int, rng: np.random.Generator) -> list[str]:
    """Make names that can be said and are not alike, every sixth of two words."""
    made: list[str] = []
    while len(made) < count:
        syllables = ["".join(rng.choice(list(s)) for s in ("bdfghjklmnprstvwz", "aeiou")) for _ in range(4)]
        ending = rng.choice(["", "n", "r", "ll", "rd"])
        word = "".join([*syllables[: int(rng.integers(2, 5))], ending]).capitalize()
        name = f"Van {word}" if len(made) % 6 == 5 else word
        close = (other for other in made if Indel.distance(_bare(other), _bare(name), score_cutoff=UNLIKE) < UNLIKE)
        if len(word) >= 5 and next(close, None) is None:
            made.append(name)
    return [f"{name} {list(KINDS)[k % len(KINDS)]}" for k, name in enumerate(made)]


def _bare(name: str) -> str:
    return name.lower().replace(" ", "")


# --- its entrances ---


@dataclass(frozen=True, eq=False)
class Town:
    """A town, and entrances of it that have a number on their own street.

    Parameters
    ----------
    village
        Laid out as the service has it.
    doors
        Every entrance, numbered.
    first, again
        Places among them: of entrances that have each another number, and of those whose number one of `first` has
        and that may be given another one.
    """

    village: Village
    doors: Doors
    first: Sequence[int]
    again: Sequence[int]

    def place(self, k: int) -> tuple[str, str, int]:
        """Return the street, half and number of an entrance."""
        row = self.village.map.rows[int(self.doors.row[k])]
        return row.street, row.side, int(self.doors.number[k])

    def wanted(self, k: int) -> Wanted:
        """Return what an officer would ask for the entrance: with its building, every fourth with its lot too."""
        door = self.doors.at(k)
        x, y = self.village.out_of_feet(LONLAT)(door.x, door.y)
        building, lot = (shape and self._geojson(shape) for shape in _shapes(door, k))
        street = self.place(k)[0]
        return Wanted(round(float(x), 8), round(float(y), 8), street=street, building=building, lot=lot)

    def considered(self, k: int, like: Considered | None = None) -> Considered:
        """Return what `app.considered.consider` decides of the entrance where its number is free and nobody is near.

        With the findings and the set-back of another, where one is given: that is soon done.
        """
        village, door = self.village, self.doors.at(k)
        row, shapes = village.map.rows[door.row], _shapes(door, k)
        if like is not None:
            own = {"number": door.number, "suggested": door.number, "building": shapes[0], "lot": shapes[1]}
            return replace(like, door=door, row=row, east=door.x, north=door.y, **own)
        found = tuple(listed(findings(village.frontages, door)))
        wanted = Wanted(door.x, door.y, CRS, row.street)
        decided = (door.number, door.number, True, found, "", "", ())
        return _finished(village, Considered(wanted, door, (), row, door.x, door.y, *shapes, *decided), None)

    def _geojson(self, shape: Polygon) -> Json:
        lon, lat = self.village.out_of_feet(LONLAT)(*np.array(shape.exterior.coords).T)
        return {"type": "Polygon", "coordinates": [np.stack([lon, lat], axis=1).round(8).tolist()]}


def _shapes(door: Doors, k: int) -> tuple[Polygon, Polygon | None]:
    """Return a building behind an entrance, and of every fourth its lot, working CRS."""
    away = np.array([door.x - door.foot_x, door.y - door.foot_y])
    away /= np.hypot(*away)
    return _behind(door, away, 0, 30, 20), _behind(door, away, 8, 90, 26) if k % 4 == 0 else None


def _behind(door: Doors, away: Floats, front_ft: float, deep_ft: float, half_ft: float) -> Polygon:
    aside = np.array([-away[1], away[0]]) * half_ft
    near, far = (np.array([door.x, door.y]) + away * ft for ft in (-front_ft, deep_ft))
    return Polygon([near - aside, far - aside, far + aside, near + aside])


def entrances(village: Village, count: int) -> Town:
    """Number entrances at random until `count` have each a number of its own.

    Raises
    ------
    BenchError
        The town has not so many numbers.
    """
    rng = np.random.default_rng(SEED + 1)
    x, y, on = beside(village.frontages, count * 3, rng, *AWAY_FT)
    owner = village.frontages.locator.segments.owner[on]
    names = [village.network.streets[k].name for k in owner.tolist()]
    doors = number(village.frontages, x, y, [village.street_id(name) for name in names])
    first, again, seen = [], [], set()
    for k, (name, row, found) in enumerate(zip(names, doors.row.tolist(), doors.number.tolist(), strict=True)):
        if row >= 0 and found and village.map.rows[row].street == name and not doors.at(k).past:
            place = (name, village.map.rows[row].side, found)
            if place not in seen:
                first.append(k)
            elif found % 100 < LAST:
                again.append(k)
            seen.add(place)
    if len(first) < count:
        raise BenchError(f"the town has {len(first)} numbers, and {count} are wanted")
    return Town(village, doors, first, again)


# --- its register ---


class Batch:
    """What acts write, kept until there is enough to write at once; the audit's chain is the service's own."""

    def __init__(self, connection: Connection) -> None:
        last = connection.execute(sa.select(audit.c.seq, audit.c.hash).order_by(audit.c.seq.desc()).limit(1)).first()
        self.seq, self.hash = tuple(last) if last else (0, FIRST)
        self.connection = connection
        self.ids = dict.fromkeys((locations.name, addresses.name), 0)
        self.rows: dict[str, list[Json]] = {name: [] for name in ("locations", "explanations", "addresses", "audit")}
        self.kept: set[str] = set()

    def insert(self, act: Act, what: str, table: sa.Table, values: Mapping[str, Any]) -> Json:
        """Do as `registers.insert`."""
        self.ids[table.name] += 1
        row = {c.name: values.get(c.name) for c in table.columns} | {"id": self.ids[table.name]}
        self.rows[table.name].append(row)
        self.seq += 1
        act.number = act.number or self.seq
        entry = {"seq": self.seq, "act": act.number, "at": act.at, "actor": act.actor.name, "actor_id": act.actor.id}
        entry |= {"acting_for": "", "what": what, "kind": table.name, "subject": str(row["id"]), "before": None}
        entry |= {"after": canonical(row), "reason": act.reason, "previous": self.hash}
        self.hash = digest(entry)
        self.rows["audit"].append({**entry, "hash": self.hash})
        return row

    def keep_explanation(self, _connection: Connection, content: Any) -> str:
        """Do as `registers.keep_explanation`."""
        text = canonical(content).encode()
        found = hashlib.sha256(text).hexdigest()
        if found not in self.kept:
            self.kept.add(found)
            self.rows["explanations"].append({"digest": found, "body": zlib.compress(text, 6)})
        return found

    def write(self) -> None:
        """Write all."""
        for name, rows in self.rows.items():
            if rows:
                self.connection.execute(sa.insert(metadata.tables[name]), rows)
                rows.clear()


def fill(database: Database, town: Town, count: int) -> None:
    """Assign the first `count` numbers of a town, as the service does, in batches, minutes apart.

    Every twentieth is considered and explained in full. Those after it have its reasons, with their own number, for to
    explain each would take minutes.
    """
    like, reasons, told = None, {}, {}
    whole, explained = acts.numbered, acts.explanation_of
    parts = lru_cache(maxsize=None)(lambda street, half: whole(street, half, 1))

    def numbered(street: str, half: str, number: int, *_: object, **__: object) -> Json:
        written = {name: f"{number}{parts(street, half)[name][1:]}" for name in ("full", "usps")}
        return {**parts(street, half), "number": number, **written}

    for chosen in _some(town.first[:count], AT_ONCE):
        with database.write() as connection:
            batch = Batch(connection)
            batch.ids = {t.name: connection.execute(sa.select(sa.func.coalesce(sa.func.max(t.c.id), 0))).scalar_one()
                         for t in (locations, addresses)}  # fmt: skip
            with (
                patch.multiple(registers, insert=batch.insert, keep_explanation=batch.keep_explanation),
                patch.multiple(acts, numbered=numbered, explanation_of=lambda *_, **__: told),
            ):
                for place, k in enumerate(chosen):
                    if place % LIKE == 0:
                        like = town.considered(k)
                        reasons = explained(town.village, like)
                    at = BEGUN + timedelta(minutes=batch.ids["addresses"])
                    told.update(reasons, number=int(town.doors.number[k]), at=at)
                    acts.add(Act(connection, CLERK, "", at), town.village, town.considered(k, like))
            batch.write()
            if not database.is_sqlite:
                for table in (locations, addresses):
                    serial = sa.func.pg_get_serial_sequence(table.name, "id")
                    connection.execute(sa.select(sa.func.setval(serial, batch.ids[table.name])))


def _some(items: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


# --- what is typed ---


def typed(town: Town, k: int, rng: np.random.Generator) -> str:
    """Write an entrance's address as somebody in a hurry types it: one typo, a space too few, the type left out."""
    street, half, found = town.place(k)
    bare = street.rpartition(" ")[0].lower()
    at = int(rng.integers(1, len(bare) - 2))
    match k % 4:
        case 0:
            word = bare[:at] + bare[at + 1] + bare[at] + bare[at + 2 :]  # 145 n amla
        case 1:
            word = bare[:at] + bare[at + 1 :]
        case 2:
            word = bare[:at] + "x" + bare[at + 1 :]
        case _:
            word = bare.replace(" ", "")  # 12 n vanburen
            word = word[:-1] if word == bare else word
    match k % 3:
        case 0:
            return f"{word} {found}"
        case 1:
            return f"{found} {half[0].lower()} {word}"
    return f"{found} {half.lower()} {word} {KINDS[street.rpartition(' ')[2]]}"


def right(town: Town, k: int, items: Sequence[Json]) -> bool:
    """Whether an entrance's address is the first found, or, where no half was typed, has the first's number."""
    street, half, found = town.place(k)
    top = [item for item in items if (item["street"], item["number"]) == (street, found)]
    return bool(top) and items[0] in top and half in {item["half"] for item in top}
