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
    with _whole(out, *inputs) as path, path.open("w", encoding="utf-8", newline="") as file:
        yield file


def written_bytes(out: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all."""
    with _whole(out, field="OUT") as path:
        path.write_bytes(content)


@contextmanager
def _whole(out: Path, *inputs: Path | None, field: str = "--out") -> Iterator[Path]:
    """Give the file to write to, which takes the place of the one wanted when it is whole."""
    if any(path and path.exists() and out.exists() and path.samefile(out) for path in inputs):
        raise StreetsError.of(field, str(out), "a file that is not also read")
    if out.is_dir() or not out.parent.is_dir():
        raise StreetsError.of(field, str(out), "a file in a directory that is there")
    if out.is_symlink() or (out.exists() and not out.is_file()):  # a device, a pipe, a link: never replaced by a file
        yield out
        return
    part = out.with_name(f"{out.name}.part")
    try:
        yield part
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
