"""Permits for the street as an API: applied for, led from state to state, listed; their status for everybody."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Response
from pydantic import ConfigDict, Field

from app import case_records, case_steps, permit_records, permits
from app.auth import Permission, Person
from app.case_records import Sieve
from app.deps import AtlasDep, GroundDep, SettingsDep, needs
from app.permits import Desk
from app.routes.api import answered
from app.routes.cases_api import Recorded, meant
from app.routes.document_routes import base_url
from app.routes.register_api import PROBLEMS, Id
from app.street_issuing import Office

router = APIRouter(prefix="/api/v1", responses=PROBLEMS, tags=["permits"])
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
Key = Annotated[str, Header(max_length=200, description="The same request sent twice with it is done once.")]
Short = Annotated[str, Query(max_length=200)]
_OUTLINE: dict[str, Any] = {
    "type": "Polygon",
    "coordinates": [
        [[-90.3831, 42.5701], [-90.38306, 42.5701], [-90.38306, 42.57013], [-90.3831, 42.57013], [-90.3831, 42.5701]]
    ],
}


class Applied(Recorded):
    """An application: its kind, its facts by name as `GET /api/v1/permit-kinds` lists them, and its outline."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "example": {
                "kind": "opening",
                "applicant": "Acme Water, 1 Mill Lane",
                "signed": "yes",
                "in": "street",
                "location": "100 block of Alma Street",
                "nature": "water service",
                "method": "open cut",
                "starts_on": "2026-05-04",
                "geometry": _OUTLINE,
            }
        },
    )

    kind: Annotated[str, Field(max_length=30)]
    address_id: Annotated[int | None, Field(strict=True, ge=1, le=2_000_000_000)] = None


@router.post("/permits", status_code=201, summary="Apply for a permit: sidewalk, opening or privilege")
def permit_apply(
    asked: Applied, person: Reader, atlas: AtlasDep, ground: GroundDep, idempotency_key: Key = ""
) -> Response:
    """Begin an application; it is a draft until it is complete."""
    desk = Desk(atlas, ground, person, datetime.now(UTC), idempotency_key)
    given = {name: value for name, value in asked.model_dump(exclude_unset=True).items() if value is not None}
    return _shown(atlas, person, permits.apply(desk, given), 201)


@router.get("/permits", summary="Permits, what is due first")
def permit_list(
    person: Reader,
    atlas: AtlasDep,
    q: Annotated[str, Query(max_length=200, description="Words of the place, an address, or a number.")] = "",
    kind: Short = "",
    state: Annotated[str, Query(max_length=40, description="A state, or `open` or `closed`.")] = "",
    street: Short = "",
    due: Annotated[str, Query(max_length=20, description="`overdue`, `week`, `running` or `none`.")] = "",
    sort: Annotated[str, Query(max_length=20, description="`due`, `opened`, `place`, `state`; `-` before it.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """List permits; `next` is the offset of those that follow."""
    with atlas.database.read() as connection:
        sieve = Sieve(q, kind, state, due, sort, meant(connection, atlas.village, q), "permit", street)
        found, total = case_records.listed(connection, sieve, datetime.now(UTC), limit=limit, offset=offset)
    following = offset + limit if offset + limit < total else None
    return answered({"items": found, "total": total, "next": following})


@router.get("/permit-kinds", summary="Kinds of permits: their states, steps, and what each step needs")
def permit_kinds() -> Response:
    """Describe every kind of permit, so that a program can fill in its steps."""
    return answered({"items": [case_records.told_kind(kind) for kind in permits.PERMITS.values()]})


@router.get("/permits/status/{number}", summary="The state of a permit by its number, for everybody")
def permit_status(number: Annotated[str, Field(max_length=20)], atlas: AtlasDep) -> Response:
    """Tell what anybody may know of a permit."""
    with atlas.database.read() as connection:
        row = permits.by_number(connection, number)
        return answered(permit_records.public(connection, row, datetime.now(UTC)))


@router.get("/permits/{permit_id}", summary="One permit with its clocks, its events and what may be done now")
def permit_get(permit_id: Id, person: Reader, atlas: AtlasDep) -> Response:
    """Show a permit."""
    return _shown(atlas, person, {"id": permit_id})


@router.post("/permits/{permit_id}/{transition}", summary="Take a step of a permit; `undo` takes the last one back")
def permit_take(
    permit_id: Id,
    transition: str,
    asked: Recorded,
    person: Reader,
    atlas: AtlasDep,
    settings: SettingsDep,
    ground: GroundDep,
    idempotency_key: Key = "",
) -> Response:
    """Record that it is complete, approved, begun, inspected and so on; who may is checked for each step."""
    now, given = datetime.now(UTC), asked.model_dump(exclude_unset=True)
    office = Office(atlas, ground, person, base_url(settings), now, idempotency_key)
    return _shown(atlas, person, case_steps.take(office, permit_id, transition, given, permit=True))


def _shown(atlas: Any, person: Person, made: dict[str, Any], status: int = 200) -> Response:
    with atlas.database.read() as connection:
        content = permit_records.full(connection, made["id"], person, datetime.now(UTC))
    where = f"/api/v1/permits/{made['id']}"
    return answered({**content, **made}, status, location=where if status == 201 else "")
