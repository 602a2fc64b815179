"""Page and API of the audit of existing numbers: how each stands, which rows are out of order, what would mend them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from app import existing, existing_told, fishbone
from app.answers import as_csv
from app.auth import Permission, Person
from app.deps import AtlasDep, needs
from app.maps import needles
from app.routes.api import answered
from app.routes.forms import READ, PageNumber, Text, csv_file, part
from app.routes.register_api import PROBLEMS
from app.routes.rendering import page, sent, with_query

router = APIRouter(responses=PROBLEMS)
Json = dict[str, Any]
A_PAGE, ROWS_A_PAGE = 50, 5
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]

WORDS: Mapping[str, tuple[str, str]] = {
    "conforming": ("Conforming", "the number that § 288-15 gives the entrance"),
    "chosen": ("Chosen", "another, chosen by an officer or given because the computed one was held"),
    "off": ("Off by units", "right block and side, another unit of frontage (D)"),
    "parity": ("Wrong parity", "odd on the even side, or even on the odd side (E)"),
    "block": ("Wrong block", "of another hundred (D)"),
    "half": ("Wrong half", "of the other side of the base line (C)"),
    "unplaceable": ("Unplaceable", "the ordinance gives its entrance no number"),
    "order": ("Out of order", "one of the fewest to change for its row to rise (E); also counted in its own kind"),
    "wrong": ("All that do not conform", ""),
}
"""What kinds are called, and what each means."""
SORTS = {"place": "along the streets", "-off": "farthest off first", "number": "by number"}


@router.api_route("/audit-numbers", methods=READ, include_in_schema=False)
def audit_numbers(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    kind: Text = "wrong",
    street: Text = "",
    half: Text = "",
    sort: Text = "place",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    rows: PageNumber = 1,
    format: Text = "",
) -> Response:
    """List how the numbers that buildings have stand under the map in force."""
    with atlas.database.read() as connection:
        found = existing.report(atlas, connection)
        sieve = existing.sieve_of(found.village, kind, street, half, sort)
        places = existing.chosen(found, sieve).tolist()
        if format == "csv":
            lines = existing_told.cells(connection, found, places)
            return csv_file(as_csv(existing_told.COLUMNS, lines, spreadsheet=True), "audit-numbers.csv")
        some, pages = part(places, number, A_PAGE)
        items = existing_told.shown(connection, found, some)
        broken = existing.rows_on(found, sieve.street)
        some_rows, row_pages = part(broken, rows, ROWS_A_PAGE)
        disorders = existing_told.disorders(connection, found, some_rows)
    given = {"kind": sieve.kind, "street": sieve.street, "half": sieve.half, "sort": sieve.sort}
    shown: Json = {"items": items, "total": len(places), "number": number, "pages": pages, "given": given}
    shown |= {"counts": found.counts, "whole": len(found.ids), "words": WORDS, "sorts": SORTS}
    shown |= {"disorders": disorders, "row_number": rows, "row_pages": row_pages, "row_total": len(broken)}
    shown |= {"needles": needles(found.village), "drawn": min(len(places), fishbone.MOST), "colours": fishbone.COLOURS}
    script = with_query("/audit-numbers/map.js", **given)
    return page(request, "audit_numbers.html", script=script, **shown)


@router.api_route("/audit-numbers/map.js", methods=READ, include_in_schema=False)
def audit_numbers_map(
    request: Request, person: Reader, atlas: AtlasDep, kind: Text = "", street: Text = "", half: Text = ""
) -> Response:
    """Send the script of the map with the lines of the numbers wanted."""
    with atlas.database.read() as connection:
        found = existing.report(atlas, connection)
        sieve = existing.sieve_of(found.village, kind, street, half, "")
        made = fishbone.fishbone_script(connection, found, existing.chosen(found, sieve).tolist(), sieve.street)
    media = "text/javascript; charset=utf-8"
    return sent(request, made.body, media, packed=made.packed, tag=made.tag, cache_control="private, no-cache")


Kind = Annotated[
    Literal["", "conforming", "chosen", "off", "parity", "block", "half", "unplaceable", "order", "wrong"],
    Query(description="Only these; `wrong` for all that neither conform nor were chosen; empty for all."),
]
Name = Annotated[str, Query(max_length=200)]


@router.get("/api/v1/existing", summary="How the numbers that buildings have stand under the map in force")
def api_existing(
    person: Reader,
    atlas: AtlasDep,
    kind: Kind = "",
    street: Name = "",
    half: Name = "",
    sort: Annotated[Literal["place", "-off", "number"], Query()] = "place",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0, le=2_000_000_000)] = 0,
    format: Annotated[Literal["json", "csv", "geojson"], Query(description="json, csv or geojson.")] = "json",
) -> Response:
    """List numbers with their kind, the computed number, and the lines to their street and place; CSV is whole."""
    with atlas.database.read() as connection:
        found = existing.report(atlas, connection)
        places = existing.chosen(found, existing.sieve_of(found.village, kind, street, half, sort)).tolist()
        if format == "csv":
            lines = existing_told.cells(connection, found, places)
            return csv_file(as_csv(existing_told.COLUMNS, lines, spreadsheet=True), "audit-numbers.csv")
        if format == "geojson":
            layers = fishbone.fishbone(connection, found, places[offset : offset + limit])
            features = [feature for name in fishbone.LAYERS[:2] for feature in layers[name]["features"]]
            return answered({"type": "FeatureCollection", "features": features}, media="application/geo+json")
        items = existing_told.shown(connection, found, places[offset : offset + limit])
    about = {"total": len(places), "offset": offset, "limit": limit, "counts": found.counts}
    return answered({"items": items, **about, "map_version": _version(found)})


@router.get("/api/v1/existing/rows", summary="Rows of numbers out of order, and the fewest changes that mend each")
def api_existing_rows(person: Reader, atlas: AtlasDep, street: Name = "") -> Response:
    """List the rows that do not rise outward (§ 288-15 E)."""
    with atlas.database.read() as connection:
        found = existing.report(atlas, connection)
        name = found.village.street_name(street) if street else ""
        items = existing_told.disorders(connection, found, existing.rows_on(found, name))
    return answered({"items": items, "map_version": _version(found)})


def _version(found: existing.Report) -> int | None:
    return found.village.edition.version if found.village.edition else None
