"""The schema of a database: which release made it, and how it is brought to this one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.db import Database, StorageError

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "alembic_version"
FOREIGN = frozenset({"spatial_ref_sys"})
"""Tables that PostGIS has in every database."""


def ensure_schema(database: Database) -> None:
    """Make an empty database ready; refuse one that is not this release's.

    Parameters
    ----------
    database
        Any; two processes may do this at once.

    Raises
    ------
    StorageError
        It was made by an older release, which `upgrade` brings here, or by a newer one, or it is not the register's.
    """
    with database.read() as connection:
        if revision(connection) == head():
            return
    with database.write() as connection:
        if revision(connection) is None:
            _refuse_foreign(connection)
            migrate(connection)
        require_head(connection)


def require_head(connection: Connection) -> None:
    """Refuse a database whose schema is not this release's.

    Parameters
    ----------
    connection
        To the database.

    Raises
    ------
    StorageError
        It is empty, older or newer.
    """
    found = revision(connection)
    if found is None:
        raise StorageError(
            "The database holds no register: `benton-streets serve` makes one, `restore FILE` brings one."
        )
    if found not in known():
        raise StorageError(
            f"The database has schema {found}, which is of a newer release than this (schema {head()}): "
            "install that release, or restore a backup that this one made."
        )
    if found != head():
        raise StorageError(
            f"The database has schema {found}, of an older release; this one needs {head()}. Stop the service and run "
            "`benton-streets upgrade`: it makes a backup first."
        )


def revision(connection: Connection) -> str | None:
    """Return the schema's revision; None where there is no register.

    Parameters
    ----------
    connection
        To the database.
    """
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars().all()
    return found[0] if len(found) == 1 else None


def head() -> str:
    """Return the revision that this release needs."""
    found = _scripts().get_current_head()
    assert found is not None
    return found


def known() -> frozenset[str]:
    """Return every revision that this release can upgrade from."""
    return frozenset(script.revision for script in _scripts().walk_revisions())


def migrate(connection: Connection, target: str = "") -> None:
    """Bring the schema to a revision, within the connection's transaction.

    Parameters
    ----------
    connection
        Of a writing transaction.
    target
        The revision; this release's when left out.
    """
    from alembic import command

    wanted = target or head()
    config = _config()
    config.attributes["connection"] = connection
    found = revision(connection)
    if found is not None and _age(found) > _age(wanted):
        command.downgrade(config, wanted)
    else:
        command.upgrade(config, wanted)
    connection.info.pop("tables", None)


def _age(found: str) -> int:
    return sum(1 for _ in _scripts().iterate_revisions(found, "base"))


def own_tables(connection: Connection) -> list[str]:
    """Return the names of the tables in the database, without PostGIS's and the revision's own.

    Parameters
    ----------
    connection
        To the database.
    """
    return sorted(set(sa.inspect(connection).get_table_names()) - FOREIGN - {VERSION_TABLE})


def _refuse_foreign(connection: Connection) -> None:
    found = own_tables(connection)
    if found:
        raise StorageError(
            f"The database holds {', '.join(found[:5])} and is not the register's: give the register one of its own."
        )


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _scripts() -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_config())
