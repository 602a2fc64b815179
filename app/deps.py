"""What handlers ask for, as annotated aliases."""

from typing import Annotated

from fastapi import Depends, Request

from app.village import Village


async def _village(request: Request) -> Village:
    village: Village = request.app.state.village
    return village


VillageDep = Annotated[Village, Depends(_village)]
