"""The page for the county's integrator: each lookup with a line to run, what it answers, and who asked what today."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Request, Response
from fastapi import Path as PathParameter

from app.auth import Permission, Person
from app.deps import PersonDep, SettingsDep, VillageDep, needs
from app.dispatch import MOST_FT
from app.matching import ELEMENTS
from app.registers import NotFoundError
from app.routes.forms import READ
from app.routes.lookups import LOG_DAYS, LOG_FOLDER
from app.routes.rendering import page
from app.village import LONLAT, Village

router = APIRouter(include_in_schema=False)
LATEST = 20
Day = Annotated[date, PathParameter()]
Auditor = Annotated[Person, needs(Permission.READ_AUDIT)]


def examples(village: Village) -> list[tuple[str, str, str]]:
    """Return lookups to try: name, what it is for, path and query on the village's own streets."""
    base = village.network.base_name("NS")
    lines = [p.line for p in village.network.pieces if p.name == base]
    point = lines[0].interpolate(0.5, normalized=True)
    lon, lat = village.out_of_feet(LONLAT)(point.x, point.y)
    half = village.rows_of(base)[0].side
    text = f"{village.law.numbering.first_even}%20{half}%20{base.replace(' ', '%20')}"
    return [
        ("Validate", "Is this an address, and which part of it is wrong?", f"validate?address={text}"),
        ("Locate", "Where is it, how is that known, between which streets?", f"locate?address={text}"),
        ("Nearest", "What is near this place?", f"nearest?lat={lat:.6f}&lon={lon:.6f}&radius_ft=1000"),
        ("Changes", "What changed since I last asked?", "changes?since=0&limit=10"),
    ]


@router.api_route("/911", methods=READ)
def county(request: Request, person: PersonDep, village: VillageDep, settings: SettingsDep) -> Response:
    """Show how to ask the lookups; officers also see who asked what today."""
    today = datetime.now(UTC).date()
    shown: dict[str, Any] = {"examples": examples(village), "elements": ELEMENTS, "today": today, "asked": None}
    shown |= {"base": str(request.base_url).rstrip("/"), "rate": settings.lookup_rate, "most_ft": MOST_FT}
    shown |= {"days": LOG_DAYS}
    if person.may(Permission.READ_AUDIT):
        shown["asked"] = asked(settings.state_dir / LOG_FOLDER / f"{today}.jsonl")
    return page(request, "county.html", **shown)


def asked(file: Path) -> dict[str, Any]:
    """Return how many requests a day's log has, by key and answer, and the latest of them."""
    lines = file.read_bytes().splitlines() if file.exists() else []
    counts: Counter[tuple[str, str, int]] = Counter()
    for line in lines:
        one = orjson.loads(line)
        counts[one["name"] or "no key", one["path"].rpartition("/")[2], one["status"]] += 1
    latest = [orjson.loads(line) for line in reversed(lines[-LATEST:])]
    return {"total": len(lines), "counts": sorted(counts.items()), "latest": latest}


@router.api_route("/911/log/{day}.jsonl", methods=READ)
def county_log(day: Day, person: Auditor, settings: SettingsDep) -> Response:
    """Send a day's log of the lookups, one request a line."""
    file = settings.state_dir / LOG_FOLDER / f"{day}.jsonl"
    if not file.exists():
        raise NotFoundError.of("day", str(day), "a day on which 911 lookups were asked")
    name = f"911-{day}.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(file.read_bytes(), media_type="application/x-ndjson", headers=headers)
