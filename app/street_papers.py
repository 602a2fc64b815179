"""What the papers of permits, cases and projects say, read off their records: one function for each kind of paper."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
import shapely
from shapely.geometry import shape as as_shape
from shapely.geometry.base import BaseGeometry
from sqlalchemy.engine import Connection

from app import decided, maps, permits
from app.auth import Person
from app.case_facts import Facts
from app.casebook import KINDS
from app.casework import Clock, Matter, day_of, happened_at
from app.clocks import LOCAL
from app.map_versions import Atlas
from app.permit_conditions import conditions
from app.permit_model import BODIES, application, granted
from app.permit_opening import DECISIONS as OF_OPENING
from app.permit_paper import PLUS_COSTS, PLUS_EXPENSES, Condition, Decided, Fee, PermitPaper, Remaining, permit_paper
from app.permit_privilege import DECISIONS as OF_PRIVILEGE
from app.permit_sidewalk import DECISIONS as OF_SIDEWALK
from app.row_layers import Ground
from app.sketch import Drawn
from app.street_paper import Measured, StreetSheet
from app.village import LONLAT

Json = dict[str, Any]
DASHED = "Lines of curbs, walks and the right-of-way that are dashed are assumed: nobody has measured them."
AROUND_FT = 90.0
"""How far round the work its map shows."""
DECISIONS = {"opening": OF_OPENING, "privilege": OF_PRIVILEGE, "sidewalk": OF_SIDEWALK}
FEES = {"opening": ("fee_street_opening", PLUS_EXPENSES), "privilege": ("fee_street_privilege", PLUS_COSTS)}
_EDGES = {"curb_line": "curb", "right_of_way": "right_of_way", "sidewalk": "sidewalk"}
"""Layers of the right-of-way on a paper's map, and how each is drawn."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A paper about to be drawn.

    Parameters
    ----------
    atlas, ground
        The village, and its right-of-way.
    connection
        To the register.
    person
        Who issues it.
    matter
        The permit, case or project.
    facts
        Of the step that issues it.
    number, at
        Of the paper: its number, and when it is issued.
    base_url
        Address of the public pages, or ``""``.
    head
        Of the audit log.
    draft
        Whether it only shows what would be issued.
    """

    atlas: Atlas
    ground: Ground
    connection: Connection
    person: Person
    matter: Matter
    facts: Facts
    number: str
    at: datetime
    base_url: str
    head: str
    draft: bool = False

    @property
    def day(self) -> date:
        """The village's day on which it is issued."""
        return self.at.astimezone(LOCAL).date()


def sheet(of: Drawing, title: str, public: str = "", role: str = "obstruction") -> StreetSheet:
    """Return the sheet of a paper.

    Parameters
    ----------
    of
        The paper.
    title
        What it is.
    public
        The public page it leads to, below the address of the pages; ``""`` for none.
    role
        As what its outline is drawn.

    Returns
    -------
    StreetSheet
        With the map about the place, where one is known.
    """
    village, case = of.ground.village, of.matter.case
    made, north = village.files.settings, village.network.north
    where = place_of(of)
    edition = village.edition
    notes = [edition.caution] if edition and edition.caution else []
    if where is not None:
        notes.append(
            "Lines of curbs, walks and the right-of-way that are dashed are assumed: nobody has measured them."
        )
    return StreetSheet(
        village=made.name,
        county=made.county,
        state=made.state,
        document_no=of.number,
        title=title,
        issued_at=of.at,
        issued_by=of.person.name,
        acting_for=of.person.acting_for,
        law_date=of.day,
        place=case["place"] or "a place that is not described",
        drawn=tuple(_drawn(of, where, role)) if where is not None else (),
        around=where.buffer(AROUND_FT).bounds if where is not None else None,
        notes=tuple(notes),
        grid_north_deg=0.0,
        axis_north_deg=math.degrees(math.atan2(float(north[0]), float(north[1]))),
        audit_head=of.head,
        public_url=f"{of.base_url}{public}" if of.base_url and public else "",
        draft=of.draft,
    )


def place_of(of: Drawing) -> BaseGeometry | None:
    """Return where a case is, working CRS, feet: its outline, or a ring about its point; None where it is nowhere."""
    case = of.matter.case
    if case["shape"]:
        return as_shape(case["shape"])
    if case["lon"] is None:
        return None
    x, y = of.ground.village.into_feet(LONLAT)(case["lon"], case["lat"])
    return shapely.Point(float(x), float(y)).buffer(3.0)


def _drawn(of: Drawing, where: BaseGeometry, role: str) -> Iterator[Drawn]:
    window = shapely.box(*where.buffer(4 * AROUND_FT).bounds)
    for coords, kind, name in maps.roads(of.ground.village):
        if len(coords) > 1 and shapely.LineString(coords).intersects(window):
            yield Drawn(coords, kind, name)
    near = of.ground.layers.near(where, 4 * AROUND_FT)
    for layer, drawn_as in _EDGES.items():
        found = near.get(layer)
        for feature in found.features if found else ():
            for line in _lines(feature.shape.intersection(window)):
                yield Drawn(line, drawn_as, "", feature.assumed)
    for line in _lines(where):
        yield Drawn(line, role)


def _lines(shape: BaseGeometry) -> Iterator[Any]:
    """Give the lines that a shape is drawn by: its own, or the rings of its areas."""
    for part in shapely.get_parts(shape):
        if part.geom_type == "Polygon":
            for ring in (part.exterior, *part.interiors):
                yield np.asarray(ring.coords, dtype=np.float64)[:, :2]
        elif part.geom_type == "LineString":
            yield np.asarray(part.coords, dtype=np.float64)[:, :2]


# --- the permit ---


def permit(of: Drawing) -> bytes:
    """Draw a permit with its conditions and its map."""
    matter, kind = of.matter, KINDS[of.matter.case["kind"]]
    facts, approved = application(matter), granted(matter.course)
    clocks = kind.clocks(matter)
    primary, rest = kind.clock(matter), [one for one in kind.running(matter) if one.deadline.sense == "by"]
    first, why = _first_day(matter, clocks)
    office = BODIES.get(approved["facts"].get("by", "clerk"), "") if approved else ""
    said = PermitPaper(
        number=matter.case["number"],
        kind=kind.title,
        section=kind.section,
        applicant=tuple(facts.get("applicant", "").splitlines()),
        location=facts.get("location", ""),
        nature=facts.get("nature", ""),
        method=facts.get("method", ""),
        first_day=first,
        first_note=why,
        last=primary.deadline if primary else None,
        fee=_fee(of),
        office=office,
        conditions=(*conditions(matter.case["kind"]), *_attached(matter)),
        decisions=tuple(_decisions(matter)),
        findings=tuple(_findings(permits.latest(matter))),
        remaining=tuple(Remaining(one.title, one.deadline.section, one.deadline) for one in rest),
    )
    role = "opening" if matter.case["kind"] == "opening" else "obstruction"
    public = f"/permits/status?number={matter.case['number']}"
    return permit_paper(sheet(of, kind.title, public, role), said)


def _first_day(matter: Matter, clocks: list[Clock]) -> tuple[date | None, str]:
    """Return the first day of the work: that of the law, else as it is planned, else of the approval; and why."""
    starts = next((one.deadline for one in clocks if one.deadline.sense == "from" and one.key == "work_from"), None)
    if starts is not None:
        return starts.day, starts.counted
    planned, approved = application(matter).get("starts_on"), granted(matter.course)
    if planned:
        return date.fromisoformat(planned), "As the applicant plans it."
    return (day_of(approved), "The day of approval.") if approved else (None, "")


def _fee(of: Drawing) -> Fee:
    kind, approved = of.matter.case["kind"], granted(of.matter.course)
    if kind not in FEES:
        return Fee(0)
    key, plus = FEES[kind]
    facts = approved["facts"] if approved else {}
    cents = facts.get("fee_due_cents")
    return Fee(
        cents if cents is not None else decided.fee_cents(of.connection, key, of.day), plus, facts.get("receipt", "")
    )


def _attached(matter: Matter) -> Iterator[Condition]:
    for event in sorted(matter.course.of("decide"), key=happened_at):
        if event["facts"]["decision"] == "condition":
            yield Condition(event["facts"].get("text") or event["reason"], "")


def _decisions(matter: Matter) -> Iterator[Decided]:
    known = DECISIONS[matter.case["kind"]]
    for event in sorted(matter.course.of("decide"), key=happened_at):
        decision = known[event["facts"]["decision"]]
        what = ". ".join(text for text in (decision.title, event["facts"].get("text", "")) if text)
        yield Decided(BODIES[event["facts"]["by"]], event["at"], what, event["reason"], decision.section)


def _findings(measured: Json) -> Iterator[Measured]:
    for name, check in (measured.get("checks") or {}).items():
        for row in check["rows"]:
            title = f"{name}: {row['quantity'].removesuffix('_ft').replace('_', ' ')}"
            yield Measured(title, row["verdict"], _value(row), row["section"], row["note"])
    for one in measured.get("conflicts") or ():
        yield Measured(one["title"], one["verdict"], one["with"]["label"] or "", one["section"], one["note"])


def _value(row: Json) -> str:
    if row["value"] is None:
        return ""
    if isinstance(row["value"], str):
        return row["value"]
    within = f" ± {row['uncertainty']:g}" if row["uncertainty"] else ""
    limit = f", against {row['limit']:g}" if isinstance(row["limit"], float | int) else ""
    return f"{row['value']:.4g}{within} {row['unit']}{limit}"
