"""Slips and conflicts in the text of the law, from ``slips.toml``: shown to the officer, never mended in silence."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gis.errors import StreetsError

SLIPS_FILE = Path(__file__).with_name("slips.toml")
_PROVISION = re.compile(r"[A-Z]{2}-[0-9]+")
_SECTION = re.compile(r"([0-9]+-[0-9]+)(?: ([A-Z].*))?")


@dataclass(frozen=True)
class Slip:
    """A slip of the text, or sentences of it that contradict each other.

    Parameters
    ----------
    key, title
        Its name, and what it is called.
    sections
        Where it is, without the sign; the letters are inferred.
    provisions
        The rows of the README's table that it concerns.
    quotations
        The sentences, word for word.
    contradicts
        What they contradict, or what they leave open.
    reading
        How the software reads them until somebody decides.
    decides
        Who decides.
    """

    key: str
    title: str
    sections: tuple[str, ...]
    provisions: tuple[str, ...]
    quotations: tuple[str, ...]
    contradicts: str
    reading: str
    decides: str

    @property
    def told(self) -> str:
        """What is wrong, how it is read and who decides, in one text."""
        return f"{self.contradicts} {self.reading} {self.decides} decides."


@cache
def every() -> tuple[Slip, ...]:
    """Return every slip, in the order of the sections."""
    rows = tomllib.loads(SLIPS_FILE.read_text(encoding="utf-8"))["slip"]
    return tuple(_slip(row) for row in rows)


def _slip(row: Mapping[str, Any]) -> Slip:
    lists = (tuple(row["sections"]), tuple(row["provisions"]), tuple(row["quotations"]))
    return Slip(row["key"], row["title"], *lists, row["contradicts"], row["reading"], row["decides"])


def of(place: str) -> tuple[Slip, ...]:
    """Return the slips of a section or provision.

    Parameters
    ----------
    place
        A section with or without its sign, such as ``§ 288-6 G(4)``, a whole one such as ``288-6``, several letters
        such as ``288-7 D, E``; or a provision such as ``EX-15``.

    Returns
    -------
    tuple of Slip
        Those in the section, in a part of it, or in what it is a part of.

    Raises
    ------
    StreetsError
        It is neither.

    Examples
    --------
    >>> [slip.key for slip in of("§ 288-8 F")], [slip.key for slip in of("EX-7")]
    (['lawfully_obstructed'], ['pavement_days'])
    """
    if _PROVISION.fullmatch(place):
        return tuple(slip for slip in every() if place in slip.provisions)
    asked = _sections(place)
    return tuple(slip for slip in every() if any(_within(a, b) for a in asked for b in slip.sections))


def _sections(place: str) -> list[str]:
    found = _SECTION.fullmatch(place.removeprefix("§").strip())
    if not found:
        raise StreetsError.of("section", place[:60] or "nothing", "a section such as 288-6 G(4), or a provision")
    number, letters = found.groups()
    return [f"{number} {letter}" for letter in letters.split(", ")] if letters else [number]


def _within(one: str, other: str) -> bool:
    """Say whether one section is the other, or a part of it, whichever is longer."""
    short, long = sorted((one, other), key=len)
    return long == short or long.startswith((f"{short} ", f"{short}("))
