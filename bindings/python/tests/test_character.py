"""Characters, poses and skinning."""

import base64
import json

import numpy as np
import pytest

import sinew


def test_joints_and_clips_are_listed(mannequin):
    assert [clip.name for clip in mannequin.clips] == ["idle", "wave", "walk", "run", "crouch"]
    assert mannequin.clips[2].seconds == 1.0
    names = [joint.name for joint in mannequin.joints]
    assert {"hips", "leftHand", "rightFoot"} <= set(names)
    hand = mannequin.nodes[mannequin.find("leftHand")]
    assert hand.is_joint and mannequin.nodes[hand.parent].name == "leftLowerArm"
    assert repr(mannequin.clips[0]) == "Clip(index=0, name='idle', seconds=4.0)"


def test_files_and_bytes_are_loaded_alike(assets):
    path = assets / "arm.glb"
    from_file, from_bytes = sinew.load(path), sinew.load(path.read_bytes())
    assert sinew.load(str(path)).path == path == from_file.path
    assert [n.name for n in from_file.nodes] == [n.name for n in from_bytes.nodes]
    mesh, other = (c.skin(c.rest()) for c in (from_file, from_bytes))
    assert mesh.positions.tobytes() == other.positions.tobytes()


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("no/such/file.glb", "no/such/file.glb"),
        (b"", "<bytes>"),
        (b"glTF\x02\x00\x00\x00", "<bytes>"),
        (b"\xff" * 100, "<bytes>"),
        (".", "."),
        ("nul\0byte", "nul"),
    ],
)
def test_files_that_are_refused(file, message):
    with pytest.raises(sinew.Error) as error:
        sinew.load(file)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_names_that_do_not_exist_have_suggestions(mannequin):
    with pytest.raises(sinew.Error, match='node "leftHnd" does not exist; did you mean "leftHand"?'):
        mannequin.find("leftHnd")
    with pytest.raises(sinew.Error, match='clip "jump" does not exist'):
        mannequin.sample("jump", 0)
    with pytest.raises(sinew.Error, match="clip 9 does not exist; the character has 5"):
        mannequin.sample(9, 0)
    with pytest.raises(sinew.Error, match="time is not finite"):
        mannequin.sample("walk", float("nan"))


def test_samples_move_between_the_keys(mannequin):
    rest, walk, later = mannequin.rest(), mannequin.sample("walk", 0.0), mannequin.sample("walk", 0.3)
    assert rest != walk != later and mannequin.sample(2, 0.3) == later
    np.testing.assert_allclose(np.linalg.norm(later.rotations, axis=1), 1, atol=1e-6)
    assert later.translations.dtype == later.rotations.dtype == np.float32
    # Outside its keys, a clip holds its first or last key.
    assert mannequin.sample("walk", -5) == walk
    assert mannequin.sample("walk", 99) == mannequin.sample("walk", 1.0)


def test_poses_can_be_changed(mannequin):
    pose = mannequin.rest()
    spine = mannequin.find("spine")
    rotations = pose.rotations.copy()
    rotations[spine] = (0, 2, 0, 2)
    pose.rotations = rotations
    half = np.sqrt(0.5)
    np.testing.assert_allclose(pose.rotations[spine], (0, half, 0, half), atol=1e-7)
    before = mannequin.rest()
    before.rotations = before.rotations
    assert before == mannequin.rest()
    with pytest.raises(ValueError, match="read-only"):
        pose.rotations[0, 0] = 1
    with pytest.raises(sinew.Error, match="translations must be within the range of single precision"):
        pose.translations = np.full((len(pose), 3), 1e300)
    with pytest.raises(sinew.Error, match=r"scales must have the shape \(55, 3\)"):
        pose.scales = np.ones((2, 3))


def test_world_matrices_are_products_of_local_ones(mannequin):
    pose = mannequin.sample("run", 0.2)
    world = mannequin.world_matrices(pose)
    x, y, z, w = pose.rotations.T.astype(np.float64)
    local = np.zeros((len(pose), 4, 4))
    local[:, :3, :3] = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]).transpose(2, 0, 1) * pose.scales[:, None, :]
    local[:, :3, 3], local[:, 3, 3] = pose.translations, 1
    for node in mannequin.nodes:
        above = np.eye(4) if node.parent is None else world[node.parent]
        np.testing.assert_allclose(world[node.index], above @ local[node.index], atol=1e-5)


@pytest.mark.parametrize("file", ["mannequin", "tentacle", "awkward", "spider"])
def test_skinning_is_a_weighted_sum_of_matrices(assets, file):
    """The sum is computed here in numpy, with morph targets, up to eight influences, mirrored
    arms and a scale of 100."""
    character = sinew.load(assets / f"{file}.glb")
    poses = [character.rest()] + [character.sample(clip.index, 0.37 * clip.seconds) for clip in character.clips]
    checked = 0
    for pose in poses:
        for part in character.parts:
            if not part.is_skinned:
                continue
            matrices = character.skin_matrices(pose, part.index).astype(np.float64)
            assert matrices.shape == (len(part.skin_nodes), 4, 4)
            assert part.joints.shape == part.weights.shape
            np.testing.assert_allclose(part.weights.sum(axis=1), 1, atol=1e-5)
            blended = np.einsum("vj,vjrc->vrc", part.weights, matrices[part.joints])
            first, end = part.morph_weights
            targets = part.morph_targets.astype(np.float64)
            positions = part.positions + np.tensordot(pose.weights[first:end][: len(targets)], targets, axes=1)
            points = np.concatenate([positions, np.ones((len(positions), 1))], axis=1)
            expected = np.einsum("vrc,vc->vr", blended, points)[:, :3]
            mesh = character.skin(pose, part=part.index)
            size = np.ptp(expected, axis=0).max()
            np.testing.assert_allclose(mesh.positions, expected, atol=2e-6 * max(size, 1))
            np.testing.assert_array_equal(mesh.triangles, part.triangles)
            if mesh.normals is not None:
                np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-4)
            checked += 1
    assert checked > 0


def test_parts_are_joined(assets):
    character = sinew.load(assets / "awkward.glb")
    pose = character.sample(0, 0.2)
    whole, vertices, triangles = character.skin(pose), 0, 0
    assert len(character.parts) > 1
    for part in character.parts:
        mesh = character.skin(pose, part=part.index)
        assert whole.positions[vertices : vertices + len(mesh.positions)].tobytes() == mesh.positions.tobytes()
        shifted = whole.triangles[triangles : triangles + len(mesh.triangles)] - vertices
        np.testing.assert_array_equal(shifted, part.triangles)
        vertices, triangles = vertices + len(mesh.positions), triangles + len(mesh.triangles)
    assert (len(whole.positions), len(whole.triangles)) == (vertices, triangles)


def test_rigid_parts_move_with_their_node():
    triangle = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "<f4")
    uri = "data:application/octet-stream;base64," + base64.b64encode(triangle.tobytes()).decode()
    file = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": 36, "uri": uri}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"children": [1], "translation": [0, 5, 0]}, {"mesh": 0, "scale": [2, 3, 4]}],
        "scenes": [{"nodes": [0]}],
    }
    character = sinew.load(json.dumps(file).encode())
    (part,) = character.parts
    assert not part.is_skinned and part.skin_nodes == [1] and part.node == 1
    assert part.joints.shape == part.weights.shape == (3, 0) and part.morph_targets.shape == (0, 3, 3)
    mesh = character.skin(character.rest())
    np.testing.assert_allclose(mesh.positions, [(0, 5, 0), (2, 5, 0), (0, 8, 0)])
    assert mesh.normals is None and part.normals.shape == (0, 3)
    assert character.nodes[0].name is None and character.joints == []
    puppet = sinew.Puppet(character)
    puppet.update([sinew.Target(1, (0, 7, 0), base=0)])
    assert puppet.skin().positions.shape == (3, 3)


def test_dual_quaternions_differ_where_a_joint_twists(mannequin):
    pose = mannequin.sample("crouch", 1.2)
    linear, dual = (mannequin.skin(pose, method=m).positions for m in ("linear", "dual-quaternion"))
    difference = np.abs(linear - dual).max()
    assert 1e-4 < difference < 0.2
    with pytest.raises(sinew.Error, match="unknown skinning method"):
        mannequin.skin(pose, method="magic")


def test_poses_of_other_characters_are_refused(mannequin, assets):
    other = sinew.load(assets / "arm.glb").rest()
    for use in (mannequin.world_matrices, mannequin.skin, lambda pose: mannequin.skin_matrices(pose, 0)):
        with pytest.raises(sinew.Error, match="the pose is one of another character"):
            use(other)
    with pytest.raises(sinew.Error, match="part 5 does not exist"):
        mannequin.skin(mannequin.rest(), part=5)
    with pytest.raises(sinew.Error, match="part -1 does not exist"):
        mannequin.skin_matrices(mannequin.rest(), -1)
