"""``./run bench``: speed of numbering, against an empty endpoint and against PostGIS; 1 where a target is missed.

Rates drift with the machine; the ratios, each within one run, are what is held to a target. Some five minutes, of which
one lays out the county. 2 where it cannot be run or the outputs disagree: a rate would then mean nothing.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.bulk import bulk
from tests.bench.previews import previews
from tests.bench.report import BenchError, verdict


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: sees that outputs agree, holds to no speed")
    parser.add_argument("--only", choices=("previews", "bulk"), help="one of the two")
    given = parser.parse_args()
    targets = []
    try:
        if given.only != "bulk":
            targets += previews(1, 0.5, 40) if given.quick else previews(5, 4.0, 500)
        if given.only != "previews":
            targets += bulk(1, 12, 2_000) if given.quick else bulk(5, 100, 200_000)
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    missed = verdict(targets)
    return 0 if given.quick else missed


if __name__ == "__main__":
    sys.exit(main())
