"""A Street Numbering Map laid out in tables, so that numbers are found by looking them up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from gis.blocks import NumberingMap, Row
from gis.findings import CATALOGUE, Finding
from gis.halves import Half
from gis.linework import Floats, Ints
from gis.locate import FIND_STREET, Locator
from gis.network import NS
from gis.segments import Segments

NO_STREET = -2
"""Street of a door that names a street not in the linework."""
BIT = {code: 1 << k for k, code in enumerate(CATALOGUE)}
"""The bit of each finding's code."""
ROW_SPAN = 1 << 40
"""Hundredths of a foot set aside for the stations of one half, in the key of a row."""


@dataclass(frozen=True, eq=False)
class Frontages:
    """A Street Numbering Map laid out for numbering: made once, used for every door.

    Parameters
    ----------
    map
        The map it was made of.
    names
        Names of the streets; a street's place here is its id in `number`.
    locator
        The streets' lines, indexed.
    in_hull
        Whether each path is of kind ``street`` throughout, and so within the village's hull.
    columns, plain
        The same tables twice: as arrays for many doors, as lists for one.
    """

    map: NumberingMap
    names: tuple[str, ...]
    locator: Locator
    in_hull: list[bool]
    columns: Tables
    plain: Tables

    @classmethod
    def of(cls, numbering: NumberingMap) -> Frontages:
        """Lay out a map.

        Parameters
        ----------
        numbering
            The map.

        Returns
        -------
        Frontages
            Ready to number under it.
        """
        net = numbering.network
        shapely.prepare(net.hull)
        segments = Segments.of([(s.chain.coords, s.chain.physical, s.chain.closed) for s in net.streets])
        names = tuple(net.by_name)
        name_of = np.array([names.index(s.name) for s in net.streets])[segments.owner]
        lengths = np.array([s.chain.length for s in net.streets])
        path_key = np.concatenate([[0.0], np.cumsum(lengths + 1000.0)])[:-1]
        tables = Tables(segments, path_key, HalfTable.of(numbering, path_key), RowTable.of(numbering.rows))
        return cls(
            map=numbering,
            names=names,
            locator=Locator.of(segments, name_of, len(names), net.reading.ambiguous_ratio),
            in_hull=[bool(s.is_street[s.chain.physical].all()) for s in net.streets],
            columns=tables,
            plain=Tables(*map(_listed, tables)),
        )

    def ids(self, names: Sequence[str | None]) -> Ints:
        """Return the ids of streets by their exact names.

        Parameters
        ----------
        names
            The names; None where the street is to be found.

        Returns
        -------
        numpy.ndarray
            Ids, shape (n,): `FIND_STREET` for None, `NO_STREET` for a name that is not in the linework.
        """
        known: dict[str | None, int] = {name: k for k, name in enumerate(self.names)}
        known[None] = FIND_STREET
        return np.array([known.get(name, NO_STREET) for name in names], dtype=np.int64)


class Tables(NamedTuple):
    """What numbering looks up: the segments, where each path begins on one long line, half-streets and rows."""

    segments: Segments
    path_key: Any
    halves: HalfTable
    rows: RowTable


def _listed(table: Any) -> Any:
    """Return a table with lists for its arrays: of one entry they are read many times faster."""
    if isinstance(table, np.ndarray):
        return table.tolist()
    if isinstance(table, Segments):
        return Segments(*(getattr(table, f.name).tolist() for f in fields(table)))
    return type(table)(*(column.tolist() for column in table))


class HalfTable(NamedTuple):
    """The half-streets, one entry each; places on them are keys on one long line of all paths, feet."""

    low: Floats
    high: Floats
    at_low: Ints
    at_high: Ints
    origin: Floats
    direction: Ints
    way_ft: Floats
    even_is_left: NDArray[np.bool_]
    axis_x: Floats
    axis_y: Floats

    @classmethod
    def of(cls, numbering: NumberingMap, path_key: Floats) -> HalfTable:
        """Tabulate the half-streets of a map.

        Parameters
        ----------
        numbering
            The map.
        path_key
            Where each path begins on the long line, feet.

        Returns
        -------
        HalfTable
            As columns.
        """
        members, net = numbering.halves, numbering.network
        at_low, at_high = _preferred(members)
        axes = np.array([net.east if net.streets[h.street].family == NS else net.north for h in members])
        return cls(
            low=np.array([path_key[h.street] + h.taken[0] for h in members]),
            high=np.array([path_key[h.street] + h.taken[1] for h in members]),
            at_low=at_low,
            at_high=at_high,
            origin=np.array([path_key[h.street] + h.origin for h in members]),
            direction=np.array([h.direction for h in members]),
            way_ft=np.array([h.way_ft for h in members]),
            even_is_left=np.array([h.even_is_left for h in members]),
            axis_x=axes[:, 0].copy(),
            axis_y=axes[:, 1].copy(),
        )


def _preferred(members: Sequence[Half]) -> tuple[Ints, Ints]:
    """Which half takes a door just at each half's low and high end: the one on the ground, else north or east."""
    low, high = np.arange(len(members)), np.arange(len(members))
    for k, (first, second) in enumerate(pairwise(members)):
        if first.street == second.street:
            ranks = [(_on_ground_at(h, first.taken[1]), h.name in {"North", "East"}) for h in (first, second)]
            high[k] = low[k + 1] = k if ranks[0] >= ranks[1] else k + 1
    return low, high


def _on_ground_at(half: Half, along: float) -> bool:
    """Whether the street is on the ground just inside a half, at one of its ends."""
    starts_here = abs(half.origin - along) <= abs(half.outer - along)
    return bool(half.physical[0] if starts_here else half.physical[-1])


class RowTable(NamedTuple):
    """The rows, one entry each; starts are whole hundredths of a foot from the base line."""

    key: Ints
    start: Ints
    block: Ints
    hundred: Ints
    unit_ft: Ints
    open: NDArray[np.bool_]
    bits: Ints

    @classmethod
    def of(cls, rows: Sequence[Row]) -> RowTable:
        """Tabulate the rows of a map.

        Parameters
        ----------
        rows
            By half-street, outward.

        Returns
        -------
        RowTable
            As columns.
        """
        start = np.array([round(r.from_ft * 100) for r in rows], dtype=np.int64)
        return cls(
            key=np.array([r.half for r in rows], dtype=np.int64) * ROW_SPAN + start,
            start=start,
            block=np.array([r.block for r in rows]),
            hundred=np.array([r.hundred for r in rows]),
            unit_ft=np.array([r.unit_ft for r in rows]),
            open=np.array([r.virtual for r in rows]),
            bits=np.array([bits_of(r.findings) for r in rows]),
        )


def bits_of(found: Sequence[Finding]) -> int:
    """Return findings as bits.

    Parameters
    ----------
    found
        The findings.

    Returns
    -------
    int
        One bit of `BIT` for each code.
    """
    total = 0
    for finding in found:
        total |= BIT[finding.code]
    return total
