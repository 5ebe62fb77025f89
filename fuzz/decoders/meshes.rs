//! Compressed meshes: Draco and meshopt.

use serde_json::{Value, json};

use crate::draco;
use crate::random::Random;
use crate::seeds::glb;

use super::{BASE_MEMORY, Decoder, files};

/// The inputs are GLB files. In the built-in inputs, the binary chunk is the compressed data of one mesh.
pub(super) const DRACO: Decoder = Decoder {
    name: "draco",
    seeds: || {
        let tubes = draco::SEEDS.iter().map(|data| draco::document(data));
        tubes.chain(files::external("models/derived/Fox-draco/Fox-draco.glb")).collect()
    },
    mutate,
    truncate: files::truncate,
    decode: files::decode,
    base_memory: BASE_MEMORY,
};

pub(super) const MESHOPT: Decoder = Decoder {
    name: "meshopt",
    seeds: || {
        let own = std::iter::once(compressed());
        own.chain(files::external("models/derived/Fox-meshopt/Fox-meshopt.glb")).collect()
    },
    mutate,
    truncate: files::truncate,
    decode: files::decode,
    base_memory: BASE_MEMORY,
};

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    files::data(input, random)
}

/// Returns a file with views in all modes and with all filters. Each of them is decoded, although only some are used.
fn compressed() -> Vec<u8> {
    let mut views = Views::default();
    let floats: Vec<[f32; 3]> =
        (0_u8..24).map(|i| [f32::from(i % 4), f32::from(i / 4), 0.1 * f32::from(i)]).collect();
    let triangles: Vec<u32> = (0..16).flat_map(|i| [i, i + 1, i + 4, i + 4, i + 1, i + 5]).collect();
    let vectors: Vec<[f32; 4]> =
        (0_u8..24).map(|i| [f32::from(i).sin(), f32::from(i).cos(), 0.3, 0.5]).collect();
    let encoded = |data: Result<Vec<u8>, meshopt::Error>| data.expect("encoded data");
    views.add("ATTRIBUTES", "NONE", 12, 24, &encoded(meshopt::encode_vertex_buffer(&floats)));
    let count = triangles.len();
    views.add("TRIANGLES", "NONE", 4, count, &encoded(meshopt::encode_index_buffer(&triangles, 24)));
    views.add("TRIANGLES", "NONE", 2, count, &encoded(meshopt::encode_index_buffer(&triangles, 24)));
    views.add("INDICES", "NONE", 4, count, &encoded(meshopt::encode_index_sequence(&triangles, 24)));
    let short = meshopt::encode_filter_oct::<i8>(&vectors, 8);
    views.add("ATTRIBUTES", "OCTAHEDRAL", 4, 24, &encoded(meshopt::encode_vertex_buffer(&short)));
    let long = meshopt::encode_filter_oct::<i16>(&vectors, 12);
    views.add("ATTRIBUTES", "OCTAHEDRAL", 8, 24, &encoded(meshopt::encode_vertex_buffer(&long)));
    let turns = meshopt::encode_filter_quat(&vectors, 12);
    views.add("ATTRIBUTES", "QUATERNION", 8, 24, &encoded(meshopt::encode_vertex_buffer(&turns)));
    let colors = meshopt::encode_filter_color::<i8>(&vectors, 8);
    views.add("ATTRIBUTES", "COLOR", 4, 24, &encoded(meshopt::encode_vertex_buffer(&colors)));
    // Any bit patterns are valid exponents and mantissas.
    views.add("ATTRIBUTES", "EXPONENTIAL", 12, 24, &encoded(meshopt::encode_vertex_buffer(&floats)));
    let Views { binary, mut list } = views;
    // The uncompressed buffer does not exist.
    list.iter_mut().for_each(|view| view["buffer"] = 1.into());
    let mut root = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["EXT_meshopt_compression"],
        "extensionsRequired": ["EXT_meshopt_compression"],
        "buffers": [{ "byteLength": binary.len() }, { "byteLength": 4096 }],
        "bufferViews": list,
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 24, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5125, "count": count, "type": "SCALAR" },
        ],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "nodes": [{ "mesh": 0 }],
    });
    glb(&mut root, &binary)
}

/// Compressed views and their data.
#[derive(Default)]
struct Views {
    binary: Vec<u8>,
    list: Vec<Value>,
}

impl Views {
    fn add(&mut self, mode: &str, filter: &str, stride: usize, count: usize, data: &[u8]) {
        let offset = self.binary.len();
        let compressed = json!({
            "buffer": 0, "byteOffset": offset, "byteLength": data.len(), "byteStride": stride, "count": count,
            "mode": mode, "filter": filter,
        });
        self.list.push(json!({
            "byteLength": count * stride, "extensions": { "EXT_meshopt_compression": compressed },
        }));
        self.binary.extend(data);
    }
}
