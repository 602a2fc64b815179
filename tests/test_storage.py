"""The register's storage, on SQLite and on PostgreSQL: its schema, its transactions, what the database refuses."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from app.db import Database
from app.tables import metadata


def test_the_migrations_make_what_the_tables_describe(database: Database) -> None:
    options = {"include_name": lambda name, kind, _: not (kind == "table" and name == "spatial_ref_sys")}
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
