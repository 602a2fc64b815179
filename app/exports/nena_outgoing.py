"""The way a package goes out: checked first, stopped by errors that no officer has signed, written once for a state."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection

from app import registers
from app.audit import Act, Actor, head
from app.columns import canonical
from app.exports.nena import package
from app.exports.nena_file import write
from app.exports.nena_package import Json
from app.exports.nena_qa import checked
from app.exports.nena_report import Report
from app.settings import plain
from app.tables import audit
from app.village import Village
from gis.errors import Fault, StreetsError

FORM = 1
"""Raised when what is written changes, so that no file of a release before is sent."""
SIGNED, RECORD = "sign export", "ng911_package"
KEPT_S = 3600.0
"""So long a file of a state before stays, for whoever is reading it."""
_ONE_AT_A_TIME = threading.RLock()
"""A package of many addresses takes memory: one is made at a time."""


class UnsignedError(StreetsError):
    """A package has errors, the map is adopted, and no officer has signed them.

    Parameters
    ----------
    report
        What was found.
    """

    def __init__(self, report: Report) -> None:
        count, checks = len(report.errors), Counter(item.check for item in report.errors)
        self.report = report
        super().__init__(
            f"The package has {count} error{'' if count == 1 else 's'} and was not made: mend them, or let an officer "
            "sign them with a reason.",
            [Fault(check, f"{n} of them", _expected(report, check)) for check, n in checks.items()],
        )


def _expected(report: Report, check: str) -> str:
    first = next(item for item in report.errors if item.check == check)
    return f"none, such as: {first.nguid or first.layer} {first.message}".strip()


def report(connection: Connection, village: Village, profile: str) -> Report:
    """Make a package and run every check on it.

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
    Report
        With the package, and the signature of its errors where there is one.
    """
    with _ONE_AT_A_TIME:
        return checked(package(connection, village, profile), lambda digest: signature_of(connection, digest))


def packaged(connection: Connection, village: Village, profile: str, out: Path) -> Report:
    """Check a package and write it.

    Parameters
    ----------
    connection, village, profile
        As `report` takes them.
    out
        The GeoPackage, which appears whole or not at all.

    Returns
    -------
    Report
        What was found.

    Raises
    ------
    UnsignedError
        It has errors that nobody signed, and the map is adopted.
    """
    made = report(connection, village, profile)
    if made.blocked:
        raise UnsignedError(made)
    write(made, out)
    return made


# --- the officer's signature ---


def signature_of(connection: Connection, digest: str) -> Json | None:
    """Return the act by which an officer signed exactly these errors; None where nobody did."""
    asked = (audit.c.kind == RECORD, audit.c.subject == digest, audit.c.what == SIGNED)
    rows = registers.rows(connection, audit, *asked, order=[audit.c.seq.desc()], limit=1)
    return _signature(rows[0]) if rows else None


def _signature(row: registers.Row) -> Json:
    at = row["at"].isoformat()
    return {
        "act": row["act"],
        "by": row["actor"],
        "acting_for": row["acting_for"] or None,
        "at": at,
        "reason": row["reason"],
        "digest": row["subject"],
    }


def sign(connection: Connection, actor: Actor, found: Report, digest: str, reason: str) -> Json:
    """Record that an officer lets a package go out with its errors; other errors need another signature.

    Parameters
    ----------
    connection
        Of the transaction.
    actor
        The officer.
    found
        The report as it is now.
    digest
        That of the errors the officer has seen.
    reason
        Why they may go out.

    Returns
    -------
    dict
        Who signed, when, why, and the digest.

    Raises
    ------
    StreetsError
        No reason; no errors; or errors that are others than those the officer has seen.
    """
    if not plain(reason, "reason").strip():
        raise StreetsError.of("reason", "nothing", "why the package may go out with its errors")
    if not found.errors:
        raise StreetsError.of("digest", digest or "nothing", "no signature: the package has no error")
    if digest != found.digest:
        raise StreetsError.of("digest", digest or "nothing", "that of the errors the report has now; read it again")
    counts = dict(sorted(Counter(item.check for item in found.errors).items()))
    act = Act(connection, actor, reason.strip())
    after = {"profile": found.package.profile, "errors": counts, "map": found.package.about["map"]}
    act.record(SIGNED, RECORD, digest, None, after)
    made = signature_of(connection, digest)
    assert made is not None
    return made


# --- files of a state ---


def tag_of(connection: Connection, village: Village, profile: str) -> str:
    """Return what stands for all that a package is made of: equal tags are equal packages."""
    made = village.files.settings
    parts: list[Any] = [FORM, profile, head(connection), asdict(made.ng911), made.name, made.county, made.state]
    parts += [village.edition.version if village.edition else 0, village.law.day]
    return hashlib.sha256(canonical(parts).encode()).hexdigest()[:32]


def file_of(connection: Connection, village: Village, profile: str, folder: Path) -> Path:
    """Return the GeoPackage of the register's state, made now where it is not there yet.

    Parameters
    ----------
    connection, village, profile
        As `report` takes them.
    folder
        Where such files are kept; made where it is not there.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    UnsignedError
        It has errors that nobody signed, and the map is adopted.
    """
    out = folder / f"ng911-{profile}-{tag_of(connection, village, profile)}.gpkg"
    with _ONE_AT_A_TIME:
        if not out.exists():
            folder.mkdir(parents=True, exist_ok=True)
            packaged(connection, village, profile, out)
            _tidy(folder, out)
    return out


def _tidy(folder: Path, out: Path) -> None:
    """Take away packages of states before, and what was left of one whose making was killed."""
    oldest = time.time() - KEPT_S
    for old in (*folder.glob("ng911-*.gpkg"), *folder.glob(".ng911-*")):
        with suppress(FileNotFoundError):  # another process tidies too
            if old != out and old.stat().st_mtime < oldest:
                shutil.rmtree(old) if old.is_dir() else old.unlink()


def as_json(found: Report, limit: int) -> str:
    """Return a report as a file of JSON."""
    return json.dumps(found.told(limit), indent=1, ensure_ascii=False) + "\n"
