"""A work's conflicts in the register: streets on squared paper, 36 ft of pavement in 66 ft, distances by hand.

Main Street runs along y = 0 and Alma Street along x = 440; Van Buren Street crosses Main Street at x = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any

import pytest
import shapely
import sqlalchemy as sa
from shapely.geometry import mapping
from shapely.geometry.base import BaseGeometry
from sqlalchemy import event

from app.case_tables import cases
from app.conflicts import of_work
from app.cross_sections import Section
from app.db import Database
from app.row_layers import Ground, ground_of
from app.street_tables import street_objects
from app.village import Village
from gis.errors import StreetsError
from gis.row import CrossSection, Side
from tests.plat import PLAT, village

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
JUNE = date(2026, 6, 1)
HERE = shapely.box(200, 4, 212, 10)
"""In Main Street between Van Buren Street and Alma Street."""


@pytest.fixture(scope="module")
def streets(tmp_path_factory: pytest.TempPathFactory) -> Village:
    return Village.load(village(tmp_path_factory.mktemp("conflicts"), PLAT), JUNE)


def ground(streets: Village, improved_on: date | None = None) -> Ground:
    across = CrossSection(66.0, 36.0, Side(), Side(), 0.0, source="Taped.")
    return ground_of(streets, [Section("", "", None, across, improved_on=improved_on)])


def placed(shape: BaseGeometry) -> dict[str, Any]:
    west, south, east, north = shape.bounds
    return {"shape": mapping(shape), "west_ft": west, "south_ft": south, "east_ft": east, "north_ft": north}


def standing(shape: BaseGeometry, **known: Any) -> dict[str, Any]:
    blank = {"kind": "opening", "state": "", "label": "Gas service", "lon": 0.0, "lat": 0.0, "street": "", "facts": {}}
    blank |= {"emergency": False, "reason": "", "made_at": NOW, "made_by": "-", "retired_reason": ""}
    days = {"starts_on": JUNE, "ends_on": date(2026, 6, 10), "restored_on": None, "retired_at": None}
    return {**blank, **days, **placed(shape), **known}


def permit(shape: BaseGeometry, number: str, **known: Any) -> dict[str, Any]:
    blank = {"kind": "opening", "state": "complete", "place": "Main Street", "facts": {}, "opened_at": NOW}
    days = {"starts_on": JUNE, "ends_on": date(2026, 6, 10), "closed_at": None, "object_id": None}
    return {**blank, "opened_by": "-", "number": number, **days, **placed(shape), **known}


def keep(database: Database, table: sa.Table, *rows: dict[str, Any]) -> list[int]:
    with database.write() as connection:
        return [connection.execute(sa.insert(table).values(row)).inserted_primary_key[0] for row in rows]


def asked(database: Database, over: Ground, shape: BaseGeometry = HERE, **known: Any) -> list[dict[str, Any]]:
    with database.read() as connection:
        first, last = known.pop("first", JUNE), known.pop("last", date(2026, 6, 5))
        return of_work(over, connection, shape, first, last, known.pop("direction", ""), day=JUNE, **known)


def labels(found: list[dict[str, Any]], kind: str) -> list[str]:
    return [one["with"]["label"] for one in found if one["kind"] == kind]


def test_works_that_stand_and_permits_that_wait_are_told_with_the_days_and_the_laws_words(
    database: Database, streets: Village
) -> None:
    (gas,) = keep(database, street_objects, standing(HERE))
    (waits,) = keep(database, cases, permit(HERE, "P-2", starts_on=date(2026, 6, 5)))
    found = asked(database, ground(streets))
    met = {one["with"]["label"]: one for one in found if one["kind"] == "overlap"}
    assert met["Gas service"]["with"] == {"case": None, "object": gas, "label": "Gas service"}
    assert met["P-2"]["with"] == {"case": waits, "object": None, "label": "P-2"}
    assert (met["P-2"]["from"], met["P-2"]["until"]) == ("2026-06-05", "2026-06-05")
    assert met["P-2"]["section"] == "§ 288-6 B(4)"
    assert met["P-2"]["law"].startswith("The permittee shall perform the work in such a manner so as not to disrupt")
    assert labels(asked(database, ground(streets), exclude_case=waits, exclude_object=gas), "overlap") == []


def test_what_is_retired_closed_of_another_kind_or_on_the_map_already_is_not_told(
    database: Database, streets: Village
) -> None:
    keep(database, street_objects, standing(HERE, retired_at=NOW), standing(HERE, kind="mailbox"))
    keep(
        database,
        cases,
        permit(HERE, "closed", closed_at=NOW),
        permit(HERE, "on the map", object_id=7),
        permit(HERE, "sidewalk", kind="sidewalk"),
    )
    assert asked(database, ground(streets)) == []


def test_a_work_at_either_end_of_the_street_segment_is_told_and_none_farther_on(
    database: Database, streets: Village
) -> None:
    """Alma Street is crossed at (440, 0), Van Buren Street at (0, 0): 150 ft from a crossing count as at it."""
    keep(
        database,
        street_objects,
        standing(shapely.box(435, 100, 445, 120), label="in Alma Street"),
        standing(shapely.box(-160, -5, -140, 5), label="west of Van Buren Street"),
        standing(shapely.box(435, 151, 445, 171), label="farther up Alma Street"),
        standing(shapely.box(900, -5, 910, 5), label="far off"),
    )
    found = asked(database, ground(streets))
    assert sorted(labels(found, "adjoining")) == ["in Alma Street", "west of Van Buren Street"]
    assert any("Main Street and Alma Street" in one["note"] for one in found)


def test_a_street_improved_within_five_years_is_told_to_its_last_day(database: Database, streets: Village) -> None:
    over = ground(streets, improved_on=date(2021, 6, 1))
    (told,) = asked(database, over)
    assert (told["kind"], told["verdict"], told["until"]) == ("moratorium", "violates", "2026-06-01")
    assert "for a period of five years after the date of improvement or repaving" in told["law"]
    assert asked(database, over, first=date(2026, 6, 2)) == []
    assert asked(database, over, opening=False) == []


@pytest.mark.parametrize(
    ("facts", "there"), [({}, True), ({"direction": "west"}, True), ({"direction": "east"}, False)]
)
def test_two_works_leave_no_lane_of_a_pavement_of_36_ft(
    database: Database, streets: Village, facts: dict[str, str], there: bool
) -> None:
    """In the north half, which is driven west, 13 ft are free beside each alone and 8 ft beside both.

    The streets' lines are exact here. The one on record reaches 1 ft into the south half, which is driven east.
    """
    keep(database, street_objects, standing(shapely.box(200, -1, 212, 5), facts=facts))
    found = asked(database, ground(streets), shapely.box(200, 13, 212, 18))
    assert ([one["verdict"] for one in found if one["kind"] == "lanes"] == ["violates"]) is there


def test_a_direction_that_is_none_is_refused(database: Database, streets: Village) -> None:
    with pytest.raises(StreetsError) as refused:
        asked(database, ground(streets), direction="up")
    assert refused.value.faults[0].field == "direction"


@contextmanager
def counting(database: Database) -> Iterator[list[str]]:
    told: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        told.append(statement)

    event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield told
    finally:
        event.remove(sa.Engine, "before_cursor_execute", note)


def test_many_works_are_read_with_two_queries(database: Database, streets: Village) -> None:
    over = ground(streets)
    keep(database, street_objects, *[standing(HERE, label=f"{k}") for k in range(20)])
    with counting(database) as told:
        assert len(labels(asked(database, over), "overlap")) == 20
    assert sum("SELECT" in statement and "_ft" in statement for statement in told) == 2
