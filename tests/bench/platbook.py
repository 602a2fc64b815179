"""A plat book of 60 streets with numbers and lots, and the audit of a large town's numbers: how long each takes."""

from __future__ import annotations

import os
import resource
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from pypdf import PdfReader

from app.db import Database
from app.existing import report
from app.keeping import ensure_schema
from app.map_versions import Atlas
from app.plat_book import book
from app.plat_page import plat_pdf
from app.settings import Settings
from app.tables import imports, lots
from tests.bench.register import Stopwatch
from tests.bench.report import BenchError, Limit, shown
from tests.bench.town import Town, entrances, fill, write_town

MOST_BOOK_S, MOST_AUDIT_S = 10.0, 15.0
DAY = "2026-06-01"


def platbook(streets: int, numbers: int, lots_count: int, audited: int) -> list[Limit]:
    """Draw a book of so many streets, numbers and lots, and audit a register of so many numbers."""
    with tempfile.TemporaryDirectory(prefix="benton-bench-") as folder:
        made = _drawn(Path(folder) / "book", streets, numbers, lots_count)
        return [*made, _audited(Path(folder) / "audit", audited)]


def _town(folder: Path, lines: int, blocks: int) -> tuple[Database, Atlas]:
    folder.mkdir()
    write_town(folder / "town", lines, blocks)
    settings = Settings(data_dir=folder / "town", state_dir=folder / "state", law_date=DAY)
    database = Database(settings.database, settings.state_dir)
    ensure_schema(database)
    atlas = Atlas(database, settings.data_dir, settings.law_date)
    atlas.ensure()
    return database, atlas


def _drawn(folder: Path, streets: int, numbers: int, lots_count: int) -> list[Limit]:
    lines = max(streets // 4 + 1, 3)  # cut in two they are as many streets, and some
    database, atlas = _town(folder, lines, lines // 2)
    with closing(database):
        town = entrances(atlas.village, numbers)
        fill(database, town, numbers)
        _add_lots(database, town, lots_count)
        with database.read() as connection:
            watch = Stopwatch(os.getpid())
            found = book(atlas, connection)
            pdf = plat_pdf(found)
            spent = watch.stop()
    told = sum(len(s.given) for s in found.streets)
    pages = len(PdfReader(BytesIO(pdf)).pages)
    drawn = len(found.streets)
    if drawn < streets or told != numbers or not any(s.lots for s in found.streets):
        raise BenchError(f"the book has {drawn} streets and {told} numbers, not {streets} and {numbers}")
    print(f"\nA plat book of {drawn} streets, {numbers:,} numbers and {lots_count:,} lots: {pages} pages, "
          f"{len(pdf) / 1e6:.1f} MB")  # fmt: skip
    print(f"  {shown(spent.own_s)} without waiting for a processor that others had, {shown(spent.wall_s)} on the clock")
    return [Limit(f"a plat book of {streets} streets", spent.own_s, MOST_BOOK_S)]


def _add_lots(database: Database, town: Town, count: int) -> None:
    """Put a lot of 50 ft by 120 ft before each of so many entrances."""
    now = datetime(2026, 6, 1, tzinfo=UTC)
    about: dict[str, Any] = {"kind": "lots", "file": "lots", "sha256": "0" * 64, "layer": "", "crs": "", "mapping": {}}
    about |= {"source": "", "rows": count, "report": {}, "reason": "", "made_at": now, "made_by": "The bench"}
    rows = []
    for k in town.first[:count]:
        door = town.doors.at(k)
        away = np.array([door.x - door.foot_x, door.y - door.foot_y])
        away /= np.hypot(*away)
        aside = np.array([-away[1], away[0]]) * 25
        near, far = (np.array([door.foot_x, door.foot_y]) + away * ft for ft in (33, 153))
        ring = [(p).round(3).tolist() for p in (near - aside, far - aside, far + aside, near + aside, near - aside)]
        x, y = zip(*ring, strict=True)
        box = {"west_ft": min(x), "south_ft": min(y), "east_ft": max(x), "north_ft": max(y)}
        shape = {"type": "Polygon", "coordinates": [ring]}
        rows.append({"parcel": f"L-{k}", "shape": shape, **box, "import_id": 1, "made_at": now, "made_by": "The bench"})
    with database.write() as connection:
        connection.execute(sa.insert(imports), about)
        connection.execute(sa.insert(lots), rows)


def _audited(folder: Path, count: int) -> Limit:
    database, atlas = _town(folder, 40 if count > 5_000 else 10, 6)
    with closing(database):
        town = entrances(atlas.village, count)
        fill(database, town, count)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with database.read() as connection:
            watch = Stopwatch(os.getpid())
            found = report(atlas, connection)
            spent = watch.stop()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    if found.counts["conforming"] != count:
        raise BenchError(f"{found.counts} of {count} numbers that the service gave")
    print(f"\nThe audit of {count:,} numbers: {shown(spent.own_s)}, {grown:.0f} MB more at most; all conform")
    return Limit(f"the audit of {count:,} numbers", spent.own_s, MOST_AUDIT_S)
