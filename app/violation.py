"""The notice that the Director of Public Works serves on who neglects a building's number (§ 288-15 M)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from app.clocks import Deadline, said_day
from app.duties import ORDINANCE, WHO_TO_ASK, Duty, Letter, Notice, display, due_day, inches, said, valued
from app.law import Law


@dataclass(frozen=True)
class Violation:
    """What a violation notice says of its case.

    Parameters
    ----------
    case_id
        The case.
    reported_on, defect
        When it was seen, and what, in words.
    neglected
        The end of the 20 days, and how they were counted.
    reading
        How the law was read as to what begins them.
    """

    case_id: int
    reported_on: date
    defect: str
    neglected: Deadline
    reading: str


def violation_letter(notice: Notice, found: Violation, law: Law) -> Letter:
    """Return what a violation notice says.

    Parameters
    ----------
    notice
        To whom it goes, who pays, where the number is displayed.
    found
        The case.
    law
        The law of the day it is issued.

    Returns
    -------
    Letter
        What is required, by when, with the sentences of M, and no penalty: the section names none.
    """
    days = int(law["after_service_days"].value)
    payer = "the Village" if notice.first_number else "the owner"
    return Letter(
        title="Violation notice",
        addressee=notice.addressee,
        opening="The proper number is not duly attached to your building, or not maintained. It is:",
        below=f"Case {found.case_id}. Seen on {said_day(found.reported_on)}: {_begun(found.defect)}.",
        summary=(
            ("Number it within", f"{days} days", "after the service of this notice on you"),
            ("The number is paid by", payer, ""),
            ("Its height is not less than", inches(law["number_height_in"].value), ""),
        ),
        duties=(
            _required(days, law),
            _neglected(found),
            *display(notice, law),
            _afterwards(days),
            WHO_TO_ASK,
        ),
    )


def _begun(text: str) -> str:
    return text[:1].lower() + text[1:]


def _required(days: int, law: Law) -> Duty:
    text = (
        "You are required to properly number the building. The Director of Public Works serves this notice.",
        f"The {days} days begin with its service: that day is not counted, the last day is, to its end.",
    )
    return Duty(f"Number the building within {days} days after service", text, (valued(law, "after_service_days"),))


def _neglected(found: Violation) -> Duty:
    """Say why the notice is served: the 20 days, however they are read."""
    deadline = found.neglected
    text = [
        f"It was reported: {_begun(found.defect)}, seen on {said_day(found.reported_on)}.",
        f"The days of neglect end on {due_day(deadline)}. {deadline.counted}",
    ]
    if deadline.alternative:
        text.append(f"Under another reading: {said(deadline.alternative)}. {deadline.alternative_reading}")
    text += [found.reading] if found.reading else []
    return Duty("What was reported, and the days of neglect", tuple(text), (ORDINANCE["report"],))


def _afterwards(days: int) -> Duty:
    text = (
        f"Who neglects it for {days} days after the service is deemed to have violated the section.",
        "The section names no amount, and none is stated here.",
    )
    return Duty("If it is neglected further", text, (ORDINANCE["conviction"],))
