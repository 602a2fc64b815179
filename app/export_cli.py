"""The command line's part for exports that other systems read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.outfile import written_whole
from app.settings import Settings
from gis.errors import StreetsError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from app.village import Village

export = typer.Typer(no_args_is_help=True, help="Write what other systems read of the village.")

Profile = Annotated[str, typer.Option("--profile", help="v3 (NENA-STA-006.3) or v2 (NENA-STA-006.2a).")]
Out = Annotated[Path, typer.Option("--out", help="The file to write.")]
ReportTo = Annotated[Path | None, typer.Option("--report", help="JSON file to write the report of the checks to.")]
MOST = 1_000_000


@contextmanager
def register() -> Iterator[tuple[Connection, Village]]:
    """Open the register for reading; its schema and first map are made where it has none."""
    from app.db import Database  # what computes is loaded for these commands alone
    from app.map_versions import Atlas
    from app.schema import ensure_schema

    settings = Settings()
    with closing(Database(settings.database, settings.state_dir)) as database:
        ensure_schema(database)
        atlas = Atlas(database, settings.data_dir, settings.law_date)
        atlas.ensure()
        with database.read() as connection:
            yield connection, atlas.now(connection)


@export.command("ng911")
def ng911(out: Out, profile: Profile = "v3", report: ReportTo = None) -> None:
    """Write the NG9-1-1 package as a GeoPackage; its checks run first, and errors stop it unless an officer signed."""
    from app.exports.nena_fields import layers_of
    from app.exports.nena_outgoing import UnsignedError, as_json, packaged

    layers_of(profile)
    if out.is_dir() or not out.parent.is_dir():
        raise StreetsError.of("--out", str(out), "a file in a directory that is there")
    with register() as (connection, village):
        try:
            found = packaged(connection, village, profile, out)
        except UnsignedError as error:
            _reported(error.report, report, as_json)
            raise
    _reported(found, report, as_json)
    counts = ", ".join(f"{len(layer):,} {name}" for name, layer in found.package.layers.items())
    typer.echo(f"{out}: {counts}; {len(found.errors)} errors, {len(found.items) - len(found.errors)} notices.")
    for one in found.package.unset:
        typer.echo(f"{one['setting']} is empty: {one['what']}{', required' if one['required'] else ''}.")
    if found.package.provisional:
        typer.echo(f"Provisional: {found.package.provisional}")


@export.command("features")
def features(out: Out) -> None:
    """Write every collection that the OGC API has: a layer each, as a GeoPackage in the village's own CRS."""
    from app.exports.features_file import write
    from app.row_layers import GroundKeeper

    if out.is_dir() or not out.parent.is_dir():
        raise StreetsError.of("--out", str(out), "a file in a directory that is there")
    with register() as (connection, village):
        ground = GroundKeeper().now(connection, village)
        counts = write(connection, village, lambda _: ground, out)
    typer.echo(f"{out}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}.")


@export.command("wzdx")
def wzdx(out: Out) -> None:
    """Write the work zone feed of now, WZDx 4.2."""
    from datetime import UTC, datetime

    from app.exports.wzdx import body

    with register() as (connection, village):
        made = body(connection, village, datetime.now(UTC))
    with written_whole(out) as file:
        file.write(made.decode())
    typer.echo(f"{out}: written.")


def _reported(found: Any, out: Path | None, as_json: Any) -> None:
    if out:
        with written_whole(out) as file:
            file.write(as_json(found, MOST))
