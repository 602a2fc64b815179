"""What the public may know of an address, and every change of it in the order it happened.

The feed is the audit log read for addresses and their places: append-only as the log is, so it is never reordered, and
whoever replays it from the first change has the register's public state exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.tables import audit

Json = dict[str, Any]

PARTS = (
    *("number_prefix", "number", "fraction", "suffix", "pre_directional", "street_pre_type", "street_name"),
    *("street_post_type", "street_post_directional", "unit_type", "unit"),
)
"""CLDXF parts of an address; `gis.address` says which is which."""
KINDS = {
    "assign": "assigned",
    "confirm": "confirmed",
    "correct": "corrected",
    "retire": "retired",
    "restore": "restored",
    "renumber": "renumbered",
    "rename street": "street_renamed",
    "vacate street": "street_vacated",
    "adopt map": "map_adopted",
    "decide doubt": "doubt_decided",
    "import": "imported",
    "undo": "undone",
}
"""What a change is called, by the act that the log names; another act is called as the log has it."""
AT_ONCE = 2000
_ENTRIES = sa.select(
    *(audit.c.seq, audit.c.hash, sa.type_coerce(audit.c.at, sa.String), audit.c.what, audit.c.kind, audit.c.subject),
    audit.c.after,
)


class Entry(NamedTuple):
    """An entry of the log about an address or a place."""

    seq: int
    hash: str
    at: str
    what: str
    kind: str
    subject: str
    after: str


CHECK_BITS = 20


def cursor_of(seq: int, digest: str) -> int:
    """Return the cursor of an entry of the log: rising with its number, and of this history alone.

    After a backup is restored other entries get the numbers of those that are lost. A cursor of the lost ones is then
    known by its last bits, which are of the entry's hash.

    Parameters
    ----------
    seq, digest
        The entry's number and hash.
    """
    return seq << CHECK_BITS | int(digest[: CHECK_BITS // 4], 16)


def public(address: Mapping[str, Any], place: Mapping[str, Any]) -> Json:
    """Return what the public may know of an address.

    Parameters
    ----------
    address, place
        Its row and that of its location.

    Returns
    -------
    dict
        Its forms and parts, status, place and what replaced it.
    """
    access = (place["access_lon"], place["access_lat"])
    return {
        "id": address["id"],
        "address": address["full"],
        "usps": address["usps"],
        "status": address["status"],
        "parts": {name: address[name] for name in PARTS},
        "street": address["street"],
        "half": address["half"],
        "lon": place["lon"],
        "lat": place["lat"],
        "placement": place["placement"],
        "accuracy_ft": place["accuracy_ft"],
        "access": None if None in access else list(access),
        "access_note": place["access_note"],
        "map_version": address["map_version"],
        "replaced_by": address["replaced_by"],
    }


def entries(connection: Connection, after: int = 0) -> Iterator[Entry]:
    """Give the log's entries about addresses and places, in order.

    Parameters
    ----------
    connection
        To the register.
    after
        Only those after this one.

    Yields
    ------
    Entry
        As many as there are; few are held in memory at a time.
    """
    # through a function, so that the log is read as it lies: by an index of kinds it would be sorted whole in memory
    kind = sa.func.coalesce(audit.c.kind, "")
    about = audit.c.seq > after, kind.in_(("addresses", "locations")), audit.c.after.is_not(None)
    asked = _ENTRIES.where(*about).order_by(audit.c.seq).execution_options(yield_per=AT_ONCE)
    yield from map(Entry._make, connection.execute(asked))


def hash_of(connection: Connection, seq: int) -> str:
    """Return the hash of an entry of the log; ``""`` where there is no such entry."""
    return connection.execute(sa.select(audit.c.hash).where(audit.c.seq == seq)).scalar_one_or_none() or ""


def row_of(entry: Entry) -> Json:
    """Return the row that an entry of the log left."""
    row: Json = orjson.loads(entry.after)
    return row
