"""The officer's page: a place is shown with the number it would get, and the number is assigned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from app import acts, doubts, maps, registers
from app.assign import preview
from app.auth import Permission, Person, new_token
from app.considered import TakenError, Wanted, WrongParityError
from app.deps import AtlasDep, needs
from app.errors import status_of
from app.map_versions import Atlas
from app.once import RepeatedError
from app.routes.asked import read_degrees, read_pair
from app.routes.forms import read_geojson
from app.routes.rendering import page, with_query
from app.routes.wording import display_words
from app.village import LONLAT, Village
from gis.errors import StreetsError

router = APIRouter(include_in_schema=False)
Json = dict[str, Any]
Officer = Annotated[Person, needs(Permission.ASSIGN)]
Typed = Annotated[str, Field(max_length=200)]
Outline = Annotated[str, Field(max_length=400_000)]
LONGEST_LINK = 6000
CHOOSE = "Choose the street that the main entrance fronts on: nearness alone gives no number."
BESIDE = 3
"""How many numbers in use are shown on either side."""


class Entered(BaseModel):
    """What an officer entered of an entrance, as typed."""

    lat: Typed = ""
    lon: Typed = ""
    street: Typed = ""
    number: Typed = ""
    suffix: Typed = ""
    reason: Annotated[str, Field(max_length=2000)] = ""
    doors: Typed = ""
    accuracy_ft: Typed = ""
    building: Outline = ""
    lot: Outline = ""
    middle: Annotated[str, Field(max_length=5, description="Whether the place is only the middle of a unit.")] = ""

    @property
    def link(self) -> str:
        """The address of the page that shows this."""
        return with_query("/assign", **self.model_dump(include=set(Entered.model_fields)))


class Posted(Entered):
    """The form as it was sent."""

    do: Annotated[str, Field(max_length=10)] = "look"
    token: Annotated[str, Field(max_length=100)] = ""
    shown: Typed = ""


class Doubtful(Entered):
    """An entrance whose number is in doubt."""

    question: Annotated[str, Field(max_length=2000)] = ""


@dataclass
class Look:
    """What the page shows of an entrance.

    Parameters
    ----------
    shown
        What `app.acts.shown` says; None where nothing can be said.
    faults
        What is wrong, by field.
    taken
        Who holds the number that was asked for.
    parity
        Whether the number asked for is of the other side.
    choices
        The streets it may front on, where a person must choose or has chosen.
    """

    shown: Json | None = None
    faults: dict[str, str] = field(default_factory=dict)
    taken: Json | None = None
    parity: bool = False
    choices: list[Json] = field(default_factory=list)

    @property
    def chosen(self) -> bool:
        """Whether the number is an officer's choice, which needs a reason."""
        return self.shown is not None and self.shown["number"] not in {
            self.shown["computed_number"],
            self.shown["suggested_number"],
        }

    @property
    def must_choose(self) -> bool:
        """Whether the street is still to be chosen."""
        return self.shown is not None and len(self.shown["candidates"]) > 1


# --- reading what was typed ---


def read(entered: Entered) -> tuple[Wanted | None, dict[str, str]]:
    """Read what was typed; what is wrong is said by field."""
    lat, lon = read_pair(entered.lat) or (entered.lat, entered.lon) if not entered.lon else (entered.lat, entered.lon)
    y, x = read_degrees(lat, "lat"), read_degrees(lon, "lon")
    faults = {}
    if y is None:
        faults["lat"] = "Enter the latitude as a number, such as 42.57239."
    if x is None:
        faults["lon"] = "Enter the longitude as a number, such as -90.38710."
    number = _whole(entered.number, 999_999, faults, "number", "Enter a whole number, such as 112, or leave it empty.")
    doors = _whole(entered.doors, 1000, faults, "doors", "Enter how many doors, 1 or more.")
    accuracy = _accuracy(entered.accuracy_ft, faults)
    shapes: Json = {name: _outline(getattr(entered, name), name, faults) for name in ("building", "lot")}
    if faults or x is None or y is None:
        return None, faults
    known: Json = {"street": entered.street or None, "suffix": entered.suffix, "reason": entered.reason.strip()}
    return Wanted(x, y, LONLAT, **known, number=number, doors=doors or 1, accuracy_ft=accuracy, **shapes), {}


def _whole(text: str, most: int, faults: dict[str, str], name: str, told: str) -> int | None:
    text = text.strip()
    if not text:
        return None
    if text.isascii() and text.isdigit() and 1 <= int(text) <= most:
        return int(text)
    faults[name] = told
    return None


def _accuracy(text: str, faults: dict[str, str]) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text) if text.isascii() else -1.0
    except ValueError:
        value = -1.0
    if 0 <= value <= 10_000:
        return value
    faults["accuracy_ft"] = "Enter the accuracy in feet, such as 16, or leave it empty."
    return None


def _outline(text: str, name: str, faults: dict[str, str]) -> Json | None:
    if not text.strip():
        return None
    try:
        return read_geojson(text, name)
    except StreetsError as error:
        found = error.faults[0].found
    faults[name] = f"Paste a GeoJSON Polygon in longitude and latitude, or leave it empty; found {found}."
    return None


def fault_of(error: StreetsError, known: Mapping[str, str]) -> dict[str, str]:
    """Return what an error says, under the field it is about; under ``""`` where it is about none of the page's."""
    found = [(_field(fault.field, known), fault) for fault in error.faults]
    own = "" if error.message in map(str, error.faults) else f"{error.message} "
    told = {name: f"{own}Found {f.found}; expected {f.expected}." for name, f in found}
    return {name: " ".join(text.split()) for name, text in told.items()} or {"": str(error.message)}


def _field(name: str, known: Mapping[str, str]) -> str:
    own = {"x, y": "lat", "x": "lat", "y": "lat", "crs": "lat"}.get(name, name.partition(".")[0].partition("[")[0])
    return own if own in known else ""


# --- the page ---


@router.api_route("/assign", methods=["GET", "HEAD"])
def assign_page(request: Request, person: Officer, atlas: AtlasDep, entered: Annotated[Entered, Query()]) -> Response:
    """Show which number an entrance would get and what is doubtful about it; nothing is stored."""
    if not (entered.lat or entered.lon):
        return _page(request, atlas, entered, Look())
    return _page(request, atlas, entered, look(atlas, entered))


@router.post("/assign")
def assign(request: Request, person: Officer, atlas: AtlasDep, posted: Annotated[Posted, Form()]) -> Response:
    """Assign the number that was shown, or show what has changed in between."""
    entered = Entered(**posted.model_dump(include=set(Entered.model_fields)))
    wanted, faults = read(entered)
    unseen = wanted is not None and wanted.number is not None and str(wanted.number) != posted.shown
    if posted.do != "assign" or unseen:  # a number that was typed is shown with its warnings before it is given
        if (entered.lat or entered.lon) and len(entered.link) <= LONGEST_LINK:
            return RedirectResponse(entered.link, HTTPStatus.SEE_OTHER)
        return _page(request, atlas, entered, look(atlas, entered))
    if wanted is None:
        return _page(request, atlas, entered, Look(faults=faults))
    if wanted.number is None:
        wanted = replace(wanted, number=_whole(posted.shown, 999_999, {}, "", ""))
    with atlas.database.read() as connection:
        before = acts.answer_of(connection, person.actor, posted.token) if posted.token else None
    if before is None:
        found = look(atlas, replace_number(entered))
        if found.must_choose:
            found.faults["street"] = CHOOSE
        if found.faults:
            return _page(request, atlas, entered, found)
    return _assigned(request, atlas, person, entered, wanted, posted.token, before)


@router.post("/doubts")
def raise_doubt(request: Request, person: Officer, atlas: AtlasDep, posted: Annotated[Doubtful, Form()]) -> Response:
    """Put a doubt about an entrance's number before the Clerk-Treasurer (§ 288-15 J)."""
    entered = Entered(**posted.model_dump(include=set(Entered.model_fields)))
    wanted, faults = read(entered)
    if wanted is None:
        return _page(request, atlas, entered, Look(faults=faults))
    try:
        with atlas.database.write() as connection:
            row = doubts.raise_doubt(atlas, connection, person.actor, wanted, posted.question)
    except StreetsError as error:
        found = look(atlas, replace_number(entered))
        found.faults = fault_of(error, posted.model_dump()) | found.faults
        return _page(request, atlas, entered, found, status=status_of(error)[0])
    return RedirectResponse(f"/doubts/{row['id']}", HTTPStatus.SEE_OTHER)


def replace_number(entered: Entered) -> Entered:
    """Return an entrance without the number an officer asked for."""
    return entered.model_copy(update={"number": ""})


def _assigned(
    request: Request, atlas: Atlas, person: Person, entered: Entered, wanted: Wanted, token: str, before: Json | None
) -> Response:
    try:
        answer = acts.assign(atlas, person.actor, wanted, token)
    except TakenError as error:
        return _taken(request, atlas, entered, error)
    except RepeatedError:
        return _page(request, atlas, entered, look(atlas, entered), used=before, status=HTTPStatus.CONFLICT)
    except StreetsError as error:
        found = look(atlas, replace_number(entered))
        found.faults = fault_of(error, entered.model_dump()) | found.faults
        found.parity = isinstance(error, WrongParityError)
        return _page(request, atlas, entered, found, status=status_of(error)[0])
    if answer.assigned:
        return RedirectResponse(f"/addresses/{answer.content['id']}?done=assigned", HTTPStatus.SEE_OTHER)
    return page(request, "assign_doubt.html", doubt=answer.content, e=entered)


def _taken(request: Request, atlas: Atlas, entered: Entered, error: TakenError) -> Response:
    """Tell who was given the number meanwhile, and show what is left."""
    found = look(atlas, replace_number(entered))
    found.taken = _holder(atlas, error)
    if entered.number:
        found.faults["number"] = str(error.message)
    return _page(request, atlas, entered, found, status=HTTPStatus.CONFLICT, meanwhile=not entered.number)


def _holder(atlas: Atlas, error: TakenError) -> Json:
    holder = dict(error.holder)
    if not holder:
        return {"address": "", "told": str(error.message)}
    with atlas.database.read() as connection:
        row = registers.located(connection, holder["id"])
    return {**holder, "by": row["made_by"], "at": row["made_at"]}


def look(atlas: Atlas, entered: Entered) -> Look:
    """Say what assigning would do, or what stands in its way."""
    wanted, faults = read(entered)
    if wanted is None:
        return Look(faults=faults)
    try:
        found = Look(acts.shown(atlas, wanted))
    except (TakenError, WrongParityError) as error:
        found = look(atlas, replace_number(entered))
        found.faults = {"number": str(error.message)} | found.faults
        found.parity = isinstance(error, WrongParityError)
        found.taken = _holder(atlas, error) if isinstance(error, TakenError) else None
        return found
    except StreetsError as error:
        return Look(faults=fault_of(error, entered.model_dump()))
    found.choices = _choices(atlas.village, wanted, found.shown)
    return found


def _choices(village: Village, wanted: Wanted, shown: Json | None) -> list[Json]:
    """Return the streets about as near, the chosen one among them; none where there is nothing to choose."""
    assert shown is not None
    every: list[Json] = shown["candidates"]
    if wanted.street:
        others = preview(village, wanted.x, wanted.y, explained=False)["candidates"]
        every = every + [c for c in others if c["street"] != shown["street"]]
    by_distance: Callable[[Json], float] = lambda c: float(c["distance_ft"])  # noqa: E731
    return sorted(every, key=by_distance) if len(every) > 1 else []


def _page(
    request: Request,
    atlas: Atlas,
    entered: Entered,
    found: Look,
    *,
    status: int = HTTPStatus.OK,
    used: Json | None = None,
    meanwhile: bool = False,
) -> Response:
    village, shown = atlas.village, found.shown
    if found.faults and status == HTTPStatus.OK:
        status = HTTPStatus.CONFLICT if found.taken else HTTPStatus.UNPROCESSABLE_ENTITY
    beside = _beside(shown) if shown else []
    more: Json = {"look": found, "shown": shown, "e": entered, "token": new_token(), "used": used}
    more |= {"beside": beside, "display": display_words(shown["set_back"]) if shown else None, "meanwhile": meanwhile}
    more |= {"script": maps.map_script(village), "needles": maps.needles(village)}
    return page(request, "assign.html", status, data=_drawn(village, entered, found, beside), **more)


def _beside(shown: Json) -> list[Json]:
    """Return the numbers in use next to the entrance's own, inward and outward."""
    near = shown["number"] or shown["computed_number"] or 0
    rising = sorted(shown["neighbours"], key=lambda n: (n["number"], n["suffix"]))
    inward, outward = [n for n in rising if n["number"] < near], [n for n in rising if n["number"] >= near]
    return [
        {**n, "number": f"{n['number']}{n['suffix']}", "value": n["number"]}
        for n in (*inward[-BESIDE:], *outward[:BESIDE])
    ]


def _drawn(village: Village, entered: Entered, found: Look, beside: list[Json]) -> Json:
    """Return what the map draws."""
    made: Json = {
        "village": f"Village of {village.files.settings.name}",
        "position": None,
        "answer": None,
        "views": {"all": maps.bounds(village), "core": maps.core(village)},
    }
    wanted, _ = read(entered)
    if wanted is None or found.shown is None:
        return made
    answer: Json = {"number": found.shown["number"], "explanation": found.shown["explanation"], "neighbours": beside}
    answer |= {"label": f"{found.shown['number'] or ''}{found.shown['suffix']}"}
    answer |= {name: _polygon(getattr(wanted, name)) for name in ("building", "lot")}
    answer |= {"set_back": (found.shown["set_back"] or {}).get("line")}
    return {**made, "position": [wanted.y, wanted.x], "accuracy_ft": wanted.accuracy_ft, "answer": answer}


def _polygon(shape: Json | None) -> Json | None:
    return shape.get("geometry", shape) if shape else None
