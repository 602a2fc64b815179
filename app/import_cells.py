"""What the cells of a file of addresses say beside each other: where two columns disagree, a column is left or a place
is shared, a person is told, for neither is taken for right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from app.import_report import Report
from app.import_tables import Sheet
from gis import usps
from gis.address import Address, StreetParts, parse, split_street_name
from gis.errors import AddressError
from gis.linework import Floats

MOST_NAMED = 8
"""So many rows are named in one warning."""


def is_directions(cells: Sequence[str]) -> bool:
    """Return whether a column holds directions and nothing else."""
    return _all_in(cells, usps.DIRECTIONS)


def is_types(cells: Sequence[str]) -> bool:
    """Return whether a column holds street types and nothing else."""
    return _all_in(cells, usps.STREET_TYPES)


def _all_in(cells: Sequence[str], words: Mapping[str, str]) -> bool:
    found = {cell.strip().rstrip(".").upper() for cell in cells} - {""}
    return bool(found) and found <= words.keys()


def direction(cell: str) -> str:
    """Return a direction in full; ``""`` where a cell is none."""
    return usps.DIRECTIONS.get(cell.strip().rstrip(".").upper(), "")


def left_directions(sheet: Sheet, mapping: Mapping[str, str], report: Report) -> list[str]:
    """Warn of columns that are not used and hold directions; returns them."""
    found = [name for name, cells in sheet.columns.items() if name not in mapping and is_directions(cells)]
    for name in found:
        seen = ", ".join(dict.fromkeys(cell for cell in sheet.columns[name] if cell.strip()))
        words = "not used, though these are directions: map it to pre_directional if they stand before the street"
        report.warn(0, name, seen, words)
    return found


@lru_cache(maxsize=4096)
def _split(street: str) -> StreetParts | None:
    try:
        return split_street_name(street)
    except AddressError:
        return None


def join_street(given: Mapping[str, str], *, own_name: bool) -> str:
    """Return the street of a row whose parts stand in columns; what two columns say alike is said once.

    Parameters
    ----------
    given
        The row's cells by field.
    own_name
        Whether the street's cell as it stands is the name of a street of the map.

    Returns
    -------
    str
        Direction, name and type.

    Raises
    ------
    gis.errors.AddressError
        Two columns have different directions.
    """
    pre, street, post_type = (given.get(name, "") for name in ("pre_directional", "street", "street_post_type"))
    parts = _split(street) if street and not own_name else None
    if parts is not None and parts.pre_directional and pre and direction(pre):
        if direction(pre) != parts.pre_directional:
            found = f"{pre} in one column and {street} in another"
            raise AddressError.of("direction", found, "the same direction in both")
        pre = ""
    known = usps.STREET_TYPES.get(post_type.rstrip(".").upper(), post_type)
    whole = _split(street) if street else None
    if whole is not None and known and known == whole.street_post_type:
        post_type = ""
    before, after = given.get("street_pre_type", ""), given.get("street_post_directional", "")
    if whole is not None and after and direction(after) == whole.street_post_directional:
        after = ""
    return " ".join(filter(None, (pre, before, street, post_type, after)))


def contradiction(whole: str, parts: str) -> str:
    """Return in which part a whole address and one made of columns differ; ``""`` where in none that both have."""
    if not whole.strip() or " ".join(whole.split()).upper() == " ".join(parts.split()).upper():
        return ""
    try:
        one, other = parse(whole), parse(parts)
    except AddressError:
        return ""
    told = {
        "number": (one.number_complete, other.number_complete),
        "direction": (_ahead(one), _ahead(other)),
        "street": (usps.short_name(one.street_name), usps.short_name(other.street_name)),
        "type": (one.street_post_type, other.street_post_type),
        "unit": (one.unit, other.unit),
    }
    needed = ("number", "street")
    return next((name for name, (a, b) in told.items() if a != b and (name in needed or (a and b))), "")


def _ahead(address: Address) -> str:
    return address.pre_directional or address.street_post_directional


def warn_communities(named: Sequence[tuple[int, str]], own: str, report: Report) -> None:
    """Warn once of each community that is not the village, naming the rows.

    Parameters
    ----------
    named
        Row and community of each address that has one.
    own
        The village's name.
    report
        Takes the warnings.
    """
    rows: dict[str, list[int]] = {}
    for row, name in named:
        plain = " ".join(name.split()).casefold().removeprefix("village of ")
        if plain and plain != own.casefold().removeprefix("village of "):
            rows.setdefault(" ".join(name.split()).title(), []).append(row)
    for name, those in rows.items():
        count = f"{len(those):,} row{'' if len(those) == 1 else 's'}"
        words = f"{own}; brought in as addresses of {own}: {rows_named(those, report)}"
        report.warn(those[0], "community", f"{name} in {count}", words)


def warn_places(found: Sequence[tuple[int, str, str]], feet: Floats, report: Report) -> None:
    """Warn of different numbers at exactly one place, naming the rows.

    Parameters
    ----------
    found
        Row, number with its street, and the address in words, of each address.
    feet
        The place of each, shape (n, 2).
    report
        Takes the warnings.
    """
    at: dict[tuple[float, float], list[tuple[int, str, str]]] = {}
    for one, (x, y) in zip(found, feet.round(2).tolist(), strict=True):
        at.setdefault((x, y), []).append(one)
    for those in at.values():
        if len({number for _, number, _ in those}) > 1:
            told = ", ".join(dict.fromkeys(text for _, _, text in those))
            rows = rows_named([row for row, _, _ in those], report)
            report.warn(those[0][0], "position", f"one place for {told}", f"a place for each number: {rows}")


def rows_named(rows: Sequence[int], report: Report) -> str:
    """Name the first of some rows, and say how many more there are."""
    more = f" and {len(rows) - MOST_NAMED:,} more" if len(rows) > MOST_NAMED else ""
    return ", ".join(report.name(row) for row in rows[:MOST_NAMED]) + more
