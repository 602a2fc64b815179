"""The law's numbers, read from ``law.toml``: each dated, cited and quoted, and none before its first day.

An amended number is a further dated value under the same key, so an old assignment keeps the law of its day.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gis.errors import Fault, StreetsError
from gis.rules import NumberingLaw, RowLaw

LAW_FILE = Path(__file__).with_name("law.toml")
UNIT_OF = {
    "block_divisor": "number",
    "numbers_per_block": "number",
    "hundred": "number",
    "first_even": "number",
    "first_odd": "number",
    "open_unit_ft": "ft",
    "open_block_ft": "ft",
    "place_within_days": "days",
    "number_height_in": "in",
    "display_distance_ft": "ft",
    "neglect_days": "days",
    "after_service_days": "days",
    "walk_vertical_in": "in",
    "walk_gap_in": "in",
    "walk_surface_in": "in",
    "frozen_from": "day",
    "frozen_to": "day",
    "trench_ahead_ft": "ft",
    "trench_open_ft": "ft",
    "moratorium_years": "years",
    "materials_walk_part": "part",
    "materials_way_part": "part",
    "fixture_clear_ft": "ft",
    "privilege_part": "part",
    "snow_building_ft": "ft",
    "terrace_ft": "ft",
    "mailbox_curb_in": "in",
    "mailbox_paved_ft": "ft",
    "petition_percent": "percent",
    "sidewalk_permit_days": "days",
    "sidewalk_fee_cents": "cents",
    "opening_valid_days": "days",
    "opening_renewal_days": "days",
    "lanes_each_way": "number",
    "director_notice_hours": "hours",
    "utility_notice_hours": "hours",
    "replaced_lanes": "number",
    "backfill_stone_in": "in",
    "backfill_layer_in": "in",
    "compaction_percent": "percent",
    "affected_notice_business_days": "business days",
    "backfill_notice_hours": "hours",
    "coarse_stone_in": "in",
    "coarse_stone_size_in": "in",
    "fine_stone_in": "in",
    "fine_stone_size_in": "in",
    "bituminous_in": "in",
    "bituminous_base_in": "in",
    "bituminous_top_in": "in",
    "binder_gradation": "number",
    "surface_gradation": "number",
    "finish_deviation_in": "in",
    "straight_edge_ft": "ft",
    "concrete_in": "in",
    "concrete_days": "days",
    "cold_mix_in": "in",
    "winter_pavement_by": "day",
    "permanent_pavement_days": "days",
    "emergency_apply_business_days": "business days",
    "repaving_ahead_days": "days",
    "clearing_days": "days",
    "obstruction_hours": "hours",
    "bill_days": "days",
    "tax_roll_days": "days",
    "bond_cents": "cents",
    "temporary_walk_ft": "ft",
    "walk_fence_ft": "ft",
    "privilege_months": "months",
    "board_removal_hours": "hours",
    "snow_clear_hours": "hours",
    "snow_notice_hours": "hours",
    "snow_forfeit_hours": "hours",
    "snow_hazard_hours": "hours",
    "snow_offense_hours": "hours",
    "snow_bill_days": "days",
    "snow_tax_roll_days": "days",
    "improvement_by": "day",
    "hearing_published_days": "days",
    "hearing_mailed_days": "days",
}
"""Every key the software asks the law for, and its unit."""

STEPS = (
    *("base_line", "diagonal", "north", "south", "east", "west", "extension"),
    *("block", "open_block", "unit", "open_unit", "place", "odd", "even"),
    *("taken", "officer", "clerk"),
)
"""Every step of an explanation, from the base line to a person's choice; each has its sentence of the ordinance."""

Text = Annotated[str, Field(min_length=1)]
Unit = Literal[
    "number", "ft", "in", "hours", "days", "business days", "months", "years", "percent", "cents", "part", "day"
]


class LawError(StreetsError):
    """A day no law is known for, or faults in the law file, all of them named."""


class LegalValue(BaseModel):
    """One number of the law from one day on, with the sentence it stands in. Fields as in ``law.toml``."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    key: str
    value: Annotated[int | float, Field(ge=0)]
    unit: Unit
    section: Text
    letters: Literal["inferred", "text"]
    effective: date
    effective_status: Literal["assumed", "text"]
    quotation: Text
    note: str = ""

    @property
    def citation(self) -> str:
        """The section as it is shown, saying so where its letter is not in the text."""
        return f"{self.section} (letter inferred)" if self.letters == "inferred" else self.section


@dataclass(frozen=True)
class Law:
    """The numbers in force on one day.

    Parameters
    ----------
    day
        The day.
    values
        One value for each key of `UNIT_OF`, in its order.
    quotations
        The sentence that each of `STEPS` applies.
    """

    day: date
    values: tuple[LegalValue, ...]
    quotations: Mapping[str, str]

    def __getitem__(self, key: str) -> LegalValue:
        return next(value for value in self.values if value.key == key)

    @cached_property
    def numbering(self) -> NumberingLaw:
        """The numbers of D and E as the rules of `gis.numbering` take them."""
        return NumberingLaw(**{field.name: int(self[field.name].value) for field in fields(NumberingLaw)})

    @cached_property
    def right_of_way(self) -> RowLaw:
        """The numbers of the right-of-way as the checks take them: feet, and shares of a whole."""
        values = {field.name: float(self[field.name].value) for field in fields(RowLaw)}
        into = {"in": lambda v: v / 12.0, "part": lambda v: 1.0 / v, "percent": lambda v: v / 100.0}
        return RowLaw(**{name: into.get(self[name].unit, float)(value) for name, value in values.items()})


@dataclass(frozen=True)
class LawBook:
    """All dated values of a law file.

    Parameters
    ----------
    values
        Every value; those of one key by date.
    source, letters, effective
        What the file says of its source, its outline letters and its dates.
    quotations
        The sentence that each of `STEPS` applies.
    """

    values: tuple[LegalValue, ...]
    quotations: Mapping[str, str]
    source: str
    letters: str
    effective: str

    def on(self, day: date) -> Law:
        """Take the numbers in force on a day.

        Parameters
        ----------
        day
            The day, not a time: the village's own date, America/Chicago.

        Returns
        -------
        Law
            Of each key the value that took effect last, on or before the day.

        Raises
        ------
        LawError
            A key has no value yet on that day.
        """
        chosen = {value.key: value for value in self.values if value.effective <= day}
        missing = [key for key in UNIT_OF if key not in chosen]
        if missing:
            first = max(min(v.effective for v in self.values if v.key == key) for key in missing)
            which = "" if len(missing) == len(UNIT_OF) else f": {', '.join(missing)} began then"
            raise LawError.of("date", day.isoformat(), f"a day from {first} on, the first of the law file{which}")
        return Law(day, tuple(chosen[key] for key in UNIT_OF), self.quotations)


def today() -> date:
    """Return the village's date, America/Chicago."""
    return datetime.now(ZoneInfo("America/Chicago")).date()


def law_on(day: date) -> Law:
    """Take the village's law as of a day.

    Parameters
    ----------
    day
        The day, America/Chicago.

    Returns
    -------
    Law
        The numbers in force, each with its citation.

    Raises
    ------
    LawError
        The day lies before the first date of the law file, or the file is faulty.
    """
    return _book().on(day)


def read_law(path: Path = LAW_FILE) -> LawBook:
    """Read a law file and check it whole.

    Parameters
    ----------
    path
        The file; by default the one that ships with the software.

    Returns
    -------
    LawBook
        Its values.

    Raises
    ------
    LawError
        Every fault of the file: a key missing or unknown, a unit, number, date or text that is none, two
        values of one key for the same days.
    """
    tables = _tables(path)
    faults: list[Fault] = []
    about = _about(tables.pop("about", {}), faults)
    quotations = _quotations(tables.pop("quotations", {}), faults)
    values = [value for key, entries in tables.items() for value in _values(key, entries, faults)]
    expected = "at least one dated value"
    faults += [Fault(key, "nothing", expected) for key in UNIT_OF if key not in tables]
    faults += _overlaps(values)
    if faults:
        raise LawError(f"{path.name} cannot be used:", faults)
    return LawBook(tuple(values), quotations, *about)


@cache
def _book() -> LawBook:
    return read_law()


def _tables(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LawError.of(path.name, str(error), "a readable TOML file") from error


def _about(entry: Any, faults: list[Fault]) -> list[str]:
    texts = [entry.get(key, "") if isinstance(entry, dict) else "" for key in ("source", "letters", "effective")]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        faults.append(Fault("about", repr(entry), "texts source, letters and effective"))
    return texts


def _quotations(entry: Any, faults: list[Fault]) -> Mapping[str, str]:
    texts = entry if isinstance(entry, dict) else {}
    good = {key: text for key, text in texts.items() if key in STEPS and isinstance(text, str) and text.strip()}
    faults += [Fault(f"quotations.{key}", repr(texts[key]), "a sentence") for key in texts if key not in good]
    faults += [Fault(f"quotations.{key}", "nothing", "a sentence") for key in STEPS if key not in texts]
    return MappingProxyType(good)


def _values(key: str, entries: Any, faults: list[Fault]) -> list[LegalValue]:
    if key not in UNIT_OF:
        faults.append(Fault(key, "an unknown key", f"one of {', '.join(UNIT_OF)}"))
        return []
    if not (isinstance(entries, list) and entries and all(isinstance(entry, dict) for entry in entries)):
        faults.append(Fault(key, repr(entries), f"entries headed [[{key}]]"))
        return []
    values = [_value(key, f"{key}[{i}]", entry, faults) for i, entry in enumerate(entries, start=1)]
    return [value for value in values if value]


def _value(key: str, where: str, entry: dict[str, Any], faults: list[Fault]) -> LegalValue | None:
    try:
        value = LegalValue(**{**entry, "key": key})
    except ValidationError as error:
        # A number that is none fails as each of its kinds: the first is told.
        first = {e["loc"][0]: e for e in reversed(error.errors(include_url=False))}
        faults += [_fault(f"{where}.{field}", e) for field, e in first.items()]
        return None
    if value.unit != UNIT_OF[key]:
        faults.append(Fault(f"{where}.unit", value.unit, UNIT_OF[key]))
    if not value.value and value.unit != "cents":
        faults.append(Fault(f"{where}.value", "0", "a number above 0"))
    if value.unit != "in" and not isinstance(value.value, int):
        faults.append(Fault(f"{where}.value", str(value.value), "a whole number"))
    return value


def _fault(where: str, error: Any) -> Fault:
    found = "nothing" if error["type"] == "missing" else repr(error["input"])
    return Fault(where, found, "a number above 0" if where.endswith(".value") else error["msg"])


def _overlaps(values: list[LegalValue]) -> list[Fault]:
    return [
        Fault(f"{later.key}.effective", str(later.effective), f"a day after {earlier.effective}, the one above")
        for earlier, later in pairwise(values)
        if earlier.key == later.key and later.effective <= earlier.effective
    ]
