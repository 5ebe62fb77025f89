//! Calls the reference library.

use meshopt as codec;

/// Decodes `count` elements of `stride` bytes.
pub(super) fn decode(
    encoded: &[u8],
    count: usize,
    stride: usize,
    mode: &str,
    filter: &str,
) -> Result<Vec<u8>, String> {
    match mode {
        "ATTRIBUTES" => attributes(encoded, count, stride, filter),
        "TRIANGLES" if count.is_multiple_of(3) => indices(encoded, count, stride, true),
        "INDICES" => indices(encoded, count, stride, false),
        mode => Err(format!("mode {mode:?} is not supported with count {count}")),
    }
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("the compressed data is damaged ({error})")
}

fn indices(encoded: &[u8], count: usize, stride: usize, triangles: bool) -> Result<Vec<u8>, String> {
    let indices = if triangles {
        codec::decode_index_buffer::<u32>(encoded, count)
    } else {
        codec::decode_index_sequence::<u32>(encoded, count)
    };
    let indices = indices.map_err(damaged)?.into_iter();
    match stride {
        4 => Ok(indices.flat_map(u32::to_le_bytes).collect()),
        #[expect(clippy::cast_possible_truncation, reason = "the codec truncates indices in the same way")]
        2 => Ok(indices.flat_map(|i| (i as u16).to_le_bytes()).collect()),
        _ => Err(format!("byteStride {stride} is neither 2 nor 4")),
    }
}

/// A vertex of `N` words. The codec derives the vertex size from the type of its output, so each size needs a type.
#[derive(Clone)]
struct Vertex<const N: usize>([u32; N]);

impl<const N: usize> Default for Vertex<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

/// Decodes vertices of `$stride` bytes, for each stride that glTF allows: multiples of 4 up to 256.
macro_rules! decode_vertices {
    ($encoded:expr, $count:expr, $stride:expr; $($words:literal)*) => {
        match $stride {
            $(stride if stride == $words * 4 => codec::decode_vertex_buffer::<Vertex<$words>>($encoded, $count)
                .map(|v| v.iter().flat_map(|v| v.0).collect::<Vec<u32>>())
                .map_err(damaged),)*
            stride => Err(format!("byteStride {stride} is not a multiple of 4 up to 256")),
        }
    };
}

fn attributes(encoded: &[u8], count: usize, stride: usize, filter: &str) -> Result<Vec<u8>, String> {
    let mut words = decode_vertices!(encoded, count, stride;
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)?;
    match (filter, stride) {
        ("NONE", _) => {}
        ("EXPONENTIAL", _) => {
            for word in &mut words {
                let mut one = [[*word]];
                codec::decode_filter_exp(&mut one);
                [[*word]] = one;
            }
        }
        ("OCTAHEDRAL", 4) => filter_bytes(&mut words, codec::decode_filter_oct),
        ("OCTAHEDRAL", 8) => filter_shorts(&mut words, codec::decode_filter_oct),
        ("QUATERNION", 8) => filter_shorts(&mut words, codec::decode_filter_quat),
        ("COLOR", 4) => filter_bytes(&mut words, codec::decode_filter_color),
        ("COLOR", 8) => filter_shorts(&mut words, codec::decode_filter_color),
        _ => return Err(format!("filter {filter:?} is not supported with byteStride {stride}")),
    }
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// Applies a filter to vectors of four bytes, one vector per word.
fn filter_bytes(words: &mut [u32], filter: fn(&mut [[i8; 4]])) {
    for word in words {
        let mut vector = [word.to_le_bytes().map(u8::cast_signed)];
        filter(&mut vector);
        *word = u32::from_le_bytes(vector[0].map(i8::cast_unsigned));
    }
}

/// Applies a filter to vectors of four shorts, one vector per two words.
fn filter_shorts(words: &mut [u32], filter: fn(&mut [[i16; 4]])) {
    let shorts_from_word = |word: u32| {
        let [a, b, c, d] = word.to_le_bytes();
        [i16::from_le_bytes([a, b]), i16::from_le_bytes([c, d])]
    };
    let word_from_shorts = |a: i16, b: i16| {
        let ([a, b], [c, d]) = (a.to_le_bytes(), b.to_le_bytes());
        u32::from_le_bytes([a, b, c, d])
    };
    for pair in words.chunks_exact_mut(2) {
        let ([x, y], [z, w]) = (shorts_from_word(pair[0]), shorts_from_word(pair[1]));
        let mut vector = [[x, y, z, w]];
        filter(&mut vector);
        let [[x, y, z, w]] = vector;
        pair.copy_from_slice(&[word_from_shorts(x, y), word_from_shorts(z, w)]);
    }
}
