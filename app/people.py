"""Users: who they are, what they may do, and the one-time links by which they first sign in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.audit import SYSTEM, Act, Actor
from app.auth import Role, hashed, name_key, new_token, read_name, read_roles
from app.db import Database
from app.once import refuse_sent_before
from app.tables import api_keys, one_time_links, sessions, users
from gis.errors import Fault, StreetsError

LINK_LASTS = timedelta(hours=24)
FIRST_USER = "Administrator"


class UnknownPersonError(StreetsError):
    """No user has that name or id."""


class NameTakenError(StreetsError):
    """Another user has the name."""


class ChangedMeanwhileError(StreetsError):
    """Somebody else changed it since it was looked at."""


class LastAdminError(StreetsError):
    """It would leave nobody who may manage users."""


@dataclass(frozen=True)
class User:
    """A user as listed.

    Parameters
    ----------
    id
        By which it is addressed.
    name
        As shown beside acts.
    roles
        What is held.
    active
        Whether it may sign in.
    has_password
        Whether it has set one.
    made_at, made_by
        When and by whom it was added.
    seen_at
        When it last used a session, to within some minutes; None when never.
    """

    id: int
    name: str
    roles: frozenset[Role]
    active: bool
    has_password: bool
    made_at: datetime
    made_by: str
    seen_at: datetime | None


SORTS: Mapping[str, Callable[[User], Any]] = {
    "name": lambda u: u.name.casefold(),
    "roles": lambda u: (sorted(u.roles), u.name.casefold()),
    "state": lambda u: (not u.active, not u.has_password, u.name.casefold()),
    "seen": lambda u: (u.seen_at is not None, u.seen_at or u.made_at),
}


_SEEN = sa.select(sa.func.max(sessions.c.seen_at)).where(sessions.c.user_id == users.c.id).scalar_subquery()
_USERS = sa.select(users, sa.type_coerce(_SEEN, sessions.c.seen_at.type).label("seen_at"))


def _user(row: Any) -> User:
    roles = frozenset(map(Role, row.roles))
    state = (bool(row.active), row.password_hash is not None)
    return User(row.id, row.name, roles, *state, row.made_at, row.made_by, row.seen_at)


def list_users(connection: Connection, q: str = "", sort: str = "name") -> list[User]:
    """Return the users whose name or roles hold a text.

    Parameters
    ----------
    connection
        To the database.
    q
        Part of a name or role; ``""`` for all.
    sort
        A key of `SORTS`, with ``-`` before it for descending; anything else is by name.

    Returns
    -------
    list of User
        In order.
    """
    wanted = name_key(q)
    found = [u for u in map(_user, connection.execute(_USERS)) if wanted in f"{name_key(u.name)} {' '.join(u.roles)}"]
    return sorted(found, key=SORTS.get(sort.removeprefix("-"), SORTS["name"]), reverse=sort.startswith("-"))


def user_by_id(connection: Connection, user_id: int) -> User:
    """Return a user.

    Parameters
    ----------
    connection
        To the database.
    user_id
        The user's id.

    Returns
    -------
    User
        As it is now.

    Raises
    ------
    UnknownPersonError
        There is none.
    """
    row = connection.execute(_USERS.where(users.c.id == user_id)).one_or_none()
    if row is None:
        raise UnknownPersonError("There is no such user.", [Fault("id", str(user_id), "the id of a user")])
    return _user(row)


def user_by_name(connection: Connection, name: str) -> User:
    """Return the user of a name, whatever its capitals.

    Parameters
    ----------
    connection
        To the database.
    name
        The user's name.

    Returns
    -------
    User
        As it is now.

    Raises
    ------
    UnknownPersonError
        There is none.
    """
    row = connection.execute(_USERS.where(users.c.name_key == name_key(name))).one_or_none()
    if row is None:
        raise UnknownPersonError("There is no such user.", [Fault("name", repr(name[:60]), "the name of a user")])
    return _user(row)


def add_user(database: Database, actor: Actor, name: str, roles: Iterable[str]) -> tuple[User, str]:
    """Add a user, who first signs in by a one-time link.

    Parameters
    ----------
    database
        The register's.
    actor
        Who adds it.
    name
        As shown beside acts; no two differ in capitals only.
    roles
        Names of roles.

    Returns
    -------
    tuple of User and str
        The user, and the token of the link, which cannot be had again.

    Raises
    ------
    NameTakenError
        Another user has the name.
    StreetsError
        The name or a role cannot be used.
    """
    name, held = read_name(name), read_roles(roles)
    with database.write() as connection:
        return _add(Act(connection, actor), name, held)


def _add(act: Act, name: str, held: frozenset[Role]) -> tuple[User, str]:
    same = sa.select(users.c.name).where(users.c.name_key == name_key(name))
    taken = act.connection.execute(same).scalar_one_or_none()
    if taken is not None:
        raise NameTakenError("The name is taken.", [Fault("name", taken, "a name no other user has")])
    keyed = act.connection.execute(sa.select(api_keys.c.name).where(api_keys.c.revoked_at.is_(None))).scalars()
    if any(name_key(other) == name_key(name) for other in keyed):
        raise NameTakenError("The name is a key's.", [Fault("name", name, "a name that no key has")])
    row = {"name": name, "name_key": name_key(name), "roles": sorted(held), "active": True}
    made = act.connection.execute(
        users.insert().values(**row, made_at=act.at, made_by=act.actor.name).returning(users.c.id)
    ).scalar_one()
    act.record("add user", "users", made, None, _shown(name, held, True))
    token = _link(act, made)
    return user_by_id(act.connection, made), token


def _shown(name: str, roles: Iterable[Role], active: bool) -> dict[str, Any]:
    """Return a user as the audit keeps it: without a secret."""
    return {"name": name, "roles": sorted(roles), "active": active}


def new_link(database: Database, actor: Actor, user_id: int, token: str = "") -> tuple[User, str]:
    """Make a user a new one-time link; an older one that is unused works no longer.

    Parameters
    ----------
    database
        The register's.
    actor
        Who makes it.
    user_id
        The user's id.
    token
        Of the form that asks, which makes one link however often it is sent; ``""`` where none does.

    Returns
    -------
    tuple of User and str
        The user, and the link's token, which cannot be had again.

    Raises
    ------
    UnknownPersonError
        There is no such user.
    ChangedMeanwhileError
        The user is disabled.
    app.once.SentBeforeError
        The form was sent before.
    """
    with database.write() as connection:
        refuse_sent_before(connection, actor, token, "The link was made and shown already; nothing more was done.")
        user = user_by_id(connection, user_id)
        if not user.active:
            found = Fault("active", f"{user.name} is disabled", "a user who may sign in: enable it first")
            raise ChangedMeanwhileError("A disabled user gets no link.", [found])
        return user, _link(Act(connection, actor), user_id)


def _link(act: Act, user_id: int) -> str:
    withdraw_links(act.connection, user_id, act.at)
    token = new_token()
    times = {"made_at": act.at, "expires_at": act.at + LINK_LASTS}
    act.connection.execute(one_time_links.insert().values(token_hash=hashed(token), user_id=user_id, **times))
    act.record("make sign-in link", "users", user_id, None, {"expires_at": times["expires_at"]})
    return token


def withdraw_links(connection: Connection, user_id: int, at: datetime) -> None:
    """Withdraw a user's unused one-time links within a transaction."""
    unused = sa.and_(one_time_links.c.user_id == user_id, one_time_links.c.used_at.is_(None))
    open_still = sa.and_(unused, one_time_links.c.expires_at > at)
    connection.execute(one_time_links.update().where(open_still).values(expires_at=at))


def end_sessions(connection: Connection, user_id: int, at: datetime, kept: int = 0) -> None:
    """End a user's sessions within a transaction, but for one that is kept."""
    others = sa.and_(sessions.c.user_id == user_id, sessions.c.revoked_at.is_(None), sessions.c.id != kept)
    connection.execute(sessions.update().where(others).values(revoked_at=at))


def first_link(database: Database) -> str | None:
    """Return the token of the first administrator's one-time link, while nobody has signed in yet.

    Parameters
    ----------
    database
        The register's. Without a user it gets one, "Administrator".

    Returns
    -------
    str or None
        The token; None once there are users who can sign in.
    """
    with database.read() as connection:
        if not _untouched(connection):
            return None
    with database.write() as connection:
        if not _untouched(connection):
            return None
        act = Act(connection, SYSTEM, "the first start")
        only = connection.execute(sa.select(users.c.id)).scalar_one_or_none()
        return _add(act, FIRST_USER, frozenset({Role.ADMIN}))[1] if only is None else _link(act, only)


def _untouched(connection: Connection) -> bool:
    """Whether there is no user, or only the first administrator, who never signed in."""
    rows = connection.execute(_USERS.limit(2)).all()
    if not rows:
        return True
    first = rows[0]
    return len(rows) == 1 and first.made_by == SYSTEM.name and first.password_hash is None and first.seen_at is None


def change_roles(database: Database, actor: Actor, user_id: int, roles: Iterable[str], was: Iterable[str]) -> User:
    """Change what a user holds, provided that nobody else did meanwhile.

    Parameters
    ----------
    database
        The register's.
    actor
        Who changes it.
    user_id
        The user's id.
    roles
        Names of the roles from now on.
    was
        Names of the roles that the change was made from.

    Returns
    -------
    User
        As it is now.

    Raises
    ------
    ChangedMeanwhileError
        The roles are others than they were.
    LastAdminError
        Nobody would be left who may manage users.
    UnknownPersonError
        There is no such user.
    """
    held, seen = read_roles(roles), read_roles(was)
    with database.write() as connection:
        user = user_by_id(connection, user_id)
        if user.roles != seen:
            found = Fault("was", ", ".join(sorted(seen)), ", ".join(sorted(user.roles)))
            message = f"{user.name}'s roles were changed meanwhile: they are now {', '.join(sorted(user.roles))}."
            raise ChangedMeanwhileError(message, [found])
        if held != user.roles:
            if Role.ADMIN in user.roles - held:
                _refuse_last_admin(connection, user)
            connection.execute(users.update().where(users.c.id == user_id).values(roles=sorted(held)))
            before, after = (_shown(user.name, r, user.active) for r in (user.roles, held))
            Act(connection, actor).record("change roles", "users", user_id, before, after)
        return user_by_id(connection, user_id)


def disable_user(database: Database, actor: Actor, user_id: int) -> User:
    """Keep a user from signing in; its sessions end at once, what it did stays.

    Parameters
    ----------
    database
        The register's.
    actor
        Who disables it.
    user_id
        The user's id.

    Returns
    -------
    User
        As it is now.

    Raises
    ------
    LastAdminError
        Nobody would be left who may manage users.
    UnknownPersonError
        There is no such user.
    """
    with database.write() as connection:
        user = user_by_id(connection, user_id)
        if user.active:
            _refuse_last_admin(connection, user)
            act = Act(connection, actor)
            end_sessions(connection, user_id, act.at)
            withdraw_links(connection, user_id, act.at)
            _set_active(act, user, False)
        return user_by_id(connection, user_id)


def enable_user(database: Database, actor: Actor, user_id: int) -> User:
    """Let a disabled user sign in again, with the password it had.

    Parameters
    ----------
    database
        The register's.
    actor
        Who enables it.
    user_id
        The user's id.

    Returns
    -------
    User
        As it is now.

    Raises
    ------
    UnknownPersonError
        There is no such user.
    """
    with database.write() as connection:
        user = user_by_id(connection, user_id)
        if not user.active:
            _set_active(Act(connection, actor), user, True)
        return user_by_id(connection, user_id)


def _set_active(act: Act, user: User, active: bool) -> None:
    act.connection.execute(users.update().where(users.c.id == user.id).values(active=active))
    before, after = (_shown(user.name, user.roles, state) for state in (user.active, active))
    act.record("enable user" if active else "disable user", "users", user.id, before, after)


def _refuse_last_admin(connection: Connection, user: User) -> None:
    others = connection.execute(sa.select(users.c.roles).where(users.c.active, users.c.id != user.id)).scalars()
    if Role.ADMIN in user.roles and user.active and not any(Role.ADMIN in roles for roles in others):
        expected = "another active user with the role admin first"
        fault = Fault("user", f"{user.name}, the last administrator", expected)
        raise LastAdminError("Nobody would be left who may manage users.", [fault])
