"""The page on which the Director records that the survey of § 288-15 G(1) is completed."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response

from app import board
from app.auth import Permission, Person
from app.deps import AtlasDep, PersonDep, needs
from app.errors import headers_of, status_of
from app.law import today
from app.map_versions import Atlas
from app.routes.forms import READ, Typed, faults_of, go, read_day
from app.routes.rendering import page
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)


@router.api_route("/survey", methods=READ)
def survey(request: Request, person: PersonDep, atlas: AtlasDep) -> Response:
    """Say whether the survey is completed."""
    return _page(request, atlas)


@router.post("/survey")
def survey_record(
    request: Request,
    person: Annotated[Person, needs(Permission.ADOPT_MAP)],
    atlas: AtlasDep,
    date: Typed = "",
    act: Typed = "",
    reason: Typed = "",
) -> Response:
    """Record that it is."""
    try:
        day = read_day(date)
        with atlas.database.write() as connection:
            board.record_survey(connection, person.actor, day, act, reason)
    except StreetsError as error:
        form = {"date": date, "act": act, "reason": reason, "faults": faults_of(error, ("date", "act", "reason"))}
        answer = _page(request, atlas, status_of(error)[0], **form)
        answer.headers.update(headers_of(error))
        return answer
    return go("/survey")


def _page(request: Request, atlas: Atlas, status: int = HTTPStatus.OK, **given: Any) -> Response:
    with atlas.database.read() as connection:
        row = board.survey(connection)
    form: dict[str, Any] = {"date": "", "act": "", "reason": "", "faults": {}, **given}
    return page(request, "survey.html", status, row=row, today=today(), **form)
