//! Nodes, scenes, containers, and references to other files.

use std::f32::consts::FRAC_1_SQRT_2;

use glam::{Affine3A, Quat, Vec3};
use serde_json::{Value, json};
use sinew::asset::gltf;
use sinew::pose::{Pose, world_matrices};

use crate::{load, refusal};
use sinew_testkit::folder;

fn file(mut rest: Value) -> Vec<u8> {
    rest["asset"] = json!({"version": "2.0"});
    serde_json::to_vec(&rest).unwrap()
}

fn glb(json: &[u8], chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, data) in std::iter::once(&(b"JSON", json)).chain(chunks) {
        bytes.extend_from_slice(&(data.len() as u32).to_le_bytes());
        bytes.extend_from_slice(*kind);
        bytes.extend_from_slice(data);
    }
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes
}

#[test]
fn children_may_precede_their_parents() {
    let character = load(&file(json!({"nodes": [
        {"translation": [0, 0, 1]},
        {"children": [0], "translation": [0, 1, 0]},
        {"children": [1], "translation": [1, 0, 0]},
    ]})))
    .unwrap();
    let mut world = Vec::new();
    world_matrices(&character.skeleton, &Pose::rest(&character.skeleton), &mut world);
    assert_eq!(world[0].translation, Vec3::ONE.into());
}

#[test]
fn files_may_omit_scenes_and_scenes_may_omit_nodes() {
    let character = load(&file(json!({"nodes": [{"children": [1]}, {}, {}]}))).unwrap();
    assert_eq!(character.scenes[0].roots, [0, 2]);
    // A scene may omit its list of nodes.
    let character = load(&file(json!({"nodes": [{}], "scenes": [{"name": "empty"}]}))).unwrap();
    assert_eq!(character.visible(0), [false]);
}

#[test]
fn cycles_and_second_parents_are_refused() {
    let loops = file(json!({"nodes": [{"children": [1]}, {"children": [0]}]}));
    assert_eq!(refusal(&loops), "test.gltf: nodes[0]: is its own ancestor");
    let shared = file(json!({"nodes": [{"children": [2]}, {"children": [2]}, {}]}));
    assert_eq!(refusal(&shared), "test.gltf: nodes[1].children[0]: node 2 is already a child of node 0");
}

#[test]
fn a_deep_hierarchy_does_not_overflow_the_stack() {
    let depth = 50_000;
    let nodes: Vec<Value> =
        (0..depth).map(|i| if i + 1 < depth { json!({"children": [i + 1]}) } else { json!({}) }).collect();
    let character = load(&file(json!({"nodes": nodes}))).unwrap();
    assert_eq!(character.skeleton.ancestors(depth - 1).count(), depth);
}

#[test]
fn quaternions_are_normalised_with_a_warning() {
    let character =
        load(&file(json!({"nodes": [{"rotation": [0, 0, 2, 2]}, {"rotation": [0, 0, 0, 0]}]}))).unwrap();
    let rotation = character.skeleton.nodes[0].rest.rotation;
    assert!(rotation.abs_diff_eq(Quat::from_xyzw(0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2), 1e-7));
    assert_eq!(character.skeleton.nodes[1].rest.rotation, Quat::IDENTITY);
    assert_eq!(character.warnings[0], "nodes[0].rotation: did not have unit length and was normalised");
}

#[test]
fn mirrored_matrices_are_decomposed_and_sheared_ones_are_kept() {
    let mirrored = Affine3A::from_scale_rotation_translation(
        Vec3::new(-2.0, 3.0, 0.5),
        Quat::from_rotation_y(0.8),
        Vec3::new(1.0, 2.0, 3.0),
    );
    let mut sheared = Affine3A::IDENTITY;
    sheared.matrix3.y_axis.x = 0.7;
    let matrix = |m: Affine3A| glam::Mat4::from(m).to_cols_array().to_vec();
    let character =
        load(&file(json!({"nodes": [{"matrix": matrix(mirrored)}, {"matrix": matrix(sheared)}]}))).unwrap();
    assert_eq!(character.skeleton.sheared.keys().collect::<Vec<_>>(), [&1]);
    let mut pose = Pose::rest(&character.skeleton);
    let mut world = Vec::new();
    world_matrices(&character.skeleton, &pose, &mut world);
    assert!(world[0].abs_diff_eq(mirrored, 1e-6), "{:?}", world[0]);
    assert_eq!(world[1], sheared);
    // A moved node uses its transform instead of its matrix.
    pose.locals[1].translation = Vec3::X;
    world_matrices(&character.skeleton, &pose, &mut world);
    assert_eq!(world[1], pose.locals[1].to_affine());
}

#[test]
fn unknown_required_extensions_are_refused_by_name_and_optional_ones_are_warnings() {
    let required = file(json!({"extensionsRequired": ["KHR_mesh_quantization", "EXT_fancy"]}));
    assert_eq!(refusal(&required), "test.gltf: extensionsRequired: EXT_fancy is not supported");
    let optional = load(&file(json!({"extensionsUsed": ["EXT_fancy"]}))).unwrap();
    assert_eq!(optional.warnings, ["extensionsUsed: EXT_fancy is not supported and is ignored"]);
}

#[test]
fn the_humanoid_map_of_both_versions_of_vrm_is_read() {
    let v1 = file(json!({"nodes": [{}, {}], "extensions": {"VRMC_vrm": {"humanoid": {"humanBones": {
        "hips": {"node": 1}, "head": {"node": 7},
    }}}}}));
    let map = load(&v1).unwrap().humanoid.unwrap();
    assert_eq!((map.vrm, map.bones.get("hips"), map.bones.get("head")), (1, Some(&1), None));
    let v0 = file(json!({"nodes": [{}, {}], "extensions": {"VRM": {"humanoid": {"humanBones": [
        {"bone": "leftThumbIntermediate", "node": 0},
    ]}}}}));
    let map = load(&v0).unwrap().humanoid.unwrap();
    assert_eq!((map.vrm, map.bones.get("leftThumbProximal")), (0, Some(&0)));
}

#[test]
fn glb_chunks_of_other_kinds_are_skipped() {
    let json = file(json!({"nodes": [{}]}));
    let character = load(&glb(&json, &[(b"XTRA", b"1234"), (b"BIN\0", b"abcd")])).unwrap();
    assert_eq!(character.skeleton.nodes.len(), 1);
    let first = glb(b"1234", &[]).iter().map(|&b| if b == b'J' { b'X' } else { b }).collect::<Vec<_>>();
    assert_eq!(refusal(&first), "test.gltf: GLB: the first chunk is not JSON");
}

#[test]
fn files_outside_the_folder_of_the_asset_are_refused() {
    let folder = folder("uri");
    let inside = folder.join("asset with space");
    std::fs::create_dir_all(inside.join("deep")).unwrap();
    std::fs::write(folder.join("secret.bin"), [0; 12]).unwrap();
    std::fs::write(inside.join("deep/ä b.bin"), [0; 12]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.join("secret.bin"), inside.join("link.bin")).unwrap();
    let load = |uri: &str| {
        let rest = json!({
            "buffers": [{"byteLength": 12, "uri": uri}],
            "bufferViews": [{"buffer": 0, "byteLength": 12}],
            "accessors": [{"bufferView": 0, "type": "VEC3", "componentType": 5126, "count": 1}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        });
        gltf::load_bytes("test.gltf".as_ref(), &file(rest), Some(&inside)).map_err(|e| e.to_string())
    };
    assert!(load("deep/%C3%A4%20b.bin").is_ok());
    assert!(load("./deep/../deep/%C3%A4%20b.bin").is_ok());
    assert!(load("deep\\%C3%A4%20b.bin").is_ok() && load("deep%5Cä b.bin").is_ok());
    let files = load("deep/./%C3%A4%20b.bin").unwrap().files;
    assert_eq!(files, [inside.join("deep/ä b.bin")]);
    let image = json!({
        "images": [{"uri": "skin.png"}, {"uri": "skin.png"}, {"uri": "data:,x"}, {"uri": "../up.png"}],
    });
    let with = |folder| gltf::load_bytes("test.gltf".as_ref(), &file(image.clone()), folder).unwrap().files;
    // A missing image is listed because it may be added later.
    assert_eq!(with(Some(inside.as_path())), [inside.join("skin.png")]);
    assert!(with(None).is_empty());
    let absolute = folder.join("secret.bin").display().to_string();
    let refused =
        ["../secret.bin", "deep/../../secret.bin", "%2e%2e/secret.bin", &absolute, "file:///etc/passwd"];
    let refused = refused.into_iter().chain(["http://localhost/a.bin", "link.bin", "..\\secret.bin", ""]);
    for uri in refused {
        let message = load(uri).expect_err(uri);
        assert!(message.starts_with("test.gltf: buffers[0]: "), "{message}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
