//! Decoders that are tested in isolation, so that hundreds of thousands of inputs take only minutes. See [`trial`].

mod animations;
mod binary_fbx;
mod faces;
mod files;
mod images;
mod layers;
mod light;
mod meshes;
mod robots;
pub(crate) mod trial;

use crate::random::Random;

/// A decoder, with its inputs and its limits.
pub(crate) struct Decoder {
    /// The name on the command line and in file names.
    pub(crate) name: &'static str,
    /// Returns valid inputs. The first one is small, and is mutated most often.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Returns a changed input. The same random numbers always give the same bytes.
    pub(crate) mutate: fn(&[u8], &mut Random) -> Vec<u8>,
    /// Returns an input whose encoded data ends after a number of bytes.
    pub(crate) truncate: fn(&[u8], usize) -> Vec<u8>,
    /// Decodes an input, and uses the result as little as possible. Returns false if it is rejected. An error is a
    /// finding, as in [`Format::check`](crate::format::Format).
    pub(crate) decode: fn(&[u8]) -> Result<bool, String>,
    /// Memory that any input may need, in bytes.
    pub(crate) base_memory: usize,
}

/// Memory in bytes that glTF and text files may need in addition to [`MEMORY_FACTOR`] times their size. The loader
/// itself allows 24 MB of decoded data for any file.
const BASE_MEMORY: usize = 32 << 20;
/// Maximum ratio of the peak memory to the size of the input, in addition to [`Decoder::base_memory`]. Draco may decode to
/// 128 times its size.
const MEMORY_FACTOR: usize = 192;

impl Decoder {
    /// Returns the maximum memory for an input, in bytes.
    pub(crate) fn memory_limit(&self, input: &[u8]) -> usize {
        self.base_memory + input.len() * MEMORY_FACTOR
    }
}

pub(crate) static ALL: [Decoder; 15] = [
    meshes::DRACO,
    meshes::MESHOPT,
    images::PNG,
    images::JPEG,
    images::WEBP,
    images::KTX2,
    light::HDR,
    layers::LAYERS,
    faces::VRM_0,
    faces::VRM_1,
    animations::VRMA,
    animations::BVH,
    animations::FBX,
    robots::URDF,
    robots::STL,
];

/// Returns the first bytes of an input.
fn prefix(input: &[u8], length: usize) -> Vec<u8> {
    input[..length.min(input.len())].to_vec()
}

/// Changes a few bytes. Half of the time, only the first bytes are changed, because headers have the most effect.
fn bytes(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let end = bytes.len().min(96);
    if random.once_in(2) {
        random.mutate_bytes(&mut bytes);
    } else {
        let mut head = bytes[..end].to_vec();
        random.mutate_bytes(&mut head);
        bytes.splice(..end, head);
    }
    bytes
}
