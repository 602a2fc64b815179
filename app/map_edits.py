"""An officer's edits of a proposed Street Numbering Map: tried, recorded and taken back.

An edit is tried on the whole map before it is recorded, so that none is kept that matches nothing, that leaves the map
without a base line, or that leaves an address on a street that is no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
import sqlalchemy as sa
from shapely import LineString
from sqlalchemy.engine import Connection

from app import registers
from app.audit import Act, Actor
from app.changes import needs_reason
from app.map_versions import Atlas, MapStateError, Row, edits_of, proposal, vacated
from app.registers import DependsError
from app.settings import plain
from app.street_names import as_street_name, check_halves, doubled
from app.street_plans import AnyEdit, columns_of
from app.tables import addresses, map_edits
from app.village import Village
from gis.address import street_key
from gis.edits import LENGTH, Edit
from gis.errors import GeometryError, StreetsError
from gis.street_edits import (
    BASE_LINE,
    DRAW,
    KIND,
    MET_FT,
    NAME,
    NAME_STATUSES,
    REMOVE,
    Plan,
    StreetEdit,
    along_ft,
    apply,
    settled,
)

MOST_OFF = 3.0
"""A length of record is not this many times longer or shorter than the linework shows."""
REACH_FT = 150.0
"""How far from a street an officer may tap when it is edited, feet."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A version with and without an edit.

    Parameters
    ----------
    edit
        The edit as it would be recorded; None where one is taken back.
    before, after
        The version's village without it and with it.
    """

    edit: AnyEdit | None
    before: Village
    after: Village


def attempt(atlas: Atlas, connection: Connection, version: int, edit: AnyEdit) -> Trial:
    """Try an edit on any version of the map; nothing is recorded.

    Parameters
    ----------
    atlas
        For the map.
    connection
        Of the transaction.
    version
        The version.
    edit
        What would change.

    Returns
    -------
    Trial
        The version with and without it.

    Raises
    ------
    DependsError
        Addresses would be left on a street that is no more.
    StreetsError
        The edit is none that the map allows, or matches nothing.
    """
    before = atlas.read(connection, version)
    edit = _of_streets(connection, before, edit) if isinstance(edit, StreetEdit) else _of_rows(edit)
    after = atlas.read(connection, version, (edit,))
    if isinstance(edit, Edit):
        _check_row(after, edit)
    else:
        _check_stranded(connection, before, after, edit.street)
    return Trial(edit, before, after)


def _of_rows(edit: Edit) -> Edit:
    return replace(edit, decision=plain(edit.decision, "decision"))


def _check_row(tried: Village, edit: Edit) -> None:
    _check_length(tried, edit)
    if edit in tried.map.unmatched:
        row = f"{edit.side} {edit.street}, {edit.at_ft:g} ft from its base line"
        raise StreetsError.of("row", row, "a row of this version, or a line or finding of it")


def _check_length(village: Village, edit: Edit) -> None:
    """Refuse a length of record that cannot be one of the block that the linework shows."""
    if edit.kind != LENGTH:
        return
    near = village.network.reading.noded_ft
    for row in village.map.rows:
        if (row.street, row.side, row.path) == edit.half and abs(row.from_ft - edit.at_ft) <= near:
            low, high = row.length_ft / MOST_OFF, row.length_ft * MOST_OFF
            if not low <= edit.value <= high:
                expected = f"{low:,.0f} to {high:,.0f} ft: the linework shows {row.length_ft:,.1f} ft"
                raise StreetsError.of("value", f"{edit.value:,.1f} ft", expected)


def _of_streets(connection: Connection, village: Village, edit: StreetEdit) -> StreetEdit:
    """Return an edit of streets on the linework as it is, under a name that may be given."""
    made = village.files.settings
    plan = Plan(village.files.pieces, made.base_ew, made.base_ns)
    if edit.kind == DRAW:
        edit = replace(edit, street=as_street_name(edit.street))
        _check_near(village, edit)
    elif edit.kind == NAME:
        edit = replace(edit, to=as_street_name(edit.to))
    edit = settled(plan, edit, REACH_FT)
    _check_bases(village, plan, edit)
    done = apply(plan, edit)
    name = edit.street if edit.kind == DRAW else edit.to
    if edit.kind == DRAW or (edit.kind == NAME and name != edit.street):
        _check_name(connection, village, done, edit, name)
    return edit


def base_lines(village: Village) -> dict[str, str]:
    """Return which base line each of two streets is, by its name."""
    made = village.files.settings
    return {made.base_ew: "the east-west base line", made.base_ns: "the north-south base line"}


def _check_bases(village: Village, plan: Plan, edit: StreetEdit) -> None:
    """Refuse what would leave the village without a base line that is a street with a name (§ 288-15 C(1))."""
    base = base_lines(village).get(edit.street)
    own = [piece for piece in plan.pieces if piece.name == edit.street]
    if base and edit.kind == KIND and edit.to != "street":
        expected = "a street that is no base line, or kind street: set another base line first"
        raise StreetsError.of("street", f"{edit.street}, {base}", expected)
    if base and edit.kind == REMOVE and (edit.at is None or len(own) == 1):
        raise StreetsError.of("street", f"{edit.street}, {base}", "another street: set another base line first")
    if edit.kind != BASE_LINE:
        return
    status = max((piece.name_status for piece in own), key=NAME_STATUSES.index, default="confirmed")
    if status == "placeholder":
        raise StreetsError.of("street", f"{edit.street}, a placeholder name", "a street with a name: name it first")
    kinds = sorted({piece.kind for piece in own} - {"street"})
    if kinds:
        found = f"{edit.street}, which is of kind {' and '.join(kinds)}"
        raise StreetsError.of("street", found, "a base line of kind street all along (§ 288-15 C(1))")


def joins_none(village: Village, edit: StreetEdit) -> bool:
    """Say whether a street that was drawn meets no other street or other part of its own."""
    line, near = LineString(edit.line), village.network.reading.noded_ft
    away = [piece.line.distance(line) for piece in village.files.pieces if not piece.line.equals(line)]
    return min(away, default=math.inf) > near


def lies_along(village: Village, edit: StreetEdit) -> str:
    """Say along which streets one that is drawn would lie, in a sentence; ``""`` where it crosses and meets them only.

    Parameters
    ----------
    village
        The version without it.
    edit
        The street, an edit of kind ``draw``.

    Returns
    -------
    str
        The streets within whose right-of-way, as the village assumes it, the line runs for longer than that is wide,
        or for half its length; and for how many feet.
    """
    line, width_ft = LineString(edit.line), village.files.settings.row_width_ft
    along: dict[str, float] = {}
    for piece in village.files.pieces:
        along[piece.name] = along.get(piece.name, 0.0) + along_ft(line, piece.line, width_ft / 2)
    told = [
        f"{feet:,.0f} ft of it lie within {width_ft / 2:g} ft of {name}'s centerline"
        for name, feet in along.items()
        if feet > min(width_ft, line.length / 2)
    ]
    return f"{edit.street} lies on a street that is there: {'; '.join(told)}." if told else ""


def _check_near(village: Village, edit: StreetEdit) -> None:
    """Refuse a street that is drawn elsewhere: the village's edge, and with it every extension, would follow it."""
    most = village.network.reading.edge_ft
    for count, (x, y) in enumerate(edit.line, 1):
        away = village.network.edge.distance(shapely.Point(x, y))
        if away > 0:
            expected = f"points within {most:,.0f} ft of the village's streets"
            raise GeometryError.of("line", f"point {count}, {most + away:,.0f} ft from the nearest of them", expected)


def _check_name(connection: Connection, village: Village, done: Plan, edit: StreetEdit, name: str) -> None:
    """Refuse another street's name, unless the street goes on where the other ends."""
    if street_key(name) in vacated(connection):
        raise StreetsError.of("name", f"{name}, vacated", "the name of no street that was vacated")
    own = "" if edit.kind == DRAW or edit.at else edit.street
    other = doubled(village, name, own)
    if not other:
        check_halves(village, name, own)
        return
    if other != name:
        raise StreetsError.of("name", name, f"a name that no other street has; {other} has it")
    old = [piece.line for piece in village.files.pieces if piece.name == name]
    known = {line.wkb for line in old}
    new = [piece.line for piece in done.pieces if piece.name == name and piece.line.wkb not in known]
    if new and min(_to_ends(new, old), _to_ends(old, new)) > MET_FT:
        expected = f"a name that no other street has, or a street that goes on where {other} ends"
        raise StreetsError.of("name", name, expected)


def _to_ends(lines: Sequence[LineString], others: Sequence[LineString]) -> float:
    """Return how near the ends of some lines come to others, feet."""
    ends = shapely.multipoints([end for line in lines for end in (line.coords[0][:2], line.coords[-1][:2])])
    return float(ends.distance(shapely.union_all(list(others))))


# --- addresses are not left behind ---


def stranded(connection: Connection, before: Village, after: Village) -> list[registers.Row]:
    """Return the active addresses whose street, or the part of it they stand at, is there before and not after.

    Parameters
    ----------
    connection
        To the register.
    before, after
        The village before and after.

    Returns
    -------
    list of dict
        The addresses with their locations, along the street.
    """
    used = connection.execute(sa.select(addresses.c.street).where(registers.IS_ACTIVE).distinct()).scalars()
    old, new = _lines(before), _lines(after)
    changed = [name for name in used if name in old and old[name] != new.get(name)]
    if not changed:
        return []
    on_it = registers.located_many(connection, registers.IS_ACTIVE, addresses.c.street.in_(changed))
    return [row for row in on_it if _is_left(row, old[row["street"]], new.get(row["street"], ()))]


def _lines(village: Village) -> dict[str, tuple[bytes, ...]]:
    found: dict[str, tuple[bytes, ...]] = {}
    for piece in village.files.pieces:
        found[piece.name] = (*found.get(piece.name, ()), piece.line.wkb)
    return found


def _is_left(row: registers.Row, old: Sequence[bytes], new: Sequence[bytes]) -> bool:
    if not new:
        return True
    door = shapely.Point(row["location_x_ft"], row["location_y_ft"])
    near, far = (float(np.min(shapely.distance(door, shapely.from_wkb(list(lines))))) for lines in (old, new))
    return far - near > MET_FT


def _check_stranded(connection: Connection, before: Village, after: Village, street: str) -> None:
    left = stranded(connection, before, after)
    if left:
        told = [{"id": row["id"], "address": row["full"], "status": row["status"]} for row in left]
        count = f"{len(left)} address{' is' if len(left) == 1 else 'es are'}"
        raise DependsError(
            f"{count} on {street}, and would be left on a street that is not there. Record the Board's act that "
            "renames or vacates the street, and its addresses follow; or renumber or retire them first.",
            told,
        )


# --- recorded and taken back ---


def record(atlas: Atlas, connection: Connection, actor: Actor, version: int, edit: AnyEdit) -> Row:
    """Record an officer's edit of a proposal, after it was tried.

    Parameters
    ----------
    atlas
        For the map.
    connection
        Of the transaction.
    actor
        Who edits.
    version
        The proposal.
    edit
        What changes, with the reason.

    Returns
    -------
    dict
        The edit's row.

    Raises
    ------
    StreetsError
        The version is no proposal; the edit is none that the map allows, matches nothing, or leaves addresses behind;
        no reason.
    """
    proposal(connection, version)
    if not edit.reason.strip():
        raise StreetsError.of("reason", "nothing", "why the map is edited")
    edit = replace(edit, reason=plain(edit.reason, "reason"))
    tried = attempt(atlas, connection, version, edit).edit
    assert tried is not None
    act = Act(connection, actor, edit.reason)
    made = {"map_version": version, "reason": edit.reason, "made_at": act.at, "made_by": actor.name}
    return registers.insert(act, "edit map", map_edits, {**columns_of(tried), **made})


def standing(connection: Connection, version: int, edit_id: int) -> Row:
    """Return an edit of a proposal that stands.

    Raises
    ------
    MapStateError
        The version is no proposal, or the edit is withdrawn.
    app.registers.NotFoundError
        The version has no such edit.
    """
    row = registers.get(connection, map_edits, edit_id)
    if version and row["map_version"] != version:
        raise registers.NotFoundError.of("id", str(edit_id), f"the id of an edit of version {version}")
    proposal(connection, row["map_version"])
    if row["withdrawn_at"] is not None:
        raise MapStateError.of("edit", f"edit {edit_id}, withdrawn", "an edit that stands")
    return row


def attempt_without(atlas: Atlas, connection: Connection, edit_id: int, version: int = 0) -> Trial:
    """Try to take an edit of a proposal back; nothing is recorded.

    Parameters
    ----------
    atlas
        For the map.
    connection
        Of the transaction.
    edit_id
        The edit.
    version
        The version it must be of; 0 for any.

    Returns
    -------
    Trial
        The version with it (before) and without it (after).

    Raises
    ------
    DependsError
        Addresses would be left on a street that is no more.
    StreetsError
        No such edit stands, or the others do not hold without it.
    """
    row = standing(connection, version, edit_id)
    after = atlas.read(connection, row["map_version"], without=edit_id)  # the others must still hold
    try:
        before = atlas.read(connection, row["map_version"])
    except StreetsError:
        return Trial(None, after, after)  # what cannot be derived is mended by taking it back
    _check_stranded(connection, before, after, row["street"])
    return Trial(None, before, after)


def withdraw_edit(
    atlas: Atlas, connection: Connection, actor: Actor, edit_id: int, reason: str, version: int = 0
) -> Row:
    """Take an edit of a proposal back; see `attempt_without`.

    Parameters
    ----------
    atlas
        For the map.
    connection
        Of the transaction.
    actor
        Who takes it back.
    edit_id
        The edit.
    reason
        Why.
    version
        The version it must be of; 0 for any.

    Returns
    -------
    dict
        The edit's row.
    """
    attempt_without(atlas, connection, edit_id, version)
    act = Act(connection, actor, needs_reason(reason))
    row = registers.get(connection, map_edits, edit_id)
    return registers.update(act, "withdraw edit", map_edits, row, {"withdrawn_at": act.at})


def undone_well(atlas: Atlas, connection: Connection, version: int, undo: Callable[[], None]) -> None:
    """Take back what changes a version's edits, and refuse it where the map or an address would not hold after.

    Parameters
    ----------
    atlas
        For the map.
    connection
        Of the transaction.
    version
        The version.
    undo
        Takes it back.

    Raises
    ------
    DependsError
        Addresses would be left on a street that is no more.
    StreetsError
        The map cannot be derived after it.
    """
    try:
        before: Village | None = atlas.read(connection, version)
    except StreetsError:
        before = None
    undo()
    after = atlas.read(connection, version)
    if before is not None:
        names = {edit["street"] for edit in edits_of(connection, version)}
        _check_stranded(connection, before, after, ", ".join(sorted(names)[:3]) or "these streets")


def orphans(connection: Connection, village: Village) -> list[registers.Row]:
    """Return the active addresses on streets that a village does not have; none may be left at its adoption."""
    used = connection.execute(sa.select(addresses.c.street).where(registers.IS_ACTIVE).distinct()).scalars()
    gone = vacated(connection)
    lost = [name for name in used if name not in village.network.by_name and street_key(name) not in gone]
    return registers.located_many(connection, registers.IS_ACTIVE, addresses.c.street.in_(lost)) if lost else []
