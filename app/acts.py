"""Assigning a number: a public act, done once, recorded with its reasons.

"Each principal building in the Village shall be assigned to an official street number by the Director of Public Works"
(§ 288-15 A). Preview and assignment ask the same `app.considered.consider`; here its answer becomes a record.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from shapely import Polygon
from shapely.geometry import mapping
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from app import letters, registers
from app.assign import about_map, candidate, told, written
from app.audit import Act, Actor
from app.columns import canonical
from app.considered import SAME_PLACE_FT, Considered, TakenError, Wanted, about_holder, consider
from app.law import today
from app.map_versions import Atlas
from app.once import RepeatedError
from app.tables import addresses, doubts, locations, requests
from app.village import LONLAT, Village
from gis.address import format_full, format_usps, on_street, street_key
from gis.errors import Fault, StreetsError
from gis.reasons import explain

Json = dict[str, Any]
TRIES = 5
"""How often an assignment is tried when another takes the number between the look and the act."""


@dataclass(frozen=True)
class Answer:
    """What a request is answered, and was before if it was sent before.

    Parameters
    ----------
    assigned
        Whether a number was given; else there was none, and the Clerk's doubt queue has it.
    content
        The answer.
    repeated
        Whether it is the answer of an earlier, same request.
    """

    assigned: bool
    content: Json
    repeated: bool = False


def shown(atlas: Atlas, wanted: Wanted) -> Json:
    """Say what `assign` would do; nothing is stored.

    Parameters
    ----------
    atlas
        The village and its register.
    wanted
        What is asked for.

    Returns
    -------
    dict
        The number computed, the one it would get, warnings, neighbours, steps.

    Raises
    ------
    StreetsError
        What `app.considered.consider` refuses.
    """
    with atlas.database.read() as connection:
        village = atlas.now(connection)
        found = consider(village, connection, wanted)
        if found.row and found.number and found.wanted.suffix:
            full, _ = _with_suffix(found, found.number)
            letters.check_base(connection, street_key(found.row.street), found.row.side, found.number, full)
        return {**_described(village, found), "neighbours": _neighbours(connection, found)}


def _described(village: Village, found: Considered) -> Json:
    row, door = found.row, found.door
    number = found.number or 0
    full, usps = written(number, row.side, row.street) if row else (None, None)
    if full and found.wanted.suffix:
        full, usps = _with_suffix(found, number)
    return {
        "address": full,
        "usps": usps,
        "street": row.street if row else None,
        "half": row.side if row else None,
        "number": found.number,
        "suffix": found.wanted.suffix,
        "computed_number": found.computed,
        "suggested_number": found.suggested,
        "status": status_of(village, found) if found.number else None,
        "in_order": found.in_order,
        "why": found.why,
        "confirm": found.confirm,
        "even": bool(door.even),
        "station_ft": door.station,
        "set_back": found.set_back,
        "candidates": [candidate(village, d) for d in (door, *found.others) if d.half >= 0],
        "findings": list(found.findings),
        "map": about_map(village),
        "map_version": village.edition.version if village.edition else None,
        "explanation": explanation_of(village, found),
    }


def _with_suffix(found: Considered, number: int) -> tuple[str, str]:
    assert found.row is not None
    address = on_street(number, found.row.side, found.row.street, suffix=found.wanted.suffix)
    return format_full(address), format_usps(address)


def _neighbours(connection: Connection, found: Considered) -> list[Json]:
    """Tell of the addresses that stand on the entrance's side, and where."""
    if not found.taken:
        return []
    assert found.row is not None
    key, known = street_key(found.row.street), {row["id"] for row in found.taken}
    side = registers.on_face(connection, key, found.row.side, even=bool(found.door.even))
    more = ("number", "suffix", "station_ft")
    return [{**about_holder(row), **{name: row[name] for name in more}} for row in side if row["id"] in known]


def status_of(village: Village, found: Considered) -> str:
    """Return the status a number is given with: official only under an adopted map, with nothing left to confirm."""
    if found.confirm:
        return "proposed"
    return "official" if village.edition and village.edition.adopted else "provisional"


def explanation_of(village: Village, found: Considered, clerk: str = "", *, stays: bool = False) -> Json:
    """Return the steps and lines that led to a number, a person's choice included, or that it stays as it was."""
    steps = told(village, explain(village.frontages, found.door), LONLAT)
    number, computed = found.number, found.computed
    if number is None or number == computed:
        return steps
    quoted = village.law.quotations
    step: Json
    if clerk:
        step = {"section": "288-15 J", "decided": "clerk", "text": f"The Clerk-Treasurer determined {number}: {clerk}"}
    elif stays:
        text = f"The number stays {number}; the number computed for the place as it is recorded now is {computed}."
        step = {"section": "288-15 A", "decided": "stays", "text": text}
    elif number == found.suggested:
        step = {"section": "288-15 H", "decided": "taken", "text": f"{number} instead of {computed}. {found.why}"}
    else:
        text = f"An officer chose {number} instead of {computed}: {found.wanted.reason}"
        step = {"section": "288-15 A", "decided": "officer", "text": text}
    values = {"number": number, "computed": computed}
    step |= {"law": quoted.get(step["decided"], ""), "reading": "", "values": values}
    return {**steps, "steps": [*steps["steps"], step]}


# --- the act ---


def assign(atlas: Atlas, actor: Actor, wanted: Wanted, key: str = "") -> Answer:
    """Assign a number to a building (§ 288-15 A, G(1), K).

    Parameters
    ----------
    atlas
        The village and its register.
    actor
        Who assigns.
    wanted
        What is asked for.
    key
        Of the request: the same one sent twice is done once. Left out, the request itself is its key, for as long as
        the number it was given is held.

    Returns
    -------
    Answer
        The address, or the doubt that was opened because there is no number to give.

    Raises
    ------
    StreetsError
        What `app.considered.consider` refuses; a number other than computed without a reason.
    RepeatedError
        The key was used for another request.
    """
    digest = hashlib.sha256(canonical(asdict(wanted)).encode()).hexdigest()
    for left in reversed(range(TRIES)):
        try:
            with atlas.database.write() as connection:
                return _assigned(atlas, connection, actor, wanted, key, digest)
        except IntegrityError as error:
            # the database's own constraint: somebody else took the number, or used the key, in between
            if not left:
                raise TakenError("The number was taken while it was assigned; ask again.", {}) from error
    raise AssertionError


def _assigned(atlas: Atlas, connection: Connection, actor: Actor, wanted: Wanted, key: str, digest: str) -> Answer:
    before = _before(connection, actor, key, digest)
    if before:
        return before
    village = atlas.now(connection)
    found = consider(village, connection, wanted)
    act = Act(connection, actor, wanted.reason)
    if found.number is None:
        content = _doubt(act, village, found)
        return _kept(connection, actor, key, digest, Answer(False, content))
    # with the lot known the computed number may be the neighbour's: then it is an officer's choice too
    expected_numbers = {found.suggested} if found.lot is not None else {found.computed, found.suggested}
    needs_reason = found.number not in expected_numbers
    if needs_reason and not wanted.reason.strip():
        expected = f"why it is not {found.suggested or found.computed}, the number computed or next free"
        raise StreetsError(f"{found.number} needs a reason.", [Fault("reason", "nothing", expected)])
    row = add(act, village, found)
    return _kept(connection, actor, key, digest, Answer(True, made_json(connection, row)))


_MINE = (requests.c.owner == sa.bindparam("whose")) & (requests.c.key == sa.bindparam("wanted"))
_BEFORE = sa.select(requests).where(_MINE)
_KEPT = sa.insert(requests)


def _before(connection: Connection, actor: Actor, key: str, digest: str) -> Answer | None:
    """Return the answer of the same request, sent before."""
    same = {"whose": actor.id, "wanted": key or f"body:{digest}"}
    row = connection.execute(_BEFORE, same).mappings().one_or_none()
    if row is None:
        return None
    if row["digest"] != digest:
        message = "This Idempotency-Key was used before, for another request."
        raise RepeatedError(message, [Fault("Idempotency-Key", key, "a key of its own for each request")])
    content = json.loads(row["answer"])
    if not key and not _stands(connection, content):
        connection.execute(sa.delete(requests).where(_MINE), same)
        return None
    return Answer(row["status"] == 201, content, repeated=True)


def answer_of(connection: Connection, actor: Actor, key: str) -> Json | None:
    """Return what a request with this key was answered; None where it was not used."""
    found = connection.execute(_BEFORE, {"whose": actor.id, "wanted": key}).mappings().one_or_none()
    return json.loads(found["answer"]) if found else None


def _stands(connection: Connection, content: Json) -> bool:
    """Whether what a request without a key was answered is still so."""
    if "doubt" in content:
        return bool(registers.get(connection, doubts, content["doubt"])["status"] == "open")
    return bool(registers.get(connection, addresses, content["id"])["status"] != "retired")


def _kept(connection: Connection, actor: Actor, key: str, digest: str, answer: Answer) -> Answer:
    text = canonical(answer.content)
    known = {"owner": actor.id, "key": key or f"body:{digest}", "digest": digest, "answer": text}
    connection.execute(_KEPT, {**known, "status": 201 if answer.assigned else 409, "made_at": datetime.now(UTC)})
    return replace(answer, content=json.loads(text))  # as it will be repeated


def _doubt(act: Act, village: Village, found: Considered) -> Json:
    """Open a doubt for the Clerk-Treasurer: there is no number to give."""
    where = f"{found.row.side} {found.row.street}" if found.row else "no street"
    why = found.why or "The entrance has no side of the street, so it has no number."
    row = open_doubt(act, village, found, "NO_FREE_NUMBER", f"No number to give on {where}. {why}")
    return {
        "code": "NO_FREE_NUMBER",
        "doubt": row["id"],
        "question": row["question"],
        "computed_number": found.computed,
        "findings": list(found.findings),
        "map_version": village.edition.version if village.edition else None,
    }


def open_doubt(act: Act, village: Village, found: Considered, kind: str, question: str) -> registers.Row:
    """Put a question before the Clerk-Treasurer (§ 288-15 J), with all that was asked and found.

    Where the same question of the same place is open already, it is that one.
    """
    lon, lat = village.out_of_feet(LONLAT)(found.east, found.north)
    waiting = _waiting(act.connection, village, found, kind, question)
    if waiting is not None:
        return waiting
    values = {
        "status": "open",
        "kind": kind,
        "question": question,
        "request": asdict(found.wanted),
        "street": found.row.street if found.row else "",
        "half": found.row.side if found.row else "",
        "lon": round(float(lon), 8),
        "lat": round(float(lat), 8),
        "findings": list(found.findings),
        "opened_at": act.at,
        "opened_by": act.actor.name,
    }
    return registers.insert(act, "open doubt", doubts, values)


def _waiting(
    connection: Connection, village: Village, found: Considered, kind: str, question: str
) -> registers.Row | None:
    """Return the open doubt of the same question and place; who has no number to get asks but one."""
    alike = [doubts.c.status == "open", doubts.c.kind == kind]
    alike += [doubts.c.question == question] if kind != "NO_FREE_NUMBER" else []
    for row in registers.rows(connection, doubts, *alike):
        east, north = village.into_feet(LONLAT)(row["lon"], row["lat"])
        near = math.hypot(float(east) - found.east, float(north) - found.north) <= SAME_PLACE_FT
        if near and row["street"] == (found.row.street if found.row else ""):
            return row
    return None


def add(
    act: Act, village: Village, found: Considered, more: Mapping[str, Any] | None = None, clerk: str = ""
) -> registers.Row:
    """Write an address and its location.

    Parameters
    ----------
    act
        The act it belongs to.
    village
        The village in force.
    found
        What was decided; it has a number.
    more
        Columns that differ from the ordinary.
    clerk
        The Clerk-Treasurer's reason, where the number is a decision of a doubt.

    Returns
    -------
    dict
        The address.
    """
    place = registers.insert(act, "assign", locations, _location(village, found, act.at))
    values = {
        "status": status_of(village, found),
        "location_id": place["id"],
        **because(act.connection, village, found, clerk),
        "decisions": [],
        "reason": found.wanted.reason,
        "made_at": act.at,
        "made_by": act.actor.name,
        "retired_reason": "",
    }
    row = registers.insert(act, "assign", addresses, {**values, **(more or {})})
    letters.check(act.connection, [(None, row)])
    return row


def because(
    connection: Connection,
    village: Village,
    found: Considered,
    clerk: str = "",
    parts: Mapping[str, str] | None = None,
    *,
    stays: bool = False,
) -> Json:
    """Return the columns of an address that follow from what was decided: its number, and why it is so.

    Parameters
    ----------
    connection
        Of the transaction, where the explanation is kept.
    village
        The village in force.
    found
        What was decided; it has a number.
    clerk
        The Clerk-Treasurer's reason, where the number is a decision of a doubt.
    parts
        Parts of an old number that are kept: prefix, fraction, unit.
    stays
        Whether the number was given before, and nobody chooses it now.

    Returns
    -------
    dict
        Every column that assigning, correcting and renumbering must keep together.
    """
    assert found.row is not None
    assert found.number is not None
    return {
        **numbered(found.row.street, found.row.side, found.number, found.wanted.suffix, parts),
        "path": found.row.path,
        "even": found.number % 2 == 0,
        "station_ft": found.door.station,
        "computed_number": found.computed,
        "map_version": village.edition.version if village.edition else 0,
        "law_date": today(),
        "findings": list(found.findings),
        "explanation": registers.keep_explanation(connection, explanation_of(village, found, clerk, stays=stays)),
        "set_back": found.set_back,
        "conforms": True,
    }


def numbered(street: str, half: str, number: int, suffix: str = "", parts: Mapping[str, str] | None = None) -> Json:
    """Return the columns of an address's number and street: CLDXF parts, key and forms."""
    others: Any = parts or {}
    address = replace(on_street(number, half, street, suffix=suffix), **others)
    known = asdict(address)
    for place in ("community", "state", "postal_code"):
        known.pop(place)
    return {
        "street": street,
        "street_key": street_key(street),
        "half": half,
        **known,
        "full": format_full(address),
        "usps": format_usps(address),
    }


def _location(village: Village, found: Considered, at: datetime) -> Json:
    lon, lat = village.out_of_feet(LONLAT)(found.east, found.north)
    return {
        "x_ft": found.east,  # as it was numbered, not rounded: it gives the same number again
        "y_ft": found.north,
        "lon": round(float(lon), 8),
        "lat": round(float(lat), 8),
        "placement": "Structure",
        "accuracy_ft": found.wanted.accuracy_ft,
        "access_note": "",
        "building": as_json(found.building),
        "lot": as_json(found.lot),
        "doors": found.wanted.doors,
        "made_at": at,
    }


def as_json(shape: Polygon | None) -> Json | None:
    """Return a polygon of the working CRS as GeoJSON, to a thousandth of a foot."""
    if shape is None:
        return None
    rings: Callable[[Any], Any] = lambda ring: [[round(x, 3), round(y, 3)] for x, y, *_ in ring]  # noqa: E731
    return {"type": "Polygon", "coordinates": [rings(ring) for ring in mapping(shape)["coordinates"]]}


def made_json(connection: Connection, row: registers.Row) -> Json:
    """Return what is answered of an address just assigned."""
    return {
        "id": row["id"],
        "address": row["full"],
        "usps": row["usps"],
        "status": row["status"],
        "number": row["number"],
        "suffix": row["suffix"],
        "street": row["street"],
        "half": row["half"],
        "computed_number": row["computed_number"],
        "map_version": row["map_version"],
        "law_date": row["law_date"].isoformat(),
        "findings": row["findings"],
        "set_back": row["set_back"],
        "explanation": registers.explanation(connection, row["explanation"]),
    }
