"""Documents of an address, by page and API: issued, listed, fetched as they were issued."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import Field

from app import issuing, registers
from app.auth import Permission, Person
from app.deps import AtlasDep, SettingsDep, needs
from app.issuing import Asked
from app.routes.api import answered
from app.routes.register_api import PROBLEMS, Body
from app.settings import Settings
from app.tables import addresses, documents
from app.tls import address_served

router = APIRouter(responses=PROBLEMS)

Issuer = Annotated[Person, needs(Permission.ISSUE)]
Reader = Annotated[Person, needs(Permission.READ_RECORDS)]
Id = Annotated[int, Path(ge=1, le=2_000_000_000)]
Addressee = Annotated[str, Field(max_length=500, description="Owner, occupant or agent, and where it goes.")]


class NoticeRequest(Body):
    """An assignment notice."""

    first: Annotated[
        bool, Field(strict=True, description="The first number, which the Village pays; else a replacement.")
    ] = True
    addressee: Addressee = ""


def base_url(settings: Settings) -> str:
    """Return the address of the public pages, which goes on paper: as set, or as they are served to others.

    It is never what a request says that it asked for. Where only this computer is served there is none.
    """
    found = address_served(settings)
    here = ("http://127.0.0.1:", "https://127.0.0.1:", "http://localhost:", "https://localhost:", "http://[::1]:")
    return "" if not settings.public_url and found.startswith(here) else found


def about(row: registers.Row) -> dict[str, Any]:
    """Return a document as it is listed."""
    names = ("id", "kind", "number", "address_id", "case_id", "issued_by", "facts", "sha256")
    known = {name: row[name] for name in names}
    pdf = f"/documents/{row['id']}.pdf"
    return {**known, "issued_at": row["issued_at"].isoformat(), "audit_head": row["audit_head"], "pdf": pdf}


@router.post("/api/v1/addresses/{address_id}/certificate", status_code=201, summary="Issue a certificate of address")
def api_certificate(
    address_id: Id, person: Issuer, atlas: AtlasDep, settings: SettingsDep, request: Request
) -> Response:
    """Issue and keep a certificate."""
    row = issuing.issue(atlas, person, Asked(address_id, "certificate", base_url(settings)))
    return answered(about(row), 201, location=about(row)["pdf"])


@router.post("/api/v1/addresses/{address_id}/notice", status_code=201, summary="Issue an assignment notice (G)")
def api_notice(
    address_id: Id, asked: NoticeRequest, person: Issuer, atlas: AtlasDep, settings: SettingsDep, request: Request
) -> Response:
    """Issue and keep a notice to the owner, occupant or agent."""
    base = base_url(settings)
    row = issuing.issue(atlas, person, Asked(address_id, "notice", base, asked.first, asked.addressee))
    return answered(about(row), 201, location=about(row)["pdf"])


@router.get("/api/v1/addresses/{address_id}/documents", summary="Documents issued of an address")
def api_documents(address_id: Id, person: Reader, atlas: AtlasDep) -> Response:
    """List documents, the latest first."""
    with atlas.database.read() as connection:
        registers.get(connection, addresses, address_id)
        mine = documents.c.address_id == address_id
        rows = registers.rows(connection, documents, mine, order=[documents.c.id.desc()])
    return answered({"items": [about(row) for row in rows]})


@router.post("/addresses/{address_id}/certificate", include_in_schema=False)
def certificate(address_id: Id, person: Issuer, atlas: AtlasDep, settings: SettingsDep, request: Request) -> Response:
    """Issue a certificate and show it."""
    row = issuing.issue(atlas, person, Asked(address_id, "certificate", base_url(settings)))
    return RedirectResponse(about(row)["pdf"], HTTPStatus.SEE_OTHER)


@router.post("/addresses/{address_id}/notice", include_in_schema=False)
def notice(
    address_id: Id,
    person: Issuer,
    atlas: AtlasDep,
    settings: SettingsDep,
    request: Request,
    first: Annotated[bool, Form()] = True,
    addressee: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Issue a notice and show it."""
    base = base_url(settings)
    row = issuing.issue(atlas, person, Asked(address_id, "notice", base, first, addressee))
    return RedirectResponse(about(row)["pdf"], HTTPStatus.SEE_OTHER)


@router.get("/documents/{document_id}.pdf", include_in_schema=False)
def document(document_id: Id, person: Reader, atlas: AtlasDep) -> Response:
    """Send a document as it was issued."""
    with atlas.database.read() as connection:
        row = registers.get(connection, documents, document_id)
    headers = {"Content-Disposition": f'inline; filename="{row["number"]}.pdf"', "Cache-Control": "private, no-cache"}
    return Response(row["pdf"], media_type="application/pdf", headers=headers)
