// Access to the bone matrices in compute passes.
// #import fetch_storage | fetch_texture

fn bone_vector(at: u32) -> vec4<f32> {
    return stored_bone(at);
}
