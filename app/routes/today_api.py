"""What is due by API: listed, as CSV, and as a calendar. Parse, call one function, answer."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from app import calendar_file
from app import today as due
from app.answers import as_csv
from app.auth import Permission, Person
from app.check_words import LETTERS
from app.clocks import LOCAL
from app.db import StorageError
from app.deps import AtlasDep, SettingsDep, known_query, needs
from app.map_versions import Atlas
from app.routes.api import answered
from app.routes.forms import csv_file
from app.routes.register_api import PROBLEMS
from app.tls import address_served
from app.today import GROUPS, MOST_DAYS, OFFICES, SOON_DAYS

router = APIRouter(prefix="/api/v1", responses=PROBLEMS, dependencies=[Depends(known_query)])
LOG = logging.getLogger(__name__)
Json = dict[str, Any]
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
Short = Annotated[str, Query(max_length=200)]
Days = Annotated[int, Query(ge=0, le=MOST_DAYS, description="So many days after today are coming up.")]
At = Annotated[
    str, Query(max_length=60, description="An instant, or a day as it begins; now when left out."),
]  # fmt: skip
Office = Annotated[str, Query(max_length=40, description=f"Who must act: {', '.join(OFFICES)}.")]
Whom = Annotated[str, Query(max_length=200, description="To whom the case is assigned; `none` for nobody.")]
COLUMNS = (
    *("group", "case", "number", "kind", "place", "what", "section", "sense", "due", "other_reading", "late"),
    *("counted", "reading", "office", "assigned_to", "url"),
)
CALENDAR_DAYS, MOST_EVENTS = 90, 2_000


def counted_today(request: Request, atlas: AtlasDep) -> None:
    """Count the clocks anew, once a day, where a setting of the Village holds from this day on."""
    now = datetime.now(UTC)
    day = now.astimezone(LOCAL).date()
    if getattr(request.app.state, "counted_on", None) == day:
        return
    try:
        due.count_anew(atlas.database, now)
    except StorageError as error:  # another writes; what is known is shown, and a later look counts
        LOG.warning("clocks were not counted anew: %s", error)
    else:
        request.app.state.counted_on = day


def listed(atlas: Atlas, at: str, **given: Any) -> Json:
    """Return what is due, as `app.today.today` does."""
    now = due.read_at(at, datetime.now(UTC))
    with atlas.database.read() as connection:
        return due.today(connection, now, **given)


def items_of(found: Json) -> list[Json]:
    """Return the items of all groups, one after the other."""
    return [item for name in GROUPS for item in found["groups"][name]["items"]]


def as_file(found: Json) -> Response:
    """Send what is due as CSV."""
    text = as_csv(COLUMNS, map(_cells, items_of(found)), spreadsheet=True)
    return csv_file(text, f"due-{found['day']}.csv")


def _cells(item: Json) -> list[str]:
    own = {**item, "other_reading": item["other"]}
    return ["" if own[name] is None else str(own[name]) for name in COLUMNS]


@router.get(
    "/today",
    summary="What is overdue, due today and coming up, over every open case and permit",
    dependencies=[Depends(counted_today)],
)
def today_list(
    person: Reader,
    atlas: AtlasDep,
    at: At = "",
    office: Office = "",
    whom: Annotated[Whom, Query(alias="person")] = "",
    kind: Short = "",
    book: Annotated[str, Query(max_length=20, description="`case`, `permit` or `project`.")] = "",
    group: Annotated[str, Query(max_length=20, description=f"One of {', '.join(GROUPS)}.")] = "",
    days: Days = SOON_DAYS,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    format: Annotated[Literal["json", "csv"], Query(description="json or csv; csv has them all.")] = "json",
) -> Response:
    """List clocks that run, the groups one after the other; `next` is the offset of those that follow."""
    given = {"office": office, "person": whom, "kind": kind, "book": book, "group": group, "days": days}
    if format == "csv":
        return as_file(listed(atlas, at, **given, limit=0))
    return answered({**listed(atlas, at, **given, limit=limit, offset=offset), "letters": LETTERS})


@router.get(
    "/today.ics",
    summary="The same as a calendar (iCalendar), without names",
    dependencies=[Depends(counted_today)],
)
def today_calendar(
    person: Reader,
    atlas: AtlasDep,
    settings: SettingsDep,
    office: Office = "",
    whom: Annotated[Whom, Query(alias="person")] = "",
    kind: Short = "",
    days: Days = CALENDAR_DAYS,
) -> Response:
    """Send what is overdue and what is due within so many days; a day as an event of the whole day."""
    given = {"office": office, "person": whom, "kind": kind, "days": days}
    found = listed(atlas, "", **given, limit=MOST_EVENTS)
    items, village = items_of(found), atlas.village.files.settings.name
    now = datetime.now(UTC).replace(microsecond=0)
    made = calendar_file.calendar(items, village, address_served(settings), now, found["total"] - len(items))
    headers = {"Content-Disposition": 'inline; filename="due.ics"', "Cache-Control": "private, no-cache"}
    return Response(made, media_type="text/calendar; charset=utf-8", headers=headers)
