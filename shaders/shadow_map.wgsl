// How much of the key light arrives. Follows globals.wgsl.

@group(2) @binding(0) var shadow_map: texture_depth_2d;
@group(2) @binding(1) var shadow_sampler: sampler_comparison;

// The points of a disc, evenly spread (Vogel 1979), in units of its radius.
fn disc(i: u32, points: u32) -> vec2<f32> {
    let angle = f32(i) * 2.3999632;
    return sqrt((f32(i) + 0.5) / f32(points)) * vec2<f32>(cos(angle), sin(angle));
}

// 1 in full light, 0 in full shadow; softened over a disc of some radius in texels, by looks at some points of it.
fn key_light_at(world: vec3<f32>, normal: vec3<f32>, radius: f32, points: u32) -> f32 {
    // Off the surface along its normal by more than a texel is wide, so that it does not shade itself.
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
