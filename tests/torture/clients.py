"""Clients that assign without pause, and remember what they were told and what they were not."""

import http.client
import json
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.torture.server import APART_FT, LENGTH_FT, encoded, headers

UNANSWERED = (OSError, http.client.HTTPException)


@dataclass
class Told:
    """What clients know of the register.

    Parameters
    ----------
    assigned
        The answer of each request that was told its number, by the request's key.
    unknown
        The body of each request that was sent and not answered, by its key.
    refused
        How many were answered that they get no number.
    unavailable
        How many were answered that the service cannot be used now.
    """

    assigned: dict[str, dict[str, Any]] = field(default_factory=dict)
    unknown: dict[str, dict[str, Any]] = field(default_factory=dict)
    refused: int = 0
    unavailable: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, port: int, api_key: str, request: str, body: dict[str, Any]) -> None:
        """Ask once for a number; what happens to the request is remembered, whatever happens."""
        with self._lock:
            self.unknown[request] = body
        status, answer = post(port, api_key, request, body)
        with self._lock:
            if status == 503:
                self.unavailable += 1
                return
            del self.unknown[request]
            if status == 201:
                before = self.assigned.setdefault(request, answer)
                assert before == answer, f"the same request was told {before['address']}, then {answer['address']}"
            else:
                assert status == 409, f"{body}: {status} {answer}"
                assert answer["code"] in {"NO_FREE_NUMBER", "NUMBER_TAKEN"}, answer
                self.refused += 1


def post(port: int, api_key: str, request: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Send one request to assign."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", "/api/v1/addresses", encoded(body), dict(headers(api_key, request)))
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def place(chance: random.Random) -> dict[str, Any]:
    """An entrance somewhere along one of the avenues."""
    street = chance.randrange(1, 5)
    away = chance.choice((-1, 1)) * chance.uniform(40, 60)
    x = round(chance.uniform(-LENGTH_FT + 100, LENGTH_FT - 100), 2)
    return {"x": x, "y": round(street * APART_FT + away, 2), "crs": "EPSG:7608", "street": f"North {street} Avenue"}


def assigning(told: Told, port: int, api_key: str, name: str, stop: threading.Event, faults: list[Exception]) -> None:
    """Assign until the server is gone or `stop` is set."""
    chance = random.Random(name)
    for k in range(1_000_000):
        if stop.is_set():
            return
        try:
            told.ask(port, api_key, f"{name}-{k}", place(chance))
        except UNANSWERED:
            return
        except Exception as error:
            faults.append(error)
            return
