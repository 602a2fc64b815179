"""Pages of cross-sections: the table, what holds for each block, and the form that changes a row after it was drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from fastapi import APIRouter, Request, Response

from app import registers, section_edits
from app.answers import as_csv
from app.auth import Permission, Person, new_token
from app.changes import StateError, needs_reason
from app.columns import canonical
from app.cross_sections import COLUMNS, Section
from app.deps import AtlasDep, PersonDep
from app.errors import status_of
from app.map_versions import Atlas
from app.once import RepeatedError
from app.people import ChangedMeanwhileError
from app.routes.case_pages import Sent
from app.routes.forms import READ, Id, PageNumber, Text, csv_file, faults_of, go, part
from app.routes.rendering import page, with_query
from app.routes.right_of_way_api import Editor, is_officer
from app.routes.section_drawing import doubts, drawing, side_words
from app.section_edits import BlockHeld, Kept, Key
from app.street_objects import asking
from app.village import Village
from gis.errors import Fault, StreetsError

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
A_PAGE = 50
SORTS: Mapping[str, str] = MappingProxyType(
    {"": "street and block", "row": "width of the right-of-way", "pavement": "width of the travelled way",
     "accuracy": "the least exact first", "changed": "last changed first"}
)  # fmt: skip
BLOCK_COLUMNS = ("street", "half", "block", "hundred", "row", *COLUMNS[3:], "made_at", "made_by")
DONE = {"saved": "Saved: the map is drawn by it.", "retired": "Taken back: the wider row holds.",
        "restored": "Restored: it holds again."}  # fmt: skip


def place_words(village: Village, key: Key) -> str:
    """Return a street, half or block as people call it."""
    street, half, block = key
    if not street:
        return "Every street that has no row of its own"
    if block is None:
        return f"{half} {street}" if half else street
    hundred = next((r.hundred for r in village.rows_of(street) if (r.side, r.block) == (half, block)), None)
    named = f"block {block}" if hundred is None else f"{hundred} block" if hundred else "first block"
    return f"{half} {street}, {named}"


def edit_path(key: Key) -> str:
    """Return the address of the form that changes what a street, half or block has."""
    street, half, block = key
    return with_query("/right-of-way/sections/edit", street=street, half=half, block=block)


# --- the table ---


@router.api_route("/right-of-way/sections", methods=READ)
def section_list(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    q: Text = "",
    sort: Text = "",
    number: PageNumber = 1,
    format: Text = "",
    done: Text = "",
) -> Response:
    """List the rows of the table, and which holds for each block."""
    village = atlas.village
    if sort not in SORTS:
        raise StreetsError.of("sort", sort, f"one of {', '.join(filter(None, SORTS))}")
    with atlas.database.read() as connection:
        rows = section_edits.table(connection, village)
    every = section_edits.blocks(village, rows)
    sought = " ".join(q.split()).casefold()
    found = [one for one in every if sought in f"{one.block.side} {one.block.street}".casefold()]
    if sort:
        found.sort(key=lambda one: _order(sort, one))
    if format == "csv":
        officer = is_officer(person)
        return csv_file(as_csv(BLOCK_COLUMNS, [_cells(one, officer) for one in found], spreadsheet=True), "blocks.csv")
    some, pages = part(found, number, A_PAGE)
    own = [kept for kept in rows if not sought or sought in f"{kept.section.half} {kept.section.street}".casefold()]
    shown: Json = {"rows": own, "found": some, "total": len(found), "number": number, "pages": pages, "sorts": SORTS}
    shown |= {"given": {"q": q, "sort": sort}, "place": lambda key: place_words(village, key), "edit": edit_path}
    shown |= {"side": side_words, "officer": is_officer(person), "may": person.may(Permission.EDIT_SECTIONS)}
    return page(request, "cross_sections.html", done=DONE.get(done, ""), **shown)


def _order(sort: str, one: BlockHeld) -> float:
    if one.kept is None:
        return 1e18
    across, row = one.kept.section.across, one.kept.row
    if sort == "changed":
        return -row["made_at"].timestamp() if row else 0.0
    value = {"row": across.row_width_ft, "pavement": across.pavement_width_ft, "accuracy": -across.accuracy_ft}
    return float(value[sort])


def _cells(one: BlockHeld, officer: bool) -> list[str]:
    own = [one.block.street, one.block.side, str(one.block.block), str(one.block.hundred)]
    if one.kept is None:
        return [*own, *[""] * (len(BLOCK_COLUMNS) - len(own))]
    cells, row = one.kept.section.cells, one.kept.row
    made = [row["made_at"].isoformat() if row else "", row["made_by"] if row and officer else ""]
    return [*own, one.kept.section.place, *(cells[column] for column in COLUMNS[3:]), *made]


# --- the form ---


@router.api_route("/right-of-way/sections/edit", methods=READ)
def edit_page(
    request: Request,
    person: Editor,
    atlas: AtlasDep,
    street: Text = "",
    half: Text = "",
    block: Text = "",
    part: Text = "",
) -> Response:
    """Show the form of a street, its half or one block."""
    if part:
        half, _, block = part.partition(" ")
        return go(with_query("/right-of-way/sections/edit", street=street, half=half, block=block))
    return _form(request, atlas, section_edits.key_of(atlas.village, {"street": street, "half": half, "block": block}))


@router.post("/right-of-way/sections/edit")
def edit(request: Request, person: Editor, atlas: AtlasDep, sent: Sent) -> Response:
    """Draw what is typed, and save it once it was seen so."""
    village, cells = atlas.village, {column: sent.get(column, "") for column in COLUMNS}
    key = section_edits.key_of(village, cells)
    by, reason = asking(atlas, person, sent.get("token", "")[:200]), sent.get("reason", "")
    try:
        section = _read(village, cells, by.today, reason)
        if sent.get("seen") != _digest(cells):
            return _form(request, atlas, key, sent, seen=section)
        section_edits.save(by, {**cells, "reason": reason, "was": sent.get("was", "")[:64]})
    except RepeatedError:
        return go(edit_path(key))
    except StreetsError as error:
        return _form(request, atlas, key, sent, error)
    return go(with_query("/right-of-way/sections", q=f"{section.half} {section.street}".strip(), done="saved"))


def _read(village: Village, cells: Mapping[str, str], today: date, reason: str) -> Section:
    """Read the cells and the reason, telling the faults of both."""
    faults: list[Fault] = []
    try:
        needs_reason(reason)
    except StreetsError as error:
        faults += error.faults
    try:
        section = section_edits.read(village, cells, today)
    except StreetsError as error:
        raise StreetsError(error.message, [*error.faults, *faults]) from error
    if faults:
        raise StreetsError("The cross-section cannot be saved.", faults)
    return section


@router.post("/right-of-way/sections/{section_id}/retire")
def section_retire(request: Request, person: Editor, atlas: AtlasDep, section_id: Id, sent: Sent) -> Response:
    """Take a row back."""
    return _acted(request, atlas, person, section_id, "retire", sent)


@router.post("/right-of-way/sections/{section_id}/restore")
def section_restore(request: Request, person: Editor, atlas: AtlasDep, section_id: Id, sent: Sent) -> Response:
    """Let a row hold again."""
    return _acted(request, atlas, person, section_id, "restore", sent)


def _acted(
    request: Request, atlas: Atlas, person: Person, section_id: int, act: str, sent: Mapping[str, str]
) -> Response:
    by, reason = asking(atlas, person, sent.get("token", "")[:200]), sent.get("reason", "")
    key = _kept(atlas, section_id).section.key
    try:
        if act == "retire":
            section_edits.retire(by, section_id, reason, sent.get("was", "")[:64])
        else:
            section_edits.restore(by, section_id, reason)
    except RepeatedError:
        return go(edit_path(key))
    except StreetsError as error:
        faults = {f"{act}-{section_id}": faults_of(error, ()).get("", error.message)}
        return _form(request, atlas, key, error=error, about=faults)
    return go(with_query("/right-of-way/sections", done="retired" if act == "retire" else "restored"))


def _kept(atlas: Atlas, section_id: int) -> Kept:
    with atlas.database.read() as connection:
        rows = section_edits.table(connection, atlas.village, retired=True)
    found = next((kept for kept in rows if kept.section.id == section_id), None)
    if found is None:
        raise registers.NotFoundError.of("id", str(section_id), "the id of a row of cross-sections")
    return found


def _digest(cells: Mapping[str, str]) -> str:
    """Return by what a form is known to be as it was drawn."""
    return hashlib.sha256(canonical(dict(cells)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _form(
    request: Request,
    atlas: Atlas,
    key: Key,
    sent: Mapping[str, str] | None = None,
    error: StreetsError | None = None,
    seen: Section | None = None,
    about: Mapping[str, str] | None = None,
) -> Response:
    """Render the form with what was typed or what stands, its drawing, and the rows there were before."""
    village = atlas.village
    with atlas.database.read() as connection:
        rows = section_edits.table(connection, village, retired=True)
    sections = [kept.section for kept in rows if kept.standing]
    own, wider = section_edits.held(sections, key), section_edits.wider(sections, key)
    stale = isinstance(error, ChangedMeanwhileError | StateError)
    form, was = _shown(own, wider), section_edits.version(own)
    if sent is not None and not stale:
        form, was = {name: sent.get(name, "") for name in (*COLUMNS, "reason")}, sent.get("was", "")
    told = {} if about or error is None else faults_of(error, (*COLUMNS, "reason"))
    told = {"": error.message} if error and stale and not about else told
    drawn = seen or (own if sent is None or stale else None) or (wider if sent is None else None)
    shown: Json = {"key": key, "form": form, "was": was, "faults": told, "about": about or {}, "own": own}
    shown |= {"seen": _digest({c: form[c] for c in COLUMNS}) if seen else "", "drawn": drawn and drawing(drawn.across)}
    shown |= {"doubts": doubts(seen) if seen else [], "wider": wider, "parts": _parts(village, key[0])}
    shown |= {"before": [kept for kept in rows if kept.section.key == key], "place": place_words(village, key)}
    shown |= {"wide": place_words(village, wider.key) if wider else "", "token": new_token(), "side": side_words}
    shown |= {"version": section_edits.version}
    status = status_of(error)[0] if error else HTTPStatus.OK
    return page(request, "cross_section_edit.html", status, **shown)


def _shown(own: Section | None, wider: Section | None) -> dict[str, str]:
    """Return what the form begins with: the row that stands there, else the wider one's widths."""
    if own is not None:
        return {**own.cells, "reason": ""}
    cells = wider.cells if wider else dict.fromkeys(COLUMNS, "")
    return {**cells, "source": "", "surveyed_on": "", "reason": ""}


def _parts(village: Village, street: str) -> Sequence[tuple[str, str]]:
    """Return the halves and blocks of a street as a form's choices."""
    if not street:
        return []
    rows = village.rows_of(street)
    found = {"": f"All of {street}"}
    for half in dict.fromkeys(row.side for row in rows):
        found[half] = f"All of {half} {street}"
        for row in rows:
            if row.side == half:
                name = place_words(village, (street, half, row.block))
                ends = " and ".join(filter(None, (" ".join(row.from_streets[:1]), " ".join(row.to_streets[:1]))))
                found[f"{half} {row.block}"] = f"{name}: {ends}" if ends else name
    return list(found.items())
