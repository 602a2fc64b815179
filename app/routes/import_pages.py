"""Pages and API of imports: a file is sent, checked, its columns mapped, and stored; what was brought in is undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from app import import_undo, imports, registers
from app.auth import Permission, Person
from app.deps import AtlasDep, needs
from app.import_columns import ABOUT, FIELDS, KINDS, check_kind
from app.import_jobs import Jobs
from app.import_layers import KINDS as LAYERS
from app.import_layers import WHOLE, check_whole
from app.import_tables import READS, FileError
from app.layer_features import NAMES
from app.routes.api import answered
from app.routes.forms import READ, Id, Typed, csv_file, faults_of, go
from app.routes.register_api import PROBLEMS, Reason
from app.routes.rendering import page
from app.tables import imports as table
from gis.errors import StreetsError

router = APIRouter()
Importer = Annotated[Person, needs(Permission.IMPORT)]
Job = Annotated[str, Path(max_length=64)]
Json = dict[str, Any]
ABOUT_KINDS = {
    "addresses": "the numbers that buildings have, with their places",
    "lots": "parcels with their numbers",
    "buildings": "footprints",
    "streets": "centerlines with their names; they become a proposal of the map",
    "layers": "surveyed sidewalks, curb lines, hydrants and the like; each takes the place of what is built there "
    "from the street’s cross-section",
}
STATES = {
    "ready": "not checked yet",
    "running": "under way",
    "checked": "no fault, not stored yet",
    "faults": "faults, nothing stored",
    "done": "stored",
    "failed": "refused, nothing stored",
    "cancelled": "cancelled, nothing stored",
    "interrupted": "interrupted, nothing stored",
}
"""States of a job, in words."""
BLOCK = 1 << 20
_TEXTS = {
    "mapping": 'a JSON object of the file\'s columns and our fields, such as {"HOUSENO": "number"}',
    "all": 'a JSON object of our fields and texts, such as {"layer": "sidewalk", "accuracy_ft": "0.2"}',
}
ALL = tuple(f"all_{name}" for name in WHOLE)
"""Fields of a form that are said of all of a file of layers."""


def _jobs(request: Request) -> Jobs:
    state = request.app.state
    return Jobs(state.settings.state_dir / "imports", state.atlas)


def _blocks(file: UploadFile) -> Iterator[bytes]:
    while block := file.file.read(BLOCK):
        yield block


def _sent(form: FormData, name: str, most: int = 4000) -> str:
    value = form.get(name, "")
    text = value if isinstance(value, str) else ""
    if len(text) > most:
        raise StreetsError.of(name, f"{len(text)} characters", f"at most {most}")
    return text.strip()


def _taken(request: Request, form: FormData, kind: str, person: Person) -> str:
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        raise FileError.of("file", "nothing", READS)
    most = request.app.state.settings.import_most_mb
    if file.size is not None and file.size > most * 1_000_000:
        raise FileError.of("file", f"{file.size / 1e6:,.0f} MB", f"at most {most} MB")
    return _jobs(request).take(kind, file.filename, _blocks(file), person.actor)


def _options(form: FormData) -> Json:
    return {name: _sent(form, name) for name in ("crs", "layer", "reason")}


def _whole(form: FormData) -> dict[str, str]:
    """Return what a form says of all of a file."""
    return {name: text for name in WHOLE if (text := _sent(form, f"all_{name}", 200))}


def _mapping(text: str, field: str = "mapping") -> dict[str, str]:
    expected = _TEXTS[field]
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise StreetsError.of(field, text[:60], expected) from error
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise StreetsError.of(field, text[:60], expected)
    return found


# --- API ---

_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary", "description": READS},
                        "mapping": {"type": "string", "description": 'JSON: column to field, `{"HOUSENO": "number"}`.'},
                        "all": {
                            "type": "string",
                            "description": f"JSON: {', '.join(WHOLE)} of all of a file of layers.",
                        },
                        "crs": {"type": "string", "description": "Where the file does not say it."},
                        "layer": {"type": "string"},
                        "reason": {"type": "string"},
                        "dry_run": {"type": "boolean", "default": False},
                    },
                }
            }
        },
    }
}


@router.post(
    "/api/v1/imports/{kind}",
    status_code=202,
    summary="Bring in a file of addresses, lots, buildings, streets or layers of the right-of-way",
    openapi_extra=_BODY,
    responses=PROBLEMS,
)
async def import_begin(kind: Annotated[str, Path(max_length=20)], request: Request, person: Importer) -> Response:
    """Check a file, and store all of it or nothing; `job` says how far it is."""
    check_kind(kind)
    async with request.form() as form:
        options = {**_options(form), "mapping": _mapping(_sent(form, "mapping", 100_000))}
        options["whole"] = check_whole(kind, _mapping(_sent(form, "all", 2000), "all"))
        dry_run = _sent(form, "dry_run").lower() in {"true", "1", "yes", "on"}
        job = await run_in_threadpool(_taken, request, form, kind, person)
        await run_in_threadpool(lambda: _jobs(request).begin(job, person.actor, options, dry_run=dry_run))
        where = f"/api/v1/imports/jobs/{job}"
        return answered({"job": job, "url": where}, 202, location=where)


@router.get("/api/v1/imports", summary="What was brought in", responses=PROBLEMS)
def import_list(person: Importer, atlas: AtlasDep) -> Response:
    """List imports, the newest first."""
    with atlas.database.read() as connection:
        return answered({"items": [imports.told(row) for row in imports.listed(connection, limit=1000)]})


@router.get("/api/v1/imports/jobs", summary="Files that are under way or were checked", responses=PROBLEMS)
def import_jobs(request: Request, person: Importer) -> Response:
    """List the jobs that are kept, the newest first; `open` ones run or wait for a decision."""
    told = ("id", "kind", "file", "state", "made_at", "by_name", "open")
    return answered({"items": [{k: one.get(k) for k in told} for one in _jobs(request).listed()]})


@router.get("/api/v1/imports/jobs/{job}", summary="How far an import is, and what was found", responses=PROBLEMS)
def import_job(job: Job, request: Request, person: Importer) -> Response:
    """Tell the state of a job: ready, running, checked, faults, done, failed, cancelled or interrupted."""
    return answered({k: v for k, v in _jobs(request).get(job).items() if k not in {"pid", "by"}})


@router.get("/api/v1/imports/jobs/{job}/report.csv", summary="Every fault and warning", responses=PROBLEMS)
def import_report(job: Job, request: Request, person: Importer) -> Response:
    """Send the report of a job's file."""
    return csv_file(_jobs(request).report(job), "import-report.csv")


@router.post("/api/v1/imports/jobs/{job}/cancel", summary="Cancel an import before it is stored", responses=PROBLEMS)
def import_cancel(job: Job, request: Request, person: Importer) -> Response:
    """Ask a job to stop; `state` is its state then, and one that has ended keeps its own."""
    state = _jobs(request).cancel(job)
    stopping = state == "running"
    return answered({"job": job, "cancelling": stopping, "state": state}, 202 if stopping else 200)


@router.get("/api/v1/imports/{import_id}", summary="One import", responses=PROBLEMS)
def import_get(import_id: Id, person: Importer, atlas: AtlasDep) -> Response:
    """Show an import."""
    with atlas.database.read() as connection:
        return answered(imports.told(registers.get(connection, table, import_id)))


@router.post("/api/v1/imports/{import_id}/undo", summary="Undo an import on which nothing rests", responses=PROBLEMS)
def import_undone(import_id: Id, asked: Reason, person: Importer, atlas: AtlasDep) -> Response:
    """Undo an import."""
    with atlas.database.write() as connection:
        return answered(imports.told(import_undo.undo_import(connection, person.actor, import_id, asked.reason)))


# --- pages ---


@router.api_route("/import", methods=READ, include_in_schema=False)
def import_page(request: Request, person: Importer, atlas: AtlasDep) -> Response:
    """Offer to bring in a file, and list what was brought in."""
    return _first_page(request)


def _first_page(request: Request, status: int = HTTPStatus.OK, **given: Any) -> Response:
    with request.app.state.atlas.database.read() as connection:
        rows = [{**row, **row["report"]} for row in imports.listed(connection, limit=200)]
    jobs = [{**one, "made_at": datetime.fromisoformat(one["made_at"])} for one in _jobs(request).listed()]
    known: Json = {"rows": rows, "kinds": ABOUT_KINDS, "reads": READS, "jobs": jobs, "states": STATES}
    known |= {"layers": LAYERS, "layer_names": NAMES}
    shown: Json = {"faults": {}, "form": {}, **given, **known}
    return page(request, "import.html", status, most_mb=request.app.state.settings.import_most_mb, **shown)


@router.post("/import", include_in_schema=False)
async def import_send(request: Request, person: Importer) -> Response:
    """Keep a file and check it."""
    async with request.form() as form:
        try:
            kind = check_kind(_sent(form, "kind"))
            options = {**_options(form), "whole": check_whole(kind, _whole(form)) if kind == "layers" else {}}
            job = await run_in_threadpool(_taken, request, form, kind, person)
            await run_in_threadpool(lambda: _jobs(request).begin(job, person.actor, options, dry_run=True, waits=True))
        except StreetsError as error:
            faults = faults_of(error, ("kind", "file", "crs", "layer", "reason", *ALL))
            kept = {n: str(form.get(n, ""))[:200] for n in ("kind", "crs", "layer", "reason", *ALL)}
            return await run_in_threadpool(
                lambda: _first_page(request, HTTPStatus.UNPROCESSABLE_ENTITY, faults=faults, form=kept)
            )
        return go(f"/import/jobs/{job}")


@router.api_route("/import/jobs/{job}", methods=READ, include_in_schema=False)
def job_page(job: Job, request: Request, person: Importer) -> Response:
    """Show how far a file is, what was found, and its columns to be mapped."""
    return _job_page(request, job)


def _job_page(request: Request, job: str, status: int = HTTPStatus.OK, faults: Json | None = None) -> Response:
    known = _jobs(request).get(job)
    shown: Json = {"job": known, "result": known.get("result"), "fields": FIELDS[known["kind"]], "about": ABOUT}
    said = {f"all_{name}": text for name, text in known["options"].get("whole", {}).items()}
    shown |= {"said": said, "layers": LAYERS, "layer_names": NAMES}
    return page(request, "import_job.html", status, faults=faults or {}, kinds=KINDS, **shown)


@router.post("/import/jobs/{job}", include_in_schema=False)
async def job_again(job: Job, request: Request, person: Importer) -> Response:
    """Check a file again with another mapping, store it, or cancel."""
    async with request.form() as form:
        jobs = _jobs(request)
        try:
            do = _sent(form, "do", 20)
            if do == "cancel":
                await run_in_threadpool(jobs.cancel, job)
                return go(f"/import/jobs/{job}")
            if do not in {"check", "store"}:
                raise StreetsError.of("do", do, "check, store or cancel")
            known = await run_in_threadpool(jobs.get, job)
            columns = (known.get("result") or {}).get("columns", [])
            mapping = {c: _sent(form, f"map-{k}", 60) for k, c in enumerate(columns) if f"map-{k}" in form}
            options = {**_options(form), "mapping": mapping or known["options"].get("mapping", {})}
            options["whole"] = check_whole(known["kind"], _whole(form))
            checks = do == "check"
            await run_in_threadpool(lambda: jobs.begin(job, person.actor, options, dry_run=checks, waits=checks))
        except registers.NotFoundError:
            raise
        except StreetsError as error:
            faults = faults_of(error, ("crs", "layer", "reason", *ALL))
            return await run_in_threadpool(lambda: _job_page(request, job, HTTPStatus.UNPROCESSABLE_ENTITY, faults))
        return go(f"/import/jobs/{job}")


@router.api_route("/import/jobs/{job}/report.csv", methods=READ, include_in_schema=False)
def job_report(job: Job, request: Request, person: Importer) -> Response:
    """Send every fault and warning."""
    return csv_file(_jobs(request).report(job), "import-report.csv")


@router.api_route("/import/{import_id}", methods=READ, include_in_schema=False)
def past_page(import_id: Id, request: Request, person: Importer, atlas: AtlasDep) -> Response:
    """Show what was brought in, and offer to undo it."""
    return _past_page(request, import_id)


def _past_page(request: Request, import_id: int, status: int = HTTPStatus.OK, **given: Any) -> Response:
    with request.app.state.atlas.database.read() as connection:
        row = registers.get(connection, table, import_id)
        act, hindered = import_undo.act_of(connection, import_id), ""
        try:
            import_undo.check_undo(connection, row)
        except StreetsError as error:
            hindered = error.message
    shown: Json = {"faults": {}, "reason": "", **given, "row": row, "act": act, "hindered": hindered}
    return page(request, "import_past.html", status, **shown)


@router.post("/import/{import_id}/undo", include_in_schema=False)
def past_undo(import_id: Id, request: Request, person: Importer, atlas: AtlasDep, reason: Typed = "") -> Response:
    """Undo an import."""
    try:
        with atlas.database.write() as connection:
            import_undo.undo_import(connection, person.actor, import_id, " ".join(reason.split()))
    except registers.NotFoundError:
        raise
    except StreetsError as error:
        faults = faults_of(error, ("reason",))
        return _past_page(request, import_id, HTTPStatus.CONFLICT, faults=faults, reason=reason)
    return go(f"/import/{import_id}")
