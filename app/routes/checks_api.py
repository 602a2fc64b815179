"""The checks of the right-of-way as an API: nothing is stored, every answer says what it is measured against."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app.check_site import SENT, Site, sent_layers
from app.checks import CHECKS, OBJECT_KINDS, run
from app.deps import known_query
from app.law import today
from app.positions import Positions
from app.routes.api import Problem, answered

Length = Annotated[float | str, Field(description="As people write it: `7 1/2 in`, `2'-3\"`, or a bare number.")]
Shape = Annotated[dict[str, Any], Field(description="A GeoJSON geometry, or a Feature that has one, in `crs`.")]
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Words = Annotated[str, Field(max_length=300)]
_WHERE = {422: {"model": Problem, "description": "Unusable input; `errors` names the fields."}}
_POLYGON = {"type": "Polygon", "coordinates": [[[-90.38310, 42.57010], [-90.38306, 42.57010], [-90.38306, 42.57013],
                                                [-90.38310, 42.57013], [-90.38310, 42.57010]]]}  # fmt: skip

router = APIRouter(prefix="/api/v1/checks", responses=_WHERE, dependencies=[Depends(known_query)])  # type: ignore[arg-type]


def _example(**content: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"example": content})


class Check(BaseModel):
    """What every check takes beside its own fields."""

    model_config = ConfigDict(extra="forbid")

    crs: Annotated[str, Field(max_length=2000, description="Of every coordinate sent; the answer's too.")] = "EPSG:4326"
    date: Annotated[
        dt.date | None,
        Field(
            ge=dt.date(1980, 1, 1), le=dt.date(2099, 12, 31), description="The day the check is made for; else today."
        ),
    ] = None
    datum: Annotated[
        Literal["gps", "nad83-2011"] | None,
        Field(description="Of the positions; left out, GPS where `crs` is that of GPS, and then they are shifted."),
    ] = None
    epoch: Annotated[
        float | None,
        Field(
            ge=1980,
            le=2100,
            allow_inf_nan=False,
            description="Decimal year the positions were taken; left out, `date`.",
        ),
    ] = None
    accuracy_ft: Annotated[
        float, Field(strict=True, ge=0, le=10_000, allow_inf_nan=False, description="Of the positions, at 95 %, feet.")
    ] = 0.0
    layers: Annotated[
        dict[str, Any] | None,
        Field(description=f"In place of the village's: any of {', '.join(SENT)} as GeoJSON, and `accuracy_ft`."),
    ] = None


class MailboxCheck(Check):
    """A mailbox's door: its position, or a taped set-back."""

    model_config = _example(x=-90.38307, y=42.57012, accuracy_ft=16, street="Main Street")

    x: Finite | None = None
    y: Finite | None = None
    street: Words | None = None
    tape: Annotated[
        dict[str, Any] | float | str | None,
        Field(description="`setback` behind the curb or paved edge and its `tolerance`; bare numbers are inches."),
    ] = None
    curb: Annotated[bool | None, Field(strict=True, description="Whether there is a curb; left out, as recorded.")] = (
        None
    )
    tube: Annotated[
        dict[str, Any] | float | str | None,
        Field(description="A newspaper tube's protruding end: `x` and `y`, or taped `setback` and `tolerance`."),
    ] = None
    side: Annotated[Words | None, Field(description="The side that the Postal Service requires: north, south ...")] = (
        None
    )
    number: Annotated[str | int | None, Field(description="The number shown on the box.")] = None


class TerraceCheck(Check):
    """Something on the terrace."""

    model_config = _example(object={"type": "Point", "coordinates": [-90.38307, 42.57012]}, kind="boulder", radius_ft=2)

    object: Shape
    kind: Annotated[Words, Field(description=f"One of {', '.join(OBJECT_KINDS)}.")]
    radius_ft: Annotated[Length | None, Field(description="Of an object given by its middle; bare numbers feet.")] = (
        None
    )
    approved: Annotated[Words, Field(description="The approval of a paved area by the Board or its designee.")] = ""


class Authorisation(BaseModel):
    """A dated right that covers something: its first and last day both count."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    kind: Words = ""
    act: Words = ""
    first: Annotated[dt.date | None, Field(alias="from")] = None
    until: dt.date


class EncroachmentCheck(Check):
    """Something on a public way."""

    model_config = _example(footprint=_POLYGON, kind="fence")

    footprint: Shape
    kind: Annotated[Words, Field(description="`vault`, `cistern`, `mailbox`, `fixture`, or any other word.")] = ""
    radius_ft: Length | None = None
    street: Words | None = None
    authorisation: Authorisation | None = None


class ClearWidthCheck(Check):
    """Fixtures on a sidewalk, or the clear width as it was taped."""

    model_config = _example(sidewalk=_POLYGON, fixtures=[{"type": "Point", "coordinates": [-90.38308, 42.570115]}])

    sidewalk: Shape | None = None
    fixtures: Annotated[
        list[Shape],
        Field(max_length=500, description="Feature properties: `radius_ft` of a Point; `fixed` of a pole."),
    ] = []
    along: Annotated[Shape | None, Field(description="A line along the walk, such as the curb line.")] = None
    tape: Annotated[
        dict[str, Any] | float | str | None, Field(description="`clear_width` and `tolerance`; bare numbers inches.")
    ] = None


class ShareCheck(Check):
    """Something that takes a part of sidewalk, travelled way or right-of-way."""

    model_config = _example(footprint=_POLYGON)

    footprint: Shape


class LanesCheck(Check):
    """A work on the pavement."""

    model_config = _example(footprint=_POLYGON)

    footprint: Shape


class ExcavationCheck(Check):
    """An opening in the ground."""

    model_config = _example(opening=_POLYGON, date="2026-06-01")

    opening: Shape
    street: Words | None = None
    emergency: Annotated[bool, Field(strict=True, description="Whether it was determined to be an emergency.")] = False


class TrenchCheck(Check):
    """A trench and the heads of its work."""

    model_config = _example(
        line={"type": "LineString", "coordinates": [[-90.3831, 42.5701], [-90.3805, 42.5682]]},
        excavated_ft=400, laid_ft=200, backfilled_ft=0,
    )  # fmt: skip

    line: Shape
    excavated_ft: Length
    laid_ft: Length
    backfilled_ft: Length
    permission: Annotated[Words, Field(description="Special permission from the Director of Public Works.")] = ""


class SetBackCheck(Check):
    """A building."""

    model_config = _example(building=_POLYGON)

    building: Shape
    street: Words | None = None


class PetitionCheck(Check):
    """A petition for new curb and gutter."""

    model_config = _example(stretch_ft=400, lots=[{"frontage_ft": 210, "signed": True}])

    stretch_ft: Length
    lots: Annotated[list[dict[str, Any]], Field(max_length=2000, description="Each `frontage_ft` and `signed`.")]


class RouteCheck(Check):
    """A route that a building is moved along."""

    model_config = _example(
        segments=[{"street": "Main Street", "from": "County Road J North", "to": "Van Buren Street"}]
    )

    segments: Annotated[
        list[Any],
        Field(max_length=500, description="In order: `street` with `from` and `to` crossings, or a LineString."),
    ]
    stops: Annotated[list[Shape], Field(max_length=50, description="Where it stands overnight.")] = []


class Row(BaseModel):
    """One quantity held against its limit."""

    quantity: str
    value: float | str | None
    uncertainty: float | None
    limit: float | str | None
    unit: str
    margin: float | None
    verdict: str
    section: str
    settles: str
    note: str
    law: str


class Answer(BaseModel):
    """A check's answer."""

    verdict: str
    rows: list[Row]
    geometry: dict[str, Any]
    date: str
    datum: dict[str, Any]
    layers: str
    assumed: bool
    notes: list[str]
    letters: str


def _made(request: Request, name: str, asked: Check) -> Response:
    state = request.app.state
    village, day = state.atlas.village, asked.date or today()
    positions = Positions(village, asked.crs, asked.datum or "", asked.epoch, day)
    sent = sent_layers(positions, asked.layers) if asked.layers is not None else None
    with state.database.read() as connection:
        ground = state.ground.now(connection, village)
        site = Site(ground, connection, positions, day, asked.accuracy_ft, sent)
        return answered(run(site, name, asked.model_dump(by_alias=True, mode="json")))


@router.get("", summary="The checks there are, and the kinds of things on a terrace", responses={})
async def checks_list() -> Response:
    """List the checks by name."""
    items = [
        {"name": name, "url": f"/api/v1/checks/{name}", "what": check.__doc__ or ""} for name, check in CHECKS.items()
    ]
    return answered({"items": items, "terrace_kinds": OBJECT_KINDS, "layers": SENT})


_TOLD: Any = {"response_model": None, "responses": {200: {"model": Answer, "description": "Judged; nothing stored."}}}


@router.post("/mailbox", summary="May a mailbox stay where it is (§ 288-10)", **_TOLD)
def mailbox(asked: MailboxCheck, request: Request) -> Response:
    """Judge set-back, tube, side, stretch and number."""
    return _made(request, "mailbox", asked)


@router.post("/terrace", summary="May a thing be on the terrace (§ 288-10 B)", **_TOLD)
def terrace(asked: TerraceCheck, request: Request) -> Response:
    """Judge an object or paving."""
    return _made(request, "terrace", asked)


@router.post("/encroachment", summary="How much of a public way a thing takes (§ 288-7 A)", **_TOLD)
def encroachment(asked: EncroachmentCheck, request: Request) -> Response:
    """Measure depth, area and length."""
    return _made(request, "encroachment", asked)


@router.post("/clear-width", summary="The clear width that fixtures leave (§ 288-7 C(3))", **_TOLD)
def clear_width(asked: ClearWidthCheck, request: Request) -> Response:
    """Judge the widest disc that can be carried along the walk."""
    return _made(request, "clear-width", asked)


@router.post("/share", summary="The share of walk and way taken (§ 288-7 B(2), § 288-8 D(1))", **_TOLD)
def share(asked: ShareCheck, request: Request) -> Response:
    """Judge the worst cross section, and the gutter."""
    return _made(request, "share", asked)


@router.post("/lanes", summary="Whether a lane is left each way (§ 288-6 B(3))", **_TOLD)
def lanes(asked: LanesCheck, request: Request) -> Response:
    """Judge the free pavement."""
    return _made(request, "lanes", asked)


@router.post("/excavation", summary="What an opening opens, and whether it may be made (§§ 288-5, 288-6)", **_TOLD)
def excavation(asked: ExcavationCheck, request: Request) -> Response:
    """Judge places, season and street."""
    return _made(request, "excavation", asked)


@router.post("/trench", summary="How far a trench is open (§ 288-6 B(1))", **_TOLD)
def trench(asked: TrenchCheck, request: Request) -> Response:
    """Judge the heads of the work."""
    return _made(request, "trench", asked)


@router.post("/setback", summary="How far a building stands from the street line (§ 288-15 G(3), § 288-9 C)", **_TOLD)
def set_back(asked: SetBackCheck, request: Request) -> Response:
    """Judge display and snow; "violates" means over the limit."""
    return _made(request, "setback", asked)


@router.post("/petition", summary="Whether enough owners join for curb and gutter (§ 288-18 A)", **_TOLD)
def petition(asked: PetitionCheck, request: Request) -> Response:
    """Judge the share of the frontage."""
    return _made(request, "petition", asked)


@router.post("/route", summary="A route for moving a building (§ 130-12, § 288-8 D)", **_TOLD)
def route(asked: RouteCheck, request: Request) -> Response:
    """Judge whether it holds together, and what is on it."""
    return _made(request, "route", asked)
