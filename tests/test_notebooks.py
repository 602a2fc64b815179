"""Every notebook runs from top to bottom."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.filterwarnings("default")  # the kernel's own libraries warn; the cells' errors still fail
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_is_stored_with(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    stored = [printed(cell) for cell in notebook.cells]
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(path.parent.parent))
    assert [printed(cell) for cell in notebook.cells] == stored


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.get("outputs", []))
