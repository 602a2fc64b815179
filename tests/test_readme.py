"""What the README and the open documents say is so."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from app.cli import app
from app.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<id>[A-Z]{2}-\d+) \| (?P<section>§ [^|]+) \| (?P<provision>[^|]+) \| (?P<status>[^|]+) "
    r"\| (?P<where>[^|]*) \| (?P<test>[^|]*) \|$",
    re.M,
)
ROWS = [match.groupdict() for match in ROW.finditer(README)]
COUNTS = {  # of the provisions of chapters 288 and 130
    **{"SW": 8, "EX": 36, "OB": 11, "SP": 14, "SN": 12, "TE": 5, "MB": 8, "VC": 1, "IM": 1, "DU": 2, "DI": 1},
    **{"NU": 23, "DA": 2, "CG": 8, "BU": 51},
}


def test_the_table_has_every_provision_once() -> None:
    ids = [row["id"] for row in ROWS]
    assert len(ids) == len(set(ids)) == 183
    found = {prefix: sum(i.startswith(prefix + "-") for i in ids) for prefix in {i[:2] for i in ids}}
    assert {prefix: COUNTS.get(prefix) for prefix in found} == found


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_provision_has_a_status_and_what_is_done_its_code_and_test(row: dict[str, str]) -> None:
    assert row["status"] in {"done", "partly", "not yet"}
    named = re.findall(r"`([^`]+)`", f"{row['where']} {row['test']}")
    assert bool(named) == (row["status"] != "not yet")
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_command_and_its_options_are_described() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        assert f"benton-streets {name}" in README
        options = [o for p in command.params for o in p.opts if o.startswith("--") and o not in {"--help", "--data"}]
        assert [option for option in options if option not in README] == []


def test_every_setting_is_described() -> None:
    assert [name for name in Settings.model_fields if Settings.variable(name) not in README] == []


def test_every_file_linked_is_there() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_functions_it_names_are_there() -> None:
    for name in re.findall(r"`(gis\.\w+\.\w+)`", README):
        module, _, function = name.rpartition(".")
        text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        assert f"def {function}(" in text, name
