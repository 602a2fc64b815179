"""A new plat held against the general scheme of numbering, before it is numbered (§ 288-15 A).

"Plats shall be numbered to conform as nearly as possible to the general scheme of numbering as outlined on the map."
A new street conforms to the rows of the streets it lies between; what does not is told, and the officer decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from sqlalchemy.engine import Connection

from app.answers import listed, row_of
from app.edit_preview import told
from app.map_edits import Trial, attempt, joins_none, lies_along
from app.map_versions import Atlas
from app.sounds import sound_alike
from app.village import Village
from gis.blocks import Row
from gis.errors import StreetsError
from gis.street_edits import DRAW, StreetEdit

Json = dict[str, Any]
Verdict = Literal["conforms", "does not conform", "an officer decides"]


def plat_check(atlas: Atlas, connection: Connection, version: int, edit: StreetEdit) -> Json:
    """Hold a street that is to be drawn against a version of the map (§ 288-15 A); nothing is recorded.

    Parameters
    ----------
    atlas
        The village and its register.
    connection
        To the register.
    version
        Any version of the map, the adopted one too.
    edit
        The street, an edit of kind ``draw``.

    Returns
    -------
    dict
        What `app.edit_preview.preview` gives, and ``plat``: the ``street`` with its family and halves, its ``rows``,
        the ``neighbours`` whose rows begin at the same cross streets, and ``checks``, each with its ``verdict``.

    Raises
    ------
    StreetsError
        It is no street that can be drawn.
    """
    if edit.kind != DRAW:
        raise StreetsError.of("kind", edit.kind, "draw: a street that is to be laid out")
    trial = attempt(atlas, connection, version, edit)
    made = told(connection, version, trial)
    drawn = trial.edit if isinstance(trial.edit, StreetEdit) else edit
    return {**made, "plat": _plat(trial, drawn, made)}


def _plat(trial: Trial, edit: StreetEdit, made: Json) -> Json:
    after = trial.after
    name = edit.street
    street = next(s for s in after.streets if s.name == name)
    rows = after.rows_of(name)
    beside = [pair for row in rows for pair in _neighbours(after, row)]
    checks = [
        _family(after, name),
        _hundreds(rows, beside),
        _own_findings(rows),
        _name(after, name),
        _other_blocks(name, _of_others(after, name, rows), made),
        _joined(after, edit),
        _along(trial.before, edit),
        _numbers(made),
    ]
    return {
        "street": {
            "name": name,
            "kind": list(street.kind),
            "name_status": street.name_status,
            "family": list(street.family),
            "base_lines": [after.network.base_name(family) for family in street.family],
            "halves": list(street.halves),
            "length_ft": round(street.length_ft, 1),
        },
        "rows": [row_of(after, row) for row in rows],
        "neighbours": beside,
        "checks": checks,
        "conforms": all(check["verdict"] == "conforms" for check in checks),
    }


def _check(code: str, title: str, section: str, verdict: Verdict, text: str) -> Json:
    return {"code": code, "title": title, "section": section, "verdict": verdict, "text": text}


def _neighbours(village: Village, row: Row) -> Iterator[Json]:
    """Give the rows of other streets on the same half that begin at a street at which a row begins."""
    if row.block == 0:
        return
    for other in village.map.rows:
        met = [name for name in other.from_streets if name in row.from_streets]
        if met and other.block and other.side == row.side and other.street != row.street:
            yield {
                "cross": met[0],
                "half": row.side,
                "path": row.path,
                "at_ft": round(row.from_ft, 2),
                "hundred": row.hundred,
                "street": other.street,
                "other_hundred": other.hundred,
                "agrees": other.hundred == row.hundred,
            }


def _family(village: Village, name: str) -> Json:
    paths = [village.network.streets[k] for k in village.network.by_name[name]]
    bases = ", ".join(dict.fromkeys(village.network.base_name(path.family) for path in paths))
    found = list(dict.fromkeys(f for path in paths for f in path.findings))
    halves = ", ".join(dict.fromkeys(row.side for row in village.rows_of(name)))
    text = f"It is numbered from {bases}, {halves}."
    if found:
        text = " ".join([text, *(f.message for f in found)])
    return _check("FAMILY", "Base line", "288-15 C", "an officer decides" if found else "conforms", text)


def _hundreds(rows: tuple[Row, ...], beside: list[Json]) -> Json:
    title, section = "Hundreds of the streets it lies between", "288-15 A"
    differ = [pair for pair in beside if not pair["agrees"]]
    if differ:
        text = "; ".join(
            f"at {pair['cross']} it begins the {pair['hundred']} block, {pair['half']} {pair['street']} the "
            f"{pair['other_hundred']} block"
            for pair in differ
        )
        return _check("HUNDREDS", title, section, "does not conform", f"{text[0].upper()}{text[1:]}.")
    if beside:
        streets = ", ".join(dict.fromkeys(pair["street"] for pair in beside))
        text = f"It begins each block with the same hundred as {streets}."
        return _check("HUNDREDS", title, section, "conforms", text)
    alone = all(row.block == 0 or not row.from_streets for row in rows)
    text = "It crosses no block line where another street has a row to conform to."
    return _check("HUNDREDS", title, section, "conforms" if alone else "an officer decides", text)


def _own_findings(rows: tuple[Row, ...]) -> Json:
    found = list(dict.fromkeys(f for row in rows for f in row.findings if f.code != "HUNDRED_MISMATCH"))
    open_ones = [f for f in found if f.kind.severity != "note"]
    text = " ".join(f.message for f in open_ones) or "Nothing about its blocks is doubtful."
    made = _check("BLOCKS", "Blocks", "288-15 D", "an officer decides" if open_ones else "conforms", text)
    return {**made, "findings": listed(found)}


def _name(village: Village, name: str) -> Json:
    other = sound_alike(village, name)
    status = next(s.name_status for s in village.streets if s.name == name)
    if other:
        text = f"{name} sounds like {other}: callers may mistake one for the other."
    elif status != "confirmed":
        text = f"The name is {'a placeholder' if status == 'placeholder' else 'inferred'}: it is to be confirmed."
    else:
        text = "No other street has the name or one that sounds like it."
    plain = not other and status == "confirmed"
    return _check("NAME", "Name", "288-15 C(1)", "conforms" if plain else "an officer decides", text)


def _other_blocks(name: str, others: set[str], made: Json) -> Json:
    """Say what becomes of the blocks of other streets; of new doubts only those that `others`, their blocks, have."""
    title = "Blocks of other streets"
    moved = [
        b for b in made["blocks"] if b["street"] != name and set(b["what"]) - {"findings"} | {b["change"]} - {"changed"}
    ]
    if not moved:
        come = [f["message"] for f in made["findings"]["come"] if f["severity"] != "note" and f["message"] in others]
        if come:
            return _check("OTHER_BLOCKS", title, "288-15 A", "an officer decides", " ".join(come))
        return _check("OTHER_BLOCKS", title, "288-15 A", "conforms", "No block of another street would change.")
    streets = ", ".join(dict.fromkeys(f"{b['half']} {b['street']}" for b in moved))
    text = (
        f"It would be a block line, and change {len(moved)} blocks of {streets}. Where those are to stay as they are, "
        "draw it so that it makes no block line."
    )
    return _check("OTHER_BLOCKS", title, "288-15 A", "does not conform", text)


def _of_others(village: Village, name: str, own: tuple[Row, ...]) -> set[str]:
    """Return what the blocks of other streets have for findings, but for those that the street's own check tells."""
    told = {f.message for row in own for f in row.findings}
    return {f.message for row in village.map.rows if row.street != name for f in row.findings} - told


def _joined(village: Village, edit: StreetEdit) -> Json:
    title, section = "Streets it joins", "288-15 A"
    if joins_none(village, edit):
        text = f"{edit.street} joins no street."
        return _check("JOINED", title, section, "an officer decides", text)
    return _check("JOINED", title, section, "conforms", "It joins another street.")


def _along(before: Village, edit: StreetEdit) -> Json:
    told = lies_along(before, edit)
    text = told or "It crosses and meets other streets, and lies on none."
    verdict: Verdict = "an officer decides" if told else "conforms"
    return _check("ALONG", "Room of its own", "288-15 A", verdict, text)


def _numbers(made: Json) -> Json:
    title, counts = "Numbers given before", made["counts"]
    if not counts["official"] and not counts["provisional"]:
        return _check("NUMBERS", title, "288-15 A", "conforms", "No number that was given would be another.")
    text = (
        f"{counts['official']} official and {counts['provisional']} other numbers would be computed otherwise. "
        "Official numbers stay as they are, and would be marked as not conforming."
    )
    return _check("NUMBERS", title, "288-15 A", "does not conform", text)
