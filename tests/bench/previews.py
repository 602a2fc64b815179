"""Previews by HTTP against an empty endpoint of the same kind of server, one core each for server and load."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.law import today
from app.settings import Settings
from app.village import LONLAT, Village
from gis.locate import FIND_STREET
from gis.numbering import number
from tests.bench.report import BenchError, Target, interleaved, ratio, table
from tests.conftest import free_port, running

HERE = Path(__file__).resolve().parent
CONNECTIONS = 16
SPARE = 1.25  # the load must be able to ask this many times faster than the empty endpoint answers
SERVE = [str(Path(sys.executable).with_name("benton-streets")), "serve", "--host", "127.0.0.1", "--port"]
EMPTY, PLAIN, EXPLAINED = "empty endpoint", "preview, explain=false", "preview, explain=true"


@dataclass(frozen=True)
class Asked:
    """Doors to preview: as the API is asked, and as `gis.numbering.number` takes them."""

    bodies: list[dict[str, Any]]
    x: Any
    y: Any
    street: Any


def doors(village: Village, count: int) -> Asked:
    """Doors 30 to 150 ft from the village's streets; every other one names its street."""
    rng = np.random.default_rng(288)
    lines = village.frontages.locator.segments
    on = rng.choice(len(lines.x), count, p=lines.length / lines.length.sum())
    share, off = rng.random(count), rng.uniform(30, 150, count) * rng.choice([-1, 1], count)
    x = lines.x[on] + share * lines.dx[on] - off * lines.dy[on] / lines.length[on]
    y = lines.y[on] + share * lines.dy[on] + off * lines.dx[on] / lines.length[on]
    lon, lat = village.out_of_feet(LONLAT)(x, y)
    lon, lat = lon.round(7), lat.round(7)
    names = [village.network.streets[owner].name if k % 2 else None for k, owner in enumerate(lines.owner[on])]
    bodies = [
        {"x": a, "y": b, "street": name} if name else {"x": a, "y": b}
        for a, b, name in zip(lon.tolist(), lat.tolist(), names, strict=True)
    ]
    ids = np.array([FIND_STREET if name is None else village.street_id(name) for name in names])
    east, north = village.into_feet(LONLAT)(lon, lat)
    return Asked(bodies, east, north, ids)


def check(url: str, village: Village, asked: Asked) -> None:
    """Ask for every door once, each way: the numbers must be those of `number` on all of them at once."""
    expected = number(village.frontages, asked.x, asked.y, asked.street)
    for explain in (False, True):
        for k, body in enumerate(asked.bodies):
            data = json.dumps({**body, "explain": explain}).encode()
            request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=30) as response:
                answer = json.load(response)
            row = village.map.rows[expected.row[k]]
            wanted = (int(expected.number[k]) or None, row.street, row.side)
            if (answer["number"], answer["street"], answer["half"]) != wanted:
                raise BenchError(f"{body}: the answer has {answer['number']}, the function {wanted}")
            if explain != bool(answer["explanation"] and answer["explanation"]["steps"]):
                raise BenchError(f"{body}: explain={explain}, and the explanation is {answer['explanation']}")


def cores() -> tuple[int, int]:
    """A core for what is measured and another, where there is one, for the load."""
    usable = sorted(os.sched_getaffinity(0))
    return usable[0], usable[-1]


@contextlib.contextmanager
def served(command: list[str], log: Path, environment: Mapping[str, str] | None = None) -> Iterator[tuple[int, int]]:
    """Run a server on the first core; gives its port and its process."""
    port = free_port()

    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/health", timeout=5):
                return True
        except urllib.error.HTTPError as error:
            error.close()
            return True
        except OSError:
            return False

    own = {**os.environ, **(environment or {})}
    with running([*command, str(port)], answers, log, cwd=HERE.parents[1], env=own) as process:
        os.sched_setaffinity(process.pid, {cores()[0]})
        for task in Path(f"/proc/{process.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), {cores()[0]})
        yield port, process.pid


def cpu_seconds(pid: int) -> float:
    """CPU time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Endpoint:
    """One endpoint to load, with the CPU time that it and the load took."""

    def __init__(self, port: int, pid: int, path: str, asked: Sequence[dict[str, Any] | str], seconds: float) -> None:
        self.pid, self.seconds = pid, seconds
        self.command = [sys.executable, str(HERE / "load.py"), str(port), path, str(CONNECTIONS)]
        lines = (one if isinstance(one, str) else json.dumps(one) for one in asked)
        self.lines = "\n".join(lines).encode()
        self.cpu_rates: list[float] = []
        self.client_rates: list[float] = []

    def load(self, seconds: float) -> dict[str, Any]:
        done = subprocess.run(
            [*self.command, str(seconds)],
            input=self.lines,
            capture_output=True,
            check=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {cores()[1]}),
        )
        result: dict[str, Any] = json.loads(done.stdout)
        if result["wrong"] or result["answered"] != result["sent"] or not result["answered"]:
            raise BenchError(f"the load was not answered: {result}")
        return result

    def rate(self) -> float:
        """Answers a second."""
        before = cpu_seconds(self.pid)
        result = self.load(self.seconds)
        used = cpu_seconds(self.pid) - before
        self.cpu_rates.append(result["answered"] / max(used, 0.01))
        self.client_rates.append(result["answered"] / max(result["cpu"], 1e-6))
        return float(result["answered"] / result["seconds"])


def previews(runs: int, seconds: float, count: int) -> list[Target]:
    """Measure, check, print; returns the targets."""
    village = Village.load(Settings().data_dir, Settings().law_date or today())
    asked = doors(village, count)
    path = "/api/v1/numbers/preview"
    with contextlib.ExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="benton-bench-")))
        port, pid = stack.enter_context(served(SERVE, logs / "ours.txt", {"BENTON_STATE_DIR": str(logs / "state")}))
        empty = stack.enter_context(served([sys.executable, str(HERE / "empty_server.py")], logs / "empty.txt"))
        check(f"http://127.0.0.1:{port}{path}", village, asked)
        bodies = {explain: [{**body, "explain": explain} for body in asked.bodies] for explain in (False, True)}
        endpoints = {
            EMPTY: Endpoint(*empty, "/empty", bodies[False], seconds),
            PLAIN: Endpoint(port, pid, path, bodies[False], seconds),
            EXPLAINED: Endpoint(port, pid, path, bodies[True], seconds),
        }
        for endpoint in endpoints.values():
            endpoint.load(min(seconds, 1.0))
        rates = interleaved({name: endpoint.rate for name, endpoint in endpoints.items()}, runs)
    return _told(endpoints, rates, count)


def _told(endpoints: dict[str, Endpoint], rates: dict[str, list[float]], count: int) -> list[Target]:
    empty = endpoints[EMPTY]
    by_cpu = {name: ratio(endpoint.cpu_rates, empty.cpu_rates) for name, endpoint in endpoints.items()}
    table(
        f"Previews: {CONNECTIONS} connections kept open, {count} doors, half with their street named",
        rates,
        EMPTY,
        {name: f"by the server's CPU time {value:.2f}" for name, value in by_cpu.items()},
    )
    spare = ratio(empty.client_rates, rates[EMPTY])
    print(f"  Every answer's number is that of gis.numbering.number. The load could ask {spare:.1f} times as fast.")
    return [
        Target("previews without reasons against an empty endpoint", ratio(rates[PLAIN], rates[EMPTY]), 0.5),
        Target("previews with reasons against an empty endpoint", ratio(rates[EXPLAINED], rates[EMPTY]), 0.3),
        Target("the load's own speed against the empty endpoint's", spare, SPARE),
    ]
