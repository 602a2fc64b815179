"""Pages: read what is asked, call one function, render."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles
from xstatic.pkg import leaflet

from app import maps, slips
from app.answers import BLOCK_COLUMNS, as_csv, block_cells
from app.auth import PUBLIC, Permission
from app.deps import AtlasDep, VillageDep, identify
from app.law import LegalValue
from app.published import compared
from app.routes import listing
from app.routes.address_pages import nearby, registered
from app.routes.asked import asked, found_by
from app.routes.face_pages import names_of
from app.routes.notices import notices
from app.routes.rendering import STATIC, SafeHeaders, error_page, install_errors, page, script, street_path
from app.routes.strips import anchor, strips
from app.village import Village
from gis.errors import UnknownStreetError

STREETS_A_PAGE, FINDINGS_A_PAGE = 50, 60

Text = Annotated[str, Query(max_length=200)]
PageNumber = Annotated[int, Query(ge=1, le=100_000, alias="page")]


def install(app: FastAPI) -> None:
    """Add the pages to an application, with their headers and error pages, and draw the first map."""
    install_errors(app)
    app.add_middleware(SafeHeaders)
    app.mount("/static/leaflet", StaticFiles(directory=Path(leaflet.BASE_DIR)), name="leaflet")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    handlers: dict[str, Callable[..., Any]] = {
        **{"/": home, "/map.js": map_js, "/find": find, "/streets": streets, "/streets/{name:path}": street},
        **{"/findings": findings, "/published": published, "/law": law, "/help": help_page, "/api": api_page},
    }
    methods = ["GET", "HEAD"]
    for path, handler in handlers.items():
        app.add_api_route(path, handler, methods=methods, include_in_schema=False, dependencies=[Depends(identify)])
    maps.map_script(app.state.atlas.village)


def home(request: Request, village: VillageDep) -> Response:
    """Show the map, and the answer where the address asks for one."""
    return _map_page(request, village, asked(village, request.query_params))


def find(request: Request, atlas: AtlasDep, q: Text = "") -> Response:
    """Go where a typed street, address or position is; an address of the register goes before its place."""
    village = atlas.village
    target = found_by(village, q, lambda: registered(atlas, village, q), lambda: nearby(atlas, village, q))
    if isinstance(target, str):
        return RedirectResponse(target, HTTPStatus.SEE_OTHER)
    return _map_page(request, village, target)


def _map_page(request: Request, village: Village, found: Any) -> Response:
    focus = maps.bounds(village, found.street) if found.street and not found.faults else None
    person = getattr(request.state, "person", PUBLIC)
    may_assign = "may" if person.may(Permission.ASSIGN) else "" if person.known else "sign in"
    data = {
        "village": f"Village of {village.files.settings.name}",
        "position": found.position,
        "street": found.street,
        "answer": found.answer,
        "focus": focus,
        "last_unit": village.law.numbering.last_unit,
        "views": {"all": maps.bounds(village), "core": maps.core(village)},
        "assign": may_assign,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if found.faults else HTTPStatus.OK
    shown: dict[str, Any] = {
        "asked": found,
        "data": data,
        "script": maps.map_script(village),
        "needles": maps.needles(village),
        "may_assign": may_assign,
        "notices": notices(request),
    }
    return page(request, "home.html", status, **shown)


async def map_js(request: Request, village: VillageDep, street: Text = "") -> Response:
    """Send the script that folium wrote for the village's map or a street's."""
    return script(request, maps.map_script(village, village.street_name(street) if street else ""))


async def streets(
    request: Request, village: VillageDep, q: Text = "", sort: Text = "name", number: PageNumber = 1, format: Text = ""
) -> Response:
    """List the streets."""
    found = listing.streets(village, q, sort)
    if format == "csv":
        return _csv(listing.streets_csv(village, found), "streets.csv")
    part, pages = _part(found, number, STREETS_A_PAGE)
    shown: dict[str, Any] = {"found": part, "total": len(found), "pages": pages, "number": number, "q": q, "sort": sort}
    return page(request, "streets.html", base_lines=listing.base_lines, **shown)


def street(request: Request, atlas: AtlasDep, name: str, format: Text = "", done: Text = "") -> Response:
    """Show one street's blocks; any spelling leads to the official one."""
    village = atlas.village
    try:
        official = village.street_name(name)
    except UnknownStreetError as error:
        near = listing.near(village, name)
        return error_page(request, HTTPStatus.NOT_FOUND, "No such street", error.message, near=near)
    if official != name:
        return RedirectResponse(
            street_path(official) + ("?format=csv" if format == "csv" else ""), HTTPStatus.MOVED_PERMANENTLY
        )
    if format == "csv":
        return _csv(as_csv(BLOCK_COLUMNS, [block_cells(row) for row in village.rows_of(official)]), "blocks.csv")
    with atlas.database.read() as connection:
        known = names_of(connection, village, official)
    return page(request, "street.html", done=done, **known, **_street(village, official))


def _street(village: Village, name: str) -> dict[str, Any]:
    """Gather what a street's page shows."""
    rows = village.rows_of(name)
    return {
        "street": next(s for s in village.streets if s.name == name),
        "street_findings": listing.street_findings(village, name),
        "rows": rows,
        "own": {id(row): maps.own_findings(village, row) for row in rows},
        "marks": {id(m.row): m for m in maps.marks(village)},
        "row_id": id,
        "anchor": anchor,
        "strips": strips(village, name),
        "script": maps.map_script(village, name),
        "needles": maps.needles(village),
        "base_lines": listing.base_lines,
    }


async def findings(
    request: Request,
    village: VillageDep,
    kind: Text = "",
    street: Text = "",
    severity: Text = "",
    number: PageNumber = 1,
    format: Text = "",
) -> Response:
    """List the findings by kind."""
    every = listing.entries(village)
    found = listing.chosen(every, kind, street, severity)
    if format == "csv":
        return _csv(listing.findings_csv(found), "findings.csv")
    part, pages = _part(found, number, FINDINGS_A_PAGE)
    shown: dict[str, Any] = {
        "found": part,
        "total": len(found),
        "pages": pages,
        "number": number,
        "kinds": listing.kinds(every),
    }
    asked_for: dict[str, Any] = {"kind": kind, "street": street, "severity": severity}
    return page(request, "findings.html", severities=listing.SEVERITIES, anchor=anchor, **shown, **asked_for)


async def published(request: Request, village: VillageDep) -> Response:
    """Hold the published addresses against their faces."""
    return page(request, "published.html", compared=compared(village))


async def law(request: Request, village: VillageDep) -> Response:
    """Show every legal number with its section and sentence, in the order of the sections; and the text's slips."""
    return page(request, "law.html", values=sorted(village.law.values, key=_place_of), slips=slips.every())


def _place_of(value: LegalValue) -> list[str]:
    """Return by what a number stands where its section does: § 288-9 before § 288-12."""
    return [part.rjust(4) for part in re.findall(r"[0-9]+|[A-Za-z]", value.section)]


async def help_page(request: Request, village: VillageDep) -> Response:
    """Say what the service answers and what it refuses to guess."""
    return page(request, "help.html")


async def api_page(request: Request, village: VillageDep) -> Response:
    """List what the API offers, from its own description."""
    base = str(request.base_url).rstrip("/")
    return page(request, "api.html", calls=listing.calls(request.app.openapi(), base, village), base=base)


def _part(found: list[Any], number: int, size: int) -> tuple[list[Any], int]:
    """Return one page of a list and how many there are."""
    return found[(number - 1) * size : number * size], max(1, -(-len(found) // size))


def _csv(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)
