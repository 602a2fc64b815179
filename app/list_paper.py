"""A list of cases, permits or clocks as a report on paper: its head on every page, and as many pages as it takes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.clocks import said_instant
from app.paper import Paper, Type, printable, written
from app.paper_parts import QUIET, TEXT, Column, running, table
from app.settings import VillageSettings

MOST = 1000
"""As many rows as a report has; a longer list is for a spreadsheet."""
_CELLS = Type(8.2)


def report(
    village: VillageSettings,
    title: str,
    told: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    at: datetime,
    total: int = 0,
) -> bytes:
    """Write a report.

    Parameters
    ----------
    village
        Whose it is.
    title, told
        What it lists, and by what it was chosen, or ``""``.
    columns
        Its columns, from left to right.
    rows
        The text of each cell; those after `MOST` are left out, which is said.
    at
        The instant it was made; its own, so that the same list makes the same paper.
    total
        How many there are in all; as many as `rows` where left out.

    Returns
    -------
    bytes
        A PDF of letter pages.
    """
    shown, every = rows[:MOST], total or len(rows)

    def write(paper: Paper) -> None:
        paper.put(title, Type(18.0, "B"))
        paper.gap(4)
        count = f"{every:,} in all" if every else "None"
        paper.put(f"{count}, as of {said_instant(at)}.", TEXT)
        if told:
            paper.put(told, TEXT)
        if len(shown) < every:
            paper.put(f"The first {len(shown):,} are printed: the whole list is the CSV file.", QUIET)
        paper.gap(8)
        table(paper, columns, ([printable(text) for text in row] for row in shown), _CELLS)

    head = running(village.name, village.county, village.state, title, "", told, "", at)
    return written(head, write)
