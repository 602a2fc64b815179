"""Who asks in a test: holders of keys and of sessions, with any roles."""

from __future__ import annotations

import sqlalchemy as sa

from app.audit import CONSOLE
from app.auth import Role
from app.db import Database
from app.deps import COOKIE
from app.keys import add_key
from app.people import add_user
from app.sessions import Guest, holder, use_link
from app.tables import audit, metadata

Headers = dict[str, str]
PASSWORD = "four plain words here"


def by_key(database: Database, *roles: Role, name: str = "a system") -> Headers:
    """The headers of a request by a new key with roles."""
    return {"Authorization": f"Bearer {add_key(database, CONSOLE, name, roles)[1]}"}


def by_session(database: Database, name: str, *roles: Role) -> Headers:
    """The headers of a request by a new user with roles, from one of the pages of its session."""
    token = use_link(database, Guest("192.0.2.1", "a test"), add_user(database, CONSOLE, name, roles)[1])
    with database.read() as connection:
        found = holder(connection, token)
    assert found is not None
    return {"Cookie": f"{COOKIE}={token}", "X-CSRF-Token": found[0].csrf}


def state(database: Database) -> dict[str, object]:
    """What is in the database: the head of the audit and how many rows each table has."""
    with database.read() as connection:
        counts = {t.name: connection.execute(sa.select(sa.func.count()).select_from(t)).scalar_one()
                  for t in metadata.tables.values()}  # fmt: skip
        head = connection.execute(sa.select(audit.c.hash).order_by(audit.c.seq.desc()).limit(1)).scalar_one_or_none()
    return {**counts, "head": head}
