"""The plat book as a PDF: gathered, drawn, and kept until the register or the map in force is another."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from app import audit
from app.map_versions import Atlas
from app.plat_book import book
from app.plat_page import plat_pdf

MOST = 40
"""As many PDFs are kept."""
_KEPT: OrderedDict[Any, tuple[str, bytes]] = OrderedDict()
_DRAWING = threading.Lock()


def printed(atlas: Atlas, street: str = "") -> tuple[str, bytes]:
    """Return the plat book, or the pages of one street, as a PDF.

    It takes seconds, so no event loop may wait for it. Who asks for the same while it is drawn waits for that one.

    Parameters
    ----------
    atlas
        The village and its register.
    street
        The street, however spelt; ``""`` for the whole book.

    Returns
    -------
    tuple of str, bytes
        The file's name and the PDF, kept for the same map and head of the audit.

    Raises
    ------
    gis.errors.UnknownStreetError
        There is no such street.
    """
    with _DRAWING, atlas.database.read() as connection:
        village, head = atlas.now(connection), audit.head(connection)
        name = village.street_name(street) if street else ""
        key = (village, head, name)
        if key not in _KEPT:
            found = book(atlas, connection, (name,) if name else ())
            shown = "".join(c if c.isalnum() and c.isascii() else "-" for c in name) or "streets"
            _KEPT[key] = f"plat-book-{shown}-{found.number}.pdf", plat_pdf(found, whole=not name)
            while len(_KEPT) > MOST:
                _KEPT.popitem(last=False)
        return _KEPT[key]
