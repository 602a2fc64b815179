"""Serving over HTTPS: the certificate files checked before anybody connects, and a local authority that makes them."""

from __future__ import annotations

import ipaddress

from app.settings import Settings


def address_served(settings: Settings) -> str:
    """Return the address that people of this installation open.

    Parameters
    ----------
    settings
        Where it listens, and whether with a certificate.

    Returns
    -------
    str
        Such as ``http://127.0.0.1:8000``; no slash at its end.
    """
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = "127.0.0.1" if settings.host in {"0.0.0.0", "::", ""} else settings.host
    return f"http://{bracketed(host)}:{settings.port}"


def bracketed(host: str) -> str:
    """Return a host as an address in the web holds it: IPv6 in brackets."""
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host
