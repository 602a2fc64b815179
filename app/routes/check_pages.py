"""Pages on which anybody makes a check of the right-of-way: its form, its answer in words, and the map of both."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response

from app import check_map, check_told, maps
from app.auth import Person
from app.check_forms import FORMS, ROWS, SEVERAL, CheckForm, Field
from app.check_site import Site
from app.checks import run
from app.clocks import not_too_early
from app.deps import AtlasDep, identify
from app.errors import status_of
from app.law import today
from app.map_versions import Atlas
from app.positions import Positions
from app.routes.asked import read_degrees, read_pair
from app.routes.forms import READ, read_day, read_geojson
from app.routes.rendering import page, sent, with_query
from app.row_layers import Ground
from app.village import LONLAT
from gis.datum import GPS, NAD83_2011
from gis.errors import Fault, StreetsError
from gis.lengths import read_length_ft

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
Typed = Mapping[str, str]
Name = Annotated[str, Path(max_length=20)]
Anybody = Annotated[Person, Depends(identify)]
"""Who looks, for the head of the page: a check stores nothing, so that no form of it needs a session's token."""
MOST_SIGNS, MOST_LONG = 4000, 600_000
"""So many signs a field has at most, and one that takes shapes."""
MORE_ROWS, MOST_ROWS = 4, 200
_EXAMPLES = {"lat": "degrees, such as 42.57239", "lon": "degrees, such as -90.38710"}
_ALIASES = {
    "x, y": "lat", "x": "lon", "y": "lat", "lots": "lots[0].frontage_ft", "segments": "segments[0].street",
    "authorisation": "authorisation.kind",
}  # fmt: skip


# --- what was typed ---


async def _query(request: Request) -> dict[str, str]:
    return {key: value.strip() for key, value in request.query_params.items() if value.strip()}


async def _form(request: Request) -> dict[str, str]:
    """Return the texts of a form that was sent because its shapes are too long for an address."""
    async with request.form(max_files=0, max_fields=1000, max_part_size=MOST_LONG) as form:
        return {key: value.strip() for key, value in form.items() if isinstance(value, str) and value.strip()}


def form_of(name: str) -> CheckForm:
    """Return a check's form by its name.

    Raises
    ------
    StreetsError
        There is no such check.
    """
    if name not in FORMS:
        raise StreetsError.of("check", name, f"one of {', '.join(FORMS)}")
    return FORMS[name]


def request_of(form: CheckForm, typed: Typed) -> Json:
    """Read what was typed into the request that the check's API takes.

    Parameters
    ----------
    form
        The check's form.
    typed
        By field; empty ones are left out.

    Returns
    -------
    dict
        ``date``, ``datum`` and ``accuracy_ft`` too, where they were given.

    Raises
    ------
    StreetsError
        Naming each field that cannot be read.
    """
    asked: Json = {}
    faults: list[Fault] = []
    for one in form.fields:
        try:
            if typed.get(one.key):
                _put(asked, one.key, _value(one, typed[one.key]))
        except StreetsError as error:
            faults += error.faults
    for read in (_place, _accuracy, _rows):
        try:
            read(form, typed, asked)
        except StreetsError as error:
            faults += error.faults
    right = asked.get("authorisation")
    if right and not right.get("until"):
        faults.append(Fault("authorisation.until", "nothing", "its last day"))
    if faults:
        raise StreetsError("This cannot be checked as it is.", faults)
    return asked


def _put(asked: Json, key: str, value: Any) -> None:
    outer, _, inner = key.partition(".")
    if inner:
        asked.setdefault(outer, {})[inner] = value
    else:
        asked[outer] = value


def _value(one: Field, text: str) -> Any:
    most = MOST_LONG if one.form == "shape" else MOST_SIGNS
    if len(text) > most:
        raise StreetsError.of(one.key, f"{len(text)} characters", f"at most {most}")
    match one.form:
        case "tick" | "yes_no":
            return text == "yes"
        case "day":
            return read_day(text, one.key).isoformat()
        case "shape":
            found = read_geojson(text, one.key)
            return _several(found) if one.key in SEVERAL else found
    return text


def _several(found: Json) -> list[Any]:
    for kind, part in (("FeatureCollection", "features"), ("GeometryCollection", "geometries")):
        if found.get("type") == kind and isinstance(found.get(part), list):
            return list(found[part])
    return [found]


def _place(form: CheckForm, typed: Typed, asked: Json) -> None:
    """Read one place: a mailbox's door, or the middle of what is not given by its outline."""
    lat, lon = (typed.get(key, "")[:200] for key in ("lat", "lon"))
    if not form.place or not (lat or lon):
        return
    if not lon and (pair := read_pair(lat)):
        lat, lon = pair
    read = {"lat": read_degrees(lat, "lat"), "lon": read_degrees(lon, "lon")}
    texts = {"lat": lat, "lon": lon}
    faults = [Fault(key, texts[key] or "nothing", _EXAMPLES[key]) for key, value in read.items() if value is None]
    if faults:
        raise StreetsError("The place cannot be read.", faults)
    point = {"type": "Point", "coordinates": [read["lon"], read["lat"]]}
    radius = asked.get("radius_ft")
    if not form.shape:
        asked |= {"x": read["lon"], "y": read["lat"]}
    elif form.shape in SEVERAL:
        known = {"radius_ft": asked.pop("radius_ft", None)} if radius else {}
        asked.setdefault(form.shape, []).append({"type": "Feature", "properties": known, "geometry": point})
    else:
        asked.setdefault(form.shape, point)


def _accuracy(form: CheckForm, typed: Typed, asked: Json) -> None:
    """Read how well the positions are known, and whether they are of GPS; the map's own are not."""
    if form.shape in SEVERAL and isinstance(asked.get("radius_ft"), str):
        asked.pop("radius_ft")  # of a round one whose middle was not given
    if not form.placed:
        return
    asked["datum"] = GPS if typed.get("datum") == GPS else NAD83_2011
    if text := typed.get("accuracy_ft"):
        feet = read_length_ft(text, "accuracy_ft")
        if not 0 <= feet <= 10_000:
            raise StreetsError.of("accuracy_ft", text, "0 to 10,000 ft")
        asked["accuracy_ft"] = feet


def _rows(form: CheckForm, typed: Typed, asked: Json) -> None:
    """Read the rows of a petition or a route; one without its first field is none."""
    if not form.rows:
        return
    fields, rows = ROWS[form.rows], []
    for k in range(MOST_ROWS):
        row = {one.key: typed.get(f"{form.rows}[{k}].{one.key}", "")[:MOST_SIGNS] for one in fields}
        if form.rows == "lots":
            rows.append({**row, "signed": row["signed"] == "yes"} if row["frontage_ft"] else None)
        else:
            rows.append({key: text for key, text in row.items() if text} if row["street"] else None)
    asked[form.rows] = [row for row in rows if row is not None]


def closed_up(form: CheckForm, typed: Typed) -> dict[str, str]:
    """Return what was typed with the empty rows between others left out, as the request has them."""
    if not form.rows:
        return dict(typed)
    first, *_ = ROWS[form.rows]
    kept = {key: text for key, text in typed.items() if not key.startswith(f"{form.rows}[")}
    full = [k for k in range(MOST_ROWS) if typed.get(f"{form.rows}[{k}].{first.key}")]
    for at, k in enumerate(full):
        for one in ROWS[form.rows]:
            if text := typed.get(f"{form.rows}[{k}].{one.key}"):
                kept[f"{form.rows}[{at}].{one.key}"] = text
    return kept


def keys_of(form: CheckForm) -> list[str]:
    """Return the names of all fields of a form but those of its rows."""
    place = ["lat", "lon"] if form.place else []
    return [*(one.key for one in form.fields), *place, *(["accuracy_ft", "datum"] if form.placed else [])]


def beside(form: CheckForm, typed: Typed, error: StreetsError) -> dict[str, str]:
    """Return what is wrong, by the field it is told beside; ``""`` above the form."""
    told: dict[str, str] = {}
    for fault in error.faults:
        place, words = _field(form, typed, fault.field), f"Found {fault.found}; expected {fault.expected}."
        told[place] = f"{told[place]} {words}" if place in told else words
    return told or {"": error.message}


def _field(form: CheckForm, typed: Typed, name: str) -> str:
    keys, start = keys_of(form), name.partition("[")[0].partition(".")[0]
    if form.place and start == form.shape and not typed.get(start):
        return "lat"
    taped = next((one.key for one in form.fields if one.key.startswith(f"{start}.")), "")
    row = name.partition("]")[0] + f"].{ROWS[form.rows][0].key}" if form.rows and start == form.rows else ""
    for one in (name, _ALIASES.get(name, ""), row, start, taped):
        if one in keys or (form.rows and one.startswith(f"{form.rows}[") and one.partition("].")[2]):
            return one
    return ""


# --- the check ---


def judged(request: Request, atlas: Atlas, name: str, asked: Json) -> tuple[Json, Ground]:
    """Make a check against the village's layers and return its answer and the right-of-way it was made against."""
    day = not_too_early(read_day(asked["date"], "date"), "date") if asked.get("date") else today()
    positions = Positions(atlas.village, LONLAT, asked.get("datum", ""), None, day)
    with atlas.database.read() as connection:
        ground = request.app.state.ground.now(connection, atlas.village)
        site = Site(ground, connection, positions, day, asked.get("accuracy_ft", 0.0))
        return run(site, name, asked), ground


def _ground(request: Request, atlas: Atlas) -> Ground:
    with atlas.database.read() as connection:
        found: Ground = request.app.state.ground.now(connection, atlas.village)
    return found


@router.api_route("/checks", methods=READ)
def checks_page(request: Request, person: Anybody) -> Response:
    """List the checks there are."""
    return page(request, "checks.html", forms=FORMS.values())


@router.api_route("/checks/{name}", methods=READ)
def check_page(
    request: Request, person: Anybody, atlas: AtlasDep, name: Name, typed: Annotated[Json, Depends(_query)]
) -> Response:
    """Show a check's form and, where it was filled in, the answer; its address can be sent to a colleague."""
    return _page(request, atlas, form_of(name), typed)


@router.post("/checks/{name}")
def check_long(
    request: Request, person: Anybody, atlas: AtlasDep, name: Name, typed: Annotated[Json, Depends(_form)]
) -> Response:
    """Answer a check whose shapes are too long for an address; nothing is stored."""
    return _page(request, atlas, form_of(name), typed, long=True)


@router.api_route("/checks/{name}/map.js", methods=READ)
def check_script(request: Request, atlas: AtlasDep, name: Name, typed: Annotated[Json, Depends(_query)]) -> Response:
    """Send the script of the map with the construction of an answer; without one, the right-of-way alone."""
    form, drawn, ground = form_of(name), None, None
    if _asked(form, typed):
        try:
            answer, ground = judged(request, atlas, name, request_of(form, typed))
            drawn = answer["geometry"]
        except StreetsError:
            drawn = None  # the page beside it says what is wrong
    made = check_map.check_script(atlas.village, ground or _ground(request, atlas), drawn)
    media = "text/javascript; charset=utf-8"
    return sent(request, made.body, media, packed=made.packed, tag=made.tag, cache_control="no-cache")


def _asked(form: CheckForm, typed: Typed) -> bool:
    """Say whether a form was filled in: one that only adds rows is not judged."""
    keys = [key for key in keys_of(form) if key not in {"datum", "accuracy_ft"}]
    filled = any(typed.get(key) for key in keys) or any(form.rows and key.startswith(f"{form.rows}[") for key in typed)
    return bool(filled) and typed.get("do") != "rows"


def _page(request: Request, atlas: Atlas, form: CheckForm, typed: Json, *, long: bool = False) -> Response:
    rows_shown = _rows_shown(form, typed)
    typed = closed_up(form, typed)
    answer, asked, faults = None, None, {}
    status: int = HTTPStatus.OK
    if _asked(form, typed):
        try:
            asked = request_of(form, typed)
            answer, _ = judged(request, atlas, form.name, asked)
        except StreetsError as error:
            faults, status = beside(form, typed, error), status_of(error)[0]
    given = {key: text for key, text in typed.items() if key != "do"}
    link = with_query(f"/checks/{form.name}", **given) if answer and not long else ""
    script = with_query(f"/checks/{form.name}/map.js", **({} if long or not answer else given))
    drawn = answer["geometry"] if answer else None
    shown: Json = {"form": form, "typed": typed, "faults": faults, "answer": answer, "link": link, "script": script}
    shown |= {"told": check_told.told(form.name, answer) if answer else None, "row_fields": ROWS.get(form.rows, ())}
    shown |= {"row_count": rows_shown, "curl": _curl(request, form.name, asked) if answer and asked else ""}
    shown |= {
        "streets": [(one.name, one.name) for one in atlas.village.streets],
        "needles": maps.needles(atlas.village),
    }
    shown |= {"legend": list(check_map.legend(drawn)), "exact": _exact(form, typed)}
    shown |= {"datum_gps": GPS, "tapped": NAD83_2011, "long": long}
    return page(request, "check.html", status, data=_data(atlas, form, typed, drawn, long), **shown)


def _exact(form: CheckForm, typed: Typed) -> bool:
    """Say whether a position is judged that nobody said the accuracy of."""
    given = any(typed.get(key) for key in ("lat", form.shape) if key)
    return given and form.placed and form.draws != "LineString" and not typed.get("accuracy_ft")


def _rows_shown(form: CheckForm, typed: Typed) -> int:
    if not form.rows:
        return 0
    text = typed.get("rows", "")
    asked = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else MORE_ROWS
    full = sum(bool(typed.get(f"{form.rows}[{k}].{ROWS[form.rows][0].key}")) for k in range(MOST_ROWS))
    more = MORE_ROWS if typed.get("do") == "rows" else 0
    return min(max(asked + more, full + 1, MORE_ROWS), MOST_ROWS)


def _data(atlas: Atlas, form: CheckForm, typed: Typed, drawn: Json | None, long: bool) -> Json:
    """Return what the page's script needs: what is tapped, and what is written or drawn on the map."""
    features = [{"geometry": one["geometry"], **one["properties"]} for one in (drawn or {"features": []})["features"]]
    point = {"lat": read_degrees(typed.get("lat", ""), "lat"), "lon": read_degrees(typed.get("lon", ""), "lon")}
    views = {"all": maps.bounds(atlas.village), "core": maps.core(atlas.village)}
    return {
        "draws": form.draws,
        "shape": form.shape,
        "several": form.shape in SEVERAL,
        "place": form.place,
        "drawn": features,
        "looks": check_map.LOOKS if long else {},
        "focus": check_map.focus(drawn) if drawn else None,
        "at": point if None not in point.values() else None,
        "views": views,
    }


def _curl(request: Request, name: str, asked: Json) -> str:
    """Return the line by which a program asks the same."""
    url = f"{request.url.scheme}://{request.url.netloc}/api/v1/checks/{name}"
    body = json.dumps({key: value for key, value in asked.items() if value is not None}, ensure_ascii=False)
    return f"curl -s {url} -H 'Content-Type: application/json' -d {shlex.quote(body)}"
