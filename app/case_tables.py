"""The register's tables of cases and permits, their events and clocks, and of what the Village has settled."""

from __future__ import annotations

import sqlalchemy as sa

from app.columns import Day, Instant, Json, metadata

cases = sa.Table(
    "cases",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("place", sa.String(300), nullable=False),
    sa.Column("address_id", sa.Integer, sa.ForeignKey("addresses.id"), index=True),
    sa.Column("lon", sa.Float),
    sa.Column("lat", sa.Float),
    sa.Column("facts", Json, nullable=False),
    sa.Column("opened_at", Instant, nullable=False),
    sa.Column("opened_by", sa.String(200), nullable=False),
    sa.Column("closed_at", Instant),
    sa.Column("due_at", Instant),
    sa.Column("over_at", Instant),
    sa.Column("number", sa.String(20)),
    sa.Column("street", sa.String(200), nullable=False, server_default=""),
    sa.Column("assigned_to", sa.String(200), nullable=False, server_default=""),
    sa.Column("shape", Json),
    *(sa.Column(f"{side}_ft", sa.Float) for side in ("west", "south", "east", "north")),
    sa.Column("starts_on", Day),
    sa.Column("ends_on", Day),
    sa.Column("object_id", sa.Integer, index=True),
)
"""`due_at` is when the clock of the state ends, `over_at` when it has ended under every reading of the law. Permits are
cases with a `number` of their own; `shape` is GeoJSON of the working CRS, and `object_id` the work that the permit has
put on the works map."""
_ONE = sa.text("closed_at IS NULL AND kind = 'numbering'")
sa.Index("one_open_case", cases.c.kind, cases.c.address_id, unique=True, sqlite_where=_ONE, postgresql_where=_ONE)
sa.Index("cases_by_due", cases.c.closed_at, cases.c.due_at)
sa.Index("cases_by_number", cases.c.number, unique=True)
sa.Index("cases_by_place", cases.c.west_ft, cases.c.south_ft)

case_events = sa.Table(
    "case_events",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("case_id", sa.Integer, sa.ForeignKey("cases.id"), nullable=False, index=True),
    sa.Column("what", sa.String(40), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("facts", Json, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
)

case_clocks = sa.Table(
    "case_clocks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("case_id", sa.Integer, sa.ForeignKey("cases.id"), nullable=False, index=True),
    sa.Column("key", sa.String(40), nullable=False),
    sa.Column("title", sa.String(300), nullable=False),
    sa.Column("section", sa.String(80), nullable=False),
    sa.Column("sense", sa.String(10), nullable=False),
    sa.Column("office", sa.String(40), nullable=False),
    sa.Column("due_on", Day),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("over_at", Instant, nullable=False),
    sa.Column("counted", sa.Text, nullable=False),
    sa.Column("reading", sa.Text, nullable=False),
    sa.Column("running", sa.Boolean, nullable=False),
    sa.Column("done_at", Instant),
    sa.Column("basis", sa.String(16), nullable=False),
    sa.Index("case_clocks_by_due", "running", "due_at", "id"),
)
"""What the events of each case make of the law's times, written anew with each event: derived, so not audited."""

village_values = sa.Table(
    "village_values",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("key", sa.String(60), nullable=False),
    sa.Column("value", Json, nullable=False),
    sa.Column("effective_on", Day, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("made_by", sa.String(200), nullable=False),
    sa.Column("withdrawn_at", Instant),
    sa.Index("village_values_by_key", "key", "effective_on"),
)
"""What the ordinance leaves to other texts or to a reading, as the Village has settled it, from a day on."""
