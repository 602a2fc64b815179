"""A building's distance from the street line, and where its number is displayed (§ 288-15 G(3))."""

from __future__ import annotations

from typing import Any

from shapely import Point, Polygon

from app.village import LONLAT, Village
from gis.setback import Display, display_duty, set_back

Json = dict[str, Any]


def from_street_line(village: Village, street: int, shape: Polygon | Point, accuracy_ft: float | None) -> Json:
    """Measure a building from its street's line (§ 288-15 G(3)); from its door where the building is not known.

    A door that is too far says nothing of the building, which may stand nearer: it is to be measured.

    Parameters
    ----------
    village
        The village, whose settings have the assumed width of the right-of-way.
    street
        The street's id in the frontages.
    shape
        The building's outline, or its door, working CRS, feet.
    accuracy_ft
        Of the position, 95 %; None where it is not known.

    Returns
    -------
    dict
        The distance, its uncertainty, the limit, the duty and the line measured.
    """
    made, limit = village.files.settings, float(village.law["display_distance_ft"].value)
    measured = set_back(
        village.frontages,
        street,
        shape,
        half_width_ft=made.row_width_ft / 2,
        width_accuracy_ft=made.row_width_accuracy_ft,
        position_accuracy_ft=accuracy_ft or 0.0,
    )
    duty = display_duty(measured, limit)
    if measured.from_door and duty is Display.AT_STREET_LINE:
        duty = Display.MEASURE_IT
    lon, lat = village.out_of_feet(LONLAT)(measured.line[:, 0], measured.line[:, 1])
    return {
        "distance_ft": round(measured.distance.value_ft, 1),
        "uncertainty_ft": round(measured.distance.uncertainty_ft, 1),
        "limit_ft": limit,
        "display": str(duty),
        "from_door": measured.from_door,
        "assumed_width_ft": made.row_width_ft,
        "position_known": accuracy_ft is not None,
        "line": [[round(float(a), 7), round(float(b), 7)] for a, b in zip(lon, lat, strict=True)],
    }
