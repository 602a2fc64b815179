"""A file as a table of texts with its shapes; and CSV read as one, in whatever encoding and with whatever delimiter."""

from __future__ import annotations

import codecs
import csv
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from gis.errors import StreetsError

READS = "CSV, GeoPackage, GeoJSON, a zipped shapefile or file geodatabase, FlatGeobuf, KML or an OpenStreetMap extract"
MOST_ROWS = 1_000_000
MOST_COLUMNS = 1000
MOST_CELLS = 20_000_000
MOST_TEXT = 200_000_000
"""Bytes of a text that is read, packed or not."""
MOST_LINE = 1_000_000
"""Letters of a line of a text."""
BLOCK = 1 << 20
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


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


def check_size(rows: int, columns: int) -> None:
    """Refuse a file with more rows, columns or cells than can be held at once."""
    if rows > MOST_ROWS or columns > MOST_COLUMNS or rows * columns > MOST_CELLS:
        expected = f"at most {MOST_ROWS:,} rows, {MOST_COLUMNS} columns and {MOST_CELLS:,} cells"
        raise FileError.of("file", f"{rows:,} rows of {columns} columns or more", expected)


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
    encoding, words = _encoding(path)
    try:
        with path.open(encoding=encoding, newline="") as file:
            lines = _Lines(file)
            return _sheet(lines, words)
    except UnicodeDecodeError as error:
        raise FileError.of("file", str(error), f"text in {encoding}") from error


def _sheet(lines: _Lines, encoding: str) -> Sheet:
    delimiter = lines.delimiter
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        header = [cell.strip() for cell in next(reader, [])]
    except csv.Error as error:
        raise _unclosed(lines.skipped + 1, error) from error
    _check_header(header)
    rows, numbers, faults = _rows(reader, len(header), lines.skipped)
    check_rows(len(rows))
    columns = {column: [row[k] for row in rows] for k, column in enumerate(header) if column}
    said = f"CSV in {encoding}, parted by {DELIMITERS[delimiter]}"
    return Sheet(columns, None, None, "", said, numbers, faults)


def _unclosed(line: int, error: csv.Error) -> StreetsError:
    found = f"a row that begins on line {line} and cannot be read to its end ({error})"
    return FileError.of("file", found, f'every quote (") that is opened on line {line} closed there')


class _Lines:
    """The lines of a text, one at a time, for none may be longer than can be held; the first tells the delimiter.

    Excel's own first line ``sep=;`` is no row: it names the delimiter.
    """

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.number = 0
        self.skipped = 0
        self.ahead: deque[str] = deque()
        for line in iter(self._read, ""):
            self.ahead.append(line)
            if line.strip():
                break
        first = self.ahead[-1] if self.ahead else ""
        if found := re.fullmatch(r'\ufeff?"?sep=(.)"?[,;\t|]*\s*', first, re.I):
            if found[1] not in DELIMITERS:
                raise FileError.of("file", first.strip(), f"sep= and one of {' '.join(DELIMITERS)}")
            self.delimiter = found[1]
            self.skipped = len(self.ahead)
            self.ahead.clear()
            return
        plain = re.sub(r'"[^"]*"', "", first)
        self.delimiter = max(DELIMITERS, key=plain.count)

    def _read(self) -> str:
        self.number += 1
        line = self.file.readline(MOST_LINE + 1)
        if len(line) > MOST_LINE:
            raise FileError.of("file", f"line {self.number}, longer than {MOST_LINE:,} letters", "CSV in lines")
        return line

    def __iter__(self) -> Iterator[str]:
        yield from self.ahead
        yield from iter(self._read, "")


def _encoding(path: Path) -> tuple[str, str]:
    """Return a text's encoding, and in words; what is no UTF-8 is taken for the code page of Windows."""
    size = path.stat().st_size
    if size > MOST_TEXT:
        raise FileError.of("file", f"{size / 1e6:,.0f} MB of text", f"at most {MOST_TEXT // 10**6} MB")
    with path.open("rb") as file:
        head = file.read(4)
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if head.startswith(mark):
            _decode(path, encoding)
            return encoding, encoding
    with path.open("rb") as file:
        if any(b"\0" in block for block in iter(lambda: file.read(BLOCK), b"")):
            raise FileError.of("file", "bytes that are no text", "CSV in UTF-8 or Windows-1252")
    try:
        _decode(path, "utf-8")
    except FileError:
        _decode(path, "cp1252")
        return "cp1252", "Windows-1252 (guessed, for it is no UTF-8)"
    return "utf-8", "utf-8"


def _decode(path: Path, encoding: str) -> None:
    """Refuse a file that is no text in an encoding, holding little of it at a time."""
    decoder = codecs.getincrementaldecoder(encoding)()
    expected = "text in UTF-8 or Windows-1252" if encoding == "cp1252" else f"text in {encoding}"
    try:
        with path.open("rb") as file:
            for block in iter(lambda: file.read(BLOCK), b""):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise FileError.of("file", str(error), expected) from error


def _check_header(header: Sequence[str]) -> None:
    named = [name.casefold() for name in header if name]
    twice = [name for name in dict.fromkeys(named) if named.count(name) > 1]
    if not named or twice or len(header) > MOST_COLUMNS:
        found = f"the column {twice[0]} twice" if twice else "no names" if not named else f"{len(header)} columns"
        raise FileError.of("columns", found[:80], "a first line that names each column once")


def _rows(
    reader: Iterator[list[str]], width: int, skipped: int
) -> tuple[list[list[str]], list[int], list[tuple[int, str, str]]]:
    rows: list[list[str]] = []
    lines: list[int] = []
    faults: list[tuple[int, str, str]] = []
    while True:
        line: int = reader.line_num + skipped + 1  # type: ignore[attr-defined]
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _unclosed(line, error) from error
        if row is None:
            return rows, lines, faults
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > width:
            faults.append((len(rows) + 1, f"{len(row)} cells", f"{width}, as many as there are columns"))
        rows.append([cell.strip() for cell in row[:width]] + [""] * (width - len(row)))
        lines.append(line)
        if len(rows) > MOST_ROWS or len(rows) * width > MOST_CELLS:
            check_size(len(rows), width)
