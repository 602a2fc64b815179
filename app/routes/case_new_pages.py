"""A case of any kind but of a number: what its first step asks, the address it is at or the place it is at."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from app import casebook, cases, maps, registers, search
from app.auth import Permission, Person, new_token
from app.casebook import NoCaseError
from app.casework import Kind
from app.clocks import LOCAL
from app.deps import AtlasDep, needs
from app.errors import headers_of, status_of
from app.map_versions import Atlas
from app.routes import step_forms
from app.routes.forms import MOST_ID, READ, Text, go
from app.routes.rendering import page
from app.routes.step_forms import Sent
from app.tables import addresses, locations
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
MOST_FOUND = 20


def _kind(name: str) -> Kind:
    """Return a kind of case that this form is for.

    Raises
    ------
    NoCaseError
        There is none, or it is of permits.
    """
    kind = casebook.kind_of(name)
    if kind.book == "permit":
        raise NoCaseError.of("kind", name[:60], "a kind of case: permits are applied for")
    return kind


@router.api_route("/cases/new/{kind}", methods=READ)
def new_page(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    kind: str,
    q: Text = "",
    address: Annotated[int, Query(ge=0, le=MOST_ID)] = 0,
) -> Response:
    """Show the form of a kind's first step; one that is of an address begins with the address."""
    of = _kind(kind)
    if of.joins:
        return go("/cases/report")
    found: list[Json] = []
    if q.strip() and not address:
        with atlas.database.read() as connection:
            found, _ = search.found(connection, atlas.village, q, limit=MOST_FOUND)
    return _page(request, atlas, of, None, {}, address, {"q": q, "found": found})


def _page(
    request: Request,
    atlas: Atlas,
    of: Kind,
    error: StreetsError | None,
    texts: Mapping[str, str],
    address: int,
    looked: Json | None = None,
) -> Response:
    step = of.steps[of.opening]
    keys = step_forms.keys_of(step)
    with atlas.database.read() as connection:
        at = registers.find(connection, addresses, address)
        door = registers.find(connection, locations, at["location_id"]) if at else None
    form = {key: texts.get(key, "") for key in keys}
    if not texts:
        form["date"] = datetime.now(LOCAL).date().isoformat()
    faults = step_forms.beside(error, keys) if error else {}
    status = status_of(error)[0] if error else HTTPStatus.OK
    focus = (door["lat"], door["lon"]) if door else None
    views = {"all": maps.bounds(atlas.village), "core": maps.core(atlas.village)}
    opened = [key for key in keys if form[key] or key in faults]
    shown: Json = {"kind": of, "step": step, "form": form, "faults": faults, "a": at, "token": new_token()}
    shown |= {"script": maps.map_script(atlas.village), "data": {"views": views, "at": focus}, "opened": opened}
    shown |= {"tapped": {"lat", "lon"} <= set(keys), "q": "", "found": [], **(looked or {})}
    answer = page(request, "case_new.html", status, **shown)
    if error:
        answer.headers.update(headers_of(error))
    return answer


@router.post("/cases/new/{kind}")
def open_new(request: Request, person: Reader, atlas: AtlasDep, kind: str, sent: Sent) -> Response:
    """Open a case of a kind."""
    of, now = _kind(kind), datetime.now(UTC)
    step = of.steps[of.opening]
    assert step.permission is not None
    person.require(step.permission)
    text = sent.get("address", "")
    address = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    try:
        given = {**step_forms.given(step, sent, now), "kind": of.key, **({"address_id": address} if address else {})}
        made = cases.open_case(atlas.database, person, given, now, sent.get("token", "")[:200])
    except StreetsError as error:
        return _page(request, atlas, of, error, sent, address)
    return go(f"/cases/{made['id']}?done={of.opening}")
