"""Chaining: a street's pieces of linework, in any order and direction, to as few lines as they make."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import shapely
from shapely import LineString

from gis.linework import BRIDGE, Chain, Floats, Ints, cut, point_at


def chain(lines: Sequence[LineString], noded_ft: float, chord_ft: float) -> tuple[Chain, ...]:
    """Chain the pieces of one name to as few lines as they make.

    Ends within `noded_ft` of another piece are noded to it; at a branch the straightest pair continues; gaps are
    bridged straight between the nearest free ends first.

    Parameters
    ----------
    lines
        The pieces, in any order and direction, feet.
    noded_ft
        Ends and lines within this distance meet, feet.
    chord_ft
        Straightness at a branch is measured on chords of this length, feet.

    Returns
    -------
    tuple of Chain
        One chain, or several where the street branches; the longest first.
    """
    parts = _snapped(_noded(lines), noded_ft)
    paths = _paths(parts, chord_ft)
    return tuple(sorted(_bridged(paths), key=lambda path: -path.length))


class _Part(NamedTuple):
    coords: Floats
    piece: Ints


def _noded(lines: Sequence[LineString]) -> list[_Part]:
    """Split lines wherever they touch, drop doubled ones, and rejoin what runs on undivided."""
    merged = shapely.line_merge(shapely.unary_union(list(lines)))
    tree = shapely.STRtree(list(lines))
    parts = []
    for line in shapely.get_parts(merged):
        coords = shapely.get_coordinates(line)
        middles = shapely.points((coords[:-1] + coords[1:]) / 2)
        parts.append(_Part(coords, np.asarray(tree.nearest(middles), dtype=np.int64)))
    return sorted(parts, key=lambda part: part.coords.tolist())


def _snapped(parts: list[_Part], noded_ft: float) -> list[_Part]:
    """Move ends that lie within `noded_ft` of another end, or else of another part's line, onto it."""
    parts = _joined_ends(parts, noded_ft)
    cuts: dict[int, list[float]] = defaultdict(list)
    moves: list[tuple[int, int, int, float]] = []
    for index, end in _free_ends(parts):
        hit = _touched(parts, index, end, noded_ft)
        if hit:
            moves.append((index, end, *hit))
            cuts[hit[0]].append(hit[1])
    # all targets and cuts are found on the lines as they were: pieces that overlap move onto each other alike
    targets = [point_at(parts[other].coords, station) for _, _, other, station in moves]
    snapped = [
        [_Part(*pair) for pair in zip(*cut(part.coords, part.piece, cuts.get(index, [])), strict=True)]
        for index, part in enumerate(parts)
    ]
    for (index, end, _, _), target in zip(moves, targets, strict=True):
        snapped[index][end].coords[end] = target
    return [part for members in snapped for part in members]


def _joined_ends(parts: list[_Part], noded_ft: float) -> list[_Part]:
    """Bring ends within `noded_ft` of each other to one point: a junction's own, else their middle."""
    ends = [(i, end) for i in range(len(parts)) for end in (0, -1)]
    points = np.array([parts[i].coords[end] for i, end in ends])
    free = set(_free_ends(parts))
    cluster = list(range(len(ends)))
    for a, b in combinations(range(len(ends)), 2):
        short = ends[a][0] == ends[b][0] and _length(parts[ends[a][0]].coords) <= 2 * noded_ft
        if not short and np.hypot(*(points[a] - points[b])) <= noded_ft:
            cluster = [cluster[a] if c == cluster[b] else c for c in cluster]
    for label in set(cluster):
        members = [k for k, c in enumerate(cluster) if c == label]
        fixed = [k for k in members if ends[k] not in free]
        target = points[fixed or members].mean(axis=0)
        for k in members:
            parts[ends[k][0]].coords[ends[k][1]] = target
    return [part for part in parts if _length(part.coords) > 0]


def _free_ends(parts: list[_Part]) -> list[tuple[int, int]]:
    """List (part, end) of the ends that no other end shares."""
    seen: dict[tuple[float, float], list[tuple[int, int]]] = defaultdict(list)
    for index, part in enumerate(parts):
        for end in (0, -1):
            seen[_key(part.coords[end])].append((index, end))
    return [users[0] for users in seen.values() if len(users) == 1]


def _touched(parts: list[_Part], index: int, end: int, noded_ft: float) -> tuple[int, float] | None:
    """Return (part, station) of the nearest line within `noded_ft` of an end, its own far side included."""
    point = shapely.Point(parts[index].coords[end])
    best: tuple[float, int, float] | None = None
    for other, part in enumerate(parts):
        line, skipped = LineString(part.coords), 0.0
        if other == index:
            if line.length <= 6 * noded_ft:
                continue
            near, far = (3 * noded_ft, line.length) if end == 0 else (0.0, line.length - 3 * noded_ft)
            line, skipped = LineString(cut(part.coords, part.piece, (near, far))[0][1 if end == 0 else 0]), near
        away = line.distance(point)
        if away <= noded_ft and (best is None or away < best[0]):
            best = (away, other, skipped + line.project(point))
    return best[1:] if best else None


def _paths(parts: list[_Part], chord_ft: float) -> list[tuple[Chain, tuple[bool, bool], int]]:
    """Walk parts through their nodes: each path with which of its ends are free and its component."""
    at_node: dict[tuple[float, float], list[tuple[int, int]]] = defaultdict(list)
    for index, part in enumerate(parts):
        for end in (0, -1):
            at_node[_key(part.coords[end])].append((index, end))
    partner: dict[tuple[int, int], tuple[int, int]] = {}
    for ends in at_node.values():
        for a, b in _continuing(parts, ends, chord_ft):
            partner[a], partner[b] = b, a
    free = {ends[0] for ends in at_node.values() if len(ends) == 1}
    component = _components(len(parts), at_node.values())
    paths = []
    left = set(range(len(parts)))
    starts = [(i, end) for i in range(len(parts)) for end in (0, -1) if (i, end) not in partner]
    for start in [*starts, *((i, 0) for i in range(len(parts)))]:
        if start[0] in left:
            walked = _walk(parts, partner, start, left)
            last = walked[-1][0], -1 if walked[-1][1] == 0 else 0
            coords, piece = _joined([_oriented(parts[i], end) for i, end in walked])
            closed = bool(start in partner)
            paths.append((Chain(coords, piece, closed), (start in free, last in free), component[start[0]]))
    return paths


def _continuing(
    parts: list[_Part], ends: list[tuple[int, int]], chord_ft: float
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Pair the ends at a node: two run on; of more, the straightest pair, then any other that turns under 90."""
    if len(ends) == 2:
        return [(ends[0], ends[1])]
    away = {end: _leaving(parts[end[0]], end[1], chord_ft) for end in ends}
    pairs: list[tuple[tuple[int, int], tuple[int, int]]] = []
    left = list(ends)
    while len(left) > 1:
        turned = [(_turn_deg(away[a], away[b]), a, b) for a, b in combinations(left, 2)]
        straightest = min(turn for turn, _, _ in turned)
        if pairs and straightest >= 90:
            break
        tied = [(a, b) for turn, a, b in turned if turn <= straightest + 0.1]
        best = min(tied, key=lambda pair: _rank(parts, pair, away))
        pairs.append(best)
        left = [end for end in left if end not in best]
    return pairs


def _rank(
    parts: list[_Part], pair: tuple[tuple[int, int], tuple[int, int]], away: dict[tuple[int, int], Floats]
) -> tuple[float, list[tuple[float, float]]]:
    """Rank pairs that run equally straight: the longer first; of equal ones the one that leaves south, then west."""
    length = sum(_length(parts[i].coords) for i, _ in pair)
    return -round(length, 2), sorted((round(float(away[e][1]), 2), round(float(away[e][0]), 2)) for e in pair)


def _leaving(part: _Part, end: int, chord_ft: float) -> Floats:
    """Direction in which a part leaves its end, on a chord of `chord_ft`."""
    coords = part.coords if end == 0 else part.coords[::-1]
    return np.asarray(point_at(coords, chord_ft) - coords[0])


def _turn_deg(leaving: Floats, other: Floats) -> float:
    """Angle turned in passing from one part to another at a node; 0 runs straight through."""
    cross, dot = leaving[0] * other[1] - leaving[1] * other[0], leaving @ other
    return float(180 - np.degrees(np.arctan2(abs(cross), dot)))


def _components(count: int, nodes: Iterable[list[tuple[int, int]]]) -> list[int]:
    label = list(range(count))
    for ends in nodes:
        for index, _ in ends[1:]:
            label = [label[ends[0][0]] if c == label[index] else c for c in label]
    return label


def _walk(
    parts: list[_Part],
    partner: dict[tuple[int, int], tuple[int, int]],
    start: tuple[int, int],
    left: set[int],
) -> list[tuple[int, int]]:
    """Follow partners from an end; returns (part, entered end) in order and takes the parts from `left`."""
    walked, at = [], start
    while at[0] in left:
        left.discard(at[0])
        walked.append(at)
        onward = partner.get((at[0], -1 if at[1] == 0 else 0))
        if onward is None:
            break
        at = onward
    return walked


def _oriented(part: _Part, entered: int) -> _Part:
    return part if entered == 0 else _Part(part.coords[::-1], part.piece[::-1])


def _joined(parts: Sequence[_Part]) -> tuple[Floats, Ints]:
    coords = np.vstack([parts[0].coords, *(part.coords[1:] for part in parts[1:])])
    return coords, np.concatenate([part.piece for part in parts])


def _bridged(paths: list[tuple[Chain, tuple[bool, bool], int]]) -> list[Chain]:
    """Bridge gaps between components, nearest free ends first, until none is left that can be."""
    while True:
        ends = [(k, e) for k, (_, free, _) in enumerate(paths) for e in (0, 1) if free[e]]
        gaps = [
            (np.hypot(*(_end(paths[a[0]], a[1]) - _end(paths[b[0]], b[1]))), a, b)
            for a, b in combinations(ends, 2)
            if paths[a[0]][2] != paths[b[0]][2]
        ]
        if not gaps:
            return [path for path, _, _ in paths]
        _, (i, e), (j, f) = min(gaps)
        first, second = paths[i], paths[j]
        head = first[0] if e == 1 else first[0].reversed()
        tail = second[0] if f == 0 else second[0].reversed()
        chained = Chain(np.vstack([head.coords, tail.coords]), np.concatenate([head.piece, [BRIDGE], tail.piece]))
        freed = (first[1][1 - e], second[1][1 - f])
        paths = [
            (path, free, first[2] if component == second[2] else component)
            for k, (path, free, component) in enumerate(paths)
            if k not in (i, j)
        ]
        paths.append((chained, freed, first[2]))


def _end(path: tuple[Chain, tuple[bool, bool], int], end: int) -> Floats:
    return np.asarray(path[0].coords[0 if end == 0 else -1])


def _length(coords: Floats) -> float:
    return float(np.hypot(*np.diff(coords, axis=0).T).sum())


def _key(point: Floats) -> tuple[float, float]:
    return round(float(point[0]), 3), round(float(point[1]), 3)
