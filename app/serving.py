"""Serving: the certificate checked, the register made, the first sign-in link printed, then listening."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import typer
import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from app.db import Database
from app.keeping import ensure_schema
from app.main import create_app
from app.people import FIRST_USER, first_link
from app.settings import Settings
from app.tls import WILDCARDS, address_served, check_serving

STARTS_WITHIN_S = 60


def serve(settings: Settings) -> None:
    """Serve the village's pages and API until stopped.

    Parameters
    ----------
    settings
        Where to listen, with which certificate and how many processes.

    Raises
    ------
    StreetsError
        The certificate, the register or the village's files cannot be used. Nobody could connect yet.
    """
    secure = check_serving(settings)
    database = Database(settings.database, settings.state_dir)
    ensure_schema(database)
    token = first_link(database)
    database.close()
    options: dict[str, Any] = {"host": settings.host, "port": settings.port, "log_level": "warning"}
    options |= {"access_log": False, "timeout_worker_healthcheck": STARTS_WITHIN_S}
    if secure:
        options |= {"ssl_certfile": settings.tls_cert, "ssl_keyfile": settings.tls_key}
    with _uncollected():
        made = create_app(settings)
    many = settings.workers > 1
    if many:
        made.state.database.close()
        _hand_on(settings)
        config = uvicorn.Config("app.serving:worker", factory=True, workers=settings.workers, **options)
    else:
        config = uvicorn.Config(made, **options)
    listening = config.bind_socket()
    _tell(settings.model_copy(update={"port": listening.getsockname()[1]}), made.title, token)
    server = uvicorn.Server(config)
    with contextlib.suppress(KeyboardInterrupt):
        if many:
            Multiprocess(config, sockets=[listening]).run()
        else:
            server.run([listening])
    if not many and not server.started:
        sys.exit(3)


def worker() -> FastAPI:
    """Make the application in one of several processes; it ends when the one that started it is killed."""
    parent = multiprocessing.parent_process()

    def outlived() -> None:
        if parent is not None:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=outlived, daemon=True).start()
    with _uncollected():
        return create_app()


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Make what stays for good without looking for garbage meanwhile, nor ever after among it."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _tell(settings: Settings, title: str, token: str | None) -> None:
    base = address_served(settings)
    everywhere = ", and at every address of this computer" if settings.host in WILDCARDS else ""
    typer.echo(f"Serving {title} at {base}/{everywhere}")
    if token:
        typer.echo(f"Nobody has signed in yet. {FIRST_USER} signs in by this link, once, within 24 hours:")
        typer.echo(f"  {base}/link/{token}")
    sys.stdout.flush()


def _hand_on(settings: Settings) -> None:
    """Hand the settings to the processes that serve, which read theirs from the environment."""
    for name, value in settings.model_dump(exclude_none=True).items():
        os.environ[Settings.variable(name)] = str(value)
