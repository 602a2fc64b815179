"""Pages of the Street Numbering Map's versions: listed, proposed, compared with the one in force, adopted, undone."""

from __future__ import annotations

import hashlib
from datetime import date
from http import HTTPStatus
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.engine import Connection

from app import adoption, changes, map_versions, registers
from app.answers import Json, as_csv
from app.auth import Permission, Person
from app.columns import canonical
from app.deps import AtlasDep, PersonDep, needs
from app.errors import headers_of, status_of
from app.law import today
from app.map_versions import Atlas
from app.routes import words
from app.routes.audit_pages import why_not_undone
from app.routes.forms import READ, Id, PageNumber, Text, Typed, csv_file, faults_of, go, joined, part, read_day
from app.routes.rendering import page, with_query
from app.tables import addresses, audit, map_edits, maps
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
A_PAGE = 50
KINDS = {
    "": "everything",
    "official": "official numbers",
    "provisional": "provisional and proposed numbers",
    "added": "new blocks",
    "removed": "blocks gone",
    "changed": "blocks changed",
}
NUMBER_COLUMNS = ("id", "address", "status", "street", "half", "number", "computed_number", "would_be")
BLOCK_COLUMNS = ("change", "street", "half", "path", "block", "hundred", "what", "before", "after")

Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
Editor = Annotated[Person, needs(Permission.EDIT_MAP)]
Adopter = Annotated[Person, needs(Permission.ADOPT_MAP)]


# --- the list -------------------------------------------------------------------------------------------------


@router.api_route("/maps", methods=READ)
def map_list(
    request: Request, person: PersonDep, atlas: AtlasDep, number: Annotated[PageNumber, Query(alias="page")] = 1
) -> Response:
    """List the versions, the newest first."""
    return _list_page(request, atlas, person, number)


@router.post("/maps")
def map_propose(
    request: Request, person: Editor, atlas: AtlasDep, reason: Typed = "", next: Typed = "", street: Typed = ""
) -> Response:
    """Propose a map of the streets as the files have them now."""
    try:
        said = changes.needs_reason(reason)
        atlas.reread()
        with atlas.database.write() as connection:
            made = map_versions.propose(atlas, connection, person.actor, said)["version"]
    except StreetsError as error:
        given = {"reason": reason, "street": street, "faults": faults_of(error, ("reason",))}
        return _list_page(request, atlas, person, 1, status_of(error)[0], **given)
    return go(with_query(f"/maps/{made}/rows", street=street) if next == "rows" else f"/maps/{made}")


def _list_page(
    request: Request, atlas: Atlas, person: Person, number: int, status: int = HTTPStatus.OK, **given: Any
) -> Response:
    news = _news(atlas) if person.may(Permission.EDIT_MAP) else None
    with atlas.database.read() as connection:
        rows = registers.rows(connection, maps, order=[maps.c.version.desc()])
        counts = {"numbers": _by_version(connection, addresses.c.map_version), "edits": _edits_by_version(connection)}
        force = map_versions.in_force(connection)
        shown, pages = part([{**row, **about(row, rows, force)} for row in rows], number, 20)
        shown = [atlas.counted(connection, row) for row in shown]
    form = {"reason": "", "street": "", "faults": {}, **given}
    return page(request, "maps.html", status, found=shown, number=number, pages=pages, news=news, counts=counts, **form)


def _by_version(connection: Connection, column: Any, *conditions: Any) -> dict[int, int]:
    asked = sa.select(column, sa.func.count()).where(*conditions).group_by(column)
    return {int(version): int(count) for version, count in connection.execute(asked)}


def _edits_by_version(connection: Connection) -> dict[int, int]:
    return _by_version(connection, map_edits.c.map_version, map_edits.c.withdrawn_at.is_(None))


def about(row: registers.Row, rows: list[registers.Row], force: int) -> Json:
    """Say what a version is, in words.

    Parameters
    ----------
    row
        The version.
    rows
        Every version.
    force
        The one in force.

    Returns
    -------
    dict
        ``tag`` in a word or two, ``state`` in a sentence, whether it is ``in_force``.
    """
    in_force = row["version"] == force
    later = [r for r in rows if r["adopted_at"] and row["adopted_at"] and r["adopted_at"] > row["adopted_at"]]
    next_one = min(later, key=lambda r: r["adopted_at"])["version"] if later else None
    tag, state = {
        "proposal": (
            ("Proposal, used until one is adopted", "Numbers are given under it meanwhile, and are provisional.")
            if in_force
            else ("Proposal", "No new number is given under it unless the Board adopts it.")
        ),
        "adopted": ("Adopted, in force", "Numbers are given under it, and are official."),
        "superseded": (
            "Superseded",
            f"Version {next_one} has taken its place. Numbers given under it stay."
            if next_one
            else "A later one has taken its place.",
        ),
        "withdrawn": ("Withdrawn", "It was taken back; numbers given under it stay."),
    }[row["status"]]
    return {"tag": tag, "state": state, "in_force": in_force}


def _news(atlas: Atlas) -> Json:
    """Say whether the village's files are others than the map in force was made of, and who proposes them already."""
    try:
        atlas.reread()
    except StreetsError as error:
        return {"changed": True, "fault": str(error), "version": 0}
    with atlas.database.read() as connection:
        force = registers.get(connection, maps, map_versions.in_force(connection))
        if not atlas.changed(connection, force):
            return {"changed": False, "fault": "", "version": 0}
        proposals = registers.rows(connection, maps, maps.c.status == "proposal", order=[maps.c.version.desc()])
        same = (row["version"] for row in proposals if not atlas.changed(connection, row))
        return {"changed": True, "fault": "", "version": next(same, 0)}


# --- one version ----------------------------------------------------------------------------------------------


@router.api_route("/maps/{version}", methods=READ)
def map_version(
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    version: Id,
    street: Text = "",
    kind: Text = "",
    official: PageNumber = 1,
    others: PageNumber = 1,
    blocks: PageNumber = 1,
) -> Response:
    """Show a version: what it is, what it would change, what stands in its way."""
    given = {"street": street, "kind": kind if kind in KINDS else ""}
    return _version_page(request, atlas, person, version, given, (official, others, blocks))


def _version_page(
    request: Request,
    atlas: Atlas,
    person: Person,
    version: int,
    given: Json,
    numbers: tuple[int, int, int] = (1, 1, 1),
    status: int = HTTPStatus.OK,
    faults: Any = None,
) -> Response:
    with atlas.database.read() as connection:
        row = registers.get(connection, maps, version)
        every = registers.rows(connection, maps)
        force = map_versions.in_force(connection)
        shown: Json = {"edits": _edits(connection, version), "compared": None, "broken": "", "unmatched": []}
        shown["given_under"] = registers.counted(connection, addresses, addresses.c.map_version == version)
        try:
            village = atlas.at(connection, version)
            shown |= {"nameless": map_versions.placeholders(village.files), "derived": village}
            shown["unmatched"] = [e["id"] for e in map_versions.unmatched_edits(connection, village, version)]
            if row["status"] == "proposal" and person.may(Permission.READ_RECORDS):
                shown["compared"] = _compared(atlas, connection, version, given, numbers)
        except StreetsError as error:
            shown |= {"broken": str(error), "nameless": [], "derived": None}
        others = registers.IS_ACTIVE, addresses.c.conforms.is_(sa.false())
        shown["differ"] = registers.counted(connection, addresses, *others) if row["status"] == "adopted" else 0
    shown |= {"kinds": KINDS, "given": given, "change_words": words.CHANGES, "row_changes": words.row_changes}
    shown |= {"edit_words": words.edit_words, "faults": faults or {}, "joined": joined, **about(row, every, force)}
    return page(request, "map_version.html", status, row=row, **shown)


def _edits(connection: Connection, version: int) -> list[registers.Row]:
    """Return a version's edits, the latest first, those withdrawn too."""
    mine = map_edits.c.map_version == version
    return registers.rows(connection, map_edits, mine, order=[map_edits.c.id.desc()])


def _sifted(made: Json, street: str, kind: str) -> tuple[list[Json], list[Json], list[Json]]:
    """Return the official numbers, the other numbers and the blocks of a comparison that are asked for."""
    numbers = [a for a in made["addresses"] if street in {"", a["street"]}]
    blocks = [b for b in made["blocks"] if street in {"", b["street"]} and kind in {"", b["change"]}]
    official = [a for a in numbers if a["status"] == "official" and kind in {"", "official"}]
    return official, [a for a in numbers if a["status"] != "official" and kind in {"", "provisional"}], blocks


def _compared(atlas: Atlas, connection: Connection, version: int, given: Json, numbers: tuple[int, int, int]) -> Json:
    made = adoption.diff(atlas, connection, version)
    streets = sorted({one["street"] for one in (*made["addresses"], *made["blocks"])})
    lists = _sifted(made, given["street"], given["kind"])
    parts = [part(found, number, A_PAGE) for found, number in zip(lists, numbers, strict=True)]
    keys = ("official", "others", "blocks")
    shown = {
        key: {"found": found, "pages": pages, "number": number, "total": len(every), "key": key}
        for key, (found, pages), number, every in zip(keys, parts, numbers, lists, strict=True)
    }
    return {**made, "lists": shown, "streets": streets}


@router.api_route("/maps/{version}/diff.csv", methods=READ)
def map_diff_csv(
    person: Reader, atlas: AtlasDep, version: Id, list: Text = "", street: Text = "", kind: Text = ""
) -> Response:
    """Send the numbers or the blocks that would change as a file."""
    with atlas.database.read() as connection:
        made = adoption.diff(atlas, connection, version)
    official, others, blocks = _sifted(made, street, kind)
    if list == "blocks":
        return csv_file(as_csv(BLOCK_COLUMNS, map(_block_cells, blocks), spreadsheet=True), f"map-{version}-blocks.csv")
    cells = (["" if a[name] is None else str(a[name]) for name in NUMBER_COLUMNS] for a in (*official, *others))
    return csv_file(as_csv(NUMBER_COLUMNS, cells, spreadsheet=True), f"map-{version}-numbers.csv")


def _block_cells(block: Json) -> list[str]:
    row, found = block["new"] or block["old"], words.row_changes(block)
    what, before, after = ("; ".join(column) for column in zip(*found, strict=True)) if found else ("", "", "")
    first = (block["change"], block["street"], block["half"], block["path"], row["block"], row["hundred"])
    return [*map(str, first), what, before, after]


@router.post("/maps/{version}/withdraw")
def map_withdraw(request: Request, person: Editor, atlas: AtlasDep, version: Id, reason: Typed = "") -> Response:
    """Withdraw a proposal."""
    try:
        with atlas.database.write() as connection:
            map_versions.withdraw(connection, person.actor, version, changes.needs_reason(reason))
    except registers.NotFoundError:
        raise
    except StreetsError as error:
        faults = {"reason": " ".join(faults_of(error, ()).values()), "text": reason}
        return _version_page(
            request, atlas, person, version, {"street": "", "kind": ""}, status=status_of(error)[0], faults=faults
        )
    return go(f"/maps/{version}")


# --- adoption -------------------------------------------------------------------------------------------------


@router.api_route("/maps/{version}/adopt", methods=READ)
def adopt_page(request: Request, person: Adopter, atlas: AtlasDep, version: Id) -> Response:
    """Ask for the Board's act."""
    return _adopt_page(request, atlas, version)


@router.post("/maps/{version}/adopt")
def adopt(
    request: Request,
    person: Adopter,
    atlas: AtlasDep,
    version: Id,
    date: Typed = "",
    act: Typed = "",
    reason: Typed = "",
    step: Typed = "",
    seen: Typed = "",
) -> Response:
    """Show what an adoption would do; recorded once that was seen."""
    given: Json = {"date": date, "act": act, "reason": reason}
    if step == "edit":
        return _adopt_page(request, atlas, version, **given)
    try:
        day = read_day(date)
        with atlas.database.write() as connection:
            if step == "record" and seen == _shown_counts(atlas, connection, version)[1]:
                adoption.adopt(atlas, connection, person.actor, version, day, act, reason)
                return go(f"/maps/{version}/adoption")
        with atlas.database.read() as connection:
            adoption.check(atlas, connection, version, day, act, reason)
    except registers.NotFoundError:
        raise
    except StreetsError as error:
        faults = faults_of(error, ("date", "act", "reason"))
        answer = _adopt_page(request, atlas, version, status_of(error)[0], **given, faults=faults)
        answer.headers.update(headers_of(error))
        return answer
    return _adopt_page(request, atlas, version, **given, day=day, moved=step == "record")


def _shown_counts(atlas: Atlas, connection: Connection, version: int) -> tuple[Json, str]:
    """Return what an adoption would do, and a digest of it, so that what was seen is what is done."""
    made = adoption.diff(atlas, connection, version)
    becoming = registers.counted(connection, addresses, addresses.c.status == "provisional") - sum(
        a["status"] == "provisional" for a in made["addresses"]
    )
    counts = {**made["counts"], "becoming": becoming, "compared_with": made["compared_with"]}
    differ = [(a["id"], a["would_be"]) for a in made["addresses"]]
    return counts, hashlib.sha256(canonical([counts, differ]).encode()).hexdigest()[:16]


def _adopt_page(
    request: Request, atlas: Atlas, version: int, status: int = HTTPStatus.OK, day: date | None = None, **given: Any
) -> Response:
    with atlas.database.read() as connection:
        row = registers.get(connection, maps, version)
        if row["status"] != "proposal":
            return go(f"/maps/{version}")
        counts, seen = _shown_counts(atlas, connection, version)
        village = atlas.at(connection, version)
        nameless = map_versions.placeholders(village.files)
    bars: Json = {
        "unmatched": [edit.place for edit in village.unmatched],
        "bases": [base.told for base in village.bases],
    }
    form: Json = {"date": "", "act": "", "reason": "", "faults": {}, "moved": False, **given}
    shown: Json = {"row": row, "counts": counts, "seen": seen, "nameless": nameless, "joined": joined, "today": today()}
    return page(request, "adopt.html", status, day=day, **shown, **bars, **form)


@router.api_route("/maps/{version}/adoption", methods=READ)
def adoption_page(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    version: Id,
    number: Annotated[PageNumber, Query(alias="page")] = 1,
) -> Response:
    """Say what an adoption did: how many numbers became official, which stay although the map has others."""
    with atlas.database.read() as connection:
        row = registers.get(connection, maps, version)
        act = _adopting(connection, version)
        if row["adopted_on"] is None or not act:
            return go(f"/maps/{version}")
        made = adoption.diff(atlas, connection, version)["addresses"] if row["status"] == "adopted" else []
        why = why_not_undone(connection, person, act) if person.may(Permission.ADOPT_MAP) else ""
        official = registers.counted(connection, audit, *_became_official(act))
    found, pages = part(made, number, A_PAGE)
    shown: Json = {"row": row, "act": act, "official": official, "differ": found, "total": len(made), "why": why}
    return page(request, "adoption.html", number=number, pages=pages, **shown)


def _adopting(connection: Connection, version: int) -> int:
    """Return the act by which a version was adopted; 0 where there is none."""
    entries = registers.history(connection, "maps", version)
    made = (e["act"] for e in entries if e["what"] == "adopt map" and '"status":"adopted"' in (e["after"] or ""))
    return next(made, 0)


def _became_official(act: int) -> tuple[Any, ...]:
    official, provisional = '"status":"official"', '"status":"provisional"'
    return (
        audit.c.act == act,
        audit.c.kind == "addresses",
        audit.c.after.contains(official),
        audit.c.before.contains(provisional),
    )
