"""The map of a document: vector lines on paper white, names along the streets, north, scale and a legend.

It draws what it is given in working feet and decides nothing. A state is told by a line's shape as well as its
colour: what is assumed is dashed. Whatever is written has its own room; a name with none is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import shapely
import shapely.affinity
from shapely import LineString, MultiLineString, Polygon

from app.legend import AREAS, DASHES, PENS, Floats, Frame, Point, legend, norths, scale_bar, stroke
from app.paper import BLUE, GREY, INK, PAPER, VERMILION, Colour, Paper, Type, printable

Bounds = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Drawn:
    """One polyline of the document's map.

    Parameters
    ----------
    coords
        Vertices, shape (n, 2), working CRS, US survey feet.
    role
        ``street``, ``alley``, ``private``, ``path``, ``base_line``, ``extension``, ``block_line``, ``block``,
        ``unit``, ``offset``, ``building`` or ``lot``; of a place in a street ``centerline``, ``curb``,
        ``right_of_way``, ``sidewalk`` (an edge of one), ``repaving``, and ``opening``, ``obstruction`` or
        ``other_work``, closed.
    label
        What is written along it, or ``""``.
    assumed
        Whether it is not on the ground but thought.
    """

    coords: Floats
    role: str
    label: str = ""
    assumed: bool = False


@dataclass(frozen=True)
class Neighbour:
    """A number nearby, in working feet."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Plan:
    """What a map shows.

    Parameters
    ----------
    drawn
        Its lines.
    entrance
        The main entrance, working feet; None on the map of a place in a street.
    number
        What is written beside it.
    neighbours
        Numbers nearby.
    grid_north_deg, axis_north_deg
        Where the norths point, degrees clockwise of up.
    around
        West, south, east and north of what must be seen, working feet; None for what decided the number.
    """

    drawn: tuple[Drawn, ...]
    entrance: Point | None
    number: str
    neighbours: tuple[Neighbour, ...]
    grid_north_deg: float
    axis_north_deg: float
    around: Bounds | None = None


_FOCUS = ("block", "block_line", "unit", "offset", "building", "lot")
_KEPT_CLEAR = {"unit": 8, "opening": 6, "obstruction": 6, "offset": 4, "building": 2, "lot": 1}
"""What a label had better not hide, and how much."""
_NAMED = ("street", "private", "alley", "path", "centerline", "base_line", "extension", "block")
_LEAST_FT, _MOST_FT = 260.0, 1500.0
_LEAST_AROUND_FT = 120.0
_GROUND: Colour = (250, 250, 247)


@dataclass
class _Sheet:
    """A map being drawn: where feet fall on the page, and what room is taken."""

    paper: Paper
    frame: Frame
    plan: Plan
    scale: float
    centre: Point
    taken: list[Polygon] = field(default_factory=list)

    def __post_init__(self) -> None:
        f = self.frame
        self.inside = shapely.box(f.x + 3, f.y + 3, f.x + f.width - 3, f.y + f.height - 3)
        shown = (d for d in self.plan.drawn if d.role in _KEPT_CLEAR and len(d.coords) > 1)
        self.kept_clear = [(_KEPT_CLEAR[d.role], LineString(self.place(d.coords))) for d in shown]

    def place(self, coords: Floats) -> Floats:
        """Return where positions in feet fall on the page."""
        x = self.frame.x + self.frame.width / 2 + (coords[:, 0] - self.centre[0]) * self.scale
        y = self.frame.y + self.frame.height / 2 - (coords[:, 1] - self.centre[1]) * self.scale
        return np.stack([x, y], axis=1)

    def visible(self, coords: Floats) -> list[Floats]:
        """Return the parts of a polyline that lie in the frame or close to it, on the page."""
        f = self.frame
        line = LineString(self.place(coords))
        parts = shapely.clip_by_rect(line, f.x - 20, f.y - 20, f.x + f.width + 20, f.y + f.height + 20)
        return [shapely.get_coordinates(part) for part in shapely.get_parts(parts) if part.length > 0]

    def shows(self, coords: Floats) -> bool:
        """Say whether a polyline is to be seen in the frame."""
        return bool(LineString(self.place(coords)).intersects(self.inside))

    def hides(self, shape: Polygon) -> int:
        """Return how bad it is to write there."""
        return sum(weight for weight, line in self.kept_clear if line.intersects(shape))

    def free(self, shape: Polygon) -> bool:
        """Say whether a label has room in the frame."""
        return bool(self.inside.contains(shape)) and not any(shape.intersects(other) for other in self.taken)


def draw(paper: Paper, frame: Frame, plan: Plan) -> float:
    """Draw a map into a frame with its legend below.

    Parameters
    ----------
    paper
        The document.
    frame
        Where the map stands; the legend comes under it.
    plan
        What it shows.

    Returns
    -------
    float
        The height of frame and legend.
    """
    sheet = _Sheet(paper, frame, plan, *_view(plan, frame))
    with paper.rect_clip(frame.x, frame.y, frame.width, frame.height):
        paper.set_fill_color(*_GROUND)
        paper.rect(frame.x, frame.y, frame.width, frame.height, style="F")
        _lines(sheet)
        for taken in (
            norths(paper, frame, plan.grid_north_deg, plan.axis_north_deg),
            scale_bar(paper, frame, sheet.scale),
        ):
            sheet.taken.append(_room(taken.x, taken.y, taken.width, taken.height, 2))
        _entrance(sheet)
        _neighbours(sheet)
        sheet.taken += [line.buffer(2.0) for weight, line in sheet.kept_clear if weight >= _KEPT_CLEAR["offset"]]
        _names(sheet)
    paper.set_draw_color(*GREY)
    paper.set_line_width(0.8)
    paper.rect(frame.x, frame.y, frame.width, frame.height)
    shown = (d for d in plan.drawn if len(d.coords) > 1 and sheet.shows(d.coords))
    there = {(d.role, d.assumed or d.role == "extension") for d in shown}
    there |= {("entrance", False)} if plan.entrance else set()
    return frame.height + legend(paper, frame, there | ({("neighbour", False)} if plan.neighbours else set()))


def _view(plan: Plan, frame: Frame) -> tuple[float, Point]:
    """Return points a foot and the middle: what decided the number, as far as it is not too far from the door."""
    if plan.around is not None or plan.entrance is None:
        return _view_around(plan.around or (0.0, 0.0, 0.0, 0.0), frame)
    door = np.array([plan.entrance])
    shown = np.concatenate([door, *(d.coords for d in plan.drawn if d.role in _FOCUS and len(d.coords))])
    low, high = shown.min(axis=0), shown.max(axis=0)
    low = np.maximum(low, door[0] - _MOST_FT / 2)
    high = np.minimum(high, door[0] + _MOST_FT / 2)
    size = np.maximum((high - low) * 1.12 + 60.0, _LEAST_FT)
    scale = min(frame.width / float(size[0]), frame.height / float(size[1]))
    middle = (low + high) / 2
    return scale, (float(middle[0]), float(middle[1]))


def _view_around(around: Bounds, frame: Frame) -> tuple[float, Point]:
    """Return points a foot and the middle: all of what must be seen, with some of the street on each side."""
    west, south, east, north = around
    wide, high = (max(far - near + 40.0, (far - near) * 1.15) for near, far in ((west, east), (south, north)))
    scale = min(frame.width / max(wide, _LEAST_AROUND_FT), frame.height / max(high, _LEAST_AROUND_FT))
    return scale, ((west + east) / 2, (south + north) / 2)


# --- lines ---


def _lines(sheet: _Sheet) -> None:
    for role, pen in PENS.items():
        for drawn in sheet.plan.drawn:
            if drawn.role == role and _is_area(drawn):
                _area(sheet, drawn)
        parts = [
            (d, part) for d in sheet.plan.drawn if d.role == role and len(d.coords) > 1 for part in _parts(sheet, d)
        ]
        if pen.casing:
            for drawn, part in parts:
                stroke(sheet.paper, part, pen.weight + 1.6, pen.casing, DASHES["street"] if drawn.assumed else None)
        for drawn, part in parts:
            dash = DASHES.get(role, (4.0, 3.0)) if drawn.assumed and not pen.casing else pen.dash
            stroke(sheet.paper, part, pen.weight, pen.colour, dash)


def _parts(sheet: _Sheet, drawn: Drawn) -> list[Floats]:
    return [] if _is_area(drawn) else sheet.visible(drawn.coords)


def _is_area(drawn: Drawn) -> bool:
    return drawn.role in AREAS and len(drawn.coords) > 2


def _area(sheet: _Sheet, drawn: Drawn) -> None:
    pen = PENS[drawn.role]
    sheet.paper.set_fill_color(*AREAS[drawn.role])
    sheet.paper.set_draw_color(*pen.colour)
    sheet.paper.set_line_width(pen.weight)
    sheet.paper.polygon([(float(x), float(y)) for x, y in sheet.place(drawn.coords)], style="DF")


# --- what is written on the map ---


def _entrance(sheet: _Sheet) -> None:
    if sheet.plan.entrance is None:
        return
    ((x, y),) = sheet.place(np.array([sheet.plan.entrance]))
    paper = sheet.paper
    paper.set_draw_color(*VERMILION)
    paper.set_fill_color(*PAPER)
    paper.set_line_width(2.2)
    paper.circle(x, y, 4.6, style="DF")
    paper.set_fill_color(*VERMILION)
    paper.circle(x, y, 1.4, style="F")
    sheet.taken.append(shapely.Point(x, y).buffer(6.0))
    _beside(sheet, (x, y), sheet.plan.number, Type(11.0, "B"), 9.0, always=True)


def _neighbours(sheet: _Sheet) -> None:
    paper = sheet.paper
    middle = sheet.plan.entrance or sheet.centre
    near = sorted(sheet.plan.neighbours, key=lambda n: math.dist((n.x, n.y), middle))
    for neighbour in near:
        ((x, y),) = sheet.place(np.array([[neighbour.x, neighbour.y]]))
        dot = shapely.box(x - 1.8, y - 1.8, x + 1.8, y + 1.8)
        if not sheet.free(dot):
            continue
        if _beside(sheet, (x, y), neighbour.text, Type(7.5, "", INK), 3.0):
            paper.set_fill_color(*GREY)
            paper.circle(x, y, 1.5, style="F")
            sheet.taken.append(dot)


def _beside(sheet: _Sheet, at: Point, text: str, kind: Type, away: float, *, always: bool = False) -> bool:
    """Write a short text beside a point: where it hides nothing, else where there is room at all."""
    wide, high = sheet.paper.width_of(text, kind), kind.size
    x, y = at
    rooms = [
        _room(left, top, wide, high, 1)
        for left, top in (
            (x + away, y - high / 2),
            (x - away - wide, y - high / 2),
            (x - wide / 2, y - away - high),
            (x - wide / 2, y + away),
            (x + away * 0.7, y - away * 0.7 - high),
            (x + away * 0.7, y + away * 0.7),
            (x - away * 0.7 - wide, y - away * 0.7 - high),
            (x - away * 0.7 - wide, y + away * 0.7),
        )
    ]
    free = [room for room in rooms if sheet.free(room)] or (rooms[:1] if always else [])
    if not free:
        return False
    chosen = min(free, key=sheet.hides)  # of equals the first
    sheet.taken.append(chosen)
    _plate(sheet.paper, chosen)
    sheet.paper.use(kind)
    sheet.paper.text(chosen.bounds[0] + 1, chosen.bounds[1] + 1 + high * 0.86, printable(text))
    return True


def _room(left: float, top: float, wide: float, high: float, more: float) -> Polygon:
    return shapely.box(left - more, top - more, left + wide + more, top + high + more)


def _plate(paper: Paper, room: Polygon) -> None:
    paper.set_fill_color(*PAPER)
    paper.polygon([(x, y) for x, y, *_ in room.exterior.coords[:-1]], style="F")


def _names(sheet: _Sheet) -> None:
    """Write each name once, along the longest of its lines where there is room."""
    for role in _NAMED:
        by_name: dict[str, list[Floats]] = {}
        for drawn in sheet.plan.drawn:
            if drawn.role == role and drawn.label and len(drawn.coords) > 1:
                by_name.setdefault(drawn.label, []).extend(sheet.visible(drawn.coords))
        written = {d.label for d in sheet.plan.drawn if d.role in _NAMED[: _NAMED.index(role)]}
        for name, parts in by_name.items():
            if name not in written:
                _name(sheet, name, parts, role)


def _name(sheet: _Sheet, name: str, parts: Iterable[Floats], role: str) -> None:
    merged = shapely.line_merge(MultiLineString([LineString(part) for part in parts]))
    lines = sorted(shapely.get_parts(merged), key=lambda line: -line.length)
    colour = BLUE if role == "base_line" else GREY if role in ("extension", "block") else INK
    face = "I" if role in ("extension", "block") else ""
    cut = ((6.0, 0.6), (6.0, 0.35)) if len(name) > 30 else ()  # a short name cut shorter says nothing
    for size, share in ((7.0, 1.0), (6.0, 1.0), (5.2, 1.0), *cut):
        kind = Type(size, face, colour)
        text = sheet.paper.shortened(name, kind, share * sheet.paper.width_of(name, kind) + 0.1)
        wide = sheet.paper.width_of(text, kind) + 5
        for middle, angle in (place for line in lines for place in _straights(line, wide)):
            room = _turned(middle, wide, size + 1.5, angle)
            if sheet.free(room):
                sheet.taken.append(room)
                _along(sheet.paper, text, kind, middle, angle, room)
                return


def _straights(line: LineString, wide: float) -> Iterator[tuple[Point, float]]:
    """Give the middles and angles, degrees counter-clockwise, where a line is straight enough for a name."""
    if line.length < wide:
        return
    spare = line.length - wide
    for part in (0.5, 0.3, 0.7, 0.15, 0.85, 0.02, 0.98):
        start = spare * part
        a, b = line.interpolate(start), line.interpolate(start + wide)
        if a.distance(b) < 0.985 * wide:
            continue
        angle = math.degrees(math.atan2(-(b.y - a.y), b.x - a.x))
        if not -90 < angle <= 90.5:
            angle = (angle + 180.0) % 360.0
            angle = angle - 360.0 if angle > 180 else angle
        yield ((a.x + b.x) / 2, (a.y + b.y) / 2), angle


def _turned(middle: Point, wide: float, high: float, angle: float) -> Polygon:
    box = shapely.box(middle[0] - wide / 2, middle[1] - high / 2, middle[0] + wide / 2, middle[1] + high / 2)
    return shapely.affinity.rotate(box, -angle, origin=middle)


def _along(paper: Paper, name: str, kind: Type, middle: Point, angle: float, room: Polygon) -> None:
    _plate(paper, room)
    paper.use(kind)
    wide = paper.get_string_width(printable(name))
    with paper.rotation(angle, *middle):
        paper.text(middle[0] - wide / 2, middle[1] + kind.size * 0.36, printable(name))
