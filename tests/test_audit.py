"""The audit's chain, by what is computed by hand from its fields."""

import hashlib
import json
from typing import Any

import pytest
import sqlalchemy as sa

from app.audit import CONSOLE, FIRST, Act, Actor, breaks, digest, head
from app.db import Database
from app.tables import audit
from tests.filling import AT


def entries(database: Database) -> list[dict[str, Any]]:
    with database.read() as connection:
        return [dict(row) for row in connection.execute(sa.select(audit).order_by(audit.c.seq)).mappings()]


def record(database: Database, *whats: str) -> None:
    with database.write() as connection:
        act = Act(connection, Actor("Anna Müller", "user:3", "the Director"), "because", AT)
        for what in whats:
            act.record(what, "addresses", 7, {"number": 1}, {"number": 2, "at": AT})


def test_an_empty_log_is_whole_and_has_the_first_head(database: Database) -> None:
    with database.read() as connection:
        assert head(connection) == FIRST == "0" * 64
        assert list(breaks(connection)) == []
        assert list(breaks(connection, FIRST)) == []


def test_a_hash_is_of_every_field_and_of_the_hash_before(database: Database) -> None:
    record(database, "assign")
    (entry,) = entries(database)
    text = (
        '{"act":1,"acting_for":"the Director","actor":"Anna Müller","actor_id":"user:3",'
        '"after":"{\\"at\\":\\"2026-07-01T12:00:00.123456Z\\",\\"number\\":2}","at":"2026-07-01T12:00:00.123456Z",'
        '"before":"{\\"number\\":1}","kind":"addresses","previous":"' + "0" * 64 + '","reason":"because",'
        '"seq":1,"subject":"7","what":"assign"}'
    )
    assert entry["hash"] == hashlib.sha256(text.encode()).hexdigest()
    assert digest(entry) == entry["hash"]


def test_what_is_done_at_once_has_one_acts_number(database: Database) -> None:
    record(database, "assign", "assign")
    record(database, "retire", "retire")
    found = entries(database)
    assert [(entry["seq"], entry["act"]) for entry in found] == [(1, 1), (2, 1), (3, 3), (4, 3)]
    assert [entry["previous"] for entry in found] == [FIRST, *(entry["hash"] for entry in found[:-1])]


def test_the_same_acts_have_the_same_head_in_either_database(database: Database) -> None:
    record(database, "assign", "retire")
    with database.read() as connection:
        assert head(connection) == entries(database)[-1]["hash"]
    assert head_of(("assign", "retire")) == entries(database)[-1]["hash"]


def head_of(whats: tuple[str, ...]) -> str:
    previous = FIRST
    for seq, what in enumerate(whats, 1):
        entry = {
            **{"seq": seq, "act": 1, "at": "2026-07-01T12:00:00.123456Z", "actor": "Anna Müller", "actor_id": "user:3"},
            **{"acting_for": "the Director", "what": what, "kind": "addresses", "subject": "7", "reason": "because"},
            **{"before": '{"number":1}', "after": '{"at":"2026-07-01T12:00:00.123456Z","number":2}'},
            "previous": previous,
        }
        text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        previous = hashlib.sha256(text.encode()).hexdigest()
    return previous


CHANGES: dict[str, Any] = {
    **{"act": 9, "at": AT.replace(year=2025), "actor": "x", "actor_id": "x", "acting_for": "x", "what": "x"},
    **{"kind": "x", "subject": "x", "before": "x", "after": "x", "reason": "x", "previous": "1" * 64, "hash": "1" * 64},
}


@pytest.fixture
def rewritable(tmp_path: Any) -> Database:
    """A database whose owner took the triggers away."""
    made = Database(f"sqlite:///{tmp_path / 'a.db'}", tmp_path)
    with made.write() as connection:
        audit.create(connection)
    return made


@pytest.mark.parametrize("column", CHANGES)
def test_no_field_can_be_altered_unseen(rewritable: Database, column: str) -> None:
    record(rewritable, "assign", "assign", "assign")
    with rewritable.write() as connection:
        connection.execute(sa.update(audit).where(audit.c.seq == 2).values({column: CHANGES[column]}))
        found = {broken.seq for broken in breaks(connection)}
    rewritable.close()
    assert found & {2, 3}
    assert set(CHANGES) == {c.name for c in audit.columns} - {"seq"}


def test_an_entry_gone_moved_or_put_in_is_found(rewritable: Database) -> None:
    record(rewritable, "assign", "assign", "assign")
    (first, second, third) = entries(rewritable)
    for rows in ([first, third], [second, third], [second, first, third], [first, second, third, third]):
        with rewritable.write() as connection:
            connection.execute(sa.delete(audit))
            for seq, row in enumerate(rows, 1):
                again = "x" * 64 if row in rows[: seq - 1] else row["hash"]
                connection.execute(sa.insert(audit).values({**row, "seq": seq, "hash": again}))
            assert list(breaks(connection))
    rewritable.close()


def test_a_log_cut_short_is_whole_in_itself_and_lacks_the_old_head(rewritable: Database) -> None:
    record(rewritable, "assign", "assign", "assign")
    old = entries(rewritable)[-1]["hash"]
    with rewritable.write() as connection:
        connection.execute(sa.delete(audit).where(audit.c.seq == 3))
        assert list(breaks(connection)) == []
        (lost,) = breaks(connection, old)
    rewritable.close()
    assert "rewritten since, or cut short" in lost.how


def test_the_console_acts_as_itself(database: Database) -> None:
    with database.write() as connection:
        Act(connection, CONSOLE).record("add user", "users", 1)
    assert [(e["actor_id"], e["before"], e["after"]) for e in entries(database)] == [("console", None, None)]
