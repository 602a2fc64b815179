"""What the start page tells whoever is signed in: what waits for them, and what is not as it should be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from fastapi import Request
from sqlalchemy.engine import Connection

from app import registers
from app.auth import PUBLIC, Permission, Person
from app.case_records import waiting
from app.keeping import last_backup
from app.map_versions import Atlas
from app.routes.words import age
from app.settings import Settings
from app.tables import addresses, doubts

BACKUP_WITHIN = timedelta(hours=48)
"""A register without a proven backup for longer is told of."""


@dataclass(frozen=True)
class Notice:
    """One thing to do: in words, and where it is done.

    Parameters
    ----------
    text
        What waits, or is wrong.
    href, action
        Where it is done, and what the link says; ``""`` where no page does it.
    warns
        Whether something is wrong, not only waiting.
    """

    text: str
    href: str = ""
    action: str = ""
    warns: bool = False


def notices(request: Request) -> list[Notice]:
    """Return what the person who asks is told on the start page; the public is told nothing.

    Parameters
    ----------
    request
        By a person already identified.

    Returns
    -------
    list of Notice
        What is wrong first.
    """
    person: Person = getattr(request.state, "person", PUBLIC)
    if not person.known:
        return []
    atlas: Atlas = request.app.state.atlas
    made = _backup(request.app.state.settings) if _keeps(person) else []
    with atlas.database.read() as connection:
        if person.may(Permission.DECIDE_DOUBT):
            count = registers.counted(connection, doubts, doubts.c.status == "open")
            words = f"{count} doubt{'' if count == 1 else 's'} wait{'s' if count == 1 else ''} for the Clerk-Treasurer."
            made += [Notice(words, "/doubts", "Decide")] if count else []
        if person.may(Permission.ASSIGN):
            count = registers.counted(connection, addresses, addresses.c.status == "proposed")
            words = f"{count} proposed address{'' if count == 1 else 'es'} to confirm."
            made += [Notice(words, "/addresses?status=proposed", "Confirm")] if count else []
        if person.may(Permission.READ_RECORDS):
            made += _waiting(connection, "case project", "case", "/cases")
            made += _waiting(connection, "permit", "permit", "/permits")
    return [*made, *_map(atlas, person)]


def _waiting(connection: Connection, books: str, name: str, path: str) -> list[Notice]:
    """Say how many open cases of some books have a clock that has ended, or ends soon."""
    over, soon = waiting(connection, datetime.now(UTC), books)
    told = f"{over} open {name}{'' if over == 1 else 's'} with a clock that has ended"
    told += f", {soon} with one that ends within a week." if soon else "."
    return [Notice(told, path, "See what is due", warns=bool(over))] if over or soon else []


def _keeps(person: Person) -> bool:
    return person.may(Permission.READ_AUDIT) or person.may(Permission.MANAGE_PEOPLE)


def _backup(settings: Settings, now: datetime | None = None) -> list[Notice]:
    """Tell where the last proven backup is too old, or none was made."""
    last = last_backup(settings)
    if last is None:
        told = "No verified backup of the register was made yet."
    elif (now or datetime.now(UTC)) - last > BACKUP_WITHIN:
        told = f"No verified backup for {age(last, now)}."
    else:
        return []
    return [Notice(f"{told} Run “benton-streets backup” or set up the nightly one, as README.md has it.", warns=True)]


def _map(atlas: Atlas, person: Person) -> list[Notice]:
    """Tell what to do next while no map is adopted."""
    edition = atlas.village.edition
    if edition is None or edition.adopted:
        return []
    version = f"/maps/{edition.version}"
    if person.may(Permission.ADOPT_MAP):
        told = "No map is adopted: every number given from this one is provisional."
        told += " Next: decide its findings, then record the Board’s act."
        return [Notice(told, version, "See what stands in the way")]
    if person.may(Permission.ASSIGN):
        told = "No map is adopted, so every number given from this one is provisional until the Director records "
        told += "the Board’s act."
        return [Notice(told, version, "See the map")]
    return []
