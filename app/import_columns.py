"""Which column of a file is which field: guessed by the names that people, counties and OpenStreetMap give them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from app.import_cells import is_directions, is_types
from gis.errors import Fault, StreetsError

KINDS = ("addresses", "lots", "buildings", "streets", "layers")

_ADDRESS = {
    "address": "fulladdress fulladdr fulladd fulladdres address addr siteaddress siteaddres siteadd situs situsaddr "
    "situsaddress streetaddress propertyaddress propaddr addressfull addfull locaddress physaddr",
    "number_prefix": "addnumpre numberprefix numprefix houseprefix hseprefix prefixnumber",
    "number": "number houseno housenum housenumber hsenum hseno hnum hno addnum addnumber addrnum addrno addressnumber "
    "addrhousenumber streetno streetnum streetnumber stno stnum sitenum siteno addnumcmp addno num",
    "fraction": "fraction addnumfrac numfraction half12",
    "suffix": "suffix addnumsuf numsuffix numbersuffix housesuffix hsesuffix addrsuffix hnosuffix housesuf",
    "pre_directional": "predir predirectional prefixdirection stpredir streetpredir streetprefix dirpre "
    "fedirp direction dir predirection prefixdir half pre prefix stprefix strprefix stpre",
    "street": "street streetname stname strname fullname fullstname fullstreet addrstreet strt road roadname "
    "stfullname fullstreetname lsstname streetfull stnamefull stfull rdname",
    "street_pre_type": "pretype stpretyp streetpretype prefixtype",
    "street_post_type": "posttype sttype streettype stpostyp suffixtype streetsuffix strtype stsuffix rdtype posttyp "
    "type",
    "street_post_directional": "postdir postdirectional sufdir stposdir sufdirection dirsuf posdir streetpostdir",
    "unit_type": "unittype unitpretyp unitpretype apttype subaddtype",
    "unit": "unit unitno unitnum unitvalue apt aptno apartment suite addrunit subaddid subaddress unitid addrflats",
    "placement": "placement pointtype placetype addressplacement",
    "community": "city community postcomm postalcommunity municipality muni town village cityname postcity addrcity",
    "accuracy_ft": "accuracyft accuracyfeet",
}
_SAYS = frozenset({"suffix", "pre_directional", "street_pre_type", "street_post_type", "street_post_directional"})
_OPEN = frozenset({"pre", "prefix", "type"})
"""Names that say too little: a column of such a name is one of these fields only where its cells are."""
_PLACE = {
    "x": "x xcoord xcoordinate pointx easting east lon long longitude lng",
    "y": "y ycoord ycoordinate pointy northing north lat latitude",
    "wkt": "wkt geomwkt wktgeom geometrywkt thegeom geom geometry",
}
_SYNONYMS: Mapping[str, Mapping[str, str]] = {
    "addresses": {**_ADDRESS, **_PLACE},
    "lots": {
        "parcel": "parcel parcelid parcelno parcelnum parcelnumber pin parno pid apn taxkey taxparcelid "
        "taxpar stateid parcelpin taxid lotid prclid parid",
        "wkt": _PLACE["wkt"],
    },
    "buildings": {
        "code": "code buildingid bldgid bldg buildid building bldgcode objectid fid osmid osmwayid gid id",
        "wkt": _PLACE["wkt"],
    },
    "streets": {
        "name": "name fullname fullstname fullstreet fullstreetname streetname stname roadname street rdname",
        "kind": "kind",
        "block_line": "blockline",
        "accuracy_ft": "accuracyft accuracyfeet",
        "name_status": "namestatus",
        "source": "source",
        "wkt": _PLACE["wkt"],
    },
    "layers": {
        "layer": "layer layername rowlayer featuretype featurekind featureclass ftype type kind",
        "label": "label name parcel parcelid",
        "street": "street streetname stname fullname roadname",
        "source": "source src sourcename",
        "surveyed_on": "surveyedon surveyed surveydate surveyday datesurveyed date",
        "accuracy_ft": "accuracyft accuracyfeet accuracy",
        "holder": "holder heldby easementholder",
        "owner": "owner ownername owners",
        "occupant": "occupant tenant",
        "use": "use landuse usage",
        "wkt": _PLACE["wkt"],
    },
}
FIELDS: Mapping[str, tuple[str, ...]] = {kind: tuple(known) for kind, known in _SYNONYMS.items()}
"""The fields of each kind of import; a column of the file is mapped to one."""
ABOUT: Mapping[str, str] = {
    "address": "the address as one text",
    "number_prefix": "a rural grid's letters before the number",
    "number": "the number, with its half or letter or without",
    "fraction": "a half beside the number",
    "suffix": "a letter, or a half, beside the number",
    "pre_directional": "North, South, East or West before the street",
    "street": "the street, with its type or without",
    "street_pre_type": "a type before the name, such as County Road",
    "street_post_type": "a type after the name, such as Street",
    "street_post_directional": "a direction after the name",
    "unit_type": "Apartment, Suite and the like",
    "unit": "the unit's number or letter",
    "community": "the city or village; one that is another is warned of",
    "placement": "what the point is of: Structure, PropertyAccess, Parcel, Geocoding",
    "accuracy_ft": "how exact the position is, feet",
    "x": "longitude or easting",
    "y": "latitude or northing",
    "wkt": "the shape as text (WKT)",
    "parcel": "the parcel's own number",
    "code": "the building's own number",
    "name": "the street's name",
    "kind": "street, alley, private or path",
    "block_line": "auto or never",
    "name_status": "confirmed, inferred or placeholder",
    "source": "where it is from",
    "layer": "the layer of the right-of-way: sidewalk, curb_line, hydrant ...",
    "label": "its name; of a lot the parcel's number",
    "surveyed_on": "the day of the survey",
    "holder": "who holds an easement",
    "owner": "the owner of a lot; officers alone see it",
    "occupant": "the occupant of a lot; officers alone see it",
    "use": "residential, commercial or exempt, of a lot",
}
"""What each field is, in words."""


def check_kind(kind: str) -> str:
    """Return a kind of import, refusing another.

    Parameters
    ----------
    kind
        As given.

    Returns
    -------
    str
        One of `KINDS`.

    Raises
    ------
    StreetsError
        It is none of them.
    """
    if kind not in KINDS:
        raise StreetsError.of("kind", kind, ", ".join(KINDS))
    return kind


def folded(name: str) -> str:
    """Return a column's name by which spellings are compared.

    Examples
    --------
    >>> folded("addr:housenumber"), folded("ST_NAME")
    ('addrhousenumber', 'stname')
    """
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def guess(kind: str, columns: Sequence[str], cells: Mapping[str, Sequence[str]] | None = None) -> dict[str, str]:
    """Guess which column is which field, by its name, and of directions and types by what it holds.

    Parameters
    ----------
    kind
        One of `KINDS`.
    columns
        The file's columns.
    cells
        What they hold; None where that is not known.

    Returns
    -------
    dict
        A field for each column that has one; no field twice. Of several columns the one whose name is meant first.

    Examples
    --------
    >>> guess("addresses", ["HOUSENO", "PREDIR", "ST_NAME", "LON", "LAT", "OWNER"])
    {'HOUSENO': 'number', 'PREDIR': 'pre_directional', 'ST_NAME': 'street', 'LON': 'x', 'LAT': 'y'}
    """
    by_name: dict[str, str] = {}
    for column in columns:
        by_name.setdefault(folded(column), column)
    found: dict[str, str] = {}
    for field, words in _SYNONYMS[kind].items():
        own = [word for word in (folded(field), *words.split()) if word in by_name and by_name[word] not in found]
        # a shapefile keeps ten letters of a name
        own += [w for w in by_name if len(w) >= 10 and by_name[w] not in found and folded(field)[: len(w)] == w]
        if own:
            found[by_name[own[0]]] = field
    if kind == "addresses" and cells is not None:
        found = _by_cells(found, cells)
    return {column: found[column] for column in columns if column in found}


def _by_cells(found: Mapping[str, str], cells: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """See that columns called prefix, suffix, type and the like are the field that their cells are."""
    made = {column: field for column, field in found.items() if field not in _SAYS}
    for column, field in found.items():
        if field not in _SAYS:
            continue
        after = field in {"suffix", "street_post_type", "street_post_directional"} and folded(column) != "type"
        if is_directions(cells[column]):
            meant = "street_post_directional" if after else "pre_directional"
        elif is_types(cells[column]):
            meant = "street_pre_type" if field == "street_pre_type" else "street_post_type"
        else:
            meant = "" if folded(column) in _OPEN and any(cells[column]) else field
        if meant and meant not in made.values():
            made[column] = meant
    return made


def mapped(kind: str, columns: Sequence[str], given: Mapping[str, str], guessed: Mapping[str, str]) -> dict[str, str]:
    """Put what a person says over what was guessed.

    Parameters
    ----------
    kind
        One of `KINDS`.
    columns
        The file's columns.
    given
        A field, or ``""`` for none, for columns of the file.
    guessed
        A field for each column that is taken to have one.

    Returns
    -------
    dict
        A field for each column that has one, in the order of the columns.

    Raises
    ------
    StreetsError
        A column that the file has not, a field that the kind has not, a field given twice.
    """
    spelt = {column.casefold(): column for column in columns}
    faults, chosen = [], {}
    for column, field in given.items():
        known = column if column in columns else spelt.get(column.casefold())
        if known is None:
            faults.append(Fault("map", f"the column {column[:80]}", f"one of the file's: {', '.join(columns)[:300]}"))
        elif field and field not in FIELDS[kind]:
            faults.append(Fault("map", f"the field {field[:80]}", f"one of {', '.join(FIELDS[kind])}"))
        else:
            chosen[known] = field
    taken = [field for field in chosen.values() if field]
    faults += [Fault("map", f"{field} for {taken.count(field)} columns", "one column for a field")
               for field in dict.fromkeys(taken) if taken.count(field) > 1]  # fmt: skip
    if faults:
        raise StreetsError("The mapping cannot be used.", faults)
    kept = {column: field for column, field in guessed.items() if column not in chosen and field not in taken}
    both = {**kept, **{column: field for column, field in chosen.items() if field}}
    return {column: both[column] for column in columns if column in both}


def digest_of(columns: Sequence[str]) -> str:
    """Return the digest under which the mapping of a set of columns is remembered."""
    return hashlib.sha256("\n".join(sorted(map(str.casefold, columns))).encode()).hexdigest()
