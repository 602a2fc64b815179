"""What holds of every village: numbers do not depend on how its linework is turned, drawn, cut or ordered."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gis import numbering
from gis.numbering import Doors
from tests.building import MAIN, VAN_BUREN, Village, street, village

thorough = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
fewer = settings(thorough, max_examples=30)
TURNS = st.integers(-40, 40)

# ------------------------------------------------------------------ small villages


@dataclass(frozen=True)
class Line:
    """One piece of a street."""

    name: str
    coords: np.ndarray
    kind: str = "street"


@dataclass(frozen=True)
class Plan:
    """The linework of a village and doors along it, each on a street by name."""

    lines: list[Line]
    names: list[str]
    doors: np.ndarray

    def moved(self, matrix: np.ndarray) -> "Plan":
        """The same village with every point multiplied by a matrix."""
        lines = [replace(line, coords=line.coords @ matrix.T) for line in self.lines]
        return replace(self, lines=lines, doors=self.doors @ matrix.T)

    def village(self) -> Village:
        return village(*(street(line.name, *line.coords, kind=line.kind) for line in self.lines))


def numbered(there: Village, plan: Plan) -> Doors:
    return numbering.number(there.frontages, *plan.doors.T, there.frontages.ids(plan.names))


def addresses(there: Village, plan: Plan) -> list[tuple[str, int]]:
    """Half and number of each door."""
    doors = numbered(there, plan)
    names = [half.name for half in there.map.halves]
    return [(names[half] if half >= 0 else "", int(n)) for half, n in zip(doors.half, doors.number, strict=True)]


def steady(there: Village, plan: Plan) -> list[bool]:
    """Which doors keep their number when moved by a fiftieth of a foot: no edge of a unit, no two places as near."""
    told = addresses(there, plan)
    shifts = np.array([[0.02, 0], [-0.02, 0], [0, 0.02], [0, -0.02]])
    others = [addresses(there, replace(plan, doors=plan.doors + shift)) for shift in shifts]
    return [all(other[k] == told[k] for other in others) for k in range(len(told))]


def same_numbers(plan: Plan, other: Plan) -> None:
    """Hold every steady door of a village to its number in the same village told otherwise."""
    there = plan.village()
    told, retold, keeps = addresses(there, plan), addresses(other.village(), other), steady(there, plan)
    assert [a for a, keep in zip(told, keeps, strict=True) if keep] == [
        b for b, keep in zip(retold, keeps, strict=True) if keep
    ]


def walk(x: float, y: float, heading: float, turn: int, steps: int, length: int) -> np.ndarray:
    """A line of some steps, each turned from the one before; headings in degrees counterclockwise of east."""
    turned = np.radians(heading + turn * np.arange(steps))
    return np.array([x, y]) + np.vstack([[0, 0], np.cumsum(length * np.c_[np.cos(turned), np.sin(turned)], axis=0)])


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Main Street straight or bent, Van Buren Street within 4 degrees of north, and up to seven other streets.

    Some start on a base line, some stop short of it, some have a gap or a branch, some are alleys.
    """
    lean, bend = draw(st.integers(-4, 4)) * 16 / 1200, draw(st.integers(-4, 4)) / 10
    lines = [
        Line(MAIN, np.array([[-1200, 0], [400, 0], [1200, 800 * bend]])),
        Line(VAN_BUREN, np.array([[-1200 * lean, -1200], [1200 * lean, 1200]])),
    ]
    for k in range(draw(st.integers(2, 7))):
        x, y = draw(st.integers(-1000, 1000)), draw(st.integers(-1000, 1000))
        start = draw(st.sampled_from(["free", "free", MAIN, VAN_BUREN]))
        y = (0 if x < 400 else (x - 400) * bend) if start == MAIN else y
        x = y * lean if start == VAN_BUREN else x
        # the odd tenths keep two streets from meeting at exactly 30 degrees
        heading = 90 * draw(st.integers(0, 3)) + draw(st.integers(-20, 20)) + 0.3 * (k + 1)
        turn, steps = draw(st.sampled_from([0, 0, -4, 11, -48])), draw(st.integers(1, 6))
        coords = walk(x, y, heading, turn, steps, draw(st.integers(90, 400)))
        shape = draw(st.sampled_from(["whole", "whole", "whole", "gap", "branch", "alley"]))
        name = f"Street {k}"
        lines.append(Line(name, coords, "alley" if shape == "alley" else "street"))
        if shape == "gap":
            onward = heading + turn * (steps - 1)
            lines.append(Line(name, walk(*(coords[-1] + turned(onward) @ [53, 17]), onward, 3, 2, 171)))
        if shape == "branch":
            lines.append(Line(name, walk(*((coords[0] + coords[1]) / 2), heading + 77, 5, 2, 151)))
    which = st.tuples(st.integers(0, len(lines) - 1), st.integers(-3, 103), st.integers(3, 60), st.booleans())
    drawn = draw(st.lists(which, min_size=12, max_size=25))
    placed = [_beside(lines[i].coords, share / 100, off if left else -off) for i, share, off, left in drawn]
    return Plan(lines, [lines[i].name for i, *_ in drawn], np.array(placed))


def _beside(coords: np.ndarray, share: float, off: float) -> np.ndarray:
    """A point square to the line some way along it; a little before or past its ends too."""
    k = int(np.clip(share * (len(coords) - 1), 0, len(coords) - 2))
    step = coords[k + 1] - coords[k]
    along = share * (len(coords) - 1) - k
    return coords[k] + along * step + off * np.array([-step[1], step[0]]) / np.hypot(*step)


def with_block_ends(there: Village, plan: Plan) -> Plan:
    """A door more in the last foot of every block, where numbers run out."""
    rows = [row for row in there.map.rows if not row.virtual]
    ends = [np.add(there.map.halves[row.half].point(row.to_ft - 1), 7) for row in rows]
    return replace(plan, names=plan.names + [row.street for row in rows], doors=np.vstack([plan.doors, *ends]))


def turned(deg: float) -> np.ndarray:
    c, s = math.cos(math.radians(deg)), math.sin(math.radians(deg))
    return np.array([[c, -s], [s, c]])


# ------------------------------------------------------------------ told otherwise, the same numbers


@thorough
@given(plans(), TURNS)
def test_turning_a_village_changes_no_number(plan: Plan, deg: int) -> None:
    same_numbers(plan, plan.moved(turned(deg)))


@thorough
@given(plans(), st.data())
def test_cutting_reversing_and_shuffling_lines_changes_no_number(plan: Plan, data: st.DataObject) -> None:
    parts = []
    for line in plan.lines:
        k, share = data.draw(st.integers(0, len(line.coords) - 2)), data.draw(st.sampled_from([0, 0.15, 0.5, 0.85]))
        middle = line.coords[k] + share * (line.coords[k + 1] - line.coords[k])
        if share:
            parts.append(replace(line, coords=np.vstack([middle, line.coords[k + 1 :]])))
        parts.append(replace(line, coords=np.vstack([line.coords[: k + 1], middle]) if share else line.coords))
    back = data.draw(st.lists(st.booleans(), min_size=len(parts), max_size=len(parts)))
    lines = [replace(x, coords=x.coords[::-1]) if turn else x for x, turn in zip(parts, back, strict=True)]
    same_numbers(plan, replace(plan, lines=data.draw(st.permutations(lines))))


MIRRORS = {VAN_BUREN: np.diag([-1.0, 1.0]), MAIN: np.diag([1.0, -1.0])}
ACROSS = {"North": "South", "South": "North", "East": "West", "West": "East"}


@fewer
@given(plans())
def test_mirroring_swaps_sides_and_halves(plan: Plan) -> None:
    # Across Van Buren Street east and west change places: parity on north-south streets, the half on east-west ones.
    # Across Main Street it is the halves of north-south streets and the parity of east-west ones.
    there = plan.village()
    told, keeps, stations = addresses(there, plan), steady(there, plan), numbered(there, plan).station
    for across, swapped in ((VAN_BUREN, {"East", "West"}), (MAIN, {"North", "South"})):
        mirror = plan.moved(MIRRORS[across])
        for (half, n), got, keep, station in zip(
            told, addresses(mirror.village(), mirror), keeps, stations, strict=True
        ):
            other_side = n and (n + 1 if n % 2 == 0 else n - 1)
            if keep and station > 0:  # a door on a base line goes north or east in both
                assert got == ((ACROSS[half], n) if half in swapped else (half, other_side))


# ------------------------------------------------------------------ along a face


@fewer
@given(plans())
def test_numbers_never_fall_outward_along_a_face_and_lie_in_their_blocks_ninety(plan: Plan) -> None:
    there = plan.village()
    plan = with_block_ends(there, plan)
    doors = numbered(there, plan)
    faces: dict[tuple[int, bool], list[tuple[float, int]]] = {}
    for k in np.flatnonzero(doors.number):
        door = doors.at(int(k))
        first = 100 * door.block + (10 if door.even else 11)
        assert door.number in range(first, first + 89, 2)
        assert door.number == first + 2 * min(math.floor(round(door.into_ft / door.unit_ft, 6)), 44)
        faces.setdefault((door.half, door.even), []).append((door.station, door.number))
    for face in faces.values():
        numbers = [n for _, n in sorted(face)]
        assert numbers == sorted(numbers)


@fewer
@given(plans())
def test_rows_follow_each_other_and_one_door_is_numbered_as_among_many(plan: Plan) -> None:
    there = plan.village()
    for k in range(len(there.map.halves)):
        rows = [row for row in there.map.rows if row.half == k]
        assert [row.block for row in rows] == list(range(len(rows)))
        assert [row.from_ft for row in rows] == [0, *(row.to_ft for row in rows[:-1])]
        assert all(row.hundred == 100 * row.block and row.unit_ft >= 1 for row in rows)
        assert rows[-1].virtual
        assert [row.virtual for row in rows] == sorted(row.virtual for row in rows)
    for names in (plan.names, [None] * len(plan.names)):
        ids = there.frontages.ids(names)
        many = numbering.number(there.frontages, *plan.doors.T, ids)
        for k, (x, y) in enumerate(plan.doors):
            one = numbering.number(there.frontages, float(x), float(y), int(ids[k]))
            assert np.allclose(np.array(tuple(one)), np.array(tuple(many.at(k))), rtol=0, atol=1e-9)
            assert (one.number, one.half, one.bits) == (many.number[k], many.half[k], many.bits[k])


@thorough
@given(st.floats(-40, 40), st.floats(-2000, 2000), st.floats(-2000, 2000))
def test_a_block_of_330_ft_has_8_ft_units_however_turned_and_moved(deg: float, x: float, y: float) -> None:
    def put(*points: tuple[float, float]) -> np.ndarray:
        return np.array(points) @ turned(deg).T + [x, y]

    there = village(
        street(MAIN, *put((-900, 0), (900, 0))),
        street(VAN_BUREN, *put((0, -900), (0, 900))),
        street("First Avenue", *put((-900, 330), (900, 330))),
    )
    (row, *_) = there.rows(VAN_BUREN, "North")
    assert (row.unit_ft, row.length_ft) == (8, pytest.approx(330))
