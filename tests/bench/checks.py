"""Batch checks of many objects on the village's right-of-way, against the bare index query of the same pairs."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import shapely

from app.row_layers import Ground, ground_of
from app.settings import REPOSITORY
from app.village import Village
from gis.batch import VERDICTS, depths
from gis.encroachment import encroachment
from gis.layers import Feature, Layer, Layers
from tests.bench.report import BenchError, Target, interleaved, ratio, table

LEAST = 1 / 3
HELD = 60
"""So many of the answers are held against the check of one object alone."""


def checks(runs: int, count: int) -> list[Target]:
    """Check so many objects in a batch, as assumed widths and as a survey would have them."""
    village = Village.load(REPOSITORY / "data" / "streets", date(2026, 11, 1))
    ground = ground_of(village, village.files.sections)
    shapes = scattered(ground, count)
    found = []
    for what, accuracy_ft in (("assumed widths", None), ("a survey to 0.1 ft", 0.1)):
        layer = ground.layers.by_name["right_of_way"]
        if accuracy_ft is not None:
            layer = Layer(tuple(Feature(f.shape, accuracy_ft, False, f.label) for f in layer.features))
        found.append(_measured(what, shapes, layer, runs))
    return found


def scattered(ground: Ground, count: int) -> Any:
    """Return boxes of 1 to 20 ft scattered within 120 ft of the streets."""
    rng = np.random.default_rng(3)
    lines = np.array([f.shape for f in ground.layers.by_name["centerline"].features], dtype=object)
    lengths = shapely.length(lines)
    pick = rng.choice(len(lines), count, p=lengths / lengths.sum())
    at = shapely.get_coordinates(shapely.line_interpolate_point(lines[pick], rng.uniform(0, lengths[pick])))
    low = at + rng.uniform(-120, 120, (count, 2))
    high = low + rng.uniform(1, 20, (count, 2))
    return shapely.box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])


def _measured(what: str, shapes: Any, layer: Layer, runs: int) -> Target:
    exact = np.zeros(len(shapes))
    layer.tree.query(shapes[:1])  # the index is made when it is first asked
    _hold(shapes, layer)
    rates = interleaved(
        {
            "bare query": _rate(len(shapes), lambda: layer.tree.query(shapes, predicate="intersects")),
            "batch check": _rate(len(shapes), lambda: depths(shapes, layer, exact)),
        },
        runs,
    )
    table(f"{len(shapes):,} objects on the right-of-way, {what}", rates, "bare query", {})
    return Target(f"batch check to bare query, {what}", ratio(rates["batch check"], rates["bare query"]), LEAST)


def _rate(count: int, work: Callable[[], object]) -> Callable[[], float]:
    def measure() -> float:
        start = time.perf_counter()
        work()
        return count / (time.perf_counter() - start)

    return measure


def _hold(shapes: Any, layer: Layer) -> None:
    """Refuse to measure what does not judge as the check of one object does."""
    found = depths(shapes, layer, np.zeros(len(shapes)))
    alone = Layers({"right_of_way": layer})
    for k in np.linspace(0, len(shapes) - 1, HELD).astype(int):
        row = encroachment(shapes[k], alone).rows[0]
        if VERDICTS[found.verdict[k]] is not row.verdict:
            raise BenchError(f"object {k} is {row.verdict} alone and {VERDICTS[found.verdict[k]]} in the batch")
