"""A package written as a GeoPackage that appears whole or not at all, with the report of its checks as a table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyogrio.raw
import shapely
from numpy.typing import NDArray

from app.exports.nena_fields import SHAPES, Field, domains
from app.exports.nena_package import Layer
from app.exports.nena_report import Report

AT_ONCE = 5000
"""So many features are written at once."""
REPORT, ABOUT = "QA_Report", "Package"
_REPORT = ("check", "severity", "layer", "nguid", "field", "message")
_COMMON = {"driver": "GPKG", "encoding": "UTF-8"}


def write(report: Report, out: Path) -> None:
    """Write a package with its report.

    Parameters
    ----------
    report
        Of the package.
    out
        The GeoPackage, which takes the place of what is there when it is whole.
    """
    with TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as folder:
        made = Path(folder, "ng911.gpkg")
        for layer in report.package.layers.values():
            _begin(made, layer)
        _domains(made, list(report.package.layers.values()))
        for layer in report.package.layers.values():
            for start in range(0, len(layer), AT_ONCE):
                _append(made, layer, slice(start, start + AT_ONCE))
        for start in range(0, max(len(report.items), 1), AT_ONCE):
            part = report.items[start : start + AT_ONCE]
            _table(made, REPORT, _REPORT, part, append=start > 0)
        _table(made, ABOUT, ("name", "value"), list(_about(report)))
        made.replace(out)


def _begin(made: Path, layer: Layer) -> None:
    """Make an empty layer, with each field of exactly the type and width that the profile gives it."""
    nothing: NDArray[np.object_] = np.empty(0, dtype=object)
    pyogrio.raw.write(
        str(made), nothing, [], [], layer=layer.name, geometry_type=SHAPES[layer.name], crs=layer.crs, **_COMMON
    )
    with closing(sqlite3.connect(made)) as file, file:
        for field in layer.fields:  # OGR makes texts without a width
            file.execute(f'ALTER TABLE "{layer.name}" ADD COLUMN "{field.name}" {field.column}')


def _domains(made: Path, layers: Sequence[Layer]) -> None:
    """Declare which values each field may have, as GeoPackage's own extension for schemas does."""
    of_fields = [(layer.name, field.name, field.domain) for layer in layers for field in layer.fields if field.domain]
    values: list[tuple[Any, ...]] = []
    for name in sorted({domain for _, _, domain in of_fields}):
        domain = domains()[name]
        values += [(name, "enum", value, None, None, None, None) for value in sorted(domain.values)]
        values += [] if domain.values else [(name, "range", None, domain.low, 1, domain.high, 1)]
    with closing(sqlite3.connect(made)) as file, file:
        for statement in _SCHEMA:
            file.execute(statement)
        columns = "(table_name, column_name, constraint_name)"
        file.executemany(f"INSERT INTO gpkg_data_columns {columns} VALUES (?, ?, ?)", of_fields)
        file.executemany("INSERT INTO gpkg_data_column_constraints VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", values)
        about = ("gpkg_schema", "http://www.geopackage.org/spec121/#extension_schema", "read-write")
        for table in ("gpkg_data_columns", "gpkg_data_column_constraints"):
            file.execute("INSERT INTO gpkg_extensions VALUES (?, NULL, ?, ?, ?)", (table, *about))


_SCHEMA = (
    "CREATE TABLE gpkg_data_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, name TEXT, title TEXT, "
    "description TEXT, mime_type TEXT, constraint_name TEXT, CONSTRAINT pk_gdc PRIMARY KEY (table_name, column_name), "
    "CONSTRAINT gdc_tn UNIQUE (table_name, name))",
    "CREATE TABLE gpkg_data_column_constraints (constraint_name TEXT NOT NULL, constraint_type TEXT NOT NULL, "
    "value TEXT, min NUMERIC, min_is_inclusive BOOLEAN, max NUMERIC, max_is_inclusive BOOLEAN, description TEXT, "
    "CONSTRAINT gdcc_ntv UNIQUE (constraint_name, constraint_type, value))",
)
"""Tables of the extension, as the GeoPackage standard makes them."""


def _append(made: Path, layer: Layer, part: slice) -> None:
    fields = layer.filled()
    columns = [_column(field, list(layer.values(field.name)[part])) for field in fields]
    zones = {field.name: np.full(len(layer.shapes[part]), 100) for field in fields if field.type == "DATETIME"}
    pyogrio.raw.write(
        str(made),
        np.asarray(shapely.to_wkb(layer.shapes[part], flavor="iso"), dtype=object),
        [values for values, _ in columns],
        [field.name for field in fields],
        field_mask=[mask for _, mask in columns],
        layer=layer.name,
        geometry_type=SHAPES[layer.name],
        crs=layer.crs,
        append=True,
        gdal_tz_offsets=zones,
        **_COMMON,
    )


def _column(field: Field, values: list[Any]) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return a field's values as OGR takes them, and which of them are missing where their type cannot say so."""
    missing = np.array([value is None for value in values], dtype=bool)
    if field.type == "TEXT":
        return np.array(values, dtype=object), None
    if field.type == "DATETIME":
        return np.array([_utc(value) for value in values], dtype="datetime64[ms]"), None
    kind = np.int64 if field.type == "INTEGER" else np.float64
    return np.array([0 if value is None else value for value in values], dtype=kind), missing


def _utc(value: datetime | None) -> np.datetime64:
    return np.datetime64("NaT") if value is None else np.datetime64(value.astimezone(UTC).replace(tzinfo=None), "ms")


def _table(
    made: Path, name: str, fields: Sequence[str], rows: Sequence[Sequence[str]], *, append: bool = False
) -> None:
    """Write a table without geometries."""
    columns = [np.array([row[k] or None for row in rows], dtype=object) for k in range(len(fields))]
    pyogrio.raw.write(str(made), None, columns, list(fields), layer=name, geometry_type=None, append=append, **_COMMON)


def _about(report: Report) -> Iterator[tuple[str, str]]:
    """Give what is told of the package beside its layers, by name."""
    package = report.package
    yield from package.about.items()
    if package.provisional:
        yield "provisional_because", package.provisional
    yield "errors", str(len(report.errors))
    yield "notices", str(len(report.items) - len(report.errors))
    for one in package.unset:
        need = "required" if one["required"] else "not required"
        yield f"unset {one['setting']}", f"{one['what']} ({', '.join(one['fields'])}; {need})"
    if report.errors:
        yield "errors_digest", report.digest
    if report.signature:
        for name, value in report.signature.items():
            yield f"signature {name}", str(value)
