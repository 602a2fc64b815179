"""A village on squared paper: what its streets are, and its directory as a village keeps it."""

import json
from pathlib import Path

PLAT = {
    "Main Street": [(-2000, 0), (2000, 0)],
    "Van Buren Street": [(0, -2000), (0, 2000)],
    "First Avenue": [(-2000, 330), (2000, 330)],
    "Second Avenue": [(100, 660), (2000, 660)],
    "Alma Street": [(440, -700), (440, 1500)],
}


def village(directory: Path, lines: dict[str, list[tuple[float, float]]]) -> Path:
    """Write a village's directory in planar feet of EPSG:7608."""
    (directory / "settings.toml").write_text(
        'working_crs = "EPSG:7608"\n[village]\nname = "Plat"\ncounty = "Lafayette"\nstate = "Wisconsin"\n'
        '[base_lines]\new = "Main Street"\nns = "Van Buren Street"\n'
    )
    features = [
        {"type": "Feature", "properties": {"name": n}, "geometry": {"type": "LineString", "coordinates": line}}
        for n, line in lines.items()
    ]
    (directory / "streets.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return directory
