"""What the checks of a package found, and the digest by which an officer signs its errors."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from app.columns import canonical
from app.exports.nena_fields import rows_of
from app.exports.nena_package import Json, Package

ERROR, NOTICE = "error", "notice"
NOT_RUN: Mapping[str, str] = MappingProxyType({"M01": "The county's MSAG and ALI records are not at hand."})
"""Checks that nothing here can answer, and why."""


class Check(NamedTuple):
    """One check: what it asks of which layer, and how grave a failure is."""

    id: str
    layer: str
    severity: str
    title: str


class Found(NamedTuple):
    """What one check found of one feature.

    Parameters
    ----------
    check
        Its id.
    severity
        ``"error"`` or ``"notice"``.
    layer, nguid, field
        Of what; ``""`` where it is of none.
    message
        In words.
    """

    check: str
    severity: str
    layer: str
    nguid: str
    field: str
    message: str


@cache
def checks() -> Mapping[str, Check]:
    """Return every check by its id, in order."""
    return MappingProxyType({row["id"]: Check(**row) for row in rows_of("nena_checks.csv")})


def found(check: str, layer: str, nguid: str, field: str, message: str, severity: str = "") -> Found:
    """Make a finding with the severity of its check, or another."""
    return Found(check, severity or checks()[check].severity, layer, nguid, field, message)


@dataclass(frozen=True)
class Report:
    """What all checks found of a package.

    Parameters
    ----------
    package
        What was checked.
    items
        Every finding, by check.
    signature
        The officer's act by which its errors were signed; None where nobody signed these.
    """

    package: Package
    items: tuple[Found, ...]
    signature: Json | None = None

    @property
    def errors(self) -> list[Found]:
        """The errors."""
        return [item for item in self.items if item.severity == ERROR]

    @property
    def digest(self) -> str:
        """What stands for exactly these errors of this profile; ``""`` where there are none."""
        told = sorted(tuple(item) for item in self.errors)
        return hashlib.sha256(canonical([self.package.profile, told]).encode()).hexdigest() if told else ""

    @property
    def blocked(self) -> bool:
        """Whether the package may not go out: errors, an adopted map, and no officer who signed."""
        return bool(self.errors) and not self.package.provisional and self.signature is None

    def told(self, limit: int) -> Json:
        """Return the report as JSON.

        Parameters
        ----------
        limit
            At most so many findings.

        Returns
        -------
        dict
            ``checks`` with the count of each, ``items``, and whether it is blocked.
        """
        counts = Counter(item.check for item in self.items)
        return {
            **self.package.about,
            "provisional": self.package.provisional or None,
            "layers": {name: len(layer) for name, layer in self.package.layers.items()},
            "unset": self.package.unset,
            "errors": len(self.errors),
            "notices": len(self.items) - len(self.errors),
            "blocked": self.blocked,
            "digest": self.digest or None,
            "signature": self.signature,
            "checks": [
                {**check._asdict(), "findings": counts[check.id], "not_run": NOT_RUN.get(check.id)}
                for check in checks().values()
            ],
            "items": [item._asdict() for item in self.items[:limit]],
            "total": len(self.items),
        }
