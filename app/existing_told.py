"""How the numbers that buildings have stand, in words and lines, for page, API, map and file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import registers
from app.assign import written
from app.existing import MOST_WAYS, Disorder, Report, rows_of
from app.maps import ground
from app.tables import addresses
from app.village import LONLAT, Village
from gis.existing import KINDS, REASONS, place_of, station_of
from gis.numbering import side_names

Json = dict[str, Any]
COLUMNS = (
    *("id", "address", "status", "kind", "off_units", "out_of_order", "could_take", "computed", "would_be", "text"),
    *("street", "half", "side", "hundred", "station_ft", "lon", "lat", "number_lon", "number_lat"),
)
"""Columns of the audit as a file."""


def cells(connection: Connection, found: Report, places: Sequence[int]) -> Iterator[list[str]]:
    """Give some numbers of a report as the cells of `COLUMNS`."""
    take = {place: free for row in found.rows for members, free in zip(row.changed, row.numbers, strict=True)
            for place in members}  # fmt: skip
    for start in range(0, len(places), registers.AT_ONCE):
        some = places[start : start + registers.AT_ONCE]
        for place, item in zip(some, shown(connection, found, some), strict=True):
            lines = item["lines"]
            lon, lat = lines["entrance"] or ("", "")
            far = lines["to_number"][1] if lines["to_number"] else ("", "")
            known = {**item, "could_take": take.get(place), "lon": lon, "lat": lat}
            known |= {"number_lon": far[0], "number_lat": far[1]}
            yield [_cell(known[name]) for name in COLUMNS]


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else f"{value:g}" if isinstance(value, float) and value == int(value) else str(value)


def shown(connection: Connection, found: Report, places: Sequence[int]) -> list[Json]:
    """Describe some numbers of a report.

    Parameters
    ----------
    connection
        To the register.
    found
        The report.
    places
        Their places in it.

    Returns
    -------
    list of dict
        ``address`` and ``would_be``, ``kind`` and why in words (``text``), whether it is ``out_of_order``, and
        ``lines`` in longitude and latitude: from the entrance to its foot, and to where the number it has would lie,
        which is ``assumed`` where the street is not on the ground there.
    """
    rows: dict[int, Any] = {}
    wanted = [int(found.ids[place]) for place in places]
    named = [addresses.c[n] for n in ("id", "full", "status", "street", "half", "number", "fraction", "suffix")]
    for start in range(0, len(wanted), registers.AT_ONCE):
        some = addresses.c.id.in_(wanted[start : start + registers.AT_ONCE])
        rows |= {row.id: row for row in connection.execute(sa.select(*named, addresses.c.reason).where(some))}
    lines = _lines(found, places)
    return [_described(found, place, rows[found.ids[place]], lines[k]) for k, place in enumerate(places)]


def _described(found: Report, place: int, row: Any, lines: Json) -> Json:
    door, judged = found.doors, found.judged
    computed, half = int(door.number[place]), int(door.half[place])
    side = found.village.map.halves[half].name if half >= 0 else ""
    street = found.village.network.streets[int(door.street[place])].name if half >= 0 else row.street
    reason = int(judged.reason[place])
    return {
        "id": row.id,
        "address": row.full,
        "status": row.status,
        "street": row.street,
        "half": row.half,
        "number": row.number,
        "computed": computed or None,
        "would_be": written(computed, side, street)[0] if computed and side else None,
        "computed_half": side or None,
        "hundred": int(door.hundred[place]) if half >= 0 else None,
        "side": _side(found.village, half, even=bool(door.even[place])) if half >= 0 else None,
        "station_ft": round(float(door.station[place]), 2) if half >= 0 else None,
        "kind": KINDS[int(judged.kind[place])],
        "off_units": float(judged.off_units[place]),
        "reason": REASONS[reason] if reason >= 0 else None,
        "out_of_order": bool(found.order[place]),
        "text": told(found, place, row),
        "lines": lines,
    }


def _side(village: Village, half: int, *, even: bool) -> str:
    return side_names(village.network.streets[village.map.halves[half].street].family)[even]


_WHY = {
    "UNKNOWN_STREET": "its street is not in the map in force",
    "BAD_COORDINATE": "its place is not a position",
    "OUT_OF_VILLAGE": "its place lies outside the village",
    "SIDE_UNDETERMINED": "its entrance lies on the street's line, so it has no side",
    "PAST_END": "its entrance lies past the end of the street, where an officer places the doors",
    "GRID_NUMBER": "it has a prefix of another system of numbers",
}


def told(found: Report, place: int, row: Any) -> str:  # noqa: PLR0911 - one for each kind
    """Say in a sentence how a number stands."""
    kind, door = KINDS[int(found.judged.kind[place])], found.doors
    computed, half = int(door.number[place]), found.village.map.halves[int(door.half[place])].name
    match kind:
        case "conforming":
            return "It is the number that § 288-15 gives its entrance."
        case "chosen":
            why = f": {row.reason}" if row.reason else ""
            return f"It was given in place of {computed}, which § 288-15 D gives its entrance{why}."
        case "off":
            return _off(float(found.judged.off_units[place]), computed)
        case "parity":
            side = _side(found.village, int(door.half[place]), even=bool(door.even[place]))
            hundred = int(door.hundred[place])
            other = row.number // found.village.law.numbering.hundred * found.village.law.numbering.hundred != hundred
            also = f" It also stands in the {hundred} block (§ 288-15 D): {computed} there." if other else ""
            return f"It is {'odd' if row.number % 2 else 'even'}, and stands on the {side} side (§ 288-15 E).{also}"
        case "block":
            return f"It stands in the {int(door.hundred[place])} block (§ 288-15 D): {computed} there."
        case "half":
            return f"It stands on the {half} half (§ 288-15 C): {computed} {half} there."
        case _:
            return f"It cannot be placed: {_WHY[REASONS[int(found.judged.reason[place])]]}."


def _off(units: float, computed: int) -> str:
    if units != int(units):
        return f"A half number, which § 288-15 has not; the entrance's own is {computed} (§ 288-15 D)."
    count, way = f"{abs(int(units))} unit{'' if abs(units) == 1 else 's'}", "more" if units > 0 else "less"
    return f"It is {count} of frontage {way} than its entrance's {computed} (§ 288-15 D)."


def _lines(found: Report, places: Sequence[int]) -> list[Json]:
    """Return the two lines of each number, in longitude and latitude; None where there is none."""
    points: list[tuple[float, float]] = []
    ends: list[list[int]] = []
    on_paper: list[bool] = []
    for place in places:
        *spots, assumed = _spots(found, place)
        on_paper.append(assumed)
        ends.append([-1, -1, -1])
        for k, spot in enumerate(spots):
            if spot is not None and np.isfinite(spot).all():
                ends[-1][k] = len(points)
                points.append(spot)
    lon, lat = found.village.out_of_feet(LONLAT)(*np.array(points or [(0.0, 0.0)]).T)
    lonlat = [[round(float(a), 7), round(float(b), 7)] for a, b in zip(lon, lat, strict=True)]
    return [
        {
            "entrance": lonlat[a] if a >= 0 else None,
            "to_street": [lonlat[a], lonlat[b]] if min(a, b) >= 0 else None,
            "to_number": [lonlat[a], lonlat[c]] if min(a, c) >= 0 else None,
            "assumed": assumed,
        }
        for (a, b, c), assumed in zip(ends, on_paper, strict=True)
    ]


Spot = tuple[float, float]


def _spots(found: Report, place: int) -> tuple[Spot, Spot | None, Spot | None, bool]:
    """Return an entrance, its foot on the street, and where the number it has would lie on it; working CRS, feet.

    The last says whether that place is not on the ground but on the street extended.
    """
    door, half = found.doors, int(found.on_half[place])
    entrance = (float(door.x[place]), float(door.y[place]))
    foot = (float(door.foot_x[place]), float(door.foot_y[place])) if door.half[place] >= 0 else None
    if half < 0:
        return entrance, foot, None, False
    station = station_of(found.village.map, rows_of(found.village)[half], int(found.value[place]))
    low, high = ground(found.village.map.halves[half])
    assumed = station is not None and not low <= station <= high
    return entrance, foot, place_of(found.village.map, half, station), assumed


def disorders(connection: Connection, found: Report, rows: Sequence[Disorder]) -> list[Json]:
    """Describe the rows that do not rise outward, and the fewest changes that would mend each (§ 288-15 E).

    Parameters
    ----------
    connection
        To the register.
    found
        The report.
    rows
        Of the report, as `app.existing.rows_on` gives them.

    Returns
    -------
    list of dict
        With ``changes``: each an address, its number, the free number it could take, and why that one or none.
    """
    every = [place for row in rows for members in row.changed for place in members]
    about = {item["id"]: item for item in shown(connection, found, every)}
    return [_mended(found, row, about) for row in rows]


_NAMED = ("id", "address", "number", "computed", "hundred", "status", "kind")


def _mended(found: Report, row: Disorder, about: Mapping[int, Json]) -> Json:
    village, half = found.village, found.village.map.halves[row.half]
    changes = []
    for members, free in zip(row.changed, row.numbers, strict=True):
        first = about[int(found.ids[members[0]])]
        why = f"The numbers that stay leave none of its {first['hundred']} block between them."
        others = [about[int(found.ids[m])] for m in members[1:]]
        change: Json = {name: first[name] for name in _NAMED}
        change |= {"to": free, "why_none": "" if free is not None else why}
        changes.append({**change, "with": [{"id": o["id"], "address": o["address"]} for o in others]})
    return {
        "street": village.network.streets[half.street].name,
        "half": half.name,
        "side": _side(village, row.half, even=row.even),
        "parity": "even" if row.even else "odd",
        "numbers": row.size,
        "fewest": len(row.changed),
        "ways": row.ways,
        "possible": None not in row.numbers,
        "text": _ways(row),
        "changes": changes,
    }


def _ways(row: Disorder) -> str:
    count = len(row.changed)
    first = f"{count} of {row.size} numbers would have to change, and no fewer."
    if row.ways == 1:
        return f"{first} No other {'one' if count == 1 else f'{count}'} would do."
    many = f"{row.ways:,}" if row.ways < MOST_WAYS else f"{MOST_WAYS:,} or more"
    return (
        f"{first} There are {many} ways to choose {'it' if count == 1 else 'them'}; of those, these leave the most "
        "numbers that conform, then the most that are only off by units, then those nearest the base line."
    )
