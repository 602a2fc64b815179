"""Lists that pages and their CSV files share: streets sorted and searched, findings filtered."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from app.answers import as_csv
from app.maps import Mark, marks, own_findings
from app.village import StreetSummary, Village
from gis.address import street_key
from gis.blocks import Row
from gis.findings import CATALOGUE, Finding, Kind

SEVERITIES: Mapping[str, str] = {"stop": "No number", "decide": "An officer decides", "note": "For the record"}

SORTS: Mapping[str, Callable[[StreetSummary], Any]] = {
    "name": lambda s: s.name,
    "status": lambda s: s.name_status,
    "kind": lambda s: s.kind,
    "base": lambda s: s.family,
    "halves": lambda s: s.halves,
    "length": lambda s: s.length_ft,
    "blocks": lambda s: s.blocks,
    "findings": lambda s: len(s.findings),
}


@dataclass(frozen=True)
class Entry:
    """A finding where it was made: on a row (with its mark), on a half-street, or on the map as a whole."""

    finding: Finding
    street: str
    half: str
    row: Row | None = None
    mark: Mark | None = None


def streets(village: Village, q: str, sort: str) -> list[StreetSummary]:
    """Return the streets whose name holds a text, in order.

    Parameters
    ----------
    village
        The village.
    q
        Part of a name, however spelt; ``""`` for all.
    sort
        A key of `SORTS`, with ``-`` before it for descending; anything else is by name.

    Returns
    -------
    list of StreetSummary
        By `sort`, then by name.
    """
    wanted = {q.casefold().strip(), street_key(q)} - {""}
    found = [
        s
        for s in village.streets
        if not wanted or any(w in s.name.casefold() or w in street_key(s.name) for w in wanted)
    ]
    return sorted(found, key=SORTS.get(sort.removeprefix("-"), SORTS["name"]), reverse=sort.startswith("-"))


def streets_csv(village: Village, found: Iterable[StreetSummary]) -> str:
    """Return streets as CSV."""
    header = ("name", "name_status", "kind", "base_line", "halves", "length_ft", "blocks", "findings")
    rows = (
        [
            *(s.name, s.name_status, ";".join(s.kind), ";".join(base_lines(village, s)), ";".join(s.halves)),
            *(f"{s.length_ft:.2f}", str(s.blocks), str(len(s.findings))),
        ]
        for s in found
    )
    return as_csv(header, rows)


def base_lines(village: Village, street: StreetSummary) -> list[str]:
    """Return the names of the base lines a street is numbered from."""
    return [village.network.base_name(family) for family in street.family]


def entries(village: Village) -> list[Entry]:
    """Return every finding of the map: of the whole, of each street's halves, of each row."""
    found = [Entry(f, "", "") for f in village.map.findings]
    found += [e for s in village.streets for e in street_findings(village, s.name)]
    found += [
        Entry(f, m.row.street, m.row.side, m.row, m) for m in marks(village) for f in own_findings(village, m.row)
    ]
    return found


def street_findings(village: Village, name: str) -> list[Entry]:
    """Return what was found on a street's halves as a whole."""
    net = village.network
    halves = (h for h in village.map.halves if net.streets[h.street].name == name)
    return [Entry(f, name, h.name) for h in halves for f in h.findings]


def chosen(found: Iterable[Entry], kind: str, street: str, severity: str) -> list[Entry]:
    """Return the findings of one kind, street and severity; ``""`` leaves each open."""
    return [
        e
        for e in found
        if kind in {"", e.finding.code} and street in {"", e.street} and severity in {"", str(e.finding.kind.severity)}
    ]


def kinds(found: Iterable[Entry]) -> list[tuple[str, Kind, int]]:
    """Return each kind of finding that occurs with its count, in the catalogue's order."""
    counts = Counter(e.finding.code for e in found)
    return [(code, kind, counts[code]) for code, kind in CATALOGUE.items() if counts[code]]


def findings_csv(found: Iterable[Entry]) -> str:
    """Return findings as CSV."""
    header = ("mark", "code", "title", "section", "severity", "street", "half", "block", "message")
    rows = (
        [
            *(
                str(e.mark.number) if e.mark else "",
                e.finding.code,
                e.finding.kind.title,
                e.finding.section,
                str(e.finding.kind.severity),
            ),
            *(e.street, e.half, str(e.row.block) if e.row else "", e.finding.message),
        ]
        for e in found
    )
    return as_csv(header, rows)


def near(village: Village, name: str) -> list[str]:
    """Return up to five names of streets that are spelt like a name, the nearest first."""
    keys = {street_key(s.name): s.name for s in village.streets}
    return [keys[key] for key in difflib.get_close_matches(street_key(name), keys, n=5, cutoff=0.65)]


@dataclass(frozen=True)
class Call:
    """What the API offers at one address, and a command that asks for it."""

    method: str
    path: str
    summary: str
    command: str


def calls(openapi: Mapping[str, Any], base: str, village: Village) -> list[Call]:
    """Return the API's calls from its own description.

    Parameters
    ----------
    openapi
        The OpenAPI document.
    base
        The address the API is served at.
    village
        Its first street stands in the examples.

    Returns
    -------
    list of Call
        In the document's order.
    """
    schemas = openapi.get("components", {}).get("schemas", {})
    return [
        Call(method.upper(), path, about.get("summary", ""), _command(method, base + path, about, schemas, village))
        for path, methods in openapi["paths"].items()
        for method, about in methods.items()
    ]


def _command(method: str, url: str, about: Mapping[str, Any], schemas: Mapping[str, Any], village: Village) -> str:
    given = {p["name"]: p for p in about.get("parameters", ())}
    if "name" in given:
        url = url.replace("{name}", quote(village.streets[0].name, safe=""))
    examples = {n: p["schema"]["examples"][0] for n, p in given.items() if p["schema"].get("examples")}
    url = f"{url}?{urlencode(examples)}" if examples else url
    url = _PLACED.sub("1", url)
    key = ' -H "Authorization: Bearer $KEY"' if "401" in about.get("responses", {}) else ""
    body = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    if not body:
        how = "" if method == "get" else f" -X {method.upper()}"
        return f"curl{how} {shlex.quote(url)}{key}"
    example = schemas.get(str(body.get("$ref", "")).rpartition("/")[2], body).get("example", {})
    data = shlex.quote(json.dumps(example))
    return f"curl -X {method.upper()} {shlex.quote(url)}{key} -H 'Content-Type: application/json' \\\n  -d {data}"


_PLACED = re.compile(r"\{\w+\}")
