"""The reasons of a number: steps and construction lines, written from what numbering returned."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np

from gis.edits import HUNDRED, LENGTH, REMOVE_LINE
from gis.explain import ConstructionLine, Explanation, Step
from gis.frontages import Frontages
from gis.halves import Half
from gis.linework import Floats
from gis.network import NS, Street
from gis.numbering import Doors, side_names

_LETTER = {"North": "a", "South": "b", "East": "c", "West": "d"}
_TICK_FT = 60.0


def explain(frontages: Frontages, door: Doors) -> Explanation:
    """Return why a door has its number, or as far as the reasoning goes where it has none.

    Parameters
    ----------
    frontages
        The map it was numbered under.
    door
        One numbered door.

    Returns
    -------
    Explanation
        Steps with their sections; construction lines in the working CRS, US survey feet. Both are empty where the
        door could not be placed on a street.
    """
    if door.half < 0:
        return Explanation((), ())
    told = _Told(frontages, door)
    steps = [
        told.family(),
        told.side_of_base(),
        told.extension(),
        told.block(),
        told.unit(),
        told.place(),
        told.parity(),
    ]
    return Explanation(tuple(s for s in steps if s), told.lines())


class _Told:
    """One door's reasons; reads columns, decides nothing."""

    def __init__(self, frontages: Frontages, door: Doors) -> None:
        self.map, self.net, self.door = frontages.map, frontages.map.network, door
        self.half: Half = self.map.halves[door.half]
        self.street: Street = self.net.streets[self.half.street]
        self.row = self.map.rows[door.row]
        self.base = self.net.base_name(self.street.family)
        self.stations, self.coords = self.half.stations.tolist(), self.half.coords.tolist()

    def family(self) -> Step:
        """C(1), C(2): which base line the street is numbered from."""
        runs = "north-south" if self.street.family == NS else "east-west"
        bases = {base.street for base in self.net.bases.values()}
        if self.half.street in bases:
            own = self.net.set_bases.get("EW" if self.street.family == NS else NS, "")
            by = "as an officer set it" if own else "by the ordinance"
            text = f"{self.street.name} is {'a' if runs[0] == 'n' else 'an'} {runs} street {by}; "
            text = _with(f"{text}its base line is {self.base}.", own, self._base_set())
            return Step("288-15 C(1)", "base_line", text, {"base_line": self.base})
        parallel = self.net.streets[self.net.bases["EW" if self.street.family == NS else NS].street].name
        text = f"{self.street.name} runs {runs}: it tends to parallel {parallel}, so its base line is {self.base}."
        text = _with(text, self._base_set())
        values = {"bearing_deg": round(self.street.bearing_deg, 2), "base_line": self.base}
        reading = "Read as: the base line its length-weighted bearing is nearer to."
        return Step("288-15 C(2)", "diagonal", text, values, reading)

    def _base_set(self) -> str:
        """Say that an officer set the base line to another street than the ordinance names."""
        return self.net.set_bases.get(self.street.family, "")

    def side_of_base(self) -> Step:
        """C(1)(a) to (d): which side of the base line."""
        side = self.half.name
        text = f"The entrance is {side.lower()} of {self.base}: the address is {side} {self.street.name}."
        text = _with(text, self._base_set())
        return Step(f"288-15 C(1)({_LETTER[side]})", side.lower(), text, {"half": side})

    def extension(self) -> Step | None:
        """F: how a street that does not meet its base line is counted from it."""
        if self.half.way is None:
            return None
        if self.half.reached_by == "extended":
            how, reading = (
                "carried straight on",
                "Read as: straight on, without stopping, from the end that gets there sooner.",
            )
        else:
            how = "joined by the straight line to the nearest point"
            reading = "Read as: neither end, carried straight on, reaches the base line."
        text = f"{self.street.name} does not reach {self.base}; {how}, it begins {self.half.way_ft:.1f} ft from it."
        return Step("288-15 F", "extension", text, {"extended_ft": round(self.half.way_ft, 2)}, reading)

    def block(self) -> Step:
        """D: which block, and its hundred."""
        first, last = self.door.hundred + self.map.law.first_even, self.door.hundred + self.map.law.hundred - 1
        numbers = f"numbers {first} to {last}"
        values: dict[str, Any] = {"block": self.door.block, "from_ft": round(self.door.block_from_ft, 2)}
        if self.row.virtual:
            length = self.map.law.open_block_ft
            start = f"{self.door.block_from_ft:.1f} ft from {self.base}"
            text = f"No apparent block here: an open block of {length} ft begins {start}; {numbers}.{self._edited()}"
            return Step("288-15 D", "open_block", text, {**values, "length_ft": length, "virtual": True})
        ends = f"{_and(self.row.from_streets)} to {_and(self.row.to_streets)}"
        length_ft = f"{self.row.length_ft:.1f} ft{' by the linework' if self.row.record_ft else ''}"
        text = f"{ends}: block {self.door.block} from {self.base}, {length_ft}; {numbers}.{self._edited()}"
        values |= {"to_ft": round(self.row.to_ft, 2), "length_ft": round(self.row.length_ft, 2)}
        reading = "Read as: measured between centerlines; the block at the base line is counted 0."
        if not self.row.built:
            reading += ' One of its ends is a street extended ("if streets each way were so extended").'
        return Step("288-15 D", "block", text, values, reading)

    def _edited(self) -> str:
        """Say which edits made the block and its hundred what they are."""
        hundreds = [edit for edit in self.row.edits if edit.kind == HUNDRED]
        told = [
            (edit, "removed the line of a street extended in it") for edit in self.row.edits if edit.kind == REMOVE_LINE
        ]
        told += [(edit, "set its hundred") for edit in hundreds[-1:]]
        return "".join(f" An officer {did}{_because(edit.because)}" for edit, did in told)

    def unit(self) -> Step:
        """D: the unit of frontage."""
        law = self.map.law
        if self.row.virtual:
            text = f"A frontage of {law.open_unit_ft} ft is used for each number."
            return Step("288-15 D", "open_unit", text, {"unit_ft": law.open_unit_ft})
        length = self.row.counted_ft
        quotient = length / law.block_divisor
        values = {"length_ft": length, "quotient": round(quotient, 4), "unit_ft": self.door.unit_ft}
        sum_ = f"/ {law.block_divisor} = {quotient:.2f}: {self.door.unit_ft} ft a number."
        reading = "Read as: rounded to the nearest foot, halves up"
        if self.row.record_ft:
            edit = next(edit for edit in reversed(self.row.edits) if edit.kind == LENGTH)
            text = f"{length:.2f} ft, a length of record, {sum_} An officer recorded it{_because(edit.because)}"
            reading += "; a length of record is not rounded first."
            return Step("288-15 D", "unit", text, {**values, "of_record": True}, reading)
        return Step("288-15 D", "unit", f"{length:.1f} ft {sum_}", values, f"{reading}.")

    def place(self) -> Step:
        """E: the unit the entrance lies in."""
        text = f"The entrance is {self.door.into_ft:.1f} ft into the block: the {ordinal(self.door.unit + 1)} unit."
        if "UNIT_OVERFLOW" in self.door.codes:
            units = self.door.unit + 1
            text = f"The entrance is {self.door.into_ft:.1f} ft into the block, past its {units} units: the last."
        values = {"station_ft": self.door.station, "into_ft": self.door.into_ft, "unit": self.door.unit}
        reading = "Read as: a unit holds its start and not its end; each side steps by two."
        return Step("288-15 E", "place", text, values, reading)

    def parity(self) -> Step:
        """E: the side, its parity and the number."""
        law, side = self.map.law, side_names(self.street.family)[self.door.even]
        if not self.door.number:
            return Step(
                "288-15 E",
                "even" if self.door.even else "odd",
                "The point lies on the street's line: it has no side, and no number.",
            )
        parity, first = ("even", law.first_even) if self.door.even else ("odd", law.first_odd)
        sum_ = f"{self.door.hundred} + {first} + 2 x {self.door.unit} = {self.door.number}"
        text = f"{side.capitalize()} side: {parity}. {sum_}."
        values = {
            "side": side,
            "parity": parity,
            "first": first,
            "hundred": self.door.hundred,
            "number": self.door.number,
        }
        return Step("288-15 E", parity, text, values)

    def lines(self) -> tuple[ConstructionLine, ...]:
        """Draw the base line, the extension, the block and its ends, the unit's frontage and the offset."""
        drawn = [ConstructionLine("base_line", self.base, self.half.base_part)]
        if self.half.way is not None:
            drawn.append(ConstructionLine("extension", f"{self.street.name} extended", self.half.way, assumed=True))
        to_ft = self.door.block_from_ft + self.map.law.open_block_ft if self.row.virtual else self.row.to_ft
        names = self.row.from_streets if self.door.block == self.row.block else ()
        first = self.row.from_built and self.door.block == self.row.block
        ends = ((self.door.block_from_ft, names, first), (to_ft, self.row.to_streets, self.row.to_built))
        for station, streets, built in ends:
            drawn.append(ConstructionLine("block_line", _and(streets), self._tick(station), assumed=not built))
        drawn.append(
            ConstructionLine("block", f"{self.door.hundred} block", self._along(self.door.block_from_ft, to_ft))
        )
        start = self.door.block_from_ft + self.door.unit * self.door.unit_ft
        drawn.append(
            ConstructionLine("unit", str(self.door.number or ""), self._along(start, start + self.door.unit_ft))
        )
        drawn.append(
            ConstructionLine("offset", "", np.array([[self.door.x, self.door.y], [self.door.foot_x, self.door.foot_y]]))
        )
        return tuple(drawn)

    def _along(self, near: float, far: float) -> Floats:
        inside = slice(bisect_right(self.stations, near), bisect_left(self.stations, far))
        return np.array([self._at(near), *self.coords[inside], self._at(far)])

    def _at(self, station: float) -> tuple[float, float]:
        """Return the point at a station; past the end of all extension, straight on."""
        after = min(max(bisect_right(self.stations, station), 1), len(self.stations) - 1)
        (x, y), (next_x, next_y) = self.coords[after - 1 : after + 1]
        start, length = self.stations[after - 1], self.stations[after] - self.stations[after - 1] or 1.0
        along = max(station - start, 0.0)
        return (next_x - x) / length * along + x, (next_y - y) / length * along + y

    def _tick(self, station: float) -> Floats:
        """Return a short line across the street at a station."""
        (x0, y0), (x, y), (x1, y1) = (self._at(s) for s in (max(station - 1, 0), station, station + 1))
        scale = _TICK_FT / (math.hypot(x1 - x0, y1 - y0) or 1.0)
        across_x, across_y = (y0 - y1) * scale, (x1 - x0) * scale
        return np.array([[x - across_x, y - across_y], [x + across_x, y + across_y]])


def _with(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def ordinal(count: int) -> str:
    """Return an ordinal in figures.

    Parameters
    ----------
    count
        A positive whole number.

    Returns
    -------
    str
        The ordinal.

    Examples
    --------
    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    ending = "th" if 10 <= count % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{ending}"


def _and(names: tuple[str, ...]) -> str:
    return " and ".join(names)


def _because(reason: str) -> str:
    return f": {reason}." if reason else "."
