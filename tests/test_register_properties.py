"""Whatever officers do, in whatever order: no number is doubled, no address is lost, nothing is unexplained."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from app import acts, changes, registers, returning, undoing
from app.audit import CONSOLE, breaks
from app.auth import Person, Role
from app.considered import Wanted
from app.db import Database
from app.law import today
from app.map_versions import Atlas
from app.naming import rename
from app.schema import ensure_schema
from app.tables import addresses, audit
from app.verify import verify
from gis.errors import StreetsError
from tests.plat import PLAT, village

OFFICER = Person("R. Roe", "user:1", frozenset(Role))
Y = st.integers(1, 329).map(lambda d: 330.0 + d)
NAMES = ("Alma Street", "Elm Street", "Oak Street")


class Office(RuleBasedStateMachine):
    """An office where anything is done in any order."""

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="benton-office-"))
        (self.folder / "plat").mkdir()
        self.database = Database(f"sqlite:///{self.folder / 'register.db'}", self.folder)
        ensure_schema(self.database)
        self.atlas = Atlas(self.database, village(self.folder / "plat", PLAT))
        self.atlas.ensure()
        self.most = 0

    def teardown(self) -> None:
        if hasattr(self, "database"):
            with self.database.read() as connection:
                assert list(verify(connection)) == []
            self.database.close()
            shutil.rmtree(self.folder)

    def tried(self, act: Any) -> None:
        """Do an act; one that is refused changes nothing."""
        before = self.entries()
        try:
            act()
        except StreetsError:
            assert self.entries() == before

    def entries(self) -> int:
        with self.database.read() as connection:
            return registers.counted(connection, audit)

    def ids(self) -> list[int]:
        with self.database.read() as connection:
            return list(connection.execute(sa.select(addresses.c.id).order_by(addresses.c.id)).scalars())

    @rule(y=Y, east=st.booleans(), number=st.none() | st.integers(110, 199), suffix=st.sampled_from(("", "", "A")))
    def assign(self, y: float, east: bool, number: int | None, suffix: str) -> None:
        wanted = Wanted(480 if east else 400, y, "EPSG:7608", "Alma Street", number, suffix, "a reason")
        self.tried(lambda: acts.assign(self.atlas, CONSOLE, wanted, f"{y}{east}{number}{suffix}{self.entries()}"))

    @rule(k=st.integers(0, 30))
    def retire(self, k: int) -> None:
        self.on(k, lambda c, i: changes.retire(c, CONSOLE, i, "torn down"))

    @rule(k=st.integers(0, 30))
    def restore(self, k: int) -> None:
        self.on(k, lambda c, i: returning.restore(self.atlas, c, CONSOLE, i, "rebuilt"))

    @rule(k=st.integers(0, 30), number=st.integers(110, 199))
    def correct(self, k: int, number: int) -> None:
        self.on(k, lambda c, i: changes.correct(self.atlas, c, CONSOLE, i, {"number": number}, "misread"))

    @rule(pairs=st.lists(st.tuples(st.integers(0, 30), st.integers(110, 199)), min_size=1, max_size=4))
    def renumber(self, pairs: list[tuple[int, int]]) -> None:
        ids = self.ids()
        if ids:
            chain = [{"id": ids[k % len(ids)], "number": number} for k, number in pairs]
            self.on(0, lambda c, _: changes.renumber(self.atlas, c, CONSOLE, chain, "order"))

    @rule(name=st.sampled_from(NAMES))
    def rename(self, name: str) -> None:
        self.on(0, lambda c, _: rename(self.atlas, c, CONSOLE, "Alma Street", name, today(), "Res. 1", "the Board"), 1)

    @rule(back=st.integers(0, 6))
    def undo(self, back: int) -> None:
        with self.database.read() as connection:
            done = connection.execute(sa.select(audit.c.act).distinct().order_by(audit.c.act.desc())).scalars().all()
        act = done[min(back, len(done) - 1)]
        self.on(0, lambda c, _: undoing.undo(self.atlas, c, OFFICER, act, "a mistake"), 1)

    def on(self, k: int, act: Any, dummy: int = 0) -> None:
        ids = self.ids() or [dummy]

        def write() -> None:
            with self.database.write() as connection:
                act(connection, ids[k % len(ids)])

        if ids != [0]:
            self.tried(write)

    @invariant()
    def holds(self) -> None:
        if not hasattr(self, "database"):
            return
        with self.database.read() as connection:
            assert list(breaks(connection)) == []
            rows = registers.rows(connection, addresses)
        active = [row for row in rows if row["status"] != "retired"]
        held = [(row["street_key"], row["half"], row["number"], row["suffix"]) for row in active]
        assert len(held) == len(set(held))
        assert len(rows) >= self.most  # none is ever lost
        self.most = len(rows)
        assert all((row["number"] % 2 == 0) == row["even"] for row in active)
        assert len({row["street"] for row in active}) <= 1  # a renamed street takes all of its addresses with it


Office.TestCase.settings = settings(
    max_examples=8, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestOffice = Office.TestCase
