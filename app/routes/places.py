"""A small map of a place, drawn on the server: it needs no script, prints, and shows the numbers round an entrance."""

from __future__ import annotations

from dataclasses import dataclass

import shapely
from shapely import LineString, Point, box
from sqlalchemy.engine import Connection

from app import registers
from app.village import Village

REACH_FT = 330.0
SIZE_PX = 480.0
BAR_FT = 100.0
MOST = 60
"""As many addresses are drawn at most."""


@dataclass(frozen=True)
class Way:
    """A street in the picture: its path, and where its name stands."""

    path: str
    name: str
    x: float
    y: float
    kind: str
    base: bool


@dataclass(frozen=True)
class Spot:
    """An address in the picture."""

    id: int
    x: float
    y: float
    number: str
    full: str


@dataclass(frozen=True)
class Picture:
    """What is round a place, in pixels from the upper left; grid north is up."""

    size: float
    bar: float
    ways: tuple[Way, ...]
    spots: tuple[Spot, ...]


def picture(village: Village, connection: Connection, east: float, north: float) -> Picture:
    """Draw what is round a place.

    Parameters
    ----------
    village
        Its streets.
    connection
        To the register, for the addresses nearby.
    east, north
        The place, working CRS, US survey feet; it is in the middle.

    Returns
    -------
    Picture
        Ready to be drawn.
    """
    scale = SIZE_PX / (2 * REACH_FT)
    inside = box(east - REACH_FT, north - REACH_FT, east + REACH_FT, north + REACH_FT)

    def at(x: float, y: float) -> tuple[float, float]:
        return round((x - east + REACH_FT) * scale, 1), round((north + REACH_FT - y) * scale, 1)

    def ways() -> list[Way]:
        made, told = [], set[str]()
        bases = {village.network.base_name(family) for family in ("NS", "EW")}
        for piece in village.network.pieces:
            for line in shapely.get_parts(shapely.intersection(piece.line, inside)):
                if not isinstance(line, LineString) or line.length < 1:
                    continue
                path = "M" + "L".join("{} {}".format(*at(*point[:2])) for point in line.coords)
                middle = line.interpolate(_named_at(line, Point(east, north)))
                name = "" if piece.name in told else piece.name
                told.add(piece.name)
                made.append(Way(path, name, *at(middle.x, middle.y), piece.kind, piece.name in bases))
        return made

    near = registers.at_place(connection, *inside.bounds)[:MOST]
    spots = [
        Spot(
            row["id"],
            *at(row["location_x_ft"], row["location_y_ft"]),
            f"{row['number']}{row['fraction']}{row['suffix']}",
            row["full"],
        )
        for row in near
    ]
    return Picture(SIZE_PX, round(BAR_FT * scale, 1), tuple(ways()), tuple(spots))


def _named_at(line: LineString, door: Point) -> float:
    """Return where along a line its name stands: away from the door, where its own mark is."""
    at = line.project(door)
    return line.length * 0.25 if at > line.length / 2 else line.length * 0.75
