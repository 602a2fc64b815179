"""Whose ground the lots of a file are on: what earlier files have there, and lots of one file that overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import shapely
import sqlalchemy as sa
from shapely import Polygon
from sqlalchemy.engine import Connection

from app.import_cells import MOST_NAMED
from app.import_report import Report
from app.lots import as_polygon
from app.tables import buildings, lots

TABLES: Mapping[str, sa.Table] = {"lots": lots, "buildings": buildings}
LABELS = {"lots": "parcel", "buildings": "code"}
"""The column by which each is known."""
MOST_SHARE = 0.5
"""A shape of which more than this part lies under those of a newer file is theirs."""
SLIVER_FT = 3.0
"""Two lots that share a strip narrower than this, on the mean, are drawn a little apart from their line."""


def check_ground(
    connection: Connection,
    kind: str,
    rows: Sequence[int],
    labels: Sequence[str],
    shapes: Sequence[Polygon],
    report: Report,
) -> frozenset[int]:
    """Say what earlier files have that a newer one covers or lacks, and which of its lots overlap.

    Parameters
    ----------
    connection
        To the register, read only.
    kind
        lots or buildings.
    rows, labels, shapes
        Row, parcel or code, and shape of each of the file's, working CRS, US survey feet.
    report
        Takes the warnings.

    Returns
    -------
    frozenset of int
        Ids of those that stand and are to be retired: shapes of the file cover more than half of each.
    """
    if kind == "lots":
        _warn_overlaps(rows, labels, shapes, report)
    found = covered(connection, kind, labels, shapes)
    table, label = TABLES[kind], LABELS[kind]
    one = label if kind == "lots" else "building"
    for row_id, (name, by) in found.items():
        first = min(by, key=lambda k: rows[k])
        over = _told([labels[k] for k in by])
        words = f"retired with this import: {over} cover more than half of its ground"
        report.warn(rows[first], label, f"{one} {name or row_id} of an earlier file", words)
    given = frozenset(labels)
    asked = sa.select(table.c.id, table.c[label]).where(table.c.retired_at.is_(None)).order_by(table.c.id)
    left = [row[1] for row in connection.execute(asked) if row[1] not in given and row[0] not in found]
    if left:
        names = list(dict.fromkeys(left))
        words = f"{len(names):,} {one}{'' if len(names) == 1 else 's'} of earlier files that this file has not"
        report.warn(0, label, words, f"still standing: {_told(names)}")
    return frozenset(found)


def covered(
    connection: Connection, kind: str, labels: Sequence[str], shapes: Sequence[Polygon]
) -> dict[int, tuple[str, list[int]]]:
    """Find what stands under other labels and is covered by shapes for more than half.

    Parameters
    ----------
    connection
        To the register.
    kind
        lots or buildings.
    labels, shapes
        Of the newer file, working CRS, US survey feet.

    Returns
    -------
    dict
        By the id of each its label, and the places of the shapes that cover it.
    """
    if not len(shapes):
        return {}
    table, label = TABLES[kind], LABELS[kind]
    tree, given = shapely.STRtree(shapes), frozenset(labels)
    west, south, east, north = shapely.total_bounds(shapes).tolist()
    near = (table.c.west_ft <= east, table.c.east_ft >= west, table.c.south_ft <= north, table.c.north_ft >= south)
    asked = sa.select(table.c.id, table.c[label], table.c.shape).where(table.c.retired_at.is_(None), *near)
    found: dict[int, tuple[str, list[int]]] = {}
    for row_id, name, outline in connection.execute(asked.order_by(table.c.id)):
        if name in given:
            continue
        own = as_polygon(outline)
        over = sorted(tree.query(own, predicate="intersects").tolist())
        shared = {k: shapely.intersection(own, shapes[k]) for k in over}
        if shared and shapely.union_all(list(shared.values())).area > MOST_SHARE * own.area:
            found[row_id] = name, [k for k, part in shared.items() if part.area > 0]
    return found


def _warn_overlaps(rows: Sequence[int], labels: Sequence[str], shapes: Sequence[Polygon], report: Report) -> None:
    if not len(shapes):
        return
    pairs = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    first, second = pairs[:, pairs[0] < pairs[1]]
    if not len(first):
        return
    known = np.asarray(shapes, dtype=object)
    shared = shapely.intersection(known[first], known[second])
    areas, round_ft = shapely.area(shared), shapely.length(shared)
    wide = 2 * areas > SLIVER_FT * round_ft
    for a, b, area in sorted(zip(first[wide].tolist(), second[wide].tolist(), areas[wide].tolist(), strict=True)):
        if rows[a] == rows[b]:
            continue
        both = f"{report.name(rows[a])} and {report.name(rows[b])}"
        words = f"{labels[b]} and {labels[a]} overlap by {area:,.0f} sq ft"
        report.warn(rows[b], "geometry", words, f"both are brought in; each lot its own ground: {both}")


def _told(names: Sequence[str]) -> str:
    some = [name or "one without a code" for name in dict.fromkeys(names)]
    more = f" and {len(some) - MOST_NAMED:,} more" if len(some) > MOST_NAMED else ""
    return ", ".join(some[:MOST_NAMED]) + more
