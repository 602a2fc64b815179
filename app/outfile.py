"""Files that the command line writes: whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from gis.errors import StreetsError


@contextmanager
def written_whole(out: Path, *inputs: Path | None) -> Iterator[TextIO]:
    """Open a file to write that appears whole or not at all; no input is written over."""
    if any(path and path.exists() and out.exists() and path.samefile(out) for path in inputs):
        raise StreetsError.of("--out", str(out), "a file that is not also read")
    if out.is_dir() or not out.parent.is_dir():
        raise StreetsError.of("--out", str(out), "a file in a directory that is there")
    if out.is_symlink() or (out.exists() and not out.is_file()):  # a device, a pipe, a link: never replaced by a file
        with out.open("w", encoding="utf-8", newline="") as file:
            yield file
        return
    part = out.with_name(f"{out.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            yield file
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
