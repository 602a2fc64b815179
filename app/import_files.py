"""Files that are brought in, read as tables: CSV by Python, everything else by OGR. A file is a stranger's.

OGR chooses its driver by what a file holds, and some drivers read what the file names: other files, or the network.
So a file is opened only as what its name says, after its first bytes were seen to be that; and an archive is unpacked
here, within bounds, never by OGR.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import sqlite3
import stat
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyogrio
import pyogrio.raw
import shapely
from numpy.typing import NDArray

from app.import_tables import MOST_TEXT, READS, FileError, Sheet, check_rows, check_size, read_csv

TEXTS = (".csv", ".tsv", ".txt")
SUFFIXES = (*TEXTS, ".gpkg", ".geojson", ".json", ".shp", ".zip", ".gdb", ".osm", ".pbf", ".fgb", ".kml")
"""Names of files that can be brought in end with one of these."""
WHOLE = frozenset({*TEXTS, ".geojson", ".json", ".kml", ".osm"})
"""Texts, which take far more memory than room on the disk."""
MOST_MEMBERS = 10_000
MOST_UNPACKED = 500_000_000
"""Bytes that an archive may unpack to."""
PARTS = frozenset(
    {".shp", ".shx", ".dbf", ".prj", ".cpg", ".gpkg", ".geojson", ".json", ".csv", ".tsv", ".txt", ".fgb", ".osm"}
    | {".kml", ".pbf", ".gdbtable", ".gdbtablx", ".gdbindexes", ".freelist", ".atx", ".spx", ".horizon"}
)
"""Members of an archive that are unpacked; others are left."""
_GEOJSON_CRS = "longitude and latitude of WGS 84, which GeoJSON is in where it names no other (RFC 7946)"


def read_file(path: Path, aside: Path, kind: str, layer: str = "", name: str = "", *, trusted: bool = False) -> Sheet:
    """Read a file as a table.

    Parameters
    ----------
    path
        The file on this machine, or a file geodatabase's folder.
    aside
        An empty folder to unpack an archive in.
    kind
        What it holds: addresses, lots, buildings, streets or layers.
    layer
        The layer, where the file has several that could be meant.
    name
        What the file was called; the name of `path` when left out.
    trusted
        Whether the caller may read any file here, and so whatever OGR reads.

    Returns
    -------
    Sheet
        Its rows.

    Raises
    ------
    FileError
        It is none of the kinds that are read, or is not what its name says; it has no such layer.
    """
    name = name or path.name
    if str(path).startswith("/vsi") or not path.exists():
        raise FileError.of("file", f"no file {str(path)[:200]}", f"a file on this machine: {READS}")
    suffix = path.suffix.lower()
    if suffix == ".zip":
        path = _unpacked(path, aside)
        suffix = path.suffix.lower()
    if suffix in TEXTS:
        return read_csv(path)
    if suffix in WHOLE and path.stat().st_size > MOST_TEXT:
        raise FileError.of("file", f"{path.stat().st_size / 1e6:,.0f} MB of text", f"at most {MOST_TEXT // 10**6} MB")
    if suffix not in _OPENED and not trusted:
        raise FileError.of("file", f"a file {suffix or name}"[:80], READS)
    if suffix == ".shp":
        _whole_shapefile(path)
    opened = _OPENED.get(suffix, _any)(path)
    if suffix in {".osm", ".pbf"}:
        return _osm(opened, kind)
    try:
        return _ogr(path, opened, kind, layer)
    except (RuntimeError, ValueError, OSError, UnicodeError) as error:
        raise FileError.of("file", _said(error, path), f"a file that can be read: {READS}") from error


def _said(error: Exception, path: Path) -> str:
    told = str(error).replace(str(path.resolve()), "the file").replace(str(path), "the file")
    return re.sub(r"(/[^\s/'\"]+)+/", "", told).split(";")[0][:200]  # no folder of this machine


# --- what a file is ---


def _starts(what: str, *marks: bytes) -> Callable[[Path], str]:
    def opened(path: Path) -> str:
        with path.open("rb") as file:
            head = file.read(4096)
        if not any(mark in head[: 64 + len(mark)] for mark in marks):
            raise FileError.of("file", f"no {what} inside", f"{what}, as its name says")
        if b"<OGRVRT" in head:
            raise FileError.of("file", "what names other files", f"{what}, as its name says")
        return str(path.resolve())

    return opened


_SQL = re.compile(r"\b(ogr_\w+|gdal_\w+|load_extension|readfile|writefile)\s*\(|\bvirtual(ogr|shape)", re.I)


def _gpkg(path: Path) -> str:
    """See that a GeoPackage is a database without functions that would read elsewhere."""
    opened = _starts("GeoPackage", b"SQLite format 3\0")(path)
    asked = "SELECT sql FROM sqlite_master WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%'"
    place = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(place, uri=True)) as database:
            found = [row[0] or "" for row in database.execute(asked)]
    except sqlite3.Error as error:
        raise FileError.of("file", f"no GeoPackage inside ({error})", "GeoPackage, as its name says") from error
    if any(_SQL.search(sql) for sql in found):
        raise FileError.of("file", "a view or trigger that reads elsewhere", "a GeoPackage of plain tables")
    return opened


_XML_START = re.compile(rb"(\xef\xbb\xbf)?\s*(<\?xml[^>]*\?>)?\s*(<!--.*?-->\s*)*<(osm|kml|osmChange)[\s>]", re.S)


def _xml(path: Path) -> str:
    """See that an XML file begins as it should and declares no entities, which could multiply without end."""
    with path.open("rb") as file:
        head = file.read(4096)
        if not _XML_START.match(head) or b"<OGRVRT" in head or b"\0" in head:
            raise FileError.of("file", "no KML or OpenStreetMap data inside", "KML or OSM in UTF-8, as its name says")
        last = b""
        while head:
            if b"<!ENTITY" in last + head or b"<!DOCTYPE" in last + head:
                raise FileError.of("file", "XML with entities of its own", "plain XML without a document type")
            last, head = head[-16:], file.read(1 << 20)
    return str(path.resolve())


def _geojson(path: Path) -> str:
    # named, for by its content alone OGR would run the commands that a file of GDAL's own may hold
    return f"GeoJSON:{path.resolve()}"


def _folder(path: Path) -> str:
    if not path.is_dir() or not any(path.glob("*.gdbtable")):
        raise FileError.of("file", "no file geodatabase inside", "a folder .gdb with its tables, or that folder zipped")
    return str(path.resolve())


def _any(path: Path) -> str:
    return _starts("data", b"")(path) if path.is_file() else str(path.resolve())


_OPENED: Mapping[str, Callable[[Path], str]] = {
    ".gpkg": _gpkg,
    ".geojson": _geojson,
    ".json": _geojson,
    ".shp": _starts("shapefile", b"\0\0\x27\x0a"),
    ".gdb": _folder,
    ".osm": _xml,
    ".kml": _xml,
    ".pbf": _starts("OpenStreetMap extract", b"OSMHeader"),
    ".fgb": _starts("FlatGeobuf", b"fgb"),
}


def _unpacked(path: Path, aside: Path) -> Path:
    """Unpack an archive within bounds, and return what of it is to be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if not m.is_dir()]
            if len(members) > MOST_MEMBERS:
                raise FileError.of("file", f"an archive of {len(members):,} files", f"at most {MOST_MEMBERS:,}")
            left = MOST_UNPACKED
            for member in members:
                left = _extract(archive, member, aside, left)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, UnicodeError) as error:
        raise FileError.of("file", f"an archive that cannot be unpacked ({error})"[:200], "a zip archive") from error
    found = sorted({p.parent for p in aside.rglob("*.gdbtable") if p.parent.suffix.lower() == ".gdb"})
    files = [p for p in sorted(aside.rglob("*")) if p.suffix.lower() in SUFFIXES and p.is_file()]
    found += [p for p in files if p.suffix.lower() != ".txt"]  # a text beside others says what they are
    found = found or files
    if not found:
        held = ", ".join(PurePosixPath(m.filename).name for m in members[:5]) or "nothing in it"
        raise FileError.of("file", f"an archive with no file that is read: {held}"[:200], f"one of {READS}")
    if len(found) > 1:
        told = ", ".join(p.name for p in found[:8])
        words = f"an archive with {len(found)} files that could be read: {told}"
        raise FileError.of("file", words[:300], "one shapefile, geodatabase or other file in it; send each by itself")
    return found[0]


def _whole_shapefile(path: Path) -> None:
    """See that a shapefile has the files beside it without which it cannot be read."""
    beside = {p.name.casefold() for p in path.parent.iterdir()}
    missing = [path.stem + end for end in (".shx", ".dbf") if (path.stem + end).casefold() not in beside]
    if missing:
        expected = "a shapefile with its .shp, .shx and .dbf together, best with its .prj"
        raise FileError.of("file", f"{path.name} without {' and '.join(missing)}", expected)


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, aside: Path, left: int) -> int:
    """Write one member under a name of its own; returns how many bytes may still be unpacked."""
    name = PurePosixPath(member.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or stat.S_ISLNK(member.external_attr >> 16):
        raise FileError.of("file", f"a member named {str(name)[:80]!r}", "an archive whose files lie within it")
    if name.suffix.lower() not in PARTS and not any(part.lower().endswith(".gdb") for part in name.parts[:-1]):
        return left
    if any(part.startswith((".", "__MACOSX")) for part in name.parts):
        return left
    target = aside / Path(*(re.sub(r"[^\w.-]", "_", part)[-100:] for part in name.parts))
    target.parent.mkdir(parents=True, exist_ok=True)
    most = min(left, MOST_TEXT) if name.suffix.lower() in WHOLE else left
    took = 0
    with archive.open(member) as source, target.open("xb") as out:
        while block := source.read(1 << 20):  # what the archive says of its sizes need not be so
            took += len(block)
            if took > most:
                shutil.rmtree(aside, ignore_errors=True)
                limit = MOST_TEXT if most == MOST_TEXT else MOST_UNPACKED
                found = f"an archive whose {name.name[:60]} unpacks to more than can be read"
                raise FileError.of("file", found, f"at most {limit // 10**6:,} MB unpacked")
            out.write(block)
    return left - took


# --- OGR ---

_SHAPES: dict[str, tuple[str, ...]] = {
    "addresses": ("Point", "Polygon"),
    "streets": ("Line", "Curve"),
    "lots": ("Polygon", "Surface"),
}
_SHAPES["buildings"] = _SHAPES["lots"]
_SHAPES["layers"] = (*_SHAPES["addresses"], *_SHAPES["streets"], *_SHAPES["lots"])


def _layer(layers: Mapping[str, str], kind: str, wanted: str) -> str:
    """Choose the layer that is meant."""
    if wanted:
        found = [name for name in layers if name.casefold() == wanted.casefold()]
        if not found:
            raise FileError.of("layer", wanted, f"one of {', '.join(layers) or 'none'}")
        return found[0]
    fitting = [n for n, shape in layers.items() if any(s in shape for s in (*_SHAPES[kind], "Unknown"))]
    if kind == "addresses" and len(fitting) > 1:
        fitting = [n for n in fitting if "Point" in layers[n]] or fitting
    if len(fitting) > 1:
        fitting = [n for n in fitting if kind.rstrip("es")[:5] in n.casefold()] or fitting
    if len(layers) == 1:
        fitting = list(layers)
    if len(fitting) != 1:
        told = ", ".join(f"{name} ({shape})" for name, shape in layers.items()) or "no layer"
        raise FileError.of("layer", told[:300], f"one layer of {kind}; name the one that is meant")
    return fitting[0]


def _ogr(path: Path, opened: str, kind: str, wanted: str) -> Sheet:
    layers = {str(name): str(shape) for name, shape in pyogrio.list_layers(opened)}
    layer = _layer(layers, kind, wanted)
    info = pyogrio.read_info(opened, layer=layer)
    check_size(info["features"], len(info["fields"]))
    meta, _, wkb, cells = pyogrio.raw.read(opened, layer=layer, force_2d=True)
    names = [str(name) for name in meta["fields"]]
    count = len(wkb) if wkb is not None else len(cells[0]) if cells else 0
    check_rows(count)
    columns = {name: _texts(column) for name, column in zip(names, cells, strict=True)}
    crs, assumed = meta["crs"], ""
    if info["driver"] == "GeoJSON":
        crs, assumed = geojson_crs(path)
    return Sheet(columns, None if wkb is None else _shapes(wkb), crs or None, layer, f"{info['driver']}, layer {layer}",
                 layers=tuple(layers), crs_assumed=assumed)  # fmt: skip


def _shapes(wkb: Any) -> NDArray[np.object_]:
    with np.errstate(invalid="ignore"):
        return np.asarray(shapely.from_wkb(np.asarray(wkb, dtype=object), on_invalid="ignore"), dtype=object)


def _texts(cells: NDArray[Any]) -> list[str]:
    if cells.dtype.kind == "f":
        return [_decimal(value) for value in cells.tolist()]
    return ["" if v is None else v if isinstance(v, str) else str(v).replace("NaT", "") for v in cells.tolist()]


def _decimal(value: float) -> str:
    if not math.isfinite(value):
        return ""
    return f"{value:.0f}" if value == int(value) else repr(value)


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]')


def geojson_crs(path: Path) -> tuple[str | None, str]:
    """Return the CRS that a GeoJSON file names, and what is assumed where it names none.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    tuple of (str or None, str)
        The CRS, and in words that it is the one of the standard; ``""`` where the file names it.

    Raises
    ------
    FileError
        The member ``crs`` is there and names none.
    """
    text = path.read_bytes()
    if b'"crs"' not in text:
        return "EPSG:4326", _GEOJSON_CRS
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        depth += (mark in b"{[") - (mark in b"}]")
        following = text[token.end() : token.end() + 400].lstrip()
        if depth == 1 and mark == b'"crs"' and following.startswith(b":"):
            value = following[1:].decode("utf-8", "replace").lstrip()
            return _named(value)
    return "EPSG:4326", _GEOJSON_CRS


def _named(text: str) -> tuple[str | None, str]:
    try:
        member, _ = json.JSONDecoder().raw_decode(text)
        name = member["properties"]["name"] if member is not None else None
    except (ValueError, TypeError, KeyError) as error:
        raise FileError.of("crs", text[:80], '{"type": "name", "properties": {"name": "EPSG:4269"}}') from error
    return (str(name), "") if name else (None, "")


# --- OpenStreetMap ---

_OSM_LAYERS = {"addresses": ("points", "multipolygons"), "streets": ("lines",), "lots": ("multipolygons",)}
_OSM_LAYERS["buildings"] = ("multipolygons",)
_TAG = re.compile(r'"((?:[^"\\]|\\.)*)"=>"((?:[^"\\]|\\.)*)"')
_DRIVEN = frozenset(
    [
        "residential",
        "unclassified",
        "tertiary",
        "secondary",
        "primary",
        "trunk",
        "service",
        "living_street",
        "road",
        "track",
    ]
)


def _osm(opened: str, kind: str) -> Sheet:
    """Read an extract: tags become columns, and only what is of the kind is kept."""
    if kind not in _OSM_LAYERS:
        raise FileError.of("file", "an OpenStreetMap extract", "a survey, which says how far off it is")
    parts = []
    for layer in _OSM_LAYERS[kind]:
        try:
            meta, _, wkb, cells = pyogrio.raw.read(opened, layer=layer, force_2d=True)
        except (RuntimeError, ValueError, OSError, UnicodeError) as error:
            raise FileError.of("file", _said(error, Path(opened)), "an OpenStreetMap extract") from error
        columns = dict(zip(map(str, meta["fields"]), (c.tolist() for c in cells), strict=True))
        for k, shape in enumerate(_shapes(wkb)):
            known = {name: str(column[k]) for name, column in columns.items() if column[k] is not None}
            tags = {_plain(a): _plain(b) for a, b in _TAG.findall(known.pop("other_tags", ""))}
            if _of_kind(kind, {**known, **tags}):
                parts.append(({**known, **tags}, shape))
    check_rows(len(parts))
    kept = ("osm_id", "osm_way_id", "name", "highway", "building", "addr:housenumber", "addr:street", "addr:unit")
    always = {"name"} if kind == "streets" else set()
    has = always.union(*(tags for tags, _ in parts))
    found = {name: [tags.get(name, "") for tags, _ in parts] for name in kept if name in has}
    if kind == "buildings":
        ids = [tags.get("osm_way_id") or tags.get("osm_id", "") for tags, _ in parts]
        found = {"osm_id": ids, **{n: c for n, c in found.items() if not n.startswith("osm_")}}
    shapes = np.empty(len(parts), dtype=object)
    shapes[:] = [shape for _, shape in parts]
    return Sheet(found, shapes, "EPSG:4326", " and ".join(_OSM_LAYERS[kind]), "OpenStreetMap extract")


def _of_kind(kind: str, tags: Mapping[str, str]) -> bool:
    if kind == "addresses":
        return "addr:housenumber" in tags
    if kind == "streets":
        return tags.get("highway") in _DRIVEN
    return kind == "lots" or "building" in tags


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
