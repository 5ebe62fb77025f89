#!/usr/bin/env python3
"""Solves the targets of `sinew bench --table panda` with other solvers, and prints the same columns.

    cargo run --release --no-default-features --features cli -- bench --table panda --methods dls --targets target/panda.json
    python3 benches/peers/panda.py target/panda.json

The packages are installed from PyPI into a virtual environment in target/peers. A package that cannot be installed is
listed with the cause. Errors are computed by this script's own forward kinematics, so that they do not depend on the
solver. Times include the call from Python. `pin` has no solver of its own: the row is damped least squares with random
restarts on Pinocchio's kinematics and Jacobians, as in its documentation, with a loop in Python.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "target" / "peers"
# Package on PyPI, and the module that it provides. pytracik and tracikpy are two bindings to the same TRAC-IK.
PACKAGES = {"pin": "pinocchio", "optik": "optik", "tracikpy": "tracikpy", "pytracik": "trac_ik"}
# Fine and coarse tolerances for positions (metres) and orientations (radians).
FINE = (1e-6, 1e-6)
COARSE = (5e-3, 0.05)
# Time limit of TRAC-IK per pose in seconds, and iteration limit of damped least squares (including restarts).
TIMEOUT = 0.05
ITERATIONS = 500


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
        result = pip(package)
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
        if angles is None or np.any(angles < self.low - 1e-9) or np.any(angles > self.high + 1e-9):
            return np.inf, np.inf
        position, rotation = self.forward(angles)
        delta = rotation.T @ self.matrix(target[3:])
        sine = 0.5 * np.linalg.norm(
            [delta[2, 1] - delta[1, 2], delta[0, 2] - delta[2, 0], delta[1, 0] - delta[0, 1]])
        return np.linalg.norm(position - target[:3]), np.arctan2(sine, 0.5 * (np.trace(delta) - 1))

    def urdf(self):
        """Returns the arm as URDF, with a fixed joint from the last link to the flange."""
        np = self.np
        parts = ['<robot name="arm"><link name="link0"/>']

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
                f'<link name="link{i + 1}"/><joint name="joint{i + 1}" type="revolute">'
                f'<parent link="link{i}"/><child link="link{i + 1}"/>{origin(self.offsets[i], self.rests[i])}'
                f'<axis xyz="{axis}"/><limit lower="{low:.17g}" upper="{high:.17g}" effort="1" velocity="1"/></joint>')
        parts.append(
            f'<link name="flange"/><joint name="flange_joint" type="fixed"><parent link="link{len(self.joints)}"/>'
            f'<child link="flange"/>{origin(self.flange, np.eye(3))}</joint></robot>')
        return "".join(parts)


def pinocchio_solver(arm, urdf):
    """Damped least squares on Pinocchio, with restarts from random angles."""
    import numpy as np
    import pinocchio as pin

    model = pin.buildModelFromXML(urdf)
    data = model.createData()
    frame = model.getFrameId("flange")
    random = np.random.default_rng(1)

    def solve(target):
        goal = pin.SE3(arm.matrix(target[3:]), np.array(target[:3]))
        angles, best, stalled = arm.start.copy(), np.inf, 0
        for _ in range(ITERATIONS):
            pin.forwardKinematics(model, data, angles)
            placement = pin.updateFramePlacement(model, data, frame)
            error = pin.log6(placement.actInv(goal)).vector
            if np.linalg.norm(error[:3]) <= 0.9 * FINE[0] and np.linalg.norm(error[3:]) <= 0.9 * FINE[1]:
                return angles
            size = error @ error
            stalled = 0 if size < 0.9 * best else stalled + 1
            best = min(best, size)
            if stalled > 15:
                angles, best, stalled = random.uniform(arm.low, arm.high), np.inf, 0
                continue
            jacobian = pin.computeFrameJacobian(model, data, angles, frame)
            damped = jacobian @ jacobian.T + (1e-12 + 1e-3 * size) * np.eye(6)
            step = jacobian.T @ np.linalg.solve(damped, error)
            angles = np.clip(angles + step, arm.low, arm.high)
        return angles

    return solve


def trac_ik_solver(arm, urdf):
    """TRAC-IK by pytracik, in its mode `Speed`."""
    import numpy as np
    from trac_ik import TracIK

    with tempfile.NamedTemporaryFile("w", suffix=".urdf", delete=False) as file:
        file.write(urdf)
    # TRAC-IK's tolerance applies to every component of the error.
    solver = TracIK("link0", "flange", file.name, timeout=TIMEOUT, epsilon=FINE[0] / 3**0.5, solver_type="Speed")
    os.unlink(file.name)

    def solve(target):
        return solver.ik(np.array(target[:3]), arm.matrix(target[3:]), arm.start)

    return solve


SOLVERS = {"pin": pinocchio_solver, "pytracik": trac_ik_solver}


def row(name, arm, solve, targets):
    """Solves all targets, and returns a line of the table."""
    import numpy as np

    times, errors = [], []
    solve(targets[0])
    for target in targets:
        started = time.perf_counter()
        angles = solve(target)
        times.append(time.perf_counter() - started)
        errors.append(arm.errors(None if angles is None else np.asarray(angles), target))
    errors, times = np.array(errors), 1e6 * np.array(times)
    within = [np.mean((errors[:, 0] <= p) & (errors[:, 1] <= a)) for p, a in (FINE, COARSE)]
    p90 = [np.quantile(errors[:, i], 0.9, method="higher") for i in (0, 1)]
    median, mean, p99 = np.median(times), np.mean(times), np.quantile(times, 0.99)
    return (f"{name:<10} {100 * within[0]:>7.2f} % {100 * within[1]:>7.2f} % {p90[0]:>9.1e} {p90[1]:>9.1e} "
            f"{median:>10.1f} {mean:>10.1f} {p99:>10.1f} {mean / median:>8.2f} {p99 / median:>8.2f} {1e6 / mean:>10.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", type=Path, help="file written by `sinew bench --table panda --targets FILE.json`")
    parser.add_argument("--cases", type=int, default=None, help="number of targets to solve [default: all]")
    args = parser.parse_args()
    enter_environment()
    missing = install()
    data = json.loads(args.targets.read_text())
    arm, targets = Arm(data), data["targets"][:args.cases]
    print(f"{data['arm']}: {len(targets)} targets, one thread")
    print(f"{'solver':<10} {'<=1e-6':>9} {'<=5mm':>9} {'p90 m':>9} {'p90 rad':>9} {'median us':>10} {'mean us':>10} "
          f"{'p99 us':>10} {'mean/med':>8} {'p99/med':>8} {'poses/s':>10}")
    for package in PACKAGES:
        if package in missing:
            print(f"{package:<10} not installed: {missing[package]}")
        elif package not in SOLVERS:
            print(f"{package:<10} installed, but this script cannot call it yet")
        else:
            print(row(package, arm, SOLVERS[package](arm, arm.urdf()), targets), flush=True)


if __name__ == "__main__":
    main()
