"""The command line's part for bringing in what exists."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.settings import Settings
from gis.errors import StreetsError

if TYPE_CHECKING:
    from app.imports import Checked

MOST_LISTED = 1000

Kind = Annotated[str, typer.Argument(metavar="KIND", help="addresses, lots, buildings, streets or layers.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, or anything OGR reads.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what is found; nothing is stored.")]
Map = Annotated[list[str] | None, typer.Option("--map", help="COLUMN=FIELD, the column of the file first; repeatable.")]
All = Annotated[
    list[str] | None,
    typer.Option("--all", help="FIELD=VALUE of all of a file of layers, such as layer=sidewalk; repeatable."),
]
Crs = Annotated[str, typer.Option("--crs", help="The CRS of the file, where the file does not say it.")]
Layer = Annotated[str, typer.Option("--layer", help="The layer, where the file has several.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, for the audit.")]
ReportTo = Annotated[Path | None, typer.Option("--report", help="CSV file to write every fault and warning to.")]


def install(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("import")(_import)


def _import(
    kind: Kind,
    file: File,
    dry_run: DryRun = False,
    map_: Map = None,
    all_: All = None,
    crs: Crs = "",
    layer: Layer = "",
    reason: Reason = "",
    report: ReportTo = None,
) -> None:
    """Bring in addresses, lots, buildings, streets or layers: all rows or none; exit code 2 lists every fault."""
    from app.audit import CONSOLE  # what reads files and computes is loaded for this command alone
    from app.db import Database
    from app.import_columns import check_kind
    from app.imports import Asked, bring_in, check
    from app.map_versions import Atlas
    from app.schema import ensure_schema

    settings = Settings()
    mapping, whole = _mapping(map_ or ()), _whole(all_ or ())
    asked = Asked(check_kind(kind), file, file.name, mapping, crs, layer, reason, trusted=True, whole=whole)
    with closing(Database(settings.database, settings.state_dir)) as database:
        ensure_schema(database)
        atlas = Atlas(database, settings.data_dir, settings.law_date)
        atlas.ensure()
        with Bar() as bar:
            checked = check(atlas, asked, bar.tick)
        if report:
            report.write_text(checked.report.csv(), encoding="utf-8")
        _told(checked)
        if checked.report.counts["faults"]:
            _faults(checked)
            sys.exit(2)
        if dry_run or not checked.content:
            typer.echo("Nothing was stored." if dry_run else "Nothing is left to store.")
            return
        with Bar() as bar:
            row = bring_in(atlas, CONSOLE, checked, bar.tick)
    typer.echo(f"Stored as import {row['id']}.")


def _mapping(given: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        column, sign, field = text.rpartition("=")
        if not sign or not column.strip():
            raise StreetsError.of("--map", text, "COLUMN=FIELD, such as HOUSENO=number; COLUMN= for none")
        found[column.strip()] = field.strip()
    return found


def _whole(given: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        field, sign, value = text.partition("=")
        if not sign or not value.strip():
            raise StreetsError.of("--all", text, "FIELD=VALUE, such as layer=sidewalk or accuracy_ft=0.2")
        found[field.strip()] = value.strip()
    return found


def _told(checked: Checked) -> None:
    about = checked.json()
    typer.echo(f"{about['file']}: {about['rows']:,} rows, {about['format']}.")
    typer.echo(f"Coordinates: {about['crs'] or 'not known'}{f' ({said})' if (said := about['crs_said']) else ''}")
    typer.echo(f"Columns ({about['mapping_is']}):")
    for column in about["columns"]:
        shown = about["samples"][0][column] if about["samples"] else ""
        typer.echo(f"  {column} -> {about['mapping'].get(column, 'not used')}   such as {shown!r}")
    if about["can_be_stored"]:
        known = ("skipped", "not_conforming", "left_out", "unnamed", "new_streets", "missing_streets")
        more = (f", {about[name]} {name.replace('_', ' ')}" for name in known if about.get(name))
        typer.echo(f"{about['storable']:,} can be stored{''.join(more)}.")
    for one in about["warning_list"][:20]:
        typer.echo(f"  warning: {checked.report.name(one['row'])}: {one['field']}: {one['found']}; {one['expected']}")
    if about["warnings"] > 20:
        typer.echo(f"  and {about['warnings'] - 20:,} more warnings; --report FILE writes all")


def _faults(checked: Checked) -> None:
    found = checked.report.ordered(checked.report.faults)
    count = checked.report.counts["faults"]
    typer.echo(f"{checked.asked.name} has {count:,} fault{'' if count == 1 else 's'}. Nothing was stored.", err=True)
    for row, fault in found[:MOST_LISTED]:
        typer.echo(f"{checked.report.name(row)}: {fault}" if row else str(fault), err=True)
    if count > MOST_LISTED:
        typer.echo(f"and {count - MOST_LISTED:,} more; --report FILE writes all", err=True)


class Bar:
    """A progress bar for each stage; on a terminal only."""

    def __init__(self) -> None:
        self.doing = ""
        self.open: AbstractContextManager[Any] | None = None
        self.bar: Any = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def tick(self, doing: str, done: int, total: int) -> None:
        """Show how far a stage is."""
        if not sys.stderr.isatty():
            return
        if doing != self.doing:
            self._close()
            self.doing = doing
            self.open = typer.progressbar(length=max(total, 1), label=doing, file=sys.stderr)
            self.bar = self.open.__enter__()
        self.bar.update(max(done - self.bar.pos, 0))

    def _close(self) -> None:
        if self.open is not None:
            self.open.__exit__(None, None, None)
            self.open = None
