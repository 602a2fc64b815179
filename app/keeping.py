"""Keeping the register: backup, restore, verify, upgrade."""

from __future__ import annotations

from app.schema import ensure_schema

__all__ = ["ensure_schema"]
