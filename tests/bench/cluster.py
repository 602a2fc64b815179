"""A private PostgreSQL with PostGIS for the benchmark, gone afterwards."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg

from tests.bench.report import BenchError
from tests.conftest import free_port, running

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "512MB",
    "work_mem": "256MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "4GB",
    "random_page_cost": "1.1",
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "jit": "off",
}
"""All in memory, nothing flushed, one core; `jit` costs more here than it saves."""


def programs() -> Path:
    """The folder of the newest PostgreSQL that has PostGIS."""
    found = [
        folder
        for folder in Path("/usr/lib/postgresql").glob("*/bin")
        if (folder / "initdb").exists()
        and Path("/usr/share/postgresql", folder.parent.name, "extension/postgis.control").exists()
    ]
    if not found:
        raise BenchError(
            "PostgreSQL with PostGIS is not installed; install it with: "
            "sudo apt-get update && sudo apt-get install -y --no-install-recommends postgresql postgresql-postgis"
        )
    return max(found, key=lambda folder: int(re.sub(r"\D", "", folder.parent.name)))


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """Run a private cluster while the block lasts, and give its DSN."""
    found = programs()
    with tempfile.TemporaryDirectory(prefix="benton-bench-") as folder:
        as_user: dict[str, object] = {"cwd": folder}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
            as_user |= {"user": "postgres", "group": "postgres", "extra_groups": []}
        data, port = f"{folder}/data", free_port()
        dsn = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        made = [str(found / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
        subprocess.run([*made, "--no-sync"], check=True, stdout=subprocess.DEVNULL, **as_user)  # type: ignore[call-overload]
        command = [str(found / "postgres"), "-D", data, "-p", str(port)]
        for name, value in SETTINGS.items():
            command += ["-c", f"{name}={value}"]

        def answers() -> bool:
            try:
                with psycopg.connect(dsn, autocommit=True, connect_timeout=5) as connection:
                    connection.execute("CREATE EXTENSION IF NOT EXISTS postgis")
            except psycopg.OperationalError:
                return False
            return True

        with running(command, answers, Path(folder, "log.txt"), signal.SIGINT, **as_user):
            yield dsn
