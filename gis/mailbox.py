"""Where a mailbox stands (§ 288-10 C and D): behind the curb, on the carrier's side, off the prohibited stretch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from shapely import LineString, Point

from gis.edges import CURB, STANDARD, Edge, nearest_edges
from gis.measure import Checked, Drawn, Judged, Measured, Verdict, held, judge, rss
from gis.rules import RowLaw

SETBACK = "§ 288-10 D(7)"
STRETCH = "§ 288-10 D(2)"
NUMBER = "§ 288-10 D(5)"
_TAPE_IT = {
    True: "Tape it: from the face of the curb straight back to the {what}.",
    False: "Tape it: from the paved edge straight back to the {what}.",
}


@dataclass(frozen=True)
class Taped:
    """A taped set-back.

    Parameters
    ----------
    behind
        Behind the face of the curb, or the paved edge; below 0 over the street; its uncertainty is the tape's.
    curb
        Whether it was taped from a curb.
    curb_assumed
        Whether nobody said so: the limit without a curb is another.
    """

    behind: Measured
    curb: bool
    curb_assumed: bool = False


@dataclass(frozen=True)
class Stretch:
    """Where a mailbox stands along the stretch that is prohibited.

    Parameters
    ----------
    inside
        How far inside the stretch's nearer end; below 0 outside it.
    certain
        Whether it surely stands on that street, and not on another beside it.
    place
        The stretch in words.
    """

    inside: Measured
    certain: bool
    place: str


@dataclass(frozen=True)
class Sided:
    """The side of the street that a mailbox stands on, and the carrier's.

    Parameters
    ----------
    stands
        ``"north"``, ``"south"``, ``"east"`` or ``"west"``; ``""`` where the position leaves it open.
    carrier
        The side that the United States Postal Service requires; ``""`` where it is not known.
    """

    stands: str
    carrier: str


def setback(
    quantity: str, what: str, edges: Sequence[Edge], place: Point | None, accuracy_ft: float, taped: Taped | None,
    law: RowLaw,
) -> tuple[Judged, tuple[Drawn, ...]]:  # fmt: skip
    """Judge how far behind the curb a mailbox's door, or a newspaper tube's protruding end, is (§ 288-10 D(7)).

    "... so that the door to the mailbox or protruding end of the newspaper tube is at least six inches behind the face
    of the curb or if no curb at least one foot from the paved portion of the highway." A taped measurement counts with
    its own tolerance only; it goes before a position.

    Parameters
    ----------
    quantity
        ``"setback_in"`` or ``"tube_setback_in"``.
    what
        The point measured, in words.
    edges
        The street's edges.
    place
        Its position, working CRS, US survey feet; None where it was taped or not given.
    accuracy_ft
        Of the position at 95 %, feet.
    taped
        A taped set-back.
    law
        The limits.

    Returns
    -------
    tuple
        The row, told in inches, and what is drawn.
    """
    if taped is not None:
        limit = law.mailbox_curb_in if taped.curb else law.mailbox_paved_ft
        settles = "A tape read more finely, or a second reading, decides it."
        note = f"Taped from the {'face of the curb' if taped.curb else 'paved edge'}."
        if taped.curb_assumed:
            note += " That there is a curb is assumed: without one it is a foot from the paved edge."
        return held(quantity, taped.behind, limit, SETBACK, at_most=False, unit="in", settles=settles, note=note), ()
    near = [edge for edge in nearest_edges(edges, place) if edge.kind != STANDARD] if place is not None else []
    if place is None or not near:
        note = "No position and no taped measurement was given." if place is None else "No curb or paved edge is known."
        return Judged(quantity, Verdict.NOT_CHECKED, SETBACK, unit="in", note=note), ()
    edge = near[0]
    curb = edge.kind == CURB
    behind = Measured(edge.behind_ft(place.x, place.y), rss(accuracy_ft, edge.accuracy_ft))
    limit = law.mailbox_curb_in if curb else law.mailbox_paved_ft
    line = "curb line" if curb else "edge of pavement"
    note = f"From the {'assumed' if edge.assumed else 'surveyed'} {line}{' of ' + edge.label if edge.label else ''}."
    settles = _TAPE_IT[curb].format(what=what)
    row = held(quantity, behind, limit, SETBACK, at_most=False, unit="in", settles=settles, note=note)
    across = LineString([edge.foot(place.x, place.y), np.array(place.coords[0])])
    drawn = (
        Drawn("curb_line", line, edge.line, edge.assumed),
        Drawn("measured", f"{behind.value_ft * 12:.1f} in", across),
        Drawn("object", what, place),
    )
    return row, drawn


def stretch_row(stretch: Stretch | None) -> Judged:
    """Judge whether a mailbox stands where none may (§ 288-10 D(2)).

    "Mailboxes must be approved by the Village Board and are prohibited along both sides of Main Street from County J
    North to County J South." Read as: between the crossings of the two, whatever the set-back.

    Parameters
    ----------
    stretch
        None where nothing tells where it stands.

    Returns
    -------
    Judged
        The row; feet inside the stretch, at most 0 comply.
    """
    if stretch is None:
        note = "Where along which street it stands was not given."
        return Judged("stretch", Verdict.NOT_CHECKED, STRETCH, unit="ft", note=note)
    settles = "Its place along the street, from the crossing that bounds the stretch."
    row = held("stretch", stretch.inside, 0.0, STRETCH, at_most=True, settles=settles, note=stretch.place)
    if row.verdict is Verdict.VIOLATES and not stretch.certain:
        told = {**row.__dict__, "verdict": Verdict.UNDECIDED, "settles": "On which of the two streets it stands."}
        return Judged(**told)
    return row


def side_row(sided: Sided | None) -> Judged:
    """Judge whether a mailbox stands on the carrier's side (§ 288-10 D(7)).

    "Mailbox and newspaper tubes must be located on the side of the road required by the United States Postal Service".

    Parameters
    ----------
    sided
        None where the side was not given.

    Returns
    -------
    Judged
        The row, with the two sides as its value and limit.
    """
    if sided is None:
        note = "The side that the Postal Service requires was not given."
        return Judged("side", Verdict.NOT_CHECKED, SETBACK, note=note)
    if not sided.carrier:
        settles = "The postmaster says which side of this road the carrier serves."
        return Judged("side", Verdict.UNDECIDED, SETBACK, value=sided.stands or None, settles=settles,
                      note="The carrier's side is not recorded for this street.")  # fmt: skip
    if not sided.stands:
        settles = "Look on which side of the street it stands."
        return Judged("side", Verdict.UNDECIDED, SETBACK, limit=sided.carrier, settles=settles)
    verdict = Verdict.COMPLIES if sided.stands == sided.carrier else Verdict.VIOLATES
    return Judged("side", verdict, SETBACK, value=sided.stands, limit=sided.carrier)


def number_row(shown: str, official: Sequence[str] | None, place: str = "") -> Judged:
    """Judge whether the number on a mailbox is an official one (§ 288-10 D(5)).

    "The owner, occupant or agent in charge of the premises shall cause to be affixed ... to each mailbox controlled by
    him/her the official street number assigned to that address as provided in § 288-15A hereof."

    Parameters
    ----------
    shown
        The number on the box; ``""`` where it was not given.
    official
        The official numbers it may bear; None where nothing tells whose box it is, empty where none is official there.
    place
        Where they were looked for, in words.

    Returns
    -------
    Judged
        The row.
    """
    if not shown or official is None:
        note = "The number on the box was not given." if not shown else "Nothing tells on which street it stands."
        return Judged("number", Verdict.NOT_CHECKED, NUMBER, value=shown or None, note=note)
    if not official:
        settles = "The official number of the premises: assign one first."
        return Judged("number", Verdict.UNDECIDED, NUMBER, value=shown, settles=settles,
                      note=f"No official number is recorded {place}.")  # fmt: skip
    verdict = Verdict.COMPLIES if shown in official else Verdict.VIOLATES
    near = ", ".join(official[:6])
    return Judged("number", verdict, NUMBER, value=shown, limit=near, note=f"Official {place}: {near}.")


def inside_row(inside: Measured | None) -> Judged:
    """Tell whether a mailbox is on the right-of-way, which § 288-10 D rules.

    Parameters
    ----------
    inside
        How far inside the right-of-way line; None where it is not known.

    Returns
    -------
    Judged
        A fact, which does not count.
    """
    section = "§ 288-10 D"
    if inside is None:
        return Judged("inside_ft", Verdict.NOT_CHECKED, section, unit="ft", note="No right-of-way line is known.")
    words = {
        Verdict.COMPLIES: "It is not on the right-of-way, which the rules of mailboxes are for.",
        Verdict.VIOLATES: "It is on the right-of-way.",
        Verdict.UNDECIDED: "Whether it is on the right-of-way is open.",
    }[judge(inside, 0.0, at_most=True)]
    told = f"{words} A fact: no limit is held against it."
    values = (inside.value_ft, inside.uncertainty_ft)
    return Judged("inside_ft", Verdict.NOT_CHECKED, section, *values, unit="ft", note=told)


def mailbox(rows: Sequence[Judged], drawn: Sequence[Drawn] = ()) -> Checked:
    """Put a mailbox's rows together.

    Parameters
    ----------
    rows
        Of `setback`, `side_row`, `stretch_row`, `number_row` and `inside_row`.
    drawn
        What is drawn.

    Returns
    -------
    Checked
        Its notes say what the rows do not rule.
    """
    notes = (
        "Approval of the box (§ 288-10 D(1), (2)), of a newspaper tube (D(3)) and its support (D(6)) are recorded with "
        "the mailbox, not measured.",
    )
    return Checked(tuple(rows), tuple(drawn), notes)
