"""The API of the map editor: edits of rows and streets previewed, recorded and taken back; plats; the findings."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import ConfigDict, Field

from app import edit_preview, worklist
from app.auth import Permission, Person
from app.deps import AtlasDep, PersonDep, needs
from app.plat_check import plat_check
from app.positions import into_feet
from app.routes.api import answered
from app.routes.register_api import PROBLEMS, Body, Finite, Reason, Text
from app.street_names import present_name
from app.street_plans import AnyEdit
from app.village import Village
from gis.edits import KINDS, Edit
from gis.errors import StreetsError
from gis.street_edits import DRAW, StreetEdit

router = APIRouter(prefix="/api/v1", responses=PROBLEMS)

Editor = Annotated[Person, needs(Permission.EDIT_MAP)]
Version = Annotated[int, Path(ge=1, le=2_000_000_000)]
Point = Annotated[list[Finite], Field(min_length=2, max_length=2)]
Line = Annotated[list[Point], Field(max_length=2000)]
Seen = Annotated[
    str, Field(max_length=64, description="Digest of the preview; with it, what was not shown is refused.")
]
Crs = Annotated[str, Field(max_length=2000, description="CRS of `at` and `line`.")]


Kind = Literal[
    "hundred", "length", "remove_line", "add_line", "merge_lines", "decide",
    "name", "kind", "block_line", "base_line", "split", "join", "remove", "draw",
]  # fmt: skip
"""What an edit does: of a row, then of a street."""


class MapEdit(Reason):
    """An officer's edit of a row, or of a street."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"kind": "kind", "street": "Main Street", "to": "street", "reason": "as on the plat"}
        },
    )

    kind: Kind
    street: Annotated[str, Field(max_length=200, description="The street; of `draw`, the name it gets.")]
    half: Annotated[str, Field(max_length=10, description="Of a row: North, South, East or West.")] = ""
    path: Annotated[int, Field(ge=0, le=1000)] = 0
    at_ft: Annotated[float, Field(ge=0, le=10_000_000, description="Where the row begins; of a line, its station.")] = 0
    value: Annotated[
        float,
        Field(ge=0, le=10_000_000, description="The hundred, the length of record, or the other line's station, feet."),
    ] = 0
    code: Annotated[str, Field(max_length=40, description="The finding decided.")] = ""
    decision: Annotated[Text, Field(description="What was decided of it.")] = ""
    at: Annotated[Point | None, Field(description="A point on the piece meant; without it, the whole street.")] = None
    crs: Crs = "EPSG:4326"
    to: Annotated[
        str,
        Field(
            max_length=200,
            description="The new name; the kind; `auto` or `never` for a block line; `ew` or `ns` for a base line.",
        ),
    ] = ""
    name_status: Annotated[str, Field(max_length=20)] = "confirmed"
    block_line: Annotated[str, Field(max_length=20, description="Of `draw`.")] = "auto"
    line: Annotated[Line, Field(description="Vertices of `draw`.")] = []  # noqa: RUF012
    accuracy_ft: Annotated[float, Field(ge=0, le=100_000, description="Of `draw`, at 95 %.")] = 0
    seen: Seen = ""


class Withdrawal(Reason):
    """Why an edit is taken back."""

    seen: Seen = ""


class Plat(Body):
    """A street that is to be laid out."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"name": "Oak Street", "line": [[-90.3860, 42.5700], [-90.3830, 42.5710]], "kind": "street"}
        },
    )

    name: Annotated[str, Field(max_length=200)]
    line: Annotated[Line, Field(description="Its vertices, in their order.")]
    crs: Crs = "EPSG:4326"
    kind: Literal["street", "alley", "private", "path"] = "street"
    block_line: Literal["auto", "never"] = "auto"
    name_status: Literal["confirmed", "inferred", "placeholder"] = "confirmed"
    accuracy_ft: Annotated[float, Field(ge=0, le=100_000)] = 0


def as_edit(village: Village, asked: MapEdit) -> AnyEdit:
    """Return what is asked as the geometry core takes it, coordinates in feet."""
    reason = asked.reason
    if asked.kind in KINDS:
        if not asked.half.strip():
            raise StreetsError.of("half", "nothing", "North, South, East or West")
        row = (present_name(village, asked.street), asked.half.capitalize(), asked.path, asked.at_ft)
        return Edit(asked.kind, *row, asked.value, asked.code, asked.decision, reason)
    street = asked.street if asked.kind == DRAW else present_name(village, asked.street)
    return StreetEdit(
        asked.kind,
        street,
        at=into_feet(village, asked.at[0], asked.at[1], asked.crs) if asked.at else None,
        to=asked.to,
        name_status=asked.name_status,
        block_line=asked.block_line,
        line=tuple(into_feet(village, x, y, asked.crs) for x, y in asked.line),
        accuracy_ft=asked.accuracy_ft,
        reason=reason,
    )


@router.post("/maps/{version}/edits", status_code=201, summary="Edit a row or a street of a proposal")
def map_edit(version: Version, asked: MapEdit, person: Editor, atlas: AtlasDep) -> Response:
    """Record an edit; with `seen`, only what its preview showed. A base line is set only with it (§ 288-15 C)."""
    edit = as_edit(atlas.of(version), asked)
    with atlas.database.write() as connection:
        row, warnings = edit_preview.confirm(atlas, connection, person.actor, version, edit, asked.seen)
    told = {"id": row["id"], "version": version, "kind": row["kind"], "reason": row["reason"], "warnings": warnings}
    return answered(told, 201)


@router.post("/maps/{version}/edits/preview", summary="What an edit of a proposal would change")
def map_edit_preview(version: Version, asked: MapEdit, person: Editor, atlas: AtlasDep) -> Response:
    """List every block and number that would change, against the proposal without it; of `draw`, its plat check too."""
    edit = as_edit(atlas.of(version), asked)
    with atlas.database.read() as connection:
        made = edit_preview.preview(atlas, connection, version, edit)
        if isinstance(edit, StreetEdit) and edit.kind == DRAW:
            made = plat_check(atlas, connection, version, edit)
    return answered(made)


@router.post("/maps/{version}/edits/{edit_id}/preview", summary="What taking an edit back would change")
def map_unedit_preview(
    version: Version, edit_id: Annotated[int, Path(ge=1, le=2_000_000_000)], person: Editor, atlas: AtlasDep
) -> Response:
    """List every block and number that would change; nothing is stored."""
    with atlas.database.read() as connection:
        return answered(edit_preview.preview_withdrawal(atlas, connection, version, edit_id))


@router.post("/maps/{version}/edits/{edit_id}/withdraw", summary="Take an edit of a proposal back")
def map_unedit(
    version: Version,
    edit_id: Annotated[int, Path(ge=1, le=2_000_000_000)],
    asked: Withdrawal,
    person: Editor,
    atlas: AtlasDep,
) -> Response:
    """Withdraw an edit; where others rest on it, only with `seen`. They then match nothing (`unmatched`)."""
    given = (version, edit_id, asked.reason, asked.seen)
    with atlas.database.write() as connection:
        row, unmatched = edit_preview.confirm_withdrawal(atlas, connection, person.actor, *given)
    return answered({"id": row["id"], "version": row["map_version"], "withdrawn": True, "unmatched": unmatched})


@router.post("/maps/{version}/plat-check", summary="Hold a new street against the general scheme of numbering")
def map_plat_check(version: Version, asked: Plat, person: Editor, atlas: AtlasDep) -> Response:
    """Check a plat under any version (§ 288-15 A): family, blocks, hundreds, name, numbers; nothing is stored."""
    village = atlas.of(version)
    line = tuple(into_feet(village, x, y, asked.crs) for x, y in asked.line)
    known = {"name_status": asked.name_status, "block_line": asked.block_line, "accuracy_ft": asked.accuracy_ft}
    with atlas.database.read() as connection:
        edit = StreetEdit(DRAW, asked.name, to=asked.kind, line=line, **known)  # type: ignore[arg-type]
        return answered(plat_check(atlas, connection, version, edit))


@router.get("/maps/{version}/findings", summary="The findings of a version, each once")
def map_findings(
    version: Version,
    person: PersonDep,
    atlas: AtlasDep,
    kind: Annotated[str, Query(max_length=40)] = "",
    street: Annotated[str, Query(max_length=200)] = "",
    state: Annotated[Literal["", "open", "decided"], Query()] = "",
    severity: Annotated[Literal["", "stop", "decide", "note"], Query()] = "",
) -> Response:
    """List what is open and what is decided, and the edits by which each can be settled."""
    village = atlas.of(version)
    every = worklist.items(village)
    found = worklist.chosen(every, kind, village.street_name(street) if street else "", state, severity)
    counts = [
        {"code": code, "title": about.title, "open": open_, "decided": decided}
        for code, about, open_, decided in worklist.kinds(every)
    ]
    return answered({"version": version, "items": [worklist.as_json(item) for item in found], "kinds": counts})
