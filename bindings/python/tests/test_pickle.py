"""Objects that hold data can be pickled, and the copies are equal bit for bit."""

import copy
import pickle

import numpy as np
import pytest

import sinew
from test_robot import ARM
from test_robot_collisions import CAPSULES, PATH, SRDF, START, TUBE, planar


def pickled(item):
    return pickle.loads(pickle.dumps(item))


def fields(item):
    """The values of all properties of an object."""
    names = [name for name in dir(item) if not name.startswith("_") and not callable(getattr(item, name))]
    return {name: getattr(item, name) for name in names}


def assert_equal(one, other):
    assert type(one) is type(other) and repr(one) == repr(other)
    for name, value in fields(one).items():
        np.testing.assert_array_equal(value, getattr(other, name), err_msg=name)


LIMITS = [
    sinew.Limit.free(),
    sinew.Limit.locked(),
    sinew.Limit.hinge((1, 2, 3), -0.3, 1.1),
    sinew.Limit.prismatic((0.1, -0.7, 0.3), -0.5, 2),
    sinew.Limit.cone((1, 2, 3), (0.3, 0.2, 0.9), (0.4, 1.2), (-0.1, 0.6)),
    sinew.Limit.euler("zxy", [-1, -0.5, 0], [1, 0.5, 0.1]),
]


@pytest.mark.parametrize("limit", LIMITS, ids=repr)
def test_limits(limit):
    assert repr(pickled(limit)) == repr(limit)


@pytest.mark.parametrize(
    "item",
    [
        sinew.Goal(3, (0.1, 0.2, 0.3), (1, 2, 3, 4), pole=(0, 0, 1), offset=(0, 0.1, 0), weight=2.5, pinned=True),
        sinew.Goal(0, aim_axis=(1, 0, 0), aim_at=(4, 5, 6)),
        sinew.Target("leftHand", (0.1, 0.2, 0.3), (1, 2, 3, 4), base="hips", pole=(0, 0, 1), weight=0.5),
        sinew.Target(7, look=(1, 2, 3), offset=(0, 0.1, 0)),
        sinew.mannequin().nodes[5],
        sinew.mannequin().clips[2],
        sinew.mannequin().skin(sinew.mannequin().rest()),
    ],
    ids=repr,
)
def test_plain_data(item):
    assert_equal(pickled(item), item)
    assert_equal(copy.deepcopy(item), item)


def test_links_and_bodies():
    links = [sinew.Link(None, (0, 1, 0), scale=(1, 2, 1))]
    for index, limit in enumerate(LIMITS):
        links.append(sinew.Link(index, (0.1, 1, 0.2), rest=(0.1, 0.2, 0.3, 1), limit=limit, weight=0.7))
    for link in links:
        same = pickled(link)
        assert (same.parent, same.offset, same.rest) == (link.parent, link.offset, link.rest)
        assert (same.scale, same.weight, repr(same)) == (link.scale, link.weight, repr(link))
    above = np.array([[0, -2, 0, 1], [2, 0, 0, 2], [0, 0, 2, 3], [0, 0, 0, 1.0]])
    body = sinew.Body(links, world_from_base=above)
    body.solve([sinew.Goal(6, (3, 4, 5))], method="ccd")
    body.root = (0.1, 0.2, 0.3)
    same = pickled(body)
    for name in ("rotations", "displacements", "root", "positions", "world_matrices"):
        assert np.array_equal(getattr(same, name), getattr(body, name)), name
    goals = [sinew.Goal(6, (0, 8, 1))]
    reports = [each.solve(goals) for each in (body, same)]
    assert_equal(*reports)
    assert np.array_equal(same.rotations, body.rotations)
    assert_equal(pickled(reports[0]), reports[0])


def test_poses(mannequin):
    pose = mannequin.sample("walk", 0.3)
    assert pickled(pose) == pose
    made = sinew.Pose(pose.translations, pose.rotations, pose.scales, pose.weights)
    assert made == pose
    with pytest.raises(sinew.Error, match="rotations must have the shape"):
        sinew.Pose(pose.translations, pose.rotations[1:], pose.scales, pose.weights)


def test_results(arm, targets, mannequin):
    assert_equal(pickled(sinew.solve_many(arm, targets[:20])), sinew.solve_many(arm, targets[:20]))
    robot = sinew.Robot.from_urdf(ARM)
    q = np.zeros((3, 4)) + 0.2
    assert np.array_equal(pickled(robot).fk(q), robot.fk(q))
    solutions = robot.solve("tool", robot.fk(q, "tool")[:, :3, 3])
    assert_equal(pickled(solutions), solutions)
    puppet = sinew.Puppet(mannequin)
    for report in puppet.update([sinew.Target("leftHand", (0.3, 0.4, 0.5))]):
        assert_equal(pickled(report), report)


OBSTACLES = [
    sinew.Obstacle.sphere((0.1, 2, 0.3), 0.07),
    sinew.Obstacle.capsule((0.1, 2, 0.3), (0.4, 2, 0.9), 0.07),
    sinew.Obstacle.box((0.1, 2, 0.3), (0.7, 0.1, 1)),
    sinew.Obstacle.box((0.1, 2, 0.3), (0.7, 0.1, 1), (0.1, 0.2, 0.3, 0.9)),
    sinew.Obstacle.hull(np.random.default_rng(1).uniform(1, 2, size=(20, 3))),
]


@pytest.mark.parametrize("obstacle", OBSTACLES, ids=repr)
def test_obstacles(obstacle):
    for same in (pickled(obstacle), copy.deepcopy(obstacle)):
        assert same == obstacle and repr(same) == repr(obstacle)


def test_robots_with_collisions(tmp_path):
    file, srdf = tmp_path / "planar.urdf", tmp_path / "planar.srdf"
    file.write_text(planar(TUBE))
    srdf.write_text(SRDF.format("bone3"))
    obstacles = {f"obstacle {index}": obstacle for index, obstacle in enumerate(OBSTACLES)}
    robot = sinew.Robot(file).with_collisions(
        meshes=True, srdf=srdf, allowed=[("bone2", "bone4")], obstacles=obstacles, margin=0.02
    )
    # A robot without collisions keeps the path of its file, and its collisions do not need the files.
    plain = pickled(sinew.Robot(file))
    assert plain.with_collisions(meshes=True).capsules == robot.capsules
    file.unlink()
    srdf.unlink()
    same = pickled(robot)
    assert same.capsules == robot.capsules and same.collision_pairs == robot.collision_pairs
    for q in np.random.default_rng(8).uniform(-2, 2, size=(50, 4)):
        assert_equal(same.clearance(q), robot.clearance(q))
    targets = np.random.default_rng(9).uniform(-1.2, 1.2, size=(10, 3)) * (1, 1, 0)
    solutions = robot.solve("tip", targets)
    assert_equal(same.solve("tip", targets), solutions)
    assert_equal(pickled(solutions), solutions)
    assert_equal(pickled(robot.clearance(START)), robot.clearance(START))


def test_trajectories():
    robot = sinew.Robot.from_urdf(planar())
    guarded = robot.with_collisions(capsules=CAPSULES, obstacles={"ball": OBSTACLES[0]})
    for each in (robot, guarded):
        trajectory = each.trajectory("tip", PATH, q0=START)
        same = pickled(trajectory)
        assert_equal(same, trajectory)
        assert same.to_csv() == trajectory.to_csv() and len(same) == len(trajectory)
        assert (trajectory.clearance is None) == (each is robot)


def test_characters_are_pickled_as_their_source(mannequin, assets, tmp_path):
    file = assets / "arm.glb"
    for character in (mannequin, sinew.load(file), sinew.load(file.read_bytes())):
        same = pickled(character)
        assert repr(same) == repr(character) and same.rest() == character.rest()
    captured = sinew.load(assets.parent / "tests" / "suite" / "hail.bvh", units=0.02)
    assert pickled(captured).rest() == captured.rest()
    extended = mannequin.with_clips(captured)
    assert pickled(extended).sample("hail", 0.7) == extended.sample("hail", 0.7)


def test_errors():
    error = pickled(sinew.Error("one line"))
    assert type(error) is sinew.Error and str(error) == "one line"


def test_live_objects_cannot_be_pickled(mannequin):
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(sinew.Puppet(mannequin))
