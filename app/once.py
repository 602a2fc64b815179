"""Requests sent twice are acted on once: what was answered is kept by whoever asked and by the key that was sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.audit import Actor
from app.columns import canonical
from app.tables import requests
from gis.errors import Fault, StreetsError

Json = dict[str, Any]


class RepeatedError(StreetsError):
    """A request's key that was used before, for another request."""


class SentBeforeError(StreetsError):
    """A form that was sent before and done then; what it made is shown once only."""


def refuse_sent_before(connection: Connection, actor: Actor, token: str, told: str) -> None:
    """Note that a form is acted on, and refuse it where it was before.

    Parameters
    ----------
    connection
        Of the transaction in which it is done.
    actor
        Who sends it.
    token
        The form's own; ``""`` where it has none, and nothing is noted.
    told
        What to say of a form that was sent before.

    Raises
    ------
    SentBeforeError
        It was.
    """
    if not token:
        return
    key = f"form:{_digest({'form': token})}"
    asked: Json = {"form": key}
    if answered(connection, actor, key, asked) is not None:
        raise SentBeforeError(told)
    kept: Json = {"owner": actor.id, "key": key, "digest": _digest(asked), "status": 201, "answer": "{}"}
    connection.execute(sa.insert(requests).values(**kept, made_at=datetime.now(UTC)))


def once(connection: Connection, actor: Actor, key: str, asked: Json, do: Callable[[], Json]) -> Json:
    """Do what is asked, unless the same request with the same key was answered before.

    Parameters
    ----------
    connection
        Of the transaction in which it is done.
    actor
        Who asks; another's key is another key.
    key
        Of the request; ``""`` does it in any case.
    asked
        What is asked for.
    do
        Does it, and returns what is answered.

    Returns
    -------
    dict
        What is answered, or was before.

    Raises
    ------
    RepeatedError
        The key was used for another request.
    """
    if not key:
        return do()
    before = answered(connection, actor, key, asked)
    if before is not None:
        return before
    answer = canonical(do())
    kept: Json = {"owner": actor.id, "key": key, "digest": _digest(asked), "status": 201, "answer": answer}
    connection.execute(sa.insert(requests).values(**kept, made_at=datetime.now(UTC)))
    return dict(json.loads(answer))


def answered(connection: Connection, actor: Actor, key: str, asked: Json) -> Json | None:
    """Return what the same request was answered before; None where it was not sent.

    Raises
    ------
    RepeatedError
        The key was used for another request.
    """
    if not key:
        return None
    mine = (requests.c.owner == actor.id) & (requests.c.key == key)
    row = connection.execute(sa.select(requests).where(mine)).mappings().one_or_none()
    if row is not None and row["digest"] != _digest(asked):
        message = "This Idempotency-Key was used before, for another request."
        raise RepeatedError(message, [Fault("Idempotency-Key", key, "a key of its own for each request")])
    return dict(json.loads(row["answer"])) if row is not None else None


def _digest(asked: Json) -> str:
    return hashlib.sha256(canonical(asked).encode("utf-8", "surrogatepass")).hexdigest()
