"""The rows of a Street Numbering Map, derived and as officers edit them (§ 288-15 D)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gis.crossings import BlockLines, block_lines
from gis.edits import DECIDE, HUNDRED, LENGTH, LINE_KINDS, Decided, Edit, check_edit, nearest
from gis.errors import EditError
from gis.findings import Finding
from gis.halves import Half, halves
from gis.lines import Kept, Line, kept_lines, rounded_length
from gis.network import Network
from gis.rules import NumberingLaw


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
    record_ft
        Its length of record, feet; 0 where there is none and the computed length counts.
    edits
        The officers' edits of its hundred, its length and of block lines at its start or within it, in their order.
    decided
        The findings that officers decided.
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
    record_ft: float = 0.0
    edits: tuple[Edit, ...] = ()
    decided: tuple[Decided, ...] = ()

    @property
    def built(self) -> bool:
        """Whether both its ends are crossings on the ground."""
        return self.from_built and self.to_built

    @property
    def length_ft(self) -> float:
        """Length before rounding, feet."""
        return self.to_ft - self.from_ft

    @property
    def counted_ft(self) -> float:
        """Length its unit is found from, feet: that of record as it is, or the computed one to a tenth."""
        return self.record_ft or rounded_length(self.length_ft)

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
        return max(0.0, self.counted_ft - (law.last_unit + 1) * self.unit_ft)


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
    edits
        The officers' edits it was derived with.
    unmatched
        Those of them that no row, block line or finding answers to, so that they did nothing.
    """

    network: Network
    law: NumberingLaw
    halves: tuple[Half, ...]
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...]
    edits: tuple[Edit, ...] = ()
    unmatched: tuple[Edit, ...] = ()


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


def numbering_map(net: Network, law: NumberingLaw, edits: Sequence[Edit] = ()) -> NumberingMap:
    """Derive the Street Numbering Map that the ordinance gives a village's streets (§ 288-15 C to F).

    An edit is of the row that begins nearest to its station, at most the reading's `noded_ft` away. Of several edits
    of one thing the last counts. A length of record is not rounded before the unit is found from it; the row's
    stations stay those of the linework. A decision settles every finding of its code on the row; a finding of the
    whole half-street where the row is the half's first; that of a block line on the rows at both its sides.

    Parameters
    ----------
    net
        The village's streets.
    law
        The legal values in force.
    edits
        The officers' edits, in the order they were made.

    Returns
    -------
    NumberingMap
        A proposal: every doubtful row carries its finding.

    Raises
    ------
    EditError
        An edit that removes a line on the ground, makes one of two lines far apart, sets no hundred or length, or puts
        the numbers of a half-street out of their order outward from the base line.
    """
    for edit in edits:
        check_edit(edit, law.hundred)
    walked, lines = halves(net), block_lines(net)
    kept = _kept(net, walked, lines, edits)
    bases = [_base_line(net, half) for half in walked]
    rows = [row for k, half in enumerate(walked) for row in _rows(net, law, k, half, kept[k], bases[k])]
    rows = [replace(row, findings=(*walked[row.half].findings, *row.findings)) for row in rows]
    rows, valued = _with_values(net, law, rows, edits)
    rows = _with_mismatches(net, rows, kept)
    rows, found = _with_sensitivity(rows, kept, bases, law)
    rows, decided = _with_decisions(net, walked, rows, edits)
    of_lines = {edit for half in kept for _, edit in half.edited}
    unmatched = tuple(edit for edit in edits if edit not in of_lines | valued | decided)
    settled = tuple(_settled(half, rows, k) for k, half in enumerate(walked))
    return NumberingMap(net, law, settled, tuple(rows), found, tuple(edits), unmatched)


def _kept(net: Network, walked: Sequence[Half], lines: BlockLines, edits: Sequence[Edit]) -> list[Kept]:
    """Find the block lines of every half; an edit is of one half's, also where several bear one name."""
    left = [edit for edit in edits if edit.kind in LINE_KINDS]
    kept = []
    for half in walked:
        street = net.streets[half.street]
        own = [edit for edit in left if edit.half == (street.name, half.name, street.path)]
        kept.append(kept_lines(net, half, lines, own))
        done = {edit for _, edit in kept[-1].edited}
        left = [edit for edit in left if edit not in done]
    return kept


def _row_of(net: Network, rows: Sequence[Row], edit: Edit) -> int | None:
    """Return the index of the row an edit is of."""
    members = [k for k, row in enumerate(rows) if (row.street, row.side, row.path) == edit.half]
    at = nearest([rows[k].from_ft for k in members], edit.at_ft, net.reading.noded_ft)
    return None if at is None else members[at]


def _with_values(
    net: Network, law: NumberingLaw, rows: Sequence[Row], edits: Sequence[Edit]
) -> tuple[list[Row], set[Edit]]:
    """Set hundreds and lengths of record; returns also the edits that did."""
    rows, done = list(rows), set[Edit]()
    for edit in edits:
        k = _row_of(net, rows, edit) if edit.kind in {HUNDRED, LENGTH} else None
        if k is not None:
            rows[k] = _valued(law, rows[k], edit)
            done.add(edit)
    for row, after in pairwise(rows):
        if after.half == row.half and after.hundred <= row.hundred:
            place = f"{after.side} {after.street} at {after.from_ft:.1f} ft"
            raise EditError.of(place, f"the {after.hundred} block", f"one above the {row.hundred} block before it")
    return rows, done


def _valued(law: NumberingLaw, row: Row, edit: Edit) -> Row:
    row = replace(row, edits=(*row.edits, edit))
    if edit.kind == HUNDRED:
        return replace(row, hundred=int(edit.value))
    if row.virtual:
        found = f"an open block of {law.open_block_ft} ft, whose unit is {law.open_unit_ft} ft at any length"
        raise EditError.of(edit.place, found, "a block between two block lines")
    return replace(row, record_ft=edit.value, unit_ft=unit_ft(edit.value, law))


_OF_LINES = frozenset({"JOG_NEAR", "EXTENSION_SPLITS_BLOCK"})
"""Findings of a block line: they stand on the rows at both its sides."""


def _with_decisions(
    net: Network, walked: Sequence[Half], rows: Sequence[Row], edits: Sequence[Edit]
) -> tuple[list[Row], set[Edit]]:
    """Settle the findings that officers decided; returns also the edits that settled one."""
    rows, done = list(rows), set[Edit]()
    for edit in edits:
        k = _row_of(net, rows, edit) if edit.kind == DECIDE else None
        if k is None:
            continue
        found = [*rows[k].findings, *(before.finding for before in rows[k].decided)]
        for finding in [f for f in found if f.code == edit.code]:
            for member in _bearing(walked, rows, k, finding):
                rows[member] = _decided(rows[member], Decided(finding, edit))
            done.add(edit)
    return rows, done


def _bearing(walked: Sequence[Half], rows: Sequence[Row], k: int, finding: Finding) -> list[int]:
    """Return the rows that a decision of a finding of one row settles it on."""
    own = rows[k].half
    if finding in walked[own].findings and rows[k].block == 0:
        near = range(len(rows))
    elif finding.code in _OF_LINES:
        near = range(max(k - 1, 0), min(k + 2, len(rows)))
    else:
        return [k]
    return [m for m in near if rows[m].half == own and finding in (*rows[m].findings, *_settled_on(rows[m]))]


def _settled_on(row: Row) -> tuple[Finding, ...]:
    return tuple(decided.finding for decided in row.decided)


def _decided(row: Row, decided: Decided) -> Row:
    """Move a finding from those of a row to those decided; an earlier decision of it is replaced."""
    findings = tuple(f for f in row.findings if f != decided.finding)
    before = tuple(d for d in row.decided if d.finding != decided.finding)
    return replace(row, findings=findings, decided=(*before, decided))


def _settled(half: Half, rows: Sequence[Row], index: int) -> Half:
    """Leave to a half-street the findings that some row of it still bears."""
    borne = {finding for row in rows if row.half == index for finding in row.findings}
    return replace(half, findings=tuple(f for f in half.findings if f in borne))


def _base_line(net: Network, half: Half) -> Line:
    base = net.bases[net.streets[half.street].family].street
    accuracy = max(float(net.streets[k].accuracy_ft.max()) for k in (base, half.street))
    return Line(0.0, (base,), half.built_base, 0.0, accuracy)


def _rows(net: Network, law: NumberingLaw, index: int, half: Half, kept: Kept, base: Line) -> list[Row]:
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
    return _with_line_edits(_with_phantoms(rows, kept.phantoms), kept.edited)


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


def _with_line_edits(rows: list[Row], edited: Sequence[tuple[float, Edit]]) -> list[Row]:
    """Put each edit of a line on the row that begins there now, or runs on where the line was."""
    for station, edit in edited:
        k = max(k for k, row in enumerate(rows) if row.from_ft <= station)
        rows[k] = replace(rows[k], edits=(*rows[k].edits, edit))
    return rows


def _with_mismatches(net: Network, rows: Sequence[Row], kept: Sequence[Kept]) -> list[Row]:
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
    rows: Sequence[Row], kept: Sequence[Kept], bases: Sequence[Line], law: NumberingLaw
) -> tuple[list[Row], tuple[Finding, ...]]:
    """Mark the rows whose unit the data's accuracy leaves open; said once, of the map, where most are."""
    marks = {}
    for k, row in enumerate(rows):
        if not row.virtual and not row.record_ft:
            ends = [bases[row.half], *kept[row.half].lines][row.block : row.block + 2]
            accuracy = math.hypot(*(line.accuracy_ft for line in ends))
            low, high = (unit_ft(rounded_length(row.length_ft + a), law) for a in (-accuracy, accuracy))
            if low != high:
                units = " or ".join(str(u) for u in range(low, high + 1))
                marks[k] = Finding("UNIT_SENSITIVE", {"accuracy_ft": accuracy, "units": units, "numbers": ""})
    if len(marks) > len(rows) / 2:
        return list(rows), (Finding("UNITS_PROVISIONAL", {"open": len(marks), "rows": len(rows)}),)
    return [replace(row, findings=(*row.findings, marks[k])) if k in marks else row for k, row in enumerate(rows)], ()
