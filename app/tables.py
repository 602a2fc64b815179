"""The register's tables, the same on SQLite and PostgreSQL. `app.migrations` makes them; this describes them.

Instants are ISO 8601 texts in UTC and JSON is canonical text, so that a row reads the same in either database and its
digest never depends on a driver. What may not be altered is guarded by triggers, which the migrations make too.
"""

from __future__ import annotations

import sqlalchemy as sa

from app.case_tables import village_values
from app.columns import Day, Instant, Json, metadata
from app.street_tables import STANDING

STATUSES = ("proposed", "provisional", "official", "retired")
"""Of an address: proposed waits for a person's choice, provisional was given under a map that is not adopted."""
ACTIVE = ("proposed", "provisional", "official")
"""An address with one of these holds its number."""
PLACEMENTS = ("Structure", "PropertyAccess", "Parcel", "Geocoding", "Unknown")

# --- people ---------------------------------------------------------------------------------------------------

users = sa.Table(
    "users",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("name_key", sa.String(200), nullable=False, unique=True),
    sa.Column("roles", Json, nullable=False),
    sa.Column("password_hash", sa.String(300)),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
)

one_time_links = sa.Table(
    "one_time_links",
    metadata,
    sa.Column("token_hash", sa.String(64), primary_key=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), nullable=False, index=True),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("used_at", Instant),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), nullable=False, index=True),
    sa.Column("csrf", sa.String(64), nullable=False),
    sa.Column("acting_for", sa.String(200), nullable=False),
    sa.Column("agent", sa.String(300), nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("seen_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("revoked_at", Instant),
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("roles", Json, nullable=False),
    sa.Column("key_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("shown", sa.String(12), nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("used_at", Instant),
    sa.Column("revoked_at", Instant),
)

sign_in_attempts = sa.Table(
    "sign_in_attempts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", Instant, nullable=False, index=True),
    sa.Column("name_key", sa.String(200), nullable=False),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("succeeded", sa.Boolean, nullable=False),
)

# --- the Street Numbering Map ---------------------------------------------------------------------------------

maps = sa.Table(
    "maps",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("status", sa.String(12), nullable=False),
    sa.Column("snapshot", sa.LargeBinary, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("law_date", Day, nullable=False),
    sa.Column("placeholders", sa.Integer, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("adopted_on", Day),
    sa.Column("act", sa.Text),
    sa.Column("adoption_reason", sa.Text),
    sa.Column("adopted_at", Instant),
    sa.Column("adopted_by", sa.String(200)),
    sa.CheckConstraint("status IN ('proposal', 'adopted', 'superseded', 'withdrawn')", name="map_status"),
)
sa.Index("one_adopted_map", maps.c.status, unique=True, sqlite_where=sa.text("status = 'adopted'"),
         postgresql_where=sa.text("status = 'adopted'"))  # fmt: skip

map_edits = sa.Table(
    "map_edits",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("map_version", sa.Integer, sa.ForeignKey("maps.version"), nullable=False, index=True),
    sa.Column("kind", sa.String(12), nullable=False),
    sa.Column("street", sa.String(200), nullable=False),
    sa.Column("side", sa.String(10), nullable=False),
    sa.Column("path", sa.Integer, nullable=False),
    sa.Column("at_ft", sa.Float, nullable=False),
    sa.Column("value", sa.Float, nullable=False),
    sa.Column("code", sa.String(40), nullable=False),
    sa.Column("decision", sa.Text, nullable=False),
    sa.Column("content", Json),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("withdrawn_at", Instant),
)

renamings = sa.Table(
    "renamings",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("old", sa.String(200), nullable=False),
    sa.Column("new", sa.String(200), nullable=False),
    sa.Column("decided_on", Day, nullable=False),
    sa.Column("act", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("undone_at", Instant),
)

vacations = sa.Table(
    "vacations",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("street", sa.String(200), nullable=False),
    sa.Column("decided_on", Day, nullable=False),
    sa.Column("act", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("undone_at", Instant),
)

surveys = sa.Table(
    "surveys",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("completed_on", Day, nullable=False),
    sa.Column("act", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("undone_at", Instant),
)

# --- addresses ------------------------------------------------------------------------------------------------

locations = sa.Table(
    "locations",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("x_ft", sa.Float, nullable=False),
    sa.Column("y_ft", sa.Float, nullable=False),
    sa.Column("lon", sa.Float, nullable=False),
    sa.Column("lat", sa.Float, nullable=False),
    sa.Column("placement", sa.String(20), nullable=False),
    sa.Column("accuracy_ft", sa.Float),
    sa.Column("access_lon", sa.Float),
    sa.Column("access_lat", sa.Float),
    sa.Column("access_note", sa.Text, nullable=False),
    sa.Column("building", Json),
    sa.Column("lot", Json),
    sa.Column("doors", sa.Integer, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
)

sa.Index("locations_by_place", locations.c.x_ft, locations.c.y_ft)

explanations = sa.Table(
    "explanations",
    metadata,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

addresses = sa.Table(
    "addresses",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("status", sa.String(12), nullable=False),
    sa.Column("location_id", sa.Integer, sa.ForeignKey("locations.id"), nullable=False, index=True),
    # where it is numbered
    sa.Column("street", sa.String(200), nullable=False),
    sa.Column("street_key", sa.String(200), nullable=False),
    sa.Column("half", sa.String(10), nullable=False),
    sa.Column("path", sa.Integer, nullable=False),
    sa.Column("even", sa.Boolean, nullable=False),
    sa.Column("station_ft", sa.Float),
    # CLDXF parts
    sa.Column("number_prefix", sa.String(20), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
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
    # why it is so
    sa.Column("computed_number", sa.Integer),
    sa.Column("map_version", sa.Integer, sa.ForeignKey("maps.version"), nullable=False, index=True),
    sa.Column("law_date", Day, nullable=False),
    sa.Column("findings", Json, nullable=False),
    sa.Column("decisions", Json, nullable=False),
    sa.Column("explanation", sa.String(64), sa.ForeignKey("explanations.digest"), nullable=False),
    sa.Column("set_back", Json),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("conforms", sa.Boolean, nullable=False),
    sa.Column("doubt_id", sa.Integer),
    sa.Column("replaced_by", sa.Integer, sa.ForeignKey("addresses.id")),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("retired_at", Instant),
    sa.Column("retired_reason", sa.Text, nullable=False),
    sa.CheckConstraint("status IN ('proposed', 'provisional', 'official', 'retired')", name="address_status"),
    sa.CheckConstraint("number BETWEEN 1 AND 999999", name="address_number"),
    sa.CheckConstraint("(status = 'retired') = (retired_at IS NOT NULL)", name="address_retired"),
)
_ACTIVE = sa.text("status <> 'retired'")
sa.Index(
    "one_active_number",
    *(addresses.c.street_key, addresses.c.half, addresses.c.number_prefix, addresses.c.number),
    *(addresses.c.fraction, addresses.c.suffix, addresses.c.unit_type, addresses.c.unit),
    unique=True,
    sqlite_where=_ACTIVE,
    postgresql_where=_ACTIVE,
)
sa.Index("addresses_by_number", addresses.c.number)
sa.Index("addresses_by_successor", addresses.c.replaced_by)
sa.Index("addresses_in_order", addresses.c.street_key, addresses.c.half, addresses.c.number, addresses.c.id)
sa.Index(
    "addresses_on_side",
    *(addresses.c.street_key, addresses.c.half, addresses.c.even, addresses.c.number, addresses.c.fraction),
    *(addresses.c.suffix, addresses.c.id, addresses.c.status, addresses.c.station_ft),
)

doubts = sa.Table(
    "doubts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("status", sa.String(10), nullable=False),
    sa.Column("kind", sa.String(40), nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("request", Json, nullable=False),
    sa.Column("street", sa.String(200), nullable=False),
    sa.Column("half", sa.String(10), nullable=False),
    sa.Column("lon", sa.Float, nullable=False),
    sa.Column("lat", sa.Float, nullable=False),
    sa.Column("findings", Json, nullable=False),
    sa.Column("opened_at", Instant, nullable=False),
    sa.Column("opened_by", sa.String(200), nullable=False),
    sa.Column("decided_at", Instant),
    sa.Column("decided_by", sa.String(200)),
    sa.Column("decision", Json),
    sa.Column("reason", sa.Text),
    sa.Column("address_id", sa.Integer, sa.ForeignKey("addresses.id")),
    sa.CheckConstraint("status IN ('open', 'decided')", name="doubt_status"),
)

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("number", sa.String(40), nullable=False, unique=True),
    sa.Column("address_id", sa.Integer, sa.ForeignKey("addresses.id"), index=True),
    sa.Column("issued_at", Instant, nullable=False),
    sa.Column("issued_by", sa.String(200), nullable=False),
    sa.Column("facts", Json, nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("audit_head", sa.String(64), nullable=False),
    sa.Column("pdf", sa.LargeBinary, nullable=False),
    sa.Column("case_id", sa.Integer, index=True),
)
"""Of an address, of a case or permit, of both, or of neither, as a list is."""

# --- what exists already: parcels, buildings, files brought in -------------------------------------------------

imports = sa.Table(
    "imports",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("file", sa.String(300), nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("layer", sa.String(200), nullable=False),
    sa.Column("crs", sa.String(200), nullable=False),
    sa.Column("mapping", Json, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("accuracy_ft", sa.Float),
    sa.Column("rows", sa.Integer, nullable=False),
    sa.Column("report", Json, nullable=False),
    sa.Column("content", sa.LargeBinary),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("undone_at", Instant),
)

import_mappings = sa.Table(
    "import_mappings",
    metadata,
    sa.Column("kind", sa.String(20), primary_key=True),
    sa.Column("columns", sa.String(64), primary_key=True),
    sa.Column("mapping", Json, nullable=False),
    sa.Column("crs", sa.String(200), nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
)


def _shapes(name: str, label: str) -> sa.Table:
    """Return a table of polygons in the working CRS, with the rectangle each lies in, feet."""
    return sa.Table(
        name,
        metadata,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(label, sa.String(100), nullable=False),
        sa.Column("shape", Json, nullable=False),
        *(sa.Column(f"{side}_ft", sa.Float, nullable=False) for side in ("west", "south", "east", "north")),
        sa.Column("import_id", sa.Integer, sa.ForeignKey("imports.id"), nullable=False, index=True),
        sa.Column("made_at", Instant, nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("retired_at", Instant),
        sa.Index(f"{name}_by_place", "west_ft", "south_ft"),
        sa.Index(f"{name}_by_label", label),
    )


lots = _shapes("lots", "parcel")
buildings = _shapes("buildings", "code")

# --- the record's own ------------------------------------------------------------------------------------------

requests = sa.Table(
    "requests",
    metadata,
    sa.Column("owner", sa.String(80), primary_key=True),
    sa.Column("key", sa.String(255), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
)
"""Requests already answered, so that the same one sent twice is acted on once."""

# --- the audit ------------------------------------------------------------------------------------------------

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("act", sa.Integer, nullable=False, index=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("actor_id", sa.String(40), nullable=False),
    sa.Column("acting_for", sa.String(200), nullable=False),
    sa.Column("what", sa.String(40), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("subject", sa.String(200), nullable=False),
    sa.Column("before", sa.Text),
    sa.Column("after", sa.Text),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("previous", sa.String(64), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
)
sa.Index("audit_of_subject", audit.c.kind, audit.c.subject, audit.c.seq)

GUARDED = {
    **{table.name: ("DELETE",) for table in (*STANDING, village_values)},
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
    "imports": ("DELETE",),
    "lots": ("DELETE",),
    "buildings": ("DELETE",),
    "cases": ("DELETE",),
    "case_events": ("UPDATE", "DELETE"),
}
"""What the database itself refuses, by table; on PostgreSQL TRUNCATE is refused of all of them too."""
ONE = {
    "audit": (("seq",), ("hash",)),
    "explanations": (("digest",),),
    "documents": (("id",), ("number",)),
    "addresses": (
        ("id",),
        ("street_key", "half", "number_prefix", "number", "fraction", "suffix", "unit_type", "unit"),
    ),
    "maps": (("version",), ("status",)),
    "cases": (("id",), ("number",), ("kind", "address_id")),
    **dict.fromkeys(
        (
            *("locations", "map_edits", "doubts", "renamings", "vacations", "surveys"),
            *("imports", "lots", "buildings", "case_events"),
            *("street_objects", "object_photos", "cross_sections", "layer_features"),
            "village_values",
        ),
        (("id",),),
    ),
}
"""What is there once, by guarded table: SQLite's REPLACE deletes the row that has it, and is refused."""
FROZEN = {"maps": ("version", "snapshot", "digest", "law_date")}
"""Columns that the database refuses to change."""
