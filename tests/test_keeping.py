"""Backup, restore, verify, upgrade and the nightly backup, on SQLite and on PostgreSQL and from one to the other."""

import json
import os
import re
import shutil
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from typer.main import get_command

from app import registers, schema
from app.archive import LEFT_OUT, ArchiveError, appearing, read_manifest, write_archive
from app.audit import CONSOLE, Act, head
from app.cli import app as cli
from app.cli import main
from app.db import Database, StorageError
from app.keeping import BrokenError, ensure_schema, last_backup, nightly, restore, upgrade
from app.settings import Settings
from app.tables import addresses, audit, metadata, renamings, sessions, users
from app.verify import verify
from tests.conftest import ROOT, empty_postgres
from tests.filling import AT, add_address, content, fill
from tests.others import OTHERS, die_while_restoring, hold_open


def breaks(database: Database, old_head: str = "") -> list[str]:
    with database.read() as connection:
        return list(verify(connection, old_head))


def assign(database: Database, number: int) -> str:
    with database.write() as connection:
        add_address(Act(connection, CONSOLE, "more", AT), number)
        return head(connection)


@contextmanager
def without_refusals(database: Database, table: str) -> Iterator[sa.Connection]:
    """Write as the database's owner could, past the triggers, which are put back."""
    if not database.is_sqlite:
        with database.write() as connection:
            connection.execute(sa.text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
            yield connection
            connection.execute(sa.text(f"ALTER TABLE {table} ENABLE TRIGGER USER"))
        return
    with database.write(referring=False) as connection:
        asked = sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :table")
        triggers = connection.execute(asked, {"table": table}).all()
        for name, _ in triggers:
            connection.execute(sa.text(f"DROP TRIGGER {name}"))
        yield connection
        for _, made in triggers:
            connection.exec_driver_sql(made)


# --- verify ---


def test_a_register_as_the_service_writes_it_is_whole(database: Database) -> None:
    assert breaks(database) == []
    old = fill(database)
    assign(database, 110)
    assert breaks(database) == []
    assert breaks(database, old) == []
    assert "no entry has the head" in breaks(database, "ab" * 32)[0]


SPOILT = {
    "UPDATE audit SET reason = 'x' WHERE seq = 3": "audit 3: its content is not what was recorded",
    "DELETE FROM audit WHERE seq = 1": "entries 1 to 1 are missing",
    "UPDATE addresses SET number = 998 WHERE id = 1": "addresses 1: number changed since audit",
    "DELETE FROM addresses WHERE id = 3": "addresses 3: audit 8 tells of it and it is not there",
    "UPDATE locations SET lon = lon + 1 WHERE id = 2": "locations 2: lon changed",
    "UPDATE maps SET status = 'adopted'": "maps 1: status changed",
    "UPDATE explanations SET body = BYTES": "its content is not what was issued",
    "UPDATE documents SET sha256 = 'a'": "its file is not what was issued",
    "UPDATE documents SET audit_head = 'a'": "the audit has no entry with the head printed on it",
    "UPDATE addresses SET replaced_by = 77 WHERE id = 2": "addresses 2: its replaced_by 77 is not there",
}


def test_every_silent_change_is_found(database: Database) -> None:
    fill(database)
    assert breaks(database) == []
    if not database.is_sqlite:
        with database.write() as connection:
            connection.execute(sa.text("ALTER TABLE addresses DROP CONSTRAINT addresses_replaced_by_fkey"))
    for change in SPOILT:
        with without_refusals(database, change.replace("DELETE FROM", "UPDATE").split()[1]) as connection:
            connection.exec_driver_sql(change.replace("BYTES", "x'00'" if database.is_sqlite else "'\\x00'::bytea"))
    found = breaks(database)
    assert [said for said in SPOILT.values() if not any(said in one for one in found)] == [], found


def test_what_cannot_even_be_read_is_a_break_too(database: Database) -> None:
    fill(database)
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE addresses SET law_date = 'soon', findings = '{' WHERE id = 1")
    assert any(one.startswith("addresses: holds what cannot be read") for one in breaks(database))


def test_an_address_of_no_act_is_found(database: Database) -> None:
    fill(database)
    with database.write() as connection:
        row = dict(connection.execute(sa.select(addresses).where(addresses.c.id == 1)).mappings().one())
        connection.execute(sa.insert(addresses).values({**row, "id": 50, "suffix": "B"}))
    assert breaks(database) == ["addresses 50: the log knows nothing of it"]


def test_a_number_held_twice_is_found_should_the_constraint_be_gone(database: Database) -> None:
    fill(database)
    with database.write() as connection:
        connection.execute(sa.text("DROP INDEX one_active_number"))
        if database.is_sqlite:  # whose own refusal of REPLACE would refuse it too
            for act in ("insert", "update"):
                connection.execute(sa.text(f"DROP TRIGGER addresses_replaced_{act}"))
        add_address(Act(connection, CONSOLE), 102)
    found = breaks(database)
    assert any("2 rows have street_key, half, number_prefix, number" in one for one in found), found
    assert any("one_active_number" in one and "schema" in one for one in found), found


def test_a_trigger_that_is_gone_or_off_is_found(database: Database) -> None:
    with database.write() as connection:
        off = "DROP TRIGGER audit_no_delete" + ("" if database.is_sqlite else " ON audit")
        connection.execute(sa.text(off))
        if not database.is_sqlite:
            connection.execute(sa.text("ALTER TABLE maps DISABLE TRIGGER maps_frozen"))
    found = breaks(database)
    assert "audit_no_delete is missing or off" in found[0]
    assert len(found) == (1 if database.is_sqlite else 2)


def test_a_whole_new_chain_fails_against_an_old_head(database: Database) -> None:
    """What the owner of the database could write: a log that is whole in itself and tells another story."""
    old = fill(database)
    with without_refusals(database, "audit") as connection:
        rows = [dict(row) for row in connection.execute(sa.select(audit).order_by(audit.c.seq)).mappings()]
        connection.execute(sa.delete(audit))
        for row in rows:
            act = Act(connection, CONSOLE, "another story", row["at"], row["act"])
            load = {name: json.loads(row[name]) if row[name] else None for name in ("before", "after")}
            act.record(row["what"], row["kind"], row["subject"], **load)
    with without_refusals(database, "documents") as connection:
        connection.exec_driver_sql("UPDATE documents SET audit_head = (SELECT max(hash) FROM audit)")
    assert breaks(database) == []
    assert breaks(database, old) == [f"audit 0: no entry has the head {old}: the log was rewritten since, or cut short"]


# --- backup and restore ---


@pytest.fixture(params=["sqlite", "postgresql"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Another database, with nothing in it."""
    url = f"sqlite:///{tmp_path / 'other' / 'other.db'}"
    if request.param == "postgresql":
        url = empty_postgres(request.getfixturevalue("postgres"), f"other_{os.urandom(6).hex()}")
    with closing(Database(url, tmp_path / "other")) as made:
        yield made


def test_a_backup_restores_into_either_database(database: Database, other: Database, tmp_path: Path) -> None:
    kept = fill(database)
    with database.write() as connection:  # one that refers to a later one
        act = Act(connection, CONSOLE)
        changes = {"replaced_by": 3, "status": "retired", "retired_at": AT, "retired_reason": "\ud83d\ude00 ¬"[2:]}
        row = connection.execute(sa.select(addresses).where(addresses.c.id == 1)).mappings().one()
        registers.update(act, "retire", addresses, dict(row), changes)
    made = write_archive(database, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").stat().st_mode & 0o077 == 0
    done = restore(other, tmp_path / "b.zip", tmp_path)
    assert (done.kept, done.breaks) == (None, [])
    assert content(other) == content(database)
    with other.read() as connection:
        assert head(connection) == made.audit_head != kept
    assign(other, 200)
    assert breaks(other, made.audit_head) == []


def test_a_restore_replaces_all_and_keeps_what_was_there(database: Database, tmp_path: Path) -> None:
    fill(database)
    first = content(database)
    write_archive(database, tmp_path / "first.zip")
    assign(database, 120)
    second = content(database)
    done = restore(database, tmp_path / "first.zip", tmp_path / "backups")
    assert content(database) == first
    assert done.kept is not None
    restore(database, done.kept, tmp_path / "backups")
    assert content(database) == second
    assign(database, 122)
    assert breaks(database) == []
    with pytest.raises(sa.exc.IntegrityError, match="refused"), database.write() as connection:
        connection.execute(sa.delete(audit))


def test_a_session_ended_since_is_not_open_again(database: Database, tmp_path: Path) -> None:
    fill(database)
    with database.write() as connection:
        about = {"token_hash": "t", "user_id": 1, "csrf": "c", "acting_for": "", "agent": ""}
        connection.execute(sa.insert(sessions).values(**about, made_at=AT, seen_at=AT, expires_at=AT))
    made = write_archive(database, tmp_path / "b.zip")
    assert not LEFT_OUT & set(made.tables)
    restore(database, tmp_path / "b.zip", tmp_path)
    with database.read() as connection:
        assert connection.execute(sa.select(sessions)).all() == []
        assert connection.execute(sa.select(users.c.name)).scalars().all() == ["Änne"]


def test_whoever_has_the_database_open_sees_the_one_or_the_other(database: Database, tmp_path: Path) -> None:
    fill(database)
    write_archive(database, tmp_path / "b.zip")
    assign(database, 120)
    url = database.url.render_as_string(hide_password=False)
    counted = sa.select(sa.func.count()).select_from(addresses)
    with closing(Database(url, database.file.parent)) as running:
        moved = running.changes.value
        with running.read() as reading:
            assert reading.execute(counted).scalar_one() == 4
            restore(database, tmp_path / "b.zip", tmp_path)
            assert reading.execute(counted).scalar_one() == 4
        assert running.changes.value != moved
        with running.read() as reading:
            assert reading.execute(counted).scalar_one() == 3
        assign(running, 130)
        assert breaks(database) == []


def test_a_backup_while_the_service_writes_is_one_state(database: Database, tmp_path: Path) -> None:
    fill(database)
    stop = threading.Event()

    def keeps_writing() -> None:
        number = 1000
        while not stop.is_set():
            assign(database, number)
            number += 2

    writer = threading.Thread(target=keeps_writing)
    writer.start()
    try:
        for k in range(5):
            write_archive(database, tmp_path / f"{k}.zip")
    finally:
        stop.set()
        writer.join()
    assert len({read_manifest(tmp_path / f"{k}.zip").audit_head for k in range(5)}) > 1
    assert [restore(database, tmp_path / f"{k}.zip", tmp_path).breaks for k in (4, 0)] == [[], []]


def test_a_file_that_is_there_is_replaced_only_by_force(database: Database, tmp_path: Path) -> None:
    fill(database)
    file = tmp_path / "b.zip"
    file.write_text("mine")
    with pytest.raises(StorageError, match="--force"):
        write_archive(database, file)
    assert file.read_text() == "mine"
    write_archive(database, file, force=True)
    read_manifest(file)
    assert [path.name for path in tmp_path.glob(".*")] == []


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (os.mkfifo, "a pipe"),
        (lambda place: place.mkdir(), "a folder"),
        (lambda place: place.symlink_to("mine.zip"), "a link"),
        (lambda place: place.symlink_to("nowhere.zip"), "a link"),
    ],
)
@pytest.mark.parametrize("force", [True, False])
def test_what_is_no_file_is_never_replaced_by_a_backup(
    migrated_sqlite: Path, tmp_path: Path, made: Callable[[Path], object], kind: str, force: bool
) -> None:
    """Seen to fail before: by --force a pipe was gone and a file in its place; a link to nothing even without it."""
    place, mine = tmp_path / "b.zip", tmp_path / "mine.zip"
    mine.write_text("mine")
    made(place)
    before = place.lstat()
    with (
        closing(Database(f"sqlite:///{migrated_sqlite}", tmp_path)) as database,
        pytest.raises(StorageError, match=f"{kind} called b.zip"),
    ):
        write_archive(database, place, force=force)
    assert (place.lstat().st_mode, place.lstat().st_ino) == (before.st_mode, before.st_ino)
    assert mine.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "mine.zip"]


def test_what_comes_to_the_place_while_a_backup_is_written_stays(migrated_sqlite: Path, tmp_path: Path) -> None:
    place = tmp_path / "b.zip"
    with pytest.raises(StorageError, match="a pipe"), appearing(place, replace=True):
        os.mkfifo(place)
    assert place.is_fifo()


def spoil(file: Path, change: Callable[[dict[str, bytes]], object]) -> None:
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)


def with_manifest(**changes: Any) -> Callable[[dict[str, bytes]], object]:
    def change(parts: dict[str, bytes]) -> None:
        parts["manifest.json"] = json.dumps({**json.loads(parts["manifest.json"]), **changes}).encode()

    return change


DAMAGED: dict[str, Callable[[dict[str, bytes]], object]] = {
    "another number": lambda p: p.update({"addresses.jsonl": p["addresses.jsonl"].replace(b"102", b"103")}),
    "a row gone": lambda p: p.update({"addresses.jsonl": p["addresses.jsonl"].split(b"\n", 1)[1]}),
    "a table gone": lambda p: p.pop("locations.jsonl"),
    "one more file": lambda p: p.update({"x": b""}),
    "no manifest": lambda p: p.pop("manifest.json"),
    "another form": with_manifest(format="something else"),
    "of a newer release": with_manifest(revision="9999"),
    "of nothing": with_manifest(tables={}),
    "a table of another": lambda p: with_manifest(
        tables={**json.loads(p["manifest.json"])["tables"], "x": {"columns": {}, "rows": 0, "sha256": "0"}}
    )(p),
}


def test_a_damaged_or_foreign_file_changes_nothing(database: Database, tmp_path: Path) -> None:
    fill(database)
    whole, file = tmp_path / "whole.zip", tmp_path / "b.zip"
    write_archive(database, whole)
    assign(database, 120)
    before = content(database)
    for change in DAMAGED.values():
        shutil.copyfile(whole, file)
        spoil(file, change)
        with pytest.raises(ArchiveError):
            restore(database, file, tmp_path / "backups")
    for damaged in (whole.read_bytes()[:-400], b"mine", b""):
        file.write_bytes(damaged)
        with pytest.raises(ArchiveError):
            restore(database, file, tmp_path / "backups")
    with pytest.raises(ArchiveError, match="No such file"):
        restore(database, tmp_path / "none.zip", tmp_path / "backups")
    assert content(database) == before
    assert not (tmp_path / "backups").exists()


def test_what_was_broken_already_is_restored_only_when_asked(database: Database, tmp_path: Path) -> None:
    fill(database)
    with without_refusals(database, "addresses") as connection:
        connection.exec_driver_sql("UPDATE addresses SET suffix = 'Z' WHERE id = 1")
    write_archive(database, tmp_path / "b.zip")
    before = content(database)
    with pytest.raises(BrokenError, match="suffix changed"):
        restore(database, tmp_path / "b.zip", tmp_path / "backups")
    assert content(database) == before
    done = restore(database, tmp_path / "b.zip", tmp_path / "backups", broken=True)
    assert len(done.breaks) == 1
    assert content(database) == before


def test_a_damaged_sqlite_file_is_put_aside_while_nobody_has_it_open(tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{tmp_path / 'a.db'}", tmp_path)) as good:
        ensure_schema(good)
        fill(good)
        write_archive(good, tmp_path / "b.zip")
        first = content(good)
    (tmp_path / "bad.db").write_bytes(b"rubbish " * 1000)
    with closing(Database(f"sqlite:///{tmp_path / 'bad.db'}", tmp_path)) as bad:
        url = f"sqlite:///{tmp_path / 'bad.db'}"
        running = OTHERS.Process(target=hold_open, args=(url, tmp_path))
        running.start()
        wait_for(tmp_path / "held")
        with pytest.raises(StorageError, match="stop the service"):
            restore(bad, tmp_path / "b.zip", tmp_path)
        running.kill()
        running.join()
        done = restore(bad, tmp_path / "b.zip", tmp_path)
        assert done.kept is not None
        assert done.kept.read_bytes().startswith(b"rubbish")
        assert content(bad) == first


def wait_for(file: Path) -> None:
    for _ in range(600):
        if file.exists():
            return
        threading.Event().wait(0.1)
    pytest.fail(f"{file} did not appear")


@pytest.mark.parametrize("at", ["_filled", "verify", "_count_on", "_pour"])
def test_a_restore_that_is_killed_leaves_what_was_there(database: Database, at: str, tmp_path: Path) -> None:
    if at == ("_count_on" if database.is_sqlite else "_pour"):
        return
    fill(database)
    write_archive(database, tmp_path / "b.zip")
    assign(database, 120)
    before = content(database)
    url = database.url.render_as_string(hide_password=False)
    worker = OTHERS.Process(target=die_while_restoring, args=(url, tmp_path / "b.zip", database.file.parent, at))
    worker.start()
    worker.join(60)
    assert worker.exitcode == 9
    assert content(database) == before
    assign(database, 124)
    restore(database, tmp_path / "b.zip", tmp_path / "backups")
    assert breaks(database) == []


# --- upgrade ---

HEAD = schema.head()
RELEASED = Path(__file__).parent / "released"
NEXT = f"""
import sqlalchemy as sa
from alembic import op

revision, down_revision = "next", "{HEAD}"


def upgrade():
    with op.batch_alter_table("locations") as batch:
        batch.add_column(sa.Column("floor", sa.Integer(), nullable=False, server_default="0"))
    op.create_table("signs", sa.Column("id", sa.Integer(), primary_key=True))


def downgrade():
    op.drop_table("signs")
    with op.batch_alter_table("locations") as batch:
        batch.drop_column("floor")
"""


@pytest.fixture
def next_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool], None]]:
    """Switch between this release and one whose schema is newer."""
    made = tmp_path / "migrations"
    shutil.copytree(schema.MIGRATIONS, made)
    (made / "versions" / "next.py").write_text(NEXT)
    table = metadata.tables["locations"]

    def install(newer: bool) -> None:
        monkeypatch.setattr(schema, "MIGRATIONS", made if newer else ours)
        if newer and "floor" not in table.columns:
            table.append_column(sa.Column("floor", sa.Integer, nullable=False, server_default="0"))
            sa.Table("signs", metadata, sa.Column("id", sa.Integer, primary_key=True))
        elif not newer and "floor" in table.columns:
            table._columns.remove(table.columns["floor"])
            metadata.remove(metadata.tables["signs"])

    ours = schema.MIGRATIONS
    yield install
    install(False)


def test_an_upgrade_backs_up_migrates_and_verifies_and_can_be_gone_back_from(
    database: Database, next_release: Callable[[bool], None], tmp_path: Path
) -> None:
    fill(database)
    before = content(database)
    next_release(True)
    done = upgrade(database, tmp_path / "backups")
    assert (done.was, done.now) == (HEAD, "next")
    assert done.backup is not None
    assert breaks(database) == []
    assert upgrade(database, tmp_path / "backups").backup is None
    next_release(False)
    with pytest.raises(StorageError, match="newer release"):
        ensure_schema(database)
    gone_back = restore(database, done.backup, tmp_path / "backups")
    assert content(database) == before
    assert breaks(database) == []
    assert gone_back.kept is not None
    next_release(True)
    restore(database, gone_back.kept, tmp_path / "backups")
    with database.read() as connection:
        assert connection.execute(sa.text("SELECT count(*), sum(floor) FROM locations")).one() == (3, 0)
    assert breaks(database) == []


@pytest.mark.parametrize("was", sorted(schema.known() - {HEAD}))
def test_a_register_of_each_release_becomes_one_of_this(database: Database, was: str, tmp_path: Path) -> None:
    """`tests/released` has a backup that each earlier release made: eight addresses, one retired, two documents."""
    restore(database, RELEASED / f"{was}.zip", tmp_path / "backups")
    assert breaks(database) == []
    with database.read() as connection:
        held = connection.execute(sa.select(addresses.c.status, sa.func.count()).group_by(addresses.c.status)).all()
        assert sorted(map(tuple, held)) == [("official", 7), ("retired", 1)]
    assign(database, 120)
    assert breaks(database) == []


def test_an_upgrade_that_leaves_a_break_changes_nothing(
    database: Database, next_release: Callable[[bool], None], tmp_path: Path
) -> None:
    """On SQLite the table is made anew, and a migration that forgot the triggers would lose them."""
    fill(database)
    next_release(True)
    worse = NEXT.replace("op.create_table", "op.execute('UPDATE locations SET lon = 0')\n    op.create_table", 1)
    (schema.MIGRATIONS / "versions" / "next.py").write_text(worse)
    with pytest.raises(BrokenError, match="Nothing was changed"):
        upgrade(database, tmp_path / "backups")
    next_release(False)
    ensure_schema(database)
    assert breaks(database) == []


def test_an_upgrade_that_fails_or_finds_the_service_running_changes_nothing(
    database: Database, next_release: Callable[[bool], None], tmp_path: Path
) -> None:
    fill(database)
    next_release(True)
    worse = NEXT.replace("op.create_table", "op.execute('nonsense')\n    op.create_table", 1)
    (schema.MIGRATIONS / "versions" / "next.py").write_text(worse)
    with pytest.raises((StorageError, sa.exc.DBAPIError), match="nonsense"):
        upgrade(database, tmp_path / "backups")
    with (
        closing(Database(database.url.render_as_string(hide_password=False), database.file.parent)),
        pytest.raises(StorageError, match="stop the service"),
    ):
        upgrade(database, tmp_path / "backups")
    next_release(False)
    ensure_schema(database)
    assert breaks(database) == []


# --- every night ---


def test_every_night_a_backup_is_proven_noted_and_the_oldest_goes(register_settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "nights"
    with closing(Database(register_settings.database, register_settings.state_dir)) as database:
        fill(database)
        assert last_backup(register_settings) is None
        made = [nightly(database, register_settings, folder, 3) for _ in range(5)]
        assert sorted(folder.iterdir()) == made[2:]
        noted = last_backup(register_settings)
        assert noted is not None
        assert timedelta(0) < datetime.now(UTC) - noted < timedelta(minutes=5)
        with without_refusals(database, "addresses") as connection:
            connection.exec_driver_sql("UPDATE addresses SET suffix = 'Z' WHERE id = 1")
        with pytest.raises(BrokenError, match="suffix changed"):
            nightly(database, register_settings, folder, 3)
        assert last_backup(register_settings) == noted
        assert set(made[2:]) < set(folder.iterdir())


@pytest.mark.parametrize("note", ["", "[]", "{}", '{"at": 3}', '{"at": "soon"}'])
def test_a_note_that_cannot_be_read_is_no_backup(note: str, tmp_path: Path) -> None:
    (tmp_path / "last_backup.json").write_text(note)
    assert last_backup(Settings(state_dir=tmp_path)) is None


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ((("A Street", "B Street"), ("B St", "C Street")), ()),
        ((("A Street", "B Street"), ("B Street", "A Street"), ("A Street", "C Street")), ()),
        ((("A Street", "A Avenue"), ("C Street", "A Street")), ()),
        ((("A St", "A Street"), ("A Street", "A St.")), ()),
        ((("A Street", "B Street"), ("C Street", "b st")), ("renamings 2: renaming 1 made another street b st",)),
        ((("A Street", "B Street"), ("a st.", "C Street")), ("renamings 2: a st. was renamed by renaming 1 already",)),
        ((("A Street", "B Street"), ("C Street", "B Street", "undone")), ()),
    ],
)
def test_renamings_that_make_two_streets_of_one_name_are_told(
    database: Database, named: tuple[tuple[str, ...], ...], found: tuple[str, ...]
) -> None:
    """Names are one however they are spelt, and a renaming that was undone says nothing."""
    with database.write() as connection:
        act = Act(connection, CONSOLE, "renamed", AT)
        for old, new, *undone in named:
            values = {
                "old": old,
                "new": new,
                "decided_on": AT.date(),
                "act": "Resolution",
                "reason": "r",
                "made_at": AT,
            }
            values |= {"made_by": "-", "undone_at": AT if undone else None}
            registers.insert(act, "rename street", renamings, values)
    told = breaks(database)
    assert [said.startswith(start) for said, start in zip(told, found, strict=True)] == [True] * len(found)


# --- the command line ---


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command of ``benton-streets``: its exit code, what it printed and what it complained of."""

    def run(settings: Settings, *arguments: object) -> tuple[int, str, str]:
        monkeypatch.setenv("BENTON_DATABASE_URL", settings.database)
        monkeypatch.setenv("BENTON_STATE_DIR", str(settings.state_dir))
        monkeypatch.setattr(sys, "argv", ["benton-streets", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            sys.exit(main())
        told = capsys.readouterr()
        return int(ended.value.code or 0), told.out, told.err

    return run


Command = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("text", ["", " ", "zzz", "ab" * 31, "ab" * 32 + "c", "g" * 64, "0x" + "a" * 62])
def test_a_head_that_is_none_is_refused_before_the_log_is_looked_at(
    register_settings: Settings, command: Command, text: str
) -> None:
    """Seen to fail before: nothing was told whole (0), and a word told of a log that was rewritten (1)."""
    with closing(Database(register_settings.database, register_settings.state_dir)) as database:
        fill(database)
    code, out, err = command(register_settings, "verify", "--head", text)
    assert (code, out) == (2, "")
    assert "--head: found " + (repr(text) if text.strip() else "nothing") in err
    assert "expected the 64 signs 0 to 9 and a to f" in err


def test_a_head_may_be_typed_in_capitals(register_settings: Settings, command: Command) -> None:
    with closing(Database(register_settings.database, register_settings.state_dir)) as database:
        old = fill(database)
    assert command(register_settings, "verify", "--head", f" {old.upper()}\n")[:2] == (0, "The register is whole.\n")


@pytest.mark.parametrize("number", ["999999999999999999999", "2000000001", "0", "-- -1", "1e400", "²", "x"])
def test_an_id_that_no_key_can_have_is_refused_with_its_bounds(
    register_settings: Settings, command: Command, number: str
) -> None:
    """Seen to fail before with the first: SQLite has no integer of 21 digits (OverflowError)."""
    code, out, err = command(register_settings, "keys", "revoke", *number.split())
    assert (code, out) == (2, "")
    assert f"ID: found {number.removeprefix('-- ')}, expected the id of a key from the list, 1 to 2000000000" in err


@pytest.mark.parametrize(
    ("given", "address", "told"),
    [
        ({}, "http://127.0.0.1:8000", "BENTON_HOST, BENTON_PORT and BENTON_TLS_CERT"),
        ({"BENTON_PORT": "8765"}, "http://127.0.0.1:8765", "or set BENTON_PUBLIC_URL"),
        ({"BENTON_PUBLIC_URL": "https://numbers.example.org/"}, "https://numbers.example.org", "of BENTON_PUBLIC_URL."),
    ],
)
def test_a_link_is_printed_with_the_address_of_the_settings_and_says_so(
    register_settings: Settings,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, str],
    address: str,
    told: str,
) -> None:
    """The link alone is on standard output; what it is made of is on standard error."""
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    for asked in (("add", "Ann Berg", "--role", "clerk"), ("link", "Ann Berg")):
        code, out, err = command(register_settings, "users", *asked)
        assert code == 0
        assert re.fullmatch(rf"{re.escape(address)}/link/[\w-]{{43}}\n", out)
        assert told in err


def test_the_commands_say_what_they_did_and_end_with_its_code(
    register_settings: Settings, command: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    with closing(Database(register_settings.database, register_settings.state_dir)) as database:
        old = fill(database)
    assert command(register_settings, "verify", "--head", old)[:2] == (0, "The register is whole.\n")
    code, out, err = command(register_settings, "verify", "--head", "ab" * 32)
    assert (code, "no entry has the head" in out, err) == (1, True, "The register is broken in 1 places.\n")
    file = tmp_path / "b.zip"
    assert old in command(register_settings, "backup", file)[1]
    assert command(register_settings, "backup", file)[0] == 2
    code, out, err = command(register_settings, "backup", "--nightly", tmp_path / "nights", "--keep", 2)
    assert (code, len(list((tmp_path / "nights").iterdir()))) == (0, 1), err
    code, out, err = command(register_settings, "restore", file)
    assert (code, "Restored 3 addresses" in out, "before-restore" in out) == (0, True, True), err
    assert "nothing to do" in command(register_settings, "upgrade")[1]
    assert command(register_settings, "backup")[0] == 2
    nothing = register_settings.model_copy(update={"database_url": f"sqlite:///{tmp_path / 'none.db'}"})
    for arguments in (("verify",), ("upgrade",), ("backup", tmp_path / "c.zip"), ("restore", tmp_path / "none.zip")):
        code, out, err = command(nothing, *arguments)
        assert (code, out) == (2, ""), err
    assert not (tmp_path / "c.zip").exists()
    assert command(nothing, "restore", file)[0] == 0, "a new machine"


UNITS = sorted((ROOT / "app" / "deploy").iterdir())


@pytest.mark.parametrize("unit", UNITS, ids=[unit.name for unit in UNITS])
def test_a_unit_of_systemd_calls_commands_that_are_there(unit: Path) -> None:
    calls = re.findall(r"^ExecStart=\S+/benton-streets (\S+)(.*)$", unit.read_text(), re.MULTILINE)
    assert len(calls) == (unit.suffix == ".service")
    for name, rest in calls:
        options = [option for parameter in get_command(cli).commands[name].params for option in parameter.opts]  # type: ignore[attr-defined]
        assert set(re.findall(r"--\w+", rest)) <= set(options)
    assert f"app/deploy/*{unit.suffix}" in (ROOT / "README.md").read_text()


def test_postgresql_needs_no_more_rights_than_the_readme_gives(postgres: str, tmp_path: Path) -> None:
    url = empty_postgres(postgres, "benton")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE ROLE benton LOGIN")
        connection.execute("ALTER DATABASE benton OWNER TO benton")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION postgis")
    with closing(Database(url.replace("postgres@", "benton@"), tmp_path)) as database:
        ensure_schema(database)
        fill(database)
        write_archive(database, tmp_path / "b.zip")
        restore(database, tmp_path / "b.zip", tmp_path)
        assert breaks(database) == []


def test_what_the_village_made_beside_the_register_stays(database: Database, tmp_path: Path) -> None:
    """Its own views and the rights it gave are not lost by a restore."""
    if database.is_sqlite:
        return
    fill(database)
    write_archive(database, tmp_path / "b.zip")
    with database.write() as connection:
        connection.execute(sa.text("CREATE VIEW ours AS SELECT geom FROM address_points WHERE number > 100"))
        connection.execute(sa.text("CREATE TABLE parcels AS SELECT 1 AS id"))
        connection.execute(sa.text("GRANT SELECT ON address_points TO pg_monitor"))
    restore(database, tmp_path / "b.zip", tmp_path)
    with database.read() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM ours")).scalar_one() == 2
        assert connection.execute(sa.text("SELECT count(*) FROM parcels")).scalar_one() == 1
        asked = sa.text("SELECT has_table_privilege('pg_monitor', 'address_points', 'SELECT')")
        assert connection.execute(asked).scalar_one()
    assert breaks(database) == []
