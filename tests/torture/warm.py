"""Starts servers from a process that has imported the program already: killing two hundred need not take an hour.

It reads a port a line and answers with the id of a new process, which serves as ``benton-streets serve`` does: the
settings, database and village are its own, made after it was forked.
"""

import contextlib
import os
import sys

from app.serving import serve
from app.settings import Settings


def main() -> None:
    """Fork a server for each line that is read."""
    for line in sys.stdin:
        process = os.fork()
        with contextlib.suppress(OSError):  # whichever of the two comes first: a group of its own, to be killed whole
            os.setpgid(process, process)
        if process == 0:
            os.dup2(2, 1)  # what it prints is no process id
            try:
                serve(Settings(port=int(line)))
            finally:
                os._exit(1)
        print(process, flush=True)
        while os.waitpid(-1, os.WNOHANG) != (0, 0):  # those that were killed before
            pass


if __name__ == "__main__":
    main()
