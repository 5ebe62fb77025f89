"""Robots that keep clear of themselves and of obstacles, and trajectories with times."""

import csv
import io
import itertools

import numpy as np
import pytest

import sinew
from test_robot import ARM

NAN = float("nan")
BONES = ["bone1", "bone2", "bone3", "bone4"]
CAPSULES = [(bone, (0, 0, 0), (0.4, 0, 0), 0.03) for bone in BONES]
# A cylinder of the size of the capsules, along X.
TUBE = (
    '<visual><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/>'
    '<geometry><cylinder radius="0.03" length="0.4"/></geometry></visual>'
)
START = (0.3, 0.4, 0.4, 0.4)
PATH = np.array([(0.9, 1.0, 0), (0.9, 0.6, 0), (1.1, 0.4, 0)])
SRDF = '<robot name="planar"><disable_collisions link1="{}" link2="bone1" reason="Never"/></robot>'


def planar(shape=""):
    """The text of an arm of four bones of 0.4 m that bend about Z. `shape` is the visual element of each bone."""
    links = "".join(f'<link name="{bone}">{shape}</link>' for bone in BONES)
    joints = ""
    for index, (parent, bone) in enumerate(zip(["base", *BONES], BONES)):
        joints += (
            f'<joint name="turn{index}" type="revolute"><parent link="{parent}"/><child link="{bone}"/>'
            f'<origin xyz="{0.4 if index else 0} 0 0"/><axis xyz="0 0 1"/>'
            f'<limit lower="-2.8" upper="2.8" effort="1" velocity="{0.5 + 0.5 * index}"/></joint>'
        )
    end = '<joint name="end" type="fixed"><parent link="bone4"/><child link="tip"/><origin xyz="0.4 0 0"/></joint>'
    return f'<robot name="planar"><link name="base"/>{links}<link name="tip"/>{joints}{end}</robot>'


def to_segment(points, start, end):
    """The distances of points, shape (n, 3), from a segment."""
    start, along = np.array(start), np.subtract(end, start)
    share = np.clip((points - start) @ along / max(along @ along, 1e-300), 0, 1)
    return np.linalg.norm(points - start - share[:, None] * along, axis=1)


def to_bones(robot, q, point):
    """The distance of a point from the axes of the bones, computed without the collision model."""
    ends = [robot.fk(q, name)[:3, 3] for name in [*BONES, "tip"]]
    return min(to_segment(np.array([point]), a, b)[0] for a, b in zip(ends, ends[1:]))


def matrix(x, y, z, w):
    """The rotation matrix of a unit quaternion."""
    return np.array(
        [
            (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        ]
    )


@pytest.fixture
def robot():
    return sinew.Robot.from_urdf(planar())


def guard(robot, margin=0.0, **obstacles):
    return robot.with_collisions(capsules=CAPSULES, obstacles=obstacles, margin=margin)


@pytest.mark.parametrize("margin", [0.0, 0.01, 0.05])
def test_an_arm_reaches_around_a_sphere(robot, margin):
    target = (0.75, 0.95, 0)
    plain = robot.solve("tip", target)
    assert plain.reached.all() and np.isnan(plain.clearances).all()
    # The sphere is where the plain result has its elbow.
    centre = robot.fk(plain.q, "bone3")[:3, 3]
    guarded = guard(robot, margin, ball=sinew.Obstacle.sphere(centre, 0.1))
    through = guarded.clearance(plain.q)
    assert through.distance == pytest.approx(-0.13, abs=1e-9) and through.pair[1] == "ball"
    around = guarded.solve("tip", target)
    assert around.reached.all() and around.errors[0] < 2e-4
    assert around.clearances[0] >= margin - 1e-12
    assert to_bones(robot, around.q, centre) >= 0.1 + 0.03 + margin - 1e-9
    assert guarded.clearance(around.q).distance == around.clearances[0]


def test_a_target_inside_an_obstacle_is_not_reached(robot):
    guarded = guard(robot, box=sinew.Obstacle.box((0.5, 0.6, 0), (0.3, 0.3, 0.3)))
    solutions = guarded.solve("tip", [(0.5, 0.6, 0), (0.9, -0.8, 0)])
    assert solutions.reached.tolist() == [False, True]
    # The end of the last bone stays outside.
    assert solutions.errors[0] > 0.17 and (solutions.clearances >= -1e-9).all()
    path = guarded.follow("tip", [(0.9, -0.8, 0), (0.9, -0.7, 0)])
    assert path.reached.all() and (path.clearances > 0).all()


def test_a_clearance_has_points_and_a_normal(robot):
    guarded = guard(robot, ball=sinew.Obstacle.sphere((0.6, 0.3, 0), 0.1))
    nearest = guarded.clearance(np.zeros(4))
    assert nearest.pair == ("bone2", "ball") and nearest.distance == pytest.approx(0.17, abs=1e-12)
    assert np.allclose(nearest.points, [(0.6, 0.03, 0), (0.6, 0.2, 0)], atol=1e-12)
    assert np.allclose(nearest.normal, (0, -1, 0), atol=1e-12)
    assert not nearest.points.flags.writeable and not nearest.normal.flags.writeable
    assert nearest == guarded.clearance([0, 0, 0, 0]) and nearest != guarded.clearance([0.1, 0, 0, 0])
    assert repr(nearest).startswith("Clearance(0.1") and repr(nearest).endswith(", 'bone2' and 'ball')")
    assert robot.clearance(np.zeros(4)) is None and robot.capsules == [] and robot.collision_pairs == []


def test_a_hull_and_a_box_of_the_same_corners_have_the_same_distances(robot):
    centre, size = np.array([0.9, 0.1, 0.02]), np.array([0.3, 0.4, 0.5])
    quaternion = np.array([0.1, 0.3, -0.2, 0.9])
    rotation = matrix(*(quaternion / np.linalg.norm(quaternion)))
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    corners = centre + (signs * size) @ rotation.T
    shapes = [
        sinew.Obstacle.box(centre, size, quaternion),
        sinew.Obstacle.box(centre, size, rotation),
        # The last point is inside.
        sinew.Obstacle.hull([*corners, centre]),
    ]
    values = np.vstack([np.zeros(4), (2.5, 0, 0, 0), np.random.default_rng(2).uniform(-1, 1, (100, 4))])
    guarded = [guard(robot, shape=shape) for shape in shapes]
    distances = np.array([[each.clearance(q).distance for q in values] for each in guarded])
    assert np.abs(distances - distances[0]).max() < 1e-9
    assert distances[0, 0] < 0 < distances[0, 1]
    # The sphere inside the box is nearer to no bone than the box.
    ball = guard(robot, ball=sinew.Obstacle.sphere(centre, 0.15))
    assert all(ball.clearance(q).distance >= distance - 1e-9 for q, distance in zip(values, distances[0]))


def test_obstacles_are_compared_by_value():
    ball = sinew.Obstacle.sphere((1, 2, 3), 0.5)
    assert ball == sinew.Obstacle.sphere(np.array([1, 2, 3]), 0.5) and ball != sinew.Obstacle.sphere((1, 2, 3), 0.6)
    assert ball != sinew.Obstacle.capsule((1, 2, 3), (1, 2, 3), 0.5) and ball != "ball"
    with pytest.raises(TypeError, match="unhashable"):
        hash(ball)
    assert repr(ball) == "Obstacle.sphere((1, 2, 3), 0.5)"
    assert repr(sinew.Obstacle.capsule((0, 0, 0), (0, 0, 1), 0.25)) == "Obstacle.capsule((0, 0, 0), (0, 0, 1), 0.25)"
    assert repr(sinew.Obstacle.box((0, 0, 0), (1, 2, 3))) == "Obstacle.box((0, 0, 0), (1, 2, 3))"
    assert repr(sinew.Obstacle.box((0, 0, 0), (1, 2, 3), np.diag([1, -1, -1]))).startswith(
        "Obstacle.box((0, 0, 0), (1, 2, 3), ("
    )
    assert repr(sinew.Obstacle.hull(np.eye(4, 3))) == "Obstacle.hull(4 points)"


def test_links_that_are_next_to_each_other_may_touch(robot, tmp_path):
    assert robot.with_collisions(capsules=CAPSULES).collision_pairs == [
        ("bone1", "bone3"),
        ("bone1", "bone4"),
        ("bone2", "bone4"),
    ]
    file = tmp_path / "planar.srdf"
    file.write_text(SRDF.format("bone3"))
    few = robot.with_collisions(capsules=CAPSULES, srdf=file, allowed=[("bone4", "bone2")])
    assert few.collision_pairs == [("bone1", "bone4")]
    # Collisions replace earlier ones, and the first robot does not change.
    ball = {"ball": sinew.Obstacle.sphere((0, 2, 0), 0.1)}
    assert set(few.with_collisions(capsules=CAPSULES[:1], obstacles=ball).collision_pairs) == {("bone1", "ball")}
    assert robot.collision_pairs == []
    by_index = robot.with_collisions(capsules=[(1, (0, 0, 0), (0.4, 0, 0), 0.03)])
    assert by_index.capsules == [("bone1", (0, 0, 0), (0.4, 0, 0), 0.03)]


def test_capsules_are_fitted_to_meshes(tmp_path):
    file = tmp_path / "planar.urdf"
    file.write_text(planar(TUBE))
    guarded = sinew.Robot(file).with_collisions(meshes=True)
    assert {link for link, *_ in guarded.capsules} == set(BONES)
    angles = np.linspace(0, 2 * np.pi, 33)
    rims = np.array([(x, 0.03 * np.cos(a), 0.03 * np.sin(a)) for x in (0, 0.2, 0.4) for a in angles])
    for bone in BONES:
        own = [capsule for capsule in guarded.capsules if capsule[0] == bone]
        outside = [to_segment(rims, start, end) - radius for _, start, end, radius in own]
        assert np.min(outside, axis=0).max() < 1e-6
        assert all(radius < 0.05 for *_, radius in own)
    assert ("bone1", "bone4") in guarded.collision_pairs
    # The file may be given. The links are found by their names.
    assert sinew.Robot.from_urdf(planar()).with_collisions(meshes=file).capsules == guarded.capsules
    assert sinew.Robot.from_urdf(planar()).with_collisions(meshes=str(file)).capsules == guarded.capsules
    (tmp_path / "planar.xml").write_text(planar(TUBE))
    with pytest.raises(sinew.Error, match=r"planar\.xml: meshes are read only from \.urdf files"):
        sinew.Robot(tmp_path / "planar.xml").with_collisions(meshes=True)
    file.write_text(planar(TUBE).replace("bone4", "arm"))
    with pytest.raises(sinew.Error, match=r'planar\.urdf: link "arm" does not exist'):
        sinew.Robot.from_urdf(planar()).with_collisions(meshes=file)


def test_python_warns_about_meshes_that_cannot_be_read(tmp_path):
    file = tmp_path / "planar.urdf"
    missing = '<visual><geometry><mesh filename="missing.stl"/></geometry></visual>'
    file.write_text(planar(TUBE).replace(TUBE, missing, 1))
    with pytest.warns(UserWarning, match='link "bone1", visual 0: mesh "missing.stl" does not exist'):
        guarded = sinew.Robot(file).with_collisions(meshes=True)
    assert {link for link, *_ in guarded.capsules} == set(BONES[1:])
    file.write_text(planar())
    with pytest.raises(sinew.Error, match=r"planar\.urdf: no link has a shape; capsules must be given"):
        sinew.Robot(file).with_collisions(meshes=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: sinew.Obstacle.sphere((0, 0, 0), -1), "the radius must be finite and greater than 0"),
        (lambda r: sinew.Obstacle.sphere((0, 0, 0), NAN), "the radius must be finite and greater than 0"),
        (lambda r: sinew.Obstacle.sphere((0, NAN, 0), 1), "centre[1] is not finite"),
        (lambda r: sinew.Obstacle.capsule((0, 0, 0), (0, 0), 1), "end must have the shape (3,), but has (2,)"),
        (lambda r: sinew.Obstacle.box((0, 0, 0), (1, 0, 1)), "the size must be finite and greater than 0"),
        (lambda r: sinew.Obstacle.box((0, 0, 0), (1, 1, 1), np.ones((3, 3))), "rotation: matrix 0 is not a rotation"),
        (
            lambda r: sinew.Obstacle.box((0, 0, 0), (1, 1, 1), (0, 0, 0, 0)),
            "rotation must be a quaternion (x, y, z, w) of a length greater than 0",
        ),
        (
            lambda r: sinew.Obstacle.box((0, 0, 0), (1, 1, 1), np.ones((2, 4))),
            "rotation must have the shape (4,) or (3, 3)",
        ),
        (lambda r: sinew.Obstacle.hull(np.eye(3)), "the points of a hull must not lie in one plane"),
        (lambda r: sinew.Obstacle.hull(np.zeros((0, 3))), "the points of a hull must not lie in one plane"),
        (lambda r: sinew.Obstacle.hull([(0, 0, 0), (0, 0, NAN)]), "points[1, 2] is not finite"),
        (lambda r: sinew.Obstacle.hull(np.zeros((8, 2))), "points must have the shape (n, 3), but has (8, 2)"),
        (lambda r: r.with_collisions(), "the links have no shapes; meshes or capsules must be given"),
        (
            lambda r: r.with_collisions(meshes=False, capsules=[]),
            "the links have no shapes; meshes or capsules must be given",
        ),
        (
            lambda r: r.with_collisions(meshes=True),
            "meshes=True needs a robot that was read from a file; give the path of its URDF file",
        ),
        (
            lambda r: r.with_collisions(meshes="a.urdf", capsules=CAPSULES),
            "meshes and capsules cannot be given together",
        ),
        (lambda r: r.with_collisions(meshes="missing.urdf"), "missing.urdf: No such file or directory (os error 2)"),
        (
            lambda r: r.with_collisions(capsules=CAPSULES, srdf="missing.srdf"),
            "missing.srdf: No such file or directory (os error 2)",
        ),
        (
            lambda r: r.with_collisions(capsules=CAPSULES, allowed=[("bone1", "bone9")]),
            'link "bone9" does not exist; did you mean "bone1" or "bone2" or "bone3"?',
        ),
        (
            lambda r: r.with_collisions(capsules=[("bone9", (0, 0, 0), (1, 0, 0), 0.1)]),
            'link "bone9" does not exist; did you mean "bone1" or "bone2" or "bone3"?',
        ),
        (
            lambda r: r.with_collisions(capsules=[(9, (0, 0, 0), (1, 0, 0), 0.1)]),
            "link 9 does not exist; the robot has 6",
        ),
        (
            lambda r: r.with_collisions(capsules=[("bone2", (0, 0, 0), (1, 0, 0), -0.1)]),
            'link "bone2": the radius of a capsule must be finite and greater than 0',
        ),
        (
            lambda r: r.with_collisions(capsules=[*CAPSULES, ("tip", (0, NAN, 0), (1, 0, 0), 0.1)]),
            "capsules[4] start[1] is not finite",
        ),
        (lambda r: guard(r, margin=-0.5), "collisions: the margin must be finite and at least 0, but is -0.5"),
        (lambda r: guard(r, margin=NAN), "collisions: the margin must be finite and at least 0, but is NaN"),
        (lambda r: guard(r).clearance(np.zeros((2, 4))), "q must have the shape (4,)"),
        (lambda r: guard(r).clearance([0, 0, NAN, 0]), 'q[2] (joint "turn2") is not finite'),
        (lambda r: r.trajectory("tip", None), "positions or orientations are missing"),
        (lambda r: r.trajectory("tip", PATH, q0=np.zeros((3, 4))), "q0 must have the shape (4,)"),
        (lambda r: r.trajectory("tip", PATH, speed=1.5), "speed must be greater than 0 and at most 1, but is 1.5"),
        (lambda r: r.trajectory("tip", PATH, spacing=NAN), "spacing must be finite and greater than 0, but is NaN"),
        (lambda r: r.trajectory("tip", PATH, gain=-1), "gain must be from 0 to 1, but is -1"),
        (
            lambda r: r.trajectory("tip", PATH, redundancy="best"),
            'unknown redundancy "best"; use nearest, rest, centres or manipulability',
        ),
        (lambda r: r.manipulability(np.zeros(4), "tap"), 'link "tap" does not exist; did you mean "tip"?'),
    ],
)
def test_errors_name_what_is_wrong(robot, call, message):
    with pytest.raises(sinew.Error) as caught:
        call(robot)
    assert str(caught.value) == message


def test_errors_in_srdf_files_name_the_file(robot, tmp_path):
    file = tmp_path / "planar.srdf"
    for text, message in (
        (SRDF.format("bone9"), 'link "bone9" does not exist; did you mean "bone1" or "bone2" or "bone3"?'),
        ('<robot><disable_collisions link1="bone1"/></robot>', "line 1: <disable_collisions> lacks link2"),
    ):
        file.write_text(text)
        with pytest.raises(sinew.Error) as caught:
            robot.with_collisions(capsules=CAPSULES, srdf=file)
        assert str(caught.value) == f"{file}: {message}"


def test_arguments_of_wrong_types_raise_type_errors(robot):
    for arguments in (
        {"obstacles": {"ball": 1}},
        {"obstacles": [("ball", sinew.Obstacle.sphere((0, 0, 0), 1))]},
        {"allowed": ("bone1", "bone3")},
        {"margin": "wide"},
    ):
        with pytest.raises(TypeError):
            robot.with_collisions(capsules=CAPSULES, **arguments)
    with pytest.raises(TypeError):
        robot.with_collisions(capsules=["bone1"])


def rates(trajectory):
    """The speeds of the joints between the rows."""
    return np.abs(np.diff(trajectory.q, axis=0)) / np.diff(trajectory.times)[:, None]


def test_a_trajectory_respects_the_velocities_of_the_joints(robot):
    trajectory = robot.trajectory("tip", PATH, q0=START, tolerance=1e-6)
    assert trajectory.reached and trajectory.row_reached.all() and trajectory.clearance is None
    assert trajectory.q.shape == (len(trajectory), 4) and trajectory.row_reached.shape == trajectory.times.shape
    assert trajectory.times[0] == 0 and (np.diff(trajectory.times) > 0).all()
    assert trajectory.duration == trajectory.times[-1]
    assert (rates(trajectory) <= robot.velocity * (1 + 1e-9)).all()
    # One joint is as fast as it may be, so the times are as short as possible.
    assert np.allclose((rates(trajectory) / robot.velocity).max(axis=1), 1, atol=1e-6)
    slow = robot.trajectory("tip", PATH, q0=START, tolerance=1e-6, speed=0.5)
    assert np.array_equal(slow.q, trajectory.q) and slow.duration == pytest.approx(2 * trajectory.duration, rel=1e-6)
    assert repr(trajectory) == f"Trajectory({len(trajectory)} rows, {trajectory.duration:.3f} s, reached)"


def test_a_trajectory_meets_its_poses_on_straight_lines(robot):
    trajectory = robot.trajectory("tip", PATH, q0=START, tolerance=1e-6)
    tips = robot.fk(trajectory.q, "tip")[:, :3, 3]
    first, second, last = trajectory.poses
    assert first == 0 and last == len(trajectory) - 1
    assert np.linalg.norm(tips[trajectory.poses] - PATH, axis=1).max() < 1.1e-6
    assert np.abs(tips[: second + 1, 0] - 0.9).max() < 1e-5
    assert np.linalg.norm(np.diff(tips, axis=0), axis=1).max() < 0.0101
    coarse = robot.trajectory("tip", PATH, q0=START, spacing=1, largest_step=3)
    assert coarse.poses.tolist() == [0, 1, 2] and len(coarse) == 3
    with pytest.raises(sinew.Error, match='^pose 1: joint "turn.*" would jump by .* rad; at most 0.01 rad is allowed'):
        robot.trajectory("tip", PATH, q0=START, spacing=1, largest_step=0.01)
    single = robot.trajectory("tip", PATH[0], q0=START)
    assert len(single) == 1 and single.duration == 0 and single.reached
    empty = robot.trajectory("tip", np.zeros((0, 3)), q0=START)
    assert empty.q.shape == (0, 4) and empty.times.shape == (0,) and empty.poses.shape == (0,)


def test_a_trajectory_does_not_pass_through_an_obstacle(robot):
    centre = np.array([0.5, 1.15, 0])
    guarded = guard(robot, ball=sinew.Obstacle.sphere(centre, 0.08))
    # The middle of the line is in the ball.
    line = [(0.9, 1.0, 0), (0.1, 1.3, 0)]
    trajectory = guarded.trajectory("tip", line, q0=START, largest_step=10)
    assert not trajectory.reached and trajectory.row_reached[0] and not trajectory.row_reached.all()
    assert trajectory.clearance.pair[1] == "ball" and trajectory.clearance.distance < 0.02
    tips = robot.fk(trajectory.q, "tip")[:, :3, 3]
    assert np.linalg.norm(tips - centre, axis=1).min() >= 0.08 + 0.03 - 1e-9
    assert "not reached" in repr(trajectory)
    # A free way is reached, and its smallest distance counts.
    free = guarded.trajectory("tip", PATH, q0=START)
    assert free.reached and free.clearance.distance > 0


def test_a_trajectory_is_a_table():
    robot = sinew.Robot.from_urdf(ARM)
    trajectory = robot.trajectory("tool", [(0.4, 0, 0.8), (0.4, 0.2, 0.8)], default_velocity=0.7)
    assert trajectory.reached
    assert (rates(trajectory) <= np.where(np.isinf(robot.velocity), 0.7, robot.velocity) * (1 + 1e-9)).all()
    header, *rows = csv.reader(io.StringIO(trajectory.to_csv()))
    assert header == ["time", *robot.joint_names, *robot.mimic_names]
    table = np.array(rows, dtype=float)
    assert np.array_equal(table[:, 0], trajectory.times) and np.array_equal(table[:, 1:5], trajectory.q)
    assert np.array_equal(table[:, 5:], robot.mimic_values(trajectory.q))
    for array in (trajectory.times, trajectory.q, trajectory.row_reached, trajectory.poses):
        assert not array.flags.writeable


@pytest.mark.parametrize("redundancy", ["nearest", "rest", "centres", "manipulability"])
def test_redundancy_changes_the_posture_and_not_the_path(robot, redundancy):
    trajectory = robot.trajectory("tip", PATH, q0=START, tolerance=1e-3, redundancy=redundancy)
    assert trajectory.reached
    assert np.linalg.norm(robot.fk(trajectory.q, "tip")[trajectory.poses, :3, 3] - PATH, axis=1).max() <= 1e-3
    if redundancy in ("rest", "centres"):
        # Both are the stretched pose.
        nearest = robot.trajectory("tip", PATH, q0=START, tolerance=1e-3)
        assert np.linalg.norm(trajectory.q[-1]) <= np.linalg.norm(nearest.q[-1]) + 1e-3


def test_manipulability_is_that_of_the_jacobian():
    robot = sinew.Robot.from_urdf(ARM)
    q = np.random.default_rng(6).uniform(0.1, 2, size=(50, 4)) * (1, 1, 1, 0.01)
    values = robot.manipulability(q, "tool", orientation=False)
    # The gripper does not move the tool, so the other three joints form a square matrix.
    expected = np.abs(np.linalg.det(robot.jacobian(q, "tool")[:, :3, :3]))
    assert values.shape == (50,) and np.allclose(values, expected, atol=1e-7)
    one = robot.manipulability(q[3], "tool", False)
    assert one.shape == () and one == values[3]
    # Four joints cannot change all six coordinates.
    assert robot.manipulability(q, "tool").max() < 1e-6
