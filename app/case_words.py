"""Words of the numbering case: what may be wrong, how a notice is served, and what must be said beside a case."""

from __future__ import annotations

PENALTY = (
    "“Upon conviction thereof, he shall be subject to penalties.” The section names no amount, and § 1-3, where the "
    "Code has its penalties, is not known here: none is stated."
)
SURVEY = (
    "The survey of § 288-15 G(1) is not recorded as completed. Whether a number must be placed before it is, the "
    "Director decides."
)
IN_USE_AGAIN = (
    "The case was closed when the address was retired. The address is in use again: reopen the case if the number is "
    "still not up."
)
DEFECTS = {
    "none": "No number is shown",
    "wrong": "Another number is shown",
    "small": "The number is too small",
    "unreadable": "The number cannot be read from the street",
    "fell_off": "A number that was up has come off",
}
NOT_MAINTAINED = frozenset({"unreadable", "fell_off"})
"""Defects of a number that was attached before: M's "maintain"."""
HOW = {
    "handed": "Handed to the person",
    "left": "Left at the building",
    "mailed": "Sent by mail",
    "certified": "Sent by certified mail",
    "posted": "Posted on the building",
    "other": "In another way, told in the reason",
}
YES_NO = {"yes": "yes", "no": "no"}
PAYS = {
    "village": "The Village: the building’s first number",
    "owner": "The owner: a replacement",
}
