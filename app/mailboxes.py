"""A mailbox against § 288-10: its rows from a position or a tape, its street, the carrier's side and the register."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import shapely
from shapely import LineString, Point

from app.check_site import Site, crossing_ft
from app.cross_sections import CARRIER_SIDES
from gis.address import street_key
from gis.encroachment import met
from gis.errors import Fault, GeometryError, UnknownStreetError
from gis.lengths import read_length_in
from gis.mailbox import (
    STRETCH,
    Sided,
    Stretch,
    Taped,
    inside_row,
    mailbox,
    number_row,
    setback,
    side_row,
    stretch_row,
)
from gis.measure import Checked, Judged, Measured, Verdict, rss
from gis.network import NS

Json = dict[str, Any]
_OPPOSITE = {"odd": {True: "west", False: "south"}, "even": {True: "east", False: "north"}}


def check_mailbox(site: Site, asked: Mapping[str, Any]) -> Checked:
    """Judge a mailbox: what the request gives; what it does not give is not checked.

    Parameters
    ----------
    site
        What it is measured against.
    asked
        ``x`` and ``y`` of the door, or ``tape``; ``street``, ``curb``, ``tube``, ``side``, ``number``.

    Returns
    -------
    Checked
        Set-back, tube, side, stretch, number, and whether it is on the right-of-way.

    Raises
    ------
    StreetsError
        Neither a position nor a taped set-back, or one that is none.
    """
    place = _place(site, asked)
    street, certain = site.street(asked.get("street") or "", place)
    curb, assumed = _curb(site, asked, street)
    taped = read_tape(asked.get("tape"), "tape", curb)
    taped = replace(taped, curb_assumed=assumed) if taped else None
    if place is None and taped is None:
        fault = Fault("x, y", "nothing", "the position of the mailbox's door, or its taped set-back")
        raise GeometryError("Neither a position nor a taped set-back was given.", [fault])
    edges = site.edges(place) if place is not None else ()
    row, drawn = setback("setback_in", "mailbox's door", edges, place, site.accuracy_ft, taped, site.law)
    if taped is not None and place is not None:
        _, drawn = setback("setback_in", "mailbox's door", edges, place, site.accuracy_ft, None, site.law)
    tube, more = _tube(site, asked, curb, taped)
    number = str(asked.get("number") or "").strip().upper()
    rows = [
        row,
        tube,
        side_row(_sided(site, asked, street, place)),
        _stretch(site, street, certain, place),
        number_row(number, site.official(street, place) if street else None, f"on {street}" if street else ""),
        inside_row(_inside(site, place)),
    ]
    return mailbox(rows, (*drawn, *more))


def _place(site: Site, asked: Mapping[str, Any]) -> Point | None:
    x, y = asked.get("x"), asked.get("y")
    if x is None and y is None:
        return None
    if x is None or y is None:
        raise GeometryError.of("x" if x is None else "y", "nothing", "both x and y, or neither")
    return site.positions.point(x, y)


def _curb(site: Site, asked: Mapping[str, Any], street: str) -> tuple[bool, bool]:
    """Say whether there is a curb, as it was sent or as the street's cross-section has it; and if that is assumed."""
    if asked.get("curb") is not None:
        return bool(asked["curb"]), False
    block = site.block(street, None) if street else None
    if block is None:
        return True, True
    across = block.section.across
    curb = across.odd.curb and across.even.curb
    return curb, curb and (across.assumed or across.odd.curb is not across.even.curb)


def read_tape(tape: Any, field: str, curb: bool) -> Taped | None:
    """Read a taped set-back: bare numbers are inches.

    Parameters
    ----------
    tape
        ``setback`` and ``tolerance`` as people write lengths; None for none.
    field
        The input's name, for the message.
    curb
        Whether it was taped from a curb.

    Returns
    -------
    Taped or None
        In feet.

    Raises
    ------
    GeometryError
        It is no length, or its tolerance is below 0.
    """
    if tape is None:
        return None
    content = tape if isinstance(tape, Mapping) else {"setback": tape}
    if content.get("setback") is None:
        raise GeometryError.of(f"{field}.setback", "nothing", "a taped length, such as 7 1/2 in")
    behind = read_length_in(content["setback"], f"{field}.setback") / 12.0
    tolerance = content.get("tolerance")
    within = 0.0 if tolerance in (None, "") else read_length_in(tolerance, f"{field}.tolerance") / 12.0
    if within < 0:
        raise GeometryError.of(f"{field}.tolerance", tolerance, "0 or more")
    return Taped(Measured(behind, within), curb)


def _tube(site: Site, asked: Mapping[str, Any], curb: bool, taped: Taped | None) -> tuple[Judged, tuple[Any, ...]]:
    """Judge the protruding end of a newspaper tube: a position, or a taped set-back of its own."""
    given, what = asked.get("tube"), "tube's protruding end"
    if given is None:
        row, drawn = setback("tube_setback_in", what, (), None, 0.0, None, site.law)
        return Judged(**{**row.__dict__, "note": "No newspaper tube was given."}), drawn
    if isinstance(given, Mapping) and (given.get("x") is not None or given.get("y") is not None):
        if given.get("x") is None or given.get("y") is None:
            raise GeometryError.of("tube", "one coordinate", "both x and y")
        place = site.positions.point(given["x"], given["y"], "tube")
        return setback("tube_setback_in", what, site.edges(place), place, site.accuracy_ft, None, site.law)
    content = given.get("tape", given) if isinstance(given, Mapping) else {"setback": given}
    if isinstance(content, Mapping) and content.get("tolerance") is None and taped is not None:
        content = {**content, "tolerance": f"{taped.behind.uncertainty_ft} ft"}  # the same tape
    return setback("tube_setback_in", what, (), None, 0.0, read_tape(content, "tube", curb), site.law)


def _sided(site: Site, asked: Mapping[str, Any], street: str, place: Point | None) -> Sided | None:
    required = str(asked.get("side") or "").strip().lower()
    if required and required not in (*CARRIER_SIDES, *_OPPOSITE):
        expected = "the side of the road that the Postal Service requires: north, south, east or west"
        raise GeometryError.of("side", required, expected)
    north_south = street and site.village.network.streets[site.village.network.by_name[street][0]].family == NS
    if required in _OPPOSITE:
        required = _OPPOSITE[required][bool(north_south)] if street else ""
    stands = _stands(site, street, place)
    if not required and site.sent is None and place is not None:
        block = site.block(street, place)
        return Sided(stands, block.section.carrier_side if block else "")
    return Sided(stands, required) if required else None


def _stands(site: Site, street: str, place: Point | None) -> str:
    """Return the side of its street that a place lies on; ``""`` where its accuracy leaves that open."""
    if place is None:
        return ""
    center = site.sent.get("centerline") if site.sent is not None else site.ground.layers.get("centerline")
    own = [f for f in center.features if not street or f.label in ("", street)] if center else []
    if not own:
        return ""
    nearest = min(own, key=lambda feature: feature.shape.distance(place))
    line = min(shapely.get_parts(nearest.shape), key=lambda part: part.distance(place))
    if line.distance(place) <= rss(site.accuracy_ft, nearest.accuracy_ft):
        return ""
    foot = line.interpolate(line.project(place))
    east, north = place.x - foot.x, place.y - foot.y
    net = site.village.network
    if street:
        axis = net.east if net.streets[net.by_name[street][0]].family == NS else net.north
        names = ("east", "west") if axis is net.east else ("north", "south")
        return names[0] if east * axis[0] + north * axis[1] > 0 else names[1]
    if abs(east) > abs(north):
        return "east" if east > 0 else "west"
    return "north" if north > 0 else "south"


def _inside(site: Site, place: Point | None) -> Measured | None:
    lines = site.layers(place).get("right_of_way") if place is not None else None
    one = met(place, lines, "right_of_way") if lines is not None and place is not None else None
    return Measured(one.depth_ft, rss(site.accuracy_ft, one.accuracy_ft)) if one else None


# --- the stretch that is prohibited ---


def _stretch(site: Site, street: str, certain: bool, place: Point | None) -> Judged:
    named = site.village.files.settings.no_mailboxes
    if not named or not street:
        return stretch_row(None)
    told = f"Prohibited along both sides of {named[0]} from {named[1]} to {named[2]}"
    try:
        main, *ends = (site.village.street_name(name) for name in named)
    except UnknownStreetError:
        return Judged("stretch", Verdict.NOT_CHECKED, STRETCH, note=f"{told}: one of them is not in the linework.")
    inside = _inside_stretch(site, main, ends, place) if place is not None else None
    if street_key(street) != street_key(main):
        if certain or inside is None or inside.value_ft + inside.uncertainty_ft <= 0:
            return Judged("stretch", Verdict.COMPLIES, STRETCH, note=f"{told}; it stands on {street}.")
        return stretch_row(Stretch(inside, certain=False, place=f"{told}; it may stand on either street."))
    if inside is None:
        note = f"{told}; where along it was not given." if place is None else f"{told}: the streets do not meet."
        return Judged("stretch", Verdict.NOT_CHECKED, STRETCH, note=note)
    return stretch_row(Stretch(inside, certain, f"{told}."))


def _inside_stretch(site: Site, main: str, ends: list[str], place: Point) -> Measured | None:
    """Return how far inside the stretch a place is, along the street that it is of."""
    net = site.village.network
    paths = [net.streets[k] for k in net.by_name[main]]
    path = min(paths, key=lambda street: street.physical_line().distance(place))
    line = LineString(path.chain.coords)
    crossings = [crossing_ft(line, [net.streets[k].physical_line() for k in net.by_name[name]]) for name in ends]
    if None in crossings:
        return None
    low, high = sorted(at for at in crossings if at is not None)
    at = line.project(place)
    worst = float(path.accuracy_ft.max())
    return Measured(min(at - low, high - at), rss(site.accuracy_ft, worst))
