#!/usr/bin/env python3
"""Opens robots with sinew, compares their forward kinematics with Pinocchio, and solves for poses of their tips.

    pip download --no-deps example-robot-data -d DIR && unzip -q DIR/*.whl -d DIR
    pip install ./bindings/python pin
    python3 benches/peers/robots.py DIR

Prints one row of a Markdown table for each URDF file below the folder: the numbers of joints and of parts that are drawn, the warnings, the
largest difference of all link transforms from Pinocchio's for 200 random joint values, the share of 200 poses of the first tip that are
reached to 1e-6 m and 1e-6 rad by default options, and the median time of a solve.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import sinew

try:
    import pinocchio
except ImportError:
    pinocchio = None

COUNT = 200


def random_values(robot, rng):
    """Joint values within the ranges; continuous joints within half a turn."""
    lower = np.where(np.isfinite(robot.lower), robot.lower, -np.pi)
    upper = np.where(np.isfinite(robot.upper), robot.upper, np.pi)
    return rng.uniform(lower, upper, size=(COUNT, len(lower)))


def difference(path, robot, values):
    """The largest difference of a link transform from Pinocchio's, which reads the same robot with all URDF joints."""
    model = pinocchio.buildModelFromUrdf(str(path))
    data = model.createData()
    transforms = robot.fk(values)
    largest = 0.0
    mimics = robot.mimic_values(values)
    for row, q in enumerate(values):
        configuration = pinocchio.neutral(model)
        named = dict(zip(robot.joint_names, q)) | dict(zip(robot.mimic_names, mimics[row]))
        for name, value in named.items():
            if not model.existJointName(name):
                continue
            joint = model.joints[model.getJointId(name)]
            # Pinocchio writes a continuous joint as cosine and sine.
            configuration[joint.idx_q : joint.idx_q + joint.nq] = (
                [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
            )
        pinocchio.framesForwardKinematics(model, data, configuration)
        for link, name in enumerate(robot.link_names):
            if model.existFrame(name):
                frame = data.oMf[model.getFrameId(name)].homogeneous
                largest = max(largest, np.abs(frame - transforms[row, link]).max())
    return largest


def quaternions(rotations):
    """Quaternions x, y, z, w of rotation matrices, by the largest component (Shepperd 1978)."""
    m = rotations
    trace = np.trace(m, axis1=1, axis2=2)
    diagonal = np.stack([m[:, 0, 0], m[:, 1, 1], m[:, 2, 2], trace], axis=1)
    result = np.empty((len(m), 4))
    for row, largest in enumerate(diagonal.argmax(axis=1)):
        r, q = m[row], np.empty(4)
        if largest == 3:
            q[:] = [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], 1 + trace[row]]
        else:
            i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
            q[i] = 1 - trace[row] + 2 * r[i, i]
            q[j], q[k], q[3] = r[j, i] + r[i, j], r[k, i] + r[i, k], r[k, j] - r[j, k]
        result[row] = q / np.linalg.norm(q)
    return result


def solve(robot, values):
    """The share of poses of the first tip that are reached, and the median time of a solve in microseconds."""
    tip = robot.tip_names[0]
    targets = robot.fk(values, tip)
    positions, orientations = targets[:, :3, 3], quaternions(targets[:, :3, :3])
    options = {"angle_tolerance": 1e-6}
    times, reached = [], 0
    for position, orientation in zip(positions, orientations):
        started = time.perf_counter()
        solution = robot.solve(tip, position, orientation, tolerance=1e-6, options=options)
        times.append(time.perf_counter() - started)
        reached += int(solution.reached[0])
        assert (solution.q >= robot.lower).all() and (solution.q <= robot.upper).all(), tip
    return reached / len(values), np.median(times) * 1e6


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", type=Path)
rng = np.random.default_rng(1)
print("| robot | joints | drawn | warnings | from Pinocchio | tip, poses reached | median |")
print("|---|---|---|---|---|---|---|")
opened, files = 0, sorted(parser.parse_args().folder.rglob("*.urdf"))
for path in files:
    try:
        robot, character = sinew.Robot(path), sinew.load(path)
    except sinew.Error as error:
        print(f"| `{path.stem}` | {error} | | | | | |")
        continue
    opened += 1
    missing = sum("so it is not drawn" in warning for warning in character.warnings)
    drawn = f"{len(character.parts)} parts" + (f", {missing} missing" if missing else "")
    values = random_values(robot, rng)
    distance = f"{difference(path, robot, values):.0e}" if pinocchio else "–"
    reached, median = solve(robot, values) if robot.tip_names else (float("nan"), float("nan"))
    tip = robot.tip_names[0] if robot.tip_names else "–"
    print(
        f"| `{path.stem}` | {len(robot.joint_names)} | {drawn} | {len(character.warnings)} | {distance} |"
        f" `{tip}`, {reached:.1%} | {median:.0f} µs |"
    )
    sys.stdout.flush()
print(f"\n{opened} of {len(files)} opened")
