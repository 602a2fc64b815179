"""How far a building stands from the street line of the street it is numbered on (§ 288-15 G(3))."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import shapely
from shapely import Point, Polygon
from shapely.geometry.base import BaseGeometry

from gis.errors import GeometryError
from gis.frontages import Frontages
from gis.linework import Floats
from gis.lots import check_polygon
from gis.measure import Measured, Verdict, judge, rss


@dataclass(frozen=True, eq=False)
class SetBack:
    """A building's distance from the street line.

    Parameters
    ----------
    distance
        The distance; below 0 where the building reaches over the street line.
    from_door
        Whether it was measured to the entrance, for want of a footprint: the building may stand nearer.
    line
        From the building to the street line, shape (2, 2), working CRS, US survey feet. Both ends are one point where
        the building lies on the street's centerline.
    """

    distance: Measured
    from_door: bool
    line: Floats


class Display(StrEnum):
    """Where a number is displayed (§ 288-15 G(3)); `MEASURE_IT` where the accuracy leaves it open."""

    AT_BUILDING = "at_building"
    AT_STREET_LINE = "at_street_line"
    MEASURE_IT = "measure_it"


def set_back(
    frontages: Frontages,
    path: int,
    footprint: Polygon | Point,
    *,
    half_width_ft: float,
    width_accuracy_ft: float,
    position_accuracy_ft: float,
) -> SetBack:
    """Measure a building's distance from the street line of the street it is numbered on.

    "Whenever any building is situated more than 50 feet from the street line" (§ 288-15 G(3)). Read as: the building,
    not its door; until a right-of-way line is surveyed, the street line is the street's centerline on the ground and
    half the assumed width of the right-of-way.

    Parameters
    ----------
    frontages
        The map the building is numbered under.
    path
        The street it is numbered on: index of its path in the network, as `Doors.street` gives it.
    footprint
        The building, or its entrance where the building is not known; working CRS, US survey feet.
    half_width_ft
        Half the width of the right-of-way, feet.
    width_accuracy_ft
        Accuracy of that width at 95 %, feet.
    position_accuracy_ft
        Accuracy of the footprint at 95 %, feet.

    Returns
    -------
    SetBack
        The distance; its uncertainty is the root sum of squares of the centerline's, the width's and the footprint's.

    Raises
    ------
    GeometryError
        The footprint is empty or invalid, or the network has no such path.
    """
    streets = frontages.map.network.streets
    if not 0 <= path < len(streets):
        raise GeometryError.of("path", path, f"the index of a street's path, 0 to {len(streets) - 1}")
    from_door = isinstance(footprint, Point)
    _check(footprint)
    across = shapely.get_coordinates(shapely.shortest_line(footprint, streets[path].physical_line()))
    away = float(np.hypot(*(across[1] - across[0])))
    toward = (across[0] - across[1]) / away if away else np.zeros(2)
    uncertainty = rss(float(streets[path].accuracy_ft.max()), width_accuracy_ft, position_accuracy_ft)
    line = np.array([across[0], across[1] + toward * half_width_ft])
    return SetBack(Measured(away - half_width_ft, uncertainty), from_door, line)


def _check(footprint: BaseGeometry) -> None:
    if isinstance(footprint, Polygon):
        check_polygon(footprint, "footprint")
    elif footprint.is_empty or not np.isfinite(shapely.get_coordinates(footprint)).all():
        raise GeometryError.of("footprint", "a point without finite coordinates", "finite coordinates")


def display_duty(measured: SetBack, limit_ft: float) -> Display:
    """Say where a building's number is displayed, as far as its distance decides it (§ 288-15 G(3)).

    "Whenever any building is situated more than 50 feet from the street line ... the number of such building shall be
    conspicuously displayed at the street line". A number hidden from the street is shown there at any distance: that
    is seen on the spot, and not decided here.

    Parameters
    ----------
    measured
        The building's distance from the street line. One measured to the door is taken as it is: the building may
        stand nearer.
    limit_ft
        The distance of the ordinance, feet: 50.

    Returns
    -------
    Display
        At the building where it surely stands no farther, at the street line where it surely stands farther.
    """
    return {
        Verdict.COMPLIES: Display.AT_BUILDING,
        Verdict.VIOLATES: Display.AT_STREET_LINE,
        Verdict.UNDECIDED: Display.MEASURE_IT,
    }[judge(measured.distance, limit_ft, at_most=True)]
