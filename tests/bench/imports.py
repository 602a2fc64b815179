"""Bringing in a town's existing addresses from the command line: seconds, the longest others wait, and peak memory."""

from __future__ import annotations

import csv
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from app.db import Database
from app.map_versions import Atlas
from app.schema import ensure_schema
from app.tables import addresses, locations
from app.verify import verify
from tests.bench.report import BenchError, Limit, shown
from tests.bench.town import CRS, Town, entrances, write_town

MOST_MB = 500.0
WAIT_S = 10.0
"""The longest that an import may keep other writers waiting."""


class Room(Limit):
    """Memory that an import holds to."""

    def __str__(self) -> str:
        return f"{'kept  ' if self.kept else 'MISSED'} {self.name}: {self.found_s:,.0f} MB, under {self.most_s:,.0f} MB"


def imports(count: int, streets: int, blocks: int) -> list[Limit]:
    """Bring in `count` addresses, and see that every one is there as the file has it."""
    with _place() as (database, data):
        write_town(data, streets, blocks)
        ensure_schema(database)
        atlas = Atlas(database, data)
        atlas.ensure()
        town = entrances(atlas.village, count)
        file = data / "existing.csv"
        _write(file, town, town.first[:count])
        took, peak_mb, wait_s = _run(database, data, file)
        _check(database, town, count)
        with database.read() as connection:
            broken = next(verify(connection), None)
        if broken:
            raise BenchError(f"the register is broken: {broken}")
        print(
            f"\n{count:,} existing addresses from CSV in {shown(took)}, {count / took:,.0f} a second, {peak_mb:,.0f} MB"
        )
        print(
            f"  {count:,} of {count:,} are in the register, each with its number, half, place and standing.", flush=True
        )
    return [Limit("import, others' writes wait", wait_s, WAIT_S), Room("import, peak memory", peak_mb, MOST_MB)]


@contextmanager
def _place() -> Iterator[tuple[Database, Path]]:
    """Make an empty register: in the database that BENTON_DATABASE_URL names, or in SQLite."""
    with tempfile.TemporaryDirectory(prefix="benton-bench-") as folder:
        state = Path(folder, "state")
        url = os.environ.get("BENTON_DATABASE_URL") or f"sqlite:///{state / 'register.db'}"
        with closing(Database(url, state)) as database:
            yield database, Path(folder, "town")


def _write(file: Path, town: Town, chosen: Sequence[int]) -> None:
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["OBJECTID", "HOUSENO", "PREDIR", "ST_NAME", "POINT_X", "POINT_Y", "OWNER"])
        for k in chosen:
            street, half, found = town.place(k)
            door = town.doors.at(k)
            writer.writerow([k, found, half[0], street.upper(), round(door.x, 3), round(door.y, 3), f"Owner {k}"])


def _run(database: Database, data: Path, file: Path) -> tuple[float, float, float]:
    """Run the command while another writes all the time; returns seconds, megabytes, and the other's longest wait."""
    program = str(Path(sys.executable).with_name("benton-streets"))
    own = {"BENTON_STATE_DIR": str(database.file.parent), "BENTON_DATA_DIR": str(data)}
    own["BENTON_DATABASE_URL"] = database.url.render_as_string(hide_password=False)
    began = time.perf_counter()
    with _another(database) as waits:
        command = [program, "import", "addresses", str(file), "--crs", CRS]
        child = os.posix_spawn(program, command, {**os.environ, **own})
        _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status):
        raise BenchError(f"the import ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - began, used.ru_maxrss / 1024, max(waits, default=0.0)


@contextmanager
def _another(database: Database) -> Iterator[list[float]]:
    """Let somebody else take a writer's turn again and again, and note how long each waits."""
    waits: list[float] = []
    over = threading.Event()

    def write() -> None:
        while not over.wait(0.1):
            began = time.perf_counter()
            with database.write():
                waits.append(time.perf_counter() - began)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield waits
    finally:
        over.set()
        thread.join()


def _check(database: Database, town: Town, count: int) -> None:
    """Check every address against the town."""
    expected = {town.place(k): town.doors.at(k) for k in town.first[:count]}
    asked = sa.select(addresses.c.street, addresses.c.half, addresses.c.number, addresses.c.status,
                      addresses.c.conforms, locations.c.x_ft, locations.c.y_ft).join(locations)  # fmt: skip
    with database.read() as connection:
        rows = connection.execute(asked).all()
    for street, half, found, status, conforms, x, y in rows:
        door = expected.pop((street, half, found), None)
        if door is None or status != "official" or not conforms or abs(x - door.x) + abs(y - door.y) > 0.01:
            raise BenchError(f"{found} {half} {street} ({status}) is not as the file has it")
    if expected:
        raise BenchError(f"{len(expected)} addresses are missing, such as {next(iter(expected))}")
