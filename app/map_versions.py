"""Versions of the Street Numbering Map: proposed, edited, compared, adopted; old ones stay and can be numbered under.

A version keeps all that its rows were derived from (streets, base lines, reading, the day of its law, officers' edits),
so that any number can be recomputed under its own. The village in force is that of the adopted version; before any is
adopted it is that of the newest proposal, and numbers given from it are provisional.
"""

from __future__ import annotations

import hashlib
import json
import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from shapely import LineString
from sqlalchemy.engine import Connection

from app import registers
from app.audit import SYSTEM, Act, Actor
from app.columns import canonical
from app.db import Database
from app.law import law_on, today
from app.settings import plain
from app.street_plans import AnyEdit, Edited, as_named_now, edited, is_of_streets
from app.streets import VillageFiles, read_village
from app.tables import imports, map_edits, maps, renamings, vacations
from app.village import Edition, Village
from gis.address import street_key
from gis.crs import working_crs
from gis.errors import StreetsError
from gis.network import Piece
from gis.rules import Reading

Row = dict[str, Any]


class MapStateError(StreetsError):
    """A version of the map that is not in the state an act needs, such as one adopted that is to be edited."""


# --- a version's content ---


def pack(files: VillageFiles, law_date: date) -> bytes:
    """Write all that a map is derived from as bytes."""
    made = files.settings
    content = {
        "law_date": law_date.isoformat(),
        "village": {"name": made.name, "county": made.county, "state": made.state, "draft": made.draft},
        "base_lines": {"ew": made.base_ew, "ns": made.base_ns},
        "working_crs": made.working_crs.text,
        "reading": asdict(made.reading),
        "pieces": [_piece(piece) for piece in files.pieces],
    }
    return zlib.compress(canonical(content).encode(), 9)


def _piece(piece: Piece) -> Row:
    known = {f: getattr(piece, f) for f in ("name", "kind", "block_line", "accuracy_ft", "name_status", "source")}
    return {**known, "line": np.asarray(piece.line.coords)[:, :2].tolist()}


def unpack(snapshot: bytes, about: VillageFiles) -> VillageFiles:
    """Read a map's streets and settings back; lines and addresses that are no part of it are those of `about`."""
    content = json.loads(zlib.decompress(snapshot))
    settings = replace(
        about.settings,
        **content["village"],
        base_ew=content["base_lines"]["ew"],
        base_ns=content["base_lines"]["ns"],
        working_crs=working_crs(content["working_crs"]),
        reading=Reading(**content["reading"]),
    )
    pieces = tuple(Piece(**{**piece, "line": LineString(piece["line"])}) for piece in content["pieces"])
    return replace(about, settings=settings, pieces=pieces)


def pack_pieces(pieces: Iterable[Piece]) -> bytes:
    """Write streets that were brought in as bytes."""
    return zlib.compress(canonical([_piece(piece) for piece in pieces]).encode(), 9)


def of_register(connection: Connection, files: VillageFiles) -> VillageFiles:
    """Return the village's files with the streets that were brought in last, where any were; else as they are."""
    newest = sa.select(imports.c.content).where(imports.c.kind == "streets", imports.c.undone_at.is_(None))
    content = connection.execute(newest.order_by(imports.c.id.desc()).limit(1)).scalar_one_or_none()
    if content is None:
        return files
    pieces = tuple(Piece(**{**p, "line": LineString(p["line"])}) for p in json.loads(zlib.decompress(content)))
    return replace(files, pieces=pieces)


def with_names(files: VillageFiles, renamed: Iterable[Mapping[str, Any]]) -> VillageFiles:
    """Give streets the names they were given by later acts."""
    made, pieces, sections = files.settings, files.pieces, files.sections
    for act in renamed:
        old, new = act["old"], act["new"]
        pieces = tuple(replace(p, name=new, name_status="confirmed") if p.name == old else p for p in pieces)
        bases = {f: new for f in ("base_ew", "base_ns") if getattr(made, f) == old}
        made = replace(made, **bases)
        sections = tuple(replace(s, street=new) if s.street == old else s for s in sections)
    return replace(files, settings=made, pieces=pieces, sections=sections)


def placeholders(files: VillageFiles) -> list[str]:
    """Return the names that only stand for names not known, in order."""
    return sorted({piece.name for piece in files.pieces if piece.name_status == "placeholder"})


def edition_of(row: Mapping[str, Any]) -> Edition:
    """Return a version's description."""
    reason = row["adoption_reason"] or ""
    return Edition(row["version"], row["status"], row["placeholders"], row["adopted_on"], row["act"] or "", reason)


def edits_of(connection: Connection, version: int) -> list[Row]:
    """Return a version's edits that were not withdrawn, in the order they were made."""
    standing = (map_edits.c.map_version == version, map_edits.c.withdrawn_at.is_(None))
    return registers.rows(connection, map_edits, *standing)


def unmatched_edits(connection: Connection, village: Village, version: int) -> list[Row]:
    """Return a version's edits that no street or row of its map answers to."""
    lost = {id(edit) for edit in village.unmatched}
    rows = edits_of(connection, version)
    of_streets = zip(filter(is_of_streets, rows), village.street_edits, strict=False)
    of_rows = zip((row for row in rows if not is_of_streets(row)), village.map.edits, strict=False)
    return [row for row, edit in (*of_streets, *of_rows) if id(edit) in lost]


# --- the atlas: villages in memory ---


class Atlas:
    """The village of every version, loaded when first asked for; the one in force is kept up with the register.

    Parameters
    ----------
    database
        The register's.
    directory
        The village's own files.
    law_date
        The day whose law new proposals take; the day of the proposal where it is None.
    """

    def __init__(self, database: Database, directory: Path, law_date: date | None = None) -> None:
        self.database = database
        self.directory = directory
        self.law_date = law_date
        self.files = read_village(directory)
        self._seen = -1
        self._key: tuple[Any, ...] = ()
        self._village: Village | None = None
        self._loading = threading.Lock()
        self._loaded = lru_cache(maxsize=8)(self._load)

    @property
    def village(self) -> Village:
        """The village in force; its map is read anew when the register has moved and it is another."""
        if self._village is not None and self.database.changes.value == self._seen:
            return self._village
        with self._loading:
            moved = self.database.changes.value
            if self._village is None or moved != self._seen:
                with self.database.read() as connection:
                    key = _state(connection)
                    if key != self._key or self._village is None:
                        self._village = self._loaded(key)
                        self._key = key
                self._seen = moved
            return self._village

    def of(self, version: int) -> Village:
        """Return the village of any version.

        Raises
        ------
        app.registers.NotFoundError
            There is no such version.
        """
        with self.database.read() as connection:
            return self.at(connection, version)

    def now(self, connection: Connection) -> Village:
        """Return the village in force in a transaction's own state."""
        return self._loaded(_state(connection))

    def at(self, connection: Connection, version: int) -> Village:
        """Return the village of any version, for a transaction that has written nothing."""
        registers.get(connection, maps, version)
        return self._loaded(_state(connection, version))

    def reread(self) -> None:
        """Read the village's files again, for a proposal takes them as they are now."""
        self.files = read_village(self.directory)

    def _load(self, key: tuple[Any, ...]) -> Village:
        with self.database.read() as connection:
            return self.read(connection, key[0])

    def read(self, connection: Connection, version: int, more: Sequence[AnyEdit] = (), *, without: int = 0) -> Village:
        """Derive a version's village inside a transaction, with further edits on trial or without one of its own."""
        row = registers.get(connection, maps, version)
        done = self._edited(connection, row, more, without)
        edition = edition_of(self.counted(connection, row, done))
        made = Village.of(
            done.files, law_on(row["law_date"]), done.rows, edition, {**done.names, **aliases(connection)}, done.bases
        )
        made = replace(made, formerly=formerly(connection), closed=closed(connection))
        return replace(made, street_edits=done.streets, lost=done.lost)

    def _edited(self, connection: Connection, row: Row, more: Sequence[AnyEdit] = (), without: int = 0) -> Edited:
        """Return a version's streets under its edits and the names given since, without those that were vacated."""
        later = [act for act in registers.standing(connection, renamings) if act["made_at"] > row["made_at"]]
        own = [edit for edit in edits_of(connection, row["version"]) if edit["id"] != without]
        kept = row["snapshot"] if "snapshot" in row else registers.get(connection, maps, row["version"])["snapshot"]
        done = edited(unpack(kept, self.files), row["made_at"], own, later, more)
        return replace(done, files=_open(done.files, vacated(connection, row["made_at"])))

    def counted(self, connection: Connection, row: Row, done: Edited | None = None) -> Row:
        """Return a version's row with the placeholder names it has now; an adopted one's are those it was adopted with.

        Parameters
        ----------
        connection
            To the register.
        row
            The version.
        done
            Its streets, where they are known already.

        Returns
        -------
        dict
            The row.
        """
        if row["adopted_on"] is not None:
            return row
        files = (done or self._edited(connection, row)).files
        return {**row, "placeholders": len(placeholders(files))}

    def ensure(self) -> None:
        """Make the first version, or the next where none is adopted and the village's files have changed."""
        with self.database.write() as connection:
            newest = registers.rows(connection, maps, order=[maps.c.version.desc()], limit=1)
            adopted = registers.counted(connection, maps, maps.c.status == "adopted")
            if not newest:
                propose(self, connection, SYSTEM, "The first proposal, derived from the village's streets.")
            elif not adopted and self.changed(connection, newest[0]):
                propose(self, connection, SYSTEM, "The village's files have changed since the last proposal.")

    def changed(self, connection: Connection, row: Mapping[str, Any]) -> bool:
        """Return whether the village's files are others than a version was made of; names given by acts are none.

        The files are held against it under the names that were given when it was made.
        """
        at = row["made_at"]
        stood = sa.or_(renamings.c.undone_at.is_(None), renamings.c.undone_at > at)
        given = registers.rows(connection, renamings, renamings.c.made_at <= at, stood)
        return bool(_digest(with_names(of_register(connection, self.files), given)) != row["digest"])


def aliases(connection: Connection) -> dict[str, str]:
    """Return the present name of each street that had another before, by the key of the old name."""
    present: dict[str, str] = {}
    for act in registers.standing(connection, renamings):
        present = {key: act["new"] if name == act["old"] else name for key, name in present.items()}
        present[street_key(act["old"])] = act["new"]
        present.pop(street_key(act["new"]), None)
    return present


def formerly(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Return the streets that had each name before another street took it: their present names, by the name's key."""
    had: dict[str, set[str]] = {}
    for act in registers.standing(connection, renamings):
        had[act["new"]] = had.pop(act["old"], set()) | {street_key(act["old"])}
    present = {street_key(name) for name in had}
    shared: dict[str, tuple[str, ...]] = {}
    for name, keys in had.items():
        for key in keys & present - {street_key(name)}:
            shared[key] = (*shared.get(key, ()), name)
    return shared


_IN_FORCE = (
    sa.select(maps.c.version)
    .where(maps.c.status.in_(("adopted", "proposal")))
    .order_by((maps.c.status == "adopted").desc(), maps.c.version.desc())
    .limit(1)
)


def in_force(connection: Connection) -> int:
    """Return the version that numbers are assigned under: the adopted one, else the newest proposal."""
    found = connection.execute(_IN_FORCE).scalar_one_or_none()
    if found is None:
        raise MapStateError("There is no Street Numbering Map in the register.")
    return int(found)


_ABOUT = sa.select(
    *(maps.c.version, maps.c.status, maps.c.adopted_on),
    *(
        sa.select(asked).scalar_subquery()
        for acts in (renamings, vacations)
        for asked in (sa.func.max(acts.c.id), sa.func.count(acts.c.undone_at))
    ),
).where(maps.c.version == sa.bindparam("wanted"))
_STANDING_EDITS = (
    sa.select(map_edits.c.id)
    .where(map_edits.c.map_version == sa.bindparam("wanted"), map_edits.c.withdrawn_at.is_(None))
    .order_by(map_edits.c.id)
)


def _state(connection: Connection, version: int = 0) -> tuple[Any, ...]:
    """Return what a version's village depends on; equal states are equal villages."""
    asked = {"wanted": version or in_force(connection)}
    edits = tuple(connection.execute(_STANDING_EDITS, asked).scalars())  # one may come back by an undo
    return *connection.execute(_ABOUT, asked).one(), edits


def _digest(files: VillageFiles) -> str:
    return hashlib.sha256(zlib.decompress(pack(files, date.min))).hexdigest()


def closed(connection: Connection) -> dict[str, str]:
    """Return by which act each vacated street was, by the key of its present name."""
    return {key: f"{row['act']}, {row['decided_on'].isoformat()}" for key, row in vacated(connection).items()}


def _open(files: VillageFiles, gone: Mapping[str, Row]) -> VillageFiles:
    """Leave out the streets that were vacated."""
    pieces = tuple(piece for piece in files.pieces if street_key(piece.name) not in gone)
    return replace(files, pieces=pieces)


def vacated(connection: Connection, before: datetime | None = None) -> dict[str, Row]:
    """Return the streets that were vacated, or before an instant, by the key of their present name."""
    gone = [act for act in registers.standing(connection, vacations) if before is None or act["made_at"] < before]
    renamed = registers.standing(connection, renamings) if gone else []
    found = {}
    for row in gone:
        name = row["street"]
        for act in renamed:
            if act["made_at"] > row["made_at"] and act["old"] == name:
                name = act["new"]
        found[street_key(name)] = row
    return found


# --- acts ---


def propose(atlas: Atlas, connection: Connection, actor: Actor, reason: str, act: Act | None = None) -> Row:
    """Propose a map of the village's streets as its files have them now, under the names given since.

    Edits of the map in force are carried over, for an officer's decision is not asked for twice. Vacated streets are
    left out.

    Parameters
    ----------
    atlas
        For the village's files.
    connection
        Of the transaction.
    actor
        Who proposes.
    reason
        Why.
    act
        The act it belongs to, where it is part of another's.

    Returns
    -------
    dict
        The version's row, without its content.
    """
    act = act or Act(connection, actor, plain(reason, "reason"))
    gone = vacated(connection)
    renamed = registers.standing(connection, renamings)
    files = with_names(of_register(connection, atlas.files), renamed)
    kept = _open(files, gone)
    day = atlas.law_date or today()
    law_on(day)
    before = [edits_of(connection, in_force(connection))] if registers.counted(connection, maps) else []
    row = registers.insert(
        act,
        "propose map",
        maps,
        {
            "version": registers.next_id(connection, maps),
            "status": "proposal",
            "snapshot": pack(kept, day),
            "digest": _digest(files),
            "law_date": day,
            "placeholders": len(placeholders(kept)),
            "reason": reason,
            "made_at": act.at,
            "made_by": actor.name,
        },
    )
    for edit in before[0] if before else ():
        carried = {k: v for k, v in as_named_now(edit, renamed).items() if k not in {"id", "withdrawn_at"}}
        registers.insert(act, "carry edit over", map_edits, {**carried, "map_version": row["version"]})
    return registers.recorded(maps, row)


def proposal(connection: Connection, version: int) -> Row:
    """Return a version that is open to change.

    Raises
    ------
    MapStateError
        It is adopted, superseded or withdrawn.
    app.registers.NotFoundError
        There is none.
    """
    row = registers.get(connection, maps, version)
    if row["status"] != "proposal":
        raise MapStateError.of(
            "version", f"version {version}, {row['status']}", "a proposal; make a new one to change the map"
        )
    return row


def withdraw(connection: Connection, actor: Actor, version: int, reason: str, act: Act | None = None) -> Row:
    """Withdraw a proposal; the last one open is kept while none is adopted, or no number could be given."""
    row, reason = proposal(connection, version), plain(reason, "reason")
    others = registers.counted(connection, maps, maps.c.status.in_(("proposal", "adopted")), maps.c.version != version)
    if not others:
        raise MapStateError.of("version", f"version {version}, the only map there is", "one of several")
    return registers.recorded(
        maps,
        registers.update(act or Act(connection, actor, reason), "withdraw map", maps, row, {"status": "withdrawn"}),
    )
