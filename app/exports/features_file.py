"""Every collection of features in one GeoPackage, a layer each, appended by page."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import geopandas
import numpy as np
import pyogrio
from sqlalchemy.engine import Connection

from app.exports.features import COLLECTIONS, Source
from app.exports.features_asked import MOST, Asked
from app.exports.features_kept import Found
from app.row_layers import Ground
from app.village import Village


def write(
    connection: Connection, village: Village, ground: Callable[[Connection], Ground], out: Path
) -> dict[str, int]:
    """Write the collections that have features.

    Parameters
    ----------
    connection
        To the register, in one transaction.
    village
        The village in force.
    ground
        Gives its right-of-way.
    out
        The file; one that is there is replaced when the new one is whole.

    Returns
    -------
    dict
        How many features each collection has.
    """
    part = out.with_name(f"{out.stem}.part.gpkg")
    source = Source(connection, village, ground)
    try:
        counts = {name: _written(source, name, part) for name in COLLECTIONS}
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return counts


def _written(source: Source, name: str, part: Path) -> int:
    asked, count = Asked(limit=MOST), 0
    while True:
        page = source.page(name, asked)
        if page.features:
            _append(source.village, name, page.features, part, append=count > 0)
        count += len(page.features)
        if not page.after:
            return count
        asked = replace(asked, after=page.after)


def _append(village: Village, name: str, features: Sequence[Found], part: Path, *, append: bool) -> None:
    rows = [{"feature_id": str(one.id), **one.properties} for one in features]
    columns = {key: [_cell(row.get(key)) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}
    shapes = np.empty(len(features), dtype=object)
    shapes[:] = [one.shape for one in features]
    frame = geopandas.GeoDataFrame(columns, geometry=shapes, crs=village.files.settings.working_crs.text)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)  # of a layer whose shapes are of more than one kind
        pyogrio.write_dataframe(frame, part, layer=name, driver="GPKG", geometry_type="Unknown", append=append)


def _cell(value: object) -> object:
    return json.dumps(value) if isinstance(value, list | dict) else value
