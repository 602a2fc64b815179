"""Surveyed features of the right-of-way in a file: read, held to their layer, and told by row where they are at fault.

Each stands in the place of what is built from the cross-section beside it, and of what an older survey has there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

import numpy as np
import shapely
from shapely import LineString
from shapely.geometry import mapping as geojson
from shapely.geometry import shape as as_shape
from shapely.geometry.base import BaseGeometry
from shapely.validation import explain_validity
from sqlalchemy.engine import Connection

from app import registers
from app.clocks import not_too_early
from app.import_addresses import AT_ONCE, Tick
from app.import_places import Known
from app.import_report import Report
from app.import_shapes import MOST_ROUND_FT, projected, shapes_told
from app.import_tables import Sheet
from app.law import today
from app.positions import LINES, MOST_VERTICES, POLYGONS, SHAPES
from app.settings import tidy
from app.street_tables import layer_features
from app.village import Village
from gis.errors import Fault, GeometryError, StreetsError
from gis.lengths import read_length_ft
from gis.linework import Floats

Json = dict[str, Any]

WHOLE = ("layer", "accuracy_ft", "surveyed_on", "source")
"""Fields of which one value may be given for all of a file."""
_AREAS = ("right_of_way", "pavement", "sidewalk", "alley", "public_ground", "dedicated_land", "easement", "lot")
KINDS: Mapping[str, tuple[tuple[str, ...], str]] = MappingProxyType(
    {
        **dict.fromkeys(_AREAS, (POLYGONS, "a polygon")),
        "curb_line": (LINES, "a line"),
        "hydrant": (("Point", "MultiPoint"), "a point"),
        "ditch": ((*SHAPES, "MultiPoint"), "a point, a line or a polygon"),
        "crossing": ((*SHAPES, "MultiPoint"), "a point, a line or a polygon"),
    }
)
"""Layers that are brought in, and what their features are."""
OTHERWISE = {
    "terrace": "another layer: terraces are derived from curb and walk",
    "centerline": "another layer: centerlines are brought in as streets",
}
USES = ("residential", "commercial", "exempt")
OWN = MappingProxyType({"holder": "easement", "owner": "lot", "occupant": "lot", "use": "lot"})
"""The layer that each of these is kept of."""
MOST_TEXT = 200
MOST_ACCURACY_FT = 1000.0
_ALONG = ("right_of_way", "pavement")
STREET_FT = 100.0
"""A shape of one street holds less of the centerline of any other."""
MOST_SHARE = 0.5
"""An older feature of which more than this part lies under newer ones is theirs."""
BESIDE_FT = 1.0
"""A line or point so near a newer one, beside what both are good to, is the same."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A feature ready to be stored; each part of one that lies in several has a row of its own.

    Parameters
    ----------
    row
        Of the file.
    layer, label
        Which layer, and what it is of.
    shape
        Working CRS, US survey feet.
    known
        What is kept beside it.
    source
        Where it is from; ``""`` for the file itself.
    surveyed_on
        The day, or None.
    accuracy_ft
        At 95 %, feet.
    """

    row: int
    layer: str
    label: str
    shape: BaseGeometry
    known: Json
    source: str
    surveyed_on: date | None
    accuracy_ft: float

    @property
    def json(self) -> Json:
        """The shape as the register holds it, to a thousandth of a foot."""
        return dict(geojson(shapely.transform(self.shape, lambda xy: xy.round(3))))


@dataclass(frozen=True, eq=False)
class Pieces:
    """The features of a file, and the ids of those that stand and lie under them."""

    pieces: Sequence[Piece]
    covered: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.pieces)


def check_whole(kind: str, whole: Mapping[str, str]) -> dict[str, str]:
    """Return what is said of all of a file, refusing what cannot be.

    Parameters
    ----------
    kind
        Of import.
    whole
        A value for some of `WHOLE`.

    Returns
    -------
    dict
        Without those that say nothing.

    Raises
    ------
    StreetsError
        Each field at fault, called ``all_...``.
    """
    given = {name: tidy(text) for name, text in whole.items() if tidy(text)}
    if given and kind != "layers":
        raise StreetsError.of(
            "all", ", ".join(given), "nothing: only of a file of layers is something said for all of it"
        )
    report, faults = Report(), list[Fault]()
    for name, text in given.items():
        if name not in WHOLE:
            faults.append(Fault("all", name[:60], f"one of {', '.join(WHOLE)}"))
        else:
            _READ[name](text, 0, report)
    faults += [Fault(f"all_{fault.field}", fault.found, fault.expected) for _, fault in report.faults]
    if faults:
        raise StreetsError("What is said of all of the file cannot be used.", faults)
    return given


def pieces(
    village: Village,
    connection: Connection,
    sheet: Sheet,
    mapping: Mapping[str, str],
    crs: Known,
    report: Report,
    tick: Tick,
    whole: Mapping[str, str],
) -> Pieces:
    """Read a file's features; every fault goes to the report.

    Parameters
    ----------
    village
        The village in force.
    connection
        To the register, read only.
    sheet
        The file.
    mapping
        A field for each column that has one.
    crs
        Of its coordinates.
    report
        Takes faults and warnings.
    tick
        Told how far it is.
    whole
        What is said of all of it, by `check_whole`; a cell goes before it.

    Returns
    -------
    Pieces
        What can be stored, where the report has no fault.
    """
    columns = {field: column for column, field in mapping.items()}
    shapes = shapes_told(sheet, columns, report)
    for field, expected in (("layer", "a column that names the layer"), ("accuracy_ft", "a column of accuracies")):
        if field not in columns and field not in whole:
            had = ", ".join(sheet.columns)[:200] or "none"
            report.fault(0, "columns", had, f"{expected}; map it, or say it of all of the file")
    if shapes is None or not projected(shapes, crs, report):
        return Pieces(())
    shapely.prepare(village.network.edge)
    found: list[Piece] = []
    reader = _Reader(village, sheet, columns, whole, report)
    for k, shape in enumerate(shapes):
        if k % AT_ONCE == 0:
            tick("reading features", k, len(shapes))
        found += reader.read(k, shape)
    _once(found, report)
    tick("comparing with the register", len(shapes), len(shapes))
    return Pieces(found, _check_covered(connection, found, report))


# --- cells ---


def _layer(text: str, row: int, report: Report) -> str:
    folded = re.sub(r"[^a-z]+", "_", text.casefold()).strip("_")
    name = folded if folded in KINDS else folded.removesuffix("s")
    if name in KINDS:
        return name
    report.fault(row, "layer", text, OTHERWISE.get(name) or f"one of {', '.join(KINDS)}")
    return ""


def _accuracy(text: str, row: int, report: Report) -> float:
    expected = f"how far off at 95 %, 0 to {MOST_ACCURACY_FT:,.0f} ft, such as 0.2 or 3 in"
    try:
        value = read_length_ft(text, "accuracy_ft")
    except GeometryError:
        value = -1.0
    if not 0 <= value <= MOST_ACCURACY_FT:
        report.fault(row, "accuracy_ft", text, expected)
        return 0.0
    return round(value, 6)


def _day(text: str, row: int, report: Report) -> date | None:
    """Read a day as files have it, a time behind it or not."""
    if not text:
        return None
    plain = re.fullmatch(r"([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})(?:[T ].*)?", text)
    typed = re.fullmatch(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})", text)
    parts = plain.groups() if plain else (typed[3], typed[1], typed[2]) if typed else ()
    try:
        year, month, day = map(int, parts)
        found = not_too_early(date(year, month, day), "surveyed_on")
        if found > today():
            raise ValueError
    except (ValueError, StreetsError):
        report.fault(row, "surveyed_on", text, "a day that has come, such as 2026-06-01 or 6/1/2026")
        return None
    return found


def _words(text: str, row: int, report: Report, field: str = "source") -> str:
    if len(text) > MOST_TEXT or not text.isprintable():
        report.fault(row, field, text, f"at most {MOST_TEXT} letters, digits and signs")
        return ""
    return text


_READ = MappingProxyType({"layer": _layer, "accuracy_ft": _accuracy, "surveyed_on": _day, "source": _words})


class _Reader:
    """Reads rows into features."""

    def __init__(
        self, village: Village, sheet: Sheet, columns: Mapping[str, str], whole: Mapping[str, str], report: Report
    ) -> None:
        self.village = village
        self.whole = whole
        self.report = report
        self.cells = {field: sheet.cells(column) for field, column in columns.items()}
        self.lines = [(piece.name, piece.line) for piece in village.network.pieces]
        self.tree = shapely.STRtree([line for _, line in self.lines])

    def cell(self, field: str, k: int) -> str:
        """Return a row's cell, or what is said of all of the file."""
        own = tidy(self.cells[field][k]) if field in self.cells else ""
        return own or self.whole.get(field, "")

    def read(self, k: int, shape: BaseGeometry | None) -> Iterator[Piece]:
        """Give the features of a row; none where it is at fault."""
        row, report = k + 1, self.report
        before = report.counts["faults"]
        layer, accuracy = "", 0.0
        if "layer" in self.cells or "layer" in self.whole:
            layer = _layer(self.cell("layer", k), row, report)
        if "accuracy_ft" in self.cells or "accuracy_ft" in self.whole:
            accuracy = _accuracy(self.cell("accuracy_ft", k), row, report)
        day = _day(self.cell("surveyed_on", k), row, report)
        texts = {field: _words(self.cell(field, k), row, report, field) for field in ("source", "label", *OWN)}
        street = self._street(self.cell("street", k), row)
        known = {"street": street, **self._own(layer, texts, row)}
        parts = self._parts(layer, shape, row)
        label = texts["label"] or str(known.get("holder", "")) or street
        if layer == "lot" and not texts["label"]:
            report.fault(row, "label", "nothing", "the parcel’s number")
        for part in parts:
            self._one_street(layer, part, street, row)
            more = self._side(layer, part, street, row)
            if report.counts["faults"] == before:
                yield Piece(row, layer, label, part, {**known, **more}, texts["source"], day, accuracy)

    def _street(self, text: str, row: int) -> str:
        try:
            return self.village.street_name(text) if text else ""
        except StreetsError as error:
            for fault in error.faults:
                self.report.fault(row, "street", fault.found, fault.expected)
            return ""

    def _own(self, layer: str, texts: Mapping[str, str], row: int) -> Json:
        """Return what is kept of a layer of its own."""
        found: Json = {}
        for field, of in OWN.items():
            text = texts[field].casefold() if field == "use" else texts[field]
            if text and layer and layer != of:
                self.report.warn(row, field, text, f"not kept: it is kept of {of} alone")
            elif text and field == "use" and text not in USES:
                self.report.fault(row, "use", text, f"one of {', '.join(USES)}")
            elif text:
                found[field] = text
        if layer == "easement" and "holder" not in found:
            self.report.fault(row, "holder", "nothing", "who holds the easement")
        return found

    def _parts(self, layer: str, shape: BaseGeometry | None, row: int) -> list[BaseGeometry]:
        """Return the parts of a row's shape; none where it is at fault. Nothing is repaired."""
        if shape is None or shape.is_empty:
            self.report.fault(row, "geometry", "no geometry", KINDS[layer][1] if layer else "a shape")
            return []
        if layer and shape.geom_type not in KINDS[layer][0]:
            self.report.fault(row, "geometry", f"a {shape.geom_type} for {layer}", KINDS[layer][1])
            return []
        flat = shapely.force_2d(shape)
        if wrong := _wrong(flat):
            self.report.fault(row, "geometry", wrong, f"a valid shape, {MOST_ROUND_FT:,} ft long or round at most")
            return []
        parts: list[BaseGeometry] = shapely.get_parts(flat).tolist()
        if not all(self.village.network.edge.intersects(part) for part in parts):
            name = self.village.files.settings.name
            place = parts[0].representative_point()
            found = f"a shape outside {name}, at ({place.x:,.0f}, {place.y:,.0f}) ft"
            self.report.fault(row, "geometry", found, f"a shape in {name}")
            return []
        return parts

    def _one_street(self, layer: str, part: BaseGeometry, street: str, row: int) -> None:
        """Refuse a shape that lies along several streets: it would take the place of what is built along one alone."""
        if layer not in _ALONG or street:
            return
        inside: dict[str, float] = {}
        for k in self.tree.query(part, predicate="intersects").tolist():
            name, line = self.lines[k]
            inside[name] = inside.get(name, 0.0) + float(part.intersection(line).length)
        along = [name for name, length in inside.items() if length > STREET_FT]
        if len(along) > 1:
            found = f"a {layer} along {', '.join(sorted(along)[:5])}"
            self.report.fault(row, "street", found, "the street it is of; cut what lies along several where they meet")

    def _side(self, layer: str, part: BaseGeometry, street: str, row: int) -> Json:
        """Return on which side of a curb line its street is."""
        if layer != "curb_line" or not isinstance(part, LineString):
            return {}
        own = [line for name, line in self.lines if name == street]
        center = shapely.union_all(own) if own else self.lines[int(self.tree.nearest(part))][1]
        left, right = (float(shapely.distance(center, points).sum()) for points in _beside(part))
        if left == right:
            self.report.fault(row, "geometry", "a line in the middle of its street", "a curb on one side of it")
        return {"street_is_left": left < right}


def _wrong(shape: BaseGeometry) -> str:
    if not np.isfinite(shapely.get_coordinates(shape)).all():
        return "a coordinate that is no finite number, or beyond the working CRS"
    if not shape.is_valid:
        return explain_validity(shape)
    if shape.geom_type in POLYGONS and shape.area <= 0:
        return "a shape without area"
    if shape.geom_type in LINES and min(part.length for part in shapely.get_parts(shape)) <= 0:
        return "a line without length"
    if shape.length > MOST_ROUND_FT or shapely.get_num_coordinates(shape) > MOST_VERTICES:
        return f"{shape.length:,.0f} ft, of {shapely.get_num_coordinates(shape):,} vertices"
    return ""


def _beside(line: LineString) -> tuple[Floats, Floats]:
    """Return points a little to the left and to the right of the middle of each piece of a line."""
    coords = shapely.get_coordinates(shapely.remove_repeated_points(line))
    middles, steps = (coords[:-1] + coords[1:]) / 2, np.diff(coords, axis=0)
    aside = np.stack([-steps[:, 1], steps[:, 0]], axis=1) / np.hypot(*steps.T)[:, None] * 0.5
    left, right = shapely.points(middles + aside), shapely.points(middles - aside)
    return left, right


# --- one place once ---


def _once(found: Sequence[Piece], report: Report) -> None:
    """Refuse the second of two rows with the same shape in the same layer, naming both."""
    first: dict[tuple[str, str, bytes], int] = {}
    for one in found:
        of = one.label.casefold() if one.layer == "easement" else ""
        before = first.setdefault((one.layer, of, shapely.normalize(one.shape).wkb), one.row)
        if before != one.row:
            both = f"{report.name(before)} and {report.name(one.row)}"
            report.fault(one.row, "geometry", f"the same {one.layer} in {both}", "each feature once")


def _check_covered(connection: Connection, found: Sequence[Piece], report: Report) -> frozenset[int]:
    over = covered(connection, found)
    for feature_id, (label, row) in over.items():
        words = "retired with this import: this covers more than half of it"
        report.warn(row, "geometry", f"feature {feature_id} of an earlier file ({label or 'without a name'})", words)
    return frozenset(over)


def covered(connection: Connection, found: Sequence[Piece]) -> dict[int, tuple[str, int]]:
    """Find what stands in a layer and lies for more than half under newer features of it.

    Easements lie on each other as they please: one takes the place of another of the same label alone.

    Parameters
    ----------
    connection
        To the register.
    found
        The newer features.

    Returns
    -------
    dict
        By the id of each its label, and the first row that covers it.
    """
    own, over = layer_features.c, dict[int, tuple[str, int]]()
    for layer in dict.fromkeys(one.layer for one in found):
        those = [one for one in found if one.layer == layer]
        tree = shapely.STRtree([one.shape for one in those])
        furthest = max(one.accuracy_ft for one in those) + BESIDE_FT
        for row in registers.rows(connection, layer_features, own.retired_at.is_(None), own.layer == layer):
            shape = as_shape(row["shape"])
            near = tree.query(shape, predicate="dwithin", distance=furthest + row["accuracy_ft"]).tolist()
            met = [those[k] for k in sorted(near) if _may_replace(those[k], row)]
            if met and _share(shape, met, row["accuracy_ft"]) > MOST_SHARE:
                over[row["id"]] = row["label"], met[0].row
    return over


def _may_replace(one: Piece, row: Mapping[str, Any]) -> bool:
    return one.layer != "easement" or one.label.casefold() == str(row["label"]).casefold()


def _share(shape: BaseGeometry, newer: Sequence[Piece], accuracy_ft: float) -> float:
    """Return which part of a shape lies under newer ones; of a line or point, within what both are good to of them."""
    if shape.area > 0:
        over = shapely.union_all([one.shape for one in newer])
        return float(shape.intersection(over).area / shape.area)
    over = shapely.union_all([one.shape.buffer(one.accuracy_ft + accuracy_ft + BESIDE_FT) for one in newer])
    return float(shape.intersection(over).length / shape.length) if shape.length else float(over.covers(shape))
