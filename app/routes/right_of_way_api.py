"""The API of the right-of-way: its layers as they are now, and the cross-sections they are built from."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import ConfigDict, Field

from app import layer_features, section_edits
from app.answers import as_csv
from app.auth import Permission, Person
from app.cross_sections import CARRIER_SIDES, COLUMNS, STATUSES
from app.deps import AtlasDep, PersonDep, known_query, needs
from app.layer_features import NAMES, check_layer
from app.map_versions import Atlas
from app.registers import NotFoundError
from app.routes.api import answered
from app.routes.forms import csv_file
from app.routes.register_api import PROBLEMS, Body, Id, Reason
from app.routes.street_objects_api import Key, Short, read_box
from app.row_layers import Ground
from app.section_edits import Kept
from app.street_objects import asking
from app.village import Village

router = APIRouter(prefix="/api/v1/right-of-way", responses=PROBLEMS, dependencies=[Depends(known_query)])
Json = dict[str, Any]
Editor = Annotated[Person, needs(Permission.EDIT_SECTIONS)]
Width = Annotated[str | float | None, Field(description="As people write it, such as `36 ft`; bare ones feet.")]
YesNo = Annotated[bool | str | None, Field(description="true, false, or null where nobody said.")]
DayText = Annotated[str | None, Field(max_length=30, description="A day, such as `2026-06-01`.")]
Word = Annotated[str | None, Field(max_length=200)]
SECTION_COLUMNS = ("id", "place", *COLUMNS, "made_at", "made_by", "reason", "state")
_EXAMPLE: Json = {
    **{"street": "Main Street", "half": "East", "block": 0, "row_width_ft": 66, "pavement_width_ft": "40 ft"},
    **{f"{side}_{what}": value for side in ("odd", "even")
       for what, value in (("curb", True), ("walk_offset_ft", 7), ("walk_width_ft", "5'-6\""))},
    **{"accuracy_ft": 0.5, "status": "measured", "surveyed_on": "2026-06-01", "source": "Taped by the crew"},
    "reason": "Measured",
}  # fmt: skip


class SectionBody(Body):
    """A row of the table of cross-sections."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _EXAMPLE})

    street: Annotated[Word, Field(description="However spelt; `` for every street that has no row of its own.")] = ""
    half: Annotated[Word, Field(description="North, South, East or West; `` for all of the street.")] = ""
    block: Annotated[int | None, Field(strict=True, ge=0, le=999, description="As in /blocks; null for all.")] = None
    row_width_ft: Width = None
    pavement_width_ft: Width = None
    odd_curb: YesNo = None
    odd_walk_offset_ft: Width = None
    odd_walk_width_ft: Width = None
    even_curb: YesNo = None
    even_walk_offset_ft: Width = None
    even_walk_width_ft: Width = None
    carrier_side: Annotated[Word, Field(description=f"One of {', '.join(filter(None, CARRIER_SIDES))}, or ``.")] = ""
    commercial: YesNo = None
    improved_on: DayText = None
    accuracy_ft: Width = None
    status: Annotated[Word, Field(description=f"One of {', '.join(STATUSES)}.")] = ""
    surveyed_on: DayText = None
    source: Annotated[str | None, Field(max_length=500, description="Where the widths come from.")] = ""
    reason: Annotated[str, Field(max_length=2000)] = ""
    was: Annotated[str, Field(max_length=64, description="The `version` of the row that was shown there.")] = ""


class Retirement(Reason):
    """Why a row is taken back."""

    was: Annotated[str, Field(max_length=64, description="The `version` that was shown.")] = ""


def ground_now(request: Request, atlas: Atlas) -> Ground:
    """Return the right-of-way as the register has it."""
    with atlas.database.read() as connection:
        ground: Ground = request.app.state.ground.now(connection, atlas.village)
    return ground


def is_officer(person: Person) -> bool:
    """Whether somebody sees who did what, and whose a lot is."""
    return person.may(Permission.READ_RECORDS)


# --- cross-sections ---


@router.get("/sections", summary="Cross-sections: what lies across each street, half and block")
def section_list(
    person: PersonDep,
    atlas: AtlasDep,
    street: Short = "",
    state: Annotated[Literal["standing", "all"], Query(description="`all`: those replaced or retired too.")] = (
        "standing"
    ),
    format: Annotated[Literal["json", "csv"], Query(description="json or csv.")] = "json",
) -> Response:
    """List the rows of the table; of a block the narrowest row holds: its own, its half's, its street's, the widest."""
    named = atlas.village.street_name(street) if street else ""
    rows = [kept for kept in _table(atlas, retired=state == "all") if not named or kept.section.street == named]
    items = [section_edits.told(kept, officer=is_officer(person)) for kept in rows]
    return section_file(rows, items) if format == "csv" else answered({"items": items})


@router.get("/sections/blocks", summary="Every block with the cross-section that holds for it")
def section_blocks(person: PersonDep, atlas: AtlasDep, street: Short = "") -> Response:
    """List blocks as the Street Numbering Map has them, each with the row that holds."""
    named = atlas.village.street_name(street) if street else ""
    rows = section_edits.blocks(atlas.village, _table(atlas))
    items = [
        {
            **{"street": one.block.street, "half": one.block.side, "block": one.block.block},
            "hundred": one.block.hundred,
            "section": section_edits.told(one.kept, officer=is_officer(person)) if one.kept else None,
        }
        for one in rows
        if not named or one.block.street == named
    ]
    return answered({"items": items})


@router.post("/sections", status_code=201, summary="Put a cross-section in the place of the one that stands")
def section_save(asked: SectionBody, person: Editor, atlas: AtlasDep, idempotency_key: Key = "") -> Response:
    """Store a row for a street, its half or one block; with `was`, not where another was stored since."""
    made = section_edits.save(asking(atlas, person, idempotency_key), asked.model_dump(exclude_unset=True))
    return _section(atlas, made["id"], 201)


@router.post("/sections/{section_id}/retire", summary="Take a cross-section back: the next wider row holds again")
def section_retire(
    section_id: Id, asked: Retirement, person: Editor, atlas: AtlasDep, idempotency_key: Key = ""
) -> Response:
    """Retire a row, with a reason; it can be restored."""
    section_edits.retire(asking(atlas, person, idempotency_key), section_id, asked.reason, asked.was)
    return _section(atlas, section_id)


@router.post("/sections/{section_id}/restore", summary="Let a cross-section hold again")
def section_restore(
    section_id: Id, asked: Reason, person: Editor, atlas: AtlasDep, idempotency_key: Key = ""
) -> Response:
    """Restore a row, in the place of the one that stands."""
    section_edits.restore(asking(atlas, person, idempotency_key), section_id, asked.reason)
    return _section(atlas, section_id)


def _table(atlas: Atlas, *, retired: bool = False) -> list[Kept]:
    with atlas.database.read() as connection:
        return section_edits.table(connection, atlas.village, retired=retired)


def _section(atlas: Atlas, section_id: int, status: int = 200) -> Response:
    (kept,) = (one for one in _table(atlas, retired=True) if one.section.id == section_id)
    return answered(section_edits.told(kept, officer=True), status)


def section_file(rows: list[Kept], items: list[Json]) -> Response:
    """Return rows of the table as a file of CSV, with the columns of the village's own file among them."""
    cells = []
    for kept, told in zip(rows, items, strict=True):
        made = {**told, **kept.section.cells, "state": "holds" if kept.standing else "retired"}
        cells.append(["" if made.get(name) is None else str(made[name]) for name in SECTION_COLUMNS])
    return csv_file(as_csv(SECTION_COLUMNS, cells, spreadsheet=True), "cross-sections.csv")


# --- layers ---


@router.get("", summary="The layers of the right-of-way, and how much of each is surveyed, built and assumed")
def layer_list(request: Request, atlas: AtlasDep) -> Response:
    """List the layers; terraces are counted by the edges of streets that they are derived along."""
    items = [
        {
            **{"layer": one.layer, "title": NAMES[one.layer], **one.numbers, "accuracy_ft": dict(one.worst_ft)},
            **{"sources": list(one.sources), "newest": one.newest or None},
            "url": f"/api/v1/right-of-way/{one.layer}",
        }
        for one in layer_features.counts(ground_now(request, atlas))
    ]
    return answered({"items": items})


@router.get("/{layer}", summary="A layer of the right-of-way as GeoJSON, as it is now")
def layer_get(
    layer: Annotated[str, Path(max_length=40, description=f"One of {', '.join(NAMES)}.")],
    request: Request,
    person: PersonDep,
    atlas: AtlasDep,
    street: Short = "",
    bbox: Annotated[str, Query(max_length=120, description="`west,south,east,north`, degrees.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Response:
    """List features in longitude and latitude, NAD83(2011); each says whether it is surveyed, built or assumed."""
    village: Village = atlas.village
    if layer not in NAMES:
        raise NotFoundError.of("layer", layer, f"one of {', '.join(NAMES)}")
    named = village.street_name(street) if street else ""
    box, ground = read_box(village, bbox), ground_now(request, atlas)
    found = layer_features.part(ground, check_layer(layer), box=box, street=named, limit=limit, offset=offset)
    content = layer_features.collection(village, layer, found.features, officer=is_officer(person))
    following = offset + limit if offset + limit < found.total else None
    paging = {"total": found.total, "offset": offset, "limit": limit, "next": following}
    return answered({**content, **paging}, media="application/geo+json")


@router.post("/features/{feature_id}/retire", summary="Retire a surveyed feature: what is built takes its place")
def feature_retire(
    feature_id: Id, asked: Reason, person: Editor, atlas: AtlasDep, idempotency_key: Key = ""
) -> Response:
    """Retire a feature, with a reason; it can be restored."""
    layer_features.retire(asking(atlas, person, idempotency_key), feature_id, asked.reason)
    return _feature(atlas, feature_id)


@router.post("/features/{feature_id}/restore", summary="Restore a surveyed feature that was retired")
def feature_restore(
    feature_id: Id, asked: Reason, person: Editor, atlas: AtlasDep, idempotency_key: Key = ""
) -> Response:
    """Restore a feature, with a reason."""
    layer_features.restore(asking(atlas, person, idempotency_key), feature_id, asked.reason)
    return _feature(atlas, feature_id)


def _feature(atlas: Atlas, feature_id: int) -> Response:
    with atlas.database.read() as connection:
        row, feature = layer_features.kept(connection, atlas.village, feature_id)
    told = layer_features.properties(row["layer"], feature, officer=True)
    return answered({**told, "standing": row["retired_at"] is None})
