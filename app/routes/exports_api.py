"""Exports for other systems: the NG9-1-1 package, the report of its checks, an officer's signature of its errors."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi.responses import FileResponse
from pydantic import Field

from app.auth import Permission, Person
from app.deps import AtlasDep, SettingsDep, known_query, needs
from app.errors import PROBLEM, problem
from app.exports import nena_outgoing
from app.exports.nena_outgoing import UnsignedError
from app.routes.api import Problem, answered
from app.routes.register_api import PROBLEMS, Reason

MEDIA = "application/geopackage+sqlite3"
router = APIRouter(responses={k: PROBLEMS[k] for k in (401, 403, 422)}, dependencies=[Depends(known_query)])

Reader = Annotated[Person, needs(Permission.READ_911)]
Signer = Annotated[Person, needs(Permission.ISSUE)]
Profile = Annotated[Literal["v3", "v2"], Query(description="v3: NENA-STA-006.3; v2: NENA-STA-006.2a.")]
_PACKAGE: dict[int | str, dict[str, Any]] = {
    200: {"content": {MEDIA: {}}, "description": "A GeoPackage, with its report in the table `QA_Report`."},
    304: {"description": "Nothing has changed since the package of `If-None-Match`."},
    409: {"model": Problem, "description": "`code` NG911_ERRORS: errors that no officer has signed."},
}


class Signature(Reason):
    """An officer's signature of the errors of a package."""

    profile: Annotated[Literal["v3", "v2"], Field(description="Of the package.")] = "v3"
    digest: Annotated[str, Field(max_length=64, description="`digest` of the report that was read.")]


@router.get("/exports/ng911.gpkg", summary="The NG9-1-1 package as a GeoPackage", responses=_PACKAGE, tags=["911"])
def ng911_package(
    person: Reader,
    atlas: AtlasDep,
    settings: SettingsDep,
    profile: Profile = "v3",
    if_none_match: Annotated[str, Header(max_length=2000)] = "",
) -> Response:
    """Send road centerlines, address points and the boundary; under a draft map they are marked provisional."""
    with atlas.database.read() as connection:
        village = atlas.now(connection)
        tag = f'"{nena_outgoing.tag_of(connection, village, profile)}"'
        headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
        if tag in if_none_match:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        try:
            file = nena_outgoing.file_of(connection, village, profile, settings.state_dir / "exports")
        except UnsignedError as error:
            return _unsigned(error)
    return FileResponse(file, headers=headers, media_type=MEDIA, filename=f"ng911-{profile}.gpkg")


def _unsigned(error: UnsignedError) -> Response:
    found = problem(HTTPStatus.CONFLICT, "Errors that no officer has signed", str(error.message), error.faults)
    about = {"code": "NG911_ERRORS", "digest": error.report.digest, "report": "/api/v1/exports/ng911/report"}
    return answered({**found, **about}, HTTPStatus.CONFLICT, media=PROBLEM)


@router.get("/api/v1/exports/ng911/report", summary="What the checks of the NG9-1-1 package find now", tags=["911"])
def ng911_report(
    person: Reader,
    atlas: AtlasDep,
    profile: Profile = "v3",
    limit: Annotated[int, Query(ge=0, le=100_000, description="At most so many findings.")] = 1000,
) -> Response:
    """List every check with its findings, the values the Village has not supplied, and whether it is blocked."""
    with atlas.database.read() as connection:
        found = nena_outgoing.report(connection, atlas.now(connection), profile)
    return answered(found.told(limit))


@router.post(
    "/api/v1/exports/ng911/signature",
    status_code=201,
    summary="Let the NG9-1-1 package go out with its errors",
    tags=["911"],
)
def ng911_signature(asked: Signature, person: Signer, atlas: AtlasDep) -> Response:
    """Record an officer's signature: of the errors of one digest, with a reason. Other errors need another."""
    with atlas.database.read() as connection:
        found = nena_outgoing.report(connection, atlas.now(connection), asked.profile)
    with atlas.database.write() as connection:
        made = nena_outgoing.sign(connection, person.actor, found, asked.digest, asked.reason)
    return answered(made, 201)
