"""What differs between two Street Numbering Maps, row by row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gis.blocks import NumberingMap, Row

_SAME_FT = 0.05
_NOISE_FT = 1e-6

_Half = tuple[str, str, int]
"""Street, side and path: the half-street of a row."""


@dataclass(frozen=True)
class RowChange:
    """A row that differs between two maps.

    Parameters
    ----------
    kind
        Whether it was added, removed or changed.
    street, side, path
        The half-street it is of.
    old, new
        The row in the old and in the new map; None where it has none.
    what
        Of a changed row, the names of the fields that differ, of ``from_ft``, ``to_ft``, ``record_ft``, ``unit_ft``,
        ``hundred`` and ``findings``.
    """

    kind: Literal["added", "removed", "changed"]
    street: str
    side: str
    path: int
    old: Row | None
    new: Row | None
    what: tuple[str, ...] = ()


def difference(old: NumberingMap | None, new: NumberingMap) -> tuple[RowChange, ...]:
    """List the rows that differ between two maps (§ 288-15 A).

    Rows are paired on their half-street where they begin nearest to each other, at most the reading's `noded_ft`
    apart. Stations up to 0.05 ft apart are the same, and findings that say the same words.

    Parameters
    ----------
    old
        The map before; None where there was none, and every row is added.
    new
        The map after.

    Returns
    -------
    tuple of RowChange
        By street, side, path and station.
    """
    before, after = _by_half(old.rows if old else ()), _by_half(new.rows)
    changes = []
    for half in sorted(before.keys() | after.keys()):
        for pair in _pairs(before[half], after[half], new.network.reading.noded_ft):
            changes.extend(_changed(half, *pair))
    return tuple(changes)


def _by_half(rows: Sequence[Row]) -> dict[_Half, list[Row]]:
    members: dict[_Half, list[Row]] = defaultdict(list)
    for row in rows:
        members[row.street, row.side, row.path].append(row)
    return members


def _pairs(old: Sequence[Row], new: Sequence[Row], within_ft: float) -> list[tuple[Row | None, Row | None]]:
    """Pair the rows of a half-street, the nearest first, each once; those left over stand alone."""
    near = sorted(
        (away, i, k)
        for i, before in enumerate(old)
        for k, after in enumerate(new)
        if (away := abs(before.from_ft - after.from_ft)) <= within_ft + _NOISE_FT
    )
    paired: dict[int, int] = {}
    for _, i, k in near:
        if i not in paired and k not in paired.values():
            paired[i] = k
    pairs: list[tuple[Row | None, Row | None]] = [(old[i], new[k]) for i, k in paired.items()]
    pairs += [(row, None) for i, row in enumerate(old) if i not in paired]
    pairs += [(None, row) for k, row in enumerate(new) if k not in paired.values()]
    return sorted(pairs, key=_station)


def _station(pair: tuple[Row | None, Row | None]) -> float:
    return next(row.from_ft for row in reversed(pair) if row)


def _changed(half: _Half, old: Row | None, new: Row | None) -> list[RowChange]:
    if old is None or new is None:
        return [RowChange("added" if old is None else "removed", *half, old, new)]
    differ = {
        "from_ft": abs(old.from_ft - new.from_ft) > _SAME_FT + _NOISE_FT,
        "to_ft": abs(old.to_ft - new.to_ft) > _SAME_FT + _NOISE_FT,
        "record_ft": old.record_ft != new.record_ft,
        "unit_ft": old.unit_ft != new.unit_ft,
        "hundred": old.hundred != new.hundred,
        "findings": {f.message for f in old.findings} != {f.message for f in new.findings},
    }
    what = tuple(name for name, is_other in differ.items() if is_other)
    return [RowChange("changed", *half, old, new, what)] if what else []
