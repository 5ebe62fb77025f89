// Visibility of the key light. Requires globals.wgsl.

@group(2) @binding(0) var shadow_map: texture_depth_2d;
@group(2) @binding(1) var shadow_sampler: sampler_comparison;

// A point of an evenly covered disc (Vogel 1979), in units of the disc's radius.
fn disc(i: u32, points: u32) -> vec2<f32> {
    let angle = f32(i) * 2.3999632;
    return sqrt((f32(i) + 0.5) / f32(points)) * vec2<f32>(cos(angle), sin(angle));
}

// Returns 1 in full light and 0 in full shadow, averaged over samples in a disc whose radius is in texels.
fn key_light_at(world: vec3<f32>, normal: vec3<f32>, radius: f32, points: u32) -> f32 {
    // Offset along the normal by more than the width of a texel, so that a surface does not shadow itself.
    let offset = normal * globals.viewport.w;
    let clip = globals.shadow_from_world * vec4<f32>(world + offset, 1.0);
    let uv = clip.xy * vec2<f32>(0.5, -0.5) + 0.5;
    if any(uv < vec2<f32>(0.0)) || any(uv > vec2<f32>(1.0)) || clip.z > 1.0 {
        return 1.0;
    }
    var light = 0.0;
    for (var i = 0u; i < points; i++) {
        let at = uv + disc(i, points) * (radius * globals.viewport.z);
        light += textureSampleCompareLevel(shadow_map, shadow_sampler, at, clip.z - 0.0005);
    }
    return light / f32(points);
}
