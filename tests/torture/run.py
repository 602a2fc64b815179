"""``./run torture``: kill the server (-9) while it assigns, again and again, and prove that nothing is lost or doubled.

Each time the server is started, clients assign without pause and all of its processes are killed at a random moment,
sometimes while it is still starting. After the restart every request that was not answered is sent again with its key.
At the end the register must hold exactly what the clients were told: every number, none twice, and its log whole. On
PostgreSQL some of the kills also hit a process of the database. 1 where it does not hold.
"""

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import sqlalchemy as sa

from app.db import Database, StorageError
from app.tables import addresses, audit
from app.verify import verify
from tests.conftest import postgres_cluster
from tests.torture.clients import UNANSWERED, Told, assigning
from tests.torture.server import Server

CLIENTS = 6
DATABASES = ("sqlite", "postgresql")
COLD_EVERY = 20
"""Of so many starts one is of the program itself, with one or two workers; the others are forked from it, warm."""
BACKEND_EVERY = 10
"""Of so many kills one hits a process of PostgreSQL too."""


@contextlib.contextmanager
def database_of(kind: str, folder: Path) -> Iterator[str]:
    """The URL of an empty database of a kind, on a PostgreSQL of its own."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'state' / 'register.db'}"
        return
    with postgres_cluster({"fsync": "on"}) as dsn:
        yield dsn


def torture(kind: str, kills: int, folder: Path, seed: int) -> Told:
    """Kill a server `kills` times and prove after each that nothing is lost.

    Parameters
    ----------
    kind
        ``sqlite`` or ``postgresql``.
    kills
        How often.
    folder
        For the village, the register and the log.
    seed
        Of the random moments.

    Returns
    -------
    Told
        What the clients were told.

    Raises
    ------
    AssertionError
        Something was lost, doubled or changed.
    """
    chance, told = random.Random(seed), Told()
    (folder / "state").mkdir(parents=True, exist_ok=True)
    with database_of(kind, folder) as url:
        server = Server(folder, url)
        key = server.command("keys", "add", "torture", "--role", "director").split()[-1]
        database = Database(url, folder / "state")
        try:
            for kill in range(1, kills + 1):
                one_kill(server, database, told, key, chance, kill)
                held(database, told)
                print(f"\r{kind}: {kill} kills, {len(told.assigned)} numbers told", end="", flush=True)
            server.start()
            server.wait()
            resent(server, told, key)
            server.kill()
            proven(database, told)
        finally:
            database.close()
            server.close()
        print(f", {told.refused} refused, {told.unavailable} not served; {server.command('verify').strip()}")
    return told


def one_kill(server: Server, database: Database, told: Told, key: str, chance: random.Random, kill: int) -> None:
    """Start the server, let clients assign, and kill it at a random moment."""
    if kill % COLD_EVERY == 1:
        server.start(workers=chance.choice((1, 2)))
    else:
        server.start(warm=True)
    if chance.random() < 0.1 and kill % BACKEND_EVERY != 3:  # while it starts
        time.sleep(chance.uniform(0.1, 3))
        server.kill()
        return
    server.wait()
    try:
        resent(server, told, key)
        faults: list[Exception] = []
        stop = threading.Event()
        args = (told, server.port, key)
        clients = [
            threading.Thread(target=assigning, args=(*args, f"{kill}-{c}", stop, faults)) for c in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        time.sleep(chance.uniform(0.05, 1.5))
        if not database.is_sqlite and kill % BACKEND_EVERY == 3:
            kill_backend(database)
            time.sleep(1)
    finally:
        server.kill()
    recovered(database)
    stop.set()
    for client in clients:
        client.join()
    if faults:
        raise faults[0]


def kill_backend(database: Database) -> None:
    """Kill a process of PostgreSQL that serves the server: PostgreSQL then restarts itself from its log."""
    asked = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    with database.read() as connection:
        found = list(connection.execute(sa.text(asked + " AND application_name = ''")).scalars())
    database.engine.dispose()
    assert found, "the server has no connection to PostgreSQL"
    os.kill(found[0], signal.SIGKILL)


def recovered(database: Database) -> None:
    """Wait until PostgreSQL has restored itself from its log."""
    for _ in range(600):
        with contextlib.suppress(StorageError), database.read() as connection:
            connection.execute(sa.text("SELECT 1"))
            return
        time.sleep(0.1)
    raise AssertionError("the database does not come back")


def resent(server: Server, told: Told, key: str) -> None:
    """Send what was not answered again, with its key, until it is."""
    for request, body in list(told.unknown.items()):
        for _ in range(100):
            if request not in told.unknown:
                break
            with contextlib.suppress(*UNANSWERED):
                told.ask(server.port, key, request, body)
        assert request not in told.unknown, f"{request} gets no answer"


def held(database: Database, told: Told) -> None:
    """Prove that every number that was told is there."""
    with database.read() as connection:
        rows = connection.execute(sa.select(addresses.c.id, addresses.c.full, addresses.c.status)).all()
    there = {row.id: (row.full, row.status) for row in rows}
    for answer in told.assigned.values():
        expected = (answer["address"], answer["status"])
        assert there.get(answer["id"]) == expected, (
            f"{expected} was told as {answer['id']}, {there.get(answer['id'])} held"
        )


def proven(database: Database, told: Told) -> None:
    """Prove that the register holds what was told and nothing else, each number once, and that its log is whole."""
    assert not told.unknown
    held(database, told)
    with database.read() as connection:
        numbers = connection.execute(sa.select(addresses.c.street_key, addresses.c.half, addresses.c.number)).all()
        doubled = [number for number, count in Counter(map(tuple, numbers)).items() if count > 1]
        assert doubled == []
        assert len(numbers) == len(told.assigned), f"{len(numbers)} addresses, {len(told.assigned)} told"
        assert len({answer["id"] for answer in told.assigned.values()}) == len(told.assigned)
        assert list(verify(connection)) == []
        logged = sa.select(sa.func.count()).where(audit.c.kind == "addresses", audit.c.what == "assign")
        assert connection.execute(logged).scalar_one() == len(numbers)


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="./run torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="of the server, on each database")
    parser.add_argument("--database", choices=DATABASES, help="only this one")
    parser.add_argument("--seed", type=int, default=time.time_ns(), help="of the random moments")
    given = parser.parse_args()
    print(f"seed {given.seed}")
    for kind in [given.database] if given.database else DATABASES:
        with tempfile.TemporaryDirectory(prefix="benton-torture-") as folder:
            try:
                torture(kind, given.kills, Path(folder), given.seed)
            except AssertionError as fault:
                print(f"\ntorture: {fault}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
