"""The plat book of § 288-15 I, open to everybody: an index, a page a street, PDFs, and the same by API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from app.answers import listed
from app.deps import AtlasDep, PersonDep
from app.map_versions import Atlas
from app.plat_book import LAW, Book, Street, book
from app.plat_marks import WIDTH, Box, Line, LotFront, Strip
from app.plat_page import numbers_of, side_of
from app.plat_printing import printed
from app.routes.api import answered
from app.routes.forms import READ, Text
from app.routes.listing import near
from app.routes.register_api import PROBLEMS
from app.routes.rendering import error_page, page, plat_path, with_query
from gis.errors import UnknownStreetError

router = APIRouter(responses=PROBLEMS)
Json = dict[str, Any]
Format = Annotated[Literal["json", "pdf"], Query(description="json or pdf.")]


def _pdf(atlas: Atlas, street: str = "") -> Response:
    name, body = printed(atlas, street)
    headers = {"Content-Disposition": f'inline; filename="{name}"', "Cache-Control": "no-cache"}
    return Response(body, media_type="application/pdf", headers=headers)


@router.api_route("/plat-book", methods=READ, include_in_schema=False)
def plat_book(request: Request, person: PersonDep, atlas: AtlasDep, q: Text = "", format: Text = "") -> Response:
    """List the streets of the plat book."""
    if format == "pdf":
        return _pdf(atlas)
    with atlas.database.read() as connection:
        found = book(atlas, connection)
    wanted = q.casefold().strip()
    streets = [street for street in found.streets if wanted in street.about.name.casefold()]
    return page(request, "plat_book.html", book=found, streets=streets, q=q, law_words=LAW)


@router.api_route("/plat-book/{name:path}", methods=READ, include_in_schema=False)
def plat_street(request: Request, person: PersonDep, atlas: AtlasDep, name: str, format: Text = "") -> Response:
    """Show one street's page of the plat book; any spelling leads to the official one."""
    village = atlas.village
    try:
        official = village.street_name(name)
    except UnknownStreetError as error:
        return error_page(request, HTTPStatus.NOT_FOUND, "No such street", error.message, near=near(village, name))
    if official != name:
        return RedirectResponse(with_query(plat_path(official), format=format), HTTPStatus.MOVED_PERMANENTLY)
    if format == "pdf":
        return _pdf(atlas, official)
    with atlas.database.read() as connection:
        found = book(atlas, connection, (official,))
    street = found.streets[0]
    shown: Json = {"book": found, "street": street, "strips": [_svg(strip) for strip in street.strips]}
    shown |= {"lots": [_lot(found, lot) for lot in street.lots], "sides": _sides(found, street)}
    return page(request, "plat_street.html", width=WIDTH, **shown)


def _svg(strip: Strip) -> Json:
    """Return a strip's marks as its drawing needs them: the lines of one role are one path."""
    paths: dict[str, list[str]] = {}
    boxes, texts = [], []
    for mark in strip.marks:
        if isinstance(mark, Line):
            paths.setdefault(mark.role, []).append(f"M{mark.x1:.1f} {mark.y1:.1f}L{mark.x2:.1f} {mark.y2:.1f}")
        elif isinstance(mark, Box):
            boxes.append(mark)
        else:
            texts.append(mark)
    lines = {role: "".join(parts) for role, parts in paths.items()}
    return {"strip": strip, "paths": lines, "boxes": boxes, "texts": texts}


def _lot(found: Book, lot: LotFront) -> Json:
    known = {**asdict(lot), "side": side_of(found, lot.half, even=lot.even), "words": numbers_of(lot)}
    return {**known, "half": found.village.map.halves[lot.half].name}


def _sides(found: Book, street: Street) -> Mapping[str, list[Any]]:
    """Return the numbers in use by half and side, outward."""
    sides: dict[str, list[Any]] = {}
    for one in street.given:
        sides.setdefault(side_of(found, one.half, even=one.even), []).append(one)
    return sides


@router.get("/api/v1/plat-book", summary="The plat book: its streets, or the whole as a PDF")
def api_plat_book(person: PersonDep, atlas: AtlasDep, format: Format = "json") -> Response:
    """List the streets of the plat book, or send it as a PDF."""
    if format == "pdf":
        return _pdf(atlas)
    with atlas.database.read() as connection:
        found = book(atlas, connection)
    items = [
        {
            "street": s.about.name,
            "name_status": s.about.name_status,
            "halves": s.about.halves,
            "blocks": len(s.rows),
            "numbers": len(s.given) + len(s.unplaced),
            "lots": len({lot.parcel for lot in s.lots}),
        }
        for s in found.streets
    ]
    return answered({"items": items, **_about(found)})


@router.get("/api/v1/plat-book/{name:path}", summary="One street of the plat book, or its pages as a PDF")
def api_plat_street(name: str, person: PersonDep, atlas: AtlasDep, format: Format = "json") -> Response:
    """Give a street's numbers in use and its lots with the numbers they embrace, or send its pages as a PDF."""
    if format == "pdf":
        return _pdf(atlas, name)
    with atlas.database.read() as connection:
        found = book(atlas, connection, (atlas.now(connection).street_name(name),))
    street, halves = found.streets[0], found.village.map.halves
    numbers = [
        {
            "id": g.id,
            "number": g.text,
            "address": g.full,
            "status": g.status,
            "half": halves[g.half].name if g.half >= 0 else None,
            "parity": ("even" if g.even else "odd") if g.half >= 0 else None,
            "station_ft": round(g.station_ft, 2) if g.half >= 0 else None,
        }
        for g in (*street.given, *street.unplaced)
    ]
    lots = [{**asdict(lot), "half": halves[lot.half].name} for lot in street.lots]
    findings = [{"where": where, **listed([finding])[0]} for where, finding in street.findings]
    about = {"street": street.about.name, "numbers": numbers, "lots": lots, "findings": findings}
    return answered({**about, **_about(found)})


def _about(found: Book) -> Json:
    edition = found.village.edition
    return {
        "number": found.number,
        "map_version": edition.version if edition else None,
        "draft": not (edition and edition.adopted),
        "law_date": str(found.village.law.day),
        "audit_head": found.head,
        "as_of": found.as_of.isoformat() if found.as_of else None,
    }
