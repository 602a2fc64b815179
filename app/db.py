"""The database: one engine, reads that see a whole state, and writes that take turns.

A write holds a fair lock across all workers of the host, for two processes that only retry on a busy SQLite starve each
other for seconds. After its commit, and before anybody is told of it, a counter in shared memory moves, by which every
worker knows that what it holds in memory is old.
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from gis.errors import Fault, StreetsError

BUSY_MS = 15_000
ADVISORY_LOCK = 28815
"""The number of the lock that PostgreSQL's writers queue for."""


class StorageError(StreetsError):
    """A database that cannot be used: not reached, not made yet, of another release, or damaged."""


class Database:
    """The register's database.

    Parameters
    ----------
    url
        ``sqlite:///FILE`` or ``postgresql://...``.
    state_dir
        Where the files lie that workers of one host share, when the database is no file.

    Raises
    ------
    StorageError
        The URL is of no database that is supported.
    """

    def __init__(self, url: str, state_dir: Path) -> None:
        self.url = _url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        beside = Path(self.url.database or "") if self.is_sqlite else state_dir / f"postgresql-{_digest(url)}"
        beside.parent.mkdir(parents=True, exist_ok=True)
        self.file = beside
        self.engine = _engine(self.url)
        self.changes = Counter(beside.with_name(f"{beside.name}.changes"))

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Read in one transaction: what it sees is one state of the database.

        Yields
        ------
        Connection
            Writes made on it are not kept.

        Raises
        ------
        StorageError
            The database cannot be reached.
        """
        with _reached(), self.engine.connect() as connection:
            yield connection
            connection.rollback()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Write in one transaction that is kept whole or not at all; writers take turns.

        Yields
        ------
        Connection
            Committed when the block ends without an error.

        Raises
        ------
        StorageError
            The database cannot be reached.
        """
        with _reached(), self._turn(), self.engine.connect() as connection:
            writing = connection.execution_options(writes=True)
            with writing.begin():
                if not self.is_sqlite:
                    writing.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": ADVISORY_LOCK})
                yield writing
            self.changes.move()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for this writer's turn. PostgreSQL's own lock is a queue; for SQLite there are two files.

        Who waits for the second holds the first, so a writer that has just finished stands behind those who waited.
        """
        if not self.is_sqlite:
            yield
            return
        with _locked(self.file.with_name(f"{self.file.name}.queue")) as release, _locked(self._lock_file()):
            release()
            yield

    def _lock_file(self) -> Path:
        return self.file.with_name(f"{self.file.name}.writer")

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


class Counter:
    """A number that the workers of one host share; it moves with every write.

    Parameters
    ----------
    path
        The file whose memory they share.
    """

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o660)
        try:
            if os.fstat(descriptor).st_size < _COUNT.size:
                os.ftruncate(descriptor, _COUNT.size)
            self._shared = mmap.mmap(descriptor, _COUNT.size)
        finally:
            os.close(descriptor)

    @property
    def value(self) -> int:
        """Where it stands."""
        return int(_COUNT.unpack_from(self._shared)[0])

    def move(self) -> None:
        """Move it; called while the write's turn lasts, or the move of another worker could be lost."""
        _COUNT.pack_into(self._shared, 0, self.value + 1)


_COUNT = struct.Struct("<Q")


@contextmanager
def _locked(path: Path) -> Iterator[Any]:
    """Hold a file's lock; what is given lets go of it early. The kernel lets go when the process is killed."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield lambda: fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


@contextmanager
def _reached() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        raise StorageError(f"The database cannot be used now: {error.orig}") from error


def _url(text: str) -> URL:
    expected = "sqlite:///FILE or postgresql://USER@HOST/NAME"
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise StorageError.of("BENTON_DATABASE_URL", "what is no URL", expected) from error
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        return url.set(database=str(Path(url.database).absolute()))
    if url.get_backend_name() in {"postgresql", "postgres"}:
        return url.set(drivername="postgresql+psycopg")
    raise StorageError("The database's URL cannot be used.", [Fault("BENTON_DATABASE_URL", str(url), expected)])


def _engine(url: URL) -> Engine:
    if url.get_backend_name() != "sqlite":
        return sa.create_engine(url, pool_size=20, max_overflow=20, pool_pre_ping=True)
    engine = sa.create_engine(url, pool_size=20, max_overflow=20)

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where `_begun` begins them
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_MS}"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _digest(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()[:12]
