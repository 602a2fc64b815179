"""Registers that are filled once, and copies of them for tests to change as they like."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.db import Database
from app.keeping import ensure_schema
from app.map_versions import Atlas
from tests.plat import PLAT, village

Fill = Callable[[Database], Any]
CATALOG = """SELECT md5(string_agg(row, ' ' ORDER BY row)) FROM (
    SELECT concat_ws('/', tableoid, oid, xmin) AS row FROM pg_class WHERE oid >= 16384
    UNION ALL SELECT concat_ws('/', tableoid, attrelid, attnum, xmin) FROM pg_attribute WHERE attrelid >= 16384
    UNION ALL SELECT concat_ws('/', tableoid, oid, xmin) FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT concat_ws('/', tableoid, oid, xmin) FROM pg_type WHERE oid >= 16384
    UNION ALL SELECT concat_ws('/', tableoid, oid, xmin) FROM pg_trigger
    UNION ALL SELECT concat_ws('/', tableoid, oid, xmin) FROM pg_constraint
    UNION ALL SELECT concat_ws('/', tableoid, oid, xmin) FROM pg_rewrite
    UNION ALL SELECT concat_ws('/', tableoid, oid, xmin) FROM pg_namespace
    UNION ALL SELECT concat_ws('/', tableoid, oid, xmin) FROM pg_extension
    UNION ALL SELECT concat_ws('/', tableoid, oid, xmin) FROM pg_event_trigger
    UNION ALL SELECT concat_ws('/', tableoid, objoid, objsubid, xmin) FROM pg_description WHERE objoid >= 16384
    UNION ALL SELECT concat_ws('/', tableoid, setrole, xmin) FROM pg_db_role_setting
        WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    UNION ALL SELECT concat_ws('/', tableoid, oid, xmin) FROM pg_database WHERE datname = current_database()
) AS rows"""
"""What changes with every act on a schema, a right or a trigger, and with nothing else."""
TABLES = """SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid
                    AND deptype = 'e') ORDER BY 1"""
SEQUENCES = "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'S' ORDER BY 1"


def empty(_: Database) -> None:
    """Leave a register as its schema makes it."""


def put_map(database: Database, lines: dict[str, list[tuple[float, float]]] = PLAT) -> None:
    """Put the map of streets on squared paper into a register."""
    with tempfile.TemporaryDirectory() as folder:
        Atlas(database, village(Path(folder), lines)).ensure()


def empty_postgres(server: str, name: str, template: str = "template0") -> str:
    """Make a database on a server and give its URL."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return server.rsplit("/", 1)[0] + f"/{name}"


@dataclass
class Prepared:
    """Registers with what `fill` puts in, which is called once for each kind of database.

    Parameters
    ----------
    folder
        For the files of SQLite.
    server
        Gives the DSN of PostgreSQL, when one is first asked for.
    """

    folder: Path
    server: Callable[[], str]
    _files: dict[Fill, tuple[Path, Any]] = field(default_factory=dict)
    _pools: dict[Fill, Pool] = field(default_factory=dict)

    @contextmanager
    def copied(self, kind: str, folder: Path, fill: Fill = empty) -> Iterator[tuple[str, Any]]:
        """A copy for one test: its URL, and what `fill` gave. A SQLite file lies in the folder, which is made."""
        if kind == "sqlite":
            yield self.file(folder, fill)
            return
        pool = self._pools.get(fill) or self._pools.setdefault(fill, Pool(self.server(), fill, self._scratch()))
        with pool.one() as url:
            yield url, pool.given

    def file(self, folder: Path, fill: Fill = empty) -> tuple[str, Any]:
        """Copy the SQLite register into a folder, where settings without a database look for it."""
        if fill not in self._files:
            made = self._scratch() / "register.db"
            if fill is not empty:
                shutil.copyfile(self.migrated, made)
            self._files[fill] = made, _filled(f"sqlite:///{made}", made.parent, fill)
        source, given = self._files[fill]
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / "register.db")
        return f"sqlite:///{folder / 'register.db'}", given

    @property
    def migrated(self) -> Path:
        """The SQLite file with the schema and nothing in it."""
        if empty not in self._files:
            self.file(self._scratch())
        return self._files[empty][0]

    def _scratch(self) -> Path:
        made = self.folder / uuid.uuid4().hex
        made.mkdir()
        return made


def _filled(url: str, folder: Path, fill: Fill) -> Any:
    with closing(Database(url, folder)) as database:
        ensure_schema(database)
        given = fill(database)
        if database.is_sqlite:
            with database.read() as connection:
                connection.execute(sa.text("PRAGMA wal_checkpoint(TRUNCATE)"))
    return given


class Pool:
    """Databases of PostgreSQL that tests have one after another, each as `fill` left it.

    Making one takes as long as many a test. After a test its rows and counters are put back; where the test changed
    anything else, the schema or a right, the database is dropped.
    """

    def __init__(self, server: str, fill: Fill, folder: Path) -> None:
        import psycopg

        self.server = server
        self.template = f"made_{uuid.uuid4().hex}"
        url = empty_postgres(server, self.template)
        self.given = _filled(url, folder, fill)
        self._idle: list[tuple[str, str]] = []
        with psycopg.connect(url) as connection:
            self.rows: dict[str, bytes] = {}
            for (table,) in connection.execute(TABLES).fetchall():
                self.rows[table] = b""
                if not connection.execute(f"SELECT EXISTS (SELECT FROM {table})").fetchone()[0]:
                    continue
                with connection.cursor().copy(f"COPY {table} TO STDOUT (FORMAT binary)") as copy:
                    self.rows[table] = b"".join(copy)
            asked = [name for (name,) in connection.execute(SEQUENCES).fetchall()]
            self.counters = {
                name: connection.execute(f"SELECT last_value, is_called FROM {name}").fetchone() for name in asked
            }

    @contextmanager
    def one(self) -> Iterator[str]:
        """The URL of a database for one test."""
        import psycopg

        if self._idle:
            url, catalog = self._idle.pop()
        else:
            url = empty_postgres(self.server, f"test_{uuid.uuid4().hex}", self.template)
            with psycopg.connect(url) as connection:
                catalog = connection.execute(CATALOG).fetchone()[0]
        yield url
        self._left_alone(url)
        if self._put_back(url, catalog):
            self._idle.append((url, catalog))
            return
        with psycopg.connect(self.server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{url.rpartition("/")[2]}" WITH (FORCE)')

    def _left_alone(self, url: str) -> None:
        """End every connection that the test has left open."""
        import psycopg

        with psycopg.connect(self.server, autocommit=True) as connection:
            others = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s"
            connection.execute(others, [url.rpartition("/")[2]])

    def _put_back(self, url: str, catalog: str) -> bool:
        """Put the rows back, and say whether all is as it was."""
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            if connection.execute(CATALOG).fetchone()[0] != catalog:
                return False
            connection.execute("SET session_replication_role = replica")  # past the guards and references
            asked = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in self.rows)
            for (table,) in connection.execute(asked).fetchall():
                connection.execute(f"DELETE FROM {table}")
                connection.execute(f"VACUUM {table}")  # so that new rows lie in the order of their coming
            for table, rows in self.rows.items():
                if rows:
                    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copy:
                        copy.write(rows)
            for name, (last, called) in self.counters.items():
                connection.execute("SELECT setval(%s, %s, %s)", [name, last, called])
        return True
