"""The project's own rules: what it may import, hold, name and depend on."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

TOP_LEVEL = {
    *("app", "gis", "data", "notebooks", "tests"),
    *("pyproject.toml", "constraints.txt", "run", ".ci", ".gitignore"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
}
# Written so that this file does not name them itself.
REGISTRY = re.compile(
    r"pypi[.]org|pythonhosted[.]org|npmjs[.](org|com)|yarnpkg[.]com|(deb|security|ftp)[.]debian[.]org|golang[.]org"
    r"|:[/]/\S+/simple\b|[-]index-url|--find[-]links|--trusted[-]host|Looking[ ]in[ ](indexes|links)"
    r"|\"resolved\": *\"http|resolved[ ]\"http",
    re.IGNORECASE,
)
OUTSIDE = re.compile(r"[.]{2}/shared\b|(?<![\w./*])/[w]ork(?![\w-])")
IMPURE = {
    *("app", "fastapi", "folium", "geopandas", "pydantic", "sqlalchemy"),
    *("os", "pathlib", "tomllib", "time", "io", "shutil", "socket", "sqlite3", "subprocess", "tempfile"),
}
IMPURE_CALLS = {"open", "input", "print", "now", "today", "utcnow"}


def project_files() -> list[Path]:
    """Every file that is in the repository or about to be, relative to its root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        paths = [Path(name) for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive, or no git
        ignored = [".git", *(line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split())]
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        paths = [path for path in paths if not any(fnmatch(part, name) for part in path.parts for name in ignored)]
    return sorted(path for path in paths if (ROOT / path).is_file())


def modules(*packages: str) -> list[Path]:
    return [path for path in project_files() if path.suffix == ".py" and path.parts[0] in packages]


def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def called(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "id", getattr(node.func, "attr", ""))


def lines_matching(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()[:120]}"
        for path in paths
        for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pinned}


def project_table() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_top_level_holds_only_what_the_architecture_names() -> None:
    assert {path.parts[0] for path in project_files()} - TOP_LEVEL == set()


def test_no_file_names_a_package_registry() -> None:
    assert lines_matching(REGISTRY, project_files()) == []


def test_nothing_refers_to_a_folder_outside_the_project() -> None:
    assert lines_matching(OUTSIDE, project_files()) == []


def test_the_geometry_core_imports_nothing_that_touches_the_world() -> None:
    assert [(str(path), name) for path in modules("gis") for name in imported(path) if name in IMPURE] == []


def test_the_geometry_core_reads_no_file_or_clock_and_prints_nothing() -> None:
    assert [(str(path), name) for path in modules("gis") for name in called(path) if name in IMPURE_CALLS] == []


def test_a_module_stays_under_500_lines() -> None:
    lengths = {str(path): len((ROOT / path).read_text().splitlines()) for path in modules("app", "gis")}
    assert {path: length for path, length in lengths.items() if length >= 500} == {}


def test_no_function_is_over_60_lines() -> None:
    long = [
        f"{path}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
        for path in modules("app", "gis", "notebooks")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno
        and node.end_lineno - node.lineno + 1 > 60
    ]
    assert long == []


def test_every_module_has_a_row_in_the_layers() -> None:
    tool = project_table()["tool"]
    assert isinstance(tool, dict)
    (layers,) = [row["layers"] for row in tool["importlinter"]["contracts"] if row["id"] == "layers"]
    placed = set(re.findall(r"[\w.]+", " ".join(layers)))
    found = {".".join(path.with_suffix("").parts[:2]) for path in modules("app", "gis")}
    assert found - placed - {"app.__init__", "gis.__init__"} == set()


def test_constraints_are_plain_pins() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    odd = [line for line in lines if not re.fullmatch(r"#.*|[\w.-]+==[\w.!+]+", line)]
    assert odd == []
    assert len(lines) > 50


def test_every_direct_dependency_is_pinned() -> None:
    table = project_table()
    project, build = table["project"], table["build-system"]
    assert isinstance(project, dict)
    assert isinstance(build, dict)
    wanted = [*project["dependencies"], *build["requires"]]
    wanted += [name for names in project["optional-dependencies"].values() for name in names]
    pinned = pins()
    for requirement in map(Requirement, wanted):
        name = canonicalize_name(requirement.name)
        assert name in pinned
        assert requirement.specifier.contains(pinned[name]), requirement


def test_run_lists_its_commands_and_refuses_others() -> None:
    listed = subprocess.run([ROOT / "run", "help"], capture_output=True, text=True, check=True).stdout
    script = (ROOT / "run").read_text()
    for command in ("install", "test", "lint", "format", "bench", "torture", "lock", "help"):
        assert re.search(rf"^\./run {command}\b", listed, re.MULTILINE)
        assert re.search(rf"^  {command}\b.*\)", script, re.MULTILINE)
    unknown = subprocess.run([ROOT / "run", "nonsense"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 2
    assert listed in unknown.stderr


def test_the_scripts_can_be_run() -> None:
    assert all((ROOT / script).stat().st_mode & 0o111 for script in ("run", ".ci/run"))


def test_a_public_function_of_the_core_documents_what_it_takes_and_gives() -> None:
    wanting = []
    for path in modules("gis"):
        for name, function in public_functions(ast.parse((ROOT / path).read_text()).body):
            text = ast.get_docstring(function) or ""
            arguments = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)} - {"self", "cls"}
            gives = not (isinstance(function.returns, ast.Constant) and function.returns.value is None)
            if (arguments and "Parameters\n" not in text) or (gives and "Returns\n" not in text):
                wanting.append(f"{path}: {name}")
    assert wanting == []


def public_functions(body: list[ast.stmt], within: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body, f"{node.name}.")
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            decorators = {ast.unparse(d) for d in node.decorator_list}
            if not decorators & {"property", "overload"}:
                yield within + node.name, node
