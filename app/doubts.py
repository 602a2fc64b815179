"""The Clerk-Treasurer's doubt queue (§ 288-15 J): opened by whoever doubts, decided once, by the Clerk-Treasurer.

"In case of doubt as to the proper number to be assigned to any lot or building, the Clerk-Treasurer shall determine the
number of such lot or building."
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.acts import add, numbered, open_doubt
from app.audit import Act, Actor
from app.changes import StateError, check_free, needs_reason
from app.clocks import local_day
from app.columns import instant
from app.considered import (
    SamePlaceError,
    Wanted,
    about_holder,
    consider,
    letter,
    numbered_here,
    refuse_vacated,
)
from app.map_versions import Atlas
from app.settings import plain
from app.tables import doubts
from gis.errors import StreetsError

Json = dict[str, Any]


def raise_doubt(atlas: Atlas, connection: Connection, actor: Actor, wanted: Wanted, question: str) -> registers.Row:
    """Put a question about an entrance's number before the Clerk-Treasurer.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        Of the transaction.
    actor
        Who asks.
    wanted
        The entrance; a number in it is what the officer would give.
    question
        What is in doubt.

    Returns
    -------
    dict
        The doubt.
    """
    if not question.strip():
        raise StreetsError.of("question", "nothing", "what is in doubt")
    village = atlas.now(connection)
    found = consider(village, connection, replace(wanted, number=None))
    act = Act(connection, actor, " ".join(plain(question, "question").split()))
    return open_doubt(act, village, replace(found, wanted=wanted), "OFFICER", act.reason)


def decide(
    atlas: Atlas,
    connection: Connection,
    actor: Actor,
    doubt_id: int,
    number: int | None,
    suffix: str,
    reason: str,
    *,
    another_building: bool = False,
) -> registers.Row:
    """Determine the number of a lot or building in doubt, or that none is given; decided once.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        Of the transaction.
    actor
        The Clerk-Treasurer, or who acts for that officer.
    doubt_id
        The doubt.
    number, suffix
        The number determined, of either side; None where no number is given.
    reason
        Why; it is recorded and stands on the certificate.
    another_building
        Whether the Clerk-Treasurer says that it is another building than the one numbered at this entrance already.

    Returns
    -------
    dict
        The doubt as decided; its ``address_id`` is the address made.

    Raises
    ------
    StateError
        It was decided before; the message says by whom.
    TakenError
        The number is held.
    SamePlaceError
        The entrance has a number meanwhile: "Only one number shall be assigned to any house or building" (§ 288-15 H).
    """
    row = registers.get(connection, doubts, doubt_id)
    if row["status"] != "open":
        told = f"decided by {row['decided_by']} on {local_day(row['decided_at'])}: {row['reason']}"
        raise StateError.of("doubt", told, "a doubt that is open; each is decided once")
    suffix = letter(suffix)
    if number is None and suffix:
        raise StreetsError.of("number", f"none, with the letter {suffix}", "a number that the letter follows")
    act = Act(connection, actor, needs_reason(reason))
    changes: Json = {"status": "decided", "decided_at": act.at, "decided_by": actor.name, "reason": act.reason}
    changes["decision"] = {"number": number, "suffix": suffix}
    if number is not None:
        made = _given(atlas, act, row, number, suffix, another_building=another_building)
        changes["address_id"] = made["id"]
    return registers.update(act, "decide doubt", doubts, row, changes)


def _given(
    atlas: Atlas, act: Act, doubt: registers.Row, number: int, suffix: str, *, another_building: bool
) -> registers.Row:
    """Give a doubt's entrance the number that was determined; refuse a further one of the same entrance."""
    connection, village = act.connection, atlas.now(act.connection)
    asked = {**doubt["request"], "number": number, "suffix": suffix, "reason": act.reason, "parity_decided": True}
    found = consider(village, connection, Wanted(**asked))
    if found.row is None:
        raise StateError.of("doubt", "an entrance on no street", "one that fronts on a street")
    refuse_vacated(connection, found.row.street)
    held = None if suffix or another_building else numbered_here(connection, found)
    if held is not None:
        told = f"{held['full']} ({held['status']}) is the number of this very entrance or building."
        raise SamePlaceError(f"{told} Say that it is another building, and why.", about_holder(held))
    check_free(connection, numbered(found.row.street, found.row.side, number, found.wanted.suffix))
    said = {"by": act.actor.name, "at": instant(act.at), "reason": act.reason, "section": "288-15 J"}
    decided = {"decisions": [{**said, "decision": f"The number is {number}{suffix}."}], "doubt_id": doubt["id"]}
    return add(act, village, replace(found, number=number, confirm=""), decided, clerk=act.reason)


def listed(connection: Connection, *, status: str = "", limit: int = 500) -> list[registers.Row]:
    """Return doubts, the oldest open ones first."""
    conditions = [doubts.c.status == status] if status else []
    order = [doubts.c.status.desc(), doubts.c.opened_at, doubts.c.id]
    return registers.rows(connection, doubts, *conditions, order=order, limit=limit)
