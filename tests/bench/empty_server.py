"""Empty endpoints with the parameters of ours, served as ``benton-streets serve`` is: `empty_server.py PORT`."""

import sys
from pathlib import Path
from typing import Annotated, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import uvicorn
from fastapi import FastAPI, Query

from app.dispatch import MOST_FT
from app.routes.api import PreviewRequest

app = FastAPI()


@app.post("/empty")
async def empty(asked: PreviewRequest) -> dict[str, Any]:
    return {}


@app.get("/address")
async def address(address: Annotated[str, Query(max_length=1000)] = "") -> dict[str, Any]:
    return {}


@app.get("/place")
async def place(
    lat: Annotated[float, Query(ge=-90, le=90, allow_inf_nan=False)],
    lon: Annotated[float, Query(ge=-180, le=180, allow_inf_nan=False)],
    radius_ft: Annotated[float, Query(gt=0, le=MOST_FT, allow_inf_nan=False)] = 500.0,
    limit: Annotated[int, Query(ge=1, le=100)] = 5,
    accuracy_ft: Annotated[float | None, Query(ge=0, le=MOST_FT, allow_inf_nan=False)] = None,
) -> dict[str, Any]:
    return {}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)
