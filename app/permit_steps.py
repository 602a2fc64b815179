"""Taking any step of a permit by its name, whether it records a fact, undoes one or issues the permit's document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app import casebook, permits, street_issuing
from app.casework import UNDO
from app.permits import Desk
from app.street_issuing import Office

Json = dict[str, Any]


def take(office: Office, permit_id: int, name: str, given: Mapping[str, Any]) -> Json:
    """Take a step of a permit.

    Parameters
    ----------
    office
        Who takes it, where and when.
    permit_id
        The permit.
    name
        A step of its kind, or ``undo``.
    given
        The step's facts, perhaps ``at`` and ``reason``.

    Returns
    -------
    dict
        ``id`` of the permit, and ``event`` or ``document``.

    Raises
    ------
    StreetsError
        What `app.permits.take` and `app.street_issuing.issue` refuse.
    """
    if name != UNDO:
        with office.atlas.database.read() as connection:
            kind = casebook.KINDS[permits.get(connection, permit_id)["kind"]]
        if casebook.step_of(kind, name).document:
            return street_issuing.issue(office, permit_id, name, given)
    desk = Desk(office.atlas, office.ground, office.person, office.now, office.key)
    return permits.take(desk, permit_id, name, given)
