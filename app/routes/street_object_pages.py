"""Pages of what stands or is dug in the street: listed, shown with its photos and time line, and acted on by forms."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from app import registers, street_objects
from app import street_objects_told as told
from app.auth import Permission, Person, new_token
from app.check_told import VERDICTS
from app.clocks import village_day
from app.deps import AtlasDep
from app.errors import status_of
from app.map_versions import Atlas
from app.object_kinds import AUTHORISATIONS, KINDS, kind_of
from app.once import RepeatedError
from app.people import ChangedMeanwhileError
from app.registers import Row
from app.routes import object_words
from app.routes.case_pages import Sent
from app.routes.forms import READ, Id, PageNumber, Text, faults_of, go
from app.routes.object_forms import Shown, fields_of, given_by, shown_of
from app.routes.places import picture
from app.routes.rendering import page
from app.routes.street_objects_api import Reader, Recorder, as_file, sent_photo, today
from app.street_objects import asking
from app.street_objects_told import Sieve
from app.street_tables import street_objects as table
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
PhotoId = Annotated[int, Path(ge=1, le=2_000_000_000)]
A_PAGE = 50
SORTS = {"": "newest first", "id": "oldest first", "kind": "kind", "street": "street", "starts": "first day"}
DONE = {
    "recorded": "Recorded.",
    "changed": "Changed.",
    "dates": "Recorded.",
    "retired": "Withdrawn: it is no longer listed.",
    "restored": "Restored.",
    "photo": "The photo is added, without where and when it was taken.",
    "photo-off": "The photo is taken off.",
}
TITLES = {"new": "Record", "change": "Change", "dates": "Set dates", "retire": "Withdraw", "restore": "Restore"}


# --- the list ---


@router.api_route("/street-objects", methods=READ)
def object_list(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    q: Text = "",
    kind: Text = "",
    state: Text = "",
    street: Text = "",
    sort: Text = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    format: Text = "",
) -> Response:
    """List what is recorded."""
    village, day = atlas.village, today()
    named = village.street_name(street) if street.strip() else ""
    sieve = Sieve(day, kind, state, named, q, sort=sort)
    whole = format in {"csv", "geojson"}
    with atlas.database.read() as connection:
        limit, offset = (0, 0) if whole else (A_PAGE, (number - 1) * A_PAGE)
        rows, total = told.listed(connection, sieve, limit=limit, offset=offset)
        every = registers.counted(connection, table)
    found = [told.brief(village, row, day) for row in rows]
    if whole:
        return as_file(found, format)
    given = {"q": q, "kind": kind, "state": state, "street": named, "sort": sort}
    shown: Json = {"found": found, "total": total, "every": every, "given": given, "number": number}
    shown |= {"pages": max(1, -(-total // A_PAGE)), "kinds": KINDS, "states": told.states(), "sorts": SORTS}
    return page(request, "street_objects.html", read_day=village_day, verdicts=VERDICTS, **shown)


# --- one object ---


@router.api_route("/street-objects/new", methods=READ)
def new_page(request: Request, person: Recorder, atlas: AtlasDep, kind: Text = "") -> Response:
    """Choose a kind, or fill in what is recorded of it."""
    if not kind:
        return page(request, "street_object_act.html", act="kind", kinds=KINDS, query_of=dict(request.query_params))
    return _form(request, atlas, "new", kind, None, {k: v for k, v in request.query_params.items() if k != "kind"})


@router.post("/street-objects/new")
def new(request: Request, person: Recorder, atlas: AtlasDep, sent: Sent) -> Response:
    """Record an object."""
    kind = sent.get("kind", "")
    try:
        with atlas.database.read() as connection:
            given = {"kind": kind_of(kind).key, **given_by(atlas.village, connection, kind_of(kind), "new", sent)}
        made = street_objects.record(asking(atlas, person, _token(sent)), given)
    except RepeatedError:
        return go("/street-objects")
    except StreetsError as error:
        kind_of(kind)
        return _form(request, atlas, "new", kind, None, sent, error)
    return go(f"/street-objects/{made['id']}?done=recorded")


@router.api_route("/street-objects/{object_id}", methods=READ)
def object_page(request: Request, person: Reader, atlas: AtlasDep, object_id: Id, done: Text = "") -> Response:
    """Show an object."""
    return _object_page(request, atlas, person, object_id, done=done)


def _object_page(
    request: Request, atlas: Atlas, person: Person, object_id: int, error: StreetsError | None = None, done: str = ""
) -> Response:
    village = atlas.village
    with atlas.database.read() as connection:
        row = registers.get(connection, table, object_id)
        shown = told.full(village, connection, row, today())
        middle = street_objects.shape_of(row).representative_point()
        drawn = picture(village, connection, middle.x, middle.y)
        entries = object_words.entries(told.history(connection, object_id))
    kind = KINDS[row["kind"]]
    context: Json = {"o": shown, "kind": kind, "picture": drawn, "outline": object_words.outline(row, middle)}
    context |= {"entries": entries, "token": new_token(), "done": DONE.get(done, ""), "verdicts": VERDICTS}
    context |= {"rows": object_words.check_rows(row["checked"]), "authorisations": AUTHORISATIONS}
    context |= {"checked_on": object_words.checked_on(row["checked"])}
    context |= {"may": person.may(Permission.RECORD_OBJECTS), "read_day": village_day}
    context |= {"when": datetime.fromisoformat, "faults": faults_of(error, ("file", "caption")) if error else {}}
    status = status_of(error)[0] if error else HTTPStatus.OK
    return page(request, "street_object.html", status, **context)


# --- acts ---


@router.api_route("/street-objects/{object_id}/change", methods=READ)
def change_page(request: Request, person: Recorder, atlas: AtlasDep, object_id: Id) -> Response:
    """Show the form that changes what is recorded."""
    return _act_page(request, atlas, object_id, "change")


@router.post("/street-objects/{object_id}/change")
def change(request: Request, person: Recorder, atlas: AtlasDep, object_id: Id, sent: Sent) -> Response:
    """Change what is recorded."""
    return _changed(request, atlas, person, object_id, "change", sent)


@router.api_route("/street-objects/{object_id}/dates", methods=READ)
def dates_page(request: Request, person: Recorder, atlas: AtlasDep, object_id: Id) -> Response:
    """Show the form that sets the days of a work, or the state of another object."""
    return _act_page(request, atlas, object_id, "dates")


@router.post("/street-objects/{object_id}/dates")
def dates(request: Request, person: Recorder, atlas: AtlasDep, object_id: Id, sent: Sent) -> Response:
    """Set the days of a work, or the state of another object."""
    return _changed(request, atlas, person, object_id, "dates", sent)


def _changed(
    request: Request, atlas: Atlas, person: Person, object_id: int, act: str, sent: Mapping[str, str]
) -> Response:
    what = "set dates" if act == "dates" else "change object"
    try:
        with atlas.database.read() as connection:
            row = registers.get(connection, table, object_id)
            given = given_by(atlas.village, connection, KINDS[row["kind"]], act, sent, row)
        given |= {"was": sent.get("was", "")[:64]}
        street_objects.change(asking(atlas, person, _token(sent)), object_id, given, what)
    except (registers.NotFoundError, street_objects.ObjectStateError):
        raise
    except RepeatedError:
        return go(f"/street-objects/{object_id}")
    except StreetsError as error:
        return _act_page(request, atlas, object_id, act, sent, error)
    return go(f"/street-objects/{object_id}?done={'dates' if act == 'dates' else 'changed'}")


@router.api_route("/street-objects/{object_id}/retire", methods=READ)
def retire_page(request: Request, person: Recorder, atlas: AtlasDep, object_id: Id) -> Response:
    """Ask why the record is withdrawn."""
    return _act_page(request, atlas, object_id, "retire")


@router.post("/street-objects/{object_id}/retire")
def retire(request: Request, person: Recorder, atlas: AtlasDep, object_id: Id, sent: Sent) -> Response:
    """Withdraw the record."""
    by, reason = asking(atlas, person, _token(sent)), sent.get("reason", "")
    try:
        street_objects.retire(by, object_id, reason, sent.get("was", "")[:64])
    except (registers.NotFoundError, street_objects.ObjectStateError):
        raise
    except RepeatedError:
        return go(f"/street-objects/{object_id}")
    except StreetsError as error:
        return _act_page(request, atlas, object_id, "retire", sent, error)
    return go(f"/street-objects/{object_id}?done=retired")


@router.api_route("/street-objects/{object_id}/restore", methods=READ)
def restore_page(request: Request, person: Recorder, atlas: AtlasDep, object_id: Id) -> Response:
    """Ask why the record is restored."""
    return _act_page(request, atlas, object_id, "restore")


@router.post("/street-objects/{object_id}/restore")
def restore(request: Request, person: Recorder, atlas: AtlasDep, object_id: Id, sent: Sent) -> Response:
    """Restore the record."""
    try:
        street_objects.restore(asking(atlas, person, _token(sent)), object_id, sent.get("reason", ""))
    except (registers.NotFoundError, street_objects.ObjectStateError):
        raise
    except RepeatedError:
        return go(f"/street-objects/{object_id}")
    except StreetsError as error:
        return _act_page(request, atlas, object_id, "restore", sent, error)
    return go(f"/street-objects/{object_id}?done=restored")


@router.post("/street-objects/{object_id}/photos")
async def photo_add(request: Request, person: Recorder, atlas: AtlasDep, object_id: Id) -> Response:
    """Add a photo."""
    try:
        data, caption, token = await sent_photo(request)
        by = asking(atlas, person, token[:200])
        await run_in_threadpool(street_objects.add_photo, by, object_id, data, caption)
    except (registers.NotFoundError, street_objects.ObjectStateError):
        raise
    except RepeatedError:
        return go(f"/street-objects/{object_id}")
    except StreetsError as error:
        return await run_in_threadpool(_object_page, request, atlas, person, object_id, error)
    return go(f"/street-objects/{object_id}?done=photo#photos")


@router.post("/street-objects/{object_id}/photos/{photo_id}/remove")
def photo_remove(
    request: Request, person: Recorder, atlas: AtlasDep, object_id: Id, photo_id: PhotoId, sent: Sent
) -> Response:
    """Take a photo off."""
    try:
        street_objects.take_photo_off(asking(atlas, person, _token(sent)), object_id, photo_id)
    except RepeatedError:
        return go(f"/street-objects/{object_id}")
    return go(f"/street-objects/{object_id}?done=photo-off#photos")


def _token(sent: Mapping[str, str]) -> str:
    return sent.get("token", "")[:200]


def _act_page(
    request: Request,
    atlas: Atlas,
    object_id: int,
    act: str,
    sent: Mapping[str, str] | None = None,
    error: StreetsError | None = None,
) -> Response:
    with atlas.database.read() as connection:
        row = registers.get(connection, table, object_id)
        if act != "restore" and error is None:
            street_objects.standing(connection, object_id)
        shown = shown_of(atlas.village, connection, row) if sent is None or _stale(error) else dict(sent)
    return _form(request, atlas, act, row["kind"], row, shown, error)


def _stale(error: StreetsError | None) -> bool:
    return isinstance(error, ChangedMeanwhileError)


def _form(
    request: Request,
    atlas: Atlas,
    act: str,
    kind_key: str,
    row: Row | None,
    shown: Mapping[str, str],
    error: StreetsError | None = None,
) -> Response:
    """Render the form of an act with what was typed and what is wrong with it."""
    kind = kind_of(kind_key)
    fields = fields_of(kind, act)
    form = Shown({name: shown.get(name, "") for name in fields} | {"reason": shown.get("reason", "")})
    if act == "new" and not error:
        form = Shown({**form, "street": shown.get("street", "nearest"), "datum": shown.get("datum", "nad83-2011")})
    action = "/street-objects/new" if row is None else f"/street-objects/{row['id']}/{act}"
    title = TITLES[act] if act != "dates" or kind.dated else "Set its state"
    context: Json = {"act": act, "kind": kind, "row": row, "form": form, "action": action, "token": new_token()}
    context |= {"faults": object_words.beside(error, fields) if error else {}, "title": title}
    context |= {"streets": [(one.name, one.name) for one in atlas.village.streets]}
    context |= {"allowing": [(key, words) for key, (words, _) in AUTHORISATIONS.items()]}
    context |= {"was": street_objects.version(row) if row else ""}
    status = status_of(error)[0] if error else HTTPStatus.OK
    return page(request, "street_object_act.html", status, **context)
