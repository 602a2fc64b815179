"""Cross-sections of streets: what lies across each, as a table that is read, edited and put to the layers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

from app.settings import DataError, tidy
from gis.errors import Fault, GeometryError
from gis.lengths import read_length_ft
from gis.row import CrossSection, Side

COLUMNS = (
    *("street", "half", "block", "row_width_ft", "pavement_width_ft"),
    *(f"{side}_{what}" for side in ("odd", "even") for what in ("curb", "walk_offset_ft", "walk_width_ft")),
    *("carrier_side", "commercial", "improved_on", "accuracy_ft", "status", "surveyed_on", "source"),
)
"""Columns of the table, as a file and as a form."""
HALVES = ("", "North", "South", "East", "West")
CARRIER_SIDES = ("", "north", "south", "east", "west")
"""The side of the road that the United States Postal Service requires (§ 288-10 D(7)); ``""`` where it is not known."""
STATUSES = ("assumed", "measured")
_MOST_FT = 500.0
_YES = {"": None, "yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True)
class Section:
    """A row of the table.

    Parameters
    ----------
    street, half, block
        What it is of: a block of a half-street, all of a half (block None), all of a street (half ``""``), or, with
        ``""`` as its street, every street that has none of its own.
    across
        What lies across.
    carrier_side
        One of `CARRIER_SIDES`.
    commercial
        Whether the area is used for commercial uses (§ 288-7 C(1)); None where nobody said.
    improved_on
        The day of its permanent improvement or repaving (§ 288-6 I), or None.
    surveyed_on
        The day it was measured, or None.
    id
        In the register; None where it is the file's.
    """

    street: str
    half: str
    block: int | None
    across: CrossSection
    carrier_side: str = ""
    commercial: bool | None = None
    improved_on: date | None = None
    surveyed_on: date | None = None
    id: int | None = None

    @property
    def key(self) -> tuple[str, str, int | None]:
        """What it is of."""
        return self.street, self.half, self.block

    @property
    def place(self) -> str:
        """What it is of, in words."""
        if not self.street:
            return "every street that has none of its own"
        half = f"{self.half} " if self.half else ""
        block = f", block {self.block}" if self.block is not None else ""
        return f"{half}{self.street}{block}"

    @property
    def cells(self) -> dict[str, str]:
        """The row as the cells of `COLUMNS`."""
        across = self.across
        found = {
            "street": self.street,
            "half": self.half,
            "block": "" if self.block is None else str(self.block),
            "row_width_ft": _written(across.row_width_ft),
            "pavement_width_ft": _written(across.pavement_width_ft),
            "carrier_side": self.carrier_side,
            "commercial": {None: "", True: "yes", False: "no"}[self.commercial],
            "improved_on": str(self.improved_on or ""),
            "accuracy_ft": _written(across.accuracy_ft),
            "status": STATUSES[0] if across.assumed else STATUSES[1],
            "surveyed_on": str(self.surveyed_on or ""),
            "source": across.source,
        }
        for name, side in (("odd", across.odd), ("even", across.even)):
            found |= {
                f"{name}_curb": "yes" if side.curb else "no",
                f"{name}_walk_offset_ft": _written(side.walk_offset_ft),
                f"{name}_walk_width_ft": _written(side.walk_width_ft),
            }
        return {column: found[column] for column in COLUMNS}


def read_section(cells: Mapping[str, Any], where: str = "") -> Section:
    """Read a row of the table.

    Parameters
    ----------
    cells
        By the names of `COLUMNS`; an absent one is empty. Widths are lengths as people write them, bare ones feet.
    where
        What stands before each field's name in a fault.

    Returns
    -------
    Section
        The row.

    Raises
    ------
    DataError
        Every cell at fault.
    """
    text = {column: tidy(str(cells.get(column) or "")) for column in COLUMNS}
    faults: list[Fault] = []
    row_width = _length(text, "row_width_ft", faults, least=1.0)
    pavement = _length(text, "pavement_width_ft", faults, least=1.0)
    sides = {side: _side(text, side, faults) for side in ("odd", "even")}
    accuracy = _length(text, "accuracy_ft", faults)
    for column, words in (("half", HALVES), ("carrier_side", CARRIER_SIDES), ("status", ("", *STATUSES))):
        if text[column] not in words:
            faults.append(Fault(column, text[column], f"one of {', '.join(w or 'nothing' for w in words)}"))
    block = _block(text, faults)
    if not text["street"] and (text["half"] or text["block"]):
        faults.append(Fault("street", "nothing", "the street of that half or block"))
    if text["block"] and not text["half"]:
        faults.append(Fault("half", "nothing", "the half of the street that the block is counted on"))
    if not text["source"]:
        faults.append(Fault("source", "nothing", "where the widths come from"))
    if row_width < pavement and not {"row_width_ft", "pavement_width_ft"} & {fault.field for fault in faults}:
        faults.append(Fault("pavement_width_ft", text["pavement_width_ft"], "at most the width of the right-of-way"))
    days = {column: _day(text, column, faults) for column in ("improved_on", "surveyed_on")}
    commercial = _yes(text, "commercial", faults)
    if faults:
        told = [replace(fault, field=f"{where}{fault.field}") for fault in faults]
        raise DataError("The cross-section cannot be used:", told)
    across = CrossSection(row_width, pavement, **sides, accuracy_ft=accuracy,
                          assumed=text["status"] != STATUSES[1], source=text["source"])  # fmt: skip
    return Section(text["street"], text["half"], block, across, text["carrier_side"], commercial,
                   days["improved_on"], days["surveyed_on"])  # fmt: skip


def read_sections(directory: Path) -> tuple[Section, ...]:
    """Read ``cross_sections.csv``.

    Parameters
    ----------
    directory
        The village's directory; without the file there are none.

    Returns
    -------
    tuple of Section
        In the file's order.

    Raises
    ------
    DataError
        Every fault, by row; the row of column names is not counted.
    """
    path = directory / "cross_sections.csv"
    if not path.exists():
        return ()
    try:
        rows = list(csv.DictReader(StringIO(path.read_text(encoding="utf-8-sig")), restkey="more", strict=True))
    except (OSError, ValueError, csv.Error) as error:
        raise DataError.of_file(path, error, "a CSV file in UTF-8") from error
    faults: list[Fault] = []
    found: list[Section] = []
    for k, row in enumerate(rows, start=1):
        try:
            found.append(read_section(row, f"row {k}: "))
        except DataError as error:
            faults += error.faults
        if "more" in row:
            faults.append(Fault(f"row {k}", ", ".join(row["more"]), "as many cells as there are columns"))
        if found and found[-1].key in {one.key for one in found[:-1]}:
            faults.append(Fault(f"row {k}", found[-1].place, "each street, half and block once"))
    if faults:
        raise DataError.within(path, faults)
    return tuple(found)


def best(sections: Iterable[Section], street: str, half: str, block: int) -> Section | None:
    """Return the row that holds for a block: its own, else its half's, its street's, or that of every street."""
    ranked = {section.key: section for section in sections}
    keys = ((street, half, block), (street, half, None), (street, "", None), ("", "", None))
    return next((ranked[key] for key in keys if key in ranked), None)


def merged(file: Sequence[Section], register: Sequence[Section]) -> tuple[Section, ...]:
    """Return the file's rows with those of the register in their places."""
    own = {section.key: section for section in register}
    return (*(section for section in file if section.key not in own), *register)


def _written(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"


def _length(text: Mapping[str, str], column: str, faults: list[Fault], least: float = 0.0) -> float:
    try:
        value = read_length_ft(text[column], column)
    except GeometryError as error:
        faults += error.faults
        return 0.0
    if not least <= value <= _MOST_FT:
        faults.append(Fault(column, text[column], f"from {least:g} to {_MOST_FT:g} ft"))
    return value


def _side(text: Mapping[str, str], side: str, faults: list[Fault]) -> Side:
    curb = _yes(text, f"{side}_curb", faults)
    columns = (f"{side}_walk_offset_ft", f"{side}_walk_width_ft")
    given = [bool(text[column]) for column in columns]
    if given[0] != given[1]:
        empty = columns[given.index(False)]
        faults.append(Fault(empty, "nothing", "both the walk's distance from the curb and its width, or neither"))
    if not all(given):
        return Side(curb is not False)
    offset, width = _length(text, columns[0], faults), _length(text, columns[1], faults, least=0.5)
    return Side(curb is not False, offset, width)


def _yes(text: Mapping[str, str], column: str, faults: list[Fault]) -> bool | None:
    if text[column].lower() not in _YES:
        faults.append(Fault(column, text[column], "yes, no or nothing"))
    return _YES.get(text[column].lower())


def _block(text: Mapping[str, str], faults: list[Fault]) -> int | None:
    if not text["block"]:
        return None
    if not (text["block"].isascii() and text["block"].isdigit() and len(text["block"]) < 4):
        faults.append(Fault("block", text["block"], "the block's number on its half, from 0"))
        return None
    return int(text["block"])


def _day(text: Mapping[str, str], column: str, faults: list[Fault]) -> date | None:
    try:
        return date.fromisoformat(text[column]) if text[column] else None
    except ValueError:
        faults.append(Fault(column, text[column], "a day such as 2026-06-01, or nothing"))
        return None
