"""The unobstructed width of a sidewalk with fixtures on it (§ 288-7 C(3))."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString, Point, Polygon, STRtree
from shapely.geometry.base import BaseGeometry

from gis.errors import GeometryError
from gis.measure import Checked, Drawn, Judged, Measured, Verdict, held, rss
from gis.walk_edges import WalkEdges, sides_of, walk_edges

SECTION = "§ 288-7 C(3)"

_NOISE_FT = 1e-6
_LIMIT = "In no event shall the fixture reduce the unobstructed sidewalk width to less than three feet at any point."
_IMPEDE = "shall not significantly impede the flow of pedestrian traffic on the sidewalk"
_SETTLES = "Tape the narrowest gap, square across it, on the walk."

Shapes = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Gap:
    """The gap that decides how wide a disc can be carried along a walk.

    Parameters
    ----------
    width_ft
        The widest disc's diameter, feet; 0 where the walk is blocked.
    line
        Across the gap; a point where the walk is blocked. Working CRS, US survey feet.
    """

    width_ft: float
    line: LineString | Point


def clear_width(
    walk: Polygon,
    fixtures: Sequence[BaseGeometry],
    *,
    fixed: Sequence[BaseGeometry] = (),
    along: LineString | None = None,
    limit_ft: float,
    position_accuracy_ft: float = 0.0,
    walk_accuracy_ft: float = 0.0,
) -> Checked:
    """Check the width that fixtures leave clear on a sidewalk.

    "In no event shall the fixture reduce the unobstructed sidewalk width to less than three feet at any point"
    (§ 288-7 C(3)). Read as: the widest disc that can be carried along the walk from one end to the other. "Reduce" is
    read as narrower than without the fixtures: fixtures that leave a narrow walk as it was comply. Whether the fixture
    does "significantly impede the flow of pedestrian traffic" stays with an officer at any width.

    Parameters
    ----------
    walk
        The sidewalk, valid; its holes, such as tree pits, obstruct it. Working CRS, US survey feet.
    fixtures
        What was placed on it, each valid; only what lies on the walk counts.
    fixed
        What stands there anyway, such as poles: it counts with the fixtures and without them.
    along
        A line along the walk, such as the curb; without one the edges are found in the walk's outline.
    limit_ft
        The width of the ordinance, feet: 3.
    position_accuracy_ft
        Accuracy of the fixtures' position at 95 %, feet.
    walk_accuracy_ft
        Accuracy of the walk's edges at 95 %, feet.

    Returns
    -------
    Checked
        Rows `clear_width_ft`, `clear_width_without_ft` and `impedes`; the walk, its edges, what stands on it and the
        gaps.

    Raises
    ------
    GeometryError
        The walk or something on it is empty, or the walk's edges cannot be told.
    """
    for field, shapes in (("walk", [walk]), ("fixtures", fixtures), ("fixed", fixed)):
        if any(shape.is_empty for shape in shapes):
            raise GeometryError.of(field, "an empty shape", "a shape with an extent")
    edges = walk_edges(walk, along)
    standing = [*(Polygon(hole) for hole in walk.interiors), *fixed]
    without = widest(walk, standing, edges)
    found = widest(walk, [*standing, *fixtures], edges)
    uncertainty = rss(position_accuracy_ft, walk_accuracy_ft)
    reduced = _reduced(found, without)
    may_reduce = reduced or _may_reduce(walk, standing, fixtures, edges, without, uncertainty)
    row = held(
        "clear_width_ft", Measured(found.width_ft, uncertainty), limit_ft, SECTION, at_most=False, settles=_SETTLES
    )
    row = _read(row, without.width_ft, limit_ft, reduced=reduced, may_reduce=may_reduce)
    return Checked((row, *_further_rows(without.width_ft)), _drawn(walk, edges, fixtures, fixed, found, without))


def taped_clear_width(measured: Measured, limit_ft: float) -> Checked:
    """Check a clear width that was taped on the walk (§ 288-7 C(3)).

    Parameters
    ----------
    measured
        The narrowest clear width along the walk, with the tape's own tolerance.
    limit_ft
        The width of the ordinance, feet: 3.

    Returns
    -------
    Checked
        The rows of `clear_width`; the width without the fixtures is not known.
    """
    return Checked((_row(measured, limit_ft), *_further_rows(None)))


def _row(measured: Measured, limit_ft: float) -> Judged:
    quantity, note = "clear_width_ft", f"“{_LIMIT}”"
    return held(quantity, measured, limit_ft, SECTION, at_most=False, settles=_SETTLES, note=note)


def widest(walk: Polygon, obstacles: Sequence[BaseGeometry], edges: WalkEdges) -> Gap:
    """Find the widest disc that can be carried along a walk between obstacles, and the gap that decides it.

    The disc is stopped by a chain of obstacles from one edge to the other each of whose gaps is less than the disc.
    So its diameter is, over all such chains, the smallest of the largest gap in a chain. It may overhang the walk's
    ends, but not its edges; a gap is measured on the walk, never over the ground beside it.

    Parameters
    ----------
    walk
        The sidewalk; its holes do not obstruct it unless they are among the obstacles.
    obstacles
        Working CRS, US survey feet; only what lies on the walk counts.
    edges
        The walk's edges and ends.

    Returns
    -------
    Gap
        The gap.
    """
    filled = Polygon(walk.exterior)
    nodes = np.array([*edges.edges, *(part for shape in obstacles for part in _on(filled, shape))], dtype=object)
    behind = [hull for hull in map(shapely.convex_hull, edges.ends) if isinstance(hull, Polygon)]
    room = shapely.union_all([filled, *behind])
    room = room.buffer(_NOISE_FT, join_style="mitre")  # the ends of a gap lie on the edges but for rounding
    shapely.prepare(room)
    across = [_straight(end) for end in edges.ends]
    return _bottleneck(nodes, min(across, key=lambda line: line.length), room)


def _on(walk: Polygon, shape: BaseGeometry) -> list[BaseGeometry]:
    """The connected parts of a shape on the walk; an area that only touches the walk has none."""
    return [part for whole in _parts(shape) for part in _parts(shapely.intersection(whole, walk), of=whole)]


def _parts(shape: BaseGeometry, of: BaseGeometry | None = None) -> list[BaseGeometry]:
    parts = [shape] if not hasattr(shape, "geoms") else [p for g in shape.geoms for p in _parts(g)]
    dimension = -1 if of is None else shapely.get_dimensions(of)
    return [p for p in parts if not p.is_empty and shapely.get_dimensions(p) >= dimension]


def _straight(line: LineString) -> LineString:
    return LineString([line.coords[0], line.coords[-1]])


def _bottleneck(nodes: Shapes, across: LineString, room: BaseGeometry) -> Gap:
    """The largest gap on the way from the first node to the second that keeps the largest gap smallest.

    From the first edge on, the obstacle with the smallest gap to what is reached is reached next. `across` is a gap
    between the two edges to begin with: that along an end of the walk.
    """
    gaps: Shapes = np.full(len(nodes), None, dtype=object)
    keys = np.full(len(nodes), np.inf)
    keys[1], gaps[1] = across.length, across
    waiting = np.arange(len(nodes)) > 0
    at, largest = 0, 0.0
    deciding: LineString = across
    while waiting[1]:
        _reach(nodes, at, np.flatnonzero(waiting), keys, gaps, room)
        at = int(np.argmin(np.where(waiting, keys, np.inf)))
        waiting[at] = False
        if keys[at] >= largest:
            largest, deciding = float(keys[at]), gaps[at]
    return Gap(largest, deciding if deciding.length else Point(deciding.coords[0]))


def _reach(
    nodes: Shapes, at: int, others: NDArray[np.int64], keys: NDArray[np.float64], gaps: Shapes, room: BaseGeometry
) -> None:
    """Shorten the gaps of the nodes that wait by those to a node that is reached.

    A gap longer than that between the two edges decides nothing. One whose shortest line leaves the walk is looked for
    between the sides of the two shapes.
    """
    away = shapely.distance(nodes[at], nodes[others])
    others = others[away < np.minimum(keys[others], keys[1])]
    lines = shapely.shortest_line(nodes[at], nodes[others])
    lengths = shapely.length(lines)
    inside = (lengths <= _NOISE_FT) | shapely.covers(room, lines)
    keys[others[inside]], gaps[others[inside]] = lengths[inside], lines[inside]
    for other, least in zip(others[~inside], lengths[~inside], strict=True):
        line = _between_sides(nodes[at], nodes[other], room, float(least), float(min(keys[other], keys[1])))
        if line is not None:
            keys[other], gaps[other] = line.length, line


def _between_sides(
    one: BaseGeometry, other: BaseGeometry, room: BaseGeometry, least_ft: float, most_ft: float
) -> LineString | None:
    """The shortest line within the walk that is the shortest between a side of one shape and a side of another.

    That is enough: where a shorter line within the walk joins two sides, it touches an edge of the walk on its way,
    and the two gaps to that edge are both shorter.
    """
    tree, sides, reach = STRtree(_sides(other)), _sides(one), least_ft
    while reach < most_ft:
        reach = min(2 * reach + _NOISE_FT, most_ft)
        from_, to = tree.query(sides, predicate="dwithin", distance=reach)
        lines = shapely.shortest_line(sides[from_], tree.geometries[to])
        lengths = shapely.length(lines)
        for k in np.argsort(lengths, kind="stable"):
            line: LineString = lines[k]
            if lengths[k] < most_ft and room.covers(line):
                return line
    return None


def _sides(shape: BaseGeometry) -> Shapes:
    """The sides of a shape's outline, or of a line; of a point the point."""
    if isinstance(shape, Point):
        return np.array([shape], dtype=object)
    rings = shapely.get_rings(shape) if isinstance(shape, Polygon) else np.array([shape], dtype=object)
    return np.concatenate([sides_of(shapely.get_coordinates(ring)) for ring in rings])


def _reduced(found: Gap, without: Gap) -> bool:
    return without.width_ft - found.width_ft > _NOISE_FT


def _may_reduce(
    walk: Polygon,
    standing: Sequence[BaseGeometry],
    fixtures: Sequence[BaseGeometry],
    edges: WalkEdges,
    without: Gap,
    uncertainty_ft: float,
) -> bool:
    """Whether fixtures that do not reduce the width where they were placed would somewhere within the uncertainty."""
    if not uncertainty_ft or not fixtures:
        return False
    grown = [shape.buffer(uncertainty_ft) for shape in fixtures]
    return _reduced(widest(walk, [*standing, *grown], edges), without)


def _read(row: Judged, without_ft: float, limit_ft: float, *, reduced: bool, may_reduce: bool) -> Judged:
    """Read "reduce": a walk that is itself narrower than the limit is not reduced to it by what leaves it as it was."""
    if row.verdict is Verdict.COMPLIES:
        return row
    itself = f"The walk itself is {without_ft:.2f} ft wide at its narrowest"
    if not may_reduce:
        return replace(row, verdict=Verdict.COMPLIES, settles="", note=f"{itself}: the fixtures do not reduce it.")
    by_ft, unsure_ft = without_ft - float(row.value or 0.0), row.uncertainty or 0.0
    narrow = without_ft < limit_ft - _NOISE_FT
    if not reduced or (narrow and by_ft <= unsure_ft):
        note = f"{itself}; whether the fixtures reduce it lies within the uncertainty." if narrow else row.note
        settles = "Tape the walk's own width at its narrowest, and the narrowest gap that the fixtures leave."
        return replace(row, verdict=Verdict.UNDECIDED, settles=settles, note=note)
    return row


def _further_rows(without_ft: float | None) -> tuple[Judged, Judged]:
    known = without_ft is not None
    without = Judged(
        "clear_width_without_ft",
        Verdict.NOT_CHECKED,
        SECTION,
        value=without_ft,
        unit="ft",
        note="The same width without the fixtures: nothing is held against it." if known else "It was not taped.",
    )
    impedes = Judged(
        "impedes",
        Verdict.OFFICER,
        SECTION,
        settles="An officer, on the spot.",
        note=f"“The placement of the fixture {_IMPEDE}.” Three feet is a floor, not the whole test.",
    )
    return without, impedes


def _drawn(
    walk: Polygon,
    edges: WalkEdges,
    fixtures: Sequence[BaseGeometry],
    fixed: Sequence[BaseGeometry],
    found: Gap,
    without: Gap,
) -> tuple[Drawn, ...]:
    return (
        Drawn("walk", "sidewalk", walk),
        *(Drawn("edge", "edge of the walk", edge) for edge in edges.edges),
        *(Drawn("object", "fixture", shape) for shape in fixtures),
        *(Drawn("fixed", "stands there anyway", shape) for shape in fixed),
        Drawn("gap_without", f"{without.width_ft:.2f} ft without the fixtures", without.line),
        Drawn("gap", f"{found.width_ft:.2f} ft", found.line),
    )
