"""The findings of a version of the map as a list to be worked off: each once, open until decided or edited away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.maps import marks, own_findings
from app.village import Village
from gis.blocks import Row
from gis.edits import ADD_LINE, DECIDE, HUNDRED, LENGTH, MERGE_LINES, REMOVE_LINE, Edit
from gis.findings import CATALOGUE, Finding, Kind, Severity
from gis.street_edits import BLOCK_LINE, JOIN, KIND, NAME, SPLIT

Json = dict[str, Any]
OPEN, DECIDED = STATES = ("open", "decided")

SETTLES: Mapping[str, tuple[str, ...]] = {
    "UNIT_SENSITIVE": (LENGTH,),
    "UNITS_PROVISIONAL": (LENGTH,),
    "JOG_NEAR": (MERGE_LINES, LENGTH),
    "EXTENSION_SPLITS_BLOCK": (REMOVE_LINE, BLOCK_LINE),
    "PHANTOM": (ADD_LINE,),
    "HUNDRED_MISMATCH": (HUNDRED, REMOVE_LINE, ADD_LINE),
    "BRANCHED": (NAME, JOIN, SPLIT),
    "LOOP": (SPLIT, NAME),
    "BEARING_WEAK": (SPLIT, NAME),
    "BASE_RECROSSED": (SPLIT, NAME),
    "EXTENSION_MISSES_BASELINE": (KIND,),
}
"""The edits by which a finding can be settled, beside a decision that it stands."""


@dataclass(frozen=True, eq=False)
class Item:
    """One finding of the list.

    Parameters
    ----------
    finding
        The finding.
    row
        The row it stands on, or the first of the half-street it is of; None where it is of the whole map.
    of_half
        Whether it is of the whole half-street.
    mark
        The number that its row has on the map; 0 where it has none.
    decision
        The edit that decided it; None while it is open.
    """

    finding: Finding
    row: Row | None
    of_half: bool = False
    mark: int = 0
    decision: Edit | None = None

    @property
    def street(self) -> str:
        """The street's name; ``""`` for the whole map."""
        return self.row.street if self.row else ""

    @property
    def state(self) -> str:
        """Whether it is ``"open"`` or ``"decided"``."""
        return DECIDED if self.decision else OPEN

    @property
    def decidable(self) -> bool:
        """Whether an officer may decide that it stands as the map has it."""
        return self.row is not None and self.finding.kind.severity != Severity.STOP and not self.decision

    @property
    def settles(self) -> tuple[str, ...]:
        """Kinds of the edits by which it can be settled."""
        known = SETTLES.get(self.finding.code, ())
        if self.row is not None and self.row.virtual:
            known = tuple(kind for kind in known if kind != LENGTH)
        return (*known, *([DECIDE] if self.decidable else []))


def items(village: Village) -> list[Item]:
    """List every finding of a map once: of the whole, of each half-street, of each row; then those decided.

    Parameters
    ----------
    village
        The village of the version.

    Returns
    -------
    list of Item
        The open ones by street and half, outward, then the decided ones.
    """
    found: dict[tuple[Any, ...], Item] = {}
    for item in _every(village):
        place = (item.row.street, item.row.side, item.row.path) if item.row else ()
        found.setdefault((item.finding, item.state, *place), item)
    return [*found.values()]


def _every(village: Village) -> Iterator[Item]:
    yield from (Item(finding, None) for finding in village.map.findings)
    numbers = {id(mark.row): mark.number for mark in marks(village)}
    rows = [row for street in village.streets for row in village.rows_of(street.name)]
    for row in rows:
        mark = numbers.get(id(row), 0)
        if row.block == 0:
            yield from (Item(f, row, of_half=True, mark=mark) for f in village.map.halves[row.half].findings)
        yield from (Item(f, row, mark=mark) for f in own_findings(village, row))
    for row in rows:
        yield from (Item(d.finding, row, mark=numbers.get(id(row), 0), decision=d.edit) for d in row.decided)


def chosen(found: Iterable[Item], kind: str = "", street: str = "", state: str = "", severity: str = "") -> list[Item]:
    """Return the findings of one kind, street, state and weight; ``""`` leaves each open."""
    return [
        item
        for item in found
        if kind in {"", item.finding.code}
        and street in {"", item.street}
        and state in {"", item.state}
        and severity in {"", str(item.finding.kind.severity)}
    ]


def kinds(found: Iterable[Item]) -> list[tuple[str, Kind, int, int]]:
    """Return each kind of finding that occurs with how many are open and decided, in the catalogue's order."""
    counts = Counter((item.finding.code, item.state) for item in found)
    every = [(code, kind, counts[code, OPEN], counts[code, DECIDED]) for code, kind in CATALOGUE.items()]
    return [one for one in every if one[2] or one[3]]


COLUMNS = ("state", "code", "title", "section", "severity", "street", "half", "path", "block", "at_ft", "message",
           "decision", "reason", "by", "on")  # fmt: skip
"""Columns of the list as a file."""


def cells(item: Item) -> list[str]:
    """Return a finding as the cells of `COLUMNS`."""
    told = as_json(item)
    return ["" if told[name] is None else str(told[name]) for name in COLUMNS]


def as_json(item: Item) -> Json:
    """Return a finding as the API lists it."""
    finding, row, edit = item.finding, item.row, item.decision
    return {
        "state": item.state,
        "code": finding.code,
        "title": finding.kind.title,
        "section": finding.section,
        "severity": str(finding.kind.severity),
        "message": finding.message,
        "street": item.street or None,
        "half": row.side if row else None,
        "path": row.path if row else None,
        "block": row.block if row else None,
        "at_ft": round(row.from_ft, 3) if row else None,
        "mark": item.mark or None,
        "settled_by": list(item.settles),
        "decision": edit.decision if edit else None,
        "reason": edit.reason if edit else None,
        "by": edit.by if edit else None,
        "on": edit.on if edit else None,
    }
