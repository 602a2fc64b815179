"""Streets from their pieces: families, base lines, extensions and the lines they are numbered along."""

from dataclasses import dataclass

from shapely import LineString

KINDS = ("street", "alley", "private", "path")
BLOCK_LINES = ("auto", "never")


@dataclass(frozen=True)
class Piece:
    """One piece of a street's centerline as the linework has it.

    Parameters
    ----------
    name
        The street's full name, such as ``"Alma Street"``.
    line
        Centerline in the working CRS, US survey feet, two or more distinct vertices.
    kind
        One of `KINDS`; only a ``street`` makes blocks.
    block_line
        ``auto``, or ``never`` where an officer has ruled that the piece makes no block line.
    accuracy_ft
        Horizontal accuracy at 95 %, US survey feet; 0 where the line is exact.
    name_status
        ``confirmed``, ``inferred`` or ``placeholder``.
    source
        Where the line comes from.
    """

    name: str
    line: LineString
    kind: str = "street"
    block_line: str = "auto"
    accuracy_ft: float = 0.0
    name_status: str = "confirmed"
    source: str = ""
