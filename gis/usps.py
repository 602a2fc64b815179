"""The words of addresses and their spelling, mostly of USPS Publication 28.

Each row gives the full word, its standard abbreviation and the other spellings read for it. Publication 28
(appendix C1) folds some plurals into one abbreviation; where NENA's registry of street name types has both
words, both have a row, so that no street loses its own word.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

# Publication 28, appendix C1, as published in the MIT-licensed package usaddress-scourgify; full words spelled
# as in the NENA Registry of Street Name Pre Types and Post Types. Commons and Crossroads added from C1.
_SUFFIX_ROWS = """
Alley ALY ALLEE ALLY
Annex ANX ANEX ANNX
Arcade ARC
Avenue AVE AV AVEN AVENU AVN AVNUE
Bayou BYU BAYOO
Beach BCH
Bend BND
Bluff BLF BLUF
Bluffs BLFS
Bottom BTM BOT BOTTM
Boulevard BLVD BOUL BOULV
Branch BR BRNCH
Bridge BRG BRDGE
Brook BRK
Brooks BRKS
Burg BG
Burgs BGS
Bypass BYP BYPA BYPAS BYPS
Camp CP CMP
Canyon CYN CANYN CNYN
Cape CPE
Causeway CSWY CAUSWAY
Center CTR CEN CENT CENTR CNTER CNTR
Centers CTRS
Centre CTR
Circle CIR CIRC CIRCL CRCL CRCLE
Circles CIRS
Cliff CLF
Cliffs CLFS
Club CLB
Common CMN
Commons CMNS
Corner COR
Corners CORS
Course CRSE
Court CT CRT
Courts CTS
Cove CV
Coves CVS
Creek CRK CK CR
Crescent CRES CRECENT CRESENT CRSCNT CRSENT CRSNT
Crest CRST
Crossing XING CRSSING CRSSNG
Crossroad XRD
Crossroads XRDS
Curve CURV
Dale DL
Dam DM
Divide DV DIV DVD
Drive DR DRIV DRV
Drives DRS
Estate EST
Estates ESTS
Expressway EXPY EXP EXPR EXPRESS EXPW
Extension EXT EXTN EXTNSN
Extensions EXTS
Fall FALL
Falls FLS
Ferry FRY FRRY
Field FLD
Fields FLDS
Flat FLT
Flats FLTS
Ford FRD
Fords FRDS
Forest FRST FORESTS
Forge FRG FORG
Forges FRGS
Fork FRK
Forks FRKS
Fort FT FRT
Freeway FWY FREEWY FRWAY FRWY
Garden GDN GARDN GRDEN GRDN
Gardens GDNS GRDNS
Gateway GTWY GATEWY GATWAY GTWAY
Glen GLN
Glens GLNS
Green GRN
Greens GRNS
Grove GRV GROV
Groves GRVS
Harbor HBR HARB HARBR HRBOR
Harbors HBRS
Haven HVN HAVN
Heights HTS HEIGHT HGTS HT
Highway HWY HIGHWY HIWAY HIWY HWAY
Hill HL
Hills HLS
Hollow HOLW HLLW HOLLOWS HOLWS
Inlet INLT
Island IS ISLND
Islands ISS ISLNDS
Isle ISLE
Isles ISLE
Junction JCT JCTION JCTN JUNCTN JUNCTON
Junctions JCTS JCTNS
Key KY
Keys KYS
Knoll KNL KNOL
Knolls KNLS
Lake LK
Lakes LKS
Land LAND
Landing LNDG LNDNG
Lane LN LA LANES
Light LGT
Lights LGTS
Loaf LF
Lock LCK
Locks LCKS
Lodge LDG LDGE LODG
Loop LOOP LOOPS
Mall MALL
Manor MNR
Manors MNRS
Meadow MDW
Meadows MDWS MEDOWS
Mews MEWS
Mill ML
Mills MLS
Mission MSN MISSN MSSN
Motorway MTWY
Mount MT MNT
Mountain MTN MNTAIN MNTN MOUNTIN MTIN
Mountains MTNS MNTNS
Neck NCK
Orchard ORCH ORCHRD
Oval OVAL OVL
Overpass OPAS
Park PARK PK PRK
Parks PARK
Parkway PKWY PARKWY PKWAY PKWYS PKY
Parkways PKWY
Pass PASS
Passage PSGE
Path PATH PATHS
Pike PIKE PIKES
Pine PNE
Pines PNES
Place PL
Plain PLN
Plains PLNS PLAINES
Plaza PLZ PLZA
Point PT
Points PTS
Port PRT
Ports PRTS
Prairie PR PRARIE PRR
Radial RADL RAD RADIEL
Ramp RAMP
Ranch RNCH RANCHES RNCHS
Rapid RPD
Rapids RPDS
Rest RST
Ridge RDG RDGE
Ridges RDGS
River RIV RIVR RVR
Road RD
Roads RDS
Route RTE
Row ROW
Rue RUE
Run RUN
Shoal SHL
Shoals SHLS
Shore SHR SHOAR
Shores SHRS SHOARS
Skyway SKWY
Spring SPG SPNG SPRNG
Springs SPGS SPNGS SPRNGS
Spur SPUR
Spurs SPUR
Square SQ SQR SQRE SQU
Squares SQS SQRS
Station STA STATN STN
Stravenue STRA STRAV STRAVE STRAVEN STRAVN STRVN STRVNUE
Stream STRM STREME
Street ST STR STRT
Streets STS
Summit SMT SUMIT SUMITT
Terrace TER TERR
Throughway TRWY
Trace TRCE TRACES
Track TRAK TRACKS TRK TRKS
Trafficway TRFY
Trail TRL TR TRAILS TRLS
Tunnel TUNL TUNEL TUNLS TUNNELS TUNNL
Turnpike TPKE TPK TRNPK TRPK TURNPK
Underpass UPAS
Union UN
Unions UNS
Valley VLY VALLY VLLY
Valleys VLYS
Via VIA VDCT VIADCT
Viaduct VIA
View VW
Views VWS
Village VLG VILL VILLAG VILLG VILLIAGE
Villages VLGS
Ville VL
Vista VIS VIST VST VSTA
Walk WALK
Walks WALK
Wall WALL
Way WAY WY
Ways WAYS
Well WL
Wells WLS
"""

# Publication 28, appendix C2. The abbreviations of Upper and the spelling of Hangar are the publication's own:
# the package above has UPPER and HANGER.
_UNIT_ROWS = """
Apartment APT
Basement BSMT
Building BLDG
Department DEPT
Floor FL
Front FRNT
Hangar HNGR HANGER
Key KEY
Lobby LBBY
Lot LOT
Lower LOWR
Office OFC
Penthouse PH
Pier PIER
Rear REAR
Room RM
Side SIDE
Slip SLIP
Space SPC
Stop STOP
Suite STE
Trailer TRLR
Unit UNIT
Upper UPPR
"""

# Publication 28, section 233. NO and SO are no postal forms: old registers and maps write "No. Alma St."
_DIRECTION_ROWS = """
North N NO
South S SO
East E
West W
Northeast NE
Northwest NW
Southeast SE
Southwest SW
"""


def _abbreviations(rows: str) -> dict[str, str]:
    return {row.split()[0]: row.split()[1] for row in rows.strip().splitlines()}


def _spellings(rows: str) -> dict[str, str]:
    full_words = {word: row.split()[0] for row in rows.strip().splitlines() for word in row.upper().split()[1:]}
    # A full word beats an abbreviation that is spelled alike or shared: Park is Park though Parks is PARK too.
    return full_words | {row.split()[0].upper(): row.split()[0] for row in rows.strip().splitlines()}


#: Full street type to postal abbreviation: ``Street`` to ``ST``.
TYPE_ABBREVIATIONS = _abbreviations(_SUFFIX_ROWS)
#: Any upper-case spelling to the full street type: ``STR`` to ``Street``.
STREET_TYPES = _spellings(_SUFFIX_ROWS)
#: Full unit designator to postal abbreviation: ``Apartment`` to ``APT``.
UNIT_ABBREVIATIONS = _abbreviations(_UNIT_ROWS)
#: Any upper-case spelling to the full unit designator.
UNIT_TYPES = _spellings(_UNIT_ROWS)
#: Designators that stand alone: appendix C2 requires no identifier after them.
LONE_UNITS = frozenset({"Basement", "Front", "Lobby", "Lower", "Office", "Penthouse", "Rear", "Side", "Upper"})
#: Full direction to postal abbreviation: ``North`` to ``N``.
DIRECTION_ABBREVIATIONS = _abbreviations(_DIRECTION_ROWS)
#: Any upper-case spelling to the full direction.
DIRECTIONS = _spellings(_DIRECTION_ROWS)

#: States near enough to stand in an old register's last line, by what is written.
STATES = _spellings("WI WISCONSIN WISC WIS\nIL ILLINOIS ILL\nIA IOWA\nMN MINNESOTA")


def _any_of(words: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


DIRECTION = _any_of(DIRECTIONS)
_UNIT_ID = r"(?:(?=[A-Z-]*\d)[A-Z0-9]+(?:-[A-Z0-9]+)*|[A-Z]{1,2})"
UNIT = re.compile(
    rf"(?:[\s,]+(?P<type>{_any_of(UNIT_TYPES)})(?:[\s,#-]+(?:no\s+)?|(?=\d))(?P<id>{_UNIT_ID})"
    rf"|(?:[\s,]*\#\s*|[\s,]+no\.?\s+(?=\d))(?P<number>{_UNIT_ID})"
    rf"|[\s,]+(?P<nth>\d+)(?:st|nd|rd|th)\s+(?P<storey>floor|fl)"
    rf"|[\s,]+(?P<lone>{_any_of(word for word, full in UNIT_TYPES.items() if full in LONE_UNITS)}))$",
    re.I,
)
#: An address number, from a rural grid's prefix to its suffix.
NUMBER = re.compile(
    r"""(?:(?:no|nr|number)\b\.?\s*)?\#?\s*
    (?P<prefix>(?:[NSEW]\d{1,5}\s?)?[NSEW])?(?P<number>\d+)
    (?:(?:\s*-\s*|\s+)(?P<fraction>\d+/\d+)|(?P<decimal>\.\d+))?
    (?:-?(?P<suffix>[A-Z]))?\.?(?=[\s,]|$)""",
    re.I | re.X,
)
#: Ways of addressing mail that name no place on a street (sections 26 and 28).
MAIL_ONLY = re.compile(
    r"\b(?:P\.?\s*O\.?\s*B(?:OX\b|\.?\s*\#?\s*\d)|(?:POST\s+OFFICE\s+|CALLER\s+)?BOX\s*\#?\s*\d|POST\s+OFFICE\s+BOX\b"
    r"|GENERAL\s+DELIVERY\b)",
    re.I,
)
COUNTRY = re.compile(r"(?<=[\s,])(?:USA|US|United States)$", re.I)
POSTAL_CODE = re.compile(r"(?:^|(?<=[\s,]))\d{5}(?:-\d{4})?$")
STATE = re.compile(rf"(?:^|(?<=[\s,])){_any_of(STATES)}$", re.I)
#: Communities in and about Lafayette County, known without a comma before them.
COMMUNITY = re.compile(
    r"(?:^|(?<=[\s,]))(?:Argyle|Belmont|Benton|Blanchardville|Cuba City|Darlington|Gratiot|Hazel Green"
    r"|Mineral Point|New Diggings|Platteville|Shullsburg|South Wayne)$",
    re.I,
)

#: The fractions of an Address Number Suffix; § 288-15 makes none, old records have halves.
FRACTIONS = ("1/4", "1/3", "1/2", "2/3", "3/4")
FRACTION_SIGNS = dict(zip("¼⅓½⅔¾", FRACTIONS, strict=True))
DECIMALS = {".25": "1/4", ".5": "1/2", ".50": "1/2", ".75": "3/4"}

#: Types that are hardly ever a name: "North Street" is a street called North, "North Ridge" is Ridge's north half.
USUAL_TYPES = frozenset(
    {"Alley", "Avenue", "Boulevard", "Circle", "Court", "Drive", "Highway", "Lane", "Parkway", "Place", "Road"}
    | {"Square", "Street", "Terrace", "Trail", "Way"}
)
#: A letter or number left after a type; "Old Highway 11" and "Old Road 5" are names.
NAMES_TOO = frozenset({"Court", "Circle"})
"""Types that are names of streets too, where another type follows: Court Street."""
_TOWN_TYPES = _any_of(word for word, full in STREET_TYPES.items() if full in USUAL_TYPES - {"Highway", "Road"})
DOOR_AFTER_TYPE = re.compile(rf"\b{_TOWN_TYPES} (?:[A-Z]|\d+[A-Z]?)$", re.I)

_COUNTY, _HIGHWAY, _ROUTE = "(?:county|cnty|cty|co)", "(?:highway|hiway|hwy)", "(?:route|rte|rt)"
_DIGITS = r"\d{1,3}[A-Z]?"
_LETTERS_OR_DIGITS = rf"[A-Z]{{1,2}}|(?P<same>[A-Z])(?P=same){{2}}|{_DIGITS}"
#: Street name pre types (NENA registry): the full type, a pattern of its spellings, a pattern of the names it takes.
#: Wisconsin letters its county trunk highways: CTH J, County J and Co Rd J are the road signed "County Road J".
_PRE_TYPES = (
    ("County Road", rf"{_COUNTY} (?:road|rd)|cr|cth|{_COUNTY}(?: trunk(?: {_HIGHWAY})?)?", _LETTERS_OR_DIGITS),
    ("County Highway", rf"{_COUNTY} {_HIGHWAY}", _LETTERS_OR_DIGITS),
    ("State Road", "(?:state|st) (?:road|rd)", _DIGITS),
    ("State Route", f"(?:state|st) {_ROUTE}", _DIGITS),
    ("State Highway", rf"(?:state|st) {_HIGHWAY}|sth|(?:wisconsin|wisc?|wi)(?: {_HIGHWAY})?", _DIGITS),
    ("United States Highway", rf"(?:united states|usa?)(?: {_HIGHWAY}| {_ROUTE})?|ush", _DIGITS),
    ("Interstate", f"(?:interstate|ih?)(?: {_HIGHWAY})?", _DIGITS),
    ("Highway", _HIGHWAY, _LETTERS_OR_DIGITS),
    ("Route", _ROUTE, _LETTERS_OR_DIGITS),
    ("Avenue", "avenue|ave", "[A-Z]"),
)
PRE_TYPES = tuple(
    (full, re.compile(rf"(?:{road})[ -](?P<name>{name})(?: (?P<post>{DIRECTION}))?", re.I))
    for full, road, name in _PRE_TYPES
)
#: Pre types that name the same class of road, so that County Highway J finds County Road J.
ROAD_CLASSES = (
    dict.fromkeys(["County Highway", "County Road"], "county")
    | dict.fromkeys(["State Highway", "State Road", "State Route"], "state")
    | {"United States Highway": "us"}
)

#: Words that keep a small letter inside a name: Avenue of the Lakes.
PARTICLES = frozenset({"and", "de", "del", "des", "du", "la", "of", "the", "to"})
#: Abbreviations before a name, and after one, that keep their period: St. Patrick, King Jr.
ABBREVIATED_WORDS = {"st": "St.", "mt": "Mt.", "ft": "Ft.", "dr": "Dr."}
AFTER_A_NAME = {"jr": "Jr.", "sr": "Sr."}

_UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = (
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"),
    *("sixteenth", "seventeenth", "eighteenth", "nineteenth"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def _ordinals() -> dict[str, str]:
    numbers = {word: number for number, word in enumerate(_UNITS + _TEENS, start=1)}
    for tens, word in enumerate(_TENS, start=2):
        numbers[word[:-1] + "ieth"] = 10 * tens
        numbers |= {f"{word} {unit}": 10 * tens + i for i, unit in enumerate(_UNITS, start=1)}
    return {word: f"{number}{_ending(number)}" for word, number in numbers.items()}


def _ending(number: int) -> str:
    return "th" if 10 < number < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


#: Words of a name and the short form they share a key with: ``third`` and ``3rd``, ``saint`` and ``st``.
SHORT_WORDS = _ordinals() | {"saint": "st", "mount": "mt", "fort": "ft", "doctor": "dr"}
KEY_WORDS = re.compile(rf"\b{_any_of(SHORT_WORDS)}\b|\b0+(?=\d)")


def cased(words: Sequence[str], among: Sequence[str] = ()) -> str:
    """Give a name its capitals.

    Parameters
    ----------
    words
        The name's words, without periods.
    among
        All words of the text. Where one of them has a capital and small letters, capitals are the name's own.

    Returns
    -------
    str
        The name, with the period of St. and the like.

    Examples
    --------
    >>> cased(["ST", "PATRICK"], among=["ST", "PATRICK", "ST"])
    'St. Patrick'
    >>> cased(["JFK"], among=["JFK", "Drive"])
    'JFK'
    """
    own_capitals = any(word.istitle() and len(word) > 1 for word in among)
    name = [_cased_word(word, first=i == 0, keep=own_capitals) for i, word in enumerate(words)]
    for i, word in enumerate(words):
        table = ABBREVIATED_WORDS if i + 1 < len(words) else AFTER_A_NAME if i else {}
        name[i] = table.get(word.lower(), name[i])
    return " ".join(name)


def _cased_word(word: str, *, first: bool, keep: bool) -> str:
    if re.fullmatch(r"\d+(?:st|nd|rd|th)", word, re.I):
        return word.lower()
    if any(map(str.isdigit, word)):
        return word.upper()
    if not word.islower() and (keep or not word.isupper() or len(word) == 1):
        return word
    if word.lower() in PARTICLES and not first:
        return word.lower()
    # O'Brien and Kearns-Ridge, but Mary's
    return re.sub(r"(?:^|-)(?:[^\W\d_]')?[^\W\d_]", lambda start: start[0].upper(), word.lower())


def without_accents(text: str) -> str:
    """Return the letters of a text without their accents.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        Such as ``Cafe`` for ``Café``.
    """
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def folded(text: str) -> str:
    """Return a text's letters and digits as lower-case words.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        ``''`` where it has neither letter nor digit.
    """
    plain = without_accents(text).casefold().replace("'", "").replace("’", "")
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())


def short_name(name: str) -> str:
    """Fold a street's own name and shorten the words that have a short form.

    Parameters
    ----------
    name
        Such as ``Twenty-First``, ``Saint Patrick`` or ``Unnamed 07``.

    Returns
    -------
    str
        Such as ``21st``, ``st patrick`` or ``unnamed 7``.
    """
    return KEY_WORDS.sub(lambda word: SHORT_WORDS.get(word[0], ""), folded(name))
