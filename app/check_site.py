"""What a check is made against: the village's layers or those sent with it, and what the register has near by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import shapely
import sqlalchemy as sa
from shapely import LineString, Point
from shapely.geometry import shape as as_shape
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app.positions import LINES, POLYGONS, SHAPES, Positions
from app.row_layers import Block, Ground
from app.street_tables import street_objects
from app.tables import addresses, locations
from app.village import Village
from app.works import state_of
from gis.address import street_key
from gis.edges import Edge, edges
from gis.errors import Fault, GeometryError
from gis.layers import Feature, Layers, layers
from gis.rules import RowLaw, RowReading
from gis.terrace import Terrace, terraces

Json = dict[str, Any]

SENT = (
    *("pavement", "sidewalk", "curb_line", "right_of_way", "centerline"),
    *("alley", "public_ground", "dedicated_land", "easement", "ditch", "hydrant", "crossing"),
)
"""Layers that may be sent with a check in place of the village's."""
AROUND_FT = 400.0
"""How far about an object layers are looked at."""
_KINDS = {"curb_line": LINES, "centerline": LINES, "hydrant": ("Point",), "ditch": SHAPES, "crossing": SHAPES}
MOST_FEATURES = 2000
MEETS_FT = 60.0
"""Streets that come nearer than this are read as crossing there, as a jogged block line is."""
COVERED_FT = 0.5
"""By so much may a thing be larger than the place that its right is for."""


@dataclass(frozen=True, eq=False)
class Site:
    """What one request is measured against.

    Parameters
    ----------
    ground
        The village's right-of-way.
    connection
        To the register.
    positions
        How the request's coordinates come in.
    day
        The day that the check is made for.
    accuracy_ft
        Of the positions at 95 %, feet.
    sent
        Layers that came with the request; None where the village's count.
    """

    ground: Ground
    connection: Connection
    positions: Positions
    day: date
    accuracy_ft: float = 0.0
    sent: Layers | None = None

    @property
    def village(self) -> Village:
        """The village."""
        return self.ground.village

    @property
    def law(self) -> RowLaw:
        """The law's numbers."""
        return self.ground.law

    @property
    def reading(self) -> RowReading:
        """What the law leaves open."""
        return self.ground.reading

    def layers(self, shape: BaseGeometry) -> Layers:
        """Return the layers near a shape."""
        return (self.sent or self.ground.layers).near(shape, AROUND_FT)

    @cached_property
    def _sent_edges(self) -> tuple[Edge, ...]:
        return edges(self.sent) if self.sent is not None else ()

    def edges(self, shape: BaseGeometry) -> tuple[Edge, ...]:
        """Return the curbs near a shape, and what stands for them."""
        found = self.ground.edges if self.sent is None else self._sent_edges
        return tuple(edge for edge in found if edge.line.distance(shape) <= AROUND_FT)

    def terraces(self, shape: BaseGeometry) -> tuple[Terrace, ...]:
        """Return the terraces near a shape."""
        near = [edge for edge in self.edges(shape) if edge.line.distance(shape) <= 2 * self.reading.terrace_reach_ft]
        return terraces(self.layers(shape), near, self.law, self.reading)

    def axis(self, shape: BaseGeometry) -> LineString | None:
        """Return the centerline nearest to a shape, or a curb line where none is known."""
        near = self.layers(shape)
        for name in ("centerline", "curb_line"):
            layer = near.get(name)
            one = layer.nearest(shape) if layer else None
            if one is not None:
                parts = [part for part in shapely.get_parts(one.shape) if isinstance(part, LineString)]
                return min(parts, key=lambda part: part.distance(shape))
        return None

    # --- streets ---

    def street(self, asked: str, shape: BaseGeometry | None) -> tuple[str, bool]:
        """Return the street that is meant or nearest, and whether no other can be meant; ``""`` where none is known."""
        if asked:
            return self.village.street_name(asked), True
        if shape is None or self.sent is not None:
            return "", False
        away: dict[str, tuple[float, float]] = {}
        for feature in self.ground.layers.by_name["centerline"].near(shape, AROUND_FT).features:
            off = float(feature.shape.distance(shape))
            if off < away.get(feature.label, (1e9, 0.0))[0]:
                away[feature.label] = (off, feature.accuracy_ft)
        if not away:
            return "", False
        order = sorted(away, key=lambda name: away[name][0])
        nearest, accuracy = away[order[0]]
        unsure = self.accuracy_ft + accuracy
        return order[0], len(order) == 1 or away[order[1]][0] - nearest > unsure

    def block(self, street: str, place: Point | None) -> Block | None:
        """Return the block of a street that a place lies beside; without a place, the street's where all are alike."""
        if not street:
            return None
        if place is not None:
            return self.ground.block_at(street, place.x, place.y)
        return self.ground.only_block(street)

    # --- the register ---

    def official(self, street: str, place: Point | None) -> list[str]:
        """Return the official numbers of a street; near a place those within 300 ft, if there are any."""
        own = addresses.c
        asked = sa.select(own.number, own.fraction, own.suffix, own.location_id).where(
            own.street_key == street_key(street), own.status == "official"
        )
        rows = self.connection.execute(asked.order_by(own.number, own.suffix)).all()
        if place is None or not rows:
            return [f"{n}{f}{s}" for n, f, s, _ in rows]
        return self._near(rows, place) or [f"{n}{f}{s}" for n, f, s, _ in rows]

    def _near(self, rows: Sequence[Any], place: Point) -> list[str]:
        reach = 300.0 + self.accuracy_ft
        near = sa.select(locations.c.id).where(
            locations.c.x_ft.between(place.x - reach, place.x + reach),
            locations.c.y_ft.between(place.y - reach, place.y + reach),
        )
        kept = set(self.connection.execute(near).scalars())
        return [f"{n}{f}{s}" for n, f, s, location in rows if location in kept]

    def adjacent(self, shape: BaseGeometry, reach_ft: float) -> list[str]:
        """Return the addresses in use whose entrances lie within a distance of a shape, by street and number."""
        west, south, east, north = shape.buffer(reach_ft).bounds
        own, at = addresses.c, locations.c
        asked = sa.select(own.full, at.x_ft, at.y_ft).join(locations, own.location_id == at.id)
        asked = asked.where(
            own.status.in_(("official", "provisional")), at.x_ft.between(west, east), at.y_ft.between(south, north)
        )
        rows = self.connection.execute(asked.order_by(own.street, own.number)).all()
        return [full for full, x, y in rows if shape.distance(Point(x, y)) <= reach_ft]

    def objects(self, shape: BaseGeometry, reach_ft: float, *kinds: str) -> list[tuple[Json, BaseGeometry]]:
        """Return the objects that stand in the register within a distance of a shape, with their shapes."""
        own, (west, south, east, north) = street_objects.c, shape.buffer(reach_ft).bounds
        asked = sa.select(street_objects).where(
            own.retired_at.is_(None), own.kind.in_(kinds), own.west_ft <= east, own.east_ft >= west,
            own.south_ft <= north, own.north_ft >= south,
        )  # fmt: skip
        rows = [dict(row) for row in self.connection.execute(asked.order_by(own.id)).mappings()]
        found = [(row, as_shape(row["shape"])) for row in rows]
        return [(row, other) for row, other in found if other.distance(shape) <= reach_ft]

    def works(self, shape: BaseGeometry, reach_ft: float) -> list[tuple[str, BaseGeometry]]:
        """Return the openings and obstructions that are there on the day, in words and with their shapes."""
        found = self.objects(shape, reach_ft, "opening", "obstruction")
        return [(_worded(row), other) for row, other in found if state_of(row, self.day) in {"active", "emergency"}]

    def covering(self, shape: BaseGeometry) -> str:
        """Return the authorisation on record that covers a shape on the day, in words; ``""`` for none."""
        for row, other in self.objects(shape, 1.0, "opening", "obstruction", "fixture"):
            right = row["authorisation"]
            if right and other.buffer(COVERED_FT).covers(shape) and in_force(right, self.day):
                return right_in_words(right)
        return ""


def in_force(right: Mapping[str, Any], day: date) -> bool:
    """Say whether a dated authorisation holds on a day: its first and last day both count."""
    first, last = right.get("from") or "0001-01-01", right.get("until") or ""
    return bool(last) and first <= day.isoformat() <= last


def right_in_words(right: Mapping[str, Any]) -> str:
    """Return a right on record as an answer cites it; whose it is is nobody's business."""
    return f"{right.get('kind') or 'an authorisation'}, recorded, until {right['until']}"


def crossing_ft(line: LineString, others: Sequence[BaseGeometry]) -> float | None:
    """Return the station at which a street's line meets another street; None where they stay farther apart.

    Parameters
    ----------
    line
        Of the street, working CRS, US survey feet.
    others
        The other street's paths on the ground.

    Returns
    -------
    float or None
        Feet from the line's start.
    """
    other = min(others, key=lambda shape: shape.distance(line))
    if other.distance(line) > MEETS_FT:
        return None
    return float(line.project(Point(shapely.shortest_line(line, other).coords[0])))


def _worded(row: Json) -> str:
    until = f" until {row['ends_on']}" if row["ends_on"] else ""
    return f"{row['label'] or row['kind']} ({row['kind']} {row['id']}){until}"


def sent_layers(positions: Positions, content: Mapping[str, Any]) -> Layers:
    """Read layers that came with a request, in place of the village's.

    Parameters
    ----------
    positions
        How its coordinates come in; a layer is held in NAD83(2011) and not shifted.
    content
        Each layer as a GeoJSON geometry, Feature, FeatureCollection or a list of them, and ``accuracy_ft`` of all.

    Returns
    -------
    Layers
        Those that were sent.

    Raises
    ------
    GeometryError
        A name that is no layer, a shape of the wrong kind, an accuracy that is none.
    """
    accuracy = content.get("accuracy_ft", 0.0)
    if accuracy is None:
        accuracy = 0.0
    if isinstance(accuracy, bool) or not isinstance(accuracy, int | float) or not 0 <= accuracy <= 10_000:
        raise GeometryError.of("layers.accuracy_ft", accuracy, "feet at 95 %, 0 or more")
    found: dict[str, list[Feature]] = {}
    for name, sent in content.items():
        if name == "accuracy_ft" or sent is None:
            continue
        if name not in SENT:
            raise GeometryError.of("layers", name, f"one of {', '.join(SENT)} and accuracy_ft")
        found[name] = _features(positions, name, sent, float(accuracy))
    return layers(found)


def _features(positions: Positions, name: str, sent: Any, accuracy_ft: float) -> list[Feature]:
    field = f"layers.{name}"
    items = sent.get("features") if isinstance(sent, dict) and sent.get("type") == "FeatureCollection" else sent
    items = items if isinstance(items, list) else [items]
    if len(items) > MOST_FEATURES:
        raise GeometryError(
            f"{field} has too many features.", [Fault(field, f"{len(items)} features", f"at most {MOST_FEATURES}")]
        )
    made = []
    for k, item in enumerate(items):
        where = field if len(items) == 1 else f"{field}[{k}]"
        shape = positions.shape(item, where, _KINDS.get(name, POLYGONS), moved=False)
        known = item.get("properties") if isinstance(item, dict) else None
        known = known if isinstance(known, dict) else {}
        label = str(known.get("street") or known.get("holder") or known.get("label") or "")[:200]
        made.append(Feature(shape, accuracy_ft, False, label))
    return made
