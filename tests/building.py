"""Villages of a few streets, in planar feet: Main Street on y = 0 and Van Buren Street on x = 0 unless given."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from shapely import LineString

from gis import numbering
from gis.blocks import NumberingMap, Row, numbering_map
from gis.findings import Finding
from gis.frontages import Frontages
from gis.network import Piece, network
from gis.numbering import Doors, Held
from gis.rules import NumberingLaw, Reading

LAW = NumberingLaw(44, 90, 100, 10, 11, 15, 660)
MAIN, VAN_BUREN = "Main Street", "Van Buren Street"


def street(name: str, *coords: Sequence[float], kind: str = "street", **more: object) -> Piece:
    """One piece of a street."""
    return Piece(name, LineString(coords), kind, **more)  # type: ignore[arg-type]


def base_lines(reach: float = 1500, accuracy_ft: float = 0) -> tuple[Piece, Piece]:
    """Main Street and Van Buren Street, `reach` feet each way from where they cross."""
    main = street(MAIN, (-reach, 0), (reach, 0), accuracy_ft=accuracy_ft)
    return main, street(VAN_BUREN, (0, -reach), (0, reach), accuracy_ft=accuracy_ft)


def village(*pieces: Piece, reading: Reading | None = None) -> "Village":
    """The village of some pieces, with straight base lines unless they are among them."""
    given = {piece.name for piece in pieces}
    bases = [piece for piece in base_lines() if piece.name not in given]
    net = network([*bases, *pieces], MAIN, VAN_BUREN, reading)
    return Village(Frontages.of(numbering_map(net, LAW)))


def same(one: Doors, other: Doors) -> bool:
    """Whether two doors are the same to the last digit."""
    return bool(np.array_equal(np.array(tuple(one)), np.array(tuple(other)), equal_nan=True))


@dataclass(frozen=True)
class Village:
    """A village laid out for numbering, and what tests ask of it."""

    frontages: Frontages

    @property
    def map(self) -> NumberingMap:
        return self.frontages.map

    def id(self, name: str | None) -> int:
        return int(self.frontages.ids([name])[0])

    def doors(self, name: str | None, x: float, y: float, held: Held | None = None) -> list[Doors]:
        """The door on the street named, or on each street about as near as the nearest."""
        return numbering.candidates(self.frontages, x, y, self.id(name), held)

    def door(self, name: str | None, x: float, y: float) -> Doors:
        """The door, numbered alone; numbered among others it must come out the same."""
        alone = numbering.number(self.frontages, x, y, self.id(name))
        among = numbering.number(self.frontages, np.array([x, x]), np.array([y, y]), self.id(name))
        assert same(among.at(1), alone)
        return alone

    def half(self, door: Doors) -> str:
        return self.map.halves[door.half].name if door.half >= 0 else ""

    def number(self, name: str | None, x: float, y: float) -> tuple[int, str]:
        """A door's number and half."""
        door = self.door(name, x, y)
        return door.number, self.half(door)

    def codes(self, name: str | None, x: float, y: float) -> set[str]:
        """Codes of a door's findings, its row's and street's among them."""
        door = self.door(name, x, y)
        found = numbering.findings(self.frontages, door, street=name or "")
        assert {finding.code for finding in found} == set(door.codes)
        return set(door.codes)

    def rows(self, name: str, side: str) -> list[Row]:
        return [row for row in self.map.rows if (row.street, row.side) == (name, side)]

    def blocks(self, name: str, side: str) -> list[tuple[float, float, int]]:
        """From, to and unit of each block of a half that is not open, outward."""
        return [
            (round(row.from_ft, 2), round(row.to_ft, 2), row.unit_ft)
            for row in self.rows(name, side)
            if not row.virtual
        ]

    def raised(self, name: str = "") -> list[Finding]:
        """Findings of a street's rows, or of all rows and the map."""
        on_rows = [f for row in self.map.rows if name in ("", row.street) for f in row.findings]
        return [*dict.fromkeys([*on_rows, *(() if name else self.map.findings)])]
