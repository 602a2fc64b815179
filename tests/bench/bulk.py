"""A county numbered at once from coordinates, against the same pipeline in PostGIS; one core each."""

import os
from collections.abc import Callable
from time import perf_counter

import numpy as np

from gis.numbering import number
from tests.bench.cluster import cluster
from tests.bench.county import county
from tests.bench.postgis import PostGis
from tests.bench.report import BenchError, Target, interleaved, ratio, table

MAY_DIFFER = 1e-4
OURS, THEIRS = "gis.numbering.number", "PostGIS, ST_DWithin"


def bulk(runs: int, streets: int, points: int) -> list[Target]:
    """Measure, compare the numbers, print; returns the targets."""
    made = county(streets, points)
    frontages = made.frontages
    with cluster() as dsn:
        theirs = PostGis(dsn, made)
        measures: dict[str, Callable[[], None]] = {
            THEIRS: theirs.number,
            OURS: lambda: ours.append(number(frontages, made.x, made.y).number),
        }
        ours: list[np.ndarray] = []
        _warm(measures)
        rates = interleaved({name: _rate(measure, points) for name, measure in measures.items()}, runs)
        differ = _differ(ours, theirs.numbers())
    if differ > MAY_DIFFER * points:
        raise BenchError(f"{differ} of {points:,} numbers differ")
    segments = len(frontages.locator.segments.x)
    table(f"A county of {segments:,} segments, {points:,} points to number", rates, THEIRS, {})
    print(f"  {differ} of {points:,} numbers differ; {MAY_DIFFER:.2%} may, for ties.")
    return [Target("bulk numbering against PostGIS", ratio(rates[OURS], rates[THEIRS]), 1.5)]


def _warm(measures: dict[str, Callable[[], None]]) -> None:
    for measure in measures.values():
        measure()


def _rate(measure: Callable[[], None], points: int) -> Callable[[], float]:
    def rate() -> float:
        usable = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(usable)})  # one core, whatever a library would take
        try:
            start = perf_counter()
            measure()
            return points / (perf_counter() - start)
        finally:
            os.sched_setaffinity(0, usable)

    return rate


def _differ(ours: list[np.ndarray], theirs: np.ndarray) -> int:
    """How many numbers differ; the runs among themselves may not."""
    if not all(np.array_equal(run, ours[0]) for run in ours) or not (ours[0] > 0).mean() > 0.99:
        raise BenchError("the runs gave different numbers, or none")
    return int((ours[0] != theirs).sum())
