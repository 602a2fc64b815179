"""What acts, records and their fields are called on pages, and how their values are written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import quote

from app.answers import Json
from app.routes.rendering import long_date, moment, street_path
from gis.findings import CATALOGUE

ACTS: Mapping[str, str] = {
    "assign": "Number assigned",
    "confirm": "Address confirmed",
    "correct": "Record corrected",
    "retire": "Address retired",
    "restore": "Address restored",
    "renumber": "Renumbered",
    "rename street": "Street renamed",
    "vacate street": "Street vacated",
    "propose map": "Map proposed",
    "carry edit over": "Edit carried over to a new map",
    "edit map": "Map edited",
    "withdraw edit": "Edit of the map withdrawn",
    "withdraw map": "Map withdrawn",
    "adopt map": "Map adopted",
    "open doubt": "Doubt raised",
    "decide doubt": "Doubt decided",
    "undo": "Undone",
    "import": "Brought in from a file",
    "record survey": "Survey recorded as completed",
    "issue certificate": "Certificate issued",
    "issue notice": "Notice issued",
    "issue violation": "Violation notice issued",
    "record object": "Object in the street recorded",
    "change object": "Object in the street changed",
    "set dates": "Dates or state set",
    "retire object": "Record of an object withdrawn",
    "restore object": "Record of an object restored",
    "add photo": "Photo added",
    "remove photo": "Photo taken off",
    "change section": "Cross-section changed",
    "retire section": "Cross-section taken back",
    "restore section": "Cross-section restored",
    "retire feature": "Surveyed feature retired",
    "settle": "Settled by the Village",
    "withdraw settled": "What was settled is withdrawn",
    "restore feature": "Surveyed feature restored",
    "case open": "Case opened",
    "case report": "Violation reported",
    "case inspect": "Inspection recorded",
    "case issue": "Notice of a case issued",
    "case serve": "Service of a notice recorded",
    "case note": "Note added to a case",
    "case withdraw": "Report withdrawn",
    "case dismiss": "Case dismissed",
    "case reopen": "Case reopened",
    "case undo": "Event of a case undone",
    "add user": "User added",
    "make sign-in link": "Sign-in link made",
    "change roles": "Roles changed",
    "enable user": "User enabled",
    "disable user": "User disabled",
    "set password": "Password set",
    "sign in": "Signed in",
    "sign in by link": "Signed in by a link",
    "sign out": "Signed out",
    "end session": "Session ended",
    "add key": "Key made",
    "revoke key": "Key revoked",
}
"""What an act of the audit is called."""

KINDS: Mapping[str, str] = {
    "addresses": "address",
    "locations": "place",
    "maps": "map version",
    "map_edits": "edit of the map",
    "doubts": "doubt",
    "documents": "document",
    "renamings": "renaming of a street",
    "vacations": "vacation of a street",
    "surveys": "survey of the village",
    "imports": "import",
    "lots": "lot",
    "buildings": "building",
    "cases": "case",
    "case_events": "event of a case",
    "street_objects": "object in the street",
    "object_photos": "photo of an object",
    "cross_sections": "cross-section",
    "layer_features": "surveyed feature",
    "village_values": "what the Village settled",
    "users": "user",
    "api_keys": "key",
}
"""What a record is called, by the table it stands in."""

FIELDS: Mapping[str, str] = {
    "x_ft": "easting, ft",
    "y_ft": "northing, ft",
    "lon": "longitude",
    "lat": "latitude",
    "accuracy_ft": "accuracy of the position, ft",
    "access_lon": "access point, longitude",
    "access_lat": "access point, latitude",
    "street_key": "street, as compared",
    "station_ft": "distance from the base line, ft",
    "even": "even side",
    "full": "address",
    "usps": "mail form",
    "computed_number": "number computed",
    "conforms": "agrees with the map in force",
    "doubt_id": "doubt",
    "replaced_by": "replaced by address",
    "made_at": "made",
    "made_by": "made by",
    "retired_at": "retired",
    "retired_reason": "why it was retired",
    "law_date": "law of",
    "adopted_on": "adopted by the Board on",
    "act": "the Board’s act",
    "adoption_reason": "why it was adopted with placeholder names",
    "adopted_at": "adoption recorded",
    "adopted_by": "adoption recorded by",
    "placeholders": "placeholder names",
    "digest": "fingerprint of the streets",
    "side": "half",
    "at_ft": "at, ft from the base line",
    "code": "finding",
    "value": "value",
    "withdrawn_at": "withdrawn",
    "effective_on": "from",
    "undone_at": "undone",
    "decided_on": "decided by the Board on",
    "decided_at": "decided",
    "decided_by": "decided by",
    "address_id": "address",
    "location_id": "place",
    "opened_at": "opened",
    "opened_by": "opened by",
    "request": "what was asked",
    "set_back": "distance from the street line",
    "number_prefix": "prefix of the number",
    "pre_directional": "direction",
    "street_pre_type": "type before the street’s name",
    "street_post_type": "type of street",
    "street_post_directional": "direction after the street’s name",
    "sha256": "fingerprint of the file",
    "audit_head": "head of the log",
}
"""What a field of a record is called; one that is not here is called as it is."""

EDITS: Mapping[str, str] = {
    "hundred": "Hundred",
    "length": "Length of record",
    "remove_line": "Extended line removed",
    "add_line": "Line put back",
    "merge_lines": "Two lines made one",
    "decide": "Finding decided",
    "name": "Street named",
    "kind": "Kind of street",
    "block_line": "Block line of a street",
    "base_line": "Base line",
    "split": "Piece split",
    "join": "Pieces joined",
    "remove": "Piece removed",
    "draw": "Street drawn",
}
"""What an officer's edit of a row or a street is called."""

DOUBTS: Mapping[str, str] = {"NO_FREE_NUMBER": "No free number", "OFFICER": "Asked by an officer"}
"""Why a doubt is in the queue."""

CHANGES: Mapping[str, str] = {"added": "New block", "removed": "Block gone", "changed": "Block changed"}


def field(name: str) -> str:
    """Say what a field is called.

    Examples
    --------
    >>> field("computed_number"), field("retired_reason"), field("suffix")
    ('number computed', 'why it was retired', 'suffix')
    """
    return FIELDS.get(name, name.replace("_", " "))


def said(value: Any) -> str:
    """Write a value of a record as people read it.

    Examples
    --------
    >>> said(None), said(True), said("2026-06-01"), said([]), said(557123.45678912), said(-89.38612345)
    ('nothing', 'yes', 'Mon, June 1, 2026', 'nothing', '557123.4568', '-89.38612345')
    """
    if value in (None, "", [], {}):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | dict):
        return _composed(value)
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return long_date(date.fromisoformat(text))
    return moment(datetime.fromisoformat(text)) if re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", text) else text


def _composed(value: Any) -> str:
    """Write a list or an object."""
    if isinstance(value, list):
        if all(isinstance(one, str) for one in value):
            return ", ".join(value)
        if all(isinstance(one, dict) and "decision" in one for one in value):
            return "; ".join(f"{one['decision']} ({one.get('by', '')})" for one in value)
    elif value.get("type") == "Polygon":
        return f"an outline of {len(value['coordinates'][0]) - 1} corners"
    elif value.keys() == {"number", "suffix"}:
        return f"{value['number']}{value['suffix'] or ''}" if value["number"] else "no number is given"
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def named(kind: str, subject: str, content: Json) -> str:
    """Say which record an entry of the audit is of."""
    what = KINDS.get(kind, kind.replace("_", " "))
    if kind == "addresses" and content.get("full"):
        return str(content["full"])
    if kind == "maps":
        return f"map version {subject}"
    if kind == "map_edits" and content.get("street"):
        return f"{EDITS.get(content['kind'], content['kind'])}: {content['side']} {content['street']}"
    if kind in {"renamings", "vacations"}:
        old = content.get("old") or content.get("street") or subject
        return f"{old}, now {content['new']}" if content.get("new") else str(old)
    if kind in {"users", "api_keys", "documents", "street_objects", "layer_features"}:
        name = content.get("name") or content.get("number") or content.get("label")
        return f"{what} {name}" if name else f"{what} {subject}"
    of = " ".join(filter(None, (content.get("half"), content.get("street")))) if kind == "cross_sections" else ""
    return f"{what} {subject} of {of}" if of else f"{what} {subject}"


def link(kind: str, subject: str, content: Json) -> str:
    """Return the address of a record's page, or ``""``."""
    own = {"addresses": "/addresses/", "maps": "/maps/", "doubts": "/doubts/", "cases": "/cases/"}
    own |= {"street_objects": "/street-objects/", "layer_features": "/right-of-way/features/"}
    own["village_values"] = "/settled#value-"
    if kind == "case_events" and content.get("case_id"):
        return f"/cases/{content['case_id']}#event-{quote(subject)}"
    if kind == "object_photos" and content.get("object_id"):
        return f"/street-objects/{content['object_id']}#photos"
    if kind in own:
        return f"{own[kind]}{quote(subject)}"
    if kind == "map_edits" and content.get("map_version"):
        return f"/maps/{content['map_version']}#edits"
    if kind in {"renamings", "vacations"}:
        return street_path(str(content.get("new") or content.get("street") or ""))
    return ""


def edit_words(edit: Mapping[str, Any]) -> str:
    """Say what an officer's edit of a row or a street does."""
    kind, code = edit["kind"], edit["code"]
    if edit["content"]:
        return _street_edit_words(kind, edit["street"], edit["content"])
    if kind == "decide":
        title = CATALOGUE[code].title if code in CATALOGUE else code
        return f"“{title}” decided: {edit['decision'] or 'settled as the map has it'}"
    value, at_ft = edit["value"], f"{edit['at_ft']:,.1f}"
    return {
        "hundred": f"The {value:g} block",
        "length": f"Length of record {value:,g} ft",
        "remove_line": f"The extended line at {at_ft} ft is removed",
        "add_line": f"The line left out at {at_ft} ft is put back",
        "merge_lines": f"The lines at {at_ft} and {value:,.1f} ft are one",
    }.get(kind, str(kind))


def _street_edit_words(kind: str, street: str, content: Mapping[str, Any]) -> str:
    to, part = content["to"], "A piece of" if content["at"] else "All of"
    status = content["name_status"]
    named = f"The name {street} is {status}" if to == street else f"{part} {street} is named {to} ({status})"
    drawn = f"{street} is drawn ({to}{', no block line' if content['block_line'] == 'never' else ''})"
    return {
        "name": named,
        "kind": f"{part} {street} is of kind {to}",
        "block_line": f"{part} {street} {'never makes' if to == 'never' else 'makes'} a block line",
        "base_line": f"{street} is the {'east-west' if to == 'ew' else 'north-south'} base line",
        "split": f"A piece of {street} is split in two",
        "join": f"Two pieces of {street} are joined",
        "remove": f"{part} {street} is removed",
    }.get(kind, drawn)


def age(since: datetime, now: datetime | None = None) -> str:
    """Say how long ago an instant is.

    Examples
    --------
    >>> now = datetime(2026, 6, 10, 12, tzinfo=UTC)
    >>> [age(now - timedelta(hours=h), now) for h in (0.2, 1, 30, 200)]
    ['under an hour', '1 hour', '1 day', '8 days']
    """
    gone = (now or datetime.now(UTC)) - since
    hours = gone // timedelta(hours=1)
    if hours < 1:
        return "under an hour"
    count, unit = (hours, "hour") if hours < 24 else (gone.days, "day")
    return f"{count} {unit}{'' if count == 1 else 's'}"


def row_changes(block: Json) -> list[tuple[str, str, str]]:
    """Say what differs of a block between two maps: what, before and after."""
    old, new = block["old"], block["new"]
    if not old or not new:
        return []
    lengths = (("begins at", "from_ft"), ("ends at", "to_ft"), ("length", "length_ft"))
    made = [(words, _feet(old[key]), _feet(new[key])) for words, key in (*lengths, ("length of record", "record_ft"))]
    made.append(("unit", f"{old['unit_ft']} ft", f"{new['unit_ft']} ft"))
    made.append(("numbers", "{}–{}".format(*old["numbers"]), "{}–{}".format(*new["numbers"])))
    made = [one for one in made if one[1] != one[2]]
    if "findings" in block["what"]:
        gone, come = _apart(old["findings"], new["findings"]), _apart(new["findings"], old["findings"])
        made.append(("findings", gone or "no other", come or "none in their place"))
    return made


def _feet(value: float | None) -> str:
    return "none" if value is None else f"{value:,.1f} ft"


def _apart(found: list[Json], others: list[Json]) -> str:
    known = {f["message"] for f in others}
    return "; ".join(dict.fromkeys(f["title"] for f in found if f["message"] not in known))
