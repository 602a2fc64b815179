"""What is checked of many at once: the register's objects of a kind, or a file's; a row at fault is refused."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import shapely
import sqlalchemy as sa
from numpy.typing import NDArray
from shapely.geometry import shape as as_shape
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app.import_addresses import Tick
from app.import_columns import guess
from app.import_files import read_file
from app.import_places import DECLARE, Known, known_crs, shapes_of
from app.import_report import Report
from app.import_tables import Sheet
from app.positions import MOST_VERTICES
from app.row_layers import Ground
from app.street_tables import street_objects
from gis.crs import looks_like_degrees
from gis.datum import decimal_year, is_of_gps, shifted
from gis.errors import CrsError, StreetsError
from gis.linework import Floats

Json = dict[str, Any]
Shapes = NDArray[np.object_]
CHECKS = {"mailbox": "§ 288-10 D(7)", "encroachment": "§ 288-7 A", "terrace": "§ 288-10 B"}
"""The checks that are made of many at once, and the section of each."""
OBJECTS = {
    "mailbox": ("mailbox",),
    "encroachment": ("fixture", "obstruction"),
    "terrace": ("fixture", "obstruction"),
}
"""The kinds of the register that each is made of."""
AT_ONCE = 10_000
MOST_ACCURACY_FT = 10_000.0


@dataclass(frozen=True)
class Asked:
    """What is to be checked.

    Parameters
    ----------
    check
        One of `CHECKS`.
    kind
        Of the register's objects; ``""`` where a file is given.
    path, name
        The file, and what it is called; None for the register's objects.
    accuracy_ft
        At 95 %, feet, of those of which nothing says it.
    crs
        Of the file, where the file does not say it.
    trusted
        Whether who asks may read any file of this machine.
    """

    check: str
    kind: str = ""
    path: Path | None = None
    name: str = ""
    accuracy_ft: float = 0.0
    crs: str = ""
    trusted: bool = False

    def __post_init__(self) -> None:
        check_asked(self.check, self.kind, self.accuracy_ft, file=self.path is not None)


def check_asked(check: str, kind: str, accuracy_ft: float, *, file: bool) -> None:
    """Refuse what cannot be checked.

    Raises
    ------
    StreetsError
        No such check, no such kind for it, both or neither of file and kind, an accuracy that is none.
    """
    if check not in CHECKS:
        raise StreetsError.of("check", check[:60] or "nothing", f"one of {', '.join(CHECKS)}")
    if file == bool(kind):
        found = "both" if file else "neither"
        raise StreetsError.of("file", f"{found} a file {'and' if file else 'nor'} a kind of object", "one of them")
    if kind and kind not in OBJECTS[check]:
        raise StreetsError.of("kind", kind[:60], f"for this check {' or '.join(OBJECTS[check])}")
    if not 0 <= accuracy_ft <= MOST_ACCURACY_FT:
        raise StreetsError.of("accuracy_ft", accuracy_ft, "feet at 95 %, 0 to 10,000")


@dataclass(eq=False)
class Things:
    """Objects that can be judged, and the rows that cannot; the arrays have the shape (n,)."""

    names: list[str]
    labels: list[str]
    shapes: Shapes
    accuracy_ft: Floats
    facts: list[Json]
    refused: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.shapes)


def of_register(connection: Connection, asked: Asked) -> Things:
    """Return the register's objects of a kind, by their ids.

    Parameters
    ----------
    connection
        To the register.
    asked
        Which.

    Returns
    -------
    Things
        With what is recorded of each.
    """
    c = street_objects.c
    wanted = sa.select(street_objects).where(c.retired_at.is_(None), c.kind == asked.kind).order_by(c.id)
    rows = [dict(row) for row in connection.execute(wanted).mappings()]
    shapes = np.empty(len(rows), dtype=object)
    shapes[:] = [as_shape(row["shape"]) for row in rows]
    accuracy = [asked.accuracy_ft if row["accuracy_ft"] is None else row["accuracy_ft"] for row in rows]
    names, labels = [str(row["id"]) for row in rows], [str(row["label"]) for row in rows]
    return Things(names, labels, shapes, np.array(accuracy, dtype=np.float64), rows)


def of_file(ground: Ground, asked: Asked, day: date, tick: Tick) -> Things:
    """Return the objects of a file, in its order.

    Parameters
    ----------
    ground
        The village's right-of-way.
    asked
        The file.
    day
        The day that positions of GPS were taken.
    tick
        Told how far it is.

    Returns
    -------
    Things
        Working CRS, US survey feet; the rows that are at fault are refused.

    Raises
    ------
    StreetsError
        It cannot be read at all, or nobody says its CRS.
    """
    assert asked.path is not None
    kind = "addresses" if asked.check == "mailbox" else "layers"
    with tempfile.TemporaryDirectory(prefix="benton-check-") as folder:
        sheet = read_file(asked.path, Path(folder), kind, "", asked.name, trusted=asked.trusted)
    crs = known_crs(ground.village, sheet, asked.crs)
    named = {name.casefold(): name for name in sheet.columns}
    labels = sheet.cells(named.get("label", named.get("name")))
    things = Things([str(k + 1) for k in range(len(sheet))], [cell[:200] for cell in labels],
                     np.empty(0, dtype=object), np.zeros(len(sheet)), [{} for _ in range(len(sheet))])  # fmt: skip
    for row, found, expected in sheet.faults:
        things.refused[row - 1] = f"row: found {found}; expected {expected}"
    _accuracies(things, sheet.cells(named.get("accuracy_ft")), asked.accuracy_ft)
    things.shapes = _shapes_of(sheet, things)
    things.notes.append(f"Coordinates: {crs.text[:200]} ({crs.said}).")
    moved = []
    for low in range(0, len(things), AT_ONCE):
        tick("reading the shapes", low, len(things))
        moved.append(_placed(ground, things, range(low, min(low + AT_ONCE, len(things))), crs, day, asked.check))
    for k in things.refused:
        things.shapes[k] = None
    if is_of_gps(crs.text) and (shift := [pair for part in moved for pair in part]):
        east, north = np.mean(shift, axis=0)
        things.notes.append(
            f"The positions are from GPS (WGS 84): they were moved {abs(east):.2f} ft {'east' if east >= 0 else 'west'}"
            f" and {abs(north):.2f} ft {'north' if north >= 0 else 'south'}, {math.hypot(east, north):.1f} ft in all, "
            f"into NAD83(2011), epoch {decimal_year(day):.2f}."
        )
    else:
        things.notes.append("The positions are taken as NAD83(2011): not shifted.")
    return things


def _accuracies(things: Things, cells: Sequence[str], otherwise: float) -> None:
    for k, cell in enumerate(cells):
        try:
            value = float(cell) if cell.strip() else otherwise
        except ValueError:
            value = math.nan
        if not 0 <= value <= MOST_ACCURACY_FT:
            things.refused.setdefault(k, f"accuracy_ft: found {cell[:60]!r}; expected feet at 95 %, 0 to 10,000")
            value = 0.0
        things.accuracy_ft[k] = value


def _shapes_of(sheet: Sheet, things: Things) -> Shapes:
    """Return the file's shapes, those of a column of texts, or points of two columns."""
    named = {field: column for column, field in guess("addresses", list(sheet.columns)).items()}
    report = Report()
    shapes = shapes_of(sheet, named, report) if sheet.shapes is None else sheet.shapes
    for row, fault in report.faults:
        things.refused.setdefault(row - 1, str(fault))
    if shapes is not None:
        return shapes
    if not {"x", "y"} <= named.keys():
        had = ", ".join(sheet.columns)[:200]
        raise StreetsError.of("columns", f"no place of the rows: {had}", "columns x and y, or wkt, or a file of shapes")
    made = np.empty(len(sheet), dtype=object)
    for k, pair in enumerate(zip(sheet.cells(named["x"]), sheet.cells(named["y"]), strict=True)):
        try:
            made[k] = shapely.Point(*(float(cell) for cell in pair))
        except ValueError:
            things.refused.setdefault(k, f"x, y: found {', '.join(pair)[:80]!r}; expected two numbers")
    return made


def _placed(ground: Ground, things: Things, which: range, crs: Known, day: date, check: str) -> list[list[float]]:
    """Project a part of the shapes into the working CRS, and refuse those that are no places in the village."""
    good = []
    for k in which:
        why = _fault(things.shapes[k], check)
        if k not in things.refused and not why:
            good.append(k)
        else:
            things.refused.setdefault(k, why)
    if not good:
        return []
    shapes = things.shapes[good]
    if not crs.degrees and looks_like_degrees(tuple(shapely.total_bounds(shapes).tolist())):
        raise CrsError.of("crs", f"{crs.text[:60]}, with coordinates that look like degrees", DECLARE)
    made = ground.village.files.settings
    moved: list[list[float]] = []

    def project(xy: Floats) -> Floats:
        east, north = (np.asarray(one, dtype=np.float64) for one in crs.project(xy[:, 0], xy[:, 1]))
        known = np.isfinite(east) & np.isfinite(north)
        if is_of_gps(crs.text) and known.any():
            there = shifted(east[known], north[known], decimal_year(day), made.working_crs)
            moved.append([float((there[0] - east[known]).mean()), float((there[1] - north[known]).mean())])
            east[known], north[known] = there
        return np.stack([east, north], axis=1)

    with np.errstate(invalid="ignore"):
        placed = shapely.transform(shapes, project)
    for k, shape in zip(good, placed, strict=True):
        things.shapes[k] = shape
        if not np.isfinite(shapely.get_coordinates(shape)).all() or shape.distance(ground.village.network.edge) > 0:
            kind = shape.geom_type.lower()
            things.refused[k] = f"geometry: found a {kind} outside the village; expected one in {made.name}"
        elif why := _fault(shape, check):
            things.refused[k] = why
    return moved


def _fault(shape: BaseGeometry | None, check: str) -> str:
    """Return what is wrong with a shape as it stands; ``""`` for nothing. Nothing is repaired."""
    found, expected = "", "a valid shape"
    if shape is None or shape.is_empty:
        found, expected = "no geometry", "a point" if check == "mailbox" else "a point, a line or a polygon"
    elif check == "mailbox" and shape.geom_type != "Point":
        found, expected = f"a {shape.geom_type}", "a point, the mailbox's door"
    elif shape.geom_type == "GeometryCollection":
        found, expected = "shapes of several kinds", "a point, a line or a polygon"
    elif not np.isfinite(shapely.get_coordinates(shape)).all():
        found, expected = "a vertex that is not a finite number", "finite coordinates"
    elif shapely.get_num_coordinates(shape) > MOST_VERTICES:
        found, expected = "too many vertices", f"at most {MOST_VERTICES:,}"
    elif not shape.is_valid:
        found = shapely.is_valid_reason(shape)
    return f"geometry: found {found}; expected {expected}" if found else ""
