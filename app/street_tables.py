"""The register's tables of what stands or is dug in the street, and of what the right-of-way is made of."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from app.columns import Day, Instant, Json, metadata


def _box() -> list[sa.Column[float]]:
    """Return the columns of the rectangle that a shape lies in, working CRS, feet."""
    return [sa.Column(f"{side}_ft", sa.Float, nullable=False) for side in ("west", "south", "east", "north")]


def _kept() -> list[sa.Column[Any]]:
    """Return the columns that say why, when and by whom a row was made."""
    return [
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("made_at", Instant, nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("retired_at", Instant),
    ]


street_objects = sa.Table(
    "street_objects",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("label", sa.String(200), nullable=False),
    sa.Column("shape", Json, nullable=False),
    *_box(),
    sa.Column("lon", sa.Float, nullable=False),
    sa.Column("lat", sa.Float, nullable=False),
    sa.Column("accuracy_ft", sa.Float),
    sa.Column("street", sa.String(200), nullable=False),
    sa.Column("address_id", sa.Integer, sa.ForeignKey("addresses.id"), index=True),
    sa.Column("facts", Json, nullable=False),
    sa.Column("checked", Json),
    sa.Column("emergency", sa.Boolean, nullable=False),
    sa.Column("starts_on", Day),
    sa.Column("ends_on", Day),
    sa.Column("restored_on", Day),
    sa.Column("authorisation", Json),
    *_kept(),
    sa.Column("retired_reason", sa.Text, nullable=False),
)
"""Shapes are GeoJSON of the working CRS; `lon` and `lat` are of a point on the shape, for lists and links."""
sa.Index("street_objects_by_place", street_objects.c.west_ft, street_objects.c.south_ft)
sa.Index("street_objects_by_kind", street_objects.c.kind, street_objects.c.retired_at)

object_photos = sa.Table(
    "object_photos",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("object_id", sa.Integer, sa.ForeignKey("street_objects.id"), nullable=False, index=True),
    sa.Column("media", sa.String(20), nullable=False),
    sa.Column("width", sa.Integer, nullable=False),
    sa.Column("height", sa.Integer, nullable=False),
    sa.Column("bytes", sa.LargeBinary, nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("caption", sa.String(300), nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("removed_at", Instant),
)

cross_sections = sa.Table(
    "cross_sections",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("street", sa.String(200), nullable=False),
    sa.Column("half", sa.String(10), nullable=False),
    sa.Column("block", sa.Integer),
    sa.Column("row_width_ft", sa.Float, nullable=False),
    sa.Column("pavement_width_ft", sa.Float, nullable=False),
    sa.Column("odd_side", Json, nullable=False),
    sa.Column("even_side", Json, nullable=False),
    sa.Column("carrier_side", sa.String(10), nullable=False),
    sa.Column("commercial", sa.Boolean),
    sa.Column("improved_on", Day),
    sa.Column("accuracy_ft", sa.Float, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("surveyed_on", Day),
    sa.Column("assumed", sa.Boolean, nullable=False),
    *_kept(),
    sa.Index("cross_sections_by_street", "street"),
)
"""Of a street's block, its half or all of it; with ``""`` as its street, of every street that has none of its own."""

layer_features = sa.Table(
    "layer_features",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("layer", sa.String(30), nullable=False),
    sa.Column("label", sa.String(200), nullable=False),
    sa.Column("shape", Json, nullable=False),
    *_box(),
    sa.Column("known", Json, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("surveyed_on", Day),
    sa.Column("accuracy_ft", sa.Float, nullable=False),
    sa.Column("import_id", sa.Integer, sa.ForeignKey("imports.id"), index=True),
    *_kept(),
    sa.Index("layer_features_by_layer", "layer"),
    sa.Index("layer_features_by_place", "west_ft", "south_ft"),
)

STANDING = (street_objects, object_photos, cross_sections, layer_features)
"""None of their rows is ever deleted."""
