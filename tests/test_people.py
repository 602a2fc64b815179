"""People: links that work once, passwords, sessions that end, keys, and nothing secret left lying about."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from app import keys, people, sessions
from app.audit import CONSOLE, breaks
from app.auth import PUBLIC, Person, Role
from app.db import Database
from app.deps import COOKIE
from app.main import create_app
from app.people import add_user, change_roles, disable_user, enable_user, first_link, list_users, new_link
from app.sessions import Guest, LinkError, SignInError, TooManyAttemptsError, change_password, sign_in, use_link
from app.settings import Settings
from app.tables import api_keys, audit, metadata, one_time_links, sign_in_attempts, users
from app.tables import sessions as session_rows
from gis.errors import StreetsError
from tests.people import PASSWORD, by_key, by_session, state
from tests.test_api import PLAT, village

HOME = Guest("192.0.2.7", "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0")


def person(database: Database, token: str) -> Person:
    with database.read() as connection:
        found = sessions.holder(connection, token)
    return found[0] if found else PUBLIC


def ann(database: Database, *roles: Role, name: str = "Ann Berg") -> str:
    """Add a user with a password, and give the token of its session."""
    token = use_link(database, HOME, add_user(database, CONSOLE, name, roles or (Role.CLERK,))[1])
    change_password(database, person(database, token), "", PASSWORD)
    return token


def user_id(database: Database, name: str = "Ann Berg") -> int:
    with database.read() as connection:
        return people.user_by_name(connection, name).id


def shift(database: Database, column: sa.Column[Any], by: timedelta) -> None:
    """Move an instant of every row, as if time had passed."""
    with database.write() as connection:
        key = next(iter(column.table.primary_key))
        for row in connection.execute(sa.select(key, column)).all():
            if row[1] is not None:
                connection.execute(sa.update(column.table).where(key == row[0]).values({column: row[1] - by}))


def entries(database: Database) -> list[tuple[str, str, str]]:
    with database.read() as connection:
        return [(r.what, r.actor, r.acting_for) for r in connection.execute(sa.select(audit).order_by(audit.c.seq))]


# --- one-time links ---


def test_a_link_signs_in_once(database: Database) -> None:
    _, token = add_user(database, CONSOLE, "Ann Berg", ["clerk"])
    found = person(database, use_link(database, HOME, token))
    assert (found.name, found.roles) == ("Ann Berg", {Role.CLERK})
    with pytest.raises(LinkError, match="used already"):
        use_link(database, HOME, token)


def test_of_two_who_use_a_link_at_once_one_gets_in(database: Database) -> None:
    _, token = add_user(database, CONSOLE, "Ann Berg", ["clerk"])
    won = at_once(8, lambda _: use_link(database, HOME, token))
    assert sum(isinstance(result, str) for result in won) == 1


def test_a_link_lasts_24_hours(database: Database) -> None:
    _, token = add_user(database, CONSOLE, "Ann Berg", ["clerk"])
    shift(database, one_time_links.c.expires_at, timedelta(hours=23, minutes=59))
    with database.read() as connection:
        assert sessions.link_name(connection, token) == "Ann Berg"
    shift(database, one_time_links.c.expires_at, timedelta(minutes=1))
    with pytest.raises(LinkError, match="expired"):
        use_link(database, HOME, token)


def test_a_newer_link_takes_the_place_of_an_older_one_and_of_the_password(database: Database) -> None:
    session = ann(database)
    _, older = new_link(database, CONSOLE, user_id(database))
    _, newer = new_link(database, CONSOLE, user_id(database))
    assert person(database, session).known  # making a link changes nothing yet
    with pytest.raises(LinkError):
        use_link(database, HOME, older)
    use_link(database, HOME, newer)
    assert not person(database, session).known
    with pytest.raises(SignInError):
        sign_in(database, HOME, "Ann Berg", PASSWORD)


def test_the_first_administrator_gets_a_link_until_somebody_has_signed_in(database: Database) -> None:
    first = first_link(database)
    second = first_link(database)
    assert first
    assert second
    with pytest.raises(LinkError):
        use_link(database, HOME, first)
    found = person(database, use_link(database, HOME, second))
    assert (found.name, found.roles) == ("Administrator", {Role.ADMIN})
    assert first_link(database) is None
    assert entries(database)[0] == ("add user", "the service", "")


def test_who_added_users_by_command_is_shown_no_first_link(database: Database) -> None:
    add_user(database, CONSOLE, "Ann Berg", ["admin"])
    assert first_link(database) is None


# --- passwords ---


@pytest.mark.parametrize(
    ("password", "found"),
    [("eleven char", "11 characters"), ("x" * 201, "201 characters"), ("ANN  berg the SECOND", "your name")],
)
def test_a_password_is_long_enough_and_not_the_name(database: Database, password: str, found: str) -> None:
    token = use_link(database, HOME, add_user(database, CONSOLE, "Ann Berg the Second", ["clerk"])[1])
    with pytest.raises(StreetsError) as refused:
        change_password(database, person(database, token), "", password)
    assert (refused.value.faults[0].field, refused.value.faults[0].found) == ("new", found)
    with pytest.raises(SignInError):
        sign_in(database, HOME, "Ann Berg the Second", password)


@pytest.mark.parametrize("password", ["twelve chars", "x" * 200, "aaaaaaaaaaaa", "wörter mit ümläuten"])
def test_a_password_follows_no_other_rule(database: Database, password: str) -> None:
    token = use_link(database, HOME, add_user(database, CONSOLE, "Ann Berg", ["clerk"])[1])
    change_password(database, person(database, token), "", password)
    assert person(database, sign_in(database, HOME, "ann  BERG", password)).name == "Ann Berg"


def test_an_accent_composed_by_another_keyboard_is_the_same_password(database: Database) -> None:
    token = use_link(database, HOME, add_user(database, CONSOLE, "Ann Berg", ["clerk"])[1])
    change_password(database, person(database, token), "", "ca\u0301fe ca\u0301fe ca\u0301fe")
    assert sign_in(database, HOME, "Ann Berg", "c\u00e1fe c\u00e1fe c\u00e1fe")


def test_a_changed_password_ends_the_other_sessions_and_needs_the_old_one(database: Database) -> None:
    here, there = ann(database), sign_in(database, HOME, "Ann Berg", PASSWORD)
    with pytest.raises(SignInError) as refused:
        change_password(database, person(database, here), "a wrong old password", "another long password")
    assert refused.value.faults[0].field == "old"
    change_password(database, person(database, here), PASSWORD, "another long password")
    assert person(database, here).known
    assert not person(database, there).known
    assert sign_in(database, HOME, "Ann Berg", "another long password")
    with pytest.raises(SignInError):
        sign_in(database, HOME, "Ann Berg", PASSWORD)


# --- signing in ---


def test_a_wrong_name_and_a_wrong_password_are_told_by_the_same_words_in_about_the_same_time(
    database: Database,
) -> None:
    ann(database)
    add_user(database, CONSOLE, "No Password", ["clerk"])
    ann(database, name="Gone")
    disable_user(database, CONSOLE, user_id(database, "Gone"))

    def told(name: str, password: str) -> tuple[str, float]:
        started = time.perf_counter()
        with pytest.raises(SignInError) as refused:
            sign_in(database, HOME, name, password)
        return str(refused.value), time.perf_counter() - started

    told("Nobody", PASSWORD)  # makes the hash a wrong name is held against
    asked = (("Ann Berg", "wrong"), ("Nobody", PASSWORD), ("No Password", ""), ("Gone", PASSWORD))
    answers = {name: min((told(name, password) for _ in range(3)), key=lambda t: t[1]) for name, password in asked}
    assert len({words for words, _ in answers.values()}) == 1
    times = [seconds for _, seconds in answers.values()]
    assert max(times) < 3 * min(times)


def test_five_failures_of_a_name_in_a_quarter_of_an_hour_close_it(database: Database) -> None:
    ann(database)
    ann(database, name="Bob")
    for _ in range(5):
        with pytest.raises(SignInError):
            sign_in(database, HOME, "Ann Berg", "wrong")
    with pytest.raises(TooManyAttemptsError) as refused:
        sign_in(database, HOME, "ANN BERG", PASSWORD)
    assert 14 * 60 < refused.value.wait_s <= 15 * 60
    assert sign_in(database, HOME, "Bob", PASSWORD)
    shift(database, sign_in_attempts.c.at, timedelta(minutes=14, seconds=50))
    with pytest.raises(TooManyAttemptsError):
        sign_in(database, HOME, "Ann Berg", PASSWORD)
    shift(database, sign_in_attempts.c.at, timedelta(seconds=10))
    assert sign_in(database, HOME, "Ann Berg", PASSWORD)


@pytest.mark.parametrize(
    ("addresses", "elsewhere"),
    [(["192.0.2.9"], "192.0.2.10"), (["2001:db8:1:2::1", "2001:db8:1:2:ffff::9"], "2001:db8:1:3::1")],
)
def test_twenty_failures_from_an_address_close_it(
    database: Database, monkeypatch: pytest.MonkeyPatch, addresses: list[str], elsewhere: str
) -> None:
    ann(database)
    monkeypatch.setattr(sessions, "_fits", lambda stored, password: password == PASSWORD)
    for k in range(20):
        with pytest.raises(SignInError):
            sign_in(database, Guest(addresses[k % len(addresses)]), f"guess {k}", "wrong")
    for address in addresses:
        with pytest.raises(TooManyAttemptsError):
            sign_in(database, Guest(address), "Ann Berg", PASSWORD)
    assert sign_in(database, Guest(elsewhere), "Ann Berg", PASSWORD)


def test_many_attempts_at_once_cannot_slip_past_the_limit(database: Database) -> None:
    ann(database)
    failed = at_once(12, lambda _: sign_in(database, HOME, "Ann Berg", "wrong"))
    assert sorted(type(error).__name__ for error in failed) == ["SignInError"] * 5 + ["TooManyAttemptsError"] * 7


def test_who_acts_for_an_officer_is_recorded_so(database: Database) -> None:
    ann(database, Role.ADMIN)
    acting = person(database, sign_in(database, HOME, "Ann Berg", PASSWORD, "  Clerk-Treasurer A. Smith "))
    assert acting.acting_for == "Clerk-Treasurer A. Smith"
    keys.add_key(database, acting.actor, "Dispatch", ["dispatch"])
    assert entries(database)[-1] == ("add key", "Ann Berg", "Clerk-Treasurer A. Smith")


# --- sessions ---


def test_a_session_ends_after_12_hours_without_use_and_after_7_days(database: Database) -> None:
    token = ann(database)
    shift(database, session_rows.c.seen_at, timedelta(hours=11, minutes=59))
    assert person(database, token).known
    shift(database, session_rows.c.seen_at, timedelta(minutes=1))
    assert not person(database, token).known
    token = sign_in(database, HOME, "Ann Berg", PASSWORD)
    shift(database, session_rows.c.expires_at, timedelta(days=7))
    assert not person(database, token).known


def test_signing_in_anew_ends_the_session_the_browser_had(database: Database) -> None:
    old = ann(database)
    new = sign_in(database, Guest("192.0.2.7", token=old), "Ann Berg", PASSWORD)
    assert new != old
    assert not person(database, old).known
    assert person(database, new).csrf


def test_nobody_ends_the_session_of_another(database: Database) -> None:
    mine, hers = person(database, ann(database, name="Bob")), ann(database)
    with pytest.raises(sessions.UnknownSessionError):
        sessions.revoke_session(database, mine, person(database, hers).session_id)
    assert person(database, hers).known


# --- users and keys ---


def test_no_two_users_have_names_that_differ_in_capitals_or_spaces_only(database: Database) -> None:
    ann(database)
    with pytest.raises(people.NameTakenError) as refused:
        add_user(database, CONSOLE, " ANN   berg", ["clerk"])
    assert refused.value.faults[0].field == "name"


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "Ann\u202eBerg", "Ann\nBerg\x07"])
def test_a_name_can_be_read(database: Database, name: str) -> None:
    with pytest.raises(StreetsError, match="name cannot be used"):
        add_user(database, CONSOLE, name, ["clerk"])
    with pytest.raises(StreetsError, match="name cannot be used"):
        keys.add_key(database, CONSOLE, name, ["clerk"])


def test_an_unknown_role_names_the_field_what_was_found_and_what_is_expected(database: Database) -> None:
    with pytest.raises(StreetsError) as refused:
        add_user(database, CONSOLE, "Ann Berg", ["clerk", "boss"])
    told = "role: found boss, expected one of dispatch, inspector, police, clerk, director, admin"
    assert told in str(refused.value)
    with pytest.raises(StreetsError, match="role: found nothing"):
        keys.add_key(database, CONSOLE, "Dispatch", [])


def test_a_disabled_user_is_out_at_once_and_in_again_with_the_password_it_had(database: Database) -> None:
    token = ann(database)
    _, link = new_link(database, CONSOLE, user_id(database))
    disable_user(database, CONSOLE, user_id(database))
    assert not person(database, token).known
    with pytest.raises(LinkError):
        use_link(database, HOME, link)
    with pytest.raises(people.ChangedMeanwhileError):
        new_link(database, CONSOLE, user_id(database))
    enable_user(database, CONSOLE, user_id(database))
    assert not person(database, token).known
    assert person(database, sign_in(database, HOME, "Ann Berg", PASSWORD)).known


def test_the_last_administrator_can_neither_be_disabled_nor_lose_the_role(database: Database) -> None:
    for name in ("Ann Berg", "Bob"):
        add_user(database, CONSOLE, name, ["admin"])
    disable_user(database, CONSOLE, user_id(database, "Bob"))
    with pytest.raises(people.LastAdminError):
        disable_user(database, CONSOLE, user_id(database))
    with pytest.raises(people.LastAdminError):
        change_roles(database, CONSOLE, user_id(database), ["clerk"], ["admin"])
    enable_user(database, CONSOLE, user_id(database, "Bob"))
    change_roles(database, CONSOLE, user_id(database), ["clerk"], ["admin"])
    with pytest.raises(people.LastAdminError):
        disable_user(database, CONSOLE, user_id(database, "Bob"))


def test_two_administrators_who_disable_each_other_at_once_do_not_both_succeed(database: Database) -> None:
    both = [add_user(database, CONSOLE, name, ["admin"])[0].id for name in ("Ann", "Bob")]
    done = at_once(2, lambda k: disable_user(database, CONSOLE, both[k]))
    assert sum(isinstance(result, people.LastAdminError) for result in done) == 1


def test_a_change_of_roles_made_from_older_ones_is_refused_with_the_last_state(database: Database) -> None:
    add_user(database, CONSOLE, "Ann Berg", ["clerk"])
    one = user_id(database)
    assert change_roles(database, CONSOLE, one, ["clerk", "director"], ["clerk"]).roles == {"clerk", "director"}
    with pytest.raises(people.ChangedMeanwhileError, match="now clerk, director"):
        change_roles(database, CONSOLE, one, ["police"], ["clerk"])
    done = at_once(4, lambda k: change_roles(database, CONSOLE, one, [["police"], ["inspector"]][k % 2],
                                             ["clerk", "director"]))  # fmt: skip
    assert sum(isinstance(result, people.User) for result in done) == 1


def test_users_are_searched_and_sorted(database: Database) -> None:
    for name, role in (("Cleo", "police"), ("ann", "clerk"), ("Bob", "clerk")):
        add_user(database, CONSOLE, name, [role])
    disable_user(database, CONSOLE, user_id(database, "ann"))
    with database.read() as connection:
        assert [u.name for u in list_users(connection)] == ["ann", "Bob", "Cleo"]
        assert [u.name for u in list_users(connection, sort="-name")] == ["Cleo", "Bob", "ann"]
        assert [u.name for u in list_users(connection, "CLERK")] == ["ann", "Bob"]
        assert [u.name for u in list_users(connection, sort="state")] == ["Bob", "Cleo", "ann"]
        assert [u.name for u in list_users(connection, "b", "nonsense")] == ["Bob"]


def test_a_key_works_until_it_is_revoked(database: Database) -> None:
    key, secret = keys.add_key(database, CONSOLE, "Dispatch", ["dispatch"])
    assert secret.startswith(key.shown)
    assert len(secret) - len(key.shown) > 30
    with database.read() as connection:
        found = keys.holder(connection, secret)
        assert found is not None
        assert (found[0].name, found[0].id, found[0].roles) == ("Dispatch", f"key:{key.id}", {Role.DISPATCH})
        assert keys.holder(connection, secret[:-1]) is None
    keys.revoke_key(database, CONSOLE, key.id)
    again = keys.revoke_key(database, CONSOLE, key.id)
    assert again.revoked_at
    assert [what for what, *_ in entries(database)] == ["add key", "revoke key"]
    with database.read() as connection:
        assert keys.holder(connection, secret) is None
    with pytest.raises(keys.UnknownKeyIdError):
        keys.revoke_key(database, CONSOLE, 99)


def test_no_secret_is_stored_and_every_act_is_in_the_audit(database: Database) -> None:
    _, link = add_user(database, CONSOLE, "Ann Berg", ["admin"])
    token = use_link(database, HOME, link)
    me = person(database, token)
    change_password(database, me, "", PASSWORD)
    _, key = keys.add_key(database, me.actor, "Dispatch", ["dispatch"])
    _, other = add_user(database, me.actor, "Bob", ["clerk"])
    change_roles(database, me.actor, user_id(database, "Bob"), ["police"], ["clerk"])
    disable_user(database, me.actor, user_id(database, "Bob"))
    enable_user(database, me.actor, user_id(database, "Bob"))
    sessions.revoke_session(database, me, me.session_id)
    with database.read() as connection:
        stored = repr([connection.execute(sa.select(t)).all() for t in metadata.tables.values()])
        log = repr(connection.execute(sa.select(audit)).all())
        assert list(breaks(connection)) == []
    assert [secret for secret in (link, token, key, other, PASSWORD) if secret in stored] == []
    assert me.csrf not in log
    assert "$argon2id$" in stored
    assert "$argon2" not in log
    assert [what for what, *_ in entries(database)] == [
        *("add user", "make sign-in link", "sign in by link", "set password", "add key", "add user"),
        *("make sign-in link", "change roles", "disable user", "enable user", "end session"),
    ]


def at_once(count: int, what: Callable[[int], Any]) -> list[Any]:
    """Do something in threads that start together; give each result or error."""
    barrier, results = threading.Barrier(count), [None] * count

    def one(k: int) -> None:
        barrier.wait()
        try:
            results[k] = what(k)
        except StreetsError as error:
            results[k] = error  # type: ignore[call-overload]

    threads = [threading.Thread(target=one, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


# --- by page ---


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("people")
    app = create_app(Settings(data_dir=village(tmp_path_factory.mktemp("plat"), PLAT), state_dir=folder))
    with TestClient(app, base_url="https://testserver", follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(site: TestClient) -> Iterator[TestClient]:
    """A browser without a session, at a register without people."""
    database: Database = site.app.state.database  # type: ignore[attr-defined]
    with database.write() as connection:
        for table in (session_rows, one_time_links, sign_in_attempts, api_keys, users):
            connection.execute(table.delete())
    site.cookies.clear()
    site.headers.clear()
    yield site
    site.cookies.clear()
    site.headers.clear()


def register(client: TestClient) -> Database:
    return client.app.state.database  # type: ignore[attr-defined, no-any-return]


def signed_in(client: TestClient, *roles: Role, name: str = "Ann Berg") -> dict[str, str]:
    """Sign a browser in; give what its forms send."""
    headers = by_session(register(client), name, *roles)
    client.cookies.set(COOKIE, headers["Cookie"].partition("=")[2], domain="testserver.local", path="/")
    return {"csrf": headers["X-CSRF-Token"]}


def test_opening_a_link_does_not_use_it_and_the_button_does(client: TestClient) -> None:
    _, token = add_user(register(client), CONSOLE, "Ann Berg", ["clerk"])
    before = state(register(client))
    for _ in range(3):
        assert "Sign in as Ann Berg" in client.get(f"/link/{token}").text
        assert client.head(f"/link/{token}").status_code == 200
    assert state(register(client)) == before
    answer = client.post(f"/link/{token}")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/account/password")
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "Secure", "SameSite=lax", "Path=/", "Max-Age=604800"} <= set(cookie.split("; "))
    assert "Domain" not in cookie
    assert client.get("/account").status_code == 200
    again = client.post(f"/link/{token}")
    assert (again.status_code, "used already" in again.text) == (410, True)
    assert client.get("/link/guess").status_code == 410


def test_a_page_with_something_secret_is_kept_by_no_browser(client: TestClient) -> None:
    form = signed_in(client, Role.ADMIN)
    made = client.post("/users", data={**form, "name": "Bob", "role": "clerk"})
    assert made.headers["Cache-Control"] == "no-store"
    link = re.search(r"https://testserver/link/[\w-]{43}", made.text)
    assert link
    assert link[0] not in client.get("/users").text
    assert client.post("/keys", data={**form, "name": "X", "role": "clerk"}).headers["Cache-Control"] == "no-store"
    assert client.get("/account").headers["Cache-Control"] == "no-store"
    assert client.get("/streets").headers["Cache-Control"] == "private, no-cache"
    assert "Cookie" in client.get("/streets").headers["Vary"]


@pytest.mark.parametrize(
    ("target", "led"),
    [
        ("/streets?q=main", "/streets?q=main"),
        ("", "/"),
        *((bad, "/") for bad in ("//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)")),
        *((bad, "/") for bad in ("/\t/evil.example", "evil", "/x\r\nSet-Cookie: a=b", "\\\\evil.example", "/é")),
    ],
)
def test_signing_in_leads_to_a_page_of_this_site_only(client: TestClient, target: str, led: str) -> None:
    ann(register(client))
    answer = client.post("/sign-in", data={"name": "Ann Berg", "password": PASSWORD, "next": target})
    assert (answer.status_code, answer.headers["Location"]) == (303, led)


def test_a_wrong_password_is_told_beside_the_form_which_keeps_the_name_but_not_the_password(
    client: TestClient,
) -> None:
    ann(register(client))
    for _ in range(5):
        answer = client.post("/sign-in", data={"name": "Ann <Berg>", "password": "wr<o>ng"})
        assert answer.status_code == 403
    assert "Ann &lt;Berg&gt;" in answer.text
    assert "wr&lt;o&gt;ng" not in answer.text
    closed = client.post("/sign-in", data={"name": "ann <berg>", "password": "wrong"})
    assert closed.status_code == 429
    assert 0 < int(closed.headers["Retry-After"]) <= 900
    assert "Wait 15 minutes" in closed.text


def test_another_site_cannot_sign_a_browser_in(client: TestClient) -> None:
    ann(register(client))
    form = {"name": "Ann Berg", "password": PASSWORD}
    for site in ("cross-site", "same-site"):
        assert client.post("/sign-in", data=form, headers={"Sec-Fetch-Site": site}).status_code == 403
    assert client.post("/sign-in", data=form, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 303


@pytest.mark.parametrize("host", ["http://192.168.1.20:8000", "http://streets.lan", "http://127.0.0.1.evil.example"])
def test_over_plain_http_from_another_computer_signing_in_is_explained(client: TestClient, host: str) -> None:
    _, token = add_user(register(client), CONSOLE, "Ann Berg", ["clerk"])
    for path in ("/sign-in", f"/link/{token}"):
        answer = client.get(f"{host}{path}")
        assert "Signing in does not work at this address" in answer.text
        assert 'href="/help#https"' in answer.text
        assert "<button" not in answer.text
        refused = client.post(f"{host}{path}", data={"name": "Ann Berg", "password": PASSWORD})
        assert "Set-Cookie" not in refused.headers
    assert 'id="https"' in client.get("/help").text
    assert client.post(f"/link/{token}").status_code == 303  # it was not used up


@pytest.mark.parametrize("host", ["http://localhost:8000", "http://127.0.0.1:8123", "http://[::1]:8000"])
def test_on_the_computer_that_serves_signing_in_works_without_https(client: TestClient, host: str) -> None:
    assert 'name="password"' in client.get(f"{host}/sign-in").text


def test_a_page_that_needs_a_sign_in_is_come_back_to(client: TestClient) -> None:
    answer = client.get("/users?q=ann&sort=-name")
    assert answer.headers["Location"] == "/sign-in?next=%2Fusers%3Fq%3Dann%26sort%3D-name"
    assert 'name="next" value="/users?q=ann&amp;sort=-name"' in client.get(answer.headers["Location"]).text
    sent = client.post("/users", headers={"Referer": "https://testserver/users"})
    assert sent.headers["Location"] == "/sign-in?next=%2Fusers&ended=yes"
    sent = client.post("/users", headers={"Referer": "https://testserver/users?q=ann&sort=-name"})
    assert sent.headers["Location"] == "/sign-in?next=%2Fusers%3Fq%3Dann%26sort%3D-name&ended=yes"
    elsewhere = client.post("/users", headers={"Referer": "https://evil.example/x"})
    assert elsewhere.headers["Location"] == "/sign-in?ended=yes"


def test_whoever_sends_a_form_after_the_session_ended_is_told_that_nothing_was_done(client: TestClient) -> None:
    told = "Your session has ended; nothing was done."
    assert "Your session has ended" not in client.get("/sign-in").text
    assert told in client.get(client.post("/users").headers["Location"]).text
    signed_in(client, Role.ADMIN)
    assert "Your session has ended" not in client.get("/sign-in?ended=yes").text
    client.cookies.clear()
    client.cookies.set(COOKIE, "of a session that ended")
    page = client.get(client.get("/users").headers["Location"]).text
    assert ("Your session has ended." in page, told in page) == (True, False)


def test_the_head_of_each_page_says_who_is_signed_in(client: TestClient) -> None:
    assert ">Sign in</a>" in client.get("/").text
    signed_in(client, Role.CLERK, name="Ann <Berg>")
    for path in ("/", "/nonsense", "/users"):
        text = client.get(path).text
        assert "Ann &lt;Berg&gt;" in text
        assert "Sign out" in text
        assert 'href="/users"' not in text


def test_signing_out_ends_the_session(client: TestClient) -> None:
    form = signed_in(client, Role.CLERK)
    cookie = client.cookies.get(COOKIE)
    answer = client.post("/sign-out", data=form)
    assert answer.status_code == 303
    assert 'benton_session=""' in answer.headers["Set-Cookie"]
    client.cookies.clear()
    assert client.get("/account", headers={"Cookie": f"{COOKIE}={cookie}"}).status_code == 303


def test_an_account_lists_its_sessions_and_ends_them(client: TestClient) -> None:
    form = signed_in(client, Role.CLERK)
    database = register(client)
    with database.read() as connection:
        (mine,) = sessions.list_sessions(connection, user_id(database))
    with database.write() as connection:  # a second browser
        copied = {"token_hash": "0" * 64, "csrf": "x", "agent": "Mozilla/5.0 (iPhone) Version/18 Safari/604"}
        row = connection.execute(sa.select(session_rows).where(session_rows.c.id == mine.id)).mappings().one()
        other = connection.execute(
            session_rows.insert().values(**{**row, "id": mine.id + 1, **copied}).returning(session_rows.c.id)
        ).scalar_one()
    text = client.get("/account").text
    assert "2 sessions" in text
    assert "Safari on iPhone" in text
    assert client.post(f"/account/sessions/{other}/revoke", data=form).status_code == 303
    assert "1 session<" in client.get("/account").text
    assert client.post("/account/sessions/999/revoke", data=form).status_code == 404


def test_two_administrators_at_one_user_the_later_sees_the_last_state(client: TestClient) -> None:
    form = signed_in(client, Role.ADMIN)
    add_user(register(client), CONSOLE, "Bob", ["clerk"])
    path = f"/users/{user_id(register(client), 'Bob')}"
    assert client.post(f"{path}/roles", data={**form, "role": ["police"], "was": "clerk"}).status_code == 303
    late = client.post(f"{path}/roles", data={**form, "role": ["director"], "was": "clerk"})
    assert late.status_code == 409
    assert "changed meanwhile: they are now police" in late.text
    assert 'name="was" value="police"' in late.text
    assert re.search(r'value="police" checked', late.text)


@pytest.mark.parametrize(
    ("path", "data", "status", "told"),
    [
        ("/users", {"name": "ann BERG", "role": "clerk"}, 409, "a name no other user has"),
        ("/users", {"name": "", "role": "clerk"}, 422, "Enter 1 to 100 letters"),
        ("/users", {"name": "Bob"}, 422, "Choose one or more of dispatch"),
        ("/users", {"name": "Bob", "role": "boss"}, 422, "Found boss"),
        ("/keys", {"name": "", "role": "clerk"}, 422, "Enter 1 to 100 letters"),
        ("/account/password", {"new": "short", "again": "short"}, 422, "Found 5 characters"),
        ("/account/password", {"new": PASSWORD, "again": "another"}, 422, "The two are not the same"),
    ],
)
def test_a_fault_stands_beside_its_field(
    client: TestClient, path: str, data: dict[str, str], status: int, told: str
) -> None:
    form = signed_in(client, Role.ADMIN)
    before = state(register(client))
    answer = client.post(path, data={**form, **data})
    assert answer.status_code == status
    assert re.search(rf'class="fault" id="\w+-fault">[^<]*{told}', answer.text)
    assert 'aria-describedby="' in answer.text
    assert state(register(client)) == before


def form_token(html: str, action: str) -> str:
    found = re.search(rf'action="{action}".*?name="token" value="([\w-]+)"', html, re.DOTALL)
    assert found
    return found[1]


def test_the_form_of_a_new_key_makes_one_key_and_shows_it_once(client: TestClient) -> None:
    form = signed_in(client, Role.ADMIN)
    sent = {**form, "name": "Dispatch", "role": "dispatch", "token": form_token(client.get("/keys").text, "/keys")}
    faulty = client.post("/keys", data={**sent, "name": ""})  # nothing was made, so the form may be mended
    assert (faulty.status_code, form_token(faulty.text, "/keys") != sent["token"]) == (422, True)
    made = client.post("/keys", data=sent)
    secret = re.search(r'id="secret"[^>]*>(benton_[\w-]+)<', made.text)
    assert (made.status_code, secret is not None) == (201, True)
    again = client.post("/keys", data=sent)  # as a browser that reloads the page sends it
    assert again.status_code == 409
    assert "The key was made and shown already" in again.text
    assert secret is not None
    assert secret[1] not in again.text
    with register(client).read() as connection:
        assert [key.name for key in keys.list_keys(connection)] == ["Dispatch"]
    sent["token"] = form_token(again.text, "/keys")
    assert client.post("/keys", data=sent).status_code == 201  # a new form makes another


def test_the_form_of_a_new_link_makes_one_link_and_shows_it_once(client: TestClient) -> None:
    form = signed_in(client, Role.ADMIN)
    add_user(register(client), CONSOLE, "Bob", ["clerk"])
    path = f"/users/{user_id(register(client), 'Bob')}"
    sent = {**form, "token": form_token(client.get(path).text, f"{path}/link")}
    link = re.search(r"/link/[\w-]{43}", client.post(f"{path}/link", data=sent).text)
    assert link
    again = client.post(f"{path}/link", data=sent)
    assert (again.status_code, "The link was made and shown already" in again.text) == (409, True)
    assert client.get(link[0]).status_code == 200  # the first still works


def test_the_last_administrator_is_told_why_it_cannot_be_disabled(client: TestClient) -> None:
    form = signed_in(client, Role.ADMIN)
    answer = client.post(f"/users/{user_id(register(client))}/disable", data=form)
    assert answer.status_code == 409
    assert "Make somebody else an administrator first" in answer.text


def test_a_use_is_noted_every_few_minutes_and_not_at_each_request(client: TestClient) -> None:
    database = register(client)
    headers = by_key(database, Role.DISPATCH)
    writes = {database.changes.value}
    for _ in range(3):
        assert client.get("/api/v1/me", headers=headers).json()["roles"] == ["dispatch"]
        writes.add(database.changes.value)
    assert len(writes) == 2
    with database.read() as connection:
        (key,) = keys.list_keys(connection)
    assert key.used_at
    assert datetime.now(UTC) - key.used_at < timedelta(minutes=1)


@pytest.mark.parametrize("who", ["key", "session"])
def test_a_use_that_cannot_be_noted_now_holds_no_request_up(
    client: TestClient, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen to fail with `touch_key` and `touch_session` that wait: an answer came only when the writer had ended."""
    database = register(client)
    headers = by_key(database, Role.DISPATCH) if who == "key" else by_session(database, "Ann Berg", Role.DISPATCH)
    with database.write() as connection:
        connection.execute(sa.update(session_rows).values(seen_at=datetime.now(UTC) - timedelta(hours=1)))
    before = seen(database, who)
    monkeypatch.setattr("app.deps.AGAIN_S", 0.0)
    monkeypatch.setattr("app.deps._again", {})
    with database.write():
        asked = ThreadPoolExecutor(1).submit(client.get, "/api/v1/me", headers=headers)
        assert asked.result(10).json()["roles"] == ["dispatch"]
    assert seen(database, who) == before
    assert client.get("/api/v1/me", headers=headers).status_code == 200
    assert seen(database, who) != before


def seen(database: Database, who: str) -> datetime | None:
    """When the one key, or the one session, was last used."""
    column = api_keys.c.used_at if who == "key" else session_rows.c.seen_at
    with database.read() as connection:
        found: datetime | None = connection.execute(sa.select(column)).scalar_one()
    return found


# --- by API ---


def test_what_a_page_does_for_users_the_api_does(client: TestClient) -> None:
    headers = by_key(register(client), Role.ADMIN, name="the office")
    made = client.post("/api/v1/users", json={"name": "Bob", "roles": ["clerk"]}, headers=headers)
    assert made.status_code == 201
    user = made.json()
    assert user["link"].startswith("https://testserver/link/")
    assert (user["name"], user["roles"], user["active"], user["has_password"]) == ("Bob", ["clerk"], True, False)
    path = f"/api/v1/users/{user['id']}"
    changed = client.post(f"{path}/roles", json={"roles": ["police"], "was": ["clerk"]}, headers=headers)
    assert changed.json()["roles"] == ["police"]
    stale = client.post(f"{path}/roles", json={"roles": ["clerk"], "was": ["clerk"]}, headers=headers)
    assert (stale.status_code, stale.json()["title"]) == (409, "Changed meanwhile")
    assert client.post(f"{path}/disable", headers=headers).json()["active"] is False
    assert client.post(f"{path}/link", headers=headers).status_code == 409
    assert client.post(f"{path}/enable", headers=headers).json()["active"] is True
    assert client.post(f"{path}/link", headers=headers).json()["link"] != user["link"]
    assert [u["name"] for u in client.get("/api/v1/users?q=bo", headers=headers).json()["items"]] == ["Bob"]
    assert "link" not in client.get("/api/v1/users", headers=headers).json()["items"][0]
    assert client.post("/api/v1/users/999/disable", headers=headers).status_code == 404
    wrong = client.post("/api/v1/users", json={"name": "Cleo", "roles": ["boss"]}, headers=headers)
    assert wrong.json()["errors"][0]["field"] == "role"
    assert entries(register(client))[-1][1] == "the office"


def test_what_a_page_does_for_keys_the_api_does(client: TestClient) -> None:
    headers = by_key(register(client), Role.ADMIN)
    made = client.post("/api/v1/keys", json={"name": "Dispatch", "roles": ["dispatch"]}, headers=headers).json()
    theirs = {"Authorization": f"Bearer {made['key']}"}
    told = client.get("/api/v1/me", headers=theirs).json()
    assert (told["name"], told["permissions"]) == ("Dispatch", ["READ_911"])
    assert all("key" not in key for key in client.get("/api/v1/keys", headers=headers).json()["items"])
    assert client.post(f"/api/v1/keys/{made['id']}/revoke", headers=headers).json()["revoked_at"]
    refused = client.get("/api/v1/me", headers=theirs)
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert client.get("/api/v1/me").json()["known"] is False


def test_a_session_asks_the_api_too_and_writes_with_its_token(client: TestClient) -> None:
    form = signed_in(client, Role.ADMIN)
    asked = {"name": "Bob", "roles": ["clerk"]}
    assert client.get("/api/v1/me").json()["id"].startswith("user:")
    assert client.post("/api/v1/users", json=asked).status_code == 403
    assert client.post("/api/v1/users", json=asked, headers={"X-CSRF-Token": form["csrf"]}).status_code == 201
