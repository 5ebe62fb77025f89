// Computes a level of the shadow map from a larger one, which is bound as the map.
// #import compared_depth | sampled_depth, compose

// Along each axis: the width of a texel in texels of the larger level, the index of the first of these texels to read, and the number to
// read.
override STEP: i32 = 2;
override FIRST: i32 = 0;
override COUNT: i32 = 2;

// Returns the nearest depth.
@fragment
fn nearest(in: Corner) -> @builtin(frag_depth) f32 {
    let at = STEP * vec2<i32>(in.clip.xy) + FIRST;
    var depth = 1.0;
    for (var y = 0; y < COUNT; y++) {
        for (var x = 0; x < COUNT; x++) {
            depth = min(depth, shadow_depth(at + vec2<i32>(x, y), 0));
        }
    }
    return depth;
}
