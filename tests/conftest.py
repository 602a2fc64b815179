"""What the tests share: a real browser, server and PostgreSQL. Each starts when first asked for."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, sync_playwright

from app.db import Database
from app.main import create_app
from app.settings import Settings
from tests.prepared import Prepared, empty_postgres

__all__ = ["empty_postgres"]

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 60
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--disable-sync",
    "--disable-quic",
)

collect_ignore = ["bench", "torture"]

# No test touches the register of the checkout: one that names no place of its own has this.
os.environ.setdefault("BENTON_STATE_DIR", tempfile.mkdtemp(prefix="benton-tests-"))


def free_port() -> int:
    """Give a loopback port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait for a started program, and fail with what it printed when it ends or does not answer."""
    deadline = time.monotonic() + PATIENCE_S
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            state = "does not answer" if process.poll() is None else f"ended with {process.returncode}"
            pytest.fail(f"{process.args} {state}:\n{log.read_text(errors='replace')[-4000:]}")
        time.sleep(0.05)


@contextlib.contextmanager
def running(
    command: list[str],
    ready: Callable[[], bool],
    log: Path,
    stop: signal.Signals = signal.SIGTERM,
    **options: object,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program while the block lasts: `stop` ends it, and SIGKILL if that does not."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **options)
    try:
        wait_until(ready, process, log)
        yield process
    finally:
        process.send_signal(stop)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def serving(log: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Serve the village on a free port as ``./run`` does, and give its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"{url}/api/v1/health", timeout=5) as response:
                return bool(response.status == 200)
        except urllib.error.HTTPError as error:
            error.close()
            return False
        except OSError:
            return False

    command = [str(Path(sys.executable).with_name("benton-streets"))]
    command += ["serve", "--host", "127.0.0.1", "--port", str(port)]
    own = {"BENTON_STATE_DIR": str(log.with_name("register"))}
    with running(command, answers, log, env={**os.environ, **own, **(environment or {})}, cwd=ROOT):
        yield url


@contextlib.contextmanager
def serving_here(settings: Settings) -> Iterator[str]:
    """Serve a village on a free port from a thread of this process, which is sooner done; gives its address."""
    server = uvicorn.Server(uvicorn.Config(create_app(settings), log_level="warning", access_log=False))
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one server that all tests share."""
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium; a test opens its own page and closes it."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.fail("chromium is not installed; ./run test installs it or names the command")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(CHROMIUM_FLAGS))
        yield browser
        browser.close()


def _postgres_programs() -> Path:
    """The folder of the newest PostgreSQL that has PostGIS."""
    found = [
        folder
        for folder in Path("/usr/lib/postgresql").glob("*/bin")
        if (folder / "initdb").exists()
        and Path("/usr/share/postgresql", folder.parent.name, "extension/postgis.control").exists()
    ]
    if not found:
        raise RuntimeError("PostgreSQL with PostGIS is not installed; ./run test installs it or names the command")
    return max(found, key=lambda folder: int(re.sub(r"\D", "", folder.parent.name)))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The DSN of a private PostgreSQL with PostGIS that all tests share."""
    with postgres_cluster({"max_connections": "300"}) as dsn:
        yield dsn


@contextlib.contextmanager
def postgres_cluster(settings: Mapping[str, str]) -> Iterator[str]:
    """Run a private PostgreSQL with PostGIS on a free loopback port; gives its DSN, leaves nothing behind."""
    import psycopg

    programs = _postgres_programs()
    with tempfile.TemporaryDirectory(prefix="benton-postgres-") as folder:
        as_user: dict[str, object] = {"cwd": folder}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
            as_user |= {"user": "postgres", "group": "postgres", "extra_groups": []}
        data = f"{folder}/data"
        port = free_port()
        dsn = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        cluster = [str(programs / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        cluster += ["--locale=C.UTF-8", "--no-sync"]
        subprocess.run(cluster, check=True, stdout=subprocess.DEVNULL, **as_user)
        command = [str(programs / "postgres"), "-D", data, "-p", str(port)]
        own = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
        for name, value in {**own, **settings}.items():
            command += ["-c", f"{name}={value}"]

        def answers() -> bool:
            try:
                with psycopg.connect(dsn, autocommit=True, connect_timeout=5) as connection:
                    connection.execute("CREATE EXTENSION IF NOT EXISTS postgis")
            except psycopg.OperationalError:
                return False
            return True

        # SIGINT is PostgreSQL's fast stop: it does not wait for a connection that a test left open.
        with running(command, answers, Path(folder, "log.txt"), signal.SIGINT, **as_user):
            yield dsn


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Prepared:
    """Registers that are filled once, and give each test a copy."""
    return Prepared(tmp_path_factory.mktemp("prepared"), lambda: request.getfixturevalue("postgres"))


@pytest.fixture(scope="session")
def migrated_sqlite(prepared: Prepared) -> Path:
    """A SQLite file with the register's schema and nothing in it, to be copied."""
    return prepared.migrated


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, prepared: Prepared, tmp_path: Path) -> Iterator[str]:
    """The URL of a fresh database with the register's schema; the test runs once on each kind."""
    with prepared.copied(request.param, tmp_path / "state") as (url, _):
        yield url


@pytest.fixture
def register_settings(database_url: str, tmp_path: Path) -> Settings:
    """Settings of a register in a fresh database."""
    return Settings(database_url=database_url, state_dir=tmp_path / "state")


@pytest.fixture
def database(register_settings: Settings) -> Iterator[Database]:
    """A fresh, migrated database, once SQLite and once PostgreSQL."""
    made = Database(register_settings.database, register_settings.state_dir)
    yield made
    made.close()
