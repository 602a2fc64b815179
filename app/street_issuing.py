"""Issuing the papers of permits, cases and projects: drawn from the record as it is, numbered, and kept as issued.

Drawing takes half a second, in which nobody is kept from writing: it is drawn first, and kept if the record is still
what was drawn and its number still the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.engine import Connection

from app import audit, case_papers, casebook, registers, tax_roll
from app.audit import Act
from app.auth import Person
from app.case_drawings import bill_of, removal, repaving_of, roll_of
from app.case_facts import Facts
from app.casework import Course, Matter
from app.issuing import TRIES, next_number
from app.map_versions import Atlas
from app.once import answered, once
from app.paper import unprintable
from app.registers import Row
from app.row_layers import Ground
from app.street_papers import Drawing, permit
from app.tables import documents
from gis.errors import StreetsError

Json = dict[str, Any]


DRAWERS: Mapping[str, Callable[[Drawing], bytes]] = {
    "permit": permit,
    "removal": removal,
    "bill": bill_of,
    "repaving": repaving_of,
}
"""What draws each kind of paper."""


@dataclass(frozen=True)
class Office:
    """Where papers are issued: the village, its right-of-way, who issues and when, and where its public pages are.

    Parameters
    ----------
    atlas
        The village and its register.
    ground
        Returns the village's right-of-way as it is, for a connection.
    person
        Who issues.
    base_url
        Address of the public pages; ``""`` for none on the paper.
    now
        The instant.
    key
        Of the request: the same one sent twice issues one paper.
    """

    atlas: Atlas
    ground: Callable[[Connection], Ground]
    person: Person
    base_url: str
    now: datetime
    key: str = ""


def issue(office: Office, case_id: int, name: str, given: Mapping[str, Any]) -> Json:
    """Issue the paper of a step, and record it with the case.

    Parameters
    ----------
    office
        Who issues, where and when.
    case_id
        The permit, case or project.
    name
        The step that issues it.
    given
        Its facts, perhaps a ``reason``.

    Returns
    -------
    dict
        ``id`` of the case, and ``document``: its id.

    Raises
    ------
    StreetsError
        What `app.case_papers.check_document` refuses; a sign that the documents' fonts lack.
    """
    database, said = office.atlas.database, {"case": case_id, "step": name, **given}
    for _ in range(TRIES):
        with database.read() as connection:
            before = answered(connection, office.person.actor, office.key, said)
            if before is not None:
                return before
            drawn = _drawn(office, connection, case_id, name, given)
        with database.write() as connection:
            still = casebook.get(connection, case_id) == drawn.case
            if still and next_number(connection, drawn.kind, office.now) == drawn.number:
                return _kept(office, connection, drawn, name, given, said)
    with database.write() as connection:
        return _kept(office, connection, _drawn(office, connection, case_id, name, given), name, given, said)


def draft(office: Office, case_id: int, name: str, given: Mapping[str, Any]) -> bytes:
    """Draw the paper of a step as it would be issued, marked as a draft; nothing is kept."""
    with office.atlas.database.read() as connection:
        return _drawn(office, connection, case_id, name, given, draft=True).pdf


def issue_tax_roll(office: Office) -> Json:
    """Issue the list for the tax roll as it stands, and keep it.

    Parameters
    ----------
    office
        Who issues it and when; its key makes the same request one list.

    Returns
    -------
    dict
        ``document``: its id, and ``pdf``: where it is.

    Raises
    ------
    StreetsError
        There is nothing to be entered.
    """
    person, said = office.person, {"tax roll": True}
    with office.atlas.database.write() as connection:

        def keep() -> Json:
            rows = tax_roll.owed(connection, office.now)
            if not rows:
                raise StreetsError("Nothing is unpaid: there is nothing to enter on the tax roll.")
            made = registers.insert(
                Act(connection, person.actor, "", office.now),
                "issue tax_roll",
                documents,
                _list(office, connection, rows),
            )
            return {"document": made["id"], "number": made["number"], "pdf": f"/documents/{made['id']}.pdf"}

        return once(connection, person.actor, office.key, said, keep)


def _list(office: Office, connection: Connection, rows: Sequence[tax_roll.Owed]) -> Json:
    number, head = next_number(connection, "tax_roll", office.now), audit.head(connection)
    everywhere = {"place": "Every case with unpaid charges", "shape": None, "lon": None}
    matter = Matter(everywhere, None, Course(""))
    drawing = Drawing(
        office.atlas, office.ground(connection), connection, office.person, matter, {}, number, office.now,
        office.base_url, head,
    )  # fmt: skip
    pdf = roll_of(drawing, rows, office.now)
    facts = {"cents": sum(one.cents for one in rows), "cases": [one.matter.case["id"] for one in rows]}
    known = {"kind": "tax_roll", "number": number, "address_id": None, "case_id": None, "facts": facts, "pdf": pdf}
    digest = hashlib.sha256(pdf).hexdigest()
    return {**known, "issued_at": office.now, "issued_by": office.person.name, "sha256": digest, "audit_head": head}


def kept(connection: Connection, case_id: int) -> list[Json]:
    """Return the papers that were issued of a case, the latest first."""
    rows = registers.rows(connection, documents, documents.c.case_id == case_id, order=[documents.c.id.desc()])
    known = ("id", "kind", "number", "issued_by", "sha256")
    told = []
    for row in rows:
        at, pdf = row["issued_at"].isoformat(), f"/documents/{row['id']}.pdf"
        told.append({**{name: row[name] for name in known}, "issued_at": at, "pdf": pdf})
    return told


@dataclass(frozen=True)
class _Drawn:
    """A paper that was drawn, and the case it was drawn of."""

    case: Row
    kind: str
    number: str
    facts: Facts
    head: str
    pdf: bytes


def _drawn(
    office: Office, connection: Connection, case_id: int, name: str, given: Mapping[str, Any], *, draft: bool = False
) -> _Drawn:
    facts = case_papers.check_document(connection, office.person, case_id, name, given, office.now)
    for key, value in facts.items():
        lacking = unprintable(value) if isinstance(value, str) else ""
        if lacking:
            found = f"{lacking}, U+{ord(lacking):04X}"
            raise StreetsError.of(key, found, "signs that the documents' fonts have")
    case = casebook.get(connection, case_id)
    kind = casebook.KINDS[case["kind"]].steps[name].document
    number = next_number(connection, kind, office.now)
    matter: Matter = casebook.matter_of(connection, case, office.now)
    head = audit.head(connection)
    drawing = Drawing(
        office.atlas, office.ground(connection), connection, office.person, matter, facts,
        "Draft" if draft else number, office.now, office.base_url, head, draft,
    )  # fmt: skip
    return _Drawn(case, kind, number, facts, head, DRAWERS[kind](drawing))


def _kept(
    office: Office, connection: Connection, drawn: _Drawn, name: str, given: Mapping[str, Any], said: Json
) -> Json:
    def keep() -> Json:
        facts = case_papers.check_document(connection, office.person, drawn.case["id"], name, given, office.now)
        at = datetime.now(UTC)
        act = Act(connection, office.person.actor, f"{drawn.kind} of {drawn.case['place']}"[:2000], at)
        made = registers.insert(act, f"issue {drawn.kind}", documents, _columns(office, drawn, at))
        told = {**facts, "document": made["id"], "number": made["number"]}
        case_papers.record_document(act, drawn.case["id"], name, told)
        return {"id": drawn.case["id"], "document": made["id"]}

    return once(connection, office.person.actor, office.key, said, keep)


def _columns(office: Office, drawn: _Drawn, at: datetime) -> Json:
    told = {"place": drawn.case["place"], "case": drawn.case["id"], **drawn.facts}
    return {
        "kind": drawn.kind,
        "number": drawn.number,
        "address_id": drawn.case["address_id"],
        "case_id": drawn.case["id"],
        "issued_at": at,
        "issued_by": office.person.name,
        "facts": told,
        "sha256": hashlib.sha256(drawn.pdf).hexdigest(),
        "audit_head": drawn.head,
        "pdf": drawn.pdf,
    }
