"""What is sent of an object in the street, read into what the register keeps: its shape, days, facts and check."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import shapely
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app import registers
from app.clocks import not_too_early
from app.columns import canonical
from app.law import law_on
from app.object_facts import ObjectKind, read_facts
from app.object_kinds import AUTHORISATIONS, PANEL
from app.positions import Positions
from app.registers import Row
from app.settings import plain
from app.tables import addresses
from app.village import LONLAT, Village
from gis.errors import Fault, StreetsError
from gis.measure import Checked, Measured, Verdict
from gis.panels import panel

Json = dict[str, Any]
SHAPES = ("Point", "LineString", "Polygon")
NEAR_FT = 66.0
"""Where no street is named, the nearest one within this is taken: as far as a lot fronts on a street."""
LATEST = date(2200, 1, 1)
MOST_CHECKED = 200_000
"""So many signs of a check's answer are kept at most."""
VERDICTS = frozenset(map(str, Verdict))
PLACED = ("geometry", "crs", "datum", "epoch")
DAYS = ("starts_on", "ends_on", "restored_on")
WORK = ("emergency", *DAYS, "authorisation")
"""What is recorded of works alone."""


@dataclass(frozen=True)
class Sent:
    """What was sent of an object.

    Parameters
    ----------
    village
        The village in force.
    connection
        To the register.
    kind
        The object's kind.
    given
        By name.
    today
        The village's day.
    row
        The object as it is; None of a new one.
    """

    village: Village
    connection: Connection
    kind: ObjectKind
    given: Mapping[str, Any]
    today: date
    row: Row | None = None


def read_values(sent: Sent) -> Json:
    """Return the columns that what was sent makes.

    Parameters
    ----------
    sent
        What was sent.

    Returns
    -------
    dict
        Only columns that were given, with those that follow from them.

    Raises
    ------
    StreetsError
        Everything at fault, at once.
    """
    known = {*_READERS, *PLACED, "kind", "reason"}
    expected = f"one of {', '.join(sorted(known))}"
    faults = [Fault(name[:60], "an unknown field", expected) for name in sorted(sent.given.keys() - known)]
    values: Json = {}
    for name, read in _READERS.items():
        if name not in sent.given:
            continue
        value = sent.given[name]
        if name in WORK and not sent.kind.dated:
            faults += [Fault(name, str(value)[:60], f"nothing of a {sent.kind.title.lower()}")] if value else []
            continue
        try:
            values |= read(sent, value)
        except StreetsError as error:
            faults += error.faults or (Fault(name, "what cannot be read", error.message),)
    if faults:
        raise StreetsError("This cannot be recorded as it is.", faults)
    return _told_place(sent, values)


def _told_place(sent: Sent, values: Json) -> Json:
    """Name the nearest street where none is named, and keep with the facts how the position came in."""
    before: Json = sent.row["facts"] if sent.row else {}
    position = values.pop("position", None) or before.get("position")
    if position and ("facts" in values or "shape" in values):
        values["facts"] = {**values.get("facts", before), "position": position}
    named = sent.given.get("street") is not None or (sent.row is not None and sent.row["street"])
    if "shape" in values and not named:
        values["street"] = nearest_street(sent.village, shapely.geometry.shape(values["shape"]))
    return values


def nearest_street(village: Village, shape: BaseGeometry) -> str:
    """Return the street nearest to a shape, within `NEAR_FT`; ``""`` where there is none."""
    near = [(piece.line.distance(shape), piece.name) for piece in village.network.pieces if piece.kind != "path"]
    away, name = min(near, default=(NEAR_FT + 1, ""))
    return name if away <= NEAR_FT else ""


def _shape(sent: Sent, value: Any) -> Json:
    village, given = sent.village, sent.given
    crs = given.get("crs") or LONLAT
    if not isinstance(crs, str):
        raise StreetsError.of("crs", repr(crs)[:60], "the name of a CRS, such as EPSG:4326")
    positions = Positions(village, crs, given.get("datum") or "", given.get("epoch"), sent.today)
    shape = positions.shape(value, "geometry", SHAPES)
    on = shape.interpolate(0.5, normalized=True) if shape.geom_type == "LineString" else shape.representative_point()
    lon, lat = village.out_of_feet(LONLAT)(on.x, on.y)
    west, south, east, north = shape.bounds
    box = {"west_ft": west, "south_ft": south, "east_ft": east, "north_ft": north}
    place = {"lon": float(lon), "lat": float(lat), "position": positions.told}
    return {"shape": _plain(shapely.geometry.mapping(shape)), **box, **place}


def _plain(shape: Mapping[str, Any]) -> Json:
    def lists(value: Any) -> Any:
        return [lists(one) for one in value] if isinstance(value, list | tuple) else round(float(value), 4)

    return {"type": shape["type"], "coordinates": lists(shape["coordinates"])}


def _facts(sent: Sent, given: Any) -> Json:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise StreetsError.of("facts", repr(given)[:60], "an object of what is recorded")
    before = {k: v for k, v in (sent.row["facts"] if sent.row else {}).items() if k != "position" and k not in given}
    return {**before, **read_facts(sent.kind, given)}


def read_text(value: Any, name: str, most: int) -> str:
    """Read a text of one line."""
    if not isinstance(value, str):
        raise StreetsError.of(name, repr(value)[:60], "a text")
    text = " ".join(plain(value, name).split())
    if len(text) > most:
        raise StreetsError.of(name, f"{len(text)} characters", f"at most {most}")
    return text


def _state(kind: ObjectKind, value: Any) -> str:
    if value in (None, ""):
        return kind.first_state
    if not kind.states:
        raise StreetsError.of("state", str(value)[:60], f"nothing: an {kind.title.lower()}'s dates tell its state")
    if str(value) not in kind.states:
        raise StreetsError.of("state", str(value)[:60], f"one of {', '.join(kind.states)}")
    return str(value)


def _accuracy(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 10_000:
        raise StreetsError.of("accuracy_ft", repr(value)[:60], "0 to 10000 ft")
    return float(value)


def _address(connection: Connection, value: Any) -> int | None:
    if value is None:
        return None
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 2_000_000_000
    if not whole or registers.find(connection, addresses, value) is None:
        raise StreetsError.of("address_id", str(value)[:60], "the id of an address")
    return int(value)


def _street(village: Village, value: Any) -> str:
    name = read_text(value or "", "street", 200)
    return village.street_name(name) if name else ""


def _emergency(kind: ObjectKind, value: Any) -> bool:
    if not isinstance(value, bool) and value is not None:
        raise StreetsError.of("emergency", repr(value)[:60], "true or false")
    if value and kind.key != "opening":
        raise StreetsError.of("emergency", "true", "false: only an opening can be an emergency excavation (§ 288-6 H)")
    return bool(value)


def read_date(value: Any, name: str) -> date | None:
    """Read a day; None where none is given."""
    if value in (None, ""):
        return None
    expected = "a day, such as 2026-06-01"
    try:
        day = value if isinstance(value, date) else date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise StreetsError.of(name, str(value)[:60], expected) from error
    if day > LATEST:
        raise StreetsError.of(name, day.isoformat(), f"a day before {LATEST.isoformat()}")
    return not_too_early(day, name)


def _authorisation(value: Any) -> Json | None:
    if not value:
        return None
    keys = {"kind", "act", "from", "until"}
    if not isinstance(value, Mapping) or value.keys() - keys or str(value.get("kind")) not in AUTHORISATIONS:
        kinds = f"an object with kind (one of {', '.join(AUTHORISATIONS)}), act, from and until"
        raise StreetsError.of("authorisation", repr(value)[:60], kinds)
    first, last = (read_date(value.get(name), f"authorisation.{name}") for name in ("from", "until"))
    if first and last and last < first:
        raise StreetsError.of("authorisation.until", last.isoformat(), f"{first.isoformat()} or later")
    act = read_text(value.get("act") or "", "authorisation.act", 300)
    days = {"from": first.isoformat() if first else None, "until": last.isoformat() if last else None}
    return {"kind": value["kind"], "act": act, **days}


def check_days(row: Json, today: date) -> None:
    """Refuse days that are out of order, and a restoring that is still to come."""
    starts, ends, restored = row["starts_on"], row["ends_on"], row["restored_on"]
    if starts and ends and ends < starts:
        raise StreetsError.of("ends_on", ends.isoformat(), f"{starts.isoformat()} or later, its first day")
    if restored and starts and restored < starts:
        raise StreetsError.of("restored_on", restored.isoformat(), f"{starts.isoformat()} or later, its first day")
    if restored and restored > today:
        raise StreetsError.of("restored_on", restored.isoformat(), f"{today.isoformat()} or earlier: what was done")


# --- checks kept with a record ---


def _answer(kind: ObjectKind, value: Any) -> Json | None:
    """Return a check's answer as it is kept."""
    if value is None:
        return None
    if kind is PANEL:
        raise StreetsError.of("checked", "an answer", "nothing: a panel is checked from what was measured of it")
    good = isinstance(value, Mapping) and isinstance(value.get("rows"), list) and str(value.get("verdict")) in VERDICTS
    if not good or not all(isinstance(row, Mapping) for row in value["rows"]):
        raise StreetsError.of("checked", repr(value)[:60], "the answer of a check: an object with verdict and rows")
    text = canonical(dict(value))
    if len(text) > MOST_CHECKED:
        raise StreetsError.of("checked", "an answer that is too long", f"at most {MOST_CHECKED} characters")
    plain(text, "checked")
    if not _finite(value):
        raise StreetsError.of("checked", "a number that is not finite", "finite numbers")
    return dict(value)


def _finite(value: Any) -> bool:
    if isinstance(value, Mapping | list):
        return all(map(_finite, value.values() if isinstance(value, Mapping) else value))
    return not isinstance(value, float) or math.isfinite(value)


def moved(before: Row, after: Row) -> bool:
    """Whether what a check rests on was changed."""
    return any(before[name] != after[name] for name in ("shape", "facts", "accuracy_ft"))


def checked(kind: ObjectKind, row: Json, day: date) -> Json | None:
    """Return the answer to keep with a record: of a panel from what was measured of it."""
    if kind is not PANEL:
        given: Json | None = row["checked"]
        return given
    found = panel(law_on(day).right_of_way, *(_measured(row["facts"], name) for name in ("vertical", "gap", "surface")))
    return told_check(found, day)


def _measured(facts: Json, name: str) -> Measured | None:
    value = facts.get(f"{name}_in")
    return None if value is None else Measured(value / 12, facts.get(f"{name}_tolerance_in", 0.0) / 12)


def told_check(found: Checked, day: date) -> Json:
    """Return a check's rows as they are answered and kept, with the day of the law."""
    rows = [
        {
            **{name: getattr(row, name) for name in ("quantity", "unit", "section", "settles", "note")},
            **{name: _rounded(getattr(row, name)) for name in ("value", "uncertainty", "limit", "margin")},
            "verdict": str(row.verdict),
        }
        for row in found.rows
    ]
    return {"verdict": str(found.verdict), "rows": rows, "date": day.isoformat()}


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value


_READERS: Mapping[str, Callable[[Sent, Any], Json]] = {
    "label": lambda sent, value: {"label": read_text(value or "", "label", 200) or sent.kind.title},
    "state": lambda sent, value: {"state": _state(sent.kind, value)},
    "accuracy_ft": lambda _, value: {"accuracy_ft": _accuracy(value)},
    "address_id": lambda sent, value: {"address_id": _address(sent.connection, value)},
    "facts": lambda sent, value: {"facts": _facts(sent, value)},
    "checked": lambda sent, value: {"checked": _answer(sent.kind, value)},
    "authorisation": lambda _, value: {"authorisation": _authorisation(value)},
    "emergency": lambda sent, value: {"emergency": _emergency(sent.kind, value)},
    "starts_on": lambda _, value: {"starts_on": read_date(value, "starts_on")},
    "ends_on": lambda _, value: {"ends_on": read_date(value, "ends_on")},
    "restored_on": lambda _, value: {"restored_on": read_date(value, "restored_on")},
    "geometry": _shape,
    "street": lambda sent, value: {"street": _street(sent.village, value)},
}
