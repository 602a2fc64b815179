"""The right-of-way built from cross-sections: where nothing is surveyed, widths along a street's centerline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString
from shapely.geometry.base import BaseGeometry
from shapely.ops import substring

from gis.layers import Feature, Layer, Layers, layers
from gis.linework import Floats
from gis.measure import rss

_MITRE = 5.0
_TOUCH_FT = 1e-7  # what lies on another street's rim is not cut off by it
_BESIDE_FT = 300.0
_NODED_FT = 5.0
_STRAIGHT = np.sin(np.radians(30.0))


@dataclass(frozen=True)
class Side:
    """One side of a cross-section.

    Parameters
    ----------
    curb
        Whether there is a curb at the edge of pavement.
    walk_offset_ft, walk_width_ft
        From the face of the curb (or the edge of pavement) to the walk's near edge, and the walk's width, feet; None
        where there is no walk.
    """

    curb: bool = True
    walk_offset_ft: float | None = None
    walk_width_ft: float | None = None

    @property
    def walk(self) -> tuple[float, float] | None:
        """Near and far edge of the walk from the face of the curb, feet; None where there is none."""
        if self.walk_offset_ft is None or not self.walk_width_ft:
            return None
        return self.walk_offset_ft, self.walk_offset_ft + self.walk_width_ft


@dataclass(frozen=True)
class CrossSection:
    """What lies across a street.

    Parameters
    ----------
    row_width_ft
        Width of the right-of-way, feet; half of it on each side of the centerline.
    pavement_width_ft
        Between the faces of the curbs, or the edges of pavement, feet.
    odd, even
        The side with odd and the one with even numbers (§ 288-15 E).
    accuracy_ft
        Of the widths at 95 %, feet.
    assumed
        Whether nobody measured them.
    source
        Where they come from.
    """

    row_width_ft: float
    pavement_width_ft: float
    odd: Side = field(default_factory=Side)
    even: Side = field(default_factory=Side)
    accuracy_ft: float = 0.0
    assumed: bool = False
    source: str = ""


@dataclass(frozen=True, eq=False)
class Run:
    """A stretch of a street with one cross-section.

    Parameters
    ----------
    street
        Its name.
    coords
        Its centerline on the ground, shape (n, 2), working CRS, US survey feet.
    section
        What lies across it.
    even_is_left
        Whether the side with even numbers is on the left of `coords`.
    accuracy_ft
        Of the centerline at 95 %, feet.
    known
        What else is known of the stretch.
    """

    street: str
    coords: Floats
    section: CrossSection
    even_is_left: bool
    accuracy_ft: float = 0.0
    known: Mapping[str, object] = field(default_factory=dict)

    @property
    def line(self) -> LineString:
        """The centerline as a geometry."""
        return LineString(self.coords)

    @property
    def built_ft(self) -> float:
        """The accuracy of what is built from it: that of the centerline and of the widths, feet."""
        return rss(self.accuracy_ft, self.section.accuracy_ft)

    def side(self, left: bool) -> Side:
        """Return the cross-section's side on the left or right of `coords`.

        Parameters
        ----------
        left
            Whether the left one is wanted.

        Returns
        -------
        Side
            The side with even numbers where that is the one.
        """
        return self.section.even if left is self.even_is_left else self.section.odd


@dataclass(frozen=True)
class Surveyed:
    """A surveyed shape, which takes the place of what is built.

    Parameters
    ----------
    layer
        One of ``gis.layers.LAYERS``.
    feature
        The shape; ``known["street"]`` names its street where that is known.
    """

    layer: str
    feature: Feature


def build(runs: Sequence[Run], standard: CrossSection, surveyed: Sequence[Surveyed] = ()) -> Layers:
    """Build the layers of a village's right-of-way.

    Every layer is built from the cross-sections and replaced by surveyed features piece by piece. Pavements are joined
    before anything is cut by them, so that no curb, walk or terrace runs across a side street. Corners are not rounded
    beyond the data.

    Parameters
    ----------
    runs
        The streets.
    standard
        The village's standard cross-section: where a curb would be on a side that has none.
    surveyed
        What was surveyed.

    Returns
    -------
    Layers
        All of `gis.layers.LAYERS` but those nobody knows, and ``edge`` for sides without a curb.
    """
    own: dict[str, list[Surveyed]] = {}
    for one in surveyed:
        own.setdefault(one.layer, []).append(one)
    ends = _ends(runs)
    pavements = [_pavement(run, ends[k]) for k, run in enumerate(runs)]
    made: dict[str, list[Feature]] = {
        "centerline": [_feature(run, run.line, run.accuracy_ft, {}) for run in runs],
        "pavement": _replaced(runs, list(enumerate(pavements)), own.get("pavement", [])),
        "right_of_way": _replaced(runs, list(enumerate(map(_right_of_way, runs))), own.get("right_of_way", [])),
    }
    paved = Layer(tuple(made["pavement"]))
    made["curb_line"], made["edge"] = _edges(runs, ends, pavements, standard, own.get("curb_line", []))
    made["sidewalk"] = _replaced(runs, list(_walks(runs, paved)), own.get("sidewalk", []), sided=True)
    given = {name: [one.feature for one in found] for name, found in own.items() if name not in made}
    edge = Layer(tuple(made.pop("edge")))
    return Layers({**layers({**made, **given}).by_name, "edge": edge})


def _feature(run: Run, shape: BaseGeometry, accuracy_ft: float | None, known: Mapping[str, object]) -> Feature:
    """Make a feature of a run; one with an accuracy of its own is no built one, and so not assumed."""
    found = {"street": run.street, "source": run.section.source, **run.known, **known}
    assumed = run.section.assumed and accuracy_ft is None
    return Feature(shape, run.built_ft if accuracy_ft is None else accuracy_ft, assumed, run.street, found)


def _band(line: LineString, half_ft: float) -> BaseGeometry:
    return line.buffer(half_ft, cap_style="flat", join_style="mitre", mitre_limit=_MITRE)


def _right_of_way(run: Run) -> BaseGeometry:
    return _band(run.line, run.section.row_width_ft / 2)


def _pavement(run: Run, ends: tuple[float, float]) -> BaseGeometry:
    return _band(_lengthened(run, ends), run.section.pavement_width_ft / 2)


def _lengthened(run: Run, ends: tuple[float, float]) -> LineString:
    """Carry a line on straight at its ends, so that streets that meet at a corner fill it."""
    coords = run.coords.copy()
    for at, inner, by in ((0, 1, ends[0]), (-1, -2, ends[1])):
        if by > 0:
            step = coords[at] - coords[inner]
            coords[at] = coords[at] + step / np.hypot(*step) * by
    return LineString(coords)


def _ends(runs: Sequence[Run]) -> list[tuple[float, float]]:
    """Return by how much each end is carried on: half the pavement of the widest street that ends there at an angle."""
    tree = shapely.STRtree([run.line.boundary for run in runs])
    found = []
    for run in runs:
        by = []
        for end, inner in ((run.coords[0], run.coords[1]), (run.coords[-1], run.coords[-2])):
            met = tree.query(shapely.Point(end), predicate="dwithin", distance=_NODED_FT).tolist()
            others = (runs[k] for k in met if runs[k].street != run.street and _turns(runs[k], end, end - inner))
            by.append(max((other.section.pavement_width_ft / 2 for other in others), default=0.0))
        found.append((by[0], by[1]))
    return found


def _turns(run: Run, at: Floats, step: Floats) -> bool:
    """Say whether a street runs at an angle to a step, and does not just go on from it."""
    line = run.line
    station = line.project(shapely.Point(at))
    ends = [line.interpolate(min(max(station + by, 0.0), line.length)).coords[0] for by in (-5.0, 5.0)]
    own = np.subtract(ends[1], ends[0])
    return bool(abs(own[0] * step[1] - own[1] * step[0]) > _STRAIGHT * np.hypot(*own) * np.hypot(*step))


def _edges(
    runs: Sequence[Run],
    ends: Sequence[tuple[float, float]],
    pavements: Sequence[BaseGeometry],
    standard: CrossSection,
    surveyed: Sequence[Surveyed],
) -> tuple[list[Feature], list[Feature]]:
    """Return curb lines, and what stands for them on sides without a curb, each cut where another pavement begins."""
    tree = shapely.STRtree(list(pavements))
    curbs: list[tuple[int, BaseGeometry, bool]] = []
    others: list[Feature] = []
    for k, run in enumerate(runs):
        line = _lengthened(run, ends[k])
        met = [int(m) for m in tree.query(pavements[k], predicate="intersects") if m != k]
        paved = shapely.union_all([pavements[m].buffer(-_TOUCH_FT) for m in met])
        for left in (True, False):
            side = run.side(left)
            edge = _beside(line, run.section.pavement_width_ft / 2, left).difference(paved)
            if side.curb:
                curbs.append((k, edge, left))
                continue
            usual = _beside(line, standard.pavement_width_ft / 2, left).difference(paved)
            for kind, shape in (("paved", edge), ("standard", usual)):
                others.append(_feature(run, shape, None, {"street_is_left": not left, "kind": kind}))
    made = _replaced(runs, [(k, shape) for k, shape, _ in curbs], surveyed, sides=[left for *_, left in curbs])
    return made, [f for f in others if not f.shape.is_empty]


def _beside(line: LineString, by_ft: float, left: bool) -> BaseGeometry:
    """Return the line beside another, drawn the same way."""
    return line.offset_curve(by_ft if left else -by_ft, join_style="mitre", mitre_limit=_MITRE)


def _walks(runs: Sequence[Run], paved: Layer) -> Iterable[tuple[int, BaseGeometry]]:
    """Give the walks of each run, one for each side that has one, cut where a pavement lies."""
    for k, run in enumerate(runs):
        for left in (True, False):
            walk = run.side(left).walk
            if walk is None:
                continue
            near, far = (run.section.pavement_width_ft / 2 + edge for edge in walk)
            whole = _sided(run.line, far, left).difference(_band(run.line, near))
            yield k, whole.difference(paved.near(whole, 1.0).union())


def _sided(line: LineString, far_ft: float, left: bool) -> BaseGeometry:
    by = far_ft if left else -far_ft
    return line.buffer(by, cap_style="flat", join_style="mitre", mitre_limit=_MITRE, single_sided=True)


def _replaced(
    runs: Sequence[Run],
    built: Sequence[tuple[int, BaseGeometry]],
    surveyed: Sequence[Surveyed],
    *,
    sided: bool = False,
    sides: Sequence[bool] = (),
) -> list[Feature]:
    """Return a layer: what is built, less the stretches that were surveyed, and what was surveyed."""
    lines = np.array([run.line for run in runs], dtype=object)
    slabs: dict[int, list[tuple[BaseGeometry, bool]]] = {}
    for one in surveyed:
        for k in _runs_of(runs, lines, one.feature):
            slabs.setdefault(k, []).extend(_slab(runs[k], one.feature.shape))
    found = []
    for at, (k, whole) in enumerate(built):
        run, left, shape = runs[k], sides[at] if sides else None, whole
        if k in slabs:
            mine = left if left is not None else _is_left(run, whole) if sided else None
            cut = [slab for slab, slab_left in slabs[k] if mine is None or mine is slab_left]
            shape = whole.difference(shapely.union_all(cut))
        if shape.is_empty:
            continue
        facing: dict[str, object] = {} if left is None else {"street_is_left": not left, "kind": "curb"}
        found.append(_feature(run, shape, None, facing))
    return [*found, *(one.feature for one in surveyed)]


def _runs_of(runs: Sequence[Run], lines: NDArray[np.object_], feature: Feature) -> list[int]:
    """Return the runs that a surveyed shape belongs to: those of its street beside it, or the nearest."""
    away = np.asarray(shapely.distance(lines, feature.shape))
    street = str(feature.known.get("street") or "")
    near = np.flatnonzero(away < _BESIDE_FT).tolist()
    named = [k for k in near if runs[k].street == street]
    return named or ([int(np.argmin(away))] if near else [])


def _slab(run: Run, shape: BaseGeometry) -> Iterator[tuple[BaseGeometry, bool]]:
    """Give the stretch of a run that a shape lies beside, as wide as what is built on it, and on which side it does."""
    line = run.line
    stations = shapely.line_locate_point(line, shapely.points(shapely.get_coordinates(shape)))
    stretch = substring(line, float(stations.min()), float(stations.max()))
    if isinstance(stretch, LineString) and stretch.length:
        yield _band(stretch, _half_ft(run.section) + 1.0), _is_left(run, shape)


def _half_ft(section: CrossSection) -> float:
    """Return how far from the centerline anything of a cross-section reaches, feet."""
    walks = max((side.walk or (0.0, 0.0))[1] for side in (section.odd, section.even))
    return max(section.row_width_ft / 2, section.pavement_width_ft / 2 + walks)


def _is_left(run: Run, shape: BaseGeometry) -> bool:
    """Say whether a shape lies left of a run, by where most of its vertices are."""
    line = run.line
    points = shapely.get_coordinates(shape)
    stations = shapely.line_locate_point(line, shapely.points(points))
    ahead = shapely.get_coordinates(shapely.line_interpolate_point(line, np.minimum(stations + 0.5, line.length)))
    back = shapely.get_coordinates(shapely.line_interpolate_point(line, np.maximum(stations - 0.5, 0.0)))
    step, off = ahead - back, points - back
    return bool(np.sign(step[:, 0] * off[:, 1] - step[:, 1] * off[:, 0]).sum() > 0)
