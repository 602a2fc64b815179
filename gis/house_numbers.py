"""How people and old files write the number that an address begins with, put in the one way that is read.

A half is ``1/2`` after a space; a grid number has its letter joined. What may be two numbers is refused, never chosen.
"""

from __future__ import annotations

import re

from gis import usps
from gis.errors import AddressError

_DECIMALS = {"25": "1/4", "5": "1/2", "50": "1/2", "75": "3/4"}
_THOUSANDS = re.compile(r"#?\d{1,3},\d{3}(?=[\s,]|$)")
_GLUED = re.compile(r"#?\d{2,}/\d")
_LAST = re.compile(r"\s\d\s*/\s*\d\.?$")
_WORDS = re.compile(rf"(\d+)\s+(?:and\s+(?:a|one)\s+half|one[\s-]half|half(?=\s+{usps.DIRECTION}\.?\s))\s+", re.I)
_SPACED = re.compile(r"(\d+)(\s+)(\d)\s*/\s*(\d)(?=[\s,])")
_DECIMAL = re.compile(r"(\d+)(?:\s+0?\.|,)(25|50?|75)(?=\s)")
_LETTER = re.compile(r"(\d+)\s?([A-Z])\s+(\d/\d)(?=[\s,])", re.I)
_BARE_UNIT = re.compile(r"\s(apt|apartment|ste|suite)\.?$", re.I)
_GRID = re.compile(r"([NSEW])\s+(?=\d+[\s,])", re.I)


def tidy_number(line: str) -> str:
    """Write the number at the head of an address as it is read.

    Parameters
    ----------
    line
        An address with single spaces and plain signs.

    Returns
    -------
    str
        The same, with a half as ``1/2`` and a grid number in one piece.

    Raises
    ------
    AddressError
        It may be two numbers: ``1,145`` with its thousands parted, ``1191/2`` without a space before its fraction; or
        its fraction, or a unit's type without the unit, stands at the end.

    Examples
    --------
    >>> tidy_number("119 and a half W Main St"), tidy_number("119 .5 W Main St"), tidy_number("N 1234 County Road J")
    ('119 1/2 W Main St', '119 1/2 W Main St', 'N1234 County Road J')
    """
    for pattern, expected in (
        (_THOUSANDS, "one number without a comma, such as 1145"),
        (_GLUED, "a space before the fraction, such as 119 1/2"),
    ):
        if found := pattern.match(line):
            raise AddressError.of("address number", found[0], expected)
    if (last := _LAST.search(line)) and not _SPACED.match(line):
        raise AddressError.of("address number", last[0].strip(), "the fraction after the number, such as 119 1/2 Main")
    if len(line.split()) > 3 and (bare := _BARE_UNIT.search(line)):
        raise AddressError.of("unit", bare[1], f"what comes after it, such as {bare[1]} 2")
    line = _GRID.sub(r"\1", line, count=1) if _GRID.match(line) else line
    line = _WORDS.sub(r"\1 1/2 ", line, count=1) if _WORDS.match(line) else line
    line = _SPACED.sub(r"\1\2\3/\4", line, count=1) if _SPACED.match(line) else line
    if found := _DECIMAL.match(line):
        line = f"{found[1]} {_DECIMALS[found[2]]}{line[found.end() :]}"
    return _LETTER.sub(r"\1 \3\2", line, count=1) if _LETTER.match(line) else line
