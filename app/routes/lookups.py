"""The 911 lookups: who asks, how often, what is answered from memory with its age, and a log of every request."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Coroutine, Mapping
from datetime import date, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field, ValidationError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.auth import PUBLIC, Permission, Person, UnknownKeyError
from app.deps import identify
from app.dispatch import MOST_FT, locate, nearest, validate
from app.errors import PROBLEM, headers_of, members_of, problem, status_of
from app.feed import Json
from app.lookup import Index
from app.matching import ELEMENTS, read_parts
from app.routes.api import Problem
from app.watch import Fresh, Watch
from gis.errors import Fault, StreetsError

LOG = logging.getLogger(__name__)
PREFIX = "/api/v1/911/"
PROBLEMS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "No key, or one that is unknown or revoked."},
    403: {"model": Problem, "description": "The key has no role that reads for 911."},
    422: {"model": Problem, "description": "Unusable input; `errors` names the fields."},
    429: {"model": Problem, "description": "More requests a second than a key may make; `Retry-After` says when."},
}
router = APIRouter(prefix="/api/v1/911", tags=["911"], responses=PROBLEMS)


class Direct(APIRoute):
    """A route whose handler takes the request alone: solving dependencies, where there are none, costs a fifth."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler itself."""
        handler: Callable[[Request], Coroutine[Any, Any, Response]] = self.endpoint
        return handler


direct = APIRouter(prefix="/api/v1/911", tags=["911"], responses=PROBLEMS, route_class=Direct)
LONGEST = 1000
"""So many letters an address may have."""
ADDRESS: Json = {
    "name": "address",
    "in": "query",
    "description": "As anyone writes it; or, in its place, CLDXF elements as parameters of their own names.",
    "schema": {"type": "string", "maxLength": LONGEST, "default": "", "examples": ["145 N Alma St"]},
}
LOG_FOLDER = "911-log"
"""Where requests are logged, in the state directory."""
LOG_DAYS = 400
"""Files of the log older than this are taken away."""


class TooOftenError(StreetsError):
    """A key asked more often than it may."""


# --- who asks, how often, and the log -------------------------------------------------------------------------


class Bucket:
    """How many requests a key has left: so many a second, and as many saved up.

    Parameters
    ----------
    rate
        Requests a second.
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.left = max(rate, 1.0)
        self.at = time.monotonic()

    def take(self) -> float:
        """Take one; returns how long to wait for it where none is left, seconds, else 0."""
        now = time.monotonic()
        self.left = min(self.left + (now - self.at) * self.rate, max(self.rate, 1.0))
        self.at = now
        if self.left >= 1.0:
            self.left -= 1.0
            return 0.0
        return (1.0 - self.left) / self.rate


class RequestLog:
    """A file a day, one line of JSON a request, appended by every process before the answer is sent.

    Parameters
    ----------
    directory
        Where the files lie.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._second, self._moment = 0.0, ""
        self._day = ""
        self._file = -1
        self._fails = False

    def write(self, line: Json) -> None:
        """Append a line; where it cannot be written the answer is given all the same, and that is told once.

        Parameters
        ----------
        line
            With ``at``, seconds since 1970, which is written as ISO 8601 in UTC.
        """
        whole, part = divmod(line["at"], 1.0)
        try:
            if whole != self._second:
                self._second, self._moment = whole, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
            if not self._moment.startswith(self._day or "-"):
                self._open(self._moment[:10])
            line["at"] = f"{self._moment}.{int(part * 1000):03d}Z"
            os.write(self._file, orjson.dumps(line) + b"\n")
            self._fails = False
        except OSError as error:
            if not self._fails:
                LOG.warning("a 911 request could not be logged: %s", error)
            self._fails, self._day = True, ""

    def _open(self, day: str) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._file = os.open(self.directory / f"{day}.jsonl", flags, 0o640)
        self._day = day
        oldest = (date.fromisoformat(day) - timedelta(days=LOG_DAYS)).isoformat()
        for file in self.directory.glob("????-??-??.jsonl"):
            if file.stem < oldest:
                file.unlink(missing_ok=True)


class Lookups:
    """Middleware of the 911 lookups: lets those ask who may, from memory, so that they answer while no database does.

    The permission is asked here and not by each route, for solving a dependency costs a fifth of an answer.

    Parameters
    ----------
    app
        The application it wraps.
    watch
        What is known.
    directory
        Where requests are logged.
    rate
        Requests a second that a key may make; 0 for any number. Each process counts those it answers itself, so that
        no key is refused within its rate.
    """

    def __init__(self, app: ASGIApp, watch: Watch, directory: Path, rate: float) -> None:
        self.app = app
        self.watch = watch
        self.rate = rate
        self.log = RequestLog(directory)
        self._buckets: dict[str, Bucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a lookup on with who asks and how fresh what is known is; log it."""
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await self.app(scope, receive, send)
            return
        began, state = time.time(), scope.setdefault("state", {})

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                person = state.get("person") or PUBLIC
                line = {
                    "at": began,
                    "who": person.id,
                    "name": person.name,
                    "path": scope["path"],
                    "query": scope["query_string"].decode("latin-1"),
                    "status": message["status"],
                    "ms": round((time.time() - began) * 1000, 2),
                }
                self.log.write(line)
            await send(message)

        fresh = state["fresh"] = await self.watch.current()
        refused = await self._admit(scope, state)
        if refused is None:
            await self.app(scope, receive, aged(fresh, noted))
        else:
            await refusal(refused, fresh)(scope, receive, noted)

    async def _admit(self, scope: Scope, state: dict[str, Any]) -> StreetsError | None:
        """Find out who asks; returns what is to be refused, before anything else of the request is looked at."""
        secret = next((value for name, value in scope["headers"] if name == b"authorization"), None)
        try:
            if secret is None:
                (await identify(Request(scope))).require(Permission.READ_911)
                return None
            person = state["person"] = self._holder(secret)
            person.require(Permission.READ_911)
        except StreetsError as error:
            return error
        return self._too_often(person) if self.rate else None

    def _holder(self, secret: bytes) -> Person:
        scheme, _, key = secret.partition(b" ")
        person = self.watch.holder(key.strip().decode("latin-1")) if scheme.lower() == b"bearer" else None
        if person is None:
            fault = Fault("Authorization", "no key that is known here, or a revoked one", "Bearer and a key in force")
            raise UnknownKeyError("The key is not known, or was revoked.", [fault])
        return person

    def _too_often(self, person: Person) -> StreetsError | None:
        bucket = self._buckets.get(person.id)
        if bucket is None:
            bucket = self._buckets[person.id] = Bucket(self.rate)
        wait_s = bucket.take()
        if not wait_s:
            return None
        found = f"more than {self.rate:g} requests a second"
        return TooOftenError.of("Authorization", found, f"to be sent again in {max(wait_s, 0.1):.1f} s")


def aged(fresh: Fresh, send: Send) -> Send:
    """Return a sender that puts the age on a problem that the framework answers: no such path, a value out of range."""
    held: list[Message] = []

    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            told = dict(message["headers"])
            if message["status"] < 400 or told.get(b"content-type") != PROBLEM.encode():
                await send(message)
            else:
                held.append(message)
            return
        if not held:
            await send(message)
            return
        held.append(message)
        if not message.get("more_body"):
            problem = orjson.loads(b"".join(part.get("body", b"") for part in held[1:]))
            answered = answer({"as_of": None, **problem}, fresh, held[0]["status"])
            kept = [(n, v) for n, v in held[0]["headers"] if n not in {b"content-length", b"content-type"}]
            await send({**held[0], "headers": [*kept, *answered.raw_headers]})
            await send({"type": "http.response.body", "body": answered.body})

    return sender


def refusal(error: StreetsError, fresh: Fresh) -> Response:
    """Return a problem with the age of what is known."""
    status, title = status_of(error)
    headers = headers_of(error)
    if isinstance(error, TooOftenError):
        status, title, headers = HTTPStatus.TOO_MANY_REQUESTS, "Asked too often", {"Retry-After": "1"}
    about = {**problem(status, title, str(error.message), error.faults), **members_of(error)}
    return answer(about, fresh, status, headers)


def answer(content: Mapping[str, Any], fresh: Fresh, status: int = 200, headers: Mapping[str, str] = {}) -> Response:
    """Return content as JSON with the moment it is of and its age; a problem where it is no success."""
    body = orjson.dumps({**content, "as_of": fresh.as_of, "age_s": fresh.age_s})
    media = "application/json" if status < 400 else PROBLEM
    return Response(body, status, {"Cache-Control": "no-store", **headers}, media)


# --- what is asked --------------------------------------------------------------------------------------------


def _once(request: Request, known: Collection[str]) -> dict[str, str]:
    """Return the parameters that were sent, each once and each known."""
    sent = request.query_params.multi_items()
    values = dict(sent)
    for name in values if known else ():
        if name not in known:
            raise StreetsError.of(name, values[name], f"no parameter of this name; one of {', '.join(known)}")
    if len(values) < len(sent):
        twice = next(name for name in values if [n for n, _ in sent].count(name) > 1)
        raise StreetsError.of(twice, "more than one", "one value")
    return values


def _text(request: Request) -> str:
    """Return the address that is asked for, as one text or by its CLDXF elements."""
    parts = _once(request, ())
    address = parts.pop("address", "")
    if len(address) > LONGEST:
        raise StreetsError.of("address", f"{len(address):,} letters", f"at most {LONGEST:,}")
    if address and parts:
        names = ", ".join(parts)
        raise StreetsError.of("address", f"a text, and also {names}", "one text, or CLDXF elements alone")
    if parts:
        return read_parts(parts)
    if not address.strip():
        raise StreetsError.of("address", "nothing", f"an address, or CLDXF elements ({', '.join(ELEMENTS)})")
    return address


async def _answered(request: Request, ask: Callable[..., Json]) -> Response:
    # the text is read here and not by the route: solving a parameter takes longer than finding the address
    watch, fresh = request.app.state.watch, request.state.fresh
    try:
        made = ask(watch.index, watch.village, _text(request))
    except StreetsError as error:
        return refusal(error, fresh)
    if made["match"] == "none" and ask is locate:
        text = "No such address is known. Near matches are listed; none of them was taken for it."
        about = problem(HTTPStatus.NOT_FOUND, "No such address", text)
        return answer({**about, "code": "ADDRESS_NOT_FOUND", **made}, fresh, HTTPStatus.NOT_FOUND)
    return answer(made, fresh)


@direct.get(
    "/validate",
    summary="Whether an address is one, and of each element whether it is right",
    openapi_extra={"parameters": [ADDRESS]},
)
async def lookup_validate(request: Request) -> Response:
    """Hold an address against the register and the map; near matches are told and never taken for it."""
    return await _answered(request, validate)


@direct.get("/locate", summary="Where an address is", openapi_extra={"parameters": [ADDRESS]})
async def lookup_locate(request: Request) -> Response:
    """Give the place of an address, how it is known, its block and its cross streets."""
    return await _answered(request, locate)


class Place(BaseModel):
    """What `lookup_nearest` is asked."""

    lat: Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False, description="Latitude, degrees.")]
    lon: Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False, description="Longitude, degrees.")]
    radius_ft: Annotated[
        float, Field(gt=0, le=MOST_FT, allow_inf_nan=False, description="No farther than this, feet.")
    ] = 500
    limit: Annotated[int, Field(ge=1, le=100, description="At most so many.")] = 5
    accuracy_ft: Annotated[
        float | None, Field(ge=0, le=MOST_FT, allow_inf_nan=False, description="How far the place may be off, feet.")
    ] = None

    @classmethod
    def parameters(cls) -> list[Json]:
        """Return its fields as OpenAPI writes parameters of a query."""
        schema = cls.model_json_schema()
        return [
            {"name": name, "in": "query", "required": name in schema["required"], "schema": about}
            for name, about in schema["properties"].items()
        ]


@direct.get("/nearest", summary="The addresses nearest to a place", openapi_extra={"parameters": Place.parameters()})
async def lookup_nearest(request: Request) -> Response:
    """List addresses with distance, side and the words a dispatcher says."""
    watch, fresh = request.app.state.watch, request.state.fresh
    try:  # read here and not by the route, which would take as long for it as for all the rest
        asked = Place.model_validate(_once(request, Place.model_fields))
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("query", *one["loc"])} for one in error.errors()]) from error
    except StreetsError as error:
        return refusal(error, fresh)
    found = nearest(watch.index, watch.village, asked.lat, asked.lon, asked.radius_ft, asked.limit, asked.accuracy_ft)
    return answer(found, fresh)


@router.get("/changes", summary="What changed, in order, from the first change on")
async def lookup_changes(
    request: Request,
    since: Annotated[int, Query(ge=0, lt=2**53, description="`next` of the answer before; 0 for all.")] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> Response:
    """List changes of addresses: each with the public state before and after; replayed from 0 they are the register."""
    watch, fresh = request.app.state.watch, request.state.fresh
    index: Index = watch.index
    try:
        _once(request, ("since", "limit"))
    except StreetsError as error:
        return refusal(error, fresh)
    with index.lock:
        told, found = index.told(since), index.since(since, limit)
    if not told and not watch.behind:
        expected = (
            "0, or a cursor that this register gave. This one it did not give, or no more: it may be mistyped, or the "
            "register was restored from an older backup; begin again at 0"
        )
        return refusal(StreetsError.of("since", str(since), expected), fresh)
    following = found[-1].cursor if found else since
    return answer({"items": [change.told for change in found], "next": following}, fresh)
