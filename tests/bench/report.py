"""What every benchmark shares: medians of interleaved runs, their spread, targets kept or missed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Target:
    """A ratio that a benchmark holds to."""

    name: str
    found: float
    least: float

    @property
    def kept(self) -> bool:
        return self.found >= self.least

    def __str__(self) -> str:
        return f"{'kept  ' if self.kept else 'MISSED'} {self.name}: {self.found:.2f}, at least {self.least:g}"


@dataclass(frozen=True)
class Limit:
    """A time that a benchmark holds to."""

    name: str
    found_s: float
    most_s: float

    @property
    def kept(self) -> bool:
        return self.found_s < self.most_s

    def __str__(self) -> str:
        return f"{'kept  ' if self.kept else 'MISSED'} {self.name}: {shown(self.found_s)}, under {shown(self.most_s)}"


def shown(seconds: float) -> str:
    """Write a duration as it is read soonest."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


class BenchError(Exception):
    """The benchmark cannot be run, or what it measures gave wrong output: a rate would mean nothing."""


def interleaved(measures: Mapping[str, Callable[[], float]], runs: int) -> dict[str, list[float]]:
    """Measure each in turn, and again: a machine that slows down slows all of them."""
    rates: dict[str, list[float]] = {name: [] for name in measures}
    for run in range(runs):
        names = list(measures) if run % 2 == 0 else list(measures)[::-1]
        for name in names:
            rates[name].append(measures[name]())
    return rates


def ratio(rates: Sequence[float], to: Sequence[float]) -> float:
    """The median of the ratios within each run: what slowed one run down slowed both."""
    return median(ours / theirs for ours, theirs in zip(rates, to, strict=True))


def table(title: str, rates: Mapping[str, Sequence[float]], to: str, notes: Mapping[str, str]) -> None:
    """Print medians, spreads and ratios."""
    print(f"\n{title}, median of {len(rates[to])} interleaved runs")
    print(f"  {'':28}{'a second':>10}{'lowest':>10}{'highest':>10}{'ratio':>8}")
    for name, found in rates.items():
        middle, low, high = (f"{value:,.0f}" for value in (median(found), min(found), max(found)))
        print(f"  {name:28}{middle:>10}{low:>10}{high:>10}{ratio(found, rates[to]):>8.2f}  {notes.get(name, '')}")


def verdict(targets: Iterable[Target | Limit]) -> int:
    """Print which targets are kept; 1 where one is missed."""
    found = list(targets)
    print()
    for target in found:
        print(target)
    return 0 if all(target.kept for target in found) else 1
