"""Arrays of all kinds are read correctly, and bad input raises `sinew.Error` with one line."""

import numpy as np
import pytest

import sinew

NAN, INF = float("nan"), float("inf")


def test_error_is_a_value_error():
    assert issubclass(sinew.Error, ValueError)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.int8, np.uint16, ">f8"])
def test_every_real_dtype_and_order_has_the_same_result(arm, order, dtype):
    targets = np.array([(1, 1, 0), (0, 2, 1), (2, 1, 0)])
    expected = sinew.solve_many(arm, targets.astype(np.float64)).rotations
    given = np.array(targets, dtype=dtype, order=order)
    assert sinew.solve_many(arm, given).rotations.tobytes() == expected.tobytes()
    assert sinew.solve_many(arm, targets.tolist()).rotations.tobytes() == expected.tobytes()


def test_views_that_are_not_contiguous_are_read_in_their_order(arm):
    wide = np.random.default_rng(5).uniform(-1, 1, size=(40, 7))
    views = [wide[::2, 1:4], wide[:, ::3], wide[::-1, 6:3:-1], np.broadcast_to(wide[0, :3], (5, 3))]
    for view in views:
        assert not view.flags.c_contiguous
        expected = sinew.solve_many(arm, np.ascontiguousarray(view))
        assert sinew.solve_many(arm, view).rotations.tobytes() == expected.rotations.tobytes()


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (np.zeros((5, 2)), r"^targets must have the shape \(n, 3\), but has \(5, 2\)$"),
        (np.zeros(3), r"targets must have the shape \(n, 3\), but has \(3,\)"),
        (np.zeros((1, 1, 3)), r"\(n, 3\)"),
        (np.float64(1), r"but has \(\)"),
        ([(0, 0, 0), (0, NAN, 0)], r"^targets\[1, 1\] is not finite$"),
        ([(0, 0, INF)], r"targets\[0, 2\] is not finite"),
        ([(1, 2), (1, 2, 3)], "targets must be an array of numbers"),
        (np.zeros((2, 3), complex), "dtype is complex128"),
        (np.zeros((2, 3), bool), "dtype is bool"),
        ([("1", "2", "3")], "dtype is <U1"),
        (np.zeros((2, 3), object), "dtype is object"),
        ([(10**400, 0, 0)], "dtype is object"),
        (object(), "dtype is object"),
        ({}, "dtype is object"),
        (None, "targets or orientations are missing"),
    ],
)
def test_targets_that_are_refused(arm, targets, message):
    with pytest.raises(sinew.Error, match=message) as error:
        sinew.solve_many(arm, targets)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "refused",
    [
        lambda: sinew.Goal(1, (NAN, 0, 0)),
        lambda: sinew.Goal(1, (1, 2)),
        lambda: sinew.Goal(1, "abc"),
        lambda: sinew.Goal(-1, (1, 2, 3)),
        lambda: sinew.Goal(1),
        lambda: sinew.Goal(1, aim_axis=(0, 0, 1)),
        lambda: sinew.Goal(1, orientation=(0, 0, 0, 0)),
        lambda: sinew.Goal(1, orientation=(0, 0, 1)),
        lambda: sinew.Link(-1),
        lambda: sinew.Link(0, (INF, 0, 0)),
        lambda: sinew.Link(0, rest=(0, 0, 0, 0)),
        lambda: sinew.Limit.hinge((0, 0, 0)),
        lambda: sinew.Limit.hinge((0, 0, 1), 2, 1),
        lambda: sinew.Limit.hinge((0, 0, 1), NAN, 1),
        lambda: sinew.Limit.cone((0, 1, 0), (0, 2, 0), (1, 1)),
        lambda: sinew.Limit.cone((0, 1, 0), (1, 0, 0), (1, 4)),
        lambda: sinew.Limit.euler("xyx", (0, 0, 0), (1, 1, 1)),
        lambda: sinew.Limit.euler("xyz", (0, 0, 0), (1, -1, 1)),
        lambda: sinew.Body([]),
        lambda: sinew.Body([sinew.Link(0)]),
        lambda: sinew.Body([sinew.Link(), sinew.Link(1)]),
        lambda: sinew.Body([sinew.Link(weight=-1)]),
        lambda: sinew.Body([sinew.Link()], world_from_base=np.zeros((4, 4))),
        lambda: sinew.Body([sinew.Link()], world_from_base=np.eye(3)),
        lambda: sinew.Body([sinew.Link()], world_from_base=np.ones((4, 4))),
        lambda: sinew.Body.chain([(0, 0, 0)], limits=[]),
        lambda: sinew.Body.chain([]),
        lambda: sinew.Target("hand"),
        lambda: sinew.Target("hand", (NAN, 0, 0)),
    ],
)
def test_values_that_are_refused(refused):
    with pytest.raises(sinew.Error) as error:
        refused()
    assert "\n" not in str(error.value)


def test_bodies_refuse(arm):
    goal = sinew.Goal(3, (1, 1, 1))
    for arguments in (
        {"method": "magic"},
        {"method": "style"},
        {"tolerance": NAN},
        {"tolerance": 0},
        {"iterations": -1},
        {"options": {"restarts": "many"}},
        {"options": {1: 2}},
        {"options": {"ccd.step": [1]}},
    ):
        with pytest.raises(sinew.Error):
            arm.solve([goal], **arguments)
    with pytest.raises(sinew.Error, match="link 9"):
        arm.solve([sinew.Goal(9, (1, 1, 1))])
    with pytest.raises(sinew.Error, match=r"\(4, 4\), but has \(4, 3\)"):
        arm.rotations = np.zeros((4, 3))
    with pytest.raises(sinew.Error, match="rotations must be a quaternion"):
        arm.rotations = np.zeros((4, 4))
    for arguments in (
        {"links": 9},
        {"links": -1},
        {"links": []},
        {"links": [1, 2]},
        {"starts": np.zeros((2, 4, 4))},
        {"starts": np.zeros((1, 4, 4))},
        {"orientations": np.ones((2, 4))},
    ):
        with pytest.raises(sinew.Error):
            sinew.solve_many(arm, [(1, 1, 1)], **arguments)


def test_wrong_types_raise_type_errors(arm):
    for call in (lambda: arm.solve([1]), lambda: arm.solve(3), lambda: sinew.solve_many(1, [(1, 1, 1)])):
        with pytest.raises(TypeError):
            call()
