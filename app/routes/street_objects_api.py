"""The API of what stands or is dug in the street, and of works: parse, call one function, answer."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import ConfigDict, Field
from starlette.datastructures import UploadFile

from app import maps, object_photos, registers, street_objects, works
from app import street_objects_told as told
from app.answers import as_csv
from app.auth import Permission, Person
from app.clocks import LOCAL
from app.deps import AtlasDep, known_query, needs
from app.map_versions import Atlas
from app.object_kinds import AUTHORISATIONS, KINDS
from app.object_photos import KINDS as PICTURES
from app.object_photos import MOST_MB, PhotoError
from app.routes.api import answered
from app.routes.forms import csv_file, read_day
from app.routes.register_api import PROBLEMS, Body, Id, Reason, Text
from app.street_objects import asking
from app.street_objects_told import Box, Sieve
from app.street_tables import street_objects as table
from app.village import LONLAT, Village
from gis.errors import StreetsError

router = APIRouter(prefix="/api/v1", responses=PROBLEMS, dependencies=[Depends(known_query)])
Json = dict[str, Any]
Recorder = Annotated[Person, needs(Permission.RECORD_OBJECTS)]
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
Key = Annotated[str, Header(max_length=255, description="The same request sent twice is done once.")]
Short = Annotated[str, Query(max_length=200)]
DayText = Annotated[str | None, Field(max_length=30, description="A day, such as `2026-06-01`.")]
At = Annotated[str, Query(max_length=30, description="A day, such as `2026-06-01`; today when left out.")]
_POINT: Json = {"type": "Point", "coordinates": [-90.38307, 42.57012]}
_MAILBOX: Json = {"setback_in": "7 1/2 in", "setback_tolerance_in": "1/2 in", "curb": True, "number_shown": "145"}
_EXAMPLE: Any = {"kind": "mailbox", "geometry": _POINT, "facts": _MAILBOX, "accuracy_ft": 16.0}


class Fields(Body):
    """What is recorded of an object, whatever its kind."""

    label: Annotated[
        str | None, Field(max_length=200, description="What it is. Of works everybody sees it: name nobody.")
    ] = None
    state: Annotated[str | None, Field(max_length=20, description="Where dates do not tell it.")] = None
    geometry: Annotated[dict[str, Any] | None, Field(description="GeoJSON Point, LineString or Polygon.")] = None
    crs: Annotated[str, Field(max_length=2000, description="CRS of the geometry.")] = LONLAT
    datum: Annotated[
        Literal["", "gps", "nad83-2011"],
        Field(description="Of the geometry; GPS is moved into NAD83(2011). GPS for EPSG:4326 when left out."),
    ] = ""
    epoch: Annotated[float | None, Field(strict=True, ge=1980, le=2100, description="Of GPS, decimal year.")] = None
    accuracy_ft: Annotated[float | None, Field(strict=True, ge=0, le=10_000, description="At 95 %, feet.")] = None
    street: Annotated[
        str | None, Field(max_length=200, description="However spelt; the nearest when left out, `` for none.")
    ] = None
    address_id: Annotated[int | None, Field(strict=True, ge=1, le=2_000_000_000)] = None
    facts: Annotated[dict[str, Any] | None, Field(description="What the kind asks for: see object-kinds.")] = None
    checked: Annotated[dict[str, Any] | None, Field(description="A check's answer, to be kept as it was.")] = None
    emergency: Annotated[bool, Field(strict=True, description="An emergency excavation (§ 288-6 H).")] = False
    starts_on: DayText = None
    ends_on: DayText = None
    restored_on: DayText = None
    authorisation: Annotated[
        dict[str, Any] | None,
        Field(description=f"`kind` ({', '.join(AUTHORISATIONS)}), `act`, `from`, `until`."),
    ] = None
    reason: Text = ""


class Recorded(Fields):
    """An object to be recorded."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _EXAMPLE})

    kind: Annotated[str, Field(max_length=20, description=f"One of {', '.join(KINDS)}.")]


class Changed(Fields):
    """What changes of an object; what is left out stays, null empties it, facts change one by one."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"restored_on": "2026-06-01"}})

    was: Annotated[str, Field(max_length=64, description="The `version` that was shown.")] = ""


class Withdrawal(Reason):
    """Why a record is withdrawn."""

    was: Annotated[str, Field(max_length=64, description="The `version` that was shown.")] = ""


def today() -> date:
    """Return the village's day."""
    return datetime.now(UTC).astimezone(LOCAL).date()


def read_at(text: str) -> date:
    """Read the day that works are asked of; today for ``""``."""
    return read_day(text, "at") if text.strip() else today()


def read_box(village: Village, text: str) -> Box | None:
    """Read `west,south,east,north`, degrees, into a rectangle of the working CRS, feet; None for ``""``."""
    if not text:
        return None
    expected = "west,south,east,north in degrees, each lower one first"
    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError as error:
        raise StreetsError.of("bbox", text[:60], expected) from error
    if not (-180 <= west <= east <= 180 and -90 <= south <= north <= 90):
        raise StreetsError.of("bbox", text[:60], expected)
    (low, left), (high, right) = maps.bounds(village)
    pad = 0.1  # degrees round the map within which it can be projected
    lon = np.clip([west, east, west, east], left - pad, right + pad)
    lat = np.clip([south, south, north, north], low - pad, high + pad)
    x, y = village.into_feet(LONLAT)(lon, lat)
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


@router.get("/object-kinds", summary="Kinds of objects in the street, and what is recorded of each")
def object_kinds(person: Reader) -> Response:
    """Describe every kind, so that a program can fill in its facts."""
    kinds = [
        {
            **{name: getattr(kind, name) for name in ("key", "title", "section", "dated")},
            "states": dict(kind.states),
            "law": [{"words": one.words, "section": one.section} for one in kind.said],
            "facts": [
                {"key": f.key, "label": f.label, "form": f.form, "hint": f.hint, "choices": dict(f.choices)}
                for f in kind.facts
            ],
        }
        for kind in KINDS.values()
    ]
    return answered({"items": kinds})


@router.get("/street-objects", summary="What stands or is dug in the street")
def object_list(
    person: Reader,
    atlas: AtlasDep,
    kind: Annotated[str, Query(max_length=20, description=f"One of {', '.join(KINDS)}.")] = "",
    state: Annotated[
        str, Query(max_length=20, description="A state; `withdrawn` or `all`; what stands when left out.")
    ] = "",
    at: At = "",
    street: Short = "",
    q: Annotated[str, Query(max_length=200, description="Part of what it is, its street or address; or its id.")] = "",
    bbox: Annotated[str, Query(max_length=120, description="`west,south,east,north`, degrees.")] = "",
    after: Annotated[int, Query(ge=0, le=2_000_000_000, description="`next` of the page before.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    format: Annotated[Literal["json", "csv", "geojson"], Query(description="json, csv or geojson.")] = "json",
) -> Response:
    """List objects in the order of their ids; CSV and GeoJSON have all of them."""
    village, day = atlas.village, read_at(at)
    named = village.street_name(street) if street else ""
    sieve = Sieve(day, kind, state, named, q, read_box(village, bbox), "id", after)
    with atlas.database.read() as connection:
        rows, total = told.listed(connection, sieve, limit=0 if format != "json" else limit)
    items = [told.brief(village, row, day) for row in rows]
    if format != "json":
        return as_file(items, format)
    following = rows[-1]["id"] if total > len(rows) else None
    return answered({"items": items, "at": day.isoformat(), "next": following})


def as_file(items: list[Json], format: str) -> Response:
    """Return objects as a file of CSV, or as GeoJSON."""
    if format == "csv":
        return csv_file(as_csv(told.COLUMNS, map(told.cells, items), spreadsheet=True), "street-objects.csv")
    answer = answered(told.collection(items), media="application/geo+json")
    answer.headers["Content-Disposition"] = 'inline; filename="street-objects.geojson"'
    return answer


@router.post("/street-objects", status_code=201, summary="Record what stands or is dug in the street")
def object_record(asked: Recorded, person: Recorder, atlas: AtlasDep, idempotency_key: Key = "") -> Response:
    """Record a mailbox, fixture, obstruction, opening or sidewalk panel; a check's answer is kept with it."""
    made = street_objects.record(asking(atlas, person, idempotency_key), asked.model_dump(exclude_unset=True))
    return _shown(atlas, made["id"], 201)


@router.get("/street-objects/{object_id}", summary="One object with its facts, check and photos")
def object_get(object_id: Id, person: Reader, atlas: AtlasDep, at: At = "") -> Response:
    """Show an object as it is recorded; `state` is of the day asked for."""
    return _shown(atlas, object_id, day=read_at(at))


@router.patch("/street-objects/{object_id}", summary="Change what is recorded of an object")
def object_change(
    object_id: Id, asked: Changed, person: Recorder, atlas: AtlasDep, idempotency_key: Key = ""
) -> Response:
    """Change fields; with `was`, nothing is changed where the record was changed since."""
    street_objects.change(asking(atlas, person, idempotency_key), object_id, asked.model_dump(exclude_unset=True))
    return _shown(atlas, object_id)


@router.post("/street-objects/{object_id}/retire", summary="Withdraw the record of an object")
def object_retire(
    object_id: Id, asked: Withdrawal, person: Recorder, atlas: AtlasDep, idempotency_key: Key = ""
) -> Response:
    """Withdraw a record, with a reason; it can be restored."""
    street_objects.retire(asking(atlas, person, idempotency_key), object_id, asked.reason, asked.was)
    return _shown(atlas, object_id)


@router.post("/street-objects/{object_id}/restore", summary="Restore the record of an object")
def object_restore(
    object_id: Id, asked: Reason, person: Recorder, atlas: AtlasDep, idempotency_key: Key = ""
) -> Response:
    """Restore a record that was withdrawn."""
    street_objects.restore(asking(atlas, person, idempotency_key), object_id, asked.reason)
    return _shown(atlas, object_id)


def _shown(atlas: Atlas, object_id: int, status: int = 200, day: date | None = None) -> Response:
    with atlas.database.read() as connection:
        row = registers.get(connection, table, object_id)
        content = told.full(atlas.village, connection, row, day or today())
    return answered(content, status, location=f"/api/v1/street-objects/{object_id}" if status == 201 else "")


# --- photos ---

_FILE = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary", "description": f"{PICTURES}, {MOST_MB} MB"},
                        "caption": {"type": "string", "maxLength": 300},
                    },
                }
            }
        },
    }
}


async def sent_photo(request: Request) -> tuple[bytes, str, str]:
    """Return the picture, the caption and the token of a form that sends a photo.

    Raises
    ------
    PhotoError
        It has no file, or a longer one than is taken.
    """
    async with request.form(max_files=1, max_fields=10) as form:
        file, caption, token = (form.get(name, "") for name in ("file", "caption", "token"))
        if not isinstance(file, UploadFile):
            raise PhotoError.of("file", "nothing", PICTURES)
        if file.size is not None and file.size > MOST_MB * 1_000_000:
            raise PhotoError.of("file", f"{file.size / 1e6:.1f} MB", f"at most {MOST_MB} MB")
        texts = (caption if isinstance(caption, str) else "", token if isinstance(token, str) else "")
        return await file.read(), *texts


@router.post(
    "/street-objects/{object_id}/photos", status_code=201, summary="Add a photo of an object", openapi_extra=_FILE
)
async def photo_add(
    object_id: Id, request: Request, person: Recorder, atlas: AtlasDep, idempotency_key: Key = ""
) -> Response:
    """Keep a photo, written anew without where, when and by what it was taken."""
    data, caption, _ = await sent_photo(request)
    by = asking(atlas, person, idempotency_key)
    made = await run_in_threadpool(street_objects.add_photo, by, object_id, data, caption)
    where = f"/api/v1/street-objects/{object_id}/photos/{made['id']}"
    return answered({"id": made["id"], "url": where}, 201, location=where)


@router.get("/street-objects/{object_id}/photos/{photo_id}", summary="A photo of an object")
def photo_get(
    object_id: Id, photo_id: Annotated[int, Path(ge=1, le=2_000_000_000)], person: Reader, atlas: AtlasDep
) -> Response:
    """Send a photo."""
    with atlas.database.read() as connection:
        row = object_photos.get(connection, object_id, photo_id)
    name = f"object-{object_id}-photo-{photo_id}.{row['media'].removeprefix('image/').replace('jpeg', 'jpg')}"
    headers = {"Content-Disposition": f'inline; filename="{name}"', "Cache-Control": "private, no-cache"}
    return Response(row["bytes"], media_type=row["media"], headers=headers)


@router.post("/street-objects/{object_id}/photos/{photo_id}/remove", summary="Take a photo off an object")
def photo_remove(
    object_id: Id,
    photo_id: Annotated[int, Path(ge=1, le=2_000_000_000)],
    asked: Reason,
    person: Recorder,
    atlas: AtlasDep,
    idempotency_key: Key = "",
) -> Response:
    """Take a photo off: it is no longer shown, and stays in the register."""
    street_objects.take_photo_off(asking(atlas, person, idempotency_key), object_id, photo_id, asked.reason)
    return _shown(atlas, object_id)


# --- works ---


@router.get("/works", summary="Openings and obstructions in the street on a day")
def work_list(
    atlas: AtlasDep,
    at: At = "",
    state: Annotated[str, Query(max_length=20, description=f"One of {', '.join(works.STATES)}.")] = "",
    kind: Annotated[str, Query(max_length=20, description="`opening` or `obstruction`.")] = "",
    street: Short = "",
) -> Response:
    """List works for everybody, with how many are in each state; past ones only where they are asked for."""
    day = read_at(at)
    named = atlas.village.street_name(street) if street else ""
    wanted = {"kind": works.read_kind(kind), "street": named}
    with atlas.database.read() as connection:
        rows = works.listed(connection, day, state=works.read_state(state), **wanted)
        counts = works.counts(connection, day, **wanted)
    items = told.public(atlas.village, rows, day)
    return answered({"at": day.isoformat(), "counts": counts, "items": items, "complete": len(rows) < works.MOST})
