"""No field of any page and no part of any path, whatever is typed into it, makes the service fail.

Seen to fail before: a lot nested 100,000 deep (RecursionError) and an id of 23 digits in the list of a renumbering
(OverflowError), each with the status 500.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from app.routes.forms import MOST_DEEP, read_day, read_geojson, read_number, read_whole
from gis.errors import StreetsError
from tests.test_address_pages import Town, text_of, town

__all__ = ["town"]

DEEP = '{"type":"Polygon","coordinates":' + "[" * 100_000 + "]" * 100_000 + "}"
LONG_NUMBER = "9" * 23
ENDLESS = "1e400"
DEVANAGARI = "१२"
SUPERSCRIPT = "²"
HALF_A_PAIR = '{"type":"Polygon","coordinates":[],"properties":"\\ud800"}'
HOSTILE = (LONG_NUMBER, "-1", ENDLESS, "nan", DEVANAGARI, SUPERSCRIPT, DEEP, HALF_A_PAIR)
USUAL = {"do": "assign", "choice": "number", "kind": "hundred", "number": "12", "decision": "d", "reason": "because"}
USUAL |= {"id": "1", "at_ft": "10", "half": "North", "street": "Main Street", "name": "Ann Berg", "roles": "clerk"}


def nested(deep: int) -> str:
    """A polygon whose brackets stand so deep in each other, the object's own among them."""
    return '{"type":"Polygon","coordinates":' + "[" * (deep - 1) + "]" * (deep - 1) + "}"


# --- what is pasted ---


@pytest.mark.parametrize("name", ["lot", "building"])
@pytest.mark.parametrize("deep", [MOST_DEEP, MOST_DEEP + 1, 300, 900, 100_000])
def test_an_outline_nested_deep_is_told_beside_its_field(town: Town, name: str, deep: int) -> None:
    """Within the bound it is refused as no polygon, and never with a failure of the service."""
    address = town.add(50, 10, street="Van Buren Street")
    for do in ("look", "assign"):
        page = town.post("/assign", do=do, **town.at(100, 40), **{name: nested(deep)})
        told = town.client.get(page.headers["Location"], headers=town.who["director"]) if page.is_redirect else page
        assert told.status_code == 422
        assert f'id="{name}-fault"' in told.text
        assert ("more than 20 deep" in text_of(told.text)) == (deep > MOST_DEEP)
    form = town.get(f"/addresses/{address}/correct", "director")
    sent = town.sent(form, f"/addresses/{address}/correct", **{name: nested(deep), "reason": "surveyed"})
    assert sent.status_code == 422
    assert f'id="{name}-fault"' in sent.text
    question = town.post("/doubts", **town.at(100, 40), question="Which?", **{name: nested(deep)})
    assert question.status_code == 422
    assert f'id="{name}-fault"' in question.text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "nothing"),
        ("[]", "[]"),
        ("{", "{"),
        ("9" * 5000, "9" * 60),
        ("[" * 100_000, "brackets more than 20 deep"),
        ("[" * 30 + "]" * 30, "[" * 30 + "]" * 30),
    ],
)
def test_what_is_no_object_is_named(text: str, found: str) -> None:
    with pytest.raises(StreetsError) as refused:
        read_geojson(text, "lot")
    assert (refused.value.faults[0].field, refused.value.faults[0].found) == ("lot", found)


# --- numbers ---


@pytest.mark.parametrize("text", [LONG_NUMBER, ENDLESS, DEVANAGARI, SUPERSCRIPT, "-1", "", "1000000"])
def test_a_whole_number_out_of_bounds_or_in_other_digits_is_refused(text: str) -> None:
    with pytest.raises(StreetsError):
        read_whole(text, "number", "a whole number, 1 to 999999")


def test_the_bounds_of_a_whole_number_are_within() -> None:
    assert [read_whole(text, "number", "") for text in ("0", "999999")] == [0, 999_999]
    with pytest.raises(StreetsError):
        read_whole("0", "number", "", least=1)


@pytest.mark.parametrize("text", [LONG_NUMBER, ENDLESS, DEVANAGARI, SUPERSCRIPT, "१२/०६/२०२६", "१२.५"])
def test_a_length_or_day_in_other_digits_or_without_end_is_refused(text: str) -> None:
    for read in (lambda: read_number(text, "value", "a length"), lambda: read_day(text)):
        with pytest.raises(StreetsError):
            read()


@pytest.mark.parametrize("text", [LONG_NUMBER, "2000000001", "0", "-1", "1e400", SUPERSCRIPT])
def test_an_id_out_of_bounds_in_a_renumbering_is_refused_with_words(town: Town, text: str) -> None:
    address = town.add(50, 10, street="Van Buren Street")
    for ids in ([text], [str(address), text]):
        answer = town.post(f"/addresses/{address}/renumber", id=ids, number=["14"] * len(ids), reason="r")
        assert answer.status_code == 422
    assert town.row(address)["number"] == 12


# --- every field of every page ---


def asked(town: Town) -> Iterator[tuple[str, str, str, list[str]]]:
    """Every route of the service, with its method, its fields and where they stand."""
    for route in iter_route_contexts(town.client.app.routes):  # type: ignore[attr-defined]
        path, dependant = str(route.path), getattr(route, "dependant", None)
        if dependant is None:
            continue
        for method in sorted((route.methods or set()) - {"HEAD"}):
            yield method, path, "path", [field.alias for field in dependant.path_params]
            yield method, path, "query", list(names(dependant.query_params))
            body = [field for field in dependant.body_params if "Form" in type(field.field_info).__name__]
            yield method, path, "form", list(names(body))


def names(fields: list[Any]) -> Iterator[str]:
    for field in fields:
        members = getattr(field.field_info.annotation, "model_fields", None)
        yield from members if members else [field.alias]


def test_no_field_or_path_makes_the_service_fail(town: Town) -> None:
    """Each is given each hostile value in turn, the others what is usual; the addresses stay as they are."""
    address = town.add(50, 10, street="Van Buren Street")
    client = TestClient(town.client.app, base_url="https://testserver", follow_redirects=False)
    client.headers.update(town.who["director"])
    usual = {**USUAL, **town.at(100, 40), "id": str(address)}
    tried, failed = 0, []
    for method, path, kind, fields in asked(town):
        if path.startswith(("/sign-out", "/account/password")):
            continue  # it would end the session
        for name, value in product(fields, HOSTILE):
            if kind != "form" and len(value) > 2000:
                continue  # a server refuses so long a path
            tried += 1
            try:
                send(client, method, path, kind, fields, {**usual, name: value}, name)
            except Exception as error:  # what no handler of errors took
                failed.append(f"{method} {path} {kind} {name}={value[:60]}: {error!r:.300}")
    assert not failed, "\n".join(failed)
    assert tried > 400
    assert town.row(address)["number"] == 12


def send(
    client: TestClient, method: str, path: str, kind: str, fields: list[str], given: dict[str, str], hostile: str
) -> Any:
    place = {m: given[m] if kind == "path" and m == hostile else "1" for m in re.findall(r"\{(\w+)", path)}
    place |= {m: "Main Street" for m in place if m in {"name", "street"} and m != hostile}
    url = re.sub(r"\{(\w+)(:\w+)?\}", lambda m: place[m[1]], path)
    values = {name: given.get(name, "1" if name == hostile else "") for name in fields}
    if kind == "path":
        return client.request(method, url)
    if kind == "query":
        return client.request(method, url, params=values)
    return client.request(method, url, data=values)
