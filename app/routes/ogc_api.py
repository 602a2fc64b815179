"""OGC API - Features: read by QGIS, GDAL and the county's land information office."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request, Response

from app.deps import AtlasDep, GroundDep, PersonDep
from app.errors import PROBLEM, problem
from app.exports import features
from app.exports.features import GEOJSON, Source, check_collection
from app.exports.features_asked import CRS84, ITEMS, AskedError, check_names, read, read_crs
from app.registers import NotFoundError
from app.routes.api import Problem, answered
from gis.errors import StreetsError

Json = dict[str, Any]
_BAD: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "A parameter that is not known, or a value that cannot be read."},
    401: {"model": Problem, "description": "A key that is not known, or was revoked."},
}
_NONE: dict[int | str, dict[str, Any]] = {404: {"model": Problem, "description": "No such collection or feature."}}
router = APIRouter(prefix="/ogc", tags=["OGC API - Features"], responses=_BAD)
_ABOUT = {
    "limit": "At most so many features; a greater number than 1000 is taken for 1000.",
    "after": "As the `next` link has it.",
    "bbox": "`minx,miny,maxx,maxy` in `bbox-crs`: only features that meet it.",
    "bbox-crs": f"URI of the CRS of `bbox`; {CRS84} if left out.",
    "crs": f"URI of the CRS of the answer; {CRS84} if left out.",
    "datetime": "A time with its zone, or a day, or two of them with `/` between; `..` leaves an end open.",
}


def _query(*names: str) -> Json:
    integer = {"type": "integer", "minimum": 1, "default": 100}
    return {
        "parameters": [
            {"name": name, "in": "query", "required": False, "description": _ABOUT[name],
             "schema": integer if name == "limit" else {"type": "string"}}
            for name in names
        ]
    }  # fmt: skip


def _refused(error: StreetsError) -> Response:
    missing = isinstance(error, NotFoundError)
    status = HTTPStatus.NOT_FOUND if missing else HTTPStatus.BAD_REQUEST
    title = "No such resource" if missing else "Unusable request"
    return answered(problem(status, title, str(error.message), error.faults), status, media=PROBLEM)


def _base(request: Request) -> str:
    return f"{request.base_url}ogc/"


def _asked(request: Request, known: Sequence[str] = ()) -> dict[str, str]:
    """Return the query's parameters, each known and given once."""
    given = request.query_params.multi_items()
    check_names((name for name, _ in given), known)
    for name in known:
        if sum(other == name for other, _ in given) > 1:
            raise AskedError.of(name, "given more than once", "one value")
    return dict(given)


@router.get("/", summary="Landing page of the OGC API")
def ogc_landing(request: Request, person: PersonDep, atlas: AtlasDep) -> Response:
    """Link to the collections, the conformance declaration and the API's description."""
    try:
        _asked(request)
    except AskedError as error:
        return _refused(error)
    return answered(features.landing(atlas.village, _base(request)))


@router.get("/conformance", summary="What the OGC API conforms to")
def ogc_conformance(request: Request, person: PersonDep) -> Response:
    """List the conformance classes."""
    try:
        _asked(request)
    except AskedError as error:
        return _refused(error)
    return answered(features.conformance())


@router.get("/api", summary="The API's description, for clients of the OGC API")
def ogc_description(request: Request, person: PersonDep) -> Response:
    """Send the OpenAPI document that describes these paths too."""
    try:
        _asked(request)
    except AskedError as error:
        return _refused(error)
    return answered(request.app.openapi(), media=features.OPENAPI)


@router.get("/collections", summary="The collections of the OGC API")
def ogc_collections(request: Request, person: PersonDep, atlas: AtlasDep) -> Response:
    """List the collections with their extent and coordinate reference systems."""
    try:
        _asked(request)
    except AskedError as error:
        return _refused(error)
    return answered(features.collections(atlas.village, _base(request)))


@router.get("/collections/{collection}", summary="One collection", responses=_NONE)
def ogc_collection(collection: str, request: Request, person: PersonDep, atlas: AtlasDep) -> Response:
    """Describe a collection."""
    try:
        _asked(request)
        name = check_collection(collection)
    except (AskedError, NotFoundError) as error:
        return _refused(error)
    return answered(features.collection(atlas.village, _base(request), name))


@router.get(
    "/collections/{collection}/items", summary="Features of a collection", responses=_NONE, openapi_extra=_query(*ITEMS)
)
def ogc_items(collection: str, request: Request, person: PersonDep, atlas: AtlasDep, ground: GroundDep) -> Response:
    """Send a page of features as GeoJSON, with a link to the next."""
    try:
        given = _asked(request, ITEMS)
        name = check_collection(collection)
        with atlas.database.read() as connection:
            village = atlas.now(connection)
            asked = read(village, given)
            source = Source(connection, village, ground)
            made = features.items(source, _base(request), name, given, asked, datetime.now(UTC))
    except (AskedError, NotFoundError) as error:
        return _refused(error)
    return _in_crs(made, asked.crs)


@router.get(
    "/collections/{collection}/items/{feature:path}",
    summary="One feature",
    responses=_NONE,
    openapi_extra=_query("crs"),
)
def ogc_item(
    collection: str, feature: str, request: Request, person: PersonDep, atlas: AtlasDep, ground: GroundDep
) -> Response:
    """Send one feature as GeoJSON."""
    try:
        given = _asked(request, ("crs",))
        name = check_collection(collection)
        with atlas.database.read() as connection:
            village = atlas.now(connection)
            crs = read_crs(village, given.get("crs", CRS84), "crs")
            made = features.item(Source(connection, village, ground), _base(request), name, feature, crs)
    except (AskedError, NotFoundError) as error:
        return _refused(error)
    return _in_crs(made, crs)


def _in_crs(made: Json, crs: str) -> Response:
    answer = answered(made, media=GEOJSON)
    answer.headers["Content-Crs"] = f"<{crs}>"
    return answer
