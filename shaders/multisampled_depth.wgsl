// Reads the farthest of the samples of a depth buffer, which is bound as the shadow map. compared_depth.wgsl has the same function.

@group(2) @binding(0) var shadow_map: texture_depth_multisampled_2d;

fn shadow_depth(texel: vec2<i32>, level: i32) -> f32 {
    let count = i32(textureNumSamples(shadow_map));
    var depth = 0.0;
    for (var i = 0; i < count; i++) {
        depth = max(depth, textureLoad(shadow_map, texel, i));
    }
    return depth;
}
