"""What the ordinance leaves to the Village, by page and API: listed, filled in from a day on, withdrawn."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from pydantic import ConfigDict, Field

from app import registers, settled
from app.auth import Permission, Person, new_token
from app.case_times import recount
from app.deps import AtlasDep, PersonDep, needs
from app.errors import status_of
from app.map_versions import Atlas
from app.once import RepeatedError
from app.routes.api import answered
from app.routes.case_pages import Sent
from app.routes.forms import READ, Id, Text, faults_of, go
from app.routes.register_api import PROBLEMS, Body, Reason
from app.routes.rendering import page
from app.street_objects import asking
from gis.errors import StreetsError

router = APIRouter()
Json = dict[str, Any]
Settler = Annotated[Person, needs(Permission.SETTLE)]
Key = Annotated[str, Header(max_length=255, description="The same request sent twice is done once.")]
FIELDS = ("value", "from", "source", "reason")
DONE = {"saved": "Recorded.", "withdrawn": "Withdrawn: what held before it holds again."}


class Settled(Body):
    """What the Village has settled."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "key": "fee_street_opening",
                "value": "25.00",
                "from": "2026-07-01",
                "source": "Fee schedule of § 173-1, as the Board adopted it",
                "reason": "Filled in",
            }
        },
    )

    key: Annotated[str, Field(max_length=60, description="A key of `GET /api/v1/settled`.")]
    value: Annotated[
        str | bool | list[dict[str, str]],
        Field(description="Dollars such as `25.00`; `yes` or `no`; a text; or days as `{day, name}`."),
    ]
    start: Annotated[
        str | None, Field(alias="from", max_length=40, description="The first day it holds; today when left out.")
    ] = None
    source: Annotated[str, Field(max_length=2000, description="Where it stands, such as a resolution.")] = ""
    reason: Annotated[str, Field(max_length=2000)] = ""


# --- by API ---


@router.get("/api/v1/settled", summary="What the ordinance leaves to the Village, and what it has settled")
def settled_list(person: PersonDep, atlas: AtlasDep) -> Response:
    """List fees and readings with what is in force; who recorded each, and why, for officers."""
    return answered({"items": _listed(atlas, person)})


@router.post(
    "/api/v1/settled", status_code=201, responses=PROBLEMS, summary="Fill in a fee or a reading, from a day on"
)
def settled_add(asked: Settled, person: Settler, atlas: AtlasDep, idempotency_key: Key = "") -> Response:
    """Record what the Village has settled; clocks that are counted by it are counted anew."""
    given = asked.model_dump(by_alias=True, exclude_unset=True)
    made = settled.add(asking(atlas, person, idempotency_key), given, recount)
    return answered({**made, "item": _one(atlas, person, asked.key)}, 201)


@router.post("/api/v1/settled/{value_id}/withdraw", responses=PROBLEMS, summary="Withdraw a fee or a reading")
def settled_withdraw(
    value_id: Id, asked: Reason, person: Settler, atlas: AtlasDep, idempotency_key: Key = ""
) -> Response:
    """Withdraw a value; the one before it holds again, or none."""
    return answered(settled.withdraw(asking(atlas, person, idempotency_key), value_id, asked.reason, recount))


# --- by page ---


@router.api_route("/settled", methods=READ, include_in_schema=False)
def settled_page(request: Request, person: PersonDep, atlas: AtlasDep, done: Text = "") -> Response:
    """Show what is left to the Village, what holds, and what held before."""
    return _page(request, atlas, person, done=DONE.get(done, ""))


@router.api_route("/settled/{key}", methods=READ, include_in_schema=False)
def settled_form(request: Request, person: Settler, atlas: AtlasDep, key: str) -> Response:
    """Show the form that fills in one of them."""
    return _form(request, atlas, person, key)


@router.post("/settled/{key}", include_in_schema=False)
def settled_send(request: Request, person: Settler, atlas: AtlasDep, key: str, sent: Sent) -> Response:
    """Fill in one of them."""
    given = {"key": key, **{name: sent.get(name, "") for name in FIELDS}}
    try:
        settled.add(asking(atlas, person, sent.get("token", "")[:200]), given, recount)
    except RepeatedError:
        return go(f"/settled#{settled.setting(key).key}")
    except StreetsError as error:
        return _form(request, atlas, person, key, error, given)
    return go(f"/settled?done=saved#{key}")


@router.post("/settled/{key}/{value_id}/withdraw", include_in_schema=False)
def settled_take_back(
    request: Request, person: Settler, atlas: AtlasDep, key: str, value_id: Id, sent: Sent
) -> Response:
    """Withdraw a value."""
    found = settled.setting(key)
    try:
        by = asking(atlas, person, sent.get("token", "")[:200])
        settled.withdraw(by, value_id, sent.get("reason", ""), recount)
    except registers.NotFoundError:
        raise
    except RepeatedError:
        return go(f"/settled#{found.key}")
    except StreetsError as error:
        return _page(request, atlas, person, error, value_id)
    return go(f"/settled?done=withdrawn#{found.key}")


def _listed(atlas: Atlas, person: Person) -> list[Json]:
    officer = person.may(Permission.READ_RECORDS) or person.may(Permission.SETTLE)
    with atlas.database.read() as connection:
        return settled.listed(connection, datetime.now(UTC), officer=officer)


def _one(atlas: Atlas, person: Person, key: str) -> Json:
    return next(one for one in _listed(atlas, person) if one["key"] == settled.setting(key).key)


def _page(
    request: Request,
    atlas: Atlas,
    person: Person,
    error: StreetsError | None = None,
    value_id: int = 0,
    done: str = "",
) -> Response:
    shown: Json = {"items": _listed(atlas, person), "may": person.may(Permission.SETTLE), "done": done}
    shown |= {"faults": faults_of(error, ("reason",)) if error else {}, "at": value_id, "token": new_token()}
    shown |= {"read_day": date.fromisoformat, "read_time": datetime.fromisoformat}
    return page(request, "settled.html", status_of(error)[0] if error else HTTPStatus.OK, **shown)


def _form(
    request: Request,
    atlas: Atlas,
    person: Person,
    key: str,
    error: StreetsError | None = None,
    given: Mapping[str, str] | None = None,
) -> Response:
    one = _one(atlas, person, key)
    form = {name: (given or {}).get(name, "") for name in FIELDS}
    if given is None and one["type"] == "days":  # the list is taken whole, so that it is shown to be added to
        form["value"] = "\n".join(f"{closed['day']} {closed['name']}" for closed in one["value"] or ())
    shown: Json = {"one": one, "form": form, "token": new_token()}
    shown |= {"faults": faults_of(error, FIELDS) if error else {}, "read_day": date.fromisoformat}
    return page(request, "settled_value.html", status_of(error)[0] if error else HTTPStatus.OK, **shown)
