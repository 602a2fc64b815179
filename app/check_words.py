"""The ordinance's own words for what a check judges, by section."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from app.law import Law

LETTERS = "The text prints no outline letters: those of the sections are inferred from the order of its paragraphs."
SENTENCES_FILE = Path(__file__).with_name("sentences.toml")


@cache
def sentences() -> Mapping[str, str]:
    """Return the sentences of sections whose numbers the law file does not have, by section."""
    found: Mapping[str, str] = tomllib.loads(SENTENCES_FILE.read_text(encoding="utf-8"))["sentences"]
    return found


def quoted(law: Law, section: str) -> str:
    """Return the sentence of the ordinance that a section is judged by.

    Parameters
    ----------
    law
        The law in force, which has the sentences with numbers.
    section
        As a row cites it.

    Returns
    -------
    str
        Word for word; ``""`` where there is none at hand.
    """
    if section in sentences():
        return sentences()[section]
    own = (v.quotation for v in law.values if v.section == section or section.startswith(f"{v.section}("))
    return next(own, "")
