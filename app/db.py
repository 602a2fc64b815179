"""The database: one engine, reads that see a whole state, and writes that take turns.

A write holds a fair lock across all workers of the host, for two processes that only retry on a busy SQLite starve each
other for seconds. With its commit, and before anybody is told of it, a counter in shared memory moves, by which every
worker knows that what it holds in memory is old; a worker killed at that moment leaves no other with what is old.
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from gis.errors import Fault, StreetsError

BUSY_MS = 15_000
"""How long a statement waits for a lock; nobody holds one for so long who is not stuck."""
CACHE_KB = 16_000
"""So much of SQLite's file a connection keeps in memory: at its usual 2 MB it reads most pages anew."""
OTHER_WRITES = "Another writes to the register now, and it was not waited for."
ADVISORY_LOCK = 28815
"""The number of the lock that PostgreSQL's writers queue for."""
POSTGRESQL_OPTIONS = {
    "synchronous_commit": "on",
    "lock_timeout": str(BUSY_MS),
    "idle_in_transaction_session_timeout": "60000",  # a worker whose host has gone does not keep its turn for hours
    "timezone": "UTC",
}


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
        beside = Path(self.url.database or "") if self.is_sqlite else state_dir / f"postgresql-{_digest(self.url)}"
        self.file = beside
        with _writable(beside.parent):
            beside.parent.mkdir(parents=True, exist_ok=True)
            self._writer = beside.with_name(f"{beside.name}.writer")
            self.changes = Counter(beside.with_name(f"{beside.name}.changes"), self._writer)
        self.engine = _engine(self.url)
        self._inode = 0

    def forget_file(self) -> None:
        """Take whatever file is there next for the register's: the one that was there was put aside."""
        self.engine.dispose()
        self._inode = 0

    def _refuse_another(self) -> None:
        """Refuse to go on where the file was moved or replaced: nobody would read again what is written."""
        if not self.is_sqlite:
            return
        try:
            found = os.stat(self.file).st_ino
        except OSError:
            found = 0
        if self._inode and found != self._inode:
            raise StorageError(f"The register's file {self.file} was moved or replaced: stop the service and start it.")
        self._inode = found

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Read in one transaction: what it sees is one state of the database.

        Yields
        ------
        Connection
            Writes made on it are not kept. It keeps no writer waiting.

        Raises
        ------
        StorageError
            The database cannot be reached.
        """
        self._refuse_another()
        with _reached(), self.engine.connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection
            connection.rollback()

    @contextmanager
    def write(self, *, referring: bool = True, waiting: bool = True) -> Iterator[Connection]:
        """Write in one transaction that is kept whole or not at all; writers take turns.

        Parameters
        ----------
        referring
            Whether SQLite checks references at each statement; a migration that makes a table anew cannot have it.
        waiting
            Whether to wait for the turn, and for what other programs have locked.

        Yields
        ------
        Connection
            Committed when the block ends without an error.

        Raises
        ------
        StorageError
            The database cannot be reached, or its disk is full or read-only; or another writes and it is not waited
            for. A constraint's refusal passes as it is.
        """
        self._refuse_another()
        with _reached(), self.turn(waiting=waiting), self.engine.connect() as connection:
            writing = connection.execution_options(writes=True)
            with (
                self._unchecked(writing) if self.is_sqlite and not referring else nullcontext(),
                self._unwaiting(writing) if self.is_sqlite and not waiting else nullcontext(),
            ):
                transaction = writing.begin()
                try:
                    if not self.is_sqlite:
                        _queue(writing, waiting=waiting)
                    yield writing
                    with nullcontext() if self.is_sqlite else _locked(self._writer), self.changes.moving():
                        transaction.commit()
                finally:
                    if transaction.is_active:
                        transaction.rollback()

    @contextmanager
    def turn(self, *, waiting: bool = True) -> Iterator[None]:
        """Wait for a writer's turn, and keep it while the block lasts.

        PostgreSQL's own lock is a queue; for SQLite there are two files. Who waits for the second holds the first, so a
        writer that has just finished stands behind those who waited.

        Parameters
        ----------
        waiting
            Whether to wait; without it, SQLite's turn is refused at once while another has it.

        Raises
        ------
        StorageError
            Another writes, and it is not waited for.
        """
        if not self.is_sqlite:
            yield
            return
        queue = self.file.with_name(f"{self.file.name}.queue")
        with _locked(queue, wait=waiting) as release:
            if release is None:
                raise StorageError(OTHER_WRITES)
            with _locked(self._writer, wait=waiting) as mine:
                if mine is None:
                    raise StorageError(OTHER_WRITES)
                release()
                yield

    @contextmanager
    def _unchecked(self, connection: Connection) -> Iterator[None]:
        raw: Any = connection.connection.dbapi_connection
        raw.execute("PRAGMA foreign_keys=OFF")  # only between transactions has it an effect
        try:
            yield
        finally:
            raw.execute("PRAGMA foreign_keys=ON")

    @contextmanager
    def _unwaiting(self, connection: Connection) -> Iterator[None]:
        raw: Any = connection.connection.dbapi_connection
        raw.execute("PRAGMA busy_timeout=0")
        try:
            yield
        finally:
            raw.execute(f"PRAGMA busy_timeout={BUSY_MS}")

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()
        self.changes.close()


def _queue(writing: Connection, *, waiting: bool) -> None:
    """Wait for the turn of PostgreSQL's writers, or take it only where it is free."""
    if waiting:
        writing.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": ADVISORY_LOCK})
        return
    writing.execute(sa.text("SET LOCAL lock_timeout = 1"))  # ms: 0 would be to wait for ever
    asked = sa.text("SELECT pg_try_advisory_xact_lock(:lock)")
    if not writing.execute(asked, {"lock": ADVISORY_LOCK}).scalar_one():
        raise StorageError(OTHER_WRITES)


class Counter:
    """A number that the workers of one host share; it moves with every write.

    It is odd while a write is being committed. A worker that was killed then leaves it odd, which the next who looks
    mends: nobody may take for unchanged what that worker may have written.

    Parameters
    ----------
    path
        The file whose memory they share.
    writer
        The file that is locked while it is odd.
    """

    def __init__(self, path: Path, writer: Path) -> None:
        self._writer = writer
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)  # says that this process has the database open
        if os.fstat(self._descriptor).st_size < _COUNT.size:
            os.pwrite(self._descriptor, b"\0" * _COUNT.size, 0)  # a hole would kill the writer when the disk is full
        self._shared = mmap.mmap(self._descriptor, _COUNT.size)

    @property
    def value(self) -> int:
        """Where it stands; read it before what is to be kept in memory, which is old when this is another number."""
        found = self._found
        if not found % 2:
            return found
        with _locked(self._writer, wait=False) as release:
            if release is None:  # a write is being committed: nothing read now is to be kept
                return -time.monotonic_ns()
            if self._found % 2:
                self._set(self._found + 1)
            return self._found

    @property
    def steady(self) -> int | None:
        """Where it stands; None while a write is being committed, of which nobody has been told yet."""
        found = self._found
        return None if found % 2 else found

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Move it, around a commit; the writer's file is locked by the caller."""
        self._set(self._found | 1)
        yield
        self._set(self._found + 1)

    @property
    def alone(self) -> bool:
        """Whether no other process has the database open."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)
        return True

    def close(self) -> None:
        """Say that this process no longer has the database open."""
        os.close(self._descriptor)

    @property
    def _found(self) -> int:
        return int(_COUNT.unpack_from(self._shared)[0])

    def _set(self, value: int) -> None:
        _COUNT.pack_into(self._shared, 0, value)


_COUNT = struct.Struct("Q")  # native, so that it is read and written in one piece


@contextmanager
def _locked(path: Path, *, wait: bool = True) -> Iterator[Any]:
    """Hold a file's lock; what is given lets go of it early, and is None where it is held and not waited for.

    The kernel lets go when the process is killed.
    """
    with _writable(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        release = partial(fcntl.flock, descriptor, fcntl.LOCK_UN)
    except BlockingIOError:
        release = None
    try:
        yield release
    finally:
        os.close(descriptor)


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"The register cannot be written: {error.filename or path}: {error.strerror}") from error


@contextmanager
def _reached() -> Iterator[None]:
    """Name what is wrong with the database itself; an error of a statement or a constraint's refusal passes."""
    try:
        yield
    except PoolTimeoutError as error:
        raise StorageError("The database cannot be used now: every connection is in use") from error
    except DBAPIError as error:
        unusable = isinstance(error, _UNUSABLE) or type(error) is DatabaseError
        if unusable or getattr(error.orig, "sqlstate", "") == NO_PRIVILEGE:
            raise StorageError(f"The database cannot be used now: {error.orig}".strip()) from error
        raise


_UNUSABLE = (OperationalError, InterfaceError, InternalError)
NO_PRIVILEGE = "42501"


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
        own = " ".join(f"-c {name}={value}" for name, value in POSTGRESQL_OPTIONS.items())
        given = url.query.get("options", "")
        options: dict[str, Any] = {"options": f"{own} {given}".strip(), "connect_timeout": 10, "keepalives_idle": 30}
        return sa.create_engine(url, pool_size=20, max_overflow=20, pool_pre_ping=True, connect_args=options)
    engine = sa.create_engine(url, pool_size=20, max_overflow=20)
    file = Path(url.database or "")

    @sa.event.listens_for(engine, "do_connect")
    def _connecting(*_: Any) -> None:
        # Made here, for it holds what not every account of the host may read. Only where it is not there: closing any
        # descriptor of it would drop SQLite's locks of this whole process, and another program that then closed the
        # database would take the log of a running service away.
        if not file.exists():
            with _writable(file), suppress(FileExistsError):
                os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o640))

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where `_begun` begins them
        prepare(connection, file)

    @sa.event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def prepare(connection: sqlite3.Connection, file: Path) -> None:
    """Make SQLite keep what it was told to keep, and refuse what the triggers refuse even of REPLACE.

    Parameters
    ----------
    connection
        New.
    file
        The database.
    """
    connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        with _locked(file.with_name(f"{file.name}.making")):  # SQLite does not wait for this one
            connection.execute("PRAGMA journal_mode=WAL")
    for pragma in ("synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON", f"cache_size=-{CACHE_KB}"):
        connection.execute(f"PRAGMA {pragma}")


def _digest(url: URL) -> str:
    """Name a PostgreSQL database, however its URL is spelt."""
    return hashlib.sha256(f"{url.host}:{url.port or 5432}/{url.database}".encode()).hexdigest()[:12]
