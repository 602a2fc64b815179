"""Pages."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles
from xstatic.pkg import leaflet

from app import maps
from app.deps import VillageDep
from app.routes.asked import asked
from app.routes.rendering import STATIC, SafeHeaders, install_errors, page, script


def install(app: FastAPI) -> None:
    """Add the pages to an application."""
    install_errors(app)
    app.add_middleware(SafeHeaders)
    app.mount("/static/leaflet", StaticFiles(directory=Path(leaflet.BASE_DIR)), name="leaflet")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_api_route("/", home, include_in_schema=False)
    app.add_api_route("/map.js", map_js, include_in_schema=False)
    maps.map_script(app.state.village)


async def home(request: Request, village: VillageDep) -> Response:
    """The map, and the answer where the address asks for one."""
    found = asked(village, request.query_params)
    data = {
        "village": village.files.settings.name,
        "position": found.position,
        "street": found.street,
        "answer": found.answer,
        "focus": maps.bounds(village, found.street) if found.street and not found.faults else None,
        "views": {"all": maps.bounds(village), "core": maps.core(village)},
    }
    shown = {"asked": found, "data": data, "script": maps.map_script(village), "needles": maps.needles(village)}
    return page(request, "home.html", 422 if found.faults else 200, **shown)


async def map_js(request: Request, village: VillageDep, street: str = "") -> Response:
    """The script that folium wrote for the map."""
    return script(request, maps.map_script(village, village.street_name(street) if street else ""))
