"""911 lookups by HTTP against empty endpoints with the same parameters, with few and with many addresses."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from app.audit import CONSOLE
from app.db import Database
from app.keys import add_key
from app.settings import Settings
from app.village import LONLAT
from tests.bench.previews import CONNECTIONS, HERE, SERVE, SPARE, Endpoint, served
from tests.bench.register import made
from tests.bench.report import BenchError, Target, interleaved, ratio, table
from tests.bench.town import SEED, Town, write_town

LEAST, ALIKE = 0.6, 0.9
VALIDATE, LOCATE, NEAREST = "validate", "locate", "nearest"
EMPTY = {VALIDATE: "empty, an address", LOCATE: "empty, an address", NEAREST: "empty, a place"}

Json = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """What one register is asked: targets of each lookup, and the addresses that they must find."""

    targets: dict[str, list[str]]
    expected: dict[str, list[str]]
    key: str


def lookups(few: int, many: int, streets: int, blocks: int, runs: int, seconds: float, asked: int) -> list[Target]:
    """Measure, check, print; returns the targets.

    Parameters
    ----------
    few, many
        Addresses in the two registers of the same town.
    streets, blocks
        The town: grid lines each way, blocks of a street.
    runs, seconds
        How often and how long each endpoint is loaded.
    asked
        Different requests of each lookup.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="benton-bench-")))
        data = folder / "town"
        write_town(data, streets, blocks)
        empty = stack.enter_context(served([sys.executable, str(HERE / "empty_server.py")], folder / "empty.txt"))
        endpoints: dict[str, Endpoint] = {}
        for count in (few, many):
            state = folder / f"state-{count}"
            one = _asked(data, state, count, asked)
            environment = {"BENTON_STATE_DIR": str(state), "BENTON_DATA_DIR": str(data), "BENTON_911_RATE": "0"}
            port, pid = stack.enter_context(served(SERVE, folder / f"log-{count}.txt", environment))
            _check(port, one)
            for name, targets in one.targets.items():
                lines = [f"GET\t/api/v1/911/{t}\tAuthorization: Bearer {one.key}" for t in targets]
                endpoints[f"{name}, {count:,} addresses"] = Endpoint(port, pid, "", lines, seconds)
        for name, path in ((EMPTY[VALIDATE], "address"), (EMPTY[NEAREST], "place")):
            targets = one.targets[VALIDATE if path == "address" else NEAREST]
            lines = [f"GET\t/{path}?{t.partition('?')[2]}" for t in targets]
            endpoints[name] = Endpoint(*empty, "", lines, seconds)
        for endpoint in endpoints.values():
            endpoint.load(min(seconds, 1.0))
        rates = interleaved({name: endpoint.rate for name, endpoint in endpoints.items()}, runs)
    return _told(endpoints, rates, few, many)


def _asked(data: Path, state: Path, count: int, asked: int) -> Asked:
    """Fill a register; ask for its own addresses in full words and as mail, and for places near their doors."""
    settings = Settings(state_dir=state, data_dir=data)
    with contextlib.closing(Database(settings.database, state)) as database:
        town, _ = made(database, data, count)
        key = add_key(database, CONSOLE, "the county", ["dispatch"])[1]
        rng = np.random.default_rng(SEED + 911)
        some = rng.choice(town.first[:count], min(asked, count), replace=False).tolist()
        named = [_full(town, k) for k in some]
        places, nearest = _places(town, some, count, rng)
        return Asked({**_targets(named), NEAREST: places}, {VALIDATE: named, LOCATE: named, NEAREST: nearest}, key)


def _full(town: Town, k: int) -> str:
    street, half, number = town.place(k)
    return f"{number} {half} {street}"


def _targets(named: list[str]) -> dict[str, list[str]]:
    texts = [full if n % 2 else _mail(full) for n, full in enumerate(named)]
    return {name: [f"{name}?{urlencode({'address': text})}" for text in texts] for name in (VALIDATE, LOCATE)}


def _places(town: Town, some: list[int], count: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Return targets near some doors, and of each the nearest address, found among all by its distance."""
    held = np.asarray(town.first[:count])
    x, y = town.doors.x[held], town.doors.y[held]
    at = np.stack([town.doors.x[some], town.doors.y[some]]) + rng.uniform(-20, 20, (2, len(some)))
    nearest = [int(held[np.hypot(x - east, y - north).argmin()]) for east, north in at.T]
    lon, lat = town.village.out_of_feet(LONLAT)(*at)
    places = [
        {"lat": round(float(b), 8), "lon": round(float(a), 8), "radius_ft": 500} for a, b in zip(lon, lat, strict=True)
    ]
    return [f"{NEAREST}?{urlencode(place)}" for place in places], [_full(town, k) for k in nearest]


def _mail(full: str) -> str:
    from gis.address import format_usps, parse

    return format_usps(parse(full)).title()


def _check(port: int, asked: Asked) -> None:
    """Ask for everything once: every address must be found, and whichever is nearest to a place be told first or next.

    Two may lie equally near to the accuracy of a position's digits.
    """
    for name, targets in asked.targets.items():
        for target, expected in zip(targets, asked.expected[name], strict=True):
            headers = {"Authorization": f"Bearer {asked.key}"}
            request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/911/{target}", headers=headers)
            with urllib.request.urlopen(request, timeout=90) as response:
                answer: Json = json.load(response)
            found = [one["address"] for one in answer["items"][:2]] if name == NEAREST else [answer["address"]]
            if expected not in found:
                raise BenchError(f"{target}: {expected} was to be found, and the answer has {found}")


def _told(endpoints: dict[str, Endpoint], rates: dict[str, list[float]], few: int, many: int) -> list[Target]:
    first = EMPTY[VALIDATE]
    by_cpu = {name: ratio(one.cpu_rates, endpoints[first].cpu_rates) for name, one in endpoints.items()}
    notes = {name: f"by the server's CPU time {value:.2f}" for name, value in by_cpu.items()}
    table(f"911 lookups: {CONNECTIONS} connections kept open", rates, first, notes)
    made = []
    for name, empty in EMPTY.items():
        small, large = (rates[f"{name}, {count:,} addresses"] for count in (few, many))
        made.append(Target(f"{name} against an empty endpoint, {many:,} addresses", ratio(large, rates[empty]), LEAST))
        made.append(Target(f"{name} at {many:,} addresses against {few:,}", ratio(large, small), ALIKE))
    spare = ratio(endpoints[first].client_rates, rates[first])
    return [*made, Target("the load's own speed against the empty endpoint's", spare, SPARE)]
