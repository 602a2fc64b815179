"""The map editor: the map is the page, the panel beside it edits streets; and the findings as a list to work off."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Annotated, Any

import numpy as np
import shapely
from fastapi import APIRouter, Form, Query, Request, Response
from sqlalchemy.engine import Connection

from app import edit_preview, map_versions, maps, registers, worklist
from app.answers import Json, as_csv
from app.auth import Permission, Person
from app.deps import AtlasDep, PersonDep, needs
from app.errors import headers_of, status_of
from app.map_edits import REACH_FT
from app.map_versions import Atlas
from app.naming import on_street
from app.plat_check import plat_check
from app.positions import into_feet
from app.routes import words
from app.routes.asked import read_degrees, read_pair
from app.routes.forms import READ, Id, PageNumber, Text, Typed, csv_file, faults_of, go, part
from app.routes.listing import SEVERITIES
from app.routes.rendering import page, script, with_query
from app.routes.strips import anchor
from app.street_names import present_name
from app.street_plans import columns_of
from app.tables import map_edits as edits_table
from app.tables import maps as maps_table
from app.village import LONLAT, Village
from gis.blocks import Row
from gis.errors import StreetsError
from gis.network import BLOCK_LINES, KINDS, Piece
from gis.street_edits import BASE_LINE, DRAW, NAME, NAME_STATUSES, OF_PIECES, REMOVE, StreetEdit

router = APIRouter(include_in_schema=False)
Editor = Annotated[Person, needs(Permission.EDIT_MAP)]
A_PAGE, MOST_POINTS = 50, 500
_FEET = re.compile(r"\s*(-?[0-9]{1,9}(?:\.[0-9]{1,6})?)\s*[,; ]\s*(-?[0-9]{1,9}(?:\.[0-9]{1,6})?)\s*")
_FIELDS = ("to", "street", "at", "points", "name_status", "block_line", "reason")


@router.api_route("/maps/{version}/map.js", methods=READ)
def map_script(request: Request, atlas: AtlasDep, person: PersonDep, version: Id) -> Response:
    """Send the script that folium wrote for the map of a version."""
    return script(request, maps.map_script(atlas.of(version)))


@router.api_route("/maps/{version}/editor", methods=READ)
def editor(
    request: Request,
    person: Editor,
    atlas: AtlasDep,
    version: Id,
    street: Text = "",
    at: Text = "",
    unit: Text = "degrees",
    do: Text = "",
    done: Text = "",
) -> Response:
    """Show the map of a proposal and, beside it, the street that is named or tapped with its edits."""
    faults: dict[str, str] = {}
    status: int = HTTPStatus.OK
    village = atlas.of(version)
    where: Json = {"street": street, "at": at, "unit": unit, "do": do, "done": done}
    try:
        where |= _found(village, street, at, unit)
    except StreetsError as error:
        faults, status = faults_of(error, ("at", "street")), HTTPStatus.UNPROCESSABLE_ENTITY
        where["street"] = ""
    return _editor_page(request, atlas, person, version, where, status, faults=faults)


def _found(village: Village, street: str, at: str, unit: str) -> Json:
    """Return the street and piece that a name or place means."""
    if not at.strip():
        return {"street": village.street_name(street) if street else ""}
    x, y = read_place(village, at, unit, "at")
    name = village.street_name(street) if street else ""
    door = shapely.Point(x, y)
    near = [(p.line.distance(door), k) for k, p in enumerate(village.files.pieces) if name in {"", p.name}]
    away, index = min(near)
    if away > REACH_FT:
        expected = f"a place within {REACH_FT:g} ft of {name or 'a street'}"
        raise StreetsError.of("at", f"{at}, {away:,.0f} ft from it", expected)
    piece = village.files.pieces[index]
    return {"street": piece.name, "piece": piece, "place": (x, y)}


def read_place(village: Village, text: str, unit: str, field: str) -> tuple[float, float]:
    """Read a typed place into the working CRS.

    Parameters
    ----------
    village
        The village.
    text
        Latitude and longitude, or easting and northing in feet.
    unit
        Which of both: ``"degrees"`` or ``"feet"``.
    field
        The form's field, for the fault.

    Returns
    -------
    tuple of float
        East and north, US survey feet.

    Raises
    ------
    StreetsError
        It cannot be read, or lies elsewhere.
    """
    if unit == "feet":
        found = _FEET.fullmatch(text)
        if not found:
            raise StreetsError.of(
                field, text.strip()[:60] or "nothing", "easting and northing in feet, such as 440, 330"
            )
        pair, crs = (float(found[1]), float(found[2])), village.files.settings.working_crs.text
    else:
        typed = read_pair(text)
        if not typed:
            raise StreetsError.of(
                field, text.strip()[:60] or "nothing", "latitude and longitude, such as 42.57239, -90.38710"
            )
        north, east = (read_degrees(value, axis) or 0.0 for value, axis in zip(typed, ("lat", "lon"), strict=True))
        pair, crs = (east, north), LONLAT
    try:
        return into_feet(village, *pair, crs)
    except StreetsError as error:
        told = error.faults[0] if error.faults else None
        expected = told.expected if told else "a place near the village"
        raise StreetsError.of(field, text.strip()[:60], expected) from error


@router.post("/maps/{version}/editor")
def edit_streets(
    request: Request,
    person: Editor,
    atlas: AtlasDep,
    version: Id,
    kind: Typed,
    street: Typed = "",
    at: Typed = "",
    unit: Typed = "degrees",
    which: Typed = "",
    to: Typed = "",
    name_status: Typed = "confirmed",
    block_line: Typed = "auto",
    points: Annotated[str, Form(max_length=40_000)] = "",
    reason: Typed = "",
    step: Typed = "",
    seen: Typed = "",
) -> Response:
    """Show what an edit of streets would do, and record it once that was seen."""
    given: Json = {"kind": kind, "street": street, "at": at, "unit": unit, "which": which, "to": to, "points": points}
    given |= {"name_status": name_status, "block_line": block_line, "reason": reason}
    village = atlas.of(version)
    where: Json = {"street": "" if kind == DRAW else street, "at": at, "unit": unit, "do": kind, "done": ""}
    try:
        edit = _edit_of(village, given)
        check = plat_check if kind == DRAW else edit_preview.preview
        made = edit_preview.shown_or_recorded(
            atlas, person.actor, version, edit, seen if step == "record" else "", check
        )
        if made is None:
            now = edit.to if kind == NAME and not edit.at else edit.street
            gone = kind == REMOVE and not edit.at
            return go(with_query(f"/maps/{version}/editor", street="" if gone else now, done=kind))
        faults = (
            {"reason": "Found nothing; expected why the map is edited."}
            if step == "record" and not reason.strip()
            else {}
        )
        said: Json = {"change": made, "given": given, "faults": faults, "moved": step == "record" and not faults}
        said["what"] = words.edit_words(columns_of(edit))
        where |= _found(village, where["street"], at if edit.at else "", unit)
        return _editor_page(request, atlas, person, version, where, drawn=made["edit"]["line"], **said)
    except registers.NotFoundError:
        raise
    except StreetsError as error:
        faults = faults_of(error, _FIELDS)
        faults = {("street" if key == "name" and kind == DRAW else key): text for key, text in faults.items()}
        dependents = getattr(error, "dependents", ())
        return _refused(request, atlas, person, version, where, given, error, faults, dependents)


def _refused(
    request: Request, atlas: Atlas, person: Person, version: int, where: Json, given: Json, error: StreetsError,
    faults: dict[str, str], dependents: Any,
) -> Response:  # fmt: skip
    """Show the editor again with what is wrong, what was typed and the addresses that stand in the way."""
    if where["street"]:
        try:
            where |= _found(atlas.of(version), where["street"], where["at"], where["unit"])
        except StreetsError:
            where["street"] = where["street"] if where["street"] in atlas.of(version).network.by_name else ""
    said = {"given": given, "faults": faults, "dependents": dependents}
    answer = _editor_page(request, atlas, person, version, where, status_of(error)[0], **said)
    answer.headers.update(headers_of(error))
    return answer


def _edit_of(village: Village, given: Json) -> StreetEdit:
    """Return what a form asks as the geometry core takes it."""
    kind, unit, at = given["kind"], given["unit"], given["at"].strip()
    known: Json = {"to": given["to"].strip(), "reason": " ".join(given["reason"].split())}
    if kind == DRAW:
        lines = [line for line in given["points"].splitlines() if line.strip()]
        if len(lines) > MOST_POINTS:
            raise StreetsError.of("points", f"{len(lines)} points", f"at most {MOST_POINTS}")
        line = tuple(read_place(village, text, unit, "points") for text in lines)
        if len(set(line)) < 2:
            raise StreetsError.of("points", f"{len(set(line))} points", "two or more, one a line, in their order")
        return StreetEdit(
            kind, given["street"], line=line, name_status=given["name_status"], block_line=given["block_line"], **known
        )
    whole = kind in OF_PIECES and given["which"] != "piece"
    place = None if whole or not at else read_place(village, at, unit, "at")
    if place is None and not whole and kind != BASE_LINE:
        raise StreetsError.of("at", "nothing", "a place on the street: tap the map, or type it")
    status = given["name_status"] if kind == NAME else ""
    return StreetEdit(kind, present_name(village, given["street"]), at=place, name_status=status, **known)


def _editor_page(
    request: Request,
    atlas: Atlas,
    person: Person,
    version: int,
    where: Json,
    status: int = HTTPStatus.OK,
    *,
    drawn: Any = (),
    **said: Any,
) -> Response:
    with atlas.database.read() as connection:
        row = registers.get(connection, maps_table, version)
        village = atlas.at(connection, version)
        mine = edits_table.c.map_version == version
        edits = registers.rows(connection, edits_table, mine, order=[edits_table.c.id.desc()])
        shown: Json = {
            **{"change": None, "given": {}, "faults": {}, "moved": False, "what": "", "dependents": ()},
            **{"row": row, "derived": village, "edits": edits, **_about(connection, village, where), **said},
            "unmatched": [e["id"] for e in map_versions.unmatched_edits(connection, village, version)],
        }
    shown |= {"script": maps.map_script(village), "needles": maps.needles(village), "edit_words": words.edit_words}
    shown |= {"kinds": KINDS, "block_lines": BLOCK_LINES, "statuses": NAME_STATUSES, "edit_names": words.EDITS}
    shown["pairs"] = lambda names: [(name, name) for name in names]
    shown |= {"change_words": words.CHANGES, "row_changes": words.row_changes, "where": where}
    shown["data"] = _page_data(village, version, where, drawn)
    return page(request, "editor.html", status, **shown)


def _about(connection: Connection, village: Village, where: Json) -> Json:
    """Return what is known of the street that is edited."""
    name = where["street"]
    street = next((s for s in village.streets if s.name == name), None)
    pieces = [p for p in village.files.pieces if p.name == name]
    made = village.files.settings
    bases = {made.base_ew: "the east-west base line", made.base_ns: "the north-south base line"}
    found = [i for i in worklist.items(village) if i.street == name and i.state == worklist.OPEN] if name else []
    return {
        "street": street,
        "pieces": pieces,
        "base": bases.get(name, ""),
        "numbered_from": [village.network.base_name(f) for f in street.family] if street else [],
        "in_use": len(on_street(connection, name)) if name else 0,
        "open_findings": found,
    }


def _page_data(village: Village, version: int, where: Json, drawn: Any) -> Json:
    """Return what the page's script draws, in latitude and longitude."""
    name, piece = where["street"], where.get("piece")
    own: list[Piece] = [p for p in village.files.pieces if p.name == name] if name else []
    return {
        "here": f"/maps/{version}/editor",
        "street": [_lonlat(village, p.line.coords) for p in own],
        "piece": _lonlat(village, piece.line.coords) if piece else [],
        "place": _lonlat(village, [where["place"]])[0] if where.get("place") else None,
        "drawn": _lonlat(village, drawn) if drawn else [],
        "drawing": where["do"] == DRAW,
        "focus": maps.bounds(village, name) if name else None,
        "views": {"all": maps.bounds(village), "core": maps.core(village)},
    }


def _lonlat(village: Village, coords: Any) -> list[list[float]]:
    xy = np.array([point[:2] for point in coords], dtype=np.float64)
    lon, lat = village.out_of_feet(LONLAT)(xy[:, 0], xy[:, 1])
    return np.round(np.stack([lat, lon], axis=1), maps.DIGITS).tolist()  # type: ignore[no-any-return]


# --- the findings, worked off -----------------------------------------------------------------------------------


@router.api_route("/maps/{version}/findings", methods=READ)
def findings(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    version: Id,
    kind: Text = "",
    street: Text = "",
    state: Text = worklist.OPEN,
    severity: Text = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    format: Text = "",
) -> Response:
    """List the findings of a version, each once, with the edits that settle it and a form to decide it."""
    village = atlas.of(version)
    every = worklist.items(village)
    wanted = "" if state == "all" else state
    asked = worklist.chosen(every, kind, street, wanted, severity)
    if format == "csv":
        told = as_csv(worklist.COLUMNS, map(worklist.cells, asked), spreadsheet=True)
        return csv_file(told, f"map-{version}-findings.csv")
    found, pages = part(asked, number, A_PAGE)
    with atlas.database.read() as connection:
        row = registers.get(connection, maps_table, version)
    given = {"kind": kind, "street": street, "state": state, "severity": severity}
    open_ones = sum(item.state == worklist.OPEN for item in every)
    shown: Json = {"row": row, "found": found, "total": len(asked), "number": number, "pages": pages, "given": given}
    shown |= {"kinds": worklist.kinds(every), "open_count": open_ones, "decided_count": len(every) - open_ones}
    shown |= {"derived": village, "severities": SEVERITIES, "anchor": anchor, "edit_names": words.EDITS}
    shown["of_rows"] = {"hundred", "length", "remove_line", "add_line", "merge_lines"}
    shown["place_of"] = place_of
    shown["back"] = with_query(f"/maps/{version}/findings", **given, page=number if number > 1 else "")
    return page(request, "worklist.html", **shown)


def place_of(village: Village, row: Row) -> dict[str, str]:
    """Return the middle of a row on the ground, as the editor's address names it; nothing where it is not there."""
    half = village.map.halves[row.half]
    low, high = maps.ground(half)
    near, far = max(row.from_ft, low), min(row.to_ft, high)
    if far <= near:
        return {}
    x, y = half.point((near + far) / 2)
    return {"at": f"{x:.1f}, {y:.1f}", "unit": "feet"}
