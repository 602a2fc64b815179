"""A private PostgreSQL with PostGIS for the benchmark, gone afterwards."""

import contextlib
from collections.abc import Iterator

from tests.bench.report import BenchError
from tests.conftest import postgres_cluster

SETTINGS = {
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


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """Run a private cluster while the block lasts, and give its DSN."""
    try:
        running = contextlib.ExitStack()
        dsn = running.enter_context(postgres_cluster(SETTINGS))
    except RuntimeError as error:
        raise BenchError(str(error)) from error
    with running:
        yield dsn
