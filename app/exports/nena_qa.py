"""The checks of an NG9-1-1 package before it is written: its form, its ranges; `nena_qa_places` has those of place."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from app.exports.nena_fields import INDICATORS, NGUID, POINTS, ROADS, SHAPES, UNSET, Field, layers_of, named
from app.exports.nena_package import CRS, Layer, Package, wrong
from app.exports.nena_qa_places import PLACE_CHECKS
from app.exports.nena_report import NOTICE, Found, Report, checks, found

STREET = ("St_PreMod", "St_PreDir", "St_PreTyp", "St_PreSep", "St_Name", "St_PosTyp", "St_PosDir", "St_PosMod")
SIDES = ("L", "R")


def checked(package: Package, signature: Callable[[str], dict[str, Any] | None] = lambda digest: None) -> Report:
    """Run every check on a package.

    Parameters
    ----------
    package
        The package.
    signature
        Gives the act by which an officer signed the errors of a digest, where one did.

    Returns
    -------
    Report
        By check, each in the order of the features.
    """
    by_check: dict[str, list[Found]] = {name: [] for name in checks()}
    for item in _all(package):
        by_check[item.check].append(item)
    report = Report(package, tuple(item for items in by_check.values() for item in items))
    signed = signature(report.digest) if report.errors else None
    return Report(package, report.items, signed)


def _all(package: Package) -> Iterator[Found]:
    yield from _layers(package)
    for name, wanted in layers_of(package.profile).items():
        layer = package.layers.get(name)
        if layer is not None:
            yield from _fields(layer, wanted)
            yield from _ids(layer)
            yield from _shapes(layer)
    yield from _given_twice(package)
    yield from _ranges(package.layers.get(ROADS))
    yield from _same_addresses(package)
    for check in PLACE_CHECKS:
        yield from check(package)
    for note in package.numbers:
        yield found(note["check"], note["layer"], note["nguid"], note["field"], note["message"])
    for one in package.unset:
        text = f"{one['setting']} is empty: {one['what']}, for {', '.join(one['fields'])}."
        yield found("X02", "", "", one["setting"], text)


# --- form ---


def _layers(package: Package) -> Iterator[Found]:
    for name in INDICATORS:
        layer = package.layers.get(name)
        if layer is None:
            yield found("T01", name, "", "", f"There is no layer {name}.")
        elif layer.crs != CRS:
            yield found("T08", name, "", "", f"The coordinates are {layer.crs or 'of no CRS'}, not {CRS}.")


def _fields(layer: Layer, wanted: Sequence[Field]) -> Iterator[Found]:
    has = {field.name: field for field in layer.fields}
    for field in wanted:
        declared = has.get(field.name)
        if declared is None or declared.column != field.column:
            was = declared.column if declared else "not there"
            text = f"{field.name} is {was}; it should be {field.column}."
            yield found("T02", layer.name, "", field.name, text)
        if declared is not None:
            yield from _values(layer, field)


def _values(layer: Layer, field: Field) -> Iterator[Found]:
    values = layer.values(field.name)
    if field.name not in layer.columns and len(layer):  # told once of all, not of each
        for check, text in _faults(field, values[0]):
            yield found(check, layer.name, "", field.name, f"{text} So it is of every feature.")
        return
    odd = {value for value in set(values) if next(_faults(field, value), None)}
    if odd:
        for own, value in zip(layer.ids(), values, strict=True):
            if value in odd:
                for check, text in _faults(field, value):
                    yield found(check, layer.name, own, field.name, text)


def _faults(field: Field, value: Any) -> Iterator[tuple[str, str]]:
    """Give the check that a value fails, and why."""
    if value is None or (isinstance(value, str) and not value.strip()):
        ends = field.name.startswith(("FromAddr", "ToAddr"))
        if field.required == "Yes" and not ends and field.name != "St_Name":  # R09 and R10 ask for these
            yield "T03", f"{field.name} is required and has no value."
        return
    if not field.fits(value):
        yield "T02", f"{field.name} is {value!r}, which is not {field.column}."
        return
    if field.allowed is not None and not field.allowed.holds(value):
        yield "T04", f"{field.name} is {value!r}; it should be {field.allowed.told}."
    if isinstance(value, str) and value != value.strip():
        yield "T10", f"{field.name} is {value!r}: a space is at its end or its start."


def _ids(layer: Layer) -> Iterator[Found]:
    form = f"urn:emergency:uid:gis:{INDICATORS[layer.name]}:local:agency"
    if any(own.endswith(f":{UNSET}") for own in layer.ids()):  # told once of all, not of each
        text = f"NGUIDs are of no agency, for none is set: the form is {form}."
        yield found("T06", layer.name, "", "NGUID", text)
    for own in layer.ids():
        read = NGUID.fullmatch(own)
        if not own.endswith(f":{UNSET}") and (read is None or read["layer"] != INDICATORS[layer.name]):
            yield found("T06", layer.name, own, "NGUID", f"The NGUID {own or 'that is empty'} is not {form}.")


def _given_twice(package: Package) -> Iterator[Found]:
    counts = Counter(own for layer in package.layers.values() for own in layer.ids() if own)
    if counts and counts.most_common(1)[0][1] > 1:
        for layer in package.layers.values():
            for own in layer.ids():
                if counts[own] > 1:
                    yield found("T05", layer.name, own, "NGUID", f"The NGUID {own} is given {counts[own]} times.")


def _shapes(layer: Layer) -> Iterator[Found]:
    wanted = SHAPES[layer.name]
    for own, shape in zip(layer.ids(), layer.shapes, strict=True):
        why = wrong(shape, wanted)
        if why:
            yield found("T07", layer.name, own, "", f"The geometry {why}.")


# --- ranges ---


def _ranges(layer: Layer | None) -> Iterator[Found]:
    if layer is None:
        return
    for own, name in zip(layer.ids(), layer.values("St_Name"), strict=True):
        if not (name or "").strip():
            yield found("R10", ROADS, own, "St_Name", "The centerline has no street name.")
    for side in SIDES:
        names = (f"FromAddr_{side}", f"ToAddr_{side}", f"Parity_{side}")
        for own, low, high, parity in zip(layer.ids(), *map(layer.values, names), strict=True):
            yield from _range(own, side, low, high, parity)


def _range(own: str, side: str, low: Any, high: Any, parity: Any) -> Iterator[Found]:
    if low is None or high is None:
        yield found("R09", ROADS, own, f"FromAddr_{side}", f"The range {low} to {high} has no ends.")
        return
    if low > high:
        yield found("R02", ROADS, own, f"FromAddr_{side}", f"The range runs from {low} down to {high}.")
    none = low == high == 0
    agrees = {"Z": none, "O": low % 2 == high % 2 == 1, "E": low % 2 == high % 2 == 0 and not none, "B": not none}
    if parity in agrees and not agrees[parity]:
        yield found("R01", ROADS, own, f"Parity_{side}", f"The parity is {parity} and the range {low} to {high}.")


# --- addresses ---


def _same_addresses(package: Package) -> Iterator[Found]:
    layer = package.layers.get(POINTS)
    if layer is None:
        return
    place = tuple(named(package.profile, POINTS, f"A{level}") for level in range(1, 6))
    unit = ("Unit", "UnitPreTyp", "UnitValue", "Building", "Structure", "Wing", "Floor", "Room", "Seat")
    of_street = list(zip(*(layer.values(name) for name in (*place, *STREET)), strict=True))
    numbers = list(zip(*(layer.values(name) for name in ("AddNum_Pre", "Add_Number")), strict=True))
    suffixes, units = layer.values("AddNum_Suf"), list(zip(*map(layer.values, unit), strict=True))
    same: dict[Any, list[int]] = defaultdict(list)
    bare: dict[Any, list[int]] = defaultdict(list)
    for k, (street, number, suffix, inside) in enumerate(zip(of_street, numbers, suffixes, units, strict=True)):
        same[street, number, suffix, inside].append(k)
        bare[street, number].append(k)
    ids = layer.ids()
    for members in same.values():
        for k in members if len(members) > 1 else ():
            text = f"{numbers[k][1]} of this street is the address of {len(members)} points."
            yield found("A01", POINTS, ids[k], "Add_Number", text)
    for members in bare.values():
        suffixed = sorted({suffixes[k] for k in members if suffixes[k]})
        for k in members if suffixed else ():
            if not suffixes[k]:
                text = f"{numbers[k][1]} is an address, and so is {numbers[k][1]} with {', '.join(suffixed)}."
                yield found("A09", POINTS, ids[k], "AddNum_Suf", text, NOTICE)
