"""The only module that knows projections: every length elsewhere is US survey feet in the working CRS.

A working CRS is projected, with axes east and north. Where its unit is the metre or the international foot
its coordinates are scaled, so that feet are US survey feet whatever the village's county uses. What cannot
serve is refused, never warned about.

Points come in as x before y: longitude before latitude for EPSG:4326 and every other geographic CRS.

EPSG:4326 to EPSG:7608 is a null datum shift in PROJ (stated accuracy 2 m; at Benton GPS really lies 4.4 ft
off). For house numbers that is nothing. Whoever needs better must shift the point first: this module
does not. PROJ's network of grids is off unless the environment turns it on, and nothing here touches that.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError, ProjError

from gis.errors import CrsError, GeometryError

US_SURVEY_FOOT_M = 1200 / 3937
EXAMPLE = "'EPSG:7608'"
Bounds = tuple[float, float, float, float]
FloatArray = NDArray[np.float64]

_AREA_MARGIN_DEG = 1.0
_NOT_TRUE_TO_LENGTH = ("Popular Visualisation Pseudo Mercator", "Mercator (variant")


@dataclass(frozen=True)
class WorkingCrs:
    """A projected CRS that lengths may be measured in; made by `working_crs`.

    Parameters
    ----------
    text
        The CRS as it was given, such as ``"EPSG:7608"``.
    name
        Its full name.
    unit
        The name of its own unit.
    us_ft
        US survey feet in one of its units: exactly 1 for the US survey foot.
    area
        West, south, east and north of its area of use in degrees; None where it states none.
    """

    text: str
    name: str
    unit: str
    us_ft: float
    area: Bounds | None


class Projector:
    """A projection between two CRSs, kept ready; made by `to_working` and `from_working`."""

    def __init__(self, transformer: Transformer | None, scale_in: float, scale_out: float, text: str) -> None:
        self._transform: Callable[..., tuple[Any, Any]] = transformer.transform if transformer else _unmoved
        self._scale_in = scale_in
        self._scale_out = scale_out
        self._text = text

    @overload
    def __call__(self, x: float, y: float) -> tuple[float, float]: ...

    @overload
    def __call__(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]: ...

    def __call__(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Project one point or many.

        Parameters
        ----------
        x, y
            Two numbers, or two arrays of one shape; longitude and latitude in degrees where geographic.

        Returns
        -------
        tuple
            x and y in the shape they came in. In arrays a point that has no place in the other CRS is NaN.

        Raises
        ------
        GeometryError
            A single point that is not finite or has no place in the other CRS; arrays of different shapes.
        """
        if not _single(x, y):
            return self._many(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        scale = self._scale_in
        px, py = self._transform(float(x) * scale, float(y) * scale, errcheck=False)
        if not (math.isfinite(px) and math.isfinite(py)):
            raise GeometryError.of("x, y", f"({x}, {y})", f"a point that {self._text} can place")
        return px * self._scale_out, py * self._scale_out

    def _many(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        if x.shape != y.shape:
            raise GeometryError.of("x, y", f"shapes {x.shape} and {y.shape}", "arrays of one shape")
        px, py = self._transform(x * self._scale_in, y * self._scale_in, errcheck=False)
        px, py = px * self._scale_out, py * self._scale_out
        lost = ~np.isfinite(px + py)
        if lost.any():
            px, py = np.where(lost, np.nan, px), np.where(lost, np.nan, py)
        return px, py


@lru_cache(maxsize=16)
def working_crs(text: str) -> WorkingCrs:
    """Take a CRS to work in, or refuse it.

    Parameters
    ----------
    text
        An authority's code such as ``"EPSG:7608"``, WKT, or a PROJ string.

    Returns
    -------
    WorkingCrs
        The CRS and the factor from its unit to US survey feet.

    Raises
    ------
    CrsError
        Field ``crs``: unknown, not projected, axes other than east and north, or a world Mercator, whose
        feet are not feet on the ground.

    Examples
    --------
    >>> working_crs("EPSG:7608").us_ft
    1.0
    >>> working_crs("EPSG:4326")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    gis.errors.CrsError: crs: found EPSG:4326 (Geographic 2D CRS), expected a projected CRS...
    """
    crs = _crs(text)
    found = f"{text} ({crs.type_name})"
    if not crs.is_projected or crs.is_compound:
        raise CrsError.of("crs", found, f"a projected CRS, such as {EXAMPLE}")
    axes = {axis.direction: axis for axis in crs.axis_info}
    if set(axes) != {"east", "north"}:
        raise CrsError.of("crs", f"{text} (axes {', '.join(axes)})", "a CRS with axes east and north")
    method = crs.coordinate_operation.method_name if crs.coordinate_operation else ""
    if method.startswith(_NOT_TRUE_TO_LENGTH):
        raise CrsError.of("crs", f"{text} ({method})", f"a CRS true to length, such as {EXAMPLE}")
    unit = axes["east"]
    return WorkingCrs(text, crs.name, unit.unit_name, _us_ft(unit.unit_conversion_factor), _area(crs))


@lru_cache(maxsize=64)
def to_working(crs_text: str, working: WorkingCrs) -> Projector:
    """Make the projection from a CRS into the working CRS; the second call with the same arguments is free.

    Parameters
    ----------
    crs_text
        The CRS the coordinates come in; anything pyproj understands, geographic or projected.
    working
        The working CRS.

    Returns
    -------
    Projector
        Called with x and y it returns x and y in US survey feet. Its first use in a thread costs some ten
        milliseconds, see `warm`; later ones about 2 microseconds a point, arrays about 0.2.

    Raises
    ------
    CrsError
        The CRS is unknown or has no known relation to the working CRS.

    Examples
    --------
    >>> x, y = to_working("EPSG:4269", working_crs("EPSG:7608"))(-90.387096, 42.572393)
    >>> round(x, 2), round(y, 2)
    (410324.65, 127088.13)
    """
    transformer = _transformer(_flat(crs_text), _crs(working.text), crs_text)
    return Projector(transformer, 1.0, working.us_ft, crs_text)


@lru_cache(maxsize=64)
def from_working(crs_text: str, working: WorkingCrs) -> Projector:
    """Make the projection from the working CRS into another, the inverse of `to_working`.

    Parameters
    ----------
    crs_text
        The CRS wanted.
    working
        The working CRS.

    Returns
    -------
    Projector
        Called with x and y in US survey feet it returns x and y of that CRS in its own unit.

    Raises
    ------
    CrsError
        The CRS is unknown or has no known relation to the working CRS.
    """
    transformer = _transformer(_crs(working.text), _flat(crs_text), crs_text)
    return Projector(transformer, 1.0 / working.us_ft, 1.0, crs_text)


def warm(working: WorkingCrs, *crs_texts: str) -> None:
    """Use each projection once, both ways, so that this thread's first request does not pay for it.

    Parameters
    ----------
    working
        The working CRS.
    *crs_texts
        The CRSs requests come in.
    """
    for text in crs_texts:
        there = to_working(text, working)
        back = from_working(text, working)
        back(*there(np.zeros(1), np.zeros(1)))


def is_geographic(crs_text: str) -> bool:
    """Say whether coordinates in this CRS are degrees.

    Parameters
    ----------
    crs_text
        Anything pyproj understands.

    Returns
    -------
    bool
        True for longitude and latitude.

    Raises
    ------
    CrsError
        The CRS is unknown.
    """
    return _crs(crs_text).is_geographic


def looks_like_degrees(bounds: Bounds) -> bool:
    """Say whether linework with these bounds can only be degrees: no village is 360 ft across.

    Parameters
    ----------
    bounds
        Least x, least y, greatest x, greatest y.

    Returns
    -------
    bool
        True where all four are finite and within -180..180.

    Examples
    --------
    >>> looks_like_degrees((-90.4, 42.5, -90.3, 42.6)), looks_like_degrees((-700, -700, 2000, 2000))
    (True, False)
    """
    return all(math.isfinite(b) and abs(b) <= 180 for b in bounds)


def check_lonlat(x: ArrayLike, y: ArrayLike, *, field: str = "position", working: WorkingCrs | None = None) -> None:
    """Refuse a longitude and latitude that are swapped, are feet, or are no numbers.

    Parameters
    ----------
    x, y
        Longitude and latitude in degrees, two numbers or two arrays of one shape.
    field
        The name of the input, for the message; the first bad point of arrays is ``field[i]``.
    working
        With it a pair is also seen to be swapped where only the swapped pair lies in the CRS's area of use.

    Raises
    ------
    GeometryError
        Naming the field, what stood there and what was expected.

    Examples
    --------
    >>> check_lonlat(42.572393, -90.387096)
    Traceback (most recent call last):
    gis.errors.GeometryError: position: found (42.572393, -90.387096), expected longitude before latitude...
    """
    px, py = _numbers(x, y)
    bad: Any = _not_finite(px, py) | (abs(px) > 180) | (abs(py) > 90)
    if working and working.area:
        west, south, east, north = working.area
        area = (
            west - _AREA_MARGIN_DEG,
            south - _AREA_MARGIN_DEG,
            east + _AREA_MARGIN_DEG,
            north + _AREA_MARGIN_DEG,
        )
        bad = bad | (_outside(px, py, area) & (_outside(py, px, area) ^ True))
    _refuse(px, py, bad, field, _lonlat_expected)


def check_feet(x: ArrayLike, y: ArrayLike, *, bounds: Bounds, field: str = "position") -> None:
    """Refuse working coordinates that are degrees or no numbers.

    Parameters
    ----------
    x, y
        US survey feet in the working CRS, two numbers or two arrays of one shape.
    bounds
        The village's own bounds in working feet: within them nothing is taken for degrees.
    field
        The name of the input, for the message; the first bad point of arrays is ``field[i]``.

    Raises
    ------
    GeometryError
        Naming the field, what stood there and what was expected.
    """
    px, py = _numbers(x, y)
    degrees = (abs(px) <= 180) & (abs(py) <= 180) & _outside(px, py, bounds)
    _refuse(px, py, _not_finite(px, py) | degrees, field, _feet_expected)


def _single(x: Any, y: Any) -> bool:
    if isinstance(x, float | int) and isinstance(y, float | int):
        return True
    return not (np.ndim(x) or np.ndim(y))


def _numbers(x: Any, y: Any) -> tuple[Any, Any]:
    if _single(x, y):
        return float(x), float(y)
    return np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)


def _not_finite(x: Any, y: Any) -> Any:
    if isinstance(x, float):
        return not (math.isfinite(x) and math.isfinite(y))
    return ~(np.isfinite(x) & np.isfinite(y))


def _outside(x: Any, y: Any, bounds: Bounds) -> Any:
    west, south, east, north = bounds
    return (x < west) | (x > east) | (y < south) | (y > north)


def _refuse(x: Any, y: Any, bad: Any, field: str, expected: Callable[[float, float], str]) -> None:
    if bad is False or not np.any(bad):
        return
    if np.ndim(bad):
        i = int(np.argmax(bad))
        x, y, field = float(x.flat[i]), float(y.flat[i]), f"{field}[{i}]"
    finite = math.isfinite(x) and math.isfinite(y)
    raise GeometryError.of(field, f"({x}, {y})", expected(x, y) if finite else "two finite numbers")


def _lonlat_expected(x: float, y: float) -> str:
    if abs(x) <= 90 and abs(y) <= 180:
        return "longitude before latitude: these look swapped"
    return "degrees, longitude -180..180 and latitude -90..90: these look like feet or metres"


def _feet_expected(x: float, y: float) -> str:
    return "US survey feet in the working CRS: these look like degrees"


@lru_cache(maxsize=64)
def _crs(text: str) -> CRS:
    expected = f"a coordinate reference system, such as {EXAMPLE} or 'EPSG:4326'"
    # "init=" opens files and swaps axes; a NUL would end the text early inside PROJ.
    if "\0" in text or "init=" in text.lower():
        raise CrsError.of("crs", text, expected)
    try:
        return CRS.from_user_input(text)
    except CRSError as error:
        raise CrsError.of("crs", text, expected) from error


def _flat(text: str) -> CRS:
    crs = _crs(text)
    if not (crs.is_geographic or crs.is_projected):
        raise CrsError.of("crs", f"{text} ({crs.type_name})", "a geographic or projected CRS")
    return crs.to_2d()


def _transformer(source: CRS, target: CRS, text: str) -> Transformer | None:
    if source.equals(target):
        return None
    try:
        return Transformer.from_crs(source, target, always_xy=True)
    except ProjError as error:
        raise CrsError.of("crs", text, "a CRS with a known relation to the working CRS") from error


def _unmoved(x: Any, y: Any, *, errcheck: bool) -> tuple[Any, Any]:
    return x, y


def _us_ft(metres: float) -> float:
    factor = metres / US_SURVEY_FOOT_M
    return 1.0 if abs(factor - 1.0) < 1e-9 else factor


def _area(crs: CRS) -> Bounds | None:
    area = crs.area_of_use
    if area is None or area.west > area.east:
        return None
    return (area.west, area.south, area.east, area.north)
