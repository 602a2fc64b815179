"""What a version of the map would change, and the Board's adoption of it.

"Adding a street never moves an existing number": an official number stays when a map is adopted under which it would be
another, and is marked as not conforming. `diff` lists every one before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import registers
from app.answers import listed, row_of
from app.audit import Act, Actor
from app.board import act_of_board
from app.changes import chosen_over, computed_of
from app.clocks import LOCAL
from app.map_edits import orphans
from app.map_versions import Atlas, MapStateError, edition_of, placeholders, proposal
from app.registers import DependsError
from app.settings import plain
from app.tables import addresses, maps
from app.village import Edition, Village
from gis.difference import RowChange, difference
from gis.errors import Fault, StreetsError
from gis.findings import Finding
from gis.frontages import NO_STREET
from gis.numbering import number

Json = dict[str, Any]
PART = 5000


@dataclass(frozen=True)
class Moved:
    """An active address under another map: the number it would have, None where there is none.

    Parameters
    ----------
    row
        The address with its location.
    number
        What the map gives its entrance on its street and half.
    agrees
        Whether the number held is what the map gives, or an officer's choice over the same computed number.
    """

    row: registers.Row
    number: int | None
    agrees: bool


def under(village: Village, rows: Sequence[registers.Row]) -> list[Moved]:
    """Compute the number of many addresses under a map.

    Parameters
    ----------
    village
        The village of the map.
    rows
        Addresses with their locations.

    Returns
    -------
    list of Moved
        One for each, in order.
    """
    known = {name: k for k, name in enumerate(village.frontages.names)}
    x, y = (np.array([row[f"location_{axis}_ft"] for row in rows], dtype=np.float64) for axis in "xy")
    ids = np.array([known.get(row["street"], NO_STREET) for row in rows], dtype=np.int64)
    doors = number(village.frontages, x, y, ids)
    sides = [village.map.rows[k].side if k >= 0 else "" for k in np.atleast_1d(doors.row).tolist()]
    numbers = np.atleast_1d(doors.number).tolist()
    return [_moved(village, row, computed, side) for row, computed, side in zip(rows, numbers, sides, strict=True)]


def _moved(village: Village, row: registers.Row, computed: int, side: str) -> Moved:
    if row["location_lot"]:
        place = {name: row[f"location_{name}"] for name in ("x_ft", "y_ft", "lot")}
        found = computed_of(village, row, place)[0]
    else:
        found = (computed or None) if side == row["half"] else None
    return Moved(row, found, found is not None and found in {row["number"], chosen_over(row)})


def diff(atlas: Atlas, connection: Connection, version: int) -> Json:
    """Compare a version with the adopted one: every block and every number that would change.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        To the register.
    version
        The version compared.

    Returns
    -------
    dict
        ``blocks`` that are added, removed or changed, ``addresses`` that would have another number, what stands in
        the way of adopting it (``placeholders``, ``unmatched_edits``), base lines that officers set
        (``set_base_lines``) and ``counts``.
    """
    row = registers.get(connection, maps, version)
    new = atlas.at(connection, version)
    adopted = _adopted(connection)
    old = atlas.at(connection, adopted) if adopted and adopted != version else None
    changes = difference(old.map if old else None, new.map)
    moved = [m for part in in_parts(connection) for m in under(new, part) if not m.agrees]
    moved.sort(key=lambda m: [m.row[c.name] for c in registers.IN_ORDER])
    counts = {
        "blocks": len(changes),
        "official": sum(m.row["status"] == "official" for m in moved),
        "provisional": sum(m.row["status"] != "official" for m in moved),
        "active": registers.counted(connection, addresses, registers.IS_ACTIVE),
    }
    return {
        "version": version,
        "status": row["status"],
        "compared_with": adopted if old else None,
        "counts": counts,
        "blocks": [block_change(old, new, change) for change in changes],
        "addresses": [described(m) for m in moved],
        "placeholders": placeholders(new.files),
        "unmatched_edits": [edit.place for edit in new.unmatched],
        "set_base_lines": [base.told for base in new.bases],
        "findings": listed(new.map.findings),
    }


def in_parts(connection: Connection, *conditions: Any) -> Iterator[list[registers.Row]]:
    """Give the active addresses with their locations some thousand at a time: all of a town are a gigabyte."""
    last = 0
    wanted = (registers.IS_ACTIVE, *conditions)
    while part := registers.located_many(
        connection, *wanted, addresses.c.id > last, order=[addresses.c.id], limit=PART
    ):
        yield part
        last = part[-1]["id"]


def _adopted(connection: Connection) -> int:
    asked = sa.select(maps.c.version).where(maps.c.status == "adopted")
    return int(connection.execute(asked).scalar_one_or_none() or 0)


def block_change(old: Village | None, new: Village, change: RowChange) -> Json:
    """Return a block that differs between two maps."""
    return {
        "change": change.kind,
        "street": change.street,
        "half": change.side,
        "path": change.path,
        "what": list(change.what),
        "old": row_of(old, change.old) if old and change.old else None,
        "new": row_of(new, change.new) if change.new else None,
    }


def described(moved: Moved) -> Json:
    """Return an address and what a map would make of it."""
    row = moved.row
    return {
        "id": row["id"],
        "address": row["full"],
        "status": row["status"],
        "street": row["street"],
        "half": row["half"],
        "number": row["number"],
        "computed_number": row["computed_number"],
        "would_be": moved.number,
    }


def adopt(
    atlas: Atlas, connection: Connection, actor: Actor, version: int, day: date, act: str, reason: str = ""
) -> Json:
    """Record that the Village Board adopted a version (§ 288-15 A).

    Provisional numbers that agree with it become official. Official ones stay as they are; those the map would number
    otherwise are marked.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        Of the transaction.
    actor
        Who records it.
    version
        A proposal.
    day, act
        The Board's act and its day.
    reason
        Why it is adopted although streets have placeholder names or a base line is not the ordinance's; needed then.

    Returns
    -------
    dict
        ``version``, how many numbers became ``official``, and those that do not agree (``differ``).

    Raises
    ------
    MapStateError
        The version is no proposal, or was proposed under edits that match nothing any more.
    DependsError
        Addresses are on a street that the version does not have.
    StreetsError
        A day to come, no act, no reason where one is needed.
    """
    row = proposal(connection, version)
    village, day, act = check(atlas, connection, version, day, act, reason)
    nameless = placeholders(village.files)
    made = Act(connection, actor, " ".join((reason or act).split()))
    before = _adopted(connection)
    if before:
        old = registers.get(connection, maps, before)
        registers.update(made, "adopt map", maps, old, {"status": "superseded"})
    adopted = {"status": "adopted", "adopted_on": day, "act": act, "adoption_reason": reason.strip()}
    about = {"adopted_at": made.at, "adopted_by": actor.name, "placeholders": len(nameless)}
    registers.update(made, "adopt map", maps, row, {**adopted, **about})
    official, differ = _settle(made, village)
    moved = [described(m) for m in differ]
    made_on = row["made_at"].astimezone(LOCAL).date()
    told = f"Version {version} was proposed on {made_on}, after {day}, the day of the act that adopts it."
    return {
        **{"version": version, "adopted_on": day.isoformat(), "act": act, "official": official, "differ": moved},
        "warnings": [told] if day < made_on else [],
    }


def check(
    atlas: Atlas, connection: Connection, version: int, day: date, act: str, reason: str
) -> tuple[Village, date, str]:
    """Refuse an adoption that cannot be recorded, as `adopt` does, before anything is written.

    Returns
    -------
    tuple of Village, date, str
        The map's village, and the Board's act as it is recorded.
    """
    proposal(connection, version)
    day, act = act_of_board(day, act)
    before = _adopted(connection)
    earlier = registers.get(connection, maps, before)["adopted_on"] if before else None
    if earlier and day < earlier:
        expected = f"a day from {earlier} on, when version {before} was adopted, whose place it takes"
        raise StreetsError.of("date", day.isoformat(), expected)
    village = atlas.at(connection, version)
    if village.unmatched:
        told = "; ".join(edit.place for edit in village.unmatched)
        raise MapStateError.of("version", f"edits that match nothing: {told}", "edits that match, or are withdrawn")
    left = orphans(connection, village)
    if left:
        names = ", ".join(sorted({row["street"] for row in left}))
        some = [{"id": row["id"], "address": row["full"], "status": row["status"]} for row in left[:50]]
        raise DependsError(f"{len(left)} addresses are on {names}, which version {version} does not have.", some)
    plain(reason, "reason")
    if village.bases and not reason.strip():
        found = f"nothing. {' '.join(base.told for base in village.bases)}"
        expected = "why the map is adopted with a base line that the ordinance does not name (§ 288-15 C)"
        raise StreetsError(f"Version {version} has another base line.", [Fault("reason", found, expected)])
    nameless = placeholders(village.files)
    if nameless and not reason.strip():
        expected = "why it is adopted although these names are placeholders; every page of it will say so"
        shown = ", ".join(nameless[:3]) + (", ..." if len(nameless) > 3 else "")
        found = f"nothing, and {len(nameless)} placeholder name{'' if len(nameless) == 1 else 's'} ({shown})"
        raise StreetsError(f"Version {version} has placeholder names.", [Fault("reason", found, expected)])
    return village, day, act


def _settle(act: Act, village: Village) -> tuple[int, list[Moved]]:
    """Make provisional numbers that agree official, and mark those that do not."""
    official, differ = 0, []
    for part in in_parts(act.connection, addresses.c.status != "proposed"):
        alike: dict[tuple[str, bool], list[registers.Row]] = {}
        for moved in under(village, part):
            now = (moved.row["status"], moved.row["conforms"])
            becomes = moved.agrees and now[0] == "provisional"
            new = ("official" if becomes else now[0], moved.agrees)
            official += becomes
            if new != now:
                alike.setdefault(new, []).append(moved.row)
            if not moved.agrees:
                differ.append(moved)
        for (status, conforms), changed in alike.items():
            changes = {"status": status, "conforms": conforms}
            registers.update_many(act, "adopt map", addresses, changed, changes)
    return official, differ


def official_under(connection: Connection, row: registers.Row) -> Edition:
    """Return the version whose adoption an address's standing rests on.

    Parameters
    ----------
    connection
        To the register.
    row
        The address.

    Returns
    -------
    Edition
        Of the map it was given under; of an official number given before that was adopted, of the map whose adoption,
        or under which an officer's confirmation, made it official.
    """
    if row["status"] == "official":
        for entry in registers.history(connection, "addresses", row["id"]):
            before = json.loads(entry["before"]) if entry["before"] else {}
            if before.get("status") not in {None, "official"} and entry["what"] in {"adopt map", "confirm"}:
                return edition_of(registers.get(connection, maps, _version_of(connection, entry)))
    return edition_of(registers.get(connection, maps, row["map_version"]))


def _version_of(connection: Connection, entry: registers.Row) -> int:
    """Return the version of the map that an entry made an address official under."""
    for other in registers.entries_of(connection, entry["act"], kind="maps"):
        if json.loads(other["after"])["status"] == "adopted":
            return int(other["subject"])
    decisions = json.loads(entry["after"])["decisions"]
    return int(decisions[-1]["map_version"])


def not_conforming(village: Village, row: registers.Row) -> list[Json]:
    """Return the finding of an old number that the map in force would number otherwise.

    Parameters
    ----------
    village
        The village in force.
    row
        The address with its location.

    Returns
    -------
    list of dict
        The finding, with the number that map gives the entrance; none where the address conforms.
    """
    if row["conforms"]:
        return []
    computed = under(village, [row])[0].number
    return listed([Finding("NOT_CONFORMING", {"number": row["number"], "computed": computed or "none"})])
