"""Keys by which other systems ask: each has a name and roles, is shown once, stored hashed, and can be revoked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.audit import Act, Actor
from app.auth import Person, Role, hashed, name_key, new_token, read_name, read_roles
from app.db import Database
from app.once import refuse_sent_before
from app.tables import api_keys, users
from gis.errors import Fault, StreetsError

PREFIX = "benton_"
SHOWN = 12


class UnknownKeyIdError(StreetsError):
    """No key has that id."""


@dataclass(frozen=True)
class Key:
    """A key as it is listed; the secret itself is nowhere.

    Parameters
    ----------
    id
        By which it is revoked.
    name
        The system that holds it.
    roles
        What it may do.
    shown
        Its first signs, by which its holder recognises it.
    made_at, made_by
        When and by whom it was made.
    used_at
        When it was last used, to within some minutes; None when never.
    revoked_at
        When it was revoked; None while it is in force.
    """

    id: int
    name: str
    roles: frozenset[Role]
    shown: str
    made_at: datetime
    made_by: str
    used_at: datetime | None
    revoked_at: datetime | None


def _key(row: Any) -> Key:
    roles = frozenset(map(Role, row.roles))
    return Key(row.id, row.name, roles, row.shown, row.made_at, row.made_by, row.used_at, row.revoked_at)


def add_key(database: Database, actor: Actor, name: str, roles: Iterable[str], token: str = "") -> tuple[Key, str]:
    """Make a key.

    Parameters
    ----------
    database
        The register's.
    actor
        Who makes it.
    name
        The system that will hold it.
    roles
        Names of roles.
    token
        Of the form that asks, which makes one key however often it is sent; ``""`` where none does.

    Returns
    -------
    tuple of Key and str
        The key as listed, and the secret itself, which cannot be had again.

    Raises
    ------
    StreetsError
        The name or a role cannot be used.
    app.once.SentBeforeError
        The form was sent before.
    """
    name, held = read_name(name), read_roles(roles)
    secret = PREFIX + new_token()
    with database.write() as connection:
        refuse_sent_before(connection, actor, token, "The key was made and shown already; nothing more was done.")
        same = sa.select(users.c.name).where(users.c.name_key == name_key(name))
        if connection.execute(same).first() is not None:
            found = Fault("name", name, "a name that no user has: what a key does is told from what a person does")
            raise StreetsError("The name is a user's.", [found])
        act = Act(connection, actor)
        values = {"name": name, "roles": sorted(held), "shown": secret[:SHOWN], "made_at": act.at}
        made = connection.execute(
            api_keys.insert()
            .values(**values, key_hash=hashed(secret), made_by=actor.name)
            .returning(*(column for column in api_keys.c if column.name != "key_hash"))
        ).one()
        act.record("add key", "api_keys", made.id, None, {"name": name, "roles": sorted(held), "shown": made.shown})
    return _key(made), secret


def list_keys(connection: Connection) -> list[Key]:
    """Return every key, those in force first, then by name."""
    rows = connection.execute(sa.select(api_keys).order_by(api_keys.c.id))
    return sorted(map(_key, rows), key=lambda key: (key.revoked_at is not None, key.name.casefold(), key.id))


def revoke_key(database: Database, actor: Actor, key_id: int) -> Key:
    """Revoke a key at once and for ever; one that is revoked already stays so.

    Parameters
    ----------
    database
        The register's.
    actor
        Who revokes it.
    key_id
        The key's id.

    Returns
    -------
    Key
        As it is now.

    Raises
    ------
    UnknownKeyIdError
        There is no such key.
    """
    with database.write() as connection:
        row = connection.execute(sa.select(api_keys).where(api_keys.c.id == key_id)).one_or_none()
        if row is None:
            raise UnknownKeyIdError("There is no such key.", [Fault("id", str(key_id), "the id of a key")])
        if row.revoked_at is None:
            act = Act(connection, actor)
            connection.execute(api_keys.update().where(api_keys.c.id == key_id).values(revoked_at=act.at))
            before = {"name": row.name, "roles": row.roles, "shown": row.shown}
            act.record("revoke key", "api_keys", key_id, before, {**before, "revoked_at": act.at})
        return _key(connection.execute(sa.select(api_keys).where(api_keys.c.id == key_id)).one())


_IN_FORCE = sa.select(api_keys).where(api_keys.c.key_hash == sa.bindparam("secret"), api_keys.c.revoked_at.is_(None))


def holder(connection: Connection, secret: str) -> tuple[Person, datetime | None] | None:
    """Return who asks with a key and when it was last used; None when it is unknown or revoked."""
    row = connection.execute(_IN_FORCE, {"secret": hashed(secret)}).one_or_none()
    if row is None:
        return None
    return Person(row.name, f"key:{row.id}", frozenset(map(Role, row.roles))), row.used_at


def holders(connection: Connection) -> dict[str, Person]:
    """Return the holder of every key that is in force, by what is stored of the key."""
    asked = sa.select(api_keys.c.id, api_keys.c.name, api_keys.c.roles, api_keys.c.key_hash)
    rows = connection.execute(asked.where(api_keys.c.revoked_at.is_(None)))
    return {row.key_hash: Person(row.name, f"key:{row.id}", frozenset(map(Role, row.roles))) for row in rows}


def touch_key(database: Database, person: Person) -> None:
    """Note that a key was used now, unless another is writing."""
    with database.write(waiting=False) as connection:
        mine = api_keys.c.id == int(person.id.removeprefix("key:"))
        connection.execute(api_keys.update().where(mine).values(used_at=datetime.now(UTC)))
