"""``./run bench`` still works, and what it compares agrees; no speed is held to here."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parent / "bench" / "run.py"


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("previews", "Every answer's number is that of gis.numbering.number."),
        ("bulk", "0 of 2,000 numbers differ"),
        # 2 where the book lacks a street or number, or a number that the service gave is told not to conform
        ("platbook", "The audit of 500 numbers"),
        ("imports", "2,000 of 2,000 are in the register"),
        # the script ends with 2 where a search finds another address, a number is given twice or the register is broken
        ("register", "40 of 40 typos"),
        ("lookups", "911 lookups: 16 connections kept open"),
        ("today", "as many times in each group as were put in"),
    ],
)
def test_the_benchmark_runs_end_to_end_and_its_outputs_agree(part: str, told: str) -> None:
    command = [sys.executable, str(BENCH), "--quick", "--only", part]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert told in done.stdout
