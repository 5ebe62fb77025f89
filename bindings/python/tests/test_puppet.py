"""Characters that follow targets, images and exported copies."""

import numpy as np
import pytest

import sinew

GOAL = (0.4, 1.3, 0.3)


@pytest.fixture
def puppet(mannequin):
    return sinew.Puppet(mannequin)


def test_a_hand_reaches_and_the_feet_stay(puppet):
    feet = [puppet.position(foot) for foot in ("leftFoot", "rightFoot")]
    low = (0.3, 0.4, 0.5)
    reports = puppet.update([sinew.Target("leftHand", low)])
    assert reports[0].reached and reports[0].kind == "goal" and reports[0].name == "leftHand"
    assert reports[0].position_error < 1e-3
    np.testing.assert_allclose(puppet.position("leftHand"), low, atol=1e-3)
    # The target is too low for an arm, so the whole body bends.
    assert puppet.position("hips")[1] < 0.9 * puppet.character.world_matrices(puppet.character.rest())[0][1, 3]
    for foot, before in zip(("leftFoot", "rightFoot"), feet):
        np.testing.assert_allclose(puppet.position(foot), before, atol=2e-3)


def test_results_do_not_depend_on_earlier_updates(mannequin, puppet):
    puppet.update([sinew.Target("rightHand", (-0.5, 1.6, 0.1))])
    puppet.update([sinew.Target("leftHand", GOAL)])
    fresh = sinew.Puppet(mannequin)
    fresh.update([sinew.Target("leftHand", GOAL)])
    assert puppet.pose == fresh.pose
    puppet.update()
    assert puppet.pose == mannequin.rest()


def test_a_base_keeps_the_rest_of_the_body(mannequin, puppet):
    reports = puppet.update([sinew.Target("leftHand", (0.3, 1.4, 0.3), base="leftUpperArm")])
    assert reports[0].reached
    hips = mannequin.find("hips")
    np.testing.assert_array_equal(puppet.pose.rotations[hips], mannequin.rest().rotations[hips])


def test_pins_have_priority(puppet):
    before = puppet.position("rightHand")
    reports = puppet.update([sinew.Target("leftHand", (0.5, 1.2, 0.4))], pins=["rightHand"])
    assert {report.kind for report in reports} == {"goal", "pin"}
    np.testing.assert_allclose(puppet.position("rightHand"), before, atol=1e-3)


def test_a_clip_and_a_target_are_combined(mannequin, puppet):
    puppet.play("walk", 0.3)
    puppet.update()
    assert puppet.pose == mannequin.sample("walk", 0.3)
    puppet.update([sinew.Target("leftHand", GOAL)])
    np.testing.assert_allclose(puppet.position("leftHand"), GOAL, atol=1e-3)
    puppet.time = 0.6
    puppet.update()
    assert puppet.pose == mannequin.sample("walk", 0.6)
    puppet.stop()
    puppet.held = mannequin.sample("crouch", 1.0)
    puppet.update()
    assert puppet.pose == puppet.held


def test_looks_and_orientations(puppet):
    reports = puppet.update([sinew.Target("head", look=(3, 1.5, 3))])
    assert reports[0].orientation_error < 1e-2 and reports[0].position_error is None
    half = np.sqrt(0.5)
    reports = puppet.update([sinew.Target("leftHand", GOAL, (0, half, 0, half))])
    assert reports[0].orientation_error is not None


def test_skin_is_that_of_the_pose(mannequin, puppet):
    puppet.update([sinew.Target("leftHand", GOAL)])
    mesh, expected = puppet.skin(), mannequin.skin(puppet.pose)
    assert mesh.positions.tobytes() == expected.positions.tobytes()
    np.testing.assert_array_equal(puppet.world_matrices, mannequin.world_matrices(puppet.pose))
    puppet.skinning = "dual-quaternion"
    puppet.update([sinew.Target("leftHand", GOAL)])
    expected = mannequin.skin(puppet.pose, method="dual-quaternion")
    assert puppet.skin(part=0).positions.tobytes() == expected.positions.tobytes()


@pytest.mark.parametrize("source", ["built-in", "file", "bytes"])
def test_the_exported_copy_is_in_the_same_pose(assets, tmp_path, source):
    path = assets / "mannequin.glb"
    character = {
        "built-in": sinew.mannequin,
        "file": lambda: sinew.load(path),
        "bytes": lambda: sinew.load(path.read_bytes()),
    }[source]()
    puppet = sinew.Puppet(character)
    puppet.update([sinew.Target("leftHand", GOAL)])
    glb = puppet.to_glb()
    copy = sinew.load(glb)
    np.testing.assert_allclose(copy.skin(copy.rest()).positions, puppet.skin().positions, atol=1e-5)
    puppet.save_glb(tmp_path / "posed.glb")
    assert (tmp_path / "posed.glb").read_bytes() == glb
    with pytest.raises(sinew.Error, match="no-such-folder"):
        puppet.save_glb(tmp_path / "no-such-folder" / "posed.glb")


def test_bad_targets_are_refused(puppet, mannequin, tmp_path):
    for targets, message in (
        ([sinew.Target("tail", GOAL)], 'node "tail" does not exist'),
        ([sinew.Target(99, GOAL)], "node 99 does not exist"),
        ([sinew.Target("leftHand", GOAL, base="tail")], '"tail"'),
        ([sinew.Target("leftHand", GOAL, weight=-1)], "weight"),
    ):
        with pytest.raises(sinew.Error, match=message):
            puppet.update(targets)
    with pytest.raises(sinew.Error, match="method"):
        puppet.update([sinew.Target("leftHand", GOAL)], method="magic")
    with pytest.raises(sinew.Error, match="missing.rig.toml"):
        sinew.Puppet(mannequin, rig=tmp_path / "missing.rig.toml")
    broken = tmp_path / "broken.rig.toml"
    broken.write_text("[[[")
    with pytest.raises(sinew.Error, match="broken.rig.toml"):
        sinew.Puppet(mannequin, rig=broken)


def test_an_unknown_rig_joint_is_named(mannequin, tmp_path):
    rig = tmp_path / "other.rig.toml"
    rig.write_text('[joint.tail]\nlimit = "locked"\n')
    with pytest.raises(sinew.Error) as error:
        sinew.Puppet(mannequin, rig=rig)
    assert "\n" not in str(error.value)
