"""Pages on which an officer edits the rows of a proposed Street Numbering Map: hundred, length, line, finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response

from app import edit_preview, map_edits, map_versions, registers
from app.answers import Json
from app.auth import Permission, Person
from app.deps import AtlasDep, needs
from app.errors import headers_of, status_of
from app.map_versions import Atlas
from app.maps import own_findings
from app.routes import words
from app.routes.forms import READ, Id, Text, Typed, faults_of, go, read_number, read_whole
from app.routes.rendering import local_path, page, with_query
from app.routes.strips import anchor
from app.street_plans import columns_of
from app.tables import map_edits as edits_table
from app.tables import maps
from app.village import Village
from gis.blocks import Row
from gis.edits import DECIDE, Edit
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
Editor = Annotated[Person, needs(Permission.EDIT_MAP)]
Station = Annotated[float, Form(ge=0, le=10_000_000, allow_inf_nan=False)]


@router.api_route("/maps/rows", methods=READ)
def rows_of_proposal(request: Request, person: Editor, atlas: AtlasDep, street: Text = "") -> Response:
    """Show the rows of the newest proposal; where none is open, offer to make one."""
    with atlas.database.read() as connection:
        open_ones = registers.rows(
            connection, maps, maps.c.status == "proposal", order=[maps.c.version.desc()], limit=1
        )
    if open_ones:
        return _rows_page(request, atlas, open_ones[0]["version"], street)
    return page(request, "rows_none.html", street=street, faults={}, reason="")


@router.api_route("/maps/{version}/rows", methods=READ)
def rows_page(
    request: Request,
    person: Editor,
    atlas: AtlasDep,
    version: Id,
    street: Text = "",
    done: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """Show a street's rows of a proposal, each with what can be edited."""
    return _rows_page(request, atlas, version, street, done=done)


def _rows_page(
    request: Request, atlas: Atlas, version: int, street: str, status: int = HTTPStatus.OK, **given: Any
) -> Response:
    with atlas.database.read() as connection:
        row = registers.get(connection, maps, version)
        village = atlas.at(connection, version)
        mine = edits_table.c.map_version == version
        edits = registers.rows(connection, edits_table, mine, order=[edits_table.c.id.desc()])
        unmatched = [e["id"] for e in map_versions.unmatched_edits(connection, village, version)]
    name = village.street_name(street) if street else ""
    shown: Json = {"faults": {}, "form": {}, "at": "", "done": "", **given}
    shown |= {"row": row, "street": name, "streets": village.streets, "derived": village, "unmatched": unmatched}
    shown |= {"about": next((s for s in village.streets if s.name == name), None), "edit_words": words.edit_words}
    shown |= {"rows": [editable(village, r) for r in village.rows_of(name)], "edits": edits}
    return page(request, "rows.html", status, **shown)


def editable(village: Village, row: Row) -> Json:
    """Say what an officer may edit of a row.

    Parameters
    ----------
    village
        Of the map's version.
    row
        The row.

    Returns
    -------
    dict
        The row, its findings to ``decide``, whether the block line at its end may be ``removable``: one that only
        a street extended makes; whether those at both its ends may be one (``mergeable``); and where lines were
        ``left_out``.
    """
    law = village.law.numbering
    whole = village.map.halves[row.half].findings if row.block == 0 else ()
    open_ones = {f.code: f for f in (*whole, *own_findings(village, row))}
    last = max(r.block for r in village.map.rows if r.half == row.half)
    return {
        "row": row,
        "key": anchor(row),
        "numbers": (row.hundred + law.first_even, row.hundred + law.hundred - 1),
        "tail_ft": row.tail_ft(law),
        "decide": [
            (code, finding.kind.title, finding.message)
            for code, finding in open_ones.items()
            if str(finding.kind.severity) != "stop"
        ],
        "removable": not (row.to_built or row.virtual) and row.block < last,
        "mergeable": not row.virtual and row.length_ft < village.network.reading.phantom_ft,
        "left_out": [f.values["at_ft"] for f in row.findings if f.code == "PHANTOM"],
    }


READERS: Mapping[str, Callable[[str, str], float]] = {
    "hundred": lambda value, _: read_whole(value, "value", "a hundred, such as 0, 100 or 200"),
    "length": lambda value, _: read_number(value, "value", "a length in feet, such as 330 or 329.5"),
    "merge_lines": lambda value, _: read_number(value, "value", "the station of the other line in feet"),
}


@router.post("/maps/{version}/edits")
def edit(
    request: Request,
    person: Editor,
    atlas: AtlasDep,
    version: Id,
    kind: Typed,
    street: Typed,
    half: Typed,
    at_ft: Station,
    path: Annotated[int, Form(ge=0, le=1000)] = 0,
    at: Typed = "",
    value: Typed = "",
    code: Typed = "",
    decision: Typed = "",
    reason: Typed = "",
    step: Typed = "",
    seen: Typed = "",
    back: Typed = "",
) -> Response:
    """Show what an edit of a row would do, and record it once that was seen; a decision moves nothing."""
    told = {"kind": kind, "value": value, "code": code, "decision": decision, "reason": reason}
    try:
        made = _read_edit(kind, (street, half, path, at_ft), value, code, decision, reason)
        if kind == DECIDE:
            with atlas.database.write() as connection:
                map_edits.record(atlas, connection, person.actor, version, made)
        else:
            place = {"street": street, "half": half, "at_ft": str(at_ft), "path": str(path), "at": at}
            asked = _shown_first(request, atlas, person, version, made, {**told, **place}, step, seen)
            if asked is not None:
                return asked
    except registers.NotFoundError:
        raise
    except StreetsError as error:
        faults = faults_of(error, ("value", "code", "decision", "reason"), "value" if kind in READERS else "reason")
        shown = {"faults": faults, "form": told, "at": f"{at}-{kind}"}
        answer = _rows_page(request, atlas, version, street, status_of(error)[0], **shown)
        answer.headers.update(headers_of(error))
        return answer
    if back:
        return go(local_path(back))
    return go(with_query(f"/maps/{version}/rows", street=street, done=kind) + f"#{at}")


def _read_edit(
    kind: str, place: tuple[str, str, int, float], value: str, code: str, decision: str, reason: str
) -> Edit:
    read = READERS.get(kind)
    number = read(value, "value") if read else 0.0
    if kind == DECIDE and not decision.strip():
        raise StreetsError.of("decision", "nothing", "what was decided, in words")
    if not reason.strip():
        raise StreetsError.of("reason", "nothing", "why the map is edited")
    return Edit(kind, *place, number, code, *(" ".join(text.split()) for text in (decision, reason)))


def _shown_first(
    request: Request, atlas: Atlas, person: Person, version: int, made: Edit, form: Json, step: str, seen: str
) -> Response | None:
    """Show what an edit would do; None once it was recorded as it was shown."""
    found = edit_preview.shown_or_recorded(atlas, person.actor, version, made, seen if step == "record" else "")
    if found is None:
        return None
    form = {name: text for name, text in form.items() if name != "reason"}
    back = with_query(f"/maps/{version}/rows", street=made.street)
    edit = {**columns_of(made), "version": version}
    what = f"{words.edit_words(edit)}: {made.side} {made.street}, {made.at_ft:,.1f} ft from the base line."
    shown = {"what": what, "button": "Record the edit", "action": f"/maps/{version}/edits", "fields": form}
    given = {"back": f"{back}#{form['at']}", "reason": made.reason, "moved": step == "record", "withdrawing": False}
    return preview_page(request, atlas, version, found, heading="What this edit would do", **shown, **given)


def preview_page(request: Request, atlas: Atlas, version: int, made: Json, **given: Any) -> Response:
    """Show what an edit, or taking one back, would do, and ask for it to be recorded."""
    with atlas.database.read() as connection:
        row = registers.get(connection, maps, version)
    said: Json = {"change": made, "row": row, "change_words": words.CHANGES, "row_changes": words.row_changes}
    return page(request, "edit_preview.html", **{"faults": {}, **said, **given})


@router.post("/maps/{version}/edits/{edit_id}/withdraw")
def unedit(
    request: Request,
    person: Editor,
    atlas: AtlasDep,
    version: Id,
    edit_id: Id,
    reason: Typed = "",
    street: Typed = "",
    step: Typed = "",
    seen: Typed = "",
) -> Response:
    """Show what taking an edit of a proposal back would do, and take it back once that was seen."""
    reason = " ".join(reason.split())
    back = with_query(f"/maps/{version}/rows", street=street) if street else f"/maps/{version}#edits"
    if step == "record" and reason:
        with atlas.database.write() as connection:
            if edit_preview.preview_withdrawal(atlas, connection, version, edit_id)["seen"] == seen:
                map_edits.withdraw_edit(atlas, connection, person.actor, edit_id, reason, version)
                return go(with_query(f"/maps/{version}/rows", street=street, done="withdrawn") if street else back)
    with atlas.database.read() as connection:
        row = map_edits.standing(connection, version, edit_id)
        found = edit_preview.preview_withdrawal(atlas, connection, version, edit_id)
    faults = {"reason": "Found nothing; expected why it is withdrawn."} if step == "record" and not reason else {}
    shown = {"what": f"{words.edit_words(row)}.", "button": "Withdraw the edit", "fields": {"street": street}}
    given = {"back": back, "reason": reason, "moved": step == "record" and not faults, "withdrawing": True}
    heading = "What withdrawing the edit would do"
    action = f"/maps/{version}/edits/{edit_id}/withdraw"
    return preview_page(request, atlas, version, found, heading=heading, action=action, faults=faults, **shown, **given)
