"""Address points of the NG9-1-1 model: one for every number of the register that is official, and where no map is
adopted one for every provisional number too, marked as such."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
import shapely
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.exports.nena_fields import POINTS, named, nguid
from app.exports.nena_package import Layer
from app.registers import IN_ORDER
from app.tables import addresses, audit, locations

Json = dict[str, Any]
AT_ONCE = 2000
DIGITS = 7
NOTE = 225
"""Characters that Addtl_Loc holds."""
MARK = "Provisional number of a draft map"
_COLUMNS = (
    *(addresses.c[name] for name in ("id", "status", "location_id", "number_prefix", "number", "fraction", "suffix")),
    *(addresses.c[name] for name in ("pre_directional", "street_pre_type", "street_name", "street_post_type")),
    *(addresses.c[name] for name in ("street_post_directional", "unit_type", "unit", "full")),
    *(locations.c[name] for name in ("lon", "lat", "placement", "access_lon", "access_lat", "access_note")),
)
FROM_REGISTER = {
    "AddNum_Pre": "number_prefix",
    "Add_Number": "number",
    "St_PreDir": "pre_directional",
    "St_PreTyp": "street_pre_type",
    "St_Name": "street_name",
    "St_PosTyp": "street_post_type",
    "St_PosDir": "street_post_directional",
    "Placement": "placement",
}
"""Fields that hold a column of the register as it is; one that is empty there has no value."""


def fill(layer: Layer, profile: str, connection: Connection, agency: str, *, draft: bool) -> list[Json]:
    """Read the register's numbers into the layer of address points.

    Parameters
    ----------
    layer
        The layer, empty.
    profile
        ``"v3"`` or ``"v2"``.
    connection
        To the register.
    agency
        Domain name of the agency; ``""`` where it is not known.
    draft
        Whether no map is adopted, so that provisional numbers go out with the official ones.

    Returns
    -------
    list of dict
        What is said of single numbers: ``check``, ``nguid``, ``field``, ``message``.
    """
    wanted = ("official", "provisional") if draft else ("official",)
    has = {one.name for one in layer.fields}
    changed = Changed(connection)
    notes: list[Json] = []
    places: list[tuple[float, float]] = []
    for row in _rows(connection, wanted):
        values = _values(profile, row, nguid(POINTS, row["id"], agency))
        values["DateUpdate"] = changed.at(row["id"], row["location_id"])
        notes += _notes(row, values)
        values["Addtl_Loc"] = values["Addtl_Loc"][:NOTE].strip() or None
        for name in has & values.keys():
            layer.columns.setdefault(name, []).append(values[name])
        places.append((values["Longitude"], values["Latitude"]))
    layer.shapes = np.asarray(shapely.points(np.array(places).reshape(-1, 2)), dtype=object)
    return [*notes, *_left_out(connection, wanted)]


def _rows(connection: Connection, wanted: tuple[str, ...]) -> Iterator[Any]:
    asked = sa.select(*_COLUMNS).join(locations).where(addresses.c.status.in_(wanted)).order_by(*IN_ORDER)
    with connection.execute(asked.execution_options(yield_per=AT_ONCE)) as found:
        yield from found.mappings()


def _values(profile: str, row: Any, own: str) -> Json:
    made: Json = {name: row[column] or None for name, column in FROM_REGISTER.items()}
    suffix = row["fraction"] + row["suffix"]
    unit = " ".join(part for part in (row["unit_type"], row["unit"]) if part)
    made |= {
        "NGUID": own,
        "AddNum_Suf": suffix or None,
        "AddNum_Cmp": f"{row['number_prefix']}{row['number']}{' ' if row['fraction'] else ''}{suffix}",
        "Longitude": round(row["lon"], DIGITS),
        "Latitude": round(row["lat"], DIGITS),
        "Addtl_Loc": _where(row),
    }
    if profile == "v3":  # which takes a unit apart, and has no whole one in the United States
        return {**made, "UnitPreTyp": row["unit_type"] or None, "UnitValue": row["unit"] or None}
    return {**made, "Unit": unit or None}


def _where(row: Any) -> str:
    """Return what helps to find the door: whether the number binds anybody, and the way in."""
    access = (row["access_lat"], row["access_lon"])
    said = [MARK] if row["status"] == "provisional" else []
    said += [] if None in access else [f"Access at {access[0]:.6f}, {access[1]:.6f}"]
    said += [" ".join(row["access_note"].split())] if row["access_note"].strip() else []
    return ". ".join(part.rstrip(".") for part in said)


def _notes(row: Any, values: Json) -> Iterator[Json]:
    about = {"layer": POINTS, "nguid": values["NGUID"]}
    if row["status"] == "provisional":
        text = f"{row['full']} is provisional: no Street Numbering Map is adopted."
        yield {**about, "check": "X03", "field": "Addtl_Loc", "message": text}
    if row["fraction"]:
        plain = f"{row['number_prefix']}{row['number']}{row['suffix']}"
        street = row["full"].split(f"{row['fraction']}{row['suffix']} ", 1)[-1]
        text = (
            f"{row['full']} has a fraction, which some dispatch systems refuse; "
            f"as a unit it would be {plain} {street}, Unit {row['fraction']}."
        )
        yield {**about, "check": "X01", "field": "AddNum_Suf", "message": text}
    if len(values["Addtl_Loc"]) > NOTE:
        text = f"What is said of the access to {row['full']} is longer than {NOTE} characters and is cut there."
        yield {**about, "check": "X05", "field": "Addtl_Loc", "message": text}


def _left_out(connection: Connection, wanted: tuple[str, ...]) -> Iterator[Json]:
    """Say how many numbers are held and not exported."""
    others = addresses.c.status.in_({"provisional", "proposed"} - set(wanted))
    asked = sa.select(addresses.c.status, sa.func.count()).where(others).group_by(addresses.c.status)
    for status, count in connection.execute(asked.order_by(addresses.c.status)):
        text = f"{count} {status} number{'' if count == 1 else 's'} not exported, for none is official."
        yield {"layer": POINTS, "nguid": "", "check": "X04", "field": "", "message": text}


class Changed:
    """When each address and each place was last changed, as the log has it.

    Parameters
    ----------
    connection
        To the register.
    """

    def __init__(self, connection: Connection) -> None:
        self._addresses = _last(connection, "addresses")
        self._places = _last(connection, "locations")

    def at(self, address_id: int, location_id: int) -> datetime | None:
        """Return the later of both, UTC; None where the log tells of neither."""
        found = max(self._addresses.get(address_id, ""), self._places.get(location_id, ""))
        return datetime.fromisoformat(found) if found else None


def _last(connection: Connection, kind: str) -> dict[int, str]:
    newest = sa.func.max(sa.type_coerce(audit.c.at, sa.String))
    asked = sa.select(audit.c.subject, newest).where(audit.c.kind == kind).group_by(audit.c.subject)
    return {int(subject): at for subject, at in connection.execute(asked.execution_options(yield_per=AT_ONCE))}


def administrative(profile: str, layer: str, values: Json) -> Json:
    """Return values under the names that a profile gives them in a layer."""
    return {named(profile, layer, name): value for name, value in values.items()}
