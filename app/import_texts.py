"""A row's address as one text, however its parts stand in columns; where two columns disagree, that is a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from app.import_cells import contradiction, direction, join_street
from app.import_tables import Sheet
from gis import usps
from gis.address import Address, format_full, parse, split_street_name, street_key
from gis.errors import AddressError

_OF_NUMBER = ("number_prefix", "number", "fraction", "suffix")
_BESIDE = (
    *_OF_NUMBER,
    *("pre_directional", "street", "street_post_type", "street_post_directional", "unit_type", "unit"),
)
"""Fields that a whole address is held against."""


def texts(is_street: Callable[[str], bool], sheet: Sheet, columns: Mapping[str, str]) -> Callable[[int], str]:
    """Return what reads a row's address as one text.

    Parameters
    ----------
    is_street
        Whether a text as it stands is the name of a street of the map.
    sheet
        The file.
    columns
        The column of each field.

    Returns
    -------
    callable
        Takes a row counted from 0; raises `AddressError` where two of its columns disagree.
    """
    own = {field: sheet.cells(column) for field, column in columns.items()}
    parted = {"number", "street"} <= own.keys()

    def text(k: int) -> str:
        given = {field: cells[k].strip() for field, cells in own.items()}
        whole = given.get("address", "")
        if not parted or (whole and not (given["number"] and given["street"])):
            return _completed(is_street, whole, given, columns)
        road = join_street(given, own_name=is_street(given["street"]))
        made = _with_unit(f"{_numbered(given)} {road}", given)
        if part := contradiction(whole, made):
            found = f"{whole} in {columns['address']}, {made} in {columns['number']} and {columns['street']}"
            raise AddressError.of("address", found, f"the same {part} in both; or map one of them to nothing")
        return made

    return text


def _completed(
    is_street: Callable[[str], bool], whole: str, given: Mapping[str, str], columns: Mapping[str, str]
) -> str:
    """Return a whole address with the direction and the unit that only columns have."""
    if not any(given.get(field) for field in _BESIDE):
        return whole
    try:
        found = parse(whole)
    except AddressError:
        return _with_unit(whole, given)  # it is told when it is read
    if found.pre_directional and is_street(f"{found.pre_directional} {found.street}"):
        found = replace(found, pre_directional="", street_name=f"{found.pre_directional} {found.street_name}")
    for part, field in _contradicted(found, given):
        words = f"{whole} in {columns['address']}, {given[field]} in {columns[field]}"
        raise AddressError.of("address", words, f"the same {part} in both; or map one of them to nothing")
    if not (found.pre_directional or found.street_post_directional):
        found = replace(found, pre_directional=direction(given.get("pre_directional", "")))
    last = " ".join(filter(None, (found.state, found.postal_code)))
    place = "".join(f", {text}" for text in (found.community, last) if text)
    text = format_full(found)
    return f"{text if found.unit else _with_unit(text, given)}{place}"


def _contradicted(found: Address, given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Give each part in which a whole address and a column differ, with the column's field."""
    numbers = [field for field in ("number", *_OF_NUMBER) if given.get(field)]
    if numbers and _number_beside(found, given) != found.number_complete:
        yield "number", numbers[0]
    has = {found.pre_directional, found.street_post_directional} - {""}
    for field in ("pre_directional", "street_post_directional"):
        if given.get(field) and has and direction(given[field]) not in has:
            yield "direction", field
    street = given.get("street", "")
    if street and street_key(street) != street_key(found.street):
        parts = split_street_name(street)
        ahead = {parts.pre_directional, parts.street_post_directional} - {""}
        if usps.short_name(parts.street_name) != usps.short_name(found.street_name):
            yield "street", "street"
        if ahead and has and not ahead & has:
            yield "direction", "street"
        if parts.street_post_type and found.street_post_type not in {"", parts.street_post_type}:
            yield "type", "street"
    kind = given.get("street_post_type", "")
    if kind and found.street_post_type not in {"", usps.STREET_TYPES.get(kind.rstrip(".").upper(), kind)}:
        yield "type", "street_post_type"
    if given.get("unit") and found.unit and given["unit"].lstrip("# ").casefold() != found.unit.casefold():
        yield "unit", "unit"


def _number_beside(found: Address, given: Mapping[str, str]) -> str:
    """Return the number that columns have; a letter or half alone stands beside the whole address's number."""
    base = {"number_prefix": found.number_prefix, "number": str(found.number)} if not given.get("number") else {}
    told = {field: given[field] for field in _OF_NUMBER if given.get(field)}
    return parse(f"{_numbered(base | told)} {found.street}").number_complete


def _numbered(given: Mapping[str, str]) -> str:
    found = given.get("number", "")
    found = found.partition(".")[0] if found.partition(".")[2].strip("0") == "" else found
    fraction, suffix = given.get("fraction", ""), given.get("suffix", "")
    if suffix and not suffix.isalpha():  # 1/2 stands in the column of letters too
        fraction, suffix = f"{fraction} {suffix}".strip(), ""
    return f"{given.get('number_prefix', '')}{found}{' ' if fraction else ''}{fraction}{suffix}"


def _with_unit(text: str, given: Mapping[str, str]) -> str:
    unit_type, unit = given.get("unit_type", ""), given.get("unit", "")
    if not unit_type and not unit:
        return text.strip()
    bare = not unit_type and unit.replace("-", "").isalnum() and len(unit.split()) == 1
    return f"{text.strip()} {unit_type} {'#' if bare else ''}{unit}".strip()
