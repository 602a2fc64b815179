"""A register with one number on the squared paper, and officers who report, inspect, serve and decide."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app import acts, case_records, cases, registers
from app.audit import Actor
from app.auth import Person, Role
from app.clocks import local_instant
from app.considered import Wanted
from app.db import Database
from app.map_versions import Atlas
from app.tables import addresses
from tests.plat import PLAT, village

Json = dict[str, Any]
PEOPLE = {str(role): Person(f"A {role}", f"user:{k}", frozenset({role})) for k, role in enumerate(Role, start=1)}
ASSIGNED = date(2026, 6, 1)


def at(day: date, clock: time = time(10)) -> datetime:
    """An instant, UTC, by the village's clock."""
    return local_instant(day, clock)


def june(day: int, clock: time = time(10)) -> datetime:
    return at(date(2026, 6, day), clock)


def july(day: int, clock: time = time(10)) -> datetime:
    return at(date(2026, 7, day), clock)


@dataclass
class Book:
    """The register, and what is done to its cases."""

    database: Database
    atlas: Atlas

    def assigned(self, day: date = ASSIGNED, x: float = 400, y: float = 471) -> int:
        """A number on Alma Street, assigned on a day."""
        wanted = Wanted(x, y, "EPSG:7608", street="Alma Street", reason="")
        made = acts.assign(self.atlas, Actor("Dana", "user:0", ""), wanted).content["id"]
        with self.database.write() as connection:
            given = sa.update(addresses).where(addresses.c.id == made).values(made_at=at(day))
            connection.execute(given)
        return int(made)

    def report(self, address: int, now: datetime, who: str = "police", **given: Any) -> int:
        asked = {"kind": "numbering", "address_id": address, "defect": "none", **given}
        return int(cases.open_case(self.database, PEOPLE[who], asked, now)["id"])

    def take(self, case: int, step: str, now: datetime, who: str = "director", **given: Any) -> Json:
        return cases.take(self.database, PEOPLE[who], case, step, given, now)

    def serve(self, case: int, now: datetime, **given: Any) -> Json:
        return self.take(case, "serve", now, **{"how": "handed", "reason": "Our own letter of that day.", **given})

    def undo(self, case: int, now: datetime, who: str = "director", reason: str = "A slip.") -> Json:
        return cases.undo(self.database, PEOPLE[who], case, reason, now)

    def case(self, case: int, now: datetime, who: str = "director") -> Json:
        with self.database.read() as connection:
            return case_records.full(connection, case, PEOPLE[who], now)

    def state(self, case: int, now: datetime) -> str:
        return str(self.case(case, now)["state"])

    def row(self, address: int) -> registers.Row:
        with self.database.read() as connection:
            return registers.get(connection, addresses, address)


def book(database: Database, directory: Path) -> Book:
    """The squared paper's register, its schema made."""
    directory.mkdir(exist_ok=True)
    atlas = Atlas(database, village(directory, PLAT), None)
    atlas.ensure()
    return Book(database, atlas)


NOW = datetime(2026, 6, 1, tzinfo=UTC)
