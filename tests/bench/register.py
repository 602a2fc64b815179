"""A register of many addresses on the real server: how soon it starts, finds, assigns, compares, adopts, verifies."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import sqlalchemy as sa

from app.archive import write_archive
from app.audit import CONSOLE
from app.db import Database
from app.keeping import ensure_schema
from app.keys import add_key
from app.map_versions import Atlas
from app.schema import revision
from app.settings import Settings
from app.tables import addresses
from app.verify import verify
from tests.bench.previews import SERVE, served
from tests.bench.report import BenchError, Limit, shown
from tests.bench.town import SEED, Town, entrances, fill, right, typed, write_town

START_S, SEARCH_S, ASSIGN_S = 10.0, 0.020, 0.050
LEAST_RIGHT = 0.99
"""So many of the texts with a typo must find the address meant."""
DAY = "2026-06-01"

Json = dict[str, Any]


@dataclass(frozen=True)
class Times:
    """How long one thing took: on the clock, without waiting for a processor that others had, and on a processor."""

    wall_s: float
    own_s: float
    cpu_s: float


@dataclass(frozen=True)
class Timed:
    """One thing done several times."""

    name: str
    times: Sequence[Times]
    most_s: float | None = None

    @property
    def limits(self) -> list[Limit]:
        """What is held to: the median, and where it was done often the time that 95 of 100 keep."""
        if self.most_s is None:
            return []
        own = [one.own_s for one in self.times]
        middle = [Limit(f"{self.name}, median", median(own), self.most_s)]
        return middle + ([Limit(f"{self.name}, 95 of 100", late(own), self.most_s)] if len(own) >= 20 else [])

    def __str__(self) -> str:
        columns = ([getattr(one, name) for one in self.times] for name in ("own_s", "wall_s", "cpu_s"))
        told = "".join(f"{shown(of(times)):>11}" for times in columns for of in (median, late))
        kept = "pass" if all(limit.kept for limit in self.limits) else "FAIL"
        limit = "" if self.most_s is None else f"{shown(self.most_s):>11}  {kept}"
        return f"  {self.name:34}{len(self.times):>5}{told}{limit}"


def late(times: Sequence[float]) -> float:
    """Return the time that 95 of 100 do not exceed."""
    return float(np.percentile(times, 95))


class Stopwatch:
    """Times what a process does."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.clock = ~pid << 3 | 2  # the process's own CPU clock, as clock_getcpuclockid(3) makes it
        self.waited, self.cpu, self.began = self._waited(), self._cpu(), time.perf_counter()

    def stop(self) -> Times:
        """Return the times since it was made."""
        wall = time.perf_counter() - self.began
        cpu = self._cpu() - self.cpu
        return Times(wall, max(wall - (self._waited() - self.waited), cpu), cpu)

    def _cpu(self) -> float:
        return time.clock_gettime(self.clock)

    def _waited(self) -> float:
        """Return how long its threads stood ready and had no processor, seconds: the kernel counts it."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[1]) for task in tasks) / 1e9


class Server:
    """The server under measurement, asked over one connection kept open."""

    def __init__(self, port: int, pid: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.pid = pid

    def ask(self, method: str, path: str, body: Any = None, *, public: bool = False) -> tuple[int, bytes, Times]:
        """Return the status, the answer, and how long it took."""
        data = None if body is None else json.dumps(body).encode()
        watch = Stopwatch(self.pid)
        self.connection.request(method, path, data, {} if public else self.headers)
        response = self.connection.getresponse()
        content = response.read()
        return response.status, content, watch.stop()

    def timed(
        self,
        name: str,
        asked: Sequence[tuple[str, str, Any]],
        check: Callable[[int, int, bytes], None],
        most_s: float | None = None,
        *,
        public: bool = False,
    ) -> Timed:
        """Ask everything once, check every answer by its place, and give the times."""
        times = []
        for k, one in enumerate(asked):
            status, content, took = self.ask(*one, public=public)
            check(k, status, content)
            times.append(took)
        return Timed(name, times, most_s)


# --- the whole ---


def register(count: int, streets: int, blocks: int, asked: int) -> list[Limit]:
    """Make a register of `count` addresses, measure, check, print; returns what is held to a limit.

    Parameters
    ----------
    count
        Addresses in the register before.
    streets, blocks
        The town: grid lines each way, blocks of a street.
    asked
        How often it is searched and assigned.
    """
    with tempfile.TemporaryDirectory(prefix="benton-bench-") as folder:
        state, data = Path(folder, "state"), Path(folder, "town")
        write_town(data, streets, blocks)
        environment = {"BENTON_STATE_DIR": str(state), "BENTON_DATA_DIR": str(data)}
        settings = Settings(state_dir=state, data_dir=data)
        began = time.perf_counter()
        with contextlib.closing(Database(settings.database, state)) as database:
            town, key = made(database, data, count)
            _begin(database, town, count, time.perf_counter() - began, Path(folder))
        measured = []
        for timed in _served(environment, town, key, count, asked, Path(folder)):
            measured.append(timed)
            print(timed, flush=True)
        with contextlib.closing(Database(settings.database, state)) as database:
            _check_unique(database, count + asked + asked // 4)
            print(_once("verify", lambda: _whole(database)), flush=True)
            print(_once("backup", lambda: write_archive(database, Path(folder, "backup.zip"))), flush=True)
    return [limit for timed in measured for limit in timed.limits]


def made(database: Database, data: Path, count: int) -> tuple[Town, str]:
    """Make the register in an empty database; gives the town and an officer's key."""
    if database.is_sqlite and database.file.exists():
        raise BenchError(f"{database.file} is there: the benchmark fills no register that is in use")
    with database.read() as connection:
        if revision(connection) is not None:
            raise BenchError("BENTON_DATABASE_URL holds a register: the benchmark wants an empty database")
    ensure_schema(database)
    atlas = Atlas(database, data)
    atlas.ensure()
    key = add_key(database, CONSOLE, "the bench", ["director", "clerk", "admin"])[1]
    town = entrances(atlas.village, count + count // 4)
    fill(database, town, count)
    with database.engine.connect() as connection:  # as its own housekeeping does after so many writes
        connection.execution_options(isolation_level="AUTOCOMMIT")
        if not database.is_sqlite:
            connection.execute(sa.text("VACUUM ANALYZE"))
    return town, key


def _served(
    environment: Mapping[str, str], town: Town, key: str, count: int, asked: int, folder: Path
) -> Iterator[Timed]:
    rng = np.random.default_rng(SEED + 2)
    held = rng.choice(town.first[:count], asked, replace=False).tolist()
    starts = [_start(environment, folder) for _ in range(3)]
    yield Timed("start to the first answer", starts, START_S)
    with served(SERVE, folder / "log.txt", environment) as (port, pid):
        server = Server(port, pid, key)
        yield from _found(server, town, held, rng)
        yield from _assigned(server, town, count, asked)
        yield from _pages(server, held)
        yield from _maps(server, Path(environment["BENTON_DATA_DIR"]), count)


def _start(environment: Mapping[str, str], folder: Path) -> Times:
    """Start the server, and time it to its first answer."""
    began = time.perf_counter()
    with served(SERVE, folder / "log.txt", environment) as (_, pid):
        wall, sums = time.perf_counter() - began, Stopwatch(pid)
        return Times(wall, max(wall - sums.waited, sums.cpu), sums.cpu)


def _once(name: str, do: Callable[[], object]) -> Timed:
    watch = Stopwatch(os.getpid())
    do()
    return Timed(name, [watch.stop()])


def _whole(database: Database) -> None:
    with database.read() as connection:
        broken = list(verify(connection))
    if broken:
        raise BenchError(f"the register is broken: {broken[:3]}")


# --- found, assigned, shown ---


def _found(server: Server, town: Town, held: Sequence[int], rng: np.random.Generator) -> Iterator[Timed]:
    texts = [typed(town, k, rng) for k in held]
    wrong: list[str] = []

    def check(k: int, status: int, content: bytes) -> None:
        items = json.loads(content)["items"] if status == 200 else []
        if not right(town, held[k], items):
            wrong.append(f"{texts[k]!r} is {town.place(held[k])}, found {items[0]['address'] if items else status}")

    lists = [("GET", f"/api/v1/addresses?q={urllib.parse.quote(text)}", None) for text in texts]
    server.timed("", lists[:5], lambda *_: None)
    yield server.timed("search with a typo", lists, check, SEARCH_S, public=True)
    if len(wrong) > (1 - LEAST_RIGHT) * len(texts):
        raise BenchError(f"{len(wrong)} of {len(texts)} searches found another address: {wrong[:3]}")
    print(f"    {len(texts) - len(wrong)} of {len(texts)} typos, such as {texts[0]!r}, found the address meant.")
    numbers = [("GET", f"/api/v1/addresses?q={town.place(k)[2]}", None) for k in held[: max(len(held) // 4, 1)]]
    yield server.timed("search for a number alone", numbers, _fine, public=True)


def _fine(k: int, status: int, content: bytes) -> None:
    if status not in {200, 201}:
        raise BenchError(f"request {k} was answered {status}: {content[:300].decode(errors='replace')}")


def _assigned(server: Server, town: Town, count: int, asked: int) -> Iterator[Timed]:
    """Assign free numbers, and numbers that are held."""
    for name, doors, free in (
        ("assign a free number", town.first[count : count + asked], True),
        ("assign where the number is held", town.again[: asked // 4], False),
    ):

        def check(k: int, status: int, content: bytes, doors: Sequence[int] = doors, free: bool = free) -> None:
            _fine(k, status, content)
            street, half, computed = town.place(doors[k])
            answer = json.loads(content)
            if (answer["street"], answer["half"], answer["computed_number"]) != (street, half, computed):
                raise BenchError(f"{street} {half} {computed} was asked for, and {answer['address']} was made")
            if (answer["number"] == computed) != free:
                raise BenchError(f"{computed} is {'free' if free else 'held'}, and {answer['address']} was made")

        bodies = [("POST", "/api/v1/addresses", _body(town, k, lot=free)) for k in doors]
        yield server.timed(name, bodies, check, ASSIGN_S)


def _check_unique(database: Database, expected: int) -> None:
    with database.read() as connection:
        numbered = (addresses.c.street_key, addresses.c.half, addresses.c.number)
        twice = sa.select(*numbered).group_by(*numbered).having(sa.func.count() > 1)
        total = connection.execute(sa.select(sa.func.count()).select_from(addresses)).scalar_one()
        if connection.execute(twice).first() or total != expected:
            raise BenchError("two addresses have one number, or one is missing")


def _body(town: Town, k: int, *, lot: bool) -> Json:
    """Return what is asked for; with its lot a building whose number is held may have no other."""
    wanted = asdict(town.wanted(k))
    return {name: wanted[name] for name in ("x", "y", "street", "building", *(["lot"] if lot else []))}


def _pages(server: Server, held: Sequence[int]) -> Iterator[Timed]:
    some = range(1, len(held) // 4 + 2)
    yield server.timed("page of the list", [("GET", "/addresses", None) for _ in some], _fine, public=True)
    yield server.timed("page of an address", [("GET", f"/addresses/{k}", None) for k in some], _fine, public=True)


# --- maps ---


def _maps(server: Server, data: Path, count: int) -> Iterator[Timed]:
    """Compare and adopt the map, then one on which a street is longer at its start, so that its numbers differ."""
    yield from _adopted(server, 1, count)
    file = data / "streets.geojson"
    content = json.loads(file.read_bytes())
    line = content["features"][-1]["geometry"]["coordinates"]
    line[0] = [2 * a - b for a, b in zip(line[0], line[1], strict=True)]
    file.write_text(json.dumps(content))
    yield server.timed("propose a map", [("POST", "/api/v1/maps", {"reason": "a street goes on"})], _fine)
    yield from _adopted(server, 2, 0)


def _adopted(server: Server, version: int, official: int) -> Iterator[Timed]:
    """Compare a version and adopt it; so many numbers become official at least."""
    differing: list[int] = []

    def compared(k: int, status: int, content: bytes) -> None:
        _fine(k, status, content)
        counts = json.loads(content)["counts"]
        differing.append(counts["official"] + counts["provisional"])

    def adopted(k: int, status: int, content: bytes) -> None:
        _fine(k, status, content)
        answer = json.loads(content)
        if answer["official"] < official or abs(len(answer["differ"]) - differing[0]) > differing[0] // 10:
            raise BenchError(f"{answer['official']} became official, {len(answer['differ'])} differ, not {differing}")

    act = {"date": DAY, "act": "Resolution 2026-14"}
    yield server.timed(f"diff of version {version}", [("GET", f"/api/v1/maps/{version}/diff", None)], compared)
    yield server.timed(f"adopt version {version}", [("POST", f"/api/v1/maps/{version}/adopt", act)], adopted)


# --- told ---


def _begin(database: Database, town: Town, count: int, made_s: float, folder: Path) -> None:
    """Print what was made, and the head of the table."""
    kind = f"SQLite, {database.file.stat().st_size / 1e6:,.0f} MB" if database.is_sqlite else "PostgreSQL"
    streets, rows = len(town.village.network.by_name), len(town.village.map.rows)
    print(f"\nA register of {count:,} addresses, {streets} streets, {rows:,} blocks, made in {shown(made_s)}; {kind}")
    print(f"  A write of 4 kB to this disk takes {shown(_fsync_s(folder))} with fsync.")
    print("  Without waiting for a processor that others had; on the clock; of the server's processor.")
    heads = (*("median", "95 of 100") * 3, "limit")
    print(f"  {'':34}{'times':>5}" + "".join(f"{head:>11}" for head in heads), flush=True)


def _fsync_s(folder: Path) -> float:
    times = []
    with open(folder / "fsync", "wb") as file:
        for _ in range(20):
            began = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - began)
    return median(times)
