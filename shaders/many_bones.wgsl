// Access to the bone matrices in compute passes. Requires skinning.wgsl and fetch_storage.wgsl.

fn bone_vector(at: u32) -> vec4<f32> {
    return stored_bone(at);
}
