"""Pages as HTML: one environment of templates that escapes everything, the headers of every answer, error pages."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_plus, urlencode, urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.auth import PUBLIC, NotSignedInError, Permission, Person, Role, UnknownKeyError
from app.clocks import LOCAL
from app.deps import SAFE_METHODS, identify
from app.errors import headers_of, status_of
from app.maps import MapScript
from app.village import Village
from gis.errors import StreetsError, UnknownStreetError

HERE = Path(__file__).resolve().parent.parent
STATIC = HERE / "static"

POLICY = "; ".join(
    (
        *("default-src 'self'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "object-src 'none'"),
        *("base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"),
    )
)
"""No page has an inline script or style, so none is allowed."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(self), camera=(), microphone=()",
}

ABOUT_ROLES: Mapping[Role, str] = {
    Role.DISPATCH: "asks the 911 lookups; for a key",
    Role.INSPECTOR: "sees the records of an address, reports violations, records inspections",
    Role.POLICE: "sees the records of an address, reports violations, records inspections",
    Role.CLERK: "assigns numbers, decides doubts, issues documents",
    Role.DIRECTOR: "assigns numbers, edits the map and records its adoption, issues documents",
    Role.ADMIN: "manages users and keys; no public acts",
}

_RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

Handler = Callable[[Request, Exception], Response | Awaitable[Response]]


class SafeHeaders:
    """Middleware that puts `HEADERS` on every answer.

    Parameters
    ----------
    app
        The application it wraps.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and add the headers to its answer."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(h for h in _RAW_HEADERS if h[0] not in given)]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


class ShownWorker:
    """Middleware that names the process on every answer, where a test must know which gave it.

    Parameters
    ----------
    app
        The application it wraps.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.header = (b"x-worker", str(os.getpid()).encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and add the header to its answer."""

        async def with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], self.header]
            await send(message)

        await self.app(scope, receive, with_header if scope["type"] == "http" else send)


def feet(value: float, digits: int = 0) -> str:
    """Write a length as people do.

    Parameters
    ----------
    value
        US survey feet.
    digits
        Decimals.

    Returns
    -------
    str
        The length with its unit.

    Examples
    --------
    >>> feet(1330.4), feet(300.44, 1)
    ('1,330 ft', '300.4 ft')
    """
    return f"{value:,.{digits}f} ft"


def long_date(day: date) -> str:
    """Write a date as people do.

    Parameters
    ----------
    day
        The date.

    Returns
    -------
    str
        Weekday, month, day and year.

    Examples
    --------
    >>> long_date(date(2026, 6, 1))
    'Mon, June 1, 2026'
    """
    return f"{day:%a, %B} {day.day}, {day.year}"


def moment(at: datetime) -> str:
    """Write an instant as people do, in the village's own time.

    Parameters
    ----------
    at
        The instant.

    Returns
    -------
    str
        Date and time of day.

    Examples
    --------
    >>> from datetime import UTC
    >>> moment(datetime(2026, 6, 1, 20, 4, tzinfo=UTC))
    'Mon, June 1, 2026, 3:04 PM'
    """
    there = at.astimezone(LOCAL)
    return f"{long_date(there.date())}, {there.hour % 12 or 12}:{there:%M %p}"


def section(text: str) -> str:
    """Write a section with its sign.

    Parameters
    ----------
    text
        As the rules name it.

    Returns
    -------
    str
        With the sign, once.

    Examples
    --------
    >>> section("288-15 D"), section("§ 288-15 D")
    ('§ 288-15 D', '§ 288-15 D')
    """
    return f"§ {text.removeprefix('§').strip()}"


def street_path(name: str) -> str:
    """Return the address of a street's page, whatever characters its name has."""
    return f"/streets/{quote(name, safe='')}"


def plat_path(name: str) -> str:
    """Return the address of a street's page of the plat book."""
    return f"/plat-book/{quote(name, safe='')}"


def face_path(street: str, half: str, hundred: int, parity: str) -> str:
    """Return the address of a block face's page."""
    return f"/faces/{quote(street, safe='')}/{half}/{hundred}/{parity}"


def with_query(path: str, **values: object) -> str:
    """Return a path with those values that are not empty as its query."""
    kept = {key: value for key, value in values.items() if value not in ("", None)}
    return f"{path}?{urlencode(kept)}" if kept else path


@cache
def environment() -> Environment:
    """Return the templates; every value is escaped, an unknown one is an error."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(feet=feet, long_date=long_date, moment=moment, section=section, street_path=street_path)
    made.filters.update(urldecoded=unquote_plus)
    made.globals.update(
        with_query=with_query,
        face_path=face_path,
        plat_path=plat_path,
        asset=asset,
        Permission=Permission,
        about=ABOUT_ROLES,
    )
    return made


@cache
def asset(name: str) -> str:
    """Return the address of a static file with a digest of it, so that an old copy is never used."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def local_path(text: str) -> str:
    """Return the path and query of a page of this site; ``/`` for the address of anything else.

    Parameters
    ----------
    text
        An address, such as a form or link sent to come back to.

    Returns
    -------
    str
        It begins with one slash.

    Examples
    --------
    >>> local_path("/streets?q=main"), local_path("//elsewhere.example/"), local_path("https://elsewhere.example/x")
    ('/streets?q=main', '/', '/')
    """
    plain = text.isascii() and text.isprintable() and " " not in text and "\\" not in text
    return text if plain and text.startswith("/") and not text.startswith("//") and len(text) <= 2000 else "/"


def page(
    request: Request, template: str, status: int = HTTPStatus.OK, *, secret: bool = False, **context: Any
) -> Response:
    """Render a page.

    Parameters
    ----------
    request
        The request it answers.
    template
        The template's name.
    status
        The HTTP status.
    secret
        Whether it shows what no browser may keep.
    **context
        What the template shows.

    Returns
    -------
    Response
        HTML, compressed where the browser takes it; a page that did not change is not sent again.
    """
    village: Village = request.app.state.atlas.village
    person: Person = getattr(request.state, "person", PUBLIC)
    given = {"village": village, "made": village.files.settings, "path": request.url.path, "person": person}
    given["query"] = request.url.query
    shown = environment().get_template(template).render(**given, **context)
    kept = "no-store" if secret else "private, no-cache" if person.known else "no-cache"
    answer = sent(request, shown.encode(), "text/html; charset=utf-8", status=status, cache_control=kept)
    answer.headers["Vary"] = "Accept-Encoding, Cookie"
    return answer


def script(request: Request, made: MapScript) -> Response:
    """Send the script of a map; one asked for by its digest is kept by the browser."""
    kept = "public, max-age=31536000, immutable" if request.query_params.get("v") == made.tag else "no-cache"
    media = "text/javascript; charset=utf-8"
    return sent(request, made.body, media, packed=made.packed, tag=made.tag, cache_control=kept)


def sent(
    request: Request,
    body: bytes,
    media_type: str,
    *,
    status: int = HTTPStatus.OK,
    packed: bytes | None = None,
    tag: str = "",
    cache_control: str = "no-cache",
) -> Response:
    """Send a body with its tag, compressed where the browser takes it, or say that it did not change."""
    tag = f'W/"{tag or hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": cache_control, "Vary": "Accept-Encoding"}
    if status == HTTPStatus.OK and tag in request.headers.get("If-None-Match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        body = packed or gzip.compress(body, 5, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return Response(body, status_code=status, headers=headers, media_type=media_type)


def error_page(
    request: Request, status: int, title: str, message: str, faults: tuple[Any, ...] = (), near: Any = ()
) -> Response:
    """Render what went wrong, where, and what to do."""
    return page(request, "error.html", status, title=title, message=message, faults=faults, near=near)


FOR_PROGRAMS = ("/api/", "/exports/", "/wzdx/", "/ogc/")
"""Paths that programs ask, not people: an error is answered as a problem there, not as a page."""


def install_errors(app: FastAPI) -> None:
    """Answer errors of pages with pages; what the API answers stays as it is."""
    kinds: tuple[tuple[Any, Handler], ...] = (
        (StreetsError, _domain),
        (RequestValidationError, _invalid),
        (HTTPException, _http),
    )
    for kind, shown in kinds:
        before = app.exception_handlers.get(kind)
        app.add_exception_handler(kind, _for_pages(shown, before))


def _for_pages(shown: Handler, before: Any) -> Handler:
    async def handler(request: Request, error: Exception) -> Response:
        chosen = before if before and request.url.path.startswith(FOR_PROGRAMS) else shown
        if chosen is shown:
            with suppress(StreetsError):
                await identify(request)  # for the head of the page
        answer = chosen(request, error)
        return answer if isinstance(answer, Response) else await answer

    return handler


async def _domain(request: Request, error: Exception) -> Response:
    assert isinstance(error, StreetsError)
    status, title = status_of(error)
    if isinstance(error, NotSignedInError) and not isinstance(error, UnknownKeyError):
        ended = "" if request.method in SAFE_METHODS else "yes"
        return RedirectResponse(with_query("/sign-in", next=_came_for(request), ended=ended), HTTPStatus.SEE_OTHER)
    if isinstance(error, UnknownStreetError):
        status, title = HTTPStatus.NOT_FOUND, "No such street"
    response = error_page(request, status, title, str(error.message), tuple(error.faults))
    response.headers.update(headers_of(error))
    return response


def _came_for(request: Request) -> str:
    """Return the page to come back to after signing in: the one asked for, or the one whose form was sent."""
    if request.method in SAFE_METHODS:
        return local_path(_asked_for(request.url.path, request.url.query))
    before = urlsplit(request.headers.get("Referer", ""))
    return local_path(_asked_for(before.path, before.query)) if before.netloc == request.url.netloc else ""


def _asked_for(path: str, query: str) -> str:
    return path + (f"?{query}" if query else "")


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    names = ", ".join(str(e["loc"][-1]) for e in error.errors())
    message = f"This address has a value that cannot be read: {names}. Go back and correct it."
    return error_page(request, HTTPStatus.UNPROCESSABLE_ENTITY, "Unusable address", message)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = {
        HTTPStatus.NOT_FOUND: "There is no page at this address. It may have been mistyped, or the page has moved.",
        HTTPStatus.METHOD_NOT_ALLOWED: "This page can only be read.",
    }.get(HTTPStatus(error.status_code), str(error.detail))
    response = error_page(request, error.status_code, HTTPStatus(error.status_code).phrase, message)
    response.headers.update(error.headers or {})
    return response
