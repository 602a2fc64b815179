"""Other programs that have the register open: processes forked from one that has imported the application already."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.audit import CONSOLE, Act, Actor
from app.db import Database
from app.keeping import ensure_schema, restore

OTHERS = multiprocessing.get_context("forkserver")
OTHERS.set_forkserver_preload(["tests.others"])
THREADS, LASTS_S = 8, 4.0


def make_ready(url: str, folder: Path, told: Any) -> None:
    with closing(Database(url, folder)) as database:
        ensure_schema(database)
    told.put("ready")


def die_at_commit(url: str, folder: Path) -> None:
    database = Database(url, folder)
    with database.write() as connection:
        Act(connection, CONSOLE).record("last words", "users", 1)

        @sa.event.listens_for(database.engine, "commit")
        def _dying(connection: sa.Connection) -> None:
            connection.connection.driver_connection.execute("COMMIT")  # type: ignore[union-attr]
            os.kill(os.getpid(), signal.SIGKILL)


def hold_open(url: str, folder: Path) -> None:
    Database(url, folder)
    (folder / "held").touch()
    threading.Event().wait()


def die_while_restoring(url: str, file: Path, folder: Path, at: str) -> None:
    """End the process where `at` is called, as if the power had gone."""
    import app.keeping

    def dies(*_: Any, **__: Any) -> None:
        os._exit(9)

    setattr(app.keeping, at, dies)
    restore(Database(url, folder), file, folder / "backups")


def keep_writing(url: str, folder: Path, ready: Any, go: Any, told: Any) -> None:
    """Write from several threads as fast as turns come, each entry signed with this process's id."""
    with closing(Database(url, folder)) as database:
        actor, waits = Actor(str(os.getpid()), f"process:{os.getpid()}"), []

        def writes() -> None:
            deadline = time.monotonic() + LASTS_S
            while time.monotonic() < deadline:
                asked = time.monotonic()
                with database.write() as connection:
                    waits.append(time.monotonic() - asked)
                    Act(connection, actor).record("write", "users", 1)

        with database.read() as connection:
            connection.execute(sa.text("SELECT 1"))
        ready.release()
        go.wait()
        threads = [threading.Thread(target=writes) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        told.put(waits)
