"""The village's streets, rows and findings as the API, the pages' exports and the command line give them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from app.village import StreetSummary, Village
from gis.address import Address, format_full, format_usps
from gis.blocks import Row
from gis.errors import StreetsError
from gis.findings import CATALOGUE, Finding

Json = dict[str, Any]

BLOCK_COLUMNS = (
    *("street", "half", "block", "from_ft", "to_ft", "length_ft", "unit_ft"),
    *("bounded_by", "built", "virtual", "findings"),
)
"""Columns of the block table as a file."""


def listed(found: Sequence[Finding]) -> list[Json]:
    """Return findings as the API lists them.

    Parameters
    ----------
    found
        The findings.

    Returns
    -------
    list of dict
        Code, title, section, severity and message of each.
    """
    return [
        {
            "code": f.code,
            "title": f.kind.title,
            "section": f.section,
            "severity": str(f.kind.severity),
            "message": f.message,
        }
        for f in found
    ]


def health(village: Village) -> Json:
    """Return that the service answers, and for which village."""
    made = village.files.settings
    counts = {"streets": len(village.network.by_name), "rows": len(village.map.rows)}
    return {
        "status": "ok",
        "village": made.name,
        "draft": bool(village.draft),
        "law_date": str(village.law.day),
        **counts,
    }


def street_list(village: Village, q: str, limit: int, offset: int) -> Json:
    """Return a page of the village's streets whose name holds a text."""
    found = [street for street in village.streets if q.casefold() in street.name.casefold()]
    page = found[offset : offset + limit]
    return {"items": [_street(street) for street in page], "total": len(found), "offset": offset, "limit": limit}


def _street(street: StreetSummary) -> Json:
    return {**asdict(street), "length_ft": round(street.length_ft, 2), "findings": listed(street.findings)}


def street_blocks(village: Village, name: str) -> Json:
    """Return one street's rows."""
    street = next(s for s in village.streets if s.name == name)
    return {"street": _street(street), "rows": [row_of(village, row) for row in village.rows_of(name)]}


def block_table(village: Village, finding: str = "") -> Json:
    """Return every row of the map, or those with one finding, and what is said of the map as a whole."""
    about = {"draft": village.draft, "law_date": str(village.law.day), "findings": listed(village.map.findings)}
    return {"map": about, "rows": [row_of(village, row) for row in _with(village, finding)]}


def _with(village: Village, finding: str) -> list[Row]:
    if finding and finding not in CATALOGUE:
        raise StreetsError.of("finding", finding, f"one of {', '.join(CATALOGUE)}")
    return [row for row in village.map.rows if not finding or finding in {f.code for f in row.findings}]


def row_of(village: Village, row: Row) -> Json:
    """Return one row of the map.

    Parameters
    ----------
    village
        The village.
    row
        The row.

    Returns
    -------
    dict
        Stations and lengths in feet.
    """
    law = village.law.numbering
    return {
        "street": row.street,
        "half": row.side,
        "path": row.path,
        "block": row.block,
        "hundred": row.hundred,
        "numbers": [row.hundred + law.first_even, row.hundred + law.hundred - 1],
        "from_ft": round(row.from_ft, 2),
        "to_ft": round(row.to_ft, 2),
        "length_ft": round(row.length_ft, 2),
        "record_ft": row.record_ft or None,
        "unit_ft": row.unit_ft,
        "tail_ft": round(row.tail_ft(law), 2),
        "bounded_by": row.bounded_by,
        "from_streets": row.from_streets,
        "to_streets": row.to_streets,
        "built": row.built,
        "virtual": row.virtual,
        "findings": listed(row.findings),
    }


def block_cells(row: Row) -> list[str]:
    """Return one row of the map as the cells of `BLOCK_COLUMNS`."""
    codes = dict.fromkeys(f.code for f in row.findings)
    lengths = (f"{row.from_ft:.2f}", f"{row.to_ft:.2f}", f"{row.length_ft:.2f}")
    flags = ("true" if flag else "false" for flag in (row.built, row.virtual))
    return [
        *(row.street, row.side, str(row.block), *lengths, str(row.unit_ft)),
        *(";".join(row.bounded_by), *flags, ";".join(codes)),
    ]


def blocks_csv(village: Village, finding: str = "") -> str:
    """Return the block table as CSV."""
    return as_csv(BLOCK_COLUMNS, (block_cells(row) for row in _with(village, finding)), spreadsheet=True)


def as_csv(header: Sequence[str], rows: Iterable[Sequence[str]], *, spreadsheet: bool = False) -> str:
    """Return rows as CSV with a header.

    Parameters
    ----------
    header
        Names of the columns.
    rows
        Cells, as text.
    spreadsheet
        Whether people will open it in one: a cell it would run as a formula then begins with an apostrophe.

    Returns
    -------
    str
        The file's text.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([[_inert(cell) for cell in row] for row in rows] if spreadsheet else rows)
    return text.getvalue()


def _inert(cell: str) -> str:
    formula = cell[:1] in {"=", "+", "@", "\t", "\r"} or (cell[:1] == "-" and not cell[1:2].isdigit())
    return f"'{cell}" if formula else cell


def address_parts(address: Address) -> Json:
    """Return an address in its CLDXF parts and its two forms.

    Parameters
    ----------
    address
        The address.

    Returns
    -------
    dict
        ``parts`` with empty ones left as ``""``, ``full`` and ``usps``.
    """
    return {"full": format_full(address), "usps": format_usps(address), "parts": asdict(address)}
