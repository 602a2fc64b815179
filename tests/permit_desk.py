"""A desk for permits over streets on squared paper: one key for each office, and outlines in feet.

Main Street runs along y = 0 and Alma Street along x = 440; every street has 36 ft of pavement in 66 ft of right-of-way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from app.auth import Role
from app.db import Database
from app.main import create_app
from app.settings import Settings
from tests.people import Headers, by_key
from tests.permitting import Permits, faults
from tests.plat import PLAT, village

Json = dict[str, Any]
FEET = "EPSG:7608"
SECTION: Mapping[str, Any] = {
    "row_width_ft": "66", "pavement_width_ft": "36", "odd_curb": True, "odd_walk_offset_ft": "9",
    "odd_walk_width_ft": "5", "even_curb": True, "even_walk_offset_ft": "9", "even_walk_width_ft": "5",
    "accuracy_ft": "0.1", "status": "measured", "surveyed_on": "2024-05-01", "source": "Taped",
}  # fmt: skip


def area(west: float, south: float, east: float, north: float) -> Json:
    """An outline as a request says it."""
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"geometry": {"type": "Polygon", "coordinates": [ring]}, "crs": FEET}


@dataclass(frozen=True)
class Desk:
    """The village's service as each office reaches it."""

    client: TestClient
    database: Database
    keys: Mapping[str, Headers]

    def by(self, *offices: str) -> Permits:
        """Return the permits as an office acts on them."""
        return Permits(self.client, self.keys["+".join(offices)])

    def works(self, day: str, number: str) -> str:
        """Return what the works map has of a permit's work on a day, for everybody; "" where it has none."""
        for state in ("", "past"):
            answer = self.client.get("/api/v1/works", params={"at": day, "state": state}).json()
            for one in answer["items"]:
                if one["label"] == number:
                    return str(one["state"])
        return ""

    def get(self, permit: Json) -> Json:
        """Return a permit as it is now."""
        found: Json = self.client.get(f"/api/v1/permits/{permit['id']}", headers=self.keys["all"]).json()
        return found

    def section(self, status: int = 201, **known: Any) -> Json:
        """Put a cross-section in the place of the one that stands."""
        sent = {**SECTION, "reason": "Measured", **known}
        answer = self.client.post("/api/v1/right-of-way/sections", json=sent, headers=self.keys["all"])
        assert answer.status_code == status, answer.text
        found: Json = answer.json()
        return found

    def settle(self, key: str, value: Any, day: str = "2020-01-01") -> int:
        """Fill in what the ordinance leaves to the Village."""
        sent = {"key": key, "value": value, "from": day, "source": "A resolution", "reason": "Filled in"}
        answer = self.client.post("/api/v1/settled", json=sent, headers=self.keys["all"])
        assert answer.status_code == 201, answer.text
        return int(answer.json()["id"])

    def unsettle(self, value_id: int) -> None:
        """Withdraw what was filled in."""
        path = f"/api/v1/settled/{value_id}/withdraw"
        answer = self.client.post(path, json={"reason": "It was for a test"}, headers=self.keys["all"])
        assert answer.status_code == 200, answer.text


@contextmanager
def desk_over(folder: Path, database_url: str = "") -> Iterator[Desk]:
    """Give a desk over a fresh register."""
    where = {"database_url": database_url} if database_url else {}
    app = create_app(Settings(data_dir=village(folder, PLAT), state_dir=folder / "register", **where))
    database: Database = app.state.database
    keys = {role.value: by_key(database, role, name=f"the {role.value}") for role in Role}
    keys["all"] = by_key(database, *Role, name="every office")
    desk = Desk(TestClient(app), database, keys)
    try:
        desk.section()
        yield desk
    finally:
        database.close()


def cures(desk: Permits, permit: Json, step: str, **facts: Any) -> dict[str, str]:
    """Return what stands in the way of a step that is refused, by name."""
    return faults(desk.take(permit, step, 422, **facts))
