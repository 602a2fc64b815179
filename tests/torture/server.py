"""A real server that can be killed with all its processes, and the village it numbers."""

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
        self._process: subprocess.Popen[bytes] | None = None

    def command(self, *arguments: str) -> str:
        """Run a command of ``benton-streets`` and give what it printed; fails with what it complained of."""
        done = subprocess.run(
            [PROGRAM, *arguments], env=self.environment, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def start(self, workers: int = 1) -> None:
        """Start it, and do not wait."""
        self.port = free_port()
        command = [PROGRAM, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--workers", str(workers)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, env=self.environment, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )

    def wait(self, patience_s: float = 90) -> None:
        """Wait until it answers."""
        deadline = time.monotonic() + patience_s
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/health", timeout=5):
                    return
            except OSError:
                assert self._process is not None
                ended = self._process.poll() is not None
                told = self.log.read_text(errors="replace")[-3000:]
                assert not ended, f"the server ended:\n{told}"
                assert time.monotonic() < deadline, f"the server does not answer:\n{told}"
                time.sleep(0.05)

    def kill(self) -> None:
        """Kill it with every process it started, at once."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def headers(key: str, request: str = "") -> Mapping[str, str]:
    """The headers of a request to assign."""
    return {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": request}


def encoded(body: Mapping[str, object]) -> bytes:
    """A body as it is sent."""
    return json.dumps(body).encode()
