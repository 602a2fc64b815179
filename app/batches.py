"""Many objects held against a layer at once: those of the register, or a file's; counted, and reported row by row.

Nothing is stored. What cannot be judged of a file is refused by its row, and the others are judged all the same.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import shapely
import sqlalchemy as sa
from numpy.typing import NDArray
from shapely.geometry import shape as as_shape
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app.answers import as_csv
from app.check_site import AROUND_FT, Site, in_force
from app.checks import check_encroachment
from app.import_addresses import Tick
from app.import_columns import guess
from app.import_files import read_file
from app.import_places import DECLARE, Known, known_crs, shapes_of
from app.import_report import Report
from app.import_tables import Sheet
from app.mailboxes import check_mailbox
from app.positions import MOST_VERTICES, Positions
from app.row_layers import Ground
from app.street_tables import street_objects
from app.village import LONLAT
from gis.batch import UNDECIDED, VERDICTS, Judgements, depths, setbacks
from gis.crs import looks_like_degrees
from gis.datum import NAD83_2011, decimal_year, is_of_gps, shifted
from gis.edges import CURB, STANDARD
from gis.encroachment import WAYS
from gis.errors import CrsError, StreetsError
from gis.layers import Feature, Layer
from gis.linework import Floats
from gis.measure import Judged

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
REFUSED = "refused"
COLUMNS = (
    *("row", "label", "verdict", "value", "uncertainty", "limit", "unit", "measured_from", "lon", "lat", "note"),
)
AT_ONCE = 10_000
MOST_ACCURACY_FT = 10_000.0
_LEAST = "at least"


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
class _Things:
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


@dataclass(frozen=True)
class _Told:
    """One row of the report."""

    verdict: str
    value: float = math.nan
    uncertainty: float = math.nan
    limit: float = math.nan
    unit: str = ""
    source: str = ""
    note: str = ""


def check_many(connection: Connection, ground: Ground, asked: Asked, day: date, tick: Tick, out: TextIO) -> Json:
    """Check many objects and report on each.

    Parameters
    ----------
    connection
        To the register.
    ground
        The village's right-of-way.
    asked
        Which objects, and what is checked of them.
    day
        The day that the check is made for.
    tick
        Told how far it is; what it raises ends the check.
    out
        Takes the report, as CSV with the columns `COLUMNS`.

    Returns
    -------
    dict
        ``rows``, ``counts`` by verdict, with ``refused``, ``section`` and ``notes``.

    Raises
    ------
    StreetsError
        A file that cannot be read at all, or whose CRS nobody says.
    """
    tick("reading", 0, 0)
    things = _of_file(ground, asked, day, tick) if asked.path is not None else _of_register(connection, asked)
    judge = _Judge(connection, ground, asked, day)
    counts: Counter[str] = Counter({str(verdict): 0 for verdict in VERDICTS} | {REFUSED: 0})
    out.write(as_csv(COLUMNS, ()))
    for low in range(0, len(things), AT_ONCE):
        tick("checking", low, len(things))
        which = range(low, min(low + AT_ONCE, len(things)))
        told = judge.of(things, which, lambda k: tick("checking", k, len(things)))
        counts.update(one.verdict for one in told)
        out.write(as_csv((), _cells(ground, things, which, told), spreadsheet=True).partition("\n")[2])
    tick("checking", len(things), len(things))
    notes = [*things.notes, *judge.notes]
    return {"check": asked.check, "section": CHECKS[asked.check], "rows": len(things), "counts": dict(counts),
            "notes": notes, "date": day.isoformat()}  # fmt: skip


def _cells(ground: Ground, things: _Things, which: range, told: Sequence[_Told]) -> Iterator[list[str]]:
    places = shapely.centroid(things.shapes[which.start : which.stop])
    lon, lat = ground.village.out_of_feet(LONLAT)(shapely.get_x(places), shapely.get_y(places))
    for k, one, x, y in zip(which, told, lon.tolist(), lat.tolist(), strict=True):
        sizes = [f"{v + 0.0:.2f}" if math.isfinite(v) else "" for v in (one.value, one.uncertainty, one.limit)]
        place = [f"{v:.7f}" if one.verdict != REFUSED and math.isfinite(v) else "" for v in (x, y)]
        yield [things.names[k], things.labels[k], one.verdict, *sizes, one.unit, one.source, *place, one.note]


# --- what is checked ---


def _of_register(connection: Connection, asked: Asked) -> _Things:
    c = street_objects.c
    wanted = sa.select(street_objects).where(c.retired_at.is_(None), c.kind == asked.kind).order_by(c.id)
    rows = [dict(row) for row in connection.execute(wanted).mappings()]
    shapes = np.empty(len(rows), dtype=object)
    shapes[:] = [as_shape(row["shape"]) for row in rows]
    accuracy = [asked.accuracy_ft if row["accuracy_ft"] is None else row["accuracy_ft"] for row in rows]
    names, labels = [str(row["id"]) for row in rows], [str(row["label"]) for row in rows]
    return _Things(names, labels, shapes, np.array(accuracy, dtype=np.float64), rows)


def _of_file(ground: Ground, asked: Asked, day: date, tick: Tick) -> _Things:
    assert asked.path is not None
    kind = "addresses" if asked.check == "mailbox" else "layers"
    with tempfile.TemporaryDirectory(prefix="benton-check-") as folder:
        sheet = read_file(asked.path, Path(folder), kind, "", asked.name, trusted=asked.trusted)
    crs = known_crs(ground.village, sheet, asked.crs)
    named = {name.casefold(): name for name in sheet.columns}
    labels = sheet.cells(named.get("label", named.get("name")))
    things = _Things([str(k + 1) for k in range(len(sheet))], [cell[:200] for cell in labels],
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


def _accuracies(things: _Things, cells: Sequence[str], otherwise: float) -> None:
    for k, cell in enumerate(cells):
        try:
            value = float(cell) if cell.strip() else otherwise
        except ValueError:
            value = math.nan
        if not 0 <= value <= MOST_ACCURACY_FT:
            things.refused.setdefault(k, f"accuracy_ft: found {cell[:60]!r}; expected feet at 95 %, 0 to 10,000")
            value = 0.0
        things.accuracy_ft[k] = value


def _shapes_of(sheet: Sheet, things: _Things) -> Shapes:
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


def _placed(ground: Ground, things: _Things, which: range, crs: Known, day: date, check: str) -> list[list[float]]:
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


# --- judging ---


class _Judge:
    """What many objects are held against: the layers, and what else the single check looks at."""

    def __init__(self, connection: Connection, ground: Ground, asked: Asked, day: date) -> None:
        self.ground = ground
        self.asked = asked
        self.day = day
        crs = ground.village.files.settings.working_crs.text
        self.site = Site(ground, connection, Positions(ground.village, crs, NAD83_2011, day=day), day)
        self.notes = list(_NOTES[asked.check])
        self.rights = _rights(connection, day) if asked.check == "encroachment" else []

    def of(self, things: _Things, which: range, tick: Any) -> list[_Told]:
        """Judge a part of the objects, in their order."""
        good = [k for k in which if k not in things.refused]
        told = {k: _Told(REFUSED, note=things.refused[k]) for k in which if k in things.refused}
        if self.asked.check == "mailbox":
            told |= self._taped(things, good, tick)
            told |= self._mailboxes(things, [k for k in good if k not in told])
        else:
            judge = self._ways if self.asked.check == "encroachment" else self._terraces
            told |= judge(things, good) if good else {}
        if self.asked.check == "encroachment":
            for done, k in enumerate(good):
                if told[k].verdict in {"violates", "undecided"}:
                    if done % 50 == 0:
                        tick(which.start + done)
                    told[k] = self._allowed(things, k, told[k])
        return [told[k] for k in which]

    def _taped(self, things: _Things, good: Iterable[int], tick: Any) -> dict[int, _Told]:
        """Judge mailboxes whose set-back was taped: by the tape's own tolerance, as the single check does."""
        told: dict[int, _Told] = {}
        for k in good:
            row, facts = things.facts[k], things.facts[k].get("facts") or {}
            if facts.get("setback_in") is None:
                continue
            if len(told) % 50 == 0:
                tick(k)
            tape = {"setback": facts["setback_in"], "tolerance": facts.get("setback_tolerance_in")}
            try:
                found = check_mailbox(
                    self.site, {"tape": tape, "curb": facts.get("curb"), "street": row["street"]}
                ).rows[0]
            except StreetsError as error:
                told[k] = _Told(REFUSED, note=str(error.faults[0]) if error.faults else error.message)
                continue
            told[k] = _of_row(found, row["street"])
        return told

    def _mailboxes(self, things: _Things, which: list[int]) -> dict[int, _Told]:
        if not which:
            return {}
        law, edges = self.ground.law, [edge for edge in self.ground.edges if edge.kind != STANDARD]
        doors = shapely.centroid(things.shapes[which])
        found = setbacks(shapely.get_x(doors), shapely.get_y(doors), edges, things.accuracy_ft[which], law)
        told = {}
        for k, verdict, value, unsure, at in _each(which, found):
            if at < 0 or abs(value) > AROUND_FT:
                told[k] = _Told("not_checked", unit="in", note="No curb or paved edge is known.")
                continue
            edge = edges[at]
            limit = law.mailbox_curb_in if edge.kind == CURB else law.mailbox_paved_ft
            line = "curb line" if edge.kind == CURB else "edge of pavement"
            source = f"{'assumed' if edge.assumed else 'surveyed'} {line}{' of ' + edge.label if edge.label else ''}"
            told[k] = _Told(str(VERDICTS[verdict]), value * 12, unsure * 12, limit * 12, "in", source)
        return told

    def _ways(self, things: _Things, which: list[int]) -> dict[int, _Told]:
        """Hold objects against every public way that is known: the worst verdict counts."""
        found: dict[int, _Told] = {k: _Told("not_checked", unit="ft", note="No layer is known.") for k in which}
        for name in WAYS:
            layer = self.ground.layers.get(name)
            if layer is not None and layer.features:
                for k, one in _depths(things, which, layer, name.replace("_", " ")).items():
                    found[k] = max(found[k], one, key=_badness)
        return found

    def _terraces(self, things: _Things, which: list[int]) -> dict[int, _Told]:
        """Hold objects against the terraces; without a curb under both readings of where the curbing is."""
        known = [t for t in self.ground.terraces if t.edge.kind != STANDARD]
        standard = [t for t in self.ground.terraces if t.edge.kind == STANDARD]
        told = {k: _Told("not_checked", unit="ft", note="No curb or edge of pavement is known near it.") for k in which}
        reach = 2 * self.ground.reading.terrace_reach_ft
        readings = ((known, known), (standard, [*standard, *(t for t in known if t.edge.kind == CURB)]))
        for number, (near_to, terraces) in enumerate(readings):
            if not near_to:
                continue
            tree = shapely.STRtree([t.edge.line for t in near_to])
            near = np.unique(tree.query(things.shapes[which], predicate="dwithin", distance=reach)[0])
            here = [which[k] for k in near.tolist()]
            strips = [(t.strip, t) for t in terraces if not t.strip.is_empty]
            layer = Layer(tuple(Feature(s, t.accuracy_ft, t.assumed, t.edge.label) for s, t in strips))
            for k, one in (_depths(things, here, layer, "terrace") if here else {}).items():
                first = number == 0 or told[k].verdict == "not_checked"
                told[k] = one if first else _of_both(told[k], one)
        return told

    def _allowed(self, things: _Things, k: int, found: _Told) -> _Told:
        """Return what the single check says beyond a depth: of a right on the day, and of a lawful fixture."""
        shape = things.shapes[k]
        if self.asked.kind == "fixture":
            footprint = {"footprint": _plain(shape), "kind": "fixture"}
            site = Site(self.ground, self.site.connection, self.site.positions, self.day, float(things.accuracy_ft[k]))
            row = check_encroachment(site, footprint).rows[0]
            return _of_row(row, found.source)
        for other, words in self.rights:
            if other.covers(shape):
                note = f"Covered on the day by {words} (§ 288-7 B)."
                return _Told("complies", found.value, found.uncertainty, 0.0, "ft", found.source, note)
        return found


_NOTES = {
    "mailbox": ["The set-back alone was checked: side, stretch and number are in the check of each mailbox."],
    "encroachment": [
        "How deep an object lies on a public way was checked; a depth is told as at least so much.",
        "A right on record that covers an object on the day was looked at; one that is not on record is not known.",
    ],
    "terrace": [
        "Each was taken for an object on the terrace; mailboxes are excluded, and paving is another check.",
        "A depth is told as at least so much.",
    ],
}


def _each(which: Sequence[int], found: Judgements) -> Iterator[tuple[int, int, float, float, int]]:
    columns = (found.verdict, found.value_ft, found.uncertainty_ft, found.feature)
    return zip(which, *(column.tolist() for column in columns), strict=True)


def _badness(one: _Told) -> tuple[int, float]:
    order = ("not_checked", "complies", "undecided", "violates")
    return order.index(one.verdict), one.value if math.isfinite(one.value) else -math.inf


def _depths(things: _Things, which: list[int], layer: Layer, name: str) -> dict[int, _Told]:
    """Judge objects against one layer; of an object of several parts the worst part counts."""
    parts, owner = shapely.get_parts(things.shapes[which], return_index=True)
    found = depths(parts, layer, things.accuracy_ft[which][owner])
    labels = [""] * len(parts)
    if layer.features:
        at, nearest = layer.tree.query_nearest(parts, all_matches=False)
        for k, of in zip(at.tolist(), nearest.tolist(), strict=True):
            labels[k] = layer.features[of].label
    told: dict[int, _Told] = {}
    for part, verdict, value, unsure, at in _each(range(len(parts)), found):
        label = layer.features[at].label if at >= 0 else labels[part]
        source = f"{name}{' of ' + label if label else ''}"
        note = _LEAST if verdict != UNDECIDED and math.isfinite(value) else ""
        one = _Told(str(VERDICTS[verdict]), value, unsure, 0.0, "ft", source, note)
        k = which[int(owner[part])]
        told[k] = max(told[k], one, key=_badness) if k in told else one
    return told


def _of_row(row: Judged, source: str) -> _Told:
    """Return what a single check says."""
    sizes = (row.value, row.uncertainty, row.limit)
    value, unsure, limit = (float(v) if isinstance(v, float | int) else math.nan for v in sizes)
    return _Told(str(row.verdict), value, unsure, limit, row.unit, source, row.note)


def _of_both(one: _Told, other: _Told) -> _Told:
    if one.verdict == other.verdict:
        return one
    note = f"No curb: under the one reading of where the curbing is it {one.verdict}, under the other {other.verdict}."
    return _Told("undecided", one.value, one.uncertainty, 0.0, "ft", one.source, note)


def _rights(connection: Connection, day: date) -> list[tuple[BaseGeometry, str]]:
    """Return the shapes that a right on record covers on the day, with the right in words."""
    c = street_objects.c
    wanted = sa.select(c.shape, c.authorisation).where(
        c.retired_at.is_(None), c.kind.in_(("opening", "obstruction", "fixture")), c.authorisation.is_not(None)
    )
    found: list[tuple[BaseGeometry, str]] = []
    for shape, right in connection.execute(wanted.order_by(c.id)):
        if right and in_force(right, day):
            words = f"{right.get('kind') or 'an authorisation'}, recorded, until {right['until']}"
            found.append((as_shape(shape).buffer(0.5), words))
    return found


def _plain(shape: BaseGeometry) -> Json:
    """Return a shape as GeoJSON of lists."""
    return dict(json.loads(shapely.to_geojson(shape)))
