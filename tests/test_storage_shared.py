"""A register that several programs have open at once: none takes from another what it has written."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from app.db import Database
from app.keeping import ensure_schema
from tests.conftest import ROOT

LOOK = """
import sys
from pathlib import Path
from contextlib import closing
import sqlalchemy as sa
from app.db import Database
with closing(Database(sys.argv[1], Path(sys.argv[2]))) as database, database.read() as connection:
    print(connection.execute(sa.text("SELECT count(*) FROM requests")).scalar_one())
"""
PUT = sa.text("INSERT INTO requests VALUES ('a test', :key, '', 201, '', '2026-06-01T00:00:00.000000Z')")


def look(url: str, folder: Path) -> int:
    """Let another program open the register, count and close it."""
    command = [sys.executable, "-c", LOOK, url, str(folder)]
    return int(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def test_a_program_that_closes_the_register_leaves_the_log_of_a_running_service(tmp_path: Path) -> None:
    """Seen to fail with the file opened and closed anew for each connection: the second count stayed 1."""
    url = f"sqlite:///{tmp_path / 'register.db'}"
    with closing(Database(url, tmp_path)) as service:
        ensure_schema(service)
        with service.read() as one, service.read() as other:  # two connections: the second finds the file there
            one.execute(sa.text("SELECT 1"))
            other.execute(sa.text("SELECT 1"))
        for count in (1, 2, 3):
            with service.write() as connection:
                connection.execute(PUT, {"key": str(count)})
            assert look(url, tmp_path) == count
