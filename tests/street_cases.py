"""Cases of the street by API as tests write them: an officer's key, what is reported, and the steps by name."""

from __future__ import annotations

from typing import Any

from tests.permit_desk import Desk

Json = dict[str, Any]


class Cases:
    """What an office does with cases; ``all`` is every office."""

    def __init__(self, desk: Desk, office: str = "all") -> None:
        self.desk, self.key = desk, desk.keys[office]

    def report(self, kind: str, at: str, status: int = 201, **facts: Any) -> Json:
        """Open a case."""
        return self._sent("/api/v1/cases", {"kind": kind, "at": at, **facts}, status)

    def take(self, case: Json, step: str, status: int = 200, **facts: Any) -> Json:
        """Take a step."""
        return self._sent(f"/api/v1/cases/{case['id']}/{step}", facts, status)

    def get(self, case: Json) -> Json:
        """Return a case as it is now."""
        found: Json = self.desk.client.get(f"/api/v1/cases/{case['id']}", headers=self.key).json()
        return found

    def _sent(self, path: str, facts: Json, status: int) -> Json:
        response = self.desk.client.post(path, json=facts, headers=self.key)
        assert response.status_code == status, f"{response.status_code}: {response.text}"
        answer: Json = response.json()
        return answer


def ends(case: Json) -> dict[str, tuple[str, str | None]]:
    """Return when each clock of a case ends, and the other answer, by name."""
    return {one["key"]: (one["due"], one["alternative"]) for one in case["clocks"]}


def words(case: Json) -> str:
    """Return what is said beside a case, as one text."""
    return "\n".join(case["remarks"])
