"""The legal values of § 288-15 and the settings of its reading, as frozen records that every rule takes.

The law's own values are filled by ``app.law`` from dated, cited data. `Reading` holds what the law leaves
open and the village may set: its defaults are the reading this software was written with.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class NumberingLaw:
    """The numbers of § 288-15 D and E in force on one date.

    Parameters
    ----------
    block_divisor
        A block's length is divided by this to find its unit of frontage (D): 44.
    numbers_per_block
        Numbers assigned to each block, both sides together (D): 90.
    hundred
        Increase of the numbers from one block to the next (D): 100.
    first_even, first_odd
        The numbers that a block's north or east, and south or west, side commences with (E): 10 and 11.
    open_unit_ft, open_block_ft
        Unit of frontage and block length in US survey feet where there are no apparent blocks (D): 15 and 660.
    """

    block_divisor: int
    numbers_per_block: int
    hundred: int
    first_even: int
    first_odd: int
    open_unit_ft: int
    open_block_ft: int

    @property
    def last_unit(self) -> int:
        """The highest unit index k that still has a number: 44 of 0..44."""
        return self.numbers_per_block // 2 - 1


@dataclass(frozen=True)
class Reading:
    """Settings of the reading: not law, but needed to apply it to linework. Feet are US survey feet.

    Parameters
    ----------
    noded_ft
        Ends and lines within this distance meet.
    chord_ft
        Length of the chord at a branch or junction, and of the arm of a loop.
    extension_chord_ft
        A street is extended on the chord over this much of its end.
    edge_ft
        Extensions end this far outside the convex hull of all streets; so does the village.
    jog_ft
        Crossings closer than this are one jogged block line.
    phantom_ft
        An extended crossing closer than this to a kept line makes no block.
    no_blocks_ft
        A longer space past the last built crossing is no apparent block.
    junction_deg
        Streets of one family that meet at this acute angle or more make a block line.
    diagonal_near_deg, diagonal_tie_deg
        Differences of a street's angles to the two base lines under these are near, or tied.
    weak_resultant
        A bearing whose resultant is smaller is weak and the chord between the ends is used.
    side_ft
        A door within this distance of the line has no side.
    ambiguous_ratio
        Another street within this many times the distance of the nearest makes the frontage ambiguous.
    frontage_reach_ft
        A lot whose nearest edge is farther than this from a street's centerline does not front on it.
    outline_ft
        A building or lot that is farther than this from an entrance, beside the entrance's accuracy, is not its own.
    """

    noded_ft: float = 5.0
    chord_ft: float = 50.0
    extension_chord_ft: float = 300.0
    edge_ft: float = 660.0
    jog_ft: float = 60.0
    phantom_ft: float = 132.0
    no_blocks_ft: float = 1320.0
    junction_deg: float = 30.0
    diagonal_near_deg: float = 10.0
    diagonal_tie_deg: float = 1.0
    weak_resultant: float = 0.5
    side_ft: float = 0.1
    ambiguous_ratio: float = 1.5
    frontage_reach_ft: float = 66.0
    outline_ft: float = 50.0
