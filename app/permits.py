"""Applying for permits and acting on them: where the work is, what is measured there, and the steps of the case engine.

What the checks of the right-of-way found is kept with the step it was made for, as it was: a later survey changes no
permit that was approved before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import shapely
import sqlalchemy as sa
from shapely.geometry import shape as as_shape
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app import casebook, cases, conflicts
from app.auth import Person
from app.case_facts import Facts
from app.case_tables import cases as table
from app.casebook import KINDS, NoCaseError
from app.casework import Kind, Matter
from app.check_site import Site
from app.checks import run
from app.clock_rules import due
from app.clocks import LOCAL
from app.map_versions import Atlas
from app.opening_hindrances import hindrances as of_opening
from app.permit_model import APPLICATION, COMPLETE, Hindrance, application
from app.permit_privilege import hindrances as of_privilege
from app.positions import SHAPES, Positions
from app.registers import Row
from app.row_layers import Ground
from app.settings import plain
from app.village import LONLAT
from app.works import improved_on
from gis.errors import StreetsError

Json = dict[str, Any]
PERMITS: Mapping[str, Kind] = {key: kind for key, kind in KINDS.items() if kind.book == "permit"}
MEASURED = frozenset({"complete", "approve", "village_work"})
"""Steps for which the outline is measured anew."""
CHECKS = {"opening": ("excavation", "lanes"), "privilege": ("share", "lanes")}
_OUTLINE = {"excavation": "opening", "lanes": "footprint", "share": "footprint"}
_STANDS: Mapping[str, Callable[[Matter, Json, datetime], list[Hindrance]]] = {
    "opening": of_opening,
    "privilege": of_privilege,
}


@dataclass(frozen=True)
class Desk:
    """Where permits are acted on: the village, its right-of-way, who acts and when.

    Parameters
    ----------
    atlas
        The village and its register.
    ground
        Returns the village's right-of-way as it is, for a connection.
    person
        Who acts.
    now
        The instant.
    key
        Of the request: the same one sent twice is done once.
    """

    atlas: Atlas
    ground: Callable[[Connection], Ground]
    person: Person
    now: datetime
    key: str = ""


def apply(desk: Desk, given: Mapping[str, Any]) -> Json:
    """Begin an application for a permit.

    Parameters
    ----------
    desk
        Who, where and when.
    given
        ``kind``, the facts of the application, and perhaps ``geometry`` (a GeoJSON outline in ``crs``), ``address_id``,
        ``at`` and ``reason``.

    Returns
    -------
    dict
        ``id``, ``number`` and ``event``.

    Raises
    ------
    StreetsError
        A kind that is none, or each field at fault; nothing is stored.
    """
    kind = permit_kind(given.get("kind"))
    asked, place = {name: value for name, value in given.items() if value is not None}, _place(desk, given)
    return cases.open_case(desk.atlas.database, desk.person, {**asked, "kind": kind.key}, desk.now, desk.key, place)


def take(desk: Desk, permit_id: int, name: str, given: Mapping[str, Any]) -> Json:
    """Take a step of a permit.

    Parameters
    ----------
    desk
        Who, where and when.
    permit_id
        The permit.
    name
        The step.
    given
        Its facts, perhaps ``at``, ``reason``, and ``geometry`` with an amendment.

    Returns
    -------
    dict
        ``id`` and ``event``.

    Raises
    ------
    NoCaseError
        There is no such permit or step.
    app.casebook.CaseStateError
        The permit is in no state that allows it.
    StreetsError
        What the law or the record does not allow, each with its section and what would cure it.
    """
    database = desk.atlas.database
    with database.read() as connection:
        row = get(connection, permit_id)
    asked = {key: value for key, value in given.items() if value is not None}
    if name in APPLICATION:
        known = _place(desk, asked)
    else:
        if "geometry" in asked:
            raise StreetsError.of("geometry", "an outline", "none: it is changed by amending the application")
        known = _measuring(desk, row, asked) if name in MEASURED else _nothing
    return cases.take(database, desk.person, permit_id, name, asked, desk.now, desk.key, known)


def _nothing(_connection: Connection) -> Facts:
    """Return no facts beside those that were given."""
    return {}


def permit_kind(name: object) -> Kind:
    """Return a kind of permit by its name, also as it is spoken of: ``street_opening`` is ``opening``.

    Raises
    ------
    NoCaseError
        There is none.
    """
    found = PERMITS.get(name.strip().lower().removeprefix("street").strip(" _-")) if isinstance(name, str) else None
    if found is None:
        raise NoCaseError.of("kind", str(name)[:60] if name else "nothing", f"one of {', '.join(PERMITS)}")
    return found


def get(connection: Connection, permit_id: int) -> Row:
    """Return a permit.

    Raises
    ------
    NoCaseError
        There is none.
    """
    row = casebook.get(connection, permit_id)
    if row["kind"] not in PERMITS:
        raise NoCaseError.of("id", str(permit_id), "the id of a permit")
    return row


def by_number(connection: Connection, number: str) -> Row:
    """Return a permit by its number, such as ``SO-2026-0007``.

    Raises
    ------
    NoCaseError
        There is none.
    """
    wanted = sa.select(table.c.id).where(table.c.number == number.strip().upper()[:20])
    found = connection.execute(wanted).scalar_one_or_none() if number.isprintable() else None
    if found is None:
        raise NoCaseError.of("number", number[:60] or "nothing", "the number of a permit, such as SO-2026-0007")
    return get(connection, found)


# --- where it is ---


def _place(desk: Desk, given: Mapping[str, Any]) -> Callable[[Connection], Facts]:
    """Return what reads the outline of the work: in the working CRS, with the street it is in."""
    if given.get("geometry") is None:
        extra = next((name for name in cases.PLACE if given.get(name) is not None), None)
        if extra:
            raise StreetsError.of(extra, str(given[extra])[:60], "nothing, without a geometry")
        return _nothing
    village, day = desk.atlas.village, desk.now.astimezone(LOCAL).date()
    crs, accuracy = given.get("crs") or LONLAT, given.get("accuracy_ft") or 0.0
    if not isinstance(crs, str):
        raise StreetsError.of("crs", repr(crs)[:60], "the name of a CRS, such as EPSG:4326")
    if isinstance(accuracy, bool) or not isinstance(accuracy, int | float) or not 0 <= accuracy <= 10_000:
        raise StreetsError.of("accuracy_ft", str(accuracy)[:60], "feet at 95 %, 0 or more")
    datum, epoch = given.get("datum") or "", given.get("epoch")
    if not isinstance(datum, str):
        raise StreetsError.of("datum", repr(datum)[:60], "gps or nad83-2011")
    if isinstance(epoch, bool) or not isinstance(epoch, int | float | None):
        raise StreetsError.of("epoch", repr(epoch)[:60], "a decimal year")
    positions = Positions(village, plain(crs, "crs"), plain(datum, "datum"), epoch, day)
    shape = positions.shape(given["geometry"], "geometry", SHAPES)
    on = shape.representative_point()
    lon, lat = village.out_of_feet(LONLAT)(on.x, on.y)
    west, south, east, north = shape.bounds
    box = {"west_ft": west, "south_ft": south, "east_ft": east, "north_ft": north}
    found: Json = {"shape": _plain(shapely.geometry.mapping(shape)), "lon": float(lon), "lat": float(lat), **box}
    found |= {"accuracy_ft": float(accuracy), "position": positions.told}

    def known(connection: Connection) -> Facts:
        site = Site(desk.ground(connection), connection, positions, day, float(accuracy))
        street, sure = site.street("", shape)
        return {"place": {**found, "street": street, "told": street if sure else ""}}

    return known


def _plain(value: Any) -> Any:
    """Return a geometry's mapping with lists for tuples, as JSON has it."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


# --- what is measured there ---


def _measuring(desk: Desk, row: Row, given: Mapping[str, Any]) -> Callable[[Connection], Facts]:
    day = _day(given.get("at"), desk.now)

    def known(connection: Connection) -> Facts:
        matter = casebook.matter_of(connection, row, desk.now)
        return measured(desk.ground(connection), connection, matter, day)

    return known


def _day(at: object, now: datetime) -> date:
    """Return the day of a step that may be dated back; the step itself refuses what is no time."""
    try:
        text = str(at or "")
        found = datetime.fromisoformat(text) if text else now
        return found.date() if found.tzinfo is None else found.astimezone(LOCAL).date()
    except (ValueError, OverflowError):
        return now.astimezone(LOCAL).date()


def measured(ground: Ground, connection: Connection, matter: Matter, day: date) -> Json:
    """Measure the outline of a permit against the right-of-way and against other works.

    Parameters
    ----------
    ground
        The village's right-of-way.
    connection
        To the register.
    matter
        The permit.
    day
        For which day.

    Returns
    -------
    dict
        ``checks`` by name, ``conflicts``, and the improvement that has ``closed`` the street; empty without an outline.
    """
    facts, kind = application(matter), matter.case["kind"]
    place = facts.get("place")
    names = CHECKS.get(kind, ())
    if not place or not names:
        return {}
    shape, crs = as_shape(place["shape"]), ground.village.files.settings.working_crs.text
    first, last = (date.fromisoformat(facts[key]) if facts.get(key) else None for key in ("starts_on", "ends_on"))
    positions = Positions(ground.village, crs, "nad83-2011", day=first or day)
    site = Site(ground, connection, positions, first or day, place.get("accuracy_ft") or 0.0)
    found: Json = {}
    if shape.geom_type == "Polygon":
        asked = {"emergency": facts.get("emergency") == "yes", "street": ""}
        for name in names:
            found[name] = _kept(run(site, name, {**asked, _OUTLINE[name]: place["shape"]}))
    met = conflicts.of_work(
        ground, connection, shape, first, last, facts.get("direction", ""), day=day, opening=kind == "opening",
        accuracy_ft=place.get("accuracy_ft") or 0.0, exclude_case=matter.case["id"],
        exclude_object=matter.case["object_id"] or 0,
    )  # fmt: skip
    return {"checks": found, "conflicts": met, "closed": _closed(site, shape, day) if kind == "opening" else None}


def _closed(site: Site, shape: BaseGeometry, day: date) -> Json | None:
    """Return the improvement that closes the street to openings on a day, and the last day it does (§ 288-6 I)."""
    street, _ = site.street("", shape)
    block = site.block(street, shape.centroid)
    improved = improved_on(site.connection, street, block.section.improved_on if block else None, day)
    if improved is None:
        return None
    until = due("moratorium", improved).day
    assert until is not None
    return {"improved_on": improved.isoformat(), "until": until.isoformat()} if until >= day else None


def _kept(answer: Json) -> Json:
    """Return what is kept of a check: its rows and what it rests on, without the drawing."""
    return {key: answer[key] for key in ("verdict", "rows", "date", "layers", "assumed", "notes")}


# --- what stands in the way ---


def in_the_way(matter: Matter, now: datetime, by: str = "") -> list[Hindrance]:
    """Return what stands in the way of approving a permit now, by what was measured last.

    Parameters
    ----------
    matter
        The permit.
    now
        The instant.
    by
        Who would approve it.

    Returns
    -------
    list of Hindrance
        None where it is not waiting to be approved.
    """
    stands = _STANDS.get(matter.case["kind"])
    if stands is None or matter.course.state != COMPLETE:
        return []
    return stands(matter, {**latest(matter), "by": by}, now.astimezone(UTC))


def latest(matter: Matter) -> Json:
    """Return what was measured last of a permit: ``checks`` and ``conflicts``, and ``at``."""
    events = [one for name in MEASURED for one in matter.course.of(name) if one["facts"].get("checks") is not None]
    last = max(events, key=lambda one: (one["at"], one["id"]), default=None)
    kept = ("checks", "conflicts", "closed")
    return {**{key: last["facts"].get(key) for key in kept}, "at": last["at"]} if last else {}
