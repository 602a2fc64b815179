"""Pages for people: sign in, the one-time link, one's account; and for administrators the users and keys."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from fastapi import Path as PathParam
from fastapi.responses import RedirectResponse

from app import keys, people, sessions
from app.auth import NotSignedInError, Permission, Person, Role, new_token
from app.deps import COOKIE, DatabaseDep, PersonDep, SettingsDep, identify, needs, refuse_other_sites
from app.errors import headers_of, status_of
from app.once import SentBeforeError
from app.routes.rendering import local_path, page
from app.sessions import Guest
from app.tls import authority_pem
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
READ = ["GET", "HEAD"]

Text = Annotated[str, Query(max_length=200)]
Typed = Annotated[str, Form(max_length=2000)]
Names = Annotated[list[str], Form(max_length=20, default_factory=list)]
Id = Annotated[int, PathParam(ge=1, le=2**31 - 1)]
Admin = Annotated[Person, needs(Permission.MANAGE_PEOPLE)]


async def _signed_in(person: PersonDep) -> Person:
    """Give who asks, by a session: an account is a user's, not a key's."""
    if not person.session_id:
        raise NotSignedInError("Sign in to see your account.")
    return person


SignedIn = Annotated[Person, Depends(_signed_in)]


async def _stranger(request: Request) -> Person:
    """Give who asks for a form that signs in, which is no act of a session there may be already."""
    if request.method == "POST":
        refuse_other_sites(request)
    return await identify(request)


Stranger = Annotated[Person, Depends(_stranger)]


def can_sign_in(request: Request) -> bool:
    """Whether a browser keeps a session: over HTTPS, or on the computer that serves."""
    local = {"localhost", "127.0.0.1", "::1"}
    return request.url.scheme == "https" or request.url.hostname in local


def _guest(request: Request) -> Guest:
    address = request.client.host if request.client else ""
    return Guest(address, request.headers.get("User-Agent", ""), request.cookies.get(COOKIE, ""))


def _faults(error: StreetsError) -> dict[str, str]:
    """Return what is wrong by field, or under ``""`` where it is no field's."""
    told = {
        f.field: f"{'Choose' if f.field == 'role' else 'Enter'} {f.expected}."
        if f.found == "nothing"
        else f"Found {f.found}; expected {f.expected}."
        for f in error.faults
    }
    return told or {"": error.message}


def _answer_to(error: StreetsError, answer: Response) -> Response:
    answer.headers.update(headers_of(error))
    return answer


def _go(path: str) -> Response:
    return RedirectResponse(path, HTTPStatus.SEE_OTHER)


def _with_session(answer: Response, token: str) -> Response:
    age = int(sessions.LONGEST.total_seconds())
    answer.set_cookie(COOKIE, token, max_age=age, path="/", secure=True, httponly=True, samesite="lax")
    return answer


# --- signing in and out ---------------------------------------------------------------------------------------


@router.api_route("/sign-in", methods=READ)
def sign_in_page(
    request: Request,
    person: Stranger,
    next: Annotated[str, Query(max_length=3000)] = "",
    ended: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """Show the form, or why signing in cannot work here; `ended` says that a form was sent without a session."""
    return _sign_in_page(request, local_path(next), ended=_ended(request, person, ended))


def _ended(request: Request, person: Person, sent: str) -> str:
    """Say that a session has ended, where one has."""
    if person.known:
        return ""
    if sent == "yes":
        return "Your session has ended; nothing was done."
    return "Your session has ended." if request.cookies.get(COOKIE) else ""


@router.post("/sign-in")
def sign_in(
    request: Request,
    database: DatabaseDep,
    person: Stranger,
    name: Typed = "",
    password: Typed = "",
    acting_for: Typed = "",
    next: Typed = "",
) -> Response:
    """Sign in by name and password."""
    target = local_path(next)
    if not can_sign_in(request):
        return _sign_in_page(request, target, HTTPStatus.FORBIDDEN)
    try:
        token = sessions.sign_in(database, _guest(request), name, password, acting_for)
    except StreetsError as error:
        shown = {"name": name, "acting_for": acting_for, "faults": _faults(error)}
        return _answer_to(error, _sign_in_page(request, target, status_of(error)[0], **shown))
    return _with_session(_go(target), token)


def _sign_in_page(request: Request, target: str, status: int = HTTPStatus.OK, **given: Any) -> Response:
    shown = {"name": "", "acting_for": "", "faults": {}, "ended": "", **given}
    return page(request, "sign_in.html", status, secret=True, next=target, can=can_sign_in(request), **shown)


@router.post("/sign-out")
def sign_out(database: DatabaseDep, person: PersonDep) -> Response:
    """End the session; whoever has none is where they wanted to be."""
    if person.session_id:
        sessions.revoke_session(database, person, person.session_id)
    answer = _go("/")
    answer.delete_cookie(COOKIE, path="/", secure=True, httponly=True, samesite="lax")
    return answer


@router.api_route("/link/{token}", methods=READ)
def link_page(request: Request, database: DatabaseDep, person: Stranger, token: str) -> Response:
    """Show whom a one-time link signs in. Only the button uses it: mail scanners open links too."""
    with database.read() as connection:
        name = sessions.link_name(connection, token)
    return page(request, "link.html", secret=True, name=name, token=token, can=can_sign_in(request))


@router.post("/link/{token}")
def use_link(request: Request, database: DatabaseDep, person: Stranger, token: str) -> Response:
    """Sign in by a one-time link and ask for a password."""
    if not can_sign_in(request):
        return link_page(request, database, person, token)
    return _with_session(_go("/account/password"), sessions.use_link(database, _guest(request), token))


# --- one's account --------------------------------------------------------------------------------------------


@router.api_route("/account", methods=READ)
def account(request: Request, database: DatabaseDep, person: SignedIn) -> Response:
    """Show who one is, what one may do, and one's sessions."""
    with database.read() as connection:
        user = people.user_by_id(connection, sessions.user_id_of(person))
        mine = sessions.list_sessions(connection, user.id)
    may = [permission for permission in Permission if person.may(permission)]
    return page(request, "account.html", secret=True, user=user, sessions=mine, may=may)


@router.post("/account/sessions/{session_id}/revoke")
def revoke_session(database: DatabaseDep, person: SignedIn, session_id: Id) -> Response:
    """End one of one's own sessions."""
    sessions.revoke_session(database, person, session_id)
    return _go("/account")


@router.api_route("/account/password", methods=READ)
def password_page(request: Request, database: DatabaseDep, person: SignedIn) -> Response:
    """Ask for a new password."""
    return _password_page(request, database, person)


@router.post("/account/password")
def change_password(
    request: Request, database: DatabaseDep, person: SignedIn, old: Typed = "", new: Typed = "", again: Typed = ""
) -> Response:
    """Set one's password."""
    if new != again:
        faults = {"again": "The two are not the same. Type the new password twice."}
        return _password_page(request, database, person, HTTPStatus.UNPROCESSABLE_ENTITY, faults)
    try:
        sessions.change_password(database, person, old, new)
    except StreetsError as error:
        answer = _password_page(request, database, person, status_of(error)[0], _faults(error))
        return _answer_to(error, answer)
    return _go("/account?password=set")


def _password_page(
    request: Request, database: DatabaseDep, person: Person, status: int = HTTPStatus.OK, faults: Any = None
) -> Response:
    with database.read() as connection:
        user = people.user_by_id(connection, sessions.user_id_of(person))
    least = sessions.LEAST_PASSWORD
    return page(request, "password.html", status, secret=True, user=user, least=least, faults=faults or {})


# --- users ----------------------------------------------------------------------------------------------------


@router.api_route("/users", methods=READ)
def users(request: Request, database: DatabaseDep, person: Admin, q: Text = "", sort: Text = "name") -> Response:
    """List the users, and offer to add one."""
    return _users_page(request, database, q=q, sort=sort)


@router.post("/users")
def add_user(request: Request, database: DatabaseDep, person: Admin, role: Names, name: Typed = "") -> Response:
    """Add a user and show the one-time link, this once."""
    try:
        user, token = people.add_user(database, person.actor, name, role)
    except StreetsError as error:
        return _users_page(request, database, status_of(error)[0], name=name, chosen=role, faults=_faults(error))
    return _shown_once(request, f"{user.name} was added", user, token)


def _users_page(request: Request, database: DatabaseDep, status: int = HTTPStatus.OK, **given: Any) -> Response:
    shown = {"q": "", "sort": "name", "name": "", "chosen": [], "faults": {}, **given}
    with database.read() as connection:
        found = people.list_users(connection, shown["q"], shown["sort"])
    return page(request, "users.html", status, secret=True, users=found, roles=list(Role), **shown)


def _shown_once(request: Request, title: str, user: people.User, token: str) -> Response:
    link = f"{str(request.base_url).rstrip('/')}/link/{token}"
    return page(request, "link_made.html", HTTPStatus.CREATED, secret=True, title=title, user=user, link=link)


@router.api_route("/users/{user_id}", methods=READ)
def user(request: Request, database: DatabaseDep, person: Admin, user_id: Id) -> Response:
    """Show one user and what can be changed."""
    return _user_page(request, database, user_id)


def _user_page(
    request: Request,
    database: DatabaseDep,
    user_id: int,
    status: int = HTTPStatus.OK,
    faults: Any = None,
    chosen: Sequence[str] | None = None,
) -> Response:
    with database.read() as connection:
        found = people.user_by_id(connection, user_id)
    held = sorted(found.roles) if chosen is None else chosen
    shown: dict[str, Any] = {"roles": list(Role), "chosen": held, "faults": faults or {}, "token": new_token()}
    return page(request, "user.html", status, secret=True, user=found, **shown)


@router.post("/users/{user_id}/roles")
def change_roles(
    request: Request, database: DatabaseDep, person: Admin, user_id: Id, role: Names, was: Typed = ""
) -> Response:
    """Change a user's roles; who looked at older ones is shown the last state."""
    try:
        people.change_roles(database, person.actor, user_id, role, was.split(","))
    except people.ChangedMeanwhileError as error:
        return _user_page(request, database, user_id, status_of(error)[0], {"role": error.message})
    except people.UnknownPersonError:
        raise
    except StreetsError as error:
        told = {"role": f"{error.message} {' '.join(_faults(error).values())}"}
        return _user_page(request, database, user_id, status_of(error)[0], told, role)
    return _go(f"/users/{user_id}")


@router.post("/users/{user_id}/disable")
def disable_user(request: Request, database: DatabaseDep, person: Admin, user_id: Id) -> Response:
    """Keep a user from signing in."""
    try:
        people.disable_user(database, person.actor, user_id)
    except people.LastAdminError as error:
        return _user_page(request, database, user_id, status_of(error)[0], {"state": error.message})
    return _go(f"/users/{user_id}")


@router.post("/users/{user_id}/enable")
def enable_user(database: DatabaseDep, person: Admin, user_id: Id) -> Response:
    """Let a user sign in again."""
    people.enable_user(database, person.actor, user_id)
    return _go(f"/users/{user_id}")


@router.post("/users/{user_id}/link")
def new_link(request: Request, database: DatabaseDep, person: Admin, user_id: Id, token: Typed = "") -> Response:
    """Make a user a new one-time link and show it, this once."""
    try:
        user, made = people.new_link(database, person.actor, user_id, token)
    except SentBeforeError as error:
        told = f"{error.message} If it was not handed over, make a new one."
        return _user_page(request, database, user_id, status_of(error)[0], {"link": told})
    return _shown_once(request, f"A new link for {user.name}", user, made)


# --- keys -----------------------------------------------------------------------------------------------------


@router.api_route("/keys", methods=READ)
def keys_page(request: Request, database: DatabaseDep, person: Admin) -> Response:
    """List the keys, and offer to add one."""
    return _keys_page(request, database)


@router.post("/keys")
def add_key(
    request: Request, database: DatabaseDep, person: Admin, role: Names, name: Typed = "", token: Typed = ""
) -> Response:
    """Make a key and show it, this once."""
    try:
        key, secret = keys.add_key(database, person.actor, name, role, token)
    except SentBeforeError as error:
        told = f"{error.message} If it was not written down, revoke it and make another."
        return _keys_page(request, database, status_of(error)[0], faults={"": told})
    except StreetsError as error:
        return _keys_page(request, database, status_of(error)[0], name=name, chosen=role, faults=_faults(error))
    return page(request, "key_made.html", HTTPStatus.CREATED, secret=True, key=key, shown=secret)


def _keys_page(request: Request, database: DatabaseDep, status: int = HTTPStatus.OK, **given: Any) -> Response:
    shown = {"name": "", "chosen": [], "faults": {}, **given}
    with database.read() as connection:
        found = keys.list_keys(connection)
    more = {"roles": list(Role), "token": new_token()}
    return page(request, "keys.html", status, secret=True, keys=found, **more, **shown)


@router.post("/keys/{key_id}/revoke")
def revoke_key(database: DatabaseDep, person: Admin, key_id: Id) -> Response:
    """Revoke a key."""
    keys.revoke_key(database, person.actor, key_id)
    return _go("/keys")


# --- the local authority --------------------------------------------------------------------------------------


@router.api_route("/ca.pem", methods=READ)
def authority(settings: SettingsDep) -> Response:
    """Send the certificate of the local authority, for a phone to trust; never its key."""
    return Response(authority_pem(settings), media_type="application/x-x509-ca-cert")
