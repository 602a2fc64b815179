"""The register's API: addresses assigned, looked up, changed; doubts; the audit. Parse, call one function, answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from app import acts, changes, doubts, fronts, records, registers, returning, search, undoing
from app.auth import Permission, Person
from app.considered import Wanted
from app.deps import AtlasDep, PersonDep, known_query, needs
from app.routes.api import Problem, answered
from app.tables import audit
from app.tables import doubts as doubts_table

PROBLEMS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "No key or session, or one that is unknown."},
    403: {"model": Problem, "description": "The role may not do this."},
    409: {
        "model": Problem,
        "description": "`code` says why not: a number held, none left, a state.",
    },
    422: {"model": Problem, "description": "Unusable input; `errors` names the fields."},
}
router = APIRouter(prefix="/api/v1", responses=PROBLEMS, dependencies=[Depends(known_query)])

Officer = Annotated[Person, needs(Permission.ASSIGN)]
Clerk = Annotated[Person, needs(Permission.DECIDE_DOUBT)]
Id = Annotated[int, Path(ge=1, le=2_000_000_000)]
Text = Annotated[str, Field(max_length=2000)]
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Number = Annotated[int, Field(strict=True, ge=1, le=999_999)]


class Body(BaseModel):
    """A body that refuses what it does not know."""

    model_config = ConfigDict(extra="forbid")


class Reason(Body):
    """Why something is done."""

    reason: Text = ""


class Retirement(Reason):
    """Why an address is retired."""

    letters: Annotated[
        bool, Field(strict=True, description="Whether lettered doors of its number are retired with it.")
    ] = False


class Entrance(Body):
    """A main entrance that a number is asked for."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"x": -90.38307, "y": 42.57012, "street": "Main Street"}}
    )

    x: Annotated[Finite, Field(description="Longitude, or the easting of `crs`.")]
    y: Annotated[Finite, Field(description="Latitude, or the northing of `crs`.")]
    crs: Annotated[str, Field(max_length=2000)] = "EPSG:4326"
    street: Annotated[str | None, Field(max_length=200, description="The street it fronts on, however spelt.")] = None
    number: Annotated[Number | None, Field(description="A number wanted; computed when left out.")] = None
    suffix: Annotated[str, Field(max_length=5, description="A letter, of several doors (§ 288-15 E, H).")] = ""
    reason: Annotated[Text, Field(description="Needed where the number is not the computed one.")] = ""
    building: Annotated[dict[str, Any] | None, Field(description="GeoJSON Polygon of the footprint, in `crs`.")] = None
    lot: Annotated[dict[str, Any] | None, Field(description="GeoJSON Polygon of the lot, in `crs`.")] = None
    accuracy_ft: Annotated[float | None, Field(ge=0, le=10_000, description="Of the position, at 95 %, feet.")] = None
    doors: Annotated[int, Field(ge=1, le=1000, description="Doors serving separate occupants.")] = 1

    @property
    def wanted(self) -> Wanted:
        """What is asked for."""
        return Wanted(**self.model_dump(exclude={"question"}))


class Doubtful(Entrance):
    """An entrance whose number is in doubt."""

    question: Annotated[Text, Field(min_length=1, description="What is in doubt.")]


class Correction(Reason):
    """What was recorded wrongly of an address or its place."""

    number: Number | None = None
    suffix: Annotated[str | None, Field(max_length=5)] = None
    x: Finite | None = None
    y: Finite | None = None
    crs: Annotated[str, Field(max_length=2000)] = "EPSG:4326"
    building: dict[str, Any] | None = None
    lot: dict[str, Any] | None = None
    placement: Annotated[str | None, Field(max_length=20)] = None
    accuracy_ft: Annotated[float | None, Field(ge=0, le=10_000)] = None
    access_lon: Annotated[float | None, Field(ge=-180, le=180)] = None
    access_lat: Annotated[float | None, Field(ge=-90, le=90)] = None
    access_note: Annotated[str | None, Field(max_length=500)] = None
    doors: Annotated[int | None, Field(ge=1, le=1000)] = None


class Change(Body):
    """One address's new number."""

    id: Annotated[int, Field(ge=1, le=2_000_000_000)]
    number: Number


class Renumbering(Reason):
    """Addresses of one half-street that get other numbers, all or none."""

    changes: Annotated[list[Change], Field(min_length=1, max_length=500)]


class Decision(Reason):
    """The Clerk-Treasurer's decision of a doubt."""

    number: Annotated[Number | None, Field(description="The number determined; none where none is given.")] = None
    suffix: Annotated[str, Field(max_length=5)] = ""
    another_building: Annotated[
        bool,
        Field(
            strict=True,
            description="Whether it is another building than the one this entrance's number is of (§ 288-15 H).",
        ),
    ] = False


@router.post("/addresses", status_code=201, summary="Assign a number to a building (§ 288-15 A, G(1), K)")
def address_assign(
    asked: Entrance,
    person: Officer,
    atlas: AtlasDep,
    idempotency_key: Annotated[
        str, Header(max_length=255, description="The same request sent twice is done once.")
    ] = "",
) -> Response:
    """Give an entrance its number: the computed one, or the nearest free of its face; or a doubt for the Clerk."""
    answer = acts.assign(atlas, person.actor, asked.wanted, idempotency_key)
    if answer.assigned:
        return answered(answer.content, 201, location=f"/api/v1/addresses/{answer.content['id']}")
    detail = f"{answer.content['question']} It is in the Clerk-Treasurer's doubt queue (§ 288-15 J)."
    about = {"type": "about:blank", "title": "No number to give", "status": 409, "detail": detail, "errors": []}
    return answered({**about, **answer.content}, 409, media="application/problem+json")


@router.post("/addresses/preview", summary="What assigning would do, with its warnings")
def address_preview(asked: Entrance, person: Officer, atlas: AtlasDep) -> Response:
    """Say which number an entrance would get and what is doubtful about it; nothing is stored."""
    return answered(acts.shown(atlas, asked.wanted))


@router.get("/addresses", summary="Find addresses, however typed")
def address_list(
    atlas: AtlasDep,
    q: Annotated[str, Query(max_length=200, description="Such as `12 n vanburen` or `main 237`.")] = "",
    street: Annotated[str, Query(max_length=200)] = "",
    status: Annotated[str, Query(max_length=20, description="One status, or all; active ones when left out.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    after: Annotated[str, Query(max_length=2000, description="`next` of the page before.")] = "",
) -> Response:
    """List addresses, the likeliest first; `next` continues the list."""
    village = atlas.village
    name = village.street_name(street) if street else ""
    with atlas.database.read() as connection:
        found, following = search.found(connection, village, q, status=status, street=name, after=after, limit=limit)
    return answered({"items": [records.brief(row) for row in found], "next": following or None})


@router.get("/addresses/{address_id}", summary="One address with its reasons")
def address_get(address_id: Id, person: PersonDep, atlas: AtlasDep) -> Response:
    """Show an address; who did what and why only to who may see it.

    `conforms` says whether the map in force gives its place the number that this one was decided from. A number that an
    officer chose instead has the finding `NOT_COMPUTED`.
    """
    with atlas.database.read() as connection:
        officer = person.may(Permission.READ_RECORDS)
        return answered(records.full(connection, atlas.village, address_id, officer=officer))


@router.post("/addresses/{address_id}/retire", summary="Retire an address")
def address_retire(address_id: Id, asked: Retirement, person: Officer, atlas: AtlasDep) -> Response:
    """Retire an address: its number is free again, the record stays."""
    with atlas.database.write() as connection:
        changes.retire(connection, person.actor, address_id, asked.reason, with_letters=asked.letters)
        return _shown(connection, atlas, address_id)


@router.post("/addresses/{address_id}/restore", summary="Restore a retired address")
def address_restore(address_id: Id, asked: Reason, person: Officer, atlas: AtlasDep) -> Response:
    """Restore an address where its number has not been given again."""
    with atlas.database.write() as connection:
        returning.restore(atlas, connection, person.actor, address_id, asked.reason)
        return _shown(connection, atlas, address_id)


@router.post("/addresses/{address_id}/confirm", summary="Confirm a proposed address")
def address_confirm(address_id: Id, asked: Reason, person: Officer, atlas: AtlasDep) -> Response:
    """Confirm what was left to a person's choice."""
    with atlas.database.write() as connection:
        changes.confirm(atlas, connection, person.actor, address_id, asked.reason)
        return _shown(connection, atlas, address_id)


@router.post("/addresses/{address_id}/correct", summary="Correct what was recorded wrongly")
def address_correct(address_id: Id, asked: Correction, person: Officer, atlas: AtlasDep) -> Response:
    """Correct an address or its place."""
    wanted = asked.model_dump(exclude={"reason"}, exclude_none=True)
    wanted = asked.model_dump(exclude={"reason"}, exclude_unset=True)
    with atlas.database.write() as connection:
        changes.correct(atlas, connection, person.actor, address_id, wanted, asked.reason)
        return _shown(connection, atlas, address_id)


def _shown(connection: Any, atlas: Any, address_id: int) -> Response:
    return answered(records.full(connection, atlas.village, address_id, officer=True))


@router.post("/renumberings", status_code=201, summary="Renumber addresses of a half-street, all or none")
def renumberings(asked: Renumbering, person: Officer, atlas: AtlasDep) -> Response:
    """Give addresses other numbers: 11 becomes 13, 13 becomes 15, units following."""
    wanted = [change.model_dump() for change in asked.changes]
    with atlas.database.write() as connection:
        made = changes.renumber(atlas, connection, person.actor, wanted, asked.reason)
        found = [records.brief(registers.located(connection, row["id"])) for row in made]
    return answered({"items": found}, 201)


@router.get("/faces", summary="A block face: its row of numbers, who holds each, which are left")
def face(
    atlas: AtlasDep,
    street: Annotated[str, Query(max_length=200)],
    half: Annotated[str, Query(max_length=10, description="North, South, East or West.")],
    hundred: Annotated[int, Query(ge=0, le=999_900)],
    parity: Annotated[Literal["even", "odd"], Query()],
) -> Response:
    """List the numbers of one side of a block."""
    with atlas.database.read() as connection:
        return answered(fronts.front(atlas.village, connection, street, half, hundred, even=parity == "even"))


@router.get("/faces/why", summary="Why not this number?")
def face_why(
    atlas: AtlasDep,
    street: Annotated[str, Query(max_length=200)],
    half: Annotated[str, Query(max_length=10)],
    number: Annotated[int, Query(ge=1, le=999_999)],
) -> Response:
    """Say where a number's unit lies, who holds it, or why the half-street has none."""
    with atlas.database.read() as connection:
        return answered(fronts.why(atlas.village, connection, street, half, number))


@router.get("/doubts", summary="The Clerk-Treasurer's doubt queue (§ 288-15 J)")
def doubt_list(
    person: Annotated[Person, needs(Permission.READ_RECORDS)],
    atlas: AtlasDep,
    status: Annotated[Literal["", "open", "decided"], Query()] = "",
) -> Response:
    """List doubts, the open ones first."""
    with atlas.database.read() as connection:
        return answered({"items": [records.doubt(row) for row in doubts.listed(connection, status=status)]})


@router.get("/doubts/{doubt_id}", summary="One doubt")
def doubt_get(doubt_id: Id, person: Annotated[Person, needs(Permission.READ_RECORDS)], atlas: AtlasDep) -> Response:
    """Show a doubt, and its decision."""
    with atlas.database.read() as connection:
        return answered(records.doubt(registers.get(connection, doubts_table, doubt_id)))


@router.post("/doubts", status_code=201, summary="Put a doubt before the Clerk-Treasurer")
def doubt_raise(asked: Doubtful, person: Officer, atlas: AtlasDep) -> Response:
    """Open a doubt about an entrance's number."""
    with atlas.database.write() as connection:
        row = doubts.raise_doubt(atlas, connection, person.actor, asked.wanted, asked.question)
    return answered(records.doubt(row), 201)


@router.post("/doubts/{doubt_id}/decide", summary="Decide a doubt, once (§ 288-15 J)")
def doubt_decide(doubt_id: Id, asked: Decision, person: Clerk, atlas: AtlasDep) -> Response:
    """Determine the number, or that none is given."""
    with atlas.database.write() as connection:
        given = (asked.number, asked.suffix, asked.reason)
        row = doubts.decide(atlas, connection, person.actor, doubt_id, *given, another_building=asked.another_building)
    return answered(records.doubt(row))


@router.post("/acts/{number}/undo", summary="Undo an act on which nothing depends")
def act_undo(
    number: Id, asked: Reason, person: Annotated[Person, needs(Permission.READ_RECORDS)], atlas: AtlasDep
) -> Response:
    """Undo an act: who may do it may undo it."""
    with atlas.database.write() as connection:
        made = undoing.undo(atlas, connection, person, number, asked.reason)
    return answered({"act": made, "undid": number})


@router.get("/audit", summary="The audit log")
def audit_list(
    person: Annotated[Person, needs(Permission.READ_AUDIT)],
    atlas: AtlasDep,
    kind: Annotated[str, Query(max_length=20)] = "",
    subject: Annotated[str, Query(max_length=200)] = "",
    actor: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[int, Query(ge=0, le=2_000_000_000, description="Entries before this one.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """List what was done, the latest first."""
    conditions = [audit.c.kind == kind] if kind else []
    conditions += [audit.c.subject == subject] if subject else []
    conditions += [audit.c.actor == actor] if actor else []
    conditions += [audit.c.seq < before] if before else []
    with atlas.database.read() as connection:
        rows = registers.rows(connection, audit, *conditions, order=[audit.c.seq.desc()], limit=limit)
    following = rows[-1]["seq"] if len(rows) == limit and rows[-1]["seq"] > 1 else None
    return answered({"items": [records.entry(records.discreet(row, person)) for row in rows], "next": following})
