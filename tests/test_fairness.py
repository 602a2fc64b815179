"""Writers take turns: nobody gets a number twice, and no worker starves another."""

import http.client
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.audit import breaks
from app.db import Database
from app.settings import Settings
from app.tables import addresses, audit
from app.verify import verify
from tests.others import LASTS_S, OTHERS, THREADS, keep_writing
from tests.torture.server import APART_FT, Server, encoded, headers

CLIENTS, PROCESSES = 16, 2


def test_each_of_two_processes_gets_its_share_of_the_turns(database: Database) -> None:
    """Who has just written stands behind all who wait, so that each wait is as long as all the others' turns.

    Seen to fail on SQLite without the two file locks: half of the waits were under a millisecond, for who had the turn
    kept it, and the longest was over seven seconds; with them the longest is a sixth of a second.
    """
    url, ready, go = database.url.render_as_string(hide_password=False), OTHERS.Semaphore(0), OTHERS.Event()
    told = OTHERS.Queue()
    args = (url, database.file.parent, ready, go, told)
    processes = [OTHERS.Process(target=keep_writing, args=args) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    for _ in processes:
        assert ready.acquire(timeout=60)
    go.set()
    waits = sorted(wait for _ in processes for wait in told.get(timeout=120))
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * PROCESSES
    with database.read() as connection:
        shares = Counter(connection.execute(sa.select(audit.c.actor)).scalars())
        assert list(breaks(connection)) == []
    assert len(shares) == PROCESSES
    assert min(shares.values()) >= shares.total() / 4, shares
    turn_s = LASTS_S / len(waits)
    assert waits[len(waits) // 2] > turn_s * PROCESSES * THREADS / 2, (waits[len(waits) // 2], turn_s, waits[-1])


def test_two_workers_and_sixteen_clients_on_one_face(register_settings: Settings, tmp_path: Path) -> None:
    """Numbers are unique, no answer is other than success, taken or doubt, and each worker has its share.

    Every client asks along the same 660 feet of one side, half of them for one number by name.
    """
    server = Server(tmp_path / "served", register_settings.database)
    key = server.command("keys", "add", "sixteen", "--role", "director").split()[-1]
    server.start(workers=2)
    try:
        server.wait(workers=2)
        with ThreadPoolExecutor(CLIENTS) as pool:
            answers = [
                answer for some in pool.map(lambda c: asks(server.port, key, c), range(CLIENTS)) for answer in some
            ]
    finally:
        server.kill()
    told = Counter((status, answer.get("code", "")) for status, answer, _ in answers)
    assert set(told) <= {(201, ""), (409, "NUMBER_TAKEN"), (409, "NO_FREE_NUMBER")}, told
    assigned = [answer["address"] for status, answer, _ in answers if status == 201]
    assert len(assigned) == len(set(assigned)) > 30
    assert told[409, "NUMBER_TAKEN"] > 0
    commits = Counter(worker for status, answer, worker in answers if answer.get("code") != "NUMBER_TAKEN")
    assert len(commits) == 2
    assert min(commits.values()) >= commits.total() / 4, commits
    with (
        closing(Database(register_settings.database, register_settings.state_dir)) as database,
        database.read() as connection,
    ):
        assert sorted(connection.execute(sa.select(addresses.c.full)).scalars()) == sorted(assigned)
        assert list(verify(connection)) == []


def asks(port: int, key: str, client: int) -> list[tuple[int, dict[str, Any], str]]:
    """Ask for numbers in turn, each by a connection of its own, so that either worker may take it."""
    answers = []
    for k in range(6):
        x = round(40 + (client * 6 + k) * 6.4, 2)
        body: dict[str, Any] = {"x": x, "y": APART_FT - 45, "crs": "EPSG:7608", "street": "North 1 Avenue"}
        if client % 2:
            body |= {"number": 101 + 2 * k, "reason": "wanted by name"}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/api/v1/addresses", encoded(body), dict(headers(key, f"{client}-{k}")))
        response = connection.getresponse()
        answers.append((response.status, json.loads(response.read()), response.headers["X-Worker"]))
        connection.close()
    return answers
