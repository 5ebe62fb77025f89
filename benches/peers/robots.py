#!/usr/bin/env python3
"""Opens robots with sinew, compares their forward kinematics with Pinocchio, and solves for poses of their tips.

    pip download --no-deps example-robot-data -d DIR && unzip -q DIR/*.whl -d DIR
    pip install ./bindings/python pin
    python3 benches/peers/robots.py DIR

Prints one row of a Markdown table for each URDF file below the folder: the numbers of joints and of parts that are drawn, the warnings, the
largest difference of all link transforms from Pinocchio's for 200 random joint values, the share of 200 poses of the tip with the longest
chain that are reached to 1e-6 m and 1e-6 rad by default options, and the median processor time of a solve.
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
    """Joint values within the ranges; a range without a limit is one turn wide."""
    lower = np.where(np.isfinite(robot.lower), robot.lower, np.where(np.isfinite(robot.upper), robot.upper - 2 * np.pi, -np.pi))
    upper = np.where(np.isfinite(robot.upper), robot.upper, lower + 2 * np.pi)
    return lower + (upper - lower) * rng.random((COUNT, len(lower)))


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
            if model.existFrame(name, pinocchio.FrameType.BODY):
                frame = data.oMf[model.getFrameId(name, pinocchio.FrameType.BODY)].homogeneous
                largest = max(largest, np.abs(frame - transforms[row, link]).max())
    return largest


def longest(robot, values):
    """The tip that the most joints move, and the number of these joints."""
    moving = {tip: np.count_nonzero(np.abs(robot.jacobian(values[0], tip)).max(axis=0) > 1e-12) for tip in robot.tip_names}
    tip = max(moving, key=moving.get)
    return tip, moving[tip]


def solve(robot, tip, values):
    """The share of poses of a tip that are reached, and the median processor time of a solve in microseconds."""
    targets = robot.fk(values, tip)
    options = {"angle_tolerance": 1e-6}
    times, reached = [], 0
    for target in targets:
        started = time.process_time()
        solution = robot.solve(tip, target[:3, 3], target[:3, :3], tolerance=1e-6, options=options)
        times.append(time.process_time() - started)
        reached += int(solution.reached[0])
        assert (solution.q >= robot.lower).all() and (solution.q <= robot.upper).all(), tip
    return reached / len(values), np.median(times) * 1e6


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", type=Path)
rng = np.random.default_rng(1)
print("| robot | joints | drawn | warnings | from Pinocchio | tip (joints) | reached | median |")
print("|---|---|---|---|---|---|---|---|")
opened, files = 0, sorted(parser.parse_args().folder.rglob("*.urdf"))
stems = [path.stem for path in files]
for path in files:
    # Two packages may have files of the same name.
    name = path.stem if stems.count(path.stem) == 1 else f"{path.parent.parent.name}/{path.stem}"
    try:
        robot, character = sinew.Robot(path), sinew.load(path)
    except sinew.Error as error:
        cause = str(error).removeprefix(f"{path}: ")
        print(f"| `{name}` | not opened: {cause} | | | | | | |")
        continue
    opened += 1
    missing = sum("so it is not drawn" in warning for warning in character.warnings)
    drawn = f"{len(character.parts)} parts" + (f", {missing} missing" if missing else "")
    values = random_values(robot, rng)
    distance = f"{difference(path, robot, values):.0e}" if pinocchio else "–"
    solved = "– | – | –"
    if robot.tip_names:
        tip, moving = longest(robot, values)
        reached, median = solve(robot, tip, values)
        solved = f"`{tip}` ({moving}) | {reached:.1%} | {median:.0f} µs".replace("%", " %")
    print(f"| `{name}` | {len(robot.joint_names)} | {drawn} | {len(character.warnings)} | {distance} | {solved} |")
    sys.stdout.flush()
names = {"sinew": sinew.__version__, "Pinocchio": pinocchio and pinocchio.__version__}
versions = ", ".join(f"{name} {version}" for name, version in names.items() if version)
print(f"\n{opened} of {len(files)} opened, {versions}")
