"""The JSON API under /api/v1: parse, call one function, answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app import answers
from app.assign import lot_numbers, preview
from app.deps import VillageDep, known_query
from app.errors import PROBLEM
from gis.address import parse

DESCRIPTION = """Street numbers of § 288-15 with their reasons. Lengths are US survey feet, named `_ft`; coordinates are
longitude and latitude (`EPSG:4326`) unless `crs` says otherwise. Errors are RFC 9457 problems whose `errors` name each
field, what was found and what was expected. What is derived from a draft map says so and binds nobody."""


class Fields(BaseModel):
    """One field at fault."""

    field: str
    found: str
    expected: str


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[Fields]


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    422: {"model": Problem, "description": "Unusable input; `errors` names the fields."},
    400: {"model": Problem, "description": "The body is no JSON."},
    413: {"model": Problem, "description": "The body is too long."},
}
_UNKNOWN: dict[int | str, dict[str, Any]] = {404: {"model": Problem, "description": "Unknown street."}}

router = APIRouter(prefix="/api/v1", responses=_PROBLEMS, dependencies=[Depends(known_query)])


class PreviewRequest(BaseModel):
    """A main entrance whose number is asked for."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"x": -90.38307, "y": 42.57012}})

    x: Annotated[float, Field(strict=True, allow_inf_nan=False, description="Longitude, or the easting of `crs`.")]
    y: Annotated[float, Field(strict=True, allow_inf_nan=False, description="Latitude, or the northing of `crs`.")]
    crs: Annotated[str, Field(max_length=2000, description="CRS of `x` and `y`.")] = "EPSG:4326"
    street: Annotated[str | None, Field(max_length=200, description="The street, however spelt.")] = None
    explain: Annotated[bool, Field(description="Whether steps and construction lines are wanted.")] = True


class LotRequest(BaseModel):
    """A lot whose numbers are asked for."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "lot": {
                    "type": "Polygon",
                    "coordinates": [
                        [
                            [-90.3799194, 42.56886],
                            [-90.3797305, 42.5687446],
                            [-90.3794539, 42.5689921],
                            [-90.3796428, 42.5691074],
                            [-90.3799194, 42.56886],
                        ]
                    ],
                }
            }
        },
    )

    lot: Annotated[dict[str, Any], Field(description="A GeoJSON Polygon.")]
    crs: Annotated[str, Field(max_length=2000, description="CRS of the polygon.")] = "EPSG:4326"
    street: Annotated[str | None, Field(max_length=200, description="One street only, however spelt.")] = None


def answered(content: Any, status: int = 200, *, location: str = "", media: str = "application/json") -> Response:
    """Return content as JSON."""
    headers = {"Location": location} if location else None
    body = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(body, status_code=status, media_type=media, headers=headers)


@router.post("/numbers/preview", summary="The number a main entrance would have, and why")
async def numbers_preview(asked: PreviewRequest, request: Request) -> Response:
    """Number one entrance under § 288-15; nothing is stored."""
    # the village without a dependency: solving one costs a fifth of the answer
    return answered(
        preview(request.app.state.atlas.village, asked.x, asked.y, asked.crs, asked.street, explained=asked.explain)
    )


@router.get("/health", summary="Whether the service answers, and for which village")
async def health(village: VillageDep) -> dict[str, Any]:
    """Answer with the village, its draft state and the counts of streets and rows."""
    return answers.health(village)


@router.post("/lots/numbers", summary="The numbers a lot embraces (§ 288-15 J)")
async def lots_numbers(asked: LotRequest, village: VillageDep) -> Response:
    """Tell the numbers embraced within a lot's limits, on each street it fronts on."""
    return answered(lot_numbers(village, asked.lot, asked.crs, asked.street))


@router.get("/streets", summary="The village's streets")
async def streets(
    village: VillageDep,
    q: Annotated[str, Query(max_length=200, description="Part of a name.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """List streets by name."""
    return answered(answers.street_list(village, q, limit, offset))


@router.get("/streets/{name:path}/blocks", summary="A street's blocks", responses=_UNKNOWN)
async def street_blocks(name: str, village: VillageDep) -> Response:
    """List one street's rows of the Street Numbering Map with their findings."""
    return answered(answers.street_blocks(village, village.street_name(name)))


@router.get("/blocks", summary="The whole block table with its findings")
async def blocks(
    village: VillageDep,
    format: Annotated[Literal["json", "csv"], Query(description="json or csv.")] = "json",
    finding: Annotated[str, Query(max_length=50, description="Only rows with this finding code.")] = "",
) -> Response:
    """List every row of the Street Numbering Map."""
    if format == "csv":
        return Response(answers.blocks_csv(village, finding), media_type="text/csv; charset=utf-8")
    return answered(answers.block_table(village, finding))


@router.get("/parse", summary="An address text in its parts and forms")
async def parse_address(text: Annotated[str, Query(max_length=1000, examples=["145 N Alma St"])]) -> Response:
    """Read an address text: CLDXF parts, full words and the USPS form."""
    return answered(answers.address_parts(parse(text)))


__all__ = ["DESCRIPTION", "PROBLEM", "router"]
