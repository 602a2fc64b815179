"""A register with something in it, written as the service writes it."""

import hashlib
import zlib
from datetime import UTC, date, datetime
from typing import Any

import sqlalchemy as sa

from app import registers
from app.audit import CONSOLE, Act, head
from app.db import Database
from app.tables import addresses, documents, locations, maps, metadata, users

AT = datetime(2026, 7, 1, 12, 0, 0, 123456, tzinfo=UTC)
DAY = date(2026, 7, 1)


def add_map(act: Act) -> int:
    snapshot = zlib.compress(b'{"pieces":[]}')
    values = {
        **{"version": 1, "status": "proposal", "snapshot": snapshot, "digest": "0" * 64, "law_date": DAY},
        **{"placeholders": 0, "reason": "the first", "made_at": act.at, "made_by": act.actor.name},
    }
    return int(registers.insert(act, "propose map", maps, values)["version"])


def add_address(act: Act, number: int, street: str = "Van Buren Street", **other: Any) -> dict[str, Any]:
    place = {
        **{"x_ft": number * 7.1, "y_ft": 1 / 3, "lon": -90.38 + number * 1e-5, "lat": 42.57, "accuracy_ft": None},
        **{"placement": "Structure", "access_lon": None, "access_lat": None, "access_note": "", "doors": 1},
        **{"building": None, "lot": {"type": "Polygon", "é": [0.1, None, True]}, "made_at": act.at},
    }
    where = registers.insert(act, "assign", locations, place)
    values = {
        **{"status": "provisional", "location_id": where["id"], "street": street, "street_key": street.lower()},
        **{"half": "North", "path": 0, "even": number % 2 == 0, "station_ft": 12.5, "number_prefix": ""},
        **{"number": number, "fraction": "", "suffix": "", "pre_directional": "North", "street_pre_type": ""},
        **{"street_name": "Van Buren", "street_post_type": "Street", "street_post_directional": "", "unit_type": ""},
        **{"unit": "", "full": f"{number} North {street}", "usps": f"{number} N VAN BUREN ST", "map_version": 1},
        **{"computed_number": number, "law_date": DAY, "findings": [], "decisions": [], "set_back": None},
        **{"explanation": registers.keep_explanation(act.connection, {"number": number}), "reason": "“new”"},
        **{"conforms": True, "doubt_id": None, "replaced_by": None, "made_at": act.at, "made_by": act.actor.name},
        **{"retired_at": None, "retired_reason": ""},
    }
    return registers.insert(act, "assign", addresses, {**values, **other})


def add_document(act: Act, address_id: int) -> None:
    pdf = b"%PDF-\x00\xff" * 50
    values = {"kind": "certificate", "number": f"C-{address_id}", "address_id": address_id, "issued_at": act.at}
    values |= {"issued_by": act.actor.name, "facts": {"a": 1}, "sha256": hashlib.sha256(pdf).hexdigest(), "pdf": pdf}
    act.connection.execute(sa.insert(documents).values(**values, audit_head=head(act.connection)))
    act.record("issue", "documents", values["number"])


def fill(database: Database, numbers: range = range(100, 106, 2)) -> str:
    """Put a user, a map, addresses and a document into a register; gives the audit's head."""
    with database.write() as connection:
        act = Act(connection, CONSOLE, "filled", AT)
        values = {"name": "Änne", "name_key": "änne", "roles": ["clerk"], "active": True, "made_at": AT, "made_by": "-"}
        connection.execute(sa.insert(users).values(**values, password_hash=None))
        act.record("add user", "users", 1, None, {"name": "Änne"})
        add_map(act)
        rows = [add_address(act, number) for number in numbers]
        add_document(act, rows[0]["id"])
        return head(connection)


def content(database: Database) -> dict[str, list[Any]]:
    """Every row of every table."""
    with database.read() as connection:
        return {
            table.name: [
                tuple(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key.columns))
            ]
            for table in metadata.sorted_tables
        }
