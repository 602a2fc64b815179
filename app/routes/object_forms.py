"""The forms of what stands or is dug in the street: which fields an act has, what they show, and what they give."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app import street_objects_told as told
from app.object_facts import Fact, ObjectKind
from app.object_kinds import KINDS
from app.object_reading import DAYS
from app.registers import Row
from app.routes.asked import read_degrees
from app.routes.cases_api import meant
from app.routes.forms import read_day, read_geojson
from app.tables import addresses
from app.village import Village
from gis.errors import Fault, StreetsError
from gis.lengths import read_length_ft

Json = dict[str, Any]
Shown = dict[str, str]
PLACE = ("lat", "lon", "shape", "datum", "accuracy_ft", "street", "address")
AUTHORISED = ("authorisation.kind", "authorisation.act", "authorisation.from", "authorisation.until")


def fields_of(kind: ObjectKind, act: str) -> tuple[str, ...]:
    """Return the names of the fields that the form of an act has, beside its reason."""
    dated = (*DAYS, *AUTHORISED) if kind.dated else ("state",)
    facts = tuple(f"facts.{fact.key}" for fact in kind.facts)
    own = ("label", *facts, *PLACE, *(("emergency",) if kind.key == "opening" else ()))
    return {"new": (*own, *dated), "change": own, "dates": dated}.get(act, ())


def shown_of(village: Village, connection: Connection, row: Row) -> Shown:
    """Return what the forms of an object show: what is recorded."""
    kind = KINDS[row["kind"]]
    shown: Shown = {"label": row["label"], "state": row["state"], "street": row["street"], "datum": told.DATUM}
    shown |= {f"facts.{fact.key}": _typed(fact, row["facts"].get(fact.key)) for fact in kind.facts}
    shown |= {name: row[name].isoformat() if row[name] else "" for name in DAYS}
    shown |= {"emergency": "yes" if row["emergency"] else "", **_where(village, row)}
    allowed = row["authorisation"] or {}
    shown |= {name: allowed.get(name.partition(".")[2]) or "" for name in AUTHORISED}
    shown["accuracy_ft"] = "" if row["accuracy_ft"] is None else f"{row['accuracy_ft']:g}"
    shown["address"] = ""
    if row["address_id"] is not None:
        shown["address"] = registers.get(connection, addresses, row["address_id"])["full"]
    return shown


def _where(village: Village, row: Row) -> Shown:
    if row["shape"]["type"] == "Point":
        return {"lat": f"{row['lat']:.7f}", "lon": f"{row['lon']:.7f}", "shape": ""}
    return {"lat": "", "lon": "", "shape": json.dumps(told.geometry_of(village, row))}


def _typed(fact: Fact, value: Any) -> str:
    if value is None:
        return ""
    return value if fact.form in {"text", "choice"} else told.worded(fact, value)


def given_by(
    village: Village,
    connection: Connection,
    kind: ObjectKind,
    act: str,
    sent: Mapping[str, str],
    row: Row | None = None,
) -> Json:
    """Return what a form gives, by the names that the register takes.

    Parameters
    ----------
    village
        The village in force.
    connection
        To the register.
    kind
        The object's kind.
    act
        ``"new"``, ``"change"`` or ``"dates"``.
    sent
        The form's texts.
    row
        The object that is changed: what is still as it was shown is not given.

    Returns
    -------
    dict
        For `app.street_objects.record` or `app.street_objects.change`.

    Raises
    ------
    StreetsError
        Every field that cannot be read.
    """
    given: Json = {"reason": sent.get("reason", "")}
    faults: list[Fault] = []
    fields = fields_of(kind, act)
    if act != "dates":
        facts = {fact.key: sent.get(f"facts.{fact.key}", "").strip() or None for fact in kind.facts}
        given |= {"label": sent.get("label", ""), "facts": _changed(kind, facts, row)}
        for read in (_place, _accuracy, _address):
            try:
                given |= read(village, connection, sent, row)
            except StreetsError as error:
                faults += error.faults
        if sent.get("street", "nearest") != "nearest":
            given["street"] = sent["street"]
    if "emergency" in fields:
        given["emergency"] = sent.get("emergency") == "yes"
    if "state" in fields:
        given["state"] = sent.get("state", "")
    if "starts_on" in fields:
        faults += _dates(given, sent)
    if faults:
        raise StreetsError("This cannot be recorded as it is.", faults)
    return given


def _changed(kind: ObjectKind, facts: Json, row: Row | None) -> Json:
    """Return the facts that are typed otherwise than they were shown: a length is not rounded by being shown."""
    if row is None:
        return facts
    shown = {fact.key: _typed(fact, row["facts"].get(fact.key)) for fact in kind.facts}
    return {key: value for key, value in facts.items() if (value or "") != shown[key]}


def _dates(given: Json, sent: Mapping[str, str]) -> list[Fault]:
    """Read the days of a work and what allows it, and return what is wrong with them."""
    faults: list[Fault] = []
    days: dict[str, str | None] = {}
    for name in (*DAYS, "authorisation.from", "authorisation.until"):
        try:
            text = sent.get(name, "").strip()
            days[name] = read_day(text, name).isoformat() if text else None
        except StreetsError as error:
            faults += error.faults
    given |= {name: days.get(name) for name in DAYS}
    kind, act = (sent.get(f"authorisation.{name}", "").strip() for name in ("kind", "act"))
    others = {name: days.get(f"authorisation.{name}") for name in ("from", "until")}
    if kind:
        given["authorisation"] = {"kind": kind, "act": act, **others}
    elif act or any(others.values()):
        faults.append(Fault("authorisation.kind", "nothing", "what it is that allows it"))
    else:
        given["authorisation"] = None
    return faults


def _place(village: Village, connection: Connection, sent: Mapping[str, str], row: Row | None) -> Json:
    lat, lon, shape = (sent.get(name, "").strip() for name in ("lat", "lon", "shape"))
    shown = _where(village, row) if row else {}
    if row and {"lat": lat, "lon": lon, "shape": shape} == shown:
        return {}
    placed: Json = {"datum": sent.get("datum", "") or told.DATUM}
    if shape and shape != shown.get("shape"):
        return {**placed, "geometry": read_geojson(shape, "shape")}
    if shape and not (lat or lon):
        return {}
    north, east = read_degrees(lat, "lat"), read_degrees(lon, "lon")
    examples = {"lat": "degrees, such as 42.57239", "lon": "degrees, such as -90.38710"}
    typed = {"lat": (lat, north), "lon": (lon, east)}
    faults = [Fault(k, text[:60] or "nothing", examples[k]) for k, (text, value) in typed.items() if value is None]
    if faults:
        raise StreetsError("The place cannot be read.", faults)
    return {**placed, "geometry": {"type": "Point", "coordinates": [east, north]}}


def _accuracy(village: Village, connection: Connection, sent: Mapping[str, str], row: Row | None) -> Json:
    text = sent.get("accuracy_ft", "").strip()
    return {"accuracy_ft": read_length_ft(text, "accuracy_ft") if text else None}


def _address(village: Village, connection: Connection, sent: Mapping[str, str], row: Row | None) -> Json:
    text = sent.get("address", "").strip()
    if not text:
        return {"address_id": None}
    if row and row["address_id"] is not None:
        before = registers.get(connection, addresses, row["address_id"])
        if before["full"] == text:
            return {}
    found = [registers.get(connection, addresses, one) for one in meant(connection, village, text)]
    standing = [one for one in found if one["status"] != "retired"]
    if len(standing) != 1:
        names = ", ".join(one["full"] for one in standing[:4])
        expected = f"one of {names}" if names else "an address in use, such as 145 North Alma Street"
        raise StreetsError.of("address", text[:60], expected)
    return {"address_id": standing[0]["id"]}
