"""OGC API - Features: the collections of the village, and the documents that tell of them (parts 1 and 2, GeoJSON)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from urllib.parse import quote, urlencode

import shapely
from sqlalchemy.engine import Connection

from app import maps
from app.exports import features_held as held
from app.exports.features_asked import CRS84, Asked, crs_of, projected, uris
from app.exports.features_kept import ADDRESSES, ALL_WORKS, LOTS, OBSTRUCTIONS, Found, Json, Kept, Page
from app.layer_features import NAMES
from app.registers import NotFoundError
from app.row_layers import Ground
from app.village import LONLAT, Village

GEOJSON, OPENAPI = "application/geo+json", "application/vnd.oai.openapi+json;version=3.1"
CONFORMS = tuple(
    f"http://www.opengis.net/spec/ogcapi-features-{part}/1.0/conf/{name}"
    for part, name in ((1, "core"), (1, "geojson"), (2, "crs"))
)
DIGITS_DEG, DIGITS_FT = 8, 3


@dataclass(frozen=True)
class Told:
    """What is said of a collection: its title and what it holds."""

    title: str
    description: str


KEPT: Mapping[str, Kept] = MappingProxyType(
    {"addresses": ADDRESSES, "lots": LOTS, "works": ALL_WORKS, "obstructions": OBSTRUCTIONS}
)
COLLECTIONS: Mapping[str, Told] = MappingProxyType(
    {
        "streets": Told("Streets", "Each street of the village by its name, as its pieces lie."),
        "block_faces": Told(
            "Block faces",
            "Both sides of each block of the Street Numbering Map that is on the ground, with its numbers, drawn "
            "half the right-of-way's width of the settings beside the street's line (§ 288-15).",
        ),
        "addresses": Told("Addresses", "Each official number; before a map is adopted each provisional one too."),
        "lots": Told("Lots", "Each lot by its parcel's number."),
        "works": Told("Works", "Openings and obstructions with their first and last day, and what each is today."),
        "obstructions": Told("Obstructions", "Those of the works that are obstructions."),
        **{
            name: Told(title, f"Layer of the right-of-way: {title.lower()}, surveyed, built or assumed.")
            for name, title in NAMES.items()
        },
    }
)


@dataclass(frozen=True)
class Source:
    """What features are read from.

    Parameters
    ----------
    connection
        To the register, in one transaction.
    village
        The village in force.
    ground
        Gives its right-of-way.
    """

    connection: Connection
    village: Village
    ground: Callable[[Connection], Ground]

    def page(self, name: str, asked: Asked) -> Page:
        """Return a page of a collection."""
        if name in KEPT:
            return KEPT[name].page(self.connection, self.village, asked)
        return held.page(self.village, self._held(name), asked)

    def one(self, name: str, wanted: str) -> Found:
        """Return a feature by its id.

        Raises
        ------
        NotFoundError
            There is none.
        """
        kept = KEPT.get(name)
        found = kept.one(self.connection, self.village, wanted) if kept else held.one(self._held(name), wanted)
        if found is None:
            raise NotFoundError.of("featureId", wanted[:100], f"the id of a feature of {name}")
        return found

    def _held(self, name: str) -> Sequence[Found]:
        if name in (held.STREETS, held.FACES):
            return held.of_village(self.village, name)
        return held.of_ground(self.ground(self.connection), name)


def check_collection(name: str) -> str:
    """Return the id of a collection.

    Raises
    ------
    NotFoundError
        There is none of that id.
    """
    if name not in COLLECTIONS:
        raise NotFoundError.of("collectionId", name[:60], f"one of {', '.join(COLLECTIONS)}")
    return name


def link(href: str, rel: str, title: str, media: str = "application/json") -> Json:
    """Return a link of a document."""
    return {"href": href, "rel": rel, "type": media, "title": title}


def landing(village: Village, base: str) -> Json:
    """Return the landing page; `base` is the address of the service, with its slash."""
    name = village.files.settings.name
    return {
        "title": f"Village of {name}: streets, addresses and right-of-way",
        "description": f"{village.draft} ".lstrip() + "Read only; no names of persons.",
        "links": [
            link(base, "self", "This document"),
            link(f"{base}api", "service-desc", "The API's description", OPENAPI),
            link(base.removesuffix("ogc/") + "api", "service-doc", "The API's page", "text/html"),
            link(f"{base}conformance", "conformance", "What this service conforms to"),
            link(f"{base}collections", "data", "The collections"),
        ],
    }


def conformance() -> Json:
    """Return the classes of the standard that are kept."""
    return {"conformsTo": list(CONFORMS)}


def collections(village: Village, base: str) -> Json:
    """Return all collections."""
    links = [link(f"{base}collections", "self", "This document")]
    return {"links": links, "crs": uris(village), "collections": [collection(village, base, n) for n in COLLECTIONS]}


def collection(village: Village, base: str, name: str) -> Json:
    """Return what a collection is, where it lies and in which coordinate reference systems it is given."""
    own, told = f"{base}collections/{name}", COLLECTIONS[name]
    (low, left), (high, right) = maps.bounds(village)
    return {
        "id": name,
        "title": told.title,
        "description": told.description,
        "itemType": "feature",
        "extent": {"spatial": {"bbox": [[left, low, right, high]], "crs": CRS84}},
        "crs": uris(village),
        "storageCrs": uris(village)[-1],
        "links": [link(own, "self", "This document"), link(f"{own}/items", "items", told.title, GEOJSON)],
    }


def items(source: Source, base: str, name: str, given: Mapping[str, str], asked: Asked, now: datetime) -> Json:
    """Return a page of features as a GeoJSON collection.

    Parameters
    ----------
    source
        What they are read from.
    base
        Address of the service, with its slash.
    name
        The collection.
    given
        The query as it was sent, for the links.
    asked
        What it asks.
    now
        The time of the answer.

    Returns
    -------
    dict
        With a link to the next page where there is one. It goes on after the last feature's id, so that what is added
        or retired meanwhile makes no feature come twice or be left out.
    """
    found = source.page(name, asked)
    own = f"{base}collections/{name}"
    links = [link(_with(f"{own}/items", given), "self", "This page", GEOJSON), link(own, "collection", name)]
    if found.after:
        links.append(link(_with(f"{own}/items", {**given, "after": found.after}), "next", "The next page", GEOJSON))
    counted = {} if found.matched is None else {"numberMatched": found.matched}
    return {
        "type": "FeatureCollection",
        "timeStamp": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        **counted,
        "numberReturned": len(found.features),
        "links": links,
        "features": list(_told(source.village, asked.crs, found.features)),
    }


def item(source: Source, base: str, name: str, wanted: str, crs: str) -> Json:
    """Return one feature as GeoJSON.

    Raises
    ------
    NotFoundError
        There is none.
    """
    (made,) = _told(source.village, crs, [source.one(name, wanted)])
    own = f"{base}collections/{name}"
    self = link(f"{own}/items/{quote(wanted, safe='')}", "self", "This feature", GEOJSON)
    return {**made, "links": [self, link(own, "collection", COLLECTIONS[name].title)]}


def _with(path: str, given: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(given)}" if given else path


def _told(village: Village, uri: str, found: Sequence[Found]) -> Iterator[Json]:
    crs = crs_of(village, uri)
    shapes = projected(village, crs, [one.shape for one in found], DIGITS_DEG if crs == LONLAT else DIGITS_FT)
    for one, shape in zip(found, shapes, strict=True):
        geometry = shapely.geometry.mapping(shape)
        yield {"type": "Feature", "id": one.id, "geometry": geometry, "properties": one.properties}


def every(source: Source, name: str, asked: Asked) -> Iterator[Json]:
    """Give every feature of a collection, read by page."""
    while True:
        found = source.page(name, asked)
        yield from _told(source.village, asked.crs, found.features)
        if not found.after:
            return
        asked = replace(asked, after=found.after)
