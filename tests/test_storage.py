"""The register's storage, on SQLite and on PostgreSQL: its schema, its turns, what the database itself refuses."""

import fcntl
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.audit import CONSOLE, Act
from app.db import Database, StorageError
from app.keeping import ensure_schema
from app.schema import head, migrate, own_tables, revision
from app.tables import FROZEN, GUARDED, addresses, api_keys, audit, maps, metadata
from tests.conftest import empty_postgres
from tests.filling import AT, DAY, add_address, add_map, fill
from tests.others import OTHERS, die_at_commit, make_ready


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with nothing in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'register.db'}"
    return empty_postgres(request.getfixturevalue("postgres"), f"empty_{time.monotonic_ns()}")


# --- the schema ---


def test_the_migrations_make_what_the_tables_describe(database: Database) -> None:
    options = {"include_name": lambda name, kind, _: not (kind == "table" and name == "spatial_ref_sys")}
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
        assert condition_of_the_active_number(connection) == "status<>'retired'"


def condition_of_the_active_number(connection: sa.Connection) -> str:
    asked = "SELECT sql FROM sqlite_master WHERE name = 'one_active_number'"
    if connection.dialect.name == "postgresql":
        asked = "SELECT indexdef FROM pg_indexes WHERE indexname = 'one_active_number'"
    made = str(connection.execute(sa.text(asked)).scalar_one())
    return re.sub(r"\s|\(|\)|::text", "", made.partition("WHERE")[2])


def test_the_schema_can_be_unmade_and_made_again(database: Database) -> None:
    with database.write() as connection:
        migrate(connection, "base")
        assert own_tables(connection) == []
        migrate(connection)
        assert set(own_tables(connection)) == set(metadata.tables)


def test_an_empty_database_is_made_ready_and_then_left_alone(empty_url: str, tmp_path: Path) -> None:
    with closing(Database(empty_url, tmp_path)) as database:
        ensure_schema(database)
        moved = database.changes.value
        ensure_schema(database)
        assert database.changes.value == moved
        with database.read() as connection:
            assert revision(connection) == head()


def test_workers_that_start_together_on_an_empty_database_do_not_collide(empty_url: str, tmp_path: Path) -> None:
    told = OTHERS.Queue()
    workers = [OTHERS.Process(target=make_ready, args=(empty_url, tmp_path, told)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4


def test_a_database_of_another_release_is_refused_and_said_why(database: Database) -> None:
    for found, said in (("0000", "newer release"), ("9999", "newer release")):
        with database.write() as connection:
            connection.execute(sa.text(f"UPDATE alembic_version SET version_num = '{found}'"))
        with pytest.raises(StorageError, match=said):
            ensure_schema(database)


def test_a_database_of_an_older_release_names_the_command(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.schema.head", lambda: "next")
    with pytest.raises(StorageError, match="benton-streets upgrade"):
        ensure_schema(database)


def test_a_database_of_something_else_is_left_alone(empty_url: str, tmp_path: Path) -> None:
    with closing(Database(empty_url, tmp_path)) as database:
        with database.write() as connection:
            connection.execute(sa.text("CREATE TABLE parcels (id integer)"))
        with pytest.raises(StorageError, match="parcels"):
            ensure_schema(database)
        with database.read() as connection:
            assert own_tables(connection) == ["parcels"]


def test_the_villages_gis_reads_the_active_addresses_as_points(database: Database) -> None:
    if database.is_sqlite:
        return
    fill(database)
    with database.write() as connection:
        gone = {"status": "retired", "retired_at": Act(connection, CONSOLE).at}
        connection.execute(sa.update(addresses).where(addresses.c.number == 102).values(**gone))
    with database.read() as connection:
        found = connection.execute(
            sa.text("SELECT number, ST_AsText(geom, 5), ST_SRID(geom) FROM address_points")
        ).all()
    assert found == [(100, "POINT(-90.379 42.57)", 4326), (104, "POINT(-90.37896 42.57)", 4326)]


# --- what the database refuses ---


def test_the_database_refuses_to_alter_or_delete(database: Database) -> None:
    """Seen to fail for a table whose trigger was left out of the migration."""
    for name in GUARDED:
        with database.write(referring=False) as connection:
            if not database.is_sqlite:
                connection.execute(sa.text(f"ALTER TABLE {name} DISABLE TRIGGER ALL"))  # references, to fill one table
            connection.execute(sa.insert(metadata.tables[name]).values(**something(metadata.tables[name])))
            if not database.is_sqlite:
                connection.execute(sa.text(f"ALTER TABLE {name} ENABLE TRIGGER ALL"))
    for name, acts in GUARDED.items():
        table = metadata.tables[name]
        for act in acts:
            change = sa.delete(table) if act == "DELETE" else sa.update(table).values({c: c for c in table.columns})
            with pytest.raises(IntegrityError, match=f"{name}: {act} is refused"), database.write() as connection:
                connection.execute(change)
        if not database.is_sqlite:
            with pytest.raises(IntegrityError, match="TRUNCATE is refused"), database.write() as connection:
                connection.execute(sa.text(f"TRUNCATE {name} CASCADE"))


def something(table: sa.Table) -> dict[str, Any]:
    """A row of any table, its references aside."""
    plain: dict[Any, Any] = {"Integer": 1, "Float": 1.0, "Boolean": True, "LargeBinary": b"x", "Json": {}}
    plain |= {"Instant": AT, "Day": DAY}
    made = {c.name: None if c.nullable else plain.get(type(c.type).__name__, "x") for c in table.columns}
    return made | ({"status": STATUS[table.name]} if table.name in STATUS else {})


STATUS = {"addresses": "official", "maps": "proposal", "doubts": "open"}


def test_a_maps_content_is_frozen_and_its_state_is_not(database: Database) -> None:
    with database.write() as connection:
        add_map(Act(connection, CONSOLE))
        connection.execute(sa.update(maps).values(status="adopted"))
        connection.execute(sa.update(maps).values({column: maps.c[column] for column in FROZEN["maps"]}))
    others = {"version": 2, "snapshot": b"", "digest": "1", "law_date": DAY + timedelta(1)}
    assert set(others) == set(FROZEN["maps"])
    for column, value in others.items():
        with pytest.raises(IntegrityError, match="is refused"), database.write() as connection:
            connection.execute(sa.update(maps).values({column: value}))


def test_an_entry_of_the_audit_is_not_replaced_either(database: Database) -> None:
    fill(database)
    if not database.is_sqlite:
        return
    replacing = sa.text("INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE seq = 1")
    with pytest.raises(IntegrityError, match="refused"), database.write() as connection:
        connection.execute(replacing)


def test_an_active_number_is_held_once_and_a_retired_one_is_free(database: Database) -> None:
    """Seen to fail on both databases with `unique=True` taken from `one_active_number` in the migration."""
    fill(database)
    with pytest.raises(IntegrityError), database.write() as connection:
        add_address(Act(connection, CONSOLE), 102)
    with database.write() as connection:
        act = Act(connection, CONSOLE)
        add_address(act, 102, suffix="A")
        gone = {"status": "retired", "retired_at": act.at}
        connection.execute(sa.update(addresses).where(addresses.c.number == 102).values(**gone))
        add_address(act, 102)


# --- turns ---


def test_a_write_is_kept_whole_or_not_at_all(database: Database) -> None:
    fill(database)
    moved = database.changes.value

    def fails_late() -> None:
        with database.write() as connection:
            Act(connection, CONSOLE).record("try", "users", 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails_late()
    assert database.changes.value == moved
    with database.read() as connection:
        assert "try" not in connection.execute(sa.select(audit.c.what)).scalars().all()


def test_a_read_sees_one_state_while_others_write_and_keeps_none_waiting(database: Database) -> None:
    fill(database)
    counted = sa.select(sa.func.count()).select_from(audit)
    with database.read() as reading:
        before = reading.execute(counted).scalar_one()
        started = time.monotonic()
        with database.write() as connection:
            Act(connection, CONSOLE).record("write", "users", 1)
        assert time.monotonic() - started < 5
        assert reading.execute(counted).scalar_one() == before
    with database.read() as reading:
        assert reading.execute(counted).scalar_one() == before + 1


def test_writers_of_one_process_take_turns(database: Database) -> None:
    """Each reads the last entry and appends the next: two at once would have one number.

    Seen to fail on PostgreSQL without `pg_advisory_xact_lock` (IntegrityError: the audit's key is there twice). On
    SQLite BEGIN IMMEDIATE alone keeps the chain whole; what is lost there without the file lock is fairness, which
    `test_fairness` measures.
    """

    def writes(name: str) -> None:
        for _ in range(10):
            with database.write() as connection:
                Act(connection, CONSOLE).record("write", "users", name)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(writes, "abcdefgh"))
    with database.read() as connection:
        assert connection.execute(sa.select(sa.func.count(), sa.func.max(audit.c.seq))).one() == (80, 80)


def test_the_counter_moves_with_every_write_for_every_worker(database: Database, tmp_path: Path) -> None:
    with closing(Database(database.url.render_as_string(hide_password=False), tmp_path / "state")) as other:
        values = [other.changes.value]
        for _ in range(3):
            with database.write() as connection:
                Act(connection, CONSOLE).record("write", "users", 1)
            values.append(other.changes.value)
        assert len(set(values)) == 4
        assert database.changes.value == values[-1]


def test_a_worker_killed_between_its_commit_and_telling_leaves_none_with_what_is_old(database: Database) -> None:
    """Seen to fail with a counter that only moves after the commit: the other worker's value stays as it was."""
    before = database.changes.value
    url = database.url.render_as_string(hide_password=False)
    worker = OTHERS.Process(target=die_at_commit, args=(url, database.file.parent))
    worker.start()
    worker.join(60)
    assert worker.exitcode == -signal.SIGKILL
    after = database.changes.value
    assert after != before
    assert database.changes.value == after, "and it is mended, so that what is read now may be kept"
    with database.write() as connection:
        assert connection.execute(sa.select(audit.c.what)).scalars().all() == ["last words"]
    assert database.changes.value != after


def test_while_a_write_is_being_committed_nothing_read_may_be_kept(database: Database) -> None:
    seen: list[int] = []

    @sa.event.listens_for(database.engine, "commit")
    def _committing(_: sa.Connection) -> None:
        seen.extend([database.changes.value, database.changes.value])

    with database.write() as connection:
        Act(connection, CONSOLE).record("write", "users", 1)
    assert len({*seen, database.changes.value}) == 3


# --- a database that cannot be used ---


def test_a_constraints_refusal_passes_as_it_is(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as connection:
        connection.execute(sa.insert(addresses).values(id=1))


def test_an_error_of_a_statement_is_not_taken_for_the_databases(empty_url: str, tmp_path: Path) -> None:
    with closing(Database(empty_url, tmp_path)) as database:
        expected = StorageError if database.is_sqlite else DBAPIError  # SQLite has one kind for both
        with pytest.raises(expected), database.read() as connection:
            connection.execute(sa.text("SELECT * FROM nothing"))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://root@localhost/x", "expected sqlite:///FILE"),
        ("sqlite://", "expected sqlite:///FILE"),
        ("no url", "expected sqlite:///FILE"),
        ("postgresql://nobody:secret@127.0.0.1:1/x", "cannot be used now"),
        ("sqlite:////proc/register.db", "cannot be written"),
    ],
)
def test_a_database_that_is_not_there_is_said_so(url: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=said) as raised, closing(Database(url, tmp_path)) as database:
        ensure_schema(database)
    assert "secret" not in str(raised.value)


def test_a_full_disk_is_said_so_and_loses_nothing(tmp_path: Path) -> None:
    """A file system of 3 MB; where none may be mounted, SQLite's own bound stands for it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", folder], check=False).returncode == 0
    try:
        with closing(Database(f"sqlite:///{folder / 'register.db'}", folder)) as database:
            ensure_schema(database)
            if not mounted:
                sa.event.listen(database.engine, "checkout", lambda raw, *_: raw.execute("PRAGMA max_page_count=60"))
                database.engine.dispose()
            head_before = fill(database)
            with pytest.raises(StorageError, match="full"):
                write_too_much(database)
            with database.read() as connection:
                last = sa.select(audit.c.hash).order_by(audit.c.seq.desc()).limit(1)
                assert connection.execute(last).scalar_one() == head_before
    finally:
        if mounted:
            subprocess.run(["umount", "-l", folder], check=True)


def write_too_much(database: Database) -> None:
    with database.write() as connection:
        act = Act(connection, CONSOLE)
        for _ in range(10_000):
            act.record("write", "users", 1, None, {"text": os.urandom(400).hex()})


def test_a_damaged_file_is_said_so(tmp_path: Path) -> None:
    file = tmp_path / "register.db"
    file.write_bytes(b"no database" * 1000)
    with (
        closing(Database(f"sqlite:///{file}", tmp_path)) as database,
        pytest.raises(StorageError, match="not a database"),
    ):
        ensure_schema(database)


def test_the_file_is_not_for_every_account_to_read(tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{tmp_path / 'register.db'}", tmp_path)) as database:
        ensure_schema(database)
        fill(database)
        found = {path.name: path.stat().st_mode & 0o007 for path in tmp_path.iterdir()}
    assert set(found.values()) == {0}
    assert {"register.db", "register.db-wal"} <= set(found)


def test_what_was_committed_is_on_the_disk(database: Database) -> None:
    with database.read() as connection:
        if database.is_sqlite:
            asked = ("PRAGMA journal_mode", "PRAGMA synchronous", "PRAGMA foreign_keys", "PRAGMA recursive_triggers")
            assert [connection.execute(sa.text(a)).scalar_one() for a in asked] == ["wal", 2, 1, 1]
        else:
            assert connection.execute(sa.text("SHOW synchronous_commit")).scalar_one() == "on"


def test_a_writer_that_waits_too_long_is_told_so(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    if database.is_sqlite:
        return
    monkeypatch.setitem(__import__("app.db", fromlist=["x"]).POSTGRESQL_OPTIONS, "lock_timeout", "200")
    url = database.url.render_as_string(hide_password=False)
    with closing(Database(url, database.file.parent)) as other, database.write():
        started = threading.Event()
        with pytest.raises(StorageError, match="lock timeout"), other.write():
            started.set()
        assert not started.is_set()


def refused_at_once(database: Database) -> str:
    """Try to write without waiting, and say why it was refused, at once."""
    started = time.monotonic()
    with pytest.raises(StorageError) as refused, database.write(waiting=False):
        pytest.fail("it was written beside another writer")
    assert time.monotonic() - started < 2
    return str(refused.value)


def test_a_write_that_does_not_wait_is_refused_while_another_writes(database: Database) -> None:
    """Seen to fail with `waiting` left out of `turn` and `_queue`: it waits for the other writer for ever."""
    url = database.url.render_as_string(hide_password=False)
    with closing(Database(url, database.file.parent)) as other:
        for writer in (database, other):
            with writer.write():
                assert "not waited for" in refused_at_once(other)
    with database.write(waiting=False) as connection:
        Act(connection, CONSOLE).record("write", "users", 1)
    with database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(audit)).scalar_one() == 1


def test_a_write_that_does_not_wait_stands_behind_those_that_do(database: Database) -> None:
    if not database.is_sqlite:
        return  # PostgreSQL's own lock has no second file
    with (database.file.with_name(f"{database.file.name}.queue")).open("wb") as queue:
        fcntl.flock(queue, fcntl.LOCK_EX)
        assert "not waited for" in refused_at_once(database)


def test_a_write_that_does_not_wait_is_refused_while_another_program_writes(database: Database) -> None:
    """Another program knows nothing of the turns; afterwards the connection waits as ever."""
    if database.is_sqlite:
        with closing(sqlite3.connect(database.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert "locked" in refused_at_once(database)
        with database.read() as connection:
            assert connection.execute(sa.text("PRAGMA busy_timeout")).scalar_one() == 15_000
        return
    url = database.url.render_as_string(hide_password=False)
    with closing(Database(url, database.file.parent)) as other, other.engine.connect() as connection:
        connection.execute(sa.text("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE"))
        started = time.monotonic()
        with pytest.raises(StorageError, match="lock timeout"), database.write(waiting=False) as writing:
            writing.execute(sa.update(api_keys).values(used_at=None))
        assert time.monotonic() - started < 2


def test_sqlite_outside_the_service_reads_the_file(tmp_path: Path, migrated_sqlite: Path) -> None:
    with closing(sqlite3.connect(migrated_sqlite)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("instead", ["nothing", "a copy"])
def test_a_register_whose_file_is_moved_away_while_it_is_served_takes_nothing_more(
    tmp_path: Path, instead: str
) -> None:
    """What is written would be in a file that nobody opens again, though it was acknowledged."""
    file, away = tmp_path / "register.db", tmp_path / "moved.db"
    with closing(Database(f"sqlite:///{file}", tmp_path)) as database:
        ensure_schema(database)
        file.rename(away)
        if instead == "a copy":
            shutil.copy(away, file)
        for open_it in (database.read, database.write):
            with pytest.raises(StorageError, match="moved or replaced"), open_it():
                pass
        assert file.exists() == (instead == "a copy")
        away.rename(file)
        with database.write() as connection:
            Act(connection, CONSOLE).record("look", "users", 1)
