"""The command line's part for checking many objects at once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from app.import_cli import Bar
from app.settings import Settings

Check = Annotated[str, typer.Argument(metavar="CHECK", help="mailbox, encroachment or terrace.")]
File = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="CSV, or anything OGR reads.")]
Objects = Annotated[str, typer.Option("--objects", help="In place of a file: the register's objects of a kind.")]
Accuracy = Annotated[float, typer.Option("--accuracy-ft", help="At 95 %, of those of which nothing says it.")]
Crs = Annotated[str, typer.Option("--crs", help="The CRS of the file, where the file does not say it.")]
ReportTo = Annotated[Path | None, typer.Option("--report", help="CSV file to write the answer of every row to.")]


def install(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("check-batch")(_check_batch)


def _check_batch(
    check: Check,
    file: File = None,
    objects: Objects = "",
    accuracy_ft: Accuracy = 0.0,
    crs: Crs = "",
    report: ReportTo = None,
) -> None:
    """Check many mailboxes, or many objects on public ways or terraces, at once; nothing is stored."""
    import io  # what reads files and computes is loaded for this command alone

    from app.batch_things import Asked
    from app.batches import check_many
    from app.db import Database
    from app.law import today
    from app.map_versions import Atlas
    from app.outfile import written_whole
    from app.row_layers import GroundKeeper
    from app.schema import ensure_schema

    settings = Settings()
    asked = Asked(check, objects, file, file.name if file else "", accuracy_ft, crs, trusted=True)
    with closing(Database(settings.database, settings.state_dir)) as database:
        ensure_schema(database)
        atlas = Atlas(database, settings.data_dir, settings.law_date)
        atlas.ensure()
        out = io.StringIO()
        with database.read() as connection, Bar() as bar:
            ground = GroundKeeper().now(connection, atlas.now(connection))
            found = check_many(connection, ground, asked, today(), bar.tick, out)
    if report:
        with written_whole(report, file) as written:
            written.write(out.getvalue())
    for verdict, count in found["counts"].items():
        typer.echo(f"{verdict.replace('_', ' ')}: {count:,}")
    for note in found["notes"]:
        typer.echo(note)
