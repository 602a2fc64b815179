"""A street drawn as strips: each half to scale, outward from its base line, with its blocks, faces and findings."""

from __future__ import annotations

from dataclasses import dataclass

from app.maps import ground, marks, numbers_of
from app.village import Village
from gis.blocks import Row
from gis.halves import Half
from gis.numbering import side_names

LONGEST_PX, WIDEST_PX, NARROWEST_PX, MOST_SCALE = 960.0, 5000.0, 62.0, 0.6
LEFT_PX, RIGHT_PX = 92.0, 80.0
LETTER_PX = 6.2
LEVELS = 3


@dataclass(frozen=True)
class Tick:
    """A line across a strip: where, how far from the base line, whose, whether built, at which height it is named."""

    x: float
    station_ft: float
    label: str
    built: bool
    level: int
    low_level: int


@dataclass(frozen=True)
class Block:
    """A block of a strip: its middle, the numbers left and right of the street (as it is walked), its finding mark."""

    x: float
    width: float
    upper: str
    lower: str
    mark: int
    note: bool
    row: Row


@dataclass(frozen=True)
class Strip:
    """One half of a street, ready to be drawn; x in pixels from the left."""

    half: str
    base: str
    width: float
    zero: float
    end: float
    built: tuple[float, float]
    upper: str
    lower: str
    ticks: tuple[Tick, ...]
    blocks: tuple[Block, ...]


def anchor(row: Row) -> str:
    """Return the address of a row within its street's page."""
    return f"row-{row.side.lower()}-{row.half}-{row.block}"


def strips(village: Village, name: str) -> tuple[Strip, ...]:
    """Lay out a street's halves, all at one scale.

    Parameters
    ----------
    village
        The village.
    name
        The street's official name.

    Returns
    -------
    tuple of Strip
        One for each half and path.
    """
    rows = village.rows_of(name)
    longest, shortest = max(r.to_ft for r in rows), min(r.length_ft for r in rows)
    scale = min(MOST_SCALE, max(LONGEST_PX / longest, NARROWEST_PX / max(shortest, 1.0)), WIDEST_PX / longest)
    halves = dict.fromkeys(row.half for row in rows)
    return tuple(_strip(village, village.map.halves[k], [r for r in rows if r.half == k], scale) for k in halves)


def _strip(village: Village, half: Half, rows: list[Row], scale: float) -> Strip:
    family = village.network.streets[half.street].family
    odd, even = (f"{side}: {parity}" for side, parity in zip(side_names(family), ("odd", "even"), strict=True))
    low, high = (LEFT_PX + scale * s for s in ground(half))
    last = max(r.to_ft for r in rows)
    return Strip(
        half=half.name,
        base=village.network.base_name(family),
        width=round(LEFT_PX + scale * last + RIGHT_PX, 1),
        zero=LEFT_PX,
        end=round(LEFT_PX + scale * last, 1),
        built=(round(low, 1), round(min(high, LEFT_PX + scale * last), 1)),
        upper=even if half.even_is_left else odd,
        lower=odd if half.even_is_left else even,
        ticks=_ticks(rows, scale),
        blocks=tuple(_block(village, half, row, scale) for row in rows),
    )


def _block(village: Village, half: Half, row: Row, scale: float) -> Block:
    law = village.law.numbering
    even, odd = (numbers_of(row, first, law.hundred, law.last_unit) for first in (law.first_even, law.first_odd))
    mark = next((m for m in marks(village) if m.row is row), None)
    return Block(
        x=round(LEFT_PX + scale * (row.from_ft + row.to_ft) / 2, 1),
        width=scale * row.length_ft,
        upper=even if half.even_is_left else odd,
        lower=odd if half.even_is_left else even,
        mark=mark.number if mark else 0,
        note=mark is not None and not mark.decide,
        row=row,
    )


def _ticks(rows: list[Row], scale: float) -> tuple[Tick, ...]:
    """Place the names of the block lines on levels where they do not run into each other."""
    ticks: list[Tick] = []
    upper, lower = [LEFT_PX + 30.0] * LEVELS, [LEFT_PX + 12.0] * 2
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        x = LEFT_PX + scale * row.to_ft
        label = " and ".join(row.to_streets) or ("open block" if row.virtual else "")
        label = label if len(label) <= 34 else f"{label[:32]}…"
        reach = LETTER_PX * len(label) / 2
        level = next((k for k in range(LEVELS) if upper[k] <= x - reach), min(range(LEVELS), key=lambda k: upper[k]))
        low = 0 if lower[0] <= x - 26 else 1
        upper[level], lower[low] = x + reach + 6, x + 28
        built = row.built or bool(after and after.built)
        ticks.append(Tick(round(x, 1), row.to_ft, label, built, level, low))
    return tuple(ticks)
