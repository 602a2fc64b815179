"""The field page: where am I, what do I look at, may it be there; the verdict at once, and a record of it when saved.

Everything typed is a draft of the browser's own until it is saved, so nothing here stores anything: the page, what lies
around a place, the verdict of what is looked at with the record that would be made of it, and the page's worker.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
import shapely
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from shapely import LineString, Point

from app import check_map, check_told, maps
from app.auth import Permission, Person
from app.check_site import Site
from app.checks import OBJECT_KINDS, run
from app.clocks import not_too_early
from app.deps import AtlasDep, needs
from app.errors import status_of
from app.law import today
from app.map_versions import Atlas
from app.object_facts import read_facts
from app.object_kinds import PANEL
from app.object_reading import MOST_CHECKED
from app.object_reading import checked as checked_panel
from app.positions import Positions
from app.routes.api import answered
from app.routes.forms import READ, read_day
from app.routes.rendering import STATIC, page, sent
from app.row_layers import Block, Ground
from app.village import LONLAT, Village
from gis.datum import GPS, NAD83_2011
from gis.errors import Fault, StreetsError
from gis.lengths import read_length_ft

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
Recorder = Annotated[Person, needs(Permission.RECORD_OBJECTS)]
AROUND_FT = 300.0
"""How far about a place layers are given."""
Texts = Mapping[str, str]
Short = Annotated[str, Field(max_length=300)]


class Place(BaseModel):
    """Where something is: tapped on the map, or as the phone has it."""

    model_config = ConfigDict(extra="forbid")

    lat: Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
    lon: Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]
    accuracy_ft: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)] = 0.0
    gps: bool = False


class Looked(BaseModel):
    """What is looked at, as it was typed."""

    model_config = ConfigDict(extra="forbid")

    what: Annotated[str, Field(max_length=20)]
    at: Place | None = None
    fields: Annotated[dict[Annotated[str, Field(max_length=40)], Short], Field(max_length=40)] = {}
    note: Annotated[str, Field(max_length=2000)] = ""
    date: Annotated[str, Field(max_length=30)] = ""


# --- what is looked at: the check's request and the record's facts ---


def _given(texts: Texts, **names: str) -> Json:
    """Return those texts that were given, under other names."""
    return {name: texts[key] for name, key in names.items() if texts.get(key)}


def _yes(texts: Texts, key: str) -> Json:
    return {key: texts[key] == "yes"} if texts.get(key) in {"yes", "no"} else {}


def _mailbox(texts: Texts, at: Place | None) -> Json:
    asked: Json = {**_yes(texts, "curb"), **_given(texts, number="number", side="side")}
    for name, parts in (("tape", ("setback", "tolerance")), ("tube", ("tube_setback", "tube_tolerance"))):
        found = _given(texts, setback=parts[0], tolerance=parts[1])
        asked |= {name: found} if found else {}
    return {**asked, **({"x": at.lon, "y": at.lat} if at else {})}


def _fixture(texts: Texts, at: Place | None) -> Json:
    tape = _given(texts, clear_width="clear_width", tolerance="clear_tolerance")
    if tape:
        return {"tape": tape}
    known = _given(texts, radius_ft="radius")
    return {"fixtures": [{"type": "Feature", "properties": known, "geometry": _point(at)}]} if at else {}


def _point(at: Place | None) -> Json | None:
    return {"type": "Point", "coordinates": [at.lon, at.lat]} if at else None


KINDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "mailbox": ("Mailbox", "mailbox", "mailbox"),
        "fixture": ("Fixture on the walk", "clear-width", "fixture"),
        "terrace": ("Object on the terrace", "terrace", "obstruction"),
        "fence": ("Fence or obstruction", "encroachment", "obstruction"),
        "opening": ("Opening", "excavation", "opening"),
        "panel": ("Sidewalk panel", "", "sidewalk_panel"),
        "pile": ("Pile of materials", "share", "obstruction"),
    }
)
"""What may be looked at: in words, the check that judges it, and the kind of record that it becomes."""


def _sized(texts: Texts, at: Place, along: tuple[float, float]) -> Json:
    """Return the rectangle round a place of a length along the street and a width across it; a point without them."""
    sizes = {key: read_length_ft(texts[key], key) for key in ("length", "width") if texts.get(key)}
    faults = [
        Fault(key, texts[key], "more than 0 and at most 500 ft") for key, ft in sizes.items() if not 0 < ft <= 500
    ]
    if sizes and len(sizes) < 2:
        (missing,) = {"length", "width"} - sizes.keys()
        faults.append(Fault(missing, "nothing", "a length, such as 6 ft"))
    if faults:
        raise StreetsError("Its size cannot be read.", faults)
    if not sizes:
        return {"type": "Point", "coordinates": [at.lon, at.lat]}
    (east, north), half = along, (sizes["length"] / 2, sizes["width"] / 2)
    degree_ft = 111_320.0 / 0.3048006096
    ring = []
    for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)):
        x, y = u * half[0] * east - v * half[1] * north, u * half[0] * north + v * half[1] * east
        lon = at.lon + x / degree_ft / math.cos(math.radians(at.lat))
        ring.append([round(lon, 8), round(at.lat + y / degree_ft, 8)])
    return {"type": "Polygon", "coordinates": [ring]}


def _asked(looked: Looked, shape: Json | None) -> Json:
    """Return the request of the check that judges what is looked at; empty where too little was given for one."""
    texts = {key: text.strip() for key, text in looked.fields.items() if text.strip()}
    if looked.what == "mailbox":
        asked = _mailbox(texts, looked.at)
        return asked if looked.at or "tape" in asked else {}
    if looked.what == "fixture":
        return _fixture(texts, looked.at)
    if shape is None or (looked.what in {"opening", "pile"} and shape["type"] != "Polygon"):
        return {}
    return {
        "terrace": {"object": shape, "kind": texts.get("kind", "other_object"), **_given(texts, radius_ft="radius")},
        "fence": {"footprint": shape, "kind": "fence"},
        "opening": {"opening": shape, "emergency": texts.get("emergency") == "yes"},
        "pile": {"footprint": shape},
    }.get(looked.what, {})


_FACTS: Mapping[str, Callable[[Texts], Json]] = MappingProxyType(
    {
        "mailbox": lambda t: {
            **_given(t, setback_in="setback", setback_tolerance_in="tolerance", tube_setback_in="tube_setback"),
            **_given(t, tube_tolerance_in="tube_tolerance", number_shown="number", curb="curb"),
        },
        "fixture": lambda t: _given(t, clear_width_ft="clear_width", clear_tolerance_in="clear_tolerance"),
        "opening": lambda t: _given(t, length_ft="length", width_ft="width", depth_ft="depth", purpose="purpose"),
        "pile": lambda _: {"materials": True},
        "panel": lambda t: {
            f"{name}{end}_in": t[f"{name}{end}"]
            for name in ("vertical", "gap", "surface")
            for end in ("", "_tolerance")
            if t.get(f"{name}{end}")
        },
    }
)
_MISSING: Mapping[str, str] = MappingProxyType(
    {
        "mailbox": "Tape it, or say where its door is.",
        "fixture": "Tape the narrowest clear width, or say where it is.",
        "opening": "Say where it is, and tape its length and width.",
        "pile": "Say where it is, and tape its length and width.",
        "panel": "Measure one of the three.",
    }
)
_FIELDS_OF = {
    "tape.setback": "setback", "tape.tolerance": "tolerance", "tube.setback": "tube_setback", "tube": "tube_setback",
    "tape.clear_width": "clear_width", "radius_ft": "radius", "facts.number_shown": "number", "tape": "setback",
    "tube.tolerance": "tube_tolerance",
}  # fmt: skip
"""Where a fault of a check's request is told on the page."""


def _record(looked: Looked, shape: Json | None, answer: Json | None) -> Json | None:
    """Return the record that would be made; None where it has no place yet."""
    if shape is None or looked.at is None:
        return None
    texts = {key: text.strip() for key, text in looked.fields.items() if text.strip()}
    (title, _, kind), facts = KINDS[looked.what], _FACTS.get(looked.what)
    kept = answer if answer is None or len(json.dumps(answer)) < MOST_CHECKED else {**answer, "geometry": None}
    label = texts.get("label") or (texts.get("kind", "").replace("_", " ").capitalize() or title)
    return {
        "kind": kind,
        "geometry": shape,
        "datum": GPS if looked.at.gps else NAD83_2011,
        "accuracy_ft": looked.at.accuracy_ft,
        "label": label if looked.what != "mailbox" or texts.get("label") else "",
        "facts": facts(texts) if facts else {},
        "reason": looked.note,
        **({"emergency": True} if texts.get("emergency") == "yes" and kind == "opening" else {}),
        **({"checked": kept} if kept and looked.what != "panel" else {}),
    }


# --- the routes ---


@router.api_route("/field", methods=READ)
def field_page(request: Request, person: Recorder, atlas: AtlasDep) -> Response:
    """Show the field page."""
    data: Json = {"person": person.id, "name": person.name, "csrf": person.csrf, "views": {
        "all": maps.bounds(atlas.village), "core": maps.core(atlas.village)}}  # fmt: skip
    kinds = [(kind, kind.replace("_", " ")) for kind in OBJECT_KINDS if kind != "mailbox"]
    return page(request, "field.html", data=data, whats=KINDS, kinds=kinds)


@cache
def _worker() -> bytes:
    return (STATIC / "field-worker.js").read_bytes()


@router.api_route("/field/worker.js", methods=READ)
def worker(request: Request) -> Response:
    """Send the worker that keeps the field page at hand without a network; it may serve that page and no other."""
    answer = sent(request, _worker(), "text/javascript; charset=utf-8")
    answer.headers["Service-Worker-Allowed"] = "/field"
    return answer


@router.api_route("/field/around", methods=READ)
def around(
    request: Request,
    person: Recorder,
    atlas: AtlasDep,
    lat: Annotated[float, Query(ge=-90, le=90, allow_inf_nan=False)],
    lon: Annotated[float, Query(ge=-180, le=180, allow_inf_nan=False)],
    gps: Annotated[bool, Query()] = True,
) -> Response:
    """Tell the street and block at a place, and give the layers within 300 ft of it."""
    try:
        return _answered(_around(request, atlas, lat, lon, GPS if gps else NAD83_2011))
    except StreetsError as error:
        return _refused(error)


def _around(request: Request, atlas: Atlas, lat: float, lon: float, datum: str) -> Json:
    positions = Positions(atlas.village, LONLAT, datum, None, today())
    place = positions.point(lon, lat)
    with atlas.database.read() as connection:
        ground: Ground = request.app.state.ground.now(connection, atlas.village)
        site = Site(ground, connection, positions, today())
        street, _ = site.street("", place)
    block = ground.block_at(street, place.x, place.y) if street else None
    window = place.buffer(AROUND_FT)
    there = atlas.village.out_of_feet(LONLAT)(place.x, place.y)
    strips = [t for t in site.terraces(place) if not t.strip.is_empty and t.strip.distance(place) <= AROUND_FT]
    project = atlas.village.out_of_feet(LONLAT)

    def moved(xy: Any) -> Any:
        return np.stack(project(xy[:, 0], xy[:, 1]), axis=1).round(maps.DIGITS)

    terraces = [
        {"type": "Feature", "properties": {"assumed": t.assumed},
         "geometry": shapely.geometry.mapping(shapely.transform(t.strip.intersection(window), moved))}
        for t in strips
    ]  # fmt: skip
    layers = check_map.ground_layers(ground, around=window)
    if terraces:
        layers["terrace"] = {"type": "FeatureCollection", "features": terraces}
    return {
        "place": [round(float(there[0]), 7), round(float(there[1]), 7)],
        "street": street,
        "block": _block_words(atlas.village, block) if block else "",
        "layers": layers,
        "looks": {**check_map.GROUND, "terrace": check_map.LOOKS["terrace"]},
        "datum": positions.told,
    }


def _block_words(village: Village, block: Block) -> str:
    """Return a block by its numbers, which are what is seen on its houses."""
    law = village.law.numbering
    return f"numbers {block.hundred + law.first_even} to {block.hundred + law.hundred - 1} {block.half}"


def _along(site: Site, place: Point) -> tuple[float, float]:
    """Return which way the street runs at a place: a step east and north; east where no street is near."""
    axis = site.axis(place)
    if not isinstance(axis, LineString) or axis.length < 1.0:
        return 1.0, 0.0
    at = min(max(axis.project(place), 0.5), axis.length - 0.5)
    ends = np.array([axis.interpolate(at - 0.5).coords[0], axis.interpolate(at + 0.5).coords[0]])
    lon, lat = site.village.out_of_feet(LONLAT)(ends[:, 0], ends[:, 1])
    east, north = (lon[1] - lon[0]) * math.cos(math.radians(float(lat[0]))), lat[1] - lat[0]
    size = math.hypot(east, north) or 1.0
    return float(east / size), float(north / size)


@router.post("/field/check")
def check(request: Request, person: Recorder, atlas: AtlasDep, looked: Looked) -> Response:
    """Judge what is looked at, and say what record would be made of it; nothing is stored."""
    try:
        return _answered(_checked(request, atlas, looked))
    except StreetsError as error:
        return _refused(error)


def _checked(request: Request, atlas: Atlas, looked: Looked) -> Json:
    if looked.what not in KINDS:
        raise StreetsError.of("what", looked.what, f"one of {', '.join(KINDS)}")
    day = not_too_early(read_day(looked.date, "date"), "date") if looked.date else today()
    name = KINDS[looked.what][1]
    datum = GPS if looked.at and looked.at.gps else NAD83_2011
    positions = Positions(atlas.village, LONLAT, datum, None, day)
    shape, answer = None, None
    with atlas.database.read() as connection:
        ground = request.app.state.ground.now(connection, atlas.village)
        site = Site(ground, connection, positions, day, looked.at.accuracy_ft if looked.at else 0.0)
        if looked.at is not None:
            here = Positions(atlas.village, LONLAT, datum, None, day).point(looked.at.lon, looked.at.lat, "place")
            shape = _sized(looked.fields, looked.at, _along(site, here))
        if looked.what == "panel":
            facts = read_facts(PANEL, _FACTS["panel"](looked.fields), "")
            answer = checked_panel(PANEL, {"facts": facts}, day) if facts else None
        elif asked := _asked(looked, shape):
            answer = run(site, name, asked)
    told = check_told.told(name, _rows_whole(answer)) if answer else None
    missing = "" if told else _MISSING.get(looked.what, "Say where it is: tap the map, or use your position.")
    notes = [positions.told["note"]] if answer and positions.shift else []
    return {"told": told, "notes": notes, "missing": missing, "record": _record(looked, shape, answer)}


def _rows_whole(answer: Json) -> Json:
    """Return an answer whose rows have the law's words, where a panel's have none."""
    return {**answer, "rows": [{"law": "", **row} for row in answer["rows"]]}


def _answered(content: Json) -> Response:
    answer = answered(content)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _refused(error: StreetsError) -> Response:
    """Return what is wrong by the field of the page it is told beside."""
    faults: dict[str, str] = {}
    for fault in error.faults:
        name = _FIELDS_OF.get(
            fault.field, fault.field.removesuffix("_in") if fault.field.endswith("_in") else fault.field
        )
        faults.setdefault(name, f"Found {fault.found}; expected {fault.expected}.")
    status = status_of(error)[0]
    return JSONResponse({"faults": faults, "message": error.message}, status)
