"""What the pages of objects in the street say: a check's rows, what was done, what is wrong with a form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from shapely import Point

from app.object_facts import ObjectKind
from app.object_kinds import AUTHORISATIONS, KINDS
from app.registers import Row
from app.routes import words
from app.routes.forms import faults_of
from app.routes.places import REACH_FT, SIZE_PX
from app.street_objects_told import worded
from gis.errors import StreetsError

Json = dict[str, Any]
VERDICTS: Mapping[str, str] = {
    "complies": "complies",
    "violates": "violates",
    "undecided": "undecided",
    "officer": "an officer decides",
    "not_checked": "not checked",
}
QUANTITIES: Mapping[str, str] = {
    "setback_in": "Set-back of the door",
    "tube_setback_in": "Set-back of the newspaper tube",
    "clear_width_ft": "Clear width of the sidewalk",
    "sidewalk_share": "Share of the sidewalk taken",
    "way_share": "Share of the travelled way taken",
    "row_share": "Share of the right-of-way taken",
    "terrace_share": "Share of the terrace paved",
    "lane_ft": "Width left for a lane",
    "distance_ft": "Distance",
    "area_sqft": "Area inside",
    "depth_ft": "Greatest depth inside",
    "length_ft": "Length along the line",
    "side": "Side of the street",
    "stretch": "Main Street between County J North and South",
    "number": "Number shown",
    "gutter": "Gutter",
    "vertical_in": "Vertical differential",
    "gap_in": "Horizontal distance",
    "surface_in": "Deterioration of the surface",
    "defective": "Defective or insufficient",
}
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
    found = []
    for row in (checked or {}).get("rows", []):
        unit = str(row.get("unit") or "")
        told = {name: _size(row.get(name), unit) for name in ("value", "uncertainty", "limit", "margin")}
        quantity, verdict = str(row.get("quantity", "")), str(row.get("verdict", ""))
        told |= {name: str(row.get(name) or "") for name in ("section", "settles", "note")}
        title = QUANTITIES.get(quantity, quantity.replace("_", " "))
        found.append({**told, "title": title, "verdict": verdict, "verdict_title": VERDICTS.get(verdict, verdict)})
    return found


def checked_on(checked: Json | None) -> date | None:
    """Return the day of the law by which a check that was kept was made; None where it does not say it."""
    try:
        return date.fromisoformat(str((checked or {}).get("date", ""))[:10])
    except ValueError:
        return None


def _size(value: Any, unit: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if unit == "share":
        return f"{value:.1%}"
    return f"{value:,.3f}".rstrip("0").rstrip(".") + (f" {unit}" if unit else "")


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
