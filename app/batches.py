"""Many objects held against a layer at once: those of the register, or a file's; counted, and reported row by row.

Nothing is stored. What cannot be judged of a file is refused by its row, and the others are judged all the same.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TextIO

import numpy as np
import shapely
import sqlalchemy as sa
from numpy.typing import NDArray
from shapely.geometry import shape as as_shape
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app.answers import as_csv
from app.batch_things import AT_ONCE, CHECKS, Asked, Things, of_file, of_register
from app.check_site import AROUND_FT, COVERED_FT, Site, in_force, right_in_words
from app.checks import check_encroachment
from app.import_addresses import Tick
from app.mailboxes import check_mailbox
from app.positions import Positions
from app.row_layers import Ground
from app.street_tables import street_objects
from app.village import LONLAT
from gis.batch import COMPLIES, UNDECIDED, VERDICTS, Judgements, depths, setbacks
from gis.datum import NAD83_2011
from gis.edges import CURB, STANDARD
from gis.encroachment import WAYS
from gis.errors import StreetsError
from gis.layers import Feature, Layer
from gis.measure import Judged

Json = dict[str, Any]
REFUSED = "refused"
COLUMNS = (
    *("row", "label", "verdict", "value", "uncertainty", "limit", "unit", "measured_from", "lon", "lat", "note"),
)
_LEAST = "at least"


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
    things = of_file(ground, asked, day, tick) if asked.path is not None else of_register(connection, asked)
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


def _cells(ground: Ground, things: Things, which: range, told: Sequence[_Told]) -> Iterator[list[str]]:
    places = shapely.centroid(things.shapes[which.start : which.stop])
    lon, lat = ground.village.out_of_feet(LONLAT)(shapely.get_x(places), shapely.get_y(places))
    for k, one, x, y in zip(which, told, lon.tolist(), lat.tolist(), strict=True):
        sizes = [f"{v + 0.0:.2f}" if math.isfinite(v) else "" for v in (one.value, one.uncertainty, one.limit)]
        place = [f"{v:.7f}" if one.verdict != REFUSED and math.isfinite(v) else "" for v in (x, y)]
        yield [things.names[k], things.labels[k], one.verdict, *sizes, one.unit, one.source, *place, one.note]


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

    def of(self, things: Things, which: range, tick: Any) -> list[_Told]:
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

    def _taped(self, things: Things, good: Iterable[int], tick: Any) -> dict[int, _Told]:
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

    def _mailboxes(self, things: Things, which: list[int]) -> dict[int, _Told]:
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

    def _ways(self, things: Things, which: list[int]) -> dict[int, _Told]:
        """Hold objects against every public way that is known: the worst verdict counts."""
        found: dict[int, _Told] = {k: _Told("not_checked", unit="ft", note="No layer is known.") for k in which}
        for name in WAYS:
            layer = self.ground.layers.get(name)
            if layer is not None and layer.features:
                for k, one in _depths(things, which, layer, name.replace("_", " ")).items():
                    found[k] = max(found[k], one, key=_badness)
        return found

    def _terraces(self, things: Things, which: list[int]) -> dict[int, _Told]:
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

    def _allowed(self, things: Things, k: int, found: _Told) -> _Told:
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


def _depths(things: Things, which: list[int], layer: Layer, name: str) -> dict[int, _Told]:
    """Judge objects against one layer; of an object of several parts the worst part counts."""
    parts, owner = shapely.get_parts(things.shapes[which], return_index=True)
    found = depths(parts, layer, things.accuracy_ft[which][owner])
    labels = _labels(parts, layer, found)
    told: dict[int, _Told] = {}
    for part, verdict, value, unsure, at in _each(range(len(parts)), found):
        label = layer.features[at].label if at >= 0 else labels[part]
        source = f"{name}{' of ' + label if label else ''}"
        note = _LEAST if verdict != UNDECIDED and math.isfinite(value) else ""
        one = _Told(str(VERDICTS[verdict]), value, unsure, 0.0, "ft", source, note)
        k = which[int(owner[part])]
        told[k] = max(told[k], one, key=_badness) if k in told else one
    return told


def _labels(parts: NDArray[np.object_], layer: Layer, found: Judgements) -> list[str]:
    """Name what each is on or, within its uncertainty, may be on; of what complies nobody asks."""
    labels = [""] * len(parts)
    unnamed = np.flatnonzero((found.verdict != COMPLIES) & (found.feature < 0))
    if not layer.features or not len(unnamed):
        return labels
    near = layer.tree.query(parts[unnamed], predicate="dwithin", distance=found.uncertainty_ft[unnamed])
    on = layer.tree.query(parts[unnamed], predicate="intersects")
    for k, of in np.concatenate([near, on], axis=1).T.tolist():  # what it is on is named last, and stays
        labels[unnamed[k]] = layer.features[of].label
    return labels


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
            found.append((as_shape(shape).buffer(COVERED_FT), right_in_words(right)))
    return found


def _plain(shape: BaseGeometry) -> Json:
    """Return a shape as GeoJSON of lists."""
    return dict(json.loads(shapely.to_geojson(shape)))
