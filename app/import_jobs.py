"""Imports as jobs: a thread of the worker that got the file does it, and every worker can say how far it is.

What is known of a job stands in a file, replaced whole each time. While a job runs its worker holds a lock on its
folder, which the kernel lets go of when the worker dies: a job that is said to run and is not locked was interrupted,
and then the register itself says whether it was stored.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app import imports
from app.audit import Actor
from app.columns import canonical
from app.import_columns import check_kind
from app.import_files import SUFFIXES
from app.import_report import CancelledError
from app.import_tables import READS, FileError
from app.imports import Asked
from app.map_versions import Atlas
from app.registers import NotFoundError
from gis.errors import Fault, StreetsError

LOG = logging.getLogger(__name__)
Json = dict[str, Any]
KEPT_S = 86_400.0
"""How long a job's file is kept when nothing is done with it."""
TOLD_S = 0.5
MOST_OPEN = 50
"""So many files of one person may be under way or wait for a decision."""
MOST_KEPT = 50
"""So many files are kept that have ended, for those who come back to them; the oldest go first."""
ENDED = frozenset({"ready", "checked", "faults", "done", "failed", "cancelled", "interrupted"})


class Jobs:
    """The jobs of one host.

    Parameters
    ----------
    folder
        Where their files lie; made when first needed.
    atlas
        The village and its register.
    """

    def __init__(self, folder: Path, atlas: Atlas) -> None:
        self.folder = folder
        self.atlas = atlas

    def take(self, kind: str, name: str, blocks: Iterable[bytes], actor: Actor) -> str:
        """Keep a file that was sent.

        Parameters
        ----------
        kind
            addresses, lots, buildings, streets or layers.
        name
            As the sender calls it; only its ending is used for the file here.
        blocks
            Its content.
        actor
            Who sent it.

        Returns
        -------
        str
            The job's id.

        Raises
        ------
        FileError
            It is of no kind that is read, or the sender has too many under way.
        """
        check_kind(kind)
        return self._keep(kind, name, blocks, actor)

    def _keep(self, kind: str, name: str, blocks: Iterable[bytes] | None, actor: Actor) -> str:
        """Make a job's folder, with the file that was sent where there is one."""
        suffix = Path(name.replace("\\", "/")).suffix.lower()
        if blocks is not None and (suffix not in SUFFIXES or suffix == ".gdb"):
            raise FileError.of("file", name[-80:] or "nothing", READS)
        self._sweep(actor)
        job = secrets.token_hex(16)
        place = self.folder / job
        place.mkdir(parents=True, mode=0o700)
        try:
            if blocks is not None:
                with (place / f"file{suffix}").open("xb") as file:
                    for block in blocks:
                        file.write(block)
        except OSError:
            shutil.rmtree(place, ignore_errors=True)
            raise
        shown = imports.file_name(name)
        sent = {"id": job, "kind": kind, "file": shown, "by": actor.id, "by_name": actor.name}
        self._write(place, {**sent, "state": "ready", "made_at": datetime.now(UTC).isoformat(), "options": {}})
        return job

    def begin(self, job: str, actor: Actor, options: Mapping[str, Any], *, dry_run: bool, waits: bool = False) -> None:
        """Start checking a job's file, or storing it, in a thread.

        Parameters
        ----------
        job
            Its id.
        actor
            Who asks.
        options
            ``mapping``, ``whole``, ``crs``, ``layer`` and ``reason``.
        dry_run
            Whether it is only checked.
        waits
            Whether somebody is to decide then whether it is stored.

        Raises
        ------
        StreetsError
            It runs already, was stored, or is not there.
        """
        place = self._place(job)
        lock = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(lock)
            raise StreetsError.of("job", "one that runs", "one that has ended; wait, or cancel it") from error
        known = self._read(place)
        if known["state"] == "done":
            os.close(lock)
            raise StreetsError.of("job", f"stored as import {known['import']}", "one that was not stored yet")
        (place / "cancel").unlink(missing_ok=True)
        kept = self._kept(options)
        state = {**known, "state": "running", "doing": "waiting to begin", "done": 0, "total": 0, "error": [],
                 "dry_run": dry_run, "waits": waits, "options": kept, "pid": os.getpid()}  # fmt: skip
        self._write(place, state)
        run = self._run(place, lock, state, actor)
        threading.Thread(target=run.do, name=f"import-{job}", daemon=True).start()

    def _kept(self, options: Mapping[str, Any]) -> Json:
        """Return what is kept of the options of a run."""
        kept = {name: options.get(name, "") for name in ("crs", "layer", "reason")}
        return kept | {name: dict(options.get(name, {})) for name in ("mapping", "whole")}

    def _run(self, place: Path, lock: int, state: Json, actor: Actor) -> Run:
        return Run(self, place, lock, state, actor)

    def get(self, job: str) -> Json:
        """Return what is known of a job.

        Parameters
        ----------
        job
            Its id.

        Returns
        -------
        dict
            Its state, how far it is, and what was found.

        Raises
        ------
        NotFoundError
            There is none.
        """
        return self._now(self._place(job))

    def _now(self, place: Path) -> Json:
        known = self._read(place)
        if known["state"] == "running" and not _locked(place):
            known = self._read(place)  # it may have ended between
            if known["state"] == "running":
                known = self._interrupted(place, known)
        return known

    def listed(self) -> list[Json]:
        """Return what is known of every file that is kept, the newest first; `open` says that it is not decided yet."""
        found = []
        for place in self._places():
            with suppress(OSError, ValueError):  # one that is being removed, or is not sent yet
                known = self._now(place)
                found.append({**known, "open": _open(known)})
        return sorted(found, key=lambda known: str(known["made_at"]), reverse=True)

    def _places(self) -> list[Path]:
        return [place for place in self.folder.glob("*") if place.is_dir()] if self.folder.exists() else []

    def cancel(self, job: str) -> str:
        """Ask a job to stop, or decide that a checked file is not stored; what is committed already stays.

        Parameters
        ----------
        job
            Its id.

        Returns
        -------
        str
            Its state then: ``running`` where it is yet to stop.
        """
        place = self._place(job)
        known = self._now(place)
        if known["state"] not in ENDED - {"checked"}:
            (place / "cancel").touch()
            known = self._now(place)
        if known["state"] == "checked" and not _locked(place):
            known = {**_nothing(known), "state": "cancelled"}
            self._write(place, known)
        return str(known["state"])

    def report(self, job: str) -> str:
        """Return every fault and warning of a job's file as CSV; ``""`` before it was checked."""
        try:
            return (self._place(job) / "report.csv").read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def _interrupted(self, place: Path, known: Json) -> Json:
        with self.atlas.database.read() as connection:
            stored = imports.of_job(connection, known["id"])
        if stored:
            result = {**known.get("result", {}), **imports.told(stored)}
            return {**known, "state": "done", "import": stored["id"], "result": result}
        words = "The service stopped while the file was brought in. Nothing was stored: bring it in again."
        return {**_nothing(known), "state": "interrupted", "error": [{"field": "", "message": words}]}

    def _place(self, job: str) -> Path:
        place = self.folder / job
        if not re.fullmatch("[0-9a-f]{32}", job) or not (place / "state.json").exists():
            raise NotFoundError.of("job", job[:40], "the id of an import that was begun in the last day")
        return place

    def _read(self, place: Path) -> Json:
        return dict(json.loads((place / "state.json").read_text(encoding="utf-8")))

    def _write(self, place: Path, state: Mapping[str, Any]) -> None:
        part = place / f"state.{secrets.token_hex(4)}"
        part.write_text(canonical(state), encoding="utf-8")
        part.replace(place / "state.json")

    def _sweep(self, actor: Actor) -> None:
        """Remove what was left and the oldest that have ended; refuse a person with too many under way."""
        for place in self._places():
            with suppress(OSError):
                if time.time() - place.stat().st_mtime > KEPT_S and not _locked(place):
                    shutil.rmtree(place, ignore_errors=True)
        known = self.listed()
        for one in [one for one in known if not one["open"]][MOST_KEPT - 1 :]:
            place = self.folder / one["id"]
            if not _locked(place):
                shutil.rmtree(place, ignore_errors=True)
        mine = sum(one["open"] and one["by"] == actor.id for one in known)
        if mine >= MOST_OPEN:
            expected = "fewer: store or cancel those that wait, on the page of imports"
            raise FileError.of("file", f"{mine} files of yours that are under way or wait", expected)


def _open(known: Mapping[str, Any]) -> bool:
    """Whether a job is under way, or was checked so that somebody decides."""
    return known["state"] == "running" or (known["state"] == "checked" and bool(known.get("waits")))


def _nothing(known: Json) -> Json:
    """Return a job of which nothing was stored, or can be before it is checked again."""
    if not known.get("result"):
        return known
    return {**known, "result": {**known["result"], "can_be_stored": False, "storable": 0, "stored": 0}}


def _locked(place: Path) -> bool:
    """Whether a worker that lives holds a job."""
    try:
        lock = os.open(place / "lock", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


class Run:
    """One run of a job, in its thread."""

    FAILED = "The file could not be brought in. Nothing was stored. The service's log has the reason."

    def __init__(self, jobs: Jobs, place: Path, lock: int, state: Json, actor: Actor) -> None:
        self.jobs = jobs
        self.place = place
        self.lock = lock
        self.state = state
        self.actor = actor
        self.told = 0.0

    def do(self) -> None:
        """Check and store, and leave in the state how it ended."""
        try:
            self._end(**self._done())
        except CancelledError:
            self._end(state="cancelled")
        except StreetsError as error:
            faults = error.faults or (Fault("", error.message, ""),)
            told = [{"field": f.field, "message": str(f) if f.expected else error.message} for f in faults[:200]]
            self._end(state="failed", error=told)
        except Exception:
            LOG.exception("import %s", self.state["id"])
            self._end(state="failed", error=[{"field": "", "message": self.FAILED}])
        finally:
            os.close(self.lock)

    def _done(self) -> Json:
        known = self.state
        path = next(self.place.glob("file.*"))
        asked = Asked(known["kind"], path, known["file"], job=known["id"], **known["options"])
        checked = imports.check(self.jobs.atlas, asked, self._tick)
        (self.place / "report.csv").write_text(checked.report.csv(), encoding="utf-8")
        result = checked.json()
        self.state["result"] = result
        if not result["can_be_stored"]:
            return {"state": "faults"}
        if known["dry_run"] or not result["storable"]:
            return {"state": "checked"}
        row = imports.bring_in(self.jobs.atlas, self.actor, checked, self._tick)
        path.unlink(missing_ok=True)
        return {"state": "done", "import": row["id"], "result": {**result, **imports.told(row)}}

    def _tick(self, doing: str, done: int, total: int) -> None:
        if (self.place / "cancel").exists():
            raise CancelledError("The import was cancelled.")
        now = time.monotonic()
        if doing != self.state["doing"] or now - self.told > TOLD_S:
            self.told = now
            self.state |= {"doing": doing, "done": done, "total": total}
            self.jobs._write(self.place, self.state)

    def _end(self, **more: Any) -> None:
        self.state |= {"doing": "", **more}
        if self.state["state"] in {"failed", "cancelled"}:
            self.state = _nothing(self.state)
        with suppress(OSError):
            self.jobs._write(self.place, self.state)
