"""A cross-section drawn to scale with its widths written, so that a wrong number is seen; and told in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.check_told import length_words
from app.cross_sections import Section
from gis.row import CrossSection, Side

WIDE_PX, MARGIN_PX = 720.0, 30.0
CHARACTER_PX = 6.6
NAMES = {"pavement": "travelled way", "terrace": "terrace", "walk": "walk", "verge": "no walk", "rest": "", "over": ""}


@dataclass(frozen=True)
class Band:
    """A strip of the drawing: its left edge and width, pixels; what it is; its width in words and where that stands."""

    kind: str
    x: float
    wide: float
    name: str
    length: str
    row: int

    @property
    def middle(self) -> float:
        """Where its words stand."""
        return round(self.x + self.wide / 2, 1)


@dataclass(frozen=True)
class Drawing:
    """A cross-section with the odd side on the left, pixels.

    Parameters
    ----------
    bands
        From left to right.
    curbs
        Middles of the curbs.
    left, right
        The lines of the right-of-way.
    row_width
        Its width in words.
    told
        All of it in a sentence.
    """

    bands: tuple[Band, ...]
    curbs: tuple[float, ...]
    left: float
    right: float
    row_width: str
    told: str
    wide: float = WIDE_PX


def drawing(across: CrossSection) -> Drawing:
    """Draw a cross-section.

    Parameters
    ----------
    across
        What lies across a street.

    Returns
    -------
    Drawing
        To scale.
    """
    half_row, half = across.row_width_ft / 2, across.pavement_width_ft / 2
    reach = max(half_row, *(half + (side.walk or (0.0, 0.0))[1] for side in (across.odd, across.even)))
    scale = (WIDE_PX - 2 * MARGIN_PX) / (2 * reach)

    def at(feet: float) -> float:
        return round(WIDE_PX / 2 + feet * scale, 1)

    strips: list[tuple[str, float, float]] = [("pavement", -half, half)]
    for side, way in ((across.odd, -1), (across.even, 1)):
        strips += [(kind, min(way * a, way * b), max(way * a, way * b)) for kind, a, b in _strips(side, half, half_row)]
    bands, end = [], -1e9
    for kind, low, high in sorted(strips, key=lambda strip: strip[1]):
        x, wide, words = at(low), round((high - low) * scale, 1), length_words(high - low)
        room = CHARACTER_PX * max(len(words), len(NAMES[kind])) + 6
        # where it would be written over another, or push its name aside, a line lower
        row = int(x + wide / 2 - room / 2 < end or (kind == "rest" and wide < room))
        end = end if row else x + wide / 2 + room / 2
        bands.append(Band(kind, x, wide, NAMES[kind], words, row))
    curbs = tuple(at(way * half) for side, way in ((across.odd, -1), (across.even, 1)) if side.curb)
    return Drawing(tuple(bands), curbs, at(-half_row), at(half_row), length_words(across.row_width_ft), told(across))


def _strips(side: Side, half: float, half_row: float) -> Iterator[tuple[str, float, float]]:
    """Give what lies beside the pavement on one side, from it outward, feet from the centerline."""
    if side.walk is None:
        if half_row > half:
            yield "verge", half, half_row
        return
    near, far = (half + edge for edge in side.walk)
    if near > half:
        yield "terrace", half, near
    yield "walk", near, far
    if half_row > far:
        yield "rest", far, half_row


def told(across: CrossSection) -> str:
    """Return a cross-section in words."""
    return (
        f"Right-of-way {length_words(across.row_width_ft)}, travelled way {length_words(across.pavement_width_ft)}. "
        f"Odd side: {side_words(across.odd)}. Even side: {side_words(across.even)}."
    )


def side_words(side: Side) -> str:
    """Return one side of a cross-section in words."""
    curb = "curb" if side.curb else "no curb"
    if side.walk is None:
        return f"{curb}, no walk"
    wide, off = length_words(side.walk[1] - side.walk[0]), length_words(side.walk[0])
    edge = "curb" if side.curb else "pavement"
    return f"{curb}, walk {wide} wide, {f'{off} from' if side.walk[0] else 'right at'} the {edge}"


def doubts(section: Section) -> list[str]:
    """Return what is unusual of a row, so that somebody looks before it is saved."""
    across, found = section.across, []
    for name, side in (("odd", across.odd), ("even", across.even)):
        over = across.pavement_width_ft / 2 + (side.walk or (0.0, 0.0))[1] - across.row_width_ft / 2
        if over > 0:
            found.append(f"The walk on the {name} side reaches {length_words(over)} past the right-of-way line.")
        if side.walk is not None and side.walk[1] - side.walk[0] > 15:
            found.append(f"The walk on the {name} side is more than 15 ft wide.")
    if across.pavement_width_ft < 10:
        found.append("The travelled way is less than 10 ft wide.")
    if not across.assumed and section.surveyed_on is None:
        found.append("It is called measured, and the day on which it was measured is left empty.")
    if not across.assumed and across.accuracy_ft == 0:
        found.append("An accuracy of 0 says that the widths are exact.")
    if across.assumed and across.accuracy_ft < 1:
        found.append("Widths that nobody measured are rarely known to less than a foot.")
    return found
