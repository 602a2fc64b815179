"""What exists already (files brought in, lots, buildings), edits of streets, and cases."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

GUARDED = {
    "imports": ("DELETE",),
    "lots": ("DELETE",),
    "buildings": ("DELETE",),
    "cases": ("DELETE",),
    "case_events": ("UPDATE", "DELETE"),
}
_ACTIVE, _ADOPTED, _OPEN = "status <> 'retired'", "status = 'adopted'", "closed_at IS NULL"
_NUMBER = ("street_key", "half", "number_prefix", "number", "fraction", "suffix", "unit_type", "unit")
ONE: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "audit": ((("seq",), ""), (("hash",), "")),
    "explanations": ((("digest",), ""),),
    "documents": ((("id",), ""), (("number",), "")),
    "addresses": ((("id",), ""), (_NUMBER, _ACTIVE)),
    "maps": ((("version",), ""), (("status",), _ADOPTED)),
    "cases": ((("id",), ""), (("kind", "address_id"), _OPEN)),
    **dict.fromkeys(
        (
            *("locations", "map_edits", "doubts", "renamings", "vacations", "surveys"),
            *("imports", "lots", "buildings", "case_events"),
        ),
        ((("id",), ""),),
    ),
}
"""What is there once, by table, and of which rows."""
UNCHANGED = ("audit", "explanations", "documents", "case_events")
"""Tables whose rows are not changed at all."""
TABLES = ("imports", "import_mappings", "lots", "buildings", "cases", "case_events")


def upgrade() -> None:
    """Make it."""
    op.add_column("map_edits", sa.Column("content", sa.Text(), nullable=True))
    _imports()
    _import_mappings()
    _shapes("lots", "parcel")
    _shapes("buildings", "code")
    _cases()
    _case_events()
    postgresql = op.get_bind().dialect.name == "postgresql"
    _refusals(postgresql=postgresql)
    if not postgresql:
        _refuse_replacing()


def downgrade() -> None:
    """Unmake it; the triggers go with their tables."""
    if op.get_bind().dialect.name != "postgresql":
        for table in ONE.keys() - set(TABLES):
            for act in ("insert", "update"):
                op.execute(f"DROP TRIGGER IF EXISTS {table}_replaced_{act}")
    for table in reversed(TABLES):
        op.drop_table(table)
    op.drop_column("map_edits", "content")


def _imports() -> None:
    op.create_table(
        "imports",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("file", sa.String(300), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("layer", sa.String(200), nullable=False),
        sa.Column("crs", sa.String(200), nullable=False),
        sa.Column("mapping", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("accuracy_ft", sa.Float(), nullable=True),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("undone_at", sa.String(27), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )


def _import_mappings() -> None:
    op.create_table(
        "import_mappings",
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("columns", sa.String(64), nullable=False),
        sa.Column("mapping", sa.Text(), nullable=False),
        sa.Column("crs", sa.String(200), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("kind", "columns"),
    )


def _shapes(name: str, label: str) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(label, sa.String(100), nullable=False),
        sa.Column("shape", sa.Text(), nullable=False),
        *(sa.Column(f"{side}_ft", sa.Float(), nullable=False) for side in ("west", "south", "east", "north")),
        sa.Column("import_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("retired_at", sa.String(27), nullable=True),
        sa.ForeignKeyConstraint(["import_id"], ["imports.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(f"ix_{name}_import_id", name, ["import_id"])
    op.create_index(f"{name}_by_place", name, ["west_ft", "south_ft"])
    op.create_index(f"{name}_by_label", name, [label])


def _cases() -> None:
    op.create_table(
        "cases",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("place", sa.String(300), nullable=False),
        sa.Column("address_id", sa.Integer(), nullable=True),
        sa.Column("lon", sa.Float(), nullable=True),
        sa.Column("lat", sa.Float(), nullable=True),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.String(27), nullable=False),
        sa.Column("opened_by", sa.String(200), nullable=False),
        sa.Column("closed_at", sa.String(27), nullable=True),
        sa.Column("due_at", sa.String(27), nullable=True),
        sa.Column("over_at", sa.String(27), nullable=True),
        sa.ForeignKeyConstraint(["address_id"], ["addresses.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_cases_address_id", "cases", ["address_id"])
    still_open = sa.text("closed_at IS NULL")
    columns = ["kind", "address_id"]
    op.create_index(
        "one_open_case", "cases", columns, unique=True, sqlite_where=still_open, postgresql_where=still_open
    )
    op.create_index("cases_by_due", "cases", ["closed_at", "due_at"])


def _case_events() -> None:
    op.create_table(
        "case_events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.Integer(), nullable=False),
        sa.Column("what", sa.String(40), nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_case_events_case_id", "case_events", ["case_id"])


def _refusals(*, postgresql: bool) -> None:
    for table, acts in GUARDED.items():
        for act in acts:
            does = (
                "FOR EACH ROW EXECUTE FUNCTION benton_refuse()"
                if postgresql
                else f"BEGIN SELECT RAISE(ABORT, '{table}: {act} is refused'); END"
            )
            op.execute(f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} {does}")
        if postgresql:
            op.execute(
                f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION benton_refuse()"
            )


def _refuse_replacing() -> None:
    """Refuse SQLite's REPLACE, which deletes the old row and, unless it is told to, fires no trigger of a delete."""
    for table, keys in ONE.items():
        for act in ("insert", "update"):
            if act == "update" and table in UNCHANGED:
                continue
            held = " OR ".join(_held(table, columns, of, act) for columns, of in keys)
            op.execute(
                f"CREATE TRIGGER {table}_replaced_{act} BEFORE {act.upper()} ON {table} WHEN {held} "
                f"BEGIN SELECT RAISE(ABORT, '{table}: replacing a row is refused'); END"
            )


def _held(table: str, columns: tuple[str, ...], of: str, act: str) -> str:
    """Return the condition that another row has what a new one, or a changed one, is to have."""
    same = " AND ".join(f"held.{name} = NEW.{name}" for name in columns)
    other = " AND held.rowid <> OLD.rowid" if act == "update" else ""
    there = f"EXISTS (SELECT 1 FROM {table} AS held WHERE {same}{f' AND held.{of}' if of else ''}{other})"
    return f"(NEW.{of} AND {there})" if of else there
