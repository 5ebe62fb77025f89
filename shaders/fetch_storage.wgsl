// Reads the data of parts and instances from storage buffers. fetch_texture.wgsl has the same functions.
// #import skinning

// `part` is not a uniform buffer, because software drivers recompile a shader for each value of a uniform on which a
// branch depends.
@group(3) @binding(10) var<storage, read> part: PartConstants;
// Data that only some parts have. For each target, the displacements of position, normal and tangent of each vertex. Also, for each vertex,
// four more weights, followed by the indices of their joints.
@group(3) @binding(11) var<storage, read> vertex_extras: array<vec4<f32>>;
@group(1) @binding(0) var<storage, read> instances: array<Instance>;
// The bone matrices of all instances. A matrix is three rows of four numbers. A dual quaternion with its stretch is four
// vectors.
@group(1) @binding(1) var<storage, read> bones: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> morph_weights: array<f32>;

fn vertex_extra(at: u32) -> vec4<f32> {
    return vertex_extras[at];
}

fn instance_tint(instance: u32) -> vec4<f32> {
    return instances[instance].tint;
}

fn first_matrix(instance: u32) -> u32 {
    return instances[instance].first_matrix;
}

fn first_weight(instance: u32) -> u32 {
    return instances[instance].first_weight;
}

fn stored_bone(at: u32) -> vec4<f32> {
    return bones[at];
}

fn morph_weight(at: u32) -> f32 {
    return morph_weights[at];
}
