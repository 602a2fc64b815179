"""Finding an address however it is typed: the street by likeness, then the number by the index.

A typo is looked for in the few hundred names of streets, never among the addresses: a full-text index over 100,000
addresses is slower by a thousand times.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from rapidfuzz import fuzz, process, utils
from sqlalchemy.engine import Connection

from app import registers
from app.tables import STATUSES, addresses
from app.village import Village
from gis import usps
from gis.address import parse, street_key
from gis.errors import AddressError, StreetsError

Json = dict[str, Any]
LEAST = 68.0
"""A street's name less like what was typed, of 100, is not meant."""
SURE = 88.0
"""From this likeness on, a figure beside a name is part of the name."""
MOST_WORDS = 5
MOST_STREETS = 5
NEAR = 8.0
"""Streets this much less alike than the best are shown too."""
DIRECTIONS = {
    **dict.fromkeys(("n", "no", "north"), "North"),
    **dict.fromkeys(("s", "so", "south"), "South"),
    **dict.fromkeys(("e", "east"), "East"),
    **dict.fromkeys(("w", "west"), "West"),
}
_NUMBER = re.compile(r"(?P<number>\d{1,6})(?P<suffix>[a-z]?)")
_SIGN = re.compile(rf"(?<=\d)\s*([{''.join(usps.FRACTION_SIGNS)}])")
_FRACTION = re.compile(r"(?<=\d)[\s-]+(\d)\s?/\s?(\d)(?=[\s,]|$)")
_LETTERED = re.compile(r"(?<=\d)\s*-\s*(?=[a-z]\b)")
IN_ORDER = (addresses.c.street_key, addresses.c.half, addresses.c.number, addresses.c.fraction, addresses.c.suffix)


@dataclass(frozen=True)
class Asked:
    """What a text asks for.

    Parameters
    ----------
    number, fraction, suffix
        The number; 0 and ``""`` where there is none.
    half
        ``"North"`` and so on, or ``""``.
    streets
        Keys of the streets that may be meant, the likeliest first; none where no name was typed.
    words
        What was typed of the street's name.
    """

    number: int
    suffix: str
    half: str
    streets: tuple[str, ...]
    words: str
    fraction: str = ""

    @property
    def numbered(self) -> str:
        """The number as it is written, such as ``"12 1/2"`` or ``"194A"``."""
        return f"{self.number}{' ' if self.fraction else ''}{self.fraction}{self.suffix}"

    def is_number_of(self, row: Mapping[str, Any]) -> bool:
        """Whether an address of the register has just this number."""
        own = (row["number"], row["fraction"], row["suffix"])
        return own == (self.number, self.fraction, self.suffix)


def read(village: Village, text: str) -> Asked:
    """Read what was typed into a number, a half and the streets it may mean.

    Parameters
    ----------
    village
        Whose streets, and the names they had before.
    text
        Such as ``"12 n vanburen"`` or ``"main 237"``.

    Returns
    -------
    Asked
        In any order of words, with typos in the street's name.
    """
    line, fraction = _without_fraction(_without_place(text).casefold())
    words = _LETTERED.sub("", line).replace(",", " ").replace(".", " ").split()
    number, suffix, half = 0, "", ""
    left, words = _numbered_street(village, words)
    letter = 0
    for k, word in enumerate(words):
        found = _NUMBER.fullmatch(word)
        if letter and k == letter:
            suffix = word.upper()
        elif found and not number:
            number, suffix = int(found["number"]), found["suffix"].upper()
            letter = k + 1 if not suffix and _is_letter_apart(village, words, k + 1, left) else 0
        elif word in DIRECTIONS and not half and (left or len(words) > 1):
            half = DIRECTIONS[word]
        else:
            left.append(word)
    fraction = fraction if number else ""
    named = " ".join(left)
    if not named and (half or number):  # "north 12": a street may be called so
        return Asked(number, suffix, half, (), "", fraction)
    return Asked(number, suffix, half, _likely(village, named), named, fraction)


def _without_fraction(line: str) -> tuple[str, str]:
    """Split off a number's half or the like: ``"12½ main"`` is ``"12 main"`` and ``"1/2"``."""
    line = _SIGN.sub(lambda sign: f" {usps.FRACTION_SIGNS[sign[1]]}", line)
    found = _FRACTION.search(line)
    written = f"{found[1]}/{found[2]}" if found else ""
    if found is None or written not in usps.FRACTIONS:
        return line, ""
    return f"{line[: found.start()]} {line[found.end() :]}", written


def _is_letter_apart(village: Village, words: Sequence[str], at: int, before: Sequence[str]) -> bool:
    """Whether the word behind a number is its letter: "194 a north vanburen", and not "145 a street"."""
    letter = words[at] if at < len(words) else ""
    if len(letter) != 1 or not letter.isascii() or not letter.isalpha() or letter in DIRECTIONS:
        return False
    rest = " ".join([*before, *(word for word in words[at + 1 :] if word not in DIRECTIONS)])
    whole = " ".join([*before, letter, *words[at + 1 :]])
    return _likeness(village, rest) >= SURE and _likeness(village, whole) < 99.5


def _likeness(village: Village, words: str) -> float:
    """Return how much words are like the name of the street they are most like, of 100."""
    scored = _scored(_squeezed(words), _names(village)) if words else []
    return scored[0][1] if scored else 0.0


def sure(village: Village, asked: Asked) -> bool:
    """Whether it is plain which street a text means: in full, by its beginning or but for a slip of the finger."""
    return bool(asked.streets) and _likeness(village, asked.words) >= SURE


def _without_place(text: str) -> str:
    """Return an address as it is pasted from a letter without what follows the street: Benton WI 53803."""
    try:
        address = parse(text)
    except AddressError:
        return text
    if not (address.community or address.state or address.postal_code):
        return text
    return f"{address.number_complete} {address.pre_directional} {address.street}"


def _numbered_street(village: Village, words: list[str]) -> tuple[list[str], list[str]]:
    """Split off the words of a street that has a figure in its name, such as Unnamed 22: it is no house number."""
    best: tuple[float, int, int] = (0.0, 0, 0)
    for first in range(len(words)):
        for last in range(first + 2, min(len(words), first + MOST_WORDS) + 1):
            part = words[first:last]
            if not any(word.isdigit() for word in part) or all(word.isdigit() for word in part):
                continue
            squeezed = _squeezed(" ".join(part))
            figures = re.sub(r"\D", "", squeezed)
            same = [name for name, own in _figured(village) if own == figures]
            found = process.extractOne(squeezed, same, scorer=fuzz.ratio, score_cutoff=SURE)
            best = max(best, (found[1], first, last)) if found else best
    _, first, last = best
    return words[first:last], words[:first] + words[last:]


def _likely(village: Village, words: str) -> tuple[str, ...]:
    """Return the streets that words may mean; a name that another street had before means that one too."""
    found = _alike(village, words)
    before = [street_key(name) for key in found for name in village.formerly.get(key, ())]
    return tuple(dict.fromkeys((*found, *before)))


def _alike(village: Village, words: str) -> tuple[str, ...]:
    if not words:
        return ()
    names = _names(village)
    scored = _scored(_squeezed(words), names)
    best = scored[0][1] if scored else 0.0
    exact = best >= 99.5
    kept = [names[name] for name, score in scored if (score >= 99.5 if exact else score >= best - NEAR)]
    return tuple(dict.fromkeys(kept))


def _scored(typed: str, names: Mapping[str, str]) -> list[tuple[str, float]]:
    """Return the squeezed names most like another; a beginning of a name, as typed into a search, counts too."""
    alike = process.extract(typed, names.keys(), scorer=fuzz.ratio, limit=MOST_STREETS, score_cutoff=LEAST)
    scores = {name: score for name, score, _ in alike}
    for name in names if len(typed) >= 3 else ():
        if typed in name:
            part = 95.0 if name.startswith(typed) else 88.0 if len(typed) >= 4 else 0.0
            scores[name] = max(scores.get(name, 0.0), part)
    found = [(name, scores[name]) for name in names if scores.get(name, 0.0) >= LEAST]
    return sorted(found, key=lambda one: -one[1])[:MOST_STREETS]


@lru_cache(maxsize=8)
def _figured(village: Village) -> Sequence[tuple[str, str]]:
    """Return the squeezed names that have figures in them, each with its figures."""
    return [(name, re.sub(r"\D", "", name)) for name in _names(village) if any(c.isdigit() for c in name)]


@lru_cache(maxsize=8)
def _names(village: Village) -> Mapping[str, str]:
    """Return each way a street's name may be typed, without spaces, and the key of the street meant."""
    made: dict[str, str] = {}
    for street in village.streets:
        made[_squeezed(street.name)] = street_key(street.name)
        bare = street.name.rpartition(" ")[0]
        made.setdefault(_squeezed(bare or street.name), street_key(street.name))
    for old, present in village.aliases.items():
        made.setdefault(_squeezed(old), street_key(present))
    return made


def _squeezed(text: str) -> str:
    """Write a name as it sounds the same however it is spaced, capped and shortened."""
    return utils.default_process(street_key(text) or text).replace(" ", "")


def found(
    connection: Connection,
    village: Village,
    text: str,
    *,
    status: str = "",
    street: str = "",
    after: str = "",
    limit: int = 50,
    newest: bool = False,
) -> tuple[list[registers.Row], str]:
    """Return addresses that a text may mean, the likeliest first.

    Parameters
    ----------
    connection
        To the register.
    village
        Whose streets.
    text
        What was typed; ``""`` for all addresses.
    status
        Only of this status; ``""`` for those that are active, ``"all"`` for all.
    street
        Only of this street, by its official name.
    after
        Where the last page ended.
    limit
        How many a page holds.
    newest
        Whether those assigned last come first, whatever is likeliest.

    Returns
    -------
    list of dict, str
        The addresses with their locations, and what `after` continues with; ``""`` at the end.

    Raises
    ------
    StreetsError
        An unknown status, or an `after` that is none.
    """
    conditions = _conditions(status, street)
    asked = read(village, text) if text.strip() else None
    order: Sequence[Any] = (*IN_ORDER, addresses.c.id)
    if asked is not None and asked.words and not asked.streets:
        return [], ""
    if asked is not None:
        narrowed, order = _narrowed(connection, asked, conditions)
        conditions += narrowed
    if newest:
        return _newest(connection, conditions, after, limit)
    return _page(connection, asked, conditions, order, after, limit)


def _page(
    connection: Connection,
    asked: Asked | None,
    conditions: list[Any],
    order: Sequence[Any],
    after: str,
    limit: int,
) -> tuple[list[registers.Row], str]:
    """Return one page of what was narrowed down, and what continues it."""
    if asked is None or not asked.number:
        conditions += _after(after)
    start = 0 if asked is None or not asked.number else _count(after) if after else 0
    query = registers.located_query(*conditions).order_by(*order).limit(limit + 1).offset(start)
    rows = [dict(row) for row in connection.execute(query).mappings()]
    page, more = rows[:limit], len(rows) > limit
    if not more:
        return page, ""
    last = page[-1]
    mark = [start + limit] if start or (asked and asked.number) else [last[c.name] for c in order]
    return page, _mark(mark)


def _newest(
    connection: Connection, conditions: Sequence[Any], after: str, limit: int
) -> tuple[list[registers.Row], str]:
    """Return those assigned last; `after` holds the id that the last page ended with."""
    begun = [addresses.c.id < _count(after)] if after else []
    query = registers.located_query(*conditions, *begun).order_by(addresses.c.id.desc()).limit(limit + 1)
    rows = [dict(row) for row in connection.execute(query).mappings()]
    return rows[:limit], _mark([rows[limit - 1]["id"]]) if len(rows) > limit else ""


def _mark(values: Sequence[Any]) -> str:
    """Write where a page ended."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


def _conditions(status: str, street: str) -> list[Any]:
    if status not in {"", "all", *STATUSES}:
        raise StreetsError.of("status", status, f"all, or one of {', '.join(STATUSES)}")
    made: list[Any] = []
    if status != "all":
        made.append(addresses.c.status == status if status else registers.IS_ACTIVE)
    if street:
        made.append(addresses.c.street_key == street_key(street))
    return made


def _narrowed(connection: Connection, asked: Asked, conditions: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
    """Return what a text narrows to, and the order: the number itself first, else those nearest to it."""
    made: list[Any] = []
    if asked.streets:
        made.append(addresses.c.street_key.in_(asked.streets))
    if asked.half:
        made.append(addresses.c.half == asked.half)
    if not asked.number:
        return made, (*IN_ORDER, addresses.c.id)
    exact = [*made, addresses.c.number == asked.number]
    own = [*exact, addresses.c.fraction == asked.fraction, addresses.c.suffix == asked.suffix]
    apart = [own] if asked.fraction or asked.suffix else []
    for wanted in (*apart, exact):
        if connection.execute(sa.select(addresses.c.id).where(*conditions, *wanted).limit(1)).first():
            return wanted, (_rank(asked.streets), *IN_ORDER, addresses.c.id)
    near = sa.func.abs(addresses.c.number - asked.number)
    window = [] if asked.streets else [addresses.c.number.between(asked.number - 100, asked.number + 100)]
    return [*made, *window], (_rank(asked.streets), near, *IN_ORDER, addresses.c.id)


def _rank(streets: Sequence[str]) -> Any:
    if len(streets) < 2:
        return addresses.c.street_key
    return sa.case({key: k for k, key in enumerate(streets)}, value=addresses.c.street_key, else_=len(streets))


def _after(mark: str) -> list[Any]:
    if not mark:
        return []
    columns = (*IN_ORDER, addresses.c.id)
    values = _cursor(mark)
    if len(values) != len(columns):
        raise StreetsError.of("after", mark, "what the last page's next says")
    return [sa.tuple_(*columns) > sa.tuple_(*(sa.literal(v, c.type) for v, c in zip(values, columns, strict=True)))]


def _count(mark: str) -> int:
    value = _cursor(mark)[0]
    if not isinstance(value, int) or not 0 <= value <= 2_000_000_000:
        raise StreetsError.of("after", mark, "what the last page's next says")
    return value


def _cursor(mark: str) -> list[Any]:
    try:
        values = json.loads(base64.urlsafe_b64decode(mark.encode()))
        if not isinstance(values, list) or not all(isinstance(v, str | int) for v in values) or not values:
            raise ValueError
    except (ValueError, RecursionError) as error:
        raise StreetsError.of("after", mark, "what the last page's next says") from error
    return values


def parsed(text: str) -> Json | None:
    """Return an address text's parts where it is one, for an empty list to say how it was read."""
    try:
        address = parse(text)
    except AddressError:
        return None
    return {
        "number": address.number,
        "suffix": address.suffix,
        "half": address.pre_directional,
        "street": address.street,
    }
