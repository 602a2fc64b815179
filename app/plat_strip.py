"""A half-street laid out for the plat book: straightened, to scale, with blocks, numbers and lots; nothing is drawn.

What is laid out are marks: lines, boxes and texts in points, from the top left of their strip, so that the printed book
and the public page show the same. Nothing written overlaps: crowded numbers stand staggered, with leaders to their
stations, and what finds no room is counted and stands in the list.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.maps import ground, marks
from app.plat_marks import WIDTH, Box, Given, Line, LotFront, Mark, Strip, Text, most_wide, spread
from app.village import Village
from gis.blocks import Row
from gis.faces import face
from gis.halves import Half
from gis.numbering import side_names

POINTS_AN_INCH = 72.0
SCALES = (50, 100)
"""Feet to the inch; the first at which a street takes no more than `FEW` strips."""
FEW = 3
MARGIN_FT = 20.0
_LEFT, _RIGHT = 52.0, 10.0
_ROOM = WIDTH - _LEFT - _RIGHT
_CAPTION, _NAMES, _LEVEL = 15.0, 3.0, 9.0
_BAND, _RULER, _LOTS, _LEADER = 17.0, 14.0, 14.0, 9.0
_NUMBER, _TICKED, _NAME = 7.2, 6.2, 7.0
_SLOT = 8.6
_CLEAR = 3.0
"""How far a small number keeps off the end of its block, points."""
_LEAST_SHARE = 0.55


def scale_of(village: Village, rows: Sequence[Row]) -> int:
    """Return the scale of a street's strips, feet to the inch."""
    longest = [far - near for _, near, far in _stretches(village, rows)]
    for scale in SCALES[:-1]:
        if sum(math.ceil(ft / _feet(scale)) for ft in longest) <= FEW:
            return scale
    return SCALES[-1]


def strips(village: Village, rows: Sequence[Row], given: Sequence[Given], lots: Sequence[LotFront]) -> list[Strip]:
    """Lay out a street: each half on the ground, cut into strips where block lines are.

    Parameters
    ----------
    village
        The village.
    rows
        The street's rows.
    given
        The numbers in use on it.
    lots
        The lots that front on it.

    Returns
    -------
    list of Strip
        By half, outward.
    """
    scale = scale_of(village, rows)
    made = []
    for half, near, far in _stretches(village, rows):
        own = [row for row in rows if row.half == half]
        for low, high in _cut(own, near, far, _feet(scale)):
            made.append(_Sheet(village, half, own, low, high, scale).strip(given, lots))
    return made


def _feet(scale: int) -> float:
    """Return how many feet one strip holds."""
    return _ROOM / POINTS_AN_INCH * scale


def _stretches(village: Village, rows: Sequence[Row]) -> list[tuple[int, float, float]]:
    """Return each half-street of some rows and the stations between which it is on the ground."""
    found = []
    for half in dict.fromkeys(row.half for row in rows):
        near, far = ground(village.map.halves[half])
        if far > near:
            found.append((half, near, far))
    return found


def _cut(rows: Sequence[Row], near: float, far: float, most: float) -> Iterator[tuple[float, float]]:
    """Cut a stretch into pieces of at most so many feet, at the last block line that leaves a piece long enough."""
    lines = [row.to_ft for row in rows]
    while far - near > most:
        at = max((s for s in lines if near + _LEAST_SHARE * most <= s <= near + most), default=near + most)
        yield near, at
        near = at
    yield near, far


@dataclass
class _Sheet:
    """A strip being laid out."""

    village: Village
    index: int
    rows: Sequence[Row]
    low: float
    high: float
    scale: int
    marks: list[Mark] = field(default_factory=list)
    unwritten: list[str] = field(default_factory=list)

    @property
    def half(self) -> Half:
        return self.village.map.halves[self.index]

    def x(self, station_ft: float) -> float:
        """Return where a station falls."""
        return _LEFT + (station_ft - self.low) / self.scale * POINTS_AN_INCH

    def within(self, station_ft: float) -> bool:
        last = self.high >= max(row.to_ft for row in self.rows) or self.high >= ground(self.half)[1]
        return self.low <= station_ft < self.high or (last and abs(station_ft - self.high) < 0.01)

    def strip(self, given: Sequence[Given], lots: Sequence[LotFront]) -> Strip:
        own = [g for g in given if g.half == self.index and self.within(g.station_ft)]
        fronts = [f for f in lots if f.half == self.index and f.to_ft > self.low and f.from_ft < self.high]
        base = self.village.network.base_name(self.village.network.streets[self.half.street].family)
        title = f"{self.half.name} half, {self.low:,.0f} to {self.high:,.0f} ft from {base}"
        names = self._names()
        upper, lower = (self._numbers([g for g in own if g.even == even]) for even in self._sides())
        lot_band = _LOTS if fronts else 0.0
        top = _CAPTION + names.height + upper.height
        band = top + lot_band + _RULER
        foot = band + _BAND + _RULER + lot_band + lower.height
        self._band(band)
        self._rulers(band)
        for even, y in zip(self._sides(), (band - _RULER - _LOTS, band + _BAND + _RULER), strict=True):
            self._lots([f for f in fronts if f.even == even], y)
        height = foot + self._lines(names, band, foot)
        upper.draw(self.marks, top, band, up=True)
        lower.draw(self.marks, foot - lower.height, band + _BAND, up=False)
        self.unwritten += [*upper.left, *lower.left]
        self._caption(title, band)
        told = f"{title}: {len(own)} number{'' if len(own) == 1 else 's'} in use, {len(fronts)} lots. {self._told()}"
        written = tuple(g.id for _, _, g, _ in (*upper.placed, *lower.placed))
        return Strip(title, height + 4.0, tuple(self.marks), tuple(self.unwritten), told, written)

    def _told(self) -> str:
        blocks = (f"{row.hundred} block, {row.length_ft:,.1f} ft, {row.unit_ft} ft a number" for row in self._shown())
        return "; ".join(blocks) + "."

    def _sides(self) -> tuple[bool, bool]:
        """Return whether the upper and the lower side are the even one: the upper is left, looking outward."""
        return self.half.even_is_left, not self.half.even_is_left

    def _shown(self) -> list[Row]:
        return [row for row in self.rows if row.to_ft > self.low + 0.01 and row.from_ft < self.high - 0.01]

    # --- the parts of a strip ---

    def _caption(self, title: str, band: float) -> None:
        self.marks.append(Text(0.0, 9.0, title, 8.0, "title"))
        feet = self.scale
        x = WIDTH - _RIGHT - POINTS_AN_INCH
        for part, role in ((0.0, "bar full"), (0.5, "bar")):
            self.marks.append(Box(x + part * POINTS_AN_INCH, 6.0, POINTS_AN_INCH / 2, 3.2, role))
        for at, text in ((x, "0"), (x + POINTS_AN_INCH / 2, f"{feet / 2:g}"), (x + POINTS_AN_INCH, f"{feet} ft")):
            self.marks.append(Text(at, 4.4, text, 5.8, "quiet", "middle"))
        sides = side_names(self.village.network.streets[self.half.street].family)
        for even, y in zip(self._sides(), (band - 3.0, band + _BAND + 8.0), strict=True):
            self.marks.append(Text(0.0, y, f"{sides[even]}, {'even' if even else 'odd'}", 6.4, "side"))
        self._north(band + _BAND / 2)

    def _north(self, y: float) -> None:
        """Point to grid north as it lies on the straightened street, by the chord of this stretch."""
        (ax, ay), (bx, by) = self.half.point(self.low), self.half.point(min(self.high, float(self.half.stations[-1])))
        size = math.hypot(bx - ax, by - ay) or 1.0
        right, up = (by - ay) / size, (bx - ax) / size
        middle, reach = (_LEFT - 13.0, y), 8.0
        tip = (middle[0] + right * reach, middle[1] - up * reach)
        foot = (middle[0] - right * reach, middle[1] + up * reach)
        self.marks.append(Line(*foot, *tip, "north"))
        for turn in (2.6, -2.6):
            a = math.atan2(-up, right) + turn
            self.marks.append(Line(*tip, tip[0] + 4.0 * math.cos(a), tip[1] + 4.0 * math.sin(a), "north"))
        self.marks.append(Text(_LEFT - 25.0, y + 2.2, "N", 6.4, "side", "end"))

    def _band(self, y: float) -> None:
        """The street with what each block is."""
        self.marks.append(Box(self.x(self.low), y, self.x(self.high) - self.x(self.low), _BAND, "street"))
        numbered = {id(mark.row): mark.number for mark in marks(self.village)}
        for row in self._shown():
            a, b = self.x(max(row.from_ft, self.low)), self.x(min(row.to_ft, self.high))
            length = f"{row.record_ft:,.1f} ft of record" if row.record_ft else f"{row.length_ft:,.1f} ft"
            unit, found = f"{row.unit_ft} ft a number", numbered.get(id(row))
            mark = f" · finding {found}" if found else ""
            block = f"{row.hundred} block"
            kind = ", open" if row.virtual else "" if row.built else ", extended"
            options = (f"{block} · {length}{kind} · {unit}{mark}", f"{block} · {length} · {row.unit_ft} ft{mark}",
                       f"{block} · {row.unit_ft} ft{mark}", block, str(row.hundred))  # fmt: skip
            text = next((t for t in options if most_wide(t, _NAME) <= b - a - 6.0), "")
            if text:
                self.marks.append(Text((a + b) / 2, y + _BAND / 2 + 2.5, text, _NAME, "block", "middle"))

    def _rulers(self, band: float) -> None:
        """Both sides' units, and as many of their numbers as have room."""
        for even, edge, way in zip(self._sides(), (band, band + _BAND), (-1.0, 1.0), strict=True):
            reached = -math.inf
            for row in self._shown():
                end = self.x(min(row.to_ft, self.high))
                step = _step(row.unit_ft / self.scale * POINTS_AN_INCH, row.hundred)
                fine = row.unit_ft / self.scale * POINTS_AN_INCH >= 2.2
                for place in face(row, self.village.map, even=even):
                    if not self.low - 0.01 <= place.from_ft < self.high - 0.01:
                        continue
                    x, long = self.x(place.from_ft), place.k % 5 == 0
                    if fine or long:
                        self.marks.append(Line(x, edge, x, edge + way * (4.5 if long else 2.5), "unit"))
                    wide = most_wide(str(place.number), _TICKED)
                    if place.k % step == 0 and x >= reached and x + 1.5 + wide + _CLEAR <= end:
                        y = edge - 6.0 if way < 0 else edge + 11.0
                        self.marks.append(Text(x + 1.5, y, str(place.number), _TICKED, "ruled"))
                        reached = x + wide + 3.0

    def _lots(self, fronts: Sequence[LotFront], y: float) -> None:
        # where lots overlap, or a block line is, no label is written: the list has all
        spans = [(self.x(max(f.from_ft, self.low)), self.x(min(f.to_ft, self.high)), f.parcel) for f in fronts]
        self.marks.extend(Box(a, y, b - a, _LOTS, "lot") for a, b, _ in spans)
        lines = [(self.x(row.to_ft), self.x(row.to_ft)) for row in self._shown()]
        for k, (a, b, parcel) in enumerate(spans):
            half, x = most_wide(parcel, 6.0) / 2 + 0.5, (a + b) / 2
            others = [(near, far) for near, far, _ in spans[:k] + spans[k + 1 :]] + lines
            if half <= x - a and not any(near < x + half and far > x - half for near, far in others):
                self.marks.append(Text(x, y + _LOTS / 2 + 2.1, parcel, 6.0, "parcel", "middle"))

    def _names(self) -> _Names:
        """Place the names of the block lines on levels where they do not run into each other."""
        placed: list[tuple[float, str, bool, int]] = []
        reached = [-math.inf] * 3
        lines = [(row.to_ft, row.to_streets, row) for row in self.rows]
        lines += [(row.from_ft, row.from_streets, row) for row in self.rows[:1]]
        for station, streets, row in sorted(lines, key=lambda line: line[0]):
            if not self.low - 0.01 <= station <= self.high + 0.01:
                continue
            x, text = self.x(station), " and ".join(streets) or ("open block" if row.virtual else "")
            text = text if len(text) <= 40 else f"{text[:39]}…"
            wide = most_wide(text, _NAME)
            left = min(max(x - wide / 2, _LEFT - 20.0), WIDTH - wide)
            level = next((k for k in range(3) if reached[k] <= left), 2)
            if reached[level] > left:
                text = ""  # its line is drawn and the table names it
            else:
                reached[level] = left + wide + 6.0
            built = self._built(station)
            placed.append((x, text, built, level))
        levels = max((level + 1 for _, text, _, level in placed if text), default=0)
        return _Names(tuple(placed), _NAMES + levels * _LEVEL)

    def _built(self, station: float) -> bool:
        return any((row.from_built and abs(row.from_ft - station) < 0.01) or
                   (row.to_built and abs(row.to_ft - station) < 0.01) for row in self.rows)  # fmt: skip

    def _lines(self, names: _Names, band: float, foot: float) -> float:
        """Draw the block lines with their names above and stations below; returns the height of what is below."""
        reached = -math.inf
        for x, text, built, level in names.placed:
            top = _CAPTION + names.height - _NAMES - (names.levels - 1 - level) * _LEVEL
            self.marks.append(Line(x, top if text else band, x, foot + 2.0, "line" if built else "line assumed"))
            if text:
                wide = most_wide(text, _NAME)
                left = min(max(x - wide / 2, _LEFT - 20.0), WIDTH - wide)
                self.marks.append(Text(left, top - 2.0, text, _NAME, "name"))
            station = f"{self.low + (x - _LEFT) / POINTS_AN_INCH * self.scale:,.1f}"
            wide = most_wide(station, 5.8)
            left = min(max(x - wide / 2, 0.0), WIDTH - wide)
            if left >= reached:
                self.marks.append(Text(left, foot + 9.0, station, 5.8, "quiet"))
                reached = left + wide + 4.0
        return 11.0

    def _numbers(self, given: Sequence[Given]) -> _Numbers:
        """Find places for the numbers in use of one side: each block's between its own lines."""
        tier = _Numbers()
        for a, b in pairwise(self._bounds()):
            near, far = self.x(a), self.x(b)
            own = sorted((g for g in given if a <= g.station_ft < b or g.station_ft == b == self.high),
                         key=lambda g: (g.station_ft, g.text))  # fmt: skip
            tier.add([(self.x(g.station_ft), g) for g in own], near, far)
        return tier

    def _bounds(self) -> list[float]:
        inner = {row.to_ft for row in self.rows if self.low < row.to_ft < self.high}
        return sorted({self.low, *inner, self.high})


@dataclass(frozen=True)
class _Names:
    """The names of a strip's block lines: where, what, whether built, on which level; and their height."""

    placed: tuple[tuple[float, str, bool, int], ...]
    height: float

    @property
    def levels(self) -> int:
        return round((self.height - _NAMES) / _LEVEL)


@dataclass
class _Numbers:
    """The numbers in use of one side of a strip, on one tier or staggered on two."""

    placed: list[tuple[float, float, Given, int]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def add(self, wanted: Sequence[tuple[float, Given]], near: float, far: float) -> None:
        """Place the numbers of one block between its lines."""
        low, high = near + 5.0, far - 5.0
        if high < low:  # too narrow for one that its neighbors' would not touch
            self.left += [g.text for _, g in wanted]
            return
        if not wanted:
            return
        kept = list(wanted)
        most = int((high - low) / (_SLOT / 2)) + 1
        if len(kept) > most:  # thinned evenly: those left out stand in the list
            chosen = {round(k * (len(kept) - 1) / max(most - 1, 1)) for k in range(most)}
            self.left += [g.text for k, (_, g) in enumerate(kept) if k not in chosen]
            kept = [one for k, one in enumerate(kept) if k in chosen]
        single = spread([x for x, _ in kept], low, high, _SLOT)
        if single is not None and max(abs(a - x) for a, (x, _) in zip(single, kept, strict=True)) <= 3 * _SLOT:
            self.placed += [(at, x, g, 0) for at, (x, g) in zip(single, kept, strict=True)]
            return
        double = spread([x for x, _ in kept], low, high, _SLOT / 2)
        assert double is not None  # no more are kept than fit
        self.placed += [(at, x, g, k % 2) for k, (at, (x, g)) in enumerate(zip(double, kept, strict=True))]

    def _reach(self, tier: int) -> float:
        return max((most_wide(g.text, _NUMBER) + 3.0 for _, _, g, t in self.placed if t == tier), default=0.0)

    @property
    def height(self) -> float:
        """The height of tiers and leaders."""
        return _LEADER + self._reach(0) + self._reach(1) if self.placed else 2.0

    def draw(self, marks: list[Mark], begin: float, edge: float, *, up: bool) -> None:
        """Write the numbers outward from `begin`, above or below the street, whose edge has a dot for each."""
        way = -1.0 if up else 1.0
        for at, x, g, tier in self.placed:
            first = begin + way * _LEADER
            start = first + way * (self._reach(0) if tier else 0.0)
            marks.append(Box(x - 1.3, edge - 1.3, 2.6, 2.6, "door"))
            marks.append(Line(x, begin, x, begin + way * 2.0, "leader"))
            marks.append(Line(x, begin + way * 2.0, at, first, "leader"))
            if tier:
                marks.append(Line(at, first, at, start, "leader"))
            at_text, link = at + _NUMBER * 0.36, f"/addresses/{g.id}"
            anchor = "start" if up else "end"  # upward from the foot above the street, up to the top below it
            y_text = start + way * 1.5
            marks.append(Text(at_text, y_text, g.text, _NUMBER, g.status, anchor, upward=True, link=link))


def _step(unit_pt: float, hundred: int) -> int:
    """Return how many units apart the numbers of a ruler are written."""
    wide = most_wide(str(hundred + 99), _TICKED) + 6.0
    return next((step for step in (1, 5, 10, 15) if step * unit_pt >= wide), 45)
