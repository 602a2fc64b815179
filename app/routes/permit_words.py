"""What pages of permits say: where the law asks for a fact, what cures what stands in the way, the law's words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app import permit_opening, permit_privilege, permit_sidewalk
from app.opening_works import ITEMS

SECTIONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "opening": {
            **permit_opening.NEEDED,
            "in": "288-5 A",
            "starts_on": "288-6 A",
            "direction": "288-6 B(3)",
            "pavement": "288-6 G",
            "patches": "288-6 C(2)",
            "loss_at": "288-6 B(5)",
            "starts_time": "288-6 B(4)",
            "emergency": "288-6 A, H",
            "utility": "288-6 H",
        },
        "sidewalk": {**permit_sidewalk.NEEDED, "starts_on": "288-4 C"},
        "privilege": {
            **permit_privilege.NEEDED,
            "building_permit": "288-8 A",
            "insurance": "288-8 A",
            "direction": "288-8 D(1)",
        },
    }
)
"""The section that a fact of an application is asked for under, or counts for; a fact without one helps the office."""


Cure = tuple[str, str, str]
"""A step, what is chosen in it (``""`` for nothing), and what its link says."""
CURES: Mapping[str, tuple[Cure, ...]] = MappingProxyType(
    {
        "frozen_ground": (("decide", "emergency", "Record a finding"), ("amend", "", "Change the days")),
        "new_street": (("decide", "essential", "Record the opinion"), ("amend", "", "Change the application")),
        "lanes": (
            ("decide", "lanes", "Record the approval"),
            ("decide", "flagger", "Record a flagman"),
            ("decide", "signal", "Record a signal"),
        ),
        "interruption": (("decide", "interruption", "Record the decision"), ("amend", "", "Change the application")),
        "bond": (
            ("decide", "bond_amount", "Record the amount"),
            ("bond", "", "Record the bond"),
            ("decide", "bond_waived", "Record the Board’s waiver"),
        ),
        "advice": (("advise", "", "Record advice"),),
        "route": (("decide", "route", "Record the route"),),
        "building_permit": (
            ("amend", "", "Give its number"),
            ("decide", "building_permit", "Record that none is required"),
        ),
        "share": (("amend", "", "Change the outline"),),
        "ticket": (("notice", "hotline", "Record the ticket"),),
        "restore": (("restore", "", "Record the restoration"),),
        "as_before": (("restore", "", "Record the restoration"),),
        "start": (("start", "", "Record that work has begun"),),
    }
)
"""What cures what stands in the way, by its name."""
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "frozen_ground": "Frozen ground",
        "new_street": "A newly paved street",
        "lanes": "Lanes",
        "interruption": "A service",
        "bond": "Bond",
        "advice": "Advice",
        "route": "Route",
        "building_permit": "Building permit",
        "share": "Share of the street",
        "ticket": "Hotline",
        "restore": "Restoration",
        "fee": "Fee",
        "start": "Work",
        "continuing": "The work",
    }
)
"""What that which stands in the way is called."""
CHOSEN: Mapping[str, str] = MappingProxyType({"decide": "decision", "notice": "to", "inspect": "item"})
"""The field in which a step's link chooses."""


_ASKS = {"opening": permit_opening.ASKS, "sidewalk": permit_sidewalk.ASKS, "privilege": permit_privilege.ASKS}


def name_of(kind: str, key: str) -> str:
    """Return what that which stands in the way is called; ``""`` where what was found says it."""
    if key in NAMES:
        return NAMES[key]
    return next((asked.label.removesuffix("?") for asked in _ASKS[kind] if asked.key == key), "")


def cures(kind: str, key: str) -> tuple[Cure, ...]:
    """Return the steps that cure what stands in the way: a fact of the application is amended, a thing looked at again.

    Parameters
    ----------
    kind
        Of permit.
    key
        The name of what stands in the way.

    Returns
    -------
    tuple
        The likely one first; none where no step of the permit cures it.
    """
    if key in CURES:
        return CURES[key]
    if kind == "opening" and key in ITEMS:
        return (("inspect", key, "Record a later inspection"),)
    if key in {asked.key for asked in _ASKS[kind]}:
        return (("amend", "", "Amend the application"),)
    return ()


# --- on the site ---

_WALK = ("walk_ft", "fence_ft", "both_sides")


def measures(kind: str, item: str) -> tuple[str, ...]:
    """Return the facts that are measured of one thing that is looked at.

    Examples
    --------
    >>> measures("opening", "compaction"), measures("opening", "lights"), measures("privilege", "sidewalk")
    (('layer_in', 'density_percent', 'within_in', 'retest_cents'), (), ('walk_ft', 'fence_ft', 'both_sides'))
    """
    if kind == "privilege":
        return _WALK if item == "sidewalk" else ()
    own = tuple(limit.key for limit in ITEMS[item].limits) if item in ITEMS else ()
    within = ("within_in",) if any(key.endswith("_in") for key in own) else ()
    return (*own, *within, *(("retest_cents",) if item == "compaction" else ()))


# --- what an application needs, in the law's words ---

Said = tuple[str, str, str]
"""What is to be done, the section, and the law's sentence."""
BEFORE: Mapping[str, tuple[Said, ...]] = MappingProxyType(
    {
        "sidewalk": (
            ("Obtain it seven days before the work", "288-4 C", "No person shall hereafter lay, remove, replace or "
             "repair any public sidewalks within the Village of Benton unless he is under contract with the Village to "
             "do such work or has obtained a permit from the Village at least seven days before work is proposed to be "
             "undertaken."),
        ),
        "opening": (
            ("In writing, and signed", "288-5 B", "The application for a permit shall be in writing and signed by the "
             "applicant or his/her agent."),
            ("Say where, what and how", "288-5 B", "The applicant shall submit to the Village Clerk-Treasurer, at the "
             "time the permit is applied for, sufficient information relating to the work to be done including the "
             "general location and nature of the work and the method applicant proposes to use in doing the work."),
            ("Tell of patches and of further openings", "288-6 C(2)", "Should the street opening occur within adjacent "
             "or close to an existing patch or require more than one opening within a short distance, the permittee "
             "shall identify and locate the existing patches or additional openings on the permit application form."),
            ("Not in frozen ground", "288-6 A", "No openings in the streets, alleys, sidewalks or public ways shall be "
             "permitted between November 15 and April 1 except where it is determined by the Village Board or Director "
             "of Public Works to be an emergency excavation."),
        ),
        "privilege": (
            ("For what it may be", "288-8 A", "Permits for the use of the streets, alleys, sidewalks or other public "
             "ways or places of the Village may be granted to applicants by the Village Clerk-Treasurer or for the "
             "purpose of moving any building or structure or of encumbering the street, alley, sidewalk or way with "
             "materials necessary in and about the construction or demolition of any building or structure, provided "
             "such applicant has complied with the other requirements of this section and has obtained a building "
             "permit if required by this Village Code."),
            ("A bond", "288-8 B", "No street privilege permit shall be issued until the applicant shall execute and "
             "file with the Village Clerk-Treasurer a bond in an amount determined by the Director of Public Works not "
             "exceeding $10,000, conditioned that the applicant will indemnify and save harmless the Village from all "
             "liability for accidents or damage caused by reason of operations under said permit and will remove such "
             "encumbrance upon termination of the operations and will leave the vacated premises in a clean and "
             "sanitary condition and repair any and all damage to the streets, alleys, sidewalks or public property of "
             "the Village resulting from such building or moving operations. Upon request, the Village Board may waive "
             "this requirement."),
            ("What officers may ask besides", "288-8 A", "Village officials may attach conditions to the permit, "
             "including proof of liability insurance."),
        ),
    }
)  # fmt: skip
"""What an application needs, by kind."""
FEES: Mapping[str, Said] = MappingProxyType(
    {
        "sidewalk": ("", "288-4 C", "No fee shall be charged for such permits."),
        "opening": ("fee_street_opening", "288-5 F(2)", "The fee for a street opening permit shall be as prescribed in "
                    "§ 173-1, Fee schedule, plus actual Village expenses."),
        "privilege": ("fee_street_privilege", "288-8 C", "The fee for a street privilege permit shall be as prescribed "
                      "in § 173-1, Fee schedule, plus any actual Village costs."),
    }
)  # fmt: skip
"""The key of the fee among what the Village settles, and the sentence, by kind."""
CALLS: tuple[Said, ...] = (
    ("First call: Digger’s Hotline", "288-6 D(1)", "Prior to starting excavation work, the contractor shall first "
     "contact Digger's Hotline to determine the location of underground facilities."),
    ("At least one business day before: the Clerk-Treasurer and all affected", "288-6 F", "It shall be the duty of the "
     "permittee to notify the Village Clerk-Treasurer and all public and private individuals, firms and corporations "
     "affected by the work to be done at least one business day before such work is to commence."),
    ("24 hours before: the Director of Public Works", "288-6 B(4)", "The permittee shall notify the Director of Public "
     "Works 24 hours prior to commencement of excavation of the location and extent of the excavation, unless the "
     "excavation is an emergency excavation as identified in Subsection H."),
    ("At least 12 hours before a service is lost: the properties", "288-6 B(5)", "When the operations will result in "
     "the loss of any utility service to private properties, the private properties shall be notified in writing or by "
     "personal contact at least 12 hours prior to the loss of service, unless the operations are part of an emergency "
     "excavation as defined in Subsection G."),
    ("At least four hours before backfilling: the Clerk-Treasurer again", "288-6 F", "The Village Clerk-Treasurer "
     "shall also be notified at least four hours prior to backfilling and/or restoring the surface."),
)  # fmt: skip
"""Who is told before an opening, the earliest first."""
AFTER: Mapping[str, tuple[Said, ...]] = MappingProxyType(
    {
        "sidewalk": (),
        "opening": (
            ("Valid for 30 days", "288-5 D", "Permits shall be valid for a period of 30 days from the date of "
             "approval, except as provided for under § 288-6G for pavement replacement."),
            ("Renewed for 30 days", "288-5 E", "If operations have begun under an approved permit and will continue "
             "beyond the thirty-day validation period, the permittee shall apply for a thirty-day permit renewal by "
             "written request to the Village Clerk-Treasurer and payment of a renewal permit fee as prescribed by "
             "§ 173-1, Fee schedule. Permit renewals shall be issued at the discretion of the Village "
             "Clerk-Treasurer."),
            ("Permanent pavement", "288-6 G(4)", "Permanent pavements shall be replaced with 60 days of the date of "
             "the permit."),
            ("An emergency comes first, its paper later", "288-6 H", "In the event of an emergency, any person, firm "
             "or corporation owning or controlling any sewer, gas main, water main, conduit or other utility in or "
             "under any public street, alley easement, way or ground and his/her agents and employees may take "
             "immediate proper emergency measures to remedy dangerous conditions for the protection of property, life, "
             "health or safety without obtaining an excavation permit, provided that such person, firm or corporation "
             "shall apply for an excavation permit not later than the next business day and shall notify the Village "
             "office immediately."),
        ),
        "privilege": (
            ("It ends by itself", "288-8 E", "All street privilege permits shall automatically terminate at the end "
             "of three months from the date of issuance unless an earlier termination date is specified thereon at the "
             "discretion of the Village Clerk-Treasurer."),
        ),
    }
)  # fmt: skip
"""Days that follow, by kind."""
OF_SECTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"sidewalk": ("288-4",), "opening": ("288-5", "288-6"), "privilege": ("288-8",)}
)
"""The sections whose slips are told beside a kind."""
