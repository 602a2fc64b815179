"""Taking any step of a case by its name, whether it records a fact, undoes one or issues a document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app import casebook, cases, issuing
from app.auth import Person
from app.casework import UNDO
from app.map_versions import Atlas

Json = dict[str, Any]


def take(
    atlas: Atlas,
    person: Person,
    case_id: int,
    name: str,
    given: Mapping[str, Any],
    base_url: str,
    now: datetime,
    key: str = "",
) -> Json:
    """Take a step of a case.

    Parameters
    ----------
    atlas
        The village and its register.
    person
        Who takes it.
    case_id
        The case.
    name
        A step of its kind, or ``undo``.
    given
        The step's facts, perhaps ``at`` and ``reason``.
    base_url
        Address of the public pages, for a document.
    now
        The instant it is recorded.
    key
        Of the request: the same one sent twice is done once.

    Returns
    -------
    dict
        ``id`` of the case, and ``event`` or ``document``.

    Raises
    ------
    StreetsError
        What `app.cases.take`, `app.cases.undo` and `app.issuing.issue_for_case` refuse.
    """
    if name == UNDO:
        return cases.undo(atlas.database, person, case_id, str(given.get("reason", "")), now, key)
    with atlas.database.read() as connection:
        kind = casebook.KINDS[casebook.get(connection, case_id)["kind"]]
    if casebook.step_of(kind, name).document:
        return issuing.issue_for_case(atlas, person, case_id, given, base_url, now, key)
    return cases.take(atlas.database, person, case_id, name, given, now, key)
