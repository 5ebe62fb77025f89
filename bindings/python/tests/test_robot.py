"""Robots: joint values in, joint values out."""

import numpy as np
import pytest

import sinew

ARM = """<robot name="arm"><link name="base"/><link name="turret"/><link name="upper"/><link name="fore"/><link name="tool"/><link name="finger"/><link name="other"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="turret"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/></joint>
<joint name="shoulder" type="revolute"><parent link="turret"/><child link="upper"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
  <limit lower="-2" upper="2" effort="1" velocity="1.5"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
  <limit lower="0.1" upper="2.5" effort="1" velocity="1.5"/></joint>
<joint name="wrist" type="fixed"><parent link="fore"/><child link="tool"/><origin xyz="0 0 0.4" rpy="0 0.3 0"/></joint>
<joint name="grip" type="prismatic"><parent link="tool"/><child link="finger"/><axis xyz="1 0 0"/>
  <limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
<joint name="follower" type="prismatic"><parent link="tool"/><child link="other"/><axis xyz="-1 0 0"/>
  <limit lower="0" upper="0.04" effort="1" velocity="1"/><mimic joint="grip"/></joint>
</robot>"""


@pytest.fixture
def robot():
    return sinew.Robot.from_urdf(ARM)


@pytest.fixture
def values(robot):
    random = np.random.default_rng(4)
    lower, upper = np.maximum(robot.lower, -3), np.minimum(robot.upper, 3)
    return random.uniform(lower, upper, size=(200, 4))


def test_joints_have_names_ranges_and_units(robot, tmp_path):
    assert robot.joint_names == ["turn", "shoulder", "elbow", "grip"]
    assert robot.units == ["rad", "rad", "rad", "m"]
    assert robot.lower.tolist() == [-np.inf, -2, 0.1, 0] and robot.upper.tolist() == [np.inf, 2, 2.5, 0.04]
    assert robot.velocity.tolist() == [np.inf, 1.5, 1.5, 1]
    assert robot.rest.tolist() == [0, 0, 1.3, 0]
    assert robot.link_names[0] == "base" and robot.tip_names == ["finger", "other"]
    assert robot.mimic_names == ["follower"]
    assert repr(robot) == 'Robot("arm", 4 joints, 7 links)'
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    assert sinew.Robot(file).joint_names == robot.joint_names


def test_forward_kinematics_have_the_leading_axis_of_q(robot, values):
    one = robot.fk(values[0], "tool")
    assert one.shape == (4, 4) and robot.fk(values, "tool").shape == (200, 4, 4)
    assert robot.fk(values).shape == (200, 7, 4, 4) and robot.fk(values[0]).shape == (7, 4, 4)
    assert np.array_equal(robot.fk(values, "tool")[0], one)
    assert np.allclose(robot.fk(values)[:, robot.link_names.index("tool")], robot.fk(values, "tool"), atol=1e-14)
    # The same position, computed by hand.
    turn, shoulder, elbow, _ = values[0]
    reach = 0.5 * np.sin(shoulder) + 0.4 * np.sin(shoulder + elbow)
    height = 0.3 + 0.5 * np.cos(shoulder) + 0.4 * np.cos(shoulder + elbow)
    assert np.allclose(one[:3, 3], [reach * np.cos(turn), reach * np.sin(turn), height], atol=1e-14)
    assert np.array_equal(robot.mimic_values(values)[:, 0], values[:, 3])


def test_jacobians_are_difference_quotients(robot, values):
    jacobian = robot.jacobian(values, "tool", (0.1, 0.2, 0.3))
    assert jacobian.shape == (200, 6, 4)
    point = np.array([0.1, 0.2, 0.3, 1])
    for joint in range(4):
        step = np.zeros(4)
        step[joint] = 1e-6
        moved = (robot.fk(values + step, "tool") - robot.fk(values - step, "tool")) @ point / 2e-6
        assert np.allclose(moved[:, :3], jacobian[:, :3, joint], atol=1e-8)
    assert np.array_equal(robot.jacobian(values[3], "tool", (0.1, 0.2, 0.3)), jacobian[3])


def test_solves_lead_from_targets_to_joint_values_within_the_ranges(robot, values):
    positions = robot.fk(values, "tool")[:, :3, 3]
    solutions = robot.solve("tool", positions, tolerance=1e-7)
    assert solutions.q.shape == (200, 4) and len(solutions) == 200 and solutions.reached.mean() > 0.98
    distances = np.linalg.norm(robot.fk(solutions.q, "tool")[:, :3, 3] - positions, axis=1)
    assert np.allclose(distances, solutions.errors, atol=1e-12) and distances[solutions.reached].max() <= 1e-7
    assert (solutions.q >= robot.lower).all() and (solutions.q <= robot.upper).all()
    single = robot.solve("tool", positions[7], tolerance=1e-7)
    assert single.q.shape == (4,) and np.array_equal(single.q, solutions.q[7])
    assert np.isnan(solutions.orientation_errors).all()


def test_continuous_joints_count_their_revolutions_along_a_path(robot):
    angles = np.linspace(0, 4 * np.pi, 200)
    circle = np.stack([0.5 * np.cos(angles), 0.5 * np.sin(angles), np.full(200, 0.5)], axis=1)
    path = robot.follow("tool", circle, tolerance=1e-7)
    assert path.reached.all() and np.abs(np.diff(path.q[:, 0])).max() < 0.1
    assert path.q[-1, 0] - path.q[0, 0] == pytest.approx(4 * np.pi, abs=1e-4)


def test_orientations_may_be_rotation_matrices(robot, values):
    targets = robot.fk(values, "tool")
    solutions = robot.solve("tool", None, targets[:, :3, :3], tolerance=1e-7)
    one = robot.solve("tool", None, targets[5, :3, :3], tolerance=1e-7)
    assert solutions.q.shape == (200, 4) and one.q.shape == (4,) and np.array_equal(one.q, solutions.q[5])
    # A turn of 0.3 about z and its quaternion.
    turn = [[np.cos(0.3), -np.sin(0.3), 0], [np.sin(0.3), np.cos(0.3), 0], [0, 0, 1]]
    by_quaternion = robot.solve("tool", None, (0, 0, np.sin(0.15), np.cos(0.15)))
    assert np.allclose(robot.solve("tool", None, turn).q, by_quaternion.q, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.fk([0, 0, 0]), "q must have the shape (4,), but has (3,)"),
        (lambda r: r.fk(np.zeros((2, 3))), "q must have the shape (n, 4), but has (2, 3)"),
        (lambda r: r.fk([0, np.nan, 0, 0]), 'q[1] (joint "shoulder") is not finite'),
        (lambda r: r.fk(np.full((2, 4), np.inf)), 'q[0, 0] (joint "turn") is not finite'),
        (lambda r: r.solve("tool", [0, 0, 1], q0=[0, 0, np.nan, 0]), 'q0[2] (joint "elbow") is not finite'),
        (lambda r: r.solve("tool", [0, 0, 1], np.ones((3, 3))), "orientations: matrix 0 is not a rotation"),
        (lambda r: r.solve("tool", [0, 0, 1], -np.eye(3)), "orientations: matrix 0 is not a rotation"),
        (lambda r: r.fk([0, 0, 0, 0], "tol"), 'link "tol" does not exist; did you mean "tool"?'),
        (lambda r: r.fk([0, 0, 0, 0], 9), "link 9 does not exist; the robot has 7"),
        (lambda r: r.solve("tool", [0, 0]), "positions must have the shape (3,), but has (2,)"),
        (lambda r: r.solve("tool", None), "positions or orientations are missing"),
        (lambda r: r.solve("tool", np.zeros((2, 3)), q0=np.zeros((3, 4))), "positions has 2 rows, but q0 has 3"),
        (lambda r: r.follow("tool", np.zeros((2, 3)), q0=np.zeros((2, 4))), "q0 must have the shape (4,)"),
        (lambda r: sinew.Robot("missing.urdf"), "missing.urdf: No such file or directory (os error 2)"),
    ],
)
def test_errors_name_the_argument_and_the_shape(robot, call, message):
    with pytest.raises(sinew.Error) as caught:
        call(robot)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<child link="turret"/>', "", 'joint "turn": <child link=…> is missing'),
        ('<parent link="base"/>', '<parent link="fore"/>', "form a loop"),
        ('<link name="tool"/>', "", 'joint "wrist": link "tool" does not exist'),
        ('<link name="base"/>', '<link name="base"/><link name="far"/>', 'no joint connects the links "base" and "far"'),
        ('<limit lower="-2" upper="2" effort="1" velocity="1.5"/>', "", 'joint "shoulder": a revolute joint needs <limit'),
        ("<robot", "<robot xmlns:xacro='x'><xacro:macro/", "must be expanded first"),
    ],
)
def test_bad_robots_are_refused_with_the_joint(old, new, message):
    assert old in ARM
    with pytest.raises(sinew.Error) as caught:
        sinew.Robot.from_urdf(ARM.replace(old, new, 1))
    assert message in str(caught.value) and "\n" not in str(caught.value)
