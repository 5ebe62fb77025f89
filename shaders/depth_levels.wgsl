// Computes a level of a depth texture from a larger one, which is bound as the shadow map.
// #import compared_depth | sampled_depth | multisampled_depth, compose

// Along each axis: the width of a texel in texels of the larger level, the index of the first of these texels to read, and the number to
// read.
override STEP: i32 = 2;
override FIRST: i32 = 0;
override COUNT: i32 = 2;
// Whether a texel has the farthest instead of the nearest depth.
override FARTHEST: bool = false;

@fragment
fn depth_level(in: Corner) -> @builtin(frag_depth) f32 {
    let at = STEP * vec2<i32>(in.clip.xy) + FIRST;
    let last = vec2<i32>(textureDimensions(shadow_map)) - 1;
    var depth = 1.0;
    if FARTHEST {
        depth = 0.0;
    }
    for (var y = 0; y < COUNT; y++) {
        for (var x = 0; x < COUNT; x++) {
            let read = shadow_depth(min(at + vec2<i32>(x, y), last), 0);
            depth = select(min(depth, read), max(depth, read), FARTHEST);
        }
    }
    return depth;
}
