"""From exception to problem (RFC 9457): one table. The exceptions themselves live where they are raised."""

from __future__ import annotations

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import IntegrityError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.auth import ForgedRequestError, NotAllowedError, NotSignedInError, UnknownKeyError
from app.casebook import CaseStateError, NoCaseError
from app.changes import StateError
from app.considered import RefusedError, SamePlaceError, TakenError
from app.db import StorageError
from app.keys import UnknownKeyIdError
from app.law import LawError
from app.map_versions import MapStateError
from app.object_photos import MOST_MB
from app.once import RepeatedError, SentBeforeError
from app.people import ChangedMeanwhileError, LastAdminError, NameTakenError, UnknownPersonError
from app.registers import DependsError, NotFoundError
from app.sessions import LinkError, SignInError, TooManyAttemptsError, UnknownSessionError
from app.street_objects import ObjectStateError
from app.tls import NoAuthorityError
from gis.errors import (
    AddressError,
    CrsError,
    Fault,
    GeometryError,
    NetworkError,
    StreetsError,
    UnknownStreetError,
)

PROBLEM = "application/problem+json"

_STATUS: Sequence[tuple[type[StreetsError], HTTPStatus, str]] = (
    (UnknownStreetError, HTTPStatus.NOT_FOUND, "Unknown street"),
    (CrsError, HTTPStatus.UNPROCESSABLE_ENTITY, "Unusable coordinate reference system"),
    (GeometryError, HTTPStatus.UNPROCESSABLE_ENTITY, "Unusable place"),
    (AddressError, HTTPStatus.UNPROCESSABLE_ENTITY, "Not a street address"),
    (NetworkError, HTTPStatus.UNPROCESSABLE_ENTITY, "Unusable linework"),
    (UnknownKeyError, HTTPStatus.UNAUTHORIZED, "Unknown key"),
    (NotSignedInError, HTTPStatus.UNAUTHORIZED, "Not signed in"),
    (NotAllowedError, HTTPStatus.FORBIDDEN, "Not allowed"),
    (ForgedRequestError, HTTPStatus.FORBIDDEN, "Not from one of your own pages"),
    (TooManyAttemptsError, HTTPStatus.TOO_MANY_REQUESTS, "Too many attempts"),
    (SignInError, HTTPStatus.FORBIDDEN, "Not signed in"),
    (LinkError, HTTPStatus.GONE, "This link does not work"),
    (UnknownPersonError, HTTPStatus.NOT_FOUND, "No such user"),
    (UnknownKeyIdError, HTTPStatus.NOT_FOUND, "No such key"),
    (UnknownSessionError, HTTPStatus.NOT_FOUND, "No such session"),
    (NoAuthorityError, HTTPStatus.NOT_FOUND, "No local authority"),
    (NameTakenError, HTTPStatus.CONFLICT, "Name taken"),
    (ChangedMeanwhileError, HTTPStatus.CONFLICT, "Changed meanwhile"),
    (LastAdminError, HTTPStatus.CONFLICT, "The last administrator"),
    (NotFoundError, HTTPStatus.NOT_FOUND, "Not in the register"),
    (SamePlaceError, HTTPStatus.CONFLICT, "Numbered already"),
    (TakenError, HTTPStatus.CONFLICT, "Number taken"),
    (MapStateError, HTTPStatus.CONFLICT, "Not in the state this needs"),
    (StateError, HTTPStatus.CONFLICT, "Not in the state this needs"),
    (DependsError, HTTPStatus.CONFLICT, "Something depends on it"),
    (NoCaseError, HTTPStatus.NOT_FOUND, "No such case"),
    (CaseStateError, HTTPStatus.CONFLICT, "Not in the state this needs"),
    (ObjectStateError, HTTPStatus.CONFLICT, "Not in the state this needs"),
    (SentBeforeError, HTTPStatus.CONFLICT, "Sent before"),
    (RepeatedError, HTTPStatus.UNPROCESSABLE_ENTITY, "Idempotency-Key used before"),
    (RefusedError, HTTPStatus.UNPROCESSABLE_ENTITY, "Refused"),
    (StorageError, HTTPStatus.SERVICE_UNAVAILABLE, "The register cannot be reached"),
    (LawError, HTTPStatus.UNPROCESSABLE_ENTITY, "No law on that day"),
    (StreetsError, HTTPStatus.UNPROCESSABLE_ENTITY, "Unusable input"),
)


def problem(status: int, title: str, detail: str, faults: Sequence[Fault] = ()) -> dict[str, Any]:
    """Return a problem's members.

    Parameters
    ----------
    status
        The HTTP status.
    title
        What kind of problem it is.
    detail
        What is wrong with this request.
    faults
        Each field at fault, what was found and what was expected.

    Returns
    -------
    dict
        The members of RFC 9457, and ``errors``.
    """
    listed = [{"field": f.field, "found": f.found, "expected": f.expected} for f in faults]
    return {"type": "about:blank", "title": title, "status": int(status), "detail": detail, "errors": listed}


def status_of(error: StreetsError) -> tuple[HTTPStatus, str]:
    """Return the status and title of an error of the domain."""
    return next((status, title) for kind, status, title in _STATUS if isinstance(error, kind))


def members_of(error: StreetsError) -> dict[str, Any]:
    """Return the members that an error's problem has beside the usual ones, for programs."""
    match error:
        case TakenError():
            code = "SAME_PLACE" if isinstance(error, SamePlaceError) else "NUMBER_TAKEN"
            return {"code": code, "holder": error.holder}
        case DependsError():
            return {"code": "DEPENDS", "dependents": error.dependents}
        case MapStateError() | StateError() | CaseStateError() | ObjectStateError():
            return {"code": "STATE"}
        case RefusedError():
            return {"code": error.code}
        case RepeatedError():
            return {"code": "IDEMPOTENCY_KEY_REUSED"}
    return {}


def headers_of(error: StreetsError) -> dict[str, str]:
    """Return the headers that an error's answer has beside its content."""
    if isinstance(error, NotSignedInError):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, TooManyAttemptsError):
        return {"Retry-After": str(error.wait_s)}
    return {}


def install(app: FastAPI) -> None:
    """Answer every error of an API request with a problem that names the field at fault."""
    app.add_middleware(LimitedBody)
    app.add_exception_handler(StreetsError, _domain)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(IntegrityError, _refused)
    app.add_exception_handler(RecursionError, _too_deep)


MOST_BYTES = 2_000_000
"""The longest body of a request."""


class LimitedBody:
    """Refuse a request whose body is longer than `MOST_BYTES`, before it is read whole, or names a field twice."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on while its body is within bounds."""
        if scope["type"] != "http" or scope["method"] in {"GET", "HEAD"}:
            await self.app(scope, receive, send)
            return
        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        most = _most(scope)
        too_long = declared.isdigit() and int(declared) > most
        is_json = b"json" in next((value for name, value in scope["headers"] if name == b"content-type"), b"").lower()
        if declared.isdigit() and not too_long and not is_json:
            await self.app(scope, receive, send)  # the server reads no more than was declared
            return
        body, more = b"", not too_long
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message["type"] == "http.request" and message.get("more_body", False)
            too_long = len(body) > MOST_BYTES  # without a length no file is sent: all of it is kept here
            more = more and not too_long
        if too_long:
            found = Fault("body", f"more than {most} bytes", f"at most {most} bytes")
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            await _answer(problem(status, status.phrase, str(found), [found]))(scope, receive, send)
            return
        twice = _named_twice(body) if is_json else ""
        if twice:
            found = Fault(twice, "the same field twice", "each field once")
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            await _answer(problem(status, "Unusable input", str(found), [found]))(scope, receive, send)
            return
        await self.app(scope, _once(body, receive), send)


def _most(scope: Scope) -> int:
    """Return the longest body of a request: a file that is brought in, or a photo, may be longer.

    Neither is kept in memory while it comes in.
    """
    if scope["path"].endswith("/photos"):
        return MOST_MB * 1_000_000 + MOST_BYTES
    sent = scope["path"] == "/import" or scope["path"].startswith("/api/v1/imports/")
    return int(scope["app"].state.settings.import_most_mb * 1_000_000 + MOST_BYTES) if sent else MOST_BYTES


def _named_twice(body: bytes) -> str:
    """Return a field that an object of a JSON body has twice, of which either could be meant; ``""`` for none."""
    twice: list[str] = []

    def keys(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        twice.extend(name for name in names if names.count(name) > 1) if len(set(names)) < len(names) else None

    try:
        json.loads(body, object_pairs_hook=keys)
    except (ValueError, RecursionError):
        return ""  # what is no JSON is told where it is read
    return twice[0] if twice else ""


def _once(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that hands out a body already read, then what else comes."""
    waiting = [body]

    async def again() -> Message:
        return {"type": "http.request", "body": waiting.pop()} if waiting else await receive()

    return again


async def _domain(request: Request, error: Exception) -> Response:
    assert isinstance(error, StreetsError)
    status, title = status_of(error)
    if isinstance(error, UnknownStreetError) and not request.path_params:
        status = HTTPStatus.UNPROCESSABLE_ENTITY  # the street was not what the address named
    response = _answer({**problem(status, title, str(error.message), error.faults), **members_of(error)})
    response.headers.update(headers_of(error))
    return response


async def _refused(request: Request, error: Exception) -> Response:
    """Say that the database itself refused a write: somebody else's came first. Nothing of it was kept."""
    detail = (
        "Somebody else changed the same record at the same moment. Nothing was done: look again, and send it again."
    )
    return _answer({**problem(HTTPStatus.CONFLICT, "Changed meanwhile", detail), "code": "CHANGED_MEANWHILE"})


async def _too_deep(request: Request, error: Exception) -> Response:
    """Say that what was sent is nested deeper than anything that is meant. Nothing of it was kept."""
    found = Fault("body", "lists or objects nested too deeply", "a GeoJSON Polygon or a plain object")
    return _answer(problem(HTTPStatus.UNPROCESSABLE_ENTITY, "Unusable input", str(found), [found]))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    kind = request.headers.get("content-type", "")
    if any(e["loc"] == ("body",) and isinstance(e.get("input"), bytes | str) for e in error.errors()) and (
        "json" not in kind.lower()
    ):
        found = Fault("Content-Type", kind or "nothing", "application/json")
        status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        return _answer(problem(status, status.phrase, str(found), [found]))
    faults = [_fault(e) for e in error.errors()]
    detail = "; ".join(map(str, faults))
    return _answer(problem(HTTPStatus.UNPROCESSABLE_ENTITY, "Unusable input", detail, faults))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    unread = error.status_code == HTTPStatus.BAD_REQUEST
    faults = [Fault("body", "what cannot be read as JSON", "a JSON object in UTF-8")] if unread else []
    detail = f"{request.method} {request.url.path}: {error.detail}"
    response = _answer(problem(error.status_code, phrase, detail, faults))
    response.headers.update(error.headers or {})
    return response


def _fault(error: Any) -> Fault:
    """Turn one fault of a body or parameter into ours: the field, what was found, what was expected."""
    place = [str(part) for part in error["loc"][1:]] or [str(part) for part in error["loc"]]
    if error["type"] == "json_invalid":
        return Fault("body", f"no JSON ({error['ctx']['error']})", "a JSON object")
    found = "nothing" if error["type"] == "missing" else repr(error.get("input"))
    shown = found if len(found) <= 80 else f"{found[:77]}..."
    return Fault(".".join(place), shown, _expected(error))


def _expected(error: Any) -> str:
    """Say what was expected in the words of whoever sends it, not of the library that reads it."""
    limit = error.get("ctx", {})
    words = {
        "missing": "a value",
        "extra_forbidden": "no field of this name",
        "string_too_long": f"at most {limit.get('max_length')} characters",
        "string_too_short": f"at least {limit.get('min_length')} character",
        "too_long": f"at most {limit.get('max_length')} of them",
        "too_short": f"at least {limit.get('min_length')} of them",
        "int_type": "a whole number",
        "int_parsing": "a whole number",
        "int_from_float": "a whole number",
        "float_type": "a number",
        "float_parsing": "a number",
        "finite_number": "a finite number",
        "string_type": "a text",
        "bool_type": "true or false",
        "bool_parsing": "true or false",
        "dict_type": "an object",
        "list_type": "a list",
        "model_type": "an object",
        "model_attributes_type": "an object",
        "greater_than_equal": f"{limit.get('ge')} or more",
        "less_than_equal": f"{limit.get('le')} or less",
        "literal_error": f"one of {limit.get('expected')}",
    }
    plain = str(error["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")
    return words.get(error["type"], plain)


def _answer(members: dict[str, Any]) -> Response:
    # standard JSON: unlike orjson it writes half a surrogate pair that a caller sent
    return Response(json.dumps(members), status_code=members["status"], media_type=PROBLEM)
