"""Sidewalk panels against § 288-4 E: the measured differential, gap and deterioration, each with its tolerance."""

from __future__ import annotations

from gis.measure import Checked, Judged, Measured, Verdict
from gis.rules import RowLaw

_NOISE_FT = 1e-6  # of floating-point arithmetic: it does not put a length short of its limit
SECTION = "§ 288-4 E"
COMMITTEE = (
    "The Streets Committee: “The Streets Committee may determine that any sidewalk is unsafe, defective, or "
    "insufficient be repaired or removed and replaced with a sidewalk in accordance with this section.”"
)
GAP_READING = "“One and one-fourth inch” is read as that or more, as the law says of the other two sizes."
PROPOSED = "“The existence of any one or more” of these makes it so: one row that violates is enough. It is a proposal."


def panel(
    law: RowLaw, vertical: Measured | None = None, gap: Measured | None = None, surface: Measured | None = None
) -> Checked:
    """Hold what was measured of a sidewalk panel against the sizes of § 288-4 E.

    "The existence of any one or more of the hereinafter enumerated characteristics shall determine whether a sidewalk
    is defective or insufficient". So `VIOLATES` means defective, and one such row is enough. A size that is just the
    limit is defective ("or more"); the text lacks these words for the gap, where they are read in. Whether a walk is
    repaired or replaced the Streets Committee determines: that row is `OFFICER`.

    Parameters
    ----------
    law
        The sizes in force.
    vertical
        "Vertical differential between adjacent sharp-edged individual sidewalk blocks (crack in slab) and between
        adjacent round-edged individual sidewalk blocks (joint)"; None where it was not measured.
    gap
        "Horizontal distance between adjacent individual sidewalk blocks"; None where it was not measured.
    surface
        "Deterioration of the surface to vertical depth"; None where it was not measured.

    Returns
    -------
    Checked
        A row for each of the three, in inches, and one for the Committee.
    """
    rows = (
        _under("vertical_in", vertical, law.walk_vertical_in, "(a)"),
        _under("gap_in", gap, law.walk_gap_in, "(b)", GAP_READING),
        _under("surface_in", surface, law.walk_surface_in, "(c)"),
    )
    decides = Judged("defective", Verdict.OFFICER, SECTION, settles=COMMITTEE, note=PROPOSED)
    return Checked((*rows, decides))


def _under(quantity: str, measured: Measured | None, limit_ft: float, letter: str, note: str = "") -> Judged:
    """Hold a size against a limit from which on it is too much: just the limit is too much."""
    section, limit_in = f"{SECTION}{letter}", limit_ft * 12
    if measured is None:
        return Judged(quantity, Verdict.NOT_CHECKED, section, None, None, limit_in, "in", None, "Measure it.", note)
    short_ft = limit_ft - measured.value_ft
    verdict = Verdict.UNDECIDED
    if short_ft + measured.uncertainty_ft <= _NOISE_FT:
        verdict = Verdict.VIOLATES
    elif short_ft - measured.uncertainty_ft > _NOISE_FT:
        verdict = Verdict.COMPLIES
    settles = "A rule laid across the joint, read closer." if verdict is Verdict.UNDECIDED else ""
    value_in, uncertainty_in = measured.value_ft * 12, measured.uncertainty_ft * 12
    return Judged(quantity, verdict, section, value_in, uncertainty_in, limit_in, "in", short_ft * 12, settles, note)
