"""Pages of the audit: what was done, by whom, when and why, each field before and after; acts undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from http import HTTPStatus
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.engine import Connection

from app import changes, records, registers, undoing
from app.answers import Json, as_csv
from app.audit import head
from app.auth import Permission, Person
from app.clocks import LOCAL
from app.deps import AtlasDep, needs
from app.errors import headers_of, status_of
from app.map_versions import Atlas
from app.routes import words
from app.routes.forms import READ, Id, Text, Typed, csv_file, faults_of, go, read_day
from app.routes.rendering import local_path, page
from app.tables import audit
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
A_PAGE = 50
LONG = 20
"""As many entries of one act are shown open; the others are counted, and stand in the list of the audit."""
SHOWN = ("seq", "act", "at", "actor", "acting_for", "kind", "subject", "reason", "hash")
UNTOLD = {"id", "explanation", "street_key", "hash", "findings"}
COLUMNS = (
    *("entry", "act", "at", "actor", "actor_id", "acting_for", "what", "kind", "subject"),
    *("changes", "reason", "previous", "hash"),
)

Reader = Annotated[Person, needs(Permission.READ_AUDIT)]
Officer = Annotated[Person, needs(Permission.READ_RECORDS)]
Before = Annotated[int, Query(ge=0, le=2_000_000_000)]


@dataclass(frozen=True)
class Sieve:
    """Which entries are wanted; what is empty leaves all.

    Parameters
    ----------
    kind, subject, actor, what
        Of the entry; `actor` is a part of the name.
    since, until
        First and last day, in the village's time, as typed.
    """

    kind: str = ""
    subject: str = ""
    actor: str = ""
    what: str = ""
    since: str = ""
    until: str = ""

    def conditions(self) -> list[Any]:
        """Return what the entries fulfil.

        Raises
        ------
        StreetsError
            A day that is none.
        """
        exact = {"kind": self.kind, "subject": self.subject.strip(), "what": self.what}
        made: list[Any] = [audit.c[name] == value for name, value in exact.items() if value]
        if self.actor.strip():
            made.append(audit.c.actor.icontains(self.actor.strip(), autoescape=True))
        if self.since.strip():
            made.append(audit.c.at >= _midnight(read_day(self.since, "since")))
        if self.until.strip():
            made.append(audit.c.at < _midnight(read_day(self.until, "until") + timedelta(days=1)))
        return made


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), LOCAL).astimezone(UTC)


@router.api_route("/audit", methods=READ)
def audit_list(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    kind: Text = "",
    subject: Text = "",
    actor: Text = "",
    what: Text = "",
    since: Text = "",
    until: Text = "",
    before: Before = 0,
    format: Text = "",
) -> Response:
    """List what was done, the latest first."""
    sieve, faults = Sieve(kind, subject, actor, what, since, until), {}
    conditions: list[Any] = []
    try:
        conditions = sieve.conditions()
    except StreetsError as error:
        faults = faults_of(error, ("since", "until"))
        conditions = [sa.false()]
    with atlas.database.read() as connection:
        if format == "csv" and not faults:
            return csv_file(as_csv(COLUMNS, _cells(connection, conditions, person), spreadsheet=True), "audit.csv")
        total = registers.counted(connection, audit, *conditions)
        older = [*conditions, audit.c.seq < before] if before else conditions
        rows = registers.rows(connection, audit, *older, order=[audit.c.seq.desc()], limit=A_PAGE + 1)
        newest, whole = head(connection), registers.counted(connection, audit)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if faults else HTTPStatus.OK
    shown: Json = {
        "found": [entry(records.discreet(row, person)) for row in rows[:A_PAGE]],
        "total": total,
        "before": before,
    }
    shown |= {"older": rows[A_PAGE - 1]["seq"] if len(rows) > A_PAGE else 0, "head": newest, "whole": whole}
    shown |= {"acts": words.ACTS, "kinds": words.KINDS}
    return page(request, "audit.html", status, given=asdict(sieve), faults=faults, **shown)


def _cells(connection: Connection, conditions: list[Any], person: Person) -> Iterator[list[str]]:
    """Give every entry as the cells of `COLUMNS`, the latest first."""
    asked = sa.select(audit).where(*conditions).order_by(audit.c.seq.desc())
    for held in connection.execute(asked).mappings():
        row = records.discreet(dict(held), person)
        told = "; ".join(f"{name}: {old} -> {new}" for name, old, new in entry(row)["changes"])
        first = (row["seq"], row["act"], row["at"].isoformat(), row["actor"], row["actor_id"], row["acting_for"])
        last = (row["what"], row["kind"], row["subject"], told, row["reason"], row["previous"], row["hash"])
        yield [str(value) for value in (*first, *last)]


def entry(row: Any) -> Json:
    """Return an entry as pages show it: which record, what was done, each field before and after.

    Parameters
    ----------
    row
        Of the audit.

    Returns
    -------
    dict
        ``changes`` are the fields that differ; of a record that was made, those that hold something.
    """
    before, after = (json.loads(row[name]) if row[name] else {} for name in ("before", "after"))
    content = {**before, **after}
    made = [
        (words.field(name), words.said(before.get(name)), words.said(after.get(name)))
        for name in content
        if name not in UNTOLD and words.said(before.get(name)) != words.said(after.get(name))
    ]
    return {
        **{name: row[name] for name in SHOWN},
        "what": words.ACTS.get(row["what"], row["what"].capitalize()),
        "record": words.named(row["kind"], row["subject"], content),
        "link": words.link(row["kind"], row["subject"], content),
        "made": not before,
        "changes": made,
    }


@router.api_route("/audit/acts/{number}", methods=READ)
def act_page(request: Request, person: Reader, atlas: AtlasDep, number: Id) -> Response:
    """Show one act whole."""
    return _act_page(request, atlas, person, number)


def _act_page(
    request: Request, atlas: Atlas, person: Person, number: int, status: int = HTTPStatus.OK, **given: Any
) -> Response:
    with atlas.database.read() as connection:
        rows = registers.entries_of(connection, number)
        if not rows:
            raise registers.NotFoundError.of("act", str(number), "the number of an act in the audit")
        why = why_not_undone(connection, person, number)
    shown: Json = {"reason": "", "faults": {}, "next": "", **given}
    entries = [entry(records.discreet(row, person)) for row in rows[:LONG]]
    return page(request, "act.html", status, act=number, entries=entries, count=len(rows), why=why, **shown)


def why_not_undone(connection: Connection, person: Person, number: int) -> str:
    """Say why an act cannot be undone by someone; ``""`` where it can."""
    try:
        undoing.check_undo(connection, person, number)
    except StreetsError as error:
        told = "; ".join(f"found {f.found}, expected {f.expected}" for f in error.faults)
        if isinstance(error, changes.StateError) and told:
            return f"An act of this kind is not undone: {told}."
        return error.message
    return ""


@router.post("/audit/acts/{number}/undo")
def act_undo(
    request: Request, person: Officer, atlas: AtlasDep, number: Id, reason: Typed = "", next: Typed = ""
) -> Response:
    """Undo an act; who may do it may undo it."""
    try:
        with atlas.database.write() as connection:
            made = undoing.undo(atlas, connection, person, number, reason)
    except StreetsError as error:
        if isinstance(error, registers.NotFoundError) or not person.may(Permission.READ_AUDIT):
            raise
        given = {"reason": reason, "next": next, "faults": faults_of(error, ("reason",))}
        answer = _act_page(request, atlas, person, number, status_of(error)[0], **given)
        answer.headers.update(headers_of(error))
        return answer
    return go(local_path(next) if next else f"/audit/acts/{made}")


def acts_on(kind: str, subject: object) -> str:
    """Return the address of the list of all that was done to a record."""
    return f"/audit?kind={kind}&subject={subject}"
