"""Pages of permits for the street: the desk, an application with its outline, a permit whole, and its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.engine import Connection

from app import (
    case_records,
    case_steps,
    casebook,
    cases,
    check_map,
    maps,
    permit_records,
    permits,
    registers,
    search,
    street_issuing,
)
from app.answers import as_csv
from app.auth import Permission, Person, new_token
from app.case_facts import Asked
from app.case_records import Sieve
from app.case_tables import cases as table
from app.casebook import CaseStateError, NoCaseError
from app.casework import UNDO, Kind, Step
from app.check_told import told as told_check
from app.clocks import LOCAL, village_day
from app.deps import AtlasDep, GroundDep, SettingsDep, needs
from app.errors import headers_of, status_of
from app.list_paper import MOST
from app.map_versions import Atlas
from app.once import RepeatedError
from app.permit_model import APPLICATION, application
from app.permits import PERMITS, Desk
from app.routes import list_reports, permit_places, permit_words, step_forms
from app.routes.cases_api import meant
from app.routes.document_routes import base_url
from app.routes.forms import MOST_ID, READ, Id, PageNumber, Text, csv_file, faults_of, go
from app.routes.places import picture
from app.routes.rendering import page, sent
from app.routes.step_forms import Json, Sent
from app.street_issuing import Office
from app.street_tables import street_objects
from app.tables import addresses, locations
from app.village import LONLAT, Village
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
Clerk = Annotated[Person, needs(Permission.PERMITS)]
A_PAGE, MOST_FOUND = 50, 20
DUES = {"": "any", "overdue": "overdue", "week": "within a week", "running": "still running", "none": "no clock runs"}
SORTS = {"": "what is due first", "-opened": "newest first", "opened": "oldest first", "place": "place",
         "state": "state"}  # fmt: skip
COLUMNS = (
    *("number", "kind", "state", "undecided", "place", "street", "due", "other_reading", "overdue"),
    *("first_day", "last_day", "assigned_to", "opened_at", "closed_at", "lon", "lat"),
)
GROUND = "/checks/excavation/map.js"
"""The map of the right-of-way, which an outline is tapped on."""


# --- the desk ---


@router.api_route("/permits", methods=READ)
def desk(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    q: Text = "",
    kind: Text = "",
    state: Text = "open",
    street: Text = "",
    due: Text = "",
    sort: Text = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    format: Text = "",
) -> Response:
    """List permits, what is due first."""
    now = datetime.now(UTC)
    wanted = "" if state == "all" else state
    if kind:
        permits.permit_kind(kind)
    with atlas.database.read() as connection:
        sieve = Sieve(q, kind, wanted, due, sort, meant(connection, atlas.village, q), "permit", street)
        if format == "csv":
            every, _ = case_records.listed(connection, sieve, now)
            return csv_file(as_csv(COLUMNS, map(_cells, every), spreadsheet=True), "permits.csv")
        if format == "pdf":
            every, total = case_records.listed(connection, sieve, now, limit=MOST)
            chosen = {"for": q, "of kind": kind, "state": wanted, "on": street, "due": due}
            return list_reports.of_cases(atlas.village, "Permits for the street", every, total, chosen, now)
        found, total = case_records.listed(connection, sieve, now, limit=A_PAGE, offset=(number - 1) * A_PAGE)
        counts = _counts(connection, now)
        streets = _streets(connection)
    given = {"q": q, "kind": kind, "state": state, "street": street, "due": due, "sort": sort}
    lists: Json = {"kinds": {key: one.title for key, one in PERMITS.items()}, "states": _states(), "dues": DUES}
    lists |= {"sorts": SORTS, "given": given, "streets": streets, "day": village_day}
    pages: Json = {"total": total, "pages": max(1, -(-total // A_PAGE)), "number": number}
    return page(request, "permits.html", found=found, **lists, **pages, **counts)


def _counts(connection: Connection, now: datetime) -> Json:
    """Count every permit, the open ones whose clock has ended, those with one that ends soon, and the expired."""
    asked = {"over": Sieve(state="open", due="overdue"), "soon": Sieve(state="open", due="week"), "every": Sieve(),
             "expired": Sieve(state="expired")}  # fmt: skip
    return {
        key: registers.counted(connection, table, *replace(sieve, book="permit").conditions(now))
        for key, sieve in asked.items()
    }


def _streets(connection: Connection) -> list[str]:
    mine = sa.select(table.c.street).where(table.c.kind.in_(list(PERMITS)), table.c.street != "").distinct()
    return sorted(connection.execute(mine).scalars())


def _states() -> dict[str, str]:
    found = {key: state.title for kind in PERMITS.values() for key, state in {**kind.states, **kind.over}.items()}
    return {"open": "every open one", "closed": "every closed one", **found, "all": "all"}


def _cells(row: Json) -> list[str]:
    due = row["due"] or {}
    told = (row["number"], row["kind"], row["state_title"], "yes" if row["undecided"] else "no", row["place"])
    clock = (due.get("due"), due.get("alternative"), "yes" if row["overdue"] else "no")
    rest = ("starts_on", "ends_on", "assigned_to", "opened_at", "closed_at", "lon", "lat")
    cells = (*told, row["street"], *clock, *(row[key] for key in rest))
    return ["" if value is None else str(value) for value in cells]


# --- applying ---


@router.api_route("/permits/new/{kind}", methods=READ)
def new_page(
    request: Request,
    person: Clerk,
    atlas: AtlasDep,
    kind: str,
    q: Text = "",
    address: Annotated[int, Query(ge=0, le=MOST_ID)] = 0,
) -> Response:
    """Ask what the law asks of an application; an address may be looked for first."""
    of = permits.permit_kind(kind)
    found: list[Json] = []
    if q.strip() and not address:
        with atlas.database.read() as connection:
            found, _ = search.found(connection, atlas.village, q, limit=MOST_FOUND)
    return _apply_page(request, atlas, of, None, {}, q=q, found=found, address=address)


def _apply_page(
    request: Request, atlas: Atlas, of: Kind, error: StreetsError | None, texts: Mapping[str, str], **more: Any
) -> Response:
    """Show the form of an application, or of an amendment of one."""
    step, permit = of.steps["apply"], more.get("permit")
    keys = (*step_forms.keys_of(step), *permit_places.FIELDS)
    with atlas.database.read() as connection:
        at = registers.find(connection, addresses, more.get("address") or 0)
        door = registers.find(connection, locations, at["location_id"]) if at else None
    form = {key: texts.get(key, "") for key in keys}
    if not texts:
        form |= {"date": datetime.now(LOCAL).date().isoformat(), **more.get("known", {})}
    faults, stops = _told(error, keys, of, permit) if error else ({}, [])
    focus = (door["lat"], door["lon"]) if door else None
    data: Json = {"views": {"all": maps.bounds(atlas.village), "core": maps.core(atlas.village)}, "at": focus}
    shown: Json = {"kind": of, "step": of.steps["amend"] if permit else step, "form": form, "faults": faults}
    shown |= {"stops": stops, "sections": permit_words.SECTIONS[of.key], "token": new_token(), "a": at, "data": data}
    shown |= {"script": GROUND, "needles": maps.needles(atlas.village), "q": more.get("q", ""), "permit": permit}
    shown |= {"found": more.get("found", []), "fields": permit_places.FIELDS}
    shown["action"] = f"/permits/{permit['id']}/amend" if permit else f"/permits/new/{of.key}"
    status = status_of(error)[0] if error else HTTPStatus.OK
    return page(request, "permit_apply.html", status, **shown)


@router.post("/permits/new/{kind}")
def apply(request: Request, person: Clerk, atlas: AtlasDep, ground: GroundDep, kind: str, sent: Sent) -> Response:
    """Begin an application."""
    of, now = permits.permit_kind(kind), datetime.now(UTC)
    text = sent.get("address", "")
    address = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    try:
        given = step_forms.given(of.steps["apply"], sent, now)
        given |= permit_places.outline(atlas.village, sent, now.astimezone(LOCAL).date())
        given |= {"kind": of.key, **({"address_id": address} if address else {})}
        made = permits.apply(Desk(atlas, ground, person, now, sent.get("token", "")[:200]), given)
    except StreetsError as error:
        return _apply_page(request, atlas, of, error, sent, address=address)
    return go(f"/permits/{made['id']}?done=apply")


def _told(
    error: StreetsError, keys: tuple[str, ...], of: Kind, permit: Json | None
) -> tuple[dict[str, str], list[Json]]:
    """Return what is wrong by its field, and what else stands in the way with what would cure it."""
    faults = [replace(fault, field=permit_places.field_of(fault.field)) for fault in error.faults]
    own = [fault for fault in faults if fault.field in {*keys, "at"}]
    rest = [fault for fault in faults if fault.field not in {*keys, "at"}]
    told = step_forms.beside(StreetsError(error.message, own), keys) if own else {}
    links = _cures(of.key, permit) if permit else lambda _: []
    name = permit_words.name_of
    stops = [
        {"name": name(of.key, one.field), "found": one.found, "cure": one.expected, "links": links(one.field)}
        for one in rest
    ]
    if not told and not stops:
        told = {"": error.message}
    return told, stops


# --- one permit ---


@router.api_route("/permits/{permit_id}", methods=READ)
def permit(request: Request, person: Reader, atlas: AtlasDep, permit_id: Id, done: Text = "") -> Response:
    """Show one permit."""
    return _permit_page(request, atlas, person, permit_id, done=done)


def _permit_page(
    request: Request, atlas: Atlas, person: Person, permit_id: int, error: StreetsError | None = None, **given: str
) -> Response:
    village, now = atlas.village, datetime.now(UTC)
    with atlas.database.read() as connection:
        shown = permit_records.full(connection, permit_id, person, now)
        drawn = None
        if shown["lon"] is not None:
            x, y = village.into_feet(LONLAT)(shown["lon"], shown["lat"])
            drawn = picture(village, connection, float(x), float(y))
    of = PERMITS[shown["kind"]]
    links = _cures(of.key, shown)
    context: Json = {"done": given.get("done", ""), "reason": given.get("reason", ""), "token": new_token()}
    context |= {"faults": faults_of(error, ("reason",)) if error else {}, "titles": _titles(of)}
    name = permit_words.name_of
    context["stops"] = [
        {**one, "name": name(of.key, one["key"]), "links": links(one["key"])} for one in shown["in_the_way"]
    ]
    context |= {"may": _may(shown), "needles": maps.needles(village), "day": village_day, "moment_of": _moment}
    context["checks"] = [(name, told_check(name, found)) for name, found in shown["measured"].items()]
    status = status_of(error)[0] if error else HTTPStatus.OK
    return page(request, "permit.html", status, c=shown, picture=drawn, **context)


def _may(shown: Json) -> list[Json]:
    """Return what a person may do now; an application is amended, not written anew."""
    return [one for one in shown["may"] if one["step"] != "apply"]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _titles(of: Kind) -> dict[str, str]:
    """Say what was just done, by the step."""
    told = {name: f"{step.done}: recorded." for name, step in of.steps.items()}
    return {**told, "apply": "The application is begun. It is a draft until it is recorded as complete.",
            UNDO: "The last event was undone."}  # fmt: skip


def _cures(kind: str, shown: Json) -> Any:
    """Return what gives the links to the steps that cure something, of those that the person may take now."""
    may = {one["step"] for one in shown["may"]}

    def links(key: str) -> list[tuple[str, str]]:
        found = []
        for step, chosen, text in permit_words.cures(kind, key):
            field = permit_words.CHOSEN.get(step)
            query = f"?{field}={chosen}" if field and chosen else f"#{key}" if step == "amend" else ""
            if step in may:
                found.append((f"/permits/{shown['id']}/{step}{query}", text))
            elif step == "amend" and "return" in may:
                found.append((f"/permits/{shown['id']}/return", f"{text}: return it first"))
        return found

    return links


@router.api_route("/permits/{permit_id}/map.js", methods=READ)
def permit_script(request: Request, person: Reader, atlas: AtlasDep, ground: GroundDep, permit_id: Id) -> Response:
    """Send the script of the map with a permit's outline and the works it meets."""
    with atlas.database.read() as connection:
        shown = permit_records.full(connection, permit_id, person, datetime.now(UTC))
        others = _others(connection, shown["conflicts"])
        under = ground(connection)
    drawn = permit_places.drawn(atlas.village, shown["outline"], others)
    made = check_map.check_script(atlas.village, under, drawn if drawn["features"] else None)
    media = "text/javascript; charset=utf-8"
    return sent(request, made.body, media, packed=made.packed, tag=made.tag, cache_control="no-cache")


def _others(connection: Connection, conflicts: list[Json]) -> dict[str, Json]:
    """Return the shapes of the works that a permit meets, as far as the register still has them."""
    found: dict[str, Json] = {}
    for one in conflicts:
        met = one["with"]
        for key, own in (("object", street_objects), ("case", table)):
            row = registers.find(connection, own, met[key]) if met[key] else None
            if row and row["shape"]:
                found[met["label"]] = row["shape"]
    return found


# --- its steps ---


@router.api_route("/permits/{permit_id}/{step}", methods=READ)
def step_page(request: Request, person: Reader, atlas: AtlasDep, permit_id: Id, step: str) -> Response:
    """Show the form of a step; what its address chooses is filled in."""
    try:
        return _step_page(request, atlas, person, permit_id, step)
    except CaseStateError as error:
        return _permit_page(request, atlas, person, permit_id, error)


def _step_page(
    request: Request,
    atlas: Atlas,
    person: Person,
    permit_id: int,
    name: str,
    error: StreetsError | None = None,
    texts: Mapping[str, str] | None = None,
) -> Response:
    now = datetime.now(UTC)
    with atlas.database.read() as connection:
        matter = casebook.matter_of(connection, permits.get(connection, permit_id), now)
        shown = permit_records.full(connection, permit_id, person, now)
    of = PERMITS[shown["kind"]]
    step = casebook.step_of(of, name)
    if error is None:
        cases.check_state(of, step, matter, now)
        cases.check_time(of, step, matter, now)
    if name in APPLICATION:
        facts = application(matter)
        known = {**step_forms.typed(step.asks, facts), **permit_places.typed(atlas.village, facts.get("place"))}
        return _apply_page(request, atlas, of, error, texts or {}, permit=shown, known=known)
    return _form_page(request, of, name, shown, error, texts or {})


def _form_page(
    request: Request, of: Kind, name: str, shown: Json, error: StreetsError | None, texts: Mapping[str, str]
) -> Response:
    step = of.steps[name]
    keys = step_forms.keys_of(step)
    form = {key: texts.get(key, "") for key in keys}
    if not texts:
        form |= {"date": datetime.now(LOCAL).date().isoformat(), **_prefilled(request, step, name, shown)}
    faults, stops = _told(error, keys, of, shown) if error else ({}, [])
    context: Json = {"c": shown, "name": name, "step": step, "form": form, "faults": faults, "stops": stops}
    context |= {"token": new_token(), "opened": [key for key in keys if form[key] or key in faults]}
    template = "permit_step.html"
    if name == "inspect":
        template = "permit_inspect.html"
        context |= _looked_at(request, of, shown, form)
    status = status_of(error)[0] if error else HTTPStatus.OK
    answer = page(request, template, status, **context)
    if error:
        answer.headers.update(headers_of(error))
    return answer


def _prefilled(request: Request, step: Step, name: str, shown: Json) -> dict[str, str]:
    """Fill in what the address of a form chooses; a refusal names what stands in the way."""
    chosen = {
        asked.key: request.query_params.get(asked.key, "")
        for asked in step.asks
        if request.query_params.get(asked.key, "") in asked.choices
    }
    if name != "refuse" or not shown["in_the_way"]:
        return chosen
    stands = shown["in_the_way"]
    return {
        **chosen,
        "under": "; ".join(dict.fromkeys(f"§ {one['section']}" for one in stands))[:80],
        "cure": "\n".join(f"{one['cure']} (§ {one['section']})" for one in stands),
        "reason": "\n".join(
            f"{permit_words.name_of(shown['kind'], one['key'])}: {one['found']} (§ {one['section']})" for one in stands
        ),
    }


def _looked_at(request: Request, of: Kind, shown: Json, form: Mapping[str, str]) -> Json:
    """Return what is asked on the site: which thing, and of the chosen one only what is measured of it."""
    asks = {asked.key: asked for asked in of.steps["inspect"].asks}
    item = form["item"] if form["item"] in asks["item"].choices else ""
    keys = permit_words.measures(of.key, item) if item else ()
    measured: list[Asked] = [asks[key] for key in keys]
    return {"item": item, "items": asks["item"].choices, "measures": measured, "note": asks["note"],
            "results": asks["result"].choices, "done": request.query_params.get("done", "")}  # fmt: skip


@router.post("/permits/{permit_id}/draft")
def draft(
    request: Request, person: Reader, atlas: AtlasDep, settings: SettingsDep, ground: GroundDep, permit_id: Id,
    sent: Sent,
) -> Response:  # fmt: skip
    """Show a permit's document as it would be issued; nothing is kept."""
    name, now = sent.get("step", "issue")[:40], datetime.now(UTC)
    try:
        with atlas.database.read() as connection:
            step = casebook.step_of(PERMITS[permits.get(connection, permit_id)["kind"]], name)
        given = {**step_forms.facts(step, sent), "reason": sent.get("reason", "")}
        pdf = street_issuing.draft(Office(atlas, ground, person, base_url(settings), now), permit_id, name, given)
    except NoCaseError:
        raise
    except CaseStateError as error:
        return _permit_page(request, atlas, person, permit_id, error)
    except StreetsError as error:
        return _step_page(request, atlas, person, permit_id, name, error, sent)
    headers = {"Content-Disposition": 'inline; filename="draft.pdf"', "Cache-Control": "no-store"}
    return Response(pdf, media_type="application/pdf", headers=headers)


@router.post("/permits/{permit_id}/{step}")
def take(
    request: Request, person: Reader, atlas: AtlasDep, settings: SettingsDep, ground: GroundDep, permit_id: Id,
    step: str, sent: Sent,
) -> Response:  # fmt: skip
    """Take a step of a permit."""
    now = datetime.now(UTC)
    with atlas.database.read() as connection:
        of = PERMITS[permits.get(connection, permit_id)["kind"]]
    taken = None if step == UNDO else casebook.step_of(of, step)
    office = Office(atlas, ground, person, base_url(settings), now, sent.get("token", "")[:200])
    try:
        given = _given(atlas.village, taken, step, sent, now)
        case_steps.take(office, permit_id, step, given, permit=True)
    except NoCaseError:
        raise
    except RepeatedError:
        return go(f"/permits/{permit_id}")
    except StreetsError as error:
        if taken is None or isinstance(error, CaseStateError):
            return _permit_page(request, atlas, person, permit_id, error, reason=sent.get("reason", ""))
        if taken.permission is not None and not person.may(taken.permission):
            raise
        return _step_page(request, atlas, person, permit_id, step, error, sent)
    return go(
        f"/permits/{permit_id}/inspect?done=inspect" if step == "inspect" else f"/permits/{permit_id}?done={step}"
    )


def _given(village: Village, step: Step | None, name: str, sent: Mapping[str, str], now: datetime) -> Json:
    if step is None:
        return {"reason": sent.get("reason", "")}
    place = permit_places.outline(village, sent, now.astimezone(LOCAL).date()) if name in APPLICATION else {}
    return {**step_forms.given(step, sent, now), **place}
