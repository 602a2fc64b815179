"""The NG9-1-1 package: the register and the map in force as NENA's layers, in either profile."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import shapely
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app import registers
from app.audit import head
from app.exports.nena_fields import BOUNDARY, POINTS, PROFILES, ROADS, Field, layers_of, nguid
from app.exports.nena_package import Json, Layer, Package
from app.exports.nena_points import administrative, fill
from app.exports.nena_roads import Segment, in_degrees, segments
from app.settings import Ng911
from app.tables import map_edits, maps, renamings, vacations
from app.village import LONLAT, Village
from gis.usps import STATES

SUPPLIED = {
    "agency_id": (("DiscrpAgID", "NGUID"), True, "the domain name of the agency that answers for the data"),
    "esn": (("ESN", "ESN_L", "ESN_R"), False, "the Emergency Service Number"),
    "msag_community": (("MSAGComm", "MSAGComm_L", "MSAGComm_R"), False, "the community's name in the MSAG"),
    "county_id": (("LCountyID", "LCntyID_L", "LCntyID_R"), False, "the county's legacy identifier"),
    "postal_community": (("Post_Comm", "PostComm_L", "PostComm_R"), False, "the post office's name for the village"),
    "postal_code": (("Post_Code", "PostCode_L", "PostCode_R"), False, "the ZIP Code"),
}
"""The settings of `[ng911]`: the fields each fills, whether one of them is required, and what it is."""
EDGE = (
    "The provisioning polygon is the hull of the village's streets grown by the reading's edge_ft, "
    "for no surveyed limit is at hand."
)


def package(connection: Connection, village: Village, profile: str) -> Package:
    """Make the package of a village's streets and numbers.

    Parameters
    ----------
    connection
        To the register, in one transaction.
    village
        In force in it.
    profile
        ``"v3"`` or ``"v2"``.

    Returns
    -------
    Package
        Not yet checked.

    Raises
    ------
    StreetsError
        There is no such profile.
    """
    fields = layers_of(profile)
    own, law = village.files.settings.ng911, village.law.numbering
    expected = _expected(village)
    changed = map_changed(connection, village.edition.version if village.edition else 0)
    adopted = village.edition is not None and village.edition.adopted
    points = _empty(POINTS, fields[POINTS])
    points.same |= {**administrative(profile, POINTS, expected), **_common(own)}
    notes = fill(points, profile, connection, own.agency_id, draft=not adopted)
    made = {ROADS: _roads(village, profile, fields[ROADS], changed), POINTS: points}
    made[BOUNDARY] = _boundary(village, fields[BOUNDARY], changed)
    return Package(
        profile,
        made,
        village.into_feet(LONLAT),
        {**expected, "ESN": own.esn},
        (law.first_even, law.first_odd, law.hundred),
        unset(own, profile),
        "" if adopted else village.draft or "No Street Numbering Map is adopted.",
        _about(connection, village, profile),
        notes,
    )


def _empty(name: str, fields: tuple[Field, ...]) -> Layer:
    return Layer(name, fields, np.empty(0, dtype=object))


def _expected(village: Village) -> dict[str, str]:
    """Return the administrative values of every address, by the names of v3."""
    made = village.files.settings
    state = STATES.get(made.state.upper(), "")
    return {"Country": "US", "A1": state, "A2": made.county, "A3": made.name}


def _common(own: Ng911) -> Json:
    """Return what every feature has of the Village's settings, by the names of address points."""
    values = {"DiscrpAgID": own.agency_id, "ESN": own.esn, "MSAGComm": own.msag_community, "LCountyID": own.county_id}
    values |= {"Post_Comm": own.postal_community, "Post_Code": own.postal_code}
    return {name: value or None for name, value in values.items()}


def unset(own: Ng911, profile: str) -> list[Json]:
    """Return the settings of the Village that are empty, the required ones first.

    Parameters
    ----------
    own
        The settings.
    profile
        ``"v3"`` or ``"v2"``.

    Returns
    -------
    list of dict
        ``setting``, ``fields``, ``required``, ``what``.
    """
    names = {field.name for fields in layers_of(profile).values() for field in fields}
    return [
        {"setting": f"ng911.{key}", "fields": [n for n in fields if n in names], "required": required, "what": what}
        for key, (fields, required, what) in SUPPLIED.items()
        if not getattr(own, key) and names & set(fields)
    ]


def map_changed(connection: Connection, version: int) -> datetime | None:
    """Return when a version of the map was last changed: made, edited, adopted, or a street of it named anew."""
    latest = [
        *(sa.select(sa.func.max(maps.c[at])).where(maps.c.version == version) for at in ("made_at", "adopted_at")),
        *(
            sa.select(sa.func.max(map_edits.c[at])).where(map_edits.c.map_version == version)
            for at in ("made_at", "withdrawn_at")
        ),
        *(sa.select(sa.func.max(acts.c[at])) for acts in (renamings, vacations) for at in ("made_at", "undone_at")),
    ]
    found = [at for asked in latest if (at := connection.execute(asked).scalar_one_or_none()) is not None]
    return max(found, default=None)


def _roads(village: Village, profile: str, fields: tuple[Field, ...], changed: datetime | None) -> Layer:
    own, found = village.files.settings.ng911, segments(village)
    layer = _empty(ROADS, fields)
    layer.shapes = in_degrees(village, [one.line for one in found])
    for side in "LR":
        admin = {f"{name}_{side}": value for name, value in _expected(village).items()}
        layer.same |= administrative(profile, ROADS, admin)
        layer.same |= {f"ESN_{side}": own.esn or None, f"MSAGComm_{side}": own.msag_community or None}
        layer.same |= {f"LCntyID_{side}": own.county_id or None, f"PostComm_{side}": own.postal_community or None}
        layer.same |= {f"PostCode_{side}": own.postal_code or None, f"Valid_{side}": "N"}
    layer.same |= {"DiscrpAgID": own.agency_id or None, "DateUpdate": changed}
    rows = [_road(one, own.agency_id) for one in found]
    layer.columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return layer


def _road(one: Segment, agency: str) -> Json:
    parts = one.parts
    return {
        "NGUID": nguid(ROADS, one.local, agency),
        "FromAddr_L": one.left[0],
        "ToAddr_L": one.left[1],
        "FromAddr_R": one.right[0],
        "ToAddr_R": one.right[1],
        "Parity_L": one.parity_left,
        "Parity_R": one.parity_right,
        "St_PreDir": parts.pre_directional or None,
        "St_PreTyp": parts.street_pre_type or None,
        "St_Name": parts.street_name,
        "St_PosTyp": parts.street_post_type or None,
        "St_PosDir": parts.street_post_directional or None,
        "RoadClass": one.road_class,
    }


def _boundary(village: Village, fields: tuple[Field, ...], changed: datetime | None) -> Layer:
    agency = village.files.settings.ng911.agency_id
    layer = _empty(BOUNDARY, fields)
    layer.shapes = in_degrees(village, [shapely.normalize(village.network.edge)])
    layer.same = {"DiscrpAgID": agency or None, "DateUpdate": changed, "NGUID": nguid(BOUNDARY, 1, agency)}
    return layer


def _about(connection: Connection, village: Village, profile: str) -> dict[str, str]:
    made, edition = village.files.settings, village.edition
    newest = registers.rows(connection, maps, maps.c.version == edition.version) if edition else []
    return {
        "profile": profile,
        "standard": PROFILES[profile],
        "village": f"{made.name}, {made.county}, {made.state}",
        "map": edition.state if edition else "",
        "map_digest": newest[0]["digest"] if newest else "",
        "provisional": "no" if edition and edition.adopted else "yes",
        "as_of": datetime.now(UTC).isoformat(timespec="seconds"),
        "audit_head": head(connection),
        "boundary": EDGE,
        "ranges": "Each range is that of the block on the map (§ 288-15 D, E); Valid_L and Valid_R are N, for a number "
        "is official by its point alone.",
        "legacy_names": "The legacy street fields are empty: they take the MSAG's own spelling, which is not at hand.",
    }
