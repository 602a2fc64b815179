"""What a check of a file found, by row: faults, for any of which nothing is stored, and warnings beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.answers import as_csv
from gis.errors import Fault, StreetsError

Json = dict[str, Any]
MOST_TOLD = 20_000
"""As many faults, and as many warnings, are kept; the others are only counted."""
COLUMNS = ("row", "line", "kind", "field", "found", "expected")


class ImportFaultsError(StreetsError):
    """A file with faults: nothing of it is stored."""


class CancelledError(StreetsError):
    """An import that was cancelled before it was stored."""


@dataclass
class Report:
    """Faults and warnings, in the order of the rows.

    Parameters
    ----------
    lines
        The line each row begins on, of a text file; empty of others.
    """

    lines: Sequence[int] = ()
    faults: list[tuple[int, Fault]] = field(default_factory=list)
    warnings: list[tuple[int, Fault]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    bad: set[int] = field(default_factory=set)

    def fault(self, row: int, name: str, found: object, expected: str) -> None:
        """Note what is wrong with a row, counted from 1 without the names of the columns; 0 is the whole file."""
        self.counts["faults"] += 1
        self.bad.add(row)
        if len(self.faults) < MOST_TOLD:
            self.faults.append((row, Fault(name, _short(found), expected)))

    def warn(self, row: int, name: str, found: object, expected: str) -> None:
        """Note what is doubtful of a row, and does not keep it out."""
        self.counts["warnings"] += 1
        if len(self.warnings) < MOST_TOLD:
            self.warnings.append((row, Fault(name, _short(found), expected)))

    def name(self, row: int) -> str:
        """Return what a row is called: its number, and its line in a text file."""
        line = self.lines[row - 1] if 0 < row <= len(self.lines) else 0
        return f"row {row} (line {line})" if line else f"row {row}"

    def raise_any(self, file: str) -> None:
        """Refuse a file with faults.

        Raises
        ------
        ImportFaultsError
            With every fault, each field with its row.
        """
        if not self.counts["faults"]:
            return
        count = self.counts["faults"]
        told = [Fault(f"{self.name(row)}: {f.field}" if row else f.field, f.found, f.expected)
                for row, f in self.ordered(self.faults)]  # fmt: skip
        words = f"{file} has {count:,} fault{'' if count == 1 else 's'}. Nothing was stored."
        raise ImportFaultsError(words, told)

    def ordered(self, found: list[tuple[int, Fault]]) -> list[tuple[int, Fault]]:
        """Return faults or warnings by row."""
        return sorted(found, key=lambda pair: pair[0])

    def json(self, most: int = 200) -> Json:
        """Return the counts, and the first faults and warnings."""
        return {
            "faults": self.counts["faults"],
            "warnings": self.counts["warnings"],
            "faulty_rows": len(self.bad - {0}),
            **{name: [self._told(*one) for one in self.ordered(found)[:most]]
               for name, found in (("fault_list", self.faults), ("warning_list", self.warnings))},
        }  # fmt: skip

    def _told(self, row: int, fault: Fault) -> Json:
        line = self.lines[row - 1] if 0 < row <= len(self.lines) else None
        return {"row": row, "line": line, "field": fault.field, "found": fault.found, "expected": fault.expected}

    def csv(self) -> str:
        """Return every fault and warning as a table for a spreadsheet."""
        both = [(row, "fault", f) for row, f in self.faults] + [(row, "warning", f) for row, f in self.warnings]
        both.sort(key=lambda one: (one[0], one[1]))
        cells = (
            [str(row or ""), str(self._told(row, f)["line"] or ""), kind, f.field, f.found, f.expected]
            for row, kind, f in both
        )
        return as_csv(COLUMNS, cells, spreadsheet=True)


def _short(found: object) -> str:
    text = str(found) if not isinstance(found, str) else found
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text) or "nothing"
    return text if len(text) <= 120 else f"{text[:117]}..."
