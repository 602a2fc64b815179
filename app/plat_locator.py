"""The small map of a street's page: its true shape among the other streets, the norths and a scale bar."""

from __future__ import annotations

import math

import numpy as np
from shapely import LineString, clip_by_rect, get_coordinates, get_parts

from app.legend import Floats, Frame, stroke, strokes
from app.maps import roads
from app.paper import BLUE, GREY, INK, PAPER, Paper, Type
from app.village import Village

_WITHIN_FT = 400.0


def locator(paper: Paper, village: Village, street: str, frame: Frame) -> None:
    """Draw where a street lies among the others, in its true shape.

    Parameters
    ----------
    paper
        The book.
    village
        The village.
    street
        Official name of the street.
    frame
        Where the map stands.
    """
    pieces = [p.line for p in village.network.pieces if p.name == street]
    boxes = np.array([line.bounds for line in pieces])
    low, high = boxes[:, :2].min(axis=0) - _WITHIN_FT, boxes[:, 2:].max(axis=0) + _WITHIN_FT
    scale = min(frame.width / (high[0] - low[0]), frame.height / (high[1] - low[1]))
    middle = (low + high) / 2

    def place(coords: Floats) -> list[Floats]:
        x = frame.x + frame.width / 2 + (coords[:, 0] - middle[0]) * scale
        y = frame.y + frame.height / 2 - (coords[:, 1] - middle[1]) * scale
        line = LineString(np.stack([x, y], axis=1))
        parts = clip_by_rect(line, frame.x - 9, frame.y - 9, frame.x + frame.width + 9, frame.y + frame.height + 9)
        return [get_coordinates(part) for part in get_parts(parts) if part.length > 0]

    with paper.rect_clip(frame.x, frame.y, frame.width, frame.height):
        paper.set_fill_color(250, 250, 247)
        paper.rect(frame.x, frame.y, frame.width, frame.height, style="F")
        others = [(kind, place(coords)) for coords, kind, name in roads(village) if name != street]
        for dash, path in ((None, False), ((1.5, 2.0), True)):
            alike = (part for kind, parts in others if (kind == "path") == path for part in parts)
            strokes(paper, alike, 1.0, (165, 165, 165), dash)
        for line in pieces:
            for part in place(np.asarray(line.coords)[:, :2]):
                stroke(paper, part, 3.0, BLUE, None)
        north = village.network.north
        _norths(paper, frame, math.atan2(float(north[0]), float(north[1])))
        _bar(paper, frame, float(scale))
    paper.set_draw_color(*GREY)
    paper.set_line_width(0.6)
    paper.rect(frame.x, frame.y, frame.width, frame.height)


def _norths(paper: Paper, frame: Frame, axis: float) -> None:
    """Draw where grid north and, dashed, the north of the axes point."""
    wide, high = 38.0, 40.0
    left, top = frame.x + frame.width - wide - 3, frame.y + 3
    paper.set_fill_color(*PAPER)
    paper.rect(left, top, wide, high, style="F")
    foot = np.array([left + wide / 2, top + 31.0])
    for turn, colour, dash in ((axis, BLUE, (2.5, 2.0)), (0.0, INK, None)):
        ahead, aside = np.array([math.sin(turn), -math.cos(turn)]), np.array([math.cos(turn), math.sin(turn)])
        tip = foot + 20 * ahead
        stroke(paper, np.array([foot, tip]), 1.1, colour, dash)
        paper.set_fill_color(*colour)
        head = (tip + 5 * ahead, tip + 2.6 * aside, tip - 2.6 * aside)
        paper.polygon([(float(x), float(y)) for x, y in head], style="F")
    paper.at("grid N", Type(5.6), left, top + 31.0, wide, align="C")


def _bar(paper: Paper, frame: Frame, scale: float) -> None:
    """Draw a bar of a round length in feet."""
    feet = max((n * 10**p for p in range(5) for n in (1, 2, 5) if n * 10**p * scale <= 60.0), default=1)
    long, text, kind = feet * scale, f"{feet:,} ft", Type(6.2)
    left, top = frame.x + 4, frame.y + frame.height - 13
    paper.set_fill_color(*PAPER)
    paper.rect(left, top, long + paper.width_of(text, kind) + 12, 10, style="F")
    paper.set_fill_color(*INK)
    paper.rect(left + 4, top + 3.6, long, 2.8, style="F")
    paper.at(text, kind, left + long + 7, top + 0.8, 60)
