"""The list for the tax roll: as a page, by API, as CSV, and issued as a paper (§ 288-7 F, § 288-8 F)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response

from app import tax_roll
from app.answers import as_csv
from app.auth import Permission, Person, new_token
from app.case_facts import dollars
from app.clocks import LOCAL, village_day
from app.deps import AtlasDep, GroundDep, SettingsDep, needs
from app.routes.api import answered
from app.routes.document_routes import base_url
from app.routes.forms import READ, csv_file, go
from app.routes.register_api import PROBLEMS
from app.routes.rendering import page
from app.routes.step_forms import Sent
from app.street_issuing import Office, issue_tax_roll

router = APIRouter(responses=PROBLEMS)
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
Clerk = Annotated[Person, needs(Permission.TAX_ROLL)]
Year = Annotated[int, Query(ge=0, le=9999, description="Also what was entered in this year; 0 for none.")]
COLUMNS = ("case", "place", "owner", "amount", "incurred_on", "last_day", "other_last_day", "basis", "bill", "waits")


def _told(atlas: Any, year: int) -> dict[str, Any]:
    with atlas.database.read() as connection:
        return tax_roll.told(tax_roll.owed(connection, datetime.now(UTC), entered_in=year))


@router.get("/api/v1/tax-roll", summary="What is to be entered on the tax roll, with exact sums")
def api_list(person: Reader, atlas: AtlasDep, entered_in: Year = 0) -> Response:
    """List unpaid accounts of expense."""
    return answered(_told(atlas, entered_in))


@router.post("/api/v1/tax-roll", status_code=201, summary="Issue the list for the tax roll as a paper")
def api_issue(
    person: Clerk,
    atlas: AtlasDep,
    settings: SettingsDep,
    ground: GroundDep,
    idempotency_key: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """Issue and keep the list as it stands."""
    office = Office(atlas, ground, person, base_url(settings), datetime.now(UTC), idempotency_key)
    made = issue_tax_roll(office)
    return answered(made, 201, location=made["pdf"])


@router.api_route("/tax-roll", methods=READ, include_in_schema=False)
def list_page(
    request: Request,
    person: Reader,
    atlas: AtlasDep,
    entered_in: Year = 0,
    format: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """Show the list, or send it as CSV."""
    found = _told(atlas, entered_in)
    if format == "csv":
        rows = ([_cell(one, name) for name in COLUMNS] for one in found["items"])
        return csv_file(as_csv(COLUMNS, rows, spreadsheet=True), "tax-roll.csv")
    this_year = datetime.now(LOCAL).year
    shown: dict[str, Any] = {
        "year": entered_in,
        "this_year": this_year,
        "bases": tax_roll.BASES,
        "dollars": dollars,
        "token": new_token(),
    }
    return page(request, "tax_roll.html", found=found, read_day=village_day, **shown)


def _cell(one: dict[str, Any], name: str) -> str:
    if name == "amount":
        return f"{one['cents'] // 100}.{one['cents'] % 100:02d}"
    return "" if one[name] is None else str(one[name])


@router.post("/tax-roll", include_in_schema=False)
def issue(person: Clerk, atlas: AtlasDep, settings: SettingsDep, ground: GroundDep, sent: Sent) -> Response:
    """Issue the list and show it."""
    office = Office(atlas, ground, person, base_url(settings), datetime.now(UTC), sent.get("token", "")[:200])
    return go(str(issue_tax_roll(office)["pdf"]))
