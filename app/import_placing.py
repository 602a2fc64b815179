"""How well a file says where its addresses are: the placement and the accuracy of each row."""

from __future__ import annotations

from collections.abc import Mapping

from app.import_places import area_rows
from app.import_report import Report
from app.import_tables import Sheet
from app.tables import PLACEMENTS


def read_placements(sheet: Sheet, columns: Mapping[str, str], report: Report) -> list[str]:
    """Return how each row's place is known: as the file says, else Parcel for an area and Unknown for a point."""
    known = {name.casefold(): name for name in PLACEMENTS}
    made = []
    areas = area_rows(sheet, columns)
    for k, cell in enumerate(sheet.cells(columns.get("placement")), start=1):
        unsaid = "Parcel" if k in areas else "Unknown"
        found = known.get(cell.strip().replace(" ", "").casefold()) if cell.strip() else unsaid
        if found is None:
            report.warn(k, "placement", cell, f"one of {', '.join(PLACEMENTS)}; taken as Unknown")
        made.append(found or "Unknown")
    return made


def read_accuracies(sheet: Sheet, columns: Mapping[str, str], report: Report) -> list[float | None]:
    """Return how far each row's place may be off, feet; None where the file does not say."""
    made: list[float | None] = []
    for k, cell in enumerate(sheet.cells(columns.get("accuracy_ft")), start=1):
        value = None
        if cell.strip():
            try:
                value = float(cell)
            except ValueError:
                value = -1.0
            if not 0 <= value <= 10_000:
                report.fault(k, "accuracy_ft", cell, "feet, 0 to 10000")
                value = None
        made.append(value)
    return made
