"""What the Village fills in where the ordinance leaves it to another text or to a reading: each from a day on.

Nothing is filled in by default, for none of it is in the text at hand. A value is never altered: a later one takes its
place from its own day on, and one that was wrong is withdrawn. The sidewalk permit's fee is not here: § 288-4 C says
that there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy.engine import Connection

from app import case_facts, registers
from app.audit import Act
from app.case_facts import dollars
from app.case_tables import village_values
from app.changes import StateError, needs_reason
from app.clocks import LOCAL, said_day
from app.once import once
from app.registers import Row
from app.settings import plain
from app.street_objects import Asking
from gis.errors import Fault, StreetsError

Json = dict[str, Any]
Recount = Callable[[Connection, datetime], object]
"""Counts the stored clocks of all cases anew, at an instant."""
MOST_TEXT = 2000
MOST_DAYS = 400
YES_NO: Mapping[str, bool] = MappingProxyType({"yes": True, "no": False})


@dataclass(frozen=True)
class Setting:
    """One thing that the ordinance leaves to the Village.

    Parameters
    ----------
    key, title
        Its name, and what it is called.
    about
        What it is for, in a sentence or two.
    section
        The section that leaves it open, and where it is to be found.
    type
        ``cents``, ``yes_no``, ``days`` or ``text``.
    unset
        What holds until it is filled in.
    """

    key: str
    title: str
    about: str
    section: str
    type: str
    unset: str

    @property
    def counts(self) -> bool:
        """Whether the law's clocks are counted by it."""
        return self.key in {"skip_rule", "elections", "closures"}


_FEE_UNSET = "Fee not set (§ 173-1)."
_SETTINGS = (
    Setting(
        "fee_street_opening", "Fee for a street opening permit",
        "Charged with each permit to open or excavate a street, beside the Village's actual expenses.",
        "§ 288-5 F(2), by the Fee schedule of § 173-1", "cents", _FEE_UNSET,
    ),
    Setting(
        "fee_opening_renewal", "Fee for renewing a street opening permit",
        "Charged with each renewal of thirty days.",
        "§ 288-5 E, by the Fee schedule of § 173-1", "cents", _FEE_UNSET,
    ),
    Setting(
        "fee_street_privilege", "Fee for a street privilege permit",
        "Charged with each permit to encumber a street, beside the Village's actual costs.",
        "§ 288-8 C, by the Fee schedule of § 173-1", "cents", _FEE_UNSET,
    ),
    Setting(
        "penalty", "The general penalty",
        "What § 1-3 says, in its own words, for notices that name it.",
        "§ 288-9 H, as provided in § 1-3", "text", "Not filled in: papers name § 1-3 only.",
    ),
    Setting(
        "skip_rule", "Whether Wis. Stat. § 990.001(4) governs the Village's times",
        "If it does, hours leave out Sundays and legal holidays, and a last day on one of them moves to the next day. "
        "A permit's end never moves.",
        "The ordinance does not say; Wis. Stat. § 990.001(4)", "yes_no",
        "Not decided: nothing is skipped and nothing moves, and where the answer would differ both are shown.",
    ),
    Setting(
        "elections", "Whether election days are no business days",
        "Election days are legal holidays by statute; \"business day\" may be read with or without them.",
        "§ 288-6 F and H", "yes_no",
        "Not decided: an election day is counted as a business day, and where the answer would differ both are shown.",
    ),
    Setting(
        "closures", "Further days on which the Village's office is closed",
        "Days beside Saturdays, Sundays and the legal holidays that are no business days.",
        "§ 288-6 F and H", "days", "None: Monday to Friday without the legal holidays.",
    ),
)  # fmt: skip
SETTINGS: Mapping[str, Setting] = MappingProxyType({one.key: one for one in _SETTINGS})


def setting(key: str) -> Setting:
    """Return what is left to the Village, by its key.

    Raises
    ------
    StreetsError
        There is none.
    """
    if key not in SETTINGS:
        raise StreetsError.of("key", key[:60] or "nothing", f"one of {', '.join(SETTINGS)}")
    return SETTINGS[key]


# --- acts ---


def add(by: Asking, given: Mapping[str, Any], recount: Recount) -> Json:
    """Record what the Village has settled, from a day on.

    Parameters
    ----------
    by
        Who records it; that they may is checked before.
    given
        ``key``; ``value`` as `read_value` takes it; ``from``, the first day it holds, today where left out; ``source``,
        such as the Board's resolution; ``reason``.
    recount
        Called in the same transaction where clocks are counted by it.

    Returns
    -------
    dict
        ``id`` of the value.

    Raises
    ------
    StreetsError
        Naming each field at fault; nothing is stored.
    """
    found = setting(str(given.get("key") or ""))
    columns = _read(found, given, by.today)

    def do(connection: Connection) -> Json:
        act = Act(connection, by.person.actor, columns["reason"], by.now)
        made = {**columns, "key": found.key, "made_at": by.now, "made_by": by.person.actor.name}
        row = registers.insert(act, "settle", village_values, made)
        _count_anew(connection, found, by.now, recount)
        return {"id": row["id"]}

    with by.atlas.database.write() as connection:
        return once(connection, by.person.actor, by.key, {"settle": dict(given)}, lambda: do(connection))


def withdraw(by: Asking, value_id: int, reason: str, recount: Recount) -> Json:
    """Withdraw a value: the one before it holds again, or none.

    Parameters
    ----------
    by
        Who withdraws it.
    value_id
        Of the value.
    reason
        Why.
    recount
        As for `add`.

    Returns
    -------
    dict
        ``id`` of the value.

    Raises
    ------
    NotFoundError
        There is no such value.
    StateError
        It was withdrawn before.
    StreetsError
        No reason is given.
    """

    def do(connection: Connection) -> Json:
        row = registers.get(connection, village_values, value_id)
        if row["withdrawn_at"] is not None:
            raise StateError.of("id", f"value {value_id}, which was withdrawn", "a value that stands")
        act = Act(connection, by.person.actor, needs_reason(reason), by.now)
        registers.update(act, "withdraw settled", village_values, row, {"withdrawn_at": act.at})
        _count_anew(connection, SETTINGS[row["key"]], by.now, recount)
        return {"id": value_id}

    asked = {"withdraw settled": value_id, "reason": reason}
    with by.atlas.database.write() as connection:
        return once(connection, by.person.actor, by.key, asked, lambda: do(connection))


def _count_anew(connection: Connection, found: Setting, now: datetime, recount: Recount) -> None:
    if found.counts:
        recount(connection, now)


def _read(found: Setting, given: Mapping[str, Any], today: date) -> Json:
    """Read the columns of a value, with every field at fault."""
    faults: list[Fault] = []
    columns: Json = {}
    readers: Mapping[str, Callable[[], Any]] = {
        "value": lambda: read_value(found, given.get("value")),
        "effective_on": lambda: _day(given.get("from"), today),
        "source": lambda: _text(given.get("source"), "source", "where it stands, such as a resolution"),
        "reason": lambda: needs_reason(str(given.get("reason") or "")[:MOST_TEXT]),
    }
    for column, reader in readers.items():
        try:
            columns[column] = reader()
        except StreetsError as error:
            faults += error.faults
    if faults:
        raise StreetsError("This cannot be settled as it is.", faults)
    return columns


def read_value(found: Setting, given: object) -> Any:
    """Read what the Village has settled.

    Parameters
    ----------
    found
        What it is of.
    given
        Dollars as a text for a fee; ``yes`` or ``no``; a text; for days a list of ``{"day", "name"}``, or a text with
        a day and its name on each line.

    Returns
    -------
    int, bool, str or list
        Cents; whether; the text; days with their names, in order.

    Raises
    ------
    StreetsError
        It is none of these.
    """
    if found.type == "cents":
        return case_facts.read_cents(given, "value")
    if found.type == "yes_no":
        word = ("yes" if given else "no") if isinstance(given, bool) else str(given or "").strip().lower()
        if word not in YES_NO:
            raise StreetsError.of("value", str(given)[:60] or "nothing", "yes or no")
        return YES_NO[word]
    return _days(given) if found.type == "days" else _text(given, "value", "what § 1-3 says")


def _days(given: object) -> list[Json]:
    """Read days with their names, as a list or a line for each."""
    lines: list[Any] = [line for line in given.splitlines() if line.strip()] if isinstance(given, str) else []
    if not isinstance(given, str | list) or len(lines or given) > MOST_DAYS:
        raise StreetsError.of("value", "no list of days", f"at most {MOST_DAYS} days, each with its name")
    days = [_closure(line) for line in lines or given]
    if len({one["day"] for one in days}) < len(days):
        raise StreetsError.of("value", "a day twice", "each day once")
    if not days:
        raise StreetsError.of("value", "nothing", "at least one day, such as 2026-12-24 Christmas Eve")
    return sorted(days, key=lambda one: str(one["day"]))


def _closure(given: object) -> Json:
    if isinstance(given, str):
        first, _, rest = given.strip().partition(" ")
        given = {"day": first.rstrip(",;:"), "name": rest}
    if not isinstance(given, dict) or not set(given) <= {"day", "name"}:
        raise StreetsError.of("value", str(given)[:60], "a day and its name, such as 2026-12-24 Christmas Eve")
    name = str(given.get("name") or "").strip(" ,;:")
    return {"day": case_facts.read_day(given.get("day"), "value"), "name": plain(name[:100], "value")}


def _day(given: object, today: date) -> date:
    return date.fromisoformat(case_facts.read_day(given, "from")) if given not in (None, "") else today


def _text(given: object, field: str, expected: str) -> str:
    text = given.strip() if isinstance(given, str) else ""
    if not text or len(text) > MOST_TEXT:
        found = f"{len(text)} characters" if text else "nothing"
        raise StreetsError.of(field, found, f"{expected}; at most {MOST_TEXT} characters")
    return plain(text, field)


# --- what is settled ---


def listed(connection: Connection, now: datetime, *, officer: bool) -> list[Json]:
    """Return everything that is left to the Village, with what holds and what was settled before.

    Parameters
    ----------
    connection
        To the register.
    now
        The instant; what holds on its local day is in force.
    officer
        Whether who recorded each value, and why, is told too.

    Returns
    -------
    list of dict
        Of each `Setting` its texts, ``value`` and ``words`` in force, None and what holds instead while unset;
        ``standing``, the value's row; and ``history``, the last first.
    """
    today = now.astimezone(LOCAL).date()
    rows = registers.rows(connection, village_values, order=(village_values.c.effective_on, village_values.c.id))
    return [_told(one, [row for row in rows if row["key"] == one.key], today, officer) for one in _SETTINGS]


def _told(one: Setting, rows: list[Row], today: date, officer: bool) -> Json:
    standing = [row for row in rows if row["withdrawn_at"] is None and row["effective_on"] <= today]
    own = standing[-1]["id"] if standing else None
    history = [_row(one, row, today, own, officer) for row in reversed(rows)]
    found = next((row for row in history if row["id"] == own), None)
    known: Json = {"key": one.key, "title": one.title, "about": one.about, "section": one.section, "type": one.type}
    known |= {"unset": one.unset, "value": found["value"] if found else None, "standing": found, "history": history}
    return {**known, "words": found["words"] if found else one.unset}


def _row(one: Setting, row: Row, today: date, own: int | None, officer: bool) -> Json:
    state = "in force" if row["id"] == own else "withdrawn" if row["withdrawn_at"] else ""
    state = state or ("to come" if row["effective_on"] > today else "replaced")
    known: Json = {"id": row["id"], "value": row["value"], "words": words(one, row["value"]), "state": state}
    known |= {"from": row["effective_on"].isoformat(), "source": row["source"]}
    if officer:
        withdrawn = row["withdrawn_at"].isoformat() if row["withdrawn_at"] else None
        known |= {"reason": row["reason"], "made_by": row["made_by"], "made_at": row["made_at"].isoformat()}
        known["withdrawn_at"] = withdrawn
    return known


def words(one: Setting, value: Any) -> str:
    """Write a value as people do."""
    if one.type == "cents":
        return dollars(int(value))
    if one.type == "yes_no":
        return "yes" if value else "no"
    if one.type == "days":
        days = [(said_day(date.fromisoformat(each["day"])), each["name"]) for each in value]
        return "; ".join(f"{day} ({name})" if name else day for day, name in days)
    return str(value)
