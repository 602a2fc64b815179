"""What an edit of a proposed map would change, shown before it is recorded and recorded as it was shown."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy.engine import Connection

from app.adoption import block_change, described, in_parts, under
from app.answers import listed
from app.audit import Actor
from app.columns import canonical
from app.map_edits import Trial, attempt, attempt_without, record, withdraw_edit
from app.map_versions import Atlas, MapStateError, proposal
from app.registers import IN_ORDER, Row
from app.street_plans import AnyEdit
from app.village import Village
from gis.difference import difference
from gis.findings import Finding

Json = dict[str, Any]


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
        ``streets`` that come and go, edits that would match nothing (``unmatched``), ``counts``, and ``seen``, a digest
        of all this by which it is recorded as it was shown.

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


def confirm(atlas: Atlas, connection: Connection, actor: Actor, version: int, edit: AnyEdit, seen: str) -> Row:
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
    dict
        The edit's row.

    Raises
    ------
    MapStateError
        It would change something else by now.
    StreetsError
        As `app.map_edits.record` does.
    """
    if seen:
        _check_seen(preview(atlas, connection, version, edit), seen)
    return record(atlas, connection, actor, version, edit)


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
) -> Row:
    """Take an edit back as it was shown; see `confirm`."""
    if seen:
        _check_seen(preview_withdrawal(atlas, connection, version, edit_id), seen)
    return withdraw_edit(atlas, connection, actor, edit_id, reason, version)


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
    }
    return {**made, "seen": hashlib.sha256(canonical(made).encode()).hexdigest()[:16]}


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
