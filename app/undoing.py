"""Undoing an act on which nothing depends; what was done and what undid it both stay in the audit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import case_following, letters, registers
from app.audit import Act
from app.auth import Permission, Person
from app.case_tables import case_events
from app.changes import StateError, check_free, needs_reason
from app.columns import metadata
from app.map_edits import undone_well
from app.map_versions import Atlas, vacated
from app.registers import DependsError
from app.returning import coming_back
from app.tables import addresses, audit, documents, map_edits, maps, renamings
from app.village import Village
from gis.address import street_key

Json = dict[str, Any]

UNDOABLE = {
    **dict.fromkeys(("assign", "confirm", "correct", "retire", "restore", "renumber"), Permission.ASSIGN),
    **dict.fromkeys(("rename street", "vacate street"), Permission.NAME_STREETS),
    **dict.fromkeys(("edit map", "withdraw edit", "withdraw map"), Permission.EDIT_MAP),
    **dict.fromkeys(("adopt map", "record survey"), Permission.ADOPT_MAP),
    "decide doubt": Permission.DECIDE_DOUBT,
}
"""Acts that can be undone, and who may."""


def undo(atlas: Atlas, connection: Connection, person: Person, number: int, reason: str) -> int:
    """Undo an act on which nothing depends: every row it changed is as before, and both acts stay in the audit.

    Parameters
    ----------
    atlas
        For the map, which must hold after it.
    connection
        Of the transaction.
    person
        Who undoes: who may do an act may undo it.
    number
        The act.
    reason
        Why.

    Returns
    -------
    int
        The number of the act that undid it.

    Raises
    ------
    DependsError
        A later act, a document or an address depends on it.
    StreetsError
        There is no such act, or it is none that can be undone; no reason.
    """
    entries = check_undo(connection, person, number)
    act = Act(connection, person.actor, needs_reason(reason))

    def take_back() -> None:
        _take_all_back(atlas, act, entries)

    of_map = [int(entry["subject"]) for entry in entries if entry["kind"] == "map_edits"]
    if of_map:
        version = registers.get(connection, map_edits, of_map[0])["map_version"]
        undone_well(atlas, connection, version, take_back)
    else:
        take_back()
    if not act.number:
        raise StateError.of("act", f"act {number}, which changed nothing", "an act that leaves something to take back")
    return act.number


def check_undo(connection: Connection, person: Person, number: int) -> list[registers.Row]:
    """Return the entries of an act that may be undone, in order.

    Parameters
    ----------
    connection
        To the register.
    person
        Who would undo it.
    number
        The act.

    Returns
    -------
    list of dict
        What undoing takes back.

    Raises
    ------
    DependsError
        A later act, a document or an address depends on it.
    StreetsError
        There is no such act, it is none that can be undone, or not by this person.
    """
    entries = registers.entries_of(connection, number)
    if not entries:
        raise registers.NotFoundError.of("act", str(number), "the number of an act in the audit")
    odd = sorted({entry["what"] for entry in entries} - UNDOABLE.keys() - {"open doubt"})
    if odd:
        raise StateError.of("act", ", ".join(odd), f"an act that can be undone: {', '.join(sorted(UNDOABLE))}")
    for what in {entry["what"] for entry in entries}:
        person.require(UNDOABLE.get(what, Permission.ASSIGN))
    _check_nothing_depends(connection, entries)
    return entries


def _check_nothing_depends(connection: Connection, entries: Sequence[registers.Row]) -> None:
    number, since = entries[0]["act"], entries[0]["at"]
    if entries[0]["what"] == "adopt map":
        _refuse_resting(connection, entries[-1]["seq"])
    for kind, subject in dict.fromkeys((entry["kind"], entry["subject"]) for entry in entries):
        last = registers.history(connection, kind, subject, limit=1)[0]
        if last["act"] != number:
            message = f"Act {last['act']} ({last['what']} by {last['actor']}) was done to the same record since."
            raise DependsError(message, [{"act": last["act"], "what": last["what"]}])
        _DEPENDENTS.get(kind, _nothing)(connection, int(subject), since)


def _nothing(connection: Connection, subject: int, since: datetime) -> None:
    """Nothing depends on it but what was done to it."""


def _on_address(connection: Connection, address_id: int, since: datetime) -> None:
    later = registers.rows(connection, maps, maps.c.adopted_at > since)
    if later:
        told = f"Version {later[-1]['version']} of the map was adopted since: correct, retire or restore it instead."
        raise DependsError(told)
    opened = [case["id"] for case in case_following.on_address(connection, address_id) if case["opened_at"] >= since]
    if opened:
        raise DependsError(f"Case {opened[0]} was opened on it: correct or retire the address instead.")
    mine = (documents.c.address_id == address_id) & (documents.c.issued_at >= since)
    papers = registers.rows(connection, documents, mine)
    if papers:
        told = ", ".join(paper["number"] for paper in papers)
        raise DependsError(f"{told} was issued on it: correct or retire the address instead.")


def _on_map(connection: Connection, version: int, since: datetime) -> None:
    given = (addresses.c.map_version == version) & (addresses.c.made_at > since)
    _refuse_given(connection, given, f"under version {version}")


def _refuse_resting(connection: Connection, seq: int) -> None:
    """Refuse to undo an adoption by which numbers became official since: confirmed, restored or renumbered.

    None is official under a map that nobody adopted, but those that were brought in so.
    """
    official = '%"status":"official"%'
    rose = audit.c.after.like(official) & (audit.c.before.is_(None) | audit.c.before.not_like(official))
    since = (audit.c.kind == "addresses") & (audit.c.seq > seq) & audit.c.what.not_like("import%") & rose
    ids = sa.select(sa.cast(audit.c.subject, sa.Integer)).where(since)
    _refuse_given(connection, (addresses.c.status == "official") & addresses.c.id.in_(ids), "or made official under it")


def _on_edit(connection: Connection, edit_id: int, since: datetime) -> None:
    version = registers.get(connection, map_edits, edit_id)["map_version"]
    if registers.get(connection, maps, version)["status"] != "proposal":
        raise DependsError(f"Version {version} is no proposal any more: propose a new one to change the map.")


def _on_renaming(connection: Connection, renaming_id: int, since: datetime) -> None:
    mine = registers.get(connection, renamings, renaming_id)
    name, names = mine["new"], (mine["old"], mine["new"])
    later = (renamings.c.id > renaming_id) & renamings.c.undone_at.is_(None)
    for other in registers.rows(connection, renamings, later):
        if {street_key(other["old"]), street_key(other["new"])} & set(map(street_key, names)):
            raise DependsError(f"{other['old']} was renamed {other['new']} since ({other['act']}): undo that first.")
    if set(map(street_key, names)) & vacated(connection).keys():
        raise DependsError(f"{name} was vacated since: undo that first.")
    given = (addresses.c.street_key == street_key(name)) & (addresses.c.made_at > since)
    _refuse_given(connection, given, f"on {name}")
    edited = (map_edits.c.street == name) & (map_edits.c.made_at > since)
    if registers.counted(connection, map_edits, edited):
        raise DependsError(f"The map's rows of {name} were edited since.")
    _refuse_proposed(connection, since)


def _on_vacation(connection: Connection, _: int, since: datetime) -> None:
    _refuse_proposed(connection, since)


def _refuse_given(connection: Connection, given: Any, where: str) -> None:
    rows = registers.rows(connection, addresses, given)
    if rows:
        some = [{"id": row["id"], "address": row["full"], "status": row["status"]} for row in rows[:50]]
        count = "A number was" if len(rows) == 1 else f"{len(rows)} numbers were"
        raise DependsError(f"{count} given {where} since.", some)


def _refuse_proposed(connection: Connection, since: datetime) -> None:
    later = registers.rows(connection, maps, maps.c.made_at > since, maps.c.status != "withdrawn")
    if later:
        raise DependsError(f"Version {later[0]['version']} of the map was proposed since: record a new act instead.")


_DEPENDENTS: Mapping[str, Callable[[Connection, int, datetime], None]] = {
    "addresses": _on_address,
    "maps": _on_map,
    "map_edits": _on_edit,
    "renamings": _on_renaming,
    "vacations": _on_vacation,
}
"""What depends on a record of each kind, beside what was done to it."""


def _take_all_back(atlas: Atlas, act: Act, entries: Sequence[registers.Row]) -> None:
    """Take an act's entries back: streets, maps and places before the addresses that stand on them."""
    ids = list(dict.fromkeys(int(entry["subject"]) for entry in entries if entry["kind"] == "addresses"))
    village = atlas.now(act.connection) if ids else None  # as it was before anything is written
    before = {address_id: registers.get(act.connection, addresses, address_id) for address_id in ids}
    for entry in reversed(entries):
        if entry["kind"] != "addresses":
            _take_back(act, entry)
    for entry in reversed(entries):
        if entry["kind"] == "addresses":
            _address_back(act, village, entry, ids)
    letters.check(
        act.connection,
        [(before[address_id], registers.get(act.connection, addresses, address_id)) for address_id in ids],
    )


def _address_back(act: Act, village: Village | None, entry: registers.Row, ids: Sequence[int]) -> None:
    """Take back what was done to an address; one that comes back or changes its number is held as a restored one is."""
    assert village is not None
    row = registers.get(act.connection, addresses, int(entry["subject"]))
    if entry["before"] is None:
        changes: Json = {"status": "retired", "retired_at": act.at, "retired_reason": f"Undone: {act.reason}"}
    else:
        before = restored(addresses, json.loads(entry["before"]))
        changes = {name: value for name, value in before.items() if row[name] != value}
        named = {**row, **changes}
        if named["status"] != "retired" and changes.keys() & {"status", "number", "suffix", "street"}:
            check_free(act.connection, named)
        renumbered = row["status"] == "retired" or bool(changes.keys() & {"number", "suffix"})
        if named["status"] != "retired" and renumbered:
            changes |= _held(act, village, named, was_retired=row["status"] == "retired", ids=ids)
    if changes:
        registers.update(act, "undo", addresses, row, changes)


def _held(act: Act, village: Village, named: registers.Row, *, was_retired: bool, ids: Sequence[int]) -> Json:
    """Return what an address that comes back has of the map and the streets' names that are in force now."""
    again = coming_back(act, village, named, named["status"], ids)
    return again if was_retired else {}


def _take_back(act: Act, entry: registers.Row) -> None:
    table = metadata.tables[entry["kind"]]
    row = registers.get(act.connection, table, int(entry["subject"]))
    if entry["before"] is not None:
        before = restored(table, json.loads(entry["before"]))
        changes = {name: value for name, value in before.items() if row[name] != value}
    elif table is case_events:
        case_following.take_back(act, row)
        return
    elif "undone_at" in table.c:
        changes = {"undone_at": act.at}
    elif "withdrawn_at" in table.c:
        changes = {"withdrawn_at": act.at}
    else:
        return  # a place stays, as does a doubt that was opened
    if changes:
        registers.update(act, "undo", table, row, changes)


def restored(table: sa.Table, content: Mapping[str, Any]) -> Json:
    """Return a row's columns as Python has them from the audit's JSON."""
    made: Json = {}
    for name, value in content.items():
        kind = getattr(table.c[name].type, "process_result_value", None)
        is_time = value is not None and type(table.c[name].type).__name__ in {"Instant", "Day"}
        made[name] = kind(value, None) if is_time and kind else value
    return made


def last_act(connection: Connection, kind: str, subject: object) -> registers.Row | None:
    """Return the last entry of a record, whose act may be undone."""
    return next(iter(registers.history(connection, kind, subject, limit=1)), None)
