"""The JSON API for people: who asks, users and keys. It calls what the pages call."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from app import keys, people
from app.auth import Permission, Person, Role
from app.deps import DatabaseDep, PersonDep, needs
from app.routes.api import Problem

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "No key, or one that is unknown or revoked."},
    403: {"model": Problem, "description": "The roles do not allow it."},
    404: {"model": Problem, "description": "There is no such user or key."},
    409: {"model": Problem, "description": "The name is taken, it was changed meanwhile, or the last administrator."},
    422: {"model": Problem, "description": "Unusable input; `errors` names the fields."},
}

router = APIRouter(prefix="/api/v1", responses=_PROBLEMS)

Admin = Annotated[Person, needs(Permission.MANAGE_PEOPLE)]
Id = Annotated[int, Path(ge=1, le=2**31 - 1)]
Names = Annotated[list[str], Field(max_length=20, description=f"Of {', '.join(Role)}.")]


class Named(BaseModel):
    """A user or key to be added."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"name": "Dispatch", "roles": ["dispatch"]}}
    )

    name: Annotated[str, Field(max_length=200)]
    roles: Names


class RolesChange(BaseModel):
    """Roles from now on, and those they were changed from."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"roles": ["clerk", "admin"], "was": ["clerk"]}}
    )

    roles: Names
    was: Annotated[list[str], Field(max_length=20, description="As last seen; other ones now are a 409.")]


def _user(user: people.User) -> dict[str, Any]:
    return {
        "id": user.id,
        "name": user.name,
        "roles": sorted(user.roles),
        "active": user.active,
        "has_password": user.has_password,
        "made_at": user.made_at,
        "made_by": user.made_by,
        "seen_at": user.seen_at,
    }


def _key(key: keys.Key) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "roles": sorted(key.roles),
        "shown": key.shown,
        "made_at": key.made_at,
        "made_by": key.made_by,
        "used_at": key.used_at,
        "revoked_at": key.revoked_at,
    }


def _link(request: Request, token: str) -> str:
    return f"{str(request.base_url).rstrip('/')}/link/{token}"


@router.get("/me", summary="Who asks, and what may be done")
async def me(person: PersonDep) -> dict[str, Any]:
    """Tell the name, roles and permissions of the key or session; the public has none."""
    may = [permission.name for permission in Permission if person.may(permission)]
    told = {"known": person.known, "name": person.name, "id": person.id, "acting_for": person.acting_for}
    return {**told, "roles": sorted(person.roles), "permissions": may}


@router.get("/users", summary="The users")
def users(
    database: DatabaseDep,
    person: Admin,
    q: Annotated[str, Query(max_length=200, description="Part of a name or role.")] = "",
    sort: Annotated[str, Query(max_length=20, description="name, roles, state or seen; `-` before it turns it.")] = "",
) -> dict[str, Any]:
    """List users."""
    with database.read() as connection:
        return {"items": [_user(user) for user in people.list_users(connection, q, sort)]}


@router.post("/users", summary="Add a user", status_code=201)
def add_user(request: Request, database: DatabaseDep, person: Admin, asked: Named) -> dict[str, Any]:
    """Add a user; the one-time link by which it first signs in is given this once."""
    user, token = people.add_user(database, person.actor, asked.name, asked.roles)
    return {**_user(user), "link": _link(request, token)}


@router.post("/users/{user_id}/roles", summary="Change a user's roles")
def change_roles(database: DatabaseDep, person: Admin, user_id: Id, asked: RolesChange) -> dict[str, Any]:
    """Change what a user holds, provided that nobody else did meanwhile."""
    return _user(people.change_roles(database, person.actor, user_id, asked.roles, asked.was))


@router.post("/users/{user_id}/disable", summary="Keep a user from signing in")
def disable_user(database: DatabaseDep, person: Admin, user_id: Id) -> dict[str, Any]:
    """Disable a user; its sessions end at once."""
    return _user(people.disable_user(database, person.actor, user_id))


@router.post("/users/{user_id}/enable", summary="Let a user sign in again")
def enable_user(database: DatabaseDep, person: Admin, user_id: Id) -> dict[str, Any]:
    """Enable a user."""
    return _user(people.enable_user(database, person.actor, user_id))


@router.post("/users/{user_id}/link", summary="Make a one-time sign-in link", status_code=201)
def new_link(request: Request, database: DatabaseDep, person: Admin, user_id: Id) -> dict[str, Any]:
    """Make a new link, given this once; it takes the place of the password when it is used."""
    user, token = people.new_link(database, person.actor, user_id)
    return {**_user(user), "link": _link(request, token)}


@router.get("/keys", summary="The keys")
def list_keys(database: DatabaseDep, person: Admin) -> dict[str, Any]:
    """List keys, with when each was last used."""
    with database.read() as connection:
        return {"items": [_key(key) for key in keys.list_keys(connection)]}


@router.post("/keys", summary="Make a key", status_code=201)
def add_key(database: DatabaseDep, person: Admin, asked: Named) -> dict[str, Any]:
    """Make a key, given this once."""
    key, secret = keys.add_key(database, person.actor, asked.name, asked.roles)
    return {**_key(key), "key": secret}


@router.post("/keys/{key_id}/revoke", summary="Revoke a key")
def revoke_key(database: DatabaseDep, person: Admin, key_id: Id) -> dict[str, Any]:
    """Revoke a key at once."""
    return _key(keys.revoke_key(database, person.actor, key_id))
