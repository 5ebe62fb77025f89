// Reads the data of parts and instances from a uniform buffer and from textures of vectors, row by row, for adapters whose vertex shaders
// cannot read storage buffers (WebGL2 and OpenGL before 4.3). fetch_storage.wgsl has the same functions, and src/render/data_texture.rs
// fills the textures.
// #import skinning

// The width of the textures, which is also the maximum height that every adapter supports.
const DATA_WIDTH: u32 = 2048u;

@group(3) @binding(10) var<uniform> part: PartConstants;
// As in fetch_storage.wgsl.
@group(3) @binding(11) var vertex_extras: texture_2d<f32>;
// An `Instance` is two vectors: its tint, and its indices as numbers. The bone matrices follow the instances, and the morph weights follow
// the matrices, four per vector. The indices are counted from the beginning of the texture: `first_matrix` in vectors, and `first_weight`
// in numbers.
@group(1) @binding(0) var frame_data: texture_2d<f32>;

fn texel_of(at: u32) -> vec2<u32> {
    return vec2<u32>(at % DATA_WIDTH, at / DATA_WIDTH);
}

fn frame_vector(at: u32) -> vec4<f32> {
    return textureLoad(frame_data, texel_of(at), 0);
}

fn vertex_extra(at: u32) -> vec4<f32> {
    return textureLoad(vertex_extras, texel_of(at), 0);
}

fn instance_tint(instance: u32) -> vec4<f32> {
    return frame_vector(2u * instance);
}

fn first_matrix(instance: u32) -> u32 {
    return u32(frame_vector(2u * instance + 1u).x);
}

fn first_weight(instance: u32) -> u32 {
    return u32(frame_vector(2u * instance + 1u).y);
}

fn stored_bone(at: u32) -> vec4<f32> {
    return frame_vector(at);
}

fn morph_weight(at: u32) -> f32 {
    return frame_vector(at / 4u)[at % 4u];
}
