"""Lengths as people write them: ``7 1/2 in``, ``2'-3"``, ``2 ft 3 in``, or a bare number."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from gis.errors import GeometryError

_SIGNS = str.maketrans(
    {"′": "'", "’": "'", "‘": "'", "″": '"', "”": '"', "“": '"', "−": "-", "–": "-", "\u00a0": " ", "⁄": "/"}
)
_PARTS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅓": "1/3", "⅔": "2/3"}
_NUMBER = r"(?:\d{1,9}\s*[ -]\s*\d{1,4}/\d{1,4}|\d{1,4}/\d{1,4}|\d{1,9}(?:\.\d{0,12})?|\.\d{1,12})"
_FEET = rf"(?P<feet>{_NUMBER})\s*(?:feet|foot|ft\.?|')"
_INCHES = rf"(?P<inches>{_NUMBER})\s*(?:inches|inch|in\.?|\"|'')"
_LENGTH = re.compile(
    rf"(?P<sign>[+-])?\s*(?:{_FEET}(?:\s*-?\s*{_INCHES})?|{_INCHES.replace('inches>', 'only>')}|(?P<bare>{_NUMBER}))",
    re.IGNORECASE | re.ASCII,
)
_MOST_FT = 1e6


def read_length_in(text: str | float, field: str) -> float:
    """Read a taped length; a bare number is inches.

    Parameters
    ----------
    text
        As it was written or sent.
    field
        The input's name, for the message.

    Returns
    -------
    float
        Inches; below 0 where a sign says so.

    Raises
    ------
    GeometryError
        It is no length.

    Examples
    --------
    >>> [read_length_in(t, "tape") for t in ("7 1/2 in", "2'-3\\"", 7.5, "5 7/8", "1/2", "2 ft 3 1/2 in", "0.5 ft")]
    [7.5, 27.0, 7.5, 5.875, 0.5, 27.5, 6.0]
    """
    return _inches(text, field, bare_in=1.0)


def read_length_ft(text: str | float, field: str) -> float:
    """Read a length on the ground; a bare number is feet.

    Parameters
    ----------
    text
        As it was written or sent.
    field
        The input's name, for the message.

    Returns
    -------
    float
        US survey feet; below 0 where a sign says so.

    Raises
    ------
    GeometryError
        It is no length.

    Examples
    --------
    >>> read_length_ft("2'-3\\"", "width"), read_length_ft("18 in", "width"), read_length_ft(36, "width")
    (2.25, 1.5, 36.0)
    """
    return _inches(text, field, bare_in=12.0) / 12.0


def _inches(text: str | float, field: str, bare_in: float) -> float:
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        raise _none(field, text)
    if not isinstance(text, str):
        inches = float(text) * bare_in if abs(text) < _MOST_FT * 12 else math.inf
        if not math.isfinite(inches):
            raise _none(field, text)
        return inches
    found = _LENGTH.fullmatch(_plain(text)) if len(text) <= 60 else None
    if found is None:
        raise _none(field, text)
    feet, inches_too, only, bare = (_number(found[name], field, text) for name in ("feet", "inches", "only", "bare"))
    if found["inches"] and inches_too >= 12 and found["feet"]:
        raise GeometryError.of(field, text, "less than 12 inches beside the feet")
    total = float(feet * 12 + inches_too + only + bare * Fraction(bare_in))
    if total >= _MOST_FT * 12:
        raise _none(field, text)
    return -total if found["sign"] == "-" else total


def _plain(text: str) -> str:
    for sign, part in _PARTS.items():
        text = text.replace(sign, f" {part}")
    return " ".join(text.translate(_SIGNS).split())


def _number(text: str | None, field: str, whole: str) -> Fraction:
    if not text:
        return Fraction(0)
    try:
        return sum((Fraction(part) for part in re.split(r"[ -]+", text.strip())), Fraction(0))
    except (ValueError, ZeroDivisionError) as error:
        raise _none(field, whole) from error


def _none(field: str, found: object) -> GeometryError:
    expected = "a length, such as 7 1/2 in, 2'-3\", 0.5 ft or a number"
    error = GeometryError.of(field, found if isinstance(found, str) else repr(found), expected)
    assert isinstance(error, GeometryError)
    return error
