"""The notebooks and the examples in the documents run and print what they say."""

import contextlib
import io
import json
import re

import numpy as np
import pytest
from conftest import ROOT

import sinew

PYTHON = ROOT / "bindings" / "python"
NOTEBOOKS = PYTHON / "notebooks"


def run(name, monkeypatch):
    """Runs the cells of a notebook in its folder, and returns their names."""
    monkeypatch.chdir(NOTEBOOKS)
    notebook = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names = {}
    for cell in cells:
        exec(compile(cell, name, "exec"), names)
    return names


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_short_and_have_no_outputs(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert sum(1 for cell in cells for line in cell["source"] if line.strip()) <= 40
    # Outputs would contain the paths and the adapter of the machine on which they were made.
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells)
    assert path.stem in (PYTHON / "README.md").read_text(encoding="utf-8")


def test_an_arm_follows_a_circle(monkeypatch):
    names = run("circle.ipynb", monkeypatch)
    assert names["path"].reached.all() and names["steps"].max() < 0.1
    assert np.abs(names["transforms"][:, :3, 3] - names["circle"]).max() < 2e-7
    if names["pinocchio"]:
        assert names["difference"] < 1e-12


def test_a_character_reaches_and_is_drawn(monkeypatch):
    names = run("draw.ipynb", monkeypatch)
    assert names["reports"][0].reached and names["vertices"].shape[1] == 3
    if hasattr(sinew, "Renderer"):
        assert names["picture"].size == (480, 360) and names["pixels"].std() > 10
    else:
        assert names["picture"] is None


def test_a_motion_moves_to_another_body(monkeypatch):
    names = run("retarget.ipynb", monkeypatch)
    assert names["length"] > 2 * names["doll_length"] and max(names["angles"]) < 15
    assert sinew.load(names["glb"]).nodes


def test_ten_thousand_poses_are_solved_in_one_call(monkeypatch):
    names = run("many.ipynb", monkeypatch)
    assert names["solutions"].reached.all() and names["solutions"].q.shape == (10_000, 6)
    assert names["error"] < 2e-6


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
