"""Checks of many objects at once as an API: a job says how far it is; nothing is stored but its report."""

from __future__ import annotations

import math
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from app.auth import Permission, Person
from app.batch_jobs import BatchJobs
from app.batch_things import CHECKS, OBJECTS
from app.deps import needs
from app.import_tables import READS, FileError
from app.routes.api import answered
from app.routes.forms import csv_file
from app.routes.register_api import PROBLEMS
from gis.errors import StreetsError

router = APIRouter()
Officer = Annotated[Person, needs(Permission.READ_RECORDS)]
Job = Annotated[str, Path(max_length=64)]
Json = dict[str, Any]
BLOCK = 1 << 20
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["check"],
                    "properties": {
                        "check": {"type": "string", "enum": list(CHECKS)},
                        "file": {"type": "string", "format": "binary", "description": READS},
                        "kind": {
                            "type": "string",
                            "enum": sorted({kind for kinds in OBJECTS.values() for kind in kinds}),
                            "description": "In place of a file: the register's objects of a kind.",
                        },
                        "accuracy_ft": {
                            "type": "number",
                            "default": 0,
                            "description": "At 95 %, feet, of those of which nothing says it.",
                        },
                        "crs": {"type": "string", "description": "Where the file does not say it."},
                    },
                }
            }
        },
    }
}


def jobs_of(request: Request) -> BatchJobs:
    """Return the checks of this host."""
    state = request.app.state
    return BatchJobs(state.settings.state_dir / "checks", state.atlas, state.ground)


def begun(request: Request, form: FormData, person: Person) -> str:
    """Begin the check that a form asks for, and return its job's id."""
    given: Json = {name: _text(form, name) for name in ("check", "kind", "crs")}
    given["accuracy_ft"] = _feet(_text(form, "accuracy_ft"))
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        return jobs_of(request).ask(given, f"{given['kind']} objects of the register", None, person.actor)
    most = request.app.state.settings.import_most_mb
    if file.size is not None and file.size > most * 1_000_000:
        raise FileError.of("file", f"{file.size / 1e6:,.0f} MB", f"at most {most} MB")
    blocks = iter(lambda: file.file.read(BLOCK), b"")
    return jobs_of(request).ask(given, file.filename, blocks, person.actor)


def _text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > 4000:
        raise StreetsError.of(name, f"{len(text)} characters", "at most 4000")
    return text


def _feet(text: str) -> float:
    try:
        value = float(text) if text else 0.0
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise StreetsError.of("accuracy_ft", text[:60], "feet at 95 %, 0 to 10,000")
    return value


def told(known: Json) -> Json:
    """Return what is said of a job."""
    result = known.get("result") or {}
    same = {name: known.get(name) for name in ("id", "state", "doing", "done", "total", "file", "made_at", "by_name")}
    same |= {"check": known["kind"], "counts": result.get("counts", {}), "notes": result.get("notes", [])}
    return {**same, "error": known.get("error", [])}


@router.post(
    "/api/v1/check-batches",
    status_code=202,
    summary="Check many mailboxes, or many objects on public ways or terraces",
    openapi_extra=_BODY,
    responses=PROBLEMS,
)
async def batch_begin(request: Request, person: Officer) -> Response:
    """Begin a check of a file's objects or of the register's; `job` says how far it is."""
    async with request.form() as form:
        job = await run_in_threadpool(begun, request, form, person)
    where = f"/api/v1/check-batches/{job}"
    return answered({"job": job, "url": where}, 202, location=where)


@router.get("/api/v1/check-batches/{job}", summary="How far a check is, and its counts", responses=PROBLEMS)
def batch_job(job: Job, request: Request, person: Officer) -> Response:
    """Tell the state of a check: running, done, failed, cancelled or interrupted."""
    return answered(told(jobs_of(request).get(job)))


@router.get("/api/v1/check-batches/{job}/report.csv", summary="The answer of every row", responses=PROBLEMS)
def batch_report(job: Job, request: Request, person: Officer) -> Response:
    """Send the report of a check that is done."""
    return csv_file(jobs_of(request).report(job), "check-report.csv")


@router.post("/api/v1/check-batches/{job}/cancel", summary="Cancel a check", responses=PROBLEMS)
def batch_cancel(job: Job, request: Request, person: Officer) -> Response:
    """Ask a check to stop; `state` is its state then."""
    state = jobs_of(request).cancel(job)
    stopping = state == "running"
    return answered({"job": job, "cancelling": stopping, "state": state}, 202 if stopping else 200)
