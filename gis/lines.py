"""The block lines of a half-street: jogs made one, phantoms left out, and those an officer removed (§ 288-15 D)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gis.crossings import BlockLines, Crossing, crossings
from gis.edits import ADD_LINE, MERGE_LINES, Edit, nearest
from gis.errors import EditError
from gis.findings import Finding
from gis.halves import Half
from gis.network import Network
from gis.rules import Reading


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


@dataclass(frozen=True)
class Kept:
    """The block lines of a half, where the blocks that follow the last are open.

    Parameters
    ----------
    lines
        Those kept, outward.
    phantoms
        Those left out: where each would be, feet from the base line, and the finding that says so.
    near_base
        What is doubtful about the crossings that belong to the base line.
    edited
        The officers' edits of its lines: where each line is or was, feet from the base line, and the edit.
    """

    lines: tuple[Line, ...]
    phantoms: tuple[tuple[float, Finding], ...]
    near_base: tuple[Finding, ...]
    edited: tuple[tuple[float, Edit], ...] = ()


def kept_lines(net: Network, half: Half, lines: BlockLines, edits: Sequence[Edit] = ()) -> Kept:
    """Find the block lines of a half-street (§ 288-15 D), as officers edited them.

    Parameters
    ----------
    net
        The village's streets.
    half
        The half-street.
    lines
        The village's block lines.
    edits
        The edits of its block lines, of kinds `gis.edits.LINE_KINDS`, in the order they were made.

    Returns
    -------
    Kept
        Its block lines.

    Raises
    ------
    EditError
        An edit removes a line that is on the ground, or makes one of two lines too far apart.
    """
    grouped, near_base = _grouped(net, half, crossings(net, half, lines))
    kept, phantoms = _without_phantoms(net, half, grouped)
    # after the phantoms: a line left out because of one that was removed does not come back in its place
    work = _Edited(kept, phantoms, near_base)
    for edit in edits:
        {ADD_LINE: _add, MERGE_LINES: _merge}.get(edit.kind, _remove)(net, work, edit)
    left_out = tuple((line.station, finding) for line, finding in work.phantoms)
    kept = _until_open(half, work.left, net.reading)
    return Kept(tuple(kept), left_out, tuple(work.near_base), tuple(work.done))


class _Edited:
    """The lines of a half-street while edits are applied to them; an edit where no line is does nothing."""

    def __init__(self, kept: list[Line], phantoms: list[tuple[Line, Finding]], near_base: list[Finding]) -> None:
        self.kept = list(kept)
        self.left = list(kept)
        self.phantoms = list(phantoms)
        self.near_base = list(near_base)
        self.done: list[tuple[float, Edit]] = []


def _remove(net: Network, work: _Edited, edit: Edit) -> None:
    """Remove a line that only a street extended makes."""
    at = nearest([line.station for line in work.kept], edit.at_ft, net.reading.noded_ft)
    if at is None:
        return
    line = work.kept[at]
    if line.built:
        found = f"the crossing with {_names(net, line.streets)} on the ground"
        raise EditError.of(edit.place, found, "the line of a street extended")
    work.done.append((line.station, edit))
    work.left = [other for other in work.left if other is not line]


def _add(net: Network, work: _Edited, edit: Edit) -> None:
    """Put a line back that was left out as too near to the next: "if streets each way were so extended"."""
    at = nearest([line.station for line, _ in work.phantoms], edit.at_ft, net.reading.noded_ft)
    if at is None:
        return
    line = work.phantoms.pop(at)[0]
    work.done.append((line.station, edit))
    for lines in (work.left, work.kept):
        lines.append(line)
        lines.sort(key=lambda other: other.station)


def _merge(net: Network, work: _Edited, edit: Edit) -> None:
    """Make one jogged line of two, placed at its first built crossing, else its first; or one of the base line."""
    reach = net.reading.noded_ft
    near, far = sorted((edit.at_ft, edit.value))
    second = nearest([line.station for line in work.left], far, reach)
    if second is None:
        return
    outer = work.left[second]
    first = nearest([line.station for line in work.left[:second]], near, reach)
    to_base = first is None and near <= reach
    if first is None and not to_base:
        return
    inner = None if first is None else work.left[first]
    gap = outer.station - (inner.station if inner else 0.0)
    if not _less(gap, net.reading.phantom_ft):
        expected = f"two block lines less than {net.reading.phantom_ft:g} ft apart"
        raise EditError.of(edit.place, f"{gap:,.1f} ft between them", expected)
    work.left = [line for line in work.left if line is not outer]
    names = _names(net, outer.streets)
    if inner is None:
        work.near_base = [f for f in work.near_base if names not in str(f.values["streets"])]
        work.done.append((0.0, edit))
        return
    work.left[work.left.index(inner)] = made = _made_one(net, inner, outer)
    work.done.append((made.station, edit))


def _made_one(net: Network, inner: Line, outer: Line) -> Line:
    chosen = inner if inner.built or not outer.built else outer
    streets = tuple(dict.fromkeys((*inner.streets, *outer.streets)))
    pairs = {_names(net, (a, b)) for a in inner.streets for b in outer.streets}
    settled = [f for f in (*inner.findings, *outer.findings) if f.values.get("streets") not in pairs]
    if inner.built or outer.built:
        settled = [f for f in settled if f.code != "EXTENSION_SPLITS_BLOCK"]
    accuracy = max(inner.accuracy_ft, outer.accuracy_ft)
    built, findings = inner.built or outer.built, tuple(dict.fromkeys(settled))
    return replace(chosen, streets=streets, built=built, accuracy_ft=accuracy, findings=findings)


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


def _without_phantoms(net: Network, half: Half, lines: Sequence[Line]) -> tuple[list[Line], list[tuple[Line, Finding]]]:
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
            phantoms.append((line, Finding("PHANTOM", values)))
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
