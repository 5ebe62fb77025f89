// Reads the shadow map as a depth texture. sampled_depth.wgsl has the same functions.

@group(2) @binding(0) var shadow_map: texture_depth_2d;
@group(2) @binding(1) var shadow_sampler: sampler_comparison;

// Returns the fraction of the four texels around a point whose depth is at least `depth`.
fn lit(at: vec2<f32>, depth: f32) -> f32 {
    return textureSampleCompareLevel(shadow_map, shadow_sampler, at, depth);
}

fn shadow_depth(texel: vec2<i32>, level: i32) -> f32 {
    return textureLoad(shadow_map, texel, level);
}
