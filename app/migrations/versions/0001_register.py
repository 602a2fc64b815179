"""The register: people, the Street Numbering Map, addresses, and the audit."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

GUARDED = {
    "audit": ("UPDATE", "DELETE"),
    "explanations": ("UPDATE", "DELETE"),
    "documents": ("UPDATE", "DELETE"),
    "addresses": ("DELETE",),
    "locations": ("DELETE",),
    "maps": ("DELETE",),
    "map_edits": ("DELETE",),
    "doubts": ("DELETE",),
    "renamings": ("DELETE",),
    "vacations": ("DELETE",),
    "surveys": ("DELETE",),
}
FROZEN = {"maps": ("version", "snapshot", "digest", "law_date")}
TABLES = (
    *("users", "one_time_links", "sessions", "api_keys", "sign_in_attempts"),
    *("maps", "map_edits", "renamings", "vacations", "surveys", "locations", "explanations", "addresses"),
    *("doubts", "documents", "requests", "audit"),
)


def upgrade() -> None:
    """Make it."""
    _users()
    _one_time_links()
    _sessions()
    _api_keys()
    _sign_in_attempts()
    _maps()
    _map_edits()
    _renamings()
    _vacations()
    _surveys()
    _locations()
    _explanations()
    _addresses()
    _doubts()
    _documents()
    _requests()
    _audit()
    if op.get_bind().dialect.name == "postgresql":
        _refusals_of_postgresql()
        _points()
    else:
        _refusals_of_sqlite()


def downgrade() -> None:
    """Unmake it; the triggers go with their tables."""
    postgresql = op.get_bind().dialect.name == "postgresql"
    if postgresql:
        op.execute("DROP VIEW address_points")
    for table in reversed(TABLES):
        op.drop_table(table)
    if postgresql:
        op.execute("DROP FUNCTION benton_refuse()")


def _users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False),
        sa.Column("roles", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.String(300), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name_key"),
    )


def _one_time_links() -> None:
    op.create_table(
        "one_time_links",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("expires_at", sa.String(27), nullable=False),
        sa.Column("used_at", sa.String(27), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_index("ix_one_time_links_user_id", "one_time_links", ["user_id"])


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("acting_for", sa.String(200), nullable=False),
        sa.Column("agent", sa.String(300), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("seen_at", sa.String(27), nullable=False),
        sa.Column("expires_at", sa.String(27), nullable=False),
        sa.Column("revoked_at", sa.String(27), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_hash"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])


def _api_keys() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("roles", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=False),
        sa.Column("shown", sa.String(12), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("used_at", sa.String(27), nullable=True),
        sa.Column("revoked_at", sa.String(27), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key_hash"),
    )


def _sign_in_attempts() -> None:
    op.create_table(
        "sign_in_attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("succeeded", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_sign_in_attempts_at", "sign_in_attempts", ["at"])


def _maps() -> None:
    op.create_table(
        "maps",
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("snapshot", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("law_date", sa.String(10), nullable=False),
        sa.Column("placeholders", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("adopted_on", sa.String(10), nullable=True),
        sa.Column("act", sa.Text(), nullable=True),
        sa.Column("adoption_reason", sa.Text(), nullable=True),
        sa.Column("adopted_at", sa.String(27), nullable=True),
        sa.Column("adopted_by", sa.String(200), nullable=True),
        sa.CheckConstraint("status IN ('proposal', 'adopted', 'superseded', 'withdrawn')", name="map_status"),
        sa.PrimaryKeyConstraint("version"),
    )
    op.create_index(
        "one_adopted_map",
        "maps",
        ["status"],
        unique=True,
        sqlite_where=sa.text("status = 'adopted'"),
        postgresql_where=sa.text("status = 'adopted'"),
    )


def _map_edits() -> None:
    op.create_table(
        "map_edits",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("map_version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("street", sa.String(200), nullable=False),
        sa.Column("side", sa.String(10), nullable=False),
        sa.Column("path", sa.Integer(), nullable=False),
        sa.Column("at_ft", sa.Float(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("withdrawn_at", sa.String(27), nullable=True),
        sa.ForeignKeyConstraint(["map_version"], ["maps.version"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_map_edits_map_version", "map_edits", ["map_version"])


def _renamings() -> None:
    op.create_table(
        "renamings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("old", sa.String(200), nullable=False),
        sa.Column("new", sa.String(200), nullable=False),
        sa.Column("decided_on", sa.String(10), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("undone_at", sa.String(27), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )


def _vacations() -> None:
    op.create_table(
        "vacations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("street", sa.String(200), nullable=False),
        sa.Column("decided_on", sa.String(10), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("undone_at", sa.String(27), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )


def _surveys() -> None:
    op.create_table(
        "surveys",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("completed_on", sa.String(10), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("undone_at", sa.String(27), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )


def _locations() -> None:
    op.create_table(
        "locations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("x_ft", sa.Float(), nullable=False),
        sa.Column("y_ft", sa.Float(), nullable=False),
        sa.Column("lon", sa.Float(), nullable=False),
        sa.Column("lat", sa.Float(), nullable=False),
        sa.Column("placement", sa.String(20), nullable=False),
        sa.Column("accuracy_ft", sa.Float(), nullable=True),
        sa.Column("access_lon", sa.Float(), nullable=True),
        sa.Column("access_lat", sa.Float(), nullable=True),
        sa.Column("access_note", sa.Text(), nullable=False),
        sa.Column("building", sa.Text(), nullable=True),
        sa.Column("lot", sa.Text(), nullable=True),
        sa.Column("doors", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("locations_by_place", "locations", ["x_ft", "y_ft"])


def _explanations() -> None:
    op.create_table(
        "explanations",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )


def _written() -> list[sa.Column[Any]]:
    return [
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("location_id", sa.Integer(), nullable=False),
        sa.Column("street", sa.String(200), nullable=False),
        sa.Column("street_key", sa.String(200), nullable=False),
        sa.Column("half", sa.String(10), nullable=False),
        sa.Column("path", sa.Integer(), nullable=False),
        sa.Column("even", sa.Boolean(), nullable=False),
        sa.Column("station_ft", sa.Float(), nullable=True),
        sa.Column("number_prefix", sa.String(20), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("fraction", sa.String(5), nullable=False),
        sa.Column("suffix", sa.String(5), nullable=False),
        sa.Column("pre_directional", sa.String(10), nullable=False),
        sa.Column("street_pre_type", sa.String(50), nullable=False),
        sa.Column("street_name", sa.String(200), nullable=False),
        sa.Column("street_post_type", sa.String(50), nullable=False),
        sa.Column("street_post_directional", sa.String(10), nullable=False),
        sa.Column("unit_type", sa.String(50), nullable=False),
        sa.Column("unit", sa.String(50), nullable=False),
        sa.Column("full", sa.String(300), nullable=False),
        sa.Column("usps", sa.String(300), nullable=False),
    ]


def _because() -> list[sa.Column[Any]]:
    return [
        sa.Column("computed_number", sa.Integer(), nullable=True),
        sa.Column("map_version", sa.Integer(), nullable=False),
        sa.Column("law_date", sa.String(10), nullable=False),
        sa.Column("findings", sa.Text(), nullable=False),
        sa.Column("decisions", sa.Text(), nullable=False),
        sa.Column("explanation", sa.String(64), nullable=False),
        sa.Column("set_back", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("conforms", sa.Boolean(), nullable=False),
        sa.Column("doubt_id", sa.Integer(), nullable=True),
        sa.Column("replaced_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("retired_at", sa.String(27), nullable=True),
        sa.Column("retired_reason", sa.Text(), nullable=False),
    ]


def _addresses() -> None:
    op.create_table(
        "addresses",
        *_written(),
        *_because(),
        sa.CheckConstraint("number BETWEEN 1 AND 999999", name="address_number"),
        sa.CheckConstraint("(status = 'retired') = (retired_at IS NOT NULL)", name="address_retired"),
        sa.CheckConstraint("status IN ('proposed', 'provisional', 'official', 'retired')", name="address_status"),
        sa.ForeignKeyConstraint(["explanation"], ["explanations.digest"]),
        sa.ForeignKeyConstraint(["location_id"], ["locations.id"]),
        sa.ForeignKeyConstraint(["map_version"], ["maps.version"]),
        sa.ForeignKeyConstraint(["replaced_by"], ["addresses.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("addresses_by_number", "addresses", ["number"])
    op.create_index("addresses_by_successor", "addresses", ["replaced_by"])
    op.create_index("addresses_in_order", "addresses", ["street_key", "half", "number", "id"])
    op.create_index("ix_addresses_location_id", "addresses", ["location_id"])
    op.create_index("ix_addresses_map_version", "addresses", ["map_version"])
    op.create_index(
        "one_active_number",
        "addresses",
        ["street_key", "half", "number_prefix", "number", "fraction", "suffix", "unit_type", "unit"],
        unique=True,
        sqlite_where=sa.text("status <> 'retired'"),
        postgresql_where=sa.text("status <> 'retired'"),
    )


def _doubts() -> None:
    op.create_table(
        "doubts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("street", sa.String(200), nullable=False),
        sa.Column("half", sa.String(10), nullable=False),
        sa.Column("lon", sa.Float(), nullable=False),
        sa.Column("lat", sa.Float(), nullable=False),
        sa.Column("findings", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.String(27), nullable=False),
        sa.Column("opened_by", sa.String(200), nullable=False),
        sa.Column("decided_at", sa.String(27), nullable=True),
        sa.Column("decided_by", sa.String(200), nullable=True),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("address_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("status IN ('open', 'decided')", name="doubt_status"),
        sa.ForeignKeyConstraint(["address_id"], ["addresses.id"]),
        sa.PrimaryKeyConstraint("id"),
    )


def _documents() -> None:
    op.create_table(
        "documents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("number", sa.String(40), nullable=False),
        sa.Column("address_id", sa.Integer(), nullable=False),
        sa.Column("issued_at", sa.String(27), nullable=False),
        sa.Column("issued_by", sa.String(200), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("audit_head", sa.String(64), nullable=False),
        sa.Column("pdf", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["address_id"], ["addresses.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("number"),
    )
    op.create_index("ix_documents_address_id", "documents", ["address_id"])


def _requests() -> None:
    op.create_table(
        "requests",
        sa.Column("owner", sa.String(80), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.PrimaryKeyConstraint("owner", "key"),
    )


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("act", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("actor_id", sa.String(40), nullable=False),
        sa.Column("acting_for", sa.String(200), nullable=False),
        sa.Column("what", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("hash"),
    )
    op.create_index("audit_of_subject", "audit", ["kind", "subject", "seq"])
    op.create_index("ix_audit_act", "audit", ["act"])


def _refusals_of_sqlite() -> None:
    for table, acts in GUARDED.items():
        for act in acts:
            op.execute(
                f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table}: {act} is refused'); END"
            )
    for table, columns in FROZEN.items():
        changed = " OR ".join(f"OLD.{name} IS NOT NEW.{name}" for name in columns)
        op.execute(
            f"CREATE TRIGGER {table}_frozen BEFORE UPDATE ON {table} WHEN {changed} "
            f"BEGIN SELECT RAISE(ABORT, '{table}: UPDATE of {', '.join(columns)} is refused'); END"
        )


def _refusals_of_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION benton_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION '%: % is refused', TG_TABLE_NAME, concat_ws(' of ', TG_OP, TG_ARGV[0]) "
        "USING ERRCODE = 'integrity_constraint_violation'; END $$"
    )
    for table, acts in GUARDED.items():
        for act in acts:
            op.execute(
                f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION benton_refuse()"
            )
        op.execute(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION benton_refuse()"
        )
    for table, columns in FROZEN.items():
        changed = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in columns)
        op.execute(
            f"CREATE TRIGGER {table}_frozen BEFORE UPDATE ON {table} FOR EACH ROW WHEN ({changed}) "
            f"EXECUTE FUNCTION benton_refuse('{', '.join(columns)}')"
        )


def _points() -> None:
    """The active addresses as points, for the village's own GIS to read."""
    op.execute("CREATE EXTENSION IF NOT EXISTS postgis")
    op.execute(
        'CREATE VIEW address_points AS SELECT a.id, a.status, a."full" AS address, a.usps, a.number_prefix, a.number, '
        "a.fraction, a.suffix, a.pre_directional, a.street_pre_type, a.street_name, a.street_post_type, "
        "a.street_post_directional, a.unit_type, a.unit, a.street, a.half, a.map_version, l.placement, "
        "l.accuracy_ft, ST_SetSRID(ST_MakePoint(l.lon, l.lat), 4326)::geometry(Point, 4326) AS geom "
        "FROM addresses a JOIN locations l ON l.id = a.location_id WHERE a.status <> 'retired'"
    )
