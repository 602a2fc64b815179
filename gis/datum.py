"""GPS against NAD83(2011): the shift that a null transformation leaves out, which is about a sidewalk's width.

A phone's position is in the frame of its satellites (WGS 84, kept on ITRF2020). The village's layers are in
NAD83(2011), which moves with the continent. PROJ takes EPSG:4326 to NAD83(2011) without any shift; here the published
transformation is used, ITRF2020 to NAD83(2011), of its 14 parameters, at the day the position was taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import numpy as np
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError

from gis.crs import WorkingCrs, from_working, is_geographic, to_working
from gis.errors import CrsError, GeometryError
from gis.linework import Floats

GPS = "gps"
NAD83_2011 = "nad83-2011"
DATUMS = (GPS, NAD83_2011)
_ITRF2020, _NAD83_2011_3D, _NAD83_2011 = "EPSG:9989", "EPSG:6319", "EPSG:6318"
_EPOCHS = (1980.0, 2100.0)


@dataclass(frozen=True)
class Shift:
    """What was done to positions that came from GPS.

    Parameters
    ----------
    east_ft, north_ft
        By how much they were moved, working CRS, US survey feet; the mean of several.
    epoch
        The day they were taken, as a decimal year.
    """

    east_ft: float
    north_ft: float
    epoch: float


def decimal_year(day: date) -> float:
    """Return a day as a decimal year, as epochs are written.

    Parameters
    ----------
    day
        The day.

    Returns
    -------
    float
        Its year, and the part of the year that is over as the day begins.

    Examples
    --------
    >>> decimal_year(date(2025, 1, 1)), round(decimal_year(date(2024, 7, 2)), 3)
    (2025.0, 2024.5)
    """
    first, after = date(day.year, 1, 1), date(day.year + 1, 1, 1)
    return day.year + (day - first).days / (after - first).days


def is_of_gps(crs_text: str) -> bool:
    """Say whether coordinates in a CRS are those of GPS: its datum is WGS 84 or a frame of the ITRS.

    Parameters
    ----------
    crs_text
        Anything pyproj understands.

    Returns
    -------
    bool
        False for NAD83 in any of its realizations.

    Raises
    ------
    CrsError
        The CRS is unknown.

    Examples
    --------
    >>> is_of_gps("EPSG:4326"), is_of_gps("EPSG:32615"), is_of_gps("EPSG:7608"), is_of_gps("EPSG:4269")
    (True, True, False, False)
    """
    is_geographic(crs_text)  # refuses what is no CRS
    try:
        crs = CRS.from_user_input(crs_text)
        name = crs.geodetic_crs.datum.name if crs.geodetic_crs and crs.geodetic_crs.datum else ""
    except CRSError as error:  # pragma: no cover - refused above
        raise CrsError.of("crs", crs_text, "a coordinate reference system") from error
    return name.startswith(("World Geodetic System 1984", "International Terrestrial Reference Frame", "WGS"))


def shifted(x: Floats, y: Floats, epoch: float, working: WorkingCrs, *, field: str = "epoch") -> tuple[Floats, Floats]:
    """Move positions of GPS, projected without a shift, to where they are in NAD83(2011).

    Parameters
    ----------
    x, y
        Working CRS, US survey feet, as a null transformation gives them, shape (n,).
    epoch
        When they were taken, decimal year.
    working
        The working CRS.
    field
        The epoch's name, for the message.

    Returns
    -------
    tuple
        x and y moved, feet; as they were where the working CRS is itself of GPS.

    Raises
    ------
    GeometryError
        An epoch that is no year of GPS.

    Examples
    --------
    >>> from gis.crs import working_crs
    >>> east, north = shifted(np.array([410324.65]), np.array([127088.13]), 2025.0, working_crs("EPSG:7608"))
    >>> round(float(east[0]) - 410324.65, 2), round(float(north[0]) - 127088.13, 2)
    (3.39, -2.8)
    """
    if not _EPOCHS[0] <= epoch <= _EPOCHS[1]:
        raise GeometryError.of(field, epoch, f"a decimal year from {_EPOCHS[0]:g} to {_EPOCHS[1]:g}")
    if is_of_gps(working.text):
        return x, y
    lon, lat = from_working(_NAD83_2011, working)(x, y)
    east, north, *_ = _frames().transform(lon, lat, np.zeros_like(lon), np.full_like(lon, epoch))
    return to_working(_NAD83_2011, working)(east, north)


@lru_cache(maxsize=1)
def _frames() -> Transformer:
    return Transformer.from_crs(_ITRF2020, _NAD83_2011_3D, always_xy=True)
