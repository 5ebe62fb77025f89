// The bone matrices as the drawing stages read them.
// #import fetch_storage | fetch_texture, skinning

// The matrices of a frame with few bones. Every adapter can bind 16 KiB.
@group(0) @binding(1) var<uniform> few_bones: array<vec4<f32>, 1024>;

fn bone_vector(at: u32) -> vec4<f32> {
    if FEW_BONES {
        return few_bones[at];
    }
    return stored_bone(at);
}
