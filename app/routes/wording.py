"""What pages say of an address in plain words: its status, where its number is displayed, what was done to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from app import records
from app.clocks import local_day
from app.village import Edition

Json = dict[str, Any]

TO_CONFIRM: Mapping[str, str] = {
    "AMBIGUOUS_FRONTAGE": "which street the main entrance fronts on (§ 288-15 E)",
    "BULB": "the number round the street's end (§ 288-15 E)",
    "SAME_PLACE": "that it is another building than the one numbered at this place (§ 288-15 H)",
}
"""What an officer confirms of a proposed number, by the finding that left it open."""

FIELDS: Mapping[str, str] = {
    "full": "Address",
    "status": "Status",
    "street": "Street",
    "computed_number": "Number computed",
    "station_ft": "Along the street, feet from the base line",
    "conforms": "Agrees with the map",
    "map_version": "Map version",
    "replaced_by": "Replaced by record",
    "decisions": "Decisions",
    "retired_reason": "Why it was retired",
    "placement": "What the position is of",
    "accuracy_ft": "Accuracy of the position, feet",
    "access_lon": "Access point, longitude",
    "access_lat": "Access point, latitude",
    "access_note": "Access note",
    "doors": "Doors of separate occupants",
    "lon": "Longitude",
    "lat": "Latitude",
    "building": "Building's outline",
    "lot": "Lot's outline",
}
"""What a column is called in a history; those not named say the same in another form."""

PLACES: Mapping[str, str] = {
    "Structure": "the building's main entrance",
    "PropertyAccess": "where the property is entered",
    "Parcel": "the lot",
    "Geocoding": "computed from the number",
    "Unknown": "not known",
}


def feet_of(value: float) -> str:
    """Write a length that is known to a foot or so."""
    return f"{value:,.0f} ft"


def status_words(found: Mapping[str, Any], row: Mapping[str, Any], edition: Edition) -> Json:
    """Say what an address's status means.

    Parameters
    ----------
    found
        As `app.records.full` gives it.
    row
        Its row.
    edition
        The version of the map it was given under.

    Returns
    -------
    dict
        ``kicker`` above the number, ``text`` below it, and what is left to ``confirm``.
    """
    given = local_day(row["made_at"])
    version = f"Street Numbering Map version {edition.version}"
    open_ = [words for code, words in TO_CONFIRM.items() if code in {f["code"] for f in row["findings"]}]
    if row["status"] == "retired":
        gone = local_day(row["retired_at"])
        return {"kicker": "Retired number", "text": f"Retired on {gone}. It is no address any more.", "confirm": []}
    if row["status"] == "proposed":
        text = "The number is kept for this building, and an officer has still to confirm it."
        return {"kicker": "Proposed number", "text": text, "confirm": open_ or ["what was left to a person's choice"]}
    if row["status"] == "provisional":
        text = (
            f"Given on {given} under {version}, which the Village Board has not adopted. "
            "It becomes official with the adoption of a map that agrees with it."
        )
        return {"kicker": "Provisional number", "text": text, "confirm": []}
    before = next((f["message"] for f in row["findings"] if f["code"] == "EXISTING_NUMBER"), "")
    text = f"{before} It stays official unless an officer acts." if before else f"Given on {given}. {edition.state}"
    return {"kicker": "Official number", "text": text, "confirm": []}


def display_words(measured: Mapping[str, Any] | None) -> Json | None:
    """Say where a number must be displayed (§ 288-15 G(3)).

    Parameters
    ----------
    measured
        The set back as `app.considered` measures it; None where it is not known.

    Returns
    -------
    dict or None
        ``title``, ``text`` and what was ``assumed``.
    """
    if measured is None:
        return None
    limit, away = feet_of(measured["limit_ft"]), feet_of(max(measured["distance_ft"], 0.0))
    about = f"{away}, give or take {feet_of(measured['uncertainty_ft'])}"
    what = "entrance" if measured["from_door"] else "building"
    open_ = measured["distance_ft"] - measured["uncertainty_ft"] <= measured["limit_ft"]
    why = f"{limit} lies inside that." if open_ else "the building itself may stand nearer."
    title, text = {
        "at_building": ("At the building", f"The {what} stands {about}, from the street line: not more than {limit}."),
        "at_street_line": (
            "At the street line",
            f"The {what} stands {about}, from the street line: more than {limit}. The number is displayed at the "
            "street line, near the walk, driveway or common entrance.",
        ),
        "measure_it": (
            "Measure it",
            f"The {what} stands {about}, from the street line; {why} Only a measurement tells "
            "whether the number must be displayed at the street line.",
        ),
    }[measured["display"]]
    width = feet_of(measured["assumed_width_ft"])
    assumed = [f"The street line is assumed: half of a right-of-way {width} wide, from the centerline."]
    if measured["from_door"]:
        assumed.append("Measured to the entrance, for the building's outline is not known; it may stand nearer.")
    if not measured["position_known"]:
        assumed.append("The accuracy of the position was not given and is not counted.")
    return {"title": title, "text": text, "assumed": assumed}


def history(connection: Connection, row: Mapping[str, Any]) -> list[Json]:
    """Return what was done to an address and its place, the latest first, in plain words.

    Parameters
    ----------
    connection
        To the register.
    row
        The address.

    Returns
    -------
    list of dict
        Each act with who, when, why and what it changed, before and after.
    """
    told: dict[int, Json] = {}
    for entry in records.past(connection, row):
        shown = records.entry(entry)
        about = {name: shown[name] for name in ("act", "actor", "acting_for", "reason")}
        what = records.ACTS.get(entry["what"], entry["what"])
        one = told.setdefault(entry["act"], {**about, "at": entry["at"], "what": what, "changes": []})
        one["changes"] = [*one["changes"], *_changes(shown["changes"])]
    return list(told.values())


def _changes(found: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    return [
        (FIELDS[c["field"]], _value(c["field"], c["before"]), _value(c["field"], c["after"]))
        for c in found
        if c["field"] in FIELDS
    ]


def _value(field: str, value: Any) -> str:
    """Write a value of the audit as people read it."""
    if value in (None, "", []):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field in {"building", "lot"}:
        return f"an outline of {len(value['coordinates'][0]) - 1} corners"
    if field == "decisions":
        return "; ".join(str(d.get("decision", "")) for d in value)
    if field == "placement":
        return PLACES.get(value, str(value))
    return str(value)


def when(at: str) -> datetime:
    """Return the instant of an ISO 8601 text."""
    return datetime.fromisoformat(at)
