// Reads the shadow map as numbers and compares them here, for adapters whose shaders are GLSL. GLSL can either compare a depth texture or
// read numbers from it, but not both. compared_depth.wgsl has the same functions.

@group(2) @binding(0) var shadow_map: texture_2d<f32>;
@group(2) @binding(1) var shadow_sampler: sampler_comparison;
// WebGL2 reads zeros from a depth texture that has no sampler of its own.
@group(2) @binding(4) var texel_sampler: sampler;

fn shadow_depth(texel: vec2<i32>, level: i32) -> f32 {
    let at = (vec2<f32>(texel) + 0.5) / vec2<f32>(textureDimensions(shadow_map, level));
    return textureSampleLevel(shadow_map, texel_sampler, at, f32(level)).r;
}

fn lit_at(texel: vec2<i32>, depth: f32) -> f32 {
    let last = vec2<i32>(textureDimensions(shadow_map, 0)) - 1;
    return select(0.0, 1.0, depth <= shadow_depth(clamp(texel, vec2<i32>(0), last), 0));
}

// Returns the value that a comparison sampler would return.
fn lit(at: vec2<f32>, depth: f32) -> f32 {
    let place = at * vec2<f32>(textureDimensions(shadow_map, 0)) - 0.5;
    let first = vec2<i32>(floor(place));
    let f = place - floor(place);
    let above = mix(lit_at(first, depth), lit_at(first + vec2<i32>(1, 0), depth), f.x);
    let below = mix(lit_at(first + vec2<i32>(0, 1), depth), lit_at(first + vec2<i32>(1, 1), depth), f.x);
    return mix(above, below, f.y);
}
