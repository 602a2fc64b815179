"""Who may do what: roles are sets of permissions, and one function decides."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from app.audit import Actor
from app.settings import tidy
from gis.errors import Fault, StreetsError


class Role(StrEnum):
    """What a person or a key holds; one may hold several."""

    DISPATCH = "dispatch"
    INSPECTOR = "inspector"
    POLICE = "police"
    CLERK = "clerk"
    DIRECTOR = "director"
    ADMIN = "admin"


class Permission(StrEnum):
    """What may be done. Looking up numbers, maps and documents by their link needs none."""

    READ_RECORDS = "see the records: who did what and why, permits, cases and what is due"
    READ_911 = "ask the 911 lookups"
    ASSIGN = "assign, correct, renumber, retire and restore numbers"
    DECIDE_DOUBT = "decide a doubt (§ 288-15 J: the Clerk-Treasurer)"
    EDIT_MAP = "propose a Street Numbering Map and edit its rows"
    ADOPT_MAP = "record the adoption of a Street Numbering Map"
    NAME_STREETS = "record that a street was renamed or vacated"
    ISSUE = "issue certificates and notices"
    REPORT_VIOLATION = "report a violation of § 288-15 (L)"
    INSPECT = "record an inspection"
    SERVE_NOTICE = "record the service of a notice (§ 288-15 M: the Director of Public Works shall serve it)"
    CLOSE_CASE = "dismiss or reopen a case"
    RECORD_OBJECTS = "record what stands or is dug in the street"
    EDIT_SECTIONS = "change what lies across a street: widths, curbs, walks"
    IMPORT = "bring in existing addresses, lots, buildings, streets and surveys"
    NOTICE_REMOVAL = "issue and serve a notice to remove an obstruction, and have it removed (§ 288-7 D to F)"
    TAX_ROLL = "keep the account of an expense, bill it and enter it on the tax roll"
    PERMITS = "take applications for permits and act on them"
    BACKDATE = "record what happened earlier than now"
    ADVISE = "give or record advice on a permit, and revoke a street privilege permit (§ 288-8 A, D)"
    AS_DIRECTOR = "record what the Director of Public Works decides"
    AS_CLERK = "record what the Village Clerk-Treasurer decides"
    AS_POLICE = "record what the Chief of Police/Officer in Charge decides"
    AS_INSPECTOR = "record what the Building Inspector decides"
    SETTLE = "fill in what the ordinance leaves to the Village: fees, readings"
    READ_AUDIT = "read the audit log"
    MANAGE_PEOPLE = "manage users and keys"


_P, _R = Permission, Role
ALLOWED: dict[Permission, frozenset[Role]] = {
    _P.READ_RECORDS: frozenset({_R.INSPECTOR, _R.POLICE, _R.CLERK, _R.DIRECTOR}),
    _P.READ_911: frozenset({_R.DISPATCH, _R.CLERK, _R.DIRECTOR}),
    _P.ASSIGN: frozenset({_R.CLERK, _R.DIRECTOR}),
    _P.DECIDE_DOUBT: frozenset({_R.CLERK}),
    _P.EDIT_MAP: frozenset({_R.DIRECTOR}),
    _P.ADOPT_MAP: frozenset({_R.DIRECTOR}),
    _P.NAME_STREETS: frozenset({_R.DIRECTOR}),
    _P.ISSUE: frozenset({_R.CLERK, _R.DIRECTOR}),
    _P.REPORT_VIOLATION: frozenset({_R.INSPECTOR, _R.POLICE, _R.CLERK, _R.DIRECTOR}),
    _P.INSPECT: frozenset({_R.INSPECTOR, _R.POLICE, _R.DIRECTOR}),
    _P.SERVE_NOTICE: frozenset({_R.DIRECTOR}),
    _P.CLOSE_CASE: frozenset({_R.CLERK, _R.DIRECTOR}),
    _P.RECORD_OBJECTS: frozenset({_R.INSPECTOR, _R.POLICE, _R.CLERK, _R.DIRECTOR}),
    _P.EDIT_SECTIONS: frozenset({_R.DIRECTOR}),
    _P.IMPORT: frozenset({_R.CLERK, _R.DIRECTOR}),
    _P.NOTICE_REMOVAL: frozenset({_R.INSPECTOR, _R.POLICE, _R.CLERK, _R.DIRECTOR}),
    _P.TAX_ROLL: frozenset({_R.CLERK}),
    _P.PERMITS: frozenset({_R.CLERK, _R.DIRECTOR}),
    _P.BACKDATE: frozenset({_R.CLERK, _R.DIRECTOR}),
    _P.ADVISE: frozenset({_R.INSPECTOR, _R.POLICE, _R.CLERK, _R.DIRECTOR}),
    _P.AS_DIRECTOR: frozenset({_R.DIRECTOR}),
    _P.AS_CLERK: frozenset({_R.CLERK}),
    _P.AS_POLICE: frozenset({_R.POLICE}),
    _P.AS_INSPECTOR: frozenset({_R.INSPECTOR}),
    _P.SETTLE: frozenset({_R.CLERK, _R.ADMIN}),
    _P.READ_AUDIT: frozenset({_R.CLERK, _R.DIRECTOR, _R.ADMIN}),
    _P.MANAGE_PEOPLE: frozenset({_R.ADMIN}),
}


def offices_of(permission: Permission) -> str:
    """Return the roles that hold a permission, in words."""
    return " or ".join(sorted(ALLOWED[permission]))


class NotSignedInError(StreetsError):
    """Something only a known person or key may do was asked by nobody."""


class UnknownKeyError(NotSignedInError):
    """A key was sent that is not known or was revoked; it is never taken for the public's."""


class NotAllowedError(StreetsError):
    """Something was asked by someone whose roles do not allow it."""


class ForgedRequestError(StreetsError):
    """A form came with a session's cookie but not from a page of that session."""


def read_roles(texts: Iterable[str]) -> frozenset[Role]:
    """Read the names of roles.

    Parameters
    ----------
    texts
        At least one; each in any case.

    Returns
    -------
    frozenset of Role
        What they name.

    Raises
    ------
    StreetsError
        No role, or names that are none, each with what was found and what is expected.
    """
    given = [tidy(text).casefold() for text in texts]
    known = {str(role) for role in Role}
    expected = ", ".join(Role)
    faults = [Fault("role", text or "nothing", f"one of {expected}") for text in given if text not in known]
    if faults or not given:
        raise StreetsError("There is no such role." if given else "No role was given.",
                           faults or [Fault("role", "nothing", f"one or more of {expected}")])  # fmt: skip
    return frozenset(map(Role, given))


def read_name(text: str, field: str = "name") -> str:
    """Read the name of a person or a key.

    Parameters
    ----------
    text
        As typed.
    field
        What it is called where it is at fault.

    Returns
    -------
    str
        In one form, by which two spellings are compared.

    Raises
    ------
    StreetsError
        It is empty, too long or has signs that cannot be seen.
    """
    name = tidy(text)
    expected = ""
    if not name or len(name) > 100 or not name.isprintable():
        expected = "1 to 100 letters, digits and signs"
    elif _RESERVED.fullmatch(name_key(name)):
        expected = "a name that is not the register's own word for a key, its console or its service"
    elif len(scripts_of(name)) > 1:
        expected = "letters of one script, for others look like them"
    if expected:
        found = "nothing" if not name else repr(name[:60])
        raise StreetsError(f"The {field} cannot be used.", [Fault(field, found, expected)])
    return name


def name_key(name: str) -> str:
    """Return the form by which names are the same: whatever their capitals, widths and letters that look alike."""
    return tidy(unicodedata.normalize("NFKC", name)).casefold().translate(_LOOKS_LIKE)


def scripts_of(name: str) -> set[str]:
    """Return the scripts of a name's letters, such as ``{"LATIN"}``."""
    names = (unicodedata.name(sign, "") for sign in unicodedata.normalize("NFKC", name) if sign.isalpha())
    return {name.split()[0] for name in names if name}


_RESERVED = re.compile(r"(the )?(console|service|system|public)|(key|user)\s*:\s*\d+")
_LOOKS_LIKE = str.maketrans("асеорхуіјѕԁһԛԝкмтвнгαορνικτυχ", "aceopxyijsdhqwkmtbhraopviktux")
"""Small letters of Cyrillic and Greek that look like one of the Latin alphabet."""


def new_token() -> str:
    """Return a secret of 256 bits, never given before."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """Return what is stored of a token; with its 256 bits it needs neither salt nor slowness."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Person:
    """Who asks: a user with a session, the holder of a key, or the public.

    Parameters
    ----------
    name
        As shown beside an act.
    id
        ``user:3``, ``key:7``, ``console``; ``""`` of the public.
    roles
        What is held.
    acting_for
        The officer acted for, or ``""``.
    csrf
        The session's token that a form must send back; ``""`` with a key.
    session_id
        Of the session; 0 without one.
    """

    name: str = ""
    id: str = ""
    roles: frozenset[Role] = field(default_factory=frozenset)
    acting_for: str = ""
    csrf: str = ""
    session_id: int = 0

    @property
    def known(self) -> bool:
        """Whether it is more than the public."""
        return bool(self.id)

    @property
    def actor(self) -> Actor:
        """As the audit writes it."""
        return Actor(self.name, self.id, self.acting_for)

    def may(self, permission: Permission) -> bool:
        """Whether a permission is held. This alone decides, for pages, API and command line."""
        return not self.roles.isdisjoint(ALLOWED[permission])

    def require(self, permission: Permission) -> None:
        """Refuse who does not hold a permission.

        Parameters
        ----------
        permission
            What is about to be done.

        Raises
        ------
        NotSignedInError
            Nobody is signed in.
        NotAllowedError
            Somebody is, without the permission.
        """
        if self.may(permission):
            return
        if not self.known:
            raise NotSignedInError(f"Sign in to {permission.value}.")
        held = ", ".join(sorted(self.roles)) or "no role"
        wanted = offices_of(permission)
        raise NotAllowedError(f"{self.name} ({held}) may not {permission.value}: only {wanted} may.")


PUBLIC = Person()
