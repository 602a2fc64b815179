"""``./run bench``: speed of numbering and of a full register; 1 where a target is missed.

Numbering is measured against an empty endpoint and against PostGIS: rates drift with the machine, the ratios within one
run are what is held to a target; so are 911 lookups, and batch checks against their index's bare query. The register
has 100,000 addresses, in SQLite or in the empty database that BENTON_DATABASE_URL names; its times are held to limits,
as is what is due over 10,000 open cases, with and without 100,000 closed ones.
Some twenty minutes in all. 2 where it cannot be run or an answer is wrong: a figure would then mean nothing.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.bulk import bulk
from tests.bench.checks import checks
from tests.bench.imports import imports
from tests.bench.lookups import lookups
from tests.bench.platbook import platbook
from tests.bench.previews import previews
from tests.bench.register import register
from tests.bench.report import BenchError, Limit, Target, verdict
from tests.bench.today import today

PARTS: dict[str, tuple[Callable[[], Sequence[Target | Limit]], Callable[[], Sequence[Target | Limit]]]] = {
    "imports": (lambda: imports(2_000, 10, 4), lambda: imports(50_000, 30, 6)),
    "previews": (lambda: previews(1, 0.5, 40), lambda: previews(5, 4.0, 500)),
    "register": (lambda: register(2_000, 10, 4, 40), lambda: register(100_000, 30, 6, 200)),
    "lookups": (lambda: lookups(50, 200, 6, 3, 1, 0.5, 40), lambda: lookups(1_000, 100_000, 30, 6, 5, 4.0, 1000)),
    "platbook": (lambda: platbook(6, 60, 40, 500), lambda: platbook(60, 1_000, 1_000, 100_000)),
    "checks": (lambda: checks(1, 600), lambda: checks(5, 100_000)),
    "bulk": (lambda: bulk(1, 12, 2_000), lambda: bulk(5, 100, 200_000)),
    "today": (lambda: today(400, 400, 4), lambda: today(10_000, 100_000, 40)),
}
"""Each part in tiny sizes, and in those it is held to."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: sees that outputs agree, holds to no speed")
    parser.add_argument("--only", choices=PARTS, help="one part")
    given = parser.parse_args()
    targets: list[Target | Limit] = []
    try:
        for name in [given.only] if given.only else PARTS:
            quick, full = PARTS[name]
            targets += quick() if given.quick else full()
    except (BenchError, pytest.fail.Exception) as error:  # the second where a server does not answer
        print(f"bench: {error}", file=sys.stderr)
        return 2
    missed = verdict(targets)
    return 0 if given.quick else missed


if __name__ == "__main__":
    sys.exit(main())
