"""The command line's part for people: users and keys. What it prints of a secret it prints once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from app.audit import CONSOLE
from app.auth import Role
from app.db import Database
from app.keeping import ensure_schema
from app.keys import add_key, list_keys, revoke_key
from app.people import add_user, disable_user, list_users, new_link, user_by_name
from app.settings import Settings
from app.tls import address_served
from gis.errors import StreetsError

users = typer.Typer(no_args_is_help=True, help="People who sign in: add, list, disable, make one-time links.")
keys = typer.Typer(no_args_is_help=True, help="Keys by which other systems ask: add, list, revoke.")

Name = Annotated[str, typer.Argument(help="The name, as shown beside acts.")]
Roles = Annotated[list[str] | None, typer.Option("--role", help=f"Repeatable: {', '.join(Role)}.")]
KeyId = Annotated[str, typer.Argument(metavar="ID", help="The key's id, from the list.")]
MOST_ID = 2_000_000_000


@contextmanager
def _register() -> Iterator[Database]:
    settings = Settings()
    database = Database(settings.database, settings.state_dir)
    try:
        ensure_schema(database)
        yield database
    finally:
        database.close()


def link_lines(token: str, base: str) -> str:
    """Return a one-time link as the console prints it.

    Parameters
    ----------
    token
        The link's.
    base
        The address the pages are served at.

    Returns
    -------
    str
        The link on a line of its own.
    """
    return f"{base}/link/{token}"


def _print_link(token: str) -> None:
    """Print a link, and say by which settings its address was made: a service may be told otherwise when it starts."""
    settings = Settings()
    typer.echo(link_lines(token, address_served(settings)))
    if settings.public_url:
        _note("Its address is that of BENTON_PUBLIC_URL.")
        return
    _note(
        "Its address is made of BENTON_HOST, BENTON_PORT and BENTON_TLS_CERT as they are set here. Where the service "
        "listens elsewhere, put its own address before /link/, or set BENTON_PUBLIC_URL."
    )


@users.command("add")
def users_add(name: Name, role: Roles = None) -> None:
    """Add a user and print the one-time link by which it first signs in."""
    with _register() as database:
        user, token = add_user(database, CONSOLE, name, role or [])
    _note(f"Added {user.name} ({', '.join(sorted(user.roles))}). The link works once, within 24 hours:")
    _print_link(token)


@users.command("link")
def users_link(name: Name) -> None:
    """Print a new one-time link; it takes the place of the password."""
    with _register() as database:
        with database.read() as connection:
            user = user_by_name(connection, name)
        _, token = new_link(database, CONSOLE, user.id)
    _note(f"{user.name} signs in by this link once, within 24 hours, and sets a new password:")
    _print_link(token)


@users.command("list")
def users_list() -> None:
    """List the users with their roles."""
    with _register() as database, database.read() as connection:
        for user in list_users(connection):
            state = "disabled" if not user.active else "active" if user.has_password else "no password yet"
            typer.echo(f"{user.id}\t{user.name}\t{','.join(sorted(user.roles))}\t{state}")


@users.command("disable")
def users_disable(name: Name) -> None:
    """Keep a user from signing in and end its sessions."""
    with _register() as database:
        with database.read() as connection:
            user = user_by_name(connection, name)
        disable_user(database, CONSOLE, user.id)
    typer.echo(f"{user.name} can sign in no more.")


@keys.command("add")
def keys_add(name: Name, role: Roles = None) -> None:
    """Make a key and print it, this once: the only line on standard output."""
    with _register() as database:
        key, secret = add_key(database, CONSOLE, name, role or [])
    _note(f"Key {key.id} for {key.name} ({', '.join(sorted(key.roles))}). It is not shown again:")
    typer.echo(secret)


@keys.command("list")
def keys_list() -> None:
    """List the keys: id, name, roles, first signs, last use, state."""
    with _register() as database, database.read() as connection:
        for key in list_keys(connection):
            used = f"used {key.used_at:%Y-%m-%d %H:%M} UTC" if key.used_at else "never used"
            state = "revoked" if key.revoked_at else "in force"
            typer.echo(f"{key.id}\t{key.name}\t{','.join(sorted(key.roles))}\t{key.shown}...\t{used}\t{state}")


@keys.command("revoke")
def keys_revoke(key_id: KeyId) -> None:
    """Revoke a key at once."""
    plain = key_id.isascii() and key_id.isdigit() and len(key_id) <= len(str(MOST_ID))
    number = int(key_id) if plain else 0
    if not 1 <= number <= MOST_ID:
        raise StreetsError.of("ID", key_id[:60] or "nothing", f"the id of a key from the list, 1 to {MOST_ID}")
    with _register() as database:
        key = revoke_key(database, CONSOLE, number)
    typer.echo(f"Key {key.id} of {key.name} is revoked.")


def _note(text: str) -> None:
    typer.echo(text, err=True)
