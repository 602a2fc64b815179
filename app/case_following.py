"""What follows for cases from acts on their addresses: renumbering, retiring, and the undoing of either."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from app import registers
from app.audit import Act
from app.case_tables import cases
from app.casebook import get
from app.cases import add_event, settle
from app.casework import UNDO
from app.registers import Row


def follow(act: Act, old: Row, new: Row) -> None:
    """Lead the open cases of a renumbered address over to its new number, with the clock of the new assigning.

    A notice that was served required the old number, so it has lapsed; the case begins anew.

    Parameters
    ----------
    act
        The renumbering.
    old, new
        The address retired, and the one that replaces it.
    """
    facts = {"from": old["id"], "from_address": old["full"], "to": new["id"], "to_address": new["full"]}
    for case in _open_cases(act.connection, old["id"]):
        add_event(act, "renumber", case, "renumber", act.at, facts)
        settle(act, "renumber", case, {"address_id": new["id"], "place": new["full"]})


def close_retired(act: Act, address: Row, does: str = "retire") -> None:
    """Close the open cases of an address that is retired and that nothing replaces."""
    for case in _open_cases(act.connection, address["id"]):
        add_event(act, does, case, "retire", act.at, {"address": address["full"]})
        settle(act, does, case)


def take_back(act: Act, event: Row) -> None:
    """Undo the event of a case that followed from an act on its address, with that act."""
    case = get(act.connection, event["case_id"])
    add_event(act, "undo", case, UNDO, act.at, {"event": event["id"]})


def _open_cases(connection: Connection, address_id: int) -> list[Row]:
    return registers.rows(connection, cases, cases.c.address_id == address_id, cases.c.closed_at.is_(None))


def on_address(connection: Connection, address_id: int) -> list[Row]:
    """Return the cases on an address, the open one first, then the latest."""
    order = [cases.c.closed_at.is_not(None), cases.c.id.desc()]
    return registers.rows(connection, cases, cases.c.address_id == address_id, order=order)
