"""What a notice of an assigned number tells its owner to do: each duty with its section and the law's own words.

The words are the ordinance's; what is added is arithmetic, measurement and who to ask. No penalty is invented.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType

from app.clocks import Deadline, said_day, said_instant
from app.law import Law


@dataclass(frozen=True)
class Notice:
    """What an assignment notice says beside what it shares with a certificate.

    Parameters
    ----------
    assigned_on
        The day of the assigning.
    deadline
        By when the number is to be placed (G(2)).
    first_number
        Whether it is the first number of the building, which the Village pays, or a replacement.
    addressee
        Names if known, and where the notice goes; lines apart.
    display
        ``at_building``, ``at_street_line`` or ``measure_it`` (G(3)).
    set_back_ft, set_back_uncertainty_ft
        Distance to the street line and its uncertainty, feet; NaN where it is not known.
    set_back_from_door
        Whether it was measured from the entrance, not from the building.
    assumed_width_ft
        The right-of-way width the street line was assumed by; 0 where it is surveyed.
    old_address
        What the number replaces, or ``""``.
    doors
        How many doors serve separate occupants.
    existing
        Whether the number was brought into the register; then the day of its assigning is not known.
    """

    assigned_on: date
    deadline: Deadline
    first_number: bool
    addressee: str
    display: str
    set_back_ft: float
    set_back_uncertainty_ft: float
    set_back_from_door: bool
    assumed_width_ft: float
    old_address: str
    doors: int
    existing: bool = False


@dataclass(frozen=True)
class Quoted:
    """Words of the ordinance, unaltered, and their section."""

    section: str
    text: str


@dataclass(frozen=True)
class Duty:
    """One thing a notice tells, and the law it stands on.

    Parameters
    ----------
    title
        What to do, in a few words.
    text
        The same in sentences; each goes on a line of its own.
    law
        The law's own words.
    """

    title: str
    text: tuple[str, ...]
    law: tuple[Quoted, ...]


@dataclass(frozen=True)
class Letter:
    """What a letter about a number says beside what it shares with a certificate.

    Parameters
    ----------
    title
        What it is.
    addressee
        Names if known, and where it goes; lines apart.
    opening, below
        The sentences above the address and below it; ``""`` for none below.
    summary
        Three short parts side by side: a label, what holds, and what to add to it or ``""``.
    duties
        What it tells to do, with the law's words.
    """

    title: str
    addressee: str
    opening: str
    below: str
    summary: tuple[tuple[str, str, str], ...]
    duties: tuple[Duty, ...]


ORDINANCE: Mapping[str, Quoted] = MappingProxyType(
    {
        "place": Quoted(
            "288-15 G(1)",
            "When the said survey shall have been completed and each house and building has been assigned its "
            "respective number, the owner, occupant or agent shall place or cause to be placed upon each house or "
            "building controlled by him the number or numbers assigned under the uniform system provided for in "
            "this section.",
        ),
        "first_cost": Quoted("288-15 G(2)", "The cost of the number or numbers shall be paid by the Village."),
        "replacement_cost": Quoted(
            "288-15 G(2)", "Replacements of numbers shall be procured and paid for by the owner."
        ),
        "door": Quoted(
            "288-15 G(3)",
            "The numbers shall be conspicuously placed immediately above, on or at the side of the proper door of "
            "each building so that the number can be seen plainly from the street.",
        ),
        "street_edge": Quoted(
            "288-16",
            "If a building is located so that its street number cannot be easily read from the street, then such "
            "street number shall also be erected on the street edge of the property.",
        ),
        "doors": Quoted(
            "288-15 E",
            "Where any building has more than one door serving separate occupants, one number shall be assigned to "
            "the building and the owner shall differentiate between the doors using letter or numbers as may be "
            "appropriate.",
        ),
        "suffix": Quoted(
            "288-15 H",
            "Only one number shall be assigned to any house or building; the owner, occupant or agent of such house "
            "or building who shall desire distinctive numbers for each entrance, for the upper and lower portions of "
            "any such house or building, or for any part of such house or building fronting on any street, such "
            'owner, occupant or agent shall use the suffix "A," "B," "C," etc., as may be required.',
        ),
        "mailbox": Quoted(
            "288-10 D(5)",
            "The owner, occupant or agent in charge of the premises shall cause to be affixed and to be maintained "
            "when so affixed to each mailbox controlled by him/her the official street number assigned to that "
            "address as provided in § 288-15A hereof. Each required number shall be affixed on the particular "
            "mailbox in such a location that it may be easily and readily seen by a person of ordinary eyesight on "
            "the public street or highway upon which the mailbox abuts.",
        ),
        "report": Quoted(
            "288-15 L",
            "It shall be the duty of all police officers of the Village of Benton to report violation of any provision "
            "of this section.",
        ),
        "conviction": Quoted("288-15 M", "Upon conviction thereof, he shall be subject to penalties."),
        "inform": Quoted(
            "288-15 J",
            "It shall be the duty of the Village Clerk-Treasurer to inform any party applying therefor, of the "
            "number or numbers belonging or embraced within the limits of said lot or property as provided in this "
            "section. In case of doubt as to the proper number to be assigned to any lot or building, the "
            "Clerk-Treasurer shall determine the number of such lot or building.",
        ),
    }
)
"""Sentences of §§ 288-10, 288-15 and 288-16 that no number of the law file stands in, word for word."""


def duties(notice: Notice, law: Law) -> tuple[Duty, ...]:
    """Tell what follows for the owner, occupant or agent from a number.

    Parameters
    ----------
    notice
        The notice.
    law
        The law of its day.

    Returns
    -------
    tuple of Duty
        In the order they are to be read.
    """
    mailbox = Duty("On the mailbox", ("For each mailbox that you control.",), (ORDINANCE["mailbox"],))
    return (_when(notice, law), *display(notice, law), mailbox, _neglect(law), WHO_TO_ASK)


def display(notice: Notice, law: Law) -> tuple[Duty, ...]:
    """Tell who pays for a number, how large it is, and where it is displayed (G(2), G(3), § 288-16)."""
    found = [
        _who_pays(notice),
        _how_large(law),
        _where(notice, law),
        Duty(
            "At the street edge too, where it cannot be easily read",
            ("This stands beside the duty above, whatever the distance.",),
            (ORDINANCE["street_edge"],),
        ),
    ]
    if notice.doors > 1:
        found.append(_doors(notice))
    return tuple(found)


WHO_TO_ASK = Duty("Who to ask", ("The Village Clerk-Treasurer.",), (ORDINANCE["inform"],))


def summary(notice: Notice, law: Law) -> tuple[tuple[str, str, str], ...]:
    """Tell the notice in three short parts: a label, what holds, and what to add to it or ``""``."""
    other = notice.deadline.alternative
    return (
        ("Place it by", due_day(notice.deadline), f"{said(other)} under another reading: see 1 below" if other else ""),
        ("The number is paid by", "the Village" if notice.first_number else "the owner", ""),
        ("Its height is not less than", inches(law["number_height_in"].value), ""),
    )


def valued(law: Law, key: str) -> Quoted:
    """Return the sentence that a number of the law stands in."""
    value = law[key]
    return Quoted(value.section.removeprefix("§ "), value.quotation)


def said(when: date | datetime) -> str:
    """Write a day or an instant; of a day, its end."""
    return said_instant(when) if isinstance(when, datetime) else said_day(when)


def due_day(deadline: Deadline) -> str:
    """Write when a deadline is."""
    when = deadline.at or deadline.day
    return said(when) if when else "no day"


def readings(deadline: Deadline) -> tuple[str, ...]:
    """Tell the other answer of a deadline, where there is one, and how the law was read."""
    other = deadline.alternative
    told = f"Under another reading: {said(other)}. {deadline.alternative_reading}" if other else ""
    return tuple(text for text in (told, deadline.reading) if text)


def _when(notice: Notice, law: Law) -> Duty:
    deadline = notice.deadline
    text = [deadline.counted]
    if notice.existing:
        text.append("It is an existing number, and when it was assigned is not known: counted from its entry here.")
    return Duty(
        f"By {due_day(deadline)}", (*text, *readings(deadline)), (ORDINANCE["place"], valued(law, "place_within_days"))
    )


def _who_pays(notice: Notice) -> Duty:
    if notice.first_number:
        why = "It is an existing number." if notice.existing else "This is the building's first number."
        return Duty("The Village pays", (why,), (ORDINANCE["first_cost"],))
    was = f" It replaces {notice.old_address}." if notice.old_address else ""
    text = f"This number is a replacement: you procure it and pay for it.{was}"
    return Duty("The owner pays", (text,), (ORDINANCE["replacement_cost"],))


def _how_large(law: Law) -> Duty:
    return Duty(f"At least {inches(law['number_height_in'].value)} high", (), (valued(law, "number_height_in"),))


def _where(notice: Notice, law: Law) -> Duty:
    limit = law["display_distance_ft"].value
    quoted = (ORDINANCE["door"], valued(law, "display_distance_ft"))
    known = math.isfinite(notice.set_back_ft)
    text = [_distance(notice)] if known else ["The distance of the building to the street line is not on record."]
    if notice.display == "at_street_line":
        return Duty("At the street line", (*text, f"The section's limit is {feet(limit)}."), quoted)
    if notice.display == "at_building":
        text.append("If it is hidden there and cannot be seen plainly from the street, it goes to the street line.")
        return Duty("At the door", tuple(text), quoted)
    if known:
        low = max(notice.set_back_ft - notice.set_back_uncertainty_ft, 0.0)
        high = notice.set_back_ft + notice.set_back_uncertainty_ft
        within = f"So it lies between {feet(low)} and {feet(high)}; {feet(limit)}, the limit, is within: undecided."
        nearer = f"The entrance is farther than {feet(limit)} in any case; the building may stand nearer: undecided."
        text.append(within if low <= limit else nearer)
    return Duty("At the door or at the street line: measure it", (*text, *_measure(limit)), quoted)


def _measure(limit: float) -> tuple[str, str]:
    return (
        "What settles it: a steel tape, laid square to the street from the wall nearest to it to the street line, "
        "where survey pins or the recorded plat show that line. Where they do not, a land surveyor's survey of the "
        "right-of-way line.",
        f"More than {feet(limit)}: at the street line. {feet(limit)} or less, and not hidden: at the door. A number at "
        "both places meets both sentences.",
    )


def _distance(notice: Notice) -> str:
    from_where = "The main entrance" if notice.set_back_from_door else "The building"
    away, within = feet(abs(notice.set_back_ft)), feet(notice.set_back_uncertainty_ft)
    if notice.set_back_ft < 0:
        text = f"{from_where} stands about {away} within the right-of-way as it is assumed, give or take {within}."
    else:
        text = f"{from_where} stands about {away} from the street line, give or take {within}."
    if notice.set_back_from_door:
        text += " The section measures the building; its outline is not on record."
    if notice.assumed_width_ft > 0:
        width = feet(notice.assumed_width_ft)
        text += f" The street line is assumed: half of an assumed right-of-way width of {width} from the centerline."
    return text


def _doors(notice: Notice) -> Duty:
    text = (
        f"The building has {notice.doors} doors that serve separate occupants, and one number. The owner shall "
        "differentiate between them (E); who desires distinctive numbers uses the suffixes of H.",
    )
    return Duty("Doors of separate occupants", text, (ORDINANCE["doors"], ORDINANCE["suffix"]))


def _neglect(law: Law) -> Duty:
    text = "The section names no amount, and none is stated here."
    return Duty("If it is neglected", (text,), (valued(law, "neglect_days"), ORDINANCE["conviction"]))


def feet(length_ft: float) -> str:
    """Write a length in feet and inches, to the nearest inch, as people do.

    Examples
    --------
    >>> feet(50.0), feet(48.49), feet(11.99), feet(0.5)
    ('50 ft', '48 ft 6 in', '12 ft', '6 in')
    """
    whole, rest = divmod(round(abs(length_ft) * 12), 12)
    parts = ([f"{whole:,} ft"] if whole or not rest else []) + ([f"{rest} in"] if rest else [])
    return ("-" if length_ft < 0 else "") + " ".join(parts)


def inches(length_in: float) -> str:
    """Write a length in inches, its fraction as the ordinance writes it.

    Examples
    --------
    >>> inches(2.5), inches(3)
    ('2 1/2 inches', '3 inches')
    """
    whole, eighths = divmod(round(length_in * 8), 8)
    if not eighths:
        return f"{whole} inches"
    shared = math.gcd(eighths, 8)
    fraction = f"{eighths // shared}/{8 // shared} inches"
    return f"{whole} {fraction}" if whole else fraction
