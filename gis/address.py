"""Street addresses as parts: read from what people and old files write, written in full words or as mail.

The parts are stored, never only the text (§ 288-15 C gives a number, a direction and a street). They carry the
names of CLDXF, the Civic Location Data Exchange Format, which NENA's address points share:

======================= ====================== ======================== ===================================
part                    NENA field             PIDF-LO                  example
======================= ====================== ======================== ===================================
number_prefix           AddNum_Pre             HNP                      ``W220N`` of grid number W220N5678
number                  Add_Number             HNO                      ``145``
fraction, suffix        AddNum_Suf             HNS                      ``1/2``; ``A``
pre_directional         St_PreDir              PRD                      ``North``
street_pre_type         St_PreTyp              STP                      ``County Road``
street_name             St_Name                RD                       ``Alma``; ``J``
street_post_type        St_PosTyp              STS                      ``Street``
street_post_directional St_PosDir              POD                      ``North`` of County Road J North
unit_type, unit         UnitPreTyp, UnitValue  UNIT_PRETYPE, UNIT_VALUE ``Apartment``, ``2``
community               Post_Comm              PCN                      ``Benton``
state                   A1                     A1                       ``WI``
postal_code             Post_Code              PC                       ``53803``
======================= ====================== ======================== ===================================

Old and pre modifiers, separators and the like stay in the street's name. No list of streets is consulted: a
street whose own name starts with a direction ("North Ridge Road") reads as its half until it carries the
direction of § 288-15 C too ("145 South North Ridge Road").
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from gis import usps
from gis.errors import AddressError
from gis.house_numbers import tidy_number

LONGEST_TEXT = 200
HIGHEST_NUMBER = 999_999  # of Add_Number in NENA's domain


@dataclass(frozen=True, kw_only=True)
class StreetParts:
    """A street's name in its parts; see the module's table.

    Parameters
    ----------
    street_name
        The name itself: ``Alma``, ``J``, ``St. Patrick``, ``Unnamed 07``.
    pre_directional, street_post_directional
        ``''`` or a direction in full.
    street_pre_type
        ``''`` or the class of a numbered or lettered road: ``County Road``.
    street_post_type
        ``''`` or a type in full: ``Street``.
    """

    street_name: str
    pre_directional: str = ""
    street_pre_type: str = ""
    street_post_type: str = ""
    street_post_directional: str = ""

    @property
    def street(self) -> str:
        """The street in full words without its pre-directional: ``Alma Street``."""
        return _joined(self.street_pre_type, self.street_name, self.street_post_type, self.street_post_directional)


@dataclass(frozen=True, kw_only=True)
class Address(StreetParts):
    """One address in its parts; see the module's table.

    Parameters
    ----------
    number
        1 to 999999.
    number_prefix
        ``''`` or a rural grid's letters and digits before the number.
    fraction
        ``''`` or one of `gis.usps.FRACTIONS`. Old records have halves; § 288-15 never makes one.
    suffix
        ``''`` or one letter (§ 288-15 E, H): several doors of one number.
    unit_type, unit
        ``Apartment`` and ``2``; ``''`` and ``2`` for #2; ``Upper`` and ``''``.
    community, state, postal_code
        The last line where the text had one. It is no part of the street address and `format_full` omits it.
    """

    number: int
    number_prefix: str = ""
    fraction: str = ""
    suffix: str = ""
    unit_type: str = ""
    unit: str = ""
    community: str = ""
    state: str = ""
    postal_code: str = ""

    @property
    def number_suffix(self) -> str:
        """CLDXF's one Address Number Suffix: ``1/2``, ``A`` or ``1/2A``."""
        return self.fraction + self.suffix

    @property
    def number_complete(self) -> str:
        """CLDXF's Address Number Complete (AddNum_Cmp): ``145A``, ``12 1/2``, ``N1234``."""
        space = " " if self.fraction else ""
        return f"{self.number_prefix}{self.number}{space}{self.number_suffix}"

    @property
    def number_order(self) -> tuple[int, Fraction, str]:
        """A key that sorts 12, 12A, 12 1/2, 13 as they stand along a street."""
        return self.number, Fraction(self.fraction or 0), self.suffix


# What phones, word processors and line ends put in place of the plain character.
_PLAIN = str.maketrans("’‘–—⁄\n\r\t\xa0", "''--/,,  ")
# A letter apart from its number is a suffix only where a direction follows: "145 A Street" is on A Street.
_SUFFIX_APART = re.compile(rf"(?P<suffix>[A-DF-MO-RT-VX-Z])\s+(?={usps.DIRECTION}\.?\s+\S)", re.I)
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*'?")


def parse(text: str) -> Address:
    """Read one street address, "number _____ North ____________________ Street" (§ 288-15 C).

    Any spelling of Publication 28 is read, in any case, with or without commas and periods. A letter joined to
    the number is its suffix (``145N`` is door N of 145, ``145 N`` the north half); a rural grid number
    (``N1234``, ``W220N5678``) keeps its prefix. A street's type and direction may be missing and stay so.

    Parameters
    ----------
    text
        At most 200 characters, such as ``"145 N Alma St Apt 2, Benton, WI 53803"``.

    Returns
    -------
    Address
        All parts in full words; parts the text lacks are ``''``.

    Raises
    ------
    AddressError
        The text is no single street address: no number first, a range of numbers, an unknown fraction, no
        street, two units, a post office box or a character that no address has. Any other text raises it too.

    Examples
    --------
    >>> parse("12½ w main").number_complete
    '12 1/2'
    >>> format_full(parse("237 E. MAIN ST."))
    '237 East Main Street'
    """
    line = _clean(text, "address")
    if box := usps.MAIL_ONLY.search(line):
        found = line[box.start() :].partition(",")[0]
        raise AddressError.of("address", found, "a street address, for a box is no place on a street")
    number, rest = _take_number(tidy_number(line))
    rest, place = _take_place(_without_periods(rest))
    rest, unit = _take_unit(rest)
    parts: dict[str, Any] = asdict(_split(_words(rest))) | number | place | unit
    return Address(**parts)


def split_street_name(full_name: str) -> StreetParts:
    """Split a street's bare name into its CLDXF parts.

    Parameters
    ----------
    full_name
        The name without a number, such as ``"Alma Street"`` or ``"County Road J North"``.

    Returns
    -------
    StreetParts
        Parts in full words; the name keeps its own capitals.

    Raises
    ------
    AddressError
        The text has no name in it, or a character that no address has.

    Examples
    --------
    >>> split_street_name("Co Rd J North").street
    'County Road J North'
    >>> split_street_name("Van Buren St.").street_post_type
    'Street'
    """
    return _split(_words(_without_periods(_clean(full_name, "street name"))))


def street_key(name: str) -> str:
    """Return the key under which all spellings of one street's name agree.

    Case, punctuation, accents, abbreviations, ordinals in words or figures, Saint and St., leading zeros and the
    names of one class of road make no difference; directions do, for County Road J North is not J South.

    Parameters
    ----------
    name
        A street's name as anyone writes it.

    Returns
    -------
    str
        Lower-case words. A text that is no street name gives its letters and digits, and ``''`` if it has none,
        so that a key can be made of every name in a file.

    Examples
    --------
    >>> street_key("Third Avenue") == street_key("3RD AVE.")
    True
    """
    try:
        parts = split_street_name(name.strip())
    except AddressError:
        return usps.folded(name)
    own_name = usps.short_name(parts.street_name)
    road_class = usps.ROAD_CLASSES.get(parts.street_pre_type, parts.street_pre_type)
    if parts.street_pre_type == "Highway" and own_name.isalpha():
        road_class = "county"  # only county highways have letters in Wisconsin
    if not road_class:  # "N St" is how North Street is often written; County Road N is a letter
        own_name = usps.DIRECTIONS.get(own_name.upper(), own_name)
    post_type = usps.TYPE_ABBREVIATIONS.get(parts.street_post_type, "")
    return _joined(parts.pre_directional, road_class, own_name, post_type, parts.street_post_directional).lower()


def on_street(number: int, pre_directional: str, full_name: str, *, suffix: str = "") -> Address:
    """Make the address that § 288-15 assigns on a street.

    Parameters
    ----------
    number
        The number assigned.
    pre_directional
        The half of the street: ``North``, ``South``, ``East`` or ``West`` (§ 288-15 C).
    full_name
        The street's name as the linework has it; a direction it starts with stays part of the name.
    suffix
        ``''`` or one letter (§ 288-15 H).

    Returns
    -------
    Address
        Its parts.

    Raises
    ------
    AddressError
        The street's name cannot be split.

    Examples
    --------
    >>> format_full(on_street(145, "North", "Alma Street"))
    '145 North Alma Street'
    """
    parts = asdict(split_street_name(full_name))
    own_name = _joined(parts.pop("pre_directional"), parts.pop("street_name"))
    return Address(number=number, suffix=suffix, pre_directional=pre_directional, street_name=own_name, **parts)


def format_full(address: Address) -> str:
    """Write an address in full words, as § 288-15 C has it.

    Parameters
    ----------
    address
        Any address that `parse` or `on_street` made.

    Returns
    -------
    str
        Number, direction, street and unit; `parse` reads the same parts from it. Without the last line.

    Examples
    --------
    >>> format_full(parse("145a n alma st apt 2, benton wi"))
    '145A North Alma Street Apartment 2'
    """
    unit = _joined(address.unit_type, address.unit) if address.unit_type else f"#{address.unit}"
    return _joined(address.number_complete, address.pre_directional, address.street, unit.removesuffix("#"))


def format_usps(address: Address) -> str:
    """Write an address as the delivery line of USPS Publication 28.

    Upper case, no punctuation, standard abbreviations. A direction that is the street's name (section 233) and
    the class of a highway (section 237) stay in full, as does a unit's ``#`` with a space after it (section 213).

    Parameters
    ----------
    address
        Any address that `parse` or `on_street` made.

    Returns
    -------
    str
        One line without the last line.

    Examples
    --------
    >>> format_usps(parse("145 North Alma Street, Apartment 2"))
    '145 N ALMA ST APT 2'
    >>> format_usps(parse("30 CTH J North"))
    '30 COUNTY ROAD J N'
    """
    return _joined(
        address.number_complete,
        usps.DIRECTION_ABBREVIATIONS.get(address.pre_directional, ""),
        address.street_pre_type.replace("United States", "US"),
        usps.without_accents(re.sub("[.']", "", address.street_name)).replace("-", " "),
        usps.TYPE_ABBREVIATIONS.get(address.street_post_type, ""),
        usps.DIRECTION_ABBREVIATIONS.get(address.street_post_directional, ""),
        usps.UNIT_ABBREVIATIONS.get(address.unit_type, "#" if address.unit else ""),
        address.unit,
    ).upper()


def _clean(text: str, field: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise AddressError.of(field, f"{len(text)} characters", f"at most {LONGEST_TEXT}")
    # NFKC would join 12½ to 121/2, so signs of fractions are set apart first and only NFC follows.
    line = re.sub("[¼-¾⅓⅔]", lambda sign: " " + usps.FRACTION_SIGNS[sign[0]], text.translate(_PLAIN))
    line = unicodedata.normalize("NFC", line)
    for character in line:
        if not _is_usual(character):
            raise AddressError.of(field, _named(character), "only letters, digits 0 to 9, spaces and . , ' - / #")
    return " ".join(line.split())


def _is_usual(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character in " .,'-/#"
    # İ, ß and the like become two characters in another case and would not be read back.
    return len(character.lower() + character.upper()) == 2 and unicodedata.name(character, "").startswith("LATIN")


def _named(character: str) -> str:
    name = unicodedata.name(character, "a control character or no character at all")
    shown = f"'{character}' " if character.isprintable() else ""
    return f"{shown}(U+{ord(character):04X} {name})"


def _without_periods(text: str) -> str:
    # "N.Alma" is two words and "U.S." one; a decimal stays, to be refused.
    text = re.sub(r"\.(?=[^\W\d_]{2})", " ", text)
    return re.sub(r"\.(?!\d)|(?<!\d)\.", "", text).strip(" ,")


def _words(text: str) -> list[str]:
    words = text.replace(",", " ").split()
    for word in words:
        if not _WORD.fullmatch(word):
            raise AddressError.of("street name", word, "words of letters and digits")
    return words


def _take_number(line: str) -> tuple[dict[str, int | str], str]:
    match = usps.NUMBER.match(line)
    digits = match["number"].lstrip("0") if match else ""
    if not match or not digits or len(digits) > len(str(HIGHEST_NUMBER)):
        expected = f"one address number of 1 to {HIGHEST_NUMBER} first, such as 145, 145A, 12 1/2 or N1234"
        raise AddressError.of("address number", line.partition(" ")[0], expected)
    fraction = match["fraction"] or usps.DECIMALS.get(match["decimal"] or "", match["decimal"] or "")
    if fraction and fraction not in usps.FRACTIONS:
        raise AddressError.of("address number", match[0], "a fraction of " + ", ".join(usps.FRACTIONS))
    rest = line[match.end() :].strip(" ,")
    apart = None if match["suffix"] else _SUFFIX_APART.match(rest)
    suffix = match["suffix"] or (apart["suffix"] if apart else "")
    parts = {"number_prefix": (match["prefix"] or "").replace(" ", "").upper(), "fraction": fraction}
    return {"number": int(digits), **parts, "suffix": suffix.upper()}, rest[apart.end() :] if apart else rest


def _take_place(rest: str) -> tuple[str, dict[str, str]]:
    rest = usps.COUNTRY.sub("", rest).rstrip(" ,")
    code = usps.POSTAL_CODE.search(rest)
    rest = rest[: code.start()].rstrip(" ,") if code else rest
    state = usps.STATE.search(rest)
    if state and not code and not _has_name(rest[: state.start()]):
        state = None  # Wisconsin Avenue, written short
    rest = rest[: state.start()].rstrip(" ,") if state else rest
    at = _community_start(rest, sure=bool(code or state))
    place = {
        "community": usps.cased(rest[at:].split()),
        "state": usps.STATES[state[0].upper()] if state else "",
        "postal_code": code[0] if code else "",
    }
    return rest[:at].rstrip(" ,"), place


def _community_start(rest: str, *, sure: bool) -> int:
    """Where the community begins: after the last comma, or a known one where the street is over before it."""
    comma = rest.rfind(",")
    if comma > 0 and _has_name(rest[:comma]) and _may_be_community(rest[comma + 1 :].split()):
        return len(rest) - len(rest[comma + 1 :].lstrip())
    known = usps.COMMUNITY.search(rest)
    before = rest[: known.start()] if known else ""
    if known and _has_name(before) and (sure or _may_end_street(before.replace(",", " ").split()[-1])):
        return known.start()
    return len(rest)


def _may_be_community(words: Sequence[str]) -> bool:
    if not all(word.replace("-", "").isalpha() for word in words) or words[0].upper() in usps.UNIT_TYPES:
        return False
    return not all(word.upper() in usps.STREET_TYPES or word.upper() in usps.DIRECTIONS for word in words)


def _may_end_street(word: str) -> bool:
    word = word.upper()
    return word in usps.STREET_TYPES or word in usps.DIRECTIONS or len(word) == 1 or not word.isalpha()


def _take_unit(rest: str) -> tuple[str, dict[str, str]]:
    if not (match := _find_unit(rest)):
        return rest, {}
    before = rest[: match.start()]
    if _find_unit(before):
        raise AddressError.of("unit", rest, "one unit, such as Apt 2")
    unit_type = usps.UNIT_TYPES.get((match["type"] or match["lone"] or match["storey"] or "").upper(), "")
    return before, {"unit_type": unit_type, "unit": (match["id"] or match["number"] or match["nth"] or "").upper()}


def _find_unit(rest: str) -> re.Match[str] | None:
    match = usps.UNIT.search(rest)
    # Trailer Court and Front Street are streets, not units.
    if match and _has_name(rest[: match.start()]) and (match["id"] or "").upper() not in usps.STREET_TYPES:
        return match
    return None


def _has_name(text: str) -> bool:
    return any(word.upper() not in usps.DIRECTIONS for word in text.replace(",", " ").split())


def _split(words: Sequence[str]) -> StreetParts:
    if not words:
        raise AddressError.of("street name", "", "a street after the number")
    lead = _direction(words[0]) if len(words) > 1 else ""
    road = " ".join(words[1:] if lead else words)
    for pre_type, pattern in usps.PRE_TYPES:
        match = pattern.fullmatch(road)
        if match and usps.STREET_TYPES.get(match["name"].upper()) not in usps.USUAL_TYPES:
            return StreetParts(
                pre_directional=lead,
                street_pre_type=pre_type,
                street_name=match["name"].upper(),
                street_post_directional=_direction(match["post"] or ""),
            )
    return _split_plain(words)


def _split_plain(words: Sequence[str]) -> StreetParts:
    rest = list(words)
    post_directional = "" if all(map(_direction, rest)) else _direction(rest[-1])
    if post_directional:
        rest.pop()
    if post_type := _post_type(rest):
        rest.pop()
    pre_directional = _direction(rest[0]) if len(rest) > 1 else ""
    if pre_directional:
        rest.pop(0)
    _check_name(rest, words, typed=bool(post_type))
    return StreetParts(
        pre_directional=pre_directional,
        street_name=usps.cased(rest, among=words),
        street_post_type=post_type,
        street_post_directional=post_directional,
    )


def _check_name(name: Sequence[str], words: Sequence[str], *, typed: bool) -> None:
    kind = usps.STREET_TYPES.get(name[0].upper()) if len(name) == 1 else None
    if kind in usps.USUAL_TYPES and not (typed and kind in usps.NAMES_TOO):
        raise AddressError.of("street name", " ".join(words), "a name, not a street type alone")
    if len(words) == 1 and words[0].upper() in {*usps.DIRECTION_ABBREVIATIONS.values()}:
        raise AddressError.of("street name", words[0], "a street after the direction")
    # § 288-15 E leaves "letter or numbers" to the owner: a door of the building, or 145B? Not for us to guess.
    if len(name) > 2 and usps.DOOR_AFTER_TYPE.search(" ".join(name)):
        raise AddressError.of("unit", name[-1], f"Apt {name[-1]}, #{name[-1]} or a letter joined to the number")


def _post_type(words: Sequence[str]) -> str:
    full = usps.STREET_TYPES.get(words[-1].upper(), "")
    if len(words) < 2 or words[-2].lower() in usps.PARTICLES:
        return ""  # Ridge alone, and Avenue of the Lakes, are names
    if len(words) == 2 and _direction(words[0]) and full not in usps.USUAL_TYPES:
        return ""
    return full


def _direction(word: str) -> str:
    return usps.DIRECTIONS.get(word.upper(), "")


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))
