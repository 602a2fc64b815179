"""Extending streets past their ends: to the edge, up to a street of their own family, or on to a base line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString
from shapely.geometry.base import BaseGeometry

from gis.linework import Floats, Ints, cut, end_direction
from gis.rules import Reading
from gis.segments import crossing


@dataclass(frozen=True, eq=False)
class Blockers:
    """Lines that extensions stop before, as columns of shape (n,).

    Parameters
    ----------
    lines
        Straight pieces of streets on the ground, and of the extended base lines.
    owner
        The street each belongs to.
    family
        The family whose extensions it stops.
    tree
        Spatial index of the lines.
    """

    lines: NDArray[np.object_]
    owner: Ints
    family: NDArray[np.str_]
    tree: shapely.STRtree

    @classmethod
    def of(cls, rows: Sequence[tuple[Floats, int, str]]) -> Blockers:
        """Tabulate straight pieces.

        Parameters
        ----------
        rows
            Two vertices (shape (2, 2), feet), the owner and the family of each.

        Returns
        -------
        Blockers
            The table with its spatial index.
        """
        lines = [LineString(ends) for ends, _, _ in rows]
        owner, family = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])
        return cls(np.array(lines), owner, family, shapely.STRtree(lines))

    def near(self, shape: BaseGeometry, index: int, family: str, reach_ft: float) -> NDArray[np.object_]:
        """Return the lines of one family within reach of a shape, a street's own left out.

        Parameters
        ----------
        shape
            A point or line, feet.
        index
            The street whose own lines are left out.
        family
            The family wanted.
        reach_ft
            How near a line must come, feet.

        Returns
        -------
        numpy.ndarray
            The lines, shape (m,).
        """
        hits = self.tree.query(shape, predicate="dwithin", distance=reach_ft)
        return np.asarray(self.lines[hits[(self.owner[hits] != index) & (self.family[hits] == family)]])


def to_edge(coords: Floats, edge: BaseGeometry, reading: Reading, *, at_end: bool) -> Floats | None:
    """Return where a line carried straight on past one end leaves the edge.

    Parameters
    ----------
    coords
        Vertices, shape (n, 2), feet.
    edge
        Where extensions end.
    reading
        Settings of the reading.
    at_end
        Whether past the last vertex (or the first).

    Returns
    -------
    numpy.ndarray or None
        The point on the edge, shape (2,); None if the line ends outside.
    """
    end = coords[-1 if at_end else 0]
    if not edge.contains(shapely.Point(end)):
        return None
    ray = _ray(end, end_direction(coords, reading.extension_chord_ft, at_end=at_end), edge)
    return np.asarray(shapely.get_coordinates(ray.intersection(edge))[-1])


def _ray(start: Floats, direction: Floats, edge: BaseGeometry) -> LineString:
    """Return a straight line long enough to leave the edge from anywhere inside it."""
    xmin, ymin, xmax, ymax = edge.bounds
    return LineString([start, start + direction * 2 * np.hypot(xmax - xmin, ymax - ymin)])


def stop(
    coords: Floats,
    owner: tuple[int, str],
    blockers: Blockers,
    edge: BaseGeometry,
    reading: Reading,
    *,
    at_end: bool,
) -> Floats | None:
    """Return where a street's extension past one end stops (the reading of "if streets each way were so extended").

    Read as: straight on, until it first comes within `noded_ft` of a street of its own family or of the base line it
    parallels, or reaches the edge. An end already so near to one is not extended (§ 288-15 D).

    Parameters
    ----------
    coords
        Vertices of the street, shape (n, 2), feet.
    owner
        The street's index and its family.
    blockers
        What stops it.
    edge
        Where extensions end.
    reading
        Settings of the reading.
    at_end
        Whether past the last vertex (or the first).

    Returns
    -------
    numpy.ndarray or None
        The point where it stops, shape (2,); None where it does not begin.
    """
    near_ft = reading.noded_ft
    end = shapely.Point(coords[-1 if at_end else 0])
    own = _earlier(coords if at_end else coords[::-1], near_ft)
    if len(blockers.near(end, *owner, near_ft)) or any(end.distance(line) <= near_ft for line in own):
        return None
    reached = to_edge(coords, edge, reading, at_end=at_end)
    if reached is None:
        return None
    ray = LineString([coords[-1 if at_end else 0], reached])
    hits = [*blockers.near(ray, *owner, near_ft), *own]
    held = ray.intersection(shapely.unary_union(hits).buffer(near_ft, quad_segs=32))
    if held.is_empty:
        return reached
    first = min(ray.project(shapely.Point(p)) for p in shapely.get_coordinates(held))
    return np.asarray(shapely.get_coordinates(ray.interpolate(first))[0])


def _earlier(coords: Floats, near_ft: float) -> list[LineString]:
    """Return the part of a line that its own extension past the last vertex may meet: all but its very end."""
    line = LineString(coords)
    kept = line.length - 3 * near_ft
    if kept <= 3 * near_ft:
        return []
    return [LineString(cut(coords, np.zeros(len(coords) - 1, dtype=np.int64), [kept])[0][0])]


def ray_to(coords: Floats, target: Floats, chord_ft: float, length_ft: float, *, at_end: bool) -> Floats | None:
    """Carry a line straight on past one end until it reaches another line.

    Parameters
    ----------
    coords
        Vertices of the line carried on, shape (n, 2), feet.
    target
        Vertices of the line to be reached, shape (m, 2), feet.
    chord_ft
        The direction is that of the chord over this much of the end.
    length_ft
        How far it is carried at most.
    at_end
        Whether past the last vertex (or the first).

    Returns
    -------
    numpy.ndarray or None
        The point reached, shape (2,), or None.
    """
    end = coords[-1 if at_end else 0]
    step = end_direction(coords, chord_ft, at_end=at_end) * length_ft
    count = len(target) - 1
    along, _ = crossing(np.tile(end, (count, 1)), np.tile(step, (count, 1)), target[:-1], np.diff(target, axis=0))
    if np.isnan(along).all():
        return None
    return np.asarray(end + step * np.nanmin(along))
