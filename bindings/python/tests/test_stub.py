"""The stub describes the module, and users of it pass mypy."""

import subprocess
import sys

import sinew
from conftest import ROOT


def run(*arguments):
    result = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_stub_agrees_with_the_module():
    # The module inside the package, which maturin creates, has no stub of its own.
    run("-m", "mypy.stubtest", "sinew", "--ignore-missing-stub")
    assert set(sinew.__all__) >= {"load", "solve_many", "Puppet", "Renderer"}


def test_the_stub_has_the_docstrings_of_the_module():
    run(str(ROOT / "bindings" / "python" / "stub_docs.py"), "--check")


def test_users_pass_mypy(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "from numpy.typing import NDArray\n"
        "import sinew\n"
        "arm = sinew.Body.chain([(0, 0, 0), (0, 1, 0)])\n"
        "errors: NDArray[np.float64] = sinew.solve_many(arm, np.zeros((5, 3))).errors\n"
        "puppet = sinew.Puppet(sinew.mannequin())\n"
        "image = sinew.Renderer().render(puppet, (64, 64))\n"
        "names: list[str] = [report.name for report in puppet.update([sinew.Target(3, (0, 1, 0))])]\n"
    )
    run("-m", "mypy", "--strict", str(program))
    program.write_text("import sinew\nsinew.Goal('hand', (0, 1, 0))\n")
    result = subprocess.run([sys.executable, "-m", "mypy", str(program)], capture_output=True, text=True)
    assert result.returncode == 1 and "incompatible type" in result.stdout
