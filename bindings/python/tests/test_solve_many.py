"""Many solves at the same time."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import sinew


def test_solutions_have_the_bits_of_single_solves(arm, targets):
    many = sinew.solve_many(arm, targets)
    assert many.rotations.shape == (len(targets), 4, 4) and many.errors.shape == (len(targets),)
    for index, target in enumerate(targets):
        arm.reset()
        report = arm.solve([sinew.Goal(3, target)])
        assert arm.rotations.tobytes() == many.rotations[index].tobytes()
        assert report.position_errors[0] == many.errors[index]
        assert report.reached == many.reached[index] and report.iterations == many.iterations[index]


def test_repetitions_have_the_same_bits(arm, targets):
    first, second = (sinew.solve_many(arm, targets) for _ in range(2))
    assert first.rotations.tobytes() == second.rotations.tobytes()
    # More than one chunk. The results do not depend on the position of a target in its chunk.
    longer = sinew.solve_many(arm, np.concatenate([targets, targets]))
    assert longer.rotations[len(targets) :].tobytes() == first.rotations.tobytes()


def test_the_number_of_threads_changes_no_bit():
    program = (
        "import hashlib, numpy as np, sinew\n"
        "arm = sinew.Body.chain([(0, 0, 0)] + [(0, 1, 0)] * 5)\n"
        "targets = np.random.default_rng(0).uniform(-4, 4, size=(2000, 3))\n"
        "print(hashlib.sha256(sinew.solve_many(arm, targets).rotations.tobytes()).hexdigest())\n"
    )
    run = [sys.executable, "-c", program]
    environments = [{**os.environ, "RAYON_NUM_THREADS": str(threads)} for threads in (1, 2, 7)]
    hashes = {subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout for env in environments}
    assert len(hashes) == 1 and len(hashes.pop()) == 65


def test_targets_in_reach_are_reached(arm, targets):
    many = sinew.solve_many(arm, targets)
    distance = np.linalg.norm(targets, axis=1)
    assert np.all(many.reached == (distance <= 3 + 3e-4))
    assert np.all(many.errors[many.reached] <= 3e-4)
    np.testing.assert_allclose(many.errors[~many.reached], distance[~many.reached] - 3, atol=1e-3)
    np.testing.assert_array_equal(many.roots, 0)
    assert np.all(np.isnan(many.orientation_errors))
    # The body is not changed.
    np.testing.assert_array_equal(arm.positions[3], (0, 3, 0))


def test_several_links_and_orientations():
    links = [sinew.Link(), *(sinew.Link(parent, (0, 1, 0)) for parent in range(2))]
    links += [sinew.Link(0, (1, 0, 0)), sinew.Link(3, (1, 0, 0))]
    tree = sinew.Body(links)
    targets = np.array([[(0.5, 1.5, 0), (1.5, 0.5, 0)], [(-0.5, 1.5, 0.2), (1.5, 0.1, 0.1)]])
    many = sinew.solve_many(tree, targets, links=[2, 4])
    assert np.all(many.reached)
    for rotations, row in zip(many.rotations, targets):
        tree.rotations = rotations
        np.testing.assert_allclose(tree.positions[[2, 4]], row, atol=1e-3)
    turned = np.array([(0.6, 0, 0, 0.8), (0, 0.6, 0, 0.8)])
    many = sinew.solve_many(tree, None, links=2, orientations=turned)
    assert np.all(many.reached) and np.all(np.isnan(many.errors))
    assert np.all(many.orientation_errors <= 1e-3)


def test_starts_are_used(arm, targets):
    solved = sinew.solve_many(arm, targets)
    again = sinew.solve_many(arm, targets, starts=solved.rotations)
    assert np.all(again.iterations[solved.reached] == 0)
    np.testing.assert_allclose(again.errors, solved.errors, atol=1e-4)


def test_prismatic_joints_have_displacements():
    rail = sinew.Limit.prismatic((1, 0, 0), -5, 5)
    slide = sinew.Body.chain([(0, 0, 0), (0, 1, 0)], limits=[rail, sinew.Limit.locked()])
    many = sinew.solve_many(slide, [(2, 1, 0), (-3, 1, 0)])
    assert np.all(many.reached)
    np.testing.assert_allclose(many.displacements[:, 0], (2, -3), atol=1e-3)


@pytest.mark.parametrize("empty", [np.zeros((0, 3)), np.zeros((0, 3), np.float32)])
def test_no_targets(arm, empty):
    many = sinew.solve_many(arm, empty)
    assert len(many) == 0 and many.rotations.shape == (0, 4, 4) and many.roots.shape == (0, 3)


def test_other_threads_run_during_a_solve(arm):
    """The interpreter is free while Rust solves, so this thread continues."""
    targets = np.random.default_rng(0).uniform(-2, 2, size=(60_000, 3))
    solving = threading.Thread(target=sinew.solve_many, args=(arm, targets), kwargs={"method": "ccd"})
    solving.start()
    ticks = 0
    while solving.is_alive():
        time.sleep(0.001)
        ticks += 1
    solving.join()
    assert ticks >= 5


def test_a_body_that_another_thread_solves_is_refused(arm):
    goals = [sinew.Goal(3, (1, 1, 1))]
    errors, stopped = [], threading.Event()

    def solve_often():
        while not stopped.is_set():
            try:
                arm.solve(goals, method="ccd", tolerance=1e-12, iterations=20_000)
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=solve_often) for _ in range(2)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 20
    while not errors and time.monotonic() < deadline:
        time.sleep(0.01)
    stopped.set()
    for thread in threads:
        thread.join()
    assert errors and "borrowed" in errors[0]


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_ends_a_long_call():
    program = (
        "import signal, numpy as np, sinew\n"
        # A shell that starts tests in the background makes them ignore SIGINT.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "arm = sinew.Body.chain([(0, 0, 0)] + [(0, 1, 0)] * 12)\n"
        "targets = np.random.default_rng(0).uniform(-30, 30, size=(2_000_000, 3))\n"
        "print('ready', flush=True)\n"
        "sinew.solve_many(arm, targets, method='ccd', options={'restarts': 8})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=60)
    assert process.returncode != 0 and "KeyboardInterrupt" in messages
