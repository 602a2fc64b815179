"""A synthetic county, the same every time: a jittered grid of streets, and points beside them."""

from dataclasses import dataclass

import numpy as np
from shapely import LineString

from gis.blocks import numbering_map
from gis.frontages import Frontages
from gis.linework import Floats, Ints
from gis.network import Piece, network
from gis.rules import NumberingLaw

LAW = NumberingLaw(44, 90, 100, 10, 11, 15, 660)
BLOCK_FT, JITTER_FT = 400.0, 40.0
SEED = 288


@dataclass(frozen=True, eq=False)
class County:
    """Its streets laid out for numbering, and points to number, shape (n,), feet."""

    frontages: Frontages
    x: Floats
    y: Floats


def county(streets: int, points: int) -> County:
    """Lay out `streets` streets each way and points 40 to 120 ft from them.

    Each street has `streets` - 1 segments of about 400 ft: 100 streets each way have 19,800.
    """
    rng = np.random.default_rng(SEED)
    corners = grid(streets, rng)
    pieces = [Piece(f"{_name(k)} Street", LineString(corners[k])) for k in range(streets)]
    pieces += [Piece(f"{_name(k)} Avenue", LineString(corners[:, k])) for k in range(streets)]
    middle = _name(streets // 2)
    net = network(pieces, f"{middle} Street", f"{middle} Avenue")
    frontages = Frontages.of(numbering_map(net, LAW))
    x, y, _ = beside(frontages, points, rng, 40, 120)
    return County(frontages, x, y)


def grid(streets: int, rng: np.random.Generator) -> Floats:
    """Place the corners of a jittered grid, shape (streets, streets, 2), feet: the first axis goes north."""
    step = np.arange(streets) * BLOCK_FT
    return np.stack(np.meshgrid(step, step), axis=2) + rng.uniform(-JITTER_FT, JITTER_FT, (streets, streets, 2))


def _name(k: int) -> str:
    return f"Row {k + 1}"


def beside(
    frontages: Frontages, count: int, rng: np.random.Generator, near_ft: float, far_ft: float
) -> tuple[Floats, Floats, Ints]:
    """Place points beside the streets; gives x, y and the segment each lies beside."""
    lines = frontages.locator.segments
    on = rng.integers(len(lines.x), size=count)
    share, off = rng.random(count), rng.uniform(near_ft, far_ft, count) * rng.choice([-1, 1], count)
    x = lines.x[on] + share * lines.dx[on] - off * lines.dy[on] / lines.length[on]
    y = lines.y[on] + share * lines.dy[on] + off * lines.dx[on] / lines.length[on]
    return x, y, on
