"""The village's right-of-way as it is held now: built from cross-sections, surveyed pieces in their place, terraces."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import sqlalchemy as sa
from shapely import LineString, Point
from shapely.geometry import shape as as_shape
from sqlalchemy.engine import Connection

from app.cross_sections import Section, best, merged
from app.street_tables import cross_sections, layer_features
from app.tables import renamings
from app.village import Village
from gis.address import street_key
from gis.blocks import Row
from gis.edges import Edge, edges
from gis.layers import Feature, Layers
from gis.linework import Floats
from gis.network import Street
from gis.row import CrossSection, Run, Side, Surveyed, build
from gis.rules import RowLaw, RowReading
from gis.terrace import Terrace, terraces

Json = dict[str, Any]

_NOBODY = CrossSection(66.0, 36.0, Side(), Side(), 5.0, assumed=True, source="Assumed: no cross-section is known.")
"""What is taken of a street that no row of the table is of."""


@dataclass(frozen=True)
class Block:
    """A block of a half-street, and the cross-section that holds for it.

    Parameters
    ----------
    street, half, block
        Which it is; the block counts from 0 at the base line.
    hundred
        Its hundred.
    section
        The row of the table.
    """

    street: str
    half: str
    block: int
    hundred: int
    section: Section


@dataclass(frozen=True, eq=False)
class Ground:
    """The right-of-way of a village at one moment.

    Parameters
    ----------
    village
        Its streets.
    sections
        The rows of the table that hold.
    layers
        Built, and surveyed piece by piece.
    """

    village: Village
    sections: tuple[Section, ...]
    layers: Layers

    @property
    def law(self) -> RowLaw:
        """The law's numbers."""
        return self.village.law.right_of_way

    @property
    def reading(self) -> RowReading:
        """What the law leaves open."""
        return self.village.files.settings.row_reading

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The curbs, and what stands for them."""
        return edges(self.layers)

    @cached_property
    def terraces(self) -> tuple[Terrace, ...]:
        """The terraces."""
        return terraces(self.layers, self.edges, self.law, self.reading)

    def block_at(self, street: str, x: float, y: float) -> Block | None:
        """Return the block of a street that a place lies beside; None where it has none."""
        found = [
            (abs(along - min(max(along, low), high)), row) for row, low, high, along in self._stations(street, x, y)
        ]
        if not found:
            return None
        row = min(found, key=lambda pair: pair[0])[1]
        section = best(self.sections, row.street, row.side, row.block)
        return Block(row.street, row.side, row.block, row.hundred, section or Section("", "", None, _NOBODY))

    def only_block(self, street: str) -> Block | None:
        """Return a street's block that stands for all of it, where one cross-section holds for all; else None."""
        rows = self.village.rows_of(street)
        held = {best(self.sections, row.street, row.side, row.block) for row in rows}
        if len(held) != 1:
            return None
        section = held.pop() or Section("", "", None, _NOBODY)
        return Block(street, rows[0].side, rows[0].block, rows[0].hundred, section)

    def _stations(self, street: str, x: float, y: float) -> Iterator[tuple[Row, float, float, float]]:
        net, place = self.village.network, Point(x, y)
        paths = net.by_name.get(street, ())
        if not paths:
            return
        path = min(paths, key=lambda k: net.streets[k].physical_line().distance(place))
        along = LineString(net.streets[path].chain.coords).project(place)
        for row, low, high in _spans(self.village, path):
            yield row, low, high, along


def standard_of(sections: Iterable[Section]) -> CrossSection:
    """Return the village's standard cross-section: that of every street without one of its own."""
    return next((section.across for section in sections if not section.street), _NOBODY)


def ground_of(village: Village, sections: Sequence[Section], surveyed: Sequence[Surveyed] = ()) -> Ground:
    """Build the right-of-way of a village.

    Parameters
    ----------
    village
        The village.
    sections
        The rows of the table.
    surveyed
        What was surveyed.

    Returns
    -------
    Ground
        Its layers; terraces when they are asked for.
    """
    made = build(list(runs(village, sections)), standard_of(sections), surveyed)
    return Ground(village, tuple(sections), made)


def runs(village: Village, sections: Sequence[Section]) -> Iterator[Run]:
    """Give the stretches of a village's public streets on the ground, each with one cross-section.

    Alleys, which have widths of their own, are given only where a row of the table is of them by name.

    Parameters
    ----------
    village
        The village.
    sections
        The rows of the table.

    Yields
    ------
    Run
        By street and path, along its line.
    """
    net, named = village.network, {section.street for section in sections}
    for k, street in enumerate(net.streets):
        if len(street.chain.coords) < 2 or street_key(street.name) in village.closed:
            continue
        spans = list(_spans(village, k))
        for low, high, section in _stretches(village, street, spans, sections, named):
            coords = _cut(street, low, high)
            if len(coords) > 1:
                yield Run(street.name, coords, section, _even_is_left(village, k), float(street.accuracy_ft.max()))


def _spans(village: Village, path: int) -> Iterator[tuple[Row, float, float]]:
    """Give the rows of a path with the stations on its chain that each lies between."""
    for row in village.map.rows:
        half = village.map.halves[row.half]
        if half.street == path:
            ends = [half.origin + half.direction * (at - half.way_ft) for at in (row.from_ft, row.to_ft)]
            yield row, min(ends), max(ends)


def _even_is_left(village: Village, path: int) -> bool:
    half = next(half for half in village.map.halves if half.street == path)
    return half.even_is_left if half.direction == 1 else not half.even_is_left


def _stretches(
    village: Village,
    street: Street,
    spans: Sequence[tuple[Row, float, float]],
    sections: Sequence[Section],
    named: set[str],
) -> Iterator[tuple[float, float, CrossSection]]:
    """Give the stretches of a chain on the ground between which its cross-section changes."""
    stations = street.chain.stations
    cuts = np.unique([*stations, *(at for _, *ends in spans for at in ends if 0 < at < stations[-1])])
    open_from, before = float(cuts[0]), None
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        now = _section_at(village, street, (low + high) / 2, spans, sections, named)
        if now != before:
            if before is not None:
                yield open_from, low, before
            open_from, before = low, now
    if before is not None:
        yield open_from, float(cuts[-1]), before


def _section_at(
    village: Village,
    street: Street,
    at: float,
    spans: Sequence[tuple[Row, float, float]],
    sections: Sequence[Section],
    named: set[str],
) -> CrossSection | None:
    """Return the cross-section at a station; None where there is no public street on the ground."""
    segment = int(np.clip(np.searchsorted(street.chain.stations, at) - 1, 0, len(street.chain.piece) - 1))
    if not street.chain.physical[segment]:
        return None
    kind = village.network.pieces[street.chain.piece[segment]].kind
    if kind not in {"street", "alley"} or (kind == "alley" and street.name not in named):
        return None
    if not spans:
        return _NOBODY
    row = min(spans, key=lambda span: max(span[1] - at, at - span[2], 0.0))[0]
    found = best(sections, row.street, row.side, row.block)
    return found.across if found else _NOBODY


def _cut(street: Street, low: float, high: float) -> Floats:
    """Return the vertices of a chain between two stations."""
    stations, coords = street.chain.stations, street.chain.coords
    at = np.concatenate([[low], stations[(stations > low + 1e-6) & (stations < high - 1e-6)], [high]])
    cut = np.stack([np.interp(at, stations, coords[:, k]) for k in (0, 1)], axis=1)
    return cut[np.r_[True, (np.diff(cut, axis=0) != 0).any(axis=1)]]


# --- as the register has it ---


class GroundKeeper:
    """The right-of-way of the village in force, built anew when a street, a width or a surveyed piece changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: tuple[tuple[Any, ...], Ground] | None = None

    def now(self, connection: Connection, village: Village) -> Ground:
        """Return the right-of-way as the register has it.

        Parameters
        ----------
        connection
            To the register.
        village
            The village in force.

        Returns
        -------
        Ground
            The same one until something changes.
        """
        key = (id(village), *_state(connection))
        with self._lock:
            if self._kept is None or self._kept[0] != key or self._kept[1].village is not village:
                sections = standing_sections(connection, village)
                self._kept = key, ground_of(village, sections, surveyed(connection, village))
            return self._kept[1]


def _state(connection: Connection) -> tuple[Any, ...]:
    found: list[Any] = []
    for table in (cross_sections, layer_features):
        retired = table.c.retired_at  # the latest, too: one restored and another retired leave as many
        asked = sa.select(sa.func.count(), sa.func.max(table.c.id), sa.func.count(retired), sa.func.max(retired))
        found += connection.execute(asked).one()
    return tuple(found)


def standing_sections(connection: Connection, village: Village) -> tuple[Section, ...]:
    """Return the rows of the table that hold: the file's, and in their places the register's."""
    names = Names(connection, village)
    file = (replace(section, street=names.now(section.street)) for section in village.files.sections)
    asked = sa.select(cross_sections).where(cross_sections.c.retired_at.is_(None)).order_by(cross_sections.c.id)
    own = [section_of(dict(row), names) for row in connection.execute(asked).mappings()]
    return merged(list(file), own)


class Names:
    """The present names of streets that rows were written under.

    Parameters
    ----------
    connection
        To the register.
    village
        The village in force.
    """

    def __init__(self, connection: Connection, village: Village) -> None:
        self._village = village
        own = renamings.c
        acts = connection.execute(sa.select(own.old, own.new, own.made_at, own.undone_at)).all()
        given = [(made_at, old, new) for old, new, made_at, _ in acts]
        given += [(undone_at, new, old) for old, new, _, undone_at in acts if undone_at]
        self._given = [(at, street_key(old), new) for at, old, new in sorted(given)]

    def now(self, name: str, since: datetime | None = None) -> str:
        """Return what a street is called now that was called so at an instant; before any renaming, where None."""
        for at, old, new in self._given:
            if name and street_key(name) == old and (since is None or at > since):
                name = new
        if not name or name in self._village.network.by_name:
            return name
        return self._village.aliases.get(street_key(name), name)


def section_of(row: Mapping[str, Any], names: Names) -> Section:
    """Return a row of the table as the register holds it, by its street's present name."""
    across = CrossSection(
        row["row_width_ft"], row["pavement_width_ft"], Side(**row["odd_side"]), Side(**row["even_side"]),
        row["accuracy_ft"], row["assumed"], row["source"],
    )  # fmt: skip
    known = ("carrier_side", "commercial", "improved_on", "surveyed_on", "id")
    street = names.now(row["street"], row["made_at"])
    return Section(street, row["half"], row["block"], across, **{name: row[name] for name in known})


def surveyed(connection: Connection, village: Village) -> tuple[Surveyed, ...]:
    """Return the surveyed pieces that stand in the register."""
    names = Names(connection, village)
    asked = sa.select(layer_features).where(layer_features.c.retired_at.is_(None)).order_by(layer_features.c.id)
    rows = connection.execute(asked).mappings()
    return tuple(Surveyed(row["layer"], feature_of(dict(row), names)) for row in rows)


def feature_of(row: Mapping[str, Any], names: Names) -> Feature:
    """Return a surveyed piece as the register holds it, by its street's present name."""
    on, street = row["surveyed_on"], names.now(row["known"].get("street", ""), row["made_at"])
    known = {**row["known"], "source": row["source"], "surveyed_on": str(on) if on else "", "id": row["id"]}
    return Feature(as_shape(row["shape"]), row["accuracy_ft"], False, row["label"], {**known, "street": street})
