"""What may be a street's name, and whether another street has it already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from app.settings import tidy
from app.village import Village
from gis.address import LONGEST_TEXT, format_full, on_street, parse, split_street_name, street_key
from gis.errors import AddressError, StreetsError

_ADDRESS = re.compile(r"\d+\s")
HALVES = ("North", "South", "East", "West")
_DIRECTIONS = frozenset(map(str.lower, HALVES))


def as_street_name(text: str) -> str:
    """Return a street's name as it is recorded.

    Parameters
    ----------
    text
        As typed.

    Returns
    -------
    str
        Without blanks at its ends or doubled within.

    Raises
    ------
    StreetsError
        It is no street's name.
    """
    name = tidy(text)
    unseen = next((c for c in name if not c.isprintable()), "")
    if unseen:
        raise StreetsError.of(
            "name", f"the character U+{ord(unseen):04X}, which is not seen", "a name that is seen whole"
        )
    if not name or len(name) > LONGEST_TEXT // 2:
        raise StreetsError.of("name", name or "nothing", f"a street's name of at most {LONGEST_TEXT // 2} letters")
    parts = split_street_name(name)
    if not (any(c.isalpha() for c in parts.street_name) or parts.street_pre_type or name[-1].isalpha()):
        raise StreetsError.of("name", name, "a name with a word in it, not a number alone")
    if _ADDRESS.match(name) or street_key(name) in _DIRECTIONS:
        raise StreetsError.of("name", name, "a street's name, not an address or a direction")
    _check_read_back(name)
    return name


def name_doubts(name: str) -> list[str]:
    """Say what is odd about how a street's name is written; it is recorded as it was typed.

    Parameters
    ----------
    name
        The name.

    Returns
    -------
    list of str
        Sentences, such as that it has no capital letter or that its type is abbreviated.
    """
    kind = split_street_name(name).street_post_type
    last = name.rsplit(maxsplit=1)[-1].rstrip(".")
    told = []
    if not any(letter.isupper() for letter in name):
        told.append(f"The name {name} has no capital letter; it would be recorded as it is.")
    if kind and last.lower() != kind.split()[-1].lower():
        told.append(f"The name {name} has its type abbreviated; on the map types are written out, as {kind}.")
    return told


def present_name(village: Village, text: str) -> str:
    """Return the street that an edit names; a name it had before is refused, for the edit might mean another.

    Parameters
    ----------
    village
        The village.
    text
        As typed.

    Returns
    -------
    str
        Its name in the linework.

    Raises
    ------
    StreetsError
        There is none of that name, or it has another name now.
    """
    name = village.street_name(text)
    if street_key(text) != street_key(name):
        raise StreetsError.of("street", f"{text}, a name before", f"{name}, as the street is named now")
    return name


def _check_read_back(name: str) -> None:
    """Refuse a name in which an address would be written that nobody could read as the same address."""
    for half in HALVES:
        plain = on_street(1, half, name)
        for more in (
            {},
            {"suffix": "A"},
            {"unit_type": "Apartment", "unit": "2"},
            {"unit": "2"},
            {"unit_type": "Upper"},
        ):
            address = replace(plain, **more)  # type: ignore[arg-type]  # texts all
            written = format_full(address)
            try:
                same = parse(written) == address
            except AddressError:
                same = False
            if not same:
                expected = f"a name that is read back from an address; {written} is read as another one or as none"
                raise StreetsError.of("name", name, expected)


def doubled(village: Village, name: str, own: str = "") -> str:
    """Return another street that has a name already, however it is spelt there; ``""`` where none has.

    Parameters
    ----------
    village
        The village.
    name
        The name.
    own
        The present name of the street that is to get it.
    """
    for other in village.streets:
        same = {street_key(name), street_key(f"{name} {split_street_name(other.name).street_post_type}")}
        if other.name != own and street_key(other.name) in same:
            return other.name
    return ""


def check_halves(village: Village, name: str, own: str = "", beside: Iterable[str] = ()) -> None:
    """Refuse a name that is another street's with a direction: addresses of its half are written so (§ 288-15 C).

    Every door by which a street gets a name asks this: a map's edits, the plat check, imports, the Board's renamings.

    Parameters
    ----------
    village
        The village.
    name
        The name.
    own
        The present name of the street that is to get it.
    beside
        Names that other streets are to get with it.

    Raises
    ------
    StreetsError
        An address of a half of one street would be read as one of the other.
    """
    first = village.law.numbering.first_even
    for other in (*(s.name for s in village.streets), *beside):
        for half, bare in _without_direction(name):
            written, has = f"{first} {half} {other}", half in _halves_of(village, other)
            if _same_but_type(bare, other) and (has or other != own):
                said = (
                    f"is already an address of {other}'s {half.lower()} half" if has else f"is read as one of {other}"
                )
                raise StreetsError.of("name", name, f"a name that is no half of another street; {written} {said}")
        for half, bare in _without_direction(other) if other != own else ():
            if _same_but_type(name, bare):
                expected = f"a name of which {other} is no half; {first} {half} {name} would be read as one of {other}"
                raise StreetsError.of("name", name, expected)


def _halves_of(village: Village, name: str) -> tuple[str, ...]:
    return next((street.halves for street in village.streets if street.name == name), ())


def _without_direction(name: str) -> Iterator[tuple[str, str]]:
    """Give each direction that a name begins or ends with, and the name without it."""
    try:
        parts = split_street_name(name)
    except AddressError:
        return  # a name that an older file brought in
    if parts.pre_directional:
        yield parts.pre_directional, parts.street
    if parts.street_post_directional:
        rest = replace(parts, street_post_directional="")
        yield parts.street_post_directional, f"{rest.pre_directional} {rest.street}".strip()


def _same_but_type(name: str, other: str) -> bool:
    """Say whether a name is another's, which may have a type that it leaves out."""
    try:
        kind = split_street_name(other).street_post_type
    except AddressError:
        kind = ""
    return street_key(other) in {street_key(name), street_key(f"{name} {kind}")}
