"""Who stands on a side of a half-street is read from an index alone."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NAME = "addresses_on_side"
COLUMNS = ("street_key", "half", "even", "number", "fraction", "suffix", "id", "status", "station_ft")


def upgrade() -> None:
    """Make it."""
    op.create_index(NAME, "addresses", COLUMNS)


def downgrade() -> None:
    """Unmake it."""
    op.drop_index(NAME, "addresses")
