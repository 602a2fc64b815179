"""The plat book of § 288-15 I: every street with its blocks, numbers, lots and findings, gathered from the register."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from shapely import Polygon
from sqlalchemy.engine import Connection

from app import registers
from app.existing import Report, report
from app.map_versions import Atlas
from app.maps import marks, own_findings
from app.plat_marks import Given, LotFront, Strip
from app.plat_strip import strips
from app.tables import addresses, audit, lots
from app.village import StreetSummary, Village
from gis.blocks import Row
from gis.errors import GeometryError
from gis.existing import UNPLACEABLE
from gis.lots import embraced

LAW = (
    "For the purpose of facilitating a correct numbering, a plat book of all streets, avenues and public highways "
    "within the Village showing the proper numbers of all lots or houses fronting upon all streets, avenues, or "
    "highways shall be kept on file in the office of the Village Clerk-Treasurer. These plats shall be open to "
    "inspection of all persons during office hours of the Village Clerk-Treasurer."
)
"""§ 288-15 I, unaltered."""
Json = dict[str, Any]


@dataclass(frozen=True)
class Street:
    """One street of the plat book.

    Parameters
    ----------
    about
        What the list of streets says of it.
    base_lines
        The base lines it is numbered from.
    rows
        Its blocks, by half outward.
    given
        The numbers in use on it, by half, side and station.
    unplaced
        Those of them that have no place on its row.
    lots
        The frontages of the lots on it, by half, side and station.
    strips
        It straightened, to scale.
    findings
        What is doubtful: where, and the finding.
    """

    about: StreetSummary
    base_lines: tuple[str, ...]
    rows: tuple[Row, ...]
    given: tuple[Given, ...]
    unplaced: tuple[Given, ...]
    lots: tuple[LotFront, ...]
    strips: tuple[Strip, ...]
    findings: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, eq=False)
class Book:
    """The plat book of a state of the register.

    Parameters
    ----------
    village
        The village under the map in force.
    head, as_of
        The audit's head, and when its last entry was made; None where there is none.
    streets
        By name.
    elsewhere
        Numbers in use on streets that the map does not have.
    counts
        How many numbers are in use, by status.
    lots
        How many lots the register has, and how many of them front on no street.
    unread
        Parcels whose outline cannot be read.
    """

    village: Village
    head: str
    as_of: datetime | None
    streets: tuple[Street, ...]
    elsewhere: tuple[Given, ...]
    counts: Mapping[str, int]
    lots: tuple[int, int]
    unread: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """The book's own number: the map's version and the head it was made at."""
        version = self.village.edition.version if self.village.edition else 0
        return f"PB-{version}-{self.head[:12]}"


def book(atlas: Atlas, connection: Connection, names: Iterable[str] = ()) -> Book:
    """Gather the plat book, or the pages of some streets.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        To the register.
    names
        Official names of streets; none for all.

    Returns
    -------
    Book
        Without a name of any owner: the register's numbers, places and lots only. The whole is kept for as long as the
        register and the map in force are the same.
    """
    found, wanted = report(atlas, connection), tuple(names)
    whole = next((one for one in _BOOKS if one.village is found.village and one.head == found.head), None)
    if whole is None:
        whole = _gathered(connection, found, wanted)
        _BOOKS[:] = _BOOKS if wanted else [whole]
    return replace(whole, streets=tuple(s for s in whole.streets if not wanted or s.about.name in wanted))


_BOOKS: list[Book] = []


def _gathered(connection: Connection, found: Report, names: Sequence[str]) -> Book:
    village = found.village
    wanted = names or [street.name for street in village.streets]
    by_street, elsewhere = _given(connection, found)
    fronts, counted, unread = _fronts(connection, village, names[0] if len(names) == 1 else None)
    summaries = {street.name: street for street in village.streets}
    made = tuple(_street(village, summaries[n], by_street.get(n, ()), fronts.get(n, ())) for n in wanted)
    counts = sa.select(addresses.c.status, sa.func.count()).where(registers.IS_ACTIVE).group_by(addresses.c.status)
    known = {status: int(count) for status, count in connection.execute(counts)}
    last = connection.execute(sa.select(audit.c.at).order_by(audit.c.seq.desc()).limit(1)).scalar_one_or_none()
    return Book(village, found.head, last, made, tuple(elsewhere), known, counted, tuple(unread))


def _street(village: Village, about: StreetSummary, given: Sequence[Given], fronts: Sequence[LotFront]) -> Street:
    net, rows = village.network, village.rows_of(about.name)
    place = lambda one: (one.half, one.even, one.station_ft)  # noqa: E731
    placed = sorted((g for g in given if g.half >= 0), key=place)
    lots = sorted((_with_given(f, placed) for f in fronts), key=lambda f: (f.half, f.even, f.from_ft))
    halves = [half for half in village.map.halves if net.streets[half.street].name == about.name]
    findings = [(f"{half.name} half", f) for half in halves for f in half.findings]
    numbered = {id(mark.row): f"Finding {mark.number}. " for mark in marks(village)}
    findings += [
        (f"{numbered.get(id(row), '')}{row.side}, {row.hundred} block", f)
        for row in rows
        for f in own_findings(village, row)
    ]
    return Street(
        about=about,
        base_lines=tuple(net.base_name(family) for family in about.family),
        rows=rows,
        given=tuple(placed),
        unplaced=tuple(g for g in given if g.half < 0),
        lots=tuple(lots),
        strips=tuple(strips(village, rows, placed, lots)),
        findings=tuple(findings),
    )


def _with_given(front: LotFront, given: Sequence[Given]) -> LotFront:
    """Say which numbers in use stand on a lot's frontage."""
    here = (g.text for g in given if (g.half, g.even) == (front.half, front.even)
            and front.from_ft <= g.station_ft < front.to_ft)  # fmt: skip
    return LotFront(**{**front.__dict__, "given": tuple(here)})


# --- numbers in use ---


def _given(connection: Connection, found: Report) -> tuple[dict[str, list[Given]], list[Given]]:
    """Return the numbers in use by the street they stand on, and those of streets that are not in the map."""
    village, door, placed = found.village, found.doors, found.judged.kind != UNPLACEABLE
    at = {int(i): k for k, i in enumerate(found.ids.tolist())}
    named = ("id", "street", "half", "number_prefix", "number", "fraction", "suffix", "unit", "full", "status")
    asked = sa.select(*(addresses.c[name] for name in named)).where(registers.IS_ACTIVE)
    by_street, elsewhere = defaultdict[str, list[Given]](list), list[Given]()
    for row in connection.execute(asked):
        k = at[row.id]
        stands = bool(placed[k]) and door.half[k] >= 0
        half, even = (int(door.half[k]) if stands else -1), bool(door.even[k])
        other = stands and village.map.halves[half].name != row.half
        text = _written(row, row.half[:1] if other else "")
        one = Given(row.id, text, row.full, row.status, half, even, float(door.station[k]))
        known = found.on_street[k] >= 0
        (by_street[village.frontages.names[found.on_street[k]]] if known else elsewhere).append(one)
    return by_street, elsewhere


def _written(row: Any, half: str) -> str:
    """Write a number as it stands on a strip: with its half where that is another than the one it stands on."""
    fraction, unit = (f" {row.fraction}" if row.fraction else ""), (f" #{row.unit}" if row.unit else "")
    return f"{row.number_prefix}{row.number}{fraction}{row.suffix}{unit}" + (f" {half}" if half else "")


# --- lots ---

_Fronts = dict[str, list[LotFront]]
_MAKING = threading.Lock()
_KEPT: list[tuple[Any, tuple[_Fronts, tuple[int, int], list[str]]]] = []


def _fronts(connection: Connection, village: Village, name: str | None) -> tuple[_Fronts, tuple[int, int], list[str]]:
    """Return the frontages of lots by street, how many lots there are and front on none, and those not readable.

    Those of all streets are kept for the next book until a lot or the map changes.
    """
    standing = lots.c.retired_at.is_(None)
    if name is not None:
        box = _box(village, name)
        inside = (
            lots.c.west_ft <= box[2],
            lots.c.east_ft >= box[0],
            lots.c.south_ft <= box[3],
            lots.c.north_ft >= box[1],
        )
        return _fronts_of(village, registers.rows(connection, lots, standing, *inside), name)
    state = tuple(connection.execute(sa.select(sa.func.max(lots.c.id), sa.func.count(lots.c.retired_at))).one())
    with _MAKING:
        known = next((made for (of, at), made in _KEPT if of is village and at == state), None)
        if known is None:
            known = _fronts_of(village, registers.rows(connection, lots, standing), None)
            _KEPT[:] = [((village, state), known), *_KEPT[:1]]
    return known


def _box(village: Village, name: str) -> tuple[float, float, float, float]:
    reach = village.network.reading.frontage_reach_ft
    boxes = np.array([piece.line.bounds for piece in village.network.pieces if piece.name == name])
    (west, south), (east, north) = boxes[:, :2].min(axis=0) - reach, boxes[:, 2:].max(axis=0) + reach
    return float(west), float(south), float(east), float(north)


def _fronts_of(
    village: Village, rows: Sequence[registers.Row], name: str | None
) -> tuple[_Fronts, tuple[int, int], list[str]]:
    found, unread, none = defaultdict[str, list[LotFront]](list), list[str](), 0
    locator, reach = village.frontages.locator, village.network.reading.frontage_reach_ft
    for row in rows:
        try:
            lot = _polygons(row["shape"])
            near = {
                int(locator.name_of[k]) for part in lot for k in locator.tree.query(part, "dwithin", reach).tolist()
            }
            near &= {village.street_id(name)} if name is not None else near
            fronts = [
                one for part in lot for street in sorted(near) for one in embraced(village.frontages, part, street)
            ]
        except (GeometryError, ValueError, TypeError, KeyError):
            unread.append(row["parcel"])
            continue
        none += not fronts
        for one in fronts:
            f = one.frontage
            made = LotFront(row["parcel"], f.half, f.even, f.from_ft, f.to_ft, one.numbers, one.shared)
            found[f.street].append(made)
    return dict(found), (len(rows), none), unread


def _polygons(shape: Json) -> list[Polygon]:
    """Return the parts of a lot that is kept as GeoJSON in the working CRS."""
    parts = [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]
    return [Polygon(rings[0], rings[1:]) for rings in parts]
