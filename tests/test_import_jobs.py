"""A file sent through API and pages is checked and stored by a job any worker can tell of; killed, it leaves nothing.

Seen to fail: the lock let go of before the run (a running job is told to be interrupted); `of_job` None (a job killed
after its commit is told to have stored nothing).
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app import imports, registers
from app.auth import Role
from app.db import Database
from app.import_jobs import Jobs
from app.main import create_app
from app.map_versions import Atlas
from app.settings import Settings
from app.tables import addresses
from app.tables import imports as table
from app.verify import verify
from tests.people import by_key, by_session, state
from tests.plat import PLAT, village

Json = dict[str, Any]
API = "/api/v1/imports"
GOOD = "HOUSENO,PREDIR,ST_NAME,X,Y\n145,N,Alma Street,400,471\n30,E,MAIN ST,100,40\n"
SCRIPT = "<script>alert(1)</script>"
PATIENCE_S = 60


@pytest.fixture
def settings(migrated_sqlite: Path, tmp_path: Path) -> Settings:
    (tmp_path / "state").mkdir()
    (tmp_path / "plat").mkdir()
    (tmp_path / "state" / "register.db").write_bytes(migrated_sqlite.read_bytes())
    return Settings(state_dir=tmp_path / "state", data_dir=village(tmp_path / "plat", PLAT), import_most_mb=5)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url="https://testserver", follow_redirects=False) as made:
        made.headers.update(by_key(database(made), Role.CLERK))
        yield made


def database(client: TestClient) -> Database:
    made: Database = client.app.state.database  # type: ignore[attr-defined]
    return made


def ended(client: TestClient, job: str) -> Json:
    deadline = time.monotonic() + PATIENCE_S
    while (found := client.get(f"{API}/jobs/{job}").json())["state"] == "running":
        assert time.monotonic() < deadline, found
        time.sleep(0.02)
    return dict(found)


def sent(client: TestClient, text: str = GOOD, name: str = "list.csv", kind: str = "addresses", **more: str) -> Any:
    return client.post(f"{API}/{kind}", files={"file": (name, text.encode())}, data={"crs": "EPSG:7608", **more})


# --- the API ---


def test_a_file_is_sent_checked_and_stored_and_listed(client: TestClient) -> None:
    answer = sent(client, reason="the list of 2019")
    assert answer.status_code == 202
    job = ended(client, answer.json()["job"])
    assert (job["state"], job["result"]["stored"]) == ("done", 2)
    listed = client.get(API).json()["items"]
    assert [(i["id"], i["kind"], i["file"], i["reason"]) for i in listed] == [
        (job["import"], "addresses", "list.csv", "the list of 2019")
    ]
    assert client.post(f"{API}/{job['import']}/undo", json={"reason": "the wrong list"}).json()["undone_at"]
    assert client.get("/api/v1/addresses").json()["items"] == []


def test_a_dry_run_stores_nothing_and_faults_are_a_file(client: TestClient) -> None:
    before = state(database(client))
    assert ended(client, sent(client, dry_run="true").json()["job"])["state"] == "checked"
    wrong = GOOD + f"12,N,=HYPERLINK(1),0,0\n13,N,{SCRIPT},0,0\n"
    job = ended(client, sent(client, wrong).json()["job"])
    assert (job["state"], job["result"]["faults"]) == ("faults", 2)
    report = client.get(f"{API}/jobs/{job['id']}/report.csv")
    assert report.headers["content-type"].startswith("text/csv")
    cells = list(csv.reader(io.StringIO(report.text.lstrip("\ufeff"))))
    assert [row[0] for row in cells if row[2] == "fault"] == ["3", "4"]
    assert not any(cell.startswith("=") for row in cells for cell in row)
    assert state(database(client)) == before


def test_the_columns_mapped_by_who_asks(client: TestClient) -> None:
    text = "Nr,Way,E,N\n145,North Alma Street,400,471\n"
    assert ended(client, sent(client, text).json()["job"])["state"] == "faults"
    mapping = {"Nr": "number", "Way": "street", "E": "x", "N": "y"}
    assert ended(client, sent(client, text, mapping=json.dumps(mapping)).json()["job"])["state"] == "done"


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"name": "a.exe"}, "file"),
        ({"name": ""}, "file"),
        ({"kind": "people"}, "kind"),
        ({"mapping": "[1]"}, "mapping"),
        ({"mapping": "{" * 5000}, "mapping"),
        ({"crs": "x" * 5000}, "crs"),
    ],
)
def test_what_cannot_be_brought_in_is_refused_by_name(client: TestClient, more: Json, field: str) -> None:
    answer = sent(client, **more)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_a_file_that_is_too_long_is_refused_before_it_is_read(client: TestClient) -> None:
    assert sent(client, "x" * 8_000_000).status_code == 413
    assert sent(client, "x" * 5_500_000).status_code == 422
    assert client.post("/api/v1/addresses", content=b"x" * 2_000_001).status_code == 413


@pytest.mark.parametrize("job", ["0" * 32, "%2e%2e", "x" * 64])
def test_a_job_that_is_not_there(client: TestClient, job: str) -> None:
    assert client.get(f"{API}/jobs/{job}").status_code in {404, 422}


def test_a_name_full_of_signs_is_no_path_and_is_shown_as_text(client: TestClient, settings: Settings) -> None:
    for name in (f"../../{SCRIPT}.csv", "/vsicurl/http:/127.0.0.1/a.csv", "C:\\list\\a.csv"):
        job = ended(client, sent(client, name=name).json()["job"])
        assert "/" not in job["file"]
        assert SCRIPT not in client.get(f"/import/jobs/{job['id']}").text
    assert {p.name for p in settings.state_dir.iterdir()} >= {"imports", "register.db"}
    known = ("file.", "state.json", "lock", "report.csv")
    assert all(p.name.startswith(known) for p in settings.state_dir.glob("imports/*/*"))


# --- the pages ---


def test_a_clerk_sends_a_file_maps_it_and_stores_it(client: TestClient) -> None:
    client.headers.pop("Authorization")
    who = by_session(database(client), "Carla Clerk", Role.CLERK)
    client.headers.update(who)
    text = "Nr,Way,E,N\n145,North Alma Street,400,471\n"
    form = {"kind": "addresses", "crs": "EPSG:7608", "reason": "the list"}
    begun = client.post("/import", files={"file": ("a.csv", text.encode())}, data=form)
    assert begun.status_code == 303
    place = begun.headers["location"]
    ended(client, place.rpartition("/")[2])
    assert "Nothing was stored" in client.get(place).text
    mapped = {"map-0": "number", "map-1": "street", "map-2": "x", "map-3": "y", "crs": "EPSG:7608"}
    client.post(place, data={**mapped, "do": "check"})
    ended(client, place.rpartition("/")[2])
    assert "Store 1 addresses" in client.get(place).text
    client.post(place, data={**mapped, "do": "store"})
    job = ended(client, place.rpartition("/")[2])
    assert job["state"] == "done"
    assert "Undo the import" in client.get(f"/import/{job['import']}").text
    assert "a.csv" in client.get("/import").text
    again = client.post(place, data={"do": "store"})
    assert again.status_code == 422
    undone = client.post(f"/import/{job['import']}/undo", data={"reason": "wrong"})
    assert undone.status_code == 303
    assert "undone" in client.get("/import").text
    address = client.get("/addresses/1")
    assert "An existing number, brought in from a.csv" in address.text


def test_a_form_without_a_file_says_so_beside_the_field(client: TestClient) -> None:
    client.headers.pop("Authorization")
    client.headers.update(by_session(database(client), "Carla Clerk", Role.CLERK))
    answer = client.post("/import", data={"kind": "addresses"})
    assert answer.status_code == 422
    assert 'id="file-fault"' in answer.text


def test_a_number_whose_import_was_undone_never_was_one(client: TestClient) -> None:
    """145 has frontage in the 100 block; 199 would begin at 330 + 44 * 8 = 682 ft, past the block's end at 660."""
    text = GOOD.replace("30,E,MAIN ST,100,40", "199,N,Alma Street,400,600")
    job = ended(client, sent(client, text).json()["job"])
    dispatch = by_key(database(client), Role.DISPATCH)

    def match(address: str) -> str:
        found = client.get("/api/v1/911/validate", params={"address": address}, headers=dispatch)
        return str(found.json()["match"])

    asked = ("145 North Alma Street", "199 N Alma St")
    assert [match(address) for address in asked] == ["official", "official"]
    client.post(f"{API}/{job['import']}/undo", json={"reason": "the wrong list"})
    assert [match(address) for address in asked] == ["range", "none"]
    ended(client, sent(client, text).json()["job"])
    assert [match(address) for address in asked] == ["official", "official"]


# --- files that were left ---


def test_files_that_have_ended_keep_nobody_from_sending_another_and_the_oldest_go(client: TestClient) -> None:
    wrong = GOOD.replace("145", "none")
    first = [ended(client, sent(client, wrong).json()["job"])["id"] for _ in range(25)]
    dry = [ended(client, sent(client, dry_run="true").json()["job"])["id"] for _ in range(25)]
    last = ended(client, sent(client, dry_run="true").json()["job"])
    kept = [one["id"] for one in client.get(f"{API}/jobs").json()["items"]]
    assert kept == [last["id"], *reversed(dry), *reversed(first[1:])]


def test_fifty_files_that_wait_are_the_most_of_one_person_and_keep_no_other_out(client: TestClient) -> None:
    key = client.headers.pop("Authorization")
    who = by_session(database(client), "Carla Clerk", Role.CLERK)
    client.headers.update(who)
    form = {"kind": "addresses", "crs": "EPSG:7608"}
    for k in range(51):
        answer = client.post("/import", files={"file": (f"{k}.csv", GOOD.encode())}, data=form)
        assert answer.status_code == (303 if k < 50 else 422), k
        if k < 50:
            ended(client, answer.headers["location"].rpartition("/")[2])
    assert "50 files of yours" in answer.text
    for name in who:
        client.headers.pop(name)
    client.headers["Authorization"] = key
    assert sent(client).status_code == 202


def test_a_check_that_was_left_is_found_again(client: TestClient) -> None:
    client.headers.pop("Authorization")
    client.headers.update(by_session(database(client), "Carla Clerk", Role.CLERK))
    form = {"kind": "addresses", "crs": "EPSG:7608"}
    place = client.post("/import", files={"file": ("left.csv", GOOD.encode())}, data=form).headers["location"]
    ended(client, place.rpartition("/")[2])
    page = client.get("/import").text
    assert f'<a href="{place}">left.csv</a>' in page
    assert "waits for your decision" in page
    assert "1 file: those under way or waiting for a decision, then the others, the newest of each first" in page
    client.post(place, data={"do": "cancel"})
    assert "waits for your decision" not in client.get("/import").text


# --- jobs and death ---


def many(count: int) -> str:
    """So many addresses on Alma Street, each with a unit of its own."""
    rows = (f"145,N,Alma Street,400,471,Unit {k}\n" for k in range(1, count + 1))
    return "HOUSENO,PREDIR,ST_NAME,X,Y,UNIT\n" + "".join(rows)


def test_a_running_job_is_told_by_another_worker_and_cancelled(client: TestClient, settings: Settings) -> None:
    atlas = client.app.state.atlas  # type: ignore[attr-defined]
    other = Jobs(settings.state_dir / "imports", atlas)
    with database(client).write():  # an import waits for its turn
        job = sent(client).json()["job"]
        deadline = time.monotonic() + PATIENCE_S
        while other.get(job)["doing"] != "waiting for other writes" and time.monotonic() < deadline:
            time.sleep(0.02)
        assert other.get(job)["state"] == "running"
        client.post(f"{API}/jobs/{job}/cancel")
    assert ended(client, job)["state"] == "cancelled"
    assert client.get("/api/v1/addresses").json()["items"] == []


def test_a_job_whose_worker_died_after_it_was_stored_is_done(client: TestClient, settings: Settings) -> None:
    job = ended(client, sent(client).json()["job"])
    file = settings.state_dir / "imports" / job["id"] / "state.json"
    told = json.loads(file.read_text())
    file.write_text(json.dumps({**told, "state": "running"}))
    assert client.get(f"{API}/jobs/{job['id']}").json()["state"] == "done"
    fresh = {**told, "state": "running", "id": "f" * 32}
    file.write_text(json.dumps(fresh))
    assert client.get(f"{API}/jobs/{job['id']}").json()["state"] == "interrupted"


KILLED = """
import sys
from pathlib import Path
from app.audit import CONSOLE
from app.db import Database
from app.imports import Asked, run
from app.map_versions import Atlas
url, state, data, file = sys.argv[1:]
database = Database(url, Path(state))
atlas = Atlas(database, Path(data))
print("ready", flush=True)
sys.stdin.readline()
def tick(doing, done, total):
    print(doing, flush=True)
run(atlas, CONSOLE, Asked("addresses", Path(file), "many.csv", crs="EPSG:7608"), dry_run=False, tick=tick)
print("stored", flush=True)
"""


def test_killed_at_any_moment_an_import_is_there_whole_or_not_at_all(database_url: str, tmp_path: Path) -> None:
    """Kills while it reads, while it writes and about the commit, on each database."""
    data = tmp_path / "plat"
    data.mkdir()
    village(data, PLAT)
    file = tmp_path / "many.csv"
    count = 1500
    file.write_text(many(count))
    rng = random.Random(28815)
    with closing(Database(database_url, tmp_path / "state")) as register:
        Atlas(register, data).ensure()
        outcomes = set()
        for after in ("numbering", "storing", "storing", "storing", "end"):
            whole = _killed(database_url, tmp_path, after, rng.random() * 0.6)
            with register.read() as connection:
                held = registers.counted(connection, addresses, registers.IS_ACTIVE)
                assert held in {0, count}, after
                assert registers.counted(connection, table) == (held == count)
                outcomes.add(held)
                assert held == count or not whole  # what was said to be stored is stored
                if held == count:
                    break
        with register.read() as connection:
            assert list(verify(connection)) == []
        assert 0 in outcomes


def _killed(url: str, folder: Path, after: str, wait_s: float) -> bool:
    """Import in another process and kill it; returns whether it had said that all was stored."""
    command = [sys.executable, "-c", KILLED, url, str(folder / "state"), str(folder / "plat"), str(folder / "many.csv")]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdin is not None
    assert child.stdout is not None
    said = []
    assert child.stdout.readline() == "ready\n"
    child.stdin.write("\n")
    child.stdin.flush()
    for line in child.stdout:
        said.append(line.strip())
        if line.strip() == after:
            break
    time.sleep(wait_s if after == "storing" else 0)
    os.kill(child.pid, signal.SIGKILL)
    said += child.stdout.read().split()
    child.wait()
    child.stdin.close()
    child.stdout.close()
    return "stored" in said


def test_the_import_of_a_job_is_found_by_the_job(client: TestClient) -> None:
    job = ended(client, sent(client).json()["job"])
    with database(client).read() as connection:
        assert imports.of_job(connection, job["id"]) is not None
        assert imports.of_job(connection, "0" * 32) is None


# --- what a job says that it stored ---

PARALLEL = (
    'name,wkt\nMain Street,"LINESTRING (-500 0, 500 0)"\nVan Buren Street,"LINESTRING (-500 300, 500 300)"\n'
    'Elm Street,"LINESTRING (100 -200, 100 500)"\n'
)
"""Base lines that do not cross: there is no fault in a row, and no map."""


def said(job: Json) -> tuple[str, int, int, bool]:
    result = job["result"]
    return job["state"], result["stored"], result["storable"], result["can_be_stored"]


def test_a_job_says_what_it_stored_and_what_could_be(client: TestClient) -> None:
    assert said(ended(client, sent(client, dry_run="true").json()["job"])) == ("checked", 0, 2, True)
    assert said(ended(client, sent(client, GOOD.replace("145", "none")).json()["job"])) == ("faults", 0, 0, False)
    failed = ended(client, sent(client, PARALLEL, kind="streets").json()["job"])
    assert said(failed) == ("failed", 0, 0, False)
    assert "can be stored" not in client.get(f"/import/jobs/{failed['id']}").text
    assert said(ended(client, sent(client).json()["job"])) == ("done", 2, 2, True)


def test_a_job_that_was_cancelled_says_that_nothing_is_stored_and_that_it_has_stopped(
    client: TestClient, settings: Settings
) -> None:
    with database(client).write():  # an import waits for its turn
        job = sent(client).json()["job"]
        deadline = time.monotonic() + PATIENCE_S
        while client.get(f"{API}/jobs/{job}").json()["doing"] != "waiting for other writes":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert client.get(f"{API}/jobs/{job}").json()["result"]["stored"] == 0
        answer = client.post(f"{API}/jobs/{job}/cancel")
        assert (answer.status_code, answer.json()) == (202, {"job": job, "cancelling": True, "state": "running"})
    assert said(ended(client, job)) == ("cancelled", 0, 0, False)
    again = client.post(f"{API}/jobs/{job}/cancel")
    assert (again.status_code, again.json()) == (200, {"job": job, "cancelling": False, "state": "cancelled"})
    done = ended(client, sent(client).json()["job"])
    assert client.post(f"{API}/jobs/{done['id']}/cancel").json()["state"] == "done"
    checked = ended(client, sent(client, dry_run="true").json()["job"])
    assert client.post(f"{API}/jobs/{checked['id']}/cancel").json()["cancelling"] is False
    assert said(client.get(f"{API}/jobs/{checked['id']}").json()) == ("cancelled", 0, 0, False)


def test_a_job_that_was_interrupted_says_what_the_register_has(client: TestClient, settings: Settings) -> None:
    job = ended(client, sent(client).json()["job"])
    file = settings.state_dir / "imports" / job["id"] / "state.json"
    told = json.loads(file.read_text())
    told["result"]["stored"] = 0
    file.write_text(json.dumps({**told, "state": "running"}))
    assert said(client.get(f"{API}/jobs/{job['id']}").json()) == ("done", 2, 2, True)
    file.write_text(json.dumps({**told, "state": "running", "id": "f" * 32}))
    assert said(client.get(f"{API}/jobs/{job['id']}").json()) == ("interrupted", 0, 0, False)
