"""Street names that are mistaken for each other by ear, as callers say them."""

from __future__ import annotations

from functools import lru_cache

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


@lru_cache(maxsize=4096)
def _heard(name: str) -> tuple[str, str]:
    """Return a street's name as it is called out, without its type, and its direction."""
    try:
        parts = split_street_name(name)
    except AddressError:
        return street_key(name), ""
    called = f"{parts.pre_directional} {parts.street_pre_type} {parts.street_name}".casefold().strip()
    return called, parts.street_post_directional


def _mistaken(one: tuple[str, str], other: tuple[str, str]) -> bool:
    if one[0] == other[0] and one[1] != other[1]:
        return False  # County Road J North and South are told apart by their directions
    alike = fuzz.ratio(one[0], other[0])
    return bool(alike >= SOUND_ALIKE or (alike >= SAME_SOUND and _sound(one[0]) == _sound(other[0])))


@lru_cache(maxsize=4096)
def _sound(called: str) -> str:
    """Return how a name sounds: its metaphone, word by word, by which Main and Mane are one."""
    return " ".join(jellyfish.metaphone(word) for word in called.split())
