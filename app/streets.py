"""The only reader of ``data/streets``: what a village replaces to use its own, with every fault told at once.

Linework may be any file OGR reads. It is reprojected from the CRS it declares into the working CRS; where it
declares none it is taken to be in the working CRS already. That holds for GeoJSON without a ``crs`` member
too, although GDAL calls it EPSG:4326: coordinates that look like degrees are then a fault, not a guess.
"""

import csv
import json
import math
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Geometry, LineString, MultiLineString

from app.cross_sections import Section, read_sections
from app.settings import DataError, VillageSettings, read_settings, tidy
from gis.crs import WorkingCrs, check_lonlat, is_geographic, looks_like_degrees, to_working
from gis.errors import CrsError, Fault, GeometryError
from gis.network import BLOCK_LINES, KINDS, Piece

__all__ = [
    "DataError",
    "PublishedAddress",
    "VillageFiles",
    "VillageSettings",
    "pieces_of",
    "read_linework",
    "read_pieces",
    "read_published",
    "read_settings",
    "read_village",
]

NAME_STATUSES = ("confirmed", "inferred", "placeholder")
SUFFIXES = (".geojson", ".json", ".gpkg", ".shp", ".zip", ".gdb")
PREDIRECTIONS = ("", "N", "S", "E", "W")
Linework = tuple[tuple[str, LineString], ...]

_T = TypeVar("_T")
_Floats = NDArray[np.float64]
_SHAPEFILE_NAME = 10
_DECLARE = 'its true CRS declared, in GeoJSON as "crs": {"type": "name", "properties": {"name": "EPSG:4269"}}'


@dataclass(frozen=True)
class PublishedAddress:
    """An address found in print, to hold the derived numbers against. Fields as in the file's columns."""

    number: int
    predir: str
    street: str
    what: str
    side_stated: str
    source: str


@dataclass(frozen=True)
class VillageFiles:
    """All that ``data/streets`` holds, in the working CRS: settings, streets, other lines, addresses, widths."""

    settings: VillageSettings
    pieces: tuple[Piece, ...]
    linework: Linework
    published: tuple[PublishedAddress, ...]
    sections: tuple[Section, ...] = ()


def read_village(directory: Path) -> VillageFiles:
    """Read a village's directory whole.

    Parameters
    ----------
    directory
        Holds ``settings.toml`` and ``streets.*``; ``linework.*``, ``published_addresses.csv`` and
        ``cross_sections.csv`` if there are any.

    Returns
    -------
    VillageFiles
        Everything in it, in the working CRS.

    Raises
    ------
    DataError
        Every fault of every file; each field begins with the file's name.
    """
    faults: list[Fault] = []
    settings = _gather(faults, lambda: read_settings(directory))
    working = settings.working_crs if settings else None
    pieces = _gather(faults, lambda: _pieces(_streets_file(directory), working, None))
    linework = _gather(faults, lambda: _linework(directory, working))
    published = _gather(faults, lambda: read_published(directory))
    sections = _gather(faults, lambda: read_sections(directory))
    if settings and pieces:
        faults += _base_faults(settings, pieces)
    if faults or settings is None or pieces is None:
        raise DataError(f"The village's files in {directory} cannot be used:", faults)
    return VillageFiles(settings, pieces, linework or (), published or (), sections or ())


def read_pieces(path: Path, working: WorkingCrs, *, layer: str | None = None) -> tuple[Piece, ...]:
    """Read street centerlines with their names.

    Columns are matched whatever their case, and by their first ten letters as shapefiles keep them: ``name``;
    optionally ``kind`` (else street), ``block_line`` (auto), ``accuracy_ft`` (0), ``name_status``
    (confirmed) and ``source``. A row with several lines becomes several pieces; heights are dropped.

    Parameters
    ----------
    path
        A file OGR reads.
    working
        The CRS the pieces are wanted in.
    layer
        The layer to read where the file has several of lines, and none is named as the file is.

    Returns
    -------
    tuple of Piece
        In the order of the rows, coordinates in US survey feet.

    Raises
    ------
    DataError
        Every fault, by row as numbered from 1 in the file's order.
    """
    return _pieces(path, working, layer)


def pieces_of(
    columns: Mapping[str, Sequence[Any]], wkb: Sequence[bytes | None], crs: str, working: WorkingCrs
) -> tuple[Piece, ...]:
    """Make centerlines of a table that was read elsewhere, by the rules of `read_pieces`.

    Cells stand by its names of columns, each row's lines as WKB; `crs` is theirs. Raises `DataError` with every fault.
    """
    return _pieces_of(_Table(dict(columns), wkb, crs), Path("the file"), working)


def read_linework(directory: Path, working: WorkingCrs) -> Linework:
    """Read the lines that are no streets.

    Parameters
    ----------
    directory
        The village's directory; without a file ``linework.*`` there are none.
    working
        The CRS the lines are wanted in.

    Returns
    -------
    tuple of (str, LineString)
        The column ``feature`` and the line in US survey feet.

    Raises
    ------
    DataError
        Every fault, by row.
    """
    return _linework(directory, working)


def read_published(directory: Path) -> tuple[PublishedAddress, ...]:
    """Read the addresses found in print.

    Parameters
    ----------
    directory
        The village's directory; without a file ``published_addresses.csv`` there are none.

    Returns
    -------
    tuple of PublishedAddress
        In the file's order.

    Raises
    ------
    DataError
        Every fault, by row; the row of column names is not counted.
    """
    path = directory / "published_addresses.csv"
    if not path.exists():
        return ()
    try:
        text = StringIO(path.read_text(encoding="utf-8-sig"))
        rows = list(csv.DictReader(text, restkey="more", strict=True))
    except (OSError, ValueError, csv.Error) as error:
        raise DataError.of_file(path, error, "a CSV file in UTF-8") from error
    faults = _Faults()
    found = tuple(_published(i, row, faults) for i, row in enumerate(rows, start=1))
    faults.raise_any(path)
    return found


# --- files, rows and faults ---


class _Faults:
    """Faults gathered by row, told in the order of the rows."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, Fault]] = []

    def add(self, row: int, field: str, found: str, expected: str) -> None:
        """Note a fault of a row, or of the whole layer where the row is 0."""
        self._rows.append((row, Fault(f"row {row}: {field}" if row else field, found or "nothing", expected)))

    def raise_any(self, path: Path) -> None:
        if self._rows:
            ordered = [fault for _, fault in sorted(self._rows, key=lambda pair: pair[0])]
            raise DataError.within(path, ordered)


@dataclass(frozen=True)
class _Table:
    """A layer as it was read: cells by column, one geometry a row, the CRS declared."""

    columns: dict[str, Sequence[Any]]
    wkb: Sequence[bytes | None]
    crs: str | None

    def cells(self, name: str) -> Sequence[Any]:
        if name in self.columns:
            return self.columns[name]
        return self.columns.get(name[:_SHAPEFILE_NAME], [None] * len(self.wkb))


def _gather(faults: list[Fault], read: Callable[[], _T]) -> _T | None:
    try:
        return read()
    except DataError as error:
        faults += [Fault(f"{error.file}: {fault.field}", fault.found, fault.expected) for fault in error.faults]
        return None


def _file(directory: Path, stem: str) -> Path | None:
    """Find the file of a layer; an old one left behind beside a new one must not decide."""
    paths = [path for suffix in SUFFIXES if (path := directory / f"{stem}{suffix}").exists()]
    if len(paths) > 1:
        raise DataError.of_file(directory / stem, ", ".join(path.name for path in paths), "one of them alone")
    return paths[0] if paths else None


def _streets_file(directory: Path) -> Path:
    path = _file(directory, "streets")
    if path is None:
        raise DataError.of_file(directory / "streets", "nothing", f"streets with one of {', '.join(SUFFIXES)}")
    return path


def _base_faults(settings: VillageSettings, pieces: Iterable[Piece]) -> list[Fault]:
    names = {piece.name for piece in pieces}
    bases = {"ew": settings.base_ew, "ns": settings.base_ns}
    return [
        Fault(f"settings.toml: base_lines.{key}", name, "the name of a street in the streets file")
        for key, name in bases.items()
        if name not in names
    ]


def _read_table(path: Path, layer: str | None, needed: str) -> _Table:
    if not path.exists():
        raise DataError.of_file(path, "nothing", f"a file at {path}")
    import pyogrio.raw  # with it comes pandas, which no command needs that reads no streets

    try:
        layer = layer or _line_layer(path)
        info = pyogrio.read_info(path, layer=layer)
        meta, _, wkb, columns = pyogrio.raw.read(path, layer=layer, force_2d=True)
        crs = _geojson_crs(path) if info["driver"] == "GeoJSON" else info["crs"]
    except (RuntimeError, ValueError, OSError) as error:
        raise DataError.of_file(path, str(error).split(";")[0], "a file of lines that OGR reads") from error
    names = [str(name).lower() for name in meta["fields"]]
    if names.count(needed) != 1:
        raise DataError.of_file(path, f"columns {', '.join(meta['fields']) or 'none'}", f"one column {needed}")
    if len(wkb) == 0:
        raise DataError.of_file(path, "no rows", "at least one line")
    return _Table(dict(zip(names, columns, strict=True)), wkb, crs)


def _line_layer(path: Path) -> str:
    import pyogrio

    layers = {str(name): str(kind) for name, kind in pyogrio.list_layers(path)}
    lines = [n for n, kind in layers.items() if any(k in kind for k in ("Line", "Unknown", "MultiCurve"))]
    if path.stem in lines:
        return path.stem
    if len(lines) != 1:
        found = ", ".join(f"{name} ({kind})" for name, kind in layers.items()) or "no layer"
        raise DataError.of_file(path, found, f"one layer of lines, or one named {path.stem}")
    return lines[0]


def _geojson_crs(path: Path) -> str | None:
    # GDAL says EPSG:4326 both for a GeoJSON that declares no CRS and for one that declares nonsense.
    member = json.loads(_geojson_bytes(path)).get("crs")
    if member is None:
        return None
    name = member.get("properties", {}).get("name") if isinstance(member, dict) else None
    if not isinstance(name, str):
        raise DataError.within(path, [Fault("crs", json.dumps(member)[:80], _DECLARE)])
    return name


def _geojson_bytes(path: Path) -> bytes:
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        name = next((n for n in archive.namelist() if n.lower().endswith("json")), None)
        return archive.read(name) if name else b"{}"


# --- rows to records ---


def _pieces(path: Path, working: WorkingCrs | None, layer: str | None) -> tuple[Piece, ...]:
    return _pieces_of(_read_table(path, layer, "name"), path, working)


def _pieces_of(table: _Table, path: Path, working: WorkingCrs | None) -> tuple[Piece, ...]:
    faults = _Faults()
    columns = zip(
        _names(table, faults),
        _lines(table, working, faults),
        _words(table, "kind", KINDS, faults),
        _words(table, "block_line", BLOCK_LINES, faults),
        _accuracies(table, faults),
        _words(table, "name_status", NAME_STATUSES, faults),
        map(_text, table.cells("source")),
        strict=True,
    )
    rows = list(columns)
    faults.raise_any(path)
    return tuple(Piece(name, line, *rest) for name, lines, *rest in rows for line in lines)


def _linework(directory: Path, working: WorkingCrs | None) -> Linework:
    path = _file(directory, "linework")
    if path is None:
        return ()
    table = _read_table(path, None, "feature")
    faults = _Faults()
    features = [_text(cell) for cell in table.cells("feature")]
    for i, feature in enumerate(features, start=1):
        if not feature:
            faults.add(i, "feature", "", "what the line is")
    rows = list(zip(features, _lines(table, working, faults), strict=True))
    faults.raise_any(path)
    return tuple((feature, line) for feature, lines in rows for line in lines)


def _published(i: int, row: dict[str, Any], faults: _Faults) -> PublishedAddress:
    cells = {field.name: tidy(row.get(field.name) or "") for field in fields(PublishedAddress)}
    number = cells.pop("number")
    whole = number.isascii() and number.isdigit()
    if not whole:
        faults.add(i, "number", number, "a whole number")
    if not cells["street"]:
        faults.add(i, "street", "", "the street's name")
    if cells["predir"] not in PREDIRECTIONS:
        faults.add(i, "predir", cells["predir"], "N, S, E, W or nothing")
    if "more" in row:
        faults.add(i, "row", ", ".join(row["more"]), "as many cells as there are columns")
    return PublishedAddress(int(number) if whole else 0, **cells)


def _null(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float | np.floating) and math.isnan(cell))


def _text(cell: Any) -> str:
    return "" if _null(cell) else tidy(str(cell))


def _names(table: _Table, faults: _Faults) -> list[str]:
    names: list[str] = []
    spelt: dict[str, tuple[int, str]] = {}
    for i, cell in enumerate(table.cells("name"), start=1):
        name = _text(cell)
        names.append(name)
        if not name or not isinstance(cell, str) or not name.isprintable():
            faults.add(i, "name", name and repr(cell), "the street's name, as printable text")
            continue
        row, first = spelt.setdefault(name.casefold(), (i, name))
        if first != name:
            faults.add(i, "name", name, f"the one spelling of row {row}, {first}")
    return names


def _words(table: _Table, column: str, words: Sequence[str], faults: _Faults) -> list[str]:
    """Read a column of fixed words; the first is what an empty cell means."""
    found = [_text(cell).lower() or words[0] for cell in table.cells(column)]
    for i, word in enumerate(found, start=1):
        if word not in words:
            faults.add(i, column, word, f"one of {', '.join(words)}")
    return found


def _accuracies(table: _Table, faults: _Faults) -> list[float]:
    return [_accuracy(i, cell, faults) for i, cell in enumerate(table.cells("accuracy_ft"), start=1)]


def _accuracy(i: int, cell: Any, faults: _Faults) -> float:
    if _null(cell) or cell == "":
        return 0.0
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        faults.add(i, "accuracy_ft", str(cell), "feet, 0 or more")
    return value


# --- geometry ---


def _lines(table: _Table, working: WorkingCrs | None, faults: _Faults) -> list[list[LineString]]:
    with np.errstate(invalid="ignore"):
        shapes = shapely.from_wkb(np.asarray(table.wkb, dtype=object), on_invalid="ignore")
    rows = [
        _vertices(i, wkb is None, shape, faults)
        for i, (wkb, shape) in enumerate(zip(table.wkb, shapes, strict=True), start=1)
    ]
    into = _projection(table.crs, working, rows, faults)
    return [
        [line for xy in row if (line := _line(i, xy, into, faults)) is not None] for i, row in enumerate(rows, start=1)
    ]


def _vertices(i: int, null: bool, shape: Geometry | None, faults: _Faults) -> list[_Floats]:
    """Take the lines of one row as arrays of x and y; none where the row's shape is at fault."""
    found = "no geometry" if null else "one vertex, or a shape that cannot be read"
    if isinstance(shape, LineString | MultiLineString):
        parts = [shapely.get_coordinates(part) for part in shapely.get_parts(shape) if not part.is_empty]
        if parts and all(np.isfinite(xy).all() for xy in parts):
            return parts
        found = "a coordinate that is no finite number" if parts else "an empty line"
    elif shape is not None:
        found = type(shape).__name__
    faults.add(i, "geometry", found, "a line of finite coordinates")
    return []


def _projection(
    crs: str | None, working: WorkingCrs | None, rows: list[list[_Floats]], faults: _Faults
) -> Callable[[_Floats], _Floats]:
    """Make the way into the working CRS; a fault of the CRS itself is told once, not by row."""
    if working is None:
        return lambda xy: xy
    try:
        project = to_working(crs or working.text, working)
        degrees = crs is not None and is_geographic(crs)
    except CrsError as error:
        faults.add(0, "crs", error.faults[0].found, error.faults[0].expected)
        return lambda xy: xy
    if not degrees and _look_like_degrees(rows):
        faults.add(0, "crs", f"{crs or 'none'}, with coordinates that look like degrees", _DECLARE)
        return lambda xy: xy

    def into(xy: _Floats) -> _Floats:
        if degrees:
            check_lonlat(xy[:, 0], xy[:, 1], working=working)
        return np.column_stack(project(xy[:, 0], xy[:, 1]))

    return into


def _look_like_degrees(rows: list[list[_Floats]]) -> bool:
    parts = [xy for row in rows for xy in row]
    if not parts:
        return False
    xy = np.concatenate(parts)
    return looks_like_degrees((*xy.min(axis=0), *xy.max(axis=0)))


def _line(i: int, xy: _Floats, into: Callable[[_Floats], _Floats], faults: _Faults) -> LineString | None:
    try:
        xy = into(xy)
    except GeometryError as error:
        faults.add(i, "geometry", error.faults[0].found, error.faults[0].expected)
        return None
    if not np.isfinite(xy).all():
        faults.add(i, "geometry", "a point beyond the working CRS", "a line near the village")
        return None
    xy = xy[np.r_[True, (np.diff(xy, axis=0) != 0).any(axis=1)]]
    if len(xy) < 2:
        faults.add(i, "geometry", "one distinct vertex", "a line of two or more distinct vertices")
        return None
    return LineString(xy)
