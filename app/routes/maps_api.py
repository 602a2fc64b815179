"""The API of the Street Numbering Map's versions and of the streets' names: parse, call one function, answer."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from pydantic import BeforeValidator, Field
from sqlalchemy.engine import Connection

from app import adoption, board, map_versions, naming, records, registers
from app.assign import preview
from app.auth import Permission, Person
from app.deps import AtlasDep, known_query, needs
from app.map_versions import Atlas
from app.routes.api import PreviewRequest, answered
from app.routes.register_api import PROBLEMS, Reason, Text
from app.tables import maps
from gis.errors import StreetsError

router = APIRouter(prefix="/api/v1", responses=PROBLEMS, dependencies=[Depends(known_query)])

Editor = Annotated[Person, needs(Permission.EDIT_MAP)]
Adopter = Annotated[Person, needs(Permission.ADOPT_MAP)]
Namer = Annotated[Person, needs(Permission.NAME_STREETS)]
Version = Annotated[int, Path(ge=1, le=2_000_000_000)]


def _day_text(value: object) -> object:
    """Refuse a number for a day: it would be read as seconds since 1970."""
    if not isinstance(value, str):
        raise ValueError("a day such as 2026-06-01")
    return value


class Adoption(Reason):
    """A Board act that adopts a version."""

    date: Annotated[date, BeforeValidator(_day_text), Field(description="The day of the Board's act.")]
    act: Annotated[Text, Field(description="The act, such as `Resolution 2026-14`.")]


class BoardAct(Adoption):
    """A Board act on a street."""


class Renaming(BoardAct):
    """A Board act that renames a street."""

    name: Annotated[str, Field(max_length=100)]


class Vacation(BoardAct):
    """A Board act that vacates a street."""

    retire: Annotated[
        bool, Field(strict=True, description="Whether addresses left on it are retired in the same act.")
    ] = False


@router.get("/maps", summary="Versions of the Street Numbering Map")
def map_list(atlas: AtlasDep) -> Response:
    """List versions, the newest first."""
    with atlas.database.read() as connection:
        rows = registers.rows(connection, maps, order=[maps.c.version.desc()])
        force = map_versions.in_force(connection)
        rows = [atlas.counted(connection, row) for row in rows]
        told = [records.version(row, map_versions.edits_of(connection, row["version"]), force) for row in rows]
    return answered({"items": told})


@router.post("/maps", status_code=201, summary="Propose a map of the streets as they are now")
def map_propose(person: Editor, atlas: AtlasDep, asked: Reason | None = None) -> Response:
    """Derive a new version; edits of the one in force are carried over."""
    atlas.reread()
    with atlas.database.write() as connection:
        row = map_versions.propose(atlas, connection, person.actor, asked.reason if asked else "")
        row = atlas.counted(connection, row)
    return answered(records.version(row), 201)


@router.get("/maps/{version}", summary="One version with its edits")
def map_get(version: Version, atlas: AtlasDep) -> Response:
    """Show a version; an edit that nothing of its map answers to is marked `unmatched`."""
    with atlas.database.read() as connection:
        row = atlas.counted(connection, registers.get(connection, maps, version))
        edits, force = map_versions.edits_of(connection, version), map_versions.in_force(connection)
        lost = _lost(atlas, connection, version) if edits else set()
    told = records.version(row, edits, force)
    marked = [{**edit, "unmatched": edit["id"] in lost} for edit in told["edits"]]
    return answered({**told, "edits": marked})


def _lost(atlas: Atlas, connection: Connection, version: int) -> set[int]:
    """Return the ids of a version's edits that match nothing; none is told of a map that cannot be derived."""
    try:
        village = atlas.at(connection, version)
    except StreetsError:
        return set()
    return {edit["id"] for edit in map_versions.unmatched_edits(connection, village, version)}


@router.post("/maps/{version}/numbers", summary="The number an entrance would have under a version, and why")
def map_number(version: Version, asked: PreviewRequest, atlas: AtlasDep) -> Response:
    """Number an entrance under any version of the map; nothing is stored."""
    village = atlas.of(version)
    return answered(preview(village, asked.x, asked.y, asked.crs, asked.street, explained=asked.explain))


@router.get("/maps/{version}/addresses/{address_id}", summary="An address recomputed under a version")
def map_address(version: Version, address_id: Version, atlas: AtlasDep) -> Response:
    """Compute an address's number anew, under the version it was given under or any other."""
    village = atlas.of(version)
    with atlas.database.read() as connection:
        found = adoption.under(village, [registers.located(connection, address_id)])[0]
    return answered(
        {
            "id": address_id,
            "address": found.row["full"],
            "version": version,
            "given_under": found.row["map_version"],
            "number": found.row["number"],
            "computed_then": found.row["computed_number"],
            "computed": found.number,
            "agrees": found.agrees,
        }
    )


@router.get("/maps/{version}/diff", summary="What a version would change against the adopted one")
def map_diff(version: Version, person: Annotated[Person, needs(Permission.READ_RECORDS)], atlas: AtlasDep) -> Response:
    """List every block and every number that would change."""
    with atlas.database.read() as connection:
        return answered(adoption.diff(atlas, connection, version))


@router.post("/maps/{version}/adopt", summary="Record the Board's adoption of a version")
def map_adopt(version: Version, asked: Adoption, person: Adopter, atlas: AtlasDep) -> Response:
    """Adopt a version: provisional numbers that agree with it become official."""
    with atlas.database.write() as connection:
        made = adoption.adopt(atlas, connection, person.actor, version, asked.date, asked.act, asked.reason)
    return answered(made)


@router.post("/maps/{version}/withdraw", summary="Withdraw a proposal")
def map_withdraw(version: Version, asked: Reason, person: Editor, atlas: AtlasDep) -> Response:
    """Withdraw a proposal."""
    with atlas.database.write() as connection:
        row = map_versions.withdraw(connection, person.actor, version, asked.reason)
        return answered(records.version(atlas.counted(connection, row)))


@router.get("/survey", summary="Whether the survey of § 288-15 G(1) is completed")
def survey_get(atlas: AtlasDep) -> Response:
    """Show the record of the survey's completion."""
    with atlas.database.read() as connection:
        row = board.survey(connection)
    told = {"completed_on": row["completed_on"].isoformat(), "act": row["act"]} if row else {}
    return answered({"completed": row is not None, **told})


@router.post("/survey", status_code=201, summary="Record that the survey is completed")
def survey_record(asked: Adoption, person: Adopter, atlas: AtlasDep) -> Response:
    """Record the day and the Board's act."""
    with atlas.database.write() as connection:
        row = board.record_survey(connection, person.actor, asked.date, asked.act, asked.reason)
    return answered({"completed": True, "completed_on": row["completed_on"].isoformat(), "act": row["act"]}, 201)


@router.post("/streets/{name:path}/rename", status_code=201, summary="Record that a street was renamed")
def street_rename(name: str, asked: Renaming, person: Namer, atlas: AtlasDep) -> Response:
    """Rename a street: its addresses follow, the old name is an alias."""
    with atlas.database.write() as connection:
        given = (asked.name, asked.date, asked.act, asked.reason)
        made = naming.rename(atlas, connection, person.actor, name, *given)
    return answered({**made, "warnings": naming.warnings(atlas.village, made["new"])}, 201)


@router.post("/streets/{name:path}/vacate", status_code=201, summary="Record that a street was vacated")
def street_vacate(name: str, asked: Vacation, person: Namer, atlas: AtlasDep) -> Response:
    """Vacate a street: none of its addresses is left behind."""
    with atlas.database.write() as connection:
        given = (asked.date, asked.act, asked.reason)
        made = naming.vacate(atlas, connection, person.actor, name, *given, retire=asked.retire)
    return answered(made, 201)
