"""What stands or is dug in the street: recorded, changed, dated, withdrawn and restored, each in one audited act."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import shapely
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app import object_photos, registers
from app.audit import Act
from app.auth import Person
from app.clocks import LOCAL
from app.columns import canonical
from app.map_versions import Atlas
from app.object_kinds import PANEL, kind_of
from app.object_reading import DAYS, SHAPES, Sent, check_days, checked, moved, read_text, read_values
from app.once import once
from app.people import ChangedMeanwhileError
from app.registers import Row
from app.street_tables import street_objects
from gis.errors import Fault, StreetsError

Json = dict[str, Any]


class ObjectStateError(StreetsError):
    """An act that the record's state does not allow."""


@dataclass(frozen=True)
class Asking:
    """Who acts, on which village's register, and when.

    Parameters
    ----------
    atlas
        The register and the village in force.
    person
        Who acts.
    key
        Of the request, so that the same one sent twice is done once; ``""`` for none.
    now
        The instant.
    """

    atlas: Atlas
    person: Person
    key: str
    now: datetime

    @property
    def today(self) -> date:
        """The village's day."""
        return self.now.astimezone(LOCAL).date()


def asking(atlas: Atlas, person: Person, key: str = "") -> Asking:
    """Return who acts now."""
    return Asking(atlas, person, key, datetime.now(UTC))


# --- acts ---


def record(by: Asking, given: Mapping[str, Any]) -> Json:
    """Record an object.

    Parameters
    ----------
    by
        Who records it.
    given
        ``kind`` and ``geometry`` (GeoJSON in ``crs``, of ``datum`` and ``epoch``), and perhaps ``label``, ``state``,
        ``accuracy_ft``, ``street``, ``address_id``, ``facts``, ``checked``, ``emergency``, ``starts_on``, ``ends_on``,
        ``restored_on``, ``authorisation``, ``reason``.

    Returns
    -------
    dict
        ``id``, and ``position``: what was done with the datum.

    Raises
    ------
    StreetsError
        Naming each field at fault; nothing is stored.
    """

    def do(connection: Connection) -> Json:
        kind = kind_of(given.get("kind"))
        if given.get("geometry") is None:
            raise StreetsError.of("geometry", "nothing", f"a GeoJSON {' or '.join(SHAPES)}")
        values = read_values(Sent(by.atlas.village, connection, kind, given, by.today))
        act = _act(connection, by, given)
        start: Json = {"kind": kind.key, "state": kind.first_state, "label": kind.title, "accuracy_ft": None}
        start |= {"street": "", "address_id": None, "facts": {}, "checked": None, "emergency": False}
        start |= dict.fromkeys((*DAYS, "authorisation", "retired_at"))
        row = {**start, **values, "reason": act.reason, "retired_reason": ""}
        check_days(row, by.today)
        row |= {"made_at": act.at, "made_by": act.actor.name, "checked": checked(kind, row, by.today)}
        made = registers.insert(act, "record object", street_objects, row)
        return {"id": made["id"], "position": made["facts"].get("position")}

    return _acted(by, {"record object": dict(given)}, do)


def change(by: Asking, object_id: int, given: Mapping[str, Any], what: str = "change object") -> Json:
    """Change what is recorded of an object.

    Parameters
    ----------
    by
        Who changes it.
    object_id
        The object.
    given
        What changes, by the names that `record` takes, but ``kind``: None empties a field. ``facts`` change one by one.
        With ``was``, the `version` that was shown, it is refused where the record was changed meanwhile.
    what
        What the act is called in the audit.

    Returns
    -------
    dict
        ``id`` and ``position``.

    Raises
    ------
    ChangedMeanwhileError
        It was changed since it was shown.
    ObjectStateError
        It was withdrawn.
    StreetsError
        Naming each field at fault; nothing is changed.
    """

    def do(connection: Connection) -> Json:
        row = standing(connection, object_id)
        _refuse_stale(row, given.get("was"))
        kind = kind_of(row["kind"])
        if "kind" in given:
            raise StreetsError.of("kind", str(given["kind"])[:60], "the kind stays: withdraw it, and record it anew")
        asked = {name: value for name, value in given.items() if name != "was"}
        changes = read_values(Sent(by.atlas.village, connection, kind, asked, by.today, row))
        after = {**row, **changes}
        check_days(after, by.today)
        if kind is PANEL:
            changes["checked"] = checked(kind, after, by.today)
        elif "checked" not in given and row["checked"] and moved(row, after):
            changes["checked"] = {**row["checked"], "stale": True}
        changes = {name: value for name, value in changes.items() if value != row[name]}
        if not changes:
            raise StreetsError("Nothing would be changed: everything is recorded so already.")
        registers.update(_act(connection, by, given), what, street_objects, row, changes)
        return {"id": object_id, "position": after["facts"].get("position") if "geometry" in given else None}

    return _acted(by, {"change object": object_id, **given}, do)


def retire(by: Asking, object_id: int, reason: str, was: str = "") -> Json:
    """Withdraw the record of an object: it is no longer listed, and can be restored.

    Raises
    ------
    ObjectStateError
        It is withdrawn already.
    StreetsError
        No reason is given.
    """

    def do(connection: Connection) -> Json:
        row = standing(connection, object_id)
        _refuse_stale(row, was)
        act = _act(connection, by, {"reason": reason}, needed=True)
        registers.update(act, "retire object", street_objects, row, _retired(act.at, act.reason))
        return {"id": object_id}

    return _acted(by, {"retire object": object_id, "reason": reason, "was": was}, do)


def restore(by: Asking, object_id: int, reason: str = "") -> Json:
    """Restore the record of an object that was withdrawn.

    Raises
    ------
    ObjectStateError
        It is not withdrawn.
    """

    def do(connection: Connection) -> Json:
        row = registers.get(connection, street_objects, object_id)
        if row["retired_at"] is None:
            raise ObjectStateError.of("id", "a record that stands", "one that was withdrawn")
        registers.update(
            _act(connection, by, {"reason": reason}), "restore object", street_objects, row, _retired(None, "")
        )
        return {"id": object_id}

    return _acted(by, {"restore object": object_id, "reason": reason}, do)


def add_photo(by: Asking, object_id: int, data: bytes, caption: str = "") -> Json:
    """Keep a photo of an object.

    Raises
    ------
    app.object_photos.PhotoError
        It is no photo, or one that is not taken.
    ObjectStateError
        The record was withdrawn.
    """
    asked = {"add photo": object_id, "sha256": hashlib.sha256(data).hexdigest(), "caption": caption}
    picture = object_photos.cleaned(data)  # before the writer's turn: it takes a while

    def do(connection: Connection) -> Json:
        standing(connection, object_id)
        row = object_photos.add(_act(connection, by, {}), object_id, picture, caption)
        return {"id": row["id"]}

    return _acted(by, asked, do)


def take_photo_off(by: Asking, object_id: int, photo_id: int, reason: str = "") -> Json:
    """Take a photo off its object: it is no longer shown, and stays in the register.

    Raises
    ------
    app.registers.NotFoundError
        The object has no such photo.
    """

    def do(connection: Connection) -> Json:
        registers.get(connection, street_objects, object_id)
        object_photos.take_off(_act(connection, by, {"reason": reason}), object_id, photo_id)
        return {"id": photo_id}

    return _acted(by, {"remove photo": photo_id, "object": object_id, "reason": reason}, do)


def _retired(at: datetime | None, reason: str) -> Json:
    return {"retired_at": at, "retired_reason": reason}


def _acted(by: Asking, asked: Json, do: Callable[[Connection], Json]) -> Json:
    with by.atlas.database.write() as connection:
        return once(connection, by.person.actor, by.key, asked, lambda: do(connection))


def _act(connection: Connection, by: Asking, given: Mapping[str, Any], *, needed: bool = False) -> Act:
    reason = read_text(given.get("reason") or "", "reason", 2000)
    if needed and not reason:
        raise StreetsError.of("reason", "nothing", "why it is done; it is recorded with it")
    return Act(connection, by.person.actor, reason, by.now)


# --- reading the register ---


def standing(connection: Connection, object_id: int) -> Row:
    """Return an object that is not withdrawn.

    Raises
    ------
    NotFoundError
        There is none.
    ObjectStateError
        It was withdrawn.
    """
    row = registers.get(connection, street_objects, object_id)
    if row["retired_at"] is not None:
        raise ObjectStateError.of("id", "a record that was withdrawn", "one that stands; restore it first")
    return row


def version(row: Row) -> str:
    """Return by what a record is known to be as it was shown."""
    return hashlib.sha256(canonical(registers.recorded(street_objects, row)).encode()).hexdigest()[:16]


def shape_of(row: Row) -> BaseGeometry:
    """Return an object's shape, working CRS, US survey feet."""
    return shapely.geometry.shape(row["shape"])


def _refuse_stale(row: Row, was: Any) -> None:
    if was and was != version(row):
        message = "The record was changed since it was shown. Nothing was done: look at it as it is now."
        raise ChangedMeanwhileError(message, [Fault("was", str(was)[:60], version(row))])
