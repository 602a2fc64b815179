"""Every route with every role, with no login and with what was revoked: nobody can do or read what they may not.

A route that is not in `TABLE` fails the first test, so that no unguarded one can be added unseen.

Seen to fail, each by breaking the code once: `needs` without `person.require`; a route with `PersonDep` for `Admin`
(POST /users: 422 in place of 403); `Person.may` giving True; `KnownKeys` left out; `keys.holder` without its
`revoked_at`; `_in_force` without its `revoked_at`; `_refuse_forged` left out; a route added beside the others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from app.audit import CONSOLE
from app.auth import ALLOWED, PUBLIC, Permission, Person, Role
from app.db import Database
from app.keys import list_keys, revoke_key
from app.main import create_app
from app.people import list_users
from app.sessions import list_sessions, revoke_session
from app.settings import Settings
from tests.conftest import ROOT
from tests.people import Headers, by_key, by_session, state
from tests.test_api import PLAT, village

OPEN = "open"
"""Anyone may; a revoked key still gets nothing."""
SESSION = "session"
"""Any user with a session: their own account."""
P = Permission
ACTS = ("change", "dates", "retire", "restore")
"""What is done to an object in the street by a form of its own."""

TABLE: Mapping[str, Permission | str] = {
    "GET /": OPEN,
    "GET /map.js": OPEN,
    "GET /find": OPEN,
    "GET /streets": OPEN,
    "GET /streets/{name:path}": OPEN,
    "GET /findings": OPEN,
    "GET /published": OPEN,
    "GET /law": OPEN,
    "GET /help": OPEN,
    "GET /api": OPEN,
    "GET /ca.pem": OPEN,
    "GET /api/v1/openapi.json": OPEN,
    "GET /api/v1/health": OPEN,
    "GET /api/v1/streets": OPEN,
    "GET /api/v1/streets/{name:path}/blocks": OPEN,
    "GET /api/v1/blocks": OPEN,
    "GET /api/v1/parse": OPEN,
    "POST /api/v1/numbers/preview": OPEN,
    "POST /api/v1/lots/numbers": OPEN,
    # people
    "GET /sign-in": OPEN,
    "POST /sign-in": OPEN,
    "POST /sign-out": OPEN,
    "GET /link/{token}": OPEN,
    "POST /link/{token}": OPEN,
    "GET /api/v1/me": OPEN,
    "GET /account": SESSION,
    "GET /account/password": SESSION,
    "POST /account/password": SESSION,
    "POST /account/sessions/{session_id}/revoke": SESSION,
    "GET /users": P.MANAGE_PEOPLE,
    "POST /users": P.MANAGE_PEOPLE,
    "GET /users/{user_id}": P.MANAGE_PEOPLE,
    "POST /users/{user_id}/roles": P.MANAGE_PEOPLE,
    "POST /users/{user_id}/disable": P.MANAGE_PEOPLE,
    "POST /users/{user_id}/enable": P.MANAGE_PEOPLE,
    "POST /users/{user_id}/link": P.MANAGE_PEOPLE,
    "GET /keys": P.MANAGE_PEOPLE,
    "POST /keys": P.MANAGE_PEOPLE,
    "POST /keys/{key_id}/revoke": P.MANAGE_PEOPLE,
    "GET /api/v1/users": P.MANAGE_PEOPLE,
    "POST /api/v1/users": P.MANAGE_PEOPLE,
    "POST /api/v1/users/{user_id}/roles": P.MANAGE_PEOPLE,
    "POST /api/v1/users/{user_id}/disable": P.MANAGE_PEOPLE,
    "POST /api/v1/users/{user_id}/enable": P.MANAGE_PEOPLE,
    "POST /api/v1/users/{user_id}/link": P.MANAGE_PEOPLE,
    "GET /api/v1/keys": P.MANAGE_PEOPLE,
    "POST /api/v1/keys": P.MANAGE_PEOPLE,
    "POST /api/v1/keys/{key_id}/revoke": P.MANAGE_PEOPLE,
    # the register
    **{f"GET /api/v1/911/{name}": P.READ_911 for name in ("validate", "locate", "nearest", "changes")},
    "GET /wzdx/v4.2/feed.geojson": OPEN,
    "GET /ogc/": OPEN,
    "GET /ogc/conformance": OPEN,
    "GET /ogc/api": OPEN,
    "GET /ogc/collections": OPEN,
    "GET /ogc/collections/{collection}": OPEN,
    "GET /ogc/collections/{collection}/items": OPEN,
    "GET /ogc/collections/{collection}/items/{feature:path}": OPEN,
    "GET /exports/ng911.gpkg": P.READ_911,
    "GET /api/v1/exports/ng911/report": P.READ_911,
    "POST /api/v1/exports/ng911/signature": P.ISSUE,
    "GET /api/v1/addresses": OPEN,
    "GET /api/v1/addresses/{address_id}": OPEN,
    "GET /api/v1/faces": OPEN,
    "GET /api/v1/faces/why": OPEN,
    "POST /api/v1/addresses": P.ASSIGN,
    "POST /api/v1/addresses/preview": P.ASSIGN,
    "POST /api/v1/addresses/{address_id}/retire": P.ASSIGN,
    "POST /api/v1/addresses/{address_id}/restore": P.ASSIGN,
    "POST /api/v1/addresses/{address_id}/confirm": P.ASSIGN,
    "POST /api/v1/addresses/{address_id}/correct": P.ASSIGN,
    "POST /api/v1/renumberings": P.ASSIGN,
    "POST /api/v1/doubts": P.ASSIGN,
    "GET /api/v1/doubts": P.READ_RECORDS,
    "GET /api/v1/doubts/{doubt_id}": P.READ_RECORDS,
    "POST /api/v1/doubts/{doubt_id}/decide": P.DECIDE_DOUBT,
    # who may see an act may ask; `app.undoing.undo` requires the permission of the act that is undone
    "POST /api/v1/acts/{number}/undo": P.READ_RECORDS,
    "GET /api/v1/audit": P.READ_AUDIT,
    # the map
    "GET /api/v1/maps": OPEN,
    "GET /api/v1/maps/{version}": OPEN,
    "GET /api/v1/maps/{version}/diff": P.READ_RECORDS,
    "POST /api/v1/maps": P.EDIT_MAP,
    "POST /api/v1/maps/{version}/adopt": P.ADOPT_MAP,
    "GET /api/v1/survey": OPEN,
    "POST /api/v1/maps/{version}/numbers": OPEN,
    "GET /api/v1/maps/{version}/addresses/{address_id}": OPEN,
    "POST /api/v1/survey": P.ADOPT_MAP,
    "POST /api/v1/maps/{version}/withdraw": P.EDIT_MAP,
    "POST /api/v1/maps/{version}/edits": P.EDIT_MAP,
    "POST /api/v1/maps/{version}/edits/{edit_id}/withdraw": P.EDIT_MAP,
    "POST /api/v1/maps/{version}/edits/preview": P.EDIT_MAP,
    "POST /api/v1/maps/{version}/edits/{edit_id}/preview": P.EDIT_MAP,
    "POST /api/v1/maps/{version}/plat-check": P.EDIT_MAP,
    "GET /api/v1/maps/{version}/findings": OPEN,
    "POST /api/v1/streets/{name:path}/rename": P.NAME_STREETS,
    "POST /api/v1/streets/{name:path}/vacate": P.NAME_STREETS,
    "GET /911": OPEN,
    "GET /survey": OPEN,
    "POST /survey": P.ADOPT_MAP,
    "GET /911/log/{day}.jsonl": P.READ_AUDIT,
    "GET /addresses": OPEN,
    "GET /addresses.geojson": OPEN,
    "GET /addresses/{address_id}": OPEN,
    "GET /addresses/{address_id}/confirm": P.ASSIGN,
    "POST /addresses/{address_id}/confirm": P.ASSIGN,
    "GET /addresses/{address_id}/retire": P.ASSIGN,
    "POST /addresses/{address_id}/retire": P.ASSIGN,
    "GET /addresses/{address_id}/restore": P.ASSIGN,
    "POST /addresses/{address_id}/restore": P.ASSIGN,
    "GET /addresses/{address_id}/undo": P.ASSIGN,
    "POST /addresses/{address_id}/undo": P.ASSIGN,
    "GET /addresses/{address_id}/correct": P.ASSIGN,
    "POST /addresses/{address_id}/correct": P.ASSIGN,
    "GET /addresses/{address_id}/renumber": P.ASSIGN,
    "POST /addresses/{address_id}/renumber": P.ASSIGN,
    "GET /assign": P.ASSIGN,
    "POST /doubts": P.ASSIGN,
    "POST /assign": P.ASSIGN,
    "GET /faces/{street:path}/{half}/{hundred}/{parity}": OPEN,
    "GET /streets/{name:path}/rename": P.NAME_STREETS,
    "POST /streets/{name:path}/rename": P.NAME_STREETS,
    "GET /streets/{name:path}/vacate": P.NAME_STREETS,
    "POST /streets/{name:path}/vacate": P.NAME_STREETS,
    # pages of the map, doubts and the audit
    "GET /maps": OPEN,
    "GET /maps/{version}": OPEN,
    "GET /maps/{version}/blocks": OPEN,
    "GET /maps/{version}/numbers": OPEN,
    "GET /maps/{version}/recompute": OPEN,
    "GET /maps/{version}/diff.csv": P.READ_RECORDS,
    "GET /maps/{version}/adoption": P.READ_RECORDS,
    "POST /maps": P.EDIT_MAP,
    "GET /maps/rows": P.EDIT_MAP,
    "GET /maps/{version}/rows": P.EDIT_MAP,
    "GET /maps/{version}/map.js": OPEN,
    "GET /maps/{version}/findings": OPEN,
    "GET /maps/{version}/editor": P.EDIT_MAP,
    "POST /maps/{version}/editor": P.EDIT_MAP,
    "POST /maps/{version}/edits": P.EDIT_MAP,
    "POST /maps/{version}/edits/{edit_id}/withdraw": P.EDIT_MAP,
    "POST /maps/{version}/withdraw": P.EDIT_MAP,
    "GET /maps/{version}/adopt": P.ADOPT_MAP,
    "POST /maps/{version}/adopt": P.ADOPT_MAP,
    "GET /doubts": P.READ_RECORDS,
    "GET /doubts/{doubt_id}": P.READ_RECORDS,
    "POST /doubts/{doubt_id}/decide": P.DECIDE_DOUBT,
    "GET /audit": P.READ_AUDIT,
    "GET /audit/acts/{number}": P.READ_AUDIT,
    "POST /audit/acts/{number}/undo": P.READ_RECORDS,
    # what exists already, and the plat book
    "GET /audit-numbers": P.READ_RECORDS,
    "GET /audit-numbers/map.js": P.READ_RECORDS,
    "GET /api/v1/existing": P.READ_RECORDS,
    "GET /api/v1/existing/rows": P.READ_RECORDS,
    "GET /plat-book": OPEN,
    "GET /plat-book/{name:path}": OPEN,
    "GET /api/v1/plat-book": OPEN,
    "GET /api/v1/plat-book/{name:path}": OPEN,
    # what is counted of the law's time is not stored
    "GET /api/v1/clocks": OPEN,
    "POST /api/v1/clocks": OPEN,
    # what the ordinance leaves to the Village
    "GET /settled": OPEN,
    "GET /settled/{key}": P.SETTLE,
    "POST /settled/{key}": P.SETTLE,
    "POST /settled/{key}/{value_id}/withdraw": P.SETTLE,
    "GET /api/v1/settled": OPEN,
    "POST /api/v1/settled": P.SETTLE,
    "POST /api/v1/settled/{value_id}/withdraw": P.SETTLE,
    # checks store nothing
    "GET /api/v1/checks": OPEN,
    **{
        f"POST /api/v1/checks/{check}": OPEN
        for check in (
            *("mailbox", "terrace", "encroachment", "clear-width", "share", "lanes"),
            *("excavation", "trench", "setback", "petition", "route"),
        )
    },
    **dict.fromkeys(("GET /checks", "GET /checks/{name}", "POST /checks/{name}"), OPEN),
    "GET /checks/{name}/map.js": OPEN,
    "GET /field": P.RECORD_OBJECTS,
    "GET /field/around": P.RECORD_OBJECTS,
    "POST /field/check": P.RECORD_OBJECTS,
    "GET /field/worker.js": OPEN,
    # the right-of-way
    "GET /api/v1/right-of-way": OPEN,
    "GET /api/v1/right-of-way/sections": OPEN,
    "GET /api/v1/right-of-way/sections/blocks": OPEN,
    "GET /api/v1/right-of-way/{layer}": OPEN,
    "POST /api/v1/right-of-way/sections": P.EDIT_SECTIONS,
    "GET /right-of-way": OPEN,
    "GET /right-of-way/map.js": OPEN,
    "GET /right-of-way/features": OPEN,
    "GET /right-of-way/features/{feature_id}": OPEN,
    "GET /right-of-way/sections": OPEN,
    "GET /right-of-way/sections/edit": P.EDIT_SECTIONS,
    "POST /right-of-way/sections/edit": P.EDIT_SECTIONS,
    **{
        f"POST {door}/right-of-way/{what}/{act}": P.EDIT_SECTIONS
        for door in ("", "/api/v1")
        for what in ("sections/{section_id}", "features/{feature_id}")
        for act in ("retire", "restore")
    },
    # cases: who may see one may ask; `app.cases` requires the permission of each step
    "GET /cases": P.READ_RECORDS,
    "GET /cases/report": P.REPORT_VIOLATION,
    "POST /cases/report": P.REPORT_VIOLATION,
    "GET /cases/new/{kind}": P.READ_RECORDS,
    "POST /cases/new/{kind}": P.READ_RECORDS,
    "GET /cases/{case_id}": P.READ_RECORDS,
    "GET /cases/{case_id}/{step}": P.READ_RECORDS,
    "POST /cases/{case_id}/draft": P.READ_RECORDS,
    "POST /cases/{case_id}/{step}": P.READ_RECORDS,
    # permits: `app.cases` requires the permission of each step
    "GET /permits": P.READ_RECORDS,
    "GET /permits/needs": OPEN,
    "GET /permits/status": OPEN,
    "GET /permits/new/{kind}": P.PERMITS,
    "POST /permits/new/{kind}": P.PERMITS,
    "GET /permits/{permit_id}": P.READ_RECORDS,
    "GET /permits/{permit_id}/map.js": P.READ_RECORDS,
    "GET /permits/{permit_id}/{step}": P.READ_RECORDS,
    "POST /permits/{permit_id}/draft": P.READ_RECORDS,
    "POST /permits/{permit_id}/{step}": P.READ_RECORDS,
    "GET /today": P.READ_RECORDS,
    "GET /api/v1/today": P.READ_RECORDS,
    "GET /api/v1/today.ics": P.READ_RECORDS,
    "GET /api/v1/cases": P.READ_RECORDS,
    "GET /api/v1/case-kinds": P.READ_RECORDS,
    "POST /api/v1/cases": P.REPORT_VIOLATION,
    "GET /api/v1/tax-roll": P.READ_RECORDS,
    "POST /api/v1/tax-roll": P.TAX_ROLL,
    "GET /tax-roll": P.READ_RECORDS,
    "POST /tax-roll": P.TAX_ROLL,
    "POST /api/v1/permits": P.READ_RECORDS,
    "GET /api/v1/permits": P.READ_RECORDS,
    "GET /api/v1/permit-kinds": OPEN,
    "GET /api/v1/permits/status/{number}": OPEN,
    "GET /api/v1/permits/{permit_id}": P.READ_RECORDS,
    "POST /api/v1/permits/{permit_id}/{transition}": P.READ_RECORDS,
    "GET /api/v1/cases/{case_id}": P.READ_RECORDS,
    "POST /api/v1/cases/{case_id}/{transition}": P.READ_RECORDS,
    # what stands or is dug in the street
    "GET /api/v1/object-kinds": P.READ_RECORDS,
    "GET /api/v1/street-objects": P.READ_RECORDS,
    "POST /api/v1/street-objects": P.RECORD_OBJECTS,
    "GET /api/v1/street-objects/{object_id}": P.READ_RECORDS,
    "PATCH /api/v1/street-objects/{object_id}": P.RECORD_OBJECTS,
    "POST /api/v1/street-objects/{object_id}/retire": P.RECORD_OBJECTS,
    "POST /api/v1/street-objects/{object_id}/restore": P.RECORD_OBJECTS,
    "POST /api/v1/street-objects/{object_id}/photos": P.RECORD_OBJECTS,
    "GET /api/v1/street-objects/{object_id}/photos/{photo_id}": P.READ_RECORDS,
    "POST /api/v1/street-objects/{object_id}/photos/{photo_id}/remove": P.RECORD_OBJECTS,
    "GET /api/v1/works": OPEN,
    "GET /works": OPEN,
    "GET /works/map.js": OPEN,
    "GET /street-objects": P.READ_RECORDS,
    "GET /street-objects/{object_id}": P.READ_RECORDS,
    **{f"GET /street-objects/{path}": P.RECORD_OBJECTS for path in ("new", *(f"{{object_id}}/{a}" for a in ACTS))},
    **{f"POST /street-objects/{path}": P.RECORD_OBJECTS for path in ("new", *(f"{{object_id}}/{a}" for a in ACTS))},
    "POST /street-objects/{object_id}/photos": P.RECORD_OBJECTS,
    "POST /street-objects/{object_id}/photos/{photo_id}/remove": P.RECORD_OBJECTS,
    # documents
    "POST /api/v1/addresses/{address_id}/certificate": P.ISSUE,
    "POST /api/v1/addresses/{address_id}/notice": P.ISSUE,
    "GET /api/v1/addresses/{address_id}/documents": P.READ_RECORDS,
    "POST /addresses/{address_id}/certificate": P.ISSUE,
    "POST /addresses/{address_id}/notice": P.ISSUE,
    "GET /documents/{document_id}.pdf": P.READ_RECORDS,
    # what exists already: lots, and files brought in
    "GET /lots": OPEN,
    "GET /lots/{lot_id}": OPEN,
    "GET /api/v1/lots": OPEN,
    "GET /api/v1/lots/{lot_id}": OPEN,
    "GET /import": P.IMPORT,
    "POST /import": P.IMPORT,
    "GET /import/jobs/{job}": P.IMPORT,
    "POST /import/jobs/{job}": P.IMPORT,
    "GET /import/jobs/{job}/report.csv": P.IMPORT,
    "GET /import/{import_id}": P.IMPORT,
    "POST /import/{import_id}/undo": P.IMPORT,
    # checks of many at once
    "POST /api/v1/check-batches": P.READ_RECORDS,
    "GET /api/v1/check-batches/{job}": P.READ_RECORDS,
    "GET /api/v1/check-batches/{job}/report.csv": P.READ_RECORDS,
    "POST /api/v1/check-batches/{job}/cancel": P.READ_RECORDS,
    "GET /check-batches": P.READ_RECORDS,
    "POST /check-batches": P.READ_RECORDS,
    "GET /check-batches/{job}": P.READ_RECORDS,
    "POST /check-batches/{job}": P.READ_RECORDS,
    "GET /check-batches/{job}/report.csv": P.READ_RECORDS,
    "GET /api/v1/imports": P.IMPORT,
    "POST /api/v1/imports/{kind}": P.IMPORT,
    "GET /api/v1/imports/jobs": P.IMPORT,
    "GET /api/v1/imports/jobs/{job}": P.IMPORT,
    "GET /api/v1/imports/jobs/{job}/report.csv": P.IMPORT,
    "POST /api/v1/imports/jobs/{job}/cancel": P.IMPORT,
    "GET /api/v1/imports/{import_id}": P.IMPORT,
    "POST /api/v1/imports/{import_id}/undo": P.IMPORT,
}
ROLES: Mapping[Permission, str] = {
    P.READ_RECORDS: "inspector police clerk director",
    P.READ_911: "dispatch clerk director",
    P.ASSIGN: "clerk director",
    P.DECIDE_DOUBT: "clerk",
    P.EDIT_MAP: "director",
    P.ADOPT_MAP: "director",
    P.NAME_STREETS: "director",
    P.ISSUE: "clerk director",
    P.EDIT_SECTIONS: "director",
    P.IMPORT: "clerk director",
    P.RECORD_OBJECTS: "inspector police clerk director",
    P.REPORT_VIOLATION: "inspector police clerk director",
    P.INSPECT: "inspector police director",
    P.SERVE_NOTICE: "director",
    P.CLOSE_CASE: "clerk director",
    P.NOTICE_REMOVAL: "inspector police clerk director",
    P.TAX_ROLL: "clerk",
    P.PERMITS: "clerk director",
    P.BACKDATE: "clerk director",
    P.ADVISE: "inspector police clerk director",
    P.AS_DIRECTOR: "director",
    P.AS_CLERK: "clerk",
    P.AS_POLICE: "police",
    P.AS_INSPECTOR: "inspector",
    P.SETTLE: "clerk admin",
    P.READ_AUDIT: "clerk director admin",
    P.MANAGE_PEOPLE: "admin",
}
"""Written out once more, from what each officer does, so that a changed role is a changed test."""
ELSEWHERE = {"/static", "/static/leaflet"}
"""Files that the project and Leaflet consist of."""


@dataclass(frozen=True)
class Asker:
    """Who asks, by what headers, with which roles."""

    name: str
    headers: Headers
    roles: frozenset[Role] = frozenset()
    session: bool = False
    known: bool = True


@dataclass(frozen=True)
class Served:
    client: TestClient
    database: Database
    askers: tuple[Asker, ...]
    revoked_key: Headers


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("permissions")
    settings = Settings(data_dir=village(tmp_path_factory.mktemp("plat"), PLAT), state_dir=folder)
    app = create_app(settings)
    database: Database = app.state.database
    askers = [Asker("nobody", {}, known=False)]
    for role in Role:
        one = frozenset({role})
        askers.append(Asker(f"{role} by key", by_key(database, role), one))
        askers.append(Asker(f"{role} by session", by_session(database, f"A {role}", role), one, session=True))
    every = frozenset(Role)
    askers.append(Asker("all roles by session", by_session(database, "All", *Role), every, session=True))
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield Served(client, database, (*askers, ended_session(database)), revoked_key(database))


def revoked_key(database: Database) -> Headers:
    headers = by_key(database, *Role, name="revoked")
    with database.read() as connection:
        (key,) = (key for key in list_keys(connection) if key.name == "revoked")
    revoke_key(database, CONSOLE, key.id)
    return headers


def ended_session(database: Database) -> Asker:
    headers = by_session(database, "Ended", *Role)
    with database.read() as connection:
        (user,) = list_users(connection, "Ended")
        (session,) = list_sessions(connection, user.id)
    revoke_session(database, Person("Ended", f"user:{user.id}"), session.id)
    return Asker("whose session ended", headers, known=False)


def routes(client: TestClient) -> list[str]:
    found = []
    for route in iter_route_contexts(client.app.routes):
        methods = sorted(getattr(route, "methods", None) or ())
        if not methods:
            assert route.path in ELSEWHERE, route.path
        assert "HEAD" not in methods or "GET" in methods
        found += [f"{method} {route.path}" for method in methods if method != "HEAD"]
    return found


def ask(served: Served, route: str, headers: Headers, *, guess: str = "1", method: str = "", **sent: object) -> Any:
    verb, _, path = route.partition(" ")
    path = re.sub(r"\{(\w+)(:\w+)?\}", lambda m: "Main Street" if m[1] == "name" else guess, path)
    served.client.cookies.clear()
    return served.client.request(method or verb, path, headers=headers, **sent)


def refused(answer: Any, asker: Asker, route: str) -> bool:
    """Whether an answer refuses for want of a permission, and for nothing else."""
    status, text = answer.status_code, answer.text
    if asker.known:
        return status == 403 and "Not allowed" in text
    if re.search(" /(api|exports)/", route):
        return status == 401 and answer.headers["WWW-Authenticate"] == "Bearer"
    return status == 303 and answer.headers["Location"].startswith("/sign-in")


def guarded() -> list[tuple[str, Permission]]:
    return [(route, needed) for route, needed in TABLE.items() if isinstance(needed, Permission)]


def may(asker: Asker, needed: Permission) -> bool:
    return any(role in ROLES[needed].split() for role in asker.roles)


def test_every_route_is_in_the_table_and_the_table_has_no_other(served: Served) -> None:
    found = routes(served.client)
    assert sorted(found) == sorted(set(found))
    assert set(found) == set(TABLE)


def test_each_permission_has_the_roles_of_its_officers() -> None:
    assert {needed: set(roles) for needed, roles in ALLOWED.items()} == {
        needed: set(map(Role, roles.split())) for needed, roles in ROLES.items()
    }
    assert set(ALLOWED) == set(Permission)
    assert not any(PUBLIC.may(permission) for permission in Permission)


@pytest.mark.parametrize(("route", "needed"), guarded(), ids=[route for route, _ in guarded()])
def test_a_guarded_route_refuses_whoever_may_not_before_reading_the_body_and_changes_nothing(
    served: Served, route: str, needed: Permission
) -> None:
    before = state(served.database)
    bodies: list[dict[str, object]] = [{}]
    if route.startswith("POST"):
        bodies += [{"json": {"nonsense": 1}}] if " /api/" in route else [{"data": {"nonsense": "1"}}]
    for asker in served.askers:
        if may(asker, needed):
            continue
        for body in bodies:
            for guess in ("1", "2", "999999"):
                answer = ask(served, route, asker.headers, guess=guess, **body)
                assert refused(answer, asker, route), (asker.name, body, guess, answer)
        if route.startswith("GET"):
            assert ask(served, route, asker.headers, method="HEAD").status_code in {303, 401, 403, 405}
    assert state(served.database) == before


@pytest.mark.parametrize(("route", "needed"), guarded(), ids=[route for route, _ in guarded()])
def test_a_guarded_route_lets_whoever_may(served: Served, route: str, needed: Permission) -> None:
    allowed = [asker for asker in served.askers if may(asker, needed)]
    assert len(allowed) >= 2
    for asker in allowed:
        answer = ask(served, route, asker.headers, guess="999999")
        assert answer.status_code in {200, 201, 404, 409, 422}, (asker.name, answer)


@pytest.mark.parametrize("route", [route for route, needed in TABLE.items() if needed == SESSION])
def test_an_account_is_for_whoever_has_a_session(served: Served, route: str) -> None:
    before = state(served.database)
    for asker in served.askers:
        answer = ask(served, route, asker.headers, guess="999999")
        if asker.session:
            assert answer.status_code in {200, 404, 422}, (asker.name, answer)
        else:
            assert answer.headers["Location"].startswith("/sign-in"), (asker.name, answer)
    assert state(served.database) == before


@pytest.mark.parametrize("route", [r for r, needed in TABLE.items() if needed == OPEN and r != "POST /sign-out"])
def test_an_open_route_asks_nobody_who_they_are(served: Served, route: str) -> None:
    for asker in served.askers:
        answer = ask(served, route, asker.headers, guess="999999")
        assert not refused(answer, asker, route), (asker.name, answer)
        assert answer.status_code != 401


@pytest.mark.parametrize("route", list(TABLE))
def test_a_revoked_or_unknown_key_is_never_taken_for_the_public(served: Served, route: str) -> None:
    before = state(served.database)
    for headers in (served.revoked_key, {"Authorization": "Bearer benton_guess"}, {"Authorization": "Basic YTpi"}):
        answer = ask(served, route, headers)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert state(served.database) == before


@pytest.mark.parametrize("route", [r for r, n in TABLE.items() if n != OPEN and r.startswith("POST")])
def test_a_write_by_session_comes_from_one_of_its_own_pages(served: Served, route: str) -> None:
    before = state(served.database)
    (asker,) = (asker for asker in served.askers if asker.name == "all roles by session")
    cookie = {"Cookie": asker.headers["Cookie"]}
    for wrong in (
        cookie,
        cookie | {"X-CSRF-Token": "guess"},
        cookie | {"X-CSRF-Token": served.askers[2].headers["X-CSRF-Token"]},
        asker.headers | {"Sec-Fetch-Site": "cross-site"},
        asker.headers | {"Sec-Fetch-Site": "same-site"},
    ):
        answer = ask(served, route, wrong)
        assert answer.status_code == 403, answer
        assert "Not from one of your own pages" in answer.text
    assert state(served.database) == before


def test_only_a_persons_own_method_decides() -> None:
    """`ALLOWED` is read in app/auth.py alone; handlers ask `needs`, and no code compares roles to decide."""
    reads, requires, compares = set(), set(), set()
    for path in (ROOT / "app").rglob("*.py"):
        name = str(path.relative_to(ROOT))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name) and node.id == "ALLOWED":
                reads.add(name)
            if isinstance(node, ast.Attribute) and node.attr == "require":
                requires.add(name)
            if isinstance(node, ast.Compare) and "person.roles" in ast.unparse(node):
                compares.add(name)
    assert reads == {"app/auth.py"}
    # an undo needs what the act it undoes needed, and each step of a case has a permission of its own
    # and the 911 lookups are let in by the middleware before them all, from memory
    steps = {"app/cases.py", "app/case_papers.py", "app/routes/case_new_pages.py"}  # a form asks as its step does
    assert requires <= {"app/deps.py", "app/undoing.py", *steps, "app/routes/lookups.py"}
    assert compares == set()
    for template in (ROOT / "app" / "templates").rglob("*.html"):
        for tag in re.findall(r"\{%.*?%\}", Path(template).read_text(encoding="utf-8"), re.DOTALL):
            assert "person.roles" not in tag, (template.name, tag)
