"""What handlers ask for, as annotated aliases; and who asks, with the one place where permissions are checked."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.params import Depends as Dependency
from sqlalchemy.engine import Connection
from starlette.types import ASGIApp, Receive, Scope, Send

from app import keys, sessions
from app.auth import PUBLIC, ForgedRequestError, Permission, Person, UnknownKeyError
from app.db import Database, StorageError
from app.map_versions import Atlas
from app.row_layers import Ground
from app.settings import Settings
from app.village import Village
from gis.errors import Fault, StreetsError

LOG = logging.getLogger(__name__)
COOKIE = "benton_session"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
TOUCHED = timedelta(minutes=5)
"""How exactly it is known when a session or key was last used; every use would be a write."""
AGAIN_S = 30.0
"""How long after a try to note a use the next one may be made."""


async def _atlas(request: Request) -> Atlas:
    atlas: Atlas = request.app.state.atlas
    return atlas


async def _village(request: Request) -> Village:
    village: Village = request.app.state.atlas.village
    return village


async def _database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


async def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


async def _ground(request: Request) -> Callable[[Connection], Ground]:
    state = request.app.state

    def ground(connection: Connection) -> Ground:
        found: Ground = state.ground.now(connection, state.atlas.village)
        return found

    return ground


GroundDep = Annotated[Callable[[Connection], Ground], Depends(_ground)]
"""The village's right-of-way as it is, for a connection."""
AtlasDep = Annotated[Atlas, Depends(_atlas)]
VillageDep = Annotated[Village, Depends(_village)]
DatabaseDep = Annotated[Database, Depends(_database)]
SettingsDep = Annotated[Settings, Depends(_settings)]


async def identify(request: Request) -> Person:
    """Say who asks: the holder of a key, a user with a session, or the public.

    Parameters
    ----------
    request
        With ``Authorization: Bearer KEY``, or the session's cookie, or neither.

    Returns
    -------
    Person
        Kept with the request, so that it is looked up once.

    Raises
    ------
    UnknownKeyError
        A key was sent that is unknown or revoked. A session that has ended is the public's.
    """
    known = getattr(request.state, "person", None)
    if known is None:
        known = request.state.person = await _identify(request)
    return known


async def _identify(request: Request) -> Person:
    database: Database = request.app.state.database
    authorization = request.headers.get("Authorization")
    if authorization is not None:
        scheme, _, key = authorization.partition(" ")
        found = await run_in_threadpool(_by_key, database, key.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            expected = "Bearer and a key that is in force"
            fault = Fault("Authorization", "no key that is known here, or a revoked one", expected)
            raise UnknownKeyError("The key is not known, or was revoked.", [fault])
        return found
    token = request.cookies.get(COOKIE)
    return await run_in_threadpool(_by_session, database, token) if token else PUBLIC


def _by_key(database: Database, key: str) -> Person | None:
    with database.read() as connection:
        found = keys.holder(connection, key)
    if found is not None:
        _touch(database, *found, keys.touch_key)
    return found[0] if found else None


def _by_session(database: Database, token: str) -> Person:
    with database.read() as connection:
        found = sessions.holder(connection, token)
    if found is not None:
        _touch(database, *found, sessions.touch_session)
    return found[0] if found else PUBLIC


_again: dict[tuple[str, str, int], float] = {}


def _touch(database: Database, person: Person, seen: datetime | None, note: Callable[[Database, Person], None]) -> None:
    """Note the use of a session or key from time to time; where another writes, a later request does."""
    if seen is not None and datetime.now(UTC) - seen < TOUCHED:
        return
    mine, now = (str(database.url), person.id, person.session_id), time.monotonic()
    if now >= _again.get(mine, now):
        _again[mine] = now + AGAIN_S
        try:
            note(database, person)
        except StorageError as error:
            LOG.warning("that %s asked now was not noted: %s", person.id, error)


class KnownKeys:
    """Middleware that answers no request with a key that is unknown or revoked, whatever it asks for.

    Parameters
    ----------
    app
        The application it wraps.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on whose key is known, or that has none."""
        known = "person" in scope.get("state", {})
        if scope["type"] != "http" or known or all(name != b"authorization" for name, _ in scope["headers"]):
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            await identify(request)
        except StreetsError as error:
            answer = await scope["app"].exception_handlers[StreetsError](request, error)
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)


async def _person(request: Request) -> Person:
    person = await identify(request)
    if person.session_id and request.method not in SAFE_METHODS:
        refuse_other_sites(request)
        await _refuse_forged(request, person)
    return person


PersonDep = Annotated[Person, Depends(_person)]
"""Who asks. A write that comes with a session's cookie must come from one of the session's own pages."""


def refuse_other_sites(request: Request) -> None:
    """Refuse a request that a browser says another site made.

    Parameters
    ----------
    request
        That writes.

    Raises
    ------
    ForgedRequestError
        It came from elsewhere.
    """
    if request.headers.get("Sec-Fetch-Site", "none") not in {"same-origin", "none"}:
        raise ForgedRequestError("This was sent by a page of another site, so it was not done.")


async def _refuse_forged(request: Request, person: Person) -> None:
    sent = request.headers.get("X-CSRF-Token")
    if sent is None and request.headers.get("Content-Type", "").partition(";")[0].strip().lower() in FORMS:
        field = (await request.form()).get("csrf")
        sent = field if isinstance(field, str) else None
    if not secrets.compare_digest((sent or "").encode(), person.csrf.encode()):
        fault = Fault("csrf", "nothing" if not sent else "the token of another session", "the session's own token")
        raise ForgedRequestError(
            "This form was made before you signed in, or not here. Nothing was done: reload it and send it again.",
            [fault],
        )


def _known(dependant: Any) -> list[str]:
    """Return the query parameters of a route and of all that it depends on."""
    own = [field.alias for field in dependant.query_params]
    return own + [name for part in dependant.dependencies for name in _known(part)]


def known_query(request: Request) -> None:
    """Refuse a query parameter that the route does not know: a list would come back as if it had narrowed it.

    Raises
    ------
    StreetsError
        Naming each of them, and those there are.
    """
    known = _known(request.scope["route"].dependant)
    expected = f"one of {', '.join(known)}" if known else "no query"
    odd = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if odd:
        faults = [Fault(name[:60], "a query parameter of this name", expected) for name in odd[:10]]
        raise StreetsError("There is no such query parameter.", faults)


def needs(permission: Permission) -> Any:
    """Return the dependency that gives who asks, and refuses who does not hold a permission.

    Permissions are checked here and nowhere else, before a body is read into a model: for pages and API alike
    ``Annotated[Person, needs(Permission.ASSIGN)]``, or ``dependencies=[needs(Permission.ASSIGN)]``.

    Parameters
    ----------
    permission
        What is about to be done.

    Returns
    -------
    Dependency
        For FastAPI; ``permission`` is on the function it holds.
    """

    async def holder(person: PersonDep) -> Person:
        person.require(permission)
        return person

    holder.permission = permission  # type: ignore[attr-defined]
    return Dependency(holder)
