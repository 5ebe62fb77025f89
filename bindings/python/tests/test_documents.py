"""The notebook and the examples in the documents run and print what they say."""

import contextlib
import io
import json
import re

import numpy as np
import pytest
from conftest import ROOT

PYTHON = ROOT / "bindings" / "python"


def test_the_notebook_runs_from_top_to_bottom():
    text = (PYTHON / "reach.ipynb").read_text(encoding="utf-8")
    notebook = json.loads(text)
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    lines = [line for cell in cells for line in cell.splitlines() if line.strip()]
    assert len(lines) <= 15
    # Outputs would contain the paths and the adapter of the machine on which they were made.
    assert all(not cell.get("outputs") for cell in notebook["cells"])
    names = {}
    for cell in cells:
        exec(compile(cell, "reach.ipynb", "exec"), names)
    assert names["reports"][0].reached
    assert names["image"].shape == (360, 480, 4) and names["vertices"].shape[1] == 3
    assert names["solutions"].rotations.shape == (10_000, 4, 4) and np.all(names["solutions"].reached)


@pytest.mark.parametrize("page", [PYTHON / "README.md", ROOT / "docs" / "bindings.md"])
def test_examples_print_what_the_page_says(page, tmp_path, monkeypatch):
    """Each Python block is followed by a text block with its output."""
    monkeypatch.chdir(tmp_path)
    pairs = re.findall(r"```python\n(.*?)```\n+(?:[^\n]+\n+)?```text\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    assert pairs
    for program, expected in pairs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, page.name, "exec"), {})
        assert printed.getvalue() == expected
