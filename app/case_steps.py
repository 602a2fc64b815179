"""Taking any step of a case or permit by its name, whether it records a fact, undoes one or issues a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app import casebook, cases, issuing, permits, street_issuing
from app.casebook import NoCaseError
from app.casework import UNDO
from app.permits import Desk
from app.street_issuing import Office

Json = dict[str, Any]


def take(office: Office, case_id: int, name: str, given: Mapping[str, Any], *, permit: bool = False) -> Json:
    """Take a step of a case or permit.

    Parameters
    ----------
    office
        Who takes it, where and when.
    case_id
        The case or permit.
    name
        A step of its kind, or ``undo``.
    given
        The step's facts, perhaps ``at`` and ``reason``.
    permit
        Whether a permit is meant: each is acted on at its own desk, its undoing and its document too.

    Returns
    -------
    dict
        ``id`` of the case, and ``event`` or ``document``.

    Raises
    ------
    NoCaseError
        There is none, or it is a permit where a case is meant.
    StreetsError
        What `app.cases.take`, `app.cases.undo`, `app.permits.take`, `app.issuing.issue_for_case` and
        `app.street_issuing.issue` refuse.
    """
    atlas, person, now, key = office.atlas, office.person, office.now, office.key
    with atlas.database.read() as connection:
        kind = casebook.KINDS[casebook.get(connection, case_id)["kind"]]
    if (kind.book == "permit") is not permit:
        raise NoCaseError.of("id", str(case_id), f"the id of a {'permit' if permit else 'case'}")
    if name == UNDO:
        return cases.undo(atlas.database, person, case_id, str(given.get("reason") or ""), now, key)
    document = casebook.step_of(kind, name).document
    if document == "violation":
        return issuing.issue_for_case(atlas, person, case_id, given, office.base_url, now, key)
    if document:
        return street_issuing.issue(office, case_id, name, given)
    if permit:
        return permits.take(Desk(atlas, office.ground, person, now, key), case_id, name, given)
    return cases.take(atlas.database, person, case_id, name, given, now, key)


def draft(office: Office, case_id: int, name: str, given: Mapping[str, Any]) -> bytes:
    """Draw the document of a step as it would be issued, marked as a draft; nothing is kept.

    Parameters
    ----------
    office, case_id, name, given
        As in `take`.

    Returns
    -------
    bytes
        A PDF.

    Raises
    ------
    StreetsError
        What issuing it would refuse.
    """
    with office.atlas.database.read() as connection:
        kind = casebook.KINDS[casebook.get(connection, case_id)["kind"]]
        if casebook.step_of(kind, name).document != "violation":
            return street_issuing.draft(office, case_id, name, given)
        asked = issuing.of_case(connection, office.person, case_id, given, office.base_url, office.now)
    return issuing.draft(office.atlas, office.person, asked)
