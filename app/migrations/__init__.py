"""The register's schema, release by release. `app.keeping` runs it; there is no alembic.ini."""
