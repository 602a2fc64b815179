"""The pens of a document's map, and what explains it: north, scale and a legend of the lines that are there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.paper import BLUE, GREY, INK, PAPER, RULE, VERMILION, Colour, Paper, Type

Point = tuple[float, float]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """A rectangle on the page, points from its top left."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Pen:
    """How a line looks: weight in points, colour, dashes, and the colour of its casing."""

    weight: float
    colour: Colour
    dash: tuple[float, float] | None = None
    casing: Colour | None = None


CASING: Colour = (150, 150, 150)
FACE: Colour = (229, 229, 229)
PENS = {
    "lot": Pen(0.7, GREY, (5, 2)),
    "building": Pen(0.8, GREY),
    "path": Pen(0.9, GREY, (1.5, 2.5)),
    "alley": Pen(4.0, (245, 245, 245), casing=CASING),
    "private": Pen(5.0, (255, 246, 214), casing=CASING),
    "street": Pen(9.0, PAPER, casing=CASING),
    "repaving": Pen(7.0, (245, 200, 160)),
    "sidewalk": Pen(0.8, (110, 110, 110)),
    "right_of_way": Pen(0.9, BLUE, (7, 2)),
    "curb": Pen(1.5, INK),
    "centerline": Pen(0.8, GREY, (9, 4)),
    "base_line": Pen(3.2, BLUE),
    "extension": Pen(1.0, GREY, (5, 3)),
    "block": Pen(1.1, INK),
    "block_line": Pen(1.6, INK),
    "unit": Pen(4.2, VERMILION),
    "offset": Pen(1.1, VERMILION, (2.2, 1.8)),
    "other_work": Pen(1.2, GREY),
    "opening": Pen(1.8, VERMILION),
    "obstruction": Pen(1.8, VERMILION),
}
"""Every role and its pen, the lowest first."""

AREAS: dict[str, Colour] = {
    "building": FACE,
    "other_work": (236, 236, 236),
    "opening": (255, 222, 200),
    "obstruction": (255, 222, 200),
}
"""What is drawn as an area, and its fill."""

DASHES = {"street": (6.0, 3.0), "base_line": (7.0, 4.0), "block_line": (3.0, 2.0), "block": (4.0, 2.5)}


def stroke(paper: Paper, points: Floats, weight: float, colour: Colour, dash: tuple[float, float] | None) -> None:
    """Draw a polyline, points; a dashed one with square ends, so that its dashes stay apart."""
    strokes(paper, [points], weight, colour, dash)


def strokes(
    paper: Paper, lines: Iterable[Floats], weight: float, colour: Colour, dash: tuple[float, float] | None
) -> None:
    """Draw polylines alike, as `stroke` does one."""
    cap = "butt" if dash else "round"
    with paper.local_context(draw_color=colour, line_width=weight, stroke_cap_style=cap, stroke_join_style="round"):
        if dash:
            paper.set_dash_pattern(dash=dash[0], gap=dash[1])
        for points in lines:
            paper.polyline([(float(x), float(y)) for x, y in points])
        paper.set_dash_pattern()


def norths(paper: Paper, frame: Frame, grid_deg: float, axis_deg: float) -> Frame:
    """Draw where grid north and the north of the axes point, degrees clockwise of up, and return the room taken."""
    wide, high = 88.0, 75.0
    left, top = frame.x + frame.width - wide - 5, frame.y + 5
    paper.set_fill_color(*PAPER)
    paper.set_draw_color(*RULE)
    paper.set_line_width(0.6)
    paper.rect(left, top, wide, high, style="DF")
    foot = (left + wide / 2, top + 33)
    _arrow(paper, foot, axis_deg, BLUE, dashed=True)
    _arrow(paper, foot, grid_deg, INK, dashed=False)
    turned = round((axis_deg - grid_deg + 180) % 360 - 180)
    hand = "right" if turned > 0 else "left"
    told = ["solid: grid north", "dashed: axis north,", f"{abs(turned)}° to its {hand}" if turned else "the same way"]
    for line, text in enumerate(told):
        paper.at(text, Type(6.5, "", BLUE if line else INK), left, top + 43 + 9.5 * line, wide, align="C")
    return Frame(left, top, wide, high)


def _arrow(paper: Paper, foot: Point, deg: float, colour: Colour, *, dashed: bool) -> None:
    turn = math.radians(deg)
    along, across = np.array([math.sin(turn), -math.cos(turn)]), np.array([math.cos(turn), math.sin(turn)])
    low, tip = np.array(foot) - 7 * along, np.array(foot) + 28 * along
    stroke(paper, np.array([low, tip - 6 * along]), 1.3, colour, (2.5, 2.0) if dashed else None)
    paper.set_fill_color(*colour)
    head = [tip, tip - 9 * along + 3.4 * across, tip - 9 * along - 3.4 * across]
    paper.polygon([(float(x), float(y)) for x, y in head], style="F")


def scale_bar(paper: Paper, frame: Frame, scale: float) -> Frame:
    """Draw a scale bar in feet for a scale in points a foot, and return the room taken."""
    lengths = [digit * 10**power for power in range(5) for digit in (1, 2, 5)]
    feet = max((n for n in lengths if n * scale <= 0.24 * frame.width), default=1)
    long, kind = feet * scale, Type(6.5)
    wide, high = long + 34, 22.0
    left, top = frame.x + 5, frame.y + frame.height - high - 5
    paper.set_fill_color(*PAPER)
    paper.set_draw_color(*RULE)
    paper.set_line_width(0.6)
    paper.rect(left, top, wide, high, style="DF")
    x, y = left + 10, top + 14
    paper.set_draw_color(*INK)
    for part, fill in ((0, INK), (1, PAPER)):
        paper.set_fill_color(*fill)
        paper.rect(x + part * long / 2, y, long / 2, 3.6, style="DF")
    for at, text in ((0.0, "0"), (long / 2, f"{feet / 2:g}"), (long, f"{feet:,} ft")):
        paper.at(text, kind, x + at - 30, y - 10.5, 60, align="C")
    return Frame(left, top, wide, high)


_LEGEND: Sequence[tuple[str, bool, str]] = (
    ("entrance", False, "main entrance"),
    ("base_line", False, "base line"),
    ("base_line", True, "base line, assumed"),
    ("street", True, "street, assumed"),
    ("extension", True, "street extended (assumed)"),
    ("block", False, "the block"),
    ("block_line", False, "block line"),
    ("block_line", True, "block line, assumed"),
    ("unit", False, "unit of frontage"),
    ("offset", False, "entrance to street"),
    ("lot", False, "lot"),
    ("building", False, "building"),
    ("neighbour", False, "number in use"),
    ("opening", False, "the opening"),
    ("obstruction", False, "the obstruction"),
    ("other_work", False, "other work"),
    ("repaving", False, "to be repaved"),
    ("centerline", False, "center of the street"),
    ("curb", False, "curb or edge of the pavement"),
    ("curb", True, "curb, assumed"),
    ("sidewalk", False, "edge of the sidewalk"),
    ("sidewalk", True, "edge of the sidewalk, assumed"),
    ("right_of_way", False, "street line"),
    ("right_of_way", True, "street line, assumed"),
)


def legend(paper: Paper, frame: Frame, there: AbstractSet[tuple[str, bool]]) -> float:
    """Write what the lines mean, those that are there by role and whether assumed, and return its height."""
    kind = Type(6.8, "", INK)
    x, y = frame.x, frame.y + frame.height + 5
    entries = [(role, assumed, text) for role, assumed, text in _LEGEND if (role, assumed) in there]
    for role, assumed, text in entries:
        wide = 22 + paper.width_of(text, kind) + 11
        if x + wide > frame.x + frame.width + 11:
            x, y = frame.x, y + 11
        _sample(paper, role, assumed, x, y + 4.6)
        paper.at(text, kind, x + 22, y, wide)
        x += wide
    return y + 11 - frame.y - frame.height


def _sample(paper: Paper, role: str, assumed: bool, x: float, y: float) -> None:
    if role == "entrance":
        paper.set_draw_color(*VERMILION)
        paper.set_line_width(1.6)
        paper.circle(x + 9, y, 3.2)
    elif role == "neighbour":
        paper.set_fill_color(*GREY)
        paper.circle(x + 9, y, 1.5, style="F")
    elif role in AREAS:
        paper.set_fill_color(*AREAS[role])
        paper.set_draw_color(*PENS[role].colour)
        paper.set_line_width(PENS[role].weight)
        paper.rect(x + 4, y - 3, 10, 6, style="DF")
    else:
        pen = PENS[role]
        colour, weight = (pen.casing, 1.2) if pen.casing else (pen.colour, min(pen.weight, 3.2))
        dash = DASHES.get(role, (4.0, 3.0)) if assumed else pen.dash
        stroke(paper, np.array([[x + 1.0, y], [x + 17.0, y]]), weight, colour, dash)
