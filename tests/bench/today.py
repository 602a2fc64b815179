"""What is due today over many open cases: how soon it is answered, linear in what is open and not in what is closed."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import sqlalchemy as sa

from app.audit import CONSOLE, insert_rows
from app.case_tables import case_clocks, cases
from app.case_times import basis
from app.clocks import Counting
from app.db import Database
from app.keeping import ensure_schema
from app.keys import add_key
from app.schema import revision
from app.settings import Settings
from tests.bench.previews import SERVE, served
from tests.bench.register import Server, Timed
from tests.bench.report import BenchError, Limit, Target

TODAY_S, CLOSED_TIMES, LINEAR_TIMES = 0.200, 1.3, 2.5
"""A list in full; with the closed cases to without; of twice as many open ones to half."""
DAY = date(2026, 6, 1)
CLOCKS, SPREAD, PASSED = 3, 100, 20
"""Clocks of a case; over so many days they are spread, so many of them before the day that is asked of."""
AT_ONCE = 5_000
OFFICES, PEOPLE = ("director", "clerk", "board", "permittee", "owner", ""), ("Ann Berg", "Bo Hill", "Cy Lane", "")
OFFSET = timedelta(hours=5)  # the village's midnight in summer

Json = dict[str, Any]


def today(opened: int, closed: int, asked: int) -> list[Limit | Target]:
    """Fill a register with a quarter, a half and all of the open cases, then with closed ones; ask each time.

    Parameters
    ----------
    opened
        Open cases and permits, each with three clocks; three times a quarter of them is a whole number of hundreds.
    closed
        Closed ones, each with three clocks that run no more.
    asked
        How often the list is asked for each time.
    """
    with tempfile.TemporaryDirectory(prefix="benton-bench-") as folder, contextlib.ExitStack() as stack:
        settings = Settings(state_dir=Path(folder, "state"))
        database = stack.enter_context(contextlib.closing(Database(settings.database, settings.state_dir)))
        key = _made(database)
        environment = {"BENTON_STATE_DIR": str(settings.state_dir)}
        port, pid = stack.enter_context(served(SERVE, Path(folder, "log.txt"), environment))
        found = list(_measured(database, lambda: Server(port, pid, key), opened, closed, asked))
    print("  Every answer has as many times in each group as were put in.")
    quarter, half, whole, beside = (median(one.own_s for one in timed.times) for timed in found)
    return [
        *(limit for timed in found for limit in timed.limits),
        Target("today of a quarter, twice, to a half", 2 * quarter / half, 2 / LINEAR_TIMES),
        Target("today of a half, twice, to the whole", 2 * half / whole, 2 / LINEAR_TIMES),
        Target("today without closed cases to with them", whole / beside, 1 / CLOSED_TIMES),
    ]


def _made(database: Database) -> str:
    if not database.is_sqlite:
        with database.read() as connection:
            if revision(connection) is not None:
                raise BenchError("BENTON_DATABASE_URL holds a register: the benchmark wants an empty database")
    ensure_schema(database)
    return add_key(database, CONSOLE, "the bench", ["director"])[1]


def _measured(
    database: Database, server: Callable[[], Server], opened: int, closed: int, asked: int
) -> Iterator[Timed]:
    """Give the times with a quarter, a half and all of the open cases, and with the closed ones beside them.

    Each time the server is asked over a new connection: it closes one that was idle while the register was filled.
    """
    there = 0
    for number in (opened // 4, opened // 2, opened):
        _fill(database, range(there, number), is_open=True)
        there = number
        yield _asked(server(), f"today, {number:,} open", number, asked)
    _fill(database, range(opened, opened + closed), is_open=False)
    yield _asked(server(), f"today, {opened:,} open, {closed:,} closed", opened, asked)
    one = server().timed("page of the morning", [("GET", f"/today?at={DAY}", None)] * max(asked // 4, 1), _fine)
    print(one, flush=True)


def _fine(k: int, status: int, content: bytes) -> None:
    if status != 200:
        raise BenchError(f"request {k} was answered {status}: {content[:300].decode(errors='replace')}")


def _asked(server: Server, name: str, opened: int, asked: int) -> Timed:
    each = CLOCKS * opened // SPREAD
    expected = {"overdue": PASSED * each, "undecided": 0, "today": each, "upcoming": 7 * each, "ended": 0}

    def check(k: int, status: int, content: bytes) -> None:
        _fine(k, status, content)
        groups = json.loads(content)["groups"]
        totals = {name: own["total"] for name, own in groups.items()}
        if totals != expected or sum(len(own["items"]) for own in groups.values()) != 50:
            raise BenchError(f"{totals} are due, and {expected} were put in")

    # pages from the first to deep within what is overdue, and beyond it
    offsets = [k * sum(expected.values()) // (2 * asked) for k in range(asked)]
    calls = [("GET", f"/api/v1/today?at={DAY}&offset={offset}", None) for offset in offsets]
    server.timed("", calls[:3], check)
    timed = server.timed(name, calls, check, TODAY_S)
    print(timed, flush=True)
    return timed


# --- the register ---


def _fill(database: Database, numbers: range, *, is_open: bool) -> None:
    """Write cases with their clocks, as many at once as a database takes."""
    for start in range(numbers.start, numbers.stop, AT_ONCE):
        some = range(start, min(start + AT_ONCE, numbers.stop))
        with database.write() as connection:
            insert_rows(connection, cases, [_case(k, is_open=is_open) for k in some])
            clocks = [_clock(k, n, is_open=is_open) for k in some for n in range(CLOCKS)]
            insert_rows(connection, case_clocks, clocks)
    with database.engine.connect() as connection:  # as its own housekeeping does after so many writes
        connection.execution_options(isolation_level="AUTOCOMMIT")
        if not database.is_sqlite:
            connection.execute(sa.text("VACUUM ANALYZE"))


def _case(k: int, *, is_open: bool) -> Json:
    at = datetime(2026, 1, 5, 15, tzinfo=UTC)
    known: Json = {
        **dict.fromkeys(cases.c.keys()),
        "id": k + 1,
        "street": "",
        "kind": "numbering",
        "state": "reported" if is_open else "displayed",
        "facts": {},
    }
    known |= {"place": f"{k + 1} North Alma Street", "opened_at": at, "opened_by": "A police"}
    due = _due(CLOCKS * k) if is_open else None
    known |= {"closed_at": None if is_open else at, "due_at": due, "over_at": due}
    return {**known, "assigned_to": PEOPLE[k % len(PEOPLE)]}


def _clock(k: int, n: int, *, is_open: bool) -> Json:
    number = CLOCKS * k + n
    known: Json = {
        "id": number + 1,
        "case_id": k + 1,
        "key": f"clock-{n}",
        "title": "The number is to be in place",
        "sense": "by",
    }
    known |= {"section": "288-15 M", "office": OFFICES[number % len(OFFICES)], "due_on": _day(number)}
    known |= {"due_at": _due(number), "over_at": _due(number), "running": is_open, "basis": basis(Counting())}
    counted = "20 days from Mon, June 1, 2026: that day excluded, the last day included to its end."
    return {**known, "counted": counted, "reading": "", "done_at": None}


def _day(number: int) -> date:
    return DAY + timedelta(days=number % SPREAD - PASSED)


def _due(number: int) -> datetime:
    midnight = datetime.combine(_day(number) + timedelta(days=1), datetime.min.time(), UTC)
    return midnight + OFFSET
