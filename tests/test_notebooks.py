"""The notebooks run from top to bottom and print what they show."""

import nbformat
import pytest
from nbclient import NotebookClient

from tests.readme import CHECKOUT

NOTEBOOKS = sorted((CHECKOUT / "notebooks").glob("*.ipynb"))


def shown(notebook):
    """Return the text output of each code cell."""
    return [
        [output.get("text") or output["data"]["text/plain"] for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_shows(path):
    kept = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)
    client = NotebookClient(fresh, timeout=120, kernel_name="python3")
    client.execute(cwd=str(path.parent))
    assert shown(fresh) == shown(kept)


def test_there_is_the_notebook_of_one_deal():
    assert "01_one_deal" in [path.stem for path in NOTEBOOKS]
