"""The page on which the Director records that the survey of § 288-15 G(1) is completed."""

from __future__ import annotations

from app.auth import Role
from tests.people import by_session
from tests.test_register import Office, office

__all__ = ["office"]


def test_the_director_records_that_the_survey_is_completed(office: Office) -> None:
    sent = by_session(office.database, "A Director", Role.DIRECTOR)
    assert "Its completion is not recorded" in office.client.get("/survey").text
    act = {"act": "Resolution 9", "reason": "each has its number"}
    wrong = office.client.post("/survey", data={**act, "date": "2026-13-01"}, headers=sent)
    assert wrong.status_code == 422
    assert "Resolution 9" in wrong.text  # nothing that was typed is lost
    done = office.client.post("/survey", data={**act, "date": "2026-06-01"}, headers=sent)
    assert "Completed on Mon, June 1, 2026: Resolution 9" in done.text
    assert office.client.post("/survey", data={**act, "date": "2026-06-02"}, headers=sent).status_code == 409
    assert office.get("/api/v1/survey").json()["completed_on"] == "2026-06-01"
