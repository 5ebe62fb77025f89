//! glTF files with a Draco-compressed mesh whose data is corrupted at random.

use std::path::Path;
use std::sync::LazyLock;

use draco_core::GeometryAttributeType as Kind;
use serde_json::{Value, json};
use sinew::asset::gltf::load_bytes;

use crate::character::exercise;
use crate::format::Format;
use crate::random::Random;
use crate::seeds::glb;
use sinew_testkit::draco::{Attribute, Values, encode};

pub(crate) const FORMAT: Format = Format { name: "draco", inputs_per_round: 400, make, check };

/// Vertices around and along the tube.
const SIZE: (u16, u16) = (8, 6);

/// Tubes, compressed with each method.
pub(crate) static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let methods = [(false, 5), (false, 10), (true, 0), (true, 3), (true, 5), (true, 10)];
    methods.map(|(edgebreaker, speed)| tube(edgebreaker, speed)).into()
});

/// Compresses a tube with all attributes of a skinned mesh.
fn tube(edgebreaker: bool, speed: i32) -> Vec<u8> {
    let (around, along) = SIZE;
    let vertices = || (0..along).flat_map(|v| (0..around).map(move |u| (u, v)));
    let angle = |u: u16| f32::from(u) / f32::from(around) * std::f32::consts::TAU;
    let floats =
        |f: &dyn Fn(u16, u16) -> Vec<f32>| vertices().flat_map(|(u, v)| f(u, v)).collect::<Vec<f32>>();
    let bend = |v: u16| f32::from(v) / f32::from(along - 1);
    let attributes = [
        (Kind::Position, 3, floats(&|u, v| vec![angle(u).cos(), f32::from(v), angle(u).sin()]), 11),
        (Kind::Normal, 3, floats(&|u, _| vec![angle(u).cos(), 0.0, angle(u).sin()]), 8),
        (Kind::TexCoord, 2, floats(&|u, v| vec![f32::from(u), f32::from(v)]), 10),
        (Kind::Generic, 4, floats(&|_, v| vec![1.0 - bend(v), bend(v), 0.0, 0.0]), 8),
    ];
    let mut attributes = attributes
        .map(|(kind, width, values, bits)| Attribute { kind, width, values: Values::Floats(values, bits) })
        .into_iter()
        .collect::<Vec<_>>();
    let joints = vertices().flat_map(|_| [0, 1, 0, 0]).collect();
    attributes.push(Attribute { kind: Kind::Generic, width: 4, values: Values::Bytes(joints) });
    let index = |u: u16, v: u16| u32::from(v * around + u % around);
    let squares = (0..along - 1).flat_map(|v| (0..around).map(move |u| (u, v)));
    let triangles: Vec<[u32; 3]> = squares
        .flat_map(|(u, v)| {
            let corners = [index(u, v), index(u + 1, v), index(u + 1, v + 1), index(u, v + 1)];
            let [a, b, c, d] = corners;
            [[a, b, c], [a, c, d]]
        })
        .collect();
    encode(&triangles, &attributes, edgebreaker, speed)
}

/// Returns a file with compressed data.
pub(crate) fn document(data: &[u8]) -> Vec<u8> {
    let (around, along) = SIZE;
    let count = around * along;
    let accessor =
        |kind: &str, component: u32| json!({"type": kind, "componentType": component, "count": count});
    let attributes = json!({"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "WEIGHTS_0": 3, "JOINTS_0": 4});
    let extension = json!({"bufferView": 0, "attributes": attributes});
    let mut root: Value = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_draco_mesh_compression"],
        "extensionsRequired": ["KHR_draco_mesh_compression"],
        "buffers": [{"byteLength": data.len()}],
        "bufferViews": [{"buffer": 0, "byteLength": data.len()}],
        "accessors": [
            accessor("VEC3", 5126), accessor("VEC3", 5126), accessor("VEC2", 5126), accessor("VEC4", 5126),
            accessor("VEC4", 5121), {"type": "SCALAR", "componentType": 5123, "count": 1},
        ],
        "meshes": [{"primitives": [{
            "attributes": attributes, "indices": 5, "extensions": {"KHR_draco_mesh_compression": extension},
        }]}],
        "skins": [{"joints": [0, 1]}],
        "nodes": [{"children": [1]}, {"translation": [0, 3, 0]}, {"mesh": 0, "skin": 0}],
        "scenes": [{"nodes": [0, 2]}],
    });
    glb(&mut root, data)
}

fn make(random: &mut Random) -> Vec<u8> {
    let mut data = SEEDS[random.below(SEEDS.len())].clone();
    match random.below(8) {
        0 => data.truncate(random.below(data.len())),
        // The first bytes are the header with the counts, so changing them has the most effect.
        1 | 2 => {
            let end = data.len().min(48);
            let mut head = data[..end].to_vec();
            random.mutate_bytes(&mut head);
            data.splice(..end, head);
        }
        _ => random.mutate_bytes(&mut data),
    }
    document(&data)
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let Ok(character) = load_bytes(Path::new("input.glb"), bytes, None) else { return Ok(false) };
    exercise(character, Some(bytes))?;
    Ok(true)
}
