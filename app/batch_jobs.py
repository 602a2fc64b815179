"""Checks of many objects as jobs, kept, told and cancelled as imports are; nothing is stored but their report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from app.audit import Actor
from app.batch_things import Asked, check_asked
from app.batches import check_many
from app.import_jobs import Jobs, Json, Run
from app.law import today
from app.map_versions import Atlas
from app.row_layers import GroundKeeper
from gis.errors import StreetsError

MOST_RUNNING = 3
"""So many checks of one person may run at once."""


class BatchJobs(Jobs):
    """The checks of many objects of one host.

    Parameters
    ----------
    folder
        Where their files lie; made when first needed.
    atlas
        The village and its register.
    keeper
        Of the village's right-of-way.
    """

    def __init__(self, folder: Path, atlas: Atlas, keeper: GroundKeeper) -> None:
        super().__init__(folder, atlas)
        self.keeper = keeper

    def ask(self, given: Mapping[str, Any], name: str, blocks: Iterable[bytes] | None, actor: Actor) -> str:
        """Begin a check.

        Parameters
        ----------
        given
            ``check``, ``kind``, ``accuracy_ft`` and ``crs``.
        name, blocks
            The file as its sender calls it, and its content; None for the register's objects.
        actor
            Who asks.

        Returns
        -------
        str
            The job's id.

        Raises
        ------
        StreetsError
            What is asked is no check, the file is of no kind that is read, or too many run.
        """
        options = self._kept(given)
        check_asked(given["check"], options["kind"], options["accuracy_ft"], file=blocks is not None)
        running = sum(one["state"] == "running" and one["by"] == actor.id for one in self.listed())
        if running >= MOST_RUNNING:
            raise StreetsError.of("check", f"{running} checks of yours that run", "fewer: wait for one, or cancel it")
        job = self._keep(given["check"], name, blocks, actor)
        self.begin(job, actor, options, dry_run=True)
        return job

    def _kept(self, options: Mapping[str, Any]) -> Json:
        return {"kind": options.get("kind", ""), "accuracy_ft": float(options.get("accuracy_ft") or 0.0),
                "crs": options.get("crs", "")}  # fmt: skip

    def _run(self, place: Path, lock: int, state: Json, actor: Actor) -> Run:
        return _Run(self, place, lock, state, actor)

    def _interrupted(self, place: Path, known: Json) -> Json:
        words = "The service stopped while the check ran: begin it again."
        return {**known, "state": "interrupted", "error": [{"field": "", "message": words}]}


class _Run(Run):
    """One run of a check, in its thread."""

    FAILED = "The check could not be made. The service's log has the reason."
    jobs: BatchJobs

    def _done(self) -> Json:
        path = next(self.place.glob("file.*"), None)
        asked = Asked(self.state["kind"], path=path, name=self.state["file"], **self.state["options"])
        part = self.place / "report.part"
        atlas = self.jobs.atlas
        with atlas.database.read() as connection, part.open("w", encoding="utf-8", newline="") as out:
            ground = self.jobs.keeper.now(connection, atlas.now(connection))
            result = check_many(connection, ground, asked, today(), self._tick, out)
        part.replace(self.place / "report.csv")
        if path is not None:
            path.unlink(missing_ok=True)
        return {"state": "done", "result": result, "done": result["rows"], "total": result["rows"]}
