"""The work zone feed, for navigation companies and the state's hub."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Depends, Header, Response

from app.deps import AtlasDep, PersonDep, known_query
from app.exports import wzdx
from app.routes.register_api import PROBLEMS
from app.village import Village

MEDIA = "application/geo+json"
router = APIRouter(responses={k: PROBLEMS[k] for k in (401, 422)}, dependencies=[Depends(known_query)])
_FEED: dict[int | str, dict[str, Any]] = {
    200: {"content": {MEDIA: {}}, "description": "GeoJSON as the schema of WZDx 4.2 has it."},
    304: {"description": "Nothing has changed since the feed of `If-None-Match`."},
}
_KEPT: WeakKeyDictionary[Village, tuple[str, bytes]] = WeakKeyDictionary()
"""The feed that was sent last, by the village in force."""


@router.get("/wzdx/v4.2/feed.geojson", summary="The work zone feed, WZDx 4.2", responses=_FEED, tags=["works"])
def wzdx_feed(
    person: PersonDep, atlas: AtlasDep, if_none_match: Annotated[str, Header(max_length=2000)] = ""
) -> Response:
    """Send openings and obstructions, active and planned, one event a direction; ended ones stay an hour."""
    now = datetime.now(UTC)
    with atlas.database.read() as connection:
        village = atlas.now(connection)
        tag = wzdx.tag_of(connection, village, now)
        headers = {"ETag": f'"{tag}"', "Cache-Control": "no-cache"}
        if f'"{tag}"' in if_none_match:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        kept = _KEPT.get(village)
        if kept is None or kept[0] != tag:
            kept = _KEPT[village] = tag, wzdx.body(connection, village, now)
    return Response(kept[1], headers=headers, media_type=MEDIA)
