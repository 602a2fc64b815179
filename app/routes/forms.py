"""What forms send: texts read into values, and what is wrong with them told beside the field it is of."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from datetime import date
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Form, Path, Query, Response
from fastapi.responses import RedirectResponse

from app.clocks import not_too_early
from gis.errors import StreetsError

READ = ["GET", "HEAD"]
Text = Annotated[str, Query(max_length=200)]
Typed = Annotated[str, Form(max_length=4000)]
PageNumber = Annotated[int, Query(ge=1, le=100_000)]
MOST_ID = 2_000_000_000
"""No id of the register is greater, and each database holds one as great."""
Id = Annotated[int, Path(ge=1, le=MOST_ID)]
MOST_DEEP = 20
"""How deep brackets may stand in each other in what is pasted: a polygon's own stand four deep, five in a Feature."""


def faults_of(error: StreetsError, fields: Collection[str], other: str = "") -> dict[str, str]:
    """Return what is wrong, by the field of the form it is told beside.

    Parameters
    ----------
    error
        What was refused.
    fields
        The form's fields.
    other
        Where to tell what is no field's; ``""`` is above the form.

    Returns
    -------
    dict
        A sentence for each.
    """
    told: dict[str, str] = {}
    for fault in error.faults:
        words = f"Found {fault.found}; expected {fault.expected}."
        place = fault.field if fault.field in fields else other
        told[place] = f"{told[place]} {words}" if place in told else words
    return told or {other: error.message}


def read_day(text: str, field: str = "date") -> date:
    """Read a day as a date field sends it, or as people type it.

    Examples
    --------
    >>> read_day("2026-06-01"), read_day("6/1/2026")
    (datetime.date(2026, 6, 1), datetime.date(2026, 6, 1))
    """
    text = text.strip()
    typed = re.fullmatch(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})", text)
    try:
        day = date(int(typed[3]), int(typed[1]), int(typed[2])) if typed else date.fromisoformat(text)
    except ValueError as error:
        raise StreetsError.of(field, text or "nothing", "a day, such as 2026-06-01 or 6/1/2026") from error
    return not_too_early(day, field)


def read_number(text: str, field: str, expected: str) -> float:
    """Read a number that is typed, with or without a unit of feet behind it.

    Examples
    --------
    >>> read_number("1,330.5 ft", "value", "a length in feet")
    1330.5
    """
    plain = re.sub(r"\s*(ft|feet)\.?$", "", text.strip(), flags=re.IGNORECASE).replace(",", "")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", plain):
        raise StreetsError.of(field, text.strip()[:60] or "nothing", expected)
    return float(plain)


def read_whole(text: str, field: str, expected: str, most: int = 999_999, least: int = 0) -> int:
    """Read a whole number that is typed, the least to the most."""
    value = read_number(text, field, expected)
    if value != int(value) or not least <= value <= most:
        raise StreetsError.of(field, text.strip()[:60], expected)
    return int(value)


def read_geojson(text: str, field: str) -> dict[str, Any]:
    """Read a GeoJSON object that is pasted.

    Examples
    --------
    >>> read_geojson('{"type": "Polygon"}', "lot")
    {'type': 'Polygon'}
    """
    try:
        made = json.loads(text)
        found = "" if isinstance(made, dict) else text.strip()[:60] or "nothing"
        found = found or ("" if _shallow(made) else f"brackets more than {MOST_DEEP} deep")
    except RecursionError:
        found = f"brackets more than {MOST_DEEP} deep"
    except ValueError:  # no JSON, or a number of thousands of digits
        found = text.strip()[:60] or "nothing"
    if found:
        raise StreetsError.of(field, found, "a GeoJSON Polygon in longitude and latitude")
    return dict(made)


def _shallow(value: Any) -> bool:
    """Whether brackets stand no deeper than `MOST_DEEP`: what follows walks through them by calling itself."""
    level = [value]
    for _ in range(MOST_DEEP):
        level = [x for outer in level if isinstance(outer, list | dict)
                 for x in (outer.values() if isinstance(outer, dict) else outer)]  # fmt: skip
    return not any(isinstance(x, list | dict) for x in level)


def part(found: list[Any], number: int, size: int) -> tuple[list[Any], int]:
    """Return one page of a list and how many pages there are."""
    return found[(number - 1) * size : number * size], max(1, -(-len(found) // size))


def csv_file(text: str, name: str) -> Response:
    """Send a file of CSV."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


def pdf_file(pdf: bytes, name: str) -> Response:
    """Send a PDF to be looked at."""
    headers = {"Content-Disposition": f'inline; filename="{name}"', "Cache-Control": "private, no-cache"}
    return Response(pdf, media_type="application/pdf", headers=headers)


def go(path: str) -> Response:
    """Lead to a page after a form was acted on, so that reloading does not send it again."""
    return RedirectResponse(path, HTTPStatus.SEE_OTHER)


def joined(names: Iterable[str], most: int = 0) -> str:
    """Write names as people list them.

    Examples
    --------
    >>> joined(["A", "B", "C"]), joined(["A", "B", "C"], 2), joined(["A"])
    ('A, B and C', 'A, B and 1 more', 'A')
    """
    listed = list(names)
    if most and len(listed) > most:
        return f"{', '.join(listed[:most])} and {len(listed) - most} more"
    return " and ".join([", ".join(listed[:-1]), listed[-1]]) if len(listed) > 1 else "".join(listed)
