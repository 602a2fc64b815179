"""An address text held against the register and the map, part by part.

What a text says in full counts; what it may have meant instead is told and never taken for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from app.feed import Json
from app.lookup import Index, Known
from app.search import read as read_search
from app.village import Village
from gis.address import Address, format_full, on_street, parse, street_key
from gis.blocks import Row
from gis.errors import AddressError, Fault, StreetsError
from gis.rules import NumberingLaw

VALID, INVALID, UNCHECKED = "valid", "invalid", "unchecked"
NEAREST = 5
"""So many near matches are told."""
_STREET_ELEMENTS = {
    "St_PreTyp": "street_pre_type",
    "St_Name": "street_name",
    "St_PosTyp": "street_post_type",
    "St_PosDir": "street_post_directional",
}
OTHERS = (
    *("Country", "A2", "A3", "A4", "A5", "State", "County", "Inc_Muni", "Uninc_Comm", "Nbrhd_Comm", "MSAGComm", "ESN"),
    *("Building", "Structure", "Floor", "Room", "Seat", "Site", "SubSite", "Addtl_Loc", "LandmkName", "PlaceType"),
)
"""Elements that a complete location may have and nothing here can tell of."""
_NUMBER_ELEMENTS = ("AddNum_Pre", "Add_Number", "AddNum_Suf")
ELEMENTS = (
    *_NUMBER_ELEMENTS,
    *("St_PreDir", *_STREET_ELEMENTS, "UnitPreTyp", "UnitValue", "Post_Comm", "A1", "Post_Code"),
)
"""The CLDXF elements that an address may be asked for by, in the order they are written."""


@dataclass
class Found:
    """What an address text came to.

    Parameters
    ----------
    asked
        The text in its parts; None where it is one of the register's own forms.
    match
        ``official``, ``provisional``, ``proposed``, ``retired``, ``range`` or ``none``.
    known
        The address of the register, where it is one.
    row
        The block that the number lies in, where there is one.
    address
        The complete address in full words; ``""`` where there is none.
    elements
        Each CLDXF element that was given or is missing, and whether it is right.
    """

    asked: Address | None
    match: str = "none"
    known: Known | None = None
    row: Row | None = None
    address: str = ""
    elements: dict[str, str] = field(default_factory=dict)


def read_parts(parts: Mapping[str, str]) -> str:
    """Write CLDXF elements as the text they are asked for by.

    Parameters
    ----------
    parts
        Elements by their names in `ELEMENTS`.

    Returns
    -------
    str
        An address text.

    Raises
    ------
    StreetsError
        No number, no street, or a name that is none of `ELEMENTS`.
    """
    known = {*ELEMENTS, *OTHERS}
    faults = [Fault(name, parts[name], f"one of {', '.join(ELEMENTS)}") for name in parts if name not in known]
    faults += [Fault(name, "nothing", "a value") for name in ("Add_Number", "St_Name") if not parts.get(name)]
    if faults:
        raise StreetsError("These parts are no address.", faults)
    prefix, number, suffix = (parts.get(name, "").strip() for name in _NUMBER_ELEMENTS)
    space = " " if suffix[:1].isdigit() else ""
    own = [f"{prefix}{number}{space}{suffix}", *(parts[name] for name in ELEMENTS[3:-3] if parts.get(name))]
    state = " ".join(parts[name] for name in ELEMENTS[-2:] if parts.get(name))
    # apart, for a community of one word would read as the end of the street's name
    return ", ".join(part for part in (" ".join(own), parts.get("Post_Comm", ""), state) if part)


def find(index: Index, village: Village, text: str) -> Found:
    """Hold an address text against the register, then against the blocks of the map.

    Parameters
    ----------
    index
        Every address.
    village
        In force.
    text
        As anyone writes it.

    Returns
    -------
    Found
        Only what the text says in full counts: a missing direction or type is not filled in.

    Raises
    ------
    gis.errors.AddressError
        The text is no street address.
    """
    exact = index.by_text(" ".join(text.upper().split()))
    if exact is not None and exact.active:
        return Found(None, exact.status, exact, None, exact.full, _all_valid(exact))
    asked = _read(text)
    layout = layout_of(village)
    half, key = asked.pre_directional, _key(asked.street)
    if key not in layout.halves and half and _key(f"{half} {asked.street}") in layout.halves:
        half, key = "", _key(f"{half} {asked.street}")  # a street whose own name begins with a direction
    former = village.aliases.get(key) if key not in layout.halves else None
    found = Found(asked)
    _street_elements(found, asked, layout, key, half)
    present = _key(former) if former else key
    if half:
        _numbered(found, asked, index, layout, present, half, former=bool(former))
    else:
        found.elements["Add_Number"] = UNCHECKED
    if found.known is None and exact is not None:
        found.match, found.known, found.address = "retired", exact, exact.full
    _other_elements(found, asked, village)
    found.elements = {name: found.elements[name] for name in ELEMENTS if name in found.elements}
    return found


@lru_cache(maxsize=4096)
def _read(text: str) -> Address:
    return parse(text)


@lru_cache(maxsize=4096)
def _key(street: str) -> str:
    return street_key(street)


def _all_valid(known: Known) -> dict[str, str]:
    """Say that every element of an address's own form is right."""
    has = {
        "AddNum_Pre": known.prefix,
        "Add_Number": True,
        "AddNum_Suf": known.fraction or known.suffix,
        "St_PreDir": known.half,
        **_street_has(known.street),
        "UnitPreTyp": known.unit_type,
        "UnitValue": known.unit,
    }
    return {name: VALID for name, value in has.items() if value}


@lru_cache(maxsize=4096)
def _street_has(street: str) -> Mapping[str, str]:
    """Return the parts of a street's name by their elements."""
    parts = on_street(1, "", street)
    return {name: getattr(parts, column) for name, column in _STREET_ELEMENTS.items()}


@dataclass(frozen=True)
class Layout:
    """The streets and blocks of a map, by key.

    Parameters
    ----------
    halves
        The halves of each street.
    rows
        The blocks of each half-street, by their hundred.
    bare
        The keys of the streets of one name, whatever their type.
    law
        The legal values of its numbers.
    """

    halves: Mapping[str, tuple[str, ...]]
    rows: Mapping[tuple[str, str], Mapping[int, Sequence[Row]]]
    bare: Mapping[str, tuple[str, ...]]
    law: NumberingLaw

    def blocks(self, key: str, half: str, number: int) -> list[Row]:
        """Return the blocks of a half-street in whose hundred a number lies, on each path of it."""
        hundred = number // self.law.hundred * self.law.hundred
        return list(self.rows.get((key, half), {}).get(hundred, ()))

    def having(self, key: str, half: str, number: int) -> list[Row]:
        """Return those of them that have frontage for the number."""
        return [row for row in self.blocks(key, half, number) if _within(row, number, self.law)]


@lru_cache(maxsize=8)
def layout_of(village: Village) -> Layout:
    """Return a village's streets and blocks by key."""
    halves: dict[str, tuple[str, ...]] = {}
    rows: dict[tuple[str, str], dict[int, list[Row]]] = {}
    bare: dict[str, tuple[str, ...]] = {}
    for street in village.streets:
        key = _key(street.name)
        halves[key] = street.halves
        name = _bare(on_street(1, "", street.name).street_name)
        bare[name] = (*bare.get(name, ()), key)
        for row in village.rows_of(street.name):
            rows.setdefault((key, row.side), {}).setdefault(row.hundred, []).append(row)
    return Layout(halves, rows, bare, village.law.numbering)


def _bare(name: str) -> str:
    return " ".join(name.casefold().replace(".", "").split())


def _street_elements(found: Found, asked: Address, layout: Layout, key: str, half: str) -> None:
    """Say of each part of the street whether it is right; what is missing where the street has it is not."""
    made = found.elements
    known = key in layout.halves
    alike = _bare(asked.street_name) in layout.bare
    for name, column in _STREET_ELEMENTS.items():
        value = getattr(asked, column)
        if name == "St_Name":
            made[name] = VALID if known or alike else INVALID
        elif known and value:
            made[name] = VALID
        elif value or (not known and alike and name == "St_PosTyp"):
            made[name] = INVALID if alike else UNCHECKED
    has = layout.halves.get(key, ())
    if half or has:
        made["St_PreDir"] = VALID if half in has else INVALID if has else UNCHECKED


def _numbered(found: Found, asked: Address, index: Index, layout: Layout, key: str, half: str, *, former: bool) -> None:
    """Find the address or the block of a number."""
    made = found.elements
    held = index.at(key, half, asked.number)
    known = _same(held, asked)
    rows = layout.having(key, half, asked.number)
    found.row = rows[0] if rows else None
    made["Add_Number"] = VALID if held or rows else INVALID if half in layout.halves.get(key, ()) else UNCHECKED
    if asked.number_prefix:
        made["AddNum_Pre"] = VALID if known else INVALID
    if asked.number_suffix:
        made["AddNum_Suf"] = VALID if known else INVALID
    if known is not None:
        found.known, found.address = known, known.full
        found.match = "retired" if former else known.status
        if former:
            found.address = format_full(asked)
        if asked.unit and known.unit == asked.unit:
            made["UnitValue"] = VALID
            made |= {"UnitPreTyp": VALID} if asked.unit_type else {}
        return
    plain = not (former or asked.number_prefix or asked.number_suffix)
    if rows and plain and not any(one.active for one in held):
        found.match = "range"
        found.address = format_full(on_street(asked.number, half, rows[0].street))


def _within(row: Row, number: int, law: NumberingLaw) -> bool:
    """Whether a block has frontage for a number (§ 288-15 D, E)."""
    k = (number - row.hundred - (law.first_odd if number % 2 else law.first_even)) // 2
    return 0 <= k <= law.last_unit and row.from_ft + k * row.unit_ft < row.to_ft - 0.005


def _same(held: Sequence[Known], asked: Address) -> Known | None:
    """Return the address that was asked for: with its unit, else the one whose unit it is; active before retired."""
    numbered = (asked.number_prefix, asked.fraction, asked.suffix)
    same = [one for one in held if (one.prefix, one.fraction, one.suffix) == numbered]
    with_unit = [one for one in same if one.unit and one.unit == asked.unit]
    without = [one for one in same if not one.unit]
    return max(with_unit or without, key=lambda one: (one.active, one.id), default=None)


def _other_elements(found: Found, asked: Address, village: Village) -> None:
    made = found.elements
    for name, value in (("UnitPreTyp", asked.unit_type), ("UnitValue", asked.unit), ("Post_Code", asked.postal_code)):
        if value:
            made.setdefault(name, UNCHECKED)
    if asked.community:
        made["Post_Comm"] = VALID if asked.community.casefold() == village.files.settings.name.casefold() else INVALID
    if asked.state:
        made["A1"] = VALID if _read_state(village.files.settings.state) == asked.state else INVALID
    if INVALID in {made.get("Post_Comm"), made.get("A1")}:  # the same number and street of another place
        found.match, found.known, found.address = "none", None, ""


@lru_cache(maxsize=64)
def _read_state(state: str) -> str:
    try:
        return parse(f"1 Main St, Benton, {state}").state
    except AddressError:
        return state


def near_matches(index: Index, village: Village, found: Found) -> list[Json]:
    """Return what a text may have meant: never taken for it.

    Parameters
    ----------
    index
        Every address; its lock is held.
    village
        In force.
    found
        What the text came to.

    Returns
    -------
    list of dict
        At most `NEAREST`: addresses of the register before numbers that only lie in a block.
    """
    asked, layout = found.asked, layout_of(village)
    if asked is None:
        return []
    names = dict.fromkeys((asked.street, f"{asked.pre_directional} {asked.street}".strip()))
    keys = [key for key in map(_key, names) if key in layout.halves]
    former = village.aliases.get(_key(asked.street))
    keys = keys or ([_key(former)] if former else [])
    keys += [_key(name) for key in keys for name in village.formerly.get(key, ())]
    keys = (
        keys or list(layout.bare.get(_bare(asked.street_name), ())) or list(read_search(village, asked.street).streets)
    )
    halves = [
        (key, half)
        for key in keys[:NEAREST]
        for half in sorted(layout.halves.get(key, ()), key=lambda half: half != asked.pre_directional)
    ]
    held = [one for place in halves for one in index.at(*place, asked.number) if one.active]
    held += [one for place in halves for one in index.beside(*place, asked.number, NEAREST)]
    held = held or ([] if halves else index.numbered(asked.pre_directional, asked.number))
    lying = [one for place in halves for one in _lying(layout, *place, asked.number)] if found.match == "none" else []
    lying = lying or ([] if held else [one for place in halves for one in _closest(layout, *place, asked.number)])
    own = found.known.id if found.known and found.known.active else 0
    told = {one.id: one.brief for one in held if one.id != own}
    same = [one for one in told.values() if index.by_id[one["id"]].number == asked.number]
    taken = {one["address"] for one in told.values()} | {found.address}
    blocks = [one for one in lying if one["address"] not in taken]
    others = [one for one in told.values() if one not in same]
    return [*same, *blocks, *others][:NEAREST]


def _closest(layout: Layout, key: str, half: str, number: int) -> list[Json]:
    """Return the number of a half-street's blocks that is nearest to one that none of them has."""
    blocks = layout.rows.get((key, half), {})
    steps = ((hundred, number + 2 * k) for hundred in blocks for k in _toward(layout.law, hundred, number))
    has = [other for hundred, other in steps if any(_within(row, other, layout.law) for row in blocks[hundred])]
    nearest = min(has, key=lambda other: abs(other - number), default=0)
    return _lying(layout, key, half, nearest) if nearest else []


def _toward(law: NumberingLaw, hundred: int, number: int) -> range:
    """Return how many steps of two lead from a number to each number of its parity in a block."""
    first = hundred + (law.first_odd if number % 2 else law.first_even)
    return range((first - number) // 2, (first - number) // 2 + law.last_unit + 1)


def _lying(layout: Layout, key: str, half: str, number: int) -> list[Json]:
    found = layout.having(key, half, number)[:1]
    return [
        {"id": None, "address": format_full(on_street(number, half, row.street)), "status": "range"} for row in found
    ]


@lru_cache(maxsize=4096)
@lru_cache(maxsize=16_384)
def between(village: Village, key: str, half: str, number: int) -> str:
    """Return what a dispatcher says of where a block lies: ``", between First Avenue and Second Avenue"``.

    Parameters
    ----------
    village
        In force.
    key, half
        The half-street.
    number
        Any number of the block.
    """
    row = next(iter(layout_of(village).blocks(key, half, number)), None)
    streets = row.bounded_by[:2] if row else ()
    if len(streets) < 2:
        return f", near {streets[0]}" if streets else ""
    return f", between {' and '.join(streets)}"


def block_of(village: Village, known: Known) -> Row | None:
    """Return the block of the map that an address's number lies in; None where the map has none."""
    rows = layout_of(village).blocks(known.key, known.half, known.number)
    return rows[0] if rows else None


def successor(index: Index, found: Found) -> Json | None:
    """Return the address that took the place of one that was retired, or whose street has another name now."""
    known = found.known
    if known is None or found.match != "retired":
        return None
    seen = set()
    while not known.active and known.replaced_by is not None and known.id not in seen:
        seen.add(known.id)
        known = index.by_id[known.replaced_by]
    return known.brief if known is not found.known or known.active else None
