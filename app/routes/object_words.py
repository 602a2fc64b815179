"""What the pages of objects in the street say: a check's rows, what was done, what is wrong with a form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from shapely import Point

from app.check_told import VERDICTS, row_words
from app.object_facts import ObjectKind
from app.object_kinds import AUTHORISATIONS, KINDS
from app.registers import Row
from app.routes import words
from app.routes.forms import faults_of
from app.routes.places import REACH_FT, SIZE_PX
from app.street_objects_told import worded
from gis.errors import StreetsError

Json = dict[str, Any]
TEXTS = ("section", "settles", "note", "law")
NUMBERS = ("value", "uncertainty", "limit", "margin")
MOST_NUMBER = 1e9
PANELS = ("vertical_in", "gap_in", "surface_in")
ACTS: Mapping[str, str] = {
    "record object": "Recorded",
    "change object": "Changed",
    "set dates": "Dates or state set",
    "retire object": "Withdrawn",
    "restore object": "Restored",
    "add photo": "Photo added",
    "remove photo": "Photo taken off",
}
FIELDS: Mapping[str, str] = {
    "label": "what it is",
    "state": "state",
    "shape": "shape and place",
    "accuracy_ft": "accuracy of its place, ft",
    "street": "street",
    "address_id": "address",
    "checked": "check",
    "emergency": "emergency",
    "starts_on": "first day",
    "ends_on": "last day",
    "restored_on": "restored or removed",
    "authorisation": "authorisation",
}
GEOMETRY = ("geometry", "crs", "datum", "epoch")


def check_rows(checked: Json | None) -> list[Json]:
    """Return the rows of a check that was kept, in words; what is not as expected is shown as it is."""
    return [_row(row) for row in (checked or {}).get("rows", [])]


def _row(row: Json) -> Json:
    safe = _safe(row)
    if row.get("quantity") not in PANELS:
        return row_words("", safe)
    told = row_words("", {**safe, "margin": None})
    return {**told, "limit": f"less than {told['limit']}"}  # just the limit is defective


def _safe(row: Json) -> Json:
    """Return a row with what its words are made of, whoever sent it."""
    texts = {name: str(row.get(name) or "") for name in (*TEXTS, "unit", "quantity")}
    if texts["quantity"] == "gap_in":
        texts["quantity"] = "Horizontal distance"
    numbers = {name: _number(row.get(name)) for name in NUMBERS}
    for name in ("uncertainty", "margin"):
        numbers[name] = numbers[name] if isinstance(numbers[name], float) else None
    verdict = str(row.get("verdict"))
    return {**texts, **numbers, "verdict": verdict if verdict in VERDICTS else "not_checked"}


def _number(value: Any) -> float | str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MOST_NUMBER:
        return str(value)
    return float(value)


def checked_on(checked: Json | None) -> date | None:
    """Return the day of the law by which a check that was kept was made; None where it does not say it."""
    try:
        return date.fromisoformat(str((checked or {}).get("date", ""))[:10])
    except ValueError:
        return None


def entries(rows: Sequence[Row]) -> list[Json]:
    """Return what was done, the latest first: the act, who, when, why, and what changed."""
    return [
        {
            "what": ACTS.get(row["what"], row["what"]),
            "at": row["at"],
            "actor": row["actor"],
            "acting_for": row["acting_for"],
            "reason": row["reason"],
            "changes": _changes(row),
        }
        for row in rows
    ]


def _changes(row: Row) -> list[tuple[str, str, str]]:
    """Return each field that an act changed: what it is called, what it was and what it is."""
    if row["kind"] == "object_photos":
        caption = json.loads(row["after"] or "{}").get("caption") or ""
        return [("what it shows", "", caption)] if caption else []
    if row["before"] is None:
        return []
    before, after = json.loads(row["before"]), json.loads(row["after"])
    changed = [
        (words_for, _told(name, before[name]), _told(name, after[name]))
        for name, words_for in FIELDS.items()
        if before[name] != after[name]
    ]
    return changed + _facts(KINDS[after["kind"]], before["facts"], after["facts"])


def _facts(kind: ObjectKind, before: Json, after: Json) -> list[tuple[str, str, str]]:
    return [
        (fact.label, worded(fact, before.get(fact.key)) or "nothing", worded(fact, after.get(fact.key)) or "nothing")
        for fact in kind.facts
        if before.get(fact.key) != after.get(fact.key)
    ]


def _told(name: str, value: Any) -> str:
    if name == "shape":
        return "another"
    if name == "checked" and value:
        return VERDICTS.get(str(value.get("verdict")), "") + (
            ", before the record was changed" if value.get("stale") else ""
        )
    if name == "authorisation" and value:
        return ", ".join(text for text in (AUTHORISATIONS[value["kind"]][0], value["act"]) if text)
    return words.said(value)


def outline(row: Row, middle: Point) -> str:
    """Return an object's shape as the path of a picture with a point of it in the middle; a ring for a point."""
    scale = SIZE_PX / (2 * REACH_FT)
    kind, coordinates = row["shape"]["type"], row["shape"]["coordinates"]
    if kind == "Point":
        half = SIZE_PX / 2
        return f"M{half - 8} {half}a8 8 0 1 0 16 0a8 8 0 1 0 -16 0Z"
    rings = [coordinates] if kind == "LineString" else coordinates
    paths = []
    for ring in rings:
        at = (f"{(x - middle.x + REACH_FT) * scale:.1f} {(middle.y + REACH_FT - y) * scale:.1f}" for x, y in ring)
        paths.append("M" + "L".join(at) + ("" if kind == "LineString" else "Z"))
    return "".join(paths)


def beside(error: StreetsError, fields: Sequence[str]) -> dict[str, str]:
    """Return what is wrong with a form, by the field it is told beside; ``""`` above it."""
    told = faults_of(error, (*fields, "reason"))
    if "" not in told:
        return told
    above = []
    for fault in error.faults:
        words_of = f"Found {fault.found}; expected {fault.expected}."
        if fault.field in fields or fault.field == "reason":
            continue
        place = _field_of(fault.field, fields)
        if place:
            told[place] = f"{told[place]} {words_of}" if place in told else words_of
        else:
            above.append(error.message if fault.field == "was" else f"{fault.field}: {words_of}")
    told[""] = " ".join(dict.fromkeys(above)) if error.faults else error.message
    return {key: text for key, text in told.items() if text}


def _field_of(name: str, fields: Sequence[str]) -> str:
    """Return the field of the form that a fault's field was read from; ``""`` where it has none."""
    if name.startswith(GEOMETRY) and "lat" in fields:
        return "lat"
    if name in {"address_id", "authorisation"}:
        return {"address_id": "address", "authorisation": "authorisation.kind"}[name]
    return ""
