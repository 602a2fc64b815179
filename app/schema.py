"""The schema of a database: which release made it, and how it is brought to this one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.columns import metadata
from app.db import Database, StorageError

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "alembic_version"
VIEWS = ["address_points"]
FUNCTIONS = ["benton_refuse"]
"""What there is on PostgreSQL beside tables. The database says it of itself, for an older release to read."""
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
    if wanted == head() and connection.dialect.name == "postgresql":
        listed = json.dumps({"tables": sorted(metadata.tables), "views": VIEWS, "functions": FUNCTIONS})
        connection.execute(sa.text(f"COMMENT ON TABLE {VERSION_TABLE} IS '{listed}'"))


def drop_register(connection: Connection) -> None:
    """Take the register of any release out of a PostgreSQL database, and nothing else.

    Parameters
    ----------
    connection
        Of a writing transaction.

    Raises
    ------
    StorageError
        The database is another's.
    """
    if revision(connection) is None:
        _refuse_foreign(connection)
        return
    said = connection.execute(sa.text(f"SELECT obj_description('{VERSION_TABLE}'::regclass)")).scalar_one()
    if not said:
        raise StorageError("The database does not say which tables are the register's: restore into an empty one.")
    listed = json.loads(said)
    quote = connection.dialect.identifier_preparer.quote
    for kind, names in (("VIEW", "views"), ("TABLE", "tables")):
        connection.execute(sa.text(f"DROP {kind} {', '.join(map(quote, listed[names]))}"))
    for name in listed["functions"]:
        connection.execute(sa.text(f"DROP FUNCTION {quote(name)}()"))
    connection.execute(sa.text(f"DROP TABLE {VERSION_TABLE}"))


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
