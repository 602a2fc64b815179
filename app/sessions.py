"""Signing in: passwords, one-time links, attempts counted, and sessions that end and can be revoked."""

from __future__ import annotations

import ipaddress
import threading
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy.engine import Connection

from app.audit import Act, Actor
from app.auth import Person, Role, hashed, name_key, new_token, read_name
from app.db import Database
from app.people import UnknownPersonError, end_sessions, withdraw_links
from app.settings import tidy
from app.tables import one_time_links, sessions, sign_in_attempts, users
from gis.errors import Fault, StreetsError

IDLE = timedelta(hours=12)
LONGEST = timedelta(days=7)
WINDOW = timedelta(minutes=15)
MOST_BY_NAME, MOST_BY_ADDRESS = 5, 20
KEPT = timedelta(days=30)
LEAST_PASSWORD, MOST_PASSWORD = 12, 200
HASHING = threading.BoundedSemaphore(2)
"""Each hash takes 64 MiB on purpose; more at once would let strangers fill the memory."""


class SignInError(StreetsError):
    """The name and the password do not belong together."""


class TooManyAttemptsError(StreetsError):
    """Too many failed attempts to sign in.

    Parameters
    ----------
    message
        What to do.
    wait_s
        After how many seconds to try again.
    """

    def __init__(self, message: str, wait_s: int) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class LinkError(StreetsError):
    """A one-time link that does not sign in: used, expired, withdrawn or never given."""


class UnknownSessionError(StreetsError):
    """The asker has no such session."""


@dataclass(frozen=True)
class Session:
    """A session as its owner sees it.

    Parameters
    ----------
    id
        By which it is revoked.
    acting_for
        The officer acted for, or ``""``.
    agent
        What the browser calls itself.
    made_at, seen_at, expires_at
        When it was made, last used (to within some minutes), and ends at the latest.
    """

    id: int
    acting_for: str
    agent: str
    made_at: datetime
    seen_at: datetime
    expires_at: datetime

    @property
    def browser(self) -> str:
        """The browser and the kind of device, in words."""
        program = next((name for sign, name in _BROWSERS if sign in self.agent), "")
        device = next((name for sign, name in _DEVICES if sign in self.agent), "")
        return " on ".join(filter(None, (program, device))) or self.agent[:40] or "unknown"


_BROWSERS = (
    *(("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox")),
    *(("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari"), ("curl", "curl")),
)
_DEVICES = (
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows")),
    *(("Macintosh", "Mac"), ("CrOS", "ChromeOS"), ("Linux", "Linux")),
)


@dataclass(frozen=True)
class Guest:
    """Who knocks, as far as the connection tells.

    Parameters
    ----------
    address
        The client's address.
    agent
        What the browser calls itself.
    token
        The session it already has, which ends when it signs in anew; or ``""``.
    """

    address: str
    agent: str = ""
    token: str = ""


# --- who has a session ----------------------------------------------------------------------------------------


def _in_force(now: datetime) -> sa.ColumnElement[bool]:
    live = sa.and_(sessions.c.revoked_at.is_(None), sessions.c.expires_at > now, sessions.c.seen_at > now - IDLE)
    return sa.and_(live, users.c.active.is_(sa.true()))


def holder(connection: Connection, token: str) -> tuple[Person, datetime] | None:
    """Return who asks with a session's token and when it was last seen; None when the session has ended."""
    columns = (sessions.c.id.label("session"), sessions.c.csrf, sessions.c.acting_for, sessions.c.seen_at)
    row = connection.execute(
        sa.select(users.c.id, users.c.name, users.c.roles, *columns)
        .join(users, users.c.id == sessions.c.user_id)
        .where(sessions.c.token_hash == hashed(token), _in_force(datetime.now(UTC)))
    ).one_or_none()
    if row is None:
        return None
    roles = frozenset(map(Role, row.roles))
    return Person(row.name, f"user:{row.id}", roles, row.acting_for, row.csrf, row.session), row.seen_at


def touch_session(database: Database, person: Person) -> None:
    """Note that a session was used now, unless another is writing."""
    with database.write(waiting=False) as connection:
        mine = sessions.c.id == person.session_id
        connection.execute(sessions.update().where(mine).values(seen_at=datetime.now(UTC)))


def list_sessions(connection: Connection, user_id: int) -> list[Session]:
    """Return a user's sessions in force, the last used first."""
    rows = connection.execute(
        sa.select(sessions)
        .join(users, users.c.id == sessions.c.user_id)
        .where(sessions.c.user_id == user_id, _in_force(datetime.now(UTC)))
        .order_by(sessions.c.seen_at.desc(), sessions.c.id.desc())
    )
    return [Session(r.id, r.acting_for, r.agent, r.made_at, r.seen_at, r.expires_at) for r in rows]


def revoke_session(database: Database, person: Person, session_id: int) -> None:
    """End a session of one's own; one that has ended stays so.

    Parameters
    ----------
    database
        The register's.
    person
        Who asks.
    session_id
        The session's id.

    Raises
    ------
    UnknownSessionError
        The person has no such session.
    """
    with database.write() as connection:
        mine = sa.and_(sessions.c.id == session_id, sessions.c.user_id == user_id_of(person))
        row = connection.execute(sa.select(sessions.c.revoked_at).where(mine)).one_or_none()
        if row is None:
            raise UnknownSessionError("You have no such session.", [Fault("id", str(session_id), "a session of yours")])
        if row.revoked_at is None:
            act = Act(connection, person.actor)
            connection.execute(sessions.update().where(mine).values(revoked_at=act.at))
            act.record("end session", "users", user_id_of(person), {"session": session_id}, None)


def user_id_of(person: Person) -> int:
    """Return the id of the user a session is of; 0 of a key's holder or the public."""
    return int(person.id.removeprefix("user:")) if person.id.startswith("user:") else 0


# --- signing in -----------------------------------------------------------------------------------------------


def sign_in(database: Database, guest: Guest, name: str, password: str, acting_for: str = "") -> str:
    """Sign in by name and password.

    A wrong name and a wrong password are told by the same words after the same work.

    Parameters
    ----------
    database
        The register's.
    guest
        Who knocks.
    name, password
        As typed.
    acting_for
        The officer acted for, or ``""``.

    Returns
    -------
    str
        The new session's token.

    Raises
    ------
    SignInError
        The two do not belong together, or the user is disabled.
    TooManyAttemptsError
        Too many attempts failed lately for this name or from this address.
    """
    acting_for = read_name(acting_for, "acting for") if tidy(acting_for) else ""
    attempt = _attempt(database, name_key(name)[:200], _network(guest.address))
    with database.read() as connection:
        row = connection.execute(sa.select(users).where(users.c.name_key == name_key(name))).one_or_none()
    stored = row.password_hash if row is not None and row.active and row.password_hash else _nobody()
    if not _fits(stored, password) or row is None or stored == _nobody():
        raise SignInError("The name or the password is wrong. Passwords tell small letters from capital ones.")
    with database.write() as connection:
        still = sa.select(users.c.id).where(users.c.id == row.id, users.c.active, users.c.password_hash == stored)
        if connection.execute(still).one_or_none() is None:
            raise SignInError("The name or the password is wrong. It was changed just now.")
        connection.execute(
            sign_in_attempts.update().where(sign_in_attempts.c.id == attempt).values(succeeded=sa.true())
        )
        return _begin(connection, Actor(row.name, f"user:{row.id}", acting_for), row.id, guest, "sign in")


def _attempt(database: Database, key: str, address: str) -> int:
    """Count an attempt as failed until it succeeds, so that many at once cannot slip past the limit."""
    with database.read() as connection:
        _refuse_many(connection, key, address)
    with database.write() as connection:
        _refuse_many(connection, key, address)
        now = datetime.now(UTC)
        connection.execute(sign_in_attempts.delete().where(sign_in_attempts.c.at < now - KEPT))
        row = {"at": now, "name_key": key, "address": address, "succeeded": False}
        return int(
            connection.execute(sign_in_attempts.insert().values(**row).returning(sign_in_attempts.c.id)).scalar_one()
        )


def _refuse_many(connection: Connection, key: str, address: str) -> None:
    now = datetime.now(UTC)
    for column, value, most in (
        (sign_in_attempts.c.name_key, key, MOST_BY_NAME),
        (sign_in_attempts.c.address, address, MOST_BY_ADDRESS),
    ):
        failed = sa.and_(column == value, sign_in_attempts.c.at > now - WINDOW, ~sign_in_attempts.c.succeeded)
        last = sa.select(sign_in_attempts.c.at).where(failed).order_by(sign_in_attempts.c.at.desc()).limit(most)
        times = list(connection.execute(last).scalars())
        if len(times) == most:
            wait = times[-1] + WINDOW - now
            minutes = max(1, -(-int(wait.total_seconds()) // 60))
            unit = "minute" if minutes == 1 else "minutes"
            message = f"Too many attempts failed. Wait {minutes} {unit}, or ask an administrator for a one-time link."
            raise TooManyAttemptsError(message, max(1, int(wait.total_seconds()) + 1))


def _network(address: str) -> str:
    """Return what attempts are counted by: an IPv4 address, or the /64 of an IPv6 one, of which a house has one."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv6Address):
        mapped = found.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def _begin(connection: Connection, actor: Actor, user_id: int, guest: Guest, what: str) -> str:
    """Make a session within a transaction and return its token; the one its browser had ends."""
    act = Act(connection, actor)
    if guest.token:
        old = sa.and_(sessions.c.token_hash == hashed(guest.token), sessions.c.revoked_at.is_(None))
        connection.execute(sessions.update().where(old).values(revoked_at=act.at))
    token = new_token()
    agent = "".join(c for c in guest.agent if c.isprintable())[:300]
    row = {"token_hash": hashed(token), "user_id": user_id, "csrf": new_token(), "acting_for": actor.acting_for}
    times = {"made_at": act.at, "seen_at": act.at, "expires_at": act.at + LONGEST}
    made = connection.execute(sessions.insert().values(**row, **times, agent=agent).returning(sessions.c.id))
    act.record(what, "users", user_id, None, {"session": made.scalar_one(), "agent": agent})
    return token


# --- one-time links -------------------------------------------------------------------------------------------


def link_name(connection: Connection, token: str) -> str:
    """Return whom a one-time link signs in; it stays unused.

    Parameters
    ----------
    connection
        To the database.
    token
        The link's.

    Returns
    -------
    str
        The user's name.

    Raises
    ------
    LinkError
        It is used, expired or unknown, or the user is disabled.
    """
    return str(_link(connection, token).name)


def _link(connection: Connection, token: str) -> Any:
    columns = (users.c.id, users.c.name, one_time_links.c.expires_at, one_time_links.c.used_at, users.c.active)
    row = connection.execute(
        sa.select(*columns)
        .join(one_time_links, one_time_links.c.user_id == users.c.id)
        .where(one_time_links.c.token_hash == hashed(token))
    ).one_or_none()
    ask = "Ask an administrator for a new one, or run: benton-streets users link NAME"
    if row is None or not row.active:
        raise LinkError(f"This link is not known here. Check that it was copied whole. {ask}")
    if row.used_at is not None:
        raise LinkError(f"This link was used already; each works once. {ask}")
    if row.expires_at <= datetime.now(UTC):
        raise LinkError(f"This link has expired, or a newer one took its place. {ask}")
    return row


def use_link(database: Database, guest: Guest, token: str) -> str:
    """Sign in by a one-time link, once. It takes the place of the password, and older sessions end.

    Parameters
    ----------
    database
        The register's.
    guest
        Who knocks.
    token
        The link's.

    Returns
    -------
    str
        The new session's token.

    Raises
    ------
    LinkError
        It is used, expired or unknown, or the user is disabled.
    """
    with database.write() as connection:
        row = _link(connection, token)
        now = datetime.now(UTC)
        mine = one_time_links.c.token_hash == hashed(token)
        connection.execute(one_time_links.update().where(mine).values(used_at=now))
        connection.execute(users.update().where(users.c.id == row.id).values(password_hash=None))
        end_sessions(connection, row.id, now)
        return _begin(connection, Actor(row.name, f"user:{row.id}"), row.id, guest, "sign in by link")


# --- passwords ------------------------------------------------------------------------------------------------


def change_password(database: Database, person: Person, old: str, new: str) -> None:
    """Set one's own password; every other session of one's own ends.

    Parameters
    ----------
    database
        The register's.
    person
        Who asks, by a session.
    old
        The password until now; not looked at where there is none.
    new
        At least 12 characters, and not the name.

    Raises
    ------
    StreetsError
        The new one cannot be used, with the field at fault.
    SignInError
        The old one is wrong.
    TooManyAttemptsError
        The old one was wrong too often.
    """
    user_id = user_id_of(person)
    with database.read() as connection:
        row = connection.execute(sa.select(users).where(users.c.id == user_id)).one_or_none()
    if row is None:
        raise UnknownPersonError("Only a user has a password.")
    attempt = 0
    if row.password_hash:
        attempt = _attempt(database, row.name_key, f"session {person.session_id}")
        if not _fits(row.password_hash, old):
            raise SignInError("The password you have now is another.", [Fault("old", "another", "your password")])
    _refuse_weak(new, row.name)
    with HASHING:
        stored = _hasher().hash(_composed(new))
    with database.write() as connection:
        unchanged = sa.and_(users.c.id == user_id, users.c.password_hash.is_not_distinct_from(row.password_hash))
        if connection.execute(users.update().where(unchanged).values(password_hash=stored)).rowcount != 1:
            raise SignInError("Your password was changed meanwhile.", [Fault("old", "another", "your password")])
        act = Act(connection, person.actor)
        if attempt:
            done = sign_in_attempts.c.id == attempt
            connection.execute(sign_in_attempts.update().where(done).values(succeeded=sa.true()))
        withdraw_links(connection, user_id, act.at)
        end_sessions(connection, user_id, act.at, kept=person.session_id)
        act.record("set password", "users", user_id)


def _refuse_weak(password: str, name: str) -> None:
    expected = f"{LEAST_PASSWORD} to {MOST_PASSWORD} characters"
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        found = f"{len(password)} characters"
        raise StreetsError("The new password cannot be used.", [Fault("new", found, expected)])
    if name_key(password) == name_key(name):
        raise StreetsError("The new password cannot be used.", [Fault("new", "your name", "another text")])


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobody() -> str:
    """Return the hash of a password nobody has, against which a wrong name's is held, for the same time."""
    return _hasher().hash(new_token())


def _fits(stored: str, password: str) -> bool:
    try:
        with HASHING:
            return _hasher().verify(stored, _composed(password))
    except (VerificationError, InvalidHashError):
        return False


def _composed(password: str) -> bytes:
    """Write a password in one form, for keyboards differ in how they compose a letter with its accent."""
    return unicodedata.normalize("NFC", password[: MOST_PASSWORD + 1]).encode("utf-8", "surrogatepass")
