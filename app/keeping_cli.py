"""The command line's part for keeping the register: backup, restore, verify, upgrade."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.engine import make_url

from app.archive import write_archive
from app.db import Database, StorageError
from app.keeping import BrokenError, Restored, nightly, restore, upgrade
from app.settings import Settings
from app.verify import verify
from gis.errors import StreetsError

Nightly = Annotated[Path | None, typer.Option("--nightly", help="A folder: make a dated backup in it and prove it.")]
Keep = Annotated[int, typer.Option("--keep", min=1, help="How many backups stay in the folder.")]
Force = Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")]
Head = Annotated[
    str | None, typer.Option("--head", help="A head from a certificate or a backup, which the log must hold.")
]
Broken = Annotated[bool, typer.Option("--broken", help="Restore a backup whose register was broken already.")]


def install(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for name, command in (("backup", _backup), ("restore", _restore), ("verify", _verify), ("upgrade", _upgrade)):
        app.command(name)(command)


@contextmanager
def _register(settings: Settings, *, there: bool = True) -> Iterator[Database]:
    """Open the register that is there, making none; what is told of a broken one ends with exit code 1."""
    url = make_url(settings.database)
    if there and url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        raise StorageError(
            f"{url.database} holds no register: `benton-streets serve` makes one, `restore FILE` brings one."
        )
    try:
        with closing(Database(settings.database, settings.state_dir)) as database:
            yield database
    except BrokenError as error:
        typer.echo(str(error), err=True)
        sys.exit(1)


def _backup(
    file: Annotated[Path | None, typer.Argument(help="The file to write.")] = None,
    force: Force = False,
    folder: Nightly = None,
    keep: Keep = 30,
) -> None:
    """Back the register up into one file, while the service runs."""
    if (file is None) == (folder is None):
        raise typer.BadParameter("give FILE, or --nightly FOLDER")
    settings = Settings()
    with _register(settings) as database:
        if folder:
            typer.echo(f"{nightly(database, settings, folder, keep)} restored and verified aside; {keep} are kept.")
        elif file:
            made = write_archive(database, file, force=force)
            rows = sum(kept.rows for kept in made.tables.values())
            typer.echo(f"{file}: {rows} rows, schema {made.revision}, audit head {made.audit_head}")


def _restore(file: Annotated[Path, typer.Argument(help="The backup.")], broken: Broken = False) -> None:
    """Replace the register by a backup; what was there before is backed up first."""
    settings = Settings()
    with _register(settings, there=False) as database:
        done = restore(database, file, settings.state_dir / "backups", broken=broken)
    _tell(done)
    if done.breaks:
        sys.exit(1)


def _tell(done: Restored) -> None:
    addresses = done.manifest.tables["addresses"].rows if "addresses" in done.manifest.tables else 0
    typer.echo(f"Restored {addresses} addresses as of {done.manifest.made_at}, audit head {done.manifest.audit_head}.")
    if done.kept:
        typer.echo(f"What was there before is kept in {done.kept}.")
    typer.echo("Everybody signs in anew. A key or user revoked since that day is valid again: look at the page Users.")
    for broken in done.breaks:
        typer.echo(f"broken: {broken}", err=True)


def _verify(head: Head = None) -> None:
    """Check that the register is whole: exit code 0, or 1 with each break."""
    old = "" if head is None else _read_head(head)
    settings = Settings()
    with _register(settings) as database, database.read() as connection:
        breaks = 0
        for broken in verify(connection, old):
            typer.echo(broken)
            breaks += 1
    if breaks:
        typer.echo(f"The register is broken in {breaks} places.", err=True)
        sys.exit(1)
    typer.echo("The register is whole.")


def _read_head(text: str) -> str:
    """Read a head as it is printed; one that is half copied would otherwise tell of a log that was rewritten."""
    head = text.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{64}", head):
        found = f"{text[:70]!r}, {len(head)} signs" if head else "nothing"
        raise StreetsError.of("--head", found, "the 64 signs 0 to 9 and a to f of a head, as printed")
    return head


def _upgrade() -> None:
    """Bring the register to this release: backs up, migrates, verifies. Stop the service first."""
    settings = Settings()
    with _register(settings) as database:
        done = upgrade(database, settings.state_dir / "backups")
    if done.backup is None:
        typer.echo(f"The register has schema {done.now} already: nothing to do.")
        return
    typer.echo(f"Upgraded from schema {done.was} to {done.now}. Backup: {done.backup}")
    typer.echo(f"To go back: install the release you had, then `benton-streets restore {done.backup}`.")
