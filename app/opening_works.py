"""The work of an opening as it is inspected and restored (§ 288-6 B to G): checklists, and measures against the law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.auth import Permission
from app.case_facts import Asked, Facts
from app.casework import Course, Matter, Step, Taken, happened_at, stays
from app.permit_measures import Limit, failed, held
from app.permit_model import ACTIVE, APPROVED, OPEN, YES_NO, Json, application, decided
from app.registers import Row
from gis.errors import StreetsError
from gis.measure import Verdict


@dataclass(frozen=True)
class Item:
    """One thing that is looked at on the site.

    Parameters
    ----------
    title, section
        What it is, and where the law asks for it.
    limits
        What is held against the law where it was measured.
    cure
        The decision that lifts it, if there is one.
    """

    title: str
    section: str
    limits: tuple[Limit, ...] = ()
    cure: str = ""


ITEMS: Mapping[str, Item] = {
    "barriers": Item("Barriers, signing and traffic control, Section VI of the Manual", "288-6 B(1)"),
    "lights": Item("Warning lights “from sunrise to sunset”: so in the text", "288-6 B(1)"),
    "open_flame": Item("No open flame warning devices", "288-6 B(1)"),
    "trench": Item(
        "Trench ahead of the pipe and unfilled behind it", "288-6 B(1)",
        (Limit("ahead_ft", "trench_ahead_ft", at_most=True), Limit("unfilled_ft", "trench_open_ft", at_most=True)),
        "trench",
    ),
    "precautions": Item("Precautions against accidents and damage", "288-6 B(2)"),
    "lanes": Item("A lane in each direction, a flagman or a signal", "288-6 B(3)", (), "lanes"),
    "access": Item("Reasonable access to adjacent properties", "288-6 B(3)"),
    "backup": Item("No traffic backup", "288-6 B(4)"),
    "saw_cut": Item("Neat, straight lines; the final saw cut after backfilling", "288-6 C(1)"),
    "recut": Item("Saw cut again where the pavement was damaged beyond", "288-6 C(2)"),
    "vertical_face": Item("A vertical face on the existing concrete", "288-6 C(4)"),
    "spoil": Item("Excavated material piled so that traffic is not disrupted", "288-6 D(2)"),
    "gutters": Item("Gutters clear, or street drainage otherwise; natural watercourses not obstructed", "288-6 D(2)"),
    "handling": Item("Backfill handled with as little inconvenience as practical", "288-6 D(3)"),
    "backfill": Item(
        "Backfill free from unsuitable material; stones", "288-6 E(1)",
        (Limit("stone_in", "backfill_stone_in", at_most=True),),
    ),
    "hauled_in": Item("Material hauled in, approved prior to use", "288-6 E(2)", (), "fill"),
    "services": Item("No service interrupted; utilities located and marked", "288-6 E(3)", (), "interruption"),
    "compaction": Item(
        "A layer compacted to 95 % of the maximum dry density (ASTM-1557)", "288-6 E(4)",
        (
            Limit("layer_in", "backfill_layer_in", at_most=True),
            Limit("density_percent", "compaction_percent", at_most=False),
        ),
    ),
    "no_flooding": Item("No compaction by flooding", "288-6 E(4)"),
    "sheathing": Item("Sheathing and braces where the sides will not stand; none left in the trench", "288-6 E(6)"),
    "overhang": Item("No pavement overhangs the excavation", "288-6 E(6)"),
}  # fmt: skip
"""What the law asks to be seen on the site, in the order of its sections."""
_MEASURES = (
    Asked("ahead_ft", "Trench ahead of the pipe, feet", type="ft", aside=True),
    Asked("unfilled_ft", "Unfilled behind the pipe, feet", type="ft", aside=True),
    Asked("stone_in", "Greatest stone in the backfill, inches", type="in", aside=True),
    Asked("layer_in", "Depth of the layer, inches", type="in", aside=True),
    Asked("density_percent", "Dry density, percent of the maximum", type="percent", aside=True),
)
_WITHIN = Asked("within_in", "Measured to within, inches", "Not counted where left empty", type="in", aside=True)


def _inspect(taken: Taken) -> Facts:
    """Judge what was measured; what was not measured is the inspector's word."""
    facts, item = dict(taken.facts), ITEMS[taken.facts["item"]]
    own = {limit.key for limit in item.limits}
    other = next((asked.key for asked in _MEASURES if asked.key in facts and asked.key not in own), None)
    if other:
        expected = f"one of {', '.join(sorted(own))}" if own else "no measure"
        raise StreetsError.of(other, facts[other], f"{expected}, for {item.title.lower()}")
    judged = held(facts, item.limits, taken.day)
    if not judged and "result" not in facts:
        raise StreetsError.of("result", "nothing", "pass or fail, or what was measured")
    lifted = bool(item.cure and decided(taken.matter.course, item.cure, taken.at))
    bad = [one for one in judged if one["verdict"] == str(Verdict.VIOLATES)]
    if bad and facts.get("result") == "pass" and not lifted:
        one = bad[0]
        found = f"pass, with {one['key']} {one['value']:g}"
        raise StreetsError.of("result", found, f"fail: “{one['law']}” (§ {one['section']})")
    if "result" not in facts:
        facts["result"] = ("fail" if not lifted else "pass") if bad else ("open" if failed(judged) else "pass")
    return facts | ({"judged": judged} if judged else {}) | ({"lifted_by": item.cure} if lifted and bad else {})


def standing(course: Course) -> dict[str, Json]:
    """Return how each thing was found last, by its name; a failed lift that was compacted again passes by that."""
    found: dict[str, Json] = {}
    for event in sorted(course.of("inspect"), key=happened_at):
        found[event["facts"]["item"]] = event["facts"]
    return found


INSPECT = Step(
    "Record an inspection", "Inspected", Permission.INSPECT, OPEN, stays, "288-6 B to E",
    (
        Asked("item", "What was looked at", choices={key: item.title for key, item in ITEMS.items()}, needed=True),
        Asked("result", "What was found", "Left empty where the measure decides",
              choices={"pass": "As it is to be", "fail": "Not as it is to be"}),
        *_MEASURES,
        _WITHIN,
        Asked("retest_cents", "Cost of retesting, paid by the permittee", "In dollars", type="cents", aside=True),
        Asked("note", "What was seen", long=True, private=True),
    ),
    _inspect, any_time=True,
)  # fmt: skip


# --- restoration ---

SURFACES = {
    "bituminous": "Bituminous pavement",
    "concrete": "Concrete pavement",
    "cold_mix": "Temporary cold mix, in winter",
    "stone": "Crushed stone, to be paved later",
    "curb": "Curb and gutter",
    "sidewalk": "Sidewalk",
    "grass": "Grass-covered area",
}
STONE = (
    Limit("coarse_stone_in", "coarse_stone_in", at_most=False),
    Limit("fine_stone_in", "fine_stone_in", at_most=False),
)
LIMITS: Mapping[str, tuple[Limit, ...]] = {
    "bituminous": (
        *STONE,
        Limit("depth_in", "bituminous_in", at_most=False),
        Limit("base_in", "bituminous_base_in", at_most=True),
        Limit("top_in", "bituminous_top_in", at_most=True),
        Limit("deviation_in", "finish_deviation_in", at_most=True),
    ),
    "concrete": (*STONE, Limit("depth_in", "concrete_in", at_most=False)),
    "cold_mix": (Limit("depth_in", "cold_mix_in", at_most=False),),
    "stone": STONE,
}
"""What is held against the law, by surface (§ 288-6 G)."""
LASTING = frozenset({"bituminous", "concrete", "curb", "sidewalk", "grass"})


def _restore(taken: Taken) -> Facts:
    facts = dict(taken.facts)
    surface = facts["surface"]
    if facts.get("permanent") == "yes" and surface not in LASTING:
        raise StreetsError.of(
            "permanent", f"yes, of {SURFACES[surface].lower()}", "no: it is to be replaced (§ 288-6 G)"
        )
    least = {"depth_in": facts["existing_in"]} if facts.get("existing_in") and surface != "cold_mix" else {}
    judged = held(facts, LIMITS.get(surface, ()), taken.day, least)
    return facts | {"judged": judged}


PAVEMENTS = frozenset({"bituminous", "concrete"})


def restored(matter: Matter) -> Row | None:
    """Return the permanent restoration that was last: of the pavement, where pavement was opened; else of anything.

    A sidewalk or grass that is restored does not stand for a pavement that is still open or under cold mix.
    """
    course = matter.course
    pavement = application(matter).get("pavement") in PAVEMENTS
    pavement = pavement or any(one["facts"]["surface"] not in LASTING for one in course.of("restore"))
    lasting = [one for one in course.of("restore") if one["facts"].get("permanent") == "yes"]
    found = [one for one in lasting if not pavement or one["facts"]["surface"] in PAVEMENTS]
    return max(found, key=happened_at, default=None)


def _opened(matter: Matter) -> bool:
    """Say whether something was opened, as far as is recorded: an emergency is opened first and applied for later."""
    course = matter.course
    emergency = application(matter).get("emergency") == "yes"
    return emergency or any(course.of(what) for what in ("start", "village_work", "restore"))


def unrestored(matter: Matter, *, nothing_opened: bool = False) -> Iterator[tuple[str, str, str, str]]:
    """Tell what is still to be done before a permit may be closed: field, section, what was found, what cures it."""
    course = matter.course
    begun = any(course.of(what) for what in ("start", "village_work", "restore"))
    if not begun and nothing_opened:
        return
    if not _opened(matter):
        cure = "yes, where nothing was opened; else the work and its restoration"
        yield "nothing_opened", "288-5 F(1)", "nothing", cure
        return
    emergency = application(matter).get("emergency") == "yes"
    if not emergency and not any(course.of(what) for what in ("start", "village_work")):
        cure = "the beginning of the work, after its hotline ticket"
        yield "start", "288-6 D(1)", "a restoration of work that never began", cure
        return
    if restored(matter) is None:
        cure = "the permanent restoration recorded: “shall be restored to the condition prior to damage”"
        yield "restore", "288-5 F(1)", "nothing permanent", cure
        return
    for done in _lasting(course).values():
        for one in failed(done.get("judged", ())):
            yield one["key"], one["section"], f"{one['value']:g}, {one['verdict']}", f"“{one['law']}”"
        if done.get("as_before") == "no":
            yield "as_before", "288-5 F(1)", "no", "any damaged curb and gutter, sidewalk or grass restored"
    for key, facts in standing(course).items():
        if facts["result"] != "pass":
            yield key, ITEMS[key].section, f"{ITEMS[key].title}: {facts['result']}", "a later inspection that passes"


def _lasting(course: Course) -> dict[str, Json]:
    """Return how each surface was permanently restored last, by its name."""
    found: dict[str, Json] = {}
    for event in sorted(course.of("restore"), key=happened_at):
        if event["facts"].get("permanent") == "yes":
            found[event["facts"]["surface"]] = event["facts"]
    return found


RESTORE = Step(
    "Record the restoration", "Restored", Permission.INSPECT, frozenset({APPROVED, ACTIVE}), stays, "288-6 G",
    (
        Asked("surface", "What was restored", choices=SURFACES, needed=True),
        Asked("permanent", "Is it permanent?", choices=YES_NO, needed=True),
        Asked("as_before", "Are curb and gutter, sidewalk and grass as before the damage?", choices=YES_NO),
        Asked("existing_in", "Depth of the existing pavement, inches", type="in", aside=True),
        Asked("depth_in", "Depth of the pavement, inches", type="in", aside=True),
        Asked("base_in", "Base layer, inches", type="in", aside=True),
        Asked("top_in", "Top layer, inches", type="in", aside=True),
        Asked("deviation_in", "Deviation along a ten-foot straight edge, inches", type="in", aside=True),
        Asked("coarse_stone_in", "Three-inch crushed stone, inches", type="in", aside=True),
        Asked("fine_stone_in", "3/4 inch crushed stone, inches", type="in", aside=True),
        _WITHIN,
        Asked("gradation", "Is it gradation No. 1 for the binder and No. 3 for the surface?", choices=YES_NO,
              aside=True),
        Asked("finish", "Smooth, matching the pavement and castings (concrete: light broom finish)?", choices=YES_NO,
              aside=True),
        Asked("chloride", "Is the concrete free of calcium chloride?", choices=YES_NO, aside=True),
        Asked("sealed", "Evenly sealed with a white pigmented curing compound, its edges tooled?", choices=YES_NO,
              aside=True),
        Asked("tie_bars", "Tie bars installed as directed by Village officials?", choices=YES_NO, aside=True),
        Asked("note", "What was seen", long=True, private=True),
    ),
    _restore, any_time=True,
    help="What was measured is held against § 288-6 G; what was not is left open.",
)  # fmt: skip


def told(facts: Mapping[str, Any]) -> list[str]:
    """Return what was judged of an inspection or a restoration, in words."""
    words = {"complies": "complies", "violates": "does not comply", "undecided": "undecided"}
    return [
        f"{one['key']}: {one['value']:g} against {'at most' if one['at_most'] else 'at least'} {one['limit']:g}: "
        f"{words[one['verdict']]} (§ {one['section']})"
        for one in facts.get("judged", ())
    ]
