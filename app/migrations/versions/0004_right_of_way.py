"""What stands or is dug in the street, its photos, the streets' cross-sections, and surveyed layers."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = ("street_objects", "object_photos", "cross_sections", "layer_features")
"""No row of them is deleted."""


def upgrade() -> None:
    """Make it."""
    _street_objects()
    _object_photos()
    _cross_sections()
    _layer_features()
    if op.get_bind().dialect.name == "postgresql":
        _refusals_of_postgresql()
    else:
        _refusals_of_sqlite()


def downgrade() -> None:
    """Unmake it; the triggers go with their tables."""
    for table in reversed(TABLES):
        op.drop_table(table)


def _box() -> list[sa.Column[float]]:
    return [sa.Column(f"{side}_ft", sa.Float(), nullable=False) for side in ("west", "south", "east", "north")]


def _kept() -> list[sa.Column[Any]]:
    return [
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("retired_at", sa.String(27), nullable=True),
    ]


def _street_objects() -> None:
    op.create_table(
        "street_objects",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("shape", sa.Text(), nullable=False),
        *_box(),
        sa.Column("lon", sa.Float(), nullable=False),
        sa.Column("lat", sa.Float(), nullable=False),
        sa.Column("accuracy_ft", sa.Float(), nullable=True),
        sa.Column("street", sa.String(200), nullable=False),
        sa.Column("address_id", sa.Integer(), nullable=True),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("checked", sa.Text(), nullable=True),
        sa.Column("emergency", sa.Boolean(), nullable=False),
        sa.Column("starts_on", sa.String(10), nullable=True),
        sa.Column("ends_on", sa.String(10), nullable=True),
        sa.Column("restored_on", sa.String(10), nullable=True),
        sa.Column("authorisation", sa.Text(), nullable=True),
        *_kept(),
        sa.Column("retired_reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["address_id"], ["addresses.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_street_objects_address_id", "street_objects", ["address_id"])
    op.create_index("street_objects_by_place", "street_objects", ["west_ft", "south_ft"])
    op.create_index("street_objects_by_kind", "street_objects", ["kind", "retired_at"])


def _object_photos() -> None:
    op.create_table(
        "object_photos",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("object_id", sa.Integer(), nullable=False),
        sa.Column("media", sa.String(20), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("caption", sa.String(300), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("removed_at", sa.String(27), nullable=True),
        sa.ForeignKeyConstraint(["object_id"], ["street_objects.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_object_photos_object_id", "object_photos", ["object_id"])


def _cross_sections() -> None:
    op.create_table(
        "cross_sections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("street", sa.String(200), nullable=False),
        sa.Column("half", sa.String(10), nullable=False),
        sa.Column("block", sa.Integer(), nullable=True),
        sa.Column("row_width_ft", sa.Float(), nullable=False),
        sa.Column("pavement_width_ft", sa.Float(), nullable=False),
        sa.Column("odd_side", sa.Text(), nullable=False),
        sa.Column("even_side", sa.Text(), nullable=False),
        sa.Column("carrier_side", sa.String(10), nullable=False),
        sa.Column("commercial", sa.Boolean(), nullable=True),
        sa.Column("improved_on", sa.String(10), nullable=True),
        sa.Column("accuracy_ft", sa.Float(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("surveyed_on", sa.String(10), nullable=True),
        sa.Column("assumed", sa.Boolean(), nullable=False),
        *_kept(),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("cross_sections_by_street", "cross_sections", ["street"])


def _layer_features() -> None:
    op.create_table(
        "layer_features",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("layer", sa.String(30), nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("shape", sa.Text(), nullable=False),
        *_box(),
        sa.Column("known", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("surveyed_on", sa.String(10), nullable=True),
        sa.Column("accuracy_ft", sa.Float(), nullable=False),
        sa.Column("import_id", sa.Integer(), nullable=True),
        *_kept(),
        sa.ForeignKeyConstraint(["import_id"], ["imports.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_layer_features_import_id", "layer_features", ["import_id"])
    op.create_index("layer_features_by_layer", "layer_features", ["layer"])
    op.create_index("layer_features_by_place", "layer_features", ["west_ft", "south_ft"])


def _refusals_of_postgresql() -> None:
    for table in TABLES:
        for act, each in (("delete", "ROW"), ("truncate", "STATEMENT")):
            op.execute(
                f"CREATE TRIGGER {table}_no_{act} BEFORE {act.upper()} ON {table} "
                f"FOR EACH {each} EXECUTE FUNCTION benton_refuse()"
            )


def _refusals_of_sqlite() -> None:
    """Refuse deleting, and REPLACE, which deletes the old row and may fire no trigger of a delete."""
    for table in TABLES:
        op.execute(
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table}: DELETE is refused'); END"
        )
        for act, other in (("insert", ""), ("update", " AND held.rowid <> OLD.rowid")):
            held = f"EXISTS (SELECT 1 FROM {table} AS held WHERE held.id = NEW.id{other})"
            op.execute(
                f"CREATE TRIGGER {table}_replaced_{act} BEFORE {act.upper()} ON {table} WHEN {held} "
                f"BEGIN SELECT RAISE(ABORT, '{table}: replacing a row is refused'); END"
            )
