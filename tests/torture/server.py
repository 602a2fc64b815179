"""A real server that can be killed with all its processes, and the village it numbers."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import ROOT, free_port
from tests.plat import village

LENGTH_FT = 20_000
APART_FT = 660
PROGRAM = str(Path(sys.executable).with_name("benton-streets"))


def long_streets() -> dict[str, list[tuple[float, float]]]:
    """Streets so long that there is always a number left."""
    made = {"Main Street": [(-LENGTH_FT, 0.0), (LENGTH_FT, 0.0)], "Van Buren Street": [(0.0, -9000.0), (0.0, 9000.0)]}
    for k in range(1, 5):
        made[f"North {k} Avenue"] = [(-LENGTH_FT, k * APART_FT), (LENGTH_FT, k * APART_FT)]
    return made


class Server:
    """A server that is started, killed and started again.

    Parameters
    ----------
    folder
        For the village, the register and what is printed.
    database_url
        Where the register is.
    """

    def __init__(self, folder: Path, database_url: str) -> None:
        data = folder / "village"
        data.mkdir(parents=True)
        village(data, long_streets())
        own = {"DATA_DIR": data, "DATABASE_URL": database_url, "STATE_DIR": folder / "state", "SHOW_WORKER": "1"}
        self.environment = {**os.environ, **{f"BENTON_{name}": str(value) for name, value in own.items()}}
        self.log = folder / "log.txt"
        self.port = 0
        self._process = 0
        self._started: subprocess.Popen[bytes] | None = None
        self._warm: subprocess.Popen[str] | None = None

    def command(self, *arguments: str) -> str:
        """Run a command of ``benton-streets`` and give what it printed; fails with what it complained of."""
        done = subprocess.run(
            [PROGRAM, *arguments], env=self.environment, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def start(self, workers: int = 1, *, warm: bool = False) -> None:
        """Start it, and do not wait; `warm` forks it from a process that has imported the program already."""
        self.port = free_port()
        if warm and workers == 1:
            self._process, self._started = self._forked(), None
            return
        command = [PROGRAM, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--workers", str(workers)]
        with self.log.open("ab") as log:
            self._started = subprocess.Popen(
                command, env=self.environment, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )
        self._process = self._started.pid

    def _forked(self) -> int:
        if self._warm is None:
            command = [sys.executable, "-m", "tests.torture.warm"]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            self._warm = subprocess.Popen(command, env=self.environment, cwd=ROOT, text=True, **pipes)  # type: ignore[call-overload]
        assert self._warm is not None
        assert self._warm.stdin is not None
        assert self._warm.stdout is not None
        self._warm.stdin.write(f"{self.port}\n")
        self._warm.stdin.flush()
        return int(self._warm.stdout.readline())

    def close(self) -> None:
        """End what starts it warm."""
        if self._warm is not None:
            for pipe in (self._warm.stdin, self._warm.stdout):
                assert pipe is not None
                pipe.close()
            self._warm.kill()
            self._warm.wait()

    def wait(self, patience_s: float = 90, *, workers: int = 1) -> None:
        """Wait until it answers, by as many workers."""
        deadline = time.monotonic() + patience_s
        seen = set()
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/health", timeout=5) as answer:
                    seen.add(answer.headers["X-Worker"])
                if len(seen) == workers:
                    return
                assert time.monotonic() < deadline, f"{len(seen)} workers of {workers} answer"
            except OSError:
                ended = not self._alive()
                told = self.log.read_text(errors="replace")[-3000:]
                assert not ended, f"the server ended:\n{told}"
                assert time.monotonic() < deadline, f"the server does not answer:\n{told}"
                time.sleep(0.05)

    def kill(self) -> None:
        """Kill it with every process it started, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)
        while self._alive():
            time.sleep(0.005)

    def _alive(self) -> bool:
        return alive(self._process) if self._started is None else self._started.poll() is None


def alive(process: int) -> bool:
    """Whether a process of another runs; one that has ended and is only not fetched yet does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def headers(key: str, request: str = "") -> Mapping[str, str]:
    """The headers of a request to assign."""
    return {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": request}


def encoded(body: Mapping[str, object]) -> bytes:
    """A body as it is sent."""
    return json.dumps(body).encode()
