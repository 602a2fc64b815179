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
class RowLaw:
    """The numbers of §§ 288-4 to 288-18 in force on one date: lengths in feet, shares of a whole.

    The names are those of the law's own numbers; those of inches (`_in`) are here in feet too.

    Parameters
    ----------
    walk_vertical_in, walk_gap_in, walk_surface_in
        What makes a sidewalk defective (§ 288-4 E), feet: 3/4, 1 1/4 and 1/2 inch.
    trench_ahead_ft, trench_open_ft
        The most a trench is dug ahead of the pipe, and left open behind it (§ 288-6 B(1)): 250 and 500.
    materials_walk_part, materials_way_part
        The most that building materials take of the sidewalk and of the travelled way (§ 288-7 B(2)): 1/2 and 1/3.
    fixture_clear_ft
        The least that a fixture leaves clear of a sidewalk (§ 288-7 C(3)): 3.
    privilege_part
        The most that a permitted obstruction covers of a street or alley (§ 288-8 D(1)): 1/3.
    display_distance_ft
        Farther from the street line a building's number is shown there (§ 288-15 G(3)): 50.
    snow_building_ft
        How near the right-of-way a building stands whose snow may go onto the street (§ 288-9 C): 5.
    terrace_ft
        Depth of the terrace from the curb line where no sidewalk bounds it (§ 288-10 A): 4.
    mailbox_curb_in, mailbox_paved_ft
        The least set-back of a mailbox behind the face of the curb, and from the paved edge (§ 288-10 D(7)), feet.
    petition_percent
        The share of the frontage that more than join a petition (§ 288-18 A): 1/2.
    """

    walk_vertical_in: float
    walk_gap_in: float
    walk_surface_in: float
    trench_ahead_ft: float
    trench_open_ft: float
    materials_walk_part: float
    materials_way_part: float
    fixture_clear_ft: float
    privilege_part: float
    display_distance_ft: float
    snow_building_ft: float
    terrace_ft: float
    mailbox_curb_in: float
    mailbox_paved_ft: float
    petition_percent: float


@dataclass(frozen=True)
class RowReading:
    """Settings of the reading of the right-of-way: not law, but needed to apply it.

    Parameters
    ----------
    curb_back_ft
        From the face of a curb to its back, where the terrace begins.
    gutter_ft
        Width of the gutter at the face of the curb.
    lane_ft
        Width of one lane of traffic.
    walk_at_curb_ft
        A walk whose near edge is not farther behind the back of the curb is directly at the curb.
    terrace_reach_ft
        A walk farther from the curb than this does not bound its terrace.
    expired_days
        For how long a work that has ended is listed as recently expired.
    """

    curb_back_ft: float = 0.5
    gutter_ft: float = 1.5
    lane_ft: float = 10.0
    walk_at_curb_ft: float = 0.5
    terrace_reach_ft: float = 30.0
    expired_days: float = 30.0


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
