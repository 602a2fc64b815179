"""A file as a table of texts with its shapes; and CSV read as one, in whatever encoding and with whatever delimiter."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gis.errors import StreetsError

READS = "CSV, GeoPackage, GeoJSON, a zipped shapefile or file geodatabase, FlatGeobuf, KML or an OpenStreetMap extract"
MOST_ROWS = 1_000_000
MOST_COLUMNS = 1000


class FileError(StreetsError):
    """A file that cannot be brought in as a whole."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A file as a table.

    Parameters
    ----------
    columns
        Cells by column, as text; ``""`` where there is nothing.
    shapes
        A geometry or None for each row; None where the file has none.
    crs
        What the file says its coordinates are in; None where it says nothing.
    layer, format
        The layer that was read, and how the file was read, in words.
    lines
        The line that each row begins on, of a text file.
    faults
        Rows that cannot be read: the row, what was found, what is expected.
    layers
        Every layer of the file.
    """

    columns: Mapping[str, Sequence[str]]
    shapes: NDArray[np.object_] | None
    crs: str | None
    layer: str
    format: str
    lines: Sequence[int] = ()
    faults: Sequence[tuple[int, str, str]] = ()
    layers: Sequence[str] = ()
    crs_assumed: str = ""

    def __len__(self) -> int:
        if self.shapes is not None:
            return len(self.shapes)
        return len(next(iter(self.columns.values()), ()))

    def cells(self, column: str | None) -> Sequence[str]:
        """Return a column; empty cells where there is none."""
        return self.columns[column] if column is not None else [""] * len(self)


def only(sheet: Sheet, columns: Sequence[str]) -> Sheet:
    """Return a table with these columns alone, so that what is not used is not kept."""
    return replace(sheet, columns={name: sheet.columns[name] for name in columns})


def check_rows(count: int) -> None:
    """Refuse a file without rows, or with more than can be brought in at once."""
    if not 0 < count <= MOST_ROWS:
        raise FileError.of("file", f"{count:,} rows" if count else "no rows", f"1 to {MOST_ROWS:,} rows")


def read_csv(path: Path) -> Sheet:
    """Read a text file with a first line of names.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Sheet
        Its rows; encoding and delimiter are told.

    Raises
    ------
    FileError
        It is no text, or no table.
    """
    text, encoding = _decoded(path.read_bytes())
    delimiter = _delimiter(text)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        header = [cell.strip() for cell in next(reader, [])]
        _check_header(header)
        rows, lines, faults = _rows(reader, len(header))
    except csv.Error as error:
        raise FileError.of("file", str(error), "CSV with quotes that are closed") from error
    check_rows(len(rows))
    columns = {column: [row[k] for row in rows] for k, column in enumerate(header) if column}
    said = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}[delimiter]
    return Sheet(columns, None, None, "", f"CSV in {encoding}, parted by {said}", lines, faults)


def _decoded(content: bytes) -> tuple[str, str]:
    """Decode a text and say how; what is no UTF-8 is taken for the code page of Windows."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            try:
                return content.decode(encoding), encoding
            except UnicodeDecodeError as error:
                raise FileError.of("file", str(error), f"text in {encoding}") from error
    if b"\0" in content:
        raise FileError.of("file", "bytes that are no text", "CSV in UTF-8 or Windows-1252")
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        try:
            return content.decode("cp1252"), "Windows-1252 (guessed, for it is no UTF-8)"
        except UnicodeDecodeError as error:
            raise FileError.of("file", str(error), "text in UTF-8 or Windows-1252") from error


def _delimiter(text: str) -> str:
    first = re.sub(r'"[^"]*"', "", next((line for line in text.splitlines() if line.strip()), ""))
    return max(",;\t|", key=first.count)


def _check_header(header: Sequence[str]) -> None:
    named = [name.casefold() for name in header if name]
    twice = [name for name in dict.fromkeys(named) if named.count(name) > 1]
    if not named or twice or len(header) > MOST_COLUMNS:
        found = f"the column {twice[0]} twice" if twice else "no names" if not named else f"{len(header)} columns"
        raise FileError.of("columns", found[:80], "a first line that names each column once")


def _rows(reader: Iterator[list[str]], width: int) -> tuple[list[list[str]], list[int], list[tuple[int, str, str]]]:
    rows: list[list[str]] = []
    lines, faults = [], []
    before: int = reader.line_num  # type: ignore[attr-defined]
    for row in reader:
        if any(cell.strip() for cell in row):
            if len(row) > width:
                faults.append((len(rows) + 1, f"{len(row)} cells", f"{width}, as many as there are columns"))
            rows.append([cell.strip() for cell in row[:width]] + [""] * (width - len(row)))
            lines.append(before + 1)
            if len(rows) > MOST_ROWS:
                check_rows(len(rows))
        before = reader.line_num  # type: ignore[attr-defined]
    return rows, lines, faults
