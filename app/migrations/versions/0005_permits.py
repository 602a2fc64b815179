"""Permits and further kinds of cases, their clocks, what the Village has settled, and documents of no address."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

SETTLED = "village_values"
ONE_OPEN = "closed_at IS NULL AND kind = 'numbering'"
"""An address has one open numbering case at most; of other kinds there may be several on one address."""
BOX = ("west_ft", "south_ft", "east_ft", "north_ft")


def upgrade() -> None:
    """Make it."""
    _cases()
    _clocks()
    _values()
    _documents()


def downgrade() -> None:
    """Unmake it: documents of no address go, for the older schema has no place for them."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    op.drop_table("case_clocks")
    op.drop_table(SETTLED)
    triggers = _triggers_off("documents") if sqlite else []
    if not sqlite:
        op.execute("ALTER TABLE documents DISABLE TRIGGER USER")
    op.execute("DELETE FROM documents WHERE address_id IS NULL")
    with op.batch_alter_table("documents") as batch:
        batch.drop_index("ix_documents_case_id")
        batch.drop_column("case_id")
        batch.alter_column("address_id", existing_type=sa.Integer(), nullable=False)
    if not sqlite:
        op.execute("ALTER TABLE documents ENABLE TRIGGER USER")
    for made in triggers:
        op.get_bind().exec_driver_sql(made)
    if sqlite:
        for act in ("insert", "update"):
            op.execute(f"DROP TRIGGER cases_replaced_{act}")
    for index in ("cases_by_number", "cases_by_place", "ix_cases_object_id", "one_open_case"):
        op.drop_index(index, "cases")
    for name in ("number", "street", "assigned_to", "shape", *BOX, "starts_on", "ends_on", "object_id"):
        op.drop_column("cases", name)
    only = sa.text(ONE_OPEN)  # of other kinds several may be open on one address
    kept = ["kind", "address_id"]
    op.create_index("one_open_case", "cases", kept, unique=True, sqlite_where=only, postgresql_where=only)
    if sqlite:
        for act, other in (("insert", ""), ("update", " AND held.rowid <> OLD.rowid")):
            held = f"EXISTS (SELECT 1 FROM cases AS held WHERE held.id = NEW.id{other})"
            op.execute(
                f"CREATE TRIGGER cases_replaced_{act} BEFORE {act.upper()} ON cases WHEN {held} "
                "BEGIN SELECT RAISE(ABORT, 'cases: replacing a row is refused'); END"
            )


def _triggers_off(table: str) -> list[str]:
    """Drop a table's triggers, and return the statements that make them."""
    asked = sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :table")
    found = op.get_bind().execute(asked, {"table": table}).all()
    for name, _ in found:
        op.execute(f"DROP TRIGGER {name}")
    return [made for _, made in found]


def _cases() -> None:
    columns: tuple[sa.Column[Any], ...] = (
        sa.Column("number", sa.String(20), nullable=True),
        sa.Column("street", sa.String(200), nullable=False, server_default=""),
        sa.Column("assigned_to", sa.String(200), nullable=False, server_default=""),
        sa.Column("shape", sa.Text(), nullable=True),
        *(sa.Column(name, sa.Float(), nullable=True) for name in BOX),
        sa.Column("starts_on", sa.String(10), nullable=True),
        sa.Column("ends_on", sa.String(10), nullable=True),
        sa.Column("object_id", sa.Integer(), nullable=True),
    )
    for column in columns:
        op.add_column("cases", column)
    op.drop_index("one_open_case", "cases")
    only = sa.text(ONE_OPEN)
    kept = ["kind", "address_id"]
    op.create_index("one_open_case", "cases", kept, unique=True, sqlite_where=only, postgresql_where=only)
    op.create_index("cases_by_number", "cases", ["number"], unique=True)
    op.create_index("cases_by_place", "cases", ["west_ft", "south_ft"])
    op.create_index("ix_cases_object_id", "cases", ["object_id"])
    if op.get_bind().dialect.name == "sqlite":
        for act in ("insert", "update"):
            op.execute(f"DROP TRIGGER cases_replaced_{act}")
            _refuse_replacing_a_case(act)


def _refuse_replacing_a_case(act: str) -> None:
    other = " AND held.rowid <> OLD.rowid" if act == "update" else ""
    open_one = "held.closed_at IS NULL AND held.kind = 'numbering'"
    keys = (
        "held.id = NEW.id",
        "held.number = NEW.number",
        f"NEW.closed_at IS NULL AND NEW.kind = 'numbering' AND held.address_id = NEW.address_id AND {open_one}",
    )
    held = " OR ".join(f"EXISTS (SELECT 1 FROM cases AS held WHERE {key}{other})" for key in keys)
    op.execute(
        f"CREATE TRIGGER cases_replaced_{act} BEFORE {act.upper()} ON cases WHEN {held} "
        "BEGIN SELECT RAISE(ABORT, 'cases: replacing a row is refused'); END"
    )


def _clocks() -> None:
    op.create_table(
        "case_clocks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(40), nullable=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("section", sa.String(80), nullable=False),
        sa.Column("sense", sa.String(10), nullable=False),
        sa.Column("office", sa.String(40), nullable=False),
        sa.Column("due_on", sa.String(10), nullable=True),
        sa.Column("due_at", sa.String(27), nullable=False),
        sa.Column("over_at", sa.String(27), nullable=False),
        sa.Column("counted", sa.Text(), nullable=False),
        sa.Column("reading", sa.Text(), nullable=False),
        sa.Column("running", sa.Boolean(), nullable=False),
        sa.Column("done_at", sa.String(27), nullable=True),
        sa.Column("basis", sa.String(16), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_case_clocks_case_id", "case_clocks", ["case_id"])
    op.create_index("case_clocks_by_due", "case_clocks", ["running", "due_at", "id"])


def _values() -> None:
    op.create_table(
        SETTLED,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(60), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("effective_on", sa.String(10), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(27), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        sa.Column("withdrawn_at", sa.String(27), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("village_values_by_key", SETTLED, ["key", "effective_on"])
    if op.get_bind().dialect.name == "postgresql":
        for act, each in (("delete", "ROW"), ("truncate", "STATEMENT")):
            op.execute(
                f"CREATE TRIGGER {SETTLED}_no_{act} BEFORE {act.upper()} ON {SETTLED} "
                f"FOR EACH {each} EXECUTE FUNCTION benton_refuse()"
            )
        return
    op.execute(
        f"CREATE TRIGGER {SETTLED}_no_delete BEFORE DELETE ON {SETTLED} "
        f"BEGIN SELECT RAISE(ABORT, '{SETTLED}: DELETE is refused'); END"
    )
    for act, other in (("insert", ""), ("update", " AND held.rowid <> OLD.rowid")):
        held = f"EXISTS (SELECT 1 FROM {SETTLED} AS held WHERE held.id = NEW.id{other})"
        op.execute(
            f"CREATE TRIGGER {SETTLED}_replaced_{act} BEFORE {act.upper()} ON {SETTLED} WHEN {held} "
            f"BEGIN SELECT RAISE(ABORT, '{SETTLED}: replacing a row is refused'); END"
        )


def _documents() -> None:
    """Let a document be of a case, or of none; on SQLite the table is made anew, and its triggers with it."""
    triggers = _triggers_off("documents") if op.get_bind().dialect.name == "sqlite" else []
    with op.batch_alter_table("documents") as batch:
        batch.alter_column("address_id", existing_type=sa.Integer(), nullable=True)
        batch.add_column(sa.Column("case_id", sa.Integer(), nullable=True))
        batch.create_index("ix_documents_case_id", ["case_id"])
    for made in triggers:
        op.get_bind().exec_driver_sql(made)
