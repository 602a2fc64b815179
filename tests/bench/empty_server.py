"""An empty endpoint with the preview's request body, served as ``benton-streets serve`` is: `empty_server.py PORT`."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import uvicorn
from fastapi import FastAPI

from app.routes.api import PreviewRequest

app = FastAPI()


@app.post("/empty")
async def empty(asked: PreviewRequest) -> dict[str, Any]:
    return {}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)
