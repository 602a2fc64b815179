"""``./run bench`` still works, and what it compares agrees; no speed is held to here."""

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parent / "bench" / "run.py"


def test_the_benchmark_runs_end_to_end_and_its_outputs_agree() -> None:
    done = subprocess.run([sys.executable, str(BENCH), "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Every answer's number is that of gis.numbering.number." in done.stdout
    assert "0 of 2,000 numbers differ" in done.stdout
