"""The command line's part for what is written out of the register: the audit of existing numbers, the plat book."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.outfile import written_bytes, written_whole
from app.settings import Settings

if TYPE_CHECKING:
    from app.map_versions import Atlas

Out = Annotated[Path, typer.Option("--out", help="The CSV file to write.")]
Kind = Annotated[str, typer.Option("--kind", help="Only this kind: off, block, order, wrong and so on.")]
Pdf = Annotated[Path, typer.Argument(metavar="OUT.pdf", help="The PDF to write.")]
Street = Annotated[str, typer.Option("--street", help="Only this street, however spelt.")]


def install(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("audit-numbers")(_audit_numbers)
    app.command("plat-book")(_plat_book)


@contextmanager
def _atlas() -> Iterator[Atlas]:
    """Open the register; its schema and first map are made where it has none."""
    from app.db import Database  # what draws and computes is loaded for these commands alone
    from app.map_versions import Atlas
    from app.schema import ensure_schema

    settings = Settings()
    with closing(Database(settings.database, settings.state_dir)) as database:
        ensure_schema(database)
        atlas = Atlas(database, settings.data_dir, settings.law_date)
        atlas.ensure()
        yield atlas


def _audit_numbers(out: Out, kind: Kind = "", street: Street = "") -> None:
    """Hold every number in use against the map in force, and write how each stands; nothing is changed."""
    from app.answers import as_csv
    from app.existing import PART, chosen, report, rows_on, sieve_of
    from app.existing_told import COLUMNS, cells

    with _atlas() as atlas, atlas.database.read() as connection:
        found = report(atlas, connection)
        sieve = sieve_of(found.village, kind, street, "", "")
        places = chosen(found, sieve).tolist()
        with written_whole(out) as file:
            file.write(as_csv(COLUMNS, ()))
            for start in range(0, len(places), PART):  # a county's at once would fill the memory
                lines = cells(connection, found, places[start : start + PART])
                file.write(as_csv(COLUMNS, lines, spreadsheet=True).partition("\n")[2])
        broken = len(rows_on(found, sieve.street))
    told = ", ".join(f"{count} {name}" for name, count in found.counts.items() if count) or "none in use"
    typer.echo(f"{len(found.ids)} numbers: {told}; {broken} row{'' if broken == 1 else 's'} out of order.")
    typer.echo(f"{out}: {len(places)} rows.")


def _plat_book(out: Pdf, street: Street = "") -> None:
    """Write the plat book of § 288-15 I as a PDF, or the pages of one street."""
    from app.plat_printing import printed

    with _atlas() as atlas:
        written_bytes(out, printed(atlas, street)[1])
    typer.echo(f"{out}: the plat book{f', {street}' if street else ''}.")
