"""An officer's edits of a Street Numbering Map: what may be changed of a row, and what a decision settles.

The doubts that § 288-15 leaves are the officers' to settle: the Clerk "shall determine the number" in case of doubt
(J). Edits are applied when the map is derived, so that what follows from them follows by the ordinary rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gis.errors import EditError
from gis.findings import CATALOGUE, Finding

HUNDRED, LENGTH, DECIDE = "hundred", "length", "decide"
REMOVE_LINE, ADD_LINE, MERGE_LINES = LINE_KINDS = ("remove_line", "add_line", "merge_lines")
"""Edits of block lines: one that only a street extended makes is removed, one that was left out is put back, and two
that are one jogged line are made one."""
KINDS = (HUNDRED, LENGTH, *LINE_KINDS, DECIDE)
"""What an edit of a row does: sets its hundred or its length of record, edits a block line, decides a finding."""


HIGHEST_HUNDRED = 999_900
"""The last whose numbers, to 999,999, an address can have."""


@dataclass(frozen=True)
class Edit:
    """One edit of a Street Numbering Map.

    Parameters
    ----------
    kind
        One of `KINDS`.
    street, side, path
        The half-street, as a row names it: ``"Alma Street"``, ``"North"``, 0.
    at_ft
        Station where the row begins, feet from the base line; of `LINE_KINDS`, that of the block line.
    value
        The hundred, or the length of record in feet; the station of the other line for ``merge_lines``, 0 of the base
        line itself.
    code
        Code of the finding decided.
    decision
        What was decided of it.
    reason, by, on
        The officer's reason, name and day.
    """

    kind: str
    street: str
    side: str
    path: int
    at_ft: float
    value: float = 0.0
    code: str = ""
    decision: str = ""
    reason: str = ""
    by: str = ""
    on: str = ""

    @property
    def half(self) -> tuple[str, str, int]:
        """Street, side and path: the half-street it is of."""
        return self.street, self.side, self.path

    @property
    def place(self) -> str:
        """Where it applies, in words."""
        path = f", path {self.path}" if self.path else ""
        return f"{self.kind} at {self.at_ft:.1f} ft of {self.side} {self.street}{path}"

    @property
    def because(self) -> str:
        """The reason, with name and day as far as they are given.

        Examples
        --------
        >>> Edit("length", "Alma Street", "North", 0, 330.0, reason="taped", by="R. Roe", on="2026-05-12").because
        'taped (R. Roe, 2026-05-12)'
        """
        signed = ", ".join(part for part in (self.by, self.on) if part)
        return " ".join(part for part in (self.reason, f"({signed})" if signed else "") if part)


@dataclass(frozen=True)
class Decided:
    """A finding that an officer has decided, and how.

    Parameters
    ----------
    finding
        The finding.
    edit
        The decision.
    """

    finding: Finding
    edit: Edit


def check_edit(edit: Edit, hundred: int) -> None:
    """Refuse an edit that no map could take.

    Parameters
    ----------
    edit
        The edit.
    hundred
        The increase of the numbers from one block to the next: 100.

    Raises
    ------
    EditError
        Saying what was found and what is expected.
    """
    if edit.kind not in KINDS:
        raise EditError.of("kind", edit.kind, f"one of {', '.join(KINDS)}")
    if not math.isfinite(edit.at_ft):
        raise EditError.of(f"at_ft of {edit.kind}", edit.at_ft, "a station in feet")
    if edit.kind == HUNDRED and not (0 <= edit.value <= HIGHEST_HUNDRED and edit.value % hundred == 0):
        expected = f"a multiple of {hundred}, 0 to {HIGHEST_HUNDRED:,}"
        raise EditError.of(edit.place, f"{edit.value:,.10g}", expected)
    if edit.kind == LENGTH and not 0 < edit.value < math.inf:
        raise EditError.of(edit.place, f"{edit.value:g} ft", "a length of record in feet, more than 0")
    if edit.kind == MERGE_LINES and not 0 <= edit.value < math.inf:
        raise EditError.of(edit.place, f"{edit.value:g} ft", "the station of the other block line in feet")
    if edit.kind == DECIDE and edit.code not in CATALOGUE:
        raise EditError.of(edit.place, edit.code, "the code of a finding")


def nearest(stations: Sequence[float], at_ft: float, within_ft: float) -> int | None:
    """Return which of some stations a station means.

    Parameters
    ----------
    stations
        The stations, feet.
    at_ft
        The station meant, feet.
    within_ft
        How far off it may be, feet.

    Returns
    -------
    int or None
        Index of the nearest, the first of equal ones; None where none is within reach.

    Examples
    --------
    >>> nearest([0.0, 330.0], 333.0, 5.0), nearest([0.0, 330.0], 336.0, 5.0)
    (1, None)
    """
    away, index = min(((abs(station - at_ft), k) for k, station in enumerate(stations)), default=(math.inf, -1))
    return index if away <= within_ft else None
