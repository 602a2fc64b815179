"""Block lines and the rows of a Street Numbering Map (§ 288-15 D)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gis.crossings import BlockLines, Crossing, block_lines, crossings
from gis.findings import Finding
from gis.halves import Half, halves
from gis.network import Network
from gis.rules import NumberingLaw, Reading


@dataclass(frozen=True)
class Line:
    """A block line on a half-street, where jogged crossings have become one.

    Parameters
    ----------
    station
        Where it is placed, feet from the base line.
    streets
        Indices of the streets that make it, in the order they are met.
    built
        Whether one of its crossings is on the ground.
    crossed
        Station of the crossing it was placed by, before it was moved to a street's end.
    accuracy_ft
        Accuracy of its position, feet at 95 %.
    findings
        What is doubtful about it.
    """

    station: float
    streets: tuple[int, ...]
    built: bool
    crossed: float
    accuracy_ft: float
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Row:
    """One row of the Street Numbering Map: a block of a half-street.

    Parameters
    ----------
    half
        Index of the half-street in the map.
    street, side
        Name of the street and of its half: ``"North"``, ``"South"``, ``"East"``, ``"West"``.
    path
        0, or the path of a branched street.
    block
        0 for the block at the base line, and counting outward.
    from_ft, to_ft
        Stations of its ends from the base line, feet.
    unit_ft
        Unit of frontage, whole feet.
    hundred
        Its numbers lie in this hundred.
    from_streets, to_streets
        Names of the streets that bound it; none where it is virtual.
    from_built, to_built
        Whether each of its ends is a crossing on the ground.
    virtual
        Whether it is one of the open blocks that follow where there are "no apparent blocks".
    findings
        What is doubtful about it.
    """

    half: int
    street: str
    side: str
    path: int
    block: int
    from_ft: float
    to_ft: float
    unit_ft: int
    hundred: int
    from_streets: tuple[str, ...]
    to_streets: tuple[str, ...]
    from_built: bool
    to_built: bool
    virtual: bool
    findings: tuple[Finding, ...] = ()

    @property
    def built(self) -> bool:
        """Whether both its ends are crossings on the ground."""
        return self.from_built and self.to_built

    @property
    def length_ft(self) -> float:
        """Length before rounding, feet."""
        return self.to_ft - self.from_ft

    @property
    def bounded_by(self) -> tuple[str, ...]:
        """Names of the streets at both its ends, the base line's side first."""
        return tuple(dict.fromkeys((*self.from_streets, *self.to_streets)))

    def tail_ft(self, law: NumberingLaw) -> float:
        """Return the length of frontage past the last unit that has a number of its own (§ 288-15 D).

        Parameters
        ----------
        law
            The legal values in force.

        Returns
        -------
        float
            Feet; 0 where all units have a number.
        """
        return max(0.0, rounded_length(self.length_ft) - (law.last_unit + 1) * self.unit_ft)


@dataclass(frozen=True, eq=False)
class NumberingMap:
    """A Street Numbering Map: the rows that derivation proposes, with their findings.

    Parameters
    ----------
    network
        The streets it was derived from.
    law
        The legal values it was derived under.
    halves
        The half-streets its rows belong to.
    rows
        By half-street, outward.
    findings
        What is doubtful about the map as a whole.
    """

    network: Network
    law: NumberingLaw
    halves: tuple[Half, ...]
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...]


def unit_ft(length_ft: float, law: NumberingLaw) -> int:
    """Return a block's unit of frontage (§ 288-15 D).

    "The unit of frontage shall be determined by rounding to the nearest foot, the quotient or the length of the block,
    square, or space and 44." Read as: length over 44, halves up, at least one foot.

    Parameters
    ----------
    length_ft
        Length of the block, feet.
    law
        The legal values in force.

    Returns
    -------
    int
        Feet.

    Examples
    --------
    >>> law = NumberingLaw(44, 90, 100, 10, 11, 15, 660)
    >>> unit_ft(330.0, law), unit_ft(328.0, law), unit_ft(660.0, law), unit_ft(10.0, law)
    (8, 7, 15, 1)
    """
    return max(1, math.floor(length_ft / law.block_divisor + 0.5))


def rounded_length(length_ft: float) -> float:
    """Round a computed length to a tenth of a foot, so that noise does not decide a unit.

    Parameters
    ----------
    length_ft
        Feet.

    Returns
    -------
    float
        Feet.

    Examples
    --------
    >>> rounded_length(329.9999999)
    330.0
    """
    return round(length_ft, 1)


def numbering_map(net: Network, law: NumberingLaw) -> NumberingMap:
    """Derive the Street Numbering Map that the ordinance gives a village's streets (§ 288-15 C to F).

    Parameters
    ----------
    net
        The village's streets.
    law
        The legal values in force.

    Returns
    -------
    NumberingMap
        A proposal: every doubtful row carries its finding.
    """
    walked, lines = halves(net), block_lines(net)
    kept = [_kept_lines(net, half, lines) for half in walked]
    rows = [
        row
        for index, half in enumerate(walked)
        for row in _rows(net, law, index, half, kept[index], _base_line(net, half))
    ]
    rows = [replace(row, findings=(*walked[row.half].findings, *row.findings)) for row in rows]
    rows = _with_mismatches(net, rows, kept)
    rows, found = _with_sensitivity(rows, kept, [_base_line(net, half) for half in walked], law)
    return NumberingMap(net, law, walked, tuple(rows), found)


def _base_line(net: Network, half: Half) -> Line:
    base = net.bases[net.streets[half.street].family].street
    accuracy = max(float(net.streets[k].accuracy_ft.max()) for k in (base, half.street))
    return Line(0.0, (base,), half.built_base, 0.0, accuracy)


@dataclass(frozen=True)
class _Kept:
    """The block lines of a half: those kept, those left out, and whether open blocks follow the last."""

    lines: tuple[Line, ...]
    phantoms: tuple[tuple[float, Finding], ...]
    near_base: tuple[Finding, ...]


def _kept_lines(net: Network, half: Half, lines: BlockLines) -> _Kept:
    grouped, near_base = _grouped(net, half, crossings(net, half, lines))
    kept, phantoms = _without_phantoms(net, half, grouped)
    return _Kept(tuple(_until_open(half, kept, net.reading)), tuple(phantoms), tuple(near_base))


def _grouped(net: Network, half: Half, met: Sequence[Crossing]) -> tuple[list[Line], list[Finding]]:
    """Make one line of crossings nearer to each other than the reading's `jog_ft`, from the base line outward."""
    jog = net.reading.jog_ft
    found: list[Finding] = []
    lines: list[Line] = []
    left = [m for m in met if not _less(m.station, jog)]
    base = net.bases[net.streets[half.street].family].street
    near = [_jog(net, (base, m.street), m.station, m.accuracy_ft) for m in met]
    found.extend(f for f in near if f)
    while left:
        first = left[0]
        group = [m for m in left if _less(m.station - first.station, jog)]
        line = _placed(net, half, group)
        doubts = [_jog(net, (first.street, m.street), m.station - first.station, m.accuracy_ft) for m in left[1:]]
        members = [m for m in left if m in group or _less(m.station - line.station, jog)]
        streets = tuple(dict.fromkeys(m.street for m in members))
        lines.append(replace(line, streets=streets, findings=tuple(f for f in doubts if f)))
        left = left[len(members) :]
    return lines, found


def _less(gap_ft: float, limit_ft: float) -> bool:
    """Whether a gap is less than a limit: noise of a few thousandths of a foot does not decide."""
    return gap_ft < limit_ft - 0.005


def _jog(net: Network, streets: tuple[int, int], gap_ft: float, accuracy_ft: float) -> Finding | None:
    if streets[0] == streets[1] or abs(gap_ft - net.reading.jog_ft) > accuracy_ft + 0.005:
        return None
    names = " and ".join(dict.fromkeys(net.streets[k].name for k in streets))
    return Finding("JOG_NEAR", {"streets": names, "gap_ft": gap_ft, "limit_ft": net.reading.jog_ft})


def _placed(net: Network, half: Half, group: Sequence[Crossing]) -> Line:
    """Place a group at its first built crossing, else its first; just before the street's end, at the end."""
    built = [m for m in group if m.built]
    at = (built or group)[0]
    station = at.station
    if half.dead_end and half.end_station - station > 0 and _less(half.end_station - station, net.reading.jog_ft):
        station = half.end_station
    return Line(station, (), bool(built), at.station, max(m.accuracy_ft for m in group))


def _without_phantoms(
    net: Network, half: Half, lines: Sequence[Line]
) -> tuple[list[Line], list[tuple[float, Finding]]]:
    """Leave out extended lines too near to the last line kept or to the next built crossing."""
    limit = net.reading.phantom_ft
    kept: list[Line] = []
    phantoms = []
    for k, given in enumerate(lines):
        line = given
        before = kept[-1].station if kept else 0.0
        built_after = next((other.crossed for other in lines[k + 1 :] if other.built), math.inf)
        if not line.built and (_less(line.station - before, limit) or _less(built_after - line.station, limit)):
            values = {"streets": _names(net, line.streets), "at_ft": line.station, "limit_ft": limit}
            phantoms.append((line.station, Finding("PHANTOM", values)))
            continue
        between = built_after < math.inf and (any(other.built for other in kept) or half.built_base)
        if not line.built and between:
            values = {"streets": _names(net, line.streets), "at_ft": line.station}
            line = replace(line, findings=(*line.findings, Finding("EXTENSION_SPLITS_BLOCK", values)))
        kept.append(line)
    return kept, phantoms


def _names(net: Network, streets: Sequence[int]) -> str:
    return " and ".join(dict.fromkeys(net.streets[k].name for k in streets))


def _until_open(half: Half, kept: Sequence[Line], reading: Reading) -> list[Line]:
    """Cut off the lines from which there are "no apparent blocks": past the last built crossing, too far apart."""
    built = [k for k, line in enumerate(kept) if line.built]
    last_built = built[-1] if built else -1
    stations = [0.0, *(line.station for line in kept)]
    for k, (near, far) in enumerate(pairwise(stations)):
        if k > last_built and rounded_length(far - near) > reading.no_blocks_ft:
            return list(kept[:k])
    return list(kept)


def _rows(net: Network, law: NumberingLaw, index: int, half: Half, kept: _Kept, base: Line) -> list[Row]:
    street = net.streets[half.street]
    rows = []
    for block, (near, far) in enumerate(pairwise([base, *kept.lines])):
        rows.append(
            Row(
                half=index,
                street=street.name,
                side=half.name,
                path=street.path,
                block=block,
                from_ft=near.station,
                to_ft=far.station,
                unit_ft=unit_ft(rounded_length(far.station - near.station), law),
                hundred=block * law.hundred,
                from_streets=_street_names(net, near),
                to_streets=_street_names(net, far),
                from_built=near.built,
                to_built=far.built,
                virtual=False,
                findings=tuple(dict.fromkeys((*near.findings, *far.findings))),
            )
        )
    rows.extend(_open_rows(net, law, index, half, (base, *kept.lines)))
    if kept.near_base:
        rows[0] = replace(rows[0], findings=(*kept.near_base, *rows[0].findings))
    return _with_phantoms(rows, kept.phantoms)


def _street_names(net: Network, line: Line) -> tuple[str, ...]:
    return tuple(dict.fromkeys(net.streets[k].name for k in line.streets))


def _open_rows(net: Network, law: NumberingLaw, index: int, half: Half, lines: Sequence[Line]) -> list[Row]:
    """Make the open blocks past the last line: as far as the street reaches, at least one."""
    street, start, first = net.streets[half.street], lines[-1].station, len(lines) - 1
    count = max(1, math.ceil(round((half.end_station - start) / law.open_block_ft, 6)))
    return [
        Row(
            half=index,
            street=street.name,
            side=half.name,
            path=street.path,
            block=first + k,
            from_ft=start + k * law.open_block_ft,
            to_ft=start + (k + 1) * law.open_block_ft,
            unit_ft=law.open_unit_ft,
            hundred=(first + k) * law.hundred,
            from_streets=_street_names(net, lines[-1]) if k == 0 else (),
            to_streets=(),
            from_built=lines[-1].built and k == 0,
            to_built=False,
            virtual=True,
            findings=lines[-1].findings if k == 0 else (),
        )
        for k in range(count)
    ]


def _with_phantoms(rows: list[Row], phantoms: Sequence[tuple[float, Finding]]) -> list[Row]:
    """Put each line left out on the row it would have cut."""
    for station, found in phantoms:
        for k, row in enumerate(rows):
            if row.from_ft <= station < row.to_ft:
                rows[k] = replace(row, findings=(*row.findings, found))
    return rows


def _with_mismatches(net: Network, rows: Sequence[Row], kept: Sequence[_Kept]) -> list[Row]:
    """Mark pairs of rows that the same cross street begins with different hundreds, on the same side of the village."""
    begun: dict[tuple[str, int], list[int]] = defaultdict(list)
    for k, row in enumerate(rows):
        if 0 < row.block <= len(kept[row.half].lines):
            for street in kept[row.half].lines[row.block - 1].streets:
                begun[row.side, street].append(k)
    marks: dict[int, list[Finding]] = defaultdict(list)
    for (_, street), members in begun.items():
        for k in members:
            for other in members:
                if rows[k].hundred != rows[other].hundred and rows[k].street != rows[other].street:
                    marks[k].append(_mismatch(net, street, rows[k], rows[other]))
                    break
    return [replace(row, findings=(*row.findings, *marks[k])) if marks[k] else row for k, row in enumerate(rows)]


def _mismatch(net: Network, street: int, row: Row, other: Row) -> Finding:
    return Finding(
        "HUNDRED_MISMATCH",
        {
            "cross": net.streets[street].name,
            "hundred": row.hundred,
            "other_hundred": other.hundred,
            "other": f"{other.side} {other.street}",
        },
    )


def _with_sensitivity(
    rows: Sequence[Row], kept: Sequence[_Kept], bases: Sequence[Line], law: NumberingLaw
) -> tuple[list[Row], tuple[Finding, ...]]:
    """Mark the rows whose unit the data's accuracy leaves open; said once, of the map, where most are."""
    marks = {}
    for k, row in enumerate(rows):
        if not row.virtual:
            ends = [bases[row.half], *kept[row.half].lines][row.block : row.block + 2]
            accuracy = math.hypot(*(line.accuracy_ft for line in ends))
            low, high = (unit_ft(rounded_length(row.length_ft + a), law) for a in (-accuracy, accuracy))
            if low != high:
                units = " or ".join(str(u) for u in range(low, high + 1))
                marks[k] = Finding("UNIT_SENSITIVE", {"accuracy_ft": accuracy, "units": units, "numbers": ""})
    if len(marks) > len(rows) / 2:
        return list(rows), (Finding("UNITS_PROVISIONAL", {"open": len(marks), "rows": len(rows)}),)
    return [replace(row, findings=(*row.findings, marks[k])) if k in marks else row for k, row in enumerate(rows)], ()
