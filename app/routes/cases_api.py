"""Cases by API: opened, listed, read, led on. Parse, call one function, answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Response
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.engine import Connection

from app import case_records, case_steps, casebook, cases, search
from app.auth import Permission, Person
from app.case_records import Sieve
from app.deps import AtlasDep, GroundDep, SettingsDep, needs
from app.routes.api import answered
from app.routes.document_routes import base_url
from app.routes.register_api import PROBLEMS, Id, Text
from app.street_issuing import Office
from app.village import Village

router = APIRouter(prefix="/api/v1", responses=PROBLEMS)
Reporter = Annotated[Person, needs(Permission.REPORT_VIOLATION)]
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
Key = Annotated[str, Header(max_length=255, description="The same request sent twice is done once.")]
Short = Annotated[str, Query(max_length=200)]
BOOKS = "case project"
"""What is listed as cases; permits have a list of their own."""
MOST_MEANT = 100
"""As many addresses that a text means are looked for at most."""


class Recorded(BaseModel):
    """What is recorded of a case: when it happened, why, and the facts of the step, each by its name."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"example": {"at": "2026-06-25", "how": "handed"}})

    at: Annotated[
        str | None,
        Field(max_length=60, description="When it happened: an instant, a local time or a day; now when left out."),
    ] = None
    reason: Text = ""


class Opened(Recorded):
    """A violation that is reported; one on an address with an open case joins it."""

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"example": {"kind": "numbering", "address_id": 1, "defect": "none"}}
    )

    kind: Annotated[str, Field(max_length=30)]
    address_id: Annotated[int | None, Field(strict=True, ge=1, le=2_000_000_000)] = None


def meant(connection: Connection, village: Village, q: str) -> tuple[int, ...]:
    """Return the addresses that a text means by number and street, retired ones too."""
    asked = search.read(village, q) if q.strip() else None
    if asked is None or not asked.number or not asked.streets:
        return ()
    found, _ = search.found(connection, village, q, status="all", limit=MOST_MEANT)
    return tuple(row["id"] for row in found if row["number"] == asked.number)


@router.post("/cases", status_code=201, summary="Report a violation (§ 288-15 L): opens a case, or joins the open one")
def case_open(asked: Opened, person: Reporter, atlas: AtlasDep, idempotency_key: Key = "") -> Response:
    """Open a case of a kind on an address."""
    now = datetime.now(UTC)
    made = cases.open_case(atlas.database, person, asked.model_dump(exclude_unset=True), now, idempotency_key)
    return _shown(atlas, person, made, 200 if made["joined"] else 201)


@router.get("/cases", summary="Cases, what is due first")
def case_list(
    person: Reader,
    atlas: AtlasDep,
    q: Annotated[str, Query(max_length=200, description="An address, part of one, or a case's number.")] = "",
    kind: Short = "",
    state: Annotated[str, Query(max_length=40, description="A state, or `open` or `closed`.")] = "",
    due: Annotated[str, Query(max_length=20, description="`overdue`, `week`, `running` or `none`.")] = "",
    sort: Annotated[str, Query(max_length=20, description="`due`, `opened`, `place`, `state`; `-` before it.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """List cases; `next` is the offset of those that follow."""
    with atlas.database.read() as connection:
        sieve = Sieve(q, kind, state, due, sort, meant(connection, atlas.village, q), BOOKS)
        found, total = case_records.listed(connection, sieve, datetime.now(UTC), limit=limit, offset=offset)
    following = offset + limit if offset + limit < total else None
    return answered({"items": found, "total": total, "next": following})


@router.get("/case-kinds", summary="Kinds of cases: their states, steps, and what each step needs")
def case_kinds(person: Reader) -> Response:
    """Describe every kind of case, so that a program can fill in its steps."""
    kinds = [kind for kind in casebook.KINDS.values() if kind.book != "permit"]
    return answered({"items": [case_records.told_kind(kind) for kind in kinds]})


@router.get("/cases/{case_id}", summary="One case with its clocks, its events and what may be done now")
def case_get(case_id: Id, person: Reader, atlas: AtlasDep) -> Response:
    """Show a case."""
    return _shown(atlas, person, {"id": case_id})


@router.post("/cases/{case_id}/{transition}", summary="Take a step of a case; `undo` takes the last one back")
def case_take(
    case_id: Id,
    transition: str,
    asked: Recorded,
    person: Reader,
    atlas: AtlasDep,
    settings: SettingsDep,
    ground: GroundDep,
    idempotency_key: Key = "",
) -> Response:
    """Record an inspection, the service of the notice and so on; who may is checked for each step."""
    office = Office(atlas, ground, person, base_url(settings), datetime.now(UTC), idempotency_key)
    made = case_steps.take(office, case_id, transition, asked.model_dump(exclude_unset=True))
    return _shown(atlas, person, made)


def _shown(atlas: Any, person: Person, made: dict[str, Any], status: int = 200) -> Response:
    with atlas.database.read() as connection:
        content = case_records.full(connection, made["id"], person, datetime.now(UTC))
    where = f"/api/v1/cases/{made['id']}"
    return answered({**content, **made}, status, location=where if status == 201 else "")
