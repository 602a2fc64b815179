"""What an officer does to an address, each act on a page of its own that says what follows and asks why."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field
from sqlalchemy.engine import Connection

from app import changes, records, registers, returning, undoing
from app.auth import Permission, Person
from app.changes import StateError
from app.considered import TakenError
from app.deps import AtlasDep, needs
from app.errors import status_of
from app.map_versions import Atlas
from app.people import ChangedMeanwhileError
from app.registers import DependsError
from app.routes.address_pages import last_act
from app.routes.asked import read_degrees, read_pair
from app.routes.assign_pages import Outline, Typed, fault_of
from app.routes.forms import MOST_ID, Id, read_geojson
from app.routes.rendering import page
from app.routes.wording import PLACES
from app.tables import addresses
from app.village import LONLAT
from gis.errors import Fault, StreetsError

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
Officer = Annotated[Person, needs(Permission.ASSIGN)]
Reason = Annotated[str, Form(max_length=2000)]
MOST_MOVED = 100
NEEDS = {"confirm": {"proposed"}, "restore": {"retired"}}
"""The statuses an act needs; those in use for the others."""


class Corrected(BaseModel):
    """What was recorded of an address, as typed."""

    number: Typed = ""
    suffix: Typed = ""
    lat: Typed = ""
    lon: Typed = ""
    placement: Typed = ""
    accuracy_ft: Typed = ""
    doors: Typed = ""
    building: Outline = ""
    lot: Outline = ""
    access_lat: Typed = ""
    access_lon: Typed = ""
    access_note: Annotated[str, Field(max_length=500)] = ""
    reason: Annotated[str, Field(max_length=2000)] = ""
    was: Outline = ""
    """What the form showed, as JSON."""


def _go(address_id: int, done: str) -> Response:
    return RedirectResponse(f"/addresses/{address_id}?done={done}", HTTPStatus.SEE_OTHER)


def _check_state(row: registers.Row, act: str) -> None:
    """Refuse an act that the address's status does not allow."""
    wanted = NEEDS.get(act, {"proposed", "provisional", "official"})
    if row["status"] not in wanted:
        raise StateError.of("address", f"{row['full']}, {row['status']}", f"one that is {' or '.join(sorted(wanted))}")


def _page(
    request: Request, atlas: Atlas, address_id: int, act: str, error: StreetsError | None = None, **more: Any
) -> Response:
    """Show an act's page; with what stood in its way."""
    with atlas.database.read() as connection:
        row = registers.located(connection, address_id)
    if error is None and act != "undo":
        _check_state(row, act)
    given = {"reason": "", **more}
    shown: Json = {
        "act": act,
        "a": row,
        "faults": {},
        "holder": None,
        "dependents": [],
        "doubtful": [],
        "places": PLACES,
    }
    if error is not None:
        shown["faults"] = fault_of(error, {**given, **given.get("c", {})})
        shown["holder"] = error.holder if isinstance(error, TakenError) else None
        shown["dependents"] = error.dependents if isinstance(error, DependsError) else []
    status = status_of(error)[0] if error else HTTPStatus.OK
    return page(request, "address_act.html", status, **{**shown, **given})


# --- confirmed, retired, restored ---


@router.api_route("/addresses/{address_id}/confirm", methods=["GET", "HEAD"])
@router.api_route("/addresses/{address_id}/retire", methods=["GET", "HEAD"])
@router.api_route("/addresses/{address_id}/restore", methods=["GET", "HEAD"])
def act_page(request: Request, person: Officer, atlas: AtlasDep, address_id: Id) -> Response:
    """Say what an act does, and ask why it is done."""
    return _page(request, atlas, address_id, request.url.path.rpartition("/")[2])


@router.post("/addresses/{address_id}/confirm")
def confirm(request: Request, person: Officer, atlas: AtlasDep, address_id: Id, reason: Reason = "") -> Response:
    """Confirm what was left to a person's choice."""
    try:
        with atlas.database.write() as connection:
            changes.confirm(atlas, connection, person.actor, address_id, reason)
    except StreetsError as error:
        return _refused(request, atlas, address_id, "confirm", error, reason=reason)
    return _go(address_id, "confirmed")


@router.post("/addresses/{address_id}/retire")
def retire(
    request: Request,
    person: Officer,
    atlas: AtlasDep,
    address_id: Id,
    reason: Reason = "",
    letters: Annotated[bool, Form()] = False,
) -> Response:
    """Retire an address; its lettered doors too, where the form that listed them says so."""
    try:
        with atlas.database.write() as connection:
            changes.retire(connection, person.actor, address_id, reason, with_letters=letters)
    except StreetsError as error:
        return _refused(request, atlas, address_id, "retire", error, reason=reason)
    return _go(address_id, "retired")


@router.post("/addresses/{address_id}/restore")
def restore(request: Request, person: Officer, atlas: AtlasDep, address_id: Id, reason: Reason = "") -> Response:
    """Restore a retired address."""
    try:
        with atlas.database.write() as connection:
            returning.restore(atlas, connection, person.actor, address_id, reason)
    except StreetsError as error:
        return _refused(request, atlas, address_id, "restore", error, reason=reason)
    return _go(address_id, "restored")


def _refused(request: Request, atlas: Atlas, address_id: int, act: str, error: StreetsError, **given: Any) -> Response:
    if isinstance(error, registers.NotFoundError | StateError):
        raise error
    return _page(request, atlas, address_id, act, error, **given)


# --- undone ---


@router.api_route("/addresses/{address_id}/undo", methods=["GET", "HEAD"])
def undo_page(request: Request, person: Officer, atlas: AtlasDep, address_id: Id) -> Response:
    """Say what undoing the last act takes back, or why it cannot be."""
    return _page(request, atlas, address_id, "undo", **_undoing(atlas, person, address_id))


def _undoing(atlas: Atlas, person: Person, address_id: int, number: int = 0) -> Json:
    """Return the act to be undone and every address that undoing it touches."""
    with atlas.database.read() as connection:
        last = last_act(connection, registers.get(connection, addresses, address_id))
        number = number or (last["act"] if last else 0)
        entries, why = registers.entries_of(connection, number), ""
        try:
            if undoing.UNDOABLE.get(last["what"] if last else "") not in {Permission.ASSIGN, Permission.DECIDE_DOUBT}:
                raise StateError("Only what was done to this address can be undone here.")
            undoing.check_undo(connection, person, number)
        except StreetsError as error:
            why = str(error.message)
        told = {e["subject"]: _taken_back(connection, e) for e in reversed(entries) if e["kind"] == "addresses"}
    about = entries[0] if entries else {}
    return {"number": number, "entries": list(told.values()), "about": about, "why_not": why}


def _taken_back(connection: Connection, entry: registers.Row) -> Json:
    """Return an address as it is and as undoing one entry makes it."""
    row = registers.get(connection, addresses, int(entry["subject"]))
    before = json.loads(entry["before"]) if entry["before"] else None
    was = f"{before['full']}, {before['status']}" if before else f"{row['full']}, retired: its number is free again"
    return {"now": f"{row['full']}, {row['status']}", "then": was, "id": row["id"]}


@router.post("/addresses/{address_id}/undo")
def undo(
    request: Request,
    person: Officer,
    atlas: AtlasDep,
    address_id: Id,
    number: Annotated[int, Form(ge=1, le=MOST_ID)],
    reason: Reason = "",
) -> Response:
    """Undo the act that was shown."""
    try:
        with atlas.database.write() as connection:
            row = registers.get(connection, addresses, address_id)
            own = {("addresses", str(address_id)), ("locations", str(row["location_id"]))}
            subjects = [e for e in registers.entries_of(connection, number) if (e["kind"], e["subject"]) in own]
            if not subjects:
                raise registers.NotFoundError.of("act", str(number), "an act that was done to this address")
            if any(undoing.UNDOABLE.get(e["what"]) == Permission.ADOPT_MAP for e in subjects):
                raise StateError.of("act", "the adoption of a map", "an act that was done to this address alone")
            undoing.undo(atlas, connection, person, number, reason)
    except StreetsError as error:
        shown = _undoing(atlas, person, address_id, number)
        return _refused(request, atlas, address_id, "undo", error, reason=reason, **shown)
    return _go(address_id, "undone")


# --- corrected ---


@router.api_route("/addresses/{address_id}/correct", methods=["GET", "HEAD"])
def correct_page(request: Request, person: Officer, atlas: AtlasDep, address_id: Id) -> Response:
    """Show what is recorded, to be corrected."""
    with atlas.database.read() as connection:
        recorded = _recorded(atlas, connection, address_id)
    return _page(request, atlas, address_id, "correct", c=recorded, was=json.dumps(recorded))


def _recorded(atlas: Atlas, connection: Connection, address_id: int) -> dict[str, str]:
    """Return what is recorded of an address as its form shows it."""
    row = registers.located(connection, address_id)
    place = records.place(atlas.village, row)
    access = place["access"] or ["", ""]
    made = {"number": row["number"], "suffix": row["suffix"], "lat": place["lat"], "lon": place["lon"]}
    made |= {name: place[name] for name in ("placement", "accuracy_ft", "doors", "access_note")}
    made |= {"access_lon": access[0], "access_lat": access[1]}
    shapes = {name: json.dumps(place[name]) if place[name] else "" for name in ("building", "lot")}
    return {**{name: "" if value is None else str(value) for name, value in made.items()}, **shapes, "reason": ""}


@router.post("/addresses/{address_id}/correct")
def correct(
    request: Request, person: Officer, atlas: AtlasDep, address_id: Id, typed: Annotated[Corrected, Form()]
) -> Response:
    """Correct those fields that differ from what the form showed, where the record is still so."""
    c, now = typed.model_dump(exclude={"was"}), {}
    try:
        with atlas.database.write() as connection:
            now = _recorded(atlas, connection, address_id)
            differ = _differing(_shown_then(typed.was), c)
            c = {name: text if name in differ or name == "reason" else now[name] for name, text in c.items()}
            _refuse_stale(_shown_then(typed.was), now)
            changes.correct(atlas, connection, person.actor, address_id, _read(differ, c), typed.reason)
    except StreetsError as error:
        return _refused(request, atlas, address_id, "correct", error, c=c, was=json.dumps(now))
    return _go(address_id, "corrected")


def _shown_then(was: str) -> Json:
    """Return what a form showed; nothing where that cannot be read."""
    try:
        shown = json.loads(was)
    except ValueError:
        return {}
    return shown if isinstance(shown, dict) else {}


def _refuse_stale(was: Json, now: dict[str, str]) -> None:
    """Refuse a correction of what was corrected meanwhile: the form still had what it was before.

    Raises
    ------
    ChangedMeanwhileError
        Naming each field, what it was and what it is now.
    """
    other = [name for name, text in now.items() if was.get(name) != text]
    if other:
        found = ((name, now[name] or "nothing", was.get(name) or "nothing") for name in other)
        faults = [Fault(name, f"{text} now", f"{before}, as was shown") for name, text, before in found]
        message = "The record was corrected meanwhile. It stands below as it is now, with what you typed."
        raise ChangedMeanwhileError(message, faults)


def _differing(before: Json, typed: dict[str, str]) -> set[str]:
    """Return the fields whose typed value is another than was shown."""
    return {name for name, text in typed.items() if name in before and text.strip() != str(before[name]).strip()}


def _read(differ: set[str], typed: dict[str, str]) -> Json:
    """Return fields as `app.changes.correct` takes them."""
    made: Json = {}
    if differ & {"lat", "lon"}:
        made |= dict(zip("yx", _position(typed["lat"], typed["lon"]), strict=True)) | {"crs": LONLAT}
    if differ & set(changes.ACCESS):
        gone = not any(typed[name].strip() for name in changes.ACCESS)
        made |= {name: None if gone else _number(typed[name], name) for name in changes.ACCESS}
    for name in differ & {"building", "lot"}:
        made[name] = read_geojson(typed[name], name)
    made |= {name: typed[name].strip() for name in differ & {"suffix", "placement", "access_note"}}
    made |= {name: int(_number(typed[name], name)) for name in differ & {"number", "doors"}}
    made |= {name: _number(typed[name], name) for name in differ & {"accuracy_ft"}}
    return made


def _position(lat: str, lon: str) -> tuple[float, float]:
    pair = read_pair(lat) if not lon.strip() else None
    y, x = (read_degrees(text, axis) for text, axis in zip(pair or (lat, lon), ("lat", "lon"), strict=True))
    if y is None or x is None:
        raise StreetsError.of("lat", f"{lat}, {lon}", "latitude and longitude, such as 42.57239 and -90.38710")
    return y, x


BOUNDS = {
    "number": (1, 999_999),
    "doors": (1, 1000),
    "accuracy_ft": (0, 10_000),
    "access_lat": (-90, 90),
    "access_lon": (-180, 180),
}


def _number(text: str, name: str) -> float:
    low, high = BOUNDS[name]
    try:
        value = float(text) if text.isascii() else low - 1.0
    except ValueError:
        value = low - 1.0
    whole = name not in {"number", "doors"} or value == int(value if abs(value) < 1e9 else 0)
    if not (low <= value <= high and whole):
        raise StreetsError("It cannot be corrected so.", [Fault(name, text or "nothing", f"{low:,} to {high:,}")])
    return value


# --- renumbered ---


@router.api_route("/addresses/{address_id}/renumber", methods=["GET", "HEAD"])
def renumber_page(
    request: Request,
    person: Officer,
    atlas: AtlasDep,
    address_id: Id,
    number: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """Ask for the new number; where it is held, show every address that must move on."""
    if not number.strip():
        return _page(request, atlas, address_id, "renumber", number="", chain=[])
    try:
        first = [(address_id, int(_number(number, "number")))]
        with atlas.database.read() as connection:
            chain = _chain(connection, first)
            doubtful = changes.doubtful(atlas.village, connection, {c["id"]: c["number"] for c in chain})
    except StreetsError as error:
        return _page(request, atlas, address_id, "renumber", error, number=number, chain=[])
    return _page(request, atlas, address_id, "renumber", number=number, chain=chain, doubtful=doubtful)


def _chain(connection: Connection, given: list[tuple[int, int]]) -> list[Json]:
    """Return the addresses that move, each with its new number; those in the way are moved on by one."""
    wanted = dict(given)
    olds = {i: registers.get(connection, addresses, i) for i in wanted}
    first = olds[given[0][0]]
    step = 2 if given[0][1] >= first["number"] else -2
    todo = list(wanted)
    while todo and len(wanted) < MOST_MOVED:
        number = wanted[todo.pop(0)]
        for other in registers.holders(connection, first["street_key"], first["half"], number):
            follows = other["suffix"] or other["unit"] or other["unit_type"]
            if other["id"] not in wanted and not follows and number + step > 0:
                wanted[other["id"]] = number + step
                olds[other["id"]] = other
                todo.append(other["id"])
    return [{"id": i, "address": olds[i]["full"], "old": olds[i]["number"], "number": n,
             "follow": _followers(connection, olds[i])} for i, n in wanted.items()]  # fmt: skip


def _followers(connection: Connection, row: registers.Row) -> list[str]:
    """Return the lettered doors and units that follow a number."""
    if row["suffix"] or row["unit"]:
        return []
    found = registers.holders(connection, row["street_key"], row["half"], row["number"])
    return [other["full"] for other in found if other["id"] != row["id"] and (other["suffix"] or other["unit"])]


@router.post("/addresses/{address_id}/renumber")
def renumber(
    request: Request,
    person: Officer,
    atlas: AtlasDep,
    address_id: Id,
    id: Annotated[list[Annotated[int, Field(ge=1, le=MOST_ID)]], Form(max_length=MOST_MOVED, default_factory=list)],
    number: Annotated[list[Annotated[str, Field(max_length=20)]], Form(max_length=MOST_MOVED, default_factory=list)],
    reason: Reason = "",
) -> Response:
    """Renumber all of the chain that was shown, or none; where another is in the way it is shown too."""
    first, chain = number[0] if number else "", []
    try:
        if not id or id[0] != address_id or len(id) != len(number):
            raise StreetsError("Nothing was done: the form is not whole. Ask for the new number again.")
        given = [(i, int(_number(text, "number"))) for i, text in zip(id, number, strict=True)]
        with atlas.database.read() as connection:
            chain = _chain(connection, given)
        if len(chain) > len(given):
            raise StreetsError("More numbers are in the way than were shown. Look at the list and send it again.")
        with atlas.database.write() as connection:
            wanted = [{"id": i, "number": n} for i, n in given]
            changes.renumber(atlas, connection, person.actor, wanted, reason)
            now = registers.get(connection, addresses, address_id)["replaced_by"] or address_id
    except StreetsError as error:
        return _refused(request, atlas, address_id, "renumber", error, reason=reason, number=first, chain=chain)
    return _go(now, "renumbered")
