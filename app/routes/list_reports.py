"""Lists of cases and permits, and of what is due, as reports on paper: what was chosen stands at their head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from fastapi import Response

from app.list_paper import report
from app.paper_parts import Column
from app.routes.forms import pdf_file
from app.village import Village

Json = dict[str, Any]
_CASES = (
    Column("Number", 1.2),
    Column("Place", 2.6),
    Column("Kind, state", 2.2),
    Column("Due", 2.0),
    Column("With", 1.1),
)
_DUE = (Column("What is due", 2.6), Column("Record", 2.6), Column("Due", 1.9), Column("Who", 1.2))


def of_cases(
    village: Village, title: str, found: Sequence[Json], total: int, given: Mapping[str, Any], at: datetime
) -> Response:
    """Send a list of cases or permits as a report.

    Parameters
    ----------
    village
        Whose they are.
    title
        What is listed.
    found, total
        As `app.case_records.brief` has them, and how many there are.
    given
        By what they were chosen.
    at
        The instant.
    """
    rows = [_case(one) for one in found]
    pdf = report(village.files.settings, title, _chosen(given), _CASES, rows, at, total)
    return pdf_file(pdf, f"{title.lower().replace(' ', '-')}.pdf")


def _case(one: Json) -> list[str]:
    due = one["due"] or {}
    ends = [due.get("due_words", ""), due.get("alternative_words", "")]
    number = one["number"] or f"Case {one['id']}"
    state = f"{one['kind_title']}: {one['state_title']}{', undecided' if one['undecided'] else ''}"
    return [number, one["place"], state, " or ".join(text for text in ends if text), one["assigned_to"]]


def of_today(village: Village, found: Json, items: Sequence[Json], given: Mapping[str, Any]) -> Response:
    """Send what is due as a report.

    Parameters
    ----------
    village
        Whose it is.
    found, items
        As `app.today.today` has it, and its items in order.
    given
        By what they were chosen.
    """
    rows = [
        [
            f"{one['group'].capitalize()}: {one['what']} (§ {one['section']})",
            f"{one['number'] or one['kind_title']}, {one['place']}",
            " or ".join(text for text in (one["due_words"], one["other_words"]) if text),
            one["assigned_to"] or one["office"],
        ]
        for one in items
    ]
    at = datetime.fromisoformat(found["at"])
    return pdf_file(
        report(village.files.settings, "What is due", _chosen(given), _DUE, rows, at), f"due-{found['day']}.pdf"
    )


def _chosen(given: Mapping[str, Any]) -> str:
    """Say by what a list was chosen."""
    said = ", ".join(f"{name} {value}" for name, value in given.items() if value)
    return f"Chosen by: {said}." if said else ""
