"""An officer's edits of a village's streets: names, kinds, block lines, base lines, pieces split, joined, drawn.

They are applied to the linework before a Street Numbering Map is derived from it, so that families, blocks and numbers
follow by the ordinary rules (§ 288-15 C and D). A piece is meant by its street and a point on it, never by its place in
a file, so that an edit can be carried over to a later proposal; one that matches nothing there is told, and does
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from shapely import LineString, Point
from shapely.ops import substring

from gis.errors import EditError
from gis.network import BLOCK_LINES, KINDS, Piece

NAME, KIND, BLOCK_LINE, BASE_LINE = "name", "kind", "block_line", "base_line"
SPLIT, JOIN, REMOVE, DRAW = "split", "join", "remove", "draw"
STREET_KINDS = (NAME, KIND, BLOCK_LINE, BASE_LINE, SPLIT, JOIN, REMOVE, DRAW)
"""What an edit of streets does."""
NAME_STATUSES = ("confirmed", "inferred", "placeholder")
ROLES = ("ew", "ns")
"""The east-west base line and the north-south one."""
OF_PIECES = (NAME, KIND, BLOCK_LINE, REMOVE)
"""Edits of a whole street, or of one piece where a point is given."""

NEAR_FT = 50.0
"""How far from its point a piece may lie: linework that is drawn anew moves by some tens of feet."""
MET_FT = 5.0
"""Ends so near are one place, as the reading's `noded_ft` has it."""
_SAME_SHARE = 0.05
_ALONG_DEG = 15.0
"""A line that turns from a street's by less runs along it; one that turns by more meets or crosses it."""
_STEP_FT = 10.0
_MOST_TURN_DEG = 175.0
"""A line that turns by more runs back on itself."""
_MOST_TOLD = 3

Point2 = tuple[float, float]


@dataclass(frozen=True)
class StreetEdit:
    """One edit of a village's streets.

    Parameters
    ----------
    kind
        One of `STREET_KINDS`.
    street
        The street's name; of a street that is drawn, the one it gets.
    at
        A point on the piece that is meant, working CRS, feet; None for the whole street.
    length_ft
        Length of that piece when the edit was made, feet: a piece of quite another length is another. 0 is not asked.
    to
        The new name, kind or block line; ``"ew"`` or ``"ns"`` for a base line; the kind of a street that is drawn.
    name_status
        Of a name that is given: one of `NAME_STATUSES`.
    block_line
        Of a street that is drawn: one of `gis.network.BLOCK_LINES`.
    line
        Vertices of a street that is drawn, working CRS, feet.
    accuracy_ft
        Its accuracy at 95 %, feet.
    reason, by, on
        The officer's reason, name and day.
    """

    kind: str
    street: str
    at: Point2 | None = None
    length_ft: float = 0.0
    to: str = ""
    name_status: str = ""
    block_line: str = "auto"
    line: tuple[Point2, ...] = ()
    accuracy_ft: float = 0.0
    reason: str = ""
    by: str = ""
    on: str = ""

    @property
    def because(self) -> str:
        """The reason, with name and day as far as they are given."""
        signed = ", ".join(part for part in (self.by, self.on) if part)
        return " ".join(part for part in (self.reason, f"({signed})" if signed else "") if part)

    @property
    def place(self) -> str:
        """Where it applies, in words.

        Examples
        --------
        >>> StreetEdit("kind", "Alma Street", (440.0, 10.0), to="alley").place
        'kind of the piece of Alma Street at (440, 10)'
        """
        where = "" if self.at is None else f"the piece of {self.street} at ({self.at[0]:.0f}, {self.at[1]:.0f})"
        return f"{self.kind} of {where or self.street}"


@dataclass(frozen=True)
class Plan:
    """What a map is derived from: the pieces and which streets are the base lines.

    Parameters
    ----------
    pieces
        The linework.
    base_ew, base_ns
        Names of the east-west and of the north-south base line.
    """

    pieces: tuple[Piece, ...]
    base_ew: str
    base_ns: str


def check_street_edit(edit: StreetEdit) -> None:
    """Refuse an edit that no linework could take.

    Parameters
    ----------
    edit
        The edit.

    Raises
    ------
    EditError
        Naming the field, what was found and what is expected.
    """
    if edit.kind not in STREET_KINDS:
        raise EditError.of("kind", edit.kind, f"one of {', '.join(STREET_KINDS)}")
    words = {KIND: KINDS, BLOCK_LINE: BLOCK_LINES, BASE_LINE: ROLES, DRAW: KINDS}.get(edit.kind)
    if words and edit.to not in words:
        raise EditError.of("to", edit.to or "nothing", f"one of {', '.join(words)}")
    if edit.kind == NAME and not edit.to.strip():
        raise EditError.of("to", "nothing", "the street's name")
    if edit.kind in {NAME, DRAW} and edit.name_status not in NAME_STATUSES:
        raise EditError.of("name_status", edit.name_status or "nothing", f"one of {', '.join(NAME_STATUSES)}")
    if edit.kind == DRAW and edit.block_line not in BLOCK_LINES:
        raise EditError.of("block_line", edit.block_line, f"one of {', '.join(BLOCK_LINES)}")
    if edit.kind in {SPLIT, JOIN} and edit.at is None:
        raise EditError.of("at", "nothing", "a point on the street")
    if edit.at is not None and not all(map(math.isfinite, edit.at)):
        raise EditError.of("at", edit.at, "two coordinates in feet")
    if edit.kind == DRAW:
        _check_line(edit)


def _check_line(edit: StreetEdit) -> None:
    flat = [value for point in edit.line for value in point]
    if not all(map(math.isfinite, flat)):
        raise EditError.of("line", "a coordinate that is no finite number", "coordinates in feet")
    if not (math.isfinite(edit.accuracy_ft) and edit.accuracy_ft >= 0):
        raise EditError.of("accuracy_ft", edit.accuracy_ft, "feet, 0 or more")
    if len(dict.fromkeys(edit.line)) < 2:
        raise EditError.of("line", f"{len(dict.fromkeys(edit.line))} different points", "two or more")
    length = LineString(edit.line).length
    if length <= MET_FT:
        raise EditError.of("line", f"a line of {length:.1f} ft", f"a line of more than {MET_FT:g} ft")
    found = _again(edit.line) or _turned(edit.line) or _crossed(edit.line)
    if found:
        raise EditError.of("line", found, "a line that goes on from point to point; it may end where it begins")


def _again(line: Sequence[Point2]) -> str:
    """Say which points of a line are there twice; one that ends where it begins is a closed loop."""
    loop = len(line) > 3 and line[0] == line[-1]
    first: dict[Point2, int] = {}
    told = [
        f"point {number} where point {first[point]} is"
        for number, point in enumerate(line[:-1] if loop else line, 1)
        if first.setdefault(point, number) != number
    ]
    return "; ".join(told[:_MOST_TOLD])


def _turned(line: Sequence[Point2]) -> str:
    """Say at which points a line runs back on itself."""
    steps = np.diff(np.asarray(line), axis=0)
    turn = np.degrees([math.atan2(a[0] * b[1] - a[1] * b[0], a @ b) for a, b in pairwise(steps)])
    told = [f"a line that turns back at point {k + 2}" for k in np.flatnonzero(np.abs(turn) > _MOST_TURN_DEG)]
    return "; ".join(told[:_MOST_TOLD])


def _crossed(line: Sequence[Point2]) -> str:
    """Say between which points a line meets itself again."""
    parts = shapely.linestrings(list(pairwise(line)))
    pairs = shapely.STRtree(parts).query(parts, predicate="intersects").T
    loop = line[0] == line[-1]
    told = [
        f"a line that from point {a + 1} to {a + 2} crosses itself from point {b + 1} to {b + 2}"
        for a, b in sorted((int(a), int(b)) for a, b in pairs)
        if b > a + 1 and not (loop and (a, b) == (0, len(parts) - 1))
    ]
    return "; ".join(told[:_MOST_TOLD])


def piece_at(pieces: Sequence[Piece], street: str, at: Point2, within_ft: float = NEAR_FT) -> int | None:
    """Return which piece of a street a point means.

    Parameters
    ----------
    pieces
        The linework.
    street
        The street's name.
    at
        The point, feet.
    within_ft
        How far off it may be, feet.

    Returns
    -------
    int or None
        Index of the nearest piece of the street, the first of equal ones; None where none is within reach.

    Examples
    --------
    >>> alma = Piece("Alma Street", LineString([(440, 0), (440, 330)]))
    >>> piece_at([alma], "Alma Street", (460.0, 100.0)), piece_at([alma], "Alma Street", (490.1, 100.0))
    (0, None)
    """
    away = [(p.line.distance(Point(at)), k) for k, p in enumerate(pieces) if p.name == street]
    distance, index = min(away, default=(math.inf, -1))
    return index if distance <= within_ft else None


def settled(plan: Plan, edit: StreetEdit, within_ft: float = NEAR_FT) -> StreetEdit:
    """Return an edit whose point is on the linework as it is now, so that it is found again later.

    Of an edit of a piece the point becomes the piece's middle and its length is kept; a split is put on the line; a
    join at the nearest end of one of the street's pieces.

    Parameters
    ----------
    plan
        What it is to be applied to.
    edit
        The edit, with the point an officer gave.
    within_ft
        How far from the street that point may lie, feet.

    Returns
    -------
    StreetEdit
        The edit.

    Raises
    ------
    EditError
        No piece of the street lies at the point.
    """
    check_street_edit(edit)
    if edit.at is None or edit.kind in {DRAW, BASE_LINE}:
        return replace(edit, at=None, length_ft=0.0)
    index = _found(plan, edit, within_ft)
    line = plan.pieces[index].line
    if edit.kind == JOIN:
        ends = [end for p in plan.pieces if p.name == edit.street for end in _ends(p.line)]
        near = min(ends, key=lambda end: math.dist(end, edit.at or end))
        return replace(edit, at=near, length_ft=0.0)
    on_line = line.interpolate(line.project(Point(edit.at)) if edit.kind == SPLIT else line.length / 2)
    length = 0.0 if edit.kind == SPLIT else float(line.length)
    return replace(edit, at=(float(on_line.x), float(on_line.y)), length_ft=length)


def apply(plan: Plan, edit: StreetEdit) -> Plan:
    """Apply one edit to a village's streets.

    Parameters
    ----------
    plan
        Pieces and base lines.
    edit
        The edit.

    Returns
    -------
    Plan
        The pieces and base lines after it; a piece that was split is followed by its other part.

    Raises
    ------
    EditError
        The edit is none, or no street, piece or end answers to it.
    """
    check_street_edit(edit)
    if edit.kind == BASE_LINE:
        return _based(plan, edit)
    if edit.kind == DRAW:
        return _drawn(plan, edit)
    if edit.kind == SPLIT:
        return _split(plan, edit)
    if edit.kind == JOIN:
        return _joined(plan, edit)
    members = _members(plan, edit)
    if edit.kind == REMOVE:
        return replace(plan, pieces=tuple(p for k, p in enumerate(plan.pieces) if k not in members))
    changes: dict[str, Any] = {
        NAME: {"name": edit.to, "name_status": edit.name_status},
        KIND: {"kind": edit.to},
        BLOCK_LINE: {"block_line": edit.to},
    }[edit.kind]
    pieces = tuple(replace(p, **changes) if k in members else p for k, p in enumerate(plan.pieces))
    named = edit.kind == NAME and edit.street not in {p.name for p in pieces}
    bases: dict[str, Any] = {f: edit.to for f in ("base_ew", "base_ns") if named and getattr(plan, f) == edit.street}
    return replace(plan, pieces=pieces, **bases)


def applied(plan: Plan, edits: Sequence[StreetEdit]) -> tuple[Plan, tuple[StreetEdit, ...]]:
    """Apply edits in the order they were made.

    Parameters
    ----------
    plan
        Pieces and base lines.
    edits
        The edits.

    Returns
    -------
    tuple
        The plan after them, and those that nothing answered to, so that they did nothing.
    """
    unmatched = []
    for edit in edits:
        try:
            plan = apply(plan, edit)
        except EditError:
            unmatched.append(edit)
    return plan, tuple(unmatched)


def _members(plan: Plan, edit: StreetEdit) -> set[int]:
    """Return the indices of the pieces an edit is of."""
    if edit.at is not None:
        return {_found(plan, edit)}
    members = {k for k, piece in enumerate(plan.pieces) if piece.name == edit.street}
    if not members:
        raise EditError.of("street", edit.street, "a street of this version of the map")
    return members


def _found(plan: Plan, edit: StreetEdit, within_ft: float = NEAR_FT) -> int:
    assert edit.at is not None
    index = piece_at(plan.pieces, edit.street, edit.at, within_ft)
    if index is None:
        where = f"({edit.at[0]:,.0f}, {edit.at[1]:,.0f})"
        raise EditError.of("at", f"{where}, where no piece of {edit.street} lies", f"a point within {within_ft:g} ft")
    length = plan.pieces[index].line.length
    if edit.length_ft and abs(length - edit.length_ft) > max(2 * MET_FT, _SAME_SHARE * edit.length_ft):
        found = f"a piece of {edit.street} of {length:,.0f} ft"
        raise EditError.of("at", found, f"the piece of {edit.length_ft:,.0f} ft that was edited")
    return index


def along_ft(line: LineString, street: LineString, within_ft: float) -> float:
    """Return how much of a line runs along a street, within its right-of-way.

    Parameters
    ----------
    line
        The line, working CRS, feet.
    street
        The street's line.
    within_ft
        Half the right-of-way, feet; beyond the street's ends there is none.

    Returns
    -------
    float
        Feet. What crosses the street, or leaves it at 15 degrees or more, is not counted.

    Examples
    --------
    >>> main = LineString([(0, 0), (900, 0)])
    >>> along_ft(LineString([(300, 6), (800, 6), (800, 400)]), main, 33.0)
    500.0
    """
    if line.distance(street) > within_ft:
        return 0.0
    kept = line.intersection(street.buffer(within_ft, cap_style="flat"))
    told = 0.0
    for part in shapely.get_parts(shapely.segmentize(kept, _STEP_FT)):  # a point has no step
        coords = np.asarray(part.coords)[:, :2]
        steps = coords[1:] - coords[:-1]
        middle = shapely.line_locate_point(street, shapely.points((coords[1:] + coords[:-1]) / 2))
        low = np.clip(middle - _STEP_FT / 2, 0.0, max(street.length - _STEP_FT, 0.0))
        near, far = (shapely.line_interpolate_point(street, s) for s in (low, low + min(_STEP_FT, street.length)))
        way = shapely.get_coordinates(far) - shapely.get_coordinates(near)
        across = way[:, 0] * steps[:, 1] - way[:, 1] * steps[:, 0]
        turned = np.abs(np.degrees(np.arctan2(across, (way * steps).sum(axis=1))))
        told += float(np.hypot(steps[:, 0], steps[:, 1])[np.minimum(turned, 180 - turned) < _ALONG_DEG].sum())
    return told


def _based(plan: Plan, edit: StreetEdit) -> Plan:
    if edit.street not in {piece.name for piece in plan.pieces}:
        raise EditError.of("street", edit.street, "a street of this version of the map")
    return replace(plan, base_ew=edit.street) if edit.to == "ew" else replace(plan, base_ns=edit.street)


def _drawn(plan: Plan, edit: StreetEdit) -> Plan:
    line = LineString(edit.line)
    own = [piece.line for piece in plan.pieces if piece.name == edit.street]
    if own:
        there = shapely.union_all(own).buffer(MET_FT)
        if line.intersection(there).length > line.length / 2:
            raise EditError.of("line", f"a line that {edit.street} has already", "a street that is not there yet")
    known = {"kind": edit.to, "block_line": edit.block_line, "name_status": edit.name_status}
    piece = Piece(edit.street, line, **known, accuracy_ft=edit.accuracy_ft, source="drawn by an officer")
    return replace(plan, pieces=(*plan.pieces, piece))


def _split(plan: Plan, edit: StreetEdit) -> Plan:
    assert edit.at is not None
    index = _found(plan, edit)
    piece = plan.pieces[index]
    at = piece.line.project(Point(edit.at))
    ends = min(at, piece.line.length - at)
    if ends <= MET_FT:
        expected = f"a point more than {MET_FT:g} ft from both ends of the piece"
        raise EditError.of("at", f"a point {ends:.1f} ft from the end of a piece of {edit.street}", expected)
    parts = (substring(piece.line, 0, at), substring(piece.line, at, piece.line.length))
    both = tuple(replace(piece, line=LineString(part.coords)) for part in parts)
    return replace(plan, pieces=(*plan.pieces[:index], *both, *plan.pieces[index + 1 :]))


def _joined(plan: Plan, edit: StreetEdit) -> Plan:
    assert edit.at is not None
    near = [
        (math.dist(end, edit.at), k, place)
        for k, piece in enumerate(plan.pieces)
        if piece.name == edit.street
        for place, end in enumerate(_ends(piece.line))
    ]
    met = sorted(one for one in near if one[0] <= MET_FT)
    if len(met) != 2 or met[0][1] == met[1][1]:
        found = f"{len(met)} end{'' if len(met) == 1 else 's'} of pieces of {edit.street}"
        raise EditError.of("at", found, f"a place where two pieces of it end, within {MET_FT:g} ft")
    (_, first, at_end), (_, second, starts) = met
    one, other = plan.pieces[first], plan.pieces[second]
    for name in ("kind", "block_line"):
        if getattr(one, name) != getattr(other, name):
            found = f"{getattr(one, name)} and {getattr(other, name)}"
            raise EditError.of(name, found, "two pieces that are alike: edit one of them first")
    made = replace(
        one,
        line=_run_on(one.line if at_end else one.line.reverse(), other.line.reverse() if starts else other.line),
        accuracy_ft=max(one.accuracy_ft, other.accuracy_ft),
        name_status=max(one.name_status, other.name_status, key=NAME_STATUSES.index),
        source=", ".join(dict.fromkeys(s for s in (one.source, other.source) if s)),
    )
    kept = [made if k == min(first, second) else p for k, p in enumerate(plan.pieces) if k != max(first, second)]
    return replace(plan, pieces=tuple(kept))


def _run_on(one: LineString, other: LineString) -> LineString:
    """Return one line of two, where the second goes on from the first; a vertex they share stands once."""
    coords = np.vstack([np.asarray(one.coords)[:, :2], np.asarray(other.coords)[:, :2]])
    doubled = np.hypot(*np.diff(coords, axis=0).T) < 1e-6
    return LineString(coords[np.concatenate([[True], ~doubled])])


def _ends(line: LineString) -> tuple[Point2, Point2]:
    first, last = line.coords[0], line.coords[-1]
    return (first[0], first[1]), (last[0], last[1])
