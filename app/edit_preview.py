"""What an edit of a proposed map would change, shown before it is recorded and recorded as it was shown."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.adoption import block_change, described, in_parts, under
from app.answers import listed
from app.audit import Actor
from app.columns import canonical
from app.map_edits import Trial, attempt, attempt_without, base_lines, joins_none, lies_along, record, withdraw_edit
from app.map_versions import Atlas, MapStateError, proposal
from app.registers import IN_ORDER, Row
from app.street_names import name_doubts
from app.street_plans import AnyEdit
from app.tables import addresses
from app.village import SetBase, Village
from gis.difference import difference
from gis.findings import Finding
from gis.street_edits import BASE_LINE, DRAW, KIND, NAME, StreetEdit

Json = dict[str, Any]


C1 = {
    "ew": (
        "Main Street shall be considered an east-west street and shall constitute the base line for numbering along "
        "all streets running in a northerly and southerly direction."
    ),
    "ns": (
        "Van Buren Street shall be considered a north-south street and shall constitute the base line for numbering "
        "along all streets running in an easterly and westwardly direction."
    ),
}
"""What the ordinance says of each base line (§ 288-15 C(1))."""

Check = Callable[[Atlas, Connection, int, Any], Json]
"""Says what an edit of a version would change."""


def preview(atlas: Atlas, connection: Connection, version: int, edit: AnyEdit) -> Json:
    """Say what an edit of a proposal would change: every block and every number, against the proposal without it.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        To the register.
    version
        A proposal.
    edit
        What would change; its reason may be left out.

    Returns
    -------
    dict
        ``blocks``, ``addresses`` with the number each ``was`` and ``would_be`` computed, ``findings`` that come and go,
        ``streets`` that come and go, edits that would match nothing (``unmatched``), ``warnings``, ``counts``, and
        ``seen``, a digest of all this by which it is recorded as it was shown.

    Raises
    ------
    StreetsError
        As `app.map_edits.attempt` does; the version is no proposal.
    """
    proposal(connection, version)
    return told(connection, version, attempt(atlas, connection, version, edit))


def preview_withdrawal(atlas: Atlas, connection: Connection, version: int, edit_id: int) -> Json:
    """Say what taking an edit of a proposal back would change, as `preview` does."""
    return told(connection, version, attempt_without(atlas, connection, edit_id, version))


def confirm(
    atlas: Atlas, connection: Connection, actor: Actor, version: int, edit: AnyEdit, seen: str
) -> tuple[Row, list[str]]:
    """Record an edit as it was shown.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        Of the transaction.
    actor
        Who edits.
    version
        A proposal.
    edit
        What changes, with the reason.
    seen
        The digest of what was shown; ``""`` records it unseen.

    Returns
    -------
    tuple of dict, list
        The edit's row, and what it was warned of.

    Raises
    ------
    MapStateError
        It would change something else by now, or it sets a base line and was not seen.
    StreetsError
        As `app.map_edits.record` does.
    """
    warned: list[str] = []
    if seen or isinstance(edit, StreetEdit):
        made = preview(atlas, connection, version, edit)
        warned = made["warnings"]
        if seen:
            _check_seen(made, seen)
        elif edit.kind == BASE_LINE and warned:
            raise MapStateError.of("seen", f"nothing. {' '.join(warned)}", "the `seen` of its preview")
    return record(atlas, connection, actor, version, edit), warned


def shown_or_recorded(
    atlas: Atlas, actor: Actor, version: int, edit: AnyEdit, seen: str, check: Check = preview
) -> Json | None:
    """Show what an edit would change, or record it where that is what was seen.

    Parameters
    ----------
    atlas
        The village and its register.
    actor
        Who edits.
    version
        A proposal.
    edit
        What changes; without a reason it is only shown.
    seen
        The digest of what was shown before; ``""`` where nothing was.
    check
        Says what it would change.

    Returns
    -------
    dict or None
        What it would change now; None once it is recorded.
    """
    if seen and edit.reason:
        with atlas.database.write() as connection:
            if check(atlas, connection, version, edit)["seen"] == seen:
                record(atlas, connection, actor, version, edit)
                return None
    with atlas.database.read() as connection:
        proposal(connection, version)
        return check(atlas, connection, version, edit)


def confirm_withdrawal(
    atlas: Atlas, connection: Connection, actor: Actor, version: int, edit_id: int, reason: str, seen: str
) -> tuple[Row, list[str]]:
    """Take an edit back as it was shown; returns also which edits match nothing without it. See `confirm`.

    Where others rest on it, it must have been seen.
    """
    made = preview_withdrawal(atlas, connection, version, edit_id)
    if seen:
        _check_seen(made, seen)
    elif made["unmatched"]:
        told = f"nothing, and edits that would match nothing without it: {'; '.join(made['unmatched'])}"
        raise MapStateError.of("seen", told, "the `seen` of its preview")
    return withdraw_edit(atlas, connection, actor, edit_id, reason, version), made["unmatched"]


def _check_seen(made: Mapping[str, Any], seen: str) -> None:
    if made["seen"] != seen:
        raise MapStateError.of("seen", "what was shown before the register changed", "what it would change now")


def told(connection: Connection, version: int, trial: Trial) -> Json:
    """Return what differs between a version without and with an edit.

    Parameters
    ----------
    connection
        To the register.
    version
        The version.
    trial
        Both.

    Returns
    -------
    dict
        As `preview` gives it.
    """
    before, after = trial.before, trial.after
    blocks = [block_change(before, after, change) for change in difference(before.map, after.map)]
    numbers = _numbers(connection, before, after)
    old, new = _findings(before), _findings(after)
    lost = {edit.place for edit in before.unmatched}
    made: Json = {
        "version": version,
        "edit": _shown(trial.edit) if trial.edit else None,
        "counts": {
            "blocks": len(blocks),
            "official": sum(a["status"] == "official" for a in numbers),
            "provisional": sum(a["status"] != "official" for a in numbers),
        },
        "blocks": blocks,
        "addresses": numbers,
        "findings": {"come": _other_than(new, old), "go": _other_than(old, new)},
        "streets": {"come": _names(after, before), "go": _names(before, after)},
        "unmatched": [edit.place for edit in after.unmatched if edit.place not in lost],
        "warnings": _warnings(connection, trial),
    }
    return {**made, "seen": hashlib.sha256(canonical(made).encode()).hexdigest()[:16]}


def _warnings(connection: Connection, trial: Trial) -> list[str]:
    """Say what an officer should know of an edit of streets before it is recorded."""
    edit, before = trial.edit, trial.before
    had = {(base.role, base.street) for base in before.bases}
    told = [_departs(base) for base in trial.after.bases if (base.role, base.street) not in had]
    if not isinstance(edit, StreetEdit):
        return told
    if edit.kind == NAME and edit.to != edit.street and edit.street in base_lines(before):
        told.append(f"The ordinance names its base lines; {edit.street} is one (§ 288-15 C(1)).")
    if edit.kind == NAME and edit.to != edit.street:
        told += name_doubts(edit.to)
    if edit.kind == DRAW:
        told += name_doubts(edit.street)
        if joins_none(trial.after, edit):
            told.append(f"{edit.street} joins no street.")
        told += filter(None, [lies_along(before, edit)])
    if edit.kind == KIND and edit.to in {"path", "alley"}:
        count = registers.counted(connection, addresses, registers.IS_ACTIVE, addresses.c.street == edit.street)
        if count:
            word = {"path": "a path", "alley": "an alley"}[edit.to]
            have = f"{count} active address{' is' if count == 1 else 'es are'}"
            told.append(f"{have} on {edit.street}. They keep their numbers; say in the reason why it is {word}.")
    return told


def _departs(base: SetBase) -> str:
    words = C1[base.role]
    return (
        f"The ordinance names {base.named} as this base line: “{words}” (§ 288-15 C(1)). {base.street} would take its "
        "place against these words; every explanation will say that an officer set it, and the map is adopted only "
        "with a reason."
    )


def _shown(edit: AnyEdit) -> Json:
    unsigned = replace(edit, reason="", by="", on="")
    known = {name: value for name, value in asdict(unsigned).items() if name not in {"reason", "by", "on"}}
    return {name: [list(p) for p in value] if name == "line" else value for name, value in known.items()}


def _numbers(connection: Connection, before: Village, after: Village) -> list[Json]:
    """List the active addresses whose computed number is another, along their streets."""
    made = []
    for part in in_parts(connection):
        for was, now in zip(under(before, part), under(after, part), strict=True):
            if was.number != now.number:
                made.append((now.row, {**described(now), "was": was.number}))
    made.sort(key=lambda one: [one[0][c.name] for c in IN_ORDER])
    return [number for _, number in made]


def _findings(village: Village) -> list[Finding]:
    """Return every finding of a map, each once."""
    on_rows = (finding for row in village.map.rows for finding in row.findings)
    return list(dict.fromkeys((*village.map.findings, *on_rows)))


def _other_than(found: Sequence[Finding], others: Sequence[Finding]) -> list[Json]:
    """List findings that do not say the same as one of others: values may differ where the words do not."""
    said = {(f.code, f.message) for f in others}
    kept = {(f.code, f.message): f for f in found}
    return listed([finding for words, finding in kept.items() if words not in said])


def _names(one: Village, other: Village) -> list[str]:
    return sorted(one.network.by_name.keys() - other.network.by_name.keys())
