"""``./run bench``: speed of numbering and of a full register; 1 where a target is missed.

Numbering is measured against an empty endpoint and against PostGIS: rates drift with the machine, the ratios within one
run are what is held to a target. The register has 100,000 addresses, in SQLite or in the empty database that
BENTON_DATABASE_URL names; its times are held to limits. Some ten minutes in all. 2 where it cannot be run or an answer
is wrong: a figure would then mean nothing.
"""

import argparse
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.bulk import bulk
from tests.bench.previews import previews
from tests.bench.register import register
from tests.bench.report import BenchError, Limit, Target, verdict


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: sees that outputs agree, holds to no speed")
    parser.add_argument("--only", choices=("previews", "bulk", "register"), help="one of the three")
    given = parser.parse_args()
    targets: list[Target | Limit] = []
    try:
        if given.only in {None, "previews"}:
            targets += previews(1, 0.5, 40) if given.quick else previews(5, 4.0, 500)
        if given.only in {None, "register"}:
            targets += register(2_000, 10, 4, 40) if given.quick else register(100_000, 30, 6, 200)
        if given.only in {None, "bulk"}:
            targets += bulk(1, 12, 2_000) if given.quick else bulk(5, 100, 200_000)
    except (BenchError, pytest.fail.Exception) as error:  # the second where a server does not answer
        print(f"bench: {error}", file=sys.stderr)
        return 2
    missed = verdict(targets)
    return 0 if given.quick else missed


if __name__ == "__main__":
    sys.exit(main())
