"""Pages of a block face and of a street's own acts: its row of numbers, why not 112, renamed, vacated."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Query, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.engine import Connection

from app import fronts, naming, registers
from app.auth import Permission, Person
from app.clocks import not_too_early
from app.deps import AtlasDep, PersonDep, needs
from app.errors import status_of
from app.law import today
from app.map_versions import Atlas, vacated
from app.published import faces
from app.registers import DependsError
from app.routes.assign_pages import fault_of
from app.routes.rendering import face_path, page, street_path, with_query
from app.tables import renamings
from app.village import Village
from gis.address import street_key
from gis.errors import Fault, StreetsError

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
READ = ["GET", "HEAD"]
Director = Annotated[Person, needs(Permission.NAME_STREETS)]
Typed = Annotated[str, Form(max_length=2000)]
NARROWEST_PX, WIDEST_PX, LEFT_PX = 40.0, 4000.0, 12.0


# --- a block face ---


@router.api_route("/faces/{street:path}/{half}/{hundred}/{parity}", methods=READ)
def face(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    street: str,
    half: str,
    hundred: Annotated[int, Path(ge=0, le=999_900)],
    parity: Literal["even", "odd"],
    number: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """Show the numbers of one side of a block: who holds each, which are left, and why one is not there."""
    village = atlas.village
    with atlas.database.read() as connection:
        found = fronts.front(village, connection, street, half, hundred, even=parity == "even")
        here = face_path(found["street"], found["half"], found["hundred"], parity)
        if request.url.path != here and (street, half) != (found["street"], found["half"]):
            return RedirectResponse(with_query(here, number=number), HTTPStatus.MOVED_PERMANENTLY)
        why, fault = _why(village, connection, found, number)
        gone = vacated(connection).get(street_key(found["street"]))
    free = {n: _place(village, found, n) for n in (*found["left"], *([why["number"]] if why and why["free"] else []))}
    other = face_path(found["street"], found["half"], found["hundred"], "odd" if parity == "even" else "even")
    shown: Json = {"f": found, "why": why, "fault": fault, "number": number, "free": free, "other": other, "here": here}
    shown |= {"strip": _strip(found), "beside": _along(village, found, parity), "vacated": gone}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if fault else HTTPStatus.OK
    return page(request, "face.html", status, **shown)


def _why(village: Village, connection: Connection, found: Json, typed: str) -> tuple[Json | None, str]:
    """Answer "Why not 112?"; the fault where what was typed is no number."""
    text = typed.strip()
    if not text:
        return None, ""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 999_999):
        return None, "Enter a whole number, such as 112."
    even = found["parity"] == "even"
    return fronts.why(village, connection, found["street"], found["half"], int(text), even=even), ""


def _place(village: Village, found: Json, number: int) -> str:
    """Return the address of the page that assigns a number, at the middle of its unit; ``""`` off the ground."""
    at = faces(village, number, found["street"], found["half"])
    position = at[0].position if at else None
    if position is None:
        return ""
    return with_query("/assign", lat=position[0], lon=position[1], street=found["street"], number=number, middle="yes")


def _along(village: Village, found: Json, parity: str) -> list[tuple[str, str]]:
    """Return the faces before and after on the same side."""
    rows = fronts.rows_of(village, found["street"], found["half"])
    at = next(k for k, row in enumerate(rows) if row.hundred == found["hundred"])
    near = [(word, rows[k]) for word, k in (("inward", at - 1), ("outward", at + 1)) if 0 <= k < len(rows)]
    return [
        (f"{row.hundred} block, {word}", face_path(row.street, row.side, row.hundred, parity)) for word, row in near
    ]


def _strip(found: Json) -> Json:
    """Lay out a face's units to scale; x in pixels from the left."""
    numbers = found["numbers"]
    length = found["block"]["length_ft"]
    shortest = min((n["to_ft"] - n["from_ft"] for n in numbers[:-1]), default=length) or 1.0
    scale = min(max(NARROWEST_PX / shortest, 640 / max(length, 1.0)), WIDEST_PX / max(length, 1.0))
    units = [
        {
            "number": n["number"],
            "x": round(LEFT_PX + scale * n["from_ft"], 1),
            "width": round(scale * (n["to_ft"] - n["from_ft"]), 1),
            "held": n["held_by"],
        }
        for n in numbers
    ]
    tail = found["block"]["tail_ft"]
    end = LEFT_PX + scale * length
    return {"units": units, "end": round(end, 1), "tail": round(scale * tail, 1), "width": round(end + 12, 1)}


# --- a street's names ---


def names_of(connection: Connection, village: Village, name: str) -> Json:
    """Return what the register knows of a street: its former names, and the act that vacated it."""
    acts = registers.standing(connection, renamings)

    def had(old: str) -> bool:
        key = street_key(old)
        return old != name and (village.aliases.get(key) == name or name in village.formerly.get(key, ()))

    formerly, shared = [act for act in acts if had(act["old"])], village.formerly.get(street_key(name), ())
    return {"formerly": formerly, "shared": shared, "vacated": vacated(connection).get(street_key(name))}


def _page(
    request: Request, atlas: Atlas, name: str, template: str, error: StreetsError | None = None, **given: Any
) -> Response:
    village = atlas.village
    official = village.street_name(name)
    with atlas.database.read() as connection:
        left = naming.on_street(connection, official)
        gone = vacated(connection).get(street_key(official))
    typed = {"new": "", "day": today().isoformat(), "act": "", "reason": "", "retire": "", **given}
    shown: Json = {
        "name": official,
        "left": left,
        "listed": _digest(left),
        "vacated": gone,
        "typed": typed,
        "faults": {},
    }
    shown |= {"base_line": official in {village.files.settings.base_ew, village.files.settings.base_ns}}
    if error is not None:
        shown["faults"] = fault_of(_renamed(error), typed)
    return page(request, template, status_of(error)[0] if error else HTTPStatus.OK, **shown)


def _renamed(error: StreetsError) -> StreetsError:
    """Name the fields of an error as the forms do."""
    own = {"name": "new", "date": "day"}
    return StreetsError(error.message, [Fault(own.get(f.field, f.field), f.found, f.expected) for f in error.faults])


@router.api_route("/streets/{name:path}/rename", methods=READ)
def rename_page(request: Request, person: Director, atlas: AtlasDep, name: str) -> Response:
    """Ask for the new name and the Board's act."""
    return _page(request, atlas, name, "rename.html")


@router.post("/streets/{name:path}/rename")
def rename(
    request: Request,
    person: Director,
    atlas: AtlasDep,
    name: str,
    new: Typed = "",
    day: Typed = "",
    act: Typed = "",
    reason: Typed = "",
) -> Response:
    """Record that a street was renamed."""
    given = {"new": new, "day": day, "act": act, "reason": reason}
    try:
        with atlas.database.write() as connection:
            made = naming.rename(atlas, connection, person.actor, name, new, _day(day), act, reason)
    except StreetsError as error:
        return _page(request, atlas, name, "rename.html", error, **given)
    return RedirectResponse(with_query(street_path(made["new"]), done="renamed"), HTTPStatus.SEE_OTHER)


@router.api_route("/streets/{name:path}/vacate", methods=READ)
def vacate_page(request: Request, person: Director, atlas: AtlasDep, name: str) -> Response:
    """List what depends on a street, and ask for the Board's act."""
    return _page(request, atlas, name, "vacate.html")


@router.post("/streets/{name:path}/vacate")
def vacate(
    request: Request,
    person: Director,
    atlas: AtlasDep,
    name: str,
    day: Typed = "",
    act: Typed = "",
    reason: Typed = "",
    retire: Typed = "",
    listed: Typed = "",
) -> Response:
    """Record that a street was vacated; the addresses that were listed go with it, where that was ticked."""
    given = {"day": day, "act": act, "reason": reason, "retire": retire}
    try:
        with atlas.database.write() as connection:
            _check_listed(connection, atlas, name, retire, listed)
            made = naming.vacate(atlas, connection, person.actor, name, _day(day), act, reason, retire=retire == "yes")
    except StreetsError as error:
        return _page(request, atlas, name, "vacate.html", error, **given)
    return RedirectResponse(with_query(street_path(made["street"]), done="vacated"), HTTPStatus.SEE_OTHER)


def _check_listed(connection: Connection, atlas: Atlas, name: str, retire: str, listed: str) -> None:
    """Refuse to retire addresses that were not on the list an officer saw."""
    left = naming.on_street(connection, atlas.now(connection).street_name(name))
    if retire == "yes" and listed != _digest(left):
        raise DependsError("The addresses on it have changed since the list was made. Look at the list again.")


def _digest(left: Sequence[registers.Row]) -> str:
    """Return what tells one list of addresses from another."""
    return hashlib.sha256(",".join(f"{row['id']} {row['full']}" for row in left).encode()).hexdigest()[:16]


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text.strip())
    except ValueError as error:
        raise StreetsError.of("date", text or "nothing", "the day of the act, such as 2026-06-01") from error
    return not_too_early(day, "date")
