"""Pages of the Clerk-Treasurer's doubt queue (§ 288-15 J): what is in doubt, what is free, and the decision, once."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from sqlalchemy.engine import Connection

from app import acts, doubts, fronts, registers, undoing
from app.answers import Json, as_csv
from app.assign import preview
from app.auth import Permission, Person
from app.considered import SamePlaceError, TakenError, Wanted
from app.deps import AtlasDep, needs
from app.errors import headers_of, status_of
from app.map_versions import Atlas
from app.routes import words
from app.routes.audit_pages import why_not_undone
from app.routes.forms import READ, Id, PageNumber, Text, Typed, csv_file, faults_of, go, part, read_whole
from app.routes.listing import SEVERITIES
from app.routes.places import picture
from app.routes.rendering import page
from app.tables import doubts as table
from app.village import LONLAT, Village
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
A_PAGE = 50
STATES = {"": "open", "decided": "decided", "all": "open and decided"}
COLUMNS = (
    *("id", "status", "kind", "street", "half", "question", "opened_at", "opened_by", "lon", "lat"),
    *("decided_at", "decided_by", "number", "suffix", "reason", "address_id"),
)

Officer = Annotated[Person, needs(Permission.READ_RECORDS)]
Clerk = Annotated[Person, needs(Permission.DECIDE_DOUBT)]


@router.api_route("/doubts", methods=READ)
def doubt_list(
    request: Request,
    person: Officer,
    atlas: AtlasDep,
    status: Text = "",
    kind: Text = "",
    street: Text = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    format: Text = "",
) -> Response:
    """List the doubts, the oldest open ones first."""
    with atlas.database.read() as connection:
        every = doubts.listed(connection, limit=0)
    wanted = {"": {"open"}, "decided": {"decided"}}.get(status, {"open", "decided"})
    found = [row for row in every if row["status"] in wanted and kind in {"", row["kind"]}]
    found = [row for row in found if street in {"", row["street"]}]
    if format == "csv":
        return csv_file(as_csv(COLUMNS, map(_cells, found), spreadsheet=True), "doubts.csv")
    shown, pages = part(found, number, A_PAGE)
    given = {"status": status, "kind": kind, "street": street}
    lists: Json = {"streets": sorted({row["street"] for row in every} - {""}), "kinds": words.DOUBTS, "states": STATES}
    counts: Json = {"total": len(found), "open": sum(row["status"] == "open" for row in every), "every": len(every)}
    return page(
        request, "doubts.html", found=shown, number=number, pages=pages, given=given, age=words.age, **lists, **counts
    )


def _cells(row: registers.Row) -> list[str]:
    decision = row["decision"] or {}
    made = {**row, "number": decision.get("number"), "suffix": decision.get("suffix")}
    made |= {name: row[name].isoformat() if row[name] else "" for name in ("opened_at", "decided_at")}
    return ["" if made[name] is None else str(made[name]) for name in COLUMNS]


@router.api_route("/doubts/{doubt_id}", methods=READ)
def doubt(request: Request, person: Officer, atlas: AtlasDep, doubt_id: Id) -> Response:
    """Show one doubt, and the form that decides it to who may."""
    return _doubt_page(request, atlas, person, doubt_id)


def _doubt_page(
    request: Request, atlas: Atlas, person: Person, doubt_id: int, status: int = HTTPStatus.OK, **given: Any
) -> Response:
    village = atlas.village
    with atlas.database.read() as connection:
        row = registers.get(connection, table, doubt_id)
        place = village.into_feet(LONLAT)(row["lon"], row["lat"])
        shown: Json = {"picture": picture(village, connection, float(place[0]), float(place[1]))}
        shown |= _faces(village, connection, row) if row["status"] == "open" else {"now": None, "faces": []}
        shown |= {"given": _made(connection, row), **_undoing(connection, person, row)}
    now = _now(atlas, row) if row["status"] == "open" else None
    form: Json = {"choice": "number", "number": "", "suffix": row["request"].get("suffix", ""), "reason": ""}
    form |= {"another_building": False, "ask_another": False}
    shown |= {"kinds": words.DOUBTS, "severities": SEVERITIES, "age": words.age, "found": now}
    shown |= {"faults": given.pop("faults", {}), "form": {**form, **given}}
    return page(request, "doubt.html", status, doubt=row, **shown)


def _now(atlas: Atlas, row: registers.Row) -> Json:
    """Say what the entrance would get today, or why nothing can be said."""
    wanted = Wanted(**{**row["request"], "number": None, "reason": ""})
    try:
        return {"answer": acts.shown(atlas, wanted), "why": ""}
    except StreetsError as error:
        return {"answer": None, "why": error.message}


def _faces(village: Village, connection: Connection, row: registers.Row) -> Json:
    """Return both faces of the block the entrance lies in, with the numbers left on each."""
    if not row["street"]:
        return {"faces": []}
    try:
        answer = preview(village, row["lon"], row["lat"], street=row["street"], explained=False)
        block = (answer["street"], answer["half"], answer["hundred"])
        faces = [fronts.front(village, connection, *block, even=even) for even in (False, True)]
    except (StreetsError, KeyError):
        return {"faces": []}
    number = answer["number"]
    return {"faces": [{**face, "own": number and (number % 2 == 0) == (face["parity"] == "even")} for face in faces]}


def _made(connection: Connection, row: registers.Row) -> registers.Row | None:
    return registers.located(connection, row["address_id"]) if row["address_id"] else None


def _undoing(connection: Connection, person: Person, row: registers.Row) -> Json:
    """Return the act that decided a doubt, and why it cannot be undone where it cannot."""
    last = undoing.last_act(connection, "doubts", row["id"])
    if row["status"] != "decided" or last is None:
        return {"act": 0, "why": ""}
    return {"act": last["act"], "why": why_not_undone(connection, person, last["act"])}


@router.post("/doubts/{doubt_id}/decide")
def decide(
    request: Request,
    person: Clerk,
    atlas: AtlasDep,
    doubt_id: Id,
    choice: Typed = "",
    number: Typed = "",
    suffix: Typed = "",
    reason: Typed = "",
    another_building: Annotated[bool, Form()] = False,
) -> Response:
    """Determine the number, or that none is given."""
    try:
        wanted = _number(choice, number)
        with atlas.database.write() as connection:
            given = (wanted, suffix if wanted is not None else "", reason)
            doubts.decide(atlas, connection, person.actor, doubt_id, *given, another_building=another_building)
    except registers.NotFoundError:
        raise
    except StreetsError as error:
        fields = ("choice", "number", "suffix", "reason")
        faults = faults_of(error, fields, "number" if isinstance(error, TakenError) else "")
        typed: Json = {"choice": choice, "number": number, "suffix": suffix, "reason": reason, "faults": faults}
        typed |= {"another_building": another_building, "ask_another": isinstance(error, SamePlaceError)}
        answer = _doubt_page(request, atlas, person, doubt_id, status_of(error)[0], **typed)
        answer.headers.update(headers_of(error))
        return answer
    return go(f"/doubts/{doubt_id}")


def _number(choice: str, number: str) -> int | None:
    if choice == "none":
        return None
    if choice != "number":
        raise StreetsError.of("choice", "nothing", "a number, or that none is given")
    return read_whole(number, "number", "a whole number, 1 to 999999, of either side", least=1)
