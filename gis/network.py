"""Streets from their pieces: base lines and axes, families, and how far each street is extended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString, MultiLineString
from shapely.geometry.base import BaseGeometry

from gis.chains import chain
from gis.errors import Fault, NetworkError
from gis.extension import Blockers, stop, to_edge
from gis.findings import Finding
from gis.linework import BRIDGE, Chain, Floats, axial_bearing, axial_difference, point_at
from gis.rules import Reading
from gis.segments import Segments

KINDS = ("street", "alley", "private", "path")
BLOCK_LINES = ("auto", "never")
NS, EW = "NS", "EW"


@dataclass(frozen=True)
class Piece:
    """One piece of a street's centerline as the linework has it.

    Parameters
    ----------
    name
        The street's full name, such as ``"Alma Street"``.
    line
        Centerline in the working CRS, US survey feet, two or more distinct vertices.
    kind
        One of `KINDS`; only a ``street`` makes blocks.
    block_line
        ``auto``, or ``never`` where an officer has ruled that the piece makes no block line.
    accuracy_ft
        Horizontal accuracy at 95 %, US survey feet; 0 where the line is exact.
    name_status
        ``confirmed``, ``inferred`` or ``placeholder``.
    source
        Where the line comes from.
    """

    name: str
    line: LineString
    kind: str = "street"
    block_line: str = "auto"
    accuracy_ft: float = 0.0
    name_status: str = "confirmed"
    source: str = ""


@dataclass(frozen=True, eq=False)
class Street:
    """One path of a street: its line, its family and how far it is extended.

    Parameters
    ----------
    name
        The street's full name.
    path
        0, or the number of the path where the street branches.
    chain
        The street's line; its `piece` indexes the network's pieces.
    is_street, makes_blocks
        Whether each segment is of kind ``street``; whether it may be a block line, shape (n - 1,).
    accuracy_ft
        Accuracy of each segment, shape (n - 1,), feet.
    family
        ``"NS"`` or ``"EW"``.
    bearing_deg
        Axial bearing, clockwise from grid north, 0 <= bearing < 180.
    stops
        Where the extensions from the line's start and end stop, each of shape (2,), or None.
    findings
        What is doubtful about the street as a whole.
    """

    name: str
    path: int
    chain: Chain
    is_street: NDArray[np.bool_]
    makes_blocks: NDArray[np.bool_]
    accuracy_ft: Floats
    family: str = NS
    bearing_deg: float = 0.0
    stops: tuple[Floats | None, Floats | None] = (None, None)
    findings: tuple[Finding, ...] = ()

    @property
    def extended(self) -> Floats:
        """Vertices of the street with its extensions, feet."""
        before, after = ([] if stop is None else [stop] for stop in self.stops)
        return np.vstack([*before, self.chain.coords, *after])

    def physical_line(self) -> BaseGeometry:
        """Return what exists on the ground, gaps left out.

        Returns
        -------
        MultiLineString
            The line, feet.
        """
        return self._physical_line

    @cached_property
    def _physical_line(self) -> BaseGeometry:
        ends = np.stack([self.chain.coords[:-1], self.chain.coords[1:]], axis=1)
        return MultiLineString(list(ends[self.chain.physical]))


@dataclass(frozen=True, eq=False)
class BaseLine:
    """A base line of § 288-15 C(1), extended to the edge.

    Parameters
    ----------
    street
        Index of the street in the network.
    coords
        Vertices, extended, drawn east (Main Street) or north (Van Buren Street), feet.
    bearing_deg
        Axial bearing, degrees.
    """

    street: int
    coords: Floats
    bearing_deg: float

    @property
    def line(self) -> LineString:
        """The extended base line as a geometry."""
        return LineString(self.coords)

    def is_left(self, point: Floats) -> bool:
        """Say on which side of the base line a point lies (§ 288-15 C(1)(a) to (d)).

        Parameters
        ----------
        point
            The point, shape (2,), feet.

        Returns
        -------
        bool
            Whether left of the line as drawn: north of Main Street, west of Van Buren Street.
        """
        table = Segments.of([(self.coords, np.ones(len(self.coords) - 1, dtype=bool), False)])
        near = int(np.argmin(shapely.distance(table.lines(), shapely.Point(point))))
        return bool(table.project(near, float(point[0]), float(point[1])).offset > 0)


@dataclass(frozen=True, eq=False)
class Network:
    """The village's streets, read for numbering.

    Parameters
    ----------
    pieces
        The linework as given.
    streets
        Every path of every street.
    bases
        The base line that streets of each family are numbered from: ``"NS"`` Main Street, ``"EW"`` Van Buren.
    crossing
        Where the base lines cross, shape (2,), feet.
    north, east
        Unit vectors of the axes.
    hull
        Convex hull of the streets of kind ``street``.
    edge
        The hull grown by the reading's `edge_ft`: where extensions and the village end.
    reading
        The settings it was read with.
    by_name
        Indices of the paths of each street.
    set_bases
        Of a family whose base line an officer set to another than the ordinance names: the sentence that says so.
    """

    pieces: tuple[Piece, ...]
    streets: tuple[Street, ...]
    bases: Mapping[str, BaseLine]
    crossing: Floats
    north: Floats
    east: Floats
    hull: BaseGeometry
    edge: BaseGeometry
    reading: Reading
    by_name: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    set_bases: Mapping[str, str] = field(default_factory=dict)

    def nearer_crossing(self, points: Floats) -> int:
        """Return which of some points lies nearest the base lines' crossing; of equal ones the southern, then western.

        Parameters
        ----------
        points
            The points, shape (n, 2), feet.

        Returns
        -------
        int
            Its place among them.
        """
        away = np.hypot(*(points - self.crossing).T)
        ranks = (np.round(at, 2) for at in (points @ self.east, points @ self.north, away))
        return int(np.lexsort(tuple(ranks))[0])

    def base_name(self, family: str) -> str:
        """Return the base line that a family is numbered from (§ 288-15 C(1)).

        Parameters
        ----------
        family
            ``"NS"`` or ``"EW"``.

        Returns
        -------
        str
            Its name.
        """
        return self.streets[self.bases[family].street].name


def network(pieces: Sequence[Piece], base_ew: str, base_ns: str, reading: Reading | None = None) -> Network:
    """Read a village's linework for numbering (§ 288-15 C).

    "Main Street shall be considered an east-west street and shall constitute the base line for numbering along all
    streets running in a northerly and southerly direction. Van Buren Street shall be considered a north-south street
    and shall constitute the base line for numbering along all streets running in an easterly and westwardly
    direction."

    Read as: north is the direction of the north-south base line nearest to grid north, east the direction of the
    east-west base line clockwise of it; a street belongs to the base line its bearing is nearer to.

    Parameters
    ----------
    pieces
        The linework; several pieces of one name are one street.
    base_ew, base_ns
        Names of the east-west base line (Main Street) and of the north-south one (Van Buren Street).
    reading
        Settings of the reading.

    Returns
    -------
    Network
        The streets with families and extensions.

    Raises
    ------
    NetworkError
        When a base line is missing or a closed loop, or the two do not cross.
    """
    reading = reading or Reading()
    named = _chained(pieces, reading)
    _check_bases(named, base_ew, base_ns)
    streets = tuple(street for paths in named.values() for street in paths)
    by_name = {name: tuple(k for k, s in enumerate(streets) if s.name == name) for name in named}
    hull = _hull(streets)
    edge = shapely.buffer(hull, reading.edge_ft, quad_segs=64)
    main, van_buren = by_name[base_ew][0], by_name[base_ns][0]
    north, east = _axes(streets[main], streets[van_buren])
    bases = {
        NS: _base_line(main, streets[main].chain, east, edge, reading),
        EW: _base_line(van_buren, streets[van_buren].chain, north, edge, reading),
    }
    cross = _cross(bases, base_ew, base_ns)
    bare = Network(tuple(pieces), streets, bases, cross, north, east, hull, edge, reading, by_name)
    read = tuple(_with_family(bare, index) for index in range(len(streets)))
    return replace(bare, streets=_with_stops(replace(bare, streets=read)))


def _chained(pieces: Sequence[Piece], reading: Reading) -> dict[str, list[Street]]:
    indices: dict[str, list[int]] = defaultdict(list)
    for index, piece in enumerate(pieces):
        indices[piece.name].append(index)
    named = {}
    for name, members in indices.items():
        chains = chain([pieces[k].line for k in members], reading.noded_ft, reading.chord_ft)
        found = [Finding("BRANCHED", {"street": name, "paths": len(chains)})] if len(chains) > 1 else []
        named[name] = [_street(name, path, c, members, pieces, tuple(found)) for path, c in enumerate(chains)]
    return named


def _street(
    name: str, path: int, line: Chain, members: list[int], pieces: Sequence[Piece], found: tuple[Finding, ...]
) -> Street:
    source = np.where(line.physical, np.array(members)[line.piece], BRIDGE)
    is_street = np.array([p != BRIDGE and pieces[p].kind == "street" for p in source])
    makes = np.array([p != BRIDGE and pieces[p].block_line == "auto" for p in source]) & is_street
    accuracy = np.array([pieces[p].accuracy_ft if p != BRIDGE else 0.0 for p in source])
    for k in np.flatnonzero(source == BRIDGE):
        # a bridged gap counts as extended: it makes blocks where the street on both its sides does
        makes[k] = makes[k - 1] and makes[k + 1]
        accuracy[k] = max(accuracy[k - 1], accuracy[k + 1])
    return Street(name, path, Chain(line.coords, source, line.closed), is_street, makes, accuracy, findings=found)


def _check_bases(named: Mapping[str, list[Street]], base_ew: str, base_ns: str) -> None:
    faults = [
        Fault(role, name, f"a street of the linework, such as {', '.join(sorted(named)[:3]) or 'none'}")
        for role, name in (("base_ew", base_ew), ("base_ns", base_ns))
        if name not in named
    ]
    faults += [
        Fault(role, f"{name}, a closed loop", "a street with two ends")
        for role, name in (("base_ew", base_ew), ("base_ns", base_ns))
        if name in named and named[name][0].chain.closed
    ]
    if base_ew == base_ns:
        faults.append(Fault("base_ns", base_ns, "another street than the east-west base line"))
    if faults:
        raise NetworkError("The base lines of § 288-15 C cannot be read.", faults)


def _hull(streets: Sequence[Street]) -> BaseGeometry:
    lines = [s.chain.coords[k : k + 2] for s in streets for k in np.flatnonzero(s.is_street)]
    if not lines:
        raise NetworkError("The linework has no piece of kind street.")
    return MultiLineString(lines).convex_hull


def _axes(main: Street, van_buren: Street) -> tuple[Floats, Floats]:
    north_deg = axial_bearing(van_buren.chain.steps)[0]
    north_deg = north_deg - 180 if north_deg > 90 else north_deg
    east_deg = axial_bearing(main.chain.steps)[0]
    while east_deg <= north_deg:
        east_deg += 180
    while east_deg > north_deg + 180:
        east_deg -= 180
    return tuple(np.array([np.sin(a), np.cos(a)]) for a in np.radians([north_deg, east_deg]))  # type: ignore[return-value]


def _base_line(street: int, line: Chain, axis: Floats, edge: BaseGeometry, reading: Reading) -> BaseLine:
    bearing = axial_bearing(line.steps)[0]
    coords = line.coords if (line.coords[-1] - line.coords[0]) @ axis >= 0 else line.coords[::-1]
    reach = [to_edge(coords, edge, reading, at_end=at_end) for at_end in (False, True)]
    return BaseLine(street, np.vstack([p for p in (reach[0], coords, reach[1]) if p is not None]), bearing)


def _cross(bases: Mapping[str, BaseLine], base_ew: str, base_ns: str) -> Floats:
    """Return where the base lines cross; of several crossings the one most of both lines' middle."""
    met = shapely.get_coordinates(bases[NS].line.intersection(bases[EW].line))
    if not len(met):
        found = Fault("base_ns", f"{base_ns}, which does not cross {base_ew}", "a street that crosses it")
        raise NetworkError("The base lines do not cross, even extended.", [found])
    middles = [base.line.interpolate(0.5, normalized=True) for base in bases.values()]
    away = sum(shapely.distance(shapely.points(met), middle) for middle in middles)
    return np.asarray(met[int(np.argmin(away))])


def _with_family(net: Network, index: int) -> Street:
    """Decide which base line a street is numbered from (§ 288-15 C(1), C(2)).

    "All buildings and lots on diagonal streets relative to the base line streets shall be numbered as north and south
    if the diagonal street tends to parallel Van Buren Street, and shall be numbered as east and west if the diagonal
    street tends to parallel Main Street."
    """
    street, reading = net.streets[index], net.reading
    bearing, resultant = axial_bearing(street.chain.steps)
    for family, base in ((EW, net.bases[NS]), (NS, net.bases[EW])):
        if base.street == index:
            return replace(street, family=family, bearing_deg=bearing)
    weak = resultant < reading.weak_resultant
    if weak and street.chain.closed:
        return _with_loop(
            net, street, NS, bearing, _weak(street, "as a closed loop, its being numbered north and south")
        )
    found: tuple[Finding, ...] = ()
    if weak:
        bearing = axial_bearing((street.chain.coords[-1] - street.chain.coords[0])[None, :])[0]
        found = _weak(street, "the chord between its ends")
    family, doubts = _tends_to(net, street.name, bearing)
    if street.chain.closed:
        return _with_loop(net, street, family, bearing, (*found, *doubts))
    return replace(street, family=family, bearing_deg=bearing, findings=street.findings + found + doubts)


def _weak(street: Street, used: str) -> tuple[Finding, ...]:
    return (Finding("BEARING_WEAK", {"street": street.name, "used": used}),)


def _tends_to(net: Network, name: str, bearing_deg: float) -> tuple[str, tuple[Finding, ...]]:
    to_main = axial_difference(bearing_deg, net.bases[NS].bearing_deg)
    to_van_buren = axial_difference(bearing_deg, net.bases[EW].bearing_deg)
    margin = abs(to_main - to_van_buren)
    family = EW if to_main < to_van_buren and margin >= net.reading.diagonal_tie_deg else NS
    doubts = []
    if margin < net.reading.diagonal_near_deg:
        parallel = net.base_name(NS if family == EW else EW)
        doubts.append(Finding("DIAGONAL_NEAR", {"street": name, "margin_deg": margin / 2, "parallel": parallel}))
    if margin < net.reading.diagonal_tie_deg:
        doubts.append(Finding("DIAGONAL_TIE", {"street": name}))
    return family, tuple(doubts)


def _with_loop(net: Network, street: Street, family: str, bearing: float, found: tuple[Finding, ...]) -> Street:
    """Cut a closed loop at its point nearest its base line and let it run first on its nearer arm."""
    base, closed = net.bases[family].line, street.chain
    opened = closed.started_at(_nearest_station(net, closed, base))
    arms = [point_at(c, net.reading.chord_ft) for c in (opened.coords, opened.coords[::-1])]
    if net.nearer_crossing(np.array(arms)) == 1:
        opened = opened.reversed()
    members = opened.piece
    makes = np.array([net.pieces[p].kind == "street" and net.pieces[p].block_line == "auto" for p in members])
    is_street = np.array([net.pieces[p].kind == "street" for p in members])
    accuracy = np.array([net.pieces[p].accuracy_ft for p in members])
    loop = Finding("LOOP", {"street": street.name, "base": net.base_name(family)})
    return replace(
        street,
        chain=opened,
        is_street=is_street,
        makes_blocks=makes,
        accuracy_ft=accuracy,
        family=family,
        bearing_deg=bearing,
        findings=(*street.findings, *found, loop),
    )


def _nearest_station(net: Network, closed: Chain, base: LineString) -> float:
    """Station of a loop's point nearest a base line; of several the one nearest the base lines' crossing."""
    line, crossing_point = closed.line, net.crossing
    candidates = [*closed.stations[:-1], line.project(shapely.Point(crossing_point))]
    for start, end in zip(closed.coords[:-1], closed.coords[1:], strict=True):
        segment = LineString([start, end])
        on_loop = shapely.shortest_line(segment, base)
        candidates.append(line.project(shapely.Point(shapely.get_coordinates(on_loop)[0])))
        near = segment.interpolate(segment.project(shapely.Point(crossing_point)))
        candidates.append(line.project(near))
    points = np.array([point_at(closed.coords, s) for s in candidates])
    to_base = shapely.distance(shapely.points(points), base)
    nearest = np.flatnonzero(to_base <= to_base.min() + 0.01)
    return float(candidates[nearest[net.nearer_crossing(points[nearest])]])


def _with_stops(net: Network) -> tuple[Street, ...]:
    """Extend every street from both ends; the base lines stop for nothing."""
    rows = [
        (street.chain.coords[k : k + 2], index, street.family)
        for index, street in enumerate(net.streets)
        for k in np.flatnonzero(street.is_street)
    ]
    for family, base in ((EW, net.bases[NS]), (NS, net.bases[EW])):
        rows += [(base.coords[k : k + 2], base.street, family) for k in range(len(base.coords) - 1)]
    blockers = Blockers.of(rows)
    return tuple(replace(s, stops=_stops(net, index, blockers)) for index, s in enumerate(net.streets))


def _stops(net: Network, index: int, blockers: Blockers) -> tuple[Floats | None, Floats | None]:
    street = net.streets[index]
    if street.chain.closed:
        return None, None
    coords, owner = street.chain.coords, (index, street.family)
    if index in {base.street for base in net.bases.values()}:
        before, after = (to_edge(coords, net.edge, net.reading, at_end=e) for e in (False, True))
    else:
        before, after = (stop(coords, owner, blockers, net.edge, net.reading, at_end=e) for e in (False, True))
    return before, after
