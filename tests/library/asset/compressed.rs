//! Meshes that are compressed with Draco equal uncompressed ones, up to quantisation.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use draco_core::GeometryAttributeType as Kind;
use glam::{Quat, Vec3};
use serde_json::json;
use sinew::asset::{Character, Primitive, gltf, load as load_file, mannequin};

use crate::{load, refusal};
use sinew_testkit::draco::{Attribute, Values, encode};
use sinew_testkit::{Builder, external};

/// Bits of quantised positions.
const BITS: i32 = 14;
/// Number of joints of the skins in these tests.
const JOINTS: usize = 200;

/// The part of the mannequin with the most vertices.
fn body() -> Primitive {
    let mannequin = mannequin().unwrap();
    let all = mannequin.meshes.iter().flat_map(|m| &m.primitives);
    all.max_by_key(|p| p.vertices()).unwrap().clone()
}

/// Compresses a primitive. The second set of texture coordinates stores the index of each vertex, without quantisation.
fn compressed(p: &Primitive, edgebreaker: bool, speed: i32) -> Vec<u8> {
    let floats = |v: &[Vec3]| v.iter().flat_map(Vec3::to_array).collect::<Vec<f32>>();
    let set = &p.influences[0];
    let indices = (0_u16..).take(p.vertices()).flat_map(|i| [f32::from(i), 0.0]).collect();
    let attributes = [
        (Kind::Position, 3, Values::Floats(floats(&p.positions), BITS)),
        (Kind::Normal, 3, Values::Floats(floats(&p.normals), 10)),
        (Kind::TexCoord, 2, Values::Floats(indices, 0)),
        (Kind::Generic, 4, Values::Shorts(set.joints.as_flattened().to_vec())),
        (Kind::Generic, 4, Values::Floats(set.weights.iter().flat_map(glam::Vec4::to_array).collect(), 12)),
    ];
    let attributes = attributes.map(|(kind, width, values)| Attribute { kind, width, values });
    encode(&p.triangles, &attributes, edgebreaker, speed)
}

/// Returns a file with a compressed primitive. `count` is the number of its vertices.
fn file(data: &[u8], count: usize, triangles: usize) -> Vec<u8> {
    let mut b = Builder::default();
    let view = b.view(data);
    let accessor =
        |kind: &str, component: u32| json!({"type": kind, "componentType": component, "count": count});
    let mut accessors = vec![
        accessor("VEC3", 5126),
        accessor("VEC3", 5126),
        accessor("VEC2", 5126),
        accessor("VEC4", 5123),
        accessor("VEC4", 5126),
    ];
    accessors.push(json!({"type": "SCALAR", "componentType": 5123, "count": triangles * 3}));
    let attributes = json!({"POSITION": 0, "NORMAL": 1, "TEXCOORD_1": 2, "JOINTS_0": 3, "WEIGHTS_0": 4});
    let extension = json!({"bufferView": view, "attributes": attributes});
    let primitive = json!({
        "attributes": attributes, "indices": 5,
        "extensions": {"KHR_draco_mesh_compression": extension},
    });
    let mut nodes = vec![json!({}); JOINTS];
    nodes.push(json!({"mesh": 0, "skin": 0}));
    b.add_accessors(accessors);
    b.file(json!({
        "extensionsRequired": ["KHR_draco_mesh_compression"],
        "meshes": [{"primitives": [primitive]}],
        "skins": [{"joints": (0..JOINTS).collect::<Vec<_>>()}],
        "nodes": nodes,
    }))
}

/// Returns triangles that start at their smallest vertex.
fn rotated(triangles: impl Iterator<Item = [u32; 3]>) -> BTreeSet<[u32; 3]> {
    let rotate = |[a, b, c]: [u32; 3]| match a.min(b).min(c) {
        first if first == a => [a, b, c],
        first if first == b => [b, c, a],
        _ => [c, a, b],
    };
    triangles.map(rotate).collect()
}

#[test]
fn compressed_meshes_equal_the_original_within_their_quantisation() {
    let body = body();
    let (low, high) = body.positions.iter().fold((Vec3::MAX, Vec3::MIN), |(l, h), p| (l.min(*p), h.max(*p)));
    let step = (high - low).max_element() / ((1 << BITS) - 1) as f32;
    for (edgebreaker, speed) in [(false, 5), (true, 0), (true, 5), (true, 10)] {
        let bytes = compressed(&body, edgebreaker, speed);
        let character = load(&file(&bytes, body.vertices(), body.triangles.len())).unwrap();
        assert!(character.warnings.is_empty(), "{:?}", character.warnings);
        let read = &character.meshes[0].primitives[0];
        let label = format!("edgebreaker {edgebreaker}, speed {speed}, {} bytes", bytes.len());
        // The edgebreaker splits vertices where a surface touches itself.
        let (read_count, count) = (read.vertices(), body.vertices());
        assert!(read_count >= count && read_count < count + count / 20, "{label}: {read_count} of {count}");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "written as an index")]
        let originals: Vec<usize> = read.uvs[1].iter().map(|uv| uv.x as usize).collect();
        for (v, &o) in originals.iter().enumerate() {
            let off = (read.positions[v] - body.positions[o]).abs().max_element();
            assert!(off <= step * 0.51, "{label}: vertex {v} is {off} away, steps are {step}");
            assert!(read.normals[v].dot(body.normals[o]) > 0.999, "{label}: normal {v}");
            assert_eq!(read.influences[0].joints[v], body.influences[0].joints[o], "{label}: joints {v}");
            let weights = read.influences[0].weights[v] - body.influences[0].weights[o];
            assert!(weights.abs().max_element() < 1e-3, "{label}: weights {v} differ by {weights}");
        }
        let triangles =
            read.triangles.iter().map(|t| t.map(|v| u32::try_from(originals[v as usize]).unwrap()));
        assert_eq!(rotated(triangles), rotated(body.triangles.iter().copied()), "{label}");
    }
}

#[test]
fn truncated_data_is_refused() {
    let body = body();
    let bytes = compressed(&body, true, 5);
    for i in 0..40 {
        let cut = bytes.len() * i / 40;
        let line = refusal(&file(&bytes[..cut], body.vertices(), body.triangles.len()));
        assert!(
            line.contains("extensions.KHR_draco_mesh_compression: the compressed data is damaged"),
            "{line}"
        );
    }
}

#[test]
fn a_damaged_primitive_with_uncompressed_data_is_read_uncompressed() {
    let mut b = Builder::default();
    let view = b.view(b"DRACO");
    let positions = b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let attributes = json!({"POSITION": positions});
    let indices = b.accessor("SCALAR", 5121, 3, &[0, 1, 2]);
    let extension = json!({"bufferView": view, "attributes": {"POSITION": 0}});
    let primitive = json!({
        "attributes": attributes, "indices": indices,
        "extensions": {"KHR_draco_mesh_compression": extension},
    });
    let character = load(&b.file(json!({"meshes": [{"primitives": [primitive]}]}))).unwrap();
    assert_eq!(character.meshes[0].primitives[0].positions[1], Vec3::X);
    assert!(character.warnings[0].ends_with("so the uncompressed data is used"), "{:?}", character.warnings);
}

/// The positions are in the compressed data, but the normals are not. Mixing both would give each vertex the normal of
/// another one.
#[test]
fn a_primitive_is_not_mixed_from_compressed_and_uncompressed_data() {
    let positions = vec![0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 0.0];
    let values = Values::Floats(positions, 14);
    let data =
        encode(&[[0, 1, 2], [2, 1, 3]], &[Attribute { kind: Kind::Position, width: 3, values }], false, 5);
    let mut b = Builder::default();
    let view = b.view(&data);
    let strip = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let positions = b.floats("VEC3", 3, &strip);
    let normals = b.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4));
    let indices = b.accessor("SCALAR", 5121, 4, &[0, 1, 2, 3]);
    let extension = json!({"bufferView": view, "attributes": {"POSITION": 0, "NORMAL": 7}});
    let primitive = json!({
        "attributes": {"POSITION": positions, "NORMAL": normals}, "indices": indices, "mode": 5,
        "extensions": {"KHR_draco_mesh_compression": extension},
    });
    let character = load(&b.file(json!({"meshes": [{"primitives": [primitive]}]}))).unwrap();
    let read = &character.meshes[0].primitives[0];
    assert_eq!(read.positions[3], Vec3::new(1.0, 1.0, 0.0));
    // It remains a strip.
    assert_eq!(read.triangles, [[0, 1, 2], [1, 3, 2]]);
    assert!(character.warnings[0].contains("attribute 7 does not exist"), "{:?}", character.warnings);
}

/// A small file can refer to the same compressed data many times.
#[test]
fn compressed_data_is_decoded_once() {
    let body = body();
    let bytes = compressed(&body, false, 5);
    let text = String::from_utf8(file(&bytes, body.vertices(), body.triangles.len())).unwrap();
    let mut root: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mesh = root["meshes"][0].clone();
    root["meshes"] = vec![mesh; 10].into();
    assert_eq!(load(root.to_string().as_bytes()).unwrap().meshes.len(), 10);
    // Identical buffer views of compressed data overlap, so they are rejected.
    let view = root["bufferViews"][0].clone();
    root["bufferViews"] = vec![view; 10].into();
    for (i, mesh) in root["meshes"].as_array_mut().unwrap().iter_mut().enumerate() {
        mesh["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["bufferView"] = json!(i);
    }
    let line = load(root.to_string().as_bytes()).unwrap_err();
    assert!(line.contains("overlap") || line.contains("belongs to other compressed data"), "{line}");
}

/// Compares a compressed file with the original file.
fn compare(compressed: &Path, original: &Path) {
    let [compressed, original] = [compressed, original].map(|path| load_file(path).unwrap());
    assert!(compressed.warnings.is_empty(), "{:?}", compressed.warnings);
    let count = |c: &Character| -> usize {
        c.meshes.iter().flat_map(|m| &m.primitives).map(|p| p.triangles.len()).sum()
    };
    assert_eq!(count(&compressed), count(&original));
    let size = |p: &Primitive| {
        let (low, high) = p.positions.iter().fold((Vec3::MAX, Vec3::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
        (high - low).max_element()
    };
    for (a, b) in compressed.meshes.iter().zip(&original.meshes) {
        for (a, b) in a.primitives.iter().zip(&b.primitives) {
            // Quantised to 14 bits.
            let near = size(b) / 16_383.0;
            let cell = |p: Vec3| (p / (near * 4.0)).floor().as_ivec3();
            let mut cells: HashMap<_, Vec<usize>> = HashMap::new();
            for (o, &p) in b.positions.iter().enumerate() {
                let corners = (0..8).map(|c| Vec3::new((c & 1) as f32, (c >> 1 & 1) as f32, (c >> 2) as f32));
                let around: BTreeSet<[i32; 3]> =
                    corners.map(|c| cell(p + (c * 2.0 - 1.0) * near).to_array()).collect();
                around.into_iter().for_each(|c| cells.entry(c).or_default().push(o));
            }
            for (v, &p) in a.positions.iter().enumerate() {
                let same_skin = |o: usize| {
                    a.influences.iter().zip(&b.influences).all(|(x, y)| {
                        let sum = |set: &sinew::asset::Influences, v: usize| {
                            let mut sums: HashMap<u16, f32> = HashMap::new();
                            for (j, w) in set.joints[v].iter().zip(set.weights[v].to_array()) {
                                *sums.entry(*j).or_default() += w;
                            }
                            sums
                        };
                        let (x, y) = (sum(x, v), sum(y, o));
                        x.keys()
                            .chain(y.keys())
                            .all(|j| (x.get(j).unwrap_or(&0.0) - y.get(j).unwrap_or(&0.0)).abs() < 0.01)
                    })
                };
                let found = cells
                    .get(&cell(p).to_array())
                    .into_iter()
                    .flatten()
                    .any(|&o| (b.positions[o] - p).abs().max_element() <= near && same_skin(o));
                assert!(found, "vertex {v} at {p} has no original");
            }
        }
    }
}

#[test]
fn compressed_models_equal_their_originals() {
    let Some(models) = external("models") else { return };
    let man = models.join("vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb");
    compare(&models.join("derived/CesiumMan-draco/CesiumMan-draco.glb"), &man);
    let fox = models.join("khronos-sample-models/Fox/glTF-Binary/Fox.glb");
    compare(&models.join("derived/Fox-draco/Fox-draco.glb"), &fox);
}

#[test]
fn a_posed_copy_of_a_compressed_model_stays_compressed() {
    let body = body();
    let bytes = file(&compressed(&body, true, 5), body.vertices(), body.triangles.len());
    let character = load(&bytes).unwrap();
    let mut locals: Vec<_> = character.skeleton.nodes.iter().map(|n| n.rest).collect();
    locals[0].rotation = Quat::from_rotation_x(1.0);
    let copy = gltf::posed_copy(Path::new("test.gltf"), &bytes, None, &character.skeleton, &locals, &[], &[])
        .unwrap();
    let read = load(&copy).unwrap();
    assert_eq!(read.skeleton.nodes[0].rest, locals[0]);
    assert_eq!(format!("{:?}", read.meshes), format!("{:?}", character.meshes));
    assert!(copy.windows(5).any(|w| w == b"DRACO") && copy.len() < bytes.len());
}
