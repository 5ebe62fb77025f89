#!/usr/bin/env python3
"""Solves the targets of `sinew bench --table panda` with sinew and other solvers from Python, and prints a Markdown table.

    cargo run --release --no-default-features --features cli -- bench --table panda --methods dls --targets target/panda.json
    python3 -m venv target/peers && target/peers/bin/python -m pip install ./bindings/python
    python3 benches/peers/panda.py target/panda.json

The other packages are installed from PyPI into the virtual environment in target/peers. A package that cannot be installed is listed with
the cause. Errors are computed by this script's own forward kinematics, so that they do not depend on the solver. A pose counts if the
position error in metres and the orientation error in radians are within the tolerance, and all angles are within their limits to 1e-6.

Times are processor times of a call from Python for one pose, summed over all threads, because wall times depend on what else a machine
does. Each pose is solved three times. The shortest time and the first result count.

Pinocchio, pink and mink have no global solver. Their rows are loops in Python that restart from random angles (`panda_solvers.py`).
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "target" / "peers"
# Package on PyPI, and the module that it provides. pytracik and tracikpy are two bindings to the same TRAC-IK.
PACKAGES = {
    "sinew-ik": "sinew",
    "optik-py": "optik",
    "pytracik": "trac_ik",
    "tracikpy": "tracikpy",
    "pin": "pinocchio",
    "pin-pink": "pink",
    "mink": "mink",
    "almond-pyroki": "pyroki",
}
# In metres and radians.
TOLERANCES = (1e-6, 1e-4)
# In radians.
ROUNDING = 1e-6


def enter_environment():
    """Restarts the script inside the virtual environment, which is created if necessary."""
    python = VENV / "bin" / "python"
    if Path(sys.prefix).resolve() == VENV.resolve():
        return
    if not python.exists():
        venv.create(VENV, with_pip=True)
    os.execv(python, [str(python), *sys.argv])


def install():
    """Installs the packages. Returns the causes of those that are missing."""
    def pip(*packages):
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    pip("numpy")
    missing = {}
    for package, module in PACKAGES.items():
        try:
            importlib.import_module(module)
            continue
        except ImportError:
            pass
        # PyPI has no sinew-ik yet.
        result = pip(str(ROOT / "bindings" / "python") if package == "sinew-ik" else package)
        importlib.invalidate_caches()
        try:
            importlib.import_module(module)
        except ImportError as error:
            lines = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
            missing[package] = lines[-1] if lines else str(error)
    return missing


class Arm:
    """The arm of a targets file."""

    def __init__(self, data):
        import numpy as np

        self.np = np
        self.joints = data["joints"]
        self.flange = np.array(data["flange"])
        self.start = np.array([j["start"] for j in self.joints])
        self.low = np.array([j["range"][0] for j in self.joints])
        self.high = np.array([j["range"][1] for j in self.joints])
        self.axes = [np.array(j["axis"]) for j in self.joints]
        self.rests = [self.matrix(j["rest"]) for j in self.joints]
        self.offsets = [np.array(j["offset"]) for j in self.joints]

    def matrix(self, quaternion):
        """Returns the rotation matrix of a quaternion x, y, z, w."""
        x, y, z, w = quaternion
        return self.np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ])

    def forward(self, angles):
        """Returns the position and the rotation matrix of the flange."""
        np = self.np
        position, rotation = np.zeros(3), np.eye(3)
        for offset, rest, axis, angle in zip(self.offsets, self.rests, self.axes, angles):
            position = position + rotation @ offset
            half = np.sin(angle / 2) * axis
            rotation = rotation @ rest @ self.matrix([*half, np.cos(angle / 2)])
        return position + rotation @ self.flange, rotation

    def errors(self, angles, target):
        """Returns the position error in metres and the orientation error in radians. Angles beyond the limits fail."""
        np = self.np
        # Some solvers store the limits in single precision.
        if angles is None or np.any(angles < self.low - ROUNDING) or np.any(angles > self.high + ROUNDING):
            return np.inf, np.inf
        position, rotation = self.forward(angles)
        delta = rotation.T @ self.matrix(target[3:])
        sine = 0.5 * np.linalg.norm(
            [delta[2, 1] - delta[1, 2], delta[0, 2] - delta[2, 0], delta[1, 0] - delta[0, 1]])
        return np.linalg.norm(position - target[:3]), np.arctan2(sine, 0.5 * (np.trace(delta) - 1))

    def transform(self, target):
        """Returns the 4×4 matrix of a target."""
        matrix = self.np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = self.matrix(target[3:]), target[:3]
        return matrix

    def urdf(self, inertial=""):
        """Returns the arm as URDF, with a fixed joint from the last link to the flange. `inertial` is added to each link."""
        np = self.np
        parts = ['<robot name="arm"><link name="link0"/>']
        link = f">{inertial}</link>" if inertial else "/>"

        def origin(offset, rotation):
            pitch = np.arcsin(np.clip(-rotation[2, 0], -1, 1))
            roll = np.arctan2(rotation[2, 1], rotation[2, 2])
            yaw = np.arctan2(rotation[1, 0], rotation[0, 0])
            xyz = " ".join(f"{v:.17g}" for v in offset)
            return f'<origin xyz="{xyz}" rpy="{roll:.17g} {pitch:.17g} {yaw:.17g}"/>'

        for i, joint in enumerate(self.joints):
            axis = " ".join(f"{v:.17g}" for v in joint["axis"])
            low, high = joint["range"]
            parts.append(
                f'<link name="link{i + 1}"{link}<joint name="joint{i + 1}" type="revolute">'
                f'<parent link="link{i}"/><child link="link{i + 1}"/>{origin(self.offsets[i], self.rests[i])}'
                f'<axis xyz="{axis}"/><limit lower="{low:.17g}" upper="{high:.17g}" effort="1" velocity="1"/></joint>')
        parts.append(
            f'<link name="flange"{link}<joint name="flange_joint" type="fixed"><parent link="link{len(self.joints)}"/>'
            f'<child link="flange"/>{origin(self.flange, np.eye(3))}</joint></robot>')
        return "".join(parts)


def row(name, arm, solve, targets, seconds, repeats):
    """Solves targets until the time is over, and returns a line of the table. The shortest time of each target counts."""
    import numpy as np

    times, errors = [], []
    solve(targets[0])
    ends = time.perf_counter() + seconds
    for target in targets:
        shortest = float("inf")
        for attempt in range(repeats):
            started = time.process_time()
            angles = solve(target)
            shortest = min(shortest, time.process_time() - started)
            if attempt == 0:
                errors.append(arm.errors(None if angles is None else np.asarray(angles), target))
        times.append(shortest)
        if time.perf_counter() > ends:
            break
    errors, times = np.array(errors), 1e6 * np.array(times)
    within = [f"{np.mean((errors <= tolerance).all(axis=1)):.2%}".replace("%", " %") for tolerance in TOLERANCES]
    numbers = [f"{value:,.0f} µs" for value in (np.median(times), np.mean(times), np.quantile(times, 0.99))]
    return f"| {' | '.join([name, f'{len(times):,}', *within, *numbers])} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", type=Path, help="file written by `sinew bench --table panda --targets FILE.json`")
    parser.add_argument("--cases", type=int, default=None, help="number of targets to solve [default: all]")
    parser.add_argument("--seconds", type=float, default=60, help="time limit of each solver [default: 60]")
    parser.add_argument("--repeats", type=int, default=3, help="number of times that each target is solved [default: 3]")
    args = parser.parse_args()
    enter_environment()
    missing = install()
    from panda_solvers import SOLVERS

    data = json.loads(args.targets.read_text())
    arm, targets = Arm(data), data["targets"][: args.cases]
    print("| solver | poses | ≤ 1e-6 | ≤ 1e-4 | median | mean | p99 |")
    print("|---|---|---|---|---|---|---|")
    for package in PACKAGES:
        if package in missing:
            print(f"| {package} | not installed: {missing[package]} | | | | | |")
        elif package not in SOLVERS:
            print(f"| {package} | not called by this script | | | | | |")
        else:
            name = f"{package} {importlib.metadata.version(package)}"
            print(row(name, arm, SOLVERS[package](arm), targets, args.seconds, args.repeats), flush=True)


if __name__ == "__main__":
    main()
