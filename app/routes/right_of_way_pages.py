"""Pages of the right-of-way: its layers on a map and in lists, and the surveyed features one by one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from fastapi import APIRouter, Request, Response

from app import ground_map, layer_features, maps, registers
from app.answers import as_csv
from app.auth import Permission, Person, new_token
from app.deps import AtlasDep, PersonDep
from app.errors import status_of
from app.layer_features import NAMES, STATUSES, check_layer
from app.map_versions import Atlas
from app.once import RepeatedError
from app.routes import object_words, words
from app.routes.case_pages import Sent
from app.routes.forms import READ, Id, PageNumber, Text, csv_file, faults_of, go, part
from app.routes.places import picture
from app.routes.rendering import page, sent, with_query
from app.routes.right_of_way_api import Editor, ground_now, is_officer
from app.street_objects import asking
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
A_PAGE = 50
MOST_FILE = 50_000
RETIRED = "retired"
ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "right_of_way": "all that is the street’s, from line to line",
        "pavement": "between the faces of the curbs, or the edges of pavement",
        "curb_line": "faces of the curbs",
        "sidewalk": "walks along the streets",
        "terrace": "derived from curb and walk, never surveyed",
        "alley": "alleys as they were surveyed",
        "public_ground": "parks and other ground of the Village",
        "dedicated_land": "land dedicated to the public",
        "easement": "with who holds each",
        "ditch": "ditches and drains",
        "hydrant": "fire hydrants",
        "crossing": "crosswalks",
        "lot": "lots that were surveyed with the right-of-way",
        "centerline": "the streets’ own lines on the map",
    }
)
"""What each layer is, beside its name."""
DONE = {
    "retired": "Retired: what is built from the cross-section has its place.",
    "restored": "Restored: it has the place of what is built.",
}


# --- the map ---


@router.api_route("/right-of-way", methods=READ)
def ground_page(
    request: Request, person: PersonDep, atlas: AtlasDep, street: Text = "", terraces: Text = ""
) -> Response:
    """Show the layers as they are now."""
    village, ground = atlas.village, ground_now(request, atlas)
    named = village.street_name(street) if street.strip() else ""
    wanted = "yes" if terraces else ""
    found = layer_features.counts(ground)
    rows = {kept.layer: kept for kept in found}
    across = sorted({s.across.source for s in ground.sections if s.across.assumed})
    link = {"street": named, "terraces": wanted}
    shown: Json = {"counts": rows, "names": NAMES, "about": ABOUT, "drawn": ground_map.DRAWN, "statuses": STATUSES}
    shown |= {"street": named, "terraces": wanted, "link": link, "assumed": across, "read_day": date.fromisoformat}
    shown |= {"script": with_query("/right-of-way/map.js", **link), "needles": maps.needles(village)}
    shown |= {"data": {"views": {"all": maps.bounds(village), "core": maps.core(village)}}}
    shown |= {"may": person.may(Permission.EDIT_SECTIONS)}
    return page(request, "right_of_way.html", **shown)


@router.api_route("/right-of-way/map.js", methods=READ)
def ground_js(request: Request, atlas: AtlasDep, street: Text = "", terraces: Text = "") -> Response:
    """Send the script of the map; terraces take seconds the first time."""
    village, ground = atlas.village, ground_now(request, atlas)
    named = village.street_name(street) if street.strip() else ""
    made = ground_map.ground_script(ground, named, terraces=bool(terraces))
    media = "text/javascript; charset=utf-8"
    return sent(request, made.body, media, packed=made.packed, tag=made.tag, cache_control="no-cache")


# --- features ---


@router.api_route("/right-of-way/features", methods=READ)
def feature_list(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    layer: Text = "right_of_way",
    street: Text = "",
    status: Text = "",
    number: PageNumber = 1,
    format: Text = "",
) -> Response:
    """List the features of a layer with their source, day and accuracy."""
    village, officer = atlas.village, is_officer(person)
    named = village.street_name(street) if street.strip() else ""
    if status not in ("", *STATUSES, RETIRED):
        raise StreetsError.of("status", status, f"one of {', '.join((*STATUSES, RETIRED))}")
    ground = ground_now(request, atlas)
    if status == RETIRED:
        with atlas.database.read() as connection:
            features = [f for _, f in layer_features.retired(connection, village, check_layer(layer))]
        features = [f for f in features if not named or f.known.get("street") == named]
    else:
        features = list(layer_features.part(ground, check_layer(layer), street=named).features)
        features = [f for f in features if not status or layer_features.status_of(f) == status]
    found = [layer_features.properties(layer, feature, officer=officer) for feature in features[:MOST_FILE]]
    if format == "csv":
        table = as_csv(layer_features.COLUMNS, map(layer_features.cells, found), spreadsheet=True)
        return csv_file(table, f"{layer}.csv")
    some, pages = part(found, number, A_PAGE)
    shown: Json = {"found": some, "total": len(found), "number": number, "pages": pages, "names": NAMES}
    shown |= {"given": {"layer": layer, "street": named, "status": status}, "statuses": STATUSES, "about": ABOUT}
    return page(request, "layer_features.html", one=None, read_day=date.fromisoformat, **shown)


@router.api_route("/right-of-way/features/{feature_id}", methods=READ)
def feature_page(request: Request, person: PersonDep, atlas: AtlasDep, feature_id: Id, done: Text = "") -> Response:
    """Show a surveyed feature at its place."""
    return _feature_page(request, atlas, person, feature_id, done=done)


def _feature_page(
    request: Request,
    atlas: Atlas,
    person: Person,
    feature_id: int,
    error: StreetsError | None = None,
    reason: str = "",
    done: str = "",
) -> Response:
    village = atlas.village
    with atlas.database.read() as connection:
        row, feature = layer_features.kept(connection, village, feature_id)
        middle = feature.shape.representative_point()
        drawn = picture(village, connection, middle.x, middle.y)
        entries = registers.history(connection, "layer_features", feature_id)
    lon, lat = village.out_of_feet("EPSG:4326")(middle.x, middle.y)
    told = layer_features.properties(row["layer"], feature, officer=is_officer(person))
    shown: Json = {"one": told, "row": row, "picture": drawn, "outline": object_words.outline(row, middle)}
    shown |= {
        "lon": round(float(lon), 7),
        "lat": round(float(lat), 7),
        "names": NAMES,
        "entries": entries,
        "acts": words.ACTS,
    }
    shown |= {"faults": faults_of(error, ("reason",)) if error else {}, "reason": reason, "token": new_token()}
    shown |= {"may": person.may(Permission.EDIT_SECTIONS), "done": DONE.get(done, ""), "read_day": date.fromisoformat}
    status = status_of(error)[0] if error else HTTPStatus.OK
    return page(request, "layer_features.html", status, **shown)


@router.post("/right-of-way/features/{feature_id}/retire")
def feature_retire(request: Request, person: Editor, atlas: AtlasDep, feature_id: Id, sent: Sent) -> Response:
    """Retire a surveyed feature."""
    return _acted(request, atlas, person, feature_id, "retire", sent)


@router.post("/right-of-way/features/{feature_id}/restore")
def feature_restore(request: Request, person: Editor, atlas: AtlasDep, feature_id: Id, sent: Sent) -> Response:
    """Restore a surveyed feature."""
    return _acted(request, atlas, person, feature_id, "restore", sent)


def _acted(
    request: Request, atlas: Atlas, person: Person, feature_id: int, act: str, sent: Mapping[str, str]
) -> Response:
    by, reason = asking(atlas, person, sent.get("token", "")[:200]), sent.get("reason", "")
    try:
        (layer_features.retire if act == "retire" else layer_features.restore)(by, feature_id, reason)
    except registers.NotFoundError:
        raise
    except RepeatedError:
        return go(f"/right-of-way/features/{feature_id}")
    except StreetsError as error:
        return _feature_page(request, atlas, person, feature_id, error, reason)
    return go(f"/right-of-way/features/{feature_id}?done={'retired' if act == 'retire' else 'restored'}")
