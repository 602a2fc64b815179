"""Explanations as data: ordered steps with their sections, and the lines that were drawn to decide them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROLES = ("base_line", "extension", "block_line", "offset", "unit", "block")
"""What a construction line stands for."""


@dataclass(frozen=True)
class Step:
    """One step of the reasoning.

    Parameters
    ----------
    section
        The section of the ordinance it applies, such as ``"288-15 D"``.
    decided
        A short name of what it decides: ``"base_line"`` or ``"diagonal"``; ``"north"``, ``"south"``, ``"east"`` or
        ``"west"``; ``"extension"``; ``"block"`` or ``"open_block"``; ``"unit"`` or ``"open_unit"``; ``"place"``;
        ``"odd"`` or ``"even"``.
    text
        The step in words.
    values
        The values it used, with units in their names.
    reading
        How the law was read where it leaves a choice, or ``""``.
    """

    section: str
    decided: str
    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    reading: str = ""


@dataclass(frozen=True, eq=False)
class ConstructionLine:
    """A line drawn to find a number.

    Parameters
    ----------
    role
        One of `ROLES`.
    label
        What is written beside it.
    coords
        Vertices, shape (n, 2), working CRS, US survey feet.
    assumed
        Whether it is not on the ground but thought: an extension, or a virtual block's end.
    """

    role: str
    label: str
    coords: NDArray[np.float64]
    assumed: bool = False


@dataclass(frozen=True)
class Explanation:
    """Why a door has its number: the steps in order, and the construction.

    Parameters
    ----------
    steps
        In the order of the reasoning.
    lines
        The construction lines.
    """

    steps: tuple[Step, ...]
    lines: tuple[ConstructionLine, ...]
