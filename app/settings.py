"""The settings of an installation, and those of a village.

An installation's are environment variables ``BENTON_<NAME>``, none of them needed. A village's own decisions
stand in ``settings.toml`` beside its streets and are read here; `app.streets` reads the rest and bundles them.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from gis.crs import WorkingCrs, working_crs
from gis.errors import CrsError, Fault, StreetsError
from gis.rules import Reading, RowReading

REPOSITORY = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """What differs between two installations; what differs between two villages is in the data directory."""

    model_config = SettingsConfigDict(env_prefix="BENTON_", frozen=True, populate_by_name=True)

    data_dir: Path = Field(
        default=REPOSITORY / "data" / "streets",
        description="Directory of the village's streets, linework and settings.toml.",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on; 0.0.0.0 for a network.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    database_url: str = Field(
        default="",
        description="sqlite:///FILE, or postgresql://... with PostGIS; left out, register.db in state_dir.",
    )
    state_dir: Path = Field(
        default=REPOSITORY / "var",
        description="Directory of the register's own files: the database, its locks, its backups.",
    )
    public_url: str = Field(
        default="",
        description="Address of the public pages, such as https://numbers.example.org, for the links on documents.",
    )
    tls_cert: Path | None = Field(default=None, description="Certificate to serve HTTPS with, PEM.")
    tls_key: Path | None = Field(default=None, description="The certificate's private key, PEM.")
    tls_ca: Path | None = Field(
        default=None,
        description="Certificate of the local authority, for phones to fetch; left out, ca.pem beside tls_cert.",
    )
    workers: int = Field(default=1, ge=1, le=64, description="Processes that serve.")
    show_worker: bool = Field(default=False, description="Whether answers name the process that gave them.")
    lookup_rate: float = Field(
        default=200.0,
        ge=0,
        allow_inf_nan=False,
        validation_alias="BENTON_911_RATE",
        description="911 lookups a second that one key may make; 0 for any number.",
    )
    import_most_mb: int = Field(
        default=200, ge=1, le=2000, description="Largest file that may be brought in over the network, megabytes."
    )
    law_date: date | None = Field(
        default=None,
        description="Day whose law applies, such as 2026-07-01; left out, the day of the request.",
    )

    @classmethod
    def variable(cls, name: str) -> str:
        """Return the environment variable that a setting is read from."""
        return str(cls.model_fields[name].validation_alias or f"BENTON_{name.upper()}")

    @property
    def database(self) -> str:
        """The database's URL."""
        return self.database_url or f"sqlite:///{self.state_dir.absolute() / 'register.db'}"


class DataError(StreetsError):
    """Files of the village that cannot be used.

    Parameters
    ----------
    message
        A sentence naming the file or directory.
    faults
        Every fault found.
    file
        The name of the file; empty where there are several.
    """

    def __init__(self, message: str, faults: Iterable[Fault] = (), *, file: str = "") -> None:
        super().__init__(message, faults)
        self.file = file

    @classmethod
    def within(cls, path: Path, faults: Iterable[Fault]) -> "DataError":
        """Make the error of one file.

        Parameters
        ----------
        path
            The file.
        faults
            Every fault found in it.

        Returns
        -------
        DataError
            Not raised yet.
        """
        return cls(f"{path.name} cannot be used:", faults, file=path.name)

    @classmethod
    def of_file(cls, path: Path, found: object, expected: str) -> "DataError":
        """Make the error of a file that is at fault as a whole.

        Parameters
        ----------
        path
            The file.
        found, expected
            What it is, and what it should be.

        Returns
        -------
        DataError
            Not raised yet.
        """
        return cls.within(path, [Fault("file", str(found) or "nothing", expected)])


@dataclass(frozen=True)
class Ng911:
    """What the county's 911 must be told and only the Village or the county can supply; ``""`` where it is not known.

    Parameters
    ----------
    agency_id
        Domain name of the agency that answers for the data: DiscrpAgID, and the end of every NGUID.
    esn
        Emergency Service Number of the village.
    msag_community
        The village's name in the Master Street Address Guide.
    county_id
        The county's legacy identifier.
    postal_community, postal_code
        The post office's name for the village, and its ZIP Code.
    """

    agency_id: str = ""
    esn: str = ""
    msag_community: str = ""
    county_id: str = ""
    postal_community: str = ""
    postal_code: str = ""


@dataclass(frozen=True)
class VillageSettings:
    """The village's own decisions, from ``settings.toml``.

    Parameters
    ----------
    name, county, state
        Whose streets these are.
    base_ew, base_ns
        The streets of the east-west and the north-south base line, by name.
    working_crs
        The CRS lengths are measured in.
    reading
        What the ordinance leaves open.
    draft
        Why the map is a draft; empty where it is none.
    row_width_ft, row_width_accuracy_ft
        Width of the right-of-way that is assumed until a street line is surveyed, and its accuracy at 95 %, feet.
    row_reading
        What the ordinance leaves open of the right-of-way.
    no_mailboxes
        The street along which mailboxes are prohibited, and the two whose crossings bound the stretch (§ 288-10 D(2)).
    ng911
        What the exports to 911 need beside the register.
    """

    name: str
    county: str
    state: str
    base_ew: str
    base_ns: str
    working_crs: WorkingCrs
    reading: Reading
    draft: str
    row_width_ft: float = 66.0
    row_width_accuracy_ft: float = 5.0
    row_reading: RowReading = field(default_factory=RowReading)
    no_mailboxes: tuple[str, str, str] | None = None
    ng911: Ng911 = field(default_factory=Ng911)


def read_settings(directory: Path) -> VillageSettings:
    """Read ``settings.toml``.

    Parameters
    ----------
    directory
        The village's directory.

    Returns
    -------
    VillageSettings
        Checked; settings of the reading that are left out have their defaults.

    Raises
    ------
    DataError
        Every fault: a key missing, unknown or of the wrong type, a value out of range, an unusable CRS.
    """
    path = directory / "settings.toml"
    try:
        found = dict(_flat(tomllib.loads(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError) as error:
        raise DataError.of_file(path, error, "a readable TOML file") from error
    faults = _settings_faults(found)
    if faults:
        raise DataError.within(path, faults)
    return VillageSettings(
        name=tidy(found["village.name"]),
        county=tidy(found["village.county"]),
        state=tidy(found["village.state"]),
        base_ew=tidy(found["base_lines.ew"]),
        base_ns=tidy(found["base_lines.ns"]),
        working_crs=working_crs(found["working_crs"]),
        reading=Reading(**{f.name: float(found.get(f"reading.{f.name}", f.default)) for f in fields(Reading)}),
        draft=tidy(found["draft_note"]) if found.get("draft") else "",
        **{name: float(found[f"street_line.{name}"]) for name in _WIDTHS if f"street_line.{name}" in found},
        row_reading=RowReading(
            **{f.name: float(found.get(f"right_of_way.{f.name}", f.default)) for f in fields(RowReading)}
        ),
        no_mailboxes=_stretch(found),
        ng911=Ng911(**{f.name: tidy(found.get(f"ng911.{f.name}", "")) for f in fields(Ng911)}),
    )


def _stretch(found: dict[str, Any]) -> tuple[str, str, str] | None:
    names = [tidy(found[key]) for key in _STRETCH if key in found]
    return (names[0], names[1], names[2]) if len(names) == len(_STRETCH) else None


def tidy(text: str) -> str:
    """Put a text in one form: composed letters, single spaces, none at the ends.

    Parameters
    ----------
    text
        As it was written.

    Returns
    -------
    str
        The text by which two spellings are compared.
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def plain(text: str, field: str) -> str:
    """Return a text that people and every database can read, refusing control and format characters but new lines.

    A sign that turns the direction of what follows, or that cannot be seen, lets a text say another thing than it
    shows.

    Parameters
    ----------
    text
        As it was typed or sent.
    field
        The input's name, for the message.

    Returns
    -------
    str
        The text.

    Raises
    ------
    StreetsError
        It holds a control or format character.
    """
    odd = next((c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c not in "\n\r\t"), "")
    if odd:
        raise StreetsError.of(field, f"the control character U+{ord(odd):04X}", "a text that can be read")
    return text


_TEXTS = ("village.name", "village.county", "village.state", "base_lines.ew", "base_lines.ns", "working_crs")
_MOST_FT = 1e6
_TYPES = {"draft": (bool, "true or false"), "draft_note": (str, "a text")}
_RANGES = {
    "chord_ft": (1.0, _MOST_FT),
    "extension_chord_ft": (1.0, _MOST_FT),
    "ambiguous_ratio": (1.0, 100.0),
    "junction_deg": (0.0, 90.0),
    "diagonal_near_deg": (0.0, 90.0),
    "diagonal_tie_deg": (0.0, 90.0),
    "weak_resultant": (0.0, 1.0),
}
_STRETCH = tuple(f"mailboxes.{name}" for name in ("prohibited_on", "from_crossing", "to_crossing"))
_WIDTHS = ("row_width_ft", "row_width_accuracy_ft")
_DOMAIN_NAME = r"(?=.{1,100}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}"
_NG911 = {
    "ng911.agency_id": (_DOMAIN_NAME, "a domain name in small letters, such as 911.example.gov"),
    "ng911.esn": (r"\d{3,5}", "three to five digits"),
    "ng911.msag_community": (r".{1,30}", "at most 30 characters"),
    "ng911.county_id": (r".{1,5}", "at most 5 characters"),
    "ng911.postal_community": (r".{1,40}", "at most 40 characters"),
    "ng911.postal_code": (r"\d{5}", "five digits"),
}
_NUMBERS = {f"street_line.{name}": (0.0, 1000.0) for name in _WIDTHS}
_NUMBERS |= {f"right_of_way.{f.name}": (0.0, 1000.0) for f in fields(RowReading)}
_NUMBERS |= {f"reading.{f.name}": _RANGES.get(f.name, (0.0, _MOST_FT)) for f in fields(Reading)}


def _flat(table: dict[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{within}{key}.")
        else:
            yield within + key, value


def _settings_faults(found: dict[str, Any]) -> list[Fault]:
    faults = [Fault(key, "nothing", "a text") for key in _TEXTS if key not in found]
    faults += [Fault(key, repr(value), wrong) for key, value in found.items() if (wrong := _wrong(key, value))]
    if found.get("draft") and not found.get("draft_note"):
        faults.append(Fault("draft_note", "nothing", "a sentence saying why the map is a draft"))
    if 0 < sum(key in found for key in _STRETCH) < len(_STRETCH):
        faults += [Fault(key, "nothing", "a text, for the other two are given") for key in _STRETCH if key not in found]
    if found.get("base_lines.ew", "") == found.get("base_lines.ns"):
        faults.append(Fault("base_lines.ns", "the street of base_lines.ew", "another street"))
    return faults


def _wrong(key: str, value: Any) -> str:
    """Say what was expected where a setting is at fault, else nothing."""
    if key in _NUMBERS:
        low, high = _NUMBERS[key]
        fine = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        return "" if fine else f"a number from {low:g} to {high:g}"
    if key in _NG911:
        pattern, expected = _NG911[key]
        fine = isinstance(value, str) and bool(not value.strip() or re.fullmatch(pattern, tidy(value)))
        return "" if fine else f"{expected}, or nothing"
    if key in _TYPES:
        kind, expected = _TYPES[key]
        return "" if isinstance(value, kind) else expected
    if key not in (*_TEXTS, *_STRETCH):
        return "no such setting"
    if not isinstance(value, str) or not value.strip():
        return "a text"
    return _wrong_crs(value) if key == "working_crs" else ""


def _wrong_crs(text: str) -> str:
    try:
        working_crs(text)
    except CrsError as error:
        return error.faults[0].expected
    return ""
