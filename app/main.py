"""The web application: made from settings, nothing at import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from fastapi import FastAPI

from app import errors
from app.db import Database
from app.deps import KnownKeys
from app.map_versions import Atlas
from app.routes import (
    address_acts,
    address_pages,
    api,
    assign_pages,
    audit_pages,
    batch_api,
    batch_pages,
    case_new_pages,
    case_pages,
    cases_api,
    check_pages,
    checks_api,
    clocks_api,
    county_pages,
    cross_section_pages,
    document_routes,
    doubt_pages,
    existing_pages,
    exports_api,
    face_pages,
    field_pages,
    import_pages,
    lookups,
    lot_pages,
    map_edit_pages,
    map_editor_pages,
    map_edits_api,
    map_pages,
    map_view_pages,
    maps_api,
    ogc_api,
    pages,
    people,
    people_api,
    permit_pages,
    permit_public_pages,
    permits_api,
    plat_book_pages,
    register_api,
    right_of_way_api,
    right_of_way_pages,
    settled_pages,
    street_object_pages,
    street_objects_api,
    survey_pages,
    tax_roll,
    today_api,
    today_pages,
    works_pages,
    wzdx_api,
)
from app.routes.lookups import LOG_FOLDER, Lookups
from app.routes.rendering import ShownWorker
from app.row_layers import GroundKeeper
from app.schema import ensure_schema
from app.settings import Settings
from app.today import count_anew
from app.watch import Watch

ROUTES = (
    *(api, register_api, maps_api, map_edits_api, document_routes, cases_api, checks_api, clocks_api),
    *(case_new_pages, case_pages, street_objects_api, check_pages, field_pages, works_pages, street_object_pages),
    *(right_of_way_api, right_of_way_pages, cross_section_pages),
    *(permits_api, tax_roll, permit_public_pages, permit_pages, today_api, today_pages),
    *(settled_pages, people_api, people, address_pages, address_acts, assign_pages, face_pages),
    *(batch_api, batch_pages, exports_api, ogc_api, wzdx_api),
    *(map_edit_pages, map_editor_pages, map_view_pages, map_pages, doubt_pages, audit_pages),
    *(existing_pages, plat_book_pages, import_pages, lot_pages, county_pages, survey_pages),
)
"""Modules of routes, in the order in which they are asked."""


@asynccontextmanager
async def _closing(app: FastAPI) -> AsyncIterator[None]:
    """Read the register for the lookups while the application runs, and close its connections when it ends."""
    app.state.watch.start()
    yield
    app.state.watch.stop()
    app.state.database.close()


def create_app(settings: Settings | None = None) -> FastAPI:
    """Make the application of one village.

    Parameters
    ----------
    settings
        Where its data lies and which day's law applies; from the environment when left out.

    Returns
    -------
    FastAPI
        Ready to serve: the register has its schema and a map, and the village in force is loaded.

    Raises
    ------
    gis.errors.StreetsError
        The village's files or the register cannot be used.
    """
    settings = settings or Settings()
    database = Database(settings.database, settings.state_dir)
    ensure_schema(database)
    atlas = Atlas(database, settings.data_dir, settings.law_date)
    atlas.ensure()
    count_anew(database, datetime.now(UTC))
    app = FastAPI(
        title=f"Village of {atlas.village.files.settings.name}: street numbers and right-of-way",
        version="0.4.0",
        description=api.DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=_closing,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.settings = settings
    app.state.database = database
    app.state.atlas = atlas
    app.state.watch = Watch(atlas)
    app.state.ground = GroundKeeper()
    errors.install(app)
    app.add_middleware(KnownKeys)
    logged = settings.state_dir / LOG_FOLDER
    app.add_middleware(Lookups, watch=app.state.watch, directory=logged, rate=settings.lookup_rate)
    # first, and not as a router of its own: each route or router before would cost every lookup some microseconds
    app.router.routes.extend([*lookups.direct.routes, *lookups.router.routes])
    for of in ROUTES:  # as they were made: an included router's would be made anew for each application
        app.router.routes.extend(of.router.routes)
    pages.install(app)
    if settings.show_worker:
        app.add_middleware(ShownWorker)
    return app
