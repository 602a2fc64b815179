"""What anybody may know of permits: what an application needs, in the law's words, and where one stands."""

from __future__ import annotations

from datetime import UTC, date, datetime
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request, Response

from app import decided, permit_records, permits, slips
from app.case_facts import dollars
from app.casebook import NoCaseError
from app.clocks import LOCAL
from app.deps import AtlasDep, PersonDep
from app.permit_model import NOT_SET
from app.permits import PERMITS
from app.routes import permit_words
from app.routes.forms import READ, Text
from app.routes.rendering import page

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]


@router.api_route("/permits/needs", methods=READ)
def needs_page(request: Request, person: PersonDep, atlas: AtlasDep) -> Response:
    """Say what each kind's application needs."""
    today = datetime.now(LOCAL).date()
    with atlas.database.read() as connection:
        fees = {key: decided.fee_cents(connection, key, today) for key, _, _ in permit_words.FEES.values() if key}
    kinds = [_needed(key, fees) for key in ("sidewalk", "opening", "privilege")]
    return page(request, "permit_needs.html", kinds=kinds, calls=permit_words.CALLS)


def _needed(key: str, fees: dict[str, int | None]) -> Json:
    kind, (fee, section, sentence) = PERMITS[key], permit_words.FEES[key]
    cents = fees.get(fee)
    told = "no fee" if not fee else NOT_SET if cents is None else dollars(cents)
    found = [slip for place in permit_words.OF_SECTIONS[key] for slip in slips.of(place)]
    return {
        "key": key,
        "title": kind.title,
        "section": kind.section,
        "before": permit_words.BEFORE[key],
        "after": permit_words.AFTER[key],
        "fee": {"told": told, "section": section, "law": sentence},
        "slips": found,
    }


@router.api_route("/permits/status", methods=READ)
def status_page(request: Request, person: PersonDep, atlas: AtlasDep, number: Text = "") -> Response:
    """Tell the state of a permit by its number; an unknown one is said kindly."""
    found, status = None, HTTPStatus.OK
    if number.strip():
        with atlas.database.read() as connection:
            try:
                row = permits.by_number(connection, number)
                found = permit_records.public(connection, row, datetime.now(UTC))
            except NoCaseError:
                status = HTTPStatus.NOT_FOUND
    return page(request, "permit_status.html", status, p=found, number=number, day=date.fromisoformat, when=_when)


def _when(text: str) -> date | datetime:
    return date.fromisoformat(text) if len(text) == len("2026-06-25") else datetime.fromisoformat(text)
