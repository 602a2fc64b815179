"""The layers and fields of the NG9-1-1 GIS data model that are exported, in two profiles, and what they may hold.

Profile ``v3`` is NENA-STA-006.3, ``v2`` is NENA-STA-006.2a, which Wisconsin still lists.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gis.errors import StreetsError

HERE = Path(__file__).resolve().parent
PROFILES: Mapping[str, str] = MappingProxyType({"v3": "NENA-STA-006.3", "v2": "NENA-STA-006.2a"})
"""Profiles and the standards they are of."""
ROADS, POINTS, BOUNDARY = "RoadCenterLine", "SiteStructureAddressPoint", "ProvisioningPolygon"
INDICATORS: Mapping[str, str] = MappingProxyType({ROADS: "RCL", POINTS: "SSAP", BOUNDARY: "Provisioning"})
"""The layers, and what names each of them within an NGUID."""
SHAPES: Mapping[str, str] = MappingProxyType({ROADS: "LineString", POINTS: "Point", BOUNDARY: "Polygon"})
UNSET = "agency-id-unset.invalid"
"""What an NGUID ends with while the agency is not known; a name that nobody can have (RFC 2606)."""
NGUID = re.compile(
    r"urn:emergency:uid:gis:(?P<layer>[A-Za-z0-9]+):(?P<local>[^:\s]+):(?P<agency>([a-z0-9-]+\.)+[a-z]{2,63})"
)
_ADMINISTRATIVE = {
    "Country": "Country",
    "A1": "State",
    "A2": "County",
    "A3": "IncMuni",
    "A4": "UnincCom",
    "A5": "NbrhdCom",
}
_OF_POINTS = {"IncMuni": "Inc_Muni", "UnincCom": "Uninc_Comm", "NbrhdCom": "Nbrhd_Comm"}


@dataclass(frozen=True)
class Domain:
    """What a field may hold: one of several values, or a number from the lowest to the highest.

    Parameters
    ----------
    values
        The values; none where it is a range.
    low, high
        The ends of a range.
    """

    values: frozenset[str] = frozenset()
    low: float = 0.0
    high: float = 0.0

    def holds(self, value: Any) -> bool:
        """Whether a value is in it, in its exact spelling."""
        if self.values:
            return value in self.values
        return isinstance(value, int | float) and self.low <= value <= self.high

    @property
    def told(self) -> str:
        """What it holds, in words."""
        if not self.values:
            return f"a number from {self.low:g} to {self.high:g}"
        return f"one of {', '.join(sorted(self.values))}" if len(self.values) <= 20 else "a value of the registry"


@dataclass(frozen=True)
class Field:
    """One field of a layer.

    Parameters
    ----------
    name
        Exactly as the standard has it.
    required
        ``"Yes"``, ``"Conditional"`` or ``"No"``.
    type
        ``"TEXT"``, ``"INTEGER"``, ``"REAL"`` or ``"DATETIME"``.
    width
        Of a text, the most characters; of a whole number, the most digits; 0 where the standard says nothing.
    domain
        Name of its domain; ``""`` where it has none.
    """

    name: str
    required: str
    type: str
    width: int = 0
    domain: str = ""

    @property
    def column(self) -> str:
        """Its type as a GeoPackage declares it."""
        return f"TEXT({self.width})" if self.type == "TEXT" and self.width else self.type

    def fits(self, value: Any) -> bool:
        """Whether a value that is there has its type and width."""
        if self.type == "TEXT":
            return isinstance(value, str) and (not self.width or len(value) <= self.width)
        if self.type == "DATETIME":
            return isinstance(value, datetime) and value.tzinfo is not None
        if isinstance(value, bool) or not isinstance(value, int if self.type == "INTEGER" else int | float):
            return False
        return not (self.type == "INTEGER" and self.width) or len(str(abs(value))) <= self.width

    @cached_property
    def allowed(self) -> Domain | None:
        """Its domain; None where it has none."""
        return domains()[self.domain] if self.domain else None


@cache
def domains() -> Mapping[str, Domain]:
    """Return every domain by its name."""
    made: dict[str, Domain] = {}
    for row in rows_of("nena_domains.csv"):
        old = made.get(row["domain"], Domain())
        if row["kind"] == "coded":
            made[row["domain"]] = Domain(old.values | {row["value"]})
        else:
            end = float(row["value"])
            low, high = (end, old.high) if row["kind"] == "min" else (old.low, end)
            made[row["domain"]] = Domain(frozenset(), low, high)
    return MappingProxyType(made)


@cache
def layers_of(profile: str) -> Mapping[str, tuple[Field, ...]]:
    """Return the fields of each layer of a profile, in their order.

    Raises
    ------
    StreetsError
        There is no such profile.
    """
    if profile not in PROFILES:
        raise StreetsError.of("profile", profile or "nothing", f"one of {', '.join(PROFILES)}")
    made: dict[str, tuple[Field, ...]] = dict.fromkeys(INDICATORS, ())
    for row in rows_of("nena_fields.csv"):
        if row["profile"] == profile:
            width = int(row["width"]) if row["width"].isdigit() else 0
            field = Field(row["name"], row["required"], row["type"], width, row["domain"])
            made[row["layer"]] = (*made[row["layer"]], field)
    return MappingProxyType(made)


def named(profile: str, layer: str, name: str) -> str:
    """Return what a profile calls an administrative level of v3: ``"A3_L"`` is ``"IncMuni_L"`` in v2."""
    level, _, side = name.partition("_")
    if profile == "v3" or level not in _ADMINISTRATIVE:
        return name
    old = _ADMINISTRATIVE[level]
    return _OF_POINTS.get(old, old) if layer == POINTS else f"{old}_{side}"


def nguid(layer: str, local: object, agency: str) -> str:
    """Return a NENA globally unique ID."""
    return f"urn:emergency:uid:gis:{INDICATORS[layer]}:{local}:{agency or UNSET}"


def rows_of(name: str) -> list[dict[str, str]]:
    """Read a table of this package; lines that begin with # say where it is from."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))
