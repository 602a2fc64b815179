"""From exception to problem (RFC 9457): one table. The exceptions themselves live where they are raised."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from app.law import LawError
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


def install(app: FastAPI) -> None:
    """Answer every error of an API request with a problem that names the field at fault."""
    app.add_exception_handler(StreetsError, _domain)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


async def _domain(request: Request, error: Exception) -> Response:
    assert isinstance(error, StreetsError)
    status, title = status_of(error)
    return _answer(problem(status, title, str(error.message), error.faults))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = [_fault(e) for e in error.errors()]
    detail = "; ".join(map(str, faults))
    return _answer(problem(HTTPStatus.UNPROCESSABLE_ENTITY, "Unusable input", detail, faults))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    response = _answer(problem(error.status_code, phrase, f"{request.method} {request.url.path}: {error.detail}"))
    response.headers.update(error.headers or {})
    return response


def _fault(error: Any) -> Fault:
    """Turn one fault of a body or parameter into ours: the field, what was found, what was expected."""
    place = [str(part) for part in error["loc"][1:]] or [str(part) for part in error["loc"]]
    if error["type"] == "json_invalid":
        return Fault("body", f"no JSON ({error['ctx']['error']})", "a JSON object")
    found = "nothing" if error["type"] == "missing" else repr(error.get("input"))
    shown = found if len(found) <= 80 else f"{found[:77]}..."
    expected = error["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return Fault(".".join(place), shown, "a value" if error["type"] == "missing" else expected)


def _answer(members: dict[str, Any]) -> Response:
    return Response(orjson.dumps(members), status_code=members["status"], media_type=PROBLEM)
