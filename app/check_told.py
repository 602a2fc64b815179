"""Answers of the checks of the right-of-way in words: lengths in feet and inches, verdicts, doubts, what settles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from types import MappingProxyType
from typing import Any

Json = dict[str, Any]
_LABELLED = re.compile(r"(?P<number>-?[0-9]{1,9}(?:\.[0-9]{1,6})?) (?P<unit>in|ft)\b")
_SAME = 1e-6
"""What two values differ by at most that are the same but for floating-point noise."""

QUANTITIES: Mapping[str, str] = MappingProxyType(
    {
        "setback_in": "Set-back of the door",
        "tube_setback_in": "Set-back of the newspaper tube",
        "side": "Side of the street",
        "stretch": "Inside the stretch without mailboxes",
        "number": "Number on the box",
        "inside_ft": "Inside the right-of-way line",
        "depth_ft": "Greatest depth inside",
        "area_sqft": "Area inside",
        "length_ft": "Length",
        "terrace_share": "Share of the terrace paved",
        "under_walk_ft": "Depth under the sidewalk",
        "ditch_ft": "Depth in a public ditch",
        "clear_width_ft": "Clear width of the sidewalk",
        "clear_width_without_ft": "Clear width without the fixtures",
        "impedes": "Flow of pedestrian traffic",
        "sidewalk_share": "Share of the sidewalk taken",
        "way_share": "Share of the travelled way taken",
        "row_share": "Share of the right-of-way taken",
        "gutter": "Depth in the gutter",
        "lane_ft": "Width left, one direction",
        "lane_other_ft": "Width left, other direction",
        "frozen_ground": "Frozen ground",
        "new_street": "New pavement",
        "walk_distance_ft": "Distance to the sidewalk",
        "distance_ft": "Distance to the street line",
        "trench_ahead_ft": "Excavated ahead of the pipe",
        "trench_open_ft": "Left unfilled behind the pipe",
        "walk_gap_ft": "Left open between walk and curb",
        "petition_share": "Share of the frontage that joined",
        "gap_ft": "Greatest gap between segments",
        "works": "Openings and obstructions on it",
        "crossing_ft": "Depth in a crossing, overnight",
        "hydrant_ft": "Distance to the nearest hydrant",
        "vertical_in": "Vertical differential",
        "surface_in": "Deterioration of the surface",
        "defective": "Defective or insufficient",
    }
)
"""What each quantity is called."""
VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "complies": "Complies",
        "violates": "Violates",
        "undecided": "Undecided",
        "officer": "For an officer",
        "not_checked": "Not checked",
    }
)
_SET_BACK = MappingProxyType({"complies": "Within the limit", "violates": "Over the limit"})
"""In the set-back "violates" means over the limit: the display duty applies, the snow exception does not."""
_FAR = -999.0
"""Depths below it stand for a layer that is nowhere near."""


def verdict_words(name: str, verdict: str) -> str:
    """Return a verdict of a check in words.

    Examples
    --------
    >>> verdict_words("mailbox", "violates"), verdict_words("setback", "violates"), verdict_words("share", "undecided")
    ('Violates', 'Over the limit', 'Undecided')
    """
    return (_SET_BACK.get(verdict) if name == "setback" else None) or VERDICTS[verdict]


def length_words(feet: float, within_ft: float = 0.0) -> str:
    """Write a length in feet and inches as people do, no finer than its uncertainty lets it be known.

    Parameters
    ----------
    feet
        The length.
    within_ft
        Its uncertainty: to the sixteenth of an inch below an inch of it, to the quarter below a foot, else to the inch.

    Returns
    -------
    str
        Below 0 with a minus sign.

    Examples
    --------
    >>> length_words(5.875 / 12), length_words(2.99), length_words(50.0), length_words(-0.25), length_words(12.3, 25.5)
    ('5 7/8 in', '2 ft 11 7/8 in', '50 ft', '−3 in', '12 ft 4 in')
    """
    parts = 16 if within_ft < 1 / 12 else 4 if within_ft < 1 else 1
    inches = Fraction(round(abs(feet) * 12 * parts), parts)
    whole, rest = divmod(inches, 12)
    full, part = divmod(rest, 1)
    small = " ".join(text for text in (str(full) if full else "", str(part) if part else "") if text)
    words = " ".join(t for t in (f"{whole:,} ft" if whole else "", f"{small} in" if small else "") if t) or "0 in"
    return f"−{words}" if feet < 0 and inches else words


def label_words(label: str) -> str:
    """Return a label of a construction with its length as people write it.

    Examples
    --------
    >>> label_words("70.5 in"), label_words("2.99 ft without the fixtures"), label_words("terrace")
    ('5 ft 10 1/2 in', '2 ft 11 7/8 in without the fixtures', 'terrace')
    """
    found = _LABELLED.match(label)
    if not found:
        return label
    feet = float(found["number"]) / (12.0 if found["unit"] == "in" else 1.0)
    return length_words(feet) + label[found.end() :]


def size_words(value: float | str | None, unit: str, within: float | None = None) -> str:
    """Write a row's value, uncertainty or limit as people do.

    Parameters
    ----------
    value
        In `unit`; a text stays as it is, a day is written out.
    unit
        ``"in"``, ``"ft"``, ``"sq ft"``, ``"share"`` or ``""``.
    within
        Its uncertainty in the same.

    Returns
    -------
    str
        ``""`` for none.

    Examples
    --------
    >>> size_words(5.875, "in"), size_words(1 / 3, "share"), size_words(12.34, "sq ft"), size_words(None, "ft")
    ('5 7/8 in', '1/3', '12.3 sq ft', '')
    >>> size_words("2026-06-01", ""), size_words("north", "")
    ('Mon, June 1, 2026', 'north')
    """
    if value is None or isinstance(value, str):
        return _day_words(value or "")
    if unit in {"in", "ft"}:
        scale = 12.0 if unit == "in" else 1.0
        return length_words(value / scale, (within or 0.0) / scale)
    if unit == "share":
        plain = next((f for f in (Fraction(1, 2), Fraction(1, 3)) if abs(value - f) < _SAME), None)
        return str(plain) if plain else f"{100 * value:.1f} %"
    return f"{value:,.1f} sq ft" if unit == "sq ft" else f"{value:,g}"


def _day_words(text: str) -> str:
    """Return a text, a day in it as people write it."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return text
    return f"{day:%a, %B} {day.day}, {day.year}"


def row_words(name: str, row: Json) -> Json:
    """Put a row of an answer into words.

    A value that would read like its limit, and is not the limit, is told with so many decimals that it does not.

    Parameters
    ----------
    name
        The check.
    row
        As the API gives it.

    Returns
    -------
    dict
        ``title``, ``value``, ``uncertainty``, ``limit``, ``verdict``, ``word``, ``section``, ``law``, ``note`` and
        ``settles``.
    """
    value, within, limit, unit = (row[key] for key in ("value", "uncertainty", "limit", "unit"))
    told = size_words(value, unit, within)
    if isinstance(value, float) and value < _FAR and unit == "ft":
        told, within = "none near", None
    numbers = isinstance(value, float) and isinstance(limit, float | int)
    if numbers and told == size_words(limit, unit, within) and abs(value - limit) > _SAME:
        told = next(t for n in range(2, 8) if float(t := f"{value:.{n}f}") != limit or n == 7)
        told = f"{100 * value:.4g} %" if unit == "share" else f"{told} {unit}"
    return {
        "title": QUANTITIES.get(row["quantity"], row["quantity"].replace("_", " ")),
        "value": told,
        "uncertainty": f"± {size_words(within, unit, within)}" if within else "",
        "limit": _limit_words(row),
        "word": verdict_words(name, row["verdict"]),
        **{key: row[key] for key in ("verdict", "section", "law", "note", "settles")},
    }


def _limit_words(row: Json) -> str:
    """Write a row's limit, and on which side of it the law wants the value where the margin tells that."""
    value, limit, margin = row["value"], row["limit"], row["margin"]
    words = size_words(limit, row["unit"])
    if row["quantity"] == "petition_share":
        return f"more than {words}"
    if not isinstance(value, float) or not isinstance(limit, float | int) or not margin:
        return words
    return f"at {'most' if abs(limit - value - margin) < _SAME else 'least'} {words}"


def told(name: str, answer: Json) -> Json:
    """Put an answer into words.

    Parameters
    ----------
    name
        The check.
    answer
        As the API gives it.

    Returns
    -------
    dict
        ``verdict``, ``word``, ``rows``, ``doubts``: what is open, ``officer``: what is left to one, and ``settles``:
        what would settle it.
    """
    rows = [row_words(name, row) for row in answer["rows"]]
    asked = [row for row in rows if row["verdict"] != "not_checked"]
    open_ones = [row for row in asked if row["verdict"] == "undecided"]
    doubts = [f"{row['title']}: {words}" for row in open_ones if (words := _open_words(row))]
    settles = list(dict.fromkeys(row["settles"] for row in open_ones if row["settles"]))
    left = [row for row in rows if row["verdict"] == "not_checked"]
    return {
        "verdict": answer["verdict"],
        "word": verdict_words(name, answer["verdict"]),
        "rows": [*asked, *left],
        "doubts": doubts,
        "officer": [row["title"] for row in asked if row["verdict"] == "officer"],
        "settles": settles,
    }


def _open_words(row: Json) -> str:
    """Say what leaves a row open; ``""`` where another row, which it follows from, says it."""
    if row["value"] and row["uncertainty"] and row["limit"]:
        return f"{row['value']} {row['uncertainty']} leaves the limit open: {row['limit']}."
    return str(row["note"])
