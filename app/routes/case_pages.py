"""Pages of cases: reported on the phone, listed with what is due first, each with its time line and its next steps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.engine import Connection

from app import case_records, case_steps, casebook, cases, maps, registers, search
from app.answers import as_csv
from app.auth import Permission, Person, new_token
from app.case_records import Sieve
from app.case_tables import cases as cases_table
from app.casework import UNDO, Kind
from app.clocks import LOCAL, village_day
from app.deps import AtlasDep, GroundDep, SettingsDep, needs
from app.duties import ORDINANCE
from app.errors import headers_of, status_of
from app.list_paper import MOST
from app.map_versions import Atlas
from app.once import RepeatedError
from app.positions import into_feet
from app.routes import list_reports, step_forms, words
from app.routes.asked import read_degrees
from app.routes.cases_api import BOOKS, meant
from app.routes.document_routes import base_url
from app.routes.forms import MOST_ID, READ, Id, PageNumber, Text, csv_file, faults_of, go
from app.routes.places import picture
from app.routes.rendering import page
from app.street_issuing import Office
from app.tables import addresses
from app.village import LONLAT, Village
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
Reporter = Annotated[Person, needs(Permission.REPORT_VIOLATION)]
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
A_PAGE, NEAR_FT, MOST_NEAR = 50, 300.0, 6
DUES = {"": "any", "overdue": "overdue", "week": "within a week", "running": "still running", "none": "no clock runs"}
SORTS = {
    "": "what is due first",
    "-opened": "newest first",
    "opened": "oldest first",
    "place": "place",
    "state": "state",
}
COLUMNS = (
    *("case", "kind", "state", "undecided", "address", "due", "other_reading", "overdue"),
    *("opened_at", "opened_by", "closed_at", "lon", "lat"),
)
Sent = step_forms.Sent


# --- the list ---


@router.api_route("/cases", methods=READ)
def case_list(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    q: Text = "",
    kind: Text = "",
    state: Text = "open",
    due: Text = "",
    sort: Text = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    format: Text = "",
) -> Response:
    """List cases, what is due first."""
    now = datetime.now(UTC)
    with atlas.database.read() as connection:
        wanted = "" if state == "all" else state
        sieve = Sieve(q, kind, wanted, due, sort, meant(connection, atlas.village, q), BOOKS)
        if format == "csv":
            every, _ = case_records.listed(connection, sieve, now)
            return csv_file(as_csv(COLUMNS, map(_cells, every), spreadsheet=True), "cases.csv")
        if format == "pdf":
            every, total = case_records.listed(connection, sieve, now, limit=MOST)
            chosen = {"for": q, "of kind": kind, "state": wanted, "due": due}
            return list_reports.of_cases(atlas.village, "Cases", every, total, chosen, now)
        found, total = case_records.listed(connection, sieve, now, limit=A_PAGE, offset=(number - 1) * A_PAGE)
        over, soon = case_records.waiting(connection, now, BOOKS)
        every_one = registers.counted(connection, cases_table, *Sieve(book=BOOKS).conditions(now))
    given = {"q": q, "kind": kind, "state": state, "due": due, "sort": sort}
    states = {"open": "every open one", "closed": "every closed one", **case_records.states(BOOKS), "all": "all"}
    lists: Json = {
        "kinds": {key: kind.title for key, kind in casebook.KINDS.items() if kind.book in BOOKS.split()},
        "states": states,
        "dues": DUES,
        "sorts": SORTS,
        "given": given,
    }
    counts: Json = {"total": total, "pages": max(1, -(-total // A_PAGE)), "number": number, "every": every_one}
    return page(request, "cases.html", found=found, day=village_day, over=over, soon=soon, **lists, **counts)


def _cells(row: Json) -> list[str]:
    due = row["due"] or {}
    state = (row["kind"], row["state_title"], "yes" if row["undecided"] else "no")
    clock = (due.get("due"), due.get("alternative"), "yes" if row["overdue"] else "no")
    rest = (row["opened_at"], row["opened_by"], row["closed_at"], row["lon"], row["lat"])
    return ["" if value is None else str(value) for value in (row["id"], *state, row["place"], *clock, *rest)]


# --- reporting ---


@router.api_route("/cases/report", methods=READ)
def report_page(
    request: Request,
    person: Reporter,
    atlas: AtlasDep,
    address: Annotated[int, Query(ge=0, le=MOST_ID)] = 0,
    q: Text = "",
    lat: Text = "",
    lon: Text = "",
) -> Response:
    """Choose an address by text, on the map or by position; then say what was seen."""
    retired = None
    if address:
        with atlas.database.read() as connection:
            retired = _gone(connection, address)
        if retired is None:
            return _report_page(request, atlas, address)
    village, faults = atlas.village, dict[str, str]()
    found: list[Json] = []
    gone: list[Json | None] = []
    position: tuple[float, float] | None = None
    with atlas.database.read() as connection:
        if lat or lon:
            try:
                position = _position(lat, lon)
                found = near(connection, village, *position)
            except StreetsError as error:
                faults = faults_of(error, ("lat", "lon"), "lat")
        elif q.strip():
            gone = [_gone(connection, number) for number in meant(connection, village, q)]
            rows, _ = search.found(connection, village, q, limit=20)
            found = [{"id": row["id"], "address": row["full"], "away_ft": None} for row in rows]
    data: Json = {"village": village.files.settings.name, "position": position, "found": found}
    data["views"] = {"all": maps.bounds(village), "core": maps.core(village)}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if faults else HTTPStatus.OK
    shown: Json = {
        "gone": [one for one in (retired, *gone) if one],
        "found": found,
        "q": q,
        "position": position,
        "faults": faults,
        "data": data,
    }
    shown |= {"script": maps.map_script(village), "needles": maps.needles(village), "law": ORDINANCE["report"]}
    shown["others"] = [kind for kind in casebook.KINDS.values() if _reported(kind, person)]
    return page(request, "case_where.html", status, **shown)


def _reported(kind: Kind, person: Person) -> bool:
    """Whether a person may report a kind of case that is of no address of need."""
    permission = kind.steps[kind.opening].permission
    return kind.book in BOOKS.split() and not kind.joins and permission is not None and person.may(permission)


def _gone(connection: Connection, address_id: int) -> Json | None:
    """Return a retired address with the one in use that replaces it at last; None for one in use."""
    row = registers.get(connection, addresses, address_id)
    if row["status"] != "retired":
        return None
    now, seen = row, {address_id}
    while now["status"] == "retired" and now["replaced_by"] and now["replaced_by"] not in seen:
        seen.add(now["replaced_by"])
        now = registers.get(connection, addresses, now["replaced_by"])
    return {"id": row["id"], "address": row["full"], "now": now if now["status"] != "retired" else None}


def _position(lat: str, lon: str) -> tuple[float, float]:
    north, east = read_degrees(lat, "lat"), read_degrees(lon, "lon")
    for name, text, value in (("lat", lat, north), ("lon", lon, east)):
        if value is None:
            raise StreetsError.of(name, text[:60] or "nothing", "decimal degrees, such as 42.57239 or -90.38710")
    assert north is not None
    assert east is not None
    return north, east


def near(connection: Connection, village: Village, lat: float, lon: float) -> list[Json]:
    """Return the addresses in use nearest to a position, each with its place and how far away it is."""
    x, y = into_feet(village, lon, lat, LONLAT)
    rows = registers.at_place(connection, x - NEAR_FT, y - NEAR_FT, x + NEAR_FT, y + NEAR_FT)
    away = [(math.hypot(row["location_x_ft"] - x, row["location_y_ft"] - y), row) for row in rows]
    nearest = sorted((one for one in away if one[0] <= NEAR_FT), key=lambda one: (one[0], one[1]["id"]))[:MOST_NEAR]
    found = []
    for feet, row in nearest:
        place = {"lat": row["location_lat"], "lon": row["location_lon"]}
        found.append({"id": row["id"], "address": row["full"], "away_ft": feet, **place})
    return found


def _report_page(
    request: Request, atlas: Atlas, address_id: int, error: StreetsError | None = None, **sent: str
) -> Response:
    kind = casebook.kind_of("numbering")
    with atlas.database.read() as connection:
        row = registers.get(connection, addresses, address_id)
        standing = casebook.open_on(connection, kind.key, address_id)
    shown: Json = {"case": None, "standing": standing["id"] if standing else 0, "a": row, "action": "/cases/report"}
    return _form_page(request, kind, kind.opening, error, sent, {**shown, "back": f"/addresses/{address_id}"})


@router.post("/cases/report")
def report(request: Request, person: Reporter, atlas: AtlasDep, sent: Sent) -> Response:
    """Open a case on an address, or join the one that is open."""
    text = sent.get("address", "")
    address = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    now, kind = datetime.now(UTC), casebook.kind_of("numbering")
    try:
        given = {"kind": kind.key, "address_id": address, **step_forms.given(kind.steps[kind.opening], sent, now)}
        made = cases.open_case(atlas.database, person, given, now, sent.get("token", "")[:200])
    except registers.NotFoundError:
        raise
    except StreetsError as error:
        with atlas.database.read() as connection:
            if registers.find(connection, addresses, address) is None:
                raise
        return _report_page(request, atlas, address, error, **sent)
    return go(f"/cases/{made['id']}?done={'joined' if made['joined'] else 'report'}")


# --- one case ---


@router.api_route("/cases/{case_id}", methods=READ)
def case(request: Request, person: Reader, atlas: AtlasDep, case_id: Id, done: Text = "") -> Response:
    """Show one case; a permit is shown on its own page."""
    with atlas.database.read() as connection:
        if _is_permit(connection, case_id):
            return go(f"/permits/{case_id}")
    return _case_page(request, atlas, person, case_id, done=done)


def _is_permit(connection: Connection, case_id: int) -> bool:
    return casebook.KINDS[casebook.get(connection, case_id)["kind"]].book == "permit"


def _case_page(
    request: Request, atlas: Atlas, person: Person, case_id: int, error: StreetsError | None = None, **given: str
) -> Response:
    village, now = atlas.village, datetime.now(UTC)
    with atlas.database.read() as connection:
        shown = case_records.full(connection, case_id, person, now)
        drawn = None
        if shown["lon"] is not None:
            x, y = village.into_feet(LONLAT)(shown["lon"], shown["lat"])
            drawn = picture(village, connection, float(x), float(y))
    status = status_of(error)[0] if error else HTTPStatus.OK
    context: Json = {"done": given.get("done", ""), "reason": given.get("reason", ""), "token": new_token()}
    context |= {"faults": faults_of(error, ("reason",)) if error else {}, "titles": _titles(shown["kind"])}
    return page(request, "case.html", status, c=shown, picture=drawn, day=village_day, when=datetime.fromisoformat,
                age=words.age, **context)  # fmt: skip


def _titles(kind: str) -> dict[str, str]:
    """Say what was just done, by the step."""
    told = {name: f"{step.done}: recorded." for name, step in casebook.KINDS[kind].steps.items()}
    return {
        **told,
        "joined": "Recorded with the case that was open on this address.",
        UNDO: "The last event was undone.",
    }


@router.api_route("/cases/{case_id}/{step}", methods=READ)
def step_page(request: Request, person: Reader, atlas: AtlasDep, case_id: Id, step: str) -> Response:
    """Show the form of a step, or who may take it; a permit's is on its own page."""
    with atlas.database.read() as connection:
        if _is_permit(connection, case_id):
            return go(f"/permits/{case_id}/{quote(step, safe='')}")
    return _step_page(request, atlas, case_id, step)


def _step_page(
    request: Request, atlas: Atlas, case_id: int, name: str, error: StreetsError | None = None, **sent: str
) -> Response:
    with atlas.database.read() as connection:
        row = casebook.get(connection, case_id)
        matter = casebook.matter_of(connection, row, datetime.now(UTC))
    kind = casebook.KINDS[row["kind"]]
    step = casebook.step_of(kind, name)
    if error is None:
        now = datetime.now(UTC)
        cases.check_state(kind, step, matter, now)
        cases.check_time(kind, step, matter, now)
    action = f"/cases/{case_id}/{name}"
    shown: Json = {"case": row, "standing": 0, "a": matter.address, "action": action, "back": f"/cases/{case_id}"}
    return _form_page(request, kind, name, error, sent, shown)


def _form_page(
    request: Request, kind: Kind, name: str, error: StreetsError | None, sent: Mapping[str, str], shown: Json
) -> Response:
    """Render a step's form from what the step asks for."""
    step, keys = kind.steps[name], step_forms.keys_of(kind.steps[name])
    form = {key: sent.get(key, "") for key in keys}
    if not sent:
        form["date"] = datetime.now(LOCAL).date().isoformat()
    faults = step_forms.beside(error, keys) if error else {}
    status = status_of(error)[0] if error else HTTPStatus.OK
    opened = [key for key in keys if form[key] or key in faults]
    context: Json = {"opened": opened, "name": name, "step": step, "form": form, "faults": faults, "token": new_token()}
    answer = page(request, "case_step.html", status, law=ORDINANCE, **{**context, **shown})
    if error:
        answer.headers.update(headers_of(error))
    return answer


@router.post("/cases/{case_id}/draft")
def draft(
    request: Request, person: Reader, atlas: AtlasDep, settings: SettingsDep, ground: GroundDep, case_id: Id, sent: Sent
) -> Response:
    """Show a case's document as it would be issued; nothing is kept."""
    name = sent.get("step", "issue")[:40]
    office = Office(atlas, ground, person, base_url(settings), datetime.now(UTC))
    try:
        with atlas.database.read() as connection:
            step = casebook.step_of(casebook.KINDS[casebook.get(connection, case_id)["kind"]], name)
        given = {**step_forms.facts(step, sent), "reason": sent.get("reason", "")}
        pdf = case_steps.draft(office, case_id, name, given)
    except casebook.NoCaseError:
        raise
    except StreetsError as error:
        return _step_page(request, atlas, case_id, name, error, **sent)
    headers = {"Content-Disposition": 'inline; filename="draft.pdf"', "Cache-Control": "no-store"}
    return Response(pdf, media_type="application/pdf", headers=headers)


@router.post("/cases/{case_id}/{step}")
def take(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    settings: SettingsDep,
    ground: GroundDep,
    case_id: Id,
    step: str,
    sent: Sent,
) -> Response:
    """Take a step of a case."""
    now = datetime.now(UTC)
    try:
        with atlas.database.read() as connection:
            kind = casebook.KINDS[casebook.get(connection, case_id)["kind"]]
        given = {"reason": sent.get("reason", "")}
        if step != UNDO:
            given |= step_forms.given(casebook.step_of(kind, step), sent, now)
        office = Office(atlas, ground, person, base_url(settings), now, sent.get("token", "")[:200])
        case_steps.take(office, case_id, step, given)
    except casebook.NoCaseError:
        raise
    except StreetsError as error:
        if step == UNDO:
            return _case_page(request, atlas, person, case_id, error, reason=sent.get("reason", ""))
        if isinstance(error, RepeatedError):
            return go(f"/cases/{case_id}")
        person_may = casebook.step_of(kind, step).permission
        if person_may is not None and not person.may(person_may):
            raise
        return _step_page(request, atlas, case_id, step, error, **sent)
    return go(f"/cases/{case_id}?done={step}")
