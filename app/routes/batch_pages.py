"""Pages of checks of many objects at once: what is to be checked, how far it is, and how many comply."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from app.batch_things import OBJECTS
from app.import_tables import READS
from app.routes.batch_api import Job, Officer, begun, jobs_of, told
from app.routes.forms import READ, csv_file, faults_of, go
from app.routes.rendering import page
from gis.errors import StreetsError

router = APIRouter()
WORDS = {
    "mailbox": "Mailboxes: is the door far enough behind the curb?",
    "encroachment": "Encroachment: does it lie on a public way?",
    "terrace": "Terrace: does it stand on the terrace?",
}
KINDS = {"mailbox": "mailboxes", "fixture": "fixtures", "obstruction": "obstructions"}
FIELDS = ("check", "kind", "file", "accuracy_ft", "crs")


@router.api_route("/check-batches", methods=READ, include_in_schema=False)
def batches_page(request: Request, person: Officer) -> Response:
    """Offer to check many objects."""
    return _first_page(request)


def _first_page(request: Request, status: int = HTTPStatus.OK, **given: Any) -> Response:
    shown: dict[str, Any] = {"faults": {}, "form": {}, **given, "words": WORDS, "kinds": KINDS, "objects": OBJECTS}
    return page(
        request, "check_batches.html", status, reads=READS, most_mb=request.app.state.settings.import_most_mb, **shown
    )


@router.post("/check-batches", include_in_schema=False)
async def batch_send(request: Request, person: Officer) -> Response:
    """Begin a check."""
    async with request.form() as form:
        try:
            job = await run_in_threadpool(begun, request, form, person)
        except StreetsError as error:
            faults = faults_of(error, FIELDS)
            kept = {name: str(form.get(name, ""))[:200] for name in FIELDS if name != "file"}
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            return await run_in_threadpool(lambda: _first_page(request, status, faults=faults, form=kept))
    return go(f"/check-batches/{job}")


@router.api_route("/check-batches/{job}", methods=READ, include_in_schema=False)
def batch_page(job: Job, request: Request, person: Officer) -> Response:
    """Show how far a check is, and what it found."""
    return page(request, "check_batch.html", job=told(jobs_of(request).get(job)), words=WORDS)


@router.post("/check-batches/{job}", include_in_schema=False)
def batch_stop(job: Job, request: Request, person: Officer) -> Response:
    """Cancel a check."""
    jobs_of(request).cancel(job)
    return go(f"/check-batches/{job}")


@router.api_route("/check-batches/{job}/report.csv", methods=READ, include_in_schema=False)
def batch_report_file(job: Job, request: Request, person: Officer) -> Response:
    """Send the answer of every row."""
    return csv_file(jobs_of(request).report(job), "check-report.csv")
