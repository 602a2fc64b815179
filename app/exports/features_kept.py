"""Features that the register keeps: addresses, lots, works and obstructions, read by page in the order of their ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from shapely import Point
from shapely.geometry import shape as as_shape
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app import works
from app.clocks import LOCAL
from app.exports.features_asked import Asked, AskedError, Box, When, meets
from app.feed import PARTS
from app.object_kinds import KINDS, WORKS
from app.street_tables import street_objects
from app.tables import addresses, locations, lots
from app.village import Village

Json = dict[str, Any]
Given = Any
TOLD = ("official", "provisional")
"""Numbers that are in force, or would be were the map adopted."""


@dataclass(frozen=True)
class Found:
    """One feature: its id, its shape in the working CRS, and what everybody may know of it."""

    id: str | int
    shape: BaseGeometry
    properties: Json


@dataclass(frozen=True)
class Page:
    """A page of features; `after` leads to the next, ``""`` where there is none; `matched` is None if not counted."""

    features: Sequence[Found]
    after: str
    matched: int | None


@dataclass(frozen=True)
class Kept:
    """A collection whose features are rows of the register.

    Parameters
    ----------
    asked
        The query of all rows.
    id
        The column they are ordered by.
    found
        Makes a row's feature.
    near
        The condition that a row may lie in a rectangle of the working CRS, feet.
    during
        The condition that a row is of a time.
    """

    asked: sa.Select[Any]
    id: Any
    found: Callable[[Given], Found]
    near: Callable[[Box], Any]
    during: Callable[[When], Any]

    def page(self, connection: Connection, village: Village, asked: Asked) -> Page:
        """Return a page; rows are read until it is full, so that no more than two pages are in memory."""
        wanted = [*([self.near(asked.area.near_ft)] if asked.area else [])]
        wanted += [self.during(asked.when)] if asked.when else []
        query = self.asked.where(*wanted)
        matched = None if asked.area else connection.scalar(sa.select(sa.func.count()).select_from(query.subquery()))
        after, full, made = _number(asked.after), asked.limit + 1, list[Found]()
        while len(made) < full:
            more = query.where(self.id > after).order_by(self.id).limit(full)
            rows = [self.found(row) for row in connection.execute(more).mappings().all()]
            inside = meets(village, asked.area, [one.shape for one in rows])
            made += [one for one, within in zip(rows, inside, strict=True) if within]
            if len(rows) < full:
                break
            after = int(rows[-1].id)
        kept = made[: asked.limit]
        return Page(kept, str(kept[-1].id) if len(made) > asked.limit else "", matched)

    def one(self, connection: Connection, village: Village, text: str) -> Found | None:
        """Return a feature by its id; None where there is none."""
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            return None
        row = connection.execute(self.asked.where(self.id == int(text))).mappings().one_or_none()
        return self.found(row) if row else None


def _number(text: str) -> int:
    if text and not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise AskedError.of("after", text[:60], "the value that the `next` link of a page has")
    return int(text or 0)


def _address(row: Given) -> Found:
    own: Json = {"address": row["full"], "status": row["status"], "street": row["street"], "half": row["half"]}
    own |= {name: row[name] for name in PARTS}
    own |= {"usps": row["usps"], "placement": row["placement"], "made_at": _utc(row["made_at"])}
    return Found(row["id"], Point(row["x_ft"], row["y_ft"]), own)


def _lot(row: Given) -> Found:
    return Found(row["id"], as_shape(row["shape"]), {"parcel": row["parcel"], "made_at": _utc(row["made_at"])})


def _work(row: Given) -> Found:
    state = works.state_of(dict(row), datetime.now(UTC).astimezone(LOCAL).date())
    own: Json = {name: row[name] for name in ("kind", "label", "street", "emergency")}
    own |= {"kind_title": KINDS[row["kind"]].title, "state": state, "where": works.where(dict(row))}
    own |= {name: str(row[name]) if row[name] else None for name in ("starts_on", "ends_on", "restored_on")}
    return Found(row["id"], as_shape(row["shape"]), own)


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _boxed(table: sa.Table) -> Callable[[Box], Any]:
    def near(box: Box) -> Any:
        west, south, east, north = box
        own = table.c
        return (own.west_ft <= east) & (own.east_ft >= west) & (own.south_ft <= north) & (own.north_ft >= south)

    return near


def _in_box(box: Box) -> Any:
    west, south, east, north = box
    return locations.c.x_ft.between(west, east) & locations.c.y_ft.between(south, north)


def _since(column: Any) -> Callable[[When], Any]:
    """Return the condition of what holds from an instant on."""
    return lambda when: sa.true() if when[1] is None else column <= when[1]


def _while_open(when: When) -> Any:
    """Return the condition that a work was open in the village on a day of a time; its first and last day count."""
    first, last = (at and at.astimezone(LOCAL).date() for at in when)
    own = street_objects.c
    begun = sa.true() if last is None else own.starts_on.is_(None) | (own.starts_on <= last)
    if first is None:
        return begun
    return (
        begun
        & (own.ends_on.is_(None) | (own.ends_on >= first))
        & (own.restored_on.is_(None) | (own.restored_on > first))
    )


def _works(*kinds: str) -> Kept:
    asked = sa.select(street_objects).where(street_objects.c.retired_at.is_(None), street_objects.c.kind.in_(kinds))
    return Kept(asked, street_objects.c.id, _work, _boxed(street_objects), _while_open)


_ADDRESS = ("id", "status", "street", "half", *PARTS, "full", "usps", "made_at")
ADDRESSES = Kept(
    sa.select(*(addresses.c[n] for n in _ADDRESS), *(locations.c[n] for n in ("x_ft", "y_ft", "placement")))
    .join(locations)
    .where(addresses.c.status.in_(TOLD)),
    addresses.c.id,
    _address,
    _in_box,
    _since(addresses.c.made_at),
)
LOTS = Kept(sa.select(lots).where(lots.c.retired_at.is_(None)), lots.c.id, _lot, _boxed(lots), _since(lots.c.made_at))
ALL_WORKS = _works(*WORKS)
OBSTRUCTIONS = _works("obstruction")
