"""The page of the morning: what is overdue, due today and coming up, for the whole office or for one person."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from app import casebook
from app.auth import Permission, Person
from app.check_words import LETTERS
from app.deps import AtlasDep, needs
from app.list_paper import MOST
from app.routes import list_reports
from app.routes.forms import READ, PageNumber, Text
from app.routes.rendering import page
from app.routes.today_api import Days, as_file, counted_today, items_of, listed
from app.today import GROUPS, OFFICES, SOON_DAYS

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
A_PAGE = 50
SPANS = {"0": "today only", "7": "7 days", "14": "14 days", "30": "30 days", "90": "90 days"}
MARKS = {"overdue": "▲", "undecided": "◆", "today": "●", "upcoming": "○", "ended": "■"}
"""A shape for each group beside its words, so that neither rests on a color."""
ABOUT = {
    "overdue": "Over under every reading of the law.",
    "undecided": "The Village has not decided how the law counts here: over under one reading, not under the other.",
    "today": "To the end of this day, or at the time given.",
    "upcoming": "Within the days chosen above.",
    "ended": "What was allowed is over; it is told for a week after its last day. Nobody is late by that alone.",
}


@router.api_route("/today", methods=READ, dependencies=[Depends(counted_today)])
def today_page(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    at: Text = "",
    office: Text = "",
    whom: Annotated[Text, Query(alias="person")] = "",
    kind: Text = "",
    group: Text = "",
    days: Days = SOON_DAYS,
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    format: Text = "",
) -> Response:
    """Show what is due, overdue first."""
    wanted: Json = {"office": office, "person": whom, "kind": kind, "group": group, "days": days}
    if format == "csv":
        return as_file(listed(atlas, at, **wanted, limit=0))
    if format == "pdf":
        every = listed(atlas, at, **wanted, limit=MOST)
        return list_reports.of_today(atlas.village, every, items_of(every), wanted)
    found = listed(atlas, at, **wanted, limit=A_PAGE, offset=(number - 1) * A_PAGE)
    given = {**wanted, "days": "" if days == SOON_DAYS else days, "at": at}
    lists: Json = {
        "kinds": {key: one.title for key, one in casebook.KINDS.items()},
        "spans": {**({} if str(days) in SPANS else {str(days): f"{days} days"}), **SPANS},
        "marks": MARKS,
        "about": ABOUT,
        "offices": _offices(found, office),
        "people": _people(found, whom),
    }
    counts: Json = {"pages": max(1, -(-found["total"] // A_PAGE)), "number": number, "letters": LETTERS}
    counts |= {"every": sum(one["total"] for one in found["groups"].values()), "filtered": any((office, whom, kind))}
    return page(request, "today.html", found=found, given=given, days=str(days), **lists, **counts,
                as_of=datetime.fromisoformat(found["at"]), read_day=date.fromisoformat, groups=GROUPS)  # fmt: skip


def _offices(found: Json, chosen: str) -> dict[str, str]:
    """Return the offices to choose from: those with something to do, and the one that is chosen."""
    busy = {one["office"]: f"{one['title']} ({_urgent(one)} now)" for one in found["offices"]}
    return {chosen: OFFICES.get(chosen, chosen), **busy} if chosen else busy


def _people(found: Json, chosen: str) -> dict[str, str]:
    busy = {one["person"]: f"{one['title']} ({_urgent(one)} now)" for one in found["people"]}
    return {chosen: "nobody" if chosen == "none" else chosen, **busy} if chosen else busy


def _urgent(one: Json) -> int:
    """Return how many are overdue, perhaps overdue, or due today."""
    return int(one["overdue"] + one["undecided"] + one["today"])
