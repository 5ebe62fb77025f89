"""Bodies and solves from scratch."""

import copy
import math

import numpy as np
import pytest

import sinew


def rotate(q, v):
    """Rotates vectors by quaternions (x, y, z, w)."""
    q, v = np.asarray(q), np.asarray(v)
    t = 2 * np.cross(q[..., :3], v)
    return v + q[..., 3:] * t + np.cross(q[..., :3], t)


def multiply(a, b):
    """Returns the product of two quaternions."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return np.array([
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ])


def forward(rotations, offsets):
    """Returns the world positions of the links of a chain."""
    position, orientation, positions = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), []
    for rotation, offset in zip(rotations, offsets):
        position = position + rotate(orientation, offset)
        orientation = multiply(orientation, rotation)
        positions.append(position)
    return np.array(positions)


def test_solve_reaches_the_target_by_independent_forward_kinematics(arm):
    report = arm.solve([sinew.Goal(3, (1.0, 1.5, 0.3))], tolerance=1e-6)
    assert report.reached and report.outcomes == ["reached"]
    positions = forward(arm.rotations, [link.offset for link in arm.links])
    np.testing.assert_allclose(positions[3], (1.0, 1.5, 0.3), atol=2e-6)
    np.testing.assert_allclose(positions, arm.positions, atol=1e-12)
    assert report.position_errors[0] == pytest.approx(np.linalg.norm(positions[3] - (1.0, 1.5, 0.3)), abs=1e-9)
    # The bones keep their length.
    np.testing.assert_allclose(np.linalg.norm(np.diff(positions, axis=0), axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("method", [m for m in sinew.methods() if m != "two-bone"])
def test_every_method_reaches(arm, method):
    report = arm.solve([sinew.Goal(3, (1.0, 1.5, 0.3))], method=method, tolerance=1e-3, iterations=500)
    assert report.reached, report
    assert np.linalg.norm(arm.positions[3] - (1.0, 1.5, 0.3)) < 1e-3


def test_a_target_out_of_reach_is_an_outcome(arm):
    report = arm.solve([sinew.Goal(3, (9, 0, 0))])
    assert not report.reached and report.outcomes == ["out-of-reach"]
    assert report.position_errors[0] == pytest.approx(6.0, abs=1e-3)


def test_orientation_and_aim_goals(arm):
    half = math.sqrt(0.5)
    turned = (half, 0.0, 0.0, half)
    assert arm.solve([sinew.Goal(3, (0.5, 1.5, 0), turned)]).reached
    assert abs(np.dot(arm.orientations[3], turned)) > 1 - 1e-6
    arm.reset()
    assert arm.solve([sinew.Goal(3, aim_axis=(0, 0, 1), aim_at=(5, 0, 0))]).reached
    to_target = (5, 0, 0) - arm.positions[3]
    to_target /= np.linalg.norm(to_target)
    np.testing.assert_allclose(rotate(arm.orientations[3], (0, 0, 1)), to_target, atol=2e-3)


def test_limits_hold():
    limit = sinew.Limit.hinge((0, 0, 1), 0.0, 0.5)
    arm = sinew.Body.chain([(0, 0, 0), (0, 1, 0), (0, 1, 0)], limits=[limit] * 3)
    report = arm.solve([sinew.Goal(2, (-2, 0, 0))])
    assert report.outcomes == ["blocked-by-limits"] and report.limited
    x, y, z, w = arm.rotations.T
    angles = 2 * np.arctan2(z, w)
    assert np.all(angles > -1e-9) and np.all(angles < 0.5 + 1e-9)
    np.testing.assert_allclose([x, y], 0, atol=1e-12)


def test_links_keep_what_they_were_given():
    limit = sinew.Limit.cone((0, 2, 0), (1, 1, 0), (0.5, 0.25))
    links = [sinew.Link(), sinew.Link(0, (0, 1, 0), rest=(0, 0, 2, 0), limit=limit, weight=0.5)]
    body = sinew.Body(links)
    assert len(body) == 2
    assert body.links[1].parent == 0 and body.links[1].rest == (0, 0, 1, 0) and body.links[1].weight == 0.5
    assert repr(body.links[1].limit).startswith("Limit.cone((0, 1, 0), (1, 0, 0)")


def test_a_body_can_be_placed_in_the_world():
    place = np.eye(4)
    place[:3, 3] = (10, 0, 0)
    place[:3, :3] *= 2
    body = sinew.Body([sinew.Link(), sinew.Link(0, (0, 1, 0))], world_from_base=place)
    np.testing.assert_allclose(body.positions, [(10, 0, 0), (10, 2, 0)])
    np.testing.assert_allclose(body.world_matrices[0], place)


def test_rotations_can_be_assigned_and_are_read_only(arm):
    half = math.sqrt(0.5)
    arm.rotations = [(0, 0, 0, 1), (0, 0, 3, 3), (0, 0, 0, 1), (0, 0, 0, 1)]
    np.testing.assert_allclose(arm.rotations[1], (0, 0, half, half))
    np.testing.assert_allclose(arm.positions[3], (-2, 1, 0), atol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        arm.rotations[0, 0] = 1.0


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, sinew.Body.copy])
def test_copies_are_independent(arm, duplicate):
    other = duplicate(arm)
    other.solve([sinew.Goal(3, (1, 1, 1))])
    np.testing.assert_array_equal(arm.positions[3], (0, 3, 0))
    assert other.positions[3][0] == pytest.approx(1, abs=1e-3)


def test_options_are_those_of_the_library(arm):
    goal = sinew.Goal(3, (1.0, 1.5, 0.3))
    options = {"ccd.step": "5deg", "restarts": 0, "limits": False, "jacobian.damping": None, "tolerance": 1e-5}
    slow = arm.solve([goal], method="ccd", options=options)
    arm.reset()
    fast = arm.solve([goal], method="ccd", tolerance=1e-5)
    assert slow.method == fast.method == "ccd"
    assert slow.iterations > fast.iterations
    with pytest.raises(sinew.Error, match="ccd.stp"):
        arm.solve([goal], options={"ccd.stp": 1})


def test_a_failed_solve_changes_nothing(arm):
    arm.solve([sinew.Goal(3, (1, 1, 1))])
    before = arm.rotations
    with pytest.raises(sinew.Error, match="two-bone cannot solve this"):
        arm.solve([sinew.Goal(3, (1, 2, 0))], method="two-bone")
    np.testing.assert_array_equal(arm.rotations, before)
