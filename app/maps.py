"""Maps of a village: its streets, base lines, block lines, faces and findings as layers, and folium to draw them.

folium writes the script of a map and nothing else here: one GeoJson layer a layer, Leaflet from an installed
package, no base map. What is written on the map (names, plates, marks) stands in the layers' properties and is
placed by ``static/labels.js``. The script is served as a file, so that no page needs an inline script.
"""

from __future__ import annotations

import gzip
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from app.map_styles import STYLES, WRITTEN, Style
from app.village import LONLAT, Village
from gis.blocks import Row
from gis.findings import Finding
from gis.halves import Half
from gis.linework import Floats
from gis.network import EW, NS
from gis.numbering import side_names

Json = dict[str, Any]
Bounds = tuple[tuple[float, float], tuple[float, float]]

FACE_FT = 34.0
"""How far beside the centerline a face's plate is written."""
TICK_FT = 26.0
"""Half the length of the tick that marks a block line."""
MARGIN_FT = 200.0
"""How far past the outermost line a map shows."""
DIGITS = 7


LEAFLET = [("leaflet", "/static/leaflet/leaflet.js")], [("leaflet_css", "/static/leaflet/leaflet.css")]
"""Where a map's Leaflet comes from: its script and its style sheet, served by the application."""


@dataclass(frozen=True)
class Mark:
    """A row of the map that has findings, and the number it is marked with on every map, strip and list.

    Parameters
    ----------
    number
        From 1, by street and half, outward.
    row
        The row.
    decide
        Whether one of its findings is more than a note: its mark is round, else square.
    """

    number: int
    row: Row
    decide: bool


@dataclass(frozen=True)
class MapScript:
    """The script that folium wrote for one map, ready to be sent.

    Parameters
    ----------
    body, packed
        The script, and the same compressed.
    tag
        A digest of it.
    """

    body: bytes
    packed: bytes
    tag: str


@dataclass(frozen=True)
class Needles:
    """Where the norths point on the map, degrees clockwise of straight up."""

    grid_deg: float
    axis_deg: float


@dataclass(frozen=True, eq=False)
class _Line:
    coords: Floats
    properties: Json


def marks(village: Village) -> tuple[Mark, ...]:
    """Number the rows that have findings of their own.

    Parameters
    ----------
    village
        The village.

    Returns
    -------
    tuple of Mark
        By street, half and outward.
    """
    return _marks(village)


def own_findings(village: Village, row: Row) -> tuple[Finding, ...]:
    """Return what was found on a row itself, and not on its whole half-street."""
    return tuple(f for f in row.findings if f not in village.map.halves[row.half].findings)


@lru_cache(maxsize=16)
def _marks(village: Village) -> tuple[Mark, ...]:
    rows = (row for s in village.streets for row in village.rows_of(s.name) if own_findings(village, row))
    return tuple(
        Mark(number, row, any(f.kind.severity != "note" for f in own_findings(village, row)))
        for number, row in enumerate(rows, start=1)
    )


@lru_cache(maxsize=128)
def map_script(village: Village, street: str = "") -> MapScript:
    """Draw the village, or one street among the others, with folium.

    Parameters
    ----------
    village
        The village.
    street
        The official name of a street, or ``""`` for the whole village.

    Returns
    -------
    MapScript
        Made once for each village and street.
    """
    return drawn(layers(village, street), bounds(village, street))


def drawn(made: Mapping[str, Json], focus: Bounds, styles: Mapping[str, Style] | None = None) -> MapScript:
    """Draw layers with folium, the lowest first.

    Parameters
    ----------
    made
        GeoJSON by the name of its layer, as `layers` gives it and others besides.
    focus
        The corners of what the map shows.
    styles
        How the others look.

    Returns
    -------
    MapScript
        The map's script.
    """
    import folium  # half a second, which the start need not wait for
    from branca.element import Figure

    styles = {**STYLES, **(styles or {})}
    drawn = folium.Map(
        tiles=None, zoom_control=True, attribution_control=False, zoom_snap=0.25, zoom_delta=0.5, max_zoom=21
    )
    drawn.default_js, drawn.default_css = LEAFLET
    drawn._id = "village"
    for name, features in made.items():
        options: Json = {"smooth_factor": 0.5, "interactive": False, "control": False, "show": name not in WRITTEN}
        layer = folium.GeoJson(features, style_function=styles.get(name), name=name, **options)
        layer._id = name
        layer.add_to(drawn)
    drawn.fit_bounds(focus)
    figure = drawn.get_root()
    assert isinstance(figure, Figure)
    figure.render()
    body = str(figure.script.render()).encode()
    return MapScript(body, gzip.compress(body, 6, mtime=0), hashlib.sha256(body).hexdigest()[:16])


def layers(village: Village, street: str = "") -> dict[str, Json]:
    """Return a map's layers, the lowest first.

    Parameters
    ----------
    village
        The village.
    street
        With it, blocks, faces and findings are those of this street only.

    Returns
    -------
    dict
        GeoJSON feature collections in longitude and latitude, by name.
    """
    wanted = [row for row in village.map.rows if not street or row.street == street]
    roads = list(_roads(village, street))
    made: Mapping[str, Iterable[_Line]] = {
        "other": _other(village),
        "extended": _extended(village, wanted),
        "casings": roads,
        "streets": roads,
        "base_lines": _base_lines(village),
        "block_lines": _block_lines(village, wanted),
        "faces": _faces(village, wanted),
        "findings": _finding_rows(village, street),
    }
    return {name: _collection(village, lines) for name, lines in made.items()}


def bounds(village: Village, street: str = "") -> Bounds:
    """Return the south-west and north-east corner, latitude first, of what a map shows.

    Parameters
    ----------
    village
        The village.
    street
        The street to show, or ``""`` for all.

    Returns
    -------
    tuple
        Two corners, each latitude and longitude.
    """
    lines = [piece.line for piece in village.network.pieces if not street or piece.name == street]
    lines += [] if street else [base.line for base in village.network.bases.values()]
    boxes = np.array([line.bounds for line in lines])
    (west, south), (east, north) = boxes[:, :2].min(axis=0) - MARGIN_FT, boxes[:, 2:].max(axis=0) + MARGIN_FT
    corners = village.out_of_feet(LONLAT)(np.array([west, west, east, east]), np.array([south, north, south, north]))
    lon, lat = corners
    return (float(lat.min()), float(lon.min())), (float(lat.max()), float(lon.max()))


def core(village: Village) -> Bounds:
    """Return the corners of the part where most streets are: where the middles of four pieces in five lie."""
    middles = np.array([piece.line.interpolate(0.5, normalized=True).coords[0] for piece in village.network.pieces])
    low, high = np.percentile(middles[:, :2], [10, 90], axis=0)
    lon, lat = village.out_of_feet(LONLAT)(*np.stack([low - MARGIN_FT, high + MARGIN_FT], axis=1))
    return (float(lat[0]), float(lon[0])), (float(lat[1]), float(lon[1]))


def needles(village: Village) -> Needles:
    """Return where grid north and the north of the axes point on the map.

    Parameters
    ----------
    village
        The village.

    Returns
    -------
    Needles
        Degrees clockwise of straight up.
    """
    net = village.network
    tips = np.stack([net.crossing, net.crossing + np.array([0.0, 1000.0]), net.crossing + 1000.0 * net.north])
    lon, lat = village.out_of_feet(LONLAT)(tips[:, 0], tips[:, 1])
    across = (lon[1:] - lon[0]) * math.cos(math.radians(float(lat[0])))
    grid, axis = np.degrees(np.arctan2(across, lat[1:] - lat[0]))
    return Needles(round(float(grid), 1), round(float(axis), 1))


def roads(village: Village) -> Iterator[tuple[Floats, str, str]]:
    """Give each stretch of street on the ground: its vertices (working CRS, feet), its kind and name.

    Parameters
    ----------
    village
        The village.

    Yields
    ------
    tuple
        The kind is ``"base_line"`` where the street is one.
    """
    for line in _roads(village, ""):
        known = line.properties
        yield line.coords, "base_line" if known["base"] else known["kind"], known["name"]


def ground(half: Half) -> tuple[float, float]:
    """Return the stations between which a half-street exists on the ground; equal where it does not."""
    if not half.physical.any():
        return 0.0, 0.0
    return float(half.stations[:-1][half.physical].min()), float(half.stations[1:][half.physical].max())


def along(half: Half, near: float, far: float) -> Floats:
    """Return the vertices of a half-street between two stations; past its end, straight on."""
    inside = half.stations[(half.stations > near) & (half.stations < far)]
    return np.array([_at(half, s) for s in (near, *inside, far)])


def _at(half: Half, station: float) -> Floats:
    over = station - half.stations[-1]
    if over <= 0:
        return half.point(station)
    step = half.coords[-1] - half.coords[-2]
    return np.asarray(half.coords[-1] + step / np.hypot(*step) * over)


def _beside(coords: Floats, left_ft: float) -> Floats:
    """Move a line sideways, left as drawn where positive."""
    steps = np.diff(coords, axis=0)
    steps = steps / np.maximum(np.hypot(steps[:, 0], steps[:, 1]), 1e-9)[:, None]
    normals = np.stack([-steps[:, 1], steps[:, 0]], axis=1)
    at = np.vstack([normals[:1], (normals[:-1] + normals[1:]) / 2, normals[-1:]])
    return np.asarray(coords + left_ft * at)


# --- the layers ---


def _collection(village: Village, lines: Iterable[_Line]) -> Json:
    """Return lines as GeoJSON; all their vertices are projected in one call."""
    kept = list(lines)
    every = np.concatenate([line.coords for line in kept]) if kept else np.zeros((0, 2))
    lon, lat = village.out_of_feet(LONLAT)(every[:, 0], every[:, 1])
    vertices = np.round(np.stack([lon, lat], axis=1), DIGITS).tolist()
    features, at = [], 0
    for k, line in enumerate(kept):
        size = len(line.coords)
        geometry = {"type": "LineString", "coordinates": vertices[at : at + size]}
        features.append({"type": "Feature", "id": k, "properties": line.properties, "geometry": geometry})
        at += size
    return {"type": "FeatureCollection", "features": features}


def _runs(keys: list[Any]) -> Iterator[tuple[Any, int, int]]:
    """Give each run of equal keys with its first and last vertex."""
    at = 0
    for key, members in groupby(keys):
        size = len(list(members))
        yield key, at, at + size
        at += size


def _other(village: Village) -> Iterator[_Line]:
    for feature, line in village.files.linework:
        yield _Line(np.asarray(line.coords)[:, :2], {"feature": feature})


def _roads(village: Village, street: str) -> Iterator[_Line]:
    """Each street's pieces that follow on each other with the same kind, on the ground."""
    net = village.network
    status = {s.name: s.name_status for s in village.streets}
    bases = {net.streets[base.street].name for base in net.bases.values()}
    for path in net.streets:
        if len(path.chain.coords) < 2:
            continue
        kinds = [
            net.pieces[p].kind if p >= 0 and on else ""
            for p, on in zip(path.chain.piece, path.chain.physical, strict=True)
        ]
        for kind, first, last in _runs(kinds):
            if kind:
                known = {"name": path.name, "kind": kind, "status": status[path.name], "base": path.name in bases}
                yield _Line(
                    path.chain.coords[first : last + 1], {**known, "muted": bool(street) and path.name != street}
                )


def _extended(village: Village, rows: Iterable[Row]) -> Iterator[_Line]:
    """What a block is counted along but does not exist: the way to the base line, extensions to the last line."""
    far: dict[int, float] = {}
    for row in rows:
        if not row.virtual:
            far[row.half] = max(far.get(row.half, 0.0), row.to_ft)
    for index, reach in far.items():
        half = village.map.halves[index]
        for physical, first, last in _runs(half.physical.tolist()):
            near, end = float(half.stations[first]), min(float(half.stations[last]), reach)
            if not physical and end - near > 1.0:
                yield _Line(along(half, near, end), {"name": village.network.streets[half.street].name})


def _base_lines(village: Village) -> Iterator[_Line]:
    """Each base line in its built and extended parts, with the letters of its ends."""
    net = village.network
    for family, letters in ((NS, ("W", "E")), (EW, ("S", "N"))):
        base = net.bases[family]
        own, name = len(net.streets[base.street].chain.coords), net.streets[base.street].name
        before = next(
            k for k in range(len(base.coords)) if _is_end(base.coords[k], net.streets[base.street].chain.coords)
        )
        parts = ((0, before, True), (before, before + own - 1, False), (before + own - 1, len(base.coords) - 1, True))
        real = [(a, b, assumed) for a, b, assumed in parts if b > a]
        for k, (first, last, assumed) in enumerate(real):
            ends = {"start": letters[0] if k == 0 else "", "end": letters[1] if k == len(real) - 1 else ""}
            yield _Line(base.coords[first : last + 1], {"name": name, "assumed": assumed, **ends})


def _is_end(point: Floats, coords: Floats) -> bool:
    return bool(min(np.abs(point - coords[0]).max(), np.abs(point - coords[-1]).max()) < 1e-6)


def _block_lines(village: Village, rows: Iterable[Row]) -> Iterator[_Line]:
    """A tick across the street at the end of each block that lies on the ground."""
    for row in rows:
        half = village.map.halves[row.half]
        low, high = ground(half)
        if not row.to_streets or not low - 1.0 <= row.to_ft <= high + 1.0:
            continue
        middle, step = _at(half, row.to_ft), _at(half, row.to_ft + 1.0) - _at(half, row.to_ft - 1.0)
        across = np.array([-step[1], step[0]]) / max(float(np.hypot(*step)), 1e-9) * TICK_FT
        known = {"street": row.street, "at_ft": round(row.to_ft, 1), "lines": " and ".join(row.to_streets)}
        yield _Line(np.array([middle - across, middle + across]), {**known, "built": row.built or _met(village, row)})


def _met(village: Village, row: Row) -> bool:
    """Whether a row's outer line is on the ground: the next row that begins there, or it, is built."""
    inner = [r for r in village.rows_of(row.street) if r.half == row.half and r.block == row.block + 1]
    return any(r.built for r in inner)


def _faces(village: Village, rows: Iterable[Row]) -> Iterator[_Line]:
    """Both sides of each block that lies on the ground, each with the numbers of its hundred."""
    law = village.law.numbering
    for row in rows:
        half = village.map.halves[row.half]
        low, high = ground(half)
        near, far = max(row.from_ft, low), min(row.to_ft, high)
        if far - near < 10.0:
            continue
        pull = min(12.0, (far - near) / 4)
        line = along(half, near + pull, far - pull)
        odd, even = side_names(village.network.streets[half.street].family)
        for parity, side, first in (("even", even, law.first_even), ("odd", odd, law.first_odd)):
            left = half.even_is_left == (parity == "even")
            numbers = numbers_of(row, first, law.hundred, law.last_unit)
            known = {"street": row.street, "half": row.side, "block": row.block, "side": side, "parity": parity}
            known |= {"hundred": row.hundred}
            yield _Line(
                _beside(line, FACE_FT if left else -FACE_FT),
                {**known, "numbers": numbers, "ft": round(far - near), "left": 1 if left else -1},
            )


def numbers_of(row: Row, first: int, hundred: int, last_unit: int) -> str:
    """Return the numbers of one side of a block as they are written on its plate, such as ``110–198``."""
    return f"{row.hundred + first}–{min(row.hundred + first + 2 * last_unit, row.hundred + hundred - 1)}"


def _finding_rows(village: Village, street: str) -> Iterator[_Line]:
    """The middle of each row with findings, where it lies on the ground."""
    for mark in marks(village):
        half = village.map.halves[mark.row.half]
        low, high = ground(half)
        near, far = max(mark.row.from_ft, low), min(mark.row.to_ft, high)
        if far - near < 1.0 or (street and mark.row.street != street):
            continue
        yield _Line(along(half, near, far), {"mark": mark.number, "decide": mark.decide, "ft": round(far - near)})
