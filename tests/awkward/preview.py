"""Draw preview.svg of each awkward village: ``python -m tests.awkward.preview`` writes them anew."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
from shapely import LineString, box

from gis.halves import Half
from gis.linework import end_direction
from tests.building import Village, street, village

HERE = Path(__file__).resolve().parent
FOLDERS = sorted(path.parent for path in HERE.glob("*/input.geojson"))
WIDTH_PX, HEIGHT_PX, MARGIN_FT, TICK_FT = 640, 560, 110, 22
STYLE = (
    "rect{fill:#fff}path{fill:none}.street{stroke:#999;stroke-width:5}.way{stroke:#999;stroke-dasharray:3 4}"
    ".line{stroke:#000;stroke-width:2}.open{stroke:#000;stroke-dasharray:2 2}.to{stroke:#06c}circle{fill:#06c}"
    "text{font:11px sans-serif;fill:#06c}.name{fill:#555;font-style:italic}"
)


def read(folder: Path) -> Village:
    """The village of a folder's input."""
    features = json.loads((folder / "input.geojson").read_text())["features"]
    return village(
        *(
            street(f["properties"]["name"], *f["geometry"]["coordinates"], kind=f["properties"]["kind"])
            for f in features
        )
    )


def expected(folder: Path) -> list[dict[str, str]]:
    """The doors of a folder with what is expected of them."""
    with (folder / "expected.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def drawn(folder: Path) -> str:
    """The preview: streets, ways to the base line, block lines (dotted where blocks are open), doors with numbers."""
    there, doors = read(folder), expected(folder)
    points = np.array([[float(door["x"]), float(door["y"])] for door in doors] + [[0.0, 0.0]])
    (left, bottom), (right, top) = points.min(axis=0) - MARGIN_FT, points.max(axis=0) + MARGIN_FT
    scale = min(WIDTH_PX / (right - left), HEIGHT_PX / (top - bottom))

    def at(point: object) -> str:
        x, y = np.asarray(point) - (left, top)
        return f"{x * scale + 0:.1f} {-y * scale + 0:.1f}"

    def line(kind: str, coords: object) -> str:
        return f'<path class="{kind}" d="M{" L".join(map(at, np.asarray(coords)))}"/>'

    def text(attributes: str, point: object, words: str) -> str:
        x, y = at(point).split()
        return f'<text {attributes} x="{x}" y="{y}">{escape(words)}</text>'

    net = there.map.network
    shapes = [line("street", ends) for s in net.streets for ends in _on_ground(s.chain.coords, s.chain.physical)]
    shapes += [line("way", half.way) for half in there.map.halves if half.way is not None]
    shapes += [line(kind, tick) for kind, tick in _ticks(there)]
    labels = list(points)
    for s in net.streets:
        seen = s.chain.line & box(left, bottom, right - 60 / scale, top)
        if s.path == 0 and not seen.is_empty:  # where it is farthest from every other label
            spots = [
                np.array(seen.interpolate(share, normalized=True).coords[0]) for share in np.linspace(0.05, 0.95, 19)
            ]
            spot = max(spots, key=lambda p: min(np.hypot(*(p - label).T) for label in labels))
            labels.append(spot)
            shapes.append(text('class="name"', spot + 5 / scale, s.name))
    for door, point in zip(doors, points, strict=False):
        placed = there.door(door["street"], *point)
        foot = np.array([placed.foot_x, placed.foot_y])
        x, y = at(point).split()
        west = point[0] < foot[0] - 1
        words = f"{door['number']} {door['half'][0]}"
        shapes.append(line("to", [point, foot]))
        shapes.append(f'<circle cx="{x}" cy="{y}" r="2.5"/>')
        beside = point + np.array([-5 if west else 5, 0]) / scale
        shapes.append(text(f'text-anchor="{"end" if west else "start"}"', beside, words))
    size = f'viewBox="0 0 {(right - left) * scale:.0f} {(top - bottom) * scale:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style><rect width="100%" height="100%"/>'
    return "\n".join([head, *dict.fromkeys(shapes), "</svg>", ""])


def _on_ground(coords: np.ndarray, physical: np.ndarray) -> Iterator[np.ndarray]:
    """Stretches of a street without its gaps."""
    start = 0
    for k in [*np.flatnonzero(~physical).tolist(), len(physical)]:
        if k > start:
            yield coords[start : k + 1]
        start = k + 1


def _ticks(there: Village) -> Iterator[tuple[str, np.ndarray]]:
    """A short line across the street at the outward end of each block that lies along it."""
    for row in there.map.rows:
        half: Half = there.map.halves[row.half]
        if row.to_ft <= half.end_station + 1:
            before = LineString(half.coords).interpolate(max(row.to_ft - 5, 0)).coords[0]
            way = end_direction(np.array([before, half.point(row.to_ft)]), 5, at_end=True)
            across = np.array([-way[1], way[0]]) * TICK_FT
            yield "open" if row.virtual else "line", half.point(row.to_ft) + np.array([-across, across])


if __name__ == "__main__":
    for each in FOLDERS:
        (each / "preview.svg").write_text(drawn(each))
