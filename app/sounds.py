"""Street names that are mistaken for each other by ear, as callers say them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import jellyfish
from rapidfuzz import fuzz

from app.village import Village
from gis.address import split_street_name, street_key
from gis.errors import AddressError

SOUND_ALIKE = 88.0
"""Street names at least so alike, of 100, are warned of: they are mistaken for each other by ear."""
SAME_SOUND = 60.0
"""Names that sound the same are warned of from this likeness on: a metaphone leaves out the vowels."""


@lru_cache(maxsize=4096)
def sound_alike(village: Village, street: str) -> str:
    """Return a street's name that is mistaken for another by ear, or ``""``; placeholders are told by their figures."""
    named = {s.name: _heard(s.name) for s in village.streets if s.name_status != "placeholder"}
    own = named.pop(street, None)
    return next((other for other, heard in named.items() if own and _mistaken(own, heard)), "")


class _Heard(NamedTuple):
    """A street's name as it is called out, without its type.

    Parameters
    ----------
    lead, name, post
        The direction that it begins with, the name itself, and the direction that it ends with.
    """

    lead: str
    name: str
    post: str

    @property
    def called(self) -> str:
        """The name with the direction that it begins with."""
        return f"{self.lead} {self.name}".strip()


@lru_cache(maxsize=4096)
def _heard(name: str) -> _Heard:
    """Return a street's name as it is called out."""
    try:
        parts = split_street_name(name)
    except AddressError:
        return _Heard("", street_key(name), "")
    own = f"{parts.street_pre_type} {parts.street_name}".casefold().strip()
    return _Heard(parts.pre_directional.casefold(), own, parts.street_post_directional)


def _mistaken(one: _Heard, other: _Heard) -> bool:
    if one.name == other.name and (bool(one.lead), bool(one.post)) != (bool(other.lead), bool(other.post)):
        return True  # "145 North Alma" is called out of Alma Street and of North Alma Court
    if one.called == other.called and one.post != other.post:
        return False  # County Road J North and South are told apart by their directions
    alike = fuzz.ratio(one.called, other.called)
    same = alike >= SAME_SOUND and _sound(one.called) == _sound(other.called)
    return bool(alike >= SOUND_ALIKE or same)


@lru_cache(maxsize=4096)
def _sound(called: str) -> str:
    """Return how a name sounds: its metaphone, word by word, by which Main and Mane are one."""
    return " ".join(jellyfish.metaphone(word) for word in called.split())
