"""The command line: ``benton-streets``."""

from __future__ import annotations

import csv
import shlex
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from pydantic import ValidationError

from app import batch_cli, book_cli, import_cli, keeping_cli
from app.answers import BLOCK_COLUMNS, as_csv, block_cells
from app.export_cli import export
from app.law import law_on, today
from app.outfile import written_whole
from app.people_cli import keys, users
from app.settings import Settings, read_settings
from app.streets import read_pieces, read_village
from gis.address import street_key
from gis.blocks import NumberingMap, numbering_map
from gis.crs import WorkingCrs, working_crs
from gis.errors import Fault, StreetsError
from gis.frontages import NO_STREET, Frontages
from gis.locate import FIND_STREET
from gis.network import network
from gis.numbering import Doors, codes, number

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Street numbers of § 288-15 for a village: serve them, number points, list blocks, check data, show the law.",
)

keeping_cli.install(app)
book_cli.install(app)
import_cli.install(app)
batch_cli.install(app)
app.add_typer(users, name="users")
app.add_typer(keys, name="keys")
app.add_typer(export, name="export")

POINT_COLUMNS = ("id", "street", "x", "y")
NUMBER_COLUMNS = ("id", "street", "half", "number", "block", "unit_ft", "into_ft", "findings")
AT_ONCE = 100_000

Streets = Annotated[Path | None, typer.Option("--streets", help="Street centerlines; the village's own when left out.")]
BaseEw = Annotated[str | None, typer.Option("--base-ew", help="The east-west base line, by name.")]
BaseNs = Annotated[str | None, typer.Option("--base-ns", help="The north-south base line, by name.")]
Crs = Annotated[str | None, typer.Option("--crs", help="The working CRS, and that of the points.")]
Out = Annotated[Path, typer.Option("--out", help="The CSV file to write.")]
Data = Annotated[Path | None, typer.Option("--data", help="A village's directory; BENTON_DATA_DIR when left out.")]


def main() -> None:
    """Run the command line; every error of the domain is told on standard error with exit code 2."""
    try:
        app()
    except StreetsError as error:
        typer.echo(str(error), err=True)
        sys.exit(2)
    except ValidationError as error:  # a setting of the environment
        for fault in error.errors():
            name = str(fault["loc"][0])
            shown = name if name.startswith("BENTON_") else Settings.variable(name)
            typer.echo(f"{shown}: found {fault['input']!r}; {fault['msg'][:1].lower()}{fault['msg'][1:]}.", err=True)
        sys.exit(2)
    except OSError as error:
        typer.echo(f"{error.filename or 'file'}: {error.strerror or error}", err=True)
        sys.exit(2)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on.")] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate to serve HTTPS with, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The certificate's private key, PEM.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=64, help="Processes that serve.")] = None,
) -> None:
    """Serve the village's pages and API; over HTTPS with a certificate and its key."""
    from app.serving import serve

    given: dict[str, Any] = {"host": host, "port": port, "tls_cert": tls_cert, "tls_key": tls_key, "workers": workers}
    serve(Settings(**{name: value for name, value in given.items() if value is not None}))


@app.command()
def certificate(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go; keep it private.")],
    host: Annotated[list[str], typer.Option(help="Name or IP address that people open; repeatable.")],
) -> None:
    """Make a certificate for the office network by a local authority, which is kept for the next time."""
    from app.tls import make_certificates

    made = make_certificates(directory, host)
    authority = "the authority that was there" if made.reused else "a new authority"
    typer.echo(f"Made a certificate by {authority} for {', '.join(made.names)}.", err=True)
    typer.echo(f"It ends on {made.expires:%Y-%m-%d}; run this again before, and serve anew.", err=True)
    typer.echo(f"Phones trust {made.ca}, whose SHA-256 fingerprint is {made.fingerprint}. Serve with:", err=True)
    quoted = [shlex.quote(str(file)) for file in (made.cert, made.key)]
    typer.echo(f"benton-streets serve --host 0.0.0.0 --tls-cert {quoted[0]} --tls-key {quoted[1]}")


@app.command("number")
def number_points(
    points: Annotated[Path, typer.Argument(help="CSV with the columns id, street, x, y; street may be blank.")],
    out: Out,
    streets: Streets = None,
    base_ew: BaseEw = None,
    base_ns: BaseNs = None,
    crs: Crs = None,
) -> None:
    """Number points: one row out for each row in, in the same order."""
    working = _working(crs)
    frontages = Frontages.of(_map(streets, base_ew, base_ns, working))
    table = _read_points(points)
    with written_whole(out, points, streets) as file:
        file.write(as_csv(NUMBER_COLUMNS, ()))
        for low in _steps(len(table), "numbering"):
            part = table[low : low + AT_ONCE]
            file.writelines(_numbered(frontages, part, working.us_ft))


@app.command()
def blocks(
    out: Out,
    streets: Streets = None,
    base_ew: BaseEw = None,
    base_ns: BaseNs = None,
    crs: Crs = None,
) -> None:
    """Write the block table of the Street Numbering Map."""
    rows = _map(streets, base_ew, base_ns, _working(crs)).rows
    with written_whole(out, streets) as file:
        file.write(as_csv(BLOCK_COLUMNS, (block_cells(row) for row in rows)))


@app.command("check-data")
def check_data(data: Data = None) -> None:
    """Read a village's directory whole; every fault is named, by row."""
    files = read_village(data or Settings().data_dir)
    made = files.settings
    net = network(files.pieces, made.base_ew, made.base_ns, made.reading)
    found = numbering_map(net, law_on(today()).numbering)
    doubtful = sum(1 for row in found.rows if row.findings)
    typer.echo(
        f"{made.name}: {len(files.pieces)} pieces of {len(net.by_name)} streets, {len(found.rows)} rows, "
        f"{doubtful} with findings; no faults."
    )


@app.command()
def law(date: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day.")] = None) -> None:
    """Show the numbers of the law in force on a day, each with its section and sentence."""
    for value in law_on(date.date() if date else today()).values:
        assumed = ", assumed" if value.effective_status == "assumed" else ""
        typer.echo(f"{value.key} = {value.value} {value.unit}  {value.citation}, from {value.effective}{assumed}")
        typer.echo(f'    "{value.quotation}"')


def _working(crs: str | None) -> WorkingCrs:
    return working_crs(crs) if crs else read_settings(Settings().data_dir).working_crs


def _map(streets: Path | None, base_ew: str | None, base_ns: str | None, working: WorkingCrs) -> NumberingMap:
    """Derive a map from a file of streets, or from the village's own where there is none."""
    directory = Settings().data_dir
    made = read_settings(directory)
    if streets is None:
        found = next(iter(sorted(directory.glob("streets.*"))), directory / "streets.geojson")
        pieces, reading = read_pieces(found, working), made.reading
    else:
        pieces, reading = read_pieces(streets, working), None
    net = network(pieces, _known(base_ew or made.base_ew, pieces), _known(base_ns or made.base_ns, pieces), reading)
    return numbering_map(net, law_on(today()).numbering)


def _known(name: str, pieces: Sequence[Any]) -> str:
    """Return the name of the street in the linework that a name spells, or the name itself where there is none."""
    names = {piece.name for piece in pieces}
    keys = {street_key(n): n for n in names}
    return name if name in names else keys.get(street_key(name), name)


def _read_points(path: Path) -> list[dict[str, str]]:
    """Read the points' file, as text; a row's faults are found when it is numbered."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            header = [name.strip().lower() for name in reader.fieldnames or ()]
            missing = [name for name in POINT_COLUMNS if name not in header]
            if missing:
                found = ", ".join(header) or "nothing"
                raise StreetsError(
                    f"{path.name} cannot be used:", [Fault("columns", found, f"also {', '.join(missing)}")]
                )
            reader.fieldnames = header
            return list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise StreetsError(f"{path.name} cannot be used:", [Fault("file", str(error), "CSV in UTF-8")]) from error


def _steps(count: int, doing: str) -> Iterator[int]:
    """Return where each batch begins, showing progress on long input at a terminal."""
    starts = range(0, count, AT_ONCE)
    if len(starts) < 2:
        yield from starts
        return
    with typer.progressbar(starts, label=doing, file=sys.stderr) as bar:
        yield from bar


def _numbered(frontages: Frontages, part: list[dict[str, str]], us_ft: float) -> Iterator[str]:
    keys = {street_key(name): name for name in frontages.names}
    exact = set(frontages.names)
    ids = {name: k for k, name in enumerate(frontages.names)}
    known: dict[str, int] = {"": FIND_STREET}
    for text in {(row["street"] or "").strip() for row in part} - {""}:
        name = text if text in exact else keys.get(street_key(text))
        known[text] = NO_STREET if name is None else ids[name]
    street = np.array([known[(row["street"] or "").strip()] for row in part])
    x, y = (np.array([_number(row[axis]) for row in part]) * us_ft for axis in "xy")
    doors = number(frontages, x, y, street)
    return iter(as_csv((), _cells(frontages, doors, part)).splitlines(keepends=True)[1:])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _cells(frontages: Frontages, doors: Doors, part: list[dict[str, str]]) -> Iterator[list[str]]:
    rows = frontages.map.rows
    streets = frontages.map.network.streets
    found = {bits: ";".join(codes(bits)) for bits in np.unique(doors.bits).tolist()}
    columns = (doors.street, doors.row, doors.number, doors.block, doors.unit_ft, doors.into_ft, doors.bits)
    for given, street, row, no, block, unit, into, bits in zip(part, *(c.tolist() for c in columns), strict=True):
        if row < 0:
            yield [given["id"], (given["street"] or "").strip(), "", "", "", "", "", found[bits]]
            continue
        place = (streets[street].name, rows[row].side, str(no or ""), str(block), str(unit), f"{into:.2f}")
        yield [given["id"], *place, found[bits]]
