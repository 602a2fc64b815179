"""Permits by API as tests write them: an officer's key, an outline in a street, and the steps by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.testclient import TestClient

Json = dict[str, Any]
OUTLINE = {
    "type": "Polygon",
    "coordinates": [
        [[-90.3831, 42.5701], [-90.38306, 42.5701], [-90.38306, 42.57013], [-90.3831, 42.57013], [-90.3831, 42.5701]]
    ],
}
APPLICATION: Mapping[str, Json] = {
    "opening": {
        "applicant": "Acme Water, 1 Mill Lane", "signed": "yes", "in": "street", "location": "100 block of Main Street",
        "nature": "a water service", "method": "open cut",
    },
    "sidewalk": {"applicant": "Ann Lee, 145 North Alma Street", "does": "replace", "location": "in front of 145"},
    "privilege": {
        "applicant": "Lee Movers", "purpose": "construction", "location": "in front of 145", "building_permit": "B-12",
    },
}  # fmt: skip
EMERGENCY = {**APPLICATION["opening"], "emergency": "yes", "utility": "water"}


class Permits:
    """What an officer does with permits."""

    def __init__(self, client: TestClient, key: Mapping[str, str]) -> None:
        self.client, self.key = client, dict(key)

    def apply(self, kind: str, status: int = 201, **facts: Any) -> Json:
        """Apply for a permit; facts replace those of `APPLICATION`, and one that is None is left out."""
        given = {**APPLICATION.get(kind, {}), **facts, "kind": kind}
        sent = {name: value for name, value in given.items() if value is not None}
        return self._answer("/api/v1/permits", sent, status)

    def take(self, permit: Json, step: str, status: int = 200, **facts: Any) -> Json:
        """Take a step."""
        return self._answer(f"/api/v1/permits/{permit['id']}/{step}", facts, status)

    def complete(self, kind: str, on: str | None = None, **facts: Any) -> Json:
        """Apply and record it as complete."""
        made = self.apply(kind, at=on, **facts)
        return self.take(made, "complete", at=on, sufficient="yes")

    def approved(self, kind: str, on: str, by: str = "director", **facts: Any) -> Json:
        """Apply, complete and approve on a day."""
        made = self.complete(kind, on, **facts)
        return self.take(made, "approve", at=on, **({"by": by} if kind == "opening" else {}))

    def _answer(self, path: str, sent: Mapping[str, Any], status: int) -> Json:
        response = self.client.post(path, json=dict(sent), headers=self.key)
        assert response.status_code == status, f"{response.status_code}: {response.text}"
        answer: Json = response.json()
        return answer


def faults(answer: Json) -> dict[str, str]:
    """Return what an answer refuses, by field: what was found and expected."""
    return {one["field"]: f"{one['found']} | {one['expected']}" for one in answer["errors"]}


def clock(permit: Json, key: str) -> Json:
    """Return a clock of a permit by its name."""
    found: Json = next(one for one in permit["clocks"] if one["key"] == key)
    return found
