"""What one worker was told, every other knows; and whoever replays the feed has the register exactly."""

from __future__ import annotations

import http.client
import json
import os
import random
from collections import Counter
from contextlib import closing
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import quote

from app.lookup import Index
from app.settings import Settings
from tests.test_lookups import held, replayed
from tests.test_register import Office, office
from tests.torture.server import APART_FT, Server, encoded, headers

__all__ = ["office"]

WORKERS = 4
PAIRS = int(os.environ.get("BENTON_TEST_PAIRS", "200"))
"""A thousand of them take some minutes; this many are tried each time."""


def ask(port: int, method: str, path: str, sent: dict[str, str], body: bytes | None = None) -> tuple[Any, str]:
    """Ask by a connection of its own, so that any worker may take it; gives the answer and the worker."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        content = json.loads(response.read())
        assert response.status in {200, 201}, content
        return content, response.headers["X-Worker"]


def test_of_many_numbers_assigned_by_one_worker_none_is_unknown_to_another(
    register_settings: Settings, tmp_path: Path
) -> None:
    """Seen to fail with the counter not compared before a lookup: one in four pairs was stale."""
    server = Server(tmp_path / "served", register_settings.database)
    server.environment["BENTON_911_RATE"] = "0"
    key = server.command("keys", "add", "pairs", "--role", "director").split()[-1]
    server.start(workers=WORKERS)
    told: Counter[str] = Counter()
    try:
        server.wait(workers=WORKERS)
        for k in range(PAIRS):
            street, place = k % 4 + 1, k // 4
            body = {"x": 40 + place * 15.0, "y": street * APART_FT - 45, "crs": "EPSG:7608"}
            body["street"] = f"North {street} Avenue"
            made, first = ask(server.port, "POST", "/api/v1/addresses", dict(headers(key, f"pair-{k}")), encoded(body))
            path = f"/api/v1/911/validate?address={quote(made['address'])}"
            found, second = ask(server.port, "GET", path, {"Authorization": f"Bearer {key}"})
            assert (found["match"], found["id"]) == ("provisional", made["id"]), (k, made["address"], found)
            told["another" if first != second else "the same"] += 1
    finally:
        server.kill()
    assert told["another"] > PAIRS / 3, told


def test_after_very_many_acts_in_any_order_the_feed_is_the_register(office: Office) -> None:
    rng, ids = random.Random(288), []
    places = [*((x, y, "Alma Street") for x in (400, 480) for y in range(331, 659, 4))]
    places += [(x, y, "First Avenue") for y in (290, 370) for x in range(445, 1090, 7)]
    names = cycle(["Elm Street", "Alma Street"])
    present = "Alma Street"
    steps = 1000 if office.database.is_sqlite else 150
    for step in range(steps):
        act = rng.choice(["assign"] * 5 + ["retire", "restore", "correct", "move", "renumber", "undo"])
        one = rng.choice(ids) if ids else 0
        path = f"/api/v1/addresses/{one}"
        if act == "assign" or not ids:
            x, y, street = rng.choice(places)
            answer = office.assign(x, y, present if street == "Alma Street" else street, key=str(step))
            ids += [answer.json()["id"]] if answer.status_code == 201 else []
        elif act in {"retire", "restore"}:
            office.post(f"{path}/{act}", {"reason": "so it is"})
        elif act == "correct":
            office.post(f"{path}/correct", {"access_note": f"note {step}", "reason": "seen"})
        elif act == "move":
            x, y, _ = rng.choice(places)
            office.post(f"{path}/correct", {"x": x, "y": y, "crs": "EPSG:7608", "reason": "measured"})
        elif act == "renumber":
            changes = [{"id": one, "number": rng.randrange(110, 200)}]
            office.post("/api/v1/renumberings", {"changes": changes, "reason": "order"})
        else:
            entry = office.get("/api/v1/audit", limit=1).json()["items"][0]
            office.post(f"/api/v1/acts/{entry['act']}/undo", {"reason": "a mistake"})
        if step == steps // 2:
            office.adopt()
        if step % (steps // 5) == steps // 6:
            made = {"name": next(names), "date": "2026-06-01", "act": "Resolution 3", "reason": "one of them"}
            if office.post(f"/api/v1/streets/{present}/rename", made).status_code in {200, 201}:
                present = made["name"]
    expected = {k: json.loads(json.dumps(v)) for k, v in held(office).items()}
    assert len(expected) > 40
    found, last = replayed(office, 500)
    assert found == expected
    whole = Index()
    with office.database.read() as connection:
        assert whole.read(connection)
    assert [change.told for change in whole.changes] == [
        change.told for change in office.client.app.state.watch.index.changes
    ]
    assert last == whole.changes[-1].cursor
