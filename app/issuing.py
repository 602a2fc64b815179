"""Issuing a document of an address: from its record to a PDF that is kept as issued, with the audit's head on it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import audit, case_papers, casebook, decided, maps, registers
from app.adoption import not_conforming, official_under
from app.assign import written
from app.audit import Act
from app.auth import Person
from app.board import survey
from app.case_facts import few_lines
from app.case_numbering import NUMBERING
from app.case_words import DEFECTS
from app.changes import StateError, existed
from app.clock_rules import due
from app.clocks import LOCAL, said_day
from app.documents import Drawn, Letter, Neighbour, Notice, Sheet, assignment_notice, certificate, letter
from app.law import law_on
from app.map_versions import Atlas
from app.once import answered, once
from app.paper import unprintable
from app.settings import plain
from app.tables import addresses, documents
from app.village import LONLAT, Village
from app.violation import Violation, violation_letter
from gis.errors import StreetsError

Json = dict[str, Any]
KINDS = {
    **{"certificate": "C", "notice": "N", "violation": "V"},
    **{"permit": "P", "removal": "R", "repaving": "S", "bill": "B", "tax_roll": "T"},
}
"""Kinds of documents, and the letter their numbers begin with."""
AROUND_FT = 1500.0
"""How far round the entrance the document's map has streets."""
TRIES = 3
"""How often a document is drawn outside the turn before it is drawn within."""
BESIDE_FT = 600.0
"""How far round the entrance it names neighbours."""


@dataclass(frozen=True)
class Asked:
    """What document is wanted.

    Parameters
    ----------
    address_id
        Of which address.
    kind
        A key of `KINDS`.
    base_url
        Address of the public pages, without a slash at its end; ``""`` for none on the document.
    first_number, addressee
        Of a notice: whether the Village pays (§ 288-15 G(2)), and to whom it goes.
    case_id, given
        Of a case's document: the case, and the facts of the step that issues it.
    draft
        Whether it only shows what would be issued.
    key, said
        Of the request: the same one sent twice issues one document.
    again
        What a case's step was given and when, to be checked once more in the transaction that keeps it.
    """

    address_id: int
    kind: str
    base_url: str
    first_number: bool = True
    addressee: str = ""
    case_id: int = 0
    given: Mapping[str, Any] = field(default_factory=dict)
    draft: bool = False
    key: str = ""
    said: Json = field(default_factory=dict)
    again: tuple[Mapping[str, Any], datetime] | None = None


def of_case(
    connection: Connection, person: Person, case_id: int, given: Mapping[str, Any], base_url: str, now: datetime
) -> Asked:
    """Return the document that a case's step issues.

    Parameters
    ----------
    connection
        To the register.
    person
        Who issues it.
    case_id
        The case.
    given
        The facts of the step: ``addressee``, and who ``pays`` for the number.
    base_url
        As in `Asked`.
    now
        The instant it would be issued.

    Returns
    -------
    Asked
        Ready to be issued, or drawn as a draft.

    Raises
    ------
    StreetsError
        The case's state, its address or the facts do not allow it.
    """
    facts = case_papers.check_document(connection, person, case_id, "issue", given, now)
    address_id = casebook.get(connection, case_id)["address_id"]
    first, addressee = facts["pays"] == "village", facts.get("addressee", "")
    return Asked(address_id, "violation", base_url, first, addressee, case_id, facts)


def draft(atlas: Atlas, person: Person, asked: Asked) -> bytes:
    """Draw a document as it would be issued, marked as a draft; nothing is kept."""
    with atlas.database.read() as connection:
        drawn = _drawn_up(atlas, connection, person, replace(asked, draft=True), datetime.now(UTC))
    return bytes(drawn.values["pdf"])


def issue_for_case(
    atlas: Atlas,
    person: Person,
    case_id: int,
    given: Mapping[str, Any],
    base_url: str,
    now: datetime | None = None,
    key: str = "",
) -> Json:
    """Issue a case's document and record that in the case; the same request sent twice issues one.

    Parameters
    ----------
    atlas
        The village and its register.
    person
        Who issues it.
    case_id, given, base_url, now
        As in `of_case`; now when left out.
    key
        Of the request.

    Returns
    -------
    dict
        ``id`` of the case, and ``document``: its id.
    """
    said: Json = {"case": case_id, "step": "issue", **given}
    with atlas.database.read() as connection:
        before = answered(connection, person.actor, key, said)
        if before is not None:
            return before
        at = now or datetime.now(UTC)
        asked = of_case(connection, person, case_id, given, base_url, at)
    return issue(atlas, person, replace(asked, key=key, said=said, again=(given, at)))


def issue(atlas: Atlas, person: Person, asked: Asked) -> registers.Row:
    """Issue a document of an address and keep it; a later correction is a new document.

    Drawing takes half a second, in which nobody is kept from writing: it is drawn first, and kept if the address is
    still what was drawn and its number still the next. After some tries it is drawn within the turn.

    Parameters
    ----------
    atlas
        The village and its register.
    person
        Who issues it.
    asked
        The document.

    Returns
    -------
    dict
        The document's row; of a case's document the case's ``id`` and the ``document``'s.

    Raises
    ------
    StateError
        The address is retired, or is proposed and nobody has confirmed it.
    """
    for _ in range(TRIES):
        at = datetime.now(UTC)
        with atlas.database.read() as connection:
            drawn = _drawn_up(atlas, connection, person, asked, at)
        with atlas.database.write() as connection:
            if _same(connection, asked, drawn) and next_number(connection, asked.kind, at) == drawn.values["number"]:
                return _kept(connection, person, asked, drawn)
    with atlas.database.write() as connection:
        return _kept(connection, person, asked, _drawn_up(atlas, connection, person, asked, datetime.now(UTC)))


def _same(connection: Connection, asked: Asked, drawn: _DrawnUp) -> bool:
    """Whether the address, and the case, are still what was drawn."""
    case = casebook.get(connection, asked.case_id) if asked.case_id else None
    return registers.located(connection, asked.address_id) == drawn.row and case == drawn.case


@dataclass(frozen=True)
class _DrawnUp:
    """A document drawn up, the address it was drawn of, and its columns."""

    row: registers.Row
    values: Json
    case: registers.Row | None = None


def _kept(connection: Connection, person: Person, asked: Asked, drawn: _DrawnUp) -> registers.Row:
    return once(connection, person.actor, asked.key, asked.said, lambda: _keep(connection, person, asked, drawn))


def _keep(connection: Connection, person: Person, asked: Asked, drawn: _DrawnUp) -> registers.Row:
    if asked.again:  # another may have been issued, or served, while this one was drawn
        case_papers.check_document(connection, person, asked.case_id, "issue", *asked.again)
    act = Act(connection, person.actor, f"{asked.kind} of {drawn.row['full']}", drawn.values["issued_at"])
    made = registers.insert(act, f"issue {asked.kind}", documents, drawn.values)
    if not asked.case_id:
        return made
    case_papers.record_document(
        act, asked.case_id, "issue", {**asked.given, "document": made["id"], "number": made["number"]}
    )
    return {"id": asked.case_id, "document": made["id"]}


def _drawn_up(atlas: Atlas, connection: Connection, person: Person, asked: Asked, at: datetime) -> _DrawnUp:
    lacking = unprintable(asked.addressee)
    if lacking:
        found = f"{lacking}, U+{ord(lacking):04X}"
        raise StreetsError.of("addressee", found, "signs that the documents' fonts have")
    few_lines(plain(asked.addressee, "addressee"), "addressee")
    row = registers.located(connection, asked.address_id)
    if row["status"] in {"retired", "proposed"}:
        raise StateError.of("id", f"{row['full']}, {row['status']}", "an address that is provisional or official")
    village = atlas.read(connection, row["map_version"])
    sheet = _sheet(atlas, connection, village, row, person, asked, at)
    facts: Json = {name: row[name] for name in ("full", "status", "map_version")}
    case: registers.Row | None = None
    if asked.kind == "notice":
        notice = _notice(connection, village, row, asked, at)
        facts |= {"first_number": asked.first_number, "addressee": asked.addressee, "deadline": notice.deadline.day}
        pdf = assignment_notice(sheet, notice)
    elif asked.case_id:
        case = casebook.get(connection, asked.case_id)
        pdf = letter(sheet, _violation(connection, village, row, asked, case, at))
        facts |= {"first_number": asked.first_number, "addressee": asked.addressee, "case": case["id"]}
    else:
        pdf = certificate(sheet)
    said = {"kind": asked.kind, "number": sheet.document_no, "audit_head": sheet.audit_head, "facts": facts}
    kept = {"address_id": row["id"], "sha256": hashlib.sha256(pdf).hexdigest(), "pdf": pdf}
    return _DrawnUp(row, {**said, **kept, "issued_at": at, "issued_by": person.name}, case)


def next_number(connection: Connection, kind: str, at: datetime) -> str:
    """Return the next number of a kind in a year, such as ``C-2026-0007``."""
    begun = f"{KINDS[kind]}-{at.astimezone(LOCAL).year}-"
    last = connection.execute(
        sa.select(documents.c.number)
        .where(documents.c.kind == kind, documents.c.number.like(f"{begun}%"))
        .order_by(documents.c.id.desc())
        .limit(1)
    ).scalar_one_or_none()
    return f"{begun}{int(last.rpartition('-')[2]) + 1 if last else 1:04d}"


def _sheet(
    atlas: Atlas,
    connection: Connection,
    village: Village,
    row: registers.Row,
    person: Person,
    asked: Asked,
    at: datetime,
) -> Sheet:
    made, why = village.files.settings, registers.explanation(connection, row["explanation"])
    computed = row["computed_number"]
    other = computed and computed != row["number"]
    north = village.network.north
    return Sheet(
        village=made.name,
        county=made.county,
        state=made.state,
        document_no="Draft" if asked.draft else next_number(connection, asked.kind, at),
        issued_at=at,
        issued_by=person.name,
        acting_for=person.acting_for,
        address=row["full"],
        usps=row["usps"],
        status=row["status"],
        map_version=row["map_version"],
        map_state=_state(connection, village, row),
        map_notes=_notes(atlas, connection, village, row),
        law_date=row["law_date"],
        steps=tuple(why["steps"]),
        findings=(*row["findings"], *not_conforming(atlas.now(connection), row), *map(_decision, row["decisions"])),
        reason=row["reason"],
        computed=(written(computed, row["half"], row["street"])[0] or "") if other else "",
        drawn=tuple(_drawn(village, row, why)),
        entrance=(row["location_x_ft"], row["location_y_ft"]),
        neighbours=tuple(_neighbours(connection, row)),
        grid_north_deg=0.0,
        axis_north_deg=math.degrees(math.atan2(float(north[0]), float(north[1]))),
        audit_head=audit.head(connection),
        public_url=f"{asked.base_url}/addresses/{row['id']}" if asked.base_url else "",
        draft=asked.draft,
    )


def _state(connection: Connection, village: Village, row: registers.Row) -> str:
    """Say on which map a number's standing rests; of an old one, under which it was given first."""
    edition = official_under(connection, row)
    if existed(row) and not edition.adopted:
        return "An existing number, official before a map was adopted."
    if village.edition and edition.version != village.edition.version:
        return f"{edition.state} The number was given before, under version {village.edition.version}."
    return edition.state


def _decision(decision: Json) -> Json:
    by = f"{decision['by']}: " if decision.get("by") else ""
    message = f"{by}{decision['decision']} {decision.get('reason', '')}".strip()
    section = decision.get("section", "")  # only what the Clerk-Treasurer determined stands on a section of its own
    title = "Decided" if section else "Confirmed"
    return {"title": title, "message": message, "section": section, "severity": "decision"}


def _notes(atlas: Atlas, connection: Connection, village: Village, row: registers.Row) -> tuple[str, ...]:
    """Return what is said of the map: placeholder names, open units, and whether a later one is in force."""
    edition, now = village.edition, atlas.now(connection).edition
    notes = [edition.caution] if edition and edition.caution else []
    if edition and edition.placeholders and not edition.caution:
        notes.append(f"{edition.placeholders} streets of this map have a placeholder for a name.")
    notes += [finding.message for finding in village.map.findings]
    done = survey(connection)
    if done:
        notes.append(f"The survey of § 288-15 G(1) was completed on {said_day(done['completed_on'])} ({done['act']}).")
    else:
        notes.append("The survey of § 288-15 G(1) is not recorded as completed.")
    if edition and now and now.version != edition.version:
        notes.append(f"The map in force now is version {now.version}; this number was given under {edition.version}.")
    return tuple(notes)


def _drawn(village: Village, row: registers.Row, why: Json) -> Iterator[Drawn]:
    """Give the lines of the document's map: streets near the entrance, and the lines drawn to find the number."""
    x, y = row["location_x_ft"], row["location_y_ft"]
    for coords, kind, name in maps.roads(village):
        if np.hypot(coords[:, 0] - x, coords[:, 1] - y).min() <= AROUND_FT or _passes(coords, x, y):
            yield Drawn(coords, kind, name)
    project = village.into_feet(LONLAT)
    for feature in why["geometry"]["features"]:
        lonlat = np.asarray(feature["geometry"]["coordinates"], dtype=np.float64)
        known = feature["properties"]
        flat = np.stack(project(lonlat[:, 0], lonlat[:, 1]), axis=1)
        yield Drawn(flat, known["role"], known["label"], known["assumed"])
    for role in ("lot", "building"):
        if row[f"location_{role}"]:
            yield Drawn(np.asarray(row[f"location_{role}"]["coordinates"][0], dtype=np.float64), role)


def _passes(coords: Any, x: float, y: float) -> bool:
    """Whether a line's box comes near, though none of its vertices does."""
    west, south = coords.min(axis=0) - AROUND_FT
    east, north = coords.max(axis=0) + AROUND_FT
    return bool(west <= x <= east and south <= y <= north)


def _neighbours(connection: Connection, row: registers.Row) -> Iterator[Neighbour]:
    x, y = row["location_x_ft"], row["location_y_ft"]
    near = registers.at_place(connection, x - BESIDE_FT, y - BESIDE_FT, x + BESIDE_FT, y + BESIDE_FT)
    for other in near:
        if other["id"] != row["id"] and other["street_key"] == row["street_key"]:
            text = f"{other['number']}{' ' if other['fraction'] else ''}{other['fraction']}{other['suffix']}"
            yield Neighbour(other["location_x_ft"], other["location_y_ft"], text)


def _notice(connection: Connection, village: Village, row: registers.Row, asked: Asked, at: datetime) -> Notice:
    assigned_on = row["made_at"].replace(tzinfo=UTC).astimezone(LOCAL).date()
    counting = decided.counting(connection, at.astimezone(LOCAL).date())
    back = row["set_back"] or {}
    old = registers.rows(connection, addresses, addresses.c.replaced_by == row["id"])
    return Notice(
        assigned_on=assigned_on,
        deadline=due("number_placed", assigned_on, counting, village.law),
        first_number=asked.first_number,
        addressee=asked.addressee,
        display=back.get("display", "measure_it"),
        set_back_ft=back.get("distance_ft", math.nan),
        set_back_uncertainty_ft=back.get("uncertainty_ft", math.nan),
        set_back_from_door=back.get("from_door", True),
        assumed_width_ft=back.get("assumed_width_ft", village.files.settings.row_width_ft),
        old_address=old[0]["full"] if old else "",
        doors=row["location_doors"],
        existing=registers.brought_in(connection, row["id"]),
    )


def _violation(
    connection: Connection, village: Village, row: registers.Row, asked: Asked, case: registers.Row, at: datetime
) -> Letter:
    """Return what a violation notice says: what was first seen in this round of its case, and its 20 days."""
    matter = casebook.matter_of(connection, case, at)
    notice = _notice(connection, village, row, asked, at)
    clock, first = NUMBERING.clocks(matter)[0], matter.course.events[0]
    seen = next((event for event in reversed((*matter.course.earlier, first)) if event["what"] == "report"), first)
    on = seen["at"].astimezone(LOCAL).date()
    found = Violation(case["id"], on, DEFECTS[seen["facts"]["defect"]], clock.deadline, clock.reading)
    return violation_letter(notice, found, law_on(row["law_date"]))
