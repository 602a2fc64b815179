"""The conditions of each kind of permit as its document has them: in words, with the section and the law's sentence.

They are printed as they stand, the slips of the text with them; what depends on measuring is checked elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from app import slips
from app.permit_paper import Condition

_OPENING = (
    Condition("Contact Digger’s Hotline first", "288-6 D(1)",
              "Prior to starting excavation work, the contractor shall first contact Digger's Hotline to determine the "
              "location of underground facilities."),
    Condition("Tell the Director of Public Works 24 hours before", "288-6 B(4)",
              "The permittee shall notify the Director of Public Works 24 hours prior to commencement of excavation of "
              "the location and extent of the excavation, unless the excavation is an emergency excavation as "
              "identified in Subsection H."),
    Condition("Tell the Clerk-Treasurer and all affected a business day before", "288-6 F",
              "It shall be the duty of the permittee to notify the Village Clerk-Treasurer and all public and private "
              "individuals, firms and corporations affected by the work to be done at least one business day before "
              "such work is to commence. The Village Clerk-Treasurer shall also be notified at least four hours prior "
              "to backfilling and/or restoring the surface."),
    Condition("Tell the properties that lose a service 12 hours before", "288-6 B(5)",
              "When the operations will result in the loss of any utility service to private properties, the private "
              "properties shall be notified in writing or by personal contact at least 12 hours prior to the loss of "
              "service, unless the operations are part of an emergency excavation as defined in Subsection G."),
    Condition("Enclose and light the work", "288-6 B(1)",
              "Every opening and excavation shall be enclosed with sufficient barriers, signing, and such other "
              "traffic control devices as may be required by the Village Board or its designee, and in accordance with "
              "Section VI of the Manual of Uniform Traffic Control Devices. Sufficient warning lights shall be kept on "
              "from sunrise to sunset. No open flame warning devices shall be used."),
    Condition("Guard the public; answer for damages", "288-6 B(2)",
              "Each person making such opening shall be held liable for all damages, including costs incurred by the "
              "Village in defending any action brought against it for damages, as well as cost of any appeal, that may "
              "result from the neglect by such person or his/her employees of any necessary precaution against injury "
              "or damage to persons, vehicles or property of any kind."),
    Condition("Leave a lane in each direction and access to properties", "288-6 B(3)",
              "Unless otherwise approved, a minimum of one lane of traffic in each direction shall be provided. Every "
              "effort shall be made on the part of the permittee to provide reasonable access to all properties "
              "adjacent to his/her project."),
    Condition("Cut the pavement to neat, straight lines", "288-6 C(1)",
              "Removal of existing pavement shall be to neat, straight lines. The permittee shall make a final saw cut "
              "in the existing pavement after backfilling."),
    Condition("Keep gutters and watercourses clear", "288-6 D(2)",
              "Gutters shall be kept clear or other satisfactory provisions made for street drainage, and natural "
              "watercourses shall not be obstructed."),
    Condition("Compact the backfill in layers", "288-6 E(4)",
              "Each layer (twelve-inch maximum) shall be uniformly compacted to a dry density of at least 95% of the "
              "maximum dry density as determined by the Modified Proctor Test (ASTM-1557). Compaction or consolidation "
              "by flooding shall not be permitted."),
    Condition("Replace the pavement", "288-6 G(2)",
              "Bituminous pavement shall be placed the full depth of the existing pavement or 2 1/2 inches, whichever "
              "is greater."),
    Condition("Replace permanent pavements in time", "288-6 G(4)",
              "Permanent pavements shall be replaced with 60 days of the date of the permit."),
    Condition("Restore curb and gutter, sidewalk and grass", "288-5 F(1)",
              "Any damaged curb and gutter, sidewalk or grass-covered area shall be restored to the condition prior to "
              "damage."),
    Condition("Place lines in the terrace", "288-6 I",
              "Every effort shall be made to place gas, electric, telephone and television cable lines in street "
              "terraces."),
)  # fmt: skip
_SIDEWALK = (
    Condition("Work from the seventh day after the permit was obtained", "288-4 C",
              "No person shall hereafter lay, remove, replace or repair any public sidewalks within the Village of "
              "Benton unless he is under contract with the Village to do such work or has obtained a permit from the "
              "Village at least seven days before work is proposed to be undertaken. No fee shall be charged for such "
              "permits."),
    Condition("Build to the Standard Specifications for Public Works", "288-4 D",
              "All sidewalks within the Village of Benton hereafter shall be repaired, rebuilt, and constructed in "
              "accordance with the publication \"Standard Specifications for Public Works,\" on file in the office of "
              "the Village Clerk-Treasurer."),
    Condition("A sidewalk built otherwise is no legal sidewalk", "288-4 F",
              "No sidewalk which shall be constructed contrary to provisions of this section shall be considered a "
              "legal sidewalk, and the same may be ordered to be replaced with a legal sidewalk and with one that is "
              "in conformity with this section, the same as if no sidewalk whatever had been built or constructed in "
              "the place where any such sidewalk is located."),
)  # fmt: skip
_PRIVILEGE = (
    Condition("Cover at most a third", "288-8 D(1)",
              "Such temporary obstruction shall cover not more than 1/3 of any street or alley;"),
    Condition("Light it at night", "288-8 D(2)",
              "Obstructions shall be sufficiently lighted at night so as to be in full view of the public from all "
              "directions;"),
    Condition("Do not interrupt sidewalk traffic", "288-8 D(3)",
              "Sidewalk traffic shall not be interrupted, but temporary sidewalks of not less than four feet in width "
              "guarded by a closed fence at least four feet high on both sides may be maintained during the period of "
              "occupancy;"),
    Condition("Move a building without stopping", "288-8 D(4)",
              "The process of moving any building or structure shall be as continuous as practicable until completed "
              "and, if ordered by the Village Board, shall continue during all hours of the day and night;"),
    Condition("Leave no building overnight on a crossing or near a hydrant", "288-8 D(5)",
              "No building or structure shall be allowed to remain overnight on any street crossing or intersection or "
              "so near thereto as to prevent easy access to any fire hydrant;"),
    Condition("Move only on the route of the Board", "288-8 D(6)",
              "Buildings shall be moved only in accordance with the route prescribed by the Village Board;"),
    Condition("Vacate and clean", "288-8 D(7)",
              "Upon termination of the work necessitating such obstruction, all parts of the streets, alleys, "
              "sidewalks or public grounds occupied under the permit shall be vacated, cleaned of all rubbish and "
              "obstructions and placed in a safe condition for public travel at the expense of the permittee."),
    Condition("It may be revoked without notice", "288-8 D",
              "subject to revocation without notice by the Village Board, Director of Public Works, Chief of "
              "Police/Officer in Charge, or Building Inspector for violation thereof"),
)  # fmt: skip
_OF: Mapping[str, tuple[Condition, ...]] = {"opening": _OPENING, "sidewalk": _SIDEWALK, "privilege": _PRIVILEGE}


def conditions(kind: str) -> tuple[Condition, ...]:
    """Return the conditions of a kind of permit, each with what is to be said of a slip in its sentence.

    Parameters
    ----------
    kind
        ``opening``, ``sidewalk`` or ``privilege``.

    Returns
    -------
    tuple of Condition
        In the order of their sections.
    """
    return tuple(_with_slips(one) for one in _OF[kind])


def _with_slips(one: Condition) -> Condition:
    own = [slip.told for slip in slips.every() if one.section in slip.sections]
    return Condition(one.text, one.section, one.quotation, " ".join(own))
