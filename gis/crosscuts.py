"""Cross sections of a street or a walk, square to its axis, where something takes part of its width.

Offsets are feet across from the axis, to its left above 0. All coordinates are in the working CRS, US survey feet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from shapely import LineString, Polygon, STRtree
from shapely.geometry.base import BaseGeometry

from gis.errors import GeometryError
from gis.linework import Floats, Ints

_BESIDE_FT = 1e-6  # how far beside an event its two sides are looked at
_APART_FT = 1e-8
_BESIDE_RAD = 1e-9
_IN_FAN_RAD = np.radians(2.0)
_ENDS = np.cos(np.radians(30.0))


@dataclass(frozen=True, eq=False)
class Crosscuts:
    """Cross sections.

    Parameters
    ----------
    feet
        Where each crosses the axis, shape (n, 2).
    across
        Unit direction of each, to the left of the axis, shape (n, 2).
    stretch
        Two sections that follow one another and have the same stretch bound one in which every edge runs straight:
        an offset between them is a linear function of the station; shape (n,).
    axis
        The axis, run straight on past its ends.
    reach_ft
        How far each reaches to either side.
    """

    feet: Floats
    across: Floats
    stretch: Ints
    axis: LineString
    reach_ft: float

    def __len__(self) -> int:
        return len(self.feet)

    def line(self, k: int, near_ft: float, far_ft: float) -> LineString:
        """Return the part of a section between two offsets.

        Parameters
        ----------
        k
            The section.
        near_ft, far_ft
            Offsets from the axis, feet.

        Returns
        -------
        LineString
            Working CRS, US survey feet.
        """
        return LineString([self.feet[k] + self.across[k] * near_ft, self.feet[k] + self.across[k] * far_ft])

    def between(self, k: int, share: float) -> tuple[Floats, Floats]:
        """Return the foot and the direction of a section between one and the next of its stretch.

        Parameters
        ----------
        k
            The section before it.
        share
            How far on to the next, 0 to 1.

        Returns
        -------
        tuple of Floats
            Foot and unit vector across, shape (2,) each.
        """
        return self.feet[k] + share * (self.feet[k + 1] - self.feet[k]), self.across[k]

    def spans(self, shape: BaseGeometry) -> list[Floats]:
        """Return the parts of each section on a shape.

        Parameters
        ----------
        shape
            Of areas.

        Returns
        -------
        list of numpy.ndarray
            For each section the offsets between which it is on the shape, ascending, shape (m, 2), feet.
        """
        ends = np.stack([self.feet - self.across * self.reach_ft, self.feet + self.across * self.reach_ft], axis=1)
        met = shapely.intersection(np.array([LineString(line) for line in ends], dtype=object), shape)
        return [self._offsets(k, part) for k, part in enumerate(met)]

    def _offsets(self, k: int, met: BaseGeometry) -> Floats:
        parts = [part for part in shapely.get_parts(met) if part.length > _APART_FT]
        found = sorted(
            sorted((shapely.get_coordinates(p) - self.feet[k]) @ self.across[k])[:: len(p.coords) - 1] for p in parts
        )
        joined: list[list[float]] = []
        for near, far in found:
            if joined and near - joined[-1][1] <= _APART_FT:
                joined[-1][1] = max(joined[-1][1], far)
            else:
                joined.append([near, far])
        return np.array(joined, dtype=np.float64).reshape(-1, 2)

    def own(self, spans: list[Floats]) -> list[Floats]:
        """Return those spans that lie nearest to where their own section crosses the axis, and not to another leg.

        Parameters
        ----------
        spans
            As `spans` gives them.

        Returns
        -------
        list of Floats
            For each section those kept, shape (n, 2), feet.
        """
        kept = []
        for k, found in enumerate(spans):
            middles = found.mean(axis=1)
            away = shapely.distance(shapely.points(self.feet[k] + middles[:, None] * self.across[k]), self.axis)
            kept.append(found[away >= np.abs(middles) - _BESIDE_FT])
        return kept

    def between_edges(self, way: BaseGeometry, spans: list[Floats]) -> list[Floats]:
        """Return those spans of a way that reach from one of its edges to another.

        A side that runs within 30 degrees of square across is an end of the way and no edge: from there to an edge is
        no width.

        Parameters
        ----------
        way
            The way.
        spans
            As `spans` gives them of it.

        Returns
        -------
        list of Floats
            For each section those kept, shape (n, 2), feet.
        """
        coords = [shapely.get_coordinates(ring) for ring in shapely.get_rings(way)]
        sides = np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1) for ring in coords])
        tree = STRtree([LineString(side) for side in sides])
        steps = sides[:, 1] - sides[:, 0]
        kept = []
        for k, found in enumerate(spans):
            ends = shapely.points(self.feet[k] + found.reshape(-1, 1) * self.across[k])
            square = np.abs(steps @ self.across[k]) >= _ENDS * np.hypot(*steps.T)
            at, side = tree.query_nearest(ends, all_matches=True)
            is_end = np.ones(len(ends), dtype=bool)
            np.logical_and.at(is_end, at, square[side])
            kept.append(found[~is_end.reshape(-1, 2).any(axis=1)])
        return kept


def long_direction(shape: BaseGeometry) -> LineString:
    """Return a line through the middle of a shape, in its long direction.

    Parameters
    ----------
    shape
        An area.

    Returns
    -------
    LineString
        The middle line of the narrowest rectangle round it.
    """
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(shape))[:4]
    if np.hypot(*(corners[1] - corners[0])) < np.hypot(*(corners[2] - corners[1])):
        corners = np.roll(corners, -1, axis=0)
    return LineString([(corners[0] + corners[3]) / 2, (corners[1] + corners[2]) / 2])


def crosscuts(axis: LineString, footprint: BaseGeometry, shapes: Sequence[BaseGeometry]) -> Crosscuts:
    """Cut a way square to its axis wherever something on it could take most of its width.

    Between the vertices of the shapes every edge runs straight, so a share of the width is a ratio of linear functions
    of the station and greatest at one end: each vertex is looked at from both sides. Outside a bend the sections turn
    about the vertex of the axis, and the share is no such ratio: there sections between the vertices are cut too,
    two degrees apart. Inside a sharp bend the sections of two legs cross, and each counts for what is nearest to its
    own leg.

    Parameters
    ----------
    axis
        The centerline or the curb line; it is run straight on past its ends.
    footprint
        What takes part of the width: there are sections only where it is.
    shapes
        The shapes whose vertices matter, the footprint's own too where they do.

    Returns
    -------
    Crosscuts
        The sections.

    Raises
    ------
    GeometryError
        The axis has no length.
    """
    vertices = np.vstack([shapely.get_coordinates(shape) for shape in (footprint, *shapes)])
    coords = shapely.get_coordinates(axis)
    coords = coords[np.append(True, np.hypot(*np.diff(coords, axis=0).T) > _APART_FT)]
    if len(coords) < 2:
        raise GeometryError.of("axis", "a line without length", "the centerline or the curb line")
    reach = float(np.hypot(*np.ptp(np.vstack([vertices, coords]), axis=0))) + 1.0
    coords = _run_on(coords, reach)
    found = [*_square(coords, footprint, vertices), *_fans(coords, footprint, vertices, reach)]
    feet = np.array([foot for foot, _, _ in found]).reshape(-1, 2)
    across = np.array([direction for _, direction, _ in found]).reshape(-1, 2)
    stretch = np.array([number for _, _, number in found], dtype=np.int64)
    return Crosscuts(feet, across, stretch, LineString(coords), reach)


def _run_on(coords: Floats, reach: float) -> Floats:
    start, end = coords[0] - coords[1], coords[-1] - coords[-2]
    return np.vstack([coords[0] + start / np.hypot(*start) * reach, coords, coords[-1] + end / np.hypot(*end) * reach])


def _square(coords: Floats, footprint: BaseGeometry, vertices: Floats) -> Iterator[tuple[Floats, Floats, int]]:
    """The sections square to each side of the axis, on both sides of each event."""
    own, number = shapely.get_coordinates(footprint), 0
    for start, end in pairwise(coords):
        length = float(np.hypot(*(end - start)))
        ahead = (end - start) / length
        least, most = max(((own - start) @ ahead).min(), 0.0), min(((own - start) @ ahead).max(), length)
        at = (vertices - start) @ ahead
        events = np.unique(np.concatenate([[least, most], at[(at > least) & (at < most)]]))
        for near, far in pairwise(events):
            number -= 1
            if far - near > 4 * _BESIDE_FT:
                looked = [near + _BESIDE_FT, far - _BESIDE_FT]
            else:
                looked = [(near + far) / 2] if far - near > _APART_FT else []
            yield from ((start + ahead * s, np.array([-ahead[1], ahead[0]]), number) for s in looked)


def _fans(
    coords: Floats, footprint: BaseGeometry, vertices: Floats, reach: float
) -> Iterator[tuple[Floats, Floats, int]]:
    """The sections about each vertex of the axis, from square to one side to square to the next."""
    steps = np.diff(coords, axis=0)
    bearings = np.arctan2(steps[:, 1], steps[:, 0])
    number = 0
    for k, vertex in enumerate(coords[1:-1], start=1):
        turn = (bearings[k] - bearings[k - 1] + np.pi) % (2 * np.pi) - np.pi
        outside = -np.sign(turn) * np.pi / 2  # from ahead to the outside of the bend
        rim = [vertex + reach * _unit(bearings[k - 1] + outside + turn * part) for part in (0.0, 0.5, 1.0)]
        if abs(turn) < _BESIDE_RAD or not shapely.intersects(footprint, Polygon([vertex, *rim])):
            continue
        away = vertices - vertex
        seen = (np.arctan2(away[:, 1], away[:, 0]) - bearings[k - 1]) % np.pi - np.pi / 2  # from square across
        part = seen / turn
        events = np.unique(np.concatenate([[0.0, 1.0], part[(part > 0) & (part < 1)]]))
        for near, far in pairwise(events):
            inset = min(_BESIDE_RAD / abs(turn), (far - near) / 4)
            for part_of in np.linspace(near + inset, far - inset, 2 + int((far - near) * abs(turn) / _IN_FAN_RAD)):
                number += 1
                yield vertex, _unit(bearings[k - 1] + np.pi / 2 + turn * part_of), number


def _unit(bearing: float) -> Floats:
    return np.array([np.cos(bearing), np.sin(bearing)])
