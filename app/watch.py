"""Keeping the index in memory up with the register, and saying how old it is where it cannot be.

A counter in shared memory moves before a write is acknowledged, so whoever asks after that is answered from an index
that has read it. A thread reads; who asks waits for it a moment, and where the database is locked or gone is answered
from what is known, with its age.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from sqlalchemy.exc import SQLAlchemyError

from app import keys
from app.auth import Person, hashed
from app.db import Database
from app.lookup import Index
from app.map_versions import Atlas
from app.village import Village
from gis.errors import StreetsError

LOG = logging.getLogger(__name__)
PERIOD_S = 1.0
"""How often the index is held against the register although nothing seems to have moved: another host may write."""
PATIENCE_S = 2.0
"""How long who asks waits for what has just been written; where the database does not answer, one who asks does."""
FIRST_S = 60.0
"""How long who asks waits for the register to be read the first time."""
POLITE_S = 0.0005
"""How long the first reading keeps others from running, at a time."""
RESTS = 3.0
"""For so many times as long as it reads, it then leaves the processor to requests, while nobody waits for a lookup."""
USED_S = 300.0
"""How exactly it is known when a key was last used."""


@dataclass(frozen=True, eq=False)
class Fresh:
    """How fresh what is known is.

    Parameters
    ----------
    at
        When it was last held against the register, seconds since 1970.
    """

    at: float

    @cached_property
    def as_of(self) -> str:
        """The moment, ISO 8601 in UTC."""
        return datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @property
    def age_s(self) -> float:
        """How long ago that is, seconds."""
        return round(max(time.time() - self.at, 0.0), 1)


class Watch:
    """The index, the keys and the village in force, as one process knows them.

    Parameters
    ----------
    atlas
        The village and its register.
    """

    def __init__(self, atlas: Atlas) -> None:
        self.index = Index()
        self.village: Village = atlas.village
        self.fresh = Fresh(0.0)
        self._atlas = atlas
        self._database: Database = atlas.database
        self._keys: Mapping[str, Person] = {}
        self._used: dict[str, Person] = {}
        self._noted: dict[str, float] = {}
        self._seen = 0
        self._failed = False
        self._worked = 0.0
        self._hurried = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._mutex = threading.Lock()
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to read the register, once."""
        with self._mutex:
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="lookups", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Stop reading it."""
        with self._mutex:
            self._stopping = True
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join(PATIENCE_S)

    async def current(self) -> Fresh:
        """Wait until everything acknowledged before now has been read, or no longer than is reasonable.

        Returns
        -------
        Fresh
            How fresh what is known is.
        """
        moved = self._database.changes.steady
        if self.fresh.at and (moved is None or moved == self._seen or self._failed):
            return self.fresh
        self.start()
        loop = asyncio.get_running_loop()
        read: asyncio.Future[None] = loop.create_future()
        with self._mutex:
            self._waiting.append((loop, read))
        self._wake.set()
        try:
            await asyncio.wait_for(read, PATIENCE_S if self.fresh.at else FIRST_S)
        except TimeoutError:
            self._failed = True  # whoever asks next need not wait for it too; the next reading says otherwise
        return self.fresh

    @property
    def behind(self) -> bool:
        """Whether the register could not be read when it was last tried."""
        return self._failed

    def holder(self, secret: str) -> Person | None:
        """Return who holds a key; None where it is unknown or revoked, as far as is known."""
        found = self._keys.get(hashed(secret))
        if found is not None:
            self._used[found.id] = found
        return found

    # --- the thread ---

    def _run(self) -> None:
        usual = sys.getswitchinterval()
        sys.setswitchinterval(POLITE_S)  # while a whole register is read, requests do not wait for this thread
        gc.disable()  # nor for a search for garbage among what stays
        try:
            self.read()
        finally:
            gc.freeze()
            gc.enable()
            sys.setswitchinterval(usual)
        while not self._stopping:
            self._wake.wait(PERIOD_S)
            self.read()

    def read(self) -> None:
        """Read what is new, and let go on who waits for it."""
        self._wake.clear()
        with self._mutex:
            waiting, self._waiting = self._waiting, []
        self._hurried = bool(waiting)
        try:
            self._read()
            self._failed = False
        except Exception as error:  # whatever is wrong with the database, lookups go on and say their age
            self._failed = True
            LOG.warning("the lookups could not read the register: %s", error)
        for loop, future in waiting:
            loop.call_soon_threadsafe(_answer, future)
        self._note_use()

    def _read(self) -> None:
        began, seen = time.time(), self._database.changes.value
        self._worked = time.thread_time()
        with self._database.read() as connection:
            index = self.index
            if not index.read(connection, self._rest):  # another register was restored in its place
                index = Index()
                index.read(connection, self._rest)
            known = keys.holders(connection)
        self.village = self._atlas.village
        self.index, self._keys = index, known
        self._seen, self.fresh = seen, Fresh(began)

    def _rest(self) -> None:
        """Leave the processor to requests for longer than it was used, until somebody waits for a lookup."""
        if not self._hurried and not self._waiting:
            self._wake.wait(RESTS * max(time.thread_time() - self._worked, 0.0))
        self._worked = time.thread_time()

    def _note_use(self) -> None:
        used, self._used = self._used, {}
        now = time.monotonic()
        for person in used.values():
            if now - self._noted.get(person.id, -USED_S) >= USED_S:
                self._noted[person.id] = now
                with suppress(StreetsError, SQLAlchemyError):  # a later reading notes it
                    keys.touch_key(self._database, person)


def _answer(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
