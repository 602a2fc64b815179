"""Features that are held in memory, in the order of their ids: streets, block faces, layers of the right-of-way."""

from __future__ import annotations

import bisect
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np
import shapely
from shapely import LineString, MultiLineString
from shapely.geometry.base import BaseGeometry

from app import maps
from app.exports.features_asked import Asked, meets
from app.exports.features_kept import Found, Json, Page
from app.layer_features import PRIVATE, TOLD, layer_of, properties
from app.row_layers import Ground
from app.village import Village
from gis.blocks import Row
from gis.faces import face

SHORTEST_FT = 1.0
OPEN = tuple(name for name in TOLD if name not in PRIVATE)
"""What everybody may know of some features of a layer and not of others: each has it, or nothing."""
STREETS, FACES = "streets", "block_faces"
_HELD: WeakKeyDictionary[Village | Ground, dict[str, list[Found]]] = WeakKeyDictionary()
"""What was made of a village or its right-of-way, for as long as that is in force."""


def of_village(village: Village, name: str) -> Sequence[Found]:
    """Return the streets or the block faces of a village, by id."""
    return _held(village, name, lambda: _streets(village) if name == STREETS else _faces(village))


def of_ground(ground: Ground, name: str) -> Sequence[Found]:
    """Return the features of a layer of the right-of-way, by id; what only officers see of a lot is left out."""
    return _held(ground, name, lambda: _layer(ground, name))


def _held(of: Village | Ground, name: str, make: Callable[[], Iterable[Found]]) -> Sequence[Found]:
    kept = _HELD.setdefault(of, {})
    if name not in kept:
        kept[name] = sorted(make(), key=lambda one: str(one.id))
    return kept[name]


def page(village: Village, features: Sequence[Found], asked: Asked) -> Page:
    """Return a page of features; none of them has a time, so that every time is theirs."""
    inside = meets(village, asked.area, [one.shape for one in features])
    wanted = [one for one, within in zip(features, inside, strict=True) if within]
    start = bisect.bisect_right(wanted, asked.after, key=lambda one: str(one.id)) if asked.after else 0
    shown = wanted[start : start + asked.limit]
    more = start + asked.limit < len(wanted)
    return Page(shown, str(shown[-1].id) if more else "", len(wanted))


def one(features: Sequence[Found], wanted: str) -> Found | None:
    """Return a feature by its id; None where there is none."""
    k = bisect.bisect_left(features, wanted, key=lambda found: str(found.id))
    return features[k] if k < len(features) and features[k].id == wanted else None


def _streets(village: Village) -> Iterator[Found]:
    for street in village.streets:
        lines = [piece.line for piece in village.network.pieces if piece.name == street.name]
        told: Json = {"name": street.name, "name_status": street.name_status, "kind": ", ".join(street.kind)}
        told |= {"halves": ", ".join(street.halves), "length_ft": round(street.length_ft, 1), "blocks": street.blocks}
        yield Found(street.name, MultiLineString(lines), told)


def _faces(village: Village) -> Iterator[Found]:
    """Give both sides of each block on the ground, half the right-of-way beside the street's line."""
    used: Counter[str] = Counter()
    for row in village.map.rows:
        half = village.map.halves[row.half]
        low, high = maps.ground(half)
        near, far = max(row.from_ft, low), min(row.to_ft, high)
        if far - near < SHORTEST_FT:
            continue
        line = LineString(maps.along(half, near, far))
        for even in (False, True):
            left = half.even_is_left == even
            beside = line.offset_curve((1 if left else -1) * village.files.settings.row_width_ft / 2)
            told = _of_face(village, row, even=even) | {"length_ft": round(far - near, 1)}
            name = f"{row.street}, {row.side}, {row.hundred}, {told['parity']}"
            used[name] += 1
            name = name if used[name] == 1 else f"{name}, {used[name]}"
            yield Found(name, beside if not beside.is_empty else line, told)


def _of_face(village: Village, row: Row, *, even: bool) -> Json:
    numbers = [one.number for one in face(row, village.map, even=even)]
    told: Json = {"street": row.street, "half": row.side, "hundred": row.hundred, "block": row.block}
    told |= {"parity": "even" if even else "odd", "unit_ft": row.unit_ft}
    told |= {"from_number": numbers[0] if numbers else None, "to_number": numbers[-1] if numbers else None}
    return told | {"from_streets": ", ".join(row.from_streets), "to_streets": ", ".join(row.to_streets)}


def _layer(ground: Ground, name: str) -> Iterator[Found]:
    used: Counter[str] = Counter()
    for feature in layer_of(ground, name).features:
        told = {k: v for k, v in properties(name, feature, officer=False).items() if k != "id"}
        told = {**dict.fromkeys(OPEN), **told}
        own = feature.known.get("id")
        local = f"surveyed-{own}" if own else f"{told['status']}-{_digest(feature.shape, feature.label)}"
        used[local] += 1
        yield Found(local if used[local] == 1 else f"{local}-{used[local]}", feature.shape, told)


def _digest(shape: BaseGeometry, label: str) -> str:
    """Return what stands for a built feature: the same as long as it lies where it lies."""
    rounded = np.round(shapely.get_coordinates(shape), 2)
    return hashlib.sha256(label.encode() + rounded.tobytes()).hexdigest()[:16]
