"""What is recorded of an object in the street: each fact's form, and how it is read as people write it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from app.settings import plain
from gis.errors import Fault, StreetsError
from gis.lengths import read_length_ft, read_length_in

Json = dict[str, Any]
YES_NO = MappingProxyType({"yes": "yes", "no": "no"})
MOST_IN, MOST_FT = 600.0, 5000.0


@dataclass(frozen=True)
class Said:
    """What the law says: its own words, and where."""

    words: str
    section: str


@dataclass(frozen=True)
class Fact:
    """One thing that is recorded of a kind.

    Parameters
    ----------
    key, label, hint
        Its name in the API; what it is called on a form, and what is said beside it.
    form
        ``"text"``, ``"choice"``, ``"yes_no"``, ``"in"`` or ``"ft"``: inches or feet, as people write them.
    choices
        What may be chosen, with words for each.
    least
        A length is at least so much.
    said
        What the law says of it.
    """

    key: str
    label: str
    form: str = "text"
    hint: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    least: float = 0.0
    said: Said | None = None


@dataclass(frozen=True)
class ObjectKind:
    """A kind of object.

    Parameters
    ----------
    key, title
        Its name in the API, and in words.
    section
        Of the law that is about it.
    facts
        What is recorded of it.
    states
        States that a person records, the first when it is new; none where dates tell the state.
    said
        What the law says of it as a whole, duties first.
    dated
        Whether it is a work: it has a first and a last day, and stands on the works map.
    """

    key: str
    title: str
    section: str
    facts: tuple[Fact, ...]
    states: Mapping[str, str]
    said: tuple[Said, ...]
    dated: bool = False

    @property
    def first_state(self) -> str:
        """The state of a new one; ``""`` where dates tell it."""
        return next(iter(self.states), "")


def read_facts(kind: ObjectKind, given: Mapping[str, Any], prefix: str = "facts.") -> Json:
    """Read what was given of an object.

    Parameters
    ----------
    kind
        Its kind.
    given
        By name; what is None or empty was left out.
    prefix
        Before the name of a field at fault.

    Returns
    -------
    dict
        Only what was given: lengths as numbers, answers as true or false.

    Raises
    ------
    StreetsError
        Every field at fault.
    """
    known = {fact.key: fact for fact in kind.facts}
    expected = f"one of {', '.join(known)}"
    faults = [Fault(f"{prefix}{key}"[:80], "an unknown field", expected) for key in given if key not in known]
    facts: Json = {}
    for key, fact in known.items():
        value = given.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        try:
            facts[key] = _read(fact, value, f"{prefix}{key}")
        except StreetsError as error:
            faults += error.faults
    if faults:
        raise StreetsError("This cannot be recorded as it is.", faults)
    return facts


def _read(fact: Fact, value: Any, name: str) -> Any:
    match fact.form:
        case "in":
            return _length(read_length_in(value, name), fact.least, MOST_IN, name, "in")
        case "ft":
            return _length(read_length_ft(value, name), fact.least, MOST_FT, name, "ft")
        case "yes_no":
            return _yes(value, name)
    if not isinstance(value, str):
        raise StreetsError.of(name, repr(value)[:60], "a text")
    text = " ".join(plain(value, name).split())
    if fact.choices and text not in fact.choices:
        raise StreetsError.of(name, text[:60], f"one of {', '.join(fact.choices)}")
    if len(text) > 200:
        raise StreetsError.of(name, f"{len(text)} characters", "at most 200")
    return text


def _length(value: float, least: float, most: float, name: str, unit: str) -> float:
    if not math.isfinite(value) or not least <= value <= most:
        raise StreetsError.of(name, f"{value:g} {unit}", f"{least:g} to {most:g} {unit}")
    return round(value, 6)


def _yes(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in YES_NO:
        return value.strip().lower() == "yes"
    raise StreetsError.of(name, repr(value)[:60], "yes or no")
