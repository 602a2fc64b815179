"""A village in memory: its streets, the law in force, and the Street Numbering Map derived from both."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from app.law import Law, law_on
from app.streets import VillageFiles, read_village
from gis.address import street_key
from gis.blocks import NumberingMap, Row, numbering_map
from gis.crs import Projector, from_working, to_working, warm
from gis.edits import Edit
from gis.errors import Fault, UnknownStreetError
from gis.findings import Finding
from gis.frontages import Frontages
from gis.network import EW, NS, Network, network
from gis.street_edits import StreetEdit

LONLAT = "EPSG:4326"


@dataclass(frozen=True)
class StreetSummary:
    """What a list of streets shows of one street: all paths of one name.

    Parameters
    ----------
    name, name_status
        The street's name and whether it is ``confirmed``, ``inferred`` or a ``placeholder``.
    kind
        Kinds of its pieces.
    family
        ``"NS"`` or ``"EW"``; both where its branches differ.
    halves
        Its halves, such as ``("North", "South")``.
    length_ft
        Length on the ground, feet.
    blocks
        How many rows of the map it has.
    findings
        Findings of the street and of its rows.
    """

    name: str
    name_status: str
    kind: tuple[str, ...]
    family: tuple[str, ...]
    halves: tuple[str, ...]
    length_ft: float
    blocks: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Edition:
    """Which version of the Street Numbering Map a village is numbered under.

    Parameters
    ----------
    version
        Its number in the register.
    status
        ``"proposal"``, ``"adopted"``, ``"superseded"`` or ``"withdrawn"``.
    placeholders
        How many of its streets have a placeholder for a name.
    adopted_on, act
        The day of the Village Board's act and the act; None and ``""`` before.
    reason
        Why it was adopted although it has placeholder names; ``""`` where it has none.
    """

    version: int
    status: str
    placeholders: int = 0
    adopted_on: date | None = None
    act: str = ""
    reason: str = ""

    @property
    def adopted(self) -> bool:
        """Whether the Board adopted it and no later one has taken its place."""
        return self.status == "adopted"

    @property
    def state(self) -> str:
        """What it is, in a sentence."""
        name = f"Street Numbering Map version {self.version}"
        if self.adopted_on is None:
            return f"{name}, a draft that is not adopted: numbers given from it are provisional."
        day = f"{self.adopted_on:%B} {self.adopted_on.day}, {self.adopted_on.year}"
        since = "" if self.adopted else " A later version has taken its place."
        return f"{name}, adopted by the Village Board on {day} ({self.act}).{since}"

    @property
    def caution(self) -> str:
        """What is said of an adopted map that has placeholder names; ``""`` where there is nothing to say."""
        if not self.placeholders or self.adopted_on is None:
            return ""
        count = f"{self.placeholders} street" + ("" if self.placeholders == 1 else "s")
        return f"Adopted while {count} had a placeholder for a name, because: {self.reason.rstrip('.')}."


@dataclass(frozen=True)
class SetBase:
    """A base line that an officer set to another street than the ordinance names (§ 288-15 C(1)).

    Parameters
    ----------
    role
        ``"ew"`` or ``"ns"``.
    street
        The street that is the base line.
    named
        The street that the ordinance names.
    because
        The officer's reason, with name and day.
    """

    role: str
    street: str
    named: str
    because: str = ""

    @property
    def family(self) -> str:
        """The family of streets that is numbered from it."""
        return NS if self.role == "ew" else EW

    @property
    def told(self) -> str:
        """What every explanation says of it."""
        way = "an east-west" if self.role == "ew" else "a north-south"
        why = f": {self.because}" if self.because else ""
        return f"The ordinance names {self.named} as {way} base line; an officer set {self.street} in its place{why}."


@dataclass(frozen=True, eq=False)
class Village:
    """A village, loaded once and read by every request.

    Parameters
    ----------
    files
        What its data directory holds.
    law
        The law in force on the day it was loaded for.
    map
        The Street Numbering Map derived from its streets.
    frontages
        The map laid out for numbering.
    edition
        Which version of the map it is; None outside the register.
    aliases
        Names that streets had before, by their key.
    formerly
        Names that a street has now and others had before, by their key: the others' present names.
    closed
        By which act each street was vacated that the map still has, by its key.
    street_edits, lost
        The officers' edits of its streets, and those of them that nothing answered to.
    bases
        Base lines that officers set to other streets than the ordinance names.
    """

    files: VillageFiles
    law: Law
    map: NumberingMap
    frontages: Frontages
    edition: Edition | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    street_edits: tuple[StreetEdit, ...] = ()
    lost: tuple[StreetEdit, ...] = ()
    bases: tuple[SetBase, ...] = ()
    formerly: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    closed: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, directory: Path, day: date) -> Village:
        """Read a village's directory and derive its map.

        Parameters
        ----------
        directory
            Holds the village's streets and settings.
        day
            The day whose law applies.

        Returns
        -------
        Village
            Ready to number.

        Raises
        ------
        gis.errors.StreetsError
            Every fault of the files; no law on that day; base lines that cannot be read.
        """
        return cls.of(read_village(directory), law_on(day))

    @classmethod
    def of(
        cls,
        files: VillageFiles,
        law: Law,
        edits: Sequence[Edit] = (),
        edition: Edition | None = None,
        aliases: Mapping[str, str] | None = None,
        bases: Sequence[SetBase] = (),
    ) -> Village:
        """Derive a village's map from what was read.

        Parameters
        ----------
        files
            Its streets and settings.
        law
            The law in force.
        edits
            Officers' edits of the map's rows.
        edition
            Which version of the map it is.
        aliases
            Names that streets had before, by their key.
        bases
            Base lines that officers set to other streets than the ordinance names.

        Returns
        -------
        Village
            Ready to number.

        Raises
        ------
        gis.errors.StreetsError
            Base lines that cannot be read; an edit that cannot be.
        """
        made = files.settings
        net = network(files.pieces, made.base_ew, made.base_ns, made.reading)
        net = replace(net, set_bases={base.family: base.told for base in bases})
        numbering = numbering_map(net, law.numbering, edits)
        warm(made.working_crs, LONLAT)
        return cls(files, law, numbering, Frontages.of(numbering), edition, aliases or {}, bases=tuple(bases))

    @property
    def draft(self) -> str:
        """Why no number of it is official; ``""`` under an adopted map."""
        if self.edition is None:
            return self.files.settings.draft
        if self.edition.adopted:
            return ""
        return self.files.settings.draft or self.edition.state

    @property
    def unmatched(self) -> tuple[Edit | StreetEdit, ...]:
        """The officers' edits that no street, row, line or finding answers to, so that they do nothing."""
        return (*self.lost, *self.map.unmatched)

    @property
    def nameless(self) -> int:
        """How many of its streets have a placeholder for a name now."""
        return sum(street.name_status == "placeholder" for street in self.streets)

    @property
    def network(self) -> Network:
        """The village's streets as read for numbering."""
        return self.map.network

    def into_feet(self, crs: str) -> Projector:
        """Return the projection from a CRS into the working CRS."""
        return to_working(crs, self.files.settings.working_crs)

    def out_of_feet(self, crs: str) -> Projector:
        """Return the projection from the working CRS into another."""
        return from_working(crs, self.files.settings.working_crs)

    def outline(self, shape: Mapping[str, Any]) -> dict[str, Any]:
        """Return a GeoJSON polygon of the working CRS in longitude and latitude."""
        project = self.out_of_feet(LONLAT)
        rings = []
        for ring in shape["coordinates"]:
            x, y = np.asarray(ring, dtype=np.float64).T
            rings.append(np.stack(project(x, y), axis=1).round(7).tolist())
        return {"type": "Polygon", "coordinates": rings}

    @cached_property
    def _by_key(self) -> dict[str, str]:
        return {street_key(name): name for name in self.network.by_name}

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.frontages.names)}

    def street_id(self, name: str) -> int:
        """Return a street's id in the frontages by its official name."""
        return self._ids[name]

    def street_name(self, text: str) -> str:
        """Return the official name of a street however it is spelt.

        Parameters
        ----------
        text
            A street's name, such as ``"MAIN ST"``.

        Returns
        -------
        str
            Its name in the linework.

        Raises
        ------
        UnknownStreetError
            There is none of that name; names that are near are suggested.
        """
        found = text if text in self._ids else self._by_key.get(street_key(text), self.aliases.get(street_key(text)))
        if found is None:
            near = difflib.get_close_matches(street_key(text), self._by_key, n=3, cutoff=0.6)
            names = " or ".join(self._by_key[key] for key in near)
            expected = f"{names}, perhaps" if near else "a street of the village's linework"
            shown = text if len(text) <= 80 else f"{text[:77]}..."
            raise UnknownStreetError(
                f"{shown or 'Nothing'} is not a street of {self.files.settings.name}.",
                [Fault("street", shown or "nothing", expected)],
            )
        return found

    def rows_of(self, name: str) -> tuple[Row, ...]:
        """Return a street's rows, by half outward."""
        return self._rows.get(name, ())

    @cached_property
    def _rows(self) -> dict[str, tuple[Row, ...]]:
        rows: dict[str, tuple[Row, ...]] = {}
        for row in self.map.rows:
            rows[row.street] = (*rows.get(row.street, ()), row)
        return rows

    @cached_property
    def streets(self) -> tuple[StreetSummary, ...]:
        """Every street of the village, by name."""
        return tuple(self._summary(name) for name in sorted(self.network.by_name))

    def _summary(self, name: str) -> StreetSummary:
        net = self.network
        paths = [net.streets[k] for k in net.by_name[name]]
        pieces = [piece for piece in net.pieces if piece.name == name]
        rows = self.rows_of(name)
        halves = [half for half in self.map.halves if net.streets[half.street].name == name]
        found = [f for half in halves for f in half.findings] + [f for row in rows for f in row.findings]
        worst = {"confirmed": 0, "inferred": 1, "placeholder": 2}
        return StreetSummary(
            name=name,
            name_status=max((p.name_status for p in pieces), key=lambda status: worst[status]),
            kind=tuple(dict.fromkeys(p.kind for p in pieces)),
            family=tuple(dict.fromkeys(p.family for p in paths)),
            halves=tuple(dict.fromkeys(half.name for half in halves)),
            length_ft=sum(p.line.length for p in pieces),
            blocks=len(rows),
            findings=tuple(dict.fromkeys(found)),
        )
