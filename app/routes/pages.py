"""Pages."""

from fastapi import FastAPI


def install(app: FastAPI) -> None:
    """Add the pages to an application."""
