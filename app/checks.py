"""Checks of the right-of-way as they are asked for: a request's shapes against layers, judged, drawn and told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.geometry import mapping
from shapely.geometry.base import BaseGeometry
from shapely.ops import substring

from app.check_site import AROUND_FT, Site, crossing_ft, in_force
from app.check_words import LETTERS, quoted
from app.clocks import months_after
from app.mailboxes import check_mailbox
from app.positions import SHAPES
from app.village import Village
from app.works import improved_on
from gis.checks import KINDS, Signer, Stop, petition, route, set_back, terrace
from gis.clear_width import clear_width, taped_clear_width
from gis.crs import is_geographic
from gis.encroachment import VAULTS, encroachment
from gis.errors import GeometryError
from gis.excavation import NewStreet, Season, excavation, trench
from gis.layers import Layer
from gis.lengths import read_length_ft, read_length_in
from gis.linework import Floats
from gis.measure import Checked, Drawn, Judged, Measured
from gis.shares import lanes_left, share

Json = dict[str, Any]
Asked = Mapping[str, Any]
OBJECT_KINDS = KINDS
"""Kinds of what is placed on a terrace."""
MOST_FIXTURES = 500
ACCESS_FT = 150.0
"""Entrances this near a work are read as "adjacent" to it: the ordinance names no distance."""


def _length(asked: Asked, field: str) -> float:
    if asked.get(field) is None:
        raise GeometryError.of(field, "nothing", "a length in feet, or as people write it")
    return read_length_ft(asked[field], field)


def _round(shape: BaseGeometry, radius_ft: Any, field: str) -> BaseGeometry:
    """Return a point with a radius as the disc it stands for."""
    if radius_ft in (None, "", 0):
        return shape
    radius = read_length_ft(radius_ft, field)
    if not 0 < radius <= 500:
        raise GeometryError.of(field, radius_ft, "more than 0 and at most 500 ft")
    return shape.buffer(radius, quad_segs=32)


def check_terrace(site: Site, asked: Asked) -> Checked:
    """Judge an object or paving on the terrace (§ 288-10 B)."""
    shape = _round(site.positions.shape(asked.get("object"), "object", SHAPES), asked.get("radius_ft"), "radius_ft")
    kind = str(asked.get("kind") or "")
    approved = str(asked.get("approved") or "")
    return terrace(shape, kind, site.terraces(shape), accuracy_ft=site.accuracy_ft, approved=approved)


def check_encroachment(site: Site, asked: Asked) -> Checked:
    """Measure what a footprint takes of public ways (§ 288-7 A, § 288-11, § 288-14)."""
    shape = site.positions.shape(asked.get("footprint"), "footprint", SHAPES)
    shape = _round(shape, asked.get("radius_ft"), "radius_ft")
    kind = str(asked.get("kind") or "")
    right = asked.get("authorisation")
    covered = "" if kind in VAULTS else site.covering(shape)
    if right and in_force(right, site.day) and kind not in VAULTS:
        covered = f"{right.get('kind') or 'an authorisation'} {right.get('act') or ''}".strip()
    lawful = None
    if kind == "mailbox":
        middle = shape.centroid
        lawful = _at(check_mailbox, site, middle.x, middle.y, asked)
    elif kind == "fixture" and (walk := _walk(site, [shape])) is not None:
        lawful = _clear(site, walk, [shape], [], site.axis(shape))
    found = encroachment(
        shape, site.layers(shape), accuracy_ft=site.accuracy_ft, kind=kind, covered=covered, lawful=lawful
    )
    return replace(found, notes=(*found.notes, *_adjoining(site, shape)))


def _at(check: Callable[[Site, Asked], Checked], site: Site, x: float, y: float, asked: Asked) -> Checked:
    """Check a place given in the working CRS."""
    crs = site.village.files.settings.working_crs.text
    here = replace(site, positions=type(site.positions)(site.village, crs, "nad83-2011", day=site.day))
    east, north = site.village.out_of_feet(crs)(x, y)
    return check(here, {"x": east, "y": north, "street": asked.get("street")})


def _adjoining(site: Site, shape: BaseGeometry) -> list[str]:
    """Name the lots that adjoin: their owner or occupant is answerable (§ 288-7 A, E)."""
    lots = site.layers(shape).get("lot")
    near = lots.nearest(shape) if lots else None
    return [] if near is None else [f"Adjoining lot: {near.label}."]


class Walk(NamedTuple):
    """A sidewalk, and its accuracy at 95 %, feet."""

    shape: Polygon
    accuracy_ft: float


def _walk(site: Site, shapes: Sequence[BaseGeometry]) -> Walk | None:
    """Return the sidewalk that shapes stand on, as far as it is looked at."""
    whole = shapely.union_all(list(shapes))
    walks = site.layers(whole).get("sidewalk")
    near = walks.near(whole, 10.0) if walks else Layer(())
    parts = [
        Walk(p, f.accuracy_ft) for f in near.features for p in shapely.get_parts(f.shape) if isinstance(p, Polygon)
    ]
    return min(parts, key=lambda walk: walk.shape.distance(whole)) if parts else None


def check_clear_width(site: Site, asked: Asked) -> Checked:
    """Judge the width that fixtures leave clear of a sidewalk (§ 288-7 C(3))."""
    tape = asked.get("tape")
    if tape is not None:
        content = tape if isinstance(tape, Mapping) else {"clear_width": tape}
        clear = read_length_in(content.get("clear_width", ""), "tape.clear_width") / 12.0
        within = read_length_in(content.get("tolerance") or 0, "tape.tolerance") / 12.0
        if min(clear, within) < 0:
            raise GeometryError.of("tape", "a length below 0", "0 or more")
        return taped_clear_width(Measured(clear, within), site.law.fixture_clear_ft)
    sent = asked.get("fixtures") or []
    if not isinstance(sent, list) or len(sent) > MOST_FIXTURES:
        raise GeometryError.of("fixtures", "what is no list of them", f"a list of at most {MOST_FIXTURES} shapes")
    loose: list[BaseGeometry] = []
    fixed: list[BaseGeometry] = []
    for k, one in enumerate(sent):
        known = one.get("properties") if isinstance(one, dict) else None
        known = known if isinstance(known, dict) else {}
        shape = site.positions.shape(one, f"fixtures[{k}]", SHAPES)
        shape = _round(shape, known.get("radius_ft"), f"fixtures[{k}].properties.radius_ft")
        (fixed if known.get("fixed") is True else loose).append(shape)
    walk, along = _walk_of(site, asked, [*loose, *fixed])
    return _clear(site, walk, loose, fixed, along)


def _walk_of(site: Site, asked: Asked, shapes: Sequence[BaseGeometry]) -> tuple[Walk, LineString | None]:
    """Return the sidewalk that was sent, or the one the fixtures stand on, and the line along it."""
    given, along = asked.get("sidewalk"), asked.get("along")
    line = site.positions.shape(along, "along", ("LineString",)) if along is not None else None
    if given is not None:
        walk = site.positions.shape(given, "sidewalk", ("Polygon",))
        assert isinstance(walk, Polygon)
        curbs = site.sent.get("curb_line") if site.sent is not None and line is None else None
        near = curbs.nearest(walk) if curbs else None
        line = near.shape if near is not None and isinstance(near.shape, LineString) else line
        accuracy = (asked.get("layers") or {}).get("accuracy_ft") or 0.0
        return Walk(walk, float(accuracy)), line if isinstance(line, LineString) else None
    found = _walk(site, shapes) if shapes else None
    if found is None:
        raise GeometryError.of("sidewalk", "nothing", "the sidewalk's Polygon, or fixtures on a sidewalk that is known")
    return found, line if isinstance(line, LineString) else site.axis(found.shape.centroid)


def _clear(
    site: Site, walk: Walk, loose: Sequence[BaseGeometry], fixed: Sequence[BaseGeometry], along: LineString | None
) -> Checked:
    found = clear_width(
        walk.shape, loose, fixed=fixed, along=along, limit_ft=site.law.fixture_clear_ft,
        position_accuracy_ft=site.accuracy_ft, walk_accuracy_ft=walk.accuracy_ft,
    )  # fmt: skip
    note = (
        "A fixture must adjoin its owner's property in an area used for commercial uses, be unattached and of a "
        "temporary design (§ 288-7 C(1), (2)): recorded, not measured."
    )
    return replace(found, notes=(*found.notes, note))


def _polygon(site: Site, asked: Asked, field: str) -> Polygon:
    shape = site.positions.shape(asked.get(field), field, ("Polygon",))
    assert isinstance(shape, Polygon)
    return shape


def _union(site: Site, shape: BaseGeometry, name: str) -> tuple[BaseGeometry | None, float]:
    """Return a layer near a shape as one, and its accuracy; None where it is not known."""
    layer = site.layers(shape).get(name)
    if layer is None:
        return None, 0.0
    if site.sent is None and name != "sidewalk":  # a section across must not run down a side street
        street, _ = site.street("", shape)
        own = Layer(tuple(feature for feature in layer.features if feature.label in ("", street)))
        layer = own if own.features else layer
    parts = [p for f in layer.features for p in shapely.get_parts(f.shape) if isinstance(p, Polygon)]
    return (shapely.MultiPolygon(parts) if name == "sidewalk" else layer.union()), layer.worst_ft


def check_share(site: Site, asked: Asked) -> Checked:
    """Judge the share of sidewalk, travelled way and right-of-way taken (§ 288-7 B(2), § 288-8 D(1))."""
    shape, law = _polygon(site, asked, "footprint"), site.law
    found = {name: _union(site, shape, name) for name in ("pavement", "sidewalk", "right_of_way")}
    curbs = site.layers(shape).get("curb_line")
    lines = None
    if curbs is not None:
        lines = [part for f in curbs.features for part in shapely.get_parts(f.shape) if isinstance(part, LineString)]
    accuracy = {name: worst for name, (_, worst) in found.items()} | {"curb_line": curbs.worst_ft if curbs else 0.0}
    return share(
        shape, pavement=found["pavement"][0], sidewalk=found["sidewalk"][0], right_of_way=found["right_of_way"][0],
        curb_lines=lines, axis=site.axis(shape),
        sidewalk_limit=law.materials_walk_part, way_limit=law.materials_way_part, row_limit=law.privilege_part,
        position_accuracy_ft=site.accuracy_ft, layer_accuracy_ft=accuracy,
        gutter_ft=site.reading.gutter_ft,
    )  # fmt: skip


def check_lanes(site: Site, asked: Asked) -> Checked:
    """Judge whether a lane is left in each direction past a work (§ 288-6 B(3))."""
    shape = _polygon(site, asked, "footprint")
    pavement, worst = _union(site, shape, "pavement")
    others = [other for _, other in site.works(shape, 100.0)] if site.sent is None else []
    others = [other for other in others if other.area and not other.equals(shape)]
    axis = site.axis(shape) if site.layers(shape).get("centerline") else None
    found = lanes_left(
        shape, pavement=pavement, centerline=axis, others=others, lane_ft=site.reading.lane_ft,
        position_accuracy_ft=site.accuracy_ft, pavement_accuracy_ft=worst,
    )  # fmt: skip
    return replace(found, notes=(*found.notes, _access(site.adjacent(shape, ACCESS_FT))))


def _access(adjacent: Sequence[str]) -> str:
    """Tell whose access a work may affect (§ 288-6 B(3))."""
    if not adjacent:
        return f"No address in use has its entrance within {ACCESS_FT:g} ft of the work."
    more = f" and {len(adjacent) - 20} more" if len(adjacent) > 20 else ""
    return (
        f"Access may be affected within {ACCESS_FT:g} ft of the work: {', '.join(adjacent[:20])}{more}. “Every effort "
        "shall be made on the part of the permittee to provide reasonable access to all properties adjacent to his/her "
        "project.”"
    )


def season(village: Village) -> Season:
    """Return when no opening is permitted (§ 288-6 A)."""
    days = (int(village.law[key].value) for key in ("frozen_from", "frozen_to"))
    first, last = (divmod(day, 100) for day in days)
    return Season(first, last)


def check_excavation(site: Site, asked: Asked) -> Checked:
    """Say what an opening opens, whether it may be made that day, and what is replaced (§§ 288-5, 288-6)."""
    shape = _polygon(site, asked, "opening")
    street, _ = site.street(str(asked.get("street") or ""), shape)
    block = site.block(street, shape.centroid)
    improved = improved_on(site.connection, street, block.section.improved_on if block else None, site.day)
    until = months_after(improved, 12 * int(site.village.law["moratorium_years"].value)) if improved else None
    earlier = [] if site.sent is not None else [other for _, other in site.objects(shape, 50.0, "opening")]
    return excavation(
        shape, site.layers(shape), day=site.day, season=season(site.village), street=NewStreet(improved, until),
        emergency=asked.get("emergency") is True, earlier=earlier, axis=site.axis(shape), reading=site.reading,
        accuracy_ft=site.accuracy_ft,
    )  # fmt: skip


def check_trench(site: Site, asked: Asked) -> Checked:
    """Hold the heads of a trench's work against 250 and 500 ft (§ 288-6 B(1))."""
    line = site.positions.shape(asked.get("line"), "line", ("LineString",))
    assert isinstance(line, LineString)
    excavated, laid, filled = (_length(asked, name) for name in ("excavated_ft", "laid_ft", "backfilled_ft"))
    return trench(line, excavated, laid, filled, site.law, permission=str(asked.get("permission") or ""))


def check_set_back(site: Site, asked: Asked) -> Checked:
    """Judge a building's distance from the street line (§ 288-15 G(3), § 288-9 C)."""
    shape = site.positions.shape(asked.get("building"), "building", ("Polygon",))
    street = site.village.street_name(str(asked["street"])) if asked.get("street") else ""
    layers = site.sent or site.ground.layers
    return set_back(shape, layers, site.law, accuracy_ft=site.accuracy_ft, street=street)


def check_petition(site: Site, asked: Asked) -> Checked:
    """Judge a petition for new curb and gutter (§ 288-18 A)."""
    lots = asked.get("lots")
    if not isinstance(lots, list) or not lots:
        raise GeometryError.of("lots", lots, "a list of lots, each with frontage_ft and signed")
    signers = []
    for k, lot in enumerate(lots):
        signed = lot.get("signed", "nothing") if isinstance(lot, Mapping) else lot
        if not isinstance(lot, Mapping) or not isinstance(signed, bool):
            raise GeometryError.of(f"lots[{k}].signed", signed, "true or false, beside frontage_ft")
        frontage = read_length_ft(lot.get("frontage_ft", ""), f"lots[{k}].frontage_ft")
        if frontage <= 0:
            raise GeometryError.of(f"lots[{k}].frontage_ft", lot["frontage_ft"], "a length above 0")
        signers.append(Signer(frontage, lot["signed"]))
    return petition(_length(asked, "stretch_ft"), signers, site.law)


def check_route(site: Site, asked: Asked) -> Checked:
    """Judge a route that a building is moved along (§ 130-12, § 288-8 D)."""
    sent = asked.get("segments")
    if not isinstance(sent, list) or not 0 < len(sent) <= 500:
        raise GeometryError.of("segments", sent, "a list of 1 to 500 street segments in the order they are driven")
    segments = [_segment(site, one, f"segments[{k}]") for k, one in enumerate(sent)]
    whole = shapely.union_all([line for _, line in segments])
    stops = asked.get("stops") or []
    if not isinstance(stops, list) or len(stops) > 50:
        raise GeometryError.of("stops", stops, "a list of at most 50 places")
    shapes = [site.positions.shape(one, f"stops[{k}]", SHAPES) for k, one in enumerate(stops)]
    return route(
        segments, noded_ft=site.village.network.reading.noded_ft, works=site.works(whole, 50.0),
        stops=[Stop(shape, site.accuracy_ft) for shape in shapes], layers=site.sent or site.ground.layers,
    )  # fmt: skip


def _segment(site: Site, one: Any, field: str) -> tuple[str, LineString]:
    """Read a segment of a route: a line, or a street between the crossings of two others."""
    if isinstance(one, str):
        one = {"street": one}
    if not isinstance(one, Mapping):
        raise GeometryError.of(field, one, "a street with `from` and `to`, or a GeoJSON LineString")
    if "type" in one or "line" in one:
        line = site.positions.shape(one.get("line", one), field, ("LineString",))
        assert isinstance(line, LineString)
        return str(one.get("street") or "a line that was sent"), line
    name = site.village.street_name(str(one.get("street") or ""))
    net = site.village.network
    lines = [LineString(net.streets[k].chain.coords) for k in net.by_name[name]]
    ends = [site.village.street_name(str(one[key])) for key in ("from", "to") if one.get(key)]
    if len(ends) == 1:
        raise GeometryError.of(field, f"one crossing, {ends[0]}", "both `from` and `to`, or neither for all of it")
    if not ends:
        return name, max(lines, key=lambda line: line.length)
    others = [[net.streets[k].physical_line() for k in net.by_name[end]] for end in ends]
    line = min(lines, key=lambda path: sum(min(o.distance(path) for o in other) for other in others))
    at = []
    for end, other in zip(ends, others, strict=True):
        crossed = crossing_ft(line, other)
        if crossed is None:
            raise GeometryError.of(field, f"{name} and {end}, which do not meet", "streets that cross it")
        at.append(crossed)
    if abs(at[0] - at[1]) < 1.0:
        raise GeometryError.of(field, f"{ends[0]} and {ends[1]} at one place", "two different crossings")
    part = substring(line, at[0], at[1])
    assert isinstance(part, LineString)
    return name, part


CHECKS: Mapping[str, Callable[[Site, Asked], Checked]] = MappingProxyType(
    {
        "mailbox": check_mailbox,
        "terrace": check_terrace,
        "encroachment": check_encroachment,
        "clear-width": check_clear_width,
        "share": check_share,
        "lanes": check_lanes,
        "excavation": check_excavation,
        "trench": check_trench,
        "setback": check_set_back,
        "petition": check_petition,
        "route": check_route,
    }
)
"""Every check by its name."""


def run(site: Site, name: str, asked: Asked) -> Json:
    """Make a check and tell it as the API does.

    Parameters
    ----------
    site
        What it is made against.
    name
        One of `CHECKS`.
    asked
        The request.

    Returns
    -------
    dict
        ``verdict``, ``rows``, ``geometry`` in the request's CRS, ``datum``, ``assumed`` and ``notes``.

    Raises
    ------
    StreetsError
        A request that cannot be read.
    """
    return told(site, CHECKS[name](site, asked))


def told(site: Site, found: Checked) -> Json:
    """Return a check as the API gives it."""
    assumed = any(drawn.assumed for drawn in found.drawn) or any("assumed" in row.note for row in found.rows)
    notes = list(found.notes)
    if assumed and site.sent is None:
        notes.append("Drawn dashed is assumed: nobody has measured it, and the uncertainty says so.")
    return {
        "verdict": str(found.verdict),
        "rows": [row_told(site.village, row) for row in found.rows],
        "geometry": _geometry(site, found.drawn),
        "date": site.day.isoformat(),
        "datum": site.positions.told,
        "layers": "sent with the request" if site.sent is not None else "the village's",
        "assumed": assumed,
        "notes": notes,
        "letters": LETTERS,
    }


def row_told(village: Village, row: Judged) -> Json:
    """Return one row as the API gives it."""
    return {
        "quantity": row.quantity,
        "value": _rounded(row.value),
        "uncertainty": _rounded(row.uncertainty),
        "limit": _rounded(row.limit),
        "unit": row.unit,
        "margin": _rounded(row.margin),
        "verdict": str(row.verdict),
        "section": row.section,
        "settles": row.settles,
        "note": row.note,
        "law": quoted(village.law, row.section),
    }


def _rounded(value: float | str | None) -> float | str | None:
    return round(value, 6) + 0.0 if isinstance(value, float) else value


def _geometry(site: Site, drawn: Sequence[Drawn]) -> Json:
    """Return what is drawn as GeoJSON in the request's CRS; long layers only as far as they are looked at."""
    kept = [one for one in drawn if not one.shape.is_empty]
    objects = [one.shape for one in kept if one.role in {"object", "walk", "route"}]
    window = shapely.box(*shapely.union_all(objects).buffer(AROUND_FT).bounds) if objects else None
    project = site.village.out_of_feet(site.positions.crs)
    digits = 7 if is_geographic(site.positions.crs) else 3

    def written(xy: Floats) -> Floats:
        there: Floats = np.stack(project(xy[:, 0], xy[:, 1]), axis=1)
        return there.round(digits)

    features = []
    for one in kept:
        shape = one.shape if window is None else one.shape.intersection(window)
        if shape.is_empty:
            continue
        moved = shapely.transform(shape, written)
        known = {"role": one.role, "label": one.label, "assumed": one.assumed}
        features.append({"type": "Feature", "properties": known, "geometry": mapping(moved)})
    return {"type": "FeatureCollection", "features": features}
