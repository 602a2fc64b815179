"""A version's streets as officers edited them: edits and renamings applied in the order in which they were made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from app.streets import VillageFiles
from app.village import SetBase
from gis.address import street_key
from gis.edits import Edit
from gis.errors import EditError
from gis.street_edits import BASE_LINE, DRAW, NAME, STREET_KINDS, Plan, StreetEdit, apply

Row = dict[str, Any]
AnyEdit = Edit | StreetEdit
_CONTENT = ("at", "length_ft", "to", "name_status", "block_line", "line", "accuracy_ft")


@dataclass(frozen=True)
class Edited:
    """What a version's map is derived from, with the edits of rows that remain to be applied to it.

    Parameters
    ----------
    files
        Its streets and base lines after all edits of streets.
    rows
        The edits of rows, under the names their streets have now.
    streets
        The edits of streets.
    lost
        Those of them that nothing answered to, so that they did nothing.
    names
        The present name of each street that an edit named, by the key of the name before.
    bases
        Base lines that officers set to other streets than the ordinance names.
    """

    files: VillageFiles
    rows: tuple[Edit, ...]
    streets: tuple[StreetEdit, ...]
    lost: tuple[StreetEdit, ...]
    names: Mapping[str, str]
    bases: tuple[SetBase, ...] = ()


def is_of_streets(row: Mapping[str, Any]) -> bool:
    """Say whether an edit is of streets; the others are of the map's rows."""
    return row["kind"] in STREET_KINDS


def as_edit(row: Mapping[str, Any]) -> AnyEdit:
    """Return an edit of the register as the geometry core takes it."""
    signed = {"reason": row["reason"], "by": row["made_by"], "on": row["made_at"].date().isoformat()}
    if is_of_streets(row):
        content = row["content"] or {}
        known = {name: content[name] for name in _CONTENT if name in content}
        known["at"] = tuple(known["at"]) if known.get("at") else None
        known["line"] = tuple((x, y) for x, y in known.get("line", ()))
        return StreetEdit(row["kind"], row["street"], **known, **signed)
    names = ("kind", "street", "side", "path", "at_ft", "value", "code", "decision")
    return Edit(**{name: row[name] for name in names}, **signed)


def columns_of(edit: AnyEdit) -> Row:
    """Return an edit as the columns of ``map_edits`` that say what it does."""
    if isinstance(edit, Edit):
        names = ("kind", "street", "side", "path", "at_ft", "value", "code", "decision")
        return {**{name: getattr(edit, name) for name in names}, "content": None}
    content: Row = {name: getattr(edit, name) for name in _CONTENT}
    plain = {"side": "", "path": 0, "at_ft": 0.0, "value": 0.0, "code": "", "decision": ""}
    listed = {"at": list(edit.at) if edit.at else None, "line": [list(point) for point in edit.line]}
    return {"kind": edit.kind, "street": edit.street, **plain, "content": {**content, **listed}}


def as_named_now(row: Mapping[str, Any], renamed: Iterable[Mapping[str, Any]]) -> Row:
    """Return an edit that is carried over to a new proposal, under the names its streets were given since.

    A name that the Board gave is confirmed, whatever stood for it when the edit was made.
    """
    made = dict(row)
    content = dict(row["content"]) if row["content"] else None
    for act in renamed:
        if act["made_at"] > row["made_at"]:
            if content and row["kind"] == NAME and content["to"] == act["old"]:
                content |= {"to": act["new"], "name_status": "confirmed"}
            if content and row["kind"] == DRAW and made["street"] == act["old"]:
                content["name_status"] = "confirmed"
            made["street"] = act["new"] if made["street"] == act["old"] else made["street"]
    return {**made, "content": content}


def edited(
    files: VillageFiles,
    since: datetime,
    rows: Sequence[Mapping[str, Any]],
    renamed: Sequence[Mapping[str, Any]],
    more: Sequence[AnyEdit] = (),
) -> Edited:
    """Apply a version's edits of streets, and the renamings since it was proposed, in their order.

    Parameters
    ----------
    files
        What the version was proposed with.
    since
        When it was proposed; edits that are older were carried over to it.
    rows
        Its standing edits, in the order they were made.
    renamed
        The renamings since.
    more
        Further edits on trial, the last of all.

    Returns
    -------
    Edited
        Its streets, and the edits of rows that remain.
    """
    events: list[tuple[datetime, int, int, AnyEdit | Mapping[str, Any]]] = [
        *((max(row["made_at"], since), 0, int(row["id"]), as_edit(row)) for row in rows),
        *((act["made_at"], 1, int(act["id"]), act) for act in renamed),
    ]
    done = _Applied(files)
    for _, _, _, event in sorted(events, key=lambda one: one[:3]):
        done.take(event)
    for edit in more:
        done.take(edit)
    return done.result()


class _Applied:
    """A village's streets while events are applied to them."""

    def __init__(self, files: VillageFiles) -> None:
        self.files = files
        made = files.settings
        self.plan = Plan(files.pieces, made.base_ew, made.base_ns)
        self.rows: list[Edit] = []
        self.streets: list[StreetEdit] = []
        self.lost: list[StreetEdit] = []
        self.names: dict[str, str] = {}
        self.law = {"ew": made.base_ew, "ns": made.base_ns}
        self.set: dict[str, StreetEdit] = {}

    def take(self, event: AnyEdit | Mapping[str, Any]) -> None:
        if isinstance(event, Edit):
            self.rows.append(event)
        elif isinstance(event, StreetEdit):
            self.streets.append(event)
            try:
                self.plan = apply(self.plan, event)
            except EditError:
                self.lost.append(event)
                return
            if event.kind == BASE_LINE:
                self.set[event.to] = event
            if event.kind == NAME and event.at is None:
                self._follow(event.street, event.to)
        else:
            self._rename(event["old"], event["new"])

    def _rename(self, old: str, new: str) -> None:
        """Give a street the name of a Board's act; the edits of its rows follow."""
        pieces = tuple(replace(p, name=new, name_status="confirmed") if p.name == old else p for p in self.plan.pieces)
        bases = {f: new for f in ("base_ew", "base_ns") if getattr(self.plan, f) == old}
        self.plan = replace(self.plan, pieces=pieces, **bases)
        self._follow(old, new)

    def _follow(self, old: str, new: str) -> None:
        self.rows = [replace(edit, street=new) if edit.street == old else edit for edit in self.rows]
        self.law = {role: new if name == old else name for role, name in self.law.items()}
        if old != new:
            self.names = {key: new if name == old else name for key, name in self.names.items()}
            self.names[street_key(old)] = new

    def result(self) -> Edited:
        settings = replace(self.files.settings, base_ew=self.plan.base_ew, base_ns=self.plan.base_ns)
        known = {f.name: getattr(self.files, f.name) for f in fields(VillageFiles)}
        files = VillageFiles(**{**known, "settings": settings, "pieces": self.plan.pieces})
        edits = (tuple(self.rows), tuple(self.streets), tuple(self.lost))
        return Edited(files, *edits, self.names, tuple(self._bases()))

    def _bases(self) -> Iterator[SetBase]:
        for role, edit in self.set.items():
            street, named = getattr(self.plan, f"base_{role}"), self.law[role]
            if street != named:
                yield SetBase(role, street, named, edit.because)
